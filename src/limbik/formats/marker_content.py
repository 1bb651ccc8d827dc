"""`MarkerContent`: what readers of marker files return: names, positions in metres, time step and up axis;
`metres_of` converts units.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from limbik.errors import FormatError, shortened
from limbik.spatial import Array

_METRES: Mapping[str, float] = MappingProxyType(
    {"m": 1.0, "meters": 1.0, "metres": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "inches": 0.0254}
)


class MarkerContent(NamedTuple):
    """Markers of a file."""

    names: tuple[str, ...]
    positions: Array  # [T, M, 3] [m]
    dt: float  # [s]
    up: Literal["x", "y", "z"] | None  # None where the file does not say it


def metres_of(name: str, unit: str, line: int | None = None) -> float:
    """One unit [m]. Raises FormatError for an unknown one."""
    if unit.strip().lower() not in _METRES:
        problem = f"the unit needs to be one of {', '.join(_METRES)}, found {shortened(unit)}"
        raise FormatError(name, problem, line=line)
    return _METRES[unit.strip().lower()]
