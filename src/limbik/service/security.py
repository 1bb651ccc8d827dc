"""Guards servers against foreign web sites: checks the Host and Origin headers, and adds security headers to
answers.

A server on 127.0.0.1 is within reach of every web site that its user visits. So the server looks at the
`Host` header (a foreign name that resolves to 127.0.0.1 is refused) and, for WebSockets, which browsers let
any site open, at the `Origin` header.
"""

from __future__ import annotations

import base64
import hashlib
import ipaddress
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

DEFAULT_PORTS = {"http": 80, "https": 443}

HEADERS = {
    "Cache-Control": "no-cache",  # keep, but ask whether it is current: file names carry no version
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True)
class Gate:
    """Decides about the `Host` and `Origin` headers of a server that listens on the address `host`.

    In numbers: other names than localhost may stand for a loopback address too.
    """

    host: str

    def admits_host(self, host: str) -> bool:
        """On a loopback address only localhost and literal addresses, elsewhere any name."""
        address = _host_and_port(host, "http")
        return address is not None and (
            not is_loopback(self.host) or is_loopback(address[0]) or _is_address(address[0])
        )

    def admits_origin(self, origin: str | None, host: str) -> bool:
        """The page's own origin, or a loopback name with the same port, or none (programs send none)."""
        if origin is None:
            return True
        scheme, separator, rest = origin.partition("://")
        if not separator or scheme not in DEFAULT_PORTS:
            return False
        own_address, from_ = _host_and_port(host, scheme), _host_and_port(rest, scheme)
        if own_address is None or from_ is None:
            return False
        return from_ == own_address or (is_loopback(from_[0]) and from_[1] == own_address[1])


class SecureHeaders:
    """ASGI middleware: refuses foreign hosts and adds the security headers to every HTTP answer."""

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self.app = app
        self.gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Content-Security-Policy", content_security_policy())
            await send(message)

        app: ASGIApp = self.app
        if not self.gate.admits_host(Headers(scope=scope).get("host", "")):
            message = "this server answers only to localhost and to its address"
            app = JSONResponse({"error": "HostError", "message": message}, 421)
        await app(scope, receive, send_with_headers)


def content_security_policy(page: str = "") -> str:
    """Everything from this server only; of scripts inside the page, only its import map (by its hash)."""
    scripts = " ".join(["'self'", *(f"'sha256-{_sha256(text)}'" for text in _import_maps(page))])
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {scripts}",
            "style-src 'self'",
            "img-src 'self' blob: data:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "manifest-src 'self'",
            "worker-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'self'",
        )
    )


def is_loopback(host: str) -> bool:
    """True for localhost and addresses such as 127.0.0.1 and ::1."""
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _host_and_port(netloc: str, scheme: str) -> tuple[str, int] | None:
    """Name and port of "localhost:8000"; None for anything else."""
    try:
        parts = urlsplit(f"//{netloc}")
        port = parts.port or DEFAULT_PORTS[scheme]
    except ValueError:
        return None
    if parts.hostname is None or parts.netloc != netloc or "@" in netloc:
        return None
    return parts.hostname, port


class _ImportMaps(HTMLParser):
    """Collects the texts of `<script type="importmap">`."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag == "script" and dict(attrs).get("type") == "importmap"
        if self._inside:
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.texts[-1] += data


def _import_maps(page: str) -> list[str]:
    parser = _ImportMaps()
    parser.feed(page)
    parser.close()
    return parser.texts


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
