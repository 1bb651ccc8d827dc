"""`Markers`: positions of points over time from optical motion capture; `load_markers` reads C3D and TRC."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

import numpy as np

from limbik.errors import ConfigurationError, FormatError, FormatWarning, members_of, shortened
from limbik.formats import c3d, trc
from limbik.formats.csv_rows import fits_a_cell
from limbik.formats.marker_content import MarkerContent
from limbik.formats.motions import Up, as_dt, check_up
from limbik.formats.source import check_ending, open_source, write_text
from limbik.model.joints import FARTHEST
from limbik.spatial import Array, as_numbers, check_largest


@dataclass(frozen=True, eq=False)
class Markers:
    """Positions of markers at even steps of time.

    Raises ConfigurationError for names that are not as many as the markers or not different, arrays of
    another shape, and numbers that are infinite.
    """

    names: tuple[str, ...]  # [M]
    positions: Array  # [T, M, 3] [m]; nan where a marker was not seen
    dt: float  # [s] between frames
    up: Up = "z"  # the axis against gravity

    def __post_init__(self) -> None:
        names = members_of(self.names, "names", ConfigurationError, "a list of names")
        needed = f"numbers of shape [T, {len(names)}, 3]"
        positions = as_numbers(self.positions, "positions", needed, ConfigurationError).copy()
        if positions.ndim != 3 or positions.shape[1:] != (len(names), 3):
            raise ConfigurationError(f"positions needs {needed}, found shape {positions.shape}")
        missing = np.isnan(positions)
        if (partly := missing.any(axis=2) & ~missing.all(axis=2)).any():
            frame, marker = map(int, np.argwhere(partly)[0])
            raise ConfigurationError(
                f"positions needs three numbers of a marker, or nan for all three, found "
                f"{positions[frame, marker].tolist()} of {shortened(names[marker])} in frame {frame}"
            )
        seen = positions[~missing]
        check_largest(seen, FARTHEST, "positions", "m", ConfigurationError)
        for k, name in enumerate(names):
            if not isinstance(name, str) or name in names[:k]:
                raise ConfigurationError(f"names needs texts that differ, found {shortened(name)}")
        dt = as_dt(self.dt)
        check_up(self.up)
        positions.setflags(write=False)
        for field_name, value in (("names", tuple(names)), ("positions", positions), ("dt", dt)):
            object.__setattr__(self, field_name, value)

    def __len__(self) -> int:
        """The number of frames."""
        return len(self.positions)

    def save(self, path: str | PathLike[str]) -> None:
        """Write a TRC file, in mm with 6 decimals, gaps as empty cells. TRC does not say which axis is up:
        where that is not y, a FormatWarning says that `load_markers` needs `up`.

        Raises FormatError for another ending, for names that a TRC cannot hold, and where the file cannot be
        written.
        """
        name = str(path)
        check_ending(name, ".trc")
        for marker in self.names:
            if not marker or not fits_a_cell(marker):
                problem = f"a TRC needs names in one line, without tabs or blanks around, not {marker!r}"
                raise FormatError(name, problem)
        if self.up != "y":
            said = f"TRC cannot say that {self.up} is up, and its readers take y: load it with up={self.up!r}"
            warnings.warn(f"{name}: {said}", FormatWarning, stacklevel=2)
        text = trc.write(MarkerContent(self.names, self.positions, self.dt, self.up), Path(name).name)
        write_text(name, text)


def load_markers(file: str | PathLike[str], *, up: Up | None = None) -> Markers:
    """The markers in a C3D or TRC file, in metres, whatever the unit that the file says.

        limbik.load_markers("walk.c3d").positions[0]

    up: the axis of the world against gravity; default: what a C3D says in POINT:Y_SCREEN, otherwise z for C3D
    and y for TRC. Gaps, which a C3D marks by a negative residual and a TRC by empty cells, are nan.

    C3D needs `pip install limbik[motion]`. Raises FormatError, which names the file and of TRC the line, for
    a file that cannot be read or whose unit is unknown, and MissingExtra.
    """
    if not isinstance(file, str | PathLike):
        raise FormatError("<source>", f"needs a path, found {shortened(file)}")
    name = str(fspath(file))
    if Path(name).suffix.lower() == ".c3d":
        content = c3d.read(name)
        file_up = content.up or "z"
    else:
        source = open_source(file)
        name, content = source.name, trc.read(source)
        file_up = "y"
    try:
        return Markers(content.names, content.positions, content.dt, file_up if up is None else up)
    except ConfigurationError as error:
        raise FormatError(name, str(error)) from None
