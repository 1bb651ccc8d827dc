"""Pushes out of collision keep the goals, whoever runs them."""

from typing import Any

import numpy as np
import pytest

import limbik
from limbik.collision import Sphere, World
from limbik.collision.check import checker_of
from limbik.collision.checker import Checker
from limbik.compiler.call import Call
from limbik.request import Request
from limbik.solvers import push_out
from limbik.solvers.push_out import PushOut
from limbik.spatial import Array

PANDA = limbik.load("panda")
Q = np.array([0.2, 0.4, -0.1, -1.7, 0.1, 2.0, 0.3])
BALL = PANDA.pose(Q, "link4")[:3, 3] + np.array([0.0, 0.11, 0.02])
CLEARANCE = 0.01


def pushed(goals: tuple[limbik.Goal, ...], q: Array = Q) -> tuple[PushOut, Checker]:
    """A push of a Panda whose elbow is a little inside a ball."""
    world = World()
    world.add("ball", Sphere(0.06), BALL)
    checker = checker_of(PANDA, world)
    assert not checker.is_free(q)
    request = Request(model=PANDA, goals=goals, solver="lm", options={})
    return PushOut(request, checker, CLEARANCE, np.ones(PANDA.nv)), checker


def the_goal() -> limbik.Goal:
    return limbik.Pose(frame="flange", target=PANDA.pose(Q, "flange"))


@pytest.mark.slow
def test_a_push_ends_where_everything_is_apart_and_the_goals_are_met() -> None:
    pushing, checker = pushed((the_goal(),))
    found = pushing.push(Q)
    assert found is not None
    assert checker.distance(found) >= CLEARANCE
    np.testing.assert_allclose(PANDA.pose(found, "flange"), PANDA.pose(Q, "flange"), atol=1e-3)
    assert (found >= PANDA.lower).all()
    assert (found <= PANDA.upper).all()


def test_python_pushes_as_machine_code_does(monkeypatch: pytest.MonkeyPatch) -> None:
    found = pushed((the_goal(),))[0].push(Q)
    monkeypatch.setattr(Call, "run", Call.interpret)
    np.testing.assert_allclose(pushed((the_goal(),))[0].push(Q), found, atol=1e-9)


def test_room_is_made_for_all_near_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    found = pushed((the_goal(),))[0].push(Q)
    monkeypatch.setattr(push_out, "FIRST_PAIRS", 0)
    np.testing.assert_array_equal(pushed((the_goal(),))[0].push(Q), found)


def test_a_push_ends_with_its_watch() -> None:
    pushing, _ = pushed((the_goal(),))
    looks = []
    assert pushing.push(Q, lambda: len(looks.append(1) or looks) > 1) is None
    assert len(looks) == 2  # one for each step
    assert pushing.push(Q) is not None


def test_nothing_is_pushed_where_too_much_is_near(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push_out, "FIRST_PAIRS", 0)
    monkeypatch.setattr(push_out, "MAX_PAIRS", 0)
    assert pushed((the_goal(),))[0].push(Q) is None


def test_goals_of_a_lower_priority_do_not_hold_a_push_back() -> None:
    posture = limbik.Posture(q=Q, priority=1)
    pushing, checker = pushed((the_goal(), posture))
    found = pushing.push(Q)
    assert found is not None
    assert checker.is_free(found, CLEARANCE)


def test_what_may_not_move_keeps_still_and_a_push_that_is_barred_says_so() -> None:
    pushing, _ = pushed((the_goal(),))
    moving: Any = np.zeros(PANDA.nv)
    request = Request(model=PANDA, goals=(the_goal(),), solver="lm", options={})
    still = PushOut(request, checker_of(PANDA, World()), CLEARANCE, moving)
    assert still.push(Q) is not None  # nothing is in the way
    ball = limbik.Position(frame="flange", target=BALL)
    assert pushed((ball,))[0].push(Q) is None  # the goal is in the ball
    assert pushing.push(Q) is not None
