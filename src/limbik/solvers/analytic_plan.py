"""All configurations of an arm of six revolute joints that has a closed form (`analytic.families`)."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from limbik.all_solutions import AllSolutions, AllSolutionsBatch
from limbik.analytic import kernels
from limbik.analytic.entries import fill_answers
from limbik.analytic.geometry import ClosedForm
from limbik.analytic.layout import BRANCHES, JOINTS, WORK
from limbik.analytic.names import branch_name, in_words
from limbik.analytic.prepare import new_work, plan_of
from limbik.analytic.programs import functions, many_poses_program, one_pose_program
from limbik.compiler import native
from limbik.compiler.callables import Arguments
from limbik.compiler.kernel import Watch
from limbik.errors import GoalError
from limbik.model.chain import Chain
from limbik.model.model import Model
from limbik.numerics.ended import BAD_GOAL
from limbik.solvers.answers_plan import AnswersPlan, checked_poses
from limbik.solvers.watch import run_either_way, time_watch
from limbik.spatial import Array, as_pose

Q = WORK["Q"]


class AnalyticPlan(AnswersPlan):
    """Everything about all solutions of a frame's pose that does not depend on the pose or the start."""

    def __init__(self, model: Model, chain: Chain, frame: str | None, form: ClosedForm, limits: bool) -> None:
        super().__init__(model, chain, frame, limits)
        self.form = form
        self._plan = plan_of(form, self.lower, self.upper)
        self._address = self._plan.ctypes.data
        self._free: list[Work] = []  # any number may be in use, one to a thread
        self._solve_one: Any = None  # once there is machine code
        self._one, self._many = one_pose_program(form.family), many_poses_program(form.family)

    def solve(
        self, pose: Array, start: Array | None, turns: bool = False, samples: int | None = None
    ) -> AllSolutions:
        """All solutions for a pose [4, 4] of float64, sorted by distance to a start [nq]."""
        began = perf_counter()
        solve_one = self._solve_one
        if solve_one is None or start is not None or turns or not self.is_whole:
            return self._solve_in_general(pose, start, turns, began)
        work, target = self._free.pop() if self._free else Work(), pose.tobytes()
        count = solve_one(self._address, target, b"", 0, work.address)
        if count < 0:
            return self.solve(as_pose(pose, "`pose`", error=GoalError), start)
        q = work.answers[count].copy()
        self._free.append(work)
        return AllSolutions(q, self, (target, None), perf_counter() - began)

    def _solve_in_general(self, pose: Array, start: Array | None, turns: bool, began: float) -> AllSolutions:
        """The same from a start, for whole turns, with other joints, or before there is machine code."""
        work, target = self._free.pop() if self._free else Work(), pose.tobytes()
        near = self.near(start)
        has_start = int(start is not None)
        if self._solve_one is not None:
            count = self._solve_one(self._address, target, near.tobytes(), has_start, work.address)
        else:
            self._solve_one = native.compiled(self._one)
            kernel = self._kernel(kernels.all_branches)
            count = kernel(self._plan, pose.ravel(), near, has_start, work.numbers)
        if count < 0:
            return self.solve(as_pose(pose, "`pose`", error=GoalError), start, turns)
        q = work.answers[count].copy()
        self._free.append(work)
        return self.answered(q, (target, start), start, turns, began)

    def solve_batch(self, poses: Array, start: Array | None) -> AllSolutionsBatch:
        """All solutions for many poses [N, 4, 4]."""
        began = perf_counter()
        near = np.ascontiguousarray(self.near(start))
        q, counts = self.fill(poses, near, start is not None)
        if (counts == BAD_GOAL).any():
            return self.solve_batch(checked_poses(poses), start)
        q = np.ascontiguousarray(q[:, : int(counts.max(initial=0))])
        if not self.is_whole:
            q = self.whole(q.reshape(-1, JOINTS), start).reshape(*q.shape[:2], self.model.nq)
            q[np.arange(q.shape[1]) >= counts[:, None]] = np.nan
        return AllSolutionsBatch(q, counts, True, self.method(None), perf_counter() - began)

    def fill(self, poses: Array, near: Array, has_start: bool) -> tuple[Array, Any]:
        """The chain's q [N, 8, 6] for poses [N, 4, 4], NaN behind the last of each, and how many [N]."""
        n, work = len(poses), new_work()
        poses = np.ascontiguousarray(poses)
        q, kinds, counts = np.empty((n, BRANCHES, JOINTS)), np.empty((n, BRANCHES)), np.empty(n)
        arrays = q.reshape(-1), kinds.reshape(-1), counts, work

        def run(many: Any) -> None:
            given = [array.ctypes.data for array in arrays]
            values = self._address, poses.ctypes.data, n, near.ctypes.data, int(has_start), *given
            many(Arguments(*values).address, time_watch(None))

        def interpret(watch: Watch) -> None:
            self._kernel(fill_answers)(self._plan, poses.reshape(-1), near, int(has_start), *arrays, watch)

        run_either_way(self._many, time_watch(None), run, interpret)
        return q, counts.astype(np.intp)

    def is_complete(self, asked: Any, /) -> bool:
        """True: a closed form has all branches."""
        return True

    def method(self, asked: Any, /) -> str:
        """In words."""
        return f"in closed form: {in_words(self.form)}"

    def branches(self, asked: Any, q: Array, /) -> tuple[str, ...]:
        """The names of the branches."""
        own = q[:, self.places[::-1] if self.form.is_backwards else self.places]
        return tuple(branch_name(self.form, each) for each in own)

    def _kernel(self, kernel: Any) -> Any:
        return kernel.bind(**functions(self.form.family)).interpreted


class Work:
    """What one solve works on."""

    def __init__(self) -> None:
        self.numbers = new_work()
        self.address = self.numbers.ctypes.data
        q = self.numbers[Q : Q + BRANCHES * JOINTS].reshape(BRANCHES, JOINTS)
        self.answers = [q[:count] for count in range(BRANCHES + 1)]
