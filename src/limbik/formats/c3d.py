"""Markers from C3D, the binary format of optical motion capture, through ezc3d. (c3d.org)"""

from __future__ import annotations

import importlib.util
import struct
import warnings
from pathlib import Path
from typing import Any, Literal

import numpy as np

from limbik.errors import FormatError, FormatWarning, MissingExtra, shortened
from limbik.formats.marker_content import MarkerContent, metres_of
from limbik.formats.separate_process import apart
from limbik.formats.source import first_bytes

SECONDS = 10.0  # to start and to read a small file
SECONDS_PER_BYTE = 2e-6  # ten times what large files take
HEADER = 512  # bytes of a block; the first one is the header
FIRST_FRAME = 6  # byte at which the numbers of the first and of the last frame stand
LAST_THAT_FITS = 0xFFFF
BIG_ENDIAN = 86  # MIPS, of the kinds of processor


def read(name: str) -> MarkerContent:
    """The markers of a file, read in a process of its own: damaged files end ezc3d, or keep it for ever.

    Raises FormatError for a broken file, a cut one included, and MissingExtra without ezc3d.
    """
    if importlib.util.find_spec("ezc3d") is None:
        raise MissingExtra("motion", "reading C3D")
    path = Path(name).expanduser()
    content = first_bytes(path, name, 256 * HEADER)
    seconds = SECONDS + SECONDS_PER_BYTE * path.stat().st_size
    read_apart = apart(name, seconds, _content, str(path), name)
    expected = _frames_of_header(content)
    count = len(read_apart.positions)
    if count < expected:
        raise FormatError(name, f"ends after {count} of its {expected} frames")
    if not 0 < expected < count:
        return read_apart
    is_padding = not np.nan_to_num(read_apart.positions[expected:]).any()
    taken = (
        f"the first {expected} are read, for the others are zeros" if is_padding else "all of these are read"
    )
    _warn(name, f"its header says {expected} frames, and POINT:FRAMES more, of which it has {count}; {taken}")
    return read_apart._replace(positions=read_apart.positions[: expected if is_padding else count])


def _content(path: str, name: str) -> MarkerContent:
    import ezc3d

    try:
        file = ezc3d.c3d(path)
    except Exception as error:  # of the library, which has no errors of its own
        raise FormatError(name, f"is no C3D file that can be read: {error}") from None
    points = np.moveaxis(file["data"]["points"][:3], 0, -1)  # [M, T, 3]
    hidden = file["data"]["meta_points"]["residuals"][0] < 0.0  # [M, T]
    points = np.where(hidden[..., None], np.nan, points)
    settings = file["parameters"].get("POINT", {})
    names = _names(name, settings, len(points))
    rate = float(file["header"]["points"]["frame_rate"])
    if not rate > 0.0:
        raise FormatError(name, f"the rate of points needs to be positive, found {rate:g}")
    metres = metres_of(name, str(_first(settings, "UNITS", "mm")))
    return MarkerContent(names, metres * points.swapaxes(0, 1), 1.0 / rate, _up(name, settings))


def _frames_of_header(content: bytes) -> int:
    """How many frames the header says; 0 where there are more than it can say. ezc3d tells those it found."""
    if len(content) < HEADER:
        return 0
    processor = content[min((content[0] - 1) * HEADER + 3, len(content) - 1)]
    first, last = struct.unpack_from(">2H" if processor == BIG_ENDIAN else "<2H", content, FIRST_FRAME)
    return 0 if last == LAST_THAT_FITS else max(last - first + 1, 0)


def _names(name: str, settings: Any, count: int) -> tuple[str, ...]:
    """Of more than 255 markers the rest stands in LABELS2 and so on; those without one are numbered."""
    labels: list[str] = []
    for key in ("LABELS", *(f"LABELS{k}" for k in range(2, 1 + count // 255 + 1))):
        labels += [str(label).strip() for label in settings.get(key, {}).get("value", [])]
    labels = [*labels[:count], *[""] * (count - len(labels))]
    names: list[str] = []
    for k, label in enumerate(labels):
        if label in names:
            _warn(name, f"two markers are called {shortened(label)}; the second is '{label} {k}' here")
        names.append(label if label and label not in names else f"{label or 'marker'} {k}")
    return tuple(names)


def _up(name: str, settings: Any) -> Literal["x", "y", "z"] | None:
    said = str(_first(settings, "Y_SCREEN", "")).strip()
    axis = said.lower().lstrip("+")
    up = next((each for each in ("x", "y", "z") if each == axis), None)
    if said and up is None:
        _warn(name, f"POINT:Y_SCREEN says {shortened(said)}, and up is +X, +Y or +Z; it is taken as +Z")
    return up


def _warn(name: str, said: str) -> None:
    warnings.warn(f"{name}: {said}", FormatWarning, stacklevel=3)


def _first(settings: Any, key: str, default: Any) -> Any:
    values = settings.get(key, {}).get("value", [])
    return values[0] if len(values) else default
