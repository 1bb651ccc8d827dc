"""Interpreted or compiled, in one thread or in several: the fast core gives the same answers."""

import copy
import threading

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import limbik
from fast_chains import only_closed_programs
from limbik import Pose, Position
from limbik.compiler import native

# Answers near their goals; where attempts are many, rounding may decide which of them arrives.
KINDS = {
    "anywhere": lambda model, target, start: model.solve(target),
    "from a start": lambda model, target, start: model.solve(target, start=start),
    "nearest": lambda model, target, start: model.solve(target, start=start, prefer="nearest"),
    "locked": lambda model, target, start: model.solve(
        target, start=start, locked=model.joint_names[2], iterations=100
    ),
    "point": lambda model, target, start: model.solve(
        Position(target=target[:3, 3]), solver="lm", start=start
    ),
    "direction": lambda model, target, start: model.solve(
        Pose(target=target, weights=(1, 1, 1, 1, 1, 0)), start=start
    ),
}


def fresh_panda():
    """A Panda of its own, which remembers no driver."""
    return copy.copy(limbik.load("panda"))


def near_goals(model, count):
    q = model.random(0, size=count)
    rng = np.random.default_rng(1)
    return model.pose(q), model.clip(q + rng.uniform(-0.1, 0.1, q.shape))


@pytest.fixture
def interpreted(monkeypatch):
    """Runs something without machine code of the fast core."""

    def run(work):
        with monkeypatch.context() as patch:
            only_closed_programs(patch)
            return work(fresh_panda())

    return run


@pytest.fixture
def with_machine_code(monkeypatch):
    """Runs something that waits for the machine code of whatever it needs."""
    given = native.compiled

    def waited(program):
        native.compile_now(program)
        return given(program)

    def run(work):
        with monkeypatch.context() as patch:
            patch.setattr(native, "compiled", waited)
            return work(fresh_panda())

    return run


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_single_solves_are_the_same_in_both_tiers(interpreted, with_machine_code, kind):
    def work(model):
        targets, starts = near_goals(model, 8)
        return [KINDS[kind](model, target, start) for target, start in zip(targets, starts, strict=True)]

    compiled, slow = with_machine_code(work), interpreted(work)
    assert [solution.ended for solution in compiled] == [solution.ended for solution in slow]
    assert_allclose([s.q for s in compiled], [s.q for s in slow], rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("from_start", [False, True])
@pytest.mark.usefixtures("compiled_panda")
def test_batches_are_the_same_in_both_tiers(interpreted, from_start):
    def work(model):
        targets, starts = near_goals(model, 100)
        return model.solve_batch(targets, start=starts if from_start else None)

    compiled, slow = work(fresh_panda()), interpreted(work)
    assert_array_equal(compiled.success, slow.success)
    assert_allclose(compiled.q, slow.q, rtol=0.0, atol=1e-9)


@pytest.mark.usefixtures("compiled_panda")
def test_a_model_goes_over_to_machine_code_as_soon_as_there_is_some(monkeypatch):
    model = fresh_panda()
    targets, starts = near_goals(model, 5)
    given = native.compiled
    asked = []

    def later(program):
        asked.append(program.name)
        return given(program) if len(asked) > 2 else None

    monkeypatch.setattr(native, "compiled", later)
    for target, start in zip(targets, starts, strict=True):
        assert model.solve(target, start=start).success
    assert len(asked) >= 3
    assert set(asked) == {"one"}


@pytest.mark.usefixtures("compiled_panda")
def test_threads_get_the_answers_that_one_gets():
    model = fresh_panda()
    targets, starts = near_goals(model, 300)
    alone = [model.solve(target).q for target in targets]
    tracked = [model.solve(t, start=s).q for t, s in zip(targets, starts, strict=True)]
    batch = model.solve_batch(targets).q
    wrong = []

    def work(seed):
        for k in np.random.default_rng(seed).permutation(300):
            if model.solve(targets[k]).q.tobytes() != alone[k].tobytes():
                wrong.append(("anywhere", k))
            if model.solve(targets[k], start=starts[k]).q.tobytes() != tracked[k].tobytes():
                wrong.append(("from a start", k))
        if model.solve_batch(targets, threads=2).q.tobytes() != batch.tobytes():
            wrong.append("batch")

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.usefixtures("compiled_panda")
def test_a_large_batch_does_not_depend_on_threads(precision):
    model = fresh_panda()
    targets = model.pose(model.random(0, size=20_000))
    one, two, three = (model.solve_batch(targets, threads=k, precision=precision) for k in (1, 2, 3))
    assert one.success.mean() > 0.999
    for other in (two, three):
        assert other.q.tobytes() == one.q.tobytes()
        assert other.outcome.tobytes() == one.outcome.tobytes()
