"""Packs models into the records that the kernels of trees read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from limbik.compiler.kernel import Floats, Records
from limbik.model.joints import HINGES, Joint, JointKind
from limbik.model.model import Model
from limbik.model.slots import Slot
from limbik.spatial import Matrix4
from limbik.tree.joints import END, JOINT, PRISMATIC, REVOLUTE, SPHERICAL
from limbik.tree.kinematics import LINK

WORLD = -1  # instead of a link


@dataclass(frozen=True, eq=False)
class PackedTree:
    """A model as the general kernels read it.

    A velocity has the numbers of the model's, except that the translation of a floating joint is along the
    axes in which its position is counted.
    """

    links: Records  # `tree.kinematics.LINK`
    movers: Records  # `tree.joints.JOINT`, the end's last
    fixed_mass: Floats  # [4]
    link_poses: dict[str, tuple[int, Matrix4]]  # of every link of the model: its record, and its pose in that
    joint_links: dict[str, int]  # by joint: its record; of a floating joint the last one

    @property
    def nv(self) -> int:
        """Numbers in a velocity."""
        return int(self.movers[-1]["v"])

    def attachment(self, model: Model, frame: str) -> tuple[int, Matrix4]:
        """The link that carries a frame of the model, and the frame's pose in it."""
        match = model.frame(frame)
        link, pose = self.link_poses[match.link]
        return link, pose @ match.pose_link_frame


_TREES: Slot[PackedTree] = Slot()


def tree_of(model: Model) -> PackedTree:
    """The tree of a model, packed once for it."""
    return _TREES.of(model, lambda: pack_tree(model))


def pack_tree(model: Model) -> PackedTree:
    """The tree of a model. Fixed joints are folded into what they carry, floating joints taken apart."""
    packing = _Packing(model)
    for joint in model.joints:
        packing.add(joint)
    return packing.packed()


class _Packing:
    """The records so far."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.poses: dict[str, tuple[int, Matrix4]] = {model.root: (WORLD, np.eye(4))}
        self.links: list[Records] = []
        self.movers: list[Records] = []
        self.joint_links: dict[str, int] = {}
        self.leading: set[int] = set()  # where the numbers of joints that others follow begin

    def add(self, joint: Joint) -> None:
        parent, before = self.poses[joint.parent]
        origin = before @ joint.origin
        if joint.kind is JointKind.FIXED:
            self.poses[joint.child] = parent, origin
            return
        q, v = self.model.q_slice(joint.name).start, self.model.v_slice(joint.name).start
        if joint.kind is JointKind.FLOATING:
            pending = origin
            for k, axis in enumerate(np.eye(3)):
                parent, pending = self._add_prismatic(parent, pending, axis, q + k, v + k)
            self._ball(joint, parent, pending, q + 3, v + 3)
        elif joint.kind is JointKind.BALL:
            self._ball(joint, parent, origin, q, v)
        else:
            self._add_scalar(joint, parent, origin, q, v)
        self.joint_links[joint.name] = len(self.links) - 1

    def _add_scalar(self, joint: Joint, parent: int, origin: Matrix4, q: int, v: int) -> None:
        aligned = _toward(joint.axis)
        kind = REVOLUTE if joint.kind in HINGES else PRISMATIC
        link = self._link(kind, parent, origin @ aligned, q, v)
        if joint.mimic is None:
            self._mover(kind, q, v, joint.lower, joint.upper)
        else:
            link["multiplier"], link["offset"] = joint.mimic.multiplier, joint.mimic.offset
            link["mover"] = -1
            self.leading.add(q)
        self.poses[joint.child] = len(self.links) - 1, aligned.T

    def _add_prismatic(
        self, parent: int, origin: Matrix4, axis: Floats, q: int, v: int
    ) -> tuple[int, Matrix4]:
        aligned = _toward(axis)
        self._link(PRISMATIC, parent, origin @ aligned, q, v)
        self._mover(PRISMATIC, q, v, -np.inf, np.inf)
        return len(self.links) - 1, aligned.T

    def _ball(self, joint: Joint, parent: int, origin: Matrix4, q: int, v: int) -> None:
        self._link(SPHERICAL, parent, origin, q, v)
        mover = self._mover(SPHERICAL, q, v, joint.lower, joint.upper)
        mover["axis"], mover["cone"] = joint.axis, joint.swing
        if joint.euler is not None and joint.euler.has_limits:
            first, second, _ = joint.euler.axes
            mover["order"] = 1 + 3 * first + second
            mover["euler_lower"], mover["euler_upper"] = joint.euler.bounds
        self.poses[joint.child] = len(self.links) - 1, np.eye(4)

    def _link(self, kind: int, parent: int, origin: Matrix4, q: int, v: int) -> Records:
        link = np.zeros(1, LINK)
        link["kind"], link["parent"], link["q"], link["v"], link["multiplier"] = kind, parent, q, v, 1.0
        link["mover"] = len(self.movers)
        link["rotation"], link["translation"] = origin[:3, :3].ravel(), origin[:3, 3]
        self.links.append(link)
        return link

    def _mover(self, kind: int, q: int, v: int, lower: float, upper: float) -> Records:
        mover = np.zeros(1, JOINT)
        mover["kind"], mover["q"], mover["v"], mover["lower"], mover["upper"] = kind, q, v, lower, upper
        mover["axis"] = 0.0, 0.0, 1.0
        self.movers.append(mover)
        return mover

    def packed(self) -> PackedTree:
        end = np.zeros(1, JOINT)
        end["kind"], end["q"], end["v"] = END, self.model.nq, self.model.nv
        for mover in self.movers:
            mover["has_mimics"] = int(mover["q"][0]) in self.leading
        links = np.concatenate(self.links) if self.links else np.zeros(0, LINK)
        return PackedTree(
            links, np.concatenate([*self.movers, end]), self._masses(links), self.poses, self.joint_links
        )

    def _masses(self, links: Records) -> Floats:
        """Each link's masses in one, into the records; returns what cannot move."""
        sums = np.zeros((len(links) + 1, 4))  # the world's last
        for mass in self.model.masses:
            link, pose = self.poses[mass.link]
            center = pose[:3, :3] @ mass.center + pose[:3, 3]
            sums[link] += [*(mass.mass * center), mass.mass]
        for record, (x, y, z, mass) in zip(links, sums, strict=False):
            if mass > 0.0:
                record["mass"], record["center"] = mass, np.array([x, y, z]) / mass
        return sums[-1]


def _toward(axis: Floats) -> Matrix4:
    """A rotation whose z is a unit vector; the identity for z itself."""
    across = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = across - axis * (axis @ across)
    x /= np.linalg.norm(x)
    pose = np.eye(4)
    pose[:3, :3] = np.column_stack([x, np.cross(axis, x), axis])
    return pose
