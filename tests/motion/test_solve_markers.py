"""Markers move a skeleton: in the person's size, whatever their names are and where they are gone."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import limbik
from limbik.errors import ConfigurationError, FormatWarning, ModelError
from limbik.motion import SolvedMarkers, solve_markers
from limbik.motion.markers.calibration import _weights
from limbik.spatial import rotation_exp
from motion.marked import marked_leg, marked_person

pytestmark = pytest.mark.slow

SKELETON, PERSON, MARKERS, MARKER_SET = marked_person()
LEG, WALKER, LEG_MARKERS, LEG_SET = marked_leg()
NAME = "mixamorig:{}".format


@pytest.fixture(scope="module")
def person() -> SolvedMarkers:
    return solve_markers(MARKERS, SKELETON, marker_set=MARKER_SET)


@pytest.fixture(scope="module")
def leg() -> SolvedMarkers:
    return solve_markers(LEG_MARKERS, LEG, marker_set=LEG_SET)


def apart_mm(first: limbik.Motion, second: limbik.Motion, link: str) -> np.ndarray:
    places = [motion.model.pose(motion.q, link)[:, :3, 3] for motion in (first, second)]
    return 1e3 * np.linalg.norm(places[0] - places[1], axis=1)


def spoilt(markers: limbik.Markers, change) -> limbik.Markers:
    places = markers.positions.copy()
    change(places)
    return replace(markers, positions=places)


def again(markers: limbik.Markers, leg: SolvedMarkers) -> SolvedMarkers:
    return solve_markers(markers, LEG, marker_set=LEG_SET, calibration=leg.calibration)


def test_a_skeleton_moves_as_the_person_does(person):
    assert person.rms_mm < 2.5  # noise of 1 mm along each axis
    for part in ("Leg", "Foot", "ForeArm", "Hand"):
        for side in ("Left", "Right"):
            assert apart_mm(person.motion, PERSON, NAME(side + part)).mean() < 12.0
    assert (len(person.swaps), len(person.ghosts)) == (0, 0)


def test_bones_get_the_lengths_of_the_person(person):
    for part in ("Leg", "Foot", "ForeArm", "Hand"):
        for link in (NAME("Left" + part), NAME("Right" + part)):
            true = PERSON.model.joint(f"{link}.Zrotation").origin[:3, 3]
            found = person.motion.model.joint(f"{link}.Zrotation").origin[:3, 3]
            assert_allclose(np.linalg.norm(found), np.linalg.norm(true), rtol=0.05)


def test_the_motion_is_that_of_the_skeletons_file(person, tmp_path):
    person.motion.save(tmp_path / "solved.bvh")
    saved = limbik.load_motion(tmp_path / "solved.bvh")
    assert saved.links == SKELETON.links
    assert saved.dt == pytest.approx(MARKERS.dt)
    assert apart_mm(saved, person.motion, NAME("LeftHand")).max() < 1e-4


def test_residuals_are_those_of_the_markers_on_the_skeleton(leg):
    for k, (marker, (link, place)) in enumerate(leg.positions.items()):
        poses = leg.motion.model.pose(leg.motion.q, link)
        on_it = poses[:, :3, 3] + poses[:, :3, :3] @ np.array(place)
        off = 1e3 * np.linalg.norm(on_it - LEG_MARKERS.positions[:, k], axis=1)
        assert_allclose(leg.residuals_mm[:, k], off, atol=1e-3)
        assert_allclose(leg.marker_rms_mm[marker], np.sqrt(np.mean(off**2)), atol=1e-3)
    assert_allclose(np.sqrt(np.mean(leg.frame_rms_mm**2)), leg.rms_mm)


def test_a_model_moves_too_in_the_size_of_the_person(leg):
    assert leg.rms_mm < 2.5
    assert_allclose(leg.scales["shank"], 0.46 / 0.42, rtol=0.03)
    assert_allclose(leg.scales["foot"], 0.40 / 0.42, rtol=0.03)
    for link in ("thigh", "shank", "foot"):
        assert apart_mm(leg.motion, WALKER, link).mean() < 10.0


def test_swapped_markers_are_found_and_get_their_names_back(leg):
    def change(places):
        places[10:15, [5, 14]] = places[10:15, [14, 5]]

    found = again(spoilt(LEG_MARKERS, change), leg)
    assert [str(swap) for swap in found.swaps] == ["thigh1 and foot2 swapped, frames 10 to 14"]
    assert found.ghosts == ()
    assert_allclose(found.markers.positions, LEG_MARKERS.positions)
    assert apart_mm(found.motion, leg.motion, "foot").max() < 0.5


def test_ghosts_are_found_and_left_aside(leg):
    def change(places):
        places[7:9, 9] += [0.3, 0.0, 0.2]

    found = again(spoilt(LEG_MARKERS, change), leg)
    assert [(each.marker, each.first, each.last) for each in found.ghosts] == [("shank1", 7, 8)]
    assert np.isnan(found.markers.positions[7:9, 9]).all()
    assert np.isnan(found.residuals_mm[7:9, 9]).all()
    assert apart_mm(found.motion, leg.motion, "foot").max() < 5.0


def test_one_marker_far_away_in_one_frame_is_the_only_ghost_and_moves_nothing(person):
    """Each of them in turn, at 1 m, in any direction."""
    rng = np.random.default_rng(0)
    for k, name in enumerate(MARKERS.names):
        away, frame = rng.standard_normal(3), 5 + 2 * k % (len(MARKERS) - 10)
        places = MARKERS.positions.copy()
        places[frame, k] += away / np.linalg.norm(away)
        far = replace(MARKERS, positions=places)
        solved = solve_markers(far, SKELETON, marker_set=MARKER_SET, calibration=person.calibration)
        assert [(each.marker, each.first, each.last) for each in solved.ghosts] == [(name, frame, frame)]
        for part in ("LeftLeg", "RightForeArm", "Hips"):
            assert apart_mm(solved.motion, person.motion, NAME(part)).max() < 20.0


def test_a_marker_a_hand_away_in_one_frame_is_a_ghost_though_it_draws_others_along(person):
    """Each of them in turn, at 0.1 m; but for one whose link has no other that would contradict it."""
    rng = np.random.default_rng(0)
    reported = 0
    for k, name in enumerate(MARKERS.names):
        away, frame = rng.standard_normal(3), 5 + 2 * k % (len(MARKERS) - 10)
        places = MARKERS.positions.copy()
        places[frame, k] += 0.1 * away / np.linalg.norm(away)
        far = replace(MARKERS, positions=places)
        solved = solve_markers(far, SKELETON, marker_set=MARKER_SET, calibration=person.calibration)
        assert [each.marker for each in solved.ghosts] in ([name], [])
        reported += len(solved.ghosts)
    assert reported >= len(MARKERS.names) - 1


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("links", [("left_upperleg",), ("left_upperleg_virtual", "left_upperleg_virtual_2")])
@pytest.mark.parametrize("factor", [1e-6, 1e-2, 1.0, 1e6])
def test_markers_of_links_in_one_place_have_an_answer(links, factor):
    """What is between them says nothing of the size of the body."""
    rng = np.random.default_rng(0)
    time = np.linspace(0.0, 1.0, 30)[:, None]
    ways = np.stack([time, 0.0 * time, np.sin(time) + 1.0], axis=2)
    places = factor * (0.1 * rng.normal(size=(1, 6, 3)) + ways + 0.001 * rng.normal(size=(30, 6, 3)))
    clip = limbik.Markers(tuple("abcdef"), places, 0.01)
    markers = {name: links[k % len(links)] for k, name in enumerate("abcdef")}
    solved = solve_markers(clip, limbik.load("human"), marker_set=markers)
    assert np.isfinite(solved.motion.q).all()
    assert solved.rms_mm < 20.0 * factor or factor < 1.0


@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_markers_in_another_unit_are_told(factor):
    small = replace(LEG_MARKERS, positions=factor * LEG_MARKERS.positions[:20])
    with pytest.warns(FormatWarning, match="times as large as the skeleton: are both in metres"):
        solve_markers(small, LEG, marker_set=LEG_SET)


def test_a_marker_that_is_wrong_all_the_time_does_not_spoil_the_others():
    def change(places):
        places[:, 9] += [0.5, 1.5, 0.0]

    found = solve_markers(spoilt(LEG_MARKERS, change), LEG, marker_set=LEG_SET)
    assert [(each.marker, each.first, each.last) for each in found.ghosts] == [("shank1", 0, 30)]
    assert np.isnan(found.marker_rms_mm["shank1"])
    assert apart_mm(found.motion, WALKER, "foot").mean() < 15.0


def test_gaps_are_no_matter(leg):
    def change(places):
        places[5:9, 2] = np.nan
        places[20:22] = np.nan

    found = again(spoilt(LEG_MARKERS, change), leg)
    assert np.isfinite(found.motion.q).all()
    assert apart_mm(found.motion, leg.motion, "foot")[:19].max() < 5.0
    assert np.isnan(found.frame_rms_mm[20:22]).all()


def test_the_axes_of_the_world_do_not_matter():
    turn, away = rotation_exp(np.array([1.2, 0.4, -0.8])), np.array([3.0, -2.0, 1.0])
    moved = replace(LEG_MARKERS, positions=LEG_MARKERS.positions @ turn.T + away)
    assert solve_markers(moved, LEG, marker_set=LEG_SET).rms_mm < 2.5


def test_a_marker_that_fits_less_well_than_others_is_no_outlier_yet():
    """Markers of a joint that is not yet where it belongs, beside others that fit without noise."""
    off = np.full((1, 12), 1e-5)
    off[0, :2] = 0.01, 0.2  # [m]
    near, far, *others = _weights(off)[0]
    assert near > 0.7 and far < 0.02
    assert min(others) > 0.999


def test_a_marker_may_be_given_its_place(leg):
    given = {name: (link, place) for name, (link, place) in leg.positions.items()}
    found = solve_markers(LEG_MARKERS, LEG, marker_set=given)
    assert found.rms_mm < 2.5


def test_a_single_body_is_followed():
    block = limbik.Model(
        "block", [limbik.Joint(name="free", kind=limbik.JointKind.FLOATING, parent="world", child="block")]
    )
    places = np.array([[0.1, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.3], [-0.1, -0.1, 0.0]])
    turns = rotation_exp(np.array([0.2, 0.5, 1.0]) * np.linspace(0.0, 2.0, 12)[:, None])
    seen = np.einsum("tij,kj->tki", turns, places) + np.linspace(0.0, 1.0, 12)[:, None, None]
    markers = limbik.Markers(("a", "b", "c", "d"), seen, 0.1)
    found = solve_markers(
        markers,
        block,
        marker_set={name: ("block", place) for name, place in zip("abcd", places, strict=True)},
    )
    assert found.rms_mm < 0.5
    assert_allclose(found.motion.model.pose(found.motion.q, "block")[:, :3, :3], turns, atol=0.02)


def test_wrong_input_is_refused(leg):
    with pytest.raises(ConfigurationError, match="markers needs Markers"):
        solve_markers(LEG, LEG, marker_set=LEG_SET)
    with pytest.raises(ModelError, match="skeleton needs a Model or a Motion, found 'human'"):
        solve_markers(LEG_MARKERS, "human", marker_set=LEG_SET)
    with pytest.raises(ModelError, match="marker_set needs a mapping of markers to links"):
        solve_markers(LEG_MARKERS, LEG, marker_set={})
    with pytest.raises(ModelError, match="has no frame 'tigh'; did you mean"):
        solve_markers(LEG_MARKERS, LEG, marker_set={"thigh0": "tigh"})
    with pytest.raises(ModelError, match="marker 'thigh0' needs a link, or link and position, found 3"):
        solve_markers(LEG_MARKERS, LEG, marker_set={"thigh0": 3})
    with pytest.raises(ModelError, match="the clip has no marker 'thigh9'; did you mean"):
        solve_markers(LEG_MARKERS, LEG, marker_set={"thigh9": "thigh"})
    with pytest.raises(ModelError, match="needs 4 markers that are seen in one frame, found 2"):
        solve_markers(LEG_MARKERS, LEG, marker_set={"thigh0": "thigh", "foot0": "foot"})
    for name, wrong in (
        ("scales", [-0.1, 1.0]),
        ("scales", [[1.0]]),
        ("offsets", np.full((3, 3), np.nan)),
        ("offsets", 1.0),
        ("offsets", np.full((3, 3), 1e200)),
        ("usual", np.full(len(leg.calibration.usual), np.nan)),
        ("usual", [0.1]),
        ("usual", "near"),
    ):
        with pytest.raises(ModelError, match=f"{name} needs "):
            replace(leg.calibration, **{name: wrong})
    with pytest.raises(ModelError, match="calibration is that of another"):
        solve_markers(MARKERS, SKELETON, marker_set=MARKER_SET, calibration=leg.calibration)


@pytest.mark.parametrize("frames", [1, 40])
def test_markers_that_are_all_in_one_point_have_an_answer(frames) -> None:
    model, _, markers, marker_set = marked_leg()
    nowhere = limbik.Markers(markers.names, np.zeros((frames, len(markers.names), 3)), markers.dt)
    assert np.isfinite(solve_markers(nowhere, model, marker_set=marker_set).motion.q).all()


def test_what_no_marker_tells_of_stays_for_a_while_and_is_said():
    body = limbik.ModelBuilder("leg", root="world").floating("base", child="pelvis", parent="world")
    for joint, parent, child, length in (
        ("hip", "pelvis", "thigh", 0.1),
        ("knee", "thigh", "shank", 0.4),
        ("ankle", "shank", "foot", 0.4),
    ):
        body.revolute(joint, axis="y", limits=(-2, 2), parent=parent, child=child, origin=(0, 0, -length))
    model, rng = body.build(), np.random.default_rng(0)
    t = 0.01 * np.arange(200)
    q = np.tile(model.neutral, (200, 1))
    q[:, 0] = np.minimum(t, 0.6)  # walks, then stands
    ankle = model.q_slice("ankle").start
    q[:, model.q_slice("hip").start], q[:, model.q_slice("knee").start] = (
        0.3 * np.sin(5 * t),
        0.5 + 0.3 * np.sin(4 * t),
    )
    q[:, ankle] = np.interp(t, [0, 0.5, 1, 2], [-0.5, 0.8, 0.8, -0.5])
    links = [link for link in ("pelvis", "thigh", "shank", "foot") for _ in range(4)]
    offsets = rng.uniform(-0.1, 0.1, (16, 3))
    poses = model.poses(q, links)
    positions = (poses[..., :3, :3] @ offsets[..., None])[..., 0] + poses[..., :3, 3]
    marker_set = {f"m{k}": (link, tuple(offsets[k])) for k, link in enumerate(links)}

    def solved(frames: slice, markers: slice) -> SolvedMarkers:
        seen = positions.copy()
        seen[frames, markers] = np.nan
        return solve_markers(limbik.Markers(tuple(marker_set), seen, dt=0.01), model, marker_set=marker_set)

    foot = solved(slice(60, 90), slice(12, 16))
    assert np.ptp(foot.motion.q[59:91, ankle]) < 0.1 * q[60, ankle]
    assert "no marker" not in str(foot)
    gone = solved(slice(58, 158), slice(None))
    assert_allclose(gone.motion.q[58:158], np.tile(gone.motion.q[57], (100, 1)))
    assert "; no marker in 100 frames" in str(gone)
