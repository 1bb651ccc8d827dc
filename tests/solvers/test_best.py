"""Goals that cannot all be met: what mode="best" promises."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import least_squares

import limbik
from limbik import JointKind, ModelBuilder, Status, measure
from limbik.collision import World
from limbik.errors import SolverError
from limbik.goals import (
    CenterOfMass,
    Direction,
    DistanceBetween,
    LookAt,
    Orientation,
    Pose,
    Position,
    Posture,
)
from limbik.request import Request
from strategies import SEEDS
from trees import assert_honest, goal_at, moving_frames, trees

pytestmark = pytest.mark.usefixtures("compiled_trees", "compiled_best")

few = settings(max_examples=25)
KINDS = (Position, Orientation, Pose, Direction, CenterOfMass)
SCALAR = (JointKind.REVOLUTE, JointKind.PRISMATIC)


def cost(model, goals, q):
    """The sum of squared errors times weights [m and rad], by the model's own kinematics."""
    request = Request(model=model, goals=tuple(goals), solver="lm", options={})
    errors = measure.goal_errors(request, q)
    weights = [getattr(goal, "weight", 1.0) for goal in goals]
    return sum(np.max(weight) ** 2 * (error.position**2 + error.rotation**2)
               for weight, error in zip(weights, errors, strict=True))  # fmt: skip


def conflicting(model, seed, count=4):
    """Goals of which each is met by another configuration."""
    made = (goal_at(KINDS[(seed + k) % len(KINDS)], model, model.random(seed + k), seed + k)
            for k in range(count))  # fmt: skip
    return [goal for goal in made if goal is not None]


def slopes(model, goals, q, step=1e-5):
    """Of the cost along every velocity [nv], one to either side; None where limits are in the way."""
    here = cost(model, goals, q)
    found = []
    for v in step * np.eye(model.nv):
        there = [model.integrate(q, sign * v) for sign in (-1.0, 1.0)]
        inside = [each if model.is_within_limits(each) else None for each in there]
        found.append([None if each is None else (cost(model, goals, each) - here) / step for each in inside])
    return found


@pytest.mark.slow
@few
@given(trees(kinds=SCALAR), SEEDS)
def test_where_it_has_converged_no_small_move_makes_the_errors_less(model, seed):
    assume(moving_frames(model))
    goals = conflicting(model, seed)
    assume(goals)
    solution = model.solve(goals, start=model.random(seed + 77), mode="best")
    assert_honest(model, goals, solution)
    assert solution.ended in (Status.SOLVED, Status.CONVERGED)
    assert solution.restarts == 0
    errors = measure.goal_errors(solution.request, solution.q)
    assume(max(error.rotation for error in errors) < 3.0)  # near half a turn there is no slope
    scale = 1.0 + cost(model, goals, solution.q)
    for slope in slopes(model, goals, solution.q):
        for each in slope:
            assert each is None or each > -1e-3 * scale


@pytest.mark.slow
@few
@given(trees(kinds=SCALAR), SEEDS)
def test_an_independent_optimizer_finds_nothing_better_nearby(model, seed):
    assume(moving_frames(model))
    goals = [goal for goal in conflicting(model, seed) if isinstance(goal, Position | CenterOfMass)]
    assume(goals)
    solution = model.solve(goals, start=model.random(seed + 77), mode="best")
    lower, upper = np.full(model.nq, -math.inf), np.full(model.nq, math.inf)
    for joint in model.joints:
        if joint.nq:
            lower[model.q_slice(joint.name)], upper[model.q_slice(joint.name)] = joint.lower, joint.upper

    def residuals(q):
        request = solution.request
        return measure.residual(request, q, 1.0)[0]

    inside = np.clip(solution.q, lower + 1e-9, upper - 1e-9)
    assume((lower < upper - 1e-6).all())
    found = least_squares(residuals, inside, bounds=(lower, upper), xtol=1e-15, ftol=1e-15, gtol=1e-12)
    here, best = cost(model, goals, solution.q), cost(model, goals, found.x)
    if np.abs(found.x - solution.q).max() < 0.05:  # otherwise it has left the valley
        assert here <= best * (1.0 + 1e-6) + 1e-11


@pytest.mark.slow
@few
@given(trees(), SEEDS)
def test_any_tree_has_an_honest_answer_within_its_limits(model, seed):
    assume(moving_frames(model))
    goals = conflicting(model, seed)
    assume(goals)
    solution = model.solve(goals, start=model.random(seed + 77), mode="best")
    assert_honest(model, goals, solution)
    start = model.clip(model.random(seed + 77))
    assert cost(model, goals, solution.q) <= cost(model, goals, start) * (1.0 + 1e-9) + 1e-12


