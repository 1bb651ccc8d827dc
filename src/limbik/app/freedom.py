"""What joints can still do: null directions of goals, and the ellipsoid of a frame's velocity."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from limbik import solvers
from limbik.app.protocol.space import Slide, Wanted
from limbik.app.wishes import AXES, as_goals, legal
from limbik.errors import GoalError
from limbik.goals import Goal
from limbik.model import Model
from limbik.solvers.measure import SINGULAR
from limbik.spatial import Array

LONGEST_STEP = 0.05  # [rad] of a slide, after which the goals are met again
WORST_MISS = 1e-3  # [m or rad] a slide that cannot hold its goals better ends


def null_directions(model: Model, wanted: Sequence[Wanted], q: Array, locked: Collection[str] = ()) -> Array:
    """Orthonormal basis [nv, k] of the velocities of the joints before the goals' frames that hold the goals
    to first order; joints that are locked do not move.
    """
    free = _free(model, wanted, locked)
    J = np.vstack([_rows(model, wish, q) for wish in wanted]) if wanted else np.zeros((0, model.nv))
    basis = np.zeros((model.nv, 0))
    if free.any():
        _, values, right = np.linalg.svd(J[:, free])
        rank = int((values > SINGULAR * values.max(initial=0.0)).sum())
        basis = np.zeros((model.nv, len(right) - rank))
        basis[free] = right[rank:].T
    return basis


def _free(model: Model, wanted: Sequence[Wanted], locked: Collection[str]) -> Array:
    """[nv] whether each velocity moves a goal's frame and is not locked."""
    free = np.zeros(model.nv, dtype=bool)
    for wish in wanted:
        for joint in model.path(wish.frame):
            if joint.nv or joint.mimic:
                free[model.v_slice(joint.name)] = True
    for name in locked:
        free[model.v_slice(name)] = False
    return free


def _rows(model: Model, wish: Wanted, q: Array) -> Array:
    """The rows of the Jacobian [3, 5 or 6, nv] that a goal asks for, lengths in half reaches."""
    J = model.jacobian(q, wish.frame)
    reach = model.reach(wish.frame)
    J[:3] /= 0.5 * reach if 0.0 < reach < math.inf else 1.0
    if wish.kind == "position":
        return J[:3]
    if wish.kind == "pose":
        return J
    across = np.delete(model.pose(q, wish.frame)[:3, :3], AXES[wish.axis], axis=1)
    return np.vstack([J[:3], across.T @ J[3:]])


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


def slide(model: Model, asked: Slide, before: Array | None) -> tuple[Array, Array]:
    """(q, the null directions there) after moving by `asked.amount` [rad] along a null direction; it ends
    early where the goals can no longer be held. Locked joints stay where they are.

    before: the null directions as they were told last. Raises GoalError where there is no such direction.
    """
    q = legal(model, asked.q, asked.limits)
    basis = aligned(null_directions(model, asked.goals, q, asked.locked), before)
    goals, along = as_goals(asked.goals), asked.along
    steps = max(1, math.ceil(abs(asked.amount) / LONGEST_STEP))
    for _ in range(steps):
        if along >= basis.shape[1]:
            raise GoalError(
                f"there is no null direction {along}: with these goals the joints have {basis.shape[1]}"
            )
        ahead = model.integrate(q, basis[:, along] * asked.amount / steps)
        held = _held(model, goals, legal(model, ahead, asked.limits), asked)
        if held is None:
            break
        q, basis = held, aligned(null_directions(model, asked.goals, held, asked.locked), basis)
    return q, basis


def _held(model: Model, goals: list[Goal], q: Array, asked: Slide) -> Array | None:
    options: dict[str, Any] = {"restarts": 0, "iterations": 50, "limits": asked.limits}
    solution = solvers.solve(model, goals, start=q, locked=asked.locked, **options)
    is_near = max(solution.error, solution.error_rotation) <= WORST_MISS
    return solution.q if solution.success or is_near else None


def ellipsoid(model: Model, frame: str, q: Array, locked: Collection[str] = ()) -> tuple[Array, float]:
    """J J^T [3, 3] of a frame's position, and the root of its determinant: Yoshikawa's measure of
    manipulability (1985) [m^3].
    """
    J = model.jacobian(q, frame)[:3]
    for name in locked:
        J[:, model.v_slice(name)] = 0.0
    matrix = J @ J.T
    return matrix, math.sqrt(max(float(np.linalg.det(matrix)), 0.0))
