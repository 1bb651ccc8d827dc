"""Real roots of a trigonometric polynomial.

    f(x) = a_0 + sum over k = 1 .. n of a_k cos(k x) + b_k sin(k x)

On an arc of the circle f is, up to a positive factor, a polynomial of degree 2 n in the tangent of half the
angle from the arc's middle. Its Bernstein coefficients enclose it and count its roots: none where they have
one sign, exactly one where they change it once (Descartes' rule). Else the arc is halved (Lane & Riesenfeld
1981; on the circle: Alfeld, Neamtu & Schumaker 1995). The count is of the polynomial itself, so no root can
be missed; the enclosure follows the size of f from arc to arc, so shallow stretches are no harder than
others.

What is nearer to zero than the noise of the coefficients cannot be told from a root. Such stretches, where
roots (nearly) coincide, are answered too, with both their ends.
"""

from __future__ import annotations

import math

import numpy as np

from limbik.compiler.kernel import Floats, compiled, empty
from limbik.numerics.trigonometry import FULL_TURN, sincos
from limbik.spatial import Array

ARCS = 8
ARC = FULL_TURN / ARCS  # [rad]
TANGENT = math.tan(0.25 * ARC)  # of half the angle from an arc's middle to its end
MAX_DEGREE = 12
MAX_COEFFICIENTS = 2 * MAX_DEGREE + 1
DEPTH = 24  # halvings of an arc, at most: 5e-8 rad
NARROW = 3.0 * 0.5**DEPTH  # of an arc's 2, which that many halvings are below
MAX_PARTS = 400  # arcs halved, at most; those left then count as stretches below the noise
NEWTON_STEPS = 60  # of bisection where Newton's are not better


def bernstein_table(degree: int) -> Array:
    """[2 n + 1, 2 n + 1]: the Bernstein coefficients on an arc, of the middle's 1, cos x .. cos n x,
    sin x .. sin n x.

    With z = exp(i x / 2), exp(i k x) is z^(n + k) conj(z)^(n - k). Its polar form at 2 n - i copies of the
    arc's first end and i of its last is the mean over all assignments to deal them out.
    """
    n, half = degree, 0.25 * ARC
    table = np.zeros((2 * n + 1, 2 * n + 1))
    for i in range(2 * n + 1):
        for k in range(n + 1):
            value = 0.0 + 0.0j
            for j in range(max(0, i - (n - k)), min(i, n + k) + 1):  # last ends among the n + k factors z
                coefficient = math.comb(n + k, j) * math.comb(n - k, i - j) / math.comb(2 * n, i)
                phase = half * ((2 * j - (n + k)) - (2 * (i - j) - (n - k)))
                value += coefficient * complex(math.cos(phase), math.sin(phase))
            table[i, k] = value.real
            if k:
                table[i, n + k] = value.imag
    return np.asarray(table)


@compiled
def evaluate(a: Floats, b: Floats, x: float) -> tuple[float, float]:
    """(f, f') at an angle [rad]; a and b [n + 1], b[0] is not read."""
    sine, cosine = sincos(x)
    s, c = 0.0, 1.0
    value, slope = a[0], 0.0
    for k in range(1, a.size):
        c, s = c * cosine - s * sine, s * cosine + c * sine
        value += a[k] * c + b[k] * s
        slope += k * (b[k] * c - a[k] * s)
    return value, slope


