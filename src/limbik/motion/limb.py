"""`Limb`: three links of a model as a limb of two bones, such as a leg or an arm, brought to targets.

Finds the joints of its links, has `motion.two_bone` compute their rotations in closed form, and writes these
into configurations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from limbik.errors import GoalError, ModelError
from limbik.goals.base import as_direction
from limbik.model import Model
from limbik.model.model import as_model
from limbik.model.slots import Slot
from limbik.motion import two_bone
from limbik.motion.articulation import Articulation, LinkJoints, as_rotations, put
from limbik.motion.batches import two_bone_rotations, two_bone_settings
from limbik.request import FARTHEST_TARGET, check_target
from limbik.spatial import (
    Array,
    Matrix3,
    as_numbers,
    common_shape,
    cross,
    norm,
    perpendicular,
    quat_exp,
    quat_from_matrix,
    quat_log,
    quat_to_matrix,
    rotation_log,
    unit,
)

REACHED = 1e-6  # [m]
SWIVEL_STEPS = 12  # of Newton's method, at most
SETTLED = 1e-10  # [rad]
MIN_FRACTION = 0.2  # of a turn about the line of a limb that is one about what its tip lacks
MAX_SWIVEL = 0.7  # [rad]
SIDEWAYS = (
    0.7  # fraction of the distance from the tip to its child that is across the limb, from which it is a foot
)


@dataclass(frozen=True, eq=False)
class LimbSolution:
    """What `Limb.solve` answers; of one q numbers, of a batch arrays."""

    q: Array  # [..., nq]
    distance: Any  # [...] of the tip to the target [m]
    reached: Any  # [...] whether it is at most 1e-6 m


@dataclass(frozen=True, eq=False)
class Limb:
    """Two bones between three links, such as hip, knee and ankle, or shoulder, elbow and wrist.

    root, mid: links whose joints turn; each has a ball joint, the channels of a BVH joint, or hinges whose
    axes meet in one point. A knee may be a single hinge. tip: the frame that goes to the target. A link of
    this name with a joint of its own keeps its orientation in the world, or takes that of an argument. pole:
    the point [3] or [T, 3] of the world [m] toward which the middle is turned; None: the limb keeps the plane
    of the pose it is in. weight: 0 to 1, or [T]: fraction of the change, each joint's rotation by spherical
    interpolation. soften: fraction of the reach, 0 to 1, over whose end the distance is eased, so that the
    middle does not jump while the limb becomes straight: from 0.032 on it moves at most twice as far as the
    target. A target in that fraction is not reached, by at most 0.4 of it; it is at most 0.4 of the ratio of
    the shorter bone to the longer. 0: reached while it can be.
    stretch: fraction by which both bones may become longer to reach; needs position channels on mid and tip.
    swivel: angle about the line from root to tip [rad], or [T]. axis: the axis [3] that a mid joint which
    turns freely bends about while the limb is straight, in axes of the link mid: the tip turns by the right
    hand. Default: how the limb is bent in the neutral pose, or so that the middle goes to the side of the
    toes of a foot, or else one that stays the same on the link.

    Raises GoalError for numbers out of range.
    """

    root: str
    mid: str
    tip: str
    pole: ArrayLike | None = None
    weight: ArrayLike = 1.0
    soften: float = 0.0
    stretch: float = 0.0
    swivel: ArrayLike = 0.0
    axis: ArrayLike | None = None

    def __post_init__(self) -> None:
        for name, maximum in (
            ("weight", 1.0),
            ("soften", 0.999),
            ("stretch", FARTHEST_TARGET),
            ("swivel", math.inf),
        ):
            minimum = -math.inf if name == "swivel" else 0.0
            needed = "finite numbers" if name == "swivel" else f"numbers from 0 to {maximum:g}"
            value = as_numbers(getattr(self, name), name, needed, GoalError)
            max_axes = 1 if name in ("weight", "swivel") else 0
            if (
                not (np.isfinite(value) & (value >= minimum) & (value <= maximum)).all()
                or value.ndim > max_axes
            ):
                raise GoalError(
                    f"{name} needs {needed}, one or [T]" if max_axes else f"{name} needs {needed}"
                )
            check_target(value, name)
            object.__setattr__(self, name, value if max_axes else float(value))
        if self.axis is not None:
            object.__setattr__(self, "axis", as_direction(self.axis, "axis"))
        if self.pole is not None:
            object.__setattr__(self, "pole", _points(self.pole, "pole"))

    def solve(
        self, model: Model, q: ArrayLike, target: ArrayLike, *, rotation: ArrayLike | None = None
    ) -> LimbSolution:
        """The limb at a target, from the pose beneath: q [nq] or [T, nq].

        target: [3] or [T, 3] of the world [m]. rotation: [3, 3] or [T, 3, 3] of the tip in the world;
        default: as it is at q. Limits hold; where they, or hinges of other directions, keep the tip from its
        target, the result says how far it is.

        Raises ModelError for links that are no limb of the model, GoalError for arrays of another shape.
        """
        plan = plan_of(model, self)
        start = np.asarray(model.integrate(q, np.zeros(model.nv)))  # checked, unit quaternions
        goal = _points(target, "target")
        rotations = None if rotation is None else _rotations(rotation)
        shapes = {"q": start.shape[:-1], "target": goal.shape[:-1]}
        shapes |= {"weight": np.shape(self.weight), "swivel": np.shape(self.swivel)}
        if self.pole is not None:
            shapes["pole"] = np.shape(self.pole)[:-1]
        if rotations is not None:
            if plan.tip is None:
                raise ModelError(f"{self.tip!r} does not turn by itself, so that it takes no rotation")
            shapes["rotation"] = rotations.shape[:-2]
        lead = common_shape(shapes, GoalError)
        rows = np.array(np.broadcast_to(start, (*lead, model.nq))).reshape(-1, model.nq)
        goals = np.broadcast_to(goal, (*lead, 3)).reshape(-1, 3)
        turned = None if rotations is None else np.broadcast_to(rotations, (*lead, 3, 3)).reshape(-1, 3, 3)
        plan.move(rows, goals, turned)
        at = model.pose(rows, self.tip)[:, :3, 3]
        distance = norm(at - goals).reshape(lead)
        every_q = rows.reshape(*lead, model.nq)
        if not lead:
            return LimbSolution(every_q, float(distance), bool(distance <= REACHED))
        return LimbSolution(every_q, distance, distance <= REACHED)


class LimbPlan:
    """A limb on a model.

    has_knee: the middle bends about `limb.axis` where it is bent more than in the pose beneath.
    """

    def __init__(self, model: Model, limb: Limb, *, has_knee: bool = False) -> None:
        names = (limb.root, limb.mid, limb.tip)
        tip = model.frame(limb.tip)
        is_link = tip.name == tip.link
        articulation = Articulation(model, [limb.root, limb.mid, *([limb.tip] if is_link else [])])
        self.model, self.limb, self.has_knee = model, limb, has_knee
        self.root, self.mid = articulation.group(limb.root), articulation.group(limb.mid)
        self.tip: LinkJoints | None = None
        if is_link and limb.tip in articulation.links and articulation.group(limb.tip).freedom:
            self.tip = articulation.group(limb.tip)
        path = [model.root, *(joint.child for joint in model.path(limb.tip))]
        indices = [path.index(link) if link in path else -1 for link in (limb.root, limb.mid, tip.link)]
        if not 0 < indices[0] < indices[1] <= indices[2] or limb.mid == limb.tip:
            raise ModelError(
                f"a limb needs three links in a row, root, mid and tip, found {', '.join(map(repr, names))}: "
                f"the path to the last is {' > '.join(path)}"
            )
        for group in (self.root, self.mid):
            if not group.freedom:
                raise ModelError(f"link {group.link!r} of a limb does not turn")
        if limb.stretch > 0.0 and not all(self._slides(group) for group in (self.mid, self.tip)):
            raise ModelError(
                f"stretch needs position channels on {limb.mid!r} and {limb.tip!r}, and a bone from "
                f"{limb.root!r} to {limb.mid!r} to {limb.tip!r} without others between"
            )
        self.is_hinge = self.mid.freedom == 1
        self.axis = self._axis()

    def _slides(self, group: LinkJoints | None) -> bool:
        if group is None or len(group.slides) != 3:
            return False
        return group.parent == (self.root.link if group is self.mid else self.mid.link)

    def _axis(self) -> Array:
        """The axis of the bend while the limb is straight, in axes of the link mid, across the lower bone."""
        if self.is_hinge:
            return np.asarray(self.mid.rest.T @ self.mid.axes[0])
        pose = {name: self.model.pose(self.model.neutral, name) for name in (self.root.link, self.mid.link)}
        root, mid = _point(pose[self.root.link], self.root), _point(pose[self.mid.link], self.mid)
        tip = self.model.pose(self.model.neutral, self.limb.tip)[:3, 3]
        lower, back = tip - mid, pose[self.mid.link][:3, :3].T
        if self.limb.axis is not None:
            axis = np.asarray(self.limb.axis)
        else:
            bent = cross(mid - root, lower)
            if norm(bent) > two_bone.BENT * norm(mid - root) * norm(lower):
                return np.asarray(back @ unit(bent))
            axis = back @ self._toward_toes(tip, lower)
        along = back @ unit(lower)
        across = axis - along * (along @ axis)
        return np.asarray(unit(across) if norm(across) > 1e-3 else perpendicular(along))

    def _toward_toes(self, tip: Array, lower: Array) -> Array:
        """The axis about which the middle bends toward what hangs across the tip, at the neutral pose."""
        link, direction = self.model.frame(self.limb.tip).link, unit(lower)
        names = [joint.child for joint in self.model.joints if joint.parent == link]
        names += [frame.name for frame in self.model.frames if frame.link == link != frame.name]
        for name in names:
            beyond = self.model.pose(self.model.neutral, name)[:3, 3] - tip
            across = beyond - direction * (direction @ beyond)
            if norm(across) > SIDEWAYS * norm(beyond) and norm(beyond) > 1e-6:
                return cross(across, direction)
        return perpendicular(direction)

    def move(self, q: Array, target: Array, rotation: Matrix3 | None) -> None:
        """Change q [T, nq] in place, for targets [T, 3] and rotations [T, 3, 3] of the tip."""
        frame_poses = self.model.poses(q, self.frames)
        poses, beneath = {name: frame_poses[:, k] for k, name in enumerate(self.frames)}, q.copy()
        rotations = self.rotations(poses, q, target, rotation)
        self.apply(poses, q, rotations, rotation)
        if not (np.asarray(self.limb.weight) == 1.0).all():
            self._blend(beneath, q)

    @property
    def bones(self) -> tuple[str, str, str]:
        """The frames at the ends of both bones."""
        return self.root.link, self.mid.link, self.limb.tip

    @property
    def frames(self) -> tuple[str, ...]:
        """The links that a limb is about, and those before them."""
        groups = [group for group in (self.root, self.mid, self.tip) if group is not None]
        before = [group.parent for group in groups]
        return tuple(dict.fromkeys([*before, self.root.link, self.mid.link, self.limb.tip]))

    def stand(self, poses: dict[str, Array], q: Array, target: Array, rotation: Matrix3) -> None:
        """Change q [T, nq] in place, for targets [T, 3] and rotations [T, 3, 3] of the tip. Where the tip has
        two hinges, the limb swivels by what these cannot turn: by Newton's method on the error about the
        axis that is across both.
        """
        if self.tip is None or len(self.tip.axes) != 2:
            self.apply(poses, q, self.rotations(poses, q, target, rotation), rotation)
            return
        start, swivel = q.copy(), np.zeros(len(q))
        line = unit(target - _point(poses[self.root.link], self.root))
        missing = unit(cross(*self.tip.axes))
        for _ in range(SWIVEL_STEPS):
            q[:] = start
            parent = self.apply(poses, q, self.rotations(poses, q, target, rotation, swivel), rotation)
            left = rotation_log(rotation @ np.swapaxes(parent @ self.tip.rotation_at(q), -1, -2))
            across = parent @ missing
            error = (left * across).sum(axis=1)
            if np.abs(error).max() < SETTLED:
                return
            fraction = (line * across).sum(axis=1)
            fraction = np.where(
                np.abs(fraction) < MIN_FRACTION, np.copysign(MIN_FRACTION, fraction), fraction
            )
            swivel = np.clip(swivel + error / fraction, -MAX_SWIVEL, MAX_SWIVEL)

    def rotations(
        self,
        poses: dict[str, Array],
        q: Array,
        target: Array,
        rotation: Matrix3 | None,
        swivel: Array | float = 0.0,
    ) -> Rotations:
        """Rotations of root and mid in the world; poses: of `frames` at q; swivel: more than the limb's."""
        limb, count = self.limb, len(q)
        problems = np.empty((count, two_bone.ROW))
        goal, at = target, poses[limb.tip]
        tip = at[:, :3, 3]
        if self.tip is not None:
            tip = _point(at, self.tip)
            goal = target + (at[:, :3, :3] if rotation is None else rotation) @ self.tip.center
        for begin, value in (
            (two_bone.ROOT, _point(poses[self.root.link], self.root)),
            (two_bone.MID, _point(poses[self.mid.link], self.mid)),
            (two_bone.TIP, tip),
            (two_bone.TARGET, goal),
            (two_bone.AXIS, poses[self.mid.link][:, :3, :3] @ self.axis),
            (two_bone.POLE, 0.0 if limb.pole is None else limb.pole),
        ):
            problems[:, begin : begin + 3] = value
        problems[:, two_bone.SWIVEL] = np.asarray(limb.swivel, np.float64) + swivel
        problems[:, two_bone.MIN :] = -math.inf, math.inf
        if self.is_hinge:
            (index,) = self.mid.hinge_indices
            problems[:, two_bone.MIN] = self.model.lower[index] - q[:, index]
            problems[:, two_bone.MAX] = self.model.upper[index] - q[:, index]
        settings = two_bone_settings(
            is_hinge=self.is_hinge,
            has_pole=limb.pole is not None,
            soften=limb.soften,
            stretch=limb.stretch,
            has_knee=self.has_knee,
        )
        answers = two_bone_rotations(problems, settings)
        return Rotations(
            quat_to_matrix(answers[:, two_bone.TURN_ROOT : two_bone.TURN_ROOT + 4]),
            quat_to_matrix(answers[:, two_bone.TURN_MID : two_bone.TURN_MID + 4]),
            answers[:, two_bone.FACTOR],
        )

    def apply(
        self, poses: dict[str, Array], q: Array, rotations: Rotations, rotation: Matrix3 | None
    ) -> Matrix3:
        """Write the rotations into q [T, nq], and the orientation of the tip. Returns that of the link before
        the tip [T, 3, 3]; of a tip that does not turn by itself, its own.
        """
        world = {name: pose[:, :3, :3] for name, pose in poses.items()}
        root_before, mid_before = world[self.root.link], world[self.mid.link]
        put(self.model, self.root, q, _local(world[self.root.parent], rotations.root @ root_before))
        put(self.model, self.mid, q, _local(world[self.mid.parent], rotations.mid @ mid_before))
        if self.limb.stretch > 0.0:
            self._stretch(poses, q, rotations.factor)
        turned_root = self._turned(self.root, world[self.root.parent], root_before, q)
        turned_mid = self._turned(self.mid, world[self.mid.parent], mid_before, q)
        if self.tip is None:
            return np.asarray(turned_root @ turned_mid @ world[self.limb.tip])
        parent = turned_root @ turned_mid @ world[self.tip.parent]
        wanted = world[self.limb.tip] if rotation is None else rotation
        put(self.model, self.tip, q, _local(parent, wanted))
        return np.asarray(parent)

    def _turned(self, group: LinkJoints, parent: Matrix3, before: Matrix3, q: Array) -> Matrix3:
        """By how much a link has turned in the world, its parent not counted."""
        return np.asarray(parent @ group.rotation_at(q) @ np.swapaxes(before, -1, -2))

    def _blend(self, beneath: Array, q: Array) -> None:
        """Bring q [T, nq] back toward the configurations beneath, each joint by its own rotation."""
        weight = np.broadcast_to(np.asarray(self.limb.weight), (len(q),))[:, None]
        for group in (self.root, self.mid, self.tip):
            if group is not None:
                before = group.rotation_at(beneath)
                rotation = quat_log(quat_from_matrix(_local(before, group.rotation_at(q))))
                put(self.model, group, q, before @ quat_to_matrix(quat_exp(weight * rotation)))
                slides = group.slide_indices
                q[:, slides] = (1.0 - weight) * beneath[:, slides] + weight * q[:, slides]

    def _stretch(self, poses: dict[str, Array], q: Array, factor: Array) -> None:
        """Lengthen both bones, by the position channels of mid and tip."""
        for group in (self.mid, self.tip):
            assert group is not None
            there = poses[group.parent]
            position = _local(there[:, :3, :3], (poses[group.link] - there)[:, :3, 3:])[..., 0]
            slides = np.linalg.solve(group.slides.T, (factor[:, None] * position - group.offset).T)
            q[:, group.slide_indices] = slides.T


