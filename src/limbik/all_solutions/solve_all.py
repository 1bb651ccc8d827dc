"""`solve_all` and `solve_all_batch`: every solution for a goal or many poses, by closed form, swivel angle,
elimination or samples, else from many starts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from limbik.all_solutions.analytic_plan import AnalyticPlan
from limbik.all_solutions.answers_plan import AnswersPlan, SearchOptions
from limbik.all_solutions.elimination_plan import elimination_plan
from limbik.all_solutions.free_answers import those_free
from limbik.all_solutions.point_plan import PointPlan
from limbik.all_solutions.redundant_plan import RedundantPlan, sampled_joint
from limbik.all_solutions.result import AllSolutions, AllSolutionsBatch
from limbik.all_solutions.sampled_plan import STARTS, SampledPlan
from limbik.all_solutions.swivel_plan import SwivelPlan
from limbik.analytic.axes import axes_of
from limbik.analytic.closed_form import closed_form
from limbik.analytic.points import moves_in_plane, moving, point_form
from limbik.analytic.swivel import swivel_arm
from limbik.collision.free_options import free_options
from limbik.collision.world import World
from limbik.deprecated import warn_renamed
from limbik.errors import GoalError, SolverError
from limbik.goals import Goal, Pose, Position, as_goals, is_plain
from limbik.model.chain import chain_to
from limbik.model.joints import FARTHEST
from limbik.model.model import Model, as_bounded_configuration, as_model
from limbik.model.slots import Slot
from limbik.request import FARTHEST_TARGET, deadline_after
from limbik.spatial import FLOAT64, POSE_SHAPE, Array, as_rows_of_poses, as_whole, check_flag, pose_from

EVERYTHING = (1.0,) * 6
QUICK: Slot[dict[tuple[str | None, bool], AnalyticPlan]] = Slot()  # for a pose, by frame and limits
PLANS: Slot[dict[tuple[str, bool, int], AnswersPlan | None]] = Slot()  # by frame, limits, and kind of target
MAX_COUNT = 1e6  # of samples or starts
A_POSE = 0  # else as many numbers as the point has
UP = np.array([0.0, 0.0, 1.0])


def solve_all(
    model: Model,
    goal: Any,
    *,
    frame: str | None = None,
    start: Any = None,
    limits: bool = True,
    revolutions: bool = False,
    samples: int | None = None,
    starts: int = STARTS,
    seed: int = 0,
    time_limit: float | None = None,
    world: World | None = None,
    clearance: float = 0.0,
    turns: bool | None = None,
) -> AllSolutions:
    """Every configuration that meets a goal, each checked by forward kinematics.

    goal:
        A pose (4x4 or RigidTransform) of the frame, or goals as in `limbik.solve`.
    frame:
        What is to go there; default: the end effector.
    start:
        A configuration [nq]: the answers are sorted by the distance to it, and the joints that the goal does
        not move stay as it has them.
    limits:
        False ignores joint limits.
    revolutions:
        Whether configurations that differ in revolutions count, as far as limits allow them; where there is
        no limit, up to two revolutions from the start.
    samples:
        Of an arm of seven joints: at how many swivel angles of a circle they are found, or at how many values
        of the first or last joint, where the other six have a closed form.
    starts, seed:
        Of the search for arms and goals without a closed form, and at poses where a joint may have any angle.
    time_limit:
        Time [s] after which that search begins no other solve, and ends the one that runs.
    world, clearance [m]:
        As in `limbik.solve`: only those that are free of collision.
    turns:
        The old name of `revolutions`.

    `complete` is about the joints that move what is requested, and True for up to six of them with a
    closed form: three consecutive axes meet at one end (a spherical wrist or shoulder), or three are parallel
    and the two before or after them intersect; some may be prismatic, or missing; not at a pose where a joint
    may have any angle. For other five or six revolute joints, by elimination, it is True where no
    configuration is nearly singular.

    Raises GoalError, ConfigurationError or SolverError where the request has no meaning.
    """
    if (
        revolutions is False
        and turns is None
        and type(limits) is bool
        and (frame is None or type(frame) is str)
        and type(model) is Model
        and type(goal) is np.ndarray
        and goal.dtype is FLOAT64
        and goal.shape == POSE_SHAPE
        and world is None
        and type(clearance) is float
        and clearance == 0.0
        and samples is None
        and type(starts) is int
        and starts == STARTS
        and time_limit is None
        and type(seed) is int
        and seed == 0
    ):
        quick = model.derived.get(QUICK)
        plan: AnalyticPlan | None = None if quick is None else quick.get((frame, limits))
        if plan is not None:
            return plan.of_pose(goal, None if start is None else _configuration(model, start))
    check_flag(limits, "`limits`", SolverError)
    if turns is not None:
        warn_renamed("turns", "revolutions")
        revolutions = turns
    check_flag(revolutions, "`revolutions`", SolverError)
    free = free_options(world, clearance)
    if free is not None:
        every = solve_all(
            model, goal, frame=frame, start=start, limits=limits, revolutions=revolutions, samples=samples,
            starts=starts, seed=seed, time_limit=time_limit,
        )  # fmt: skip
        return those_free(as_model(model), every, _goals(goal, frame), free)
    model = as_model(model)
    q = None if start is None else _configuration(model, start)
    count = None if samples is None else as_whole(samples, "`samples`", 1, SolverError, MAX_COUNT)
    many = as_whole(starts, "`starts`", 1, SolverError, MAX_COUNT)
    seed = as_whole(seed, "`seed`", 0, SolverError)
    goals = _goals(goal, frame)
    first = goals[0]
    is_plain = len(goals) == 1 and is_plain_target(first)
    exact = plan_for_all(model, first.frame, bool(limits), kind_of(first)) if is_plain else None
    deadline = deadline_after(time_limit)
    if exact is not None:
        return exact.solve(pose_of(first), q, SearchOptions(revolutions, count, many, deadline))
    return SampledPlan(model).solve(goals, q, starts=many, seed=seed, deadline=deadline, limits=limits)


def solve_all_batch(
    model: Model, poses: Any, *, frame: str | None = None, start: Any = None, limits: bool = True
) -> AllSolutionsBatch:
    """Every configuration for many poses [N, 4, 4], as `solve_all` finds them.

    Raises SolverError for an arm without a closed form, besides what `solve_all` raises.
    """
    model = as_model(model)
    check_flag(limits, "`limits`", SolverError)
    targets = as_rows_of_poses(poses, "`poses`", GoalError)
    plan = plan_for_all(model, frame, bool(limits))
    if plan is None:
        raise SolverError(
            f"solve_all_batch() needs an arm with a closed form, which {model.name!r} is not: use "
            "solve_all() for one pose at a time"
        )
    return plan.solve_batch(targets, None if start is None else _configuration(model, start))


def plan_for_all(model: Model, frame: str | None, limits: bool, kind: int = A_POSE) -> AnswersPlan | None:
    """The closed form of the chain to a frame, for its pose or its point of 2 or 3 numbers; None where it
    has none.
    """
    name = model.end_effector if frame is None else model.frame(frame).name
    plans = PLANS.of(model, dict)
    key = name, limits, kind
    if key not in plans:
        plans[key] = (
            _pose_plan(model, name, limits) if kind == A_POSE else _point_plan(model, name, limits, kind)
        )
    plan = plans[key]
    if isinstance(plan, AnalyticPlan):
        QUICK.of(model, dict)[frame, limits] = plan
    return plan


def geometry(model: Model, frame: str | None = None) -> str:
    """How all solutions for a pose of a frame are found, in words."""
    plan = plan_for_all(model, frame, True)
    return "from many starts: no closed form is known" if plan is None else plan.method(None)


def _pose_plan(model: Model, frame: str, limits: bool) -> AnswersPlan | None:
    chain = chain_to(model, frame)
    axes = axes_of(chain)
    if axes is None:
        return None
    form = closed_form(axes)
    if form is not None:
        return AnalyticPlan(model, chain, frame, form, limits)
    arm = swivel_arm(axes)
    if arm is not None:
        return SwivelPlan(model, chain, frame, arm, limits)
    eliminating = elimination_plan(model, chain, frame, axes, limits)
    if eliminating is not None:
        return eliminating
    sampled = sampled_joint(axes)
    return None if sampled is None else RedundantPlan(model, chain, frame, sampled, axes, limits)


def _point_plan(model: Model, frame: str, limits: bool, size: int) -> AnswersPlan | None:
    chain = chain_to(model, frame)
    axes = axes_of(chain)
    if axes is None:
        return None
    while moving(axes) < axes.size:
        axes = axes.without(axes.size - 1)
    form = point_form(axes)
    if form is None or not (size == len(UP) or moves_in_plane(axes, UP)):
        return None
    chain = replace(chain, joints=chain.joints[: axes.size], q_indices=chain.q_indices[: axes.size])
    return PointPlan(model, chain, frame, axes, form, limits, size)


def _goals(goal: Any, frame: str | None) -> tuple[Goal, ...]:
    """The goals; the frame is that of a bare pose or point."""
    if frame is None:
        return as_goals(goal)
    if isinstance(goal, Goal) or (isinstance(goal, list | tuple) and goal and isinstance(goal[0], Goal)):
        raise GoalError("`frame` is for a pose or a point; a goal names its own frame")
    (bare,) = as_goals(goal)
    return (replace(bare, frame=frame),)


def is_plain_target(goal: Goal) -> bool:
    """Whether a goal is a pose or a point, all of which counts."""
    if isinstance(goal, Pose):
        return goal.weights in (None, EVERYTHING) and goal.tolerance is None
    return isinstance(goal, Position) and is_plain(goal)


def kind_of(goal: Goal) -> int:
    """Of a plain target, as `plan_for_all` takes it."""
    return goal.target.size if isinstance(goal, Position) else A_POSE


def pose_of(goal: Goal) -> Array:
    """The pose that is requested, or one with the point; one too far away to be squared is moved nearer."""
    assert isinstance(goal, Pose | Position)
    if isinstance(goal, Pose):
        pose = np.array(goal.target)
    else:
        pose = pose_from(None, np.append(goal.target, np.zeros(len(UP) - goal.target.size)))
    pose[:3, 3] = np.clip(pose[:3, 3], -FARTHEST_TARGET, FARTHEST_TARGET)
    return pose


def _configuration(model: Model, start: Any) -> Array:
    is_array = type(start) is np.ndarray and start.dtype is FLOAT64 and start.shape == (model.nq,)
    if is_array and np.vdot(start, start) < FARTHEST:  # finite, and quicker than to look at each
        return np.array(start)
    return as_bounded_configuration(model, start, "`start`")
