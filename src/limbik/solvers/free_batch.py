"""Batches that are to be free of collision."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any

import numpy as np

from limbik.collision.check import checker_of
from limbik.goals import Pose
from limbik.model.model import Model
from limbik.numerics.ended import SOLVED
from limbik.solution import BatchSolution
from limbik.solvers.free_options import FreeOptions
from limbik.spatial import Array

RESTARTS = 680  # for each problem whose first answer is not free, unless it is said


def batch_made_free(
    model: Model,
    poses: Array,
    found: BatchSolution,
    free: FreeOptions,
    frame: str | None,
    starts: Array | None,
    seed: int,
    options: Mapping[str, Any],
    began: float,
) -> BatchSolution:
    """The answers to poses [N, 4, 4] where they are free of collision, and others where they are not.

    starts [N, nq], seed and options as those were found with; began [s]: when.
    """
    options = {**options, "restarts": options.get("restarts", RESTARTS)}
    checker = checker_of(model, free.world)
    q, facts = found.q.copy(), found.facts.copy()
    for k in np.flatnonzero(facts[:, 0] == SOLVED):
        if checker.is_free(q[k], free.clearance):
            continue
        solution = model.solve(
            Pose(target=poses[k], frame=frame),
            start=None if starts is None else starts[k],
            seed=seed,
            world=free.world,
            clearance=free.clearance,
            **options,
        )
        q[k], facts[k] = solution.q, solution.facts[: facts.shape[1]]
    return BatchSolution(q, facts, perf_counter() - began, found.solver)
