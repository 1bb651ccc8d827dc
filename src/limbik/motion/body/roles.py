"""Names of the roles of a human skeleton: the humanoid bones of VRM 1.0."""

from __future__ import annotations

from typing import Literal

Side = Literal["left", "right"]
SIDES: tuple[Side, ...] = ("left", "right")
TRUNK = ("spine", "chest", "upperChest")
CENTRE = ("hips", *TRUNK, "neck", "head", "jaw")
LEG = ("UpperLeg", "LowerLeg", "Foot")
ARM = ("UpperArm", "LowerArm", "Hand")
FINGERS = {
    "Thumb": ("Metacarpal", "Proximal", "Distal"),
    "Index": ("Proximal", "Intermediate", "Distal"),
    "Middle": ("Proximal", "Intermediate", "Distal"),
    "Ring": ("Proximal", "Intermediate", "Distal"),
    "Little": ("Proximal", "Intermediate", "Distal"),
}
FINGER_ROLES = tuple(
    f"{side}{finger}{bone}" for side in SIDES for finger, bones in FINGERS.items() for bone in bones
)
ROLES = (
    *CENTRE,
    *(f"{side}{part}" for side in SIDES for part in ("Eye", "Shoulder", *ARM, *LEG, "Toes")),
    *FINGER_ROLES,
)
"""All roles, those of the body first."""
