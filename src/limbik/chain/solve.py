"""The outermost kernel: check the input, descend, check the output by forward kinematics."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from limbik.chain.descent import SETTINGS, is_met
from limbik.compiler.arrays import ANY, ArrayType, array
from limbik.compiler.kernel import Floats, Matrix, Records, Watch, compiled, empty, to_be_bound
from limbik.numerics.end_codes import BAD_GOAL, BAD_START, SETTLED, SOLVED
from limbik.numerics.linear import fill
from limbik.numerics.start_check import INVALID, MOVED

# Where the chain stands: what `locate` needs to express a target in the chain's own coordinates.
PLACE = np.dtype(
    [
        ("origin", np.float64, 3),  # [m, world] of the first joint
        ("x", np.float64, 3),  # axes of the plane and its normal; the world's for chains in space
        ("y", np.float64, 3),
        ("z", np.float64, 3),
        ("reach", np.float64),  # [m]
        ("shortest_reach", np.float64),  # [m]
    ]
)

ANSWER_SIZE = 6

STRICT_PATIENCE = 1e-8  # where the goal is out of reach for certain, settle for good

# Bound by the chain and by the method.
ROWS = to_be_bound()
forward = frames_size = tangent_size = admit = locate = descend = to_be_bound()


@compiled
def answer(
    joints: Annotated[Records, ArrayType((ANY,), "joint")],
    places: Annotated[Records, array(1, dtype=PLACE)],
    goal: Floats,
    settings: Annotated[Records, array(1, dtype=SETTINGS)],
    rest: Floats,
    q: Floats,
    facts: Floats,
    trace_q: Matrix,
    trace_error: Floats,
    watch: Watch,
) -> None:
    """Solve for one goal from q [nq], which is changed in place.

    goal: point [2 or 3], or [14] as `chain.spatial.forward` has it. facts [ANSWER_SIZE]: why it ended,
    iterations, error [m], error [rad], the least error [m] that is possible where the goal is proved out of
    reach, else 0, and whether q was moved inside its limits.
    """
    place = places[0]
    fill(0.0, facts)
    if not is_finite(goal):
        facts[0] = BAD_GOAL
        return
    admitted = admit(joints, settings[0].use_limits, q)
    if admitted == INVALID:
        facts[0] = BAD_START
        return
    target = empty(max(goal.size, 3))
    off_plane = locate(place, goal, target)
    least_error = error_out_of_reach(place, target, off_plane, settings[0].tolerance)
    end, iterations = descend(
        joints,
        target,
        off_plane,
        settings[0],
        min(settings[0].patience, STRICT_PATIENCE) if least_error > 0.0 else settings[0].patience,
        rest,
        q,
        trace_q,
        trace_error,
        watch,
    )
    J, r = empty(ROWS, tangent_size(joints)), empty(ROWS)
    forward(joints, target, q, J, r, empty(frames_size(joints)))
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
    facts[0], facts[1], facts[2] = end, iterations, math.sqrt(squared)
    facts[3] = math.sqrt(turned) / settings[0].metres_per_radian
    facts[4], facts[5] = least_error, 1.0 if admitted == MOVED else 0.0


@compiled
def is_finite(values: Floats) -> bool:
    """Whether no number is NaN or infinite."""
    for i in range(values.size):
        if not abs(values[i]) < math.inf:
            return False
    return True


@compiled
def error_out_of_reach(place: Records, target: Floats, off_plane: float, tolerance: float) -> float:
    """The least error [m] of the goal's position where no configuration can meet it, else 0.

    The distance from the first joint to the end effector is at most the sum of the segments (triangle
    inequality) and at least the longest one less all the others, whatever the joints do; and a chain in a
    plane cannot leave it.
    """
    if target.size > 3 and target[13] == 0.0:
        return 0.0
    squared = 0.0
    for i in range(3):
        squared += target[i] * target[i]
    distance = math.sqrt(squared)
    beyond = max(distance - place.reach, place.shortest_reach - distance, 0.0)
    least = math.sqrt(beyond * beyond + off_plane)
    return least if least > tolerance + 1e-12 * (distance + place.shortest_reach) else 0.0
