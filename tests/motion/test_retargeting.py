"""A motion of one body on another."""

import math
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import limbik
from limbik.compiler import native
from limbik.errors import FormatWarning, ModelError
from limbik.motion import measure, retarget
from limbik.motion.feet.targets import held_positions, intervals
from limbik.spatial import pose_from, quat_exp, quat_multiply, quat_to_matrix
from limbik.tree.programs import general
from motion.people import FAMILIES, crouching

FEET = ["left_ankle_roll_link", "right_ankle_roll_link"]
SOLE = [[x, y, z] for x, y, z in ((-0.05, 0.025, -0.03), (0.12, -0.03, -0.03))]
CROUCH = 30  # the deepest frame


@pytest.fixture(scope="module")
def g1():
    native.compile_now(general())
    return limbik.load("g1")


@pytest.fixture(scope="module")
def on_robot(g1):
    return retarget(limbik.load_motion(crouching()), g1)


def test_feet_that_stand_stay_on_the_ground_and_do_not_slide(on_robot):
    found = measure(on_robot, feet=FEET, contacts=np.ones((len(on_robot), 2), dtype=bool))
    assert found.foot_slide_cm_s < 0.5
    for foot in FEET:
        pose = on_robot.model.pose(on_robot.q, foot)
        heights = [(pose[:, :3, :3] @ point + pose[:, :3, 3])[:, 2] for point in SOLE]
        assert np.min(heights) > -0.01
        assert np.max(heights) < 0.02


def test_the_robot_does_what_the_person_does(on_robot):
    model, q = on_robot.model, on_robot.q
    knees = [q[:, model.q_slice(f"{side}_knee_joint")][:, 0] for side in ("left", "right")]
    for knee in knees:
        assert knee[0] < 0.5
        assert abs(knee[CROUCH] - 2.0) < 0.35  # the person's knees bend by 2 rad
        assert_allclose(knee[-1], knee[0], atol=0.05)
    assert_allclose(knees[0], knees[1], atol=0.02)
    height = q[:, 2]
    assert height[0] - height[CROUCH] > 0.2
    trunk = model.pose(q, "torso_link")[:, 2, 2]
    assert (trunk > 0.97).all()
    arm = model.pose(q, "left_elbow_link")[:, 2, 3] - model.pose(q, "left_wrist_yaw_link")[:, 2, 3]
    still = model.pose(q, "right_elbow_link")[:, 2, 3] - model.pose(q, "right_wrist_yaw_link")[:, 2, 3]
    assert np.ptp(arm) > 2.0 * np.ptp(still)  # the left forearm waves


def test_feet_that_capture_has_a_little_above_the_ground_stand_on_it(g1):
    standing = limbik.load_motion(crouching())
    q = standing.q.copy()
    q[:, standing.model.q_slice("mixamorig:Hips.Zrotation")] += 0.05  # the left foot is 10 mm higher
    robot = retarget(replace(standing, q=q), g1, contacts=np.ones((len(q), 2), dtype=bool))
    left, right = (np.median(robot.model.pose(robot.q, foot)[:, 2, 3]) for foot in FEET)
    assert abs(left - right) < 0.002


def test_limits_of_joints_and_of_their_speed_are_kept(on_robot):
    model = on_robot.model
    assert model.is_within_limits(on_robot.q).all()
    step = np.abs(model.difference(on_robot.q[:-1], on_robot.q[1:]))
    for joint in model.joints:
        if joint.nv == 1:
            assert (step[:, model.v_slice(joint.name)] <= joint.velocity * on_robot.dt + 1e-9).all()


def test_a_speed_limit_that_matters_is_kept():
    robot = limbik.load("g1")
    slow = limbik.Model(
        robot.name,
        [replace(joint, velocity=1.0) if joint.nv else joint for joint in robot.joints],
        robot.frames[len(robot.joints) + 1 :],
        root=robot.root,
    )
    source = limbik.load_motion(crouching(frames=31))
    for speed_limits, is_kept in ((True, True), (False, False)):
        moved = retarget(source, slow, speed_limits=speed_limits)
        steps = np.abs(np.diff(moved.q[:, 7:], axis=0)).max()
        assert bool(steps <= 1.0 * moved.dt + 1e-9) is is_kept


