"""The pictures of the documents: each is shown, small, well-formed, and says which script made it."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import method_pictures
import solution_pictures
from svg import number

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
MADE = sorted(IMAGES.glob("*.svg"))
LARGEST = 40_000  # bytes


def test_every_picture_that_a_script_makes_is_there_and_no_other():
    assert {path.stem for path in MADE} == {*method_pictures.PICTURES, *solution_pictures.PICTURES}


@pytest.mark.parametrize("path", MADE, ids=lambda path: path.stem)
def test_a_picture_names_its_script_and_is_small_and_shown_with_words_in_its_place(path: Path):
    text = path.read_text(encoding="utf-8")
    script = re.search(r"<!-- made by (\S+) -->", text)
    assert script is not None and (ROOT / script[1]).is_file()
    assert len(text.encode()) < LARGEST
    assert "prefers-color-scheme:dark" in text
    assert ElementTree.fromstring(text).findtext("{http://www.w3.org/2000/svg}title")
    shown = rf"!\[[^\]]{{20,}}\]\((?:docs/)?images/{re.escape(path.name)}\)"
    assert any(re.search(shown, page.read_text(encoding="utf-8")) for page in PAGES)


def test_numbers_in_pictures_are_short():
    assert [number(x) for x in (1.0, -0.04, 12.345, 100.0, -3.96)] == ["1", "0", "12.3", "100", "-4"]
