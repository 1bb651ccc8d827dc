"""The shapes of a URDF: its <visual>s (https://wiki.ros.org/urdf/XML/link)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from pathlib import Path

from limbik.errors import FormatError
from limbik.formats.confined_files import find_file
from limbik.formats.elements import Element
from limbik.formats.packages import resolve
from limbik.formats.source import Source
from limbik.formats.urdf import origin_of
from limbik.formats.visual import FORMATS, Look, Mesh, Numbers, Visual

_SLASHES = re.compile(r"^(package|model):/+")  # some write three


def look(robot: Element, source: Source, inside: Path | None) -> Look:
    """The <visual>s of a <robot>; see `limbik.formats.visuals.look`.

    A shape that cannot be drawn, or is described wrongly, is left out and told in a note: the robot moves
    without it.
    """
    colors = {
        element.attributes.get("name", ""): color
        for element in robot.all("material")
        if (color := _color(element))
    }
    reader = _Reader(source, inside, colors)
    visuals = [
        visual
        for link in robot.all("link")
        for element in link.all("visual")
        if (visual := reader.visual(element, link.text("name")))
    ]
    return Look(tuple(visuals), tuple(reader.notes))


class _Reader:
    def __init__(self, source: Source, inside: Path | None, colors: Mapping[str, Numbers]) -> None:
        self.source = source
        self.inside = inside.resolve() if inside else None
        self.colors = colors
        self.meshes: dict[str, Mesh | None] = {}
        self.notes: list[str] = []

    def visual(self, element: Element, link: str) -> Visual | None:
        try:
            return self._visual(element, link)
        except FormatError as error:
            self.notes.append(str(error))
            return None

    def _visual(self, element: Element, link: str) -> Visual | None:
        pose, color = origin_of(element), self._color(element)
        for shape in element.need("geometry").children:
            if shape.tag == "mesh":
                mesh, scale = self._mesh(shape), shape.numbers("scale", 3)
                if mesh is None:
                    return None
                return Visual(
                    link=link,
                    shape="mesh",
                    pose_link_visual=pose,
                    mesh=mesh,
                    color=color,
                    scale=tuple(scale or (1.0, 1.0, 1.0)),
                )
            size = _size(shape)
            if size:
                return Visual(link=link, shape=shape.tag, pose_link_visual=pose, size=size, color=color)
        return None

    def _mesh(self, element: Element) -> Mesh | None:
        address = element.text("filename")
        if address not in self.meshes:
            self.meshes[address] = mesh = self._found(address)
            if mesh is None:
                self.notes.append(f"{element!r}: there is no mesh {address!r} that can be drawn")
        return self.meshes[address]

    def _found(self, address: str) -> Mesh | None:
        ending = posixpath.splitext(address)[1].removeprefix(".").lower()
        if ending not in FORMATS:
            return None
        if self.source.files is not None:
            name = find_file(self.source.files, posixpath.dirname(self.source.name), address)
            return Mesh(ending, data=self.source.files[name]) if name else None
        path = resolve(_SLASHES.sub(r"\1://", address), self.source.path.parent if self.source.path else None)
        is_inside = path and self.inside and path.resolve().is_relative_to(self.inside)
        return Mesh(ending, path=path) if is_inside else None

    def _color(self, visual: Element) -> Numbers | None:
        material = visual.one("material")
        if material is None:
            return None
        return _color(material) or self.colors.get(material.attributes.get("name", ""))


def _color(material: Element) -> Numbers | None:
    color = material.one("color")
    rgba = color.numbers("rgba", 4) if color else None
    return tuple(min(max(value, 0.0), 1.0) for value in rgba) if rgba else None


def _size(shape: Element) -> Numbers:
    if shape.tag == "box":
        return tuple(shape.numbers("size", 3) or ())
    if shape.tag in ("cylinder", "capsule"):
        return shape.number("radius"), shape.number("length")
    return (shape.number("radius"),) if shape.tag == "sphere" else ()
