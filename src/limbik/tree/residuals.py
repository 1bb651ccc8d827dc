"""The errors of tasks on a tree, as rows, each with a wrench; fills the Jacobian from these wrenches and the
joints' screws.

A row is a wrench (moment about the world's origin, force) whose product with the screw of a joint
(`tree.kinematics`) says how fast the joint closes the row's error: every goal for a frame, a direction or a
point becomes such rows, and one loop over the joints fills the Jacobian.
"""

from __future__ import annotations

import math
from typing import Annotated, TypeAlias

import numpy as np

from limbik.compiler.arrays import Size, array
from limbik.compiler.kernel import Floats, Records, compiled
from limbik.goals.task import (
    AIM,
    AXIS,
    DISTANCE,
    MASS,
    NUMBER,
    OF_FRAME,
    OF_REFERENCE,
    OF_TARGET,
    POINT,
    TURN,
)
from limbik.numerics.rotation import Vector, multiply, times
from limbik.numerics.trigonometry import arc_sine, nearest_turn, sincos
from limbik.tree.joints import FRAME_SIZE, ROTATION, SPHERICAL

TASK = np.dtype(
    [
        ("kind", np.int64),
        ("link", np.int64),  # that carries the frame; -1: the world. NUMBER: of the joint
        ("reference", np.int64),  # link that carries the frame in whose axes the target is; -1: the world
        ("axes", np.int64),
        ("row", np.int64),  # the first of its rows
        ("pose", np.float64, FRAME_SIZE),  # of the frame in its link: origin [m], rotation
        ("reference_pose", np.float64, FRAME_SIZE),
        ("axis", np.float64, 3),  # in the frame
        ("weights", np.float64, 3),  # of the rows; 0: no such row
        (
            "tolerance",
            np.float64,
            3,
        ),  # [m or rad] inside which a row has no error; AXIS, AIM: the first counts
        ("periodic", np.float64),  # NUMBER: 1 where revolutions do not count
        ("unclipped", np.float64),  # 1: a row's error is whole inside the tolerance too (`motion.tolerances`)
        ("met_within", np.float64),  # [m or rad] how far off counts as met
        # POINT: bounds of where the frame can be (`model.reach_bounds`); NO_BOUND where that is not known
        ("center", np.float64, 3),  # [m, world]
        ("normal", np.float64, 3),  # of its plane; 0: in space
        ("min_reach", np.float64),  # [m]
        ("max_reach", np.float64),  # [m]
    ],
    align=True,
)

NO_BOUND = 1e300  # [m]

n_tasks = Size("n_tasks")
Tasks: TypeAlias = Annotated[Records, array(n_tasks, dtype=TASK)]

# A target is 12 numbers in the axes of the reference: a point [m] (AXIS: a direction; NUMBER: the value),
# then a rotation.
TARGET_SIZE = 12
HALF_TURN = 1e-12  # squared cosine of half the angle of what counts as a half turn
RESOLVED_SIZE = (
    4 * FRAME_SIZE
)  # space for the frame, its reference, the target's point and rotation, the axes


@compiled(inline=False)
def fill_residuals(
    links: Records,
    tasks: Records,
    targets: Floats,
    q: Floats,
    frames: Floats,
    total: Floats,
    resolved: Floats,
    errors: Floats,
    wrenches: Floats,
    task_errors: Floats,
) -> None:
    """The weighted errors [rows] and wrenches [rows, 6] of all tasks, and how far each is off [tasks, m or
    rad].

    total [4]: mass times position [kg m], and mass [kg], of the whole.
    """
    for k in range(tasks.size):
        task = tasks[k]
        if task.kind == NUMBER:
            link = links[task.link]
            left = targets[k, 0] - (link.multiplier * q[link.q] + link.offset)
            if task.periodic > 0.0:
                left = nearest_turn(left)
            left = beyond(left, task, 0)
            task_errors[k] = abs(left)
            errors[task.row] = task.weights[0] * left
            continue
        resolve_frames(task, targets[k], frames, total, resolved)
        if task.kind == POINT or task.kind == MASS:
            point_residuals(task, resolved, errors, wrenches, task_errors[k : k + 1])
        elif task.kind == TURN:
            rotation_residuals(task, resolved, errors, wrenches, task_errors[k : k + 1])
        elif task.kind == DISTANCE:
            distance_residual(task, targets[k], resolved, errors, wrenches, task_errors[k : k + 1])
        else:
            direction_residuals(task, resolved, errors, wrenches, task_errors[k : k + 1])


