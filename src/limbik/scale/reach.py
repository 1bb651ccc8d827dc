"""`reach_map`, `Reach`: computes a map of the positions and orientations that a frame reaches, and finds base
poses from which the largest number of targets is reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbik.collision import World
from limbik.collision.free_options import free_options
from limbik.errors import GoalError, SolverError, shortened
from limbik.model import Model
from limbik.model.model import as_model
from limbik.scale import folder as folders
from limbik.scale.engines import Progress, check_engine, run
from limbik.scale.grid import Grid, ball_of_reach, grid_about
from limbik.scale.job import MAX_RESTARTS, RESTARTS, is_closed_form
from limbik.scale.orientations import orientations
from limbik.scale.placements import Placement, ReachSlice, placements
from limbik.scale.reach_job import ReachJob
from limbik.scale.store import Store
from limbik.spatial import Array, as_numbers, as_poses, as_real, as_rows_of_poses, as_vector, as_whole

MAX_ORIENTATIONS = 1_000_000
CHUNK_POSES = 2_000_000
CHUNK_IN_WORLD = 100_000  # because what collides takes a hundred times as long
MAX_YAWS = 3600
SAME = 1e-6  # [m] to which centre and radius are those of the same robot


def reach_map(
    model: Model,
    folder: str | Path,
    *,
    voxel: float = 0.05,
    orientations: int = 100,
    frame: str | None = None,
    world: World | None = None,
    clearance: float = 0.0,
    restarts: int = RESTARTS,
    seed: int = 0,
    threads: int | None = None,
    engine: str = "threads",
    address: str | None = None,
    progress: Progress | None = None,
) -> Reach:
    """Find which voxels a frame reaches, in which orientations, and store the map in a folder.

        reach = limbik.scale.reach_map(limbik.load("ur5e"), "ur5e-reach", voxel=0.02)
        reach.fraction_at([[0.4, 0.0, 0.3]])

    voxel [m]: length of an edge. orientations: how many, evenly spread (`limbik.scale.orientations`), are
    tried at the centre of each voxel. frame: default: the end effector. world, clearance [m]: reached is
    what is free of collision, as in `limbik.solve`. restarts: of the search for a pose; arms with all
    solutions in closed form need none. threads: None: all cores. engine: "processes" for as many
    processes of one thread each, which is faster beyond four cores (a script needs `if __name__ ==
    "__main__":` then, as for `multiprocessing`); "ray" for the cores of a Ray cluster at `address` (None: one
    of this machine), which needs `pip install limbik[ray]`. progress: called with how many chunks are done,
    and of how many.

    Called again for the same map it goes on where it was interrupted; the map is the same to the bit.
    Memory stays under 2 GB, or 0.3 GB for each process. Needs `pip install limbik[scale]`.

    Raises SolverError for options without a meaning, ModelError for a frame that is not there,
    CollisionError for what is no world, and `limbik.scale.StoreError` for a folder that holds something else
    or cannot be written.
    """
    model = as_model(model)
    count = as_whole(orientations, "`orientations`", 1, SolverError, MAX_ORIENTATIONS)
    root = folders.as_folder(folder)
    restarts = as_whole(restarts, "`restarts`", 0, SolverError, MAX_RESTARTS)
    seed = as_whole(seed, "`seed`", 0, SolverError)
    if not 0.0 < as_real(voxel) < np.inf:
        raise SolverError(f"`voxel` needs a positive length [m], found {shortened(voxel)}")
    check_engine(engine, threads, address)
    free = free_options(world, clearance)
    name = model.end_effector if frame is None else model.frame(frame).name
    center, radius = ball_of_reach(model, name)
    moving = sum(joint.nv for joint in model.path(name) if joint.mimic is None)
    if moving < 6:
        raise SolverError(
            f"a reach map needs six joints or more, found {moving} that move {name!r}: with fewer, next to "
            "none of a set of orientations is reached"
        )
    job = ReachJob(
        model=model,
        frame=name,
        grid=grid_about(center, radius, float(voxel)),
        center=center,
        radius=radius,
        orientations=count,
        world=world,
        clearance=float(clearance),
        chunk_voxels=max((CHUNK_POSES if free is None else CHUNK_IN_WORLD) // count, 1),
        restarts=restarts,
        seed=seed,
        is_proved=is_closed_form(model, name),
    )
    store = Store.create(root, job)
    run(job, store, engine, threads, address, progress)
    return Reach(store)


@dataclass(frozen=True, eq=False)
class Reach:
    """A reach map in a folder. Rows of arrays are voxels, z fastest; those that are not done have zeros."""

    store: Store

    @staticmethod
    def open(folder: str | Path) -> Reach:
        """The map in a folder. Raises `limbik.scale.StoreError` where there is none."""
        return Reach(Store.open(folders.as_folder(folder)))

    def check_robot(self, model: Model) -> None:
        """Raise SolverError for another robot than the map's: one whose frame moves in another ball;
        ModelError for what is no model.
        """
        model, record = as_model(model), self.record
        frame = record["frame"]
        reason = f"it has no frame {frame!r}"
        if frame in model.frame_names:
            center, radius = ball_of_reach(model, frame)
            difference = *(center - record["center"]), radius - record["radius"]
            if np.abs(difference).max() < SAME:
                return
            bounds = f"{radius:.3f} m, in the map {record['radius']:.3f} m"
            reason = f"its {frame!r} moves within other bounds ({bounds})"
        raise SolverError(f"the map is of {record['robot']!r}, and {model.name!r} is another robot: {reason}")

    @property
    def grid(self) -> Grid:
        """The voxels."""
        return self.store.grid

    @property
    def record(self) -> dict[str, Any]:
        """Robot, frame, options, and whether what is not reached is proved to be out of reach."""
        return dict(self.store.record)

    @property
    def quaternions(self) -> Array:
        """The orientations [n, 4], xyzw."""
        return orientations(self.store.record["orientations"])

    @property
    def is_complete(self) -> bool:
        """Whether all chunks are done."""
        return all(map(self.store.is_done, range(self.store.record["chunks"])))

    @property
    def fraction(self) -> Array:
        """[voxels] the fraction of the orientations that is reached, 0 to 1."""
        return self._layer("fraction")

    @property
    def solutions(self) -> NDArray[np.integer]:
        """[voxels] distinct solutions, of all orientations together; without a closed form one for each."""
        return self.store.read("solutions")[:, 0]

    @property
    def manipulability(self) -> Array:
        """[voxels] the largest (Yoshikawa) of the eight orientations farthest from limits."""
        return self._layer("manipulability")

    @property
    def margin(self) -> Array:
        """[voxels] how far a solution is from the nearest limit, at most, per range of the joint [0, 0.5]."""
        return self._layer("margin")

    def reachable(self, first: int = 0, last: int | None = None) -> NDArray[np.bool_]:
        """[voxels, n] whether each orientation is reached, of the voxels from `first` to before `last`."""
        self.grid.check_range(first, self.grid.size if last is None else last)
        bits = self.store.read("reachable", first, last)
        return np.unpackbits(bits, axis=1, count=self.store.record["orientations"]).astype(bool)

    def fraction_at(self, points: ArrayLike) -> Array:
        """[N] fraction of the orientations that is reached in the voxels of points [N, 3] [m]; 0 outside."""
        checked = as_numbers(points, "`points`", "numbers [N, 3]", GoalError)
        if checked.ndim != 2 or checked.shape[1] != 3 or not np.isfinite(checked).all():
            raise GoalError(f"`points` needs numbers [N, 3], found {shortened(points)}")
        index = self.grid.index(checked)
        return np.where(index >= 0, self.fraction[index], 0.0)

    def is_reached(self, poses: ArrayLike) -> NDArray[np.bool_]:
        """[N] whether each of poses [N, 4, 4] is reached: in its voxel, in the nearest orientation."""
        targets, reached = _as_poses(poses), self._reached
        index = reached.grid.index(targets[:, :3, 3])
        return reached.at(index, reached.nearest_orientation(targets[:, :3, :3]))

    def placements(
        self, poses: ArrayLike, *, height: float = 0.0, yaws: int = 16, count: int = 5
    ) -> list[Placement]:
        """The best poses of the robot's base on the plane z = height [m], for poses [N, 4, 4].

        Those from which most poses are reached come first; of as many, those farthest from joint limits.
        Tried: every voxel's width in x and y, and so many rotations about z. As `is_reached` the answer is as
        fine as the map; `solve` says it for sure.

        Raises GoalError or SolverError for what has no meaning.
        """
        targets = _as_poses(poses)
        if not len(targets):
            raise GoalError("`poses` needs at least one pose")
        as_whole(yaws, "`yaws`", 1, SolverError, MAX_YAWS)
        as_whole(count, "`count`", 1, SolverError)
        (plane,) = as_vector([height], 1, "`height`", error=SolverError)
        return placements(self._reached, targets, float(plane), yaws, count)

    def best_slice(self, axis: int = 2) -> tuple[float, float]:
        """The slice of voxels across an axis (0, 1, 2: x, y, z) with the largest reached fraction: its
        coordinate [m], and that fraction of all orientations in it.
        """
        as_whole(axis, "`axis`", 0, SolverError, 2)
        grid = self.grid
        fraction = self.fraction.reshape(grid.shape).mean(axis=tuple({0, 1, 2} - {axis}))
        best = int(fraction.argmax())
        return grid.corner[axis] + grid.voxel * (best + 0.5), float(fraction[best])

    @property
    def _reached(self) -> ReachSlice:
        record = self.store.record
        radius = record["radius"] + float(np.linalg.norm(record["center"]))
        return ReachSlice(self.grid, self.quaternions, self.store.read("reachable"), self.margin, radius)

    def _layer(self, name: str) -> Array:
        return self.store.read(name)[:, 0].astype(np.float64)


def _as_poses(value: ArrayLike) -> Array:
    rows = as_rows_of_poses(value, "`poses`", GoalError)
    return as_poses(rows, [f"pose {k}" for k in range(len(rows))], error=GoalError)
