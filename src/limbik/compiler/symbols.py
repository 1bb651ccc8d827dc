"""Scalar operations on floats, NumPy arrays or symbols, and `Tape`, which records them as straight-line code.

A function written with `+ - * /`, comparisons and the operations below can be called with floats (one
problem), with arrays (one problem per element), or with symbols of a `Tape`, which records what is done to
them as straight-line code: see `compiler.emit`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

Scalar: TypeAlias = Any  # a float, an array of one number per problem, or a Symbol
Scalars: TypeAlias = Sequence[Any]


class Line(NamedTuple):
    """One operation of a tape."""

    name: str  # of its value
    operator: str
    operands: tuple[str | float, ...]  # names of values, or numbers


TRUTHS = ("<", ">", "<=", ">=", "&", "|")  # operators whose value is true or false


class Tape:
    """What was done to symbols, one operation per line; the same operation is written only once."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._known: dict[tuple[str, tuple[str | float, ...]], Symbol] = {}

    def symbol(self, name: str) -> Symbol:
        """An input."""
        return Symbol(self, name)

    def record(self, operator: str, *values: Scalar) -> Symbol:
        """The symbol of an operation's value."""
        operands = tuple(operand(value) for value in values)
        key = operator, operands
        if key not in self._known:
            symbol = Symbol(self, f"v{len(self.lines)}")
            self.lines.append(Line(symbol.name, operator, operands))
            self._known[key] = symbol
        return self._known[key]


def operand(value: Scalar) -> str | float:
    """A symbol's name, or the number."""
    return value.name if isinstance(value, Symbol) else float(value)


class Symbol:
    """A number that is not known yet. Sums with 0 and products with 0, 1 and -1 are folded."""

    __array_ufunc__ = None

    def __init__(self, tape: Tape, name: str) -> None:
        self.tape = tape
        self.name = name

    def __add__(self, other: Scalar) -> Scalar:
        return self if _is(other, 0.0) else self.tape.record("+", self, other)

    __radd__ = __add__

    def __sub__(self, other: Scalar) -> Scalar:
        return self if _is(other, 0.0) else self.tape.record("-", self, other)

    def __rsub__(self, other: Scalar) -> Scalar:
        return -self if _is(other, 0.0) else self.tape.record("-", other, self)

    def __mul__(self, other: Scalar) -> Scalar:
        if _is(other, 0.0):
            return 0.0
        if _is(other, 1.0):
            return self
        return -self if _is(other, -1.0) else self.tape.record("*", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Scalar:
        return self.tape.record("/", self, other)

    def __rtruediv__(self, other: Scalar) -> Scalar:
        return self.tape.record("/", other, self)

    def __neg__(self) -> Symbol:
        return self.tape.record("negative", self)

    def __lt__(self, other: Scalar) -> Symbol:
        return self.tape.record("<", self, other)

    def __gt__(self, other: Scalar) -> Symbol:
        return self.tape.record(">", self, other)

    def __le__(self, other: Scalar) -> Symbol:
        return self.tape.record("<=", self, other)

    def __ge__(self, other: Scalar) -> Symbol:
        return self.tape.record(">=", self, other)

    def __and__(self, other: Scalar) -> Symbol:
        return self.tape.record("&", self, other)

    def __or__(self, other: Scalar) -> Symbol:
        return self.tape.record("|", self, other)


def _is(value: Scalar, number: float) -> bool:
    return isinstance(value, int | float) and value == number


def _operation(name: str, on_floats: Callable[..., Any], on_arrays: Callable[..., Any]) -> Callable[..., Any]:
    def operation(*values: Scalar) -> Scalar:
        for value in values:
            if isinstance(value, Symbol):
                return value.tape.record(name, *values)
        return (on_arrays if any(isinstance(v, np.ndarray) for v in values) else on_floats)(*values)

    return operation


sqrt = _operation("sqrt", math.sqrt, np.sqrt)
floor = _operation("floor", math.floor, np.floor)
absolute = _operation("absolute", abs, np.abs)
smaller = _operation("smaller", min, np.minimum)
larger = _operation("larger", max, np.maximum)
select = _operation("select", lambda condition, a, b: a if condition else b, np.where)


def dot(u: Scalars, v: Scalars) -> Scalar:
    """The inner product."""
    total = u[0] * v[0]
    for a, b in zip(u[1:], v[1:], strict=True):
        total = total + a * b
    return total


def cross(u: Scalars, v: Scalars) -> list[Scalar]:
    """The cross product of two vectors of 3."""
    return [
        u[1] * v[2] - u[2] * v[1],
        u[2] * v[0] - u[0] * v[2],
        u[0] * v[1] - u[1] * v[0],
    ]


def polynomial(coefficients: Scalars, z: Scalar) -> Scalar:
    """Horner's scheme, the highest power first."""
    value = coefficients[0]
    for coefficient in coefficients[1:]:
        value = value * z + coefficient
    return value
