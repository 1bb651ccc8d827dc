"""A hand, a foot or the hips of one frame put elsewhere, and the frames around it with them."""

import numpy as np
import pytest

import limbik
import walker
from limbik.errors import GoalError, ModelError
from limbik.motion import drag, grips_of
from motion.people import crouching

MIDDLE = 30
FALLOFF = 0.4  # [s]


@pytest.fixture(scope="module")
def person():
    return limbik.load_motion(crouching())


def places(motion, link):
    return motion.model.pose(motion.q, link)[:, :3, 3]


@pytest.mark.parametrize("side", ["Left", "Right"])
@pytest.mark.parametrize("end", ["Hand", "Foot"])
def test_a_hand_or_foot_goes_where_it_is_put_and_the_rest_stays(person, side, end):
    link = f"mixamorig:{side}{end}"
    before = places(person, link)
    target = before[MIDDLE] + [0.03, 0.05, 0.04]
    moved = drag(person, link, MIDDLE, target, falloff=FALLOFF)
    after = places(moved, link)
    assert after[MIDDLE] == pytest.approx(target, abs=2e-3)  # a straight limb is eased
    away = np.abs(np.arange(len(person)) - MIDDLE) * person.dt
    assert (moved.q[away >= FALLOFF] == person.q[away >= FALLOFF]).all()
    shift = np.linalg.norm(after - before, axis=1)[MIDDLE:]
    assert (np.diff(shift) <= 1e-3).all()  # it fades
    turned = moved.model.pose(moved.q, link)[:, :3, :3]
    assert turned == pytest.approx(person.model.pose(person.q, link)[:, :3, :3], abs=1e-6)
    for other in grips_of(person):
        if other != link:
            assert places(moved, other) == pytest.approx(places(person, other), abs=1e-9)


def test_what_is_out_of_reach_is_gone_toward(person):
    hand = "mixamorig:LeftHand"
    far = places(person, "mixamorig:LeftArm")[MIDDLE] + [5.0, 0.0, 0.0]
    moved = drag(person, hand, MIDDLE, far)
    arm = places(moved, hand)[MIDDLE] - places(moved, "mixamorig:LeftArm")[MIDDLE]
    assert np.linalg.norm(arm) > 0.97 * 0.53
    assert arm / np.linalg.norm(arm) == pytest.approx([1.0, 0.0, 0.0], abs=1e-3)


@pytest.mark.parametrize("kind", ["euler", "ball"])
def test_the_hips_carry_the_body_and_the_feet_stay(kind):
    walk = walker.walk(walker.Gait(duration=1.0), kind).motion
    hips = places(walk, "Hips")
    moved = drag(walk, "Hips", MIDDLE, hips[MIDDLE] - [0.02, 0.1, 0.03], falloff=0.2)
    assert places(moved, "Hips")[MIDDLE] == pytest.approx(hips[MIDDLE] - [0.02, 0.1, 0.03], abs=1e-9)
    for side in ("Left", "Right"):
        assert places(moved, side + "Foot") == pytest.approx(places(walk, side + "Foot"), abs=0.01)


def test_the_hips_of_a_file_in_gltf_are_dragged_as_those_of_bvh(person, tmp_path):
    person.save(tmp_path / "person.glb")
    again = limbik.load_motion(tmp_path / "person.glb")
    assert grips_of(again) == grips_of(person)
    hips = "mixamorig:Hips"
    target = places(again, hips)[MIDDLE] - [0.02, 0.05, 0.03]
    moved, expected = (drag(each, hips, MIDDLE, target, falloff=FALLOFF) for each in (again, person))
    assert places(moved, hips)[MIDDLE] == pytest.approx(target, abs=1e-6)
    for link in grips_of(person):
        assert places(moved, link) == pytest.approx(places(expected, link), abs=1e-5)


def test_a_drag_keeps_the_file_and_can_be_saved(person, tmp_path):
    moved = drag(person, "mixamorig:LeftHand", 0, places(person, "mixamorig:LeftHand")[0] + [0.0, 0.1, 0.0])
    moved.save(tmp_path / "moved.bvh")
    again = limbik.load_motion(tmp_path / "moved.bvh")
    assert again.q == pytest.approx(moved.q, abs=1e-8)


def test_what_can_be_taken_is_said(person):
    assert grips_of(person) == (
        "mixamorig:Hips", "mixamorig:LeftHand", "mixamorig:RightHand", "mixamorig:LeftFoot",
        "mixamorig:RightFoot",
    )  # fmt: skip
    arm = limbik.load("panda")
    assert grips_of(limbik.Motion(arm, arm.neutral[None], 0.01)) == ()


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"link": "mixamorig:Head"}, ModelError, "a hand, a foot or the hips"),
        ({"link": "mixamorig:LeftHant"}, ModelError, "mixamorig:LeftHand"),
        ({"frame": 61}, GoalError, "from 0 to 60, found 61"),
        ({"frame": -1}, GoalError, "frame"),
        ({"frame": 1.5}, GoalError, "frame"),
        ({"place": [1.0, 2.0]}, GoalError, "place"),
        ({"place": [1.0, 2.0, np.nan]}, GoalError, "place"),
        ({"falloff": 0.0}, GoalError, "falloff needs a number of seconds from 1e-06, found 0"),
        ({"falloff": np.inf}, GoalError, "falloff"),
    ],
)
def test_what_makes_no_sense_is_refused(person, change, error, words):
    usual = {"link": "mixamorig:LeftHand", "frame": MIDDLE, "place": [0.0, 1.0, 0.0], "falloff": 0.3}
    given = usual | change
    with pytest.raises(error, match=words):
        drag(person, given["link"], given["frame"], given["place"], falloff=given["falloff"])


@pytest.mark.parametrize("link", ["mixamorig:LeftHand", "mixamorig:LeftFoot", "mixamorig:Hips"])
def test_a_drag_of_nothing_fades_out_to_nothing(person, link):
    dragged = drag(person, link, MIDDLE, places(person, link)[MIDDLE], falloff=0.3)
    for end in ("Foot", "Hand"):
        moved = places(dragged, f"mixamorig:Left{end}") - places(person, f"mixamorig:Left{end}")
        assert np.abs(np.diff(moved, axis=0)).max() < 0.002  # straight knees and elbows, eased by millimetres
    with pytest.raises(GoalError, match="is dragged, so `keep` cannot have it"):
        drag(person, link, MIDDLE, places(person, link)[MIDDLE], keep=[3, MIDDLE])


def test_a_second_drag_leaves_the_first_where_it_was_put(person):
    link, first, second = "mixamorig:LeftHand", MIDDLE, MIDDLE + 10
    there = places(person, link)[first] + [0.03, -0.05, 0.02]
    up = places(person, link)[second] + [0.0, 0.05, 0.0]
    once = drag(person, link, first, there)
    twice = drag(once, link, second, up, falloff=0.6, keep=[first])
    assert (twice.q[first] == once.q[first]).all()
    assert (twice.q[:first] == once.q[:first]).all()
    moved = drag(once, link, second, up, falloff=0.6)
    assert np.abs(moved.q[first] - once.q[first]).max() > 1e-3
    with pytest.raises(GoalError, match="`keep` needs a whole number from 0 to 60, found -1"):
        drag(once, link, second, there, keep=[-1])
