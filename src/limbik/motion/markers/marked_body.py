"""A skeleton with markers on its links, whose bone lengths and marker offsets are parameters to fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from limbik.errors import ConfigurationError, ModelError, shortened
from limbik.formats.base_joint import based
from limbik.formats.bvh import BvhJoint
from limbik.formats.bvh_model import model_of
from limbik.formats.motions import Motion, Up
from limbik.goals import Orientation, Position
from limbik.model import Frame, Joint, JointKind, Model
from limbik.motion.body.body_root import root_links
from limbik.spatial import Array, Matrix3, as_numbers, norm, pose_from

SHORTEST = 1e-6  # [m] of a bone that can be scaled
FREEDOM = 6  # of the first link that goes anywhere

MarkerSet = Mapping[str, str | tuple[str, ArrayLike]]


class MarkedBody:
    """The joints that move markers, and where the markers are on their links.

    A bone is the offset of a joint in its parent; it has the name of the joint.
    """

    skeleton: Model | Motion
    links: tuple[str, ...]  # [M] of each marker
    bones: tuple[str, ...]  # [B]
    model: Model  # at scale 1, without markers
    start: Array  # [nq] of the model

    def __init__(self, skeleton: Model | Motion, links: tuple[str, ...]) -> None:
        self.skeleton, self.links = _movable(skeleton), links
        whole = _model(self.skeleton)
        on_paths = {joint.name for link in links for joint in whole.path(link)}
        joints = [joint for joint in whole.joints if joint.name in on_paths]
        self.model = Model("marked", joints, root=whole.root)
        self._whole_start = (
            self.skeleton.q[0] if isinstance(self.skeleton, Motion) else np.asarray(whole.neutral)
        )
        self._columns = np.concatenate(
            [np.arange(whole.nq)[whole.q_slice(joint.name)] for joint in joints if joint.nq]
        )
        self.start = self._whole_start[self._columns]
        self.bones = tuple(joint.name for joint in joints if self._is_bone(joint))

    @property
    def base(self) -> str:
        """The first link that goes anywhere.

        Raises ModelError where there is none.
        """
        for joint in self.model.joints:
            if sum(each.nv for each in self.model.path(joint.child)) >= FREEDOM:
                return joint.child
        raise ModelError(f"model {_model(self.skeleton).name!r} has no link that can go anywhere")

    def _is_bone(self, joint: Joint) -> bool:
        moves = joint.parent != self.model.root and any(each.nv for each in self.model.path(joint.parent))
        return moves and float(norm(joint.origin[:3, 3])) > SHORTEST

    def middles(self) -> Array:
        """[M, 3] a first guess for the markers: halfway along the bones that begin at their links [m]."""
        whole = _model(self.skeleton)
        return np.array([_middle(whole, link) for link in self.links])

    def marked(self, scales: Array, offsets: Array) -> Model:
        """The model with bones scaled by [B], and markers at [M, 3] on their links as frames "marker 0" and
        so on."""
        factors = dict(zip(self.bones, scales.tolist(), strict=True))
        frames = [
            Frame(name=name, link=link, pose_link_frame=pose_from(translation=offset))
            for name, link, offset in zip(self.names, self.links, offsets, strict=True)
        ]
        joints = [_scaled(joint, factors.get(joint.name, 1.0)) for joint in self.model.joints]
        return Model("marked", joints, frames, root=self.model.root)

    @property
    def names(self) -> tuple[str, ...]:
        """[M] the frames of the markers."""
        return tuple(f"marker {k}" for k in range(len(self.links)))

    def directions(self, model: Model, q: Array) -> Array:
        """[T, M, 3, B] how the positions of markers change with the scales of bones, at q [T, nq]."""
        directions = np.zeros((len(q), len(self.links), 3, len(self.bones)))
        paths = [{joint.name for joint in model.path(link)} for link in self.links]
        for index, name in enumerate(self.bones):
            joint = self.model.joint(name)
            direction = model.pose(q, joint.parent)[:, :3, :3] @ joint.origin[:3, 3]
            on_it = np.array([name in path for path in paths])
            directions[..., index][:, on_it] = direction[:, None]
        return directions

    def placed(self, model: Model, rotation: Matrix3, displacement: Array) -> Array:
        """A configuration [nq] like the start, with its points x at rotation x + displacement."""
        base = self.base
        pose = model.pose(self.start, base)
        goals: Any = [
            Position(frame=base, target=rotation @ pose[:3, 3] + displacement),
            Orientation(frame=base, target=rotation @ pose[:3, :3]),
        ]
        return np.asarray(model.solve(goals, start=self.start).q)

    def motion(self, scales: Array, q: Array, dt: float, up: Up) -> Motion:
        """The motion of the whole skeleton, with bones scaled by [B], at q [T, nq] of the marked model.

        Bones that move no marker are scaled by the median.
        """
        factors = dict(zip(self.bones, scales.tolist(), strict=True))
        usual = float(np.median(scales)) if len(scales) else 1.0
        over_time = np.tile(self._whole_start, (len(q), 1))
        over_time[:, self._columns] = q
        if isinstance(self.skeleton, Model):
            return Motion(_scaled_model(self.skeleton, factors, usual), over_time, dt, up)
        hierarchy = tuple(_scaled_hierarchy(self.skeleton, factors, usual))
        model = model_of(hierarchy, self.skeleton.metres, "solved")
        return replace(self.skeleton, model=model, q=over_time, dt=dt, up=up, hierarchy=hierarchy)


def _scaled_model(model: Model, factors: Mapping[str, float], usual: float) -> Model:
    """The model with bones scaled by the factors of their joints; those without, and frames, by the usual."""
    joints = [
        joint if joint.parent == model.root else _scaled(joint, factors.get(joint.name, usual))
        for joint in model.joints
    ]
    frames = [
        replace(frame, pose_link_frame=_with_position(frame.pose_link_frame, usual))
        for frame in model.frames[len(model.joints) + 1 :]
    ]
    end = model.end_effector
    return Model(model.name, joints, frames, masses=model.masses, root=model.root, end_effector=end)


def _scaled_hierarchy(motion: Motion, factors: Mapping[str, float], usual: float) -> Iterator[BvhJoint]:
    """Likewise of a BVH, whose joints have become several, of which the first has the bone."""
    first: dict[str, str] = {}
    for joint in motion.model.joints:
        name = joint.child if joint.child in motion.links else joint.child.rpartition(".")[0]
        first.setdefault(name, joint.name)
    for bone in motion.hierarchy or ():
        factor = usual if bone.is_end else factors.get(first[bone.name], usual)
        x, y, z = bone.offset
        yield bone if bone.parent < 0 else replace(bone, offset=(factor * x, factor * y, factor * z))


def marker_links(skeleton: Model | Motion, marker_set: MarkerSet) -> Iterator[tuple[str, str, Array | None]]:
    """Marker, link and its offset on it [3] [m], None where there is none.

    Raises ModelError for an unknown link and for what is no offset.
    """
    if not isinstance(marker_set, Mapping) or not marker_set:
        raise ModelError(f"marker_set needs a mapping of markers to links, found {shortened(marker_set)}")
    model = _model(skeleton)
    for marker, spec in marker_set.items():
        if not isinstance(spec, str) and not (isinstance(spec, tuple | list) and len(spec) == 2):
            raise ModelError(f"marker {marker!r} needs a link, or link and position, found {shortened(spec)}")
        link, offset = (spec, None) if isinstance(spec, str) else spec
        frame = model.frame(link)
        on_link = None
        if offset is not None:
            needed = "3 numbers [m]"
            on_link = as_numbers(offset, f"the position of marker {marker!r}", needed, ConfigurationError)
            if on_link.shape != (3,) or not np.isfinite(on_link).all():
                raise ConfigurationError(f"the position of marker {marker!r} needs {needed}")
            on_link = frame.pose_link_frame[:3, :3] @ on_link + frame.pose_link_frame[:3, 3]
        yield marker, frame.link, on_link


def _model(skeleton: Model | Motion) -> Model:
    model = skeleton.model if isinstance(skeleton, Motion) else skeleton
    if not isinstance(model, Model):
        raise ModelError(f"skeleton needs a Model or a Motion, found {shortened(skeleton)}")
    return model


def _is_free(model: Model) -> bool:
    """Whether a link goes anywhere: by a floating joint, or by prismatic and revolute joints."""
    for joint in model.joints:
        path = model.path(joint.child)
        slides = [each for each in path if each.kind is JointKind.PRISMATIC]
        if joint.kind is JointKind.FLOATING or (len(slides) >= 3 and sum(j.nv for j in path) >= FREEDOM):
            return True
    return False


def _movable(skeleton: Model | Motion) -> Model | Motion:
    """A skeleton that goes anywhere, whose bones have one length."""
    if isinstance(skeleton, Model):
        return skeleton if _is_free(skeleton) else based(skeleton, "floating")
    if skeleton.hierarchy is None:
        return _movable(skeleton.model)
    roots = root_links(skeleton)
    if any(
        joint.name not in roots and any(channel.endswith("position") for channel in joint.channels)
        for joint in skeleton.hierarchy
    ):
        raise ModelError("the bones of this skeleton vary in length: fit_limb_lengths gives them one each")
    return skeleton


def _middle(model: Model, link: str) -> Array:
    offsets = [joint.origin[:3, 3] for joint in model.joints if joint.parent == link]
    offsets += [frame.pose_link_frame[:3, 3] for frame in model.frames if frame.link == link]
    long = [offset for offset in offsets if float(norm(offset)) > SHORTEST]
    return np.asarray(0.5 * np.mean(long, axis=0)) if long else np.zeros(3)


def _scaled(joint: Joint, factor: float) -> Joint:
    return replace(joint, origin=_with_position(joint.origin, factor))


def _with_position(pose: Array, factor: float) -> Array:
    scaled = np.array(pose)
    scaled[:3, 3] *= factor
    return scaled
