"""The messages: what is accepted, what is refused and how, and that nothing else can happen."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limbik import solvers
from limbik.app.protocol import (
    BOUNDS,
    MAX_MESSAGE_BYTES,
    Failure,
    Hello,
    MessageError,
    Notice,
    PlaneArmReply,
    PlaneSolveReply,
    PlaneSolveRequest,
    ResetRequest,
    Welcome,
    decode_plane_solve,
    parse,
)

KNOWN = ("ccd", "fabrik", "jt", "pinv", "dls", "sdls", "newton")
SOLVE = {
    "type": "solve",
    "id": 7,
    "links": 3,
    "length": 80,
    "base": [400, 360],
    "target": [520, 200.5],
    "solvers": ["ccd", "dls"],
}
NUMBERS = ("id", "links", "length")
SETTINGS = ("iterations", "gamma", "lambda", "damping", "limit_degrees", "rest_bias", "tolerance")


def solve_text(**changes):
    return json.dumps({**SOLVE, **changes})


def refused(text):
    with pytest.raises(MessageError) as caught:
        parse(text, KNOWN)
    return caught.value


def reject_constant(name):
    raise AssertionError(f"{name} is not JSON")


# What is accepted


def test_a_short_solve_has_the_defaults_of_the_bounds():
    request = parse(solve_text(), KNOWN)
    assert isinstance(request, PlaneSolveRequest)
    assert (request.id, request.links, request.length, request.solvers) == (7, 3, 80.0, ("ccd", "dls"))
    np.testing.assert_array_equal(request.target, [520, 200.5])
    assert dict(request.start) == {}
    assert request.trace is False
    settings = request.settings
    assert settings.rest is None
    assert settings.limits is False
    for name in SETTINGS:
        assert getattr(settings, {"lambda": "lambda_"}.get(name, name)) == BOUNDS[name].default


def test_a_full_solve_is_read_entry_by_entry():
    settings = {
        "iterations": 20,
        "gamma": 0.5,
        "lambda": 2,
        "damping": 1,
        "limits": True,
        "limit_degrees": 45,
        "rest_bias": 0.25,
        "rest": [0.1, 0.2, -3],
        "tolerance": 0.5,
    }
    start = {"ccd": [1, 2, 3], "jt": [0, 0, 0.5]}
    request = parse(solve_text(settings=settings, start=start, trace=True), KNOWN)
    assert isinstance(request, PlaneSolveRequest)
    assert request.settings.limits is True
    assert request.settings.lambda_ == 2.0
    np.testing.assert_array_equal(request.settings.rest, [0.1, 0.2, -3])
    assert list(request.start) == ["ccd", "jt"]
    np.testing.assert_array_equal(request.start["jt"], [0, 0, 0.5])
    assert request.trace is True


def test_null_means_left_out_for_settings_start_and_rest():
    request = parse(solve_text(settings=None, start=None), KNOWN)
    assert isinstance(request, PlaneSolveRequest)
    assert parse(solve_text(settings={"rest": None}), KNOWN).settings.rest is None


def test_hello_and_reset():
    assert parse('{"type": "hello", "version": 1}', KNOWN) == Hello(version=1)
    assert parse('{"type": "reset"}', KNOWN) == ResetRequest()


@pytest.mark.parametrize("name", NUMBERS + SETTINGS)
def test_a_number_may_lie_on_its_bounds_and_not_beyond_them(name):
    bound = BOUNDS[name]
    step = 1 if bound.whole else 1e-6 * (1 + abs(bound.maximum))
    field = f"settings.{name}" if name in SETTINGS else name

    def text(value):
        return solve_text(settings={name: value}) if name in SETTINGS else solve_text(**{name: value})

    for value in (bound.minimum, bound.maximum):
        assert isinstance(parse(text(value), KNOWN), PlaneSolveRequest)
    for value in (bound.minimum - step, bound.maximum + step):
        error = refused(text(value))
        assert error.field == field
        assert f"{bound.minimum:g} to {bound.maximum:g}" in str(error)


def test_every_solver_accepts_everything_the_protocol_allows():
    wire_names = {"lambda_": "lambda"}
    for info in solvers.describe():
        for parameter in info.parameters:
            bound = BOUNDS.get(wire_names.get(parameter.name, parameter.name))
            if bound is None:  # a parameter of arms in space only
                continue
            for value in (bound.minimum, bound.maximum):
                solvers.get(info.name, **{parameter.name: value})


# What is refused


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"id": None}, "id"),
        ({"id": True}, "id"),
        ({"id": 1.5}, "id"),
        ({"id": "7"}, "id"),
        ({"links": 3.5}, "links"),
        ({"links": 10**400}, "links"),
        ({"links": [3]}, "links"),
        ({"length": "80"}, "length"),
        ({"length": {}}, "length"),
        ({"base": [1]}, "base"),
        ({"base": [1, 2, 3]}, "base"),
        ({"base": [1, None]}, "base"),
        ({"base": {"x": 1, "y": 2}}, "base"),
        ({"target": [1e9, 0]}, "target"),
        ({"target": "520,200"}, "target"),
        ({"solvers": []}, "solvers"),
        ({"solvers": "ccd"}, "solvers"),
        ({"solvers": ["ccd", "ccd"]}, "solvers"),
        ({"solvers": ["magic"]}, "solvers"),
        ({"solvers": [["ccd"]]}, "solvers"),
        ({"solvers": [None]}, "solvers"),
        ({"solvers": ["ccd"] * 8}, "solvers"),
        ({"settings": []}, "settings"),
        ({"settings": {"gama": 0.5}}, "settings.gama"),
        ({"settings": {"limits": 1}}, "settings.limits"),
        ({"settings": {"gamma": None}}, "settings.gamma"),
        ({"settings": {"rest": [1, 2]}}, "settings.rest"),
        ({"settings": {"rest": [1, 2, "3"]}}, "settings.rest"),
        ({"start": {"magic": [0, 0, 0]}}, "start.magic"),
        ({"start": {"ccd": [0, 0]}}, "start.ccd"),
        ({"start": {"ccd": [0, 0, 1e7]}}, "start.ccd"),
        ({"start": {"ccd": None}}, "start.ccd"),
        ({"start": [[0, 0, 0]]}, "start"),
        ({"trace": "yes"}, "trace"),
        ({"extra": 1}, "extra"),
        ({"type": "explode"}, "type"),
        ({"type": ["solve"]}, "type"),
    ],
)
def test_a_bad_entry_is_named(changes, field):
    error = refused(solve_text(**changes))
    assert error.field == field
    assert error.id == (None if "id" in changes else 7)
    assert len(str(error)) < 400


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400"])
def test_numbers_that_are_not_finite_are_refused(constant):
    text = solve_text(length=123456).replace("123456", constant)
    assert constant in text
    refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "{",
        "[1,",
        "[]",
        "null",
        "7",
        '"solve"',
        "{}",
        "\x00",
        '{"type": "\ud83d"}',
        "[" * 60_000,
        '{"a":' * 12_000,
        '{"type": "hello", "version": 7, "version": 1}',
    ],
)
def test_what_is_not_a_message_is_refused(text):
    refused(text)


def test_a_message_may_be_as_long_as_the_bound_and_no_longer():
    text = solve_text()
    padding = MAX_MESSAGE_BYTES - len(text)
    assert isinstance(parse(text + " " * padding, KNOWN), PlaneSolveRequest)
    assert str(MAX_MESSAGE_BYTES) in str(refused(text + " " * (padding + 1)))
    assert str(MAX_MESSAGE_BYTES) in str(refused('{"type": "' + "é" * (MAX_MESSAGE_BYTES // 2) + '"}'))


def test_another_version_is_told_to_reload():
    for version in ("2", "true", "null", '"1"', "[]"):
        error = refused(f'{{"type": "hello", "version": {version}}}')
        assert error.field == "version"
        assert "reload" in str(error)


def test_a_misspelled_field_is_told_the_right_one():
    assert "damping" in str(refused(solve_text(settings={"dampign": 1})))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=10,
)


@given(st.sampled_from([*SOLVE, "settings", "start", "trace"]), JSON)
def test_whatever_stands_in_an_entry_it_is_read_or_refused(name, value):
    try:
        assert isinstance(parse(solve_text(**{name: value}), KNOWN), PlaneSolveRequest | Hello | ResetRequest)
    except MessageError as error:
        Failure(message=str(error), id=error.id, field=error.field).encode().encode("ascii")


@given(st.sampled_from((*SETTINGS, "limits", "rest")), JSON)
def test_whatever_stands_in_a_setting_it_is_read_or_refused(name, value):
    try:
        settings = parse(solve_text(settings={name: value}), KNOWN).settings
        assert all(np.isfinite(getattr(settings, {"lambda": "lambda_"}.get(key, key))) for key in SETTINGS)
    except MessageError as error:
        assert error.id == 7


@given(st.text())
def test_whatever_text_arrives_it_is_refused_in_words(text):
    assert str(refused(text))


# What is sent


@given(st.integers(1, 5), st.integers(0, 4), st.booleans(), st.randoms(use_true_random=False))
def test_a_frame_survives_the_wire(links, iterations, with_trace, random):
    def floats(*shape):
        return np.array([random.uniform(-10, 10) for _ in range(math.prod(shape))], "f4").reshape(shape)

    trace = floats(iterations + 1, links)
    arm = PlaneArmReply(
        solver="ccd",
        q=trace[-1],
        errors=floats(iterations + 1),
        iterations=iterations,
        iterations_to_tolerance=-1,
        status="likely_unreachable",
        microseconds=12.5,
        violations=0,
        out_of_reach=7.25,
        trace=trace if with_trace else None,
    )
    frame = decode_plane_solve(PlaneSolveReply(id=2**53 - 1, arms=(arm, arm), server_ms=0.25).encode())
    assert (frame.id, frame.server_ms, len(frame.arms)) == (2**53 - 1, 0.25, 2)
    for got in frame.arms:
        np.testing.assert_array_equal(got.q, arm.q)
        np.testing.assert_array_equal(got.errors, arm.errors)
        if with_trace:
            np.testing.assert_array_equal(got.trace, trace)
        else:
            assert got.trace is None
        assert (got.solver, got.iterations, got.iterations_to_tolerance, got.status) == (
            "ccd",
            iterations,
            -1,
            "likely_unreachable",
        )
        assert (got.microseconds, got.violations) == (12.5, 0)


def test_the_welcome_is_strict_json_with_solvers_and_bounds():
    text = Welcome(limbik="0.1.0", solvers=solvers.describe()).encode()
    message = json.loads(text, parse_constant=reject_constant)
    assert (message["type"], message["version"], message["limbik"]) == ("welcome", 1, "0.1.0")
    assert [solver["name"] for solver in message["solvers"]] == list(solvers.names())
    assert message["bounds"]["gamma"]["minimum"] == 0.02
    assert message["bounds"]["links"]["maximum"] == 64
    names = {parameter["name"] for solver in message["solvers"] for parameter in solver["parameters"]}
    assert names <= {"damping", "gamma", "lambda_", "anneal"}


def test_failures_and_notices_say_their_type():
    failure = json.loads(Failure(message="no", id=3, field="links").encode())
    assert failure == {"type": "error", "message": "no", "id": 3, "field": "links"}
    notice = json.loads(Notice(state="ready", message="done").encode())
    assert notice == {"type": "status", "state": "ready", "message": "done"}
