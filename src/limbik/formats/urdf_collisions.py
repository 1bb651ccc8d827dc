"""Collision shapes of a URDF: its <collision> elements."""

from __future__ import annotations

from pathlib import Path

from limbik.errors import CollisionError, FormatError, did_you_mean, listed
from limbik.formats.elements import Element
from limbik.formats.source import Source
from limbik.formats.urdf_shapes import KINDS, UrdfShape, mesh_file, shape_in
from limbik.model.shapes import Box, Capsule, Cylinder, LinkShape, Mesh, Shape, Sphere


def collisions(robot: Element, source: Source) -> tuple[list[LinkShape], list[str]]:
    """The shapes of a <robot> that collide, and remarks.

    Files of meshes are found, and read when a collision is looked for. A shape that is described wrongly is
    left out and told in a remark: the robot moves without it.
    """
    reader = _CollisionReader(source)
    shapes = [
        shape
        for link in robot.all("link")
        for element in link.all("collision")
        if (shape := reader.shape(element, link.text("name")))
    ]
    return shapes, reader.all_remarks()


def _what_is_no_shape(element: Element) -> str:
    tags = [child.tag for child in element.need("geometry").children]
    if not tags:
        return f"its <geometry> needs one of {', '.join(KINDS)}, found nothing"
    if tags[0] in KINDS:
        return f"its <{tags[0]}> needs a size"
    return f"its <geometry> has no shape <{tags[0]}>; {did_you_mean(tags[0], KINDS)}"


class _CollisionReader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.found: dict[str, Path | bytes | None] = {}
        self.missing: dict[str, str] = {}  # the first link that has it
        self.remarks: list[str] = []

    def shape(self, element: Element, link: str) -> LinkShape | None:
        try:
            shape = shape_in(element)
            tags = [child.tag for child in element.need("geometry").children if child.tag in KINDS]
            if shape is None:
                raise element.error(_what_is_no_shape(element))
            if len(tags) > 1:
                self.remarks.append(f"{element.error(f'has {len(tags)} shapes')}; the first is taken")
            return LinkShape(link=link, shape=self._shape(shape, link), pose_link_shape=shape.pose_link_shape)
        except FormatError as error:
            self.remarks.append(f"{error}; it is left out of collisions")
        except CollisionError as error:
            self.remarks.append(f"{element.error(str(error))}; it is left out of collisions")
        return None

    def _shape(self, shape: UrdfShape, link: str) -> Shape:
        if shape.kind == "box":
            return Box((shape.size[0], shape.size[1], shape.size[2]))
        if shape.kind == "sphere":
            return Sphere(*shape.size)
        if shape.kind == "mesh":
            return self._mesh(shape, link)
        return Cylinder(*shape.size) if shape.kind == "cylinder" else Capsule(*shape.size)

    def _mesh(self, shape: UrdfShape, link: str) -> Mesh:
        address = shape.address
        if address not in self.found:
            self.found[address] = mesh_file(address, self.source)
        mesh = self.found[address]
        if mesh is None:
            self.missing.setdefault(address, link)
        path = mesh if isinstance(mesh, Path) else Path(address)
        scale = (shape.scale[0], shape.scale[1], shape.scale[2])
        return Mesh(path, scale=scale, data=mesh if isinstance(mesh, bytes) else None)

    def all_remarks(self) -> list[str]:
        if not self.missing:
            return self.remarks
        named = listed([f"{address!r} (link {link!r})" for address, link in self.missing.items()], limit=3)
        return [*self.remarks, f"meshes are missing, without which no collision can be looked for: {named}"]
