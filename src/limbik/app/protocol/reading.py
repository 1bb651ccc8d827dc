"""Reading JSON objects of the page: every entry is of the type and in the range that the protocol says."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from limbik.errors import LimbikError, unrepeated

LARGEST_ID = 2**53 - 1

Entry = TypeVar("Entry")


@dataclass(frozen=True, kw_only=True)
class NumberRange:
    """The range of one number on the wire. `default` None: the number must be given."""

    minimum: float
    maximum: float
    default: float | None = None
    unit: str = ""
    whole: bool = False


class MessageError(LimbikError):
    """A message that is not in the protocol. `field` names the entry and `id` the request, where known."""

    def __init__(self, message: str, *, field: str | None = None, id: int | None = None) -> None:
        super().__init__(message)
        self.field = field
        self.id = id


class Reader:
    """One JSON object being read.

    bounds: the range of each number by its name. prefix: what its fields are called in messages
    ("settings.").
    """

    def __init__(self, entries: dict[str, Any], bounds: Mapping[str, NumberRange], prefix: str = "") -> None:
        self.entries = entries
        self.bounds = bounds
        self.prefix = prefix

    def allow(self, *names: str) -> None:
        """Refuse entries of other names."""
        for name in self.entries:
            if name not in names:
                raise MessageError(
                    f"unknown field {show(name)}; known are {', '.join(names)}",
                    field=f"{self.prefix}{name}"[:100],
                )

    def inner(self, name: str) -> Reader:
        """The object of that name; where there is none, one without entries."""
        entries = self.entries.get(name)
        if entries is None:
            entries = {}
        if not isinstance(entries, dict):
            raise self.error(name, "an object or null", entries)
        return Reader(entries, self.bounds, f"{self.prefix}{name}.")

    def each(self, name: str, read: Callable[[Reader], Entry], max_count: int) -> tuple[Entry, ...]:
        """A list of up to `max_count` objects, each read by `read`; nothing where there is none."""
        values = self.entries.get(name)
        values = [] if values is None else values
        if not isinstance(values, list) or len(values) > max_count:
            raise self.error(name, f"a list of at most {max_count} objects", values)
        for value in values:
            if not isinstance(value, dict):
                raise self.error(name, "objects in its list", value)
        return tuple(
            read(Reader(value, self.bounds, f"{self.prefix}{name}[{k}].")) for k, value in enumerate(values)
        )

    def boolean(self, name: str, default: bool = False) -> bool:
        """True or false."""
        value = self.entries.get(name, default)
        if not isinstance(value, bool):
            raise self.error(name, "true or false", value)
        return value

    def word(self, name: str, known: Collection[str], default: str | None = None) -> str:
        """One of the known words."""
        value = self.entries.get(name, default)
        if not isinstance(value, str) or value not in known:
            raise self.error(name, f"one of {', '.join(known)}", value)
        return value

    def text(self, name: str, max_length: int) -> str:
        """A text of 1 to so many characters, without the halves of characters that JSON lets pass."""
        value = self.entries.get(name)
        if not isinstance(value, str) or not 0 < len(value) <= max_length or not _is_whole(value):
            raise self.error(name, f"a text of 1 to {max_length} characters", value)
        return value

    def names(self, name: str, max_count: int, *, min_count: int = 0, length: int = 200) -> tuple[str, ...]:
        """A list of different texts; nothing where there is none."""
        values = self.entries.get(name)
        values = [] if values is None else values
        if not isinstance(values, list) or not min_count <= len(values) <= max_count:
            raise self.error(name, f"a list of {min_count} to {max_count} names", values)
        for value in values:
            if not isinstance(value, str) or not 0 < len(value) <= length or not _is_whole(value):
                raise self.error(name, f"names of 1 to {length} characters", value)
        return tuple(values)

    def choices(self, name: str, known: Collection[str], count: NumberRange) -> tuple[str, ...]:
        """A list of different names out of the known ones, as many as `count` allows."""
        names = self.entries.get(name)
        if not isinstance(names, list) or not count.minimum <= len(names) <= count.maximum:
            raise self.error(name, f"a list of {count.minimum:g} to {count.maximum:g} names", names)
        for each in names:
            if not isinstance(each, str) or each not in known:
                raise self.error(name, f"names out of {', '.join(known)}", each)
        if len(set(names)) < len(names):
            raise self.error(name, "each name once", names)
        return tuple(names)

    def whole(self, name: str) -> int:
        """A whole number within its bound."""
        return int(self.number(name))

    def number(self, name: str) -> float:
        """A number within its bound, or the bound's default."""
        bound = self.bounds[name]
        value: Any = self.entries.get(name, bound.default)
        if not is_within(value, bound):
            raise self.error(name, _range(bound), value)
        return float(value)

    def optional(self, name: str) -> float | None:
        """A number within its bound; None where there is none."""
        return None if self.entries.get(name) is None else self.number(name)

    def numbers(self, name: str, count: int, bound_name: str) -> NDArray[np.float64]:
        """A list of so many numbers, each within the bound of that name."""
        return self._numbers(name, bound_name, lambda count_read: count_read == count, f"{count} numbers")

    def some_numbers(self, name: str, max_count: int, bound_name: str) -> NDArray[np.float64]:
        """A list of up to `max_count` numbers, each within the bound of that name."""
        return self._numbers(
            name, bound_name, lambda count: count <= max_count, f"at most {max_count} numbers"
        )

    def error(self, name: str, expected: str, actual: object) -> MessageError:
        """The error to raise about an entry."""
        field = f"{self.prefix}{name}"
        return MessageError(f"`{field}` needs {expected}, found {show(actual)}", field=field)

    def _numbers(
        self, name: str, bound_name: str, is_right: Callable[[int], bool], expected: str
    ) -> NDArray[np.float64]:
        bound = self.bounds[bound_name]
        values = self.entries.get(name)
        if not isinstance(values, list) or not is_right(len(values)):
            actual = f"{len(values)} entries" if isinstance(values, list) else show(values)
            raise MessageError(
                f"`{self.prefix}{name}` needs a list of {expected}, found {actual}",
                field=f"{self.prefix}{name}",
            )
        for value in values:
            if not is_within(value, bound):
                raise self.error(name, f"numbers, each {_range(bound)}", value)
        return np.array(values, dtype=np.float64)


