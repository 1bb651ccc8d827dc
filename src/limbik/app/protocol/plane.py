"""Messages of the 2-D playground: dataclasses of requests and replies, their bounds, and how they are read
and written.

On the wire positions and lengths are pixels of the page's world, y down as on a screen. Angles are radians,
counter-clockwise positive when y points up, each relative to the link before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import msgpack
import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbik.app.protocol.reading import LARGEST_ID, NumberRange, Reader
from limbik.app.protocol.writing import float32

BOUNDS: Mapping[str, NumberRange] = {
    "id": NumberRange(minimum=0, maximum=LARGEST_ID, whole=True),
    "links": NumberRange(minimum=2, maximum=64, whole=True),
    "length": NumberRange(minimum=10, maximum=300, unit="px"),
    "coordinate": NumberRange(minimum=-100_000, maximum=100_000, unit="px"),
    "angle": NumberRange(minimum=-1e6, maximum=1e6, unit="rad"),
    "arms": NumberRange(minimum=1, maximum=9, whole=True),
    "iterations": NumberRange(minimum=1, maximum=64, default=16, whole=True),
    "gamma": NumberRange(minimum=0.02, maximum=1, default=0.3),
    "lambda": NumberRange(minimum=0, maximum=10, default=3, unit="link lengths"),
    "damping": NumberRange(minimum=0.05, maximum=1, default=0.7),
    "limit_degrees": NumberRange(minimum=10, maximum=180, default=90, unit="deg"),
    "rest_bias": NumberRange(minimum=0, maximum=0.5, default=0),
    "tolerance": NumberRange(minimum=0.001, maximum=100, default=0.1, unit="px"),
}


# What the page says -------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ResetRequest:
    """Every arm goes back to the neutral bend."""


@dataclass(frozen=True, kw_only=True)
class PlaneSettings:
    """What the solvers are told. Every entry may be left out and then has the default of `BOUNDS`."""

    iterations: int  # per frame
    gamma: float  # the longest step of the Jacobian transpose
    lambda_: float  # [link lengths], damping of damped least squares; "lambda" on the wire
    damping: float  # fraction of each step that is taken
    limits: bool
    limit_degrees: float  # [deg], every joint turns by at most this in either direction
    rest_bias: float  # fraction per iteration toward the rest pose
    rest: NDArray[np.float64] | None  # [links] [rad]; None: the neutral bend
    tolerance: float  # [px]


@dataclass(frozen=True, kw_only=True)
class PlaneSolveRequest:
    """Bring the tips of all arms to one target."""

    id: int
    links: int
    length: float  # [px], of one link
    base: NDArray[np.float64]  # [2] [px]
    target: NDArray[np.float64]  # [2] [px]
    solvers: tuple[str, ...]
    settings: PlaneSettings
    start: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)  # solver -> [links] [rad]
    trace: bool = False
    timing: bool = False  # whether the time of one iteration is measured


@dataclass(frozen=True, kw_only=True)
class PlaneSolutionsRequest:
    """Find all configurations that reach a target. On the wire its type is "plane_solutions"."""

    id: int
    links: int
    length: float  # [px], of one link
    base: NDArray[np.float64]  # [2] [px]
    target: NDArray[np.float64]  # [2] [px]
    q: NDArray[np.float64]  # [links] [rad]
    limits: bool
    limit_degrees: float  # [deg]


# What the server says -----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class PlaneArmReply:
    """The answer of one solver. `trace` holds every iteration's configuration, where requested."""

    solver: str
    q: ArrayLike  # [links] [rad]
    errors: ArrayLike  # [k+1] [px], before the first and after each iteration
    iterations: int  # k
    iterations_to_tolerance: int  # -1: not within the budget
    status: str  # solved, unreachable, likely_unreachable, budget_spent
    microseconds: float  # the whole call of the solver; NaN: it is interpreted, and being compiled
    violations: int  # joints that were outside their limits in some iteration
    out_of_reach: float  # [px] by how much the target is proved to be out of reach, at least; 0: not proved
    trace: ArrayLike | None = None  # [k+1, links] [rad]
    iteration_microseconds: float | None = None  # of one iteration alone; NaN: there are none


