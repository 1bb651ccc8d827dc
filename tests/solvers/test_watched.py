"""What is watched of the fast core is the solve itself: every option, every start, each tier."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import limbik
from fast_chains import (
    NEAR_HALF_TURN,
    NO_LIMITS,
    fast_chains,
    hinges,
    interpreted,
    position_error,
    rotation_error,
)
from limbik import Model, Orientation, Pose, Position, Status
from limbik.compiler import native
from limbik.goals import as_goal
from limbik.serial.layout import LANES
from limbik.solvers.plans import BY_DEFAULT
from strategies import SEEDS, poses

PANDA = limbik.load("panda")
FEW = settings(max_examples=25)


@pytest.fixture(autouse=True)
def patient():
    """Interpreted unless a test asks for machine code, and as long as it takes."""
    with interpreted():
        yield


def watched(model: Model, goal, *, lanes: bool = True, **options) -> limbik.Trace:
    """A trace, with all its lanes, of which is true what is promised of traces."""
    trace, solution = model.trace(goal, lanes=lanes, **options), model.solve(goal, **options)
    assert_array_equal(trace.solution.outcome, solution.outcome)
    assert trace.solution.q.tobytes() == trace.q[-1].tobytes() == solution.q.tobytes()
    assert trace.iterations == solution.iterations
    for seen in (trace, *trace.lanes):
        assert seen.q.shape == (len(seen.error), model.nq)
        assert options.get("limits") is False or model.is_within_limits(seen.q).all()
        some = slice(None, None, 1 + len(seen.q) // 50)
        for error, q in zip(seen.error[some], seen.q[some], strict=True):
            expected, slack = off(model, goal, q)
            assert error == pytest.approx(expected, rel=1e-6, abs=1e-7 + slack)
    return trace


def off(model: Model, goal, q) -> tuple[float, float]:
    """How far a configuration is from a goal without weights, by the model's own kinematics.

    And how much less that may be than what is said, where a turn so near to half a one counts as one.
    """
    wanted, target = as_goal(goal), np.eye(4)
    if isinstance(wanted, Position):
        target[:3, 3] = wanted.target
    elif isinstance(wanted, Orientation):
        target[:3, :3] = wanted.target
    else:
        target = wanted.target
    metres = 0.0 if isinstance(wanted, Orientation) else position_error(model, q, target)
    radians = 0.0 if isinstance(wanted, Position) else rotation_error(model, q, target)
    reach = model.reach()
    weight = 0.5 * reach if 0.0 < reach < math.inf else 1.0
    slack = NEAR_HALF_TURN * weight if radians > math.pi - NEAR_HALF_TURN else 0.0
    return math.hypot(metres, radians * weight), slack


@pytest.mark.slow
@FEW
@given(fast_chains(), poses(), st.none() | SEEDS, st.sampled_from([Pose, Position, Orientation]))
def test_whatever_is_asked_the_trace_is_the_solve(model, target, seed, kind):
    start = None if seed is None else model.random(seed)
    part = {Pose: target, Position: target[:3, 3], Orientation: target[:3, :3]}[kind]
    watched(model, kind(target=part), start=start, iterations=60)


@pytest.mark.parametrize(
    "options",
    [
        {"start": PANDA.random(2)},
        {"start": PANDA.random(2), "restarts": 0},
        {"start": 2.0 * PANDA.random(2)},
        {"start": PANDA.random(2), "prefer": "nearest"},
        {"start": PANDA.random(2), "locked": ["panda_joint2"]},
        {"seed": 7},
        {"limits": False},
        {"tolerance": 0.1, "tolerance_rotation": 0.3},
    ],
    ids=lambda options: ", ".join(options),
)
def test_every_option_holds_for_what_is_watched(options):
    trace = watched(PANDA, PANDA.pose(PANDA.random(1)), iterations=300, **options)
    if "locked" in options:
        assert len({q[1] for q in trace.q}) == 1
    if "start" in options and "prefer" not in options:  # which begins around the start, too
        assert_allclose(trace.q[0], PANDA.clip(options["start"]), atol=1e-15)


def test_a_tool_is_what_is_seen_to_meet_the_goal():
    tool, start = limbik.load("ur5e").pose(np.zeros(6)), PANDA.random(2)
    goal = PANDA.pose(PANDA.random(1)) @ tool
    solution, trace = PANDA.solve(goal, start=start, tool=tool), PANDA.trace(goal, start=start, tool=tool)
    assert trace.q[-1].tobytes() == solution.q.tobytes()
    metres = np.linalg.norm((PANDA.pose(trace.q) @ tool)[:, :3, 3] - goal[:3, 3], axis=1)
    assert (trace.error >= metres - 1e-9).all()
    assert trace.error[-1] <= 1e-5


def test_weights_are_those_of_the_errors_that_are_seen():
    goal = Pose(target=PANDA.pose(PANDA.random(1)), weights=(1.0, 1.0, 1.0, 1.0, 1.0, 0.0))
    trace, solution = PANDA.trace(goal, start=PANDA.random(2)), PANDA.solve(goal, start=PANDA.random(2))
    assert trace.q[-1].tobytes() == solution.q.tobytes()
    for q, error in zip(trace.q[1:-1], trace.error[1:-1], strict=True):
        here = PANDA.pose(q)
        metres = np.linalg.norm(here[:3, 3] - goal.target[:3, 3])
        radians = math.acos(min(1.0, here[:3, 2] @ goal.target[:3, 2]))
        assert_allclose(error, math.hypot(metres, 0.5 * PANDA.reach() * radians), rtol=1e-6, atol=1e-7)


def test_the_last_step_of_a_solved_trace_is_a_small_one():
    for seed in range(20):
        start = PANDA.random(seed) if seed % 2 else None
        trace = PANDA.trace(PANDA.pose(PANDA.random(seed + 100)), start=start, iterations=500)
        if trace.solution.success and trace.iterations:
            assert abs(trace.q[-1] - trace.q[-2]).max() < 0.05


def test_a_start_that_meets_the_goal_is_all_there_is_to_see():
    q = PANDA.random(0)
    trace = watched(PANDA, PANDA.pose(q), start=q)
    assert len(trace) == 1


@pytest.mark.parametrize("start", [None, PANDA.random(3)], ids=["anywhere", "start"])
def test_a_goal_out_of_reach_is_watched_to_the_end(start):
    far = PANDA.pose(PANDA.random(1))
    far[:3, 3] *= 4.0
    trace = watched(PANDA, far, start=start, iterations=1000)
    assert trace.solution.ended is Status.UNREACHABLE
    assert trace.iterations == 200
    assert trace.error[-1] < trace.error[0]


def test_joints_off_the_path_stay_where_the_answer_has_them():
    tree = (
        limbik.ModelBuilder("tree")
        .revolute("turn", axis="z")
        .revolute("other", parent="turn", axis="y", limits=(-1.0, 1.0))
        .revolute("lift", parent="turn", axis="y")
        .revolute("fold", parent="lift", axis="y", origin=(0.5, 0.0, 0.0))
        .frame("tip", link="fold", pose=(0.5, 0.0, 0.0))
        .build(end_effector="tip")
    )
    trace = watched(tree, Position(target=[0.3, 0.4, 0.2]), start=[0.1, 2.0, 0.2, 0.3])
    assert trace.solution.start_was_moved
    assert set(trace.q[:, 1]) == {1.0}


def test_whole_turns_of_joints_without_limits_are_those_of_the_start():
    arm = hinges([NO_LIMITS] * 6)
    q, turns = arm.random(1), 2.0 * math.pi * np.array([0, 1, -1, 2, 0, -3])
    trace = watched(arm, arm.pose(q), start=q + 0.1 + turns)
    assert_allclose(trace.q[0], q + 0.1 + turns, atol=1e-12)
    assert abs(np.diff(trace.q, axis=0)).max() < math.pi


# ------------------------------------------------------------------------------------------------- lanes


def test_without_a_start_all_lanes_race_and_one_of_them_is_shown():
    trace = watched(PANDA, PANDA.pose(PANDA.random(1)))
    assert len(trace.lanes) == LANES
    shown = [lane for lane in trace.lanes if lane.q[:-1].tobytes() == trace.q[:-1].tobytes()]
    assert len(shown) == 1
    others = {lane.q[0].tobytes() for lane in trace.lanes}
    assert len(others) > 1
    assert PANDA.trace(PANDA.pose(PANDA.random(1))).lanes == ()


def test_from_a_start_one_lane_is_followed_until_it_settles():
    start, goal = PANDA.random(2), PANDA.pose(PANDA.random(1))
    alone = watched(PANDA, goal, start=start, restarts=0, iterations=500)
    assert len(alone.lanes) == 1
    assert not alone.solution.success
    trace = watched(PANDA, goal, start=start, iterations=500)
    assert len(trace.lanes) == LANES
    count = alone.iterations
    assert_array_equal(trace.lanes[0].q[:count], alone.q[:count])
    assert trace.lanes[0].restarted_at[0] == count
    assert_allclose(trace.lanes[0].q[count], start, atol=1e-15)


def beyond_a_limit():
    """A pose that needs the second joint beyond its limit, which no bound says."""
    q = PANDA.random(1)
    q[1] = 2.6
    return PANDA.pose(q)


def test_lanes_begin_again_as_often_as_the_solve_says():
    hard = beyond_a_limit()
    trace = watched(PANDA, hard, iterations=80)
    assert trace.solution.restarts == sum(len(lane.restarted_at) for lane in trace.lanes) > LANES


def test_solvers_without_lanes_have_none_to_show():
    assert limbik.ball_arm([1.0] * 3).trace([1.0, 1.0, 0.0], lanes=True).lanes == ()


# --------------------------------------------------------------------------------------------- machine code


def test_machine_code_is_watched_as_it_is_interpreted(compiled_panda, compiled_trees):
    rng = np.random.default_rng(5)
    for k in range(12):
        goal = PANDA.pose(PANDA.random(rng))
        goal[:3, 3] *= (1.0, 1.2, 3.0)[k % 3]
        start = PANDA.random(rng) if k % 2 else None
        trace = watched(PANDA, goal, start=start, iterations=2000, lanes=False)
        if trace.solution.ended is Status.LIKELY_UNREACHABLE:
            assert trace.restarted_at[-1] > 1500  # where it settles, by the general core


def test_a_watched_solve_keeps_its_time_limit(compiled_panda, monkeypatch):
    hard = beyond_a_limit()
    trace = PANDA.trace(hard, time_limit=0.02, iterations=1_000_000)
    assert trace.solution.ended is Status.BUDGET_SPENT
    assert 0 < trace.iterations == trace.solution.iterations < 1_000_000
    assert native.compiled(BY_DEFAULT.get(PANDA).program) is not None
