"""Motions whose bones vary in length, made from ones whose bones do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import limbik
from limbik.formats import bvh_model


def stretching(motion: limbik.Motion, share: float = 0.02, seed: int = 0) -> limbik.Motion:
    """The motion with position channels on all joints, by which every bone varies in length."""
    rng = np.random.default_rng(seed)
    positions = ("Xposition", "Yposition", "Zposition")
    assert motion.hierarchy is not None
    hierarchy = tuple(
        joint
        if joint.is_end or joint.parent < 0
        else replace(joint, channels=(*positions, *(c for c in joint.channels if c.endswith("rotation"))))
        for joint in motion.hierarchy
    )
    model = bvh_model.model_of(hierarchy, motion.metres, "stretching")
    q = np.empty((len(motion), model.nq))
    for joint in motion.model.joints:
        q[:, model.q_slice(joint.name)] = motion.q[:, motion.model.q_slice(joint.name)]
    for joint in hierarchy:
        if not joint.is_end and joint.parent >= 0:
            factor = 1.0 + share * rng.uniform(-1.0, 1.0, len(motion))
            for channel, length in zip(positions, joint.offset, strict=True):
                place = model.q_slice(f"{joint.name}.{channel}").start
                q[:, place] = motion.metres * length * factor
    return replace(motion, model=model, q=q, hierarchy=hierarchy)