def test_a_robot_that_is_too_slow_for_a_motion_is_named(g1):
    source = limbik.load_motion(crouching(frames=31))
    hasty = replace(source, dt=source.dt / 20.0)
    lag = (
        r"^'g1\w*' lags behind the motion: '\w+' moves at its speed limit of \d+ rad/s in \d+% of the frames"
    )
    with pytest.warns(FormatWarning, match=lag):
        retarget(hasty, g1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        retarget(source, g1)
        retarget(hasty, g1, speed_limits=False)


@pytest.mark.parametrize("kick", [(1.3, 0.0, 0.0), (1.3, -1.3, 1.3)])  # [rad] about z, x and y
def test_the_hips_do_not_jump_to_where_a_robot_reaches_a_kick(kick, g1):
    standing = limbik.load_motion(crouching())
    q = np.tile(standing.q[0], (60, 1))
    for axis, angle in zip("ZXY", kick, strict=True):
        hip = standing.model.q_slice(f"mixamorig:LeftUpLeg.{axis}rotation")
        q[:, hip] += angle * np.exp(-(((np.arange(60) - 30) / 3.6)[:, None] ** 2))
    robot = retarget(replace(standing, q=q), g1)
    hips = robot.model.pose(robot.q, "pelvis")[:, :3, 3]
    assert np.linalg.norm(np.diff(hips, 2, axis=0), axis=1).max() < 0.005
    feet = robot.model.poses(robot.q, FEET)
    assert min((feet[..., :3, :3] @ point + feet[..., :3, 3])[..., 2].min() for point in SOLE) > -0.002


def test_the_hips_do_not_lean_where_the_feet_of_a_robot_cannot_turn_out_as_far(g1):
    standing = limbik.load_motion(crouching())
    q = np.tile(standing.q[0], (60, 1))
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        foot = standing.model.q_slice(f"mixamorig:{side}Foot.Yrotation")
        q[:, foot] = sign * np.linspace(0.0, 1.5, 60)[:, None]
    joints = [replace(each, lower=-0.1, upper=0.1) if "hip_yaw" in each.name else each for each in g1.joints]
    narrow = limbik.Model(g1.name, joints, g1.frames[len(joints) + 1 :], root=g1.root)
    robot = retarget(replace(standing, q=q), narrow)
    leans = [
        np.degrees(np.arccos(robot.model.pose(robot.q, link)[:, 2, 2])).max() for link in ("pelvis", *FEET)
    ]
    assert max(leans) < 3.0, leans


@pytest.mark.parametrize("family", FAMILIES)
def test_names_and_units_do_not_matter(family, on_robot, g1):
    text = crouching(family, scale=39.37)
    found = retarget(limbik.load_motion(text, unit="cm"), g1)  # which it is not
    assert_allclose(found.q, on_robot.q, atol=1e-4)


def test_the_axis_that_is_up_does_not_matter(on_robot, g1):
    found = retarget(limbik.load_motion(crouching(along="z"), up="z"), g1)
    # The person faces -y in that file, and x in the other one.
    joints = slice(7, None)
    assert_allclose(found.q[:, joints], on_robot.q[:, joints], atol=1e-4)
    assert_allclose(found.q[:, 2], on_robot.q[:, 2], atol=1e-5)


def test_a_person_moves_as_another_person_and_is_written(tmp_path):
    source = limbik.load_motion(crouching("mixamo"))
    other = limbik.load_motion(crouching("biovision", scale=60.0, frames=2))  # smaller, of other names
    moved = retarget(source, other)
    assert moved.model is other.model
    assert len(moved) == len(source)
    moved.save(tmp_path / "moved.bvh")
    again = limbik.load_motion(tmp_path / "moved.bvh")
    names = {"mixamorig:LeftForeArm": "LeftElbow", "mixamorig:RightLeg": "RightKnee"}
    for one, two in names.items():
        turns = [
            motion.model.pose(motion.q, name)[:, :3, :3] for motion, name in ((source, one), (again, two))
        ]
        away = np.einsum("tij,tij->t", *turns)
        assert np.degrees(np.arccos(np.clip(0.5 * (away - 1.0), -1.0, 1.0))).max() < 5.0
    feet = measure(again, feet=["LeftAnkle", "RightAnkle"], contacts=np.ones((len(again), 2), dtype=bool))
    assert feet.foot_slide_cm_s < 0.5


def test_a_foot_that_pivots_where_it_stands_takes_its_new_heading():
    """By 45 degrees in a fifth of a second."""
    person = limbik.load_motion(crouching())
    q = person.q.copy()
    q[:, person.model.q_slice("mixamorig:LeftFoot.Yrotation")] += np.interp(
        np.arange(len(q)), [20, 26], [0.0, math.radians(45.0)]
    )[:, None]
    pivoting = replace(person, q=q)
    moved = retarget(pivoting, person, contacts=np.ones((len(q), 2), dtype=bool))
    for frame in (10, 30, 45):
        poses = [each.model.pose(each.q[frame], "mixamorig:LeftFoot") for each in (pivoting, moved)]
        away = poses[0][:3, :3].T @ poses[1][:3, :3]
        assert math.degrees(math.acos(min(1.0, 0.5 * (np.trace(away) - 1.0)))) < 5.0


@pytest.mark.parametrize("is_source", [False, True])
def test_arms_that_end_in_a_point_follow_and_are_followed(is_source):
    handless = limbik.load_motion(crouching("biovision", has_hands=False))
    source, other = limbik.load_motion(crouching("mixamo")), handless
    arms = [("mixamorig:LeftArm", "mixamorig:LeftForeArm"), ("LeftShoulder", "LeftElbow")]
    if is_source:
        source, other, arms = handless, source, arms[::-1]
    moved = retarget(source, other)
    bends = []
    for motion, (upper, lower) in zip((source, moved), arms, strict=True):
        turns = [motion.model.pose(motion.q, name)[:, :3, :3] for name in (upper, lower)]
        cosines = 0.5 * (np.einsum("tij,tij->t", *turns) - 1.0)
        bends.append(np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0))))
    assert bends[0].max() > 40.0
    assert_allclose(bends[1], bends[0], atol=2.0)


