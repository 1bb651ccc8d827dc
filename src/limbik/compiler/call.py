"""`Call`: a program bound to its arguments, run by machine code, or by Python until there is some."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbik.compiler import native
from limbik.compiler.arrays import WATCH_KIND, ArrayType, Kind, kinds
from limbik.compiler.kernel import Watch
from limbik.compiler.program import Program
from limbik.compiler.records import as_records
from limbik.compiler.watch import run_compiled_or_interpreted
from limbik.spatial import Array


def never() -> bool:
    """The watch of what is not stopped."""
    return False


class Call:
    """A program with its arguments but the watch; arrays are read and written in place."""

    def __init__(self, program: Program, *arguments: Any) -> None:
        self.program = program
        self._kinds = kinds(program.kernel.function)
        remaining = iter(arguments)
        self._arguments = {
            name: never if kind == WATCH_KIND else next(remaining) for name, kind in self._kinds.items()
        }
        assert all(_fits(kind, self._arguments[name]) for name, kind in self._kinds.items()), program.name
        numbers = [_numbers(kind, self._arguments[name]) for name, kind in self._kinds.items()]
        ends = itertools.pairwise(itertools.accumulate(map(len, numbers), initial=0))
        self._slices = {name: slice(*each) for name, each in zip(self._kinds, ends, strict=True)}
        self._function: Any = None
        self._hand_over(np.array(list(itertools.chain(*numbers)), np.int64))

    def changed(self, **arguments: Any) -> Call:
        """The same call with other arguments, by name."""
        call = object.__new__(Call)
        vars(call).update(vars(self), _arguments=self._arguments | arguments)
        written = self._written.copy()
        for name, argument in arguments.items():
            written[self._slices[name]] = _numbers(self._kinds[name], argument)
        call._hand_over(written)
        return call

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy has addresses of its own, those of the arrays that are copied with it."""
        arguments = (self._arguments[name] for name, kind in self._kinds.items() if kind != WATCH_KIND)
        return Call, (self.program, *arguments)

    def run(self, watch: Watch = never) -> int:
        """What the kernel returns; 0 for nothing."""
        if self._is_compiled():
            return int(self._function(self._address, watch))
        return self.interpret(watch)

    def run_or_begin_again(self, watch: Watch, changed: Sequence[Array]) -> None:
        """The same for a solve, which machine code begins again as soon as there is some.

        changed: arrays that it changes, and is to find as they were.
        """
        if self._is_compiled():
            self._function(self._address, watch)
        else:
            run_compiled_or_interpreted(self.program, watch, lambda: self.run(watch), self.interpret, changed)

    def interpret(self, watch: Watch = never) -> int:
        """The same, by Python itself."""
        arguments = (_for_python(kind, self._arguments[name], watch) for name, kind in self._kinds.items())
        return int(self.program.kernel.interpreted(*arguments) or 0)

    def _is_compiled(self) -> bool:
        if self._function is None:
            self._function = native.compiled(self.program)
        return self._function is not None

    def _hand_over(self, written: NDArray[np.int64]) -> None:
        """What machine code reads, as `compiler.make` has it."""
        self._written, self._address = written, written.ctypes.data


def _fits(kind: Kind, argument: Any) -> bool:
    """Whether arrays are of the types that machine code takes them for, and of the sizes that are fixed."""
    if not isinstance(kind, ArrayType):
        parts = () if kind is int or kind == WATCH_KIND else zip(kinds(kind).values(), argument, strict=True)
        return all(_fits(part, each) for part, each in parts)
    is_of_type = isinstance(kind.dtype, str) or argument.dtype == kind.dtype
    if not (is_of_type and argument.ndim == len(kind.shape) and argument.flags.c_contiguous):
        return False
    sizes = zip(argument.shape, kind.shape, strict=True)
    return all(size == fixed for size, fixed in sizes if isinstance(fixed, int))


def _numbers(kind: Kind, argument: Any) -> list[int]:
    """Of an array the address and the shape."""
    if isinstance(kind, ArrayType):
        return [argument.ctypes.data, *argument.shape]
    if kind == WATCH_KIND:
        return []
    if kind is int:
        return [argument]
    parts = zip(kinds(kind).values(), argument, strict=True)
    return [number for part, each in parts for number in _numbers(part, each)]


def _for_python(kind: Kind, argument: Any, watch: Watch) -> Any:
    """An argument whose records have attributes, and whose watch is this one."""
    if isinstance(kind, ArrayType):
        return as_records(argument) if argument.dtype.names else argument
    if kind == WATCH_KIND:
        return watch
    if kind is int:
        return argument
    parts = zip(kinds(kind).values(), argument, strict=True)
    return kind(*(_for_python(part, each, watch) for part, each in parts))
