"""All configurations of an arm of seven revolute joints, for sampled values of its first or last joint.

With that joint at a value, the other six have a closed form where the arm has a spherical shoulder (Franka
Panda); else by elimination (Kinova Gen3, xArm 7, Sawyer).
"""

from __future__ import annotations

import math
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from limbik.all_solutions.analytic_plan import AnalyticPlan
from limbik.all_solutions.answers_plan import DEFAULTS, AnswersPlan, PlanRequest, SearchOptions
from limbik.all_solutions.elimination_plan import EliminationPlan
from limbik.all_solutions.result import AllSolutions
from limbik.analytic.axes import Axes
from limbik.analytic.closed_form import ClosedForm, closed_form
from limbik.analytic.general_solve import can_eliminate
from limbik.errors import GoalError
from limbik.model.chain import Chain
from limbik.model.model import Model
from limbik.numerics.end_codes import BAD_GOAL
from limbik.spatial import Array, Matrix4, as_pose, nearest_angles, pose_inverse, rotation_exp

SAMPLES = 64  # values of the sampled joint
SAME = 1e-4  # [rad] of the sampled joint, within which two values are the same


class SampledJoint(NamedTuple):
    """The joint of seven whose values are sampled, and the arm that the six others make."""

    joint_index: int  # 0 or 6, in the chain
    rest: Axes
    form: ClosedForm | None  # of the six; None: by elimination


class RedundantPlan(AnswersPlan):
    """Everything about the solutions of a frame's pose that does not depend on the pose or the start."""

    def __init__(
        self,
        model: Model,
        chain: Chain,
        frame: str | None,
        sampled: SampledJoint,
        axes: Axes,
        limits: bool,
    ) -> None:
        super().__init__(model, chain, frame, limits)
        self._sampled = sampled.joint_index
        self._others = np.delete(np.arange(7), sampled.joint_index)
        joints = tuple(chain.joints[k] for k in self._others)
        rest = replace(chain, joints=joints, q_indices=chain.q_indices[self._others])
        self._rest: AnalyticPlan | EliminationPlan = (
            EliminationPlan(model, rest, frame, sampled.rest, limits)
            if sampled.form is None
            else AnalyticPlan(model, rest, frame, sampled.form, limits)
        )
        self._axes = axes
        self.programs = self._rest.programs

    @property
    def joint(self) -> str:
        """The name of the joint whose values are sampled."""
        return self.chain.joints[self._sampled].name

    def values(self, samples: int) -> Array:
        """So many values of the sampled joint, evenly over its range, or over a revolution; fewer where the
        range is so narrow that they would be the same.
        """
        lower, upper = self.lower[self._sampled], self.upper[self._sampled]
        if upper - lower >= 2.0 * np.pi:
            return np.linspace(-np.pi, np.pi, samples, endpoint=False)
        return np.linspace(lower, upper, min(samples, 1 + math.floor((upper - lower) / SAME)))

    def solve(self, pose: Array, start: Array | None, options: SearchOptions = DEFAULTS) -> AllSolutions:
        """All solutions for a pose [4, 4] of float64 at so many values of the sampled joint; with a start
        [nq], at its value of that joint too.
        """
        began = perf_counter()
        if isinstance(self._rest, EliminationPlan):  # which is slow to see that there is none
            pose = as_pose(pose, "`pose`", error=GoalError)
            if self.is_unreachable(pose):
                none, request = np.empty((0, 7)), (pose.tobytes(), start)
                return self.answered(none, request, start, options.revolutions, began)
        near = self.near(start)
        values = self._wound(self.values(SAMPLES if options.samples is None else options.samples), near)
        if start is not None:
            own = self._wound(near[[self._sampled]], near)
            values = np.append(values[np.abs(nearest_angles(values - own)) > SAME], own)
        poses, near = self._poses(pose, values), near[self._others]
        solutions, counts = (
            self._rest.fill(poses, near, options.deadline)
            if isinstance(self._rest, EliminationPlan)
            else self._rest.fill(poses, near, start is not None)
        )
        if counts[0] == BAD_GOAL:
            return self.solve(as_pose(pose, "`pose`", error=GoalError), start, options)
        is_answer = np.arange(solutions.shape[1]) < counts[:, None]
        q = np.empty((int(counts.sum()), 7))
        q[:, self._others] = solutions[is_answer]
        q[:, self._sampled] = np.repeat(values, counts)
        if not len(q):
            q = self.searched(as_pose(pose, "`pose`", error=GoalError), start, options.deadline)
        return self.answered(q, (pose.tobytes(), start), start, options.revolutions, began)

    def _wound(self, values: Array, near: Array) -> Array:
        """Values of the sampled joint with the revolutions that bring them within its limits, the nearest to
        a configuration [7].
        """
        q = np.tile(near, (len(values), 1))
        q[:, self._sampled] = values
        return self.within_limits(q, near)[0][:, self._sampled]

    def _poses(self, pose: Matrix4, values: Array) -> Array:
        """[m, 4, 4] what the pose asks of the other six joints, at each value of the sampled one."""
        h, point = self._axes.directions[self._sampled], self._axes.points[self._sampled]
        back = np.tile(np.eye(4), (len(values), 1, 1))
        back[:, :3, :3] = rotation_exp(-values[:, None] * h)
        back[:, :3, 3] = point - back[:, :3, :3] @ point
        if self._sampled == 0:
            return np.asarray(back @ pose)
        home = self._axes.home
        return np.asarray(pose @ pose_inverse(home) @ back @ home)

    def is_complete(self, request: Any, /) -> bool:
        """False: there are infinitely many."""
        return False

    def method(self, request: Any, /) -> str:
        """In words."""
        return f"{self.joint} at sampled values, the others {self._rest.method(None)}"

    def branches(self, request: Any, q: Array, /) -> tuple[str, ...]:
        """The names of the branches of the other six joints."""
        return self._rest.branches(request, q)

    def remark(self, request: PlanRequest, count: int, /) -> str:
        """What is known of so many solutions."""
        if not count:
            return f"No value of {self.joint} that was tried has a solution. " + self.failure(request)
        return (
            f"{count} solutions, {self.method(request)}. There are infinitely many: seven joints can move "
            "together while the pose stays."
        )


def sampled_joint(axes: Axes) -> SampledJoint | None:
    """Which joint of seven is to be sampled: the last or the first, one that leaves a closed form if there is
    one; None where the six others do not move the tool in all directions.
    """
    if axes.size != 7 or axes.is_prismatic.any():
        return None
    rests = [(index, axes.without(index)) for index in (6, 0)]
    for index, rest in rests:
        form = closed_form(rest)
        if form is not None:
            return SampledJoint(index, rest, form)
    return next((SampledJoint(index, rest, None) for index, rest in rests if can_eliminate(rest)), None)
