"""`Follower`: moves the fingers of a hand model as a person's: fingertips to scaled positions, and in a pinch
the true vector between thumb and fingertip.

Tips go where those of the person are, seen from where the finger begins, in the measure of both fingers.
Where thumb and fingertip are near each other, the vector between them is that of the person, in metres (Handa
et al. 2020, DexPilot: Vision Based Teleoperation of Dexterous Robotic Hand-Arm System; the same in Qin et al.
2023, AnyTeleop). Here that comes gradually as they come near, so that nothing jumps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from limbik.errors import GoalError, ModelError
from limbik.goals import Goal, Position, Posture, Relative
from limbik.model import JointKind, Model
from limbik.motion.body.roles import Side
from limbik.motion.hands.fingers import fingers_of
from limbik.motion.hands.layouts import CHAINS, JOINT_INDICES, JOINTS
from limbik.solvers.stepper import Stepper
from limbik.spatial import Array, dot, norm
from limbik.tree.residuals import TARGET_SIZE

# Weights of errors [m and rad].
TIP, BONE, PINCH, STEADY = 1.0, 0.1, 10.0, 3e-4
MIN = 1e-7  # fraction of a weight that does not count
HOMEWARD = 0.1  # fraction of the change to neutral that a joint is drawn to
PINCHED, APART = 0.02, 0.035  # [m] between thumb and fingertip: a pinch, and none
LOOSE = 0.5  # of a tip's weight that a pinch takes away
FIRST_ROUNDS, MAX_ROUNDS = 10, 20  # of a frame, with the vectors of pinches turned as the thumb was before
SETTLED = 0.05  # [rad] that a round may change at most for the frame to be done
ITERATIONS = 4  # of a round


class Followed(NamedTuple):
    """A point of the model and the joint of the person that it follows."""

    frame: str
    joint: str
    finger: str
    weight: float


class Follower:
    """A model of a hand, at a configuration `q` [nq], which is changed by `follow`.

    positions: of a person's joints in the axes of the palm [3, m], by name. bones: lengths by finger [m].

    Raises ModelError for what is no hand, GoalError for one of the other side.
    """

    def __init__(
        self,
        model: Model,
        positions: Mapping[str, Array],
        bones: Mapping[str, tuple[float, ...]],
        side: Side,
        tips: Mapping[str, str] | None,
    ) -> None:
        self.model = model
        fingers = fingers_of(model, tips)
        if fingers.side != side:
            raise GoalError(f"the hand is a {side} one, model {model.name!r} a {fingers.side} one")
        self._palm = fingers.palm
        self.points: list[Followed] = []
        scales, roots, bases = [], [], []
        for name, finger in fingers.of.items():
            count = len(finger.frames)
            joints = CHAINS[name][-count:]
            first = CHAINS[name][-count - 1]
            ends = zip((*finger.frames[1:], finger.tip), joints, strict=True)
            for frame, joint in ends:
                is_tip = joint == joints[-1]
                self.points.append(Followed(frame, joint, name, TIP if is_tip else BONE))
                scales.append(finger.length / sum(bones[name][-count:]))
                roots.append(positions[first])
                bases.append(finger.root)
        self.scales, self._bases = np.array(scales)[:, None], np.array(bases)
        self._at_rest = self._bases - self.scales * (np.array(roots) @ self._palm.T)
        self._usual = np.array([positions[name] for name in JOINTS])
        self._joints = [JOINT_INDICES[point.joint] for point in self.points]
        self._pinching = [name for name in fingers.of if name != "Thumb"]
        self._tips = [JOINT_INDICES[f"{name}Tip"] for name in self._pinching]
        order = [*self._pinching, "Thumb"]
        self._fingers = np.array([order.index(point.finger) for point in self.points])
        self.tips = {name: finger.tip for name, finger in fingers.of.items()}
        self._plan, self._posture = self._planned(fingers.of)
        self._home = HOMEWARD * model.neutral[self._posture]
        limited = self._posture[np.isfinite(model.upper - model.lower)[self._posture]]
        self._half_closed = model.clip(model.neutral)
        self._half_closed[limited] = 0.5 * (model.lower[limited] + model.upper[limited])
        self._targets = np.zeros((len(self._plan.tasks), TARGET_SIZE))
        self._factors = np.ones(len(self._plan.tasks))
        self._targets[:, 3:] = np.eye(3).ravel()
        self.reset()

    def _planned(self, fingers: Mapping[str, object]) -> tuple[Stepper, Array]:
        """The plan, and the indices in q of its last tasks."""
        model = self.model
        path = {joint.name for tip in self.tips.values() for joint in model.path(tip)}
        own = [joint for joint in model.joints if joint.nv and not joint.mimic and joint.name in path]
        shared = [joint for joint in own if all(joint in model.path(tip) for tip in self.tips.values())]
        serving = [joint for joint in own if joint not in shared]
        if any(joint.nv != 1 or joint.kind is JointKind.BALL for joint in serving):
            raise ModelError(f"the fingers of model {model.name!r} need joints with one number each")
        goals: list[Goal] = [
            Position(frame=point.frame, target=np.zeros(3), weight=point.weight) for point in self.points
        ]
        thumb = self.tips["Thumb"]
        for name in self._pinching:
            weights = (PINCH, PINCH, PINCH, 0.0, 0.0, 0.0)
            goals.append(Relative(frame=self.tips[name], reference=thumb, target=np.eye(4), weights=weights))
        steady = np.zeros(model.nv)
        for joint in serving:
            steady[model.v_slice(joint.name)] = STEADY
        goals.append(Posture(q=model.neutral, weight=tuple(steady.tolist()), priority=0))
        locked = tuple(joint.name for joint in model.joints if joint.nv and joint not in serving)
        counted = [each.q for each in model.coordinates if steady[each.v] > 0.0]
        return Stepper(model, goals, locked=locked, iterations=ITERATIONS), np.array(counted, dtype=np.int64)

    def reset(self) -> None:
        """Begin again at the neutral configuration."""
        self.q = self.model.clip(self.model.neutral)
        self.wanted = self._bases.copy()
        self._seen = self._usual.copy()
        self._is_first = True

    def follow(self, points: Array) -> Array:
        """The configuration [nq] for joints [26, 3, m] in the axes of the palm; those that are nan are where
        they were in the frame before.
        """
        is_lost = np.isnan(points[self._joints]).any(axis=-1)
        if is_lost.all():
            return self.q.copy()
        if is_lost.any():
            points = np.where(np.isnan(points).any(axis=-1, keepdims=True), self._seen, points)
        self._seen = points
        count, targets = len(self.points), self._targets
        self.wanted = self._at_rest + self.scales * (points[self._joints] @ self._palm.T)
        targets[:count, :3] = self.wanted
        held = points[self._tips] - points[JOINT_INDICES["ThumbTip"]]
        weight = nearness(np.sqrt(dot(held, held)))
        self._weigh(weight)
        starts = [self.q, self._half_closed] if self._is_first else [self.q]
        rounds = FIRST_ROUNDS if self._is_first else 1
        answers = [self._settled(start, rounds, held if weight.any() else held[:0]) for start in starts]
        self.q = min(answers, key=lambda answer: answer[1])[0]
        self._is_first = False
        return self.q.copy()

    def _settled(self, q: Array, min_rounds: int, held: Array) -> tuple[Array, float]:
        """Where rounds from q [nq] lead, and its cost; held [k, 3]: vectors from the thumb to fingertips, or
        none where nothing is pinched.
        """
        count, targets = len(self.points), self._targets
        for k in range(MAX_ROUNDS):
            here = q
            targets[count + len(self._tips) :, 0] = (1.0 - HOMEWARD) * here[self._posture] + self._home
            if len(held):
                thumb = self.model.pose(here, self.tips["Thumb"])[:3, :3]
                targets[count : count + len(held), :3] = held @ (self._palm.T @ thumb)
            q = self._plan.step(targets, here)
            if k + 1 >= min_rounds and np.abs(q - here).max() < SETTLED:
                break
        return q, self._plan.cost

    def _weigh(self, weight: Array) -> None:
        """Let pinches [fingers], 0 to 1, count, and the tips that they hold count less."""
        held = np.append(weight, weight.max())  # the thumb's last
        count = len(self.points)
        self._factors[:count] = 1.0 - LOOSE * held[self._fingers]
        self._factors[count : count + len(weight)] = np.maximum(weight, MIN)
        self._plan.weigh(self._factors)

    def distances(self, q: Array) -> dict[str, float]:
        """[m] by finger: of the tips at q [nq] to where the last `follow` wanted them."""
        ends = [k for k, point in enumerate(self.points) if point.frame == self.tips[point.finger]]
        positions = self.model.poses(q, [self.points[k].frame for k in ends])[:, :3, 3]
        distances = norm(positions - self.wanted[ends])
        return {self.points[k].finger: float(far) for k, far in zip(ends, distances, strict=True)}


def nearness(distance: Array) -> Array:
    """From 1 for a pinch to 0 for what is apart, smoothly."""
    weight = np.clip((APART - distance) / (APART - PINCHED), 0.0, 1.0)
    return np.asarray(weight * weight * (3.0 - 2.0 * weight))
