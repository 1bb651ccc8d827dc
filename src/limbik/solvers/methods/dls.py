"""Damped least squares (Wampler 1986; Nakamura & Hanafusa 1986), with the error clamped (Buss 2004, section
7).

The step minimises |J dq - r|^2 + lambda^2 |dq|^2. It is found in the small dual form, one row per number of
the goal.

lambda is constant, or (Nakamura & Hanafusa) follows how near the arm is to a singular configuration: with the
manipulability w = sqrt(det(J J^T)) it is lambda (1 - w / w0) below w0, and 0 above. The length |dq| may count
some joints more than others, by factors k: dq = K y with K = diag(1 / k) makes that an ordinary one for J K
(Whitney 1969; Chan & Dubey 1995).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from limbik.compiler.kernel import Floats, Records, compiled
from limbik.errors import SolverError, did_you_mean, members_of, shortened
from limbik.model.model import Model
from limbik.numerics.linear import clamp_factor, damped_solve, manipulability, scale_by
from limbik.solvers.solver import BY_DLS, MethodTuning, StepSolver, parameter
from limbik.spatial import as_real

LAMBDA = 0.03  # of the model's length
LONGEST_ERROR = 0.3  # of the model's length
MAX_MANIPULABLE = 1e6
SOFTEST, STIFFEST = 1e-3, 1e3


@compiled
def step(J: Floats, r: Floats, gradient: Floats, settings: Records, dq: Floats, work: Floats) -> None:
    """dq = damping J^T (J J^T + lambda^2 I)^-1 clamp(r)."""
    rows = r.size
    damped_solve(J, r, settings.gain * settings.gain, 0.0, work[:rows, :rows], work[rows, :rows], dq)
    scale_by(settings.damping * clamp_factor(r, settings.longest_error), dq)


@compiled(inline=False)
def faded_in(J: Floats, gain: float, minimum: float, work: Floats) -> float:
    """lambda at a Jacobian [m, n]: all of `gain` where it is singular, none where its manipulability is
    `minimum` or more. work [m, m].
    """
    if not minimum > 0.0:
        return gain
    return gain * max(0.0, 1.0 - manipulability(J, work) / minimum)


@dataclass(frozen=True, kw_only=True)
class DLS(StepSolver):
    """Damped least squares.

    manipulability: below it the damping fades in, to `lambda_` in a singular configuration, and above it
    there is none; 0: it is constant. It is that of the goals' rows, with lengths in those of the model.
    stiffness: by the names of joints, how much more than the others one counts in the length of a step, from
    1e-3 to 1e3; a joint of 10 moves as little as can be.
    """

    name: ClassVar[str] = "dls"
    title: ClassVar[str] = "Damped least squares"
    summary: ClassVar[str] = (
        "A compromise between removing the error and moving little, which stays calm near singular postures."
    )
    source: ClassVar[str] = "Wampler 1986; Nakamura & Hanafusa 1986; Buss 2004"

    damping: float = parameter(1.0, 0.01, 1.0, "", "factor on every step")
    lambda_: float | None = parameter(
        None, 0.0, 1e6, "m", "damping of the joints; by default 0.03 of the reach"
    )

    manipulability: float = 0.0
    stiffness: Mapping[str, float] | tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 <= as_real(self.manipulability) <= MAX_MANIPULABLE:
            raise SolverError(
                f"dls: `manipulability` needs a number from 0 to {MAX_MANIPULABLE:g}, found "
                f"{shortened(self.manipulability)}"
            )
        object.__setattr__(self, "stiffness", _as_factors(self.stiffness))

    def units(self, model: Model, units: Floats) -> Floats:
        for name, factor in dict(self.stiffness).items():
            if name not in model.joint_names:
                hint = did_you_mean(name, model.joint_names)
                raise SolverError(
                    f"dls: `stiffness` names {shortened(name)}, no joint of {model.name!r}; {hint}"
                )
            units[model.v_slice(name)] /= factor
        return units

    def tuning(self, length: float) -> MethodTuning:
        return MethodTuning(
            method=BY_DLS,
            damping=self.damping,
            gain=LAMBDA if self.lambda_ is None else self.lambda_ / length,
            longest_error=LONGEST_ERROR,
            manipulability=float(self.manipulability),
        )


def _as_factors(factors: object) -> tuple[tuple[str, float], ...]:
    """Names of joints with factors, so that solvers can be compared."""
    needed = "factors from 1e-3 to 1e3 by the names of joints"
    pairs = factors.items() if isinstance(factors, Mapping) else factors
    pairs = [members_of(pair, "dls: `stiffness`", SolverError, needed) for pair in _members(pairs, needed)]
    for pair in pairs:
        is_right = len(pair) == 2 and isinstance(pair[0], str) and SOFTEST <= as_real(pair[1]) <= STIFFEST
        if not is_right:
            raise SolverError(f"dls: `stiffness` needs {needed}, found {shortened(factors)}")
    return tuple(sorted((name, float(factor)) for name, factor in pairs))


def _members(pairs: object, needed: str) -> tuple[Any, ...]:
    return members_of(pairs, "dls: `stiffness`", SolverError, needed)
