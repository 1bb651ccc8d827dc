"""Removes from a descent, and from its steps, the rotations that the limits of ball joints stop.

Each limit (the range of the twist, the cone of the swing, or that of one of three Euler angles) has a normal,
found by what it takes of small rotations. The normals that the descent pushes against are taken out of
Jacobian, gradient and Hessian. A step is tried, too: what limits take of its rotations, where next to nothing
is left, is taken out of the Jacobian, or of a Hessian after as much of it as can be made.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, Records, compiled
from limbik.numerics.linear import dot, fill
from limbik.numerics.rotation import (
    Quaternion,
    Vector,
    exponential,
    logarithm,
    product,
    within_ball_limits,
    within_euler_limits,
)
from limbik.tree.joints import SPHERICAL, has_ball_limits, set_spherical
from limbik.tree.workspace import Tree, Workspace

SMALL = 1e-6  # [rad] of a turn that shows whether a ball joint is at a limit
STOPPED = 1e-4  # part of that turn which is missing where it is
PARALLEL = 1e-6  # length that a normal has at least beside those before it
FREE = 10.0  # [rad] of a twist without limits
FREEDOM_OF_BALL = 3  # of velocities, which is all that limits can stop
SHORT = 1e-3  # [rad] of a step's turn, which shows what limits stop: those of a longer one have no normal
SAME = 1e-15  # of the numbers of two quaternions: they mean the same rotation
LOST = 1e-3  # part of a step's turn: less that limits take of it is let be
STUCK = 0.1  # part of it that is made along what they take, below which that is out of the question

# In a row of `workspace.scratch`.
HELD = 0  # normals of the limits that hold, orthonormal [3, 3]
NORMALS = 9  # of all limits [3, 3]; 0 where the joint is not at that one
ANGLES = 18  # lower and upper limits of Euler angles [6]
PULL = 24  # the gradient that is left [3]
TOTAL = 27

# In the row of `workspace.scratch` after that of a joint's index: what the limits of a ball joint stop.
COUNT = 0
STOPS = 1  # of each the unit vector, and how far it goes [rad]


@compiled(inline=False)
def hold_stuck_rotations(tree: Tree, workspace: Workspace, q: Floats) -> bool:
    """Take out of the Jacobian the rotations of the step `workspace.dx` that limits of ball joints at q [nq]
    stop altogether; whether there are any. `workspace.trial` is overwritten.
    """
    is_any = False
    normal = workspace.scratch[0, HELD : HELD + 3]
    for j in range(tree.movers.size - 1):
        mover = tree.movers[j]
        if mover.kind == SPHERICAL and find_stuck_rotation(tree, workspace, mover, q, normal) >= 0.0:
            for row in range(workspace.J.shape[0]):
                take_out(normal, workspace.J[row, mover.v : mover.v + 3])
            is_any = True
    return is_any


@compiled(inline=False)
def find_stuck_rotation(tree: Tree, workspace: Workspace, mover: Records, q: Floats, normal: Floats) -> float:
    """How far the turn of the step `workspace.dx` of a ball joint at q [nq] comes along the normal [3] of a
    limit that stops it, in its unit; -1 where none does. `workspace.trial` is overwritten.
    """
    v, unit = mover.v, tree.units[mover.v]
    x, y, z = workspace.dx[v], workspace.dx[v + 1], workspace.dx[v + 2]
    size = unit * math.sqrt(x * x + y * y + z * z)
    if not size > 0.0 or not has_ball_limits(mover):
        return -1.0
    scale = unit * min(SHORT / size, 1.0)
    x, y, z = scale * x, scale * y, scale * z
    normal[0], normal[1], normal[2] = lost_of(mover, q, x, y, z, workspace.trial)
    lost = normalise(normal)
    wanted = normal[0] * x + normal[1] * y + normal[2] * z
    is_stuck = lost > LOST * min(SHORT, size) and wanted - lost <= STUCK * wanted
    return max(wanted - lost, 0.0) / unit if is_stuck else -1.0


@compiled(inline=False)
def add_stuck_rotations(tree: Tree, workspace: Workspace, q: Floats, free: Floats) -> bool:
    """Add to what `stop_rotations` stops the rotations of the step `workspace.dx` that limits of free ball
    joints stop at q [nq]; whether there are any.
    """
    is_any = False
    for j in range(tree.movers.size - 1):
        mover, row = tree.movers[j], workspace.scratch[j + 1]
        count = int(row[COUNT])
        if mover.kind != SPHERICAL or free[mover.v] == 0.0 or count == FREEDOM_OF_BALL:
            continue
        normal = row[STOPS + 4 * count : STOPS + 4 * count + 3]
        distance = find_stuck_rotation(tree, workspace, mover, q, normal)
        if distance >= 0.0:
            for before in range(count):
                take_out(row[STOPS + 4 * before : STOPS + 4 * before + 3], normal)
            if normalise(normal) > PARALLEL:
                row[STOPS + 4 * count + 3] = distance
                row[COUNT] += 1.0
                is_any = True
    return is_any


@compiled(inline=False)
def forget_stuck_rotations(tree: Tree, workspace: Workspace) -> None:
    """Nothing is stopped by `stop_rotations`."""
    for j in range(tree.movers.size - 1):
        workspace.scratch[j + 1, COUNT] = 0.0


@compiled(inline=False)
def stop_rotations(tree: Tree, workspace: Workspace, hessian: Floats, right: Floats) -> None:
    """Make a Hessian and its right side [nv] those of steps that go as far as what is stuck does."""
    for j in range(tree.movers.size - 1):
        v, row = tree.movers[j].v, workspace.scratch[j + 1]
        for k in range(int(row[COUNT])):
            normal, distance = row[STOPS + 4 * k : STOPS + 4 * k + 3], row[STOPS + 4 * k + 3]
            for w in range(right.size):
                right[w] -= distance * dot(hessian[w, v : v + 3], normal)
            take_out(normal, right[v : v + 3])
            hold_along(normal, hessian, v)
            for i in range(3):
                right[v + i] += distance * normal[i]


@compiled(inline=False)
def lost_of(mover: Records, q: Floats, x: float, y: float, z: float, trial: Floats) -> Vector:
    """What the limits of a ball joint take of a turn [rad] from q [nq]; the trial [nq] is where it leads."""
    i = mover.q
    moved = product((q[i], q[i + 1], q[i + 2], q[i + 3]), exponential(x, y, z))
    set_spherical(mover, moved, True, trial)
    off = abs(moved[0] - trial[i]) + abs(moved[1] - trial[i + 1])
    off += abs(moved[2] - trial[i + 2]) + abs(moved[3] - trial[i + 3])
    if off <= SAME:  # the common case, quickly
        return 0.0, 0.0, 0.0
    back = (-q[i], -q[i + 1], -q[i + 2], q[i + 3])
    a, b, c = logarithm(product(back, (trial[i], trial[i + 1], trial[i + 2], trial[i + 3])))
    return x - a, y - b, z - c


@compiled(inline=False)
def hold_ball(mover: Records, q: Floats, workspace: Workspace) -> None:
    """Take the rotations of a ball joint that its limits stop from `workspace.J`, `.hessian` and the gradient
    `.work[0]`.
    """
    scratch = workspace.scratch[0]
    count = stopped_axes(mover, q, workspace.work[0, mover.v : mover.v + 3], scratch, workspace.trial)
    for k in range(count):
        normal = scratch[HELD + 3 * k : HELD + 3 * k + 3]
        take_out(normal, workspace.work[0, mover.v : mover.v + 3])
        for row in range(workspace.J.shape[0]):
            take_out(normal, workspace.J[row, mover.v : mover.v + 3])
        hold_along(normal, workspace.hessian, mover.v)


@compiled(inline=False)
def stopped_axes(mover: Records, q: Floats, gradient: Floats, scratch: Floats, trial: Floats) -> int:
    """How many limits the gradient [3] pushes against; their normals are in `scratch`, orthonormal.

    A range of no width has no such normal, as it stops both directions: what it takes of the gradient
    itself is held.
    """
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
    while count < 3 and normalise(pull) > 0.0:
        held = scratch[HELD + 3 * count : HELD + 3 * count + 3]
        held[0], held[1], held[2] = lost_of(
            mover, q, SMALL * pull[0], SMALL * pull[1], SMALL * pull[2], trial
        )
        for before in range(count):
            take_out(scratch[HELD + 3 * before : HELD + 3 * before + 3], held)
        if normalise(held) <= STOPPED * SMALL:
            break
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
