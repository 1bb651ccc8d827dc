"""The tasks of a tree as vector pairs for one joint of CCD: the vectors that its turn carries along, and
those wanted.

A vector pair is a vector that a turn of the joint carries along, the vector that it is to become, and a
weight; the best turn is the one with the smallest sum of weight * |turned - wanted|^2. Of a point it leads
from the joint's origin to itself, a direction with its unit vector, a rotation with the three axes of its
frame: the squared distances of these add up to 4 (1 - cos(angle)), so that each has half the weight of the
rotation.

Weights that differ between axes, and tolerances, do not suit a sum of that form. They are replaced by pairs
with the largest weight that want only a part of the rotation, which bound the sum from above and touch it
where the sweep begins (majorisation, Hunter & Lange 2004): what lowers the vector pairs lowers the sum.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, Records, compiled
from limbik.goals.task import OF_FRAME, POINT, TURN
from limbik.numerics.rotation import Quaternion, Vector, exponential, rotate, rotation_between, times
from limbik.tree.joints import ROTATION
from limbik.tree.residuals import AXES, FRAME, WANTED, beyond, resolve_frames, turn_between

# Of the vector pairs of one task, by index: the link whose joint comes next on the path to the base, the
# weight of each pair, then up to three pairs, each the vector that is carried along and the wanted one.
NEXT = 0
WEIGHT = 1
VECTORS = 2


@compiled
def count_of(kind: int) -> int:
    """How many vector pairs a task of a kind has."""
    return 3 if kind == TURN else 1


@compiled(inline=False)
def fill_vector_pairs(
    tasks: Records, targets: Floats, frames: Floats, total: Floats, resolved: Floats, vector_pairs: Floats
) -> None:
    """The vector pairs [tasks, VECTOR_PAIRS_SIZE] of points, rotations and directions, from where the links
    are.
    """
    for k in range(tasks.size):
        task = tasks[k]
        resolve_frames(task, targets[k], frames, total, resolved)
        heaviest = max(task.weights[0], task.weights[1], task.weights[2])
        vector_pairs[k, NEXT] = task.link
        vector_pairs[k, WEIGHT] = heaviest * heaviest
        if task.kind == POINT:
            put_point_pair(task, heaviest, resolved, vector_pairs[k])
        elif task.kind == TURN:
            put_rotation_pairs(task, heaviest, resolved, vector_pairs[k])
            vector_pairs[k, WEIGHT] *= 0.5
        else:
            put_direction_pair(task, resolved, vector_pairs[k])


@compiled(inline=False)
def put_point_pair(task: Records, heaviest: float, resolved: Floats, pair: Floats) -> None:
    """From a point to its target. Along axes that the frame carries with it, what moves is the target."""
    fx, fy, fz = resolved[FRAME], resolved[FRAME + 1], resolved[FRAME + 2]
    tx, ty, tz = resolved[WANTED], resolved[WANTED + 1], resolved[WANTED + 2]
    px, py, pz = part_that_counts(task, heaviest, resolved, tx - fx, ty - fy, tz - fz)
    if task.axes == OF_FRAME:
        put_pair(pair, VECTORS, (tx - px, ty - py, tz - pz), (tx, ty, tz))
    else:
        put_pair(pair, VECTORS, (fx, fy, fz), (fx + px, fy + py, fz + pz))


@compiled(inline=False)
def put_rotation_pairs(task: Records, heaviest: float, resolved: Floats, pair: Floats) -> None:
    """From the axes of a frame to the wanted ones."""
    is_plain = is_even(task)
    turn = (0.0, 0.0, 0.0, 1.0)
    if not is_plain:
        x, y, z = turn_between(resolved)
        turn = exponential(*part_that_counts(task, heaviest, resolved, x, y, z))
    for i in range(3):
        a, b = FRAME + ROTATION + i, WANTED + ROTATION + i
        x, y, z = resolved[a], resolved[a + 3], resolved[a + 6]
        wanted = (resolved[b], resolved[b + 3], resolved[b + 6]) if is_plain else rotate(turn, x, y, z)
        put_pair(pair, VECTORS + 6 * i, (x, y, z), wanted)


@compiled(inline=False)
def put_direction_pair(task: Records, resolved: Floats, pair: Floats) -> None:
    """From an axis of a frame to its direction, or to the nearest one inside the tolerance."""
    x, y, z = times(resolved, FRAME + ROTATION, task.axis[0], task.axis[1], task.axis[2])
    wanted = (resolved[WANTED], resolved[WANTED + 1], resolved[WANTED + 2])
    if task.tolerance[0] > 0.0:
        rx, ry, rz = rotation_between(x, y, z, wanted[0], wanted[1], wanted[2])
        angle = math.sqrt(rx * rx + ry * ry + rz * rz)
        fraction = 1.0 - task.tolerance[0] / angle if angle > task.tolerance[0] else 0.0
        wanted = rotate(exponential(fraction * rx, fraction * ry, fraction * rz), x, y, z)
    put_pair(pair, VECTORS, (x, y, z), wanted)


@compiled(inline=True)
def put_pair(pair: Floats, at: int, vector: Vector, wanted: Vector) -> None:
    """Write one pair."""
    pair[at], pair[at + 1], pair[at + 2] = vector
    pair[at + 3], pair[at + 4], pair[at + 5] = wanted


@compiled
def is_even(task: Records) -> bool:
    """Whether all axes have the same weight, and none a tolerance."""
    w, t = task.weights, task.tolerance
    return w[0] == w[1] and w[1] == w[2] and t[0] == 0.0 and t[1] == 0.0 and t[2] == 0.0


@compiled
def part_that_counts(
    task: Records, heaviest: float, resolved: Floats, x: float, y: float, z: float
) -> Vector:
    """The part of an error (x, y, z) beyond the tolerance, along each axis of the task as large as the square
    of its weight is beside the heaviest."""
    px = py = pz = 0.0
    for i in range(3):
        ux, uy, uz = resolved[AXES + i], resolved[AXES + 3 + i], resolved[AXES + 6 + i]
        fraction = task.weights[i] / heaviest
        part = fraction * fraction * beyond(ux * x + uy * y + uz * z, task, i)
        px, py, pz = px + part * ux, py + part * uy, pz + part * uz
    return px, py, pz


@compiled(inline=False)
def carry_turned(pair: Floats, count: int, center: Vector, turn: Quaternion) -> None:
    """Turn the vectors that the pairs of one task carry along by a quaternion; `center` is 0 0 0 for
    directions.
    """
    cx, cy, cz = center
    for i in range(VECTORS, VECTORS + 6 * count, 6):
        x, y, z = rotate(turn, pair[i] - cx, pair[i + 1] - cy, pair[i + 2] - cz)
        pair[i], pair[i + 1], pair[i + 2] = cx + x, cy + y, cz + z
