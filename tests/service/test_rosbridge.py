"""`limbik ros` behind a rosbridge server, called as ROS programs call it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from websockets.exceptions import InvalidURI

import limbik
from limbik.commands import ros as command
from limbik.formats import registry
from limbik.service import rosbridge
from limbik.service.moveit.answers import MoveIt
from service.bridge import Bridge, bridging

roslibpy = pytest.importorskip("roslibpy")
LIMBIK = [sys.executable, "-m", "limbik.cli"]
SERVICES = {
    "/compute_ik": "moveit_msgs/GetPositionIK",
    "/compute_fk": "moveit_msgs/GetPositionFK",
    "/check_state_validity": "moveit_msgs/GetStateValidity",
    "/apply_planning_scene": "moveit_msgs/ApplyPlanningScene",
}
DESCRIPTION = registry.find("panda").robot.installed
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(DESCRIPTION is None, reason="example-robot-data is not installed"),
]


@contextlib.contextmanager
def answering(bridge: Bridge, *words: str) -> Iterator[subprocess.Popen[str]]:
    command = [*LIMBIK, "ros", "panda", "--rosbridge", bridge.address, *words]
    # Where the tests run in the background Ctrl-C is ignored, and what they start inherits that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    signal.signal(signal.SIGINT, before)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 0


@pytest.fixture(scope="module")
def bridge() -> Iterator[Bridge]:
    with bridging() as bridge, answering(bridge):
        bridge.wait_advertised(*SERVICES)
        yield bridge


@pytest.fixture(scope="module")
def ros(bridge: Bridge) -> Iterator[Any]:
    host, port = bridge.address.removeprefix("ws://").split(":")
    client = roslibpy.Ros(host, int(port))
    client.run(timeout=30)
    yield client
    client.close()


def call(ros: Any, service: str, request: dict[str, Any]) -> dict[str, Any]:
    kind = SERVICES[service.removeprefix("/left")]
    found: dict[str, Any] = roslibpy.Service(ros, service, kind).call(
        roslibpy.ServiceRequest(request), timeout=30
    )
    return found


def test_services_are_advertised_with_the_types_of_moveit(bridge: Bridge) -> None:
    assert {name: kind for name, (_, kind) in bridge.advertised.items()} == SERVICES


def test_a_program_of_ros_gets_forward_and_inverse_kinematics(ros: Any) -> None:
    model = limbik.load(str(DESCRIPTION.path))
    names = [joint.name for joint in model.joints if joint.nq == 1]
    for seed in range(20):
        q = model.random(seed)
        state = {"joint_state": {"name": names, "position": q.tolist()}}
        forward = call(ros, "/compute_fk", {"fk_link_names": ["panda_link8"], "robot_state": state})
        (pose,) = forward["pose_stamped"]
        request = {"group_name": "arm", "ik_link_name": "panda_link8", "pose_stamped": pose}
        found = call(ros, "/compute_ik", {"ik_request": request})
        assert found["error_code"]["val"] == 1
        joints = found["solution"]["joint_state"]
        again = np.zeros(model.nq)
        for name, value in zip(joints["name"], joints["position"], strict=True):
            again[model.q_slice(name)] = value
        np.testing.assert_allclose(model.pose(again, "panda_link8"), model.pose(q, "panda_link8"), atol=3e-6)
    (far,) = forward["pose_stamped"]
    far["pose"]["position"]["x"] = 4.0
    found = call(ros, "/compute_ik", {"ik_request": {**request, "pose_stamped": far}})
    assert found["error_code"]["val"] == -31 and "Out of reach" in found["error_code"]["message"]


def test_no_request_of_many_is_lost(bridge: Bridge, ros: Any) -> None:
    service = roslibpy.Service(ros, "/compute_fk", "moveit_msgs/GetPositionFK")
    count, done, codes = 200, threading.Event(), []

    def note(answer: Any) -> None:
        codes.append(answer["error_code"]["val"])
        if len(codes) == count:
            done.set()

    for _ in range(count):
        service.call(
            roslibpy.ServiceRequest({"fk_link_names": ["panda_hand"]}), callback=note, errback=codes.append
        )
    assert done.wait(60.0)
    assert codes == [1] * count


def test_what_has_no_code_is_refused_in_words(ros: Any) -> None:
    scene = {"is_diff": True, "world": {"collision_objects": [{"id": "post", "operation": 1}]}}
    with pytest.raises(Exception, match="no object 'post'"):
        call(ros, "/apply_planning_scene", {"scene": scene})
    with pytest.raises(Exception, match="no joint 'elbow'"):
        call(
            ros,
            "/check_state_validity",
            {"robot_state": {"joint_state": {"name": ["elbow"], "position": [0]}}},
        )


def test_a_lost_bridge_is_found_again(bridge: Bridge, ros: Any) -> None:
    client, _ = bridge.advertised["/compute_ik"]
    bridge.advertised.clear()
    client.close()
    bridge.wait_advertised(*SERVICES)
    assert call(ros, "/compute_fk", {"fk_link_names": ["panda_hand"]})["error_code"]["val"] == 1


def test_a_bridge_that_sends_elsewhere_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a proxy does with a redirect to its login page."""
    answers = [
        None,
        InvalidURI("ftp://x/", "scheme isn't ws or wss"),
        ValueError("port 99999"),
        asyncio.CancelledError(),
    ]

    @contextlib.asynccontextmanager
    async def connect(address: str, max_size: int) -> AsyncIterator[None]:
        if (answer := answers.pop(0)) is not None:
            raise answer
        yield

    async def answer_all(*arguments: Any) -> None:
        return None

    monkeypatch.setattr(rosbridge, "connect", connect)
    monkeypatch.setattr(rosbridge, "_answer_all", answer_all)
    monkeypatch.setattr(rosbridge, "RETRY_TIME", 0.0)
    said: list[str] = []
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(rosbridge.serve(MoveIt(limbik.load("panda")), "ws://localhost:1", say=said.append))
    assert sum("gone; trying again" in each for each in said) == 3


