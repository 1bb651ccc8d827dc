"""The programs of closed forms: the same kernels for all families of arms, with the branches of each."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

import numpy as np

from limbik.analytic import families
from limbik.analytic.entries import many_poses, one_pose
from limbik.analytic.families import Arm, Branch, Wanted, squared_errors
from limbik.analytic.geometry import Family
from limbik.analytic.layout import (
    ARM_ACROSS,
    ARM_SIZE,
    ARM_STEPS,
    BRANCHES,
    CHOICES,
    ROW_ANGLES,
    ROW_FREE,
    ROW_POSITION,
    ROW_ROTATION,
    WANTED_SIZE,
)
from limbik.analytic.subproblems import Turn, angle
from limbik.compiler.emit import Emitted, Numbers, Rows, Stored
from limbik.compiler.program import Program
from limbik.compiler.symbols import Scalars

DOUBLE, NUMBER = np.dtype(np.float64), None

_BRANCHES: dict[Family, Callable[[Arm, Wanted, Branch], list[Turn]]] = {
    Family.PARALLEL_2_3: functools.partial(
        families.with_spherical_wrist, families.where_2_and_3_are_parallel
    ),
    Family.PARALLEL_1_2: functools.partial(
        families.with_spherical_wrist, families.where_1_and_2_are_parallel
    ),
    Family.MEETING_1_2: functools.partial(families.with_spherical_wrist, families.where_1_and_2_intersect),
    Family.MEETING_2_3: functools.partial(families.with_spherical_wrist, families.where_2_and_3_intersect),
    Family.THREE_PARALLEL: families.with_three_parallel,
}


# The steps between axes that intersect.
NO_STEPS: dict[Family, tuple[int, ...]] = {
    family: (5,) if family is Family.THREE_PARALLEL else (4, 5) for family in Family
}
NO_STEPS[Family.MEETING_1_2] = (1, 4, 5)
NO_STEPS[Family.MEETING_2_3] = (2, 4, 5)
NOTHING = [0.0, 0.0, 0.0]


@functools.cache
def one_pose_program(family: Family) -> Program:
    """Every answer for one pose: `analytic.kernels.all_branches`."""
    return Program(
        name="analytic_one",
        kernel=one_pose,
        arguments=(DOUBLE, DOUBLE, DOUBLE, NUMBER, DOUBLE),
        is_watched=False,
        as_bytes=(1, 2),
        functions=functions(family),
        stem=family.value,
    )


@functools.cache
def many_poses_program(family: Family) -> Program:
    """The same for many poses."""
    return Program(
        name="analytic_many",
        kernel=many_poses,
        arguments=(DOUBLE, DOUBLE, NUMBER, DOUBLE, NUMBER, DOUBLE, DOUBLE, DOUBLE, DOUBLE),
        functions=functions(family),
        stem=family.value,
    )


def functions(family: Family) -> dict[str, Emitted]:
    """What `analytic.kernels` leaves open."""
    return {"branches": branches(family)}


def branches(family: Family) -> Emitted:
    """The angles and errors of all branches of a pose, one to a lane."""
    solve = _BRANCHES[family]

    def function(rows: Rows, plan: Rows, wanted: Rows) -> Stored:
        arm, asked = arm_of(plan, family), wanted_of(wanted)
        turns = solve(arm, asked, Branch(*rows))
        position, rotation = squared_errors(arm, asked, turns)
        angles = enumerate(map(angle, turns), ROW_ANGLES)
        is_free = sum(turn.is_free for turn in turns)
        return [*angles, (ROW_POSITION, position), (ROW_ROTATION, rotation), (ROW_FREE, is_free)]

    numbers = [Numbers(ARM_SIZE), Numbers(WANTED_SIZE)]
    return Emitted(function, inputs=CHOICES, numbers=numbers, lanes=BRANCHES)


def arm_of(numbers: Scalars, family: Family) -> Arm:
    """An arm of its numbers, in the order of `analytic.layout`; without what is 0 for its family."""
    threes = list(_threes(numbers))
    steps, across = ARM_STEPS // 3, ARM_ACROSS // 3
    p = [NOTHING, *threes[steps:across]]
    for k in NO_STEPS[family]:
        p[k] = NOTHING
    return Arm(threes[:steps], p, threes[across])


def wanted_of(numbers: Scalars) -> Wanted:
    """What a pose asks for, of its numbers."""
    *rows, point = _threes(numbers)
    return Wanted(rows, point)


def _threes(numbers: Scalars) -> Iterator[Scalars]:
    for k in range(0, len(numbers), 3):
        yield numbers[k : k + 3]
