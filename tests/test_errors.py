"""The hierarchy of errors, and what they say."""

import pickle

import numpy as np
import pytest

from limbik import errors


@pytest.mark.parametrize(
    "kind",
    ["ModelError", "FormatError", "GoalError", "SolverError", "ConfigurationError", "MissingExtra"],
)
def test_every_error_is_a_limbik_error(kind: str) -> None:
    assert issubclass(getattr(errors, kind), errors.LimbikError)


def test_a_missing_extra_names_the_command_that_installs_it() -> None:
    assert str(errors.MissingExtra("app")) == "this needs `pip install limbik[app]`"
    assert str(errors.MissingExtra("motion", "a film")) == "a film needs `pip install limbik[motion]`"


def test_a_missing_extra_can_be_pickled() -> None:
    error = pickle.loads(pickle.dumps(errors.MissingExtra("app", "the playground")))
    assert (error.extra, error.feature) == ("app", "the playground")
    assert str(error) == "the playground needs `pip install limbik[app]`"


def test_an_unknown_name_is_answered_with_near_names_and_all_names() -> None:
    known = ["shoulder", "elbow", "wrist"]
    assert errors.did_you_mean("sholder", known) == "did you mean 'shoulder'? known: shoulder, elbow, wrist"
    assert errors.did_you_mean("ELBOW", known) == "did you mean 'elbow'? known: shoulder, elbow, wrist"
    assert errors.did_you_mean("tail", known) == "known: shoulder, elbow, wrist"
    assert errors.did_you_mean("tail", []) == "there are none"
    assert errors.did_you_mean(3, [f"joint{k}" for k in range(30)]).endswith("joint19 and 10 more")


def test_a_message_cuts_long_words_and_quotes_and_says_how_long_they_are() -> None:
    start = "n" * 60
    assert str(errors.ModelError(f"there is no {'n' * 20_000!r}; it's gone")) == (
        f"there is no '{start}...' (20,000 characters); it's gone"
    )
    assert str(errors.ModelError(f"found {'n' * 400} here")) == f"found {start}... (400 characters) here"
    spoken = "a joint's words and " + "'a' and 'b', " * 40
    assert str(errors.ModelError(spoken)) == spoken
    path = "/" + "/".join(["folder"] * 30)
    assert path in str(errors.ModelError(f"there is no file {path}" + " and more" * 40))


def test_a_quoted_value_tells_its_length() -> None:
    assert errors.shortened("elbow") == "'elbow'"
    assert errors.shortened("n" * 20_000) == f"'{'n' * 60}...' (20,000 characters)"
    assert errors.shortened(list(range(100))).endswith("...")


def test_no_more_is_looked_at_than_is_quoted() -> None:
    class Number:
        seen = 0

        def __repr__(self) -> str:
            Number.seen += 1
            return "1.0"

    each = Number()
    for value in ([each] * 10**4, (each,) * 10**4, {Number() for _ in range(10**4)}):
        assert len(errors.shortened(value)) < 70
    assert errors.shortened({k: each for k in range(10**4)}).startswith("{0: 1.0, 1: 1.0")
    assert Number.seen <= 4 * errors.QUOTED
    assert errors.shortened(np.zeros((2,) * 12)) == f"an array of shape {(2,) * 12}"
    assert errors.shortened(np.arange(3)) == "array([0, 1, 2])"


def test_a_format_error_can_be_pickled() -> None:
    error = errors.FormatError("a.urdf", "is wrong", line=3, element="<link>")
    assert str(pickle.loads(pickle.dumps(error))) == str(error) == "a.urdf:3: <link>: is wrong"
