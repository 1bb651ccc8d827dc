"""The outermost kernel: check the input, descend, check the output by forward kinematics."""

from __future__ import annotations

import math

import numpy as np

from limbik.core.compiled import Floats, Records, compiled, to_be_bound
from limbik.core.descent import SETTLED, SOLVED, is_met

# Other ends than those of `core.descent`.
BAD_GOAL = -1
BAD_START = -2

STRICT_PATIENCE = 1e-8  # where the goal is out of reach for certain, settle for good

# Bound by the chain and by the method.
ROWS = to_be_bound()
forward = frames_for = tangent_size = advance = locate = descend = to_be_bound()


@compiled
def answer(
    joints: Records,
    places: Records,
    goal: Floats,
    settings: Records,
    patience: float,
    rest: Floats,
    q: Floats,
    trace_q: Floats,
    trace_error: Floats,
) -> tuple[int, int, float, float, bool, bool]:
    """Solve for one goal from q [nq], which is changed in place.

    goal: point [2 or 3], or [14] as `core.spatial_chain.forward` has it. Returns (why it ended, iterations,
    error [m], error [rad], whether the goal is proved out of reach, whether q was outside its limits).
    """
    place = places[0]
    if not is_finite(goal):
        return BAD_GOAL, 0, 0.0, 0.0, False, False
    if not is_finite(q):
        return BAD_START, 0, 0.0, 0.0, False, False
    target = np.empty(max(goal.size, 3))
    off_plane = locate(place, goal, target)
    was_moved = move_inside(joints, settings[0].use_limits, q)
    is_beyond = is_out_of_reach(place, target, off_plane, settings[0].tolerance)
    end, iterations = descend(
        joints,
        target,
        off_plane,
        settings[0],
        min(patience, STRICT_PATIENCE) if is_beyond else patience,
        rest,
        q,
        trace_q,
        trace_error,
    )
    J = np.empty((ROWS, tangent_size(joints)))
    r = np.empty(ROWS)
    forward(joints, target, q, J, r, frames_for(joints))
    if is_met(r, off_plane, settings[0]):
        end = SOLVED
    elif end == SOLVED:
        end = SETTLED
    squared = off_plane
    turned = 0.0
    for i in range(ROWS):
        if i < 3:
            squared += r[i] * r[i]
        else:
            turned += r[i] * r[i]
    error_rotation = math.sqrt(turned) / settings[0].metres_per_radian
    return end, iterations, math.sqrt(squared), error_rotation, is_beyond, was_moved


@compiled
def is_finite(values: Floats) -> bool:
    """Whether no number is NaN or infinite."""
    for i in range(values.size):
        if not abs(values[i]) < math.inf:
            return False
    return True


@compiled
def move_inside(joints: Records, use_limits: bool, q: Floats) -> bool:
    """Bring q within limits, and quaternions to length 1; whether it moved by more than rounding."""
    before = q.copy()
    advance(joints, before, np.zeros(tangent_size(joints)), 0.0, use_limits, q)
    for i in range(q.size):
        if not abs(q[i] - before[i]) <= 1e-12:
            return True
    return False


@compiled
def is_out_of_reach(place: Records, target: Floats, off_plane: float, tolerance: float) -> bool:
    """Whether no configuration can meet the goal's position, by a bound on the distance from the first joint.

    The distance from the first joint to the end effector is at most the sum of the segments (triangle
    inequality) and at least the longest one less all the others, whatever the joints do; and a chain in a
    plane cannot leave it.
    """
    if off_plane > tolerance * tolerance:
        return True
    if target.size > 3 and target[13] == 0.0:
        return False
    squared = 0.0
    for i in range(min(target.size, 3)):
        squared += target[i] * target[i]
    distance = math.sqrt(squared)
    rounding = 1e-12 * place.reach
    return (
        distance > place.reach + tolerance + rounding
        or distance < place.shortest_reach - tolerance - rounding
    )
