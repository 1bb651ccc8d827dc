"""Where something is kept for the next process."""

from __future__ import annotations

import functools
import os
import sys
import tempfile
import warnings
from pathlib import Path


@functools.cache
def cache_folder(content: str = "kernels") -> Path | None:
    """Where something is kept for the next process: in `$LIMBIK_CACHE_DIR` or the user's cache; None if it
    cannot be read or made. A folder that can only be read is good for what it holds.
    """
    root = _cache_root()
    try:
        folder = root.expanduser() / content
        folder.mkdir(parents=True, exist_ok=True)
    except RuntimeError:
        warn_of_cache(root, "there is no home folder")
        return None
    except OSError as error:
        warn_of_cache(root, str(error.strerror))
        return None
    return folder


def _cache_root() -> Path:
    """As the user has it; it may begin with ~."""
    if "LIMBIK_CACHE_DIR" in os.environ:
        return Path(os.environ["LIMBIK_CACHE_DIR"])
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
    """Say once that nothing can be kept, and why."""
    warnings.warn(
        f"limbik cannot keep what it compiles in {root} ({problem}); it will be compiled again in every "
        "process. Set LIMBIK_CACHE_DIR to a folder that can be written.",
        RuntimeWarning,
        stacklevel=2,
    )
