"""FABRIK on any tree: one pass from the goals back to the base, and one from the base out again.

Forward and backward reaching (Aristidou & Lasenby 2011; joint models: Aristidou, Chrysanthou & Lasenby 2016),
with bodies instead of points:

Backward, from the last links to the first, every link gets a proposal of where it is to be. A link with
goals is put on them. A link that carries one other is hung on that one's proposal, at the angle of
the joint between them, within its limits, that brings its own joint nearest to where that was. A link that
carries several (a sub-base) is put on the centroid of what they propose, turned as suits them best.

Forward, from the base out, every joint turns its link, within limits, so that the joints that it carries come
nearest to their proposals. This pass is forward kinematics: segments keep their lengths.

A revolute joint is more than a point: its axis counts as a second point, about one segment away. Joints at
one point carry on what those after them want, so that they work as one; so do joints that cannot turn, those
that are stopped by their limits and, in part, those that have limits.

Every iteration is mixed with those before it (`solvers.methods.anderson_acceleration`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from limbik.compiler.kernel import Floats, Kernel, Records, compiled
from limbik.goals import OF_FRAMES, Goal
from limbik.numerics.alignment import (
    NOW,
    WANTED,
    WEIGHT,
    add_direction,
    add_pair,
    add_pairs,
    add_products,
    add_scaled,
    best_rotation_from,
    products_about,
    seen_about_z,
    seen_from,
)
from limbik.numerics.linear import copy, fill
from limbik.numerics.rotation import (
    Quaternion,
    Vector,
    rotate,
    times,
    times_quaternion,
    transposed_times,
    turn_z,
)
from limbik.numerics.trigonometry import (
    FULL_TURN,
    angle_of,
    nearest_turn,
    nearest_within_limits,
    sincos,
    turn_within_limits,
)
from limbik.solvers.methods.anderson_acceleration import MOVES, accelerate
from limbik.solvers.methods.fabrik_targets import (
    CARRIED,
    GOALS,
    INFLUENCE,
    IS_ACTIVE,
    LAST,
    TARGET,
    clear_rows,
    fill_targets,
    lever_of,
    merit,
    shrunk_distance,
    squared_distance,
)
from limbik.solvers.solver import MethodTuning, Solver
from limbik.tree.classical_loop import IS_EVALUATED, LENGTH, MEMORY, USE_LIMITS
from limbik.tree.joints import (
    FRAME_SIZE,
    PRISMATIC,
    REVOLUTE,
    ROTATION,
    SPHERICAL,
    has_ball_limits,
    set_spherical,
)
from limbik.tree.kinematics import attach_link, move_link
from limbik.tree.workspace import Objectives, Tree, Workspace

EARLIER_WEIGHT = 0.01  # weight of what is before a link beside what is after it, where that decides
AT_ONE_POINT = 0.01  # of the lever: joints no farther apart than this work as one
BOUND = 1e-9  # [rad or part of a quaternion] that limits have to take to bind
NOTHING = 1e-10  # of products of points as far away as the lever: rounding, and no angle is better
Z_AXIS = ROTATION + 2  # of a frame: the first of three numbers, three apart

# Of the scratch row that the passes count on: a link's proposal, where its joint is before it moves, two
# matrices.
ATTACHED = FRAME_SIZE
FIRST = ATTACHED + FRAME_SIZE
SECOND = FIRST + 9
SCRATCH_ROW_SIZE = SECOND + 9
DISTANCE = SCRATCH_ROW_SIZE  # behind it: see `solvers.methods.fabrik_targets.shrunk_distance`


@compiled
def passes(
    tree: Tree, objectives: Objectives, workspace: Workspace, roles: Floats, settings: Floats, q: Floats
) -> None:
    """One iteration: q [nq] is changed in place, within limits where they are used."""
    rows, frames = workspace.scratch, workspace.frames
    scratch_row = rows[rows.shape[0] - 1]
    use_limits = settings[USE_LIMITS] > 0.0
    count = int(settings[MEMORY])
    is_second = count % 2 == 1
    distance = scratch_row[DISTANCE] = shrunk_distance(scratch_row[DISTANCE] if count > 0 else 0.0)
    copy(q, workspace.history[MOVES])
    clear_rows(tree, objectives.tasks, rows)
    lever = lever_of(tree.links, objectives.tasks, frames, rows, settings[LENGTH])
    fill_targets(
        objectives, workspace.errors[0], frames, workspace.total, workspace.resolved, lever, distance, rows
    )
    backward(tree, frames, rows, lever, use_limits, is_second, q, workspace.trial, scratch_row)
    set_leaders(tree, frames, rows, lever, use_limits, q, scratch_row)
    forward(tree, frames, rows, lever, use_limits, q, scratch_row)
    accelerate(tree, objectives, workspace, use_limits, count, q)
    settings[IS_EVALUATED] = 1.0
    settings[MEMORY] = count + 1.0


@compiled(inline=False)
def is_held(tree: Tree, j: int) -> bool:
    """Whether a link's joint is not turned for itself: it is locked, follows another, or is followed."""
    link = tree.links[j]
    return link.mover < 0 or tree.units[link.v] == 0.0 or tree.movers[link.mover].has_mimics > 0


