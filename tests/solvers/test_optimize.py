"""SciPy's optimisers as a solver: the same truth as every other's, and costs that are as low as can be."""

import math
import pickle
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import limbik
from limbik import (
    CenterOfMass,
    Direction,
    JointKind,
    ModelBuilder,
    Pose,
    Position,
    Posture,
    Status,
    nullspace,
)
from limbik.errors import ConfigurationError, FunctionError, SolverError
from limbik.request import Request
from limbik.solvers import Optimize
from limbik.solvers.scipy_problem import Constrained, minimise
from solvers.arms import branching_tree
from strategies import SEEDS, chains, configuration
from trees import trees

METHODS = ("SLSQP", "trust-constr", "L-BFGS-B")
MOVING = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC)
PANDA = limbik.load("panda")

pytestmark = pytest.mark.usefixtures("compiled_trees")


def elbow_high(q, frames):
    return -frames["link4"][2, 3]


def cup_upright(q, frames):
    return 1.0 + frames["hand_tcp"][2, 2]


def value(model, cost, q):
    return float(cost(q, {name: model.pose(q, name) for name in model.frame_names}))


def missed(model, target, q):
    """The larger of metres and radians between a pose and the end effector's."""
    pose = model.pose(q)
    cosine = 0.5 * (np.trace(pose[:3, :3].T @ target[:3, :3]) - 1.0)
    sine = np.linalg.norm(pose[:3, :3] - target[:3, :3]) / math.sqrt(8.0)
    turn = math.acos(max(min(cosine, 1.0), -1.0)) if sine > 1e-3 else 2.0 * sine
    return max(float(np.linalg.norm(pose[:3, 3] - target[:3, 3])), turn)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["panda", "ur5e", "z1"])
def test_poses_are_met_within_tolerance_and_limits(name, method):
    model = limbik.load(name)
    for seed in range(2):
        target = model.pose(model.random(seed))
        solution = model.solve(target, solver=Optimize(method=method))
        assert solution.success
        assert missed(model, target, solution.q) <= 1e-6
        assert model.is_within_limits(solution.q)


@settings(max_examples=12)
@given(chains(MOVING, 2, 7), SEEDS, st.sampled_from(["SLSQP", "L-BFGS-B"]), st.booleans())
def test_success_is_true_and_no_joint_leaves_its_limits(model, seed, method, is_near):
    rng = np.random.default_rng(seed)
    target = model.pose(model.random(rng))
    if not is_near:
        target[:3, 3] += rng.normal(size=3)
    solution = model.solve(target, start=model.random(rng), solver=Optimize(method=method), restarts=1)
    assert np.isfinite(solution.q).all()
    assert model.is_within_limits(solution.q)
    if solution.success:
        assert missed(model, target, solution.q) <= 1.001e-6


@pytest.mark.slow
@settings(max_examples=15)
@given(trees(), SEEDS)
def test_gradients_of_goals_and_costs_on_trees_are_those_of_differences(tree, seed):
    """Where the goals are nearly met: there the rows of a rotation are its derivatives."""
    model = tree
    q = model.clip(configuration(model, seed))
    rng = np.random.default_rng(seed)
    last = model.frame_names[-1]
    near = model.integrate(q, 1e-4 * rng.normal(size=model.nv))
    goals = (Pose(frame=last, target=model.pose(near, last)), Position(frame=last, target=rng.normal(size=3)))
    solver = Optimize(costs=[lambda q, frames: np.sum(frames[last] ** 3) + q @ q], weights=[2.0])
    request = Request(model=model, goals=goals, solver="optimize", options={})
    problem = Constrained(solver, request, q, np.arange(model.nq), True, math.inf)
    x = problem.start * 1.0
    found = problem.at(x)
    for i, e in enumerate(np.eye(x.size)):
        ahead, behind = problem.at(x + 1e-5 * e), problem.at(x - 1e-5 * e)
        assert_allclose((ahead.cost - behind.cost) / 2e-5, found.slope[i], rtol=1e-5, atol=1e-5)
        assert_allclose((ahead.left - behind.left) / 2e-5, found.rows[:, i], rtol=2e-3, atol=2e-3)


