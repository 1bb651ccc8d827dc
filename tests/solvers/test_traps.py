"""Where textbook methods get stuck, jerk, divide by zero or never end."""

import math

import numpy as np
import pytest

import limbik
from limbik import Status
from solvers.arms import (
    ARMS,
    CASES,
    IN_SPACE,
    IN_THE_FAST_CORE,
    SIXTY_DEGREES,
    SOLVERS,
    arms,
    assert_true,
    branching_tree,
    directions,
    distance,
    hinge_arm,
)

pytestmark = pytest.mark.usefixtures("compiled_methods")

REACH = 6.0  # [m] of each of ARMS

# --- a straight arm and a target on its own axis ------------------------------------------------------------

FRACTIONS = (0.5, 0.9, 0.37, -0.5)


@pytest.mark.parametrize("fraction", FRACTIONS)
@pytest.mark.parametrize(("kind", "solver"), CASES)
def test_a_straight_arm_bends_to_a_target_on_its_own_axis(kind, solver, fraction):
    point = np.array([fraction * REACH, 0.0, 0.0])
    solution = ARMS[kind].solve(point, solver=solver)
    assert solution.success
    again = arms()[kind].solve(point, solver=solver)
    assert solution.q.tobytes() == again.q.tobytes()


@pytest.mark.parametrize("fraction", (*FRACTIONS, 0.99))
@pytest.mark.parametrize(("kind", "solver"), CASES)
def test_a_straight_arm_bends_without_a_random_restart(kind, solver, fraction):
    solution = ARMS[kind].solve([fraction * REACH, 0.0, 0.0], solver=solver, restarts=0)
    assert solution.success


@pytest.mark.parametrize("joint", range(5))
@pytest.mark.parametrize("kind", ["planar", "ball"])
def test_fabrik_takes_a_target_on_a_joint(kind, joint):
    arm = ARMS[kind]
    solution = arm.solve([float(joint), 0.0, 0.0], solver="fabrik")
    assert_true(arm, solution, point=np.array([float(joint), 0.0, 0.0]))
    assert solution.success


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("off", [1e-3, 1e-6, 1e-9, 1e-12, 1e-15])
def test_a_target_almost_on_the_axis_is_no_harder(solver, off):
    solution = ARMS["planar"].solve([0.5 * REACH, off, 0.0], solver=solver)
    assert solution.success


@pytest.mark.parametrize(("kind", "solver"), CASES)
def test_a_folded_arm_unfolds(kind, solver):
    """Every second link lies back on the one before: all of the arm on one line."""
    arm = ARMS[kind]
    folded = {
        "planar": np.full(6, math.pi),
        "ball": np.tile([0.0, 1.0, 0.0, 0.0], 6),
        "hinges": np.array([0.0, math.pi] * 3 + [0.0]),
    }[kind]
    for point in ([3.0, 0.0, 0.0], [-3.0, 0.0, 0.0]):
        assert arm.solve(point, solver=solver, start=folded).success


# --- out of reach -------------------------------------------------------------------------------------------


def far_points(kind: str, factor: float, count: int = 8) -> np.ndarray:
    return factor * REACH * directions(count, 0, is_flat=kind == "planar")


@pytest.mark.parametrize("factor", [1.01, 1.2, 3.0, 100.0])
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", ["planar", "ball"])
def test_an_arm_points_at_a_target_out_of_reach(kind, solver, factor):
    arm, rng = ARMS[kind], np.random.default_rng(1)
    for point in far_points(kind, factor):
        solution = arm.solve(point, solver=solver, start=arm.random(rng))
        assert_true(arm, solution, point=point)
        assert solution.status is Status.UNREACHABLE
        assert solution.error - (factor - 1.0) * REACH <= 1e-3 * REACH


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", ["planar", "ball"])
def test_a_target_at_the_edge_of_reach_is_met_to_a_thousandth(kind, solver):
    arm, rng = ARMS[kind], np.random.default_rng(2)
    for factor in (1.0 - 1e-6, 1.0, 1.0 + 1e-4):
        for point in far_points(kind, factor, 4):
            solution = arm.solve(point, solver=solver, start=arm.random(rng))
            assert_true(arm, solution, point=point)
            assert solution.error - max(0.0, factor - 1.0) * REACH <= 1e-3 * REACH


@pytest.mark.parametrize("solver", IN_SPACE)
def test_a_hinge_arm_points_at_a_target_out_of_reach(solver):
    arm = ARMS["hinges"]
    for factor in (1.2, 3.0):
        for point in far_points("hinges", factor):
            solution = arm.solve(point, solver=solver, start=np.full(arm.nq, 0.3))
            assert solution.status is Status.UNREACHABLE
            assert solution.error - (factor - 1.0) * REACH <= 1e-2 * REACH


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "solver"), CASES)
def test_the_error_out_of_reach_settles_and_stays(kind, solver):
    arm, rng = ARMS[kind], np.random.default_rng(3)
    for point in far_points(kind, 1.3, 4):
        trace = arm.trace(point, solver=solver, start=arm.random(rng), iterations=3000, restarts=0)
        least = np.minimum.accumulate(trace.error)
        assert trace.error[-1] <= least[-1] + 1e-3 * REACH
        if (kind, solver) not in IN_THE_FAST_CORE:  # which goes uphill on its way, and back at the end
            assert (trace.error <= least + 1e-3 * REACH).all()


