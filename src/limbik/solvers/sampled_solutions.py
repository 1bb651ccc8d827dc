"""The solutions that are found from many starts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from limbik.model.joints import JointKind
from limbik.model.model import Model
from limbik.solution import Solution
from limbik.solvers.loop import solve
from limbik.spatial import Array

DISTINCT = 0.01  # [rad or m] of some joint; below it, two solutions are one


def sampled_solutions(
    model: Model, goal: Any, *, starts: int = 200, seed: int = 0, **options: Any
) -> list[Solution]:
    """Distinct solutions that are found from random starts, in the order in which they were found.

    None where a solve without a start finds none. Whole turns of a joint make no other solution. An arm with
    more joints than the goal needs has infinitely many; an arm without may have one that no start leads to.
    """
    first = solve(model, goal, seed=seed, **options)
    if not first.success:
        return []
    found = [first]
    for start in _without_turns(model, model.random(seed, starts)):
        solution = solve(model, goal, start=start, **options)
        if solution.success and all(_differ(model, solution.q, other.q) for other in found):
            found.append(solution)
    return found


def _without_turns(model: Model, q: Array) -> Array:
    """Configurations [N, nq] with the angles nearest to 0 that mean the same, where limits allow these."""
    for joint in model.joints:
        if joint.kind is JointKind.REVOLUTE and joint.mimic is None:
            place = model.q_slice(joint.name).start
            near = np.remainder(q[:, place] + math.pi, 2.0 * math.pi) - math.pi
            is_legal = (near >= model.lower[place]) & (near <= model.upper[place])
            q[:, place] = np.where(is_legal, near, q[:, place])
    return q


def _differ(model: Model, q0: Array, q1: Array) -> bool:
    """Whether two configurations differ in more than whole turns."""
    change = model.difference(q0, q1)
    for joint in model.joints:
        if joint.kind is JointKind.REVOLUTE and joint.mimic is None:
            v = model.v_slice(joint.name)
            change[v] = [math.remainder(angle, 2.0 * math.pi) for angle in change[v]]
    return bool(np.abs(change).max(initial=0.0) > DISTINCT)
