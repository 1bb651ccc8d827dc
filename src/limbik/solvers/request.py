"""`Request`: the model, goals, solver and options of one solve: enough to solve again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from limbik.goals import Goal
from limbik.model.model import Model


@dataclass(frozen=True, kw_only=True, eq=False)
class Request:
    """The goals and options of one solve: enough to solve again."""

    model: Model
    goals: tuple[Goal, ...]
    solver: str  # name of the method
    options: Mapping[str, Any]  # of `solve`, where they are not the default