def test_a_namespace_goes_before_services_and_joint_states(bridge: Bridge, ros: Any) -> None:
    model = limbik.load(str(DESCRIPTION.path))
    q = model.random(7)
    names = [joint.name for joint in model.joints if joint.nq == 1]
    with answering(bridge, "--namespace", "/left", "--without-words"):
        bridge.wait_advertised(*(f"/left{name}" for name in SERVICES))
        bridge.wait_subscribed("/left/joint_states")
        topic = roslibpy.Topic(ros, "/left/joint_states", "sensor_msgs/JointState")
        topic.publish(roslibpy.Message({"name": names, "position": q.tolist()}))
        (pose,) = call(ros, "/left/compute_fk", {"fk_link_names": ["panda_link8"]})["pose_stamped"]
        request = {"group_name": "arm", "ik_link_name": "panda_link8", "pose_stamped": pose}
        found = call(ros, "/left/compute_ik", {"ik_request": request})
    assert found["error_code"] == {"val": 1}
    np.testing.assert_allclose(found["solution"]["joint_state"]["position"], q, atol=1e-6)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("panda", "--rosbridge", "ws://127.0.0.1:1"), "no rosbridge answers at ws://127.0.0.1:1"),
        (("panda", "--rosbridge", "localhost"), "like ws://localhost:9090"),
        (("panda", "--rosbridge", "ws://127.0.0.1:99999"), "is no address of a rosbridge"),
        (("pandda",), "did you mean 'panda'"),
        (("panda", "--srdf", "none.srdf"), "none.srdf"),
        (("panda", "--world", "none.json"), "none.json"),
        (("panda", "--namespace", "left"), "begins with a slash"),
    ],
)
def test_what_cannot_be_is_said(words: tuple[str, ...], said: str) -> None:
    found = subprocess.run([*LIMBIK, "ros", *words], capture_output=True, text=True, timeout=120)
    assert found.returncode == 2 and said in found.stderr and "Traceback" not in found.stderr


def test_ctrl_c_closes_the_connection_in_good_order() -> None:
    with bridging() as bridge:
        with answering(bridge):
            bridge.wait_advertised("/compute_ik")
        assert bridge.wait_closed() == 1000


