"""Chains of hinges, slides and ball joints in space.

The names here (`forward`, `advance`, `blend`, `freeze`, `tangent_size`, `frames_size`, `admit`) are the ones
`core.planar_chain` has too, so that one loop serves both.
"""

from __future__ import annotations

import math

import numpy as np

from limbik.compiler.kernel import Floats, Records, compiled, empty
from limbik.core.rotation import (
    exponential,
    logarithm,
    multiply,
    product,
    rotation_vector,
    times,
    times_quaternion,
    turn_about,
    within_ball_limits,
    within_euler_limits,
)
from limbik.core.start import AS_IT_WAS, INVALID, MANY_TURNS, MOVED, ROUNDING
from limbik.core.trigonometry import nearest_turn, sincos

SHORTEST_QUATERNION = 1e-100  # under this length one has no direction

HINGE = 0
SLIDE = 1
BALL = 2
TOOL = 3

# One joint and its place in the moved frame of the joint before it. The last record of a chain is the tool: a
# place only.
JOINT = np.dtype(
    [
        ("kind", np.int64),
        ("q", np.int64),  # where its numbers begin in the chain's q
        ("v", np.int64),  # and in its velocity
        ("rotation", np.float64, 9),
        ("translation", np.float64, 3),  # [m]
        ("axis", np.float64, 3),
        ("lower", np.float64),  # [rad or m]; ball: twist [rad]
        ("upper", np.float64),
        ("cone", np.float64),  # [rad] ball: half-angle of the swing
        ("order", np.int64),  # ball: of Euler limits, see `core.rotation.within_euler_limits`; 0: none
        ("euler_lower", np.float64, 3),  # [rad] in that order
        ("euler_upper", np.float64, 3),
        ("leads", np.int64),  # on a tree: 1 where other joints follow it
    ],
    align=True,
)

# What `forward` leaves of each joint's moved frame, in world axes: its origin, then, from ROTATION on, its
# rotation row by row.
FRAME_SIZE = 12
ROTATION = 3


@compiled
def locate(place: Records, goal: Floats, target: Floats) -> float:
    """The goal [3: point; 14: see `forward`] from the first joint's origin. Returns 0: no plane to be off."""
    for k in range(goal.size):
        target[k] = goal[k] - place.origin[k] if k < 3 else goal[k]
    return 0.0


@compiled
def frames_size(joints: Records) -> int:
    """Numbers of the frames of every joint and of the tool, one after the other."""
    return joints.size * FRAME_SIZE


@compiled
def tangent_size(joints: Records) -> int:
    """Numbers in a velocity of the chain."""
    last = joints[joints.size - 2]
    return last.v + (3 if last.kind == BALL else 1)


@compiled
def place_frames(joints: Records, q: Floats, frames: Floats) -> None:
    """Forward kinematics: the moved frame of each joint, and the tool's as the last."""
    for j in range(joints.size):
        joint = joints[j]
        o = j * FRAME_SIZE
        R = o + ROTATION
        dx, dy, dz = joint.translation[0], joint.translation[1], joint.translation[2]
        if j == 0:
            frames[o], frames[o + 1], frames[o + 2] = dx, dy, dz
            for k in range(9):
                frames[R + k] = joint.rotation[k]
        else:
            before = o - FRAME_SIZE
            x, y, z = times(frames, before + ROTATION, dx, dy, dz)
            frames[o], frames[o + 1], frames[o + 2] = (
                frames[before] + x,
                frames[before + 1] + y,
                frames[before + 2] + z,
            )
            multiply(frames, before + ROTATION, joint.rotation, frames, R)
        i = joint.q
        if joint.kind == HINGE:
            sine, cosine = sincos(q[i])
            turn_about(frames, R, joint.axis[0], joint.axis[1], joint.axis[2], sine, cosine)
        elif joint.kind == SLIDE:
            x, y, z = times(frames, R, joint.axis[0], joint.axis[1], joint.axis[2])
            frames[o] += q[i] * x
            frames[o + 1] += q[i] * y
            frames[o + 2] += q[i] * z
        elif joint.kind == BALL:
            times_quaternion(frames, R, q[i], q[i + 1], q[i + 2], q[i + 3])


@compiled
def forward(joints: Records, target: Floats, q: Floats, J: Floats, r: Floats, frames: Floats) -> float:
    """Jacobian J [3 or 6, nv] and residual r [3 or 6] of the tool, in world axes; returns r.r [m^2].

    `target`: position [3, m] from the first joint; for 6 rows also the rotation row by row [9], the metres
    that a radian counts for, and the weight of the position (0 for an orientation alone). A ball joint's
    velocity is in the axes of its moved frame.
    """
    place_frames(joints, q, frames)
    tip = (joints.size - 1) * FRAME_SIZE
    for j in range(joints.size - 1):
        joint = joints[j]
        o = j * FRAME_SIZE
        R = o + ROTATION
        x, y, z = frames[tip] - frames[o], frames[tip + 1] - frames[o + 1], frames[tip + 2] - frames[o + 2]
        columns = 3 if joint.kind == BALL else 1
        for k in range(columns):
            v = joint.v + k
            if joint.kind == BALL:
                ax, ay, az = frames[R + k], frames[R + 3 + k], frames[R + 6 + k]
            else:
                ax, ay, az = times(frames, R, joint.axis[0], joint.axis[1], joint.axis[2])
            if joint.kind == SLIDE:
                J[0, v], J[1, v], J[2, v] = ax, ay, az
            else:
                J[0, v], J[1, v], J[2, v] = ay * z - az * y, az * x - ax * z, ax * y - ay * x
            if r.size == 6:
                weight = 0.0 if joint.kind == SLIDE else target[12]
                J[3, v], J[4, v], J[5, v] = weight * ax, weight * ay, weight * az
                for row in range(3):
                    J[row, v] *= target[13]
    squared = 0.0
    for k in range(3):
        r[k] = target[k] - frames[tip + k]
        if r.size == 6:
            r[k] *= target[13]
        squared += r[k] * r[k]
    if r.size == 6:
        x, y, z = rotation_error(target, frames, tip + ROTATION)
        r[3], r[4], r[5] = target[12] * x, target[12] * y, target[12] * z
        squared += r[3] * r[3] + r[4] * r[4] + r[5] * r[5]
    return squared


