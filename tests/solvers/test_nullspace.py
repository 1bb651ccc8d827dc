"""Motion in the null space: what is kept is kept, and the secondary objective gets better."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

import limbik
from limbik import Mimic, Model, ModelBuilder, Pose, Position, Posture, nullspace
from limbik.errors import ConfigurationError, GoalError, ModelError, SolverError
from limbik.model.margins import limit_margins, readings
from strategies import SEEDS, tangent
from trees import trees

ARMS = st.sampled_from(["panda", "iiwa7"]).map(limbik.load)


def distance(a: np.ndarray, b: np.ndarray) -> float:
    """The larger of metres and radians between two poses."""
    turn = Rotation.from_matrix(a[:3, :3].T @ b[:3, :3]).magnitude()
    return max(float(np.linalg.norm(a[:3, 3] - b[:3, 3])), float(turn))


def inside(model: Model, seed: int) -> np.ndarray:
    """A configuration some way from the limits."""
    q = model.random(seed)
    return model.integrate(q, 0.2 * model.difference(q, model.neutral))


# --- the basis ----------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(ARMS, SEEDS)
def test_motions_of_an_arm_with_a_joint_to_spare_keep_its_pose(arm: Model, seed: int) -> None:
    q = arm.random(seed)
    free = arm.nullspace(q)
    assert free.shape[0] == 7 and free.shape[1] >= 1
    assert_allclose(free.T @ free, np.eye(free.shape[1]), atol=1e-12)
    assert_allclose(arm.jacobian(q) @ free, 0.0, atol=1e-8)


@settings(max_examples=30)
@given(trees(), SEEDS)
def test_the_basis_holds_all_motions_that_keep_a_frame(tree: Model, seed: int) -> None:
    q = tree.random(seed)
    free, J = tree.nullspace(q), tree.jacobian(q)
    assert_allclose(free.T @ free, np.eye(free.shape[1]), atol=1e-12)
    assert_allclose(J @ free, 0.0, atol=1e-6)
    reach = tree.reach()
    J[:3] /= 0.5 * reach if 0.0 < reach < math.inf else 1.0
    rank = np.linalg.matrix_rank(J, rtol=1e-9) if tree.nv else 0  # of no columns NumPy 2.0 finds none
    assert free.shape[1] == tree.nv - rank


def test_an_arm_of_six_joints_can_only_move_where_a_goal_leaves_it_free() -> None:
    arm = limbik.load("ur5e")
    q = np.array([0.3, -1.2, 1.4, -0.7, -1.5, 0.2])
    pose = arm.pose(q)
    assert arm.nullspace(q).shape == (6, 0)
    spin = arm.nullspace(q, Pose(target=pose, weights=(1, 1, 1, 1, 1, 0)))
    assert spin.shape == (6, 1)
    moved = arm.pose(arm.integrate(q, 1e-4 * spin[:, 0]))
    assert_allclose(moved[:3, 2:], pose[:3, 2:], atol=1e-7)
    assert arm.nullspace(q, Position(target=pose[:3, 3])).shape == (6, 3)


def test_goals_of_later_priorities_are_not_kept() -> None:
    arm = limbik.load("panda")
    q = inside(arm, 0)
    goals = [Pose(target=arm.pose(q)), Posture(q=q)]
    assert_allclose(
        arm.nullspace(q, goals) @ arm.nullspace(q, goals).T, arm.nullspace(q) @ arm.nullspace(q).T
    )
    assert arm.nullspace(q, [Posture(q=q)]).shape == (7, 0)  # alone, it takes the first place


def test_two_frames_are_kept_at_once() -> None:
    tree = (
        ModelBuilder("two")
        .floating("body")
        .ball("left", parent="body", origin=(0, 0.2, 0))
        .revolute("left_elbow", axis="y", origin=(0.3, 0, 0))
        .frame("left_hand", pose=(0.3, 0, 0))
        .ball("right", parent="body", origin=(0, -0.2, 0))
        .revolute("right_elbow", axis="y", origin=(0.3, 0, 0))
        .frame("right_hand", pose=(0.3, 0, 0))
        .build(end_effector="left_hand")
    )
    q = tree.random(3)
    hands = [Position(frame=name, target=tree.pose(q, name)[:3, 3]) for name in ("left_hand", "right_hand")]
    free = tree.nullspace(q, hands)
    assert free.shape == (14, 8)
    for hand in hands:
        assert_allclose(tree.jacobian(q, hand.frame)[:3] @ free, 0.0, atol=1e-12)


# --- sliding ------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(ARMS, SEEDS)
def test_an_arm_slides_without_moving_its_frame(arm: Model, seed: int) -> None:
    q, pose = inside(arm, seed), arm.pose(inside(arm, seed))
    solution = nullspace.slide(arm, q, tangent(arm, seed), step=0.1)
    assert solution.success
    assert distance(arm.pose(solution.q), pose) <= 1e-6 * (1 + 1e-6)
    assert arm.is_within_limits(solution.q)
    assert np.linalg.norm(arm.difference(q, solution.q)) < 0.3


def test_a_slide_goes_as_far_as_it_is_told() -> None:
    arm = limbik.load("panda")
    q = inside(arm, 1)
    along = arm.nullspace(q)[:, 0]
    moved = arm.difference(q, nullspace.slide(arm, q, along, step=0.01).q)
    assert_allclose(moved, 0.01 * along, atol=2e-4)
    assert_allclose(nullspace.slide(arm, q, 0.001 * along, step=0.01).q, q + 0.001 * along, atol=1e-5)


def test_a_slide_holds_goals_of_the_first_priority_alone() -> None:
    model = limbik.load("panda")
    q = np.array([0.4, 0.5, -0.3, -1.8, 0.2, 2.0, 0.5])
    held = Pose(target=model.pose(q))
    along = nullspace.basis(model, q, held)[:, 0]
    alone = nullspace.slide(model, q, along, step=0.1, keep=held)
    found = nullspace.slide(model, q, along, step=0.1, keep=[held, Posture(q=q, priority=1)])
    assert_array_equal(found.q, alone.q)
    assert np.linalg.norm(found.q - q) > 0.09


def test_a_slide_that_nothing_leaves_free_stays_where_it_is() -> None:
    arm = limbik.load("ur5e")
    q = np.array([0.3, -1.2, 1.4, -0.7, -1.5, 0.2])
    assert_allclose(nullspace.slide(arm, q, np.ones(6), step=0.1).q, q, atol=1e-9)


def test_a_slide_keeps_several_goals_of_a_tree_with_followers_and_balls() -> None:
    tree = (
        ModelBuilder("lamp")
        .prismatic("lift", axis="z", limits=(0.0, 1.0))
        .ball("hip", swing=2.0, twist=2.0)
        .revolute("first", axis="y", origin=(0, 0, 0.3), limits=2.5)
        .revolute("second", axis="y", origin=(0, 0, 0.3), mimic=limbik.Mimic(joint="first", multiplier=-0.5))
        .ball("wrist", origin=(0, 0, 0.3), swing=1.5, twist=1.5)
        .frame("tip", pose=(0, 0, 0.2))
        .build(end_effector="tip")
    )
    q = inside(tree, 5)
    pose = tree.pose(q)
    for _ in range(5):
        solution = nullspace.slide(tree, q, nullspace.stay_from_limits(tree, q), step=0.05)
        assert solution.success and tree.is_within_limits(solution.q)
        q = solution.q
    assert distance(tree.pose(q), pose) < 1e-5


@settings(max_examples=20)
@given(ARMS, SEEDS)
@example(limbik.load("iiwa7"), 54035)  # went to and fro, 0.02 rad apart, about the best configuration
@example(limbik.load("panda"), 1125)  # begins so near a limit that curvature takes more than the slide gives
def test_an_arm_that_slides_from_its_limits_gets_room(arm: Model, seed: int) -> None:
    q = arm.random(seed)
    pose, before = arm.pose(q), room(arm, q)
    for _ in range(5):
        q = nullspace.slide(arm, q, nullspace.stay_from_limits, step=0.02).q
    assert distance(arm.pose(q), pose) < 1e-5
    assert room(arm, q) > before - 1e-9


def test_slides_along_an_objective_come_to_rest() -> None:
    arm = limbik.load("iiwa7")
    q = arm.random(54035)
    for _ in range(20):
        before, q = q, nullspace.slide(arm, q, nullspace.stay_from_limits, step=0.02).q
    assert np.linalg.norm(arm.difference(before, q)) < 1e-4


def test_a_joint_near_its_limit_gets_away_from_it() -> None:
    arm = limbik.load("panda")
    q = np.array([2.27, arm.lower[1] + 1e-6, -1.33, -1.69, -1.52, 1.13, 1.35])
    pose = arm.pose(q)
    for _ in range(30):
        direction = nullspace.stay_from_limits(arm, q)
        q = nullspace.slide(arm, q, direction, step=0.1, keep=Pose(target=pose)).q
        assert distance(arm.pose(q), pose) <= 1e-6 * (1 + 1e-6)
    assert limit_margins(arm, q).min() > 0.5


def test_a_slide_toward_a_posture_with_the_same_pose_arrives() -> None:
    arm = limbik.load("iiwa7")
    q = posture = inside(arm, 2)
    along = np.ones(7)
    for _ in range(10):
        free = arm.nullspace(q)
        along = free @ (free.T @ along)
        q = nullspace.slide(arm, q, along / np.linalg.norm(along), step=0.1).q
    assert np.linalg.norm(q - posture) > 0.5
    for _ in range(20):
        q = nullspace.slide(arm, q, nullspace.toward(arm, q, posture), step=0.2).q
    assert_allclose(q, posture, atol=1e-4)


# --- secondary objectives -----------------------------------------------------------------------------------


def room(model: Model, q: np.ndarray) -> float:
    """What `stay_from_limits` climbs."""
    total = 0.0
    for reading in readings(model, q):
        low, high = (-reading.upper, reading.upper) if reading.quantity == "swing" else reading[3:5]
        half = 1.0 if reading.quantity == "travel" else math.pi
        if math.isinf(low) and math.isinf(high):
            continue
        is_open = math.isinf(low) or math.isinf(high)
        low, high = (
            (high - 2 * half if math.isinf(low) else low),
            (low + 2 * half if math.isinf(high) else high),
        )
        x, half = reading.value - 0.5 * (low + high), 0.5 * (high - low)
        beyond_middle = is_open and (x > 0.0) == math.isinf(reading.upper)
        if half > 0.0 and not beyond_middle:
            total += 0.5 * half**2 * math.log(max(1.0 - (x / half) ** 2, 1e-12))
    return total


def slope(model: Model, q: np.ndarray, v: np.ndarray, function, step: float = 1e-6) -> float:
    ahead, behind = (
        function(model, model.integrate(q, step * v)),
        function(model, model.integrate(q, -step * v)),
    )
    return (ahead - behind) / (2.0 * step)


@settings(max_examples=50)
@given(trees(), SEEDS)
def test_joints_are_led_from_their_limits_up_the_gradient(tree: Model, seed: int) -> None:
    q = tree.random(seed)
    for reading in readings(tree, q):
        width = min(reading.upper - reading.lower, 1.0)
        near_middle = math.isinf(reading.lower) != math.isinf(reading.upper)
        if (
            reading.margin < 0.05 * width
            or near_middle
            or (reading.quantity == "swing" and reading.value > 3.0)
        ):
            return
    v = tangent(tree, seed, 1.0)
    expected = slope(tree, q, v, room)
    assert nullspace.stay_from_limits(tree, q) @ v == pytest.approx(expected, rel=1e-4, abs=1e-4)


def test_a_joint_at_its_limit_is_led_from_it_and_one_without_limits_is_left_alone() -> None:
    arm = (
        ModelBuilder("arm")
        .revolute("both", limits=(-1, 1))
        .continuous("none")
        .revolute("lower", limits=(0.5, math.inf))
        .prismatic("upper", limits=(-math.inf, 2.0))
        .revolute("stuck", limits=(0.3, 0.3))
        .build()
    )
    v = nullspace.stay_from_limits(arm, [1.0, 50.0, 0.6, 1.9, 0.3])
    assert v[0] < -1.0 and v[1] == 0.0 and v[2] > 0.0 and v[3] < 0.0 and v[4] == 0.0
    assert not nullspace.stay_from_limits(arm, [0.0, 0.0, 40.0, -5.0, 0.3]).any()
    assert np.isfinite(v).all()


@settings(max_examples=30)
@given(ARMS, SEEDS)
def test_manipulability_rises_along_its_direction(arm: Model, seed: int) -> None:
    q, v = arm.random(seed), tangent(arm, seed, 1.0)

    def logarithm(model: Model, q: np.ndarray) -> float:
        J = model.jacobian(q)
        return 0.5 * float(np.linalg.slogdet(J @ J.T)[1])

    expected = slope(arm, q, v, logarithm)
    assert nullspace.raise_manipulability(arm, q) @ v == pytest.approx(expected, rel=1e-3, abs=1e-3)


def test_manipulability_of_an_arm_in_a_plane_has_a_direction() -> None:
    arm = limbik.planar_arm(3, 0.5)
    assert nullspace.raise_manipulability(arm, [0.2, 0.4, 0.3])[1:].all()
    assert_allclose(nullspace.raise_manipulability(arm, [0.2, 0.0, 0.0]), 0.0, atol=1e-4)


def test_the_way_to_a_posture_has_no_whole_turns_of_a_hinge_without_limits() -> None:
    arm = ModelBuilder("arm").continuous("free").revolute("bound", limits=(-7, 7)).build()
    assert_allclose(nullspace.toward(arm, [6.5, 6.5], [0.0, 0.0]), [2.0 * math.pi - 6.5, -6.5])


# --- what has no meaning ------------------------------------------------------------------------------------


def test_the_way_to_a_posture_has_the_revolutions_that_a_follower_needs() -> None:
    follower = Mimic(joint="a", multiplier=0.5)
    model = ModelBuilder("t").continuous("a").revolute("b", parent="base", mimic=follower).build()
    assert_allclose(nullspace.toward(model, np.zeros(1), [5.0]), [5.0])


def test_what_has_no_meaning_is_refused() -> None:
    arm = limbik.load("panda")
    q = inside(arm, 0)
    with pytest.raises(ConfigurationError, match=r"needs 7 numbers .*, found shape \(2, 7\)"):
        arm.nullspace([q, q])
    with pytest.raises(ConfigurationError, match="finite"):
        arm.nullspace(q * np.nan)
    with pytest.raises(ModelError, match="no frame 'hnad'"):
        arm.nullspace(q, "hnad")
    with pytest.raises(GoalError):
        arm.nullspace(q, [1.0])
    with pytest.raises(ConfigurationError, match="`posture` needs 7 numbers"):
        nullspace.toward(arm, q, np.eye(7))
    with pytest.raises(ConfigurationError, match="`direction` needs 7 numbers"):
        nullspace.slide(arm, q, lambda model, q: q[:2], step=0.1)
    with pytest.raises(ConfigurationError, match="`direction` needs 7 numbers"):
        nullspace.slide(arm, q, [1.0, 0.0], step=0.1)
    for step in (0.0, -1.0, math.inf, math.nan, "far"):
        with pytest.raises(SolverError, match="`step` needs a positive length"):
            nullspace.slide(arm, q, np.ones(7), step=step)


def test_what_has_no_joints_has_no_directions() -> None:
    post = ModelBuilder("post").fixed("top").build()
    for objective in (nullspace.raise_manipulability, nullspace.stay_from_limits):
        assert objective(post, []).shape == (0,)
