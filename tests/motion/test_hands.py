"""Tracked hands: the layouts of their joints, the model of a hand, and hands that follow."""

from __future__ import annotations

import copy
import math
import pickle
import warnings

import numpy as np
import pytest
from numpy.typing import NDArray

import limbik
from limbik.errors import FormatWarning, GoalError, ModelError
from limbik.motion import Hand, HandRetargeter
from limbik.motion.body.roles import SIDES, Side
from limbik.motion.hands.fingers import fingers_of
from limbik.motion.hands.human_hand import human_hand
from limbik.motion.hands.layouts import BEFORE, CHAINS, JOINT_INDICES, JOINTS, LAYOUTS, Layout
from limbik.spatial import pose_from, rotation_exp

# [mm] of a right hand: x toward the fingers, y toward the thumb, z out of the back.
SKETCH = {
    "Palm": (60, 2, 0), "Wrist": (0, 0, 0), "ThumbMetacarpal": (34, 30, -16),
    "IndexMetacarpal": (37, 20, 0), "IndexProximal": (96, 24, 0),
    "MiddleMetacarpal": (34, 4, 0), "MiddleProximal": (96, 0, 0),
    "RingMetacarpal": (35, -15, 0), "RingProximal": (89, -18, 0),
    "LittleMetacarpal": (34, -23, 0), "LittleProximal": (78, -35, 0),
}  # fmt: skip
BONES = {
    "Thumb": (0.033, 0.034, 0.025), "Index": (0.038, 0.024, 0.022), "Middle": (0.043, 0.028, 0.025),
    "Ring": (0.039, 0.026, 0.024), "Little": (0.031, 0.021, 0.021),
}  # fmt: skip
LAYOUT_SIZES = {"webxr": 25, "openxr": 26, "mediapipe": 21}
AWAY = pose_from(rotation_exp(np.array([0.4, -1.3, 2.0])), (0.3, 1.2, -0.5))  # of a hand in the room


def person(side: Side = "right", size: float = 1.0, thumb: float = 1.0) -> limbik.Model:
    mirrored = np.array([1.0, 1.0 if side == "right" else -1.0, 1.0])
    places = {name: size * mirrored * SKETCH[name] / 1e3 for name in SKETCH}
    places = {name: places.get(name, np.full(3, np.nan)) for name in JOINTS}
    bones = {name: tuple(size * length for length in lengths) for name, lengths in BONES.items()}
    bones["Thumb"] = tuple(thumb * length for length in bones["Thumb"])
    return human_hand(places, bones, side)


def gestures(model: limbik.Model, count: int = 40, seed: int = 0) -> NDArray[np.float64]:
    """[count, nq]: a hand that goes from one posture to the next."""
    ends = np.random.default_rng(seed).uniform(0.15, 0.7, (3, model.nq))
    at = np.linspace(0.0, 2.0, count)
    shares = np.array([np.interp(at, range(3), ends[:, k]) for k in range(model.nq)]).T
    return np.asarray(model.lower + shares * (model.upper - model.lower))


