"""Requests of clients that mean no good, to a server that is a process of its own: it stays small."""

from __future__ import annotations

import concurrent.futures
import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest

TOKEN = "a token of this test"
MAX_MEGABYTES = 300
HEADERS = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads memory from /proc")


@contextlib.contextmanager
def serving() -> Iterator[tuple[str, int]]:
    """The address of `limbik serve`, and its process."""
    environment = {
        **os.environ,
        "LIMBIK_TOKEN": TOKEN,
        "PYTHONUNBUFFERED": "1",
        "LIMBIK_COMPILE": "background",
    }
    command = [sys.executable, "-m", "limbik", "serve", "--port", "0"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split(" at ")[1].split("/v1")[0], process.pid
        finally:
            process.terminate()


def statuses(address: str, calls: list[tuple[str, str, bytes]], kind: str = "application/json") -> set[int]:
    """What many requests at once come to; none is lost."""

    def ask(call: tuple[str, str, bytes]) -> int:
        method, route, body = call
        headers = {**HEADERS, "Content-Type": kind}
        return httpx.request(
            method, f"{address}{route}", content=body, headers=headers, timeout=60.0
        ).status_code

    with concurrent.futures.ThreadPoolExecutor(24) as pool:
        return set(pool.map(ask, calls))


def test_large_requests_of_many_clients_leave_the_server_small_and_answering() -> None:
    size = 2**20
    lists = b"[" + (b"[]," * (size // 3))[: size - 8] + b"[]]"
    place = {"position": [0.4, 0.2, 0.3], "quaternion": [0, 0, 0, 1]}
    poses = json.dumps({"robot": "panda", "poses": [place] * 5_000}).encode()
    check = json.dumps({"robot": "panda", "q": [[0] * 7] * 3_000}).encode()
    stream = io.BytesIO()
    np.save(stream, np.tile([0.4, 0.2, 0.3, 0, 0, 0, 1.0], (37_000, 1)))
    links = "".join(
        f'<link name="l{i}"/><joint name="j{i}" type="fixed"><parent link="l0"/><child link="l{i}"/></joint>'
        for i in range(1, 1500)
    )
    robot = json.dumps({"description": f'<robot name="r"><link name="l0"/>{links}</robot>'}).encode()
    boxes = {f"o{i}": {"box": [0.1, 0.1, 0.1], "position": [i, 0, 0]} for i in range(3000)}
    world = json.dumps({"objects": boxes}).encode()
    with serving() as (address, process):
        assert statuses(address, [("POST", "/v1/solve", lists)] * 10) <= {422, 429}
        assert statuses(address, [("POST", "/v1/solve_batch", poses)] * 10) <= {200, 429}
        assert statuses(address, [("POST", "/v1/check", check)] * 4) <= {200, 429}
        arrays = [("POST", "/v1/solve_batch/npy?robot=panda", stream.getvalue())] * 5
        assert 200 in statuses(address, arrays, "application/x-npy")
        robots = [("PUT", f"/v1/robots/r{k}", robot) for k in range(18)]
        assert {200, 422} <= statuses(address, robots) <= {200, 422, 429}
        worlds = [("PUT", f"/v1/worlds/w{k}", world) for k in range(18)]
        assert {200, 422} <= statuses(address, worlds) <= {200, 422, 429}
        status = Path(f"/proc/{process}/status").read_text()
        assert int(status.split("VmHWM:")[1].split()[0]) < MAX_MEGABYTES * 1000
        asked = json.dumps({"robot": "panda", "goals": [{"type": "position", "position": [0.4, 0.2, 0.5]}]})
        answer = httpx.post(f"{address}/v1/solve", content=asked, headers=HEADERS, timeout=30.0)
        assert answer.json()["success"]
