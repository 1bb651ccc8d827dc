"""`Skeleton`: the links of any motion as bones with y up, from which BVH and glTF are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from limbik.model import Model
from limbik.spatial import Array, pose_inverse

STILL = 1e-9  # [m] a bone's position that moves by less does not move

# y up of axes in which x or z is: both keep as they are seen, turned by a quarter.
_UPRIGHT = {
    "x": np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    "y": np.eye(3),
    "z": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]),
}


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Bones with y up, parents before children, over T frames.

    slides [n]: whether the position of a bone in its parent moves.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]  # -1 for none
    translations: Array  # [T, n, 3, m] in the parent
    rotations: Array  # [T, n, 3, 3] in the parent
    rest: Array  # [n, 3, 3] rotations in the parent at the neutral configuration
    slides: np.ndarray
    ends: tuple[tuple[Array, ...], ...]  # [3, m] by bone: where nothing follows

    @property
    def offsets(self) -> Array:
        """[n, 3, m] translations at rest: the median over time."""
        return np.asarray(np.median(self.translations, axis=0))


def skeleton_of(model: Model, q: Array, up: str, links: Sequence[str]) -> Skeleton:
    """The skeleton of some links of a model, those below them in it, at configurations [T, nq]."""
    indices = {link: k for k, link in enumerate(links)}
    parents = tuple(_before(model, link, indices) for link in links)
    world = model.poses(np.concatenate([model.neutral[None], q]), list(links))
    world[..., :3, :] = _UPRIGHT[up] @ world[..., :3, :]
    above = np.where(np.array(parents)[:, None, None] >= 0, world[:, list(parents)], np.eye(4))
    local = pose_inverse(above) @ world
    moved = np.ptp(local[1:, :, :3, 3], axis=0).max(axis=-1, initial=0.0)
    ends = tuple(tuple(_ends(model, link, k in parents)) for k, link in enumerate(links))
    return Skeleton(
        tuple(links),
        parents,
        local[1:, :, :3, 3],
        local[1:, :, :3, :3],
        local[0, :, :3, :3],
        moved > STILL,
        ends,
    )


def _before(model: Model, link: str, indices: dict[str, int]) -> int:
    """The index of the nearest link above that is in the skeleton; -1 where there is none."""
    for joint in reversed(model.path(link)[:-1]):
        if joint.child in indices:
            return indices[joint.child]
    return -1


def _ends(model: Model, link: str, is_parent: bool) -> list[Array]:
    """Frames of a link at which nothing follows; of a link at the end at least one."""
    ends = [
        frame.pose_link_frame[:3, 3]
        for frame in model.frames
        if frame.link == link and frame.name != link and frame.pose_link_frame[:3, 3].any()
    ]
    return ends or ([] if is_parent else [np.zeros(3)])
