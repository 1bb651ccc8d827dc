"""MoveIt's requests: what a program gets that knows only moveit_msgs. Pinocchio judges the answers.

The promises are those of MoveIt's own test of kinematics plugins (random poses, a walk, poses with a seed,
answers that a callback refuses, constraints), with a tolerance of 1e-6.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

import limbik
from limbik.collision import Box, World
from limbik.errors import LimbikError
from limbik.formats import registry, srdf
from limbik.service.moveit import constraints
from limbik.service.moveit.answers import MoveIt
from limbik.spatial import pose_from

DATA = registry.find("panda").robot.descriptions[0].package.locate("panda_description/urdf/panda.urdf")
pytestmark = pytest.mark.skipif(DATA is None, reason="example-robot-data is not installed")

UR5 = """<robot name="ur5">
  <virtual_joint name="world_joint" type="floating" parent_frame="odom" child_link="base_link"/>
  <group name="manipulator"><chain base_link="base_link" tip_link="tool0"/></group>
</robot>"""
ROBOTS = {
    "panda": ("panda_description/urdf/panda.urdf", "panda_description/srdf/panda.srdf"),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", UR5),
    "pr2": ("pr2_description/urdf/pr2.urdf", "pr2_description/srdf/pr2.srdf"),
}
GROUPS = [
    ("panda", "arm", "panda_hand_tcp"),
    ("ur5", "manipulator", ""),
    ("pr2", "left_arm", ""),
    ("pr2", "right_arm_and_torso", ""),
]
HOME = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]


@functools.cache
def described(name: str) -> tuple[limbik.Model, srdf.Srdf, pin.Model]:
    locate = registry.find("panda").robot.descriptions[0].package.locate
    urdf, text = ROBOTS[name]
    given = text if text.startswith("<") else str(locate(text))
    path = str(locate(urdf))
    return limbik.load(path, srdf=given), srdf.read(given), pin.buildModelFromUrdf(path)


def moveit(name: str, world: World | None = None, **options: Any) -> MoveIt:
    model, groups, _ = described(name)
    return MoveIt(model, groups, world, **options)


def judged(name: str, state: dict[str, Any], frame: str) -> np.ndarray:
    """The pose of a frame [4, 4] at an answered state, as Pinocchio has it."""
    model = described(name)[2]
    q, data = pin.neutral(model), model.createData()
    joints = state["joint_state"]
    for joint, value in zip(joints["name"], joints["position"], strict=True):
        k = model.getJointId(joint)
        place, size = model.joints[k].idx_q, model.joints[k].nq
        q[place : place + size] = [value] if size == 1 else [math.cos(value), math.sin(value)]
    pin.framesForwardKinematics(model, data, q)
    return np.array(data.oMf[model.getFrameId(frame)].homogeneous)


def message(pose: np.ndarray, frame: str = "") -> dict[str, Any]:
    x, y, z, w = Rotation.from_matrix(pose[:3, :3]).as_quat().tolist()
    return {
        "header": {"frame_id": frame, "stamp": {"sec": 3, "nanosec": 0}},
        "pose": {
            "position": dict(zip("xyz", pose[:3, 3].tolist(), strict=True)),
            "orientation": {"x": x, "y": y, "z": z, "w": w},
        },
    }


def state_of(model: limbik.Model, q: Any) -> dict[str, Any]:
    names = [joint.name for joint in model.joints if joint.nq == 1]
    positions = [float(q[model.q_slice(name).start]) for name in names]
    return {"joint_state": {"name": names, "position": positions, "velocity": []}}


def joints(names: list[str], positions: list[float]) -> dict[str, Any]:
    return {"joint_state": {"name": names, "position": positions}}


def ik(group: str, pose: np.ndarray, link: str = "", **more: Any) -> dict[str, Any]:
    request = {"group_name": group, "ik_link_name": link, "pose_stamped": message(pose), **more}
    return {"ik_request": request}


def solved(answer: dict[str, Any]) -> dict[str, Any]:
    assert answer["error_code"]["val"] == 1, answer["error_code"]
    state: dict[str, Any] = answer["solution"]
    return state


def targets(
    name: str, group: str, link: str, count: int, seed: int
) -> tuple[str, list[np.ndarray], np.ndarray]:
    """The link that a group moves, and poses that it reaches with the other joints at rest."""
    model, groups, _ = described(name)
    tip = link or groups.groups[group].chains[0].tip_link
    q = np.tile(model.neutral, (count, 1))
    for joint in groups.joints(group, model):
        q[:, model.q_slice(joint)] = model.random(seed, size=count)[:, model.q_slice(joint)]
    return tip, [model.pose(each, tip) for each in q], q


@pytest.mark.parametrize(("name", "group", "link"), GROUPS)
def test_random_poses_are_reached_by_the_group_alone(name: str, group: str, link: str) -> None:
    model, groups, _ = described(name)
    service = moveit(name)
    tip, poses, _ = targets(name, group, link, 60, seed=5)
    others = [
        joint.name
        for joint in model.joints
        if joint.nq == 1 and joint.name not in groups.joints(group, model)
    ]
    rest = {joint: float(model.neutral[model.q_slice(joint).start]) for joint in others}
    for pose in poses:
        state = solved(service.compute_ik(ik(group, pose, link)))
        np.testing.assert_allclose(judged(name, state, tip), pose, atol=3e-6)
        found = dict(zip(state["joint_state"]["name"], state["joint_state"]["position"], strict=True))
        assert {joint: found[joint] for joint in others} == rest
        q = np.array([found[joint.name] for joint in model.joints if joint.nq == 1])
        assert model.is_within_limits(q)


@pytest.mark.parametrize(("name", "group", "link"), GROUPS)
def test_a_walk_is_followed_without_jumps(name: str, group: str, link: str) -> None:
    model, groups, _ = described(name)
    service = moveit(name)
    tip, _, (begin, *_) = targets(name, group, link, 1, seed=11)
    q, rng = begin.copy(), np.random.default_rng(2)
    joints = groups.joints(group, model)
    state = state_of(model, begin)
    for _ in range(40):
        for joint in joints:
            q[model.q_slice(joint)] += rng.uniform(-0.02, 0.02)
        q = model.clip(q)
        before = np.array(state["joint_state"]["position"])
        state = solved(service.compute_ik(ik(group, model.pose(q, tip), link, robot_state=state)))
        assert np.abs(np.array(state["joint_state"]["position"]) - before).max() < 0.3


def test_two_arms_reach_two_poses_at_once() -> None:
    model, *_ = described("pr2")
    tips = ["l_wrist_roll_link", "r_wrist_roll_link"]
    q = model.neutral.copy()
    for joint in described("pr2")[1].joints("arms", model):
        q[model.q_slice(joint)] = model.random(8)[model.q_slice(joint)]
    request = {
        "group_name": "arms",
        "ik_link_names": tips,
        "pose_stamped_vector": [message(model.pose(q, tip)) for tip in tips],
    }
    state = solved(moveit("pr2").compute_ik({"ik_request": request}))
    for tip in tips:
        np.testing.assert_allclose(judged("pr2", state, tip), model.pose(q, tip), atol=3e-6)
    answer = moveit("pr2").compute_ik(ik("arms", model.pose(q, tips[0])))
    assert answer["error_code"]["val"] == -18 and "branches" in answer["error_code"]["message"]


def test_a_pose_may_be_given_in_any_frame_of_the_robot_or_of_the_scene() -> None:
    model, *_ = described("ur5")
    service = moveit("ur5")
    q = np.array([0.3, -1.2, 1.5, -0.4, 0.9, 0.2])
    goal = model.pose(q, "tool0")
    base = np.eye(4)
    base[:3, 3] = 1.0, 2.0, 0.0
    moved = {
        "joint_names": ["world_joint"],
        "transforms": [{"translation": {"x": 1.0, "y": 2.0}, "rotation": {"w": 1.0}}],
    }
    bench = {
        "id": "bench",
        "header": {"frame_id": "forearm_link"},
        "pose": {"position": {"x": 5.0}, "orientation": {"w": 1.0}},
        "primitives": [{"type": 1, "dimensions": [0.1, 0.1, 0.1]}],
        "operation": 0,
    }
    service.apply_planning_scene({"scene": {"is_diff": True, "world": {"collision_objects": [bench]}}})
    start = state_of(model, model.neutral)
    forearm = model.pose(model.neutral, "forearm_link")
    for frame, seen_from, state in [
        ("base_link", model.pose(model.neutral, "base_link"), start),
        ("/forearm_link", forearm, start),
        ("odom", np.linalg.inv(base), {**start, "multi_dof_joint_state": moved}),
        ("", np.eye(4), start),
        ("bench", forearm @ pose_from(None, (5.0, 0.0, 0.0)), start),
    ]:
        request = ik("manipulator", np.eye(4), robot_state=state)
        request["ik_request"]["pose_stamped"] = message(np.linalg.inv(seen_from) @ goal, frame)
        found = solved(service.compute_ik(request))
        np.testing.assert_allclose(judged("ur5", found, "tool0"), goal, atol=3e-6, err_msg=frame)


def test_forward_kinematics_are_those_of_pinocchio() -> None:
    model, *_ = described("panda")
    q = model.random(4)
    answer = moveit("panda").compute_fk(
        {
            "header": {"frame_id": "panda_link3"},
            "fk_link_names": ["panda_hand", "panda_leftfinger"],
            "robot_state": state_of(model, q),
        }
    )
    assert answer["error_code"]["val"] == 1 and answer["fk_link_names"] == ["panda_hand", "panda_leftfinger"]
    third = judged("panda", {"joint_state": state_of(model, q)["joint_state"]}, "panda_link3")
    hand = judged("panda", state_of(model, q), "panda_hand")
    expected = message(np.linalg.inv(third) @ hand)["pose"]
    found = answer["pose_stamped"][0]
    assert found["header"]["frame_id"] == "panda_link3"
    for part in ("position", "orientation"):
        a, b = (np.array([each[part][k] for k in each[part]]) for each in (found["pose"], expected))
        np.testing.assert_allclose(a if a @ b > 0 or part == "position" else -a, b, atol=1e-12)


@pytest.mark.parametrize("has_words", [True, False])
def test_what_has_no_answer_has_the_code_of_moveit(has_words: bool) -> None:
    model, *_ = described("panda")
    service = moveit("panda", has_words=has_words)
    far, near = np.eye(4), model.pose(np.append(HOME, 0.0), "panda_hand_tcp")
    far[0, 3] = 3.0
    high = np.eye(4)
    high[:3, 3] = 0.0, 0.0, 1.19  # only the position can be met there, if at all
    cases: list[tuple[dict[str, Any], int, str]] = [
        (ik("arm", far, "panda_hand_tcp"), -31, "Out of reach"),
        (ik("arm", high, "panda_hand_tcp"), -31, "panda_hand_tcp"),
        (ik("manipulator", near), -15, "no group 'manipulator'"),
        (ik("", near), -15, "known: arm"),
        (ik("arm", near, "panda_link88"), -18, "did you mean 'panda_link8'"),
        (ik("arm", near, robot_state=joints(["elbow"], [1.0])), -17, "no joint 'elbow'"),
        (ik("arm", near, robot_state=joints(["panda_joint1"], [])), -17, "1 names and 0"),
        (ik("arm", near, robot_state=joints(["panda_joint1"], [math.nan])), -17, "finite"),
        (ik("arm", near, pose_stamped=message(near, "map")), -21, "no frame 'map'"),
        (ik("arm", near, pose_stamped={"pose": {"position": {"x": math.inf}}}), -16, "pose.position.x"),
        (ik("arm", near, pose_stamped="here"), -16, "pose_stamped"),
        (ik("arm", near, timeout={"sec": -1}), -16, "timeout.sec"),
        (ik("arm", near, ik_link_names=["panda_hand"] * 2000), -16, "ik_link_names"),
        (ik("arm", near, ik_link_names=["panda_hand"]), -16, "as many, found 1 and 0"),
    ]  # fmt: skip
    for request, value, words in cases:
        answer = service.compute_ik(request)
        code = answer["error_code"]
        assert code["val"] == value, (request, code)
        assert answer["solution"]["joint_state"]["position"] == []
        assert set(code) == ({"val", "message", "source"} if has_words else {"val"})
        assert not has_words or (words in code["message"] and code["source"] == "limbik"), code


def test_collisions_are_avoided_or_named() -> None:
    model, *_ = described("panda")
    q = np.append(HOME, 0.0)
    goal = model.pose(q, "panda_hand_tcp")
    service = moveit("panda")

    def post(x: float) -> dict[str, Any]:
        return {
            "scene": {
                "is_diff": True,
                "world": {
                    "collision_objects": [
                        {
                            "id": "post",
                            "header": {"frame_id": "panda_link0"},
                            "pose": {
                                "position": {"x": x, "y": 0.0, "z": float(goal[2, 3])},
                                "orientation": {"w": 1.0},
                            },
                            "primitives": [{"type": 3, "dimensions": [0.06, 0.05]}],
                            "primitive_poses": [{"orientation": {"w": 1.0}}],
                            "operation": 0,
                        }
                    ]
                },
            }
        }

    beside = {"robot_state": state_of(model, q), "avoid_collisions": True}
    assert service.apply_planning_scene(post(3.0)) == {"success": True}
    solved(service.compute_ik(ik("arm", goal, "panda_hand_tcp", **beside)))
    service.apply_planning_scene(post(float(goal[0, 3])))
    answer = service.compute_ik(ik("arm", goal, "panda_hand_tcp", **beside))
    assert answer["error_code"]["val"] == -12 and "'post'" in answer["error_code"]["message"]
    solved(service.compute_ik(ik("arm", goal, "panda_hand_tcp", **{**beside, "avoid_collisions": False})))
    found = service.check_state_validity({"robot_state": state_of(model, q), "group_name": "arm"})
    assert not found["valid"] and {each["contact_body_2"] for each in found["contacts"]} == {"post"}
    assert all(each["body_type_1"] == 0 and each["body_type_2"] == 1 for each in found["contacts"])
    assert all(each["depth"] > 0.0 for each in found["contacts"])
    names = ["post", "panda_hand", "panda_leftfinger", "panda_rightfinger", "panda_link7"]
    allowed = [{"enabled": [True] * len(names)} for _ in names]
    service.apply_planning_scene(
        {
            "scene": {
                "is_diff": True,
                "allowed_collision_matrix": {"entry_names": names, "entry_values": allowed},
            }
        }
    )
    state = solved(service.compute_ik(ik("arm", goal, "panda_hand_tcp", **beside)))
    assert service.check_state_validity({"robot_state": state})["valid"]
    service.apply_planning_scene(
        {"scene": {"is_diff": True, "world": {"collision_objects": [{"id": "post", "operation": 1}]}}}
    )
    with pytest.raises(LimbikError, match="no object 'post'"):
        service.apply_planning_scene(
            {"scene": {"is_diff": True, "world": {"collision_objects": [{"id": "post", "operation": 3}]}}}
        )
    with pytest.raises(LimbikError, match="frame 'map'"):
        service.apply_planning_scene(
            {
                "scene": {
                    "is_diff": True,
                    "world": {"collision_objects": [{"id": "a", "header": {"frame_id": "map"}}]},
                }
            }
        )


def test_defaults_of_the_matrix_hold_for_pairs_that_it_does_not_have() -> None:
    model, *_ = described("panda")
    service = moveit("panda")
    hand = message(model.pose(model.neutral, "panda_hand"))["pose"]
    post = {"id": "post", "pose": hand, "primitives": [{"type": 2, "dimensions": [0.1]}]}
    service.apply_planning_scene({"scene": {"is_diff": True, "world": {"collision_objects": [post]}}})

    def touched(**matrix: Any) -> set[str]:
        service.apply_planning_scene({"scene": {"is_diff": True, "allowed_collision_matrix": matrix}})
        contacts = service.check_state_validity({})["contacts"]
        return {each["contact_body_1"] for each in contacts if each["contact_body_2"] == "post"}

    links = touched(entry_names=["nothing"], entry_values=[{"enabled": [False]}])
    assert "panda_hand" in links
    default: dict[str, Any] = {"default_entry_names": ["post"], "default_entry_values": [True]}
    assert touched(**default) == set()
    pair = {"entry_names": ["post", "panda_hand"], "entry_values": [{"enabled": [False] * 2}] * 2}
    assert touched(**default, **pair) == {"panda_hand"}
    both = {"default_entry_names": ["post", "panda_hand"], "default_entry_values": [True, False]}
    assert touched(**both) == {"panda_hand"}


def test_defaults_of_the_matrix_are_about_links_not_other_frames() -> None:
    service = MoveIt(limbik.load("panda"))  # which has the frames flange and hand_tcp, too
    matrix = {"default_entry_names": ["link2"], "default_entry_values": [True]}
    assert service.apply_planning_scene({"scene": {"is_diff": True, "allowed_collision_matrix": matrix}})[
        "success"
    ]


@pytest.mark.parametrize("position", [{"x": 1e308, "z": 0.3}, {"z": 1e308}, {"y": 1e7}])
def test_what_is_attached_too_far_away_is_refused(position: dict[str, float]) -> None:
    thing = {"id": "rod", "primitives": [{"type": 1, "dimensions": [1.0, 0.05, 0.1]}]}
    thing["primitive_poses"] = [{"position": position}]
    held = {"attached_collision_objects": [{"link_name": "panda_link7", "object": thing}]}
    service = moveit("panda")
    with pytest.raises(LimbikError, match=r"needs numbers up to|less than or equal"):
        service.check_state_validity({"robot_state": held})
    request = {"group_name": "arm", "robot_state": held, "avoid_collisions": True}
    assert service.compute_ik({"ik_request": request})["error_code"]["val"] in (-16, -17)


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"world": {"octomap": {"octomap": {"data": [1, 2]}}}}, "an octomap is not known here"),
        ({"link_padding": [{"link_name": "panda_hand", "padding": 0.01}]}, "padding of panda_hand"),
        ({"link_scale": [{"link_name": "panda_hand", "scale": 1.1}]}, "a scale of panda_hand"),
        (
            {"world": {"collision_objects": [{"id": "floor", "planes": [{"coef": [0, 0, 1, 0]}]}]}},
            "'floor' has planes",
        ),
    ],
)
def test_what_would_be_missing_from_the_scene_is_refused(part: dict[str, Any], said: str) -> None:
    service = moveit("panda")
    with pytest.raises(LimbikError, match=said):
        service.apply_planning_scene({"scene": {"is_diff": True, **part}})
    without = {"world": {"octomap": {"octomap": {"data": []}}}, "link_scale": [{"scale": 1.0}]}
    assert service.apply_planning_scene({"scene": {"is_diff": True, **without}})["success"]


@pytest.mark.parametrize("timeout", [{"sec": 10**400}, {"secs": 1, "nsecs": 10**400}])
def test_a_time_beyond_all_measure_is_refused(timeout: dict[str, int]) -> None:
    """It ended the service."""
    answer = moveit("panda").compute_ik({"ik_request": {"timeout": timeout}})
    assert answer["error_code"]["val"] == -16
    assert "less than or equal to 4294967295" in str(answer["error_code"])


def test_what_is_attached_is_carried_and_put_down_again() -> None:
    model, *_ = described("panda")
    q = np.append(HOME, 0.04)
    wall = World()
    goal = model.pose(q, "panda_hand_tcp")
    ahead = goal[:3, 3] + 0.25 * goal[:3, 2]
    wall.add("wall", Box((0.2, 0.2, 0.02)), ahead)
    service = moveit("panda", wall)
    beside = {"robot_state": state_of(model, q), "avoid_collisions": True}
    solved(service.compute_ik(ik("arm", goal, "panda_hand_tcp", **beside)))
    rod = {
        "link_name": "panda_hand_tcp",
        "touch_links": ["panda_hand", "panda_leftfinger", "panda_rightfinger"],
        "object": {
            "id": "rod",
            "header": {"frame_id": "panda_hand_tcp"},
            "primitives": [{"type": 3, "dimensions": [0.6, 0.01]}],
            "operation": 0,
        },
    }
    held = {**state_of(model, q), "attached_collision_objects": [rod]}
    answer = service.compute_ik(ik("arm", goal, "panda_hand_tcp", robot_state=held, avoid_collisions=True))
    assert answer["error_code"]["val"] == -12 and "'rod'" in answer["error_code"]["message"]
    solved(service.compute_ik(ik("arm", goal, "panda_hand_tcp", **beside)))  # of that request alone
    rod["object"]["primitives"][0]["dimensions"] = [0.02, 0.01]
    solved(service.compute_ik(ik("arm", goal, "panda_hand_tcp", robot_state=held, avoid_collisions=True)))
    rod["object"]["primitives"][0]["dimensions"] = [0.6, 0.01]
    service.apply_planning_scene({"scene": {"is_diff": True, "robot_state": {**held, "is_diff": True}}})
    found = service.check_state_validity({"robot_state": state_of(model, q)})
    assert {(each["contact_body_1"], each["body_type_1"]) for each in found["contacts"]} == {("rod", 2)}
    down = {"link_name": "panda_hand_tcp", "object": {"id": "rod", "operation": 1}}
    service.apply_planning_scene(
        {"scene": {"is_diff": True, "robot_state": {"attached_collision_objects": [down]}}}
    )
    request = ik("arm", goal, "panda_hand_tcp", **beside)
    answer = service.compute_ik(request)
    assert answer["error_code"]["val"] == -12 and "'rod'" in answer["error_code"]["message"]
    request = ik("arm", np.eye(4), "panda_hand_tcp", robot_state=state_of(model, q))
    request["ik_request"]["pose_stamped"] = message(np.eye(4), "rod")
    state = solved(service.compute_ik(request))
    np.testing.assert_allclose(judged("panda", state, "panda_hand_tcp"), goal, atol=3e-6)


def test_constraints_are_kept_or_said_to_be_broken() -> None:
    model, *_ = described("panda")
    q = np.append(HOME, 0.0)
    goal = model.pose(q, "panda_hand_tcp")
    service = moveit("panda")
    joint = {"joint_name": "panda_joint3", "position": 0.4, "tolerance_above": 0.01, "tolerance_below": 0.03}
    state = solved(
        service.compute_ik(ik("arm", goal, "panda_hand_tcp", constraints={"joint_constraints": [joint]}))
    )
    found = dict(zip(state["joint_state"]["name"], state["joint_state"]["position"], strict=True))
    assert 0.37 - 1e-6 <= found["panda_joint3"] <= 0.41 + 1e-6
    np.testing.assert_allclose(judged("panda", state, "panda_hand_tcp"), goal, atol=3e-6)
    elbow = model.pose(q, "panda_link4")[:3, 3]
    box = {
        "link_name": "panda_link4",
        "constraint_region": {
            "primitives": [{"type": 1, "dimensions": [0.1, 0.02, 0.1]}],
            "primitive_poses": [
                {"position": dict(zip("xyz", (elbow + np.array([0.0, 0.05, 0.0])).tolist(), strict=True))}
            ],
        },
    }
    state = solved(
        service.compute_ik(ik("arm", goal, "panda_hand_tcp", constraints={"position_constraints": [box]}))
    )
    assert abs(judged("panda", state, "panda_link4")[1, 3] - elbow[1] - 0.05) <= 0.01 + 1e-6
    checked = service.check_state_validity(
        {"robot_state": state, "constraints": {"position_constraints": [box]}}
    )
    assert checked["valid"] and checked["constraint_result"] == [{"result": True, "distance": 0.0}]
    checked = service.check_state_validity(
        {"robot_state": state_of(model, q), "constraints": {"position_constraints": [box]}}
    )
    assert not checked["valid"] and checked["constraint_result"][0]["distance"] == pytest.approx(
        0.04, abs=1e-9
    )
    finger = {"joint_name": "panda_finger_joint1", "position": 0.03}
    request = ik("arm", goal, "panda_hand_tcp", constraints={"joint_constraints": [finger]})
    assert service.compute_ik(request)["error_code"]["val"] == -31  # no joint of the group
    joint["position"] = 9.0
    answer = service.compute_ik(ik("arm", goal, "panda_hand_tcp", constraints={"joint_constraints": [joint]}))
    assert answer["error_code"]["val"] == -31
    upright = {
        "link_name": "panda_hand_tcp",
        "orientation": {"x": 1.0},
        "absolute_x_axis_tolerance": 0.1,
        "absolute_y_axis_tolerance": 0.1,
        "absolute_z_axis_tolerance": 3.2,
    }
    checked = service.check_state_validity(
        {"robot_state": state_of(model, q), "constraints": {"orientation_constraints": [upright]}}
    )
    assert checked["valid"]
    free = dict.fromkeys((f"absolute_{axis}_axis_tolerance" for axis in "xyz"), 4.0)
    anyhow = {"orientation_constraints": [{"link_name": "panda_hand_tcp", **free}]}
    checked = service.check_state_validity({"robot_state": state_of(model, q), "constraints": anyhow})
    assert checked["valid"] and checked["constraint_result"] == [{"result": True, "distance": 0.0}]
    solved(service.compute_ik(ik("arm", goal, "panda_hand_tcp", constraints=anyhow)))
    unknown = {"visibility_constraints": [{"target_radius": 0.1}]}
    answer = service.compute_ik(ik("arm", goal, "panda_hand_tcp", constraints=unknown))
    assert answer["error_code"]["val"] == -16 and "visibility" in answer["error_code"]["message"]


def test_messages_with_every_field_of_ros_1_and_2_are_read() -> None:
    """The fields of moveit_msgs, of the first releases that have these services and of the newest."""
    header = {"seq": 0, "stamp": {"secs": 0, "nsecs": 0}, "frame_id": ""}
    joint_state = {"header": header, "name": [], "position": [], "velocity": [], "effort": []}
    several = {"header": header, "joint_names": [], "transforms": [], "twist": [], "wrench": []}
    empty_box = {
        **{"header": header, "pose": {}, "id": "box", "type": {"key": "", "db": ""}, "operation": 0},
        **{"primitives": [], "primitive_poses": [], "meshes": [], "mesh_poses": [], "planes": []},
        **{"plane_poses": [], "subframe_names": [], "subframe_poses": []},
    }
    state = {
        "joint_state": joint_state,
        "multi_dof_joint_state": several,
        "attached_collision_objects": [],
        "is_diff": True,
    }
    where = {"header": header, "link_name": "panda_hand_tcp", "weight": 1.0}
    region = {"primitives": [], "primitive_poses": [], "meshes": [], "mesh_poses": []}
    kept = {
        "name": "all",
        "joint_constraints": [],
        "position_constraints": [{**where, "target_point_offset": {}, "constraint_region": region}],
        "orientation_constraints": [{**where, "orientation": {"w": 1.0}, "parameterization": 0}],
        "visibility_constraints": [],
    }
    cells = {"header": header, "binary": True, "id": "OcTree", "resolution": 0.1, "data": []}
    octomap = {"header": header, "origin": {}, "octomap": cells}
    service = moveit("panda")
    carried = {"link_name": "panda_hand", "object": {**empty_box, "operation": 1}, "touch_links": []}
    scene = {
        **{"name": "", "robot_state": state, "robot_model_name": "", "fixed_frame_transforms": []},
        **{"allowed_collision_matrix": {}, "link_padding": [], "link_scale": [], "object_colors": []},
        **{"world": {"collision_objects": [], "octomap": octomap}, "is_diff": True},
    }
    attached = {**carried, "detach_posture": {}, "weight": 0.0}
    with pytest.raises(LimbikError, match="box"):
        service.apply_planning_scene(
            {"scene": {**scene, "robot_state": {**state, "attached_collision_objects": [attached]}}}
        )
    assert service.apply_planning_scene({"scene": scene})["success"]
    request = ik("arm", pose_from(np.diag([1.0, -1.0, -1.0]), [0.4, 0.0, 0.4]), "panda_hand_tcp")[
        "ik_request"
    ]
    whole = {**request, "robot_state": state, "attempts": 3, "timeout": {"sec": 1, "nanosec": 0}}
    assert service.compute_ik({"ik_request": {**whole, "constraints": kept}})["error_code"]["val"] == -16
    found = service.compute_ik({"ik_request": {**whole, "ik_link_names": [], "pose_stamped_vector": []}})
    assert found["error_code"]["val"] in (1, -31)


def test_joint_states_are_where_a_request_begins_that_says_nothing() -> None:
    model, *_ = described("panda")
    service = moveit("panda")
    q = np.append(HOME, 0.0)
    state = state_of(model, q)["joint_state"]
    service.note_joint_states({"name": [*state["name"], "wheel"], "position": [*state["position"], 3.0]})
    service.note_joint_states({"name": state["name"], "velocity": state["position"]})
    with pytest.raises(LimbikError, match="has 2 names and 1 positions"):
        service.note_joint_states({"name": ["panda_joint1", "panda_joint2"], "position": [1.0]})
    nearby = q.copy()
    nearby[:7] += 0.01
    found = solved(service.compute_ik(ik("arm", model.pose(nearby, "panda_hand_tcp"), "panda_hand_tcp")))
    assert np.abs(np.array(found["joint_state"]["position"]) - q).max() < 0.1


def test_a_virtual_joint_that_there_is_not_does_not_move_the_base_without_a_word():
    model = limbik.load("panda")
    service = MoveIt(model)
    pose = model.pose(model.neutral)
    for names, transforms, code in (
        (["no_such"], [{"translation": {"x": 5.0}}], -17),
        (["no_such"], [{"rotation": {"w": 1.0}}], 1),
        (["virtual_joint"], [], -17),
    ):
        state = {"multi_dof_joint_state": {"joint_names": names, "transforms": transforms}}
        answer = service.compute_ik(ik("", pose, robot_state=state))
        assert answer["error_code"]["val"] == code


def quaternion(rotation: np.ndarray) -> dict[str, float]:
    return dict(zip("xyzw", map(float, Rotation.from_matrix(rotation).as_quat()), strict=True))


@pytest.mark.parametrize("angles", [(0.3, 0.3, 1.5), (0.4, 0.4, 2.5), (0.3, -0.3, 3.0)])
def test_constraints_that_the_start_keeps_are_kept_near_their_edge(
    angles: tuple[float, float, float],
) -> None:
    model = limbik.load("panda")
    service, q = MoveIt(model), np.array([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785])
    pose, state = model.pose(q), state_of(model, q)
    x, y, z = map(float, pose[:3, 3])
    sphere = {
        "primitives": [{"type": 2, "dimensions": [0.1]}],
        "primitive_poses": [{"position": {"x": x - 0.09, "y": y, "z": z}}],
    }
    wanted = pose[:3, :3] @ Rotation.from_euler("XYZ", angles).as_matrix().T
    tolerances = {
        f"absolute_{axis}_axis_tolerance": abs(a) + 0.1 for axis, a in zip("xyz", angles, strict=True)
    }
    for keep in (
        {"position_constraints": [{"link_name": "flange", "constraint_region": sphere}]},
        {
            "orientation_constraints": [
                {"link_name": "flange", "orientation": quaternion(wanted), **tolerances}
            ]
        },
    ):
        request = ik("", pose, "flange", robot_state=state, constraints=keep)
        found = solved(service.compute_ik(request))
        valid = service.check_state_validity({"robot_state": found, "constraints": keep})
        assert [each["result"] for each in valid["constraint_result"]] == [True]


@pytest.mark.filterwarnings("error")
def test_rotations_about_x_y_and_z_make_the_rotation_again() -> None:
    rng = np.random.default_rng(0)
    right = [(0.3, sign * 0.5 * math.pi, 0.4) for sign in (-1.0, 1.0)]  # where x and z are one axis
    for angles in [*rng.uniform(-1.5, 1.5, (200, 3)), *right]:
        rotation = Rotation.from_euler("XYZ", angles).as_matrix()
        found = constraints._angles(rotation, True)
        np.testing.assert_allclose(Rotation.from_euler("XYZ", found).as_matrix(), rotation, atol=1e-12)
        if abs(angles[1]) < 1.5:
            np.testing.assert_allclose(found, angles, atol=1e-12)
        else:
            assert found[2] == 0.0


def test_a_group_in_which_nothing_moves_is_said() -> None:
    urdf = """<robot name="post"><link name="base"/><link name="arm"/><link name="tool0"/>
      <joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
        <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
      <joint name="jt" type="fixed"><parent link="arm"/><child link="tool0"/></joint></robot>"""
    model = limbik.load(urdf)
    groups = '<robot name="post"><group name="empty"/><group name="all"><joint name="jt"/></group></robot>'
    service = MoveIt(model, srdf.read(groups, model))
    for name in ("empty", "all"):
        answer = service.compute_ik(ik(name, model.pose(model.neutral)))
        assert "has no joint that moves" in answer["error_code"]["message"]


def test_more_poses_than_are_solved_in_time_and_joints_beyond_all_measure_are_refused() -> None:
    panda = MoveIt(limbik.load("panda"))
    many = panda.compute_ik({"ik_request": {"pose_stamped_vector": [{}] * 51}})["error_code"]
    assert many["val"] == -16
    assert "at most 50" in many["message"]
    far = {"robot_state": {"joint_state": {"name": ["joint1"], "position": [1e308]}}}
    assert panda.compute_fk(far)["error_code"]["val"] == -17
