"""Costs: a point, and a cup that stays as upright as it can while it gets there."""

import numpy as np

import limbik
from limbik.solvers import Optimize

panda = limbik.load("panda")
start = panda.random(5)
target = panda.pose(start)[:3, 3]


def tilt(q, frames):
    """How far the hand's axis is from straight down: twice the sine of half the angle, squared."""
    return np.sum((frames["hand_tcp"][:3, 2] - [0.0, 0.0, -1.0]) ** 2)


solution = panda.solve(target, start=start, solver=Optimize(costs=[tilt]))
down = np.array([0.0, 0.0, -1.0])
before, after = (np.linalg.norm(panda.pose(q, "hand_tcp")[:3, 2] - down) for q in (start, solution.q))
print(f"{solution.status.value}: tilted by {before:.2f} rad at first, now by {after:.1e}")
assert solution.success and after < 1e-3