@compiled
def is_at_point(frames: Floats, j: int, parent: int, lever: float) -> bool:
    """Whether a link's joint is where that of the link before it is."""
    return squared_distance(frames, j, parent) < (AT_ONE_POINT * lever) ** 2


@compiled(inline=False)
def origin(frame: Floats) -> Vector:
    """Of a frame [12]."""
    return frame[0], frame[1], frame[2]


@compiled(inline=False)
def z_axis(frame: Floats) -> Vector:
    """Of a frame [12]."""
    return frame[Z_AXIS], frame[Z_AXIS + 3], frame[Z_AXIS + 6]


# ------------------------------------------------------------------------------------------------- backward


@compiled(inline=False)
def backward(
    tree: Tree,
    frames: Floats,
    rows: Floats,
    lever: float,
    use_limits: bool,
    is_second: bool,
    q: Floats,
    trial: Floats,
    scratch_row: Floats,
) -> None:
    """Proposals for all links with goals on them or beyond, from those that they carry.

    is_second: whether this is every other iteration. trial [nq], scratch_row [SCRATCH_ROW_SIZE]: scratch.
    """
    for j in range(tree.links.size - 1, -1, -1):
        if rows[j, IS_ACTIVE] == 0.0:
            continue
        if rows[j, GOALS] == 0.0 and rows[j, CARRIED] == 1.0:
            propose_from_child(tree, frames, rows, j, lever, use_limits, q, trial, scratch_row)
        else:
            pose_at_targets(tree, frames, rows[j], j, lever, use_limits, q, scratch_row)
        if tree.links[j].parent >= 0:
            propagate_to_parent(tree, frames, rows, j, lever, use_limits, is_second, scratch_row)


@compiled(inline=False)
def pose_at_targets(
    tree: Tree,
    frames: Floats,
    row: Floats,
    j: int,
    lever: float,
    use_limits: bool,
    q: Floats,
    scratch_row: Floats,
) -> None:
    """The proposal for a link with goals, or for one that carries several.

    Their centroid is moved to where it is wanted, and the link turned about it. What they leave open is
    decided by what is before.
    """
    frame = frames[j * FRAME_SIZE : (j + 1) * FRAME_SIZE]
    products = scratch_row[FIRST:SECOND]
    weight = row[WEIGHT]
    now = wanted = origin(frame)
    if weight > 0.0:
        now = (row[NOW] / weight, row[NOW + 1] / weight, row[NOW + 2] / weight)
        wanted = (row[WANTED] / weight, row[WANTED + 1] / weight, row[WANTED + 2] / weight)
    products_about(row, now, wanted, products)
    add_points_before(
        tree, frames, j, EARLIER_WEIGHT * row[INFLUENCE], lever, use_limits, q, now, wanted, products
    )
    turn = best_rotation_from((0.0, 0.0, 0.0, 1.0), products, NOTHING * row[INFLUENCE] * lever * lever)
    x, y, z = rotate(turn, frame[0] - now[0], frame[1] - now[1], frame[2] - now[2])
    scratch_row[0], scratch_row[1], scratch_row[2] = wanted[0] + x, wanted[1] + y, wanted[2] + z
    for k in range(ROTATION, ROTATION + 3):
        scratch_row[k], scratch_row[k + 3], scratch_row[k + 6] = rotate(
            turn, frame[k], frame[k + 3], frame[k + 6]
        )


