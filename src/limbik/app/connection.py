"""`Connection`: one page's WebSocket, a reader and a worker of its requests; `Playground`: the sessions,
opened scenes, threads and kernels common to all connections.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import anyio
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from starlette.types import Message
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketDisconnected

from limbik import __version__, solvers
from limbik.app.compilation import FIRST, FIRST_IN_SPACE, in_space, is_in_space, order, warm_up_in_space
from limbik.app.kernels import Kernels
from limbik.app.motions.description import shown
from limbik.app.motions.opener import MotionOpener
from limbik.app.protocol import (
    MAX_OPEN_BYTES,
    ExplainRequest,
    ExportRequest,
    Failure,
    FollowPathRequest,
    Hello,
    MessageError,
    MoveRequest,
    NullspaceRequest,
    OpenRequest,
    PlaneSolutionsRequest,
    PlaneSolveRequest,
    Request,
    ResetRequest,
    SelfMotionRequest,
    ShowMotionRequest,
    SolutionsRequest,
    Welcome,
    WorldRequest,
    parse,
)
from limbik.app.protocol.motion import ShowMotionReply
from limbik.app.reach_maps import ReachMap
from limbik.app.scene_description import robots
from limbik.app.scene_opener import SceneOpener
from limbik.app.session import SOLVERS, Session, warm_up
from limbik.app.space_session import SpaceSession
from limbik.app.threads import Threads
from limbik.errors import LimbikError
from limbik.service.security import Gate

__all__ = ["CLOSE_FULL", "CLOSE_IDLE", "FIRST", "Bounds", "Connection", "Playground", "connect"]

RequestMessage = TypeVar("RequestMessage")

logger = logging.getLogger(__name__)

CLOSE_IDLE = 4408  # the page was silent for too long; it may come back when its user does
CLOSE_FULL = 1013  # "try again later"


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """What the server grants."""

    sessions: int = 256
    message_bytes: int = 2 * MAX_OPEN_BYTES  # beyond MAX_OPEN_BYTES an error, beyond this the connection ends
    idle_seconds: float = 30 * 60.0
    send_seconds: float = 30.0  # a page that does not read its answers for so long is dropped
    solves: int = field(default_factory=lambda: max(2, os.cpu_count() or 1))  # at the same time, of all pages
    searches: int = field(default_factory=lambda: max(1, (os.cpu_count() or 1) // 2))  # all that takes longer
    interpreted: int = 4  # solves by what is not compiled yet
    uploads: int = 8  # at the same time
    upload_seconds: float = 60.0
    upload_pause: float = 5.0  # [s] by which an upload may lag behind `upload_rate`
    upload_rate: float = 32 * 1024.0  # [bytes/s] at least


DEFAULT_BOUNDS = Bounds()
Beside = (  # what is looked for while arms move
    ExplainRequest
    | SolutionsRequest
    | PlaneSolutionsRequest
    | SelfMotionRequest
    | FollowPathRequest
    | WorldRequest
)
BESIDE = {  # of each page one at a time
    ExplainRequest: "explanation",
    SolutionsRequest: "search for all solutions",
    PlaneSolutionsRequest: "search for all solutions",
    SelfMotionRequest: "curve of self-motion",
    FollowPathRequest: "path",
    WorldRequest: "file of objects",
}
INTERPRETED_SECONDS = 0.2  # that a solve of a drag may take while its solver is being compiled


class Playground:
    """Common to all connections: the kernels, the bounds, opened scenes, and the sessions that are open.

    What takes longer than a drag (searches, reasons, opening) has threads of its own, so that it never holds
    up those who drag. Work that has begun keeps its thread until it ends, also when its page has left: pages
    that come and go take no more threads than those that stay.
    """

    def __init__(self, bounds: Bounds, gate: Gate) -> None:
        self.bounds = bounds
        self.gate = gate
        self.kernels = Kernels(order(), _compile)
        self.workshop = SceneOpener()
        self.motions = MotionOpener(self.workshop)
        self.maps: dict[str, ReachMap] = {}  # by their keys
        self.sessions: set[Session] = set()
        self.solving = Threads(bounds.solves, "limbik-solve")
        self.interpreting = Threads(bounds.interpreted, "limbik-interpret")
        self.searching = Threads(bounds.searches, "limbik-search")
        self.opening = Threads(bounds.searches, "limbik-open")
        self.uploading = anyio.Semaphore(bounds.uploads)

    def close(self) -> None:
        """Begin nothing more."""
        for threads in (self.solving, self.interpreting, self.searching, self.opening):
            threads.shutdown()
        self.workshop.shapes.close()

    def show(self, request: ShowMotionRequest) -> ShowMotionReply:
        """A motion. Raises LimbikError for what cannot be opened or changed so."""
        answer, scene = shown(self.motions.open(request), request)
        self.workshop.show(scene)
        return answer

    @contextlib.contextmanager
    def session(self) -> Iterator[Session]:
        """A session that is freed when the connection ends, however it ends."""
        session = Session()
        self.sessions.add(session)
        try:
            yield session
        finally:
            self.sessions.discard(session)


def _compile(name: str) -> None:
    if is_in_space(name):
        warm_up_in_space(name)
    else:
        warm_up(name)


async def connect(websocket: WebSocket) -> None:
    """Serve one page until it leaves."""
    playground: Playground = websocket.app.state.playground
    host = websocket.headers.get("host", "")
    if not playground.gate.admits_host(host) or not playground.gate.admits_origin(
        websocket.headers.get("origin"), host
    ):
        await websocket.close()  # before it is accepted: 403
        return
    await websocket.accept()
    if len(playground.sessions) >= playground.bounds.sessions:
        await websocket.close(
            CLOSE_FULL, f"all {playground.bounds.sessions} sessions of this server are taken"
        )
        return
    # A page that does not read what it is sent is cancelled when the server stops.
    with playground.session() as session, contextlib.suppress(WebSocketDisconnect, asyncio.CancelledError):
        await Connection(websocket, playground, session).run()


class Connection:
    """One page's WebSocket. A reader takes messages in, a worker answers them one by one.

    Solves run in threads, so a page that asks for much delays its own answers only. The reader is one message
    ahead: it notices at once when the page goes away, and TCP holds back a page that sends faster than it is
    answered.
    """

    def __init__(self, websocket: WebSocket, playground: Playground, session: Session) -> None:
        self._websocket = websocket
        self._playground = playground
        self._session = session
        self._space = SpaceSession(playground.workshop)
        self._was_greeted = False
        self._beside: set[type] = set()  # what is being looked for beside what moves
        self._sending = anyio.Lock()

    async def run(self) -> None:
        """Answer until the page leaves, is silent for too long, or does not read what it is sent."""
        outbox, inbox = anyio.create_memory_object_stream[Message](1)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._work, inbox, tasks)
            await self._read(outbox)
            tasks.cancel_scope.cancel()

    async def _read(self, outbox: MemoryObjectSendStream[Message]) -> None:
        with outbox, contextlib.suppress(anyio.BrokenResourceError):  # the worker found the page gone
            while True:
                with anyio.move_on_after(self._playground.bounds.idle_seconds) as silence:
                    message = await self._websocket.receive()
                if silence.cancelled_caught:
                    with contextlib.suppress(WebSocketDisconnect, WebSocketDisconnected):
                        await self._websocket.close(CLOSE_IDLE, "idle")
                    return
                if message["type"] == "websocket.disconnect":
                    return
                await outbox.send(message)

    async def _work(self, inbox: MemoryObjectReceiveStream[Message], tasks: TaskGroup) -> None:
        try:
            with inbox:
                async for message in inbox:
                    await self._answer(message, tasks)
        except (WebSocketDisconnect, TimeoutError):
            tasks.cancel_scope.cancel()

    async def _answer(self, message: Message, tasks: TaskGroup) -> None:
        request: Request | None = None

        async def carry_out() -> None:
            nonlocal request
            text = message.get("text")
            if text is None:
                raise MessageError("messages are JSON text, found a binary one")
            request = parse(text, solvers.names(compiled=True), SOLVERS)
            if isinstance(request, Hello):
                await self._welcome(tasks)
            elif isinstance(request, ResetRequest):
                self._session.reset()
            elif isinstance(request, Beside):
                tasks.start_soon(self._look, request, tasks)
            else:
                await self._send(await self._answer_to(request))

        await self._or_say_why(carry_out, lambda: _id(request))

    async def _or_say_why(self, act: Callable[[], Awaitable[None]], id: Callable[[], int | None]) -> None:
        """Act, and tell the page where that fails."""
        try:
            await act()
        except MessageError as error:
            number = id() if error.id is None else error.id
            await self._send(Failure(message=str(error), field=error.field, id=number).encode())
        except LimbikError as error:
            await self._send(Failure(message=str(error), id=id()).encode())
        except (WebSocketDisconnect, TimeoutError):
            raise
        except Exception:
            logger.exception("a request failed")
            await self._send(Failure(message="the server failed on this request", id=id()).encode())

    async def _answer_to(
        self,
        request: PlaneSolveRequest
        | OpenRequest
        | MoveRequest
        | NullspaceRequest
        | ExportRequest
        | ShowMotionRequest,
    ) -> str | bytes:
        playground, space = self._playground, self._space
        if isinstance(request, ShowMotionRequest):
            return await _in_thread(playground.show, request, playground.searching)
        if isinstance(request, OpenRequest):
            return await _in_thread(space.open, request, playground.opening)
        if isinstance(request, MoveRequest) and request.search:
            playground.kernels.hasten(_kernels_of(request))
            return await _in_thread(space.move, request, playground.searching)
        if isinstance(request, ExportRequest):
            return await _in_thread(space.export, request, playground.searching)
        # A drag does not wait for the compiler: solvers begin interpreted, and answer before they are done.
        is_ready = playground.kernels.hasten(_kernels_of(request))
        threads = playground.solving if is_ready else playground.interpreting
        time_limit = None if is_ready else INTERPRETED_SECONDS
        if isinstance(request, PlaneSolveRequest):
            return await _in_thread(lambda each: self._session.solve(each, time_limit), request, threads)
        if isinstance(request, MoveRequest):
            return await _in_thread(lambda each: space.move(each, time_limit), request, threads)
        return await _in_thread(space.slide, request, threads)

    async def _look(self, request: Beside, tasks: TaskGroup) -> None:
        """Beside the next request: to find a reason or all solutions takes longer than to move."""

        async def carry_out() -> None:
            kind = type(request)
            if kind in self._beside:
                raise MessageError(f"one {BESIDE[kind]} at a time: the one before is still looked for")
            self._beside.add(kind)
            try:
                reply = await self._explained(request)
            finally:
                self._beside.remove(kind)
            await self._send(reply)

        try:
            await self._or_say_why(carry_out, lambda: request.id)
        except (WebSocketDisconnect, TimeoutError):
            tasks.cancel_scope.cancel()

    async def _explained(self, request: Beside) -> str | bytes:
        space, threads = self._space, self._playground.searching
        if isinstance(request, ExplainRequest):
            return await _in_thread(space.explain, request, threads)
        if isinstance(request, SelfMotionRequest):
            return await _in_thread(space.self_motion, request, threads)
        if isinstance(request, FollowPathRequest):
            return await _in_thread(space.follow_path, request, threads)
        if isinstance(request, WorldRequest):
            return await _in_thread(space.read_world, request, self._playground.opening)
        if isinstance(request, PlaneSolutionsRequest):
            return await _in_thread(self._session.solve_all, request, threads)
        return await _in_thread(space.solve_all, request, threads)

    async def _welcome(self, tasks: TaskGroup) -> None:
        described = solvers.describe(compiled=True)
        await self._send(Welcome(limbik=__version__, solvers=described, robots=robots()).encode())
        if not self._was_greeted:
            self._was_greeted = True
            tasks.start_soon(self._announce, tasks)

    async def _announce(self, tasks: TaskGroup) -> None:
        try:
            async for notice in self._playground.kernels.notices():
                await self._send(notice.encode())
        except (WebSocketDisconnect, TimeoutError):
            tasks.cancel_scope.cancel()

    async def _send(self, message: str | bytes) -> None:
        """Raises WebSocketDisconnect for a page that has left, TimeoutError for one that does not read."""
        with anyio.fail_after(self._playground.bounds.send_seconds):
            async with self._sending:
                try:
                    await self._send_now(message)
                except WebSocketDisconnected:  # which another task has found already
                    raise WebSocketDisconnect from None

    async def _send_now(self, message: str | bytes) -> None:
        if isinstance(message, str):
            await self._websocket.send_text(message)
        else:
            await self._websocket.send_bytes(message)


class Answer(Protocol):
    """What a session answers."""

    def encode(self) -> str | bytes:
        """As it goes to the page."""


def _kernels_of(request: PlaneSolveRequest | MoveRequest | NullspaceRequest) -> list[str]:
    """What a request is solved with, as the kernels are named."""
    if isinstance(request, PlaneSolveRequest):
        return list(request.solvers)
    if isinstance(request, NullspaceRequest):
        return in_space([FIRST_IN_SPACE])
    return in_space({name for arm in request.arms if arm.goals for name in arm.solvers})


async def _in_thread(
    work: Callable[[RequestMessage], Answer], request: RequestMessage, threads: Threads
) -> str | bytes:
    """The answer to a request, ready to be sent."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(threads, lambda: work(request).encode())


def _id(request: Request | None) -> int | None:
    return getattr(request, "id", None)
