"""How far goals are from being met at a configuration, and how well the model can move there.

In NumPy, by the model's own kinematics: what is told about an answer does not come from the kernel that found
it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from limbik.goals import (
    ONE6,
    ZERO6,
    CenterOfMass,
    Direction,
    Goal,
    JointValue,
    LookAt,
    Orientation,
    PointOnLine,
    PointOnPlane,
    Pose,
    Position,
    Posture,
    Relative,
    axes_of,
    cone_of,
    free_axis,
)
from limbik.model.joints import Joint, JointKind
from limbik.model.model import Model
from limbik.solution import Miss, Request, Solution
from limbik.spatial import (
    Array,
    Matrix3,
    Matrix4,
    Vector3,
    cross,
    norm,
    quat_conjugate,
    quat_log,
    quat_multiply,
    quat_normalise,
    rotation_between,
    rotation_log,
)

GENERIC = 3  # random configurations that tell in how many directions a model can move
SINGULAR = 1e-9  # of the largest singular value: below it, one counts as 0
UP = np.array([0.0, 0.0, 1.0])


def misses(request: Request, q: Array) -> tuple[Miss, ...]:
    """How far each goal is from being met at q [nq], beyond its tolerance."""
    return tuple(_miss(list(_parts(request, goal, q))) for goal in request.goals)


def plain_errors(request: Request, q: Array) -> Array:
    """How far the only goal, a plain one, is from being met at q [k, nq]: [k, m], as in `distance`."""
    (goal,) = request.goals
    if isinstance(goal, Pose) and goal.weights is not None:
        found = (misses(request, each)[0] for each in q)
        return np.array([math.hypot(miss.position, half_reach(request) * miss.rotation) for miss in found])
    pose = request.model.pose(q, goal.frame) @ tool_of(request, goal)
    metres = radians = np.zeros(len(q))
    if isinstance(goal, Position):
        metres = norm(pose[:, :3, 3] - goal.target)
    else:
        assert isinstance(goal, Pose | Orientation), "the plain ones"
        chord = norm((pose[:, :3, :3] - goal.target[:3, :3]).reshape(-1, 9)) / math.sqrt(2.0)
        radians = 2.0 * np.arcsin(np.minimum(0.5 * chord, 1.0))
    if isinstance(goal, Pose):
        metres = norm(pose[:, :3, 3] - goal.target[:3, 3])
    return np.asarray(np.hypot(metres, half_reach(request) * radians))


def distance(solution: Solution) -> float:
    """How far a solution is from its goal [m], a radian counted as half of the reach."""
    return math.hypot(solution.error, half_reach(solution.request) * solution.error_rotation)


def manipulability(request: Request, q: Array) -> float:
    """Yoshikawa's measure of manipulability (1985); see `Solution.manipulability`."""
    return math.prod(_singular_values(request, q, 1.0))


def condition_number(request: Request, q: Array) -> float:
    """Largest over smallest singular value; see `Solution.condition_number`."""
    values = _singular_values(request, q, half_reach(request))
    if not values:
        return math.inf
    return values[0] / values[-1] if values[-1] > SINGULAR * values[0] else math.inf


def half_reach(request: Request) -> float:
    """[m] that count as much as a radian: half the reach of the first frame that is asked for."""
    reach = request.model.reach(request.goals[0].frame)
    return 0.5 * reach if 0.0 < reach < math.inf else 1.0


def holds_tool(request: Request, goal: Goal) -> bool:
    """Whether a goal is for the tool in its frame: a single goal; of several, those for the end effector."""
    if request.options.get("tool") is None:
        return False
    return len(request.goals) == 1 or goal.frame in (None, request.model.end_effector)


def tool_of(request: Request, goal: Goal) -> Matrix4:
    """pose_frame_tool."""
    return np.asarray(request.options["tool"]) if holds_tool(request, goal) else np.eye(4)


# --- singular values ----------------------------------------------------------------------------------------


def _singular_values(request: Request, q: Array, length: float) -> list[float]:
    """The singular values of J, the largest first; as many as the model can have. J is of what is asked of
    frames; length [m]: the unit in which positions are counted.
    """
    asked = [goal for goal in request.goals if not isinstance(goal, JointValue | Posture)]
    others = request.model.random(0, GENERIC)
    most = max(rank(jacobian(request, asked, other, length)) for other in others)
    values: list[float] = np.linalg.svd(jacobian(request, asked, q, length), compute_uv=False).tolist()
    return values[:most]


def rank(J: Array) -> int:
    """Of a Jacobian [m, nv]: in how many directions it moves."""
    values = np.linalg.svd(J, compute_uv=False)
    return int((values > SINGULAR * values.max(initial=0.0)).sum())


def jacobian(request: Request, goals: Sequence[Goal], q: Array, length: float) -> Array:
    """The rows [m, nv] of what some of the request's goals ask for at q [nq].

    length [m]: the unit in which positions are counted.
    """
    parts = [part for goal in goals for part in _parts(request, goal, q)]
    rows = [part.rows / length if part.is_position else part.rows for part in parts]
    return np.vstack([np.empty((0, request.model.nv)), *rows])


