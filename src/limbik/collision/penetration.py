"""How deep two cores are inside each other: the expanding polytope algorithm (van den Bergen 2001).

A polytope inside the difference of the cores grows where its surface is nearest to the origin. Each direction
in which it is to grow proves that the depth is at most the height of the difference there; the least
height is the answer, so what is said is never less than the depth, however the search ends.
"""

from __future__ import annotations

import math

from limbik.collision.records import Cores
from limbik.collision.simplex import on_triangle
from limbik.collision.support import POINT_SIZE, support_of_difference
from limbik.compiler.kernel import Floats, Records, compiled
from limbik.numerics.rotation import Vector
from limbik.numerics.vectors import perpendicular

MAX_POINTS = 96
MAX_FACES = 2 * MAX_POINTS + 64
MAX_EDGES = 128
FACE_SIZE = 7  # three points, the unit normal, and its height over the origin
NORMAL = 3
HEIGHT = 6
FLAT = 1e-9  # of the size of the cores: a difference that is not thicker has no inside
SEEN = 1e-13  # of that size, above a face
CLOSE = 1e-10  # of that size, between what is proved and what is found


@compiled(inline=False)
def penetration(
    A: Records, B: Records, cores: Cores, relative: Floats, size: float,
    has_start: bool, points: Floats, faces: Floats, edges: Floats, result: Floats,
) -> float:  # fmt: skip
    """The depth [m] of two cores in each other, or at most little more; below 0 they are apart.

    has_start: points[:4] are a tetrahedron. size [m]: of both cores. The direction in which B has to go, and
    the nearest points of A and B, go into result[1:10].
    """
    count = 4
    if not has_start:
        height = start_polytope(A, B, cores, relative, size, points, result)
        if height < math.inf:
            return height
    n_faces = 0
    for i in range(4):
        n_faces = add_face(points, faces, n_faces, (i + 1) % 4, (i + 2) % 4, (i + 3) % 4, i)
    depth = math.inf
    while True:
        f = lowest_face(faces, n_faces)
        x, y, z, lowest = faces[f, NORMAL], faces[f, NORMAL + 1], faces[f, NORMAL + 2], faces[f, HEIGHT]
        height = support_of_difference(A, B, cores, relative, x, y, z, points, count)
        if height < depth:
            depth = height
            result[1], result[2], result[3] = x, y, z
        if depth - lowest <= CLOSE * size or count + 1 >= MAX_POINTS:
            break
        grown = grow(points, faces, n_faces, edges, count, size)
        if grown < 0:
            break
        n_faces = grown
        count += 1
    touch(points, faces, n_faces, lowest + 10.0 * CLOSE * size, result)
    return depth


@compiled
def start_polytope(
    A: Records, B: Records, cores: Cores, relative: Floats, size: float, points: Floats, result: Floats
) -> float:
    """Four points of A - B that are not in a plane, into points[:4]; returns infinity.

    Where there are none, a direction in which A - B is flat is the answer, and its height is returned.
    """
    support_of_difference(A, B, cores, relative, 1.0, 0.0, 0.0, points, 0)
    farthest, dx, dy, dz = 0.0, 1.0, 0.0, 0.0
    for i in range(6):
        side, axis = 1.0 - 2.0 * (i % 2), i // 2
        x, y, z = side if axis == 0 else 0.0, side if axis == 1 else 0.0, side if axis == 2 else 0.0
        ex, ey, ez = next_offset(A, B, cores, relative, x, y, z, points)
        apart = math.sqrt(ex * ex + ey * ey + ez * ez)
        if apart > farthest:
            farthest, dx, dy, dz = apart, ex / apart, ey / apart, ez / apart
            keep_point(points, 4, 1)
    ux, uy, uz = perpendicular((dx, dy, dz))
    if farthest <= FLAT * size:
        return flat(A, B, cores, relative, ux, uy, uz, points, result)
    vx, vy, vz = dy * uz - dz * uy, dz * ux - dx * uz, dx * uy - dy * ux
    farthest = 0.0
    nx, ny, nz = ux, uy, uz
    for i in range(4):
        side = 1.0 - 2.0 * (i % 2)
        x, y, z = (side * ux, side * uy, side * uz) if i < 2 else (side * vx, side * vy, side * vz)
        ex, ey, ez = next_offset(A, B, cores, relative, x, y, z, points)
        cx, cy, cz = dy * ez - dz * ey, dz * ex - dx * ez, dx * ey - dy * ex
        apart = math.sqrt(cx * cx + cy * cy + cz * cz)
        if apart > farthest:
            farthest, nx, ny, nz = apart, cx / apart, cy / apart, cz / apart
            keep_point(points, 4, 2)
    if farthest <= FLAT * size:
        return flat(A, B, cores, relative, nx, ny, nz, points, result)
    farthest = 0.0
    for i in range(2):
        side = 1.0 - 2.0 * i
        ex, ey, ez = next_offset(A, B, cores, relative, side * nx, side * ny, side * nz, points)
        apart = side * (ex * nx + ey * ny + ez * nz)
        if apart > farthest:
            farthest = apart
            keep_point(points, 4, 3)
    if farthest <= FLAT * size:
        return flat(A, B, cores, relative, nx, ny, nz, points, result)
    return math.inf


