"""Joints that follow others: compared with the same tree whose every joint moves on its own."""

import math
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from limbik.errors import ModelError
from limbik.model import Joint, JointKind, Mass, Mimic, Model, ModelBuilder
from limbik.model.canonical import canonical
from limbik.model.chain import chain_to
from strategies import SEEDS, configuration, models, tangent

SCALAR = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC)
MULTIPLIERS = st.sampled_from([1.0, -1.0, 0.5, -2.25])
OFFSETS = st.sampled_from([0.0, 0.3, -1.5])
few = settings(max_examples=30)  # a tree takes long to draw


@st.composite
def followed(draw: st.DrawFn) -> tuple[Model, Model]:
    """A tree in which some joints follow others, on whatever branch, and the same tree without the rules."""
    tree = draw(models(min_joints=2))
    free = [replace(joint, lower=-math.inf, upper=math.inf) for joint in tree.joints]
    scalar = [joint.name for joint in free if joint.kind in SCALAR]
    assume(len(scalar) > 1)
    order = draw(st.permutations(scalar))
    rules = {}
    for k in range(1, len(order)):
        if draw(st.booleans()):
            leader = order[draw(st.integers(0, k - 1))]
            rules[order[k]] = Mimic(joint=leader, multiplier=draw(MULTIPLIERS), offset=draw(OFFSETS))
    assume(rules)
    others = tree.frames[len(free) + 1 :]
    masses = [
        Mass(link=joint.child, mass=draw(st.sampled_from([0.0, 1.0, 3.5])), center=np.array([0.1, -0.2, 0.3]))
        for joint in free
    ]
    masses.append(Mass(link=tree.root, mass=1.5, center=np.array([0.0, 0.5, 0.0])))
    options: dict[str, Any] = {"masses": masses, "root": tree.root, "end_effector": tree.end_effector}
    mimicking = Model("m", [replace(joint, mimic=rules.get(joint.name)) for joint in free], others, **options)
    return mimicking, Model("m", free, others, **options)


def expanded(model: Model, free: Model, q: np.ndarray) -> np.ndarray:
    """The configuration of the tree whose joints are free in which it stands as the one that follows."""
    out = np.zeros((*q.shape[:-1], free.nq))
    for joint in model.joints:
        value = q[..., model.q_slice(joint.name)]
        if joint.mimic:
            value = joint.mimic.multiplier * value + joint.mimic.offset
        out[..., free.q_slice(joint.name)] = value
    return out


def rates(model: Model, free: Model) -> np.ndarray:
    """dv_free / dv [free.nv, nv]."""
    out = np.zeros((free.nv, model.nv))
    for joint in model.joints:
        rows, columns = free.v_slice(joint.name), model.v_slice(joint.name)
        out[rows, columns] += (joint.mimic.multiplier if joint.mimic else 1.0) * np.eye(joint.kind.nv)
    return out


@pytest.mark.slow
@few
@given(followed(), SEEDS)
def test_a_tree_with_followers_stands_as_the_same_tree_of_free_joints(
    pair: tuple[Model, Model], seed: int
) -> None:
    model, free = pair
    q = configuration(model, seed, 2)
    q_free = expanded(model, free, q)
    assert_allclose(model.forward(q), free.forward(q_free), rtol=0, atol=1e-12)
    for frame in model.frame_names:
        assert_allclose(model.pose(q, frame), free.pose(q_free, frame), rtol=0, atol=1e-12)


@few
@given(followed(), SEEDS, st.sampled_from(["world", "local"]))
def test_jacobians_follow_from_those_of_free_joints_by_the_chain_rule(
    pair: tuple[Model, Model], seed: int, axes: Any
) -> None:
    model, free = pair
    q = configuration(model, seed, 2)
    q_free, chain_rule = expanded(model, free, q), rates(model, free)
    for frame in model.frame_names:
        expected = free.jacobian(q_free, frame, axes) @ chain_rule
        assert_allclose(model.jacobian(q, frame, axes), expected, rtol=0, atol=1e-12)


