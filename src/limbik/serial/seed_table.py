"""Seed tables: start configurations by the pose to which they bring the tool.

A first revolute joint turns the whole chain about its axis and a last revolute joint turns the tool about its
own z: both are solved in closed form, and a pose is left with four numbers: how far the last axis passes from
the first one, how high, and its direction (two numbers) as seen from the first axis. A grid over these holds
a few configurations in every cell. Prismatic joints along the first revolute joint's axis before it only
change the height. A chain that begins otherwise has no such symmetry, and its key keeps five numbers: the
point itself and the direction.

The functions of a single pose are written on scalars, as `serial.step` is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from limbik.compiler.symbols import (
    Scalar,
    Scalars,
    absolute,
    cross,
    dot,
    floor,
    larger,
    polynomial,
    select,
    smaller,
    sqrt,
)
from limbik.serial.step import JointFrame, LinkRow, SerialTuning, frames
from limbik.spatial import Array

CANDIDATES = 8  # configurations in a cell
METRES_PER_RADIAN = 0.2  # in the distance between keys
SAMPLES = 200_000
CHUNK = 8192  # samples at a time: their numbers stay in the processor's cache
MARGIN = 0.15  # [rad] from the limits; cells are filled with configurations inside it first
FULL_TURN = 2.0 * math.pi
OUTSIDE = 10.0  # added to the distance of a candidate whose closed-form joints are outside their limits

# atan(x) / x in x^2 on [0, 1]; error 5e-7
ATAN = (0.007825573523317747, -0.03689905014597992, 0.08374224082203761, -0.13480456153301773,
        0.1987988966588846, -0.33326377056612294, 0.9999993288640585)  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """What decides how a chain is keyed."""

    kinds: str  # of the joints, in order: R (revolute joint) or P (slide)
    base_yaw: int | None  # the first revolute joint, where all before it are slides along its axis

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.kinds)

    @property
    def stem(self) -> str:
        """A short name for files."""
        return f"{self.kinds}-{self.base_yaw}"

    @property
    def tool_roll(self) -> int | None:
        """The last joint, where it turns the tool about its z and is not the base yaw joint."""
        return self.n - 1 if self.kinds[-1] == "R" and self.base_yaw != self.n - 1 else None

    @property
    def middle(self) -> tuple[int, ...]:
        """The joints that a candidate holds: all but those found in closed form."""
        return tuple(i for i in range(self.n) if i not in (self.base_yaw, self.tool_roll))

    @property
    def divisions(self) -> tuple[int, ...]:
        """Cells along each number of the key."""
        return (8, 8, 8, 8) if self.base_yaw is not None else (8, 8, 8, 5, 5)

    @property
    def cells(self) -> int:
        """Number of cells."""
        return math.prod(self.divisions)

    @property
    def depth(self) -> int:
        """Numbers of one candidate: heading, x axis of the tool, key, middle joints."""
        return HELD + len(self.middle)


KEY = 6  # numbers by which keys are compared: a point and a direction
HELD = 4 + KEY  # where the middle joints begin in a candidate


class Key(NamedTuple):
    """A pose without what the base yaw joint and the tool roll joint can do."""

    heading: Scalar  # [rad] of the last axis about the first
    point: Scalars  # [3] on the last axis: out, across and up, as seen along the heading
    direction: Scalars  # [3] of the last axis, likewise
    across: Scalars  # [3] the tool's x axis, likewise


def key(pose: JointFrame, last: LinkRow, shape: Shape) -> Key:
    """The key of the pose of the chain's last frame, as seen from the base yaw joint."""
    spins = 0.0 if shape.tool_roll is None else 1.0
    point = [
        p - (last.a * spins) * x - (last.d * spins) * z
        for p, x, z in zip(pose.origin, pose.x, pose.z, strict=True)
    ]
    if shape.base_yaw is None:
        return Key(0.0, point, pose.z, pose.x)
    ahead = point[0] + 1e-12  # on the first axis itself, straight ahead
    radius = sqrt(ahead * ahead + point[1] * point[1] + 1e-30)
    c, s = ahead / radius, point[1] / radius
    return Key(
        arctangent(s, c), [radius, 0.0, point[2]], _seen_along(c, s, pose.z), _seen_along(c, s, pose.x)
    )


