"""A plan for any number of goals: what the loop of `solve` needs of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeAlias

from limbik.goals import Goal
from limbik.model.model import Model
from limbik.solution import Solution
from limbik.solvers.checked_options import Options
from limbik.solvers.question import Question
from limbik.spatial import Array

Descents: TypeAlias = list[tuple[Array, Array]]  # configurations and errors of one after the other


class GoalsPlan(Question):
    """Everything about a solve for goals of one structure that does not depend on targets or start."""

    model: Model
    options: Options

    @abstractmethod
    def solve(
        self, goals: Sequence[Goal], start: Array | None, seed: int, *, rest: Array | None = None
    ) -> Solution:
        """The answer for goals of the plan's structure, from a start [nq] or from the neutral configuration.

        rest [nq]: toward which the option `rest_bias` pulls; by default the neutral configuration.
        """

    @abstractmethod
    def trace(
        self, goals: Sequence[Goal], start: Array | None, seed: int, rest: Array | None = None
    ) -> tuple[Solution, Descents]:
        """The answer, and the configurations and errors of one descent after the other: the start first, the
        answer last.
        """
