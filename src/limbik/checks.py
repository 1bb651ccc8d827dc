"""Results of collision checks: `Check` of one configuration, `BatchCheck` of many, `PathCheck` of a path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from limbik.spatial import Array, Vector3


@dataclass(frozen=True, kw_only=True, eq=False)
class Contact:
    """Two bodies, and how far they are apart."""

    pair: tuple[str, str]  # names of links, or of objects
    distance: float  # [m] signed: below 0 they overlap, and it is how far it is out of the deepest piece
    normal: Vector3  # [3] unit vector from the second to the first, in world axes
    points: Array  # [2, 3] nearest points of the first and of the second; the deepest where they overlap [m]
    gradient: Array  # [nv] derivative of the distance with respect to v, as `Model.jacobian` has it

    def __str__(self) -> str:
        first, second = map(repr, self.pair)
        if self.distance > 0.0:
            return f"{first} is {_millimetres(self.distance)} away from {second}."
        if self.distance == 0.0:
            return f"{first} touches {second}."
        x, y, z = self.normal.round(2) + 0.0  # no minus before a 0
        return (
            f"{first} is {_millimetres(-self.distance)} deep in {second}; it comes out by as much along "
            f"({x:.2f}, {y:.2f}, {z:.2f})."
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Check:
    """Whether a configuration is free of collision, and what is nearest to one.

    is_free: whether all pairs that are checked are farther apart than `clearance` [m]; certified, as every
    distance here is at most the real one, but for rounding.
    """

    is_free: bool
    clearance: float  # [m] that was requested
    nearest: Contact | None  # None where no pair is checked
    note: str = ""  # where the bodies are not the shapes themselves, and unknown names in `touch`
    _near: Callable[[float], tuple[Contact, ...]] = field(repr=False)

    @property
    def distance(self) -> float:
        """Of the nearest pair [m], signed; infinite where no pair is checked."""
        return np.inf if self.nearest is None else self.nearest.distance

    @property
    def pair(self) -> tuple[str, str] | None:
        """The names of the nearest pair; None where no pair is checked."""
        return None if self.nearest is None else self.nearest.pair

    @property
    def points(self) -> Array:
        """Of the nearest pair [2, 3]; see `Contact`. NaN where no pair is checked."""
        return np.full((2, 3), np.nan) if self.nearest is None else self.nearest.points

    @property
    def normal(self) -> Vector3:
        """Of the nearest pair [3]; see `Contact`. NaN where no pair is checked."""
        return np.full(3, np.nan) if self.nearest is None else self.nearest.normal

    def contacts(self, within: float = 0.0) -> tuple[Contact, ...]:
        """All pairs nearer than `within` [m], the nearest first. Objects count where they are by now; those
        of `World.check` where they were.
        """
        return self._near(within)

    def explain(self) -> str:
        """In sentences, one to a line."""
        if self.nearest is None:
            return "No pair of bodies is checked."
        verdict = "Free of collision." if self.is_free else "In collision."
        if not self.is_free and self.distance > 0.0:
            verdict = f"Nearer than the clearance of {_millimetres(self.clearance)}."
        lines = [verdict, *map(str, self.contacts(max(self.clearance, 0.0))[:10] or [self.nearest])]
        return "\n".join([*lines, *([f"Note: {self.note}."] if self.note else [])])


@dataclass(frozen=True, kw_only=True, eq=False)
class BatchCheck:
    """Checks of N configurations."""

    is_free: NDArray[np.bool_]  # [N]
    distance: Array  # [N] signed, of the nearest pair [m]


@dataclass(frozen=True, kw_only=True, eq=False)
class PathCheck:
    """A check of a path: at every configuration between its knots, too.

    is_free: certified. Otherwise `position` says where it is certified no more, because something that moves
    comes within 0.1 mm of the clearance, counted in knots (2.5: midway from knot 2 to knot 3), with the
    configuration `q` [nq] there and the contact.
    """

    is_free: bool
    position: float | None = None
    q: Array | None = None
    contact: Contact | None = None


def _millimetres(metres: float) -> str:
    return f"{1e3 * metres:.3g} mm"
