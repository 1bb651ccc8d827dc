"""Rotations of bones to and from joint values: ball joints, channels of BVH, up to three hinges.

A group is a ball joint, a floating joint, the channels of a BVH joint, or up to three hinges in a row whose
axes meet in one point.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbik.errors import (
    ConfigurationError,
    LimbikError,
    ModelError,
    did_you_mean,
    is_one_of,
    members_of,
    shortened,
)
from limbik.formats.bvh_model import is_between_channels
from limbik.formats.motions import Motion
from limbik.model import Joint, JointKind, Model
from limbik.model.joints import HINGES
from limbik.model.slots import Slot
from limbik.motion.batches import hinge_angles
from limbik.motion.hinge_angles import MAX_HINGES
from limbik.spatial import (
    ROTATION_TOLERANCE,
    Array,
    Matrix3,
    as_numbers,
    common_shape,
    cross,
    norm,
    quat_from_matrix,
    quat_to_matrix,
    rotation_exp,
)

TURNING = (JointKind.BALL, JointKind.FLOATING)
MEETING = 1e-6  # [m] how far axes may pass by each other


@dataclass(frozen=True, eq=False)
class LinkJoints:
    """What moves a link against its parent. At rest all of its part of q is 0."""

    link: str
    parent: str  # the link before it
    joints: tuple[Joint, ...]
    rest: Matrix3  # rotation_parent_link at rest
    axes: Array  # [n, 3] of the hinges, along the axes of the parent, at rest
    center: Array  # [3] the point that all hinges turn about, in axes of the link [m]
    offset: Array  # [3] position of the link in the parent at rest [m]
    slides: Array  # [m, 3] directions of the prismatic joints, along the axes of the parent
    hinge_indices: NDArray[np.intp]  # [n] in q
    slide_indices: NDArray[np.intp]  # [m] in q
    quaternion: slice | None  # in q, of a ball or floating joint

    @property
    def freedom(self) -> int:
        """How many degrees of freedom it turns with."""
        return MAX_HINGES if self.quaternion is not None else len(self.axes)

    def rotation_at(self, q: Array) -> Matrix3:
        """Rotations [T, 3, 3] of the link in axes of its parent at q [T, nq]."""
        if self.quaternion is not None:
            return np.asarray(self.rest @ quat_to_matrix(q[:, self.quaternion]))
        turned = self.rest
        for axis, index in zip(self.axes[::-1], self.hinge_indices[::-1], strict=True):
            turned = rotation_exp(axis * q[:, index, None]) @ turned
        return np.broadcast_to(turned, (len(q), 3, 3))


class Articulation:
    """The groups of a model.

    skeleton: a motion or a model. bones: links at which a group ends in any case; default: of a motion from
    BVH its links, of any other model hinges are taken together from the root on, wherever their axes meet
    and nothing else hangs between them.

    Raises ModelError for an unknown link.
    """

    model: Model
    links: tuple[str, ...]  # the link of each group, parents first
    groups: tuple[LinkJoints, ...]

    def __init__(self, skeleton: Model | Motion, bones: Iterable[str] = ()) -> None:
        model = skeleton.model if isinstance(skeleton, Motion) else skeleton
        if not isinstance(model, Model):
            raise ModelError(f"skeleton needs a Motion or a Model, found {shortened(skeleton)}")
        ends = {
            model.frame(name).link
            for name in members_of(bones, "bones", ModelError, "a list of links", any_order=True)
        }
        if any(is_between_channels(joint.child) for joint in model.joints):
            ends |= {joint.child for joint in model.joints if not is_between_channels(joint.child)}
        self.model = model
        self.groups = _groups(model, frozenset(ends))
        self.links = tuple(group.link for group in self.groups)
        self._indices = {link: k for k, link in enumerate(self.links)}

    def group(self, link: str) -> LinkJoints:
        """The group that moves a link. Raises ModelError where none ends at it."""
        try:
            return self.groups[self._indices[link]]
        except (KeyError, TypeError):
            hint = did_you_mean(link, self.links)
            raise ModelError(
                f"model {self.model.name!r}: no group of joints ends at link {shortened(link)}; {hint}"
            ) from None

    def rotations_of(self, q: ArrayLike) -> Array:
        """Rotations [..., L, 3, 3] of all links, each in axes of the link before it, at q [..., nq]."""
        poses = self.model.forward(q)
        names = self.model.frame_names
        links = [names.index(group.link) for group in self.groups]
        parents = [names.index(group.parent) for group in self.groups]
        turned = poses[..., parents, :3, :3]
        return np.asarray(np.swapaxes(turned, -1, -2) @ poses[..., links, :3, :3])

    def q_with(
        self, q: ArrayLike, link: str, rotation: ArrayLike, axes: Literal["parent", "world"] = "parent"
    ) -> Array:
        """q [..., nq] in which the group of a link makes a rotation [..., 3, 3].

        rotation: of the link in axes of the link before it, or of the world.

        A ball joint and three hinges make it exactly, whatever their axes where these can; of the angles that
        make the same, those nearest to the given q, in gimbal lock as well. Fewer hinges come as near as they
        can, and so do limits. Nothing else in q changes.

        Raises ConfigurationError for what is no rotation, ModelError for a link without a group and for one
        with a mimic rule.
        """
        if not is_one_of(axes, ("parent", "world")):
            raise ModelError(f"axes needs 'parent' or 'world', found {shortened(axes)}")
        group = self.group(link)
        start = self.model.integrate(q, np.zeros(self.model.nv))  # checked, with unit quaternions
        wanted = as_rotations(rotation, "rotation matrices [..., 3, 3]", ConfigurationError)
        shapes = {"q": start.shape[:-1], "rotation": wanted.shape[:-2]}
        lead = common_shape(shapes, ConfigurationError)
        if axes == "world":
            parent = self.model.pose(start, group.parent)[..., :3, :3]
            wanted = np.swapaxes(parent, -1, -2) @ wanted
        out = np.array(np.broadcast_to(start, (*lead, self.model.nq)))
        rows = out.reshape(-1, self.model.nq)
        turned = np.broadcast_to(wanted, (*lead, 3, 3)).reshape(-1, 3, 3)
        put(self.model, group, rows, turned)
        return rows.reshape(out.shape)


def put(model: Model, group: LinkJoints, q: Array, rotation: Matrix3) -> None:
    """Write into q [T, nq] what makes rotations [T, 3, 3] of a group's link in axes of its parent."""
    if any(joint.mimic for joint in group.joints):
        raise ModelError(
            f"the joints of link {group.link!r} follow others, so that it cannot be turned alone"
        )
    if group.quaternion is not None:
        before = q[:, group.quaternion]
        turn = quat_from_matrix(group.rest.T @ rotation)
        turn = np.where((turn * before).sum(axis=-1, keepdims=True) < 0.0, -turn, turn)
        if group.joints[-1].has_limits:
            trial = q.copy()
            trial[:, group.quaternion] = turn
            turn = model.clip(trial)[:, group.quaternion]
        q[:, group.quaternion] = turn
    elif len(group.axes):
        indices = group.hinge_indices
        turn = quat_from_matrix(rotation @ group.rest.T)
        lower, upper = model.lower[indices], model.upper[indices]
        q[:, indices] = hinge_angles(group.axes, turn, q[:, indices], lower, upper)


