"""The fast core, interpreted: what it says is so, and what it is asked for it does."""

import math
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

import limbik
from fast_chains import (
    NO_LIMITS,
    assert_honest,
    fast_chains,
    hinges,
    position_error,
    reachable,
    rotation_error,
)
from limbik import Orientation, Pose, Position, Status
from limbik.errors import ConfigurationError, GoalError, SolverError
from limbik.model import ModelBuilder
from solvers.arms import pose
from strategies import SEEDS, poses

pytestmark = pytest.mark.usefixtures("interpreted_core")

SOME = settings(max_examples=15)
FEW = settings(max_examples=10)
WIDE = (-2.8, 2.8)


@pytest.fixture(scope="module")
def panda():
    return limbik.load("panda")


def turned(angle, axis):
    """A pose that only turns."""
    return pose(turn=Rotation.from_rotvec(angle * np.eye(3)["xyz".index(axis)]))


# ---------------------------------------------------------------------------------------------- reachable
# goals


@pytest.mark.slow
@SOME
@given(reachable())
def test_a_goal_made_by_forward_kinematics_is_met(case):
    model, q = case
    target = model.pose(q)
    solution = model.solve(target, solver="lm")
    assert_honest(model, solution, target)
    assert solution.success


@pytest.mark.slow
@SOME
@given(reachable(), SEEDS)
def test_a_goal_made_by_forward_kinematics_is_met_from_any_start(case, seed):
    model, q = case
    target = model.pose(q)
    solution = model.solve(target, solver="lm", start=model.random(seed))
    assert_honest(model, solution, target)
    assert solution.success


@pytest.mark.slow
@FEW
@given(reachable(max_joints=8), SEEDS)
def test_limits_are_ignored_where_that_is_asked_for(case, seed):
    model, q = case
    wild = q + np.random.default_rng(seed).uniform(-1.0, 1.0, model.nq)
    target = model.pose(wild)
    solution = model.solve(target, solver="lm", limits=False)
    assert_honest(model, solution, target, limits=False)
    assert solution.success


@pytest.mark.slow
@SOME
@given(fast_chains(), poses(), st.none() | SEEDS)
def test_whatever_is_asked_the_answer_is_honest(model, target, seed):
    start = None if seed is None else model.random(seed)
    assert_honest(model, model.solve(target, solver="lm", start=start, iterations=60), target)


@pytest.mark.slow
@SOME
@given(reachable(max_joints=6))
def test_a_goal_off_by_half_a_turn_is_not_taken_for_met(case):
    model, q = case
    for axis in "xyz":
        target = model.pose(q) @ turned(math.pi, axis)
        assert_honest(model, model.solve(target, solver="lm", start=q, iterations=40), target)


def test_a_start_half_a_turn_away_is_left():
    robot = limbik.load("ur5e")
    for seed in range(20):
        q = robot.random(seed)
        start = q.copy()
        start[5] -= math.copysign(math.pi, q[5])
        target = robot.pose(q)
        solution = robot.solve(target, start=start)
        assert_honest(robot, solution, target)
        assert solution.success


@pytest.mark.parametrize("axis", [(0, 0, 1), (1, 0, 0), (0.6, -0.8, 0), (2, 0, -3), (0, 8, -9), (1, 1, 1)])
def test_one_hinge_turns_half_a_turn(axis):
    model = ModelBuilder("hinge").continuous("joint", axis=axis).build()
    for angle in (math.pi, -math.pi, math.pi - 1e-9, 3.0):
        target = model.pose([angle])
        for start in ([0.0], [angle + math.pi]):
            solution = model.solve(target, start=start, iterations=300)
            assert_honest(model, solution, target)
            assert solution.success


@pytest.mark.slow
@pytest.mark.parametrize("width", [0.0, 1e-12, 1e-9, 1e-6])
def test_limits_a_hair_apart_are_kept(width):
    for seed in range(8):
        middle = np.random.default_rng(seed).uniform(-2.0, 2.0, 6)
        ranges = [(m, m + width) if k in (1, 4) else WIDE for k, m in enumerate(middle)]
        model = hinges(ranges)
        target = model.pose(model.random(seed))
        for start in (None, model.random(seed + 100), np.full(6, 3.0)):
            solution = model.solve(target, start=start)
            assert_honest(model, solution, target)
            assert solution.success