# --- goals --------------------------------------------------------------------------------------------------


class _Part(NamedTuple):
    """Some errors of one unit, and the rows of the Jacobian that change them."""

    is_position: bool
    error: Array  # [k, m or rad], beyond the tolerance
    rows: Array  # [k, nv]


class _Motion(NamedTuple):
    """Where a frame is, and how it moves, in some axes."""

    pose: Matrix4
    linear: Array  # [3, nv]
    angular: Array  # [3, nv]


def _miss(parts: Sequence[_Part]) -> Miss:
    position = [part.error for part in parts if part.is_position]
    rotation = [part.error for part in parts if not part.is_position]
    return Miss(*(float(norm(np.concatenate([np.zeros(1), *errors]))) for errors in (position, rotation)))


def _parts(request: Request, goal: Goal, q: Array) -> Iterator[_Part]:
    return _PARTS[type(goal)](request, goal, q)


def _motion(model: Model, frame: str | None, tool: Matrix4, q: Array) -> _Motion:
    pose, J = model.pose(q, frame), model.jacobian(q, frame)
    lever = pose[:3, :3] @ tool[:3, 3]
    return _Motion(pose @ tool, J[:3] + cross(J[3:].T, lever).T, J[3:])


def _seen_from(other: _Motion, frame: _Motion) -> _Motion:
    """The motion of a frame in the axes of another one."""
    back = other.pose[:3, :3].T
    away = frame.pose[:3, 3] - other.pose[:3, 3]
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = back @ frame.pose[:3, :3], back @ away
    linear = frame.linear - other.linear - cross(other.angular.T, away).T
    return _Motion(pose, back @ linear, back @ (frame.angular - other.angular))


def _position(request: Request, goal: Position, q: Array) -> Iterator[_Part]:
    frame = _motion(request.model, goal.frame, tool_of(request, goal), q)
    size = goal.target.size
    axes = np.eye(3)[:, :size] if goal.axes == "world" else frame.pose[:3, :size]
    left = goal.target - frame.pose[:size, 3]
    weight, tolerance = axes_of(goal.weight)[:size], axes_of(goal.tolerance)[:size]
    yield _along(axes, left @ axes[:size], frame.linear, weight, tolerance)


def _orientation(request: Request, goal: Orientation, q: Array) -> Iterator[_Part]:
    frame = _motion(request.model, goal.frame, tool_of(request, goal), q)
    free = free_axis(axes_of(goal.weight))
    if free is not None:
        in_frame = np.eye(3)[free] if goal.axes == "frame" else goal.target[free]
        yield _axis(frame, in_frame, goal.target @ in_frame, cone_of(axes_of(goal.tolerance), free))
        return
    axes = np.eye(3) if goal.axes == "world" else frame.pose[:3, :3]
    left = axes.T @ rotation_log(goal.target @ frame.pose[:3, :3].T)
    yield _about(axes, left, frame.angular, axes_of(goal.weight), axes_of(goal.tolerance))


def _pose(request: Request, goal: Pose, q: Array) -> Iterator[_Part]:
    frame = _motion(request.model, goal.frame, tool_of(request, goal), q)
    if isinstance(goal, Relative):
        frame = _seen_from(_motion(request.model, goal.reference, np.eye(4), q), frame)
    weights, tolerance = goal.weights or ONE6, goal.tolerance or ZERO6
    axes = goal.target[:3, :3]
    left = axes.T @ (goal.target[:3, 3] - frame.pose[:3, 3])
    yield _along(axes, left, frame.linear, weights[:3], tolerance[:3])
    free = free_axis(weights[3:])
    if free is not None:
        yield _axis(frame, np.eye(3)[free], axes[:, free], cone_of(tolerance[3:], free))
    else:
        turn = axes.T @ rotation_log(axes @ frame.pose[:3, :3].T)
        yield _about(axes, turn, frame.angular, weights[3:], tolerance[3:])


def _direction(request: Request, goal: Direction, q: Array) -> Iterator[_Part]:
    frame = _motion(request.model, goal.frame, tool_of(request, goal), q)
    yield _axis(frame, goal.axis, goal.target, goal.tolerance)


def _look_at(request: Request, goal: LookAt, q: Array) -> Iterator[_Part]:
    frame = _motion(request.model, goal.frame, tool_of(request, goal), q)
    way = goal.target - frame.pose[:3, 3]
    distance = max(float(norm(way)), 1e-9)
    # A sideways move turns the direction to the point the other way.
    turning = frame.angular - cross(way / distance, -frame.linear.T / distance).T
    yield _axis(frame._replace(angular=turning), goal.axis, way / distance, goal.tolerance)


def _point_on_line(request: Request, goal: PointOnLine, q: Array) -> Iterator[_Part]:
    yield _off_point(request, goal, q, rotation_between(UP, goal.direction)[:, :2])


