"""Options of collision-free solves: world, clearance, preference."""

from __future__ import annotations

from typing import Any, NamedTuple

from limbik.collision.world import World, as_world
from limbik.errors import SolverError, is_one_of, shortened
from limbik.model.shapes import LARGEST
from limbik.spatial import as_real

PREFERENCES = ("first", "nearest", "clearance")


class FreeOptions(NamedTuple):
    """See `solvers.solve`."""

    world: World
    clearance: float = 0.0  # [m]
    prefer: str = "first"
    time_limit: float | None = None  # [s]

    @property
    def explicit(self) -> dict[str, Any]:
        """As `solve` takes them, where they are not the default."""
        named, defaults = self._asdict().items(), self._field_defaults
        return {name: value for name, value in named if name not in defaults or value != defaults[name]}


def take_free_options(options: dict[str, Any]) -> FreeOptions | None:
    """The options of this kind, which are taken out of the others but for `time_limit`; None without a world.

    Raises SolverError or CollisionError.
    """
    free = free_options(options.pop("world", None), options.pop("clearance", 0.0))
    if free is None:
        return None
    prefer = options.pop("prefer", None)
    prefer = "first" if prefer is None else prefer
    if not is_one_of(prefer, PREFERENCES):
        known = '"first", "nearest" or "clearance"'
        raise SolverError(f"`prefer` needs {known} with a `world`, found {shortened(prefer)}")
    return free._replace(prefer=prefer, time_limit=options.get("time_limit"))


def free_options(world: Any, clearance: Any) -> FreeOptions | None:
    """The options for a world and a clearance [m]; None without a world. Raises as `take_free_options`."""
    if not 0.0 <= as_real(clearance) <= LARGEST:
        raise SolverError(
            f"`clearance` needs a length from 0 to {LARGEST:g} [m], found {shortened(clearance)}"
        )
    if world is not None:
        return FreeOptions(as_world(world), float(clearance))
    if clearance > 0.0:
        raise SolverError("`clearance` needs a `world`; World() is one without objects")
    return None
