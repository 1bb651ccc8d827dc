"""Poses of the <origin> elements of a URDF."""

from __future__ import annotations

import numpy as np

from limbik.errors import shortened
from limbik.formats.elements import Element
from limbik.model.joints import FARTHEST
from limbik.spatial import Matrix3, Matrix4, pose_from, quat_normalise, quat_to_matrix, rotation_rpy


def origin_of(element: Element) -> Matrix4:
    """The pose that the <origin> of an element gives."""
    origin = element.one("origin")
    if origin is None:
        return np.eye(4)
    origin.only("xyz", "rpy", "quat_xyzw")
    xyz = origin.numbers("xyz", 3)
    if xyz and max(map(abs, xyz)) > FARTHEST:
        raise origin.error(f"`xyz` needs metres, at most {FARTHEST:.0e}, found {shortened(xyz)}")
    return pose_from(_rotation(origin), xyz)


def _rotation(origin: Element) -> Matrix3:
    """rpy [rad] are rotations about the fixed axes x, y and z, in this order; quat_xyzw came with URDF
    1.2.
    """
    rpy, quat_xyzw = origin.numbers("rpy", 3), origin.numbers("quat_xyzw", 4)
    if quat_xyzw is None:
        return rotation_rpy(*(rpy or (0.0, 0.0, 0.0)))
    if rpy is not None:
        raise origin.error("`rpy` and `quat_xyzw` both give the rotation; leave out one of them")
    if not any(quat_xyzw):
        raise origin.error("`quat_xyzw` needs a quaternion of length 1, found 0 0 0 0")
    return quat_to_matrix(quat_normalise(np.array(quat_xyzw)))
