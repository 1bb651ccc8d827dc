"""A folder with a map: Zarr arrays of which every chunk is written whole, or is work that is left.

A chunk is done when a marker of its number stands in the folder. The marker is written last, by renaming a
file that is on the disk already; what an interrupted run has left of a chunk is written again.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from limbik.errors import LimbikError, needs_extra
from limbik.spatial import Array

JOB, MARKERS = "job.json", "done"


class StoreError(LimbikError):
    """A folder cannot be written, holds another job, or no map."""


class Store:
    """The arrays of a job in a folder, by name."""

    def __init__(self, folder: Path, record: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        self.folder = folder
        self.record = record
        self.arrays = arrays

    @staticmethod
    def create(
        folder: Path, digest: str, record: Mapping[str, Any], layers: Mapping[str, tuple[str, int]], rows: int
    ) -> Store:
        """The store of a job, begun or begun again. Raises StoreError for a folder of another job."""
        if (folder / JOB).exists():
            store = Store.open(folder, mode="r+")
            if store.record["digest"] != digest:
                raise StoreError(
                    f"{folder} holds another map ({_description(store.record)}); give a new folder"
                )
            return store
        with _writing(folder):
            if folder.exists() and any(folder.iterdir()):
                raise StoreError(f"{folder} is not empty, and holds no map; give a new folder")
            folder.mkdir(parents=True, exist_ok=True)
            zarr = _zarr()
            for name, (kind, width) in layers.items():
                zarr.create_array(
                    folder / name,
                    shape=(rows, width),
                    chunks=(record["chunk"], width),
                    dtype=kind,
                    fill_value=0,
                )
            (folder / MARKERS).mkdir()
            text = json.dumps({**record, "digest": digest, "layers": layers}, indent=2)
            _write_whole(folder / JOB, text.encode())
        return Store.open(folder, mode="r+")

    @staticmethod
    def open(folder: Path, mode: str = "r") -> Store:
        """The store in a folder, to be read or, with mode "r+", gone on with. Raises StoreError for none."""
        try:
            record = json.loads((folder / JOB).read_text())
        except (OSError, ValueError):
            raise StoreError(f"{folder} holds no map: there is no {JOB} in it that can be read") from None
        zarr = _zarr()
        with _writing(folder):
            arrays = {name: zarr.open_array(folder / name, mode=mode) for name in record["layers"]}
        return Store(folder, record, arrays)

    def is_done(self, number: int) -> bool:
        """Whether a chunk is there."""
        return (self.folder / MARKERS / str(number)).exists()

    def write(self, number: int, rows: Mapping[str, Array]) -> None:
        """Write a chunk. Raises StoreError where the disk is full, or the folder is gone."""
        first = number * self.record["chunk"]
        with _writing(self.folder):
            for name, values in rows.items():
                self.arrays[name][first : first + len(values)] = values
                _sync(self.folder / name / "c" / str(number))
            _write_whole(self.folder / MARKERS / str(number), b"")


def _zarr() -> Any:
    with needs_extra("scale", "a reach map"):
        import zarr
    return zarr


def _description(record: Mapping[str, Any]) -> str:
    return f"of {record['robot']!r}, {record['voxel']:g} m, {record['orientations']} orientations"


def _write_whole(file: Path, content: bytes) -> None:
    """Write a file that is there whole or not at all."""
    part = file.with_name(file.name + ".part")
    with part.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(file)
    _sync(file.parent)


def _sync(path: Path) -> None:
    """Bring a file, or all files of a folder, to the disk; a folder without rows of its own has none."""
    if path.is_dir():
        for each in path.iterdir():
            _sync(each)
    if not path.exists():
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"{folder} cannot be written: {error.strerror or error}") from None
