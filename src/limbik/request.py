"""`Request`: the model, goals, solver and options of one solve, enough to solve again; and which joints its
goals move.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbik.errors import GoalError, SolverError, shortened
from limbik.goals import CenterOfMass, Goal, JointValue, Posture, frames_of
from limbik.model.model import Model
from limbik.spatial import Array, as_real, check_largest

SHORTEST_TIME = 1e-9  # [s] of a time limit
FARTHEST_TARGET = 1e60  # [m or rad] of a target or a tool; beyond it the powers of distances overflow


@dataclass(frozen=True, kw_only=True, eq=False)
class Request:
    """The goals and options of one solve: enough to solve again."""

    model: Model
    goals: tuple[Goal, ...]
    solver: str  # name of the method
    options: Mapping[str, Any]  # of `solve`, where they are not the default; without a time limit

    @property
    def wishes(self) -> tuple[int, ...]:
        """Indices of the goals of a lower priority than the first."""
        first = min(goal.priority for goal in self.goals)
        return tuple(k for k, goal in enumerate(self.goals) if goal.priority > first)


def deadline_after(limit: Any) -> float:
    """The deadline [s of `perf_counter`] of a time limit [s] that begins now; infinite where that is None.

    Raises SolverError for what is no positive time.
    """
    if not (limit is None or 0.0 < as_real(limit) < math.inf):
        raise SolverError(f"`time_limit` needs a positive time [s], or None, found {shortened(limit)}")
    return math.inf if limit is None else perf_counter() + float(limit)


def time_left(deadline: float) -> float | None:
    """The time limit [s] up to a deadline [s of `perf_counter`]: tiny after it, None where it is infinite."""
    return None if deadline == math.inf else max(deadline - perf_counter(), SHORTEST_TIME)


def check_target(numbers: Array, name: str) -> None:
    """Raises GoalError for finite numbers [m or rad] of which the powers overflow."""
    check_largest(numbers, FARTHEST_TARGET, name, "m or rad", GoalError)


def moving_joints(model: Model, goals: Sequence[Goal]) -> set[str]:
    """The names of the joints that move what goals ask for."""
    if any(isinstance(goal, CenterOfMass | Posture) for goal in goals):
        return set(model.joint_names)
    joints = [joint for frame in frames_of(goals) for joint in model.path(frame)]
    joints += [model.joint(goal.joint) for goal in goals if isinstance(goal, JointValue)]
    return {joint.mimic.joint if joint.mimic else joint.name for joint in joints}


def free_to_move(request: Request) -> set[str]:
    """The names of those joints that are not locked."""
    return moving_joints(request.model, request.goals) - set(request.options.get("locked", ()))


def moving_velocities(request: Request) -> Array:
    """Which numbers of a velocity [nv] these joints have."""
    return velocities_of(request.model, free_to_move(request))


def velocities_of(model: Model, joints: Iterable[str]) -> Array:
    """Which numbers of a velocity [nv] joints have."""
    is_moving = np.zeros(model.nv, dtype=bool)
    for name in joints:
        is_moving[model.v_slice(name)] = True
    return is_moving


def still_indices(request: Request) -> NDArray[np.intp]:
    """Indices in q [nq] of the joints that goals do not move, and of those that are locked."""
    return np.setdiff1d(np.arange(request.model.nq), indices_of(request.model, free_to_move(request)))


def clipped(model: Model, q: Array, joints: Iterable[str]) -> Array:
    """q [nq] with some joints moved into their limits, such as those that are to be locked there."""
    indices = indices_of(model, joints)
    moved = q.copy()
    moved[indices] = model.clip(q)[indices]
    return moved


def indices_of(model: Model, joints: Iterable[str]) -> NDArray[np.intp]:
    """Indices in q [nq] of joints, in order."""
    is_named = np.zeros(model.nq, dtype=bool)
    for name in joints:
        is_named[model.q_slice(name)] = True
    return np.flatnonzero(is_named)
