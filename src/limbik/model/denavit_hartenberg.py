"""Chains from tables of Denavit-Hartenberg rows.

With z the joint's axis and Rot, Trans about and along an axis, a row of convention "standard" (Denavit &
Hartenberg 1955) is Rot(z, theta) Trans(z, d) Trans(x, a) Rot(x, alpha), one of convention "modified" (Craig
1986) is Rot(x, alpha) Trans(x, a) Rot(z, theta) Trans(z, d). The same numbers mean different robots.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from limbik.errors import ModelError
from limbik.model.joints import Frame, Joint, JointKind
from limbik.model.model import Model
from limbik.spatial import Matrix4

Convention: TypeAlias = Literal["standard", "modified"]
CONVENTIONS: tuple[Convention, ...] = ("standard", "modified")

_QUARTER = math.pi / 2.0
_COS_SIN = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))  # of 0, 1, 2, 3 times pi/2


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row. A joint's q adds to theta (revolute joint) or to d (slide), which here are those at q = 0."""

    name: str | None  # of the joint; of the frame at the row's end where the row is fixed, None for no frame
    kind: JointKind  # REVOLUTE, CONTINUOUS, PRISMATIC; FIXED for a row without a joint
    theta: float = 0.0  # [rad]
    d: float = 0.0  # [m]
    a: float = 0.0  # [m]
    alpha: float = 0.0  # [rad]
    lower: float = -math.inf  # [rad or m]
    upper: float = math.inf

    def around_joint(self, convention: Convention) -> tuple[Matrix4, Matrix4]:
        """What the row puts before and after its joint's own motion, which commutes with all that is about
        and along z.
        """
        along_x, along_z = _screw_x(self.a, self.alpha), _screw_z(self.d, self.theta)
        return (along_z, along_x) if convention == "standard" else (along_x @ along_z, np.eye(4))


def chain_of_rows(
    name: str, rows: Iterable[Row], convention: Convention, *, end_effector: str | None = None
) -> Model:
    """The model of a table: links "base", "link1", "link2", ...

    end_effector: default the last frame that a fixed row names.

    Raises ModelError for a convention that is neither of the two, and for names used twice.
    """
    if convention not in CONVENTIONS:
        raise ModelError(f"convention needs 'standard' or 'modified', found {convention!r}")
    joints: list[Joint] = []
    frames: list[Frame] = []
    link, pending = "base", np.eye(4)  # from the link's frame to where the next row starts
    for row in rows:
        before, after = row.around_joint(convention)
        if row.kind is JointKind.FIXED:
            pending = pending @ before @ after
            if row.name is not None:
                frames.append(Frame(name=row.name, link=link, pose_link_frame=pending))
            continue
        joints.append(
            Joint(
                name=str(row.name),
                kind=row.kind,
                parent=link,
                child=f"link{len(joints) + 1}",
                origin=pending @ before,
                lower=row.lower,
                upper=row.upper,
            )
        )
        link, pending = joints[-1].child, after
    if end_effector is None and frames:
        end_effector = frames[-1].name
    return Model(name, joints, frames, root="base", end_effector=end_effector)


def _screw_x(length: float, angle: float) -> Matrix4:
    c, s = _cos_sin(angle)
    return np.array([[1.0, 0.0, 0.0, length], [0.0, c, -s, 0.0], [0.0, s, c, 0.0], [0.0, 0.0, 0.0, 1.0]])


def _screw_z(length: float, angle: float) -> Matrix4:
    c, s = _cos_sin(angle)
    return np.array([[c, -s, 0.0, 0.0], [s, c, 0.0, 0.0], [0.0, 0.0, 1.0, length], [0.0, 0.0, 0.0, 1.0]])


def _cos_sin(angle: float) -> tuple[float, float]:
    """Exact for multiples of pi/2."""
    quarters = round(angle / _QUARTER)
    if abs(angle - quarters * _QUARTER) <= 1e-15 * max(1, abs(quarters)):
        return _COS_SIN[quarters % 4]
    return math.cos(angle), math.sin(angle)
