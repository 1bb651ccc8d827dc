"""`limbik serve`: what is printed and what is refused; what it answers is in tests/service."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

LIMBIK = [sys.executable, "-m", "limbik"]


def refused(*words: str, **environment: str) -> str:
    found = subprocess.run(
        [*LIMBIK, "serve", "--port", "0", *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (found.returncode, found.stdout) == (2, "")
    return found.stderr


def test_it_prints_a_token_once_and_ends_on_ctrl_c() -> None:
    environment = {key: value for key, value in os.environ.items() if key != "LIMBIK_TOKEN"}
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([*LIMBIK, "serve", "--port", "0"], env=environment, **pipes) as running:
        assert running.stdout is not None and running.stderr is not None
        found = re.match(r"limbik answers at (http://127\.0\.0\.1:\d+)/v1  ", running.stdout.readline())
        token = re.match(r"token: (\S{20,})\n", running.stdout.readline())
        link = re.match(
            r"in a browser, once: (http://127\.0\.0\.1:\d+/enter\?key=\S{20,})\n", running.stdout.readline()
        )
        assert found and token and link and token[1] not in link[1]
        transport = httpx.HTTPTransport(retries=10)
        with httpx.Client(base_url=found[1], transport=transport) as client:
            assert client.get("/v1/robots").status_code == 401
            headers = {"Authorization": f"Bearer {token[1]}"}
            assert "ur5e" in client.get("/v1/robots", headers=headers).json()
            assert client.get(link[1]).status_code == 303
            assert "ur5e" in client.get("/v1/robots").json()
        running.send_signal(signal.SIGINT)
        time.sleep(0.01)
        running.send_signal(signal.SIGINT)  # as somebody does who does not want to wait
        assert running.stdout.read() == "Stopped.\n"
        assert running.stderr.read() == ""
    assert running.returncode == 0


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no terminal hangs up on Windows")
def test_what_was_begun_is_answered_when_its_terminal_is_closed() -> None:
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # what it starts would inherit that it is ignored
    running = subprocess.Popen([*LIMBIK, "serve", "--port", "0", "--no-token"], **pipes)
    signal.signal(signal.SIGHUP, before)
    with running:
        assert running.stdout is not None and running.stderr is not None
        address = re.search(r"http://127\.0\.0\.1:\d+", running.stdout.readline())
        assert address
        with ThreadPoolExecutor() as pool, httpx.Client(base_url=address[0], timeout=60.0) as client:
            goal = {"type": "position", "position": [0.4, 0.2, 0.3]}
            asked = pool.submit(client.post, "/v1/solve", json={"robot": "ur5e", "goals": [goal]})
            time.sleep(0.05)  # the first solve imports much, and takes longer
            running.send_signal(signal.SIGHUP)
            assert asked.result().status_code == 200
        assert "Traceback" not in running.stderr.read()
    assert running.returncode == -signal.SIGHUP


def test_what_is_not_safe_is_refused() -> None:
    assert "--no-token is for loopback alone" in refused("--no-token", "--host", "0.0.0.0")
    assert "LIMBIK_TOKEN needs at least 16 characters" in refused(LIMBIK_TOKEN="short")


def test_a_missing_extra_names_itself(tmp_path: Path) -> None:
    (tmp_path / "fastapi.py").write_text("raise ModuleNotFoundError(name='fastapi')\n")
    said = refused(PYTHONPATH=str(tmp_path))
    assert "limbik[serve]" in said and "Traceback" not in said


def test_help_says_how_to_ask() -> None:
    found = subprocess.run([*LIMBIK, "serve", "--help"], capture_output=True, text=True, timeout=60)
    assert found.returncode == 0 and "LIMBIK_TOKEN" in found.stdout and "curl" in found.stdout
