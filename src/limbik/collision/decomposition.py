"""Decomposes concave meshes into convex pieces that contain them.

The surface is cut in two by a plane, each part again, always the one whose cut wins most; each piece is the
convex hull of its part of the surface. For a closed surface the hull of what lies on one side of a plane
contains the solid on that side, so the pieces contain the solid by construction, whatever the planes are. A
plane is chosen by the volume of the two hulls, after Mamou & Ghorbel (2009) and their successors.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limbik.collision.concavity import Mask, Surface, farthest
from limbik.collision.hulls import Hull, corners, hull_of
from limbik.collision.triangles import area
from limbik.locks import cached_property
from limbik.spatial import Array, Vector3

WITHIN = 5e-3  # [m] what the hull of a mesh may reach beyond it to stand for it alone
MAX_PIECES = 12
MEASURED = (2, 3, 4, 6, 8, 12)  # numbers of pieces whose overshoot is measured
LESS, MORE = 0.9, 1.2  # of the overshoot, for more pieces to be worth it, and to be abandoned
MIN_WON = 1e-2  # of the volume of the whole hull, by a cut
ANYHOW = 2  # cuts that win nothing by themselves: halves of a ring fill its hole as the whole does
FRACTIONS = np.arange(1, 8) / 8.0  # of planes along an axis
FINER = 0.05  # from the best of them to those that are tried beside it
DIRECTIONS = 100  # in which the volumes of hulls are compared
FLUSH = 1e-6  # [m] pieces that touch are taken as one
SAME_AREA = 1e-3  # by which the area of a convex mesh and that of its hull may differ


@dataclass(frozen=True, eq=False)
class Decomposition:
    """Corners of convex pieces that contain a mesh."""

    pieces: tuple[Array, ...]  # [k, 3] each
    overshoot: float  # [m] how far they reach beyond its surface, at most


def decomposed(triangles: Array) -> Decomposition:
    """Convex pieces that contain a mesh of triangles [m, 3, 3]."""
    whole = _HullPart(triangles)
    if whole.hull is None:
        return Decomposition((corners(whole.points),), 0.0)
    dent = _dent_of_convex(triangles, whole.hull)
    if dent is not None:
        return Decomposition((whole.hull.vertices,), dent)
    surface = Surface(triangles)
    overshoot = farthest(whole.hull.triangles, surface)
    if overshoot <= WITHIN:
        return Decomposition((whole.hull.vertices,), overshoot)
    parts = [whole]
    for cut in _cuts(whole):
        if len(cut) not in MEASURED:
            continue
        reached = overshoot_of(cut, surface)
        if reached < LESS * overshoot:
            parts, overshoot = cut, reached
        if overshoot <= WITHIN or reached > MORE * overshoot:  # the latter where a hollow is opened
            break
    return Decomposition(tuple(corners(part.points) for part in parts), overshoot)


def _dent_of_convex(triangles: Array, hull: Hull) -> float | None:
    """How deep inside its hull the surface of a convex mesh lies at most [m]; None for another mesh.

    A triangle is no deeper below the hull than its deepest corner below any one of the faces.
    """
    if abs(area(triangles) / area(hull.triangles) - 1.0) > SAME_AREA:
        return None
    dent = 0.0
    for some in np.array_split(triangles, 1 + len(triangles) * len(hull.planes) // 1_000_000):
        heights = some.reshape(-1, 3) @ hull.planes[:, :3].T + hull.planes[:, 3]
        below = -heights.reshape(len(some), 3, -1).min(axis=1)
        dent = max(dent, float(below.min(axis=1).max()))
    return dent if dent <= WITHIN else None


def overshoot_of(parts: Sequence[_HullPart], surface: Surface) -> float:
    """How far hulls together reach beyond a surface, at most [m]."""
    hulls = [part.hull for part in parts if part.hull is not None]
    owners = np.repeat(np.arange(len(hulls)), [len(hull.faces) for hull in hulls])

    def covered(triangles: Array, indices: NDArray[np.intp]) -> Mask:
        return _covered(hulls, triangles, owners[indices])

    return farthest(np.concatenate([hull.triangles for hull in hulls]), surface, covered) if hulls else 0.0


def _covered(hulls: Sequence[Hull], triangles: Array, owners: NDArray[np.intp]) -> Mask:
    """Which of triangles [n, 3, 3] lie wholly inside one of the hulls but their own [n], as booleans [n]."""
    covered = np.zeros(len(triangles), bool)
    low, high = triangles.min(axis=1), triangles.max(axis=1)
    for k, hull in enumerate(hulls):
        is_near = (low >= hull.vertices.min(axis=0) - FLUSH) & (high <= hull.vertices.max(axis=0) + FLUSH)
        left = ~covered & (owners != k) & is_near.all(axis=1)
        inside = hull.depths(triangles[left].reshape(-1, 3)) >= -FLUSH
        covered[left] = inside.reshape(-1, 3).all(axis=1)
    return covered


# --- cuts ---------------------------------------------------------------------------------------------------


class _HullPart:
    """A part of the surface, and its hull."""

    def __init__(self, triangles: Array) -> None:
        self.triangles = triangles
        self.points = np.unique(triangles.reshape(-1, 3), axis=0)
        self.hull = hull_of(self.points)
        self.volume = 0.0 if self.hull is None else self.hull.volume

    @cached_property
    def _reach(self) -> Array:
        """[n, DIRECTIONS] how far its points lie in each direction [m]."""
        return np.asarray(self.points @ _directions().T)

    def outermost(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Those of some points, by index, that lie farthest in many directions; all where there are few."""
        if len(rows) <= DIRECTIONS:
            return rows
        return np.unique(rows[self._reach[rows].argmax(axis=0)])


