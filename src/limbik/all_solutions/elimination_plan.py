"""`EliminationPlan`: all configurations of an arm of five or six revolute joints without a closed form, by
elimination.
"""

from __future__ import annotations

import math
from time import perf_counter
from typing import Any

import numpy as np

from limbik.all_solutions.answers_plan import DEFAULTS, AnswersPlan, PlanRequest, SearchOptions
from limbik.all_solutions.result import AllSolutions
from limbik.all_solutions.self_motion import one_of_each_curve
from limbik.analytic.added_joints import JOINTS, with_last_joint
from limbik.analytic.axes import Axes
from limbik.analytic.closed_form import ClosedForm
from limbik.analytic.general import SAME, aside
from limbik.analytic.general_solve import all_configurations, can_eliminate, general_search
from limbik.analytic.geometry import jacobian, length
from limbik.analytic.names import branch_names
from limbik.compiler.watch import watch_until
from limbik.errors import GoalError
from limbik.model.chain import Chain
from limbik.model.model import Model
from limbik.spatial import Array, Matrix4, as_pose, nearest_angles

MAX = 16  # configurations of any arm of six joints, where they are not infinitely many
STILL = 1e-6  # [rad] up to which the added joint counts as standing still
ORDERED = 6  # decimals by which configurations are in order
ASIDE = 3e-5  # [rad, and of the arm's length]
GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)  # steps of so much of a range fill it evenly, however many there are
REGULAR = 1e-4  # smallest singular value of a Jacobian, lengths in the arm's own, of a regular configuration
BY_ELIMINATION = "by elimination (Raghavan & Roth), as for any five or six revolute joints"


def elimination_plan(
    model: Model, chain: Chain, frame: str | None, axes: Axes, limits: bool, form: ClosedForm | None = None
) -> EliminationPlan | None:
    """The plan of five or six joints; None for others, and where elimination cannot solve them."""
    six = with_last_joint(axes) if axes.size == JOINTS - 1 else axes
    return EliminationPlan(model, chain, frame, six, limits, form) if can_eliminate(six) else None


class EliminationPlan(AnswersPlan):
    """Everything about all solutions of a frame's pose that does not depend on the pose or the start.

    axes: of six joints; of an arm of five the last stands still (`analytic.added_joints`). form: the closed
    form that the arm nearly has, which names its branches.
    """

    def __init__(
        self,
        model: Model,
        chain: Chain,
        frame: str | None,
        axes: Axes,
        limits: bool,
        form: ClosedForm | None = None,
    ) -> None:
        super().__init__(model, chain, frame, limits)
        self._axes, self._form = axes, form
        self.programs = (all_configurations(),)

    def solve(self, pose: Array, start: Array | None, options: SearchOptions = DEFAULTS) -> AllSolutions:
        """All solutions for a pose [4, 4] of float64, by distance to a start [nq]."""
        began = perf_counter()
        every, are_isolated, is_resolved = general_search(self._axes, pose)
        q = self._legal(every, are_isolated, self.near(start), pose)
        if not len(q) and not (are_isolated and self._are_regular(every)):
            q = self.searched(as_pose(pose, "`pose`", error=GoalError), start, options.deadline)
        is_known = is_resolved and (are_isolated or len(every) > 0)
        return self.answered(q, (pose.tobytes(), start, every, is_known), start, options.revolutions, began)

    def fill(self, poses: Array, near: Array, deadline: float) -> tuple[Array, Any]:
        """The chain's q [N, 16, 6] for poses [N, 4, 4], NaN behind the last of each, and how many [N].

        The last pose is the first one that is solved; where a time [s of `perf_counter`] comes, those
        that are left, spread evenly, have none.
        """
        q, counts = np.full((len(poses), MAX, len(self.indices)), np.nan), np.zeros(len(poses), np.intp)
        is_over, order = watch_until(deadline), np.argsort(GOLDEN * np.arange(len(poses)) % 1.0)
        for k in len(poses) - 1 - order:
            roots = self._legal(*general_search(self._axes, poses[k])[:2], near, poses[k])[:MAX]
            q[k, : len(roots)], counts[k] = roots, len(roots)
            if is_over():
                break
        return q, counts

    def _legal(self, every: Array, are_isolated: bool, near: Array, pose: Matrix4) -> Array:
        """The configurations of every [k, 6] within the limits, one of each curve of solutions."""
        own = len(self.indices)
        still = (q[:own] for q in every if np.abs(q[own:]).max(initial=0.0) < STILL)
        legal: list[Array] = []
        for q in (self.legal(q, near, pose) for q in still):  # limits may have moved two to the same one
            if q is not None and all(np.abs(nearest_angles(q - other)).max() >= SAME for other in legal):
                legal.append(q)
        q = np.array(legal).reshape(-1, own)
        q = q[np.lexsort(q.round(ORDERED).T[::-1])]  # roots come in an order that their last digits decide
        if are_isolated or len(q) < 2:
            return q
        return one_of_each_curve(self._mover, self.whole(q, None))[:, self.indices]

    def is_complete(self, request: Any, /) -> bool:
        """Whether all roots of the resultant were resolved, no configuration, limits aside, is nearly
        singular, and their number is even, as that of a polynomial's roots, and the same at displaced poses.
        """
        if request is None:
            return True
        target, _, every, is_resolved = request
        if not is_resolved or len(every) % 2 or not self._are_regular(every):
            return False
        return all(self._count_at(target, distance) == len(every) for distance in (ASIDE, -ASIDE))

    def _count_at(self, target: bytes, distance: float) -> int:
        """Number of configurations at a pose displaced by a distance [rad, and of the arm's length]. Where
        two coincide and rounding hides them, one direction has two more.
        """
        displaced = np.eye(4)
        aside(np.frombuffer(target), length(self._axes), distance, displaced.reshape(-1))
        return len(general_search(self._axes, displaced)[0])

    def _are_regular(self, every: Array) -> bool:
        """Whether none of some configurations [k, 6] is nearly singular, by its six axes' Jacobian."""
        smallest = np.linalg.svd(jacobian(self._axes, every), compute_uv=False)[..., -1]
        return bool((smallest >= REGULAR).all())

    def method(self, request: Any, /) -> str:
        """In words."""
        return BY_ELIMINATION

    def branches(self, request: Any, q: Array, /) -> tuple[str, ...]:
        """The names of the closed form that the arm nearly has, where they tell all apart; else numbers."""
        if self._form is not None:
            names = branch_names(self._form, q[:, self.indices])
            if len(set(names)) == len(names):
                return names
        return tuple(f"solution {k + 1}" for k in range(len(q)))

    def known_rest(self, request: PlanRequest) -> str:
        """What is known of others."""
        if self.is_complete(request):
            return super().known_rest(request)
        return "near a singular configuration, where others may hide"