@pytest.mark.parametrize(("first", "second"), [(1.0, 1.0), (2.0, 1.0), (0.1, 3.0)])
def test_two_points_for_one_frame_are_shared_by_the_squares_of_their_weights(first, second):
    arm = limbik.load("panda")
    home = arm.pose(arm.neutral)[:3, 3]
    away = np.array([0.0, 0.04, 0.02])
    goals = [Position(target=home, weight=first), Position(target=home + away, weight=second)]
    solution = arm.solve(goals, start=arm.neutral, mode="best")
    assert solution.status is Status.CONVERGED
    assert not solution.success
    share = second**2 / (first**2 + second**2)
    assert_allclose(arm.pose(solution.q)[:3, 3], home + share * away, atol=1e-7)


def test_goals_that_can_be_met_are_met():
    arm = limbik.load("panda")
    target = arm.pose(arm.neutral + np.array([0.2, 0.2, 0.2, -0.5, 0.2, 0.2, 0.2]))
    solution = arm.solve(Pose(target=target), start=arm.neutral, mode="best")
    assert solution.status is Status.SOLVED
    assert_allclose(arm.pose(solution.q), target, atol=3e-6)


def test_a_point_out_of_reach_is_pointed_at():
    arm = limbik.planar_arm(links=3, length=0.5)
    solution = arm.solve(Position(target=(3.0, 1.0)), start=[0.3, 0.2, 0.1], mode="best")
    assert solution.status is Status.CONVERGED
    tip = arm.pose(solution.q)[:2, 3]
    assert_allclose(tip, 1.5 * np.array([3.0, 1.0]) / math.hypot(3.0, 1.0), atol=1e-6)
    assert solution.explain().pulls == ()
    assert str(solution.explain()).startswith("Not met, and the error cannot be made less by any small move")


@pytest.mark.parametrize("start", [(math.pi, 0.0, 0.0), (0.0, 0.0, math.pi), (0.0, math.pi, 0.0)])
def test_a_saddle_is_no_end(start):
    arm = limbik.planar_arm(links=3, length=0.5)
    solution = arm.solve(Position(target=(2.0, 0.0)), start=start, mode="best")
    assert solution.status is Status.CONVERGED
    assert_allclose(arm.pose(solution.q)[:2, 3], [1.5, 0.0], atol=1e-6)


@pytest.mark.parametrize("start", [(0.1, 0.2, 0.3), (-0.4, 0.3, -0.1)])
@pytest.mark.parametrize("point", [(-0.5, -2.0, 0.0), (0.0, 2.0, 0.0)])
def test_it_has_converged_in_a_corner_of_the_limits(start, point):
    arm = limbik.planar_arm(3, 0.3, limits=0.5)
    solution = arm.solve(Position(target=point), start=start, mode="best")
    assert solution.status is Status.CONVERGED
    assert_array_equal(solution.q, np.copysign(0.5, point[1]) * np.ones(3))


@pytest.mark.parametrize("start", [(0.1, 0.2, 0.3), (-0.4, 0.3, -0.1)])
def test_it_has_converged_where_the_jacobian_vanishes(start):
    arm = limbik.planar_arm(3, 0.3, limits=0.5)
    solution = arm.solve(DistanceBetween(frame="tip", other="base", value=3.0), start=start, mode="best")
    assert solution.status is Status.CONVERGED
    assert_allclose(solution.q, [start[0], 0.0, 0.0], rtol=0.0, atol=1e-6)
    assert solution.iterations < 10  # at second order, as the distance has its curvature
    again = arm.solve(solution.target, start=solution.q, mode="best")
    assert again.status is Status.CONVERGED


@pytest.mark.parametrize("distance", [0.02, 0.3])
@pytest.mark.parametrize("missing", [3e-6, 1e-5])
def test_a_distance_that_can_be_met_is_met_to_the_end(distance, missing):
    """Its error curves down, across the line to the base, more than the damping of so small an error."""
    builder = ModelBuilder("gantry")
    for axis in "xyz":
        builder = builder.prismatic(axis, axis=axis, limits=(-1.0, 1.0))
    gantry = builder.build()
    goal = DistanceBetween(frame=gantry.end_effector, other=gantry.root, value=distance + missing)
    start = [distance / math.sqrt(2.0), distance / math.sqrt(2.0), 0.0]
    assert gantry.solve(goal, start=start, mode="best").status is Status.SOLVED


