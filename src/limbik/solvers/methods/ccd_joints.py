"""CCD: the best rotation or travel of one joint for all vector pairs, and its application to the links
before.

Of a revolute joint it is closed form (Wang & Chen 1991, A combined optimization method for solving the
inverse kinematics problem of mechanical manipulators): a vector pair from u to v about the unit axis a gains

    w ((a.u)(a.v) (1 - cos t) + (u.v) cos t + a.(u x v) sin t)

so that the sum over all pairs is greatest where (cos t, sin t) has the direction of (C, S), C the sum of
w ((u.v) - (a.u)(a.v)) and S that of w a.(u x v). The sum falls on both sides of there alike: outside the
limits, the end that is nearer on the circle is the better one.

Of a ball joint it is the smallest turn from u to v for one pair, and for several the rotation R that makes
the sum of w v.R u greatest (Wahba's problem): the eigenvector of the greatest eigenvalue of a symmetric 4x4
matrix (Davenport's q method, in Wertz 1978, Spacecraft Attitude Determination and Control).

What is gained is alike on both sides of the best turn, so that a turn by up to twice as much loses nothing.
`relaxation` says how much of it is made: somewhat more than 1 is successive over-relaxation (Young 1954),
which takes fewer sweeps along a valley.
"""

from __future__ import annotations

from limbik.compiler.kernel import Floats, Records, compiled
from limbik.goals.task import POINT
from limbik.numerics.alignment import add_products
from limbik.numerics.davenport import B_MATRIX, K_MATRIX, best_rotation, gain
from limbik.numerics.rotation import (
    Quaternion,
    Vector,
    exponential,
    logarithm,
    product,
    smallest_turn,
    times,
    transposed_times,
)
from limbik.numerics.trigonometry import angle_of, sincos, turn_within_limits
from limbik.solvers.methods.ccd_vector_pairs import NEXT, VECTORS, WEIGHT, carry_turned, count_of
from limbik.tree.joints import FRAME_SIZE, ROTATION, set_spherical
from limbik.tree.workspace import Workspace

NOTHING = 1e-14  # of what vector pairs could gain at most: a turn is not worth it, and its angle is rounding
FRACTIONS = (1.0, 0.5, 0.25, 0.1)  # of a ball joint's turn that are tried within limits


@compiled
def weight_for(kind: int, weight: float, role: float) -> float:
    """How much a vector pair counts at a joint with a role: 0 serves points only, 1 directions only."""
    return weight * (1.0 - role if kind == POINT else role)


@compiled(inline=False)
def turn_revolute(
    tasks: Records,
    workspace: Workspace,
    j: int,
    mover: Records,
    role: float,
    use_limits: bool,
    damping: float,
    relaxation: float,
    q: Floats,
) -> None:
    """Turn the revolute joint of link j as its vector pairs have it; they are carried along."""
    frames, vector_pairs = workspace.frames, workspace.vector_pairs
    o = j * FRAME_SIZE
    ox, oy, oz = frames[o], frames[o + 1], frames[o + 2]
    ax, ay, az = frames[o + ROTATION + 2], frames[o + ROTATION + 5], frames[o + ROTATION + 8]
    sine = cosine = weight_sum = 0.0
    for k in range(tasks.size):
        if vector_pairs[k, NEXT] != j:
            continue
        kind = tasks[k].kind
        weight = weight_for(kind, vector_pairs[k, WEIGHT], role)
        cx, cy, cz = (ox, oy, oz) if kind == POINT else (0.0, 0.0, 0.0)
        for i in range(VECTORS, VECTORS + 6 * count_of(kind), 6):
            ux, uy, uz = vector_pairs[k, i] - cx, vector_pairs[k, i + 1] - cy, vector_pairs[k, i + 2] - cz
            vx, vy, vz = vector_pairs[k, i + 3] - cx, vector_pairs[k, i + 4] - cy, vector_pairs[k, i + 5] - cz
            along = (ax * ux + ay * uy + az * uz) * (ax * vx + ay * vy + az * vz)
            cosine += weight * (ux * vx + uy * vy + uz * vz - along)
            sine += weight * (ax * (uy * vz - uz * vy) + ay * (uz * vx - ux * vz) + az * (ux * vy - uy * vx))
            weight_sum += weight * (ux * ux + uy * uy + uz * uz + vx * vx + vy * vy + vz * vz)
    if not cosine * cosine + sine * sine > (NOTHING * weight_sum) ** 2:
        return
    turn = damping * angle_of(sine, cosine)
    old = q[mover.q]
    if use_limits:
        turn = turn_within_limits(old, turn, mover.lower, mover.upper)
    new = old + relaxation * turn
    if use_limits:
        new = min(max(new, mover.lower), mover.upper)
    q[mover.q] = new
    sine, cosine = sincos(0.5 * (new - old))
    carry(tasks, vector_pairs, j, (ox, oy, oz), (sine * ax, sine * ay, sine * az, cosine))


