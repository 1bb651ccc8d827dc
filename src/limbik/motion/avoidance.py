"""Corrects steps of a tracker so that nothing collides, by velocity dampers.

Pairs of bodies that are near may come nearer no faster than in proportion to what is left between them, as in
the velocity dampers of Faverjon & Tournassoud (1987): an arm slides along what is in its way. Of all steps
within these rows and the limits the one is made that takes least from the goals. It is shortened until it is
certain that nothing collides on it, by distances and bounds on how fast bodies move; a robot that is in
collision may only go out of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limbik.collision.check import checker_of
from limbik.collision.check_path import CLOSE, along_any_axes, first_contact
from limbik.collision.checker import NearPairs
from limbik.collision.free_options import FreeOptions
from limbik.collision.motion_bounds import MotionBounds
from limbik.collision.shortest_change import shortest_change
from limbik.collision.world import Revision
from limbik.model.joints import JointKind
from limbik.model.margins import limit_margins
from limbik.model.model import Model
from limbik.spatial import Array, quat_to_matrix

HORIZON = 0.05  # [m] beyond the clearance, within which pairs count
FRACTION = 0.5  # of what is left between two bodies that a step may take
OUT = 0.2  # of what is missing to the clearance that a step makes up for
MARGIN = 1e-3  # [m] more than the clearance: nearer, a step takes many looks to be certain
FASTEST_OUT = 0.01  # [m] in one step
SOFTNESS = 1e-6  # of the rows of pairs: what is left where they contradict each other
HARD = 1e-9  # the same of limits
FREEDOM = 0.1  # of a joint, beside what goals weigh: how little the motion that they leave free weighs
DAMPED = 0.9  # factor on steps where one turns back while targets and objects rest
RECOVERY = 1.002  # factor by which they grow again with each step that does not
HALVINGS = 6  # of a step
ROUNDING = 1e-9  # [m]
AT_LIMIT = 1e-6  # [rad or m] beyond a limit, which is rounding
FARTHEST = 1e3  # [m] that a prismatic joint without limits is taken to go


class LastStep(NamedTuple):
    """What is known of the steps before."""

    factor: float  # on the step that is made
    last: Array  # [nv] the velocity of the step that was wanted last, in units per step
    revision: Revision  # of the world in which it was made


class Avoidance:
    """Corrects steps of a model.

    units [nv]: in which velocities are counted, 0 for joints that keep still. longest [nv]: steps within the
    limits of velocity [rad or m].
    """

    def __init__(self, model: Model, free: FreeOptions, units: Array, longest: Array) -> None:
        self._model, self._free, self._units = model, free, units
        self._clearance = free.clearance
        self._checker = checker_of(model, free.world)
        self._lower, self._upper = model.lower, model.upper  # [nq] of all configurations until now
        self._bounds = self._bounds_now()
        self._to_body: Array = np.eye(model.nv)
        self._floating = [
            (self._model.v_slice(joint.name).start, self._model.q_slice(joint.name).stop - 4)
            for joint in self._model.joints
            if joint.kind is JointKind.FLOATING
        ]
        self._limited_balls = np.zeros(model.nv, bool)
        for joint in model.joints:
            if joint.kind is JointKind.BALL and joint.has_limits:
                self._limited_balls[model.v_slice(joint.name)] = True
        self._longest = longest[self._limited_balls]
        self._is_flat = model.nq == model.nv  # without quaternions: a velocity is a difference
        self.pairs: tuple[tuple[str, str], ...] = ()  # that have held back the last step
        self.begin()

    def begin(self) -> None:
        """Know nothing of a step before."""
        self.steps = LastStep(1.0, np.zeros(self._model.nv), self._free.world.revision)

    def corrected(
        self, q: Array, moved: Array, J: Array, lower: Array, upper: Array, to_body: Array
    ) -> Array:
        """The step [nv] to make from q [nq], in units, where `moved` is wanted within bounds.

        J [rows, nv]: what the goals make of a step. to_body [nv, nv]: brings steps to velocities (see
        `ball_limits.body_velocities`).
        """
        self._to_body = to_body
        checker = checker_of(self._model, self._free.world)
        is_beyond = bool((q < self._lower).any() or (q > self._upper).any())
        if checker is not self._checker or is_beyond:  # objects have come or gone
            self._checker = checker
            self._lower, self._upper = np.minimum(self._lower, q), np.maximum(self._upper, q)
            self._bounds = self._bounds_now()
        near = self._checker.near_pairs(q, self._clearance + HORIZON)
        self.pairs = ()
        step = moved
        if len(near.pairs):
            rows = self._along_the_tree(near.rows, q) * self._units @ to_body
            step = self._slid(near, rows, moved, J, lower, upper)
        for _ in range(HALVINGS):
            if self._is_allowed(q, step, near):
                break
            step = 0.5 * step
        else:
            step = np.zeros_like(moved)
        if step is not moved and len(near.pairs):
            closest = near.pairs[np.argsort(near.distances, kind="stable")]
            self.pairs = tuple(self._checker.pair_names(int(pair)) for pair in closest)
        return step

    def damped(self, step: Array, is_resting: bool) -> Array:
        """The part of a step [nv, in units] that is made, less where one turns back on the one before.

        What is near pushes back a step later than the goals pull, and an arm between both would shake.
        is_resting: whether the targets are where they were.
        """
        if not is_resting or not self.pairs or self.steps.revision != self._free.world.revision:
            self.begin()
        factor, last, revision = self.steps
        velocity = self._to_body @ step
        factor = DAMPED * factor if float(velocity @ last) < 0.0 else min(RECOVERY * factor, 1.0)
        self.steps = LastStep(factor, velocity, revision)
        return step if factor == 1.0 else factor * step

    def reached(self, q: Array, step: Array) -> Array:
        """The configuration [nq] that a step [nv, in units] from q leads to: within the limits, and where q
        is beyond one no farther.
        """
        v = self._to_body @ step * self._units
        lower, upper = np.minimum(self._model.lower, q), np.maximum(self._model.upper, q)
        if self._is_flat:
            return np.asarray(np.clip(q + v, lower, upper))
        rotations = v.copy()
        for at, _ in self._floating:
            rotations[at : at + 3] = 0.0
        reached = self._model.integrate(q, rotations)
        for at, index in self._floating:  # their position goes straight, as in a step that is not corrected
            reached[index - 3 : index] += v[at : at + 3]
        within = np.clip(reached, lower, upper)
        if not self._limited_balls.any():
            return np.asarray(within)
        return np.where(limit_margins(self._model, q) >= -AT_LIMIT, self._model.clip(reached), within)

    def _slid(
        self, near: NearPairs, rows: Array, moved: Array, J: Array, lower: Array, upper: Array
    ) -> Array:
        left = near.distances - self._clearance - MARGIN
        min_change = np.where(left > 0.0, -FRACTION * left, np.minimum(-OUT * left, FASTEST_OUT))
        if (rows @ moved >= min_change).all():
            return moved
        # In coordinates in which the goals' loss is the length of a change.
        H = J.T @ J + FREEDOM**2 * np.eye(len(moved))
        root = np.linalg.inv(np.linalg.cholesky(H)).T
        bounds = np.flatnonzero(self._units > 0.0)
        E = np.eye(len(moved))[bounds]
        G = np.vstack([rows, E, -E])
        h = np.concatenate([min_change, lower[bounds], -upper[bounds]]) - G @ moved
        softness = np.full(len(h), HARD)
        softness[: len(rows)] = SOFTNESS
        change = root @ shortest_change(G @ root, h, softness)
        return np.where(self._units > 0.0, np.clip(moved + change, lower, upper), moved)

    def _is_allowed(self, q: Array, step: Array, near: NearPairs) -> bool:
        """Whether nothing collides on the path of a step that does not already, and that comes no nearer; and
        limits of ball joints make none turn too fast.
        """
        reached = self.reached(q, step)
        if self._limited_balls.any():
            turned = self._model.difference(q, reached)[self._limited_balls]
            if (abs(turned) > self._longest + ROUNDING).any():
                return False
        inside = near.distances <= self._clearance + CLOSE
        if not inside.any():
            return self._is_certain(q, reached, near)
        before = dict(zip(near.pairs[inside].tolist(), near.distances[inside].tolist(), strict=True))
        after = self._checker.near_pairs(reached, self._clearance + CLOSE)
        return all(
            distance >= before.get(pair, np.inf) - ROUNDING
            for pair, distance in zip(after.pairs.tolist(), after.distances.tolist(), strict=True)
        )

    def _is_certain(self, q: Array, reached: Array, near: NearPairs) -> bool:
        """Whether nothing can collide on the straight line to what is reached."""
        v = reached - q if self._is_flat else self._model.difference(q, reached)
        speeds = self._bounds.speeds(along_any_axes(self._checker, v))
        margin = near.distances - self._clearance
        if speeds.max(initial=0.0) <= HORIZON and (speeds[near.pairs] < margin).all():
            return True
        return first_contact(self._checker, self._bounds, q, v, self._clearance) is None

    def _bounds_now(self) -> MotionBounds:
        """How fast bodies come nearer, at most."""
        checker, limits = self._checker, (self._lower, self._upper)
        links = checker.links
        ends = [np.clip(limit, -FARTHEST, FARTHEST)[links["q"]] for limit in limits]
        travel = np.abs(links["multiplier"] * ends + links["offset"]).max(axis=0)
        return MotionBounds(links, checker.bodies, checker.pairs, travel)

    def _along_the_tree(self, rows: Array, q: Array) -> Array:
        """Rows [m, nv] for velocities as the kernels count them: of floating joints along fixed axes."""
        for at, index in self._floating:
            rows[:, at : at + 3] = rows[:, at : at + 3] @ quat_to_matrix(q[index : index + 4]).T
        return rows
