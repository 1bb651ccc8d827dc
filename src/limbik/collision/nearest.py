"""Kernel that finds near pairs of bodies, their distances, and the derivatives of these.

From coarse to exact: spheres about the bodies, spheres and boxes about their pieces, then the distances of
pieces (`collision.gjk`). Every coarse bound is below the distance, so nothing near is passed over.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple, TypeAlias

from limbik.collision.gjk import GJK_RESULT_SIZE, GjkScratch, signed_distance
from limbik.collision.records import Pairs, Shapes, n_bodies, n_objects, n_pairs
from limbik.compiler.arrays import Size, array
from limbik.compiler.kernel import Floats, Matrix, Records, Watch, compiled, is_stopped
from limbik.numerics.rotation import times, transposed_times
from limbik.tree.joints import FRAME_SIZE, ROTATION, SPHERICAL
from limbik.tree.kinematics import SCREW_SIZE, Links, n_links, pose_links, pose_screws

# Modes of a query.
ANY = 0  # one pair that is not farther apart than the horizon
NEAREST = 1  # the nearest pair, nearer than the horizon
ALL = 2  # all pairs nearer than the horizon
EACH = 3  # the nearest pair of each of many configurations
EACH_ANY = 4  # of each of many configurations one pair that is not farther apart than the horizon
FIRST_FREE = 5  # the first of many configurations that has none

# Settings.
MODE = 0
HORIZON = 1  # [m]
IS_PLACED = 2  # above 0: the frames of the links are arguments
HAS_ROWS = 3  # above 0: how joints change the distances, too
SETTINGS_SIZE = 4

# One result: the index of the pair, the distance [m], the normal from the second body to the first, and the
# nearest points of both, in world axes.
PAIR, DISTANCE, NORMAL, POINTS = 0, 1, 2, 5
RESULT_SIZE = 11

Poses: TypeAlias = Annotated[Floats, array(n_objects, 16)]
Results: TypeAlias = Annotated[Floats, array(Size("n_results"), RESULT_SIZE)]


class SearchArrays(NamedTuple):
    """The arrays of one search."""

    centers: Annotated[
        Floats, array(n_bodies, 4)
    ]  # of the spheres about the bodies, in the world, and their radii
    gaps: Annotated[Floats, array(n_pairs)]  # between these spheres
    screws: Annotated[Floats, array(3 * n_links, SCREW_SIZE)]
    relative: Annotated[Floats, array(FRAME_SIZE)]
    trial: Annotated[Floats, array(GJK_RESULT_SIZE)]
    found: Annotated[Floats, array(GJK_RESULT_SIZE)]
    result: Annotated[Floats, array(1, RESULT_SIZE)]


@compiled
def search(
    links: Links, shapes: Shapes, poses: Poses, pairs: Pairs, settings: Floats, q: Matrix,
    workspace: SearchArrays, scratch: GjkScratch, results: Results, rows: Matrix, watch: Watch,
) -> int:  # fmt: skip
    """Results for pairs [n, 2] of bodies; returns how many there are, of which the first are written.

    poses [objects, 16]: of the world's objects. q [n, nq]: one configuration, or many, of which each has a
    result in the modes EACH and EACH_ANY; FIRST_FREE returns the index of one of them, n: there is none. rows
    [results, nv]: the derivatives of the distances with respect to a velocity (as `tree.pack` has it).
    """
    pose_objects(poses, shapes.frames, links.size + 1)
    if settings[MODE] < EACH:
        return search_at(
            links, shapes, pairs, settings, q[0], settings[MODE], workspace, scratch, results, rows
        )
    mode = NEAREST if settings[MODE] == EACH else ANY
    for k in range(q.shape[0]):
        if is_stopped(watch, k):
            return k
        count = search_at(
            links, shapes, pairs, settings, q[k], mode, workspace, scratch, workspace.result, rows
        )
        if settings[MODE] == FIRST_FREE:
            if count == 0:
                return k
            continue
        results[k, PAIR], results[k, DISTANCE] = -1.0, math.inf
        if count > 0:
            for c in range(RESULT_SIZE):
                results[k, c] = workspace.result[0, c]
    return int(q.shape[0])


@compiled(inline=False)
def search_at(
    links: Records, shapes: Shapes, pairs: Pairs, settings: Floats, q: Floats, mode: float,
    workspace: SearchArrays, scratch: GjkScratch, results: Floats, rows: Floats,
) -> int:  # fmt: skip
    """The results of one configuration [nq]."""
    if settings[IS_PLACED] == 0.0:
        pose_links(links, q, shapes.frames)
    pose_spheres(shapes, workspace.centers)
    horizon = settings[HORIZON]
    first = measure_gaps(pairs, workspace.centers, workspace.gaps)
    count = 0
    if mode == NEAREST and pairs.shape[0] > 0:
        count, horizon = look_at(shapes, pairs, first, mode, horizon, 0, workspace, scratch, results)
    for k in range(pairs.shape[0]):
        if workspace.gaps[k] > horizon or (mode == NEAREST and k == first):
            continue
        count, horizon = look_at(shapes, pairs, k, mode, horizon, count, workspace, scratch, results)
        if mode == ANY and count > 0:
            break
    if settings[HAS_ROWS] > 0.0 and count > 0:
        pose_screws(links, shapes.frames, workspace.screws)
        for r in range(min(count, results.shape[0])):
            write_row(links, shapes.bodies, workspace.screws, pairs, results, rows, r)
    return count


@compiled(inline=False)
def pose_objects(poses: Floats, frames: Floats, first: int) -> None:
    """The poses [n, 16] of the world's objects as frames, the first at an index."""
    for k in range(poses.shape[0]):
        o = (first + k) * FRAME_SIZE
        for i in range(3):
            frames[o + i] = poses[k, 4 * i + 3]
            for j in range(3):
                frames[o + ROTATION + 3 * i + j] = poses[k, 4 * i + j]


