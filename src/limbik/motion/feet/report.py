"""The report of `plant_feet`: what was changed, and how far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbik.errors import GoalError, ModelError
from limbik.formats.motions import Motion, as_motion
from limbik.motion.contacts import ContactRule, runs
from limbik.motion.feet.soles import TIP, Sole, sole_contacts, soles_of
from limbik.spatial import Array, norm

STILL_CM_S = 1.0  # speed up to which a foot is held


class FootReport(NamedTuple):
    """One foot before and after."""

    link: str
    stands: float  # fraction of the frames in which it stands, 0 to 1
    slide_before_cm_s: float  # mean speed of heel and ball along the ground while they stand; 0 if never
    slide_after_cm_s: float
    slide_held_cm_s: float  # after: mean speed of the slower of heel and ball while the foot is held
    released: tuple[range, ...]  # frames in which the foot stands in the animation, and now moves
    released_part: float  # fraction of the frames in which it stands, 0 to 1
    moved_cm: float  # how far it has been moved at most
    frame: int  # and where


@dataclass(frozen=True)
class PlantingReport:
    """What `plant_feet` has changed."""

    feet: tuple[FootReport, ...]
    pelvis_cm: float  # how far the hips have been moved at most
    pelvis_frame: int  # and where

    def __str__(self) -> str:
        width = max(len(foot.link) for foot in self.feet)
        lines = [
            f"{foot.link:<{width}}  stands {foot.stands:4.0%}, slides {foot.slide_before_cm_s:.2f} -> "
            f"{foot.slide_after_cm_s:.2f} cm/s, moved by {foot.moved_cm:.1f} cm at most (frame {foot.frame})"
            f"{_releases(foot)}"
            for foot in self.feet
        ]
        pelvis = f"{'hips':<{width}}  moved by {self.pelvis_cm:.1f} cm at most (frame {self.pelvis_frame})"
        return "\n".join([*lines, pelvis])


def planting_report(
    motion: Motion,
    planted: Motion,
    feet: Sequence[str] | None = None,
    *,
    contacts: ContactRule | None = None,
) -> PlantingReport:
    """What has changed between a motion and the same with its feet planted.

    feet, contacts: as for `plant_feet`; with a rule for a belt feet slide beside the belt.

    Raises ModelError for unknown links, and for no feet, GoalError for what is no rule and for motions of
    different frames.
    """
    motion, planted = as_motion(motion), as_motion(planted)
    if (len(planted), planted.dt) != (len(motion), motion.dt):
        raise GoalError(
            f"planted needs the frames of motion, {len(motion)} at a distance of {motion.dt:g} s, not "
            f"{len(planted)} at {planted.dt:g} s"
        )
    soles = soles_of(motion, feet)
    if not soles:
        raise ModelError("planting_report needs at least one foot, found none")
    stands = sole_contacts(motion, soles, contacts)
    of_ground = np.zeros(3) if contacts is None else np.array(contacts.ground_velocity)
    hips = [np.mean([_positions(each, sole.root) for sole in soles], axis=0) for each in (motion, planted)]
    moved = 100.0 * norm(hips[1] - hips[0])
    return PlantingReport(
        tuple(_foot(motion, planted, sole, stands[:, k], of_ground) for k, sole in enumerate(soles)),
        float(moved.max()),
        int(moved.argmax()),
    )


def _foot(
    motion: Motion, planted: Motion, sole: Sole, stands: NDArray[np.bool_], of_ground: Array
) -> FootReport:
    """of_ground: the ground's velocity [3] [m/s]."""
    before, after = (
        sole.points(*(each.model.pose(each.q, link) for link in sole.links)) for each in (motion, planted)
    )
    both = stands[1:] & stands[:-1]
    beside = np.arange(3) != "xyz".index(motion.up)
    slides = [
        100.0 * norm(np.diff(points[:, :TIP], axis=0)[..., beside] / motion.dt - of_ground[beside])
        for points in (before, after)
    ]
    slowest = np.where(both, slides[1], np.inf).min(axis=1)  # of heel and ball, the one that is held
    is_released = np.isfinite(slowest) & (slowest > STILL_CM_S)
    moved = 100.0 * norm(after - before).max(axis=1)
    return FootReport(
        link=sole.ankle,
        stands=float(stands.any(axis=1).mean()),
        slide_before_cm_s=_mean(slides[0][both]),
        slide_after_cm_s=_mean(slides[1][both]),
        slide_held_cm_s=_mean(slowest[slowest <= STILL_CM_S]),
        released=tuple(range(int(frames[0]), int(frames[-1]) + 2) for frames in runs(is_released)),
        released_part=float(is_released.sum() / max(np.isfinite(slowest).sum(), 1)),
        moved_cm=float(moved.max()),
        frame=int(moved.argmax()),
    )


def _mean(values: Array) -> float:
    return float(values.mean()) if values.size else 0.0


def _releases(foot: FootReport) -> str:
    """In words, with the frame at which the foot has been let go for longest."""
    if not foot.released:
        return ""
    longest = max(foot.released, key=len)
    times = "once" if len(foot.released) == 1 else f"{len(foot.released)} times"
    others = f", {foot.slide_held_cm_s:.2f} cm/s in the others" if foot.released_part < 1.0 else ""
    return (
        f", let go {times} (in {foot.released_part:.1%} of the frames in which it stands, for longest from "
        f"frame {longest.start}){others}"
    )


def _positions(motion: Motion, link: str) -> Array:
    return np.asarray(motion.model.pose(motion.q, link)[:, :3, 3])
