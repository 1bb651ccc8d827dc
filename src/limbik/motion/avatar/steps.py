"""Steps of feet that no tracker shows: a foot steps when the balance asks for it.

A foot steps when it is too far from where it would land, one foot at a time, the one that is farthest away
first; it lands as far ahead as the body will be midway through its stance. The figures were chosen on a
walk of the CMU motion-capture database (subject 12, take 1).
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from limbik.motion.body.roles import SIDES, Side

SWING, SHORTEST, LONGEST = 0.9, 0.3, 0.55  # [s] of a step: at rest, and at least and at most
QUICKER = 0.33  # [s] by which it is shorter for each leg's length in a second
AHEAD = 0.3  # [s] by which the body's path is anticipated where a foot lands
LAG = 0.13  # of the leg's length that a foot may be away from where it would land
LATE = 0.7  # [s] of the body's path that it may be more
LONGEST_STEP = 0.75  # of the leg's length: the maximum of that
TURNED = 0.6  # [rad] likewise
SWAY = 0.35  # how much the swing of the arms says which foot is next
LIFT = 0.08  # of the leg's length
FASTEST = 20.0  # [leg lengths/s] that a body can move
SETTLING = 0.12  # [s] over which the body's speed is taken


@dataclass
class SteppingFoot:
    """One foot on the ground, or on its way."""

    position: complex  # [m], x + i y
    heading: float  # [rad]
    left: complex  # [m] where it has left the ground
    left_heading: float
    time: float | None = None  # [s] since then; None: it stands
    lasts: float = LONGEST  # [s] the step


class Stood(NamedTuple):
    """Where a foot is."""

    position: complex  # [m]
    height: float  # [m] over where it stands
    heading: float  # [rad]


class Footsteps:
    """Both feet over time. Positions on the ground are complex numbers, x + i y [m]."""

    def __init__(self, offsets: Mapping[Side, complex], leg: float) -> None:
        """offsets: of each foot from below the hips at rest, x forward; leg: its length [m]."""
        self._offsets, self._leg = offsets, leg
        self.feet: dict[Side, SteppingFoot] = {}
        self._center: complex | None = None
        self._velocity = 0.0j

    def step(
        self, center: complex, heading: float, swing: float, rests: float, dt: float
    ) -> dict[Side, Stood]:
        """Where the feet are, for the position below the body.

        swing [m/s]: of the left hand forward beside the right one, which is how the right foot goes.
        rests: 0 to 1, how far feet do not stand, but go where the body goes.
        """
        moved = 0.0j if self._center is None else center - self._center
        if abs(moved) > self._leg * max(1.0, FASTEST * dt):  # put elsewhere, as VR does: it has not walked
            self.feet.clear()
            self._velocity = 0.0j
        elif dt > 0.0:
            now = moved / dt
            self._velocity = now + (self._velocity - now) * math.exp(-dt / SETTLING)
        self._center = center
        facing = cmath.rect(1.0, heading)
        ease = {side: center + facing * self._offsets[side] for side in SIDES}
        for side in SIDES:
            if side not in self.feet:
                self.feet[side] = SteppingFoot(ease[side], heading, ease[side], heading)
        if all(foot.time is None for foot in self.feet.values()):
            self._begin(ease, heading, swing)
        return {side: self._moved(self.feet[side], ease[side], heading, rests, dt) for side in SIDES}

    def _begin(self, ease: Mapping[Side, complex], heading: float, swing: float) -> None:
        """Let the foot that is farthest away step, if it is too far away."""
        speed = abs(self._velocity)
        allowed = LAG * self._leg + min(LATE * speed, LONGEST_STEP * self._leg)
        right = SWAY * min(max(swing / max(0.5 * speed, 0.1 * self._leg), -1.0), 1.0)

        def lateness(side: Side) -> float:
            foot = self.feet[side]
            turn = abs(math.remainder(heading - foot.heading, 2.0 * math.pi)) / TURNED
            away = abs(ease[side] + AHEAD * self._velocity - foot.position) / allowed
            return max(away / (1.0 - (right if side == "right" else -right)), turn)

        late = max(SIDES, key=lateness)
        if lateness(late) > 1.0:
            foot = self.feet[late]
            foot.left, foot.left_heading, foot.time = foot.position, foot.heading, 0.0
            foot.lasts = min(max(SWING - QUICKER * speed / self._leg, SHORTEST), LONGEST)

    def _moved(self, foot: SteppingFoot, ease: complex, heading: float, rests: float, dt: float) -> Stood:
        height = 0.0
        if foot.time is not None:
            foot.time += dt
            fraction = min(foot.time / foot.lasts, 1.0)
            lands = ease + (AHEAD + (1.0 - fraction) * foot.lasts) * self._velocity
            part = fraction**3 * (10.0 - 15.0 * fraction + 6.0 * fraction**2)
            foot.position = foot.left + part * (lands - foot.left)
            turn = math.remainder(heading - foot.left_heading, 2.0 * math.pi)
            foot.heading = foot.left_heading + part * turn
            height = LIFT * self._leg * 16.0 * fraction**2 * (1.0 - fraction) ** 2
            if fraction == 1.0:
                foot.time = None
        return Stood(foot.position + rests * (ease - foot.position), height, foot.heading)
