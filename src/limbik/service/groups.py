"""Joint groups of a robot's SRDF, for requests that name one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import NamedTuple

from limbik import Model
from limbik.errors import ModelError
from limbik.formats.srdf import Srdf


class JointGroup(NamedTuple):
    """Joints that may move together, and the frame at their end."""

    name: str
    joints: tuple[str, ...]
    tip: str | None  # None: they branch, and no frame is at the end of all


def group_of(model: Model, srdf: Srdf | None, name: str) -> JointGroup:
    """The group of a name; without an SRDF the whole robot has none.

    The tip is that of the group's chain, or the link of its last joint.

    Raises ModelError for a name that no group has, and for a group without joints.
    """
    if srdf is None:
        if name:
            raise ModelError(f"{model.name!r} has no groups: an SRDF names some; without one leave it out")
        return JointGroup(name, tuple(joint.name for joint in model.joints if joint.nq), model.end_effector)
    joints = srdf.joints(name, model)
    if not joints:
        raise ModelError(f"group {name!r} has no joint that moves")
    chains = srdf.groups[name].chains
    if len(chains) == 1:
        return JointGroup(name, joints, chains[0].tip_link)
    return JointGroup(name, joints, _last_link(model, joints))


def groups_of(model: Model, srdf: Srdf) -> dict[str, list[str]]:
    """The joints of all groups by name; of links that the model does not have there is no group."""
    groups = {}
    for name in srdf.groups:
        with contextlib.suppress(ModelError):
            groups[name] = list(srdf.joints(name, model))
    return groups


def locked_for(model: Model, group: JointGroup, frames: Iterable[str]) -> list[str]:
    """The joints on the path to frames that are not of the group: they stay at the start."""
    on_path = {joint.name: None for frame in frames for joint in model.path(frame) if joint.nq}
    return [name for name in on_path if name not in group.joints]


def _last_link(model: Model, joints: tuple[str, ...]) -> str | None:
    """The link of the joint that all others are on the path to; None where there is none such."""
    for name in reversed(joints):
        link = model.joint(name).child
        if set(joints) <= {joint.name for joint in model.path(link)}:
            return link
    return None
