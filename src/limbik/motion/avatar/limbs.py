"""Arms and legs of an avatar, all in closed form at once (`two_bone`), and on which side elbows and knees are
over time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from limbik.motion import two_bone
from limbik.motion.avatar.angles import about, limited
from limbik.motion.avatar.body import AvatarBody, LimbSet
from limbik.motion.batches import two_bone_rotations, two_bone_settings
from limbik.spatial import Array, Matrix3, cross, quat_to_matrix

FASTEST = 12.0  # [rad/s] of an elbow or a knee about the line of its limb, while that stands still


class LimbTarget(NamedTuple):
    """Where a limb is to go."""

    root: Array  # [3, m] where it hangs
    carried: Matrix3  # turn in the world of what it hangs on, from rest
    target: Array  # [3, m] of the joint at its tip
    turn: Matrix3  # [3, 3] of the tip's link in the world
    pole: Array  # [3] a point on the side on which the middle is


class Swivel:
    """On which side of the line from root to tip the middle of a limb is, over time.

    No rule without a memory is continuous in all directions of a limb: it would comb a ball.
    """

    def __init__(self) -> None:
        self._along: Array | None = None  # [3] the line, and [3] across it, of the last frame
        self._across = np.zeros(3)

    def turn(self, line: Array, wanted: Array, carried: Matrix3, dt: float) -> Array:
        """Unit vector [3] across the line [3], toward `wanted` [3] as far as a limb rotates in dt [s]; all as
        seen from the root. carried [3, 3]: rotation of what the limb hangs on, from rest.
        """
        along = direction(line)
        across = direction(wanted - (wanted @ along) * along)
        if self._along is not None:
            before, free = carried @ self._across, min(FASTEST * dt, math.pi)
            if before @ across < math.cos(free):  # mostly it is near, and no more is needed
                across = _limited(carried @ self._along, before, along, across, free)
        self._along, self._across = along @ carried, across @ carried
        return across


def _limited(along_before: Array, before: Array, along: Array, across: Array, angle: float) -> Array:
    """`across` [3], across a line along [3], as far as an angle [rad] and that of the line itself allow from
    before.
    """
    swung = math.acos(limited(float(along_before @ along), 1.0))
    before = about(cross(along_before, along), swung) @ before
    ahead = math.atan2(float(cross(before, across) @ along), float(before @ across))
    return np.asarray(about(along, limited(ahead, angle + swung)) @ before)


def direction(v: Array) -> Array:
    """Unit vector in the direction of v [3]; 0 where that is 0."""
    return np.asarray(v / max(math.sqrt(v @ v), 1e-9))


def follow(body: AvatarBody, aims: Mapping[str, LimbTarget], rotations: Array) -> None:
    """Write the rotations of all limbs' links into `rotations` [n, 3, 3]."""
    for limbs in body.limb_sets:
        roots, carried, targets, tips, poles = map(
            np.array, zip(*(aims[name] for name in limbs.names), strict=True)
        )
        problems = _problems(limbs, carried @ limbs.rest, roots, targets, poles)
        answers = two_bone_rotations(problems, two_bone_settings(is_hinge=limbs.are_hinges, has_pole=True))
        made = quat_to_matrix(answers[:, : two_bone.FACTOR].reshape(-1, 2, 4))
        made[:, 1] = made[:, 0] @ made[:, 1]
        rotations[limbs.bones] = made @ carried[:, None] @ limbs.rotations
        rotations[limbs.tips] = tips


def _problems(limbs: LimbSet, bones: Array, roots: Array, targets: Array, poles: Array) -> Array:
    """Rows as `two_bone` takes them; bones [n, 3, 3]: in columns both bones and the axis, as carried."""
    problems = np.zeros((len(roots), two_bone.ROW))
    problems[:, two_bone.ROOT : two_bone.ROOT + 3] = roots
    problems[:, two_bone.MID : two_bone.MID + 3] = roots + bones[:, :, 0]
    problems[:, two_bone.TIP : two_bone.TIP + 3] = roots + bones[:, :, 0] + bones[:, :, 1]
    problems[:, two_bone.AXIS : two_bone.AXIS + 3] = bones[:, :, 2]
    problems[:, two_bone.TARGET : two_bone.TARGET + 3] = targets
    problems[:, two_bone.POLE : two_bone.POLE + 3] = poles
    problems[:, two_bone.MIN :] = limbs.margins
    return problems
