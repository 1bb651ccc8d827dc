"""Messages of the 3-D playground: opening scenes, moving arms, explanations, all solutions, self-motions,
exports.

Metres, radians, the world's z axis up. Matrices are 16 numbers row by row, quaternions are xyzw.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgpack
import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbik.app.protocol.reading import LARGEST_ID, MessageError, NumberRange, Reader
from limbik.app.protocol.world import WORLD_BOUNDS, WorldContents, read_world_contents
from limbik.app.protocol.writing import as_json, float32
from limbik.spatial import SHORTEST_QUATERNION

MAX_ROBOTS = 4  # opened together
MAX_ARMS = 16  # of a scene
MAX_GOALS = 32  # of an arm
MAX_LOCKED = 512
MAX_WIDENED = 512  # limits of an arm
MAX_NUMBERS = 1024  # of a configuration
LONGEST_NAME = 200  # of a robot, a file, a frame or a joint
LONGEST_TEXT = 1_000_000  # characters of a description

SPACE_BOUNDS: Mapping[str, NumberRange] = {
    "id": NumberRange(minimum=0, maximum=LARGEST_ID, whole=True),
    "arm": NumberRange(minimum=0, maximum=MAX_ARMS - 1, whole=True),
    "solvers": NumberRange(minimum=1, maximum=16, whole=True),
    "coordinate": NumberRange(minimum=-1e4, maximum=1e4, unit="m"),
    "quaternion": NumberRange(minimum=-1e3, maximum=1e3),
    "joint": NumberRange(minimum=-1e6, maximum=1e6, unit="rad or m"),
    "lower": NumberRange(minimum=-1e6, maximum=1e6, unit="rad or m"),
    "upper": NumberRange(minimum=-1e6, maximum=1e6, unit="rad or m"),
    "iterations": NumberRange(minimum=1, maximum=1000, default=100, whole=True),
    "tolerance": NumberRange(minimum=1e-9, maximum=1, default=1e-4, unit="m"),
    "tolerance_rotation": NumberRange(minimum=1e-9, maximum=math.pi, default=1e-3, unit="rad"),
    "damping": NumberRange(minimum=0.01, maximum=1),
    "gamma": NumberRange(minimum=0.01, maximum=1),
    "lambda": NumberRange(minimum=0, maximum=1e3, unit="m"),
    "anneal": NumberRange(minimum=0, maximum=1),
    "weight": NumberRange(minimum=1e-6, maximum=1e6, default=1),
    "along": NumberRange(minimum=0, maximum=63, default=0, whole=True),
    "amount": NumberRange(minimum=-math.pi, maximum=math.pi, unit="rad"),
    **WORLD_BOUNDS,
}

_KINDS = ("position", "pose", "direction")
_AXES = ("x", "y", "z")


# What the page says -------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class SceneSource:
    """What to open: names of robots, a description's text, or the token of what was uploaded."""

    kind: str  # "robot", "text" or "token"
    names: tuple[str, ...] = ()
    name: str = ""  # of the text's file
    text: str = ""
    token: str = ""


@dataclass(frozen=True, kw_only=True)
class OpenRequest:
    """Show a scene."""

    id: int
    source: SceneSource
    base: str  # "fixed" or "floating"
    angles: str | None  # "range" or "initial": the reading of theta and phi in an arm file; None: its own
    lenient: bool  # a wrong number of segments is only a warning


@dataclass(frozen=True, kw_only=True)
class FrameGoal:
    """A goal: a frame at a point; "pose": also turned so; "direction": with an axis along the turned z."""

    frame: str
    kind: str  # "position", "pose" or "direction"
    position: NDArray[np.float64]  # [3] [m]
    quat_xyzw: NDArray[np.float64] | None = None  # [4] of any length but 0
    axis: str = "z"  # of the frame


@dataclass(frozen=True, kw_only=True)
class PostureGoal:
    """A configuration to be near to, as a preference."""

    q: NDArray[np.float64]  # [nq]
    weight: float


@dataclass(frozen=True, kw_only=True)
class LimitOverrides:
    """A limit of a joint that is farther than its model has it. None: as the model has it."""

    joint: str
    lower: float | None  # [rad or m]
    upper: float | None  # [rad or m]


@dataclass(frozen=True, kw_only=True)
class ArmMove:
    """What one arm of the scene is to do, with each of some solvers."""

    arm: int
    solvers: tuple[str, ...]
    goals: tuple[FrameGoal, ...]
    start: Mapping[str, NDArray[np.float64]]  # solver -> [nq]; without one, where its last answer was
    locked: tuple[str, ...]
    posture: PostureGoal | None
    branches: str  # "independent" or "coupled"
    widened: tuple[LimitOverrides, ...]


