"""The angles of one, two or three hinges in a row that make a rotation, or come nearest to it, as a kernel.

The axes meet in one point and are where they stand while all angles are 0: the rotation is
R = rot(b1, t1) rot(b2, t2) rot(b3, t3). Nearest is what leaves the smallest rotation over, and that is what
makes the scalar product of the unit quaternions greatest.

- One hinge: the twist of R about its axis.
- Two: the product is bilinear in the half angles, (cos x, sin x) M (cos y, sin y), and its maximum is that of
  a sinusoid in x + y plus one in x - y.
- Three, of any axes: b1, b2 and what becomes of b3 are a spherical triangle, whose angle at b2 follows from
  its sides by the formula of half angles, which loses no digits where the triangle is flat (gimbal lock).
  Paden-Kahan's subproblems 3 and 1 in a stable form.

Limits: where the angles found are outside, each hinge in turn is moved to the best of its allowed angles,
until nothing changes; a local maximum.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, Matrix, Watch, compiled, is_stopped
from limbik.numerics.rotation import Quaternion, Vector, product, rotate
from limbik.numerics.trigonometry import angle_of, nearest_turn, sincos
from limbik.numerics.vectors import cross, dot

MAX_HINGES = 3
LOCKED = 1e-12  # sine of the angle between outer axes under which only a sum of their angles has a meaning
SWEEPS = 40  # over the hinges, at most, where limits bind
SETTLED = 1e-13  # [rad] change of all angles in a sweep
OUTSIDE = 1e3  # [rad] what an angle beyond its limits counts when branches are compared


@compiled
def solve_rows(axes: Matrix, limits: Matrix, rotations: Matrix, angles: Matrix, watch: Watch) -> int:
    """Angles [T, n] for unit quaternions xyzw [T, 4], instead of angles near which they are to be.

    axes [n, 3]: of length 1, n from 1 to 3. limits [2, n]: lower and upper [rad]. Returns how many were done
    before the watch ended it.
    """
    for k in range(angles.shape[0]):
        if is_stopped(watch, k):
            return k
        turn = rotations[k, 0], rotations[k, 1], rotations[k, 2], rotations[k, 3]
        solve_row(axes, limits, turn, angles[k])
    return angles.shape[0]


@compiled
def solve_row(axes: Floats, limits: Floats, turn: Quaternion, angles: Floats) -> None:
    """Angles [n] for one rotation, instead of angles near which they are to be."""
    n = angles.size
    best = math.inf
    a, b, c = angles[0], angles[1] if n > 1 else 0.0, angles[2] if n > 2 else 0.0
    best_a, best_b, best_c = a, b, c
    for branch in range(2 if n == MAX_HINGES else 1):
        x, y, z = candidate(axes, turn, a, b, c, n, branch)
        x, cost = with_windings(x, a, limits[0, 0], limits[1, 0])
        if n > 1:
            y, more = with_windings(y, b, limits[0, 1], limits[1, 1])
            cost += more
        if n > 2:
            z, more = with_windings(z, c, limits[0, 2], limits[1, 2])
            cost += more
        if cost < best:
            best = cost
            best_a, best_b, best_c = x, y, z
    angles[0] = best_a
    if n > 1:
        angles[1] = best_b
    if n > 2:
        angles[2] = best_c
    if best >= OUTSIDE:
        move_within_limits(axes, limits, turn, angles)


@compiled
def candidate(
    axes: Floats, turn: Quaternion, a: float, b: float, c: float, n: int, branch: int
) -> tuple[float, float, float]:
    """Angles without limits; of three hinges those of one of two branches. a, b, c: where all are as good."""
    if n == 1:
        return twist(axis_of(axes, 0), turn, a), 0.0, 0.0
    if n == 2:
        first, second = of_two(axis_of(axes, 0), axis_of(axes, 1), turn, a, b)
        return first, second, 0.0
    return of_three(
        axis_of(axes, 0), axis_of(axes, 1), axis_of(axes, 2), turn, a, c, 1.0 if branch == 0 else -1.0
    )


@compiled
def of_two(b: Vector, c: Vector, turn: Quaternion, first: float, second: float) -> tuple[float, float]:
    """Two angles."""
    across = cross(b, c)  # with -dot(b, c) the product of the two imaginary units
    cc = turn[3]
    cs = dot(c, (turn[0], turn[1], turn[2]))
    sc = dot(b, (turn[0], turn[1], turn[2]))
    ss = dot(across, (turn[0], turn[1], turn[2])) - turn[3] * dot(b, c)
    apart = heading(sc - cs, cc + ss, 0.5 * (first - second))
    together = heading(cs + sc, cc - ss, 0.5 * (first + second))
    return together + apart, together - apart


@compiled
def of_three(
    b1: Vector, b2: Vector, b3: Vector, turn: Quaternion, first: float, third: float, sign: float
) -> tuple[float, float, float]:
    """Three angles, of the branch that a sign says."""
    v = rotate(turn, b3[0], b3[1], b3[2])
    to = cross(b1, v)
    side, side_12, side_23 = angle_between(b1, v), angle_between(b1, b2), angle_between(b2, b3)
    half = 0.5 * (side_12 + side_23 + side)
    above = sine(half - side_12) * sine(half - side_23)
    below = sine(half) * sine(half - side)
    corner = 2.0 * angle_of(math.sqrt(max(above, 0.0)), math.sqrt(max(below, 0.0)))
    beside_1, beside_3 = cross(b2, b1), cross(b2, b3)
    at_rest = angle_of(dot(b2, cross(beside_1, beside_3)), dot(beside_1, beside_3))
    y = sign * corner - at_rest
    turned = turn_about(b2, y)
    u = rotate(turned, b3[0], b3[1], b3[2])
    start = cross(b1, u)
    x = first
    if min(dot(start, start), dot(to, to)) > LOCKED * LOCKED:
        x = angle_of(dot(b1, cross(start, to)), dot(start, to))
    before = product(turn_about(b1, x), turned)
    return x, y, twist(b3, product(conjugate(before), turn), third)


@compiled
def with_windings(angle: float, near: float, lower: float, upper: float) -> tuple[float, float]:
    """(the same heading by the revolutions that bring it nearest, what it costs): nearest to `near`, or where
    that is outside the limits, to their middle."""
    wound = near + nearest_turn(angle - near)
    if wound < lower or wound > upper:
        middle = near
        if upper - lower < math.inf:
            middle = lower + 0.5 * (upper - lower)
        wound = middle + nearest_turn(wound - middle)
    if wound < lower or wound > upper:
        return wound, OUTSIDE + abs(wound - near)
    return wound, abs(wound - near)


@compiled(inline=False)
def move_within_limits(axes: Floats, limits: Floats, turn: Quaternion, angles: Floats) -> None:
    """Legal angles whose rotation is nearest, by ascent from angles that are not legal."""
    n = angles.size
    for k in range(n):
        angles[k] = min(max(angles[k], limits[0, k]), limits[1, k])
    for _ in range(SWEEPS):
        change = 0.0
        for k in range(n):
            left = turn
            for i in range(k):
                left = product(turn_about(axis_of(axes, i), -angles[i]), left)
            for i in range(n - 1, k, -1):
                left = product(left, turn_about(axis_of(axes, i), -angles[i]))
            rest = twist(axis_of(axes, k), left, angles[k])
            lower, upper = limits[0, k], limits[1, k]
            if upper - lower < math.inf:
                middle = 0.5 * (lower + upper)
                rest = middle + nearest_turn(rest - middle)
            rest = min(max(rest, lower), upper)
            change += abs(rest - angles[k])
            angles[k] = rest
        if change < SETTLED:
            break


@compiled
def twist(axis: Vector, turn: Quaternion, otherwise: float) -> float:
    """The angle about an axis nearest to a rotation; `otherwise` where all are equally far."""
    return 2.0 * heading(dot(axis, (turn[0], turn[1], turn[2])), turn[3], 0.5 * otherwise)


@compiled
def heading(y: float, x: float, otherwise: float) -> float:
    """The angle of a direction; `otherwise` where it has no length."""
    return angle_of(y, x) if x * x + y * y > LOCKED * LOCKED else otherwise


@compiled
def angle_between(u: Vector, v: Vector) -> float:
    """The angle [rad] between two directions."""
    w = cross(u, v)
    return angle_of(math.sqrt(dot(w, w)), dot(u, v))


@compiled
def turn_about(axis: Vector, angle: float) -> Quaternion:
    """The unit quaternion of a turn."""
    s, c = sincos(0.5 * angle)
    return s * axis[0], s * axis[1], s * axis[2], c


@compiled(inline=True)
def conjugate(q: Quaternion) -> Quaternion:
    """The inverse of a unit quaternion."""
    return -q[0], -q[1], -q[2], q[3]


@compiled(inline=True)
def sine(angle: float) -> float:
    """Of an angle."""
    s, _ = sincos(angle)
    return s


@compiled(inline=True)
def axis_of(axes: Floats, k: int) -> Vector:
    """One of the axes."""
    return axes[k, 0], axes[k, 1], axes[k, 2]
