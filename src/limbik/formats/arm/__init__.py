"""The classic arm format: arms of ball-jointed segments with goals and branches, as text.

    # comment
    arm ns bx by bz        a new arm with ns segments at base (bx, by, bz)
    seg sr at ap           length; theta and phi of the lower ball joint [rad]
    goal x y z             the goal of the current arm or branch
    br n ns                a branch with ns segments from the end of segment n, counted from 0
    endbr                  ends the branch

`seg` with four numbers has the index of the segment, from 0, before them. What theta and phi mean is the
reading: "range" takes them as half-ranges of motion, "initial" as the first direction of the segment. A
comment `# angles: initial` says which one a file is written for. What else was decided: docs/scenes.md.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from limbik.errors import FormatError, FormatWarning, ModelError, is_one_of, shortened
from limbik.formats.arm.parts import Angles, ArmDescription, ArmPart, ArmSegment, Point
from limbik.formats.arm.reader import ArmReader
from limbik.formats.arm.words import WORDS, in_arguments, in_text, lines, plain
from limbik.formats.source import Source, SourceLike, open_source

__all__ = [
    "Angles",
    "ArmDescription",
    "ArmFile",
    "ArmPart",
    "ArmSegment",
    "Point",
    "check_angles",
    "is_arm",
    "read",
    "read_arguments",
    "write",
]

READINGS: dict[str, str] = {
    "range": "half-ranges of motion",
    "initial": "the first directions of the segments",
}
_SETTING = re.compile(r"\s*#\s*angles\s*:\s*(range|initial)\s*", re.IGNORECASE)
_FIRST_WORD = re.compile(r"(?:\s|\ufeff|#[^\r\n]*)*([^\s#]*)")


@dataclass(frozen=True)
class ArmFile:
    """What a file holds, and how theta and phi are read."""

    name: str
    arms: tuple[ArmDescription, ...]
    angles: Angles = "range"


def is_arm(text: str) -> bool:
    """Whether a text looks like one of this format: its first word is one of the format's."""
    match = _FIRST_WORD.match(text)
    return match is not None and match[1].casefold() in WORDS


def read(source: SourceLike, *, angles: Angles | None = None, lenient: bool = False) -> ArmFile:
    """The arms in a file or text.

    angles: how theta and phi are read; None: as a comment `# angles: ...` in the file says, else "range".
    lenient: a wrong number of segments, goals or `endbr` is a warning instead of an error.

    Raises FormatError, which names file and line; warns with FormatWarning.
    """
    opened = open_source(source)
    reading = _reading(angles, opened)
    arms = ArmReader(reading, lenient).read(in_text(opened))
    if not arms:
        raise FormatError(opened.name, "holds no arm; one begins with `arm ns bx by bz`")
    return ArmFile(opened.path.stem if opened.path else "scene", arms, reading)


def read_arguments(
    arguments: Sequence[str],
    positions: Sequence[int] | None = None,
    *,
    angles: Angles = "range",
    lenient: bool = False,
    before: int = 0,
) -> tuple[ArmDescription, ...]:
    """The arms that words of the command line describe: ["-arm", "4", "0", "0", "0", "-seg", ...].

    positions: of the arguments among all that the user typed, for messages; default: counted from 1.
    before: number of arms that the scene has already, for messages.
    """
    where = range(1, len(arguments) + 1) if positions is None else positions
    reader = ArmReader(check_angles(angles), lenient, before=before)
    return reader.read(in_arguments(arguments, where))


def write(file: ArmFile) -> str:
    """The text that reads back to the same arms.

    Raises ModelError for what a reader would refuse, such as a goal beyond 1e9 m, and for branches that do
    not stand in the order of a file: after a branch come those that start on it.
    """
    if not file.arms:
        raise ModelError("this scene cannot be written as .arm: it has no arm")
    written = [f"# angles: {file.angles}", f"# (theta and phi are {READINGS[file.angles]}, in radians)"]
    for arm in file.arms:
        written += ["", *_lines(arm)]
    text = "\n".join(written) + "\n"
    _check_readable(text, file.angles)
    return text


def check_angles(angles: object) -> Angles:
    """`angles` if it is a reading, else FormatError."""
    if not is_one_of(angles, get_args(Angles)):
        raise FormatError("angles", f"needs 'range' or 'initial', found {shortened(angles)}")
    return angles  # type: ignore[return-value]


def _check_readable(text: str, angles: Angles) -> None:
    try:
        ArmReader(angles, is_quiet=True).read(in_text(Source("<text>", text)))
    except FormatError as error:
        raise ModelError(f"this scene cannot be written as .arm: {error.problem}") from None


def _lines(arm: ArmDescription) -> Iterator[str]:
    within: list[int] = []  # the indices of the parts that are open
    for index, part in enumerate(arm.parts):
        while within and within[-1] != part.parent:
            within.pop()
            yield "  " * len(within) + "endbr"
        if index > 0 and not within:
            raise ModelError(f"branch {index} of an arm needs to stand after the part that it starts on")
        indent = "  " * len(within)
        if index == 0:
            yield f"arm {len(part.segments)} {_numbers(arm.base)}"
        else:
            yield f"{indent}br {part.segment} {len(part.segments)}"
        within.append(index)
        indent = "  " * len(within)
        for segment in part.segments:
            yield f"{indent}seg {_numbers((segment.length, segment.theta, segment.phi))}"
        if part.goal is not None:
            yield f"{indent}goal {_numbers(part.goal)}"
    for depth in range(len(within) - 1, 0, -1):
        yield "  " * depth + "endbr"


def _numbers(values: Iterable[float]) -> str:
    return " ".join(map(plain, values))


def _reading(angles: Angles | None, source: Source) -> Angles:
    said = None
    for line, text in enumerate(lines(source.text), start=1):
        setting = _SETTING.fullmatch(text)
        if setting:
            if said and setting[1].lower() != said:
                raise FormatError(source.name, f"says `# angles: {said}` above already", line=line)
            said = check_angles(setting[1].lower())
    if angles is None:
        return said or "range"
    if said and said != angles:
        other = f"it says `# angles: {said}`, and is read with angles {check_angles(angles)!r}"
        warnings.warn(f"{source.name}: {other} as requested", FormatWarning, stacklevel=4)
    return check_angles(angles)
