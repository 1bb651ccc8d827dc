"""Interpreted or as machine code: the same answer, to the last bit where kernels are Numba's."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from limbik import Direction, JointValue, Model, Position
from limbik.compiler import native
from limbik.motion.programs import tracker
from limbik.solvers import get
from limbik.solvers.classical_plan import method_of
from limbik.tree.programs import by_method, general

PANDA = limbik.load("panda")
Q = PANDA.random(1, 6)


def goals(model: Model, q: np.ndarray) -> list[limbik.Goal]:
    """A point, a direction, and a lower goal that pulls at both."""
    pose = model.pose(q)
    return [
        Position(target=pose[:3, 3]),
        Direction(axis=[0, 0, 1], target=pose[:3, 2]),
        JointValue(joint=model.joint_names[0], value=0.3, priority=1),
    ]


def far_point(model: Model, q: np.ndarray) -> list[limbik.Goal]:
    """Out of reach, beside a point for the elbow, so that it is solved as a tree."""
    here = model.pose(q, model.joints[3].child)[:3, 3]
    return [Position(target=4.0 * model.pose(q)[:3, 3]), Position(target=here, frame=model.joints[3].child)]


def beyond_reach(model: Model, q: np.ndarray) -> list[limbik.Goal]:
    return [Position(target=4.0 * model.pose(q)[:3, 3]), JointValue(joint=model.joint_names[1], value=0.2)]


CASES = {
    "several goals": (general, goals, {}),
    "out of reach": (general, beyond_reach, {"restarts": 1}),
    "best": (general, beyond_reach, {"mode": "best"}),
    "dls": (
        lambda: by_method(method_of(get("dls"))),
        beyond_reach,
        {"solver": "dls", "restarts": 0, "iterations": 50},
    ),
    "ccd": (
        lambda: by_method(method_of(get("ccd"))),
        far_point,
        {"solver": "ccd", "restarts": 0, "iterations": 50},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_machine_code_gives_the_bits_that_python_gives(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program, asked, options = CASES[name]
    native.compile_now(program())
    compiled = [PANDA.solve(asked(PANDA, q), start=Q[0], **options) for q in Q]
    monkeypatch.setattr(native, "compiled", lambda program: None)
    for q, solution in zip(Q, compiled, strict=True):
        again = PANDA.solve(asked(PANDA, q), start=Q[0], **options)
        assert again.q.tobytes() == solution.q.tobytes()
        assert (again.ended, again.iterations) == (solution.ended, solution.iterations)


@pytest.mark.slow
def test_trackers_move_by_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    native.compile_now(tracker())
    ways = []
    for _ in range(2):
        tracked = PANDA.tracker(goals(PANDA, Q[1]), dt=0.01, start=Q[0])
        ways.append(np.array([tracked.step() for _ in range(10)]))
        monkeypatch.setattr(native, "compiled", lambda program: None)
    assert ways[0].tobytes() == ways[1].tobytes()
