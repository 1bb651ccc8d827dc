"""What ends a solve early: the clock, Ctrl-C, and machine code that is ready."""

import os
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import limbik
from fast_chains import PATIENCE, only_closed_programs
from limbik import Pose, Position, Status
from limbik.compiler import native
from limbik.errors import SolverError
from limbik.formats.source import Source

ENDLESS = 10**9  # iterations
TIMES = [{}, {"time_limit": 0.5}, {"time_limit": 0.7}, {"time_limit": None}]
FORBIDDEN = (-0.6, 0.2, 0.0)  # within reach, but not within limits: no proof ends a search for it

# Solves that would take hours, by what runs them.
SOLVES = {
    "general core": "arm.solve(two, **OPTIONS)",
    "ccd on a tree": "arm.solve(two, solver='ccd', **OPTIONS)",
    "dls on a chain": "arm.solve(FORBIDDEN, solver='dls', **OPTIONS)",
    "fabrik on a chain": "arm.solve(FORBIDDEN, solver='fabrik', **OPTIONS)",
    "fast core": "arm.solve(pose, **OPTIONS)",
    "batch": "arm.solve_batch([pose] * 2100, threads=2, **OPTIONS)",
}
SETUP = f"""
import signal
import numpy as np
import limbik
from limbik import Position
FORBIDDEN = {FORBIDDEN}
arm = limbik.planar_arm(3, 0.3, limits=1.5)
two = [Position(target=FORBIDDEN), Position(frame='link3', target=(-0.3, 0.3, 0.0))]
pose = np.eye(4)
pose[0, 3] = -0.2  # behind the base: the elbow allows it, the first joint does not
"""


def outcome(text, **options):
    names = {}
    exec(SETUP, names)
    names["OPTIONS"] = options
    return eval(text, names)


@pytest.mark.slow
@pytest.mark.parametrize("name", SOLVES)
def test_the_clock_ends_every_solve(name):
    solution = outcome(SOLVES[name], iterations=ENDLESS, time_limit=0.1)
    assert not np.any(solution.success)
    assert np.isfinite(solution.q).all()
    assert np.all(limbik.planar_arm(3, 0.3, limits=1.5).is_within_limits(solution.q))
    if name == "batch":
        assert (solution.iterations < ENDLESS).all()
        assert np.isfinite(solution.error).all()
    else:
        assert solution.ended is Status.BUDGET_SPENT
        assert solution.iterations < ENDLESS


def test_uneven_weights_that_are_solved_for_twice_share_the_time() -> None:
    """Two goals that pull apart: first as they are weighed, then evenly, each for half of the time."""
    arm = limbik.planar_arm(3, 0.3, limits=1.5)
    goals = [Position(target=FORBIDDEN, weight=0.3), Position(frame="link3", target=(-0.3, 0.3, 0.0))]
    began = time.perf_counter()
    solution = arm.solve(goals, iterations=ENDLESS, time_limit=0.2)
    elapsed = time.perf_counter() - began
    assert solution.ended is Status.BUDGET_SPENT
    assert 0.9 * elapsed < solution.time <= elapsed
    assert arm.trace(goals, iterations=300, time_limit=60.0).solution.q.tolist()
    with pytest.raises(SolverError, match="`time_limit` needs a positive time"):
        arm.solve(goals, time_limit="soon")


def test_goals_of_a_lower_priority_have_no_time_of_their_own() -> None:
    """Their iterations take a millisecond each on a humanoid: the clock is looked at before each."""
    arm = limbik.planar_arm(6, 0.3)
    q = np.linspace(0.2, 0.7, 6)
    goals = [Position(target=arm.pose(q)[:3, 3]), limbik.Posture(q=-q)]
    assert arm.solve(goals, start=q).iterations > 5
    late = arm.solve(goals, start=q, time_limit=1e-9)
    assert late.iterations == 0
    assert late.success


@pytest.mark.parametrize("weight", [1.0, 0.3])
@pytest.mark.parametrize("levels", [2, 3])
def test_goals_of_all_priorities_share_the_time(levels, weight, ticks):
    """Upper goals that are not met are solved for in two cores, of which neither has all of the time."""
    arm = limbik.planar_arm(3, 0.3, limits=1.5)
    targets = {None: FORBIDDEN, "link3": (-0.3, 0.3, 0.0), "link2": (-0.3, 0.0, 0.0)}
    goals = [
        Position(frame=frame, target=target, priority=priority, weight=weight)
        for priority, (frame, target) in enumerate(targets.items())
    ][:levels]
    arm.solve(goals, iterations=1)
    before = next(ticks)
    solution = arm.solve(goals, iterations=ENDLESS, time_limit=1.0)
    assert 900 < next(ticks) - before < 1050
    assert not solution.success


def test_a_time_limit_makes_no_plan_of_its_own():
    """A server's clients have what is left of their time, which is another number at each request."""
    arm = limbik.load("ur5e")
    pose = arm.pose(arm.random(1))
    goals = [Position(target=pose[:3, 3]), Position(frame="link4", target=(0.2, 0.3, 0.4))]
    for goal in (pose, goals):
        first, *others = (arm.solve(goal, iterations=5, **more).question for more in TIMES)
        assert all(other is first for other in others)


def test_each_branch_of_a_scene_has_what_is_left_of_the_time(ticks):
    """Its goals are solved for one branch after the other, and none can be met."""
    text = "arm 1 0 0 0\n seg 0.3 1 1\n goal -0.6 0.2 0.1\n" + "".join(
        f" br 0 2\n  seg 0.3 1 1\n  seg 0.3 1 1\n  goal -0.6 0.{k} 0.1\n endbr\n" for k in (1, 2)
    )
    scene = limbik.load_scene(Source("branches.arm", text))
    scene.solve(branches="independent", iterations=1)
    before = next(ticks)
    (solution,) = scene.solve(branches="independent", iterations=ENDLESS, time_limit=1.0)
    assert next(ticks) - before < 1100
    assert not solution.success


