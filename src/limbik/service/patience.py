"""A uvicorn protocol with a timeout for headers."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 10.0


class PatientProtocol(H11Protocol):
    """Closes a connection whose header is not whole in time, of the first request or of a later one.

    A faulty body ends its request without a stack trace.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """A client has connected."""
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Bytes have come: of a header, or of what follows it."""
        if self._deadline is None and (self.cycle is None or self.cycle.response_complete):
            self._expect()
        super().data_received(data)
        is_whole = self.cycle is not None and not self.cycle.response_complete
        if is_whole or self.transport.get_protocol() is not self:  # a WebSocket has taken over
            self._forget()

    def send_400_response(self, msg: str) -> None:
        """A faulty request is answered; what was begun for its head has nobody left to answer."""
        super().send_400_response(msg)
        if self.cycle is not None:
            self.cycle.disconnected = True

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        self._forget()
        super().connection_lost(exc)

    def _expect(self) -> None:
        self._deadline = self.loop.call_later(HEADER_SECONDS, self.transport.close)

    def _forget(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
