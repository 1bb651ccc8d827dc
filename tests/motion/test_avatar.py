"""Avatars: characters that follow three, six or other trackers."""

from __future__ import annotations

import copy
import functools
import math
import pickle
from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

import limbik
from limbik.errors import GoalError, ModelError
from limbik.model.build import ModelBuilder
from limbik.motion import Avatar
from limbik.motion.avatar.steps import Footsteps
from limbik.motion.body.roles import SIDES, Side
from limbik.spatial import pose_from, pose_inverse, rotation_exp
from motion import people

Trackers = dict[str, NDArray[np.float64]]

THREE = ("head", "leftHand", "rightHand")
SIX = (*THREE, "hips", "leftFoot", "rightFoot")
GROUND = 0.01  # [m] of the soles in `people`: ankles are 0.06 high, toes 0.01


@functools.cache
def crouching(up: str = "y") -> limbik.Motion:
    """A person of 1.6 m who crouches and waves."""
    return limbik.load_motion(people.crouching("mixamo", along=up), up=up)


def beheaded() -> limbik.Model:
    """A person whose spine, with head and arms, does not hang on the hips."""
    body = ModelBuilder("person", root="world")
    body = body.floating("hips", origin=(0, 0.95, 0)).floating("spine", parent="world", origin=(0, 1.1, 0))
    body = body.ball("head", parent="spine", origin=(0, 0.45, 0))
    for side, x in (("left", 1), ("right", -1)):
        body = body.ball(side + "UpperLeg", parent="hips", origin=(0.1 * x, -0.05, 0))
        body = body.ball(side + "LowerLeg", parent=side + "UpperLeg", origin=(0, -0.42, 0))
        body = body.ball(side + "Foot", parent=side + "LowerLeg", origin=(0, -0.42, 0))
    return body.build()


def trackers_of(motion: limbik.Motion, frame: int, roles: tuple[str, ...]) -> Trackers:
    frames = limbik.humanoid(motion).frames
    return {role: motion.model.pose(motion.q[frame], frames[role]) for role in roles}


def followed(
    motion: limbik.Motion, roles: tuple[str, ...], avatar: Avatar | None = None
) -> tuple[Avatar, NDArray[np.float64]]:
    """An avatar of the same body that is calibrated in the first frame, and its q [T, nq]."""
    avatar = Avatar(motion, ground=GROUND) if avatar is None else avatar
    avatar.calibrate(trackers_of(motion, 0, roles), motion.q[0], scale=1.0)
    q = [avatar.update(trackers_of(motion, k, roles), motion.dt) for k in range(len(motion))]
    return avatar, np.array(q)


def errors(motion: limbik.Motion, q: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """[T, m] by role how far joints are from those of the motion."""
    return {
        role: np.linalg.norm(
            (motion.model.pose(q, frame) - motion.model.pose(motion.q, frame))[:, :3, 3], axis=1
        )
        for role, frame in limbik.humanoid(motion).frames.items()
    }


def test_a_copy_follows_by_itself() -> None:
    motion = crouching()
    for copied in (copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))):
        avatar, alone = (Avatar(motion, ground=GROUND) for _ in range(2))
        for each in (avatar, alone):
            each.calibrate(trackers_of(motion, 0, THREE), motion.q[0], scale=1.0)
        twin = copied(avatar)
        followed = [twin.update(trackers_of(motion, k, THREE), 0.1) for k in range(0, 30, 3)]
        np.testing.assert_array_equal(avatar.q, alone.q)
        again = [avatar.update(trackers_of(motion, k, THREE), 0.1) for k in range(0, 30, 3)]
        np.testing.assert_array_equal(again, followed)


@pytest.mark.parametrize("up", ["y", "z"])
def test_six_trackers_bring_the_body_where_the_person_is(up: str) -> None:
    motion = crouching(up)
    _, q = followed(motion, SIX)
    off = errors(motion, q)
    assert max(off[role].max() for role in SIX) < 1e-3
    assert np.mean([each.mean() for each in off.values()]) < 0.05


