"""The messages between the page and the server, version 1, and the one place where their ranges stand.

The page sends JSON text: `Hello`, `Solve`, `Reset`. The server answers JSON text (`Welcome`, `Failure`,
`Notice`) and binary msgpack (`Frame`), in which arrays are little-endian float32 bytes. `static/protocol.js`
mirrors this file.

On the wire positions and lengths are pixels of the page's world, y down as on a screen. Angles are radians,
counter-clockwise positive when y points up, each relative to the link before.
"""

from __future__ import annotations

import dataclasses
import enum
import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgpack
import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbik.errors import LimbikError

VERSION = 1
MAX_MESSAGE_BYTES = 64 * 1024


@dataclass(frozen=True, kw_only=True)
class Bound:
    """The range of one number on the wire. `default` None: the number must be given."""

    minimum: float
    maximum: float
    default: float | None = None
    unit: str = ""
    whole: bool = False


BOUNDS: Mapping[str, Bound] = {
    "id": Bound(minimum=0, maximum=2**53 - 1, whole=True),
    "links": Bound(minimum=2, maximum=64, whole=True),
    "length": Bound(minimum=30, maximum=140, unit="px"),
    "coordinate": Bound(minimum=-100_000, maximum=100_000, unit="px"),
    "angle": Bound(minimum=-1e6, maximum=1e6, unit="rad"),
    "arms": Bound(minimum=1, maximum=8, whole=True),
    "iterations": Bound(minimum=1, maximum=64, default=16, whole=True),
    "gamma": Bound(minimum=0.02, maximum=1, default=0.3),
    "lambda": Bound(minimum=0, maximum=10, default=3, unit="link lengths"),
    "damping": Bound(minimum=0.05, maximum=1, default=0.7),
    "limit_degrees": Bound(minimum=10, maximum=180, default=90, unit="deg"),
    "rest_bias": Bound(minimum=0, maximum=0.5, default=0),
    "tolerance": Bound(minimum=0.001, maximum=100, default=0.1, unit="px"),
}


class MessageError(LimbikError):
    """A message that is not in the protocol. `field` names the entry and `id` the request, where known."""

    def __init__(self, message: str, *, field: str | None = None, id: int | None = None) -> None:
        super().__init__(message)
        self.field = field
        self.id = id


# What the page says -------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Hello:
    """The page's first message: the version it speaks."""

    version: int


@dataclass(frozen=True, kw_only=True)
class Reset:
    """Every arm goes back to the neutral bend."""


@dataclass(frozen=True, kw_only=True)
class Settings:
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
class Solve:
    """Bring the tips of all arms to one target."""

    id: int
    links: int
    length: float  # [px], of one link
    base: NDArray[np.float64]  # [2] [px]
    target: NDArray[np.float64]  # [2] [px]
    solvers: tuple[str, ...]
    settings: Settings
    start: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)  # solver -> [links] [rad]
    trace: bool = False


# What the server says -----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Arm:
    """What one solver made of a `Solve`. `trace` holds every iteration's configuration, where asked for."""

    solver: str
    q: ArrayLike  # [links] [rad]
    errors: ArrayLike  # [k+1] [px], before the first and after each iteration
    iterations: int  # k
    iterations_to_tolerance: int  # -1: not within the budget
    status: str  # solved, unreachable, likely_unreachable, budget_spent
    microseconds: float  # the whole call of the solver
    violations: int  # joints that were outside their limits in some iteration
    trace: ArrayLike | None = None  # [k+1, links] [rad]


@dataclass(frozen=True, kw_only=True)
class Frame:
    """The answer to a `Solve`: one arm per solver, in the order asked."""

    id: int
    arms: tuple[Arm, ...]
    server_ms: float

    def encode(self) -> bytes:
        """As binary msgpack."""
        arms = [_wire_arm(arm) for arm in self.arms]
        message = {"type": "frame", "id": self.id, "arms": arms, "server_ms": self.server_ms}
        packed: bytes = msgpack.packb(message)
        return packed


