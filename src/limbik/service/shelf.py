"""`Shelf`: a bounded store, by name, of what clients put on a server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Generic, NamedTuple, TypeVar

from limbik.errors import LimbikError, did_you_mean
from limbik.locks import fork_safe

MAX_THINGS = 64
MAX_BYTES = 2**20  # of the texts that they were made of

Thing = TypeVar("Thing")


class _Stored(NamedTuple, Generic[Thing]):
    thing: Thing
    size: int  # [bytes] of its text


class Shelf(Generic[Thing]):
    """Things of a kind by name; may be used by any number of threads.

    kind: such as "world". error: what is raised for a name that none has, and where the shelf is full.
    """

    def __init__(self, kind: str, error: type[LimbikError]) -> None:
        self._kind, self._error = kind, error
        self._things: dict[str, _Stored[Thing]] = {}
        self._lock = fork_safe(threading.Lock())

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._things))

    def get(self, name: str) -> Thing | None:
        """What is there under a name, or None."""
        stored = self._things.get(name)
        return None if stored is None else stored.thing

    def put(self, name: str, thing: Thing, size: int) -> None:
        """Keep a thing made of a text of so many bytes; it replaces what was there under its name."""
        with self._lock:
            others = [each for other, each in self._things.items() if other != name]
            if len(others) >= MAX_THINGS:
                raise self._error(f"there are {MAX_THINGS} {self._kind}s here already: remove one")
            if size + sum(each.size for each in others) > MAX_BYTES:
                capacity = f"{MAX_BYTES:,} bytes for all {self._kind}s together"
                raise self._error(
                    f"there is no space for {name!r}, {size:,} bytes, in {capacity}: remove one"
                )
            self._things[name] = _Stored(thing, size)

    def remove(self, name: str) -> None:
        """Forget what is there under a name."""
        with self._lock:
            if self._things.pop(name, None) is None:
                hint = did_you_mean(name, sorted(self._things))
                raise self._error(f"no {self._kind} {name!r} was put here; {hint}")
