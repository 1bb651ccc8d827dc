"""Serves the page's own files, with addresses that carry the version so that browsers cache them."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from limbik.service.security import content_security_policy

IMMUTABLE = {"Cache-Control": "private, max-age=31536000, immutable"}  # what is changed has another address


class ImmutableFiles(StaticFiles):
    """Files that a browser keeps without asking again."""

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        """The file, to be cached."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers.update(IMMUTABLE)
        return response


def file_routes(folder: Path) -> list[BaseRoute]:
    """The page's files under `/static/`, to be requested again, and under `/static-VERSION/`, to be
    cached.
    """
    return [
        Mount("/static", StaticFiles(directory=folder, check_dir=False)),
        Mount("/static-{version:int}", ImmutableFiles(directory=folder, check_dir=False)),
    ]


def page_response(folder: Path) -> Response:
    """The page, in which its files have the addresses of their present version."""
    try:
        text = (folder / "index.html").read_text(encoding="utf-8")
    except FileNotFoundError:
        return PlainTextResponse("The page's files are missing from this installation of limbik.\n", 404)
    text = text.replace("static/", f"static-{_version(folder)}/")
    return HTMLResponse(text, headers={"Content-Security-Policy": content_security_policy(text)})


def _version(folder: Path) -> int:
    """Another number whenever a file is added, changed or removed."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        digest.update(f"{path.relative_to(folder)} {status.st_mtime_ns} {status.st_size}\n".encode())
    return int.from_bytes(digest.digest()[:6])
