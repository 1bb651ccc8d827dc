"""Feet of a motion on a ground, for the page's timeline: stance spans, slide speed and depth, frame by
frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limbik.errors import ModelError
from limbik.formats.motions import Motion
from limbik.motion.contacts import runs
from limbik.motion.feet.ground import Ground
from limbik.motion.feet.soles import Sole, sole_contacts, soles_of
from limbik.spatial import Array, norm


@dataclass(frozen=True, eq=False)
class Feet:
    """The soles of a motion, and when their heels and balls stand [T, feet, 2]."""

    soles: Sequence[Sole]
    stands: NDArray[np.bool_]

    def spans(self) -> list[dict[str, object]]:
        """Of each foot, the first and last frames of its stances."""
        stands = self.either()
        return [
            {"name": sole.ankle, "spans": [[int(each[0]), int(each[-1])] for each in runs(stands[:, k])]}
            for k, sole in enumerate(self.soles)
        ]

    def either(self) -> NDArray[np.bool_]:
        """[T, feet] whether the heel or the ball stands."""
        return np.asarray(self.stands.any(axis=-1))


def feet_in(motion: Motion) -> Feet:
    """The feet; none where no name tells them."""
    try:
        soles = soles_of(motion)
    except ModelError:
        return Feet((), np.zeros((len(motion), 0, 2), dtype=np.bool_))
    return Feet(soles, sole_contacts(motion, soles))


def slides_and_depths(motion: Motion, feet: Feet, ground: Ground) -> tuple[Array, Array]:
    """Of every frame the greatest speed of a heel or ball that stands [cm/s], and how deep the deepest point
    of a sole is in the ground [mm]; both [T]."""
    slides, depths = np.zeros(len(motion)), np.zeros(len(motion))
    for k, sole in enumerate(feet.soles):
        ankle, toe = (motion.model.pose(motion.q, name) for name in sole.links)
        points = sole.points(ankle, toe)
        heights = ground.under(points)[0]
        deep = heights - points[..., "xyz".index(motion.up)]
        depths = np.maximum(depths, np.where(np.isfinite(deep), deep, 0.0).max(axis=1))
        speeds = norm(np.diff(points[:, :2], axis=0)) / motion.dt
        both = feet.stands[1:, k] & feet.stands[:-1, k]
        slides[1:] = np.maximum(slides[1:], np.where(both, speeds, 0.0).max(axis=1))
    return 1e2 * slides, 1e3 * depths
