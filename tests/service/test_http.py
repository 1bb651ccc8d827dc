"""The service over a real socket: what a program that knows only HTTP and JSON gets."""

from __future__ import annotations

import concurrent.futures
import contextlib
import gzip
import io
import json
import math
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import numpy as np
import pytest

import limbik
from limbik.service.address import address_of, listen
from limbik.service.guard import ServerLimits
from limbik.service.http import browser_link, create_app, make_server
from limbik.service.running import serving
from limbik.service.solving import Service
from limbik.spatial import quat_from_matrix, quat_to_matrix

TOKEN = "a token of this test"
JOINT_GOAL = {"type": "joint", "joint": "elbow_joint", "value": 1}
START = [0.3, -1.2, 1.5, -0.4, 0.9, 0.2]


@contextlib.contextmanager
def answering(token: str | None = TOKEN, **limits: Any) -> Iterator[httpx.Client]:
    host = "127.0.0.1"
    app = create_app(token, host, limits=ServerLimits(**limits))
    with serving(make_server(app), listen(host, 0)) as listener:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=address_of(host, listener), headers=headers, timeout=30.0) as client:
            yield client


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with answering() as client:
        yield client


@pytest.fixture(scope="module")
def robot() -> limbik.Model:
    return limbik.load("ur5e")


def post(client: httpx.Client, route: str, **body: Any) -> dict[str, Any]:
    response = client.post(f"/v1/{route}", json=body)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def forward(client: httpx.Client, q: list[float]) -> dict[str, Any]:
    poses = post(client, "forward", robot="ur5e", q=q)["poses"]
    (pose,) = poses.values()
    found: dict[str, Any] = pose
    return found


def test_a_pose_goes_there_and_back(client: httpx.Client, robot: limbik.Model) -> None:
    pose = forward(client, START)
    np.testing.assert_allclose(pose["position"], robot.pose(np.array(START))[:3, 3], atol=1e-12)
    np.testing.assert_allclose(
        quat_to_matrix(np.array(pose["quaternion"])), robot.pose(np.array(START))[:3, :3], atol=1e-12
    )
    found = post(client, "solve", robot="ur5e", goals=[{"type": "pose", **pose}], start=[0.0] * 6)
    assert found["success"] and found["status"] == "solved" and found["diagnosis"] is None
    assert found["names"] == list(robot.joint_names[-6:]) or len(found["names"]) == 6
    np.testing.assert_allclose(robot.pose(np.array(found["q"])), robot.pose(np.array(START)), atol=2e-6)
    every = post(client, "solve_all", robot="ur5e", pose=pose)
    assert every["complete"] and len(every["solutions"]) == len(robot.solve_all(robot.pose(np.array(START))))
    assert min(np.abs(np.array(each["q"]) - START).max() for each in every["solutions"]) < 1e-6


def test_what_is_out_of_reach_says_why(client: httpx.Client) -> None:
    found = post(client, "solve", robot="ur5e", goals=[{"type": "position", "position": [3, 0, 0]}])
    assert not found["success"] and found["diagnosis"]["status"] == found["status"]
    assert "out of reach" in found["explanation"] or "reach" in found["explanation"]


def test_goals_of_every_kind_are_met(client: httpx.Client, robot: limbik.Model) -> None:
    pose = forward(client, START)
    goals = [
        {"type": "position", "position": pose["position"]},
        {"type": "orientation", "quaternion": pose["quaternion"]},
        {"type": "joint", "joint": robot.joint_names[-1], "value": START[-1]},
    ]
    assert post(client, "solve", robot="ur5e", goals=goals)["success"]
    aimed = [
        {"type": "position", "position": [0.4, 0.2, 0.5]},
        {"type": "look_at", "axis": [0, 0, 1], "point": [1.0, 0.5, 0.2]},
    ]
    found = post(client, "solve", robot="ur5e", goals=aimed, start={robot.joint_names[-6]: 0.2})
    tip = robot.pose(np.array(found["q"]))
    away = np.array([1.0, 0.5, 0.2]) - tip[:3, 3]
    assert found["success"] and tip[:3, 2] @ away / np.linalg.norm(away) > 1.0 - 1e-9
    down = [{"type": "direction", "axis": [0, 0, 1], "direction": [0, 0, -1], "tolerance": 0.1}]
    found = post(client, "solve", robot="ur5e", goals=down)
    assert robot.pose(np.array(found["q"]))[2, 2] < -math.cos(0.1) + 1e-6


