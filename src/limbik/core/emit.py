"""Straight-line code from a function on scalars: for one problem, or for several lanes at once.

A block holds one number per row and lane, the lanes of a row side by side; the compiler turns the loop over
the lanes into vector instructions.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from limbik.core.compiled import Kernel, compiled
from limbik.core.symbols import Scalar, Tape

# The order of operations is kept: lanes and single problems then differ only by contracted products.
EMITTED = {"contract", "arcp", "nsz", "nnan", "ninf"}

Rows = list[Scalar]
Stored = list[tuple[int, Scalar]]


def emit(
    function: Callable[[Rows, Rows], Stored],
    name: str,
    *,
    inputs: int,
    constants: int,
    lanes: int,
    single: bool = False,
) -> Kernel[[Any, Any], None]:
    """A kernel `name(block, constants)` that does what `function(rows, constants)` says.

    function:
        Takes the first rows of the block and the constants as symbols; returns (row, value) pairs to be
        stored.
    inputs, constants:
        How many rows are read, and how many constants.
    """

    def write() -> Callable[..., None]:
        scope: dict[str, Any] = {
            "__name__": __name__,
            "sqrt": math.sqrt,
            "floor": np.floor,
            "absolute": abs,
            "smaller": smaller,
            "larger": larger,
            "select": select,
            "float32": np.float32,
        }
        exec(compile(_source(function, name, inputs, constants, lanes, single), f"<{name}>", "exec"), scope)
        written: Callable[..., None] = scope[name]
        return written

    return Emitted(write, _interpreted(function, inputs, constants, lanes))


class Emitted(Kernel[[Any, Any], None]):
    """A kernel whose code is written when it is to be compiled: writing takes longer than a solve."""

    def __init__(self, write: Callable[[], Callable[..., None]], interpreted: Callable[..., None]) -> None:
        self.write = write
        self.options = {"fastmath": EMITTED, "forceinline": None}
        self.bindings = {}
        self.given_interpreted = interpreted

    @functools.cached_property
    def function(self) -> Any:
        """The code."""
        return self.write()

    @property
    def names(self) -> set[str]:
        """None: the code is on its own."""
        return set()


def _interpreted(
    function: Callable[[Rows, Rows], Stored], inputs: int, constants: int, lanes: int
) -> Callable[[Any, Any], None]:
    """The same on NumPy arrays, one element per lane; on floats for one problem."""

    def run(block: Any, numbers: Any) -> None:
        read = block[: inputs * lanes].copy().reshape(inputs, lanes) if lanes > 1 else block[:inputs].tolist()
        for row, value in function(list(read), numbers[:constants].tolist()):
            block[row * lanes : (row + 1) * lanes] = value

    return run


def _source(
    function: Callable[[Rows, Rows], Stored],
    name: str,
    inputs: int,
    constants: int,
    lanes: int,
    single: bool,
) -> str:
    tape = Tape(single)
    stored = function(
        [tape.symbol(f"r{i}") for i in range(inputs)], [tape.symbol(f"c{i}") for i in range(constants)]
    )
    indent = "        " if lanes > 1 else "    "

    def place(row: int) -> str:
        return f"block[{row * lanes} + lane]" if lanes > 1 else f"block[{row}]"

    lines = [f"def {name}(block, constants):"]
    lines += [f"    c{i} = constants[{i}]" for i in range(constants)]
    lines += [f"    for lane in range({lanes}):"] if lanes > 1 else []
    lines += [f"{indent}r{i} = {place(i)}" for i in range(inputs)]
    lines += [f"{indent}{symbol} = {expression}" for symbol, expression in tape.lines]
    lines += [f"{indent}{place(row)} = {tape.text(value)}" for row, value in stored]
    return "\n".join(lines) + "\n"


@compiled(inline=True)
def smaller(a: float, b: float) -> float:
    return a if a < b else b


@compiled(inline=True)
def larger(a: float, b: float) -> float:
    return a if a > b else b


@compiled(inline=True)
def select(condition: bool, a: float, b: float) -> float:
    return a if condition else b
