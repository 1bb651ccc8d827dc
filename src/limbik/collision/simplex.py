"""The point of a simplex that is nearest to the origin.

Every part is tried that may hold it, and the nearest point found wins: a point of the simplex is found also
where it is flat, which a search by regions alone does not promise.
"""

from __future__ import annotations

import math

from limbik.collision.support import POINT_SIZE
from limbik.compiler.kernel import Floats, compiled
from limbik.numerics.rotation import Vector

WEIGHT = POINT_SIZE  # of a corner in the nearest point: the column after the point
FLAT = 1e-14  # of a volume, relative to that of the edges


@compiled
def reduce_simplex(S: Floats, count: int) -> int:
    """Keep the corners among S[:count] that the point nearest to the origin is made of, with their weights.

    Returns how many; 4 means that the origin is inside.
    """
    for i in range(4):
        S[i, WEIGHT] = 0.0
    if count == 1:
        S[0, WEIGHT] = 1.0
        return 1
    if count == 2:
        _, first, second = on_segment(S, 0, 1)
        S[0, WEIGHT], S[1, WEIGHT] = first, second
    elif count == 3:
        _, first, second, third = on_triangle(S, 0, 1, 2)
        S[0, WEIGHT], S[1, WEIGHT], S[2, WEIGHT] = first, second, third
    else:
        nearest = math.inf
        for opposite in range(4):
            i, j, k = (opposite + 1) % 4, (opposite + 2) % 4, (opposite + 3) % 4
            if is_behind(S, i, j, k, opposite):
                continue
            squared, first, second, third = on_triangle(S, i, j, k)
            if squared < nearest:
                nearest = squared
                S[opposite, WEIGHT] = 0.0
                S[i, WEIGHT], S[j, WEIGHT], S[k, WEIGHT] = first, second, third
        if nearest == math.inf:
            return 4
    remaining = 0
    for i in range(count):
        if S[i, WEIGHT] > 0.0:
            if remaining < i:
                for c in range(POINT_SIZE + 1):
                    S[remaining, c] = S[i, c]
            remaining += 1
    return remaining


@compiled
def combination(S: Floats, count: int, column: int) -> Vector:
    """The weighted sum of three columns of the corners."""
    x, y, z = 0.0, 0.0, 0.0
    for i in range(count):
        x += S[i, WEIGHT] * S[i, column]
        y += S[i, WEIGHT] * S[i, column + 1]
        z += S[i, WEIGHT] * S[i, column + 2]
    return x, y, z


@compiled
def is_behind(S: Floats, i: int, j: int, k: int, opposite: int) -> bool:
    """Whether the origin and the opposite corner are on one side of a face, for certain."""
    ux, uy, uz = S[j, 0] - S[i, 0], S[j, 1] - S[i, 1], S[j, 2] - S[i, 2]
    vx, vy, vz = S[k, 0] - S[i, 0], S[k, 1] - S[i, 1], S[k, 2] - S[i, 2]
    px, py, pz = S[opposite, 0] - S[i, 0], S[opposite, 1] - S[i, 1], S[opposite, 2] - S[i, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    side = nx * px + ny * py + nz * pz
    origin = -(nx * S[i, 0] + ny * S[i, 1] + nz * S[i, 2])
    u2, v2, p2 = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, px * px + py * py + pz * pz
    threshold = FLAT * math.sqrt(u2 * v2 * p2)
    return bool((side > threshold and origin > 0.0) or (side < -threshold and origin < 0.0))


@compiled
def on_segment(S: Floats, i: int, j: int) -> tuple[float, float, float]:
    """The squared distance of a segment from the origin, and the weights of its ends in the nearest point."""
    x, y, z = S[i, 0], S[i, 1], S[i, 2]
    ux, uy, uz = S[j, 0] - x, S[j, 1] - y, S[j, 2] - z
    length = ux * ux + uy * uy + uz * uz
    fraction = -(x * ux + y * uy + z * uz)
    if fraction <= 0.0 or length <= 0.0:
        return x * x + y * y + z * z, 1.0, 0.0
    if fraction >= length:
        x, y, z = S[j, 0], S[j, 1], S[j, 2]
        return x * x + y * y + z * z, 0.0, 1.0
    fraction /= length
    x, y, z = x + fraction * ux, y + fraction * uy, z + fraction * uz
    return x * x + y * y + z * z, 1.0 - fraction, fraction


@compiled(inline=False)
def on_triangle(S: Floats, i: int, j: int, k: int) -> tuple[float, float, float, float]:
    """The squared distance of a triangle from the origin, and the weights of its corners."""
    ax, ay, az = S[i, 0], S[i, 1], S[i, 2]
    bx, by, bz = S[j, 0], S[j, 1], S[j, 2]
    cx, cy, cz = S[k, 0], S[k, 1], S[k, 2]
    ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    n2 = nx * nx + ny * ny + nz * nz
    u2, v2 = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz
    if n2 > FLAT * FLAT * u2 * v2:
        # Of the parallelograms that the origin spans with each side.
        a = nx * (by * cz - bz * cy) + ny * (bz * cx - bx * cz) + nz * (bx * cy - by * cx)
        b = nx * (cy * az - cz * ay) + ny * (cz * ax - cx * az) + nz * (cx * ay - cy * ax)
        c = nx * (ay * bz - az * by) + ny * (az * bx - ax * bz) + nz * (ax * by - ay * bx)
        total = a + b + c
        if a > 0.0 and b > 0.0 and c > 0.0:
            height = nx * ax + ny * ay + nz * az
            return height * height / n2, a / total, b / total, c / total
    squared, first, second = on_segment(S, i, j)
    third = 0.0
    other, e, f = on_segment(S, j, k)
    if other < squared:
        squared, first, second, third = other, 0.0, e, f
    other, e, f = on_segment(S, k, i)
    if other < squared:
        squared, first, second, third = other, f, 0.0, e
    return squared, first, second, third
