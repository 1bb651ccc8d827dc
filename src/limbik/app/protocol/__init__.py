"""The messages between the page and the server, version 1, and the only module with their ranges.

The page sends JSON text: `Hello`; in the plane `PlaneSolveRequest`, `PlaneSolutionsRequest` and
`ResetRequest`; in space `OpenRequest`, `MoveRequest`, `NullspaceRequest`, `ExplainRequest`,
`SolutionsRequest`, `SelfMotionRequest`, `FollowPathRequest`, `WorldRequest` and `ExportRequest`; of motions
`ShowMotionRequest`. The server answers JSON text (`Welcome`, `Failure`, `Notice` and the replies of the same
names) and binary msgpack (`PlaneSolveReply`, `MoveReply`), in which arrays are little-endian float32 bytes.
`static/protocol.js` mirrors this package.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeAlias

from limbik.app.protocol.common import VERSION, Failure, Hello, Notice, Welcome, read_hello
from limbik.app.protocol.motion import ShowMotionRequest, read_show_motion
from limbik.app.protocol.path import FollowPathRequest, read_follow_path
from limbik.app.protocol.plane import (
    BOUNDS,
    PlaneArmReply,
    PlaneSettings,
    PlaneSolutionsRequest,
    PlaneSolveReply,
    PlaneSolveRequest,
    ResetRequest,
    decode_plane_solve,
    read_plane_solutions,
    read_reset,
    read_solve,
)
from limbik.app.protocol.reading import MessageError, NumberRange, Reader, id_of, read_object, show
from limbik.app.protocol.space import (
    SPACE_BOUNDS,
    ExplainRequest,
    ExportRequest,
    MoveRequest,
    NullspaceRequest,
    OpenRequest,
    SelfMotionRequest,
    SolutionsRequest,
    read_explain,
    read_export,
    read_move,
    read_nullspace,
    read_open,
    read_self_motion,
    read_solve_all,
)
from limbik.app.protocol.world import WorldRequest, read_world_request

__all__ = [
    "BOUNDS",
    "MAX_MESSAGE_BYTES",
    "MAX_OPEN_BYTES",
    "SPACE_BOUNDS",
    "VERSION",
    "ExplainRequest",
    "ExportRequest",
    "Failure",
    "FollowPathRequest",
    "Hello",
    "MessageError",
    "MoveRequest",
    "Notice",
    "NullspaceRequest",
    "NumberRange",
    "OpenRequest",
    "PlaneArmReply",
    "PlaneSettings",
    "PlaneSolutionsRequest",
    "PlaneSolveReply",
    "PlaneSolveRequest",
    "Request",
    "ResetRequest",
    "SelfMotionRequest",
    "ShowMotionRequest",
    "SolutionsRequest",
    "SpaceRequest",
    "Welcome",
    "WorldRequest",
    "decode_plane_solve",
    "parse",
]

MAX_MESSAGE_BYTES = 64 * 1024
MAX_OPEN_BYTES = 2 * 1024 * 1024  # of what may hold a whole file
_LONG = ("open", "path", "world")

SpaceRequest: TypeAlias = (
    OpenRequest
    | MoveRequest
    | NullspaceRequest
    | ExplainRequest
    | SolutionsRequest
    | SelfMotionRequest
    | FollowPathRequest
    | WorldRequest
    | ExportRequest
    | ShowMotionRequest
)
Request: TypeAlias = Hello | PlaneSolveRequest | PlaneSolutionsRequest | ResetRequest | SpaceRequest

_IN_SPACE: dict[str, Callable[[Reader, Collection[str]], SpaceRequest]] = {
    "open": read_open,
    "move": read_move,
    "nullspace": read_nullspace,
    "explain": read_explain,
    "solutions": read_solve_all,
    "selfmotion": read_self_motion,
    "path": read_follow_path,
    "world": read_world_request,
    "export": read_export,
    "motion": read_show_motion,
}
_TYPES = ("hello", "solve", "plane_solutions", "reset", *_IN_SPACE)


def parse(text: str, known: Collection[str], in_plane: Collection[str] | None = None) -> Request:
    """Read one message of the page.

    known: the solvers' names. in_plane: of those that work in a plane, by default all.

    Raises:
        MessageError: the text is too long or not JSON, or an entry is missing, unknown, of the wrong type or
            out of range.
    """
    size = len(text) if len(text) > MAX_OPEN_BYTES else len(text.encode(errors="surrogatepass"))
    if size > MAX_OPEN_BYTES:
        raise MessageError(
            f"a message has at most {MAX_MESSAGE_BYTES} bytes, one that holds a file {MAX_OPEN_BYTES}"
        )
    message = read_object(text)
    if size > MAX_MESSAGE_BYTES and message.get("type") not in _LONG:
        raise MessageError(f"a message has at most {MAX_MESSAGE_BYTES} bytes", id=id_of(message))
    try:
        return _read(message, known, known if in_plane is None else in_plane)
    except MessageError as error:
        raise MessageError(str(error), field=error.field, id=id_of(message)) from None


def _read(message: dict[str, Any], known: Collection[str], in_plane: Collection[str]) -> Request:
    kind = message.get("type")
    plane, space = Reader(message, BOUNDS), Reader(message, SPACE_BOUNDS)
    if kind == "hello":
        return read_hello(plane)
    if kind == "solve":
        return read_solve(plane, in_plane)
    if kind == "plane_solutions":
        return read_plane_solutions(plane)
    if kind == "reset":
        return read_reset(plane)
    if isinstance(kind, str) and kind in _IN_SPACE:
        return _IN_SPACE[kind](space, known)
    raise MessageError(f"`type` is one of {', '.join(_TYPES)}; found {show(kind)}", field="type")