def cell(at: Key, origin: Scalars, scale: Scalars, shape: Shape) -> Scalar:
    """The number of a key's cell in a grid with an origin [3] and one over its extents [3]."""
    out, across, up = ((at.point[i] - origin[i]) * scale[i] for i in range(3))
    coordinates = (out, up) if shape.base_yaw is not None else (out, across, up)
    index: Scalar = 0.0
    for value, count in zip([*coordinates, *_unfolded(at.direction)], shape.divisions, strict=True):
        index = index * float(count) + floor(smaller(larger(value, 0.0), 0.9999) * float(count))
    return index


def completed(candidate: Scalars, at: Key, bounds: Scalars) -> tuple[Scalar, Scalar, Scalar]:
    """A candidate's base yaw and tool roll, and `OUTSIDE` or 0.

    candidate: its heading, then its across [3]. bounds: of these two joints lower [2], middle [2], upper [2].
    """
    lower, middle, upper = bounds[:2], bounds[2:4], bounds[4:]
    heading, across = candidate[0], candidate[1:4]
    turn = toward(at.heading - heading, middle[0])
    z = at.direction
    spin = toward(arctangent(dot(z, cross(across, at.across)), dot(across, at.across)), middle[1])
    outside = ((turn < lower[0]) | (turn > upper[0])) | ((spin < lower[1]) | (spin > upper[1]))
    return (
        larger(smaller(turn, upper[0]), lower[0]),
        larger(smaller(spin, upper[1]), lower[1]),
        select(outside, OUTSIDE, 0.0),
    )


def apart(candidate: Scalars, at: Key) -> Scalar:
    """The squared distance of a candidate's key from another one."""
    differences = [a - b for a, b in zip(candidate[4 : 4 + KEY], compared(at), strict=True)]
    return dot(differences, differences)


def compared(at: Key) -> list[Scalar]:
    """The numbers by which keys are compared [m]."""
    return [*at.point, *(METRES_PER_RADIAN * value for value in at.direction)]


def toward(angle: Scalar, middle: Scalar) -> Scalar:
    """The same heading within half a turn of another one."""
    return angle + FULL_TURN * floor((middle - angle) * (1.0 / FULL_TURN) + 0.5)


def arctangent(y: Scalar, x: Scalar) -> Scalar:
    """The angle [rad] of (x, y), to 1e-6."""
    high, low = larger(absolute(x), absolute(y)), smaller(absolute(x), absolute(y))
    ratio = low / (high + 1e-30)
    angle = polynomial(ATAN, ratio * ratio) * ratio
    angle = select(absolute(y) > absolute(x), 0.5 * math.pi - angle, angle)
    angle = select(x < 0.0, math.pi - angle, angle)
    return select(y < 0.0, -angle, angle)


def _seen_along(c: Scalar, s: Scalar, vector: Scalars) -> list[Scalar]:
    return [c * vector[0] + s * vector[1], c * vector[1] - s * vector[0], vector[2]]


def _unfolded(direction: Scalars) -> list[Scalar]:
    """A direction as two numbers from 0 to 1: the octahedron, folded open (Meyer et al. 2010)."""
    x, y, z = direction
    scale = 1.0 / (absolute(x) + absolute(y) + absolute(z) + 1e-30)
    u, v = x * scale, y * scale
    folded_u = (1.0 - absolute(v)) * select(u < 0.0, -1.0, 1.0)
    folded_v = (1.0 - absolute(u)) * select(v < 0.0, -1.0, 1.0)
    return [
        0.5 + 0.5 * select(z < 0.0, folded_u, u),
        0.5 + 0.5 * select(z < 0.0, folded_v, v),
    ]


