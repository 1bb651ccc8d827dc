"""PointOnLine: bring a frame onto a line, anywhere along it."""

import numpy as np

import limbik

robot = limbik.load("xarm7")
corner, along = np.array([0.4, -0.3, 0.2]), np.array([0.0, 1.0, 0.0])
edge = limbik.PointOnLine(point=corner, direction=along)  # the edge of a table
solution = robot.solve([edge, limbik.Direction(axis=(0, 0, 1), target=(0, 0, -1))])

tip = robot.pose(solution.q)[:3, 3]
distance = np.linalg.norm(np.cross(tip - corner, along))
print(f"the tool is at {tip.round(3)}, {tip[1] - corner[1]:.3f} m along the edge,")
print(f"and {distance * 1e6:.3f} um from it")
assert solution.success and distance < 2e-6
