"""The kernels that programs begin with: they take addresses and sizes, and make arrays of them."""

from __future__ import annotations

from typing import Any

from limbik.compiler.kernel import Floats, compiled, to_be_bound, view
from limbik.core import answer as chain_answer
from limbik.core import batch, lanes, whole_body
from limbik.core.batch import COUNTERS
from limbik.core.desk import HISTORY_ROWS, ROOM_SIZE, Asked, Desk, Tree
from limbik.core.lanes import HEADER
from limbik.core.pulls import PULL_SIZE
from limbik.core.spatial_chain import FRAME_SIZE
from limbik.core.tasks import SPOT_SIZE, TARGET_SIZE
from limbik.core.tree import SCREW_SIZE

AT_SIZE = TABLE_SIZE = WORK_SIZE = AT_ANSWER = N = WIDTH = to_be_bound()
ANSWER_SIZE = whole_body.ANSWER_SIZE
CHAIN_ANSWER_SIZE = chain_answer.ANSWER_SIZE
solve_one = lanes.solve
solve_many = batch.solve_many
solve_by_levels = whole_body.solve
solve_chain = chain_answer.answer


@compiled
def solve_tree(
    tree: Tree, asked: Asked, desk: Desk, roles: Floats, settings: Floats, q: Floats, misses: Floats,
    answer: Floats, trace_q: Floats, trace_error: Floats,
) -> None:  # fmt: skip
    """`core.whole_body.solve`, which has no use for roles."""
    solve_by_levels(tree, asked, desk, settings, q, misses, answer, trace_q, trace_error)


@compiled
def one(plan: Any, table: Any, pose: Any, start: Any, mode: int, work: Any) -> int:
    """One problem in the fast core; returns the code of the answer."""
    numbers = view(work, WORK_SIZE)
    solve_one(view(plan, AT_SIZE), view(table, TABLE_SIZE), view(pose, 16), view(start, N), mode, numbers)
    return int(numbers[AT_ANSWER])


@compiled
def many(
    plan: Any,
    table: Any,
    poses: Any,
    starts: Any,
    count: int,
    has_starts: int,
    first: int,
    last: int,
    answers: Any,
    work: Any,
    counters: Any,
    watch: Any,
) -> int:
    """Many problems in the fast core."""
    solve_many(
        view(plan, AT_SIZE),
        view(table, TABLE_SIZE),
        view(poses, 16 * count),
        view(starts, N * count),
        has_starts,
        first,
        last,
        view(answers, (HEADER + N) * count),
        view(work, WORK_SIZE),
        view(counters, COUNTERS * WIDTH),
        watch,
    )
    return 0


@compiled
def tree(
    links: Any, movers: Any, units: Any, fixed_mass: Any, roles: Any,
    tasks: Any, targets: Any, level_tasks: Any, level_rows: Any,
    frames: Any, screws: Any, sums: Any, total: Any, spot: Any, errors: Any, wrenches: Any, both_misses: Any,
    costs: Any, J: Any, P: Any, A: Any, basis: Any, y: Any, rest: Any, free: Any, damping: Any, dx: Any,
    dq: Any, trial: Any, best: Any, start: Any, pulls: Any, kept: Any, before: Any, rest_q: Any, work: Any,
    history: Any, room: Any,
    settings: Any, q: Any, misses: Any, answer: Any, trace_q: Any, trace_error: Any,
    n_links: int, nq: int, nv: int, n_rows: int, n_tasks: int, n_levels: int, n_movers: int, n_settings: int,
    n_trace: int, watch: Any,
) -> int:  # fmt: skip
    """All goals on a tree, by the method that is bound as `solve_tree`."""
    solve_tree(
        Tree(view(links, n_links), view(movers, n_movers), view(units, nv), view(fixed_mass, 4)),
        Asked(
            view(tasks, n_tasks),
            view(targets, n_tasks, TARGET_SIZE),
            view(level_tasks, n_levels + 1),
            view(level_rows, n_levels + 1),
            watch,
        ),
        Desk(
            view(frames, FRAME_SIZE * n_links),
            view(screws, 3 * n_links, SCREW_SIZE),
            view(sums, n_links, 4),
            view(total, 4),
            view(spot, SPOT_SIZE),
            view(errors, 2, n_rows),
            view(wrenches, n_rows, SCREW_SIZE),
            view(both_misses, 2, n_tasks),
            view(costs, 2, n_levels),
            view(J, n_rows, nv),
            view(P, n_rows, nv),
            view(A, n_rows, n_rows),
            view(basis, nv, nv),
            view(y, n_rows),
            view(rest, n_rows),
            view(free, nv),
            view(damping, n_levels),
            view(dx, nv),
            view(dq, nv),
            view(trial, nq),
            view(best, nq),
            view(start, nq),
            view(pulls, n_tasks, PULL_SIZE),
            view(kept, nq),
            view(before, nq),
            view(rest_q, nq),
            view(work, 2 * n_rows + 2, max(n_rows, nv)),
            view(history, HISTORY_ROWS, nq),
            view(room, n_links + n_tasks + 1, ROOM_SIZE),
        ),
        view(roles, n_links),
        view(settings, n_settings),
        view(q, nq),
        view(misses, n_tasks),
        view(answer, ANSWER_SIZE),
        view(trace_q, n_trace, nq),
        view(trace_error, n_trace),
    )
    return 0


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
