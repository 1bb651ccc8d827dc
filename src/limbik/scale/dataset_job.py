"""Chunks of a dataset: samples poses, and solves for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbik.all_solutions.solve_all import solve_all_batch
from limbik.locks import cached_property
from limbik.model.periodic import periodic
from limbik.scale.grid import ball_of_reach
from limbik.scale.job import Chunk, Job, in_threads
from limbik.solution import BatchSolution
from limbik.solvers.batch import solve_batch
from limbik.spatial import Array, nearest_angles, quat_from_matrix, quat_to_matrix
from limbik.status import Status

ALL, NEAREST = "all", "nearest"
JOINTS, SPACE = "joints", "space"
POSES_AT_A_TIME = 20_000  # that a thread solves at once: about 40 MB
TRIES = 2  # for each distinct solution of an arm without a closed form
DISTINCT = 1e-2  # [rad or m] by which solutions differ in one joint at least
REASONS = tuple(Status)  # the first is SOLVED
STEPS = 65_535  # of a joint's range, in the whole numbers of `q16`


@dataclass(frozen=True, kw_only=True, eq=False)
class DatasetJob(Job):
    """Poses drawn at random, and configurations that reach them."""

    poses: int
    chunk_poses: int  # that a chunk has; the last may have fewer
    solutions: str | int  # NEAREST, ALL, or how many at most
    sample: str  # JOINTS: poses of random configurations; SPACE: random poses in the ball of reach
    has_unreached: bool  # rows for poses that are not reached, with the reason

    @property
    def record(self) -> dict[str, Any]:
        """What a reader of the dataset has to know, as JSON takes it."""
        return {
            **super().record,
            "joints": self.joints,
            "lower": self._range[0].tolist(),
            "upper": self._range[1].tolist(),
            "poses": self.poses,
            "chunk": self.chunk_poses,
            "solutions": self.solutions,
            "sample": self.sample,
            "unreached": self.has_unreached,
        }

    @property
    def title(self) -> str:
        """What the dataset is of, in words."""
        return f"dataset of {self.model.name!r}, {self.poses:,} poses, solutions {self.solutions}"

    @property
    def chunks(self) -> int:
        """How many chunks there are."""
        return -(-self.poses // self.chunk_poses)

    @cached_property
    def joints(self) -> list[str]:
        """The names of the joints that move the frame."""
        return [joint.name for joint in self.model.path(self.frame) if joint.nq == 1]

    def solve(self, number: int, threads: int | None) -> Chunk:
        """The rows of a chunk, from pose number * chunk_poses on."""
        first = number * self.chunk_poses
        rng = np.random.Generator(np.random.Philox(key=[self.seed, number]))
        drawn = self._draw(rng, min(self.chunk_poses, self.poses - first))
        parts = [slice(k, k + POSES_AT_A_TIME) for k in range(0, len(drawn), POSES_AT_A_TIME)]
        solved = list(in_threads(lambda part: self._solve(drawn[part], first + part.start), parts, threads))
        return {name: np.concatenate([rows[name] for rows in solved]) for name in solved[0]}

    def _draw(self, rng: np.random.Generator, count: int) -> Array:
        """Poses [count, 4, 4], or configurations [count, nq] that have them."""
        if self.sample == JOINTS:
            return self.model.random(rng, count)
        center, radius = ball_of_reach(self.model, self.frame)
        poses = np.tile(np.eye(4), (count, 1, 1))
        quaternions, directions = rng.normal(size=(count, 4)), rng.normal(size=(count, 3))
        distances = radius * np.cbrt(rng.random(count))
        poses[:, :3, :3] = quat_to_matrix(quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        poses[:, :3, 3] = center + distances[:, None] * directions
        return poses

    def _solve(self, drawn: Array, first: int) -> Chunk:
        """The rows of poses [N, 4, 4], or of those of configurations [N, nq]; the first has this number."""
        poses = self.model.poses(drawn, [self.frame])[:, 0] if drawn.ndim == 2 else drawn
        index, q = self._every(poses) if self.is_proved else self._searched(poses, first)
        status = np.zeros(len(index), dtype=np.int8)
        if self.has_unreached:
            missing = np.flatnonzero(np.bincount(index, minlength=len(poses)) == 0)
            index = np.append(index, missing)
            order = np.argsort(index, kind="stable")
            index = index[order]
            q = np.concatenate([q, np.full((len(missing), self.model.nq), np.nan)])[order]
            status = np.append(status, self._reasons(poses[missing]))[order]
        q = q[:, self.q_indices]
        return {
            "pose": (first + index).astype(np.uint64),
            "position": poses[index, :3, 3].astype(np.float32),
            "quaternion": quat_from_matrix(poses[index, :3, :3]).astype(np.float32),
            "q": q.astype(np.float32),
            "q16": self._as_steps(q),
            "status": status,
        }

    def _every(self, poses: Array) -> tuple[NDArray[np.intp], Array]:
        """Pose index and q [M, nq] of solutions in closed form, the nearest to neutral first."""
        every = solve_all_batch(self.model, poses, frame=self.frame, start=self.model.neutral)
        width = every.q.shape[1]
        limit = width if self.solutions == ALL else 1 if self.solutions == NEAREST else int(self.solutions)
        index, rank = np.nonzero(np.arange(width) < np.minimum(every.count, limit)[:, None])
        return index, every.q[index, rank]

    def _searched(self, poses: Array, first: int) -> tuple[NDArray[np.intp], Array]:
        """Pose index and q [M, nq] of solutions from searches, for each pose those that differ."""
        if self.solutions == NEAREST:
            answers = self._search(poses, self.model.neutral)
            index = np.flatnonzero(answers.success)
            return index, answers.q[index]
        limit = int(self.solutions)
        rng = np.random.Generator(np.random.Philox(key=[self.seed, 2**63 + first]))
        q = np.full((len(poses), limit, self.model.nq), np.nan)
        count = np.zeros(len(poses), dtype=np.intp)
        for _ in range(TRIES * limit):
            left = np.flatnonzero(count < limit)
            if not left.size:
                break
            answers = self._search(poses[left], self.model.random(rng, len(poses))[left])
            is_new = answers.success & self._differ(answers.q, q[left])
            new = left[is_new]
            q[new, count[new]] = answers.q[is_new]
            count[new] += 1
        index, rank = np.nonzero(np.arange(limit) < count[:, None])
        return index, q[index, rank]

    def _search(self, poses: Array, start: Array | None = None) -> BatchSolution:
        return solve_batch(
            self.model,
            poses,
            frame=self.frame,
            start=start,
            threads=1,
            restarts=self.restarts,
            seed=self.seed,
        )

    def _differ(self, q: Array, others: Array) -> NDArray[np.bool_]:
        """Whether q [N, nq] differs from all of others [N, k, nq], of which NaN are none."""
        change = (q[:, None] - others)[..., self.q_indices]
        change = np.where(self._is_periodic, nearest_angles(change), change)
        return np.asarray(~np.any(np.abs(change).max(axis=-1) <= DISTINCT, axis=1))

    def _reasons(self, poses: Array) -> NDArray[np.int8]:
        """[N] the index in `REASONS` of why poses [N, 4, 4] have no solution."""
        if not self.is_proved:
            return np.array([REASONS.index(each) for each in self._search(poses).status], np.int8)
        beyond = solve_all_batch(self.model, poses, frame=self.frame, limits=False)
        unreachable, limits_bind = map(REASONS.index, (Status.UNREACHABLE, Status.LIMITS_BIND))
        return np.where(beyond.count > 0, limits_bind, unreachable).astype(np.int8)

    def _as_steps(self, q: Array) -> NDArray[np.uint16]:
        """q [M, n] in steps of each joint's range, angles without one turned into theirs; 0 for NaN, and
        for a joint that its limits hold at one value.
        """
        low, high = self._range
        q = np.where(self._is_endless, nearest_angles(q), q)
        steps = np.round(STEPS * np.clip((q - low) / np.where(high > low, high - low, 1.0), 0.0, 1.0))
        return np.nan_to_num(steps).astype(np.uint16)

    @cached_property
    def _is_periodic(self) -> NDArray[np.bool_]:
        """[n] of which joints a revolution is no difference."""
        return periodic(self.model, self.frame)[self.q_indices]

    @cached_property
    def _is_endless(self) -> NDArray[np.bool_]:
        """[n] which of the joints have no range of their own."""
        return ~np.isfinite(self.model.upper - self.model.lower)[self.q_indices]

    @cached_property
    def _range(self) -> tuple[Array, Array]:
        """Smallest and greatest value [n] of each joint; a revolution for one without limits."""
        lower, upper = self.model.lower[self.q_indices], self.model.upper[self.q_indices]
        return np.where(self._is_endless, -np.pi, lower), np.where(self._is_endless, np.pi, upper)
