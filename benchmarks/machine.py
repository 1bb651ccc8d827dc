"""Where a measurement runs, and word of how far it is."""

from __future__ import annotations

import platform
import sys
from pathlib import Path


def processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def progress(text: str) -> None:
    print(f"... {text}", file=sys.stderr, flush=True)
