"""Leaving a dead point, such as a straight arm whose target lies on its own axis: no small step helps there.

A loop binds what this needs of its problem, a tuple of any kind:

    error_at(problem, q) -> float                   what is to become small
    turn(problem, q, dq, scale, trial) -> None      trial [nq]: q after a part of a velocity, within limits
"""

from __future__ import annotations

from typing import Any

from limbik.compiler.kernel import Floats, compiled, to_be_bound
from limbik.numerics.linear import copy, dot, orthogonalise_rows, squared_length

BEND = 0.05  # [rad or lengths]
NO_GAIN = 1e-12  # part of the error under which what is gained is rounding
DEPENDENT = 1e-20  # part of the longest row's squared length under which what is left of a row is rounding

error_at = turn = to_be_bound()


@compiled(inline=False)
def bend(
    problem: Any, J: Floats, q: Floats, error: float, W: Floats, U: Floats, dq: Floats, trial: Floats
) -> float:
    """Bend all joints together, then in alternation, then one at a time.

    Each as it is, and without what moves the end effector at first order (a pure bend, which draws it in);
    each in both directions. The first that gains is written to q. Returns the error afterwards: the same one
    at a true minimum. J [rows, nv]: the Jacobian at q. W [rows, nv], U [rows, rows], dq [nv], trial [nq]:
    work.
    """
    nv = dq.size
    orthogonalise_rows(J, W, U)
    for pattern in range(2 * nv + 4):
        for v in range(nv):
            dq[v] = bent_by(pattern, v, nv)
        if pattern % 2 == 1:
            remove_rows(W, dq)
        for sign in (1.0, -1.0):
            turn(problem, q, dq, sign, trial)
            bent = error_at(problem, trial)
            if bent < error * (1.0 - NO_GAIN):
                copy(trial, q)
                return bent
    return error


@compiled
def bent_by(pattern: int, v: int, nv: int) -> float:
    """What one of the 2 nv + 4 patterns of bends does to a velocity [rad or lengths]."""
    if pattern < 2:
        return BEND
    if pattern < 4:
        return BEND if v % 2 == 0 else -BEND
    return BEND if v == nv + 1 - pattern // 2 else 0.0


@compiled
def remove_rows(W: Floats, dq: Floats) -> None:
    """Take out of dq what lies along the rows of W, which are orthogonal but of any length."""
    longest = 0.0
    for i in range(W.shape[0]):
        longest = max(longest, squared_length(W[i]))
    for i in range(W.shape[0]):
        squared = squared_length(W[i])
        if squared > DEPENDENT * longest:
            along = dot(W[i], dq)
            for v in range(dq.size):
                dq[v] -= along / squared * W[i, v]
