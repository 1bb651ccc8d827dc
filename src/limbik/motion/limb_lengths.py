"""`fit_limb_lengths`: gives bones one length over a motion, and keeps hands and feet where they were."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from limbik.deprecated import renamed
from limbik.errors import ModelError, did_you_mean, mapping_of, members_of, shortened
from limbik.formats.bvh import BvhJoint
from limbik.formats.bvh_model import model_of
from limbik.formats.motions import Motion
from limbik.goals import Goal, Orientation, Position
from limbik.model import Model
from limbik.model.joints import FARTHEST
from limbik.motion.body.body_root import hands_and_feet, root_links
from limbik.motion.body.humanoid import humanoid
from limbik.motion.body.roles import SIDES
from limbik.solvers.stepper import Stepper
from limbik.spatial import Array, as_number, check_flag, norm
from limbik.tree.residuals import TARGET_SIZE

# Weights of squared errors [m and rad].
HOLD, HOLD_TURN = 10.0, 1.0
ROOT = 1.0
TURN = 0.3


@dataclass(frozen=True)
class BoneLength:
    """The bone from a link's parent to the link."""

    link: str
    min_m: float  # in the motion that was passed
    max_m: float
    length_m: float  # now, in all frames

    least_m = renamed("least_m", "min_m")
    most_m = renamed("most_m", "max_m")


@dataclass(frozen=True)
class FrameDeviation:
    """How far a frame is from where it was."""

    frame: str
    unsolved_mm: float  # mean, with the new bones and the old angles
    mean_mm: float  # with the new angles
    peak_mm: float


@dataclass(frozen=True, eq=False)
class FittedLimbs:
    """A motion with bones of constant lengths, and what that took."""

    motion: Motion
    bones: tuple[BoneLength, ...]  # of all links but roots
    deviations: tuple[FrameDeviation, ...]  # of hands and feet

    kept = renamed("kept", "deviations")

    def __str__(self) -> str:
        changed = sum(bone.max_m - bone.min_m > 1e-6 for bone in self.bones)
        said = f"{changed} of {len(self.bones)} bones varied in length"
        if not self.deviations:
            return said
        mean = np.mean([each.mean_mm for each in self.deviations])
        before = np.mean([each.unsolved_mm for each in self.deviations])
        now = f"hands and feet are {mean:.1f} mm from where they were"
        return f"{said}; {now}, {before:.1f} mm without new angles"


def fit_limb_lengths(
    motion: Motion,
    *,
    lengths: Mapping[str, float] | None = None,
    symmetric: bool = False,
    keep: Iterable[str] | None = None,
) -> FittedLimbs:
    """A motion in which every bone has one length, and hands and feet stay where they were.

        fitted = limbik.motion.fit_limb_lengths(limbik.load_motion("solved.bvh"), symmetric=True)
        fitted.motion.save("rigid.bvh")

    A bone goes from a joint of the BVH to the next one. Its length is the median of what position channels of
    its joint make of it over time, its direction that of the median position; it is written as the offset of
    the joint, which has no position channels any more. Roots keep theirs, and so do hips on a root of their
    own.

    Then each frame is solved again, as the smallest weighted error (`solve(..., mode="best")`) of these
    goals: what is held stays where it is, with its orientation; roots stay at theirs; all bones turn as
    before. They weigh 10 and 1, 1 and 0.3 per metre and radian. Each frame is solved from the angles that it
    had.

    lengths: of bones in metres, by the link at their end, instead of the median: {"LeftLeg": 0.43} is that
    of the left thigh.
    symmetric: bones that `limbik.humanoid` finds on both sides get the mean of both lengths; those in
    `lengths` keep what is given.
    keep: frames that stay; default: hands and feet of a humanoid, of other skeletons all links at an end.

    Raises ModelError for a motion that is not from BVH, an unknown link, a length that is not positive or is
    that of a bone without direction, and, if `symmetric`, for a skeleton that is no humanoid.
    """
    if not isinstance(motion, Motion) or motion.hierarchy is None:
        raise ModelError("fit_limb_lengths needs a motion from BVH, whose bones have offsets that can change")
    roots = root_links(motion)
    offsets = _offsets(motion, motion.hierarchy, roots)
    medians = {link: float(np.median(norm(over_time))) for link, over_time in offsets.items()}
    wanted = dict(medians)
    check_flag(symmetric, "symmetric", ModelError)
    if symmetric:
        wanted |= _symmetric(motion, medians)
    wanted |= _requested({} if lengths is None else lengths, medians)
    hierarchy = tuple(_refitted(joint, offsets, wanted, motion.metres) for joint in motion.hierarchy)
    model = model_of(hierarchy, motion.metres, "fitted")
    held_frames = _held(motion, keep)
    start = np.concatenate(
        [motion.q[:, motion.model.q_slice(joint.name)] for joint in model.joints if joint.nq], axis=1
    )
    q = _solved(motion, model, start, held_frames, roots)
    return FittedLimbs(
        replace(motion, model=model, q=q, hierarchy=hierarchy),
        tuple(
            BoneLength(link, float(norm(moves).min()), float(norm(moves).max()), wanted[link])
            for link, moves in offsets.items()
        ),
        tuple(_compared(motion, model, start, q, held_frames)),
    )