@pytest.fixture
def upright(tmp_path):
    """A person who crouches, from glTF."""
    limbik.load_motion(crouching()).save(tmp_path / "person.glb")
    return limbik.load_motion(tmp_path / "person.glb")


@pytest.fixture
def lying(upright):
    """The same of a body that lies at rest: as LAFAN1's skeleton, all of whose bones are along one axis."""
    hips, turn = "mixamorig:Hips", quat_exp(np.array([0.5 * math.pi, 0.0, 0.0]))
    joints = [
        replace(each, origin=pose_from(quat_to_matrix(turn)) @ each.origin) if each.parent == hips else each
        for each in upright.model.joints
    ]
    model, q = limbik.Model("lying", joints), upright.q.copy()
    part = model.q_slice(hips)
    q[:, part] = quat_multiply(q[:, part], turn * [-1.0, -1.0, -1.0, 1.0])
    return replace(upright, model=model, q=q)


def test_a_body_that_lies_at_rest_is_taken_as_it_stands_in_its_motion(upright, lying):
    expected, again = retarget(upright, upright), retarget(upright, lying)
    for part in ("Hips", "LeftLeg", "LeftFoot", "RightHand"):
        here, there = (each.model.pose(each.q, f"mixamorig:{part}") for each in (expected, again))
        assert_allclose(there[:, :3, 3], here[:, :3, 3], atol=2e-3)


def test_one_that_lies_is_followed_by_the_same_body_with_other_names(lying):
    """In the target's motion another posture is the most upright one."""
    leaning, part = lying.q[20:40].copy(), lying.model.q_slice("mixamorig:Spine")
    leaning[:, part] = quat_multiply(leaning[:, part], quat_exp(np.array([0.3, 0.2, 0.0])))
    target = replace(lying, q=leaning)
    renamed = [
        replace(
            each,
            name=each.name.replace("mixamorig:", ""),
            child=each.child.replace("mixamorig:", ""),
            parent=each.parent.replace("mixamorig:", ""),
        )
        for each in lying.model.joints
    ]
    source = replace(lying, q=lying.q[:20])
    expected = retarget(source, target)
    again = retarget(source, replace(target, model=limbik.Model("other", renamed)))
    assert_array_equal(again.q, expected.q)
    for part in ("Head", "RightHand"):
        turn = np.swapaxes(source.model.pose(source.q, f"mixamorig:{part}"), 1, 2)[:, :3, :3]
        turn = turn @ again.model.pose(again.q, part)[:, :3, :3]
        assert np.arccos(np.clip(0.5 * (np.trace(turn, axis1=1, axis2=2) - 1.0), -1.0, 1.0)).max() < 0.1


def test_a_robot_follows_itself(on_robot):
    again = retarget(on_robot, on_robot)
    assert (
        np.abs(on_robot.model.pose(again.q, "pelvis") - on_robot.model.pose(on_robot.q, "pelvis")).max()
        < 0.05
    )
    knee = on_robot.model.q_slice("left_knee_joint")
    assert_allclose(again.q[:, knee], on_robot.q[:, knee], atol=0.15)


