"""How long a page waits for its answer: a server in its own process and a real WebSocket client.

    python benchmarks/playground.py [--requests 2000]            print everything, about three minutes
    python benchmarks/playground.py --write                      and store the tables in docs/benchmarks.md
    python benchmarks/playground.py --only space
    python benchmarks/playground.py --only objects --problems motion_bench_maker_panda.json.gz

As the page does, the client keeps one request in flight. In the plane, the hard case is four solvers of 12
links with 64 iterations each while the target moves. In space, goals of a robot are dragged: every answer
starts from the last one, without restarts. Among objects, those of a problem of MotionBenchMaker, a goal is
dragged from the hand's pose at the problem's start to that at its goal and back, through whatever is between:
where the arm that followed collides, the page looks for a solution that is free. At 60 frames per second a
page can wait 16.7 ms.
"""

# ruff: noqa: E402  (a checkout that is not installed is put on the path first)

from __future__ import annotations

import argparse
import asyncio
import contextlib
import datetime
import functools
import gzip
import importlib.metadata
import json
import math
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))  # for a checkout that is not installed

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

import limbik
import report
from limbik.app.protocol import decode_plane_solve
from limbik.app.protocol.space import decode_move
from limbik.spatial import Matrix4, quat_from_matrix
from machine import processor, progress

SCRIPT = "benchmarks/playground.py"
DOCUMENT = HERE.parent / "docs" / "benchmarks.md"
FRAME_MS = 1000 / 60
WARM_UP = 50  # requests that are not counted
LOOP = 240  # requests along a closed path: four seconds at 60 frames per second
ALL = ("ccd", "fabrik", "jt", "pinv", "dls", "sdls", "newton")
LIBRARIES = ("numpy", "numba", "starlette", "uvicorn", "websockets", "msgpack")
HEADER = (
    "case",
    "p50",
    "p95",
    "p99",
    "server p50",
    "server p95",
    "solvers p50",
    "iterations",
    "solved %",
    "over 16.7 ms %",
)

Message = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One way to use the playground."""

    name: str
    pages: int = 1
    pace: float = 0.0  # [1/s] requests; 0: the next as soon as the answer is there

    def opening(self) -> Message | None:
        """What a page sends first."""
        return None

    def message(self, number: int) -> Message:
        """The request of that number."""
        raise NotImplementedError

    def decode(self, answer: bytes) -> Any:
        """An answer: `arms` and `server_ms`."""
        raise NotImplementedError


@dataclass(frozen=True)
class Plane(Case):
    """Arms of equal links that follow a target along a figure eight, half of it out of reach."""

    solvers: tuple[str, ...] = ("ccd", "fabrik", "jt", "dls")
    links: int = 12
    iterations: int = 64
    trace: bool = False
    settings: dict[str, object] = field(default_factory=dict)

    def message(self, number: int) -> Message:
        length = 40.0
        reach = self.links * length
        phase = 2 * math.pi * number / LOOP
        settings = {
            "iterations": self.iterations,
            "gamma": 0.3,
            "lambda": 0.5,
            "damping": 0.7,
            "tolerance": 0.001,
        }
        return {
            "type": "solve",
            "id": number,
            "links": self.links,
            "length": length,
            "base": [600, 400],
            "target": [600 + 1.1 * reach * math.sin(phase), 400 + 0.7 * reach * math.sin(2 * phase)],
            "solvers": self.solvers,
            "settings": {**settings, **self.settings},
            "trace": self.trace,
        }

    def decode(self, answer: bytes) -> Any:
        return decode_plane_solve(answer)


@dataclass(frozen=True)
class Space(Case):
    """Goals of a robot that are dragged along a closed path, with the page's own settings."""

    goals: Callable[[float], list[Message]] = lambda phase: []  # at a phase [rad] of the path
    robot: str = "panda"
    solvers: tuple[str, ...] = ("lm",)
    posture: tuple[float, ...] = ()
    search: bool = False  # another page searches all the time
    objects: tuple[Message, ...] = ()

    def opening(self) -> Message | None:
        return {"type": "open", "id": 0, "source": {"kind": "robot", "names": [self.robot]}}

    def message(self, number: int) -> Message:
        posture = {"q": self.posture, "weight": 1.0} if self.posture else None
        goals = self.goals(2 * math.pi * number / LOOP)
        arm = {"arm": 0, "solvers": self.solvers, "goals": goals, "posture": posture}
        measure = {"arm": 0, "frame": goals[0]["frame"]}
        world = {"objects": self.objects, "clearance": 0.0} if self.objects else None
        return {"type": "move", "id": number, "arms": [arm], "measure": measure, "world": world}

    def decode(self, answer: bytes) -> Any:
        return decode_move(answer)


def _flange(phase: float) -> list[float]:
    return [0.45 + 0.15 * math.sin(phase), 0.25 * math.sin(2 * phase), 0.45 + 0.15 * math.cos(phase)]


def _turn(phase: float) -> list[float]:
    """A quaternion xyzw: the tool looks down, and sways."""
    angle = math.pi + 0.4 * math.sin(phase)
    return [math.sin(angle / 2), 0.0, 0.0, math.cos(angle / 2)]


