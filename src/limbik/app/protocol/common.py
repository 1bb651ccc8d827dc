"""The messages common to all views of the playground: greeting and welcome, failures, and the state of the
kernels.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from limbik.app.protocol.plane import BOUNDS
from limbik.app.protocol.reading import MessageError, Reader, show
from limbik.app.protocol.space import SPACE_BOUNDS
from limbik.app.protocol.writing import as_json

VERSION = 1


@dataclass(frozen=True, kw_only=True)
class Hello:
    """The page's first message: the version it speaks."""

    version: int


@dataclass(frozen=True, kw_only=True)
class Welcome:
    """The answer to `Hello`.

    solvers: the records of `limbik.solvers.describe(compiled=True)`. robots: the names that `Open` takes.
    """

    limbik: str
    solvers: Collection[object]
    robots: Collection[object] = ()

    def encode(self) -> str:
        """As JSON text."""
        return as_json(
            type="welcome",
            version=VERSION,
            limbik=self.limbik,
            solvers=list(self.solvers),
            robots=list(self.robots),
            bounds=dict(BOUNDS),
            space_bounds=dict(SPACE_BOUNDS),
        )


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A request that was not carried out, and why. On the wire its type is "error"."""

    message: str
    id: int | None = None
    field: str | None = None

    def encode(self) -> str:
        """As JSON text."""
        return as_json(type="error", id=self.id, message=self.message, field=self.field)


@dataclass(frozen=True, kw_only=True)
class Notice:
    """The state of the kernels: "compiling" or "ready". On the wire its type is "status"."""

    state: str
    message: str

    def encode(self) -> str:
        """As JSON text."""
        return as_json(type="status", state=self.state, message=self.message)


def read_hello(reader: Reader) -> Hello:
    """A `Hello` in this server's version."""
    reader.allow("type", "version")
    version = reader.entries.get("version")
    if isinstance(version, bool) or version != VERSION:
        raise MessageError(
            f"this server speaks version {VERSION}, found {show(version)}; reload the page",
            field="version",
        )
    return Hello(version=VERSION)
