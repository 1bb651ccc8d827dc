"""The closed forms of six-joint arms: one function for each family of arms, from a tool pose to joint angles.

Each takes the arm, the pose and which of the branches is wanted, and gives the six motions. The joints are
those of `analytic.axes`, with points on the axes where they intersect. Families:

- a spherical wrist: the axes 4, 5 and 6 meet in the wrist's center, whose position depends on the first
  three joints (D. L. Pieper, "The Kinematics of Manipulators Under Computer Control", 1968), and these are
  revolute, with
  - axes 2 and 3 parallel, as of nearly all industrial arms;
  - axes 1 and 2 parallel;
  - axes 1 and 2 intersecting;
  - axes 2 and 3 intersecting;
  or some of them are prismatic: `analytic.slides`;
- axes 2, 3 and 4 are parallel and 5 and 6 intersect, as of Universal Robots'.

An arm whose shoulder is spherical is solved as one whose wrist is, walked from the tool (`Axes.reversed`).
Source of the decompositions: Elias & Wen, "IK-Geo", 2022, section 5.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from limbik.analytic.subproblems import (
    Motion,
    Turn,
    moved,
    onto,
    rotate,
    rotate_back,
    to_distance,
    to_plane,
)
from limbik.compiler.symbols import Scalar, Scalars, dot


class SixAxes(NamedTuple):
    """Six axes h and the steps p between the points on them, as in `analytic.axes`."""

    h: list[Scalars]  # [6]
    p: list[Scalars]  # [7]; the first is not requested: the world begins at the point on axis 1
    across_last: Scalars  # a unit vector across the last axis


class ToolTarget(NamedTuple):
    """Where the tool is to be, with the world at the point on axis 1: of R_1 ... R_6 and its last point."""

    rotation: list[Scalars]  # [3] rows of R R_home^T
    point: Scalars  # of the last axis's point


class BranchSigns(NamedTuple):
    """Which of the solutions: 1 or -1 for each choice."""

    shoulder: Scalar
    elbow: Scalar
    wrist: Scalar


# Of the wrist's center: the motions of the first three joints that bring it to a point.
Position: TypeAlias = Callable[[SixAxes, Scalars, BranchSigns], list[Motion]]


def with_spherical_wrist(
    position: Position, arm: SixAxes, wanted: ToolTarget, branch: BranchSigns
) -> list[Motion]:
    """The motions of all joints, the first three by a function of the wrist's center."""
    motions = position(arm, wanted.point, branch)
    return motions + wrist(arm, motions, wanted, branch)


def wrist(arm: SixAxes, rotations: list[Motion], wanted: ToolTarget, branch: BranchSigns) -> list[Motion]:
    """R_4 R_5 R_6 = (R_1 R_2 R_3)^T R."""
    h4, h5, h6 = arm.h[3:]
    axis = turned_back(arm, rotations, times(wanted.rotation, h6))
    fifth = to_plane(h4, h5, h6, dot(h4, axis), branch.wrist)
    fourth = onto(h4, rotate(h5, fifth, h6), axis)
    return [fourth, fifth, last(arm, [*rotations, fourth, fifth], wanted)]


def last(arm: SixAxes, rotations: list[Motion], wanted: ToolTarget) -> Turn:
    """The turn of the last joint, the others being known: by a vector across its axis."""
    across = turned_back(arm, rotations, times(wanted.rotation, arm.across_last))
    return onto(arm.h[5], arm.across_last, across)


def turned_back(arm: SixAxes, motions: list[Motion], v: Scalars) -> Scalars:
    """(R_1 R_2 ...)^T v."""
    for h, motion in zip(arm.h, motions, strict=False):
        v = rotate_back(h, motion, v)
    return v


def times(rows: list[Scalars], v: Scalars) -> list[Scalar]:
    """The product of a matrix, from its rows, and a vector."""
    return [dot(row, v) for row in rows]


def where_2_and_3_are_parallel(arm: SixAxes, point: Scalars, branch: BranchSigns) -> list[Motion]:
    """The shoulder first: what lies along axis 2 is up to joint 1 alone."""
    h, p = arm.h, arm.p
    offset = dot(h[1], p[1]) + dot(h[1], p[2]) + dot(h[1], p[3])
    first = to_plane(h[1], negative(h[0]), point, offset, branch.shoulder)
    left = difference(rotate_back(h[0], first, point), p[1])
    third = to_distance(p[2], h[2], p[3], dot(left, left), branch.elbow)
    second = onto(h[1], total(p[2], rotate(h[2], third, p[3])), left)
    return [first, second, third]


def where_1_and_2_intersect(arm: SixAxes, point: Scalars, branch: BranchSigns) -> list[Motion]:
    """The elbow first: how far the wrist is from where the axes meet is up to joint 3 alone."""
    h, p = arm.h, arm.p
    third = to_distance(p[2], h[2], p[3], dot(point, point), branch.elbow)
    out = total(p[2], rotate(h[2], third, p[3]))
    second = to_plane(h[0], h[1], out, dot(h[0], point), branch.shoulder)
    return [onto(h[0], rotate(h[1], second, out), point), second, third]


