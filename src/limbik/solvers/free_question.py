"""`FreeQuestion`: the request behind a solution of a collision-free solve, with and without its world, and
the diagnosis.
"""

from __future__ import annotations

from dataclasses import replace

from limbik.collision.free_options import FreeOptions
from limbik.diagnosis import Diagnosis
from limbik.model.model import Model
from limbik.request import Request
from limbik.solution import PlanTarget, Solution
from limbik.solvers.diagnose_free import Seen, diagnose_free
from limbik.solvers.question import Question
from limbik.status import Status


class FreeQuestion(Question):
    """The question of a solution without regard to collisions, and what is to be free.

    model: with its shapes; that of the question may be another one of the same kinematics, which share their
    plans. seen: of a search that has failed.
    """

    def __init__(self, question: Question, model: Model, free: FreeOptions, seen: Seen | None = None) -> None:
        self._question, self._model, self._free, self._seen = question, model, free, seen
        self.engine = question.engine

    def request(self, target: PlanTarget, /) -> Request:
        """The request."""
        request = self.request_without_world(target)
        return replace(request, options={**request.options, **self._free.explicit})

    def request_without_world(self, target: PlanTarget, /) -> Request:
        """The request without its world."""
        return replace(self._question.request(target), model=self._model)

    def detached(self, target: PlanTarget, /) -> FreeQuestion:
        """The same without the plan."""
        return FreeQuestion(self._question.detached(target), self._model, self._free, self._seen)

    def diagnosis(self, target: PlanTarget, solution: Solution, /) -> Diagnosis:
        """Why the solution is what it is."""
        if solution.ended in (Status.UNREACHABLE, Status.LIKELY_UNREACHABLE, Status.BUDGET_SPENT):
            return self._question.diagnosis(target, solution)
        return diagnose_free(self.request_without_world(target), self._free, solution, self._seen)