@compiled(inline=False)
def pose_spheres(shapes: Shapes, centers: Floats) -> None:
    """Where the spheres about the bodies are."""
    for k in range(shapes.bodies.size):
        body = shapes.bodies[k]
        o = body.frame
        x, y, z = times(shapes.frames, o + ROTATION, body.center[0], body.center[1], body.center[2])
        centers[k, 0], centers[k, 1] = shapes.frames[o] + x, shapes.frames[o + 1] + y
        centers[k, 2], centers[k, 3] = shapes.frames[o + 2] + z, body.bound


@compiled(inline=False)
def measure_gaps(pairs: Pairs, centers: Floats, gaps: Floats) -> int:
    """The distances [m] of the spheres of each pair; returns the index of the nearest."""
    nearest = 0
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        x, y, z = centers[i, 0] - centers[j, 0], centers[i, 1] - centers[j, 1], centers[i, 2] - centers[j, 2]
        gaps[k] = math.sqrt(x * x + y * y + z * z) - centers[i, 3] - centers[j, 3]
        if gaps[k] < gaps[nearest]:
            nearest = k
    return nearest


@compiled(inline=False)
def look_at(
    shapes: Shapes, pairs: Pairs, k: int, mode: float, horizon: float, count: int,
    workspace: SearchArrays, scratch: GjkScratch, results: Floats,
) -> tuple[int, float]:  # fmt: skip
    """Look at one pair: how many results there are then, and the horizon for others."""
    floor = horizon if mode == ANY else -math.inf
    i, j = pairs[k, 0], pairs[k, 1]
    distance = body_distance(shapes, i, j, floor, horizon, workspace, scratch)
    if distance > horizon or (mode != ANY and distance >= horizon):
        return count, horizon
    if mode == NEAREST:
        count, horizon = 0, distance
    if count < results.shape[0]:
        results[count, PAIR], results[count, DISTANCE] = k, distance
        o = shapes.bodies[i].frame
        for c in range(3):
            part = NORMAL + 3 * c
            x, y, z = workspace.found[1 + 3 * c], workspace.found[2 + 3 * c], workspace.found[3 + 3 * c]
            x, y, z = times(shapes.frames, o + ROTATION, x, y, z)
            if c > 0:
                x, y, z = x + shapes.frames[o], y + shapes.frames[o + 1], z + shapes.frames[o + 2]
            results[count, part], results[count, part + 1], results[count, part + 2] = x, y, z
    return count + 1, horizon


