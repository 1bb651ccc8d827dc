"""Positions a model at a pose in the world, by a fixed joint from a new root link."""

from __future__ import annotations

from limbik.model import Joint, JointKind, Model
from limbik.spatial import Matrix4


def stood(model: Model, pose: Matrix4) -> Model:
    """The model with its root at a pose."""
    links = {frame.name for frame in model.frames}
    ground = _free("ground", links)
    stand = Joint(
        name=_free("stand", set(model.joint_names)),
        kind=JointKind.FIXED,
        parent=ground,
        child=model.root,
        origin=pose,
    )
    return Model(
        model.name,
        [stand, *model.joints],
        model.frames[len(model.joints) + 1 :],
        masses=model.masses,
        shapes=model.shapes,
        pair_rules=model.pair_rules,
        root=ground,
        end_effector=model.end_effector,
    )


def _free(name: str, taken: set[str]) -> str:
    """The name, with underscores behind it while it is taken."""
    while name in taken:
        name += "_"
    return name