def _point_on_plane(request: Request, goal: PointOnPlane, q: Array) -> Iterator[_Part]:
    yield _off_point(request, goal, q, goal.normal[:, None])


def _off_point(request: Request, goal: PointOnLine | PointOnPlane, q: Array, axes: Array) -> _Part:
    frame = _motion(request.model, goal.frame, tool_of(request, goal), q)
    left = (goal.point - frame.pose[:3, 3]) @ axes
    size = axes.shape[1]
    return _along(axes, left, frame.linear, (goal.weight,) * size, (goal.tolerance,) * size)


def _center_of_mass(request: Request, goal: CenterOfMass, q: Array) -> Iterator[_Part]:
    left = goal.target - request.model.center_of_mass(q)
    J = request.model.center_of_mass_jacobian(q)
    yield _along(np.eye(3), left, J, axes_of(goal.weight), axes_of(goal.tolerance))


def _joint_value(request: Request, goal: JointValue, q: Array) -> Iterator[_Part]:
    model, joint = request.model, request.model.joint(goal.joint)
    value, rate = float(q[model.q_slice(joint.name).start]), 1.0
    if joint.mimic is not None:
        value, rate = joint.mimic.value(value), joint.mimic.multiplier
    is_slide = joint.kind is JointKind.PRISMATIC
    left = goal.value - value
    if not is_slide and not joint.has_limits:
        left = math.remainder(left, 2.0 * math.pi)
    rows = np.zeros((1, model.nv))
    rows[0, model.v_slice(joint.name)] = rate
    yield _Part(is_slide, _beyond(np.array([left]), (goal.tolerance,)), rows)


def _posture(request: Request, goal: Posture, q: Array) -> Iterator[_Part]:
    model = request.model
    counts = np.broadcast_to(goal.weight, model.nv) > 0.0
    left, rows = np.zeros(model.nv), np.eye(model.nv)
    is_travel = np.zeros(model.nv, dtype=bool)
    for joint in model.joints:
        if joint.nv:
            part, place = model.q_slice(joint.name), model.v_slice(joint.name)
            left[place] = _way(joint, q[part], goal.q[part])
            travels = {JointKind.PRISMATIC: 1, JointKind.FLOATING: 3}.get(joint.kind, 0)
            is_travel[place.start : place.start + travels] = True
    for is_position in (True, False):
        kept = counts & (is_travel == is_position)
        yield _Part(is_position, left[kept], rows[kept])


def _way(joint: Joint, here: Array, there: Array) -> Array:
    """From one value of a joint to another [nv]: travel and turn apart, whole turns not counted without
    limits."""
    if joint.nv == 1:
        turns = joint.kind is not JointKind.PRISMATIC and not joint.has_limits
        return np.array([math.remainder(float(there[0] - here[0]), 2.0 * math.pi)]) if turns else there - here
    turn = quat_log(quat_multiply(quat_conjugate(quat_normalise(here[-4:])), quat_normalise(there[-4:])))
    return np.concatenate([there[:-4] - here[:-4], turn])


def _along(
    axes: Array, left: Array, linear: Array, weights: Sequence[float], tolerance: Sequence[float]
) -> _Part:
    """What is left [k, m] along the columns of `axes` [3, k] that count."""
    counts = np.array(weights) > 0.0
    return _Part(True, _beyond(left, tolerance)[counts], (axes.T @ linear)[counts])


def _about(
    axes: Matrix3, left: Vector3, angular: Array, weights: Sequence[float], tolerance: Sequence[float]
) -> _Part:
    """What is left [rad] about the columns of `axes` that count."""
    counts = np.array(weights) > 0.0
    return _Part(False, _beyond(left, tolerance)[counts], (axes.T @ angular)[counts])


def _axis(frame: _Motion, axis: Vector3, wanted: Vector3, tolerance: float) -> _Part:
    """The smallest turn that brings an axis of the frame to a direction, about two axes across that."""
    across = rotation_between(UP, wanted)[:, :2]
    turn = rotation_log(rotation_between(frame.pose[:3, :3] @ axis, wanted))
    angle = float(norm(turn))
    left = max(angle - tolerance, 0.0) / angle if angle > 0.0 else 0.0
    return _Part(False, left * (turn @ across), across.T @ frame.angular)


def _beyond(left: Array, tolerance: Sequence[float]) -> Array:
    """How far values are outside [-tolerance, tolerance]."""
    return np.asarray(left - np.clip(left, -np.array(tolerance), np.array(tolerance)))


_PARTS: dict[type[Goal], Callable[[Request, Any, Array], Iterator[_Part]]] = {
    Position: _position,
    Orientation: _orientation,
    Pose: _pose,
    Relative: _pose,
    Direction: _direction,
    LookAt: _look_at,
    PointOnLine: _point_on_line,
    PointOnPlane: _point_on_plane,
    CenterOfMass: _center_of_mass,
    JointValue: _joint_value,
    Posture: _posture,
}