# Indices of the resolved frames of a task.
FRAME = 0
REFERENCE = FRAME_SIZE
WANTED = 2 * FRAME_SIZE  # the target in world axes: point, rotation
AXES = 3 * FRAME_SIZE  # rotation whose columns the rows belong to; then the axis of the frame


@compiled(inline=False)
def resolve_frames(task: Records, target: Floats, frames: Floats, total: Floats, resolved: Floats) -> None:
    """Bring frame, reference, target and axes of a task to the world's axes."""
    put(task.link, task.pose, frames, resolved, FRAME)
    put(task.reference, task.reference_pose, frames, resolved, REFERENCE)
    if task.kind == MASS:
        for i in range(3):
            resolved[FRAME + i] = total[i] / total[3]
    x, y, z = times(resolved, REFERENCE + ROTATION, target[0], target[1], target[2])
    is_direction = task.kind == AXIS
    resolved[WANTED] = x + (0.0 if is_direction else resolved[REFERENCE])
    resolved[WANTED + 1] = y + (0.0 if is_direction else resolved[REFERENCE + 1])
    resolved[WANTED + 2] = z + (0.0 if is_direction else resolved[REFERENCE + 2])
    multiply(resolved, REFERENCE + ROTATION, target[ROTATION:], resolved, WANTED + ROTATION)
    source = REFERENCE if task.axes == OF_REFERENCE else WANTED if task.axes == OF_TARGET else FRAME
    for i in range(9):
        resolved[AXES + i] = resolved[source + ROTATION + i]


@compiled
def put(link: int, position: Floats, frames: Floats, resolved: Floats, to: int) -> None:
    """The world's view of a frame that a link carries."""
    if link < 0:
        for i in range(FRAME_SIZE):
            resolved[to + i] = position[i]
        return
    o = link * FRAME_SIZE
    x, y, z = times(frames, o + ROTATION, position[0], position[1], position[2])
    resolved[to], resolved[to + 1], resolved[to + 2] = frames[o] + x, frames[o + 1] + y, frames[o + 2] + z
    multiply(frames, o + ROTATION, position[ROTATION:], resolved, to + ROTATION)


@compiled(inline=False)
def point_residuals(task: Records, resolved: Floats, errors: Floats, wrenches: Floats, error: Floats) -> None:
    """Rows of a distance. Axes that the frame carries turn with it: what moves is then the target's point."""
    x, y, z = (
        resolved[WANTED] - resolved[FRAME],
        resolved[WANTED + 1] - resolved[FRAME + 1],
        resolved[WANTED + 2] - resolved[FRAME + 2],
    )
    at = WANTED if task.axes == OF_FRAME else FRAME
    vector_residuals(
        task,
        resolved,
        (x, y, z),
        (resolved[at], resolved[at + 1], resolved[at + 2]),
        False,
        errors,
        wrenches,
        error,
    )


@compiled(inline=False)
def rotation_residuals(
    task: Records, resolved: Floats, errors: Floats, wrenches: Floats, error: Floats
) -> None:
    """Rows of a rotation vector [rad]."""
    turn = turn_between(resolved)
    vector_residuals(task, resolved, turn, (0.0, 0.0, 0.0), True, errors, wrenches, error)
    if not is_even(task):
        follow_turn(task, turn, wrenches)


@compiled
def is_even(task: Records) -> bool:
    """Whether the squared errors of a vector do not depend on its axes."""
    first, second, third = task.weights[0], task.weights[1], task.weights[2]
    largest = max(task.tolerance[0], task.tolerance[1], task.tolerance[2])
    return first == second and second == third and largest == 0.0


@compiled(inline=False)
def follow_turn(task: Records, turn: Vector, wrenches: Floats) -> None:
    """Make the rows of a rotation vector what its parts along the axes really change by: the inverse of the
    right Jacobian of SO(3) (Chirikjian 2012, section 10.8.6); of axes that the frame carries, the left one.

    Of even weights the gradient is the same without it, and steps from afar are better.
    """
    x, y, z = turn
    angle = math.sqrt(x * x + y * y + z * z)
    half = 0.5 * angle
    sine, cosine = sincos(half)
    curved = (1.0 - half * cosine / sine) / (angle * angle) if angle > 1e-3 else 1.0 / 12.0
    side = 0.5 if task.axes == OF_FRAME else -0.5
    for row in range(task.row, task.row + rows_of(task)):
        a, b, c = wrenches[row, 0], wrenches[row, 1], wrenches[row, 2]
        d, e, f = y * c - z * b, z * a - x * c, x * b - y * a
        wrenches[row, 0] = a + side * d + curved * (y * f - z * e)
        wrenches[row, 1] = b + side * e + curved * (z * d - x * f)
        wrenches[row, 2] = c + side * f + curved * (x * e - y * d)