# --- lengths ------------------------------------------------------------------------------------------------


def _offsets(motion: Motion, hierarchy: Sequence[BvhJoint], roots: Collection[str]) -> dict[str, Array]:
    """From each link's parent to the link, but for roots, in axes of the parent [T, 3] [m]."""
    offsets = {}
    for joint in hierarchy:
        if not joint.is_end and joint.name not in roots:
            offset = np.tile(motion.metres * np.array(joint.offset), (len(motion), 1))
            for axis, letter in enumerate("XYZ"):
                if f"{letter}position" in joint.channels:
                    offset[:, axis] = motion.q[
                        :, motion.model.q_slice(f"{joint.name}.{letter}position").start
                    ]
            offsets[joint.name] = offset
    return offsets


def _symmetric(motion: Motion, medians: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """The mean length of bones on both sides."""
    frames = humanoid(motion).frames
    for part in (role.removeprefix(SIDES[0]) for role in frames if role.startswith(SIDES[0])):
        pair = [frames[side + part] for side in SIDES if side + part in frames]
        if len(pair) == 2 and all(link in medians for link in pair):
            yield from ((link, 0.5 * sum(medians[each] for each in pair)) for link in pair)


def _requested(lengths: Mapping[str, float], medians: Mapping[str, float]) -> dict[str, float]:
    lengths_by_link = {}
    for link, length in mapping_of(lengths, "lengths", ModelError, "a mapping of links to metres").items():
        if link not in medians:
            hint = did_you_mean(link, tuple(medians))
            raise ModelError(f"lengths: there is no bone that ends at {shortened(link)}; {hint}")
        needed = f"a positive number of metres, up to {FARTHEST:g}"
        lengths_by_link[link] = as_number(length, f"lengths[{link!r}]", needed, ModelError)
        if not 0.0 < lengths_by_link[link] <= FARTHEST:
            raise ModelError(f"lengths[{link!r}] needs {needed}, found {lengths_by_link[link]:g}")
        if not medians[link]:
            raise ModelError(f"lengths[{link!r}]: this bone has no direction, since its length is 0")
    return lengths_by_link


def _refitted(
    joint: BvhJoint, offsets: Mapping[str, Array], lengths: Mapping[str, float], metres: float
) -> BvhJoint:
    """A joint with a constant offset, in the file's unit."""
    if joint.is_end or joint.name not in offsets:
        return joint
    median = np.median(offsets[joint.name], axis=0)
    size = float(norm(median))
    if size > 0.0 and abs(size - lengths[joint.name]) > 1e-12:
        median *= lengths[joint.name] / size
    elif all(f"{letter}position" not in joint.channels for letter in "XYZ"):
        return joint
    offset = tuple((median / metres).tolist())
    channels = tuple(channel for channel in joint.channels if channel.endswith("rotation"))
    return replace(joint, offset=offset, channels=channels)


# --- angles -------------------------------------------------------------------------------------------------


def _held(motion: Motion, keep: Iterable[str] | None) -> list[str]:
    """The frames that stay where they are."""
    if keep is not None:
        return [
            motion.model.frame(name).name
            for name in members_of(keep, "keep", ModelError, "a list of frames", any_order=True)
        ]
    return hands_and_feet(motion)


def _solved(
    motion: Motion, model: Model, start: Array, frames: Sequence[str], roots: Collection[str]
) -> Array:
    """Configurations [T, nq] of a model, whose joints the motion's model has, too."""
    goals: list[Goal] = []
    columns: list[Array] = []

    def follow(frame: str, weight: float, turn: float) -> None:
        poses = motion.model.pose(motion.q, frame)
        targets = np.zeros((2, len(motion), TARGET_SIZE))
        targets[0, :, :3], targets[0, :, 3:] = poses[:, :3, 3], np.eye(3).ravel()
        targets[1, :, 3:] = poses[:, :3, :3].reshape(-1, 9)
        if weight:
            goals.append(Position(frame=frame, target=poses[0, :3, 3], weight=weight))
            columns.append(targets[0])
        goals.append(Orientation(frame=frame, target=poses[0, :3, :3], weight=turn))
        columns.append(targets[1])

    for frame in frames:
        follow(frame, HOLD, HOLD_TURN)
    for link in motion.links:
        if link not in frames and any(joint.nv for joint in model.path(link)):
            follow(link, ROOT if link in roots else 0.0, TURN)
    plan = Stepper(model, goals)
    over_time = np.stack(columns, axis=1)
    return np.stack([plan.step(wanted, q) for wanted, q in zip(over_time, start, strict=True)])


def _compared(
    motion: Motion, model: Model, start: Array, q: Array, frames: Sequence[str]
) -> Iterator[FrameDeviation]:
    for frame in frames:
        before = motion.model.pose(motion.q, frame)[:, :3, 3]
        unsolved, solved = (1e3 * norm(model.pose(each, frame)[:, :3, 3] - before) for each in (start, q))
        yield FrameDeviation(frame, float(unsolved.mean()), float(solved.mean()), float(solved.max()))
