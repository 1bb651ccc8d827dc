"""The steps of the Containerfile, run without a builder: what is installed serves, and writes nothing."""

from __future__ import annotations

import json
import os
import shutil
import site
import subprocess
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = "/opt/limbik"
TOKEN = "a token of this test"

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="containers are POSIX")]


def instructions(word: str) -> list[str]:
    """What follows a word of the Containerfile, of each line that begins with it."""
    lines = (ROOT / "Containerfile").read_text().splitlines()
    return [line.removeprefix(f"{word} ") for line in lines if line.startswith(f"{word} ")]


def files(folder: Path) -> dict[Path, int]:
    """All files, and when each was written [ns]."""
    return {file: file.stat().st_mtime_ns for file in folder.rglob("*") if file.is_file()}


def test_the_steps_of_the_container_lead_to_a_server_that_writes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "limbik"
    (step,) = instructions("RUN")
    assert step.startswith(f"sh /source/tools/install_service.sh /source {INSTALLED}")
    # What limbik needs is taken from here, in place of an index of packages.
    here = {"PYTHONPATH": os.pathsep.join(site.getsitepackages()), "PIP_NO_BUILD_ISOLATION": "0"}
    script = ["sh", str(ROOT / "tools" / "install_service.sh"), str(ROOT), str(folder), "planar-2"]
    subprocess.run(script, env={**os.environ, **here}, check=True, capture_output=True, text=True)
    environment = {**here, "LIMBIK_TOKEN": TOKEN, "HOME": "/nonexistent", "PYTHONUNBUFFERED": "1"}
    for setting in " ".join(instructions("ENV")).split():
        name, _, value = setting.partition("=")
        environment[name] = value.replace(INSTALLED, str(folder)).replace("$PATH", os.environ["PATH"])
    assert list((folder / "cache" / "kernels").glob("one-RR-*"))
    (command,) = map(json.loads, instructions("CMD"))
    command = [shutil.which(command[0], path=environment["PATH"]), *command[1:], "--port", "0"]
    assert command[0] == str(folder / "bin" / "limbik")
    before = files(folder)
    with subprocess.Popen(
        command, env=environment, cwd="/", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            port = int(said.split("/v1")[0].rsplit(":", 1)[1])
            assert httpx.get(f"http://127.0.0.1:{port}/healthz").json()["status"] == "ok"
            asked = {"robot": "planar-2", "goals": [{"type": "position", "position": [1.0, 0.5, 0.0]}]}
            headers = {"Authorization": f"Bearer {TOKEN}"}
            answer = httpx.post(
                f"http://127.0.0.1:{port}/v1/solve", json=asked, headers=headers, timeout=60.0
            )
            assert answer.json()["success"]
        finally:
            process.terminate()
        assert "Warning" not in process.stdout.read()
    assert files(folder) == before