@pytest.mark.parametrize("up", ["y", "z"])
def test_three_trackers_bring_head_and_hands_there_and_the_rest_near(up: str) -> None:
    motion = crouching(up)
    _, q = followed(motion, THREE)
    off = errors(motion, q)
    assert max(off[role].max() for role in THREE) < 1e-3
    assert np.mean([each.mean() for each in off.values()]) < 0.1
    assert off["leftFoot"].max() < 0.01, "the feet stand while a person crouches"


def test_a_calibration_finds_what_is_fixed_between_bones_and_trackers() -> None:
    motion = crouching()
    rng = np.random.default_rng(0)
    held = {role: pose_from(rotation_exp(rng.normal(size=3))) for role in SIX}
    held["head"][:3, 3] = 0.0, 0.1, 0.12  # a headset in front of the eyes
    _, plain = followed(motion, SIX)
    avatar = Avatar(motion, ground=GROUND)
    first = {role: pose @ held[role] for role, pose in trackers_of(motion, 0, SIX).items()}
    avatar.calibrate(first, motion.q[0], scale=1.0)
    for k in range(len(motion)):
        seen = {role: pose @ held[role] for role, pose in trackers_of(motion, k, SIX).items()}
        q = avatar.update(seen, motion.dt)
        np.testing.assert_allclose(q, plain[k], atol=1e-6)


def test_a_larger_person_moves_the_character_by_its_own_measure() -> None:
    motion = crouching()
    frames = limbik.humanoid(motion).frames
    size, arms = 1.25, 1.1
    rest = motion.model.neutral.copy()  # arms to the sides
    rest[1] = 0.95 - GROUND

    def seen(q: NDArray[np.float64]) -> Trackers:
        found = {}
        for role in SIX:
            pose = motion.model.pose(q, frames[role]).copy()
            if role.endswith("Hand"):
                root = motion.model.pose(q, frames[role.replace("Hand", "UpperArm")])[:3, 3]
                pose[:3, 3] = root + arms * (pose[:3, 3] - root)
            pose[:3, 3] *= size
            found[role] = pose
        return found

    avatar = Avatar(motion)
    found = avatar.calibrate(seen(rest), "T", scale=size)
    assert found.arm_ratio == pytest.approx(arms, rel=1e-6)
    q = avatar.update(seen(motion.q[30]), 0.01)
    for role in ("head", "hips", "leftFoot"):
        there = motion.model.pose(motion.q[30], frames[role])[:3, 3]
        np.testing.assert_allclose(avatar.model.pose(q, frames[role])[:3, 3], there, atol=0.02)
    again = Avatar(motion)
    assert again.calibrate(seen(rest), "T").scale == pytest.approx(size, abs=0.02)


def standing(height: float, forward: float = 0.0, facing: float = 0.0) -> Trackers:
    """Trackers of a person with y up and z forward, arms down."""
    turn = rotation_exp(np.array([0.0, facing, 0.0]))
    head = pose_from(turn, [0.0, height, forward])
    hands = {
        f"{side}Hand": pose_from(turn, [sign * 0.25, height - 0.65, forward])
        for side, sign in (("left", 1.0), ("right", -1.0))
    }
    return {"head": head, **hands}


def test_feet_step_where_the_body_goes_and_do_not_slide_while_they_stand() -> None:
    motion = crouching()
    avatar = Avatar(motion)
    avatar.calibrate(standing(1.44), "standing")
    dt = 1.0 / 90.0
    frames = limbik.humanoid(motion).frames
    q = np.array([avatar.update(standing(1.44, 1.2 * dt * k), dt) for k in range(450)])
    feet = np.stack([avatar.model.pose(q, frames[f"{side}Toes"])[:, :3, 3] for side in SIDES], axis=1)
    hips = avatar.model.pose(q, frames["hips"])[:, :3, 3]
    assert np.abs(feet[-1, :, 2] - hips[-1, 2]).max() < 0.7, "the feet are where the body is"
    speed = np.linalg.norm(np.diff(feet[:, :, [0, 2]], axis=0), axis=-1) / dt
    stands = speed < 0.02
    assert stands[100:].any(axis=1).mean() > 0.8, "one foot stands"
    assert (np.diff(stands[100:].astype(int), axis=0) == -1).sum(axis=0).min() >= 3, "both take steps"
    turned = [avatar.update(standing(1.44, 6.0, 0.02 * k), dt) for k in range(150)]
    facing = avatar.model.pose(turned[-1], frames["hips"])[:3, :3] @ [0.0, 0.0, 1.0]
    assert math.atan2(facing[0], facing[2]) > 1.5


