"""Many goals at once: every answer is true, and is the same whatever is solved beside it."""

import copy
import math
import os
import signal
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

import limbik
from fast_chains import NO_LIMITS, fast_chains, hinges
from limbik import Status
from limbik.errors import ConfigurationError, GoalError, SolverError
from limbik.model import ModelBuilder
from limbik.solvers import batch_job
from solvers.arms import branching_tree, pose
from strategies import SEEDS, poses

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("interpreted_core")]

SOME = settings(max_examples=15)
PRECISIONS = ("double", "single")


@pytest.fixture
def panda(tier):
    """A new model each time, so that no plan remembers the other tier."""
    return copy.copy(limbik.load("panda"))


@pytest.fixture
def enough(tier):
    """How many problems a test takes of those that machine code solves: Python needs a second for a few."""
    return lambda count: count if tier == "compiled" else math.ceil(count / 5)


def goals(model, count, seed=0):
    """Poses [count, 4, 4] within reach and limits."""
    return model.pose(model.random(seed, size=count))


def assert_honest(model, poses, found, *, frame=None, tolerance=1e-6, tolerance_rotation=1e-6, limits=True):
    """All that a batch says of its configurations is so, by the model's own kinematics."""
    assert found.q.shape == (len(poses), model.nq)
    assert found.outcome.shape[0] == len(found) == len(found.status) == len(poses)
    assert np.isfinite(found.q).all()
    assert np.isfinite(found.outcome).all()
    assert not limits or model.is_within_limits(found.q).all()
    assert_array_equal(found.success, [status is Status.SOLVED for status in found.status])
    there = model.pose(found.q, frame)
    error = np.linalg.norm(there[:, :3, 3] - poses[:, :3, 3], axis=1)
    between = np.swapaxes(there[:, :3, :3], 1, 2) @ poses[:, :3, :3]
    angle = Rotation.from_matrix(between).magnitude()
    scale = 1.0 + np.abs(poses[:, :3, 3]).max() + np.abs(there[:, :3, 3]).max()
    assert (error[found.success] <= tolerance + 1e-11 * scale).all()
    assert (angle[found.success] <= tolerance_rotation + 1e-11).all()
    assert_allclose(found.error, error, rtol=0.0, atol=1e-10 * scale)
    near = angle < math.pi - 3e-3
    assert_allclose(found.error_rotation[near], angle[near], rtol=0.0, atol=1e-7)


def assert_same(one, other):
    """The same to the last bit."""
    assert one.q.tobytes() == other.q.tobytes()
    assert one.outcome.tobytes() == other.outcome.tobytes()


# ----------------------------------------------------------------------------------------------------- the
# truth


@pytest.mark.parametrize("precision", PRECISIONS)
def test_goals_within_reach_are_met(panda, precision, enough):
    targets = goals(panda, enough(400))
    found = panda.solve_batch(targets, precision=precision)
    assert found.success.all()
    assert_honest(panda, targets, found)
    assert found.solver == "lm"
    assert found.time > 0.0


@pytest.mark.parametrize("precision", PRECISIONS)
def test_goals_within_reach_are_met_from_starts(panda, precision, enough):
    targets = goals(panda, enough(24))
    found = panda.solve_batch(targets, start=panda.random(1, size=len(targets)), precision=precision)
    assert found.success.all()
    assert_honest(panda, targets, found)


@SOME
@given(fast_chains(), SEEDS, st.booleans())
def test_goals_made_by_forward_kinematics_are_met_for_any_chain(model, seed, from_start):
    targets = goals(model, 8, seed)
    found = model.solve_batch(targets, start=model.random(seed + 1, size=8) if from_start else None)
    assert_honest(model, targets, found)
    assert found.success.all()


