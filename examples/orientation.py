"""Orientation: turn a frame, wherever its origin goes."""

from scipy.spatial.transform import Rotation

import limbik

robot = limbik.load("ur5e")
down = Rotation.from_euler("xyz", [180, 0, 30], degrees=True)
solution = robot.solve(limbik.Orientation(target=down), start=[0.0, -1.2, 1.2, -1.0, -1.0, 0.0])

turned = Rotation.from_matrix(robot.pose(solution.q)[:3, :3])
print("roll, pitch, yaw [deg]:", turned.as_euler("xyz", degrees=True).round(4))
print(f"off by {solution.error_rotation:.1e} rad after {solution.iterations} iterations")
assert solution.success
