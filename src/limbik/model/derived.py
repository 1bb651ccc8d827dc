"""Slots in a model for what others make of it once, such as the plans of the solvers."""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")


class Holder(Protocol):
    """A Model."""

    @property
    def derived(self) -> dict[Slot[Any], Any]:
        """What lies in its slots."""


class Slot(Generic[T]):
    """A slot that every model has: what lies in it has the slot's type."""

    def get(self, model: Holder) -> T | None:
        """What lies there; None before anything does."""
        return model.derived.get(self)

    def put(self, model: Holder, value: T) -> T:
        """Keep a value, which is returned."""
        model.derived[self] = value
        return value
