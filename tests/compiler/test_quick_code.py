"""Machine code that is made quickly, and runs until there is the full one: the same answers."""

import copy

import numpy as np
import pytest

import limbik
from limbik.collision import Box, World
from limbik.compiler import build, native
from limbik.compiler.callables import Entry
from limbik.compiler.program import Program
from limbik.solvers.plans import plan_for

TARGETS = 6


def made(program: Program, level: int):
    """The function of machine code that is made now."""
    text = native._linked(program)
    code = build.machine_code(native._bitcode(program).read_bytes(), text, program.is_closed, level)
    return Entry(native._engine(code))


@pytest.fixture
def at_level(monkeypatch):
    """Runs something by machine code of a level alone."""

    def run(level, work):
        entries = {}

        def compiled(program):
            if program not in entries:
                entries[program] = made(program, level)
            return entries[program].function

        with monkeypatch.context() as patch:
            patch.setattr(native, "compiled", compiled)
            return work()

    return run


def fresh(name: str) -> limbik.Model:
    """A model that remembers no program."""
    return copy.copy(limbik.load(name))


def single_chains():
    panda = fresh("panda")
    targets = panda.pose(panda.random(0, size=TARGETS))
    yield from (panda.solve(target).q for target in targets)
    yield panda.solve_batch(targets).q


def trees():
    panda = fresh("panda")
    target = panda.pose(panda.random(0))
    for factor in (1.0, 3.0):
        target[:3, 3] *= factor
        yield panda.solve([limbik.Pose(target=target), limbik.Posture(q=panda.neutral, priority=1)]).q
        for solver in ("ccd", "fabrik", "dls"):
            yield panda.solve(target, solver=solver, iterations=50).q


def all_configurations():
    arm = limbik.ModelBuilder("general")
    for k, axis in enumerate(((0, 0, 1), (0.6, 0, 0.8), (0, 1, 0), (0.8, 0, 0.6), (0, 0.6, 0.8), (1, 0, 0))):
        arm = arm.revolute(f"j{k}", axis=axis, origin=(0.1 + 0.03 * k, 0.02 * k, 0.2), limits=3.0)
    for model in (fresh("ur5e"), arm.frame("tip", pose=(0.1, 0.0, 0.1)).build(end_effector="tip")):
        yield model.solve_all(model.pose(model.random(1))).q
    ur = fresh("ur5e")
    yield ur.solve_all_batch(ur.pose(ur.random(2, size=20))).q


def steps():
    panda = fresh("panda")
    tracker = panda.tracker(limbik.Pose(target=panda.pose(panda.random(3))))
    for _ in range(60):
        yield tracker.step().copy()


def collisions():
    panda = fresh("panda")
    world = World()
    world.add("box", Box((0.2, 0.2, 0.2)), (0.4, 0.2, 0.4))
    yield from (np.array(panda.check(q, world).distance) for q in panda.random(4, size=TARGETS))
    tracker = panda.tracker(limbik.Pose(target=panda.pose(panda.random(3))), world=world)
    yield from (tracker.step().copy() for _ in range(30))


@pytest.mark.parametrize("work", [trees, all_configurations, steps, collisions, single_chains])
def test_quick_code_gives_the_answers_of_the_full_one(at_level, work):
    """Bit by bit, but where full code multiplies and adds in one rounding: in the core for single chains."""
    quick, full = (at_level(level, lambda: list(work())) for level in (build.QUICK, build.FULL))
    assert len(quick) == len(full) > 1
    for one, other in zip(quick, full, strict=True):
        np.testing.assert_allclose(one, other, rtol=0.0, atol=1e-9 if work is single_chains else 0.0)


def test_whoever_holds_the_function_runs_the_full_code_when_it_is_there():
    model = copy.copy(limbik.planar_arm(3, 0.4))
    plan = plan_for(model, None, limbik.Position, {})
    loaded = native.Build(plan.program)
    text, bitcode = native._linked(plan.program), native._bitcode(plan.program).read_bytes()
    answers = []
    for level in (build.QUICK, build.FULL):
        loaded.load(build.machine_code(bitcode, text, plan.program.is_closed, level))
        plan._solve_one = plan._solve_one or loaded.function
        answers.append(plan.solve_pose(model.pose([0.1, 0.2, 0.3]), None).q)
    assert plan._solve_one is loaded.function
    np.testing.assert_array_equal(*answers)
