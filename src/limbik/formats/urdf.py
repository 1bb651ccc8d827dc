"""Reads URDF, the robot description of ROS, into a model: links, joints, limits, mimic rules, masses, shapes.

The format: https://wiki.ros.org/urdf/XML. It is written by `urdf_write`. Meshes are not opened.
Colours, transmissions, sensors, <safety_controller> (soft limits, for controllers) and simulators' extensions
are not looked at. Where files leave something out:

no <origin>     Nothing is between the links, as the specification says.
no <axis>       The axis is x, as the specification says. A planar joint without one moves in x and y, as
                it does in MoveIt, Drake and Pinocchio.
no <limit>, or one with neither lower nor upper
                The joint is unlimited, and a FormatWarning says so. (The specification calls the first an
                error and the second a joint that cannot move. Few who write that mean it.)
<limit> with one of lower and upper
                The other is 0, as the specification says.
<limit> with a number of 1e9 or more
                There is no limit on that side: ROS needs a number for one.
<limit> without velocity or acceleration, or with 0
                Nothing is known of it: many programs write 0 where nobody filled in the form. (Accelerations
                came with URDF 1.2.)

Where they say what cannot be meant:

lower = upper = 0
                The joint cannot move, and a FormatWarning says so: some programs write it where nobody filled
                in the form.
limits of a follower that contradict its mimic rule
                They are not looked at if they would leave its leader no range to move, and a FormatWarning
                says so. ROS never looks at them.
mimic rule on a joint that does not exist
                The joint moves on its own, and a FormatWarning says so, as ROS lets it.
shapes that collide, of which a number is wrong or the mesh is missing
                A FormatWarning says so. The former are left out; the latter are requested when a collision is
                looked for, which raises CollisionError.
limits of a continuous, planar or floating joint, mimic rule of a fixed one
                They are not looked at: there is nothing that they could mean.

Whatever else contradicts the specification is a FormatError with line and element. A planar joint becomes two
sliders "NAME.x", "NAME.y" and a revolute joint "NAME" about the normal of the plane.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TypeAlias

import numpy as np

from limbik.errors import FormatError, FormatWarning, ModelError
from limbik.formats.base_joint import planar_joints
from limbik.formats.elements import Element, parse
from limbik.formats.end_effector import default_end_effector
from limbik.formats.follower_limits import without_contradicting_limits
from limbik.formats.source import Source, SourceLike, open_source
from limbik.formats.urdf_checks import (
    SCALAR_TYPES,
    check_tree,
    has_lost_leader,
    joint_type,
    lost_leader,
    mimic_rules,
)
from limbik.formats.urdf_collisions import collisions
from limbik.formats.urdf_origin import origin_of
from limbik.model import Joint, JointKind, Mass, Mimic, Model
from limbik.model.joints import FARTHEST
from limbik.spatial import Vector3

Limits: TypeAlias = tuple[float, float]  # lower, upper [rad or m]

MAX_REMARKS = 10  # of one kind

_UNLIMITED: Limits = (-math.inf, math.inf)
_WITH_LIMITS = ("revolute", "prismatic")


def read(source: SourceLike, *, end_effector: str | None = None) -> Model:
    """The model that a URDF file or text describes.

    end_effector: name of the link that goals mean when they name none; default: the tool of the longest arm,
    see `limbik.formats.end_effector`.

    Joints, and so the parts of q, stand in the order of the file, parents before children. Raises
    FormatError; warns with FormatWarning, see above.
    """
    opened = open_source(source)
    return from_element(parse(opened), opened, end_effector=end_effector)


def from_element(robot: Element, source: Source, *, end_effector: str | None = None) -> Model:
    """The model that a <robot> element of a source describes; see `read`."""
    _refuse_others(robot)
    robot.refuse_misspelt(("link", "joint"))
    links, elements = robot.by_name("link"), robot.by_name("joint")
    root = check_tree(robot, links, elements)
    rules = mimic_rules(elements)
    joints = [joint for element in elements.values() for joint in _joints(element, rules)]
    try:
        joints, contradictions = without_contradicting_limits(joints)
    except ModelError as error:
        raise FormatError(robot.source, str(error)) from None
    shapes, unusable = collisions(robot, source)
    _warn(robot, [*_remarks(elements, rules), *contradictions, *unusable[:MAX_REMARKS]])
    masses = [mass for link in links.values() if (mass := _mass(link))]
    name = robot.attributes.get("name", "").strip() or PurePath(robot.source).stem
    end_effector = end_effector or default_end_effector(joints, root)
    try:
        return Model(name, joints, masses=masses, shapes=shapes, root=root, end_effector=end_effector)
    except ModelError as error:
        raise FormatError(robot.source, str(error)) from None


def is_xacro(robot: Element) -> bool:
    """Whether a <robot> is a program for xacro that was not run: it has xacro's elements, or its links or
    joints have xacro's expressions.
    """
    if any(element.tag.startswith("xacro:") for element in robot.walk()):
        return True
    inside = (part for member in robot.all("link", "joint") for part in member.walk())
    return any("${" in value or "$(" in value for part in inside for value in part.attributes.values())


def _refuse_others(robot: Element) -> None:
    if robot.tag != "robot":
        raise robot.error(f"a URDF begins with <robot>, found <{robot.tag}>")
    if is_xacro(robot):
        raise robot.error("this is xacro, not URDF; limbik.load processes it, and limbik.formats.xacro.read")
    if not robot.all("link", "joint") and robot.all("group", "disable_collisions"):
        raise robot.error("this is SRDF, which has no joints; limbik.formats.srdf.read reads it")
    for inner in robot.all("robot"):
        raise inner.error("a <robot> within a <robot>: links and joints stand in one")


# --- joints -------------------------------------------------------------------------------------------------


def _joints(joint: Element, rules: Mapping[str, Element]) -> list[Joint]:
    """The joint; for a planar one the three that it is made of."""
    name, kind = joint.text("name"), joint_type(joint)
    parent, child = (joint.need(tag).text("link") for tag in ("parent", "child"))
    if kind == "planar":
        normal = _axis(joint, default=(0.0, 0.0, 1.0))
        return planar_joints(name, parent, child, origin_of(joint), normal)
    lower, upper = _limits(joint) if kind in _WITH_LIMITS else _UNLIMITED
    return [
        Joint(
            name=name,
            kind=JointKind(kind),
            parent=parent,
            child=child,
            origin=origin_of(joint),
            axis=_axis(joint, default=(1.0, 0.0, 0.0)) if kind in SCALAR_TYPES else np.array([0.0, 0.0, 1.0]),
            lower=lower,
            upper=upper,
            mimic=_mimic(rules[name]) if name in rules else None,
            velocity=_rate(joint, "velocity") if kind in SCALAR_TYPES else math.inf,
            acceleration=_rate(joint, "acceleration") if kind in SCALAR_TYPES else math.inf,
        )
    ]


def _axis(joint: Element, default: Sequence[float]) -> Vector3:
    axis = joint.one("axis")
    if axis is None:
        return np.array(default)
    axis.only("xyz", "rpy")  # some write an rpy, as for an origin; it means nothing
    axis.text("xyz")
    direction = axis.numbers("xyz", 3) or []
    if not any(direction):
        raise axis.error("`xyz` needs a direction, found 0 0 0")
    return np.array(direction)


def _limits(joint: Element) -> Limits:
    limit = _said_limits(joint)
    if limit is None:
        return _UNLIMITED
    lower, upper = (limit.number(name, 0.0, finite=False) for name in ("lower", "upper"))
    if lower > upper:
        raise limit.error(
            f"the limits are the wrong way round, lower {lower:g} > upper {upper:g}; "
            "a hinge without limits is of type continuous"
        )
    if lower >= FARTHEST or upper <= -FARTHEST:
        raise limit.error(f"no value up to {FARTHEST:g} lies between the limits {lower:g} and {upper:g}")
    return (lower if lower > -FARTHEST else -math.inf), (upper if upper < FARTHEST else math.inf)


def _said_limits(joint: Element) -> Element | None:
    """<limit>, if there is one that says lower or upper."""
    limit = joint.one("limit")
    if limit is None:
        return None
    limit.refuse_misspelt_attributes("lower", "upper")
    return limit if "lower" in limit.attributes or "upper" in limit.attributes else None


def _rate(joint: Element, attribute: str) -> float:
    """[rad/s or m/s, or that per second]; infinite where it is not known."""
    limit = joint.one("limit")
    rate = 0.0 if limit is None else limit.number(attribute, 0.0, finite=False)
    if limit is not None and rate < 0.0:
        raise limit.error(f"`{attribute}` needs a number that is not negative, found {rate:g}")
    return rate or math.inf


def _mimic(rule: Element) -> Mimic:
    multiplier, offset = rule.number("multiplier", 1.0), rule.number("offset", 0.0)
    if multiplier == 0.0:
        raise rule.error("`multiplier` needs a number other than 0; a joint that stays is of type fixed")
    return Mimic(joint=rule.text("joint"), multiplier=multiplier, offset=offset)


# --- masses -------------------------------------------------------------------------------------------------


def _mass(link: Element) -> Mass | None:
    link.refuse_misspelt(("inertial", "visual", "collision"))
    inertial = link.one("inertial")
    if inertial is None:
        return None
    inertial.refuse_misspelt(("origin", "mass", "inertia"))
    element = inertial.need("mass")
    element.only("value")
    mass = element.number("value")
    if mass < 0.0:
        raise element.error(f"`value` needs a number that is not negative [kg], found {mass:g}")
    return Mass(link=link.text("name"), mass=mass, center=origin_of(inertial)[:3, 3])


# --- what is not as one may think ---------------------------------------------------------------------------


def _remarks(joints: Mapping[str, Element], rules: Mapping[str, Element]) -> list[str]:
    limited = [joint for joint in joints.values() if joint_type(joint) in _WITH_LIMITS]
    unsaid = [joint for joint in limited if _said_limits(joint) is None and joint.text("name") not in rules]
    stuck = [joint for joint in limited if _limits(joint) == (0.0, 0.0)]
    lost = [joint for joint in joints.values() if has_lost_leader(joint, joints)]
    remarks = [lost_leader(joint, joints) for joint in lost[:MAX_REMARKS]]
    if len(lost) > MAX_REMARKS:
        remarks.append(f"{len(lost) - MAX_REMARKS:,} more joints follow joints that there are not")
    if unsaid:
        remarks.append(f"no lower and no upper limit, so taken as unlimited: {_list(unsaid)}")
    if stuck:
        remarks.append(f"lower and upper limit are both 0, so these joints cannot move: {_list(stuck)}")
    return remarks


def _list(joints: Sequence[Element]) -> str:
    named = [f"{joint.text('name')!r} (line {joint.line})" for joint in joints[:10]]
    return ", ".join(named) + (f" and {len(joints) - 10} more" if len(joints) > 10 else "")


def _warn(robot: Element, remarks: Sequence[str]) -> None:
    for remark in remarks:
        warnings.warn(f"{robot.source}: {remark}", FormatWarning, stacklevel=4)
