"""Free of collision: two arms that share a base keep out of each other's way."""

from dataclasses import replace

import limbik
from limbik.collision import World
from limbik.spatial import pose_from

arm, joints = limbik.load("iiwa14"), []
for side, y in (("left", 0.25), ("right", -0.25)):
    shoulder = replace(
        arm.joints[0], parent="torso", origin=pose_from(None, (0, y, 0)) @ arm.joints[0].origin
    )
    for joint in (shoulder, *arm.joints[1:]):
        parent = "torso" if joint is shoulder else f"{side}_{joint.parent}"
        joints.append(
            replace(joint, name=f"{side}_{joint.name}", parent=parent, child=f"{side}_{joint.child}")
        )
robot = limbik.Model("two arms", joints)
crossed = {"left_link7": (0.5, -0.1, 0.5), "right_link7": (0.5, 0.1, 0.5)}
goals = [limbik.Position(frame=name, target=target) for name, target in crossed.items()]
anyhow, free = robot.solve(goals), robot.solve(goals, world=World(), clearance=0.01)
print("anyhow:", robot.check(anyhow.q).explain(), "\nfree:", robot.check(free.q).explain())
assert free.success and robot.check(free.q, clearance=0.01).is_free
