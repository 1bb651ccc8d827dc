"""Chains that move in a plane: revolute joints with parallel axes. Two numbers say where a point is.

The names here (`forward`, `advance`, `blend`, `freeze`, `tangent_size`, `frames_size`, `admit`) are the ones
that `chain.spatial` and `chain.joints` have, too, so that one loop serves both.
"""

from __future__ import annotations

import math

import numpy as np

from limbik.compiler.kernel import Floats, Records, compiled
from limbik.numerics.start_check import AS_IT_WAS, INVALID, MANY_TURNS, MOVED, ROUNDING
from limbik.numerics.trigonometry import nearest_turn, sincos

# One revolute joint and the link after it. The link's heading, relative to the link before, is sign * q +
# offset.
LINK = np.dtype(
    [
        ("length", np.float64),  # [m]
        ("offset", np.float64),  # [rad]
        ("sign", np.float64),  # +1, or -1 where the axis points the other way
        ("lower", np.float64),  # [rad]
        ("upper", np.float64),  # [rad]
    ]
)


@compiled
def locate(place: Records, goal: Floats, target: Floats) -> float:
    """The goal's point [2 or 3, m, world] in the plane's own coordinates, target [3] with z = 0.

    Returns its squared distance from the plane [m^2]. A point of two numbers has the height of the arm.
    """
    height = 0.0
    target[0] = target[1] = target[2] = 0.0
    for k in range(3):
        offset = goal[k] - place.origin[k] if k < goal.size else 0.0
        target[0] += place.x[k] * offset
        target[1] += place.y[k] * offset
        height += place.z[k] * offset
    return height * height


@compiled
def frames_size(joints: Records) -> int:
    """Numbers that `forward` needs room for: none in the plane."""
    return 0


@compiled
def tangent_size(joints: Records) -> int:
    """Numbers in a velocity of the chain."""
    return joints.size


@compiled
def forward(joints: Records, target: Floats, q: Floats, J: Floats, r: Floats, frames: Floats) -> float:
    """Jacobian J [2, n] and residual r [2] (target - end effector); returns the squared error [m^2]."""
    n = q.size
    heading = 0.0
    for j in range(n):
        heading += joints[j].sign * q[j] + joints[j].offset
        J[0, j] = heading
    for j in range(n):
        sine, cosine = sincos(J[0, j])
        J[0, j] = joints[j].length * cosine
        J[1, j] = joints[j].length * sine
    # From the tip back, the sum of the links beyond a revolute joint is the lever from the revolute joint to
    # the end effector.
    x = 0.0
    y = 0.0
    for j in range(n - 1, -1, -1):
        x += J[0, j]
        y += J[1, j]
        J[0, j] = -joints[j].sign * y
        J[1, j] = joints[j].sign * x
    r[0] = target[0] - x
    r[1] = target[1] - y
    return r[0] * r[0] + r[1] * r[1]


@compiled
def admit(joints: Records, use_limits: bool, q: Floats) -> int:
    """Make q a start: within limits, and without a great many turns. Returns INVALID, MOVED or AS_IT_WAS."""
    verdict = AS_IT_WAS
    for j in range(q.size):
        before = q[j]
        if not abs(before) < math.inf:
            return INVALID
        if use_limits:
            q[j] = min(max(before, joints[j].lower), joints[j].upper)
        if abs(q[j]) > MANY_TURNS:
            q[j] = nearest_turn(q[j])
        if abs(q[j] - before) > ROUNDING:
            verdict = MOVED
    return verdict


@compiled
def advance(joints: Records, q: Floats, dq: Floats, scale: float, use_limits: bool, q_new: Floats) -> None:
    """q_new = q + scale * dq, kept within limits."""
    for j in range(q.size):
        value = q[j] + scale * dq[j]
        if use_limits:
            value = min(max(value, joints[j].lower), joints[j].upper)
        q_new[j] = value


@compiled
def blend(joints: Records, q: Floats, rest: Floats, fraction: float, use_limits: bool) -> None:
    """Move q the given fraction of the way to `rest`, in place; between legal values all are legal."""
    for j in range(q.size):
        q[j] += fraction * (rest[j] - q[j])


@compiled
def freeze(joints: Records, q: Floats, gradient: Floats, J: Floats) -> int:
    """Take out of J and the gradient every revolute joint that a limit stops; how many."""
    frozen = 0
    for j in range(q.size):
        at_upper = (q[j] >= joints[j].upper) & (gradient[j] > 0.0)
        at_lower = (q[j] <= joints[j].lower) & (gradient[j] < 0.0)
        if at_upper | at_lower:
            frozen += 1
            gradient[j] = 0.0
            J[0, j] = 0.0
            J[1, j] = 0.0
    return frozen