@dataclass(frozen=True, kw_only=True)
class SpaceSettings:
    """What the solvers are told. None: the solver's own default."""

    iterations: int
    tolerance: float  # [m]
    tolerance_rotation: float  # [rad]
    limits: bool
    damping: float | None
    gamma: float | None
    lambda_: float | None  # "lambda" on the wire
    anneal: float | None


@dataclass(frozen=True, kw_only=True)
class MeasureOptions:
    """The frame whose ellipsoid is drawn."""

    arm: int
    frame: str


@dataclass(frozen=True, kw_only=True)
class MoveRequest:
    """Bring arms toward their goals: from where they are, or (`search`) from anywhere."""

    id: int
    arms: tuple[ArmMove, ...]
    settings: SpaceSettings
    search: bool
    trace: bool
    timing: bool  # whether the time of one iteration is measured
    measure: MeasureOptions | None
    world: WorldContents | None  # what not to collide with; None: collisions are left aside


@dataclass(frozen=True, kw_only=True)
class NullspaceRequest:
    """Move along a null direction while the goals are held. On the wire its type is "nullspace"."""

    id: int
    arm: int
    q: NDArray[np.float64]
    goals: tuple[FrameGoal, ...]
    along: int
    amount: float  # [rad]
    locked: tuple[str, ...]
    limits: bool
    widened: tuple[LimitOverrides, ...]


@dataclass(frozen=True, kw_only=True)
class ExplainRequest:
    """Say why the goals are not met."""

    id: int
    arm: int
    q: NDArray[np.float64]
    goals: tuple[FrameGoal, ...]
    locked: tuple[str, ...]
    settings: SpaceSettings
    widened: tuple[LimitOverrides, ...]
    world: WorldContents | None


@dataclass(frozen=True, kw_only=True)
class SolutionsRequest:
    """Find all configurations that meet the goals. On the wire its type is "solutions"."""

    id: int
    arm: int
    q: NDArray[np.float64]
    goals: tuple[FrameGoal, ...]
    limits: bool
    widened: tuple[LimitOverrides, ...]
    world: WorldContents | None


@dataclass(frozen=True, kw_only=True)
class SelfMotionRequest:
    """Find how joints can move together while the goals stay met. On the wire its type is "selfmotion"."""

    id: int
    arm: int
    q: NDArray[np.float64]
    goals: tuple[FrameGoal, ...]
    limits: bool
    widened: tuple[LimitOverrides, ...]


@dataclass(frozen=True, kw_only=True)
class ExportRequest:
    """Write the scene in a format, or the objects around it."""

    id: int
    format: str  # "arm", "urdf" or "world"
    q: tuple[NDArray[np.float64], ...]  # one per arm
    goals: tuple[tuple[FrameGoal, ...], ...]  # one per arm
    widened: tuple[tuple[LimitOverrides, ...], ...]  # one per arm
    world: WorldContents | None


# What the server says -----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class OpenReply:
    """The answer to `OpenRequest`; what an arm holds is made in `limbik.app.scene_description`."""

    id: int
    name: str
    token: str | None
    angles: str | None  # the reading of theta and phi: "range" or "initial"; None for what is no .arm
    arms: Sequence[Mapping[str, Any]]
    notes: Sequence[str]

    def encode(self) -> str:
        """As JSON text."""
        return as_json(
            type="scene",
            id=self.id,
            name=self.name,
            token=self.token,
            angles=self.angles,
            arms=list(self.arms),
            notes=list(self.notes),
        )


@dataclass(frozen=True, kw_only=True)
class ArmMoveReply:
    """What one solver made of one arm's goals."""

    arm: int
    solver: str
    q: ArrayLike  # [nq]
    errors: ArrayLike  # [k+1] [m], before the first and after each iteration
    iterations: int
    iterations_to_tolerance: int  # -1: not within the budget
    status: str  # solved, unreachable, likely_unreachable, budget_spent; "still" without goals
    microseconds: float  # the whole call of the solver; NaN: it is interpreted, and being compiled
    violations: int  # joints that were outside their limits in some iteration
    goal_errors: ArrayLike  # [2 * goals] metres and radians of each
    out_of_reach: ArrayLike  # [goals] [m] how far each is proved to be out of reach, at least; or 0
    nullity: int  # directions in which the joints can move while the goals are held
    trace: ArrayLike | None = None  # [k+1, nq]
    goal_trace: ArrayLike | None = None  # [k+1, 2 * goals] the goal errors of its configurations
    iteration_microseconds: float | None = None  # of one iteration alone; NaN: there are none
    near: Sequence[Mapping[str, Any]] | None = None  # pairs that are near, as `app.page_world` tells them
    ellipsoid: ArrayLike | None = None  # [9] J J^T of the measured frame's position, row by row
    manipulability: float | None = None  # the root of its determinant [m^3]


