"""Collision checks of one configuration or many: `Model.check`, `Model.check_batch`; `checker_of` a model."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from limbik.checks import BatchCheck, Check, Contact
from limbik.collision.arguments import as_distance
from limbik.collision.checker import Checker, NearPairs
from limbik.collision.world import World, as_world
from limbik.model import Model
from limbik.model.model import as_bounded_configuration, as_bounded_configurations, as_model
from limbik.model.slots import Slot
from limbik.spatial import Array

MAX_STORED = 8  # checkers of one model

_CHECKERS: Slot[list[Checker]] = Slot(of_shapes=True)
EMPTY = World()  # for checks of a model against itself


def check(model: Model, q: ArrayLike, world: World | None = None, *, clearance: float = 0.0) -> Check:
    """Whether a configuration [nq] is free of collision; see `Model.check`."""
    checker = checker_of(model, world)
    q = as_bounded_configuration(model, q, "`q`")
    clearance = as_distance(clearance, "clearance")
    nearest = contacts(checker, checker.nearest(q))
    return Check(
        is_free=not nearest or nearest[0].distance > clearance,
        clearance=clearance,
        nearest=nearest[0] if nearest else None,
        note=checker.note,
        _near=partial(_near, model, world, q),
    )


def _near(model: Model, world: World | None, q: Array, within: float) -> tuple[Contact, ...]:
    """Pairs that are up to `within` [m] apart, the nearest first."""
    checker = checker_of(model, world)
    return contacts(checker, checker.near_pairs(q, as_distance(within, "within")))


def check_batch(
    model: Model, q: ArrayLike, world: World | None = None, *, clearance: float = 0.0
) -> BatchCheck:
    """Checks of configurations [N, nq]; see `Model.check_batch`."""
    checker = checker_of(model, world)
    clearance = as_distance(clearance, "clearance")
    distance = checker.distances(as_bounded_configurations(model, q, "`q`"))
    return BatchCheck(is_free=distance > clearance, distance=distance)


def checker_of(model: Model, world: World | None = None) -> Checker:
    """The checker of a model in a world (None: alone), which is stored while the world has the same objects.

    Raises ModelError for what is no model, CollisionError for what is no world, and for shapes that have no
    pieces.
    """
    model = as_model(model)
    world = EMPTY if world is None else as_world(world)
    stored = _CHECKERS.get(model) or []
    for checker in stored:
        if checker.world is world and checker.structure == world.revision.structure:
            return checker
    others = [checker for checker in stored if checker.world is not world]
    return _CHECKERS.put(model, [Checker(model, world), *others[: MAX_STORED - 1]])[0]


def contacts(checker: Checker, near: NearPairs) -> tuple[Contact, ...]:
    """Pairs by name, the nearest first."""
    return tuple(
        Contact(
            pair=checker.pair_names(int(near.pairs[k])),
            distance=float(near.distances[k]),
            normal=near.normals[k],
            points=near.points[k],
            gradient=near.rows[k],
        )
        for k in np.argsort(near.distances, kind="stable").tolist()
    )