def test_feet_are_under_a_body_that_is_put_elsewhere_at_once() -> None:
    """As VR does. Feet of who walks away step as ever."""
    beside: dict[Side, complex] = {"left": 0.1j, "right": -0.1j}
    put, walks = Footsteps(beside, 0.9), Footsteps(beside, 0.9)
    for _ in range(20):
        put.step(0.0j, 0.0, 0.0, 0.0, 1.0 / 90.0)
    for k in range(90):
        stood = put.step(5.0 + 5.0j, 1.0, 0.0, 0.0, 1.0 / 90.0)
        for side, foot in stood.items():
            assert (
                abs(foot.position - (5.0 + 5.0j + np.exp(1.0j) * beside[side])) < 1e-9 and foot.height == 0.0
            )
        there = walks.step(complex(0.02 * k), 0.0, 0.0, 0.0, 1.0 / 90.0)
    assert max(abs(foot.position - 0.02 * 89) for foot in there.values()) > 0.2


def test_knees_do_not_invert_in_a_deep_crouch_or_lying() -> None:
    motion = crouching()
    frames = limbik.humanoid(motion).frames
    avatar = Avatar(motion)
    avatar.calibrate(standing(1.44), "standing")
    for k in range(200):
        share = k / 199.0
        lying = rotation_exp(np.array([-1.5 * share, 0.0, 0.0]))  # on the back
        seen = standing(1.44 - 1.24 * share)
        seen["head"][:3, :3] = lying
        for hand in ("leftHand", "rightHand"):
            seen[hand][:3, 3] = seen["head"][:3, 3] + lying @ (
                standing(1.44)[hand][:3, 3] - standing(1.44)["head"][:3, 3]
            )
        q = avatar.update(seen, 1.0 / 60.0)
        assert np.isfinite(q).all()
        left = avatar.model.pose(q, frames["hips"])[:3, 0]
        for side in SIDES:
            hip, knee, ankle = (
                avatar.model.pose(q, frames[side + part])[:3, 3] for part in ("UpperLeg", "LowerLeg", "Foot")
            )
            assert np.cross(knee - hip, ankle - knee) @ left > -1e-6, f"knee at step {k}"
            assert knee[1] > 0.0, f"knee in the ground at step {k}"
    for role in THREE:
        there = avatar.model.pose(q, frames[role])[:3, 3]
        assert np.linalg.norm(there - seen[role][:3, 3]) < 0.15


def test_elbows_do_not_invert_however_the_hands_are_turned() -> None:
    motion = crouching()
    frames = limbik.humanoid(motion).frames
    avatar = Avatar(motion)
    avatar.calibrate(standing(1.44), "standing")
    rng = np.random.default_rng(0)
    for _ in range(40):
        seen = standing(1.44)
        for hand in ("leftHand", "rightHand"):
            place = seen[hand][:3, 3] + [0.0, rng.uniform(0.0, 0.5), rng.uniform(0.1, 0.35)]
            seen[hand] = pose_from(rotation_exp(rng.normal(size=3)), place)
        q = avatar.update(seen, 1.0 / 60.0)
        for side, sign in (("left", 1.0), ("right", -1.0)):
            shoulder, elbow, wrist = (
                avatar.model.pose(q, frames[side + part])[:3, 3] for part in ("UpperArm", "LowerArm", "Hand")
            )
            chest = avatar.model.pose(q, frames["chest"])[:3, :3]
            way, aside = wrist - shoulder, chest @ [0.26 * sign, -0.86, -0.43]  # outward, down and back
            across = aside - way * (aside @ way) / (way @ way)
            assert (elbow - shoulder) @ across > -1e-9  # a straight arm has its elbow on neither side