def test_many_poses_are_answered_at_once(client: httpx.Client, robot: limbik.Model) -> None:
    rng = np.random.default_rng(0)
    poses = [forward(client, q) for q in rng.uniform(-2.0, 2.0, (20, 6)).tolist()]
    poses.append({"position": [5.0, 0.0, 0.0], "quaternion": [0, 0, 0, 2]})
    found = post(client, "solve_batch", robot="ur5e", poses=poses)
    assert found["success"] == [True] * 20 + [False]
    for q, pose in zip(found["q"][:20], poses, strict=False):
        np.testing.assert_allclose(robot.pose(np.array(q))[:3, 3], pose["position"], atol=2e-6)
    assert found["errors"][-1]["position"] > 3.0


def npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def test_an_array_of_poses_is_answered_with_arrays(client: httpx.Client, robot: limbik.Model) -> None:
    poses = robot.pose(robot.random(0, 500))
    rows = np.concatenate([poses[:, :3, 3], quat_from_matrix(poses[:, :3, :3])], axis=1)
    rows[-1, 0] += 5.0
    for array in (rows, poses, np.asfortranarray(rows), rows.astype(">f8")):
        asked = {"robot": "ur5e", "seed": 3, "start": START}
        response = client.post("/v1/solve_batch/npy", params=asked, content=npy(array), headers=NPY)
        assert response.status_code == 200, response.text
        assert response.headers["content-type"] == "application/x-npz"
        found = np.load(io.BytesIO(response.content))
        assert found["success"][:-1].all() and found["success"][-1] == (array is poses)
        np.testing.assert_allclose(robot.pose(found["q"][:-1]), poses[:-1], atol=2e-6)
        assert (found["error"][:-1] < 1e-6).all() and (found["error_rotation"][:-1] < 1e-6).all()
    alone = robot.solve_batch(poses, start=START, seed=3)
    response = client.post("/v1/solve_batch/npy", params=asked, content=npy(poses), headers=NPY)
    np.testing.assert_array_equal(np.load(io.BytesIO(response.content))["q"], alone.q)


NPY = {"Content-Type": "application/x-npy"}
ROWS = np.tile([0.4, 0.2, 0.3, 0.0, 0.0, 0.0, 1.0], (3, 1))


@pytest.mark.parametrize(
    ("body", "asked", "words"),
    [
        (b"", {}, "the body: Field required"),
        (b"hello", {}, "a .npy file of numbers"),
        (npy(ROWS)[:-1], {}, "needs 168 bytes for (3, 7) numbers, found 167"),
        (npy(ROWS) + b"xx", {}, "needs 168 bytes for (3, 7) numbers, found 170"),
        (npy(ROWS).replace(b"(3, 7), } ", b"(-3, -7), }"), {}, "a .npy file of numbers"),
        (npy(ROWS).replace(b"(3, 7), }   ", b"(True, 7), }"), {}, "a .npy file of numbers"),
        (npy(ROWS).replace(b"(3, 7)", b"(9**9,)"), {}, "a .npy file of numbers"),
        (npy(ROWS).replace(b"(3, 7)", b"(3, 7 "), {}, "a .npy file of numbers"),
        (npy(ROWS).replace(b"'shape'", b"'shape "), {}, "a .npy file of numbers"),
        (npy(ROWS)[:60], {}, "a .npy file of numbers"),
        (npy(ROWS).replace(b"(3, 7), }     ", b"(3, 7000000), }"), {}, "for (3, 7000000) numbers, found"),
        (npy(ROWS[:, :6]), {}, "shape [N, 4, 4], or [N, 7]"),
        (npy(ROWS.astype(object)), {}, "an array of numbers, found object"),
        (npy(ROWS.astype(complex)), {}, "an array of numbers, found complex128"),
        (npy(np.where(ROWS == 1.0, 0.0, ROWS)), {}, "`poses[0]` needs finite numbers, and a quaternion"),
        (npy(np.where(ROWS == 1.0, np.nan, ROWS)), {}, "`poses[0]` needs finite numbers"),
        (npy(np.full((2, 4, 4), np.inf)), {}, "pose"),
        (npy(np.full((2, 7), np.inf)), {}, "`poses[0]` needs finite numbers"),
        (npy(ROWS), {"robot": "ur55"}, "no robot 'ur55'"),
        (npy(ROWS), {"frame": "hand"}, "'hand'"),
        (npy(ROWS), {"start": [0.0, 1.0]}, "needs 6 numbers"),
        (npy(ROWS), {"sede": 1}, "sede: Extra"),
        (npy(ROWS), {"time_limit": 100}, "time_limit"),
    ],
)
def test_an_array_that_is_none_is_refused(
    client: httpx.Client, body: bytes, asked: dict[str, Any], words: str
) -> None:
    response = client.post(
        "/v1/solve_batch/npy", params={"robot": "ur5e", **asked}, content=body, headers=NPY
    )
    assert response.status_code == 422, response.text
    assert words in response.json()["message"] and "Traceback" not in response.text


