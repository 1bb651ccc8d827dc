"""Model: one tree, its names, and what is refused."""

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_array_equal

import limbik
from limbik.errors import ModelError
from limbik.model import EulerLimits, Frame, Joint, JointKind, Model, ModelBuilder, planar_arm
from strategies import SEEDS, configuration, models


def hinge(name: str, parent: str, child: str, **fields: Any) -> Joint:
    return Joint(name=name, kind=JointKind.REVOLUTE, parent=parent, child=child, **fields)


@pytest.fixture
def figure() -> Model:
    return (
        ModelBuilder("figure", root="world")
        .floating("pelvis")
        .ball("spine", swing=0.5)
        .ball("left_shoulder", parent="spine", origin=(0, 0.2, 0.4))
        .revolute("left_elbow", origin=(0, 0.3, 0), limits=(0, 2.5))
        .frame("left_hand", pose=(0, 0.25, 0))
        .fixed("head", parent="spine", origin=(0, 0, 0.6))
        .build(end_effector="left_hand")
    )


# --- structure ----------------------------------------------------------------------------------------------


@given(models())
def test_parents_come_before_children_and_links_before_other_frames(model: Model) -> None:
    known = [model.root]
    for joint in model.joints:
        assert joint.parent in known
        known.append(joint.child)
    assert model.frame_names == (*known, "tool")
    assert [frame.name for frame in model.frames] == list(model.frame_names)
    assert [frame.link for frame in model.frames[:-1]] == known
    assert model.nq == sum(joint.nq for joint in model.joints)
    assert model.nv == sum(joint.nv for joint in model.joints)


def test_a_valid_order_is_kept() -> None:
    joints = [hinge("b", "root", "B"), hinge("a", "root", "A"), hinge("c", "B", "C"), hinge("d", "A", "D")]
    assert Model("m", joints).joint_names == ("b", "a", "c", "d")
    assert Model("m", joints[::-1]).joint_names == ("a", "b", "d", "c")


def test_sizes_slices_and_paths(figure: Model) -> None:
    assert figure.joint_names == ("pelvis", "spine", "left_shoulder", "left_elbow", "head")
    assert (figure.nq, figure.nv) == (16, 13)
    assert (figure.q_slice("pelvis"), figure.v_slice("pelvis")) == (slice(0, 7), slice(0, 6))
    assert (figure.q_slice("left_elbow"), figure.v_slice("left_elbow")) == (slice(15, 16), slice(12, 13))
    assert (figure.q_slice("head"), figure.v_slice("head")) == (slice(16, 16), slice(13, 13))
    assert [joint.name for joint in figure.path("head")] == ["pelvis", "spine", "head"]
    assert [joint.name for joint in figure.path()] == ["pelvis", "spine", "left_shoulder", "left_elbow"]
    assert figure.path("world") == ()
    assert figure.joint("spine").kind is JointKind.BALL
    assert figure.frame("left_hand").link == "left_elbow"


def test_limits_and_neutral(figure: Model) -> None:
    inf = math.inf
    assert_array_equal(figure.lower, [-inf] * 3 + [-1.0] * 12 + [0.0])
    assert_array_equal(figure.upper, [inf] * 3 + [1.0] * 12 + [2.5])
    assert_array_equal(figure.neutral, [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0])
    assert figure.has_limits
    assert not planar_arm(3).has_limits
    assert planar_arm(3, limits=1.0).has_limits
    assert_array_equal(planar_arm(2, limits=[(0.5, 1.0), (-2.0, -1.0)]).neutral, [0.5, -1.0])


@pytest.mark.parametrize(
    ("fields", "limited"),
    [
        ({"swing": 3.0}, True),
        ({"lower": -1.0, "upper": 1.0}, True),
        ({}, False),
        ({"lower": -math.pi, "upper": math.pi}, False),
        ({"lower": 0.0}, False),
    ],
)
def test_a_ball_joint_has_limits_if_they_exclude_anything(fields: dict[str, float], limited: bool) -> None:
    joint = Joint(name="j", kind=JointKind.BALL, parent="a", child="b", **fields)
    assert joint.has_limits == Model("m", [joint]).has_limits == limited


