"""Opens scenes from robots' names, texts and uploads; caches them.

Of a text or an upload nothing is opened but what came with it (`limbik.formats.confined_files`), and of a
package only the description and meshes that it lists. No message names a folder of this machine.
"""

from __future__ import annotations

import contextlib
import hashlib
import posixpath
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, cast

from limbik import load
from limbik.app.bounded_cache import BoundedCache
from limbik.app.collision_shapes import PreparedShapes
from limbik.app.initial_pose import initial_pose
from limbik.app.open_scene import Opened, OpenedArm, check_size
from limbik.app.protocol.space import MAX_ARMS, OpenRequest
from limbik.app.protocol.space import SceneSource as RequestedSource
from limbik.app.reader_warnings import remarks, without_folders
from limbik.app.robot_row import side_by_side
from limbik.app.shape_store import StoredShapes
from limbik.app.upload import Upload
from limbik.errors import FormatError, LimbikError, ModelError, did_you_mean, shortened
from limbik.formats import arm as arm_format
from limbik.formats import dh, registry
from limbik.formats.base_joint import Base, based
from limbik.formats.load import read
from limbik.formats.preset_visuals import dressed
from limbik.formats.separate_process import apart
from limbik.formats.source import Source, decoded, open_source
from limbik.formats.visual import Look, Visual, VisualMesh
from limbik.formats.visuals import look_or_why, read_with_look
from limbik.locks import fork_safe
from limbik.model import Model
from limbik.scene import Scene, SceneArm, load_scene

MAX_OPENED, MAX_OPENED_BYTES = 64, 256 * 2**20
MAX_UPLOADS, MAX_UPLOADED_BYTES = 64, 512 * 2**20
MODEL_BYTES = 2**20  # what a model is counted as, meshes apart
LONGEST_XML = 1_000_000  # [characters] of a URDF or MJCF
LONGEST_TEXT = 256_000  # [characters] of a table or an .arm, whose readers take longer
SECONDS = 20.0  # that a description may take to be read
MAX_NOTES = 5  # of one kind
MAX_TAGS = 4000  # joints or bodies in a text, before anything is made of them

Robot: TypeAlias = tuple[Model, str, tuple[Visual, ...]]  # a model, its title and its shapes

_ENDINGS = (".urdf", ".xml", ".mjcf", ".arm", ".yaml", ".yml", ".csv", ".xacro")  # the likeliest first
_TAG = re.compile(r"<(joint|body|link|geom|site)\b")
_ROOT = re.compile(r"<(mujoco|robot)[\s>]")
_READINGS = {
    "range": "theta and phi are read as half-ranges of motion (angles: range).",
    "initial": "theta and phi are read as first directions, without limits (angles: initial).",
}


class SceneOpener:
    """The state common to all pages: scenes that were opened, and uploads. May be used by any thread."""

    def __init__(self) -> None:
        self._opened: BoundedCache[Opened] = BoundedCache(max_items=MAX_OPENED, max_bytes=MAX_OPENED_BYTES)
        self._shown: BoundedCache[Opened] = BoundedCache(
            max_items=MAX_OPENED, max_bytes=MAX_OPENED_BYTES
        )  # by their meshes
        self._uploads: BoundedCache[Upload] = BoundedCache(
            max_items=MAX_UPLOADS, max_bytes=MAX_UPLOADED_BYTES
        )
        self._lock = fork_safe(threading.Lock())  # one scene is opened after the other
        self.shapes = PreparedShapes()
        self.stored_shapes = StoredShapes()
        self.robot = named_robot  # its model, its title and its shapes, by its name

    def keep(self, upload: Upload) -> str:
        """Keep an upload; its token."""
        self._uploads.put(upload.token, upload, upload.size)
        return upload.token

    def open(self, request: OpenRequest) -> Opened:
        """The scene that a page asks for. Raises LimbikError for one that cannot be opened."""
        source = request.source
        if source.kind == "text":
            name = posixpath.basename(source.name.replace("\\", "/")) or "text"
            token = self.keep(Upload(name, {name: source.text.encode()}))
            request = replace(request, source=RequestedSource(kind="token", token=token))
        key = _key(request)
        opened = self._opened.get(key)
        if opened is None:
            with self._lock, _naming_arms():
                opened = self._make(request)
            self._opened.put(key, opened, self.show(opened))
        return opened

    def show(self, opened: Opened) -> int:
        """Have the meshes of a scene requested; how large it is [bytes]."""
        size = sum(len(mesh.data or b"") for mesh in opened.meshes) + MODEL_BYTES * len(opened.arms)
        self._shown.put(opened.key, opened, size)
        return size

    def mesh(self, key: str, number: int) -> VisualMesh | None:
        """A mesh of a scene that is open; None where there is none."""
        opened = self._shown.get(key)
        if opened is None or not 0 <= number < len(opened.meshes):
            return None
        return opened.meshes[number]

    def _make(self, request: OpenRequest) -> Opened:
        if request.source.kind == "robot":
            return _robots(request, self.robot)
        return _uploaded(self.uploaded(request.source.token), request)

    def uploaded(self, token: str) -> Upload:
        """What was uploaded. Raises LimbikError where it is no longer there."""
        upload = self._uploads.get(token)
        if upload is None:
            raise LimbikError(
                "the server no longer has these files: it forgets them when it stops, or needs the memory; "
                "drop them on the page again"
            )
        return upload


