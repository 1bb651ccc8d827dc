"""Array types of kernels' arguments, read from annotations; allocates such arrays.

`Annotated[Floats, array(n_rows, nv)]` is a matrix whose sizes depend on the problem, by name.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias, TypeVar, get_type_hints

import numpy as np
from numpy.typing import DTypeLike

Arrays = TypeVar("Arrays")  # a NamedTuple of arrays


class Size:
    """A size that depends on the problem: a name, or what is computed of such sizes."""

    def __init__(self, of: str | Callable[[Mapping[str, int]], int]) -> None:
        self.value = operator.itemgetter(of) if isinstance(of, str) else of

    def __add__(self, other: Size | int) -> Size:
        return Size(lambda sizes: self.value(sizes) + value(other, sizes))

    def __mul__(self, other: Size | int) -> Size:
        return Size(lambda sizes: self.value(sizes) * value(other, sizes))

    __radd__, __rmul__ = __add__, __mul__


def value(size: Size | int, sizes: Mapping[str, int]) -> int:
    """A size as a number, in the sizes of a problem."""
    return size.value(sizes) if isinstance(size, Size) else size


def largest(*of: Size | int) -> Size:
    """The largest of several sizes."""
    return Size(lambda sizes: max(value(each, sizes) for each in of))


class ArrayType(NamedTuple):
    """The type of an array in C order."""

    shape: tuple[Size | int, ...]
    dtype: np.dtype[Any] | str  # a name: of what `Program.types` says


def array(*shape: Size | int, dtype: DTypeLike = np.float64) -> ArrayType:
    """An array of numbers of 8 bytes, or of records."""
    return ArrayType(shape, np.dtype(dtype))


ANY = Size("any")  # number of rows
WATCH_KIND = "watch"  # what `compiler.kernel.is_stopped` asks
# Of an argument: int for a whole number, a NamedTuple of arguments.
Kind: TypeAlias = Any


@functools.cache
def kinds(of: Any) -> dict[str, Kind]:
    """What a function takes, or the fields of a NamedTuple are, by name."""
    hints = get_type_hints(of, include_extras=True)
    hints.pop("return", None)
    return {name: _kind(of, name, hint) for name, hint in hints.items()}


def _kind(of: Any, name: str, hint: Any) -> Kind:
    if hasattr(hint, "__metadata__"):
        return hint.__metadata__[-1]
    if hint is int or hasattr(hint, "_fields"):
        return hint
    raise TypeError(f"{name!r} of {of.__qualname__} needs the type of an array, found {hint}")


def described(kind: Kind) -> str:
    """What machine code knows of an argument, in words."""
    if isinstance(kind, ArrayType):
        sizes = [str(size) if isinstance(size, int) else "n" for size in kind.shape]
        return f"{kind.dtype}[{','.join(sizes)}]"
    if kind is int:
        return "int"
    if kind == WATCH_KIND:
        return WATCH_KIND
    return f"({' '.join(map(described, kinds(kind).values()))})"


def zeros(of: Callable[..., Arrays], sizes: Mapping[str, int]) -> Arrays:
    """The arrays of a NamedTuple, full of zeros, for a problem of such sizes."""
    return of(*map(np.zeros, _shapes(of, tuple(sizes.items()))))


@functools.lru_cache(256)
def _shapes(of: Any, sizes: tuple[tuple[str, int], ...]) -> list[tuple[int, ...]]:
    named = dict(sizes)
    return [tuple(value(size, named) for size in kind.shape) for kind in kinds(of).values()]
