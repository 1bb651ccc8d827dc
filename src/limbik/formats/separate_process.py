"""Runs a reader in a process of its own, with limits of time and memory.

The process imports only what the work needs: it passes by the front doors of limbik's packages, which import
all that is behind them. What it answers is unpickled here, because limbik's own code has written it.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar, cast

from limbik.errors import FormatError, FormatWarning

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")

GIBIBYTES = 4  # of addresses; libraries reserve many that they never use

_FOLDER = Path(__file__).parent
_DOORS = {"limbik": str(_FOLDER.parent), "limbik.formats": str(_FOLDER)}
_BEGIN = """
import pickle, sys, types
sys.path[:], doors = pickle.load(sys.stdin.buffer)
for name, folder in doors.items():
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [folder]
from limbik.formats.separate_process import answer
answer()
"""


def apart(
    name: str,
    seconds: float,
    work: Callable[Arguments, Returned],
    *arguments: Arguments.args,
    **named: Arguments.kwargs,
) -> Returned:
    """What `work` returns, raises and warns of, done in a process that ends after so many seconds.

    name: of the file, for messages. work, its arguments and what it returns are pickled, so it is a function
    of a module. Programs that are frozen into one file have no Python to start: there it is done here.

    Raises FormatError where the process takes too long or too much memory, or dies.
    """
    if not sys.executable or getattr(sys, "frozen", False):
        return work(*arguments, **named)
    task = pickle.dumps((sys.path, _DOORS)) + pickle.dumps((seconds, work, arguments, named))
    command = [sys.executable, "-P", "-c", _BEGIN]
    try:
        done = subprocess.run(command, input=task, stdout=subprocess.PIPE, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise _too_slow(name, seconds) from None
    if done.returncode != 0 and done.returncode == -getattr(signal, "SIGXCPU", 0):
        raise _too_slow(name, seconds)
    if done.returncode != 0:
        raise FormatError(name, f"the process that reads it died ({_status(done.returncode)})")
    result, failure, remarks = pickle.loads(done.stdout)
    for remark in remarks:
        warnings.warn(remark, FormatWarning, stacklevel=2)
    if isinstance(failure, MemoryError):
        problem = f"takes more than {GIBIBYTES} GiB of memory to read"
        raise FormatError(name, problem)
    if failure is not None:
        raise failure
    return cast(Returned, result)


def _too_slow(name: str, seconds: float) -> FormatError:
    return FormatError(name, f"takes more than {seconds:g} s to read")


def _status(code: int) -> str:
    return f"exit status {code}" if code > 0 else f"signal {-code}, {signal.strsignal(-code)}"


def answer() -> None:
    """Do the work that is described on the standard input, and write what comes of it to the output."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no part of the answer
    seconds, work, arguments, named = pickle.load(sys.stdin.buffer)
    _bound(seconds)
    result = failure = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = work(*arguments, **named)
        except Exception as error:
            failure = error
    remarks = [str(one.message) for one in caught if issubclass(one.category, FormatWarning)]
    with out:
        pickle.dump((result, failure, remarks), out)


def _bound(seconds: float) -> None:
    """Set what this process may use, where the system has such bounds."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        resource.setrlimit(resource.RLIMIT_AS, (GIBIBYTES * 2**30, GIBIBYTES * 2**30))