def steps(motion: limbik.Motion, updates: list[Trackers], role: str) -> NDArray[np.float64]:
    """[T - 1, m] by which a joint moves from each update to the next."""
    return np.asarray(np.linalg.norm(np.diff(path_of(motion, updates, role), axis=0), axis=1))


def path_of(motion: limbik.Motion, updates: list[Trackers], role: str) -> NDArray[np.float64]:
    """[T, 3, m] where a joint is at each update, at 90 frames a second."""
    avatar = Avatar(motion)
    avatar.calibrate(standing(1.44), "standing")
    q = np.array([avatar.update(seen, 1.0 / 90.0) for seen in updates])
    return np.asarray(avatar.model.pose(q, limbik.humanoid(motion).frames[role])[:, :3, 3])


@pytest.mark.parametrize("heading", np.linspace(0.0, np.pi, 7, endpoint=False).tolist())
def test_elbows_turn_no_faster_than_arms_do(heading: float) -> None:
    """Of hands on half circles over the head, a centimetre a frame."""
    updates = []
    for k in range(120):
        seen, angle = standing(1.44), np.pi * k / 119.0
        out = np.array([np.cos(heading), 0.0, np.sin(heading)]) * np.cos(angle) + [0.0, np.sin(angle), 0.0]
        for hand, x in (("leftHand", 0.18), ("rightHand", -0.18)):
            seen[hand][:3, 3] = np.array([x, 1.3, 0.0]) + 0.38 * out
        updates.append(seen)
    for side in SIDES:
        assert steps(crouching(), updates, side + "LowerArm").max() < 0.06


def test_a_head_that_is_turned_round_in_one_frame_moves_no_foot() -> None:
    updates = [standing(1.44, facing=np.pi if k == 20 else 0.0) for k in range(60)]
    for update in updates:
        update |= {hand: standing(1.44)[hand] for hand in ("leftHand", "rightHand")}
    for side in SIDES:
        assert steps(crouching(), updates, side + "Foot").max() < 1e-3


def test_low_hips_go_round_a_head_that_leans_back() -> None:
    updates = []
    for k in range(400):
        seen = standing(1.44 - 0.94 * min(k / 150.0, 1.0))
        back = 1.9 * min(max((k - 200) / 200.0, 0.0), 1.0)
        seen["head"][:3, :3] = rotation_exp(np.array([-back, 0.0, 0.0]))
        updates.append(seen)
    assert steps(crouching(), updates, "hips").max() < 0.03


def test_who_goes_from_sitting_to_lying_prone_keeps_the_knees_over_the_ground() -> None:
    """The feet go round; below the hips a leg has no room."""
    updates = []
    for k in range(300):
        seen = standing(1.44 - 0.84 * min(k / 100.0, 1.0) - 0.45 * min(max((k - 100) / 150.0, 0.0), 1.0))
        seen["head"][:3, :3] = rotation_exp(np.array([1.5 * min(max((k - 100) / 150.0, 0.0), 1.0), 0.0, 0.0]))
        updates.append(seen)
    for side in SIDES:
        knee = path_of(crouching(), updates, side + "LowerLeg")
        assert knee[:, 1].min() > -0.07
        assert np.linalg.norm(np.diff(knee, axis=0), axis=1).max() < 0.06