@pytest.mark.parametrize("ending", ["bvh", "glb"])
def test_a_robot_in_a_file_without_hinges_is_followed_as_the_robot_itself(ending, on_robot, tmp_path):
    talos = limbik.load("talos")
    on_robot.save(tmp_path / f"robot.{ending}")
    again = retarget(limbik.load_motion(tmp_path / f"robot.{ending}"), talos)
    assert_allclose(again.q[:, 7:], retarget(on_robot, talos).q[:, 7:], atol=math.radians(3.0))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["g1", "talos", "icub"])
def test_a_robot_from_gltf_is_followed_by_a_person_as_the_robot_itself(name, tmp_path):
    robot = limbik.load(name)
    moved = retarget(limbik.load_motion(crouching(frames=21)), robot)
    moved.save(tmp_path / "robot.glb")
    human = limbik.load("human")
    again = retarget(limbik.load_motion(tmp_path / "robot.glb"), human)
    assert_allclose(again.q[:, 7:], retarget(moved, human).q[:, 7:], atol=1e-3)


@pytest.mark.parametrize("ending", ["bvh", "glb"])
def test_a_robot_that_squats_all_the_time_is_upright_in_files_without_hinges(ending, g1, tmp_path):
    body = limbik.load("g1", base="floating")
    q = np.tile(body.neutral, (20, 1))
    q[:, 3:7] = quat_exp(np.array([0.0, 0.4, 0.0]))
    for k, (joint, angle) in enumerate(
        {"hip_pitch": -2.0, "knee": 2.2, "hip_roll": 0.0, "hip_yaw": 0.0}.items()
    ):
        for side in ("left", "right"):
            q[:, body.q_slice(f"{side}_{joint}_joint")] = (angle + 0.1 * np.sin((k + 1.0) * np.arange(20)))[
                :, None
            ]
    limbik.Motion(body, q, 0.05).save(tmp_path / f"squat.{ending}")
    again = retarget(limbik.load_motion(tmp_path / f"squat.{ending}"), g1)
    knee = again.q[:, again.model.q_slice("left_knee_joint")]
    assert_allclose(knee, q[:, body.q_slice("left_knee_joint")], atol=0.35)


def test_the_same_motion_comes_out_again_and_each_frame_is_told(on_robot, g1):
    told = []
    again = retarget(limbik.load_motion(crouching()), g1, progress=lambda *counts: told.append(counts))
    assert_array_equal(again.q, on_robot.q)
    assert told == [(done + 1, len(again)) for done in range(len(again))]


def test_what_is_missing_or_wrong_is_said(g1):
    source = limbik.load_motion(crouching(frames=3))
    with pytest.raises(ModelError, match="model 'panda' is no humanoid"):
        retarget(source, limbik.load("panda"))
    with pytest.raises(ModelError, match=r"contacts needs shape \[3, 2\], .*found shape \(2, 2\)"):
        retarget(source, g1, contacts=np.ones((2, 2), dtype=bool))
    legless = {role: name for role, name in limbik.humanoid(g1).frames.items() if "Leg" not in role}
    with pytest.raises(ModelError, match="not found: leftUpperLeg, leftLowerLeg"):
        retarget(source, g1, target=legless)
    upper_arm = f"OFFSET {28:.9f} {0:.9f} {0:.9f}"
    assert upper_arm in crouching(frames=3)
    unlike = limbik.load_motion(crouching(frames=3).replace(upper_arm, "OFFSET 0 0 0"))
    bone = "from 'mixamorig:LeftArm' to 'mixamorig:LeftForeArm'"
    with pytest.raises(ModelError, match=f"the bone {bone} of model 'bvh' needs a length"):
        retarget(source, unlike.model)


def test_an_unknown_role_is_said(g1):
    source = limbik.load_motion(crouching(frames=3))
    roles = dict(limbik.humanoid(source).frames)
    roles["leftHnad"] = roles.pop("leftHand")
    with pytest.raises(ModelError, match="source: there is no role 'leftHnad'; did you mean 'leftHand'"):
        retarget(source, g1, source=roles)
    with pytest.raises(ModelError, match="contacts needs 0 or 1 for each foot and frame, found nan"):
        retarget(source, g1, contacts=np.full((3, 2), np.nan))


