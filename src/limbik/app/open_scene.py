"""The arms of a scene that a page has open, their looks, and remarks from reading it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from limbik.errors import ModelError
from limbik.formats.visual import Visual, VisualMesh
from limbik.locks import cached_property
from limbik.model import Model
from limbik.scene import Scene, SceneArm
from limbik.spatial import Array

MAX_JOINTS = 500  # of a scene
MAX_FRAMES = 4000  # links among them


@dataclass(frozen=True, kw_only=True, eq=False)
class OpenedArm:
    """One arm or robot of the scene."""

    arm: SceneArm
    title: str
    visuals: tuple[Visual, ...] = ()

    @property
    def model(self) -> Model:
        """What moves."""
        return self.arm.model

    @cached_property
    def start(self) -> Array:
        """[nq] the first configuration, within the limits."""
        q: Array = self.model.clip(self.arm.start)
        return q


@dataclass(frozen=True, kw_only=True, eq=False)
class Opened:
    """A scene as the workshop opens it. Nothing in it changes, so that any number of pages may show it.

    token: of the upload or text that it was made of. angles: how theta and phi of an .arm were read; None for
    what has none.
    """

    scene: Scene
    arms: tuple[OpenedArm, ...]
    notes: tuple[str, ...] = ()
    token: str | None = None
    angles: str | None = None

    @cached_property
    def key(self) -> str:
        """What its meshes are requested by; another one where any of them is another."""
        digest = hashlib.sha256()
        for mesh in self.meshes:
            digest.update(_stamp(mesh))
        return digest.hexdigest()[:40]

    @cached_property
    def meshes(self) -> tuple[VisualMesh, ...]:
        """The surfaces, each once, in the order of their numbers."""
        meshes = (visual.mesh for arm in self.arms for visual in arm.visuals)
        return tuple({id(mesh): mesh for mesh in meshes if mesh is not None}.values())


def _stamp(mesh: VisualMesh) -> bytes:
    if mesh.path is None:
        return hashlib.sha256(mesh.data or b"").digest()
    state = mesh.path.stat()
    return f"{mesh.path} {state.st_mtime_ns} {state.st_size} ".encode()


def check_size(models: list[Model]) -> None:
    """Raise ModelError for more than the playground can move or show."""
    joints = sum(len(model.joints) for model in models)
    if joints > MAX_JOINTS:
        raise ModelError(f"the playground shows up to {MAX_JOINTS} joints, found {joints:,}")
    frames = sum(len(model.frames) for model in models)
    if frames > MAX_FRAMES:
        raise ModelError(f"the playground shows up to {MAX_FRAMES} links and frames, found {frames:,}")
