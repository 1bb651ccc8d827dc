"""The same question has the same answer: again, traced, in a thread, in another process, in a copy."""

import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import limbik
from fast_chains import run_python
from limbik import Model, Pose, Position
from limbik.solvers.bounds import REACH_BOUNDS
from limbik.solvers.plans import PLANS
from solvers.arms import CASES, IN_SPACE, SOLVERS, TURNING, arms, branching_tree, distance

pytestmark = pytest.mark.usefixtures("compiled_methods")

PANDA = limbik.load("panda")


def same(a: limbik.Solution, b: limbik.Solution) -> bool:
    """Equal to the last bit, but for the time."""
    return a.q.tobytes() == b.q.tobytes() and (
        a.ended,
        a.error,
        a.error_rotation,
        a.iterations,
        a.restarts,
        a.start_was_moved,
    ) == (b.ended, b.error, b.error_rotation, b.iterations, b.restarts, b.start_was_moved)


def hard_points(model: Model, count: int) -> np.ndarray:
    """Points of which many need restarts, and some are out of reach."""
    rng = np.random.default_rng(0)
    return np.array([model.pose(model.random(rng))[:3, 3] * rng.uniform(0.8, 1.1) for _ in range(count)])


def limited(kind: str) -> Model:
    if kind == "planar":
        return limbik.planar_arm(6, 1.0, limits=0.5)
    return limbik.ball_arm([1.0] * 6, swing=0.4) if kind == "ball" else PANDA


def test_the_first_answer_of_a_process_is_that_of_later_ones(tmp_path):
    """Where it waits for machine code, Python answered the first call for all solutions nonetheless."""
    script = """
import numpy as np, limbik
for name in ("ur5e", "puma560", "panda"):
    model = limbik.load(name)
    pose = model.pose(model.random(np.random.default_rng(0)))
    for ask in (model.solve_all, model.solve):
        first, second = (np.asarray(ask(pose).q).tobytes() for _ in range(2))
        print(name, ask.__name__, first == second)
"""
    printed = run_python(script, tmp_path, compile_when="first")
    assert printed.count("True") == 6, printed


# --- again --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "solver"), CASES)
def test_the_same_inputs_and_seed_give_the_same_answer(kind, solver):
    first, second = limited(kind), pickle.loads(pickle.dumps(limited(kind)))
    restarts = 0
    for point in 0.7 * hard_points(first, 15):
        a = first.solve(point, solver=solver, seed=5, iterations=500)
        restarts += a.restarts
        assert same(a, first.solve(point, solver=solver, seed=5, iterations=500))
        assert same(
            a, second.solve(point.tolist(), solver=limbik.solvers.get(solver), seed=5, iterations=500)
        )
    assert restarts > 0


def test_another_seed_restarts_elsewhere():
    rng = np.random.default_rng(1)
    others = 0
    for _ in range(10):
        wanted = PANDA.pose(PANDA.random(rng))
        a, b = (PANDA.solve(wanted, solver="dls", seed=seed) for seed in (0, 1))
        assert (a.restarts > 0) == (b.restarts > 0)
        others += np.abs(a.q - b.q).max() > 0.1
    assert others > 0


def test_a_solve_in_between_changes_nothing():
    arm, point = limited("planar"), [1.0, 4.0, 0.0]
    before = arm.solve(point)
    for solver in SOLVERS:
        arm.solve([2.0, 2.0, 0.0], solver=solver, limits=False)
        arm.solve([9.0, 2.0, 0.0], solver=solver, rest_bias=0.3)
    assert same(before, arm.solve(point))


def test_nothing_that_is_handed_in_is_changed():
    arm = limited("planar")
    point, start, rest = np.array([1.0, 4.0, 0.0]), np.full(6, 2.0), np.full(6, -2.0)
    solution = arm.solve(point, start=start, rest=rest, rest_bias=0.3)
    assert (start == 2.0).all()
    assert (rest == -2.0).all()
    assert (point == [1.0, 4.0, 0.0]).all()
    solution.q[:] = 7.0
    assert (arm.neutral == 0.0).all()
    assert solution.start.tolist() == [2.0] * 6
    solution.start[:] = 9.0
    assert (start == 2.0).all()


@pytest.mark.slow
def test_a_process_that_compiles_and_one_that_loads_give_the_same_answer(tmp_path):
    program = (
        "import limbik, numpy as np\n"
        "arm = limbik.planar_arm(6, 1.0)\n"
        "points = np.random.default_rng(0).normal(size=(40, 3)) * [2.0, 2.0, 0.0]\n"
        "print([arm.solve(p, solver='pinv').q.tobytes().hex() for p in points])"
    )
    environment = {**os.environ, "LIMBIK_CACHE_DIR": str(tmp_path)}
    compiled, loaded = (
        subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, check=True
        ).stdout
        for _ in range(2)
    )
    assert compiled == loaded


