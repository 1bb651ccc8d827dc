"""`Task`: the rows of one kind (point, turn, axis and so on) that solvers bring to 0 for a goal; and
`Mechanism`: what goals ask of a model.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from limbik.spatial import Array, Matrix3

# Kinds of task.
POINT = 0  # a point of one frame in the axes of another: 3 rows along `axes`
TURN = 1  # the rotation of one frame in another: 3 rows about `axes`
AXIS = 2  # the direction of an axis of one frame in another, with any spin about it: 2 rows
AIM = 3  # an axis through the frame's origin that is to hit a point: 2 rows
NUMBER = 4  # the value of a revolute or prismatic joint: 1 row
MASS = 5  # the centre of mass: 3 rows along the world's axes
DISTANCE = 6  # between the origins of two frames: 1 row

LENGTHS = (POINT, MASS, DISTANCE)  # whose errors are lengths; a NUMBER's is one for a prismatic joint

# Axes that rows, weights and tolerances belong to.
OF_REFERENCE = 0
OF_TARGET = 1
OF_FRAME = 2

IDENTITY = np.eye(3)

# The numbers of a task, in the axes of the reference frame: a point [m], a direction or a value [1], and a
# rotation.
Target: TypeAlias = tuple[Array, Matrix3]


class Coordinate(NamedTuple):
    """A number of q that changes by itself, or a quaternion in q, and what it is of."""

    joint: str  # its name
    number: int  # which of the joint's velocities is the first
    q: int  # index in q
    v: int  # index in the velocity
    is_rotation: bool  # four numbers of q and three of the velocity
    is_length: bool  # [m], not [rad]
    is_periodic: bool  # revolutions do not count


class Mechanism(Protocol):
    """What goals need to know of a model."""

    @property
    def name(self) -> str:
        """For messages."""

    @property
    def nq(self) -> int:
        """Numbers of q."""

    @property
    def nv(self) -> int:
        """Numbers of a velocity."""

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """Of all joints."""


class Task(NamedTuple):
    """What one kernel row, or a few of them, bring to 0."""

    kind: int
    axes: int = OF_REFERENCE
    weights: tuple[float, ...] = (1.0, 0.0, 0.0)  # [3] of the rows; 0: no such row
    tolerance: tuple[float, ...] = (0.0,) * 3  # [m or rad] inside which a row has no error
    axis: Array | None = None  # AXIS and AIM: in the frame
    joint: str | None = None  # NUMBER: its name
    coordinate: Coordinate | None = None  # NUMBER and TURN of a joint


def axis_task(kind: int, axis: Array, weight: float, cone: float) -> Task:
    """A task of an axis of the frame, with a tolerance of half the angle of a cone [rad]."""
    return Task(kind, OF_REFERENCE, (weight, 0.0, 0.0), (cone, 0.0, 0.0), axis)
