"""Dual numbers: automatic differentiation, forward mode (Wengert 1964; Griewank & Walther 2008, chapter 3).

A `Dual` is an array together with its derivatives along a number of directions. What NumPy computes of it
carries them along by the chain rule, so that a function written for arrays gives its derivatives, too, to the
last digits and without a step to choose.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import ArrayLike

from limbik.derivatives import rules
from limbik.derivatives.differences import as_configuration, takes
from limbik.errors import FunctionError, shortened
from limbik.spatial import Array, as_numbers


class Dual(NDArrayOperatorsMixin):
    """An array and its derivatives.

    value: [...]. tangent: [k, ...], its derivatives along k directions, which lead.

    It cannot be assigned to.

    Where a function has a kink (`abs`, `maximum`, `clip`, the norm of zeros), the derivative is that of one
    side, or 0 for a norm and for `abs`. Comparisons are of the values.
    """

    __slots__ = ("tangent", "value")

    def __init__(self, value: ArrayLike, tangent: ArrayLike) -> None:
        if np.iscomplexobj(value) or np.iscomplexobj(tangent):
            raise FunctionError("what is differentiated needs real numbers, not complex ones")
        self.value = np.asarray(value, dtype=np.float64)
        self.tangent = np.asarray(tangent, dtype=np.float64)
        if self.tangent.ndim == 0 or self.tangent.shape[1:] != self.value.shape:
            raise FunctionError(
                f"a Dual of shape {self.value.shape} needs a tangent of shape (k, *{self.value.shape}), "
                f"found {self.tangent.shape}"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the value."""
        return self.value.shape

    @property
    def ndim(self) -> int:
        """Number of axes of the value."""
        return self.value.ndim

    @property
    def size(self) -> int:
        """Number of elements of the value."""
        return self.value.size

    @property
    def T(self) -> Dual:  # noqa: N802  (as NumPy has it)
        """With the axes in the reverse order."""
        return self.along(lambda array: array.T)

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Dual]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Dual:
        return self.along(lambda array: array[index])

    def __setitem__(self, index: Any, value: Any) -> None:
        raise FunctionError("q and what is made of it cannot be written to: build arrays with numpy.stack")

    def __bool__(self) -> bool:
        return bool(self.value)

    def __repr__(self) -> str:
        return f"Dual({self.value!r}, {len(self.tangent)} directions)"

    def along(self, function: Callable[[Array], ArrayLike]) -> Dual:
        """What a linear function makes of it, which is applied to the value and to each direction."""
        value = np.asarray(function(self.value))
        parts = [np.asarray(function(part)) for part in self.tangent]
        return Dual(value, np.stack(parts) if parts else np.zeros((0, *value.shape)))

    # --- as NumPy's arrays have them ------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        function = getattr(np, name, None)
        if not callable(function):
            raise FunctionError(rules.unsupported(name))
        return functools.partial(function, self)

    def reshape(self, *shape: Any) -> Dual:
        """As `numpy.reshape`."""
        return self.along(lambda array: array.reshape(*shape))

    def transpose(self, *axes: Any) -> Dual:
        """As `numpy.transpose`."""
        return self.along(lambda array: array.transpose(*axes))

    # --- NumPy ----------------------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, how: str, *inputs: Any, **options: Any) -> Any:
        if how == "reduce" and ufunc is np.add:
            return self.along(lambda array: np.add.reduce(array, **options))
        if how != "__call__" or options:
            raise FunctionError(f"numpy.{ufunc.__name__} with these options is not supported for derivatives")
        if ufunc in rules.OF_VALUES:
            return ufunc(*map(value_of, inputs))
        if ufunc in rules.MULTILINEAR:
            return multilinear(ufunc, inputs, {})
        if ufunc not in rules.PARTIALS:
            raise FunctionError(rules.unsupported(ufunc.__name__))
        return elementwise(ufunc, inputs)

    def __array_function__(self, function: Any, _: Any, arguments: Any, options: Any) -> Any:
        if function in rules.OF_VALUES:
            return function(*map(value_of, arguments), **options)
        if function in rules.MULTILINEAR:
            return multilinear(function, arguments, options)
        if function in rules.OF_LISTS:
            return of_list(function, arguments, options)
        if function not in rules.COMPOSED:
            raise FunctionError(rules.unsupported(function.__name__))
        try:
            return rules.COMPOSED[function](*arguments, **options)
        except TypeError as error:
            raise FunctionError(
                f"numpy.{function.__name__} with these options is not supported for derivatives: {error}"
            ) from error

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise FunctionError(
            "a number that carries derivatives cannot be put into a plain array: build arrays with "
            "numpy.stack or numpy.concatenate, not with numpy.array or by writing into numpy.zeros"
        )

    def __float__(self, *_: object) -> float:
        raise FunctionError(
            "a number that carries derivatives cannot become a plain one: use the functions of NumPy, "
            "such as numpy.sin for math.sin, and numpy.stack for numpy.array"
        )

    __int__ = __index__ = __complex__ = __round__ = __trunc__ = __floor__ = __ceil__ = __float__


