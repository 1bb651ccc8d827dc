"""Applies joint limits that a user has widened in the page to the model of an arm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from limbik.app.open_scene import OpenedArm
from limbik.app.protocol.space import LimitOverrides
from limbik.errors import ModelError
from limbik.model import Joint, JointKind, Model

LIMITED = (JointKind.REVOLUTE, JointKind.PRISMATIC)


def with_wider_limits(arm: OpenedArm, widened: Sequence[LimitOverrides]) -> OpenedArm:
    """The arm with these limits. Raises ModelError for a joint that is not there, or has no such limits."""
    if not widened:
        return arm
    return replace(arm, arm=replace(arm.arm, model=_wider(arm.model, {one.joint: one for one in widened})))


def _wider(model: Model, widened: dict[str, LimitOverrides]) -> Model:
    for name in widened:
        joint = model.joint(name)
        if joint.kind not in LIMITED or joint.mimic is not None:
            raise ModelError(
                f"joint {name!r} has no limits to widen: revolute and prismatic joints have them, "
                "unless they follow another"
            )
    joints = [_joint(joint, widened) for joint in model.joints]
    frames = model.frames[len(joints) + 1 :]
    return Model(
        model.name,
        joints,
        frames,
        masses=model.masses,
        shapes=model.shapes,
        pair_rules=model.pair_rules,
        root=model.root,
        end_effector=model.end_effector,
    )


def _joint(joint: Joint, widened: dict[str, LimitOverrides]) -> Joint:
    wider = widened.get(joint.name)
    if wider is not None:
        return _widened(joint, wider.lower, wider.upper)
    leader = None if joint.mimic is None else widened.get(joint.mimic.joint)
    if leader is None or joint.mimic is None:
        return joint
    # What follows goes along, or it would hold back its leader.
    ends = [joint.mimic.value(end) for end in (leader.lower, leader.upper) if end is not None]
    return _widened(joint, min(ends, default=None), max(ends, default=None))


def _widened(joint: Joint, lower: float | None, upper: float | None) -> Joint:
    return replace(
        joint,
        lower=joint.lower if lower is None else min(joint.lower, lower),
        upper=joint.upper if upper is None else max(joint.upper, upper),
    )
