"""`SolutionsReply`: the reply with all solutions of an arm, for the 2-D and the 3-D view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from limbik.app.protocol.writing import as_json


@dataclass(frozen=True, kw_only=True)
class SolutionsReply:
    """Those of all solutions that are shown, the nearest to the arm first."""

    id: int
    arm: int
    q: ArrayLike  # [k, nq]
    circular: Sequence[int]  # indices in q of the joints that turn without end: a revolution is no distance
    branches: Sequence[str]  # [k]
    margins: Sequence[float]  # [k] [rad or m] of the joint that is nearest to a limit; infinite without any
    manipulability: Sequence[float]  # [k]
    collisions: Sequence[str]  # [k] what collides in each, in words; "" where it is free, or not requested
    count: int  # of all that were found
    complete: bool  # whether it is proved that there is no other
    is_quick: bool  # whether they are found in closed form, within a frame of a drag
    text: str

    def encode(self) -> str:
        """As JSON text."""
        return as_json(type="solutions", **vars(self))
