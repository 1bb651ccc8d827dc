"""`limbik serve` under load: the time of a solve over HTTP, poses a second as arrays, and memory.

python benchmarks/serving.py             print the tables
python benchmarks/serving.py --write     and store them in docs/service.md
python benchmarks/serving.py --seconds 2 of each, to try it

The server is a process of its own on loopback; all clients are one other process. "paced" clients ask four
times a second each, whether they have been answered or not; the others ask as soon as they are answered.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np

import limbik
import report
from limbik.spatial import quat_from_matrix
from machine import progress, surroundings
from tables import number

SCRIPT = "benchmarks/serving.py"
DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "service.md"
TOKEN = "a-token-of-this-benchmark"
ROBOT = "panda"
PACE = 0.25  # [s] between two requests of a paced client
ARRAYS = (1_000, 10_000, 37_000)
REPEATS = 5


class Answer(NamedTuple):
    """What one request came to: its status, 0 where the connection was lost, and its time [s]."""

    status: int
    seconds: float


class Server(NamedTuple):
    """A running server."""

    port: int
    process: int

    def memory(self) -> float:
        """The most that has been resident [MB]."""
        status = Path(f"/proc/{self.process}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1000.0


@contextlib.contextmanager
def running() -> Iterator[Server]:
    """`limbik serve` as a process of its own."""
    environment = {**os.environ, "LIMBIK_TOKEN": TOKEN, "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "limbik", "serve", "--port", "0"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().split(" at ")[1].split("/v1")[0]
            yield Server(int(address.rsplit(":", 1)[1]), process.pid)
        finally:
            process.terminate()


def request(path: str, body: bytes, kind: str = "application/json") -> bytes:
    """A POST with a body."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
        f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def solves(count: int) -> list[bytes]:
    """Requests for poses that the robot can reach."""
    model = limbik.load(ROBOT)
    poses = model.pose(model.random(0, count))
    goals = [
        {
            "type": "pose",
            "position": pose[:3, 3].tolist(),
            "quaternion": quat_from_matrix(pose[:3, :3]).tolist(),
        }
        for pose in poses
    ]
    return [request("/v1/solve", json.dumps({"robot": ROBOT, "goals": [goal]}).encode()) for goal in goals]


async def exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, call: bytes
) -> tuple[int, bytes]:
    """The status and the body of an answer."""
    writer.write(call)
    await writer.drain()
    head = await reader.readuntil(b"\r\n\r\n")
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
    return int(head.split(b" ", 2)[1]), await reader.readexactly(int(fields[b"content-length"]))


async def client(port: int, calls: list[bytes], shift: float, ends: float, is_paced: bool) -> list[Answer]:
    """One client's answers until a time."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answers: list[Answer] = []
    due = time.perf_counter() + PACE * shift
    k = int(shift * len(calls))
    while (now := time.perf_counter()) < ends:
        if is_paced and now < due:
            await asyncio.sleep(due - now)
            continue
        began = due if is_paced else now  # of a paced one the wait behind earlier requests counts
        due += PACE
        k += 1
        try:
            status, _ = await exchange(reader, writer, calls[k % len(calls)])
        except (OSError, asyncio.IncompleteReadError):
            answers.append(Answer(0, time.perf_counter() - began))
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            continue
        answers.append(Answer(status, time.perf_counter() - began))
    writer.close()
    return answers


async def load(port: int, calls: list[bytes], count: int, seconds: float, is_paced: bool) -> list[Answer]:
    """The answers of many clients at once."""
    ends = time.perf_counter() + seconds
    each = await asyncio.gather(*(client(port, calls, k / count, ends, is_paced) for k in range(count)))
    return [answer for answers in each for answer in answers]


def row(title: str, answers: list[Answer], seconds: float) -> list[str]:
    count = Counter(answer.status for answer in answers)
    times = 1e3 * np.array([answer.seconds for answer in answers if answer.status == 200])
    others = sum(count.values()) - count[200] - count[429] - count[0]
    assert others == 0, f"answers of other kinds: {count}"
    return [
        title,
        f"{len(answers) / seconds:,.0f}",
        f"{count[200]:,}",
        f"{count[429]:,}",
        f"{count[0]:,}",
        *(number(float(np.percentile(times, share))) for share in (50, 99)),
        number(float(times.max())),
    ]


def arrays(port: int) -> list[list[str]]:
    """Poses a second, by the size of a request."""
    model = limbik.load(ROBOT)
    lines = []
    for count in ARRAYS:
        poses = model.pose(model.random(1, count))
        body = io.BytesIO()
        np.save(body, np.concatenate([poses[:, :3, 3], quat_from_matrix(poses[:, :3, :3])], axis=1))
        call = request(
            f"/v1/solve_batch/npy?robot={ROBOT}&time_limit=10", body.getvalue(), "application/x-npy"
        )
        times, share = asyncio.run(timed(port, call, poses))
        best = min(times)
        lines.append([f"{count:,}", number(1e3 * best), f"{count / best / 1e6:.2f}", f"{100.0 * share:g}"])
    return lines


async def timed(port: int, call: bytes, poses: np.ndarray) -> tuple[list[float], float]:
    """The times of a few exchanges [s], and the share of poses that are met."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**24)
    times, share = [], 0.0
    for _ in range(REPEATS):
        began = time.perf_counter()
        status, body = await exchange(reader, writer, call)
        times.append(time.perf_counter() - began)
        assert status == 200, body
        found = np.load(io.BytesIO(body))
        off = np.abs(limbik.load(ROBOT).pose(found["q"]) - poses).max(axis=(1, 2))
        assert (off[found["success"]] < 3e-6).all(), "an answer is not true"
        share = float(found["success"].mean())
    writer.close()
    return times, share


def main() -> None:
    """Print the tables; with --write store them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="store the tables in docs/service.md")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each load")
    options = parser.parse_args()
    calls, seconds = solves(500), options.seconds
    kinds = (
        ("1", 1, False),
        ("10, paced", 10, True),
        ("50, paced", 50, True),
        ("50", 50, False),
        ("200", 200, False),
    )
    with running() as server:
        asyncio.run(load(server.port, calls, 4, 1.0, False))  # until there is machine code
        lines = []
        for title, count, is_paced in kinds:
            progress(f"{title} clients")
            lines.append(row(title, asyncio.run(load(server.port, calls, count, seconds, is_paced)), seconds))
        after_load = server.memory()
        progress("arrays")
        by_size = arrays(server.port)
        memory = (
            f"Most resident memory of the server: {after_load:.0f} MB after the solves, "
            f"{server.memory():.0f} MB in the end."
        )
    around = surroundings()
    head = ["clients", "requests/s", "answered", "429", "lost", "median ms", "p99", "longest"]
    machine = (
        f"A pose of the Panda each, {seconds:g} s. Python {sys.version.split()[0]}, "
        f"uvicorn {version('uvicorn')}, fastapi {version('fastapi')}, {around['machine']}, {around['date']}."
    )
    tables = {
        "solves": f"{report.table(head, lines)}\n\n{machine}",
        "arrays": f"{report.table(['poses', 'ms', 'million/s', 'met %'], by_size)}\n\n{memory}",
    }
    report.publish(DOCUMENT, SCRIPT, tables, options.write)


if __name__ == "__main__":
    main()
