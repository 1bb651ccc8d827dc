"""What the benchmark asks of an adapter."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Sequence
from types import ModuleType
from typing import Any, Protocol

from arms import Answer, Arm
from problems import Problem


class Missing(Exception):
    """A peer is not installed here; the message is the command that installs it."""

    def __init__(self, name: str, command: str) -> None:
        super().__init__(command)
        self.name = name
        self.command = command


def load_all(package: str, modules: Sequence[str]) -> tuple[list[Any], list[Missing]]:
    """What the adapters of a package can run here, and what is missing with the command that installs it."""
    peers: list[Any] = []
    missing: list[Missing] = []
    for name in modules:
        module = importlib.import_module(f"{package}.{name}")
        try:
            peers.extend(module.load())
        except Missing as reason:
            missing.append(reason)
    return peers, missing


class Session(Protocol):
    """A peer with an arm built and a tolerance set. Only `solve` is timed."""

    def prepare(self, problem: Problem) -> Any:
        """The problem in the peer's own types, the arm at its start."""

    def solve(self, prepared: Any) -> Any:
        """The peer's own call; nothing else happens here."""

    def answer(self, prepared: Any, result: Any) -> Answer:
        """What came out, in the common currency."""


class Peer:
    """A method under measurement."""

    name: str  # as tables show it
    method: str  # the limbik solver that it is compared with
    version: str
    note: str = ""  # how it is set up, one line
    may_hang: bool = False  # a call of it can take very long: it is stopped after `measure.PATIENCE`

    def open(self, arm: Arm, tolerance: float) -> Session | None:
        """A session for the arm and the tolerance [m]; None where the peer has no such joint or limit."""
        raise NotImplementedError


class BatchSession(Session, Protocol):
    """A peer that runs outside Python and times itself."""

    def solve_many(self, problems: Sequence[Problem], seconds: float) -> list[tuple[float, Answer]]:
        """Seconds and answer of as many problems as fit in the given time (at least one)."""


def require(module: str, command: str) -> ModuleType:
    """Import a peer, or say how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise Missing(module, command) from error


def version_of(distribution: str) -> str:
    return importlib.metadata.version(distribution)
