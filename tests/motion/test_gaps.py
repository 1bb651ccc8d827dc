"""Gaps of markers are filled as well as the report says, or left open with a reason."""

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.interpolate import CubicSpline

import limbik
from limbik.errors import ConfigurationError, GoalError
from limbik.motion import fill_gaps
from limbik.motion.markers.predictors import KNOTS
from limbik.spatial import rotation_exp
from motion.marked import errors_mm, hidden, thigh_and_shank

TRUTH = thigh_and_shank()
GAPS = (("shank2", 60, 109), ("thigh4", 150, 199))


def test_long_gaps_are_filled_by_what_their_neighbours_say():
    filled = fill_gaps(hidden(TRUTH, *GAPS))
    with pytest.raises(GoalError, match="methods needs at least one of"):
        fill_gaps(TRUTH, methods=[])
    splined = fill_gaps(hidden(TRUTH, *GAPS), methods=["spline"], max_error_mm=1e3)
    assert [(gap.marker, gap.first, gap.last) for gap in filled.gaps] == [GAPS[1], GAPS[0]]
    for name, first, last in GAPS:
        assert errors_mm(filled.markers, TRUTH, name, first, last).max() < 3.0
        assert errors_mm(splined.markers, TRUTH, name, first, last).mean() > 8.0
    assert {gap.method for gap in filled.gaps} <= {"rigid", "regression", "pca"}
    assert str(filled) == "2 of 2 gaps filled"


def test_what_was_seen_is_not_changed():
    spoilt = hidden(TRUTH, *GAPS)
    filled = fill_gaps(spoilt).markers
    seen = np.isfinite(spoilt.positions)
    assert_array_equal(filled.positions[seen], spoilt.positions[seen])
    assert np.isfinite(filled.positions).all()
    assert (filled.names, filled.dt, filled.up) == (TRUTH.names, TRUTH.dt, TRUTH.up)


def test_the_expected_error_is_the_true_one():
    expected, true = [], []
    for seed, first in enumerate((30, 80, 130, 170)):
        truth = thigh_and_shank(soft=0.01, seed=seed)
        for name in ("thigh1", "shank3"):
            filled = fill_gaps(hidden(truth, (name, first, first + 39)), methods=["rigid"])
            expected.append(filled.gaps[0].expected_error_mm)
            true.append(errors_mm(filled.markers, truth, name, first, first + 39).mean())
    assert_allclose(np.mean(expected), np.mean(true), rtol=0.35)


def test_a_gap_is_left_open_where_nothing_predicts_its_marker():
    filled = fill_gaps(hidden(TRUTH, ("shank0", 60, 109)), methods=["linear"])
    (gap,) = filled.left_open
    assert (gap.method, gap.why_open) == (None, "too uncertain")
    assert gap.expected_error_mm > 20.0
    assert np.isnan(filled.markers.positions[60:110, 5]).all()
    assert str(gap).startswith("shank0, frames 60 to 109: left open, too uncertain, ")
    with_less_care = fill_gaps(hidden(TRUTH, ("shank0", 60, 109)), methods=["linear"], max_error_mm=1e3)
    assert not with_less_care.left_open


def test_a_marker_that_was_never_or_hardly_seen_is_left_open():
    filled = fill_gaps(hidden(TRUTH, ("thigh0", 0, 239), ("shank1", 0, 230)))
    assert [gap.why_open for gap in filled.gaps] == ["never seen", "too little seen"]
    assert all(math.isnan(gap.expected_error_mm) for gap in filled.gaps)


@pytest.mark.parametrize(("first", "last"), [(0, 29), (210, 239)])
def test_gaps_at_both_ends_of_a_clip_are_filled_from_neighbours(first, last):
    filled = fill_gaps(hidden(TRUTH, ("shank4", first, last)))
    assert filled.gaps[0].method in ("rigid", "regression", "pca")
    assert errors_mm(filled.markers, TRUTH, "shank4", first, last).max() < 4.0