@SOME
@given(fast_chains(), st.lists(poses(), min_size=1, max_size=6), st.none() | SEEDS)
def test_whatever_is_asked_the_answers_are_honest(model, targets, seed):
    targets = np.array(targets)
    start = None if seed is None else model.random(seed)
    options = {"restarts": 0} if seed is not None and seed % 2 else {"restarts": 3}
    assert_honest(model, targets, model.solve_batch(targets, start=start, iterations=60, **options))


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_batch_finds_what_single_solves_find(panda, precision, enough):
    targets = goals(panda, enough(16), 3)
    targets[::4, :3, 3] *= 10.0  # out of reach
    found = panda.solve_batch(targets, precision=precision)
    single = [panda.solve(target) for target in targets]
    assert found.status == [solution.ended for solution in single]


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("from_start", [False, True])
def test_goals_out_of_reach_are_said_to_be_so(panda, precision, from_start, enough):
    few = enough(6)
    targets = goals(panda, 3 * few)
    targets[few : 2 * few, :3, 3] *= 10.0
    start = panda.neutral if from_start else None
    found = panda.solve_batch(targets, start=start, precision=precision)
    assert found.status[few : 2 * few] == [Status.UNREACHABLE] * few
    assert found.success[:few].all()
    assert found.success[2 * few :].all()
    assert_honest(panda, targets, found)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_goals_a_little_out_of_reach_are_met_within_the_tolerance_alone(precision, tier):
    arm, coarse = limbik.planar_arm(3, 1.0), {"tolerance": 0.2, "tolerance_rotation": 0.5}
    targets = np.array([pose(turn=Rotation.from_rotvec([0.0, 0.0, angle])) for angle in range(6)])
    targets[:, :3, 3] = 3.15 * targets[:, :3, 0]
    found = arm.solve_batch(targets, start=arm.random(0, 6), precision=precision, **coarse)
    assert_honest(arm, targets, found, **coarse)
    assert found.success.all()


def test_a_goal_that_no_configuration_meets_is_not_met():
    arm = hinges([(-2.0, 2.0)] * 3)
    targets = goals(arm, 10) @ pose(turn=Rotation.from_rotvec([1.0, 0.0, 0.0]))
    found = arm.solve_batch(targets, restarts=5)
    assert not found.success.any()
    assert set(found.status) <= {Status.LIKELY_UNREACHABLE, Status.UNREACHABLE}
    assert_honest(arm, targets, found)


def test_a_seed_is_within_limits_before_it_is_measured():
    for seed in range(10):
        length = np.random.default_rng(seed).uniform(0.5, 2.5)
        model = ModelBuilder("slide").prismatic("slide", axis="z", limits=(length, length)).build()
        targets = model.pose([[length], [float(np.float32(length))]])  # the second is off by rounding
        options = {"tolerance": 1e-9, "tolerance_rotation": 1e-9}
        found = model.solve_batch(targets, restarts=3, **options)
        assert_honest(model, targets, found, **options)
        assert found.success[0]


@pytest.mark.parametrize("precision", PRECISIONS)
def test_starts_half_a_turn_away_are_left(precision):
    robot = limbik.load("ur5e")
    q = robot.random(0, size=20)
    start = q.copy()
    start[:, 5] -= np.copysign(math.pi, q[:, 5])
    found = robot.solve_batch(robot.pose(q), start=start, precision=precision)
    assert_honest(robot, robot.pose(q), found)
    assert found.success.all()


# ----------------------------------------------------------------------------------------- the same, come
# what may


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("from_start", [False, True])
def test_answers_do_not_depend_on_threads(panda, monkeypatch, precision, from_start, enough):
    monkeypatch.setattr(batch_job, "MIN_PIECE", enough(64))  # so that there is something to share
    count = enough(300)
    targets = goals(panda, count)
    start = panda.clip(panda.random(0, size=count) + 0.4) if from_start else None
    one, two, three, every = (
        panda.solve_batch(targets, start=start, threads=threads, precision=precision)
        for threads in (1, 2, 3, None)
    )
    assert_same(one, two)
    assert_same(one, three)
    assert_same(one, every)


def test_batches_of_several_threads_share_their_helpers(panda, monkeypatch, enough):
    monkeypatch.setattr(batch_job, "MIN_PIECE", enough(64))
    targets = goals(panda, enough(300))
    one = panda.solve_batch(targets, threads=1)
    with ThreadPoolExecutor(4) as pool:
        for each in pool.map(lambda _: panda.solve_batch(targets, threads=3), range(8)):
            assert_same(one, each)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded")
