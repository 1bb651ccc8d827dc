"""The command line: `limbik play`, `limbik solve`, `limbik warmup`."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import webbrowser
from typing import TYPE_CHECKING, Annotated, Any

import typer

from limbik import __version__
from limbik.commands.info import info
from limbik.commands.solve import solve
from limbik.errors import LimbikError

if TYPE_CHECKING:
    import socket

FAILED = 2  # exit status


class CommandLine(typer.Typer):
    """Says a `LimbikError` in one line instead of a stack trace."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Run the command line."""
        try:
            return super().__call__(*arguments, **options)
        except LimbikError as error:
            typer.echo(f"limbik: {error}", err=True)
            sys.exit(FAILED)


app = CommandLine(
    name="limbik",
    help="Inverse kinematics that you can see, use and scale.",
    no_args_is_help=True,
    add_completion=False,
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
    """Inverse kinematics that you can see, use and scale."""


@app.command()
def play(
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 opens it to the network.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes any free one.")
    ] = 8000,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the browser.")] = False,
) -> None:
    """Start the playground: drag a target in the browser and watch the solvers follow.

    When the port is in use, the next free one is offered: as a question in a terminal, otherwise as the
    command to type (exit status 2).
    """
    from limbik.app.address import address_of
    from limbik.app.server import make_server

    listener = _listen_or_offer(host, port, no_browser)
    address = address_of(host, listener)
    typer.echo(f"limbik playground: {address}  (Ctrl-C stops it)")
    if host in ("0.0.0.0", "::"):
        typer.echo("Everyone who can reach this machine over the network can open it.")
    if not no_browser and has_browser():
        open_browser(address)
    with contextlib.suppress(KeyboardInterrupt):
        make_server(host).run(sockets=[listener])
    typer.echo("Stopped.")


app.command()(solve)


app.command()(info)


@app.command()
def warmup(
    robots: Annotated[
        list[str] | None,
        typer.Argument(
            help="Names of robots, or files that describe them; default: all that come with limbik."
        ),
    ] = None,
) -> None:
    """Compile the solvers of robots ahead, so that their first solve is as fast as every other.

    What is compiled is kept in the cache folder for all processes to come (LIMBIK_CACHE_DIR names another
    one).
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from limbik.core.compiled import cache_folder, can_keep
    from limbik.formats import load
    from limbik.model.presets import presets
    from limbik.solvers.warmup import tasks

    names = robots or [name for name in presets() if name != "planar-N"]
    models = [load(name) for name in names]
    work = {task.text: task for model in models for task in tasks(model)}
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns) as progress:
        bar = progress.add_task("", total=len(work))
        for task in work.values():
            progress.update(bar, description=task.text)
            task.run()
            progress.advance(bar)
        progress.update(bar, description="Ready")
    if can_keep():
        typer.echo(f"Kept in {cache_folder()}")


def _listen_or_offer(host: str, port: int, no_browser: bool) -> socket.socket:
    from limbik.app.address import PortBusy, listen

    try:
        return listen(host, port)
    except PortBusy as busy:
        if busy.free is None:
            raise
        typer.echo(f"limbik: {busy}", err=True)
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            typer.echo(f"Type: {_command(host, busy.free, no_browser)}", err=True)
            raise typer.Exit(FAILED) from None
        if not typer.confirm(f"Use port {busy.free}?", default=True):
            raise typer.Exit(FAILED) from None
        return listen(host, busy.free)


def _command(host: str, port: int, no_browser: bool) -> str:
    words = ["limbik play"]
    if host != "127.0.0.1":
        words.append(f"--host {host}")
    words.append(f"--port {port}")
    if no_browser:
        words.append("--no-browser")
    return " ".join(words)


def open_browser(address: str) -> None:
    """Open the browser without waiting for it."""
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def has_browser() -> bool:
    """True where a window can open. A text browser would take over the terminal and cannot show the page."""
    if os.environ.get("CI"):
        return False
    if sys.platform.startswith("linux") and not _has_display():
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def _has_display() -> bool:
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME", "BROWSER"))


if __name__ == "__main__":
    app()
