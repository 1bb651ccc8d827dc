"""What is said of options, as they are typed."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

import typer

from limbik.errors import GoalError

FULL_TURN, MOST_DEGREES = 2.0 * math.pi, 3600.0
_NUMBERS = re.compile(r"[-+.\d][-+.\deE]*(,[-+.\d][-+.\deE]*)+")


def warn_of_degrees(option: str, angles: Sequence[float]) -> None:
    """Say on standard error that angles which look like degrees are taken for radians."""
    if FULL_TURN < max(map(abs, angles)) <= MOST_DEGREES:
        given = " ".join(f"{angle:g}" for angle in angles)
        typer.echo(
            f"limbik: {option} {given} is more than a turn in radians; in degrees? then add --degrees",
            err=True,
        )


def as_typed(message: str, command: Any, arguments: Sequence[str]) -> str:
    """An error's message that calls parameters as the options of what was called are typed: "--clearance" for
    "`clearance`".
    """
    for word in arguments:
        command = getattr(command, "commands", {}).get(word, command)
    for option in command.params:
        for name in option.opts:
            if name.startswith("--"):
                message = message.replace(f"`{name[2:].replace('-', '_')}`", name)
    return message


def refuse_commas(command: Any, arguments: Sequence[str]) -> None:
    """Raise GoalError for several numbers in one word where an option of a command takes several words."""
    pairs = [(a, b) for a, b in itertools.pairwise(arguments) if _NUMBERS.fullmatch(b)]
    if not pairs:
        return
    several = {name: option.nargs for option in _options(command) for name in option.opts if option.nargs > 1}
    for option, word in pairs:
        if option in several:
            raise GoalError(
                f"{option} needs {several[option]} numbers with blanks between them: "
                f"{option} {word.replace(',', ' ')}"
            )


def _options(command: Any) -> Iterator[Any]:
    """The options of a command and of those below it."""
    yield from command.params
    for each in getattr(command, "commands", {}).values():
        yield from _options(each)
