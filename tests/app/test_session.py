"""A session: where the arms stand, what the solvers are told, and what is measured."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limbik import solvers
from limbik.app.protocol import parse
from limbik.app.session import (
    SOLVERS,
    Session,
    arm,
    count_violations,
    first_within,
    neutral_bend,
    warm_up,
    wrap,
)
from limbik.compiler import native

ALL = list(SOLVERS)
BASE = (400.0, 360.0)


def request(**changes):
    """A request as a page sends it."""
    options = {"iterations": 64, "lambda": 0.5, "gamma": 1, "damping": 1, **changes.pop("settings", {})}
    message = {
        "type": "solve",
        "id": 1,
        "links": 6,
        "length": 80,
        "base": BASE,
        "target": (520, 200),
        "solvers": ["dls"],
        "settings": options,
        **changes,
    }
    return parse(json.dumps(message), solvers.names())


def drawn_tip(q, length, base=BASE):
    """Where the page draws the end effector: link by link, y down."""
    x, y, heading = *base, 0.0
    for angle in q:
        heading += angle
        x += length * math.cos(heading)
        y -= length * math.sin(heading)
    return np.array([x, y])


def settle(session, times=100, **changes):
    """Ask for the same target until nothing more is to be expected."""
    for _ in range(times):
        frame = session.solve(request(**changes))
        if all(arm.status == "solved" for arm in frame.arms):
            break
    return frame


@pytest.mark.parametrize("solver", ALL)
def test_the_drawn_arm_reaches_the_target(solver):
    answer = settle(Session(), solvers=[solver]).arms[0]
    assert answer.solver == solver
    assert answer.status == "solved"
    assert np.linalg.norm(drawn_tip(answer.q, 80) - (520, 200)) <= 0.1 + 1e-3


@pytest.mark.parametrize("solver", ALL)
def test_errors_are_the_drawn_distances_at_every_iteration(solver):
    answer = Session().solve(request(solvers=[solver], trace=True, settings={"iterations": 8})).arms[0]
    assert answer.iterations == len(answer.errors) - 1 == len(answer.trace) - 1
    drawn = [np.linalg.norm(drawn_tip(q, 80) - (520, 200)) for q in answer.trace]
    np.testing.assert_allclose(answer.errors, drawn, atol=1e-6)
    np.testing.assert_allclose(answer.trace[-1], answer.q, atol=1e-6)


def test_an_arm_goes_on_from_where_it_stands():
    session = Session()
    first = session.solve(request(settings={"iterations": 2})).arms[0]
    second = session.solve(request(settings={"iterations": 2}, trace=True)).arms[0]
    np.testing.assert_allclose(second.trace[0], wrap(first.q))


def test_arms_do_not_share_their_place():
    session = Session()
    session.solve(request(solvers=["ccd"]))
    answer = session.solve(request(solvers=["fabrik"], trace=True)).arms[0]
    np.testing.assert_allclose(answer.trace[0], neutral_bend(6))


def test_reset_sends_every_arm_to_the_neutral_bend():
    session = Session()
    session.solve(request(solvers=ALL))
    session.reset()
    for answer in session.solve(request(solvers=ALL, trace=True)).arms:
        np.testing.assert_allclose(answer.trace[0], neutral_bend(6))


def test_a_given_start_is_where_the_arm_begins():
    start = [0.3, -0.2, 0.1, 0.5, 1.0, -1.0]
    session = Session()
    session.solve(request(solvers=["ccd", "dls"]))
    before = session.solve(request(solvers=["dls"], settings={"iterations": 1})).arms[0]
    ccd, dls = session.solve(request(solvers=["ccd", "dls"], start={"ccd": start}, trace=True)).arms
    np.testing.assert_allclose(ccd.trace[0], start)
    np.testing.assert_allclose(dls.trace[0], wrap(before.q))


@pytest.mark.parametrize("links", [2, 4, 9, 64])
def test_another_number_of_links_keeps_the_leading_angles_and_pads_zeros(links):
    session = Session()
    first = session.solve(request()).arms[0]
    answer = session.solve(request(links=links, trace=True)).arms[0]
    kept = min(6, links)
    np.testing.assert_allclose(answer.trace[0][:kept], wrap(first.q)[:kept])
    np.testing.assert_array_equal(answer.trace[0][kept:], 0)


def test_arms_come_in_the_order_asked():
    order = list(reversed(ALL))
    frame = Session().solve(request(solvers=order, id=42))
    assert frame.id == 42
    assert [answer.solver for answer in frame.arms] == order


def test_traces_are_sent_only_where_asked():
    session = Session()
    assert session.solve(request()).arms[0].trace is None
    assert session.solve(request(trace=True, target=[300, 300])).arms[0].trace is not None


@pytest.mark.parametrize("solver", ALL)
@pytest.mark.parametrize("degrees", [10, 30, 90, 180])
def test_limits_hold_at_every_iteration_even_when_they_tighten(solver, degrees):
    session = Session()
    limit = math.radians(degrees)
    session.solve(request(solvers=[solver], start={solver: [3, -3, 2, -2, 1, -1]}, target=(250, 300)))
    for target in ((520, 200), (100, 500), (400, 360), (5000, 100)):
        answer = session.solve(
            request(
                solvers=[solver],
                target=target,
                trace=True,
                settings={"limits": True, "limit_degrees": degrees},
            )
        ).arms[0]
        assert np.abs(answer.trace).max() <= limit + 1e-9
        assert answer.violations == 0


def test_violations_are_joints_outside_at_any_iteration():
    model = arm(3, 1.0)
    inside = np.array([[0.0, 1.0, -1.0], [0.5, 0.5, 0.5]])
    assert count_violations(inside, model) == 0
    assert (
        count_violations(np.vstack([inside, [1.1, 0.0, -1.1], [1.2, 0.0, 0.0], [0.0, 0.0, 0.0]]), model) == 2
    )
    assert count_violations(np.array([[99.0, -99.0, 0.0]]), arm(3, None)) == 0


@pytest.mark.parametrize("solver", [name for name in ALL if name != "transpose-classic"])  # which jerks there
def test_out_of_reach_the_arm_settles_and_stays(solver):
    session = Session()
    for _ in range(60):
        session.solve(request(solvers=[solver], target=(4000, 360)))
    last = session.solve(request(solvers=[solver], target=(4000, 360))).arms[0]
    again = session.solve(request(solvers=[solver], target=(4000, 360))).arms[0]
    assert last.status != "solved"
    assert last.iterations_to_tolerance == -1
    assert last.errors[-1] == pytest.approx(3600 - 6 * 80, abs=1)
    assert np.linalg.norm(drawn_tip(last.q, 80) - drawn_tip(again.q, 80)) < 1


def test_the_first_iteration_within_the_tolerance_is_told():
    assert first_within(np.array([3.0, 2.0, 1.0, 0.5]), 1.0) == 2
    assert first_within(np.array([0.5]), 1.0) == 0
    assert first_within(np.array([3.0, 2.0]), 1.0) == -1


def test_the_rest_pose_pulls():
    rest = [1.0, -0.5, -0.5, -0.5, -0.5, -0.5]
    target = drawn_tip(rest, 80)
    far = {"dls": [0.2, 0.8, 0.3, -1.0, 1.0, 0.3]}

    def distance(bias):
        session = Session()
        settings = {"rest": rest, "rest_bias": bias, "iterations": 16}
        session.solve(request(target=tuple(target), start=far, settings=settings))
        answer = settle(session, target=tuple(target), settings=settings, times=30)
        return np.linalg.norm(wrap(answer.arms[0].q - rest))

    assert distance(0.3) < distance(0.0)


def test_an_arm_that_turned_many_times_still_fits_its_limits():
    start = {"dls": [20 * math.pi + 0.1, -14 * math.pi, 0, 0, 0, 0.1]}
    options = {"limits": True, "limit_degrees": 90}
    answer = Session().solve(request(start=start, trace=True, settings=options)).arms[0]
    np.testing.assert_allclose(answer.trace[0], [0.1, 0, 0, 0, 0, 0.1], atol=1e-9)


@pytest.mark.parametrize("solver", ["dls", "lm"])
def test_nothing_is_compiled_ahead_that_arms_in_the_plane_are_not_moved_with(solver, monkeypatch):
    def refuse(name, shape):
        raise AssertionError(f"{name} is for poses and batches")

    monkeypatch.setattr(native, "compile_now", refuse)
    warm_up(solver)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8))
def test_wrapping_keeps_the_pose(angles):
    q = np.array(angles)
    wrapped = wrap(q)
    assert np.abs(wrapped).max() <= math.pi + 1e-9
    np.testing.assert_allclose(np.exp(1j * wrapped), np.exp(1j * q), atol=1e-8)


@settings(deadline=None, max_examples=60)
@given(
    links=st.integers(2, 64),
    length=st.floats(10, 300),
    target=st.tuples(st.floats(-1e5, 1e5), st.floats(-1e5, 1e5))
    | st.tuples(st.floats(200, 600), st.floats(200, 600))
    | st.just(BASE),
    angle=st.floats(-10, 10),
    iterations=st.integers(1, 64),
    damping=st.floats(0.05, 1),
    lambda_=st.sampled_from([0, 1e-6, 0.1, 3, 10]),
    limits=st.booleans(),
    limit_degrees=st.floats(10, 180),
    rest_bias=st.sampled_from([0, 0.1, 0.5]),
    tolerance=st.sampled_from([0.001, 0.1, 100]),
)
def test_whatever_a_page_may_ask_every_arm_answers_with_finite_numbers(
    links, length, target, angle, lambda_, **options
):
    frame = Session().solve(
        request(
            links=links,
            length=length,
            target=target,
            solvers=ALL,
            start={name: [angle] * links for name in ALL},
            settings={"lambda": lambda_, **options},
            trace=True,
        )
    )
    for answer in frame.arms:
        assert np.isfinite(answer.q).all()
        assert np.isfinite(answer.errors).all()
        assert answer.status in {"solved", "unreachable", "likely_unreachable", "budget_spent"}
        assert answer.iterations <= options["iterations"]
        assert answer.violations == 0
        assert (answer.status == "solved") == (answer.errors[-1] <= options["tolerance"] * (1 + 1e-9))
        error = np.linalg.norm(drawn_tip(answer.q, length) - target)
        assert answer.errors[-1] == pytest.approx(error, rel=1e-9, abs=1e-6)
