"""A folder with a map: Zarr arrays of which every chunk is written whole, or is work that is left.

A chunk is done when a marker of its number stands in the folder. The marker is written last, by renaming a
file that is on the disk already; what an interrupted run has left of a chunk is written again.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from limbik.errors import needs_extra
from limbik.scale import folder as folders
from limbik.scale.folder import StoreError
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
        if not folders.is_begun(folder, job):
            with folders.writing(folder):
                for name, (kind, width) in job.layers.items():
                    zarr.create_array(
                        folder / name,
                        shape=(job.grid.size, width),
                        chunks=(job.chunk_voxels, width),
                        dtype=kind,
                        fill_value=0,
                    )
                (folder / MARKERS).mkdir()
                folders.write_record(folder, job, layers=job.layers)
        return Store.open(folder, mode="r+")

    @staticmethod
    def open(folder: Path, mode: str = "r") -> Store:
        """The store in a folder, to be read or, with mode "r+", gone on with. Raises StoreError for none."""
        record = folders.read_record(folder)
        if "layers" not in record:
            raise StoreError(f"{folder} holds no map, but a {record['title']}")
        zarr = _zarr()
        with folders.writing(folder):
            arrays = {name: zarr.open_array(folder / name, mode=mode) for name in record["layers"]}
        return Store(folder, record, arrays)

    def is_done(self, number: int) -> bool:
        """Whether a chunk is there."""
        return (self.folder / MARKERS / str(number)).exists()

    def write(self, number: int, rows: Mapping[str, Array]) -> None:
        """Write a chunk. Raises StoreError where the disk is full, or the folder is gone."""
        first = number * self.record["chunk"]
        with folders.writing(self.folder):
            for name, values in rows.items():
                self.arrays[name][first : first + len(values)] = values
                folders.sync(self.folder / name / "c" / str(number))
            folders.write_whole(self.folder / MARKERS / str(number), b"")


def _zarr() -> Any:
    with needs_extra("scale", "a reach map"):
        import zarr
    return zarr