@pytest.mark.parametrize("start", [None, np.zeros(6)])
def test_python_looks_at_the_clock_where_the_goal_is_proved_out_of_reach(start, monkeypatch):
    """There it takes 5 ms an iteration, and it is worth 200 to come near."""
    only_closed_programs(monkeypatch)
    arm = pickle.loads(pickle.dumps(limbik.load("ur5e")))  # without plans, which may have machine code
    far = Position(target=(3.0, 2.0, 1.0))
    assert arm.solve(far, start=start).iterations > 100
    late = arm.solve(far, start=start, time_limit=1e-9)
    assert late.ended is Status.UNREACHABLE
    assert late.iterations <= 10


@pytest.mark.slow
@pytest.mark.parametrize("name", SOLVES)
def test_a_time_that_is_long_enough_changes_nothing(name):
    text = SOLVES[name].replace("2100", "210")
    free, limited = (outcome(text, iterations=60, **more) for more in ({}, {"time_limit": 60.0}))
    assert limited.q.tobytes() == free.q.tobytes()


@pytest.mark.parametrize("seed", [970, 989, 1034])
def test_such_a_time_changes_nothing_of_a_pose_out_of_reach_with_a_lower_goal(seed):
    ur5e = limbik.load("ur5e")
    far = ur5e.pose(ur5e.random(seed))
    far[:3, 3] *= 3.0
    goals = [Pose(target=far), Position(frame="link4", target=(0.2, 0.3, 0.4), priority=1)]
    free, limited = (
        ur5e.solve(goals, start=ur5e.random(seed + 5000), **more) for more in ({}, {"time_limit": 60.0})
    )
    assert limited.q.tobytes() == free.q.tobytes()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="sends signals as POSIX does")
@pytest.mark.parametrize("when", ["never", "first"])
@pytest.mark.parametrize("name", SOLVES)
def test_control_c_ends_every_solve(name, when):
    script = (
        SETUP
        + f"""
OPTIONS = {{"iterations": {ENDLESS}}}
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests run in the background
print("begins", flush=True)
try:
    {SOLVES[name]}
except KeyboardInterrupt:
    print("interrupted")
"""
    )
    environment = {**os.environ, "LIMBIK_COMPILE": when}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    with subprocess.Popen(
        [sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "begins\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=PATIENCE)
    assert said == "interrupted\n"


@pytest.fixture
def late_machine_code(monkeypatch):
    """Machine code is not there at first, and ready after some looks at it."""
    given, looks = native.compiled, []

    def compiled(program):
        looks.append(program)
        return given(program) if len(looks) > 4 else None

    monkeypatch.setattr(native, "compiled", compiled)
    return looks


LONG = {
    "general core": lambda arm: arm.solve(
        [Position(target=FORBIDDEN), Position(frame="link3", target=(-0.3, 0.3, 0.0))], iterations=200
    ),
    "dls on a tree": lambda arm: arm.solve(
        [Position(target=FORBIDDEN), Position(frame="link3", target=(-0.3, 0.3, 0.0))],
        solver="dls",
        iterations=200,
    ),
    "ccd on a chain": lambda arm: arm.solve(FORBIDDEN, solver="ccd", iterations=200),
}


@pytest.mark.parametrize("name", LONG)
def test_a_solve_under_way_goes_over_to_machine_code_and_answers_as_it_does(name, late_machine_code):
    arm = limbik.planar_arm(3, 0.3, limits=1.5)
    late = LONG[name](arm)
    assert len(late_machine_code) > 4
    at_once = LONG[name](arm)
    assert late.q.tobytes() == at_once.q.tobytes()
    assert late.iterations == at_once.iterations


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_panda", "late_machine_code")
def test_the_fast_core_and_batches_go_over_too():
    panda = limbik.load("panda")
    targets = panda.pose(panda.random(0, size=300))
    targets[::3, :3, 3] += (0.0, 0.0, 0.6)  # some of which are out of reach
    late = [limbik.load("panda").solve(target) for target in targets[:12]]
    late_batch = limbik.load("panda").solve_batch(targets)
    now = limbik.load("panda")
    for solution, target in zip(late, targets, strict=False):
        assert solution.ended is now.solve(target).ended
    assert late_batch.q.tobytes() == now.solve_batch(targets).q.tobytes()


@pytest.mark.usefixtures("compiled_panda")
def test_what_is_out_of_reach_is_as_far_off_cold_as_warm(monkeypatch):
    panda = limbik.load("panda")
    poses = panda.pose(panda.random(3, size=12))
    poses[:, :3, 3] *= 1.6
    warm = [panda.solve(Pose(target=pose)) for pose in poses]
    given = native.compiled
    monkeypatch.setattr(native, "compiled", lambda program: given(program) if program.is_closed else None)
    cold = [limbik.load("panda").solve(Pose(target=pose)) for pose in poses]
    assert [solution.ended for solution in cold] == [solution.ended for solution in warm]
    for one, other in zip(cold, warm, strict=True):
        assert one.error == pytest.approx(other.error, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["dls", "fabrik"])
def test_arms_of_very_many_links_have_the_stack_that_they_need(solver):
    arm = limbik.planar_arm(20_000, 1.0 / 20_000)
    solution = arm.solve((0.3, 0.4, 0.0), solver=solver, iterations=1, restarts=0)
    assert solution.q.shape == (20_000,)
    assert np.isfinite(solution.q).all()
