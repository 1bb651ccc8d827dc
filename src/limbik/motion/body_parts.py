"""Humanoids: which link of a model is which part of a body."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from limbik.errors import ModelError, did_you_mean, shortened
from limbik.formats.motions import Motion
from limbik.model import Joint, JointKind, Model
from limbik.motion.bone_names import BoneName, read_name

SIDES = ("left", "right")
LEG = ("UpperLeg", "LowerLeg", "Foot")
ARM = ("UpperArm", "LowerArm", "Hand")
LIMBS = ("UpperLeg", "LowerLeg", "Foot", "Toes", "Shoulder", "UpperArm", "LowerArm", "Hand")
SEGMENTS: Mapping[str, tuple[str, ...]] = {
    "Thumb": ("Metacarpal", "Proximal", "Distal"),
    **{finger: ("Proximal", "Intermediate", "Distal") for finger in ("Index", "Middle", "Ring", "Little")},
}
# VRM 1.0's names of humanoid bones that are looked for.
ROLES = (
    "hips", "spine", "chest", "upperChest", "neck", "head",
    *(side + part for side in SIDES for part in LIMBS),
    *(side + finger + segment for side in SIDES for finger, names in SEGMENTS.items() for segment in names),
)  # fmt: skip
EXPECTED = (
    "hips",
    "spine",
    "head",
    *(side + part for side in SIDES for part in LIMBS if part not in ("Toes", "Shoulder")),
)
FREE = 3  # degrees of freedom of a joint that turns every way


@dataclass(frozen=True, eq=False)
class Humanoid:
    """A model, and which of its links are the parts of a body; `print` shows them."""

    model: Model
    frames: Mapping[str, str]  # names of links by role, which are VRM's names of bones ("leftUpperLeg")

    @property
    def missing(self) -> tuple[str, ...]:
        """The parts that a person has and that were not found."""
        return tuple(role for role in EXPECTED if role not in self.frames)

    def with_frames(self, frames: Mapping[str, str | None]) -> Humanoid:
        """The same with some roles given to other frames, or to none. Raises ModelError for unknown ones."""
        for role, frame in frames.items():
            if role not in ROLES:
                raise ModelError(f"there is no role {shortened(role)}; {did_you_mean(str(role), ROLES)}")
            if frame is not None:
                self.model.frame(frame)
        given = {**self.frames, **frames}
        kept = {role: given[role] for role in ROLES if given.get(role) is not None}
        return replace(self, frames=MappingProxyType(kept))  # type: ignore[arg-type]

    def __str__(self) -> str:
        width = max(map(len, self.frames), default=0)
        lines = [f"{role:{width}}  {frame}" for role, frame in self.frames.items()]
        if self.missing:
            lines.append(f"not found: {', '.join(self.missing)}")
        return "\n".join(lines)


def humanoid(model: Model | Motion) -> Humanoid:
    """The parts of a body, found by the names of its links and by what hangs on what.

    Where several hinges make one joint, as on robots, a part is the link after the last of them; of several
    links in a row that each turn every way, such as twist bones, the first. What does not move against the
    part before it has no role. `with_frames` corrects what was found.

    Raises ModelError where hips and legs are not found: then give the frames yourself,
    `limbik.motion.Humanoid(model, {"hips": ...})`.
    """
    whole = model.model if isinstance(model, Motion) else model
    links = model.links if isinstance(model, Motion) else tuple(joint.child for joint in whole.joints)
    body = _Body(whole, links)
    found = body.roles()
    needed = [role for role in ("hips", "leftUpperLeg", "rightUpperLeg") if role not in found]
    if needed:
        raise ModelError(
            f"no link of model {whole.name!r} is named like {' or '.join(needed)}: which links are the parts "
            "of a body is not known; give them: limbik.motion.Humanoid(model, {'hips': ...})"
        )
    return Humanoid(whole, MappingProxyType({role: found[role] for role in ROLES if role in found}))


class _Body:
    """The links of a model, and what their names say."""

    def __init__(self, model: Model, links: Iterable[str]) -> None:
        self.model = model
        self.names: dict[str, BoneName] = {link: read_name(link) for link in (model.root, *links)}
        self.paths: dict[str, list[Joint]] = {link: list(model.path(link)) for link in self.names}

    def roles(self) -> dict[str, str]:
        """Links by role."""
        found: dict[str, str] = {}
        for side in SIDES:
            for part, links in self._limbs(side).items():
                found[side + part] = self._joint(links)
        for link, name in self.names.items():
            if name.middle and name.middle not in found:
                found[name.middle] = link
        if "hips" not in found and "leftUpperLeg" in found and "rightUpperLeg" in found:
            found["hips"] = self._shared(found["leftUpperLeg"], found["rightUpperLeg"])
        found.update(self._trunk(found))
        for side in SIDES:
            found.update(self._fingers(side))
        return {role: link for role, link in found.items() if self._moves(role, link, found)}

    def _limbs(self, side: str) -> dict[str, list[str]]:
        """The links of each part of the limbs of a side, the first one first."""
        by_part: dict[str, list[str]] = {part: [] for part in LIMBS}
        mine = [link for link, name in self.names.items() if name.side == side and not name.finger]
        for link in mine:
            for part in self.names[link].parts:
                by_part[part].append(link)
        if not any(self._freedom(link) for link in by_part["UpperArm"]):  # the joint is called shoulder
            by_part["UpperArm"], by_part["Shoulder"] = self._split(by_part["Shoulder"], ("shoulder",))
        thighs, hips = self._split(by_part["UpperLeg"], ("hip", "hipjoint"), invert=True)
        by_part["UpperLeg"] = thighs or hips
        shins, legs = self._split(by_part["LowerLeg"], ("leg",), invert=True)
        by_part["LowerLeg"] = shins or legs
        ankles, feet = self._split(by_part["Foot"], ("ankle",))
        if ankles and feet and not by_part["Toes"] and self._hangs_on(feet[0], ankles[-1]):
            by_part["Foot"], by_part["Toes"] = ankles, feet  # as SMPL's names
        wrists, hands = self._split(by_part["Hand"], ("wrist",))
        moving = [link for link in hands if self._freedom(link)]
        by_part["Hand"] = moving if moving and len(wrists) < FREE else wrists or hands
        for limb, whole in ((LEG, "leg"), (ARM, "arm")):
            numbered = [link for link in mine if self.names[link].part == whole and self._freedom(link) == 1]
            if len(numbered) >= FREE + 2:  # hinges without names, as of Talos: three, one, and the others
                numbered.sort(key=self._depth)
                by_part.update(
                    zip(limb, (numbered[:FREE], [numbered[FREE]], numbered[FREE + 1 :]), strict=True)
                )
        return {part: sorted(links, key=self._depth) for part, links in by_part.items() if links}

    def _split(
        self, links: list[str], names: tuple[str, ...], invert: bool = False
    ) -> tuple[list[str], list[str]]:
        """Those with one of these names, and the others."""
        named = [link for link in links if (self.names[link].part in names) is not invert]
        return named, [link for link in links if link not in named]

    def _joint(self, links: list[str]) -> str:
        """Of links in a row that are one part: the last, or the first where each turns every way."""
        moving = [link for link in links if self._freedom(link)] or links
        return moving[0] if self._freedom(moving[0]) >= FREE else moving[-1]

    def _trunk(self, found: Mapping[str, str]) -> dict[str, str]:
        """What lies between hips and shoulders: spine, chest and upper chest."""
        arms = [found[side + "UpperArm"] for side in SIDES if side + "UpperArm" in found]
        if "hips" not in found or not (arms or "head" in found):
            return {}
        top = (
            self._shared(*arms)
            if len(arms) == len(SIDES)
            else found.get("neck", found.get("head", arms[0] if arms else ""))
        )
        between = [link for link in self._line(found["hips"], top) if self._freedom(link)]
        if len(arms) != len(SIDES):
            between = between[:-1]
        if not between:
            return {}
        names = ("spine", "chest", "upperChest")[: len(between)]
        middle = between[len(between) // 2]
        return dict(
            zip(names, (between[0], middle, between[-1]) if len(between) > 2 else between, strict=True)
        )

    def _fingers(self, side: str) -> Iterator[tuple[str, str]]:
        """The segments of each finger of a side."""
        for finger, segments in SEGMENTS.items():
            links = [link for link, name in self.names.items() if (name.side, name.finger) == (side, finger)]
            links = sorted((link for link in links if self._freedom(link)), key=self._depth)
            for segment, link in zip(segments, links[-len(segments) :], strict=False):
                yield side + finger + segment, link

    def _moves(self, role: str, link: str, found: Mapping[str, str]) -> bool:
        """Whether a link moves against all others that have a role and carry it."""
        carriers = [other for name, other in found.items() if name != role and self._hangs_on(link, other)]
        return all(any(joint.nv for joint in self._between(other, link)) for other in carriers)

    def _freedom(self, link: str) -> int:
        """How many degrees of freedom turn a link against the link before it that has a name of its own."""
        total = 0
        for joint in reversed(self.paths[link]):
            if joint.child != link and joint.child in self.names:
                break
            total += joint.nv if joint.kind is not JointKind.PRISMATIC else 0
        return total

    def _shared(self, one: str, other: str) -> str:
        """The last link that carries both."""
        first, second = (self._names_to(link) for link in (one, other))
        return [a for a, b in zip(first, second, strict=False) if a == b][-1]

    def _names_to(self, link: str) -> list[str]:
        return [self.model.root, *(joint.child for joint in self.paths[link] if joint.child in self.names)]

    def _line(self, first: str, last: str) -> list[str]:
        """The links after the first one up to the last one."""
        names = self._names_to(last)
        return names[names.index(first) + 1 :] if first in names else []

    def _between(self, first: str, last: str) -> list[Joint]:
        count = len(self.paths[first])
        return self.paths[last][count:]

    def _hangs_on(self, link: str, other: str) -> bool:
        return link != other and other in self._names_to(link)

    def _depth(self, link: str) -> int:
        return len(self.paths[link])
