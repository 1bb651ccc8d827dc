"""Closed forms of the first three joints of arms with prismatic joints, for a point.

Each function brings the wrist's center to a point, as the ones of `analytic.families` do for three revolute
joints: R a revolute joint, P a prismatic one, from the base. What is across, along or parallel makes one of
the joints appear alone in an equation: a plane for what lies along an axis, a distance for what a turn about
a point keeps (`analytic.subproblems`). Cylindrical, spherical and Cartesian arms, SCARA in any order and
the Stanford arm are among them. Where the order is reversed, `walked_back` solves it.
"""

from __future__ import annotations

from limbik.analytic.families import BranchSigns, Position, SixAxes, difference, negative, total
from limbik.analytic.subproblems import (
    Motion,
    Travel,
    moved,
    nearly_double,
    onto,
    rotate,
    rotate_back,
    slide_to_distance,
    slide_to_plane,
    to_distance,
    to_plane,
)
from limbik.compiler.symbols import Scalar, Scalars, absolute, cross, dot, larger, select, sqrt

LEVEL = 1e-9  # under which the square in a quadratic equation of an arm's numbers is rounding


def walked_back(position: Position) -> Position:
    """The same joints in the other order: from the point back to the base, which is brought to the point."""

    def solve(arm: SixAxes, point: Scalars, branch: BranchSigns) -> list[Motion]:
        h, p = arm.h, arm.p
        directions: list[Scalars] = [negative(h[k]) for k in (2, 1, 0)]
        back = SixAxes(directions, [p[0], negative(p[2]), negative(p[1]), point], [])
        return position(back, p[3], branch)[::-1]

    return solve


def rrp_where_1_and_2_are_parallel(arm: SixAxes, point: Scalars, branch: BranchSigns) -> list[Motion]:
    """SCARA: what lies along axis 1 is up to the slide alone."""
    h = arm.h
    out = total(arm.p[2], arm.p[3])
    third = slide_to_plane(h[0], h[2], total(arm.p[1], out), dot(h[0], point))
    return [*_two_links(arm, moved(h[2], third, out), point, branch), third]


def rpr_where_1_and_3_are_parallel(arm: SixAxes, point: Scalars, branch: BranchSigns) -> list[Motion]:
    """SCARA with the slide in the middle."""
    h, p = arm.h, arm.p
    between = total(p[1], p[2])
    second = slide_to_plane(h[0], h[1], total(between, p[3]), dot(h[0], point))
    between = moved(h[1], second, between)
    third = to_distance(between, h[2], p[3], dot(point, point), branch.elbow)
    return [onto(h[0], total(between, rotate(h[2], third, p[3])), point), second, third]


def rrp_where_1_and_2_intersect(arm: SixAxes, point: Scalars, branch: BranchSigns) -> list[Motion]:
    """A spherical arm: how far the point is from where the axes meet is up to the slide alone."""
    h = arm.h
    out = total(arm.p[2], arm.p[3])
    third = slide_to_distance(out, h[2], dot(point, point), branch.elbow)
    out = moved(h[2], third, out)
    second = to_plane(h[0], h[1], out, dot(h[0], point), branch.shoulder)
    return [onto(h[0], rotate(h[1], second, out), point), second, third]


def rrp_sliding_across_2(arm: SixAxes, point: Scalars, branch: BranchSigns) -> list[Motion]:
    """What lies along axis 2 is up to joint 1 alone, then the slide makes the distance."""
    h = arm.h
    out = total(arm.p[2], arm.p[3])
    first = to_plane(h[1], negative(h[0]), point, dot(h[1], total(arm.p[1], out)), branch.shoulder)
    left = difference(rotate_back(h[0], first, point), arm.p[1])
    third = slide_to_distance(out, h[2], dot(left, left), branch.elbow)
    return [first, onto(h[1], moved(h[2], third, out), left), third]


def rpr_sliding_across_3(arm: SixAxes, point: Scalars, branch: BranchSigns) -> list[Motion]:
    """What lies along axis 3 is up to joint 1 alone, then the slide makes the distance."""
    h, p = arm.h, arm.p
    between = total(p[1], p[2])
    first = to_plane(h[2], negative(h[0]), point, dot(h[2], total(between, p[3])), branch.shoulder)
    left = difference(rotate_back(h[0], first, point), between)
    second = slide_to_distance(negative(left), h[1], dot(p[3], p[3]), branch.elbow)
    return [first, second, onto(h[2], p[3], negative(moved(h[1], second, negative(left))))]


