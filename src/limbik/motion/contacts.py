"""When feet stand on the ground: by height and speed, with hysteresis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limbik.errors import GoalError, ModelError, members_of
from limbik.formats.motions import Motion
from limbik.spatial import Array, as_number, norm

LOW = 5.0  # [percent] of the frames in which a foot is below what counts as its height in stance


@dataclass(frozen=True, kw_only=True)
class ContactRule:
    """A foot begins to stand when it is below `height` and slower than `speed`, and stands until it is above
    `leave_height` or faster than `leave_speed`.

    Height is counted from the foot's own low level, below which it is in 5 % of frames: an ankle or a heel
    never comes down to the ground itself. So a foot that never stands is not told by its height alone.
    """

    height: float = 0.05  # [m]
    speed: float = 0.3  # [m/s]
    leave_height: float = 0.08  # [m] at least `height`
    leave_speed: float = 0.6  # [m/s] at least `speed`

    def __post_init__(self) -> None:
        for name in ("height", "speed", "leave_height", "leave_speed"):
            needed = "a number that is not negative"
            value = as_number(getattr(self, name), name, needed, GoalError)
            if not value >= 0.0:
                raise GoalError(f"{name} needs {needed}, found {value:g}")
            object.__setattr__(self, name, value)
        for begin, leave in (("height", "leave_height"), ("speed", "leave_speed")):
            if getattr(self, leave) < getattr(self, begin):
                raise GoalError(f"{leave} needs to be at least {begin}, {getattr(self, begin):g}")


def detect_contacts(
    motion: Motion, feet: Sequence[str] | None = None, rule: ContactRule | None = None
) -> NDArray[np.bool_]:
    """[T, number of feet] whether each foot stands on the ground.

    feet: names of frames; default: `feet_of(motion)`. rule: default: `ContactRule()`.
    Raises ModelError for an unknown frame.
    """
    rule = rule or ContactRule()
    names = feet_of(motion) if feet is None else members_of(feet, "feet", ModelError, "a list of frames")
    up = "xyz".index(motion.up)
    found = [_contact(motion.model.pose(motion.q, name)[:, :3, 3], up, motion.dt, rule) for name in names]
    return np.array(found, dtype=np.bool_).reshape(len(names), len(motion)).T


def feet_of(motion: Motion) -> tuple[str, ...]:
    """The links whose names have "foot" in them, in any case; where there are none, "toe", then "ankle".

    Raises ModelError where no name has any.
    """
    for word in ("foot", "toe", "ankle"):
        if found := tuple(link for link in motion.links if word in link.casefold()):
            return found
    raise ModelError(
        f"no link of model {motion.model.name!r} is called foot, toe or ankle: give the names as `feet`"
    )


def speeds(points: Array, dt: float) -> Array:
    """[T] speed [m/s] of points [T, 3] [m]: over both neighbours, at the ends over the one there is."""
    if len(points) < 2:
        return np.zeros(len(points))
    return norm(np.gradient(points, dt, axis=0))


def _contact(points: Array, up: int, dt: float, rule: ContactRule) -> NDArray[np.bool_]:
    heights, speed = points[:, up], speeds(points, dt)
    height = heights - np.percentile(heights, LOW)
    begins = (height <= rule.height) & (speed <= rule.speed)
    stays = (height <= rule.leave_height) & (speed <= rule.leave_speed)
    stands = np.zeros(len(heights), dtype=np.bool_)
    is_down = False
    for frame in range(len(heights)):
        is_down = bool(stays[frame]) if is_down else bool(begins[frame])
        stands[frame] = is_down
    return stands
