"""Position: bring a point of a robot to a point in space."""

import limbik

robot = limbik.load("panda")
solution = robot.solve(limbik.Position(target=(0.4, 0.2, 0.5)))  # the end effector; frame="..." for another
print("joint angles [rad]:", solution.q.round(3))
print("the flange is at [m]:", robot.pose(solution.q)[:3, 3].round(6))

# Weights of 0 leave axes free: here only the height counts.
higher = robot.solve(limbik.Position(target=(0.0, 0.0, 0.7), weight=(0, 0, 1)), start=solution.q)
print("and 20 cm higher:", robot.pose(higher.q)[:3, 3].round(3))
assert solution.success and higher.success
