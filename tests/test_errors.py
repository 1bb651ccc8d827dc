"""The hierarchy of errors, and what they say."""

import pickle

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
    assert str(errors.MissingExtra("gpu", "limbik map")) == "limbik map needs `pip install limbik[gpu]`"


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
