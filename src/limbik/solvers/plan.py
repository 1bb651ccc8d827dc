"""A plan: what a solve for goals of one structure needs that does not depend on targets, start or seed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from limbik.goals import Goal
from limbik.model.model import Model
from limbik.solution import Lane, Solution
from limbik.solvers.checked_options import Options
from limbik.solvers.question import Question
from limbik.spatial import Array

Descents: TypeAlias = list[tuple[Array, Array]]  # configurations and errors of one after the other


@dataclass
class Observer:
    """What is seen of a solve: its descents, the start first, the answer last, and its lanes if wanted."""

    wants_lanes: bool = False
    descents: Descents = field(default_factory=list)
    lanes: tuple[Lane, ...] = ()


class Plan(Question):
    """Solves for goals of one structure. It is made once, and kept with its model (`solvers.plans`)."""

    model: Model
    options: Options

    @abstractmethod
    def solve(
        self,
        goals: Sequence[Goal],
        start: Array | None,
        seed: int,
        *,
        rest: Array | None = None,
        observer: Observer | None = None,
    ) -> Solution:
        """The answer for goals of the plan's structure, from a start [nq] or from the neutral configuration.

        rest [nq]: toward which the option `rest_bias` pulls; by default the neutral configuration. observer:
        is given what is to be seen of the solve, which is the same without it.

        Raises GoalError for targets, ConfigurationError for a start that have no meaning.
        """
