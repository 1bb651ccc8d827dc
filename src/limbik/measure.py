"""Errors of goals and their Jacobian, manipulability, condition number and velocity ellipsoid at a
configuration.

In NumPy, by the model's own kinematics: the errors of an answer do not come from the kernel that solved it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from limbik.goals import Direction, Goal, JointValue, Orientation, Pose, Position, Posture
from limbik.goals.goal_errors import ErrorPart, FrameMotion, JointMotion
from limbik.model.joints import JointKind
from limbik.model.model import Model
from limbik.request import Request
from limbik.spatial import Array, Matrix4, Vector3, cross, norm
from limbik.status import PoseError

GENERIC = 3  # random configurations that tell in how many directions a model can move
SHORTEST_REACH, LONGEST_REACH = 1e-9, 1e5  # [m] of which half is a length to count in
LATEST = 32  # goals of answers of which more may be wanted next
SINGULAR = 1e-9  # of the largest singular value: below it, one counts as 0


def goal_errors(request: Request, q: Array) -> tuple[PoseError, ...]:
    """How far each goal is from being met at q [nq], beyond its tolerance."""
    return tuple(_error_of(_parts(request, goal, q)) for goal in request.goals)


def largest_errors(request: Request, q: Array) -> tuple[float, float]:
    """The largest errors of the goals at q [nq], beyond their tolerances: [m] and [rad]."""
    goal = request.goals[0]
    if len(request.goals) == 1 and isinstance(goal, Pose) and goal.weights is None and goal.tolerance is None:
        metres, radians = errors_at(request.model, goal, q[None], tool_of(request, goal))
        return float(metres[0]), float(radians[0])
    errors = goal_errors(request, q)
    return max(each.position for each in errors), max(each.rotation for each in errors)


def plain_errors(request: Request, q: Array) -> Array:
    """How far the only goal, a plain one, is from being met at q [k, nq]: [k, m], as in `distance`."""
    (goal,) = request.goals
    if isinstance(goal, Pose) and goal.weights is not None:
        errors = (goal_errors(request, each)[0] for each in q)
        return np.array([distance(request, error.position, error.rotation) for error in errors])
    metres, radians = errors_at(request.model, goal, q, tool_of(request, goal))
    return np.asarray(np.hypot(metres, half_reach(request) * radians))


def errors_at(model: Model, goal: Goal, q: Array, tool: Matrix4 | None = None) -> tuple[Array, Array]:
    """How far a goal of a frame is from being met at many q [k, nq], without weights and tolerance: [k, m]
    and [k, rad]. A Position, Orientation, Pose or Direction; tool: pose_frame_tool.
    """
    pose = model.pose(q, goal.frame)
    pose = pose if tool is None else pose @ tool
    metres = radians = np.zeros(len(q))
    if isinstance(goal, Direction):
        return metres, _angle(norm(pose[:, :3, :3] @ goal.axis - goal.target))
    if isinstance(goal, Position):
        return norm(pose[:, :3, 3] - goal.target), radians
    assert isinstance(goal, Pose | Orientation), "one of those that are named above"
    if isinstance(goal, Pose):
        metres = norm(pose[:, :3, 3] - goal.target[:3, 3])
    return metres, _angle(norm((pose[:, :3, :3] - goal.target[:3, :3]).reshape(-1, 9)) / math.sqrt(2.0))


def _angle(chord: Array) -> Array:
    """[rad] of a turn, from the distance by which it moves a vector of length 1 across its axis."""
    return np.asarray(2.0 * np.arcsin(np.minimum(0.5 * chord, 1.0)))


def distance(request: Request, error: float, error_rotation: float) -> float:
    """How far an answer is from its goal [m], a radian counted as half of the reach."""
    return math.hypot(error, half_reach(request) * error_rotation)


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
    """[m] that count as much as a radian: half the reach of the first frame that is requested."""
    return half_of(request.model.reach(request.goals[0].frame))


def half_of(reach: float) -> float:
    """Half of a reach [m]; 1 m where it is 0, or so large that it is the travel of a prismatic joint."""
    return 0.5 * reach if SHORTEST_REACH < reach < LONGEST_REACH else 1.0


def holds_tool(request: Request, goal: Goal) -> bool:
    """Whether a goal is for the tool in its frame: a single goal; of several, those for the end effector."""
    if request.options.get("tool") is None:
        return False
    return len(request.goals) == 1 or goal.frame in (None, request.model.end_effector)


def tool_of(request: Request, goal: Goal) -> Matrix4:
    """pose_frame_tool."""
    return np.asarray(request.options["tool"]) if holds_tool(request, goal) else np.eye(4)


def velocity_ellipsoid(
    model: Model, q: Array, frame: str | None = None, locked: Collection[str] = ()
) -> tuple[Array, float]:
    """J J^T [3, 3] of a frame's position at q [nq], without the joints that are locked, and the root of its
    determinant: Yoshikawa's measure of manipulability (1985) [m^3].
    """
    J = model.jacobian(q, frame)[:3]
    for name in locked:
        J[:, model.v_slice(name)] = 0.0
    matrix = J @ J.T
    return matrix, math.sqrt(max(float(np.linalg.det(matrix)), 0.0))


# --- singular values ----------------------------------------------------------------------------------------


def _singular_values(request: Request, q: Array, length: float) -> list[float]:
    """The singular values of J, the largest first; as many as the model can have. J is of the goals of
    frames; length [m]: the unit in which positions are counted.
    """
    goals = [goal for goal in request.goals if not isinstance(goal, JointValue | Posture)]
    values: list[float] = np.linalg.svd(jacobian(request, goals, q, length), compute_uv=False).tolist()
    if values and values[-1] > SINGULAR * values[0]:
        return values
    others = request.model.random(0, GENERIC)
    return values[: max(rank(jacobian(request, goals, other, length)) for other in others)]


def rank(J: Array) -> int:
    """Of a Jacobian [m, nv]: in how many directions it moves."""
    values = np.linalg.svd(J, compute_uv=False)
    return int((values > SINGULAR * values.max(initial=0.0)).sum())


def residual(request: Request, q: Array, length: float) -> tuple[Array, Array]:
    """What is left to the goals at q [nq], beyond their tolerances: [m], and the rows [m, nv] that take from
    it. length [m]: the unit in which positions are counted.
    """
    parts = [part for goal in request.goals for part in _parts(request, goal, q)]
    left = [part.error / length if part.is_position else part.error for part in parts]
    return np.concatenate([np.zeros(0), *left]), _rows(request, parts, length)


def jacobian(request: Request, goals: Sequence[Goal], q: Array, length: float) -> Array:
    """The rows [m, nv] of what some of the request's goals ask for at q [nq].

    length [m]: the unit in which positions are counted.
    """
    return _rows(request, [part for goal in goals for part in _parts(request, goal, q)], length)


def _rows(request: Request, parts: Sequence[ErrorPart], length: float) -> Array:
    rows = [part.rows / length if part.is_position else part.rows for part in parts]
    return np.vstack([np.empty((0, request.model.nv)), *rows])


# --- goals --------------------------------------------------------------------------------------------------


def _error_of(parts: Sequence[ErrorPart]) -> PoseError:
    position = [part.error for part in parts if part.is_position]
    rotation = [part.error for part in parts if not part.is_position]
    lengths = (float(norm(np.concatenate([np.zeros(1), *errors]))) for errors in (position, rotation))
    return PoseError(*lengths)


def _parts(request: Request, goal: Goal, q: Array) -> tuple[ErrorPart, ...]:
    return _parts_at(request, goal, np.asarray(q, dtype=np.float64).tobytes())


@functools.lru_cache(maxsize=LATEST)
def _parts_at(request: Request, goal: Goal, q: bytes) -> tuple[ErrorPart, ...]:
    """The parts of a goal at q [nq] in bytes: for errors, manipulability and condition of one answer once."""
    return tuple(goal.parts(_Body(request.model, np.frombuffer(q), tool_of(request, goal))))


@dataclass(frozen=True, eq=False)
class _Body:
    """A model at q [nq], with the tool of one goal; see `goals.goal_errors.PosedModel`."""

    model: Model
    q: Array
    tool: Matrix4

    def motion(self, frame: str | None) -> FrameMotion:
        return self._motion(frame, self.tool)

    def motion_of(self, frame: str) -> FrameMotion:
        return self._motion(frame, np.eye(4))

    def _motion(self, frame: str | None, tool: Matrix4) -> FrameMotion:
        pose, J = self.model.pose(self.q, frame), self.model.jacobian(self.q, frame)
        lever = pose[:3, :3] @ tool[:3, 3]
        return FrameMotion(pose @ tool, J[:3] + cross(J[3:].T, lever).T, J[3:])

    def center_of_mass(self) -> tuple[Vector3, Array]:
        return self.model.center_of_mass(self.q), self.model.center_of_mass_jacobian(self.q)

    def joint(self, name: str) -> JointMotion:
        joint = self.model.joint(name)
        value, rate = float(self.q[self.model.q_slice(name).start]), 1.0
        if joint.mimic is not None:
            value, rate = joint.mimic.value(value), joint.mimic.multiplier
        rows = np.zeros((1, self.model.nv))
        rows[0, self.model.v_slice(name)] = rate
        is_prismatic = joint.kind is JointKind.PRISMATIC
        return JointMotion(value, rows, is_prismatic, self.model.is_periodic(joint))
