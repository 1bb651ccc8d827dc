"""Removes from a descent the rotations that the limits of ball joints stop.

Each limit (the range of the twist, the cone of the swing, or that of one of three Euler angles) has a normal,
found by what it takes of small rotations. The normals that the descent pushes against are taken out of
Jacobian, gradient and Hessian.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, Records, compiled
from limbik.numerics.linear import dot, fill
from limbik.numerics.rotation import (
    Quaternion,
    exponential,
    logarithm,
    product,
    within_ball_limits,
    within_euler_limits,
)
from limbik.tree.workspace import Workspace

SMALL = 1e-6  # [rad] of a turn that shows whether a ball joint is at a limit
STOPPED = 1e-4  # part of that turn which is missing where it is
PARALLEL = 1e-6  # length that a normal has at least beside those before it
FREE = 10.0  # [rad] of a twist without limits

# In a row of `workspace.scratch`.
HELD = 0  # normals of the limits that hold, orthonormal [3, 3]
NORMALS = 9  # of all limits [3, 3]; 0 where the joint is not at that one
ANGLES = 18  # lower and upper limits of Euler angles [6]
PULL = 24  # the gradient that is left [3]
TOTAL = 27


@compiled(inline=False)
def hold_ball(mover: Records, q: Floats, workspace: Workspace) -> None:
    """Take the rotations of a ball joint that its limits stop from `workspace.J`, `.hessian` and the gradient
    `.work[0]`.
    """
    scratch = workspace.scratch[0]
    count = stopped_axes(mover, q, workspace.work[0, mover.v : mover.v + 3], scratch)
    for k in range(count):
        normal = scratch[HELD + 3 * k : HELD + 3 * k + 3]
        take_out(normal, workspace.work[0, mover.v : mover.v + 3])
        for row in range(workspace.J.shape[0]):
            take_out(normal, workspace.J[row, mover.v : mover.v + 3])
        hold_along(normal, workspace.hessian, mover.v)


@compiled(inline=False)
def stopped_axes(mover: Records, q: Floats, gradient: Floats, scratch: Floats) -> int:
    """How many limits the gradient [3] pushes against; their normals are in `scratch`, orthonormal."""
    fill(0.0, scratch[:TOTAL])
    pull = scratch[PULL : PULL + 3]
    for k in range(3):
        pull[k] = gradient[k]
    limits = 3 if mover.order > 0 else 2
    for which in range(limits):
        find_normal(mover, which, q, scratch)
    count = 0
    for _ in range(limits):
        for which in range(limits):
            normal = scratch[NORMALS + 3 * which : NORMALS + 3 * which + 3]
            if count == 3 or dot(normal, pull) <= 0.0:
                continue
            held = scratch[HELD + 3 * count : HELD + 3 * count + 3]
            for k in range(3):
                held[k] = normal[k]
                normal[k] = 0.0  # it is held
            for before in range(count):
                take_out(scratch[HELD + 3 * before : HELD + 3 * before + 3], held)
            if normalise(held) > PARALLEL:
                take_out(held, pull)
                count += 1
    return count


@compiled(inline=False)
def find_normal(mover: Records, which: int, q: Floats, scratch: Floats) -> None:
    """The normal of one limit, outward; nothing where the joint is not at it."""
    normal = scratch[NORMALS + 3 * which : NORMALS + 3 * which + 3]
    for k in range(3):
        for sign in (1.0, -1.0):
            x, y, z = (sign if k == 0 else 0.0), (sign if k == 1 else 0.0), (sign if k == 2 else 0.0)
            normal[k] += sign * lost_of_turn(mover, which, q, x, y, z, scratch)
    if normalise(normal) <= STOPPED:
        fill(0.0, normal)


@compiled(inline=False)
def lost_of_turn(
    mover: Records, which: int, q: Floats, x: float, y: float, z: float, scratch: Floats
) -> float:
    """Which part of a small turn about a unit vector one limit takes."""
    i = mover.q
    here = (q[i], q[i + 1], q[i + 2], q[i + 3])
    back = (-q[i], -q[i + 1], -q[i + 2], q[i + 3])
    moved = product(here, exponential(SMALL * x, SMALL * y, SMALL * z))
    a, b, c = logarithm(product(back, within_one(mover, which, moved, scratch)))
    a, b, c = x - a / SMALL, y - b / SMALL, z - c / SMALL
    return math.sqrt(a * a + b * b + c * c)


@compiled(inline=False)
def within_one(mover: Records, which: int, wanted: Quaternion, scratch: Floats) -> Quaternion:
    """A rotation brought within one limit: the twist or the cone, or one of the Euler angles."""
    if mover.order > 0:
        lower, upper = scratch[ANGLES : ANGLES + 3], scratch[ANGLES + 3 : ANGLES + 6]
        for k in range(3):
            lower[k] = mover.euler_lower[k] if k == which else -math.inf
            upper[k] = mover.euler_upper[k] if k == which else math.inf
        return within_euler_limits(wanted, mover.order, lower, upper)
    lower_twist, upper_twist = (mover.lower, mover.upper) if which == 0 else (-FREE, FREE)
    cone = mover.cone if which == 1 else 2.0 * math.pi
    return within_ball_limits(
        wanted, mover.axis[0], mover.axis[1], mover.axis[2], lower_twist, upper_twist, cone
    )


@compiled
def hold_along(normal: Floats, hessian: Floats, v: int) -> None:
    """Make a Hessian nothing but 1 along a turn of the ball joint whose velocities begin at v."""
    for w in range(hessian.shape[0]):
        take_out(normal, hessian[w, v : v + 3])
    for w in range(hessian.shape[0]):
        along = 0.0
        for k in range(3):
            along += normal[k] * hessian[v + k, w]
        for k in range(3):
            hessian[v + k, w] -= along * normal[k]
    for k in range(3):
        for i in range(3):
            hessian[v + k, v + i] += normal[k] * normal[i]


@compiled
def take_out(normal: Floats, vector: Floats) -> None:
    """Take from three numbers what lies along a unit vector."""
    along = normal[0] * vector[0] + normal[1] * vector[1] + normal[2] * vector[2]
    for k in range(3):
        vector[k] -= along * normal[k]


@compiled
def normalise(vector: Floats) -> float:
    """Bring three numbers to length 1, unless they are nothing; how long they were."""
    length = math.sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2])
    if length > 0.0:
        for k in range(3):
            vector[k] /= length
    return length
