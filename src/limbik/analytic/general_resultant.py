"""The resultant of the six equations of a 6R arm, a trigonometric polynomial in one joint angle, and its real
roots.

The equations are of degree 2 in x = tan(a / 2) and in y = tan(b / 2). Themselves and x times themselves are
twelve equations in the twelve products of 1, x, x^2, x^3 and 1, y, y^2 (Raghavan & Roth 1993, Sylvester's
dialytic method): they have a solution only where the determinant of

    | P0 P1 P2  0 |
    |  0 P0 P1 P2 |      P_i [6, 3]: the equations' part in x^i

is zero. It is a trigonometric polynomial of degree 12 at most, and of degree 8 for the first joint of the
window.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, compiled, empty
from limbik.numerics.householder import LANES, triangularise
from limbik.numerics.linear import dot
from limbik.numerics.lu import lu_decompose, lu_solve, lu_solve_transposed
from limbik.numerics.trigonometric_roots import MAX_DEGREE, from_samples, real_roots
from limbik.numerics.trigonometry import FULL_TURN, sincos

SURPLUS = 7  # samples more than coefficients, at least: they show the noise
MAX_SAMPLES = 32
STRETCH_SAMPLES = 16
WIDENED = 1.05  # times the length of a stretch
NOISE = 30.0  # times the largest amplitude that the resultant should not have
ROUNDING = 1e-13  # of the resultant, at least
SMALL = 1e-14  # a largest value that may be rounding; where it is not, equations are looked at
DEPENDENT = (
    1e-12  # singular value of twelve equations that have a solution; 1e-8 and more where they have none
)
INVERSE_ITERATIONS = 2


@compiled
def equations_at(E: Floats, sine: float, cosine: float, P: Floats) -> None:
    """P [6, 9]: the equations at an angle of the suppressed joint."""
    for r in range(6):
        for m in range(9):
            P[r, m] = E[0, r, m] + cosine * E[1, r, m] + sine * E[2, r, m]


@compiled(inline=False)
def determinants(E: Floats, angles: Floats, values: Floats) -> None:
    """The determinant, up to a sign that is the same for all, at angles of the suppressed joint.

    angles [rad], values [N]: N is a multiple of LANES.
    """
    G, H = empty(6, 9, LANES), empty(6, 6, LANES)
    sines, cosines, product, work = empty(LANES), empty(LANES), empty(LANES), empty(LANES)
    for first in range(0, angles.size, LANES):
        for w in range(LANES):
            sines[w], cosines[w] = sincos(angles[first + w])
            product[w] = 1.0
        for half in range(2):  # without P0, then without P2
            for r in range(6):
                for m in range(9):
                    column = m if half == 0 else (m + 6) % 9
                    for w in range(LANES):
                        G[r, m, w] = (
                            E[0, r, column] + cosines[w] * E[1, r, column] + sines[w] * E[2, r, column]
                        )
            triangularise(G, 6, 9, 3, product, work)
            for r in range(3):
                for m in range(6):
                    for w in range(LANES):
                        H[3 * half + r, m, w] = G[3 + r, 3 + m, w]
        triangularise(H, 6, 6, 6, product, work)
        for w in range(LANES):
            values[first + w] = product[w]


@compiled(inline=False)
def resultant_roots(E: Floats, degree: int, table: Floats, roots: Floats) -> tuple[int, bool]:
    """All real roots [rad], as `real_roots` writes them; returns their number, and whether it is known:
    at some poses the resultant is zero everywhere.

    table: `bernstein_table(degree)`, flat.
    """
    even, odd = empty(MAX_DEGREE + 1), empty(MAX_DEGREE + 1)
    all_angles, all_values = empty(MAX_SAMPLES), empty(MAX_SAMPLES)
    count = LANES * ((2 * degree + SURPLUS + LANES) // LANES)
    angles, values = all_angles[:count], all_values[:count]
    for k in range(count):
        angles[k] = FULL_TURN * k / count
    determinants(E, angles, values)
    best = 0
    for k in range(count):
        if abs(values[k]) > abs(values[best]):
            best = k
    is_known = abs(values[best]) > SMALL or _are_independent(E, angles[best])
    a, b = even[: degree + 1], odd[: degree + 1]
    noise = _noise(a, b, from_samples(values, a, b))
    return real_roots(a, b, table, noise, roots), is_known


@compiled(inline=False)
def _are_independent(E: Floats, angle: float) -> bool:
    """Whether the twelve equations have no solution at an angle of the suppressed joint."""
    M, order, P = empty(12, 12), empty(12), empty(6, 9)
    x, y, work = empty(12), empty(12), empty(12)
    sine, cosine = sincos(angle)
    equations_at(E, sine, cosine, P)
    twelve_equations(P, M)
    return 1.0 / null_vectors(M, order, x, y, work) > DEPENDENT


@compiled(inline=False)
def roots_in_stretch(E: Floats, first: float, last: float, table: Floats, roots: Floats) -> int:
    """The real roots in a short stretch, from samples in it alone, whose rounding is that of its own small
    values.

    With the angle = middle + half cos x, Chebyshev's polynomials in the angle are cosines of x.
    table: `bernstein_table(MAX_DEGREE)`, flat.
    """
    a, b = empty(MAX_DEGREE + 1), empty(MAX_DEGREE + 1)
    angles, values, both = empty(STRETCH_SAMPLES), empty(STRETCH_SAMPLES), empty(2 * STRETCH_SAMPLES - 2)
    middle, half = 0.5 * (first + last), 0.5 * WIDENED * (last - first)
    for k in range(STRETCH_SAMPLES):
        angles[k] = middle + half * math.cos(FULL_TURN * k / both.size)
    determinants(E, angles, values)
    for k in range(STRETCH_SAMPLES):
        both[k] = values[k]
        both[-k % both.size] = values[k]
    noise = _noise(a, b, from_samples(both, a, b))
    count = 0
    for k in range(real_roots(a, b, table, noise, roots)):
        x_first, x_last = roots[k, 0], roots[k, 1]
        if x_first > 0.5 * FULL_TURN:
            break
        x_last = min(x_last, 0.5 * FULL_TURN)
        roots[count, 0], roots[count, 1] = middle + half * math.cos(x_last), middle + half * math.cos(x_first)
        count += 1
    return count


@compiled
def _noise(a: Floats, b: Floats, surplus: float) -> float:
    """What the values may be off by."""
    total = 0.0
    for k in range(a.size):
        total += abs(a[k]) + abs(b[k])
    return NOISE * surplus + ROUNDING * total


@compiled
def twelve_equations(P: Floats, M: Floats) -> None:
    """M [12, 12] of the equations P [6, 9]."""
    for r in range(6):
        for m in range(12):
            M[r, m] = P[r, m] if m < 9 else 0.0
            M[6 + r, m] = P[r, m - 3] if m >= 3 else 0.0


@compiled
def null_vectors(M: Floats, order: Floats, x: Floats, y: Floats, work: Floats) -> float:
    """The unit vectors x and y [12] that M [12, 12], decomposed in place, brings nearest to zero from the
    right and the left, by inverse iteration; returns the inverse of its smallest singular value.
    """
    lu_decompose(M, order, 1e-18)
    for i in range(x.size):
        y[i] = 1.0 - 0.13 * i
    lu_solve(M, order, y, x)
    for _ in range(INVERSE_ITERATIONS):
        normalise(x)
        lu_solve_transposed(M, order, x, y, work)
        normalise(y)
        lu_solve(M, order, y, x)
    return normalise(x)


@compiled
def normalise(x: Floats) -> float:
    """Bring a vector to length 1; returns the length it had."""
    length = math.sqrt(dot(x, x))
    for i in range(x.size):
        x[i] /= length
    return length
