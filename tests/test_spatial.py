"""Poses, rotations and quaternions, compared with SciPy's matrix exponential and rotations."""

import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import expm
from scipy.spatial.transform import RigidTransform, Rotation

from limbik import spatial
from limbik.errors import GoalError, ModelError
from strategies import SEEDS, numbers, poses, rotation_vectors, rotations, unit_vectors, vectors

HARD_ANGLES = [
    0.0,
    1e-300,
    1e-160,
    1e-12,
    1e-8,
    1e-4,
    0.29999,
    0.3,
    1.0,
    3.0,
    *(math.pi - 10.0**-k for k in range(4, 16)),
]


def same_rotation(a: np.ndarray, b: np.ndarray, atol: float = 1e-14) -> None:
    """Quaternions equal up to sign."""
    sign = np.where(np.sum(a * b, axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    assert_allclose(a, sign * b, rtol=0, atol=atol)


def hat(w: np.ndarray) -> np.ndarray:
    x, y, z = w
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def hat6(twist: np.ndarray) -> np.ndarray:
    out = np.zeros((4, 4))
    out[:3, :3] = hat(twist[3:])
    out[:3, 3] = twist[:3]
    return out


# --- what callers hand in -----------------------------------------------------------------------------------


@given(poses())
def test_a_pose_is_taken_as_it_is(pose: np.ndarray) -> None:
    assert_allclose(spatial.as_pose(pose), pose, rtol=0, atol=4e-16)
    assert_allclose(spatial.as_pose(pose.tolist()), pose, rtol=0, atol=4e-16)
    assert_allclose(spatial.as_pose(RigidTransform.from_matrix(pose)), pose, rtol=0, atol=1e-15)


def test_a_pose_is_copied() -> None:
    mine = np.eye(4)
    spatial.as_pose(mine)[0, 3] = 7.0
    assert_array_equal(mine, np.eye(4))


@given(poses(), SEEDS)
def test_a_rotation_off_by_rounding_is_repaired(pose: np.ndarray, seed: int) -> None:
    rough = pose.copy()
    rough[:3, :3] += np.random.default_rng(seed).uniform(-1e-7, 1e-7, (3, 3))
    repaired = spatial.as_pose(rough)
    assert_allclose(repaired, rough, rtol=0, atol=5e-7)
    assert_allclose(repaired[:3, :3].T @ repaired[:3, :3], np.eye(3), rtol=0, atol=1e-14)


def pose_with(place: tuple[int, int], value: float) -> np.ndarray:
    pose = np.eye(4)
    pose[place] = value
    return pose


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.eye(3), r"grip needs a 4x4 pose, found shape \(3, 3\)"),
        (np.zeros((2, 4, 4)), r"grip needs a 4x4 pose, found shape \(2, 4, 4\)"),
        (Rotation.identity(), r"grip needs a 4x4 pose, found shape \(3, 3\)"),
        ("home", "grip needs a 4x4 pose, found 'home'"),
        (None, "grip needs a 4x4 pose, found None"),
        ([[1.0], [1.0, 2.0]], "grip needs a 4x4 pose, found"),
        (1j * np.eye(4), "grip needs a 4x4 pose, found"),
        (pose_with((1, 2), math.nan), r"grip needs finite numbers, found nan at \[1, 2\]"),
        (pose_with((0, 3), math.inf), r"grip needs finite numbers, found inf at \[0, 3\]"),
        (pose_with((3, 0), 0.5), "grip needs the last row 0 0 0 1, found 0.5 0 0 1"),
        (pose_with((3, 3), 2.0), "grip needs the last row 0 0 0 1, found 0 0 0 2"),
        (pose_with((0, 0), 1.001), "the rotation of grip is not orthonormal: .* by 0.002"),
        (pose_with((0, 0), 1e200), "the rotation of grip is not orthonormal"),
        (pose_with((0, 0), -1.0), "the rotation of grip is a mirror image"),
    ],
)
def test_what_is_no_pose_is_refused_by_name(value: Any, message: str) -> None:
    with pytest.raises(GoalError, match=message):
        spatial.as_pose(value, "grip", error=GoalError)