def test_the_default_end_effector_is_the_last_link() -> None:
    arm = Model("m", [hinge("a", "base", "A"), hinge("b", "A", "B")], [Frame(name="eye", link="A")])
    assert arm.end_effector == "B"
    assert Model("m", arm.joints, arm.frames[3:], end_effector="eye").end_effector == "eye"


def test_numbers_of_a_joint_are_made_canonical() -> None:
    joint = hinge("a", "base", "A", axis=[0, 0, 5], lower=-1, upper=1)
    assert_array_equal(joint.axis, [0.0, 0.0, 1.0])
    assert_array_equal(joint.origin, np.eye(4))
    assert isinstance(joint.lower, float)
    assert (joint.nq, joint.nv) == (1, 1)


# --- immutable ----------------------------------------------------------------------------------------------


def test_a_model_cannot_be_changed(figure: Model) -> None:
    with pytest.raises(AttributeError, match="a Model is immutable: cannot set 'name'"):
        figure.name = "other"
    with pytest.raises(AttributeError, match="a Model is immutable: cannot delete 'nq'"):
        del figure.nq
    arrays = [figure.lower, figure.upper, figure.neutral, figure.joints[0].origin, figure.joints[0].axis]
    for array in [*arrays, figure.frames[0].pose_link_frame]:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0


def test_results_are_the_callers_own(figure: Model) -> None:
    before = figure.pose(figure.neutral)
    for result in (
        figure.forward(figure.neutral),
        figure.pose(figure.neutral),
        figure.jacobian(figure.neutral),
    ):
        result[...] = 7.0
    assert_array_equal(figure.pose(figure.neutral), before)
    q = figure.random(1)
    kept = q.copy()
    for result in (figure.clip(q), figure.integrate(q, np.zeros(figure.nv))):
        result[...] = 7.0
    assert_array_equal(q, kept)


def test_an_origin_is_copied() -> None:
    origin = np.eye(4)
    joint = hinge("a", "base", "A", origin=origin)
    origin[0, 3] = 5.0
    assert joint.origin[0, 3] == 0.0


@given(models(), SEEDS)
def test_a_pickled_model_is_the_same_model(model: Model, seed: int) -> None:
    copy = pickle.loads(pickle.dumps(model))
    q = configuration(model, seed)
    assert (copy.name, copy.joint_names, copy.frame_names) == (
        model.name,
        model.joint_names,
        model.frame_names,
    )
    assert (copy.root, copy.end_effector) == (model.root, model.end_effector)
    assert_array_equal(copy.forward(q), model.forward(q))
    assert_array_equal(copy.lower, model.lower)


def test_a_model_shows_what_it_is() -> None:
    assert repr(planar_arm(3)) == "Model('planar-3', 3 joints, nq=3, nv=3, end_effector='tip')"


# --- names that do not exist --------------------------------------------------------------------------------


def test_an_unknown_name_is_answered_with_near_ones(figure: Model) -> None:
    with pytest.raises(
        ModelError, match="model 'figure' has no joint 'left_elbo'; did you mean 'left_elbow'"
    ):
        figure.joint("left_elbo")
    for lookup in (figure.q_slice, figure.v_slice):
        with pytest.raises(ModelError, match="has no joint 'spin'; did you mean 'spine'"):
            lookup("spin")
    q = figure.neutral
    lookups = [figure.frame, figure.path, figure.reach, lambda name: figure.pose(q, name)]
    for look in [*lookups, lambda name: figure.jacobian(q, name)]:
        with pytest.raises(
            ModelError, match="model 'figure' has no frame 'left_hnd'; did you mean 'left_hand'"
        ):
            look("left_hnd")
    with pytest.raises(ModelError, match="has no joint 3"):
        figure.joint(3)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="has no frame"):
        figure.frame(["head"])  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="has no frame 'hook'; known: base, A"):
        Model("m", [hinge("a", "base", "A")], end_effector="hook")


