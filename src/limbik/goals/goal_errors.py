"""What goals compute errors and Jacobian rows from: `PosedModel`, the kinematics that they ask for, and
errors along and about axes beyond a tolerance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from limbik.goals.task import Mechanism
from limbik.spatial import Array, Matrix3, Matrix4, Vector3, norm, rotation_between, rotation_log

UP = np.array([0.0, 0.0, 1.0])


class ErrorPart(NamedTuple):
    """Some errors of one unit, and the rows of the Jacobian that change them."""

    is_position: bool
    error: Array  # [k, m or rad], beyond the tolerance
    rows: Array  # [k, nv]


class FrameMotion(NamedTuple):
    """Where a frame is, and how it moves, in some axes."""

    pose: Matrix4
    linear: Array  # [3, nv]
    angular: Array  # [3, nv]


class JointMotion(NamedTuple):
    """The value of a revolute or prismatic joint, and how it moves."""

    value: float  # [rad or m]
    rate: Array  # [1, nv]
    is_length: bool
    is_periodic: bool  # revolutions do not count


class PosedModel(Protocol):
    """A model in a configuration, with the tool that the goal asks for."""

    @property
    def model(self) -> Mechanism:
        """What moves."""

    @property
    def q(self) -> Array:
        """[nq]"""

    def motion(self, frame: str | None) -> FrameMotion:
        """Of the goal's frame, the tool in it included."""

    def motion_of(self, frame: str) -> FrameMotion:
        """Of any other frame."""

    def center_of_mass(self) -> tuple[Vector3, Array]:
        """Where it is [m], and its Jacobian [3, nv]."""

    def joint(self, name: str) -> JointMotion:
        """A revolute or prismatic joint, which may follow another."""


def along(
    axes: Array, left: Array, linear: Array, weights: Sequence[float], tolerance: Sequence[float]
) -> ErrorPart:
    """What is left [k, m] along the columns of `axes` [3, k] that count."""
    counts = np.array(weights) > 0.0
    return ErrorPart(True, beyond(left, tolerance)[counts], (axes.T @ linear)[counts])


def about(
    axes: Matrix3, left: Vector3, angular: Array, weights: Sequence[float], tolerance: Sequence[float]
) -> ErrorPart:
    """What is left [rad] about the columns of `axes` that count."""
    counts = np.array(weights) > 0.0
    return ErrorPart(False, beyond(left, tolerance)[counts], (axes.T @ angular)[counts])


def of_axis(frame: FrameMotion, axis: Vector3, wanted: Vector3, tolerance: float) -> ErrorPart:
    """The smallest turn that brings an axis of the frame to a direction, about two axes across that."""
    across = rotation_between(UP, wanted)[:, :2]
    turn = rotation_log(rotation_between(frame.pose[:3, :3] @ axis, wanted))
    angle = float(norm(turn))
    left = max(angle - tolerance, 0.0) / angle if angle > 0.0 else 0.0
    return ErrorPart(False, left * (turn @ across), across.T @ frame.angular)


def beyond(left: Array, tolerance: Sequence[float]) -> Array:
    """How far values are outside [-tolerance, tolerance]."""
    return np.asarray(left - np.clip(left, -np.array(tolerance), np.array(tolerance)))