def test_a_forked_process_has_helpers_of_its_own(panda, monkeypatch, enough):
    monkeypatch.setattr(batch_job, "MIN_PIECE", enough(64))
    targets = goals(panda, enough(300))
    panda.solve_batch(targets, threads=2)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if panda.solve_batch(targets, threads=2).success.all() else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("from_start", [False, True])
def test_answers_do_not_depend_on_order_or_neighbours(panda, precision, from_start):
    targets = goals(panda, 20)
    targets[::9, :3, 3] *= 1.5
    start = panda.random(1, size=20) if from_start else None
    options = {"precision": precision, "iterations": 40}
    found = panda.solve_batch(targets, start=start, **options)
    for order in (np.random.default_rng(0).permutation(20), np.arange(0, 20, 4), [17]):
        some = None if start is None else start[order]
        other = panda.solve_batch(targets[order], start=some, **options)
        assert other.q.tobytes() == np.ascontiguousarray(found.q[order]).tobytes()
        assert_array_equal(other.outcome, found.outcome[order])


def test_a_batch_cut_into_pieces_is_the_same_batch(panda, monkeypatch):
    targets = goals(panda, 130)
    whole = panda.solve_batch(targets)
    monkeypatch.setattr(batch_job, "MIN_PIECE", 17)
    assert_same(panda.solve_batch(targets), whole)


def test_problems_that_are_looked_at_again_some_at_a_time_have_the_same_answers(panda, monkeypatch, enough):
    targets, start = goals(panda, enough(200)), panda.random(1)
    whole = panda.solve_batch(targets, start=start)
    monkeypatch.setattr(batch_job, "AT_A_TIME", 7)
    assert_same(panda.solve_batch(targets, start=start), whole)


def test_the_same_seed_gives_the_same_answers(panda):
    targets = goals(panda, 60)
    assert_same(panda.solve_batch(targets, seed=3), panda.solve_batch(targets, seed=3))
    assert panda.solve_batch(targets, seed=3).success.all()


def test_seeds_lead_to_different_answers():
    arm = limbik.load("ur5e")
    targets = goals(arm, 60)
    targets[:, :3, 3] *= 1.05  # so that some need more than one attempt
    found = {arm.solve_batch(targets, seed=seed, iterations=100).q.tobytes() for seed in range(3)}
    assert len(found) > 1


# ----------------------------------------------------------------------------------------------------------
# starts


@pytest.mark.parametrize("precision", PRECISIONS)
def test_one_start_serves_every_problem(panda, precision, enough):
    count = enough(20)
    targets = goals(panda, count)
    start = panda.random(5)
    once = panda.solve_batch(targets, start=start, precision=precision)
    each = panda.solve_batch(targets, start=np.tile(start, (count, 1)), precision=precision)
    assert_same(once, each)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_answers_stay_near_their_starts(panda, precision, enough):
    q = panda.random(0, size=enough(300))
    start = panda.clip(q + np.random.default_rng(1).uniform(-0.05, 0.05, q.shape))
    found = panda.solve_batch(panda.pose(q), start=start, precision=precision)
    assert found.success.all()
    assert np.abs(found.q - start).max() < 0.5


@pytest.mark.parametrize("start", [5.0, -5.0, 2.0 * math.pi])
def test_whole_turns_toward_a_start_stay_within_the_limits(start):
    model = limbik.load("ur5e")
    poses = model.pose(np.random.default_rng(1).uniform(-6.0, 6.0, (120, 6)))
    found = model.solve_batch(poses, start=np.full(6, start))
    assert_honest(model, poses, found)
    assert found.success.all()


@pytest.mark.parametrize("precision", PRECISIONS)
def test_where_a_start_leads_nowhere_a_solution_near_it_is_preferred(panda, precision, enough):
    targets, start = goals(panda, enough(400)), panda.random(1, size=enough(400))
    led = panda.solve_batch(targets, start=start, precision=precision, restarts=0).success
    found = panda.solve_batch(targets, start=start, precision=precision)
    anywhere = panda.solve_batch(targets, precision=precision)
    assert_honest(panda, targets, found)
    assert found.success.all() and 0.3 < led.mean() < 0.7
    distances = [np.linalg.norm(q[~led] - start[~led], axis=1).mean() for q in (found.q, anywhere.q)]
    assert distances[0] < 0.95 * distances[1]
    once = panda.solve_batch(targets, start=start, precision=precision, restarts=1)
    assert led.sum() < once.success.sum() < len(targets) and once.outcome[:, 4].max() == 1.0


