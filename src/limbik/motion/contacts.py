"""Detects when feet are on the ground, by height and speed with hysteresis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbik.errors import GoalError, LimbikError, ModelError, members_of, shortened
from limbik.formats.motions import Motion, as_motion
from limbik.model import Model
from limbik.motion.body.body_root import body_root
from limbik.spatial import Array, as_number, as_numbers, as_vector, check_largest, norm

LEG = 0.85  # [m] thigh and shank of the person whose lengths and speeds a rule has
SHORTEST_LEG = 1e-5  # [m]
MAX = 1e9  # of any number of a rule [m, m/s, s]
SCALED = ("height", "speed", "leave_height", "leave_speed", "steady")
LOW = 5.0  # [percent] of the frames in which a foot is below what counts as its height in stance


@dataclass(frozen=True, kw_only=True)
class ContactRule:
    """A point begins to stand when it is below `height` and slower than `speed`, and stands until it is above
    `leave_height` or faster than `leave_speed`. What differs for less than half of `window` is left out, and
    so are the frames at both ends in which its velocity differs by more than `steady` from the median of all
    in which it stands: a point that slides stands, too, one that is still coming down does not.

    Height is counted from the point's own low level, below which it is in 5 % of frames: an ankle or a heel
    never comes down to the ground itself. So a point that never stands is not told by its height alone. Speed
    is that beside the ground, of positions smoothed by a Gaussian.

    The lengths and speeds are those of a person whose thigh and shank are 0.85 m long; `for_legs` has them
    for others, and is the default.
    """

    height: float = 0.03  # [m]
    speed: float = 0.7  # [m/s]
    leave_height: float = 0.04  # [m] at least `height`
    leave_speed: float = 0.7  # [m/s] at least `speed`
    steady: float = 0.25  # [m/s]
    smoothing: float = 0.025  # [s] deviation of the Gaussian
    window: float = 0.09  # [s] of the median
    ground_velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [m/s] of a belt, in axes of the world

    def __post_init__(self) -> None:
        for name in ("height", "speed", "leave_height", "leave_speed", "steady", "smoothing", "window"):
            needed = f"a number from 0 to {MAX:g}"
            value = as_number(getattr(self, name), name, needed, GoalError)
            if not 0.0 <= value <= MAX:
                raise GoalError(f"{name} needs {needed}, found {value:g}")
            object.__setattr__(self, name, value)
        for begin, leave in (("height", "leave_height"), ("speed", "leave_speed")):
            if getattr(self, leave) < getattr(self, begin):
                raise GoalError(f"{leave} needs to be at least {begin}, {getattr(self, begin):g}")
        velocity = as_vector(self.ground_velocity, 3, "ground_velocity", error=GoalError)
        check_largest(velocity, MAX, "ground_velocity", "m/s", GoalError)
        object.__setattr__(self, "ground_velocity", tuple(velocity.tolist()))

    @classmethod
    def for_legs(cls, length: float) -> ContactRule:
        """The rule for a body whose thigh and shank are so long [m] together."""
        length, usual = as_number(length, "length", "a number of metres", GoalError), cls()
        return replace(usual, **{name: length / LEG * getattr(usual, name) for name in SCALED})


def detect_contacts(
    motion: Motion, feet: Sequence[str] | None = None, rule: ContactRule | None = None
) -> NDArray[np.bool_]:
    """[T, number of feet] whether each foot stands on the ground.

    feet: names of frames; default: `feet_of(motion)`. rule: default: `ContactRule.for_legs` of the motion's.
    Raises ModelError for an unknown frame, GoalError for another rule.
    """
    motion = as_motion(motion)
    names = feet_of(motion) if feet is None else members_of(feet, "feet", ModelError, "a list of frames")
    if not names:
        return np.zeros((len(motion), 0), dtype=np.bool_)
    rule = rule_for(motion, names, rule)
    return point_contacts(motion.model.poses(motion.q, names)[..., :3, 3], motion, rule)


def rule_for(motion: Motion, feet: Sequence[str], rule: ContactRule | None) -> ContactRule:
    """A rule, or without one that for the legs of feet. Raises GoalError for another."""
    if rule is None:
        return ContactRule.for_legs(leg_length(motion.model, feet))
    if not isinstance(rule, ContactRule):
        raise GoalError(f"rule needs a ContactRule, found {shortened(rule)}")
    return rule


def leg_length(model: Model, feet: Sequence[str]) -> float:
    """How long thigh and shank are together [m], the mean over feet: the two longest steps from joint to
    joint on the path from the hips to each, at rest. That of a person where there are no steps.
    """
    above, sums = len(model.path(body_root(model, feet))), []
    for foot in feet:
        below = [joint for joint in model.path(foot)[above:] if joint.parent != model.root]
        steps = [float(norm(joint.origin[:3, 3])) for joint in below]
        sums.append(sum(sorted(steps)[-2:]))
    length = float(np.mean(sums))
    return length if length > SHORTEST_LEG else LEG


def feet_of(motion: Motion) -> tuple[str, ...]:
    """The links whose names have "foot" in them, in any case; where there are none, "toe", then "ankle".

    Raises ModelError where no name has any.
    """
    motion = as_motion(motion)
    for word in ("foot", "toe", "ankle"):
        if feet := tuple(link for link in motion.links if word in link.casefold()):
            return feet
    raise ModelError(
        f"no link of model {motion.model.name!r} is called foot, toe or ankle: give the names as `feet`"
    )


def as_stands(contacts: ArrayLike, frames: int, feet: int, error: type[LimbikError]) -> NDArray[np.bool_]:
    """Whether each foot stands [frames, feet], from booleans or numbers; anything else raises `error`."""
    needed = f"shape [{frames}, {feet}], a row for each frame and a column for each foot"
    stands = as_numbers(contacts, "contacts", needed, error)
    if stands.shape != (frames, feet):
        raise error(f"contacts needs {needed}, found shape {stands.shape}")
    return as_flags(stands, error)


def as_flags(stands: Array, error: type[LimbikError]) -> NDArray[np.bool_]:
    """Numbers as booleans; raises `error` for others than 0 and 1, such as a confidence."""
    wrong = stands[(stands != 0.0) & (stands != 1.0)]
    if wrong.size:
        raise error(f"contacts needs 0 or 1 for each foot and frame, found {wrong[0]:g}")
    return stands != 0.0


def seconds_from(stands: NDArray[np.bool_], dt: float) -> Array:
    """[T] how far each frame is from one in which a foot stands [T] [s]; inf where it never does."""
    from scipy.ndimage import distance_transform_edt

    return dt * distance_transform_edt(~stands) if stands.any() else np.full(len(stands), np.inf)


def point_contacts(points: Array, motion: Motion, rule: ContactRule) -> NDArray[np.bool_]:
    """[T, n] whether each of some points [T, n, 3] of the world stands."""
    from scipy.ndimage import gaussian_filter1d, median_filter

    dt = motion.dt
    beside = points - np.multiply.outer(np.arange(len(points)) * dt, rule.ground_velocity)[:, None]
    frames_smoothed = min(max(rule.smoothing / dt, 1e-6), len(points))
    smooth = gaussian_filter1d(beside, frames_smoothed, axis=0, mode="nearest")
    velocity = np.gradient(smooth, dt, axis=0) if len(points) > 1 else np.zeros_like(smooth)
    speed = norm(velocity)
    heights = smooth[..., "xyz".index(motion.up)]
    height = heights - np.percentile(heights, LOW, axis=0)
    begins = (height <= rule.height) & (speed <= rule.speed)
    stays = (height <= rule.leave_height) & (speed <= rule.leave_speed)
    stands = np.zeros(begins.shape, dtype=np.bool_)
    is_down = np.zeros(begins.shape[1], dtype=np.bool_)
    for frame in range(len(stands)):
        is_down = np.where(is_down, stays[frame], begins[frame])
        stands[frame] = is_down
    size = round(min(rule.window / dt, 2.0 * len(points))) // 2 * 2 + 1
    stands = median_filter(stands, (size, 1), mode="nearest")
    for k in range(stands.shape[1]):
        for frames in runs(stands[:, k]):
            stands[frames[_is_coming_or_going(velocity[frames, k], frames, len(stands), rule.steady)], k] = (
                False
            )
    return np.asarray(stands)


def runs(flags: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """The frames of each unbroken run."""
    frames = np.flatnonzero(flags)
    return [part for part in np.split(frames, np.flatnonzero(np.diff(frames) > 1) + 1) if len(part)]


def _is_coming_or_going(
    velocity: Array, frames: NDArray[np.intp], count: int, steady: float
) -> NDArray[np.bool_]:
    """Which frames at the ends of a run of frames are not steady; of `count` frames of the motion."""
    axes = np.linalg.svd(velocity, full_matrices=False)[2]  # which turn with the body
    typical = np.median(velocity @ axes.T, axis=0) @ axes
    moves = norm(velocity - typical) > steady
    coming = np.logical_and.accumulate(moves) & (frames[0] > 0)
    going = np.logical_and.accumulate(moves[::-1])[::-1] & (frames[-1] < count - 1)
    return np.asarray(coming | going)
