"""MoveIt's requests answered by limbik: how many poses are met, and how long an answer takes.

python benchmarks/moveit.py             print the tables; needs the robots of example-robot-data,
                                        and `make ros` for the times of a node
python benchmarks/moveit.py --write     and store them in docs/moveit.md
python benchmarks/moveit.py --requests 200    of each robot, to try it

Every pose is that of a configuration drawn at random within the limits, and every request begins in the
middle of them, as in the table that TRAC-IK publishes. An answer counts when forward kinematics are within
1e-5 m and rad of the pose, as there; limbik itself asks for 1e-6.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from websockets.sync.server import ServerConnection, serve

import limbik
import report
from limbik.formats import registry, srdf
from limbik.service.moveit.answers import MoveIt
from limbik.spatial import quat_from_matrix, rotation_log
from machine import progress, surroundings
from tables import number

SCRIPT = "benchmarks/moveit.py"
DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "moveit.md"
REQUESTS = 10_000
BY_SOCKET = 2_000
ROS = Path(__file__).resolve().parent.parent / ".venv" / "ros" / "bin" / "python"  # by `make ros`
MET = 1e-5  # [m and rad]
TRAC_IK = "1.4.6, 5 ms, as its README says it, on a machine of its own"


class Arm(NamedTuple):
    """A chain of a robot, and TRAC-IK's published share [%] and mean time [ms] for it."""

    title: str
    robot: str
    base: str
    tip: str
    published: tuple[float, float] | None


ARMS = (
    Arm("Franka Emika Panda", "panda", "panda_link0", "panda_link8", (99.70, 0.38)),
    Arm("UR5e", "ur5e", "base", "flange", None),
    Arm("Fetch arm", "fetch", "robot0:torso_lift_link", "robot0:gripper_link", (99.99, 0.26)),
    Arm("PR2 arm", "pr2", "torso_lift_link", "r_wrist_roll_link", (99.95, 0.38)),
    Arm("Baxter arm", "baxter", "torso", "left_hand_link", (99.62, 0.43)),
    Arm("KUKA LBR iiwa 14 R820", "iiwa14", "base", "flange", (99.84, 0.31)),
    Arm("Jaco2", "j2s6s200", "j2s6s200_link_base", "j2s6s200_end_effector", (99.78, 0.41)),
)


def ready(arm: Arm) -> tuple[MoveIt, limbik.Model, list[str]]:
    """What answers, the model, and the names of the arm's joints."""
    match = registry.find(arm.robot)
    model = limbik.load(arm.robot if arm.base == "base" else str(match.installed.path))
    groups = srdf.read(groups_of(arm), model)
    return MoveIt(model, groups), model, list(groups.joints("arm", model))


def groups_of(arm: Arm) -> str:
    """An SRDF."""
    chain = f'<chain base_link="{arm.base}" tip_link="{arm.tip}"/>'
    return f'<robot name="{arm.robot}"><group name="arm">{chain}</group></robot>'


def requests(
    arm: Arm, model: limbik.Model, joints: list[str], count: int
) -> tuple[np.ndarray, list[dict[str, Any]]]:
    """Poses [N, 4, 4] of the tip, and a request for each, from the middle of the limits."""
    q = np.tile(model.neutral, (count, 1))
    drawn = model.random(0, size=count)
    middle = {}
    for joint in joints:
        part = model.q_slice(joint)
        q[:, part] = drawn[:, part]
        ends = float(model.lower[part][0]), float(model.upper[part][0])
        middle[joint] = sum(ends) / 2.0 if np.isfinite(ends).all() else 0.0
    state = {"joint_state": {"name": list(middle), "position": list(middle.values())}}
    poses = model.poses(q, [arm.tip])[:, 0]
    header = {"frame_id": model.root}
    calls = [{"header": header, "pose": message(each)} for each in poses]
    return poses, [
        {"ik_request": {"group_name": "arm", "robot_state": state, "pose_stamped": pose}} for pose in calls
    ]


def message(pose: np.ndarray) -> dict[str, Any]:
    return {
        "position": dict(zip("xyz", pose[:3, 3].tolist(), strict=True)),
        "orientation": dict(zip("xyzw", quat_from_matrix(pose[:3, :3]).tolist(), strict=True)),
    }


def is_met(model: limbik.Model, tip: str, answer: dict[str, Any], pose: np.ndarray) -> bool:
    """Whether an answer is a success, and true."""
    if answer["error_code"]["val"] != 1:
        return False
    q, state = model.neutral.copy(), answer["solution"]["joint_state"]
    for name, value in zip(state["name"], state["position"], strict=True):
        q[model.q_slice(name)] = value
    found = model.pose(q, tip)
    turned = np.linalg.norm(rotation_log(pose[:3, :3].T @ found[:3, :3]))
    is_near = np.abs(found[:3, 3] - pose[:3, 3]).max() <= MET and turned <= MET
    assert is_near and model.is_within_limits(q), "an answer is not true"
    return True


def measured(
    ask: Callable[[dict[str, Any]], Any], calls: list[dict[str, Any]]
) -> tuple[list[Any], np.ndarray]:
    """The answers, and how long each took [ms]."""
    answers, times = [], np.empty(len(calls))
    for k, each in enumerate(calls):
        began = time.perf_counter()
        answers.append(ask(each))
        times[k] = 1e3 * (time.perf_counter() - began)
    return answers, times