@compiled(inline=False)
def add_points_before(
    tree: Tree,
    frames: Floats,
    j: int,
    weight: float,
    lever: float,
    use_limits: bool,
    q: Floats,
    now: Vector,
    wanted: Vector,
    products: Floats,
) -> None:
    """Add the products, about two centers, of the points before a link that are to stay where they are.

    They are its joint and, where that is at one point with the one before it, at the end of its range or
    held, that one too, and so on.
    """
    i = j
    while i >= 0:
        link = tree.links[i]
        if link.kind != PRISMATIC and not is_held(tree, i):
            frame = frames[i * FRAME_SIZE : (i + 1) * FRAME_SIZE]
            x, y, z = origin(frame)
            from_now = (x - now[0], y - now[1], z - now[2])
            add_products(products, weight, from_now, (x - wanted[0], y - wanted[1], z - wanted[2]))
            if link.kind == REVOLUTE:
                axis = z_axis(frame)
                add_products(products, weight * lever * lever, axis, axis)
            goes_on = link.parent >= 0 and is_at_point(frames, i, link.parent, lever)
            if not (goes_on or (use_limits and is_at_limit(link, tree.movers[link.mover], q))):
                return
        i = link.parent


@compiled
def is_at_limit(link: Records, mover: Records, q: Floats) -> bool:
    """Whether a revolute joint is at the end of its range."""
    return link.kind == REVOLUTE and (q[link.q] <= mover.lower or q[link.q] >= mover.upper)


@compiled(inline=False)
def propose_from_child(
    tree: Tree,
    frames: Floats,
    rows: Floats,
    j: int,
    lever: float,
    use_limits: bool,
    q: Floats,
    trial: Floats,
    scratch_row: Floats,
) -> None:
    """The proposal for a link that carries one other: hung on that one's proposal by their joint.

    Where limits keep the joint from what suits the link best, it carries on what the other wants.
    """
    child = int(rows[j, LAST])
    link = tree.links[child]
    frame = frames[j * FRAME_SIZE : (j + 1) * FRAME_SIZE]
    carried = frames[child * FRAME_SIZE : (child + 1) * FRAME_SIZE]
    proposed = rows[j, TARGET : TARGET + FRAME_SIZE]
    is_free = not is_held(tree, child)
    back, products = scratch_row[FIRST:SECOND], scratch_row[SECOND:SCRATCH_ROW_SIZE]
    # Of the proposal's rotation R, the rotation N of the joint before it turns and the products M, what
    # a turn Q of the joint gains is the scalar product of Q^T and R^T M N.
    R, N = proposed[ROTATION:], scratch_row[ATTACHED + ROTATION : FIRST]
    if is_free and link.kind != PRISMATIC:
        fill(0.0, back)
        add_points_before(tree, frames, j, 1.0, lever, use_limits, q, origin(carried), origin(proposed), back)
        attach_link(link, frames, scratch_row, ATTACHED)
    is_bound = False
    if link.kind == REVOLUTE:
        angle = link.multiplier * q[link.q] + link.offset
        if is_free:
            wanted = angle_back(angle, seen_about_z(R, back, N), NOTHING * lever * lever)
            angle = within(tree.movers[link.mover], wanted, use_limits)
            is_bound = abs(nearest_turn(wanted - angle)) > BOUND
        copy(R, back)
        sine, cosine = sincos(angle)
        turn_z(back, 0, -sine, cosine)
    elif link.kind == SPHERICAL:
        i = link.q
        turn = (q[i], q[i + 1], q[i + 2], q[i + 3])
        if is_free:
            seen_from(R, back, N, products)
            transpose(products)
            turn = best_rotation_from(turn, products, NOTHING * lever * lever)
            set_spherical(tree.movers[link.mover], turn, use_limits, trial)
            same = (
                turn[0] * trial[i] + turn[1] * trial[i + 1] + turn[2] * trial[i + 2] + turn[3] * trial[i + 3]
            )
            is_bound = abs(same) < 1.0 - BOUND
            turn = (trial[i], trial[i + 1], trial[i + 2], trial[i + 3])
        copy(R, back)
        times_quaternion(back, 0, -turn[0], -turn[1], -turn[2], turn[3])
    else:
        copy(R, back)
    if is_bound:
        propagate_weight(rows[j], rows[child], 1.0)
    times_transposed(back, link.rotation, scratch_row[ROTATION:ATTACHED])
    # Its joint is where the other link proposes it to be.
    x, y, z = carried[0] - frame[0], carried[1] - frame[1], carried[2] - frame[2]
    x, y, z = transposed_times(frame, ROTATION, x, y, z)
    x, y, z = times(scratch_row, ROTATION, x, y, z)
    scratch_row[0], scratch_row[1], scratch_row[2] = proposed[0] - x, proposed[1] - y, proposed[2] - z
    if is_free and link.kind == PRISMATIC:
        move_prismatic_back(tree.movers[link.mover], frame, proposed, use_limits, q, scratch_row)


