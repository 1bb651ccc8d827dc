"""The shortest step that keeps inequalities: a small quadratic program, by an active set.

Its multipliers are those that are not negative and minimise a quadratic function, which the method of Lawson
& Hanson (1974, "Solving Least Squares Problems", chapter 23) finds.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from limbik.compiler.arrays import Size, array
from limbik.compiler.kernel import Floats, Matrix, compiled
from limbik.numerics.linear import add, cholesky_solve, dot, fill

SLACK = 1e-9  # of the largest gap: an inequality that misses less is met
EXCHANGES = 3  # for each inequality, at most

n_inequalities = Size("n_inequalities")


class Multipliers(NamedTuple):
    """What the method works on, for so many inequalities or fewer."""

    values: Annotated[Floats, array(n_inequalities)]
    active: Annotated[Floats, array(n_inequalities)]  # 1 where a value is above 0
    indices: Annotated[Floats, array(n_inequalities)]  # of the active ones
    best: Annotated[Floats, array(n_inequalities)]  # values of the active ones
    right: Annotated[Floats, array(n_inequalities)]
    products: Annotated[Floats, array(n_inequalities, n_inequalities)]
    part: Annotated[Floats, array(n_inequalities, n_inequalities)]  # products of the active ones


@compiled(inline=False)
def min_norm_step(G: Matrix, h: Floats, softness: Floats, multipliers: Multipliers, x: Floats) -> None:
    """The x [n] for which |x|^2 + |s / softness^(1/2)|^2 is smallest with G x + s >= h; G [m, n].

    softness [m]: above 0.
    """
    m, products = h.size, multipliers.products
    values, active = multipliers.values[:m], multipliers.active[:m]
    largest = 0.0
    for i in range(m):
        for k in range(i, m):
            products[i, k] = products[k, i] = dot(G[i], G[k])
        products[i, i] += softness[i]
        values[i] = active[i] = 0.0
        largest = max(largest, h[i])
    for _ in range(EXCHANGES * m):
        worst = worst_violation(h, products, values, active, SLACK * largest)
        if worst < 0:
            break
        active[worst] = 1.0
        settle(h, multipliers)
    fill(0.0, x)
    for i in range(m):
        if active[i] > 0.0:
            add(values[i], G[i], x)


@compiled(inline=False)
def worst_violation(h: Floats, products: Floats, values: Floats, active: Floats, threshold: float) -> int:
    """The index of the inequality with the maximal violation; -1 where none is above the minimum."""
    worst, largest = -1, threshold
    for i in range(h.size):
        if active[i] > 0.0:
            continue
        missing = h[i]
        for k in range(h.size):
            if active[k] > 0.0:
                missing -= products[i, k] * values[k]
        if missing > largest:
            worst, largest = i, missing
    return worst


@compiled(inline=False)
def settle(h: Floats, multipliers: Multipliers) -> None:
    """Bring the active values to where they are best, without those that would become negative."""
    values, active, indices = multipliers.values, multipliers.active, multipliers.indices
    best, right, part = multipliers.best, multipliers.right, multipliers.part
    for _ in range(h.size):
        count = 0
        for i in range(h.size):
            if active[i] > 0.0:
                indices[count] = i
                right[count] = h[i]
                count += 1
        for a in range(count):
            for b in range(a, count):
                part[a, b] = multipliers.products[int(indices[a]), int(indices[b])]
        if not cholesky_solve(part, right[:count], best):
            return
        fraction, first = 1.0, -1
        for a in range(count):
            now = values[int(indices[a])]
            if best[a] <= 0.0 and now <= fraction * (now - best[a]):
                fraction, first = now / max(now - best[a], 1e-300), a
        for a in range(count):
            i = int(indices[a])
            values[i] += fraction * (best[a] - values[i])
        if first < 0:
            return
        values[int(indices[first])] = active[int(indices[first])] = 0.0