def row(arm: Arm, count: int) -> list[str]:
    moveit, model, joints = ready(arm)
    poses, calls = requests(arm, model, joints, count)
    limbik.warmup(model)
    measured(moveit.compute_ik, calls[:200])
    answers, times = measured(moveit.compute_ik, calls)
    met = [is_met(model, arm.tip, answer, pose) for answer, pose in zip(answers, poses, strict=True)]
    published = ["-", "-"] if arm.published is None else [f"{each:.2f}" for each in arm.published]
    share = "100" if all(met) else f"{100.0 * min(statistics.mean(met), 0.9999):.2f}"
    return [
        arm.title,
        str(len(joints)),
        share,
        number(float(times.mean())),
        number(float(np.median(times))),
        number(float(np.percentile(times, 99))),
        *published,
    ]


def by_socket(count: int) -> str:
    """The time of a request from a client of a rosbridge server and back [ms], of which limbik is another."""
    import asyncio

    from limbik.service.rosbridge import serve as answer_at

    moveit, model, joints = ready(ARMS[0])
    poses, calls = requests(ARMS[0], model, joints, count)
    limbik.warmup(model)
    sides: list[ServerConnection] = []
    begun, answered = threading.Event(), threading.Event()
    held: list[str] = []

    def talk(client: ServerConnection) -> None:
        sides.append(client)
        for text in client:
            if '"subscribe"' in text:
                begun.set()
            elif '"service_response"' in text:
                held.append(str(text))
                answered.set()

    def ask(request: dict[str, Any]) -> dict[str, Any]:
        answered.clear()
        call = {"op": "call_service", "id": "1", "service": "/compute_ik", "args": request}
        sides[0].send(json.dumps(call))
        assert answered.wait(60.0)
        found: dict[str, Any] = json.loads(held.pop())["values"]
        return found

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with serve(talk, "127.0.0.1", port) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        loop = asyncio.new_event_loop()
        threading.Thread(
            target=lambda: loop.run_until_complete(answer_at(moveit, f"ws://127.0.0.1:{port}")), daemon=True
        ).start()
        assert begun.wait(60.0)
        measured(ask, calls[:200])
        answers, times = measured(ask, calls)
        server.shutdown()
    return table_of_times(model, answers, poses, times)


def by_node(count: int) -> str:
    """The time of a request from a node of ROS 2 to `limbik ros --node` and back [ms]."""
    _, model, joints = ready(ARMS[0])
    poses, calls = requests(ARMS[0], model, joints, count)
    match = registry.find(ARMS[0].robot)
    environment = {
        **os.environ,
        "ROS_DOMAIN_ID": str(os.getpid() % 100),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    }
    with tempfile.NamedTemporaryFile("w", suffix=".srdf") as groups:
        groups.write(groups_of(ARMS[0]))
        groups.flush()
        command = ["-m", "limbik.cli", "ros", str(match.installed.path), "--srdf", groups.name, "--node"]
        with subprocess.Popen([str(ROS), *command], env=environment, stdout=subprocess.DEVNULL) as server:
            client = subprocess.run(
                [str(ROS), str(Path(__file__).with_name("ros_client.py"))],
                input=json.dumps(calls),
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
            server.send_signal(signal.SIGINT)
    answers, times = json.loads(client.stdout)
    return table_of_times(model, answers, poses, np.array(times))


def table_of_times(
    model: limbik.Model, answers: list[dict[str, Any]], poses: np.ndarray, times: np.ndarray
) -> str:
    met = sum(is_met(model, ARMS[0].tip, answer, pose) for answer, pose in zip(answers, poses, strict=True))
    lines = [
        [
            f"{met} of {len(poses)}",
            *(number(float(np.percentile(times, share))) for share in (50, 90, 99)),
            number(float(times.max())),
        ]
    ]
    return report.table(["answered and met", "median ms", "p90", "p99", "longest"], lines)


def main() -> None:
    """Print the tables; with --write store them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="store the tables in docs/moveit.md")
    parser.add_argument("--requests", type=int, default=REQUESTS, help="of each robot")
    options = parser.parse_args()
    if not ROS.exists():
        parser.error("there is no ROS 2 in .venv/ros; `make ros` makes one")
    lines = []
    for arm in ARMS:
        progress(arm.title)
        lines.append(row(arm, options.requests))
    progress("rosbridge, node")
    head = ["chain", "joints", "met %", "mean ms", "median", "p99", "TRAC-IK met %", "mean ms"]
    around = surroundings()
    machine = (
        f"{options.requests:,} requests of each. limbik: Python {sys.version.split()[0]}, "
        f"numpy {version('numpy')}, pydantic {version('pydantic')}, {around['machine']}, {around['date']}. "
        f"TRAC-IK: {TRAC_IK}."
    )
    tables = {
        "arms": f"{report.table(head, lines)}\n\n{machine}",
        "rosbridge": by_socket(min(BY_SOCKET, options.requests)),
        "node": by_node(min(BY_SOCKET, options.requests)),
    }
    report.publish(DOCUMENT, SCRIPT, tables, options.write)


if __name__ == "__main__":
    main()
