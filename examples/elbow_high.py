"""Costs: a pose, and of all the ways to reach it the one with the elbow high.

A cost is a function of the joints q and of the frames' poses 4x4; nobody writes its derivative.
"""

import limbik
from limbik.solvers import Optimize

panda = limbik.load("panda")
start = panda.random(2)
target = panda.pose(start)


def elbow_low(q, frames):
    """How far the elbow is below the base [m]."""
    return -frames["link4"][2, 3]


solution = panda.solve(target, start=start, solver=Optimize(costs=[elbow_low]))
before, after = panda.pose(start, "link4")[2, 3], panda.pose(solution.q, "link4")[2, 3]
print(f"{solution.status.value}: the elbow was {before:.3f} m high, now it is {after:.3f} m")
assert solution.success and after > before + 0.05
