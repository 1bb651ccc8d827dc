"""Hessian of the squared errors of a tree, with the second derivatives of its Jacobian.

Where goals conflict, errors stay, and with them the second part: what a force F at a point p, carried by two
joints, has of it is F . (w_j x (w_v x (p - o_v))) for joint j before joint v; summed over all that a joint
carries it takes the sums of F and of p F^T alone. A moment M has half of M . (w_j x w_v), which is what the
order of rotations leaves of any rotation vector (Murray, Li & Sastry 1994, chapter 2, brackets of twists).
A distance between two points pulls at both, and has that of what moves them across the line through both.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, Records, compiled, empty
from limbik.goals.task import AIM, AXIS, DISTANCE, MASS, OF_FRAME, POINT, TURN
from limbik.numerics.linear import fill, normal_matrix
from limbik.numerics.rotation import Vector, times
from limbik.numerics.vectors import cross, dot, plus, scaled, vector
from limbik.tree.direction_curvature import add_change, add_direction
from limbik.tree.joints import FRAME_SIZE, ROTATION, SPHERICAL
from limbik.tree.residuals import FRAME, REFERENCE, resolve_frames, rows_of
from limbik.tree.workspace import Objectives, Tree, Workspace

# Of one link and all that it carries, by index in its row of `workspace.scratch`.
FORCE = 0  # at points [3]
TENSOR = 3  # sum of point times force [9], row by row
WRENCH = 12  # of rotations: moment about the world's origin, and force [6]
LOAD_SIZE = 18
SHORTEST = 1e-9  # [m] distance between two points that has a direction


@compiled(inline=False)
def fill_hessian(tree: Tree, objectives: Objectives, workspace: Workspace, forces: Floats) -> None:
    """`workspace.hessian` [nv, nv] of half the squared errors at the configuration that was differentiated
    last, velocities in their units.

    forces [rows]: the errors of the first rows, or these less multipliers; other rows do not count. Tasks
    between two links of the tree, but for distances, and axes that move with a frame, have the first part
    only.
    """
    H = workspace.hessian
    normal_matrix(workspace.J[: forces.size], H)
    for v in range(H.shape[0]):
        for w in range(v):
            H[v, w] = H[w, v]
    load_links(tree, objectives, workspace, forces)
    for j in range(tree.links.size):
        before = j
        while before >= 0:
            add_pair(tree, workspace, before, j)
            before = tree.links[before].parent
    for k in range(objectives.tasks.size):
        task = objectives.tasks[k]
        if task.row >= forces.size:
            continue
        if task.kind == DISTANCE:
            add_distance(tree, workspace, task, objectives.targets[k], forces[task.row])
        elif task.reference < 0 and (task.kind == AXIS or task.kind == AIM):
            add_direction(tree, workspace, task, objectives.targets[k], forces)


@compiled(inline=False)
def load_links(tree: Tree, objectives: Objectives, workspace: Workspace, forces: Floats) -> None:
    """The forces and moments with which the errors pull at each link and all that it carries."""
    loads, wrenches = workspace.scratch, workspace.wrenches
    count = tree.links.size
    for j in range(count + 1):
        fill(0.0, loads[j, :LOAD_SIZE])
    for k in range(objectives.tasks.size):
        task = objectives.tasks[k]
        if task.row >= forces.size:
            continue
        if task.kind == DISTANCE:
            load_ends(workspace, task, objectives.targets[k], forces[task.row])
            continue
        is_point = task.kind == POINT and task.axes != OF_FRAME
        is_turn = task.kind == TURN
        j = task.link
        if task.kind == MASS:
            j = count  # the last row has what pulls at the centre of mass
        elif task.reference >= 0 or j < 0 or not (is_point or is_turn):
            continue
        for row in range(task.row, task.row + rows_of(task)):
            if is_turn:
                for i in range(6):
                    loads[j, WRENCH + i] += forces[row] * wrenches[row, i]
                continue
            fx, fy, fz = (
                forces[row] * wrenches[row, 3],
                forces[row] * wrenches[row, 4],
                forces[row] * wrenches[row, 5],
            )
            if is_point:
                o = j * FRAME_SIZE
                x, y, z = times(workspace.frames, o + ROTATION, task.pose[0], task.pose[1], task.pose[2])
                x, y, z = (
                    x + workspace.frames[o],
                    y + workspace.frames[o + 1],
                    z + workspace.frames[o + 2],
                )
                add_force(loads[j], x, y, z, 1.0, fx, fy, fz)
            else:
                loads[j, 0], loads[j, 1], loads[j, 2] = loads[j, 0] + fx, loads[j, 1] + fy, loads[j, 2] + fz
    for j in range(count - 1, -1, -1):
        parent = tree.links[j].parent
        if parent >= 0:
            for i in range(LOAD_SIZE):
                loads[parent, i] += loads[j, i]
    if tree.fixed_mass[3] >= 0.0:
        mass = workspace.total[3]
        fx, fy, fz = loads[count, 0] / mass, loads[count, 1] / mass, loads[count, 2] / mass
        for j in range(count):
            s = workspace.sums[j]
            add_force(loads[j], s[0], s[1], s[2], s[3], fx, fy, fz)


@compiled(inline=False)
def load_ends(workspace: Workspace, task: Records, target: Floats, force: float) -> None:
    """The forces with which a distance pulls at its two frames."""
    loads, resolved, wrench = workspace.scratch, workspace.resolved, workspace.wrenches[task.row]
    resolve_frames(task, target, workspace.frames, workspace.total, resolved)
    fx, fy, fz = force * wrench[3], force * wrench[4], force * wrench[5]
    x, y, z = resolved[FRAME], resolved[FRAME + 1], resolved[FRAME + 2]
    if task.link >= 0:
        add_force(loads[task.link], x, y, z, 1.0, fx, fy, fz)
    x, y, z = resolved[REFERENCE], resolved[REFERENCE + 1], resolved[REFERENCE + 2]
    if task.reference >= 0:
        add_force(loads[task.reference], x, y, z, 1.0, -fx, -fy, -fz)


@compiled(inline=False)
def add_distance(tree: Tree, workspace: Workspace, task: Records, target: Floats, force: float) -> None:
    """What a distance grows by as its ends move across the line through both, at second order."""
    H, resolved, wrench = workspace.hessian, workspace.resolved, workspace.wrenches[task.row]
    resolve_frames(task, target, workspace.frames, workspace.total, resolved)
    first, second = vector(resolved, FRAME), vector(resolved, REFERENCE)
    apart = plus(first, -1.0, second)
    distance = math.sqrt(dot(apart, apart))
    if distance < SHORTEST:
        return
    along = scaled(1.0 / distance, apart)
    pull = vector(wrench, 3)
    curvature = force * dot(pull, along) / distance
    across = empty(H.shape[0], 3)  # how fast each velocity moves the ends
    for v in range(H.shape[0]):
        fill(0.0, across[v])
    move_end(tree, workspace, task.link, first, 1.0, across)
    move_end(tree, workspace, task.reference, second, -1.0, across)
    for v in range(H.shape[0]):
        speed = vector(across[v], 0)
        speed = plus(speed, -dot(along, speed), along)
        across[v, 0], across[v, 1], across[v, 2] = speed
    for v in range(H.shape[0]):
        for w in range(H.shape[0]):
            H[v, w] -= curvature * dot(vector(across[v], 0), vector(across[w], 0))


@compiled(inline=False)
def move_end(tree: Tree, workspace: Workspace, tip: int, point: Vector, sign: float, speeds: Floats) -> None:
    """Add to `speeds` [nv, 3] how fast each velocity moves a point that a link carries, times a sign."""
    j = tip
    while j >= 0:
        link = tree.links[j]
        for k in range(3 if link.kind == SPHERICAL else 1):
            screw, v = workspace.screws[3 * j + k], link.v + k
            factor = sign * link.multiplier * tree.units[v]
            speed = plus(vector(screw, 3), 1.0, cross(vector(screw, 0), point))
            for i in range(3):
                speeds[v, i] += factor * speed[i]
        j = link.parent


@compiled
def add_force(
    load: Floats, x: float, y: float, z: float, mass: float, fx: float, fy: float, fz: float
) -> None:
    """A force at a point, of which a fraction is there: mass times position, and mass."""
    load[FORCE] += mass * fx
    load[FORCE + 1] += mass * fy
    load[FORCE + 2] += mass * fz
    load[TENSOR] += x * fx
    load[TENSOR + 1] += x * fy
    load[TENSOR + 2] += x * fz
    load[TENSOR + 3] += y * fx
    load[TENSOR + 4] += y * fy
    load[TENSOR + 5] += y * fz
    load[TENSOR + 6] += z * fx
    load[TENSOR + 7] += z * fy
    load[TENSOR + 8] += z * fz


@compiled(inline=False)
def add_pair(tree: Tree, workspace: Workspace, before: int, j: int) -> None:
    """What a joint changes of the pull at a joint that it carries, or at itself."""
    for a in range(3 if tree.links[before].kind == SPHERICAL else 1):
        for b in range(3 if tree.links[j].kind == SPHERICAL else 1):
            pull = change_of_pull(
                workspace.screws[3 * before + a], workspace.screws[3 * j + b], workspace.scratch[j]
            )
            add_change(tree, workspace, before, a, j, b, -pull)


@compiled
def change_of_pull(first: Floats, last: Floats, load: Floats) -> float:
    """How the pull along the last screw changes with the first one, which carries it."""
    ax, ay, az, a, b, c = first[0], first[1], first[2], first[3], first[4], first[5]
    wx, wy, wz, x, y, z = last[0], last[1], last[2], last[3], last[4], last[5]
    fx, fy, fz = load[FORCE], load[FORCE + 1], load[FORCE + 2]
    T = TENSOR
    trace = load[T] + load[T + 4] + load[T + 8]
    # F . (w_first x v_last(p)), summed over the points p.
    pull = ax * (y * fz - z * fy) + ay * (z * fx - x * fz) + az * (x * fy - y * fx)
    pull += ax * (load[T] * wx + load[T + 1] * wy + load[T + 2] * wz)
    pull += ay * (load[T + 3] * wx + load[T + 4] * wy + load[T + 5] * wz)
    pull += az * (load[T + 6] * wx + load[T + 7] * wy + load[T + 8] * wz)
    pull -= trace * (ax * wx + ay * wy + az * wz)
    # Half the bracket of both screws, for rotations.
    W = WRENCH
    moment = (
        load[W] * (ay * wz - az * wy) + load[W + 1] * (az * wx - ax * wz) + load[W + 2] * (ax * wy - ay * wx)
    )
    force = (
        load[W + 3] * (ay * z - az * y - (wy * c - wz * b))
        + load[W + 4] * (az * x - ax * z - (wz * a - wx * c))
        + load[W + 5] * (ax * y - ay * x - (wx * b - wy * a))
    )
    return pull + 0.5 * (moment + force)
