"""The fingers of any model of a hand, and the axes of its palm, found by names or by structure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from limbik.errors import ModelError, did_you_mean, is_one_of, mapping_of, shortened
from limbik.model import JointKind, Model
from limbik.model.joints import SCALAR
from limbik.motion.body.roles import SIDES, Side
from limbik.motion.hands.layouts import CHAINS, FINGER_NAMES
from limbik.motion.hands.palm import palm_pose
from limbik.spatial import Array, Matrix3, norm, unit

SAME = 3e-3  # [m] joints that are so near to each other are one
KNUCKLES = ("Index", "Middle", "Little")  # that span a palm
BONES = 3  # of a finger, counted from the tip
FEWEST, MAX = 3, 5  # fingers, with the thumb


@dataclass(frozen=True, eq=False)
class Finger:
    """A finger of a model, at its neutral configuration."""

    tip: str
    frames: tuple[str, ...]  # where its bones begin, from the palm on, at most three
    root: Array  # [3, m] where the first of them is
    length: float  # [m] of these bones together


@dataclass(frozen=True, eq=False)
class Fingers:
    """The fingers of a model."""

    of: Mapping[str, Finger]  # by name: "Thumb", "Index", ...
    palm: Matrix3  # axes of the palm in the world
    side: Side


def fingers_of(model: Model, tips: Mapping[str, str] | None = None) -> Fingers:
    """The fingers of a model at its neutral configuration, in which they are stretched.

    tips: frames of the tips by the names of fingers; default: those of a model of `Hand.model` by name; of
    others the ends of the branches, of which the thumb is the one that points elsewhere, and the finger
    beside it is the index. The side is then where the thumb is while the fingers bend toward the palm.

    Raises ModelError for what has not three to five fingers with a thumb among them.
    """
    named = _named_side(model)
    if tips is None:
        tips = {name: f"{named}{name}Tip" for name in FINGER_NAMES} if named else _tips_of(model)
    for name in mapping_of(tips, "tips", ModelError, "frames by finger, such as {'Thumb': 'thumb_tip'}"):
        if not is_one_of(name, FINGER_NAMES):
            raise ModelError(f"there is no finger {shortened(name)}; {did_you_mean(name, FINGER_NAMES)}")
    if "Thumb" not in tips or not FEWEST <= len(tips) <= MAX:
        raise ModelError(f"tips needs a thumb and two to four fingers, found {', '.join(tips) or 'none'}")
    fingers = {name: _finger(model, tips[name]) for name in FINGER_NAMES if name in tips}
    if named:
        roles = [named + name for name in ("Wrist", *(f"{finger}Proximal" for finger in KNUCKLES))]
        wrist, index, middle, little = model.poses(model.neutral, roles)[:, :3, 3]
        return Fingers(fingers, palm_pose(wrist, index, middle, little, named)[:3, :3], named)
    return Fingers(fingers, *_palm(model, fingers))


def _named_side(model: Model) -> Side | None:
    """The side of a model whose frames are called as those of `Hand.model`."""
    for side in SIDES:
        if all(side + name in model.frame_names for chain in CHAINS.values() for name in chain):
            return side
    return None


def _finger(model: Model, tip: str) -> Finger:
    frame = model.frame(tip)
    here = model.pose(model.neutral, frame.name)[:3, 3]
    end, length = here, 0.0
    frames: list[str] = []
    for joint in reversed(model.path(frame.name)):
        if not joint.nv or len(frames) == BONES:
            continue
        position = model.pose(model.neutral, joint.child)[:3, 3]
        away = float(norm(end - position))
        if away > SAME:
            frames.insert(0, joint.child)
            length += away
            end = position
    if len(frames) < 2:
        raise ModelError(f"finger {tip!r} needs two bones at least, found {len(frames)}")
    return Finger(frame.name, tuple(frames), end, length)


def _tips_of(model: Model) -> dict[str, str]:
    """The tips of the branches by the names of fingers."""
    ends = [_end(model, links) for links in _branches(model)]
    if not FEWEST <= len(ends) <= MAX:
        raise ModelError(
            f"model {model.name!r} needs three to five fingers, found {len(ends)} branches with two bones or "
            "more; `tips` says which frames they are"
        )
    fingers = [_finger(model, tip) for tip in ends]
    positions = model.poses(model.neutral, ends)[:, :3, 3]
    directions = unit(positions - [each.root for each in fingers])
    likeness = (directions @ directions.T).sum(axis=1)
    thumb = int(np.argmin(likeness))
    others = [k for k in range(len(ends)) if k != thumb]
    beside = _middle_of(fingers[thumb].root, positions[thumb])
    others.sort(key=lambda k: float(norm(fingers[k].root - beside)))
    names = [name for name in FINGER_NAMES if name != "Thumb"]
    return {"Thumb": ends[thumb], **{name: ends[k] for name, k in zip(names, others, strict=False)}}


def _middle_of(a: Array, b: Array) -> Array:
    return np.asarray(0.5 * (a + b))


def _branches(model: Model) -> list[list[str]]:
    """The links that each finger has for itself, of every branch with two joints or more."""
    moving = [joint for joint in model.joints if joint.kind is not JointKind.FIXED]
    leaves = [joint for joint in moving if not _carries(model, joint.child)]
    paths = [[each.child for each in model.path(joint.child) if each.nv] for joint in leaves]
    shared = {link for path in paths for link in path if sum(link in other for other in paths) > 1}
    own = [[link for link in path if link not in shared] for path in paths]
    return [links for links in own if len(links) > 1]


def _carries(model: Model, link: str) -> bool:
    """Whether a link has others after it that move."""
    others = (joint.child for joint in model.joints if joint.nv and joint.child != link)
    return any(_is_before(model, link, other) for other in others)


def _is_before(model: Model, link: str, other: str) -> bool:
    return any(joint.child == link for joint in model.path(other))


def _end(model: Model, links: list[str]) -> str:
    """The frame farthest from the last joint of a finger."""
    last = model.pose(model.neutral, links[-1])[:3, 3]
    names = [name for name in model.frame_names if name == links[-1] or _is_before(model, links[-1], name)]
    positions = model.poses(model.neutral, names)[:, :3, 3]
    return names[int(np.argmax(norm(positions - last)))]


def _palm(model: Model, fingers: Mapping[str, Finger]) -> tuple[Matrix3, Side]:
    """The axes of the palm, and the side: fingers are stretched along x, and bend toward -z."""
    names = [name for name in fingers if name != "Thumb"]
    tips = [fingers[name].tip for name in names]
    roots = np.array([fingers[name].root for name in names])
    positions = model.poses(model.neutral, tips)[:, :3, 3]
    x = unit(unit(positions - roots).sum(axis=0))
    bent = model.neutral.copy()
    limited = np.zeros(model.nq, dtype=bool)
    for joint in model.joints:
        if joint.kind in SCALAR:  # not the quaternion of a base, whose numbers have bounds, too
            span = model.q_slice(joint.name)
            limited[span] = np.isfinite(model.lower[span]) & np.isfinite(model.upper[span])
    bent[limited] = 0.5 * (model.lower[limited] + model.upper[limited])
    toward = (model.poses(bent, tips)[:, :3, 3] - positions).sum(axis=0)
    across = roots[0] - roots[-1]  # toward the index
    z = np.cross(x, across)
    if norm(z) < SAME or norm(toward) < SAME:
        raise ModelError(f"model {model.name!r} needs fingers that stand side by side and bend")
    z = -np.copysign(1.0, z @ toward) * unit(z)
    y = np.cross(z, x)
    return np.column_stack([x, y, z]), "right" if y @ across > 0.0 else "left"
