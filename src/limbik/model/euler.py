"""Ball joints limited by ranges of three Euler angles: splits rotations into these angles, measures the
excess, clips and samples.

A rotation is split as R = R1(a) R2(b) R3(c), rotations about three different axes of the joint's frame in the
given order (Tait-Bryan angles, SciPy's intrinsic ones), with b from -pi/2 to pi/2. Near both ends of b the
outer rotations are about the same axis and only their sum or difference has a meaning: of the angles (a, c)
that make the same rotation those within the limits count. What a change of the angles changes in the unit
quaternion is

    4 |dq|^2 = da^2 + db^2 + dc^2 + 2 s da dc,    s = sin(b), or -sin(b) for an order such as ZYX

which measures how far a rotation is outside, and vanishes there for what has no meaning. The angles are found
from the quaternion as in Bernardes & Viollet 2022, "Quaternion to Euler angles conversion".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from limbik.errors import ModelError, is_one_of, shortened
from limbik.spatial import Array, Quaternion, Vector3, as_numbers, quat_exp, quat_multiply

ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
QUARTER = 0.5 * math.pi
LOST = 1e-18  # squared cosine of the second angle under which the outer ones have no meaning of their own


@dataclass(frozen=True, kw_only=True, eq=False)
class EulerLimits:
    """Ranges of the Euler angles of a ball joint [rad].

    order: three axes of the joint's frame; "ZYX" is a turn about z, then about the turned y, then about the
    x turned twice. lower, upper [3]: of the angles in that order; infinite, or a full turn apart, for no
    limits. The second angle is never outside -pi/2 to pi/2.

    Raises ModelError for what is no order and no range.
    """

    order: str = "XYZ"
    lower: Vector3 = field(default_factory=lambda: np.full(3, -math.inf))
    upper: Vector3 = field(default_factory=lambda: np.full(3, math.inf))

    def __post_init__(self) -> None:
        if not is_one_of(self.order, ORDERS):
            actual = shortened(self.order)
            raise ModelError(f"Euler limits: order needs one of {', '.join(ORDERS)}, found {actual}")
        lower, upper = (_three(getattr(self, name), name) for name in ("lower", "upper"))
        for axis, low, high in zip(self.order, lower, upper, strict=True):
            where = f"Euler limits about {axis.lower()}"
            if low > high:
                raise ModelError(f"{where}: the wrong way round, lower {low:g} > upper {high:g}")
            if low == math.inf or high == -math.inf:
                raise ModelError(f"{where}: no value lies between {low:g} and {high:g}")
        for bound in (lower[1], upper[1]):
            if math.isfinite(bound) and abs(bound) > QUARTER + 1e-12:
                raise ModelError(
                    f"Euler limits about {self.order[1].lower()}, the second axis: needs an angle from -pi/2 "
                    f"to pi/2 rad, found {bound:g}; a wider range fits the first or the third axis"
                )
        for name, value in (("lower", lower), ("upper", upper)):
            value.setflags(write=False)
            object.__setattr__(self, name, value)

    @property
    def axes(self) -> tuple[int, int, int]:
        """The indices of the three axes among x, y, z."""
        first, second, third = ("XYZ".index(axis) for axis in self.order)
        return first, second, third

    @property
    def bounds(self) -> tuple[Vector3, Vector3]:
        """(lower, upper) [3] as they are compared with: infinite where there is none, pi/2 for the second."""
        is_free = self.upper - self.lower >= 2.0 * math.pi
        lower, upper = np.where(is_free, -math.inf, self.lower), np.where(is_free, math.inf, self.upper)
        lower[1], upper[1] = max(self.lower[1], -QUARTER), min(self.upper[1], QUARTER)
        return lower, upper

    @property
    def has_limits(self) -> bool:
        """Whether some rotation is outside."""
        lower, upper = self.bounds
        return bool(np.isfinite(lower[[0, 2]]).any() or upper[1] - lower[1] < math.pi)

    @property
    def is_movable(self) -> bool:
        """Whether more than one rotation is inside."""
        lower, upper = self.bounds
        return bool((upper > lower).any())


def _three(value: object, name: str) -> Vector3:
    where, needed = f"Euler limits: {name}", "three angles [rad]"
    array = as_numbers(value, where, needed, ModelError)
    if array.shape != (3,) or np.isnan(array).any():
        raise ModelError(f"{where} needs {needed}, found {shortened(value)}")
    return array


class EulerRanges:
    """Euler limits of n joints, as arrays; every turn is an array of unit quaternions [..., n, 4]."""

    def __init__(self, limits: Sequence[EulerLimits]) -> None:
        self.axes = np.array([each.axes for each in limits], dtype=np.intp).reshape(-1, 3)
        self.sign = np.where((self.axes[:, 1] - self.axes[:, 0]) % 3 == 1, 1.0, -1.0)
        bounds = np.array([each.bounds for each in limits]).reshape(-1, 2, 3)
        self.lower, self.upper = bounds[:, 0], bounds[:, 1]
        # The second angle is not stopped at a quarter turn: it is there that it turns back.
        ends = np.array([[-math.inf, -QUARTER, -math.inf], [math.inf, QUARTER, math.inf]])
        self.is_limit = bounds != ends  # [n, 2, 3]
        with np.errstate(invalid="ignore"):
            self.middle = np.where(np.isfinite(self.lower), 0.5 * (self.lower + self.upper), 0.0)

    def angles(self, turn: Quaternion) -> Array:
        """Angles [..., n, 3] in the order of the axes, with the revolutions that bring them nearest to their
        ranges; where only a sum or a difference has a meaning, the angles nearest to their ranges."""
        return self._nearest(turn, self.lower, self.upper)[1]

    def excess(self, turn: Quaternion, margin: float = 0.0) -> Array:
        """How far rotations are outside the limits [..., n], as a change of the quaternion; 0 inside."""
        lower, upper = self.lower + margin * self.is_limit[:, 0], self.upper - margin * self.is_limit[:, 1]
        too_narrow = 0.5 * np.maximum(lower - upper, 0.0)  # for the margin
        lower, upper = np.minimum(lower, upper + too_narrow), np.maximum(upper, lower - too_narrow)
        _, _, distance = self._nearest(turn, lower, upper)
        return np.asarray(0.5 * (distance + too_narrow.max(axis=-1, initial=0.0)))

    def clip(self, turn: Quaternion) -> Quaternion:
        """The nearest allowed rotations."""
        angles, _, _ = self._nearest(turn, self.lower, self.upper)
        return self.compose(angles)

    def random(self, rng: np.random.Generator, lead: tuple[int, ...]) -> Quaternion:
        """Rotations uniform among the allowed rotations: the outer angles and the sine of the second."""
        lower = np.where(np.isfinite(self.lower), self.lower, -math.pi)
        upper = np.where(np.isfinite(self.upper), self.upper, math.pi)
        lower[:, 1], upper[:, 1] = np.sin(lower[:, 1]), np.sin(upper[:, 1])
        drawn = rng.uniform(lower, upper, (*lead, *lower.shape))
        drawn[..., 1] = np.arcsin(np.clip(drawn[..., 1], -1.0, 1.0))
        return self.compose(drawn)

    def compose(self, angles: Array) -> Quaternion:
        """The rotations [..., n, 4] of angles [..., n, 3]."""
        parts = [quat_exp(np.eye(3)[self.axes[:, k]] * angles[..., k, None]) for k in range(3)]
        return quat_multiply(quat_multiply(parts[0], parts[1]), parts[2])

    def _nearest(self, turn: Quaternion, lower: Array, upper: Array) -> tuple[Array, Array, Array]:
        """The nearest angles within bounds [..., n, 3], the angles of the turn from which they were found,
        and twice the distance between the two as a change of the quaternion [..., n].

        A rotation has two triples of angles, one of them with the second angle beyond a quarter turn. From
        each, first one outer angle is moved into its range and the other one makes up for it where that means
        the same, then reversed: one of these is the best.
        """
        a, b, c, s, lean = self._split(turn)
        best = np.full(b.shape, math.inf)
        nearest, clipped = np.zeros((*b.shape, 3)), np.zeros((*b.shape, 3))
        is_lost = lean < LOST
        for second, added in ((b, 0.0), (np.copysign(math.pi, b) - b, math.pi)):
            outer = {k: self._unwound(angle + added, k) for k, angle in ((0, a), (2, c))}
            within = np.clip(second, lower[:, 1], upper[:, 1])
            for one, other in ((0, 2), (2, 0)):
                x = np.clip(outer[one], lower[:, one], upper[:, one])
                moved = x - outer[one]
                made_up = self._unwound(outer[other] - s * moved, other)
                y = np.clip(made_up, lower[:, other], upper[:, other])
                cost = lean * moved**2 + (y - made_up) ** 2 + (within - second) ** 2
                is_better = cost < best
                best = np.where(is_better, cost, best)
                mine = {one: np.where(is_lost, x, outer[one]), 1: second}
                mine[other] = np.where(is_lost, made_up, outer[other])
                for to, values in ((nearest, {one: x, 1: within, other: y}), (clipped, mine)):
                    for k, value in values.items():
                        to[..., k] = np.where(is_better, value, to[..., k])
        return nearest, clipped, np.sqrt(best)

    def _split(self, turn: Quaternion) -> tuple[Array, Array, Array, Array, Array]:
        """The angles a, b, c, the s of the metric and 1 - s^2, each [..., n]."""
        turn = np.asarray(turn, dtype=np.float64)
        first, second, third = (
            np.take_along_axis(turn, np.broadcast_to(axis[:, None], (*turn.shape[:-1], 1)), axis=-1)[..., 0]
            for axis in self.axes.T
        )
        w = turn[..., 3]
        plus, minus = (w + second, first + self.sign * third), (w - second, first - self.sign * third)
        together, apart = 2.0 * np.arctan2(plus[1], plus[0]), 2.0 * np.arctan2(minus[1], minus[0])
        long, short = np.hypot(*plus), np.hypot(*minus)
        b = 2.0 * np.arctan2(long, short) - QUARTER
        s = self.sign * np.clip(0.5 * (long * long - short * short), -1.0, 1.0)
        a, c = 0.5 * (together + apart), 0.5 * self.sign * (together - apart)
        return a, b, c, s, np.square(long * short)

    def _unwound(self, angle: Array, k: int) -> Array:
        """Angles with the revolutions added that bring them nearest to the middle of their ranges."""
        middle = self.middle[:, k]
        return np.asarray(angle - 2.0 * math.pi * np.round((angle - middle) / (2.0 * math.pi)))
