"""Line search along the last change of q with doubling steps, for descents that are slow in a narrow valley.

A loop binds what this needs of its problem, a tuple of any kind:

    error_at(problem, q) -> float                        what is to become small
    go_on(problem, q, before, factor, trial) -> None     trial [nq]: q + factor (q - before), within limits
"""

from __future__ import annotations

from typing import Any

from limbik.compiler.kernel import Floats, compiled, to_be_bound
from limbik.numerics.linear import copy

MAX_DOUBLINGS = 16

error_at = go_on = to_be_bound()


@compiled(inline=False)
def extrapolate(problem: Any, q: Floats, before: Floats, error: float, trial: Floats) -> float:
    """Go on in the direction that q [nq] has taken since `before`, twice as far each time the error falls.

    This takes many iterations at once. Returns the error afterwards. trial [nq]: work.
    """
    factor = 1.0
    for _ in range(MAX_DOUBLINGS):
        go_on(problem, q, before, factor, trial)
        tried = error_at(problem, trial)
        if not tried < error:
            break
        error = tried
        copy(q, before)
        copy(trial, q)
        factor = 2.0
    return error
