"""All configurations of up to three revolute joints: for a point, and of parallel ones for a pose."""

from __future__ import annotations

import math
from time import perf_counter
from typing import Any

import numpy as np

from limbik.all_solutions import AllSolutions, FreeMotion
from limbik.analytic.axes import Axes
from limbik.analytic.few_joints import at_point, at_pose
from limbik.analytic.geometry import length
from limbik.goals import Goal, Position
from limbik.model.chain import Chain
from limbik.model.model import Model
from limbik.solvers import measure
from limbik.solvers.answers_plan import AnswersPlan, Asked
from limbik.solvers.request import Request
from limbik.spatial import Array, Matrix4, nearest_turns, norm

MET = 1e-9  # of the arm's size, and sine
DISTINCT = 1e-6  # [rad] of some joint


class FewJointsPlan(AnswersPlan):
    """Everything about the solutions for a frame's point or pose that does not depend on it or the start."""

    def __init__(
        self, model: Model, chain: Chain, frame: str | None, axes: Axes, is_point: bool, limits: bool
    ) -> None:
        super().__init__(model, chain, frame, limits)
        self._axes = axes
        self._is_point = is_point
        self._length = length(axes)

    def solve(
        self, pose: Array, start: Array | None, turns: bool = False, samples: int | None = None
    ) -> AllSolutions:
        """All solutions for a pose [4, 4] of which the point or everything counts, by distance to a start."""
        began = perf_counter()
        near = self.near(start)
        branches = at_point(self._axes, pose[:3, 3]) if self._is_point else at_pose(self._axes, pose)
        found: list[Array] = []
        for turned in branches:
            q = np.array([math.atan2(turn.sine, turn.cosine) for turn in turned])
            legal, is_legal = self.within_limits(q, near)
            if is_legal and self._reaches(legal, pose) and all(_differ(legal, other) for other in found):
                found.append(legal)
        q = np.array(found).reshape(-1, len(self.places))
        return self.answered(q, (pose.tobytes(), start), start, turns, began)

    def _reaches(self, q: Array, pose: Matrix4) -> bool:
        here = self._axes.pose(q)
        off = norm(here[:3, 3] - pose[:3, 3]) / self._length
        turned = 0.0 if self._is_point else norm((here[:3, :3] - pose[:3, :3]).ravel())
        return bool(max(off, turned) < MET)

    def is_complete(self, asked: Any, /) -> bool:
        """True: a closed form has all branches."""
        return True

    def method(self, asked: Any, /) -> str:
        """In words."""
        count = "one joint" if len(self.places) == 1 else f"{('two', 'three')[len(self.places) - 2]} joints"
        return f"in closed form: {count} for a {'point' if self._is_point else 'pose in a plane'}"

    def branches(self, asked: Any, q: Array, /) -> tuple[str, ...]:
        """Which way the elbow is bent, for two joints; numbers for three."""
        own = q[:, self.places]
        if own.shape[1] == 2 or not self._is_point:
            bends = np.sin(own[:, 1]) if own.shape[1] > 1 else np.zeros(len(q))
            return tuple("elbow bent forward" if bend >= 0.0 else "elbow bent back" for bend in bends)
        return tuple(f"solution {k + 1}" for k in range(len(q)))

    def free(self, asked: Asked, q: Array, /) -> tuple[FreeMotion, ...]:
        """How joints may move together; for points it is not looked for."""
        return () if self._is_point else super().free(asked, q)

    def manipulability(self, asked: Asked, q: Array, /) -> float:
        """Yoshikawa's measure at q [nq]."""
        request = Request(model=self.model, goals=(self._goal(asked),), solver="auto", options={})
        return measure.manipulability(request, q)

    def _goal(self, asked: Asked) -> Goal:
        if not self._is_point:
            return super()._goal(asked)
        return Position(target=np.frombuffer(asked[0]).reshape(4, 4)[:3, 3], frame=self.frame)


def _differ(q0: Array, q1: Array) -> bool:
    return bool(np.abs(nearest_turns(q0 - q1)).max() > DISTINCT)
