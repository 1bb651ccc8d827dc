"""Tolerances: inside a box, a cone or a band there is no error, which leaves room for other goals."""

import numpy as np

import limbik

robot = limbik.load("ur5e")
cup = robot.pose([0.3, -1.2, 1.4, -0.7, -1.5, 0.2])
away = limbik.JointValue(joint="wrist_1_joint", value=0.0, priority=1)  # if possible
exact = limbik.Pose(target=cup)
# 2 cm to all sides, 10 degrees of tilt, and any spin.
loose = limbik.Pose(target=cup, weights=(1, 1, 1, 1, 1, 0), tolerance=(0.02,) * 3 + (np.radians(10),) * 3)
for name, goal in (("exact", exact), ("loose", loose)):
    solution = robot.solve([goal, away], start=[0.3, -1.2, 1.4, -0.7, -1.5, 0.2])
    pose = robot.pose(solution.q)
    moved = np.abs(cup[:3, :3].T @ (pose - cup)[:3, 3]).max()  # along the axes of the target
    tilt = np.degrees(np.arccos(min(pose[:3, 2] @ cup[:3, 2], 1.0)))
    print(f"{name}: {moved * 1000:.1f} mm, {tilt:.1f} deg off; the wrist is at {solution.q[3]:.2f} rad")
    assert solution.success
