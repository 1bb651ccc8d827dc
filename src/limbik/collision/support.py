"""Supports: the point of a core that is farthest in a direction, and that of a difference of two cores."""

from __future__ import annotations

import math

from limbik.collision.records import BEGIN, END, Cores
from limbik.compiler.kernel import Floats, Records, compiled
from limbik.numerics.rotation import Vector, times, transposed_times
from limbik.tree.joints import ROTATION

# A point of the difference of two cores takes this many numbers: itself, then the points it is made of.
POINT_SIZE = 9


@compiled
def support(piece: Records, cores: Cores, x: float, y: float, z: float) -> Vector:
    """The point of a piece's core that is farthest in a direction, all in its frame."""
    vertices, k = cores.vertices, piece.first
    if piece.disc > 0.0:
        ax, ay, az = piece.axis[0], piece.axis[1], piece.axis[2]
        along = x * ax + y * ay + z * az
        if along > 0.0:
            k += 1
        x, y, z = x - along * ax, y - along * ay, z - along * az
        across = math.sqrt(x * x + y * y + z * z)
        if across > 0.0:
            # Of a direction along the axis nothing but rounding is left, and some of that along the axis.
            x, y, z = x / across, y / across, z / across
            along = x * ax + y * ay + z * az
            x, y, z = x - along * ax, y - along * ay, z - along * az
            across = math.sqrt(x * x + y * y + z * z)
        scale = piece.disc / across if across > 0.5 else 0.0
        return vertices[k, 0] + scale * x, vertices[k, 1] + scale * y, vertices[k, 2] + scale * z
    if vertices[k, BEGIN] < vertices[k, END]:
        k = climb(cores, cores.latest[piece.index], x, y, z)
        cores.latest[piece.index] = k
        return vertices[k, 0], vertices[k, 1], vertices[k, 2]
    farthest = vertices[k, 0] * x + vertices[k, 1] * y + vertices[k, 2] * z
    for i in range(piece.first + 1, piece.first + piece.count):
        height = vertices[i, 0] * x + vertices[i, 1] * y + vertices[i, 2] * z
        if height > farthest:
            k, farthest = i, height
    return vertices[k, 0], vertices[k, 1], vertices[k, 2]


@compiled(inline=False)
def climb(cores: Cores, start: int, x: float, y: float, z: float) -> int:
    """The vertex of a hull that is farthest in a direction: from neighbour to neighbour, always farther."""
    vertices = cores.vertices
    best, k = start, -1
    farthest = vertices[start, 0] * x + vertices[start, 1] * y + vertices[start, 2] * z
    while k != best:
        k = best
        for n in range(int(vertices[k, BEGIN]), int(vertices[k, END])):
            i = cores.neighbours[n]
            height = vertices[i, 0] * x + vertices[i, 1] * y + vertices[i, 2] * z
            if height > farthest:
                best, farthest = i, height
    return best


@compiled(inline=False)
def support_of_difference(
    A: Records, B: Records, cores: Cores, relative: Floats,
    x: float, y: float, z: float, points: Floats, row: int,
) -> float:  # fmt: skip
    """The point of A - B that is farthest in a direction, into points[row]; returns how far that is.

    All in A's frame; relative [12]: the pose of B's frame in it.
    """
    bx, by, bz = transposed_times(relative, ROTATION, -x, -y, -z)
    ax, ay, az = support(A, cores, x, y, z)
    bx, by, bz = support(B, cores, bx, by, bz)
    bx, by, bz = times(relative, ROTATION, bx, by, bz)
    bx, by, bz = bx + relative[0], by + relative[1], bz + relative[2]
    wx, wy, wz = ax - bx, ay - by, az - bz
    points[row, 0], points[row, 1], points[row, 2] = wx, wy, wz
    points[row, 3], points[row, 4], points[row, 5] = ax, ay, az
    points[row, 6], points[row, 7], points[row, 8] = bx, by, bz
    return float(wx * x + wy * y + wz * z)
