"""What the goals want of the links of a tree, as pairs of points (`numerics.alignment`), for
`solvers.methods.fabrik`.

Each link has a row of numbers: the sums of its pairs, and what the passes keep beside them.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, Records, compiled
from limbik.goals.task import AIM, POINT, TURN
from limbik.numerics.alignment import PAIRS_SIZE, add_direction, add_pair, turned_axis
from limbik.numerics.linear import fill, squared_length
from limbik.numerics.rotation import Vector, exponential, rotate, rotation_between, times
from limbik.tree.joints import FRAME_SIZE, PRISMATIC
from limbik.tree.residuals import AXES, FRAME, WANTED, beyond, resolve_frames, rows_of, turn_between
from limbik.tree.workspace import Objectives, Tree, Workspace

# Of a link's row, by index, after the sums of its pairs.
TARGET = PAIRS_SIZE  # where the last of the links that it carries is to be: a frame
GOALS = TARGET + FRAME_SIZE  # how many it has
CARRIED = GOALS + 1  # how many links it carries that have goals, or carry such
LAST = CARRIED + 1  # which of them is the last
INFLUENCE = LAST + 1  # weight of the goals on it, and on the links that it carries
IS_ACTIVE = INFLUENCE + 1  # 1: it has goals, or carries links that have

STILL = (0.0, 0.0, 0.0, 1.0)

LEVER = 0.8  # of the mean segment: the distance at which an axis counts as a second point
SHORTEST = 1e-6  # of the model's length: of a segment that counts
FROM_AFAR = 0.1  # of the model's length: goals farther from being met than this have less say
SLOWLY, SWIFTLY = 0.98, 0.9  # what each iteration makes of that distance
CLOSE = 0.03  # where it begins to do so swiftly
FROM_NEAR = 1e-3  # and what it leaves of it at least


@compiled
def shrunk_distance(distance: float) -> float:
    """The distance [in lengths of the model] beyond which goals have less say, from its last value; 0 at
    first."""
    if distance == 0.0:
        return FROM_AFAR
    return max((SLOWLY if distance > CLOSE else SWIFTLY) * distance, FROM_NEAR)


@compiled(inline=False)
def clear_rows(tree: Tree, tasks: Records, rows: Floats) -> None:
    """Empty the rows of all links, but for which of them have goals."""
    for j in range(tree.links.size):
        fill(0.0, rows[j])
    for k in range(tasks.size):
        for end in range(2):
            j = tasks[k].link if end == 0 else tasks[k].reference
            while j >= 0 and rows[j, IS_ACTIVE] == 0.0:
                rows[j, IS_ACTIVE] = 1.0
                j = tree.links[j].parent


@compiled(inline=False)
def lever_of(links: Records, tasks: Records, frames: Floats, rows: Floats, length: float) -> float:
    """[m] at which an axis counts as a second point. length [m]: of the model."""
    shortest = (SHORTEST * length) ** 2
    total = count = 0.0
    for j in range(links.size):
        parent = links[j].parent
        if rows[j, IS_ACTIVE] > 0.0 and parent >= 0 and links[j].kind != PRISMATIC:
            squared = squared_distance(frames, j, parent)
            if squared > shortest:
                total += math.sqrt(squared)
                count += 1.0
    for k in range(tasks.size):
        squared = squared_length(tasks[k].pose[:3])
        if squared > shortest:
            total += math.sqrt(squared)
            count += 1.0
    return LEVER * (total / count if count > 0.0 else length)


@compiled
def squared_distance(frames: Floats, j: int, k: int) -> float:
    """Between the origins of two links [m^2]."""
    a, b = j * FRAME_SIZE, k * FRAME_SIZE
    dx, dy, dz = frames[a] - frames[b], frames[a + 1] - frames[b + 1], frames[a + 2] - frames[b + 2]
    return dx * dx + dy * dy + dz * dz


@compiled(inline=False)
def fill_targets(
    objectives: Objectives,
    errors: Floats,
    frames: Floats,
    total: Floats,
    resolved: Floats,
    lever: float,
    distance: float,
    rows: Floats,
) -> None:
    """Add the pairs of all goals to the rows of the links that carry them.

    A goal between two links draws each by half of the distance. errors [rows of the tasks]. distance: see
    `shrunk_distance`.
    """
    for k in range(objectives.tasks.size):
        task = objectives.tasks[k]
        resolve_frames(task, objectives.targets[k], frames, total, resolved)
        influence = (distance / (distance + math.sqrt(squared_error(objectives.tasks, errors, k)))) ** 2
        fraction = 0.5 if task.link >= 0 and task.reference >= 0 else 1.0
        if task.link >= 0:
            fill_target_of_end(task, resolved, influence, lever, fraction, rows[task.link])
        if task.reference >= 0:
            fill_target_of_end(task, resolved, influence, lever, -fraction, rows[task.reference])


@compiled(inline=False)
def fill_target_of_end(
    task: Records, resolved: Floats, influence: float, lever: float, fraction: float, row: Floats
) -> None:
    """Add to the goals of a link of a task: to go by a fraction of the displacement; where it is negative,
    the target comes.
    """
    row[GOALS] += 1.0
    row[INFLUENCE] += influence
    if task.kind == POINT:
        add_point_target(task, resolved, influence, fraction, row)
    elif task.kind == TURN:
        add_rotation_target(task, resolved, influence * lever * lever, fraction, row)
    else:
        add_direction_target(task, resolved, influence * lever * lever, fraction, row)


@compiled(inline=False)
def squared_error(tasks: Records, errors: Floats, k: int) -> float:
    """Of all tasks between the same two links as task k: those of one pose count as one."""
    total = 0.0
    for i in range(tasks.size):
        if tasks[i].link == tasks[k].link and tasks[i].reference == tasks[k].reference:
            for row in range(tasks[i].row, tasks[i].row + rows_of(tasks[i])):
                total += errors[row] * errors[row]
    return total


@compiled(inline=False)
def merit(objectives: Objectives, workspace: Workspace, at: int) -> float:
    """What the loop wants small: the sum of the roots of all errors. It is less where all goals but one are
    met than where none is."""
    tasks = objectives.tasks
    total = 0.0
    for k in range(tasks.size):
        is_first = True
        for i in range(k):
            is_first &= tasks[i].link != tasks[k].link or tasks[i].reference != tasks[k].reference
        if is_first:
            total += math.sqrt(math.sqrt(squared_error(tasks, workspace.errors[at], k)))
    return total


@compiled
def counted_error(task: Records, resolved: Floats, vector: Vector) -> Vector:
    """What of a vector the task wants, along its axes and beyond its tolerance."""
    x = y = z = 0.0
    for i in range(3):
        if task.weights[i] > 0.0:
            ux, uy, uz = resolved[AXES + i], resolved[AXES + 3 + i], resolved[AXES + 6 + i]
            part = beyond(ux * vector[0] + uy * vector[1] + uz * vector[2], task, i)
            x, y, z = x + part * ux, y + part * uy, z + part * uz
    return x, y, z


@compiled
def add_point_target(task: Records, resolved: Floats, weight: float, fraction: float, row: Floats) -> None:
    """A point goes by a fraction of the displacement to the target; where it is negative, the target comes.

    A frame that moves in a plane goes to the nearest point of it.
    """
    fx, fy, fz = resolved[FRAME], resolved[FRAME + 1], resolved[FRAME + 2]
    tx, ty, tz = resolved[WANTED], resolved[WANTED + 1], resolved[WANTED + 2]
    dx, dy, dz = counted_error(task, resolved, (tx - fx, ty - fy, tz - fz))
    off = task.normal[0] * dx + task.normal[1] * dy + task.normal[2] * dz
    dx, dy, dz = dx - off * task.normal[0], dy - off * task.normal[1], dz - off * task.normal[2]
    if fraction < 0.0:
        fx, fy, fz = tx, ty, tz
    add_pair(row, weight, (fx, fy, fz), (fx + fraction * dx, fy + fraction * dy, fz + fraction * dz))


@compiled
def add_rotation_target(task: Records, resolved: Floats, weight: float, fraction: float, row: Floats) -> None:
    """All axes are to turn by a fraction of the rotation."""
    x, y, z = counted_error(task, resolved, turn_between(resolved))
    turn = exponential(fraction * x, fraction * y, fraction * z)
    for k in range(3):
        add_direction(row, weight, turned_axis(STILL, k), turned_axis(turn, k))


@compiled
def add_direction_target(
    task: Records, resolved: Floats, weight: float, fraction: float, row: Floats
) -> None:
    """One axis is to turn by a fraction of the rotation to a direction, or to a point."""
    a = times(resolved, FRAME + 3, task.axis[0], task.axis[1], task.axis[2])
    dx, dy, dz = resolved[WANTED], resolved[WANTED + 1], resolved[WANTED + 2]
    if task.kind == AIM:
        dx, dy, dz = dx - resolved[FRAME], dy - resolved[FRAME + 1], dz - resolved[FRAME + 2]
    x, y, z = rotation_between(a[0], a[1], a[2], dx, dy, dz)
    angle = math.sqrt(x * x + y * y + z * z)
    part = fraction * max(angle - task.tolerance[0], 0.0) / angle if angle > 0.0 else 0.0
    turn = exponential(part * x, part * y, part * z)
    if fraction < 0.0:
        scale = 1.0 / max(math.sqrt(dx * dx + dy * dy + dz * dz), 1e-300)
        a = (scale * dx, scale * dy, scale * dz)
    add_direction(row, weight, a, rotate(turn, a[0], a[1], a[2]))
