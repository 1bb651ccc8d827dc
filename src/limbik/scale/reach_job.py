"""`ReachJob`: solves a reach map in chunks of voxels: which orientations are reached, the number of
solutions, manipulability and limit margin.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbik.all_solutions.solve_all import solve_all_batch
from limbik.collision import Mesh, World
from limbik.collision.check import checker_of
from limbik.collision.meshes import content_of
from limbik.collision.world_files import world_of, world_text
from limbik.errors import CollisionError
from limbik.locks import cached_property
from limbik.model.chain import chain_to
from limbik.model.pose_bounds import PoseBounds, pose_bounds
from limbik.scale.grid import Grid
from limbik.scale.job import Chunk, Job, in_threads
from limbik.scale.orientations import orientations
from limbik.solvers.batch import solve_batch
from limbik.spatial import Array, quat_to_matrix

POSES_AT_A_TIME = 10_000  # that a thread solves at once: larger arrays do not stay in the cache
SLACK = 1e-5  # [m] more than what tolerances and rounding let the wrist be elsewhere
MEASURED = 8  # orientations of a voxel, those farthest from limits, whose manipulability is looked at


@dataclass(frozen=True, kw_only=True, eq=False)
class ReachJob(Job):
    """Every orientation at the centre of every voxel: which does the frame reach?"""

    grid: Grid
    center: Array  # [3] of the ball that the frame's origin never leaves
    radius: float  # [m]
    orientations: int
    world: World | None  # a configuration is free of collision with it and with itself; None: not looked at
    clearance: float  # [m]
    chunk_voxels: int  # that a chunk has; the last may have fewer

    @property
    def record(self) -> dict[str, Any]:
        """What a reader of the map has to know, as JSON takes it."""
        return {
            **super().record,
            "corner": self.grid.corner,
            "voxel": self.grid.voxel,
            "shape": self.grid.shape,
            "center": [float(x) for x in self.center],
            "radius": self.radius,
            "orientations": self.orientations,
            "world": None if self.world is None else [each.name for each in self.world],
            "clearance": self.clearance,
            "chunk": self.chunk_voxels,
        }

    @property
    def content(self) -> list[Any]:
        """What the answers depend on besides the record."""
        if self.world is None:
            return super().content
        bodies = world_text(self.world), world_text(world_of(self.model)), repr(self.model.pair_rules)
        shapes = [each.shape for each in (*self.world, *self.model.shapes)]
        return [*super().content, *bodies, *(_digest(shape) for shape in shapes if isinstance(shape, Mesh))]

    @property
    def title(self) -> str:
        """What is mapped, in words."""
        return f"map of {self.model.name!r}, {self.grid.voxel:g} m, {self.orientations} orientations"

    @property
    def chunks(self) -> int:
        """How many chunks there are."""
        return -(-self.grid.size // self.chunk_voxels)

    @property
    def layers(self) -> dict[str, tuple[str, int]]:
        """The type and the width of each array of the map, by name."""
        return {
            "reachable": ("uint8", -(-self.orientations // 8)),  # a bit for each, the first one highest
            "fraction": ("float32", 1),  # of the orientations that are reached
            "solutions": ("uint32", 1),  # distinct ones, of all orientations together
            "manipulability": ("float32", 1),  # the largest of some orientations (Yoshikawa)
            "margin": ("float32", 1),  # the largest [0, 0.5] to the nearest limit, per range of the joint
        }

    def solve(self, number: int, threads: int | None) -> Chunk:
        """The rows of a chunk, for the voxels from number * chunk_voxels on."""
        first = number * self.chunk_voxels
        last = min(first + self.chunk_voxels, self.grid.size)
        rows = {
            name: np.zeros((last - first, width), dtype=kind) for name, (kind, width) in self.layers.items()
        }
        centers = self.grid.centers(first, last)
        near = np.flatnonzero(np.linalg.norm(centers - self.center, axis=1) <= self.radius)
        step = max(POSES_AT_A_TIME // self.orientations, 1)
        rotations = quat_to_matrix(orientations(self.orientations))
        parts = [near[begin : begin + step] for begin in range(0, near.size, step)]
        solved = in_threads(lambda voxels: self._solve(centers[voxels], rotations), parts, threads)
        for voxels, values in zip(parts, solved, strict=True):
            for name in rows:
                rows[name][voxels] = values[name]
        return rows

    def _solve(self, centers: Array, rotations: Array) -> Chunk:
        """The rows of some voxels [n, 3]."""
        n, m = len(centers), len(rotations)
        poses = np.zeros((n, m, 4, 4))
        poses[..., :3, :3], poses[..., :3, 3], poses[..., 3, 3] = rotations, centers[:, None], 1.0
        reached, q, margins = self._best(poses.reshape(n * m, 4, 4))
        count, margin = reached.reshape(n, m), margins.reshape(n, m)
        farthest = np.argsort(-margin, axis=1, kind="stable")[:, :MEASURED]
        is_reached = np.take_along_axis(count, farthest, axis=1) > 0
        manipulability = np.zeros(farthest.shape)
        configurations = q.reshape(n, m, -1)[np.arange(n)[:, None], farthest]
        manipulability[is_reached] = self._manipulability(configurations[is_reached])
        return {
            "reachable": np.packbits(count > 0, axis=1),
            "fraction": (count > 0).mean(axis=1, keepdims=True),
            "solutions": count.sum(axis=1, keepdims=True),
            "manipulability": manipulability.max(axis=1, keepdims=True),
            "margin": margin.max(axis=1, keepdims=True),
        }

    def _best(self, poses: Array) -> tuple[NDArray[np.int64], Array, Array]:
        """How many solutions each pose has [N], the one farthest from limits [N, nq], and its margin [N]."""
        if self._bounds is None:
            return self._best_of(poses)
        tried = np.flatnonzero(np.logical_not(self._bounds.exclude(poses, SLACK)))
        count, margin = np.zeros(len(poses), np.int64), np.zeros(len(poses))
        q = np.zeros((len(poses), self.model.nq))
        count[tried], q[tried], margin[tried] = self._best_of(poses[tried])
        return count, q, margin

    def _best_of(self, poses: Array) -> tuple[NDArray[np.int64], Array, Array]:
        """The same of poses that are all tried."""
        if self.is_proved:
            every = solve_all_batch(self.model, poses, frame=self.frame)
            if not every.count.any():
                nothing = np.zeros(len(poses))
                return nothing.astype(np.int64), np.zeros((len(poses), self.model.nq)), nothing
            is_one = np.arange(every.q.shape[1]) < every.count[:, None]
            if self.world is not None:
                is_one[is_one] = checker_of(self.model, self.world).are_free(every.q[is_one], self.clearance)
            margins = np.where(is_one, self._margin(every.q), -1.0)
            best = margins.argmax(axis=1)
            rows = np.arange(len(poses))
            return is_one.sum(axis=1), every.q[rows, best], np.maximum(margins[rows, best], 0.0)
        each = solve_batch(
            self.model,
            poses,
            frame=self.frame,
            threads=1,
            restarts=self.restarts,
            seed=self.seed,
            world=self.world,
            clearance=self.clearance,
        )
        margin = np.where(each.success, self._margin(each.q), 0.0)
        return each.success.astype(np.int64), each.q, margin

    def _margin(self, q: Array) -> Array:
        """[...] how far q [..., nq] is from the nearest limit, per range of the joint: 0.5 in the middle."""
        farthest = np.zeros(q.shape[:-1])  # from the middle
        for index in self._limited:  # a joint at a time: NumPy is slow along a short last axis
            low, high = self.model.lower[index], self.model.upper[index]
            np.maximum(farthest, np.abs(q[..., index] - 0.5 * (low + high)) / (high - low), out=farthest)
        return 0.5 - farthest

    def _manipulability(self, q: Array) -> Array:
        """sqrt(det(J J^T)) [N], of the joints that move the frame (Yoshikawa 1985)."""
        J = self.model.jacobian(q, self.frame)[..., self._moving]
        rows = J if J.shape[-1] >= 6 else np.swapaxes(J, -1, -2)
        return np.asarray(np.sqrt(np.maximum(np.linalg.det(rows @ np.swapaxes(rows, -1, -2)), 0.0)))

    @cached_property
    def _bounds(self) -> PoseBounds | None:
        """What proves poses out of reach."""
        return pose_bounds(chain_to(self.model, self.frame))

    @cached_property
    def _limited(self) -> NDArray[np.intp]:
        """The indices in q of the joints that move the frame and have a range."""
        ranges = (self.model.upper - self.model.lower)[self.q_indices]
        return self.q_indices[np.isfinite(ranges) & (ranges > 0.0)]

    @cached_property
    def _moving(self) -> NDArray[np.intp]:
        """The indices in v of the joints that move the frame."""
        slices = [self.model.v_slice(joint.name) for joint in self.model.path(self.frame) if joint.nv]
        return np.array([v for each in slices for v in range(each.start, each.stop)], dtype=np.intp)


def _digest(mesh: Mesh) -> str:
    """Of what the file of a mesh holds; nothing for one without a file, or with one that cannot be read."""
    if mesh.vertices is not None:
        return ""
    try:
        return hashlib.sha256(content_of(mesh)).hexdigest()
    except CollisionError:
        return ""
