"""Markers in TRC, the text of columns of OpenSim and Motion Analysis: reads and writes them.

Line 1 is a title, 2 names settings and 3 has their values (DataRate, NumMarkers, Units, ...); line 4 names
the markers and 5 their axes. Then there is a line of cells between tabs for each frame: its number, the time,
and x, y and z of each marker.
"""

from __future__ import annotations

import math
import warnings

import numpy as np

from limbik.errors import FormatError, FormatWarning, shortened
from limbik.formats.marker_content import MarkerContent, metres_of
from limbik.formats.source import Source
from limbik.number_text import number_from
from limbik.spatial import Array

UNEVEN = 0.02  # of the expected time from the first frame to the last, that it may be off
MAX_TIME = 1e15  # of a frame or in seconds: beyond, one frame more is no other number
ROUNDED = 0.01  # [s] that times of two decimals may be off besides


def read(source: Source) -> MarkerContent:
    """The markers of a file. Raises FormatError, which names the line."""
    lines = source.text.splitlines()
    if len(lines) < 5 or not lines[0].startswith("PathFileType"):
        raise FormatError(source.name, "needs C3D, or TRC, which begins with PathFileType", line=1)
    if "\t" not in lines[3] and "," in lines[3]:
        raise FormatError(source.name, "its cells need tabs between them, found commas", line=4)
    settings = dict(zip(lines[1].split(), lines[2].split(), strict=False))
    rate = _number(settings.get("DataRate", ""))
    if not rate > 0.0 or rate == math.inf:
        problem = f"DataRate needs a positive number, found {shortened(settings.get('DataRate'))}"
        raise FormatError(source.name, problem, line=3)
    metres = metres_of(source.name, settings.get("Units", ""), line=3)
    names = tuple(cell.strip() for cell in lines[3].split("\t")[2:] if cell.strip())
    if settings.get("NumMarkers", str(len(names))) != str(len(names)):
        problem = f"NumMarkers says {settings['NumMarkers']}, but {len(names)} are named on line 4"
        raise FormatError(source.name, problem, line=3)
    if math.isfinite(_number((lines[4].split() or [""])[0])):
        needed = "needs the names of coordinates, X1 Y1 Z1, before the first frame"
        raise FormatError(source.name, needed, line=5)
    numbered = [(k, line) for k, line in enumerate(lines[5:], start=6) if line.strip()]
    rows = [_row(source.name, line, k, len(names)) for k, line in numbered]
    _warn_of_times(source.name, [line.split("\t")[:2] for _, line in numbered], rate)
    if settings.get("NumFrames", str(len(rows))) != str(len(rows)):
        problem = f"NumFrames says {settings['NumFrames']}, found {len(rows)}"
        raise FormatError(source.name, problem, line=len(lines))
    positions = np.array(rows, dtype=np.float64).reshape(len(rows), len(names), 3)
    return MarkerContent(names, metres * positions, 1.0 / rate, None)


def _warn_of_times(name: str, cells: list[list[str]], rate: float) -> None:
    """Warn where the numbers of frames or their times are not those of a clip of that rate."""
    frames, times = (
        np.array([_number(row[k]) if len(row) > k else math.nan for row in cells]) for k in (0, 1)
    )
    if np.nan_to_num(np.abs([frames, times])).max(initial=0.0) > MAX_TIME:
        said = f"a frame or a time is beyond {MAX_TIME:g}; each row is taken as the next frame"
        warnings.warn(f"{name}: {said}", FormatWarning, stacklevel=4)
        return
    steps = np.diff(frames)
    if (jumps := np.flatnonzero(np.isfinite(steps) & (steps != 1.0))).size:
        first = int(jumps[0])
        said = f"frame {frames[first]:g} is followed by frame {frames[first + 1]:g}"
        warnings.warn(f"{name}: {said}; each row is taken as the next frame", FormatWarning, stacklevel=4)
    elif np.isfinite(times).all() and len(times) > 1:
        span, expected = times[-1] - times[0], (len(times) - 1) / rate
        steps = np.diff(times)
        usual = float(np.sort(steps)[(len(steps) - 1) // 2])
        if (jumps := np.flatnonzero(np.abs(steps - usual) > 0.5 * abs(usual) + ROUNDED)).size:
            first = int(jumps[0])
            said = f"time {times[first]:g} s is followed by {times[first + 1]:g} s"
            warnings.warn(f"{name}: {said}; each row is taken as the next frame", FormatWarning, stacklevel=4)
        elif abs(span - expected) > UNEVEN * expected + ROUNDED:
            step = span / (len(times) - 1)
            said = f"its times are {step:.4g} s apart, and DataRate says {rate:g} frames per second"
            warnings.warn(f"{name}: {said}, which is taken", FormatWarning, stacklevel=4)


def _row(name: str, line: str, number: int, count: int) -> Array:
    """x, y and z of each marker [3 M]; nan for cells that are empty or missing at the end."""
    cells = [cell.strip() for cell in line.rstrip("\r\n").split("\t")][2:]
    while len(cells) > 3 * count and not cells[-1]:
        cells.pop()
    if len(cells) > 3 * count:
        raise FormatError(name, f"needs {3 * count} numbers of markers, found {len(cells)}", line=number)
    cells += [""] * (3 * count - len(cells))
    values = np.array([_number(cell) if cell else math.nan for cell in cells])
    for cell, value in zip(cells, values, strict=True):
        if cell and not math.isfinite(value) and cell.lower() != "nan":
            raise FormatError(name, f"needs a number or an empty cell, found {shortened(cell)}", line=number)
    values = values.reshape(count, 3)
    present = 3 - np.isnan(values).sum(axis=1)
    for marker in np.flatnonzero(present % 3)[:1]:
        problem = f"marker {marker + 1} needs three numbers, or none for a gap, found {present[marker]}"
        raise FormatError(name, problem, line=number)
    return np.asarray(values.ravel())


def _number(text: str) -> float:
    """A number, with a decimal point or comma; nan for all else."""
    return number_from(text.replace(",", "."))


def write(content: MarkerContent, title: str) -> str:
    """The text of a TRC, in mm; cells of gaps are empty.

    TRC cannot say the axis that is up; its readers take y.
    """
    rate = f"{1.0 / content.dt:.10g}"
    frames, count = content.positions.shape[:2]
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{title}",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"{rate}\t{rate}\t{frames}\t{count}\tmm\t{rate}\t1\t{frames}",
        "\t".join(["Frame#", "Time", *(f"{name}\t\t" for name in content.names)]),
        "\t".join(["", "", *(f"{axis}{k}" for k in range(1, count + 1) for axis in "XYZ")]),
    ]
    for k, row in enumerate(1e3 * content.positions.reshape(frames, 3 * count)):
        cells = ["" if math.isnan(value) else f"{value:.6f}" for value in row]
        lines.append("\t".join([str(k + 1), f"{k * content.dt:.6f}", *cells]))
    return "\n".join(lines) + "\n"
