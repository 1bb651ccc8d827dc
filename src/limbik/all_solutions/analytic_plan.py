"""All configurations of an arm of up to six joints that has a closed form (`analytic.closed_form`)."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from limbik.all_solutions.answers_plan import DEFAULTS, AnswersPlan, PlanRequest, SearchOptions, checked_poses
from limbik.all_solutions.elimination_plan import EliminationPlan, elimination_plan
from limbik.all_solutions.result import AllSolutions, AllSolutionsBatch
from limbik.all_solutions.sampled_plan import DISTINCT, SampledPlan
from limbik.all_solutions.self_motion import one_of_each_curve
from limbik.analytic import kernels
from limbik.analytic.axes import axes_of
from limbik.analytic.closed_form import ClosedForm
from limbik.analytic.kernels import SETTLED
from limbik.analytic.layout import BRANCHES, JOINTS, WORK
from limbik.analytic.names import branch_names, in_words
from limbik.analytic.prepare import new_work, plan_of
from limbik.analytic.programs import fill_answers, functions, many_poses_program, one_pose_program
from limbik.compiler import native
from limbik.compiler.call import Call, never
from limbik.compiler.kernel import Watch
from limbik.compiler.watch import run_compiled_or_interpreted
from limbik.errors import GoalError
from limbik.goals import Pose
from limbik.locks import cached_property
from limbik.model.chain import Chain
from limbik.model.model import Model
from limbik.numerics.end_codes import BAD_GOAL
from limbik.spatial import Array, as_pose, nearest_angles

Q, HAS_FREE = WORK["Q"], WORK["HAS_FREE"]


class AnalyticPlan(AnswersPlan):
    """Everything about all solutions of a frame's pose that does not depend on the pose or the start."""

    def __init__(self, model: Model, chain: Chain, frame: str | None, form: ClosedForm, limits: bool) -> None:
        super().__init__(model, chain, frame, limits)
        self.form = form
        self._has_added = form.count < JOINTS
        self._of_added = bytes(8 * (JOINTS - form.count))  # the start of added joints
        self._plan = plan_of(form, self.lower, self.upper)
        self._address = self._plan.ctypes.data
        self._free: list[AnalyticBuffers] = []  # any number may be in use, one to a thread
        self._solve_one: Any = None  # once there is machine code
        self._one, self._many = one_pose_program(form.family), many_poses_program(form.family)
        self.programs = self._one, self._many

    def solve(self, pose: Array, start: Array | None, options: SearchOptions = DEFAULTS) -> AllSolutions:
        """All solutions for a pose [4, 4] of float64, sorted by distance to a start [nq]."""
        if options.revolutions:
            return self._solve_in_general(pose, start, options, perf_counter())
        return self.of_pose(pose, start, options)

    def of_pose(self, pose: Array, start: Array | None, options: SearchOptions = DEFAULTS) -> AllSolutions:
        """All solutions for a pose [4, 4] of float64 without revolutions, by the kernel alone if it can."""
        began = perf_counter()
        solve_one = self._solve_one
        if solve_one is None or not self.is_whole:
            return self._solve_in_general(pose, start, options, began)
        work, target = self._free.pop() if self._free else AnalyticBuffers(self.form.count), pose.tobytes()
        if start is None:
            count = solve_one(self._address, target, b"", 0, work.address)
        else:
            count = solve_one(self._address, target, start.tobytes() + self._of_added, 1, work.address)
        if count < 0:
            return self.of_pose(as_pose(pose, "`pose`", error=GoalError), start, options)
        is_proved = not work.numbers[HAS_FREE] > 0.0
        if not is_proved and self._is_to_search(count):
            return self._solve_in_general(pose, start, options, began)
        q = work.answers[count].copy()
        self._free.append(work)
        return AllSolutions(q, self, (target, start, is_proved), perf_counter() - began)

    def _solve_in_general(
        self, pose: Array, start: Array | None, options: SearchOptions, began: float
    ) -> AllSolutions:
        """The same for revolutions, with other joints, by a search too, or before there is machine code."""
        work, target = self._free.pop() if self._free else AnalyticBuffers(self.form.count), pose.tobytes()
        near = self._near_six(start)
        has_start = int(start is not None)
        if self._solve_one is None:
            self._solve_one = native.compiled(self._one)
        if self._solve_one is not None:
            count = self._solve_one(self._address, target, near.tobytes(), has_start, work.address)
        else:
            kernel = self._kernel(kernels.all_branches)
            with np.errstate(over="ignore", invalid="ignore"):  # of which machine code says nothing either
                count = kernel(self._plan, pose.ravel(), near, has_start, work.numbers)
        if count < 0:
            return self.solve(as_pose(pose, "`pose`", error=GoalError), start, options)
        q, is_proved = work.answers[count].copy(), not work.numbers[HAS_FREE] > 0.0
        self._free.append(work)
        if not is_proved and self._of_true_arm is not None:
            return self._of_true_arm.solve(pose, start, options)
        if not is_proved and self._is_to_search(count):
            is_curve = self.form.is_exact or self._has_added
            q = (
                self._with_searched(q, pose, near[: self.form.count], options)
                if is_curve
                else self.searched(pose, start, options.deadline)
            )
        return self.answered(q, (target, start, is_proved), start, options.revolutions, began)

    def _near_six(self, start: Array | None) -> Array:
        """The start [6] of the chain's joints and of the added ones."""
        near = np.zeros(JOINTS)
        near[: self.form.count] = self.near(start)
        return near

    def _is_to_search(self, count: Any) -> Any:
        """Whether a search is to help where a joint may have any angle, with so many answers: the branches
        took one, or some, which may not be right for the others, above all for joints that are added.
        """
        return (self._of_true_arm is not None) | self._has_added | (count == 0)

    @cached_property
    def _of_true_arm(self) -> EliminationPlan | None:
        """For poses where an arm that is only nearly what its closed form is of may have other answers."""
        axes = None if self.form.is_exact else axes_of(self.chain)
        if axes is None:
            return None
        return elimination_plan(self.model, self.chain, self.frame, axes, self._limits, self.form)

    def _with_searched(self, q: Array, pose: Array, near: Array, options: SearchOptions) -> Array:
        """Answers [k, n] and those of a search, one of each curve."""
        goal = Pose(target=pose, frame=self.frame)
        sampled = SampledPlan(self.model).solve(
            goal, None, starts=options.starts, deadline=options.deadline, limits=self._limits
        )
        result = list(q)
        for each in sampled.q:
            met = self._mover.corrected(each, pose, SETTLED)
            own = None if met is None else self.legal(met[self.indices], near, pose)
            if own is None:
                own, _ = self.within_limits(each[self.indices], near)
            is_known = any(np.abs(nearest_angles(own - other)).max() < DISTINCT for other in result)
            if not is_known:
                result.append(own)
        q = np.array(result).reshape(-1, self.form.count)
        return one_of_each_curve(self._mover, self.whole(q, None))[:, self.indices]

    def solve_batch(self, poses: Array, start: Array | None) -> AllSolutionsBatch:
        """All solutions for many poses [N, 4, 4]."""
        began = perf_counter()
        q, counts, free = self._fill(poses, self._near_six(start), start is not None)
        if (counts == BAD_GOAL).any():
            return self.solve_batch(checked_poses(poses), start)
        q = np.ascontiguousarray(q[:, : int(counts.max(initial=0)), : self.form.count])
        if not self.is_whole:
            q = self.whole(q.reshape(-1, self.form.count), start).reshape(*q.shape[:2], self.model.nq)
            q[np.arange(q.shape[1]) >= counts[:, None]] = np.nan
        searched = np.flatnonzero((free > 0.0) & self._is_to_search(counts))
        if not len(searched):
            return AllSolutionsBatch(q, counts, not free.any(), self.method(None), perf_counter() - began)
        each = [result[:count] for result, count in zip(q, counts, strict=True)]
        is_complete = len(searched) == np.count_nonzero(free)
        for k in searched:
            result = self.solve(poses[k], start)
            each[k] = result.q
            is_complete = is_complete and result.complete
        time = perf_counter() - began
        return AllSolutionsBatch.of_each(each, self.model.nq, is_complete, self.method(None), time)

    def fill(self, poses: Array, near: Array, has_start: bool) -> tuple[Array, Any]:
        """The chain's q [N, 8, 6] for poses [N, 4, 4], NaN behind the last of each, and how many [N]."""
        return self._fill(poses, near, has_start)[:2]

    def _fill(self, poses: Array, near: Array, has_start: bool) -> tuple[Array, Any, Array]:
        """The same, and where a joint may have any angle [N]."""
        n, work = len(poses), new_work()
        poses, near = np.ascontiguousarray(poses), np.ascontiguousarray(near)
        q, counts, free = np.empty((n, BRANCHES, JOINTS)), np.empty(n), np.empty(n)
        arguments = self._plan, poses.reshape(-1), near, int(has_start), q.reshape(-1), counts, free, work

        def interpret(watch: Watch) -> None:
            self._kernel(fill_answers)(*arguments, watch)

        run_compiled_or_interpreted(self._many, never, Call(self._many, *arguments).run, interpret)
        return q, counts.astype(np.intp), free

    def is_complete(self, request: Any, /) -> bool:
        """Whether a closed form had all branches, and none of them a joint that may have any angle."""
        return request is None or bool(request[2])

    def method(self, request: Any, /) -> str:
        """In words."""
        return f"in closed form: {in_words(self.form)}"

    def known_rest(self, request: PlanRequest) -> str:
        """What is known of others."""
        if self.is_complete(request):
            return super().known_rest(request)
        return (
            "in or beside a singular configuration, where joints may move together along curves (`free`) and "
            "others may hide"
        )

    def branches(self, request: Any, q: Array, /) -> tuple[str, ...]:
        """The names of the branches."""
        return branch_names(self.form, q[:, self.indices])

    def _kernel(self, kernel: Any) -> Any:
        return kernel.bind(**functions(self.form.family)).interpreted


class AnalyticBuffers:
    """What one solve works on, with space for the answers of an arm of so many joints."""

    def __init__(self, joints: int) -> None:
        self.numbers = new_work()
        self.address = self.numbers.ctypes.data
        q = self.numbers[Q : Q + BRANCHES * JOINTS].reshape(BRANCHES, JOINTS)
        self.answers = [q[:count, :joints] for count in range(BRANCHES + 1)]