def direction(phase: float) -> list[Message]:
    return [{"frame": "flange", "kind": "direction", "position": _flange(phase), "quat_xyzw": _turn(phase)}]


def pose(phase: float) -> list[Message]:
    return [{"frame": "flange", "kind": "pose", "position": _flange(phase), "quat_xyzw": _turn(phase)}]


def point(phase: float) -> list[Message]:
    return [{"frame": "flange", "kind": "position", "position": _flange(phase)}]


def hands(phase: float) -> list[Message]:
    """Both hands of a G1 before its chest."""
    return [
        {
            "frame": f"{side}_rubber_hand",
            "kind": "position",
            "position": [
                0.25 + 0.08 * math.sin(phase),
                sign * (0.2 + 0.08 * math.cos(phase)),
                0.15 + 0.1 * math.sin(2 * phase),
            ],
        }
        for side, sign in (("left", 1.0), ("right", -1.0))
    ]


def between(start: Matrix4, end: Matrix4, phase: float) -> list[Message]:
    """To and fro between two poses."""
    share = 0.5 - 0.5 * math.cos(phase)
    position = (1.0 - share) * start[:3, 3] + share * end[:3, 3]
    a, b = quat_from_matrix(start[:3, :3]), quat_from_matrix(end[:3, :3])
    turn = (1.0 - share) * a + share * (b if a @ b > 0.0 else -b)
    pose_there = {"position": position.tolist(), "quat_xyzw": turn.tolist()}
    return [{"frame": "flange", "kind": "pose", **pose_there}]


def among_objects(problems: Path) -> tuple[Case, ...]:
    """The first problem of each family."""
    model = limbik.load("panda")
    first: dict[str, Case] = {}
    for problem in json.loads(gzip.decompress(problems.read_bytes())):
        ends = (model.pose(problem[name], "flange") for name in ("start", "goal"))
        family = problem["family"]
        things = tuple(thing(f"object {k}", each) for k, each in enumerate(problem["objects"]))
        name = f"Panda, lm: pose, {len(things)} objects of {family}"
        first.setdefault(family, Space(name, goals=functools.partial(between, *ends), objects=things))
    return tuple(first.values())


def thing(name: str, given: Message) -> Message:
    """An object of a problem as the page has it."""
    kind, size = given["type"], given["dimensions"]
    return {
        "name": name,
        "kind": kind,
        "size": size[::-1] if kind == "cylinder" else size,
        "position": given["position"],
        "quat_xyzw": given["quaternion_xyzw"],
    }


READY = (0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.7)
RACE = Plane("race of four")
DRAG = Space("Panda, lm: position and direction", goals=direction)
CASES: dict[str, tuple[Case, ...]] = {
    "plane": (
        RACE,
        replace(RACE, name="race of four, 60 per second", pace=60),
        replace(RACE, name="race of four, scrubber", trace=True),
        replace(
            RACE,
            name="race of four, limits of 60 degrees",
            settings={"limits": True, "limit_degrees": 60},
        ),
        replace(RACE, name="race of four, rest pose", settings={"rest_bias": 0.1}),
        replace(RACE, name="race of four in 4 pages", pages=4),
        replace(RACE, name="all seven", solvers=ALL),
        replace(RACE, name="all seven, 64 links, scrubber", solvers=ALL, links=64, trace=True),
        replace(RACE, name="one solver, 6 links, 16 iterations", solvers=("dls",), links=6, iterations=16),
    ),
    "space": (
        DRAG,
        replace(DRAG, name="Panda, lm: pose and posture", goals=pose, posture=READY),
        replace(DRAG, name="Panda, lm: pose and posture, 60 per second", goals=pose, posture=READY, pace=60),
        replace(DRAG, name="Panda, lm: position and direction, in 4 pages", pages=4),
        replace(DRAG, name="Panda, lm: position and direction, another page searches", search=True),
        replace(
            DRAG,
            name="Panda, race of ccd, jt, dls, lm: position",
            goals=point,
            solvers=("ccd", "jt", "dls", "lm"),
        ),
        replace(DRAG, name="G1, lm: both hands", goals=hands, robot="g1"),
    ),
}


@dataclass
class Measured:
    """What the pages of a case saw."""

    waits: list[float] = field(default_factory=list)  # [ms]
    answers: list[Any] = field(default_factory=list)


async def visit(address: str, case: Case, requests: int, measured: Measured) -> None:
    """One page: send, wait for the answer, send the next."""
    async with opened(address, case) as page:
        began = time.perf_counter()
        for number in range(WARM_UP + requests):
            text = json.dumps(case.message(number))
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
                measured.answers.append(case.decode(answer))


