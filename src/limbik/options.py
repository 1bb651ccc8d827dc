"""Types of the options of `solve`, its batch, trace and all-solutions variants, trackers and paths, for
editors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from limbik.collision import World
    from limbik.solvers import Solver
else:
    Solver = World = Any  # they stand above this package

# One for all joints, one for each velocity [nv], or by the names of joints.
RateLimits: TypeAlias = ArrayLike | Mapping[str, float] | None
SLOWEST_RATE = 1e-12  # smallest limit of a rate [rad/s, m/s, or per s^2]


class SolverOptions(TypedDict, total=False):
    """How to solve."""

    solver: str | Solver
    tolerance: float  # [m]
    tolerance_rotation: float  # [rad]
    iterations: int | None
    restarts: int | None
    mode: Literal["meet", "best"]
    limits: bool
    rest_bias: float
    prefer: Literal["nearest", "first", "clearance"] | None
    locked: Sequence[str]
    tool: ArrayLike | None  # pose_frame_tool [4, 4]
    time_limit: float | None  # [s]


class FreeSolverOptions(SolverOptions, total=False):
    """And how to be free of collision."""

    world: World | None
    clearance: float  # [m]


class StartOptions(SolverOptions, total=False):
    """And from where to solve."""

    start: ArrayLike | None  # [nq]
    rest: ArrayLike | None  # [nq]
    seed: int


class SolveOptions(StartOptions, FreeSolverOptions, total=False):
    """Of `solve`."""


class TraceOptions(StartOptions, total=False):
    """Of `trace` and `iterate`."""

    lanes: bool


class EachOptions(TypedDict, total=False):
    """How to solve each problem of a batch."""

    solver: str | Solver
    tolerance: float  # [m]
    tolerance_rotation: float  # [rad]
    iterations: int | None
    restarts: int | None
    limits: bool
    tool: ArrayLike | None  # pose_frame_tool [4, 4]
    time_limit: float | None  # [s] of the whole batch


class BatchOptions(EachOptions, total=False):
    """Of `solve_batch`."""

    start: ArrayLike | None  # [nq] or [N, nq]
    frame: str | None
    threads: int | None
    precision: Literal["double", "single"]
    seed: int
    world: World | None
    clearance: float  # [m]


class AllBatchOptions(TypedDict, total=False):
    """Of `solve_all_batch`."""

    frame: str | None
    start: ArrayLike | None  # [nq]
    limits: bool


class AllOptions(AllBatchOptions, total=False):
    """Of `solve_all`."""

    revolutions: bool
    samples: int | None
    starts: int
    seed: int
    time_limit: float | None  # [s] of the search from many starts
    world: World | None
    clearance: float  # [m]


class TrackerOptions(TypedDict, total=False):
    """Of `Model.tracker`."""

    start: ArrayLike | None  # [nq]
    velocity_limits: RateLimits  # [rad/s or m/s]
    acceleration_limits: RateLimits  # [rad/s^2 or m/s^2]
    locked: Sequence[str]
    tool: ArrayLike | None  # pose_frame_tool [4, 4]
    world: World | None
    clearance: float  # [m]


class PathOptions(TypedDict, total=False):
    """Of `solve_path`."""

    times: ArrayLike | None  # [N] in seconds
    start: ArrayLike | None  # [nq]
    frame: str | None
    first: ArrayLike | None  # [nq]
    last: ArrayLike | None  # [nq]
    max_step: float  # [rad or m]
    deviation: tuple[float, float]  # [m], [rad]
    prefer: Literal["short", "manipulability", "limits"]
    velocity_limits: RateLimits  # [rad/s or m/s]
    acceleration_limits: RateLimits  # [rad/s^2 or m/s^2]
    seed: int
    world: World | None
    clearance: float  # [m]
    time_limit: float | None  # [s]
