"""What the general core works on: what moves, what is asked, and room for the numbers in between."""

from __future__ import annotations

from typing import Any, NamedTuple

from limbik.compiler.kernel import Floats, Records
from limbik.core.pulls import PULL_SIZE
from limbik.core.spatial_chain import FRAME_SIZE
from limbik.core.tasks import SPOT_SIZE
from limbik.core.tree import SCREW_SIZE

ROOM_SIZE = 48
MIXED = 8  # iterations that a method learns from (`core.mixing`)
HISTORY_ROWS = 3 + 4 * MIXED


class Tree(NamedTuple):
    """What moves."""

    links: Records  # `core.tree.LINK`, parents first
    movers: (
        Records  # `core.spatial_chain.JOINT`: the joints with numbers of their own, then the tool's record
    )
    units: Floats  # [nv] in which velocities are counted; 0 locks one
    fixed_mass: Floats  # [4] mass times place [kg m], and mass [kg], of what cannot move


class Asked(NamedTuple):
    """What is asked, the first level first."""

    tasks: Records  # `core.tasks.TASK`
    targets: Floats  # [tasks, TARGET_SIZE]
    level_tasks: Floats  # [levels + 1] where the tasks of each level begin
    level_rows: Floats  # [levels + 1] and their rows
    watch: Any  # what `is_stopped` asks, whether to go on


class Desk(NamedTuple):
    """Where a solve works: arrays of the sizes of `desk_shapes`."""

    frames: Any  # of all links
    screws: Any
    sums: Any  # of masses
    total: Any
    spot: Any
    errors: Any  # of the rows, at q and at the configuration on trial
    wrenches: Any
    misses: Any  # of the tasks, at both
    costs: Any  # squared errors of the levels, at both
    J: Any
    P: Any  # rows of J in the null space of the levels above
    A: Any
    basis: Any  # of what the levels so far span
    y: Any
    rest: Any
    free: Any  # 1 for velocities that no limit stops
    damping: Any
    dx: Any  # the step, in units
    dq: Any
    trial: Any
    best: Any
    start: Any
    pulls: Any  # of the tasks, on the joints (`core.pulls`)
    # Of the classical methods (`core.branched`):
    kept: Any  # the best configuration of a descent
    before: Any  # where a window of iterations began
    rest_q: Any  # toward which the first iterations are pulled
    work: Any  # room for linear algebra: as wide as the rows of J or of A
    history: Any  # of the last iterations of a method (`core.mixing`)
    room: Any  # of the method itself: ROOM_SIZE numbers for each link and each task, and once more


def desk_shapes(links: int, nq: int, nv: int, rows: int, tasks: int, levels: int) -> Desk:
    """The shapes of the arrays on a desk."""
    return Desk(
        frames=(FRAME_SIZE * links,),
        screws=(3 * links, SCREW_SIZE),
        sums=(links, 4),
        total=(4,),
        spot=(SPOT_SIZE,),
        errors=(2, rows),
        wrenches=(rows, SCREW_SIZE),
        misses=(2, tasks),
        costs=(2, levels),
        J=(rows, nv),
        P=(rows, nv),
        A=(rows, rows),
        basis=(nv, nv),
        y=(rows,),
        rest=(rows,),
        free=(nv,),
        damping=(levels,),
        dx=(nv,),
        dq=(nv,),
        trial=(nq,),
        best=(nq,),
        start=(nq,),
        pulls=(tasks, PULL_SIZE),
        kept=(nq,),
        before=(nq,),
        rest_q=(nq,),
        work=(2 * rows + 2, max(rows, nv)),
        history=(HISTORY_ROWS, nq),
        room=(links + tasks + 1, ROOM_SIZE),
    )
