"""`Hand`: the joints of a tracked hand, for one frame or many: from WebXR, OpenXR, MediaPipe or a model, and
solved for the configurations of a hand model.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from limbik.errors import GoalError, ModelError, did_you_mean, is_one_of, shortened
from limbik.model import Model
from limbik.model.model import as_model
from limbik.motion.body.roles import SIDES, Side
from limbik.motion.hands.doubts import Doubts, reach_of, without_outliers
from limbik.motion.hands.fingers import KNUCKLES
from limbik.motion.hands.follower import Follower
from limbik.motion.hands.human_hand import human_hand
from limbik.motion.hands.layouts import BEFORE, CHAINS, JOINT_INDICES, JOINTS, LAYOUTS, NEEDED, Layout
from limbik.motion.hands.palm import palm_pose
from limbik.request import FARTHEST_TARGET
from limbik.spatial import Array, Matrix4, as_numbers, check_largest, dot, norm

SHORTEST = 1e-4  # [m] of a bone
_STARTS, _ENDS = (np.array([JOINT_INDICES[name] for name in names]) for names in (BEFORE.values(), BEFORE))


@dataclass(frozen=True, eq=False)
class HandSolution:
    """What `Hand.solve` answers; of one frame numbers, of a batch arrays."""

    q: Array  # [..., nq]
    distances: Mapping[str, Any]  # [...] by finger: of the tip to its target [m]


@dataclass(frozen=True, eq=False)
class Hand:
    """The joints of a hand as a headset or a camera sees them, for one frame or a batch of frames.

        hand = limbik.motion.Hand.from_webxr(joints, side="right")
        print(hand["IndexTip"])
        q = hand.solve(hand.model()).q

    Joints have the names that VRM gives to bones, without the side: "Wrist", "ThumbMetacarpal",
    "IndexProximal" and so on, each where its bone begins, and the tips, "IndexTip".

    A joint that is nan was not seen: what follows the hand holds it where it was in the palm, and says so in
    a warning, as of a hand whose fingers bend toward its back, which may be one of the other side.

    Raises GoalError, which names joint and frame, for positions that are infinite and for bones without a
    length.
    """

    positions: Array  # [..., 26, 3, m] in the order of `JOINTS`; nan for joints that are not seen
    side: Side
    poses: Array | None = None  # [..., 26, 4, 4] likewise, where poses were given

    @classmethod
    def from_webxr(cls, joints: ArrayLike, side: Side = "right") -> Hand:
        """The 25 joints of a WebXR hand, "wrist" to "pinky-finger-tip", in the order of `XRHandJoint`.

        joints: positions [..., 25, 3, m] or poses [..., 25, 4, 4], in any axes in which y is not mirrored.
        side: the `handedness` of the input source.
        """
        return cls._read(joints, side, "webxr")

    @classmethod
    def from_openxr(cls, joints: ArrayLike, side: Side = "right") -> Hand:
        """The 26 joints of XR_EXT_hand_tracking, palm and wrist first: as `from_webxr`, [..., 26, 3] or
        [..., 26, 4, 4].
        """
        return cls._read(joints, side, "openxr")

    @classmethod
    def from_mediapipe(cls, landmarks: ArrayLike, side: Side = "right") -> Hand:
        """The 21 world landmarks of MediaPipe's hand landmarker, [..., 21, 3, m]: wrist, then thumb, index,
        middle, ring and little finger from the palm to the tip.
        """
        return cls._read(landmarks, side, "mediapipe")

    @classmethod
    def from_model(cls, model: Model, q: ArrayLike) -> Hand:
        """The hand that a model of `Hand.model` makes at q [..., nq], its wrist at the origin.

        Raises ModelError for a model whose frames are not called so.
        """
        model = as_model(model)
        sides = [side for side in SIDES if side + "Wrist" in model.frame_names]
        if len(sides) != 1:
            raise ModelError(f"model {model.name!r} is no hand of `Hand.model`: it has no frame 'rightWrist'")
        (side,) = sides
        known = [name for name in JOINTS if side + name in model.frame_names]
        poses = model.poses(q, [side + name for name in known])
        positions = np.full((*poses.shape[:-3], len(JOINTS), 3), np.nan)
        positions[..., [JOINT_INDICES[name] for name in known], :] = poses[..., :3, 3]
        return cls(positions, side)

    @classmethod
    def _read(cls, joints: ArrayLike, side: Any, layout: Layout) -> Hand:
        _check_side(side)
        names = LAYOUTS[layout]
        poses_too = "" if layout == "mediapipe" else f" or poses [..., {len(names)}, 4, 4]"
        needed = f"positions [..., {len(names)}, 3] in metres{poses_too}"
        what = "landmarks" if layout == "mediapipe" else "joints"
        rows = as_numbers(joints, what, needed, GoalError)
        are_poses = bool(poses_too) and rows.shape[-3:] == (len(names), 4, 4)
        if not are_poses and rows.shape[-2:] != (len(names), 3):
            raise GoalError(f"{what} needs {needed}, found shape {rows.shape}")
        check_largest(rows[np.isfinite(rows)], FARTHEST_TARGET, what, "m", GoalError)
        indices = [JOINT_INDICES[name] for name in names]
        points = rows[..., :3, 3] if are_poses else rows
        positions = np.full((*points.shape[:-2], len(JOINTS), 3), np.nan)
        positions[..., indices, :] = points
        poses = None
        if are_poses:
            poses = np.full((*points.shape[:-2], len(JOINTS), 4, 4), np.nan)
            poses[..., indices, :, :] = rows
        return cls(positions, side, poses)

    def __post_init__(self) -> None:
        _check_side(self.side)
        needed = f"shape [..., {len(JOINTS)}, 3]"
        positions = as_numbers(self.positions, "positions", needed, GoalError)
        if positions.shape[-2:] != (len(JOINTS), 3):
            raise GoalError(f"positions needs {needed}, found {positions.shape}")
        object.__setattr__(self, "positions", positions)
        if not self.positions.size:
            raise GoalError("a hand needs at least one frame")
        if np.isinf(self.positions).any():
            for name in JOINTS:
                self._refuse(name, np.isinf(self[name]).any(axis=-1), "needs finite numbers [m], or nan")
        bones = self.positions[..., _ENDS, :] - self.positions[..., _STARTS, :]
        if (dot(bones, bones) < SHORTEST**2).any():
            for k, (name, before) in enumerate(BEFORE.items()):
                needed = f"needs a distance from {before!r}, found the same position"
                self._refuse(name, norm(bones[..., k, :]) < SHORTEST, needed)

    def _refuse(self, name: str, is_wrong: Any, needed: str) -> None:
        if np.any(is_wrong):
            frame = f"frame {int(np.argmax(np.ravel(is_wrong)))}: " if np.ndim(is_wrong) else ""
            raise GoalError(f"{frame}joint {name!r} of the {self.side} hand {needed}")

    def __getitem__(self, name: str) -> Array:
        """The positions [..., 3, m] of a joint; nan where the layout does not have it."""
        if not is_one_of(name, JOINT_INDICES):
            raise GoalError(f"there is no joint {shortened(name)} of a hand; {did_you_mean(name, JOINTS)}")
        return np.asarray(self.positions[..., JOINT_INDICES[name], :])

    def joints(self, layout: Layout) -> Array:
        """The positions in the order of a layout: "webxr" [..., 25, 3], "openxr" [..., 26, 3] or "mediapipe"
        [..., 21, 3].

        Raises GoalError where a joint of it is not known: a MediaPipe hand has no metacarpals.
        """
        if not is_one_of(layout, get_args(Layout)):
            raise GoalError(f"layout needs one of {', '.join(get_args(Layout))}, found {shortened(layout)}")
        joints = self.positions[..., [JOINT_INDICES[name] for name in LAYOUTS[layout]], :]
        for k, name in enumerate(LAYOUTS[layout]):
            self._refuse(name, ~np.isfinite(joints[..., k, :]).all(axis=-1), f"is not known for {layout!r}")
        return np.asarray(joints)

    @property
    def palm(self) -> Matrix4:
        """pose_world_palm [..., 4, 4]: the wrist, x toward the knuckle of the middle finger, z out of the
        back of the hand.
        """
        index, middle, little = (self[finger + "Proximal"] for finger in KNUCKLES)
        return palm_pose(self["Wrist"], index, middle, little, self.side)

    @property
    def in_palm(self) -> Array:
        """The positions [..., 26, 3, m] in the axes of `palm`."""
        palm = self.palm
        return np.asarray((self.positions - palm[..., None, :3, 3]) @ palm[..., :3, :3])

    @property
    def typical(self) -> Mapping[str, Array]:
        """By name the position [3, m] of each joint in the axes of the palm, the median of all frames in
        which it is seen; nan where the layout has none.

        Raises GoalError for a joint that is seen in no frame.
        """
        for name in NEEDED:
            self._refuse(name, np.isnan(self[name]).any(axis=-1).all(), "is seen in no frame")
        flat = self.in_palm.reshape(-1, len(JOINTS), 3)
        seen = {name: flat[~np.isnan(flat[:, k]).any(axis=1), k] for name, k in JOINT_INDICES.items()}
        for name in NEEDED:
            self._refuse(name, not len(seen[name]), "is seen with wrist and knuckles in no frame")
        return {
            name: np.median(positions, axis=0) if len(positions) else np.full(3, np.nan)
            for name, positions in seen.items()
        }

    @property
    def bones(self) -> Mapping[str, tuple[float, float, float]]:
        """By finger the lengths [m] of its three bones, the median of all frames in which they are seen.

        Raises GoalError for a bone that is seen in no frame.
        """
        lengths = {}
        for finger, chain in CHAINS.items():
            ends = itertools.pairwise(chain)
            first, second, third = (self._length(before, after) for before, after in ends)
            lengths[finger] = (first, second, third)
        return lengths

    def _length(self, before: str, after: str) -> float:
        lengths = norm(self[after] - self[before]).ravel()
        self._refuse(after, np.isnan(lengths).all(), f"is seen with {before!r} in no frame")
        return float(np.nanmedian(lengths))

    def model(self) -> Model:
        """A human hand with the bones of this one: see `human_hand`."""
        return human_hand(self.typical, self.bones, self.side)

    def solve(self, model: Model | None = None, *, tips: Mapping[str, str] | None = None) -> HandSolution:
        """The configurations q [..., nq] of a model of a hand that follow this one, frame after frame.

        model: default: `model()`. tips: as `HandRetargeter` takes them, which says what is done.
        """
        whole = self.model() if model is None else as_model(model)
        follower = Follower(whole, self.typical, self.bones, self.side, tips)
        positions = without_outliers(self.positions, reach_of(self.typical))
        in_palm = replace(self, positions=positions).in_palm
        Doubts(self.side).look(in_palm)
        lead = self.positions.shape[:-2]
        q, distances = [], []
        for points in in_palm.reshape(-1, len(JOINTS), 3):
            q.append(follower.follow(points))
            distances.append(follower.distances(q[-1]))
        far = {name: np.array([each[name] for each in distances]).reshape(lead) for name in follower.tips}
        if not lead:
            return HandSolution(q[0], distances[0])
        return HandSolution(np.array(q).reshape(*lead, -1), far)


def _check_side(side: object) -> None:
    if not is_one_of(side, SIDES):
        raise GoalError(f"side needs 'left' or 'right', found {shortened(side)}")
