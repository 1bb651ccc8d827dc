"""How the pelvis rises and sinks with planted feet: as low as the legs need, and so that no knee jerks.

A leg that is nearly straight bends by centimetres where its foot moves by millimetres. So the height is
corrected by an offset that fades quickly, for which the jerk of the knees counts, too: by the Gauss-Newton
method on how far each knee stands out from the line between hip and ankle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from limbik.formats.motions import Motion
from limbik.motion.feet.leg_chain import LegChain
from limbik.motion.feet.locks import SPAN, FootPath
from limbik.motion.feet.min_jerk import Coupled, bounded_offsets
from limbik.motion.feet.soles import Sole
from limbik.motion.limb import LimbPlan
from limbik.spatial import Array, norm

EXTENSION = 0.97  # of a leg's length, to which it is stretched; farther where the animation does so
MAX_EXTENSION = 0.9985  # but not more
MARGIN = 1e-4  # [m] how far the pelvis may be above what the legs reach
GROUND = 5.0  # [percent] of the heights of all soles, which are lower than the ground in the animation
KNEES = 0.3  # weight of a knee's jerk beside that of the pelvis
STEEP = 4.0  # how far a knee moves at most with the pelvis, for this weight
STEPS = 3  # of the Gauss-Newton method
SMALLEST = 1e-9  # [m]


def pelvis_rise(
    legs: Sequence[LimbPlan | LegChain],
    poses: Mapping[str, Array],
    paths: Sequence[FootPath],
    up: Array,
    halflife: float,
    dt: float,
    margin: Array,
) -> Array:
    """How much higher than in the animation the pelvis is [T] [m]: with the ground, as low as the legs need,
    but not lower than the margin [T] [m] under it.

    halflife: [s] of an offset of the feet; dt: [s] between frames.
    """
    follow = np.mean([path.lift for path in paths], axis=0)
    reaches = [_reach(leg, poses, path, up) for leg, path in zip(legs, paths, strict=True)]
    lower = follow - np.min([reach.max_rise() for reach in reaches], axis=0)
    none, zero = np.zeros(len(follow), dtype=np.bool_), np.zeros(len(follow))
    sunk = bounded_offsets(none, zero, lower, 2.0 * halflife, dt, margin=MARGIN)
    correction, frames = zero, max(1, round(SPAN / dt))
    for _ in range(STEPS):
        knees = [reach.knee(follow - sunk, correction, frames) for reach in reaches]
        correction = bounded_offsets(none, zero, lower - sunk, halflife, dt, margin=MARGIN, coupled=knees)
    return np.asarray(follow - np.minimum(sunk + correction, margin))


class _LegReach(NamedTuple):
    """From the hip, as the animation has it, to where the ankle is to be; each [T] [m]."""

    thigh: Array
    shank: Array
    upwards: Array  # height of the ankle over the hip
    beside: Array  # and how far it is beside it
    animated: Array  # distance from hip to ankle in the animation

    def max_rise(self) -> Array:
        """How far the hip may rise."""
        length = self.thigh + self.shank
        reach = np.clip(self.animated, EXTENSION * length, MAX_EXTENSION * length)
        return np.asarray(self.upwards + np.sqrt(np.maximum(reach**2 - self.beside**2, 0.0)))

    def knee(self, rise: Array, correction: Array, frames: int) -> Coupled:
        """How much farther than in the animation the knee stands out, by the correction of the pelvis, which
        is that much lower than `rise`: linear about a correction, and the mean over so many frames.
        """
        from scipy.ndimage import uniform_filter1d

        upwards = self.upwards - rise + correction
        distance = np.maximum(np.hypot(self.beside, upwards), SMALLEST)
        along, out = self._knee_at(distance)
        by_distance = -along * (1.0 - along / distance) / np.maximum(out, SMALLEST)
        slope = np.clip(by_distance * upwards / distance, -STEEP, STEEP)
        _, animated = self._knee_at(np.maximum(self.animated, SMALLEST))
        slope, value = (uniform_filter1d(each, frames, mode="nearest") for each in (slope, out - animated))
        return Coupled(slope, value - slope * correction, KNEES)

    def _knee_at(self, distance: Array) -> tuple[Array, Array]:
        """Where the knee is along the line from hip to ankle, and how far from that line."""
        along = (self.thigh**2 - self.shank**2 + distance**2) / (2.0 * distance)
        return along, np.sqrt(np.maximum(self.thigh**2 - along**2, 0.0))


def _reach(leg: LimbPlan | LegChain, poses: Mapping[str, Array], path: FootPath, up: Array) -> _LegReach:
    hip, knee, ankle = (poses[name][:, :3, 3] for name in leg.bones)
    away = path.position - hip
    upwards = away @ up
    beside = norm(away - upwards[:, None] * up)
    return _LegReach(norm(knee - hip), norm(ankle - knee), upwards, beside, norm(ankle - hip))


def ground_margin(
    motion: Motion, legs: Sequence[LimbPlan | LegChain], soles: Sequence[Sole], poses: Mapping[str, Array]
) -> Array:
    """How high the lowest link that is no part of a leg is over the ground in the animation [T] [m]."""
    up = "xyz".index(motion.up)
    of_legs = {link for leg in legs for link in leg.frames} | {link for sole in soles for link in sole.links}
    others = [link for link in motion.links if link not in of_legs]
    if not others:
        return np.full(len(motion), np.inf)
    points = np.concatenate([sole.points(*(poses[link] for link in sole.links)) for sole in soles], axis=1)
    ground = float(np.percentile(points[..., up], GROUND))
    heights = motion.model.poses(motion.q, others)[..., up, 3] - ground
    return np.maximum(heights.min(axis=1), 0.0)