# --- costs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["SLSQP", "L-BFGS-B"])
@pytest.mark.parametrize("seed", [0, 1, 3])
def test_of_all_that_the_null_space_reaches_nothing_has_a_lower_cost(method, seed):
    """The oracle walks both ways along the self-motion of the same branch, without any optimiser."""
    start = PANDA.random(seed)
    solution = PANDA.solve(PANDA.pose(start), start=start, solver=Optimize(method=method, costs=[elbow_high]))
    assert solution.success
    best = value(PANDA, elbow_high, solution.q)
    assert best <= value(PANDA, elbow_high, start) + 1e-9
    for sign in (1.0, -1.0):
        along = sign * PANDA.nullspace(solution.q)[:, 0]
        slid = nullspace.slide(PANDA, solution.q, along, step=0.02)
        if slid.success:
            assert value(PANDA, elbow_high, slid.q) >= best - 2e-6


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", [0, 6, 8, 14])
def test_it_is_a_minimum_and_no_worse_than_a_start_that_meets_the_goal(method, seed):
    """What of the slope is along no row of the goal, nor held by limits, is gone (Karush-Kuhn-Tucker)."""
    start = PANDA.random(seed)
    solver = Optimize(method=method, costs=[lambda q, frames: ((q - 0.3) ** 2).sum()])
    solution = PANDA.solve(PANDA.pose(start), start=start, solver=solver)
    q, slope = solution.q, 2.0 * (solution.q - 0.3)
    at_limit = (np.abs(q - PANDA.lower) < 1e-6) | (np.abs(q - PANDA.upper) < 1e-6)
    rows = np.vstack([PANDA.jacobian(q), np.eye(7)[at_limit]])
    assert solution.success
    assert np.linalg.norm(slope - rows.T @ np.linalg.lstsq(rows.T, slope, rcond=None)[0]) < 2e-3
    assert np.sum((q - 0.3) ** 2) <= np.sum((start - 0.3) ** 2)


@pytest.mark.parametrize("method", METHODS)
def test_the_weight_of_the_only_cost_does_not_matter(method):
    start = PANDA.random(1)
    costs = [lambda q, frames: -frames["link4"][2, 3]]
    heights = []
    for weight in (1e-6, 1.0, 1e9):
        solver = Optimize(method=method, costs=costs, weights=[weight])
        q = PANDA.solve(PANDA.pose(start), start=start, solver=solver).q
        heights.append(PANDA.pose(q, "link4")[2, 3])
    assert min(heights) > PANDA.pose(start, "link4")[2, 3] + 1e-3
    np.testing.assert_allclose(heights, heights[0], atol=1e-5)


@pytest.mark.parametrize("seed", [1707, 2852, 3705])
def test_an_optimiser_that_stalls_goes_on_to_a_minimum(seed):
    rng = np.random.default_rng(seed)
    builder = ModelBuilder("arm")
    for k in range(int(rng.integers(7, 10))):
        limit = rng.choice([0.1, 0.5, 2.5, 5.1])
        axis, origin = rng.normal(size=3), tuple(0.2 * rng.normal(size=3))
        builder = builder.revolute(f"j{k}", axis=axis, origin=origin, limits=(-limit, limit))
    arm = builder.fixed("tip", origin=(0.1, 0.0, 0.0)).build()
    start, center, weights = arm.random(rng), 2.0 * rng.normal(size=arm.nq), rng.uniform(0.0, 2.0, arm.nq)
    cost = lambda q, frames: ((q - center) ** 2 * weights).sum()  # noqa: E731
    solver, goal = Optimize(costs=[cost]), Position(target=arm.pose(start)[:3, 3])
    solution = arm.solve(goal, start=start, solver=solver)
    others = [arm.solve(goal, start=q, solver=solver).q for q in (solution.q, *arm.random(0, 3))]
    assert solution.success
    assert cost(solution.q, None) < 1.0001 * min(cost(q, None) for q in others)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_can_go_on_with_goals_as_penalties(method):
    """For what a method that stalls leaves: the same minimum."""
    start = PANDA.random(1)
    solver = Optimize(method=method, costs=[lambda q, frames: ((q - 0.3) ** 2).sum()])
    request = Request(model=PANDA, goals=(Pose(target=PANDA.pose(start)),), solver=solver.name, options={})
    problem = Constrained(solver, request, start, np.arange(PANDA.nq), True, math.inf)
    assert minimise(problem, 500, lambda q: None, by_multipliers=True)
    assert problem.largest(problem.last) < 1e-9
    assert problem.cost(problem.last)[0] == pytest.approx(12.9491428)


@pytest.mark.parametrize("limits", [{"time_limit": 1e-6}, {"iterations": 2}])
def test_a_start_that_meets_the_goal_is_an_answer_however_little_time_there_is(limits):
    start = PANDA.random(8)
    solver = Optimize(method="L-BFGS-B", costs=[lambda q, frames: ((q - 0.3) ** 2).sum()])
    solution = PANDA.solve(PANDA.pose(start), start=start, solver=solver, **limits)
    assert solution.success


