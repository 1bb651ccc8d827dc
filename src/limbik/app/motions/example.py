"""A sample clip: a generated walk whose feet slide and sink, as in many recorded files."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np

from limbik.formats.motions import Motion, load_motion
from limbik.motion.limb import Limb
from limbik.spatial import Array, rotation_exp

NAME = "walk.bvh"
MIDDLE = (  # name, parent, offset [m]: y up, z forward, x to the left
    ("Hips", "", (0.0, 0.0, 0.0)),
    ("Spine", "Hips", (0.0, 0.10, 0.0)),
    ("Chest", "Spine", (0.0, 0.16, 0.0)),
    ("Neck", "Chest", (0.0, 0.25, 0.0)),
    ("Head", "Neck", (0.0, 0.09, 0.01)),
)
LIMBS = (  # of the left side
    ("{}Shoulder", "Chest", (0.04, 0.20, 0.0)),
    ("{}Arm", "{}Shoulder", (0.14, 0.0, 0.0)),
    ("{}ForeArm", "{}Arm", (0.28, 0.0, 0.0)),
    ("{}Hand", "{}ForeArm", (0.25, 0.0, 0.0)),
    ("{}UpLeg", "Hips", (0.09, -0.04, 0.0)),
    ("{}Leg", "{}UpLeg", (0.0, -0.43, 0.0)),
    ("{}Foot", "{}Leg", (0.0, -0.42, 0.0)),
    ("{}ToeBase", "{}Foot", (0.0, -0.06, 0.13)),
)
BONES = MIDDLE + tuple(
    (name.format(side), parent.format(side), (sign * x, y, z))
    for side, sign in (("Left", 1.0), ("Right", -1.0))
    for name, parent, (x, y, z) in LIMBS
)
ENDS = {"Head": (0.0, 0.18, 0.0), "LeftHand": (0.16, 0.0, 0.0), "RightHand": (-0.16, 0.0, 0.0)}
TOES = (0.0, -0.02, 0.07)
FRAMES, DT = 181, 1.0 / 60.0  # [s]
CYCLE, STRIDE, DUTY = 1.1, 1.1, 0.62  # [s], [m] of two steps; fraction in which a foot stands
ANKLE, BALL = (
    0.08,
    0.13,
)  # [m] its height when the foot is flat, and how far it is behind the ball of the foot
LIFT = 0.09  # [m] of a foot that swings
SLIDE, SINK = 1.06, 0.012  # the path is longer than that of the feet; [m] how deep they are in the ground


@functools.cache
def example() -> Motion:
    """The walk, 3 s of it."""
    rest = load_motion(_skeleton(), unit="m")
    model = rest.model
    time: Array = np.asarray(np.arange(FRAMES) * DT, dtype=np.float64)
    q = np.tile(rest.q[0], (FRAMES, 1))
    phase = 2.0 * np.pi * time / CYCLE
    swings = {
        "Hips.Zposition": STRIDE * time / CYCLE,
        "Hips.Yposition": 0.885 - 0.012 * np.cos(2.0 * phase),
        "Hips.Yrotation": 0.08 * np.sin(phase),
        "Chest.Yrotation": -0.16 * np.sin(phase),
        "Spine.Xrotation": np.full(FRAMES, 0.05),
    }
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        swings[side + "Arm.Zrotation"] = np.full(FRAMES, -sign * 1.35)
        swings[side + "Arm.Xrotation"] = -0.45 * sign * np.sin(phase) + 0.1
        swings[side + "ForeArm.Yrotation"] = -sign * (0.35 + 0.2 * np.sin(sign * phase))
    for name, values in swings.items():
        q[:, model.q_slice(name)] = values[:, None]
    for k, side in enumerate(("Left", "Right")):
        ankle, pitch = _step(time / CYCLE + 0.5 * k)
        ankle[:, 0] = 0.09 - 0.18 * k
        ankle[:, 2] -= 0.5 * k * STRIDE
        leg = Limb(side + "UpLeg", side + "Leg", side + "Foot", axis=[1.0, 0.0, 0.0])
        q = leg.solve(model, q, ankle, rotation=rotation_exp(pitch[:, None] * [1.0, 0.0, 0.0])).q
        q[:, model.q_slice(side + "ToeBase.Xrotation")] = np.minimum(-pitch, 0.0)[:, None]
    q[:, model.q_slice("Hips.Zposition")] *= SLIDE
    q[:, model.q_slice("Hips.Yposition")] -= SINK
    return replace(rest, q=q, dt=DT)


def _step(cycles: Array) -> tuple[Array, Array]:
    """Positions [T, 3] of an ankle [m], and pitches [T] of its foot, toes down [rad], at cycles counted from
    where it is set down."""
    number, phase = np.floor(cycles), np.mod(cycles, 1.0)
    fraction = np.clip((phase - DUTY) / (1.0 - DUTY), 0.0, 1.0)
    ease = fraction**3 * (10.0 - 15.0 * fraction + 6.0 * fraction**2)
    leaves = np.clip((phase - 0.6 * DUTY) / (0.4 * DUTY), 0.0, 1.0) ** 2 * (1.0 - ease)
    pitch = 0.6 * leaves
    rise = BALL * np.sin(pitch) + LIFT * 64.0 * (fraction * (1.0 - fraction)) ** 3
    along = STRIDE * (number + ease + 0.5 * DUTY) + BALL * (1.0 - np.cos(pitch))
    return np.column_stack([np.zeros_like(along), ANKLE + rise, along]), pitch


def _skeleton() -> str:
    """Of BVH, in metres, with one frame."""
    lines = ["HIERARCHY"]
    count = 0

    def write(name: str, offset: tuple[float, float, float]) -> None:
        nonlocal count
        is_root = name == "Hips"
        position = "6 Xposition Yposition Zposition" if is_root else "3"
        count += 6 if is_root else 3
        lines.extend([f"{'ROOT' if is_root else 'JOINT'} {name}", "{", "OFFSET {} {} {}".format(*offset)])
        lines.append(f"CHANNELS {position} Zrotation Xrotation Yrotation")
        children = [bone for bone in BONES if bone[1] == name]
        for child, _, offset in children:
            write(child, offset)
        if not children:
            end = ENDS.get(name, TOES)
            lines.extend(["End Site", "{", "OFFSET {} {} {}".format(*end), "}"])
        lines.append("}")

    write("Hips", BONES[0][2])
    return "\n".join([*lines, "MOTION", "Frames: 1", "Frame Time: 0.01", " ".join(["0"] * count)])