@dataclass(frozen=True, kw_only=True)
class Welcome:
    """The answer to `Hello`. `solvers` are the records of `limbik.solvers.describe()`."""

    limbik: str
    solvers: Collection[object]

    def encode(self) -> str:
        """As JSON text."""
        return _json(
            type="welcome",
            version=VERSION,
            limbik=self.limbik,
            solvers=list(self.solvers),
            bounds=dict(BOUNDS),
        )


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A request that was not carried out, and why. On the wire its type is "error"."""

    message: str
    id: int | None = None
    field: str | None = None

    def encode(self) -> str:
        """As JSON text."""
        return _json(type="error", id=self.id, message=self.message, field=self.field)


@dataclass(frozen=True, kw_only=True)
class Notice:
    """The state of the kernels: "compiling" or "ready". On the wire its type is "status"."""

    state: str
    message: str

    def encode(self) -> str:
        """As JSON text."""
        return _json(type="status", state=self.state, message=self.message)


# Reading ------------------------------------------------------------------------------------------


def parse(text: str, known: Collection[str]) -> Hello | Solve | Reset:
    """Read one message of the page; `known` are the solvers' names.

    Raises:
        MessageError: the text is too long or not JSON, or an entry is missing, unknown, of the wrong type or
            out of range.
    """
    if len(text) > MAX_MESSAGE_BYTES or len(text.encode(errors="surrogatepass")) > MAX_MESSAGE_BYTES:
        raise MessageError(f"a message has at most {MAX_MESSAGE_BYTES} bytes")
    try:
        message = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise MessageError("the message is nested too deeply") from None
    except ValueError as error:
        raise MessageError(f"the message is not JSON: {error}") from None
    if not isinstance(message, dict):
        raise MessageError(f"a message is a JSON object, found {_show(message)}")
    try:
        return _Reader(message).message(known)
    except MessageError as error:
        raise MessageError(str(error), field=error.field, id=_id_of(message)) from None


def decode_frame(data: bytes) -> Frame:
    """Read what `Frame.encode` wrote, for clients in Python."""
    message = msgpack.unpackb(data)
    arms = []
    for arm in message["arms"]:
        q = np.frombuffer(arm["q"], "<f4")
        trace = arm.pop("trace", None)
        rows = None if trace is None else np.frombuffer(trace, "<f4").reshape(-1, q.size)
        arms.append(Arm(**{**arm, "q": q, "errors": np.frombuffer(arm["errors"], "<f4"), "trace": rows}))
    return Frame(id=message["id"], arms=tuple(arms), server_ms=message["server_ms"])


class _Reader:
    """One JSON object being read. `prefix` is what its fields are called in messages ("settings.")."""

    def __init__(self, entries: dict[str, Any], prefix: str = "") -> None:
        self.entries = entries
        self.prefix = prefix

    def message(self, known: Collection[str]) -> Hello | Solve | Reset:
        kind = self.entries.get("type")
        if kind == "hello":
            return self.hello()
        if kind == "solve":
            return self.solve(known)
        if kind == "reset":
            self.allow("type")
            return Reset()
        raise MessageError(f'`type` is "hello", "solve" or "reset", found {_show(kind)}', field="type")

    def hello(self) -> Hello:
        self.allow("type", "version")
        version = self.entries.get("version")
        if isinstance(version, bool) or version != VERSION:
            raise MessageError(
                f"this server speaks version {VERSION}, found {_show(version)}; reload the page",
                field="version",
            )
        return Hello(version=VERSION)

    def solve(self, known: Collection[str]) -> Solve:
        self.allow("type", "id", "links", "length", "base", "target", "solvers", "settings", "start", "trace")
        links = self.whole("links")
        return Solve(
            id=self.whole("id"),
            links=links,
            length=self.number("length"),
            base=self.numbers("base", 2, "coordinate"),
            target=self.numbers("target", 2, "coordinate"),
            solvers=self.solvers(known),
            settings=self.inner("settings").settings(links),
            start=self.inner("start").start(links, known),
            trace=self.boolean("trace"),
        )

    def settings(self, links: int) -> Settings:
        self.allow(
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
        return Settings(
            iterations=self.whole("iterations"),
            gamma=self.number("gamma"),
            lambda_=self.number("lambda"),
            damping=self.number("damping"),
            limits=self.boolean("limits"),
            limit_degrees=self.number("limit_degrees"),
            rest_bias=self.number("rest_bias"),
            rest=None if self.entries.get("rest") is None else self.numbers("rest", links, "angle"),
            tolerance=self.number("tolerance"),
        )

    def start(self, links: int, known: Collection[str]) -> dict[str, NDArray[np.float64]]:
        self.allow(*known)
        return {name: self.numbers(name, links, "angle") for name in self.entries}

    def solvers(self, known: Collection[str]) -> tuple[str, ...]:
        names = self.entries.get("solvers")
        arms = BOUNDS["arms"]
        if not isinstance(names, list) or not arms.minimum <= len(names) <= arms.maximum:
            raise self.error(
                "solvers",
                f"a list of {arms.minimum:g} to {arms.maximum:g} names",
                self.entries.get("solvers"),
            )
        for name in names:
            if not isinstance(name, str) or name not in known:
                raise self.error("solvers", f"names out of {', '.join(known)}", name)
        if len(set(names)) < len(names):
            raise self.error("solvers", "each name once", names)
        return tuple(names)

    def allow(self, *names: str) -> None:
        for name in self.entries:
            if name not in names:
                raise MessageError(
                    f"unknown field {_show(name)}; known are {', '.join(names)}",
                    field=f"{self.prefix}{name}"[:100],
                )

    def inner(self, name: str) -> _Reader:
        entries = self.entries.get(name)
        if entries is None:
            entries = {}
        if not isinstance(entries, dict):
            raise self.error(name, "an object or null", entries)
        return _Reader(entries, f"{self.prefix}{name}.")

    def boolean(self, name: str) -> bool:
        value = self.entries.get(name, False)
        if not isinstance(value, bool):
            raise self.error(name, "true or false", value)
        return value

    def whole(self, name: str) -> int:
        return int(self.number(name))

    def number(self, name: str) -> float:
        bound = BOUNDS[name]
        value: Any = self.entries.get(name, bound.default)
        if not _is_within(value, bound):
            raise self.error(name, _range(bound), value)
        return float(value)

    def numbers(self, name: str, count: int, bound_name: str) -> NDArray[np.float64]:
        bound = BOUNDS[bound_name]
        values = self.entries.get(name)
        if not isinstance(values, list) or len(values) != count:
            found = f"{len(values)} entries" if isinstance(values, list) else _show(values)
            raise MessageError(
                f"`{self.prefix}{name}` needs a list of {count} numbers, found {found}",
                field=f"{self.prefix}{name}",
            )
        for value in values:
            if not _is_within(value, bound):
                raise self.error(name, f"numbers, each {_range(bound)}", value)
        return np.array(values, dtype=np.float64)

    def error(self, name: str, expected: str, found: object) -> MessageError:
        field = f"{self.prefix}{name}"
        return MessageError(f"`{field}` needs {expected}, found {_show(found)}", field=field)


def _is_within(value: object, bound: Bound) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return bound.minimum <= value <= bound.maximum and (not bound.whole or value == int(value))


def _range(bound: Bound) -> str:
    kind = "a whole number" if bound.whole else "a number"
    return f"{kind} from {bound.minimum:g} to {bound.maximum:g} {bound.unit}".rstrip()


def _id_of(message: Mapping[str, Any]) -> int | None:
    """The request's id where it can be read, so that the answer to a bad request finds its way back."""
    value: Any = message.get("id")
    return int(value) if _is_within(value, BOUNDS["id"]) else None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _show(value: object) -> str:
    """What was found, in JSON, short and in ASCII whatever it is."""
    if value is None:
        return "nothing"
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 1e15:
        return "a very large number"
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:50]}..."


# Writing ------------------------------------------------------------------------------------------


def _wire_arm(arm: Arm) -> dict[str, object]:
    message: dict[str, object] = {
        "solver": arm.solver,
        "q": _float32(arm.q),
        "errors": _float32(arm.errors),
        "iterations": int(arm.iterations),
        "iterations_to_tolerance": int(arm.iterations_to_tolerance),
        "status": arm.status,
        "microseconds": float(arm.microseconds),
        "violations": int(arm.violations),
    }
    if arm.trace is not None:
        message["trace"] = _float32(arm.trace)
    return message


def _float32(values: ArrayLike) -> bytes:
    return np.asarray(values, dtype="<f4").tobytes()


def _json(**message: object) -> str:
    return json.dumps(_plain(message), allow_nan=False, separators=(",", ":"))


def _plain(value: object) -> object:
    """Records, enumerations and sets as JSON has them; an infinite bound becomes null."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {entry.name: _plain(getattr(value, entry.name)) for entry in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, enum.Enum):
        return value.name.lower()
    if isinstance(value, set | frozenset):
        return sorted((_plain(entry) for entry in value), key=str)
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
