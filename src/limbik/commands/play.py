"""`limbik play`: the playground, and what is common to the commands that open it."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
import threading
import webbrowser
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from limbik.errors import LimbikError, ModelError, did_you_mean

if TYPE_CHECKING:
    import socket

    from limbik.app.reach_maps import ReachMap
    from limbik.app.upload import Upload

FAILED = 2  # exit status
MAX_ROBOTS = 4
LONGEST_QUERY = 32_000  # characters; servers and browsers refuse addresses somewhat above it

Host = Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 opens it to the network.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes any free one.")]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Do not open the browser.")]


def play(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    no_browser: NoBrowser = False,
    robot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Open a robot in 3-D; up to four stand side by side. `limbik info` lists them.",
        ),
    ] = None,
) -> None:
    """Start the playground: drag a target in the browser and watch the solvers follow.

    When the port is in use, the next free one is offered: as a question in a terminal, otherwise as the
    command to type (exit status 2).
    """
    names = robot or []
    check_robots(names)
    query = f"/?view=3d&robot={','.join(names)}" if names else ""
    command = ["limbik", "play", *(word for name in names for word in ("--robot", name))]
    open_playground(host, port, no_browser, query=query, command=command)


def open_playground(
    host: str,
    port: int,
    no_browser: bool,
    *,
    query: str = "",
    command: Sequence[str] = ("limbik", "play"),
    uploads: Sequence[Upload] = (),
    maps: Sequence[ReachMap] = (),
) -> None:
    """Serve the playground until Ctrl-C, with the browser at its address.

    query: what follows the address, "/?..."; it opens the page in a state of its own. command: to be typed
    with another port, when that one is in use. uploads, maps: what the query speaks of by tokens and keys.
    """
    if len(query) > LONGEST_QUERY:
        raise LimbikError(
            f"this is too large for an address ({len(query):,} characters, at most {LONGEST_QUERY:,}): start "
            "`limbik play` and drop the file on the page"
        )
    from limbik.app.server import make_server
    from limbik.service.address import address_of

    listener = listen_or_offer(host, port, no_browser, command)
    address = address_of(host, listener) + query
    typer.echo(f"limbik playground: {address}  (Ctrl-C stops it)")
    if listener.getsockname()[0] in ("0.0.0.0", "::"):
        typer.echo("Everyone who can reach this machine over the network can open it.")
    if not no_browser and has_browser():
        open_browser(address)
    with contextlib.suppress(KeyboardInterrupt):
        make_server(host, uploads=uploads, maps=maps).run(sockets=[listener])
    typer.echo("Stopped.")


def check_robots(names: Sequence[str]) -> None:
    """Raises ModelError for a name that no robot has, and for too many."""
    from limbik.formats import registry

    if len(names) > MAX_ROBOTS:
        raise ModelError(f"the playground opens up to {MAX_ROBOTS} robots at once, found {len(names)}")
    for name in names:
        if not registry.find(name):
            raise ModelError(f"there is no robot {name!r}; {did_you_mean(name, registry.names())}")


def listen_or_offer(host: str, port: int, no_browser: bool, command: Sequence[str]) -> socket.socket:
    """A socket that listens there; where the port is in use, the next free one is offered."""
    from limbik.service.address import PortBusy, listen

    try:
        return listen(host, port)
    except PortBusy as busy:
        if busy.free is None:
            raise
        typer.echo(f"limbik: {busy}", err=True)
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            typer.echo(f"Type: {command_with(command, host, busy.free, no_browser)}", err=True)
            raise typer.Exit(FAILED) from None
        if not typer.confirm(f"Use port {busy.free}?", default=True):
            raise typer.Exit(FAILED) from None
        return listen(host, busy.free)


def command_with(command: Sequence[str], host: str, port: int, no_browser: bool) -> str:
    """The command to type, with these options."""
    words = list(command)
    if host != "127.0.0.1":
        words += ["--host", host]
    words += ["--port", str(port)]
    if no_browser:
        words.append("--no-browser")
    return shlex.join(words)


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