# --- traced -------------------------------------------------------------------------------------------------


def watched(model: Model, goal, **options) -> limbik.Trace:
    """A trace, of which is true what is promised of all traces."""
    trace, solution = model.trace(goal, **options), model.solve(goal, **options)
    assert same(trace.solution, solution)
    assert trace.q[-1].tobytes() == solution.q.tobytes()
    assert trace.iterations == solution.iterations
    assert trace.q.shape == (trace.iterations + 1, model.nq)
    assert trace.error.shape == (trace.iterations + 1,)
    assert len(trace) == len(list(trace)) == trace.iterations + 1
    assert options.get("limits") is False or model.is_within_limits(trace.q).all()
    assert len(trace.restarted_at) <= solution.restarts + 1  # and where the answer settles
    assert all(0 < row <= trace.iterations for row in trace.restarted_at)
    assert list(trace.restarted_at) == sorted(set(trace.restarted_at))
    return trace


@pytest.mark.parametrize(
    "options", [{}, {"restarts": 0}, {"iterations": 7}, {"rest_bias": 0.2}, {"limits": False}]
)
@pytest.mark.parametrize(("kind", "solver"), CASES)
def test_a_trace_is_the_solve_watched(kind, solver, options):
    model = limited(kind)
    options = {"iterations": 200, "solver": solver, **options}
    for k, point in enumerate(hard_points(model, 8)):
        start = model.random(3) if k % 4 else None
        trace = watched(model, point, start=start, **options)
        if (kind, solver) == ("planar", "lm"):  # whose answer may be of an attempt from elsewhere
            continue
        np.testing.assert_allclose(trace.error, distance(model, trace.q, point), atol=1e-10)
        if start is not None:
            np.testing.assert_allclose(model.difference(start, trace.q[0]), 0.0, atol=1e-14)
        best = int(np.argmin(trace.error))
        if not options.get("rest_bias"):
            assert trace.error[best] == pytest.approx(trace.solution.error, abs=1e-10)
        if (kind, solver) != ("hinges", "lm"):  # whose other attempts begin anew, too
            assert len(trace.restarted_at) == trace.solution.restarts


@pytest.mark.parametrize("solver", ["dls", "lm"])
def test_a_long_trace_is_the_solve_watched(solver):
    tree = branching_tree()
    point = 3.0 * tree.pose(tree.random(5), "left")[:3, 3]
    goals = [Position(frame="left", target=point), Position(frame="right", target=point)]
    for options in ({}, {"restarts": 0}):
        trace = watched(tree, goals, start=tree.random(4), solver=solver, iterations=1500, **options)
        assert not trace.solution.success


def test_a_goal_whose_weights_are_in_its_way_is_watched_as_it_is_solved():
    goal = Pose(target=PANDA.pose(PANDA.random(0)), weights=(1.0, 1.0, 1.0, 1e-6, 1e-6, 1e-6))
    trace = watched(PANDA, goal, start=PANDA.random(50), iterations=40)
    assert trace.solution.success


@pytest.mark.parametrize("solver", ["dls", "ccd"])
def test_iterate_yields_the_rows_of_the_trace(solver):
    arm = limited("planar")
    for point in hard_points(arm, 5):
        trace = arm.trace(point, solver=solver, iterations=100)
        rows = list(arm.iterate(point, solver=solver, iterations=100))
        assert [row.iteration for row in rows] == list(range(len(trace)))
        assert rows[0].note == "start"
        assert {k for k, row in enumerate(rows) if row.note == "restart"} == set(trace.restarted_at)
        if trace.iterations and trace.iterations not in trace.restarted_at:
            assert rows[-1].note == "end"
        for row, q, error in zip(rows, trace.q, trace.error, strict=True):
            assert row.q.tobytes() == q.tobytes()
            assert row.error == error


@pytest.mark.parametrize("solver", TURNING)
def test_a_trace_of_a_pose_counts_a_radian_as_half_of_the_reach(solver):
    wanted = PANDA.pose(PANDA.random(1))
    trace = PANDA.trace(Pose(target=wanted), solver=solver, iterations=60, restarts=0)
    weight = 0.5 * PANDA.reach()
    final = trace.solution
    assert trace.error[-1] == pytest.approx(np.hypot(final.error, weight * final.error_rotation), rel=1e-9)


