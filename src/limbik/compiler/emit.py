"""Emits straight-line LLVM code from a function on scalars, for one problem or for several lanes.

A block holds one number per row and lane, the lanes of a row side by side. The code is written as LLVM text
with vectors, which takes LLVM a tenth of a second where a compiler that first has to find the vectors takes
seconds.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from limbik.compiler.kernel import Primitive
from limbik.compiler.symbols import Scalar, Tape, operand

# The order of operations stays: lanes and single problems then differ only by contracted products.
FAST_MATH = "nnan ninf nsz arcp contract"

# Of the numbers that one line works on; where the processor has shorter vectors, LLVM cuts them up.
VECTOR_BYTES = 64

Rows = list[Scalar]
Stored = list[tuple[int, Scalar]]
Function = Callable[..., Stored]


class Numbers(NamedTuple):
    """An array of numbers that are the same for all lanes."""

    size: int
    stride: int = 1  # from one to the next


class Emitted(Primitive[..., None]):
    """A kernel `name(block, *numbers, held)` that does what `function(rows, *numbers, held)` says.

    function:
        Takes the first rows of the block, the numbers of each array and the held rows as symbols; returns
        (row, value) pairs to be stored in the block.
    inputs:
        How many rows of the block are read.
    numbers:
        The arrays that follow.
    held:
        How many rows of single precision are read from a last array; without any there is none.
    """

    def __init__(
        self,
        function: Function,
        *,
        inputs: int,
        numbers: Sequence[Numbers] = (),
        held: int = 0,
        lanes: int,
        single: bool = False,
    ) -> None:
        super().__init__(self._run)
        self.function = function
        self.inputs = inputs
        self.numbers = tuple(numbers)
        self.held = held
        self.lanes = lanes
        self.single = single

    def _run(self, block: Any, *arrays: Any) -> None:
        """The same on NumPy arrays, one element per lane; on floats for one problem."""
        inputs = [list(self._lanes_of(block, self.inputs))]
        for array, (size, stride) in zip(arrays, self.numbers, strict=False):
            inputs.append(array[: size * stride : stride].tolist())
        if self.held:
            inputs.append(list(self._lanes_of(arrays[-1], self.held).astype(block.dtype)))
        for row, value in self.function(*inputs):
            block[row * self.lanes : (row + 1) * self.lanes] = value

    def _lanes_of(self, array: Any, rows: int) -> Any:
        if self.lanes == 1:
            return array[:rows].tolist()
        return array[: rows * self.lanes].copy().reshape(rows, self.lanes)

    def symbols(self, tape: Tape) -> Iterator[list[Scalar]]:
        """What the function takes, on a tape."""
        yield [tape.symbol(f"r{i}") for i in range(self.inputs)]
        for k, (size, _) in enumerate(self.numbers):
            yield [tape.symbol(f"n{k}.{i}") for i in range(size)]
        if self.held:
            yield [tape.symbol(f"h{i}") for i in range(self.held)]

    def text(self, name: str) -> str:
        """The kernel as LLVM text."""
        tape = Tape()
        stored = self.function(*self.symbols(tape))
        write = _Writer(self.lanes, self.single)
        lines = [line for k, each in enumerate(self.numbers) for line in write.numbers(k, each)]
        inner = [line for i in range(self.inputs) for line in write.load(i)]
        inner += [line for i in range(self.held) for line in write.load_held(i)]
        inner += [line for each in tape.lines for line in write.operation(*each)]
        inner += [
            line for k, (row, value) in enumerate(stored) for line in write.store(k, row, operand(value))
        ]
        body = "\n  ".join([*lines, *write.over_lanes(inner), "ret void"])
        others = [f"%n{k}" for k in range(len(self.numbers))] + ["%held"] * (self.held > 0)
        parameters = ", ".join(["ptr noalias %block", *(f"ptr noalias readonly {each}" for each in others)])
        return f"define void @{name}({parameters}) {{\nentry:\n  {body}\n}}\n"


BINARY = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}
COMPARED = {"<": "olt", ">": "ogt", "<=": "ole", ">=": "oge"}
LOGICAL = {"&": "and", "|": "or"}
CALLED = {"sqrt": "sqrt", "floor": "floor", "absolute": "fabs"}
CHOSEN = {"smaller": "olt", "larger": "ogt"}


class _Writer:
    """Lines of LLVM text for numbers side by side."""

    def __init__(self, lanes: int, single: bool) -> None:
        size = 4 if single else 8
        self.lanes = lanes
        self.number = "float" if single else "double"
        self.single = single
        self.width = min(lanes, VECTOR_BYTES // size)
        self.type = f"<{self.width} x {self.number}>" if lanes > 1 else self.number
        self.truth = f"<{self.width} x i1>" if lanes > 1 else "i1"
        self.suffix = f"v{self.width}" if lanes > 1 else ""
        self.suffix += "f32" if single else "f64"
        self.size = size

    def numbers(self, k: int, array: Numbers) -> Iterator[str]:
        """Those of an array, each in every lane."""
        for i in range(array.size):
            name = f"%n{k}.{i}"
            value = name if self.lanes == 1 else f"{name}.one"
            yield f"{name}.at = getelementptr {self.number}, ptr %n{k}, i64 {i * array.stride}"
            yield f"{value} = load {self.number}, ptr {name}.at, align {self.size}"
            if self.lanes > 1:
                yield f"{name}.first = insertelement {self.type} poison, {self.number} {value}, i64 0"
                yield (
                    f"{name} = shufflevector {self.type} {name}.first, {self.type} poison, "
                    f"<{self.width} x i32> zeroinitializer"
                )

    def load(self, i: int) -> Iterator[str]:
        """A row of the block."""
        yield f"%r{i}.at = getelementptr {self.number}, ptr %lanes, i64 {i * self.lanes}"
        yield f"%r{i} = load {self.type}, ptr %r{i}.at, align {self.size}"

    def load_held(self, i: int) -> Iterator[str]:
        """A row of single precision."""
        kind = self.type.replace("double", "float")
        value = f"%h{i}" if self.single else f"%h{i}.held"
        yield f"%h{i}.row = getelementptr float, ptr %held, i64 {i * self.lanes}"
        yield f"%h{i}.at = getelementptr float, ptr %h{i}.row, i64 %lane"
        yield f"{value} = load {kind}, ptr %h{i}.at, align 4"
        if not self.single:
            yield f"%h{i} = fpext {kind} {value} to {self.type}"

    def store(self, k: int, row: int, value: str | float) -> Iterator[str]:
        """A value into a row of the block."""
        yield f"%s{k}.at = getelementptr {self.number}, ptr %lanes, i64 {row * self.lanes}"
        yield f"store {self.type} {self.text(value)}, ptr %s{k}.at, align {self.size}"

    def operation(self, name: str, operator: str, operands: Sequence[str | float]) -> Iterator[str]:
        """One line of a tape."""
        texts = [self.text(each) for each in operands]
        pair = ", ".join(texts[:2])
        if operator in BINARY:
            yield f"%{name} = {BINARY[operator]} {FAST_MATH} {self.type} {pair}"
        elif operator in COMPARED:
            yield f"%{name} = fcmp {FAST_MATH} {COMPARED[operator]} {self.type} {pair}"
        elif operator in LOGICAL:
            yield f"%{name} = {LOGICAL[operator]} {self.truth} {pair}"
        elif operator in CALLED:
            function = f"@llvm.{CALLED[operator]}.{self.suffix}"
            yield f"%{name} = call {FAST_MATH} {self.type} {function}({self.type} {pair})"
        elif operator in CHOSEN:
            yield f"%{name}.is = fcmp {FAST_MATH} {CHOSEN[operator]} {self.type} {pair}"
            yield self._select(name, f"%{name}.is", *texts)
        elif operator == "select":
            yield self._select(name, *texts)
        else:
            yield f"%{name} = fneg {FAST_MATH} {self.type} {pair}"

    def over_lanes(self, lines: list[str]) -> Iterator[str]:
        """The lines, once for every group of lanes that they work on at a time."""
        yield "br label %group"
        yield "\ngroup:"
        yield "%lane = phi i64 [ 0, %entry ], [ %next, %group ]"
        yield f"%lanes = getelementptr {self.number}, ptr %block, i64 %lane"
        yield from lines
        yield f"%next = add i64 %lane, {self.width}"
        yield f"%more = icmp ult i64 %next, {self.lanes}"
        yield "br i1 %more, label %group, label %done"
        yield "\ndone:"

    def text(self, value: str | float) -> str:
        """A name, or a number in full."""
        if isinstance(value, str):
            return f"%{value}"
        rounded = struct.unpack("f", struct.pack("f", value))[0] if self.single else value
        bits = f"0x{struct.unpack('<Q', struct.pack('<d', rounded))[0]:016X}"
        return bits if self.lanes == 1 else f"splat ({self.number} {bits})"

    def _select(self, name: str, condition: str, a: str, b: str) -> str:
        return f"%{name} = select {FAST_MATH} {self.truth} {condition}, {self.type} {a}, {self.type} {b}"
