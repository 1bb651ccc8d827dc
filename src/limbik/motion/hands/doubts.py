"""Checks tracked hands: replaces outlying joints by nan, and warns of missing joints and of fingers that tell
of the other hand.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from limbik.errors import FormatWarning, listed
from limbik.motion.body.roles import SIDES, Side
from limbik.motion.hands.layouts import CHAINS, JOINT_INDICES, JOINTS, NEEDED
from limbik.spatial import Array, cross, dot, norm

BENT = 0.6  # [rad] by which both last joints of a finger together bend no farther toward the back of a hand
MANY = 2  # fingers, so that one that is seen wrongly is not enough
MAX_REACH = 2.0  # hand lengths
LARGEST = 1.0  # [m] from the wrist to the farthest joint
ACROSS = 1  # axis of the palm about which fingers bend
_FINGERS = tuple(chain for finger, chain in CHAINS.items() if finger != "Thumb")
_NEEDED = np.array([JOINT_INDICES[name] for name in NEEDED])


def bends(in_palm: Array) -> Array:
    """[..., 4] how far the two last joints of each finger bend together [rad], toward the palm above 0.

    in_palm [..., 26, 3]: joints in the axes of the palm.
    """
    angles = []
    for chain in _FINGERS:
        positions = in_palm[..., [JOINT_INDICES[name] for name in chain], :]
        bones = np.moveaxis(np.diff(positions, axis=-2), -2, 0)
        rotations = [
            np.arctan2(cross(before, after)[..., ACROSS], dot(before, after))
            for before, after in itertools.pairwise(bones)
        ]
        angles.append(np.sum(rotations, axis=0))
    return np.stack(angles, axis=-1)


def side_told(in_palm: Array) -> int:
    """What the fingers of a hand [..., 26, 3] say about its side: 1 that it is right, since they bend toward
    the palm, -1 that it is not, and 0 where they are stretched.
    """
    angles = bends(in_palm)
    toward = int(((angles > BENT).sum(axis=-1) >= MANY).sum())
    away = int(((angles < -BENT).sum(axis=-1) >= MANY).sum())
    return int(np.sign(toward - away))


def without_outliers(positions: Array, reach: float) -> Array:
    """The positions [..., 26, 3, m] with nan for joints farther than `reach` [m] from the wrist and for
    those, but wrist and palm, that are exactly at the origin.
    """
    palm, wrist = map(JOINTS.index, ("Palm", "Wrist"))
    is_far = norm(positions - positions[..., wrist : wrist + 1, :]) > reach
    is_zero = (positions == 0.0).all(axis=-1)
    is_zero[..., [wrist, palm]] = False
    return np.where((is_far | is_zero)[..., None], np.nan, positions)


def reach_of(typical: Mapping[str, Array]) -> float:
    """How far from the wrist a joint of a hand can be [m]; typical [3]: where they are in the palm."""
    return MAX_REACH * float(np.nanmax([norm(joint) for joint in typical.values()]))


class Doubts:
    """Says once of each what is doubtful about a hand, in the frames that come."""

    def __init__(self, side: Side) -> None:
        self._side = side
        self._is_side_clear = False
        self._told: set[str] = set()

    def look(self, in_palm: Array) -> None:
        """Warn of joints that were not seen in [..., 26, 3, m], of fingers that bend toward the back, and of
        a hand of a size that tells of another unit.
        """
        length = float(np.nanmax(norm(in_palm[..., _NEEDED, :]), initial=0.0))
        if length > LARGEST and "size" not in self._told:
            self._told.add("size")
            self._warn(f"the {self._side} hand is {length:.2g} m long: its positions need metres")
        is_lost = np.isnan(in_palm[..., _NEEDED, :]).any(axis=-1).reshape(-1, len(NEEDED))
        if is_lost.any():
            self._tell_lost(is_lost)
        if not self._is_side_clear and (told := side_told(in_palm)):
            self._is_side_clear = True
            if told < 0:
                other = SIDES[1 - SIDES.index(self._side)]
                fingers = f"the fingers of the {self._side} hand bend toward its back"
                self._warn(f"{fingers}: if it is a {other} one, give side={other!r}")

    def _tell_lost(self, is_lost: NDArray[np.bool_]) -> None:
        """By frames and joints [T, 21]."""
        frames = int(is_lost.all(axis=1).sum())
        names = [name for name, each in zip(NEEDED, is_lost.T, strict=True) if each.sum() > frames]
        if frames and "" not in self._told:
            self._told.add("")
            self._warn(f"the palm of the {self._side} hand is not seen: the hand is held as it was")
        if names := [name for name in names if name not in self._told]:
            self._told.update(names)
            self._warn(f"joints of the {self._side} hand are not seen, and held: {listed(names)}")

    def _warn(self, note: str) -> None:
        warnings.warn(note, FormatWarning, stacklevel=4)