def test_markers_that_vanish_together_are_filled_by_their_own_trajectories():
    together = [(name, 100, 104) for name in TRUTH.names]
    filled = fill_gaps(hidden(TRUTH, *together))
    assert {gap.method for gap in filled.gaps} <= {"linear", "spline"}
    assert max(errors_mm(filled.markers, TRUTH, *gap).max() for gap in together) < 5.0


def test_a_short_gap_of_a_neighbour_does_not_stop_a_long_one_from_being_filled():
    holes = [(f"shank{k}", 70 + 5 * k, 72 + 5 * k) for k in (0, 1, 3, 4)]
    filled = fill_gaps(hidden(TRUTH, ("shank2", 60, 109), *holes))
    assert not filled.left_open
    assert errors_mm(filled.markers, TRUTH, "shank2", 60, 109).max() < 4.0


def test_neighbours_with_gaps_of_their_own_help_all_the_same():
    holes = [(f"shank{k}", 10 + 7 * k, 22 + 7 * k) for k in (0, 1, 3, 4)]
    spoilt = hidden(TRUTH, ("shank2", 150, 199), *holes)
    filled = fill_gaps(spoilt, methods=["regression"], max_error_mm=10.0)
    gap = next(gap for gap in filled.gaps if gap.marker == "shank2")
    assert gap.method == "regression"
    assert errors_mm(filled.markers, TRUTH, "shank2", 150, 199).max() < 5.0


def test_a_long_gap_in_a_short_clip_is_tested_beside_itself():
    short = replace(TRUTH, positions=TRUTH.positions[:110])
    filled = fill_gaps(hidden(short, ("shank2", 30, 79)))
    assert not filled.left_open
    assert errors_mm(filled.markers, short, "shank2", 30, 79).mean() < 5.0


def test_a_spline_is_that_of_scipy_through_the_frames_nearby():
    frames = np.arange(len(TRUTH))
    for first, last in ((1, 3), (2, 40), (60, 109), (150, 198)):
        filled = fill_gaps(hidden(TRUTH, ("shank2", first, last)), methods=["spline"], max_error_mm=1e3)
        known = np.r_[frames[max(first - KNOTS, 0) : first], frames[last + 1 : last + 1 + KNOTS]]
        marker = TRUTH.names.index("shank2")
        expected = CubicSpline(known, TRUTH.positions[known, marker])(frames[first : last + 1])
        assert_allclose(filled.markers.positions[first : last + 1, marker], expected, atol=1e-10)


def test_the_axes_of_the_world_do_not_matter():
    turn, away = rotation_exp(np.array([0.3, -1.2, 0.7])), np.array([5.0, -3.0, 1.0])
    spoilt = hidden(TRUTH, *GAPS)
    moved = replace(spoilt, positions=spoilt.positions @ turn.T + away)
    expected = fill_gaps(spoilt).markers.positions @ turn.T + away
    assert_allclose(fill_gaps(moved).markers.positions, expected, atol=1e-6)


def test_wrong_input_is_refused():
    with pytest.raises(GoalError, match="methods needs some of linear, spline, rigid, regression, pca"):
        fill_gaps(TRUTH, methods=["magic"])  # type: ignore[list-item]
    with pytest.raises(GoalError, match="max_error_mm needs a positive number of mm, found 0"):
        fill_gaps(TRUTH, max_error_mm=0.0)
    with pytest.raises(ConfigurationError, match="markers needs Markers"):
        fill_gaps(limbik.load("panda"))  # type: ignore[arg-type]


def test_markers_farther_away_than_any_room_are_refused():
    for positions in (np.full((3, 2, 3), 1e200), np.array(np.nan)):
        with pytest.raises(ConfigurationError, match="positions needs numbers"):
            limbik.Markers(["a", "b"], positions, 0.01)


def test_without_gaps_there_is_nothing_to_do():
    assert fill_gaps(TRUTH).gaps == ()
