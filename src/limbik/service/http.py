"""The service over HTTP: FastAPI routes that ask `Service`, and what guards them.

A server on 127.0.0.1 is within reach of every program and every web site that its user visits. So a request
needs the server's token, and the `Host` header a local name (`security`).
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from typing import Any

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from limbik._version import __version__
from limbik.errors import LimbikError
from limbik.service.messages import (
    CheckAnswer,
    CheckRequest,
    ForwardAnswer,
    ForwardRequest,
    Key,
    PathAnswer,
    PathRequest,
    Refusal,
    RobotAnswer,
    RobotRequest,
    SolveAllAnswer,
    SolveAllRequest,
    SolveAnswer,
    SolveBatchAnswer,
    SolveBatchRequest,
    SolveRequest,
    WorldAnswer,
)
from limbik.service.patience import PatientProtocol
from limbik.service.security import Gate, SecureHeaders
from limbik.service.solving import Service

REFUSALS = {
    401: "the token is missing or wrong",
    404: "there is nothing of that name",
    413: "the body is too large",
    422: "the request has no meaning",
    429: "too many requests at once; try again",
}


@dataclass(frozen=True)
class Limits:
    """What one server does at once."""

    in_flight: int = 64  # requests; more get 429
    body_bytes: int = 8 * 2**20
    graceful_seconds: int = 12  # for what it has begun when it is stopped


DEFAULT_LIMITS = Limits()


def create_app(token: str | None, host: str = "127.0.0.1", *, limits: Limits = DEFAULT_LIMITS) -> FastAPI:
    """The service as an ASGI application. token: None admits requests without one."""
    app = FastAPI(
        title="limbik",
        version=__version__,
        description="Inverse kinematics: metres, radians, quaternions xyzw.",
        docs_url=None,  # its pages come from elsewhere
        redoc_url=None,
        responses={code: {"model": Refusal, "description": text} for code, text in REFUSALS.items()},
    )
    service, measures = Service(), Measures()
    _add_routes(app, service)

    @app.get("/healthz", include_in_schema=False)
    def healthz() -> dict[str, str]:
        return {"status": "ok", "limbik": __version__}

    @app.get("/metrics", include_in_schema=False)
    def metrics() -> Response:
        return Response(generate_latest(measures.registry), media_type="text/plain; version=0.0.4")

    @app.exception_handler(LimbikError)
    async def refused(request: Request, error: LimbikError) -> JSONResponse:
        is_lookup = request.method in ("GET", "DELETE")
        return _refusal(404 if is_lookup else 422, type(error).__name__, str(error))

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(each) for each in first["loc"] if each != "body")
        return _refusal(422, "RequestError", f"{where}: {first['msg']}" if where else str(first["msg"]))

    @app.exception_handler(HTTPException)
    async def failed(_: Request, error: HTTPException) -> JSONResponse:
        return _refusal(error.status_code, "RequestError", str(error.detail))

    app.add_middleware(Guard, token=token, limits=limits, measures=measures)
    app.add_middleware(SecureHeaders, gate=Gate(host))
    return app


def _add_routes(app: FastAPI, service: Service) -> None:
    @app.get("/v1/robots")
    def robots() -> list[str]:
        return service.robots()

    @app.get("/v1/robots/{name}")
    def robot(name: str) -> RobotAnswer:
        return service.robot(name)

    @app.put("/v1/robots/{name}")
    def put_robot(name: Key, request: RobotRequest) -> RobotAnswer:
        return service.put_robot(name, request)

    @app.delete("/v1/robots/{name}", status_code=204)
    def remove_robot(name: str) -> None:
        service.remove_robot(name)

    @app.get("/v1/worlds")
    def worlds() -> list[str]:
        return service.worlds()

    @app.get("/v1/worlds/{name}")
    def world(name: str) -> WorldAnswer:
        return service.world(name)

    @app.put("/v1/worlds/{name}")
    def put_world(name: Key, document: dict[str, Any]) -> WorldAnswer:
        return service.put_world(name, document)

    @app.delete("/v1/worlds/{name}", status_code=204)
    def remove_world(name: str) -> None:
        service.remove_world(name)

    @app.post("/v1/solve")
    def solve(request: SolveRequest) -> SolveAnswer:
        return service.solve(request)

    @app.post("/v1/solve_all")
    def solve_all(request: SolveAllRequest) -> SolveAllAnswer:
        return service.solve_all(request)

    @app.post("/v1/solve_batch")
    def solve_batch(request: SolveBatchRequest) -> SolveBatchAnswer:
        return service.solve_batch(request)

    @app.post("/v1/path")
    def path(request: PathRequest) -> PathAnswer:
        return service.path(request)

    @app.post("/v1/check")
    def check(request: CheckRequest) -> CheckAnswer:
        return service.check(request)

    @app.post("/v1/forward")
    def forward(request: ForwardRequest) -> ForwardAnswer:
        return service.forward(request)


class Measures:
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


class Guard:
    """ASGI middleware: the token, the size of bodies, and how many requests are answered at once."""

    def __init__(self, app: ASGIApp, token: str | None, limits: Limits, measures: Measures) -> None:
        self.app, self.limits, self.measures = app, limits, measures
        self._expected = None if token is None else f"Bearer {token}".encode()
        self._in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, and count it."""
        if scope["type"] != "http" or scope["path"] == "/healthz":
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def send_counted(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        await self._answer(scope, receive, send_counted)
        route = getattr(scope.get("route"), "path", "other")
        self.measures.add(route, status, time.perf_counter() - began)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        if self._expected is not None and not secrets.compare_digest(
            headers.get(b"authorization", b""), self._expected
        ):
            await _refusal(401, "TokenError", "needs the header `Authorization: Bearer TOKEN`")(
                scope, receive, send
            )
            return
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self.limits.body_bytes:
            await self._too_large()(scope, receive, send)
            return
        if self._in_flight >= self.limits.in_flight:
            busy = _refusal(429, "Busy", f"{self.limits.in_flight} requests are being answered; try again")
            busy.headers["Retry-After"] = "1"
            await busy(scope, receive, send)
            return
        self._in_flight += 1
        try:
            await self.app(scope, self._bounded(receive), send)
        finally:
            self._in_flight -= 1

    def _bounded(self, receive: Receive) -> Receive:
        """What is received, until it is too much: a chunked body does not say its length."""
        total = 0

        async def receive_some() -> Message:
            nonlocal total
            message = await receive()
            total += len(message.get("body", b""))
            if total > self.limits.body_bytes:
                raise HTTPException(413, self._words())
            return message

        return receive_some

    def _too_large(self) -> JSONResponse:
        return _refusal(413, "RequestError", self._words())

    def _words(self) -> str:
        return f"the body needs at most {self.limits.body_bytes:,} bytes"


def _refusal(status: int, error: str, message: str) -> JSONResponse:
    return JSONResponse(Refusal(error=error, message=message).model_dump(), status)


def make_server(token: str | None, host: str, *, limits: Limits = DEFAULT_LIMITS) -> uvicorn.Server:
    """The server for an address, to be run with `server.run(sockets=[listen(host, port)])`."""
    return uvicorn.Server(
        uvicorn.Config(
            create_app(token, host, limits=limits),
            http=PatientProtocol,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=limits.graceful_seconds,
        )
    )


def new_token() -> str:
    """A random one."""
    return secrets.token_urlsafe(24)