@compiled
def vector_residuals(
    task: Records,
    resolved: Floats,
    vector: Vector,
    point: Vector,
    is_turn: bool,
    errors: Floats,
    wrenches: Floats,
    error: Floats,
) -> None:
    """Rows of a vector along the axes: forces at a point, or moments."""
    x, y, z = vector
    px, py, pz = point
    row = task.row
    squared = 0.0
    for i in range(3):
        weight = task.weights[i]
        if weight == 0.0:
            continue
        ux, uy, uz = resolved[AXES + i], resolved[AXES + 3 + i], resolved[AXES + 6 + i]
        left = beyond(ux * x + uy * y + uz * z, task, i)
        squared += left * left
        errors[row] = weight * left
        weight = pull(left, task, i)
        ux, uy, uz = weight * ux, weight * uy, weight * uz
        if is_turn:
            wrenches[row, 0], wrenches[row, 1], wrenches[row, 2] = ux, uy, uz
            wrenches[row, 3], wrenches[row, 4], wrenches[row, 5] = 0.0, 0.0, 0.0
        else:
            wrenches[row, 0] = py * uz - pz * uy
            wrenches[row, 1] = pz * ux - px * uz
            wrenches[row, 2] = px * uy - py * ux
            wrenches[row, 3], wrenches[row, 4], wrenches[row, 5] = ux, uy, uz
        row += 1
    error[0] = math.sqrt(squared)


@compiled
def turn_between(resolved: Floats) -> tuple[float, float, float]:
    """The rotation vector [rad, world] from the frame's rotation to the wanted one.

    The sum over the axes of (axis x wanted axis) is 2 sin(angle) times the axis of rotation, and the sum of
    their cosines is 1 + 2 cos(angle).
    """
    x = y = z = 0.0
    cosines = 0.0
    for i in range(3):
        a, b = FRAME + ROTATION + i, WANTED + ROTATION + i
        x += resolved[a + 3] * resolved[b + 6] - resolved[a + 6] * resolved[b + 3]
        y += resolved[a + 6] * resolved[b] - resolved[a] * resolved[b + 6]
        z += resolved[a] * resolved[b + 3] - resolved[a + 3] * resolved[b]
        cosines += (
            resolved[a] * resolved[b] + resolved[a + 3] * resolved[b + 3] + resolved[a + 6] * resolved[b + 6]
        )
    half_cosine = 0.25 * (cosines + 1.0)
    ax, ay, az = half_turn_axis(resolved) if half_cosine < HALF_TURN else (0.0, 0.0, 0.0)
    return rotation_of(x, y, z, half_cosine, ax, ay, az)


@compiled(inline=False)
def half_turn_axis(resolved: Floats) -> tuple[float, float, float]:
    """The axis of a half turn from the frame's rotation to the wanted one.

    Halfway between an axis of the frame and the wanted one, which is clear where they are near each other.
    """
    longest = -1.0
    x = y = z = 0.0
    for i in range(3):
        a, b = FRAME + ROTATION + i, WANTED + ROTATION + i
        dx, dy, dz = (
            resolved[a] + resolved[b],
            resolved[a + 3] + resolved[b + 3],
            resolved[a + 6] + resolved[b + 6],
        )
        squared = dx * dx + dy * dy + dz * dz
        if squared > longest:
            longest = squared
            x, y, z = dx, dy, dz
    length = math.sqrt(longest)
    return x / length, y / length, z / length


@compiled(inline=False)
def rotation_of(
    x: float, y: float, z: float, half_cosine: float, ax: float, ay: float, az: float
) -> tuple[float, float, float]:
    """The rotation vector [rad] from 2 sin(angle) times its axis and the squared cosine of half the angle.

    Of a half turn the axis is lost in rounding: it is then a.
    """
    if half_cosine < HALF_TURN:
        return math.pi * ax, math.pi * ay, math.pi * az
    half = 0.25 / math.sqrt(half_cosine)  # to the sine of half the angle, times the axis
    x, y, z = half * x, half * y, half * z
    squared = x * x + y * y + z * z
    if squared < 1e-16:
        return 2.0 * x, 2.0 * y, 2.0 * z
    sine = math.sqrt(squared)
    stretch = 2.0 * arc_sine(min(sine, 1.0)) / sine
    return stretch * x, stretch * y, stretch * z


