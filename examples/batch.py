"""Batch: many poses at once, on every core."""

import numpy as np

import limbik

robot = limbik.load("panda")
poses = robot.pose(robot.random(0, 1000))  # [1000, 4, 4]
batch = robot.solve_batch(poses)
print(
    f"{batch.success.sum()} of {len(batch)} solved in {batch.time * 1000:.0f} ms"
)  # faster once it is compiled

again = robot.pose(batch.q)
print(f"largest distance from a target: {np.linalg.norm((again - poses)[:, :3, 3], axis=1).max():.1e} m")
assert batch.success.mean() > 0.999