@pytest.mark.parametrize(
    "pair",
    [
        NO_LIMITS,
        (-math.inf, 0.3),
        (0.3, math.inf),
        (20.0, math.inf),
        (-math.inf, -20.0),
        (-9.0, 9.0),
        (20.0, 21.0),
    ],
)
def test_unusual_limits_are_kept(pair):
    for count in (2, 6, 7):
        model = hinges([pair, WIDE] * 3 + [pair] if count == 7 else [pair] * count)
        for seed in range(5):
            target = model.pose(model.random(seed))
            for start in (None, model.random(seed + 100)):
                solution = model.solve(target, start=start)
                assert_honest(model, solution, target)
                assert solution.success, (count, seed, start is None)


@pytest.mark.parametrize("pair", [(20.0, math.inf), (-math.inf, -20.0), (0.3, math.inf), (20.0, 21.0)])
def test_flat_arms_with_unusual_limits_are_solved(pair):
    arm = limbik.planar_arm(4, 1.0, limits=pair)
    for seed in range(10):
        target = arm.pose(arm.random(seed))
        solution = arm.solve(target, solver="lm")
        assert_honest(arm, solution, target)
        assert solution.success


def test_no_warning_is_given_for_a_joint_without_limits(recwarn):
    model = hinges([NO_LIMITS] * 4)
    model.solve(model.pose(model.random(0)))
    assert [str(warning.message) for warning in recwarn] == []


@pytest.mark.parametrize("offset", [0.0, 1e-30, 1e-17, 1e-9, 1e-6, 1e-3])
def test_a_wrist_whose_links_are_only_rounding_turns(offset):
    wrist = (
        ModelBuilder("wrist")
        .revolute("pan", axis="z", limits=WIDE)
        .revolute("tilt", axis="y", origin=(0.0, 0.0, offset), limits=(-1.5, 1.5))
        .revolute("roll", axis="x", limits=WIDE)
        .build()
    )
    for q in wrist.random(0, size=5):
        solution = wrist.solve(wrist.pose(q), solver="lm", iterations=300)
        assert_honest(wrist, solution, wrist.pose(q))
        assert solution.success


# -------------------------------------------------------------------------------------------------------
# starts


@pytest.mark.parametrize("beyond", [1e-8, 1e-3, 1.0, 100.0])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_start_outside_the_limits_is_moved_inside_and_that_is_said(panda, beyond, side):
    q = panda.random(0)
    start = q.copy()
    start[2] = (panda.upper if side > 0.0 else panda.lower)[2] + side * beyond
    solution = panda.solve(panda.pose(q), start=start)
    assert solution.start_was_moved
    assert_honest(panda, solution, panda.pose(q))
    assert_array_equal(solution.start, start)


def test_a_start_inside_the_limits_is_not_said_to_be_moved(panda):
    for start in (panda.random(1), panda.lower, panda.upper):
        assert not panda.solve(panda.pose(panda.random(0)), start=start).start_was_moved


def test_moving_a_joint_off_the_path_is_said_too():
    model = (
        ModelBuilder("tree")
        .revolute("idle", parent="base", axis="x", limits=(-1.0, 1.0))
        .revolute("joint0", parent="base", axis="z", limits=WIDE)
        .revolute("joint1", axis="y", origin=(0.3, 0.1, 0.0), limits=WIDE)
        .build(end_effector="joint1")
    )
    target = model.pose([0.0, 0.4, 0.3])
    solution = model.solve(target, start=[3.0, 0.1, 0.2])
    assert solution.success
    assert solution.q[0] == 1.0
    assert solution.start_was_moved
    kept = model.solve(target, start=[0.7, 0.1, 0.2])
    assert kept.q[0] == 0.7
    assert not kept.start_was_moved


