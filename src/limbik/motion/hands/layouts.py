"""Orders of hand joints, as WebXR, OpenXR and MediaPipe number them."""

from __future__ import annotations

from typing import Literal

from limbik.motion.body.roles import FINGERS

Layout = Literal["webxr", "openxr", "mediapipe"]

FINGER_NAMES = tuple(FINGERS)
BONES = {
    finger: (*(() if finger == "Thumb" else ("Metacarpal",)), *bones, "Tip")
    for finger, bones in FINGERS.items()
}
JOINTS = ("Palm", "Wrist", *(finger + bone for finger, bones in BONES.items() for bone in bones))
"""Of one hand, named as VRM names bones, each at its beginning, in the order of XR_EXT_hand_tracking."""

LAYOUTS: dict[Layout, tuple[str, ...]] = {
    "webxr": JOINTS[1:],
    "openxr": JOINTS,
    "mediapipe": tuple(
        name for name in JOINTS[1:] if name == "ThumbMetacarpal" or not name.endswith("Metacarpal")
    ),
}
JOINT_INDICES = {name: k for k, name in enumerate(JOINTS)}
CHAINS = {finger: tuple(finger + bone for bone in (*bones, "Tip")) for finger, bones in FINGERS.items()}
"""Of each finger its four joints from the first that bends to the tip."""

NEEDED = ("Wrist", *(name for chain in CHAINS.values() for name in chain))
"""Joints that every layout has."""
BEFORE = {
    after: name for chain in CHAINS.values() for name, after in zip(("Wrist", *chain), chain, strict=False)
}
"""Of each of these the one before it."""
