"""LookAt: point an axis that goes through a frame's origin at a point, as a camera does."""

import numpy as np

import limbik

robot = limbik.load("gen3")
thing = np.array([0.9, 0.3, 0.1])
goals = [
    limbik.Position(target=(0.4, -0.1, 0.5)),
    limbik.LookAt(axis=(0, 0, 1), target=thing, tolerance=np.radians(0.5)),
]
solution = robot.solve(goals)
camera = robot.pose(solution.q)
toward = (thing - camera[:3, 3]) / np.linalg.norm(thing - camera[:3, 3])
angle = np.degrees(np.arccos(camera[:3, 2] @ toward))
print(f"from {camera[:3, 3].round(3)} the camera misses {thing} by {angle:.3f} degrees")
assert solution.success and angle < 0.5001