@pytest.mark.parametrize("precision", PRECISIONS)
def test_whole_turns_of_the_starts_are_kept(precision):
    for model in (hinges([NO_LIMITS] * 6), limbik.load("ur5e")):
        q = model.random(0, size=40)
        start = model.clip(q + 0.02)
        found = model.solve_batch(model.pose(q), start=start, precision=precision)
        assert found.success.all()
        assert np.abs(found.q - start).max() < 0.5


@pytest.mark.parametrize("precision", PRECISIONS)
def test_starts_that_meet_their_goals_are_returned(panda, precision):
    q = panda.random(0, size=50)
    found = panda.solve_batch(panda.pose(q), start=q, precision=precision)
    assert found.success.all()
    assert_allclose(found.q, q, rtol=0.0, atol=1e-12 if precision == "double" else 1e-3)
    assert found.iterations.max() <= (1 if precision == "double" else 4)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_starts_outside_the_limits_are_moved_inside_and_that_is_said(panda, precision, enough):
    q = panda.random(0, size=enough(30))
    start = q.copy()
    start[::3, 2] = panda.upper[2] + 1.0
    start[1::3, 1] = panda.lower[1] - 1e-3
    found = panda.solve_batch(panda.pose(q), start=start, precision=precision)
    assert_honest(panda, panda.pose(q), found)
    assert found.success.all()
    assert_array_equal(found.outcome[:, 5], np.arange(len(q)) % 3 != 2)


def test_restarts_go_on_after_the_first_hundred_iterations() -> None:
    """An arm that can barely turn its last joint: one search in twelve meets this pose."""
    rows = [
        ((0.0, 0.0, 0.3), "z", 3.14),
        ((0.0, 0.0, 0.1), "y", (-2.9817097100793077, 2.262800450923312)),
        ((0.0, 0.0, 0.15), "z", 3.14),
        ((0.0, 0.0800108280615859, 0.3837506333734386), "y", 3.14),
        ((0.1799019269351806, 0.0, 0.3352165926506542), "z", (-2.5516674100039816, 1.6446337431108027)),
        ((0.0, 0.0, 0.0), "y", 6.28),
        ((0.0, 0.0, 0.0), "z", (-0.7689907333214683, 0.7955945915291192)),
    ]
    builder = limbik.ModelBuilder("arm")
    for k, (origin, axis, limits) in enumerate(rows):
        builder = builder.revolute(f"joint{k}", axis=axis, origin=origin, limits=limits)
    arm = builder.build()
    turns = [2.193791516962155, 1.4462678521253072, 1.2040320636889519, -1.602971465156952]
    poses = arm.pose([*turns, -0.22656391214860208, -1.7174921931577949, -0.7689907333214683])[None]
    for seed in (1, 3, 7, 46):
        few, many = (arm.solve_batch(poses, restarts=count, seed=seed) for count in (16, 300))
        assert not few.success[0]
        assert many.success[0]


def test_without_restarts_nothing_is_tried_elsewhere(panda):
    targets = goals(panda, 50)
    found = panda.solve_batch(targets, start=panda.random(1, size=50), restarts=0)
    assert not found.outcome[:, 4].any()
    assert not found.success.all()
    assert_honest(panda, targets, found)


@pytest.mark.parametrize("shape", [(6,), (8,), (49, 7), (50, 6), (1, 50, 7), ()])
def test_starts_of_another_shape_are_refused(panda, shape):
    with pytest.raises(ConfigurationError, match=r"`start` needs 7 numbers \(nq\), or 50 rows"):
        panda.solve_batch(goals(panda, 50), start=np.zeros(shape))


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_starts_that_are_not_finite_are_refused(panda, bad):
    start = panda.random(1, size=50)
    start[20, 3] = bad
    with pytest.raises(ConfigurationError, match="`start` needs finite numbers"):
        panda.solve_batch(goals(panda, 50), start=start)


