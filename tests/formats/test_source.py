"""What readers are given: paths and texts, and what cannot be read."""

import codecs
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import limbik
from limbik.errors import FileOutputError, FormatError
from limbik.formats.path_csv import read_poses
from limbik.formats.source import LARGEST, Source, is_text, open_source, write_text


def test_a_text_has_more_than_one_line_or_begins_with_an_angle_bracket() -> None:
    assert open_source("<robot/>") == Source("<text>", "<robot/>", None)
    assert is_text("\ufeff  <robot/>")
    assert is_text("a,b\n1,2")
    assert not is_text("robot.urdf")


def test_a_text_may_have_a_byte_order_mark() -> None:
    """As `open(file, encoding="utf-8").read()` leaves it of tables from spreadsheets."""
    poses = "time,x,y,z,roll,pitch,yaw\n0,0.4,0.2,0.3,0,0,0\n60,0.4,0.3,0.3,0,0,0\n"
    times = read_poses("\ufeff" + poses).times
    assert times is not None and times.tolist() == [0.0, 60.0]
    table = Path("examples/scara.csv").read_text()
    assert limbik.load("\ufeff" + table).nq == limbik.load(table).nq


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
    (tmp_path / "kitchen.json").write_text("{}")
    (tmp_path / "mesh.stl").write_bytes(b"solid\0\0x")
    (tmp_path / "latin.urdf").write_bytes(b"<a>\n\xfc</a>")
    (tmp_path / "odd.xml").write_bytes(b"<?xml version='1.0' encoding='klingon'?><a/>")
    (tmp_path / "empty").mkdir()
    with (tmp_path / "huge.urdf").open("wb") as file:
        file.truncate(LARGEST + 1)
    for name, message in {
        "am.urdf": "am.urdf: there is no such file; did you mean 'arm.urdf'",
        "kitchn.json": "kitchn.json: there is no such file; did you mean 'kitchen.json'",
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


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit of the size of files")
def test_a_file_that_cannot_be_written_whole_is_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("before")
    program = """
import resource, sys
from limbik.errors import FileOutputError
from limbik.formats.path_csv import read_poses
from limbik.formats.source import write_text
resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))
for name in sys.argv[1:]:
    try:
        write_text(name, "after " * 1000)
    except FileOutputError as error:
        print(error)
"""
    names = [str(tmp_path / "kept.txt"), str(tmp_path / "new.txt")]
    done = subprocess.run([sys.executable, "-c", program, *names], capture_output=True, text=True, check=True)
    assert done.stdout.count("cannot be written: File too large") == 2
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("kept.txt", "before")]


@pytest.mark.skipif(sys.platform == "win32", reason="needs links and modes of POSIX")
def test_a_file_is_written_where_its_link_leads_with_its_mode(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("before")
    (tmp_path / "file").chmod(0o640)
    (tmp_path / "link").symlink_to("file")
    write_text(tmp_path / "link", "after")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "file").read_text() == "after"
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640
    write_text(os.devnull, "nothing")
    assert not Path(os.devnull).is_file()
    with pytest.raises(FileOutputError, match="cannot be written: Is a directory"):
        write_text(tmp_path, "nothing")
