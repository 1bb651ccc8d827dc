"""`Candidates`: the configurations for one pose of a path, of all branches."""

from __future__ import annotations

import math

import numpy as np

from limbik import measure
from limbik.all_solutions.result import AllSolutions
from limbik.collision.check import checker_of
from limbik.collision.check_path import check_path
from limbik.collision.free_options import FreeOptions
from limbik.goals import Pose
from limbik.model.model import Model
from limbik.model.periodic import periodic
from limbik.request import time_left
from limbik.spatial import Array, Matrix4

SAMPLES = 48  # of the seventh joint
STARTS = 24  # for arms without a closed form
FULL_TURN = 2.0 * math.pi
MARGIN = 2e-4  # [m] more than the clearance, without which no step from there can be certified
AT_LIMIT = 1e-8  # [rad] by which a revolution may be beyond a limit: it is moved there
SAME = 1e-6  # [rad or m] of all joints
MAX_TURNED = 10_000  # configurations for one pose
SLACK = 0.5  # of the allowed deviation, to either side along each axis: corners of that box are within it
DIRECTIONS = 6  # in which a frame can move


class Candidates:
    """Configurations for poses of one frame, within the limits.

    Revolutions count for periodic joints with limits that move the frame: all of them, or where they are too
    many those nearest to `rest`. A joint that may turn forever has one value for all its revolutions.

    An arm that cannot move its frame in all six directions is off the path between its poses wherever
    its joints are: there it has the allowed deviation, too.

    deviation: [m], [rad] that the frame may be off the path. free: what all of them are to be free of
    collision with. deadline: [s of `perf_counter`] after which it searches no more.
    """

    def __init__(
        self,
        model: Model,
        frame: str,
        rest: Array,
        seed: int,
        deviation: tuple[float, float],
        free: FreeOptions | None = None,
        deadline: float = math.inf,
    ) -> None:
        self.model = model
        self.free = free
        self.frame = frame
        self._rest = rest
        self._seed = seed
        self._deadline = deadline
        leading = (
            joint if joint.mimic is None else model.joint(joint.mimic.joint) for joint in model.path(frame)
        )
        indices = {model.q_slice(joint.name).start for joint in leading if joint.nq == 1}
        ranges, is_periodic = model.upper - model.lower, periodic(model, frame)
        self._wide = [k for k in sorted(indices) if is_periodic[k] and FULL_TURN <= ranges[k] < math.inf]
        generic = model.jacobian(model.random(0, measure.GENERIC), frame)
        self.is_full = (
            max(map(measure.rank, generic)) == DIRECTIONS
        )  # any small motion of the frame is possible
        self._slack = tuple(SLACK * part for part in deviation for _ in range(3))
        self.is_complete = False  # whether all were found for the last pose

    def of(self, pose: Matrix4) -> Array:
        """[m, nq] for a pose [4, 4]."""
        all_q = self._all(pose)
        turned, are_all = self._with_windings(all_q.q)
        self.is_complete = all_q.complete and are_all
        return self._those_free(turned)

    def goal(self, pose: Matrix4, position: float) -> Pose:
        """The goal for a pose [4, 4] at a position of the path, counted in poses."""
        is_exact = self.is_full or float(position).is_integer()
        return Pose(target=pose, frame=self.frame, tolerance=None if is_exact else self._slack)

    def near(self, pose: Matrix4, position: float, starts: Array) -> Array:
        """[m, nq] for a pose [4, 4] at a position that solves from configurations [k, nq] lead to."""
        goal = self.goal(pose, position)
        solutions = (
            self.model.solve(goal, start=q, restarts=0, time_limit=time_left(self._deadline)) for q in starts
        )
        nearby = [solution.q for solution in solutions if solution.success]
        return self._those_free(np.array(nearby).reshape(-1, self.model.nq))

    def is_free(self, q: Array) -> bool:
        """Whether q [nq] is free of collision, where it is to be."""
        if self.free is None:
            return True
        return checker_of(self.model, self.free.world).is_free(q, self.free.clearance + MARGIN)

    def is_step_free(self, q0: Array, q1: Array) -> bool:
        """Whether the straight line in joint space from q0 to q1 [nq] is, too."""
        if self.free is None:
            return True
        step = np.array([q0, q1])
        return check_path(self.model, step, self.free.world, clearance=self.free.clearance).is_free

    def branch(self, pose: Matrix4, q: Array) -> str:
        """The name of the branch of q [nq]; "" of arms without a closed form."""
        answers = self.model.solve_all(Pose(target=pose, frame=self.frame), start=q, samples=1, starts=1)
        names = answers.branches if len(answers) else ("",)
        return "" if names[0].startswith("solution") else names[0]

    def _all(self, pose: Matrix4) -> AllSolutions:
        goal = Pose(target=pose, frame=self.frame)
        limit = time_left(self._deadline)
        return self.model.solve_all(
            goal, start=self._rest, samples=SAMPLES, starts=STARTS, seed=self._seed, time_limit=limit
        )

    def _those_free(self, q: Array) -> Array:
        if self.free is None:
            return q
        return q[np.array([self.is_free(each) for each in q], dtype=bool)]

    def _with_windings(self, q: Array) -> tuple[Array, bool]:
        """The configurations [m, nq] with revolutions, and whether these are all."""
        angles = q[:, self._wide]
        fewest = np.ceil((self.model.lower[self._wide] - AT_LIMIT - angles) / FULL_TURN)
        greatest = np.floor((self.model.upper[self._wide] + AT_LIMIT - angles) / FULL_TURN)
        counts = greatest - fewest + 1.0
        max_windings = max_all = int(counts.max(initial=1.0))
        while max_windings > 1 and np.minimum(counts, max_windings).prod(axis=1).sum() > MAX_TURNED:
            max_windings -= 1
        nearest = np.round((self._rest[self._wide] - angles) / FULL_TURN)
        first = np.clip(
            nearest - max_windings // 2, fewest, np.maximum(greatest - max_windings + 1.0, fewest)
        )
        number = np.arange(len(q))
        for k, index in enumerate(self._wide):
            windings = first[number, k] + np.arange(max_windings)[:, None]
            is_legal = windings <= greatest[number, k]
            number = np.broadcast_to(number, is_legal.shape)[is_legal]
            q = np.broadcast_to(q, (max_windings, *q.shape))[is_legal]
            q[:, index] += FULL_TURN * windings[is_legal]
        return self.model.clip(q), max_windings == max_all


def distinct(q: Array) -> Array:
    """[m, nq] without those that are the same as an earlier one."""
    if not len(q):
        return q
    _, first = np.unique(np.round(q / SAME), axis=0, return_index=True)
    return q[np.sort(first)]
