"""Parts of the body are found by the names of many programs, without names, and in robots."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import limbik
from limbik.errors import FormatWarning, ModelError
from limbik.motion.body.roles import FINGERS, ROLES, SIDES
from motion.bodies import FAMILIES, Bone, bones, bvh, hidden

FINGER_ROLE = {
    f"{side}{finger}{k + 1}": f"{side}{finger}{bone}"
    for side in SIDES
    for finger, parts in FINGERS.items()
    for k, bone in enumerate(parts)
}


def roles_of(names: dict[str, str], *, fingers: bool = True) -> dict[str, str]:
    """What is to be found of a family's names."""
    found = {FINGER_ROLE.get(key, key): name for key, name in names.items()}
    return {role: name for role, name in found.items() if role in ROLES and (fingers or not is_finger(role))}


def is_finger(role: str) -> bool:
    return role in FINGER_ROLE.values()


def load(text: str, **options) -> limbik.Motion:
    return limbik.load_motion(text, unit="cm", **options)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_part_is_found_by_the_names_of_a_program(family: str) -> None:
    names = FAMILIES[family]
    assert dict(limbik.humanoid(load(bvh(bones(names)))).frames) == roles_of(names)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", range(3))
def test_every_part_is_found_without_names(family: str, seed: int) -> None:
    names = hidden(FAMILIES[family], seed)
    found = limbik.humanoid(load(bvh(bones(names))))
    expected = roles_of(names, fingers=False)
    if "spine" not in names:
        expected["spine"] = expected.pop("chest")  # a trunk of one joint has no name that says chest
    assert dict(found.frames) == expected
    assert all(reason.startswith("structure: ") for reason in found.found_by.values())


@pytest.mark.parametrize("scale", [0.3937, 0.01, 25.0])
def test_the_size_of_a_body_does_not_matter(scale: float) -> None:
    names = hidden(FAMILIES["mixamo"])
    assert dict(limbik.humanoid(load(bvh(bones(names), scale))).frames) == roles_of(names, fingers=False)


def test_left_and_right_change_places_in_a_mirror_unless_names_say_it() -> None:
    names = hidden(FAMILIES["lafan1"])
    mirrored = limbik.humanoid(load(bvh(bones(names), mirror=True))).frames
    for role, name in roles_of(names).items():
        other = role.replace("left", "*").replace("right", "left").replace("*", "right")
        assert mirrored[other] == name
    names = FAMILIES["lafan1"]
    assert dict(limbik.humanoid(load(bvh(bones(names), mirror=True))).frames) == roles_of(names)


def test_a_body_may_stand_along_any_axis() -> None:
    names = hidden(FAMILIES["cmu"])
    assert dict(limbik.humanoid(load(bvh(bones(names), up="z"), up="z")).frames) == roles_of(names)


def test_a_tail_and_what_a_hand_holds_are_no_limbs() -> None:
    for names in (FAMILIES["mixamo"], hidden(FAMILIES["mixamo"])):
        body = bones(names)
        hips, hand = (
            next(k for k, bone in enumerate(body) if bone.name == names[key]) for key in ("hips", "rightHand")
        )
        tail = [Bone("tail", hips, (0, 0, -10), None)]
        tail += [Bone(f"tail{k}", len(body) + k - 1, (0.0, -2.0, -15.0), None) for k in range(1, 5)]
        sword = [Bone("sword", hand, (8, 0, 0), (0, 0, 90))]
        found = limbik.humanoid(load(bvh([*body, *tail, *sword])))
        assert {role: name for role, name in found.frames.items() if not is_finger(role)} == roles_of(
            names, fingers=False
        )


def test_eyes_are_not_taken_for_the_head_where_names_are_hidden() -> None:
    names = hidden(FAMILIES["mixamo"])
    body = bones(names)
    head = next(k for k, bone in enumerate(body) if bone.name == names["head"])
    eyes = [Bone("bone_200", head, (3, 8, 7), None), Bone("bone_201", head, (-3, 8, 7), None)]
    found = limbik.humanoid(load(bvh([*body, *eyes])))
    assert dict(found.frames) == roles_of(names, fingers=False)


def test_twist_and_roll_bones_beside_a_limb_are_not_taken_for_it() -> None:
    names = FAMILIES["unreal"]
    body = bones(names)
    thigh = next(k for k, bone in enumerate(body) if bone.name == "thigh_l")
    found = limbik.humanoid(load(bvh([*body, Bone("thigh_twist_01_l", thigh, (0, -20, 0), None)])))
    assert dict(found.frames) == roles_of(names)


