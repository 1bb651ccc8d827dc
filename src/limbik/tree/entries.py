"""The kernel that programs for trees begin with: it takes addresses and sizes, and makes arrays of them."""

from __future__ import annotations

from typing import Any

from limbik.chain.joints import FRAME_SIZE
from limbik.compiler.kernel import Floats, compiled, view
from limbik.tree import levenberg_marquardt
from limbik.tree.kinematics import SCREW_SIZE
from limbik.tree.residuals import RESOLVED_SIZE, TARGET_SIZE
from limbik.tree.workspace import HISTORY_ROWS, SCRATCH_SIZE, VECTOR_PAIRS_SIZE, Objectives, Tree, Workspace

ANSWER_SIZE = levenberg_marquardt.ANSWER_SIZE
solve_by_levels = levenberg_marquardt.solve


@compiled
def solve_tree(
    tree: Tree, objectives: Objectives, workspace: Workspace, roles: Floats, settings: Floats, q: Floats,
    task_errors: Floats, answer: Floats, trace_q: Floats, trace_error: Floats,
) -> None:  # fmt: skip
    """`tree.levenberg_marquardt.solve`, which has no use for roles."""
    solve_by_levels(tree, objectives, workspace, settings, q, task_errors, answer, trace_q, trace_error)


@compiled
def tree(
    links: Any, movers: Any, units: Any, fixed_mass: Any, roles: Any, tasks: Any, targets: Any, level_tasks:
    Any, level_rows: Any, frames: Any, screws: Any, sums: Any, total: Any, resolved: Any, errors: Any,
    wrenches: Any, both_task_errors: Any, costs: Any, J: Any, P: Any, A: Any, basis: Any, y: Any, rest: Any,
    free: Any, damping: Any, dx: Any, dq: Any, trial: Any, best: Any, start: Any, vector_pairs: Any, kept:
    Any, before: Any, rest_q: Any, work: Any, history: Any, scratch: Any, settings: Any, q: Any, task_errors:
    Any, answer: Any, trace_q: Any, trace_error: Any, n_links: int, nq: int, nv: int, n_rows: int, n_tasks:
    int, n_levels: int, n_movers: int, n_settings: int, n_trace: int, watch: Any,
) -> int:  # fmt: skip
    """All goals on a tree, by the method that is bound as `solve_tree`."""
    solve_tree(
        Tree(view(links, n_links), view(movers, n_movers), view(units, nv), view(fixed_mass, 4)),
        Objectives(
            view(tasks, n_tasks),
            view(targets, n_tasks, TARGET_SIZE),
            view(level_tasks, n_levels + 1),
            view(level_rows, n_levels + 1),
            watch,
        ),
        Workspace(
            view(frames, FRAME_SIZE * n_links),
            view(screws, 3 * n_links, SCREW_SIZE),
            view(sums, n_links, 4),
            view(total, 4),
            view(resolved, RESOLVED_SIZE),
            view(errors, 2, n_rows),
            view(wrenches, n_rows, SCREW_SIZE),
            view(both_task_errors, 2, n_tasks),
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
            view(vector_pairs, n_tasks, VECTOR_PAIRS_SIZE),
            view(kept, nq),
            view(before, nq),
            view(rest_q, nq),
            view(work, 2 * n_rows + 2, max(n_rows, nv)),
            view(history, HISTORY_ROWS, nq),
            view(scratch, n_links + n_tasks + 1, SCRATCH_SIZE),
        ),
        view(roles, n_links),
        view(settings, n_settings),
        view(q, nq),
        view(task_errors, n_tasks),
        view(answer, ANSWER_SIZE),
        view(trace_q, n_trace, nq),
        view(trace_error, n_trace),
    )
    return 0
