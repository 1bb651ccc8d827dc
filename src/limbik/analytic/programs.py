"""The compiled programs of closed forms, one pair for each family: for one pose, and for many."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from limbik.analytic import families, kernels, slides
from limbik.analytic.closed_form import Family
from limbik.analytic.families import BranchSigns, Position, SixAxes, ToolTarget, squared_errors
from limbik.analytic.layout import (
    ARM_ACROSS,
    ARM_SIZE,
    ARM_STEPS,
    BRANCHES,
    CHOICES,
    JOINTS,
    PLAN,
    ROW_ANGLES,
    ROW_FREE,
    ROW_POSITION,
    ROW_ROTATION,
    WANTED_SIZE,
    WORK,
)
from limbik.analytic.slides import walked_back
from limbik.analytic.subproblems import Motion, amount, may_be_free
from limbik.compiler.emit import Emitted, Numbers, Rows, Stored
from limbik.compiler.kernel import Floats, Watch, compiled, is_stopped, view
from limbik.compiler.program import Program
from limbik.compiler.symbols import Scalars

DOUBLE, NUMBER = np.dtype(np.float64), None

POSITIONS: dict[Family, Position] = {
    Family.PARALLEL_2_3: families.where_2_and_3_are_parallel,
    Family.PARALLEL_1_2: families.where_1_and_2_are_parallel,
    Family.MEETING_1_2: families.where_1_and_2_intersect,
    Family.MEETING_2_3: families.where_2_and_3_intersect,
    Family.RRP_PARALLEL: slides.rrp_where_1_and_2_are_parallel,
    Family.RRP_ACROSS: slides.rrp_sliding_across_2,
    Family.RRP_MEETING: slides.rrp_where_1_and_2_intersect,
    Family.RPR_PARALLEL: slides.rpr_where_1_and_3_are_parallel,
    Family.RPR_ACROSS: slides.rpr_sliding_across_3,
    Family.ACROSS_RPR: walked_back(slides.rpr_sliding_across_3),
    Family.RPR_ALONG: slides.rpr_sliding_along_1,
    Family.ALONG_RPR: walked_back(slides.rpr_sliding_along_1),
    Family.PRR_PARALLEL: walked_back(slides.rrp_where_1_and_2_are_parallel),
    Family.PRR_ACROSS: walked_back(slides.rrp_sliding_across_2),
    Family.PRR_MEETING: walked_back(slides.rrp_where_1_and_2_intersect),
    Family.RPP: slides.rpp,
    Family.PRP: slides.prp,
    Family.PPR: walked_back(slides.rpp),
    Family.PPP: slides.ppp,
}

# The steps between axes that intersect.
NO_STEPS: dict[Family, tuple[int, ...]] = {
    Family.MEETING_1_2: (1,),
    Family.MEETING_2_3: (2,),
    Family.RRP_MEETING: (1,),
    Family.PRR_MEETING: (2,),
    Family.RPR_ALONG: (1, 2),
    Family.ALONG_RPR: (1, 2),
}
OF_WRIST = (4, 5)
OF_THREE_PARALLEL = (5,)
NOTHING = [0.0, 0.0, 0.0]

PLAN_SIZE, WORK_SIZE = PLAN["SIZE"], WORK["SIZE"]
NAN = math.nan
Q, HAS_FREE = WORK["Q"], WORK["HAS_FREE"]
all_branches = kernels.all_branches


@compiled
def one_pose(plan: Any, pose: Any, start: Any, has_start: int, work: Any) -> int:
    """`analytic.kernels.all_branches` of addresses."""
    return all_branches(
        view(plan, PLAN_SIZE), view(pose, 16), view(start, JOINTS), has_start, view(work, WORK_SIZE)
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
    watch: Watch,
) -> int:
    """Every answer for each pose [16 count]: q [48 count], with NaN behind the last; counts [count], or
    BAD_GOAL; free [count]: 1 where a joint may have any angle. Returns how many poses were done before the
    watch ended it.
    """
    for k in range(counts.size):
        if is_stopped(watch, k):
            return k
        count = all_branches(plan, poses[16 * k : 16 * k + 16], start, has_start, work)
        counts[k], free[k] = count, work[HAS_FREE]
        for b in range(BRANCHES):
            for i in range(JOINTS):
                index = JOINTS * b + i
                q[BRANCHES * JOINTS * k + index] = work[Q + index] if b < count else NAN
    return counts.size


@functools.cache
def one_pose_program(family: Family) -> Program:
    """Every answer for one pose: `analytic.kernels.all_branches`."""
    return Program(
        name="analytic_one",
        kernel=one_pose,
        arguments=(DOUBLE, DOUBLE, DOUBLE, NUMBER, DOUBLE),
        as_bytes=(1, 2),
        functions=functions(family),
        stem=family.value,
    )


@functools.cache
def many_poses_program(family: Family) -> Program:
    """The same for many poses."""
    return Program(
        name="analytic_many",
        kernel=fill_answers,
        functions=functions(family),
        stem=family.value,
    )


def functions(family: Family) -> dict[str, Emitted]:
    """What `analytic.kernels` leaves open."""
    return {"branches": branches(family)}


def branches(family: Family) -> Emitted:
    """The angles and errors of all branches of a pose, one to a lane."""
    solve = _solve(family)

    def function(rows: Rows, plan: Rows, wanted: Rows) -> Stored:
        arm, requested = arm_of(plan, family), wanted_of(wanted)
        motions = solve(arm, requested, BranchSigns(*rows))
        position, rotation = squared_errors(arm, requested, motions)
        amounts = enumerate(map(amount, motions), ROW_ANGLES)
        is_free = may_be_free(motions)
        return [*amounts, (ROW_POSITION, position), (ROW_ROTATION, rotation), (ROW_FREE, is_free)]

    numbers = [Numbers(ARM_SIZE), Numbers(WANTED_SIZE)]
    return Emitted(function, inputs=CHOICES, numbers=numbers, lanes=BRANCHES)


def _solve(family: Family) -> Callable[[SixAxes, ToolTarget, BranchSigns], list[Motion]]:
    if family is Family.THREE_PARALLEL:
        return families.with_three_parallel
    return functools.partial(families.with_spherical_wrist, POSITIONS[family])


def arm_of(numbers: Scalars, family: Family) -> SixAxes:
    """An arm of its numbers, in the order of `analytic.layout`; without what is 0 for its family."""
    threes = list(_threes(numbers))
    steps, across = ARM_STEPS // 3, ARM_ACROSS // 3
    p = [NOTHING, *threes[steps:across]]
    others = OF_THREE_PARALLEL if family is Family.THREE_PARALLEL else OF_WRIST
    for k in NO_STEPS.get(family, ()) + others:
        p[k] = NOTHING
    return SixAxes(threes[:steps], p, threes[across])


def wanted_of(numbers: Scalars) -> ToolTarget:
    """What a pose asks for, of its numbers."""
    *rows, point = _threes(numbers)
    return ToolTarget(rows, point)


def _threes(numbers: Scalars) -> Iterator[Scalars]:
    for k in range(0, len(numbers), 3):
        yield numbers[k : k + 3]