def test_the_pose_of_the_first_frame_does_not_matter_where_names_are_hidden() -> None:
    names = hidden(FAMILIES["cmu"])
    text = bvh(bones(names))
    random = np.random.default_rng(3)
    head, _, row = text.rstrip().rpartition("\n")
    values = 15.0 * random.standard_normal(len(row.split()))
    values[:3] = 0.0
    found = limbik.humanoid(load(f"{head}\n{' '.join(map(str, values))}\n"))
    assert dict(found.frames) == roles_of(names)


# --- robots -------------------------------------------------------------------------------------------------

ROBOTS = {
    "g1": {
        "hips": "pelvis",
        "chest": "torso_link",
        "head": "head_link",
        "leftUpperLeg": "left_hip_yaw_link",
        "leftLowerLeg": "left_knee_link",
        "leftFoot": "left_ankle_roll_link",
        "leftUpperArm": "left_shoulder_yaw_link",
        "leftLowerArm": "left_elbow_link",
        "leftHand": "left_wrist_yaw_link",
    },
    "talos": {
        "hips": "base_link",
        "chest": "torso_2_link",
        "head": "head_2_link",
        "leftUpperLeg": "leg_left_3_link",
        "leftLowerLeg": "leg_left_4_link",
        "leftFoot": "leg_left_6_link",
        "leftUpperArm": "arm_left_3_link",
        "leftLowerArm": "arm_left_4_link",
        "leftHand": "arm_left_7_link",
    },
    "icub": {
        "hips": "root_link",
        "chest": "chest",
        "neck": "neck_2",
        "head": "head",
        "leftUpperLeg": "l_upper_leg",
        "leftLowerLeg": "l_lower_leg",
        "leftFoot": "l_foot",
        "leftUpperArm": "l_upper_arm",
        "leftLowerArm": "l_forearm",
        "leftHand": "l_hand",
    },
    "romeo": {
        "hips": "body",
        "chest": "torso",
        "neck": "NeckPitchLink",
        "head": "HeadRollLink",
        "leftUpperLeg": "LHipPitchLink",
        "leftLowerLeg": "LKneePitchLink",
        "leftFoot": "l_ankle",
        "leftUpperArm": "LShoulderYawLink",
        "leftLowerArm": "LElbowYawLink",
        "leftHand": "l_wrist",
        "leftThumbMetacarpal": "LThumb1Link",
        "leftIndexProximal": "LFinger11Link",
    },
    "human": {
        "hips": "middle_pelvis",
        "spine": "middle_abdomen",
        "chest": "middle_thorax",
        "head": "middle_head",
        "leftUpperLeg": "left_upperleg",
        "leftLowerLeg": "left_lowerleg",
        "leftFoot": "left_foot",
        "leftShoulder": "left_clavicle",
        "leftUpperArm": "left_upperarm",
        "leftLowerArm": "left_lowerarm",
        "leftHand": "left_hand",
    },
    "bolt": {
        "hips": "base_link",
        "leftUpperLeg": "FL_UPPER_LEG",
        "leftLowerLeg": "FL_LOWER_LEG",
        "leftFoot": "FL_FOOT",
        "rightFoot": "FR_FOOT",
    },
    "alex": {
        "hips": "Pelvis",
        "chest": "Torso",
        "head": "Head",
        "leftUpperArm": "LeftShoulderYawLink",
        "leftLowerArm": "LeftElbowPitchLink",
    },
    "baxter": {
        "chest": "torso",
        "head": "head",
        "leftUpperArm": "left_upper_elbow",
        "leftLowerArm": "left_upper_forearm",
        "leftHand": "left_hand_link",
    },
}


def robot(name: str, **options) -> limbik.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        try:
            return limbik.load(name, **options)
        except ModelError:
            pytest.skip(f"needs the description of {name}")


@pytest.mark.slow
@pytest.mark.parametrize("name", ROBOTS)
def test_parts_of_robots_are_the_links_that_carry_their_bones(name: str) -> None:
    found = limbik.humanoid(robot(name)).frames
    assert {role: found.get(role) for role in ROBOTS[name]} == ROBOTS[name]
    for role, frame in ROBOTS[name].items():
        if role.startswith("left"):
            other = found[role.replace("left", "right")]
            assert len(robot(name).path(other)) == len(robot(name).path(frame))


