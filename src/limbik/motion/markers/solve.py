"""`solve_markers`: fits a skeleton's bones and motion to markers; finds swapped and ghost markers."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from limbik.deprecated import renamed
from limbik.errors import ConfigurationError, FormatWarning, ModelError, did_you_mean, number_of, shortened
from limbik.formats.markers import Markers
from limbik.formats.motions import Motion
from limbik.model import Model
from limbik.motion.markers.calibration import Calibration, calibrated, chosen_frames, start_of
from limbik.motion.markers.marked_body import MarkedBody, MarkerSet, marker_links
from limbik.motion.markers.poses import FittedFrame, PoseSolver
from limbik.spatial import Array

ITERATIONS = 2  # of the pose in a frame, from those before it
STEADY = 0.01  # weight of a radian beside a metre of a marker, by which joints stay where they were
STRANGE = 5.0  # times larger or smaller than the skeleton, which is no person's size any more
HOMEWARD = 5.0  # [s] in which a joint that no marker tells of comes home by the larger part

_T = TypeVar("_T")


@dataclass(frozen=True)
class Swap:
    """Frames in which two markers have each other's name."""

    first_marker: str
    second_marker: str
    first: int  # the first frame
    last: int  # the last frame

    def __str__(self) -> str:
        return f"{self.first_marker} and {self.second_marker} swapped, frames {self.first} to {self.last}"


@dataclass(frozen=True)
class Ghost:
    """Frames in which a marker is where it cannot be, and was left aside."""

    marker: str
    first: int  # the first frame
    last: int  # the last frame

    def __str__(self) -> str:
        return f"{self.marker} is not where it belongs, frames {self.first} to {self.last}"


@dataclass(frozen=True, eq=False)
class SolvedMarkers:
    """A motion by markers, and how well it suits them."""

    motion: Motion  # of the skeleton with the person's bones
    markers: Markers  # of the marker set, with the right names, and nan where they were left aside
    residuals_mm: Array  # [T, M] of each marker from its position on the skeleton; nan where it did not count
    positions: Mapping[str, tuple[str, tuple[float, ...]]]  # of each marker its link, and where on it [m]
    scales: Mapping[str, float]  # of the bone that begins with each of these joints
    swaps: tuple[Swap, ...]
    ghosts: tuple[Ghost, ...]
    calibration: Calibration  # for other clips of the same person, skeleton and marker set

    places = renamed("places", "positions")

    @property
    def rms_mm(self) -> float:
        """Root mean square of the residuals."""
        return float(np.sqrt(np.nanmean(self.residuals_mm**2)))

    @property
    def marker_rms_mm(self) -> Mapping[str, float]:
        """Of each marker over time; nan for one that never counted."""
        return dict(zip(self.markers.names, _rms(self.residuals_mm, 0).tolist(), strict=True))

    @property
    def frame_rms_mm(self) -> Array:
        """[T] of each frame over its markers."""
        return _rms(self.residuals_mm, 1)

    def __str__(self) -> str:
        said = (
            f"{len(self.motion)} frames, {len(self.markers.names)} markers, residual {self.rms_mm:.1f} mm; "
            f"{len(self.swaps)} swaps, {len(self.ghosts)} ghosts"
        )
        hidden = int(np.isnan(self.residuals_mm).all(axis=1).sum())
        return f"{said}; no marker in {number_of(hidden, 'frame')}" if hidden else said


