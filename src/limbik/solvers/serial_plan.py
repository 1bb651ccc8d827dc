"""Solving in the fast core: chains of up to 12 revolute and prismatic joints, by Levenberg-Marquardt
(`serial.step`).

A plan holds the numbers that the compiled drivers read; a solve hands them a pose and copies the answer out.
Until they are compiled they run interpreted, with the same answers. A trace is the same solve, looked at
after every iteration (`solvers.lane_record`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from limbik.compiler import native
from limbik.compiler.kernel import Watch
from limbik.compiler.watch import Takeover, watch_until
from limbik.errors import ConfigurationError, GoalError
from limbik.goals import Goal, Orientation, Pose, Position, example
from limbik.locks import cached_property
from limbik.model.canonical import LOCKED, CanonicalChain, canonical
from limbik.model.chain import Chain
from limbik.model.model import Model
from limbik.model.pose_bounds import PoseBounds
from limbik.numerics.aligned_arrays import aligned
from limbik.numerics.end_codes import RUNNING, SOLVED, UNREACHABLE
from limbik.numerics.start_check import MANY_WINDINGS, ROUNDING
from limbik.request import FARTHEST_TARGET, Request
from limbik.serial import lanes
from limbik.serial.kernels import one_interpreted
from limbik.serial.lanes import ANYWHERE, FROM_START, HEADER, RESUME
from limbik.serial.layout import SETTINGS_OF_POSE, Layout
from limbik.serial.prepare import FARTHEST_TRAVEL, MAX_ROWS, UNBOUNDED, is_fast, plan_numbers, prepare
from limbik.serial.programs import one_problem
from limbik.serial.seed_table import Shape
from limbik.serial.seeding import LARGEST_SEED
from limbik.serial.stored_tables import table_for
from limbik.solution import Outcome, Solution, Trace
from limbik.solvers.bounds import bounds_of_pose
from limbik.solvers.checked_options import Options, check_locked
from limbik.solvers.lane_record import Driver, WatchedLanes, say_spent
from limbik.solvers.plan import Descents, Observer, Plan, Problem
from limbik.solvers.tasks import check_level
from limbik.solvers.tree_plan import GeneralPlan
from limbik.spatial import Array, Matrix4, nearest_angles, norm, pose_inverse

SHORTEST_LENGTH = 1e-9  # [m]
METRES_PER_RADIAN = 0.25  # of the reach: how much a turn counts beside a distance in the descent
NEAR = 0.2  # of tolerance and length: squared errors below it are met with the next step
ROUNDS = 500  # iterations between two looks at the clock, and at whether the user has pressed Ctrl-C
ROUNDS_INTERPRETED = 10
Q = slice(HEADER, None)  # of an answer
ERROR, CHORD, ITERATIONS, MOVED = map(
    Outcome._fields.index, ("error", "chord", "iterations", "start_was_moved")
)
MAX_TO_SETTLE = 500  # iterations from the nearest configuration found to where it settles
NO_TABLE = np.zeros(1, np.float32)
EVERYTHING = (1.0,) * 6
NOWHERE = np.eye(4)


class SerialBuffers:
    """What one solve works on. Any number may be in use, one to a thread."""

    def __init__(self, size: int, answer: int) -> None:
        self.numbers = aligned(size)
        self.answer = self.numbers[answer:]
        self.address = self.numbers.ctypes.data


class Others:
    """The joints of a model whose numbers are not at some indices in q."""

    def __init__(self, model: Model, indices: NDArray[np.intp]) -> None:
        self._model = model
        self._q_indices = np.setdiff1d(np.arange(model.nq), indices)
        numbers = [each.q for each in model.coordinates if not each.is_rotation]
        self._are_numbers = bool(np.isin(self._q_indices, numbers).all())
        self._lower, self._upper = model.lower[self._q_indices], model.upper[self._q_indices]

    def clip(self, q: Array) -> None:
        """Bring them within their limits, in q [nq] itself; which is quicker than `Model.clip` of all."""
        if self._are_numbers:
            q[self._q_indices] = np.minimum(np.maximum(q[self._q_indices], self._lower), self._upper)
        else:
            q[self._q_indices] = self._model.clip(q)[self._q_indices]


class SerialPlan(Plan):
    """Everything about a solve in the fast core that does not depend on the target or the start."""

    def __init__(
        self,
        model: Model,
        chain: Chain,
        goal: type[Goal],
        weights: tuple[float, ...] | None,
        options: Options,
        frame: str | None = None,
    ) -> None:
        self.model = model
        self.options = options
        self._goal, self._frame, self._weights = goal, frame, weights
        self._latest: tuple[bytes, Request] | None = None
        self.uses_limits = bool(options.limits)
        self._canonical = _canonical(chain, goal, weights)
        self.length = _length(chain, self._canonical)  # [m] the arm's size
        self._prepared = prepare(self._canonical, self.length, self.uses_limits)
        self.shape = self._prepared.shape
        self._moving = np.flatnonzero(self._canonical.joints != LOCKED)
        self._chain = chain
        self._q_indices = chain.q_indices
        self._locked = _locked_rows(model, chain, self._canonical, options.locked)
        n = self._canonical.size
        self._is_complete = np.array_equal(self._q_indices, np.arange(model.nq))  # no joint off the path
        self._is_whole = self._is_complete and n == model.nq
        self._others = Others(model, self._q_indices)
        is_pose = goal is Pose and (weights is None or weights == EVERYTHING)
        table = table_for(self._prepared) if is_pose and not self._locked else None
        self.table = NO_TABLE if table is None else table.candidates.reshape(-1)
        self._table_address = self.table.ctypes.data
        limited = chain if self.uses_limits else chain.without_limits()
        bounds = (
            bounds_of_pose(model, limited, limits=self.uses_limits, locked=options.locked)
            if is_pose
            else None
        )
        self._reserve = _reserve(options)
        self._layout = Layout(self.shape)
        self.offsets = self._layout.constants
        self._numbers = [
            plan_numbers(
                prepared,
                table,
                **_objective(goal, weights, METRES_PER_RADIAN),
                use_limits=self.uses_limits,
                settings=_settings(options, limited, goal, weights, table is not None, self.length)
                | _pose_settings(bounds, self._canonical.base, self.length),
            )
            for prepared in (
                self._prepared,
                prepare(self._canonical, self.length, self.uses_limits, keep_windings=True),
            )
        ]
        self._addresses = [numbers.ctypes.data for numbers in self._numbers]
        offsets = lanes.working_offsets(n, self._layout.rows)
        self._work_size, self._answer_at = offsets["WORK_SIZE"], offsets["AT_ANSWER"]
        self._free: list[SerialBuffers] = []
        self.shape_of_q = (model.nq,)
        self.program = one_problem(self.shape)
        self._solve_one: Callable[..., int] | None = None

    engine = f"in the fast core, for arms of up to {MAX_ROWS} revolute and prismatic joints"

    def solve(self, problem: Problem, observer: Observer | None = None) -> Solution:
        """As `Plan.solve`; there is no pull toward a rest configuration."""
        pose = self._pose_of(problem.goals[0])
        if observer is None:
            return self.solve_pose(pose, problem.start, problem.seed, problem.deadline)
        trace = self.trace(pose, problem.start, problem.seed, problem.deadline, lanes=observer.wants_lanes)
        parts = (np.split(part, trace.restarted_at) for part in (trace.q, trace.error))
        observer.descents, observer.lanes = list(zip(*parts, strict=True)), trace.lanes
        return trace.solution

    def _pose_of(self, goal: Goal) -> Array:
        """The goal as a pose [4, 4], whatever of it is requested."""
        if isinstance(goal, Pose):
            return goal.target
        pose = NOWHERE.copy()
        if isinstance(goal, Orientation):
            pose[:3, :3] = goal.target
        elif isinstance(goal, Position) and goal.target.size == 2:
            check_level(self.model, goal)
            height = (self.model.pose(self.model.neutral, self._frame) @ self.options.tool_pose)[2, 3]
            pose[:3, 3] = *goal.target, height
        elif isinstance(goal, Position):
            pose[:3, 3] = goal.target
        return pose

    def solve_pose(
        self, pose: Array, start: Array | None, seed: int = 0, deadline: float = math.inf
    ) -> Solution:
        """Solve for a pose [4, 4] of float64, from a start [nq] or from anywhere; deadline as of a `Problem`.

        Raises GoalError or ConfigurationError where these are not what they should be.
        """
        began = perf_counter()
        solve_one = self._solve_one
        if solve_one is None or seed or self._locked:
            return self._solve_in_general(pose, start, seed, began, deadline)
        work, target = self._any_work(), pose.tobytes()
        if start is None:
            begin = None
            code = solve_one(
                self._addresses[ANYWHERE], self._table_address, target, b"", ANYWHERE, work.address
            )
        else:
            begin = start.tobytes() if self._is_whole else self._rows(start).tobytes()
            code = solve_one(
                self._addresses[FROM_START],
                self._table_address,
                target,
                begin,
                FROM_START,
                work.address,
            )
        if code == RUNNING:
            numbers = self._numbers[ANYWHERE if begin is None else FROM_START]
            code = self._ended(self._driver(target, begin, work), numbers, code, work, watch_until(deadline))
        outcome = work.answer.copy()
        self._free.append(work)
        if code < 0:
            return self.solve_pose(self._repaired(pose, start), start, seed, deadline)
        if code == SOLVED and self._is_whole:  # the common case, quickly
            return Solution(outcome[Q], outcome, perf_counter() - began, self, begin, target)
        return self._concluded(outcome, pose, start, began, deadline)

    def trace(
        self, pose: Array, start: Array | None, seed: int, deadline: float, *, lanes: bool = False
    ) -> Trace:
        """The same solve, watched.

        lanes: whether to keep all attempts, not only the one that gives the answer.
        """
        began = perf_counter()
        numbers, target, rows = self._for_drivers(pose, start, seed)
        work = SerialBuffers(self._work_size, self._answer_at)
        watched = WatchedLanes(self._layout, numbers, work.numbers)
        drive = self._driver(target, rows, work)
        watch = watch_until(deadline)
        takeover = Takeover(self.program, watch)
        mode = ANYWHERE if rows is None else FROM_START
        code = watched.run(drive, mode, takeover if self._solve_one is None else watch)
        if takeover.is_due:
            return self.trace(pose, start, seed, deadline, lanes=lanes)
        if code < 0:
            return self.trace(self._repaired(pose, start), start, seed, deadline, lanes=lanes)
        descents: Descents = []
        solution = self._concluded(work.answer.copy(), pose, start, began, deadline, descents)
        settling = [self._rows(q) for q, _ in descents]
        beside = functools.partial(self._beside, solution.q)
        return watched.trace(self.request(target), solution, beside, settling, lanes)

    def _beside(self, q: Array, rows: Array) -> Array:
        """The model's configurations [N, nq] for the rows' [N, n], the other joints as in q [nq]."""
        whole = np.tile(q, (len(rows), 1))
        whole[:, self._q_indices] = rows[:, self._moving]
        return whole

    def _settle(
        self, outcome: Array, pose: Array, start: Array | None, deadline: float, descents: Descents | None
    ) -> None:
        """Go from the nearest configuration found on to where no small step leads nearer, by the general
        core. `descents` takes what is to be seen of it.
        """
        if start is not None:
            self._prefer_start(outcome, pose, start)
        is_over = deadline < math.inf and perf_counter() >= deadline
        if is_over or not self._reserve or not np.abs(pose).max() <= FARTHEST_TARGET:
            return
        goal = example(self._goal, self._frame, self._weights, pose)
        q = np.array(self.model.neutral)
        q[self._q_indices] = outcome[Q][self._moving]
        observer = None if descents is None else Observer()
        solution = self._descent.solve(Problem((goal,), q, deadline=deadline), observer)
        if observer is not None and descents is not None:
            descents[:] = observer.descents
        outcome[Q][self._moving] = solution.q[self._q_indices]
        outcome[ERROR], outcome[CHORD] = solution.outcome[ERROR], solution.outcome[CHORD]
        outcome[ITERATIONS] += solution.iterations
        if solution.success:
            outcome[0] = SOLVED

    def _prefer_start(self, outcome: Array, pose: Array, start: Array) -> None:
        """The start itself, where it is nearer to the goal than what was found."""
        if self._goal is Orientation or self._weights is not None:
            return
        rows = self._rows(self.model.clip(start) if self.uses_limits else start)
        here = self._canonical.pose(self._canonical.offset + rows)
        error = float(norm(here[:3, 3] - pose[:3, 3]))
        chord = math.sqrt(0.5) * float(np.linalg.norm(here[:3, :3] - pose[:3, :3]))
        chord = 0.0 if self._goal is Position else chord
        if self._distance(error, chord) < self.distances(outcome):
            outcome[Q], outcome[ERROR], outcome[CHORD] = rows, error, chord

    def distances(self, answers: Array) -> Array:
        """How far answers [..., HEADER + n] are from their goals [m], radians counted as in the descent."""
        return self._distance(answers[..., ERROR], answers[..., CHORD])

    def _distance(self, error: Array | float, chord: Array | float) -> Array:
        return np.hypot(error, METRES_PER_RADIAN * self.length * chord)

    @cached_property
    def _descent(self) -> GeneralPlan:
        goal = example(self._goal, self._frame, self._weights)
        options = replace(self.options, solver="lm", restarts=0, iterations=self._reserve)
        return GeneralPlan(self.model, (goal,), options)

    def request(self, target: bytes, /) -> Request:
        """The request, for a pose [16] in bytes."""
        latest = self._latest  # what is told of an answer asks for it half a dozen times
        if latest is None or latest[0] != target:
            goal = example(self._goal, self._frame, self._weights, np.frombuffer(target).reshape(4, 4))
            request = Request(model=self.model, goals=(goal,), solver="lm", options=self.options.explicit)
            latest = self._latest = target, request
        return latest[1]

    def numbers(
        self,
        has_start: bool,
        *,
        seed: int = 0,
        restarts: int | None = None,
        iterations: int | None = None,
        tolerance: tuple[float, float] | None = None,
        is_careful: bool = False,
    ) -> Array:
        """The plan's numbers for a batch; a tolerance [m, rad] counts where it is wider than the plan's."""
        numbers = self._numbers[has_start].copy()
        at = self.offsets
        numbers[at["SET_CAREFUL"]] = is_careful
        numbers[at["SET_SEED"]] = seed % LARGEST_SEED
        if restarts is not None or has_start:
            numbers[at["SET_RESTARTS"]] = restarts or 0
        if iterations is not None:
            numbers[at["SET_BUDGET"]] = iterations
        if tolerance is not None:
            position, rotation = at["SET_TOLERANCE"], at["SET_TOLERANCE_ROTATION"]
            numbers[position] = max(numbers[position], (tolerance[0] / numbers[at["SET_LENGTH"]]) ** 2)
            numbers[rotation] = max(numbers[rotation], tolerance[1] ** 2)
        return numbers

    def rows_of(self, starts: Array) -> Array:
        """Starts [N, nq] for every row [N, n]."""
        rows, prepared = self._rows(starts), self._prepared
        has_windings = prepared.circular & (np.abs(rows) > MANY_WINDINGS)
        if not has_windings.any():
            return rows
        middle = 0.5 * (prepared.lower + prepared.upper) - prepared.offset
        return np.where(has_windings, middle + nearest_angles(rows - middle), rows)

    def toward(self, rows: Array, starts: Array) -> Array:
        """The rows [N, n] with the 2 pi windings nearest to the starts [N, n] that the limits allow."""
        prepared = self._prepared
        turned = np.where(prepared.circular, starts + nearest_angles(rows - starts), rows)
        bounds = prepared.chain.q_lower, prepared.chain.q_upper
        is_legal = (turned >= bounds[0]) & (turned <= bounds[1]) | (not self.uses_limits)
        return np.where(is_legal, turned, rows)

    def whole(self, rows: Array, starts: Array | None) -> Array:
        """The model's configurations [N, nq] for the rows' [N, n]."""
        if self._is_whole:
            return rows
        whole = np.tile(self.model.neutral, (len(rows), 1)) if starts is None else starts.copy()
        if self.uses_limits:
            whole = self.model.clip(whole)
        whole[:, self._q_indices] = rows[:, self._moving]
        return whole

    def measure(self, outcome: Array, pose: Array) -> None:
        """The distance of answers [..., HEADER + n] from goals [..., 4, 4] out of reach.

        The core knows only what the two parts of the path to them add up to.
        """
        x = self._canonical.offset + outcome[..., Q]
        outcome[..., ERROR] = norm(self._canonical.pose(x)[..., :3, 3] - pose[..., :3, 3])

    def outcome_row(self, solution: Solution) -> Array:
        """A solution of this plan as a row of a batch's answers."""
        return np.concatenate([solution.outcome[:HEADER], self._rows(solution.q)])

    def _solve_in_general(
        self, pose: Array, start: Array | None, seed: int, began: float, deadline: float
    ) -> Solution:
        """The same with locked joints or a seed, or before there is machine code."""
        outcome = self._run(*self._for_drivers(pose, start, seed), deadline)
        if outcome is None:
            return self.solve_pose(self._repaired(pose, start), start, seed, deadline)
        return self._concluded(outcome, pose, start, began, deadline)

    def _for_drivers(self, pose: Array, start: Array | None, seed: int) -> tuple[Array, bytes, bytes | None]:
        """The plan's numbers, the pose and the start as the drivers take them."""
        rows = None if start is None else self._rows(start)
        numbers = self._numbers[ANYWHERE if rows is None else FROM_START]
        if seed or self._locked:
            numbers = numbers.copy()
            numbers[self.offsets["SET_SEED"]] = seed % LARGEST_SEED
            self.lock(numbers, self._rows(self.model.neutral) if rows is None else rows)
        return numbers, pose.tobytes(), None if rows is None else rows.tobytes()

    def _concluded(
        self,
        outcome: Array,
        pose: Array,
        start: Array | None,
        began: float,
        deadline: float,
        descents: Descents | None = None,
    ) -> Solution:
        """The solution for an answer of the drivers; `descents` as in `_settle`."""
        if outcome[0] == UNREACHABLE:
            self.measure(outcome, pose)
        if outcome[0] != SOLVED:
            self._settle(outcome, pose, start, deadline, descents)
        q = outcome[Q] if self._is_whole else self._whole_q(outcome, start)
        stored_start = None if start is None else start.copy()
        return Solution(q, outcome, perf_counter() - began, self, stored_start, pose.tobytes())

    def _whole_q(self, outcome: Array, start: Array | None) -> Array:
        """The model's q [nq]; the outcome then tells of joints off the path that were moved, too."""
        if self._is_complete:
            return outcome[Q][self._moving]
        q = self.model.neutral if start is None else start
        if not np.isfinite(q).all():
            raise ConfigurationError(f"`start` needs finite numbers, found {q.tolist()}")
        whole = q.copy()
        if self.uses_limits:
            self._others.clip(whole)
            if np.abs(whole - q).max() > ROUNDING:
                outcome[MOVED] = 1.0
        whole[self._q_indices] = outcome[Q][self._moving]
        return whole

    def _run(self, numbers: Array, pose: bytes, start: bytes | None, deadline: float) -> Array | None:
        """The answer: outcome, then q of the rows; None where the pose or the start is none."""
        work, mode = self._any_work(), ANYWHERE if start is None else FROM_START
        drive = self._driver(pose, start, work)
        watch = watch_until(deadline)
        takeover = Takeover(self.program, watch)
        arguments = numbers
        if self._solve_one is None:
            watch, numbers = takeover, numbers.copy()
            numbers[self.offsets["SET_ROUNDS"]] = ROUNDS_INTERPRETED
        code = self._ended(drive, numbers, drive(numbers, mode), work, watch)
        self._free.append(work)
        if takeover.is_due:
            return self._run(arguments, pose, start, deadline)
        return work.answer.copy() if code >= 0 else None

    def _driver(self, pose: bytes, start: bytes | None, work: SerialBuffers) -> Driver:
        """The compiled driver for a pose and a start; until there is one, the same run by Python itself."""
        begin = pose if start is None else start
        if self._solve_one is None:
            self._solve_one = native.compiled(self.program)
        if self._solve_one is None:
            return self._interpreted_driver(np.frombuffer(pose), np.frombuffer(begin), work)
        solve_one = self._solve_one

        def drive(numbers: Array, mode: int) -> int:
            code: int = solve_one(numbers.ctypes.data, self._table_address, pose, begin, mode, work.address)
            return code

        return drive

    def _interpreted_driver(self, pose: Array, begin: Array, work: SerialBuffers) -> Driver:
        run = _interpreted(self.shape)

        def drive(numbers: Array, mode: int) -> int:
            with np.errstate(over="ignore", invalid="ignore"):  # as machine code, which warns of nothing
                run(numbers, self.table, pose, begin, mode, work.numbers)
            return int(work.answer[0])

        return drive

    def _any_work(self) -> SerialBuffers:
        try:
            return self._free.pop()
        except IndexError:
            return SerialBuffers(self._work_size, self._answer_at)

    def _ended(self, drive: Driver, numbers: Array, code: int, work: SerialBuffers, watch: Watch) -> int:
        """Resume a solve until it has ended, or the watch ends it; the code of the answer."""
        while code == RUNNING and not watch():
            code = drive(numbers, RESUME)
        if code == RUNNING:
            code = drive(self._without_budget(numbers), RESUME)
            say_spent(work.answer)
        return code

    def _without_budget(self, numbers: Array) -> Array:
        stopped = numbers.copy()
        stopped[self.offsets["SET_BUDGET"]] = 0.0
        return stopped

    def _rows(self, start: Array) -> Array:
        """The start [..., nq] for every row [..., n], the locked ones included."""
        if self._is_whole:
            return start
        if len(self._moving) == self._canonical.size:
            return np.take(start, self._q_indices, axis=-1)
        rows = np.zeros((*start.shape[:-1], self._canonical.size))
        rows[..., self._moving] = start[..., self._q_indices]
        return rows

    def lock(self, numbers: Array, rows: Array) -> None:
        """Hold the locked joints where the rows [n] have them."""
        at = self.offsets
        for i in self._locked:
            lower, upper = numbers[at["AT_Q_LOWER"] + i], numbers[at["AT_Q_UPPER"] + i]
            q = min(max(rows[i], lower), upper)
            x = q * numbers[at["AT_SCALE"] + i] + numbers[at["AT_OFFSET"] + i]
            for name in ("AT_LOWER", "AT_UPPER", "AT_SEED_LOWER", "AT_SEED_UPPER"):
                numbers[at[name] + i] = x
            numbers[[at["AT_Q_LOWER"] + i, at["AT_Q_UPPER"] + i]] = q
            numbers[at["AT_CIRCULAR"] + i] = 0.0

    def _repaired(self, pose: Array, start: Array | None) -> Array:
        """The nearest pose, where one that was refused is off by rounding; else raise what is wrong."""
        if start is not None and not np.isfinite(start).all():
            raise ConfigurationError(f"`start` needs finite numbers, found {start.tolist()}")
        repaired = Pose(target=pose).target
        if repaired.tobytes() == pose.tobytes():
            largest = np.abs(pose).max()
            raise GoalError(f"a target needs numbers up to {FARTHEST_TARGET:g} [m], found {largest:g}")
        return repaired