def frames(arm, solver, q, points):
    """(q, error) after each frame of a playground: 16 iterations toward the frame's target, no restarts."""
    for point in points:
        solution = arm.trace(
            point, solver=solver, start=q, iterations=16, restarts=0, tolerance=1e-3
        ).solution
        yield solution.q, solution.error
        q = solution.q


@pytest.mark.slow
@pytest.mark.parametrize("limits", [None, 1.0])
@pytest.mark.parametrize(("kind", "solver"), CASES)
def test_frame_by_frame_a_target_out_of_reach_leaves_the_arm_at_rest(kind, solver, limits):
    arm = ARMS[kind] if limits is None else limited(kind, limits)
    q = arm.random(4)
    point = far_points(kind, 1.2, 1)[0]
    least, before = math.inf, q
    for k, (after, error) in enumerate(frames(arm, solver, q, [point] * 200)):
        assert error <= least + 1e-3 * REACH
        least = min(least, error)
        if k >= 150:
            assert np.abs(arm.difference(before, after)).max() <= 1e-2
        before = after
    if limits is None:
        assert least - 0.2 * REACH <= 1e-2 * REACH


@pytest.mark.parametrize("swing", [0.5, 1.0])
def test_frame_by_frame_out_of_reach_the_error_never_grows_and_ends_smallest(swing) -> None:
    model, point = limited("ball", swing), far_points("ball", 1.2, 1)[0]
    ends = []
    for seed in (4, 8):
        errors = [error for _, error in frames(model, "lm", model.random(seed), [point] * 60)]
        assert (np.diff(errors) <= 1e-12).all()
        ends.append(errors[-1])
    assert abs(ends[0] - ends[1]) <= 2e-6


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "solver"), CASES)
def test_frame_by_frame_a_target_that_crosses_the_edge_of_reach_makes_no_arm_jump(kind, solver):
    arm = ARMS[kind]
    time = np.arange(400)
    radius = REACH * (1.0 + 0.1 * np.sin(0.03 * time))
    heading = 0.8 + 0.002 * time
    points = np.array([radius * np.cos(heading), radius * np.sin(heading), 0.0 * time]).T
    before = arm.neutral
    for k, (after, error) in enumerate(frames(arm, solver, before, points)):
        if k >= 50:
            assert np.abs(arm.difference(before, after)).max() <= 0.5
            assert error - max(0.0, radius[k] - REACH) <= 0.05 * REACH
        before = after


@pytest.mark.parametrize(("kind", "solver"), CASES)
def test_frame_by_frame_an_arm_follows_a_dragged_target_wherever_it_can(kind, solver):
    arm, rng = ARMS[kind], np.random.default_rng(12)
    q = arm.neutral
    for _ in range(15):
        point = arm.pose(arm.random(rng))[:3, 3]
        errors = []
        for after, error in frames(arm, solver, q, [point] * 100):
            q = after
            errors.append(error)
            if error <= 1e-3:
                break
        assert errors[-1] <= 1e-3


def limited(kind: str, half_range: float):
    if kind == "planar":
        return limbik.planar_arm(6, 1.0, limits=half_range)
    if kind == "ball":
        return limbik.ball_arm([1.0] * 6, swing=half_range)
    return hinge_arm(6, limits=(-half_range, half_range))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("build", [limbik.planar_arm, None])
def test_links_that_cannot_fold_to_a_near_target_come_as_near_as_they_can(build, solver):
    arm = limbik.planar_arm(2, [1.0, 0.3]) if build else limbik.ball_arm([1.0, 0.3])
    rng = np.random.default_rng(5)
    for start in (None, arm.random(rng), arm.random(rng)):
        trace = arm.trace([0.2, 0.0, 0.0], solver=solver, start=start)
        solution = trace.solution
        assert solution.status is Status.UNREACHABLE
        assert solution.error == pytest.approx(0.5, abs=1e-3)
        assert trace.error[-1] <= trace.error.min() + 1e-3


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_target_off_the_plane_of_the_arm_is_called_unreachable(solver):
    arm = ARMS["planar"]
    solution = arm.solve([3.0, 2.0, 0.5], solver=solver)
    assert solution.status is Status.UNREACHABLE
    assert solution.error == pytest.approx(0.5, abs=1e-6)


# --- limits -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("links", [5, 10, 20])
@pytest.mark.parametrize("solver", SOLVERS)
def test_limits_of_sixty_degrees_lose_no_target(solver, links):
    arm, rng = limbik.planar_arm(links, 1.0, limits=SIXTY_DEGREES), np.random.default_rng(6)
    solved = 0
    for k in range(400):
        point = arm.pose(arm.random(rng))[:3, 3]
        solution = arm.solve(point, solver=solver, start=arm.random(rng) if k % 2 else None)
        assert arm.is_within_limits(solution.q)
        solved += solution.success
    assert solved >= 0.995 * 400


