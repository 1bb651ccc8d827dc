"""`Question`: a solution's link to its request, from which errors, limit margins, manipulability, derivative
and diagnosis are computed on demand.
"""

from __future__ import annotations

from limbik import measure
from limbik.diagnosis import Diagnosis
from limbik.model.margins import limit_margins
from limbik.request import Request
from limbik.solution import PlanTarget, Solution
from limbik.solvers.derivative import of_solution
from limbik.solvers.diagnose import diagnose
from limbik.spatial import Array
from limbik.status import PoseError


class Question:
    """What a solution came from, such as the plan of a solve: it remembers the request, and measures.

    A solution keeps no request, only what its plan makes one from: `target`.
    """

    engine: str = ""  # which one solves and for what, of plans that "auto" picks: "in the fast core, for ..."

    def request(self, target: PlanTarget, /) -> Request:
        """The request."""
        raise NotImplementedError

    def detached(self, target: PlanTarget, /) -> Question:
        """The same without the plan."""
        return DetachedQuestion(self.request(target), self.engine)

    def reason(self, target: PlanTarget, /) -> str:
        """Why it was this method, as the end of a sentence: "because ..."."""
        request = self.request(target)
        if request.options.get("solver", "auto") != "auto":
            return "because it was requested"
        if len({goal.priority for goal in request.goals}) > 1:
            return "because only this method knows priorities"
        return f"because it solves most and is the quickest: here {self.engine}"

    def goal_errors(self, target: PlanTarget, q: Array, /) -> tuple[PoseError, ...]:
        """How far each goal is from being met at q [nq]."""
        return measure.goal_errors(self.request(target), q)

    def limit_margins(self, target: PlanTarget, q: Array, /) -> Array:
        """[nq] how far each joint is from its nearer limit [rad or m]."""
        return limit_margins(self.request(target).model, q)

    def manipulability(self, target: PlanTarget, q: Array, /) -> float:
        """Yoshikawa's measure at q [nq]."""
        return measure.manipulability(self.request(target), q)

    def condition_number(self, target: PlanTarget, q: Array, /) -> float:
        """Of the Jacobian of the goals at q [nq]."""
        return measure.condition_number(self.request(target), q)

    def derivative(self, target: PlanTarget, q: Array, /) -> Array:
        """How fast the joints follow the target at q [nq]."""
        return of_solution(self.request(target), q)

    def diagnosis(self, target: PlanTarget, solution: Solution, /) -> Diagnosis:
        """Why the solution is what it is."""
        return diagnose(self.request(target), solution)


class DetachedQuestion(Question):
    """A request instead of a plan, with the words for its engine."""

    def __init__(self, request: Request, engine: str) -> None:
        self._request, self.engine = request, engine

    def request(self, target: PlanTarget = None, /) -> Request:
        """The request, whatever the target."""
        return self._request
