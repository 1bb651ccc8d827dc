"""People in BVH: skeletons with the names of several programs, that crouch and wave."""

import math

SHAPE = (  # role, parent, offset [m] from the parent with y up, z forward, x to the left, arms to the sides
    ("hips", "", (0.0, 0.95, 0.0)),
    ("spine", "hips", (0.0, 0.1, 0.0)),
    ("chest", "spine", (0.0, 0.15, 0.0)),
    ("neck", "chest", (0.0, 0.25, 0.0)),
    ("head", "neck", (0.0, 0.1, 0.0)),
    ("{side}Shoulder", "chest", (0.05, 0.2, 0.0)),
    ("{side}UpperArm", "{side}Shoulder", (0.13, 0.0, 0.0)),
    ("{side}LowerArm", "{side}UpperArm", (0.28, 0.0, 0.0)),
    ("{side}Hand", "{side}LowerArm", (0.25, 0.0, 0.0)),
    ("{side}UpperLeg", "hips", (0.1, -0.05, 0.0)),
    ("{side}LowerLeg", "{side}UpperLeg", (0.0, -0.42, 0.0)),
    ("{side}Foot", "{side}LowerLeg", (0.0, -0.42, 0.0)),
    ("{side}Toes", "{side}Foot", (0.0, -0.05, 0.14)),
)
MIXAMO = {
    "hips": "mixamorig:Hips", "spine": "mixamorig:Spine", "chest": "mixamorig:Spine1",
    "neck": "mixamorig:Neck", "head": "mixamorig:Head", "Shoulder": "mixamorig:{Side}Shoulder",
    "UpperArm": "mixamorig:{Side}Arm", "LowerArm": "mixamorig:{Side}ForeArm",
    "Hand": "mixamorig:{Side}Hand", "UpperLeg": "mixamorig:{Side}UpLeg",
    "LowerLeg": "mixamorig:{Side}Leg", "Foot": "mixamorig:{Side}Foot", "Toes": "mixamorig:{Side}ToeBase",
}  # fmt: skip
BIOVISION = {
    "hips": "Hips", "spine": "Chest", "chest": "Chest2", "neck": "Neck", "head": "Head",
    "Shoulder": "{Side}Collar", "UpperArm": "{Side}Shoulder", "LowerArm": "{Side}Elbow",
    "Hand": "{Side}Wrist", "UpperLeg": "{Side}Hip", "LowerLeg": "{Side}Knee", "Foot": "{Side}Ankle",
    "Toes": "{Side}Toe",
}  # fmt: skip
SMPL = {
    "hips": "Pelvis", "spine": "Spine1", "chest": "Spine2", "neck": "Neck", "head": "Head",
    "Shoulder": "{S}_Collar", "UpperArm": "{S}_Shoulder", "LowerArm": "{S}_Elbow", "Hand": "{S}_Wrist",
    "UpperLeg": "{S}_Hip", "LowerLeg": "{S}_Knee", "Foot": "{S}_Ankle", "Toes": "{S}_Foot",
}  # fmt: skip
VRM = {
    "hips": "J_Bip_C_Hips", "spine": "J_Bip_C_Spine", "chest": "J_Bip_C_Chest", "neck": "J_Bip_C_Neck",
    "head": "J_Bip_C_Head", "Shoulder": "J_Bip_{S}_Shoulder", "UpperArm": "J_Bip_{S}_UpperArm",
    "LowerArm": "J_Bip_{S}_LowerArm", "Hand": "J_Bip_{S}_Hand", "UpperLeg": "J_Bip_{S}_UpperLeg",
    "LowerLeg": "J_Bip_{S}_LowerLeg", "Foot": "J_Bip_{S}_Foot", "Toes": "J_Bip_{S}_ToeBase",
}  # fmt: skip
RIGIFY = {
    "hips": "hips", "spine": "spine", "chest": "chest", "neck": "neck", "head": "head",
    "Shoulder": "shoulder.{S}", "UpperArm": "upper_arm.{S}", "LowerArm": "forearm.{S}",
    "Hand": "hand.{S}", "UpperLeg": "thigh.{S}", "LowerLeg": "shin.{S}", "Foot": "foot.{S}",
    "Toes": "toe.{S}",
}  # fmt: skip
BIPED = {
    "hips": "Bip01_Pelvis", "spine": "Bip01_Spine", "chest": "Bip01_Spine1", "neck": "Bip01_Neck",
    "head": "Bip01_Head", "Shoulder": "Bip01_{S}_Clavicle", "UpperArm": "Bip01_{S}_UpperArm",
    "LowerArm": "Bip01_{S}_Forearm", "Hand": "Bip01_{S}_Hand", "UpperLeg": "Bip01_{S}_Thigh",
    "LowerLeg": "Bip01_{S}_Calf", "Foot": "Bip01_{S}_Foot", "Toes": "Bip01_{S}_Toe0",
}  # fmt: skip
ACCLAIM = {
    "hips": "pelvis", "spine": "lowerback", "chest": "thorax", "neck": "neck", "head": "head",
    "Shoulder": "{s}clavicle", "UpperArm": "{s}humerus", "LowerArm": "{s}radius", "Hand": "{s}hand",
    "UpperLeg": "{s}femur", "LowerLeg": "{s}tibia", "Foot": "{s}foot", "Toes": "{s}toes",
}  # fmt: skip
FAMILIES = {
    "mixamo": MIXAMO, "biovision": BIOVISION, "smpl": SMPL, "vrm": VRM, "rigify": RIGIFY, "biped": BIPED,
    "acclaim": ACCLAIM,
}  # fmt: skip
LENGTH = 0.42  # [m] of thigh and shin


