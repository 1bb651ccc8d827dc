"""Bounded variable least squares by an active set (Stark & Parker 1995), damped, and below other tasks.

Which joints stay at a bound is found one exchange at a time. The tasks above are held by steps in their null
space (Kanoun et al. 2011; Escande et al. 2014). The active set of one time step is a good guess for the next,
which then takes an exchange or none.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from limbik.compiler.arrays import array
from limbik.compiler.kernel import Floats, compiled, empty
from limbik.motion.dense import damped_minimum, fill_null_space, gather, project, reduce, take_multipliers
from limbik.numerics.linear import add, cholesky_solve, copy, dot, squared_length, transpose_times
from limbik.tree.kinematics import nv
from limbik.tree.workspace import n_rows

ROUNDING = 1e-12  # part of the largest number in a solution that is none
NO_GAIN = 1e-9  # part of the gradient under which what is left of it is rounding
EXCHANGES = 3  # for each joint, at most
HOLDS = 3.0  # times what damping explains: a joint at a bound that pushes harder pushes for its task

AT_LOWER, FREE, AT_UPPER = -1.0, 0.0, 1.0  # where a joint is in an active set


class BoundedScratch(NamedTuple):
    """The arrays that a solution takes."""

    columns: Annotated[Floats, array(nv)]  # of the free joints
    K: Annotated[Floats, array(n_rows, nv)]  # columns of the free joints
    flat: Annotated[Floats, array(n_rows)]  # squared length up to which what is new in a row does not bind
    row: Annotated[Floats, array(nv)]
    V: Annotated[Floats, array(nv, nv)]  # reflectors of the rows above
    L: Annotated[Floats, array(nv, nv)]  # and the triangle that they leave
    pivots: Annotated[Floats, array(nv)]  # the rows above that depend on none before them
    Z: Annotated[Floats, array(nv, nv)]  # orthonormal rows that span the null space of the rows above
    D: Annotated[Floats, array(n_rows, nv)]  # columns along these
    rest: Annotated[Floats, array(n_rows)]
    y: Annotated[Floats, array(n_rows + nv)]
    z: Annotated[Floats, array(nv)]
    fixed: Annotated[Floats, array(nv)]  # what of a solution the rows above have decided
    target: Annotated[Floats, array(nv)]  # the minimiser with the active set as it is
    gradient: Annotated[Floats, array(nv)]  # downhill at 0, of a model with a Hessian
    slope: Annotated[Floats, array(nv)]
    right: Annotated[Floats, array(nv)]  # of normal equations


@compiled(inline=False)
def begin_at(active: Floats, lower: Floats, upper: Floats, x: Floats) -> None:
    """x [n] at the bounds of an active set, and elsewhere as near to 0 as the bounds allow."""
    for v in range(x.size):
        if active[v] == FREE:
            x[v] = min(max(0.0, lower[v]), upper[v])
        else:
            x[v] = upper[v] if active[v] > FREE else lower[v]


@compiled(inline=False)
def solve_within(
    scratch: BoundedScratch,
    J: Floats,
    errors: Floats,
    above: Floats,
    hessian: Floats,
    damping: float,
    lower: Floats,
    upper: Floats,
    held: Floats,
    active: Floats,
    x: Floats,
) -> None:
    """Bring x [n] to where |J x - errors|^2 + damping |x|^2 is smallest within bounds, while what the rows
    `above` [any number, n] make of x stays as it is.

    hessian: H [n, n] of a model x^T H x / 2 - x^T `scratch.gradient` that takes the place of these squares;
    or no rows. lower, upper [n]: bounds, between which x begins. active [n]: the joints that are at a bound,
    where x has them; at the end those of the solution. held [n]: 1 for joints that have to stay at their
    bound.
    """
    for _ in range(EXCHANGES * x.size):
        size = fill_target(scratch, J, errors, above, hessian, damping, active, x)
        if go_to_bound(scratch.target, lower, upper, active, x):
            continue
        if not is_any_to_leave(lower, upper, held, active):
            break
        fill_slope(scratch, J, errors, above, hessian, damping, active, size, x)
        if not leave_bound(scratch.slope, lower, upper, held, active):
            break


@compiled(inline=False)
def fill_target(
    scratch: BoundedScratch,
    J: Floats,
    errors: Floats,
    above: Floats,
    hessian: Floats,
    damping: float,
    active: Floats,
    x: Floats,
) -> int:
    """Where the free joints would go, were there no more bounds; returns how many rows above bind them."""
    count = 0
    for v in range(x.size):
        if active[v] == FREE:
            scratch.columns[count] = v
            count += 1
    size = split(scratch, above, active, count, x)
    if hessian.shape[0] > 0:
        newton_minimum(scratch, hessian, count - size, count)
    else:
        gauss_newton_minimum(scratch, J, errors, damping, count - size, count)
    copy(scratch.fixed, scratch.target)
    for i in range(count):
        v = int(scratch.columns[i])
        if size == 0:
            scratch.target[v] = scratch.z[i]
            continue
        for k in range(count - size):
            scratch.target[v] += scratch.Z[k, i] * scratch.z[k]
    return size


@compiled(inline=False)
def split(scratch: BoundedScratch, above: Floats, active: Floats, count: int, x: Floats) -> int:
    """Split x into `scratch.fixed` [n], which bounds and rows above have decided, and `scratch.z` along the
    rows of Z; returns how many rows above bind the free joints. Where none does, z is of these joints.
    """
    size = fill_null_space(scratch, above, count) if above.shape[0] > 0 else 0
    for v in range(x.size):
        scratch.fixed[v] = 0.0 if active[v] == FREE else x[v]
    for k in range(count - size):
        scratch.z[k] = x[int(scratch.columns[k])] if size == 0 else 0.0
        if size > 0:
            for i in range(count):
                scratch.z[k] += scratch.Z[k, i] * x[int(scratch.columns[i])]
    if size > 0:
        for i in range(count):
            v = int(scratch.columns[i])
            scratch.fixed[v] = x[v]
            for k in range(count - size):
                scratch.fixed[v] -= scratch.Z[k, i] * scratch.z[k]
    return size


@compiled(inline=False)
def gauss_newton_minimum(
    scratch: BoundedScratch, J: Floats, errors: Floats, damping: float, n: int, count: int
) -> None:
    """`scratch.z` [n]: where the damped squares are smallest, as `split` has it."""
    K, rest = scratch.K[: J.shape[0]], scratch.rest[: errors.size]
    gather(J, scratch.columns[:count], K)
    fill_rest(J, errors, scratch.fixed, rest)
    if n == count:
        damped_minimum(scratch, K, rest, damping, n)
        return
    D = scratch.D[: J.shape[0]]
    project(K, scratch.Z[:n], count, D)
    damped_minimum(scratch, D, rest, damping, n)


@compiled(inline=False)
def newton_minimum(scratch: BoundedScratch, hessian: Floats, n: int, count: int) -> None:
    """`scratch.z` [n]: where the model with a Hessian is smallest, as `split` has it; unchanged where the
    model has no minimum.
    """
    A, right, row = empty(n, n), scratch.right[:n], scratch.row[:count]
    for i in range(count):
        v = int(scratch.columns[i])
        row[i] = scratch.gradient[v] - dot(hessian[v], scratch.fixed)
    for k in range(n):
        right[k] = row[k] if n == count else dot(scratch.Z[k, :count], row)
    reduce(scratch, hessian, count, A)
    cholesky_solve(A, right, scratch.z[:n])


@compiled(inline=False)
def fill_rest(J: Floats, errors: Floats, x: Floats, rest: Floats) -> None:
    """rest = what x leaves of the errors: e - J x."""
    for row in range(errors.size):
        rest[row] = errors[row] - dot(J[row], x)


@compiled(inline=False)
def fill_slope(
    scratch: BoundedScratch,
    J: Floats,
    errors: Floats,
    above: Floats,
    hessian: Floats,
    damping: float,
    active: Floats,
    size: int,
    x: Floats,
) -> None:
    """How much each joint gains along its direction: Lagrange's multipliers of the bounds. 0 for what is
    rounding.

    size: of the rows above that bind the free joints.
    """
    rest, slope = scratch.rest[: errors.size], scratch.slope
    if hessian.shape[0] > 0:
        threshold = NO_GAIN * math.sqrt(squared_length(scratch.gradient))
        for v in range(x.size):
            slope[v] = scratch.gradient[v] - dot(hessian[v], x)
    else:
        fill_rest(J, errors, x, rest)
        transpose_times(J, rest, slope)
        threshold = NO_GAIN * (math.sqrt(squared_length(slope)) + damping * math.sqrt(squared_length(x)))
        add(-damping, x, slope)
    if size > 0:
        take_multipliers(scratch, above, active, size)
    for v in range(x.size):
        if abs(slope[v]) <= threshold:
            slope[v] = 0.0


@compiled(inline=False)
def go_to_bound(target: Floats, lower: Floats, upper: Floats, active: Floats, x: Floats) -> bool:
    """Bring x toward the target, as far as the bounds allow; whether one has stopped it, whose joint is then
    held there.
    """
    largest = 0.0
    for v in range(x.size):
        largest = max(largest, abs(target[v]))
    fraction = 1.0
    stopped = -1
    for v in range(x.size):
        change = target[v] - x[v]
        if active[v] == FREE and abs(change) > ROUNDING * largest:
            margin = upper[v] - x[v] if change > 0.0 else lower[v] - x[v]
            if abs(change) * fraction > abs(margin):
                fraction = margin / change
                stopped = v
    is_stopped = stopped >= 0
    if is_stopped:
        active[stopped] = AT_UPPER if target[stopped] > x[stopped] else AT_LOWER
    for v in range(x.size):
        x[v] = min(max(x[v] + fraction * (target[v] - x[v]), lower[v]), upper[v])
    if is_stopped:
        x[stopped] = upper[stopped] if active[stopped] > FREE else lower[stopped]
    return is_stopped


@compiled
def is_any_to_leave(lower: Floats, upper: Floats, held: Floats, active: Floats) -> bool:
    """Whether some joint is at a bound that it may leave."""
    for v in range(active.size):
        if active[v] != FREE and held[v] == 0.0 and lower[v] < upper[v]:
            return True
    return False


@compiled(inline=False)
def leave_bound(slope: Floats, lower: Floats, upper: Floats, held: Floats, active: Floats) -> bool:
    """Free the joint at a bound with the largest gain from leaving it; whether there is one."""
    best = -1
    steepest = 0.0
    for v in range(slope.size):
        inward = -active[v] * slope[v]
        if inward > steepest and held[v] == 0.0 and lower[v] < upper[v]:
            best, steepest = v, inward
    if best >= 0:
        active[best] = FREE
    return best >= 0


@compiled(inline=False)
def hold(
    scratch: BoundedScratch,
    J: Floats,
    errors: Floats,
    damping: float,
    active: Floats,
    held: Floats,
    x: Floats,
) -> None:
    """Mark the joints at a bound, 1 in `held` [n], that a lower priority could not move away without a loss
    for this one.

    A task that is held as it is keeps them there (by complementary slackness). One that is only damped has
    gradients of the damping times x.
    """
    fill_rest(J, errors, x, scratch.rest)
    transpose_times(J, scratch.rest[: errors.size], scratch.slope)
    largest = 0.0
    for v in range(x.size):
        largest = max(largest, abs(x[v]))
    for v in range(x.size):
        if active[v] * scratch.slope[v] > HOLDS * damping * largest:
            held[v] = 1.0
