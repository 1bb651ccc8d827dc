"""`limbik motion fill` and `solve`: fill gaps of markers, and solve a skeleton for them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from limbik.commands.as_typed import number
from limbik.commands.motion import UnitName, as_up, motion, size_of, write_file
from limbik.errors import ModelError

MarkerFile = Annotated[str, typer.Argument(help="Markers: a C3D or TRC file.")]


@motion.command()
def fill(
    file: MarkerFile,
    out: Annotated[str, typer.Option(help="Where to write the markers: a .trc file.")],
    max_error: Annotated[
        float, typer.Option(parser=number, help="Expected error above which a gap stays, in mm.")
    ] = 20.0,
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


@motion.command()
def solve(
    file: MarkerFile,
    skeleton: Annotated[str, typer.Argument(help="Who moves: a BVH, or a model's name or file.")],
    out: Annotated[str, typer.Option(help="Where to write: .bvh if the skeleton is one, or .csv.")],
    marker_set: Annotated[
        str, typer.Option("--set", help='A JSON file of markers and their links: {"RHEE": "RightFoot", ...}.')
    ],
    unit: UnitName = None,
    up: Annotated[
        str | None,
        typer.Option(
            "--up", help="The axis against gravity: x, y or z; default: what a C3D says, y for TRC."
        ),
    ] = None,
) -> None:
    """Move a skeleton by markers, in the person's size, and say how well it suits them.

    For example: limbik motion solve walk.trc skeleton.bvh --set markers.json --out walk.bvh
    """
    from limbik.formats.documents import plain_data
    from limbik.formats.load import load
    from limbik.formats.markers import load_markers
    from limbik.formats.motions import check_output, load_motion
    from limbik.formats.source import open_source
    from limbik.motion.markers.solve import solve_markers

    check_output(out)
    is_motion = Path(skeleton).suffix.lower() == ".bvh"
    if unit is not None and not is_motion:
        raise ModelError(f"--unit is that of a BVH, and {skeleton!r} is none: leave it out")
    body = load_motion(skeleton, unit=size_of(unit)) if is_motion else load(skeleton)
    links = plain_data(open_source(Path(marker_set)))
    solved = solve_markers(load_markers(file, up=as_up(up)), body, marker_set=links)
    width = max(len(marker) for marker in solved.markers.names)
    for marker, rms in solved.marker_rms_mm.items():
        residual = "never seen" if math.isnan(rms) else f"{rms:7.1f} mm"
        typer.echo(f"{marker:<{width}}  {residual}  {solved.positions[marker][0]}")
    for change in (*solved.swaps, *solved.ghosts):
        typer.echo(str(change))
    typer.echo(str(solved))
    write_file(solved.motion, out)
    if (up_axis := solved.motion.up) != "y" and Path(out).suffix.lower() == ".bvh":
        typer.echo(
            f"{up_axis} is up in it, as in the markers, which a BVH cannot say: read it with --up {up_axis}"
        )
