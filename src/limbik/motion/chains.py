"""`LinkChain`: links in a row that are rotated in the world, for `aim` and `spline`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from limbik.errors import GoalError, ModelError, members_of
from limbik.model import Model
from limbik.model.model import as_model
from limbik.motion.articulation import Articulation, LinkJoints, put
from limbik.request import check_target
from limbik.spatial import Array, Matrix3, as_numbers, common_shape


class LinkChain:
    """Links in a row, with the poses that they have and their rotations.

    q [T, nq] is changed in place by `turn`, link by link from the first one on.
    """

    def __init__(self, model: Model, links: Sequence[str], frame: str, q: Array) -> None:
        articulation = Articulation(model, links)
        self.groups: list[LinkJoints] = [articulation.group(link) for link in links]
        path = [model.root, *(joint.child for joint in model.path(frame))]
        indices = [path.index(link) if link in path else -1 for link in links]
        if indices != sorted(indices) or -1 in indices or len(set(indices)) < len(indices):
            raise ModelError(
                f"a chain needs links in a row, found {', '.join(map(repr, links))}: "
                f"the path to {frame!r} is {' > '.join(path)}"
            )
        self.model, self.frame, self.q = model, frame, q
        names = list(dict.fromkeys([*links, *(group.parent for group in self.groups), frame]))
        poses = model.poses(q, names)
        self.poses = {name: poses[:, k].copy() for k, name in enumerate(names)}
        self._depth = {name: path.index(model.frame(name).link) for name in names}

    def center(self, k: int) -> Array:
        """The point [T, 3] that a link of the chain turns about."""
        pose = self.poses[self.groups[k].link]
        return np.asarray(pose[:, :3, :3] @ self.groups[k].center + pose[:, :3, 3])

    def turn(self, k: int, turn: Matrix3) -> None:
        """Turn a link by rotations [T, 3, 3] of the world, and all after it, as far as its joints can."""
        group, center = self.groups[k], self.center(k)
        parent = self.poses[group.parent][:, :3, :3]
        before = self.poses[group.link][:, :3, :3]
        put(self.model, group, self.q, np.swapaxes(parent, -1, -2) @ turn @ before)
        turned = parent @ group.rotation_at(self.q) @ np.swapaxes(before, -1, -2)
        for name, pose in self.poses.items():
            if self._depth[name] >= self._depth[group.link]:
                pose[:, :3, 3] = center + (turned @ (pose[:, :3, 3] - center)[..., None])[..., 0]
                pose[:, :3, :3] = turned @ pose[:, :3, :3]


def links_of(chain: object) -> tuple[str, ...]:
    """The names of a chain. Raises ModelError where there are none."""
    names = members_of(chain, "chain", ModelError, "a list of links")
    if not names:
        raise ModelError("chain needs at least one link")
    return names


def rows_of(model: Model, q: ArrayLike, points: Array, size: int) -> tuple[Array, Array, tuple[int, ...]]:
    """q [T, nq] and points [T, ...] of a batch, or of one; and the leading axes that the answer has.

    size: axes of the points of one q.
    """
    start = np.asarray(as_model(model).integrate(q, np.zeros(model.nv)))
    shapes = {"q": start.shape[:-1], "points": points.shape[: points.ndim - size]}
    lead = common_shape(shapes, GoalError)
    rows = np.array(np.broadcast_to(start, (*lead, model.nq))).reshape(-1, model.nq)
    each = points.shape[points.ndim - size :]
    return rows, np.broadcast_to(points, (*lead, *each)).reshape(-1, *each), lead


def weights_of(value: ArrayLike, count: int, name: str) -> Array:
    """Positive weights [count]; one is for all."""
    needed = f"{count} positive numbers, one for each link of the chain"
    weights = as_numbers(value, name, needed, GoalError)
    if weights.shape not in ((), (count,)) or not (np.isfinite(weights) & (weights > 0.0)).all():
        raise GoalError(f"{name} needs {needed}")
    check_target(weights, name)
    return np.broadcast_to(weights, (count,))