@compiled
def body_distance(
    shapes: Shapes, i: int, j: int, floor: float, horizon: float, workspace: SearchArrays, scratch: GjkScratch
) -> float:
    """The signed distance [m] of two bodies, or what is above the horizon; see `gjk.signed_distance`."""
    relative = workspace.relative
    relate(shapes.frames, shapes.bodies[i].frame, shapes.bodies[j].frame, relative)
    nearest = math.inf
    limit = horizon
    for a in range(shapes.bodies[i].first, shapes.bodies[i].first + shapes.bodies[i].count):
        A = shapes.pieces[a]
        if gap_to_sphere(A, shapes.bodies[j], relative) > limit:
            continue
        for b in range(shapes.bodies[j].first, shapes.bodies[j].first + shapes.bodies[j].count):
            B = shapes.pieces[b]
            if gap_between(A, B, relative) > limit:
                continue
            distance = signed_distance(A, B, shapes.cores, relative, floor, limit, scratch, workspace.trial)
            if distance < nearest:
                nearest = distance
                limit = min(limit, nearest)
                for c in range(GJK_RESULT_SIZE):
                    workspace.found[c] = workspace.trial[c]
                if nearest <= floor:
                    return nearest
    return nearest


@compiled(inline=False)
def relate(frames: Floats, a: int, b: int, relative: Floats) -> None:
    """The pose of a frame at b in that at a."""
    x, y, z = frames[b] - frames[a], frames[b + 1] - frames[a + 1], frames[b + 2] - frames[a + 2]
    relative[0], relative[1], relative[2] = transposed_times(frames, a + ROTATION, x, y, z)
    for i in range(3):
        for k in range(3):
            relative[ROTATION + 3 * i + k] = (
                frames[a + ROTATION + i] * frames[b + ROTATION + k]
                + frames[a + ROTATION + 3 + i] * frames[b + ROTATION + 3 + k]
                + frames[a + ROTATION + 6 + i] * frames[b + ROTATION + 6 + k]
            )


@compiled
def gap_to_sphere(A: Records, body: Records, relative: Floats) -> float:
    """At most the distance [m] of a piece from a body, by the sphere about the body and A's box."""
    x, y, z = times(relative, ROTATION, body.center[0], body.center[1], body.center[2])
    return float(box_gap(A, x + relative[0], y + relative[1], z + relative[2]) - body.bound)


@compiled(inline=False)
def gap_between(A: Records, B: Records, relative: Floats) -> float:
    """At most the distance [m] of two pieces, by the sphere about each and the box about the other."""
    x, y, z = times(relative, ROTATION, B.center[0], B.center[1], B.center[2])
    gap = box_gap(A, x + relative[0], y + relative[1], z + relative[2]) - B.bound
    x, y, z = A.center[0] - relative[0], A.center[1] - relative[1], A.center[2] - relative[2]
    x, y, z = transposed_times(relative, ROTATION, x, y, z)
    return float(max(gap, box_gap(B, x, y, z) - A.bound))


@compiled
def box_gap(piece: Records, x: float, y: float, z: float) -> float:
    """At most the distance [m] of a point from a piece, by the box about its core."""
    x, y, z = x - piece.box_center[0], y - piece.box_center[1], z - piece.box_center[2]
    squared, highest = 0.0, -math.inf
    for k in range(3):
        along = piece.box_axes[3 * k] * x + piece.box_axes[3 * k + 1] * y + piece.box_axes[3 * k + 2] * z
        height = abs(along) - piece.box_half[k]
        highest = max(highest, height)
        outside = max(height, 0.0)
        squared += outside * outside
    return float((math.sqrt(squared) if highest > 0.0 else highest) - piece.radius)


@compiled(inline=False)
def write_row(
    links: Records, bodies: Records, screws: Floats, pairs: Pairs, results: Floats, rows: Floats, r: int
) -> None:
    """The derivative of a distance, into rows[r]."""
    k = int(results[r, PAIR])
    for c in range(rows.shape[1]):
        rows[r, c] = 0.0
    for side in range(2):
        sign = 1.0 - 2.0 * side
        nx, ny, nz = sign * results[r, NORMAL], sign * results[r, NORMAL + 1], sign * results[r, NORMAL + 2]
        at = POINTS + 3 * side
        x, y, z = results[r, at], results[r, at + 1], results[r, at + 2]
        mx, my, mz = y * nz - z * ny, z * nx - x * nz, x * ny - y * nx
        j = bodies[pairs[k, side]].link
        while j >= 0:
            link = links[j]
            for c in range(3 if link.kind == SPHERICAL else 1):
                s = 3 * j + c
                rows[r, link.v + c] += link.multiplier * (
                    screws[s, 0] * mx + screws[s, 1] * my + screws[s, 2] * mz
                    + screws[s, 3] * nx + screws[s, 4] * ny + screws[s, 5] * nz
                )  # fmt: skip
            j = link.parent
