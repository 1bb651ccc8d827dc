"""Two bones in closed form, as a kernel: the rotations of root and mid that bring a limb's tip to a point.

First the mid joint bends until root and tip are as far apart as root and target, then the limb turns by the
smallest rotation until it points at the target, then about that line until the middle looks toward the pole.
The bend is by half angles of the triangle of the bones, in Kahan's order of operations ("Miscalculating Area
and Angles of a Needle-like Triangle", 2014), so that no trigonometric function is needed.

What is continuous, and where it is not:

- The bend plane is that of the pose beneath. Where its bones are nearly in one line, the plane goes over into
  one through the given axis: between BENT and a straight limb by a smooth step. With HAS_KNEE what a limb is
  bent more than in the pose beneath, it is bent about the axis: captured limbs that are nearly straight bend
  to any side, and a knee that is bent more would follow that noise.
- Near the line of root and target the pole says nothing: its direction goes over into that of the pose
  beneath, smoothly, while the angle between pole and line shrinks from that of POLE to 0. No rule without a
  memory is continuous everywhere (a disc has no continuous map onto its edge that keeps the edge): here one
  spot is left, where the pole is on the other side of the line than the middle of the pose beneath, midway
  through the zone. Elsewhere the swivel follows.
- The smallest rotation has no answer where the target is right behind the root, as seen from the tip.
"""

from __future__ import annotations

import math
from typing import Annotated

from limbik.compiler.arrays import ANY, array
from limbik.compiler.kernel import Floats, Matrix, Watch, compiled, is_stopped
from limbik.numerics.rotation import (
    Quaternion,
    Vector,
    product,
    rotate,
    smallest_turn,
)
from limbik.numerics.trigonometry import angle_of, nearest_turn, sincos
from limbik.numerics.vectors import cross, dot, length

# A row of the problems: points and directions along axes of the world [m].
ROOT, MID, TIP, TARGET, AXIS, POLE = 0, 3, 6, 9, 12, 15
SWIVEL, MIN, MAX = 18, 19, 20  # [rad]; allowed change of a hinge [rad]
ROW = 21
# A row of the answers: quaternions xyzw of rotations in the world, and the factor of the bones' lengths.
TURN_ROOT, TURN_MID, FACTOR = 0, 4, 8
ANSWER = 9
# What is the same for all rows.
IS_HINGE, HAS_POLE, SOFTEN, STRETCH, HAS_KNEE = 0, 1, 2, 3, 4
SETTINGS = 5

BENT = 0.07  # sine of the bend (4 degrees) from which on the plane is that of the pose alone
NEAR_POLE = 0.17  # sine of the angle (10 degrees) between pole and line from which on the pole alone counts
TOWARD_KNEE = 0.5  # how much the axis counts in what is bent more
SOFTEST = 0.4  # of the ratio of the shorter bone to the longer: of the reach, over which it is eased at most
TINY = 1e-12


@compiled
def solve_rows(
    problems: Annotated[Matrix, array(ANY, ROW)],
    settings: Annotated[Floats, array(SETTINGS)],
    answers: Annotated[Matrix, array(ANY, ANSWER)],
    watch: Watch,
) -> int:
    """Every limb [T, ROW]; returns how many were done before the watch ended it."""
    for k in range(problems.shape[0]):
        if is_stopped(watch, k):
            return k
        solve_row(problems[k], settings, answers[k])
    return problems.shape[0]


