"""One WebSocket per page: what it may use, how its messages are taken in and answered, and when it ends."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass, field

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from starlette.responses import PlainTextResponse
from starlette.types import Message
from starlette.websockets import WebSocket, WebSocketDisconnect

from limbik import __version__, solvers
from limbik.app.kernels import Kernels
from limbik.app.protocol import (
    MAX_MESSAGE_BYTES,
    Failure,
    Frame,
    Hello,
    MessageError,
    Reset,
    Solve,
    Welcome,
    parse,
)
from limbik.app.security import Gate
from limbik.app.session import Session, warm_up
from limbik.errors import LimbikError

logger = logging.getLogger(__name__)

FIRST = "dls"  # the solver that a page begins with is compiled before the others
CLOSE_IDLE = 4408  # the page was silent for too long; it may come back when its user does
CLOSE_FULL = 1013  # "try again later"


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """What the server grants."""

    sessions: int = 256
    message_bytes: int = (
        4 * MAX_MESSAGE_BYTES
    )  # beyond MAX_MESSAGE_BYTES an error, beyond this the connection ends
    idle_seconds: float = 30 * 60.0
    send_seconds: float = 30.0  # a page that does not read its answers for so long is dropped
    solves: int = field(default_factory=lambda: os.cpu_count() or 1)  # at the same time, over all sessions


DEFAULT_BOUNDS = Bounds()


class Playground:
    """What all connections share: the kernels, the bounds, and the sessions that are open."""

    def __init__(self, bounds: Bounds, gate: Gate) -> None:
        self.bounds = bounds
        self.gate = gate
        self.kernels = Kernels(sorted(solvers.names(), key=FIRST.__ne__), warm_up)
        self.sessions: set[Session] = set()
        self.solving = anyio.CapacityLimiter(bounds.solves)

    @contextlib.contextmanager
    def session(self) -> Iterator[Session]:
        """A session that is freed when the connection ends, however it ends."""
        session = Session()
        self.sessions.add(session)
        try:
            yield session
        finally:
            self.sessions.discard(session)


async def connect(websocket: WebSocket) -> None:
    """Serve one page until it leaves."""
    playground: Playground = websocket.app.state.playground
    host = websocket.headers.get("host", "")
    if not playground.gate.admits_host(host) or not playground.gate.admits_origin(
        websocket.headers.get("origin"), host
    ):
        await websocket.send_denial_response(PlainTextResponse("This origin may not connect.\n", 403))
        return
    await websocket.accept()
    if len(playground.sessions) >= playground.bounds.sessions:
        await websocket.close(
            CLOSE_FULL, f"all {playground.bounds.sessions} sessions of this server are taken"
        )
        return
    with playground.session() as session, contextlib.suppress(WebSocketDisconnect):
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
        self._was_greeted = False

    async def run(self) -> None:
        """Answer until the page leaves, is silent for too long, or does not read what it is sent."""
        outbox, inbox = anyio.create_memory_object_stream[Message](1)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._work, inbox, tasks)
            await self._read(outbox)
            tasks.cancel_scope.cancel()

    async def _read(self, outbox: MemoryObjectSendStream[Message]) -> None:
        with outbox:
            while True:
                with anyio.move_on_after(self._playground.bounds.idle_seconds) as silence:
                    message = await self._websocket.receive()
                if silence.cancelled_caught:
                    with contextlib.suppress(WebSocketDisconnect):
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
        request: Hello | Solve | Reset | None = None
        try:
            text = message.get("text")
            if text is None:
                raise MessageError("messages are JSON text, found a binary one")
            request = parse(text, solvers.names())
            if isinstance(request, Hello):
                await self._welcome(tasks)
            elif isinstance(request, Reset):
                self._session.reset()
            else:
                await self._send((await self._solve(request)).encode())
        except MessageError as error:
            await self._send(Failure(message=str(error), field=error.field, id=error.id).encode())
        except LimbikError as error:
            await self._send(Failure(message=str(error), id=_id(request)).encode())
        except (WebSocketDisconnect, TimeoutError):
            raise
        except Exception:
            logger.exception("a request failed")
            await self._send(Failure(message="the server failed on this request", id=_id(request)).encode())

    async def _welcome(self, tasks: TaskGroup) -> None:
        await self._send(Welcome(limbik=__version__, solvers=solvers.describe()).encode())
        if not self._was_greeted:
            self._was_greeted = True
            tasks.start_soon(self._announce, tasks)

    async def _announce(self, tasks: TaskGroup) -> None:
        try:
            async for notice in self._playground.kernels.notices():
                await self._send(notice.encode())
        except (WebSocketDisconnect, TimeoutError):
            tasks.cancel_scope.cancel()

    async def _solve(self, request: Solve) -> Frame:
        await self._playground.kernels.wait(request.solvers)
        return await anyio.to_thread.run_sync(
            self._session.solve, request, limiter=self._playground.solving, abandon_on_cancel=True
        )

    async def _send(self, message: str | bytes) -> None:
        with anyio.fail_after(self._playground.bounds.send_seconds):
            if isinstance(message, str):
                await self._websocket.send_text(message)
            else:
                await self._websocket.send_bytes(message)


def _id(request: Hello | Solve | Reset | None) -> int | None:
    return request.id if isinstance(request, Solve) else None