def _cuts(whole: _HullPart) -> Iterator[list[_HullPart]]:
    """All parts after one cut, after two, and so on, while a cut wins enough."""
    order = itertools.count()
    # A cut wins no more than the volume of the part: it is looked for once the part comes first.
    waiting: list[tuple[float, int, _HullPart, list[_HullPart] | None]] = []

    def wait(part: _HullPart) -> None:
        heapq.heappush(waiting, (-part.volume, next(order), part, None))

    wait(whole)
    anyhow = 0
    while len(waiting) < MAX_PIECES:
        if -waiting[0][0] > MIN_WON * whole.volume:
            _, k, part, halves = heapq.heappop(waiting)
            if halves is None:
                halves = _halves(part)
                won = part.volume - sum(half.volume for half in halves) if halves else 0.0
                heapq.heappush(waiting, (-won, k, part, halves))
                continue
        elif anyhow < ANYHOW:
            anyhow += 1
            largest = max(waiting, key=lambda entry: entry[2].volume)
            waiting.remove(largest)
            heapq.heapify(waiting)
            halves = _middle(largest[2])
        else:
            return
        for half in halves:
            wait(half)
        yield [part for _, _, part, _ in waiting]


def _middle(part: _HullPart) -> list[_HullPart]:
    """The two parts on both sides of a middle of a part: of those across the axes of the frame the one after
    which the next cuts win most.
    """
    tried: list[tuple[float, int, list[_HullPart]]] = []
    for axis in np.eye(3):
        reached = part.points @ axis
        heights = part.triangles @ axis - 0.5 * float(reached.min() + reached.max())
        halves = [
            _HullPart(half) for half in (above(part.triangles, heights), above(part.triangles, -heights))
        ]
        quarters = [_halves(half) or [half] for half in halves]
        tried.append((sum(one.volume for each in quarters for one in each), len(tried), halves))
    return min(tried)[2]


def _halves(part: _HullPart) -> list[_HullPart]:
    """The two parts on both sides of the plane whose hulls have the smallest volume; none for a flat part."""
    if part.hull is None:
        return []
    best: tuple[float, Vector3, float] | None = None
    for axis in _axes(part.hull.vertices):
        slabs = _Slabs(part, axis)
        volume, k = min((slabs.volumes(k), k) for k in range(1, len(slabs.heights), 3))
        volume, k = min((volume, k), *((slabs.volumes(near), near) for near in (k - 1, k + 1)))
        if best is None or volume < best[0]:
            best = volume, axis, float(slabs.heights[k])
    assert best is not None, "there are axes"
    _, axis, height = best
    heights = part.triangles @ axis - height
    halves = [above(part.triangles, heights), above(part.triangles, -heights)]
    return [_HullPart(half) for half in halves] if all(map(len, halves)) else []