def test_the_methods_find_the_same_minimum():
    start = PANDA.random(1)
    goal = Position(target=PANDA.pose(start)[:3, 3])
    solvers = [Optimize(method=method, costs=[cup_upright]) for method in ("SLSQP", "L-BFGS-B")]
    answers = [PANDA.solve(goal, start=start, solver=solver) for solver in solvers]
    costs = [value(PANDA, cup_upright, answer.q) for answer in answers]
    assert all(answers)
    assert costs[0] == pytest.approx(costs[1], abs=1e-5)


def test_weights_decide_between_costs():
    arm = limbik.planar_arm(3)
    goal = Position(target=(1.5, 0.5, 0.0))
    bent = lambda q, frames: q[0] ** 2  # noqa: E731
    straight = lambda q, frames: (q[0] - 1.0) ** 2  # noqa: E731
    near = [
        arm.solve(goal, solver=Optimize(costs=[bent, straight], weights=weights), start=[0.5, 0.5, 0.5]).q[0]
        for weights in ([1.0, 0.0], [0.0, 1.0], [1.0, 1.0])
    ]
    assert_allclose(near, [0.0, 1.0, 0.5], atol=1e-4)


def test_quaternions_are_optimised_as_rotations():
    arm = limbik.ball_arm([0.5, 0.5, 0.5])
    target = np.array([0.6, 0.3, 0.2])
    start = arm.random(2)
    middle = arm.frame_names[2]
    cost = lambda q, frames: -frames[middle][2, 3]  # noqa: E731
    first = arm.solve(target, start=start)
    best = arm.solve(target, start=start, solver=Optimize(costs=[cost]))
    assert best.success
    assert_allclose(np.linalg.norm(best.q.reshape(-1, 4), axis=1), 1.0)
    assert value(arm, cost, best.q) < value(arm, cost, first.q)


def test_goals_of_other_kinds_are_constraints_too():
    model = (
        ModelBuilder("two")
        .revolute("a", axis="y", limits=2)
        .revolute("b", axis="y", origin=(0, 0, 1), limits=2)
        .revolute("c", axis="x", origin=(0, 0, 1), limits=2)
        .frame("tip", pose=(0, 0, 1))
        .mass("c", 1.0, (0, 0, 0.5))
        .build(end_effector="tip")
    )
    q = np.array([0.4, 0.7, 0.3])
    goals = [
        CenterOfMass(target=model.center_of_mass(q)),
        Direction(axis=(0, 0, 1), target=model.pose(q)[:3, 2]),
    ]
    solution = model.solve(goals, solver="optimize")
    assert solution.success
    assert all(max(error) <= 1e-6 for error in solution.goal_errors)
    assert model.solve(Posture(q=q, priority=0), solver="optimize").success


# --- the rules of every solver ------------------------------------------------------------------------------


def test_failures_have_the_reasons_of_every_solver():
    far = PANDA.solve([3.0, 0.0, 0.0], solver="optimize")
    assert not far and far.status is Status.UNREACHABLE
    arm = limbik.planar_arm(2, limits=0.5)
    beyond = arm.solve([0.0, 1.5, 0.0], solver="optimize", iterations=200)
    assert beyond.status is Status.LIMITS_BIND
    assert arm.is_within_limits(beyond.q)
    assert "optimize" in repr(beyond) and str(beyond.explain())


def test_a_goal_that_no_free_joint_moves_comes_to_an_end():
    arm = limbik.planar_arm(3)
    for method in METHODS:
        names = arm.joint_names
        answer = arm.solve([1.0, 1.0, 0.0], start=[0.1] * 3, solver=Optimize(method=method), locked=names)
        assert not answer and answer.iterations <= 2
        assert_allclose(answer.q, 0.1)


def test_locked_joints_and_the_start_stay():
    start = PANDA.random(5)
    goal = Position(target=PANDA.pose(start)[:3, 3] + [0.02, 0.0, 0.01])
    name = PANDA.joint_names[2]
    solution = PANDA.solve(goal, start=start, solver=Optimize(costs=[elbow_high]), locked=[name])
    assert solution.success
    assert solution.q[2] == start[2]
    assert (solution.start == start).all()


def test_a_tool_meets_the_goal():
    tool = limbik.spatial.pose_from(translation=(0.0, 0.1, 0.2))
    target = PANDA.pose(PANDA.random(4)) @ tool
    solution = PANDA.solve(target, solver="optimize", tool=tool)
    assert solution.success
    assert missed_with(tool, target, solution.q) <= 1e-6


def missed_with(tool, target, q):
    return float(np.abs(PANDA.pose(q) @ tool - target).max())


