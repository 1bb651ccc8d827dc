"""How a solution follows its target: the derivative of inverse kinematics, by the implicit function theorem.

Where a frame's pose T(q) meets its target, a small motion of the target (a twist) asks for J dq = twist. That
is solved by the pseudo-inverse of J, without damping: on an arm with joints to spare by the shortest dq
(Whitney 1969; Klein & Huang 1983). Joints at a limit stay there: their columns are left out.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbik import measure
from limbik.errors import SingularError, SolverError, is_one_of, shortened
from limbik.goals import Orientation, Pose, Position, is_plain
from limbik.model.model import Model, as_model
from limbik.request import Request
from limbik.solvers.checked_options import locked_names
from limbik.spatial import Array, as_pose, cross, skew

TargetKind: TypeAlias = Literal["pose", "position", "orientation"]

ROWS = {"pose": slice(0, 6), "position": slice(0, 3), "orientation": slice(3, 6)}
OF_GOAL = {Pose: "pose", Position: "position", Orientation: "orientation"}
AT_LIMIT = 1e-9  # [rad or m]


def solution_jacobian(
    model: Model,
    q: ArrayLike,
    frame: str | None = None,
    *,
    of: TargetKind = "pose",
    limits: bool = True,
    locked: Collection[str] = (),
    tool: ArrayLike | None = None,
) -> Array:
    """How fast the joints follow the target of a frame: D [..., nv, 6] at q [..., nq], where it is met.

    A twist of the target, its velocity [m/s] and its angular velocity [rad/s] along the axes of the world,
    moves the joints by the velocity D @ twist. On an arm with joints to spare this is the least of those that
    follow [rad and m together]. Where an arm can not follow at all (an arm in a plane, or one of fewer than
    six joints), it is the velocity that follows as well as can be, a radian counted as half the reach.

    of:
        "position" for a target that is a point, "orientation" for a rotation: then D is [..., nv, 3].
    limits:
        Joints of one number that are at a limit stay there; False lets them move. Limits of ball joints are
        not looked at.
    locked, tool:
        As in `solve`.

    Raises SingularError where the frame moves in fewer directions than elsewhere: there the solution has no
    derivative.
    """
    model = as_model(model)
    if not is_one_of(of, ROWS):
        known = ", ".join(map(repr, ROWS))
        raise SolverError(f"`of` needs one of {known}, found {shortened(of)}")
    if not isinstance(limits, bool | np.bool_):
        raise SolverError(f"`limits` needs True or False, found {shortened(limits)}")
    locked = locked_names(locked)
    at = model.integrate(q, np.zeros(model.nv))
    held = np.eye(4) if tool is None else as_pose(tool, "`tool`", error=SolverError)
    length = measure.half_of(model.reach(frame))  # [m] that count as much as a radian
    units = np.repeat([1.0 / length, 1.0], 3)[ROWS[of]]
    is_free = _free(model, at, limits, locked)

    def rows(q: Array, free: NDArray[np.bool_]) -> Array:
        J = _jacobian(model, q, frame, held)[..., ROWS[of], :]
        return np.asarray(units[:, None] * np.where(free[..., None, :], J, 0.0))

    left, values, right = np.linalg.svd(rows(at, is_free), full_matrices=False)
    max_rank = len(units)
    if _lost(values, max_rank).any():  # here, or everywhere
        elsewhere = model.random(0, measure.GENERIC)
        max_rank = max(measure.rank(J) for J in rows(elsewhere, _free(model, elsewhere, False, locked)))
    _refuse_singular(model, values, is_free, locked, max_rank)
    inverse = np.swapaxes(right[..., :max_rank, :], -1, -2) / values[..., None, :max_rank]
    D = (inverse @ np.swapaxes(left[..., :max_rank], -1, -2)) * units
    return np.where(is_free[..., None], D, 0.0)  # not what rounding leaves


def of_solution(request: Request, q: Array) -> Array:
    """The same for a solve's only goal, at the q [nq] that meets it."""
    goal = request.goals[0]
    is_whole = len(request.goals) == 1 and is_plain(goal) and getattr(goal, "weights", None) is None
    if not is_whole or type(goal) not in OF_GOAL:
        raise SolverError("a derivative is known for one Pose, Position or Orientation without weights")
    options = request.options
    return solution_jacobian(
        request.model,
        q,
        goal.frame,
        of=OF_GOAL[type(goal)],  # type: ignore[arg-type]
        limits=bool(options.get("limits", True)),
        locked=options.get("locked", ()),
        tool=options.get("tool"),
    )


def gradient_by_pose(pose: Array, by_twist: Array) -> Array:
    """The gradient by the numbers of a pose [..., 4, 4], from that by its twist [..., 6].

    Of all gradients that agree on every motion of the pose, the one that is 0 across them. With the angular
    velocity w a rotation R changes by skew(w) R, so its part is skew(w) R / 2.
    """
    gradient = np.zeros(pose.shape)
    gradient[..., :3, 3] = by_twist[..., :3]
    gradient[..., :3, :3] = 0.5 * skew(by_twist[..., 3:]) @ pose[..., :3, :3]
    return gradient


def _jacobian(model: Model, q: Array, frame: str | None, tool: Array) -> Array:
    """[..., 6, nv] of a tool in a frame."""
    J = model.jacobian(q, frame)
    lever = model.pose(q, frame)[..., :3, :3] @ tool[:3, 3]
    turned = cross(np.swapaxes(J[..., 3:, :], -1, -2), lever[..., None, :])
    J[..., :3, :] += np.swapaxes(turned, -1, -2)
    return J


def _free(model: Model, q: Array, limits: bool, locked: tuple[str, ...]) -> NDArray[np.bool_]:
    """Which velocities [..., nv] are free."""
    free = np.ones((*q.shape[:-1], model.nv), dtype=bool)
    for each in model.coordinates if limits else ():
        if not each.is_rotation:
            low, high = model.lower[each.q] + AT_LIMIT, model.upper[each.q] - AT_LIMIT
            free[..., each.v] = (q[..., each.q] > low) & (q[..., each.q] < high)
    for name in locked:
        free[..., model.v_slice(name)] = False
    return free


def _lost(values: Array, max_rank: int) -> NDArray[np.intp]:
    """How many of so many directions [...] are lost, by the singular values [..., k] in falling order."""
    threshold = measure.SINGULAR * values.max(axis=-1, initial=0.0, keepdims=True)
    return np.asarray(max_rank - (values[..., :max_rank] > threshold).sum(axis=-1))


def _refuse_singular(
    model: Model, values: Array, free: NDArray[np.bool_], locked: tuple[str, ...], max_rank: int
) -> None:
    """values: the singular values at each q, of which the largest `max_rank` count."""
    lost = _lost(values, max_rank)
    bad = np.argwhere(lost > 0)
    if not len(bad):
        return
    index = tuple(int(i) for i in bad[0])
    where = f"q[{', '.join(map(str, index))}]" if index else "q"
    at_limits = [
        each.joint
        for each in model.coordinates
        if not free[index][each.v] and each.joint not in locked and not each.is_rotation
    ]
    held = f" with {', '.join(at_limits)} at a limit" if at_limits else ""
    raise SingularError(
        f"{where} is singular: the frame moves in {max_rank - int(lost[index])} of {max_rank} directions"
        f"{held}, so the solution has no derivative by its target"
    )
