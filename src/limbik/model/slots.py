"""Slots in a model that cache what others derive from it, such as plans of solvers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")


class Holder(Protocol):
    """A Model."""

    @property
    def derived(self) -> dict[Slot[Any], Any]:
        """What lies in its slots for kinematics."""

    @property
    def derived_of_shapes(self) -> dict[Slot[Any], Any]:
        """What lies in its slots for shapes and pairs."""


class Slot(Generic[T]):
    """A slot that every model has: what lies in it has the slot's type.

    Models with the same kinematics and other shapes share what lies in a slot, unless it is one `of_shapes`.
    """

    def __init__(self, *, of_shapes: bool = False) -> None:
        self.of_shapes = of_shapes

    def get(self, model: Holder) -> T | None:
        """What lies there; None before anything does."""
        return self._held(model).get(self)

    def of(self, model: Holder, make: Callable[[], T]) -> T:
        """What lies there; at first what `make` makes, in all threads that of the first one."""
        value = self.get(model)
        return self._held(model).setdefault(self, make()) if value is None else value

    def put(self, model: Holder, value: T) -> T:
        """Keep a value, which is returned."""
        self._held(model)[self] = value
        return value

    def _held(self, model: Holder) -> dict[Slot[Any], Any]:
        return model.derived_of_shapes if self.of_shapes else model.derived
