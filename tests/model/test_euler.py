"""Euler limits of ball joints, compared with SciPy's angles."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

import limbik
from limbik import EulerLimits, Joint, JointKind, Model, ModelBuilder
from limbik.errors import ModelError
from limbik.model.euler import ORDERS
from limbik.model.margins import limit_margins, readings
from limbik.numerics.rotation import within_euler_limits
from limbik.solvers.nullspace import euler_rates
from strategies import SEEDS

QUARTER = 0.5 * math.pi


@st.composite
def euler_limits(draw: st.DrawFn) -> EulerLimits:
    """Ranges of every kind: none, one-sided second angles, single values, and up to a full turn."""
    rng = np.random.default_rng(draw(SEEDS))
    lower = np.array([rng.uniform(-4.0, 3.0), rng.uniform(-QUARTER, QUARTER), rng.uniform(-4.0, 3.0)])
    width = draw(st.sampled_from([0.0, 0.3, 1.0, 3.0]))
    upper = lower + width * rng.uniform(0.0, 1.0, 3)
    upper[1] = min(upper[1], QUARTER)
    for k in draw(st.sets(st.integers(0, 2), max_size=3)):
        lower[k], upper[k] = -math.inf, math.inf
    if draw(st.booleans()):
        lower[1] = -math.inf
    return EulerLimits(order=draw(st.sampled_from(ORDERS)), lower=lower, upper=upper)


def ball(limits: EulerLimits) -> Model:
    return ModelBuilder("ball").ball("joint", euler=limits, axis=(1.0, 2.0, 3.0)).build()


def turns(limits: EulerLimits, seed: int) -> list[np.ndarray]:
    """Quaternions: any, near the limits, and with the second angle at or near a quarter turn."""
    rng = np.random.default_rng(seed)
    bound = np.where(np.isfinite(limits.bounds[0]), limits.bounds[0], 0.3)
    near_end = [
        rng.uniform(-3.0, 3.0),
        rng.choice([-1.0, 1.0]) * (QUARTER - 10.0 ** -rng.integers(2, 20)),
        0.4,
    ]
    angles = [bound + rng.normal(size=3) * 1e-3, near_end]
    return [
        Rotation.random(rng=rng).as_quat(),
        *(Rotation.from_euler(limits.order, a).as_quat() for a in angles),
    ]


def is_inside(limits: EulerLimits, quat: np.ndarray, room: float) -> bool:
    """By SciPy's angles; `room` [rad] wider than the limits, or narrower."""
    angles = Rotation.from_quat(quat).as_euler(limits.order)
    for k, (angle, low, high) in enumerate(zip(angles, limits.lower, limits.upper, strict=True)):
        if k != 1 and high - low >= 2.0 * math.pi:
            continue
        if k != 1:
            middle = 0.5 * (low + high)
            angle = middle + math.remainder(angle - middle, 2.0 * math.pi)
        if not low - room <= angle <= high + room:
            return False
    return True