@dataclass(frozen=True, kw_only=True)
class ArmRefusal:
    """A solver that cannot meet the request, and why."""

    arm: int
    solver: str
    refused: str


@dataclass(frozen=True, kw_only=True)
class MoveReply:
    """The answer to `MoveRequest` and `NullspaceRequest`: for each arm, in order, one entry per solver.

    preparing: collisions were left aside, because the shapes of an arm are still being made.
    """

    id: int
    arms: Sequence[ArmMoveReply | ArmRefusal]
    notes: Sequence[str] = ()
    server_ms: float = 0.0
    preparing: bool = False

    def encode(self) -> bytes:
        """As binary msgpack."""
        message = {
            "type": "motion",
            "id": self.id,
            "server_ms": self.server_ms,
            "preparing": self.preparing,
            "notes": list(self.notes),
            "arms": [_wire(arm) for arm in self.arms],
        }
        packed: bytes = msgpack.packb(message)
        return packed


@dataclass(frozen=True, kw_only=True)
class ExplainReply:
    """The answer to `ExplainRequest`. `joints` are those whose limits or locks bind; what `remedies` hold
    stands in `limbik.app.remedies`.
    """

    id: int
    arm: int
    culprit: str  # the reason in one sentence
    text: str
    status: str
    joints: Sequence[str]
    nearest: Sequence[float] | None  # [nq] the nearest legal configuration found, where the goals are not met
    remedies: Sequence[Mapping[str, Any]]  # changes that help, by likelihood

    def encode(self) -> str:
        """As JSON text."""
        return as_json(type="explanation", **vars(self))


@dataclass(frozen=True, kw_only=True)
class SelfMotionReply:
    """The answer to `SelfMotionRequest`: the configurations on the path from one end to the other, through
    where the arm is; none where no curve is known.
    """

    id: int
    arm: int
    q: Sequence[Sequence[float]] = ()  # [m, nq]
    closed: bool = False  # it comes back to where it began
    ends: tuple[str, str] = ("", "")  # what each end meets, in words; "" where it is no limit

    def encode(self) -> str:
        """As JSON text."""
        return as_json(type="curve", **vars(self))


@dataclass(frozen=True, kw_only=True)
class ExportReply:
    """The answer to `ExportRequest`."""

    id: int
    format: str
    name: str  # of a file
    text: str
    notes: Sequence[str] = ()  # what the format has no words for

    def encode(self) -> str:
        """As JSON text."""
        return as_json(type="exported", **vars(self))


def decode_move(data: bytes) -> MoveReply:
    """Read what `MoveReply.encode` wrote, for clients in Python."""
    message = msgpack.unpackb(data)
    arms = [ArmRefusal(**arm) if "refused" in arm else _read_arm(arm) for arm in message["arms"]]
    return MoveReply(
        id=message["id"],
        arms=arms,
        notes=message["notes"],
        server_ms=message["server_ms"],
        preparing=message["preparing"],
    )


_ARRAYS = ("q", "errors", "goal_errors", "goal_trace", "out_of_reach", "trace", "ellipsoid")


def _wire(arm: ArmMoveReply | ArmRefusal) -> dict[str, object]:
    if isinstance(arm, ArmRefusal):
        return dict(vars(arm))
    values = {name: value for name, value in vars(arm).items() if value is not None}
    return {name: float32(value) if name in _ARRAYS else value for name, value in values.items()}


def _read_arm(arm: dict[str, Any]) -> ArmMoveReply:
    values: dict[str, Any] = {
        name: np.frombuffer(value, "<f4") if name in _ARRAYS else value for name, value in arm.items()
    }
    if "trace" in values:
        values["trace"] = values["trace"].reshape(-1, values["q"].size)
    if "goal_trace" in values:
        values["goal_trace"] = values["goal_trace"].reshape(-1, values["goal_errors"].size)
    return ArmMoveReply(**values)


# Reading ------------------------------------------------------------------------------------------


