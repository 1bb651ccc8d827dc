"""`PointPlan`: finds all configurations of an arm of up to three joints that reach a point, by closed
forms.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from limbik import measure
from limbik.all_solutions.answers_plan import DEFAULTS, AnswersPlan, PlanRequest, SearchOptions
from limbik.all_solutions.result import AllSolutions, FreeMotion
from limbik.analytic.axes import Axes
from limbik.analytic.geometry import length
from limbik.analytic.names import branch_names
from limbik.analytic.points import PointForm
from limbik.goals import Goal, Position
from limbik.model.chain import Chain, chain_to
from limbik.model.model import Model
from limbik.request import Request
from limbik.spatial import Array, nearest_angles, norm

MET = 1e-9  # of the arm's size
NEARLY_MET = 1e-6  # likewise: how far rounding of roots that are nearly double may bring the point
DISTINCT = 1e-4  # [rad or m] of some joint
COUNTS = ("one joint", "two joints", "three joints")


class PointPlan(AnswersPlan):
    """Everything about the solutions for a frame's point that does not depend on it or the start.

    size: numbers of the point; with two it lies in the plane in which the arm moves.
    """

    def __init__(
        self,
        model: Model,
        chain: Chain,
        frame: str | None,
        axes: Axes,
        form: PointForm,
        limits: bool,
        size: int,
    ) -> None:
        super().__init__(model, chain, frame, limits)
        self._axes = axes
        self._form = form
        self.rows = size
        self._length = length(axes)

    def solve(self, pose: Array, start: Array | None, options: SearchOptions = DEFAULTS) -> AllSolutions:
        """All solutions for the point of a pose [4, 4], by distance to a start."""
        began = perf_counter()
        near = self.near(start)
        point = np.append(pose[: self.rows, 3], self._axes.home[self.rows : 3, 3])
        solutions: list[Array] = []
        is_proved = True
        for values, is_free in self._form.branches(point):
            off = float(norm(self._axes.pose(values)[:3, 3] - point))
            if off >= NEARLY_MET * self._length:
                continue
            is_met = off < MET * self._length  # if not, the other of two roots is not told from this one
            is_proved = is_proved and is_met and not is_free
            q = (
                self.legal(values, near, pose)
                if is_met
                else self.settled(self.within_limits(values, near)[0], near, pose)
            )
            if q is not None and all(self._differ(q, other) for other in solutions):
                solutions.append(q)
        q = np.array(solutions).reshape(-1, len(self.indices))
        if not len(q) and not is_proved:  # a joint that may have any angle has had one beyond its limits
            q = self.searched(pose, start, options.deadline)
        return self.answered(q, (pose.tobytes(), start, is_proved), start, options.revolutions, began)

    def _differ(self, q0: Array, q1: Array) -> bool:
        change = np.where(self._slides, q0 - q1, nearest_angles(q0 - q1))
        return bool(np.abs(change).max() > DISTINCT)

    def is_complete(self, request: Any, /) -> bool:
        """Whether no joint may have any value: a closed form has all branches."""
        return request is None or bool(request[2])

    def method(self, request: Any, /) -> str:
        """In words."""
        return f"in closed form: {COUNTS[len(self.indices) - 1]} for a point"

    def known_rest(self, request: PlanRequest) -> str:
        """What is known of others."""
        if not self.is_complete(request):
            return "of infinitely many, as a joint may turn while the point stays"
        still = [joint.name for joint in chain_to(self.model, self.frame).joints[len(self.indices) :]]
        if not still:
            return super().known_rest(request)
        return f"and there is no other but for joints that do not move the point ({', '.join(still)})"

    def branches(self, request: Any, q: Array, /) -> tuple[str, ...]:
        """The names of the branches."""
        return branch_names(self._form, q[:, self.indices])

    def free(self, request: PlanRequest, q: Array, /) -> tuple[FreeMotion, ...]:
        """None: for points it is not looked for."""
        return ()

    def manipulability(self, request: PlanRequest, q: Array, /) -> float:
        """Yoshikawa's measure at q [nq]."""
        plain = Request(model=self.model, goals=(self._goal(request),), solver="auto", options={})
        return measure.manipulability(plain, q)

    def _goal(self, request: PlanRequest) -> Goal:
        point = np.frombuffer(request[0]).reshape(4, 4)[: self.rows, 3]
        return Position(target=point, frame=self.frame)
