"""Jacobians by differences: forward, central, and the complex step (Squire & Trapp 1998; Martins, Sturdza &
Alonso 2003).

A forward difference with a step h errs by the function's curvature times h, and by rounding over h; a central
one by the third derivative times h^2, and by as much rounding. The default steps are where the two are equal
for a function of size 1: the square root and the cube root of a float's precision. A complex step subtracts
nothing, so it may be as small as one likes, and is as precise as the function itself; the function has to be
analytic, and to pass complex numbers through.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from limbik.errors import ConfigurationError, FunctionError, is_one_of, members_of, shortened
from limbik.spatial import Array, as_number, as_numbers, check_largest

Method: TypeAlias = Literal["forward", "central", "complex"]
Bounds: TypeAlias = tuple[ArrayLike, ArrayLike]

PRECISION = float(np.finfo(np.float64).eps)
STEPS = {"forward": PRECISION ** (1 / 2), "central": PRECISION ** (1 / 3), "complex": 1e-20}
METHODS = tuple(STEPS)
LARGEST = 1e40  # of which trust regions take the sixth power, of differences of it too


def numeric_jacobian(
    function: Callable[[Array], ArrayLike],
    q: ArrayLike,
    *,
    method: Method = "central",
    step: float | None = None,
    bounds: Bounds | None = None,
) -> Array:
    """The derivatives [..., n] of a function of q [n] that returns numbers of any shape [...].

    method:
        "forward" (n + 1 calls of the function), "central" (2 n calls, more precise), or "complex" (n calls
        with complex q, precise to the last digits, for functions that pass complex numbers through).
    step:
        In the unit of q [rad or m]; by default 1.5e-8, 6.1e-6 and 1e-20, times |q| where that is larger
        than 1.
    bounds:
        (lower, upper), numbers or arrays [n], inside which the function is called; where there is no space
        for a step on both sides, central differences take two on one.

    Raises FunctionError where the function returns what is not finite, or no complex numbers for complex q;
    ConfigurationError and SolverError for arguments that have no meaning.
    """
    check_function(function, method)
    at = as_configuration(q, "`q`")
    lower, upper = as_bounds(bounds, at)
    steps = STEPS[method] * np.maximum(1.0, np.abs(at)) if step is None else np.full(at.size, _as_step(step))
    if method == "complex":
        columns = [_by_complex_step(function, at, i, steps[i]) for i in range(at.size)]
    else:
        here = value_of(function, at)
        bounds_left = _Bounds(function, at, here, lower, upper)
        by = bounds_left.forward if method == "forward" else bounds_left.central
        columns = [by(i, steps[i]) for i in range(at.size)]
    if not columns:
        return np.zeros((*value_of(function, at).shape, 0))
    jacobian = np.stack(columns, axis=-1)
    if not np.isfinite(jacobian).all():
        raise FunctionError(f"the function changes by more than numbers hold near q={shortened(at.tolist())}")
    return jacobian


class _Bounds:
    """Differences about one configuration, between bounds."""

    def __init__(
        self, function: Callable[[Array], ArrayLike], q: Array, value: Array, lower: Array, upper: Array
    ) -> None:
        self._function, self._q, self._value = function, q, value
        self._above, self._below = upper - q, q - lower

    def forward(self, i: int, step: float) -> Array:
        """(f(q + h) - f(q)) / h, or backward where there is more space."""
        if self._above[i] < step:
            step = self._widest(i, step)
        moved, h = self._moved(i, step)
        return (moved - self._value) / h

    def central(self, i: int, step: float) -> Array:
        """(f(q + h) - f(q - h)) / 2h, or (4 f(q + h) - f(q + 2h) - 3 f(q)) / 2h at a bound."""
        if min(self._above[i], self._below[i]) >= step:
            (ahead, h), (behind, back) = self._moved(i, step), self._moved(i, -step)
            return (ahead - behind) / (h - back)
        half = 0.5 * self._widest(i, 2.0 * step)
        (near, h), (far, _) = self._moved(i, half), self._moved(i, 2.0 * half)
        return (4.0 * near - far - 3.0 * self._value) / (2.0 * h)

    def _widest(self, i: int, step: float) -> float:
        """The step toward the side with more space, no longer than that."""
        above, below = self._above[i], self._below[i]
        if max(above, below) <= 0.0:
            raise ConfigurationError(f"`bounds` leave no space for a step of q[{i}]")
        return float(min(step, above)) if above >= below else -float(min(step, below))

    def _moved(self, i: int, step: float) -> tuple[Array, float]:
        """The value at q moved by a step, and the step as it came out in floats."""
        q = self._q.copy()
        q[i] += step
        min_step = PRECISION * max(1.0, abs(self._q[i]))
        if abs(q[i] - self._q[i]) < min_step:
            raise ConfigurationError(
                f"`step` needs at least {min_step:.2g} where q[{i}] is {self._q[i]:g}, found {abs(step):g}: "
                "shorter ones are lost in rounding; method='complex' has none"
            )
        return value_of(self._function, q, self._value.shape), float(q[i] - self._q[i])


def _by_complex_step(function: Callable[[Array], ArrayLike], q: Array, i: int, step: float) -> Array:
    """Im f(q + ih) / h."""
    moved = q.astype(np.complex128)
    moved[i] += 1j * step
    try:
        value = np.asarray(function(moved))  # type: ignore[arg-type]
    except TypeError as error:
        raise FunctionError(
            f"the function takes no complex numbers ({error}); use method='central', or functions of NumPy"
        ) from error
    if not np.iscomplexobj(value):
        raise FunctionError(
            "the function returns real numbers for complex q, so a complex step finds no derivative; use "
            "method='central'"
        )
    if not np.isfinite(value).all():
        raise FunctionError(f"the function is not finite near q={shortened(q.tolist())}")
    return np.asarray(value.imag / step)


# --- what callers hand in -----------------------------------------------------------------------------------


def value_of(function: Callable[[Array], ArrayLike], q: Array, shape: tuple[int, ...] | None = None) -> Array:
    """The function's finite numbers at q [n]; where a shape is given, of that shape."""
    value = as_numbers(function(q.copy()), "the function", "to return an array of numbers", FunctionError)
    if shape is not None and value.shape != shape:
        raise FunctionError(f"the function returned shape {shape} before, now {value.shape}")
    if not np.isfinite(value).all():
        raise FunctionError(f"the function needs to be finite, found {_first_bad(value)} at q={q.tolist()}")
    check_largest(value, LARGEST, "the function", "", FunctionError)
    return value


