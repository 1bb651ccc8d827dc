"""Self-motions: directions and curves along which joints move while a frame's pose stays.

A curve is followed from a configuration along the null space of the Jacobian, and brought back to the pose by
Newton's method after each step (continuation by predictor and corrector: Allgower & Georg, "Numerical
Continuation Methods", 1990, chapter 3), until a joint meets a limit or the curve closes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from limbik.all_solutions.result import FreeMotion, ends_in_words
from limbik.model.model import Model
from limbik.model.periodic import periodic
from limbik.spatial import Array, Matrix4, nearest_angles, norm

STEP = 0.03  # [rad] along the curve
MAX_STEPS = 4000  # in one direction
SINGULAR = 1e-6  # of the largest singular value: below it, one counts as 0
MET = 1e-11  # [m, rad] of the pose
STRAIGHT = 3e-8  # [m, rad] of the pose along a line: rounding of a singular configuration
MAX_CORRECTIONS = 8
MIN_PROGRESS = 0.5  # of a step that is left after the correction; less is no motion
MOVES = 1e-6  # [rad or m] of a joint along the curve
BEYOND = 1e-8  # [rad or m] of a joint that rests at a limit along the curve: rounding beside a singular point
DIFFERENCE = 1e-4  # [rad or m] between Jacobians for their derivative
CURVED = 1e-6  # of the largest second derivative: below it, one counts as 0
MAX_DIRECTION_STEPS = 40  # of Newton's method on the tangent cone


@dataclass(frozen=True, eq=False)
class Mover:
    """What moves: the joints of a chain, all revolute or prismatic, by their indices in q."""

    model: Model
    frame: str | None
    indices: np.ndarray  # [n] in q, and as each has one number, in v
    lower: Array  # [n]
    upper: Array
    rows: int = 6  # of the pose that have to stay: 3 are its point

    def jacobian(self, q: Array) -> Array:
        """[rows, n] at q [nq]."""
        columns = [self.model.v_slice(self.model.coordinates[index].joint).start for index in self.indices]
        return self.model.jacobian(q, self.frame)[: self.rows, columns]

    def error(self, q: Array, pose: Matrix4) -> Array:
        """[rows] from q to a pose: position [m] and, for small ones, the rotation vector [rad]."""
        here = self.model.pose(q, self.frame)
        turned = 0.5 * np.cross(here[:3, :3].T, pose[:3, :3].T).sum(axis=0)
        return np.concatenate([pose[:3, 3] - here[:3, 3], turned])[: self.rows]

    def corrected(self, q: Array, pose: Matrix4, met: float = MET) -> Array | None:
        """The configuration near q that meets the pose within `met` [m, rad]; None where Newton's method does
        not lead there.
        """
        q = q.copy()
        for _ in range(MAX_CORRECTIONS):
            error = self.error(q, pose)
            if np.abs(error).max() < MET:
                return q
            q[self.indices] += np.linalg.lstsq(self.jacobian(q), error, rcond=1e-9)[0]
        return q if np.abs(self.error(q, pose)).max() < met else None

    def beyond(self, q: Array) -> float:
        """How far q is beyond the limits [rad or m]; at most 0 inside."""
        own = q[self.indices]
        return float(np.maximum(self.lower - own, own - self.upper).max())


def null_spaces(J: Array) -> tuple[Array, Array]:
    """[k, n] orthonormal velocities that move nothing, and [m, rows] motions that no velocity makes."""
    left, values, rows = np.linalg.svd(J)
    rank = int((values > SINGULAR * values[0]).sum())
    return np.asarray(rows[rank:]), np.asarray(left[:, rank:].T)


def self_motions(mover: Mover, q: Array) -> tuple[FreeMotion, ...]:
    """The curves through configurations q [k, nq], one for each that is on no other's curve; then the pieces
    of these curves, cut by limits, that none of the configurations is on.
    """
    motions: list[FreeMotion] = []
    pieces: list[FreeMotion] = []
    for k, each in enumerate(q):
        if any(_is_on(motion, each) for motion in motions):
            continue
        for direction in tangents(mover, each):
            own, *others = (_motion(mover, k, *curve) for curve in _curves(mover, each, direction))
            motions += filter(None, [own])
            pieces += filter(None, others)
    return (*motions, *(piece for piece in pieces if not any(_is_on(piece, each) for each in q)))


def tangents(mover: Mover, q: Array) -> Array:
    """[k, n] directions, up to their sign, in which curves may leave a configuration.

    One null vector is one. Of several, where the Jacobian has lost rank, those are along which it does not
    lose the pose at second order: the tangent cone of the curves that cross there (Whitney 1965, "Tangents to
    an analytic variety"), by Newton's method from the null vectors, their sums and differences.
    """
    null, lost = null_spaces(mover.jacobian(q))
    if len(null) < 2:
        return null
    changes = np.array([_derivative(mover, q, vector) for vector in null])
    forms = np.einsum("mr,irn,jn->mij", lost, changes, null)
    forms = 0.5 * (forms + forms.swapaxes(1, 2))
    size = np.abs(forms).max(initial=0.0)
    if size < CURVED:  # a surface
        return null
    unit = np.eye(len(null))
    pairs = [
        unit[i] + sign * unit[j] for i, j in itertools.combinations(range(len(null)), 2) for sign in (1, -1)
    ]
    cone: list[Array] = []
    for direction in (*unit, *pairs):
        direction = _on_cone(forms, direction)
        is_new = all(1.0 - abs(direction @ other) > CURVED for other in cone)
        if is_new and np.abs(direction @ forms @ direction).max() < CURVED * size:
            cone.append(direction)
    return np.asarray(np.array(cone).reshape(-1, len(null)) @ null)


def _on_cone(forms: Array, direction: Array) -> Array:
    """The unit vector [k] near a direction for which the quadratic forms [m, k, k] are 0, if there is one."""
    for _ in range(MAX_DIRECTION_STEPS):
        direction = direction / norm(direction)
        slopes = forms @ direction
        values = np.append(slopes @ direction, 0.0)  # and no change of length
        direction = direction - np.linalg.lstsq([*2.0 * slopes, direction], values, rcond=CURVED)[0]
    return np.asarray(direction / norm(direction))


def _derivative(mover: Mover, q: Array, velocity: Array) -> Array:
    """[rows, n] of the Jacobian, along a velocity [n] of the mover."""
    change = np.zeros(len(q))
    change[mover.indices] = DIFFERENCE * velocity
    return (mover.jacobian(q + change) - mover.jacobian(q - change)) / (2.0 * DIFFERENCE)


def one_of_each_curve(mover: Mover, q: Array) -> Array:
    """The configurations q [k, nq] without those on the self-motion of another."""
    motions = self_motions(mover, q)
    return q[[k for k, each in enumerate(q) if not any(m.solution != k and _is_on(m, each) for m in motions)]]


def _curves(mover: Mover, q: Array, direction: Array) -> list[tuple[Array, bool]]:
    """The curve [m, nq] through q, and whether it is closed; then what else limits leave of a line."""
    pose = mover.model.pose(q, mover.frame)
    straight = _straight(mover, q, direction, pose)
    if straight is not None:
        return straight
    forward, is_closed = _followed(mover, q, direction, pose)
    backward = [q] if is_closed else _followed(mover, q, -direction, pose)[0]
    return [(np.array([*backward[::-1], *forward[1:]]), is_closed)]


def _motion(mover: Mover, number: int, curve: Array, is_closed: bool) -> FreeMotion | None:
    curve[:, mover.indices] = np.clip(curve[:, mover.indices], mover.lower, mover.upper)  # of rounding
    moved = np.ptp(curve[:, mover.indices], axis=0) > MOVES
    if not moved.any():
        return None
    names = tuple(mover.model.coordinates[index].joint for index in mover.indices[moved])
    ends = (
        ("", "")
        if is_closed
        else tuple(
            ends_in_words(names, end[mover.indices[moved]], mover.lower[moved], mover.upper[moved])
            for end in (curve[0], curve[-1])
        )
    )
    return FreeMotion(
        solution=number,
        joints=names,
        q=curve,
        parameter="length of the path [rad, m]",
        along=np.append(0.0, np.cumsum(norm(np.diff(curve, axis=0)))),
        closed=is_closed,
        ends=(ends[0], ends[1]),
    )


def _straight(mover: Mover, q: Array, direction: Array, pose: Matrix4) -> list[tuple[Array, bool]] | None:
    """The curve [m, nq] if it is a straight line, as of two joints with one axis, in the pieces that limits
    leave of it, and whether it is closed; None for other curves.
    """
    direction = np.where(np.abs(direction) > MOVES, direction, 0.0)
    moves = direction != 0.0
    if np.ptp(np.abs(direction[moves])) > MOVES:  # some joint would need several revolutions to come back
        return None
    revolves = bool(periodic(mover.model, mover.frame)[mover.indices[moves]].all())
    speed = float(np.abs(direction[moves]).mean())
    direction, period = speed * np.sign(direction), 2.0 * np.pi / speed  # without its rounding
    own = q[mover.indices]
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.array([(mover.lower - own) / direction, (mover.upper - own) / direction])
    forward = float(np.where(moves, ends.max(axis=0), np.inf).min())
    backward = float(np.where(moves, ends.min(axis=0), -np.inf).max())
    is_closed = revolves and forward >= period
    first, last = (0.0, period) if is_closed else (max(backward, -period), min(forward, period))
    pieces = [(first, last, own)]
    if revolves and not is_closed:
        pieces += _other_pieces(mover, own, direction, last, first + period)
    curves = []
    for first, last, begin in pieces:
        along = np.linspace(first, last, int(np.ceil((last - first) / STEP)) + 1)
        curve = np.tile(q, (len(along), 1))
        curve[:, mover.indices] = begin + along[:, None] * direction
        curves.append((curve, is_closed))
    poses = mover.model.pose(curves[0][0], mover.frame)
    return curves if np.abs(poses - pose)[:, : mover.rows].max() < STRAIGHT else None


def _other_pieces(
    mover: Mover, begin: Array, direction: Array, at: float, end: float
) -> Iterator[tuple[float, float, Array]]:
    """Of a line of angles [n, rad], from `at` to `end` along it: where limits let angles of other revolutions
    begin and end, and the angles at its beginning that have those.
    """
    is_limited = (direction != 0.0) & np.isfinite(mover.upper - mover.lower)
    lower, upper, toward = (each[is_limited] for each in (mover.lower, mover.upper, direction))
    width, speed = upper - lower, np.abs(toward)
    while at < end - MOVES:
        here = begin[is_limited] + at * toward
        passed = np.where(toward > 0.0, here - lower, upper - here)  # of the width
        wrapped = np.mod(passed + BEYOND, 2.0 * np.pi) - BEYOND
        left = (width - wrapped) / speed
        if (left < BEYOND).any():  # to the next revolution
            at += float(((2.0 * np.pi - wrapped) / speed)[left < BEYOND].max())
            continue
        last = min(at + float(left.min()), end)
        other = begin.copy()
        other[is_limited] += np.sign(toward) * (wrapped - passed)
        yield at, last, other
        at = last


def _followed(mover: Mover, q: Array, direction: Array, pose: Matrix4) -> tuple[list[Array], bool]:
    """The curve from q, q included, to where a joint meets a limit; and whether it came back to q."""
    curve, begin = [q], q
    for _ in range(MAX_STEPS):
        after = _stepped(mover, q, direction, pose, STEP)
        if after is None:
            return curve, False
        if mover.beyond(after) > BEYOND:
            last = _to_limit(mover, q, direction, pose)
            return ([*curve, last] if norm(last - q) > MOVES else curve), False
        displacement = after - q
        curve.append(after)
        if len(curve) > 3 and _apart(after, begin, mover.indices) < 0.75 * STEP:
            return curve, True
        vectors, _ = null_spaces(mover.jacobian(after))
        if not len(vectors):
            return curve, False
        direction = vectors.T @ (vectors @ displacement[mover.indices])
        direction = direction / norm(direction)
        q = after
    return curve, False


def _stepped(mover: Mover, q: Array, direction: Array, pose: Matrix4, step: float) -> Array | None:
    trial = q.copy()
    trial[mover.indices] += step * direction
    after = mover.corrected(trial, pose)
    if after is None or (after - q)[mover.indices] @ direction < MIN_PROGRESS * step:
        return None
    return after


def _to_limit(mover: Mover, q: Array, direction: Array, pose: Matrix4) -> Array:
    """The last legal configuration on the path, by bisection of the step."""
    low, high, best = 0.0, STEP, q
    for _ in range(45):
        middle = 0.5 * (low + high)
        after = _stepped(mover, q, direction, pose, middle)
        if after is not None and mover.beyond(after) <= BEYOND:
            low, best = middle, after
        else:
            high = middle
    return best


def _apart(q0: Array, q1: Array, indices: np.ndarray) -> float:
    """The largest change of a joint, apart from revolutions."""
    change = nearest_angles((q0 - q1)[indices])
    return float(np.linalg.norm(change))


def _is_on(motion: FreeMotion, q: Array) -> bool:
    change = nearest_angles(motion.q - q)
    return bool(np.linalg.norm(change, axis=1).min() < STEP)
