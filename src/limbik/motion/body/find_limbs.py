"""The legs and arms of a humanoid, by names or, where these say too little, by structure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from limbik.motion.body.limbs import LimbLinks, built_arm, built_leg, named_arm, named_leg
from limbik.motion.body.names import Label
from limbik.motion.body.roles import SIDES, Side
from limbik.motion.body.sides import left_direction
from limbik.motion.body.skeleton import LinkSkeleton
from limbik.motion.body.symmetry import Pair, has_four_legs, middle, pairs
from limbik.spatial import Array, norm

Kind = Literal["leg", "arm"]
KINDS: tuple[Kind, ...] = ("leg", "arm")
_PARTS = {
    "leg": ("thigh", "leg", "knee", "ankle", "foot", "toes", "hip"),
    "arm": ("shoulder", "upperArm", "arm", "elbow", "wrist", "hand", "clavicle"),
}
_NAMED: dict[Kind, Callable[..., LimbLinks]] = {"leg": named_leg, "arm": named_arm}
_BUILT: dict[Kind, Callable[..., LimbLinks]] = {"leg": built_leg, "arm": built_arm}
DOWN = 0.5  # of its length: how far a limb alone goes down where it is a leg


@dataclass
class Limbs:
    """What was found: the limbs of each side, and how."""

    of: dict[tuple[Side, Kind], LimbLinks] = field(default_factory=dict)
    reasons: dict[tuple[Side, Kind], str] = field(default_factory=dict)

    def both(self, kind: Kind) -> list[LimbLinks]:
        """The limbs of a kind that are whole."""
        return [limb for side in SIDES if (limb := self.of.get((side, kind))) and limb.is_whole]


def find_limbs(skeleton: LinkSkeleton, named: dict[str, Label], up: Array | None) -> Limbs:
    """Legs and arms. up: unit vector against gravity [3], where it is known."""
    limbs = Limbs()
    for kind in KINDS:
        _by_name(skeleton, named, kind, limbs)
    missing = [kind for kind in KINDS if not any((side, kind) in limbs.of for side in SIDES)]
    if missing:
        _by_symmetry(skeleton, missing, up, limbs)
    return limbs


# --- by name ------------------------------------------------------------------------------------------------


def _by_name(skeleton: LinkSkeleton, named: dict[str, Label], kind: Kind, limbs_so_far: Limbs) -> None:
    links = {
        side: [link for link, label in named.items() if label.side == side and label.part in _PARTS[kind]]
        for side in SIDES
    }
    for side in SIDES:
        own = {link: named[link] for link in links[side]}
        limbs = [_NAMED[kind](skeleton, skeleton.line(link), own) for link in _deepest(skeleton, links[side])]
        limb = max(limbs, key=lambda limb: len(limb) - limb.count(None), default=LimbLinks())
        if limb.is_whole:
            limbs_so_far.of[side, kind], limbs_so_far.reasons[side, kind] = limb, "name"
    if all((side, kind) in limbs_so_far.of for side in SIDES) or not all(links.values()):
        return
    for side, other in (SIDES, SIDES[::-1]):
        if (side, kind) not in limbs_so_far.of:
            _by_named_branch(skeleton, kind, side, links[side], links[other], limbs_so_far)


def _by_named_branch(
    skeleton: LinkSkeleton, kind: Kind, side: Side, own: Sequence[str], other: Sequence[str], limbs: Limbs
) -> None:
    """Names say which branch it is, and its structure what is what."""
    end = _deepest(skeleton, own)[0]
    parting = skeleton.common([end, _deepest(skeleton, other)[0]])
    below = skeleton.between(parting, end)
    if not below:
        return
    limb = _BUILT[kind](skeleton, skeleton.longest(below[0]))
    if limb.is_whole:
        limbs.of[side, kind] = limb
        limbs.reasons[side, kind] = f"structure: the branch of {below[0]!r}"


def _deepest(skeleton: LinkSkeleton, links: Sequence[str]) -> list[str]:
    """Those links that are above none of the others, the one farthest from the root first."""
    above = {each for link in links for each in skeleton.line(link)[:-1]}
    return sorted((link for link in links if link not in above), key=lambda link: -len(skeleton.line(link)))


# --- by symmetry --------------------------------------------------------------------------------------------


def _by_symmetry(
    skeleton: LinkSkeleton, missing: Sequence[Kind], up: Array | None, limbs_so_far: Limbs
) -> None:
    taken = {link for limb in limbs_so_far.of.values() for link in limb if link}
    free = [pair for pair in pairs(skeleton) if not taken & {*pair.chains[0], *pair.chains[1]}]
    chosen = _kinds(skeleton, free, missing, up, limbs_so_far)
    limbs = {
        kind: [_BUILT[kind](skeleton, branch) for branch in pair.chains] for kind, pair in chosen.items()
    }
    limbs = {kind: both for kind, both in limbs.items() if all(limb.is_whole for limb in both)}
    if not limbs:
        return
    legs = limbs.get("leg") or limbs_so_far.both("leg")
    body_up = _body_up(skeleton, legs, limbs.get("arm") or limbs_so_far.both("arm"), up)
    feet = [(leg.upper, leg.end) for leg in legs if leg.upper and leg.end]
    left, reason = left_direction(skeleton, feet, body_up)
    for kind, both in limbs.items():
        heights = [float(middle(skeleton, [link for link in limb[:3] if link]) @ left) for limb in both]
        ordered = both if heights[0] > heights[1] else both[::-1]
        for side, limb in zip(SIDES, ordered, strict=True):
            limbs_so_far.of[side, kind] = limb
            limbs_so_far.reasons[side, kind] = f"structure: two equal {kind}s; {reason}"


def _kinds(
    skeleton: LinkSkeleton, free: Sequence[Pair], missing: Sequence[Kind], up: Array | None, limbs: Limbs
) -> dict[Kind, Pair]:
    """Which pair is which."""
    other = [limb.upper for kind in KINDS for limb in limbs.both(kind)]
    parent = skeleton.common([link for link in other if link])
    free = [pair for pair in free if pair.parent != parent]
    if len(missing) == 1:
        return {missing[0]: free[0]} if free and other else {}
    parents = [pair.parent for pair in free]
    if not free or parents.count(parents[0]) > 1:
        return {}  # an animal with four legs, or none
    if len(free) == 1:
        stands = any(has_four_legs(skeleton, link) for link in skeleton.line(free[0].parent))
        if _goes_down(skeleton, free[0], up) and not stands:
            return {"leg": free[0]}
        return {"arm": free[0]} if _has_head(skeleton, free[0]) else {}
    first, second = sorted(free[:2], key=lambda pair: len(skeleton.line(pair.parent)))
    if up is not None and float((_ends(skeleton, first) - _ends(skeleton, second)) @ up) > 0.0:
        first, second = second, first
    return {"leg": first, "arm": second}


def _goes_down(skeleton: LinkSkeleton, pair: Pair, up: Array | None) -> bool:
    against = np.array([0.0, 0.0, 1.0]) if up is None else up
    drop = float((skeleton.positions[pair.parent] - _ends(skeleton, pair)) @ against)
    return drop > DOWN * pair.length


def _has_head(skeleton: LinkSkeleton, pair: Pair) -> bool:
    """Whether something turns beside the two, as a head does."""
    others = [
        child
        for child in skeleton.children[pair.parent]
        if child not in (pair.chains[0][0], pair.chains[1][0])
    ]
    return any(skeleton.freedom[link] for child in others for link in skeleton.below(child))


def _ends(skeleton: LinkSkeleton, pair: Pair) -> Array:
    return middle(skeleton, [branch[-1] for branch in pair.chains])


def _body_up(
    skeleton: LinkSkeleton, legs: Sequence[LimbLinks], arms: Sequence[LimbLinks], up: Array | None
) -> Array:
    """Unit vector along the body from the legs to the arms [3]; without both of them what is up."""
    if legs and arms:
        low = middle(skeleton, [leg.upper for leg in legs if leg.upper])
        high = middle(skeleton, [arm.upper for arm in arms if arm.upper])
        length = float(norm(high - low))
        if length > 0.0:
            return (high - low) / length
    return np.array([0.0, 0.0, 1.0]) if up is None else up