def middle_angle(quat: np.ndarray, order: str) -> np.ndarray:
    """Second Euler angle [rad] of rotations by SciPy, which warns where the outer axes are in one line."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Rotation.from_quat(quat).as_euler(order)[..., 1]


@given(euler_limits(), SEEDS)
def test_what_is_within_limits_is_so_by_scipys_angles(limits: EulerLimits, seed: int) -> None:
    model = ball(limits)
    for quat in [*turns(limits, seed), model.random(seed)]:
        lean = math.cos(middle_angle(quat, limits.order))
        if lean < 1e-3:  # SciPy puts one outer angle at 0 there
            continue
        if model.is_within_limits(quat):
            assert is_inside(limits, quat, 1e-11 / lean)
        else:
            assert not is_inside(limits, quat, -1e-11 / lean)


@settings(max_examples=40)
@given(euler_limits(), SEEDS)
def test_what_is_clipped_is_within_limits_by_the_model_and_by_the_kernel(
    limits: EulerLimits, seed: int
) -> None:
    model = ball(limits)
    first, second, _ = limits.axes
    for quat in turns(limits, seed):
        clipped = model.clip(quat)
        assert model.is_within_limits(clipped)
        assert_array_equal(model.clip(clipped), clipped)
        found = np.array(within_euler_limits(tuple(quat), 1 + 3 * first + second, *limits.bounds))
        assert min(np.abs(found - clipped).max(), np.abs(found + clipped).max()) < 1e-9
        if model.is_within_limits(quat):
            assert_allclose(clipped, quat, atol=1e-15)


@settings(max_examples=40)
@given(euler_limits(), SEEDS)
def test_clipping_moves_little_more_than_it_must(limits: EulerLimits, seed: int) -> None:
    model, rng = ball(limits), np.random.default_rng(seed)
    allowed = Rotation.from_quat(model.random(rng, 200))
    inside = Rotation.from_quat(model.random(rng))
    nudged = inside * Rotation.from_rotvec(rng.normal(size=3) * 0.05)
    moved = (nudged.inv() * Rotation.from_quat(model.clip(nudged.as_quat()))).magnitude()
    assert moved <= 1.2 * (nudged.inv() * inside).magnitude() + 1e-12
    nearest = (nudged.inv() * allowed).magnitude().min()
    assert moved <= 1.2 * nearest + 1e-12


@given(euler_limits(), SEEDS)
def test_random_turns_are_within_limits_and_fill_them(limits: EulerLimits, seed: int) -> None:
    model = ball(limits)
    drawn = model.random(seed, 400)
    assert model.is_within_limits(drawn).all()
    sines = np.sin(middle_angle(drawn, limits.order))
    low, high = np.sin(limits.bounds[0][1]), np.sin(limits.bounds[1][1])
    assert_allclose(sines.mean(), 0.5 * (low + high), atol=0.1 * (high - low) + 1e-12)


def test_where_only_a_sum_of_angles_has_a_meaning_any_of_its_parts_will_do() -> None:
    limits = EulerLimits(order="XYZ", lower=(-0.2, -QUARTER, 0.5), upper=(0.2, QUARTER, 1.0))
    model = ball(limits)
    for total, inside in ((0.3, True), (1.2, True), (1.3, False), (0.2, False), (0.9 + 2.0 * math.pi, True)):
        quat = Rotation.from_euler("XYZ", (total, QUARTER, 0.0)).as_quat()
        assert model.is_within_limits(quat) == inside
        margins = [reading.margin for reading in readings(model, quat)]
        assert (min(margins) >= -1e-9) == inside


def test_margins_are_those_of_the_three_angles() -> None:
    limits = EulerLimits(order="ZYX", lower=(-1.0, -0.5, -math.inf), upper=(1.0, math.inf, math.inf))
    quat = Rotation.from_euler("ZYX", (0.7, -0.4, 2.0)).as_quat()
    found = list(readings(ball(limits), quat))
    assert [reading.quantity for reading in found] == ["turn about z", "turn about y", "turn about x"]
    assert_allclose([reading.value for reading in found], (0.7, -0.4, 2.0), atol=1e-12)
    assert_allclose([reading.margin for reading in found], (0.3, 0.1, math.inf))
    assert_allclose(limit_margins(ball(limits), quat), 0.1)


@settings(max_examples=40)
@given(euler_limits(), SEEDS, st.sampled_from([0.01, 0.1, 0.4]))
def test_a_turn_is_inside_by_a_margin_where_all_its_angles_are(
    limits: EulerLimits, seed: int, margin: float
) -> None:
    model = ball(limits)
    for quat in model.random(seed, 5):
        smallest = min(reading.margin for reading in readings(model, quat))
        lean = math.cos(middle_angle(quat, limits.order))
        if abs(smallest - margin) > 1e-9 and lean > 0.05:
            assert model.is_within_limits(quat, margin=margin) == (smallest > margin)


@given(SEEDS, st.sampled_from(ORDERS))
def test_the_rates_of_the_angles_are_their_derivatives(seed: int, order: str) -> None:
    rng = np.random.default_rng(seed)
    limits = EulerLimits(order=order)
    turn = Rotation.from_euler(order, rng.uniform(-1.3, 1.3, 3))
    velocity, small = rng.normal(size=3), 1e-6
    ahead, behind = (
        (turn * Rotation.from_rotvec(sign * small * velocity)).as_euler(order) for sign in (1.0, -1.0)
    )
    assert_allclose(
        euler_rates(limits, turn.as_quat()) @ velocity, (ahead - behind) / (2.0 * small), atol=1e-6
    )


def test_only_joints_with_a_range_have_limits() -> None:
    free = EulerLimits(lower=(-4.0, -QUARTER, -math.inf), upper=(4.0, QUARTER, 1.0))
    assert not free.has_limits
    assert not ball(free).has_limits
    assert ball(EulerLimits(upper=(math.inf, 1.0, math.inf))).has_limits
    assert not ModelBuilder("b").ball("b").build().has_limits


@pytest.mark.parametrize(
    ("given_limits", "message"),
    [
        ({"order": "XYX"}, "order needs one of XYZ, XZY, .* found 'XYX'"),
        ({"order": "xyz"}, "order needs one of .* found 'xyz'"),
        ({"lower": (0.0, 0.0)}, r"lower needs three angles \[rad\], found \(0.0, 0.0\)"),
        ({"upper": (0.0, math.nan, 0.0)}, "upper needs three angles"),
        ({"upper": "wide"}, "upper needs three angles .*, found 'wide'"),
        (
            {"lower": (0.1, 0.0, 0.0), "upper": (0.0, 1.0, 1.0)},
            "about x: the wrong way round, lower 0.1 > upper 0",
        ),
        (
            {"order": "ZXY", "lower": (-1.0, -2.0, -1.0)},
            "about x, the second axis: needs an angle from -pi/2",
        ),
        ({"lower": (math.inf,) * 3}, "about x: no value lies between inf and inf"),
    ],
)
def test_what_are_no_euler_limits_is_refused(given_limits: dict, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        EulerLimits(**given_limits)


def test_euler_limits_are_for_ball_joints_without_other_limits() -> None:
    limits = EulerLimits(upper=(1.0, 1.0, 1.0))
    with pytest.raises(
        ModelError, match="joint 'h': only a ball joint has Euler limits, this one is revolute"
    ):
        Joint(name="h", kind=JointKind.REVOLUTE, parent="a", child="b", euler=limits)
    with pytest.raises(ModelError, match="joint 'b' needs either Euler limits or limits of swing and twist"):
        ModelBuilder("b").ball("b", swing=1.0, euler=limits)
    with pytest.raises(ModelError, match="joint 'b': euler needs EulerLimits, found"):
        ModelBuilder("b").ball("b", euler=(1.0, 1.0, 1.0))  # type: ignore[arg-type]


def arm() -> Model:
    """Three balls in a row whose Euler limits are of different orders."""
    builder = ModelBuilder("arm")
    for k, order in enumerate(("ZYX", "XZY", "YXZ")):
        limits = EulerLimits(order=order, lower=(-0.8, -0.5, -0.4), upper=(0.6, 0.9, 0.7))
        builder = builder.ball(f"joint{k}", euler=limits, origin=(0.4 if k else 0.0, 0.0, 0.0))
    return builder.frame("tip", pose=(0.4, 0.0, 0.0)).build(end_effector="tip")


@pytest.mark.parametrize("solver", ["lm", "ccd"])
def test_solvers_stay_within_euler_limits(solver: str) -> None:
    model, rng = arm(), np.random.default_rng(0)
    for scale in (1.0, 1.5):
        pose = model.pose(model.random(rng))
        pose[:3, 3] *= scale
        solution = limbik.solve(model, limbik.Pose(target=pose), solver=solver, iterations=60)
        for joint in model.joints:
            assert is_inside(joint.euler, solution.q[model.q_slice(joint.name)], 1e-9)
