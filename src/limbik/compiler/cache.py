"""The user's cache folder for machine code and tables: where it is, and whether it is safe and writable."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import stat
import sys
import tempfile
import warnings
from collections.abc import Iterable
from pathlib import Path

from limbik._version import __version__

LARGEST_FILE = 256 * 2**20  # [bytes]; those for arms of seven joints have up to 7 MB


@functools.cache
def cache_folder(content: str = "kernels") -> Path | None:
    """Where something is stored for the next process: in `$LIMBIK_CACHE_DIR` or the user's cache; None if it
    cannot be read or made, or if others may put there what this process would run. A folder that can only be
    read is good for what it holds.
    """
    root = _cache_root()
    try:
        folder = root.expanduser() / content
        folder.parent.parent.mkdir(parents=True, exist_ok=True)
        folder.parent.mkdir(0o700, exist_ok=True)
        folder.mkdir(0o700, exist_ok=True)
        if problem := _danger(folder):
            warn_of_cache(root, problem)
            return None
    except RuntimeError:
        warn_of_cache(root, "there is no home folder")
        return None
    except OSError as error:
        warn_of_cache(root, str(error.strerror))
        return None
    return folder


def _danger(folder: Path) -> str:
    """Who else may write in a folder; "" for nobody but root. On Windows, with its other rules, always ""."""
    if os.name != "posix":
        return ""
    status = folder.stat()
    if status.st_uid not in (os.geteuid(), 0):
        return "another user owns it"
    return "other users may write there" if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) else ""


def hash_of_sources(files: Iterable[Path]) -> bytes:
    """Of what makes the content of a cache, and of the package's version, which stands for sources that are
    not there: a frozen program has none.
    """
    digest = hashlib.sha256(__version__.encode())
    for file in files:
        with contextlib.suppress(OSError):
            digest.update(file.read_bytes())
    return digest.digest()


def read_regular(path: Path) -> bytes:
    """The content of a file. Raises OSError for what is no regular one, as a pipe or a device may never end,
    and for one larger than any that limbik writes.
    """
    if not path.is_file():
        raise FileNotFoundError(path)
    if path.stat().st_size > LARGEST_FILE:
        raise OSError(f"{path} is larger than {LARGEST_FILE // 2**20} MiB")
    return path.read_bytes()


def _cache_root() -> Path:
    """As the user has it; it may begin with ~."""
    if chosen := os.environ.get("LIMBIK_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~/AppData/Local")) / "limbik"
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "limbik"


@functools.cache
def can_keep() -> bool:
    """Whether the cache folder can be written; warns once where it cannot."""
    folder = cache_folder()
    if folder is None:
        return False
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError as error:
        warn_of_cache(folder.parent, str(error.strerror))
        return False


@functools.cache
def warn_of_cache(root: Path, problem: str) -> None:
    """Say once that nothing can be stored, and why."""
    warnings.warn(
        f"limbik cannot keep what it compiles in {root} ({problem}); it will be compiled again in every "
        "process. Set LIMBIK_CACHE_DIR to a folder that can be written.",
        RuntimeWarning,
        stacklevel=2,
    )
