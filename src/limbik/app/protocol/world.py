"""Messages about obstacles: the objects around the arms, and files of objects."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from limbik.app.protocol.reading import MessageError, NumberRange, Reader
from limbik.app.protocol.writing import as_json
from limbik.spatial import SHORTEST_QUATERNION

MAX_OBJECTS = 200
MAX_TOUCHING = 64  # links and objects that one object may touch
LONGEST_NAME = 200
LONGEST_TEXT = 1_000_000  # characters of a file
TOKEN = 40  # characters, at most

# Of each kind the number of its sizes [m]: edges, or radius and length. A stored shape is known by its token.
SIZES: Mapping[str, int] = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2, "stored": 0}

WORLD_BOUNDS: Mapping[str, NumberRange] = {
    "size": NumberRange(minimum=1e-4, maximum=1e3, unit="m"),
    "clearance": NumberRange(minimum=0, maximum=1, default=0, unit="m"),
}


@dataclass(frozen=True, kw_only=True)
class HeldObject:
    """Which frame carries an object."""

    arm: int
    frame: str


@dataclass(frozen=True, kw_only=True)
class PageObject:
    """An object: a shape at a pose, in the world, or in the frame that carries it."""

    name: str
    kind: str
    size: tuple[float, ...]  # [m]
    token: str  # of a stored shape
    position: tuple[float, ...]  # [3] [m]
    quat_xyzw: tuple[float, ...]  # [4] of any length but 0
    held: HeldObject | None
    touch: tuple[str, ...]  # names of links and objects that it may touch


@dataclass(frozen=True, kw_only=True)
class WorldContents:
    """What the arms are not to collide with, besides themselves."""

    things: tuple[PageObject, ...]
    clearance: float  # [m]


@dataclass(frozen=True, kw_only=True)
class WorldRequest:
    """Read the objects in a file, given as text or as an upload. On the wire its type is "world"."""

    id: int
    name: str  # of the file
    text: str | None
    token: str | None


@dataclass(frozen=True, kw_only=True)
class WorldReply:
    """The answer to `WorldRequest`, on the wire of the same type. The objects are written as things are."""

    id: int
    name: str
    objects: Sequence[Mapping[str, Any]]
    notes: Sequence[str]

    def encode(self) -> str:
        """As JSON text."""
        return as_json(type="world", **vars(self))


def read_world_contents(reader: Reader) -> WorldContents | None:
    """The entry "world" of a request; None where collisions are left aside."""
    if reader.entries.get("world") is None:
        return None
    inner = reader.inner("world")
    inner.allow("objects", "clearance")
    things = inner.each("objects", _thing, MAX_OBJECTS)
    if len({thing.name for thing in things}) < len(things):
        raise inner.error("objects", "objects of different names", [thing.name for thing in things])
    return WorldContents(things=things, clearance=inner.number("clearance"))


def _thing(reader: Reader) -> PageObject:
    reader.allow("name", "kind", "size", "token", "position", "quat_xyzw", "held", "touch")
    kind = reader.word("kind", tuple(SIZES))
    quaternion = reader.numbers("quat_xyzw", 4, "quaternion")
    if float(quaternion @ quaternion) < SHORTEST_QUATERNION**2:
        raise reader.error("quat_xyzw", "a quaternion that is not 0", quaternion.tolist())
    return PageObject(
        name=reader.text("name", LONGEST_NAME),
        kind=kind,
        size=tuple(reader.numbers("size", SIZES[kind], "size").tolist()) if SIZES[kind] else (),
        token=reader.text("token", TOKEN) if kind == "stored" else "",
        position=tuple(reader.numbers("position", 3, "coordinate").tolist()),
        quat_xyzw=tuple(quaternion.tolist()),
        held=None if reader.entries.get("held") is None else _held(reader.inner("held")),
        touch=reader.names("touch", MAX_TOUCHING, length=LONGEST_NAME),
    )


def _held(reader: Reader) -> HeldObject:
    reader.allow("arm", "frame")
    return HeldObject(arm=reader.whole("arm"), frame=reader.text("frame", LONGEST_NAME))


def read_world_request(reader: Reader, known: Collection[str]) -> WorldRequest:
    """A `WorldRequest`."""
    reader.allow("type", "id", "name", "text", "token")
    has_text = reader.entries.get("text") is not None
    if has_text == (reader.entries.get("token") is not None):
        raise MessageError("a file of objects is given by either `text` or `token`", field="text")
    return WorldRequest(
        id=reader.whole("id"),
        name=reader.text("name", LONGEST_NAME),
        text=reader.text("text", LONGEST_TEXT) if has_text else None,
        token=None if has_text else reader.text("token", TOKEN),
    )
