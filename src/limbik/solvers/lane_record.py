"""Records a solve of the fast core after every iteration, for traces.

The driver (`serial.lanes.solve`) returns to its caller after a number of rounds, and goes on when it is
called again: here after each one. What is seen is the solve itself, not another that resembles it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from limbik.compiler.kernel import Watch
from limbik.measure import distance, plain_errors
from limbik.numerics.end_codes import RUNNING, SETTLED, SPENT
from limbik.request import Request
from limbik.serial.lanes import (
    AGE,
    BEST_COST,
    BEST_DISTANCE,
    DOING,
    GATHERING,
    HAS_START,
    HEADER,
    IN_USE,
    PROVED,
    RACING,
    RESUME,
    SETTLED_LANE,
    STATE,
    TRACKING,
    working_offsets,
)
from limbik.serial.layout import LANES, Layout
from limbik.serial.seed_table import FULL_TURN
from limbik.solution import Lane, Solution, Trace
from limbik.spatial import Array

# The driver for a pose and a start: takes a plan's numbers and how to begin, returns how it ended.
Driver = Callable[[Array, int], int]


class WatchedLanes:
    """What the lanes of one solve do.

    Args:
        layout: of the plan's numbers.
        numbers: the plan's, which are not changed.
        work: what the solve works on, all zero.
    """

    def __init__(self, layout: Layout, numbers: Array, work: Array) -> None:
        n, at = layout.shape.n, working_offsets(layout.shape.n, layout.rows)
        self._numbers, self._offsets, self._n = numbers.copy(), layout.constants, n
        block = work[: layout.rows * LANES].reshape(layout.rows, LANES)
        self._x, self._evaluated = block[:n], block[-n:]
        self._records = work[at["AT_LANES"] : at["AT_MARKS"]].reshape(-1, LANES)
        self._state = work[at["AT_STATE"] : at["AT_STATE"] + STATE]
        self._start, self._best = (work[at[name] : at[name] + n] for name in ("AT_START", "AT_KEPT"))
        self._answer = work[at["AT_ANSWER"] : at["WORK_SIZE"]]
        self._seen: list[Array] = []  # x [n, LANES] as every iteration left them
        self._began: list[tuple[int, NDArray[np.bool_]]] = []  # (iteration, lanes that began again in it)
        self._best_cost, self._best_lane = (math.inf, math.inf), 0
        self._lanes = 1  # that were in use

    def run(self, drive: Driver, mode: int, watch: Watch) -> int:
        """Solve until the watch ends it; how it ended, as the driver says it."""
        numbers, budget = self._numbers, self._offsets["SET_BUDGET"]
        budget_left = numbers[budget]
        numbers[budget], numbers[self._offsets["SET_ROUNDS"]] = 0.0, 1.0
        code = drive(numbers, mode)  # takes the start, or seeds, and makes no iteration
        if code < 0:
            return code
        self._look()
        self._state[BEST_COST] = math.inf  # an end that was none has left one
        self._best_cost = math.inf, math.inf
        numbers[budget], code = budget_left, RUNNING
        while code == RUNNING and not watch():
            code = drive(numbers, RESUME)
            self._look()
        if code == RUNNING:
            numbers[budget] = 0.0
            code = drive(numbers, RESUME)
            self._note_best()
            say_spent(self._answer)
        return code

    def _is_proved(self) -> bool:
        """Whether the goal is proved to be out of reach, where no lane begins again."""
        return bool(self._state[PROVED] > 0.0)

    def _look(self) -> None:
        self._seen.append(self._x.copy())
        doing = self._state[DOING]
        in_use = {RACING: LANES, TRACKING: 1}.get(int(doing), int(self._state[IN_USE]))
        self._lanes = max(self._lanes, in_use)
        if len(self._seen) == 1:
            return
        self._note_best()
        if self._is_proved():
            return
        is_new = self._records[AGE] == 0.0
        if doing == RACING:
            is_new &= self._records[SETTLED_LANE] > 0.0
        else:  # a set of lanes has the age of its first one
            is_new = (np.arange(LANES) < in_use) & is_new[0] & (doing == GATHERING)
        if is_new.any():
            self._began.append((len(self._seen) - 1, is_new))

    def _note_best(self) -> None:
        """Which lane the best one without a solution, or the nearest solution, is from."""
        cost = self._state[BEST_COST], self._state[BEST_DISTANCE]
        is_from = (self._evaluated == self._best[:, None]).all(axis=0)
        if cost != self._best_cost and is_from.any():
            self._best_lane = int(is_from.argmax())
        self._best_cost = cost

    def trace(
        self,
        request: Request,
        solution: Solution,
        whole: Callable[[Array], Array],
        settling: Sequence[Array],
        lanes: bool,
    ) -> Trace:
        """What was seen of the solve that gave a solution.

        whole: makes the model's configurations [k, nq] of the plan's rows [k, n]. settling: where the answer
        was looked for on from there, the configurations [m + 1, n] of that descent. lanes: whether to keep
        what all of them did.
        """
        count = solution.iterations + 1 - sum(len(rows) - 1 for rows in settling)
        traced = [self._lane(lane, count, request, whole) for lane in range(self._lanes if lanes else 0)]
        lane = self._answering_lane()
        rows, restarts = self._rows(lane, count), self._restarts(lane, count - 1)
        for more in settling:
            rows = np.concatenate([rows[:-1], more])
            restarts += (count,) if len(more) > 1 else ()
        q = whole(rows)
        error = plain_errors(request, q)
        q[-1], error[-1] = solution.q, distance(request, solution.error, solution.error_rotation)
        return Trace(q, error, restarts, solution, tuple(traced))

    def _lane(self, lane: int, count: int, request: Request, whole: Callable[[Array], Array]) -> Lane:
        q = whole(self._rows(lane, count))
        return Lane(q, plain_errors(request, q), self._restarts(lane, count))

    def _answering_lane(self) -> int:
        """The lane whose configuration is the answer: as it was evaluated, one step ahead, or stored
        before.
        """
        x = [*self._evaluated.T, *self._x.T]
        if self._state[BEST_COST] < math.inf:
            x.append(self._best)
        apart = np.abs(self._configurations(np.array(x)) - self._answer[HEADER:]).max(axis=1)
        nearest = int(apart.argmin())
        return nearest % LANES if nearest < 2 * LANES else self._best_lane

    def _rows(self, lane: int, count: int) -> Array:
        """What the first iterations of a lane left, its beginning first [count, n]."""
        return self._configurations(np.array([x[:, lane] for x in self._seen[:count]]))

    def _restarts(self, lane: int, count: int) -> tuple[int, ...]:
        """The iterations in which the lane began again, among the first ones."""
        return tuple(k for k, began in self._began if began[lane] and k < count)

    def _configurations(self, x: Array) -> Array:
        """q [..., n] for x, within limits, as `serial.seeding.configuration` does it for one joint."""
        scale, offset, lower, upper, seed_lower, circular = map(
            self._part, ("SCALE", "OFFSET", "Q_LOWER", "Q_UPPER", "SEED_LOWER", "CIRCULAR")
        )
        has_start = self._state[HAS_START] == 1.0
        wanted = (self._start - offset) / scale if has_start else seed_lower + 0.5 * FULL_TURN - offset
        q = (x - offset) / scale
        turned = q - FULL_TURN * np.floor((q - wanted) / FULL_TURN + 0.5)
        turned = turned - FULL_TURN * (turned > upper) + FULL_TURN * (turned < lower)
        return np.clip(np.where(circular == 1.0, turned, q), lower, upper)

    def _part(self, name: str) -> Array:
        begin = self._offsets[f"AT_{name}"]
        return self._numbers[begin : begin + self._n]


def say_spent(answer: Array) -> None:
    """What was stopped by the clock has not settled."""
    if answer[0] == SETTLED:
        answer[0] = SPENT
