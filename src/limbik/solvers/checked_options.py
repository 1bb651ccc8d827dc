"""Checks the options of a solve."""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from limbik.errors import (
    ConfigurationError,
    SolverError,
    did_you_mean,
    is_one_of,
    listed,
    members_of,
    shortened,
)
from limbik.model.joints import Joint
from limbik.model.model import Model
from limbik.request import FARTHEST_TARGET
from limbik.solvers.registry import with_parameter
from limbik.solvers.solver import Solver
from limbik.spatial import Array, Matrix4, as_pose, as_real, check_largest

MAX_ITERATIONS = 10**9
DEFAULT_ITERATIONS = 10_000
UNLIMITED = 10**9  # restarts
WIDEST = 1e9  # [m or rad] tolerance
HELD_WITHIN = 1e-6  # [rad or m] by which a locked joint may be moved into its limits


@dataclass(frozen=True, kw_only=True)
class Options:
    """How to solve; see `solve` for what each means. What is of a single solve, such as its time limit, is in
    its `Problem`.
    """

    solver: str | Solver = "auto"
    tolerance: float = 1e-6
    tolerance_rotation: float = 1e-6
    iterations: int | None = None
    restarts: int | None = None
    mode: str = "meet"
    limits: bool = True
    rest_bias: float = 0.0
    prefer: str | None = None
    locked: tuple[str, ...] = ()
    tool: tuple[float, ...] | None = None  # pose in 16 numbers

    @property
    def budget(self) -> int:
        """Iterations over all restarts."""
        return DEFAULT_ITERATIONS if self.iterations is None else int(self.iterations)

    def restarts_over(self, joints: Iterable[Joint]) -> int:
        """How often a search over these joints may restart: never where none can move."""
        if not any(joint.is_movable or (joint.nv > 0 and not self.limits) for joint in joints):
            return 0
        if self.restarts is None:
            return 0 if self.mode == "best" else UNLIMITED
        return int(self.restarts)

    @property
    def tool_pose(self) -> Matrix4:
        """pose_frame_tool."""
        return np.eye(4) if self.tool is None else np.array(self.tool).reshape(4, 4)

    @property
    def explicit(self) -> dict[str, Any]:
        """The options that differ from the default, as `solve` takes them."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        changed = {name: value for name, value in values.items() if value != getattr(Options, name)}
        return changed if self.tool is None else {**changed, "tool": self.tool_pose}

    def __post_init__(self) -> None:
        for name, unit in (("tolerance", "length [m]"), ("tolerance_rotation", "angle [rad]")):
            value = getattr(self, name)
            _check(0.0 < as_real(value) <= WIDEST, name, f"a positive {unit}, up to {WIDEST:g}", value)
        for name, minimum in (("iterations", 1), ("restarts", 0)):
            value = getattr(self, name)
            is_whole = isinstance(value, numbers.Integral) and minimum <= as_real(value) <= MAX_ITERATIONS
            is_right = value is None or is_whole
            _check(is_right, name, f"a whole number from {minimum} to {MAX_ITERATIONS:,}, or None", value)
        _check(isinstance(self.limits, bool | np.bool_), "limits", "True or False", self.limits)
        _check(
            self.prefer is None or is_one_of(self.prefer, ("nearest",)),
            "prefer",
            '"nearest" or None',
            self.prefer,
        )
        _check(is_one_of(self.mode, ("meet", "best")), "mode", '"meet" or "best"', self.mode)
        _check(0.0 <= as_real(self.rest_bias) <= 0.5, "rest_bias", "a fraction from 0 to 0.5", self.rest_bias)


def _check(is_right: bool, name: str, needed: str, actual: object) -> None:
    if not is_right:
        raise SolverError(f"`{name}` needs {needed}, found {shortened(actual)}")


def hashable(options: dict[str, Any]) -> dict[str, Any]:
    """The options with names in a tuple and poses in 16 numbers, so that plans can be cached by them."""
    if "locked" in options:
        options = {**options, "locked": locked_names(options["locked"])}
    if options.get("tool") is not None:
        tool = as_pose(options["tool"], "`tool`", error=SolverError)
        check_largest(tool, FARTHEST_TARGET, "`tool`", "m", SolverError)
        options = {**options, "tool": tuple(tool.ravel().tolist())}
    return options


def locked_names(locked: object) -> tuple[str, ...]:
    """The names of locked joints, one or several. Raises SolverError for what is none, values included."""
    if isinstance(locked, Mapping):
        raise SolverError(
            "`locked` needs names of joints, without values, as a joint is locked where `start` has it: set "
            f"them in `start`; found {shortened(locked)}"
        )
    names = (
        (locked,)
        if isinstance(locked, str)
        else members_of(locked, "`locked`", SolverError, "names of joints", any_order=True)
    )
    _check(all(isinstance(name, str) for name in names), "locked", "names of joints", locked)
    return names


def check_locked(model: Model, names: Iterable[str]) -> None:
    """Raises SolverError for names that no joint of the model has."""
    for name in names:
        if name not in model.joint_names:
            hint = did_you_mean(name, model.joint_names)
            raise SolverError(f"`locked` names {name!r}, which is no joint of {model.name!r}; {hint}")


def check_locked_start(model: Model, options: Options, start: Array) -> None:
    """Raises ConfigurationError for a start [nq] where a locked joint would not stay, as it is beyond its
    limits and these count.
    """
    inside = model.clip(start)
    if not (options.limits and np.abs(start - inside).max(initial=0.0) > HELD_WITHIN):
        return  # or it is no number, which the solver refuses
    for name in options.locked:
        at = model.q_slice(name)
        with_start = inside.copy()
        with_start[at] = start[at]
        if not model.is_within_limits(with_start, -HELD_WITHIN):
            raise ConfigurationError(
                f"`start` has the locked joint {name!r} at {_listed(start[at])}, beyond its limits: give "
                f"{_listed(inside[at])}, the nearest value within them, or limits=False"
            )


def _listed(numbers: Array) -> str:
    return listed(f"{each:.6g}" for each in numbers)


def read_options(options: dict[str, Any]) -> Options:
    """Checked options. Raises SolverError for an unknown name or a value out of range."""
    try:
        return Options(**options)
    except TypeError:
        known = Options.__dataclass_fields__
        unknown = next(name for name in options if name not in known)
        hint = did_you_mean(unknown, (*known, "time_limit", "start", "rest", "seed"))
        for solver in with_parameter(unknown)[:1]:
            hint = f"give it to a solver, as in solver=limbik.solvers.{solver}({unknown}=...)"
        raise SolverError(f"there is no option {unknown!r} here; {hint}") from None
