"""Motion in the null space of a redundant model's goals, with secondary objectives: from joint limits, to a
posture, more manipulability (Liégeois 1977).

    hold = limbik.Pose(target=model.pose(q))
    q = nullspace.slide(model, q, nullspace.stay_from_limits, step=0.05, keep=hold).q

A secondary objective is a direction [nv], in which it gets better fastest. `slide` takes the part of it that
keeps the frame, moves along it, and solves what curvature has left of an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from limbik import measure
from limbik.derivatives.differences import LARGEST
from limbik.errors import ConfigurationError, SolverError, shortened
from limbik.goals import Goal, GoalLike, Pose, as_goals
from limbik.model.euler import EulerLimits, EulerRanges
from limbik.model.joints import JointKind
from limbik.model.margins import Reading, readings
from limbik.model.model import Model, as_bounded_configuration, as_model
from limbik.request import Request
from limbik.solution import Solution
from limbik.solvers.checked_options import locked_names
from limbik.solvers.loop import solve
from limbik.spatial import (
    Array,
    Matrix3,
    Quaternion,
    Vector3,
    as_real,
    as_vector,
    check_largest,
    cross,
    quat_conjugate,
    quat_normalise,
    quat_rotate,
    unit,
)

Keep: TypeAlias = str | GoalLike | Sequence[Goal] | None
Objective: TypeAlias = Callable[[Model, Array], ArrayLike]

MARGIN = 0.001  # of half a range: a joint nearer to its limit is pushed no harder
ONE_SIDED = {"travel": 1.0}  # [m] half of the range where one limit is missing; of rotations [rad]: pi
SMALL = 1e-5  # [rad or m] of a central difference; its error is a billionth


def basis(model: Model, q: ArrayLike, keep: Keep = None, *, locked: Collection[str] = ()) -> Array:
    """Orthonormal basis [nv, k] of the velocities that keep a frame's pose, or goals, to first order.

    keep:
        The name of a frame; default: the end effector. Or a goal or several, as for `solve`, met at q [nq]:
        those of the first priority are held, and what they leave free is free. k is 0 where nothing can move.
    locked:
        Names of joints that keep still.

    The columns are the right singular vectors of the Jacobian, lengths in half reaches, whose singular values
    are below 1e-9 of the largest (Golub & Van Loan 1996). In a singular configuration there are more of them.
    """
    q = _one(model, q)
    goals = _held(model, q, keep)
    request = Request(model=model, goals=goals, solver="", options={})
    free = np.ones(model.nv, dtype=bool)
    for name in locked_names(locked):
        free[model.v_slice(name)] = False
    J = measure.jacobian(request, goals, q, measure.half_reach(request))[:, free]
    directions = np.zeros((model.nv, 0))
    if free.any():
        _, _, right = np.linalg.svd(J)
        null_rows = right[measure.rank(J) :].T
        directions = np.zeros((model.nv, null_rows.shape[1]))
        directions[free] = null_rows
    return directions


def slide(
    model: Model, q: ArrayLike, direction: ArrayLike | Objective, *, step: float, keep: Keep = None
) -> Solution:
    """The configuration reached from q [nq] along a direction [nv] without moving what is held.

    direction:
        Only its part in the null space is followed: as far as that part is long, and at most `step`, the
        length of the velocity [rad and m]. A direction that is a difference therefore arrives where it can.
        A function of model and q that returns the direction, such as `stay_from_limits`, is evaluated again
        where the slide ends: the slide is halved while it points back there, so that repeated slides come to
        rest where the objective is best and do not oscillate about it.
    keep:
        As in `basis`. A frame is held where it is now; goals are met, so that many slides do not add up to a
        drift.

    The answer is that of a solve from there: what is held is met within its tolerance, or `success` is False,
    and the joints are within their limits.
    """
    if not 0.0 < as_real(step) < math.inf:
        raise SolverError(f"`step` needs a positive length [rad or m], found {shortened(step)}")
    q = _one(model, q)
    v = _direction(model, q, direction)
    free = basis(model, q, keep)
    along = free @ (free.T @ v)
    length = float(np.linalg.norm(along))
    if length > step:
        along *= step / length
    goals = _held(model, q, keep)
    while True:
        solution = solve(model, goals, start=model.clip(model.integrate(q, along)), restarts=0)
        moved = model.difference(q, solution.q)
        is_final = not callable(direction) or np.linalg.norm(along) < SMALL
        if is_final or min(v @ moved, _direction(model, solution.q, direction) @ moved) >= 0.0:
            return solution
        along *= 0.5


def _direction(model: Model, q: Array, direction: ArrayLike | Objective) -> Array:
    """The direction [nv] at q, checked."""
    values = direction(model, q) if callable(direction) else direction
    v = as_vector(values, model.nv, "`direction`", error=ConfigurationError)
    check_largest(v, LARGEST, "`direction`", "", ConfigurationError)
    return v


# --- secondary objectives -----------------------------------------------------------------------------------


def toward(model: Model, q: ArrayLike, posture: ArrayLike) -> Array:
    """The velocity [nv] that leads from q to a posture [nq] in unit time; revolutions of a hinge without
    limits are left out where they change no pose.
    """
    q = _one(model, q)
    v = model.difference(q, as_bounded_configuration(model, posture, "`posture`"))
    for joint in model.joints:
        if joint.mimic is None and model.is_periodic(joint):
            index = model.v_slice(joint.name).start
            v[index] = math.remainder(v[index], 2.0 * math.pi)
    return v


def stay_from_limits(model: Model, q: ArrayLike) -> Array:
    """The velocity [nv] that takes every joint away from its limits, toward the middle of its range.

    It is the gradient of the sum of h^2 log(1 - (x / h)^2) / 2 over all limited angles, travels, swings and
    twists, x being the distance from the middle and h half of the range: near the middle a spring of
    stiffness 1, at a limit a wall, as in Zghal, Dubey & Euler 1990. Where one limit is missing, the range is
    taken to be a full turn or 2 m.
    """
    q = _one(model, q)
    v = np.zeros(model.nv)
    for reading in readings(model, q):
        push = _push(reading)
        if push != 0.0:
            v[model.v_slice(reading.joint.name)] += push * _rate(model, reading, q)
    return v


def raise_manipulability(model: Model, q: ArrayLike, frame: str | None = None) -> Array:
    """The gradient [nv] of the logarithm of a frame's manipulability (Yoshikawa 1985), by central
    differences; 0 along what leaves it singular. See `Solution.manipulability`.
    """
    q = _one(model, q)
    max_rank = max(measure.rank(J) for J in model.jacobian(model.random(0, measure.GENERIC), frame))
    steps = SMALL * np.concatenate([np.eye(model.nv), -np.eye(model.nv)])
    values = np.linalg.svd(model.jacobian(model.integrate(q, steps), frame), compute_uv=False)
    ahead, behind = values[:, :max_rank].prod(axis=1).reshape(2, -1)
    total = ahead + behind
    is_known = total > measure.SINGULAR * values.max(initial=0.0) ** max_rank
    return np.divide(ahead - behind, SMALL * total, out=np.zeros(model.nv), where=is_known)


def _push(reading: Reading) -> float:
    """How fast a reading is to change."""
    middle, half = _range(reading)
    if half == 0.0 or math.isinf(half):
        return 0.0
    u = (reading.value - middle) / half
    is_open = math.isinf(reading.upper if u > 0.0 else reading.lower) and reading.quantity != "swing"
    return 0.0 if is_open else -half * u / max(1.0 - u * u, MARGIN)


def _range(reading: Reading) -> tuple[float, float]:
    """The middle of a reading's range, and half of its width; infinite where there are no limits."""
    lower, upper = reading.lower, reading.upper
    if reading.quantity == "swing":
        return 0.0, upper
    if math.isfinite(lower) and math.isfinite(upper):
        return 0.5 * (lower + upper), 0.5 * (upper - lower)
    half = ONE_SIDED.get(reading.quantity, math.pi)
    if math.isfinite(lower):
        return lower + half, half
    return (upper - half, half) if math.isfinite(upper) else (0.0, math.inf)


