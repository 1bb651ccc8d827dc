"""What a caller may ask of a solve besides the goal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from limbik.errors import SolverError, did_you_mean
from limbik.solvers.solver import Solver


@dataclass(frozen=True, kw_only=True)
class Options:
    """How to solve; see `solve` for what each means."""

    solver: str | Solver = "auto"
    tolerance: float = 1e-6
    tolerance_rotation: float = 1e-6
    iterations: int | None = None
    restarts: int | None = None
    limits: bool = True
    rest_bias: float = 0.0

    def __post_init__(self) -> None:
        _check(0.0 < _number(self.tolerance) < math.inf, "tolerance", "a positive length [m]", self.tolerance)
        _check(
            0.0 < _number(self.tolerance_rotation) < math.inf,
            "tolerance_rotation",
            "a positive angle [rad]",
            self.tolerance_rotation,
        )
        _check(
            _is_count(self.iterations, 1),
            "iterations",
            "a whole number of at least 1, or None",
            self.iterations,
        )
        _check(
            _is_count(self.restarts, 0), "restarts", "a whole number of at least 0, or None", self.restarts
        )
        _check(isinstance(self.limits, bool), "limits", "True or False", self.limits)
        _check(0.0 <= _number(self.rest_bias) <= 0.5, "rest_bias", "a fraction from 0 to 0.5", self.rest_bias)


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float | np.floating | np.integer) else math.nan


def _is_count(value: Any, least: int) -> bool:
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return value is None or (is_whole and int(value) >= least)


def _check(is_right: bool, name: str, needed: str, found: Any) -> None:
    if not is_right:
        raise SolverError(f"`{name}` needs {needed}, found {found!r}")


def read_options(options: dict[str, Any]) -> Options:
    """Checked options. Raises SolverError for an unknown name or a value out of range."""
    try:
        return Options(**options)
    except TypeError:
        known = (*Options.__dataclass_fields__, "start", "rest", "seed")
        unknown = next(name for name in options if name not in known)
        raise SolverError(f"solve() has no option {unknown!r}; {did_you_mean(unknown, known)}") from None