def test_robots_are_known_by_name(client: httpx.Client, robot: limbik.Model) -> None:
    assert {"ur5e", "panda"} <= set(client.get("/v1/robots").json())
    found = client.get("/v1/robots/ur5e").json()
    assert found["neutral"] == robot.neutral.tolist() and found["end_effector"] == robot.end_effector
    assert found["lower"] == robot.lower.tolist() and set(found["units"]) == {"rad"}


ARM = """<robot name="slider">
  <link name="rail"/><link name="cart"/><link name="arm"/><link name="tip"/>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
  <joint name="turn" type="revolute"><parent link="cart"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" velocity="1" effort="1"/></joint>
  <joint name="end" type="fixed"><parent link="arm"/><child link="tip"/><origin xyz="0.5 0 0"/></joint>
</robot>"""
XACRO = '<robot xmlns:xacro="http://ros.org/wiki/xacro"><xacro:include filename="/etc/passwd"/></robot>'
GROUPS = """<robot name="slider"><group name="cart"><joint name="slide"/></group>
  <group name="all"><chain base_link="rail" tip_link="tip"/></group></robot>"""


def test_a_robot_of_ones_own_is_put_solved_by_groups_and_removed(client: httpx.Client) -> None:
    put = client.put("/v1/robots/slider", json={"description": ARM, "srdf": GROUPS})
    assert put.status_code == 200 and put.json()["groups"] == {"cart": ["slide"], "all": ["slide", "turn"]}
    assert "slider" in client.get("/v1/robots").json()
    assert client.get("/v1/robots/slider").json() == put.json()
    goal = {"type": "position", "position": [0.6, 0.4, 0.0]}
    found = post(client, "solve", robot="slider", goals=[goal], group="all", start={"slide": 0.2})
    assert found["success"] and found["names"] == ["slide", "turn"]
    found = post(client, "solve", robot="slider", goals=[goal], group="cart")
    assert not found["success"] and found["q"][1] == 0.0  # the cart's own origin cannot leave its rail
    tip = {"type": "position", "position": [0.6, 0.4, 0.0], "frame": "tip"}
    beyond = {"robot": "slider", "goals": [tip], "start": {"turn": 9.0}}
    limit = limbik.load(ARM).upper[1]
    assert post(client, "solve", **beyond, group="cart")["q"][1] == limit  # it is not of the group
    answer = client.post("/v1/solve", json=beyond | {"locked": ["turn"]})
    assert answer.status_code == 422 and "the locked joint 'turn' at 9, beyond its limits" in answer.text
    answer = client.post("/v1/solve", json={"robot": "slider", "goals": [goal], "group": "arms"})
    assert answer.status_code == 422 and "no group 'arms'" in answer.json()["message"]
    assert client.delete("/v1/robots/slider").status_code == 204
    assert client.get("/v1/robots/slider").status_code == 404
    assert client.delete("/v1/robots/slider").status_code == 404


@pytest.mark.parametrize(
    ("name", "body", "words"),
    [
        ("ur5e", {"description": ARM}, "limbik's own"),
        ("planar-3", {"description": ARM}, "limbik's own"),
        ("-rf", {"description": ARM}, "name: String should match"),
        ("x", {"description": "hello"}, "expected a URDF"),
        ("x", {"description": "<robot name='x'>"}, "description:1"),
        ("x", {"description": ARM.replace('"0 0 1"', '"0 0 up"')}, "'turn'"),
        ("x", {"description": ARM, "srdf": GROUPS.replace('"slide"', '"no"')}, "'no'"),
        ("x", {"description": ARM, "end_effector": "hand"}, "'hand'"),
        ("x", {"description": XACRO}, "xacro"),
        ("x", {"descripton": ARM}, "description: Field required"),
    ],
)
def test_a_robot_that_is_none_is_refused(client: httpx.Client, name: str, body: Any, words: str) -> None:
    response = client.put(f"/v1/robots/{name}", json=body)
    assert response.status_code == 422 and words in response.json()["message"], response.text
    assert "Traceback" not in response.text and "x" not in client.get("/v1/robots").json()


