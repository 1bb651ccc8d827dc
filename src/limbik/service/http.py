"""The service over HTTP: FastAPI routes that ask `Service`, and what guards them.

A server on 127.0.0.1 is within reach of every program and every web site that its user visits. So a request
needs the server's token, and the `Host` header a local name (`security`).
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Annotated, Any

import uvicorn
from fastapi import Body, FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from prometheus_client import generate_latest
from starlette.exceptions import HTTPException
from starlette.routing import Match

from limbik._version import __version__
from limbik.errors import LimbikError, repeated, shortened, unrepeated
from limbik.service.arrays import NPY, NPZ, poses_in, write_npz
from limbik.service.guard import (
    DEFAULT_LIMITS,
    ENTRANCE,
    REFUSALS,
    Entrance,
    Guard,
    ServerLimits,
    ServerMetrics,
    refusal,
)
from limbik.service.messages import (
    ArrayRequest,
    CheckAnswer,
    CheckRequest,
    ForwardAnswer,
    ForwardRequest,
    Key,
    Message,
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
from limbik.service.running import QuietEnd, server_of
from limbik.service.security import Gate, SecureHeaders
from limbik.service.solving import Service

NO_FIELDS = ("body", "query", "list[float]", "dict[str,float]")  # that FastAPI puts among names of fields


def create_app(
    token: str | None, host: str = "127.0.0.1", *, limits: ServerLimits = DEFAULT_LIMITS
) -> FastAPI:
    """The service as an ASGI application. token: None admits requests without one."""
    app = FastAPI(
        title="limbik",
        version=__version__,
        description="Inverse kinematics: metres, radians, quaternions xyzw.",
        redirect_slashes=False,
        docs_url=None,  # its pages come from elsewhere
        redoc_url=None,
        responses={code: {"model": Refusal, "description": text} for code, text in REFUSALS.items()},
    )
    gate = Gate(host)
    service, measures, entrance = Service(), ServerMetrics(), Entrance(token, gate)
    app.state.entrance = entrance
    _add_routes(app, service)

    @app.get("/healthz", include_in_schema=False)
    async def healthz() -> dict[str, str]:  # in no thread: these may all be busy
        return {"status": "ok", "limbik": __version__}

    @app.get("/metrics", include_in_schema=False)
    async def metrics() -> Response:
        return Response(generate_latest(measures.registry), media_type="text/plain; version=0.0.4")

    @app.get(ENTRANCE, include_in_schema=False)
    def enter(key: str = "") -> Response:
        return entrance.enter(key)

    @app.exception_handler(LimbikError)
    async def refused(request: Request, error: LimbikError) -> JSONResponse:
        is_lookup = request.method in ("GET", "DELETE")
        return refusal(404 if is_lookup else 422, type(error).__name__, str(error))

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> JSONResponse:
        return refusal(422, "RequestError", _fault(error.errors(), request.headers.get("content-type")))

    @app.exception_handler(HTTPException)
    async def failed(request: Request, error: HTTPException) -> JSONResponse:
        if error.status_code == 400:  # FastAPI's, of bytes that are no text
            return refusal(422, "RequestError", "the body needs to be JSON in UTF-8")
        path = shortened(request.url.path)
        message, headers = str(error.detail), error.headers or {}
        if error.status_code == 404:
            message = f"there is nothing at {path}; /openapi.json has the addresses"
        elif error.status_code == 405:  # Starlette names the methods of one route only
            headers = {"Allow": _methods(request)}
            message = f"{path} takes {headers['Allow']}, not {request.method}"
        answer = refusal(error.status_code, "RequestError", message)
        answer.headers.update(headers)
        return answer

    app.add_middleware(Guard, entrance=entrance, limits=limits, measures=measures)
    app.add_middleware(SecureHeaders, gate=gate)
    app.add_middleware(QuietEnd)
    return app


def _fault(errors: Sequence[Mapping[str, Any]], content_type: str | None) -> str:
    """What would be right in the first entry that is wrong, of the errors of FastAPI's."""
    entry = errors[0]["loc"][:2]  # where it may be one of several kinds: the one that was read furthest
    error = max((each for each in errors if each["loc"][:2] == entry), key=lambda each: len(each["loc"]))
    if error["type"] == "json_invalid":
        return f"the body is not JSON: {error['ctx']['error']}, at character {error['loc'][-1]}"
    if error["loc"] == ("body",) and isinstance(error["input"], bytes):  # FastAPI has not read it as JSON
        actual = content_type[:100] if content_type else "none"
        return f"the body needs the header Content-Type: application/json, found {actual}"
    where = ".".join(str(each) for each in error["loc"] if each not in NO_FIELDS)
    return f"{where or 'the body'}: {error['msg']}"


