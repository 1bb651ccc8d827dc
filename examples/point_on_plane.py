"""PointOnPlane: bring a frame onto a plane, anywhere on it, and draw a line there."""

import numpy as np

import limbik

robot = limbik.load("iiwa14")
normal = np.array([1.0, 0.0, 1.0]) / np.sqrt(2.0)
board = limbik.PointOnPlane(point=(0.6, 0.0, 0.4), normal=normal)
across = limbik.Direction(axis=(0, 0, 1), target=-normal)  # the pen stands on the board

q = robot.solve([board, across], start=[0.0, 0.6, 0.0, -1.2, 0.0, 0.9, 0.0]).q
for y in np.linspace(-0.2, 0.2, 5):
    stroke = limbik.Position(target=(0.0, y, 0.0), weight=(0, 1, 0))
    solution = robot.solve([board, across, stroke], start=q)
    q, pen = solution.q, robot.pose(solution.q)[:3, 3]
    print("pen at", pen.round(3), f"{abs(normal @ (pen - board.point)) * 1e6:.2f} um from the board")
    assert solution.success