def test_fields_in_an_address_that_takes_none_are_refused(client: httpx.Client) -> None:
    goal = {"type": "position", "position": [0.4, 0.2, 0.3]}
    answer = client.post("/v1/solve?seed=5", json={"robot": "ur5e", "goals": [goal]})
    assert answer.status_code == 422
    assert answer.json()["message"] == "/v1/solve takes no 'seed' in its address: fields are in the body"
    answer = client.get("/v1/robots/ur5e?end_effector=x")
    assert answer.status_code == 422 and "takes no 'end_effector'" in answer.json()["message"]
    assert client.get("/metrics?x=1").status_code == 200


def test_a_clearance_without_a_world_is_refused(client: httpx.Client) -> None:
    goal = {"type": "position", "position": [0.4, 0.2, 0.3]}
    body = {"robot": "ur5e", "goals": [goal], "clearance": 0.1}
    answer = client.post("/v1/solve", json=body)
    assert answer.status_code == 422 and "clearance" in answer.json()["message"]
    assert client.post("/v1/solve", json=body | {"world": "empty"}).status_code == 200


def test_a_world_is_kept_clear_of(client: httpx.Client, robot: limbik.Model) -> None:
    where = robot.pose(np.array(START))[:3, 3].tolist()
    ball = {"objects": {"ball": {"sphere": 0.05, "position": where}}}
    assert client.put("/v1/worlds/kitchen", json=ball).json() == {"name": "kitchen", "objects": ["ball"]}
    assert client.get("/v1/worlds").json() == ["empty", "kitchen"]
    pose = forward(client, START)
    for route, body in [("solve", {"goals": [{"type": "pose", **pose}]}), ("solve_all", {"pose": pose})]:
        free = post(client, route, robot="ur5e", world="empty", **body)
        hit = post(client, route, robot="ur5e", world="kitchen", **body)
        assert free.get("success", True) and not hit.get("success", False)
        assert not hit.get("solutions")
    found = post(client, "check", robot="ur5e", world="kitchen", q=[START, [0.0] * 6])
    judge = robot.check(np.array(START), limbik.collision.load_world(json.dumps(ball) + "\n"))
    assert found["free"][0] is False and "ball" in found["pairs"][0]
    assert found["distance"][0] == pytest.approx(judge.distance, abs=1e-12)
    scene = {
        "world": {"collision_objects": [{"id": "box", "primitives": [{"type": 1, "dimensions": [1, 1, 1]}]}]}
    }
    assert client.put("/v1/worlds/kitchen", json=scene).json()["objects"] == ["box"]
    assert client.delete("/v1/worlds/kitchen").status_code == 204
    assert client.get("/v1/worlds/kitchen").status_code == 404
    for document, words in [
        ({"objects": {"m": {"mesh": {"path": "/etc/passwd"}}}}, "no file is read here"),
        ({"objects": {"m": {"ball": 1}}}, "'ball'"),
        ({}, "needs `objects`"),
    ]:
        response = client.put("/v1/worlds/x", json=document)
        assert response.status_code == 422 and words in response.json()["message"]
    assert client.put("/v1/worlds/empty", json=ball).status_code == 422
    refused = client.delete("/v1/worlds/empty")
    assert refused.status_code == 404 and "the world without objects, which stays" in refused.text
    response = client.post("/v1/solve", json={"robot": "ur5e", "goals": [POINT], "world": "cellar"})
    assert response.status_code == 422 and "no world 'cellar'" in response.json()["message"]