def test_a_stance_is_held_and_the_way_between_two_has_no_jump():
    time = np.arange(60)
    stands = (time < 20) | (time >= 40)
    places = np.column_stack([0.01 * time, 0.002 * np.sin(time), 0.0 * time])
    held = held_positions(places, stands)
    for run in intervals(stands):
        assert_allclose(held[run], np.broadcast_to(held[run.start], held[run].shape), atol=1e-15)
    assert np.abs(np.diff(held - places, axis=0)).max() < 0.02
    assert list(intervals(stands)) == [slice(0, 20), slice(40, 60)]
    assert_array_equal(held_positions(places, np.zeros(60, dtype=bool)), places)
    assert math.isclose(held[0, 0], np.median(places[:20, 0]))
    assert_array_equal(held_positions(places, stands, ground=0.02, near=0.01), held)  # on a stair
    for near, rise in ((0.03, 0.02), (0.02, 0.02), (0.015, 0.01)):
        lifted = held_positions(places, stands, ground=0.02, near=near)
        assert_allclose(lifted - held, np.broadcast_to([0.0, 0.0, rise], held.shape), atol=1e-15)


def test_the_hips_are_as_high_over_the_feet_on_the_first_stair_as_on_the_last():
    standing = limbik.load_motion(crouching(frames=5))
    model, hips = standing.model, ["mixamorig:Hips.Yposition", "mixamorig:Hips.Zposition"]
    q = np.tile(standing.q[0], (80, 1))
    stair = np.arange(80) // 20
    q[:, model.q_slice(hips[0])] += 0.2 * stair[:, None]
    q[:, model.q_slice(hips[1])] += 0.3 * stair[:, None]
    climbed = retarget(
        replace(standing, q=q), standing, contacts=np.ones((80, 2), bool) & (np.arange(80) % 20 > 1)[:, None]
    )
    over = climbed.model.poses(climbed.q, ["mixamorig:Hips", "mixamorig:LeftFoot"])[:, :, 1, 3] @ [1.0, -1.0]
    assert_allclose(over[[5, 25, 45, 65]], over[5], atol=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["human", "talos", "romeo"])
def test_bodies_of_other_makes_follow_too(name):
    try:
        body = limbik.load(name)
    except ModelError as error:
        pytest.skip(str(error))
    moved = retarget(limbik.load_motion(crouching(frames=21)), body)
    frames = limbik.humanoid(body).frames
    feet = [frames[f"{side}Foot"] for side in ("left", "right")]
    up = "xyz".index(moved.up)
    assert moved.up == ("y" if name == "human" else "z")  # that model's own
    found = measure(moved, feet=feet, contacts=np.ones((21, 2), dtype=bool))
    assert found.foot_slide_cm_s < 1.0
    hips = moved.model.pose(moved.q, frames["hips"])[:, up, 3]
    assert hips[0] - hips[10] > 0.1
    assert moved.model.is_within_limits(moved.q).all()


def test_a_body_that_lies_is_told_from_another_axis_that_is_up(g1):
    lying = limbik.load_motion(crouching(frames=3, along="z"), up="y")
    with pytest.raises(ModelError, match="stands upright in no posture with 'y' up; 'z' would be"):
        retarget(lying, g1)


def test_bones_that_have_no_part_in_it_stay_and_change_nothing():
    walk = limbik.load_motion("examples/walk.bvh")
    text = (Path("examples") / "walk.bvh").read_text()
    haired = limbik.load_motion(with_hair(text, "Head", 6))
    plain, other = retarget(walk, walk), retarget(walk, haired)
    hair = [joint.name for joint in haired.model.joints if joint.name.startswith("hair")]
    assert len(hair) == 18
    for name in plain.model.joint_names:
        assert_allclose(
            other.q[:, other.model.q_slice(name)], plain.q[:, plain.model.q_slice(name)], atol=1e-9
        )
    assert not np.concatenate([other.q[:, other.model.q_slice(name)] for name in hair], axis=1).any()


def with_hair(text: str, link: str, count: int) -> str:
    """A BVH with a row of bones on a joint, at rest."""
    hierarchy, motion = text.split("MOTION")
    lines = hierarchy.splitlines()
    first = next(k for k, line in enumerate(lines) if line.split()[:2] in (["JOINT", link], ["ROOT", link]))
    channels = next(k for k in range(first, len(lines)) if "CHANNELS" in lines[k])
    before = sum(int(line.split()[1]) for line in lines[: channels + 1] if "CHANNELS" in line)
    opened = [
        f"JOINT hair{k}\n{{\nOFFSET 0 -2 0\nCHANNELS 3 Zrotation Xrotation Yrotation" for k in range(count)
    ]
    row = "\n".join([*opened, "End Site\n{\nOFFSET 0 -2 0\n}", *["}"] * count])
    lines.insert(channels + 1, row)
    frames = motion.strip().splitlines()
    rows = [line.split() for line in frames[2:]]
    wider = [" ".join([*row[:before], *["0"] * (3 * count), *row[before:]]) for row in rows]
    return "\n".join([*lines, "MOTION", *frames[:2], *wider, ""])