def _first_bad(value: Array) -> float:
    return float(value[~np.isfinite(value)][0]) if value.ndim else float(value)


def as_configuration(q: ArrayLike, name: str) -> Array:
    """Finite numbers [n]."""
    array = as_numbers(q, name, "an array of numbers [n]", ConfigurationError)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise ConfigurationError(f"{name} needs finite numbers [n], found {shortened(array.tolist())}")
    return array


def as_bounds(bounds: Bounds | None, q: Array) -> tuple[Array, Array]:
    """Lower and upper bounds [n] about q; infinite by default, and where they are beyond `LARGEST`."""
    if bounds is None:
        return np.full(q.size, -np.inf), np.full(q.size, np.inf)
    needed = "(lower, upper), each a number or one for each of q"
    ends = members_of(bounds, "`bounds`", ConfigurationError, needed)
    pair = [as_numbers(each, "`bounds`", needed, ConfigurationError) for each in ends]
    if len(pair) != 2 or any(each.shape not in ((), q.shape) or np.isnan(each).any() for each in pair):
        raise ConfigurationError(f"`bounds` needs {needed}, found {shortened(bounds)}")
    lower, upper = (np.broadcast_to(each, q.shape).copy() for each in pair)
    if (lower > LARGEST).any() or (upper < -LARGEST).any():
        raise ConfigurationError(f"`bounds` needs {needed}, up to {LARGEST:g}, found {shortened(bounds)}")
    lower[lower < -LARGEST], upper[upper > LARGEST] = -np.inf, np.inf
    crossed = np.flatnonzero(lower > upper)
    if crossed.size:
        i = int(crossed[0])
        raise ConfigurationError(f"`bounds` of q[{i}] cross: {lower[i]:g} is above {upper[i]:g}")
    return lower, upper


def takes(function: object, count: int) -> bool:
    """Whether it is a function of so many arguments; True for one whose signature is not known."""
    if not callable(function):
        return False
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:
        pass
    return True


def check_function(function: object, method: object) -> None:
    """Refuse what is no function of one argument, and what is no method."""
    if not takes(function, 1):
        raise FunctionError(f"the function needs to be one of q [n], found {shortened(function)}")
    if not is_one_of(method, METHODS):
        known = ", ".join(map(repr, METHODS))
        raise FunctionError(f"`method` needs one of {known}, found {shortened(method)}")


def _as_step(step: float) -> float:
    needed = f"a positive length [rad or m] up to {LARGEST:g}"
    value = as_number(step, "`step`", needed, ConfigurationError)
    if not 0.0 < value <= LARGEST:
        raise ConfigurationError(f"`step` needs {needed}, found {value:g}")
    return value
