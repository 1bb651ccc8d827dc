"""Warns before feet are planted of what may be wrong with a motion: unit of length, up axis, a treadmill."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from limbik.formats.motions import Motion
from limbik.motion.contacts import ContactRule
from limbik.motion.feet.soles import TIP, Sole
from limbik.spatial import Array, norm

SHORTEST, LONGEST = 0.03, 5.0  # [m] of legs that are plausible
MANY = 0.05  # of the frames in which no leg carries
LEANS = 2.0  # times as far beside the feet as above them are the hips of a body that does not stand
BELT = 0.35  # [leg lengths/s] of the slowest belt
ALIKE, MIN_FRACTION = (
    0.3,
    0.6,
)  # how near its velocity low feet are, as part of it, in which fraction of frames at least


def doubts(
    motion: Motion,
    soles: Sequence[Sole],
    poses: Mapping[str, Array],
    leg_length: float,
    carries: NDArray[np.bool_],
) -> Iterator[str]:
    """Sentences on what may be wrong and what mends it, by poses [T, 4, 4] of the links of legs and soles.

    carries [T, feet]: whether each leg could carry.
    """
    if not SHORTEST <= leg_length <= LONGEST:
        yield (
            f"its legs are {leg_length:.2g} m long: give the unit of its lengths, `unit` of load_motion "
            "or --unit"
        )
    for sole in soles:
        if not np.stack([sole.heel, sole.ball, sole.tip]).any():
            yield (
                f"foot {sole.ankle!r} has neither shapes nor frames that tell its sole, so its origin is put "
                "on the ground: give a `limbik.motion.Sole` as `feet`"
            )
    points = np.stack([sole.points(*(poses[link] for link in sole.links))[:, :TIP] for sole in soles])
    hips = np.stack([poses[sole.root][:, :3, 3] for sole in soles])
    lying = float((~carries).all(axis=1).mean())
    if lying > MANY:
        yield (
            f"neither leg carries in {lying:.0%} of its frames, as in crawling, kneeling, sitting and lying: "
            "there feet are left as they are, and so are knees and hands"
        )
    yield from _axis(motion, (hips - points.mean(axis=2)).mean(axis=(0, 1)))
    yield from _belt(motion, points, hips.mean(axis=0), leg_length)


def _axis(motion: Motion, rise: Array) -> Iterator[str]:
    up, along = "xyz".index(motion.up), int(np.abs(rise).argmax())
    if along != up and abs(rise[along]) > LEANS * rise[up]:
        axis = "xyz"[along]
        yield (
            f"its hips are {abs(rise[along]):.2g} m from its feet along {axis}, and {rise[up]:.2g} m above "
            f"them along {motion.up}: unless it lies, give up={axis!r} or --up {axis}"
        )


def _belt(motion: Motion, points: Array, hips: Array, leg_length: float) -> Iterator[str]:
    """points [feet, T, 2, 3], hips [T, 3]."""
    if len(hips) < 2:
        return
    up = "xyz".index(motion.up)
    velocity = np.gradient(points, motion.dt, axis=1)
    height = points[..., up] - points[..., up].min(axis=1, keepdims=True)
    low = velocity[height < ContactRule.for_legs(leg_length).height].copy()
    low[:, up] = 0.0
    belt = np.median(low, axis=0)
    speed = float(norm(belt))
    drift = (hips[-1] - hips[0]) / motion.duration
    drift[up] = 0.0
    are_alike = (norm(low - belt) < ALIKE * speed).mean() > MIN_FRACTION
    if speed > BELT * leg_length and are_alike and norm(drift) < ALIKE * speed:
        words = [f"{each:g}" for each in np.round(belt, 2)]
        listed, typed = ", ".join(words), " ".join(words)
        yield (
            f"its feet move at ({listed}) m/s while they are low, and its hips stay: if it walks on a belt, "
            f"give contacts=ContactRule(ground_velocity=({listed})) or --belt {typed}"
        )
