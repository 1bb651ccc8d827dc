"""Axes for the velocities of ball joints in a tracker's step: near a limit they are aligned with it, so that
it bounds a single velocity.

So a limit of swing, twist or an Euler angle is a bound of one velocity, as a limit of another joint is, and
part of every level. Swing and twist have orthogonal normals; Euler angles are counted by their own rates
(Siciliano et al. 2009, section 3.6). What such a bound leaves out at second order, the step is brought back
by when it is made.
"""

from __future__ import annotations

import math

import numpy as np

from limbik.compiler.kernel import Floats, Records, compiled
from limbik.motion.active_set import FREE
from limbik.motion.state import DT, TrackerState
from limbik.numerics.linear import fill
from limbik.numerics.rotation import (
    Quaternion,
    Vector,
    component,
    exponential,
    logarithm,
    near_range,
    product,
    times,
    transposed_times,
)
from limbik.numerics.trigonometry import FULL_TURN, angle_of, sincos
from limbik.numerics.vectors import cross, dot, length, perpendicular, plus, scaled
from limbik.spatial import Array
from limbik.tree.joints import SPHERICAL, set_spherical
from limbik.tree.kinematics import SCREW_SIZE
from limbik.tree.workspace import Tree

LONGEST_TURN = 1.0  # [rad] in one step: what the Jacobian says of farther ones is not true
ROUNDING = 1e-12  # [rad]
ATTEMPTS = 8  # to shorten a turn that limits make too fast, before it is not made
SHORTER = 0.99  # factor on it beyond what its rates ask for
UPRIGHT = 1e-9  # sine of half a swing under which it has no direction
SINGULAR = 0.05  # cosine of half a swing, or of the second Euler angle, under which the limits have no axes
QUARTER = 0.5 * math.pi - 1e-9  # [rad] from which on the second Euler angle has no limit of its own


@compiled
def is_aligned(motion: TrackerState, mover: Records) -> bool:
    """Whether a joint is a ball joint near a limit, whose axes are those of its limits."""
    return mover.kind == SPHERICAL and motion.aligned[mover.v] > 0.0


@compiled
def has_limits(mover: Records) -> bool:
    """Whether a ball joint has a limit."""
    return mover.order > 0 or mover.cone < math.pi or mover.upper - mover.lower < FULL_TURN


@compiled(inline=False)
def align_balls(tree: Tree, motion: TrackerState) -> None:
    """Choose the axes of the ball joints at `motion.q`; what is known of the last steps is turned to them."""
    for j in range(tree.movers.size - 1):
        mover = tree.movers[j]
        if mover.kind != SPHERICAL or tree.units[mover.v] == 0.0:
            continue
        v = mover.v
        fill(math.inf, motion.below[v : v + 3])
        fill(math.inf, motion.above[v : v + 3])
        if not has_limits(mover):
            continue
        before = is_aligned(motion, mover)
        if before:
            turn_history(motion, motion.to_body, v)
        has_axes = find_euler_axes(mover, motion) if mover.order > 0 else find_swing_axes(mover, motion)
        if not (has_axes and is_near_limit(motion, v)):
            fill(math.inf, motion.below[v : v + 3])
            fill(math.inf, motion.above[v : v + 3])
            fill(0.0, motion.aligned[v : v + 3])
        else:
            fill(1.0, motion.aligned[v : v + 3])
            turn_history(motion, motion.to_axes, v)
        if is_aligned(motion, mover) != before:
            for row in range(motion.active.shape[0]):
                fill(FREE, motion.active[row, v : v + 3])


@compiled(inline=False)
def is_near_limit(motion: TrackerState, v: int) -> bool:
    """Whether a step can take a ball joint to one of its limits."""
    for k in range(v, v + 3):
        reach = 0.0
        for i in range(3):
            reach += abs(motion.to_axes[3 * k + i]) * longest_rate(motion, v + i)
        if min(motion.below[k], motion.above[k]) <= reach:
            return True
    return False


@compiled(inline=False)
def find_swing_axes(mover: Records, motion: TrackerState) -> bool:
    """Fill the axes of a ball joint with limits of twist and swing, the normals of these first, and how far
    it is from them; whether it has such axes.
    """
    v, i, q = mover.v, mover.q, motion.q
    axis, vector, w = (mover.axis[0], mover.axis[1], mover.axis[2]), (q[i], q[i + 1], q[i + 2]), q[i + 3]
    along = dot(axis, vector)
    cosine = math.sqrt(along * along + w * w)  # of half the swing
    if cosine < SINGULAR:
        return False
    # Of `along`, with the body's velocity, twice: w axis + axis x vector.
    rate = plus(scaled(w, axis), 1.0, cross(axis, vector))
    twist = scaled(1.0 / cosine, plus(scaled(w, rate), along, vector))
    if mover.upper - mover.lower < FULL_TURN:
        angle = near_range(2.0 * angle_of(along, w), mover.lower, mover.upper)
        motion.below[v], motion.above[v] = cosine * (angle - mover.lower), cosine * (mover.upper - angle)
    normal = plus(scaled(w, vector), -along, rate)
    sine = length(normal) / cosine
    if sine > UPRIGHT:
        swing = scaled(1.0 / length(normal), normal)
        angle = 2.0 * angle_of(sine, cosine)
    else:
        swing = perpendicular(twist)
        angle = 0.0
    if mover.cone < math.pi:
        motion.below[v + 1], motion.above[v + 1] = mover.cone + angle, mover.cone - angle
        # Across it the swing goes around the cone: no farther in one step than what the tangent says is true.
        motion.below[v + 2] = motion.above[v + 2] = mover.cone
    third = cross(twist, swing)
    put_axis(motion, v, 0, twist)
    put_axis(motion, v, 1, swing)
    put_axis(motion, v, 2, third)
    return True


