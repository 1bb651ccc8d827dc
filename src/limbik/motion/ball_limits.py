"""The axes about which ball joints turn in a step of a tracker: at limits, those of the limits.

So a limit of swing, twist or an Euler angle is a bound of one velocity, as a limit of another joint is, and
part of every level. A step that comes to a limit from inside is brought back to it when it is made; the next
step begins at the limit.
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
    exponential,
    logarithm,
    product,
    times,
    transposed_times,
)
from limbik.numerics.vectors import cross, dot, scaled, vector
from limbik.spatial import Array
from limbik.tree.ball_limits import NORMALS, TOTAL, find_normal
from limbik.tree.joints import SPHERICAL, set_spherical
from limbik.tree.kinematics import SCREW_SIZE
from limbik.tree.workspace import Tree, Workspace

ROUNDING = 1e-12  # [rad]
ATTEMPTS = 3  # to shorten a turn that limits make too fast, before it is not made
SHORTER = 0.99  # factor on it beyond what its rates ask for
DEPENDENT = 0.05  # volume of the normals of limits under which one of these counts for the others, too


@compiled
def is_at_limit(motion: TrackerState, mover: Records) -> bool:
    """Whether a joint is a ball joint at a limit, whose axes are those of its limits."""
    return mover.kind == SPHERICAL and motion.at_limit[mover.v] > 0.0


@compiled
def has_limits(mover: Records) -> bool:
    """Whether a ball joint has a limit."""
    return mover.order > 0 or mover.cone < math.pi or mover.upper - mover.lower < 2.0 * math.pi


@compiled(inline=False)
def align_balls(tree: Tree, motion: TrackerState, workspace: Workspace) -> None:
    """Choose the axes of the ball joints at `motion.q`; what is known of the last steps is turned to them."""
    for j in range(tree.movers.size - 1):
        mover = tree.movers[j]
        if mover.kind != SPHERICAL or tree.units[mover.v] == 0.0 or not has_limits(mover):
            continue
        v = mover.v
        before = count_limits(motion, v)
        if before > 0:
            turn_history(motion, motion.to_body, v)
        if find_axes(mover, motion, workspace.scratch[0]) != before:
            for row in range(motion.active.shape[0]):
                fill(FREE, motion.active[row, v : v + 3])
        if count_limits(motion, v) > 0:
            turn_history(motion, motion.to_axes, v)


@compiled
def count_limits(motion: TrackerState, v: int) -> int:
    """The number of limits at which the ball joint is whose velocities begin at v."""
    return int(motion.at_limit[v] + motion.at_limit[v + 1] + motion.at_limit[v + 2])


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
def find_axes(mover: Records, motion: TrackerState, scratch: Floats) -> int:
    """Fill `motion.to_axes` of a ball joint, whose rows are the normals of the limits that it is at and what
    is across these, and its inverse; returns the number of these limits, of which none depends on the others.
    """
    v, count = mover.v, 0
    first = second = third = (0.0, 0.0, 0.0)
    fill(0.0, scratch[:TOTAL])
    for which in range(3 if mover.order > 0 else 2):
        find_normal(mover, which, motion.q, scratch)
        normal = vector(scratch, NORMALS + 3 * which)
        if count == 0 and dot(normal, normal) > 0.0:
            first, count = normal, 1
        elif count == 1 and length(cross(first, normal)) > DEPENDENT:
            second, count = normal, 2
        elif count == 2 and abs(dot(cross(first, second), normal)) > DEPENDENT:
            third, count = normal, 3
    for k in range(3):
        motion.at_limit[v + k] = 1.0 if k < count else 0.0
    if count == 0:
        return 0
    if count == 1:
        second = across(first)
    if count < 3:
        third = cross(first, second)
        third = scaled(1.0 / length(third), third)
    fill_row(motion, v, 0, first, second, third)
    fill_row(motion, v, 1, second, third, first)
    fill_row(motion, v, 2, third, first, second)
    return count


@compiled(inline=False)
def fill_row(motion: TrackerState, v: int, k: int, row: Vector, after: Vector, before: Vector) -> None:
    """Fill row k of a ball joint's matrix `to_axes`, and column k of its inverse `to_body`.

    after, before: the other two rows, in cyclic order.
    """
    i, at = 3 * (v + k), 3 * v + k
    motion.to_axes[i], motion.to_axes[i + 1], motion.to_axes[i + 2] = row
    column = cross(after, before)
    x, y, z = scaled(1.0 / dot(row, column), column)
    motion.to_body[at], motion.to_body[at + 3], motion.to_body[at + 6] = x, y, z


@compiled
def length(a: Vector) -> float:
    """|a|."""
    return math.sqrt(dot(a, a))


@compiled
def across(a: Vector) -> Vector:
    """A unit vector across another one."""
    x, y, z = a
    side = (0.0, z, -y) if abs(x) < 0.6 else (-z, 0.0, x)
    return scaled(1.0 / length(side), side)


@compiled(inline=False)
def turn_screws(tree: Tree, motion: TrackerState, screws: Floats) -> None:
    """Replace the screws [3 * links, 6] of ball joints by those about their axes."""
    for j in range(tree.links.size):
        link = tree.links[j]
        if link.kind != SPHERICAL or motion.at_limit[link.v] == 0.0:
            continue
        for i in range(SCREW_SIZE):
            a, b, c = screws[3 * j, i], screws[3 * j + 1, i], screws[3 * j + 2, i]
            a, b, c = transposed_times(motion.to_body, 3 * link.v, a, b, c)
            screws[3 * j, i], screws[3 * j + 1, i], screws[3 * j + 2, i] = a, b, c


@compiled(inline=False)
def turn_back(tree: Tree, motion: TrackerState, x: Floats) -> None:
    """Bring velocities x [nv] about the axes of ball joints to those about their own x, y and z."""
    for j in range(tree.movers.size - 1):
        if is_at_limit(motion, tree.movers[j]):
            turn(motion.to_body, tree.movers[j].v, x)


@compiled
def longest_turn(motion: TrackerState, v: int, longest: float) -> float:
    """How far [rad] a ball joint at a limit may turn about each of its axes in one step, so that none of its
    three rates is above its own limit, nor any turn above `longest`.
    """
    shortest = math.inf
    for i in range(3):
        row = 3 * (v + i)
        rate = min(motion.settings[DT] * motion.velocity_limits[v + i], longest)
        total = abs(motion.to_body[row]) + abs(motion.to_body[row + 1]) + abs(motion.to_body[row + 2])
        shortest = min(shortest, rate / total)
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
    if is_at_limit(motion, mover):
        x, y, z = times(motion.to_body, 3 * v, x, y, z)
    return max(abs(turned[0] - x), abs(turned[1] - y), abs(turned[2] - z)) <= ROUNDING


@compiled(inline=False)
def fraction_of_rates(motion: TrackerState, v: int, turned: Vector) -> float:
    """Which part of a turn a ball joint may make within the limits of its three rates; 1: all of it."""
    dt, limits = motion.settings[DT], motion.velocity_limits
    excess = max(abs(turned[0]) / limits[v], abs(turned[1]) / limits[v + 1], abs(turned[2]) / limits[v + 2])
    return 1.0 if excess <= dt else dt / excess


@compiled(inline=False)
def put_turn(motion: TrackerState, mover: Records, turned: Vector) -> None:
    """Note a turn as what a ball joint has moved."""
    v = mover.v
    motion.moved[v], motion.moved[v + 1], motion.moved[v + 2] = turned
    if is_at_limit(motion, mover):
        turn(motion.to_axes, v, motion.moved)


def body_velocities(movers: Records, motion: TrackerState) -> Array:
    """The matrix [nv, nv] that brings velocities about the axes of ball joints to those about x, y and z."""
    matrix = np.eye(motion.at_limit.size)
    for mover in movers[:-1]:
        v = int(mover["v"])
        if mover["kind"] == SPHERICAL and motion.at_limit[v] > 0.0:
            matrix[v : v + 3, v : v + 3] = motion.to_body[3 * v : 3 * v + 9].reshape(3, 3)
    return matrix
