"""Uploads: forms and zips are unpacked in memory, and nothing that is hidden in them gets through."""

import io
import stat
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limbik.app import upload as room
from limbik.app.upload import Upload, UploadError, read_upload

FORM = "multipart/form-data; boundary=XX"


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            member = name if isinstance(name, zipfile.ZipInfo) else zipfile.ZipInfo(name)
            archive.writestr(member, content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def form(*parts, end=b"--XX--\r\n"):
    pieces = [
        b'--XX\r\nContent-Disposition: form-data; name="files"; filename="'
        + name.encode()
        + b'"\r\nContent-Type: application/octet-stream\r\n\r\n'
        + content
        + b"\r\n"
        for name, content in parts
    ]
    return b"".join(pieces) + end


def from_zip(content, name="robot.zip"):
    return read_upload("application/zip", name, content)


def refused(kind, name, body):
    with pytest.raises(UploadError) as caught:
        read_upload(kind, name, body)
    return caught.value


# What is taken


def test_a_zip_is_unpacked():
    found = from_zip(zipped({"robot/a.urdf": b"<robot/>", "robot/meshes/b.stl": b"solid"}))
    assert found.files == {"robot/a.urdf": b"<robot/>", "robot/meshes/b.stl": b"solid"}
    assert found.name == "robot.zip"


def test_a_form_of_several_files_keeps_their_folders_and_bytes():
    content = bytes(range(256)) + b"\r\n\r\n--X--\r\n"
    found = read_upload(FORM, "", form(("robot/a.urdf", b"<robot/>"), ("robot/b.stl", content)))
    assert found.files == {"robot/a.urdf": b"<robot/>", "robot/b.stl": content}
    assert found.name == "robot"


def test_a_form_that_holds_a_zip_is_unpacked():
    found = read_upload(FORM, "", form(("arm.zip", zipped({"a.urdf": b"<robot/>"}))))
    assert (found.name, found.files) == ("arm.zip", {"a.urdf": b"<robot/>"})


def test_a_body_that_is_one_file_is_taken_as_it_is():
    assert read_upload("text/plain", "two.arm", b"arm 1 0 0 0").files == {"two.arm": b"arm 1 0 0 0"}


@given(st.binary(max_size=200))
def test_files_in_a_form_are_any_bytes(content):
    if b"\r\n--XX" not in b"\r\n" + content and not content.startswith(b"PK"):
        assert read_upload(FORM, "", form(("a", content))).files == {"a": content}


def test_what_systems_add_by_themselves_is_left_aside():
    found = from_zip(zipped({"a.urdf": b"a", "__MACOSX/a.urdf": b"b", "x/.DS_Store": b"c"}))
    assert list(found.files) == ["a.urdf"]


def test_the_token_is_that_of_the_content():
    files = {"a": b"1", "b": b"2"}
    token = Upload("x", files).token
    assert token == Upload("x", dict(reversed(files.items()))).token
    for other in ({"a": b"12"}, {"a": b"1", "b": b"3"}, {"a1": b"", "b": b"2"}, {"b": b"1", "a": b"2"}):
        assert Upload("x", other).token != token


# What is refused


ELSEWHERE = [
    "../a",
    "a/../../b",
    "/etc/passwd",
    "C:\\a",
    "c:a",
    "..\\a",
    "a/..",
    "\\\\host\\a",
    "a\nb",
    "x" * 301,
]


@pytest.mark.parametrize("path", ELSEWHERE)
def test_a_path_that_leads_elsewhere_is_refused(path):
    archive = zipped({"fine": b"", path: b"x"})
    assert "path inside the upload" in str(refused("", "a.zip", archive))
    body = form(("fine", b""), (path.replace("\n", "%0A"), b"x"))
    assert "path inside the upload" in str(refused(FORM, "", body))


def test_a_link_in_a_zip_is_refused():
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    assert "link" in str(refused("", "a.zip", zipped({link: b"/etc/passwd"})))


def test_a_zip_bomb_is_refused_while_it_is_unpacked(monkeypatch):
    monkeypatch.setattr(room, "MAX_UNPACKED", 2**20)
    bomb = zipped({"zeros": bytes(2**20 + 1)})
    assert len(bomb) < 2**14
    error = refused("", "a.zip", bomb)
    assert error.status == 413
    several = zipped({f"zeros{k}": bytes(2**19) for k in range(3)})
    assert refused("", "a.zip", several).status == 413


def test_a_zip_that_lies_about_its_sizes_is_refused():
    honest = zipped({"a": bytes(1000)})
    lying = honest.replace(struct.pack("<L", 1000), struct.pack("<L", 10))
    assert lying != honest
    assert "cannot be read" in str(refused("", "a.zip", lying))


def test_too_many_files_are_refused(monkeypatch):
    monkeypatch.setattr(room, "MAX_FILES", 3)
    files = {f"{k}.stl": b"" for k in range(4)}
    assert refused("", "a.zip", zipped(files)).status == 413
    assert refused(FORM, "", form(*files.items())).status == 413
    assert refused(FORM, "", b"\r\n--XX" * 100).status == 413


def test_a_list_of_files_too_long_to_be_read_is_refused_before_that():
    content = bytearray(zipped({"a": b""}))
    end = content.rfind(b"PK\x05\x06")
    content[end + 12 : end + 16] = struct.pack("<L", 2**30)
    assert refused("", "a.zip", bytes(content)).status == 413


def test_an_encrypted_zip_is_refused():
    content = bytearray(zipped({"a": b"x"}))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.find(mark) + place] |= 1
    assert "encrypted" in str(refused("", "a.zip", bytes(content)))


def test_a_file_without_a_name_in_a_zip_is_refused():
    content = zipped({"a": b"x"})
    for mark, length in ((b"PK\x03\x04", 26), (b"PK\x01\x02", 28)):
        place = content.find(mark) + length
        content = content[:place] + bytes(2) + content[place + 2 :]
        end = content.find(b"a", place)
        content = content[:end] + content[end + 1 :]
    end = content.rfind(b"PK\x05\x06")
    size, start = struct.unpack_from("<2L", content, end + 12)
    content = content[: end + 12] + struct.pack("<2L", size - 1, start - 1) + content[end + 20 :]
    assert "no name" in str(refused("", "a.zip", content))


BROKEN = {
    "nothing": b"",
    "only an end": b"PK\x05\x06" + bytes(18),
    "cut off": zipped({"a": b"x" * 100})[:-30],
    "cut in the middle": zipped({"a": b"x" * 100})[:40],
    "damaged": zipped({"a": b"x" * 100})[:34] + b"???" + zipped({"a": b"x" * 100})[37:],
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_broken_zip_is_an_error(content):
    refused("application/zip", "" if not content else "a.zip", content)


@pytest.mark.parametrize("body", [b"", b"--XX\r\n", b"--XX\r\nfilename=", form(("a", b"b"), end=b"")])
def test_a_form_that_is_not_complete_is_an_error(body):
    assert "form" in str(refused(FORM, "", body))


def test_two_files_of_one_name_are_refused():
    assert "two files" in str(refused(FORM, "", form(("a", b"1"), ("./a", b"2"))))


def test_a_body_beyond_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr(room, "MAX_PACKED", 10)
    assert refused("", "a", bytes(11)).status == 413


@given(st.binary(max_size=300), st.sampled_from(["", FORM]))
def test_whatever_is_uploaded_only_upload_errors_are_raised(body, kind):
    for content in (body, b"PK\x03\x04" + body, form(("a", b"")) + body):
        try:
            read_upload(kind, "a", content)
        except UploadError as error:
            assert str(error)