@few
@given(followed(), SEEDS)
def test_jacobians_are_derivatives(pair: tuple[Model, Model], seed: int) -> None:
    model, _ = pair
    q, v, step = configuration(model, seed), tangent(model, seed), 1e-5
    ahead, behind = (model.integrate(q, sign * step * v) for sign in (1.0, -1.0))
    moved = (model.pose(ahead) - model.pose(behind)) / (2.0 * step)
    assert_allclose((model.jacobian(q) @ v)[:3], moved[:3, 3], rtol=0, atol=2e-5)
    center = (model.center_of_mass(ahead) - model.center_of_mass(behind)) / (2.0 * step)
    assert_allclose(model.center_of_mass_jacobian(q) @ v, center, rtol=0, atol=2e-5)


@few
@given(followed(), SEEDS)
def test_the_center_of_mass_is_that_of_free_joints(pair: tuple[Model, Model], seed: int) -> None:
    model, free = pair
    q = configuration(model, seed, 2)
    q_free = expanded(model, free, q)
    assert_allclose(model.center_of_mass(q), free.center_of_mass(q_free), rtol=0, atol=1e-12)
    expected = free.center_of_mass_jacobian(q_free) @ rates(model, free)
    assert_allclose(model.center_of_mass_jacobian(q), expected, rtol=0, atol=1e-12)


@pytest.mark.slow
@few
@given(followed(), SEEDS)
def test_followers_have_no_part_of_q_and_name_their_leaders(pair: tuple[Model, Model], seed: int) -> None:
    model, free = pair
    followers = [joint for joint in model.joints if joint.mimic]
    assert model.nq == free.nq - len(followers)
    assert model.nv == free.nv - len(followers)
    for joint in followers:
        assert joint.mimic is not None
        assert model.joint(joint.mimic.joint).mimic is None
        assert model.q_slice(joint.name) == model.q_slice(joint.mimic.joint)
        assert model.v_slice(joint.name) == model.v_slice(joint.mimic.joint)
    q = configuration(model, seed)
    copy = pickle.loads(pickle.dumps(model))
    assert_array_equal(copy.forward(q), model.forward(q))
    assert_array_equal(copy.center_of_mass(q), model.center_of_mass(q))


@few
@given(followed(), SEEDS)
def test_a_chain_is_named_by_whether_a_follower_moves_it(pair: tuple[Model, Model], seed: int) -> None:
    model, _ = pair
    q = configuration(model, seed)
    for frame in model.frame_names:
        chain = chain_to(model, frame)
        assert chain.has_mimic == any(joint.mimic for joint in model.path(frame))
        places = chain.q_indices.tolist()
        assert len(set(places)) == len(places)
        moving = np.abs(model.jacobian(q, frame)).max(axis=0, initial=0.0) > 0.0
        tangents = [range(model.nv)[model.v_slice(joint.name)] for joint in model.path(frame)]
        assert set(np.flatnonzero(moving)) <= {place for span in tangents for place in span}
        needed = {
            place for joint in model.path(frame) for place in range(model.nq)[model.q_slice(joint.name)]
        }
        assert set(places) == needed


def test_followers_move_as_they_do_in_pinocchio() -> None:
    model = (
        ModelBuilder("hand")
        .revolute("palm", axis="z")
        .revolute("proximal", axis="y", origin=(0.1, 0, 0))
        .revolute("distal", axis="y", origin=(0.05, 0, 0), mimic=Mimic(joint="proximal", multiplier=1.5))
        .prismatic("nail", axis="x", mimic=Mimic(joint="palm", multiplier=-0.1, offset=0.2))
        .frame("tip", pose=(0.02, 0.01, 0))
        .build(end_effector="tip")
    )
    free = pin.Model()
    number = 0
    for joint, moving in zip(
        model.joints, [pin.JointModelRZ, *2 * [pin.JointModelRY], pin.JointModelPX], strict=True
    ):
        number = free.addJoint(number, moving(), pin.SE3(np.array(joint.origin)), joint.name)
    place = pin.SE3(np.eye(3), np.array([0.02, 0.01, 0.0]))
    tip = free.addFrame(pin.Frame("tip", number, 0, place, pin.FrameType.OP_FRAME))
    oracle = pin.transformJointIntoMimic(free, 2, 3, 1.5, 0.0)
    oracle = pin.transformJointIntoMimic(oracle, 1, 4, -0.1, 0.2)
    data = oracle.createData()
    for q in np.random.default_rng(1).uniform(-2, 2, (5, 2)):
        pin.framesForwardKinematics(oracle, data, q)
        assert_allclose(model.pose(q), data.oMf[tip].homogeneous, rtol=0, atol=1e-14)
        jacobian = pin.computeFrameJacobian(oracle, data, q, tip, pin.LOCAL_WORLD_ALIGNED)
        assert_allclose(model.jacobian(q), jacobian, rtol=0, atol=1e-14)


