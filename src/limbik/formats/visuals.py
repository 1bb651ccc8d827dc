"""What a robot looks like: the meshes and simple shapes that a URDF or MJCF hangs on its links.

Kinematics needs none of it. Nothing is opened but the description and, by MuJoCo, the meshes of an MJCF:
where a mesh of a URDF is, is told, and who draws it reads it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from limbik.errors import LimbikError
from limbik.formats.elements import parse
from limbik.formats.source import Source
from limbik.model import Model
from limbik.spatial import Matrix4

Numbers: TypeAlias = tuple[float, ...]

FORMATS = ("stl", "dae", "obj")  # of mesh files


@dataclass(frozen=True, eq=False)
class Mesh:
    """A surface.

    format: "stl", "dae" or "obj", then it is the file at `path`, or `data` holds that file's bytes; or "raw",
    then `data` holds the number of vertices and of triangles (uint32), the vertices (float32 x, y, z) and
    the triangles (uint32, three places of vertices), all little-endian.
    """

    format: str
    path: Path | None = None
    data: bytes | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Visual:
    """A shape on a link.

    shape and its size: "mesh" none; "box" the three edges; "cylinder" and "capsule" radius and length, along
    z (a capsule's caps come to its length); "sphere" radius [m]. color: rgba from 0 to 1; None where the
    description gives none.
    """

    link: str
    shape: str
    pose_link_visual: Matrix4
    size: Numbers = ()
    mesh: Mesh | None = None
    scale: Numbers = (1.0, 1.0, 1.0)
    color: Numbers | None = None


@dataclass(frozen=True)
class Look:
    """All that is to be seen, and remarks on what is not."""

    visuals: tuple[Visual, ...] = ()
    notes: tuple[str, ...] = ()


def look(source: Source, inside: Path | None = None) -> Look:
    """The shapes in a URDF or MJCF; none in another text.

    inside: the folder out of which no mesh may be, for a source that is a file.

    Raises FormatError as the readers of these formats do, and MissingExtra where MuJoCo is missing.
    """
    from limbik.formats import mjcf_visuals, urdf_visuals

    if not source.text.lstrip("\ufeff \t\r\n").startswith("<"):
        return Look()
    root = parse(source)
    if root.tag == "mujoco":
        return mjcf_visuals.look(source)
    return urdf_visuals.look(root, source, inside) if root.tag == "robot" else Look()


def look_or_why(source: Source, inside: Path | None = None) -> Look:
    """What a description looks like; nothing, and why, where that cannot be read: it moves all the same."""
    try:
        return look(source, inside)
    except LimbikError as error:
        return Look(notes=(f"without its shapes: {error}",))


def read_with_look(source: Source) -> tuple[Model, Look]:
    """The model in a description, see `limbik.formats.load.read`, and what it looks like."""
    from limbik.formats.load import read

    return read(source), look_or_why(source)
