"""The kernels that the programs of closed forms begin with: they take addresses, and make arrays of them."""

from __future__ import annotations

import math
from typing import Any

from limbik.analytic import kernels
from limbik.analytic.layout import BRANCHES, JOINTS, PLAN, WORK
from limbik.compiler.kernel import Floats, compiled, is_stopped, view

PLAN_SIZE, WORK_SIZE = PLAN["SIZE"], WORK["SIZE"]
NAN = math.nan
Q, HAS_FREE = WORK["Q"], WORK["HAS_FREE"]
all_branches = kernels.all_branches


@compiled
def one_pose(plan: Any, pose: Any, start: Any, has_start: int, work: Any) -> int:
    """Every answer for one pose, into the work; returns how many there are."""
    return all_branches(
        view(plan, PLAN_SIZE), view(pose, 16), view(start, JOINTS), has_start, view(work, WORK_SIZE)
    )


@compiled
def many_poses(
    plan: Any,
    poses: Any,
    count: int,
    start: Any,
    has_start: int,
    q: Any,
    counts: Any,
    free: Any,
    work: Any,
    watch: Any,
) -> int:
    """Every answer for each pose [count, 16]: q [count, 8, 6], with NaN behind the last; counts [count], or
    BAD_GOAL; free [count]: 1 where a joint may have any angle. Returns how many poses were done before the
    watch ended it.
    """
    return fill_answers(
        view(plan, PLAN_SIZE),
        view(poses, 16 * count),
        view(start, JOINTS),
        has_start,
        view(q, count * BRANCHES * JOINTS),
        view(counts, count),
        view(free, count),
        view(work, WORK_SIZE),
        watch,
    )


@compiled
def fill_answers(
    plan: Floats,
    poses: Floats,
    start: Floats,
    has_start: int,
    q: Floats,
    counts: Floats,
    free: Floats,
    work: Floats,
    watch: Any,
) -> int:
    """`many_poses` on arrays."""
    for k in range(counts.size):
        if is_stopped(watch, k):
            return k
        count = all_branches(plan, poses[16 * k : 16 * k + 16], start, has_start, work)
        counts[k], free[k] = count, work[HAS_FREE]
        for b in range(BRANCHES):
            for i in range(JOINTS):
                place = JOINTS * b + i
                q[BRANCHES * JOINTS * k + place] = work[Q + place] if b < count else NAN
    return counts.size
