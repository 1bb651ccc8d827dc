"""Posture: of all the solutions that a redundant arm has, the one nearest to a posture."""

import numpy as np

import limbik

robot = limbik.load("panda")
pose = robot.pose([0.4, 0.5, -0.3, -1.8, 0.2, 2.0, 0.5])
relaxed = np.array([0.0, 0.0, 0.0, -1.6, 0.0, 1.6, 0.0])
ways = {
    "no preference": limbik.Pose(target=pose),
    "near to it": [limbik.Pose(target=pose), limbik.Posture(q=relaxed)],
    "joint 3 straight": [limbik.Pose(target=pose), limbik.Posture(q=relaxed, weight=(0, 0, 1, 0, 0, 0, 0))],
}
for name, goals in ways.items():
    solution = robot.solve(goals, start=[0.9, 0.7, -0.9, -1.8, 0.6, 1.9, 0.2])
    away = np.linalg.norm(solution.q - relaxed)
    print(f"{name:17s} {solution.q.round(2)}, {away:.3f} rad from the posture, error {solution.error:.0e} m")
    assert solution.success