@pytest.mark.slow
@SOME
@given(reachable())
def test_a_start_that_meets_the_goal_is_returned(case):
    model, q = case
    solution = model.solve(model.pose(q), solver="lm", start=q)
    assert solution.success
    assert solution.iterations == 0
    assert solution.restarts == 0
    assert not solution.start_was_moved
    assert np.array_equal(solution.q, q)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_start_that_is_not_finite_is_refused(panda, bad):
    start = panda.neutral.copy()
    start[3] = bad
    with pytest.raises(ConfigurationError, match=r"`start` needs finite numbers"):
        panda.solve(panda.pose(panda.neutral), start=start)


@pytest.mark.parametrize("size", [0, 6, 8])
def test_a_start_of_the_wrong_length_is_refused(panda, size):
    with pytest.raises(ConfigurationError, match=r"`start` needs 7 numbers"):
        panda.solve(panda.pose(panda.neutral), start=np.zeros(size))


def test_the_start_given_is_not_written_to(panda):
    start = panda.upper + 1.0
    kept = start.copy()
    panda.solve(panda.pose(panda.random(0)), start=start)
    assert_array_equal(start, kept)


# --------------------------------------------------------------------------------------------------------
# reach


@pytest.mark.slow
@SOME
@given(fast_chains(max_joints=7), poses(), SEEDS)
def test_a_goal_beyond_reach_is_said_to_be_so(model, target, seed):
    reach = model.reach()
    if math.isinf(reach):
        return
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=3)
    base = model.path()[0].origin[:3, 3] if model.path() else np.zeros(3)
    target[:3, 3] = base + direction / np.linalg.norm(direction) * (reach * 1.01 + 0.01)
    for start in (None, model.random(seed)):
        solution = model.solve(target, solver="lm", start=start, iterations=80)
        assert not solution.success
        assert solution.status is Status.UNREACHABLE
        assert_honest(model, solution, target)


@pytest.mark.parametrize("inside", [0.0, 1e-12, 1e-9, 1e-6, 1e-3])
def test_a_stretched_arm_is_found_at_the_edge_of_its_reach(inside):
    arm = limbik.planar_arm(3, 1.0)
    target = arm.pose([0.5, inside, -inside])
    solution = arm.solve(target, solver="lm")
    assert_honest(arm, solution, target)
    assert solution.success
    target[:3, 3] *= 1.0 + 1e-5
    over = arm.solve(target, solver="lm")
    assert over.status is Status.UNREACHABLE
    assert_honest(arm, over, target)
    assert over.error < 1e-3


@pytest.mark.parametrize("beyond", [0.3, 0.9])
def test_a_point_beyond_reach_is_met_within_the_tolerance_alone(beyond):
    arm, tolerance = limbik.planar_arm(3, 1.0), 0.2
    for seed in range(5):
        target = np.eye(4)
        target[:3, 3] = (3.0 + beyond * tolerance) * np.array([math.cos(seed), math.sin(seed), 0.0])
        solution = arm.solve(Position(target=target[:3, 3]), start=arm.random(seed), tolerance=tolerance)
        assert_honest(arm, solution, target, rotation=False, tolerance=tolerance)
        assert solution.success


def test_a_point_too_near_for_the_arm_is_unreachable():
    arm = limbik.planar_arm(2, [1.0, 0.4])
    target = pose(0.2, 0.1, 0.0)
    solution = arm.solve(target, solver="lm")
    assert solution.status is Status.UNREACHABLE
    assert_honest(arm, solution, target)


def test_a_straight_arm_folds():
    arm = hinges([WIDE] * 6)
    straight = np.zeros(6)
    for seed in range(20):
        target = arm.pose(np.random.default_rng(seed).uniform(-0.6, 0.6, 6))
        solution = arm.solve(target, start=straight)
        assert_honest(arm, solution, target)
        assert solution.success
    target = arm.pose(straight)
    target[0, 3] -= 0.5  # straight back toward the base: no joint moves the tool that way at first
    assert_honest(arm, arm.solve(target, start=straight), target)


def test_the_mean_panda_solve_takes_few_iterations(panda):
    solutions = [panda.solve(panda.pose(q)) for q in panda.random(5, size=100)]
    assert all(solutions)
    assert np.mean([solution.iterations for solution in solutions]) < 12