def in_room(joints: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(joints @ AWAY[:3, :3].T + AWAY[:3, 3])


def read(layout: Layout, joints: NDArray[np.float64], side: Side) -> Hand:
    readers = {"webxr": Hand.from_webxr, "openxr": Hand.from_openxr, "mediapipe": Hand.from_mediapipe}
    return readers[layout](joints, side)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("layout", LAYOUT_SIZES)
def test_joints_of_every_layout_lead_back_to_the_configuration(layout: Layout, side: Side) -> None:
    model = person(side)
    q = gestures(model)
    joints = in_room(Hand.from_model(model, q).joints(layout))
    assert joints.shape == (40, LAYOUT_SIZES[layout], 3)
    hand = read(layout, joints, side)
    found = hand.solve(model)
    assert max(far.max() for far in found.distances.values()) < 2e-3
    assert np.median(np.abs(found.q - q)) < 0.01
    own = hand.solve()
    assert max(far.max() for far in own.distances.values()) < 2e-3
    np.testing.assert_allclose(own.q, found.q, atol=0.02)


def test_the_orders_are_those_of_the_standards() -> None:
    assert LAYOUTS["openxr"].index("ThumbTip") == 5 and LAYOUTS["openxr"].index("IndexTip") == 10
    assert LAYOUTS["openxr"].index("LittleTip") == 25
    assert LAYOUTS["webxr"][0] == "Wrist" and LAYOUTS["webxr"].index("IndexTip") == 9
    assert [LAYOUTS["mediapipe"].index(name + "Tip") for name in CHAINS] == [4, 8, 12, 16, 20]


def test_poses_are_read_as_their_positions_and_kept() -> None:
    positions = Hand.from_model(person(), gestures(person(), 2)).joints("webxr")
    poses = np.broadcast_to(np.eye(4), (2, 25, 4, 4)).copy()
    poses[..., :3, 3] = positions
    hand = Hand.from_webxr(poses)
    np.testing.assert_array_equal(hand.joints("webxr"), positions)
    assert hand.poses is not None and hand.poses.shape == (2, 26, 4, 4)
    assert Hand.from_webxr(positions).poses is None


def test_the_bones_of_the_model_are_those_of_the_joints() -> None:
    joints = Hand.from_model(person(size=1.1), gestures(person())).joints("webxr")
    bones = Hand.from_webxr(in_room(joints)).bones
    for finger, lengths in BONES.items():
        np.testing.assert_allclose(bones[finger], 1.1 * np.array(lengths), atol=1e-9)


@pytest.mark.parametrize("side", SIDES)
def test_fingers_bend_toward_the_palm(side: Side) -> None:
    model = person(side)
    bent = model.neutral.copy()
    for finger in CHAINS:
        bent[model.q_slice(f"{side}{CHAINS[finger][1]}")] = 0.4
    straight, curled = Hand.from_model(model, model.neutral), Hand.from_model(model, bent)
    for finger in ("Index", "Middle", "Ring", "Little"):
        assert (curled[finger + "Tip"] - straight[finger + "Tip"])[2] < -0.01
    toward_little = 1.0 if side == "left" else -1.0
    assert toward_little * (curled["ThumbTip"] - straight["ThumbTip"])[1] > 0.005


def test_a_copy_follows_by_itself() -> None:
    model = person()
    hand = Hand.from_model(model, gestures(model, 6))
    frames = [Hand(each, "right") for each in hand.positions]
    for copied in (copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))):
        retargeter, alone = HandRetargeter(model, hand), HandRetargeter(model, hand)
        for each in (retargeter, alone):
            each.update(frames[0])
        twin = copied(retargeter)
        followed = [twin.update(frame) for frame in frames]
        np.testing.assert_array_equal(retargeter.q, alone.q)
        np.testing.assert_array_equal([retargeter.update(frame) for frame in frames], followed)


def test_a_hand_in_millimetres_is_told() -> None:
    model = person()
    hand = Hand.from_model(model, gestures(model, 2))
    with pytest.warns(FormatWarning, match="the right hand is .* m long: its positions need metres"):
        Hand(1e3 * hand.positions, "right").solve(model)


def test_a_stream_follows_as_a_batch_does() -> None:
    model = person()
    hand = Hand.from_model(model, gestures(model, 20))
    retargeter = HandRetargeter(model, hand)
    stream = np.array([retargeter.update(Hand(each, "right")) for each in hand.positions])
    np.testing.assert_array_equal(stream, hand.solve(model).q)
    np.testing.assert_array_equal(retargeter.q, stream[-1])
    retargeter.reset()
    np.testing.assert_array_equal(retargeter.update(Hand(hand.positions[0], "right")), stream[0])


def test_a_jump_is_followed_at_once() -> None:
    model = person()
    hand = Hand.from_model(model, gestures(model, 3))
    found = hand.solve(model)
    assert max(far.max() for far in found.distances.values()) < 2e-3


def pinches(side: Side = "right") -> Hand:
    """The thumb comes to the tip of one finger after the other; every tenth frame is a pinch."""
    model = person(side)
    open_hand = model.clip(model.neutral)
    rows = []
    for finger in PINCHING:
        meet = limbik.DistanceBetween(frame=f"{side}ThumbTip", other=f"{side}{finger}Tip", value=0.012)
        closed = model.solve(meet, start=open_hand)
        assert closed.success
        shares = np.linspace(0.0, 1.0, 10)[:, None]
        rows.append((1.0 - shares) * open_hand + shares * closed.q)
    return Hand.from_model(model, np.concatenate(rows))


PINCHING = ("Index", "Middle", "Ring")


@pytest.mark.slow
@pytest.mark.parametrize("closed", [(0.0, 0.3), (0.05, 0.95)])
def test_a_hand_is_followed_from_its_first_frame_on(closed: tuple[float, float]) -> None:
    model = person()
    for seed in range(40):
        shares = np.random.default_rng(seed).uniform(*closed, model.nq)
        q = model.lower + shares * (model.upper - model.lower)
        hand = Hand.from_mediapipe(Hand.from_model(model, q).joints("mediapipe"))
        assert max(hand.solve(model).distances.values()) < 1e-3, f"seed {seed}"


