"""Planar arms, ball-joint arms and trees joint by joint."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import RigidTransform, Rotation

from limbik.errors import ModelError
from limbik.model import JointKind, ModelBuilder, ball_arm, planar_arm


@given(st.lists(st.floats(0.0, 10.0), min_size=1, max_size=12), st.integers(0, 2**32 - 1))
def test_the_tip_of_a_planar_arm_is_the_sum_of_its_links(lengths: list[float], seed: int) -> None:
    arm = planar_arm(len(lengths), lengths)
    q = np.random.default_rng(seed).uniform(-4, 4, len(lengths))
    headings = np.cumsum(q)
    expected = [lengths @ np.cos(headings), lengths @ np.sin(headings), 0.0]
    pose = arm.pose(q)
    assert_allclose(pose[:3, 3], expected, rtol=0, atol=1e-12)
    assert_allclose(pose[:2, 0], [math.cos(headings[-1]), math.sin(headings[-1])], rtol=0, atol=1e-13)
    assert arm.reach() == pytest.approx(sum(lengths))


def test_names_of_a_planar_arm() -> None:
    arm = planar_arm()
    assert arm.name == "planar-3"
    assert arm.joint_names == ("joint1", "joint2", "joint3")
    assert arm.frame_names == ("base", "link1", "link2", "link3", "tip")
    assert arm.end_effector == "tip"
    assert {joint.kind for joint in arm.joints} == {JointKind.REVOLUTE}
    assert arm.reach() == 3.0


@pytest.mark.parametrize(
    ("limits", "lower", "upper"),
    [
        (None, [-math.inf, -math.inf], [math.inf, math.inf]),
        (1.5, [-1.5, -1.5], [1.5, 1.5]),
        ((-1.0, 2.0), [-1.0, -1.0], [2.0, 2.0]),
        ([(-1.0, 2.0), (0.0, math.inf)], [-1.0, 0.0], [2.0, math.inf]),
    ],
)
def test_limits_of_a_planar_arm(limits: Any, lower: list[float], upper: list[float]) -> None:
    arm = planar_arm(2, limits=limits)
    assert_array_equal(arm.lower, lower)
    assert_array_equal(arm.upper, upper)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((0,), {}, "links needs a whole number from 1 to 1,000,000, found 0"),
        ((2.5,), {}, "links needs a whole number from 1 to 1,000,000, found 2.5"),
        (("3",), {}, "links needs a whole number from 1 to 1,000,000, found '3'"),
        ((True,), {}, "links needs a whole number from 1 to 1,000,000, found True"),
        ((2, -1.0), {}, r"length needs numbers that are not negative \[m\], found -1"),
        ((2, [1.0, -0.5]), {}, "found -0.5"),
        ((2, math.nan), {}, "length needs finite numbers, found nan"),
        ((2, math.inf), {}, "length needs finite numbers, found inf"),
        ((2, [1.0, 1.0, 1.0]), {}, r"length needs 2 numbers, found shape \(3,\)"),
        ((2, "long"), {}, "length needs one number \\[m\\], or one per link, found 'long'"),
        ((2,), {"limits": -1.0}, "joint 'joint1': the limits are the wrong way round, lower 1 > upper -1"),
        ((2,), {"limits": [(-1, 1), (1, -1)]}, "joint 'joint2': the limits are the wrong way round"),
        ((2,), {"limits": math.nan}, "joint 'joint1': lower limit needs a number, found nan"),
        ((2,), {"limits": (1, 2, 3)}, r"limits needs half of a range, .* 2 joints, found shape \(3,\)"),
        ((2,), {"limits": "wide"}, "limits needs half of a range, .*, found 'wide'"),
    ],
)
def test_a_wrong_planar_arm_is_refused(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        planar_arm(*arguments, **options)


@given(st.lists(st.floats(0.0, 10.0), min_size=1, max_size=6), st.integers(0, 2**32 - 1))
def test_the_tip_of_a_ball_arm_is_the_sum_of_its_links(lengths: list[float], seed: int) -> None:
    arm = ball_arm(lengths)
    turns = Rotation.random(len(lengths), np.random.default_rng(seed))
    total, place = Rotation.identity(), np.zeros(3)
    for turn, length in zip(turns, lengths, strict=True):
        total = total * turn
        place = place + total.apply([length, 0.0, 0.0])
    assert_allclose(arm.pose(turns.as_quat().ravel())[:3, 3], place, rtol=0, atol=1e-12)
    assert arm.reach() == pytest.approx(sum(lengths))


def test_limits_of_zero_have_no_sign() -> None:
    (joint,) = planar_arm(1, limits=0.0).joints
    assert f"{joint.lower:g} to {joint.upper:g}" == "0 to 0"


def test_limits_of_a_ball_arm() -> None:
    arm = ball_arm([1, 2], swing=0.5, twist=0.25)
    assert arm.name == "ball-2"
    assert (arm.nq, arm.nv, arm.end_effector) == (8, 6, "tip")
    for joint in arm.joints:
        assert_array_equal(joint.axis, [1.0, 0.0, 0.0])
        assert (joint.swing, joint.lower, joint.upper) == (0.5, -0.25, 0.25)
    assert not ball_arm([1, 2]).has_limits
    assert ball_arm([1], twist=(0.0, 1.0)).joints[0].lower == 0.0


@pytest.mark.parametrize(
    ("lengths", "options", "message"),
    [
        ([], {}, r"lengths needs one number per link, at least one, found \[\]"),
        (1.0, {}, "lengths needs one number per link, at least one, found 1.0"),
        ([1.0, -2.0], {}, r"length needs numbers that are not negative \[m\], found -2"),
        ([1.0, math.nan], {}, r"length needs finite numbers, found nan at \[1\]"),
        ([1.0], {"swing": 4.0}, "joint 'joint1': swing needs an angle from 0 to pi rad, found 4"),
        ([1.0], {"twist": (1.0, 0.0)}, "every joint: the limits are the wrong way round"),
        (
            [1.0],
            {"twist": (1.0, 2.0, 3.0)},
            r"every joint: twist needs half of a range or a \(lower, upper\) pair",
        ),
    ],
)
def test_a_wrong_ball_arm_is_refused(lengths: Any, options: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        ball_arm(lengths, **options)


def test_a_builder_makes_every_kind_of_joint() -> None:
    pose = np.eye(4)
    pose[:3, 3] = [1, 2, 3]
    model = (
        ModelBuilder("everything")
        .floating("body", origin=pose)
        .ball(
            "hip", axis="-z", swing=1.0, twist=(-0.5, 0.5), origin=RigidTransform.from_translation([0, 0, 1])
        )
        .revolute("knee", axis=(0, 2, 0), limits=2.0)
        .continuous("wheel", axis="y", parent="hip", child="tyre")
        .prismatic("piston", axis="x", limits=(0, 1), origin=(0, 0, 4))
        .fixed("nut")
        .frame("bolt", link="knee", pose=(0, 0, 5))
        .frame("here")
        .build(end_effector="bolt")
    )
    kinds = [(joint.name, joint.kind.value, joint.parent, joint.child) for joint in model.joints]
    assert kinds == [
        ("body", "floating", "base", "body"),
        ("hip", "ball", "body", "hip"),
        ("knee", "revolute", "hip", "knee"),
        ("wheel", "continuous", "hip", "tyre"),
        ("piston", "prismatic", "tyre", "piston"),
        ("nut", "fixed", "piston", "nut"),
    ]
    assert_array_equal(model.joint("body").origin, pose)
    assert_array_equal(model.joint("hip").origin[:3, 3], [0, 0, 1])
    assert_array_equal(model.joint("hip").axis, [0, 0, -1])
    assert (model.joint("hip").swing, model.joint("hip").lower, model.joint("hip").upper) == (1.0, -0.5, 0.5)
    assert_array_equal(model.joint("knee").axis, [0, 1, 0])
    assert (model.joint("knee").lower, model.joint("knee").upper) == (-2.0, 2.0)
    assert (model.joint("piston").lower, model.joint("piston").upper) == (0.0, 1.0)
    assert model.frame("bolt").link == "knee"
    assert model.frame("here").link == "nut"
    assert (model.root, model.end_effector) == ("base", "bolt")


def test_a_builder_can_go_on_after_building() -> None:
    builder = ModelBuilder("arm", root="world").revolute("a")
    first = builder.build()
    second = builder.revolute("b").build()
    assert (first.joint_names, second.joint_names, first.root) == (("a",), ("a", "b"), "world")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda b: b.revolute(""), "`name` of a joint needs a text that is not empty"),
        (
            lambda b: b.revolute("x", parent="shouldr"),
            "'x' .* unknown link 'shouldr'; did you mean 'shoulder'",
        ),
        (lambda b: b.frame("x", link="nowhere"), "'x' .* unknown link 'nowhere'; known: base, shoulder"),
        (lambda b: b.revolute("x", axis="up"), "the axis of joint 'x' needs three numbers or one of x, y, z"),
        (lambda b: b.revolute("x", axis=(0, 0, 0)), "the axis of joint 'x' needs a direction"),
        (
            lambda b: b.revolute("x", limits=(2, 1)),
            "joint 'x': the limits are the wrong way round, lower 2 > upper 1",
        ),
        (
            lambda b: b.revolute("x", limits=(1, 2, 3)),
            "joint 'x': limits needs half of a range or a .* found shape",
        ),
        (lambda b: b.ball("x", twist="any"), "joint 'x': twist needs half of a range or a .*, found 'any'"),
        (lambda b: b.revolute("x", origin=(1, 2)), "the origin of joint 'x' needs 3 numbers, found shape"),
        (
            lambda b: b.revolute("x", origin=np.eye(3)),
            "the origin of joint 'x' needs a 4x4 pose, found shape",
        ),
        (
            lambda b: b.frame("x", pose=(1, math.nan, 0)),
            "the pose of frame 'x' needs finite numbers, found nan",
        ),
        (
            lambda b: b.revolute("shoulder", parent="base", child="other").build(),
            "two joints have the name 'shoulder'",
        ),
        (
            lambda b: b.revolute("x", child="shoulder").build(),
            "joint 'x' connects link 'shoulder' with itself",
        ),
        (lambda b: b.revolute("x", child="base").build(), "child of joint 'x', so it is not the root"),
        (lambda b: b.build(end_effector="hand"), "model 'arm' has no frame 'hand'"),
    ],
)
def test_a_wrong_step_of_a_builder_is_refused(wrong: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        wrong(ModelBuilder("arm").revolute("shoulder"))


def test_a_second_joint_of_a_name_is_refused():
    with pytest.raises(ModelError, match="two joints have the name 'a'"):
        ModelBuilder("arm").revolute("a").revolute("a")