# -------------------------------------------------------------------------------------------------- odd
# targets


@pytest.mark.parametrize("place", [(0, 0), (2, 1), (0, 3), (2, 3)])
@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("wrap", [np.array, lambda target: Pose(target=target)])
def test_a_target_that_is_not_finite_is_refused(panda, place, bad, wrap):
    target = panda.pose(panda.neutral)
    target[place] = bad
    panda.solve(panda.pose(panda.neutral))
    with pytest.raises(GoalError, match="needs finite numbers"):
        panda.solve(wrap(target))


def broken(target):
    """Poses whose rotation is none, with the words that say why."""
    scaled, mirrored, skew, empty = (target.copy() for _ in range(4))
    scaled[:3, :3] *= 1.01
    mirrored[:3, 1] *= -1.0
    skew[0, 1] += 1e-3
    empty[:3, :3] = 0.0
    return [
        (scaled, "not orthonormal"),
        (mirrored, "mirror image"),
        (skew, "not orthonormal"),
        (empty, "not orthonormal"),
    ]


@pytest.mark.parametrize("case", range(4))
def test_a_target_whose_rotation_is_none_is_refused_with_the_reason(panda, case):
    target, reason = broken(panda.pose(panda.neutral))[case]
    with pytest.raises(GoalError, match=reason):
        panda.solve(target)
    with pytest.raises(GoalError, match=reason):
        panda.solve(target, start=panda.neutral)


@pytest.mark.parametrize("row", [[0.0, 0.0, 0.0, 2.0], [0.0, 0.0, 1e-3, 1.0], [math.nan, 0.0, 0.0, 1.0]])
def test_a_target_with_another_last_row_is_refused(panda, row):
    target = panda.pose(panda.neutral)
    target[3] = row
    with pytest.raises(GoalError, match=r"last row 0 0 0 1|finite numbers"):
        panda.solve(target)


@pytest.mark.parametrize("far", [1e6, 1e12, 1e300])
def test_a_target_at_the_end_of_the_world_is_out_of_reach(panda, far):
    target = panda.pose(panda.neutral)
    target[0, 3] = far
    solution = panda.solve(target)
    assert solution.status is Status.UNREACHABLE
    assert solution.error > 0.9 * far
    assert panda.is_within_limits(solution.q)


@pytest.mark.parametrize("off", [1e-12, 1e-8, 1e-7])
def test_a_rotation_off_by_rounding_is_repaired(panda, off):
    rng = np.random.default_rng(0)
    for q in panda.random(1, size=5):
        exact = panda.pose(q)
        target = exact.copy()
        target[:3, :3] += off * rng.uniform(-1.0, 1.0, (3, 3))
        solution = panda.solve(target)
        assert solution.success
        assert position_error(panda, solution.q, exact) <= 1e-6
        assert rotation_error(panda, solution.q, exact) <= 1e-6 + 4.0 * off


def test_a_target_in_another_layout_or_type_is_the_same_target(panda):
    target = panda.pose(panda.random(3))
    q = panda.solve(target).q
    wide = np.zeros((4, 8))
    wide[:, ::2] = target
    for same in (np.asfortranarray(target), wide[:, ::2], target.tolist(), Pose(target=target)):
        assert_array_equal(panda.solve(same).q, q)
    frozen = target.copy()
    frozen.setflags(write=False)
    assert_array_equal(panda.solve(frozen).q, q)
    assert panda.solve(target.astype(np.float32), tolerance=1e-5, tolerance_rotation=1e-5).success


# ------------------------------------------------------------------------------- weights, points, directions


@pytest.mark.parametrize("seed", range(5))
def test_without_weights_on_the_rotation_a_pose_is_a_point(panda, seed):
    target = pose(0.4, -0.2, 0.5, Rotation.random(rng=np.random.default_rng(seed)))
    solution = panda.solve(Pose(target=target, weights=(1, 1, 1, 0, 0, 0)))
    assert_honest(panda, solution, target, rotation=False)
    assert solution.success


