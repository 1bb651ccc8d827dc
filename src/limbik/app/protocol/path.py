"""Messages about following a path in space: `FollowPathRequest` and its reply."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbik.app.protocol.reading import MessageError, Reader
from limbik.app.protocol.space import LONGEST_NAME, MAX_NUMBERS, LimitOverrides, read_limit_overrides
from limbik.app.protocol.writing import as_json

MAX_POSES = 400
LONGEST_CSV = 1_000_000  # characters


@dataclass(frozen=True, kw_only=True)
class FollowPathRequest:
    """Find the joints along poses, given as numbers or as a CSV file. On the wire its type is "path"."""

    id: int
    arm: int
    frame: str
    q: NDArray[np.float64]  # [nq] where the arm stands
    is_closed: bool  # it is to end as it begins, where its ends meet; on the wire "closed"
    poses: NDArray[np.float64] | None  # [N, 7] x y z [m] and a quaternion xyzw of any length but 0
    csv: str | None  # the text
    name: str  # of the CSV file
    widened: tuple[LimitOverrides, ...]


@dataclass(frozen=True, kw_only=True)
class FollowPathReply:
    """The answer to `FollowPathRequest`. On the wire its type is "path"."""

    id: int
    arm: int
    frame: str
    poses: ArrayLike  # [N, 7] as they were requested
    q: ArrayLike  # [M, nq] the knots
    times: ArrayLike  # [M] in seconds
    breaks: Sequence[Mapping[str, Any]]  # what they hold stands in `limbik.app.path_playback`
    complete: bool
    text: str
    pace: str  # how fast the joints are, in words
    ends: str  # how far the joints are from the arm's at its beginning, and from there at its end, in words
    closed: bool  # it ends as it begins
    csv: str  # the joints over time

    def encode(self) -> str:
        """As JSON text."""
        return as_json(type="path", **vars(self))


def read_follow_path(reader: Reader, known: Collection[str]) -> FollowPathRequest:
    """A `FollowPathRequest`."""
    reader.allow("type", "id", "arm", "frame", "q", "closed", "poses", "csv", "name", "widened")
    has_text = reader.entries.get("csv") is not None
    if has_text == (reader.entries.get("poses") is not None):
        raise MessageError("a path needs either `poses` or `csv`", field="poses")
    return FollowPathRequest(
        id=reader.whole("id"),
        arm=reader.whole("arm"),
        frame=reader.text("frame", LONGEST_NAME),
        q=reader.some_numbers("q", MAX_NUMBERS, "joint"),
        is_closed=reader.boolean("closed"),
        poses=None if has_text else _poses(reader),
        csv=reader.text("csv", LONGEST_CSV) if has_text else None,
        name=reader.text("name", LONGEST_NAME) if has_text else "",
        widened=read_limit_overrides(reader),
    )


def _poses(reader: Reader) -> NDArray[np.float64]:
    rows = reader.entries["poses"]
    if not isinstance(rows, list) or not 1 <= len(rows) <= MAX_POSES:
        raise reader.error("poses", f"a list of 1 to {MAX_POSES} lists", rows)
    checked = [
        Reader({f"poses[{k}]": row}, reader.bounds).numbers(f"poses[{k}]", 7, "coordinate")
        for k, row in enumerate(rows)
    ]
    poses = np.array(checked)
    for k in np.flatnonzero(np.linalg.norm(poses[:, 3:], axis=1) < 1e-6)[:1]:
        raise MessageError(f"`poses[{k}]` needs a quaternion that is not 0", field="poses")
    return poses
