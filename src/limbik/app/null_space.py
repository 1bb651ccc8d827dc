"""Null-space motion of an arm for the 3-D page: null directions at q, a slide along one with the goals held,
and the self-motion curve through q.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from limbik import nullspace, solvers
from limbik.all_solutions.result import FreeMotion
from limbik.app.goal_io import as_goals, as_they_are, legal
from limbik.app.protocol.space import FrameGoal, NullspaceRequest
from limbik.app.solution_choice import has_closed_form
from limbik.errors import GoalError
from limbik.goals import Goal
from limbik.model import Joint, Model
from limbik.spatial import Array

LONGEST_STEP = 0.05  # [rad] of a slide, after which the goals are met again
NEAR = 1e-2  # [rad or m] a solution that the arm is at
WORST_MISS = 1e-3  # [m or rad] a slide that cannot hold its goals better ends


def null_directions(
    model: Model, wanted: Sequence[FrameGoal], q: Array, locked: Collection[str] = ()
) -> Array:
    """Orthonormal basis [nv, k] of the velocities of the joints before the goals' frames that hold the goals
    to first order; joints that are locked do not move.
    """
    if not wanted:
        return np.zeros((model.nv, 0))
    moving = {_leader(model, joint) for wanted_goal in wanted for joint in model.path(wanted_goal.frame)}
    still = [name for name in model.joint_names if name not in moving]
    return nullspace.basis(model, q, as_goals(as_they_are(model, wanted, q)), locked=(*still, *locked))


def _leader(model: Model, joint: Joint) -> str:
    """The name of the joint that moves it: itself, or the one that it follows."""
    return joint.name if joint.mimic is None else joint.mimic.joint


def aligned(basis: Array, before: Array | None) -> Array:
    """The basis turned in its own space to be as near as it can be to the one before, so that a direction
    stays the same one while the arm moves along it (orthogonal Procrustes problem, Schönemann 1966).
    """
    if before is None or before.shape != basis.shape:
        largest = np.abs(basis).argmax(axis=0)
        signs = np.sign(basis[largest, np.arange(basis.shape[1])])
        return np.asarray(basis * signs)
    left, _, right = np.linalg.svd(basis.T @ before)
    return np.asarray(basis @ left @ right)


def slide(model: Model, request: NullspaceRequest, before: Array | None) -> tuple[Array, Array]:
    """(q, the null directions there) after moving by `slide.amount` [rad] along a null direction; it ends
    early where the goals can no longer be held. Locked joints stay where they are.

    before: the null directions as they were told last. Raises GoalError where there is no such direction.
    """
    q = legal(model, request.q, request.limits)
    basis = aligned(null_directions(model, request.goals, q, request.locked), before)
    goals, along = as_goals(request.goals), request.along
    steps = max(1, math.ceil(abs(request.amount) / LONGEST_STEP))
    for _ in range(steps):
        if along >= basis.shape[1]:
            raise GoalError(
                f"there is no null direction {along}: with these goals the joints have {basis.shape[1]}"
            )
        ahead = model.integrate(q, basis[:, along] * request.amount / steps)
        held = _held(model, goals, legal(model, ahead, request.limits), request)
        if held is None:
            break
        q, basis = held, aligned(null_directions(model, request.goals, held, request.locked), basis)
    return q, basis


def curve(model: Model, goals: Sequence[Goal], q: Array, limits: bool) -> FreeMotion | None:
    """The self-motion through q [nq], where the goals are one pose of an arm with a closed form and leave one
    way to move; else None.
    """
    if not has_closed_form(model, goals, limits):
        return None
    solutions = solvers.solve_all(model, goals[0], start=q, limits=limits)
    if not len(solutions) or np.abs(solutions.q[0] - q).max() > NEAR:
        return None
    free = solutions.some([0]).free
    return free[0] if len(free) == 1 else None


def _held(model: Model, goals: list[Goal], q: Array, request: NullspaceRequest) -> Array | None:
    options: dict[str, Any] = {"restarts": 0, "iterations": 50, "limits": request.limits}
    solution = solvers.solve(model, goals, start=q, locked=request.locked, **options)
    is_near = max(solution.error, solution.error_rotation) <= WORST_MISS
    return solution.q if solution.success or is_near else None
