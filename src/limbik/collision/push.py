"""Kernel that pushes a configuration out of collision while its goals are held.

Each step first does what the goals ask for; in what that leaves free it is the shortest with which the pairs
come as far apart as they should be, or as near to that as can be, within the limits of the joints. That is a
small quadratic program, with a row for each near pair (`numerics.min_norm_step`).
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from limbik.collision.gjk import GjkScratch
from limbik.collision.nearest import ALL, DISTANCE, Poses, Results, SearchArrays, pose_objects, search_at
from limbik.collision.records import Pairs, Shapes
from limbik.compiler.arrays import array
from limbik.compiler.kernel import NOW, Floats, Matrix, compiled, is_stopped
from limbik.numerics.linear import copy, damped_solve, dot
from limbik.numerics.min_norm_step import Multipliers, min_norm_step, n_inequalities
from limbik.tree.evaluation import differentiate, evaluate
from limbik.tree.joints import SPHERICAL, advance
from limbik.tree.kinematics import nv
from limbik.tree.workspace import Objectives, Tree, Workspace, n_rows, nq

STEPS = 30
STALLED = 10  # steps without a gain end it
GAIN = 0.9  # of the smallest error [m, and units of the goals]
LONGEST = 0.3  # [rad, and lengths] of a step in any joint
SHORTEST = 1e-7  # the same, under which nothing moves any more
HORIZON = 0.05  # [m] beyond the clearance, within which pairs count
MARGIN = 1e-3  # [m] more than the clearance that is aimed at
MET = 1e-4  # of the goals' errors, near enough for a last solve
DAMPING = 1e-6  # of the goals' rows
HARD = 1e-9  # the same of a limit's row
SOFTNESS = 1e-4  # of a pair's row: how much of a gap is left where rows contradict each other

# What a push comes to, where it is not the number of near pairs that there was no space for.
BARRED, OUT = -1, 0

# Settings, by index.
CLEARANCE = 0  # [m]
USE_LIMITS = 1
SETTINGS_SIZE = 2


class Push(NamedTuple):
    """The arrays of a push, with rows for pairs and for limits."""

    settings: Annotated[Floats, array(SETTINGS_SIZE)]
    q: Annotated[Floats, array(nq)]  # where it is
    rows: Annotated[Floats, array(n_inequalities, nv)]  # of what a step changes
    gaps: Annotated[Floats, array(n_inequalities)]  # by how much it should
    softness: Annotated[Floats, array(n_inequalities)]
    along: Annotated[Floats, array(n_rows)]  # what a row does to the goals
    taken: Annotated[Floats, array(nv)]  # what the goals take of a row
    toward: Annotated[Floats, array(nv)]  # the goals, in units
    change: Annotated[Floats, array(nv)]  # of that, for the rows


@compiled
def push_out(
    tree: Tree, objectives: Objectives, workspace: Workspace, shapes: Shapes, poses: Poses, pairs: Pairs,
    search_settings: Floats, near: SearchArrays, scratch: GjkScratch, results: Results, rows: Matrix, push:
    Push, multipliers: Multipliers,
) -> int:  # fmt: skip
    """Bring q, near which the goals are met, to where nothing is in collision and they are nearly met.

    Returns OUT, or BARRED where the path there is barred or the watch ends it, or how many near pairs there
    are where `results` has rows for fewer. search_settings, rows: as `collision.nearest` has them.
    """
    pose_objects(poses, shapes.frames, tree.links.size + 1)
    smallest = math.inf
    since = 0
    for _ in range(STEPS):
        if is_stopped(objectives.watch, NOW):
            return BARRED
        count = search_at(
            tree.links, shapes, pairs, search_settings, push.q, ALL, near, scratch, results, rows
        )
        if count > results.shape[0]:
            return count
        evaluate(tree, objectives, workspace, push.q, 0)
        left = workspace.errors[0, : int(objectives.level_rows[1])]
        deepest, off = worst_of(push, results, count, left)
        if deepest <= 0.5 * MARGIN and off <= MET:
            return OUT
        since = 0 if deepest + off < GAIN * smallest else since + 1
        smallest = min(smallest, deepest + off)
        if since == STALLED:
            return BARRED
        differentiate(tree, objectives, workspace, workspace.J)
        J = workspace.J[: left.size]
        damped_solve(J, left, DAMPING, 0.0, workspace.A, workspace.y, push.toward)
        size = add_pairs(tree, results, rows, count, push)
        if push.settings[USE_LIMITS] > 0.0:
            size = add_limits(tree, size, push)
        leave_to_goals(J, workspace, size, push)
        min_norm_step(push.rows[:size], push.gaps[:size], push.softness[:size], multipliers, push.change)
        if not make_step(tree, workspace, push):
            return BARRED
    return BARRED


@compiled
def worst_of(push: Push, results: Floats, count: int, left: Floats) -> tuple[float, float]:
    """How much the pair lacks that is nearest to the clearance and its margin [m], and the largest error of
    the goals.
    """
    deepest = off = 0.0
    for k in range(count):
        deepest = max(deepest, push.settings[CLEARANCE] + MARGIN - results[k, DISTANCE])
    for i in range(left.size):
        off = max(off, abs(left[i]))
    return deepest, off


@compiled(inline=False)
def add_pairs(tree: Tree, results: Floats, rows: Floats, count: int, push: Push) -> int:
    """A row for each near pair, in units; returns how many rows there are."""
    for k in range(count):
        for v in range(push.change.size):
            push.rows[k, v] = rows[k, v] * tree.units[v]
        push.gaps[k] = push.settings[CLEARANCE] + MARGIN - results[k, DISTANCE]
        push.softness[k] = SOFTNESS
    return count


@compiled(inline=False)
def add_limits(tree: Tree, size: int, push: Push) -> int:
    """A row for each limit that a step may come to; returns how many rows there are."""
    for j in range(tree.movers.size - 1):
        mover = tree.movers[j]
        unit = tree.units[mover.v]
        if mover.kind == SPHERICAL or unit == 0.0:
            continue
        below, above = push.q[mover.q] - mover.lower, mover.upper - push.q[mover.q]
        for side in range(2):
            margin = below if side == 0 else above
            if margin < LONGEST * unit:
                for v in range(push.change.size):
                    push.rows[size, v] = 0.0
                push.rows[size, mover.v] = unit if side == 0 else -unit
                push.gaps[size] = -margin
                push.softness[size] = HARD
                size += 1
    return size


@compiled(inline=False)
def leave_to_goals(J: Floats, workspace: Workspace, size: int, push: Push) -> None:
    """What the step toward the goals leaves of the rows, in what the goals leave free."""
    along = push.along[: J.shape[0]]
    for k in range(size):
        row = push.rows[k]
        push.gaps[k] -= dot(row, push.toward)
        for i in range(along.size):
            along[i] = dot(J[i], row)
        damped_solve(J, along, DAMPING, 0.0, workspace.A, workspace.y, push.taken)
        for v in range(row.size):
            row[v] -= push.taken[v]


@compiled(inline=False)
def make_step(tree: Tree, workspace: Workspace, push: Push) -> bool:
    """Go on from q; False where nothing moves any more."""
    longest = 0.0
    for v in range(push.change.size):
        workspace.dx[v] = push.toward[v] + push.change[v]
        longest = max(longest, abs(workspace.dx[v]))
    if not SHORTEST <= longest <= 1e300:
        return False
    fraction = min(1.0, LONGEST / longest)
    for v in range(push.change.size):
        workspace.dq[v] = tree.units[v] * workspace.dx[v]
    advance(tree.movers, push.q, workspace.dq, fraction, push.settings[USE_LIMITS] > 0.0, workspace.trial)
    copy(workspace.trial, push.q)
    return True
