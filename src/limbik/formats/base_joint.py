"""How a robot stands in the world: fixed, floating, or driving in a plane."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from limbik.errors import ModelError, is_one_of, shortened
from limbik.model import Joint, JointKind, Model
from limbik.spatial import Matrix4, rotation_between

Base = Literal["fixed", "floating", "planar"]
BASE_JOINT = "root_joint"  # Pinocchio's name for it
WORLD = "world"


def based(model: Model, base: Base = "fixed", end_effector: str | None = None) -> Model:
    """The model on that base, with that end effector (default: the one it has).

    "fixed" leaves it as it is. "floating" lets a joint "root_joint" move it freely from a link "world"; a
    model whose root already carries a floating joint, and nothing else, stays as it is. "planar" lets it
    slide along x and y ("root_joint.x", "root_joint.y") and turn about z ("root_joint").

    Raises ModelError for another base, a frame that does not exist, and a robot with a link "world" of its
    own.
    """
    if not is_one_of(base, get_args(Base)):
        raise ModelError(f"base needs 'fixed', 'floating' or 'planar', found {shortened(base)}")
    joints = [] if base == "fixed" or (base == "floating" and _is_floating(model)) else _joints(model, base)
    if not joints and end_effector is None:
        return model
    return Model(
        model.name,
        [*joints, *model.joints],
        model.frames[len(model.joints) + 1 :],
        masses=model.masses,
        shapes=model.shapes,
        pair_rules=model.pair_rules,
        root=WORLD if joints else model.root,
        end_effector=model.end_effector if end_effector is None else end_effector,
    )


def planar_joints(
    name: str, parent: str, child: str, origin: Matrix4, normal: ArrayLike = (0.0, 0.0, 1.0)
) -> list[Joint]:
    """Motion in the plane at right angles to `normal` [3]: sliders NAME.x and NAME.y, then a revolute joint
    NAME.

    The sliders are along x and y of the joint's frame, turned the shortest arc that brings z to the normal.
    """
    x, y, z = rotation_between(np.array([0.0, 0.0, 1.0]), np.array(normal)).T
    along_x, along_y = f"{name}.x", f"{name}.y"
    return [
        Joint(name=along_x, kind=JointKind.PRISMATIC, parent=parent, child=along_x, origin=origin, axis=x),
        Joint(name=along_y, kind=JointKind.PRISMATIC, parent=along_x, child=along_y, axis=y),
        Joint(name=name, kind=JointKind.CONTINUOUS, parent=along_y, child=child, axis=z),
    ]


def _joints(model: Model, base: Base) -> list[Joint]:
    if WORLD in (frame.name for frame in model.frames):
        raise ModelError(
            f"model {model.name!r} has a link {WORLD!r} of its own, so it cannot get a {base} base; "
            "rename that link, or give it a joint of the type that is wanted"
        )
    if base == "planar":
        return planar_joints(BASE_JOINT, WORLD, model.root, np.eye(4))
    return [Joint(name=BASE_JOINT, kind=JointKind.FLOATING, parent=WORLD, child=model.root)]


def _is_floating(model: Model) -> bool:
    at_root = [joint for joint in model.joints if joint.parent == model.root]
    return len(at_root) == 1 and at_root[0].kind is JointKind.FLOATING
