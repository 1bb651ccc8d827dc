"""BVH, the motion-capture format of Biovision: a hierarchy of joints with channels, then a line of values for
each frame. Read and written without loss; what it means as a model stands in `bvh_model.py`.

Described in Meredith and Maddock, "Motion Capture File Formats Explained" (Sheffield, 2001).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

import numpy as np

from limbik.errors import FormatError, did_you_mean, number_of, shortened
from limbik.formats.source import Source
from limbik.number_text import number_from
from limbik.spatial import Array

CHANNELS = ("Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation")
DECIMALS = 9  # of written channel values: far below what a file in centimetres and degrees can mean
FARTHEST = 1e9  # of an offset, in the file's unit
SHORTEST, LONGEST = 1e-9, 1e9  # [s] between frames

_CANONICAL = {channel.lower(): channel for channel in CHANNELS}


@dataclass(frozen=True)
class BvhJoint:
    """A joint, or the end site of one."""

    name: str  # "" of an end site
    parent: int  # index in the hierarchy; -1: a root
    offset: tuple[float, float, float]  # from the parent, in the file's unit
    channels: tuple[str, ...]  # of CHANNELS, in the file's order
    is_end: bool = False


@dataclass(frozen=True)
class BvhFile:
    """What a file holds."""

    joints: tuple[BvhJoint, ...]  # parents before children, in the file's order
    values: Array  # [T, number of channels] in the file's unit and degrees
    dt: float  # [s] between frames


class _Word(NamedTuple):
    text: str
    line: int  # counted from 1


def is_bvh(text: str) -> bool:
    """Whether a text begins as BVH does."""
    return text.lstrip("\ufeff \t\r\n")[:9].upper() == "HIERARCHY"


def read(source: Source) -> BvhFile:
    """What a BVH file holds. Raises FormatError with the line, and the joint where it is about one."""
    lines = source.text.splitlines()
    reader = _Hierarchy(source.name, lines)
    joints = reader.joints()
    channels = [f"{joint.name!r} {channel}" for joint in joints for channel in joint.channels]
    count, dt, rows = _heading(source.name, lines, reader.line)
    if len(rows) != count:
        line = rows[count].line if len(rows) > count else len(lines)
        needed = f"{number_of(count, 'line')} of values"
        problem = f"`Frames:` says {count}, which needs {needed}, found {len(rows)}"
        raise FormatError(source.name, problem, line=line)
    values = [_values(source.name, row, frame, channels) for frame, row in enumerate(rows)]
    return BvhFile(joints, np.array(values).reshape(count, len(channels)), dt)


def write(file: BvhFile) -> str:
    """The text of a BVH file: offsets to the last bit, channel values with 9 decimals."""
    lines = ["HIERARCHY", *_hierarchy(file.joints), "MOTION", f"Frames: {len(file.values)}"]
    lines.append(f"Frame Time: {file.dt!r}")
    lines += [" ".join(map(_decimal, row)) for row in file.values.tolist()]
    return "\n".join(lines) + "\n"


# --- the hierarchy ------------------------------------------------------------------------------------------


class _Hierarchy:
    """The words of a hierarchy, one after the other."""

    def __init__(self, name: str, lines: Sequence[str]) -> None:
        self.name = name
        self.words = _words(lines)
        self.ahead = next(self.words, None)
        self.line = 1  # of the word taken last

    def joints(self) -> tuple[BvhJoint, ...]:
        """All joints and end sites, up to the word MOTION, which is taken."""
        self.expect("HIERARCHY")
        joints: list[BvhJoint] = []
        opened: list[int] = []  # indices of the joints whose closing brace is to come
        seen: dict[str, int] = {}
        while True:
            word = self.take("JOINT, End Site or }" if opened else "ROOT or MOTION")
            kind = word.text.upper()
            if opened and kind == "}":
                opened.pop()
            elif kind == ("JOINT" if opened else "ROOT"):
                name = self.title(kind)
                if name in seen:
                    self.fail(f"two joints have the name {name!r}, the first on line {seen[name]}", word.line)
                seen[name] = word.line
                opened.append(len(joints))
                joints.append(self.joint(name, opened[-2] if len(opened) > 1 else -1))
            elif opened and kind == "END":
                self.title("End Site")
                joints.append(self.end_site(opened[-1], joints[opened[-1]].name))
            elif not opened and kind == "MOTION" and joints:
                return tuple(joints)
            else:
                inside = f"joint {joints[opened[-1]].name!r} needs" if opened else "needs"
                wanted = "JOINT, End Site or }" if opened else "ROOT" if not joints else "ROOT or MOTION"
                self.fail(f"{inside} {wanted}, found {shortened(word.text)}", word.line)

    def joint(self, name: str, parent: int) -> BvhJoint:
        where = f"joint {name!r}"
        offset = self.offset(where)
        self.expect("CHANNELS", where)
        count = self.count(where)
        channels = tuple(self.channel(where) for _ in range(count))
        for channel in channels:
            if channels.count(channel) > 1:
                self.fail(f"has the channel {channel} twice", self.line, where)
        return BvhJoint(name, parent, offset, channels)

    def end_site(self, parent: int, name: str) -> BvhJoint:
        where = f"the end site of joint {name!r}"
        offset = self.offset(where)
        self.expect("}", where)
        return BvhJoint("", parent, offset, (), is_end=True)

    def title(self, kind: str) -> str:
        """The rest of the line up to the brace, which is taken: a name may have spaces."""
        line, words = self.line, []
        while self.ahead is not None and self.ahead.line == line and self.ahead.text != "{":
            words.append(self.take("").text)
        if not words:
            self.fail(f"{kind} needs a name", line)
        self.expect("{", f"{kind} {' '.join(words)}")
        return " ".join(words)

    def offset(self, where: str) -> tuple[float, float, float]:
        self.expect("OFFSET", where)
        x, y, z = (self.number(f"{where}: OFFSET") for _ in range(3))
        return x, y, z

    def number(self, where: str) -> float:
        if self.ahead is not None and self.ahead.line > self.line:
            self.fail("needs three finite numbers, found the end of the line", self.line, where)
        word = self.take(f"{where} needs three numbers")
        number = number_from(word.text)
        if not math.isfinite(number):
            self.fail(f"needs three finite numbers, found {shortened(word.text)}", word.line, where)
        if abs(number) > FARTHEST:
            self.fail(f"needs numbers up to {FARTHEST:g}, found {shortened(word.text)}", word.line, where)
        return number

    def count(self, where: str) -> int:
        word = self.take("a number of channels")
        if not (_is_count(word.text) and int(word.text) <= len(CHANNELS)):
            problem = f"CHANNELS needs a number from 0 to 6, found {shortened(word.text)}"
            self.fail(problem, word.line, where)
        return int(word.text)

    def channel(self, where: str) -> str:
        word = self.take("a channel")
        if word.text.lower() not in _CANONICAL:
            hint = did_you_mean(word.text, CHANNELS)
            self.fail(f"there is no channel {shortened(word.text)}; {hint}", word.line, where)
        return _CANONICAL[word.text.lower()]

    def expect(self, text: str, where: str | None = None) -> None:
        word = self.take(text if where is None else f"{text} of {where}")
        if word.text.upper() != text:
            self.fail(f"needs {text}, found {shortened(word.text)}", word.line, where)

    def take(self, wanted: str) -> _Word:
        word = self.ahead
        if word is None:
            self.fail(f"the file ends within the hierarchy, where {wanted} is needed", self.line)
        self.ahead, self.line = next(self.words, None), word.line
        return word

    def fail(self, problem: str, line: int, where: str | None = None) -> NoReturn:
        raise FormatError(self.name, problem, line=line, element=where)


def _words(lines: Sequence[str]) -> Iterator[_Word]:
    """Words between blanks; braces are words of their own where they stand at the end of one."""
    for line, content in enumerate(lines, start=1):
        for text in content.split():
            name = text.rstrip("{}")
            if name:
                yield _Word(name, line)
            for brace in text[len(name) :]:
                yield _Word(brace, line)


def _hierarchy(joints: Sequence[BvhJoint]) -> Iterator[str]:
    opened: list[int] = []
    for index, joint in enumerate(joints):
        while opened and opened[-1] != joint.parent:
            opened.pop()
            yield "\t" * len(opened) + "}"
        tabs = "\t" * len(opened)
        yield tabs + ("End Site" if joint.is_end else f"{'JOINT' if opened else 'ROOT'} {joint.name}")
        yield tabs + "{"
        yield f"{tabs}\tOFFSET " + " ".join(map(repr, joint.offset))
        if joint.is_end:
            yield tabs + "}"
        else:
            yield f"{tabs}\tCHANNELS " + " ".join([str(len(joint.channels)), *joint.channels])
            opened.append(index)
    while opened:
        opened.pop()
        yield "\t" * len(opened) + "}"


# --- the motion ---------------------------------------------------------------------------------------------


def _heading(name: str, lines: Sequence[str], motion: int) -> tuple[int, float, list[_Word]]:
    """Number of frames, time between them, and the lines of values, of what follows the line `motion`."""
    content = [_Word(text, k) for k, text in enumerate(lines, start=1) if k > motion and text.strip()]
    frames = _setting(name, content, 0, "frames:", "Frames: and a whole number", len(lines))
    if not _is_count(frames.text):
        problem = f"`Frames:` needs a whole number from 0 to 999999999, found {shortened(frames.text)}"
        raise FormatError(name, problem, line=frames.line)
    time = _setting(name, content, 1, "frame time:", "Frame Time: and a number of seconds", len(lines))
    dt = number_from(time.text)
    if not SHORTEST <= dt <= LONGEST:
        needed = f"a positive number of seconds, from {SHORTEST:g} to {LONGEST:g}"
        problem = f"`Frame Time:` needs {needed}, found {shortened(time.text)}"
        raise FormatError(name, problem, line=time.line)
    return int(frames.text), dt, content[2:]


def _setting(name: str, content: Sequence[_Word], index: int, key: str, wanted: str, last: int) -> _Word:
    if index >= len(content):
        raise FormatError(name, f"the file ends where {wanted} is needed", line=last)
    text, line = " ".join(content[index].text.split()), content[index].line
    if not text.lower().startswith(key):
        raise FormatError(name, f"needs {wanted}, found {shortened(text)}", line=line)
    return _Word(text[len(key) :].strip(), line)


def _values(name: str, row: _Word, frame: int, channels: Sequence[str]) -> list[float]:
    words = row.text.split()
    where = f"frame {frame}"
    if len(words) != len(channels):
        last = f"; the values end before {channels[len(words)]}" if len(words) < len(channels) else ""
        problem = f"needs {len(channels)} values, one per channel, found {len(words)}{last}"
        raise FormatError(name, problem, line=row.line, element=where)
    numbers = []
    for word, channel in zip(words, channels, strict=True):
        number = number_from(word)
        if not math.isfinite(number):
            problem = f"{channel} needs a finite number, found {shortened(word)}"
            raise FormatError(name, problem, line=row.line, element=where)
        numbers.append(number)
    return numbers


def _is_count(text: str) -> bool:
    """Whether a text is a whole number of up to nine digits."""
    return text.isascii() and text.isdecimal() and len(text) < 10


def _decimal(value: float) -> str:
    return repr(round(value, DECIMALS) + 0.0)  # never -0