@pytest.mark.parametrize("seed", range(6))
def test_it_converges_on_arms_with_narrow_limits_whatever_is_out_of_reach(seed):
    rng = np.random.default_rng(seed)
    builder = ModelBuilder("arm")
    for k in range(2 + seed % 2):
        builder = builder.revolute(
            f"j{k}", axis=rng.normal(size=3), origin=rng.uniform(-0.3, 0.3, 3), limits=(-0.5, 0.5)
        )
    arm = builder.frame("tip", pose=rng.uniform(-0.3, 0.3, 3)).build(end_effector="tip")
    for _ in range(4):
        for goal in (
            DistanceBetween(frame="tip", other=arm.root, value=3.0),
            Position(target=3.0 * rng.normal(size=3)),
            Direction(axis="z", target=rng.normal(size=3)),
            LookAt(axis="x", target=3.0 * rng.normal(size=3)),
        ):
            solution = arm.solve(goal, start=arm.random(rng), mode="best")
            assert solution.status in (Status.SOLVED, Status.CONVERGED), goal


def test_a_joint_at_its_limit_stays_there_and_the_others_make_the_best_of_it():
    arm = (
        ModelBuilder("arm")
        .revolute("a", axis="z", limits=(-0.2, 0.2))
        .revolute("b", axis="z", origin=(1.0, 0.0, 0.0))
        .frame("tip", pose=limbik.spatial.pose_from(np.eye(3), (0.5, 0.0, 0.0)))
        .build()
    )
    target = np.array([0.0, 2.0, 0.0])
    solution = arm.solve(Position(frame="tip", target=target), start=[0.0, 0.3], mode="best")
    assert solution.status is Status.CONVERGED
    elbow = np.array([math.cos(0.2), math.sin(0.2)])
    way = target[:2] - elbow
    expected = [0.2, math.atan2(way[1], way[0]) - 0.2]
    assert_allclose(solution.q, expected, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("limits", [{"swing": 0.5}, {"swing": 2.0, "twist": (-0.3, 0.3)}])
def test_a_ball_joint_rests_on_the_limit_of_its_cone_or_twist(limits):
    arm = (
        ModelBuilder("arm")
        .ball("shoulder", axis="x", **limits)
        .ball("elbow", axis="x", origin=(0.5, 0.0, 0.0), swing=0.8)
        .frame("hand", pose=limbik.spatial.pose_from(np.eye(3), (0.4, 0.0, 0.1)))
        .build()
    )
    rng = np.random.default_rng(3)
    for _ in range(20):
        turn = limbik.spatial.rotation_exp(rng.standard_normal(3))
        goals = [
            Position(frame="hand", target=2.0 * rng.standard_normal(3)),
            Orientation(frame="hand", target=turn),
        ]
        solution = arm.solve(goals, start=arm.neutral, mode="best")
        assert_honest(arm, goals, solution)
        assert solution.ended is Status.CONVERGED
        here = cost(arm, goals, solution.q)
        for _ in range(30):
            near = arm.clip(arm.integrate(solution.q, 1e-3 * rng.standard_normal(6)))
            assert cost(arm, goals, near) > here - 1e-6 * here


def test_lower_priorities_keep_what_the_first_has():
    arm = limbik.load("panda")
    home = arm.pose(arm.neutral)[:3, 3]
    pair = [Position(target=home), Position(target=home + np.array([0.0, 0.06, 0.0]))]
    alone = arm.solve(pair, start=arm.neutral, mode="best")
    both = arm.solve([*pair, Posture(q=arm.neutral + 0.2)], start=arm.neutral, mode="best")
    assert both.status is Status.CONVERGED
    assert_allclose(
        [e.position for e in both.goal_errors[:2]], [e.position for e in alone.goal_errors], atol=1e-6
    )
    there = np.linalg.norm(both.q - arm.neutral - 0.2)
    assert there < np.linalg.norm(alone.q - arm.neutral - 0.2)


def test_restarts_take_the_best_of_all_descents():
    arm = limbik.load("panda")
    goals = [Pose(target=arm.pose(arm.random(5))), Position(target=[0.2, 0.3, 0.4])]
    one = arm.solve(goals, start=arm.neutral, mode="best")
    many = arm.solve(goals, start=arm.neutral, mode="best", restarts=20)
    assert many.restarts == 20
    assert cost(arm, goals, many.q) <= cost(arm, goals, one.q) * (1.0 + 1e-9)
    again = arm.solve(goals, start=arm.neutral, mode="best", restarts=20)
    assert_array_equal(again.q, many.q)


def test_it_says_which_goals_pull_against_each_other():
    g1 = limbik.load("g1", base="floating")
    left, right = (g1.pose(g1.neutral, f"{side}_wrist_yaw_link") for side in ("left", "right"))
    feet = [Pose(frame=name, target=g1.pose(g1.neutral, name))
            for name in ("left_ankle_roll_link", "right_ankle_roll_link")]  # fmt: skip
    far = left.copy()
    far[0, 3] += 1.2
    goals = [Position(frame="left_wrist_yaw_link", target=far[:3, 3]), *feet,
             Position(frame="right_wrist_yaw_link", target=right[:3, 3] - [1.2, 0.0, 0.0])]  # fmt: skip
    solution = g1.solve(goals, start=g1.neutral, mode="best")
    assert solution.status is Status.CONVERGED
    pulls = solution.explain().pulls
    assert pulls
    assert {pulls[0].goal, pulls[0].against} == {0, 3}
    assert sum(pulls[0].error_without) < 0.5 * sum(pulls[0].error)
    text = str(solution.explain())
    assert text.splitlines()[0].startswith(
        "Not all goals are met, and their weighted errors cannot be made less"
    )
    assert "without goal" in text
    assert solution.explain().to_dict()["status"] == "converged"


def test_a_step_short_of_the_end_is_no_proof():
    arm = limbik.load("panda")
    goals = [Position(target=[0.4, 0.2, 0.5]), Position(target=[0.2, 0.4, 0.5])]
    solution = arm.solve(goals, start=arm.neutral, mode="best", iterations=1)
    assert solution.ended is Status.BUDGET_SPENT


def test_a_trace_shows_every_iteration_and_ends_at_the_answer():
    arm = limbik.load("panda")
    goals = [Position(target=[0.4, 0.2, 0.5]), Position(target=[0.2, 0.4, 0.5])]
    trace = arm.trace(goals, start=arm.neutral, mode="best")
    assert trace.solution.status is Status.CONVERGED
    assert len(trace.q) == trace.solution.iterations + 1
    assert_array_equal(trace.q[-1], trace.solution.q)
    assert (np.diff(trace.error) <= 0.0).all()


def test_tool_and_locked_joints_are_as_in_any_solve():
    arm = limbik.load("panda")
    tool = np.eye(4)
    tool[2, 3] = 0.1
    home = (arm.pose(arm.neutral) @ tool)[:3, 3]
    goals = [Position(target=home), Position(target=home + np.array([0.0, 0.05, 0.0]))]
    locked = arm.joint_names[1]
    solution = arm.solve(goals, start=arm.neutral, mode="best", tool=tool, locked=[locked])
    assert solution.status is Status.CONVERGED
    assert solution.q[1] == arm.neutral[1]
    assert_allclose((arm.pose(solution.q) @ tool)[:3, 3], home + np.array([0.0, 0.025, 0.0]), atol=1e-4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "bets"}, '`mode` needs "meet" or "best", found \'bets\''),
        ({"mode": "best", "solver": "ccd"}, "`mode='best'` is of solver 'lm', not of 'ccd'"),
        ({"mode": "best", "world": World()}, "`mode='best'` does not look for solutions that are free"),
    ],
)
def test_what_has_no_meaning_is_refused(options, message):
    arm = limbik.load("panda")
    with pytest.raises(SolverError) as raised:
        arm.solve(Position(target=[0.4, 0.2, 0.5]), start=arm.neutral, **options)
    assert message in str(raised.value)


