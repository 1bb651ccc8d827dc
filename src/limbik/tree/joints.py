"""Joint records of trees: integrating velocities, limits, admission of starts."""

from __future__ import annotations

import math
from typing import Annotated, TypeAlias

import numpy as np

from limbik.compiler.arrays import ANY, array
from limbik.compiler.kernel import Floats, Records, compiled
from limbik.numerics.rotation import (
    exponential,
    logarithm,
    product,
    within_ball_limits,
    within_euler_limits,
)
from limbik.numerics.start_check import AS_IT_WAS, INVALID, MANY_WINDINGS, MOVED, ROUNDING
from limbik.numerics.trigonometry import FULL_TURN, nearest_turn

SHORTEST_QUATERNION = 1e-100  # under this length one has no direction

REVOLUTE = 0
PRISMATIC = 1
SPHERICAL = 2
END = 3

# One joint. After the last one stands a record that says how many numbers q and a velocity have.
JOINT = np.dtype(
    [
        ("kind", np.int64),
        ("q", np.int64),  # where its numbers begin in q
        ("v", np.int64),  # and in a velocity
        ("axis", np.float64, 3),  # ball: of the twist
        ("lower", np.float64),  # [rad or m]; ball: twist [rad]
        ("upper", np.float64),
        ("cone", np.float64),  # [rad] ball: half-angle of the swing
        ("order", np.int64),  # ball: of Euler limits, see `numerics.rotation.within_euler_limits`; 0: none
        ("euler_lower", np.float64, 3),  # [rad] in that order
        ("euler_upper", np.float64, 3),
        ("has_mimics", np.int64),  # on a tree: 1 where other joints follow it
    ],
    align=True,
)

Joints: TypeAlias = Annotated[Records, array(ANY, dtype=JOINT)]

# What `forward` leaves of each joint's moved frame, in world axes: its origin, then, from ROTATION on, its
# rotation row by row.
FRAME_SIZE = 12
ROTATION = 3


@compiled(inline=False)
def admit(joints: Records, use_limits: bool, q: Floats) -> int:
    """Make q a start: within limits, quaternions of length 1, without a great many revolutions.

    Returns INVALID, MOVED or AS_IT_WAS.
    """
    verdict = AS_IT_WAS
    for j in range(joints.size - 1):
        joint = joints[j]
        i = joint.q
        if joint.kind == SPHERICAL:
            squared = q[i] * q[i] + q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3]
            if not SHORTEST_QUATERNION**2 < squared < 1.0 / SHORTEST_QUATERNION**2:
                return INVALID
            x, y, z, w = q[i], q[i + 1], q[i + 2], q[i + 3]
            set_spherical(joint, (x, y, z, w), use_limits, q)
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
            if joint.kind == REVOLUTE and abs(q[i]) > MANY_WINDINGS:
                q[i] = nearest_turn(q[i])
                if abs(q[i]) > MANY_WINDINGS:  # where it points is lost in rounding
                    q[i] = 0.0
                if use_limits:
                    turn = FULL_TURN if q[i] < joint.lower else -FULL_TURN if q[i] > joint.upper else 0.0
                    q[i] = min(max(q[i] + turn, joint.lower), joint.upper)
            off = abs(q[i] - before)
        if off > ROUNDING:
            verdict = MOVED
    return verdict


@compiled
def advance(joints: Records, q: Floats, dq: Floats, scale: float, use_limits: bool, q_new: Floats) -> None:
    """q_new = the configuration after the velocity scale * dq, within limits."""
    for j in range(joints.size - 1):
        joint = joints[j]
        i, v = joint.q, joint.v
        if joint.kind == SPHERICAL:
            moved = product(
                (q[i], q[i + 1], q[i + 2], q[i + 3]),
                exponential(scale * dq[v], scale * dq[v + 1], scale * dq[v + 2]),
            )
            set_spherical(joint, moved, use_limits, q_new)
        else:
            value = q[i] + scale * dq[v]
            if use_limits:
                value = min(max(value, joint.lower), joint.upper)
            q_new[i] = value


@compiled
def has_ball_limits(joint: Records) -> bool:
    """Whether a ball joint has limits of any kind."""
    return joint.cone < math.pi or joint.upper - joint.lower < FULL_TURN or joint.order > 0


@compiled(inline=False)
def set_spherical(
    joint: Records, wanted: tuple[float, float, float, float], use_limits: bool, q: Floats
) -> None:
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
    """Move q toward `rest` by a fraction of what is between them; ball joints stay within their limits."""
    for j in range(joints.size - 1):
        joint = joints[j]
        i = joint.q
        if joint.kind == SPHERICAL:
            here = (q[i], q[i + 1], q[i + 2], q[i + 3])
            back = (-q[i], -q[i + 1], -q[i + 2], q[i + 3])
            x, y, z = logarithm(product(back, (rest[i], rest[i + 1], rest[i + 2], rest[i + 3])))
            moved = product(here, exponential(fraction * x, fraction * y, fraction * z))
            set_spherical(joint, moved, use_limits, q)
        else:
            q[i] += fraction * (rest[i] - q[i])


@compiled
def freeze(joints: Records, q: Floats, gradient: Floats, J: Floats) -> int:
    """Take out of J and the gradient every revolute or prismatic joint that a limit stops; how many."""
    frozen = 0
    for j in range(joints.size - 1):
        joint = joints[j]
        i, v = joint.q, joint.v
        if joint.kind == SPHERICAL:
            continue
        at_upper = (q[i] >= joint.upper) & (gradient[v] > 0.0)
        at_lower = (q[i] <= joint.lower) & (gradient[v] < 0.0)
        if at_upper | at_lower:
            frozen += 1
            gradient[v] = 0.0
            for row in range(J.shape[0]):
                J[row, v] = 0.0
    return frozen
