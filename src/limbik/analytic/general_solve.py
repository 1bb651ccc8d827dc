"""All configurations of a 6R arm as arrays: checks the arm, calls the compiled elimination."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from limbik.analytic.axes import Axes
from limbik.analytic.general import JOINTS, MAX_CONFIGURATIONS, all_general, prepare_general
from limbik.compiler.call import Call
from limbik.compiler.program import Program
from limbik.errors import GoalError, SolverError
from limbik.spatial import Array, as_pose


def general_configurations(axes: Axes, pose: Any) -> Array:
    """All configurations [k, 6] [rad] in (-pi, pi] that bring the tool to a pose, in ascending order.

    Limits are not looked at. Each is verified: within 1e-10 of the pose, in radians and in parts of the arm's
    length. k is at most 16, and 0 where the pose is out of reach. Where a pose has infinitely many
    configurations, some of them are answered, and more than 16.

    The arm is prepared once, in some fifty milliseconds. Runs interpreted, in tens of milliseconds, until
    its program is compiled.

    Raises SolverError for an arm that this cannot solve (see `prepare_general`): of other than six revolute
    joints, without motion in all six directions, or with two spherical joints. Raises GoalError for what is
    not a pose.
    """
    return general_search(axes, pose)[0]


def general_search(axes: Axes, pose: Any) -> tuple[Array, bool, bool]:
    """The configurations of `general_configurations`; whether all roots were resolved at the pose, so that
    they are isolated; and whether they were there or at displaced poses, so that none is hidden.
    """
    prepared = _prepared(axes)
    if prepared is None:
        raise SolverError(
            "the general elimination needs six revolute joints that move the tool in all directions and do "
            f"not form two spherical joints; found {axes.size} joints, {int(axes.is_prismatic.sum())} of "
            "them prismatic"
        )
    target = as_pose(pose, error=GoalError)
    solutions = np.empty((MAX_CONFIGURATIONS + 1, JOINTS))
    count = prepared.changed(pose=target.reshape(16), solutions=solutions).run()
    answers, (are_isolated, is_resolved, *_) = solutions[:count], solutions[-1] > 0.0
    return answers[np.lexsort(answers.T[::-1])].copy(), bool(are_isolated), bool(is_resolved)


@functools.cache
def all_configurations() -> Program:
    """All configurations of any arm of six revolute joints."""
    return Program("six-revolute", all_general)


def can_eliminate(axes: Axes) -> bool:
    """Whether `general_configurations` can solve the arm."""
    return axes.size == 6 and _prepared(axes) is not None


@functools.lru_cache(maxsize=64)
def _prepared(axes: Axes) -> Call | None:
    """The call for an arm; its other arguments are to be changed."""
    constants, solutions = prepare_general(axes), np.empty((MAX_CONFIGURATIONS + 1, JOINTS))
    return None if constants is None else Call(all_configurations(), constants, np.empty(16), solutions)
