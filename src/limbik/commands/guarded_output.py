"""Command-line output that can write any character, and raises `OutputFailed` where standard output cannot be
written.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, TextIO, TypeVar

from limbik.errors import OutputError

UNWRITTEN = 3  # exit status
ESCAPED = "limbik-escaped"  # what becomes of characters that the encoding of a stream lacks, for `codecs`
_IN_ASCII = {"●": "*", "○": "o", "→": "->", "×": "x", "∞": "inf", "…": "~"}

_T = TypeVar("_T")


class OutputFailed(OutputError):
    """Standard output cannot be written: its device is full, or its reader is gone."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(f"the output cannot be written: {cause.strerror or cause}")
        self.reader_is_gone = isinstance(cause, BrokenPipeError)


class _Guarded:
    """A text stream whose failures go to `fail` instead of to the one who writes."""

    buffer = None  # click writes around a stream that shows one

    def __init__(self, stream: TextIO, fail: Callable[[OSError], None]) -> None:
        self._stream = stream
        self._fail = fail
        self._error: OSError | None = None  # stored, because click passes over one while it looks at a stream

    def write(self, text: str) -> int:
        return self._attempt(lambda: self._stream.write(text), len(text))

    def flush(self) -> None:
        self._attempt(self._stream.flush, None)

    def _attempt(self, act: Callable[[], _T], otherwise: _T) -> _T:
        if self._error is None:
            try:
                return act()
            except OSError as error:
                _discard(self._stream)
                self._error = error
        self._fail(self._error)
        return otherwise

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Within it a standard output that cannot be written raises OutputFailed; of standard error nobody could
    be told. Characters that an encoding lacks are written in ASCII.
    """
    with contextlib.ExitStack() as stack:
        for stream, redirect, fail in (
            (sys.stdout, contextlib.redirect_stdout, _refuse),
            (sys.stderr, contextlib.redirect_stderr, _forget),
        ):
            if stream is None and os.name == "nt":  # a process without a console
                continue
            if stream is None:  # closed before Python began; what stands for it cannot be written either
                stream = stack.enter_context(open(os.open(os.devnull, os.O_RDONLY), "w"))
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors=ESCAPED)
            stack.enter_context(redirect(_Guarded(stream, fail)))
        yield


def _refuse(error: OSError) -> NoReturn:
    raise OutputFailed(error) from None


def _forget(error: OSError) -> None:
    pass


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """The part of a text that cannot be encoded, in ASCII."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    escaped = (_IN_ASCII.get(one) or one.encode("ascii", "backslashreplace").decode() for one in lacking)
    return "".join(escaped), error.end


codecs.register_error(ESCAPED, _escaped)


def _discard(stream: TextIO) -> None:
    """Let what is left in the stream's buffer go nowhere, so that it does not fail again when Python ends."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