def leg() -> limbik.Model:
    """A knee that is straight at its lower limit, as a person's."""
    builder = limbik.ModelBuilder("leg").revolute("hip", axis="y", limits=2.0)
    builder = builder.revolute("side", axis="x", limits=1.0)
    builder = builder.revolute("knee", axis="y", origin=(0, 0, -0.4), limits=(0.0, 2.5))
    return builder.revolute("ankle", axis="y", origin=(0, 0, -0.4), limits=1.0).build()


@pytest.mark.parametrize("seed", [91, 95, 184, 263, 368])
def test_a_straight_knee_at_its_limit_is_no_optimum_where_it_can_bend(seed):
    """Its slope is zero there, and its errors curve down."""
    model = leg()
    foot = model.joints[-1].child
    noise = np.random.default_rng(seed).normal(size=3)
    first, last = (model.pose(model.random(3 * seed + k), foot)[:3, 3] for k in range(2))
    goals = [Position(frame=foot, target=point) for point in (first, first + 0.1 * noise, last)]

    straight = model.solve(goals, start=model.random(3 * seed + 2), mode="best")
    assert straight.status is Status.CONVERGED
    for bend in (1e-3, 1e-2, 0.1):
        bent = straight.q.copy()
        bent[2] = min(bent[2] + bend, 2.5)
        assert cost(model, goals, bent) >= cost(model, goals, straight.q)
