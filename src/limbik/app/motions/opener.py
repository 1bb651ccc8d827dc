"""`MotionOpener`: opens motions for pages, applies their changes one after the other, retargets the result to
a robot, and caches every step.
"""

from __future__ import annotations

import hashlib
import posixpath
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from limbik.app.bounded_cache import BoundedCache
from limbik.app.motions.changes import changed
from limbik.app.motions.example import NAME, example
from limbik.app.motions.upload import read_motion
from limbik.app.protocol.motion import Change, ShowMotionRequest
from limbik.app.reader_warnings import remarks
from limbik.app.scene_opener import SceneOpener
from limbik.compiler import native
from limbik.errors import FormatError, LimbikError
from limbik.formats.motions import Motion
from limbik.formats.visual import Visual
from limbik.motion.retargeting import retarget
from limbik.tree import programs

MAX, MAX_BYTES = 64, 512 * 2**20
LONGEST_RETARGET = 6000  # frames


@dataclass(frozen=True, eq=False)
class RobotMotion:
    """A robot that does the same as a body."""

    motion: Motion
    title: str
    visuals: tuple[Visual, ...]


@dataclass(frozen=True, eq=False)
class OpenedMotion:
    """What a page sees: a motion before and after its changes, and a robot."""

    key: str
    name: str  # of the file
    before: Motion
    after: Motion
    robot: RobotMotion | None = None
    animations: Sequence[str] = ()
    notes: Sequence[str] = ()

    @property
    def parts(self) -> tuple[Motion, ...]:
        """The motions whose numbers the page takes, in this order."""
        return (self.before, self.after, *([] if self.robot is None else [self.robot.motion]))

    def numbers(self) -> bytes:
        """q of all parts, one after the other, as little-endian float32."""
        return b"".join(part.q.astype("<f4").tobytes() for part in self.parts)

    def files(self) -> dict[str, str]:
        """Names of what can be saved."""
        stem, ending = posixpath.splitext(self.name)
        is_table = len(self.after) > 1  # of one frame CSV cannot say the step of time
        files = {"body": f"{stem}-changed{ending}"}
        if is_table:
            files["table"] = f"{stem}-changed.csv"
        if self.robot is not None:
            files["robot"] = f"{stem}-{self.robot.motion.model.name}.{'csv' if is_table else 'glb'}"
        return files

    def file(self, kind: str) -> bytes:
        """What one of the files holds. Raises FormatError for what its format cannot hold."""
        name = self.files()[kind]
        motion = self.robot.motion if kind == "robot" and self.robot is not None else self.after
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"motion{posixpath.splitext(name)[1]}")
            try:
                motion.save(path)
            except FormatError as error:
                raise FormatError(name, error.problem) from None
            return path.read_bytes()


class CannotFollow(LimbikError):
    """A motion cannot be retargeted to the robot; the body is shown alone."""


@dataclass(eq=False)
class MotionOpener:
    """The state common to all pages. May be used by any thread."""

    workshop: SceneOpener
    _read: BoundedCache[tuple[Motion, str, Sequence[str], Sequence[str]]] = field(init=False)
    _steps: BoundedCache[tuple[Motion, tuple[str, ...]]] = field(init=False)
    _robots: BoundedCache[RobotMotion] = field(init=False)
    _opened: BoundedCache[OpenedMotion] = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)  # one after the other

    def __post_init__(self) -> None:
        self._read, self._steps = _cache(), _cache()
        self._robots, self._opened = _cache(), _cache()

    def open(self, request: ShowMotionRequest) -> OpenedMotion:
        """What a page asks for. Raises LimbikError for what cannot be read or done."""
        native.compile_ahead(programs.general())  # which robots need, sooner or later
        source = (request.token, request.unit, request.up, request.animation)
        with self._lock:
            before, name, animations, notes = self._source(request, _key(source))
            after = before
            for k in range(len(request.changes)):
                changes = request.changes[: k + 1]
                after, told = self._step(after, changes, _key((source, changes)))
                notes = (*notes, *told)
            key = _key((source, request.changes, request.robot))
            robot = None
            if request.robot is not None:
                try:
                    robot = self._robot(after, request.robot, key)
                except CannotFollow as error:
                    notes = (*notes, str(error))
            opened = OpenedMotion(key, name, before, after, robot, animations, notes)
            self._opened.put(key, opened, sum(part.q.nbytes for part in opened.parts))
        return opened

    def opened(self, key: str) -> OpenedMotion | None:
        """What was opened; None where it is no longer there."""
        return self._opened.get(key)

    def _source(
        self, request: ShowMotionRequest, key: str
    ) -> tuple[Motion, str, Sequence[str], Sequence[str]]:
        stored = self._read.get(key)
        if stored is None:
            if request.token is None:
                stored = example(), NAME, (), ()
            else:
                upload = self.workshop.uploaded(request.token)
                with remarks() as told:
                    read = read_motion(upload, request.unit, request.up, request.animation)
                stored = (*read, tuple(told))
            self._read.put(key, stored, stored[0].q.nbytes)
        return stored

    def _step(self, motion: Motion, changes: tuple[Change, ...], key: str) -> tuple[Motion, tuple[str, ...]]:
        """The motion after the last change, and what is to be told of it."""
        stored = self._steps.get(key)
        if stored is None:
            with remarks() as told:
                after = changed(motion, changes[-1], changes[:-1])
            stored = after, tuple(told)
            self._steps.put(key, stored, after.q.nbytes)
        return stored

    def _robot(self, motion: Motion, name: str, key: str) -> RobotMotion:
        stored = self._robots.get(key)
        if stored is None:
            model, title, visuals = self.workshop.robot(name)
            if len(motion) > LONGEST_RETARGET:
                raise CannotFollow(
                    f"{title} does not follow: the page brings at most {LONGEST_RETARGET:,} frames to a "
                    f"robot, found {len(motion):,}; limbik.motion.retarget() takes any number"
                )
            try:
                stored = RobotMotion(retarget(motion, model), title, visuals)
            except LimbikError as error:
                raise CannotFollow(f"{title} does not follow: {error}") from None
            self._robots.put(key, stored, stored.motion.q.nbytes)
        return stored


def _cache() -> BoundedCache:  # type: ignore[type-arg]
    return BoundedCache(max_items=MAX, max_bytes=MAX_BYTES // 4)


def _key(parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:40]
