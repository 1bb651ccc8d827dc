"""Find a Chromium for the browser tests. Standard library only: it runs before anything is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

# The headless shell is the same engine without windows: the browser tests take a quarter less time in it.
COMMANDS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
ELSEWHERE = (
    ".cache/ms-playwright/chromium_headless_shell-*/chrome-*/*headless*shell",
    ".cache/ms-playwright/chromium-*/chrome-linux*/chrome",
    "Library/Caches/ms-playwright/chromium-*/chrome-mac*/Chromium.app/Contents/MacOS/Chromium",
)


def find_chromium() -> str | None:
    """Path of a Chromium that starts, or None. The variable LIMBIK_CHROMIUM names the one to use."""
    return next(filter(starts, candidates()), None)


def candidates() -> Iterator[str]:
    named = os.environ.get("LIMBIK_CHROMIUM")
    if named:
        yield named
        return
    yield from filter(None, map(shutil.which, COMMANDS))
    for pattern in ELSEWHERE:
        yield from map(str, sorted(Path.home().glob(pattern), reverse=True))


def starts(path: str) -> bool:
    """True if `path --version` succeeds. Some systems have a stub that only asks for a snap."""
    try:
        answer = subprocess.run(
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0
