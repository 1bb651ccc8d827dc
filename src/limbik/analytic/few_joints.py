"""Closed forms of arms of up to three revolute joints: for a point, and in a plane for a pose.

Two links of a planar arm, a leg or a finger; the first three joints of an arm without its wrist; three
parallel joints, which bring a hand to a point of their plane with any heading. By the subproblems.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from limbik.analytic import families
from limbik.analytic.axes import Axes
from limbik.analytic.families import Arm, Branch, Position, difference, total, without
from limbik.analytic.geometry import EXACT, are_parallel, length, meeting, with_points
from limbik.analytic.subproblems import Turn, onto, rotate, to_distance
from limbik.compiler.symbols import dot
from limbik.spatial import Matrix4, Vector3, perpendicular

SIGNS = (1.0, -1.0)


def for_point(axes: Axes) -> bool:
    """Whether all configurations that bring the tool to a point are known."""
    if axes.is_prismatic.any():
        return False
    if axes.size < 3:
        return axes.size > 0
    return axes.size == 3 and _special_position(axes) is not None


def for_pose(axes: Axes) -> bool:
    """Whether all configurations that bring the tool to a pose are known."""
    if axes.is_prismatic.any() or axes.size > 3 or axes.size == 0:
        return False
    return all(are_parallel(axes, 0, k, EXACT) for k in range(1, axes.size))


def at_point(axes: Axes, point: Vector3) -> Iterator[list[Turn]]:
    """The turns that bring the tool nearest to a point [m], one list for each branch."""
    h, p = axes.directions.tolist(), axes.steps.tolist()
    left = difference(point.tolist(), p[0])
    if axes.size == 1:
        yield [onto(h[0], p[1], left)]
    elif axes.size == 2:
        yield from _two(h, p[1:], left)
    else:
        yield from _three(axes, point)


def at_pose(axes: Axes, pose: Matrix4) -> Iterator[list[Turn]]:
    """The turns of parallel joints that bring the tool nearest to a pose, one list for each branch."""
    h, p = axes.directions.tolist(), axes.steps.tolist()
    across = perpendicular(axes.directions[0])
    wanted = pose[:3, :3] @ axes.home[:3, :3].T
    every = onto(h[0], across.tolist(), (wanted @ across).tolist())  # all turns together
    senses = [float(axes.directions[0] @ each) for each in axes.directions]
    if axes.size == 1:
        yield [every]
        return
    last = rotate(h[0], every, p[axes.size])
    left = difference(difference(pose[:3, 3].tolist(), p[0]), last)
    if axes.size == 2:
        first = onto(h[0], p[1], left)
        yield [first, _about(without(every, first, 1.0), senses[1])]
        return
    for first, second in _two(h, p[1:3], left):
        rest = without(without(every, first, 1.0), second, senses[1])
        yield [first, second, _about(rest, senses[2])]


def _two(h: list[list[float]], p: list[list[float]], left: list[float]) -> Iterator[list[Turn]]:
    """|p_1 + R_2 p_2| is the distance, then joint 1 turns there."""
    for sign in SIGNS:
        second = to_distance(p[0], h[1], p[1], dot(left, left), sign)
        yield [onto(h[0], total(p[0], rotate(h[1], second, p[1])), left), second]


def _three(axes: Axes, point: Vector3) -> Iterator[list[Turn]]:
    found = _special_position(axes)
    assert found is not None
    solve, placed = found
    nothing = [0.0, 0.0, 0.0]
    steps = placed.steps.tolist()
    arm = Arm(placed.directions.tolist(), steps, nothing)
    left = difference(point.tolist(), steps[0])
    for shoulder, elbow in itertools.product(SIGNS, SIGNS):
        yield solve(arm, left, Branch(shoulder, elbow, 1.0))


def _special_position(axes: Axes) -> tuple[Position, Axes] | None:
    """The closed form of three joints for a point, and the axes with points where they intersect."""
    distance = EXACT * length(axes)
    if are_parallel(axes, 0, 1, EXACT) and are_parallel(axes, 1, 2, EXACT):
        return None  # a plane has one joint too many for a point
    if are_parallel(axes, 1, 2, EXACT):
        return families.where_2_and_3_are_parallel, axes
    place = meeting(axes, 0, 1, distance)
    if place is not None:
        return families.where_1_and_2_intersect, with_points(axes, {0: place, 1: place})
    if are_parallel(axes, 0, 1, EXACT):
        return families.where_1_and_2_are_parallel, axes
    place = meeting(axes, 1, 2, distance)
    if place is not None:
        return families.where_2_and_3_intersect, with_points(axes, {1: place, 2: place})
    return None


def _about(turn: Turn, sense: float) -> Turn:
    """A turn about an axis as one about its parallel, or its opposite (-1)."""
    return Turn(turn.cosine, turn.sine * sense)