@pytest.mark.parametrize("name", ["g1", "talos", "human"])
def test_a_robot_on_a_floating_base_has_the_same_parts(name: str) -> None:
    assert limbik.humanoid(robot(name, base="floating")).frames == limbik.humanoid(robot(name)).frames


@pytest.mark.parametrize("ending", ["bvh", "glb"])
@pytest.mark.parametrize("name", ["g1", "talos", "icub", "romeo"])
def test_the_motion_of_a_robot_has_the_same_parts_in_files_without_hinges(
    name: str, ending: str, tmp_path: Path
) -> None:
    model = robot(name, base="floating")
    file = tmp_path / f"robot.{ending}"
    limbik.Motion(model, model.random(1, size=6), dt=0.1).save(file)
    found = limbik.humanoid(limbik.load_motion(file)).frames
    assert limbik.humanoid(model).frames.items() <= found.items()


def test_a_robot_whose_trunk_slides_has_the_same_parts_in_a_file(tmp_path: Path) -> None:
    g1 = robot("g1", base="floating")
    lift = {"kind": limbik.JointKind.PRISMATIC, "lower": 0.0, "upper": 0.2}
    joints = [replace(each, **lift) if each.name == "waist_yaw_joint" else each for each in g1.joints]
    model = limbik.Model("lifted", joints, root=g1.root)
    limbik.Motion(model, model.random(1, size=6), dt=0.1).save(tmp_path / "robot.bvh")
    found = limbik.humanoid(limbik.load_motion(tmp_path / "robot.bvh")).frames
    assert limbik.humanoid(model).frames.items() <= found.items()


def test_a_person_whose_joints_turn_about_one_axis_each_is_no_robot() -> None:
    names = FAMILIES["mixamo"]
    still = load(bvh(bones(names)))
    q = np.tile(still.q[0], (30, 1))
    swings = {"spine": "Y", "chest": "X", "upperChest": "Z", "neck": "Y", "head": "X", "leftUpperArm": "Z"}
    for k, (role, axis) in enumerate(swings.items()):
        if role in names:
            column = still.model.q_slice(f"{names[role]}.{axis}rotation")
            q[:, column] += 0.2 * np.sin((k + 1.0) * np.arange(30))[:, None]
    assert limbik.humanoid(replace(still, q=q)).frames == limbik.humanoid(still).frames


@pytest.mark.parametrize("name", ["g1", "talos", "icub", "romeo"])
def test_legs_of_robots_are_found_without_names(name: str) -> None:
    model = robot(name)
    new = {link: f"part{k}" for k, link in enumerate([model.root, *(joint.child for joint in model.joints)])}
    joints = [
        limbik.Joint(
            name=f"joint{k}",
            kind=joint.kind,
            parent=new[joint.parent],
            child=new[joint.child],
            origin=joint.origin,
            axis=joint.axis,
        )
        for k, joint in enumerate(model.joints)
    ]
    found = limbik.humanoid(limbik.Model("hidden", joints)).frames
    sides = {found["leftFoot"], found["rightFoot"]}
    assert sides <= {new[ROBOTS[name]["leftFoot"]], *new.values()}
    for part in ("UpperLeg", "LowerLeg", "Foot"):
        if name != "icub":  # whose foot and thigh are fixed on others, which only names tell
            expected = ROBOTS[name][f"left{part}"]
            assert new[expected] in (found[f"left{part}"], found[f"right{part}"]), part


def chain(parent: str, names: list[str], start: tuple[float, ...], length: float) -> list[limbik.Joint]:
    """Revolute joints one below the other; those of one anatomical joint are at one place."""
    joints = []
    for k, name in enumerate(names):
        drop = length if k and name.split("-")[1] != names[k - 1].split("-")[1] else 0.0
        place = np.eye(4)
        place[:3, 3] = (0.0, 0.0, -drop) if k else start
        kind = limbik.JointKind.REVOLUTE
        joints.append(limbik.Joint(name=name, kind=kind, parent=parent, child=name, origin=place))
        parent = name
    return joints