@pytest.mark.parametrize("free", [0, 1, 2])
@pytest.mark.parametrize("asks_position", [True, False])
def test_any_spin_about_one_axis_leaves_its_direction(panda, free, asks_position):
    weights = [float(asks_position)] * 3 + [1.0] * 3
    weights[3 + free] = 0.0
    rng = np.random.default_rng(free)
    for q in panda.random(rng, size=8):
        spin = np.zeros(3)
        spin[free] = rng.uniform(-3.0, 3.0)
        target = panda.pose(q) @ pose(turn=Rotation.from_rotvec(spin))
        solution = panda.solve(Pose(target=target, weights=tuple(weights)))
        assert solution.success
        found = panda.pose(solution.q)
        assert panda.is_within_limits(solution.q)
        between = math.atan2(
            float(np.linalg.norm(np.cross(found[:3, free], target[:3, free]))),
            float(found[:3, free] @ target[:3, free]),
        )
        assert between <= 1e-6 + 1e-11
        assert abs(solution.error_rotation - between) <= 1e-7
        if asks_position:
            assert position_error(panda, solution.q, target) <= 1e-6 + 1e-12


@pytest.mark.parametrize("start", [[0.0], [math.pi], [1.0]])
def test_the_opposite_direction_is_not_the_one_asked_for(start):
    model = ModelBuilder("hinge").continuous("joint", axis="x").build()
    target = turned(math.pi, "x")
    solution = model.solve(Pose(target=target, weights=(1, 1, 1, 1, 1, 0)), start=start)
    assert solution.success
    assert_allclose(model.pose(solution.q)[:3, 2], target[:3, 2], atol=2e-6)


@pytest.mark.parametrize("free", [0, 1, 2])
def test_a_free_axis_of_the_position_is_one_of_the_target(panda, free):
    weights = [1.0] * 6
    weights[free] = 0.0
    for q in panda.random(free, size=5):
        there = panda.pose(q)
        slide = np.zeros(4)
        slide[free] = 3.0  # far out of reach along the free axis
        target = there.copy()
        target[:3, 3] += there[:3, :3] @ slide[:3]
        solution = panda.solve(Pose(target=target, weights=tuple(weights)))
        assert solution.success
        off = target[:3, :3].T @ (panda.pose(solution.q)[:3, 3] - target[:3, 3])
        off[free] = 0.0
        assert np.linalg.norm(off) <= 1e-6 + 1e-12
        assert rotation_error(panda, solution.q, target) <= 1e-6 + 1e-11


@FEW
@given(reachable(max_joints=8), st.lists(st.sampled_from([0.0, 0.1, 1.0, 30.0]), min_size=6, max_size=6))
def test_weights_of_any_size_still_mean_the_whole_tolerance(case, weights):
    model, q = case
    if not any(weights):
        return
    target = model.pose(q)
    solution = model.solve(Pose(target=target, weights=tuple(weights)), solver="lm", start=q)
    assert solution.success
    assert solution.iterations <= 1
    if min(weights) > 0.0:
        elsewhere = model.solve(Pose(target=target, weights=tuple(weights)), solver="lm")
        assert_honest(model, elsewhere, target)
        assert elsewhere.success


@pytest.mark.slow
@SOME
@given(reachable(max_joints=10))
def test_points_and_rotations_made_by_forward_kinematics_are_met(case):
    model, q = case
    target = model.pose(q)
    there = model.solve(Position(target=target[:3, 3]), solver="lm")
    assert_honest(model, there, target, rotation=False)
    assert there.success
    turn = model.solve(Orientation(target=target[:3, :3]), solver="lm")
    assert_honest(model, turn, target, position=False)
    assert turn.success


def test_a_point_of_two_numbers_lies_at_the_arms_own_height():
    stand = (
        ModelBuilder("stand")
        .revolute("joint0", axis="z", origin=(0.0, 0.0, 1.0))
        .revolute("joint1", axis="z", origin=(1.0, 0.0, 0.0))
        .frame("tip", pose=pose(1.0))
        .build(end_effector="tip")
    )
    solution = stand.solve((0.9, 0.8), solver="lm")
    assert solution.success
    assert_allclose(stand.pose(solution.q)[:3, 3], [0.9, 0.8, 1.0], atol=2e-6)


