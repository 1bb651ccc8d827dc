"""Finds limbs by symmetry: two branches of one link with bones of equal length."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from limbik.motion.body.limbs import LONGEST
from limbik.motion.body.skeleton import LinkSkeleton
from limbik.spatial import Array

EQUAL = 0.05  # how far lengths of two sides may differ, of the longer one
MIN = 0.15  # of the size of the body: the smallest length of a limb


class Pair(NamedTuple):
    """Two limbs of equal lengths."""

    parent: str  # the link that they are on
    chains: tuple[list[str], list[str]]  # from the child of `parent` to the farthest link
    length: float  # [m]


def pairs(skeleton: LinkSkeleton) -> list[Pair]:
    """All pairs of limbs, each link in at most one, the longest first. More than two equal branches on a link
    are fingers, or four legs.
    """
    result = []
    for parent in skeleton.links:
        equal = _equal_branches(skeleton, parent)
        for first, second in equal:
            if sum(first in each or second in each for each in equal) == 1:
                length = min(_length(skeleton, first), _length(skeleton, second))
                result.append(Pair(parent, (first, second), length))
    taken: set[str] = set()
    chosen = []
    for pair in sorted(result, key=lambda pair: -pair.length):
        links = {*pair.chains[0], *pair.chains[1]}
        if not links & taken:
            taken |= links
            chosen.append(pair)
    return chosen


def has_four_legs(skeleton: LinkSkeleton, link: str) -> bool:
    """Whether a link has three or more equal limbs."""
    return len(_equal_branches(skeleton, link)) > 1


def middle(skeleton: LinkSkeleton, links: Sequence[str]) -> Array:
    """Between links [3] [m]."""
    return np.asarray(np.mean([skeleton.positions[link] for link in links], axis=0))


def _equal_branches(skeleton: LinkSkeleton, parent: str) -> list[tuple[list[str], list[str]]]:
    if len(skeleton.children[parent]) < 2:
        return []
    branches = [skeleton.longest(child)[:LONGEST] for child in skeleton.children[parent]]
    long = [branch for branch in branches if _length(skeleton, branch) >= MIN * skeleton.size]
    return [
        (first, second)
        for first, second in combinations(long, 2)
        if _are_equal(_bones(skeleton, first), _bones(skeleton, second))
    ]


def _bones(skeleton: LinkSkeleton, branch: Sequence[str]) -> list[float]:
    """Lengths [m] of what is between the links of a branch that are at different positions."""
    lengths = [skeleton.distance(a, b) for a, b in pairwise(branch)]
    return [length for length in lengths if length > 1e-3 * skeleton.size]


def _length(skeleton: LinkSkeleton, branch: Sequence[str]) -> float:
    return float(sum(_bones(skeleton, branch)))


def _are_equal(first: Sequence[float], second: Sequence[float]) -> bool:
    """Whether the first bones of both are equal; a hand may hold something."""
    count = min(len(first), len(second))
    return count >= 2 and all(
        abs(a - b) <= EQUAL * max(a, b) for a, b in zip(first[: min(count, 3)], second, strict=False)
    )
