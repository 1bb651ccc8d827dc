"""Every bone has one length afterwards, and hands and feet are where they were."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import limbik
from limbik.errors import ModelError
from limbik.formats import bvh_model
from limbik.motion import fit_limb_lengths, measure
from motion.people import LENGTH, crouching
from motion.stretching import stretching

NAME = "mixamorig:{}".format
TRUTH = limbik.load_motion(crouching(frames=13))
ENDS = [NAME(side + part) for side in ("Left", "Right") for part in ("Hand", "Foot")]


def places(motion: limbik.Motion, frame: str) -> np.ndarray:
    return motion.model.pose(motion.q, frame)[:, :3, 3]


def test_bones_that_stretch_get_their_median_length_and_ends_stay():
    stretched = stretching(TRUTH)
    fitted = fit_limb_lengths(stretched)
    for bone in fitted.bones:
        parent = next(j.parent for j in TRUTH.model.joints if j.name == f"{bone.link}.Zrotation")
        now = np.linalg.norm(places(fitted.motion, bone.link) - places(fitted.motion, parent), axis=1)
        assert_allclose(now, bone.length_m, atol=1e-9)
        true = np.linalg.norm(places(TRUTH, bone.link) - places(TRUTH, parent), axis=1)
        assert_allclose(now, true, rtol=0.02)
        assert bone.min_m < bone.length_m < bone.max_m
    for end in ENDS:
        away = 1e3 * np.linalg.norm(places(fitted.motion, end) - places(stretched, end), axis=1)
        kept = next(each for each in fitted.deviations if each.frame == end)
        assert_allclose([away.mean(), away.max()], [kept.mean_mm, kept.peak_mm], rtol=1e-6, atol=1e-6)
        assert kept.mean_mm < 3.0
        assert kept.mean_mm < 0.4 * kept.unsolved_mm


def test_the_answer_is_a_bvh_without_position_channels_on_bones(tmp_path):
    fitted = fit_limb_lengths(stretching(TRUTH))
    fitted.motion.save(tmp_path / "rigid.bvh")
    again = limbik.load_motion(tmp_path / "rigid.bvh")
    assert again.model.joint_names == TRUTH.model.joint_names
    assert_allclose(places(again, ENDS[0]), places(fitted.motion, ENDS[0]), atol=1e-8)


def test_a_motion_whose_bones_are_right_is_not_changed():
    fitted = fit_limb_lengths(TRUTH, symmetric=True)
    assert_allclose(fitted.motion.q, TRUTH.q, atol=1e-9)
    assert fitted.motion.hierarchy == TRUTH.hierarchy
    assert str(fitted).startswith("0 of 20 bones varied in length")


def test_bones_get_the_lengths_of_a_person():
    fitted = fit_limb_lengths(TRUTH, lengths={NAME("LeftLeg"): 0.40, NAME("RightLeg"): 0.40})
    bones = {bone.link: bone for bone in fitted.bones}
    assert bones[NAME("LeftLeg")].length_m == 0.40
    assert_allclose(bones[NAME("LeftLeg")].most_m, LENGTH)
    thigh = places(fitted.motion, NAME("LeftLeg")) - places(fitted.motion, NAME("LeftUpLeg"))
    assert_allclose(np.linalg.norm(thigh, axis=1), 0.40)
    assert max(kept.peak_mm for kept in fitted.deviations) < 4.0
    feet = [NAME("LeftFoot"), NAME("RightFoot")]
    assert measure(fitted.motion, feet=feet).foot_slide_cm_s < 2.0


def test_both_sides_become_alike_if_asked():
    longer = replace(
        TRUTH, hierarchy=tuple(
            replace(joint, offset=tuple(1.1 * each for each in joint.offset))
            if joint.name == NAME("LeftForeArm")
            else joint
            for joint in TRUTH.hierarchy
        )
    )  # fmt: skip
    longer = replace(longer, model=bvh_model.model_of(longer.hierarchy, longer.metres, "longer"))
    fitted = fit_limb_lengths(longer, symmetric=True, lengths={NAME("LeftHand"): 0.2})
    found = {bone.link: bone.length_m for bone in fitted.bones}
    assert_allclose([found[NAME("LeftForeArm")], found[NAME("RightForeArm")]], 1.05 * 0.28)
    assert_allclose([found[NAME("LeftHand")], found[NAME("RightHand")]], [0.2, 0.25])


def test_what_is_kept_can_be_chosen():
    fitted = fit_limb_lengths(stretching(TRUTH), keep=[NAME("Head")])
    assert [kept.frame for kept in fitted.deviations] == [NAME("Head")]
    assert fitted.deviations[0].mean_mm < 3.0


def test_roots_keep_their_place_and_the_file_stays_otherwise():
    stretched = stretching(TRUTH)
    fitted = fit_limb_lengths(stretched)
    assert (fitted.motion.dt, fitted.motion.up, fitted.motion.metres) == (TRUTH.dt, TRUTH.up, TRUTH.metres)
    assert np.abs(places(fitted.motion, NAME("Hips")) - places(stretched, NAME("Hips"))).max() < 0.02
    assert_array_equal(fitted.motion.links, TRUTH.links)


def test_wrong_input_is_refused():
    with pytest.raises(ModelError, match="needs a motion from BVH"):
        fit_limb_lengths(limbik.Motion(limbik.load("panda"), limbik.load("panda").neutral[None], 0.1))
    with pytest.raises(ModelError, match="there is no bone that ends at 'LeftLeg'; did you mean"):
        fit_limb_lengths(TRUTH, lengths={"LeftLeg": 0.4})
    with pytest.raises(ModelError, match=r"needs a positive number of metres, up to 1e\+09, found -1"):
        fit_limb_lengths(TRUTH, lengths={NAME("LeftLeg"): -1.0})


def test_where_nothing_is_to_stay_nothing_is_said_of_it() -> None:
    fitted = fit_limb_lengths(TRUTH, keep=[])
    assert str(fitted) == f"0 of {len(fitted.bones)} bones varied in length"