@functools.cache
def _interpreted(shape: Shape) -> Callable[..., None]:
    return one_interpreted(shape)


def _reserve(options: Options) -> int:
    """Iterations reserved for settling; none where there are few."""
    is_short = options.budget < 4 * MAX_TO_SETTLE
    return 0 if is_short or options.prefer is not None else MAX_TO_SETTLE


def _canonical(chain: Chain, goal: type[Goal], weights: tuple[float, ...] | None) -> CanonicalChain:
    chain_rows = canonical(chain)
    if goal is not Pose or weights is None or weights == EVERYTHING:
        return chain_rows
    # Weights are along the goal's axes, which the tool's rotation must not turn away from the last row's.
    return chain_rows.with_tool_in_rows()


def is_fast_for(chain: Chain, goal: type[Goal], weights: tuple[float, ...] | None) -> bool:
    """Whether the fast core takes a goal for the end of a chain: a pose with weights needs two rows more."""
    return is_fast(chain) and _canonical(chain, goal, weights).size <= MAX_ROWS


def _objective(
    goal: type[Goal], weights: tuple[float, ...] | None, metres_per_radian: float
) -> dict[str, Array]:
    """Rows, weights and axes as in `serial.step.Objective`."""
    position, rotation = float(goal is not Orientation), float(goal is not Position)
    values = np.array([position] * 3 + [rotation] * 3) if weights is None else np.array(weights)
    free = np.flatnonzero(values[3:] == 0.0)
    axes = np.ones(3)
    if free.size == 1:  # any spin about one axis: that axis alone has a direction to keep
        axes = np.where(np.arange(3) == free[0], 2.0, 0.0)
    scale = np.array([1.0] * 3 + [metres_per_radian] * 3)
    return {"rows": (values > 0.0).astype(float), "weights": values * scale, "axes": axes}


