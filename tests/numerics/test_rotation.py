"""Rotations in kernels, compared with SciPy's and with the model's limits of ball joints."""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from limbik import ModelBuilder
from limbik.numerics.rotation import (
    exponential,
    logarithm,
    multiply,
    product,
    rotate,
    rotation_between,
    rotation_vector,
    times,
    times_quaternion,
    transposed_times,
    turn_about,
    within_ball_limits,
)
from strategies import AXES, SEEDS, rotation_vectors, unit_vectors


def turn(seed: int) -> Rotation:
    return Rotation.random(rng=np.random.default_rng(seed))


@given(SEEDS, SEEDS)
def test_quaternions_multiply_as_scipys(a, b):
    expected = (turn(a) * turn(b)).as_quat()
    found = np.array(product(tuple(turn(a).as_quat()), tuple(turn(b).as_quat())))
    assert_allclose(found * np.sign(found @ expected), expected, atol=1e-15)


@given(SEEDS, SEEDS)
def test_vectors_are_turned_as_by_scipy(seed, other):
    R, v = turn(seed), np.random.default_rng(other).normal(size=3)
    flat = np.concatenate([[7.0, 7.0], R.as_matrix().ravel()])
    assert_allclose(rotate(tuple(R.as_quat()), *v), R.apply(v), atol=1e-14)
    assert_allclose(times(flat, 2, *v), R.apply(v), atol=1e-14)
    assert_allclose(transposed_times(flat, 2, *v), R.inv().apply(v), atol=1e-14)


@given(SEEDS, SEEDS, unit_vectors(), st.floats(-7.0, 7.0))
def test_matrices_multiply_as_scipys(a, b, axis, angle):
    A, B = turn(a), turn(b)
    out = np.zeros(10)
    multiply(A.as_matrix().ravel(), 0, B.as_matrix().ravel(), out, 1)
    assert_allclose(out[1:].reshape(3, 3), (A * B).as_matrix(), atol=1e-15)
    turned = A.as_matrix().ravel()
    turn_about(turned, 0, *axis, math.sin(angle), math.cos(angle))
    assert_allclose(turned.reshape(3, 3), (A * Rotation.from_rotvec(angle * axis)).as_matrix(), atol=1e-14)
    turned = A.as_matrix().ravel()
    times_quaternion(turned, 0, *B.as_quat())
    assert_allclose(turned.reshape(3, 3), (A * B).as_matrix(), atol=1e-14)


@given(rotation_vectors(largest=3.0 * math.pi))
def test_the_exponential_is_scipys(vector):
    expected = Rotation.from_rotvec(vector).as_quat()
    found = np.array(exponential(*vector))
    assert np.linalg.norm(found) == pytest.approx(1.0, abs=1e-15)
    assert_allclose(found * np.sign(found @ expected), expected, atol=2e-15)


@given(rotation_vectors())
@example(np.zeros(3))
@example(np.array([1e-9, 0.0, 0.0]))
@example(np.array([0.0, 1e-160, 0.0]))
@example(np.array([0.0, 0.0, math.pi]))
@example(np.array([math.pi - 1e-9, 0.0, 0.0]))
def test_the_rotation_vector_is_found_again_from_quaternion_and_matrix(vector):
    R = Rotation.from_rotvec(vector)
    found = np.array(logarithm(tuple(R.as_quat())))
    length = np.linalg.norm(vector)
    assert same_turn(found, vector, 1e-14 * (1.0 + length))
    assert_allclose(np.linalg.norm(found), length, atol=2e-15, rtol=1e-12)
    from_matrix = np.array(rotation_vector(R.as_matrix().ravel()))
    assert same_turn(from_matrix, vector, 1e-14 * (1.0 + length))
    if length < math.pi - 1e-3:
        assert_allclose(from_matrix, vector, atol=4e-16, rtol=1e-7 if length < 1e-7 else 1e-12)


def same_turn(a: np.ndarray, b: np.ndarray, tolerance: float) -> bool:
    """Whether two rotation vectors mean the same turn; half a turn has two."""
    between = (Rotation.from_rotvec(a).inv() * Rotation.from_rotvec(b)).magnitude()
    return bool(between <= tolerance and np.linalg.norm(a) <= math.pi + 1e-12)


@pytest.mark.parametrize("axis", [*AXES, np.array([1.0, 1.0, 0.0]), np.array([1e-9, 1.0, -1.0])])
@pytest.mark.parametrize("short", [0.0, 1e-15, 1e-12, 1e-8, 1e-4])
def test_rotation_vectors_near_half_a_turn_keep_their_axis(axis, short):
    axis = axis / np.linalg.norm(axis)
    vector = (math.pi - short) * axis
    found = np.array(rotation_vector(Rotation.from_rotvec(vector).as_matrix().ravel()))
    assert same_turn(found, vector, 1e-14)
    assert abs(found @ axis) == pytest.approx(math.pi - short, abs=1e-14)


