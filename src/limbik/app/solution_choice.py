"""The page's request for all solutions: solves it, selects up to 12 that are far from each other, and makes
the reply.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from limbik import solvers
from limbik.all_solutions.result import AllSolutions
from limbik.all_solutions.solve_all import plan_for_all
from limbik.app.page_world import Around
from limbik.app.protocol.solutions import SolutionsReply
from limbik.goals import Goal, Pose
from limbik.model import Model
from limbik.model.periodic import endless
from limbik.spatial import Array

MAX = 12  # that are shown
STARTS = 60  # of the search for arms and goals without a closed form


def has_closed_form(model: Model, goals: Sequence[Goal], limits: bool) -> bool:
    """Whether all solutions of the goals are found in closed form."""
    if len(goals) != 1 or not isinstance(goals[0], Pose):
        return False
    return plan_for_all(model, goals[0].frame, limits) is not None


def solutions_of(model: Model, goals: Sequence[Goal], start: Array, limits: bool) -> AllSolutions:
    """All solutions of one goal or several, the nearest to a start [nq] first."""
    target: Any = goals[0] if len(goals) == 1 else list(goals)
    return solvers.solve_all(model, target, start=start, limits=limits, starts=STARTS)


def shown(
    model: Model,
    solutions: AllSolutions,
    *,
    id: int,
    arm: int = 0,
    is_quick: bool = False,
    around: Around | None = None,
) -> SolutionsReply:
    """What the page is told of them; around: what they are not to collide with."""
    some = solutions.some(spread(solutions.q))
    return SolutionsReply(
        id=id,
        arm=arm,
        q=some.q.tolist(),
        circular=circular(model),
        branches=some.branches,
        margins=some.limit_margins.min(axis=1, initial=np.inf).tolist(),
        manipulability=some.manipulability.tolist(),
        collisions=["" if around is None else around.collision(q) for q in some.q],
        count=len(solutions),
        complete=solutions.complete,
        is_quick=is_quick,
        text=solutions.explain(),
    )


def circular(model: Model) -> list[int]:
    """Indices in q of the joints that turn without end."""
    return np.flatnonzero(endless(model)).tolist()


def spread(q: Array, max_count: int = MAX) -> list[int]:
    """Indices of so many of q [k, nq], in their order: the first, and each next one as far as there is from
    those before it (Gonzalez, "Clustering to Minimize the Maximum Intercluster Distance", 1985).
    """
    if len(q) <= max_count:
        return list(range(len(q)))
    indices = [0]
    apart = np.full(len(q), np.inf)
    while len(indices) < max_count:
        apart = np.minimum(apart, np.linalg.norm(q - q[indices[-1]], axis=1))
        indices.append(int(apart.argmax()))
    return sorted(indices)
