"""`Plan`: what a solve for goals of one structure needs that does not depend on targets, start or seed; also
a solve's input and observer.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field
from time import perf_counter
from typing import NamedTuple, TypeAlias

from limbik.goals import Goal
from limbik.model.model import Model
from limbik.solution import Lane, Solution
from limbik.solvers.checked_options import Options
from limbik.solvers.question import Question
from limbik.spatial import Array

Descents: TypeAlias = list[tuple[Array, Array]]  # configurations and errors of one after the other


class Problem(NamedTuple):
    """The input of one solve, of the structure that its plan is for."""

    goals: tuple[Goal, ...]
    start: Array | None  # [nq]; None: the neutral configuration
    seed: int = 0
    rest: Array | None = None  # [nq] toward which the option `rest_bias` pulls; None: the neutral one
    deadline: float = math.inf  # [s] of `perf_counter`

    def in_half_the_time(self) -> Problem:
        """The same, to be solved in half of the time that is left."""
        now = perf_counter()
        return self._replace(deadline=now + 0.5 * (self.deadline - now))


@dataclass
class Observer:
    """What is seen of a solve: its descents, the start first, the answer last, and its lanes if wanted."""

    wants_lanes: bool = False
    descents: Descents = field(default_factory=list)
    lanes: tuple[Lane, ...] = ()


class Plan(Question):
    """Solves for goals of one structure. It is made once, and cached with its model (`solvers.plans`)."""

    model: Model
    options: Options

    @abstractmethod
    def solve(self, problem: Problem, observer: Observer | None = None) -> Solution:
        """The answer; the observer sees what there is to be seen of the solve, which is the same without it.

        Raises GoalError for targets, ConfigurationError for a start that have no meaning.
        """
