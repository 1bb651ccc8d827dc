"""Helpers that keep an old name of an attribute or option working for one release, with a
DeprecationWarning.
"""

from __future__ import annotations

import warnings
from typing import Any


def renamed(old: str, new: str) -> Any:
    """A property that returns the attribute `new`, with a DeprecationWarning that names it."""

    def read(owner: Any) -> Any:
        warn_renamed(old, new)
        return getattr(owner, new)

    read.__doc__ = f"The old name of `{new}`."
    return property(read)


def warn_renamed(old: str, new: str) -> None:
    """Warn whoever called the caller that `old` has another name."""
    warnings.warn(f"`{old}` is called `{new}` now", DeprecationWarning, stacklevel=3)