def names_of(family: str) -> dict[str, str]:
    """The name of each joint by role."""
    names = FAMILIES[family]
    found = {}
    for role, _, _ in SHAPE:
        for side in ("left", "right") if "{side}" in role else ("",):
            part = role.removeprefix("{side}")
            given = names[part].format(Side=side.title(), S=side[:1].upper(), s=side[:1])
            found[role.format(side=side)] = given
    return found


def bones() -> list[tuple[str, str, tuple[float, float, float]]]:
    """Role, parent and offset of every joint, parents first."""
    found = []
    for role, parent, (x, y, z) in SHAPE:
        for side, sign in (("left", 1.0), ("right", -1.0)) if "{side}" in role else (("", 1.0),):
            found.append((role.format(side=side), parent.format(side=side), (sign * x, y, z)))
    return found


def crouching(
    family: str = "mixamo",
    *,
    scale: float = 100.0,
    frames: int = 61,
    dt: float = 1.0 / 30.0,
    along: str = "y",
    has_hands: bool = True,
) -> str:
    """A BVH of a person who crouches and waves an arm while both feet stand. scale: units in a metre.

    has_hands: without them arms end in points at the wrists.
    """
    names = names_of(family)
    shape = bones()
    lines = ["HIERARCHY"]
    order: list[str] = []

    def write(role: str, depth: int) -> None:
        _, parent, offset = next(bone for bone in shape if bone[0] == role)
        order.append(role)
        pad = "  " * depth
        lines.append(f"{pad}{'JOINT' if parent else 'ROOT'} {names[role]}")
        lines.append(pad + "{")
        place = turned((0.0, 0.0, 0.0) if not parent else offset, along)
        lines.append(f"{pad}  OFFSET {' '.join(f'{scale * x:.9f}' for x in place)}")
        position = "Xposition Yposition Zposition " if not parent else ""
        lines.append(f"{pad}  CHANNELS {6 if position else 3} {position}Zrotation Xrotation Yrotation")
        children = [bone for bone in shape if bone[1] == role]
        for child, _, end in children:
            if has_hands or not child.endswith("Hand"):
                write(child, depth + 1)
                continue
            site = " ".join(f"{scale * x:.9f}" for x in turned(end, along))
            lines.extend([pad + "  End Site", pad + "  {", f"{pad}    OFFSET {site}", pad + "  }"])
        if not children:
            lines.extend([pad + "  End Site", pad + "  {", pad + "    OFFSET 0 0 0", pad + "  }"])
        lines.append(pad + "}")

    write("hips", 0)
    lines += ["MOTION", f"Frames: {frames}", f"Frame Time: {dt}"]
    for frame in range(frames):
        bend = 0.5 * (1.0 - math.cos(2.0 * math.pi * frame / (frames - 1)))  # [rad], down and up again
        wave = 0.8 * math.sin(2.0 * math.pi * frame / (frames - 1))
        down = 2.0 * LENGTH * (1.0 - math.cos(bend))
        values = []
        for role in order:
            if role == "hips":
                values += [scale * x for x in turned((0.0, 0.95 - down, 0.0), along)]
            pitch = {"UpperLeg": -bend, "LowerLeg": 2.0 * bend, "Foot": -bend}
            # About the axis to the left: forward is positive.
            about_left = math.degrees(next((a for part, a in pitch.items() if role.endswith(part)), 0.0))
            about_forward = -75.0 if role == "leftUpperArm" else 75.0 if role == "rightUpperArm" else 0.0
            about_forward += math.degrees(wave) if role == "leftLowerArm" else 0.0
            values += rotated(about_left, about_forward, along)
        lines.append(" ".join(f"{value:.9f}" for value in values))
    return "\n".join(lines) + "\n"


def turned(place: tuple[float, float, float], along: str) -> tuple[float, float, float]:
    """A place with y up, z forward and x to the left, in a file with another axis up: z up has y backward."""
    x, y, z = place
    return (x, y, z) if along == "y" else (x, -z, y)


def rotated(about_left: float, about_forward: float, along: str) -> list[float]:
    """Angles [degrees] about z, x and y, of which one is not 0."""
    if along == "y":
        return [about_forward, about_left, 0.0]
    return [0.0, about_left, -about_forward]
