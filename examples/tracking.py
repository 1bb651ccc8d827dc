"""Tracking: an arm follows a moving target step by step, within limits of velocity and acceleration."""

import numpy as np

import limbik

robot = limbik.load("ur5e")
start = [0.3, -1.2, 1.6, -1.9, -1.57, 0.2]
target = robot.pose(start)
center = target[:3, 3] - (0.0, 0.1, 0.0)
tracker = robot.tracker(target, dt=0.01, start=start, velocity_limits=2.0, acceleration_limits=10.0)
fastest = 0.0
for angle in np.linspace(0.0, 2.0 * np.pi, 400):
    target[:3, 3] = center + 0.1 * np.array([0.0, np.cos(angle), np.sin(angle)])
    q = tracker.step(target)
    fastest = max(fastest, np.abs(tracker.v).max())
print(
    f"{tracker.errors[0].position * 1e9:.3f} nm off after a circle, no joint faster than {fastest:.2f} rad/s"
)
assert tracker.errors[0].position < 1e-6 and fastest <= 2.0
