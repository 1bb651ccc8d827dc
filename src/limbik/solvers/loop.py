"""`solve`, `trace` and `iterate`: read the goal, run the plan, make the solution."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike

from limbik.collision.free_options import FreeOptions, take_free_options
from limbik.errors import ConfigurationError, SolverError, is_one_of
from limbik.goals import GoalLike, as_goals
from limbik.model.model import Model, as_model
from limbik.options import FreeSolverOptions, SolverOptions, TraceOptions
from limbik.request import deadline_after
from limbik.solution import Iterate, Solution, Trace
from limbik.solvers.checked_options import check_locked_start
from limbik.solvers.free_plan import FreePlan
from limbik.solvers.plan import Observer, Problem
from limbik.solvers.plans import BY_DEFAULT, plan_of
from limbik.spatial import FLOAT64, POSE_SHAPE, Array, as_numbers, as_whole, check_flag

MAX_TRACED = 1_000_000  # iterations whose configurations fit in memory


def solve(
    model: Model,
    goal: GoalLike,
    *,
    start: ArrayLike | None = None,
    rest: ArrayLike | None = None,
    seed: int = 0,
    **options: Unpack[FreeSolverOptions],
) -> Solution:
    """A configuration that meets the goal, or the nearest legal one found.

    goal:
        A Goal, or several in a list, for any frames of the model; or a pose (4x4 or RigidTransform) or a
        point [m] for the end effector. A point may have two numbers where the arm moves in a horizontal
        plane.
    start, rest:
        Configurations [nq]. A start outside the limits is moved inside, and a solve stays on its branch where
        it can; without one "lm" finds its own, and the other solvers take the neutral configuration.
    seed:
        Of the restarts. Same inputs and seed, same answer.

    Further options:

    solver:
        "auto", a name (see `limbik.solvers.names()`), or a solver with parameters such as `DLS(damping=0.5)`.
        "auto" is "lm", the only one that knows priorities.
    tolerance [m], tolerance_rotation [rad]:
        The goal is met within these; 1e-6 each by default.
    iterations:
        Budget over all restarts; 10 000 by default.
    restarts:
        How often to begin again elsewhere after a stall. None: until the budget is spent. 0: only from the
        start.
    mode:
        "meet" (the default) looks for a configuration that meets the goals, wherever it is. "best" is for
        goals that cannot all be met: from the start it goes downhill to the smallest sum of squared errors
        [m and rad], each times its weight, within the limits. It ends as SOLVED where all are met, else as
        CONVERGED, which is proved by the gradient. Without restarts, unless they are requested; then the best
        of all descents is taken. Goals of a lower priority follow as they do otherwise. With "lm", and
        without a world.
    limits:
        False ignores joint limits.
    rest_bias:
        Each iteration first moves the arm toward `rest` by this fraction (0 to 0.5), which fades so that the
        goal is still met. With "lm" for one plain goal.

    tool:
        Pose 4x4 of a tool, which then meets the goal instead of the frame: of a single goal, in that goal's
        own frame, whichever it is; of several goals, in the end effector, and the goals for other frames are
        for these frames themselves.

    locked:
        Names of joints that stay where the start has them, which is within their limits unless these are
        ignored, or in the neutral configuration without a start.

    time_limit [s]:
        Ends a solve that has not met its goals.

    Of "lm" alone:

    prefer:
        "nearest": of several solutions that were found, the nearest to the start; for one plain goal on an
        arm of up to 12 revolute and prismatic joints.

    Of a solve that is to be free of collision:

    world:
        A `limbik.collision.World`. The answer is then checked to be free of collision with its objects and
        with the robot itself; with a World() without objects, with itself. What cannot be met so ends as
        GOAL_IN_COLLISION or BASE_IN_COLLISION, which are proved, or NO_FREE_SOLUTION, and the answer is the
        solution of minimal depth in collision.
    clearance [m]:
        By how much more than nothing everything has to be apart.
    prefer:
        "first": whatever is found first (the default), "nearest": of many free solutions the nearest to the
        start, brought nearer by joints to spare, or "clearance": the one that is farthest from everything.

    Raises GoalError, ConfigurationError or SolverError where the request has no meaning or the solver cannot
    do it, and CollisionError where shapes have none.
    """
    if not options and rest is None and type(seed) is int and seed == 0 and type(model) is Model:
        by_default = model.derived.get(BY_DEFAULT)
        if (
            by_default is not None
            and type(goal) is np.ndarray
            and goal.dtype is FLOAT64
            and goal.shape == POSE_SHAPE
            and (start is None or type(start) is np.ndarray)
        ):
            if start is not None and not (start.dtype is FLOAT64 and start.shape == by_default.shape_of_q):
                start = _configuration(model, start, "start")
            return by_default.solve_pose(goal, start)
    if "world" in options or "clearance" in options:
        if is_one_of(options.get("mode"), ("best",)):
            raise SolverError("`mode='best'` does not look for solutions that are free: it takes no `world`")
        others = cast("dict[str, Any]", dict(options))
        free = take_free_options(others)
        return _solve(model, goal, start, rest, seed, others, free=free)
    return _solve(model, goal, start, rest, seed, dict(options))


def trace(
    model: Model,
    goal: GoalLike,
    *,
    start: ArrayLike | None = None,
    rest: ArrayLike | None = None,
    seed: int = 0,
    lanes: bool = False,
    **options: Unpack[SolverOptions],
) -> Trace:
    """Solve, and keep every iteration. Options as in `solve`, whose iterations and answer these are.

    The fast core makes several attempts side by side, each on a lane: the trace shows the one that gave the
    answer, and with `lanes` has all of them beside it.
    """
    check_flag(lanes, "`lanes`", SolverError)
    seen = Observer(lanes)
    solution = _solve(model, goal, start, rest, seed, dict(options), seen)
    starts = np.cumsum([len(errors) for _, errors in seen.descents])
    return Trace(
        np.concatenate([q for q, _ in seen.descents]),
        np.concatenate([errors for _, errors in seen.descents]),
        tuple(min(int(row), solution.iterations) for row in starts[:-1]),
        solution,
        seen.lanes,
    )


def iterate(model: Model, goal: GoalLike, **options: Unpack[TraceOptions]) -> Iterator[Iterate]:
    """The iterations of a solve, one record each. Options as in `trace`."""
    return iter(trace(model, goal, **options))


def _solve(
    model: Model,
    goal: GoalLike,
    start: ArrayLike | None,
    rest: ArrayLike | None,
    seed: int,
    options: dict[str, Any],
    seen: Observer | None = None,
    free: FreeOptions | None = None,
) -> Solution:
    limit = options.pop("time_limit", None)
    if type(model) is not Model:  # the common case, quickly
        model = as_model(model)
    if type(seed) is not int or seed < 0:  # which is checked quickly where nothing is wrong
        seed = as_whole(seed, "`seed`", 0, SolverError)
    checked_start = None if start is None else _configuration(model, start, "start")
    toward = None if rest is None else _rest(model, rest)
    goals = as_goals(goal)
    plan = plan_of(model, goals, options)
    if options.get("prefer") is not None and start is None:
        raise SolverError("`prefer` needs a `start`, which solutions can be near to")
    if seen is not None and plan.options.budget > MAX_TRACED:
        raise SolverError(f"a trace holds up to {MAX_TRACED:,} iterations, found {plan.options.budget:,}")
    if checked_start is not None and plan.options.locked:
        check_locked_start(model, plan.options, checked_start)
    if free is not None:
        plan = FreePlan(plan, model, free)
    # the plan, which is made once, is not counted
    deadline = math.inf if limit is None else deadline_after(limit)
    return plan.solve(Problem(goals, checked_start, seed, toward, deadline), seen)


def _configuration(model: Model, value: ArrayLike, name: str) -> Array:
    """A configuration [nq] as a fresh array. Its numbers are checked by the kernel."""
    if type(value) is np.ndarray and value.shape != (model.nq,):
        q = value  # a copy of what is far too large could not be made
    elif type(value) is np.ndarray and value.dtype == FLOAT64:
        q = np.array(value, order="C")
    else:
        q = as_numbers(value, f"`{name}`", f"{model.nq} numbers (nq)", ConfigurationError)
    if q.shape != (model.nq,):
        raise ConfigurationError(f"`{name}` needs {model.nq} numbers (nq), found shape {q.shape}")
    return q


def _rest(model: Model, rest: ArrayLike) -> Array:
    q = _configuration(model, rest, "rest")
    if not np.isfinite(q).all():
        raise ConfigurationError(f"`rest` needs finite numbers, found {q.tolist()}")
    return model.clip(q)
