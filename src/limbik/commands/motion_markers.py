"""`limbik motion fill`: markers of motion capture."""

from __future__ import annotations

from typing import Annotated

import typer

from limbik.commands.motion import motion

MarkerFile = Annotated[str, typer.Argument(help="Markers: a C3D or TRC file.")]


@motion.command()
def fill(
    file: MarkerFile,
    out: Annotated[str, typer.Option(help="Where to write the markers: a .trc file.")],
    max_error: Annotated[float, typer.Option(help="Expected error above which a gap stays, in mm.")] = 20.0,
) -> None:
    """Fill the gaps of markers, and say how, and how well.

    For example: limbik motion fill walk.c3d --out filled.trc
    """
    from limbik.formats.markers import load_markers
    from limbik.motion.markers.gaps import fill_gaps

    filled = fill_gaps(load_markers(file), max_error_mm=max_error)
    filled.markers.save(out)
    for gap in filled.gaps:
        typer.echo(str(gap))
    typer.echo(f"{out}: {filled}")
