"""`Rig`: the links of a character, and its configuration from rotations in the world.

The world is one in which z is up. Everything between these links stays as it is in the posture of rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limbik.errors import ModelError
from limbik.model import JointKind, Model
from limbik.motion.articulation import Articulation, LinkJoints
from limbik.motion.batches import hinge_angles, local_quaternions
from limbik.spatial import Array, Matrix3, pose_inverse


@dataclass(frozen=True, eq=False)
class _Hinges:
    """Groups of hinges about the same axes, with the same limits."""

    members: NDArray[np.intp]  # [n] indices of the links
    indices: NDArray[np.intp]  # [n, hinges] in q
    axes: Array
    lower: Array
    upper: Array


class Rig:
    """Links of a model, parents first, of which the first is the hips, which go anywhere."""

    def __init__(self, model: Model, links: Sequence[str], rest: Array, upward: Matrix3) -> None:
        articulation = Articulation(model, links)
        self.model, self.links = model, tuple(links)
        self.groups = [articulation.group(link) for link in links]
        names = list(dict.fromkeys([*links, *(group.parent for group in self.groups)]))
        lifted = np.eye(4)
        lifted[:3, :3] = upward
        poses = dict(zip(names, lifted @ model.poses(rest, names), strict=True))
        self.parents = [self._parent(link) for link in links]
        self.rest_rotations = np.array([poses[link][:3, :3] for link in links])  # [n, 3, 3] at rest
        self.centers = np.array([group.center for group in self.groups])  # [n, 3] in the links
        self.positions = np.array([poses[link][:3, 3] for link in links])
        self.positions = (
            self.positions + (self.rest_rotations @ self.centers[..., None])[..., 0]
        )  # what they turn about
        leads, pivots = [], []
        for k, group in enumerate(self.groups):
            parent = poses[self.links[self.parents[k]]] if k else np.eye(4)
            leads.append((pose_inverse(parent) @ poses[group.parent])[:3, :3])
            pivots.append(parent[:3, :3].T @ (self.positions[k] - parent[:3, 3]))
        self._leads, self.pivots = np.array(leads).reshape(-1, 9), np.array(pivots)
        self._rests = np.array([group.rest for group in self.groups]).reshape(-1, 9)
        self._parents = np.array(self.parents, dtype=np.float64)
        self._hinged = np.array([float(group.quaternion is None) for group in self.groups])
        self._rest = rest
        self._balls = [k for k, group in enumerate(self.groups) if group.quaternion is not None]
        self._ball_indices = np.array(
            [
                range(group.quaternion.start, group.quaternion.stop)
                for group in self.groups
                if group.quaternion
            ],
            dtype=np.intp,
        ).reshape(-1, 4)
        self._hinges = self._hinge_sets()
        self._slides, self._to_slides = self._mover(upward)
        self._is_clipped = any(j.kind is JointKind.BALL and j.has_limits for j in model.joints)

    def _parent(self, link: str) -> int:
        """The index of the link before one, -1 for the hips."""
        before = [joint.child for joint in self.model.path(link)][:-1]
        parents = [self.links.index(each) for each in before if each in self.links]
        if not parents and link != self.links[0]:
            raise ModelError(f"link {link!r} of model {self.model.name!r} is not on the hips")
        return parents[-1] if parents else -1

    def _hinge_sets(self) -> list[_Hinges]:
        alike: dict[bytes, list[int]] = {}
        for k, group in enumerate(self.groups):
            if len(group.axes):
                limits = [bound[group.hinge_indices] for bound in (self.model.lower, self.model.upper)]
                key = np.concatenate([group.axes.ravel(), *limits]).round(12) + 0.0
                alike.setdefault(key.tobytes(), []).append(k)
        sets = []
        for members in alike.values():
            first = self.groups[members[0]]
            indices = np.array([self.groups[k].hinge_indices for k in members])
            lower, upper = self.model.lower[indices[0]], self.model.upper[indices[0]]
            sets.append(_Hinges(np.array(members), indices, first.axes, lower, upper))
        return sets

    def _mover(self, upward: Matrix3) -> tuple[NDArray[np.intp], Matrix3]:
        """Indices in q that move the hips, and their change for a displacement of the hips."""
        for group in _movers(self.model, self.links[0]):
            parent = self.model.pose(self._rest, group.parent)[:3, :3]
            if len(group.slides) == 3:
                return group.slide_indices, np.asarray(
                    np.linalg.inv(upward @ parent @ group.slides.T), np.float64
                )
            start = self.model.q_slice(group.joints[-1].name).start
            return np.arange(start, start + 3), np.asarray(
                np.linalg.inv(upward @ parent @ group.rest), np.float64
            )
        raise ModelError(f"model {self.model.name!r} has hips that do not go anywhere")

    def origin(self, k: int, pivot: Array, turn: Matrix3) -> Array:
        """Where a link is whose joint is at a pivot [3]."""
        return pivot - turn @ self.centers[k]

    def pivot(self, k: int, origin: Array, turn: Matrix3) -> Array:
        """Where the joint of a link is, by origin and turn of the link before it."""
        return origin + turn @ self.pivots[k]

    def configuration(self, near: Array, hips: Array, rotations: Array) -> Array:
        """q [nq] for the pivot of the hips [3] and rotations [n, 3, 3] of all links in the world; of angles
        that make the same, those nearest to `near` [nq].
        """
        q = self._rest.copy()
        q[self._slides] += self._to_slides @ (hips - self.positions[0])
        turned = local_quaternions(rotations, self._leads, self._parents, self._rests, self._hinged)
        for each in self._hinges:
            angles = hinge_angles(each.axes, turned[each.members], near[each.indices], each.lower, each.upper)
            q[each.indices] = angles
        if len(self._balls):
            quat = turned[self._balls]
            facing = (quat * near[self._ball_indices]).sum(axis=1, keepdims=True)
            q[self._ball_indices] = np.where(facing < 0.0, -quat, quat)
        return self.model.clip(q) if self._is_clipped else q


def _movers(model: Model, hips: str) -> list[LinkJoints]:
    """The groups on the path to the hips that move anywhere, the last first."""
    path = [model.root, *(joint.child for joint in model.path(hips))]
    groups = [group for group in Articulation(model, [hips]).groups if group.link in path]
    return [
        group
        for group in reversed(groups)
        if len(group.slides) == 3 or group.joints[-1].kind is JointKind.FLOATING
    ]