@contextlib.asynccontextmanager
async def opened(address: str, case: Case) -> AsyncIterator[ClientConnection]:
    """A page on which the case can be used."""
    place = address.replace("http", "ws") + "/ws"
    async with connect(place, origin=address, compression=None, max_size=None) as page:
        first = case.opening()
        if first is not None:
            await page.send(json.dumps(first))
            answer = json.loads(await page.recv())
            if answer["type"] != "scene":
                raise SystemExit(f"the server refused: {answer}")
        while isinstance(case, Space) and case.objects:
            await page.send(json.dumps(case.message(0)))
            if not case.decode(await page.recv()).preparing:
                break
            await asyncio.sleep(0.2)  # until the collision shapes are made
        yield page


async def search(address: str, case: Case) -> None:
    """A page that searches for what is out of reach, one search after the other."""
    far = {"frame": "flange", "kind": "position", "position": [0.0, 0.0, 1.5]}
    async with opened(address, case) as page:
        while True:
            arm = {"arm": 0, "solvers": ["lm", "dls"], "goals": [far]}
            await page.send(json.dumps({"type": "move", "id": 1, "arms": [arm], "search": True}))
            await page.recv()


async def measure(address: str, case: Case, requests: int) -> Measured:
    """All pages of a case at once."""
    measured = Measured()
    searching = None
    if isinstance(case, Space) and case.search:
        searching = asyncio.create_task(search(address, case))
        await asyncio.sleep(0.5)
    await asyncio.gather(*(visit(address, case, requests, measured) for _ in range(case.pages)))
    if searching is not None:
        searching.cancel()
    return measured


def row(case: Case, measured: Measured) -> list[str]:
    """The figures of one case."""
    waits = np.percentile(measured.waits, [50, 95, 99])
    server = np.percentile([answer.server_ms for answer in measured.answers], [50, 95])
    arms = [arm for answer in measured.answers for arm in answer.arms]
    solving = np.median([sum(arm.microseconds for arm in answer.arms) for answer in measured.answers]) / 1e3
    late = np.mean(np.array(measured.waits) > FRAME_MS)
    return [
        case.name,
        *(f"{value:.2f}" for value in (*waits, *server, solving)),
        f"{np.mean([arm.iterations for arm in arms]):.1f}",
        f"{100 * np.mean([arm.status == 'solved' for arm in arms]):.1f}",
        f"{100 * late:.2f}",
    ]


@contextlib.contextmanager
def server() -> Iterator[str]:
    """`limbik play` in a process of its own; gives its address."""
    command = [sys.executable, "-m", "limbik.cli", "play", "--no-browser", "--port", "0"]
    source = os.pathsep.join([str(HERE.parent / "src"), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": source}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        found = re.search(r"http://\S+", process.stdout.readline())
        if found is None:
            raise SystemExit("the server did not start")
        yield found.group()
    finally:
        process.terminate()
        process.wait()


async def ready(address: str) -> None:
    """Return when the server has compiled everything, so that nothing is timed beside the compiler."""
    async with connect(address.replace("http", "ws") + "/ws", origin=address) as page:
        await page.send('{"type": "hello", "version": 1}')
        while True:
            told = json.loads(await page.recv())
            if told.get("state") == "ready":
                return
            progress(told.get("message", "connected"))


def machine_text(requests: int) -> str:
    """Where and with what it was measured."""
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in LIBRARIES)
    program = f"limbik {limbik.__version__}, Python {platform.python_version()}, {versions}"
    load = ", ".join(f"{each:.2f}" for each in os.getloadavg())
    lines = (
        f"date: {datetime.date.today()}",
        f"machine: {processor()}, {os.cpu_count()} cores, {platform.system()}",
        f"load average: {load} at the end of the run",
        f"versions: {program}",
        f"requests: {requests} per page and case, after {WARM_UP} that are not counted",
        "p50, p95, p99 [ms]: from sending a request to having its answer, at the client",
        "server [ms]: all solvers and what is measured of them; solvers [ms]: the sum of their calls",
        "iterations: mean per arm and answer",
    )
    return "\n".join(f"- {line}" for line in lines)


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=2000, help="per page and case (default 2000)")
    parser.add_argument("--only", choices=[*CASES, "objects"], help="only this view")
    parser.add_argument("--problems", type=Path, help="MotionBenchMaker's for the Panda, for objects")
    parser.add_argument("--write", action="store_true", help=f"store the tables in {DOCUMENT.name}")
    options = parser.parse_args(argv)
    if options.write and (options.only or options.problems is None):
        parser.error("--write needs the whole run: leave out --only, and give --problems")
    if options.only == "objects" and options.problems is None:
        parser.error("objects need --problems")
    return options


def main(argv: Sequence[str] | None = None) -> None:
    options = arguments(argv)
    cases = CASES if options.problems is None else {**CASES, "objects": among_objects(options.problems)}
    tables = {}
    with server() as address:
        asyncio.run(ready(address))
        for view in [options.only] if options.only else cases:
            rows = []
            for case in cases[view]:
                progress(case.name)
                rows.append(row(case, asyncio.run(measure(address, case, options.requests))))
            tables[view] = report.table(HEADER, rows)
    tables["machine"] = machine_text(options.requests)
    print("\n\n".join(tables.values()))
    if options.write:
        report.write(DOCUMENT, SCRIPT, tables)


if __name__ == "__main__":
    main()