# -------------------------------------------------------------------------------------------------------
# options


@pytest.mark.parametrize("size", [1, 2])
def test_locked_joints_keep_their_values_exactly(panda, size):
    names = [joint.name for joint in panda.path() if joint.kind.name != "FIXED"]
    for seed in range(10):
        rng = np.random.default_rng(seed)
        q = panda.random(rng)
        places = rng.choice(7, size, replace=False)
        start = panda.random(rng)
        start[places] = q[places]
        target = panda.pose(q)
        solution = panda.solve(target, start=start, locked=[names[k] for k in places])
        assert_honest(panda, solution, target)
        assert_array_equal(solution.q[places], start[places])
        assert size == 2 or solution.success


def test_without_a_start_a_locked_joint_stays_at_its_neutral_value(panda):
    name = panda.joint_names[2]
    q = panda.random(1)
    q[2] = panda.neutral[2]
    for locked in (name, (name,), [name]):
        solution = panda.solve(panda.pose(q), locked=locked)
        assert solution.success
        assert solution.q[2] == panda.neutral[2]


def test_an_unknown_locked_joint_is_refused_with_a_suggestion(panda):
    name = panda.joint_names[3]
    with pytest.raises(SolverError, match=f"did you mean .*{name}"):
        panda.solve(panda.pose(panda.neutral), locked=name + "x")
    with pytest.raises(SolverError, match="`locked` needs names of joints"):
        panda.solve(panda.pose(panda.neutral), locked=3)


def test_every_joint_may_be_locked(panda):
    q = panda.random(0)
    names = list(panda.joint_names)
    assert panda.solve(panda.pose(q), start=q, locked=names).success
    solution = panda.solve(panda.pose(panda.random(1)), start=q, locked=names, iterations=30)
    assert not solution.success
    assert_array_equal(solution.q, q)


@pytest.mark.slow
@SOME
@given(reachable(max_joints=8), poses(0.5))
def test_a_tool_in_the_hand_meets_the_goal(case, tool):
    model, q = case
    target = model.pose(q) @ tool
    solution = model.solve(target, solver="lm", tool=tool)
    assert solution.success
    held = model.pose(solution.q) @ tool
    assert np.linalg.norm(held[:3, 3] - target[:3, 3]) <= 1e-6 + 1e-10
    assert Rotation.from_matrix(held[:3, :3].T @ target[:3, :3]).magnitude() <= 1e-6 + 1e-10
    assert model.is_within_limits(solution.q)


def test_a_tool_is_as_a_goal_moved_by_its_inverse():
    robot = limbik.load("ur5e")
    tool = pose(0.05, -0.02, 0.2, Rotation.from_rotvec([0.3, 0.2, -0.5]))
    for seed in range(10):
        q = robot.random(seed)
        start = q + 0.02
        target = robot.pose(q) @ tool
        with_tool = robot.solve(target, start=start, tool=tool, tolerance=1e-9, tolerance_rotation=1e-9)
        moved = robot.solve(
            target @ np.linalg.inv(tool), start=start, tolerance=1e-9, tolerance_rotation=1e-9
        )
        assert with_tool.success
        assert moved.success
        assert_allclose(with_tool.q, moved.q, atol=1e-5)


def test_a_tool_that_is_no_pose_is_refused(panda):
    with pytest.raises(SolverError, match="`tool`"):
        panda.solve(panda.pose(panda.neutral), tool=2.0 * np.eye(4))


@pytest.mark.parametrize("tolerance", [1e-12, 1e-9, 1e-4, 1e-2])
def test_the_tolerances_are_those_of_the_call(panda, tolerance):
    for q in panda.random(0, size=10):
        target = panda.pose(q)
        coarse = panda.solve(target, tolerance=tolerance)
        fine = panda.solve(target, tolerance_rotation=tolerance)
        assert_honest(panda, coarse, target, tolerance=tolerance)
        assert_honest(panda, fine, target, tolerance_rotation=tolerance)
        assert coarse.success
        assert fine.success


