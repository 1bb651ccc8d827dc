"""The playground's server: the page, its files, `/health`, uploads, meshes and source texts, and one
WebSocket per page.
"""

from __future__ import annotations

import contextlib
import dataclasses
import mimetypes
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import anyio.to_thread
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute

from limbik.app.connection import DEFAULT_BOUNDS, Bounds, Playground, connect
from limbik.app.files import mesh, motion, reach_map, reached, thing, upload
from limbik.app.method_source import method_source
from limbik.app.page import file_routes, page_response
from limbik.app.reach_maps import ReachMap
from limbik.app.upload import Upload
from limbik.errors import SolverError
from limbik.service.address import address_of, listen, numeric
from limbik.service.running import QuietEnd, server_of, serving
from limbik.service.security import Gate, SecureHeaders

STATIC = Path(__file__).parent / "static"


def create_app(
    host: str = "127.0.0.1", *, bounds: Bounds = DEFAULT_BOUNDS, static: Path = STATIC
) -> Starlette:
    """The playground as an ASGI application.

    Args:
        host: the address on which it will listen; it decides which `Host` headers are admitted.
        bounds: what one server and one page may use.
        static: the folder with the page's files.
    """
    mimetypes.add_type("text/javascript", ".js")  # some systems' own tables say text/plain, and modules fail
    playground = Playground(bounds, Gate(numeric(host)))

    async def page(request: Request) -> Response:
        return await anyio.to_thread.run_sync(page_response, static)

    async def icon(request: Request) -> Response:
        return RedirectResponse("/static/favicon.svg")

    async def health(request: Request) -> Response:
        return JSONResponse({"status": "ok", "sessions": len(playground.sessions)})

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        playground.kernels.start()
        yield
        playground.close()

    app = Starlette(
        routes=[
            Route("/", page),
            Route("/health", health),
            Route("/favicon.ico", icon),  # requested by browsers on addresses that are no page
            WebSocketRoute("/ws", connect),
            Route("/upload", upload, methods=["POST"]),
            Route("/mesh/{key}/{number:int}", mesh),
            Route("/thing/{token}", thing),
            Route("/reach/{key}", reach_map),
            Route("/reach/{key}/{voxel:int}", reached),
            Route("/motion/{key}", motion),
            Route("/motion/{key}/{kind}", motion),
            Route("/source/{solver}", _source),
            *file_routes(static),
        ],
        middleware=[Middleware(QuietEnd), Middleware(SecureHeaders, gate=playground.gate)],
        lifespan=lifespan,
    )
    app.state.playground = playground
    return app


def _source(request: Request) -> Response:
    """The source text of a solver's step, as JSON."""
    try:
        return JSONResponse(dataclasses.asdict(method_source(request.path_params["solver"])))
    except SolverError as error:
        return JSONResponse({"message": str(error)}, 404)
    except OSError:
        return JSONResponse({"message": "This installation has no source text."}, 404)


def make_server(
    host: str,
    *,
    bounds: Bounds = DEFAULT_BOUNDS,
    static: Path = STATIC,
    uploads: Sequence[Upload] = (),
    maps: Sequence[ReachMap] = (),
) -> uvicorn.Server:
    """The playground's server for an address, to be run with `server.run(sockets=[listen(host, port)])`.

    uploads, maps: what it has from the beginning.
    """
    application = create_app(host, bounds=bounds, static=static)
    for each in uploads:
        application.state.playground.workshop.keep(each)
    application.state.playground.maps.update({each.key: each for each in maps})
    return server_of(
        application,
        ws_max_size=bounds.message_bytes,
        ws_ping_timeout=None,  # a page whose search takes long is not read, nor its pongs
        ws_per_message_deflate=False,  # no small message unpacks into a large one; frames hardly shrink
        timeout_graceful_shutdown=2,
    )


@contextlib.contextmanager
def running(
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    bounds: Bounds = DEFAULT_BOUNDS,
    static: Path = STATIC,
    maps: Sequence[ReachMap] = (),
) -> Iterator[str]:
    """The playground in a thread, for notebooks and tests. Gives its address and stops it at the end.

    ```python
    with limbik.app.running() as address:
        webbrowser.open(address)
    ```
    """
    server = make_server(host, bounds=bounds, static=static, maps=maps)
    with serving(server, listen(host, port)) as listener:
        yield address_of(host, listener)
