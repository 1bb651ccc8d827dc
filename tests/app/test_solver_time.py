"""The time of one iteration, without what a call costs."""

import itertools
import json
import math

import pytest

from limbik import planar_arm, solvers
from limbik.app import solver_time
from limbik.app.protocol import parse
from limbik.app.session import Session

CALL = 60e-6  # [s]
ITERATION = 0.5e-6


def test_what_a_call_costs_is_left_out(monkeypatch):
    calls = itertools.count()
    passed = 0.0

    def solve(start, end):
        nonlocal passed
        iterations = 0 if start is end else 4
        passed += CALL + iterations * ITERATION + (1e-3 if next(calls) % 5 == 0 else 0.0)
        return iterations

    monkeypatch.setattr(solver_time, "_clock", lambda: passed)
    found = solver_time.iteration_microseconds(planar_arm(3), solve)
    assert found == pytest.approx(1e6 * ITERATION)


def test_a_time_that_is_lost_in_the_noise_is_measured_again(monkeypatch):
    passed = 0.0

    def solve(start, end):
        nonlocal passed
        passed += CALL + (0.0 if start is end else 1e-9)
        return 4

    monkeypatch.setattr(solver_time, "_clock", lambda: passed)
    assert solver_time.iteration_microseconds(planar_arm(3), solve) is None


def test_what_makes_no_iteration_has_no_time():
    assert math.isnan(solver_time.iteration_microseconds(planar_arm(3), lambda start, end: 0))


def test_the_first_answer_is_timed_when_it_is_made_again():
    model, calls = planar_arm(3), []
    for question, count in (("one", 2), ("one", 3), ("another", 5)):
        answer, microseconds = solver_time.timed(model, question, lambda: calls.append(0) or len(calls))
        assert answer == len(calls) == count
        assert 0.0 <= microseconds < 1e6


@pytest.mark.parametrize("timing", [False, True])
def test_a_page_is_told_where_it_asks(timing, monkeypatch):
    def timed(solve, start, end):
        iterations = solve(start, end)
        return CALL + iterations * ITERATION, iterations

    monkeypatch.setattr(solver_time, "_timed", timed)  # what else the machine does may hide an iteration
    message = {
        "type": "solve",
        "id": 1,
        "links": 4,
        "length": 80,
        "base": [400, 360],
        "target": [520, 200],
        "solvers": ["ccd", "jt"],
        "timing": timing,
    }
    request = parse(json.dumps(message), solvers.names())
    for answer in Session().solve(request).arms:
        assert (answer.iteration_microseconds is not None) == timing
    for answer in Session().solve(request, time_limit=10.0).arms:  # interpreted
        assert answer.iteration_microseconds is None
        assert math.isnan(answer.microseconds)
