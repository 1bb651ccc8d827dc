"""`limbik reach`: make, print, compare or open maps of what a robot reaches; find where to put its base."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from limbik.commands import chunk_options as options
from limbik.commands.as_typed import number
from limbik.commands.play import Host, NoBrowser, Port, open_playground
from limbik.commands.progress import progress_of
from limbik.errors import SolverError

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
    help="Map what a robot reaches: limbik reach ur5e --voxel 0.05 --out FOLDER; limbik reach open FOLDER.",
)


@reach.command(MAKE)
def make(
    robot: options.Robot,
    out: Annotated[str, typer.Option(help="The folder of the map; a map that was begun there goes on.")],
    voxel: Annotated[float, typer.Option(parser=number, help="Length of a voxel's edge, in m.")] = 0.05,
    orientations: Annotated[int, typer.Option(help="Orientations to try in each voxel.")] = 100,
    frame: options.Frame = None,
    world: Annotated[
        str | None, typer.Option(metavar="FILE", help="What stands about the robot: reached is what is free.")
    ] = None,
    clearance: Annotated[
        float, typer.Option(parser=number, help="From everything in the world, in m.")
    ] = 0.0,
    restarts: options.Restarts = None,
    seed: options.Seed = 0,
    threads: options.Threads = None,
    engine: options.Engine = None,
    address: options.Address = None,
) -> None:
    """Find which voxels a robot reaches, in which orientations.

    Begun again with the same words it goes on where it was interrupted. Needs `pip install limbik\\[scale]`.

    For example: limbik reach ur5e --voxel 0.05 --orientations 100 --out ur5e-reach
    """
    from limbik.collision import load_world
    from limbik.formats import load
    from limbik.scale.job import RESTARTS
    from limbik.scale.reach import reach_map

    with progress_of("Mapping") as progress:
        reach_map(
            load(robot),
            out,
            voxel=voxel,
            orientations=orientations,
            frame=frame,
            world=None if world is None else load_world(world),
            clearance=clearance,
            restarts=RESTARTS if restarts is None else restarts,
            seed=seed,
            threads=threads,
            engine=options.engine_for(engine, threads),
            address=address,
            progress=progress,
        )
    _print(Path(out))


@reach.command()
def show(
    folders: Annotated[list[Path], typer.Argument(metavar="FOLDER...", help="Maps; several are compared.")],
    plot: Annotated[
        Path | None, typer.Option(help="Also draw the slices of a map: a file such as reach.png.")
    ] = None,
) -> None:
    """Say what a map holds: how much is reached, and how far out; of several, robot beside robot.

    For example: limbik reach show ur5e-reach --plot ur5e-reach.png
    """
    from limbik.scale.reach import Reach

    if len(folders) > 1:
        if plot is not None:
            raise SolverError("`plot` draws one map, and there are several")
        _compare([Reach.open(folder) for folder in folders])
        return
    _print(folders[0])
    if plot is not None:
        from limbik.scale.picture import save_picture

        save_picture(Reach.open(folders[0]), plot)


@reach.command("open")
def open_map(
    folder: Annotated[Path, typer.Argument(help="The folder of a map.")],
    robot: Annotated[
        str | None,
        typer.Argument(help="The robot's name or file; default: the robot of that name which the map is of."),
    ] = None,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    no_browser: NoBrowser = False,
) -> None:
    """Open a map in the browser, about its robot: slices, and what is reached in a voxel.

    For example: limbik reach open ur5e-reach
    """
    from urllib.parse import urlencode

    from limbik.app.reach_maps import ReachMap
    from limbik.app.upload import Upload
    from limbik.formats import load, registry
    from limbik.formats.source import bytes_of
    from limbik.scale.reach import Reach

    mapped = ReachMap(Reach.open(folder))
    wanted = mapped.reach.record["robot"] if robot is None else robot
    uploads = []
    if registry.find(wanted):
        shown = {"robot": wanted}
    elif robot is None:
        raise SolverError(
            f"the map is of {wanted!r}, which is no robot's name: give its file after the folder"
        )
    else:
        file = Path(robot).expanduser()
        uploads.append(Upload(file.name, {file.name: bytes_of(file, robot)}))
        shown = {"token": uploads[0].token, "name": file.name}
    mapped.reach.check_robot(load(wanted))
    open_playground(
        host,
        port,
        no_browser,
        query=f"/?{urlencode({'view': '3d', **shown, 'map': mapped.key})}",
        command=["limbik", "reach", "open", str(folder), *([] if robot is None else [robot])],
        uploads=uploads,
        maps=[mapped],
    )


@reach.command()
def base(
    folder: Annotated[Path, typer.Argument(help="The folder of a map.")],
    poses: Annotated[Path, typer.Argument(help="CSV of the poses, as `limbik path` reads it.")],
    height: Annotated[float, typer.Option(parser=number, help="Of the base, in m.")] = 0.0,
    yaws: Annotated[int, typer.Option(help="Rotations about z to try.")] = 16,
    count: Annotated[int, typer.Option(help="How many poses of the base to print.")] = 5,
) -> None:
    """Find where to stand the robot so that it reaches poses, by its map.

    For example: limbik reach base ur5e-reach shelf.csv --height 0.8
    """
    import math

    from rich.console import Console
    from rich.table import Table

    from limbik.formats.path_csv import read_poses
    from limbik.scale.reach import Reach

    targets = read_poses(poses).poses
    stands = Reach.open(folder).placements(targets, height=height, yaws=yaws, count=count)
    if not stands:
        typer.echo("No base was found from which one of the poses is reached")
        raise typer.Exit(1)
    table = Table("x [m]", "y [m]", "yaw [deg]", "poses reached", "margin to limits", box=None)
    for each in stands:
        x, y = each.pose[:2, 3]
        yaw = math.degrees(math.atan2(each.pose[1, 0], each.pose[0, 0]))
        reached = f"{round(each.fraction * len(targets))} of {len(targets)}"
        table.add_row(f"{x:.3f}", f"{y:.3f}", f"{yaw:.1f}", reached, f"{each.margin:.3f}")
    Console(markup=False).print(table)


def _compare(maps: list[Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("", *(each.record["robot"] for each in maps), box=None)
    rows: list[tuple[str, Callable[[Any], str]]] = [
        ("voxel [m]", lambda each: f"{each.grid.voxel:g}"),
        ("orientations", lambda each: str(each.record["orientations"])),
        ("world", lambda each: ", ".join(each.record["world"] or ()) or "none"),
        ("reached [m^3]", lambda each: f"{(each.fraction > 0.0).sum() * each.grid.voxel**3:.3f}"),
        (
            "in all orientations [m^3]",
            lambda each: f"{(each.fraction == 1.0).sum() * each.grid.voxel**3:.3f}",
        ),
        ("orientations where reached", lambda each: f"{_mean_fraction(each):.1%}"),
        ("best horizontal slice z [m]", lambda each: f"{each.best_slice()[0]:.3f}"),
        ("best manipulability", lambda each: f"{each.manipulability.max():.3g}"),
    ]
    for title, say in rows:
        table.add_row(title, *map(say, maps))
    Console(markup=False).print(table)


def _mean_fraction(stands: Any) -> float:
    """Of the orientations, in the voxels that are reached."""
    fraction = stands.fraction[stands.fraction > 0.0]
    return float(fraction.mean()) if fraction.size else 0.0


def _print(folder: Path) -> None:
    import numpy as np
    from rich.console import Console
    from rich.table import Table

    from limbik.scale.reach import Reach

    opened = Reach.open(folder)
    record, grid, fraction = opened.record, opened.grid, opened.fraction
    is_reached = fraction > 0.0
    centers = grid.centers(0, grid.size)
    typer.echo(f"{record['robot']}, {record['frame']}: {grid.size:,} voxels of {grid.voxel:g} m")
    typer.echo(
        f"Reached: {is_reached.sum():,} voxels, {is_reached.sum() * grid.voxel**3:.3f} m^3; of "
        f"{record['orientations']} orientations {_mean_fraction(opened):.1%} on the mean, "
        f"all in {(fraction == 1.0).sum():,}"
    )
    typer.echo(
        "What is not reached is proved to be out of reach: all solutions are known in closed form"
        + ("" if record["world"] is None else ", and none is free of collision")
        if record["proved"]
        else f"What is not reached was not found in {record['restarts'] + 1} searches"
    )
    if not opened.is_complete:
        typer.echo("The map is not complete: begin it again with the same words, and it goes on")
    if not is_reached.any():
        return
    index = int(opened.solutions.argmax())
    typer.echo(f"Best horizontal slice: z = {opened.best_slice()[0]:.3f} m")
    typer.echo(
        f"Most solutions: {opened.solutions[index]:,} at ({', '.join(f'{x:.3f}' for x in centers[index])}) m"
    )
    table = Table("from the base [m]", "voxels", "orientations reached", "best manipulability", box=None)
    away = np.linalg.norm(centers - record["center"], axis=1)
    edges = np.linspace(0.0, away[is_reached].max(), SHELLS + 1)
    edges[-1] += 1e-9
    for low, high in itertools.pairwise(edges):
        here = (away >= low) & (away < high)
        if here.any():
            best = opened.manipulability[here].max()
            table.add_row(
                f"{low:.2f} to {high:.2f}", f"{here.sum():,}", f"{fraction[here].mean():.1%}", f"{best:.3g}"
            )
    Console(markup=False).print(table)
