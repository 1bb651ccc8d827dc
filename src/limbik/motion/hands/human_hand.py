"""A human hand as a model: 20 joints in five fingers, with anatomical limits and a person's own bone
lengths.

Ranges of motion are those of the American Academy of Orthopaedic Surgeons (1965, Joint Motion: Method of
Measuring and Recording); of the first joint of the thumb the totals of Cooney et al. (1981, The kinesiology
of the thumb trapeziometacarpal joint, J Bone Joint Surg Am 63), 53 and 42 degrees, and one standard deviation
more, 11 and 4. A knuckle flexes about an axis of the palm, and abducts about one that goes along (Wu et al.
2005, ISB recommendation on definitions of joint coordinate systems, part II, J Biomech 38). How the thumb
lies on the palm at rest is that of the relaxed hand in Meta's WebXR emulator (IWER 2.5).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from limbik.model import Model
from limbik.model.build import ModelBuilder
from limbik.motion.body.roles import Side
from limbik.motion.hands.layouts import CHAINS, JOINTS
from limbik.spatial import Array, pose_from, unit

Range = tuple[float, float]

# [degrees]: flexion is positive, and so is abduction toward the thumb; that of the thumb, toward the palm.
KNUCKLE_ABDUCTION: Range = (-20.0, 20.0)
KNUCKLE: Range = (-45.0, 90.0)
FINGER: tuple[Range, Range] = ((0.0, 100.0), (-10.0, 90.0))
THUMB_ABDUCTION: Range = (-19.0, 27.0)
THUMB_FLEXION: Range = (-22.0, 42.0)
THUMB: tuple[Range, Range] = ((0.0, 50.0), (-20.0, 80.0))

# Of the thumb at rest, in the axes of a right palm: along its first bone, and where it bends to.
THUMB_ALONG = (0.69, 0.64, -0.32)
THUMB_BENDS = (0.55, -0.76, -0.33)


def human_hand(positions: Mapping[str, Array], bones: Mapping[str, tuple[float, ...]], side: Side) -> Model:
    """A hand on its wrist, the link "rightWrist" or "leftWrist", in the axes of the palm.

    positions: by joint [3, m] in the axes of the palm, of which those on the palm count. bones: by finger the
    lengths of its three bones [m].

    Links are called as VRM calls bones, and so are the joints that flex; "rightIndexProximalAbduction" and so
    on are the others. At q = 0 the fingers go straight on from the palm, and the thumb lies as in a relaxed
    hand. Flexion is positive.
    """
    builder = ModelBuilder(f"{side} human hand", root=f"{side}Wrist")
    for name in JOINTS:
        is_of_palm = name == "Palm" or (name.endswith("Metacarpal") and name not in CHAINS["Thumb"])
        if is_of_palm and np.isfinite(positions[name]).all():
            builder.frame(side + name, link=f"{side}Wrist", pose=positions[name])
    mirrored = np.array([1.0, 1.0 if side == "right" else -1.0, 1.0])
    for finger, chain in CHAINS.items():
        is_thumb = finger == "Thumb"
        root = positions[chain[0]]
        along = mirrored * THUMB_ALONG if is_thumb else root * [1.0, 1.0, 0.0]
        bends = mirrored * THUMB_BENDS if is_thumb else np.array([0.0, 0.0, -1.0])
        _finger(builder, side, chain, pose_from(_axes(along, bends), root), bones[finger], is_thumb)
    return builder.build(end_effector=f"{side}IndexTip")


def _finger(
    builder: ModelBuilder,
    side: Side,
    chain: tuple[str, ...],
    origin: Array,
    lengths: tuple[float, ...],
    is_thumb: bool,
) -> None:
    """A finger along x, which bends toward -z, about y."""
    first, *others = (side + name for name in chain[:-1])
    builder.revolute(
        first,
        axis="y",
        limits=_radians(THUMB_FLEXION if is_thumb else KNUCKLE),
        parent=f"{side}Wrist",
        child=f"{first}Flexed",
        origin=origin,
    )
    builder.revolute(
        f"{first}Abduction",
        axis="z" if side == "right" else "-z",
        limits=_radians(THUMB_ABDUCTION if is_thumb else KNUCKLE_ABDUCTION),
        child=first,
    )
    for name, length, limits in zip(others, lengths, THUMB if is_thumb else FINGER, strict=False):
        builder.revolute(name, axis="y", limits=_radians(limits), origin=(length, 0.0, 0.0))
    builder.frame(side + chain[-1], pose=(lengths[-1], 0.0, 0.0))


def _axes(along: Array, bends: Array) -> Array:
    """A rotation with x along the finger, and z away from where it bends to."""
    x = unit(along)
    z = -unit(bends - x * (x @ bends))
    return np.column_stack([x, np.cross(z, x), z])


def _radians(limits: Range) -> Range:
    low, high = np.radians(limits)
    return float(low), float(high)