# --- rules --------------------------------------------------------------------------------------------------


def value_of(number: Any) -> Any:
    """The value of a Dual; anything else as it is."""
    return number.value if isinstance(number, Dual) else number


def elementwise(ufunc: Any, inputs: Any) -> Dual:
    """The chain rule: the partial derivatives times the tangents, summed over the inputs."""
    values = [np.asarray(value_of(each)) for each in inputs]
    with np.errstate(all="ignore"):
        value = np.asarray(ufunc(*values))
        total: Any = 0.0
        for index, each in enumerate(inputs):
            if isinstance(each, Dual):
                partial = np.asarray(rules.PARTIALS[ufunc][index](value, *values))
                total = total + _scaled(ufunc, partial, _with_axes(each.tangent, value.ndim))
    return Dual(value, np.broadcast_to(total, (len(total), *value.shape)))


def multilinear(function: Any, arguments: Any, options: Any) -> Dual:
    """The product rule: each argument in turn is replaced by its tangent."""
    values = [value_of(each) for each in arguments]
    value = np.asarray(function(*values, **options))
    tangent: Any = 0.0
    for index, each in enumerate(arguments):
        if isinstance(each, Dual):
            before, after = values[:index], values[index + 1 :]
            if function is np.matmul and all(
                np.ndim(other) == 2 for other in values
            ):  # all directions at once
                tangent = tangent + np.matmul(*before, each.tangent, *after)
                continue
            parts = [np.asarray(function(*before, part, *after, **options)) for part in each.tangent]
            tangent = tangent + (np.stack(parts) if parts else np.zeros((0, *value.shape)))
    return Dual(value, tangent)


def of_list(function: Any, arguments: Any, options: Any) -> Dual:
    """Of functions that take a list of arrays, and are linear in all of them together."""
    members, *others = arguments
    count = next(len(each.tangent) for each in members if isinstance(each, Dual))

    def part(each: Any, k: int) -> Array:
        return each.tangent[k] if isinstance(each, Dual) else np.zeros(np.shape(each))

    def joined(each: Any) -> Array:
        return np.asarray(function(each, *others, **options))

    value = joined([value_of(each) for each in members])
    parts = [joined([part(each, k) for each in members]) for k in range(count)]
    return Dual(value, np.stack(parts) if parts else np.zeros((0, *value.shape)))


def _with_axes(tangent: Array, ndim: int) -> Array:
    """A tangent [k, ...] with axes of length 1 after the first, for values of `ndim` axes."""
    return tangent.reshape(len(tangent), *(1,) * (ndim + 1 - tangent.ndim), *tangent.shape[1:])


def _scaled(ufunc: Any, partial: Array, tangent: Array) -> Array:
    """partial * tangent, where what does not change changes nothing, however steep the function is."""
    scaled = np.where(tangent == 0.0, 0.0, partial * tangent)
    if not np.isfinite(scaled).all():
        is_nan = np.isnan(partial).any()
        why = "gives nan" if is_nan else "has no derivative at one of its values, such as a root of 0"
        raise FunctionError(f"numpy.{ufunc.__name__} {why}")
    return scaled


# --- derivatives of functions -------------------------------------------------------------------------------


def automatic_jacobian(function: Callable[[Any], Any], q: ArrayLike) -> Array:
    """The derivatives [..., n] of a function of q [n], written with NumPy, that returns numbers of any shape.

    Precise to the last digits. Raises FunctionError, which names the function of NumPy, where one has no
    derivative or is not known here, or where the function's value is not finite.
    """
    if not takes(function, 1):
        raise FunctionError(f"the function needs to be one of q [n], found {shortened(function)}")
    at = as_configuration(q, "`q`")
    dual = function(Dual(at, np.eye(at.size)))
    if not isinstance(dual, Dual):  # it does not depend on q
        value = as_numbers(dual, "the function", "to return an array of numbers", FunctionError)
        return np.zeros((*value.shape, at.size))
    if not np.isfinite(dual.value).all():
        raise FunctionError(f"the function needs to be finite at q={at.tolist()}")
    return np.moveaxis(dual.tangent, 0, -1)
