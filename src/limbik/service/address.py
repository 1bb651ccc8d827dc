"""The address on which a server listens: socket, free port, URL for the browser."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from typing import Any

from limbik.errors import LimbikError


class AddressError(LimbikError):
    """The server cannot listen where it was told to."""


class PortBusy(AddressError):
    """Another program listens on the port. `free` is the next free port, None if none was found."""

    def __init__(self, host: str, port: int, free: int | None) -> None:
        offer = f"port {free} is free" if free else "no free port was found after it"
        super().__init__(f"port {port} on {host} is in use; {offer}")
        self.host = host
        self.port = port
        self.free = free


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on the address; port 0 takes any free port.

    Raises:
        PortBusy: another program listens there.
        AddressError: the host is not an address of this machine, or the port is not allowed.
    """
    if not host:
        raise AddressError("a host needs a name or an address, such as 127.0.0.1")
    try:
        return _listen(host, port)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortBusy(host, port, _next_free(host, port)) from error
        reason = error.strerror or str(error)
        raise AddressError(f"cannot listen on {host} port {port}: {reason}") from error
    except UnicodeError:
        raise AddressError(f"cannot listen on {host} port {port}: no host has such a name") from None


def numeric(host: str) -> str:
    """The address that `listen` takes for a host's name, in numbers; the name where there is none."""
    try:
        return str(_resolved(host, 0)[-1][0])
    except (OSError, UnicodeError):
        return host


def _resolved(host: str, port: int) -> tuple[Any, ...]:
    """Family, kind, protocol, name and address of the socket for a host."""
    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return min(addresses, key=lambda entry: entry[0] != socket.AF_INET)


def _listen(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = _resolved(host, port)
    listener = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":  # elsewhere this option lets two programs share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


def _next_free(host: str, port: int) -> int | None:
    for candidate in range(port + 1, min(port + 100, 65536)):
        with contextlib.suppress(OSError), _listen(host, candidate):
            return candidate
    return None


def address_of(host: str, listener: socket.socket) -> str:
    """What to type into the browser: http://127.0.0.1:8000."""
    bound, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(bound, host)
    if ":" in shown:
        shown = f"[{shown}]"
    return f"http://{shown}:{port}"
