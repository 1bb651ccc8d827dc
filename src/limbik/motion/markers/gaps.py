"""`fill_gaps`: fills gaps of markers by the predictor that fits the marker best."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Literal, get_args

import numpy as np

from limbik.errors import ConfigurationError, GoalError, is_one_of, members_of, shortened
from limbik.formats.markers import Markers
from limbik.motion.markers.predictors import Hole, Predictor, predictors
from limbik.spatial import Array, as_number, dot

Method = Literal["linear", "spline", "rigid", "regression", "pca"]
WhyOpen = Literal["never seen", "too little seen", "too uncertain"]

TRIALS = 6  # gaps that are made at most, to see how well each method does
FEWEST = 2  # of them, below which nothing is known
TRUSTED_MM = 2.0  # expected error below which what was filled helps to fill longer gaps


@dataclass(frozen=True)
class Gap:
    """Frames in which a marker was not seen, and how they were filled."""

    marker: str
    first: int  # the first frame
    last: int  # the last frame
    method: Method | None  # None: left open
    expected_error_mm: float  # mean, of the best method in gaps made elsewhere; nan where there were none
    why_open: WhyOpen | None = None

    def __str__(self) -> str:
        where = f"{self.marker}, frames {self.first} to {self.last}"
        if self.method is not None:
            return f"{where}: {self.method}, expected error {self.expected_error_mm:.1f} mm"
        expected = "" if math.isnan(self.expected_error_mm) else f", {self.expected_error_mm:.1f} mm"
        return f"{where}: left open, {self.why_open}{expected}"


@dataclass(frozen=True, eq=False)
class FilledMarkers:
    """Markers whose gaps were filled, as far as that can be trusted."""

    markers: Markers  # nan in gaps that were left open
    gaps: tuple[Gap, ...]  # all gaps, by marker and frame

    @property
    def left_open(self) -> tuple[Gap, ...]:
        """The gaps that were not filled, each with its reason."""
        return tuple(gap for gap in self.gaps if gap.method is None)

    def __str__(self) -> str:
        filled = len(self.gaps) - len(self.left_open)
        return f"{filled} of {len(self.gaps)} gaps filled"


def fill_gaps(
    markers: Markers, *, methods: Sequence[Method] = get_args(Method), max_error_mm: float = 20.0
) -> FilledMarkers:
    """Fill the gaps of markers, each by the method that predicts its marker best.

        filled = limbik.motion.fill_gaps(limbik.load_markers("walk.c3d"))
        filled.markers.save("walk.trc")

    For each gap, gaps of its length are made where its marker was seen (cross-validation), with the same
    neighbours to look at; the method with the smallest mean error there is taken, and that error is expected.

    methods: those to choose from:
    "linear" and "spline" (cubic), of the marker's own trajectory;
    "rigid": fixed to the four neighbours that move most rigidly with it;
    "regression": ridge regression on twelve neighbours, in axes that move with the nearest four;
    "pca": principal components of all markers, weighted by nearness (Federolf 2013, PLoS ONE 8(10): e78689;
    Gløersen & Federolf 2016, PLoS ONE 11(3): e0152616).
    The last three need three neighbours that are seen throughout the gap. What they find is moved so that it
    joins the marker's own positions at both ends of the gap. Neighbours that were filled themselves count if
    their gap is shorter and its expected error below 2 mm.
    max_error_mm: a gap whose expected error is greater is left open.

    Markers that were seen are not changed. Whether they carry the right names is not looked at.

    Raises ConfigurationError for what are no markers, and GoalError for an unknown method or an error that is
    not positive.
    """
    if not isinstance(markers, Markers):
        raise ConfigurationError(f"markers needs Markers, found {shortened(markers)}")
    chosen = members_of(methods, "methods", GoalError, "a list of methods")
    if not chosen:
        raise GoalError(f"methods needs at least one of {', '.join(get_args(Method))}")
    for method in chosen:
        if not is_one_of(method, get_args(Method)):
            needed = ", ".join(get_args(Method))
            raise GoalError(f"methods needs some of {needed}, found {shortened(method)}")
    limit = as_number(max_error_mm, "max_error_mm", "a positive number of mm", GoalError)
    if not limit > 0.0:
        raise GoalError(f"max_error_mm needs a positive number of mm, found {limit:g}")
    trusted, filled = markers.positions.copy(), markers.positions.copy()
    gaps = []
    for _, alike in groupby(sorted(_gaps(markers.positions), key=_length), key=_length):
        helpful = trusted.copy()
        for marker, first, stop in alike:
            gap, positions = _filled(markers, trusted, marker, first, stop, chosen, limit)
            gaps.append(gap)
            if gap.method is not None:
                filled[first:stop, marker] = positions
                if gap.expected_error_mm <= TRUSTED_MM:
                    helpful[first:stop, marker] = positions
        trusted = helpful
    order = {name: k for k, name in enumerate(markers.names)}
    gaps.sort(key=lambda gap: (order[gap.marker], gap.first))
    return FilledMarkers(replace(markers, positions=filled), tuple(gaps))


def _gaps(positions: Array) -> Iterator[tuple[int, int, int]]:
    """Marker, first frame and the frame after the last of each gap."""
    hidden = np.isnan(positions[..., 0])
    edge = np.zeros((1, hidden.shape[1]), dtype=np.int8)
    steps = np.diff(np.concatenate([edge, hidden.astype(np.int8), edge]), axis=0)
    for marker in range(hidden.shape[1]):
        starts, stops = np.flatnonzero(steps[:, marker] > 0), np.flatnonzero(steps[:, marker] < 0)
        for first, stop in zip(starts, stops, strict=True):
            yield marker, int(first), int(stop)


def _length(gap: tuple[int, int, int]) -> int:
    return gap[2] - gap[1]


def _filled(
    markers: Markers,
    positions: Array,
    marker: int,
    first: int,
    stop: int,
    methods: Sequence[Any],
    limit: float,
) -> tuple[Gap, Array]:
    """How a gap is filled, and the positions [stop - first, 3] in it."""
    seen = np.isfinite(markers.positions[:, marker, 0])
    hole = Hole(first, stop, seen, first > 0, stop < len(seen))
    gap = Gap(markers.names[marker], first, stop - 1, None, math.nan, "never seen")
    nothing = np.full((stop - first, 3), np.nan)
    if not seen.any():
        return gap, nothing
    trials = _trials(hole)
    if len(trials) < FEWEST:
        return replace(gap, why_open="too little seen"), nothing
    offered = predictors(positions, marker, hole)
    own = markers.positions[:, marker]
    best, lowest = None, math.inf
    for method in methods:
        error = _expected_mm(offered[method], trials, own, lowest) if method in offered else math.inf
        if error < lowest:
            best, lowest = method, error
    if best is None:
        return replace(gap, why_open="too uncertain"), nothing
    gap = replace(gap, expected_error_mm=lowest)
    filled = offered[best](hole)
    if lowest > limit or not np.isfinite(filled).all():
        return replace(gap, why_open="too uncertain"), nothing
    return replace(gap, method=best, why_open=None), filled


def _missed(predicted: Array, own: Array, trial: Hole) -> float:
    """Mean distance [m] over the frames in which the marker was seen and predicted; nan without any."""
    away = predicted - own[trial.first : trial.stop]
    distances = np.sqrt(dot(away, away))
    told = distances[np.isfinite(distances)]
    return float(told.sum()) / len(told) if len(told) else math.nan


def _expected_mm(predictor: Predictor, trials: Sequence[Hole], own: Array, best: float) -> float:
    """The mean error [mm] of the trials in which there is a prediction; infinite of too few, and where some
    trials show that it is above that of the best method so far.
    """
    total, told = 0.0, 0
    for trial in trials:
        missed = _missed(predictor(trial), own, trial)
        if math.isfinite(missed):
            total, told = total + missed, told + 1
        if 1e3 * total > best * len(trials):
            return math.inf
    return 1e3 * total / told if told >= FEWEST else math.inf


def _trials(hole: Hole) -> list[Hole]:
    """Holes of the same length in what is known, evenly over time; where there is no space for two, the hole
    itself, made longer by half to either side."""
    length, known = hole.stop - hole.first, hole.known
    inner = length + hole.has_before + hole.has_after
    runs = np.convolve(known, np.ones(inner), mode="valid") if inner <= len(known) else np.zeros(0)
    starts = np.flatnonzero(np.round(runs) == inner) + hole.has_before
    if len(starts) >= FEWEST:
        frames = np.unique(np.linspace(0, len(starts) - 1, TRIALS).astype(np.int64))
        spans = [(int(start), int(start) + length) for start in starts[frames]]
    else:
        more = math.ceil(0.5 * length)
        spans = [(hole.first - more, hole.stop), (hole.first, hole.stop + more)]
    return [trial for span in spans if (trial := _made(hole, *span)) is not None]


def _made(hole: Hole, first: int, stop: int) -> Hole | None:
    """A hole made in what is known; None where its ends are not known, or too little is left."""
    known = hole.known
    is_inside = first >= hole.has_before and stop <= len(known) - hole.has_after
    if not is_inside or (hole.has_before and not known[first - 1]) or (hole.has_after and not known[stop]):
        return None
    left = known.copy()
    left[first:stop] = False
    if 2 * np.count_nonzero(left) < hole.stop - hole.first:
        return None
    return Hole(first, stop, left, hole.has_before, hole.has_after)