def where_1_and_2_are_parallel(arm: SixAxes, point: Scalars, branch: BranchSigns) -> list[Motion]:
    """The elbow first: what lies along axis 1 is up to joint 3 alone."""
    h, p = arm.h, arm.p
    left = dot(h[0], point) - dot(h[0], p[1]) - dot(h[0], p[2])
    third = to_plane(h[0], h[2], p[3], left, branch.elbow)
    out = total(p[2], rotate(h[2], third, p[3]))
    second = to_distance(p[1], h[1], out, dot(point, point), branch.shoulder)
    return [onto(h[0], total(p[1], rotate(h[1], second, out)), point), second, third]


def where_2_and_3_intersect(arm: SixAxes, point: Scalars, branch: BranchSigns) -> list[Motion]:
    """The shoulder first: how far the wrist is from where axes 2 and 3 meet is up to joint 1 alone."""
    h, p = arm.h, arm.p
    first = to_distance(negative(point), h[0], p[1], dot(p[3], p[3]), branch.shoulder)
    left = difference(rotate_back(h[0], first, point), p[1])
    third = to_plane(h[1], h[2], p[3], dot(h[1], left), branch.elbow)
    return [first, onto(h[1], rotate(h[2], third, p[3]), left), third]


def with_three_parallel(arm: SixAxes, wanted: ToolTarget, branch: BranchSigns) -> list[Motion]:
    """Joints 1, 5 and 6 first: the three parallel joints move in a plane, as two links and a hand."""
    h, p = arm.h, arm.p
    offset = dot(h[1], p[1]) + dot(h[1], p[2]) + dot(h[1], p[3]) + dot(h[1], p[4])
    first = to_plane(h[1], negative(h[0]), wanted.point, offset, branch.shoulder)
    axis = rotate_back(h[0], first, times(wanted.rotation, h[5]))
    fifth = to_plane(h[1], h[4], h[5], dot(h[1], axis), branch.wrist)
    three = onto(h[1], rotate(h[4], fifth, h[5]), axis)  # R_2 R_3 R_4
    left = difference(rotate_back(h[0], first, wanted.point), p[1])
    left = difference(left, rotate(h[1], three, p[4]))
    third = to_distance(p[2], h[2], p[3], dot(left, left), branch.elbow)
    second = onto(h[1], total(p[2], rotate(h[2], third, p[3])), left)
    rest = without(without(three, second, 1.0), third, dot(h[1], h[2]))
    fourth = three._replace(cosine=rest.cosine, sine=rest.sine * dot(h[1], h[3]))
    rotations: list[Motion] = [first, second, third, fourth, fifth]
    return [*rotations, last(arm, rotations, wanted)]


def without(turn: Turn, other: Turn, sense: Scalar) -> Turn:
    """A turn less another one about the same axis, or about its opposite (sense -1)."""
    sine = other.sine * sense
    return Turn(turn.cosine * other.cosine + turn.sine * sine, turn.sine * other.cosine - turn.cosine * sine)


def squared_errors(arm: SixAxes, wanted: ToolTarget, motions: list[Motion]) -> tuple[Scalar, Scalar]:
    """By forward kinematics: of the last axis's point [m^2], and of the last frame's axes together.

    What is wanted is walked back from the world, and the arm forward, until they meet in the middle: turns
    keep lengths, so that the errors are those at the tool.
    """
    h = arm.h
    p = [arm.p[0], *map(moved, h, motions, arm.p[1:])]
    out = total(p[4], rotate(h[4], motions[4], p[5]))
    out = total(p[2], rotate(h[2], motions[2], total(p[3], rotate(h[3], motions[3], out))))
    left = difference(rotate_back(h[0], motions[0], wanted.point), p[1])
    off = difference(rotate(h[1], motions[1], out), left)
    axis = turned_back(arm, motions[:3], times(wanted.rotation, h[5]))
    across = turned_back(arm, motions[:5], times(wanted.rotation, arm.across_last))
    turned = [
        *difference(rotate(h[3], motions[3], rotate(h[4], motions[4], h[5])), axis),
        *difference(rotate(h[5], motions[5], arm.across_last), across),
    ]
    return dot(off, off), dot(turned, turned)


def total(u: Scalars, v: Scalars) -> list[Scalar]:
    """u + v."""
    return [a + b for a, b in zip(u, v, strict=True)]


def difference(u: Scalars, v: Scalars) -> list[Scalar]:
    """u - v."""
    return [a - b for a, b in zip(u, v, strict=True)]


def negative(v: Scalars) -> list[Scalar]:
    """-v."""
    return [-a for a in v]
