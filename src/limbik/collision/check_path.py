"""Checks whether paths in joint space collide, and where first, by conservative advancement (Mirtich 1996).

From a configuration at which every pair is some distance apart the joints can go on for as long as no pair
can have come that much nearer, by bounds on how fast it can; there the distances are measured again.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from limbik.checks import PathCheck
from limbik.collision.arguments import as_distance
from limbik.collision.check import checker_of, contacts
from limbik.collision.checker import Checker
from limbik.collision.motion_bounds import MotionBounds
from limbik.collision.world import World
from limbik.model.model import Model, as_bounded_configurations
from limbik.spatial import Array

CLOSE = 1e-4  # [m] from the clearance: it counts as reached by what moves, as steps would become ever smaller


def check_path(
    model: Model, q: ArrayLike, world: World | None = None, *, clearance: float = 0.0
) -> PathCheck:
    """A path through configurations [N, nq]; see `Model.check_path`."""
    checker = checker_of(model, world)
    knots = as_bounded_configurations(model, q, "`q`")
    clearance = as_distance(clearance, "clearance")
    if len(knots) == 1:
        knots = np.concatenate([knots, knots])
    moves = [model.difference(begin, end) for begin, end in itertools.pairwise(knots)]
    bounds = MotionBounds(checker.links, checker.bodies, checker.pairs, _travel(checker, knots, moves))
    for k, v in enumerate(moves):
        fraction = first_contact(checker, bounds, knots[k], v, clearance)
        if fraction is not None:
            there = model.integrate(knots[k], fraction * v)
            (contact,) = contacts(checker, checker.nearest(there))
            return PathCheck(is_free=False, position=k + fraction, q=there, contact=contact)
    return PathCheck(is_free=True)


def first_contact(
    checker: Checker, bounds: MotionBounds, begin: Array, v: Array, clearance: float
) -> float | None:
    """Fraction of a straight line at which a pair comes as near as the clearance; None where none does."""
    speeds = bounds.speeds(along_any_axes(checker, v))
    fraction = 0.0
    while True:
        q = checker.model.integrate(begin, fraction * v)
        near = checker.near_pairs(q, clearance + CLOSE + (1.0 - fraction) * speeds.max(initial=0.0))
        margin = near.distances - clearance
        if (margin <= np.where(speeds[near.pairs] > 0.0, CLOSE, 0.0)).any():
            return fraction
        if fraction >= 1.0:
            return None
        with np.errstate(divide="ignore"):
            fraction = min(1.0, fraction + float((margin / speeds[near.pairs]).min(initial=np.inf)))


def along_any_axes(checker: Checker, v: Array) -> Array:
    """A velocity, with at least its numbers where the translation of floating joints is along other axes."""
    bound = v.copy()
    for name in checker.floating:
        at = checker.model.v_slice(name).start
        bound[at : at + 3] = np.linalg.norm(v[at : at + 3])
    return bound


def _travel(checker: Checker, knots: Array, moves: Sequence[Array]) -> Array:
    """How far prismatic joints go on the path at most [m]; more than that for other joints."""
    links = checker.links
    if not moves:
        return np.zeros(len(links))
    values = np.abs(links["multiplier"] * knots[:, links["q"]] + links["offset"]).max(axis=0)
    if checker.floating:  # which go from one configuration to the next along a screw
        values = values + max(np.linalg.norm(along_any_axes(checker, v)) for v in moves)
    return np.asarray(values)
