"""Which links of a leg or an arm carry its bones: told by what they are called, or by where they are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from limbik.motion.body.names import Label
from limbik.motion.body.skeleton import LinkSkeleton

NEAR = 0.12  # of a limb's length: what is nearer than this is at the same anatomical joint
ALMOST = 0.85  # of the best length of bones, which a choice of fewer helpers in between may have
LONGEST = 40  # links of a limb that are looked at
SHIN = 0.7  # of the shorter one of two bones: the smallest length of the second


class LimbLinks(NamedTuple):
    """The links of a limb; None for what was not found."""

    upper: str | None = None
    lower: str | None = None
    end: str | None = None  # foot or hand
    first: str | None = None  # the clavicle
    last: str | None = None  # the toes

    @property
    def is_whole(self) -> bool:
        """Whether it has both bones; there are robots without hands."""
        return None not in self[:2]


def carrier(skeleton: LinkSkeleton, group: Sequence[str]) -> str | None:
    """Of the links of one anatomical joint the one that carries the bone: the first that turns freely, else
    the last that turns at all.
    """
    freedom, best = 0, None
    for link in group:
        if skeleton.freedom[link] or best is None:
            best = link
        freedom += skeleton.freedom[link]
        if freedom >= 3:
            break
    return best


# --- by name ------------------------------------------------------------------------------------------------


def named_leg(skeleton: LinkSkeleton, line: Sequence[str], named: dict[str, Label]) -> LimbLinks:
    """The leg on a line of links from the root to its end, by names."""
    parts = _Parts(line, named)
    lower = parts.of("knee")
    upper = parts.of("thigh")
    if not lower:
        lower, upper = (parts.of("leg"), upper) if upper else ([], parts.of("leg") if lower else [])
    upper = upper or (parts.of("leg") if lower and parts.comes("leg", lower) else []) or parts.of("hip")
    ankle, foot, toes = parts.of("ankle"), parts.of("foot"), parts.of("toes")
    if ankle and foot:
        ends = _freedom(skeleton, ankle) >= 3 and _freedom(skeleton, foot) > 0
        ankle, foot, toes = (ankle, [], toes or foot) if ends else ([], foot, toes)
    if not ankle and not foot and lower:
        foot, toes = toes, []
    return _limb(skeleton, line, upper, lower, foot or ankle, [], toes)


def named_arm(skeleton: LinkSkeleton, line: Sequence[str], named: dict[str, Label]) -> LimbLinks:
    """The arm on a line of links from the root to its end, by names."""
    parts = _Parts(line, named)
    clavicle, shoulder = parts.of("clavicle"), parts.of("shoulder")
    upper, lower, arm = parts.of("upperArm"), parts.of("elbow"), parts.of("arm")
    if not upper and arm and lower and parts.comes("arm", lower):
        upper = arm
    if upper and not lower and arm:
        lower = arm
    if upper and shoulder and not clavicle and _rotates_before(skeleton, upper, line):
        clavicle = shoulder
    if not upper:
        upper = shoulder
    wrist, hand = parts.of("wrist"), parts.of("hand")
    if wrist and hand and _freedom(skeleton, wrist) >= 3:
        hand = []
    return _limb(skeleton, line, upper, lower, hand or wrist, clavicle, [])


class _Parts:
    """The links of each part on a line, in its order."""

    def __init__(self, line: Sequence[str], named: dict[str, Label]) -> None:
        self.line = line
        self.named = named

    def of(self, part: str) -> list[str]:
        return [link for link in self.line if link in self.named and self.named[link].part == part]

    def comes(self, part: str, before: Sequence[str]) -> bool:
        """Whether the part comes before other links."""
        return self.line.index(self.of(part)[0]) < self.line.index(before[0]) if self.of(part) else False


def _freedom(skeleton: LinkSkeleton, links: Sequence[str]) -> int:
    return sum(skeleton.freedom[link] for link in links)


def _rotates_before(skeleton: LinkSkeleton, upper: Sequence[str], line: Sequence[str]) -> bool:
    """Whether the upper arm turns by itself: else it is on the last link of the shoulder."""
    return _freedom(skeleton, line[line.index(upper[0]) :][: len(upper)]) > 0


def _limb(
    skeleton: LinkSkeleton,
    line: Sequence[str],
    upper: Sequence[str],
    lower: Sequence[str],
    end: Sequence[str],
    first: Sequence[str],
    last: Sequence[str],
) -> LimbLinks:
    """A limb of groups of links, where they come in this order; of what is out of order, nothing."""
    groups = [first, upper, lower, end, last]
    indices = [line.index(link) for group in groups for link in group]
    if indices != sorted(indices):
        return LimbLinks()
    links = [carrier(skeleton, group) if group else None for group in groups]
    return LimbLinks(upper=links[1], lower=links[2], end=links[3], first=links[0], last=links[4])


# --- by structure -------------------------------------------------------------------------------------------


def built_leg(skeleton: LinkSkeleton, branch: Sequence[str]) -> LimbLinks:
    """The leg along a branch: its longest two bones that follow each other."""
    choice = _bones(skeleton, branch)
    if choice is None:
        return LimbLinks()
    hip, knee, ankle = choice
    length = skeleton.distance(branch[hip], branch[knee])
    foot, rest = _end_group(skeleton, branch[ankle:], NEAR * length)
    toes = next((link for link in rest if skeleton.freedom[link]), None)
    return _carriers(skeleton, branch, hip, knee, ankle, foot)._replace(last=toes)


def built_arm(skeleton: LinkSkeleton, branch: Sequence[str]) -> LimbLinks:
    """The arm along a branch, likewise; it ends where fingers branch."""
    wrist = next((k for k, link in enumerate(branch) if k > 1 and _has_fingers(skeleton, link)), None)
    choice = _bones(skeleton, branch if wrist is None else branch[: wrist + 1])
    if choice is None:
        return LimbLinks()
    shoulder, elbow, end = choice
    length = skeleton.distance(branch[shoulder], branch[elbow])
    hand, _ = _end_group(skeleton, branch[end:], NEAR * length)
    limb = _carriers(skeleton, branch, shoulder, elbow, end, hand)
    before = [
        link
        for link in branch[:shoulder]
        if skeleton.freedom[link] >= 2 and skeleton.distance(link, branch[shoulder]) > NEAR * length
    ]
    return limb._replace(first=before[-1] if before else None)


def _carriers(
    skeleton: LinkSkeleton, branch: Sequence[str], upper: int, lower: int, end: int, group: Sequence[str]
) -> LimbLinks:
    return LimbLinks(
        upper=carrier(skeleton, branch[upper:lower]),
        lower=carrier(skeleton, branch[lower:end]),
        end=carrier(skeleton, group),
    )


def _bones(skeleton: LinkSkeleton, branch: Sequence[str]) -> tuple[int, int, int] | None:
    """Indices in a branch where the first bone begins, the second begins, and ends.

    Joints of a character are one link each, so the bones are between neighbours. Of a robot each of a few
    hinges may be away from the next.
    """
    branch = branch[:LONGEST]
    is_robot = all(skeleton.freedom[link] < 2 for link in branch)
    return _between_hinges(skeleton, branch) if is_robot else _between_neighbours(skeleton, branch)


def _between_hinges(skeleton: LinkSkeleton, branch: Sequence[str]) -> tuple[int, int, int] | None:
    """Of three links those with the greatest shorter distance between them; of nearly equal choices the one
    that begins last, bends first and ends first.
    """
    choices = [
        (min(skeleton.distance(branch[a], branch[b]), skeleton.distance(branch[b], branch[c])), a, b, c)
        for c in range(2, len(branch))
        for b in range(1, c)
        for a in range(b)
    ]
    best = max(choices, default=(0.0, 0, 0, 0))[0]
    if best <= 0.0:
        return None
    good = [each for each in choices if each[0] >= ALMOST * best]
    first = max(a for _, a, _, _ in good)
    _, elbow, end = min((-round(length / best, 2), b, c) for length, a, b, c in good if a == first)
    length = min(
        skeleton.distance(branch[first], branch[elbow]), skeleton.distance(branch[elbow], branch[end])
    )
    while end - 1 > elbow and skeleton.distance(branch[elbow], branch[end - 1]) >= SHIN * length:
        end -= 1
    return first, elbow, end


def _between_neighbours(skeleton: LinkSkeleton, branch: Sequence[str]) -> tuple[int, int, int] | None:
    """Three links that follow each other with the greatest shorter distance between them."""
    steps = [0.0, *(skeleton.distance(a, b) for a, b in pairwise(branch))]
    stations = [k for k, step in enumerate(steps) if not k or step > 0.5 * NEAR * sum(steps)]
    choices = [
        (min(skeleton.distance(branch[a], branch[b]), skeleton.distance(branch[b], branch[c])), -a, b, c)
        for a, b, c in zip(stations, stations[1:], stations[2:], strict=False)
    ]
    if not choices:
        return None
    _, first, elbow, end = max(choices)
    return -first, elbow, end


def _end_group(skeleton: LinkSkeleton, rest: Sequence[str], near: float) -> tuple[list[str], list[str]]:
    """The links at the index of the first, and those that follow."""
    count = next((k for k, link in enumerate(rest) if skeleton.distance(link, rest[0]) > near), len(rest))
    return list(rest[:count]), list(rest[count:])


def _has_fingers(skeleton: LinkSkeleton, link: str) -> bool:
    """Whether two or more branches turn on a link."""
    return sum(skeleton.freedom[child] > 0 for child in skeleton.children[link]) > 1