def _key(request: OpenRequest) -> str:
    source = request.source
    parts = (source.kind, *source.names, source.token, request.base, request.angles, request.lenient)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:40]


@contextlib.contextmanager
def _naming_arms() -> Iterator[None]:
    """Errors of a package's file say where it is on this machine; the page is told its name alone."""
    try:
        yield
    except FormatError as error:
        name, problem = without_folders(error.source), without_folders(error.problem)
        raise FormatError(name, problem, line=error.line, element=error.element) from None
    except RecursionError:
        raise LimbikError("the description is nested too deeply") from None


# --- robots by name -----------------------------------------------------------------------------------------


def _robots(request: OpenRequest, robot: Callable[[str], Robot]) -> Opened:
    arms, notes = [], []
    base = cast(Base, request.base)
    for name in request.source.names:
        with remarks() as told:
            model, title, visuals = robot(name)
            model = based(model, base)
        notes += [f"{title}: {remark}" for remark in told]
        arms.append((model, title, visuals))
    check_size([model for model, _, _ in arms])
    models = side_by_side([model for model, _, _ in arms])
    names = _different([model.name for model in models])
    opened = tuple(
        OpenedArm(arm=SceneArm(name, model, q=initial_pose(model)), title=title, visuals=visuals)
        for name, model, (_, title, visuals) in zip(names, models, arms, strict=True)
    )
    title = " and ".join(dict.fromkeys(arm.title for arm in opened))
    scene = Scene(tuple(arm.arm for arm in opened), title)
    return Opened(scene=scene, arms=opened, notes=tuple(dict.fromkeys(notes)))


def named_robot(name: str) -> Robot:
    """Its model, its title, and its shapes where a description of it is installed."""
    match = registry.find(name)
    if match is None:
        if not re.fullmatch(r"planar-\w+", name):
            known = ("planar-N", *(robot.name for robot in registry.robots() if robot.is_available))
            raise ModelError(f"there is no robot {shortened(name)}; {did_you_mean(name, known)}")
        return load(name), name, ()
    robot = match.robot
    if match.description is not None:
        source, inside = _described(match.description)
        model = based(read(source), end_effector=match.description.end_effector)
        return model, robot.title, look_or_why(source, inside).visuals
    return load(robot.name), robot.title, _borrowed(load(robot.name), robot.installed)


def _described(description: registry.Description) -> tuple[Source, Path]:
    """The text of an installed description, called by its name alone, and the folder of its meshes."""
    path = description.path
    assert path is not None, "only called for what is installed"
    inside = path.parents[description.file.count("/")]
    return replace(open_source(path), name=path.name), inside


def _borrowed(model: Model, description: registry.Description | None) -> tuple[Visual, ...]:
    """The shapes of a description of the same robot, if one is installed that moves alike."""
    if description is None:
        return ()
    with contextlib.suppress(LimbikError), remarks():
        source, inside = _described(description)
        other = based(read(source), end_effector=description.end_effector)
        return dressed(model, other, look_or_why(source, inside).visuals) or ()
    return ()


