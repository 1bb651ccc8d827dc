"""Many goals: a humanoid reaches down with both hands, looks there, and keeps its balance on both feet."""

from humanoid import humanoid
from limbik import CenterOfMass, LookAt, Pose, Position, Posture

robot = humanoid()
feet = [Pose(frame=foot, target=robot.pose(robot.neutral, foot)) for foot in ("left_foot", "right_foot")]
goals = [
    *feet,
    CenterOfMass(target=(0.0, 0.0, 0.0), weight=(1, 1, 0), tolerance=0.02),
    Position(frame="left_hand", target=(0.4, 0.15, 0.7)),
    Position(frame="right_hand", target=(0.4, -0.15, 0.7)),
    LookAt(frame="head", axis=(1, 0, 0), target=(0.4, 0.0, 0.7), tolerance=0.2),
    Posture(q=robot.neutral),  # and apart from that as upright as it can
]
solution = robot.solve(goals)
for goal, miss in zip(goals[:-1], solution.goal_errors, strict=False):
    print(f"{type(goal).__name__:13s} {goal.frame or '':10s} {miss.position:.0e} m, {miss.rotation:.0e} rad")
print(f"pelvis at {robot.pose(solution.q, 'pelvis')[:3, 3].round(3)}, {solution.iterations} iterations")
assert solution.success
