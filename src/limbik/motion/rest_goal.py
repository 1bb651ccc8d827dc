"""`Steady`: a posture goal that after each frame of a motion is set to where the joints are, and a little
toward home.
"""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from limbik.goals import Goal, Posture
from limbik.model import JointKind, Model
from limbik.spatial import Array, norm, quat_to_matrix


class Steady:
    """A goal for all joints but floating ones, and those called in `free`.

    weight: of a radian or a metre. fraction: of the change from where a joint is to home [nq].
    """

    def __init__(
        self, model: Model, weight: float, home: Array, fraction: float, free: Collection[str] = ()
    ) -> None:
        weights = np.full(model.nv, weight)
        for joint in model.joints:
            if joint.nv and (joint.kind is JointKind.FLOATING or joint.name in free):
                weights[model.v_slice(joint.name)] = 0.0
        counted = [each for each in model.coordinates if weights[each.v] > 0.0]
        posture = [Posture(q=home, weight=tuple(weights.tolist()), priority=0)] if counted else []
        self.goals: tuple[Goal, ...] = tuple(posture)  # one, or none where all joints are free
        self._home, self._fraction = home, fraction
        self._rows = np.array([k for k, each in enumerate(counted) if not each.is_rotation], dtype=np.int64)
        self._q_indices = np.array([each.q for each in counted if not each.is_rotation], dtype=np.int64)
        self._balls = [(k, slice(each.q, each.q + 4)) for k, each in enumerate(counted) if each.is_rotation]

    def write(self, q: Array, targets: Array) -> None:
        """Its targets [rows, 12] after a configuration [nq]."""
        here = q[self._q_indices]
        targets[self._rows, 0] = here + self._fraction * (self._home[self._q_indices] - here)
        for row, index in self._balls:
            home = math.copysign(self._fraction, q[index] @ self._home[index]) * self._home[index]
            quat = (1.0 - self._fraction) * q[index] + home
            targets[row, 3:] = quat_to_matrix(quat / norm(quat)).ravel()
