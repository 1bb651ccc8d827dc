"""Reads side and part of the body from names of links, as motion capture, characters and robots use them
(CMU, Mixamo, SMPL, Unreal, Xsens, URDF and others).

A name is split into words ("mixamorig:LeftUpLeg" is left, up, leg). Words for the side are taken out, and
those that say nothing of the part: "link", "joint", the axis of a hinge. What is left is looked up.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from limbik.motion.body.roles import Side

_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_SIDES: Mapping[str, Side] = {
    "l": "left",
    "left": "left",
    "lft": "left",
    "r": "right",
    "right": "right",
    "rgt": "right",
}
_SILENT = frozenset(
    re.findall(
        r"\w+",
        "link links joint jnt bone bones frame body def org j b c f bip biped mixamorig armature character "
        "skel rig virtual middle yaw pitch roll pan lift flex rotation bend x y z aa fe ie",
    )
)
_FOUR_LEGGED = frozenset(re.findall(r"\w+", "front rear hind fl fr rl rr bl br lf rf lh rh"))

PARTS: Mapping[str, tuple[str, ...]] = {
    "hips": ("hips", "hip", "pelvis", "pelvislink"),
    "chest": ("chest", "upperchest", "torso", "thorax", "ribcage", "uppertorso", "trunk"),
    "neck": ("neck", "neckbase", "lowerneck"),
    "head": ("head", "skull"),
    "jaw": ("jaw",),
}
"""Parts in the middle of the body, and the words for them."""

SIDE_PARTS: Mapping[str, tuple[str, ...]] = {
    "hip": ("hip", "hips", "pelvis"),
    "thigh": ("thigh", "upleg", "upperleg", "femur", "legupper", "thighlink"),
    "leg": ("leg",),
    "knee": ("knee", "shin", "calf", "tibia", "lowerleg", "lowleg", "loleg", "leglower", "crus", "shank"),
    "ankle": ("ankle",),
    "foot": ("foot",),
    "toes": ("toe", "toes", "toebase", "ball", "toejoint"),
    "clavicle": ("clavicle", "collar", "collarbone", "shouldercollar"),
    "shoulder": ("shoulder", "uppershoulder", "lowershoulder", "upperelbow"),
    "upperArm": ("upperarm", "uparm", "humerus", "armupper"),
    "arm": ("arm",),
    "elbow": (
        "elbow",
        "forearm",
        "lowerarm",
        "lowarm",
        "loarm",
        "radius",
        "ulna",
        "armlower",
        "lowerelbow",
        "upperforearm",
    ),
    "wrist": ("wrist", "lowerforearm"),
    "hand": ("hand", "palm"),
    "eye": ("eye", "eyeball", "faceeye", "adjeye"),
    "Thumb": ("thumb", "handthumb"),
    "Index": ("index", "handindex", "findex", "indexfinger", "fingerindex"),
    "Middle": ("mid", "handmiddle", "handmid", "fmiddle", "middlefinger"),
    "Ring": ("ring", "handring", "fring", "ringfinger", "fingerring"),
    "Little": (
        "pinky",
        "handpinky",
        "little",
        "handlittle",
        "fpinky",
        "small",
        "littlefinger",
        "pinkyfinger",
    ),
    "finger": ("finger",),
}
"""Parts that a body has two of, and the words for them."""

_PHALANGES = ("metacarpal", "proximal", "intermediate", "distal", "tip", "end")
_PART_OF = {word: part for part, words in PARTS.items() for word in words}
_SIDE_PART_OF = {word: part for part, words in SIDE_PARTS.items() for word in words}


class Label(NamedTuple):
    """What a name says."""

    part: str
    side: Side | None
    digits: str  # that count fingers
    bone: str | None = None  # of a finger: "metacarpal" to "tip"


def labels(names: Iterable[str]) -> dict[str, Label]:
    """What names say; those that say nothing are left out.

    Words that more than half of the names have, such as the name of the character, are not looked at.
    """
    words = {name: _words(name) for name in names}
    common = Counter(word for each in words.values() for word in set(each))
    ignored = {word for word, count in common.items() if len(words) > 5 and 2 * count > len(words)}
    known = _SIDES.keys() | _PART_OF.keys() | _SIDE_PART_OF.keys()
    by_name = {name: _label(each, ignored - known) for name, each in words.items()}
    return {name: label for name, label in by_name.items() if label}


def _words(name: str) -> list[str]:
    plain = re.split(r"[:|/]", name)[-1]
    return [word.lower() for word in _WORDS.findall(plain)]


def _label(words: list[str], ignored: set[str]) -> Label | None:
    if _FOUR_LEGGED & set(words):
        return None
    side = next((_SIDES[word] for word in words if word in _SIDES), None)
    digits = _digits(words)
    known_words = [
        word for word in words if not word.isdecimal() and word not in _SIDES and word not in ignored
    ]
    bone = next((word for word in known_words if word in _PHALANGES), None)
    if bone and side and len(known_words) > 1:  # a bone of a finger, or what ends a chain
        known_words = [word for word in known_words if word != bone]
        part = _SIDE_PART_OF.get("".join(word for word in known_words if word != "f")) or _middle_finger(
            known_words
        )
        return Label(part, side, digits, bone) if part and part[0].isupper() else None
    if side and (finger := _middle_finger(known_words)):
        return Label(finger, side, digits)
    key = "".join(word for word in known_words if word not in _SILENT)
    if side:
        return Label(_SIDE_PART_OF[key], side, digits) if key in _SIDE_PART_OF else None
    if key in _PART_OF:
        return Label(_PART_OF[key], None, digits)
    return _joined(key, digits)


def _digits(words: list[str]) -> str:
    """Those after "finger"."""
    after = words[words.index("finger") + 1 :] if "finger" in words else []
    return "".join(word for word in after if word.isdecimal())


def _middle_finger(words: list[str]) -> str | None:
    """ "middle" is a finger where nothing else is said but the hand or finger: "middle_head" is none."""
    return "Middle" if "middle" in words and set(words) <= {"middle", "hand", "finger", "f"} else None


def _joined(key: str, digits: str) -> Label | None:
    """Of a name in small letters with the side before it: "lfemur", "leftupleg"."""
    for word in ("left", "right", "l", "r"):
        rest = key.removeprefix(word)
        if rest != key and rest in _SIDE_PART_OF:
            return Label(_SIDE_PART_OF[rest], _SIDES[word], digits)
        ending = key.removesuffix(word)
        if len(word) > 1 and ending != key and ending in _SIDE_PART_OF:
            return Label(_SIDE_PART_OF[ending], _SIDES[word], digits)
    return None
