"""The examples run, check themselves, and are short."""

import ast
import runpy
import sys
from pathlib import Path

import pytest

from limbik import goals
from limbik.compiler import native
from limbik.tree.programs import general

EXAMPLES = Path(__file__).parents[1] / "examples"
FILES = sorted(EXAMPLES.glob("*.py"))
FEWER_LINES_THAN = 25

each_example = pytest.mark.parametrize("example", FILES, ids=lambda path: path.stem)


@pytest.fixture(scope="module", autouse=True)
def compiled_trees() -> None:
    """The driver of several goals is machine code: interpreted, it gives up on the harder ones."""
    native.compile_now(general())


@each_example
def test_an_example_runs_and_says_what_came_out(
    example: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(EXAMPLES)  # as when it is run
    for module in FILES:
        monkeypatch.delitem(sys.modules, module.stem, raising=False)
    runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out.strip()


@each_example
def test_an_example_is_short_says_what_it_shows_and_checks_itself(example: Path) -> None:
    text = example.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert len(text.splitlines()) < FEWER_LINES_THAN
    assert (ast.get_docstring(tree) or "").splitlines()[0].endswith(".")
    assert any(isinstance(node, ast.Assert) for node in ast.walk(tree))


def test_every_kind_of_goal_has_an_example() -> None:
    shown = {(ast.get_docstring(ast.parse(path.read_text())) or "").partition(":")[0] for path in FILES}
    kinds = {
        name for name, kind in vars(goals).items() if isinstance(kind, type) and issubclass(kind, goals.Goal)
    }
    assert kinds - {"Goal"} <= shown


def test_the_list_of_examples_is_whole() -> None:
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in FILES if f"({path.name})" not in text] == []
