"""Servers of applications, and how one runs in a thread, for notebooks and tests."""

from __future__ import annotations

import contextlib
import logging
import signal
import socket
import threading
import time
from asyncio import CancelledError
from collections.abc import Iterator
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from limbik.service.patience import PatientProtocol


def server_of(application: ASGIApp, **options: Any) -> uvicorn.Server:
    """The server of an application, to be run with `server.run(sockets=[listen(host, port)])`; options of
    uvicorn.
    """
    config = uvicorn.Config(
        application,
        http=PatientProtocol,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        **options,
    )
    logging.getLogger("uvicorn.error").addFilter(_in_one_line)
    return _Server(config)


class _Server(uvicorn.Server):
    """Ends in good order also where its terminal is closed, unless that is ignored, as by nohup."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """As uvicorn's, which is for SIGINT and SIGTERM."""
        hangup: signal.Signals | None = getattr(signal, "SIGHUP", None)  # which Windows has not
        is_main = threading.current_thread() is threading.main_thread()
        if hangup is None or not is_main or signal.getsignal(hangup) is not signal.SIG_DFL:
            with super().capture_signals():
                yield
            return
        signal.signal(hangup, self.handle_exit)
        try:
            with super().capture_signals():
                yield
        finally:
            signal.signal(hangup, signal.SIG_DFL)
        if hangup in self._captured_signals:
            signal.raise_signal(hangup)


def _in_one_line(record: logging.LogRecord) -> bool:
    """Drops the stack trace of what uvicorn logs of a client that sends no UTF-8; every record is logged."""
    if record.exc_info and isinstance(record.exc_info[1], UnicodeDecodeError):
        record.exc_info = None
    return True


class QuietEnd:
    """The application without the stack trace that a second Ctrl-C gets, which cancels what the first one has
    begun to end.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._application = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""

        async def said(message: Message) -> None:
            if (
                message["type"] == "lifespan.shutdown.failed"
                and CancelledError.__name__ in message["message"]
            ):
                message = {**message, "message": ""}
            await send(message)

        await self._application(scope, receive, said if scope["type"] == "lifespan" else send)


@contextlib.contextmanager
def serving(server: uvicorn.Server, listener: socket.socket) -> Iterator[socket.socket]:
    """A server in a thread, stopped at the end, and its socket closed."""
    thread = threading.Thread(
        target=server.run, kwargs={"sockets": [listener]}, name="limbik-server", daemon=True
    )
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.005)
        yield listener
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
