"""Two joint angles of a 6R arm from a root of the resultant, by the null vector of its matrix."""

from __future__ import annotations

import math

from limbik.analytic.general_resultant import equations_at, normalise, null_vectors, twelve_equations
from limbik.compiler.kernel import Floats, compiled, empty
from limbik.numerics.linear import dot
from limbik.numerics.lu import lu_decompose, lu_solve
from limbik.numerics.trigonometric_roots import from_samples, real_roots
from limbik.numerics.trigonometry import FULL_TURN, angle_of, sincos

REFINEMENTS = 3  # of the suppressed angle
FAR = 0.1  # [rad] that a refinement may move it by
STILL = 1e-7  # [rad] below which it need not be refined
UNEVEN = 1e-4  # how far a null vector may be from one of a single solution
NEGLIGIBLE = 1e-3  # part of the equations that may be left over
MAX_PAIRS = 12
CUBIC = 3  # degree of three equations' determinant
CUBIC_SAMPLES = 8


@compiled(inline=False)
def unknown_angles(E: Floats, angle: float, small_table: Floats, pairs: Floats) -> tuple[float, int]:
    """(the suppressed angle, refined; the number of pairs) of the unknown angles that go with a root.

    pairs [MAX_PAIRS, 2]. A null vector of the twelve equations is that of one solution, or a mixture of
    several with the same angle; those are found by `shared_pairs`.
    """
    M, order, P = empty(12, 12), empty(12), empty(6, 9)
    x, y, z, work = empty(12), empty(12), empty(12), empty(12)
    refined = angle
    for _ in range(REFINEMENTS):
        sine, cosine = sincos(refined)
        equations_at(E, sine, cosine, P)
        twelve_equations(P, M)
        size = null_vectors(M, order, x, y, work)
        # Newton's step: y M x / (y M' x), with M x = y / size.
        equations_at(E, cosine, -sine, P)
        for r in range(6):
            for m in range(9):
                P[r, m] -= E[0, r, m]
        twelve_equations(P, M)
        for i in range(12):
            z[i] = dot(M[i], x)
        slope = dot(y, z)
        turn = -1.0 / (size * slope) if abs(size * slope) > 1.0 / FAR else 0.0
        if abs(refined + turn - angle) > FAR:
            break
        refined += turn
        if abs(turn) < STILL:
            break
    if _from_null_vector(x, pairs[0]) < UNEVEN:
        return refined, 1
    return angle, shared_pairs(E, angle, small_table, pairs)


@compiled
def _from_null_vector(x: Floats, pair: Floats) -> float:
    """The angles of (C^3, C C S, C S S, S^3) times (c c, c s, s s); returns how far the vector is from such a
    product.
    """
    sum_a, sum_b = 0.0, 0.0
    difference_a, difference_b = 0.0, 0.0
    for i in range(12):
        if i < 9:
            sum_a += 2.0 * x[i] * x[i + 3]
            difference_a += x[i] * x[i] - x[i + 3] * x[i + 3]
        if i % 3 < 2:
            sum_b += 2.0 * x[i] * x[i + 1]
            difference_b += x[i] * x[i] - x[i + 1] * x[i + 1]
    pair[0], pair[1] = angle_of(sum_a, difference_a), angle_of(sum_b, difference_b)
    sine_a, cosine_a = sincos(0.5 * pair[0])
    sine_b, cosine_b = sincos(0.5 * pair[1])
    along, square, a = 0.0, 0.0, cosine_a * cosine_a * cosine_a
    for i in range(4):
        if i == 1:
            a = cosine_a * cosine_a * sine_a
        elif i == 2:
            a = cosine_a * sine_a * sine_a
        elif i == 3:
            a = sine_a * sine_a * sine_a
        for j in range(3):
            b = (cosine_b if j < 2 else sine_b) * (cosine_b if j < 1 else sine_b)
            along += a * b * x[3 * i + j]
            square += a * a * b * b
    return 1.0 - along * along / square


