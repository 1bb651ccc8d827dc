"""Reads and writes motions of any model as CSV: a column `time` [s] and one for each number of q.

Columns are called like their joints [rad or m]; of a ball or floating joint there is one for each number:
"joint.x", "joint.y", "joint.z" [m], "joint.qx", "joint.qy", "joint.qz", "joint.qw".
"""

from __future__ import annotations

import numpy as np

from limbik.errors import FormatError, did_you_mean
from limbik.formats.base_joint import BASE_JOINT
from limbik.formats.csv_rows import CsvRow, number_in, quoted, rows_of
from limbik.formats.source import Source
from limbik.model import Model
from limbik.model.joints import FARTHEST
from limbik.spatial import Array

TIME = "time"
UNEVEN = 1e-3  # of a time step: times are written with few digits

_PARTS = ("x", "y", "z", "qx", "qy", "qz", "qw")


def coordinate_names(model: Model) -> list[str]:
    """[nq] a name for each number of q."""
    names: list[str] = []
    for joint in model.joints:
        if joint.nq == 1:
            names.append(joint.name)
        elif joint.nq:
            names += [f"{joint.name}.{part}" for part in _PARTS[-joint.nq :]]
    return names


def has_floating_base(source: Source) -> bool:
    """Whether columns are those of a robot that moves freely (`limbik.load(..., base="floating")`)."""
    return f"{BASE_JOINT}.{_PARTS[-1]}" in _first_words(source)


def has_times(source: Source) -> bool:
    """Whether the first line names the column of times, which every motion has."""
    return TIME in _first_words(source)


def _first_words(source: Source) -> list[str]:
    first = source.text.split("\n", 1)[0]
    return [word.strip().strip('"') for word in first.split(",")]


def read(source: Source, model: Model) -> tuple[Array, float]:
    """q [T, nq] and dt [s] of a CSV file, at least two rows with even times.

    Raises FormatError with the line.
    """
    rows = list(rows_of(source.name, source.text))
    if len(rows) < 3:
        problem = (
            f"needs a line that names the columns, time and joints, and two rows, found {len(rows)} lines"
        )
        raise FormatError(source.name, problem)
    header, *others = rows
    columns = _columns(source.name, header, model)
    table = np.array([_numbers(source.name, row, columns, len(header.words)) for row in others])
    return table[:, 1:], _step(source.name, others, table[:, 0])


def write(model: Model, q: Array, dt: float) -> str:
    """A line for each frame; numbers of q to the last bit."""
    lines = [",".join(map(quoted, [TIME, *coordinate_names(model)]))]
    lines += [",".join(map(repr, [frame * dt, *row])) for frame, row in enumerate(q.tolist())]
    return "\n".join(lines) + "\n"


def _columns(name: str, header: CsvRow, model: Model) -> dict[str, int]:
    """Where the columns of the time and of each number of q stand, in this order."""
    wanted = [TIME, *coordinate_names(model)]
    for column in wanted:
        if header.words.count(column) != 1:
            fault = "twice" if column in header.words else f"not at all; {did_you_mean(column, header.words)}"
            problem = f"the header needs the column {column!r} once, found it {fault}"
            raise FormatError(name, problem, line=header.line)
    return {column: header.words.index(column) for column in wanted}


def _numbers(name: str, row: CsvRow, columns: dict[str, int], count: int) -> list[float]:
    if len(row.words) != count:
        raise FormatError(name, f"needs {count} columns, found {len(row.words)}", line=row.line)
    numbers = [number_in(name, row, column, row.words[index]) for column, index in columns.items()]
    for column, number in zip(columns, numbers, strict=True):
        if abs(number) > FARTHEST:
            problem = f"{column} needs a number up to {FARTHEST:g}, found {number:g}"
            raise FormatError(name, problem, line=row.line)
    return numbers


def _step(name: str, rows: list[CsvRow], times: Array) -> float:
    dt = float(times[-1] - times[0]) / (len(times) - 1)
    wanted = times[0] + dt * np.arange(len(times))
    if dt <= 0.0:
        raise FormatError(name, f"the times need to increase, found {times[0]:g} to {times[-1]:g}")
    wrong = np.flatnonzero(np.abs(times - wanted) > UNEVEN * dt)
    if wrong.size:
        k = int(wrong[0])
        problem = f"the times need even steps of {dt:g} s, here {wanted[k]:g}, found {times[k]:g}"
        raise FormatError(name, problem, line=rows[k].line)
    return dt
