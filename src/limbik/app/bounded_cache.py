"""`BoundedCache`: a memory of limited size that drops what was not used for longest."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

from limbik.locks import fork_safe

Value = TypeVar("Value")


class BoundedCache(Generic[Value]):
    """Values by key, of at max_items so many bytes and so many in number. May be used by any thread."""

    def __init__(self, *, max_items: int, max_bytes: int) -> None:
        self._max_items = max_items
        self._max_bytes = max_bytes
        self._values: OrderedDict[str, tuple[Value, int]] = OrderedDict()
        self._bytes = 0
        self._lock = fork_safe(threading.Lock())

    def put(self, key: str, value: Value, size: int) -> None:
        """Keep a value of `size` bytes. One that is larger than the shelf is there until the next comes."""
        with self._lock:
            self._drop(key)
            while self._values and (
                len(self._values) >= self._max_items or self._bytes + size > self._max_bytes
            ):
                self._drop(next(iter(self._values)))
            self._values[key] = value, size
            self._bytes += size

    def get(self, key: str) -> Value | None:
        """The value of a key; None where there is none, or no longer."""
        with self._lock:
            value = self._values.get(key)
            if value is None:
                return None
            self._values.move_to_end(key)
            return value[0]

    def __len__(self) -> int:
        return len(self._values)

    def _drop(self, key: str) -> None:
        _, size = self._values.pop(key, (None, 0))
        self._bytes -= size
