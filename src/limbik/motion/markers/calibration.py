"""Calibrates bones' scales and markers' offsets of a person from a motion.

Poses are found by inverse kinematics, then scales of bones and positions of markers by linear least squares
in which the poses may follow (variable projection: Golub & Pereyra 1973), alternately until nothing is
gained.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbik.errors import ModelError, shortened
from limbik.model import Model
from limbik.model.joints import FARTHEST
from limbik.motion.markers.marked_body import MarkedBody
from limbik.motion.markers.poses import PoseSolver
from limbik.motion.markers.predictors import rotations_of
from limbik.spatial import Array, as_numbers, norm

FRAMES = 30  # at most, evenly over time
ROUNDS, LAST_ROUNDS = 5, 20
ITERATIONS = 20  # of a pose at most
LITTLE_GAIN, NO_GAIN = 2e-2, 1e-3  # parts of the error that are not worth another round, until the last
# [m] weights of a radian from home, of a scale from the usual one, of a metre from where a marker is guessed
HOLDS = (0.3, 0.1, 0.03, 0.01, 0.005)
SHORTEST, LONGEST = 0.3, 3.0  # of a scale, times the whole body's
DAMPING = 1e-3  # part of the diagonal by which the first step is damped
EASIER, HARDER = 0.3, 10.0  # what a step that gains, or does not, does to it
OUTLYING = 6.0  # times the median, beyond which a marker loses weight
MIN_OUTLYING = 0.02  # [m] which is no outlier beside markers that fit already
MIN_DOUBT, DOUBT = 0.05, 4.0  # [m] off, and times a marker's median, beyond which it may be wrong
MAX_USUAL = 3.0  # times the median of all, which that of a marker counts as at most
APART = 0.01  # of the body's size, below which points say nothing of it
FEWEST = 4  # markers that a body can be placed by


@dataclass(frozen=True, eq=False)
class Calibration:
    """A person and where markers sit, for one skeleton and one marker set."""

    scales: Array  # [B] of bones
    offsets: Array  # [M, 3] of markers on their links [m]
    usual: Array  # [M] median distance of markers from their positions [m]; nan where one was not seen

    def __post_init__(self) -> None:
        for name in ("scales", "offsets", "usual"):
            object.__setattr__(self, name, as_numbers(getattr(self, name), name, "numbers", ModelError))
        scales, offsets, usual = self.scales, self.offsets, self.usual
        if scales.ndim != 1 or not ((scales >= 0.0) & (scales <= FARTHEST)).all():
            raise ModelError(f"scales needs numbers [B] from 0 to {FARTHEST:g}, found {shortened(scales)}")
        if offsets.shape[1:] != (3,) or not (np.abs(offsets) <= FARTHEST).all():
            needed = f"finite numbers [M, 3] up to {FARTHEST:g} m"
            raise ModelError(f"offsets needs {needed}, found {shortened(offsets)}")
        is_good = np.isnan(usual) | ((usual >= 0.0) & (usual <= FARTHEST))
        if usual.shape != (len(offsets),) or not is_good.all() or np.isnan(usual).all():
            needed = f"{len(offsets)} distances [m] from 0 to {FARTHEST:g}, or nan, not all of them nan"
            raise ModelError(f"usual needs {needed}, found {shortened(usual)}")

    @property
    def doubtful(self) -> Array:
        """[M] how far off [m] a marker may be wrong."""
        usual = np.minimum(self.usual, MAX_USUAL * np.nanmedian(self.usual))
        return np.maximum(MIN_DOUBT, DOUBT * usual)

    @property
    def trusted(self) -> NDArray[np.bool_]:
        """[M] markers that are usually where they belong."""
        return self.usual <= self.doubtful


class _Fit(NamedTuple):
    """What is known of a body, and its poses in the frames that are looked at."""

    scales: Array  # [B]
    offsets: Array  # [M, 3]
    q: Array  # [F, nq]
    off: Array  # [F, M] how far markers are off [m], nan where they are not seen


def calibrated(body: MarkedBody, positions: Array, known_offsets: Array) -> Calibration:
    """The calibration by positions of markers [T, M, 3], nan where they are not seen.

    known_offsets [M, 3]: where to begin, or nan.

    Raises ModelError where too few markers are seen.
    """
    positions = positions[chosen_frames(positions)]
    first = np.isfinite(positions[0, :, 0])
    middles = body.middles()
    points = body.marked(np.ones(len(body.bones)), middles).poses(body.start, body.names)[:, :3, 3]
    size, whole = (
        _size(points[first]),
        _size(body.model.poses(body.start, [frame.name for frame in body.model.frames])[:, :3, 3]),
    )
    scale = _size(positions[0, first]) / size if size > APART * whole else 1.0
    scales = np.full(len(body.bones), scale)
    guess = np.where(np.isfinite(known_offsets), known_offsets, scale * middles)
    start = start_of(body, body.marked(scales, guess), positions[0])
    fit = _Fit(scales, guess, np.tile(start, (len(positions), 1)), np.zeros(positions.shape[:2]))
    weights = np.isfinite(positions[..., 0]).astype(np.float64)
    for hold in HOLDS:
        fit, weights = _fitted(body, positions, fit, guess, weights, hold)
    return Calibration(fit.scales, fit.offsets, _medians(fit.off))


def _fitted(
    body: MarkedBody, positions: Array, fit: _Fit, guess: Array, weights: Array, hold: float
) -> tuple[_Fit, Array]:
    """The fit while things are held so much, and the weights [F, M] that markers have then."""
    is_last = hold == HOLDS[-1]
    fit = _posed(body, positions, fit, weights, hold)
    damping = 1.0
    for _ in range(LAST_ROUNDS if is_last else ROUNDS):
        weights = _weights(fit.off)
        usual = float(np.median(fit.scales)) if len(fit.scales) else 1.0
        toward = np.concatenate([usual - fit.scales, (guess - fit.offsets).ravel()])
        change = _step(body, positions, fit, weights, toward, damping, hold)
        scales = fit.scales + change[: len(fit.scales)]
        trial = fit._replace(
            scales=np.clip(scales, SHORTEST * usual, LONGEST * usual),
            offsets=fit.offsets + change[len(fit.scales) :].reshape(-1, 3),
        )
        trial = _posed(body, positions, trial, weights, hold)
        before = _error(fit.off, weights)
        gain = 1.0 - _error(trial.off, weights) / before if before > 0.0 else 0.0
        if gain > 0.0:
            fit = trial
        damping *= EASIER if gain > 0.0 else HARDER
        if abs(gain) < (NO_GAIN if is_last else LITTLE_GAIN):
            break
    return fit, weights


def chosen_frames(positions: Array) -> NDArray[np.intp]:
    """Frames that are looked at: evenly over those with the most markers."""
    counts = np.isfinite(positions[..., 0]).sum(axis=1)
    max_seen = int(counts.max(initial=0))
    if max_seen < FEWEST:
        raise ModelError(f"a body needs {FEWEST} markers that are seen in one frame, found {max_seen}")
    good = np.flatnonzero(counts >= max(FEWEST, 0.9 * max_seen))
    return good[np.unique(np.linspace(0, len(good) - 1, FRAMES).astype(np.int64))]


def start_of(body: MarkedBody, model: Model, positions: Array) -> Array:
    """A configuration [nq] like the start of the body, moved to positions [M, 3] of a frame."""
    seen = np.isfinite(positions[:, 0])
    points = model.poses(body.start, body.names)[seen, :3, 3]
    middle, wanted = points.mean(axis=0), positions[seen].mean(axis=0)
    rotation = rotations_of(points - middle, (positions[seen] - wanted)[None], np.ones(len(points)))[0]
    return body.placed(model, rotation, wanted - rotation @ middle)


def _size(points: Array) -> float:
    """[m] root mean square distance from the middle."""
    points = points[np.isfinite(points[:, 0])]
    return float(np.sqrt(np.mean(norm(points - points.mean(axis=0)) ** 2)))


def _posed(body: MarkedBody, positions: Array, fit: _Fit, weights: Array, hold: float) -> _Fit:
    """The fit with poses near those that it has; where these are all the same, from frame to frame."""
    never = np.full(len(body.links), np.inf)
    model = body.marked(fit.scales, fit.offsets)
    solver = PoseSolver(body, model, never, ITERATIONS, hold, 1.0)
    is_known = not np.array_equal(fit.q[0], fit.q[-1])
    q, off = np.empty_like(fit.q), np.empty(positions.shape[:2])
    for k, frame in enumerate(positions):
        start = fit.q[k] if is_known else q[k - 1] if k else solver.first(frame, fit.q[0])
        q[k] = solver.step(frame, weights[k], start, start)
        off[k] = solver.off
    return fit._replace(q=q, off=np.where(np.isfinite(positions[..., 0]), off, np.nan))


def _medians(off: Array) -> Array:
    """[M] of what is known of each marker, else nan."""
    known = [column[np.isfinite(column)] for column in off.T]
    return np.array([np.median(each) if len(each) else np.nan for each in known])


def _error(off: Array, weights: Array) -> float:
    """Weighted root mean square [m]."""
    return float(np.sqrt(np.sum((weights * np.nan_to_num(off)) ** 2) / np.sum(weights**2)))


def _weights(off: Array) -> Array:
    """[F, M] that fall with the distance (Geman & McClure 1987), 0 where a marker is not seen."""
    usual = max(OUTLYING * float(np.nanmedian(off)), MIN_OUTLYING)
    return np.where(np.isfinite(off), 1.0 / (1.0 + (np.nan_to_num(off) / usual) ** 2), 0.0)


def _step(
    body: MarkedBody,
    positions: Array,
    fit: _Fit,
    weights: Array,
    toward: Array,
    damping: float,
    hold: float,
) -> Array:
    """Change of scales, then of offsets of markers [B + 3 M], while poses follow.

    toward [B + 3 M]: what would bring them where they are held.
    """
    model, q = body.marked(fit.scales, fit.offsets), fit.q
    frames, markers, bones = len(q), len(body.links), len(body.bones)
    poses = model.poses(q, body.names)
    left = np.nan_to_num(positions - poses[..., :3, 3]) * weights[..., None]
    by_joint = np.stack([model.jacobian(q, name)[:, :3] for name in body.names], axis=1)
    by_joint *= weights[..., None, None]
    unknown = np.zeros((frames, markers, 3, bones + 3 * markers))
    unknown[..., :bones] = body.directions(model, q) * weights[..., None, None]
    for k in range(markers):
        columns = slice(bones + 3 * k, bones + 3 * k + 3)
        unknown[:, k, :, columns] = poses[:, k, :3, :3] * weights[:, k, None, None]
    J = by_joint.reshape(frames, 3 * markers, -1)
    X = unknown.reshape(frames, 3 * markers, -1)
    r = left.reshape(frames, 3 * markers, 1)
    Jt, Xt = np.swapaxes(J, 1, 2), np.swapaxes(X, 1, 2)
    squares = Jt @ J + hold**2 * np.eye(J.shape[2])
    try:
        following = np.linalg.solve(squares, Jt @ np.concatenate([X, r], axis=2))
    except np.linalg.LinAlgError:  # a body so large that what holds it is lost in rounding
        return np.zeros_like(toward)
    projected = np.concatenate([X, r], axis=2) - J @ following
    system = (Xt @ projected).sum(axis=0)
    matrix, right = system[:, :-1], system[:, -1]
    matrix = matrix + frames * hold**2 * np.eye(len(matrix))
    matrix += DAMPING * damping * np.diag(np.diag(matrix))
    return np.asarray(np.linalg.solve(matrix, right + frames * hold**2 * toward))