@compiled(inline=False)
def shared_pairs(E: Floats, angle: float, small_table: Floats, pairs: Floats) -> int:
    """All pairs of the unknown angles at an angle of the suppressed joint; returns their number.

    The six equations in (c c, c s, s s) of the second have a solution only where three combinations of them
    have the determinant 0, which is a trigonometric polynomial of degree 3 in the first.
    """
    P, Q, T = empty(6, 9), empty(6, 3), empty(3, 3)
    samples, a, b = empty(CUBIC_SAMPLES), empty(CUBIC + 1), empty(CUBIC + 1)
    roots = empty(MAX_PAIRS, 2)
    x, y = empty(3), empty(3)
    sine, cosine = sincos(angle)
    equations_at(E, sine, cosine, P)
    size = 0.0
    for r in range(6):
        for m in range(9):
            size += P[r, m] * P[r, m]
    for s in range(CUBIC_SAMPLES):
        _second_equations(P, FULL_TURN * s / CUBIC_SAMPLES, Q)
        for m in range(3):  # any combination, but none that the equations' own structure singles out
            x[m] = Q[0, m] + 0.731 * Q[3, m] - 0.417 * Q[4, m] + 0.219 * Q[5, m]
            y[m] = Q[1, m] - 0.318 * Q[3, m] + 0.877 * Q[4, m] + 0.543 * Q[5, m]
            T[0, m] = Q[2, m] + 0.577 * Q[3, m] + 0.286 * Q[4, m] - 0.921 * Q[5, m]
        samples[s] = (
            T[0, 0] * (x[1] * y[2] - x[2] * y[1])
            + T[0, 1] * (x[2] * y[0] - x[0] * y[2])
            + T[0, 2] * (x[0] * y[1] - x[1] * y[0])
        )
    from_samples(samples, a, b)
    largest = abs(a[0])
    for k in range(1, CUBIC + 1):
        largest += abs(a[k]) + abs(b[k])
    count = 0
    for k in range(real_roots(a, b, small_table, 1e-9 * largest, roots)):
        first = 0.5 * (roots[k, 0] + roots[k, 1])
        _second_equations(P, first, Q)
        count = _second_angles(Q, first, NEGLIGIBLE * NEGLIGIBLE * size, pairs, count)
    return count


@compiled(inline=False)
def _second_angles(Q: Floats, first: float, threshold: float, pairs: Floats, count: int) -> int:
    """Note the second angles that solve the equations Q [6, 3] in (c c, c s, s s), up to `threshold` of the
    squared error. One, of the null vector; two, of a quadratic equation, where the equations are all
    multiples of one.
    """
    T, U, order, x, y = empty(3, 3), empty(3, 3), empty(3), empty(3), empty(3)
    trace = 0.0
    for i in range(3):
        for j in range(3):
            T[i, j] = 0.0
            for r in range(6):
                T[i, j] += Q[r, i] * Q[r, j]
            U[i, j] = T[i, j]
        trace += T[i, i]
        x[i], y[i] = 1.0 + 0.3 * i, 1.0 - 0.4 * i
    lu_decompose(U, order, 1e-17 * trace + 1e-300)
    for _ in range(4):
        for i in range(3):
            y[i] = x[i]
        lu_solve(U, order, y, x)
        normalise(x)
    error = 0.0
    for i in range(3):
        error += x[i] * dot(T[i], x)
    if error > threshold:
        return count
    if abs(x[0] * x[2] - x[1] * x[1]) < UNEVEN * dot(x, x):
        return _note_pair(
            first, angle_of(2.0 * x[1] * (x[0] + x[2]), (x[0] - x[2]) * (x[0] + x[2])), pairs, count
        )
    for i in range(3):
        y[i] = T[i, 0] + 0.9 * T[i, 1] + 0.7 * T[i, 2]
    along, turned = 0.5 * (y[0] - y[2]), 0.5 * y[1]
    length = math.sqrt(along * along + turned * turned)
    ratio = -0.5 * (y[0] + y[2]) / max(length, 1e-300)
    if abs(ratio) > 1.0 + NEGLIGIBLE:
        return count
    ratio = min(max(ratio, -1.0), 1.0)
    middle, apart = angle_of(turned, along), angle_of(math.sqrt(1.0 - ratio * ratio), ratio)
    count = _note_pair(first, middle + apart, pairs, count)
    return _note_pair(first, middle - apart, pairs, count)


@compiled
def _note_pair(first: float, second: float, pairs: Floats, count: int) -> int:
    if count < MAX_PAIRS:
        pairs[count, 0], pairs[count, 1] = first, second
        count += 1
    return count


@compiled
def _second_equations(P: Floats, angle: float, Q: Floats) -> None:
    """Q [6, 3]: the equations in the second joint at an angle of the first."""
    s, c = sincos(0.5 * angle)
    for r in range(6):
        for m in range(3):
            Q[r, m] = c * c * P[r, m] + c * s * P[r, 3 + m] + s * s * P[r, 6 + m]
