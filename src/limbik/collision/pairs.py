"""Which bodies are checked against each other, and why the others are not."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from limbik.collision.capsules import shapes_or_capsules
from limbik.collision.geometry import Body, geometry_of
from limbik.model import Model
from limbik.model.derived import Slot

RIGID = "rigid"  # they never move against each other
ADJACENT = "adjacent"  # a joint joins them, with nothing between that has a shape


@dataclass(frozen=True, kw_only=True)
class UncheckedPair:
    """Two bodies that may touch."""

    first: str
    second: str
    reason: str


@dataclass(frozen=True)
class Pairs:
    """The pairs of bodies of a model."""

    checked: tuple[tuple[int, int], ...]  # places of the bodies in `Geometry.bodies`, the smaller first
    unchecked: tuple[UncheckedPair, ...]


def pairs_of(model: Model) -> Pairs:
    """The pairs of the bodies of a model, made once for it: by its rules, then by its structure."""
    return _PAIRS.get(model) or _PAIRS.put(model, _made(model))


_PAIRS: Slot[Pairs] = Slot(of_shapes=True)


def _made(model: Model) -> Pairs:
    bodies = geometry_of(model).bodies
    rules = {rule.key: rule for rule in model.pair_rules}
    adjacent = adjacent_names(model)
    checked, unchecked = [], []
    for (i, first), (j, second) in itertools.combinations(enumerate(bodies), 2):
        key = frozenset((first.name, second.name))
        rule = rules.get(key)
        if first.link == second.link:
            reason = RIGID
        elif rule is not None:
            reason = "" if rule.is_checked else rule.reason or "said by a rule"
        else:
            reason = ADJACENT if key in adjacent else ""
        if reason:
            unchecked.append(_unchecked(first, second, reason))
        else:
            checked.append((i, j))
    return Pairs(tuple(checked), tuple(unchecked))


def _unchecked(first: Body, second: Body, reason: str) -> UncheckedPair:
    return UncheckedPair(first=first.name, second=second.name, reason=reason)


def adjacent_names(model: Model) -> set[frozenset[str]]:
    """The pairs of names of shapes on links between which only links without shapes lie."""
    names: dict[str, set[str]] = {}
    for shape in shapes_or_capsules(model)[0]:
        if not shape.is_attached:
            names.setdefault(shape.link, set()).add(shape.name)
    before: dict[str, str | None] = {model.root: None}  # the nearest link towards the root that has shapes
    pairs: set[frozenset[str]] = set()
    for joint in model.joints:
        nearest = joint.parent if joint.parent in names else before[joint.parent]
        before[joint.child] = nearest
        if joint.child in names and nearest is not None:
            pairs |= {frozenset((a, b)) for a in names[nearest] for b in names[joint.child]}
    return pairs
