"""`solve_path`: configurations along a sequence of poses, chosen among all branches."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbik.collision.free_options import free_options
from limbik.collision.world import World
from limbik.compiler.watch import watch_until
from limbik.errors import ConfigurationError, GoalError, SolverError, shortened
from limbik.joint_path import Break, BreakReason, Path, TooFast
from limbik.model.joints import JointKind
from limbik.model.model import Model, as_bounded_configuration, as_model
from limbik.motion.candidates import Candidates
from limbik.motion.graph import Route
from limbik.motion.layers import Layer, Layers, Rules
from limbik.motion.preferences import preference
from limbik.motion.rates import rate_limits
from limbik.motion.stops import Stop, what_stops
from limbik.motion.task_space import apart, poses_of
from limbik.motion.timing import path_times
from limbik.options import RateLimits
from limbik.request import deadline_after
from limbik.spatial import Array, as_number, as_numbers, as_whole, check_largest

MAX_STEP = 0.5  # [rad or m]
MIN_STEP = 1e-4  # [rad or m]
DEVIATION = (1e-3, 1e-2)  # [m], [rad]
LONGEST_TIME, SHORTEST_TIME = 1e12, 1e-12  # [s] of a pose, and from one to the next
ALLOWED = 1.0 + 1e-6  # of a limit: rounding


def solve_path(
    model: Model,
    poses: ArrayLike,
    *,
    times: ArrayLike | None = None,
    start: ArrayLike | None = None,
    frame: str | None = None,
    first: ArrayLike | None = None,
    last: ArrayLike | None = None,
    max_step: float = MAX_STEP,
    deviation: tuple[float, float] = DEVIATION,
    prefer: Literal["short", "manipulability", "limits"] = "short",
    velocity_limits: RateLimits = None,
    acceleration_limits: RateLimits = None,
    seed: int = 0,
    world: World | None = None,
    clearance: float = 0.0,
    time_limit: float | None = None,
) -> Path:
    """The configurations that lead a frame along poses, with the fewest breaks and the smallest motion.

    Between the poses the frame is to move on straight lines, its orientation turning evenly. The
    configurations of all branches at poses along the path are the layers of a graph, through which dynamic
    programming finds the best route; poses are added until steps in joint space stay near the path.

    poses:
        [N, 4, 4], at least one.
    times:
        [N] at which they are to be reached [s], increasing. With limits of velocity or acceleration,
        `too_fast` of the answer says where they ask for too much.
    start:
        A configuration [nq] near which the path is to begin; joints that do not move the frame stay as it has
        them.
    frame:
        What moves along the path; default: the end effector.
    first, last:
        Configurations [nq] with which the path has to begin and to end.
    max_step:
        Greatest change of a joint from knot to knot [rad or m], below half a turn.
    deviation:
        How far [m], [rad] the frame may be off the path, at and between the knots.
    prefer:
        "short" is the shortest path of the joints. "manipulability" and "limits" trade up to 10 rad of motion
        for staying away from singular configurations or from limits.
    velocity_limits, acceleration_limits:
        A number, one for each of q [nq], or by the names of joints [rad/s or m/s], [rad/s^2 or m/s^2];
        default: those of the model, if it has a velocity for every joint that moves the frame. Without times,
        they set those of the answer; acceleration limits need velocity limits.
    seed:
        Of the search in arms without a closed form.
    world, clearance [m]:
        As in `limbik.solve`: between breaks everything stays farther apart than the clearance, between the
        knots, too.
    time_limit [s]:
        Ends the search; the path then breaks, for the reason CUT_SHORT, where it is not known how it goes on.

    Breaks are the fewest that the layers show: of arms of six joints with a closed form these have all
    branches, of others those that were sampled. A path that has to break does so where the first look at it
    has the smallest motion. At a pose that is exactly singular only some of its infinitely many
    configurations are looked at, so that another route may move less.

    Raises GoalError for poses and times, ConfigurationError for configurations and SolverError for options
    that have no meaning, or a model with ball joints.
    """
    deadline = deadline_after(time_limit)
    model = as_model(model)
    checked = poses_of(poses, "`poses`")
    name = model.end_effector if frame is None else model.frame(frame).name
    if model.nq != model.nv:
        raise SolverError(
            f"solve_path() needs revolute and prismatic joints alone; {model.name!r} has others"
        )
    when = None if times is None else _times(times, len(checked))
    begin = None if start is None else as_bounded_configuration(model, start, "`start`")
    allowed = _deviation(deviation)
    rules = Rules(_max_step(max_step), allowed, preference(model, name, prefer))
    velocity, acceleration = _joint_limits(
        model, name, velocity_limits, acceleration_limits, when is not None
    )
    fixed = [
        _fixed(model, name, value, pose, which, allowed)
        for value, pose, which in ((first, checked[0], "first"), (last, checked[-1], "last"))
    ]
    at_first, at_last = fixed
    if len(checked) == 1 and at_first is not None and at_last is not None and (at_first != at_last).any():
        raise ConfigurationError(
            "`first` and `last` differ, and a path of one pose has one configuration; with the pose twice it "
            "goes from one to the other"
        )
    near = next((q for q in (begin, *fixed) if q is not None), None)
    rest = model.neutral if near is None else model.clip(near)
    free = free_options(world, clearance)
    seed = as_whole(seed, "`seed`", 0, SolverError)
    candidates = Candidates(model, name, rest, seed, allowed, free, deadline)
    layers = Layers(checked, candidates, rules, begin, watch_until(deadline))
    for index, which, q in zip((0, -1), ("first", "last"), fixed, strict=True):
        if q is not None:
            if not candidates.is_free(q):
                raise ConfigurationError(f"`{which}` needs a configuration that is free of collision")
            layers.fix(index, q)
    reached, route = layers.solve()
    return _answer(model, name, layers, reached, route, rules, when, velocity, acceleration)


# --- the answer ---------------------------------------------------------------------------------------------


def _answer(
    model: Model,
    frame: str,
    layers: Layers,
    reached: list[Layer],
    route: Route,
    rules: Rules,
    when: Array | None,
    velocity: Array | None,
    acceleration: Array,
) -> Path:
    q = np.array([each.q[node] for each, node in zip(reached, route.nodes, strict=True)])
    q = q.reshape(-1, model.nq)
    steps = layers.difference(q[:-1], q[1:])
    q[1:, layers.turning] = q[:1, layers.turning] + np.cumsum(steps[:, layers.turning], axis=0)
    position = np.array([each.position for each in reached])
    is_break = np.isin(np.arange(1, len(q)), route.breaks)
    times: Array | None = None
    too_fast: tuple[TooFast, ...] = ()
    if when is not None:
        times = np.interp(position, np.arange(len(when)), when)
        too_fast = tuple(_too_fast(model, steps, is_break, times, velocity, acceleration))
    elif velocity is not None and len(q):
        times = path_times(steps, is_break, velocity, acceleration)
    candidates = layers.candidates
    indices = {float(at): k for k, at in enumerate(position)}
    return Path(
        q=q,
        position=position,
        poses=np.array([each.pose for each in reached]).reshape(-1, 4, 4),
        knots=np.array([indices.get(float(k), -1) for k in range(len(layers.poses))], dtype=np.intp),
        times=times,
        breaks=tuple(_breaks(candidates, layers, q, position, route, rules)),
        followed=float(position[route.reached]) if len(q) and position[0] == 0.0 else 0.0,
        deviation=_measured(model, frame, layers, reached, q, is_break),
        length=float(np.linalg.norm(steps[~is_break], axis=1).sum()),
        too_fast=too_fast,
        branch_of=candidates.branch,
    )


def _measured(
    model: Model, frame: str, layers: Layers, reached: list[Layer], q: Array, is_break: NDArray[np.bool_]
) -> tuple[float, float]:
    """The greatest deviation at the knots and on the steps between them."""
    if not reached:
        return 0.0, 0.0
    position = np.array([each.position for each in reached])
    measures = [
        apart(np.array([each.pose for each in reached]), model.pose(q, frame)),
        layers.deviation(
            position[:-1][~is_break], position[1:][~is_break], q[:-1][~is_break], q[1:][~is_break]
        ),
    ]
    metres, radians = (float(np.concatenate(each).max()) for each in zip(*measures, strict=True))
    return metres, radians


def _breaks(
    candidates: Candidates, layers: Layers, q: Array, position: Array, route: Route, rules: Rules
) -> list[Break]:
    end = float(len(layers.poses) - 1)
    if not len(q):
        reason = BreakReason.CUT_SHORT if layers.is_cut_short else BreakReason.NO_SOLUTION
        return [Break(0.0, end, 0, reason, 0.0, ())]
    every = np.array([layer.position for layer in layers.layers])
    knots = [*route.breaks, *([len(q)] if position[-1] < end else [])]
    breaks = []

    def stop(q: Array, at: Array) -> Stop:
        if layers.ends():
            return Stop(float(at[0]), BreakReason.CUT_SHORT, ())
        return what_stops(candidates, layers.poses, q, at, rules.max_step)

    if position[0] > 0.0:
        backward = every[every <= position[0]][::-1]
        where, why, joints = stop(q[0], backward)
        breaks.append(Break(0.0, float(position[0]), 0, why, where, joints))
    for knot in knots:
        begin = position[knot - 1]
        where, why, joints = stop(q[knot - 1], every[every >= begin])
        after = float(position[knot]) if knot < len(q) else end
        breaks.append(Break(float(begin), after, int(knot), why, where, joints))
    return breaks


def _too_fast(
    model: Model,
    steps: Array,
    is_break: NDArray[np.bool_],
    times: Array,
    velocity: Array | None,
    acceleration: Array,
) -> list[TooFast]:
    """The stretches whose velocity, or whose change from the one before, is beyond the limits."""
    names = [joint.name for joint in model.joints if joint.nq and joint.mimic is None]
    durations = np.diff(times)
    speeds = steps / durations[:, None]
    ratios = np.zeros_like(steps) if velocity is None else np.abs(speeds) / velocity
    between = 0.5 * (durations[1:] + durations[:-1])
    changes = np.abs(np.diff(speeds, axis=0)) / between[:, None] / acceleration
    changes[is_break[1:] | is_break[:-1]] = 0.0
    ratios[1:] = np.maximum(ratios[1:], changes)
    worst = ratios.argmax(axis=1) if len(ratios) else np.empty(0, dtype=int)
    return [
        TooFast(k, names[joint], float(ratios[k, joint]))
        for k, joint in enumerate(worst)
        if ratios[k, joint] > ALLOWED
    ]


# --- requests -----------------------------------------------------------------------------------------------


def _fixed(
    model: Model, frame: str, value: Any, pose: Array, name: str, allowed: tuple[float, float]
) -> Array | None:
    if value is None:
        return None
    q = as_bounded_configuration(model, value, f"`{name}`")
    if not model.is_within_limits(q):
        raise ConfigurationError(
            f"`{name}` needs a configuration within the limits, found {shortened(value)}"
        )
    metres, radians = apart(pose, model.pose(q, frame))
    if metres > allowed[0] or radians > allowed[1]:
        raise ConfigurationError(
            f"`{name}` needs a configuration that reaches the {name} pose, found one that is "
            f"{1e3 * metres:.3g} mm and {radians:.3g} rad off"
        )
    return q


def _times(value: Any, count: int) -> Array:
    times = as_numbers(value, "`times`", f"{count} numbers", GoalError)
    if times.shape != (count,) or not np.isfinite(times).all():
        raise GoalError(f"`times` needs {count} finite numbers, one for each pose, found {shortened(value)}")
    check_largest(times, LONGEST_TIME, "`times`", "s", GoalError)
    for k in np.flatnonzero(np.diff(times) < SHORTEST_TIME)[:1]:
        needed = f"numbers that increase, by at least {SHORTEST_TIME:g} s"
        raise GoalError(f"`times` needs {needed}, found {times[k]:g}, {times[k + 1]:g} at [{k}]")
    return times


def _max_step(value: Any) -> float:
    needed = f"a number from {MIN_STEP:g} to below pi"
    step = as_number(value, "`max_step`", needed, SolverError)
    if not MIN_STEP <= step < np.pi:
        raise SolverError(f"`max_step` needs {needed}, found {step:g}")
    return step


def _deviation(value: Any) -> tuple[float, float]:
    needed = "two positive numbers, in metres and radians"
    numbers = as_numbers(value, "`deviation`", needed, SolverError)
    if numbers.shape != (2,) or not (numbers >= 1e-6).all():
        raise SolverError(f"`deviation` needs {needed}, at least 1e-6, found {shortened(value)}")
    return float(numbers[0]), float(numbers[1])


def _joint_limits(
    model: Model, frame: str, velocity: RateLimits, acceleration: RateLimits, is_timed: bool
) -> tuple[Array | None, Array]:
    """[nq] each. Without a velocity of every joint that moves the frame there are no times but those passed
    in.
    """
    velocities = rate_limits(model, velocity, "velocity_limits")
    accelerations = rate_limits(model, acceleration, "acceleration_limits")
    without = [
        joint.name
        for joint in model.path(frame)
        if joint.kind is not JointKind.FIXED and np.isinf(velocities[model.q_slice(joint.name)]).any()
    ]
    if is_timed or not without:
        return velocities, accelerations
    if velocity is not None and np.isfinite(velocities).any():
        raise SolverError(f"`velocity_limits` need one for every joint that moves; {without[0]!r} has none")
    if acceleration is not None:
        raise SolverError("`acceleration_limits` needs finite `velocity_limits` beside it")
    return None, accelerations