# --- what is not one tree -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("joints", "options", "message"),
    [
        (
            [hinge("a", "C", "A"), hinge("b", "A", "B"), hinge("c", "B", "C")],
            {},
            "the joints .* form a cycle: (A -> B -> C -> A|B -> C -> A -> B|C -> A -> B -> C)",
        ),
        (
            [hinge("z", "root", "Z"), hinge("a", "B", "A"), hinge("b", "A", "B"), hinge("t", "A", "T")],
            {},
            "the joints 'b', 'a' form a cycle: A -> B -> A|the joints 'a', 'b' form a cycle: B -> A -> B",
        ),
        ([hinge("a", "base", "A"), hinge("a", "A", "B")], {}, "two joints have the name 'a'"),
        (
            [hinge("a", "base", "A"), hinge("b", "base", "A")],
            {},
            "link 'A' is the child of two joints, 'a' and 'b'",
        ),
        (
            [hinge("a", "base", "A"), hinge("b", "floor", "B")],
            {},
            "a model has one root link, found 2 links that are no joint's child: 'base', 'floor'",
        ),
        (
            [hinge("a", "base", "upper"), hinge("b", "uper", "B")],
            {"root": "base"},
            "joint 'b' has the unknown parent link 'uper'; did you mean 'upper'",
        ),
        (
            [hinge("a", "base", "A")],
            {"root": "A"},
            "root 'A' is the child of joint 'a', so it is not the root",
        ),
        ([hinge("a", "base", "A")], {"root": "world"}, "joint 'a' has the unknown parent link 'base'"),
        ([], {"root": ""}, "`root` of a model needs a text that is not empty, found ''"),
        (["a"], {}, r"joints\[0\] needs a Joint, found 'a'"),
        ([hinge("a", "base", "A")], {"frames": [1]}, r"frames\[0\] needs a Frame, found 1"),
        (
            [hinge("a", "base", "A")],
            {"frames": [Frame(name="x", link="A"), Frame(name="x", link="base")]},
            "two frames have the name 'x'",
        ),
        (
            [hinge("a", "base", "A")],
            {"frames": [Frame(name="A", link="base")]},
            "frame 'A' has the name of a link; every link is already a frame",
        ),
        (
            [hinge("a", "base", "A")],
            {"frames": [Frame(name="x", link="AA")]},
            "frame 'x' is on the unknown link 'AA'; did you mean 'A'",
        ),
    ],
)
def test_what_is_not_one_tree_is_refused(joints: list[Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Model("m", joints, **options)


def test_a_model_needs_a_name() -> None:
    with pytest.raises(ModelError, match="`name` of a model needs a text that is not empty, found ''"):
        Model("", [])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": ""}, "`name` of a joint needs a text that is not empty, found ''"),
        ({"parent": 3}, "`parent` of a joint needs a text that is not empty, found 3"),
        ({"child": "base"}, "joint 'a' connects link 'base' with itself"),
        ({"kind": "revolute"}, "joint 'a': kind needs a JointKind, found 'revolute'"),
        ({"lower": 1.0, "upper": -1.0}, "joint 'a': the limits are the wrong way round, lower 1 > upper -1"),
        ({"lower": math.nan}, "joint 'a': lower limit needs a number, found nan"),
        ({"upper": "wide"}, "joint 'a': upper limit needs a number, found 'wide'"),
        ({"lower": math.inf}, r"joint 'a': no value up to 1e\+09 lies between the limits inf and inf"),
        ({"upper": -math.inf}, r"joint 'a': no value up to 1e\+09 lies between the limits -inf and -inf"),
        ({"axis": [0, 0, 0]}, "the axis of joint 'a' needs a direction, found 0 0 0"),
        ({"axis": [0, math.nan, 1]}, r"the axis of joint 'a' needs finite numbers, found nan at \[1\]"),
        ({"axis": [1, 0]}, r"the axis of joint 'a' needs 3 numbers, found shape \(2,\)"),
        ({"axis": "w"}, "the axis of joint 'a' needs three numbers or one of x, y, z, -x, -y, -z, found 'w'"),
        ({"origin": np.eye(3)}, r"the origin of joint 'a' needs a 4x4 pose, found shape \(3, 3\)"),
        ({"origin": math.nan * np.eye(4)}, "the origin of joint 'a' needs finite numbers, found nan"),
        ({"origin": 2 * np.eye(4)}, "the origin of joint 'a' needs the last row 0 0 0 1"),
        ({"velocity": 0.0}, "joint 'a': velocity needs a positive number, found 0"),
        ({"velocity": -1.0}, "joint 'a': velocity needs a positive number, found -1"),
        ({"acceleration": math.nan}, "joint 'a': acceleration needs a number, found nan"),
        ({"swing": 1.0}, "joint 'a': only a ball joint has a swing limit, this one is revolute"),
        (
            {"kind": JointKind.BALL, "swing": -0.1},
            "joint 'a': swing needs an angle from 0 to pi rad, found -0.1",
        ),
        (
            {"kind": JointKind.BALL, "swing": 3.2},
            "joint 'a': swing needs an angle from 0 to pi rad, found 3.2",
        ),
        ({"kind": JointKind.BALL, "swing": math.nan}, "joint 'a': swing needs a number, found nan"),
        (
            {"kind": JointKind.CONTINUOUS, "lower": -1.0, "upper": 1.0},
            "joint 'a': a continuous joint has no limits, found -1 to 1; use REVOLUTE for limits",
        ),
        ({"kind": JointKind.FIXED, "lower": 0.0}, "joint 'a': a fixed joint has no limits, found 0 to inf"),
        ({"kind": JointKind.FLOATING, "upper": 0.0}, "joint 'a': a floating joint has no limits"),
    ],
)
def test_a_wrong_joint_is_refused(fields: dict[str, Any], message: str) -> None:
    sound = {"name": "a", "kind": JointKind.REVOLUTE, "parent": "base", "child": "A"}
    with pytest.raises(ModelError, match=message):
        Joint(**{**sound, **fields})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": " "}, "`name` of a frame needs a text that is not empty, found ' '"),
        ({"link": None}, "`link` of frame 'x' needs a text that is not empty, found None"),
        ({"pose_link_frame": np.zeros((4, 4))}, "the pose of frame 'x' needs the last row 0 0 0 1"),
    ],
)
def test_a_wrong_frame_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Frame(**{"name": "x", "link": "base", **fields})


