"""Pose: bring a frame to a place and an orientation at once."""

from scipy.spatial.transform import Rotation

import limbik
from limbik.spatial import pose_from

robot = limbik.load("panda")
grasp = pose_from(Rotation.from_euler("x", 180, degrees=True).as_matrix(), (0.5, 0.1, 0.3))

anywhere = robot.solve(grasp)  # a bare 4x4 matrix is a Pose of the end effector
ready = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]
near = robot.solve(limbik.Pose(target=grasp), start=ready)  # on the branch of the start, without a jump
print("from anywhere:", anywhere.q.round(2))
print("from here:    ", near.q.round(2))
print(f"off by {near.error:.1e} m and {near.error_rotation:.1e} rad")
assert anywhere.success and near.success
