"""Checks that the links and joints of a URDF make one tree with consistent mimic rules."""

from __future__ import annotations

from collections.abc import Mapping

from limbik.errors import did_you_mean, listed
from limbik.formats.elements import Element
from limbik.model.followers import circle_of

SCALAR_TYPES = ("revolute", "continuous", "prismatic")  # one number: these lead and follow
TYPES = (*SCALAR_TYPES, "fixed", "floating", "planar")


def joint_type(joint: Element) -> str:
    """One of `TYPES`."""
    type_name = joint.text("type")
    if type_name not in TYPES:
        raise joint.error(f"unknown type {type_name!r}; {did_you_mean(type_name, TYPES)}")
    return type_name


def check_tree(robot: Element, links: Mapping[str, Element], joints: Mapping[str, Element]) -> str:
    """The root link. Raises FormatError where the joints do not make one tree of all links."""
    if not links:
        raise robot.error("needs at least one <link>, found none")
    mover: dict[str, Element] = {}  # the joint that moves each link
    for joint in joints.values():
        joint.refuse_misspelt(("origin", "parent", "child", "axis", "limit", "mimic"))
        parent, child = (_link(joint, tag, links) for tag in ("parent", "child"))
        if parent == child:
            raise joint.error(f"connects link {parent!r} with itself")
        if child in mover:
            other = mover[child]
            raise joint.error(f"link {child!r} is already the child of {other!r} in line {other.line}")
        mover[child] = joint
        if joint_type(joint) == "planar":
            _refuse_taken_names(joint, links, joints)
    roots = [link for name, link in links.items() if name not in mover]
    if len(roots) > 1:
        named = ", ".join(f"{root.text('name')!r} (line {root.line})" for root in roots[:5])
        more = f" and {len(roots) - 5} more" if len(roots) > 5 else ""
        problem = f"a robot has one root, but {len(roots)} links are no joint's child: {named}{more}"
        raise roots[1].error(problem)
    _refuse_cycles(mover)
    return roots[0].text("name")


def _link(joint: Element, tag: str, links: Mapping[str, Element]) -> str:
    element = joint.need(tag)
    element.only("link")
    name = element.text("link")
    if name not in links:
        raise element.error(f"there is no link {name!r}; {did_you_mean(name, links)}")
    return name


def _refuse_taken_names(joint: Element, links: Mapping[str, Element], joints: Mapping[str, Element]) -> None:
    """A planar joint becomes three, with links between them: their names must be free."""
    for name in (f"{joint.text('name')}.{axis}" for axis in "xy"):
        taken = links.get(name) or joints.get(name)
        if taken:
            raise joint.error(
                f"its part along {name[-1]} is called {name!r}, as is {taken!r} in line {taken.line}"
            )


def _refuse_cycles(mover: Mapping[str, Element]) -> None:
    is_checked: set[str] = set()
    for link in mover:
        walked: dict[str, None] = {}  # an ordered set
        while link in mover and link not in is_checked and link not in walked:
            walked[link] = None
            link = mover[link].need("parent").text("link")
        if link in walked:
            names = list(walked)
            circle = [link, *reversed(names[names.index(link) :])]
            raise mover[link].error(f"the links form a circle: {listed(circle, between=' -> ')}")
        is_checked.update(walked)


def mimic_rules(joints: Mapping[str, Element]) -> dict[str, Element]:
    """The <mimic> of each joint that follows one which exists.

    Rules of fixed joints are not looked at. Raises FormatError for joints that cannot lead or follow, and for
    rules in a circle.
    """
    rules = {}
    for name, joint in joints.items():
        rule = _rule(joint)
        if rule is None or (leader := rule.text("joint")) not in joints:
            continue
        rules[name] = rule
        for part, verb in ((name, "follow"), (leader, "lead")):
            kind = joint_type(joints[part])
            if kind not in SCALAR_TYPES:
                can = "revolute, continuous and prismatic joints can"
                raise rule.error(f"{part!r} is of type {kind} and cannot {verb}; {can}")
    _refuse_circles(rules)
    return rules


def has_lost_leader(joint: Element, joints: Mapping[str, Element]) -> bool:
    """Whether a joint follows one which does not exist."""
    rule = _rule(joint)
    return rule is not None and rule.text("joint") not in joints


def lost_leader(joint: Element, joints: Mapping[str, Element]) -> str:
    """A remark on a joint that follows one which does not exist."""
    name, leader = joint.text("name"), joint.need("mimic").text("joint")
    hint = did_you_mean(leader, [other for other in joints if other != name])
    return (
        f"joint {name!r} (line {joint.line}) moves on its own, there is no joint {leader!r} to follow; {hint}"
    )


def _rule(joint: Element) -> Element | None:
    rule = joint.one("mimic")
    if rule is None or joint_type(joint) == "fixed":
        return None
    rule.only("joint", "multiplier", "offset")
    return rule


def _refuse_circles(rules: Mapping[str, Element]) -> None:
    is_checked: set[str] = set()
    for name in rules:
        walked: dict[str, None] = {}  # an ordered set
        while name in rules and name not in is_checked:
            if name in walked:
                raise rules[name].error(f"joints follow each other in a circle: {circle_of(walked, name)}")
            walked[name] = None
            name = rules[name].text("joint")
        is_checked.update(walked)
