"""Predicts a hidden marker from its own trajectory, or from markers around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbik.spatial import Array, dot

MIN = 3  # neighbours that have axes
CORE, MAX = 4, 12  # neighbours that the axes are of, and that a regression looks at
FAR = 0.02  # by how much of its distance a neighbour counts as less steady
STEADIEST = 0.003  # [m] below which all neighbours count as equally steady
OFTEN = 0.9  # of the frames in which a neighbour is seen
NOISE = 5e-4  # [m] of the positions of neighbours
NEARNESS = 0.2  # [m] at which weights of neighbours fall
MIN_WEIGHT = 1e-3  # of a neighbour, below which it says nothing: that of one 0.74 m away
VARIANCE = 0.999  # of the variance, which principal components are to hold
SHAPED = 100  # frames, about, that the shape of neighbours is the mean of
KNOTS = 20  # of a spline on either side of a hole: from one to the next their influence falls to a quarter


class Hole(NamedTuple):
    """Frames of a marker that are to be found, and those that may be looked at."""

    first: int
    stop: int
    known: NDArray[np.bool_]  # [T] where the marker is to be learned from
    has_before: bool  # whether frame first - 1 is one of them
    has_after: bool  # whether frame stop is one of them

    @property
    def frames(self) -> NDArray[np.int64]:
        return np.arange(self.first, self.stop)

    @property
    def with_ends(self) -> slice:
        """Its frames, and those of the two next to it that are known."""
        return slice(self.first - self.has_before, self.stop + self.has_after)


Predictor = Callable[[Hole], Array]  # -> [stop - first, 3] [m], nan where it cannot tell


def predictors(positions: Array, marker: int, hole: Hole) -> Mapping[str, Predictor]:
    """The methods for a hole of a marker in positions [T, M, 3], as far as there is what they need.

    Those that look at neighbours look at the same ones, those of this hole, for any hole of its length.
    """
    own = positions[:, marker]
    methods: dict[str, Predictor] = {}
    if hole.has_before and hole.has_after:
        methods |= {"linear": lambda hole: linear(own, hole), "spline": lambda hole: spline(own, hole)}
    near, distances, spreads = neighbours(positions, marker, hole)
    if len(near) >= MIN:
        axes = LocalAxes(positions[:, near[:CORE]], 1.0 / np.maximum(spreads[:CORE], STEADIEST) ** 2)
        here = axes.to_local(own[:, None])[:, 0]
        # Those of less weight are scaled down, so that they are shrunk away first.
        weights = np.exp(-distances[:MAX] / NEARNESS)
        some = Rows(axes.to_local(positions[:, near[:MAX]]), weights, here, hole.known)
        falling = np.exp(-0.5 * (distances / NEARNESS) ** 2)
        heavy = falling >= min(MIN_WEIGHT, np.sort(falling)[-MIN])
        middle = positions[:, near].mean(axis=1)
        around = positions[:, near[heavy]] - middle[:, None]
        whole = Rows(around, falling[heavy], own - middle, hole.known)
        methods |= {
            "rigid": lambda hole: bridged(own, axes.to_world(rigid(here, hole), hole), hole),
            "regression": lambda hole: bridged(own, axes.to_world(regression(some, hole), hole), hole),
            "pca": lambda hole: bridged(own, middle[hole.with_ends] + pca(whole, hole), hole),
        }
    return methods


# --- by its own trajectory ----------------------------------------------------------------------------------


def linear(own: Array, hole: Hole) -> Array:
    """A straight line from the last position that is known to the next one."""
    times = np.flatnonzero(hole.known)
    return np.stack([np.interp(hole.frames, times, own[times, axis]) for axis in range(3)], axis=-1)


def spline(own: Array, hole: Hole) -> Array:
    """A cubic spline through the positions that are known; those farther off than KNOTS change nothing.

    As SciPy's `CubicSpline` (the first two pieces are one polynomial, and so are the last two), without the
    0.4 s of its import.
    """
    times = np.flatnonzero(hole.known)
    if len(times) < 4:
        return linear(own, hole)
    behind = int(np.searchsorted(times, hole.first))
    k = min(behind, KNOTS)  # the hole is in the piece from k - 1 to k
    times = times[behind - k : behind + KNOTS]
    steps = np.diff(times).astype(float)
    # Rows of the second derivatives: continuous slopes inside, one polynomial at either end.
    A = np.zeros((len(times), len(times)))
    inside = np.arange(1, len(times) - 1)
    A[inside, inside] = 2.0 * (steps[:-1] + steps[1:])
    A[inside, inside + 1], A[inside, inside - 1] = steps[1:], steps[:-1]
    A[0, :3] = steps[1], -steps[0] - steps[1], steps[0]
    A[-1, -3:] = steps[-1], -steps[-2] - steps[-1], steps[-2]
    b = np.zeros((len(times), 3))
    b[1:-1] = np.diff(np.diff(own[times], axis=0) / steps[:, None], axis=0)
    bend, next_bend = np.linalg.solve(A, b)[k - 1 : k + 1]  # a sixth of them
    step, left = steps[k - 1], (hole.frames - times[k - 1])[:, None]
    right = step - left
    straight = (own[times[k - 1]] * right + own[times[k]] * left) / step
    bent = bend * (right**3 / step - step * right) + next_bend * (left**3 / step - step * left)
    return np.asarray(straight + bent)


# --- by its neighbours --------------------------------------------------------------------------------------


def neighbours(positions: Array, marker: int, hole: Hole) -> tuple[NDArray[np.int64], Array, Array]:
    """The markers that are seen throughout a hole and in most other frames, sorted by how much their distance
    from the marker varies. Then their mean distances and the standard deviations of these [m]."""
    seen = np.isfinite(positions[..., 0])
    usual = seen[hole.known].mean(axis=0) >= OFTEN if hole.known.any() else np.zeros(positions.shape[1], bool)
    usual[marker] = False
    near = np.flatnonzero(usual & seen[hole.with_ends].all(axis=0))
    away = positions[hole.known][:, near] - positions[hole.known][:, marker, None]
    apart = np.sqrt(dot(away, away))
    distances = np.nanmean(apart, axis=0)
    spreads = np.sqrt(np.nanmean(np.square(apart - distances), axis=0))
    order = np.argsort(spreads + FAR * distances)
    return near[order], distances[order], spreads[order]


class LocalAxes:
    """Axes that move with markers [T, K, 3] (Kabsch 1976), weighted by `weights` [K]."""

    def __init__(self, markers: Array, weights: Array) -> None:
        weights = weights / weights.sum()
        middle = np.einsum("k,tkj->tj", weights, markers)
        around = markers - middle[:, None]
        whole = np.isfinite(around).all(axis=(1, 2))
        seen = around[whole]
        some = seen[:: len(seen) // SHAPED + 1]  # the mean of these is the shape that all are turned to
        turned = rotations_of(seen[len(seen) // 2], some, weights)
        shape = np.einsum("tij,tki->tkj", turned, some).mean(axis=0)
        self.origin = middle
        self.rotation = np.full((len(markers), 3, 3), np.nan)
        self.rotation[whole] = rotations_of(shape, seen, weights)

    def to_local(self, positions: Array) -> Array:
        """Positions [T, K, 3] of the world along these axes."""
        return np.asarray((positions - self.origin[:, None]) @ self.rotation)

    def to_world(self, positions: Array, hole: Hole) -> Array:
        """Positions along these axes in a hole and at its ends [n, 3] in the world."""
        frames = hole.with_ends
        return np.asarray((self.rotation[frames] @ positions[..., None])[..., 0] + self.origin[frames])


def rotations_of(shape: Array, around: Array, weights: Array) -> Array:
    """Rotations [T, 3, 3] that bring a shape [K, 3] nearest to positions [T, K, 3], about their middle."""
    left, _, right = np.linalg.svd(np.einsum("k,tki,kj->tij", weights, around, shape))
    left[:, :, 2] *= np.sign(np.linalg.det(left @ right))[:, None]
    return np.asarray(left @ right)


def rigid(own: Array, hole: Hole) -> Array:
    """[n, 3] the marker stays at its mean position along axes that move with its neighbours."""
    positions = own[hole.known & np.isfinite(own).all(axis=1)]
    mean = positions.mean(axis=0) if len(positions) else np.full(3, np.nan)
    return np.broadcast_to(mean, own[hole.with_ends].shape)


class Rows:
    """The numbers of neighbours [T, 3 K] that a marker [T, 3] is predicted from, times their weights [K].

    known [T]: where the marker is to be learned from. The sums over all these frames are made once; for a
    hole, its own frames are taken off.
    """

    def __init__(self, neighbours: Array, weights: Array, own: Array, known: NDArray[np.bool_]) -> None:
        self.numbers = (neighbours * weights[:, None]).reshape(len(neighbours), -1)
        both = np.concatenate([self.numbers, own], axis=1)
        self._learned = known & np.isfinite(both).all(axis=1)
        seen = both[self._learned]
        self._middle = seen.mean(axis=0) if len(seen) else np.zeros(both.shape[1])
        self._both = both - self._middle
        seen = self._both[self._learned]
        self._products = seen.T @ seen

    def moments(self, hole: Hole) -> tuple[int, Array, Array]:
        """How many frames are learned from where there is a hole, the mean of the numbers and the marker in
        these [3 K + 3], and the sums of products of their distances from it [3 K + 3, 3 K + 3].
        """
        lost = self._both[self._learned & ~hole.known]
        count = int(self._learned.sum()) - len(lost)
        mean = -lost.sum(axis=0) / max(count, 1)  # all together have a mean of zero
        products = self._products - lost.T @ lost - count * np.outer(mean, mean)
        return count, self._middle + mean, products


def regression(some: Rows, hole: Hole) -> Array:
    """[n, 3] by ridge regression (Hoerl & Kennard 1970) on neighbours, all along the same axes."""
    numbers = some.numbers[hole.with_ends]
    count, mean, products = some.moments(hole)
    if not count:
        return np.full((len(numbers), 3), np.nan)
    AA, Ab = products[:-3, :-3], products[:-3, -3:]
    damping = NOISE**2 * count * np.eye(len(AA))
    return np.asarray(mean[-3:] + (numbers - mean[:-3]) @ np.linalg.solve(AA + damping, Ab))


def pca(whole: Rows, hole: Hole) -> Array:
    """[n, 3] by principal components of all markers, weighted by nearness (Federolf 2013; Gløersen &
    Federolf 2016): the scores that neighbours have give the marker's position, all from their middle."""
    numbers = whole.numbers[hole.with_ends]
    count, mean, products = whole.moments(hole)
    if not count:
        return np.full((len(numbers), 3), np.nan)
    variances, components = np.linalg.eigh(products)
    variance_fractions = np.cumsum(variances[::-1]) / max(float(variances.sum()), np.finfo(float).tiny)
    main = components.T[::-1][: int(np.searchsorted(variance_fractions, VARIANCE)) + 1]
    others, mine = main[:, :-3], main[:, -3:]
    # pinv(others) @ mine, since the rows of both together are orthonormal.
    left, axes = np.linalg.eigh(np.eye(3) - mine.T @ mine)
    inverse = np.where(left > 1e-12 * left[-1], 1.0 / np.where(left > 0.0, left, 1.0), 0.0)
    scores = (numbers - mean[:-3]) @ others.T
    return np.asarray(mean[-3:] + scores @ mine @ (axes * inverse @ axes.T))


def bridged(own: Array, predicted: Array, hole: Hole) -> Array:
    """What is predicted [n, 3] in a hole and at its ends, moved so that it joins what is known there."""
    inside = predicted[hole.has_before : len(predicted) - hole.has_after]
    before = own[hole.first - 1] - predicted[0] if hole.has_before else None
    after = own[hole.stop] - predicted[-1] if hole.has_after else before
    if after is None:
        return inside
    before = after if before is None else before
    fraction = ((hole.frames - hole.first + 1) / (len(hole.frames) + 1))[:, None]
    return np.asarray(inside + (1.0 - fraction) * before + fraction * after)