# --- limits -------------------------------------------------------------------------------------------------


def gripper(*, leader: Any = (0.0, 0.8), follower: Any = None, rule: Mimic | None = None) -> Model:
    return (
        ModelBuilder("gripper")
        .revolute("left", limits=leader)
        .revolute("right", parent="base", limits=follower, mimic=rule or Mimic(joint="left", multiplier=-2.0))
        .build()
    )


@pytest.mark.parametrize(
    ("follower", "expected"),
    [
        (None, (0.0, 0.8)),
        ((-1.0, 5.0), (0.0, 0.5)),
        ((-5.0, -0.4), (0.2, 0.8)),
        ((-math.inf, -1.0), (0.5, 0.8)),
    ],
)
def test_a_leader_keeps_its_followers_within_their_limits(
    follower: Any, expected: tuple[float, float]
) -> None:
    model = gripper(follower=follower)
    assert (model.lower.tolist(), model.upper.tolist()) == ([expected[0]], [expected[1]])
    assert (model.joint("left").lower, model.joint("left").upper) == expected
    assert model.is_within_limits(model.neutral)
    copy = pickle.loads(pickle.dumps(model))
    assert_array_equal([copy.lower, copy.upper], [model.lower, model.upper])


def test_a_continuous_leader_is_limited_by_its_followers() -> None:
    joints = [
        Joint(name="wheel", kind=JointKind.CONTINUOUS, parent="base", child="a"),
        Joint(
            name="rack",
            kind=JointKind.PRISMATIC,
            parent="base",
            child="b",
            lower=-0.1,
            upper=0.2,
            mimic=Mimic(joint="wheel", multiplier=0.05),
        ),
    ]
    model = Model("steering", joints)
    assert model.joint("wheel").kind is JointKind.REVOLUTE
    assert_allclose([model.lower[0], model.upper[0]], [-2.0, 4.0])
    assert model.has_limits


def test_limits_reach_the_first_leader_through_followers() -> None:
    model = (
        ModelBuilder("finger")
        .revolute("c", limits=(-0.2, 0.2), mimic=Mimic(joint="b", multiplier=0.5, offset=0.1))
        .revolute("b", mimic=Mimic(joint="a", multiplier=-1.0, offset=0.2))
        .revolute("a", limits=1.0)
        .build()
    )
    assert model.joint("c").mimic == Mimic(joint="a", multiplier=-0.5, offset=0.2)
    assert_allclose([model.lower[0], model.upper[0]], [0.0, 0.8], atol=1e-15)


def test_limits_that_leave_nothing_are_refused() -> None:
    message = (
        "joint 'right' follows 'left', and their limits leave no value: 'left' has 0 to 0.8, 'right' needs"
    )
    with pytest.raises(ModelError, match=message):
        gripper(follower=(1.0, 2.0))


# --- reach --------------------------------------------------------------------------------------------------


def test_reach_counts_the_travel_of_a_slide_that_follows() -> None:
    def telescope(limits: Any) -> Model:
        rule = Mimic(joint="first", multiplier=-2.0, offset=0.1)
        return (
            ModelBuilder("telescope")
            .prismatic("first", axis="x", limits=limits)
            .prismatic("second", axis="-x", origin=(1, 0, 0), mimic=rule)
            .build()
        )

    assert telescope((0.0, 0.5)).reach() == pytest.approx(0.5 + 1.9)
    assert telescope(None).reach() == math.inf


