"""Free of collision: a humanoid reaches across its body without touching itself."""

from humanoid import humanoid
from limbik import Pose, Position
from limbik.collision import World

robot = humanoid()
goals = [
    *(Pose(frame=foot, target=robot.pose(robot.neutral, foot)) for foot in ("left_foot", "right_foot")),
    Position(frame="left_hand", target=(0.2, -0.1, 0.9)),
    Position(frame="right_hand", target=(0.25, 0.1, 1.0)),
]
anyhow, free = robot.solve(goals), robot.solve(goals, world=World(), start=robot.neutral)
for name, solution in (("anyhow", anyhow), ("free", free)):
    print(f"{name}:", robot.check(solution.q).explain())
assert free.success and robot.check(free.q).is_free