def test_a_rotation_may_be_an_array_or_a_scipy_rotation() -> None:
    turn = Rotation.from_rotvec([0.1, 0.2, 0.3])
    assert_allclose(spatial.as_rotation(turn), turn.as_matrix(), rtol=0, atol=1e-15)
    assert_allclose(spatial.as_rotation(turn.as_matrix()), turn.as_matrix(), rtol=0, atol=1e-15)
    with pytest.raises(ModelError, match=r"look needs a 3x3 rotation matrix, found shape \(4, 4\)"):
        spatial.as_rotation(np.eye(4), "look")
    with pytest.raises(ModelError, match="look is not orthonormal"):
        spatial.as_rotation(np.ones((3, 3)), "look")


def test_a_vector_has_the_size_asked_for_and_finite_numbers() -> None:
    assert_array_equal(spatial.as_vector((1, 2, 3), 3), [1.0, 2.0, 3.0])
    with pytest.raises(ModelError, match=r"target needs 3 numbers, found shape \(2,\)"):
        spatial.as_vector([1, 2], 3, "target")
    with pytest.raises(GoalError, match=r"target needs finite numbers, found nan at \[1\]"):
        spatial.as_vector([1, math.nan, 3], 3, "target", error=GoalError)
    with pytest.raises(ModelError, match=r"target needs 3 numbers, found \['a', 'b', 'c'\]"):
        spatial.as_vector(["a", "b", "c"], 3, "target")  # type: ignore[list-item]


@pytest.mark.slow
def test_spatial_does_not_import_scipy() -> None:
    program = "import sys, limbik.spatial; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


# --- vectors ------------------------------------------------------------------------------------------------


@given(vectors(), vectors())
def test_cross_and_skew_are_the_vector_product(u: np.ndarray, v: np.ndarray) -> None:
    assert_array_equal(spatial.cross(u, v), np.cross(u, v))
    assert_allclose(spatial.skew(u) @ v, np.cross(u, v), rtol=0, atol=1e-14)


@given(vectors(), st.integers(-300, 300))
def test_a_unit_vector_survives_any_scale(v: np.ndarray, exponent: int) -> None:
    expected = v / np.linalg.norm(v) if v.any() and np.linalg.norm(v) > 1e-8 else None
    if expected is not None:
        assert_allclose(spatial.unit(v * 10.0**exponent), expected, rtol=0, atol=1e-15)


def test_the_unit_vector_of_zero_is_zero() -> None:
    assert_array_equal(spatial.unit(np.zeros(3)), np.zeros(3))


@given(unit_vectors(), st.integers(-200, 200))
def test_perpendicular_is_a_unit_vector_at_right_angles(v: np.ndarray, exponent: int) -> None:
    sideways = spatial.perpendicular(v * 10.0**exponent)
    assert abs(v @ sideways) < 1e-15
    assert abs(np.linalg.norm(sideways) - 1.0) < 1e-15


# --- quaternions --------------------------------------------------------------------------------------------


@given(rotation_vectors(), rotation_vectors())
def test_quaternions_agree_with_scipy(v: np.ndarray, w: np.ndarray) -> None:
    a, b = Rotation.from_rotvec(v), Rotation.from_rotvec(w)
    qa, qb = a.as_quat(), b.as_quat()
    same_rotation(spatial.quat_exp(v), qa)
    same_rotation(spatial.quat_multiply(qa, qb), (a * b).as_quat())
    same_rotation(spatial.quat_conjugate(qa), a.inv().as_quat())
    same_rotation(spatial.quat_from_matrix(a.as_matrix()), qa)
    assert_allclose(spatial.quat_to_matrix(qa), a.as_matrix(), rtol=0, atol=1e-14)
    for scale in (-3.0, 1e-200, 1e160, 1e300):
        assert_allclose(spatial.quat_to_matrix(scale * qa), a.as_matrix(), rtol=0, atol=1e-14)
    assert_allclose(spatial.quat_rotate(qa, w), a.apply(w), rtol=0, atol=1e-14)


@pytest.mark.parametrize("angle", HARD_ANGLES)
@pytest.mark.parametrize("axis", [[1.0, 0.0, 0.0], [0.6, 0.0, -0.8], [1 / 3, -2 / 3, 2 / 3]])
def test_logarithms_undo_exponentials_at_hard_angles(angle: float, axis: list[float]) -> None:
    w = angle * np.array(axis)
    assert_allclose(spatial.quat_log(spatial.quat_exp(w)), w, rtol=1e-15, atol=1e-15)
    assert_allclose(spatial.quat_log(-5.0 * spatial.quat_exp(w)), w, rtol=1e-15, atol=1e-15)
    assert_allclose(spatial.rotation_log(spatial.rotation_exp(w)), w, rtol=0, atol=2e-15)
    twist = np.array([0.3, -0.7, 1.1, *w])
    assert_allclose(spatial.pose_log(spatial.pose_exp(twist)), twist, rtol=0, atol=1e-14)


