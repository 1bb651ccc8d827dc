"""The result folder of a job: `job.json`, and files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from limbik.errors import LimbikError, OutputError, shortened
from limbik.formats.source import bytes_of
from limbik.scale.job import Job

RECORD = "job.json"


class StoreError(LimbikError):
    """A folder cannot be written, is damaged, or holds something else."""


class StoreOutputError(StoreError, OutputError):
    """A folder cannot be written."""


def as_folder(value: Any) -> Path:
    """The path of a folder; anything else raises StoreError."""
    if not isinstance(value, str | os.PathLike) or not os.fspath(value):
        raise StoreError(f"`folder` needs the path of a folder, found {shortened(value)}")
    try:
        folder = Path(value)
        with contextlib.suppress(OSError):  # as there is none yet, or it is said when it is made
            folder.lstat()
    except (TypeError, ValueError):  # bytes; zeros and halves of pairs, which no name of a file has
        raise StoreError(f"`folder` needs the path of a folder, found {shortened(value)}") from None
    return folder


def is_begun(folder: Path, job: Job, part: str) -> bool:
    """Whether a folder holds what was done of a job; if not, it is there, with the empty folder `part`, the
    first in it.

    Raises StoreError for a folder that holds another job, or anything else, or that another run has just
    made.
    """
    with writing(folder):
        has_record = (folder / RECORD).exists()
    if has_record:
        record = read_record(folder)
        if record["digest"] != job.digest:
            raise StoreError(f"{folder} holds another job ({record['title']}); give a new folder")
        return True
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / part).exists() and any(folder.iterdir()):
            raise StoreError(f"{folder} is not empty, and holds no {job.title}; give a new folder")
        try:
            (folder / part).mkdir()
        except FileExistsError:
            raise StoreError(
                f"another run is making {folder}: wait for its end; if there is none, remove the folder"
            ) from None
    return False


def write_record(folder: Path, job: Job, **more: Any) -> None:
    """Say in the folder what it holds; written last of all that a job begins with."""
    record = {**job.record, "title": job.title, "digest": job.digest, **more}
    write_whole(folder / RECORD, json.dumps({**record, "checksum": _checksum(record)}, indent=2).encode())


def read_record(folder: Path) -> dict[str, Any]:
    """What a folder holds. Raises StoreError where it does not say, or not as it was written."""
    try:
        record = json.loads(bytes_of(folder / RECORD, RECORD))
    except (LimbikError, ValueError, RecursionError):
        record = None
    if not isinstance(record, dict) or not {"title", "digest"} <= record.keys():
        raise StoreError(f"{folder} holds no result: there is no {RECORD} in it that can be read")
    if record.pop("checksum", None) != _checksum(record):
        raise StoreError(f"{folder} is damaged: {RECORD} is not as it was written; give a new folder")
    return record


def _checksum(record: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


def write_whole(file: Path, content: bytes) -> None:
    """Write a file that is there whole or not at all, whoever else writes it."""
    part = file.with_name(f".{file.name}.{uuid.uuid4().hex}.part")
    try:
        with part.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(file)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync(file.parent)


def sync(path: Path) -> None:
    """Bring a file, or all files of a folder, to the disk; not those that are gone, as parts of another run
    are when they are whole, and a folder without rows of its own.
    """
    if path.is_dir():
        for each in path.iterdir():
            sync(each)
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError as error:
        if error.errno == errno.ENOENT:
            return
        raise
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Raise StoreError where the disk is full, or the folder is gone."""
    try:
        yield
    except OSError as error:
        raise StoreOutputError(f"{folder} cannot be written: {error.strerror or error}") from None


@contextlib.contextmanager
def reading(folder: Path) -> Iterator[None]:
    """Raise StoreError where what stands there is damaged: readers of packed files raise what they like."""
    try:
        yield
    except LimbikError:
        raise
    except Exception as error:
        said = str(error).partition("\n")[0] or type(error).__name__
        cure = "the same command as before mends it; if that says so too, remove it"
        raise StoreError(f"{folder} is damaged ({said}); {cure}") from None
