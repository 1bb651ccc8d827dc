"""The command line: joins the commands of `limbik`, reports errors in one line and an exit status, and has
`limbik warmup`, which compiles ahead.
"""

from __future__ import annotations

import os
import sys
import warnings
from time import perf_counter
from typing import Annotated, Any

import typer

from limbik import __version__
from limbik.commands import motion_changes, motion_markers, motion_show  # noqa: F401  (join those of motion)
from limbik.commands.arm import ArmCommand, arm
from limbik.commands.as_typed import as_typed, refuse_commas, refuse_repeated
from limbik.commands.collision import collision
from limbik.commands.dataset import dataset
from limbik.commands.guarded_output import UNWRITTEN, OutputFailed, guarded
from limbik.commands.info import info
from limbik.commands.motion import motion
from limbik.commands.path import path
from limbik.commands.play import FAILED, play
from limbik.commands.reach import reach
from limbik.commands.ros import ros
from limbik.commands.serve import serve
from limbik.commands.solve import solve
from limbik.errors import LimbikError, OutputError

BROKEN = 4  # exit status: an error in limbik itself, whose stack trace is printed


class CommandLine(typer.Typer):
    """Says a `LimbikError` in one line instead of a stack trace; exit status 1 is for "no solution" alone."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Run the command line."""
        if os.environ.get("COLUMNS") == "0":  # of a terminal without a size, on which pages would be empty
            del os.environ["COLUMNS"]
        with guarded(), warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: typer.echo(f"limbik: note: {message}", err=True)
            command, typed = typer.main.get_command(self), [*(arguments or (sys.argv[1:],))[0]]
            try:
                refuse_commas(command, typed)
                refuse_repeated(command, typed)
                return super().__call__(*arguments, **options)
            except OutputFailed as error:
                if not error.reader_is_gone:
                    typer.echo(f"limbik: {error}", err=True)
                sys.exit(UNWRITTEN)
            except LimbikError as error:
                typer.echo(f"limbik: {as_typed(str(error), command, typed)}", err=True)
                sys.exit(UNWRITTEN if isinstance(error, OutputError) else FAILED)
            except (RecursionError, MemoryError) as error:
                kind = "nested too deeply" if isinstance(error, RecursionError) else "too large"
                typer.echo(f"limbik: what was passed is {kind} to be worked on", err=True)
                sys.exit(FAILED)
            except Exception:
                sys.excepthook(*sys.exc_info())
                sys.exit(BROKEN)


app = CommandLine(
    name="limbik",
    help="Inverse kinematics that you can see, use and scale.",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_show_locals=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"limbik {__version__}")
        raise typer.Exit


@app.callback()
def limbik(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Inverse kinematics that you can see, use and scale.

    Exit status: 0 done, 1 no solution, 2 the request has no meaning, 3 the output cannot be written, 4 an
    error in limbik itself, 130 stopped by Ctrl-C.
    """


app.command()(play)


app.command()(serve)
app.command()(ros)


app.command()(solve)


app.command()(path)


app.command(cls=ArmCommand)(arm)


app.command()(info)


app.add_typer(collision)


app.add_typer(motion)


app.add_typer(reach)


app.command()(dataset)


@app.command()
def warmup(
    robots: Annotated[
        list[str] | None,
        typer.Argument(
            help="Names of robots, or files that describe them; default: all that come with limbik."
        ),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Also trackers, collisions, and the convex parts of the robots' meshes."),
    ] = False,
) -> None:
    """Compile the solvers of robots ahead, so that their first solve is as fast as every other.

    Says of each part after how many seconds it was ready; several are compiled at a time.
    What is compiled is stored in the cache folder for all processes to come (LIMBIK_CACHE_DIR names another
    one).
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from limbik.compiler.cache import cache_folder, can_keep
    from limbik.formats import load
    from limbik.model.presets import presets
    from limbik.warmup_tasks import run, tasks

    names = robots or [name for name in presets() if name != "planar-N"]
    models = [load(name) for name in names]
    work = {task.text: task for model in models for task in tasks(model, everything=everything)}
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    began = perf_counter()
    with Progress(*columns) as progress:
        bar = progress.add_task("", total=len(work))
        for task in run(work.values()):
            progress.console.print(f"{perf_counter() - began:6.1f} s  {task.text}", highlight=False)
            progress.update(bar, description=task.text, advance=1)
        progress.update(bar, description="Ready")
    if can_keep():
        typer.echo(f"Stored in {cache_folder()}")


if __name__ == "__main__":
    app()
