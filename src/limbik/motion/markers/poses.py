"""Solves a marked body for its markers in each frame, and rejects wrong markers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbik.goals import Position
from limbik.model import Model
from limbik.motion.markers.marked_body import MarkedBody
from limbik.motion.rest_goal import Steady
from limbik.solvers.stepper import Stepper
from limbik.spatial import Array, norm
from limbik.tree.residuals import TARGET_SIZE

UNSEEN = 1e-9  # weight of a marker that does not count
SETTLING = 20  # steps in the first frame
SUSPECT = 0.5  # of what makes a marker doubtful: the others have been drawn along by one that is off more
REWEIGHTED = 4  # times in a frame with a marker that is far off
BETTER = 0.5  # of what two markers were off, what they are at most when they have changed names


class FittedFrame(NamedTuple):
    """A frame."""

    q: Array  # [nq]
    positions: Array  # [M, 3] [m] of the markers, with the right names; nan where they do not count
    off: Array  # [M] [m] of them
    swapped: tuple[tuple[int, int], ...]
    ghosts: tuple[int, ...]


class PoseSolver:
    """Poses of one frame after the other: the smallest squared distances of markers.

    model: of the body with its markers. doubtful [M]: [m] beyond which a marker may be wrong. iterations: of
    a step at most. weight: of a radian beside a metre of a marker, by which joints stay where they were.
    fraction: of the change to the start of the body that they go meanwhile.

    Errors are counted along the axes of the markers' frames: so the solve leaves the second derivatives of
    the markers' positions aside (Gauss and Newton), which converges faster where errors are small.
    """

    def __init__(
        self,
        body: MarkedBody,
        model: Model,
        doubtful: Array,
        iterations: int,
        weight: float,
        fraction: float,
    ) -> None:
        names = body.names
        free = [joint.name for joint in model.path(body.base)]
        self._steady = Steady(model, weight, body.start, fraction, free)
        goals = [Position(frame=name, target=np.zeros(3), axes="frame") for name in names]
        self._plan = Stepper(model, [*goals, *self._steady.goals], iterations=iterations)
        self._targets = np.zeros((len(self._plan.tasks), TARGET_SIZE))
        self._targets[: len(names), 3:] = np.eye(3).ravel()
        self._factors = np.ones(len(self._plan.tasks))
        self._count, self._doubtful = len(names), doubtful
        self._model, self._names = model, names

    def first(self, positions: Array, q: Array) -> Array:
        """The pose [nq] of a frame from one that may be far away."""
        for _ in range(SETTLING):
            before, q = q, self.step(positions, np.isfinite(positions[:, 0]).astype(np.float64), q, q)
            if float(np.abs(q - before).max()) < 1e-6:
                break
        return q

    def step(self, positions: Array, weights: Array, start: Array, last: Array) -> Array:
        """The pose [nq] by positions [M, 3] with weights [M], from a start; joints stay near the last."""
        self._targets[: self._count, :3] = np.where(weights[:, None] > 0.0, positions, 0.0)
        self._steady.write(last, self._targets[self._count :])
        self._factors[: self._count] = np.maximum(weights, UNSEEN)
        self._plan.weigh(self._factors)
        return self._plan.step(self._targets, start)

    @property
    def off(self) -> Array:
        """[M] how far each marker is from its position [m]."""
        return self._plan.off[: self._count]

    def found(self, positions: Array, start: Array, last: Array) -> FittedFrame:
        """A frame with positions [M, 3], nan where a marker is not seen; as `step`, or `last` without any."""
        seen = np.isfinite(positions[:, 0])
        if not seen.any():
            return FittedFrame(last, positions, np.full(len(seen), np.nan), (), ())
        near = self.step(positions, seen.astype(np.float64), start, last)
        off = np.where(seen, self.off, np.nan)
        if not (off > SUSPECT * self._doubtful).any():
            return FittedFrame(near, positions, off, (), ())
        return self._sorted_out(positions, seen, start, last)

    def _sorted_out(
        self, positions: Array, seen: NDArray[np.bool_], start: Array, last: Array
    ) -> FittedFrame:
        """A frame in which markers are off: weights that fall with the distance (Geman & McClure 1987) leave
        them aside; two that suit each other's position have changed names, the others are ghosts.

        The first distances are those from the start, which no wrong marker has drawn aside.
        """
        q = self._reweighted(positions, seen, start, last)
        swapped = self._swaps(positions, self._predicted(q))
        if swapped:
            positions = positions.copy()
            for first, second in swapped:
                positions[[first, second]] = positions[[second, first]]
            q = self._reweighted(positions, seen, q, last)
        ghosts = np.flatnonzero(norm(positions - self._predicted(q)) > self._doubtful)
        counted = seen.astype(np.float64)
        counted[ghosts] = 0.0
        positions = np.where(counted[:, None] > 0.0, positions, np.nan)
        q = self.step(positions, counted, q, last)
        off = np.where(counted > 0.0, self.off, np.nan)
        return FittedFrame(q, positions, off, tuple(swapped), tuple(ghosts.tolist()))

    def _reweighted(self, positions: Array, seen: NDArray[np.bool_], q: Array, last: Array) -> Array:
        """The pose [nq] near q in which markers count the less the farther they are off."""
        for _ in range(REWEIGHTED):
            off = np.where(seen, norm(positions - self._predicted(q)), 0.0)
            q = self.step(positions, np.where(seen, 1.0 / (1.0 + (off / self._doubtful) ** 2), 0.0), q, last)
        return q

    def _predicted(self, q: Array) -> Array:
        """[M, 3] where markers belong at q [nq]."""
        return np.asarray(self._model.poses(q, self._names)[:, :3, 3])

    def _swaps(self, positions: Array, predicted: Array) -> list[tuple[int, int]]:
        """Pairs of markers that are each where the other one belongs."""
        apart = norm(positions[:, None] - predicted[None])  # [seen, belongs]
        off = np.diagonal(apart)
        suspects = np.flatnonzero(off > self._doubtful).tolist()
        pairs: list[tuple[float, int, int]] = []
        for k, first in enumerate(suspects):
            for second in suspects[k + 1 :]:
                crossed = apart[first, second] + apart[second, first]
                if crossed < BETTER * (off[first] + off[second]):
                    pairs.append((float(crossed), first, second))
        taken: set[int] = set()
        chosen: list[tuple[int, int]] = []
        for _, first, second in sorted(pairs):
            if not {first, second} & taken:
                taken |= {first, second}
                chosen.append((first, second))
        return chosen
