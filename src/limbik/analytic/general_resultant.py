"""The two unknown joints eliminated from the six equations: a trigonometric polynomial in the suppressed one.

The equations are of degree 2 in x = tan(a / 2) and in y = tan(b / 2). Themselves and x times themselves are
twelve equations in the twelve products of 1, x, x^2, x^3 and 1, y, y^2 (Raghavan & Roth 1993, Sylvester's
dialytic method): they have a solution only where the determinant of

    | P0 P1 P2  0 |
    |  0 P0 P1 P2 |      P_i [6, 3]: the equations' part in x^i

is zero. It is a trigonometric polynomial of degree 12 at most, and of degree 8 for the first joint of the window.
"""

from __future__ import annotations

from limbik.compiler.kernel import Floats, compiled, empty
from limbik.numerics.householder import LANES, triangularise
from limbik.numerics.trigonometric_roots import from_samples
from limbik.numerics.trigonometry import FULL_TURN, sincos

SURPLUS = 7  # samples more than coefficients, at least: they show the noise


@compiled
def sample_count(degree: int) -> int:
    """How many angles the determinant is computed at: whole blocks of lanes."""
    return LANES * ((2 * degree + SURPLUS + LANES) // LANES)


@compiled
def equations_at(E: Floats, sine: float, cosine: float, P: Floats) -> None:
    """P [6, 9]: the equations at an angle of the suppressed joint."""
    for r in range(6):
        for m in range(9):
            P[r, m] = E[0, r, m] + cosine * E[1, r, m] + sine * E[2, r, m]


@compiled(inline=False)
def resultant(E: Floats, samples: Floats, a: Floats, b: Floats) -> float:
    """The determinant's coefficients a, b [degree + 1]; returns their noise.

    samples [sample_count(degree)]: work.
    """
    G, H = empty(6, 9, LANES), empty(6, 6, LANES)
    sines, cosines, product, work = empty(LANES), empty(LANES), empty(LANES), empty(LANES)
    count = samples.size
    for first in range(0, count, LANES):
        for w in range(LANES):
            sines[w], cosines[w] = sincos(FULL_TURN * (first + w) / count)
            product[w] = 1.0
        for half in range(2):  # without P0, then without P2
            for r in range(6):
                for m in range(9):
                    column = m if half == 0 else (m + 6) % 9
                    for w in range(LANES):
                        G[r, m, w] = E[0, r, column] + cosines[w] * E[1, r, column] + sines[w] * E[2, r, column]
            triangularise(G, 6, 9, 3, product, work)
            for r in range(3):
                for m in range(6):
                    for w in range(LANES):
                        H[3 * half + r, m, w] = G[3 + r, 3 + m, w]
        triangularise(H, 6, 6, 6, product, work)
        for w in range(LANES):
            samples[first + w] = product[w]
    return from_samples(samples, a, b)


@compiled
def twelve_equations(P: Floats, M: Floats) -> None:
    """M [12, 12] of the equations P [6, 9]."""
    for r in range(6):
        for m in range(12):
            M[r, m] = P[r, m] if m < 9 else 0.0
            M[6 + r, m] = P[r, m - 3] if m >= 3 else 0.0