def test_a_tolerance_of_a_whole_turn_leaves_the_rotation_free(panda):
    target = pose(0.4, 0.2, 0.5, Rotation.from_rotvec([3.0, 0.2, 0.1]))
    assert panda.solve(target, tolerance_rotation=10.0).success


@pytest.mark.parametrize("budget", [1, 2, 7, 100])
@pytest.mark.parametrize("from_start", [True, False])
def test_the_budget_of_iterations_is_kept(budget, from_start):
    model = hinges([WIDE] * 3)
    target = model.pose([0.3, 0.4, 0.5]) @ turned(1.0, "x")  # three joints cannot turn that way
    start = model.neutral if from_start else None
    for prefer in (None, "nearest") if from_start else (None,):
        solution = model.solve(target, iterations=budget, start=start, prefer=prefer)
        assert not solution.success
        assert solution.iterations <= budget
        assert_honest(model, solution, target)


@pytest.mark.parametrize("from_start", [True, False])
def test_the_time_limit_is_kept(from_start):
    model = hinges([WIDE] * 3)
    target = model.pose([0.3, 0.4, 0.5]) @ turned(1.0, "x")
    start = model.neutral if from_start else None
    model.solve(target, iterations=1)
    began = time.perf_counter()
    solution = model.solve(target, start=start, iterations=10**8, time_limit=0.02)
    assert time.perf_counter() - began < 2.0
    assert not solution.success
    assert_honest(model, solution, target)


@pytest.mark.parametrize("restarts", [0, 1, 20])
def test_attempts_are_as_many_as_restarts_allow(restarts):
    model = hinges([WIDE] * 3)
    target = model.pose([0.3, 0.4, 0.5]) @ turned(0.2, "x")
    solution = model.solve(target, restarts=restarts)
    assert solution.ended is Status.LIKELY_UNREACHABLE
    assert solution.restarts <= restarts


@pytest.mark.parametrize("seed", [-1, 1.5, "1", None])
def test_a_seed_that_is_no_whole_number_is_refused(panda, seed):
    with pytest.raises(SolverError, match="`seed` needs a whole number"):
        panda.solve(panda.pose(panda.neutral), seed=seed)


@pytest.mark.parametrize("seed", [1, 2**31, 2**63, 2**2000])
def test_a_seed_of_any_size_is_taken_or_refused_in_words(panda, seed):
    target = panda.pose(panda.random(0))
    try:
        solution = panda.solve(target, seed=seed)
    except SolverError as error:
        assert "`seed`" in str(error)
    else:
        assert_honest(panda, solution, target)
        assert solution.success


# ------------------------------------------------------------------------------------- repeatable, and near
# by


def same(one, other):
    """Whether two solutions are the same but for the time that they took."""
    return one.q.tobytes() == other.q.tobytes() and np.array_equal(one.outcome[:6], other.outcome[:6])


@pytest.mark.slow
@FEW
@given(fast_chains(max_joints=8), poses(), st.integers(0, 5), st.booleans())
def test_the_same_question_has_the_same_answer(model, target, seed, from_start):
    options = {"solver": "lm", "seed": seed, "iterations": 60}
    options["start"] = model.random(seed) if from_start else None
    assert same(model.solve(target, **options), model.solve(target, **options))


def test_answers_do_not_depend_on_what_was_solved_before_or_beside(panda):
    other = limbik.load("ur5e")
    targets = [panda.pose(q) for q in panda.random(0, size=40)]
    alone = [panda.solve(target) for target in targets]
    for target in targets[::3]:
        other.solve(target, iterations=20)
    with ThreadPoolExecutor(4) as pool:
        beside = list(pool.map(panda.solve, targets[::-1]))[::-1]
    assert all(map(same, alone, beside))


def test_seeds_lead_to_different_answers():
    arm = hinges([WIDE] * 4)
    # No table serves a goal of position only: the first configurations are random.
    target = Position(target=arm.pose(arm.random(0))[:3, 3])
    found = {arm.solve(target, solver="lm", seed=seed).q.tobytes() for seed in range(5)}
    assert len(found) > 1