def read_open(reader: Reader, known: Collection[str]) -> OpenRequest:
    """An `OpenRequest`."""
    reader.allow("type", "id", "source", "base", "angles", "lenient")
    return OpenRequest(
        id=reader.whole("id"),
        source=_source(reader.inner("source")),
        base=reader.word("base", ("fixed", "floating"), "fixed"),
        angles=None if reader.entries.get("angles") is None else reader.word("angles", ("range", "initial")),
        lenient=reader.boolean("lenient"),
    )


def _source(reader: Reader) -> SceneSource:
    kind = reader.word("kind", ("robot", "text", "token"))
    if kind == "robot":
        reader.allow("kind", "names")
        return SceneSource(
            kind=kind, names=reader.names("names", MAX_ROBOTS, min_count=1, length=LONGEST_NAME)
        )
    if kind == "text":
        reader.allow("kind", "name", "text")
        return SceneSource(
            kind=kind, name=reader.text("name", LONGEST_NAME), text=reader.text("text", LONGEST_TEXT)
        )
    reader.allow("kind", "token")
    return SceneSource(kind=kind, token=reader.text("token", LONGEST_NAME))


def read_move(reader: Reader, known: Collection[str]) -> MoveRequest:
    """A `MoveRequest`; `known` are the solvers' names."""
    reader.allow("type", "id", "arms", "settings", "search", "trace", "timing", "measure", "world")
    arms = reader.each("arms", lambda arm: _arm_move(arm, known), MAX_ARMS)
    if len({arm.arm for arm in arms}) < len(arms):
        raise reader.error("arms", "each arm once", [arm.arm for arm in arms])
    return MoveRequest(
        id=reader.whole("id"),
        arms=arms,
        settings=_settings(reader.inner("settings")),
        search=reader.boolean("search"),
        trace=reader.boolean("trace"),
        timing=reader.boolean("timing"),
        measure=None if reader.entries.get("measure") is None else _measure(reader.inner("measure")),
        world=read_world_contents(reader),
    )


def _arm_move(reader: Reader, known: Collection[str]) -> ArmMove:
    reader.allow("arm", "solvers", "goals", "start", "locked", "posture", "branches", "widened")
    return ArmMove(
        arm=reader.whole("arm"),
        solvers=reader.choices("solvers", known, reader.bounds["solvers"]),
        goals=reader.each("goals", _wanted, MAX_GOALS),
        start=_start(reader.inner("start"), known),
        locked=reader.names("locked", MAX_LOCKED, length=LONGEST_NAME),
        posture=None if reader.entries.get("posture") is None else _posture(reader.inner("posture")),
        branches=reader.word("branches", ("independent", "coupled"), "independent"),
        widened=read_limit_overrides(reader),
    )


def read_limit_overrides(reader: Reader, name: str = "widened") -> tuple[LimitOverrides, ...]:
    """The limits of an arm that are farther than its model has them."""
    return reader.each(name, _wider, MAX_WIDENED)


def _wider(reader: Reader) -> LimitOverrides:
    reader.allow("joint", "lower", "upper")
    return LimitOverrides(
        joint=reader.text("joint", LONGEST_NAME),
        lower=reader.optional("lower"),
        upper=reader.optional("upper"),
    )


def _start(reader: Reader, known: Collection[str]) -> dict[str, NDArray[np.float64]]:
    reader.allow(*known)
    return {name: reader.some_numbers(name, MAX_NUMBERS, "joint") for name in reader.entries}


def _posture(reader: Reader) -> PostureGoal:
    reader.allow("q", "weight")
    return PostureGoal(q=reader.some_numbers("q", MAX_NUMBERS, "joint"), weight=reader.number("weight"))


def _wanted(reader: Reader) -> FrameGoal:
    reader.allow("frame", "kind", "position", "quat_xyzw", "axis")
    kind = reader.word("kind", _KINDS)
    quat_xyzw = None if kind == "position" else reader.numbers("quat_xyzw", 4, "quaternion")
    if quat_xyzw is not None and float(quat_xyzw @ quat_xyzw) < SHORTEST_QUATERNION**2:
        raise reader.error("quat_xyzw", "a quaternion that is not 0", quat_xyzw.tolist())
    return FrameGoal(
        frame=reader.text("frame", LONGEST_NAME),
        kind=kind,
        position=reader.numbers("position", 3, "coordinate"),
        quat_xyzw=quat_xyzw,
        axis=reader.word("axis", _AXES, "z"),
    )


