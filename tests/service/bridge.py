"""A rosbridge server, as far as services and topics go: it passes on what one client calls to another."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from typing import Any

from websockets.sync.server import Server, ServerConnection, serve


class Bridge:
    """Services by name, with the client that advertises each; calls that wait; and topics."""

    def __init__(self) -> None:
        self.advertised: dict[str, tuple[ServerConnection, str]] = {}
        self._waiting: dict[str, ServerConnection] = {}
        self._readers: dict[str, list[ServerConnection]] = {}
        self._changed = threading.Condition()
        self.codes: list[int | None] = []  # with which clients have closed
        self.server: Server

    @property
    def address(self) -> str:
        host, port = self.server.socket.getsockname()[:2]
        return f"ws://{host}:{port}"

    def wait_advertised(self, *services: str) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: set(services) <= set(self.advertised), 60.0), (
                self.advertised
            )

    def wait_subscribed(self, topic: str) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: topic in self._readers, 60.0), topic

    def talk(self, client: ServerConnection) -> None:
        for text in client:
            message = json.loads(text)
            with self._changed:
                self._pass_on(message, client)
                self._changed.notify_all()
        with self._changed:
            self.codes.append(client.protocol.close_code)
            self._changed.notify_all()

    def wait_closed(self) -> int | None:
        """The code of the client that closes first."""
        with self._changed:
            assert self._changed.wait_for(lambda: bool(self.codes), 60.0)
            return self.codes[0]

    def _pass_on(self, message: dict[str, Any], client: ServerConnection) -> None:
        op, name = message["op"], message.get("service") or message.get("topic") or ""
        if op == "advertise_service":
            self.advertised[name] = (client, message["type"])
        elif op == "call_service":
            self._waiting[message["id"]] = client
            self.advertised[name][0].send(json.dumps(message))
        elif op == "service_response":
            self._waiting.pop(message["id"]).send(json.dumps(message))
        elif op == "subscribe":
            self._readers.setdefault(name, []).append(client)
        elif op == "publish":
            for reader in self._readers.get(name, []):
                reader.send(json.dumps(message))


@contextlib.contextmanager
def bridging() -> Iterator[Bridge]:
    """A bridge on a port of its own."""
    bridge = Bridge()
    with serve(bridge.talk, "127.0.0.1", 0, max_size=None) as bridge.server:
        thread = threading.Thread(target=bridge.server.serve_forever, daemon=True)
        thread.start()
        yield bridge
        bridge.server.shutdown()
        thread.join()