@pytest.mark.slow
@few
@given(followed(), SEEDS, st.floats(0.1, 2.0))
def test_no_frame_gets_beyond_reach(pair: tuple[Model, Model], seed: int, half: float) -> None:
    model, _ = pair
    joints = [
        replace(joint, lower=-half, upper=half)
        if joint.kind is JointKind.PRISMATIC and not joint.mimic
        else joint
        for joint in model.joints
    ]
    limited = Model("m", joints, root=model.root)
    q = limited.random(seed, 3)
    for frame in limited.frame_names:
        moving = [joint for joint in limited.path(frame) if joint.kind is not JointKind.FIXED]
        if moving:
            start = limited.pose(q, moving[0].parent) @ moving[0].origin
            distance = np.linalg.norm(limited.pose(q, frame)[:, :3, 3] - start[:, :3, 3], axis=-1)
            assert (distance <= limited.reach(frame) + 1e-12).all()


# --- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"joint": ""}, "`joint` of a mimic rule needs a text that is not empty, found ''"),
        ({"multiplier": 0.0}, "the mimic rule on joint 'a': multiplier needs a number other than 0"),
        ({"multiplier": math.nan}, "the mimic rule on joint 'a': multiplier needs a number, found nan"),
        (
            {"offset": math.inf},
            "the mimic rule on joint 'a': offset needs a finite number up to 1e\\+09, found inf",
        ),
        (
            {"multiplier": -1e155},
            "the mimic rule on joint 'a': multiplier needs a finite number up to 1e\\+09",
        ),
        ({"multiplier": -1e-300}, "the mimic rule on joint 'a': multiplier needs a number of at least 1e-09"),
        ({"offset": "far"}, "the mimic rule on joint 'a': offset needs a number, found 'far'"),
    ],
)
def test_a_wrong_rule_is_refused(rule: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Mimic(**{"joint": "a", **rule})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kind": JointKind.BALL}, "joint 'b': a ball joint cannot follow another"),
        ({"kind": JointKind.FIXED}, "joint 'b': a fixed joint cannot follow another"),
        ({"kind": JointKind.FLOATING}, "joint 'b': a floating joint cannot follow another"),
        ({"mimic": Mimic(joint="b")}, "joint 'b' follows itself"),
        ({"mimic": "a"}, "joint 'b': mimic needs a Mimic, found 'a'"),
    ],
)
def test_a_joint_that_cannot_follow_is_refused(fields: dict[str, Any], message: str) -> None:
    sound = {"name": "b", "kind": JointKind.REVOLUTE, "parent": "a", "child": "B", "mimic": Mimic(joint="a")}
    with pytest.raises(ModelError, match=message):
        Joint(**{**sound, **fields})


def test_a_leader_must_be_there_and_be_able_to_lead() -> None:
    with pytest.raises(
        ModelError, match="joint 'right' follows the unknown joint 'lift'; did you mean 'left'"
    ):
        gripper(rule=Mimic(joint="lift"))
    shoulder = ModelBuilder("m").ball("shoulder").revolute("elbow", mimic=Mimic(joint="shoulder"))
    with pytest.raises(
        ModelError, match="joint 'elbow' follows 'shoulder', a ball joint; revolute, continuous"
    ):
        shoulder.build()


def test_joints_that_follow_each_other_in_a_circle_are_refused() -> None:
    circle = (
        ModelBuilder("m")
        .revolute("a", mimic=Mimic(joint="b"))
        .revolute("b", mimic=Mimic(joint="c"))
        .revolute("c", mimic=Mimic(joint="b"))
    )
    with pytest.raises(ModelError, match="joints follow each other in a circle: b -> c -> b"):
        circle.build()


def test_a_chain_with_followers_has_no_denavit_hartenberg_form() -> None:
    model = gripper()
    with pytest.raises(ModelError, match="joint 'right' follows 'left': Denavit-Hartenberg form"):
        canonical(chain_to(model, "right"))
    assert not chain_to(model, "left").has_mimic