def _settings(reader: Reader) -> SpaceSettings:
    reader.allow(
        "iterations", "tolerance", "tolerance_rotation", "limits", "damping", "gamma", "lambda", "anneal"
    )
    return SpaceSettings(
        iterations=reader.whole("iterations"),
        tolerance=reader.number("tolerance"),
        tolerance_rotation=reader.number("tolerance_rotation"),
        limits=reader.boolean("limits", default=True),
        damping=reader.optional("damping"),
        gamma=reader.optional("gamma"),
        lambda_=reader.optional("lambda"),
        anneal=reader.optional("anneal"),
    )


def _measure(reader: Reader) -> MeasureOptions:
    reader.allow("arm", "frame")
    return MeasureOptions(arm=reader.whole("arm"), frame=reader.text("frame", LONGEST_NAME))


def read_nullspace(reader: Reader, known: Collection[str]) -> NullspaceRequest:
    """A `NullspaceRequest`."""
    reader.allow("type", "id", "arm", "q", "goals", "along", "amount", "locked", "limits", "widened")
    return NullspaceRequest(
        id=reader.whole("id"),
        arm=reader.whole("arm"),
        q=reader.some_numbers("q", MAX_NUMBERS, "joint"),
        goals=_some_goals(reader),
        along=reader.whole("along"),
        amount=reader.number("amount"),
        locked=reader.names("locked", MAX_LOCKED, length=LONGEST_NAME),
        limits=reader.boolean("limits", default=True),
        widened=read_limit_overrides(reader),
    )


def read_explain(reader: Reader, known: Collection[str]) -> ExplainRequest:
    """An `ExplainRequest`."""
    reader.allow("type", "id", "arm", "q", "goals", "locked", "settings", "widened", "world")
    return ExplainRequest(
        id=reader.whole("id"),
        arm=reader.whole("arm"),
        q=reader.some_numbers("q", MAX_NUMBERS, "joint"),
        goals=_some_goals(reader),
        locked=reader.names("locked", MAX_LOCKED, length=LONGEST_NAME),
        settings=_settings(reader.inner("settings")),
        widened=read_limit_overrides(reader),
        world=read_world_contents(reader),
    )


def read_solve_all(reader: Reader, known: Collection[str]) -> SolutionsRequest:
    """A `SolutionsRequest`."""
    return SolutionsRequest(**_held_goals(reader, "world"), world=read_world_contents(reader))


def read_self_motion(reader: Reader, known: Collection[str]) -> SelfMotionRequest:
    """A `SelfMotionRequest`."""
    return SelfMotionRequest(**_held_goals(reader))


def _held_goals(reader: Reader, *more: str) -> dict[str, Any]:
    reader.allow("type", "id", "arm", "q", "goals", "limits", "widened", *more)
    return {
        "id": reader.whole("id"),
        "arm": reader.whole("arm"),
        "q": reader.some_numbers("q", MAX_NUMBERS, "joint"),
        "goals": _some_goals(reader),
        "limits": reader.boolean("limits", default=True),
        "widened": read_limit_overrides(reader),
    }


def _some_goals(reader: Reader) -> tuple[FrameGoal, ...]:
    goals = reader.each("goals", _wanted, MAX_GOALS)
    if not goals:
        raise reader.error("goals", "at least one goal", reader.entries.get("goals"))
    return goals


def read_export(reader: Reader, known: Collection[str]) -> ExportRequest:
    """An `ExportRequest`."""
    reader.allow("type", "id", "format", "q", "goals", "widened", "world")
    return ExportRequest(
        id=reader.whole("id"),
        format=reader.word("format", ("arm", "urdf", "world")),
        q=tuple(
            Reader({f"q[{k}]": values}, reader.bounds).some_numbers(f"q[{k}]", MAX_NUMBERS, "joint")
            for k, values in enumerate(_lists(reader, "q"))
        ),
        goals=tuple(
            Reader({f"goals[{k}]": values}, reader.bounds).each(f"goals[{k}]", _wanted, MAX_GOALS)
            for k, values in enumerate(_lists(reader, "goals"))
        ),
        widened=tuple(
            read_limit_overrides(Reader({f"widened[{k}]": values}, reader.bounds), f"widened[{k}]")
            for k, values in enumerate(_lists(reader, "widened"))
        ),
        world=read_world_contents(reader),
    )


def _lists(reader: Reader, name: str) -> list[Any]:
    """The lists in an entry, one per arm; none where there is no entry."""
    values = reader.entries.get(name)
    values = [] if values is None else values
    if not isinstance(values, list) or len(values) > MAX_ARMS:
        raise MessageError(f"`{name}` needs a list of at most {MAX_ARMS} lists", field=name)
    return values
