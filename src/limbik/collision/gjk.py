"""The signed distance of two convex pieces (Gilbert, Johnson & Keerthi 1988; van den Bergen 2003).

A direction n proves that two sets A and B are at least min n a - max n b apart: this, and not the length of
the vector that is found, is what a distance here is. However the search ends, no distance is too large, but
for rounding. Where the cores of the pieces (see `collision.convex`) overlap, the search goes on with
`collision.penetration`; their radii are subtracted from the distance of the cores.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from limbik.collision.penetration import FACE_SIZE, MAX_EDGES, MAX_FACES, MAX_POINTS, penetration
from limbik.collision.records import Cores
from limbik.collision.simplex import WEIGHT, combination, reduce_simplex
from limbik.collision.support import POINT_SIZE, support_of_difference
from limbik.compiler.arrays import array
from limbik.compiler.kernel import Floats, Records, compiled
from limbik.numerics.rotation import times
from limbik.tree.joints import ROTATION

MAX_ITERATIONS = 64
CLOSE = 1e-9  # of a distance, between what is proved and what is found
TOUCHING = 1e-12  # of the size of both pieces

# What is found [10]: the signed distance [m], the unit normal from B to A, and the nearest points of A and B,
# all in A's frame.
GJK_RESULT_SIZE = 10


class GjkScratch(NamedTuple):
    """Memory for one distance at a time."""

    simplex: Annotated[Floats, array(4, WEIGHT + 1)]
    points: Annotated[Floats, array(MAX_POINTS, POINT_SIZE)]
    faces: Annotated[Floats, array(MAX_FACES, FACE_SIZE)]
    edges: Annotated[Floats, array(MAX_EDGES, 2)]


@compiled(inline=False)
def signed_distance(
    A: Records, B: Records, cores: Cores, relative: Floats,
    floor: float, horizon: float, scratch: GjkScratch, result: Floats,
) -> float:  # fmt: skip
    """The signed distance [m] of two pieces, relative [12] being the pose of B's frame in that of A.

    It may end early, where the distance is at least the horizon, or at most the floor, for certain.
    """
    S = scratch.simplex
    cores.latest[A.index], cores.latest[B.index] = A.first, B.first
    radii = A.radius + B.radius
    size = A.bound + B.bound
    x, y, z = times(relative, ROTATION, B.center[0], B.center[1], B.center[2])
    x, y, z = A.center[0] - x - relative[0], A.center[1] - y - relative[1], A.center[2] - z - relative[2]
    length = math.sqrt(x * x + y * y + z * z)
    if not length > TOUCHING * size:
        x, y, z, length = 1.0, 0.0, 0.0, 1.0
    count, lower, upper = 0, -math.inf, math.inf
    for _ in range(MAX_ITERATIONS):
        x, y, z = x / length, y / length, z / length
        proved = -support_of_difference(A, B, cores, relative, -x, -y, -z, S, count)
        if proved > lower:
            lower = proved
            result[1], result[2], result[3] = x, y, z
        is_close = count > 0 and upper - lower <= CLOSE * upper
        if lower - radii >= horizon or is_close or is_known(S, count):
            break
        count = reduce_simplex(S, count + 1)
        if count == 4:
            upper = 0.0
            break
        x, y, z = combination(S, count, 0)
        length = math.sqrt(x * x + y * y + z * z)
        if length >= upper or length <= TOUCHING * size:
            upper = min(upper, length)
            break
        upper = length
        if upper - radii <= floor:
            break
    if lower > TOUCHING * size or lower - radii >= horizon:
        result[4], result[5], result[6] = combination(S, count, 3)
        result[7], result[8], result[9] = combination(S, count, 6)
        result[0] = lower - radii
    elif upper - radii <= floor:
        result[0] = upper - radii
    else:
        result[0] = -radii - overlap(A, B, cores, relative, size, count == 4, scratch, result)
    widen(A.radius, B.radius, result)
    return float(result[0])


@compiled
def is_known(S: Floats, count: int) -> bool:
    """Whether the point after the simplex is one of its corners: no direction leads on."""
    for i in range(count):
        if S[i, 0] == S[count, 0] and S[i, 1] == S[count, 1] and S[i, 2] == S[count, 2]:
            return True
    return False


@compiled
def overlap(
    A: Records, B: Records, cores: Cores, relative: Floats, size: float,
    has_start: bool, scratch: GjkScratch, result: Floats,
) -> float:  # fmt: skip
    """The depth of two cores in each other [m]."""
    if has_start:
        for i in range(4):
            for c in range(POINT_SIZE):
                scratch.points[i, c] = scratch.simplex[i, c]
    depth = penetration(
        A, B, cores, relative, size, has_start, scratch.points, scratch.faces, scratch.edges, result
    )
    for c in range(1, 4):
        result[c] = -result[c]
    return depth


@compiled
def widen(first: float, second: float, result: Floats) -> None:
    """Take the nearest points from the cores to the surfaces."""
    for c in range(3):
        result[4 + c] -= first * result[1 + c]
        result[7 + c] += second * result[1 + c]