def _settings(
    options: Options,
    chain: Chain,
    goal: type[Goal],
    weights: tuple[float, ...] | None,
    uses_table: bool,
    unit: float,
) -> dict[str, float]:
    asks_position = goal is not Orientation and (weights is None or min(weights[:3]) > 0.0)
    shortest, reach = chain.reach_range
    tolerance = options.tolerance / unit
    restarts = options.restarts_over(chain.joints)
    return {
        "length": unit,
        "tolerance": tolerance**2,
        "tolerance_rotation": (2.0 * math.sin(0.5 * min(options.tolerance_rotation, math.pi))) ** 2,
        "near": NEAR * tolerance,
        "budget": options.budget - _reserve(options),
        "rounds": ROUNDS,
        "restarts": restarts,
        "reach": min(reach / unit, 1e9),
        "shortest_reach": shortest / unit,
        "asks_position": asks_position,
        "uses_table": uses_table,
        "seed": 0,
        "nearest": options.prefer == "nearest",
        "careful": 0,
        "may_jump": restarts > 0,
    }


def _pose_settings(bounds: PoseBounds | None, base: Matrix4, unit: float) -> dict[str, float]:
    """The bounds of a pose, in units of a length [m] and seen from the first row's frame (`Layout`)."""
    if bounds is None:
        return dict.fromkeys(SETTINGS_OF_POSE, 0.0) | {"max_distance": UNBOUNDED}
    to_base = pose_inverse(base)
    parts = (
        (to_base[:3, :3] @ bounds.shoulder + to_base[:3, 3]) / unit,
        to_base[:3, :3] @ bounds.shoulder_axis,
        bounds.wrist / unit,
        bounds.wrist_axis,
        np.array([bounds.radius, bounds.half_length, bounds.min_distance, bounds.max_distance]) / unit,
    )
    return dict(zip(SETTINGS_OF_POSE, np.concatenate(parts).tolist(), strict=True))


def _length(chain: Chain, rows: CanonicalChain) -> float:
    """[m] the arm's size; 1 where it has none, as a wrist whose links are only rounding."""
    size, links = chain.reach, float(np.abs(rows.d).sum() + np.abs(rows.a).sum())
    if size == math.inf or (links > SHORTEST_LENGTH and size > FARTHEST_TRAVEL * max(links, 1.0)):
        return max(links, 1e-2)  # the reach is the travel of prismatic joints
    return size if size > SHORTEST_LENGTH else 1.0


def _locked_rows(model: Model, chain: Chain, rows: CanonicalChain, names: tuple[str, ...]) -> tuple[int, ...]:
    """The rows of locked joints; those that are not on the path to the frame keep still anyway."""
    check_locked(model, names)
    on_path = [joint.name for joint in chain.joints]
    held = [on_path.index(name) for name in names if name in on_path]
    return tuple(int(np.flatnonzero(rows.joints == index)[0]) for index in held)
