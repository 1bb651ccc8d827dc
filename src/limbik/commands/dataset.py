"""`limbik dataset`: pairs of pose and configuration, for learning."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from limbik.commands.progress import progress_of
from limbik.errors import SolverError, shortened


def dataset(
    robot: Annotated[str, typer.Argument(help="A robot's name, or a file that describes one.")],
    out: Annotated[Path, typer.Option(help="The folder of the dataset; one that was begun there goes on.")],
    poses: Annotated[str, typer.Option(help="How many poses are drawn, such as 1e6.")] = "1e6",
    solutions: Annotated[
        str, typer.Option(help="Of each pose: nearest, all (of arms with a closed form), or a number.")
    ] = "nearest",
    sample: Annotated[
        str, typer.Option(help="joints: poses of random configurations; space: random poses within reach.")
    ] = "joints",
    unreached: Annotated[
        bool, typer.Option("--unreached", help="Also poses that are not reached, with the reason.")
    ] = False,
    frame: Annotated[str | None, typer.Option(help="What reaches; default: the end effector.")] = None,
    restarts: Annotated[
        int | None, typer.Option(help="Restarts of a search, on arms without a closed form.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the poses and of the searches.")] = 0,
    threads: Annotated[int | None, typer.Option(help="How many cores to use; default: all.")] = None,
    engine: Annotated[str, typer.Option(help="threads, or ray for the cores of a Ray cluster.")] = "threads",
    address: Annotated[
        str | None, typer.Option(help="Of a Ray cluster; default: one of this machine.")
    ] = None,
) -> None:
    """Draw poses, solve them, and store them with their solutions as Parquet tables.

    Begun again with the same words it goes on where it was interrupted. Needs `pip install limbik\\[scale]`.

    For example: limbik dataset ur5e --poses 1e6 --solutions all --out ur5e-data
    """
    from limbik.formats import load
    from limbik.scale.dataset import make_dataset
    from limbik.scale.reach import RESTARTS

    with progress_of("Solving") as progress:
        made = make_dataset(
            load(robot),
            out,
            poses=_count(poses),
            solutions=int(solutions) if solutions.isdecimal() else solutions,
            sample=sample,
            unreached=unreached,
            frame=frame,
            restarts=RESTARTS if restarts is None else restarts,
            seed=seed,
            threads=threads,
            engine=engine,
            address=address,
            progress=progress,
        )
    typer.echo(
        f"{made.record['title']}: {made.rows:,} rows in {len(made.files)} tables in {made.folder / 'tables'}"
    )


def _count(text: str) -> int:
    """A whole number, which may be written as 1e6."""
    try:
        number = float(text)
        if number == int(number):
            return int(number)
    except (ValueError, OverflowError):
        pass
    raise SolverError(f"`poses` needs a whole number, such as 1e6, found {shortened(text)}")