# -----------------------------------------------------------------------------------------------------------
# poses


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("start", [None, "one"])
def test_no_goals_have_no_answers(panda, precision, start):
    found = panda.solve_batch(
        np.empty((0, 4, 4)), precision=precision, start=panda.neutral if start else None
    )
    assert found.q.shape == (0, 7)
    assert found.success.shape == found.error.shape == found.error_rotation.shape == (0,)
    assert found.status == []
    assert len(found) == 0


@pytest.mark.parametrize("shape", [(4, 4), (3, 4), (10, 4, 3), (10, 3, 4), (2, 5, 4, 4), (16,)])
def test_poses_of_another_shape_are_refused(panda, shape):
    with pytest.raises(GoalError, match=r"`poses` needs an array of shape \(N, 4, 4\)"):
        panda.solve_batch(np.zeros(shape))


def test_poses_that_are_no_numbers_are_refused(panda):
    with pytest.raises(GoalError, match="`poses`"):
        panda.solve_batch([["a"] * 4] * 4)
    with pytest.raises(GoalError, match="`poses`"):
        panda.solve_batch(None)


def spoil(target, how):
    """Make a pose none, in one of several ways."""
    if how == "nan":
        target[1, 2] = math.nan
    elif how == "infinite":
        target[0, 3] = math.inf
    elif how == "scaled":
        target[:3, :3] *= 1.001
    elif how == "mirrored":
        target[:3, 0] *= -1.0
    elif how == "empty":
        target[:3, :3] = 0.0
    elif how == "weighted":
        target[3] = 0.0, 0.0, 0.0, 7.0
    else:
        target[3] = 5.0, 5.0, 5.0, 1.0


REASONS = {
    "nan": "finite",
    "infinite": "finite",
    "scaled": "not orthonormal",
    "mirrored": "mirror image",
    "empty": "not orthonormal",
    "weighted": "last row 0 0 0 1",
    "projective": "last row 0 0 0 1",
}


@pytest.mark.parametrize("how", REASONS)
@pytest.mark.parametrize("from_start", [False, True])
@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_pose_that_is_none_is_refused_by_its_number(panda, how, from_start, precision):
    targets = goals(panda, 20)
    spoil(targets[13], how)
    start = panda.neutral if from_start else None
    with pytest.raises(GoalError, match=rf"(?s)poses\[13\].*{REASONS[how]}"):
        panda.solve_batch(targets, start=start, precision=precision)


@pytest.mark.parametrize("from_start", [False, True])
@pytest.mark.parametrize("precision", PRECISIONS)
def test_goals_at_the_end_of_the_world_are_out_of_reach(panda, from_start, precision, enough):
    count = enough(20)
    far = 2 * count // 3
    targets = goals(panda, count)
    targets[far, 0, 3] = 1e300
    found = panda.solve_batch(targets, start=panda.neutral if from_start else None, precision=precision)
    assert found.status[far] is Status.UNREACHABLE
    assert found.error[far] > 0.9e300
    assert panda.is_within_limits(found.q).all()
    assert found.success.sum() == count - 1


@pytest.mark.parametrize("precision", PRECISIONS)
def test_rotations_off_by_rounding_are_repaired(panda, precision, enough):
    exact = goals(panda, enough(80))
    off = np.resize([1e-12, 1e-9, 1e-8, 1e-7], len(exact))
    targets = exact.copy()
    noise = np.random.default_rng(0).uniform(-1.0, 1.0, targets[:, :3, :3].shape)
    targets[:, :3, :3] += off[:, None, None] * noise
    kept = targets.copy()
    for start in (None, panda.neutral):
        found = panda.solve_batch(targets, start=start, precision=precision)
        assert found.success.all()
        there = panda.pose(found.q)
        assert np.linalg.norm(there[:, :3, 3] - exact[:, :3, 3], axis=1).max() <= 1e-6
        between = np.swapaxes(there[:, :3, :3], 1, 2) @ exact[:, :3, :3]
        assert (Rotation.from_matrix(between).magnitude() <= 1e-6 + 4.0 * off).all()
        assert_array_equal(targets, kept)  # they are the caller's


