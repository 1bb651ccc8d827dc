"""Closed form of seven-joint arms with spherical shoulder and wrist, by the swivel angle of the elbow.

With shoulder and wrist held the elbow can swivel on a circle about the line between them; for
each swivel angle there are two bends of the elbow, two rotations of the shoulder and two of the wrist.
Where a joint stands at a limit, the swivel angle solves a cos + b sin = c, so that the legal intervals are
known exactly.

Source: M. Shimizu, H. Kakuya, W.-K. Yoon, K. Kitagaki, K. Kosuge, "Analytical Inverse Kinematic Computation
for 7-DOF Redundant Manipulators With Joint Limits and Its Application to Redundancy Resolution", IEEE Trans.
Robotics 24(5), 2008; here with the subproblems of `analytic.subproblems`, for any directions of the axes.

Everything is on scalars (`compiler.symbols`): floats, or arrays of one number for each problem.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from limbik.analytic.axes import Axes
from limbik.analytic.families import difference, times, total
from limbik.analytic.geometry import EXACT, length, meeting_of_three
from limbik.analytic.subproblems import Turn, onto, rotate, rotate_back, to_distance, to_plane
from limbik.compiler.symbols import Scalar, Scalars, cross, dot, select, sqrt
from limbik.spatial import Array, Matrix4, perpendicular

SQUARE = 1e-9  # cosine of two axes that are at right angles
LOST = 1e-20  # squared length, of the arm's size, under which a direction is rounding


class SwivelArm(NamedTuple):
    """The axes of an arm of this kind."""

    h: list[list[float]]  # [7]
    upper: list[float]  # from the shoulder to the elbow at zero [m]
    fore: list[float]  # from the elbow to the wrist at zero [m]
    shoulder: list[float]  # [m] in the world
    hand: list[float]  # from the wrist to the tool at zero [m]
    home: list[list[float]]  # [3] rows of the tool's rotation at zero
    across: dict[int, list[float]]  # a vector across axes 2 and 6 of seven, by index


class SwivelPose(NamedTuple):
    """What a pose asks for."""

    rotation: list[Scalars]  # [3] rows of R_1 ... R_7
    wrist: Scalars  # from the shoulder [m]


class Elbow(NamedTuple):
    """One bend of the elbow, and where it is at the swivel angle 0."""

    turn: Turn  # of joint 4
    axis: Scalars  # unit vector from the shoulder to the wrist, in the world
    own: list[Scalars]  # [3] the frame of shoulder, wrist and elbow in the arm, at zero
    world: list[Scalars]  # [3] the same in the world, with the elbow toward the first axis


def swivel_arm(axes: Axes) -> SwivelArm | None:
    """The arm of seven axes, if it is spherical at both ends and its axes there are at right angles."""
    if axes.size != 7 or axes.is_prismatic.any():
        return None
    distance = EXACT * length(axes)
    shoulder, wrist = meeting_of_three(axes, 0, distance), meeting_of_three(axes, 4, distance)
    if shoulder is None or wrist is None:
        return None
    if any(abs(axes.directions[i] @ axes.directions[i + 1]) > SQUARE for i in (0, 1, 4, 5)):
        return None
    axis, elbow = axes.directions[3], axes.points[3]
    elbow = elbow + axis * float((0.5 * (shoulder + wrist) - elbow) @ axis)
    upper, fore = elbow - shoulder, wrist - elbow
    if min(np.linalg.norm(np.cross(axis, upper)), np.linalg.norm(np.cross(axis, fore))) <= distance:
        return None  # the elbow's joint does not change how far the wrist is
    return SwivelArm(
        h=axes.directions.tolist(),
        upper=upper.tolist(),
        fore=fore.tolist(),
        shoulder=shoulder.tolist(),
        hand=(axes.home[:3, 3] - wrist).tolist(),
        home=axes.home[:3, :3].tolist(),
        across={index: perpendicular(axes.directions[index]).tolist() for index in (2, 6)},
    )


def reached(arm: SwivelArm, pose: Matrix4) -> SwivelPose:
    """What a pose [4, 4] of the tool asks for."""
    rotation = (pose[:3, :3] @ np.array(arm.home).T).tolist()
    point = difference(pose[:3, 3].tolist(), arm.shoulder)
    return SwivelPose(rotation, difference(point, times(rotation, arm.hand)))


def elbow(arm: SwivelArm, wanted: SwivelPose, bend: Scalar) -> Elbow:
    """The elbow for a bend of 1 or -1; at full reach or beyond, straight."""
    turn = to_distance(arm.upper, arm.h[3], arm.fore, dot(wanted.wrist, wanted.wrist), bend)
    own = _frame(total(arm.upper, rotate(arm.h[3], turn, arm.fore)), arm.upper, arm.h[3])
    world = _frame(wanted.wrist, arm.h[0], arm.h[1])
    return Elbow(turn, world[0], own, world)


def rotations(
    arm: SwivelArm,
    wanted: SwivelPose,
    bent: Elbow,
    swivel: Turn,
    shoulder: Scalar,
    wrist: Scalar,
    near: tuple[Turn, Turn],
) -> list[Turn]:
    """The rotations of all joints at a swivel angle; shoulder and wrist: 1 or -1, which of two.

    near: of joints 1 and 5 where these may have any angle.
    """
    h = arm.h
    three = _spherical(h[:3], arm.across[2], lambda v: _shoulder(bent, swivel, v), shoulder, near[0])

    def hand(v: Scalars) -> Scalars:
        return rotate_back(h[3], bent.turn, _shoulder_back(bent, swivel, times(wanted.rotation, v)))

    return [*three, bent.turn, *_spherical(h[4:], arm.across[6], hand, wrist, near[1])]


def error(arm: SwivelArm, wanted: SwivelPose, rotations: list[Turn]) -> Scalar:
    """By forward kinematics: how far the wrist [m] and the last axes are from the goal, squared."""
    h = arm.h
    point: Scalars = arm.fore
    vectors: list[Scalars] = [h[6], arm.across[6]]
    for index in range(6, -1, -1):
        vectors = [rotate(h[index], rotations[index], v) for v in vectors]
        if index == 3:
            point = total(arm.upper, rotate(h[3], rotations[3], point))
        elif index < 3:
            point = rotate(h[index], rotations[index], point)
    off = difference(point, wanted.wrist)
    square = dot(off, off)
    for v, own in zip(vectors, (h[6], arm.across[6]), strict=True):
        turned = difference(v, times(wanted.rotation, own))
        square = square + dot(turned, turned)
    return square


def swivel_of(arm: SwivelArm, bent: Elbow, toward: Scalars, q: Array) -> float:
    """The swivel angle [rad] of a configuration q [7]; toward: the vector at zero from which it counts."""
    rotations = [Turn(math.cos(value), math.sin(value)) for value in q]
    v: Scalars = toward
    for index in (2, 1, 0):
        v = rotate(arm.h[index], rotations[index], v)
    _, up, aside = bent.world
    return math.atan2(dot(v, aside), dot(v, up))


def flips(arm: SwivelArm, q: Array) -> Array:
    """Signs of the shoulder, elbow and wrist angles of configurations [k, 7]: [k, 3], positive or negative.

    Each is a factor of the determinant of the Jacobian with the elbow held, and 0 where two branches meet.
    """
    h, (second, elbow, sixth) = arm.h, (Turn(np.cos(q[:, k]), np.sin(q[:, k])) for k in (1, 3, 5))
    shoulder = dot(h[1], cross(h[0], rotate(h[1], second, h[2])))
    bend = dot(h[3], cross(arm.upper, rotate(h[3], elbow, arm.fore)))
    wrist = dot(h[5], cross(h[4], rotate(h[5], sixth, h[6])))
    return np.stack(np.broadcast_arrays(shoulder, bend, wrist), axis=-1)


def critical_angles(
    arm: SwivelArm, wanted: SwivelPose, bent: Elbow, lower: Array, upper: Array
) -> Iterator[float]:
    """The swivel angles [rad] at which joints 1 to 3 and 5 to 7 may be at their limits [7]."""
    for index in (0, 1, 2, 4, 5, 6):
        for limit in (float(lower[index]), float(upper[index])):
            if math.isfinite(limit):
                yield from _where(arm, wanted, bent, index, Turn(math.cos(limit), math.sin(limit)))


def _where(arm: SwivelArm, wanted: SwivelPose, bent: Elbow, index: int, at: Turn) -> Iterator[float]:
    """The swivel angles at which a joint may have a value: those with u . R(swivel) v = value."""
    h, still = arm.h, Turn(1.0, 0.0)
    first = 0 if index < 3 else 4
    a, b, c = h[first : first + 3]
    if index == first:
        left, right, value = rotate(a, at, b), c, dot(b, c)
    elif index == first + 1:
        left, right = a, c
        value = dot(a, rotate(b, at, c))
    else:
        left, right, value = a, rotate_back(c, at, b), dot(a, b)
    if first == 0:  # left . R_123 right
        normal, vector = left, _shoulder(bent, still, right)
    else:  # left . R_4^T R_123^T R right, and R_123 turns the left side
        normal = times(wanted.rotation, right)
        vector = _shoulder(bent, still, rotate(h[3], bent.turn, left))
    for sign in (1.0, -1.0):
        turn = to_plane(normal, bent.axis, vector, value, sign)
        if abs(dot(normal, rotate(bent.axis, turn, vector)) - value) < 1e-9:
            yield math.atan2(turn.sine, turn.cosine)


def _spherical(
    h: list[list[float]], across: Scalars, turned: Callable[[Scalars], Scalars], sign: Scalar, near: Turn
) -> list[Turn]:
    """Three joints whose axes meet, from what they do to a vector; near: the first where it may be any.

    The sine between the first and the last axis is taken from their cross product: by the cosine, the second
    joint would be off by 1e-8 where they are in line.
    """
    axis = turned(h[2])
    a, b, x = dot(h[0], h[2]), dot(h[0], cross(h[1], h[2])), dot(h[0], axis)
    normal = cross(h[0], axis)
    off = sign * sqrt(dot(normal, normal))
    # Neighbouring axes are at right angles, so a and b are a cosine and a sine.
    scale = 1.0 / sqrt(x * x + off * off)
    second = Turn((a * x - b * off) * scale, (b * x + a * off) * scale)
    first = onto(h[0], rotate(h[1], second, h[2]), axis)
    is_free = first.is_free > 0.5
    first = Turn(select(is_free, near.cosine, first.cosine), select(is_free, near.sine, first.sine))
    left = rotate_back(h[1], second, rotate_back(h[0], first, turned(across)))
    return [first, second, onto(h[2], across, left)]


def _shoulder(bent: Elbow, swivel: Turn, v: Scalars) -> list[Scalar]:
    """R_1 R_2 R_3 v."""
    return rotate(bent.axis, swivel, _mapped(bent.own, bent.world, v))


def _shoulder_back(bent: Elbow, swivel: Turn, v: Scalars) -> list[Scalar]:
    """(R_1 R_2 R_3)^T v."""
    return _mapped(bent.world, bent.own, rotate_back(bent.axis, swivel, v))


def _mapped(source: list[Scalars], to: list[Scalars], v: Scalars) -> list[Scalar]:
    """A vector that lies in one frame as v does in another."""
    x, y, z = (dot(axis, v) for axis in source)
    return [x * a + y * b + z * c for a, b, c in zip(*to, strict=True)]


def _frame(along: Scalars, toward: Scalars, otherwise: Scalars) -> list[Scalars]:
    """A right-handed frame: x along a vector, y toward another one, or a third where that is along x too."""
    x = _unit(along)
    y = difference(toward, [dot(x, toward) * a for a in x])
    other = difference(otherwise, [dot(x, otherwise) * a for a in x])
    is_lost = dot(y, y) < LOST
    y = _unit([select(is_lost, b, a) for a, b in zip(y, other, strict=True)])
    y = _unit(difference(y, [dot(x, y) * a for a in x]))  # what was short has rounding along x
    return [x, y, cross(x, y)]


def _unit(v: Scalars) -> list[Scalar]:
    scale = 1.0 / sqrt(dot(v, v))
    return [a * scale for a in v]