@given(rotation_vectors())
def test_small_rotations_keep_their_relative_accuracy(w: np.ndarray) -> None:
    small = 1e-9 * w
    assert_allclose(spatial.quat_log(spatial.quat_exp(small)), small, rtol=1e-15, atol=1e-300)
    assert_allclose(spatial.rotation_log(spatial.rotation_exp(small)), small, rtol=1e-7, atol=1e-24)


@given(rotations())
def test_normalising_a_unit_quaternion_changes_nothing(rotation: np.ndarray) -> None:
    once = spatial.quat_normalise(3.7 * spatial.quat_from_matrix(rotation))
    assert_array_equal(spatial.quat_normalise(once), once)


# --- exponential and logarithm ------------------------------------------------------------------------------


@given(rotation_vectors(largest=7.0))
def test_rotation_exp_is_the_matrix_exponential(w: np.ndarray) -> None:
    assert_allclose(spatial.rotation_exp(w), expm(hat(w)), rtol=0, atol=5e-13)
    assert_allclose(spatial.rotation_exp(w), Rotation.from_rotvec(w).as_matrix(), rtol=0, atol=5e-15)


@given(vectors(3), rotation_vectors(largest=7.0))
def test_pose_exp_is_the_matrix_exponential(linear: np.ndarray, angular: np.ndarray) -> None:
    twist = np.concatenate([linear, angular])
    assert_allclose(spatial.pose_exp(twist), expm(hat6(twist)), rtol=0, atol=5e-13)


@given(rotations())
def test_rotation_exp_undoes_rotation_log(rotation: np.ndarray) -> None:
    w = spatial.rotation_log(rotation)
    assert np.linalg.norm(w) <= math.pi * (1 + 1e-15)
    assert_allclose(spatial.rotation_exp(w), rotation, rtol=0, atol=4e-15)


@given(poses())
def test_pose_exp_undoes_pose_log(pose: np.ndarray) -> None:
    assert_allclose(spatial.pose_exp(spatial.pose_log(pose)), pose, rtol=0, atol=2e-14)


@given(poses())
def test_pose_inverse_undoes_the_pose(pose: np.ndarray) -> None:
    assert_allclose(spatial.pose_inverse(pose) @ pose, np.eye(4), rtol=0, atol=2e-15)


def test_a_screw_by_a_quarter_turn_is_known() -> None:
    # A quarter turn about z while the body drives pi/2 m along its own x: a quarter of the unit circle.
    pose = spatial.pose_exp(np.array([math.pi / 2, 0.0, 0.0, 0.0, 0.0, math.pi / 2]))
    expected = [[0, -1, 0, 1], [1, 0, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]]
    assert_allclose(pose, expected, rtol=0, atol=1e-15)


# --- the smallest rotation between two directions -----------------------------------------------------------


@given(unit_vectors(), unit_vectors(), numbers(), numbers())
def test_rotation_between_turns_u_to_v_by_the_angle_between_them(
    u: np.ndarray, v: np.ndarray, length_u: float, length_v: float
) -> None:
    rotation = spatial.rotation_between((abs(length_u) + 1e-3) * u, (abs(length_v) + 1e-3) * v)
    assert_allclose(rotation @ u, v, rtol=0, atol=2e-15)
    angle = 2.0 * math.atan2(np.linalg.norm(u - v), np.linalg.norm(u + v))
    assert Rotation.from_matrix(rotation).magnitude() == pytest.approx(angle, abs=2e-15)
    assert_allclose(rotation @ np.cross(u, v), np.cross(u, v), rtol=0, atol=2e-15)


