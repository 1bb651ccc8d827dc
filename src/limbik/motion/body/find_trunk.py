"""The hips, spine, neck and head between the limbs of a humanoid."""

from __future__ import annotations

from collections.abc import Sequence

from limbik.motion.body.find_limbs import Limbs
from limbik.motion.body.limbs import carrier
from limbik.motion.body.names import Label
from limbik.motion.body.roles import TRUNK
from limbik.motion.body.skeleton import LinkSkeleton
from limbik.spatial import norm

APART = 0.1  # of the body's size: joints farther apart are two anatomical ones

Found = dict[str, tuple[str, str]]
"""Of each role the link, and how it was found."""


def find_trunk(skeleton: LinkSkeleton, named: dict[str, Label], limbs: Limbs) -> Found:
    """hips, spine, chest, upperChest, neck and head."""
    legs = _top(skeleton, limbs, "leg")
    arms = _top(skeleton, limbs, "arm")
    roles: Found = {}
    hips = _hips(skeleton, named, legs, arms)
    if hips:
        roles["hips"] = hips
    trunk = _trunk_links(skeleton, named, hips[0] if hips else None, arms)
    roles.update(_spine(skeleton, named, trunk))
    top = arms or (trunk[-1] if trunk else hips[0] if hips else None)
    if top:
        taken = {link for limb in limbs.of.values() for link in limb if link} | {
            link for link, _ in roles.values()
        }
        roles.update(_head(skeleton, named, top, taken))
    return roles


def _top(skeleton: LinkSkeleton, limbs: Limbs, kind: str) -> str | None:
    """The link that both limbs of a kind are on, or the only one."""
    first = [limb.first or limb.upper for (_, each), limb in limbs.of.items() if each == kind]
    links = [skeleton.parents[link] for link in first if link]
    return skeleton.common([link for link in links if link]) if links else None


def _hips(
    skeleton: LinkSkeleton, named: dict[str, Label], legs: str | None, arms: str | None
) -> tuple[str, str] | None:
    parting = skeleton.common([link for link in (legs, arms) if link])
    line = skeleton.line(parting) if parting else []
    called = [link for link in line if _is(named, link, "hips")]
    if called:
        return called[-1], "name"
    if legs and parting and not (skeleton.parents[parting] is None and _is_only_ground(skeleton, parting)):
        what = "legs and spine" if arms else "both legs"
        return parting, f"structure: {what} are on it"
    return None


def _is_only_ground(skeleton: LinkSkeleton, root: str) -> bool:
    """Whether the root is the world that a BVH stands on, and no link of the body."""
    return root == "world"


def _trunk_links(
    skeleton: LinkSkeleton, named: dict[str, Label], hips: str | None, arms: str | None
) -> list[str]:
    """Links of the trunk above the hips, up to the one that the arms are on."""
    if arms and hips and hips in skeleton.line(arms):
        return skeleton.between(hips, arms)
    if arms:
        called = [link for link in skeleton.line(arms) if _is(named, link, "chest")]
        return called or []
    chests = [link for link in skeleton.links if _is(named, link, "chest")]
    return skeleton.between(hips, chests[-1]) if chests and hips in skeleton.line(chests[-1]) else []


def _spine(skeleton: LinkSkeleton, named: dict[str, Label], trunk: Sequence[str]) -> Found:
    """Of one joint the chest, if it is called so, else the spine; of more the first, middle and last one."""
    groups = _groups(skeleton, trunk)
    count = len(groups)
    if not count:
        return {}
    if count == 1:
        is_chest = any(_is(named, link, "chest") for link in groups[0])
        roles = ["chest" if is_chest else "spine"]
        indices = [0]
    else:
        roles = list(TRUNK[: min(count, 3)])
        indices = [0, 1] if count == 2 else [0, count // 2, count - 1]
    by_role = {}
    for role, index in zip(roles, indices, strict=True):
        link = carrier(skeleton, groups[index])
        if link:
            by_role[role] = (link, f"structure: joint {index + 1} of {count} between hips and arms")
    if count == 1 and roles[0] == "chest":
        by_role["chest"] = (by_role["chest"][0], "name")
    return by_role


def _groups(skeleton: LinkSkeleton, links: Sequence[str]) -> list[list[str]]:
    """Links by the anatomical joints that they turn in; what is fixed belongs to what it is fixed to."""
    groups: list[list[str]] = []
    freedom = 0
    for link in links:
        near = groups and skeleton.distance(groups[-1][-1], link) <= APART * skeleton.size
        if groups and (not skeleton.freedom[link] or (near and freedom + skeleton.freedom[link] <= 3)):
            groups[-1].append(link)
            freedom += skeleton.freedom[link]
        else:
            groups.append([link])
            freedom = skeleton.freedom[link]
    return groups


def _head(skeleton: LinkSkeleton, named: dict[str, Label], top: str, taken: set[str]) -> Found:
    below = skeleton.below(top)
    heads = [link for link in below if _is(named, link, "head")]
    if heads:
        last = max(heads, key=lambda link: sum(_is(named, each, "head") for each in skeleton.line(link)))
        group = [link for link in skeleton.line(last) if _is(named, link, "head")]
        branch = skeleton.between(top, group[0])[:-1]
        roles = {"head": (carrier(skeleton, group) or last, "name")}
    else:
        branch, reason = _free_branch(skeleton, top, taken), "structure: the branch between the arms"
        groups = [
            group for group in _groups(skeleton, branch) if any(skeleton.freedom[link] for link in group)
        ]
        if not groups:
            return {}
        roles = {"head": (carrier(skeleton, groups[-1]) or groups[-1][-1], reason)}
        branch = [link for group in groups[:-1] for link in group]
    called = [link for link in branch if _is(named, link, "neck")]
    turning = [group for group in _groups(skeleton, branch) if any(skeleton.freedom[link] for link in group)]
    if called:
        roles["neck"] = (carrier(skeleton, called) or called[0], "name")
    elif turning:
        roles["neck"] = (carrier(skeleton, turning[0]) or turning[0][0], "structure: below the head")
    return roles


def _free_branch(skeleton: LinkSkeleton, top: str, taken: set[str]) -> list[str]:
    """The branch that leads highest from the link that the arms are on, beside them."""
    branches = [child for child in skeleton.children[top] if not taken & set(skeleton.below(child))]
    branches = [child for child in branches if any(skeleton.freedom[link] for link in skeleton.below(child))]
    if not branches:
        return []
    before = skeleton.parents[top]
    start = skeleton.positions[before] if before else skeleton.positions[top]

    def height(child: str) -> float:
        return float(norm(skeleton.positions[skeleton.longest(child)[-1]] - start))

    branch = skeleton.longest(max(branches, key=height))
    head = next((k for k, link in enumerate(branch) if _carries_several(skeleton, link)), len(branch))
    return branch[: head + 1]


def _carries_several(skeleton: LinkSkeleton, link: str) -> bool:
    """Whether several links turn on it, as eyes and a jaw do on a head."""
    return sum(skeleton.freedom[child] > 0 for child in skeleton.children[link]) > 1


def _is(named: dict[str, Label], link: str, part: str) -> bool:
    return link in named and named[link].side is None and named[link].part == part
