"""`MotionBounds`: upper bounds on the speed at which two bodies approach each other when joints move
(Schwarzer, Saha & Latombe 2005).

A point of a body that is at most r away from the axis of a revolute joint moves at most r for each radian.
However the joints between stand, r is at most the sum of the lengths of the links between.
"""

from __future__ import annotations

import numpy as np

from limbik.collision.pack import Packed
from limbik.compiler.kernel import Records
from limbik.spatial import Array
from limbik.tree.joints import PRISMATIC, SPHERICAL
from limbik.tree.pack import WORLD


class MotionBounds:
    """Bounds for pairs [n, 2] of bodies on a tree.

    travel [links]: how far prismatic joints go at most [m], in both directions.
    """

    def __init__(self, links: Records, bodies: Packed, pairs: Array, travel: Array) -> None:
        shape = len(bodies.bodies), len(links)
        reaches = np.array([_reaches(links, body, travel) for body in bodies.bodies]).reshape(shape)
        first, second = reaches[pairs[:, 0]], reaches[pairs[:, 1]]
        # What moves both bodies does not move them against each other.
        self._reaches = np.where((first > 0.0) & (second > 0.0), 0.0, first + second)
        self._multipliers, self._v = np.abs(links["multiplier"]), links["v"]
        balls = np.flatnonzero(links["kind"] == SPHERICAL)
        self._balls, self._v_of_balls = balls, links["v"][balls, None] + np.arange(3)

    def speeds(self, v: Array) -> Array:
        """How fast each pair can come nearer [n], in metres per unit of time of a velocity [nv]."""
        rates = np.abs(v[self._v])
        if len(self._balls):
            rates[self._balls] = np.linalg.norm(v[self._v_of_balls], axis=1)
        return np.asarray(self._reaches @ (self._multipliers * rates))


def _reaches(links: Records, body: Records, travel: Array) -> Array:
    """For every link: how far its joint moves a point of the body at most [m for each rad or m]."""
    reaches = np.zeros(len(links))
    k = int(body["link"])
    reach = float(np.linalg.norm(body["center"]) + body["bound"])
    while k != WORLD:
        link = links[k]
        if link["kind"] == PRISMATIC:
            reaches[k] = 1.0
            reach += travel[k]
        else:
            reaches[k] = reach
        reach += float(np.linalg.norm(link["translation"]))
        k = int(link["parent"])
    return reaches
