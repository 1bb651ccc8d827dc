"""Unpacks uploads in memory: several files or a zip, with limits of size and safe names.

Names are only names: they are checked, and no file is opened by them.
"""

from __future__ import annotations

import hashlib
import io
import posixpath
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from limbik.errors import LimbikError, shortened

MAX_PACKED = 32 * 2**20  # [bytes]
MAX_UNPACKED = 256 * 2**20  # [bytes]
MAX_FILES = 2000
MAX_DIRECTORY = MAX_FILES * 512  # [bytes] of a zip's list of files
LONGEST_PATH = 300

_CHUNK = 2**20
_LEFT_ASIDE = re.compile(r"(^|/)(__MACOSX/|\.DS_Store$|Thumbs\.db$)")
_END = struct.Struct("<4s4H2LH")  # of a zip: "end of central directory"
_END_MARK, _WIDE_MARK = b"PK\x05\x06", b"PK\x06\x07"
_ENCRYPTED = 0x1
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    OSError,
    ValueError,
    struct.error,
)
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BOUNDARY = re.compile(
    r"""multipart/form-data\s*;.*\bboundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))""", re.IGNORECASE
)
_FILENAME = re.compile(rb'filename="((?:[^"\\\r\n]|\\.)*)"', re.IGNORECASE)


class UploadError(LimbikError):
    """Something that is not taken. `status` is that of the HTTP answer."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, eq=False)
class Upload:
    """Files by their paths, and the token of what they hold."""

    name: str
    files: Mapping[str, bytes]
    token: str = field(init=False)

    def __post_init__(self) -> None:
        digest = hashlib.sha256(self.name.encode())
        for name, content in sorted(self.files.items()):
            digest.update(hashlib.sha256(name.encode()).digest() + hashlib.sha256(content).digest())
        object.__setattr__(self, "token", digest.hexdigest()[:40])

    @property
    def size(self) -> int:
        """[bytes]"""
        return sum(map(len, self.files.values()))


def read_upload(content_type: str, name: str, body: bytes) -> Upload:
    """The files in the body of a request: of a form, of a zip, or one file that is called `name`.

    Raises UploadError for what is too large, no file, or called by a path that leads elsewhere.
    """
    if len(body) > MAX_PACKED:
        raise too_large()
    boundary = _BOUNDARY.match(content_type)
    parts = _parts(body, (boundary[1] or boundary[2]).encode()) if boundary else [(name, body)]
    if len(parts) == 1 and _is_zip(parts[0][1]):
        name = parts[0][0]
        parts = _unpacked(parts[0][1])
    files = _checked(parts)
    return Upload(_title(name, files), files)


def too_large() -> UploadError:
    """The error for a body of more than MAX_PACKED bytes."""
    return UploadError(f"an upload has at most {MAX_PACKED // 2**20} MB", 413)


def _title(name: str, files: Mapping[str, bytes]) -> str:
    """The zip's own name, or the folder that all files are in, or the only file."""
    if name:
        return posixpath.basename(name.replace("\\", "/"))[:100] or "upload"
    folders = {path.partition("/")[0] for path in files}
    return folders.pop()[:100] if len(folders) == 1 else "upload"


