"""The stances of a foot: when it is locked to the ground, where, and how it is turned there.

A stance is a run of frames in which the heel or the ball stands. Its foot is anchored where it stands on
average, on the ground under it, turned as the ground is; heel and ball belong to one flat foot.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbik.locks import cached_property
from limbik.motion.contacts import runs
from limbik.motion.feet.ground import Ground
from limbik.motion.feet.soles import BALL, HEEL, TIP, Sole
from limbik.spatial import Array, Matrix3, cross, norm, perpendicular, rotation_between, unit

SHORT = 1e-3  # [leg lengths] between heel and ball, below which they are one point
UPRIGHT = 0.3  # part of a foot's length beside the vertical, below which it has no heading
BREAK = 0.1  # [s] between two locks of one stance that moves too far for one


@dataclass(frozen=True)
class LockRule:
    """When a foot is let go, and how quickly."""

    radius: float  # [m] from its anchor in the animation
    angle: float  # [rad] from the flat foot
    halflife: float  # [s] of an offset that is let go


@dataclass(frozen=True, eq=False)
class AnimatedFoot:
    """A foot as the animation has it. ankle, toe: poses [T, 4, 4] of its links; up [3]; leg_length [m]."""

    sole: Sole
    ankle: Array
    toe: Array
    up: Array
    leg_length: float
    dt: float  # [s] between frames

    @cached_property
    def points(self) -> Array:
        """Heel, ball and tip of the toes [T, 3, 3] in the world [m]."""
        return self.sole.points(self.ankle, self.toe)


@dataclass(frozen=True, eq=False)
class Stance:
    """A foot that stands."""

    frames: NDArray[np.intp]  # in which the foot is locked
    flat: NDArray[np.intp]  # of these, those of heel and ball
    rotation: Matrix3  # [3, 3] of the flat foot
    slope: Matrix3  # [3, 3] from up to the normal of the ground
    position: Array  # [3] of the ankle of the flat foot
    lift: float  # [m] of the foot over where it is in the animation
    level: float  # [m] height of the ground in the animation


def stances_of(
    foot: AnimatedFoot, is_locked: NDArray[np.bool_], ground: Ground, rule: LockRule
) -> list[Stance]:
    """Every stance of a foot, whose heel and ball are locked in frames [T, 2]; frames in which it moves too
    far are let go there.
    """
    sole, up = foot.sole, foot.up
    stands = np.asarray(is_locked.any(axis=1))
    parts = [part for frames in runs(stands) for part in _near_parts(foot, is_locked, frames, rule)]
    feet = [_standing(foot, is_locked, frames, rule) for frames in parts]
    if not feet:
        return []
    held, anchor = np.array([each.held for each in feet]), np.array([each.anchor for each in feet])
    is_flat = np.array([len(each.flat) > 0 for each in feet])
    ups, points = np.broadcast_to(up, anchor.shape), np.stack([sole.heel, sole.ball])
    level = np.array([each.rotation for each in feet])
    level = np.where(is_flat[:, None, None], rotation_between(level @ sole.up, ups) @ level, level)
    slope = rotation_between(ups, _normals(sole, ground, anchor, level, held))
    rotation = slope @ level
    position = anchor - (rotation @ points[held][..., None])[..., 0]
    around = position[:, None] + points @ np.swapaxes(rotation, -1, -2)
    rises = ground.under(around)[0] + sole.heights[:TIP] - around @ up
    is_heel = held == HEEL  # a ball that is over the heel is not to be in a step
    counts = (is_flat | is_heel)[:, None] | (np.arange(TIP) == held[:, None])
    lift = np.where(counts, rises, -np.inf).max(axis=1)
    lift = np.where(np.isfinite(lift), lift, 0.0)
    position = position + lift[:, None] * up
    heights = anchor @ up - sole.heights[held]
    return [
        Stance(frames, each.flat, rotation[k], slope[k], position[k], float(lift[k]), float(heights[k]))
        for k, (frames, each) in enumerate(zip(parts, feet, strict=True))
    ]


class _Standing(NamedTuple):
    """How the animation has a foot while it stands."""

    flat: NDArray[np.intp]  # frames
    rotation: Matrix3  # [3, 3] mean
    held: int  # HEEL or BALL
    anchor: Array  # [3] mean position of that point


def _near_parts(
    foot: AnimatedFoot, is_locked: NDArray[np.bool_], frames: NDArray[np.intp], rule: LockRule
) -> Iterator[NDArray[np.intp]]:
    """Parts of a stance that stay within the radius, and turn about the vertical by less than the angle; what
    is between them is let go.
    """
    held = np.where(is_locked[:, BALL], BALL, HEEL)
    points = foot.points[frames, held[frames]] @ (np.eye(3) - np.outer(foot.up, foot.up))
    headings = _headings(foot)[frames]
    rest = round(BREAK / foot.dt)
    begin = 0
    while begin < len(frames):
        displacement = points[begin:] - points[begin]
        same = held[frames[begin:]] == held[frames[begin]]
        displacement[~same] -= (
            displacement[np.argmax(~same)] if not same.all() else 0.0
        )  # another point is held from there
        turned = np.abs(headings[begin:] - headings[begin])
        excess = np.maximum(norm(displacement) / (2.0 * rule.radius), turned / rule.angle)
        end = begin + _break(excess, rest) if excess.max() > 1.0 else len(frames)
        yield frames[begin:end]
        is_locked[frames[end : end + rest]] = False
        begin = end + rest


def _break(excess: Array, rest: int) -> int:
    """First of the frames in which to let go a foot that moves too far: of those before its displacement [n]
    exceeds 1, where it is fastest.
    """
    last = int(np.argmax(excess > 1.0))
    after = np.minimum(np.arange(1, last + 1) + rest, len(excess) - 1)
    return 1 + int(np.argmax(excess[after] - excess[1 : last + 1]))


def _headings(foot: AnimatedFoot) -> Array:
    """Which direction a foot points [T] [rad], about the vertical; upright, as it did before."""
    forward = foot.sole.ball - foot.sole.heel
    if norm(forward) < SHORT * foot.leg_length:  # a foot that is a point has directions all the same
        forward = perpendicular(foot.sole.up)
    forwards = foot.ankle[:, :3, :3] @ forward
    ahead = cross(foot.up, np.roll(foot.up, 1))
    beside = np.stack([forwards @ ahead, forwards @ cross(foot.up, ahead)], axis=1)
    is_upright = norm(beside) < UPRIGHT * norm(forwards)
    last = np.maximum.accumulate(np.where(is_upright, 0, np.arange(len(beside))))
    return np.unwrap(np.arctan2(beside[last, 1], beside[last, 0]))


def _standing(
    foot: AnimatedFoot, is_locked: NDArray[np.bool_], frames: NDArray[np.intp], rule: LockRule
) -> _Standing:
    """How the animation has a foot in a stance."""
    heel, ball = is_locked[frames].T
    near = math.cos(min(rule.angle, math.pi))
    flat = frames[heel & ball]
    flat = flat[foot.ankle[flat, :3, :3] @ foot.sole.up @ foot.up >= near]  # not one that lies on its side
    rotations = foot.ankle[flat if len(flat) else frames, :3, :3]
    mean = mean_rotation(rotations)
    cosines = 0.5 * (np.einsum("tij,ij->t", rotations[: len(flat)], mean) - 1.0)
    flat = flat[cosines >= near]
    held, at = (BALL, frames[ball]) if ball.any() else (HEEL, frames)
    return _Standing(flat, mean, held, foot.points[at, held].mean(axis=0))


def _normals(sole: Sole, ground: Ground, anchors: Array, rotations: Matrix3, held: NDArray[np.intp]) -> Array:
    """Of the ground under heel and ball, together, for each stance."""
    to_ball = rotations @ (sole.ball - sole.heel)
    others = anchors + np.where(held[:, None] == BALL, -to_ball, to_ball)
    _, normals = ground.under(np.stack([anchors, others]))
    return np.asarray(unit(normals.sum(axis=0)))


def mean_rotation(rotations: Matrix3) -> Matrix3:
    """The rotation nearest to the mean of several [n, 3, 3]."""
    left, _, right = np.linalg.svd(rotations.mean(axis=0))
    left[:, 2] *= np.sign(np.linalg.det(left @ right))
    return np.asarray(left @ right)
