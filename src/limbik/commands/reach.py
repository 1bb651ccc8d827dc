"""`limbik reach`: a map of what a robot reaches, and what a map says."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from limbik.commands.progress import progress_of

MAKE = "make"  # the command that a robot's name stands for
SHELLS = 10  # of distances, in the table of a map


class _Reach(TyperGroup):
    """`limbik reach ROBOT` makes a map."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of what was typed: a word that is none is a robot."""
        if args and args[0] not in self.commands:
            args = [MAKE, *args]
        return super().resolve_command(ctx, args)


reach = typer.Typer(
    name="reach",
    cls=_Reach,
    no_args_is_help=True,
    help="Map what a robot reaches: limbik reach ur5e --voxel 0.05 --out FOLDER; limbik reach show FOLDER.",
)


@reach.command(MAKE)
def make(
    robot: Annotated[str, typer.Argument(help="A robot's name, or a file that describes one.")],
    out: Annotated[Path, typer.Option(help="The folder of the map; a map that was begun there goes on.")],
    voxel: Annotated[float, typer.Option(help="Length of a voxel's edge, in m.")] = 0.05,
    orientations: Annotated[int, typer.Option(help="Orientations to try in each voxel.")] = 100,
    frame: Annotated[str | None, typer.Option(help="What reaches; default: the end effector.")] = None,
    restarts: Annotated[
        int | None, typer.Option(help="Restarts of a search, on arms without a closed form.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the searches.")] = 0,
    threads: Annotated[int | None, typer.Option(help="How many cores to use; default: all.")] = None,
    engine: Annotated[str, typer.Option(help="threads, or ray for the cores of a Ray cluster.")] = "threads",
    address: Annotated[
        str | None, typer.Option(help="Of a Ray cluster; default: one of this machine.")
    ] = None,
) -> None:
    """Find which voxels a robot reaches, in which orientations.

    Begun again with the same words it goes on where it was interrupted. Needs `pip install limbik\\[scale]`.

    For example: limbik reach ur5e --voxel 0.05 --orientations 100 --out ur5e-reach
    """
    from limbik.formats import load
    from limbik.scale.reach import RESTARTS, reach_map

    with progress_of("Mapping") as progress:
        reach_map(
            load(robot),
            out,
            voxel=voxel,
            orientations=orientations,
            frame=frame,
            restarts=RESTARTS if restarts is None else restarts,
            seed=seed,
            threads=threads,
            engine=engine,
            address=address,
            progress=progress,
        )
    _print(out)


@reach.command()
def show(folder: Annotated[Path, typer.Argument(help="The folder of a map.")]) -> None:
    """Say what a map holds: how much is reached, and how far out."""
    _print(folder)


def _print(folder: Path) -> None:
    import numpy as np
    from rich.console import Console
    from rich.table import Table

    from limbik.scale.reach import Reach

    found = Reach.open(folder)
    record, grid, fraction = found.record, found.grid, found.fraction
    is_reached = fraction > 0.0
    centers = grid.centers(0, grid.size)
    typer.echo(f"{record['robot']}, {record['frame']}: {grid.size:,} voxels of {grid.voxel:g} m")
    mean = fraction[is_reached].mean() if is_reached.any() else 0.0
    typer.echo(
        f"Reached: {is_reached.sum():,} voxels, {is_reached.sum() * grid.voxel**3:.3f} m^3; of "
        f"{record['orientations']} orientations {mean:.1%} on the mean, all in {(fraction == 1.0).sum():,}"
    )
    typer.echo(
        "What is not reached is proved to be out of reach: all solutions are known in closed form"
        if record["proved"]
        else f"What is not reached was not found in {record['restarts'] + 1} searches"
    )
    if not found.is_complete:
        typer.echo("The map is not complete: begin it again with the same words, and it goes on")
    if not is_reached.any():
        return
    table = Table("from the base [m]", "voxels", "orientations reached", "best manipulability", box=None)
    away = np.linalg.norm(centers - record["center"], axis=1)
    edges = np.linspace(0.0, away[is_reached].max(), SHELLS + 1)
    edges[-1] += 1e-9
    for low, high in itertools.pairwise(edges):
        here = (away >= low) & (away < high)
        if here.any():
            best = found.manipulability[here].max()
            table.add_row(
                f"{low:.2f} to {high:.2f}", f"{here.sum():,}", f"{fraction[here].mean():.1%}", f"{best:.3g}"
            )
    Console().print(table)
