"""`Ground`: heights and normals under points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbik.collision.meshes import triangles_of
from limbik.errors import GoalError, is_one_of, shortened
from limbik.model.shapes import Mesh
from limbik.spatial import Array, as_number, as_numbers, as_vector, check_largest, cross, norm
from limbik.spatial import unit as unit_vectors

Up = Literal["x", "y", "z"]
Surface = Callable[[Array], tuple[Array, Array]]  # of points [n, 3]: heights [n] and normals [n, 3]

FARTHEST = 1e6  # [m] of a plane from the origin, of heights and their spacing, and of a mesh's unit
FARTHEST_POINT = 1e12  # [m] of what stands on it
SHORTEST = 1e-6  # [m] between heights
STEEP = 1e-6  # smallest part of a unit normal along up: a wall is no ground
CELLS = 4096  # of the grid over a mesh, about
OVERHEAD = 0.5  # [m] above a point up to which a surface is still under it, and not a ceiling


@dataclass(frozen=True)
class Ground:
    """A surface that feet stand on. Made by `plane`, `heightfield` and `mesh`.

    up: the axis of the world against gravity.
    """

    up: Up
    surface: Surface

    def __post_init__(self) -> None:
        _axis_index(self.up)
        if not callable(self.surface):
            raise GoalError(f"surface needs a function of points, found {shortened(self.surface)}")

    @staticmethod
    def plane(height: float = 0.0, normal: ArrayLike | None = None, *, up: Up = "y") -> Ground:
        """A plane through the point `height` [m] above the origin of the world, across a normal [3] (default:
        up), which points upwards.
        """
        k = _axis_index(up)
        level = as_number(height, "height", "a height [m]", GoalError)
        check_largest(np.array(level), FARTHEST, "height", "m", GoalError)
        upward = np.eye(3)[k] if normal is None else as_vector(normal, 3, "normal", error=GoalError)
        direction = unit_vectors(upward)
        if not direction[k] > STEEP:
            raise GoalError(f"normal needs a part along {up}, which is up, found {upward.tolist()}")
        return Ground(up, partial(_on_plane, k, level, direction))

    @staticmethod
    def heightfield(
        heights: ArrayLike, spacing: float, *, origin: ArrayLike = (0.0, 0.0), up: Up = "y"
    ) -> Ground:
        """Heights [n, m] [m] on a grid, n along the first axis of the world that is not up and m along the
        second, `spacing` [m] apart, from `origin` [2] on; in between bilinear, outside as at the edge.
        """
        k = _axis_index(up)
        needed = "an array [n, m] of finite heights in metres, n and m at least 2"
        grid = as_numbers(heights, "heights", needed, GoalError)
        if grid.ndim != 2 or min(grid.shape) < 2 or not np.isfinite(grid).all():
            raise GoalError(f"heights needs {needed}, found shape {grid.shape}")
        check_largest(grid, FARTHEST, "heights", "m", GoalError)
        needed = f"a distance [m] from {SHORTEST:g} to {FARTHEST:g}"
        step = as_number(spacing, "spacing", needed, GoalError)
        if not SHORTEST <= step <= FARTHEST:
            raise GoalError(f"spacing needs {needed}, found {step:g}")
        begin = as_vector(origin, 2, "origin", error=GoalError)
        check_largest(begin, FARTHEST, "origin", "m", GoalError)
        return Ground(up, partial(_on_grid, k, grid, step, begin))

    @staticmethod
    def mesh(
        mesh: str | PathLike[str] | tuple[ArrayLike, ArrayLike], *, up: Up = "y", unit: float = 1.0
    ) -> Ground:
        """The highest surface of triangles, up to 0.5 m above a point: what is farther up is a ceiling.

        mesh: the path of an STL, OBJ, COLLADA or PLY file, or (vertices [n, 3], faces [m, 3]). unit: [m] of
        its lengths. Where there is nothing under a point, the height is -inf.

        Raises CollisionError for a file that cannot be read and arrays of another shape, MissingExtra where
        reading needs `pip install limbik[collision]`.
        """
        k = _axis_index(up)
        needed = f"a positive number of metres, up to {FARTHEST:g}"
        metres = as_number(unit, "unit", needed, GoalError)
        if not 0.0 < metres <= FARTHEST:
            raise GoalError(f"unit needs {needed}, not {metres:g}")
        triangles = metres * _triangles(mesh)
        normals = cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        length = norm(normals)
        is_ground = np.abs(normals[:, k]) > STEEP * np.maximum(length, 1e-300)
        if not is_ground.any():
            raise GoalError(f"a mesh needs triangles that do not stand upright, {up} is up")
        normals = normals[is_ground] / length[is_ground, None]
        normals *= np.sign(normals[:, k])[:, None]
        return Ground(up, _Triangles(triangles[is_ground], normals, k))

    def under(self, points: ArrayLike) -> tuple[Array, Array]:
        """(heights [...], unit normals [..., 3]) of the ground under points [..., 3] of the world [m]."""
        needed = "points [..., 3] in metres"
        checked = as_numbers(points, "points", needed, GoalError)
        if checked.ndim == 0 or checked.shape[-1] != 3 or not np.isfinite(checked).all():
            raise GoalError(f"points needs {needed}, finite, found shape {checked.shape}")
        check_largest(checked, FARTHEST_POINT, "points", "m", GoalError)
        heights, normals = self.surface(checked.reshape(-1, 3))
        return np.asarray(heights).reshape(checked.shape[:-1]), np.asarray(normals).reshape(checked.shape)


def _on_plane(k: int, level: float, direction: Array, points: Array) -> tuple[Array, Array]:
    """Heights along axis k and normals of a plane, `level` [m] above the origin, across a unit vector."""
    beside = points @ direction - points[:, k] * direction[k]
    return level - beside / direction[k], np.broadcast_to(direction, points.shape)


def _on_grid(k: int, grid: Array, step: float, begin: Array, points: Array) -> tuple[Array, Array]:
    """Heights along axis k and normals of a grid [n, m] of heights, `step` [m] apart, from `begin` [2] on."""
    beside = np.delete(np.arange(3), k)
    last = np.array(grid.shape) - 1
    at = (points[:, beside] - begin) / step
    inside = (at >= 0.0) & (at <= last)
    at = np.clip(at, 0.0, last)
    cell = np.minimum(at.astype(np.intp), last - 1)
    (i, j), (s, t) = cell.T, (at - cell).T
    a, b, c, d = grid[i, j], grid[i + 1, j], grid[i, j + 1], grid[i + 1, j + 1]
    heights = (1 - s) * (1 - t) * a + s * (1 - t) * b + (1 - s) * t * c + s * t * d
    slopes = np.stack([(1 - t) * (b - a) + t * (d - c), (1 - s) * (c - a) + s * (d - b)], axis=-1)
    normals = np.ones_like(points)
    normals[:, beside] = -np.where(inside, slopes, 0.0) / step
    return heights, unit_vectors(normals)


class _Triangles:
    """Triangles [m, 3, 3] that vertical rays meet, by the cells of a grid on the plane across up."""

    def __init__(self, triangles: Array, normals: Array, up: int) -> None:
        self.triangles, self.normals, self.up = triangles, normals, up
        self.beside = np.delete(np.arange(3), up)
        flat = triangles[:, :, self.beside]
        self.low = flat.min(axis=(0, 1))
        size = flat.max(axis=(0, 1)) - self.low
        self.step = max(
            float(np.sqrt(size.prod() / min(CELLS, 4 * len(flat) + 1))), float(size.max()) / CELLS
        )
        self.shape = np.floor(size / self.step).astype(np.intp) + 1
        self.members, self.starts = self._by_cell(flat)

    def _by_cell(self, flat: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The triangles of each cell, one cell after the other, and where each begins."""
        first, last = self._cells(flat.min(axis=1)), self._cells(flat.max(axis=1))
        wide, high = (last - first + 1).T
        which = np.repeat(np.arange(len(flat)), wide * high)
        count = np.arange(len(which)) - np.repeat(np.cumsum(wide * high) - wide * high, wide * high)
        i, j = first[which, 0] + count // high[which], first[which, 1] + count % high[which]
        cells = i * self.shape[1] + j
        order = np.argsort(cells, kind="stable")
        starts = np.searchsorted(cells[order], np.arange(self.shape.prod() + 1))
        return which[order], starts

    def _cells(self, flat: Array) -> NDArray[np.intp]:
        cells = np.floor((flat - self.low) / self.step)
        return np.asarray(np.clip(cells, 0, self.shape - 1).astype(np.intp))

    def __call__(self, points: Array) -> tuple[Array, Array]:
        flat = points[:, self.beside]
        i, j = self._cells(flat).T
        cell = i * self.shape[1] + j
        count = self.starts[cell + 1] - self.starts[cell]
        point = np.repeat(np.arange(len(points)), count)
        offset = np.arange(len(point)) - np.repeat(np.cumsum(count) - count, count)
        triangle = self.members[self.starts[cell][point] + offset]
        met, heights = self._met(flat[point], triangle)
        # The highest that is not a ceiling; where there is none, the lowest ceiling.
        above = heights - points[point, self.up]
        rank = np.where(above <= OVERHEAD, heights, -1e6 - heights)
        rank[~met] = -np.inf
        best = np.full(len(points), -np.inf)
        np.maximum.at(best, point, rank)
        highest, normals = np.full(len(points), -np.inf), np.zeros_like(points)
        normals[:, self.up] = 1.0
        chosen = np.flatnonzero(met & (rank == best[point]))
        highest[point[chosen]] = heights[chosen]
        normals[point[chosen]] = self.normals[triangle[chosen]]
        return highest, normals

    def _met(self, flat: Array, triangle: NDArray[np.intp]) -> tuple[NDArray[np.bool_], Array]:
        """Whether vertical lines through points [n, 2] meet triangles [n], and the heights where."""
        corners = self.triangles[triangle]
        a, b, c = (corners[:, k][:, self.beside] for k in range(3))
        u, v, w = b - a, c - a, flat - a
        area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
        s = (w[:, 0] * v[:, 1] - w[:, 1] * v[:, 0]) / area
        t = (u[:, 0] * w[:, 1] - u[:, 1] * w[:, 0]) / area
        heights = corners[:, :, self.up]
        met = (s >= -1e-9) & (t >= -1e-9) & (s + t <= 1.0 + 1e-9)
        first, second, third = heights.T
        return met, first + s * (second - first) + t * (third - first)


def _triangles(mesh: Any) -> Array:
    """[m, 3, 3] of a file, or of vertices and faces."""
    if isinstance(mesh, str | PathLike):
        return triangles_of(Mesh(path=Path(mesh)))
    if not isinstance(mesh, tuple | list) or len(mesh) != 2:
        raise GoalError(f"mesh needs a file, or (vertices [n, 3], faces [m, 3]), found {shortened(mesh)}")
    return triangles_of(Mesh(vertices=mesh[0], triangles=mesh[1]))


def _axis_index(up: str) -> int:
    if not is_one_of(up, ("x", "y", "z")):
        raise GoalError(f"up needs 'x', 'y' or 'z', found {shortened(up)}")
    return "xyz".index(up)