def test_a_path_is_followed_or_says_where_it_breaks(client: httpx.Client, robot: limbik.Model) -> None:
    there = [0.1, *START[1:]]
    poses = [forward(client, START), forward(client, there)]
    found = post(client, "path", robot="ur5e", poses=poses, start=START, time_limit=10.0)
    assert found["complete"] and found["breaks"] == [] and found["position"][-1] == 1.0
    np.testing.assert_allclose(found["q"][0], START, atol=1e-6)
    away = {"position": [4.0, 0.0, 0.0], "quaternion": [0, 0, 0, 1]}
    found = post(client, "path", robot="ur5e", poses=[*poses, away], start=START, time_limit=10.0)
    assert not found["complete"] and found["breaks"][0]["reason"] == "no solution"
    response = client.post("/v1/path", json={"robot": "ur5e", "poses": poses, "limits": False})
    assert response.status_code == 422 and "limits" in response.json()["message"]


POINT = {"type": "position", "position": [0.5, 0.1, 0.4]}
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("solve", {"robot": "ur55"}, "no robot 'ur55'"),
    ("solve", {"robot": "/etc/passwd"}, "no robot"),
    ("solve", {"goals": []}, "goals: List should have at least 1 item"),
    ("solve", {"goals": [{"type": "pose", "position": [1, 0, 0], "quaternion": [0] * 4}]}, "a length above"),
    ("solve", {"goals": [{"type": "position", "position": [1, 0]}]}, "goals.0.position.position"),
    ("solve", {"goals": [{**POINT, "frame": "tip"}]}, "'tip'"),
    ("solve", {"goals": [{"type": "spin"}]}, "goals.0"),
    ("solve", {"sede": 1}, "sede: Extra"),
    ("solve", {"time_limit": 1e9}, "time_limit"),
    ("solve", {"start": [0.0]}, "needs 6 numbers"),
    ("solve", {"start": {"elbow": 1}}, "no 'elbow'"),
    ("solve", {"locked": ["elbow"]}, "elbow"),
    ("solve", {"solver": "magic"}, "magic"),
    ("forward", {"robot": "planar-999999999", "q": []}, "planar-N needs 1 to 500 links here"),
    ("forward", {"robot": "planar-501", "q": []}, "planar-N needs 1 to 500 links here"),
    ("forward", {"robot": "planar-007", "q": []}, "planar-N needs 1 to 500 links here"),
    ("forward", {"robot": "planar-0", "q": []}, "planar-N needs 1 to 500 links here"),
    ("forward", {"robot": "planar-arm", "q": []}, "planar-N needs 1 to 500 links here"),
]


@pytest.mark.parametrize(("route", "body", "words"), REFUSED)
def test_what_has_no_meaning_is_refused_in_words(
    client: httpx.Client, route: str, body: Any, words: str
) -> None:
    given = body if route == "forward" else {"robot": "ur5e", "goals": [POINT], **body}
    response = client.post(f"/v1/{route}", json=given)
    assert response.status_code == 422, response.text
    found = response.json()
    assert set(found) == {"error", "message"} and words in found["message"]
    assert "Traceback" not in response.text and "/work" not in response.text


def test_json_under_another_type_is_told_its_header(client: httpx.Client) -> None:
    """What `curl -d` sends unless it is told."""
    for kind in ("application/x-www-form-urlencoded", "text/plain"):
        response = client.post("/v1/forward", content='{"robot": "ur5e"}', headers={"Content-Type": kind})
        assert response.status_code == 422
        assert f"Content-Type: application/json, found {kind}" in response.json()["message"]
    long = client.post("/v1/forward", content="{}", headers={"Content-Type": "a" * 5000})
    assert len(long.json()["message"]) < 200


def test_a_compressed_body_is_refused(client: httpx.Client) -> None:
    body = gzip.compress(b'{"robot": "ur5e"}')
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    response = client.post("/v1/forward", content=body, headers=headers)
    assert response.status_code == 415 and "without Content-Encoding: gzip" in response.json()["message"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"robot": "ur5e", "q": [0, 0], "q": [1, 1]}', "the name 'q' twice"),
        ("[" * 100_000, "lists or objects too deep inside each other"),
        ('{"robot": "ur5e", "q": [' + 10_000 * "1" + "]}", "is not JSON: Exceeds the limit"),
        ('{"robot": "ur5e" "q": [0, 0]}', "is not JSON: Expecting ',' delimiter, at character 17"),
    ],
)
def test_faulty_json_says_what_is_wrong(client: httpx.Client, text: str, words: str) -> None:
    response = client.post("/v1/forward", content=text, headers={"Content-Type": "application/json"})
    assert response.status_code == 422
    assert words in response.json()["message"]


