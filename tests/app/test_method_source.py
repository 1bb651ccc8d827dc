"""The source texts that the page shows are those of the solvers."""

import inspect
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import limbik
from limbik.app.method_source import method_source
from limbik.app.server import running
from limbik.app.session import SOLVERS
from limbik.errors import SolverError

PACKAGES = Path(limbik.__file__).parent.parent


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_shows_lines_of_its_own_file(solver: str) -> None:
    source = method_source(solver)
    whole = (PACKAGES / source.file).read_text(encoding="utf-8")
    parts = source.text.rstrip("\n").split("\n\n\n")
    assert all(part.startswith("@compiled") and part in whole for part in parts)
    assert "->" in source.text


def test_the_functions_that_a_step_calls_come_with_it_in_the_order_of_the_file() -> None:
    lines = method_source("fabrik").text.splitlines()
    names = [line.removeprefix("def ").rstrip("(") for line in lines if line.startswith("def ")]
    assert names == ["passes", "backward", "set_leaders", "forward"]
    assert "def add_clamped(" in method_source("sdls").text
    assert "def sweep(" in method_source("ccd").text


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running() as address:
        yield address


def get(address: str, solver: str) -> tuple[int, dict[str, str]]:
    """Status and JSON of the answer."""
    try:
        with urllib.request.urlopen(f"{address}/source/{solver}") as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.status, json.load(error)


def test_the_server_answers_with_it(address: str) -> None:
    status, answer = get(address, "dls")
    assert status == 200
    assert answer == {
        "solver": "dls",
        "file": "limbik/solvers/methods/dls.py",
        "text": method_source("dls").text,
    }


@pytest.mark.parametrize("name", ["dsl", "optimize", "__init__", "step"])
def test_an_unknown_solver_is_named(address: str, name: str) -> None:
    status, answer = get(address, name)
    assert status == 404
    assert f"there is no solver '{name}' in the plane" in answer["message"]


def test_an_unknown_solver_raises() -> None:
    with pytest.raises(SolverError, match="did you mean"):
        method_source("dsl")


def test_an_installation_without_source_text_says_so(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(function: object) -> str:
        raise OSError("could not get source code")

    method_source.cache_clear()
    monkeypatch.setattr(inspect, "getsource", missing)
    assert get(address, "lm") == (404, {"message": "This installation has no source text."})
