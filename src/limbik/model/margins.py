"""Limited quantities of joints (angle, travel, swing, twist, Euler angles) with their limits and margins;
removes revolutions beyond limits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from limbik.model.ball import BallLimits
from limbik.model.euler import EulerLimits, EulerRanges
from limbik.model.joints import SCALAR, Joint, JointKind
from limbik.model.model import Model
from limbik.model.periodic import periodic
from limbik.spatial import Array, Quaternion, dot, norm, quat_log, quat_normalise, swing_twist


class Reading(NamedTuple):
    """One limited quantity of a joint: its angle or travel, or of a ball joint the swing or twist, or one of
    its Euler angles.
    """

    joint: Joint
    quantity: str  # "angle", "travel", "swing", "twist", or "turn about x", "y" or "z"
    value: float  # [rad or m]
    lower: float
    upper: float

    @property
    def margin(self) -> float:
        """To the nearer limit [rad or m]; negative beyond it, infinite where there is none."""
        return min(self.value - self.lower, self.upper - self.value)


def readings(model: Model, q: Array) -> Iterator[Reading]:
    """What the limits are compared with, for every joint that has a part of q [nq]."""
    for joint in model.joints:
        if joint.mimic is not None:
            continue
        part = model.q_slice(joint.name)
        if joint.kind in SCALAR:
            quantity = "travel" if joint.kind is JointKind.PRISMATIC else "angle"
            lower, upper = float(model.lower[part.start]), float(model.upper[part.start])
            yield Reading(joint, quantity, float(q[part.start]), lower, upper)
        elif joint.kind is JointKind.BALL:
            yield from _of_ball(joint, q[part])


def limit_margins(model: Model, q: Array) -> Array:
    """[nq] how far each number of q is from the nearer limit [rad or m]; infinite where there is none.

    The four numbers of a ball joint all have the smallest one of the margins of its swing and its twist, or
    of its Euler angles.
    """
    margins = np.full(model.nq, math.inf)
    for reading in readings(model, q):
        part = model.q_slice(reading.joint.name)
        margins[part] = np.minimum(margins[part], reading.margin)
    return margins


def unwound(model: Model, q: Array) -> Array:
    """q [nq] with revolutions taken from periodic angles beyond their limits, as far as that brings them
    nearer.
    """
    q, is_periodic = q.copy(), periodic(model)
    for reading in readings(model, q):
        index = model.q_slice(reading.joint.name).start
        if reading.quantity == "angle" and reading.margin < 0.0 and is_periodic[index]:
            windings = round((reading.value - _middle(reading)) / (2.0 * math.pi))
            q[index] = reading.value - windings * 2.0 * math.pi
    return q


def _middle(reading: Reading) -> float:
    """The middle of the range; where one side is open, half a turn inside the limit."""
    if math.isinf(reading.lower):
        return reading.upper - math.pi
    if math.isinf(reading.upper):
        return reading.lower + math.pi
    return 0.5 * (reading.lower + reading.upper)


def _of_ball(joint: Joint, turn: Quaternion) -> Iterator[Reading]:
    if joint.euler is not None:
        yield from _of_euler(joint, joint.euler, turn)
        return
    limits = BallLimits([joint])
    swing, twist = (quat_log(part) for part in swing_twist(quat_normalise(turn), joint.axis))
    yield Reading(
        joint, "swing", float(norm(swing)), -math.inf, joint.swing if joint.swing < math.pi else math.inf
    )
    angle = float(dot(twist, joint.axis))
    lower, upper = -math.inf, math.inf
    if np.isfinite(limits.twist_margins[0]):
        lower, upper = float(limits.lower[0]), float(limits.upper[0])
        angle -= 2.0 * math.pi * round((angle - float(limits.middle[0])) / (2.0 * math.pi))
    yield Reading(joint, "twist", angle, lower, upper)


def _of_euler(joint: Joint, limits: EulerLimits, turn: Quaternion) -> Iterator[Reading]:
    ranges = EulerRanges([limits])
    angles = ranges.angles(quat_normalise(turn)[None])[0]
    for k, axis in enumerate(limits.order.lower()):
        lower, upper = (
            float(bound[0, k]) if is_limit[k] else end
            for bound, is_limit, end in zip(
                (ranges.lower, ranges.upper), ranges.is_limit[0], (-math.inf, math.inf), strict=True
            )
        )
        yield Reading(joint, f"turn about {axis}", float(angles[k]), lower, upper)
