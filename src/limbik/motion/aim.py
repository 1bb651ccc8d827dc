"""`Aim`: turns a chain of links until the last one looks at a point: a spine, a neck and a head.

For one joint: the ray from the eye along its direction meets the sphere about the joint through the target at
one point; the smallest rotation that brings that point to the target is exact, wherever the eye is beside the
joint (as ozz-animation's IKAimJob). A ray that misses the sphere, which is nearer to the joint than the eye,
is taken as the tangent next to it. Along a chain every joint takes its part of what is left, so that the last
one completes it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from limbik.errors import GoalError
from limbik.goals.base import as_direction
from limbik.model import Model
from limbik.motion.chains import LinkChain, links_of, rows_of, weights_of
from limbik.request import check_target
from limbik.spatial import (
    Array,
    as_number,
    as_numbers,
    as_vector,
    cross,
    dot,
    norm,
    perpendicular,
    rotation_between,
    rotation_exp,
    rotation_log,
    unit,
)

MET = 1e-6  # [rad]


@dataclass(frozen=True, eq=False)
class AimSolution:
    """What `Aim.solve` answers; of one q numbers, of a batch arrays."""

    q: Array  # [..., nq]
    angle: Any  # [...] between the direction and the target [rad]
    reached: Any  # [...] whether it is at most 1e-6 rad


@dataclass(frozen=True, eq=False)
class Aim:
    """Links that turn until the last one looks at a point.

    chain: names of links in a row, the last one looks. axis: its direction [3], in axes of that link.
    eye: where it looks from [3], in axes of that link [m].
    weights: how much each joint takes beside the others: one number for all, or [n].
    limit: how far each may turn from the pose beneath [rad], one number or [n].
    weight: 0 to 1: fraction of the rotation.

    Raises GoalError for numbers out of range.
    """

    chain: Sequence[str]
    axis: ArrayLike
    eye: ArrayLike = (0.0, 0.0, 0.0)
    weights: ArrayLike = 1.0
    limit: ArrayLike = np.inf
    weight: float = 1.0

    def __post_init__(self) -> None:
        names = links_of(self.chain)
        axis = as_direction(self.axis, "axis")
        limits = as_numbers(self.limit, "limit", "angles [rad]", GoalError)
        if limits.shape not in ((), (len(names),)) or not (limits >= 0.0).all():
            raise GoalError(f"limit needs an angle [rad] that is not negative, or {len(names)} of them")
        weight = as_number(self.weight, "weight", "a number from 0 to 1", GoalError)
        if not 0.0 <= weight <= 1.0:
            raise GoalError(f"weight needs a number from 0 to 1, found {weight:g}")
        eye = as_vector(self.eye, 3, "eye", error=GoalError)
        check_target(eye, "eye")
        for name, value in (
            ("chain", names),
            ("axis", axis),
            ("eye", eye),
            ("weights", weights_of(self.weights, len(names), "weights")),
            ("limit", np.broadcast_to(limits, (len(names),))),
            ("weight", weight),
        ):
            object.__setattr__(self, name, value)

    def solve(self, model: Model, q: ArrayLike, target: ArrayLike) -> AimSolution:
        """The chain that looks at a target [3] or [T, 3] of the world [m], from the pose beneath, q [nq] or
        [T, nq].

        A target nearer than the eye can look at is looked at as well as may be: `angle` says how well.

        Raises ModelError for links that are no chain of the model, GoalError for arrays of another shape.
        """
        needed = "a point [3] or points [T, 3] in metres"
        points = as_numbers(target, "target", needed, GoalError)
        if points.ndim not in (1, 2) or points.shape[-1] != 3 or not np.isfinite(points).all():
            raise GoalError(f"target needs {needed}, finite, found shape {points.shape}")
        check_target(points, "target")
        rows, targets, lead = rows_of(model, q, points, 1)
        chain = LinkChain(model, self.chain, self.chain[-1], rows)
        left = float(np.sum(self.weights))
        for k, (weight, limit) in enumerate(
            zip(np.asarray(self.weights), np.asarray(self.limit), strict=True)
        ):
            rotation = rotation_log(self._turn(chain, k, targets))
            rotation *= self.weight * weight / left if k < len(self.chain) - 1 else self.weight
            angle = norm(rotation)
            rotation *= np.minimum(1.0, min(limit, math.pi) / np.maximum(angle, 1e-300))[:, None]
            chain.turn(k, rotation_exp(rotation))
            left -= float(weight)
        angle = self._angle(chain, targets).reshape(lead)
        every_q = rows.reshape(*lead, model.nq)
        if not lead:
            return AimSolution(every_q, float(angle), bool(angle <= MET))
        return AimSolution(every_q, angle, angle <= MET)

    def _look(self, chain: LinkChain) -> tuple[Array, Array]:
        """Eye and direction [T, 3]."""
        pose = chain.poses[self.chain[-1]]
        rotation = pose[:, :3, :3]
        return pose[:, :3, 3] + rotation @ np.asarray(self.eye), rotation @ np.asarray(self.axis)

    def _turn(self, chain: LinkChain, k: int, targets: Array) -> Array:
        """The rotation [T, 3, 3] of one link that would have the chain look at the targets."""
        eye, direction = self._look(chain)
        center = chain.center(k)
        offset, wanted = eye - center, targets - center
        along = dot(offset, direction)
        beyond = dot(offset, offset) - dot(wanted, wanted)
        inside = along**2 - beyond
        ahead = np.sqrt(np.maximum(inside, 0.0)) - along
        seen = offset + ahead[:, None] * direction
        is_missed = (inside < 0.0) | (ahead < 0.0)
        if is_missed.any():
            seen[is_missed] = _beside(
                offset[is_missed], direction[is_missed], norm(wanted)[is_missed], beyond[is_missed]
            )
        return rotation_between(seen, wanted)

    def _angle(self, chain: LinkChain, targets: Array) -> Array:
        eye, direction = self._look(chain)
        wanted = targets - eye
        return np.asarray(np.arctan2(norm(cross(direction, wanted)), dot(direction, wanted)))


def _beside(offset: Array, direction: Array, radius: Array, beyond: Array) -> Array:
    """Of spheres about 0 the points [T, 3] nearest to rays from outside that miss them, by the angle: where a
    tangent touches.

    offset, direction [T, 3]: of the rays. radius [T] of the spheres, beyond [T]: offset^2 - radius^2.
    """
    apart = norm(offset)[:, None]
    outward = offset / apart
    side = unit(direction - dot(direction, outward)[:, None] * outward)
    side = np.where(norm(side)[:, None] > 0.0, side, perpendicular(outward))
    length = np.sqrt(np.maximum(beyond, 0.0))[:, None]
    return np.asarray(offset + length / apart * (radius[:, None] * side - length * outward))
