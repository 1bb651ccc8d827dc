"""Markers from C3D, the binary format of optical motion capture, through ezc3d. (c3d.org)"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np

from limbik.errors import FormatError, MissingExtra
from limbik.formats.marker_content import MarkerContent, metres_of


def read(name: str) -> MarkerContent:
    """The markers of a file. Raises FormatError for a broken one and MissingExtra without ezc3d."""
    try:
        import ezc3d
    except ImportError:
        raise MissingExtra("motion", "reading C3D") from None
    path = Path(name).expanduser()
    if not path.is_file():
        raise FormatError(name, "there is no such file")
    try:
        file = ezc3d.c3d(str(path))
    except Exception as error:  # of the library, which has no errors of its own
        raise FormatError(name, f"is no C3D file that can be read: {error}") from None
    points = np.moveaxis(file["data"]["points"][:3], 0, -1)  # [M, T, 3]
    hidden = file["data"]["meta_points"]["residuals"][0] < 0.0  # [M, T]
    points = np.where(hidden[..., None], np.nan, points)
    settings = file["parameters"].get("POINT", {})
    names = _names(settings, len(points))
    rate = float(file["header"]["points"]["frame_rate"])
    if not rate > 0.0:
        raise FormatError(name, f"the rate of points needs to be positive, found {rate:g}")
    metres = metres_of(name, str(_first(settings, "UNITS", "mm")))
    return MarkerContent(names, metres * points.swapaxes(0, 1), 1.0 / rate, _up(settings))


def _names(settings: Any, count: int) -> tuple[str, ...]:
    """Of more than 255 markers the rest stands in LABELS2 and so on; those without one are numbered."""
    labels: list[str] = []
    for key in ("LABELS", *(f"LABELS{k}" for k in range(2, 1 + count // 255 + 1))):
        labels += [str(label).strip() for label in settings.get(key, {}).get("value", [])]
    labels = [*labels[:count], *[""] * (count - len(labels))]
    found: list[str] = []
    for k, label in enumerate(labels):
        found.append(label if label and label not in found else f"{label or 'marker'} {k}")
    return tuple(found)


def _up(settings: Any) -> Literal["x", "y", "z"] | None:
    axis = str(_first(settings, "Y_SCREEN", "")).strip().lower().lstrip("+")
    return next((each for each in ("x", "y", "z") if each == axis), None)


def _first(settings: Any, key: str, default: Any) -> Any:
    values = settings.get(key, {}).get("value", [])
    return values[0] if len(values) else default
