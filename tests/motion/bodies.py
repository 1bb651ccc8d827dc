"""Skeletons of humans as BVH, in the names of several programs, and what is what in them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from limbik.motion.body.roles import SIDES

# Of each bone: the bone that it is on, and the offset from it [cm], y up, z forward, x to the left.
BODY: dict[str, tuple[str | None, tuple[float, float, float]]] = {
    "hips": (None, (0, 95, 0)),
    "spine": ("hips", (0, 10, -1)),
    "chest": ("spine", (0, 12, 0)),
    "upperChest": ("chest", (0, 13, 0)),
    "neck": ("upperChest", (0, 15, 1)),
    "head": ("neck", (0, 10, 2)),
    "leftHipHelper": ("hips", (0, 0, 0)),
    "leftUpperLeg": ("leftHipHelper", (9, -6, 0)),
    "leftLowerLeg": ("leftUpperLeg", (1, -42, 0)),
    "leftFoot": ("leftLowerLeg", (0, -41, -3)),
    "leftToes": ("leftFoot", (1, -7, 13)),
    "leftShoulder": ("upperChest", (3, 11, 0)),
    "leftUpperArm": ("leftShoulder", (14, -1, -1)),
    "leftLowerArm": ("leftUpperArm", (27, -2, 0)),
    "leftHand": ("leftLowerArm", (25, -1, 1)),
}
for _finger, _z in zip(("Thumb", "Index", "Middle", "Ring", "Little"), (4, 3, 1, -1, -3), strict=True):
    BODY[f"left{_finger}1"] = ("leftHand", (3.0 if _finger == "Thumb" else 9.0, 0.0, _z))
    BODY[f"left{_finger}2"] = (f"left{_finger}1", (3.5, 0, 0))
    BODY[f"left{_finger}3"] = (f"left{_finger}2", (2.5, 0, 0))
for _name, (_parent, (_x, _y, _z)) in list(BODY.items()):
    if _name.startswith("left"):
        BODY[_name.replace("left", "right")] = (str(_parent).replace("left", "right"), (-_x, _y, _z))
ENDS = {
    "head": (0, 18, 0),
    "Toes": (0, 0, 6),
    "Foot": (1, -7, 15),
    "Hand": (8, 0, 0),
}  # where nothing follows


def _sided(left: str, right: str, **names: str) -> dict[str, str]:
    """Names for both sides: {side} is the word for it."""
    words = dict(zip(SIDES, (left, right), strict=True))
    return {f"{side}{part}": name.format(side=words[side]) for side in SIDES for part, name in names.items()}


FAMILIES: dict[str, dict[str, str]] = {
    "mixamo": {
        "hips": "mixamorig:Hips",
        "spine": "mixamorig:Spine",
        "chest": "mixamorig:Spine1",
        "upperChest": "mixamorig:Spine2",
        "neck": "mixamorig:Neck",
        "head": "mixamorig:Head",
        **_sided(
            "mixamorig:Left",
            "mixamorig:Right",
            UpperLeg="{side}UpLeg",
            LowerLeg="{side}Leg",
            Foot="{side}Foot",
            Toes="{side}ToeBase",
            Shoulder="{side}Shoulder",
            UpperArm="{side}Arm",
            LowerArm="{side}ForeArm",
            Hand="{side}Hand",
            **{
                f"{role}{k}": f"{{side}}Hand{name}{k}"
                for k in (1, 2, 3)
                for role, name in zip(
                    ("Thumb", "Index", "Middle", "Ring", "Little"),
                    ("Thumb", "Index", "Middle", "Ring", "Pinky"),
                    strict=True,
                )
            },
        ),
    },
    "cmu": {
        "hips": "Hips",
        "spine": "LowerBack",
        "chest": "Spine",
        "upperChest": "Spine1",
        "neck": "Neck",
        "head": "Head",
        **_sided("L", "R", HipHelper="{side}HipJoint"),
        **_sided(
            "Left",
            "Right",
            UpperLeg="{side}UpLeg",
            LowerLeg="{side}Leg",
            Foot="{side}Foot",
            Toes="{side}ToeBase",
            Shoulder="{side}Shoulder",
            UpperArm="{side}Arm",
            LowerArm="{side}ForeArm",
            Hand="{side}Hand",
        ),
    },
    "biovision": {
        "hips": "Hips",
        "chest": "Chest",
        "neck": "Neck",
        "head": "Head",
        **_sided(
            "Left",
            "Right",
            UpperLeg="{side}Hip",
            LowerLeg="{side}Knee",
            Foot="{side}Ankle",
            Shoulder="{side}Collar",
            UpperArm="{side}Shoulder",
            LowerArm="{side}Elbow",
            Hand="{side}Wrist",
        ),
    },
    "lafan1": {
        "hips": "Hips",
        "spine": "Spine",
        "chest": "Spine1",
        "upperChest": "Spine2",
        "neck": "Neck",
        "head": "Head",
        **_sided(
            "Left",
            "Right",
            UpperLeg="{side}UpLeg",
            LowerLeg="{side}Leg",
            Foot="{side}Foot",
            Toes="{side}Toe",
            Shoulder="{side}Shoulder",
            UpperArm="{side}Arm",
            LowerArm="{side}ForeArm",
            Hand="{side}Hand",
        ),
    },
    "smpl": {
        "hips": "pelvis",
        "spine": "spine1",
        "chest": "spine2",
        "upperChest": "spine3",
        "neck": "neck",
        "head": "head",
        **_sided(
            "left",
            "right",
            UpperLeg="{side}_hip",
            LowerLeg="{side}_knee",
            Foot="{side}_ankle",
            Toes="{side}_foot",
            Shoulder="{side}_collar",
            UpperArm="{side}_shoulder",
            LowerArm="{side}_elbow",
            Hand="{side}_wrist",
        ),
    },
    "smpl of Unity": {
        "hips": "Pelvis",
        "spine": "Spine1",
        "chest": "Spine2",
        "upperChest": "Spine3",
        "neck": "Neck",
        "head": "Head",
        **_sided(
            "L",
            "R",
            UpperLeg="{side}_Hip",
            LowerLeg="{side}_Knee",
            Foot="{side}_Ankle",
            Toes="{side}_Foot",
            Shoulder="{side}_Collar",
            UpperArm="{side}_Shoulder",
            LowerArm="{side}_Elbow",
            Hand="{side}_Wrist",
        ),
    },
    "rigify": {
        "hips": "spine",
        "spine": "spine.001",
        "chest": "spine.002",
        "upperChest": "spine.003",
        "neck": "spine.004",
        "head": "spine.006",
        **_sided(
            "L",
            "R",
            HipHelper="pelvis.{side}",
            UpperLeg="thigh.{side}",
            LowerLeg="shin.{side}",
            Foot="foot.{side}",
            Toes="toe.{side}",
            Shoulder="shoulder.{side}",
            UpperArm="upper_arm.{side}",
            LowerArm="forearm.{side}",
            Hand="hand.{side}",
            **{
                f"{role}{k}": f"{name}.0{k}.{{side}}"
                for k in (1, 2, 3)
                for role, name in zip(
                    ("Thumb", "Index", "Middle", "Ring", "Little"),
                    ("thumb", "f_index", "f_middle", "f_ring", "f_pinky"),
                    strict=True,
                )
            },
        ),
    },
    "makehuman": {
        "hips": "root",
        "spine": "spine05",
        "chest": "spine03",
        "upperChest": "spine01",
        "neck": "neck01",
        "head": "head",
        **_sided(
            "L",
            "R",
            HipHelper="pelvis.{side}",
            UpperLeg="upperleg01.{side}",
            LowerLeg="lowerleg01.{side}",
            Foot="foot.{side}",
            Toes="toe1-1.{side}",
            Shoulder="clavicle.{side}",
            UpperArm="upperarm01.{side}",
            LowerArm="lowerarm01.{side}",
            Hand="wrist.{side}",
            **{
                f"{role}{k}": f"finger{number}-{k}.{{side}}"
                for k in (1, 2, 3)
                for number, role in enumerate(("Thumb", "Index", "Middle", "Ring", "Little"), start=1)
            },
        ),
    },
    "xsens": {
        "hips": "Pelvis",
        "spine": "L5",
        "chest": "L3",
        "upperChest": "T8",
        "neck": "Neck",
        "head": "Head",
        **_sided(
            "Left",
            "Right",
            UpperLeg="{side} Upper Leg",
            LowerLeg="{side} Lower Leg",
            Foot="{side} Foot",
            Toes="{side} Toe",
            Shoulder="{side} Shoulder",
            UpperArm="{side} Upper Arm",
            LowerArm="{side} Forearm",
            Hand="{side} Hand",
        ),
    },
    "biped": {
        "hips": "Bip01 Pelvis",
        "spine": "Bip01 Spine",
        "chest": "Bip01 Spine1",
        "upperChest": "Bip01 Spine2",
        "neck": "Bip01 Neck",
        "head": "Bip01 Head",
        **_sided(
            "Bip01 L",
            "Bip01 R",
            UpperLeg="{side} Thigh",
            LowerLeg="{side} Calf",
            Foot="{side} Foot",
            Toes="{side} Toe0",
            Shoulder="{side} Clavicle",
            UpperArm="{side} UpperArm",
            LowerArm="{side} Forearm",
            Hand="{side} Hand",
            **{
                f"{role}{k + 1}": f"{{side}} Finger{number}{bone}"
                for k, bone in enumerate(("", "1", "2"))
                for number, role in enumerate(("Thumb", "Index", "Middle", "Ring", "Little"))
            },
        ),
    },
    "unreal": {
        "hips": "pelvis",
        "spine": "spine_01",
        "chest": "spine_02",
        "upperChest": "spine_03",
        "neck": "neck_01",
        "head": "head",
        **_sided(
            "l",
            "r",
            UpperLeg="thigh_{side}",
            LowerLeg="calf_{side}",
            Foot="foot_{side}",
            Toes="ball_{side}",
            Shoulder="clavicle_{side}",
            UpperArm="upperarm_{side}",
            LowerArm="lowerarm_{side}",
            Hand="hand_{side}",
        ),
    },
    "vroid": {
        "hips": "J_Bip_C_Hips",
        "spine": "J_Bip_C_Spine",
        "chest": "J_Bip_C_Chest",
        "upperChest": "J_Bip_C_UpperChest",
        "neck": "J_Bip_C_Neck",
        "head": "J_Bip_C_Head",
        **_sided(
            "L",
            "R",
            UpperLeg="J_Bip_{side}_UpperLeg",
            LowerLeg="J_Bip_{side}_LowerLeg",
            Foot="J_Bip_{side}_Foot",
            Toes="J_Bip_{side}_ToeBase",
            Shoulder="J_Bip_{side}_Shoulder",
            UpperArm="J_Bip_{side}_UpperArm",
            LowerArm="J_Bip_{side}_LowerArm",
            Hand="J_Bip_{side}_Hand",
        ),
    },
    "vrm": {role: role for role in ("hips", "spine", "chest", "upperChest", "neck", "head")}
    | _sided(
        "left",
        "right",
        **{
            part: f"{{side}}{part}"
            for part in ("UpperLeg", "LowerLeg", "Foot", "Toes", "Shoulder", "UpperArm", "LowerArm", "Hand")
        },
    ),
    "asf": {
        "hips": "root",
        "spine": "lowerback",
        "chest": "upperback",
        "upperChest": "thorax",
        "neck": "lowerneck",
        "head": "head",
        **_sided(
            "l",
            "r",
            HipHelper="{side}hipjoint",
            UpperLeg="{side}femur",
            LowerLeg="{side}tibia",
            Foot="{side}foot",
            Toes="{side}toes",
            Shoulder="{side}clavicle",
            UpperArm="{side}humerus",
            LowerArm="{side}radius",
            Hand="{side}wrist",
        ),
    },
}
"""Of each family the name of each bone that it has."""


class Bone(NamedTuple):
    name: str
    parent: int
    offset: tuple[float, float, float]
    end: tuple[float, float, float] | None


def bones(names: Mapping[str, str]) -> list[Bone]:
    """The bones that have a name; of the others the offsets go to what is on them."""
    found: list[Bone] = []
    places: dict[str, int] = {}
    for key in _depth_first(None):
        if key not in names:
            continue
        offset = BODY[key][1]
        parent = BODY[key][0]
        while parent is not None and parent not in names:
            offset = tuple(a + b for a, b in zip(offset, BODY[parent][1], strict=True))
            parent = BODY[parent][0]
        places[key] = len(found)
        found.append(Bone(names[key], -1 if parent is None else places[parent], offset, _end(key)))
    return found


def bvh(parts: Sequence[Bone], scale: float = 1.0, mirror: bool = False, up: str = "y") -> str:
    """The bones as BVH of one frame. up: what the file has for up: "y" or "z" (then -y is forward)."""
    lines = ["HIERARCHY"]

    def offset(values: Sequence[float]) -> str:
        x, y, z = (scale * value for value in values)
        x = -x if mirror else x
        return "OFFSET " + " ".join(map(repr, (x, y, z) if up == "y" else (x, -z, y)))

    def write(place: int) -> None:
        bone = parts[place]
        lines.append(f"{'ROOT' if bone.parent < 0 else 'JOINT'} {bone.name}")
        lines.extend(["{", offset(bone.offset)])
        lines.append("CHANNELS 3 Zrotation Xrotation Yrotation")
        below = [k for k, other in enumerate(parts) if other.parent == place]
        for child in below:
            write(child)
        if not below and bone.end:
            lines.extend(["End Site", "{", offset(bone.end), "}"])
        lines.append("}")

    write(0)
    lines += ["MOTION", "Frames: 1", "Frame Time: 0.01", " ".join(["0"] * (3 * len(parts)))]
    return "\n".join([*lines, ""])


def hidden(names: Mapping[str, str], seed: int = 0) -> dict[str, str]:
    """The same bones with names that say nothing."""
    numbers = random.Random(seed).sample(range(100), len(names))
    return {key: f"bone_{number}" for key, number in zip(names, numbers, strict=True)}


def _depth_first(parent: str | None) -> list[str]:
    return [
        key for name, (above, _) in BODY.items() if above == parent for key in (name, *_depth_first(name))
    ]


def _end(key: str) -> tuple[float, float, float] | None:
    offset = next((offset for part, offset in ENDS.items() if key.endswith(part)), (2.0, 0.0, 0.0))
    return (-offset[0], *offset[1:]) if key.startswith("right") else offset