def test_poses_that_the_hand_has_are_found_to_the_last_joint() -> None:
    model = person()
    for seed in range(30):
        shares = np.random.default_rng(seed).uniform(0.2, 0.8, model.nq)
        hand = Hand.from_model(model, model.lower + shares * (model.upper - model.lower))
        found = Hand.from_model(model, hand.solve(model).q)
        assert np.abs(found.in_palm - hand.in_palm).max() < 1e-3, f"seed {seed}"


def waving(model: limbik.Model, part: float, frames: int) -> np.ndarray:
    """Configurations in which every joint swings by a part of its range, each at its own time."""
    phases = np.linspace(0.0, 2.0 * math.pi, model.nq, endpoint=False)
    swings = np.sin(np.linspace(0.0, 6.0 * math.pi, frames)[:, None] + phases)
    return 0.5 * (model.lower + model.upper) + 0.5 * part * (model.upper - model.lower) * swings


@pytest.mark.parametrize("part", [0.3, 0.5, 0.8])
def test_a_hand_that_moves_is_followed_to_the_last_joint(part: float) -> None:
    model = person()
    q = waving(model, part, 200)
    assert np.degrees(np.abs(Hand.from_model(model, q).solve(model).q - q)).max() < 1.0


def test_a_robot_takes_a_pinch_up_as_it_comes() -> None:
    """Hands of other proportions have to go far for the vector that is held."""
    q = waving(person(), 0.3, 300)
    moved = Hand.from_model(person(), q).solve(limbik.load("allegro")).q
    assert np.degrees(np.abs(np.diff(moved, axis=0))).max() < 15.0


# [mm] of a right hand that is open, in MediaPipe's order.
OPEN_HAND = (
    (0, 0, 0), (34, 30, -16), (57, 51, -27), (80, 73, -38), (98, 89, -46), (96, 24, 0), (132, 33, -5),
    (155, 38, -10), (176, 42, -15), (96, 0, 0), (138, 0, -8), (164, 0, -18), (187, 0, -28), (89, -18, 0),
    (127, -25, -6), (152, -30, -14), (174, -34, -23), (78, -35, 0), (106, -47, -6), (124, -55, -12),
    (143, -63, -18),
)  # fmt: skip


def test_a_finger_of_a_robot_does_not_snap_in_a_smooth_pinch() -> None:
    """Its middle joints are told by those of the person, too, not by the tip alone."""
    joints, tips = np.array(OPEN_HAND) / 1e3, [4, 8]
    there = np.array([[0.14, 0.03, -0.055], [0.15, 0.03, -0.055]]) - joints[tips]
    frames = np.repeat(joints[None], 301, axis=0)
    frames[:, tips] += (0.5 - 0.5 * np.cos(np.linspace(0.0, math.pi, 301)))[:, None, None] * there
    retargeter = HandRetargeter(limbik.load("allegro"), Hand.from_mediapipe(joints))
    q = np.array([retargeter.update(Hand.from_mediapipe(frame)) for frame in frames])
    assert np.degrees(np.abs(np.diff(q, axis=0))).max() < 15.0


def test_what_thumb_and_finger_hold_is_held_by_another_hand() -> None:
    hand = pinches()
    other = person(size=1.15, thumb=0.85)
    found = hand.solve(other)
    assert other.is_within_limits(found.q).all()
    for k, finger in enumerate(PINCHING):
        row = 10 * k + 9
        held = Hand.from_model(other, found.q[row])
        wanted = hand[finger + "Tip"][row] - hand["ThumbTip"][row]
        assert np.linalg.norm(held[finger + "Tip"] - held["ThumbTip"] - wanted) < 3e-3


@pytest.mark.parametrize("name", ["person", "allegro"])
def test_limits_hold_whatever_the_hand_does(name: str) -> None:
    model = person() if name == "person" else limbik.load(name)
    random = np.random.default_rng(1)
    wild = random.normal(0.0, 0.2, (30, 25, 3))
    measured = Hand.from_model(person(), gestures(person(), 2))
    retargeter = HandRetargeter(model, measured)
    for joints in wild:
        q = retargeter.update(Hand.from_webxr(joints))
        assert np.isfinite(q).all() and model.is_within_limits(q)