def as_rotations(rotation: ArrayLike, needed: str, error: type[LimbikError]) -> Array:
    """Rotation matrices [..., 3, 3]; anything else raises `error`."""
    matrices = as_numbers(rotation, "rotation", needed, error)
    if matrices.shape[-2:] != (3, 3):
        raise error(f"rotation needs {needed}, found shape {matrices.shape}")
    with np.errstate(over="ignore", invalid="ignore"):
        deviation = np.abs(np.swapaxes(matrices, -1, -2) @ matrices - np.eye(3)).max(initial=0.0)
        is_mirrored = np.linalg.det(matrices) < 0.0
    if not deviation < ROTATION_TOLERANCE or is_mirrored.any():
        raise error(
            f"rotation needs {needed}; one of them is not orthonormal or a mirror image: R^T R differs from "
            f"the identity by {deviation:.2g}"
        )
    return matrices


# --- which joints belong together ---------------------------------------------------------------------------


# By the links where they end in any case.
_GROUPS: Slot[dict[frozenset[str], tuple[LinkJoints, ...]]] = Slot()


def _groups(model: Model, ends: frozenset[str]) -> tuple[LinkJoints, ...]:
    """The groups of a model, found once."""
    known = _GROUPS.of(model, dict)
    if ends not in known:
        known[ends] = tuple(_group(model, joints) for joints in _grouped(model, ends))
    return known[ends]


