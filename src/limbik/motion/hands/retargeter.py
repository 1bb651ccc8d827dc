"""`HandRetargeter`: a stream of tracked hands on a model of a hand."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace

from limbik.errors import GoalError, shortened
from limbik.model import Model
from limbik.model.model import as_model
from limbik.motion.hands.doubts import Doubts, reach_of, without_outliers
from limbik.motion.hands.follower import Follower
from limbik.motion.hands.hand import Hand
from limbik.spatial import Array


class HandRetargeter:
    """Brings one hand after the other to a model: a person's, a robot's.

        retargeter = limbik.motion.HandRetargeter(limbik.load("allegro"), hand)
        for joints in stream:
            q = retargeter.update(limbik.motion.Hand.from_webxr(joints))

    model: of a hand with a thumb and two to four fingers. What carries them, such as a wrist, keeps still.
    hand: of the person, whose bones are measured: one frame, or better several.
    tips: frames of the fingertips by "Thumb", "Index", "Middle", "Ring", "Little"; default: found by the
    shape of the model: the thumb is the finger that points elsewhere, the index is beside it.

    Each update is the smallest weighted error (`solve(..., mode="best")`) from the one before: fingertips
    where those of the person are in the measure of both fingers, the joints before them with 0.3 of the
    weight, within the joint limits. While thumb and fingertip of the person are less than 0.02 m apart, the
    vector between those of the model is the same in metres; up to 0.035 m that fades.

    Raises ModelError for what is no hand, and GoalError for a hand of the other side.
    """

    def __init__(self, model: Model, hand: Hand, *, tips: Mapping[str, str] | None = None) -> None:
        self._hand = _as_hand(hand)
        self._doubts = Doubts(hand.side)
        self._doubts.look(hand.in_palm)
        self._reach = reach_of(hand.typical)
        self._follower = Follower(as_model(model), hand.typical, hand.bones, hand.side, tips)

    def __copy__(self) -> HandRetargeter:
        return copy.deepcopy(self)

    def update(self, hand: Hand) -> Array:
        """The configuration [nq] that follows one frame of the hand; joints that were not seen are held where
        they were in the palm, and a warning says so once. These are nan, or at 0 0 0 as some trackers have
        it, or farther from the wrist than twice as far as the hand is long.

        Raises GoalError for a batch, and for a hand of the other side.
        """
        if _as_hand(hand).side != self._hand.side:
            raise GoalError(f"the hand is a {hand.side} one, the one before was a {self._hand.side} one")
        if hand.positions.ndim != 2:
            raise GoalError(
                f"update needs one frame [26, 3], found {hand.positions.shape}; `solve` takes batches"
            )
        in_palm = replace(hand, positions=without_outliers(hand.positions, self._reach)).in_palm
        self._doubts.look(in_palm)
        return self._follower.follow(in_palm)

    @property
    def q(self) -> Array:
        """The configuration [nq] of the last update."""
        return self._follower.q.copy()

    @property
    def tips(self) -> dict[str, str]:
        """The frames of the fingertips, by finger."""
        return dict(self._follower.tips)

    @property
    def distances(self) -> dict[str, float]:
        """By finger how far the tip is from its target after the last update [m]."""
        return self._follower.distances(self._follower.q)

    def reset(self) -> None:
        """Begin again at the neutral configuration."""
        self._follower.reset()


def _as_hand(hand: object) -> Hand:
    if not isinstance(hand, Hand):
        raise GoalError(f"hand needs a limbik.motion.Hand, found {shortened(hand)}")
    return hand
