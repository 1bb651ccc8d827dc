"""What readers are given: paths and texts, and what cannot be read."""

import codecs
from pathlib import Path

import pytest

from limbik.errors import FormatError
from limbik.formats.source import LARGEST, Source, is_text, open_source


def test_a_text_has_more_than_one_line_or_begins_with_an_angle_bracket() -> None:
    assert open_source("<robot/>") == Source("<text>", "<robot/>", None)
    assert is_text("\ufeff  <robot/>")
    assert is_text("a,b\n1,2")
    assert not is_text("robot.urdf")


def test_a_source_stays_as_it_is() -> None:
    source = Source("arm.urdf", "<robot/>", Path("arm.urdf"))
    assert open_source(source) is source


def test_a_file_keeps_the_name_that_it_was_given_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "arm.urdf").write_text("<robot/>")
    monkeypatch.setenv("HOME", str(tmp_path))
    source = open_source("~/arm.urdf")
    assert (source.name, source.text, source.path) == ("~/arm.urdf", "<robot/>", tmp_path / "arm.urdf")


@pytest.mark.parametrize(
    "content",
    [
        "<a>ü</a>".encode(),
        codecs.BOM_UTF8 + "<a>ü</a>".encode(),
        "<a>ü</a>".encode("utf-16"),
        b"<?xml version='1.0' encoding='latin-1'?><a>\xfc</a>",
        "<a>ü</a>\0\0".encode(),
    ],
)
def test_encodings_are_found(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(content)
    assert open_source(tmp_path / "a.xml").text.endswith("<a>ü</a>")


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text("<robot/>")
    (tmp_path / "mesh.stl").write_bytes(b"solid\0\0x")
    (tmp_path / "latin.urdf").write_bytes(b"<a>\n\xfc</a>")
    (tmp_path / "odd.xml").write_bytes(b"<?xml version='1.0' encoding='klingon'?><a/>")
    (tmp_path / "empty").mkdir()
    with (tmp_path / "huge.urdf").open("wb") as file:
        file.truncate(LARGEST + 1)
    for name, message in {
        "am.urdf": "am.urdf: there is no such file; did you mean 'arm.urdf'",
        "no/arm.urdf": "arm.urdf: there is no such file, and no folder",
        "": "is a folder; it holds arm.urdf, huge.urdf, latin.urdf, odd.xml",
        "empty": "empty: is a folder; a file is needed, and it holds none that limbik reads",
        "mesh.stl": "mesh.stl: is a binary file, and text is needed",
        "latin.urdf": "latin.urdf:2: is not text in the encoding utf-8",
        "odd.xml": "odd.xml:1: declares an encoding that does not exist, 'klingon'",
        "huge.urdf": "huge.urdf: is larger than 64 MiB",
        "a\0b": "cannot be read: .*null",
    }.items():
        with pytest.raises(FormatError, match=message):
            open_source(f"{tmp_path}/{name}")
    with pytest.raises(FormatError, match="needs a path or a text, found 3"):
        open_source(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("encoding", ["undefined", "punycode"])
def test_an_encoding_that_is_none_of_texts_is_said(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(f"<?xml version='1.0' encoding='{encoding}'?><a>\xe9</a>".encode())
    with pytest.raises(FormatError, match=f"is not text in the encoding {encoding}"):
        open_source(tmp_path / "a.xml")


def test_a_folder_that_cannot_be_listed_is_not_searched_for_similar_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: Path) -> None:
        raise PermissionError(folder)

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(FormatError, match=r"there is no such file$"):
        open_source(tmp_path / "arm.urdf")


def test_an_empty_name_is_no_path() -> None:
    with pytest.raises(FormatError, match="needs a path or a text, found an empty one"):
        open_source("")