@compiled
def put_axis(motion: TrackerState, v: int, k: int, axis: Vector) -> None:
    """Make a unit vector one of the three orthogonal axes of a ball joint."""
    i, at = 3 * (v + k), 3 * v + k
    motion.to_axes[i], motion.to_axes[i + 1], motion.to_axes[i + 2] = axis
    motion.to_body[at], motion.to_body[at + 3], motion.to_body[at + 6] = axis


@compiled(inline=False)
def find_euler_axes(mover: Records, motion: TrackerState) -> bool:
    """Fill the axes of a ball joint whose velocities are the rates of its Euler angles, and how far these are
    from their limits; whether it has such axes. See `rotation.within_euler_limits` for the angles.
    """
    v, at, q = mover.v, mover.q, motion.q
    i, j = (mover.order - 1) // 3, (mover.order - 1) % 3
    k = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    here = (q[at], q[at + 1], q[at + 2], q[at + 3])
    first, second, third, w = component(here, i), component(here, j), component(here, k), q[at + 3]
    plus_y, plus_x, minus_y, minus_x = first + sign * third, w + second, first - sign * third, w - second
    long = math.sqrt(plus_x * plus_x + plus_y * plus_y)
    short = math.sqrt(minus_x * minus_x + minus_y * minus_y)
    together, apart = angle_of(plus_y, plus_x), angle_of(minus_y, minus_x)
    b = 2.0 * angle_of(long, short) - 0.5 * math.pi
    sine_b, cosine_b = sincos(b)
    if cosine_b < SINGULAR:
        return False
    a = near_range(together + apart, mover.euler_lower[0], mover.euler_upper[0])
    c = near_range(sign * (together - apart), mover.euler_lower[2], mover.euler_upper[2])
    set_margins(motion, v, a, mover.euler_lower[0], mover.euler_upper[0])
    set_margins(
        motion,
        v + 1,
        b,
        mover.euler_lower[1] if mover.euler_lower[1] > -QUARTER else -math.inf,
        mover.euler_upper[1] if mover.euler_upper[1] < QUARTER else math.inf,
    )
    set_margins(motion, v + 2, c, mover.euler_lower[2], mover.euler_upper[2])
    sine_c, cosine_c = sincos(c)
    sine_b, sine_c = sign * sine_b, sign * sine_c
    body, axes = motion.to_body[3 * v : 3 * v + 9], motion.to_axes[3 * v : 3 * v + 9]
    fill(0.0, body)
    fill(0.0, axes)
    body[3 * i], body[3 * i + 1] = cosine_b * cosine_c, sine_c
    body[3 * j], body[3 * j + 1] = -cosine_b * sine_c, cosine_c
    body[3 * k], body[3 * k + 2] = sine_b, 1.0
    axes[i], axes[j] = cosine_c / cosine_b, -sine_c / cosine_b
    axes[3 + i], axes[3 + j] = sine_c, cosine_c
    axes[6 + i], axes[6 + j], axes[6 + k] = -sine_b * axes[i], -sine_b * axes[j], 1.0
    return True


@compiled
def set_margins(motion: TrackerState, v: int, angle: float, lower: float, upper: float) -> None:
    """Note how far an angle [rad] is from its limits."""
    motion.below[v], motion.above[v] = angle - lower, upper - angle


@compiled(inline=False)
def turn_history(motion: TrackerState, M: Floats, v: int) -> None:
    """Multiply what is known of a ball joint's velocities, which begin at v, in the last steps by its matrix
    among M.
    """
    turn(M, v, motion.moved)
    turn(M, v, motion.drift)
    turn(M, v, motion.first_before)
    turn(M, v, motion.lower_before)


@compiled
def turn(M: Floats, v: int, x: Floats) -> None:
    """Multiply the velocities x [nv] of a ball joint by its matrix among M."""
    x[v], x[v + 1], x[v + 2] = times(M, 3 * v, x[v], x[v + 1], x[v + 2])


