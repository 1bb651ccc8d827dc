"""Targets of a foot in every frame: locked during stances, blended between them.

Which point is held changes from the heel to the ball without a step, because both belong to one flat foot.
Everything is an offset from the animation: known while a foot is locked, of least jerk in between
(`min_jerk`), so that it begins before a foot comes down and ends after it has left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limbik.motion.contacts import runs, seconds_from
from limbik.motion.feet.ground import Ground
from limbik.motion.feet.min_jerk import bounded_offsets, fading_offsets
from limbik.motion.feet.soles import BALL, HEEL, TIP
from limbik.motion.feet.stances import AnimatedFoot, LockRule, Stance, mean_rotation, stances_of
from limbik.spatial import Array, Matrix3, cross, norm, rotation_exp, rotation_log, unit

CLEARANCE = 0.024  # [leg lengths] that a swinging foot keeps from the ground where the animation has as much
TREND = 0.07  # [s] along which the trend of an offset is fitted
SETTLE = 0.1  # [s] after the first and last of the locked frames, in which an offset comes to the trend
SLOPE = 0.02  # [s] of these, along which it is measured how it changes
NOISE = 3.0  # deviations of a slope, below which it is noise
SPAN = 1.0 / 30.0  # [s] along which accelerations are measured
MAX_ACCELERATION = 10.0  # [leg lengths/s^2] of a foot beyond that in the animation
FAR = 0.025  # [leg lengths] of heel and ball from the animation, below which they are left as they are
FAR_ANKLE = 0.02  # [leg lengths] and of the ankle of a locked foot
RELEASE = 0.05  # [s] around a jerk in which the foot is let go first
ROUNDS = 4  # in which it is let go along more and more
BELOW = 1e-3  # [leg lengths, rad] how far a foot may be below what the ground asks for
SWING = 0.1  # [s] from a lock, after which the whole CLEARANCE holds


@dataclass(frozen=True, eq=False)
class FootPath:
    """Where one foot is to be."""

    position: Array  # [T, 3] of the link ankle [m]
    rotation: Matrix3  # [T, 3, 3] of the link ankle
    toe: Matrix3 | None  # [T, 3, 3] of the link toe
    is_locked: NDArray[np.bool_]  # [T, 2] heel and ball
    lift: Array  # [T] how much higher than in the animation the ground is, from stance to stance [m]


class FootLocks:
    """The locks of one foot, whose heel and ball stand in frames [T, 2]."""

    def __init__(self, foot: AnimatedFoot, stands: NDArray[np.bool_], ground: Ground, rule: LockRule) -> None:
        self.foot, self.sole, self.up = foot, foot.sole, foot.up
        self.ground, self.rule, self.dt = ground, rule, foot.dt
        self.is_locked = stands.copy()
        self.stances = stances_of(foot, self.is_locked, ground, rule)

    def path(self) -> FootPath:
        """The foot's position and orientation in every frame.

        Where a lock makes it jerk it is let go: in frames around, and around these if that is not enough.
        """
        path = self._path()
        for k in range(1, ROUNDS + 1):
            jerks = self._jerks(path)
            if not jerks.any():
                break
            self.is_locked[_widened(jerks, round(k * RELEASE / self.dt))] = False
            self.stances = stances_of(self.foot, self.is_locked, self.ground, self.rule)
            path = self._path()
        return path

    def _jerks(self, path: FootPath) -> NDArray[np.bool_]:
        """The frames [T] in which the ankle of a locked foot, or else heel or ball, is accelerated along the
        ground by so much more than in the animation, and is farther from it than noise is.
        """
        beside = np.eye(3) - np.outer(self.up, self.up)
        animated = np.concatenate([self.foot.ankle[:, None, :3, 3], self.foot.points[:, :TIP]], axis=1)
        points = np.stack([np.zeros(3), self.sole.heel, self.sole.ball])
        moved = path.position[:, None] + points @ np.swapaxes(path.rotation, -1, -2)
        animated, moved = animated @ beside, moved @ beside
        excess = acceleration(moved, self.dt) - acceleration(animated, self.dt)
        distance = norm(moved - animated) / self.foot.leg_length
        is_far = distance[:, 1:].min(axis=1) > FAR
        is_far_ankle = self.is_locked.any(axis=1) & (distance[:, 0] > FAR_ANKLE)
        is_jerk = excess > MAX_ACCELERATION * self.foot.leg_length
        jerks = (is_far & is_jerk.any(axis=1)) | (is_far_ankle & is_jerk[:, 0])
        ends = round(RELEASE / self.dt)  # where nothing is known of what comes before or after
        jerks[:ends] = jerks[len(jerks) - ends :] = False
        return np.asarray(jerks)

    def _path(self) -> FootPath:
        """As it is locked now."""
        slope, (lift, level) = self._slope(), self._heights()
        rotation = self._rotation(slope)
        toe = self._toe(slope, rotation)
        position = self._positions(rotation, toe, lift, level)
        if toe is not None:
            toe = self._toe_over_ground(position, rotation, toe)
        return FootPath(position, rotation, toe, self.is_locked, lift)

    # --- from stance to stance ------------------------------------------------------------------------------

    def _between(self, values: Array, otherwise: Array) -> Array:
        """Values [n, d] of the stances over all frames: smooth steps from one to the next."""
        if not self.stances:
            return np.broadcast_to(otherwise, (len(self.foot.ankle), *values.shape[1:]))
        knots = np.concatenate([[stance.frames[0], stance.frames[-1]] for stance in self.stances])
        frames = np.arange(len(self.foot.ankle))
        at = np.interp(frames, knots, np.arange(len(knots)))
        stance, part = np.divmod(at, 2.0)
        first = np.minimum(stance.astype(np.intp), len(values) - 1)
        second = np.minimum(first + 1, len(values) - 1)
        fraction = _smooth_step(np.clip(part - 1.0, 0.0, 1.0))[:, None]
        return np.asarray((1.0 - fraction) * values[first] + fraction * values[second])

    def _slope(self) -> Matrix3:
        """Rotations [T, 3, 3] of the foot that the ground asks for."""
        rotation_vectors = np.array([rotation_log(stance.slope) for stance in self.stances]).reshape(-1, 3)
        return rotation_exp(self._between(rotation_vectors, np.zeros(3)))

    def _heights(self) -> tuple[Array, Array]:
        """How much higher than in the animation the ground is, and how high it is there [T], from stance to
        stance."""
        heights = np.array([[stance.lift, stance.level] for stance in self.stances]).reshape(-1, 2)
        under, _ = self.ground.under(self.foot.points[:, BALL])
        low = float(np.median(under[np.isfinite(under)])) if np.isfinite(under).any() else 0.0
        lift, level = self._between(heights, np.array([low, 0.0])).T
        return lift, level

    def _rotation(self, slope: Matrix3) -> Matrix3:
        """Of the foot: flat while heel and ball stand."""
        animated = slope @ self.foot.ankle[:, :3, :3]
        is_fixed = np.zeros(len(animated), dtype=np.bool_)
        wanted = animated.copy()
        for stance in self.stances:
            is_fixed[stance.flat] = True
            wanted[stance.flat] = stance.rotation
        rotation_vectors = rotation_log(wanted @ np.swapaxes(animated, -1, -2))
        rotation = rotation_exp(self._fading(is_fixed, rotation_vectors)) @ animated
        normals, points = slope @ self.up, (self.sole.heel, self.sole.ball)
        for held, other in ((BALL, HEEL), (HEEL, BALL)):
            alone = self.is_locked[:, held] & ~self.is_locked[:, other]
            reach = rotation @ (points[other] - points[held])
            min_height = np.where(alone, self.sole.heights[other] - self.sole.heights[held], -np.inf)
            rotation = self._raised(rotation, reach, normals, min_height, is_fixed)
        return rotation

    def _raised(
        self, rotation: Matrix3, reach: Array, normals: Array, min_height: Array, is_fixed: NDArray[np.bool_]
    ) -> Matrix3:
        """Rotations [T, 3, 3] turned until a part of them, `reach` [T, 3], ends at least so high along the
        normals [T, 3] over where it begins [m]; not in frames that are fixed.
        """
        length = np.maximum(norm(reach), 1e-9)
        has = np.arcsin(np.clip((reach * normals).sum(axis=1) / length, -1.0, 1.0))
        needed = np.arcsin(np.clip(min_height / length, -1.0, 1.0))
        lower = np.where(np.isfinite(min_height) & (needed > has), needed - has, -np.inf)
        if not np.isfinite(lower).any():
            return rotation
        angle = bounded_offsets(is_fixed, np.zeros(len(is_fixed)), lower, self.rule.halflife, self.dt, BELOW)
        axis = unit(cross(reach, normals))
        return np.asarray(rotation_exp(np.maximum(angle, 0.0)[:, None] * axis) @ rotation)

    def _fading(self, is_fixed: NDArray[np.bool_], values: Array) -> Array:
        """Offsets [T, d] that are fixed in some frames, and fade in the others from the trend of those:
        the last ones have noise, by which an offset differs from the trend for a moment.
        """
        trend = _trend(is_fixed, values, self.dt)
        offsets = fading_offsets(is_fixed, trend, self.rule.halflife, self.dt)
        for locked in runs(is_fixed):
            left = values[locked] - trend[locked]
            for ahead, first, last in ((1, left[::-1], locked[-1]), (-1, left, locked[0])):
                beyond = np.arange(last + ahead, len(values) if ahead > 0 else -1, ahead)
                free = beyond[: np.argmax(np.append(is_fixed[beyond], True))]
                offsets[free] += _settling(first, len(free), self.dt)
        return np.where(is_fixed[:, None], values, offsets)

    def _positions(self, rotation: Matrix3, toe: Matrix3 | None, lift: Array, level: Array) -> Array:
        """Of the ankle: on its anchors, and over the ground between them."""
        base = self.foot.ankle[:, :3, 3] + lift[:, None] * self.up
        is_fixed = np.zeros(len(base), dtype=np.bool_)
        wanted = base.copy()
        for stance in self.stances:
            is_fixed[stance.frames] = True
            wanted[stance.frames] = self._held_position(stance, rotation)
        offset = self._fading(is_fixed, wanted - base)
        position = base + offset
        lower = self._min_rise(position, rotation, toe, level)
        upwards = offset @ self.up
        bound = np.where(is_fixed, -np.inf, upwards + lower)
        below = BELOW * self.foot.leg_length
        held_up = bounded_offsets(is_fixed, upwards, bound, self.rule.halflife, self.dt, below)
        return np.asarray(position + (held_up - upwards)[:, None] * self.up)

    def _held_position(self, stance: Stance, rotation: Matrix3) -> Array:
        """Positions [n, 3] of the ankle in the frames of a stance, whose ball does not move, or else its
        heel.

        Where the foot has turned, the one that takes over stands where it is then; a heel where it was in the
        last frame of the ball, after which only the heel is known to stand.
        """
        rotation, points = rotation[stance.frames], (self.sole.heel, self.sole.ball)
        held = np.where(self.is_locked[stance.frames, BALL], BALL, HEEL)
        at = [stance.position + (stance.rotation - rotation) @ point for point in points]
        position = np.where((held == BALL)[:, None], at[BALL], at[HEEL])
        for first in np.flatnonzero(np.diff(held)) + 1:
            when = first if held[first] == BALL else first - 1
            shift = at[held[first - 1]][when] - at[held[first]][when]
            position[first:] += shift - (shift @ self.up) * self.up
        return position

    def _min_rise(self, position: Array, rotation: Matrix3, toe: Matrix3 | None, level: Array) -> Array:
        """How much [T] a foot must rise to keep from the ground what it has in the animation, at most
        CLEARANCE."""
        points = self._points_at(position, rotation, toe)
        over = self.foot.points @ self.up - self.sole.heights - level[:, None]
        clearance = self._swing()[:, None] * np.clip(0.5 * over, 0.0, CLEARANCE * self.foot.leg_length)
        under, _ = self.ground.under(points)
        rise = under + self.sole.heights + clearance - points @ self.up
        return np.asarray(rise[:, :TIP].max(axis=1))

    def _swing(self) -> Array:
        """From 0 in frames in which the foot is locked to 1 in those that are SWING from them [T]."""
        stands = np.asarray(self.is_locked.any(axis=1))
        return np.minimum(seconds_from(stands, self.dt) / SWING, 1.0)

    def _points_at(self, position: Array, rotation: Matrix3, toe: Matrix3 | None) -> Array:
        """Heel, ball and tip [T, 3, 3] of a foot."""
        sole = self.sole
        heel, ball = (position + rotation @ at for at in (sole.heel, sole.ball))
        tip = ball + toe @ sole.tip if toe is not None else position + rotation @ sole.tip
        return np.stack([heel, ball, tip], axis=1)

    # --- toes -----------------------------------------------------------------------------------------------

    def _toe(self, slope: Matrix3, rotation: Matrix3) -> Matrix3 | None:
        """Of the toes: flat while the ball stands, else as the foot carries them."""
        if self.sole.toe is None:
            return None
        carried = rotation @ np.swapaxes(self.foot.ankle[:, :3, :3], -1, -2) @ self.foot.toe[:, :3, :3]
        is_fixed = np.zeros(len(carried), dtype=np.bool_)
        wanted = carried.copy()
        for stance in self.stances:
            ball = stance.frames[self.is_locked[stance.frames, BALL]]
            if not len(stance.flat):
                continue
            flat = stance.slope @ mean_rotation(self.foot.toe[stance.flat, :3, :3])
            turn = norm(rotation_log(np.swapaxes(slope[ball] @ self.foot.toe[ball, :3, :3], -1, -2) @ flat))
            near = ball[turn <= self.rule.angle]
            is_fixed[near] = True
            wanted[near] = flat
        rotation_vectors = rotation_log(wanted @ np.swapaxes(carried, -1, -2))
        return np.asarray(rotation_exp(self._fading(is_fixed, rotation_vectors)) @ carried)

    def _toe_over_ground(self, position: Array, rotation: Matrix3, toe: Matrix3) -> Matrix3:
        """The toes bent up until their tip is not in the ground."""
        ball = position + rotation @ self.sole.ball
        reach = toe @ self.sole.tip
        under, _ = self.ground.under(ball + reach)
        min_height = under + self.sole.heights[TIP] - ball @ self.up
        ups = np.broadcast_to(self.up, reach.shape)
        return self._raised(toe, reach, ups, min_height, np.zeros(len(reach), dtype=np.bool_))


def acceleration(positions: Array, dt: float) -> Array:
    """[T, ...] [m/s^2]: second differences of positions [T, ..., 3] along SPAN, 0 at the ends."""
    h = max(1, round(SPAN / dt))
    magnitudes = np.zeros(positions.shape[:-1])
    if len(positions) > 2 * h:
        magnitudes[h:-h] = (
            norm(positions[2 * h :] - 2.0 * positions[h:-h] + positions[: -2 * h]) / (h * dt) ** 2
        )
    return magnitudes


def _smooth_step(t: Array) -> Array:
    """From 0 to 1 at t from 0 to 1, where two derivatives are 0."""
    return np.asarray(t**3 * (10.0 - 15.0 * t + 6.0 * t * t))


def _settling(left: Array, count: int, dt: float) -> Array:
    """[count, d] what is left of the differences [n, d] of an offset from its trend, nearest frame first: it
    goes on as they do, as far as that is no noise, and is 0 after SETTLE, or in the next locked frame.
    """
    away = 1.0 + np.arange(count)
    part = np.minimum(away / min(SETTLE / dt, count + 1.0), 1.0)
    fraction = 1.0 - _smooth_step(part)
    return np.asarray(fraction[:, None] * (left[0] - away[:, None] * _slope(left, dt)))


def _slope(values: Array, dt: float) -> Array:
    """[d] per frame, of the first of values [n, d], as far as it is no noise (Wiener's filter)."""
    count = round(SLOPE / dt) + 1
    near = values[:count]
    if not 2 < count <= len(values):
        return np.zeros(values.shape[1])
    slope = np.polyfit(np.arange(count), near, 1)[0]
    noise = (np.diff(values[: 4 * count], 2, axis=0) ** 2).sum(axis=1).mean() / 6.0
    of_noise = NOISE**2 * noise * 12.0 / (count**3 - count)
    return np.asarray(slope * (slope @ slope) / max(slope @ slope + of_noise, 1e-300))


def _trend(is_fixed: NDArray[np.bool_], values: Array, dt: float) -> Array:
    """Values [T, d] without noise where they are fixed: a line fitted along TREND about each frame."""
    from scipy.signal import savgol_filter

    trend, count = values.copy(), 2 * round(0.5 * TREND / dt) + 1
    for frames in runs(is_fixed):
        if len(frames) >= count > 3:
            trend[frames] = savgol_filter(values[frames], count, 1, axis=0)
    return trend


def _widened(flags: NDArray[np.bool_], by: int) -> NDArray[np.bool_]:
    """Flags [T] that reach so many frames farther on both sides."""
    frames = np.flatnonzero(flags)[:, None] + np.arange(-by, by + 1)
    widened = np.zeros_like(flags)
    widened[np.clip(frames, 0, len(flags) - 1)] = True
    return widened
