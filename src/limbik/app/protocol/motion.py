"""Messages about motions: `ShowMotionRequest` and its reply."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from limbik.app.protocol.reading import MessageError, NumberRange, Reader
from limbik.app.protocol.space import SPACE_BOUNDS
from limbik.app.protocol.writing import as_json

MAX_CHANGES = 100
LONGEST_NAME = 200
TOKEN = 40  # characters, at most
GROUNDS = ("level", "slope", "stairs", "hills")
METHODS = ("butterworth", "savitzky-golay", "one-euro")
UNITS = ("m", "cm", "mm", "inch")
AXES = ("x", "y", "z")

MOTION_BOUNDS: Mapping[str, NumberRange] = {
    "id": SPACE_BOUNDS["id"],
    "unit_size": NumberRange(minimum=1e-6, maximum=1e3, unit="m"),
    "cutoff_hz": NumberRange(minimum=0.1, maximum=500, default=6, unit="Hz"),
    "slope": NumberRange(minimum=-35, maximum=35, default=12, unit="degrees"),
    "rise": NumberRange(minimum=0.02, maximum=0.3, default=0.12, unit="m"),
    "frame": NumberRange(minimum=0, maximum=1e6, whole=True),
    "falloff": NumberRange(minimum=0.02, maximum=10, default=0.3, unit="s"),
    "coordinate": NumberRange(minimum=-1e4, maximum=1e4, unit="m"),
}


@dataclass(frozen=True, kw_only=True)
class Clean:
    """Take the jitter out."""

    method: str
    cutoff_hz: float


@dataclass(frozen=True, kw_only=True)
class Stand:
    """Put the feet on the ground."""

    ground: str  # one of GROUNDS
    slope: float  # [degrees] of "slope", upwards along the path
    rise: float  # [m] of a step of "stairs", and of the highest of "hills"


@dataclass(frozen=True, kw_only=True)
class Drag:
    """A hand has put a link elsewhere, in one frame and those around it."""

    link: str
    frame: int
    place: tuple[float, ...]  # [3] of the world of the page, z up [m]
    falloff: float  # [s]


Change: TypeAlias = Clean | Stand | Drag


@dataclass(frozen=True, kw_only=True)
class ShowMotionRequest:
    """Open a motion, change it, and show it. On the wire its type is "motion"."""

    id: int
    token: str | None  # of an upload; None: the example
    unit: str | float  # of BVH
    up: str | None  # None: as the format has it
    animation: str | None  # of glTF
    changes: tuple[Change, ...]  # one after the other
    robot: str | None  # that is to do the same


@dataclass(frozen=True, kw_only=True)
class ShowMotionReply:
    """The answer to `ShowMotionRequest`. On the wire its type is "shown", and its numbers are at /motion/KEY:
    float32 of q before and after the changes [T, nq], and of the robot.
    """

    id: int
    key: str
    name: str
    frames: int
    dt: float
    height: float  # [m] from the lowest to the highest link in the first frame: it tells a wrong unit
    up: str
    unit: str | float
    arms: Sequence[Mapping[str, Any]]  # the body, and the robot where there is one
    links: Sequence[str]  # that a hand may take
    feet: Sequence[Mapping[str, Any]]  # name, and the spans of frames in which each stands
    curves: Mapping[str, Sequence[float]]  # over frames: slide [cm/s] and penetration [mm], before and after
    measures: Sequence[Mapping[str, Any]]  # of before and after, and of the robot
    ground: Mapping[str, Any]  # vertices [m] and faces, z up
    files: Mapping[str, str]  # what can be saved: names of files by what they hold
    animations: Sequence[str]
    notes: Sequence[str]

    def encode(self) -> str:
        """As JSON text."""
        return as_json(type="shown", **vars(self))


def read_show_motion(reader: Reader, known: Collection[str]) -> ShowMotionRequest:
    """A `ShowMotionRequest`."""
    reader = Reader(reader.entries, MOTION_BOUNDS)
    reader.allow("type", "id", "token", "unit", "up", "animation", "changes", "robot")
    unit = reader.entries.get("unit", "cm")
    return ShowMotionRequest(
        id=reader.whole("id"),
        token=_optional(reader, "token", TOKEN),
        unit=reader.word("unit", UNITS, "cm") if isinstance(unit, str) else _size(reader),
        up=None if reader.entries.get("up") is None else reader.word("up", AXES),
        animation=_optional(reader, "animation", LONGEST_NAME),
        changes=reader.each("changes", _change, MAX_CHANGES),
        robot=_optional(reader, "robot", LONGEST_NAME),
    )


def _optional(reader: Reader, name: str, max_length: int) -> str | None:
    return None if reader.entries.get(name) is None else reader.text(name, max_length)


def _size(reader: Reader) -> float:
    return Reader({"unit_size": reader.entries["unit"]}, reader.bounds).number("unit_size")


def _change(reader: Reader) -> Change:
    kind = reader.entries.get("kind")
    if kind == "clean":
        reader.allow("kind", "method", "cutoff_hz")
        method = reader.word("method", METHODS, METHODS[0])
        return Clean(method=method, cutoff_hz=reader.number("cutoff_hz"))
    if kind == "stand":
        reader.allow("kind", "ground", "slope", "rise")
        ground = reader.word("ground", GROUNDS, GROUNDS[0])
        return Stand(ground=ground, slope=reader.number("slope"), rise=reader.number("rise"))
    if kind == "drag":
        reader.allow("kind", "link", "frame", "place", "falloff")
        return Drag(
            link=reader.text("link", LONGEST_NAME),
            frame=reader.whole("frame"),
            place=tuple(reader.numbers("place", 3, "coordinate").tolist()),
            falloff=reader.number("falloff"),
        )
    raise MessageError(
        f"`{reader.prefix}kind` needs clean, stand or drag, found {str(kind)[:60]!r}", field="changes"
    )
