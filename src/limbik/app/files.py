"""HTTP handlers for data beside the page: uploads come in; meshes, shapes, motions and reach maps go out."""

from __future__ import annotations

import asyncio
from urllib.parse import quote, unquote

import anyio
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response

from limbik.app.connection import Bounds, Playground
from limbik.app.page import IMMUTABLE
from limbik.app.reach_maps import ReachMap
from limbik.app.upload import LONGEST_PATH, MAX_PACKED, UploadError, read_upload, too_large
from limbik.errors import LimbikError

BINARY = "application/octet-stream"


async def upload(request: Request) -> Response:
    """Keep what is uploaded, in memory, and answer with its token."""
    playground: Playground = request.app.state.playground
    host = request.headers.get("host", "")
    if not playground.gate.admits_origin(request.headers.get("origin"), host):
        return JSONResponse({"error": "this origin may not upload"}, 403)
    try:
        with anyio.fail_after(playground.bounds.upload_seconds):
            async with playground.uploading:
                body = await _body(request, playground.bounds)
                name = unquote(request.headers.get("x-name", ""))[:LONGEST_PATH]
                kind = request.headers.get("content-type", "")
                loop = asyncio.get_running_loop()
                reply = await loop.run_in_executor(playground.opening, read_upload, kind, name, body)
    except UploadError as error:
        return JSONResponse({"error": str(error)}, error.status)
    except TimeoutError:
        return JSONResponse({"error": "the upload took too long"}, 408)
    except ClientDisconnect:
        return JSONResponse({"error": "the upload was cut off"}, 400)
    token = playground.workshop.keep(reply)
    return JSONResponse({"token": token, "name": reply.name, "files": len(reply.files)})


async def _body(request: Request, bounds: Bounds) -> bytes:
    """The body of an upload. Raises TimeoutError below the minimum rate: a stalled one blocks others."""
    said = request.headers.get("content-length", "0")
    if not said.isascii() or not said.isdecimal() or int(said[:20]) > MAX_PACKED:
        raise too_large()
    body = bytearray()
    with anyio.fail_after(bounds.upload_pause) as pause:
        latest = pause.deadline
        async for chunk in request.stream():
            body += chunk
            if len(body) > MAX_PACKED:
                raise too_large()
            pause.deadline = latest + len(body) / bounds.upload_rate
    return bytes(body)


async def mesh(request: Request) -> Response:
    """A mesh of a scene that is open: by the scene's key and its number, never by a path."""
    playground: Playground = request.app.state.playground
    key, number = request.path_params["key"], request.path_params["number"]
    content = playground.workshop.mesh(key, number)
    if content is None:
        return PlainTextResponse("There is no such mesh.\n", 404)
    headers = {**IMMUTABLE, "ETag": f'"{key}-{number}"'}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    if content.path is not None:
        return FileResponse(content.path, media_type=BINARY, headers=headers)
    return Response(content.data, media_type=BINARY, headers=headers)


async def thing(request: Request) -> Response:
    """What a stored shape looks like, by its token."""
    playground: Playground = request.app.state.playground
    token = request.path_params["token"]
    content = playground.workshop.stored_shapes.drawn(token)
    if content is None:
        return PlainTextResponse("There is no such shape.\n", 404)
    return Response(content, media_type=BINARY, headers={**IMMUTABLE, "ETag": f'"{token}"'})


async def reach_map(request: Request) -> Response:
    """A reach map, by its key."""
    shown = _map_of(request)
    if shown is None:
        return PlainTextResponse("There is no such map.\n", 404)
    return Response(shown.content(), media_type=BINARY, headers=IMMUTABLE)


async def reached(request: Request) -> Response:
    """The orientations that are reached in a voxel of a map, as JSON."""
    shown = _map_of(request)
    if shown is None:
        return PlainTextResponse("There is no such map.\n", 404)
    try:
        return JSONResponse(shown.reached(request.path_params["voxel"]), headers=IMMUTABLE)
    except LimbikError as error:
        return PlainTextResponse(f"{error}\n", 404)


def _map_of(request: Request) -> ReachMap | None:
    playground: Playground = request.app.state.playground
    return playground.maps.get(request.path_params["key"])


async def motion(request: Request) -> Response:
    """The numbers of a motion that is open, by its key; or, with the kind of a file, that file."""
    playground: Playground = request.app.state.playground
    opened = playground.motions.opened(request.path_params["key"])
    kind = request.path_params.get("kind")
    if opened is None or (kind is not None and kind not in opened.files()):
        return PlainTextResponse("There is no such motion.\n", 404)
    if kind is None:
        return Response(opened.numbers(), media_type=BINARY, headers=IMMUTABLE)
    loop = asyncio.get_running_loop()
    try:
        content = await loop.run_in_executor(playground.opening, opened.file, kind)
    except LimbikError as error:  # what the format cannot hold
        return PlainTextResponse(f"{error}\n", 409)
    name = quote(opened.files()[kind])
    return Response(
        content, media_type=BINARY, headers={"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
    )
