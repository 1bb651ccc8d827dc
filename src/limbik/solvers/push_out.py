"""Out of collision, with the goals kept: near pairs of bodies push, below the goals.

Each step first does what the goals ask for; in what that leaves free it is the shortest with which the pairs
come as far apart as they should be, or as near to that as can be, within the limits of the joints. That is a
small quadratic program, with a row for each near pair (`numerics.least_change`).
"""

from __future__ import annotations

import numpy as np

from limbik.collision.checker import Checker
from limbik.model.model import Model
from limbik.numerics.least_change import least_change
from limbik.solvers import measure
from limbik.solvers.request import Request
from limbik.spatial import Array

STEPS = 30
STALLED = 10  # steps without a gain end it
GAIN = 0.9  # of the least that was missing [m, and half reaches]
LONGEST = 0.3  # [rad, and half reaches] of a step in any joint
HORIZON = 0.05  # [m] beyond the clearance, within which pairs count
ROOM = 1e-3  # [m] more than the clearance that is aimed at
MET = 1e-4  # [rad, and half reaches] of the goals' error, near enough for a last solve
DAMPING = 1e-6  # of the goals' rows
HARD = 1e-9  # the same of a limit's row
SOFTNESS = 1e-4  # of a pair's row: how much of a gap is left where rows contradict each other


class PushOut:
    """Pushes configurations of one request out of collision.

    moving [nv]: what may move.
    """

    def __init__(self, request: Request, checker: Checker, clearance: float, moving: Array) -> None:
        self._request, self._checker, self._clearance = request, checker, clearance
        self._model: Model = request.model
        self._length = measure.half_reach(request)
        self._units = moving * _units(self._model, self._length)
        self._is_limited = bool(request.options.get("limits", True))
        scalars = (each for each in self._model.coordinates if not each.is_rotation)
        numbers = [each for each in scalars if self._units[each.v] > 0.0]
        self._q = np.array([each.q for each in numbers], np.intp)
        self._v = np.array([each.v for each in numbers], np.intp)

    def push(self, q: Array) -> Array | None:
        """A configuration [nq] near one that meets the goals, where nothing is in collision and the goals are
        nearly met; None where the way there is barred.
        """
        least, since = np.inf, 0
        for _ in range(STEPS):
            near = self._checker.near_pairs(q, self._clearance + HORIZON)
            left, rows = measure.residual(self._request, q, self._length)
            missing = self._clearance + ROOM - near.distances
            deepest, off = float(missing.max(initial=0.0)), float(np.abs(left).max(initial=0.0))
            if deepest <= 0.5 * ROOM and off <= MET:
                return q
            since = 0 if deepest + off < GAIN * least else since + 1
            least = min(least, deepest + off)
            if since == STALLED:
                return None
            step = self._step(q, left, rows * self._units, near.rows * self._units, missing)
            longest = float(np.abs(step).max(initial=0.0))
            if longest < 1e-7:
                return None
            step *= self._units * min(1.0, LONGEST / longest)
            q = self._model.integrate(q, step)
            q = self._model.clip(q) if self._is_limited else q
        return None

    def _step(self, q: Array, left: Array, J: Array, pushes: Array, missing: Array) -> Array:
        """[nv] in units: J step = left, pushes step >= missing."""
        square = J @ J.T
        square[np.diag_indices_from(square)] += DAMPING
        solved = np.linalg.solve(square, np.column_stack([left, J]))
        toward, keeping = J.T @ solved[:, 0], np.eye(J.shape[1]) - J.T @ solved[:, 1:]
        rows, gaps, softness = [pushes], [missing], [np.full(len(missing), SOFTNESS)]
        if self._is_limited:
            lower, upper = q[self._q] - self._model.lower[self._q], self._model.upper[self._q] - q[self._q]
            for side, room in ((1.0, lower), (-1.0, upper)):
                close = np.flatnonzero(room < LONGEST * self._units[self._v])
                bounds = np.zeros((len(close), len(self._units)))
                bounds[np.arange(len(close)), self._v[close]] = side * self._units[self._v[close]]
                rows.append(bounds)
                gaps.append(-room[close])
                softness.append(np.full(len(close), HARD))
        G, h = np.vstack(rows), np.concatenate(gaps)
        if not len(h):
            return toward
        return toward + least_change(G @ keeping, h - G @ toward, np.concatenate(softness))


def _units(model: Model, length: float) -> Array:
    """[nv] what one unit of each velocity is: 1 rad, or a length [m]."""
    units = np.ones(model.nv)
    for each in model.coordinates:
        units[each.v] = length if each.is_length else 1.0
    return units
