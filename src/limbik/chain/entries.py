"""The kernel that programs for chains begin with: it takes addresses and sizes, and makes arrays of them."""

from __future__ import annotations

from typing import Any

from limbik.chain import solve as chain_answer
from limbik.compiler.kernel import compiled, view

CHAIN_ANSWER_SIZE = chain_answer.ANSWER_SIZE
solve_chain = chain_answer.answer


@compiled
def chain(
    joints: Any, place: Any, goal: Any, settings: Any, patience: Any, rest: Any, q: Any, answer: Any,
    trace_q: Any, trace_error: Any,
    n_joints: int, n_goal: int, nq: int, n_trace: int, watch: Any,
) -> int:  # fmt: skip
    """One goal on a chain, by the method that is bound into `solve_chain`."""
    solve_chain(
        view(joints, n_joints),
        view(place, 1),
        view(goal, n_goal),
        view(settings, 1),
        view(patience, 1)[0],
        view(rest, nq),
        view(q, nq),
        view(answer, CHAIN_ANSWER_SIZE),
        view(trace_q, n_trace, nq),
        view(trace_error, n_trace),
        watch,
    )
    return 0