@compiled(inline=False)
def real_roots(a: Floats, b: Floats, table: Floats, noise: float, roots: Floats) -> int:
    """The real roots in [0, 2 pi] [rad], in ascending order; returns their number.

    a, b [n + 1], n up to MAX_DEGREE; b[0] is not read. table: of `bernstein_table(n)`, flat. noise: values
    of f below it count as zero. roots [any, 2]: as many as it holds are written, twice each; or first and
    last of a stretch where f is below the noise.
    """
    size = 2 * a.size - 1
    parts = empty(DEPTH + 2, MAX_COEFFICIENTS)
    begins, widths = empty(DEPTH + 2), empty(DEPTH + 2)
    count, looked_at = 0, 0
    stretch_begin, stretch_end = 1.0, 0.0  # none
    for arc in range(ARCS):
        middle = (arc + 0.5) * ARC
        _on_arc(a, b, middle, table, parts[0])
        begins[0], widths[0], top = -1.0, 2.0, 0
        while top >= 0:
            looked_at += 1
            begin, width, part = begins[top], widths[top], parts[top]
            low, high, changes = _enclosed(part, size)
            if low > noise or high < -noise:
                top -= 1
                continue
            first = middle + 2.0 * math.atan(TANGENT * begin)
            last = middle + 2.0 * math.atan(TANGENT * (begin + width))
            is_one = changes == 1 and abs(part[0]) > noise and abs(part[size - 1]) > noise
            is_hidden = width < NARROW or looked_at > MAX_PARTS or max(high, -low) <= noise
            is_stretch = is_hidden and not is_one
            if (is_one or is_stretch) and stretch_begin <= stretch_end < first - 1e-12:
                count = _note(stretch_begin, stretch_end, roots, count)
                stretch_begin, stretch_end = 1.0, 0.0
            if is_one:
                root = _refined(a, b, first, last, part[0] > 0.0)
                count = _note(root, root, roots, count)
                top -= 1
            elif is_stretch:
                stretch_begin = min(stretch_begin, first) if stretch_begin <= stretch_end else first
                stretch_end = last
                top -= 1
            else:
                _halve(part, parts[top + 1], size)
                begins[top + 1], widths[top + 1] = begin, 0.5 * width
                begins[top], widths[top] = begin + 0.5 * width, 0.5 * width
                top += 1
    if stretch_begin <= stretch_end:
        count = _note(stretch_begin, stretch_end, roots, count)
    return count


@compiled
def _on_arc(a: Floats, b: Floats, middle: float, table: Floats, to: Floats) -> None:
    """The Bernstein coefficients on the arc around an angle [rad]."""
    n = a.size - 1
    size = 2 * n + 1
    turned = empty(MAX_COEFFICIENTS)
    sine, cosine = sincos(middle)
    s, c = 0.0, 1.0
    turned[0] = a[0]
    for k in range(1, n + 1):
        c, s = c * cosine - s * sine, s * cosine + c * sine
        turned[k] = a[k] * c + b[k] * s
        turned[n + k] = b[k] * c - a[k] * s
    for i in range(size):
        total = 0.0
        for k in range(size):
            total += table[size * i + k] * turned[k]
        to[i] = total


@compiled
def _enclosed(part: Floats, size: int) -> tuple[float, float, int]:
    """(smallest, largest, changes of sign) of the coefficients."""
    low, high, changes = part[0], part[0], 0
    for i in range(1, size):
        low, high = min(low, part[i]), max(high, part[i])
        if (part[i] > 0.0) != (part[i - 1] > 0.0):
            changes += 1
    return low, high, changes


@compiled
def _halve(part: Floats, left: Floats, size: int) -> None:
    """De Casteljau's algorithm at the middle: `part` becomes its right half."""
    for j in range(size):
        left[j] = part[0]
        for i in range(size - 1 - j):
            part[i] = 0.5 * (part[i] + part[i + 1])


@compiled
def _refined(a: Floats, b: Floats, first: float, last: float, begins_above: bool) -> float:
    """The one root between two angles [rad], by Newton's method within the bounds of bisection."""
    x = 0.5 * (first + last)
    for _ in range(NEWTON_STEPS):
        value, slope = evaluate(a, b, x)
        if value == 0.0:
            break
        if (value > 0.0) == begins_above:
            first = x
        else:
            last = x
        to = x - value / slope if slope != 0.0 else first
        if not first < to < last:
            to = 0.5 * (first + last)
        moved = abs(to - x)
        x = to
        if moved < 1e-15:
            break
    return x


@compiled
def _note(first: float, last: float, roots: Floats, count: int) -> int:
    if count < roots.shape[0]:
        roots[count, 0], roots[count, 1] = first, last
        count += 1
    return count


@compiled
def from_samples(values: Floats, a: Floats, b: Floats) -> float:
    """The coefficients a, b [n + 1] of values at x = 2 pi s / S, S > 2 n of them.

    Returns the largest amplitude of a higher order than n, which f does not have: the noise of the values.
    """
    count = values.size
    noise = 0.0
    for k in range(count // 2 + 1):
        sine, cosine = sincos(FULL_TURN * k / count)
        s, c = 0.0, 1.0
        even, odd = 0.0, 0.0
        for i in range(count):
            even += values[i] * c
            odd += values[i] * s
            c, s = c * cosine - s * sine, s * cosine + c * sine
        scale = 1.0 / count if k == 0 or 2 * k == count else 2.0 / count
        if k < a.size:
            a[k], b[k] = scale * even, scale * odd
        else:
            noise = max(noise, scale * (abs(even) + abs(odd)))
    return noise
