"""The bones of a skeleton, and the side of the body on which each is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from limbik.errors import ModelError
from limbik.formats.motions import Motion
from limbik.model import JointKind
from limbik.motion.body.humanoid import humanoid
from limbik.motion.body.roles import SIDES


@dataclass(frozen=True)
class Bone:
    """From a link to the next one, or to a frame at its end."""

    link: str
    end: str
    side: Literal["left", "right", ""]  # of the body; "" in the middle, and where no side is known
    is_head: bool


def bones_of(motion: Motion) -> tuple[Bone, ...]:
    """The bones of what moves, those before others first."""
    model = motion.model
    moving = list(_moving(motion))
    ends = [frame.name for frame in model.frames if frame.name != frame.link and frame.link in moving]
    sides, head = _sides(motion)
    bones = []
    for end in (*moving, *ends):
        link = _before(motion, end, moving)
        if link is not None:
            bones.append(Bone(link, end, sides.get(link, ""), link == head))
    return tuple(bones)


def _moving(motion: Motion) -> Iterator[str]:
    """The links that a joint before them moves."""
    for link in motion.links:
        if any(joint.kind is not JointKind.FIXED for joint in motion.model.path(link)):
            yield link


def _before(motion: Motion, name: str, moving: list[str]) -> str | None:
    """The link that a bone comes from; None where it is the first."""
    frame = motion.model.frame(name)
    if frame.name != frame.link:
        return frame.link
    path = [joint.child for joint in motion.model.path(name)][:-1]
    return next((link for link in reversed(path) if link in moving), None)


def _sides(motion: Motion) -> tuple[dict[str, Literal["left", "right"]], str]:
    """The side of each link of a limb, down to fingers and toes; and the head."""
    try:
        roles = humanoid(motion).frames
    except ModelError:
        return {}, ""
    known = {frame: side for side in SIDES for role, frame in roles.items() if role.startswith(side)}
    sides: dict[str, Literal["left", "right"]] = {}
    for link in motion.links:
        above = [link, *(joint.child for joint in reversed(motion.model.path(link)))]
        side = next((known[each] for each in above if each in known), None)
        if side is not None:
            sides[link] = side
    return sides, roles.get("head", "")
