"""Draws a reach map: two slices, coloured by the fraction of orientations that is reached."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from limbik.errors import SolverError, needs_extra, shortened
from limbik.scale.folder import writing
from limbik.scale.reach import Reach

FORMATS = ".png", ".svg", ".pdf"
NAMES = "xyz"


def save_picture(reach: Reach, file: str | Path) -> None:
    """Save the vertical slice through the robot and the horizontal one with the largest reached fraction.

    The end of the file's name says its format: .png, .svg or .pdf. Raises SolverError for another one,
    `limbik.scale.StoreError` where the file cannot be written, and MissingExtra without matplotlib.
    """
    if Path(file).suffix not in FORMATS:
        raise SolverError(
            f"`plot` needs a file that ends in {', '.join(FORMATS)}, found {shortened(str(file))}"
        )
    with needs_extra("scale", "a picture of a map"):
        from matplotlib.figure import Figure

    figure: Any = Figure(figsize=(11, 5), layout="constrained")
    left, right = figure.subplots(1, 2)
    record = reach.record
    height, _ = reach.best_slice(2)
    _draw(left, reach, 1, record["center"][1])
    image = _draw(right, reach, 2, height)
    figure.colorbar(image, ax=[left, right], label="fraction of the orientations that is reached")
    figure.suptitle(f"{record['robot']}, {record['frame']}")
    with writing(Path(file).parent):
        figure.savefig(file)


def _draw(axes: Any, reach: Reach, across: int, at: float) -> Any:
    """The slice across an axis at a coordinate [m]."""
    grid = reach.grid
    index = int(np.clip((at - grid.corner[across]) // grid.voxel, 0, grid.shape[across] - 1))
    values = np.take(reach.fraction.reshape(grid.shape), index, axis=across)
    first, second = (axis for axis in range(3) if axis != across)
    ends = [(grid.corner[k], grid.corner[k] + grid.shape[k] * grid.voxel) for k in (first, second)]
    seen = np.ma.masked_equal(values.T, 0.0)
    image = axes.imshow(seen, origin="lower", extent=(*ends[0], *ends[1]), vmin=0.0, vmax=1.0)
    axes.plot(0.0, 0.0, "+", color="black")
    axes.set_xlabel(f"{NAMES[first]} [m]")
    axes.set_ylabel(f"{NAMES[second]} [m]")
    axes.set_title(f"{NAMES[across]} = {grid.corner[across] + (index + 0.5) * grid.voxel:.3f} m")
    return image
