"""Reads a shape under <visual> or <collision> of a URDF (https://wiki.ros.org/urdf/XML/link), and finds the
file of its mesh.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from pathlib import Path

from limbik.formats.confined_files import find_file
from limbik.formats.elements import Element
from limbik.formats.packages import resolve
from limbik.formats.source import Source
from limbik.formats.urdf_origin import origin_of
from limbik.spatial import Matrix4

_SLASHES = re.compile(r"^(package|model):/+")  # some write three
_SIZES = {
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "sphere": ("radius",),
}
KINDS = (*_SIZES, "mesh")


@dataclass(frozen=True, kw_only=True, eq=False)
class UrdfShape:
    """kind: "mesh", "box", "cylinder", "capsule" or "sphere"; size as in `formats.visual.Visual`."""

    element: Element  # in <geometry>
    kind: str
    pose_link_shape: Matrix4
    size: tuple[float, ...] = ()
    address: str = ""  # of a mesh, as it is written
    scale: tuple[float, ...] = (1.0, 1.0, 1.0)


def shape_in(element: Element) -> UrdfShape | None:
    """The shape of a <visual> or <collision>; None where it has none that is known. Raises FormatError."""
    pose = origin_of(element)
    for shape in element.need("geometry").children:
        if shape.tag == "mesh":
            address, scale = shape.text("filename"), shape.numbers("scale", 3)
            return UrdfShape(
                element=shape,
                kind="mesh",
                pose_link_shape=pose,
                address=address,
                scale=tuple(scale or (1.0, 1.0, 1.0)),
            )
        if shape.tag in _SIZES and (size := _size(shape)):
            return UrdfShape(element=shape, kind=shape.tag, pose_link_shape=pose, size=size)
    return None


def _size(shape: Element) -> tuple[float, ...]:
    if shape.tag == "box":
        return tuple(shape.numbers("size", 3) or ())
    return tuple(shape.number(name) for name in _SIZES[shape.tag])


def ending_of(address: str) -> str:
    """The format that the address of a mesh ends in, such as "stl"."""
    return posixpath.splitext(address)[1].removeprefix(".").lower()


def mesh_file(address: str, source: Source) -> Path | bytes | None:
    """The file that an address in a URDF means, or what it holds where the source lists its files; None where
    there is none.
    """
    if source.files is not None:
        name = find_file(source.files, posixpath.dirname(source.name), address)
        return source.files[name] if name else None
    return resolve(_SLASHES.sub(r"\1://", address), source.path.parent if source.path else None)
