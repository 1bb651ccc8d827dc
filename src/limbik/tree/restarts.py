"""Start configurations of restarts on a tree."""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, compiled
from limbik.numerics.random_numbers import uniform
from limbik.numerics.rotation import exponential, product
from limbik.tree.joints import PRISMATIC, SPHERICAL, set_spherical
from limbik.tree.settings import LENGTH, RANDOM, USE_LIMITS
from limbik.tree.workspace import Tree

FRACTIONS = (1.0, 0.3, 0.6)  # of the change to a random configuration, for one new start after the other
MAX_AT_LAST = 500  # iterations to settle the best of all descents for good


@compiled(inline=False)
def begin_elsewhere(tree: Tree, settings: Floats, start: Floats, fraction: float, q: Floats) -> None:
    """A random configuration within the limits, a fraction of the change from the start to a random one; what
    is locked stays.
    """
    for j in range(tree.movers.size - 1):
        mover = tree.movers[j]
        i = mover.q
        if tree.units[mover.v] == 0.0:
            continue
        if mover.kind == SPHERICAL:
            turn = exponential(*random_turn(settings, fraction * math.pi))
            set_spherical(mover, product((start[i], start[i + 1], start[i + 2], start[i + 3]), turn),
                     settings[USE_LIMITS] > 0.0, q)  # fmt: skip
            continue
        half = settings[LENGTH] if mover.kind == PRISMATIC else math.pi
        lower, upper = mover.lower, mover.upper
        if lower == -math.inf:
            lower = start[i] - half
        if upper == math.inf:
            upper = start[i] + half
        q[i] = start[i] + fraction * (lower + (upper - lower) * uniform(settings, RANDOM) - start[i])


@compiled
def random_turn(settings: Floats, longest: float) -> tuple[float, float, float]:
    """A rotation vector [rad] in a random direction, by up to an angle."""
    x, y, z = normal(settings), normal(settings), normal(settings)
    scale = longest * uniform(settings, RANDOM) / math.sqrt(x * x + y * y + z * z + 1e-12)
    return scale * x, scale * y, scale * z


@compiled
def normal(settings: Floats) -> float:
    """About normally distributed: a sum of uniform numbers."""
    total = -3.0
    for _ in range(6):
        total += uniform(settings, RANDOM)
    return total
