"""Stores the arrays of a job in a folder, in Zarr chunks that are written whole.

A chunk is done when a marker of its number stands in the folder. The marker is written last, by renaming a
file that is on the disk already; what an interrupted run has left of a chunk is written again. It holds the
checksums of the chunk's rows: Zarr has zeros for what is not there.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbik.errors import needs_extra
from limbik.scale import folder as folders
from limbik.scale.folder import StoreError
from limbik.scale.grid import Grid
from limbik.scale.reach_job import ReachJob
from limbik.spatial import Array

MARKERS = "done"


class Store:
    """The arrays of a job in a folder, by name."""

    def __init__(self, folder: Path, record: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        self.folder = folder
        self.record = record
        self.arrays = arrays

    @staticmethod
    def create(folder: Path, job: ReachJob) -> Store:
        """The store of a job, begun or begun again. Raises StoreError for a folder of something else."""
        zarr = _zarr()
        is_begun = folders.is_begun(folder, job, MARKERS)
        if not is_begun:
            with folders.writing(folder):
                for name, (kind, width) in job.layers.items():
                    zarr.create_array(
                        folder / name,
                        shape=(job.grid.size, width),
                        chunks=(job.chunk_voxels, width),
                        dtype=kind,
                        fill_value=0,
                    )
                folders.write_record(folder, job, layers=job.layers)
        store = Store.open(folder, mode="r+")
        if is_begun:
            store._forget_damaged()
        return store

    @staticmethod
    def open(folder: Path, mode: str = "r") -> Store:
        """The store in a folder, to be read or, with mode "r+", gone on with. Raises StoreError for none."""
        record = folders.read_record(folder)
        if "layers" not in record:
            raise StoreError(f"{folder} holds no map, but a {record['title']}")
        zarr = _zarr()
        with folders.reading(folder):
            arrays = {name: zarr.open_array(folder / name, mode=mode) for name in record["layers"]}
        store = Store(folder, record, arrays)
        if {array.shape[0] for array in arrays.values()} != {store.grid.size}:
            raise StoreError(f"{folder} is damaged: {folders.RECORD} is not that of its arrays")
        return store

    @property
    def grid(self) -> Grid:
        """The voxels."""
        return Grid(tuple(self.record["corner"]), self.record["voxel"], tuple(self.record["shape"]))

    def read(self, name: str, first: int = 0, last: int | None = None) -> NDArray[Any]:
        """The rows of an array from `first` to before `last`. Raises StoreError for damaged ones."""
        if not (self.folder / folders.RECORD).exists():  # Zarr has zeros for chunks that are not there
            raise StoreError(f"{self.folder} is gone, or damaged: there is no {folders.RECORD} in it")
        size, chunk = self.grid.size, self.record["chunk"]
        last = size if last is None else min(last, size)
        numbers = range(first // chunk, -(-last // chunk))
        begin = numbers.start * chunk
        with folders.reading(self.folder):
            rows = np.asarray(self.arrays[name][begin : numbers.stop * chunk])
            for number in filter(self.is_done, numbers):
                part = rows[number * chunk - begin : (number + 1) * chunk - begin]
                if json.loads(self._marker(number).read_text())[name] != _checksum(part):
                    raise StoreError(
                        f"{self.folder / name} is damaged: chunk {number} has other rows than were written; "
                        "the same command as before mends it"
                    )
        return rows[first - begin : last - begin]

    def _forget_damaged(self) -> None:
        """Chunks that cannot be read are work that is left."""
        for number in filter(self.is_done, range(self.record["chunks"])):
            first = number * self.record["chunk"]
            try:
                for name in self.arrays:
                    self.read(name, first, first + self.record["chunk"])
            except StoreError:
                with folders.writing(self.folder):
                    self._marker(number).unlink()

    def is_done(self, number: int) -> bool:
        """Whether a chunk is there."""
        return self._marker(number).exists()

    def write(self, number: int, rows: Mapping[str, Array]) -> None:
        """Write a chunk. Raises StoreError where the disk is full, or the folder is gone."""
        first = number * self.record["chunk"]
        with folders.writing(self.folder):
            for name, values in rows.items():
                self.arrays[name][first : first + len(values)] = values
                folders.sync(self.folder / name / "c" / str(number))
            checksums = {
                name: _checksum(np.asarray(values, self.arrays[name].dtype)) for name, values in rows.items()
            }
            folders.write_whole(self._marker(number), json.dumps(checksums).encode())

    def _marker(self, number: int) -> Path:
        return self.folder / MARKERS / str(number)


def _checksum(rows: NDArray[Any]) -> int:
    return zlib.crc32(np.ascontiguousarray(rows).data)


def _zarr() -> Any:
    with needs_extra("scale", "a reach map"):
        import zarr
    return zarr