@compiled(inline=False)
def direction_residuals(
    task: Records, resolved: Floats, errors: Floats, wrenches: Floats, error: Floats
) -> None:
    """Rows of the smallest turn that brings an axis of the frame to a direction, or to look at a point.

    With a tolerance the first row is along the error, and the error of the second one is 0: the cone is free
    to go around.
    """
    ax, ay, az = times(resolved, FRAME + ROTATION, task.axis[0], task.axis[1], task.axis[2])
    dx, dy, dz = resolved[WANTED], resolved[WANTED + 1], resolved[WANTED + 2]
    nearness = 0.0  # [1/m] one over the distance of the point; 0 for a direction, which is far away
    if task.kind == AIM:
        dx, dy, dz = dx - resolved[FRAME], dy - resolved[FRAME + 1], dz - resolved[FRAME + 2]
        nearness = 1.0 / max(math.sqrt(dx * dx + dy * dy + dz * dz), 1e-9)
        dx, dy, dz = nearness * dx, nearness * dy, nearness * dz
    # Two axes across d, in which the error lies: it is along a x d.
    if abs(dx) <= abs(dy) and abs(dx) <= abs(dz):
        ux, uy, uz = 0.0, dz, -dy
    elif abs(dy) <= abs(dz):
        ux, uy, uz = -dz, 0.0, dx
    else:
        ux, uy, uz = dy, -dx, 0.0
    length = math.sqrt(ux * ux + uy * uy + uz * uz)
    scale = 1.0 / length if length > 0.0 else 0.0
    ux, uy, uz = scale * ux, scale * uy, scale * uz
    cosine = ax * dx + ay * dy + az * dz
    x, y, z = rotation_of(
        2.0 * (ay * dz - az * dy),
        2.0 * (az * dx - ax * dz),
        2.0 * (ax * dy - ay * dx),
        0.5 * (1.0 + cosine),
        ux,
        uy,
        uz,
    )
    angle = math.sqrt(x * x + y * y + z * z)
    left = beyond(angle, task, 0)
    error[0] = left
    weight = pull(left, task, 0)
    is_cone = task.tolerance[0] > 0.0
    if is_cone and angle > 0.0:
        ux, uy, uz = x / angle, y / angle, z / angle
    px, py, pz = resolved[FRAME], resolved[FRAME + 1], resolved[FRAME + 2]
    for i in range(2):
        row = task.row + i
        errors[row] = task.weights[0] * (ux * x + uy * y + uz * z)
        if is_cone:
            errors[row] = task.weights[0] * left if i == 0 else 0.0
            weight = weight if i == 0 or task.unclipped > 0.0 else 0.0
        wx, wy, wz = weight * ux, weight * uy, weight * uz
        # A sideways move of the frame turns the direction to the point in the opposite sense.
        fx, fy, fz = (
            nearness * (wy * dz - wz * dy),
            nearness * (wz * dx - wx * dz),
            nearness * (wx * dy - wy * dx),
        )
        wrenches[row, 0] = wx + py * fz - pz * fy
        wrenches[row, 1] = wy + pz * fx - px * fz
        wrenches[row, 2] = wz + px * fy - py * fx
        wrenches[row, 3], wrenches[row, 4], wrenches[row, 5] = fx, fy, fz
        ux, uy, uz = dy * uz - dz * uy, dz * ux - dx * uz, dx * uy - dy * ux


@compiled(inline=False)
def distance_residual(
    task: Records, target: Floats, resolved: Floats, errors: Floats, wrenches: Floats, error: Floats
) -> None:
    """The row of the distance [m] between two origins: a force along the line through both."""
    px, py, pz = resolved[FRAME], resolved[FRAME + 1], resolved[FRAME + 2]
    ux, uy, uz = px - resolved[REFERENCE], py - resolved[REFERENCE + 1], pz - resolved[REFERENCE + 2]
    distance = math.sqrt(ux * ux + uy * uy + uz * uz)
    if distance > 0.0:
        ux, uy, uz = ux / distance, uy / distance, uz / distance
    else:
        ux = 1.0  # where both are at one point, every direction leads apart
    left = beyond(target[0] - distance, task, 0)
    error[0] = abs(left)
    row = task.row
    errors[row] = task.weights[0] * left
    weight = pull(left, task, 0)
    ux, uy, uz = weight * ux, weight * uy, weight * uz
    wrenches[row, 0] = py * uz - pz * uy
    wrenches[row, 1] = pz * ux - px * uz
    wrenches[row, 2] = px * uy - py * ux
    wrenches[row, 3], wrenches[row, 4], wrenches[row, 5] = ux, uy, uz


