"""Wahba's problem by Davenport's q method: the rotation that suits pairs of vectors best.

It is the eigenvector of the greatest eigenvalue of a symmetric 4x4 matrix (Davenport's q method, in Wertz
1978, Spacecraft Attitude Determination and Control), found by Jacobi's rotations. `numerics.alignment` goes
uphill from a rotation nearby instead, and leaves a spin that is open as it is.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, compiled
from limbik.numerics.rotation import Quaternion, rotate

SAME = 1e-9  # of the greatest eigenvalue: another one is the same
ROUNDING = 1e-17
MAX_ROTATIONS = 8  # rounds over a 4x4 matrix; each squares what is left beside the diagonal

# Of the scratch [41], by index: a 3x3 matrix B, Davenport's matrix K, its eigenvectors.
B_MATRIX = 0
K_MATRIX = 9
VECTOR_MATRIX = 25


@compiled
def gain(scratch: Floats, turn: Quaternion) -> float:
    """The scalar product of B and the rotation."""
    total = 0.0
    for column in range(3):
        x, y, z = rotate(
            turn, 1.0 if column == 0 else 0.0, 1.0 if column == 1 else 0.0, 1.0 if column == 2 else 0.0
        )
        total += scratch[column] * x + scratch[3 + column] * y + scratch[6 + column] * z
    return total


@compiled(inline=False)
def best_rotation(scratch: Floats) -> Quaternion:
    """The unit quaternion whose rotation has the greatest scalar product with B; of several, the smallest
    turn.
    """
    fill_davenport(scratch)
    for row in range(16):
        scratch[VECTOR_MATRIX + row] = 1.0 if row % 5 == 0 else 0.0
    for _ in range(MAX_ROTATIONS):
        for p in range(3):
            for r in range(p + 1, 4):
                annihilate(scratch, p, r)
    greatest = smallest = scratch[K_MATRIX]
    first = 0
    for i in range(1, 4):
        value = scratch[K_MATRIX + 5 * i]
        smallest = min(smallest, value)
        if value > greatest:
            greatest, first = value, i
    # The eigenvectors of the greatest value span what is best: the part of no turn (0, 0, 0, 1) in it.
    x = y = z = w = 0.0
    for i in range(4):
        if scratch[K_MATRIX + 5 * i] >= greatest - SAME * (greatest - smallest):
            v = VECTOR_MATRIX + i
            part = scratch[v + 12]
            x, y, z, w = (
                x + part * scratch[v],
                y + part * scratch[v + 4],
                z + part * scratch[v + 8],
                w + part * part,
            )
    if not w > SAME:
        v = VECTOR_MATRIX + first
        x, y, z, w = scratch[v], scratch[v + 4], scratch[v + 8], scratch[v + 12]
    scale = 1.0 / math.sqrt(x * x + y * y + z * z + w * w)
    return scale * x, scale * y, scale * z, scale * w


@compiled
def fill_davenport(scratch: Floats) -> None:
    """K [4, 4], for which q^T K q is the scalar product of B and the rotation of a unit quaternion xyzw."""
    trace = scratch[0] + scratch[4] + scratch[8]
    for i in range(3):
        for k in range(3):
            scratch[K_MATRIX + 4 * i + k] = (
                scratch[3 * i + k] + scratch[3 * k + i] - (trace if i == k else 0.0)
            )
        m, n = (i + 1) % 3, (i + 2) % 3
        scratch[K_MATRIX + 4 * i + 3] = scratch[K_MATRIX + 12 + i] = scratch[3 * n + m] - scratch[3 * m + n]
    scratch[K_MATRIX + 15] = trace


@compiled
def annihilate(scratch: Floats, p: int, r: int) -> None:
    """One rotation of Jacobi's method for eigenvalues (1846): the entries (p, r) and (r, p) of K become 0."""
    beside = scratch[K_MATRIX + 4 * p + r]
    if abs(beside) <= ROUNDING * (abs(scratch[K_MATRIX + 5 * p]) + abs(scratch[K_MATRIX + 5 * r])):
        return
    apart = scratch[K_MATRIX + 5 * r] - scratch[K_MATRIX + 5 * p]
    twice = 2.0 * beside if apart >= 0.0 else -2.0 * beside
    t = twice / (abs(apart) + math.sqrt(apart * apart + twice * twice))
    c = 1.0 / math.sqrt(t * t + 1.0)
    s = t * c
    for i in range(4):
        a, b = scratch[K_MATRIX + 4 * i + p], scratch[K_MATRIX + 4 * i + r]
        scratch[K_MATRIX + 4 * i + p], scratch[K_MATRIX + 4 * i + r] = c * a - s * b, s * a + c * b
    for i in range(4):
        a, b = scratch[K_MATRIX + 4 * p + i], scratch[K_MATRIX + 4 * r + i]
        scratch[K_MATRIX + 4 * p + i], scratch[K_MATRIX + 4 * r + i] = c * a - s * b, s * a + c * b
        a, b = scratch[VECTOR_MATRIX + 4 * i + p], scratch[VECTOR_MATRIX + 4 * i + r]
        scratch[VECTOR_MATRIX + 4 * i + p], scratch[VECTOR_MATRIX + 4 * i + r] = c * a - s * b, s * a + c * b
