"""How long a page waits for its frame: a server in its own process and a real WebSocket client.

    python benchmarks/playground.py [--requests 2000]

As the page does, the client keeps one request in flight. The hard case of the playground is four solvers of
12 links with 64 iterations each while the target moves: at 60 frames per second a page can wait 16.7 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib.metadata
import json
import math
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from rich.console import Console
from rich.table import Table
from websockets.asyncio.client import connect

import limbik
from limbik.app.protocol import Frame, decode_frame

FRAME_MS = 1000 / 60
WARM_UP = 50  # requests that are not counted
ALL = ("ccd", "fabrik", "jt", "pinv", "dls", "sdls", "newton")
LIBRARIES = ("numpy", "numba", "starlette", "uvicorn", "websockets", "msgpack")


@dataclass(frozen=True)
class Case:
    """One way to use the playground."""

    name: str
    solvers: tuple[str, ...] = ("ccd", "fabrik", "jt", "dls")
    links: int = 12
    iterations: int = 64
    pages: int = 1
    pace: float = 0.0  # [1/s] requests; 0: the next as soon as the frame is there
    trace: bool = False
    settings: dict[str, object] = field(default_factory=dict)


RACE = Case("race of four")
CASES = (
    RACE,
    replace(RACE, name="race of four, 60 per second", pace=60),
    replace(RACE, name="race of four, scrubber", trace=True),
    replace(RACE, name="race of four, limits of 60 degrees", settings={"limits": True, "limit_degrees": 60}),
    replace(RACE, name="race of four, rest pose", settings={"rest_bias": 0.1}),
    replace(RACE, name="race of four in 4 pages", pages=4),
    replace(RACE, name="all seven", solvers=ALL),
    replace(RACE, name="all seven, 64 links, scrubber", solvers=ALL, links=64, trace=True),
    replace(RACE, name="one solver, 6 links, 16 iterations", solvers=("dls",), links=6, iterations=16),
)


@dataclass
class Measured:
    """What the pages of a case saw."""

    waits: list[float] = field(default_factory=list)  # [ms]
    frames: list[Frame] = field(default_factory=list)


def message(case: Case, number: int) -> str:
    """A request whose target runs along a figure eight, half of it out of reach."""
    length = 40.0
    reach = case.links * length
    phase = 2 * math.pi * number / 240  # four seconds at 60 frames per second
    target = [
        600 + 1.1 * reach * math.sin(phase),
        400 + 0.7 * reach * math.sin(2 * phase),
    ]
    settings = {
        "iterations": case.iterations,
        "gamma": 0.3,
        "lambda": 0.5,
        "damping": 0.7,
        "tolerance": 0.001,
    }
    return json.dumps(
        {
            "type": "solve",
            "id": number,
            "links": case.links,
            "length": length,
            "base": [600, 400],
            "target": target,
            "solvers": case.solvers,
            "settings": {**settings, **case.settings},
            "trace": case.trace,
        }
    )


async def visit(address: str, case: Case, requests: int, measured: Measured) -> None:
    """One page: send, wait for the frame, send the next."""
    async with connect(address.replace("http", "ws") + "/ws", origin=address, compression=None) as page:
        began = time.perf_counter()
        for number in range(WARM_UP + requests):
            text = message(case, number)
            if case.pace:
                await asyncio.sleep(max(0.0, began + number / case.pace - time.perf_counter()))
            sent = time.perf_counter()
            await page.send(text)
            answer = await page.recv()
            wait = 1e3 * (time.perf_counter() - sent)
            if isinstance(answer, str):
                raise SystemExit(f"the server refused: {answer}")
            if number >= WARM_UP:
                measured.waits.append(wait)
                measured.frames.append(decode_frame(answer))


async def measure(address: str, case: Case, requests: int) -> Measured:
    """All pages of a case at once."""
    measured = Measured()
    await asyncio.gather(*(visit(address, case, requests, measured) for _ in range(case.pages)))
    return measured


def row(case: Case, measured: Measured) -> list[str]:
    """The figures of one case."""
    p50, p95, p99 = np.percentile(measured.waits, [50, 95, 99])
    server = np.percentile([frame.server_ms for frame in measured.frames], [50, 95])
    arms = [arm for frame in measured.frames for arm in frame.arms]
    solver = np.median([sum(arm.microseconds for arm in frame.arms) for frame in measured.frames]) / 1e3
    late = np.mean(np.array(measured.waits) > FRAME_MS)
    return [
        case.name,
        *(f"{value:.2f}" for value in (p50, p95, p99, *server, solver)),
        f"{np.mean([arm.iterations for arm in arms]):.0f}",
        f"{100 * late:.2f} %",
    ]


@contextlib.contextmanager
def server() -> Iterator[str]:
    """`limbik play` in a process of its own; gives its address."""
    command = [sys.executable, "-m", "limbik.cli", "play", "--no-browser", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        found = re.search(r"http://\S+", process.stdout.readline())
        if found is None:
            raise SystemExit("the server did not start")
        yield found.group()
    finally:
        process.terminate()
        process.wait()


def processor() -> str:
    """The processor's name, as far as the system tells."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as info:
        found = re.search(r"model name\s*:\s*(.+)", info.read())
        if found:
            return found.group(1)
    return platform.processor() or platform.machine()


def main() -> None:
    """Measure all cases and print one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=2000, help="per page and case")
    requests = parser.parse_args().requests

    table = Table(title="Round trip of a frame [ms]")
    for name in (
        "case",
        "p50",
        "p95",
        "p99",
        "server p50",
        "server p95",
        "solvers",
        "iterations",
        "over 16.7 ms",
    ):
        table.add_column(name, justify="left" if name == "case" else "right")
    with server() as address:
        for case in CASES:
            table.add_row(*row(case, asyncio.run(measure(address, case, requests))))
    console = Console(width=140)
    console.print(table)
    console.print(
        "p50, p95, p99: from sending a request to having its frame, at the client. server: all solvers and "
        "what is measured of them. solvers: the sum of their calls, median. iterations: mean per arm."
    )
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in LIBRARIES)
    console.print(f"limbik {limbik.__version__}, Python {platform.python_version()}, {versions}")
    console.print(
        f"{processor()}, {os.cpu_count()} cores; {requests} requests per page and case", highlight=False
    )


if __name__ == "__main__":
    main()
