"""Subproblems of closed forms on scalars (Paden-Kahan and others): angles that bring points and lines
together.

Each finds the cosine and the sine of one joint's angle; where there is no exact one, that which comes nearest
(least squares). Sources: B. Paden, "Kinematics and Control of Robot Manipulators", 1986; A. J. Elias &
J. T. Wen, "IK-Geo: Unified Robot Inverse Kinematics Using Subproblem Decomposition", 2022, sections 3 and 4,
whose numbers these have. Those of a prismatic joint are a line of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from limbik.compiler.symbols import (
    Scalar,
    Scalars,
    absolute,
    cross,
    dot,
    larger,
    polynomial,
    select,
    smaller,
    sqrt,
)

FREE_RADIUS = 1e-9  # of vectors of the size 1 from an axis: nearer, all angles about it are as good
FREE_LEVEL = 1e-10  # the same for how much of an equation an angle can change
NEARLY_FREE = 1e-5  # the same for both, if rounding of a motion near a double root may decide the angle
SMALL = 0.01  # the same for both, if what an arm is off its closed form may decide the angle
NEARLY_DOUBLE = 1e-3  # sine of half the angle between two roots, or half their distance

PART = 0.1  # of 1, for fewer than ten joints

# atan(r) / r in r^2 for r up to tan(pi/8); least squares at Chebyshev points, the highest power first. Errors
# of the angle: 1e-16.
ARCTANGENT = (
    -0.01788324721676074, 0.03804470226704707, -0.050386268428475954, 0.05847768162067137,
    -0.06663092348942282, 0.07692059691573268, -0.09090897757948921, 0.11111110784258443,
    -0.1428571428020833, 0.19999999999953025, -0.33333333333333187, 1.0,
)  # fmt: skip


class Turn(NamedTuple):
    """An angle by its cosine and sine."""

    cosine: Scalar
    sine: Scalar
    is_free: Scalar = 0.0  # 1 where every angle is as good
    is_nearly_free: Scalar = 0.0  # 1 where that may be rounding, and where it is so
    is_nearly_double: Scalar = 0.0  # 1 where it is one of two roots so close that rounding moves it far
    is_small: Scalar = 0.0  # 1 where what an arm is off its closed form may decide the angle


class Travel(NamedTuple):
    """How far a prismatic joint is moved along its axis; it turns nothing."""

    distance: Scalar
    is_free: Scalar = 0.0
    is_nearly_free: Scalar = 0.0
    is_nearly_double: Scalar = 0.0
    is_small: Scalar = 0.0


Motion: TypeAlias = Turn | Travel


def rotate(axis: Scalars, motion: Motion, v: Scalars) -> list[Scalar]:
    """v as a joint's motion turns it about its unit axis (Rodrigues)."""
    if isinstance(motion, Travel) or all(isinstance(a, float) and a == 0.0 for a in v):
        return list(v)
    c, s = motion.cosine, motion.sine
    along = (1.0 - c) * dot(axis, v)
    return [c * a + s * b + along * k for a, b, k in zip(v, cross(axis, v), axis, strict=True)]


def rotate_back(axis: Scalars, motion: Motion, v: Scalars) -> list[Scalar]:
    """v turned about a unit axis in the opposite sense."""
    return rotate(axis, motion if isinstance(motion, Travel) else Turn(motion.cosine, -motion.sine), v)


def moved(axis: Scalars, motion: Motion, v: Scalars) -> list[Scalar]:
    """v as a joint's motion moves it along its unit axis."""
    if isinstance(motion, Turn):
        return list(v)
    return [a + motion.distance * k for a, k in zip(v, axis, strict=True)]


def onto(axis: Scalars, p: Scalars, wanted: Scalars) -> Turn:
    """Subproblem 1: the turn about a unit axis that brings p nearest to the wanted vector.

    The angle 0 where one of them lies along the axis, so that all are as good.
    """
    u, v = across(axis, p), across(axis, wanted)  # before they are multiplied: near the axis they are small
    return _normalised(dot(u, v), dot(axis, cross(u, v)), FREE_RADIUS**4, 0.0)


def across(axis: Scalars, v: Scalars) -> list[Scalar]:
    """v without what lies along a unit axis."""
    along = dot(axis, v)
    return [a - along * k for a, k in zip(v, axis, strict=True)]