def _rate(model: Model, reading: Reading, q: Array) -> Array:
    """How the reading changes with the joint's velocity [nv of the joint]."""
    if reading.joint.kind is not JointKind.BALL:
        return np.ones(1)
    turn = quat_normalise(q[model.q_slice(reading.joint.name)])
    if reading.joint.euler is not None:
        order = reading.joint.euler.order.lower()
        return euler_rates(reading.joint.euler, turn)[order.index(reading.quantity[-1])]
    rate = swing_rate if reading.quantity == "swing" else twist_rate
    return rate(turn, reading.joint.axis)


def swing_rate(turn_xyzw: Quaternion, axis: Vector3) -> Vector3:
    """How the swing of a turn changes with the angular velocity in the axes of the moved frame [3].

    The swing is the angle between `axis` and what the turn makes of it.
    """
    return unit(cross(quat_rotate(quat_conjugate(turn_xyzw), axis), axis))


def twist_rate(turn_xyzw: Quaternion, axis: Vector3) -> Vector3:
    """How the twist of a turn about `axis`, 2 atan2(v . axis, w), changes with the angular velocity in the
    axes of the moved frame [3]; by dv = (w a + v x a) / 2 and dw = -v . a / 2 for the velocity a.
    """
    v, w = turn_xyzw[:3], turn_xyzw[3]
    along = v @ axis
    return np.asarray((w * (w * axis + cross(axis, v)) + along * v) / max(w * w + along * along, 1e-300))


def euler_rates(limits: EulerLimits, turn_xyzw: Quaternion) -> Matrix3:
    """How the three Euler angles of a turn, in their order, change with the angular velocity in the axes of
    the moved frame [3, 3]; finite where the second is a quarter turn.

    The velocity is a' (cos(b) n1 + s sin(b) e3) + b' n2 + c' e3, with e3 the last axis, n1 and n2 the first
    two turned back by c, and s = 1 for axes in cyclic order, else -1.
    """
    first, second, third = np.eye(3)[list(limits.axes)]
    sign = float(np.cross(first, second) @ third)
    _, b, c = EulerRanges([limits]).angles(turn_xyzw[None])[0]
    one = math.cos(c) * first - sign * math.sin(c) * second
    two = sign * math.sin(c) * first + math.cos(c) * second
    rate = one / math.copysign(max(abs(math.cos(b)), 1e-9), math.cos(b))
    return np.array([rate, two, third - sign * math.sin(b) * rate])


# --- what callers hand in -----------------------------------------------------------------------------------


def _one(model: Model, q: ArrayLike) -> Array:
    """One configuration [nq], checked."""
    return as_bounded_configuration(as_model(model), q, "q")


def _held(model: Model, q: Array, keep: Keep) -> tuple[Goal, ...]:
    """The goals that are held: of `keep` those of the first priority."""
    if keep is None or isinstance(keep, str):
        return (Pose(frame=keep, target=model.pose(q, keep)),)
    goals = as_goals(keep)
    for goal in goals:
        list(goal.tasks(model))  # checked before anything is made of them
    first = min(goal.priority for goal in goals)
    return tuple(goal for goal in goals if goal.priority == first)
