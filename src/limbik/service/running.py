"""Runs a server in a thread, for notebooks and tests."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

import uvicorn


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