def to_plane(normal: Scalars, axis: Scalars, p: Scalars, distance: Scalar, sign: Scalar) -> Turn:
    """Subproblem 4: a turn R about a unit axis with normal . R p = distance; sign: 1 or -1, which of two."""
    along = dot(normal, axis) * dot(axis, p)
    return level(dot(normal, p) - along, dot(normal, cross(axis, p)), distance - along, sign)


def to_distance(q: Scalars, axis: Scalars, p: Scalars, square: Scalar, sign: Scalar) -> Turn:
    """Subproblem 3: a turn R about a unit axis with |q + R p|^2 = square; sign: 1 or -1, which of two."""
    return to_plane(q, axis, p, 0.5 * (square - dot(q, q) - dot(p, p)), sign)


def level(a: Scalar, b: Scalar, x: Scalar, sign: Scalar) -> Turn:
    """An angle with a cos + b sin = x; sign: 1 or -1, which of two."""
    square = a * a + b * b
    beyond = square - x * x
    off = sqrt(larger(beyond, 0.0)) * sign
    return _normalised(a * x - b * off, b * x + a * off, FREE_LEVEL**4, nearly_double(beyond, square))


def slide_to_plane(normal: Scalars, axis: Scalars, u: Scalars, distance: Scalar) -> Travel:
    """A slide along a unit axis with normal . (u + axis x) = distance."""
    return Travel((distance - dot(normal, u)) / dot(normal, axis))


def slide_to_distance(u: Scalars, axis: Scalars, square: Scalar, sign: Scalar) -> Travel:
    """A slide along a unit axis with |u + axis x|^2 = square; sign: 1 or -1, which of two."""
    along = dot(axis, u)
    beyond = along * along - dot(u, u) + square
    slide = sign * sqrt(larger(beyond, 0.0)) - along
    return Travel(slide, is_nearly_double=nearly_double(beyond))


def amount(motion: Motion) -> Scalar:
    """What a joint's value is: an angle [rad] in [-pi, pi], or a length."""
    return motion.distance if isinstance(motion, Travel) else angle(motion)


def angle(turn: Turn) -> Scalar:
    """The angle [rad] in [-pi, pi]."""
    c, s = turn.cosine, turn.sine
    high, low = larger(absolute(c), absolute(s)), smaller(absolute(c), absolute(s))
    is_steep = low > math.tan(math.pi / 8.0) * high
    top = select(is_steep, low - high, low)
    bottom = select(is_steep, low + high, high)
    ratio = top / bottom
    value = polynomial(ARCTANGENT, ratio * ratio) * ratio + select(is_steep, 0.25 * math.pi, 0.0)
    value = select(absolute(s) > absolute(c), 0.5 * math.pi - value, value)
    value = select(c < 0.0, math.pi - value, value)
    return select(s < 0.0, -value, value)


def _normalised(c: Scalar, s: Scalar, threshold: float, is_nearly_double: Scalar) -> Turn:
    square = c * c + s * s
    is_lost = square < threshold
    scale = 1.0 / sqrt(select(is_lost, 1.0, square))
    return Turn(
        select(is_lost, 1.0, c * scale),
        select(is_lost, 0.0, s * scale),
        select(is_lost, 1.0, 0.0),
        select(square < NEARLY_FREE**4, 1.0, 0.0),
        is_nearly_double,
        select(square < SMALL**4, 1.0, 0.0),
    )


def nearly_double(square: Scalar, unit: Scalar = 1.0) -> Scalar:
    """1 where the square of half the distance of two roots is small, in a unit squared, else 0."""
    return select(square < NEARLY_DOUBLE**2 * unit, 1.0, 0.0)


def may_be_free(motions: Iterable[Motion]) -> Scalar:
    """1 or more where a motion of some joints may have any value: where it has, or where it nearly has and
    rounding of the others decides it. Less, but more than 0, where what an arm is off its closed form may.
    """
    free = near = double = small = 0.0
    for motion in motions:
        free += motion.is_free
        near += motion.is_nearly_free
        double += motion.is_nearly_double
        small += motion.is_small
    return free + near * double + PART * small
