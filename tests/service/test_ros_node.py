"""`limbik ros --node`, asked by another node over the network of a real ROS 2."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import limbik

BUILT = Path(__file__).resolve().parents[2] / ".venv" / "ros" / "bin" / "python"  # by tools/ros.py
HAS_ROS = (
    importlib.util.find_spec("rclpy") is not None and importlib.util.find_spec("moveit_msgs") is not None
)
PYTHON = sys.executable if HAS_ROS else str(BUILT)
CLIENT = Path(__file__).with_name("ros_client.py")
NAMES = [f"panda_joint{number}" for number in range(1, 8)]


@pytest.mark.slow
@pytest.mark.skipif(not HAS_ROS and not BUILT.exists(), reason="no ROS 2 here; `make ros` makes one")
def test_a_node_of_ros_gets_what_it_asks_for() -> None:
    model = limbik.load("panda")
    rows = model.random(0, size=20)
    domain = {"ROS_DOMAIN_ID": str(os.getpid() % 100), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    environment = {**os.environ, **domain, "PYTHONUNBUFFERED": "1"}
    command = [PYTHON, "-m", "limbik.cli", "ros", "panda", "--node", "--namespace", "/left"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as server:
        client = subprocess.run(
            [PYTHON, str(CLIENT)],
            input=json.dumps(rows.tolist()),
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        server.send_signal(signal.SIGINT)
        said = server.communicate(timeout=60)[0]
    assert client.returncode == 0, client.stderr
    answers = json.loads(client.stdout)
    assert answers["codes"] == [1] * len(rows) and answers["joints"] == [NAMES] * len(rows)
    np.testing.assert_allclose(
        model.poses(np.array(answers["q"]), ["flange"]), model.poses(rows, ["flange"]), atol=3e-6
    )
    code, reason = answers["refused"]
    assert code == -31 and "Out of reach" in reason
    assert answers["placed"] == [True, False] and "there is no object 'no such thing'" in said
    is_valid, touched = answers["touching"]
    assert is_valid is False and {"post/1", "post/2"} & set(touched)
    assert answers["unknown"] is False and "there is no joint 'elbow'" in said
    assert server.returncode == 0 and said.endswith("Stopped.\n")


@pytest.mark.slow
@pytest.mark.skipif(HAS_ROS, reason="ROS 2 is installed here")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--node needs rclpy and moveit_msgs of ROS 2"),
        (("--rosbridge", "ws://localhost:9090"), "--rosbridge and --node exclude each other"),
    ],
)
def test_what_a_node_needs_is_said(words: tuple[str, ...], said: str) -> None:
    command = [sys.executable, "-m", "limbik.cli", "ros", "panda", "--node", *words]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert found.returncode == 2 and said in found.stderr and "Traceback" not in found.stderr
