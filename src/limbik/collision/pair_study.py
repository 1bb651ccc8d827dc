"""`PairStudy`: which pairs of a model can touch, by samples or by proof, and pair rules from that."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from limbik.collision.geometry import geometry_of
from limbik.collision.motion_bounds import MotionBounds
from limbik.collision.pairs import UncheckedPair, pairs_of
from limbik.collision.self_search import SelfSearch
from limbik.errors import CollisionError, shortened
from limbik.model import Model
from limbik.model.pair_rules import PairRule
from limbik.spatial import Array

MAX_BOXES = 500  # of configurations that are looked at for one pair
MAX_COORDINATES = 4  # between two bodies, for a proof to be tried
MAX_SAMPLES = 10_000_000
ENDLESS = 1e300  # [m] for joints without limits: finite, so that it is nothing where they move nothing
SEED = 0


@dataclass(frozen=True, kw_only=True)
class StudiedPair:
    """A checked pair of bodies.

    touching: of how many samples. never: whether it is proved that they cannot touch within the limits.
    """

    first: str
    second: str
    touching: int
    never: bool


@dataclass(frozen=True)
class PairStudy:
    """All pairs of a model's bodies."""

    samples: int
    checked: tuple[StudiedPair, ...]
    unchecked: tuple[UncheckedPair, ...]

    @property
    def rarely(self) -> float:
        """The fraction of all configurations, at most, at which a pair touches that no sample showed
        touching, at 95 % confidence (the rule of three).
        """
        return min(1.0, 3.0 / self.samples)

    def rules(self, with_unseen: bool = False) -> list[PairRule]:
        """Rules for the pairs that need no check: those that are not checked, and those that never touch.

        with_unseen: also for those that no sample showed touching, which may touch all the same.
        """
        said = [(pair.first, pair.second, pair.reason) for pair in self.unchecked]
        said += [(pair.first, pair.second, "never (proved)") for pair in self.checked if pair.never]
        if with_unseen:
            reason = f"not seen touching in {self.samples} samples"
            unseen = [pair for pair in self.checked if not pair.never and not pair.touching]
            said += [(pair.first, pair.second, reason) for pair in unseen]
        return [
            PairRule(first=first, second=second, is_checked=False, reason=reason)
            for first, second, reason in said
        ]


def study_pairs(model: Model, samples: int = 1000) -> PairStudy:
    """Study the pairs of a model's bodies at so many random configurations within its limits.

    Raises CollisionError for a number of samples that is none.
    """
    if not (isinstance(samples, int | np.integer) and 0 < samples <= MAX_SAMPLES):
        needed = f"a whole number from 1 to {MAX_SAMPLES:,}"
        raise CollisionError(f"`samples` needs {needed}, found {shortened(samples)}")
    names = [body.name for body in geometry_of(model).bodies]
    pairs = pairs_of(model)
    search = SelfSearch(model, pairs.checked)
    touching = np.zeros(len(pairs.checked), int)
    for q in model.random(SEED, int(samples)):
        touching += search.distances(q, 0.0) <= 0.0
    checked = tuple(
        StudiedPair(
            first=names[i],
            second=names[j],
            touching=int(count),
            never=not count and never_touch(model, (i, j)),
        )
        for (i, j), count in zip(pairs.checked, touching, strict=True)
    )
    return PairStudy(int(samples), checked, pairs.unchecked)


def never_touch(model: Model, pair: tuple[int, int]) -> bool:
    """Whether it is proved that two bodies, by their indices in the geometry, cannot touch within the limits.

    The box of configurations is halved until in each part the distance at its middle is more than the bodies
    can come nearer on the path to its border. False where that takes too many parts.
    """
    search = SelfSearch(model, [pair])
    lower, upper = _box(model)
    travel = _travel(search, lower, upper)
    bounds = MotionBounds(search.links, search.bodies, search.pairs, travel)
    speeds = np.array([bounds.speeds(each)[0] for each in np.eye(model.nv)])
    moving = [each for each in model.coordinates if speeds[each.v : each.v + 1 + 2 * each.is_rotation].any()]
    indices = [each.q for each in moving]
    if len(moving) > MAX_COORDINATES or any(each.is_rotation for each in moving):
        return False
    if not np.isfinite(lower[indices]).all() or not np.isfinite(upper[indices]).all():
        return False
    speeds = speeds[[each.v for each in moving]]
    waiting = [(lower[indices], upper[indices])]
    for _ in range(MAX_BOXES):
        if not waiting:
            return True
        low, high = waiting.pop()
        q = model.neutral.copy()
        q[indices] = 0.5 * (low + high)
        nearer = 0.5 * (high - low) * speeds
        distance = search.distances(q, float(nearer.sum()) + 1e-9)[0]
        if distance <= 0.0:
            return False
        if math.isfinite(distance):
            waiting += _halves(low, high, int(nearer.argmax()))
    return False


def _box(model: Model) -> tuple[Array, Array]:
    """The limits; of a joint without any, one revolution."""
    lower, upper = model.lower.copy(), model.upper.copy()
    for coordinate in model.coordinates:
        if coordinate.is_periodic:
            lower[coordinate.q], upper[coordinate.q] = -math.pi, math.pi
    return lower, upper


def _travel(search: SelfSearch, lower: Array, upper: Array) -> Array:
    """How far the joint of each link goes at most [m or rad], in both directions; finite."""
    links = search.links
    ends = [links["multiplier"] * end[links["q"]] + links["offset"] for end in (lower, upper)]
    return np.asarray(np.minimum(np.abs(ends).max(axis=0), ENDLESS))


def _halves(low: Array, high: Array, along: int) -> list[tuple[Array, Array]]:
    middle = 0.5 * (low[along] + high[along])
    below, above = high.copy(), low.copy()
    below[along] = above[along] = middle
    return [(low, below), (above, high)]