@given(unit_vectors(), unit_vectors(), st.integers(1, 20), st.booleans())
def test_rotation_between_is_exact_near_parallel_and_near_opposite(
    u: np.ndarray, sideways: np.ndarray, exponent: int, opposite: bool
) -> None:
    v = u + 10.0**-exponent * sideways
    v = (-v if opposite else v) / np.linalg.norm(v)
    rotation = spatial.rotation_between(u, v)
    assert_allclose(rotation @ u, v, rtol=0, atol=2e-15)
    assert_allclose(rotation.T @ rotation, np.eye(3), rtol=0, atol=2e-15)
    angle = 2.0 * math.atan2(np.linalg.norm(u - v), np.linalg.norm(u + v))
    assert np.linalg.norm(spatial.rotation_log(rotation)) == pytest.approx(angle, abs=2e-15)


@given(unit_vectors(), st.integers(-200, 200), st.integers(-200, 200))
def test_rotation_between_parallel_directions_is_none_and_between_opposite_ones_half_a_turn(
    u: np.ndarray, exponent_u: int, exponent_v: int
) -> None:
    long_u, long_v = 10.0**exponent_u * u, 10.0**exponent_v * u
    assert_allclose(spatial.rotation_between(long_u, long_v), np.eye(3), rtol=0, atol=2e-15)
    half = spatial.rotation_between(long_u, -long_v)
    assert_allclose(half @ u, -u, rtol=0, atol=2e-15)
    assert_allclose(half @ spatial.perpendicular(u), spatial.perpendicular(u), rtol=0, atol=2e-15)


@given(unit_vectors(), unit_vectors(), st.integers(-300, 300), st.integers(-300, 300))
def test_rotation_between_minds_no_lengths(
    u: np.ndarray, v: np.ndarray, exponent_u: int, exponent_v: int
) -> None:
    rotation = spatial.rotation_between(10.0**exponent_u * u, 10.0**exponent_v * v)
    assert_allclose(rotation, spatial.rotation_between(u, v), rtol=0, atol=1e-12)
    quat = spatial.quat_between(10.0**exponent_u * u, 10.0**exponent_v * v)
    assert_allclose(spatial.quat_rotate(quat, u), v, rtol=0, atol=1e-12)
    assert abs(np.linalg.norm(quat) - 1.0) < 1e-14


@given(unit_vectors(), unit_vectors(), st.integers(1, 300))
def test_rotation_between_directions_beside_the_axes_is_exact(
    u: np.ndarray, off: np.ndarray, exponent: int
) -> None:
    """Parts that are tiny beside others: neither lost nor blown up."""
    for v in (u + 10.0**-exponent * off, -u + 10.0**-exponent * off):
        rotation = spatial.rotation_between(u, v)
        assert_allclose(rotation @ u, v / np.linalg.norm(v), rtol=0, atol=1e-12)
        assert_allclose(rotation.T @ rotation, np.eye(3), rtol=0, atol=1e-12)


LONGEST, SHORTEST = 1.7e308, 5e-324


@pytest.mark.parametrize("length", [LONGEST, 1e200, 1e-310, 3 * SHORTEST, SHORTEST])
def test_directions_of_the_longest_and_the_shortest_vectors_are_known(length: float) -> None:
    diagonal = np.full(3, length)
    assert_allclose(spatial.unit(diagonal), np.full(3, 3.0**-0.5), rtol=0, atol=2e-16)
    for v in (np.array([0.0, 1.0, 0.0]), -np.ones(3), np.array([length, -length, 0.0])):
        rotation = spatial.rotation_between(diagonal, v)
        assert_allclose(rotation @ np.full(3, 3.0**-0.5), spatial.unit(v), rtol=0, atol=1e-12)
        assert_allclose(rotation.T @ rotation, np.eye(3), rtol=0, atol=1e-12)


def test_what_is_no_direction_gives_no_rotation() -> None:
    """NaN, which says so, and not the identity, which would claim that nothing is to turn."""
    for bad in (math.nan, math.inf):
        u = np.array([[bad, 0.0, 0.0], [1.0, 0.0, 0.0]])
        with np.errstate(invalid="ignore"):
            rotation = spatial.rotation_between(u, np.array([0.0, 1.0, 0.0]))
        assert np.isnan(rotation[0]).any()
        assert_allclose(rotation[1] @ u[1], [0.0, 1.0, 0.0], atol=1e-15)


def test_rotation_between_anything_and_zero_is_none() -> None:
    for u, v in [(np.zeros(3), np.ones(3)), (np.ones(3), np.zeros(3)), (np.zeros(3), np.zeros(3))]:
        assert_array_equal(spatial.rotation_between(u, v), np.eye(3))