@pytest.mark.parametrize(
    ("route", "given", "words"),
    [
        ("solve", {"goals": [JOINT_GOAL], "limits": "no"}, "limits: Input should be a valid boolean"),
        ("forward", {"q": ["0", "0"]}, "q.0: Input should be a valid number"),
        ("forward", {"q": {"shoulder_pan_joint": True}}, "q.shoulder_pan_joint: Input should be"),
        ("check", {"q": [[0, 0]], "clearance": "0.1"}, "clearance: Input should be a valid number"),
    ],
)
def test_a_text_is_no_number_and_no_truth_value(
    client: httpx.Client, route: str, given: dict[str, Any], words: str
) -> None:
    response = client.post(f"/v1/{route}", json={"robot": "ur5e", **given})
    assert response.status_code == 422
    assert words in response.json()["message"]


def test_whole_numbers_and_fractions_of_json_are_one(client: httpx.Client) -> None:
    response = client.post("/v1/forward", json={"robot": "ur5e", "q": [0, 0, 0, 0, 0, 0.0]})
    assert response.status_code == 200, response.text


def test_a_repeated_name_in_the_address_is_refused(client: httpx.Client) -> None:
    poses = np.eye(4)[None]
    stream = io.BytesIO()
    np.save(stream, poses)
    numbers = [("robot", "ur5e"), *(("start", "0") for _ in range(6))]
    for query, code in ((numbers, 200), ([*numbers, ("robot", "panda")], 422)):
        response = client.post("/v1/solve_batch/npy", params=query, content=stream.getvalue())
        assert response.status_code == code, response.text
    assert "the address has 'robot' twice" in response.json()["message"]


def test_an_object_of_a_repeated_name_is_refused(client: httpx.Client) -> None:
    text = '{"objects": {"a": {"sphere": 0.1}, "a": {"box": [1, 1, 1]}}}'
    response = client.put("/v1/worlds/two", content=text, headers={"Content-Type": "application/json"})
    assert response.status_code == 422
    assert "the name 'a' twice" in response.json()["message"]


def test_so_many_groups_that_no_robot_has_them_are_refused(client: httpx.Client) -> None:
    """Each within the one before, 5,000 held the server for half a minute."""
    inside = "".join(f'<group name="g{k}"><group name="g{k + 1}"/></group>' for k in range(5000))
    srdf = f'<robot name="two">{inside}<group name="g5000"><joint name="j"/></group></robot>'
    urdf = (
        '<robot name="two"><link name="a"/><link name="b"/><joint name="j" type="continuous">'
        '<parent link="a"/><child link="b"/></joint></robot>'
    )
    response = client.put("/v1/robots/two", json={"description": urdf, "srdf": srdf})
    assert response.status_code == 422
    assert "5,001 groups, more than 500" in response.json()["message"]


def test_all_solutions_take_a_time_limit(client: httpx.Client) -> None:
    pose = {"position": [0.5, 0.3, 0.0], "quaternion": [0, 0, 0, 1]}
    body = {"robot": "planar-12", "pose": pose, "time_limit": 10.0}
    response = client.post("/v1/solve_all", json=body, timeout=60.0)
    assert response.status_code == 200, response.text
    assert response.json()["solutions"]
    refused = client.post("/v1/solve_all", json={**body, "time_limit": 11.0})
    assert refused.status_code == 422 and "time_limit" in refused.json()["message"]


@pytest.mark.parametrize(
    "text", ["{", "NaN", '{"robot": "ur5e", "q": [NaN, 0, 0, 0, 0, 0]}', "[" * 5000, "1e999", ""]
)
def test_what_is_no_json_is_refused(client: httpx.Client, text: str) -> None:
    response = client.post("/v1/forward", content=text, headers={"Content-Type": "application/json"})
    assert response.status_code in (400, 422) and response.json()["message"]


