"""Datasets for learning: poses of a frame, and the configurations that reach them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from limbik.errors import SolverError, did_you_mean, is_one_of, members_of, needs_extra, shortened
from limbik.model import JointKind, Model
from limbik.model.model import as_model
from limbik.scale import folder as folders
from limbik.scale.dataset_job import ALL, JOINTS, NEAREST, REASONS, SPACE, DatasetJob
from limbik.scale.engines import Progress, check_engine, run
from limbik.scale.folder import StoreError
from limbik.scale.job import MAX_RESTARTS, RESTARTS, Chunk, is_closed_form
from limbik.spatial import as_whole, check_flag

CHUNK_POSES = 500_000
MAX_SOLUTIONS = 1000
MAX_POSES = 10**15
TABLES = "tables"
COLUMNS = "pose", "position", "quaternion", "q", "q16", "status"


def make_dataset(
    model: Model,
    folder: str | Path,
    *,
    poses: int = 1_000_000,
    frame: str | None = None,
    solutions: str | int = NEAREST,
    sample: str = JOINTS,
    unreached: bool = False,
    restarts: int = RESTARTS,
    seed: int = 0,
    threads: int | None = None,
    engine: str = "threads",
    address: str | None = None,
    progress: Progress | None = None,
) -> Dataset:
    """Draw poses, solve them, and store pairs of pose and configuration as Parquet tables in a folder.

        data = limbik.scale.make_dataset(limbik.load("ur5e"), "ur5e-data", poses=1_000_000, solutions="all")
        data.table().to_pandas()

    poses: how many are drawn. frame: default: the end effector. solutions of a pose: the "nearest" to the
    neutral configuration, "all" (of arms with a closed form), or at most so many that differ. sample:
    "joints": poses of configurations drawn within the limits, all of which can be reached; "space": positions
    drawn evenly from the ball that the frame cannot leave, and orientations from all rotations. unreached:
    also a row for each pose that no configuration was found for, with the reason. restarts, threads, engine,
    address, progress: as in `reach_map`.

    Each row has been checked by forward kinematics to 1e-6 m and rad, before it is rounded to single
    precision. Poses depend on the seed and their number alone. Called again for the same dataset it goes on
    where it was interrupted; the files are the same to the bit. Memory stays under 2 GB, or 0.3 GB for each
    process. Needs `pip install limbik[scale]`.

    Raises SolverError for options without a meaning, ModelError for a frame that is not there, and
    `limbik.scale.StoreError` for a folder that holds something else or cannot be written.
    """
    model = as_model(model)
    root = folders.as_folder(folder)
    poses = as_whole(poses, "`poses`", 1, SolverError, MAX_POSES)
    restarts = as_whole(restarts, "`restarts`", 0, SolverError, MAX_RESTARTS)
    seed = as_whole(seed, "`seed`", 0, SolverError, 2**63 - 1)
    check_flag(unreached, "`unreached`", SolverError)
    if not is_one_of(sample, (JOINTS, SPACE)):
        raise SolverError(f"`sample` needs {JOINTS!r} or {SPACE!r}, found {shortened(sample)}")
    check_engine(engine, threads, address)
    name = model.end_effector if frame is None else model.frame(frame).name
    _check_joints(model, name)
    is_proved = is_closed_form(model, name)
    if is_one_of(solutions, (ALL,)) and not is_proved:
        raise SolverError(
            f"`solutions` {ALL!r} needs an arm with a closed form, which {model.name!r} is not to {name!r}: "
            "give a number"
        )
    if not is_one_of(solutions, (ALL, NEAREST)):
        needed = f"`solutions`, if not {NEAREST!r} or {ALL!r},"
        solutions = as_whole(solutions, needed, 1, SolverError, MAX_SOLUTIONS)
    job = DatasetJob(
        model=model,
        frame=name,
        restarts=restarts,
        seed=seed,
        is_proved=is_proved,
        poses=poses,
        chunk_poses=CHUNK_POSES,
        solutions=solutions,
        sample=sample,
        has_unreached=bool(unreached),
    )
    _arrow()
    is_begun = folders.is_begun(root, job, TABLES)
    if not is_begun:
        with folders.writing(root):
            folders.write_record(root, job)
    dataset = Dataset.open(root)
    if is_begun:
        dataset._forget_damaged()
    run(job, dataset, engine, threads, address, progress)
    return dataset


@dataclass(frozen=True, eq=False)
class Dataset:
    """A dataset in a folder: Parquet tables in `tables`, which other programs read, and what they are of."""

    folder: Path
    record: dict[str, Any]  # robot, frame, joints with their ranges, and options

    @staticmethod
    def open(folder: str | Path) -> Dataset:
        """The dataset in a folder. Raises `limbik.scale.StoreError` where there is none."""
        root = folders.as_folder(folder)
        record = folders.read_record(root)
        if "solutions" not in record:
            raise StoreError(f"{folder} holds no dataset, but a {record['title']}")
        return Dataset(root, record)

    @property
    def files(self) -> list[Path]:
        """The tables that are done, in their order."""
        return [self._file(number) for number in range(self.record["chunks"]) if self.is_done(number)]

    @property
    def is_complete(self) -> bool:
        """Whether all are."""
        return all(map(self.is_done, range(self.record["chunks"])))

    def is_done(self, number: int) -> bool:
        """Whether a chunk has its table."""
        return self._file(number).exists()

    def write(self, number: int, rows: Chunk) -> None:
        """Write the table of a chunk. Raises StoreError where the disk is full, or the folder is gone."""
        content = _as_parquet(_arrow(), rows)
        with folders.writing(self.folder):
            folders.write_whole(self._file(number), content)

    def _file(self, number: int) -> Path:
        return self.folder / TABLES / f"{number:09}.parquet"

    @property
    def rows(self) -> int:
        """How many rows the tables have."""
        return sum(map(self._rows_of, self.files))

    def table(self, columns: Sequence[str] | None = None) -> Any:
        """All rows as a `pyarrow.Table`, of some columns or of all:

        pose: the number of the pose. position [3, m], quaternion [4, xyzw]: the pose in the robot's base. q
        [n]: the joints of `record["joints"]`, null where none was found. q16 [n]: the same as whole numbers
        from 0 at `record["lower"]` to 65,535 at `record["upper"]`. status: as in `limbik.Status`.
        """
        arrow = _arrow()
        if columns is not None:
            columns = list(members_of(columns, "`columns`", SolverError, f"some of {', '.join(COLUMNS)}"))
            for name in columns:
                if not is_one_of(name, COLUMNS):
                    raise SolverError(
                        f"a dataset has no column {shortened(name)}; {did_you_mean(name, COLUMNS)}"
                    )
        if not self.files:
            raise StoreError(f"{self.folder} has no table yet")
        return arrow.concat_tables([self._read(file, columns) for file in self.files])

    def _read(self, file: Path, columns: Sequence[str] | None = None) -> Any:
        with folders.reading(self.folder):
            parquet = _arrow().parquet
            names = tuple(parquet.read_schema(file).names)
            if names != COLUMNS:
                raise ValueError(
                    f"{file.name} needs the columns {', '.join(COLUMNS)}, found {', '.join(names)}"
                )
            return parquet.read_table(file, columns=columns, page_checksum_verification=True)

    def _rows_of(self, file: Path) -> int:
        with folders.reading(self.folder):
            return int(_arrow().parquet.read_metadata(file).num_rows)

    def _forget_damaged(self) -> None:
        """Tables that cannot be read are work that is left."""
        for file in self.files:
            try:
                self._read(file)
            except StoreError:
                with folders.writing(self.folder):
                    file.unlink()


def _check_joints(model: Model, frame: str) -> None:
    joints = [joint for joint in model.path(frame) if joint.nq]
    if not joints:
        raise SolverError(f"no joint moves frame {frame!r}: there is nothing to draw")
    for joint in joints:
        is_endless = not np.isfinite(joint.upper - joint.lower)
        if joint.nq != 1 or (joint.kind is JointKind.PRISMATIC and is_endless):
            raise SolverError(
                f"a dataset needs joints that turn, or slide between limits; {joint.name!r}, which moves "
                f"{frame!r}, does not"
            )


def _as_parquet(arrow: Any, rows: Chunk) -> Any:
    """The content of a table."""
    names = arrow.array([each.value for each in REASONS])
    missing = arrow.array(np.isnan(rows["q"][:, 0]))
    columns = {
        "pose": arrow.array(rows["pose"]),
        **{name: _lists(arrow, rows[name]) for name in ("position", "quaternion")},
        **{name: _lists(arrow, rows[name], missing) for name in ("q", "q16")},
        "status": arrow.DictionaryArray.from_arrays(arrow.array(rows["status"]), names),
    }
    content = arrow.BufferOutputStream()
    options = {"compression": "zstd", "use_dictionary": ["status"], "write_page_checksum": True}
    arrow.parquet.write_table(arrow.table(columns), content, **options)
    return content.getvalue()


def _lists(arrow: Any, values: Any, missing: Any = None) -> Any:
    return arrow.FixedSizeListArray.from_arrays(arrow.array(values.ravel()), values.shape[1], mask=missing)


def _arrow() -> Any:
    with needs_extra("scale", "a dataset"):
        import pyarrow
        import pyarrow.parquet
    return pyarrow
