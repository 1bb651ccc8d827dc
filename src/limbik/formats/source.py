"""`Source`: the text of a description and its path; reads and decodes files, refusing what is no file or too
large, and writes texts.
"""

from __future__ import annotations

import codecs
import difflib
import errno
import os
import re
import secrets
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TypeAlias

from limbik.errors import FileOutputError, FormatError, shortened

LARGEST = 64 * 2**20  # [bytes] more than any description of a robot
ENDINGS = (".urdf", ".xacro", ".xml", ".mjcf", ".srdf", ".csv", ".yaml", ".yml", ".arm", ".bvh")
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_XML_ENCODING = re.compile(rb"\s*<\?xml[^>]*?encoding\s*=\s*[\"']([\w.-]+)[\"']")


@dataclass(frozen=True)
class Source:
    """A description's text, without a byte order mark, and where it is from."""

    name: str  # for messages: the path as it was passed, or "<text>"
    text: str
    path: Path | None = None  # None for a text
    files: Mapping[str, bytes] | None = None  # all that it may name, by path; None: what is on the disk

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", self.text.removeprefix("\ufeff"))


SourceLike: TypeAlias = str | PathLike[str] | Source


def open_source(source: SourceLike) -> Source:
    """The text of a file, or a text as it is: a str that has more than one line or begins with "<".

    Raises FormatError for a file that does not exist, is a folder, or is not a text.
    """
    if isinstance(source, Source):
        return source
    if isinstance(source, str) and is_text(source):
        return Source("<text>", source)
    if not isinstance(source, str | PathLike):
        raise FormatError("<source>", f"needs a path or a text, found {shortened(source)}")
    name = str(fspath(source))
    if not name:
        raise FormatError("<source>", "needs a path or a text, found an empty one")
    path = _expanded(name)
    return Source(name, decoded(bytes_of(path, name), name), path)


def write_text(path: str | PathLike[str], text: str) -> None:
    """Write a text to a file, in UTF-8.

    Raises FormatError for what is no path, and where the file cannot be written.
    """
    if not isinstance(path, str | PathLike) or not fspath(path):
        raise FormatError("<path>", f"needs the path of a file, found {shortened(path)}")
    name = str(fspath(path))
    try:
        write_bytes(_expanded(name), text.encode())
    except (OSError, ValueError) as error:
        raise FileOutputError(name, error) from None


def check_ending(name: str, *endings: str) -> None:
    """Raise FormatError for the name of a file that is to have one of these endings, such as ".csv"."""
    ending = Path(name).suffix.lower()
    if ending not in endings:
        wanted = " or ".join(filter(None, (", ".join(endings[:-1]), endings[-1])))
        raise FormatError(name, f"needs the ending {wanted}, found {repr(ending) if ending else 'none'}")


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole; where that fails, it is as before. Raises OSError."""
    target = Path(os.path.realpath(path))  # of a link, what it leads to
    is_there = target.exists()
    if is_there and not (target.is_file() and os.access(target.parent, os.W_OK)):
        with open(target, "wb", opener=_without_waiting) as file:
            file.write(content)  # to a device or a pipe, or a file in a folder where no file can be made
        return
    if is_there and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    part = target.with_name(f".limbik-{secrets.token_hex(8)}")
    try:
        with part.open("xb") as file:
            file.write(content)
        if is_there:
            part.chmod(stat.S_IMODE(target.stat().st_mode))
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _without_waiting(path: str, flags: int) -> int:
    """As `os.open`, which fails for a pipe that nobody reads."""
    if not hasattr(os, "O_NONBLOCK"):  # Windows has no such pipes
        return os.open(path, flags)
    descriptor = os.open(path, flags | os.O_NONBLOCK)
    os.set_blocking(descriptor, True)
    return descriptor


def is_text(source: str) -> bool:
    """Whether a str is a description itself and not the path of one."""
    return not {"\n", "\r"}.isdisjoint(source) or source.lstrip("\ufeff \t\r").startswith("<")


def _expanded(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError:
        raise FormatError(name, f"there is no home folder {Path(name).parts[0]!r}") from None


def bytes_of(path: Path, name: str) -> bytes:
    """What a file holds. Raises FormatError where it cannot be read, is no file, or is too large."""
    content = first_bytes(path, name, LARGEST + 1)
    if len(content) > LARGEST:
        raise FormatError(
            name, f"is larger than {LARGEST // 2**20} MiB, more than any description of a robot"
        )
    return content


def first_bytes(path: Path, name: str, count: int) -> bytes:
    """So many bytes of a file, or all. Raises FormatError where it cannot be read or is no file."""
    try:
        _refuse_what_is_no_file(path, name)
        with path.open("rb") as file:
            return file.read(count)
    except FileNotFoundError:
        raise FormatError(name, f"there is no such file{_near(path)}") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or error
        raise FormatError(name, f"cannot be read: {reason}") from None


def _refuse_what_is_no_file(path: Path, name: str) -> None:
    """Raise FormatError for a folder, and for what may never end or never begin to be read."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise FormatError(name, f"is a folder; {_files_in(path)}")
    if not stat.S_ISREG(mode):
        kind = "a pipe" if stat.S_ISFIFO(mode) else "a device or socket"
        raise FormatError(name, f"is {kind}, not a file; write what it holds to a file, and give that")


def _files_in(folder: Path) -> str:
    names = sorted(entry.name for entry in folder.iterdir() if entry.suffix.lower() in ENDINGS)
    if not names:
        return "a file is needed, and it holds none that limbik reads"
    return "it holds " + ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")


def _near(path: Path) -> str:
    if not path.parent.is_dir():
        return f", and no folder {str(path.parent)!r}"
    try:
        endings = (*ENDINGS, path.suffix.lower())
        names = [entry.name for entry in path.parent.iterdir() if entry.suffix.lower() in endings]
    except PermissionError:  # a folder that may be entered, but not listed
        return ""
    near = difflib.get_close_matches(path.name, names, n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(repr(n) for n in near)}?" if near else ""


def decoded(content: bytes, name: str) -> str:
    """The text in a file's bytes. Raises FormatError where it is none."""
    encoding = next((e for mark, e in _BYTE_ORDER_MARKS.items() if content.startswith(mark)), None)
    if encoding is None:
        content = content.rstrip(b"\0")  # some programs write the end of their strings too
        if b"\0" in content:
            raise FormatError(name, "is a binary file, and text is needed")
        declared = _XML_ENCODING.match(content)
        encoding = declared[1].decode("ascii") if declared else "utf-8"
    try:
        return content.decode(encoding)
    except LookupError:
        raise FormatError(name, f"declares an encoding that does not exist, {encoding!r}", line=1) from None
    except UnicodeError as error:  # some encodings raise one that does not say where
        line = content.count(b"\n", 0, getattr(error, "start", 0)) + 1
        raise FormatError(name, f"is not text in the encoding {encoding}", line=line) from None