def _axes(vertices: Array) -> Array:
    """Those of the frame, and the principal ones of a hull [6, 3]."""
    _, _, principal = np.linalg.svd(vertices - vertices.mean(axis=0), full_matrices=False)
    return np.concatenate([np.eye(3), principal])


class _Slabs:
    """The points of a part between planes across an axis, those of `FRACTIONS` and one to either side."""

    def __init__(self, part: _HullPart, axis: Vector3) -> None:
        assert part.hull is not None, "a flat part is not cut"
        self.part = part
        heights = part.hull.vertices @ axis
        fractions = np.add.outer(FRACTIONS, (-FINER, 0.0, FINER)).ravel()
        self.heights = heights.min() + fractions * np.ptp(heights)
        self.triangle_heights = part.triangles @ axis
        own = part.points @ axis
        # Twice the index of the next plane above; one more for points on a plane, which are on both sides.
        slabs = np.searchsorted(self.heights, own, "left") + np.searchsorted(self.heights, own, "right")
        order = np.argsort(slabs, kind="stable")
        ends = np.searchsorted(slabs[order], np.arange(2 * len(self.heights) + 2))
        self.outermost = [part.outermost(order[a:b]) for a, b in itertools.pairwise(ends)]

    def volumes(self, k: int) -> float:
        """Of the hulls on both sides of plane k together, or a little less [m^3]."""
        crossing = _crossings(self.part.triangles, self.triangle_heights - self.heights[k])
        on_plane = 2 * k + 1
        sides = self.outermost[on_plane:], self.outermost[: on_plane + 1]
        return sum(
            _volume(_outermost(np.concatenate([self.part.points[np.concatenate(side)], crossing])))
            for side in sides
        )


def _outermost(points: Array) -> Array:
    """Those of points [n, 3] that lie farthest in many directions; all where there are few."""
    directions = _directions()
    if len(points) <= len(directions):
        return points
    return np.asarray(points[np.unique((points @ directions.T).argmax(axis=0))])


@functools.cache
def _directions() -> Array:
    """[DIRECTIONS, 3] evenly over the sphere, by the golden angle."""
    heights = 1.0 - 2.0 * (np.arange(DIRECTIONS) + 0.5) / DIRECTIONS
    angles = math.pi * (3.0 - math.sqrt(5.0)) * np.arange(DIRECTIONS)
    radii = np.sqrt(1.0 - heights**2)
    return np.stack([radii * np.cos(angles), radii * np.sin(angles), heights], axis=1)


def _volume(points: Array) -> float:
    from scipy.spatial import ConvexHull, QhullError

    try:
        return float(ConvexHull(points).volume) if len(points) > 3 else 0.0
    except QhullError:  # flat
        return 0.0


def _crossings(triangles: Array, heights: Array) -> Array:
    """Where the edges of triangles cross height 0: [k, 3]."""
    crossing = []
    for a, b in ((0, 1), (1, 2), (2, 0)):
        does = heights[:, a] * heights[:, b] < 0.0
        crossing.append(_crossing(triangles[does], heights[does], a, b))
    return np.concatenate(crossing)


def _crossing(triangles: Array, heights: Array, a: int, b: int) -> Array:
    fraction = heights[:, a] / (heights[:, a] - heights[:, b])
    return np.asarray(triangles[:, a] + fraction[:, None] * (triangles[:, b] - triangles[:, a]))


def above(triangles: Array, heights: Array) -> Array:
    """What of triangles [m, 3, 3] lies where heights, of their corners [m, 3], are at least 0: [k, 3, 3]."""
    inside = heights >= 0.0
    count = inside.sum(axis=1)
    triangles_inside = [triangles[count == 3]]
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        alone = (count == 1) & inside[:, k]
        a, h = triangles[alone], heights[alone]
        triangles_inside.append(np.stack([a[:, k], _crossing(a, h, k, i), _crossing(a, h, k, j)], axis=1))
        missing = (count == 2) & ~inside[:, k]
        a, h = triangles[missing], heights[missing]
        first, last = _crossing(a, h, k, i), _crossing(a, h, k, j)
        triangles_inside.append(np.stack([first, a[:, i], a[:, j]], axis=1))
        triangles_inside.append(np.stack([first, a[:, j], last], axis=1))
    return np.concatenate(triangles_inside)
