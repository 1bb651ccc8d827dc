"""Explains why a path cannot be continued from a configuration."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from limbik.goals import Pose
from limbik.joint_path import BreakReason
from limbik.model.model import Model
from limbik.model.periodic import periodic
from limbik.motion.candidates import Candidates
from limbik.motion.task_space import interpolated
from limbik.solution import Solution
from limbik.spatial import Array, nearest_angles

FINER = 4  # steps for each stretch that lies ahead
RESTARTS = 10  # before a pose is taken for out of reach
ROUNDING = 1e-9  # [rad or m] beyond a limit that is none


class Stop(NamedTuple):
    """Where a branch ends, and why."""

    position: float
    reason: BreakReason
    joints: tuple[str, ...]


def what_stops(candidates: Candidates, poses: Array, q: Array, positions: Array, max_step: float) -> Stop:
    """Follow poses [N, 4, 4] without limits from q [nq], which is at the first of some positions."""
    model = candidates.model
    is_periodic = periodic(model, candidates.frame)
    ahead = np.concatenate(
        [np.linspace(a, b, FINER, endpoint=False) for a, b in itertools.pairwise(positions)]
        + [positions[-1:]]
    )
    at = float(ahead[0])

    def step_to(solution: Solution) -> Array | None:
        """What moves to a solution that is near; None where none is."""
        step = solution.q - q
        step[is_periodic] = nearest_angles(step[is_periodic])
        return step if solution.success and np.abs(step).max() <= max_step else None

    for position in ahead[1:]:
        goal = candidates.goal(interpolated(poses, np.array([position]))[0], position)
        step = step_to(model.solve(goal, start=q, limits=False, restarts=0))
        if step is None:
            within = model.solve(goal, start=q, restarts=RESTARTS)
            step = step_to(within)  # a descent may end just outside what is tolerated
            if step is None and within.success:
                return Stop(at, BreakReason.BRANCH_ENDS, ())
            if step is None:
                return _unreached(model, goal, at)
        q = q + step
        joints = _beyond(model, q)
        if joints:
            return Stop(at, BreakReason.LIMIT, joints)
        if not candidates.is_free(q):
            return Stop(at, BreakReason.COLLISION, ())
        at = float(position)
    return Stop(at, BreakReason.OTHER_BRANCH, ())


def _unreached(model: Model, goal: Pose, at: float) -> Stop:
    """Where no configuration within the limits is known."""
    anywhere = model.solve(goal, limits=False, restarts=RESTARTS)
    if not anywhere.success:
        return Stop(at, BreakReason.NO_SOLUTION, ())
    return Stop(at, BreakReason.LIMIT, _beyond(model, anywhere.q))


def _beyond(model: Model, q: Array) -> tuple[str, ...]:
    """The joints that are outside their limits."""
    beyond = (q < model.lower - ROUNDING) | (q > model.upper + ROUNDING)
    names = [joint.name for joint in model.joints if joint.nq and joint.mimic is None]
    return tuple(name for name in names if beyond[model.q_slice(name)].any())