def _checked(parts: Iterable[tuple[str, bytes]]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for name, content in parts:
        path = _path(name)
        if path is None:
            continue
        if path in files:
            raise UploadError(f"two files are called {shortened(path)}")
        files[path] = content
        if len(files) > MAX_FILES:
            raise UploadError(f"an upload has at most {MAX_FILES} files", 413)
    if not files:
        raise UploadError("the upload holds no file")
    return files


def _path(name: str) -> str | None:
    """The path of a file, with "/"; None for what systems add by themselves."""
    path = name.replace("\\", "/")
    if not path.strip():
        raise UploadError("a file has no name")
    parts = path.split("/")
    is_elsewhere = path.startswith("/") or ".." in parts or re.match(r"[A-Za-z]:", path) is not None
    if is_elsewhere or len(path) > LONGEST_PATH or any(not character.isprintable() for character in path):
        raise UploadError(f"a file's name needs a path inside the upload, found {shortened(name)}")
    path = posixpath.normpath(path)
    return None if _LEFT_ASIDE.search(path) or path == "." else path


# --- forms --------------------------------------------------------------------------------------------------


def _parts(body: bytes, boundary: bytes) -> list[tuple[str, bytes]]:
    """(name, content) of the files of a form (RFC 7578); its other fields are passed over."""
    pieces = (b"\r\n" + body).split(b"\r\n--" + boundary, 2 * MAX_FILES)
    if len(pieces) > 2 * MAX_FILES:
        raise UploadError(f"an upload has at most {MAX_FILES} files", 413)
    if len(pieces) < 3 or not pieces[-1].startswith(b"--"):
        raise UploadError("the form is not complete")
    parts: list[tuple[str, bytes]] = []
    for piece in pieces[1:-1]:
        head, separator, content = piece.partition(b"\r\n\r\n")
        if not separator:
            raise UploadError("the form is not complete")
        named = _FILENAME.search(head)
        if named:
            parts.append((_form_name(named[1]), content))
    return parts


def _form_name(name: bytes) -> str:
    """A file's name as browsers write it in a form."""
    text = name.decode("utf-8", errors="replace")
    return text.replace("%22", '"').replace("%0D", "\r").replace("%0A", "\n")


# --- zips ---------------------------------------------------------------------------------------------------


def _is_zip(content: bytes) -> bool:
    return content[:4] in (b"PK\x03\x04", _END_MARK)


def _unpacked(content: bytes) -> list[tuple[str, bytes]]:
    _check_directory(content)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _members(archive)
    except UploadError:
        raise
    except _UNREADABLE as error:
        raise UploadError(f"the zip cannot be read: {shortened(str(error))}") from None


def _check_directory(content: bytes) -> None:
    """Refuse a list of files too long to be read; zips of this size need no 64-bit one."""
    offset = content.rfind(_END_MARK)
    if offset < 0 or len(content) < offset + _END.size:
        raise UploadError("the zip cannot be read: it is cut off")
    _, _, _, _, count, size, _, _ = _END.unpack_from(content, offset)
    is_wide = content[max(0, offset - 20) : offset].startswith(_WIDE_MARK)
    if is_wide or count > 2 * MAX_FILES or size > MAX_DIRECTORY:
        raise UploadError(f"an upload has at most {MAX_FILES} files", 413)


def _members(archive: zipfile.ZipFile) -> list[tuple[str, bytes]]:
    members: list[tuple[str, bytes]] = []
    bytes_left = MAX_UNPACKED
    for member in archive.infolist():
        if member.filename.endswith("/"):  # a folder
            continue
        if stat.S_ISLNK(member.external_attr >> 16):
            raise UploadError(f"{shortened(member.filename)} is a link, which is not followed")
        if member.flag_bits & _ENCRYPTED or member.compress_type not in _METHODS:
            raise UploadError(f"{shortened(member.filename)} is encrypted, or packed in an unusual way")
        content = _content(archive, member, bytes_left)
        bytes_left -= len(content)
        members.append((member.filename, content))
        if len(members) > MAX_FILES:
            raise UploadError(f"an upload has at most {MAX_FILES} files", 413)
    return members


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo, bytes_left: int) -> bytes:
    """A file of the zip; `bytes_left` are unpacked of it at most, however small it says it is."""
    pieces: list[bytes] = []
    with archive.open(member) as file:
        while piece := file.read(_CHUNK):
            bytes_left -= len(piece)
            if bytes_left < 0:
                raise UploadError(f"a zip unpacks to at most {MAX_UNPACKED // 2**20} MB", 413)
            pieces.append(piece)
    return b"".join(pieces)
