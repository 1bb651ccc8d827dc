"""Names of bones: which side of a body a link is on, and which part of it, as people write them.

Families whose names are known: VRM and Unity, Mixamo, CMU and Acclaim, Biovision, LAFAN1, SMPL, Xsens, 3ds
Max Biped, Blender's Rigify, MakeHuman (MPFB2), and URDFs of humanoids ("left_hip_yaw_link").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

SIDES = {"left": "left", "l": "left", "lft": "left", "right": "right", "r": "right", "rgt": "right"}
# Words that say nothing of the part.
IDLE = {
    "link", "joint", "jnt", "bone", "bn", "bip", "j", "b", "c", "m", "f", "def", "avg", "sub", "rig",
    "skeleton", "human", "body", "base", "ball", "rubber", "yaw", "pitch", "roll", "x", "y", "z",
}  # fmt: skip

# What is left of a name, by part. A name may be that of several parts, of which the skeleton decides.
PARTS: Mapping[str, tuple[str, ...]] = {
    "UpperLeg": ("upleg", "upperleg", "thigh", "femur", "legupper", "hip", "hipjoint"),
    "LowerLeg": ("lowerleg", "lowleg", "knee", "shin", "shank", "calf", "tibia", "leglower", "leg"),
    "Foot": ("foot", "ankle", "feet"),
    "Toes": ("toe", "toes", "toebase", "forefoot", "foottoe"),
    "Shoulder": ("clavicle", "collar", "shoulder", "scapula"),
    "UpperArm": ("arm", "upperarm", "uparm", "humerus", "armupper"),
    "LowerArm": ("forearm", "lowerarm", "lowarm", "elbow", "radius", "armlower"),
    "Hand": ("hand", "wrist", "palm"),
}
MIDDLE: Mapping[str, tuple[str, ...]] = {
    "hips": ("hips", "pelvis", "hip", "waistbase"),
    "neck": ("neck",),
    "head": ("head",),
}
FINGERS = {"thumb": "Thumb", "index": "Index", "middle": "Middle", "mid": "Middle", "ring": "Ring",
           "little": "Little", "pinky": "Little"}  # fmt: skip

WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


class BoneName(NamedTuple):
    """What a name says."""

    side: str  # "left", "right" or ""
    part: str  # what is left of it, in small letters
    finger: str  # such as "Thumb"; "" for other parts

    @property
    def parts(self) -> tuple[str, ...]:
        """Of a limb, the parts that the name may mean."""
        return tuple(part for part, names in PARTS.items() if self.part in names) if self.side else ()

    @property
    def middle(self) -> str:
        """The role in the middle of a body that it means; "" for none."""
        return next((role for role, names in MIDDLE.items() if self.part in names and not self.side), "")


def read_name(name: str) -> BoneName:
    """What the name of a link says: "mixamorig:LeftUpLeg" is the part "upleg" on the left."""
    words = [word.lower() for word in WORD.findall(name.rpartition(":")[2])]
    side = next((SIDES[word] for word in words if word in SIDES), "")
    rest = [word for word in words if word not in SIDES and word not in IDLE and not word.isdigit()]
    if not side and rest and rest[0][0] in "lr" and _is_part(rest[0][1:]):  # as in "lfemur"
        side, rest[0] = SIDES[rest[0][0]], rest[0][1:]
    finger = next((FINGERS[word] for word in rest if word in FINGERS), "") if side else ""
    rest = rest if side else [word for word in rest if word not in FINGERS]  # as in "middle_pelvis"
    return BoneName(side, "".join(rest), finger)


def _is_part(word: str) -> bool:
    return any(word in names for names in PARTS.values())