@pytest.mark.parametrize(
    ("leg", "foot"),
    [
        (["hip-yaw", "hip-roll", "hip-pitch", "knee", "ankle"], "ankle"),  # as of Unitree H1
        (["hip-roll", "hip-yaw", "hip-pitch", "knee", "toe-pitch", "toe-roll"], "toe-roll"),  # of Digit
    ],
)
def test_a_robot_without_hands_has_arms_without_hands(leg: list[str], foot: str) -> None:
    joints = [limbik.Joint(name="torso", kind=limbik.JointKind.REVOLUTE, parent="pelvis", child="torso")]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        arm = [f"{side}-{part}" for part in ("shoulder-pitch", "shoulder-roll", "shoulder-yaw", "elbow")]
        joints += chain("pelvis", [f"{side}-{part}" for part in leg], (0.0, 0.1 * sign, 0.0), 0.4)
        joints += chain("torso", arm, (0.0, 0.2 * sign, 0.5), 0.3)
    found = limbik.humanoid(limbik.Model("robot", joints)).frames
    expected = {"UpperLeg": leg[2], "LowerLeg": "knee", "Foot": foot}
    expected |= {"UpperArm": "shoulder-yaw", "LowerArm": "elbow"}
    for side in SIDES:
        assert {part: found[f"{side}{part}"] for part in expected} == {
            part: f"{side}-{name}" for part, name in expected.items()
        }
        assert f"{side}Hand" not in found
    assert (found["hips"], found["chest"]) == ("pelvis", "torso")


def test_a_centaur_has_arms_and_no_human_legs() -> None:
    found = limbik.humanoid(robot("centauro"))
    assert {"leftHand", "rightHand"} <= found.frames.keys()
    assert {"leftFoot", "rightFoot"} <= set(found.missing)


@pytest.mark.parametrize(
    "name", ["panda", "ur5e", "so101", "planar-3", "go2", "anymal", "solo12", "allegro", "robotiq_2f85"]
)
def test_what_is_no_humanoid_is_refused_and_told_why(name: str) -> None:
    model = robot(name)
    with pytest.raises(ModelError, match=r"is no humanoid: it needs two legs .* or two arms .* found none"):
        limbik.humanoid(model)


def test_a_leg_alone_is_no_humanoid_and_is_named() -> None:
    names = {key: name for key, name in FAMILIES["lafan1"].items() if not key.startswith("right")}
    with pytest.raises(ModelError, match="found the left leg and the left arm"):
        limbik.humanoid(load(bvh(bones(names))))


def test_of_a_part_of_a_body_there_is_what_it_has() -> None:
    legs = ("Hip", "Leg", "Foot", "Toes")
    for family in ("mixamo", "biovision", "smpl"):
        names = {key: name for key, name in FAMILIES[family].items() if not any(leg in key for leg in legs)}
        found = limbik.humanoid(load(bvh(bones(names))))
        assert dict(found.frames) == roles_of(names)
        assert "leftFoot" in found.missing


# --- what is found ------------------------------------------------------------------------------------------


def test_roles_can_be_corrected() -> None:
    found = limbik.humanoid(load(bvh(bones(FAMILIES["lafan1"]))))
    corrected = found.with_({"head": "Neck", "neck": None})
    assert corrected.frames["head"] == "Neck"
    assert corrected.found_by["head"] == "given"
    assert "neck" in corrected.missing
    assert found.frames["head"] == "Head"
    assert list(corrected.frames) == [role for role in ROLES if role in corrected.frames]
    with pytest.raises(ModelError, match="there is no role 'leftLeg'; did you mean"):
        found.with_({"leftLeg": "LeftLeg"})
    with pytest.raises(ModelError, match="roles needs a mapping of roles to frames, found 'head'"):
        found.with_("head")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="has no frame 'Nose'"):
        found.with_({"head": "Nose"})


def test_a_humanoid_says_what_was_found_and_what_was_not() -> None:
    lines = str(limbik.humanoid(load(bvh(bones(FAMILIES["biovision"]))))).splitlines()
    assert lines[0].split() == ["hips", "Hips", "name"]
    assert lines[-1].startswith("not found: spine, upperChest, jaw, leftEye, leftToes")
    assert lines[-1].endswith("30 bones of fingers")


def test_only_models_and_motions_have_parts() -> None:
    with pytest.raises(ModelError, match="model needs a Model or a Motion, found 'g1'"):
        limbik.humanoid("g1")  # type: ignore[arg-type]


def test_roles_are_frames_of_the_model() -> None:
    motion = load(bvh(bones(FAMILIES["mixamo"])))
    found = limbik.humanoid(motion)
    foot = found.model.pose(motion.q[0], found.frames["leftFoot"])[:3, 3]
    assert_allclose(foot, [0.10, 0.06, -0.03], atol=1e-12)
