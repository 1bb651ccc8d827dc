"""Robots side by side: each stands beside the one before, along y, as far as both need."""

from __future__ import annotations

from collections.abc import Sequence

from limbik.model import Joint, JointKind, Model
from limbik.spatial import pose_from

ROOM = 0.3  # [m] to either side of where the links are at first


def side_by_side(models: Sequence[Model]) -> list[Model]:
    """The models, all but the first moved along y so that at first none stands in another."""
    placed: list[Model] = []
    edge = 0.0  # [m] of the room that is taken
    for model in models:
        y = model.forward(model.neutral)[:, 1, 3]
        low, high = float(y.min()) - ROOM, float(y.max()) + ROOM
        offset = edge - low if placed else 0.0
        placed.append(_moved(model, offset) if offset else model)
        edge = offset + high
    return placed


def _moved(model: Model, y: float) -> Model:
    """The model on a link of its own that stands at that y [m]."""
    links = {frame.name for frame in model.frames}
    ground = _free("ground", links)
    stand = Joint(
        name=_free("stand", set(model.joint_names)),
        kind=JointKind.FIXED,
        parent=ground,
        child=model.root,
        origin=pose_from(translation=(0.0, y, 0.0)),
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
