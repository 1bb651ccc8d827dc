"""Where the center of mass of a tree is, and how it moves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limbik.model.joints import Mass
from limbik.model.kinematics import Kinematics, Member
from limbik.spatial import Array


class Masses:
    """Masses on the links of a tree. masses: each with the index of its link, 0 the root.

    Each link's masses are one mass at their center. `links` [1 + n joints, ..., 4, 4] are poses of links.
    """

    def __init__(self, masses: Sequence[tuple[int, Mass]], members: Sequence[Member]) -> None:
        self.parents = tuple(member.parent for member in members)
        self.of_link = np.zeros(1 + len(members))  # [kg]
        self.moments = np.zeros((1 + len(members), 3))  # mass times center, in the link's frame [kg m]
        for index, mass in masses:
            self.of_link[index] += mass.mass
            self.moments[index] += mass.mass * mass.center
        self.carried = self._carried(self.of_link)[1:]  # [kg] by each joint
        self.total = float(self.of_link.sum())

    def center(self, links: Array) -> Array:
        """The center of mass in the world [..., 3]."""
        return np.asarray(self._world_moments(links).sum(axis=0) / self.total)

    def jacobian(self, links: Array, kinematics: Kinematics, nv: int) -> Array:
        """The Jacobian of the center [..., 3, nv].

        A joint moves what it carries as one body: its part of the mass times the velocity of that center.
        """
        carried = self.carried.reshape(-1, *(1,) * (links.ndim - 2))
        moments = self._carried(self._world_moments(links))[1:]
        centers = np.divide(moments, carried, out=np.zeros_like(moments), where=carried > 0.0)
        return kinematics.velocities(links, centers, self.carried / self.total, nv)

    def _world_moments(self, links: Array) -> Array:
        """Mass times center in the world, of each link [1 + n joints, ..., 3]."""
        turned = np.einsum("k...ij,kj->k...i", links[..., :3, :3], self.moments)
        of_link = self.of_link.reshape(-1, *(1,) * (links.ndim - 2))
        return np.asarray(turned + of_link * links[..., :3, 3])

    def _carried(self, of_links: Array) -> Array:
        """Each link's part and those of all links that it carries [1 + n joints, ...]."""
        out = of_links.copy()
        for k in range(len(self.parents), 0, -1):
            out[self.parents[k - 1]] += out[k]
        return out
