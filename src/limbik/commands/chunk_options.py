"""Options of the commands that work in chunks: `limbik reach` and `limbik dataset`."""

from __future__ import annotations

import os
from typing import Annotated

import typer

MANY = 4  # threads, beyond which processes are faster

Robot = Annotated[str, typer.Argument(help="A robot's name, or a file that describes one.")]
Frame = Annotated[str | None, typer.Option(help="What reaches; default: the end effector.")]
Restarts = Annotated[int | None, typer.Option(help="Restarts of a search, on arms without a closed form.")]
Seed = Annotated[int, typer.Option(help="Seed of all random numbers.")]
Threads = Annotated[int | None, typer.Option(help="How many cores to use; default: all.")]
Engine = Annotated[
    str | None,
    typer.Option(
        help="threads, processes, or ray for a Ray cluster; default: threads on up to four cores, "
        "processes on more."
    ),
]
Address = Annotated[str | None, typer.Option(help="Of a Ray cluster; default: one of this machine.")]


def engine_for(engine: str | None, threads: int | None) -> str:
    """The engine by its name, or the default for so many cores."""
    if engine is not None:
        return engine
    return "processes" if (threads or os.cpu_count() or 1) > MANY else "threads"