def test_who_lies_down_rolls_and_gets_up_again_and_again_swirls_no_foot() -> None:
    updates = []
    for k in range(1800):
        down = min(k % 600, 600 - k % 600, 250) / 250.0
        seen = standing(1.44 - 1.2 * down)
        turned = rotation_exp(np.array([0.0, 0.0, 2.0 * np.pi * min(max((k % 600 - 250) / 100.0, 0.0), 1.0)]))
        seen["head"][:3, :3] = turned @ rotation_exp(np.array([1.5 * down, 0.0, 0.0]))
        updates.append(seen)
    for side in SIDES:
        assert steps(crouching(), updates, side + "Foot").max() < 0.3


def limited(*, slides: bool = False) -> limbik.Model:
    """A character of ball joints with limits, knees and elbows of one hinge; slides: hips as in glTF."""
    builder = ModelBuilder("limited", root="world")
    if slides:
        builder.prismatic("x", axis="x", origin=(0.0, 0.0, 0.9)).prismatic("y", axis="y")
        builder.prismatic("z", axis="z").ball("hips")
    else:
        builder.floating("hips", origin=(0.0, 0.0, 0.9))
    builder.ball("spine", swing=0.7, twist=0.5, parent="hips", origin=(0.0, 0.0, 0.15))
    builder.ball("head", swing=0.8, twist=1.2, parent="spine", origin=(0.0, 0.0, 0.45))
    for side, y in (("left", 1.0), ("right", -1.0)):
        for kind, on, place, across in (
            ("Arm", "spine", (0.0, 0.2 * y, 0.35), "y"),
            ("Leg", "hips", (0.0, 0.1 * y, 0.0), "y"),
        ):
            upper, lower, end = (
                f"{side}Upper{kind}",
                f"{side}Lower{kind}",
                side + ("Hand", "Foot")[kind == "Leg"],
            )
            builder.ball(upper, swing=2.0, twist=1.5, parent=on, origin=place)
            bend = (-2.4, 0.0) if kind == "Arm" else (0.0, 2.4)
            builder.revolute(lower, axis=across, limits=bend, parent=upper, origin=(0.0, 0.0, -0.4))
            builder.ball(end, swing=1.0, twist=1.0, parent=lower, origin=(0.0, 0.0, -0.4))
            if kind == "Leg":
                builder.frame(f"{side}Toe", link=end, pose=(0.15, 0.0, -0.08))
    return builder.build()


@pytest.mark.parametrize("slides", [False, True])
def test_limits_hold_whatever_the_trackers_say(slides: bool) -> None:
    model = limited(slides=slides)
    others = ("world", "leftToe", "rightToe", "x", "y", "z")
    avatar = Avatar(model, roles={name: name for name in model.frame_names if name not in others})
    stands = {role: model.pose(model.neutral, role) for role in SIX}
    avatar.calibrate(stands, "standing")
    rng = np.random.default_rng(0)
    for _ in range(60):
        wild = {
            role: pose_from(rotation_exp(2.0 * rng.normal(size=3)), rng.normal(size=3)) for role in stands
        }
        q = avatar.update(wild, 0.01)
        assert np.isfinite(q).all()
        assert avatar.model.is_within_limits(q)


@pytest.mark.parametrize("slides", [False, True])
def test_hinged_knees_and_elbows_bring_hands_and_feet_there(slides: bool) -> None:
    model = limited(slides=slides)
    others = ("world", "leftToe", "rightToe", "x", "y", "z")
    avatar = Avatar(
        model, roles={name: name for name in model.frame_names if name not in others}, ground=0.02
    )
    stands = {role: model.pose(model.neutral, role) for role in SIX}
    avatar.calibrate(stands, model.neutral, scale=1.0)
    down = pose_from(translation=[0.1, 0.05, -0.2])
    seen = {role: pose.copy() for role, pose in stands.items()}
    for role in ("head", "hips"):
        seen[role] = down @ stands[role]
    for side in SIDES:
        seen[f"{side}Hand"] = pose_from(translation=[0.3, 0.0, 0.1]) @ stands[f"{side}Hand"]
    q = avatar.update(seen, 0.01)
    for role in SIX:
        there = avatar.model.pose(q, role)[:3, 3]
        np.testing.assert_allclose(there, seen[role][:3, 3], atol=1e-3)


