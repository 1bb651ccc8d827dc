"""`limbik serve`: requests answered over HTTP."""

from __future__ import annotations

import contextlib
import os
from typing import Annotated

import typer

from limbik.commands.play import Host, Port, listen_or_offer
from limbik.errors import LimbikError, needs_extra

TOKEN = "LIMBIK_TOKEN"  # the environment's variable with a token
SHORTEST_TOKEN = 16  # characters


def serve(
    host: Host = "127.0.0.1",
    port: Port = 8010,
    no_token: Annotated[
        bool, typer.Option("--no-token", help="Answer every program on this machine; on loopback alone.")
    ] = False,
) -> None:
    """Answer requests over HTTP: solves, batches, paths, checks, poses, for programs in any language.

    Requests need the token that is printed, or that LIMBIK_TOKEN says: `Authorization: Bearer TOKEN`.

    For example: curl -H "Authorization: Bearer $LIMBIK_TOKEN" http://127.0.0.1:8010/v1/robots
    """
    with needs_extra("serve", "`limbik serve`"):
        from limbik.service.http import browser_link, create_app, make_server, new_token
    from limbik.service.address import address_of, numeric
    from limbik.service.security import is_loopback

    own_token = os.environ.get(TOKEN)
    if no_token and not is_loopback(numeric(host)):
        raise LimbikError(f"--no-token is for loopback alone; {host} is within reach of others")
    if own_token is not None and len(own_token) < SHORTEST_TOKEN:
        raise LimbikError(f"{TOKEN} needs at least {SHORTEST_TOKEN} characters, found {len(own_token)}")
    token = None if no_token else own_token or new_token()
    listener = listen_or_offer(host, port, False, ("limbik", "serve", *(["--no-token"] if no_token else [])))
    address, app = address_of(host, listener), create_app(token, numeric(host))
    typer.echo(f"limbik answers at {address}/v1  (Ctrl-C stops it)")
    if token is not None and own_token is None:
        typer.echo(f"token: {token}\nin a browser, once: {browser_link(app, address)}")
    with contextlib.suppress(KeyboardInterrupt):
        make_server(app).run(sockets=[listener])
    typer.echo("Stopped.")
