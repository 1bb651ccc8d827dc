"""Messages about the command line as typed: names options in errors, warns of angles that look like degrees,
refuses commas between numbers.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

import typer

from limbik.errors import GoalError, repeated, shortened
from limbik.number_text import number_from

PARAMETERS = {
    "--acceleration": "acceleration_limits",
    "--belt": "ground_velocity",
    "--cutoff": "cutoff_hz",
    "--foot": "feet",
    "--max-error": "max_error_mm",
    "--set": "marker_set",
    "--slope": "normal",
    "--velocity": "velocity_limits",
}  # whose names are not those of their options
FULL_TURN, MAX_DEGREES = 2.0 * math.pi, 3600.0
_NUMBERS = re.compile(r"[-+.\d][-+.\deE]*(,[-+.\d][-+.\deE]*)+")


def warn_of_degrees(option: str, angles: Sequence[float]) -> None:
    """Warn on standard error of angles that look like degrees and are read as radians."""
    if FULL_TURN < max(map(abs, angles)) <= MAX_DEGREES:
        typed = " ".join(f"{angle:g}" for angle in angles)
        typer.echo(
            f"limbik: {option} {typed} is more than a turn in radians; in degrees? then add --degrees",
            err=True,
        )


def number(text: str | float) -> float:
    """The number of an option, as typed or by default, for `typer.Option(parser=...)`.

    Raises typer.BadParameter for another text.
    """
    value = number_from(str(text))
    if math.isnan(value):
        needed = "more numbers before" if str(text).startswith("--") else "a number, found"
        raise typer.BadParameter(f"needs {needed} {shortened(text)}")
    return value


def as_typed(message: str, command: Any, arguments: Sequence[str]) -> str:
    """An error message with the options of the command instead of parameters: "--clearance" for
    "`clearance`".
    """
    for option in _options(_chosen(command, arguments)):
        for name in option.opts:
            if name.startswith("--"):
                parameter = PARAMETERS.get(name, name[2:].replace("-", "_"))
                message = re.sub(rf"`{parameter}`|^{parameter}(?= needs |: )", name, message)
    return message


def refuse_commas(command: Any, arguments: Sequence[str]) -> None:
    """Raise GoalError for numbers with commas between them after an option that takes several words."""
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


def refuse_repeated(command: Any, arguments: Sequence[str]) -> None:
    """Raise GoalError for an option twice, of which only the last would count."""
    options = {
        name: option.opts[0]
        for option in _chosen(command, arguments).params
        if not getattr(option, "multiple", False)
        for name in (*option.opts, *option.secondary_opts)
        if name.startswith("-")
    }
    words = itertools.takewhile(lambda word: word != "--", arguments)
    names = (word.partition("=")[0] for word in words)
    if (option := repeated(options[name] for name in names if name in options)) is not None:
        raise GoalError(f"{option} stands twice; once is enough")


def _chosen(command: Any, arguments: Sequence[str]) -> Any:
    """The command that the arguments begin with."""
    for word in arguments:
        command = getattr(command, "commands", {}).get(word, command)
    return command


def _options(command: Any) -> Iterator[Any]:
    """The options of a command and of those below it."""
    yield from command.params
    for each in getattr(command, "commands", {}).values():
        yield from _options(each)
