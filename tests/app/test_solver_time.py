"""The time of one iteration, without what a call costs."""

import json
import math
import time

import pytest

from limbik import planar_arm, solvers
from limbik.app.protocol import parse
from limbik.app.session import Session
from limbik.app.solver_time import iteration_microseconds

CALL = 2e-3  # [s]
ITERATION = 1e-3


def wait(seconds):
    """As a solver that computes, not as one that sleeps."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def test_what_a_call_costs_is_left_out():
    def solve(start, end):
        iterations = 0 if start is end else 4
        wait(CALL + iterations * ITERATION)
        return iterations

    found = iteration_microseconds(planar_arm(3), solve)
    with_the_call = 1e6 * (CALL / 4 + ITERATION)
    assert abs(found - 1e6 * ITERATION) < abs(found - with_the_call)


def test_what_makes_no_iteration_has_no_time():
    assert math.isnan(iteration_microseconds(planar_arm(3), lambda start, end: 0))


@pytest.mark.parametrize("timing", [False, True])
def test_a_page_is_told_where_it_asks(timing):
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
