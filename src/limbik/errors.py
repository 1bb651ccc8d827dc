"""Everything limbik raises on purpose. A message says where, what was found and what would be right."""

from __future__ import annotations

import contextlib
import difflib
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

QUOTED = 60  # [characters] of what was found that a message quotes
LARGEST = 1000  # elements of an array that is quoted
LONGEST_WORD = 300  # [characters] of a message: paths are shorter
LONGEST_MESSAGE = 10_000  # [characters]
SHORTEST_PART = 4  # letters of a name that names with a prefix or an ending have, too
MAX_COMPARED = 2000  # names that an unknown one is compared with

_LONG = re.compile(rf"(['\"`])(?:(?!\1)[^\n])*\1|[^\s'\"`]{{{LONGEST_WORD + 1},}}")


class LimbikError(Exception):
    """Base of every error that limbik raises on purpose. Long words and quotes in a message are cut."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*(readable(each) if isinstance(each, str) else each for each in arguments))


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
        self.problem = readable(problem)
        self.line = line
        self.element = None if element is None else readable(element)

    def __str__(self) -> str:
        source = self.source or "''"
        location = source if self.line is None else f"{source}:{self.line}"
        return ": ".join([location, *([self.element] if self.element else []), self.problem])


class OutputError(LimbikError):
    """A file, a folder or a stream cannot be written: its device is full, or its reader is gone."""


class FileOutputError(FormatError, OutputError):
    """A file cannot be written."""

    def __init__(self, file: str, cause: Exception) -> None:
        super().__init__(file, f"cannot be written: {getattr(cause, 'strerror', None) or cause}")


class FormatWarning(UserWarning):
    """A file was read, but something in it is not what a user may think."""

    def __init__(self, message: str) -> None:
        super().__init__(readable(message))


class GoalError(LimbikError):
    """A goal asks for something that has no meaning, such as a pose that is not rigid."""


class SolverError(LimbikError):
    """A solver does not exist, does not take that option, or cannot meet that request."""


class ConfigurationError(LimbikError):
    """A configuration q or tangent vector v has the wrong size or numbers that mean nothing."""


class SingularError(ConfigurationError):
    """A configuration is singular: the requested quantity has no value there."""


class CollisionError(LimbikError):
    """A shape, an object of a world or a pair of them has no meaning, or a mesh cannot be read."""


class FunctionError(LimbikError):
    """A function of one's own gives what is no number, or cannot be differentiated as it is written."""


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


@contextlib.contextmanager
def needs_extra(extra: str, feature: str) -> Iterator[None]:
    """Raise MissingExtra instead of the import error of a library that is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "limbik":
            raise
        raise MissingExtra(extra, feature) from None


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """The tail of an error message about an unknown name: near names, then all names when they are few."""
    names = list(known)
    compared = names[:MAX_COMPARED]
    by_folded = {each.casefold(): each for each in reversed(compared) if len(each) <= LONGEST_WORD}
    wanted = name[:LONGEST_WORD].casefold() if isinstance(name, str) else ""
    close = difflib.get_close_matches(wanted, list(by_folded), n=3, cutoff=0.6)
    longer = [name for name in by_folded if len(wanted) >= SHORTEST_PART and wanted in name]
    near = [by_folded[match] for match in dict.fromkeys((*close, *longer))][:3]
    if not names:
        return "there are none"
    shown = listed(map(_cut, names), limit=20, between=", ")
    question = f"did you mean {' or '.join(map(shortened, near))}? " if near else ""
    return f"{question}known: {shown}"


def number_of(count: int, noun: str) -> str:
    """Such as "1 pose" or "2 poses"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed(names: Iterable[str], *, limit: int = 10, between: str = ", ") -> str:
    """The first of many names, and how many more there are."""
    all_names = list(names)
    more = f" and {len(all_names) - limit:,} more" if len(all_names) > limit else ""
    return between.join(all_names[:limit]) + more


def shortened(value: object) -> str:
    """What was found, for an error message: its first 60 characters, and how long it is where it has more."""
    if isinstance(value, str) and len(value) > QUOTED:
        return f"{value[:QUOTED] + '...'!r} ({len(value):,} characters)"
    try:
        if getattr(value, "size", 0) > LARGEST:
            return f"an array of shape {value.shape}"  # type: ignore[attr-defined]
        return _cut(repr(_beginning_of(value)))
    except Exception:  # of a class that is not limbik's, or nested too deeply
        return f"a {type(value).__name__}"


def _beginning_of(value: object) -> object:
    """Its first elements, where it is a collection: no more are quoted."""
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(itertools.islice(value, QUOTED))  # type: ignore[call-arg, call-overload]
    return dict(itertools.islice(value.items(), QUOTED)) if type(value) is dict else value


def _cut(text: str) -> str:
    return text if len(text) <= QUOTED + 2 else f"{text[:QUOTED]}..."


def readable(message: str) -> str:
    """A message with its long words and quotes cut to their beginnings: what a file holds may be of any
    length, and goes into messages.
    """
    if len(message) <= LONGEST_WORD:
        return message
    text = _LONG.sub(_beginning, message)
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]}... ({len(text):,} characters)"


def _beginning(word: re.Match[str]) -> str:
    first_word, quote = word[0], word[1] or ""
    if len(first_word) <= LONGEST_WORD:
        return first_word
    size = len(first_word) - 2 * len(quote)
    return f"{first_word[: QUOTED + len(quote)]}...{quote} ({size:,} characters)"


def repeated(names: Iterable[str]) -> str | None:
    """The first name that is there more than once; None where all differ."""
    return next((name for name, count in Counter(names).items() if count > 1), None)


def unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object of its pairs. Raises ValueError for a name twice, of which only the last would count."""
    if (name := repeated(key for key, _ in pairs)) is not None:
        raise ValueError(f"it has the name {shortened(name)} twice in one object")
    return dict(pairs)


def members_of(
    value: Any, what: str, error: type[LimbikError], needed: str = "a list", *, any_order: bool = False
) -> tuple[Any, ...]:
    """What is in a list, or in anything else to go through; a text and all others raise `error`, and a set
    does where the order counts, which it does not keep.
    """
    if not isinstance(value, str) and (any_order or not isinstance(value, set | frozenset)):
        try:
            return tuple(value)
        except Exception:  # no list, or one of a class that is not limbik's
            pass
    raise error(f"{what} needs {needed}, found {shortened(value)}")


def mapping_of(value: Any, what: str, error: type[LimbikError], needed: str) -> Mapping[Any, Any]:
    """A mapping; all others raise `error`."""
    if not isinstance(value, Mapping):
        raise error(f"{what} needs {needed}, found {shortened(value)}")
    return value


def is_one_of(value: object, words: Iterable[str]) -> bool:
    """Whether a value is one of some words; what is no text, such as an array, is not."""
    return isinstance(value, str) and value in words
