"""`Visual`: a mesh or simple shape with a colour, on a link."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from limbik.spatial import Matrix4

Numbers: TypeAlias = tuple[float, ...]

FORMATS = ("stl", "dae", "obj")  # of mesh files


@dataclass(frozen=True, eq=False)
class VisualMesh:
    """A surface.

    format: "stl", "dae" or "obj", then it is the file at `path`, or `data` holds that file's bytes; or "raw",
    then `data` holds the number of vertices and of triangles (uint32), the vertices (float32 x, y, z) and
    the triangles (uint32, three indices of vertices), all little-endian.
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
    mesh: VisualMesh | None = None
    scale: Numbers = (1.0, 1.0, 1.0)
    color: Numbers | None = None


@dataclass(frozen=True)
class Look:
    """All that is to be seen, and remarks on what is not."""

    visuals: tuple[Visual, ...] = ()
    notes: tuple[str, ...] = ()