def test_only_who_has_the_token_is_answered() -> None:
    with answering() as client:
        assert client.get("/v1/robots").status_code == 200
        for header in ("", "Bearer", "Bearer wrong", f"Basic {TOKEN}", TOKEN):
            response = client.get("/v1/robots", headers={"Authorization": header})
            assert response.status_code == 401 and response.json()["error"] == "TokenError"
        assert client.get("/healthz", headers={"Authorization": ""}).json()["status"] == "ok"
        assert client.get("/metrics", headers={"Authorization": ""}).status_code == 401
        foreign = client.get("/healthz", headers={"Host": "evil.example"})
        assert foreign.status_code == 421 and "localhost" in foreign.json()["message"]
    with answering(token=None) as client:
        assert client.get("/v1/robots").status_code == 200


def test_whether_it_runs_is_told_while_every_thread_is_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_end = threading.Semaphore(0), threading.Event()

    def robots(self: Service) -> list[str]:
        begun.release()
        may_end.wait(60.0)
        return []

    monkeypatch.setattr(Service, "robots", robots)
    with answering() as client, concurrent.futures.ThreadPoolExecutor(60) as pool:
        try:
            pending = [pool.submit(client.get, "/v1/robots", timeout=60.0) for _ in range(60)]
            for _ in range(40):  # so many threads there are
                assert begun.acquire(timeout=60.0)
            assert client.get("/healthz").json()["status"] == "ok"
            assert client.get("/metrics").status_code == 200
        finally:
            may_end.set()
        assert all(response.result().status_code == 200 for response in pending)


def test_a_link_gives_one_browser_the_token_once() -> None:
    host = "127.0.0.1"
    app = create_app(TOKEN, host)
    with serving(make_server(app), listen(host, 0)) as listener:
        address = address_of(host, listener)
        link = browser_link(app, address)
        with httpx.Client(base_url=address) as browser:
            assert browser.get("/enter").status_code == 401
            assert browser.get("/enter?key=guessed").status_code == 401
            entered = browser.get(link)
            assert entered.status_code == 303 and entered.headers["location"] == "/openapi.json"
            said = entered.headers["set-cookie"].lower()
            assert "httponly" in said and "samesite=strict" in said and browser.cookies
            assert "ur5e" in browser.get("/v1/robots").json()
            body = {"robot": "ur5e", "q": START}
            assert browser.post("/v1/forward", json=body, headers={"Origin": address}).status_code == 200
            for origin in ("https://evil.example", "http://localhost:1", "null"):
                answer = browser.post("/v1/forward", json=body, headers={"Origin": origin})
                assert answer.status_code == 401
        with httpx.Client(base_url=address) as second:
            answer = second.get(link)
            assert answer.status_code == 401 and "used already" in answer.json()["message"]
            assert second.get("/v1/robots").status_code == 401
            assert second.get("/v1/robots", headers={"Cookie": "limbik_token=wrong"}).status_code == 401


def test_large_bodies_are_refused_however_they_come() -> None:
    with answering(json_bytes=1000) as client:
        response = client.post("/v1/forward", content=b" " * 2000)
        assert response.status_code == 413 and "at most 1,000 bytes" in response.json()["message"]
        response = client.post("/v1/forward", content=iter([b" " * 600] * 5))
        assert response.status_code == 413
        assert client.get("/healthz").status_code == 200


def test_a_body_that_stops_or_that_others_leave_no_room_for_is_refused() -> None:
    header = (
        f"POST /v1/forward HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
        "Content-Type: application/json\r\nContent-Length: 900\r\n\r\n"
    ).encode()
    with answering(pause_seconds=1.0, waiting_bytes=1000) as client:
        with socket.create_connection((client.base_url.host, client.base_url.port)) as slow:
            slow.sendall(header + b" " * 600)
            time.sleep(0.1)
            response = client.post("/v1/forward", content=b" " * 600)
            assert response.status_code == 429 and "1,000 bytes of requests" in response.json()["message"]
            assert client.get("/v1/robots").status_code == 200  # it holds up none that is small
            answer = b""
            while b"}" not in answer and (part := slow.recv(4000)):
                answer += part
        assert b" 408 " in answer and b"the body stopped after 600 bytes" in answer
        assert post(client, "forward", robot="ur5e", q=START)


def test_under_load_every_request_gets_an_answer_or_429() -> None:
    body = {"robot": "panda", "goals": [{"type": "position", "position": [2.0, 0, 0]}], "time_limit": 0.2}
    with answering(in_flight=2) as client:
        client.post("/v1/solve", json=body)
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            found = list(pool.map(lambda _: client.post("/v1/solve", json=body), range(64)))
        codes = {response.status_code for response in found}
        assert codes <= {200, 429} and 200 in codes
        for response in found:
            if response.status_code == 429:
                assert response.headers["Retry-After"] == "1" and response.json()["error"] == "Busy"
        metrics = client.get("/metrics").text
        assert 'limbik_requests_total{route="/v1/solve",status="200"}' in metrics


