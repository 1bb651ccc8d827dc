"""The ground that a motion goes over on the page: level, a slope, stairs or hills, as triangles."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from limbik.app.protocol.motion import Stand
from limbik.formats.motions import Motion
from limbik.motion.body.anatomy import UPWARD
from limbik.motion.feet.ground import Ground
from limbik.spatial import Array, Matrix3

AHEAD = 0.35  # [m] of level ground before it rises
RUN = 0.3  # [m] of a step of stairs
MARGIN = 2.0  # [m] of ground around the path
WAVE = 1.6  # [m] from hill to hill
CELL = 0.1  # [m] of the triangles of hills
MAX_CELLS = 120  # along one side
SHORT = 0.3  # [m] a path so short has no direction of its own

Triangles = tuple[Array, NDArray[np.intp]]


def ground_of(motion: Motion, stand: Stand | None) -> tuple[Ground, Triangles]:
    """The ground, and vertices [n, 3] with faces [m, 3] of it, z up [m]."""
    walk = _Walk(motion)
    kind = "level" if stand is None else stand.ground
    if kind == "stairs":
        vertices, faces = _profile(walk, _stairs(walk.length, stand.rise if stand else 0.0))
    elif kind == "hills":
        vertices, faces = _hills(walk, stand.rise if stand else 0.0)
    else:
        tangent = math.tan(math.radians(stand.slope)) if stand is not None and kind == "slope" else 0.0
        rise = tangent * (walk.length + MARGIN)
        vertices, faces = _profile(walk, [(-MARGIN, 0.0), (0.0, 0.0), (walk.length + MARGIN, rise)])
    if kind == "level":
        return Ground.plane(up=motion.up), (vertices, faces)
    return Ground.mesh((vertices @ walk.upward, faces), up=motion.up), (vertices, faces)


class _Walk:
    """Where a motion goes, seen from above: begin [2], direction [2], length [m], and its width."""

    def __init__(self, motion: Motion) -> None:
        self.upward: Matrix3 = UPWARD[motion.up]
        links = [motion.model.frame_names.index(link) for link in motion.links]
        some = np.unique(np.linspace(0, len(motion) - 1, 100).astype(np.int64))
        heights = motion.model.forward(motion.q[some])[:, links][..., :3, 3] @ self.upward.T
        middle = heights.mean(axis=1)[:, :2]
        moved = middle[-1] - middle[0]
        far = float(np.hypot(*moved))
        self.direction = moved / far if far > SHORT else np.array([1.0, 0.0])
        self.begin = middle[0] + AHEAD * self.direction
        along = (heights[..., :2] - self.begin) @ self.direction
        beside = (heights[..., :2] - self.begin) @ self.left
        self.length = max(float(along.max()), 1.0)
        self.back = min(float(along.min()), 0.0) - MARGIN
        self.low, self.high = float(beside.min()) - MARGIN, float(beside.max()) + MARGIN

    @property
    def left(self) -> Array:
        return np.array([-self.direction[1], self.direction[0]])

    def placed(self, along: Array, beside: Array, heights: Array) -> Array:
        """Points [n, 3] with z up."""
        flat = self.begin + np.outer(along, self.direction) + np.outer(beside, self.left)
        return np.column_stack([flat, heights])


def _stairs(length: float, rise: float) -> list[tuple[float, float]]:
    count = min(math.ceil((length + MARGIN) / RUN), 200)
    points = [(-MARGIN, 0.0)]
    for k in range(count):
        points += [(RUN * k, rise * k), (RUN * k, rise * (k + 1))]
    return [*points, (RUN * count, rise * count)]


def _profile(walk: _Walk, points: list[tuple[float, float]]) -> Triangles:
    """A profile (along, height) [m] drawn out to both sides."""
    first = (min(points[0][0], walk.back), points[0][1])
    along, heights = np.array([first, *points[1:]]).T
    vertices = walk.placed(
        np.repeat(along, 2), np.tile([walk.low, walk.high], len(along)), np.repeat(heights, 2)
    )
    left = 2 * np.arange(len(along) - 1)
    faces = np.concatenate(
        [np.column_stack([left, left + 2, left + 1]), np.column_stack([left + 1, left + 2, left + 3])]
    )
    return vertices, faces


def _hills(walk: _Walk, rise: float) -> Triangles:
    """Waves that begin after the first metre."""
    along = _even(walk.back, walk.length + MARGIN)
    beside = _even(walk.low, walk.high)
    x, y = np.meshgrid(along, beside, indexing="ij")
    begins = np.clip(x / 1.0, 0.0, 1.0)
    heights = begins**2 * (3.0 - 2.0 * begins) * rise
    heights *= 0.5 * (1.0 - np.cos(2.0 * np.pi * x / WAVE)) * (0.75 + 0.25 * np.cos(2.0 * np.pi * y / WAVE))
    vertices = walk.placed(x.ravel(), y.ravel(), heights.ravel())
    count = len(beside)
    corner = (np.arange(len(along) - 1)[:, None] * count + np.arange(count - 1)).ravel()
    faces = np.concatenate([
        np.column_stack([corner, corner + count, corner + 1]),
        np.column_stack([corner + 1, corner + count, corner + count + 1]),
    ])  # fmt: skip
    return vertices, faces


def _even(low: float, high: float) -> Array:
    return np.linspace(low, high, min(math.ceil((high - low) / CELL), MAX_CELLS) + 1)
