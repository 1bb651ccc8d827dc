"""Reads SRDF, MoveIt's file of groups, states and disabled pairs (https://wiki.ros.org/srdf).

Read are groups, group states, end effectors, virtual and passive joints, and pairs of links whose
collisions are not looked at; other elements (spheres, rotors, grippers of other programs) are not.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from limbik.errors import FormatWarning, ModelError, did_you_mean, shortened
from limbik.formats.base_joint import BASE_JOINT
from limbik.formats.elements import Element, parse
from limbik.formats.source import SourceLike, open_source
from limbik.model import Model
from limbik.model.joints import SCALAR
from limbik.spatial import Array

_VIRTUAL = ("fixed", "floating", "planar")
_TAGS = ("virtual_joint", "group", "group_state", "end_effector", "passive_joint", "disable_collisions")
_ATTRIBUTES = {
    "virtual_joint": ("name", "type", "parent_frame", "child_link"),
    "group": ("name",),
    "group_state": ("name", "group"),
    "end_effector": ("name", "group", "parent_link", "parent_group"),
    "passive_joint": ("name",),
    "disable_collisions": ("link1", "link2", "reason"),
    "joint": ("name", "value"),
    "link": ("name",),
    "chain": ("base_link", "tip_link"),
}
NOTICED = 1e-3  # [rad or m] by which a value of a state is another one
_OTHER_TAGS = ("enable_collisions", "disable_default_collisions")  # of MoveIt, when it makes pairs


@dataclass(frozen=True, kw_only=True)
class SrdfChain:
    """The joints between two links."""

    base_link: str
    tip_link: str


@dataclass(frozen=True, kw_only=True)
class SrdfGroup:
    """A named set of joints, as the file says it; `Srdf.joints` makes one list of it."""

    name: str
    joints: tuple[str, ...] = ()
    links: tuple[str, ...] = ()  # each stands for the joint that moves it
    chains: tuple[SrdfChain, ...] = ()
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class NamedState:
    """Values of joints under a name, such as "home"."""

    name: str
    group: str | None  # None where the file names none
    values: Mapping[str, tuple[float, ...]]  # by name of the joint, as in q


@dataclass(frozen=True, kw_only=True)
class EndEffector:
    """A group that is a hand or a tool, and where it is mounted."""

    name: str
    group: str
    parent_link: str
    parent_group: str | None = None


@dataclass(frozen=True, kw_only=True)
class VirtualJoint:
    """How the robot stands in the world: a joint of type fixed, floating or planar."""

    name: str
    type: str
    parent_frame: str
    child_link: str


@dataclass(frozen=True, kw_only=True)
class DisabledPair:
    """Two links whose collisions are not looked at."""

    link1: str
    link2: str
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Srdf:
    """What a file says, by name and in its order."""

    name: str
    groups: Mapping[str, SrdfGroup]
    named_states: tuple[NamedState, ...]
    end_effectors: Mapping[str, EndEffector]
    virtual_joints: Mapping[str, VirtualJoint]
    passive_joints: tuple[str, ...]
    disabled_collisions: tuple[DisabledPair, ...]

    def joints(self, group: str, model: Model) -> tuple[str, ...]:
        """The names of a group's joints that have a part of q, in the order of the model.

        Those of its joints, those that move its links, those of its chains and of its subgroups. Joints
        that the model does not have (virtual ones) are left out.
        """
        wanted: set[str] = set()
        waiting, seen = [group], set()
        while waiting:
            own = self._group(waiting.pop())
            if own.name not in seen:
                seen.add(own.name)
                wanted |= self._own_joints(own, model)
                waiting += own.groups
        return tuple(joint.name for joint in model.joints if joint.name in wanted and joint.nq)

    def configuration(self, state: str, model: Model, *, group: str | None = None) -> Array:
        """The configuration q [nq] of a named state; joints that it does not name are neutral.

        group: the state of that group, where several groups have a state of that name. Warns with
        FormatWarning of values beyond limits, and of joints that follow others to another value.
        """
        states = [one for one in self.named_states if one.name == state and group in (None, one.group)]
        if not states:
            names = dict.fromkeys(one.name for one in self.named_states if group in (None, one.group))
            raise ModelError(f"there is no named state {state!r}; {did_you_mean(state, names)}")
        if len(states) > 1:
            groups = ", ".join(repr(one.group) for one in states)
            if len({one.group for one in states}) < len(states):
                raise ModelError(f"a group has the state {state!r} twice, among {groups}; rename one")
            raise ModelError(f"the groups {groups} have a state {state!r}; say which group is meant")
        q = model.neutral.copy()
        for name, values in states[0].values.items():
            if name in model.joint_names and (size := model.joint(name).nq):
                if len(values) != size:
                    raise ModelError(f"state {state!r}: {name!r} has {size} values, found {len(values)}")
                q[model.q_slice(name)] = values
        for doubt in self._doubts(states[0], model, q):
            warnings.warn(f"state {state!r}: {doubt}", FormatWarning, stacklevel=2)
        return q

    def _doubts(self, state: NamedState, model: Model, q: Array) -> Iterator[str]:
        """What of a state does not hold at q [nq], in words."""
        for joint in model.joints:
            if joint.kind not in SCALAR or joint.name not in state.values:
                continue
            value = state.values[joint.name][0]
            if joint.mimic is None:
                if not joint.lower - NOTICED <= value <= joint.upper + NOTICED:
                    limits = f"{joint.lower:g} to {joint.upper:g}"
                    yield f"{joint.name!r} is at {value:g}, beyond its limits {limits}"
                continue
            follows = joint.mimic.value(float(q[model.q_slice(joint.mimic.joint)][0]))
            if abs(follows - value) > NOTICED:
                yield f"{joint.name!r} is at {value:g}, but follows {joint.mimic.joint!r} to {follows:g}"

    def _group(self, name: str) -> SrdfGroup:
        if not isinstance(name, str):
            raise ModelError(f"`group` needs a name, found {shortened(name)}")
        if name not in self.groups:
            raise ModelError(f"there is no group {name!r}; {did_you_mean(name, self.groups)}")
        return self.groups[name]

    def _own_joints(self, group: SrdfGroup, model: Model) -> set[str]:
        """The joints of a group without those of its subgroups."""
        mover = {joint.child: joint.name for joint in model.joints}
        names = {*group.joints, *(mover[link] for link in group.links if link in mover)}
        for chain in group.chains:
            base, tip = (_path(model, link) for link in (chain.base_link, chain.tip_link))
            names |= base.symmetric_difference(tip)
        return names


def _path(model: Model, link: str) -> set[str]:
    return {joint.name for joint in model.path(link)}


def read(source: SourceLike, model: Model | None = None) -> Srdf:
    """What an SRDF file or text says.

    model: when given, links and joints that it does not have are errors, and so is a state with a wrong
    number of values. Virtual joints count as known, and so does "root_joint", which many files do not
    declare.

    Raises FormatError naming line and element.
    """
    robot = _parsed(source)
    robot.refuse_misspelt((*_TAGS, *_OTHER_TAGS))
    for element in robot.children:
        _refuse_misspelt_attributes((element, *element.children))
    reader = _SrdfReader(robot, model)
    elements = robot.by_name("group")
    groups = {name: reader.group(element) for name, element in elements.items()}
    _refuse_circles(elements, groups)
    virtual_joints = robot.by_name("virtual_joint").items()
    return Srdf(
        name=robot.attributes.get("name", ""),
        groups=groups,
        named_states=tuple(reader.state(one) for one in robot.all("group_state")),
        end_effectors={name: reader.end_effector(one) for name, one in robot.by_name("end_effector").items()},
        virtual_joints={name: reader.virtual_joint(one) for name, one in virtual_joints},
        passive_joints=tuple(reader.joint(one) for one in robot.all("passive_joint")),
        disabled_collisions=tuple(reader.pair(one) for one in robot.all("disable_collisions")),
    )


def disabled_collisions(source: SourceLike, model: Model | None = None) -> tuple[DisabledPair, ...]:
    """Link pairs whose collision check an SRDF disables; its groups and states are not looked at.

    model: whose links the pairs are of; links that it does not have are errors. Raises FormatError.
    """
    robot = _parsed(source)
    if model is not None:
        robot.refuse_misspelt((*_TAGS, *_OTHER_TAGS))
    pairs, reader = robot.all("disable_collisions"), _SrdfReader(robot, model)
    _refuse_misspelt_attributes(pairs)
    return tuple(map(reader.pair, pairs))


def _refuse_misspelt_attributes(elements: Iterable[Element]) -> None:
    for element in elements:
        element.refuse_misspelt_attributes(*_ATTRIBUTES.get(element.tag, ()))


def _parsed(source: SourceLike) -> Element:
    robot = parse(open_source(source))
    if robot.tag != "robot":
        raise robot.error(f"an SRDF begins with <robot>, found <{robot.tag}>")
    if robot.all("joint"):
        raise robot.error("this is URDF, which has no groups; read it with limbik.load")
    return robot


class _SrdfReader:
    """Makes dataclasses of elements and checks names on the way."""

    def __init__(self, robot: Element, model: Model | None) -> None:
        self.groups = robot.by_name("group")
        self.links = {frame.name: frame for frame in model.frames} if model else None
        self.joints = {joint.name: joint for joint in model.joints} if model else {}
        names = dict.fromkeys([*self.joints, BASE_JOINT, *robot.by_name("virtual_joint")])
        self.joint_names = names if model else None

    def group(self, element: Element) -> SrdfGroup:
        element.refuse_misspelt(("joint", "link", "chain", "group"))
        return SrdfGroup(
            name=element.text("name"),
            joints=tuple(self.joint(part) for part in element.all("joint")),
            links=tuple(self.link(part, "name") for part in element.all("link")),
            chains=tuple(
                SrdfChain(base_link=self.link(part, "base_link"), tip_link=self.link(part, "tip_link"))
                for part in element.all("chain")
            ),
            groups=tuple(_known(part, "name", "group", self.groups) for part in element.all("group")),
        )

    def state(self, element: Element) -> NamedState:
        element.refuse_misspelt(("joint",))
        in_group = "group" in element.attributes
        return NamedState(
            name=element.text("name"),
            group=_known(element, "group", "group", self.groups) if in_group else None,
            values=self.all_values(element),
        )

    def all_values(self, state: Element) -> dict[str, tuple[float, ...]]:
        values: dict[str, tuple[float, ...]] = {}
        for part in state.all("joint"):
            if (name := self.joint(part)) in values:
                raise part.error(f"the joint {name!r} stands twice in this state")
            values[name] = self.values(part)
        return values

    def values(self, element: Element) -> tuple[float, ...]:
        values = tuple(element.list_of_numbers("value"))
        joint = self.joints.get(element.text("name"))
        size = joint.kind.nq if joint else 0  # files of robots with joints made fixed still give them values
        if joint and size and len(values) != size:
            raise element.error(f"a {joint.kind.value} joint has {size} values, found {len(values)}")
        return values

    def end_effector(self, element: Element) -> EndEffector:
        in_group = "parent_group" in element.attributes
        return EndEffector(
            name=element.text("name"),
            group=_known(element, "group", "group", self.groups),
            parent_link=self.link(element, "parent_link"),
            parent_group=_known(element, "parent_group", "group", self.groups) if in_group else None,
        )

    def virtual_joint(self, element: Element) -> VirtualJoint:
        return VirtualJoint(
            name=element.text("name"),
            type=_known(element, "type", "type", _VIRTUAL),
            parent_frame=element.text("parent_frame"),
            child_link=self.link(element, "child_link"),
        )

    def pair(self, element: Element) -> DisabledPair:
        return DisabledPair(
            link1=self.link(element, "link1"),
            link2=self.link(element, "link2"),
            reason=element.attributes.get("reason", ""),
        )

    def joint(self, element: Element) -> str:
        return _known(element, "name", "joint", self.joint_names)

    def link(self, element: Element, attribute: str) -> str:
        return _known(element, attribute, "link", self.links)


def _known(element: Element, attribute: str, what: str, names: Collection[str] | None) -> str:
    """The name in an attribute; names: None if all are good."""
    name = element.text(attribute)
    if names is not None and name not in names:
        raise element.error(f"there is no {what} {name!r}; {did_you_mean(name, names)}")
    return name


def _refuse_circles(elements: Mapping[str, Element], groups: Mapping[str, SrdfGroup]) -> None:
    """Raise for a group that is a part of itself."""
    is_checked: set[str] = set()
    for first in groups:
        walked: dict[str, None] = {}  # an ordered set: a group, the part of it that is looked at, and so on
        waiting = [iter((first,))]
        while waiting:
            name = next(waiting[-1], None)
            if name is None:
                waiting.pop()
                if walked:
                    is_checked.add(walked.popitem()[0])
            elif name in walked:
                raise elements[name].error("this group is a part of itself")
            elif name not in is_checked:
                walked[name] = None
                waiting.append(iter(groups[name].groups))