def _grouped(model: Model, ends: frozenset[str]) -> Iterator[list[Joint]]:
    """The joints of each group, in the order of the links that they end at."""
    children: dict[str, int] = {}
    for joint in model.joints:
        children[joint.parent] = children.get(joint.parent, 0) + 1
    open_groups: dict[str, list[Joint]] = {}  # by the link that a group ends at so far
    for joint in model.joints:
        before = open_groups.get(joint.parent)
        if before and joint.parent not in ends and children[joint.parent] == 1 and _belongs(before, joint):
            del open_groups[joint.parent]
            open_groups[joint.child] = [*before, joint]
        else:
            open_groups[joint.child] = [joint]
    for link, joints in open_groups.items():
        if link in ends or any(joint.kind is not JointKind.FIXED for joint in joints):
            yield joints


def _belongs(before: list[Joint], joint: Joint) -> bool:
    """Whether a joint goes on a group: slides first, then a ball joint or hinges that meet."""
    if joint.kind is JointKind.BALL and not joint.origin[:3, 3].any():
        return all(each.kind is JointKind.PRISMATIC for each in before)
    if any(each.kind in TURNING for each in [*before, joint]) or before[-1].kind is JointKind.FIXED:
        return False
    hinges = [each for each in before if each.kind in HINGES]
    if joint.kind is JointKind.PRISMATIC:
        return not hinges
    if joint.kind not in HINGES or len(hinges) == MAX_HINGES:
        return False
    return not hinges or _meeting_point([*before, joint])[1] <= MEETING


def _at_rest(joints: list[Joint]) -> list[Array]:
    """The frame of each joint in the parent of the first, while all are at 0."""
    frames, pose = [], np.eye(4)
    for joint in joints:
        pose = pose @ joint.origin
        frames.append(pose)
    return frames


def _meeting_point(joints: list[Joint]) -> tuple[Array, float]:
    """The point nearest to the axes of all hinges, and its greatest distance from one [m]; of one hinge the
    origin of its frame."""
    frames = _at_rest(joints)
    lines = [
        (frame[:3, 3], frame[:3, :3] @ joint.axis)
        for frame, joint in zip(frames, joints, strict=True)
        if joint.kind in HINGES
    ]
    start = lines[-1][0]
    across = [np.eye(3) - np.outer(axis, axis) for _, axis in lines]
    rows = np.concatenate(across)
    beside = np.concatenate([part @ (point - start) for part, (point, _) in zip(across, lines, strict=True)])
    point = start + np.linalg.lstsq(rows, beside, rcond=1e-9)[0]
    return point, max(float(norm(cross(point - origin, axis))) for origin, axis in lines)


def _group(model: Model, joints: list[Joint]) -> LinkJoints:
    frames = _at_rest(joints)
    last = frames[-1]
    of_kind = {
        kind: [k for k, joint in enumerate(joints) if joint.kind in kinds]
        for kind, kinds in (("hinges", HINGES), ("slides", (JointKind.PRISMATIC,)))
    }
    directions = [frame[:3, :3] @ joint.axis for frame, joint in zip(frames, joints, strict=True)]
    point = _meeting_point(joints)[0] if of_kind["hinges"] else last[:3, 3]
    turning = joints[-1].kind in TURNING
    span = model.q_slice(joints[-1].name) if turning else slice(0)

    def indices(kind: str) -> NDArray[np.intp]:
        return np.array([model.q_slice(joints[k].name).start for k in of_kind[kind]], dtype=np.intp)

    return LinkJoints(
        link=joints[-1].child,
        parent=joints[0].parent,
        joints=tuple(joints),
        rest=last[:3, :3],
        axes=np.array([directions[k] for k in of_kind["hinges"]]).reshape(-1, 3),
        center=last[:3, :3].T @ (point - last[:3, 3]),
        offset=last[:3, 3],
        slides=np.array([directions[k] for k in of_kind["slides"]]).reshape(-1, 3),
        hinge_indices=indices("hinges"),
        slide_indices=indices("slides"),
        quaternion=slice(span.stop - 4, span.stop) if turning else None,
    )
