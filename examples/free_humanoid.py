"""Free of collision: a humanoid reaches across its body without touching itself."""

from humanoid import humanoid
from limbik import Pose, Position
from limbik.collision import Capsule, LinkShape, World
from limbik.spatial import pose_from

body = [LinkShape(link="pelvis", shape=Capsule(0.12, 0.4), pose_link_shape=pose_from(None, (0, 0, 0.25)))]
for side in ("left", "right"):
    for part, length in (("shoulder", 0.3), ("elbow", 0.25), ("hip", 0.4), ("knee", 0.4)):
        middle = pose_from(None, (0, 0, -length / 2))
        body.append(
            LinkShape(link=f"{side}_{part}", shape=Capsule(0.05, length - 0.1), pose_link_shape=middle)
        )
robot = humanoid().with_shapes(body)
goals = [
    *(Pose(frame=foot, target=robot.pose(robot.neutral, foot)) for foot in ("left_foot", "right_foot")),
    Position(frame="left_hand", target=(0.3, -0.1, 1.1)),
    Position(frame="right_hand", target=(0.35, 0.1, 1.2)),
]
anyhow, free = robot.solve(goals), robot.solve(goals, world=World())
for name, solution in (("anyhow", anyhow), ("free", free)):
    print(f"{name}:", robot.check(solution.q).explain())
assert free.success and robot.check(free.q).is_free