def solve_markers(
    markers: Markers,
    skeleton: Model | Motion,
    *,
    marker_set: MarkerSet,
    calibration: Calibration | None = None,
) -> SolvedMarkers:
    """The motion of a skeleton by markers, in the person's size.

        set_ = {"RHEE": "right_foot", "RKNE": "right_upperleg", ...}
        solved = limbik.motion.solve_markers(markers, limbik.load("human"), marker_set=set_)

    First it is found, in 30 frames, by how much each bone is longer than the skeleton's and where on its link
    each marker sits: poses by inverse kinematics, and both by linear least squares in which poses follow, in
    turns. Then each frame is the smallest squared distance of its markers (`solve(..., mode="best")`) within
    the joint limits, from the frame before. Joints that no marker tells of stay, and come home within
    seconds; where no marker is seen, all stay.

    A marker that is off by more than 50 mm, and than four times what it usually is, may be wrong. In a
    frame in which one is off by half of that weights fall with the distance; two markers that are each where
    the other one belongs get their names back, and others are left aside. A marker with a wrong name in most
    frames cannot be found so.

    skeleton: a model, which gets a floating base if it has none, or a motion from BVH, whose hierarchy the
    answer has, and in whose first frame the body begins.
    marker_set: of each marker the link that it is on, or link and offset on it [m], where to begin: in axes
    of the link, in the person's size. Without an offset it begins halfway along the bone. Markers of the clip
    that are not in it are left aside.
    calibration: of another clip of the same person, skeleton and marker set; default: found here.

    The world is that of the markers. See `fit_limb_lengths` for a BVH whose bones vary in length.

    Raises ConfigurationError for what are no markers, and ModelError for unknown markers and links, for fewer
    than four markers in every frame, and for a calibration of another marker set.
    """
    if not isinstance(markers, Markers):
        raise ConfigurationError(f"markers needs Markers, found {shortened(markers)}")
    attached = list(marker_links(skeleton, marker_set))
    for name, _, _ in attached:
        if name not in markers.names:
            hint = did_you_mean(name, markers.names)
            raise ModelError(f"marker_set: the clip has no marker {shortened(name)}; {hint}")
    positions = markers.positions[:, [markers.names.index(name) for name, _, _ in attached]]
    body = MarkedBody(skeleton, tuple(link for _, link, _ in attached))
    if calibration is None:
        nowhere = np.full(3, np.nan)
        calibration = calibrated(
            body, positions, np.array([nowhere if offset is None else offset for _, _, offset in attached])
        )
        usual = float(np.median(calibration.scales)) if len(calibration.scales) else 1.0
        if not 1.0 / STRANGE < usual < STRANGE:
            said = (
                f"the body of the markers is {usual:.2g} times as large as the skeleton: are both in metres?"
            )
            warnings.warn(said, FormatWarning, stacklevel=2)
    if not isinstance(calibration, Calibration):
        raise ModelError(f"calibration needs a Calibration, found {shortened(calibration)}")
    if calibration.offsets.shape != (len(attached), 3) or calibration.scales.shape != (len(body.bones),):
        raise ModelError("calibration is that of another skeleton or marker set")
    names = tuple(name for name, _, _ in attached)
    wrong = np.isfinite(positions[..., 0]) & ~calibration.trusted
    frames = _solved(body, calibration, np.where(wrong[..., None], np.nan, positions), markers.dt)
    ghosts = [(*each.ghosts, *np.flatnonzero(at).tolist()) for each, at in zip(frames, wrong, strict=True)]
    sorted_out = Markers(names, np.stack([each.positions for each in frames]), markers.dt, markers.up)
    q = np.stack([each.q for each in frames])
    return SolvedMarkers(
        body.motion(calibration.scales, q, markers.dt, markers.up),
        sorted_out,
        1e3 * np.stack([each.off for each in frames]),
        {
            name: (link, tuple(offset))
            for name, link, offset in zip(names, body.links, calibration.offsets.tolist(), strict=True)
        },
        dict(zip(body.bones, calibration.scales.tolist(), strict=True)),
        tuple(
            Swap(names[pair[0]], names[pair[1]], *span)
            for pair, span in _spans([each.swapped for each in frames])
        ),
        tuple(Ghost(names[ghost], *span) for ghost, span in _spans(ghosts)),
        calibration,
    )


def _solved(body: MarkedBody, calibration: Calibration, positions: Array, dt: float) -> list[FittedFrame]:
    """All frames, forth from the first one that can be looked at, then back."""
    model = body.marked(calibration.scales, calibration.offsets)
    homeward = 1.0 - math.exp(-dt / HOMEWARD)
    solver = PoseSolver(body, model, calibration.doubtful, ITERATIONS, STEADY, homeward)
    first = int(chosen_frames(positions)[0])
    start = solver.first(positions[first], start_of(body, model, positions[first]))
    solved: dict[int, FittedFrame] = {}
    for frames in (range(first, len(positions)), range(first - 1, -1, -1)):
        before = last = start
        for k in frames:
            solved[k] = solver.found(positions[k], 2.0 * last - before, last)
            before, last = last, solved[k].q
    return [solved[k] for k in range(len(positions))]


def _spans(over_time: Sequence[tuple[_T, ...]]) -> Iterator[tuple[_T, tuple[int, int]]]:
    """What there is in frames, each time with the first and the last frame."""
    for each in dict.fromkeys(each for frame in over_time for each in frame):
        frames = [k for k, frame in enumerate(over_time) if each in frame]
        starts = [k for k in frames if k - 1 not in frames]
        ends = [k for k in frames if k + 1 not in frames]
        yield from ((each, span) for span in zip(starts, ends, strict=True))


def _rms(residuals: Array, axis: int) -> Array:
    counts = np.isfinite(residuals).sum(axis=axis)
    squares = np.nansum(residuals**2, axis=axis)
    return np.sqrt(np.where(counts > 0, squares, np.nan) / np.maximum(counts, 1))