@compiled(inline=False)
def angle_back(angle: float, products: tuple[float, float, float, float], threshold: float) -> float:
    """The angle of a revolute joint that is best for the link before it; the given one where none is better.

    products: as the proposal carried, and the joint before it turns, see them (`seen_about_z`). threshold:
    what counts.
    """
    xx, xy, yx, yy = products
    sine, cosine = xy - yx, xx + yy
    return angle_of(sine, cosine) if max(abs(sine), abs(cosine)) > threshold else angle


@compiled(inline=False)
def within(mover: Records, angle: float, use_limits: bool) -> float:
    """The nearest angle that a revolute joint may have."""
    return nearest_within_limits(angle, mover.lower, mover.upper) if use_limits else angle


@compiled(inline=False)
def transpose(matrix: Floats) -> None:
    """Of a matrix [9], in place."""
    for i in range(2):
        for k in range(i + 1, 3):
            matrix[3 * i + k], matrix[3 * k + i] = matrix[3 * k + i], matrix[3 * i + k]


@compiled(inline=False)
def times_transposed(A: Floats, B: Floats, out: Floats) -> None:
    """A B^T of matrices [9], into out [9], which overlaps neither."""
    for i in range(0, 9, 3):
        for k in range(3):
            out[i + k] = A[i] * B[3 * k] + A[i + 1] * B[3 * k + 1] + A[i + 2] * B[3 * k + 2]


@compiled(inline=False)
def move_prismatic_back(
    mover: Records, frame: Floats, proposed: Floats, use_limits: bool, q: Floats, scratch_row: Floats
) -> None:
    """Move a link's proposal along the prismatic joint that it carries, as near to where the link is as that
    comes.
    """
    axis = z_axis(proposed)
    i = mover.q
    travel = q[i] - (
        axis[0] * (frame[0] - scratch_row[0])
        + axis[1] * (frame[1] - scratch_row[1])
        + axis[2] * (frame[2] - scratch_row[2])
    )
    if use_limits:
        travel = min(max(travel, mover.lower), mover.upper)
    add_scaled(scratch_row[:ROTATION], q[i] - travel, axis)


@compiled(inline=False)
def propagate_to_parent(
    tree: Tree,
    frames: Floats,
    rows: Floats,
    j: int,
    lever: float,
    use_limits: bool,
    is_second: bool,
    scratch_row: Floats,
) -> None:
    """Pass a link's proposal on to the link before it."""
    link = tree.links[j]
    row, before = rows[j], rows[link.parent]
    frame = frames[j * FRAME_SIZE : (j + 1) * FRAME_SIZE]
    weight = 1.0
    influence = row[INFLUENCE]
    if link.kind != PRISMATIC and not is_held(tree, j) and not is_at_point(frames, j, link.parent, lever):
        weight = stiffness(link.kind, tree.movers[link.mover], use_limits, is_second)
        add_pair(before, influence, origin(frame), origin(scratch_row))
        if link.kind == REVOLUTE:
            add_direction(before, influence * lever * lever, z_axis(frame), z_axis(scratch_row))
    if weight > 0.0:
        propagate_weight(before, row, weight)
    before[INFLUENCE] += influence
    before[CARRIED] += 1.0
    before[LAST] = j
    for k in range(FRAME_SIZE):
        before[TARGET + k] = scratch_row[k]