@compiled(inline=False)
def move_prismatic(
    tasks: Records,
    workspace: Workspace,
    j: int,
    mover: Records,
    role: float,
    use_limits: bool,
    damping: float,
    relaxation: float,
    q: Floats,
) -> None:
    """Move the prismatic joint of link j to the mean of what its points want along it; they are carried
    along.
    """
    frames, vector_pairs = workspace.frames, workspace.vector_pairs
    a = j * FRAME_SIZE + ROTATION + 2
    ax, ay, az = frames[a], frames[a + 3], frames[a + 6]
    wanted = total = 0.0
    for k in range(tasks.size):
        if vector_pairs[k, NEXT] != j or tasks[k].kind != POINT:
            continue
        weight = weight_for(POINT, vector_pairs[k, WEIGHT], role)
        x, y, z = (
            vector_pairs[k, 5] - vector_pairs[k, 2],
            vector_pairs[k, 6] - vector_pairs[k, 3],
            vector_pairs[k, 7] - vector_pairs[k, 4],
        )
        wanted += weight * (ax * x + ay * y + az * z)
        total += weight
    if not total > 0.0:
        return
    old = q[mover.q]
    new = old + relaxation * damping * wanted / total
    if use_limits:
        new = min(max(new, mover.lower), mover.upper)
    q[mover.q] = new
    moved = new - old
    for k in range(tasks.size):
        if vector_pairs[k, NEXT] == j and tasks[k].kind == POINT:
            vector_pairs[k, 2] += moved * ax
            vector_pairs[k, 3] += moved * ay
            vector_pairs[k, 4] += moved * az


@compiled(inline=False)
def turn_spherical(
    tasks: Records,
    workspace: Workspace,
    j: int,
    mover: Records,
    role: float,
    use_limits: bool,
    damping: float,
    relaxation: float,
    q: Floats,
) -> None:
    """Turn the ball joint of link j as its vector pairs have it; they are carried along.

    Where limits leave nothing of what a turn gains, a smaller part of it is tried; the joint stays where that
    does not help either.
    """
    frames, vector_pairs, scratch = workspace.frames, workspace.vector_pairs, workspace.scratch[0]
    o = j * FRAME_SIZE
    R = o + ROTATION
    center = (frames[o], frames[o + 1], frames[o + 2])
    turn = best_turn(tasks, vector_pairs, j, role, center, scratch)
    x, y, z = transposed_times(frames, R, turn[0], turn[1], turn[2])
    turn = (x, y, z, turn[3])  # in the axes of the moved frame
    i = mover.q
    old = (q[i], q[i + 1], q[i + 2], q[i + 3])
    back = (-old[0], -old[1], -old[2], old[3])
    before = scratch[B_MATRIX] + scratch[B_MATRIX + 4] + scratch[B_MATRIX + 8]
    for fraction in FRACTIONS:
        part = relaxation * damping * fraction
        set_spherical(mover, product(old, part_of(turn, part)), use_limits, q)
        x, y, z, w = product(back, (q[i], q[i + 1], q[i + 2], q[i + 3]))
        x, y, z = times(frames, R, x, y, z)
        if gain(scratch, (x, y, z, w)) > before:
            carry(tasks, vector_pairs, j, center, (x, y, z, w))
            return
    q[i], q[i + 1], q[i + 2], q[i + 3] = old


@compiled
def part_of(turn: Quaternion, fraction: float) -> Quaternion:
    """A turn about the same axis by a fraction of the angle."""
    if fraction == 1.0:
        return turn
    x, y, z = logarithm(turn)
    return exponential(fraction * x, fraction * y, fraction * z)


@compiled(inline=False)
def best_turn(
    tasks: Records, vector_pairs: Floats, j: int, role: float, center: Vector, scratch: Floats
) -> Quaternion:
    """The turn about a point that is best for the vector pairs of link j, in world axes. Leaves in the
    scratch the matrix B = sum of w v u^T, whose scalar product with a rotation says how good it is.
    """
    for i in range(9):
        scratch[B_MATRIX + i] = 0.0
    count = 0
    turn = (0.0, 0.0, 0.0, 1.0)
    for k in range(tasks.size):
        if vector_pairs[k, NEXT] != j:
            continue
        kind = tasks[k].kind
        weight = weight_for(kind, vector_pairs[k, WEIGHT], role)
        if weight == 0.0:
            continue
        cx, cy, cz = center if kind == POINT else (0.0, 0.0, 0.0)
        for i in range(VECTORS, VECTORS + 6 * count_of(kind), 6):
            ux, uy, uz = vector_pairs[k, i] - cx, vector_pairs[k, i + 1] - cy, vector_pairs[k, i + 2] - cz
            vx, vy, vz = vector_pairs[k, i + 3] - cx, vector_pairs[k, i + 4] - cy, vector_pairs[k, i + 5] - cz
            add_products(scratch[B_MATRIX:K_MATRIX], weight, (ux, uy, uz), (vx, vy, vz))
            count += 1
            if count == 1:
                turn = smallest_turn(ux, uy, uz, vx, vy, vz)
    return turn if count < 2 else best_rotation(scratch)


@compiled
def carry(tasks: Records, vector_pairs: Floats, j: int, center: Vector, turn: Quaternion) -> None:
    """Turn what link j carries about a point."""
    for k in range(tasks.size):
        if vector_pairs[k, NEXT] == j:
            kind = tasks[k].kind
            carry_turned(vector_pairs[k], count_of(kind), center if kind == POINT else (0.0, 0.0, 0.0), turn)


@compiled(inline=False)
def propagate(
    tasks: Records, vector_pairs: Floats, frames: Floats, j: int, parent: int, hands_over: bool
) -> None:
    """Hand the vector pairs of link j to the link before it.

    Where a joint that serves positions comes before one that serves directions, a point goes on from the
    origin of the latter: the rest of the path, to the tip, keeps its direction when the joints after have
    brought it back, so that it is taken off the target too.
    """
    o = j * FRAME_SIZE
    for k in range(tasks.size):
        if vector_pairs[k, NEXT] != j:
            continue
        vector_pairs[k, NEXT] = parent
        if hands_over and tasks[k].kind == POINT:
            for i in range(3):
                rest = vector_pairs[k, VECTORS + i] - frames[o + i]
                vector_pairs[k, VECTORS + i] -= rest
                vector_pairs[k, VECTORS + 3 + i] -= rest
