"""`Follower`: moves the fingers of a hand model as a person's: fingertips to scaled positions, and in a pinch
the true vector between thumb and fingertip.

Tips go where those of the person are, seen from where the finger begins, in the measure of both fingers.
Where thumb and fingertip are near each other, the vector between them is that of the person, in metres (Handa
et al. 2020, DexPilot: Vision Based Teleoperation of Dexterous Robotic Hand-Arm System; the same in Qin et al.
2023, AnyTeleop). Here that comes gradually as they come near, so that nothing jumps, and the targets of tips
suit both before any joint moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from limbik.errors import GoalError, ModelError
from limbik.goals import Goal, Position, Posture
from limbik.model import JointKind, Model
from limbik.motion.body.roles import Side
from limbik.motion.hands.fingers import fingers_of
from limbik.motion.hands.layouts import CHAINS, JOINT_INDICES, JOINTS
from limbik.solvers.stepper import Stepper
from limbik.spatial import Array, dot, norm
from limbik.tree.residuals import TARGET_SIZE

# Weights of errors [m and rad].
TIP, BONE, PINCH, STEADY = 1.0, 0.3, 10.0, 3e-4
HOMEWARD = 0.1  # fraction of the change to neutral that a joint is drawn to
PINCHED, APART = 0.02, 0.035  # [m] between thumb and fingertip: a pinch, and none
LOOSE = 0.5  # of a tip's weight that a pinch takes away
FIRST_ROUNDS, MAX_ROUNDS = 3, 20  # of a frame
SETTLED = 0.05  # [rad] that a round may change at most for the frame to be done
HELD = 5e-4  # [m] that the vector of a pinch may be off for it, if it can be
MAX_BEYOND = 0.15  # [m] along each axis that tips are aimed beyond their targets
ITERATIONS = 100  # of a round at most


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
        order = [*self._pinching, "Thumb"]
        self._fingers = np.array([order.index(point.finger) for point in self.points])
        self.tips = {name: finger.tip for name, finger in fingers.of.items()}
        index = {point.finger: k for k, point in enumerate(self.points) if point.weight == TIP}
        self._ends = [index[name] for name in order]  # the points that are tips
        self._end_frames = [self.points[k].frame for k in self._ends]
        self._tips = [self._joints[k] for k in self._ends]
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
        self._beyond = np.zeros((len(self._ends), 3))  # [m] what tips are aimed beyond their targets
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
        *fingers, thumb = points[self._tips]
        held = (np.array(fingers) - thumb) @ self._palm.T
        weight = nearness(np.sqrt(dot(held, held)))
        weight = np.append(weight, weight.max())  # the thumb's last
        targets[self._ends, :3] = self._pinched(held, weight)
        starts = [self.q, self._half_closed] if self._is_first else [self.q]
        rounds = FIRST_ROUNDS if self._is_first else 1
        answers = [self._settled(start, rounds, weight) for start in starts]
        self.q = min(answers, key=lambda answer: answer[1])[0]
        self._is_first = False
        return self.q.copy()

    def _settled(self, q: Array, min_rounds: int, weight: Array) -> tuple[Array, float]:
        """Where rounds from q [nq] lead, and its cost; weight [tips]: how much their pinches count.

        Where something hinders the tips of a pinch, they are aimed beyond their targets, by what the vectors
        between them are off; the next frame begins with that.
        """
        targets = self._targets.copy()
        tips = targets[self._ends, :3]
        of_fingers, off = weight[:-1], np.zeros((len(weight) - 1, 3))
        self._beyond[weight == 0.0] = 0.0
        for k in range(MAX_ROUNDS):
            here = q
            targets[self._ends, :3] = tips + weight[:, None] * self._beyond
            targets[len(self.points) :, 0] = (1.0 - HOMEWARD) * here[self._posture] + self._home
            q = self._plan.step(targets, here)
            if weight.any():
                left = tips - self.model.poses(q, self._end_frames)[:, :3, 3]
                off = of_fingers[:, None] * (left[:-1] - left[-1])
                self._beyond[:-1] += 0.5 * off
                self._beyond[-1] -= 0.5 * (of_fingers @ off) / of_fingers.sum()
                self._beyond.clip(-MAX_BEYOND, MAX_BEYOND, out=self._beyond)
            if k + 1 >= min_rounds and np.abs(off).max() < HELD and np.abs(q - here).max() < SETTLED:
                break
        return q, self._plan.cost

    def _pinched(self, held: Array, weight: Array) -> Array:
        """Targets of tips [tips, 3], the thumb's last, that are the best where nothing hinders them: the
        errors of tips and of the vectors between them are smallest. Tips count for both from now on.
        """
        alone = (1.0 - LOOSE * weight) ** 2
        fraction = weight[:-1] * PINCH**2 / (PINCH**2 + 1.0)  # of what draws a tip: so a pinch comes evenly
        together = alone[:-1] * fraction / (1.0 - fraction)
        self._factors[: len(self.points)] = np.sqrt(alone)[self._fingers]
        self._factors[self._ends] = np.sqrt(alone + np.append(together, together.max()))
        self._plan.weigh(self._factors)
        fingers, thumb = self.wanted[self._ends[:-1]], self.wanted[self._ends[-1]]
        both = alone[:-1] + together
        pull = together * alone[:-1] / both
        thumb = (alone[-1] * thumb + pull @ (fingers - held)) / (alone[-1] + pull.sum())
        fingers = (alone[:-1, None] * fingers + together[:, None] * (thumb + held)) / both[:, None]
        return np.vstack([fingers, thumb])

    def distances(self, q: Array) -> dict[str, float]:
        """[m] by finger: of the tips at q [nq] to where the last `follow` wanted them."""
        positions = self.model.poses(q, self._end_frames)[:, :3, 3]
        distances = norm(positions - self.wanted[self._ends])
        return {self.points[k].finger: float(far) for k, far in zip(self._ends, distances, strict=True)}


def nearness(distance: Array) -> Array:
    """From 1 for a pinch to 0 for what is apart, smoothly."""
    weight = np.clip((APART - distance) / (APART - PINCHED), 0.0, 1.0)
    return np.asarray(weight * weight * (3.0 - 2.0 * weight))