# --- swing and twist ----------------------------------------------------------------------------------------


@given(rotation_vectors(), unit_vectors())
def test_swing_and_twist_make_the_rotation_again(w: np.ndarray, axis: np.ndarray) -> None:
    turn = Rotation.from_rotvec(w)
    swing, twist = spatial.swing_twist(turn.as_quat(), axis)
    same_rotation((Rotation.from_quat(swing) * Rotation.from_quat(twist)).as_quat(), turn.as_quat())
    assert_allclose(np.cross(twist[:3], axis), 0.0, rtol=0, atol=1e-15)
    assert_allclose(Rotation.from_quat(swing).apply(axis), turn.apply(axis), rtol=0, atol=2e-15)
    smallest = 2.0 * math.atan2(
        np.linalg.norm(turn.apply(axis) - axis), np.linalg.norm(turn.apply(axis) + axis)
    )
    assert Rotation.from_quat(swing).magnitude() == pytest.approx(smallest, abs=4e-15)


def test_the_twist_of_half_a_turn_of_swing_is_none() -> None:
    swing, twist = spatial.swing_twist(np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]))
    assert_array_equal(twist, [0.0, 0.0, 0.0, 1.0])
    assert_array_equal(np.abs(swing), [1.0, 0.0, 0.0, 0.0])


def test_a_pure_twist_and_a_pure_swing_stay_whole() -> None:
    axis = np.array([1.0, 0.0, 0.0])
    about_x, about_y = (
        Rotation.from_rotvec([0.7, 0.0, 0.0]).as_quat(),
        Rotation.from_rotvec([0.0, 0.7, 0.0]).as_quat(),
    )
    same_rotation(spatial.swing_twist(about_x, axis)[1], about_x)
    same_rotation(spatial.swing_twist(about_y, axis)[0], about_y)


# --- batches ------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(SEEDS)
def test_a_batch_gives_what_its_members_give(seed: int) -> None:
    rng = np.random.default_rng(seed)
    w, t = rng.normal(size=(2, 5, 3)), rng.normal(size=(2, 5, 6))
    w[0, 0], w[0, 1], t[0, 0] = 0.0, [math.pi, 0.0, 0.0], 0.0
    u = np.broadcast_to([0.0, 0.6, 0.8], (2, 5, 3))
    q = Rotation.from_rotvec(w.reshape(-1, 3)).as_quat().reshape(2, 5, 4)
    poses_ = spatial.pose_exp(t)
    cases: list[tuple[Any, tuple[np.ndarray, ...]]] = [
        (spatial.rotation_exp, (w,)),
        (spatial.quat_exp, (w,)),
        (spatial.quat_log, (q,)),
        (spatial.quat_to_matrix, (q,)),
        (spatial.quat_multiply, (q, q[::-1])),
        (spatial.quat_rotate, (q, w)),
        (spatial.quat_between, (w, u)),
        (spatial.rotation_between, (w, u)),
        (spatial.rotation_log, (poses_[..., :3, :3],)),
        (spatial.quat_from_matrix, (poses_[..., :3, :3],)),
        (spatial.pose_exp, (t,)),
        (spatial.pose_log, (poses_,)),
        (spatial.pose_inverse, (poses_,)),
        (spatial.swing_twist, (q, u)),
    ]
    for function, arguments in cases:
        whole = function(*arguments)
        for i, j in np.ndindex(2, 5):
            alone = function(*(argument[i, j] for argument in arguments))
            pairs = zip(whole, alone, strict=True) if isinstance(whole, tuple) else [(whole, alone)]
            for among, single in pairs:
                assert_allclose(among[i, j], single, rtol=0, atol=1e-15, err_msg=function.__name__)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((2.0,), r"`rotation` needs numbers of shape \(..., 3, 3\), found shape \(\)"),
        (([1, 0, 0],), r"`rotation` needs .* found shape \(3,\)"),
        (({},), "`rotation` needs .* found {}"),
        ((None, [1, 2]), r"`translation` needs numbers of shape \(..., 3\), found shape \(2,\)"),
        ((np.zeros((4, 3, 3)), np.zeros((2, 3))), "as many as the others"),
    ],
)
def test_what_makes_no_pose_is_refused(parts, message):
    with pytest.raises(ModelError, match=message):
        spatial.pose_from(*parts)
