"""Free of collision: two arms that share a base keep out of each other's way."""

from dataclasses import replace

import limbik
from limbik.collision import World
from limbik.spatial import pose_from

arm, joints = limbik.load("iiwa14"), []
for side, y in (("left", 0.25), ("right", -0.25)):
    stand = limbik.Joint(
        name=f"{side}_stand",
        kind="fixed",
        parent="torso",
        child=f"{side}_base",
        origin=pose_from(None, (0, y, 0)),
    )
    names = {"name": "name", "parent": "parent", "child": "child"}
    joints += [stand] + [replace(j, **{k: f"{side}_{getattr(j, k)}" for k in names}) for j in arm.joints]
robot = limbik.Model("two arms", joints)
goals = [
    limbik.Position(frame=f"{side}_link7", target=(0.5, y, 0.5))
    for side, y in (("left", -0.1), ("right", 0.1))
]  # crossed
solution = robot.solve(goals, world=World(), clearance=0.01)
print(solution.explain())
assert solution.success and robot.check(solution.q).is_free