def _methods(request: Request) -> str:
    """The methods that the routes of an address take, with commas."""
    routes = [route for route in request.app.routes if isinstance(route, APIRoute)]
    matching = [route for route in routes if route.matches(request.scope)[0] is not Match.NONE]
    return ", ".join(sorted(method for route in matching for method in route.methods or ()))


class _Unrepeated(Request):
    """A request in whose JSON no name may stand twice in one object: only the last would count."""

    async def json(self) -> Any:
        try:
            return json.loads(await self.body(), object_pairs_hook=unrepeated)
        except (json.JSONDecodeError, UnicodeDecodeError):
            raise
        except RecursionError:
            raise HTTPException(422, "the body has lists or objects too deep inside each other") from None
        except ValueError as error:  # a name twice, a number of thousands of digits
            raise HTTPException(422, f"the body is not JSON: {error}") from None


class _Route(APIRoute):
    """A route that reads its request so; each name is once in its query, but for the numbers of a start, and
    none is passed over.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        body = None if self.body_field is None else self.body_field.field_info
        takes_array = getattr(body, "media_type", None) == NPY
        takes_no_query = self.include_in_schema and not self.dependant.query_params

        async def answer(request: Request) -> Response:
            if takes_no_query and request.query_params:
                field = shortened(next(iter(request.query_params)))
                there = ": fields are in the body" if body else ""
                raise HTTPException(422, f"{self.path} takes no {field} in its address{there}")
            names = (name for name, _ in request.query_params.multi_items() if name != "start")
            if (name := repeated(names)) is not None:
                raise HTTPException(422, f"the address has {shortened(name)} twice")
            content_type = request.headers.get("content-type", "").lower()
            if takes_array and "json" in content_type:  # FastAPI would read the array as JSON
                actual = shortened(content_type)
                raise HTTPException(422, f"the body needs the header Content-Type: {NPY}, found {actual}")
            return await handle(_Unrepeated(request.scope, request.receive))

        return answer


def _add_routes(app: FastAPI, service: Service) -> None:
    app.router.route_class = _Route

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

    @app.post("/v1/solve_batch", response_model=SolveBatchAnswer)
    def solve_batch(request: SolveBatchRequest) -> Response:
        return _json(service.solve_batch(request))

    @app.post("/v1/solve_batch/npy", responses={200: {"content": {NPZ: {}}}}, response_model=None)
    def solve_array(
        request: Annotated[ArrayRequest, Query()], body: Annotated[bytes, Body(media_type=NPY)]
    ) -> Response:
        return Response(write_npz(service.solve_array(request, poses_in(body))), media_type=NPZ)

    @app.post("/v1/path", response_model=PathAnswer)
    def path(request: PathRequest) -> Response:
        return _json(service.path(request))

    @app.post("/v1/check", response_model=CheckAnswer)
    def check(request: CheckRequest) -> Response:
        return _json(service.check(request))

    @app.post("/v1/forward")
    def forward(request: ForwardRequest) -> ForwardAnswer:
        return service.forward(request)


def _json(answer: Message) -> Response:
    """A large answer, which FastAPI would copy and check once more."""
    return Response(answer.model_dump_json(), media_type="application/json")


def make_server(app: FastAPI, *, limits: ServerLimits = DEFAULT_LIMITS) -> uvicorn.Server:
    """The server of an application, to be run with `server.run(sockets=[listen(host, port)])`."""
    return server_of(app, timeout_graceful_shutdown=limits.graceful_seconds)


def browser_link(app: FastAPI, address: str) -> str:
    """The link with which one browser gets the token, once."""
    return f"{address}{ENTRANCE}?key={app.state.entrance.key}"


def new_token() -> str:
    """A random one."""
    return secrets.token_urlsafe(24)
