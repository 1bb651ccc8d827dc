"""Locks that are released in a forked process, whichever thread of its parent held them."""

from __future__ import annotations

import os
from typing import Any, TypeVar
from weakref import WeakSet

Lock = TypeVar("Lock")

_locks: WeakSet[Any] = WeakSet()


def fork_safe(lock: Lock) -> Lock:
    """The lock, which no fork leaves closed. Whoever takes it writes what it guards before reading it."""
    _locks.add(lock)
    return lock


def _open_all() -> None:
    """In a forked process: its only thread is the one that forked, so nobody would open them."""
    for lock in list(_locks):
        lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open_all)