@compiled(inline=False)
def propagate_weight(before: Floats, row: Floats, weight: float) -> None:
    """A link is to do a fraction of what one after it is to do."""
    add_pairs(before, row, weight * row[INFLUENCE] / row[WEIGHT] if row[WEIGHT] > 0.0 else weight)


@compiled
def stiffness(kind: int, mover: Records, use_limits: bool, is_second: bool) -> float:
    """The fraction of what comes after it that a joint carries on: 0 where it turns freely, to 1.

    Of a revolute joint it grows the less far that can turn. Ball joints with limits carry all every other
    iteration, which is better than any fraction.
    """
    if not use_limits:
        return 0.0
    if kind == REVOLUTE:
        return math.sqrt(max(1.0 - (mover.upper - mover.lower) / FULL_TURN, 0.0))
    return 1.0 if is_second and has_ball_limits(mover) else 0.0


# -------------------------------------------------------------------------------- joints that are followed


@compiled(inline=False)
def set_leaders(
    tree: Tree, frames: Floats, rows: Floats, lever: float, use_limits: bool, q: Floats, scratch_row: Floats
) -> None:
    """Set every joint that others follow: to the mean of what its link and those that follow want of it."""
    for j in range(tree.links.size):
        link = tree.links[j]
        if link.mover < 0 or tree.movers[link.mover].has_mimics == 0 or tree.units[link.v] == 0.0:
            continue
        wanted = roots = 0.0
        for k in range(tree.links.size):
            if tree.links[k].q == link.q and rows[k, IS_ACTIVE] > 0.0:
                frame = frames[k * FRAME_SIZE : (k + 1) * FRAME_SIZE]
                displacement, inertia = step_of_leader(tree.links[k], rows[k], frame, scratch_row)
                if inertia > NOTHING * rows[k, INFLUENCE] * lever * lever:
                    wanted += tree.links[k].multiplier * inertia * displacement
                    roots += abs(tree.links[k].multiplier) * math.sqrt(inertia)
        # What several of them move is moved by all of their rotations, by no more than this together.
        value = q[link.q] + (wanted / (roots * roots) if roots > 0.0 else 0.0)
        if use_limits:
            mover = tree.movers[link.mover]
            value = min(max(value, mover.lower), mover.upper)
        q[link.q] = value


@compiled
def step_of_leader(link: Records, row: Floats, frame: Floats, scratch_row: Floats) -> tuple[float, float]:
    """How far a link wants its revolute or prismatic joint to move [rad or m], and how much it has to move
    with it.
    """
    if link.kind == PRISMATIC:
        axis = z_axis(frame)
        weight = row[WEIGHT]
        displacement = (
            axis[0] * (row[WANTED] - row[NOW])
            + axis[1] * (row[WANTED + 1] - row[NOW + 1])
            + axis[2] * (row[WANTED + 2] - row[NOW + 2])
        )
        return (displacement / weight if weight > 0.0 else 0.0), weight
    sine, cosine = about_z(row, frame, frame, scratch_row[FIRST:SECOND])
    return angle_of(sine, cosine), math.sqrt(sine * sine + cosine * cosine)


# -------------------------------------------------------------------------------------------------- forward


@compiled(inline=False)
def forward(
    tree: Tree, frames: Floats, rows: Floats, lever: float, use_limits: bool, q: Floats, scratch_row: Floats
) -> None:
    """Turn every joint to the rotation of its link, and compute the frames."""
    for j in range(tree.links.size):
        link = tree.links[j]
        frame = frames[j * FRAME_SIZE : (j + 1) * FRAME_SIZE]
        attach_link(link, frames, scratch_row, ATTACHED)
        if rows[j, IS_ACTIVE] > 0.0 and not is_held(tree, j):
            mover = tree.movers[link.mover]
            threshold = NOTHING * rows[j, INFLUENCE] * lever * lever
            if link.kind == PRISMATIC:
                move_prismatic(mover, rows[j], frame, scratch_row[ATTACHED:FIRST], use_limits, q)
            elif link.kind == REVOLUTE:
                turn_to(mover, rows[j], frame, scratch_row, threshold, use_limits, q)
            else:
                i = link.q
                turn = (q[i], q[i + 1], q[i + 2], q[i + 3])
                turn = best_rotation(turn, rows[j], frame, scratch_row, threshold)
                set_spherical(mover, turn, use_limits, q)
        copy(scratch_row[ATTACHED:FIRST], frame)
        move_link(link, q, frames, j * FRAME_SIZE)