def test_the_same_hands_give_the_same_configurations() -> None:
    hand = pinches()
    np.testing.assert_array_equal(hand.solve().q, hand.solve().q)


def test_the_fingers_of_a_robot_are_found_by_its_shape() -> None:
    right, left = fingers_of(limbik.load("allegro")), fingers_of(limbik.load("allegro_left"))
    assert (right.side, left.side) == ("right", "left")
    assert list(right.of) == ["Thumb", "Index", "Middle", "Ring"]
    assert right.of["Thumb"].tip == "link_15.0_tip" and right.of["Middle"].tip == "link_7.0_tip"
    np.testing.assert_allclose(right.palm[:, 0], [0.0, 0.0, 1.0], atol=0.1)  # fingers up


def test_the_fingers_of_a_hand_without_names_are_found() -> None:
    """What is found by structure, beside what the names say."""
    model = person("left")
    nameless = renamed(model)
    named, found = fingers_of(model), fingers_of(nameless)
    assert found.side == "left"
    numbers = {name: f"frame {k}" for k, name in enumerate(model.frame_names)}
    for finger in CHAINS:
        assert found.of[finger].tip == numbers[named.of[finger].tip]
        assert found.of[finger].length == pytest.approx(named.of[finger].length)


def renamed(model: limbik.Model) -> limbik.Model:
    from dataclasses import replace

    numbers = {name: f"frame {k}" for k, name in enumerate(model.frame_names)}
    joints = [
        replace(joint, name=f"joint {k}", parent=numbers[joint.parent], child=numbers[joint.child])
        for k, joint in enumerate(model.joints)
    ]
    links = {model.root, *(joint.child for joint in model.joints)}
    frames = [
        replace(frame, name=numbers[frame.name], link=numbers[frame.link])
        for frame in model.frames
        if frame.name not in links
    ]
    return limbik.Model("nameless", joints, frames, root=numbers[model.root])


def test_what_is_not_seen_is_told_by_frame_and_joint() -> None:
    joints = Hand.from_model(person(), gestures(person(), 4)).joints("mediapipe")
    joints[2, 8] = np.inf
    with pytest.raises(GoalError, match=r"frame 2: joint 'IndexTip' of the right hand needs finite"):
        Hand.from_mediapipe(joints)
    joints[2, 8] = joints[2, 7]
    with pytest.raises(GoalError, match=r"frame 2: joint 'IndexTip' .* distance from 'IndexDistal'"):
        Hand.from_mediapipe(joints)


@pytest.mark.parametrize("lost", [[math.nan] * 3, [0.0] * 3, [0.3, 0.0, 3.0]])
def test_a_joint_that_is_not_seen_is_held_in_the_palm_and_said_once(lost: list[float]) -> None:
    """As nan, as zeros, or as a place that no hand reaches."""
    model = person()
    hand = Hand.from_model(model, gestures(model, 20))
    whole, holed = HandRetargeter(model, hand), HandRetargeter(model, hand)
    for k, positions in enumerate(hand.positions):
        joints = in_room(positions)
        if k in (7, 12):
            joints[JOINT_INDICES["IndexTip"]] = lost
        if k == 15:
            joints[JOINT_INDICES["Wrist"]] = [math.nan] * 3 if lost == [0.0] * 3 else lost
        expected = whole.update(Hand(in_room(positions), "right"))
        before = holed.q
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            q = holed.update(Hand(joints, "right"))
        said = [str(each.message) for each in told]
        if k == 7:
            assert said == ["joints of the right hand are not seen, and held: IndexTip"]
        elif k == 15:
            assert said == ["the palm of the right hand is not seen: the hand is held as it was"]
            np.testing.assert_array_equal(q, before)
        else:
            assert not said
        assert np.isfinite(q).all() and np.abs(q - expected).max() < 0.4
    assert max(holed.distances.values()) < 2e-3
    holes = hand.positions.copy()
    holes[3, JOINT_INDICES["IndexTip"]] = np.nan
    with pytest.warns(FormatWarning, match="and held: IndexTip"):
        assert np.isfinite(Hand(holes, "right").solve(model).q).all()
    for lost in ("IndexTip", "IndexProximal"):  # by the latter and others the palm is known
        nowhere = hand.positions.copy()
        nowhere[:, JOINT_INDICES[lost]] = np.nan
        with pytest.raises(GoalError, match=f"joint '{lost}' of the right hand is seen in no frame"):
            HandRetargeter(model, Hand(nowhere, "right"))