@compiled
def solve_row(problem: Floats, settings: Floats, answer: Floats) -> None:
    """One limb."""
    u = difference(problem, MID, ROOT)
    v = difference(problem, TIP, MID)
    to_target = difference(problem, TARGET, ROOT)
    axis = problem[AXIS], problem[AXIS + 1], problem[AXIS + 2]
    distance = length(to_target)
    if settings[IS_HINGE] > 0.0:
        turn_mid, side, factor = bend_hinge(u, v, axis, distance, problem, settings)
    else:
        turn_mid, side, factor = bend_freely(u, v, axis, distance, settings)
    bent = rotate(turn_mid, v[0], v[1], v[2])
    chord = u[0] + bent[0], u[1] + bent[1], u[2] + bent[2]
    line = to_target
    if not distance > TINY * (length(u) + length(v)):  # the target is at the root: it has no direction
        line = chord
    turn = smallest_turn(chord[0], chord[1], chord[2], line[0], line[1], line[2])
    along = unit_of(line)
    if settings[HAS_POLE] > 0.0:
        middle = rotate(turn, side[0], side[1], side[2])
        turn = product(turn_to_pole(along, middle, difference(problem, POLE, ROOT)), turn)
    if problem[SWIVEL] != 0.0:
        sine, cosine = sincos(0.5 * problem[SWIVEL])
        turn = product((sine * along[0], sine * along[1], sine * along[2], cosine), turn)
    write(answer, TURN_ROOT, turn)
    write(answer, TURN_MID, turn_mid)
    answer[FACTOR] = factor


@compiled
def bend_freely(
    u: Vector, v: Vector, axis: Vector, distance: float, settings: Floats
) -> tuple[Quaternion, Vector, float]:
    """(turn of the mid joint, direction across the limb in which its middle stands, factor of the lengths)
    for a joint that turns about any axis. It is made straight first, then bent about an axis across.
    """
    a, b = length(u), length(v)
    wanted = softened(distance, a, b, settings[SOFTEN])
    sine, cosine = half_bend(a, b, wanted)
    straight = smallest_turn(v[0], v[1], v[2], u[0], u[1], u[2])
    axis = rotate(straight, axis[0], axis[1], axis[2])
    if settings[HAS_KNEE] > 0.0:
        h = knee_axis(u, v, axis, 2.0 * angle_of(sine, cosine))
    else:
        h = bend_axis(u, v, axis, a * b)
    turn = product((sine * h[0], sine * h[1], sine * h[2], cosine), straight)
    # The chord is u turned about h by an angle from 0 to the bend: what is across it is u x h turned alike.
    bent = rotate(turn, v[0], v[1], v[2])
    side = cross((u[0] + bent[0], u[1] + bent[1], u[2] + bent[2]), h)
    if not length(side) > TINY * (a + b):
        side = u
    return turn, unit_of(side), stretch_factor(distance, wanted, settings[STRETCH])


@compiled
def bend_hinge(
    u: Vector, v: Vector, h: Vector, distance: float, problem: Floats, settings: Floats
) -> tuple[Quaternion, Vector, float]:
    """The same for a hinge with a unit axis h: only what is across the axis comes nearer."""
    u_along, v_along = dot(u, h), dot(v, h)
    u_across = u[0] - u_along * h[0], u[1] - u_along * h[1], u[2] - u_along * h[2]
    v_across = v[0] - v_along * h[0], v[1] - v_along * h[1], v[2] - v_along * h[2]
    a, b, along = length(u_across), length(v_across), u_along + v_along
    across = math.sqrt(max((distance - along) * (distance + along), 0.0))
    wanted = softened(across, a, b, settings[SOFTEN])
    sine, cosine = half_bend(a, b, wanted)
    bend = 2.0 * angle_of(sine, cosine)
    # Of unit vectors: lengths may be so small that the reciprocal of their product is infinite.
    u_unit, v_unit = unit_of(u_across), unit_of(v_across)
    now = angle_of(dot(h, cross(u_unit, v_unit)), dot(u_unit, v_unit))
    change = allowed_change(bend - now, -bend - now, problem[MIN], problem[MAX])
    s, c = sincos(0.5 * change)
    turn = (s * h[0], s * h[1], s * h[2], c)
    bent = rotate(turn, v[0], v[1], v[2])
    chord = u[0] + bent[0], u[1] + bent[1], u[2] + bent[2]
    fraction = dot(u, chord) / max(dot(chord, chord), 1e-300)
    side = u[0] - fraction * chord[0], u[1] - fraction * chord[1], u[2] - fraction * chord[2]
    if not length(side) > 1e-6 * (a + b):
        side = cross(chord, h)
    full = math.sqrt(wanted * wanted + along * along)
    return turn, unit_of(side), stretch_factor(distance, full, settings[STRETCH])


