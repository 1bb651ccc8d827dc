"""Direction: point an axis of a frame along a direction, with any spin about it."""

import limbik

robot = limbik.load("ur5e")
goals = [
    limbik.Position(target=(0.4, 0.2, 0.3)),
    limbik.Direction(axis=(0, 0, 1), target=(0, 0, -1)),  # the tool's z axis straight down
]
solution = robot.solve(goals)
pose = robot.pose(solution.q)
print("the tool is at [m]:", pose[:3, 3].round(4), "and points along", pose[:3, 2].round(4) + 0.0)
for goal, miss in zip(goals, solution.goal_errors, strict=True):
    print(f"{type(goal).__name__}: off by {miss.position:.1e} m, {miss.rotation:.1e} rad")
assert solution.success
