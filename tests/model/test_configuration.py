"""The configuration space: integrate and difference, limits, random configurations."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from limbik.errors import ConfigurationError
from limbik.model import Joint, JointKind, Model, ModelBuilder, ball_arm, planar_arm
from strategies import SEEDS, configuration, models, rotation_vectors, tangent, unit_vectors


def ball(axis: object = "x", swing: float = math.pi, twist: object = None) -> Model:
    return ModelBuilder("ball").ball("joint", axis=axis, swing=swing, twist=twist).build()  # type: ignore[arg-type]


def angle_between(u: np.ndarray, v: np.ndarray) -> float:
    return 2.0 * math.atan2(float(np.linalg.norm(u - v)), float(np.linalg.norm(u + v)))


def swing_of(q: np.ndarray, axis: np.ndarray) -> float:
    """The angle by which a rotation moves the axis."""
    return angle_between(Rotation.from_quat(q).apply(axis), axis)


# --- steps --------------------------------------------------------------------------------------------------


@given(models(), SEEDS)
def test_difference_undoes_integrate(model: Model, seed: int) -> None:
    q, v = configuration(model, seed), tangent(model, seed)
    assert_allclose(model.difference(q, model.integrate(q, v)), v, rtol=0, atol=1e-12)


@pytest.mark.parametrize("model", [planar_arm(2), ModelBuilder("free").floating("root").build()])
def test_batches_that_do_not_go_together_are_refused(model: Model) -> None:
    q, v = np.tile(model.neutral, (3, 1)), np.zeros((2, model.nv))
    with pytest.raises(ConfigurationError, match=r"the same shape, or one row for all, found \(3, "):
        model.integrate(q, v)
    with pytest.raises(ConfigurationError, match="the same shape, or one row for all"):
        model.difference(q, q[:2])


@pytest.mark.parametrize("model", [planar_arm(2), ModelBuilder("free").floating("root").build()])
def test_steps_beyond_what_a_number_can_hold_are_refused(model: Model) -> None:
    q = model.neutral + np.where(np.arange(model.nq) < 2, 1e308, 0.0)
    v = np.where(np.arange(model.nv) < 2, 1e308, 0.0)
    with pytest.raises(
        ConfigurationError, match="the sum of q and v is beyond what a number can hold, at joint"
    ):
        model.integrate(q, v)
    with pytest.raises(ConfigurationError, match="the difference of q0 and q1 is beyond what a number"):
        model.difference(q, model.neutral - (q - model.neutral))


@pytest.mark.slow
@given(models(), SEEDS, SEEDS)
def test_integrate_undoes_difference(model: Model, seed0: int, seed1: int) -> None:
    q0, q1 = configuration(model, seed0), configuration(model, seed1)
    reached = model.integrate(q0, model.difference(q0, q1))
    assert_allclose(model.forward(reached), model.forward(q1), rtol=0, atol=1e-11)
    for k in range(model.nq):
        assert reached[k] == pytest.approx(q1[k], abs=1e-12) or reached[k] == pytest.approx(-q1[k], abs=1e-12)


@given(models(), SEEDS)
def test_no_step_changes_nothing_and_differs_by_nothing(model: Model, seed: int) -> None:
    q = configuration(model, seed)
    assert_allclose(model.integrate(q, np.zeros(model.nv)), q, rtol=0, atol=1e-15)
    assert_allclose(model.difference(q, q), 0.0, rtol=0, atol=1e-15)


@given(models(), SEEDS)
def test_steps_broadcast(model: Model, seed: int) -> None:
    many, v = configuration(model, seed, 3), tangent(model, seed)
    moved = model.integrate(many, v)
    assert moved.shape == (3, model.nq)
    for k in range(3):
        assert_allclose(moved[k], model.integrate(many[k], v), rtol=0, atol=1e-14)
    fan = model.integrate(many[0], np.stack([v, -v]))
    assert_allclose(fan[1], model.integrate(many[0], -v), rtol=0, atol=1e-14)
    assert_allclose(model.difference(many[0], fan)[0], v, rtol=0, atol=1e-12)


def test_a_continuous_joint_counts_turns() -> None:
    wheel = ModelBuilder("wheel").continuous("axle").build()
    assert_array_equal(wheel.integrate([0.0], [20.0]), [20.0])
    assert_array_equal(wheel.difference([0.0], [20.0]), [20.0])
    assert wheel.is_within_limits([1e6])
    assert not wheel.has_limits


def test_a_floating_joint_drives_along_its_own_axes() -> None:
    car = ModelBuilder("car").floating("body").build()
    turned = Rotation.from_rotvec([0, 0, math.pi / 2]).as_quat()
    ahead = car.integrate([1, 2, 3, *turned], [5, 0, 0, 0, 0, 0])
    assert_allclose(ahead, [1, 7, 3, *turned], rtol=0, atol=1e-14)


@given(rotation_vectors(largest=3.1))
def test_a_ball_joint_turns_about_axes_of_the_moved_frame(w: np.ndarray) -> None:
    joint = ball()
    start = Rotation.from_rotvec([0.3, -0.4, 1.2])
    q = joint.integrate(start.as_quat(), w)
    expected = (start * Rotation.from_rotvec(w)).as_matrix()
    assert_allclose(Rotation.from_quat(q).as_matrix(), expected, rtol=0, atol=1e-14)


# --- limits -------------------------------------------------------------------------------------------------


@given(models(), SEEDS)
def test_what_clip_returns_is_within_the_limits_and_stays(model: Model, seed: int) -> None:
    q = configuration(model, seed, 5)
    clipped = model.clip(q)
    assert model.is_within_limits(clipped).all()
    assert_array_equal(model.clip(clipped), clipped)
    assert model.is_within_limits(model.neutral)


@given(models(), SEEDS)
def test_clip_keeps_what_is_within_the_limits(model: Model, seed: int) -> None:
    q = model.random(seed)
    assert_array_equal(model.clip(q), q)


@given(models(), SEEDS)
def test_random_is_within_the_limits(model: Model, seed: int) -> None:
    q = model.random(np.random.default_rng(seed), 20)
    assert q.shape == (20, model.nq)
    assert model.is_within_limits(q).all()
    assert (q >= model.lower - 1e-15).all()
    assert (q <= model.upper + 1e-15).all()


@given(models(), SEEDS)
def test_clip_moves_hinges_and_sliders_to_the_nearest_limit(model: Model, seed: int) -> None:
    q = configuration(model, seed)
    clipped = model.clip(q)
    for joint in model.joints:
        if joint.nq == 1:
            place = model.q_slice(joint.name)
            assert clipped[place] == min(max(float(q[place][0]), joint.lower), joint.upper)


@given(rotation_vectors(), unit_vectors(), st.floats(0.0, math.pi))
def test_clip_moves_the_twist_axis_onto_the_cone_by_the_shortest_way(
    w: np.ndarray, axis: np.ndarray, swing: float
) -> None:
    model, turn = ball(axis, swing), Rotation.from_rotvec(w)
    beyond = swing_of(turn.as_quat(), axis) - swing
    clipped = model.clip(turn.as_quat())
    if beyond <= 0.0:
        assert_allclose(clipped, turn.as_quat(), rtol=0, atol=1e-15)
        return
    assume(beyond < math.pi - 1e-6)
    assert swing_of(clipped, axis) == pytest.approx(swing, abs=3e-12)
    # No rotation that puts the axis on the cone is nearer than the distance of the axis from the cone.
    assert (Rotation.from_quat(clipped) * turn.inv()).magnitude() == pytest.approx(beyond, abs=3e-12)


@given(rotation_vectors(), unit_vectors(), st.floats(-3.0, 3.0), st.floats(0.0, 6.0))
def test_clip_of_the_twist_leaves_the_twist_axis_where_it_is(
    w: np.ndarray, axis: np.ndarray, lower: float, width: float
) -> None:
    model, turn = ball(axis, math.pi, (lower, lower + width)), Rotation.from_rotvec(w)
    clipped = Rotation.from_quat(model.clip(turn.as_quat()))
    assert_allclose(clipped.apply(axis), turn.apply(axis), rtol=0, atol=1e-14)
    # What is left of the turn when the twist axis stays is a twist; the nearest end of the range is chosen.
    between = (turn.inv() * clipped).as_rotvec() @ axis
    ends = [end - twist_of(turn, axis) for end in (lower, lower + width)]
    if swing_of(turn.as_quat(), axis) < math.pi - 1e-3 and abs(between) > 1e-9:
        shortest = min(abs(math.remainder(end, 2.0 * math.pi)) for end in ends)
        assert abs(between) == pytest.approx(shortest, abs=1e-9)


def twist_of(turn: Rotation, axis: np.ndarray) -> float:
    """The turn about the axis that is left when the axis is brought back to its place by the shortest way."""
    moved = turn.apply(axis)
    back = np.cross(moved, axis)
    length = np.linalg.norm(back)
    swing = (
        Rotation.identity()
        if length == 0.0
        else Rotation.from_rotvec(back / length * angle_between(moved, axis))
    )
    return float((swing * turn).as_rotvec() @ axis)


def test_limits_of_a_ball_joint_in_numbers() -> None:
    arm = ball("x", swing=0.5, twist=(-0.2, 0.3))
    about = {name: np.eye(3)[k] for k, name in enumerate("xyz")}

    def q(axis: str, angle: float) -> np.ndarray:
        return Rotation.from_rotvec(angle * about[axis]).as_quat()

    assert arm.is_within_limits(q("x", 0.3))
    assert not arm.is_within_limits(q("x", 0.3 + 1e-11))
    assert arm.is_within_limits(q("x", -0.2))
    assert not arm.is_within_limits(q("x", -0.21))
    assert arm.is_within_limits(q("y", 0.5))
    assert arm.is_within_limits(-q("z", -0.5))
    assert not arm.is_within_limits(q("z", 0.5 + 1e-11))
    assert_allclose(arm.clip(q("y", 2.0)), q("y", 0.5), rtol=0, atol=1e-15)
    assert_allclose(arm.clip(-q("y", 2.0)), -q("y", 0.5), rtol=0, atol=1e-15)
    assert_allclose(arm.clip(q("x", 1.0)), q("x", 0.3), rtol=0, atol=1e-15)
    assert_allclose(arm.clip(q("x", -3.0)), q("x", -0.2), rtol=0, atol=1e-15)
    both = (Rotation.from_rotvec([0, 2.0, 0]) * Rotation.from_rotvec([1.0, 0, 0])).as_quat()
    allowed = (Rotation.from_rotvec([0, 0.5, 0]) * Rotation.from_rotvec([0.3, 0, 0])).as_quat()
    assert_allclose(arm.clip(both), allowed, rtol=0, atol=1e-15)


def test_a_twist_range_may_lie_anywhere_on_the_circle() -> None:
    arm = ball("z", twist=(3.0, 4.0))
    for angle, allowed in [(3.5, 3.5), (3.5 - 2 * math.pi, 3.5), (2.5, 3.0), (-2.0, 4.0), (0.0, 4.0)]:
        expected = Rotation.from_rotvec([0, 0, allowed]).as_matrix()
        clipped = arm.clip(Rotation.from_rotvec([0, 0, angle]).as_quat())
        assert_allclose(Rotation.from_quat(clipped).as_matrix(), expected, rtol=0, atol=1e-14)
        assert arm.is_within_limits(clipped)
    assert arm.is_within_limits(arm.neutral)


@given(SEEDS, st.floats(0.0, 1e-5), unit_vectors())
def test_twist_limits_hold_next_to_half_a_turn_of_swing(seed: int, short_of: float, axis: np.ndarray) -> None:
    rng = np.random.default_rng(seed)
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    swing = Rotation.from_rotvec((math.pi - short_of) * across / np.linalg.norm(across))
    q = (swing * Rotation.from_rotvec(rng.uniform(-3, 3) * axis)).as_quat()
    model = ball(axis, math.pi, (0.1, 0.2))
    assert model.is_within_limits(model.clip(q))
    assert_array_equal(model.clip(model.clip(q)), model.clip(q))


def test_margin_is_kept_from_every_limit() -> None:
    arm = planar_arm(2, limits=1.0)
    assert arm.is_within_limits([0.9, -0.9], margin=0.1)
    assert not arm.is_within_limits([0.9, -0.95], margin=0.1)
    assert arm.is_within_limits([1.05, -1.0], margin=-0.1)
    cone = ball("x", swing=0.5, twist=1.0)
    assert cone.is_within_limits(Rotation.from_rotvec([0, 0.39, 0]).as_quat(), margin=0.1)
    assert not cone.is_within_limits(Rotation.from_rotvec([0, 0.41, 0]).as_quat(), margin=0.1)
    assert not cone.is_within_limits(Rotation.from_rotvec([0.95, 0, 0]).as_quat(), margin=0.1)
    with pytest.raises(ConfigurationError, match="margin needs a finite number, found nan"):
        arm.is_within_limits([0, 0], margin=math.nan)


def test_within_limits_answers_for_one_and_for_many() -> None:
    arm = planar_arm(2, limits=1.0)
    assert arm.is_within_limits([1.0, -1.0]) is True
    assert arm.is_within_limits([1.0, np.nextafter(-1.0, -2.0)]) is False
    assert_array_equal(arm.is_within_limits([[0.0, 0.0], [2.0, 0.0]]), [True, False])


# --- random -------------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_configuration() -> None:
    model = ball_arm([1, 1], swing=1.0)
    assert_array_equal(model.random(7), model.random(np.random.default_rng(7)))
    assert_array_equal(model.random(7, 3), model.random(7, 3))
    assert not np.array_equal(model.random(7), model.random(8))
    assert model.random(7).shape == (8,)
    assert model.random(7, 0).shape == (0, 8)


@pytest.mark.parametrize("options", [{"rng": -1}, {"rng": "a"}, {"size": -1}, {"size": 1.5}])
def test_random_says_what_it_needs(options) -> None:
    (name,) = options
    with pytest.raises(ConfigurationError, match=f"`{name}` needs .*, found {options[name]!r}"):
        planar_arm(2).random(**options)


def test_random_uses_the_whole_range_and_no_more() -> None:
    model = (
        ModelBuilder("m")
        .revolute("both", limits=(1, 2))
        .revolute("none")
        .prismatic("rail")
        .prismatic("lift", limits=(5, math.inf))
        .revolute("below", limits=(-math.inf, -10))
        .floating("free")
        .build()
    )
    q = model.random(0, 4000)
    ranges = [
        (1, 2),
        (-math.pi, math.pi),
        (-1, 1),
        (5, 7),
        (-10 - 2 * math.pi, -10),
        (-1, 1),
        (-1, 1),
        (-1, 1),
    ]
    for k, (low, high) in enumerate(ranges):
        width = high - low
        assert low <= q[:, k].min() < low + 0.01 * width
        assert high - 0.01 * width < q[:, k].max() <= high
        assert q[:, k].mean() == pytest.approx(0.5 * (low + high), abs=0.03 * width)


def test_random_rotations_are_uniform() -> None:
    for model in (ball(), ModelBuilder("m").floating("free").build()):
        rotations = Rotation.from_quat(model.random(0, 40_000)[:, -4:])
        angles = rotations.magnitude()
        # Under the uniform measure an angle below t has the probability (t - sin t) / pi.
        for t in (0.5, 1.0, 2.0, 2.5, 3.0):
            assert np.mean(angles < t) == pytest.approx((t - math.sin(t)) / math.pi, abs=0.01)
        assert_allclose(rotations.as_matrix().mean(axis=0), 0.0, atol=0.02)


@pytest.mark.parametrize("swing", [0.01, 1.0, 2.5])
def test_random_twist_axes_are_uniform_on_their_cap(swing: float) -> None:
    axis = np.array([0.0, 0.6, 0.8])
    q = ball(axis, swing, (0.2, 0.4)).random(0, 20_000)
    moved = Rotation.from_quat(q).apply(axis)
    # Areas on a sphere grow with 1 - cos: half of the cap lies within this angle.
    middle = 2.0 * math.asin(math.sqrt(0.5) * math.sin(0.5 * swing))
    angles = np.array([angle_between(m, axis) for m in moved[:4000]])
    assert np.mean(angles < middle) == pytest.approx(0.5, abs=0.03)
    assert angles.max() == pytest.approx(swing, rel=0.01)
    assert_allclose(moved.mean(axis=0), axis * math.cos(0.5 * swing) ** 2, atol=0.02)
    twists = [twist_of(turn, axis) for turn in Rotation.from_quat(q[:500])]
    assert min(twists) == pytest.approx(0.2, abs=0.01)
    assert max(twists) == pytest.approx(0.4, abs=0.01)


def test_a_joint_with_one_allowed_value_has_it() -> None:
    joints = [
        Joint(name="a", kind=JointKind.REVOLUTE, parent="base", child="A", lower=0.3, upper=0.3),
        Joint(name="b", kind=JointKind.BALL, parent="A", child="B", lower=0.0, upper=0.0, swing=0.0),
    ]
    model = Model("stiff", joints)
    for q in (model.neutral, model.random(3), model.clip([5.0, 0.5, 0.5, 0.5, 0.5])):
        assert q[0] == 0.3
        assert_allclose(np.abs(q[1:]), [0, 0, 0, 1], rtol=0, atol=1e-15)


@pytest.mark.parametrize("rng", [np.matrix([[1, 2]]), [1], -1, "1", 1.5])
def test_what_is_no_seed_is_refused(rng: object) -> None:
    with pytest.raises(ConfigurationError, match="`rng` needs a NumPy generator or a seed"):
        planar_arm(3).random(rng)  # type: ignore[arg-type]