class Rotations(NamedTuple):
    """What a limb does."""

    root: Matrix3  # [T, 3, 3] of the world
    mid: Matrix3  # [T, 3, 3] of the world, before that of the root
    factor: Array  # [T] of the bones' lengths


_PLANS: Slot[dict[Limb, LimbPlan]] = Slot()


def plan_of(model: Model, limb: Limb) -> LimbPlan:
    """The limb on the model, made once."""
    model = as_model(model)
    plans = _PLANS.of(model, dict)
    if limb not in plans:
        if len(plans) >= MAX_PLANS:
            plans.clear()
        plans[limb] = LimbPlan(model, limb)
    return plans[limb]


MAX_PLANS = 64


def _local(parent: Matrix3, matrix: Array) -> Array:
    return np.asarray(np.swapaxes(parent, -1, -2) @ matrix)


def _point(pose: Array, group: LinkJoints) -> Array:
    """The point in the world that a group turns about, of the pose of its link [..., 4, 4]."""
    return np.asarray(pose[..., :3, :3] @ group.center + pose[..., :3, 3])


def _points(value: ArrayLike, name: str) -> Array:
    needed = "a point [3] or points [T, 3] in metres"
    points = as_numbers(value, name, needed, GoalError)
    if points.ndim not in (1, 2) or points.shape[-1] != 3 or not np.isfinite(points).all():
        raise GoalError(f"{name} needs {needed}, finite, found shape {points.shape}")
    check_target(points, name)
    return points


def _rotations(value: ArrayLike) -> Matrix3:
    needed = "rotation matrices [3, 3] or [T, 3, 3]"
    matrices = as_rotations(value, needed, GoalError)
    if matrices.ndim > 3:
        raise GoalError(f"rotation needs {needed}, found shape {matrices.shape}")
    return matrices