@given(SEEDS, st.floats(1e-3, 1e3), st.floats(1e-3, 1e3))
def test_the_smallest_turn_between_two_directions_is_made(seed, a, b):
    u, v = np.random.default_rng(seed).normal(size=(2, 3))
    vector = np.array(rotation_between(*(a * u), *(b * v)))
    u, v = u / np.linalg.norm(u), v / np.linalg.norm(v)
    assert_allclose(Rotation.from_rotvec(vector).apply(u), v, atol=1e-13)
    assert np.linalg.norm(vector) == pytest.approx(math.acos(np.clip(u @ v, -1.0, 1.0)), abs=1e-7)


@given(unit_vectors(), st.floats(1e-100, 1e100))
def test_opposite_directions_are_half_a_turn_apart(u, size):
    vector = np.array(rotation_between(*u, *(-u)))
    assert np.linalg.norm(vector) == pytest.approx(math.pi)
    assert abs(vector @ u) <= 1e-12
    assert_allclose(Rotation.from_rotvec(vector).apply(u), -u, atol=1e-12)
    assert_allclose(rotation_between(*u, *u), 0.0, atol=1e-12)


@pytest.mark.parametrize("u", [*AXES, np.array([0.6, 0.8, 0.0]), np.array([0.3, -0.4, 1.0])])
def test_almost_opposite_directions_are_met(u):
    u = u / np.linalg.norm(u)
    for off in (1e-15, 1e-12, 1e-9, 1e-6):
        v = -u + off * np.roll(u, 1)
        v /= np.linalg.norm(v)
        vector = np.array(rotation_between(*u, *v))
        assert_allclose(Rotation.from_rotvec(vector).apply(u), v, atol=2e-12)


def test_no_turn_is_needed_where_a_direction_is_missing():
    assert rotation_between(0.0, 0.0, 0.0, 1.0, 2.0, 3.0) == (0.0, 0.0, 0.0)
    assert rotation_between(1.0, 2.0, 3.0, 0.0, 0.0, 0.0) == (0.0, 0.0, 0.0)


ANGLES = st.one_of(st.sampled_from([0.0, 1e-9, math.pi / 2, math.pi]), st.floats(0.0, math.pi))


@given(SEEDS, unit_vectors(), st.floats(-4.0, 4.0), st.one_of(ANGLES, st.just(math.inf)), ANGLES)
def test_ball_joints_are_kept_within_limits_as_the_model_does(seed, axis, lower, width, cone):
    model = ModelBuilder("ball").ball("ball", axis=axis, swing=cone, twist=(lower, lower + width)).build()
    joint = model.joint("ball")
    rng = np.random.default_rng(seed)
    for quaternion in (*Rotation.random(5, rng=rng).as_quat(), model.random(rng)):
        found = within_ball_limits(tuple(quaternion), *joint.axis, lower, lower + width, cone)
        assert model.is_within_limits(np.array(found))
        again = within_ball_limits(found, *joint.axis, lower, lower + width, cone)
        assert same(np.array(again), np.array(found), 1e-9)
        along = quaternion[:3] @ joint.axis
        if math.hypot(along, quaternion[3]) > 1e-3:  # the twist has a meaning
            twist = 2.0 * math.atan2(along, quaternion[3])
            beside = math.remainder(twist - lower - 0.5 * width, 2.0 * math.pi) if width < 7.0 else 0.0
            assume(abs(abs(beside) - math.pi) > 1e-6)  # as far from one end as from the other
            assert same(np.array(found), model.clip(quaternion), 1e-9)


@given(SEEDS, unit_vectors(), st.floats(0.2, 3.0), st.floats(0.2, 3.0))
def test_a_legal_rotation_of_a_ball_joint_stays_as_it_is(seed, axis, width, cone):
    model = ModelBuilder("ball").ball("ball", axis=axis, swing=cone, twist=(-width, width)).build()
    x, y, z, w = model.random(seed).tolist()
    assume(model.is_within_limits(np.array([x, y, z, w]), margin=1e-6))
    norm = math.sqrt(x * x + y * y + z * z + w * w)
    found = within_ball_limits((x, y, z, w), *model.joint("ball").axis, -width, width, cone)
    assert found == (x / norm, y / norm, z / norm, w / norm)


def same(a: np.ndarray, b: np.ndarray, tolerance: float) -> bool:
    """Whether two unit quaternions mean the same rotation."""
    return bool(min(np.abs(a - b).max(), np.abs(a + b).max()) <= tolerance)
