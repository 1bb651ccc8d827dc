"""Guards of the service: token check, limits on size and pace of request bodies and on requests at once,
counts for Prometheus.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from dataclasses import dataclass

import anyio
from fastapi.responses import JSONResponse, RedirectResponse, Response
from prometheus_client import CollectorRegistry, Counter, Histogram
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from limbik.service.arrays import NPY
from limbik.service.messages import Refusal
from limbik.service.security import Gate

COOKIE = "limbik_token"
ENTRANCE = "/enter"
FIRST_PAGE = "/openapi.json"  # that a browser sees
OPEN = ("/healthz", ENTRANCE)  # without a token

REFUSALS = {
    401: "the token is missing or wrong",
    404: "there is nothing of that name",
    408: "the body came too slowly",
    413: "the body is too large",
    415: "the body is compressed",
    422: "the request has no meaning",
    429: "too many requests at once; try again",
    503: "the server stops",
}


@dataclass(frozen=True)
class ServerLimits:
    """What one server does at once."""

    in_flight: int = 64  # requests that are being answered; more get 429
    json_bytes: int = 2**20  # of a body; Python's lists of it need thirty times as much
    array_bytes: int = 2 * 2**20
    large_bytes: int = 64 * 2**10  # from which on a body is answered when no other such one is
    large_seconds: float = 10.0  # that it waits for that; then it gets 429
    waiting_bytes: int = 16 * 2**20  # of all bodies together; more get 429
    pause_seconds: float = 5.0  # that a body may take besides what its size allows
    min_rate: float = 64 * 2.0**10  # [bytes/s] of a body
    graceful_seconds: int = 12  # for what it has begun when it is stopped


DEFAULT_LIMITS = ServerLimits()


class ServerMetrics:
    """Counts and times for Prometheus, of this server alone."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._count = Counter(
            "limbik_requests", "Requests answered", ["route", "status"], registry=self.registry
        )
        self._times = Histogram(
            "limbik_request_seconds",
            "Time from the header to the answer",
            ["route"],
            buckets=(0.001, 0.002, 0.005, 0.01, 0.05, 0.2, 1.0, 5.0),
            registry=self.registry,
        )

    def add(self, route: str, status: int, seconds: float) -> None:
        """One request."""
        self._count.labels(route, str(status)).inc()
        self._times.labels(route).observe(seconds)


class Entrance:
    """Admits who has the token: programs in a header, a browser in a cookie that a link gives it once.

    token: None admits everybody.
    """

    def __init__(self, token: str | None, gate: Gate) -> None:
        self._token, self._gate = token, gate
        self.key: str | None = secrets.token_urlsafe(24)  # of the link, until it has been used

    def admits(self, headers: Headers) -> bool:
        """Whether a request has the token. With the cookie, only from the server's own pages: a browser sends
        it along with what pages of other servers on this machine ask for, too.
        """
        if self._token is None:
            return True
        if COOKIE in (cookies := cookie_parser(headers.get("cookie", ""))):
            own = self._gate.admits_origin(headers.get("origin"), headers.get("host", ""))
            return own and _same(cookies[COOKIE], self._token)
        return _same(headers.get("authorization", ""), f"Bearer {self._token}")

    def enter(self, key: str) -> Response:
        """What a browser gets that opens the link."""
        if self.key is None or self._token is None or not _same(key, self.key):
            return refusal(401, "TokenError", "this link is not the server's, or has been used already")
        self.key = None
        answer = RedirectResponse(FIRST_PAGE, 303)
        answer.set_cookie(COOKIE, self._token, httponly=True, samesite="strict")
        return answer