def _different(names: Sequence[str]) -> list[str]:
    differences: list[str] = []
    for name in names:
        number, new = 2, name
        while new in differences:
            new, number = f"{name} {number}", number + 1
        differences.append(new)
    return differences


# --- texts and uploads --------------------------------------------------------------------------------------


def _uploaded(upload: Upload, request: OpenRequest) -> Opened:
    source, others = _description_in(upload)
    _check_length(source)
    is_arm = arm_format.is_arm(source.text)
    with remarks() as told:
        if is_arm:
            scene, seen = _arms(source, request), Look()
        else:
            scene, seen = _read(source, request)
    check_size([arm.model for arm in scene.arms])
    notes = [*_some(told), *_some(seen.notes)]
    if is_arm:
        notes.insert(0, _READINGS[scene.angles])
    if others:
        notes.append(f"This is {source.name}; there is also {', '.join(others[:MAX_NOTES])}.")
    arms = tuple(OpenedArm(arm=arm, title=arm.name, visuals=seen.visuals) for arm in scene.arms)
    angles = scene.angles if is_arm else None
    return Opened(scene=scene, arms=arms, notes=tuple(notes), token=upload.token, angles=angles)


def _some(notes: Sequence[str]) -> list[str]:
    """The first of many notes, and how many more there are."""
    more = len(notes) - MAX_NOTES
    return [*notes[:MAX_NOTES], *([f"and {more} more remarks of this kind"] if more > 0 else [])]


def _arms(source: Source, request: OpenRequest) -> Scene:
    scene = load_scene(source, angles=cast(Any, request.angles), lenient=request.lenient)
    if len(scene.arms) > MAX_ARMS:
        raise ModelError(f"the playground shows up to {MAX_ARMS} arms, found {len(scene.arms)}")
    return scene


def _read(source: Source, request: OpenRequest) -> tuple[Scene, Look]:
    """What a description of any other format holds. Libraries read it, so this is done in a process of its
    own, whose death is an error for the page and not the server's.
    """
    model, seen = apart(source.name, SECONDS, read_with_look, source)
    model = based(model, cast(Base, request.base))
    return Scene((SceneArm(model.name, model, q=initial_pose(model)),), model.name), seen


def _description_in(upload: Upload) -> tuple[Source, list[str]]:
    """The description among the files, and the others that could be meant.

    By the likelier ending, then the fewer folders, then the longer text: what only includes the robot, or is
    a part of it, is short.
    """
    if len(upload.files) == 1:
        ((name, content),) = upload.files.items()
        return Source(name, decoded(content, name), files=upload.files), []
    files = []
    for name, content in upload.files.items():
        ending = posixpath.splitext(name)[1].lower()
        if ending in _ENDINGS and (text := _text_of(content, name)) is not None:
            files.append((_ENDINGS.index(ending), name.count("/"), -len(text), name, text))
    if not files:
        held = ", ".join(sorted(upload.files)[:10])
        raise FormatError(upload.name, f"holds no URDF, MJCF, .arm or DH table; it has {held}")
    (*_, name, text), *others = sorted(files)
    return Source(name, text, files=upload.files), [each[3] for each in others]


def _text_of(content: bytes, name: str) -> str | None:
    """The text of a file if it may be a whole description."""
    try:
        text = decoded(content, name)
    except FormatError:
        return None
    is_known = arm_format.is_arm(text) or dh.is_table(text) or _ROOT.search(text) is not None
    return text if is_known else None


def _check_length(source: Source) -> None:
    is_xml = source.text.lstrip("\ufeff \t\r\n").startswith("<")
    longest = LONGEST_XML if is_xml else LONGEST_TEXT
    if len(source.text) > longest:
        raise FormatError(source.name, f"is longer than {longest:,} characters, found {len(source.text):,}")
    tags = sum(1 for _ in _TAG.finditer(source.text))
    if tags > MAX_TAGS:
        raise FormatError(source.name, f"has more than {MAX_TAGS:,} joints, links and bodies, found {tags:,}")
