"""A chain in the plane as points p [n + 1, 3], the base at the origin first and every z = 0: from angles to
points and back.

The names here are the ones `chain.ball_points` has too, so that one method serves both.
"""

from __future__ import annotations

from limbik.compiler.kernel import Floats, Records, compiled
from limbik.numerics.trigonometry import (
    angle_of,
    nearest_turn,
    nearest_within_limits,
    sincos,
    turn_within_limits,
)


@compiled
def count_segments(joints: Records) -> int:
    """How many segments there are."""
    return joints.size


@compiled
def measure_segments(joints: Records, lengths: Floats) -> None:
    """The lengths [n] of the segments [m]."""
    for j in range(lengths.size):
        lengths[j] = joints[j].length


@compiled
def draw_points(joints: Records, q: Floats, target: Floats, p: Floats) -> float:
    """The points at q [n]; returns the squared distance of the last one from the target [m^2]."""
    heading = 0.0
    p[0, 0] = p[0, 1] = p[0, 2] = 0.0
    for j in range(q.size):
        heading += joints[j].sign * q[j] + joints[j].offset
        sine, cosine = sincos(heading)
        p[j + 1, 0] = p[j, 0] + joints[j].length * cosine
        p[j + 1, 1] = p[j, 1] + joints[j].length * sine
        p[j + 1, 2] = 0.0
    return (target[0] - p[q.size, 0]) ** 2 + (target[1] - p[q.size, 1]) ** 2


@compiled
def follow_points(joints: Records, p: Floats, use_limits: bool, q: Floats) -> None:
    """Turn each revolute joint, base to tip, so that its segment points at the next point, as far as its
    limits allow.

    Each angle is the nearest one to the angle before. A revolute joint whose segment has no length keeps its
    angle.
    """
    x = y = before = 0.0
    for j in range(q.size):
        hinge = joints[j]
        heading = before + hinge.sign * q[j] + hinge.offset
        dx, dy = p[j + 1, 0] - x, p[j + 1, 1] - y
        if hinge.length > 0.0 and (dx != 0.0 or dy != 0.0):
            turn = hinge.sign * nearest_turn(angle_of(dy, dx) - heading)
            if use_limits:
                turn = turn_within_limits(q[j], turn, hinge.lower, hinge.upper)
                q[j] = min(max(q[j] + turn, hinge.lower), hinge.upper)
            else:
                q[j] += turn
            heading = before + hinge.sign * q[j] + hinge.offset
        before = heading
        if use_limits:
            sine, cosine = sincos(heading)
            x += hinge.length * cosine
            y += hinge.length * sine
        else:
            x, y = p[j + 1, 0], p[j + 1, 1]


@compiled
def backward_within_limits(joints: Records, lengths: Floats, target: Floats, p: Floats) -> None:
    """FABRIK's backward pass, no revolute joint between two segments turned further than its limits allow.

    A segment without length has no heading of its own, and binds no other.
    """
    n = joints.size
    p[n, 0], p[n, 1], p[n, 2] = target[0], target[1], 0.0
    after = 0.0
    is_bound = False
    for j in range(n - 1, -1, -1):
        heading = angle_of(p[j + 1, 1] - p[j, 1], p[j + 1, 0] - p[j, 0])
        if is_bound:
            hinge = joints[j + 1]
            wanted = hinge.sign * (after - heading - hinge.offset)
            value = nearest_within_limits(wanted, hinge.lower, hinge.upper)
            heading = after - hinge.sign * value - hinge.offset
        after = heading
        is_bound = lengths[j] > 0.0
        sine, cosine = sincos(heading)
        p[j, 0] = p[j + 1, 0] - lengths[j] * cosine
        p[j, 1] = p[j + 1, 1] - lengths[j] * sine
