"""`solve_batch`: many poses at once, in the fast core."""

from __future__ import annotations

import os
from time import perf_counter
from typing import TypeGuard, Unpack

import numpy as np
from numpy.typing import ArrayLike

from limbik.collision.free_options import free_options
from limbik.collision.world import World
from limbik.errors import ConfigurationError, GoalError, SolverError, is_one_of, shortened
from limbik.goals import Pose
from limbik.model.chain import chain_to
from limbik.model.joints import SCALAR
from limbik.model.model import Model, as_model
from limbik.numerics.start_check import MANY_WINDINGS, ROUNDING
from limbik.options import EachOptions
from limbik.request import deadline_after
from limbik.serial.lanes import HEADER
from limbik.serial.prepare import FAST_CHAIN
from limbik.solution import BatchSolution
from limbik.solvers.batch_job import BatchJob
from limbik.solvers.free_batch import batch_made_free
from limbik.solvers.plans import plan_for
from limbik.solvers.registry import choose
from limbik.solvers.serial_plan import MOVED, SerialPlan
from limbik.spatial import Array, as_numbers, as_rows_of_poses, as_whole

PRECISIONS = ("double", "single")


def solve_batch(
    model: Model,
    poses: ArrayLike,
    *,
    start: ArrayLike | None = None,
    frame: str | None = None,
    threads: int | None = None,
    precision: str = "double",
    seed: int = 0,
    world: World | None = None,
    clearance: float = 0.0,
    **options: Unpack[EachOptions],
) -> BatchSolution:
    """Configurations that meet many poses, verified as those of `limbik.solve`.

    Of several solutions it may be another one than that of `limbik.solve`.

    poses:
        [N, 4, 4] of the frame (default: the end effector).
    start:
        One configuration [nq], or [N, nq]; then every solve stays on the branch of its start where it can,
        and else prefers the nearest of a few solutions from around it.
    threads:
        How many cores to use; None: all of them. The answers do not depend on it.
    precision:
        "single" searches in single precision, and finishes in double precision; which is faster depends
        on the processor. Success is checked in double precision in both cases.

    world, clearance:
        As in `limbik.solve`: every answer that is a success is free of collision.

    Further options as in `limbik.solve`: tolerance, tolerance_rotation, iterations, restarts, limits, tool,
    and time_limit, of the whole batch.

    Raises GoalError, ConfigurationError or SolverError where the request has no meaning.
    """
    began, limit = perf_counter(), options.pop("time_limit", None)
    model = as_model(model)
    seed = as_whole(seed, "`seed`", 0, SolverError)
    _check(threads, precision)
    for name in ("prefer", "locked", "rest_bias"):
        if options.get(name) is not None:
            raise SolverError(f"solve_batch() does not take `{name}`; use solve() for one goal at a time")
    if is_one_of(options.get("mode"), ("best",)):
        raise SolverError("solve_batch() does not take `mode='best'`; use solve() for one goal at a time")
    free = free_options(world, clearance)
    targets = poses if _are_plain(poses) else as_rows_of_poses(poses, "`poses`", GoalError)
    plan = plan_for(model, frame, Pose, {**options, "solver": options.get("solver", "lm")})
    if not isinstance(plan, SerialPlan):
        chain, solver = chain_to(model, frame), choose(plan.options.solver, (Pose,)).name
        other = next((joint for joint in chain.joints if joint.kind not in SCALAR), None)
        if solver != "lm":
            actual = f"solver {solver!r}"
        elif chain.has_mimic:
            actual = "one with joints that follow others"
        elif other is not None:
            actual = f"one with the {other.kind.value} joint {other.name!r}"
        else:
            actual = f"one of {len(chain.joints)} joints"
        raise SolverError(
            f"solve_batch() needs solver 'lm' and {FAST_CHAIN}; found {actual}: use solve() for one "
            "goal at a time"
        )
    starts = None if start is None else _starts(model, start, len(targets))
    if len(targets) == 0:
        return BatchSolution(np.empty((0, model.nq)), np.empty((0, HEADER)), perf_counter() - began, "lm")
    deadline = deadline_after(limit)
    job = BatchJob(plan, np.ascontiguousarray(targets), int(threads or os.cpu_count() or 1), seed, deadline)
    answers = job.solve(starts, precision == "single")
    if starts is not None:
        job.look_elsewhere(answers, starts)
    job.say_spent(answers, starts)
    job.mend(answers, starts)
    if starts is not None and plan.uses_limits:
        inside = model.clip(starts)
        answers[:, MOVED] = ((np.abs(inside - starts) > ROUNDING) | (np.abs(starts) > MANY_WINDINGS)).any(
            axis=1
        )
    q = plan.whole(answers[:, HEADER:], starts)
    made = BatchSolution(q, answers[:, :HEADER], perf_counter() - began, "lm")
    if free is None:
        return made
    return batch_made_free(
        model, targets, made, free, frame, starts, seed, options, began,
        lambda chosen, starts: job.part(chosen).from_starts(starts), deadline,
    )  # fmt: skip


def _check(threads: object, precision: object) -> None:
    if threads is not None:
        as_whole(threads, "`threads`", 1, SolverError)
    if not is_one_of(precision, PRECISIONS):
        raise SolverError(f'`precision` needs "double" or "single", found {shortened(precision)}')


def _are_plain(poses: ArrayLike) -> TypeGuard[Array]:
    """Whether poses are solved for as they are: to copy a million of them takes a tenth of the solving."""
    if type(poses) is not np.ndarray or poses.dtype != np.float64 or not poses.flags.c_contiguous:
        return False
    return poses.ndim == 3 and poses.shape[1:] == (4, 4)


def _starts(model: Model, start: ArrayLike, count: int) -> Array:
    needed = f"{model.nq} numbers (nq), or {count} rows of them"
    starts = as_numbers(start, "`start`", needed, ConfigurationError)
    if starts.shape not in ((model.nq,), (count, model.nq)):
        raise ConfigurationError(f"`start` needs {needed}, found shape {starts.shape}")
    if not np.isfinite(starts).all():
        row = np.atleast_2d(starts)[~np.isfinite(np.atleast_2d(starts)).all(axis=1)][0]
        raise ConfigurationError(f"`start` needs finite numbers, found {row.tolist()}")
    return np.ascontiguousarray(np.broadcast_to(starts, (count, model.nq)))