@compiled(inline=False)
def turn_screws(tree: Tree, motion: TrackerState, screws: Floats) -> None:
    """Replace the screws [3 * links, 6] of ball joints by those about their axes."""
    for j in range(tree.links.size):
        link = tree.links[j]
        if link.kind != SPHERICAL or motion.aligned[link.v] == 0.0:
            continue
        for i in range(SCREW_SIZE):
            a, b, c = screws[3 * j, i], screws[3 * j + 1, i], screws[3 * j + 2, i]
            a, b, c = transposed_times(motion.to_body, 3 * link.v, a, b, c)
            screws[3 * j, i], screws[3 * j + 1, i], screws[3 * j + 2, i] = a, b, c


@compiled(inline=False)
def turn_back(tree: Tree, motion: TrackerState, x: Floats) -> None:
    """Bring velocities x [nv] about the axes of ball joints to those about their own x, y and z."""
    for j in range(tree.movers.size - 1):
        if is_aligned(motion, tree.movers[j]):
            turn(motion.to_body, tree.movers[j].v, x)


@compiled
def longest_rate(motion: TrackerState, v: int) -> float:
    """How far [rad] a ball joint may turn about x, y or z in one step."""
    return min(motion.settings[DT] * motion.velocity_limits[v], LONGEST_TURN)


@compiled
def longest_turn(motion: TrackerState, v: int) -> float:
    """How far [rad] an aligned ball joint may turn about each of its axes in one step, so that it does not
    turn too far about x, y or z.
    """
    shortest = math.inf
    for i in range(3):
        row = 3 * (v + i)
        total = abs(motion.to_body[row]) + abs(motion.to_body[row + 1]) + abs(motion.to_body[row + 2])
        shortest = min(shortest, longest_rate(motion, v + i) / total)
    return shortest


@compiled(inline=False)
def measure_balls(tree: Tree, motion: TrackerState, trial: Floats) -> None:
    """What limits of ball joints have made of their rotations, into `motion.moved`. Of a turn that they make
    too fast a part is made.
    """
    for j in range(tree.movers.size - 1):
        mover = tree.movers[j]
        if mover.kind != SPHERICAL or tree.units[mover.v] == 0.0 or not has_limits(mover):
            continue
        q, i = motion.q, mover.q
        here = (q[i], q[i + 1], q[i + 2], q[i + 3])
        turned = turn_between(here, trial, i)
        if is_as_wanted(motion, mover, turned):
            continue
        for attempt in range(ATTEMPTS + 1):
            fraction = fraction_of_rates(motion, mover.v, turned)
            if fraction == 1.0:
                break
            x, y, z = scaled(SHORTER * fraction if attempt < ATTEMPTS else 0.0, turned)
            set_spherical(mover, product(here, exponential(x, y, z)), True, trial)
            turned = turn_between(here, trial, i)
        put_turn(motion, mover, turned)


@compiled(inline=False)
def turn_between(here: Quaternion, q: Floats, i: int) -> Vector:
    """The turn [rad] from a rotation to the one at q[i : i + 4], about x, y and z."""
    x, y, z, w = here
    return logarithm(product((-x, -y, -z, w), (q[i], q[i + 1], q[i + 2], q[i + 3])))


@compiled(inline=False)
def is_as_wanted(motion: TrackerState, mover: Records, turned: Vector) -> bool:
    """Whether a ball joint has turned as `motion.moved` says, but for rounding."""
    v = mover.v
    x, y, z = motion.moved[v], motion.moved[v + 1], motion.moved[v + 2]
    if is_aligned(motion, mover):
        x, y, z = times(motion.to_body, 3 * v, x, y, z)
    return max(abs(turned[0] - x), abs(turned[1] - y), abs(turned[2] - z)) <= ROUNDING


@compiled(inline=False)
def fraction_of_rates(motion: TrackerState, v: int, turned: Vector) -> float:
    """Which part of a turn a ball joint may make in one step; 1: all of it."""
    excess = max(
        abs(turned[0]) / longest_rate(motion, v),
        abs(turned[1]) / longest_rate(motion, v + 1),
        abs(turned[2]) / longest_rate(motion, v + 2),
    )
    return 1.0 if excess <= 1.0 else 1.0 / excess


@compiled(inline=False)
def put_turn(motion: TrackerState, mover: Records, turned: Vector) -> None:
    """Note a turn as what a ball joint has moved."""
    v = mover.v
    motion.moved[v], motion.moved[v + 1], motion.moved[v + 2] = turned
    if is_aligned(motion, mover):
        turn(motion.to_axes, v, motion.moved)


def body_velocities(movers: Records, motion: TrackerState) -> Array:
    """The matrix [nv, nv] that brings velocities about the axes of ball joints to those about x, y and z."""
    matrix = np.eye(motion.aligned.size)
    for mover in movers[:-1]:
        v = int(mover["v"])
        if mover["kind"] == SPHERICAL and motion.aligned[v] > 0.0:
            matrix[v : v + 3, v : v + 3] = motion.to_body[3 * v : 3 * v + 9].reshape(3, 3)
    return matrix