@pytest.mark.slow
def test_the_same_trackers_give_the_same_configurations() -> None:
    motion = crouching()
    for roles in (THREE, SIX):
        np.testing.assert_array_equal(followed(motion, roles)[1], followed(motion, roles)[1])
    avatar = Avatar(motion, ground=GROUND)
    np.testing.assert_array_equal(followed(motion, THREE, avatar)[1], followed(motion, THREE, avatar)[1])


@pytest.mark.parametrize(
    "roles", [("head",), ("head", "hips"), ("head", "leftHand"), (*SIX, "leftLowerArm", "rightLowerLeg")]
)
def test_any_set_of_trackers_will_do(roles: tuple[str, ...]) -> None:
    motion = crouching()
    _, q = followed(motion, roles)
    off = errors(motion, q)
    assert max(off[role].max() for role in roles if role in SIX) < 1e-3
    if "leftLowerArm" in roles:
        assert off["leftLowerArm"].max() < 0.1


def test_trackers_that_are_not_seen_are_told_and_nothing_changes() -> None:
    motion = crouching()
    avatar, q = followed(motion, THREE)
    good = trackers_of(motion, 0, THREE)
    without: Mapping[str, object] = {role: good[role] for role in THREE[:2]}
    nan = {**good, "leftHand": np.full((4, 4), np.nan)}
    for bad, message in (
        (without, "the tracker 'rightHand' is missing"),
        (nan, "the pose of tracker 'leftHand'"),
        ({**good, "head": np.eye(3)}, "the pose of tracker 'head'"),
        ({**good, "leftHnd": np.eye(4)}, "there is no tracker 'leftHnd'.*leftHand"),
        ({**good, "hips": np.eye(4)}, "'hips' was not there when the avatar was calibrated"),
        (None, "trackers needs a mapping"),
    ):
        with pytest.raises(GoalError, match=message):
            avatar.update(bad, 0.01)  # type: ignore[arg-type]
        np.testing.assert_array_equal(avatar.q, q[-1])
    for dt in (-0.1, math.nan, math.inf, "soon"):
        with pytest.raises(GoalError, match="dt needs a time"):
            avatar.update(good, dt)  # type: ignore[arg-type]


def test_what_has_no_meaning_gets_typed_errors() -> None:
    motion = crouching()
    good = trackers_of(motion, 0, THREE)
    for ground in (math.inf, -2e6):
        with pytest.raises(GoalError, match=r"ground needs a height up to 1e\+06 \[m\], found"):
            Avatar(crouching(), ground=ground)
    with pytest.raises(GoalError, match="needs `calibrate` before `update`"):
        Avatar(motion).update(good, 0.01)
    with pytest.raises(GoalError, match="the tracker 'head' is missing"):
        Avatar(motion).calibrate({"leftHand": np.eye(4)})
    with pytest.raises(GoalError, match="posture needs 'T', 'standing' or q"):
        Avatar(motion).calibrate(good, "sitting")
    at_chest = {role: pose_from(translation=(0.0, 1.4, 0.05)) for role in ("leftHand", "rightHand")}
    with pytest.raises(GoalError, match=r"of the hands are 0\.[34].* times as far from the shoulders"):
        Avatar(motion).calibrate({**good, **at_chest})
    for scale in (0.0, -1.0, 1e6):
        with pytest.raises(GoalError, match=r"scale needs a number between 0\.05 and 20, found"):
            Avatar(motion).calibrate(good, scale=scale)
    with pytest.raises(GoalError, match=r"the tracker 'head' is .* above the ground"):
        Avatar(motion, ground=5.0).calibrate(good)
    with pytest.raises(ModelError, match="is no humanoid"):
        Avatar(limbik.load("panda"))
    avatar = Avatar(motion)
    avatar.calibrate(good)
    with pytest.raises(GoalError, match="the tracker 'head' needs a position up to 1e\\+06 m, found"):
        avatar.update({**good, "head": pose_from(translation=(0.0, 1e300, 0.0))}, 0.01)
    assert np.isfinite(avatar.update(good, 0.01)).all()
    with pytest.raises(ModelError, match="link 'head' of model 'person' is not on the hips"):
        Avatar(beheaded(), roles={name: name for name in beheaded().joint_names if name != "spine"})
    with pytest.raises(ModelError, match=r"`limbik\.motion\.retarget` takes robots"):
        Avatar(limbik.load("g1"))


