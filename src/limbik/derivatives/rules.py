"""Derivatives of NumPy's functions for dual numbers."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeAlias

import numpy as np

from limbik.errors import FunctionError, did_you_mean

Partial: TypeAlias = Callable[..., Any]

# By each input, from the value of the function and those of its inputs.
PARTIALS: dict[Any, tuple[Partial, ...]] = {
    np.add: (lambda f, x, y: 1.0, lambda f, x, y: 1.0),
    np.subtract: (lambda f, x, y: 1.0, lambda f, x, y: -1.0),
    np.multiply: (lambda f, x, y: y, lambda f, x, y: x),
    np.true_divide: (lambda f, x, y: 1.0 / y, lambda f, x, y: -f / y),
    np.power: (lambda f, x, y: y * x ** (y - 1.0), lambda f, x, y: f * np.log(x)),
    np.arctan2: (lambda f, y, x: x / (x * x + y * y), lambda f, y, x: -y / (x * x + y * y)),
    np.hypot: (lambda f, x, y: _fraction(x, f), lambda f, x, y: _fraction(y, f)),
    np.maximum: (lambda f, x, y: x >= y, lambda f, x, y: x < y),
    np.minimum: (lambda f, x, y: x <= y, lambda f, x, y: x > y),
    np.negative: (lambda f, x: -1.0,),
    np.positive: (lambda f, x: 1.0,),
    np.absolute: (lambda f, x: np.sign(x),),
    np.square: (lambda f, x: 2.0 * x,),
    np.sqrt: (lambda f, x: 0.5 / f,),
    np.cbrt: (lambda f, x: 1.0 / (3.0 * f * f),),
    np.reciprocal: (lambda f, x: -f * f,),
    np.exp: (lambda f, x: f,),
    np.expm1: (lambda f, x: f + 1.0,),
    np.log: (lambda f, x: 1.0 / x,),
    np.log2: (lambda f, x: 1.0 / (x * np.log(2.0)),),
    np.log10: (lambda f, x: 1.0 / (x * np.log(10.0)),),
    np.log1p: (lambda f, x: 1.0 / (1.0 + x),),
    np.sin: (lambda f, x: np.cos(x),),
    np.cos: (lambda f, x: -np.sin(x),),
    np.tan: (lambda f, x: 1.0 + f * f,),
    np.arcsin: (lambda f, x: 1.0 / np.sqrt(1.0 - x * x),),
    np.arccos: (lambda f, x: -1.0 / np.sqrt(1.0 - x * x),),
    np.arctan: (lambda f, x: 1.0 / (1.0 + x * x),),
    np.sinh: (lambda f, x: np.cosh(x),),
    np.cosh: (lambda f, x: np.sinh(x),),
    np.tanh: (lambda f, x: 1.0 - f * f,),
    np.radians: (lambda f, x: np.pi / 180.0,),
    np.deg2rad: (lambda f, x: np.pi / 180.0,),
    np.degrees: (lambda f, x: 180.0 / np.pi,),
    np.rad2deg: (lambda f, x: 180.0 / np.pi,),
}  # fmt: skip

# Linear in each of their arrays.
MULTILINEAR: frozenset[Hashable] = frozenset(
    (
        *(np.matmul, np.dot, np.vdot, np.inner, np.outer, np.cross, np.tensordot, np.kron),
        *(np.sum, np.mean, np.cumsum, np.diff, np.trace, np.diagonal),
        *(np.transpose, np.swapaxes, np.moveaxis, np.reshape, np.ravel, np.squeeze, np.expand_dims),
        *(np.flip, np.roll, np.broadcast_to, np.tile, np.repeat, np.take, np.copy),
        *(np.atleast_1d, np.atleast_2d, np.triu, np.tril),
    )
)

# Of a list of arrays.
OF_LISTS: frozenset[Hashable] = frozenset((np.concatenate, np.stack, np.hstack, np.vstack, np.column_stack))

# Of the values alone: whatever is true or false, or counts.
OF_VALUES: frozenset[Hashable] = frozenset(
    (
        *(np.greater, np.greater_equal, np.less, np.less_equal, np.equal, np.not_equal),
        *(np.isfinite, np.isnan, np.isinf, np.logical_and, np.logical_or, np.logical_not),
        *(np.argmax, np.argmin, np.argsort, np.allclose, np.isclose, np.any, np.all),
        *(np.shape, np.ndim, np.size, np.zeros_like, np.ones_like, np.full_like),
    )
)


def _fraction(x: Any, length: Any) -> Any:
    """x / length, 0 where the length is."""
    return np.divide(x, length, out=np.zeros_like(length), where=length != 0.0)


def _norm(x: Any, ord: Any = None, axis: Any = None) -> Any:
    """The Euclidean length; its derivative at 0 is taken to be 0, which is the smallest of all slopes
    there.
    """
    if ord not in (None, 2) or (ord == 2 and axis is None and x.ndim > 1):
        raise FunctionError("numpy.linalg.norm is known here for Euclidean lengths: leave out `ord`")
    squares = (x * x).sum(axis=axis)
    is_zero = squares.value == 0.0
    return np.where(is_zero, 0.0, np.sqrt(np.where(is_zero, 1.0, squares)))


def _where(condition: Any, x: Any, y: Any) -> Any:
    """Each element of x or of y."""
    is_x = np.asarray(getattr(condition, "value", condition), dtype=bool)
    return np.multiply(is_x, x) + np.multiply(~is_x, y)


def _clip(x: Any, lower: Any = None, upper: Any = None) -> Any:
    """Between two numbers."""
    above = x if lower is None else np.maximum(x, lower)
    return above if upper is None else np.minimum(above, upper)


def _max(x: Any, axis: Any = None) -> Any:
    """The largest element; where several are, the first."""
    return _picked(np.argmax, x, axis)


def _min(x: Any, axis: Any = None) -> Any:
    """The smallest element; where several are, the first."""
    return _picked(np.argmin, x, axis)


def _picked(find: Any, x: Any, axis: Any) -> Any:
    if axis is None:
        return x.ravel()[int(find(x.value))]
    indices = np.expand_dims(find(x.value, axis=axis), axis)
    return x.along(lambda array: np.take_along_axis(array, indices, axis).squeeze(axis))


def _product(x: Any) -> Any:
    """Of all elements."""
    total: Any = 1.0
    for each in x.ravel():
        total = total * each
    return total


# Made of the others.
COMPOSED: dict[Any, Callable[..., Any]] = {
    np.linalg.norm: _norm,
    np.where: _where,
    np.clip: _clip,
    np.max: _max,
    np.amax: _max,
    np.min: _min,
    np.amin: _min,
    np.prod: _product,
}


def unsupported(name: str) -> str:
    """What is said of a function that has no rule."""
    return f"numpy.{name} has no derivative that is known here; {did_you_mean(name, _names())}"


def _names() -> list[str]:
    every = (*PARTIALS, *MULTILINEAR, *OF_LISTS, *OF_VALUES, *COMPOSED)
    return sorted({each.__name__ for each in every})