@pytest.mark.parametrize("scale", [1.0 + 2.4e-7, 1.0 + 4e-7, 1.0 - 4e-7])
def test_success_is_measured_against_the_repaired_rotation(panda, scale, enough):
    exact = goals(panda, enough(40))
    targets = exact.copy()
    targets[:, :3, :3] *= scale
    found = panda.solve_batch(targets)
    assert found.success.all()
    assert_honest(panda, exact, found)


def test_poses_that_cannot_be_written_to_are_taken(panda):
    targets = goals(panda, 20)
    targets[:, :3, :3] += 1e-8
    targets.setflags(write=False)
    assert panda.solve_batch(targets).success.all()


def test_poses_in_another_layout_or_type_are_the_same_poses(panda):
    targets = goals(panda, 20)
    found = panda.solve_batch(targets)
    wide = np.zeros((40, 4, 8))
    wide[::2, :, ::2] = targets
    for same in (np.asfortranarray(targets), wide[::2, :, ::2], targets.tolist(), list(targets)):
        assert_same(panda.solve_batch(same), found)
    coarse = panda.solve_batch(targets.astype(np.float32), tolerance=1e-5, tolerance_rotation=1e-5)
    assert coarse.success.all()


# ---------------------------------------------------------------------------------------------------------
# options


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("tolerance", [1e-10, 1e-8, 1e-3])
def test_success_is_checked_at_the_tolerance_asked_for(panda, precision, tolerance, enough):
    targets = goals(panda, enough(60))
    options = {"tolerance": tolerance, "tolerance_rotation": tolerance}
    found = panda.solve_batch(targets, precision=precision, **options)
    assert found.success.all()
    assert_honest(panda, targets, found, **options)


def test_a_budget_is_kept(panda):
    targets = goals(panda, 30)
    targets[:, :3, 3] *= 1.3
    for budget in (1, 3, 20):
        found = panda.solve_batch(targets, iterations=budget)
        assert_honest(panda, targets, found)
        assert found.iterations.max() <= budget


def test_limits_are_ignored_where_that_is_asked_for(panda):
    targets = panda.pose(panda.random(0, size=30) + 0.8)
    found = panda.solve_batch(targets, limits=False)
    assert found.success.all()
    assert_honest(panda, targets, found, limits=False)


def test_a_tool_in_the_hand_meets_the_goals(panda, enough):
    tool = pose(0.05, -0.02, 0.2, Rotation.from_rotvec([0.3, 0.2, -0.5]))
    targets = goals(panda, enough(30)) @ tool
    found = panda.solve_batch(targets, tool=tool)
    assert found.success.all()
    assert_allclose(panda.pose(found.q) @ tool, targets, atol=4e-6)


REFUSED = {
    "prefer": ({"prefer": "nearest"}, "`prefer`"),
    "locked": ({"locked": ("panda_joint1",)}, "`locked`"),
    "no threads": ({"threads": 0}, "`threads`"),
    "some threads": ({"threads": 1.5}, "`threads`"),
    "true threads": ({"threads": True}, "`threads`"),
    "negative seed": ({"seed": -1}, "`seed`"),
    "half a seed": ({"seed": 0.5}, "`seed`"),
    "half precision": ({"precision": "half"}, "`precision`"),
    "another solver": ({"solver": "dls"}, "solver 'lm'.*; found solver 'dls'"),
    "best": ({"mode": "best"}, "does not take `mode='best'`"),
    "no solver": ({"solver": "lmm"}, "no solver"),
    "rest": ({"rest_bias": 0.1}, "does not take `rest_bias`"),
    "zero tolerance": ({"tolerance": 0.0}, "`tolerance`"),
    "unknown": ({"tolerence": 1e-3}, "did you mean"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_options_that_have_no_meaning_are_refused(panda, case):
    options, reason = REFUSED[case]
    with pytest.raises(SolverError, match=reason):
        panda.solve_batch(goals(panda, 3), **options)


@pytest.mark.parametrize("seed", [2**31, 2**63, 2**2000])
def test_a_seed_of_any_size_is_taken_or_refused_in_words(panda, seed):
    try:
        assert panda.solve_batch(goals(panda, 5), seed=seed).success.all()
    except SolverError as error:
        assert "`seed`" in str(error)


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.int64])
def test_a_seed_may_be_any_whole_number_of_numpy(panda, kind):
    targets = panda.pose(panda.random(0, size=3))
    assert np.array_equal(panda.solve_batch(targets, seed=kind(3)).q, panda.solve_batch(targets, seed=3).q)