@dataclass(frozen=True, eq=False)
class SeedTable:
    """Candidates by cell, and the grid."""

    candidates: np.ndarray  # [cells, depth, CANDIDATES] of float32
    origin: Array  # [3] of the grid, along the numbers of the point
    scale: Array  # [3] one over its extents


def build(
    rows: Array, before: JointFrame, shape: Shape, lower: Array, upper: Array, circular: np.ndarray
) -> SeedTable:
    """The table of a chain; the same every time.

    rows:
        [n, 5] as in `serial.step.LinkRow`.
    before:
        The first row's frame as seen from the base yaw joint.
    lower, upper:
        [n] finite bounds of the samples.
    circular:
        [n] whether a joint has no limits.
    """
    n, rng = shape.n, np.random.default_rng(1)
    chain = [
        LinkRow._make([*map(float, row), 1.0 if kind == "R" else 0.0])
        for row, kind in zip(rows, shape.kinds, strict=True)
    ]
    held = list(shape.middle)
    chosen_samples = np.empty((shape.depth, SAMPLES), np.float32)
    margin = np.empty(SAMPLES, np.float32)
    limited = [
        i for i in held if not circular[i] and shape.kinds[i] == "R" and upper[i] - lower[i] > 2 * MARGIN
    ]
    single = SerialTuning(single=True)
    for begin in range(0, SAMPLES, CHUNK):
        chunk = slice(begin, min(begin + CHUNK, SAMPLES))
        x = np.zeros((n, chunk.stop - chunk.start), np.float32)
        x[held] = lower[held, None] + (upper - lower)[held, None] * rng.random(
            (len(held), x.shape[1]), np.float32
        )
        pose, _ = frames(list(x), before, chain, single)
        at = key(pose, chain[-1], shape)
        chosen_samples[0, chunk] = at.heading
        for k, values in enumerate((*at.across, *compared(at), *x[held]), start=1):
            chosen_samples[k, chunk] = values
        inside = np.minimum(x - lower[:, None], upper[:, None] - x)[limited]
        margin[chunk] = inside.min(axis=0, initial=math.inf)
    # The point's numbers stand in `chosen_samples` behind heading and x axis.
    low, high = chosen_samples[4:7].min(axis=1), chosen_samples[4:7].max(axis=1)
    scale = 1.0 / (high - low + 1e-9)
    at = Key(0.0, list(chosen_samples[4:7]), list(chosen_samples[7:10] / METRES_PER_RADIAN), ())
    cells = cell(at, list(map(float, low)), list(map(float, scale)), shape).astype(np.uint16)
    return SeedTable(
        _filed(chosen_samples, cells, margin < MARGIN, shape), low.astype(float), scale.astype(float)
    )


def _filed(samples: np.ndarray, cells: np.ndarray, late: np.ndarray, shape: Shape) -> np.ndarray:
    """Candidates by cell, as they came, those near a limit last; empty cells have their neighbours'."""
    order = np.concatenate([np.flatnonzero(~late), np.flatnonzero(late)])
    order = order[np.argsort(cells[order], kind="stable")]
    count = np.bincount(cells, minlength=shape.cells)
    first = np.cumsum(count) - count
    full = _nearest_filled(count, shape.divisions)
    rank = np.arange(CANDIDATES)[None, :] % np.maximum(count[full], 1)[:, None]
    chosen = order[first[full][:, None] + rank]  # [cells, CANDIDATES]
    return np.ascontiguousarray(samples[:, chosen].transpose(1, 0, 2))


def _nearest_filled(count: np.ndarray, divisions: tuple[int, ...]) -> np.ndarray:
    """For every cell itself, or a filled one near it."""
    number = np.where(count > 0, np.arange(count.size), -1).reshape(divisions)
    while (number < 0).any():
        for axis in range(number.ndim):
            for shift in (1, -1):
                neighbour = np.roll(number, shift, axis)
                edge = [slice(None)] * number.ndim
                edge[axis] = slice(0, 1) if shift == 1 else slice(-1, None)
                neighbour[tuple(edge)] = -1
                number = np.where(number < 0, neighbour, number)
    return np.asarray(number.ravel())