def test_same_seed_same_answer_and_a_trace_is_the_solve():
    target = PANDA.pose(PANDA.random(7))
    solver = Optimize(costs=[elbow_high])
    solution = PANDA.solve(target, solver=solver, seed=2)
    trace = PANDA.trace(target, solver=solver, seed=2)
    assert (trace.solution.q == solution.q).all()
    assert (trace.q[-1] == solution.q).all()
    assert len(trace) == solution.iterations + 1
    assert trace.error[-1] <= 1e-6
    assert len(trace.restarted_at) == solution.restarts


def test_the_budget_and_the_clock_are_kept():
    target = PANDA.pose(PANDA.random(7))
    for method in METHODS:
        for budget in (1, 2, 5):
            assert PANDA.solve(target, solver=Optimize(method=method), iterations=budget).iterations <= budget

    def slow(q, frames):
        time.sleep(0.01)
        return q @ q

    began = time.perf_counter()
    stopped = PANDA.solve([0.0, 0.0, 5.0], solver=Optimize(costs=[slow]), time_limit=0.05)
    assert not stopped and time.perf_counter() - began < 5.0


def test_without_limits_they_are_left_aside():
    arm = limbik.planar_arm(2, limits=0.5)
    assert arm.solve([0.0, 1.5, 0.0], solver="optimize", limits=False).success


def test_a_start_beyond_the_limits_is_moved_inside():
    solution = PANDA.solve(PANDA.pose(PANDA.random(1)), start=np.full(7, 9.0), solver="optimize")
    assert solution.success and solution.start_was_moved


def test_it_is_listed_but_not_among_those_that_are_compiled():
    assert "optimize" in limbik.solvers.names()
    assert "optimize" not in limbik.solvers.names(compiled=True)
    assert [info.name for info in limbik.solvers.describe(compiled=True)] == list(
        limbik.solvers.names(compiled=True)
    )


def test_a_solution_can_be_pickled_where_its_costs_can_be():
    solution = limbik.planar_arm(3).solve([1.0, 0.5, 0.0], solver="optimize")
    assert (pickle.loads(pickle.dumps(solution)).q == solution.q).all()


@pytest.mark.parametrize(
    ("given_", "error", "words"),
    [
        ({"method": "BFGS"}, SolverError, "`method`"),
        ({"costs": [3]}, FunctionError, "a cost"),
        ({"costs": "elbow"}, SolverError, "`costs`"),
        ({"costs": [elbow_high], "weights": [1.0, 2.0]}, SolverError, "`weights`"),
        ({"costs": [elbow_high], "weights": [-1.0]}, SolverError, "`weights`"),
        ({"costs": [elbow_high], "weights": [math.nan]}, SolverError, "`weights`"),
    ],
)
def test_bad_parameters_are_named(given_, error, words):
    with pytest.raises(error, match=words):
        Optimize(**given_)


def test_bad_requests_are_named():
    target = PANDA.pose(PANDA.neutral)
    with pytest.raises(ConfigurationError, match="start"):
        PANDA.solve(target, start=np.full(7, math.nan), solver="optimize")
    with pytest.raises(SolverError, match="rest"):
        PANDA.solve(target, rest=PANDA.neutral, solver="optimize")
    with pytest.raises(SolverError, match="rest_bias"):
        PANDA.solve(target, rest_bias=0.1, solver="optimize")
    with pytest.raises(SolverError, match="locked"):
        PANDA.solve(target, locked=["elbow"], solver="optimize")
    with pytest.raises(SolverError, match="priorities"):
        PANDA.solve([Pose(target=target), Posture(q=PANDA.neutral)], solver="optimize")
    with pytest.raises(FunctionError, match=r"numpy\.floor"):
        PANDA.solve(target, solver=Optimize(costs=[lambda q, frames: np.floor(q[0])]))


def test_joints_beside_the_goal_stay_unless_a_cost_moves_them():
    model = branching_tree()
    start = model.random(4)
    beside = model.q_slice("right1").start
    for seed in range(6):  # some of which need a restart
        goal = limbik.Pose(frame="left", target=model.pose(model.random(seed), "left"))
        solution = model.solve(goal, start=start, solver="optimize")
        assert solution.success
        assert solution.q[beside] == start[beside]
    straight = model.solve(goal, start=start, solver=Optimize(costs=lambda q, _: q[beside] ** 2))
    assert straight.success
    assert abs(straight.q[beside]) < 1e-3


@pytest.mark.parametrize("method", ["SLSQP", "L-BFGS-B", "trust-constr"])
def test_joints_whose_limits_are_one_number_stay_there(method):
    arm = limbik.ModelBuilder("post").revolute("a", limits=(0.3, 0.3)).build()
    for value, is_met in ((0.3, True), (0.2, False)):
        found = arm.solve(arm.pose([value]), solver=Optimize(method=method))
        assert found.q == [0.3] and found.success is is_met