@compiled
def rotation_error(target: Floats, frames: Floats, at: int) -> tuple[float, float, float]:
    """The rotation vector [rad, world] that leads from the rotation frames[at : at + 9] to target[3 : 12]."""
    between = empty(9)
    for i in range(3):
        for k in range(3):
            total = 0.0
            for m in range(3):
                total += target[3 + 3 * i + m] * frames[at + 3 * k + m]
            between[3 * i + k] = total
    return rotation_vector(between)


@compiled(inline=False)
def admit(joints: Records, use_limits: bool, q: Floats) -> int:
    """Make q a start: within limits, quaternions of length 1, without a great many turns.

    Returns INVALID, MOVED or AS_IT_WAS.
    """
    verdict = AS_IT_WAS
    for j in range(joints.size - 1):
        joint = joints[j]
        i = joint.q
        if joint.kind == BALL:
            squared = q[i] * q[i] + q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3]
            if not SHORTEST_QUATERNION**2 < squared < 1.0 / SHORTEST_QUATERNION**2:
                return INVALID
            x, y, z, w = q[i], q[i + 1], q[i + 2], q[i + 3]
            set_ball(joint, (x, y, z, w), use_limits, q)
            # q and -q are the same rotation.
            sign = 1.0 if x * q[i] + y * q[i + 1] + z * q[i + 2] + w * q[i + 3] >= 0.0 else -1.0
            off = abs(sign * q[i] - x) + abs(sign * q[i + 1] - y)
            off += abs(sign * q[i + 2] - z) + abs(sign * q[i + 3] - w)
            if off <= ROUNDING:
                q[i], q[i + 1], q[i + 2], q[i + 3] = x, y, z, w
        else:
            before = q[i]
            if not abs(before) < math.inf:
                return INVALID
            if use_limits:
                q[i] = min(max(before, joint.lower), joint.upper)
            if joint.kind == HINGE and abs(q[i]) > MANY_TURNS:
                q[i] = nearest_turn(q[i])
                if abs(q[i]) > MANY_TURNS:  # where it points is lost in rounding
                    q[i] = 0.0
            off = abs(q[i] - before)
        if off > ROUNDING:
            verdict = MOVED
    return verdict


@compiled
def advance(joints: Records, q: Floats, dq: Floats, scale: float, use_limits: bool, q_new: Floats) -> None:
    """q_new = the configuration after the velocity scale * dq, kept within limits."""
    for j in range(joints.size - 1):
        joint = joints[j]
        i, v = joint.q, joint.v
        if joint.kind == BALL:
            moved = product(
                (q[i], q[i + 1], q[i + 2], q[i + 3]),
                exponential(scale * dq[v], scale * dq[v + 1], scale * dq[v + 2]),
            )
            set_ball(joint, moved, use_limits, q_new)
        else:
            value = q[i] + scale * dq[v]
            if use_limits:
                value = min(max(value, joint.lower), joint.upper)
            q_new[i] = value


@compiled(inline=False)
def set_ball(joint: Records, wanted: tuple[float, float, float, float], use_limits: bool, q: Floats) -> None:
    """Give a ball joint a rotation, brought to length 1 and within limits."""
    if use_limits and joint.order > 0:
        wanted = within_euler_limits(wanted, joint.order, joint.euler_lower, joint.euler_upper)
    elif use_limits:
        wanted = within_ball_limits(
            wanted, joint.axis[0], joint.axis[1], joint.axis[2], joint.lower, joint.upper, joint.cone
        )
    x, y, z, w = wanted
    scale = 1.0 / math.sqrt(x * x + y * y + z * z + w * w)
    i = joint.q
    q[i], q[i + 1], q[i + 2], q[i + 3] = scale * x, scale * y, scale * z, scale * w


@compiled
def blend(joints: Records, q: Floats, rest: Floats, fraction: float, use_limits: bool) -> None:
    """Move q the given fraction of the way to `rest`, in place, ball joints kept within their limits."""
    for j in range(joints.size - 1):
        joint = joints[j]
        i = joint.q
        if joint.kind == BALL:
            here = (q[i], q[i + 1], q[i + 2], q[i + 3])
            back = (-q[i], -q[i + 1], -q[i + 2], q[i + 3])
            x, y, z = logarithm(product(back, (rest[i], rest[i + 1], rest[i + 2], rest[i + 3])))
            moved = product(here, exponential(fraction * x, fraction * y, fraction * z))
            set_ball(joint, moved, use_limits, q)
        else:
            q[i] += fraction * (rest[i] - q[i])


@compiled
def freeze(joints: Records, q: Floats, gradient: Floats, J: Floats) -> int:
    """Take out of J and the gradient every hinge or slide that a limit stops; how many."""
    frozen = 0
    for j in range(joints.size - 1):
        joint = joints[j]
        i, v = joint.q, joint.v
        if joint.kind == BALL:
            continue
        at_upper = (q[i] >= joint.upper) & (gradient[v] > 0.0)
        at_lower = (q[i] <= joint.lower) & (gradient[v] < 0.0)
        if at_upper | at_lower:
            frozen += 1
            gradient[v] = 0.0
            for row in range(J.shape[0]):
                J[row, v] = 0.0
    return frozen