def test_a_client_that_leaves_changes_nothing(client: httpx.Client) -> None:
    with socket.create_connection((client.base_url.host, client.base_url.port)) as left:
        left.sendall(
            f"POST /v1/solve HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
            "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{".encode()
        )
    assert client.get("/v1/robots").status_code == 200


def test_what_was_begun_is_answered_when_the_server_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Semaphore(0), threading.Event()

    class Waiting(Service):
        def robots(self) -> list[str]:
            begun.release()
            assert go_on.wait(30.0)
            return super().robots()

    monkeypatch.setattr("limbik.service.http.Service", Waiting)
    answers: list[httpx.Response] = []
    host = "127.0.0.1"
    server = make_server(create_app(None, host))
    with serving(server, listen(host, 0)) as listener:
        address = f"{address_of(host, listener)}/v1/robots"
        threads = [
            threading.Thread(target=lambda: answers.append(httpx.get(address, timeout=60.0)))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        assert all(begun.acquire(timeout=30.0) for _ in threads)
        server.should_exit = True
        threading.Timer(0.2, go_on.set).start()
    for thread in threads:
        thread.join()
    assert [answer.status_code for answer in answers] == [200] * 4


def test_what_is_not_done_when_the_server_has_to_stop_is_told_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def robots(self: Service) -> list[str]:
        begun.set()
        may_end.wait(30.0)
        return []

    monkeypatch.setattr(Service, "robots", robots)
    limits = ServerLimits(graceful_seconds=1)
    host = "127.0.0.1"
    server = make_server(create_app(None, host, limits=limits), limits=limits)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        try:
            with serving(server, listen(host, 0)) as listener:
                address = f"{address_of(host, listener)}/v1/robots"
                answer = pool.submit(httpx.get, address, timeout=60.0)
                assert begun.wait(30.0)
                server.should_exit = True
                assert answer.result().status_code == 503
                assert answer.result().json()["message"] == "the server stops"
        finally:
            may_end.set()
    assert not any(record.exc_info for record in caplog.records)


def test_the_schema_says_what_every_route_takes(client: httpx.Client) -> None:
    schema = client.get("/openapi.json").json()
    assert set(schema["paths"]) == {
        "/v1/robots", "/v1/robots/{name}", "/v1/worlds", "/v1/worlds/{name}", "/v1/solve", "/v1/solve_all",
        "/v1/solve_batch", "/v1/solve_batch/npy", "/v1/path", "/v1/check", "/v1/forward"
    }  # fmt: skip


# --- addresses ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "status", "said"),
    [
        ("GET", "/v1/nothing", 404, "there is nothing at '/v1/nothing'; /openapi.json has the addresses"),
        ("PUT", "/v1/robots/", 404, "there is nothing at '/v1/robots/'; /openapi.json has the addresses"),
        ("POST", "/v1/solve/", 404, "there is nothing at '/v1/solve/'; /openapi.json has the addresses"),
        ("GET", "/v1/solve", 405, "'/v1/solve' takes POST, not GET"),
        ("POST", "/v1/worlds/x", 405, "'/v1/worlds/x' takes DELETE, GET, PUT, not POST"),
        ("DELETE", "/v1/robots", 405, "'/v1/robots' takes GET, not DELETE"),
    ],
)
def test_a_wrong_address_is_said(
    client: httpx.Client, method: str, path: str, status: int, said: str
) -> None:
    response = client.request(method, path)
    assert (response.status_code, response.json()["message"]) == (status, said)


def test_an_array_that_is_sent_as_json_is_said(client: httpx.Client) -> None:
    file = io.BytesIO()
    np.save(file, np.eye(4)[None])
    headers = {"content-type": "Application/JSON"}
    for content in (file.getvalue(), b"[[1.0]]"):
        route = "/v1/solve_batch/npy?robot=ur5e"
        response = client.post(route, content=content, headers=headers)
        assert response.status_code == 422
        needed = "the body needs the header Content-Type: application/x-npy, found 'application/json'"
        assert response.json()["message"] == needed
