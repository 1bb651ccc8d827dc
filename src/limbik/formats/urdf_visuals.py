"""Visual shapes of a URDF: its <visual> elements."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from limbik.errors import FormatError
from limbik.formats.elements import Element
from limbik.formats.source import Source
from limbik.formats.urdf_shapes import UrdfShape, ending_of, mesh_file, shape_in
from limbik.formats.visual import FORMATS, Look, Numbers, Visual, VisualMesh


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
    reader = _VisualReader(source, inside, colors)
    visuals = [
        visual
        for link in robot.all("link")
        for element in link.all("visual")
        if (visual := reader.visual(element, link.text("name")))
    ]
    return Look(tuple(visuals), tuple(reader.notes))


class _VisualReader:
    def __init__(self, source: Source, inside: Path | None, colors: Mapping[str, Numbers]) -> None:
        self.source = source
        self.inside = inside.resolve() if inside else None
        self.colors = colors
        self.meshes: dict[str, VisualMesh | None] = {}
        self.notes: list[str] = []

    def visual(self, element: Element, link: str) -> Visual | None:
        try:
            return self._visual(element, link)
        except FormatError as error:
            self.notes.append(str(error))
            return None

    def _visual(self, element: Element, link: str) -> Visual | None:
        shape, color = shape_in(element), self._color(element)
        if shape is None:
            return None
        mesh = self._mesh(shape) if shape.kind == "mesh" else None
        if shape.kind == "mesh" and mesh is None:
            return None
        return Visual(
            link=link,
            shape=shape.kind,
            pose_link_visual=shape.pose_link_shape,
            size=shape.size,
            mesh=mesh,
            color=color,
            scale=shape.scale,
        )

    def _mesh(self, shape: UrdfShape) -> VisualMesh | None:
        address = shape.address
        if address not in self.meshes:
            self.meshes[address] = mesh = self._mesh_of(address)
            if mesh is None:
                self.notes.append(f"{shape.element!r}: there is no mesh {address!r} that can be drawn")
        return self.meshes[address]

    def _mesh_of(self, address: str) -> VisualMesh | None:
        ending = ending_of(address)
        if ending not in FORMATS:
            return None
        mesh = mesh_file(address, self.source)
        if isinstance(mesh, bytes):
            return VisualMesh(ending, data=mesh)
        is_inside = mesh and self.inside and mesh.resolve().is_relative_to(self.inside)
        return VisualMesh(ending, path=mesh) if is_inside else None

    def _color(self, visual: Element) -> Numbers | None:
        material = visual.one("material")
        if material is None:
            return None
        return _color(material) or self.colors.get(material.attributes.get("name", ""))


def _color(material: Element) -> Numbers | None:
    color = material.one("color")
    rgba = color.numbers("rgba", 4) if color else None
    return tuple(min(max(value, 0.0), 1.0) for value in rgba) if rgba else None