@compiled(inline=True)
def beyond(value: float, task: Records, i: int) -> float:
    """How far a value is outside the tolerance of a row of a task."""
    if task.unclipped > 0.0:
        return value
    return value - min(max(value, -task.tolerance[i]), task.tolerance[i])


@compiled(inline=True)
def pull(left: float, task: Records, i: int) -> float:
    """The weight of a row's wrench: 0 inside the tolerance."""
    is_inside = left == 0.0 and task.tolerance[i] > 0.0 and task.unclipped == 0.0
    return 0.0 if is_inside else task.weights[i]


@compiled
def rows_of(task: Records) -> int:
    """How many rows a task has."""
    if task.kind == NUMBER or task.kind == DISTANCE:
        return 1
    if task.kind == AXIS or task.kind == AIM:
        return 2
    count = 0
    for i in range(3):
        if task.weights[i] > 0.0:
            count += 1
    return count


@compiled(inline=False)
def fill_jacobian(
    links: Records,
    tasks: Records,
    units: Floats,
    screws: Floats,
    sums: Floats,
    total: Floats,
    wrenches: Floats,
    J: Floats,
) -> None:
    """J [rows, nv]: how fast each velocity, counted in its unit, closes each row's error."""
    for row in range(J.shape[0]):
        for v in range(J.shape[1]):
            J[row, v] = 0.0
    for k in range(tasks.size):
        task = tasks[k]
        first, last = task.row, task.row + rows_of(task)
        if task.kind == NUMBER:
            link = links[task.link]
            J[first, link.v] = task.weights[0] * link.multiplier * units[link.v]
        elif task.kind == MASS:
            for j in range(links.size):
                add_mass_columns(links[j], j, first, last, units, screws, sums, total, wrenches, J)
        else:
            add_columns(links, task.link, 1.0, first, last, units, screws, wrenches, J)
            add_columns(links, task.reference, -1.0, first, last, units, screws, wrenches, J)


@compiled(inline=False)
def add_columns(
    links: Records,
    tip: int,
    sign: float,
    first: int,
    last: int,
    units: Floats,
    screws: Floats,
    wrenches: Floats,
    J: Floats,
) -> None:
    """What all joints on the path to a link do to some rows."""
    j = tip
    while j >= 0:
        link = links[j]
        for k in range(3 if link.kind == SPHERICAL else 1):
            s, v = 3 * j + k, link.v + k
            factor = sign * link.multiplier * units[v]
            a, b, c = factor * screws[s, 0], factor * screws[s, 1], factor * screws[s, 2]
            d, e, f = factor * screws[s, 3], factor * screws[s, 4], factor * screws[s, 5]
            for row in range(first, last):
                J[row, v] += (
                    a * wrenches[row, 0] + b * wrenches[row, 1] + c * wrenches[row, 2]
                    + d * wrenches[row, 3] + e * wrenches[row, 4] + f * wrenches[row, 5]
                )  # fmt: skip
        j = link.parent


@compiled(inline=False)
def add_mass_columns(
    link: Records,
    j: int,
    first: int,
    last: int,
    units: Floats,
    screws: Floats,
    sums: Floats,
    total: Floats,
    wrenches: Floats,
    J: Floats,
) -> None:
    """What one joint does to the centre of mass: it moves what it carries."""
    sx, sy, sz, mass = (
        sums[j, 0] / total[3],
        sums[j, 1] / total[3],
        sums[j, 2] / total[3],
        sums[j, 3] / total[3],
    )
    for k in range(3 if link.kind == SPHERICAL else 1):
        s, v = 3 * j + k, link.v + k
        factor = link.multiplier * units[v]
        ax, ay, az = screws[s, 0], screws[s, 1], screws[s, 2]
        x = factor * (ay * sz - az * sy + mass * screws[s, 3])
        y = factor * (az * sx - ax * sz + mass * screws[s, 4])
        z = factor * (ax * sy - ay * sx + mass * screws[s, 5])
        for row in range(first, last):
            J[row, v] += x * wrenches[row, 3] + y * wrenches[row, 4] + z * wrenches[row, 5]
