"""Locks that are released in a forked process, whichever thread of its parent held them."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakSet

Lock = TypeVar("Lock")
Value = TypeVar("Value")

_locks: WeakSet[Any] = WeakSet()


def fork_safe(lock: Lock) -> Lock:
    """The lock, which no fork leaves closed. Whoever takes it writes what it guards before reading it."""
    _locks.add(lock)
    return lock


class cached_property(functools.cached_property[Value]):  # noqa: N801
    """That of functools; its lock, which it has before Python 3.12, is open in a forked process."""

    def __init__(self, function: Callable[[Any], Value]) -> None:
        super().__init__(function)
        if hasattr(self, "lock"):
            fork_safe(self.lock)


def _open_all() -> None:
    """In a forked process: its only thread is the one that forked, so nobody would open them."""
    for lock in list(_locks):
        lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open_all)
