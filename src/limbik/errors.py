"""Everything limbik raises on purpose. A message says where, what was found and what would be right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class LimbikError(Exception):
    """Base of every error that limbik raises on purpose."""


class ModelError(LimbikError):
    """A model cannot be built as described, or a joint, link or frame of that name does not exist."""


class FormatError(LimbikError):
    """A file cannot be read or does not follow its format: "robot.urdf:12: <joint name='elbow'>: problem".

    source: name of the file. problem: what was found and what would be right. line counts from 1; element
    says which part of the file, in the words of its format.
    """

    def __init__(
        self, source: str, problem: str, *, line: int | None = None, element: str | None = None
    ) -> None:
        super().__init__(source, problem)
        self.source = source
        self.problem = problem
        self.line = line
        self.element = element

    def __str__(self) -> str:
        place = self.source if self.line is None else f"{self.source}:{self.line}"
        return ": ".join([place, *([self.element] if self.element else []), self.problem])


class FormatWarning(UserWarning):
    """A file was read, but something in it is not what a user may think."""


class GoalError(LimbikError):
    """A goal asks for something that has no meaning, such as a pose that is not rigid."""


class SolverError(LimbikError):
    """A solver does not exist, does not take that option, or cannot do what is asked of it."""


class ConfigurationError(LimbikError):
    """A configuration q or tangent vector v has the wrong size or numbers that mean nothing."""


class MissingExtra(LimbikError):
    """An optional dependency is not installed.

    `extra` is the name in `pip install limbik[extra]`; `feature` says what needs it.
    """

    def __init__(self, extra: str, feature: str = "this") -> None:
        super().__init__(extra, feature)
        self.extra = extra
        self.feature = feature

    def __str__(self) -> str:
        return f"{self.feature} needs `pip install limbik[{self.extra}]`"


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """The tail of an error message about an unknown name: near names, then all names when they are few."""
    names = list(known)
    by_folded = {known_name.casefold(): known_name for known_name in reversed(names)}
    wanted = name.casefold() if isinstance(name, str) else ""
    folded = difflib.get_close_matches(wanted, list(by_folded), n=3, cutoff=0.5)
    near = [by_folded[match] for match in folded]
    if not names:
        return "there are none"
    shown = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    question = f"did you mean {' or '.join(repr(n) for n in near)}? " if near else ""
    return f"{question}known: {shown}"


def shortened(value: object) -> str:
    """What was found, for an error message: at most 60 characters."""
    try:
        text = repr(value)
    except Exception:  # of a class that is not limbik's, or nested too deeply
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


def members_of(value: Any, what: str, error: type[LimbikError]) -> tuple[Any, ...]:
    """What is in a list, or in anything else to go through; a text and all others raise `error`."""
    if not isinstance(value, str):
        try:
            return tuple(value)
        except Exception:  # no list, or one of a class that is not limbik's
            pass
    raise error(f"{what} needs a list, found {shortened(value)}")


def is_one_of(value: object, words: Iterable[str]) -> bool:
    """Whether a value is one of some words; what is no text, such as an array, is not."""
    return isinstance(value, str) and value in words