def read_object(text: str) -> dict[str, Any]:
    """The JSON object in a text."""
    try:
        message = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=unrepeated)
    except RecursionError:
        raise MessageError("the message is nested too deeply") from None
    except ValueError as error:
        raise MessageError(f"the message is not JSON: {error}") from None
    if not isinstance(message, dict):
        raise MessageError(f"a message is a JSON object, found {show(message)}")
    return message


def is_within(value: object, bound: NumberRange) -> bool:
    """Whether a value is a number in the range."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return bound.minimum <= value <= bound.maximum and (not bound.whole or value == int(value))


def _range(bound: NumberRange) -> str:
    kind = "a whole number" if bound.whole else "a number"
    return f"{kind} from {bound.minimum:g} to {bound.maximum:g} {bound.unit}".rstrip()


def id_of(message: Mapping[str, Any]) -> int | None:
    """The request's id where it can be read, so that the answer to a bad request finds its way back."""
    value: Any = message.get("id")
    return int(value) if is_within(value, NumberRange(minimum=0, maximum=LARGEST_ID, whole=True)) else None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _is_whole(text: str) -> bool:
    """Whether a text can be written in UTF-8, which lone surrogates cannot."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def show(value: object) -> str:
    """What was found, in JSON, short and in ASCII whatever it is."""
    if value is None:
        return "nothing"
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 1e15:
        return "a very large number"
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:50]}..."
