"""What the documents say: their Python runs, their tables are current, their links lead somewhere."""

import contextlib
import io
import re
from pathlib import Path

import pytest

import example_walk
import limbik
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


@each_page
def test_files_that_commands_name_stand_in_the_repository(page: Path) -> None:
    commands = re.findall(
        r"^(?: {4})?(?:\.venv/bin/)?limbik (.*?)(?: {2,}#.*)?$", page.read_text(), re.MULTILINE
    )
    named = [word for command in commands for word in command.split() if word.startswith("examples/")]
    assert not [word for word in named if not (ROOT / word).is_file()]
    if page == README:
        assert "examples/walk.bvh" in named and "examples/kitchen.json" in named


def test_the_walk_of_the_examples_has_what_the_readme_says() -> None:
    """A walk with feet that slide, which `plant_feet` makes stand."""
    walk = limbik.load_motion(str(ROOT / "examples/walk.bvh"))
    assert (ROOT / "examples/walk.bvh").read_text() == example_walk.text()
    before, after = (limbik.motion.measure(each) for each in (walk, limbik.motion.plant_feet(walk)))
    assert all(foot.slide_cm_s > 10.0 for foot in before.feet)
    assert all(foot.slide_cm_s < 0.1 for foot in after.feet)