@compiled(inline=False)
def best_rotation(
    turn: Quaternion, row: Floats, frame: Floats, scratch_row: Floats, threshold: float
) -> Quaternion:
    """The rotation of a ball joint near `turn` that suits its link best.

    Points are seen from its frame [12] as they are, and from where its joint is to be as they are wanted.
    """
    attached = scratch_row[ATTACHED:FIRST]
    products, seen = scratch_row[FIRST:SECOND], scratch_row[SECOND:SCRATCH_ROW_SIZE]
    products_about(row, origin(frame), origin(attached), products)
    seen_from(attached[ROTATION:], products, frame[ROTATION:], seen)
    return best_rotation_from(turn, seen, threshold)


@compiled
def about_z(row: Floats, frame: Floats, attached: Floats, products: Floats) -> tuple[float, float]:
    """Sine and cosine, times what is gained, of the turn about z from `attached` that suits a link best.

    products [9]: scratch.
    """
    products_about(row, origin(frame), origin(attached), products)
    xx, xy, yx, yy = seen_about_z(attached[ROTATION:], products, frame[ROTATION:])
    return yx - xy, xx + yy


@compiled(inline=False)
def turn_to(
    mover: Records,
    row: Floats,
    frame: Floats,
    scratch_row: Floats,
    threshold: float,
    use_limits: bool,
    q: Floats,
) -> None:
    """Turn a revolute joint so that the points on its link come nearest to where they are wanted."""
    sine, cosine = about_z(row, frame, scratch_row[ATTACHED:FIRST], scratch_row[FIRST:SECOND])
    if max(abs(sine), abs(cosine)) <= threshold:
        return
    i = mover.q
    angle = nearest_turn(angle_of(sine, cosine) - q[i])
    if use_limits:
        angle = turn_within_limits(q[i], angle, mover.lower, mover.upper)
        q[i] = min(max(q[i] + angle, mover.lower), mover.upper)
    else:
        q[i] += angle


@compiled(inline=False)
def move_prismatic(
    mover: Records, row: Floats, frame: Floats, attached: Floats, use_limits: bool, q: Floats
) -> None:
    """Move a prismatic joint so that the mean of its link's points comes nearest to where it is wanted."""
    weight = row[WEIGHT]
    if not weight > 0.0:
        return
    i = mover.q
    x, y, z = row[NOW] / weight, row[NOW + 1] / weight, row[NOW + 2] / weight
    x, y, z = transposed_times(frame, ROTATION, x - frame[0], y - frame[1], z - frame[2])
    x, y, z = times(attached, ROTATION, x, y, z + q[i])
    axis = z_axis(attached)
    q[i] += (
        axis[0] * (row[WANTED] / weight - attached[0] - x)
        + axis[1] * (row[WANTED + 1] / weight - attached[1] - y)
        + axis[2] * (row[WANTED + 2] / weight - attached[2] - z)
    )
    if use_limits:
        q[i] = min(max(q[i], mover.lower), mover.upper)


@dataclass(frozen=True, kw_only=True)
class FABRIK(Solver):
    """Forward and backward reaching."""

    name: ClassVar[str] = "fabrik"
    title: ClassVar[str] = "FABRIK"
    summary: ClassVar[str] = "Points drawn along the chain, from the target back and from the base out again."
    source: ClassVar[str] = "Aristidou & Lasenby 2011"
    goals: ClassVar[tuple[type[Goal], ...]] = OF_FRAMES
    spares_others: ClassVar[bool] = True

    def tuning(self, length: float) -> MethodTuning:
        return MethodTuning()

    @classmethod
    def kernels(cls) -> dict[str, Kernel[..., Any]]:
        return {"improve": passes, "merit": merit}
