"""The parts of a character that an avatar moves: trunk, arms and legs, in the posture of rest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limbik.errors import ModelError, mapping_of
from limbik.formats.motions import Motion
from limbik.locks import cached_property
from limbik.model import Model
from limbik.model.model import as_model
from limbik.motion.articulation import Articulation
from limbik.motion.avatar.rig import Rig
from limbik.motion.body.anatomy import anatomy
from limbik.motion.body.humanoid import humanoid
from limbik.motion.body.roles import ARM, LEG, SIDES
from limbik.motion.retargeting import freed, postures_of
from limbik.spatial import Array, Matrix3, norm

SEAT = 0.15  # of the legs' length: height of hips on the ground
NECK_WEIGHT = 0.6  # of the turn between hips and head that neck and head take


@dataclass(frozen=True, eq=False)
class RigLimb:
    """Two bones of the rig, at rest."""

    root: int
    mid: int
    tip: int
    upper: Array  # [3, m] from root to mid in the axes of the root's link
    lower: Array  # [3, m] from mid to tip in the axes of the mid's link
    rest: (
        Array  # [3, 3] in columns, in the world at rest: both bones, and the axis that the middle bends about
    )
    forearm: Array  # [3] along the lower bone at rest, in the axes of the tip's link
    is_hinge: bool  # whether the middle has one axis
    hangs: Array  # [3, m] from what carries the limb to its root at rest, in the axes of that
    margin: tuple[float, float]  # [rad] by which a middle that is a hinge may change from rest

    @cached_property
    def lengths(self) -> tuple[float, float]:
        """[m] of both bones."""
        return float(norm(self.upper)), float(norm(self.lower))


@dataclass(frozen=True, eq=False)
class LimbSet:
    """Limbs that are solved at once: those whose middles have one axis, or those that turn freely."""

    names: tuple[str, ...]
    are_hinges: bool
    rest: Array  # [n, 3, 3] of each limb
    bones: NDArray[np.intp]  # [n, 2] indices of root and mid in the rig
    tips: NDArray[np.intp]  # [n]
    rotations: Array  # [n, 2, 3, 3] of root and mid at rest
    margins: Array  # [n, 2]


class AvatarBody:
    """A character: its rig, and which of its links are what.

    Raises ModelError for what has no hips, head and legs, or whose limbs do not turn.
    """

    def __init__(self, skeleton: Model | Motion, roles: Mapping[str, str] | None) -> None:
        whole = skeleton.model if isinstance(skeleton, Motion) else as_model(skeleton)
        needed = "frames by role, such as {'head': 'Head'}"
        frames = (
            humanoid(skeleton).frames if roles is None else mapping_of(roles, "roles", ModelError, needed)
        )
        for role in ("hips", "head"):
            if role not in frames:
                raise ModelError(f"model {whole.name!r} needs a frame for the role {role!r}")
        frames = {role: whole.frame(frame).link for role, frame in frames.items()}
        self.model = freed(whole, frames["hips"])
        if isinstance(skeleton, Motion):
            self.anatomy = anatomy(self.model, frames, skeleton.up, postures_of(skeleton))
        else:
            self.anatomy = anatomy(self.model, frames, None, self.model.neutral[None])
        self.trunk = self._trunk(frames)
        links = [frames["hips"], *self.trunk]
        self.sides = [side for side in SIDES if all(side + part in frames for part in ARM)]
        for side in self.sides:
            links += [frames[side + part] for part in ("Shoulder", *ARM) if side + part in frames]
        for side in SIDES:
            links += [frames[side + part] for part in LEG]
        links = list(dict.fromkeys(links))
        self.rig = Rig(self.model, links, self.anatomy.upright, self.anatomy.upward)
        self.link_indices = {role: links.index(frames[role]) for role in frames if frames[role] in links}
        self.axes = {role: self.anatomy.axes.get(role, np.eye(3)) for role in self.link_indices}
        self.spine = list(range(1, 1 + len(self.trunk)))  # indices of the trunk's links, the head last
        chain = [0, *self.spine]
        after = zip(chain, self.spine, strict=False)
        self.bones = np.array([self.rig.pivots[b] - self.rig.centers[a] for a, b in after])
        self.spine_rest = np.ascontiguousarray(self.rig.rest_rotations[self.spine].reshape(-1, 9))
        self.carrier = self.rig.parents[self._first_arm()] if self.sides else self.spine[0]
        self.fractions = self._fractions()
        self.limbs = {
            f"{side}{kind}": self._limb(side, limb)
            for kind, limb, sides in (("Arm", ARM, self.sides), ("Leg", LEG, SIDES))
            for side in sides
        }
        sets = (self._limb_set(are_hinges) for are_hinges in (False, True))
        self.limb_sets = [each for each in sets if each.names]
        self.seat = SEAT * sum(self.limbs["leftLeg"].lengths)  # [m] of the hips over the ground, at least
        self.heading = self.anatomy.rotations(self.anatomy.upright[None], "hips")[0]  # of rest: x forward
        self.role_links = frames
        self.lift = np.eye(4)
        self.lift[:3, :3] = self.anatomy.upward

    def _trunk(self, frames: Mapping[str, str]) -> list[str]:
        hips, head = frames["hips"], frames["head"]
        path = [joint.child for joint in self.model.path(head)]
        if hips not in path:
            raise ModelError(f"link {head!r} of model {self.model.name!r} is not on the hips")
        ends = Articulation(self.model, [hips, head]).groups
        turning = {group.link for group in ends if group.freedom}
        return [link for link in path[path.index(hips) + 1 :] if link in turning]

    def _first_arm(self) -> int:
        side = self.sides[0]
        return self.link_indices.get(side + "Shoulder", self.link_indices[side + ARM[0]])

    def _fractions(self) -> Array:
        """[n] of the trunk's links: how much of the turn from hips to head each has made, 1 at the head."""
        count = len(self.spine)
        below = self.spine.index(self.carrier) + 1 if self.carrier in self.spine else 0
        trunk, neck = max(below, 0), count - max(below, 0)
        if not trunk or not neck:
            return np.arange(1, count + 1) / count
        each = [(1.0 - NECK_WEIGHT) / trunk] * trunk + [NECK_WEIGHT / neck] * neck
        return np.cumsum(each)

    def _limb(self, side: str, parts: tuple[str, str, str]) -> RigLimb:
        root, mid, tip = (self.link_indices[side + part] for part in parts)
        rig = self.rig
        for k in (root, mid):
            if rig.groups[k].freedom < (3 if k == root else 1):
                raise ModelError(
                    f"link {rig.links[k]!r} of model {self.model.name!r} needs joints that turn freely about "
                    "one point; `limbik.motion.retarget` takes robots"
                )
        upper = rig.rest_rotations[root].T @ (rig.positions[mid] - rig.positions[root])
        lower = rig.rest_rotations[mid].T @ (rig.positions[tip] - rig.positions[mid])
        turn = rig.rest_rotations[mid] @ self.axes[side + parts[1]]  # of the lower bone at rest
        across = turn[:, 1] if parts is LEG else turn[:, 2] * (-1.0 if side == "left" else 1.0)
        forearm = rig.rest_rotations[tip].T @ (rig.positions[tip] - rig.positions[mid])
        bend_range = (-math.inf, math.inf)
        is_hinge = rig.groups[mid].freedom == 1
        if is_hinge:
            (at,) = rig.groups[mid].hinge_indices
            here = self.anatomy.upright[at]
            bend_range = (float(self.model.lower[at] - here), float(self.model.upper[at] - here))
            across = rig.rest_rotations[mid] @ rig.groups[mid].rest.T @ rig.groups[mid].axes[0]
        carrier = self.carrier if parts is ARM else 0
        hangs = rig.rest_rotations[carrier].T @ (rig.positions[root] - rig.positions[carrier])
        rest = np.column_stack([rig.rest_rotations[root] @ upper, rig.rest_rotations[mid] @ lower, across])
        return RigLimb(
            root, mid, tip, upper, lower, rest, forearm / norm(forearm), is_hinge, hangs, bend_range
        )

    def _limb_set(self, are_hinges: bool) -> LimbSet:
        names = tuple(name for name, limb in self.limbs.items() if limb.is_hinge == are_hinges)
        limbs = [self.limbs[name] for name in names]
        bones = np.array([(limb.root, limb.mid) for limb in limbs], dtype=np.intp).reshape(-1, 2)
        return LimbSet(
            names,
            are_hinges,
            rest=np.array([limb.rest for limb in limbs]),
            bones=bones,
            tips=np.array([limb.tip for limb in limbs], dtype=np.intp),
            rotations=self.rig.rest_rotations[bones],
            margins=np.array([limb.margin for limb in limbs]),
        )

    def lowest(self, link: str, q: Array) -> float:
        """[m] the height of the lowest point of a part at q [nq]."""
        below = [each.name for each in self.model.frames if self._is_on(each.link, link)]
        positions = self.model.poses(q, below)[:, :3, 3] @ self.anatomy.upward.T
        return float(positions[:, 2].min())

    def toes(self, side: str, q: Array) -> Array:
        """[3, m] from the ankle to where the toes begin at q [nq]; 0 where there are none."""
        if side + "Toes" not in self.role_links:
            return np.zeros(3)
        toes, ankle = (self.role_links[side + part] for part in ("Toes", LEG[2]))
        positions = self.model.poses(q, [ankle, toes])[:, :3, 3]
        return np.asarray(self.anatomy.upward @ (positions[1] - positions[0]))

    def eyes(self, q: Array) -> float:
        """[m] the height of the eyes at q [nq], or else of the head's joint."""
        names = [side + "Eye" for side in SIDES if side + "Eye" in self.role_links] or ["head"]
        positions = self.model.poses(q, [self.role_links[name] for name in names])[:, :3, 3]
        return float((positions @ self.anatomy.upward.T)[:, 2].mean())

    def _is_on(self, link: str, part: str) -> bool:
        return link == part or any(joint.child == part for joint in self.model.path(link))

    def rest(self, role: str) -> Matrix3:
        """The anatomical axes of a part at rest."""
        return np.asarray(self.rig.rest_rotations[self.link_indices[role]] @ self.axes[role])