@pytest.mark.parametrize("srdf", [None, "empty.srdf"])
def test_it_is_said_why_there_are_no_groups(
    srdf: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def served(*_: object, **__: object) -> None:
        pass

    monkeypatch.setattr("limbik.service.rosbridge.serve", served)
    (tmp_path / "empty.srdf").write_text('<robot name="planar-2"/>')
    command.ros("planar-2", srdf=srdf and str(tmp_path / srdf))
    why = "its SRDF names none" if srdf else "no SRDF was passed"
    assert f"groups none: {why}, so leave `group_name` empty" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("service", "arguments", "said"),
    [
        (
            "check_state_validity",
            "garbage",
            "`args` needs the fields of the request by name, found 'garbage'",
        ),
        ("check_state_validity", [1], "`args` needs the fields of the request by name, found [1]"),
        ("check_state_validity", 0, "`args` needs the fields of the request by name, found 0"),
        ("check_state_validity", {"robot_stat": {}}, "no field 'robot_stat'; did you mean 'robot_state'"),
        ("apply_planning_scene", {"zzz": 1}, "there is no field 'zzz'; known: scene"),
        (
            "apply_planning_scene",
            {"scene": {"world": {"collision_objects": [{"id": "box", "primitves": []}]}}},
            "scene.world.collision_objects.0: there is no field 'primitves'; did you mean 'primitives'",
        ),
        (
            "apply_planning_scene",
            {"scene": {"world": {"octomap": {"octmap": {"data": [1]}}}}},
            "scene.world.octomap: there is no field 'octmap'; did you mean 'octomap'",
        ),
        (
            "apply_planning_scene",
            {"scene": {"world": {"octomap": {"octomap": {"dta": [1]}}}}},
            "scene.world.octomap.octomap: there is no field 'dta'; did you mean 'data'",
        ),
        (
            "apply_planning_scene",
            {"scene": {"world": {"collision_objects": [{"pose": {"position": {}, "translation": {}}}]}}},
            "position and translation are one field: give one of them",
        ),
        (
            "check_state_validity",
            {
                "constraints": {
                    "position_constraints": [{"constraint_region": {"primitives": [{"dimension": [1]}]}}]
                }
            },
            "primitives.0: there is no field 'dimension'; did you mean 'dimensions'",
        ),
        (
            "check_state_validity",
            {"robot_state": {"joint_state": {"name": ["joint1", "joint1"], "position": [0.1, 0.9]}}},
            "`joint_state` has 'joint1' twice",
        ),
        (
            "check_state_validity",
            {"robot_state": {"joint_state": {"name": ["joint1"], "position": ["1"]}}},
            "position.0",
        ),
        (
            "check_state_validity",
            {"robot_state": {"joint_state": {"name": ["joint1"], "position": [True]}}},
            "position.0",
        ),
        (
            "check_state_validity",
            {"robot_state": {"multi_dof_joint_state": {"transforms": [{"translation": {"x": 1e300}}]}}},
            "less than or equal to 1000000000",
        ),
        (
            "check_state_validity",
            {"robot_state": {"joint_state": {"name": ["joint1"], "position": [1e308]}}},
            "less than or equal to 1000000000",
        ),
    ],
)
def test_a_request_that_is_none_is_refused(service: str, arguments: Any, said: str) -> None:
    moveit = MoveIt(limbik.load("panda"))
    call = {"service": f"/{service}", "args": arguments}
    response = json.loads(rosbridge.answer(moveit, call, "", lambda _: None))
    assert response["result"] is False and said in response["values"]


@pytest.mark.parametrize("arguments", [{}, {"args": None}, {"args": []}, {"args": {}}])
def test_a_request_without_fields_has_their_defaults(arguments: Any) -> None:
    call = {"service": "/check_state_validity", **arguments}
    response = json.loads(rosbridge.answer(MoveIt(limbik.load("panda")), call, "", lambda _: None))
    assert response["result"] is True and response["values"]["valid"] is True


def test_messages_that_are_nested_without_end_are_no_end() -> None:
    assert rosbridge._parsed("[" * 100_000) == {}
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    for given in (nested, math.nan):
        call = {"service": "/any", "id": given}
        answer = rosbridge.answer(None, call, "", lambda said: None)  # type: ignore[arg-type]
        assert json.loads(answer)["result"] is False and "id" not in json.loads(answer)
    said: list[str] = []
    call = {"service": "/check_state_validity", "args": {"robot_state": nested}, "id": "1"}
    answer = rosbridge.answer(MoveIt(limbik.load("panda")), call, "", said.append)
    assert json.loads(answer)["id"] == "1" and "robot_state" in json.loads(answer)["values"]


def test_a_missing_extra_names_itself(tmp_path: Any) -> None:
    (tmp_path / "websockets.py").write_text("raise ModuleNotFoundError(name='websockets')\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    found = subprocess.run(
        [*LIMBIK, "ros", "panda"], env=environment, capture_output=True, text=True, timeout=120
    )
    assert found.returncode == 2 and "pip install limbik[ros]" in found.stderr