@compiled
def next_offset(
    A: Records, B: Records, cores: Cores, relative: Floats, x: float, y: float, z: float, points: Floats
) -> Vector:
    """From points[0] to the support in a direction, which goes into points[4]."""
    support_of_difference(A, B, cores, relative, x, y, z, points, 4)
    return points[4, 0] - points[0, 0], points[4, 1] - points[0, 1], points[4, 2] - points[0, 2]


@compiled
def keep_point(points: Floats, row: int, to: int) -> None:
    """Copy a point."""
    for c in range(POINT_SIZE):
        points[to, c] = points[row, c]


@compiled(inline=False)
def flat(
    A: Records, B: Records, cores: Cores, relative: Floats,
    x: float, y: float, z: float, points: Floats, result: Floats,
) -> float:  # fmt: skip
    """The answer along the direction in which A - B is thin: on its nearer side."""
    above = support_of_difference(A, B, cores, relative, x, y, z, points, 0)
    below = support_of_difference(A, B, cores, relative, -x, -y, -z, points, 1)
    side, row, height = (1.0, 0, above) if above < below else (-1.0, 1, below)
    result[1], result[2], result[3] = side * x, side * y, side * z
    for c in range(6):
        result[4 + c] = points[row, 3 + c]
    return height


@compiled
def add_face(points: Floats, faces: Floats, index: int, i: int, j: int, k: int, inside: int) -> int:
    """Write a triangle, its normal away from a point inside (-1: by the order of its corners).

    Returns the next index; the same where the triangle has no normal.
    """
    ux, uy, uz = points[j, 0] - points[i, 0], points[j, 1] - points[i, 1], points[j, 2] - points[i, 2]
    vx, vy, vz = points[k, 0] - points[i, 0], points[k, 1] - points[i, 1], points[k, 2] - points[i, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if not length > 0.0:
        return index
    nx, ny, nz = nx / length, ny / length, nz / length
    height = nx * points[i, 0] + ny * points[i, 1] + nz * points[i, 2]
    if inside >= 0 and nx * points[inside, 0] + ny * points[inside, 1] + nz * points[inside, 2] > height:
        j, k = k, j
        nx, ny, nz, height = -nx, -ny, -nz, -height
    faces[index, 0], faces[index, 1], faces[index, 2] = i, j, k
    faces[index, NORMAL], faces[index, NORMAL + 1], faces[index, NORMAL + 2] = nx, ny, nz
    faces[index, HEIGHT] = height
    return index + 1


@compiled
def lowest_face(faces: Floats, n_faces: int) -> int:
    """The face whose plane is nearest to the origin; one that has the origin outside comes first."""
    lowest = 0
    for f in range(1, n_faces):
        if faces[f, HEIGHT] < faces[lowest, HEIGHT]:
            lowest = f
    return lowest


@compiled
def grow(points: Floats, faces: Floats, n_faces: int, edges: Floats, new: int, size: float) -> int:
    """Make a new point a corner of the polytope: the faces that it sees give way to those to their border.

    Returns how many faces there are; -1 where rounding leaves no proper border.
    """
    n_edges, f = 0, 0
    while f < n_faces:
        height = (
            faces[f, NORMAL] * points[new, 0]
            + faces[f, NORMAL + 1] * points[new, 1]
            + faces[f, NORMAL + 2] * points[new, 2]
        )
        if height - faces[f, HEIGHT] <= SEEN * size:
            f += 1
            continue
        for c in range(3):
            n_edges = toggle_edge(edges, n_edges, faces[f, c], faces[f, (c + 1) % 3])
            if n_edges >= MAX_EDGES:
                return -1
        n_faces -= 1
        for c in range(FACE_SIZE):
            faces[f, c] = faces[n_faces, c]
    for e in range(n_edges):
        if n_faces >= MAX_FACES:
            return -1
        grown = add_face(points, faces, n_faces, int(edges[e, 0]), int(edges[e, 1]), new, -1)
        if grown == n_faces:
            return -1
        n_faces = grown
    return n_faces if n_edges > 2 else -1


@compiled
def toggle_edge(edges: Floats, count: int, start: float, end: float) -> int:
    """Add an edge of a face that goes away, or take it out where the face on its other side goes too."""
    for e in range(count):
        if edges[e, 0] == end and edges[e, 1] == start:
            edges[e, 0], edges[e, 1] = edges[count - 1, 0], edges[count - 1, 1]
            return count - 1
    edges[count, 0], edges[count, 1] = start, end
    return count + 1


@compiled
def touch(points: Floats, faces: Floats, n_faces: int, highest: float, result: Floats) -> None:
    """The points of A and B whose difference is the nearest to the origin on faces up to a height, into
    result[4:10]: several faces may lie in one plane, and the nearest point in any of them.
    """
    nearest = math.inf
    for f in range(n_faces):
        if faces[f, HEIGHT] > highest:
            continue
        i, j, k = int(faces[f, 0]), int(faces[f, 1]), int(faces[f, 2])
        squared, a, b, c = on_triangle(points, i, j, k)
        if squared < nearest:
            nearest = squared
            for column in range(3, POINT_SIZE):
                result[1 + column] = a * points[i, column] + b * points[j, column] + c * points[k, column]