def test_ball_joints_are_refused():
    tree = branching_tree()
    with pytest.raises(SolverError, match="revolute and prismatic joints"):
        tree.solve_batch(tree.pose(tree.random(0, size=2)))


def two_arms():
    """A lift that carries two arms; joints of one stand between those of the other."""
    return (
        ModelBuilder("tree")
        .revolute("head", parent="base", axis="x", limits=(-0.5, 0.5))
        .prismatic("lift", parent="base", axis="z", limits=(0.0, 0.4))
        .revolute("left1", parent="lift", axis="z", origin=(0.0, 0.2, 0.5), limits=(-2.0, 2.0))
        .revolute("right1", parent="lift", axis="z", origin=(0.0, -0.2, 0.5), limits=(-2.0, 2.0))
        .revolute("left2", parent="left1", axis="y", origin=(0.3, 0.0, 0.0), limits=(-2.0, 2.0))
        .revolute("right2", parent="right1", axis="y", origin=(0.3, 0.0, 0.0), limits=(-2.0, 2.0))
        .frame("left", link="left2", pose=pose(0.3))
        .frame("right", link="right2", pose=pose(0.3, 0.02))
        .build(end_effector="right")
    )


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("frame", ["left", "right", None, "right2"])
def test_joints_off_the_path_stay_where_they_are(frame, precision):
    tree = two_arms()
    targets = tree.pose(tree.random(0, size=20), frame)
    on_path = {joint.name for joint in tree.path(frame)}
    off = [k for k, joint in enumerate(tree.joints) if joint.name not in on_path]
    found = tree.solve_batch(targets, frame=frame, precision=precision)
    assert found.success.all()
    assert_honest(tree, targets, found, frame=frame)
    assert_array_equal(found.q[:, off], np.broadcast_to(tree.neutral[off], (20, len(off))))
    starts = tree.random(1, size=20)
    found = tree.solve_batch(targets, frame=frame, start=starts, precision=precision)
    assert found.success.all()
    assert_honest(tree, targets, found, frame=frame)
    assert_array_equal(found.q[:, off], starts[:, off])


def test_joints_off_the_path_are_moved_inside_their_limits_and_that_is_said():
    tree = two_arms()
    targets = tree.pose(tree.random(0, size=4))
    starts = tree.random(1, size=4)
    starts[2, 0] = 3.0
    found = tree.solve_batch(targets, start=starts)
    assert_honest(tree, targets, found)
    assert found.q[2, 0] == 0.5
    assert_array_equal(found.outcome[:, 5], [0.0, 0.0, 1.0, 0.0])


def test_an_unknown_frame_is_refused(panda):
    with pytest.raises(limbik.errors.ModelError, match="no frame"):
        panda.solve_batch(goals(panda, 2), frame="nowhere")


def test_a_chain_that_is_too_long_by_a_pair_of_nearly_parallel_axes_is_refused_for_that() -> None:
    axes = np.eye(3)[np.arange(12) % 3]
    axes[1] = axes[0] + [0.0, 1e-5, 0.0]
    joints = [
        limbik.Joint(
            name=f"joint{k}",
            kind=limbik.JointKind.REVOLUTE,
            parent=f"link{k}",
            child=f"link{k + 1}",
            axis=axis,
            origin=pose(0.1, 0.02 * k, 0.1),
        )
        for k, axis in enumerate(axes)
    ]
    model = limbik.Model("chain", joints)
    with pytest.raises(
        SolverError, match=r"nearly parallel axes counts for one more\); found one of 12 joints"
    ):
        model.solve_batch(np.eye(4)[None])


def test_a_chain_with_a_ball_joint_is_refused_for_that() -> None:
    arm = limbik.ModelBuilder("arm").ball("shoulder").revolute("elbow", axis="y", origin=(0.0, 0.0, 0.3))
    with pytest.raises(SolverError, match="found one with the ball joint 'shoulder'"):
        arm.build().solve_batch(np.eye(4)[None])
