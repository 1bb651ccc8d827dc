"""Where a measurement runs, and word of how far it is."""

from __future__ import annotations

import datetime
import os
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


def surroundings() -> dict[str, str]:
    """When and on what a study has run: called at its end."""
    return {
        "date": datetime.date.today().isoformat(),
        "machine": f"{processor()}, {os.cpu_count()} cores, {platform.system()}",
        "load average": ", ".join(f"{x:.2f}" for x in os.getloadavg()) + " at the end of the run",
    }


def progress(text: str) -> None:
    print(f"... {text}", file=sys.stderr, flush=True)
