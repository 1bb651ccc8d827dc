"""Reads poses along a path from CSV, and writes joint paths as CSV.

The first line names the columns, in any order: x, y, z [m]; qx, qy, qz, qw, or roll, pitch, yaw [rad] about
the fixed axes x, y, z, in this order; time [s] where there is one. Other columns are left aside, and so are
empty lines and those that begin with #.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from limbik.errors import FormatError
from limbik.formats.csv_rows import CsvRow, number_in, quoted, rows_of
from limbik.formats.source import SourceLike, open_source
from limbik.joint_path import Path
from limbik.model import Model
from limbik.model.joints import FARTHEST
from limbik.spatial import (
    Array,
    Matrix4,
    pose_from,
    quat_from_matrix,
    quat_normalise,
    quat_to_matrix,
    rotation_rpy,
)

TIME = "time"
OTHER_TIMES = ("timestamp", "time_s", "time [s]", "time(s)", "time (s)")  # as other programs write it
POSITION = ("x", "y", "z")
ROLL_PITCH_YAW = ("roll", "pitch", "yaw")
QUATERNION = ("qx", "qy", "qz", "qw")
KNOWN = (TIME, *POSITION, *ROLL_PITCH_YAW, *QUATERNION)


class Waypoints(NamedTuple):
    """What is to be followed."""

    poses: Array  # [N, 4, 4]
    times: Array | None  # [N] in seconds, increasing


def read_poses(source: SourceLike) -> Waypoints:
    """The poses of a CSV file or text, at least one, and their times where it has a column of them.

    Raises FormatError with the line.
    """
    opened = open_source(source)
    rows = list(rows_of(opened.name, opened.text))
    if not rows:
        raise FormatError(opened.name, f"the first line names the columns: {', '.join(POSITION)} ...", line=1)
    header, *others = rows
    columns = _columns(opened.name, header)
    if not others:
        raise FormatError(opened.name, "there are no poses below the header", line=header.line)
    numbers = [_numbers(opened.name, row, columns, len(header.words)) for row in others]
    poses = [_pose(opened.name, row.line, each) for row, each in zip(others, numbers, strict=True)]
    if TIME not in columns:
        return Waypoints(np.stack(poses), None)
    times = [each[TIME] for each in numbers]
    for row, (before, after) in zip(others[1:], itertools.pairwise(times), strict=True):
        if after <= before:
            problem = f"the time needs to be later than the one before, {before:g}; found {after:g}"
            raise FormatError(opened.name, problem, line=row.line)
    return Waypoints(np.stack(poses), np.array(times))


def path_csv(model: Model, path: Path) -> str:
    """A line for each knot: its time where there are times, each joint [rad or m], the pose wanted there.

    Times increase: a knot that takes none after the one before is left out, as that of a repeated pose, or of
    one for which the arm stands still.
    A joint that is called like one of the other columns is written as "NAME (joint)". Numbers are those of
    the path, to the last bit.
    """
    joints = [joint.name for joint in model.joints if joint.nq]
    joints = [f"{name} (joint)" if name in KNOWN else name for name in joints]
    heads = [*([TIME] if path.times is not None else []), *joints, *POSITION, *QUATERNION]
    rows = np.column_stack(
        [
            *([path.times] if path.times is not None else []),
            path.q,
            path.poses[:, :3, 3],
            quat_from_matrix(path.poses[:, :3, :3]),
        ]
    )
    if path.times is not None:
        rows = rows[np.diff(path.times, prepend=-math.inf) > 0.0]
    lines = [heads, *([repr(float(value)) for value in row] for row in rows)]
    return "".join(",".join(quoted(word) for word in line) + "\n" for line in lines)


# --- lines --------------------------------------------------------------------------------------------------


def _columns(name: str, header: CsvRow) -> dict[str, int]:
    """Where the columns that are read stand."""
    for word in header.words:
        if word not in KNOWN and word.lower() in KNOWN:
            raise FormatError(name, f"column {word!r} needs to be called {word.lower()!r}", line=header.line)
        if word.lower() in OTHER_TIMES:
            raise FormatError(name, f"column {word!r} needs to be called {TIME!r}", line=header.line)
        if word in KNOWN and header.words.count(word) > 1:
            raise FormatError(name, f"column {word!r} needs to be there once", line=header.line)
    turn = QUATERNION if any(word in header.words for word in QUATERNION) else ROLL_PITCH_YAW
    wanted = (*POSITION, *turn)
    missing = [word for word in wanted if word not in header.words]
    if missing:
        needed = "the columns x, y, z and roll, pitch, yaw or qx, qy, qz, qw, between commas"
        raise FormatError(
            name, f"the header needs {needed}; {', '.join(missing)} not found", line=header.line
        )
    return {word: k for k, word in enumerate(header.words) if word in (*wanted, TIME)}


def _numbers(name: str, row: CsvRow, columns: Mapping[str, int], count: int) -> dict[str, float]:
    if len(row.words) != count:
        raise FormatError(name, f"needs {count} columns, found {len(row.words)}", line=row.line)
    return {word: number_in(name, row, word, row.words[index]) for word, index in columns.items()}


def _pose(name: str, line: int, numbers: Mapping[str, float]) -> Matrix4:
    position = np.array([numbers[word] for word in POSITION])
    if np.abs(position).max() > FARTHEST:
        raise FormatError(name, f"a position needs numbers up to {FARTHEST:g} m", line=line)
    if "qw" not in numbers:
        return pose_from(rotation_rpy(*(numbers[word] for word in ROLL_PITCH_YAW)), position)
    quaternion = np.array([numbers[word] for word in QUATERNION])
    if not quaternion.any():
        raise FormatError(name, "the quaternion needs numbers that are not all 0", line=line)
    return pose_from(quat_to_matrix(quat_normalise(quaternion)), position)
