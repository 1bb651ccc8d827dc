"""`limbik dataset`: pairs of pose and configuration, for learning."""

from __future__ import annotations

from typing import Annotated

import typer

from limbik.commands import chunk_options as options
from limbik.commands.progress import progress_of
from limbik.errors import SolverError, shortened
from limbik.number_text import number_from


def dataset(
    robot: options.Robot,
    out: Annotated[str, typer.Option(help="The folder of the dataset; one that was begun there goes on.")],
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
    frame: options.Frame = None,
    restarts: options.Restarts = None,
    seed: options.Seed = 0,
    threads: options.Threads = None,
    engine: options.Engine = None,
    address: options.Address = None,
) -> None:
    """Draw poses, solve them, and store them with their solutions as Parquet tables.

    Begun again with the same words it goes on where it was interrupted. Needs `pip install limbik\\[scale]`.

    For example: limbik dataset ur5e --poses 1e6 --solutions all --out ur5e-data
    """
    from limbik.formats import load
    from limbik.scale.dataset import make_dataset
    from limbik.scale.job import RESTARTS

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
            engine=options.engine_for(engine, threads),
            address=address,
            progress=progress,
        )
    typer.echo(
        f"{made.record['title']}: {made.rows:,} rows in {len(made.files)} tables in {made.folder / 'tables'}"
    )


def _count(text: str) -> int:
    """A whole number, which may be written as 1e6."""
    number = number_from(text)
    if number.is_integer():
        return int(number)
    raise SolverError(f"`poses` needs a whole number, such as 1e6, found {shortened(text)}")
