"""Parts of bodies, found by name."""

import pytest

import limbik
from limbik.errors import ModelError
from motion.people import FAMILIES, crouching, names_of

FINGERS = """HIERARCHY
ROOT RightHand
{
  OFFSET 0 0 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT RightHandIndex1
  {
    OFFSET 1 0 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 1 0 0
    }
  }
}
MOTION
Frames: 1
Frame Time: 0.1
0 0 0 0 0 0
"""


@pytest.mark.parametrize("family", FAMILIES)
def test_the_names_of_many_programs_are_known(family):
    found = limbik.humanoid(limbik.load_motion(crouching(family, frames=2)))
    expected = names_of(family)
    assert found.frames["hips"] == expected["hips"]
    for role, name in expected.items():
        if role not in ("spine", "chest"):
            assert found.frames[role] == name
    assert found.frames["spine"] == expected["spine"]
    assert found.frames["chest"] == expected["chest"]
    assert found.missing == ()


def test_of_hinges_in_a_row_the_last_one_carries_the_part():
    found = limbik.humanoid(limbik.load("g1")).frames
    assert found["leftUpperLeg"] == "left_hip_yaw_link"
    assert found["leftFoot"] == "left_ankle_roll_link"
    assert found["rightUpperArm"] == "right_shoulder_yaw_link"
    assert found["rightHand"] == "right_wrist_yaw_link"
    assert found["upperChest"] == "torso_link"
    assert "head" not in found  # it does not move against the torso


def test_hinges_with_numbers_are_counted(tmp_path):
    joints = []
    for limb, count in (("leg", 6), ("arm", 7)):
        for side in ("left", "right"):
            for k in range(1, count + 1):
                parent = (
                    f"{limb}_{side}_{k - 1}_link"
                    if k > 1
                    else "base_link"
                    if limb == "leg"
                    else "torso_1_link"
                )
                joints.append((f"{limb}_{side}_{k}", parent, "xyzyxyz"[k - 1]))
    builder = limbik.ModelBuilder("robot", root="base_link").revolute(
        "torso_1", parent="base_link", child="torso_1_link", axis="z"
    )
    for name, parent, axis in joints:
        builder = builder.revolute(
            name, parent=parent, child=f"{name}_link", axis=axis, origin=(0.0, 0.0, 0.1)
        )
    found = limbik.humanoid(builder.build()).frames
    assert found["hips"] == "base_link"
    assert found["leftUpperLeg"] == "leg_left_3_link"
    assert found["leftLowerLeg"] == "leg_left_4_link"
    assert found["leftFoot"] == "leg_left_6_link"
    assert found["rightUpperArm"] == "arm_right_3_link"
    assert found["rightHand"] == "arm_right_7_link"


def test_what_was_found_is_shown_and_can_be_corrected():
    found = limbik.humanoid(limbik.load("g1"))
    assert "leftUpperLeg   left_hip_yaw_link" in str(found)
    assert str(found).endswith("not found: head")
    corrected = found.with_frames({"head": "head_link", "leftHand": None})
    assert corrected.frames["head"] == "head_link"
    assert "leftHand" in corrected.missing
    assert found.frames["leftHand"] == "left_wrist_yaw_link"
    with pytest.raises(ModelError, match="there is no role 'leftPaw'; did you mean 'leftHand'"):
        found.with_frames({"leftPaw": "head_link"})
    with pytest.raises(ModelError, match="head_lin"):
        found.with_frames({"head": "head_lin"})


@pytest.mark.parametrize("name", ["panda", "ur5e"])
def test_what_is_no_body_is_refused(name):
    with pytest.raises(
        ModelError, match=r"named like hips or leftUpperLeg .* give them: limbik.motion.Humanoid"
    ):
        limbik.humanoid(limbik.load(name))
    with pytest.raises(ModelError, match="named like hips"):
        limbik.humanoid(limbik.load_motion(FINGERS))
