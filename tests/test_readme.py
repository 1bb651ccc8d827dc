"""What the documents say: their Python runs, their tables are current, their links lead somewhere."""

import contextlib
import io
import re
from pathlib import Path

import pytest

import readme_tables

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())


@each_page
def test_python_in_the_documents_runs_and_prints_what_is_shown(page: Path) -> None:
    text = page.read_text()
    blocks = r"^```python\n(.*?)^```(?:\n+```text\n(.*?)^```)?"
    for block in re.finditer(blocks, text, re.DOTALL | re.MULTILINE):
        lines_above = "\n" * text.count("\n", 0, block.start(1))  # an error then tells the line in the page
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(lines_above + block[1], page, "exec"), {"__name__": "__main__"})
        if block[2] is not None:
            assert printed.getvalue() == block[2]


def test_readme_shows_python() -> None:
    assert "```python\nimport limbik\n" in README.read_text()


def test_the_tables_in_the_readme_are_current() -> None:
    text = README.read_text()
    assert readme_tables.with_tables(text) == text, "run: .venv/bin/python tools/readme_tables.py"


@each_page
def test_markers_name_a_script_that_exists(page: Path) -> None:
    for script in re.findall(r"^<!-- measured: (\S+)", page.read_text(), re.MULTILINE):
        assert (ROOT / script).is_file(), f"{page.name} names {script} as the source of its figures"


@each_page
def test_links_between_documents_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)", page.read_text())
    missing = [target for target in targets if "://" not in target and not (page.parent / target).exists()]
    assert not missing
