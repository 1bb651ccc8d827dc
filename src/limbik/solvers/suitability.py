"""`refusal`: why `solve` would refuse goals and options for a model, or None where it takes them."""

from __future__ import annotations

from typing import Unpack

from limbik.errors import LimbikError
from limbik.goals import GoalLike, as_goals
from limbik.model.model import Model, as_model
from limbik.options import SolverOptions
from limbik.solvers.plans import plan_of


def refusal(model: Model, goal: GoalLike, **options: Unpack[SolverOptions]) -> str | None:
    """Why `solve` would refuse these goals and options for a model; None where it takes them."""
    try:
        plan_of(as_model(model), as_goals(goal), dict(options))
    except LimbikError as error:
        return str(error)
    return None