@dataclass(frozen=True, kw_only=True)
class PlaneSolveReply:
    """The answer to a `PlaneSolveRequest`: one arm per solver, in the order of the request."""

    id: int
    arms: tuple[PlaneArmReply, ...]
    server_ms: float

    def encode(self) -> bytes:
        """As binary msgpack."""
        arms = [_wire_arm(arm) for arm in self.arms]
        message = {"type": "frame", "id": self.id, "arms": arms, "server_ms": self.server_ms}
        packed: bytes = msgpack.packb(message)
        return packed


def decode_plane_solve(data: bytes) -> PlaneSolveReply:
    """Read what `PlaneSolveReply.encode` wrote, for clients in Python."""
    message = msgpack.unpackb(data)
    arms = []
    for arm in message["arms"]:
        q = np.frombuffer(arm["q"], "<f4")
        trace = arm.pop("trace", None)
        rows = None if trace is None else np.frombuffer(trace, "<f4").reshape(-1, q.size)
        arms.append(
            PlaneArmReply(**{**arm, "q": q, "errors": np.frombuffer(arm["errors"], "<f4"), "trace": rows})
        )
    return PlaneSolveReply(id=message["id"], arms=tuple(arms), server_ms=message["server_ms"])


# Reading ------------------------------------------------------------------------------------------


def read_reset(reader: Reader) -> ResetRequest:
    """A `ResetRequest`."""
    reader.allow("type")
    return ResetRequest()


def read_solve(reader: Reader, known: Collection[str]) -> PlaneSolveRequest:
    """A `PlaneSolveRequest`; `known` are the solvers' names."""
    reader.allow(
        "type",
        "id",
        "links",
        "length",
        "base",
        "target",
        "solvers",
        "settings",
        "start",
        "trace",
        "timing",
    )
    links = reader.whole("links")
    return PlaneSolveRequest(
        id=reader.whole("id"),
        links=links,
        length=reader.number("length"),
        base=reader.numbers("base", 2, "coordinate"),
        target=reader.numbers("target", 2, "coordinate"),
        solvers=reader.choices("solvers", known, BOUNDS["arms"]),
        settings=_settings(reader.inner("settings"), links),
        start=_start(reader.inner("start"), links, known),
        trace=reader.boolean("trace"),
        timing=reader.boolean("timing"),
    )


def read_plane_solutions(reader: Reader) -> PlaneSolutionsRequest:
    """A `PlaneSolutionsRequest`."""
    reader.allow("type", "id", "links", "length", "base", "target", "q", "limits", "limit_degrees")
    links = reader.whole("links")
    return PlaneSolutionsRequest(
        id=reader.whole("id"),
        links=links,
        length=reader.number("length"),
        base=reader.numbers("base", 2, "coordinate"),
        target=reader.numbers("target", 2, "coordinate"),
        q=reader.numbers("q", links, "angle"),
        limits=reader.boolean("limits"),
        limit_degrees=reader.number("limit_degrees"),
    )


def _settings(reader: Reader, links: int) -> PlaneSettings:
    reader.allow(
        "iterations",
        "gamma",
        "lambda",
        "damping",
        "limits",
        "limit_degrees",
        "rest_bias",
        "rest",
        "tolerance",
    )
    return PlaneSettings(
        iterations=reader.whole("iterations"),
        gamma=reader.number("gamma"),
        lambda_=reader.number("lambda"),
        damping=reader.number("damping"),
        limits=reader.boolean("limits"),
        limit_degrees=reader.number("limit_degrees"),
        rest_bias=reader.number("rest_bias"),
        rest=None if reader.entries.get("rest") is None else reader.numbers("rest", links, "angle"),
        tolerance=reader.number("tolerance"),
    )


def _start(reader: Reader, links: int, known: Collection[str]) -> dict[str, NDArray[np.float64]]:
    reader.allow(*known)
    return {name: reader.numbers(name, links, "angle") for name in reader.entries}


# Writing ------------------------------------------------------------------------------------------


def _wire_arm(arm: PlaneArmReply) -> dict[str, object]:
    message: dict[str, object] = {
        "solver": arm.solver,
        "q": float32(arm.q),
        "errors": float32(arm.errors),
        "iterations": int(arm.iterations),
        "iterations_to_tolerance": int(arm.iterations_to_tolerance),
        "status": arm.status,
        "microseconds": float(arm.microseconds),
        "violations": int(arm.violations),
        "out_of_reach": float(arm.out_of_reach),
    }
    if arm.trace is not None:
        message["trace"] = float32(arm.trace)
    if arm.iteration_microseconds is not None:
        message["iteration_microseconds"] = arm.iteration_microseconds
    return message
