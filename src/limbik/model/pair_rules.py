"""`PairRule`: allows or checks collisions of pairs of links."""

from __future__ import annotations

from dataclasses import dataclass

from limbik.errors import CollisionError, shortened
from limbik.model.joints import check_name


@dataclass(frozen=True, kw_only=True)
class PairRule:
    """Whether collisions between two links, or objects attached to links, are looked at.

    first, second: names of links or attached objects, in any order. reason: in words, for reports.
    """

    first: str
    second: str
    is_checked: bool
    reason: str = ""

    def __post_init__(self) -> None:
        check_name(self.first, "`first` of a pair")
        check_name(self.second, "`second` of a pair")
        if self.first == self.second:
            raise CollisionError(f"a pair needs two different names, found {shortened(self.first)} twice")

    @property
    def key(self) -> frozenset[str]:
        """The two names, in no order."""
        return frozenset((self.first, self.second))
