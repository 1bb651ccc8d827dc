"""`SelfSearch`: distances between near pairs of a model's own bodies; and `always_touching`: the pairs that
touch at every sampled configuration.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from limbik.collision.nearest import ALL, DISTANCE, PAIR
from limbik.collision.pack import Packed, packed
from limbik.collision.robot_bodies import robot_bodies
from limbik.collision.search import Search
from limbik.model import Model
from limbik.spatial import Array
from limbik.tree.joints import FRAME_SIZE
from limbik.tree.pack import tree_of

SAMPLES = 50  # besides the neutral configuration
SEED = 0


class SelfSearch:
    """Of pairs of a model's bodies, by their indices in its geometry."""

    def __init__(self, model: Model, pairs: Sequence[tuple[int, int]]) -> None:
        self.model = model
        self.pairs: Any = np.array(pairs, np.int64).reshape(-1, 2)
        self.links = tree_of(model).links
        self.bodies: Packed = packed(robot_bodies(model), FRAME_SIZE)
        self._search = Search(self.links, self.bodies, np.zeros((0, 4, 4)), self.pairs, model.nq, model.nv)

    def distances(self, q: Array, within: float) -> Array:
        """Of the pairs [n] at q [nq], in metres; infinite for those that are not nearer than `within`."""
        distances = np.full(len(self.pairs), np.inf)
        numbers, _ = self._search.run(q, ALL, within)
        distances[numbers[:, PAIR].astype(np.intp)] = numbers[:, DISTANCE]
        return distances


def always_touching(model: Model, pairs: Sequence[tuple[int, int]]) -> set[tuple[int, int]]:
    """Those of the pairs that touch at the neutral configuration and at `SAMPLES` random ones.

    By the rule of three, they are free at less than 3 / SAMPLES of all configurations, at 95 % confidence.
    """
    left = list(pairs)
    random = model.random(SEED, SAMPLES)
    for q in np.concatenate([model.neutral[None], random]):
        if not left:
            break
        touches = SelfSearch(model, left).distances(q, 0.0) <= 0.0
        left = [pair for pair, does in zip(left, touches, strict=True) if does]
    return set(left)
