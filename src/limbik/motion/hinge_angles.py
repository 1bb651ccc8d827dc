"""The angles of one, two or three hinges in a row that make a rotation, or come nearest to it.

The axes meet in one point and are given where they stand while all angles are 0: the rotation is
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

import numpy as np
from numpy.typing import NDArray

from limbik.spatial import (
    Array,
    Quaternion,
    cross,
    dot,
    nearest_turns,
    norm,
    quat_conjugate,
    quat_multiply,
    quat_rotate,
)

LOCKED = 1e-12  # sine of the angle between outer axes under which only a sum of their angles has a meaning
SWEEPS = 40  # over the hinges, at most, where limits bind
SETTLED = 1e-13  # [rad] change of all angles in a sweep


def hinge_angles(axes: Array, rotation_xyzw: Quaternion, near: Array, lower: Array, upper: Array) -> Array:
    """Angles [T, n] of n hinges for rotations [T, 4]: of several that make the same, those nearest to
    `near` [T, n].

    axes [n, 3]: of length 1, n from 0 to 3. lower, upper [n]: limits [rad], infinite for none.
    """
    solve = (_none, _one, _two, _three)[len(axes)]
    best, cost = near, np.full(len(near), math.inf)
    for angles in solve(axes, rotation_xyzw, near):
        angles = within_turns(angles, near, lower, upper)
        outside = (angles < lower) | (angles > upper)
        change = np.abs(angles - near).sum(axis=-1) + 1e3 * outside.sum(axis=-1)
        best = np.where((change < cost)[:, None], angles, best)
        cost = np.minimum(change, cost)
    is_outside = ((best < lower) | (best > upper)).any(axis=-1)
    if is_outside.any():
        best = best.copy()
        best[is_outside] = _within_limits(axes, rotation_xyzw[is_outside], best[is_outside], lower, upper)
    return best


def within_turns(angles: Array, near: Array, lower: Array, upper: Array) -> Array:
    """The same headings [T, n] by whole turns nearest to `near`; where these are outside the limits, nearest
    to the middle of the limits."""
    found = near + nearest_turns(angles - near)
    with np.errstate(invalid="ignore"):
        middle = lower + 0.5 * (upper - lower)
    middle = np.where(np.isfinite(middle), middle, np.clip(near, lower, upper))
    outside = (found < lower) | (found > upper)
    return np.where(outside, middle + nearest_turns(found - middle), found)


def turn_about(axis: Array, angle: Array) -> Quaternion:
    """Unit quaternions [T, 4] of turns by angles [T] about one axis [3]."""
    half = 0.5 * angle[..., None]
    return np.concatenate([np.sin(half) * axis, np.cos(half)], axis=-1)


def compose(axes: Array, angles: Array) -> Quaternion:
    """The rotation [T, 4] that angles [T, n] make."""
    turn = np.zeros((*angles.shape[:-1], 4))
    turn[..., 3] = 1.0
    for k, axis in enumerate(axes):
        turn = quat_multiply(turn, turn_about(axis, angles[..., k]))
    return turn


def _none(axes: Array, turn: Quaternion, near: Array) -> list[Array]:
    return [near]


def _one(axes: Array, turn: Quaternion, near: Array) -> list[Array]:
    return [_twist(axes[0], turn, near[:, 0])[:, None]]


def _two(axes: Array, turn: Quaternion, near: Array) -> list[Array]:
    b, c = axes
    both = np.append(cross(b, c), -dot(b, c))  # the product of the two imaginary units
    cc, cs = turn[:, 3], turn[:, :3] @ c
    sc, ss = turn[:, :3] @ b, turn @ both
    apart = _heading(sc - cs, cc + ss, 0.5 * (near[:, 0] - near[:, 1]))
    together = _heading(cs + sc, cc - ss, 0.5 * (near[:, 0] + near[:, 1]))
    return [np.stack([together + apart, together - apart], axis=-1)]


def _three(axes: Array, turn: Quaternion, near: Array) -> list[Array]:
    b1, b2, b3 = axes
    v = quat_rotate(turn, np.broadcast_to(b3, (len(turn), 3)))
    side = np.arctan2(norm(cross(b1, v)), v @ b1)  # from b1 to where b3 ends
    side_12, side_23 = _angle(b1, b2), _angle(b2, b3)
    half = 0.5 * (side_12 + side_23 + side)
    above = np.sin(half - side_12) * np.sin(half - side_23)
    below = np.sin(half) * np.sin(half - side)
    corner = 2.0 * np.arctan2(np.sqrt(np.maximum(above, 0.0)), np.sqrt(np.maximum(below, 0.0)))
    beside_1, beside_3 = cross(b2, b1), cross(b2, b3)
    at_rest = math.atan2(float(b2 @ cross(beside_1, beside_3)), float(beside_1 @ beside_3))
    found = []
    for signed in (corner, -corner):
        second = signed - at_rest
        turned = turn_about(b2, second)
        u = quat_rotate(turned, np.broadcast_to(b3, (len(turn), 3)))
        from_, to = cross(b1, u), cross(b1, v)
        is_locked = np.minimum(norm(to), norm(from_)) <= LOCKED
        first = np.arctan2(cross(from_, to) @ b1, dot(from_, to))
        first = np.where(is_locked, near[:, 0], first)
        before = quat_multiply(turn_about(b1, first), turned)
        third = _twist(b3, quat_multiply(quat_conjugate(before), turn), near[:, 2])
        found.append(np.stack([first, second, third], axis=-1))
    return found


def _within_limits(axes: Array, turn: Quaternion, angles: Array, lower: Array, upper: Array) -> Array:
    """Legal angles whose rotation is nearest, by ascent from angles that are not legal."""
    angles = np.clip(angles, lower, upper)
    for _ in range(SWEEPS):
        before = angles
        for k, axis in enumerate(axes):
            first, last = compose(axes[:k], angles[:, :k]), compose(axes[k + 1 :], angles[:, k + 1 :])
            left = quat_multiply(quat_multiply(quat_conjugate(first), turn), quat_conjugate(last))
            found = _twist(axis, left, angles[:, k])
            angles = angles.copy()
            angles[:, k] = _nearest_end(found, lower[k], upper[k])
        if np.abs(angles - before).max() < SETTLED:
            break
    return angles


def _nearest_end(angle: Array, lower: float, upper: float) -> Array:
    """Angles brought into limits by whole turns, or to the end that is nearest on the circle."""
    if not math.isfinite(upper - lower):
        return np.clip(angle, lower, upper)
    middle = 0.5 * (lower + upper)
    return np.clip(middle + nearest_turns(angle - middle), lower, upper)


def _twist(axis: Array, turn: Quaternion, otherwise: Array) -> Array:
    """The angle about an axis nearest to a rotation; `otherwise` where all are equally far."""
    return 2.0 * _heading(turn[:, :3] @ axis, turn[:, 3], 0.5 * otherwise)


def _heading(y: Array, x: Array, otherwise: Array) -> Array:
    has_none: NDArray[np.bool_] = np.hypot(x, y) < LOCKED
    return np.where(has_none, otherwise, np.arctan2(y, x))


def _angle(u: Array, v: Array) -> float:
    return math.atan2(float(norm(cross(u, v))), float(u @ v))