def test_a_tracker_is_in_its_bone_where_the_calibration_says() -> None:
    motion = crouching()
    avatar, q = followed(motion, SIX)
    assert avatar.calibration is not None
    frames = limbik.humanoid(motion).frames
    offset = avatar.calibration.offsets["leftFoot"]
    np.testing.assert_allclose(offset, np.eye(4), atol=1e-9)
    seen = trackers_of(motion, 30, ("leftFoot",))["leftFoot"]
    here = avatar.model.pose(q[30], frames["leftFoot"])
    np.testing.assert_allclose(pose_inverse(seen) @ here, np.eye(4), atol=1e-4)


@pytest.mark.parametrize(
    "pitch", [0.0, -1.5]
)  # [rad] of the head in the end: who sits, who lies on the belly
def test_feet_do_not_jump_while_the_head_sinks_slowly(pitch: float) -> None:
    motion = crouching()
    frames = limbik.humanoid(motion).frames
    avatar = Avatar(motion)
    avatar.calibrate({"head": standing(1.44)["head"]}, "standing")
    feet = []
    for height in np.arange(1.44, 0.25, -0.001):
        head = standing(height)["head"]
        head[:3, :3] = rotation_exp(np.array([pitch * min((1.44 - height) / 0.9, 1.0), 0.0, 0.0]))
        q = avatar.update({"head": head}, 1.0 / 90.0)
        feet.append(avatar.model.poses(q, [frames[side + "Foot"] for side in SIDES])[:, :3, 3])
    assert np.linalg.norm(np.diff(feet, axis=0), axis=-1).max() < 0.05
    hips = avatar.model.pose(q, frames["hips"])[:3, 3]
    ahead = np.mean(feet[-1], axis=0)[2] - hips[2]
    assert ahead < -0.3 if pitch == 0.0 else ahead > 0.5  # a head that is not turned faces -z


def test_the_size_of_a_character_does_not_decide_where_it_faces() -> None:
    for size in (1.0, 0.07, 0.06):
        body = ModelBuilder("person", root="world").floating("hips", origin=(0, 0.94 * size, 0))
        body = body.ball("spine", parent="hips", origin=(0, 0.15 * size, 0))
        body = body.ball("head", parent="spine", origin=(0, 0.45 * size, 0))
        for side, x in (("left", size), ("right", -size)):
            body = body.ball(side + "UpperArm", parent="spine", origin=(0.18 * x, 0.3 * size, 0))
            body = body.ball(side + "LowerArm", parent=side + "UpperArm", origin=(0.28 * x, 0, 0))
            body = body.ball(side + "Hand", parent=side + "LowerArm", origin=(0.26 * x, 0, 0))
            body = body.ball(side + "UpperLeg", parent="hips", origin=(0.1 * x, -0.05 * size, 0))
            body = body.ball(side + "LowerLeg", parent=side + "UpperLeg", origin=(0, -0.42 * size, 0))
            body = body.ball(side + "Foot", parent=side + "LowerLeg", origin=(0, -0.42 * size, 0))
        avatar = Avatar(body.build())
        hands = {
            f"{side}Hand": pose_from(translation=[x, 1.5, 0.0])
            for side, x in (("left", 0.8), ("right", -0.8))
        }
        trackers = {"head": pose_from(translation=[0.0, 1.7, 0.1]), **hands}
        avatar.calibrate(trackers)
        q = avatar.update(trackers, 0.01)
        assert avatar.model.pose(q, "leftHand")[0, 3] > 0.5 * size
