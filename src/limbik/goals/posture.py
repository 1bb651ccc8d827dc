"""Posture: all joints near a configuration."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from limbik.errors import GoalError
from limbik.goals.base import Numbers, OfNoFrame, Weights, as_weights, described_value, frozen
from limbik.goals.goal_errors import ErrorPart, PosedModel
from limbik.goals.task import IDENTITY, NUMBER, OF_FRAME, TURN, Coordinate, Mechanism, Target, Task
from limbik.spatial import (
    SHORTEST_QUATERNION,
    Array,
    as_numbers,
    norm,
    quat_conjugate,
    quat_log,
    quat_multiply,
    quat_normalise,
    quat_to_matrix,
    shape_of,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Posture(OfNoFrame):
    """Bring all joints near to a configuration; as a preference, unless the priority is 0.

    weight: one number, or one for each of the model's degrees of freedom [nv]; 0 leaves that one free. The
    translation and the rotation of a joint with several of them count as one each, with the largest weight.
    """

    q: Numbers  # [nq]
    weight: float | Weights = 1.0
    priority: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        q = as_numbers(self.q, f"the q of {self._kind}", "one number per index in q", GoalError)
        if q.ndim != 1 or not np.isfinite(q).all():
            raise GoalError(
                f"the q of {self._kind} needs finite numbers (nq), found {described_value(self.q)}"
            )
        shape = shape_of(self.weight) or ()
        weight = as_weights(self.weight, max(math.prod(shape), 1), f"the weight of {self._kind}")
        self._set(q=frozen(q), weight=weight if shape else weight[0])

    def _structure(self) -> tuple[Hashable, ...]:
        return *super()._structure(), self.weight, self.q.size

    def tasks(self, model: Mechanism) -> Iterator[Task]:
        if self.q.size != model.nq:
            raise GoalError(f"the q of Posture needs {model.nq} numbers (nq), found {self.q.size}")
        if np.ndim(self.weight) and np.size(self.weight) != model.nv:
            raise GoalError(
                f"the weight of Posture needs 1 number or {model.nv} (nv), found {np.size(self.weight)}"
            )
        if not model.nv:
            raise GoalError(f"Posture needs a model with joints that move, which {model.name!r} has not")
        for each, weight in self._weighted(model):
            if each.is_rotation:
                yield Task(TURN, OF_FRAME, tuple(map(float, weight)), coordinate=each)
            else:
                yield Task(NUMBER, weights=(float(weight[0]), 0.0, 0.0), coordinate=each)

    def targets(self, model: Mechanism) -> Iterator[Target]:
        for each, _ in self._weighted(model):
            if each.is_rotation:
                quat = self.q[each.q : each.q + 4]
                if not norm(quat) >= SHORTEST_QUATERNION:
                    raise GoalError(
                        f"the q of Posture needs a quaternion with a direction for joint {each.joint!r}, "
                        f"found {quat.tolist()}"
                    )
                yield np.zeros(3), quat_to_matrix(quat_normalise(quat))
            else:
                yield self.q[each.q : each.q + 1], IDENTITY

    def parts(self, body: PosedModel) -> Iterator[ErrorPart]:
        nv = body.model.nv
        left, rows = np.zeros(nv), np.eye(nv)
        is_length = np.zeros(nv, dtype=bool)
        for each in body.model.coordinates:
            is_length[each.v] = each.is_length
            if each.is_rotation:
                here, there = (quat_normalise(q[each.q : each.q + 4]) for q in (body.q, self.q))
                left[each.v : each.v + 3] = quat_log(quat_multiply(quat_conjugate(here), there))
            else:
                change = float(self.q[each.q] - body.q[each.q])
                left[each.v] = math.remainder(change, 2.0 * math.pi) if each.is_periodic else change
        counts = np.broadcast_to(self.weight, nv) > 0.0
        for is_position in (True, False):
            is_counted = counts & (is_length == is_position)
            yield ErrorPart(is_position, left[is_counted], rows[is_counted])

    def described(self, frame: str) -> str:
        return "a posture of all joints"

    def _weighted(self, model: Mechanism) -> Iterator[tuple[Coordinate, Array]]:
        """The coordinates that count, with the weights of their velocities."""
        weights = np.broadcast_to(self.weight, model.nv)
        for each in model.coordinates:
            weight = weights[each.v : each.v + (3 if each.is_rotation else 1)]
            if weight.any():
                yield each, weight
