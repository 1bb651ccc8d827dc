"""Options of commands that work in chunks: maps and datasets."""

from __future__ import annotations

from typing import Annotated

import typer

Robot = Annotated[str, typer.Argument(help="A robot's name, or a file that describes one.")]
Frame = Annotated[str | None, typer.Option(help="What reaches; default: the end effector.")]
Restarts = Annotated[int | None, typer.Option(help="Restarts of a search, on arms without a closed form.")]
Seed = Annotated[int, typer.Option(help="Seed of all random numbers.")]
Threads = Annotated[int | None, typer.Option(help="How many cores to use; default: all.")]
Engine = Annotated[str, typer.Option(help="threads, or ray for the cores of a Ray cluster.")]
Address = Annotated[str | None, typer.Option(help="Of a Ray cluster; default: one of this machine.")]