@pytest.mark.slow
def test_of_several_solutions_the_nearest_is_taken(panda):
    rng = np.random.default_rng(0)
    for q in panda.random(rng, size=12):
        start = panda.clip(q + rng.uniform(-0.1, 0.1, 7))
        target = panda.pose(q)
        nearest = panda.solve(target, start=start, prefer="nearest")
        assert_honest(panda, nearest, target)
        assert nearest.success
        others = [panda.solve(target, start=start), *(panda.solve(target, seed=seed) for seed in range(3))]
        distances = [np.linalg.norm(other.q - start) for other in others if other]
        assert np.linalg.norm(nearest.q - start) <= min(distances) + 1e-4


@pytest.mark.slow
def test_of_several_solutions_of_any_arm_the_nearest_is_taken():
    robot = limbik.load("ur5e")
    rng = np.random.default_rng(1)
    for _ in range(12):
        start = rng.uniform(-2.5, 2.5, 6)
        target = robot.pose(start + rng.uniform(-0.1, 0.1, 6))
        nearest = robot.solve(target, start=start, prefer="nearest")
        assert nearest.success
        assert_honest(robot, nearest, target)
        others = [robot.solve(target, start=start), *(robot.solve(target, seed=seed) for seed in range(3))]
        distances = [np.linalg.norm(robot.difference(start, other.q)) for other in others if other]
        assert np.linalg.norm(robot.difference(start, nearest.q)) <= min(distances) + 1e-4


def near_goals(model, count, seed=0, by=0.05):
    """Goals a little way from starts."""
    rng = np.random.default_rng(seed)
    for q in model.random(rng, size=count):
        yield model.pose(q), model.clip(q + rng.uniform(-by, by, model.nq))


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"prefer": "nearest"}, {"restarts": 0}])
def test_a_goal_near_the_start_is_met_near_the_start(panda, options):
    for target, start in near_goals(panda, 12 if options.get("prefer") else 200):
        solution = panda.solve(target, start=start, **options)
        assert_honest(panda, solution, target)
        if not options:
            assert solution.success
        assert np.abs(solution.q - start).max() < 0.5


def test_without_restarts_nothing_is_tried_elsewhere(panda):
    for seed in range(20):
        start, q = panda.random(seed), panda.random(seed + 1000)
        solution = panda.solve(panda.pose(q), start=start, restarts=0)
        assert solution.restarts == 0
        assert_honest(panda, solution, panda.pose(q))


def test_whole_turns_of_the_start_are_kept():
    model = hinges([NO_LIMITS] * 6)
    q = model.random(0)
    for turns in (-3, 1, 5):
        start = q + 2.0 * math.pi * turns + 0.05
        solution = model.solve(model.pose(q), start=start)
        assert solution.success
        assert np.abs(solution.q - start).max() < 0.5


def test_answers_without_a_start_turn_less_than_once():
    model = hinges([NO_LIMITS] * 6)
    for seed in range(10):
        solution = model.solve(model.pose(model.random(seed)))
        assert solution.success
        assert np.abs(solution.q).max() <= math.pi + 1e-9


@pytest.mark.parametrize("count", [10, 11, 12, 13])
def test_weights_of_a_pose_are_taken_on_arms_of_any_length(count: int) -> None:
    builder = limbik.ModelBuilder("long")
    for k in range(count):
        builder.revolute(f"j{k}", axis="xyz"[k % 3], origin=(0.1, 0.05, 0.02), limits=3.0)
    arm = builder.frame("tip", pose=(0.0, 0.0, 0.1)).build(end_effector="tip")
    pose = arm.pose(arm.random(1))
    for weights in ((1, 1, 1, 0, 0, 0), (1, 1, 1, 1, 1, 0)):
        solution = arm.solve(limbik.Pose(target=pose, weights=weights))
        assert solution.success
        assert_allclose(arm.pose(solution.q)[:3, 3], pose[:3, 3], atol=1e-5)
