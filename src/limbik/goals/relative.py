"""`Relative`: a frame at a pose in the axes of another one."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from limbik.goals.base import Numbers as Numbers  # of the fields of `Pose`: their types are looked for here
from limbik.goals.base import Weights as Weights
from limbik.goals.base import check_name
from limbik.goals.goal_errors import FrameMotion, PosedModel
from limbik.goals.pose import Pose
from limbik.spatial import cross


@dataclass(frozen=True, kw_only=True, eq=False)
class Relative(Pose):
    """Bring a frame to a pose in the axes of another frame, wherever the two are together.

    Weights and tolerance as in `Pose`. With no tolerance, this closes a loop of joints.
    """

    reference: str  # the other frame; the target is pose_reference_frame

    def __post_init__(self) -> None:
        super().__post_init__()
        check_name(self.reference, f"the reference of {self._kind}")

    @property
    def frames(self) -> tuple[str | None, ...]:
        return self.frame, self.reference

    @property
    def reference_frame(self) -> str:
        return self.reference

    def _structure(self) -> tuple[Hashable, ...]:
        return *super()._structure(), self.reference

    def _motion(self, body: PosedModel) -> FrameMotion:
        return seen_from(body.motion_of(self.reference), body.motion(self.frame))

    def described(self, frame: str) -> str:
        return f"{super().described(frame)} as seen from {self.reference!r}"


def seen_from(other: FrameMotion, frame: FrameMotion) -> FrameMotion:
    """The motion of a frame in the axes of another one."""
    back = other.pose[:3, :3].T
    away = frame.pose[:3, 3] - other.pose[:3, 3]
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = back @ frame.pose[:3, :3], back @ away
    linear = frame.linear - other.linear - cross(other.angular.T, away).T
    return FrameMotion(pose, back @ linear, back @ (frame.angular - other.angular))