@pytest.mark.parametrize("side", SIDES)
def test_a_hand_whose_fingers_bend_toward_its_back_is_told(side: Side) -> None:
    model, other = person(side), SIDES[1 - SIDES.index(side)]
    hand = Hand.from_model(model, gestures(model, 20))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hand.solve(model)
        stretched = Hand(Hand.from_model(model, model.neutral).positions, other)
        retargeter = HandRetargeter(person(other), stretched)
    with pytest.warns(FormatWarning, match=f"the {other} hand bend toward its back: .* give side='{side}'"):
        Hand(hand.positions, other).solve(person(other))
    with pytest.warns(FormatWarning, match=f"give side='{side}'"):
        for positions in hand.positions:
            retargeter.update(Hand(positions, other))


def test_bad_hands_get_typed_errors() -> None:
    hand = Hand.from_model(person(), person().neutral)
    with pytest.raises(GoalError, match=r"joints needs positions \[\.\.\., 25, 3\] .* found shape \(26, 3\)"):
        Hand.from_webxr(np.zeros((26, 3)))
    with pytest.raises(GoalError, match="landmarks needs positions"):
        Hand.from_mediapipe([[0.0, 0.0]])
    with pytest.raises(GoalError, match="side needs 'left' or 'right', found 'up'"):
        Hand.from_openxr(hand.joints("openxr"), side="up")  # type: ignore[arg-type]
    with pytest.raises(GoalError, match="landmarks needs numbers up to"):
        Hand.from_mediapipe(1e160 * np.ones((21, 3)))
    with pytest.raises(GoalError, match="in a line"):
        flat = hand.positions.copy()
        flat[:, 1:] = 0.0
        flat += 1e-12
        _ = Hand(flat + np.arange(26)[:, None] * [0.01, 0.0, 0.0], "right").palm
    with pytest.raises(GoalError, match="the hand is a left one, model 'right human hand' a right one"):
        Hand.from_model(person("left"), person("left").neutral).solve(person("right"))
    with pytest.raises(GoalError, match=r"there is no joint 'IndexTop' .*IndexTip"):
        hand["IndexTop"]
    camera = Hand.from_mediapipe(hand.joints("mediapipe"))
    with pytest.raises(GoalError, match="joint 'IndexMetacarpal' of the right hand is not known for 'webxr'"):
        camera.joints("webxr")
    with pytest.raises(GoalError, match="update needs one frame"):
        HandRetargeter(person(), hand).update(Hand(hand.positions[None], "right"))
    with pytest.raises(GoalError, match=r"hand needs a limbik\.motion\.Hand"):
        HandRetargeter(person(), np.zeros((25, 3)))  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="needs three to five fingers"):
        hand.solve(limbik.load("panda"))
    with pytest.raises(ModelError, match=r"there is no finger 'Pinky'"):
        hand.solve(person(), tips={"Pinky": "rightLittleTip"})
    with pytest.raises(ModelError, match=r"is no hand of `Hand\.model`"):
        Hand.from_model(limbik.load("panda"), limbik.load("panda").neutral)
    for side in ("Right", None):
        with pytest.raises(GoalError, match="side needs 'left' or 'right'"):
            Hand(hand.positions, side)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="`model` needs a Model"):
        Hand.from_model("panda", [0.0])  # type: ignore[arg-type]
    with pytest.raises(GoalError, match=r"there is no joint \['Wrist'\]"):
        hand[["Wrist"]]  # type: ignore[index]


def test_a_hand_on_a_base_without_limits_bends_as_one_without_a_base() -> None:
    hand = Hand.from_model(person(), person().neutral)
    for base in ("floating", "planar"):
        retargeter = HandRetargeter(limbik.load("allegro", base=base), hand)
        assert np.isfinite(retargeter.update(hand)).all()


def test_every_bone_of_the_hand_has_one_before_it() -> None:
    assert len(BEFORE) == 20 and set(BEFORE.values()) >= {"Wrist", "ThumbProximal"}


def test_a_copy_of_a_retargeter_goes_on_by_itself() -> None:
    model = person()
    hand = Hand.from_model(model, gestures(model, 3))
    first, other = HandRetargeter(model, hand), HandRetargeter(model, hand)
    again, before = copy.deepcopy(other), other.q
    bent = Hand(hand.positions[1], "right")
    np.testing.assert_array_equal(again.update(bent), first.update(bent))
    np.testing.assert_array_equal(other.q, before)
