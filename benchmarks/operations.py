"""How many operations the fast core's step does, counted on the tape that its code is emitted from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

from limbik.compiler.symbols import Tape
from limbik.serial import kernels, step
from limbik.serial.seed_table import Shape
from limbik.serial.step import SerialTuning

KINDS = ("+ -", "*", "/", "sqrt", "compare, select, floor")
PARTS = {
    "frames": ("frames",),
    "sines and cosines": ("sincos",),
    "Jacobian": ("jacobian",),
    "error": ("pose_error",),
    "normal equations": ("_gram",),
    "their solution": ("solve_symmetric",),
}


def operations(shape: Shape) -> tuple[Counter[str], Counter[str]]:
    """Of one iteration of one lane: operations by kind (`KINDS`), and by part of the step (`PARTS`, "rest").

    "frames" does not count the sines and cosines in it.
    """
    by_part: Counter[str] = Counter()

    emitted, tape = kernels.step(shape, 1, SerialTuning()), Tape()
    with _watched(tape, by_part):
        emitted.function(*emitted.symbols(tape))
    by_kind = Counter(_kind(line.operator) for line in tape.lines)
    by_part["frames"] -= by_part["sines and cosines"]
    by_part["rest"] = len(tape.lines) - by_part.total()
    return by_kind, by_part


def _kind(operator: str) -> str:
    if operator in ("+", "-", "negative"):
        return "+ -"
    return operator if operator in ("*", "/", "sqrt") else "compare, select, floor"


@contextmanager
def _watched(tape: Tape, by_part: Counter[str]) -> Iterator[None]:
    """Count what each part of the step writes on the tape."""
    with ExitStack() as changes:
        for part, names in PARTS.items():
            for name in names:
                watched = _watching(getattr(step, name), part, tape, by_part)
                changes.enter_context(mock.patch.object(step, name, watched))
        yield


def _watching(
    function: Callable[..., Any], part: str, tape: Tape, by_part: Counter[str]
) -> Callable[..., Any]:
    def watched(*arguments: Any) -> Any:
        before = len(tape.lines)
        result = function(*arguments)
        by_part[part] += len(tape.lines) - before
        return result

    return watched
