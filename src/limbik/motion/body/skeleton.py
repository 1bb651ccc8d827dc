"""The links of a model as a tree with positions in one pose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from limbik.formats.bvh_model import is_between_channels
from limbik.locks import cached_property
from limbik.model import JointKind, Model
from limbik.model.joints import HINGES
from limbik.spatial import Array, norm


@dataclass(frozen=True, eq=False)
class LinkSkeleton:
    """Links between which something may turn, the root first, parents before children."""

    links: tuple[str, ...]
    parents: dict[str, str | None]
    children: dict[str, list[str]]
    positions: dict[str, Array]  # [3] [m]
    ends: dict[str, list[Array]]  # of each link, where its other frames are [3] [m]
    freedom: dict[str, int]  # degrees of freedom in turning against the parent; 0 where it is fixed
    size: float  # [m] the diagonal of the box around all positions, without a root that only carries the rest

    def line(self, link: str) -> list[str]:
        """From the root to the link."""
        links: list[str] = []
        at: str | None = link
        while at is not None:
            links.append(at)
            at = self.parents[at]
        return links[::-1]

    def between(self, above: str | None, below: str) -> list[str]:
        """From the child of one link down to the other; from the root for None."""
        line = self.line(below)
        return line[line.index(above) + 1 :] if above in line else line

    def common(self, links: Sequence[str]) -> str | None:
        """The last link that is above all of these, or one of them."""
        lines = [self.line(link) for link in links]
        last = None
        for each in zip(*lines, strict=False):
            if len(set(each)) > 1:
                break
            last = each[0]
        return last

    def below(self, link: str) -> list[str]:
        """The link and all below it, parents before children."""
        links = [link]
        for each in links:
            links.extend(self.children[each])
        return links

    def distance(self, first: str, second: str) -> float:
        """Between two links [m]."""
        return float(norm(self.positions[first] - self.positions[second]))

    def longest(self, link: str) -> list[str]:
        """The longest branch from a link to what is below it, measured along the links."""
        branch = [link]
        while branch[-1] in self._longest:
            branch.append(self._longest[branch[-1]])
        return branch

    @cached_property
    def _longest(self) -> dict[str, str]:
        """Of each link the child on the longest path below it."""
        lengths: dict[str, float] = {}
        following: dict[str, str] = {}
        for link in reversed(self.links):
            lengths[link] = 0.0
            for child in self.children[link]:
                length = lengths[child] + self.distance(link, child)
                if link not in following or length > lengths[link] * (1.0 + 1e-9):
                    lengths[link], following[link] = length, child
        return following


def skeleton_of(model: Model, q: Array) -> LinkSkeleton:
    """The links of a model, without those between the channels of a joint, where q [nq] puts them."""
    poses = model.forward(q)
    positions = {frame.name: pose[:3, 3] for frame, pose in zip(model.frames, poses, strict=True)}
    mover = {joint.child: joint for joint in model.joints}
    links = [model.root, *(joint.child for joint in model.joints if not is_between_channels(joint.child))]
    parents: dict[str, str | None] = {model.root: None}
    freedoms = {model.root: 0}
    for link in links[1:]:
        joint = mover[link]
        freedoms[link] = _freedoms(joint.kind)
        while joint.parent != model.root and is_between_channels(joint.parent):
            joint = mover[joint.parent]
            freedoms[link] += _freedoms(joint.kind)
        parents[link] = joint.parent
    children: dict[str, list[str]] = {link: [] for link in links}
    ends: dict[str, list[Array]] = {link: [] for link in links}
    for link in links[1:]:
        children[parents[link] or model.root].append(link)
    for frame in model.frames[len(model.joints) + 1 :]:
        if frame.link in ends:
            ends[frame.link].append(positions[frame.name])
    first = next((k for k, link in enumerate(links) if len(children[link]) != 1), 0)
    body = links[max(first, 1) :] if children[links[first]] else links[1:]  # from where it parts
    corners = np.ptp(np.array([positions[link] for link in body or links]), axis=0)
    return LinkSkeleton(tuple(links), parents, children, positions, ends, freedoms, float(norm(corners)))


def _freedoms(kind: JointKind) -> int:
    if kind in HINGES:
        return 1
    return 3 if kind in (JointKind.BALL, JointKind.FLOATING) else 0