@compiled
def allowed_change(first: float, second: float, lower: float, upper: float) -> float:
    """Of two rotations [rad] of a hinge the one that its limits allow, or the smaller one; within the
    limits.
    """
    first, second = nearest_turn(first), nearest_turn(second)
    beyond_first = max(lower - first, first - upper, 0.0)
    beyond_second = max(lower - second, second - upper, 0.0)
    if beyond_first == beyond_second:
        chosen = second if abs(second) < abs(first) - TINY else first
    else:
        chosen = second if beyond_second < beyond_first else first
    return min(max(chosen, lower), upper)


@compiled
def softened(distance: float, a: float, b: float, soften: float) -> float:
    """The distance [m] of root and tip for a target that far from the root.

    In the last fraction of the reach the angle between the first bone and the line goes to 0 as a parabola of
    the target's distance, from its own slope on: the middle moves no faster than where this begins.
    That fraction is `soften`, less where one bone is much shorter than the other.
    """
    reach = a + b
    eased = 0.0 if min(a, b) <= 0.0 else min(soften, SOFTEST * min(a, b) / max(a, b))
    begin = (1.0 - eased) * reach
    if distance > begin and eased > 0.0:
        sine, cosine = half_angle_at_root(a, b, begin)
        angle = 2.0 * angle_of(sine, cosine)
        slope = (begin - a * (cosine - sine) * (cosine + sine)) / (2.0 * a * begin * sine * cosine)  # [rad/m]
        left = max(1.0 - 0.5 * slope * (distance - begin) / angle, 0.0)
        s, c = sincos(angle * left * left)
        return a * c + math.sqrt(max((b - a * s) * (b + a * s), 0.0))
    return min(max(distance, abs(a - b)), reach)


@compiled
def half_bend(a: float, b: float, c: float) -> tuple[float, float]:
    """(sine, cosine) of half the angle between the directions of two bones a and b whose ends are c apart."""
    if not a * b > 0.0:
        return 0.0, 1.0
    longer, shorter = max(a, b), min(a, b)
    # Twice: s - c, s, s - a and s - b, where s is half the circumference.
    beyond_c = shorter - (c - longer) if c >= longer else longer + (shorter - c)
    beyond_both = (c - (longer - shorter)) * (c + (longer - shorter))
    sine = math.sqrt(max(beyond_c, 0.0) * (c + (longer + shorter)))
    cosine = math.sqrt(max(beyond_both, 0.0))
    scale = 1.0 / math.sqrt(sine * sine + cosine * cosine)
    return scale * sine, scale * cosine


@compiled
def half_angle_at_root(a: float, b: float, c: float) -> tuple[float, float]:
    """(sine, cosine) of half the angle between sides a and c of a triangle, opposite to b."""
    sine = math.sqrt(max((b - (c - a)) * (b + (c - a)), 0.0))
    cosine = math.sqrt(max(((a + c) - b) * ((a + c) + b), 0.0))
    scale = 1.0 / math.sqrt(sine * sine + cosine * cosine)
    return scale * sine, scale * cosine


@compiled
def stretch_factor(distance: float, reached: float, stretch: float) -> float:
    """What the bones' lengths are multiplied by."""
    if not (stretch > 0.0 and distance > reached and reached > 0.0):
        return 1.0
    return min(distance / reached, 1.0 + stretch)


