"""Which bodies are checked against each other, and why the others are not."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from limbik.collision.capsules import shapes_or_capsules
from limbik.collision.geometry import geometry_of
from limbik.collision.self_search import SAMPLES, always_touching
from limbik.model import Model
from limbik.model.slots import Slot

RIGID = "rigid"  # they never move against each other
ADJACENT = "adjacent"  # a joint joins them, with nothing between that has a shape
ALWAYS = f"always (touching at the neutral and at {SAMPLES} random configurations)"
RULE = "said by a rule"


@dataclass(frozen=True, kw_only=True)
class UncheckedPair:
    """Two bodies that may touch."""

    first: str
    second: str
    reason: str


@dataclass(frozen=True)
class Pairs:
    """The pairs of bodies of a model."""

    checked: tuple[tuple[int, int], ...]  # indices of the bodies in `Geometry.bodies`, the smaller first
    unchecked: tuple[UncheckedPair, ...]


def pairs_of(model: Model) -> Pairs:
    """The pairs of the bodies of a model, made once for it: by its rules, then by its structure.

    Pairs that always touch are not checked: nothing would ever be free.
    """
    return _PAIRS.of(model, lambda: _made(model))


_PAIRS: Slot[Pairs] = Slot(of_shapes=True)


def _made(model: Model) -> Pairs:
    bodies = geometry_of(model).bodies
    rules = {rule.key: rule for rule in model.pair_rules}
    adjacent = adjacent_names(model)
    reasons: dict[tuple[int, int], str] = {}
    open_pairs = []  # of which neither a rule nor the structure says anything
    for (i, first), (j, second) in itertools.combinations(enumerate(bodies), 2):
        key = frozenset((first.name, second.name))
        rule = rules.get(key)
        if first.link == second.link:
            reasons[i, j] = RIGID
        elif rule is not None:
            reasons[i, j] = "" if rule.is_checked else rule.reason or RULE
        elif key in adjacent:
            reasons[i, j] = ADJACENT
        else:
            reasons[i, j] = ""
            open_pairs.append((i, j))
    reasons |= dict.fromkeys(always_touching(model, open_pairs), ALWAYS)
    return Pairs(
        tuple(pair for pair, reason in reasons.items() if not reason),
        tuple(
            UncheckedPair(first=bodies[i].name, second=bodies[j].name, reason=reason)
            for (i, j), reason in reasons.items()
            if reason
        ),
    )


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
