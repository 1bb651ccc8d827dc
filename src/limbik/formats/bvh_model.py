"""A BVH hierarchy as a model: every channel is a joint, so that q holds the values of the file and nothing is
lost in Euler angles.

The joint of channel Zrotation of "Hips" is called "Hips.Zrotation"; the last link of "Hips" is called "Hips",
and its end site is the frame "Hips.end". Position channels stand instead of the offset along their axes, as
in the reader of LAFAN1. They come first, then the rotations in the file's order, the first one outermost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from limbik.errors import FormatError, ModelError
from limbik.formats.bvh import CHANNELS, BvhJoint
from limbik.model import Frame, Joint, JointKind, Model
from limbik.spatial import Array, pose_from

WORLD = "world"  # the root link


def model_of(joints: Sequence[BvhJoint], metres: float, name: str) -> Model:
    """The model of a hierarchy; metres: one unit of the file [m]; name: of the file, for errors."""
    try:
        moving = [each for index in range(len(joints)) for each in _joints(joints, index, metres)]
        return Model("bvh", moving, list(_frames(joints, metres)), root=WORLD)
    except ModelError as error:
        raise FormatError(name, f"its joints make no model: {error}") from None


def q_of(model: Model, joints: Sequence[BvhJoint], values: Array, metres: float) -> Array:
    """q [T, nq] of channel values [T, nq]."""
    q = np.empty((len(values), model.nq))
    q[:, _indices(model, joints)] = values * _units(joints, metres)
    return q


def values_of(model: Model, joints: Sequence[BvhJoint], q: Array, metres: float) -> Array:
    """Channel values [T, nq] of q [T, nq]."""
    return np.asarray(q[:, _indices(model, joints)] / _units(joints, metres))


def is_between_channels(link: str) -> bool:
    """Whether a link stands between two channels of one joint, by its name."""
    return link.rpartition(".")[2] in CHANNELS


def _joints(joints: Sequence[BvhJoint], index: int, metres: float) -> Iterator[Joint]:
    joint = joints[index]
    if joint.is_end:
        return
    parent = joints[joint.parent].name if joint.parent >= 0 else WORLD
    channels = sorted(joint.channels, key=_is_rotation)  # the sort keeps the order within each
    offset = [
        0.0 if CHANNELS[axis] in channels else metres * length for axis, length in enumerate(joint.offset)
    ]
    origin = pose_from(translation=offset)
    if not channels:
        yield Joint(name=joint.name, kind=JointKind.FIXED, parent=parent, child=joint.name, origin=origin)
    for k, channel in enumerate(channels):
        is_last = k == len(channels) - 1
        yield Joint(
            name=f"{joint.name}.{channel}",
            kind=JointKind.CONTINUOUS if _is_rotation(channel) else JointKind.PRISMATIC,
            parent=parent if k == 0 else f"{joint.name}.{channels[k - 1]}",
            child=joint.name if is_last else f"{joint.name}.{channel}",
            origin=origin if k == 0 else np.eye(4),
            axis=np.eye(3)["XYZ".index(channel[0])],
        )


def _frames(joints: Sequence[BvhJoint], metres: float) -> Iterator[Frame]:
    count: dict[int, int] = {}
    for joint in joints:
        if joint.is_end:
            count[joint.parent] = count.get(joint.parent, 0) + 1
            number = "" if count[joint.parent] == 1 else str(count[joint.parent])
            link = joints[joint.parent].name
            pose = pose_from(translation=[metres * length for length in joint.offset])
            yield Frame(name=f"{link}.end{number}", link=link, pose_link_frame=pose)


def _indices(model: Model, joints: Sequence[BvhJoint]) -> NDArray[np.intp]:
    """Where the value of each channel stands in q."""
    names = [f"{joint.name}.{channel}" for joint in joints for channel in joint.channels]
    return np.array([model.q_slice(name).start for name in names], dtype=np.intp)


def _units(joints: Sequence[BvhJoint], metres: float) -> Array:
    """[m or rad] one unit of each channel."""
    channels = [channel for joint in joints for channel in joint.channels]
    return np.array([np.pi / 180.0 if _is_rotation(channel) else metres for channel in channels])


def _is_rotation(channel: str) -> bool:
    return channel.endswith("rotation")
