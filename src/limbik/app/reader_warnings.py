"""Collects what readers and writers warn of, as notes for the page without names of local folders."""

from __future__ import annotations

import contextlib
import re
import threading
import warnings
from collections.abc import Iterator

from limbik.errors import FormatWarning
from limbik.locks import fork_safe

_LOCK = fork_safe(threading.RLock())  # Python catches warnings for all threads at once
# The folders of an absolute path: what stands before them is no part of a relative one.
_FOLDERS = re.compile(r"(?<![^\s'\"`(=,;])(?:file://|[A-Za-z]:)?(?:[/\\][^\s/\\'\"`:;,()]+)+[/\\]")


@contextlib.contextmanager
def remarks() -> Iterator[list[str]]:
    """What is warned of meanwhile, in a list that is filled at the end."""
    lines: list[str] = []
    with _LOCK, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield lines
    lines += [without_folders(str(one.message)) for one in caught if issubclass(one.category, FormatWarning)]


def without_folders(text: str) -> str:
    """The text with files called by their names alone."""
    return _FOLDERS.sub("", text)
