"""What the classic arm format holds: arms and branches of segments, with goals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Angles: TypeAlias = Literal["range", "initial"]  # what theta and phi are; see `limbik.formats.arm`
Point: TypeAlias = tuple[float, float, float]  # [m]

ORIGIN: Point = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class ArmSegment:
    """A straight piece, and two angles of the ball joint at its lower end; `Angles` says what they are."""

    length: float  # [m]
    theta: float  # [rad]
    phi: float  # [rad]


@dataclass(frozen=True)
class ArmPart:
    """A chain of segments: an arm, or a branch of one."""

    segments: tuple[ArmSegment, ...]
    goal: Point | None = None
    parent: int = -1  # of a branch: index among the arm's parts of the one that it starts on
    segment: int = -1  # of a branch: the parent's segment at whose end it starts


@dataclass(frozen=True)
class ArmDescription:
    """An arm and its branches, these in the order of the file."""

    base: Point = ORIGIN
    parts: tuple[ArmPart, ...] = ()
