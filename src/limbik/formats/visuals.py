"""Reads the visual shapes of a robot from its URDF or MJCF.

Kinematics needs none of it. Nothing is opened but the description and, by MuJoCo, the meshes of an MJCF:
where a mesh of a URDF is, is told, and who draws it reads it.
"""

from __future__ import annotations

from pathlib import Path

from limbik.errors import LimbikError
from limbik.formats import mjcf_visuals, urdf_visuals
from limbik.formats.elements import parse
from limbik.formats.load import read
from limbik.formats.source import Source
from limbik.formats.visual import Look
from limbik.model import Model


def look(source: Source, inside: Path | None = None) -> Look:
    """The shapes in a URDF or MJCF; none in another text.

    inside: the folder out of which no mesh may be, for a source that is a file.

    Raises FormatError as the readers of these formats do, and MissingExtra where MuJoCo is missing.
    """
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
    return read(source), look_or_why(source)