class Guard:
    """ASGI middleware: admits who has the token, and passes a request on when its body is there."""

    def __init__(
        self, app: ASGIApp, entrance: Entrance, limits: ServerLimits, measures: ServerMetrics
    ) -> None:
        self.app, self.entrance, self.limits, self.measures = app, entrance, limits, measures
        self._in_flight = 0
        self._one_large = anyio.Lock()
        self._bytes = 0  # of bodies that have come, of requests that are not answered yet

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, and count it."""
        if scope["type"] != "http" or scope["path"] in OPEN:
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), None

        async def send_counted(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._answer(scope, receive, send_counted)
        except asyncio.CancelledError:  # by Uvicorn, when the time to finish is over
            if status is None:
                await refusal(503, "Stopped", "the server stops")(scope, receive, send_counted)
        route = getattr(scope.get("route"), "path", "other")
        self.measures.add(route, status or 500, time.perf_counter() - began)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = bytearray()
        try:
            refused = await self._read(Headers(scope=scope), receive, body)
            if refused is not None:
                await refused(scope, receive, send)
                return
            whole = _all_at_once(bytes(body), receive)
            if len(body) < self.limits.large_bytes:
                await self._pass_on(scope, whole, send)
            else:
                await self._in_turn(scope, whole, send)
        finally:
            self._bytes -= len(body)

    async def _in_turn(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a large request when no other one is: these need memory, and use all cores."""
        with anyio.move_on_after(self.limits.large_seconds) as waiting:
            await self._one_large.acquire()
        if waiting.cancelled_caught:
            await busy("other large requests are being answered")(scope, receive, send)
            return
        try:
            await self._pass_on(scope, receive, send)
        finally:
            self._one_large.release()

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._in_flight >= self.limits.in_flight:
            await busy(f"{self.limits.in_flight} requests are being answered")(scope, receive, send)
            return
        self._in_flight += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self._in_flight -= 1

    async def _read(self, headers: Headers, receive: Receive, body: bytearray) -> JSONResponse | None:
        """Read a body; None, or why it is refused. A chunked one does not say its length before."""
        if not self.entrance.admits(headers):
            return refusal(401, "TokenError", "needs the header `Authorization: Bearer TOKEN`")
        if (encoding := headers.get("content-encoding", "identity").lower()) != "identity":
            problem = f"the body needs to come uncompressed, without Content-Encoding: {encoding[:100]}"
            return refusal(415, "RequestError", problem)
        is_array = headers.get("content-type") == NPY
        max_bytes = self.limits.array_bytes if is_array else self.limits.json_bytes
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdecimal()) or int(length[:20]) > max_bytes:
            return _too_large(max_bytes)
        try:
            with anyio.fail_after(self.limits.pause_seconds) as allowed:
                latest = allowed.deadline
                while True:
                    message = await receive()
                    part = message.get("body", b"")
                    body += part
                    self._bytes += len(part)
                    if len(body) > max_bytes:
                        return _too_large(max_bytes)
                    if self._bytes > self.limits.waiting_bytes:
                        return busy(f"{self.limits.waiting_bytes:,} bytes of requests are waiting")
                    if not message.get("more_body", False):
                        return None
                    allowed.deadline = latest + len(body) / self.limits.min_rate
        except TimeoutError:
            return refusal(408, "RequestError", f"the body stopped after {len(body):,} bytes")


def _same(actual: str, expected: str) -> bool:
    """Whether two texts are the same, in a time that says nothing of where they differ."""
    return secrets.compare_digest(actual.encode(), expected.encode())


def _too_large(max_bytes: int) -> JSONResponse:
    return refusal(413, "RequestError", f"the body needs at most {max_bytes:,} bytes")


def _all_at_once(body: bytes, receive: Receive) -> Receive:
    """What has been read already, and then what comes."""
    is_sent = False

    async def again() -> Message:
        nonlocal is_sent
        if is_sent:
            return await receive()
        is_sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def busy(why: str) -> JSONResponse:
    """An answer that asks to try again."""
    answer = refusal(429, "Busy", f"{why}; try again")
    answer.headers["Retry-After"] = "1"
    return answer


def refusal(status: int, error: str, message: str) -> JSONResponse:
    """An answer that says why there is none."""
    return JSONResponse(Refusal(error=error, message=message).model_dump(), status)