@pytest.mark.parametrize("solver", IN_SPACE)
def test_a_trace_of_a_branch_has_the_configurations_of_the_whole_tree(solver):
    tree = branching_tree()
    start = tree.random(4)
    point = tree.pose(tree.random(5), "left")[:3, 3]
    trace = tree.trace(Position(frame="left", target=point), solver=solver, start=start)
    assert trace.q.shape == (trace.iterations + 1, tree.nq)
    np.testing.assert_allclose(distance(tree, trace.q, point, "left"), trace.error, atol=1e-11)
    assert tree.is_within_limits(trace.q).all()


# --- options ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS)
def test_restarts_are_at_most_as_many_as_asked_for(solver):
    arm = limbik.planar_arm(4, 1.0, limits=0.3)
    for restarts in (0, 1, 5):
        solution = arm.solve([-2.0, 1.0, 0.0], solver=solver, restarts=restarts)
        assert not solution.success
        assert solution.restarts == restarts


@pytest.mark.parametrize("solver", SOLVERS)
def test_switched_off_limits_are_not_looked_at(solver):
    arm, point = limbik.planar_arm(4, 1.0, limits=0.2), [-2.0, 1.0, 0.0]
    assert not arm.solve(point, solver=solver, iterations=500).success
    free = arm.solve(point, solver=solver, limits=False)
    assert free.success
    assert not arm.is_within_limits(free.q)
    assert same(free, limbik.planar_arm(4, 1.0).solve(point, solver=solver))


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_smaller_tolerance_costs_iterations_and_is_kept(solver):
    arm = limbik.planar_arm(5, 1.0)
    counts = []
    for tolerance in (1e-1, 1e-3, 1e-6, 1e-10):
        solution = arm.solve([2.0, 3.0, 0.0], solver=solver, tolerance=tolerance)
        assert solution.success
        assert solution.error <= tolerance
        counts.append(solution.iterations)
    assert counts == sorted(counts)


def test_a_loose_rotation_is_enough_where_it_is_asked_for():
    wanted = PANDA.pose(PANDA.random(2))
    loose = PANDA.solve(wanted, tolerance=1e-2, tolerance_rotation=0.3)
    strict = PANDA.solve(wanted, tolerance=1e-8, tolerance_rotation=1e-8)
    assert loose.success
    assert strict.success
    assert strict.error_rotation <= 1e-8
    assert loose.iterations < strict.iterations


# --- in threads, in copies ----------------------------------------------------------------------------------


def test_many_solves_at_once_give_the_answers_of_one_after_the_other():
    models = [*arms().values(), limited("planar"), limited("ball"), PANDA]
    tasks = [
        (model, solver, point)
        for model in models
        for solver in ("ccd", "dls", "sdls")
        for point in hard_points(model, 12)
    ]

    def ask(task):
        model, solver, point = task
        return model.solve(point, solver=solver, iterations=300, seed=3)

    serial = [ask(task) for task in tasks]
    with ThreadPoolExecutor(8) as pool:
        parallel = list(pool.map(ask, tasks))
    assert all(same(a, b) for a, b in zip(serial, parallel, strict=True))


def test_threads_that_make_their_first_solve_together_all_get_an_answer():
    arm = limbik.planar_arm(7, 0.3)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda k: arm.solve([0.5, 1.0, 0.0], iterations=50 + k % 3), range(64)))
    assert len({answer.q.tobytes() for answer in answers}) == 1


@pytest.mark.slow
def test_models_that_have_solved_can_be_pickled():
    arm = limited("ball")
    arm.solve([1.0, 2.0, 0.0], solver="fabrik")
    copy = pickle.loads(pickle.dumps(arm))
    a, b = (model.trace([1.0, 2.0, 0.0], solver="ccd") for model in (arm, copy))
    assert same(a.solution, b.solution)
    again = pickle.loads(pickle.dumps(a))
    assert same(again.solution, a.solution)
    assert again.error.tobytes() == a.error.tobytes()


@pytest.mark.slow
def test_a_model_does_not_grow_with_every_solve():
    arm = limbik.planar_arm(3, 1.0)
    for k in range(400):
        arm.solve([1.0, 1.0, 0.0], tolerance=1e-6 * (1.0 + 1e-3 * k), iterations=5)
    assert len(PLANS.get(arm)) <= 300
    tool = np.eye(4)
    for k in range(400):
        tool[0, 3] = 1e-3 * k
        arm.solve([9.0, 9.0, 0.0], tool=tool, iterations=1).explain()
    assert sum(map(len, (PLANS.get(arm), REACH_BOUNDS.get(arm)))) <= 600