@compiled
def bend_axis(u: Vector, v: Vector, axis: Vector, scale: float) -> Vector:
    """The unit axis of the bend, across u: that of the pose, or near a straight limb the given one."""
    n = cross(u, v)
    size = length(n)
    fraction = smooth_step(size / max(BENT * scale, 1e-300))
    rest = across_of(axis, u)
    if fraction >= 1.0:
        return unit_of(n)
    of_pose = fraction / max(size, 1e-300)
    h = (
        of_pose * n[0] + (1.0 - fraction) * rest[0],
        of_pose * n[1] + (1.0 - fraction) * rest[1],
        of_pose * n[2] + (1.0 - fraction) * rest[2],
    )
    if not length(h) > TINY:
        return rest
    return unit_of(h)


@compiled
def knee_axis(u: Vector, v: Vector, axis: Vector, bend: float) -> Vector:
    """The unit axis of a bend [rad], across u: that of the pose for its own bend, `axis` for what is more."""
    n = cross(u, v)
    size = length(n)
    before = angle_of(size, dot(u, v))
    of_pose = before / max(size, 1e-300)
    more = TOWARD_KNEE * max(bend - before, 0.0)
    rest = across_of(axis, u)
    h = of_pose * n[0] + more * rest[0], of_pose * n[1] + more * rest[1], of_pose * n[2] + more * rest[2]
    if not length(h) > TINY:
        return rest
    return unit_of(h)


@compiled
def turn_to_pole(along: Vector, middle: Vector, pole: Vector) -> Quaternion:
    """The turn about the line that brings the middle to the side of the pole; both seen from the root."""
    on_line = dot(pole, along)
    beside = pole[0] - on_line * along[0], pole[1] - on_line * along[1], pole[2] - on_line * along[2]
    size = length(beside)
    fraction = smooth_step(size / max(NEAR_POLE * length(pole), 1e-300))
    of_pole = fraction / max(size, 1e-300)
    x = of_pole * dot(beside, middle) + (1.0 - fraction)
    y = of_pole * dot(along, cross(middle, beside))
    size = math.sqrt(x * x + y * y)
    if not size > TINY:
        return 0.0, 0.0, 0.0, 1.0
    # By half angles: tan(t / 2) = y / (1 + x) = (1 - x) / y.
    if x > 0.0:
        sine, cosine = y, size + x
    else:
        sine, cosine = (size - x if y >= 0.0 else x - size), abs(y)
    scale = 1.0 / math.sqrt(sine * sine + cosine * cosine)
    return scale * sine * along[0], scale * sine * along[1], scale * sine * along[2], scale * cosine


@compiled(inline=True)
def smooth_step(x: float) -> float:
    """From 0 at 0 to 1 at 1, with slopes of 0."""
    t = min(max(x, 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t)


@compiled
def across_of(axis: Vector, u: Vector) -> Vector:
    """The unit vector across u nearest to the axis; where the axis is along u, another one across."""
    squared = dot(u, u)
    fraction = dot(axis, u) / max(squared, 1e-300)
    x, y, z = axis[0] - fraction * u[0], axis[1] - fraction * u[1], axis[2] - fraction * u[2]
    if x * x + y * y + z * z > 1e-6:
        return unit_of((x, y, z))
    return unit_of(cross(u, (u[1], u[2], -u[0])))


@compiled(inline=True)
def difference(row: Floats, to: int, start: int) -> Vector:
    """From one point of a row to another."""
    return row[to] - row[start], row[to + 1] - row[start + 1], row[to + 2] - row[start + 2]


@compiled(inline=True)
def write(row: Floats, at: int, q: Quaternion) -> None:
    """A quaternion into a row."""
    row[at], row[at + 1], row[at + 2], row[at + 3] = q[0], q[1], q[2], q[3]


@compiled(inline=True)
def unit_of(v: Vector) -> Vector:
    """The unit vector in the same direction; the zero vector as it is."""
    factor = 1.0 / max(length(v), 1e-300)
    return factor * v[0], factor * v[1], factor * v[2]