@pytest.mark.parametrize(
    ("kind", "nq", "nv"),
    [
        ("REVOLUTE", 1, 1),
        ("CONTINUOUS", 1, 1),
        ("PRISMATIC", 1, 1),
        ("FIXED", 0, 0),
        ("BALL", 4, 3),
        ("FLOATING", 7, 6),
    ],
)
def test_sizes_of_the_kinds_of_joint(kind: str, nq: int, nv: int) -> None:
    assert (JointKind[kind].nq, JointKind[kind].nv) == (nq, nv)


@pytest.mark.parametrize(
    ("joint", "is_movable"),
    [
        (ModelBuilder("a").revolute("j", limits=(0.5, 0.5)), False),
        (ModelBuilder("a").revolute("j", limits=(0.5, 0.5 + 1e-15)), True),
        (ModelBuilder("a").revolute("j"), True),
        (ModelBuilder("a").fixed("j"), False),
        (ModelBuilder("a").floating("j"), True),
        (ModelBuilder("a").ball("j", swing=0.0, twist=0.0), False),
        (ModelBuilder("a").ball("j", swing=0.0, twist=0.1), True),
        (ModelBuilder("a").ball("j", swing=0.1, twist=0.0), True),
        (ModelBuilder("a").ball("j", euler=EulerLimits(lower=np.zeros(3), upper=np.zeros(3))), False),
        (ModelBuilder("a").ball("j", euler=EulerLimits(lower=np.zeros(3), upper=np.full(3, 0.1))), True),
    ],
)
def test_a_joint_is_movable_where_its_limits_differ(joint, is_movable):
    assert joint.build().joint("j").is_movable is is_movable


@pytest.mark.parametrize("far", [1e16, 1e200, 1e308])
def test_a_limit_that_is_farther_than_any_motion_is_none(far: float) -> None:
    """Files write such numbers for joints that turn or slide without end."""
    builder = limbik.ModelBuilder("far").revolute("turn", axis=[0, 0, 1], limits=(-far, far))
    model = builder.prismatic("slide", axis=[1, 0, 0], limits=(-far, 1.0)).build()
    assert [(joint.lower, joint.upper) for joint in model.joints] == [(-math.inf, math.inf), (-math.inf, 1.0)]
    with np.errstate(over="raise"):
        assert np.isfinite(model.random(0, 20)).all()
        assert model.solve([0.2, 0.3, 0.0]).success