def rpr_sliding_along_1(arm: SixAxes, point: Scalars, branch: BranchSigns) -> list[Motion]:
    """Axes 1 and 3 intersect, and the slide is along axis 1: how far the point is from it, and so how high
    above where they meet, is up to joint 3 alone.
    """
    h, p = arm.h, arm.p
    height = dot(h[0], point)
    square = dot(p[3], p[3]) - dot(point, point) + height * height
    third = to_plane(h[0], h[2], p[3], branch.shoulder * sqrt(larger(square, 0.0)), branch.elbow)
    third = third._replace(is_nearly_double=third.is_nearly_double + nearly_double(square))
    out = rotate(h[2], third, p[3])
    second = slide_to_plane(h[0], h[1], out, height)
    return [onto(h[0], out, point), second, third]


def rpp(arm: SixAxes, point: Scalars, branch: BranchSigns) -> list[Motion]:
    """What lies across both slides is up to joint 1 alone."""
    h = arm.h
    start = total(total(arm.p[1], arm.p[2]), arm.p[3])
    normal = cross(h[1], h[2])
    first = to_plane(normal, negative(h[0]), point, dot(normal, start), branch.shoulder)
    left = difference(rotate_back(h[0], first, point), start)
    scale = 1.0 / dot(normal, normal)
    return [
        first,
        Travel(dot(cross(left, h[2]), normal) * scale),
        Travel(dot(cross(h[1], left), normal) * scale),
    ]


def prp(arm: SixAxes, point: Scalars, branch: BranchSigns) -> list[Motion]:
    """Joint 2 keeps what lies along its axis, and distances: a linear and a quadratic equation of the two
    slides (a, b), the latter with t along the line of the former.
    """
    h, p = arm.h, arm.p
    u, w = difference(point, p[1]), total(p[2], p[3])  # R_2 (w + b h_3) = u - a h_1
    a, b = dot(h[1], h[0]), dot(h[1], h[2])
    scale = 1.0 / (a * a + b * b)
    level = (dot(h[1], u) - dot(h[1], w)) * scale
    u, w = moved(h[0], Travel(-level * a), u), moved(h[2], Travel(level * b), w)
    square = (b * b - a * a) * scale
    half = (dot(h[2], w) * a - dot(h[0], u) * b) * sqrt(scale)
    rest = dot(u, u) - dot(w, w)
    t = _root(square, half, rest, branch.elbow) * sqrt(scale)
    first = Travel(level * a - t * b, is_nearly_double=nearly_double(half * half - square * rest))
    third = Travel(level * b + t * a)
    u, w = moved(h[0], Travel(t * b), u), moved(h[2], Travel(t * a), w)
    return [first, onto(h[1], w, u), third]


def ppp(arm: SixAxes, point: Scalars, branch: BranchSigns) -> list[Motion]:
    """Three linear equations, by Cramer's rule."""
    h, p = arm.h, arm.p
    left = difference(point, total(total(p[1], p[2]), p[3]))
    across = [cross(h[1], h[2]), cross(h[2], h[0]), cross(h[0], h[1])]
    scale = 1.0 / dot(h[0], across[0])
    return [Travel(dot(left, each) * scale) for each in across]


def _two_links(arm: SixAxes, out: Scalars, point: Scalars, branch: BranchSigns) -> list[Motion]:
    """Joints 1 and 2 bring the point `out`, as seen from joint 2, to a point."""
    second = to_distance(arm.p[1], arm.h[1], out, dot(point, point), branch.elbow)
    return [onto(arm.h[0], total(arm.p[1], rotate(arm.h[1], second, out)), point), second]


def _root(a: Scalar, b: Scalar, c: Scalar, sign: Scalar) -> Scalar:
    """t with a t^2 - 2 b t + c = 0; sign: 1 or -1, which of two. Where a is 0, the only one, for both."""
    root = sqrt(larger(b * b - a * c, 0.0))
    large = b + select(b < 0.0, -root, root)
    is_linear = absolute(a) < LEVEL
    other = c / select(absolute(large) < LEVEL * LEVEL, 1.0, large)
    return select((sign > 0.0) | is_linear, other, large / select(is_linear, 1.0, a))
