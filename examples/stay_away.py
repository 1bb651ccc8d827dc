"""Costs: a pose, with the elbow and the wrist away from a point, and all joints calm."""

import numpy as np

import limbik
from limbik.solvers import Optimize

panda = limbik.load("panda")
start = panda.random(3)
target, lamp = panda.pose(start), panda.pose(start, "link4")[:3, 3] + [0.05, 0.0, 0.0]


def nearness(q, frames):
    """Grows where the elbow or the wrist come near to the lamp."""
    return sum(np.exp(-50.0 * np.sum((frames[name][:3, 3] - lamp) ** 2)) for name in ("link4", "link6"))


away = Optimize(costs=[nearness, lambda q, frames: np.sum((q - start) ** 2)], weights=[1.0, 0.01])
solution = panda.solve(target, start=start, solver=away)
before, after = (float(np.linalg.norm(panda.pose(q, "link4")[:3, 3] - lamp)) for q in (start, solution.q))
print(f"{solution.status.value}: the elbow was {before:.3f} m from the lamp, now it is {after:.3f} m")
assert solution.success and after > 2.0 * before