@pytest.mark.parametrize("solver", SOLVERS)
def test_ball_joints_with_cones_of_sixty_degrees_lose_no_target(solver):
    arm, rng = limbik.ball_arm([1.0] * 8, swing=SIXTY_DEGREES), np.random.default_rng(7)
    solved = sum(arm.solve(arm.pose(arm.random(rng))[:3, 3], solver=solver).success for _ in range(200))
    assert solved >= 0.995 * 200


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("links", [2, 5, 10, 50])
def test_without_limits_no_target_is_lost(solver, links):
    for arm in (limbik.planar_arm(links, 0.1), limbik.ball_arm([0.1] * links)):
        rng = np.random.default_rng(8)
        for _ in range(40):
            assert arm.solve(arm.pose(arm.random(rng))[:3, 3], solver=solver).success


# --- it always ends -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("budget", [1, 2, 3, 17, 100, 1000])
@pytest.mark.parametrize(("kind", "solver"), CASES)
def test_the_budget_is_kept(kind, solver, budget):
    arm = ARMS[kind]
    for point in ([1.0, 2.0, 0.0], [3.0, 0.0, 0.0], [7.0, 0.0, 0.0], [0.0, 0.0, 0.0]):
        for restarts in (None, 0, 2):
            trace = arm.trace(point, solver=solver, iterations=budget, restarts=restarts, tolerance=1e-9)
            assert trace.solution.iterations <= budget
            assert trace.iterations <= budget
            assert restarts is None or trace.solution.restarts <= restarts


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_budget_that_ends_early_says_so(solver):
    solution = limbik.planar_arm(10, 1.0).solve([4.0, 4.0, 0.0], solver=solver, iterations=1, tolerance=1e-9)
    assert solution.ended is solution.status is Status.BUDGET_SPENT
    assert not solution.success


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_goal_that_limits_forbid_says_so(solver):
    arm = limbik.planar_arm(3, 1.0, limits=0.2)
    solution = arm.solve([-1.0, 0.0, 0.0], solver=solver, iterations=2000, restarts=5)
    assert_true(arm, solution, point=np.array([-1.0, 0.0, 0.0]))
    assert solution.ended is Status.LIKELY_UNREACHABLE
    assert solution.status is Status.LIMITS_BIND
    assert "limits" in solution.status.meaning


# --- odd arms -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lengths", [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.0, 1.0]]
)
@pytest.mark.parametrize("limits", [None, 2.5])
@pytest.mark.parametrize("solver", SOLVERS)
def test_links_without_length_do_no_harm(solver, limits, lengths):
    planar = limbik.planar_arm(len(lengths), lengths, limits=limits)
    for arm in (planar, limbik.ball_arm(lengths, swing=limits)):
        rng = np.random.default_rng(9)
        solved = 0
        for _ in range(20):
            point = arm.pose(arm.random(rng))[:3, 3]
            solution = arm.solve(point, solver=solver)
            assert_true(arm, solution, point=point)
            solved += solution.success
        assert solved >= 19


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_arm_without_any_length_says_that_its_target_is_unreachable(solver):
    for arm in (limbik.planar_arm(3, 0.0), limbik.ball_arm([0.0, 0.0])):
        assert arm.solve([0.0, 0.0, 0.0], solver=solver).success
        solution = arm.solve([1.0, 0.0, 0.0], solver=solver)
        assert solution.status is Status.UNREACHABLE
        assert solution.error == 1.0
        assert np.isfinite(solution.q).all()


@pytest.mark.parametrize(("kind", "solver"), CASES)
def test_a_target_at_the_base_is_reached(kind, solver):
    arm = ARMS[kind]
    for start in (None, arm.random(10)):
        solution = arm.solve([0.0, 0.0, 0.0], solver=solver, start=start)
        assert_true(arm, solution, point=np.zeros(3))
        assert solution.success


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_arm_of_one_link_points_at_its_target(solver):
    for arm in (limbik.planar_arm(1, 2.0), limbik.ball_arm([2.0])):
        for heading in (0.0, 0.5, math.pi / 2, 3.0, math.pi, -2.0):
            point = 2.0 * np.array([math.cos(heading), math.sin(heading), 0.0])
            assert arm.solve(point, solver=solver).success
            assert arm.solve(0.2 * point, solver=solver).error == pytest.approx(1.6, abs=2e-3)


@pytest.mark.parametrize("solver", IN_SPACE)
def test_a_tree_with_every_kind_of_joint_loses_hardly_a_target(solver):
    tree, rng = branching_tree(), np.random.default_rng(11)
    solved = 0
    for _ in range(60):
        point = tree.pose(tree.random(rng))[:3, 3]
        solution = tree.solve(point, solver=solver, start=tree.random(rng))
        solved += solution.success
        assert not solution.success or distance(tree, solution.q, point) <= 1e-6
    assert solved >= 59
