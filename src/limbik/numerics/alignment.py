"""Aligns pairs of points: their weighted sums, and the best rotation between them.

The pairs of one body that are to be brought together by one motion of it need not be stored: weight, weighted
sums of both points and of their products say all. A direction that is wanted along another one is a pair
whose points are far away: it has products only.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, compiled
from limbik.numerics.rotation import Quaternion, Vector, product, rotate

# Sums of pairs, by index.
WEIGHT = 0
NOW = 1  # weighted sum of the points as they are [m]
WANTED = 4  # and as they are wanted
PRODUCTS = 7  # sum of weight * wanted now^T, row by row
PAIRS_SIZE = 16

MAX_ROTATIONS = 6  # toward the best rotation
SMALL = 1e-14  # of what could be gained: no turn is worth it


@compiled(inline=False)
def add_pair(sums: Floats, weight: float, now: Vector, wanted: Vector) -> None:
    """A point that is to come to another one."""
    sums[WEIGHT] += weight
    add_scaled(sums[NOW:WANTED], weight, now)
    add_scaled(sums[WANTED:PRODUCTS], weight, wanted)
    add_direction(sums, weight, now, wanted)


@compiled(inline=False)
def add_direction(sums: Floats, weight: float, now: Vector, wanted: Vector) -> None:
    """A direction that is to come along another one."""
    add_products(sums[PRODUCTS:PAIRS_SIZE], weight, now, wanted)


@compiled(inline=False)
def add_products(matrix: Floats, weight: float, now: Vector, wanted: Vector) -> None:
    """Add weight * wanted now^T to a matrix [9], row by row."""
    x, y, z = wanted
    add_scaled(matrix[0:3], weight * x, now)
    add_scaled(matrix[3:6], weight * y, now)
    add_scaled(matrix[6:9], weight * z, now)


@compiled(inline=False)
def add_scaled(numbers: Floats, scale: float, vector: Vector) -> None:
    """Add a multiple of a vector to three numbers."""
    x, y, z = vector
    numbers[0] += scale * x
    numbers[1] += scale * y
    numbers[2] += scale * z


@compiled
def add_pairs(sums: Floats, others: Floats, weight: float) -> None:
    """Add other sums, weighted."""
    for i in range(PAIRS_SIZE):
        sums[i] += weight * others[i]


@compiled(inline=False)
def products_about(sums: Floats, now: Vector, wanted: Vector, matrix: Floats) -> None:
    """The sum of weight * (wanted - center wanted) (now - center now)^T, row by row into a matrix [9].

    now, wanted: the two centers [m].
    """
    for i in range(9):
        matrix[i] = sums[PRODUCTS + i]
    x, y, z = wanted
    weight = sums[WEIGHT]
    far = (sums[NOW], sums[NOW + 1], sums[NOW + 2])
    rest = (sums[WANTED] - weight * x, sums[WANTED + 1] - weight * y, sums[WANTED + 2] - weight * z)
    add_products(matrix, -1.0, far, wanted)
    add_products(matrix, -1.0, now, rest)


@compiled(inline=False)
def seen_from(A: Floats, matrix: Floats, B: Floats, out: Floats) -> None:
    """Products as two frames see them: A^T M B of matrices [9], into out [9], which overlaps none of them."""
    for i in range(3):
        x, y, z = column_times(A, i, matrix)
        for k in range(3):
            out[3 * i + k] = x * B[k] + y * B[3 + k] + z * B[6 + k]


@compiled(inline=False)
def seen_about_z(A: Floats, matrix: Floats, B: Floats) -> tuple[float, float, float, float]:
    """Numbers 0, 1, 3 and 4 of what `seen_from` makes, which a turn about z depends on."""
    x, y, z = column_times(A, 0, matrix)
    xx, xy = x * B[0] + y * B[3] + z * B[6], x * B[1] + y * B[4] + z * B[7]
    x, y, z = column_times(A, 1, matrix)
    return xx, xy, x * B[0] + y * B[3] + z * B[6], x * B[1] + y * B[4] + z * B[7]


@compiled(inline=True)
def column_times(A: Floats, i: int, matrix: Floats) -> Vector:
    """Column i of a matrix [9] times another one."""
    return (
        A[i] * matrix[0] + A[3 + i] * matrix[3] + A[6 + i] * matrix[6],
        A[i] * matrix[1] + A[3 + i] * matrix[4] + A[6 + i] * matrix[7],
        A[i] * matrix[2] + A[3 + i] * matrix[5] + A[6 + i] * matrix[8],
    )


@compiled(inline=False)
def best_rotation_from(turn: Quaternion, matrix: Floats, smallest: float) -> Quaternion:
    """The rotation near `turn` whose scalar product with a matrix [9] is greatest (Wahba's problem).

    By rotations about the axis of maximal gain, each as far as it gains: of one pair this is the
    smallest turn, at once, and where pairs leave a spin open, it stays as it is. smallest: what counts as no
    gain.
    """
    for _ in range(MAX_ROTATIONS):
        # The matrix as the turned frame sees it, by rows: its trace is what the turn gains.
        xx, xy, xz = rotate(turn, matrix[0], matrix[1], matrix[2])
        yx, yy, yz = rotate(turn, matrix[3], matrix[4], matrix[5])
        zx, zy, zz = rotate(turn, matrix[6], matrix[7], matrix[8])
        along = xx + yy + zz
        ax, ay, az = zy - yz, xz - zx, yx - xy
        slope = math.sqrt(ax * ax + ay * ay + az * az)
        if max(slope, abs(along)) <= smallest:
            break
        if slope > SMALL * abs(along):
            ax, ay, az = ax / slope, ay / slope, az / slope
        elif along < 0.0:  # half a turn from the best, or nearly: any axis leads away
            ax, ay, az = steepest_axis(xx, yy, zz)
        else:
            break
        still = ax * (xx * ax + xy * ay + xz * az)
        still += ay * (yx * ax + yy * ay + yz * az)
        still += az * (zx * ax + zy * ay + zz * az)
        turn = product(turn_about_axis(ax, ay, az, slope, along - still), turn)
    return turn


@compiled
def turn_about_axis(ax: float, ay: float, az: float, sine: float, cosine: float) -> Quaternion:
    """The turn about a unit axis by the angle in [0, pi] that has this ratio of sine and cosine.

    Without trigonometry: the tangent of half an angle is sine / (1 + cosine), and (1 - cosine) / sine.
    """
    length = math.sqrt(sine * sine + cosine * cosine)
    if cosine >= 0.0:
        sine, cosine = sine, length + cosine
    else:
        sine, cosine = length - cosine, sine
    scale = 1.0 / math.sqrt(sine * sine + cosine * cosine)
    return scale * sine * ax, scale * sine * ay, scale * sine * az, scale * cosine


@compiled(inline=False)
def turned_axis(turn: Quaternion, k: int) -> Vector:
    """A column of a rotation."""
    return rotate(turn, 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)


@compiled
def steepest_axis(x: float, y: float, z: float) -> Vector:
    """The axis about which half a turn has the largest gain, by what each gains along itself."""
    if x >= y and x >= z:
        return 1.0, 0.0, 0.0
    return (0.0, 1.0, 0.0) if y >= z else (0.0, 0.0, 1.0)
