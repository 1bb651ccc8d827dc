"""Describes the objects of uploaded files for the page; `collision.object_files` reads them, in a process of
its own.

They are read in a process of their own, and of a world nothing is opened but what came with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from limbik.app.protocol.world import MAX_OBJECTS, WORLD_BOUNDS
from limbik.app.reader_warnings import remarks
from limbik.app.shape_store import StoredShapes
from limbik.app.upload import Upload
from limbik.collision.object_files import objects_in
from limbik.collision.world import WorldObject
from limbik.errors import CollisionError, FormatError
from limbik.formats.separate_process import apart
from limbik.model.shapes import Box, Capsule, Cylinder, Shape, Sphere
from limbik.spatial import quat_from_matrix

SECONDS = 120.0  # that a file may take


def read_objects(upload: Upload, shapes: StoredShapes) -> tuple[list[Mapping[str, Any]], list[str]]:
    """The objects in the files of an upload, as the page is told of them, and remarks.

    Raises FormatError for a file that cannot be read, and for one with more objects than a page shows.
    """
    with remarks() as notes:
        objects = apart(upload.name, SECONDS, objects_in, dict(upload.files), upload.name)
    if len(objects) > MAX_OBJECTS:
        problem = f"has {len(objects)} objects; the playground shows up to {MAX_OBJECTS}"
        raise FormatError(upload.name, problem)
    return [_told(each, shapes) for each in objects], notes


# --- as the page is told ------------------------------------------------------------------------------------


def _told(each: WorldObject, shapes: StoredShapes) -> Mapping[str, Any]:
    kind, size = _kind(each.shape)
    bound = WORLD_BOUNDS["size"]
    if not all(bound.minimum <= length <= bound.maximum for length in size):
        raise CollisionError(
            f"object {each.name!r} has lengths of {', '.join(f'{length:g}' for length in size)} m; the "
            f"playground shows lengths from {bound.minimum:g} to {bound.maximum:g} m"
        )
    return {
        "name": each.name,
        "kind": kind,
        "size": size,
        "token": shapes.keep(each.shape) if kind == "stored" else "",
        "position": each.pose[:3, 3].tolist(),
        "quat_xyzw": quat_from_matrix(each.pose[:3, :3]).tolist(),
        "held": None,
        "touch": list(each.touch),
    }


def _kind(shape: Shape) -> tuple[str, list[float]]:
    if isinstance(shape, Box):
        return "box", list(shape.size)
    if isinstance(shape, Sphere):
        return "sphere", [shape.radius]
    if isinstance(shape, Cylinder):
        return "cylinder", [shape.radius, shape.length]
    if isinstance(shape, Capsule):
        return "capsule", [shape.radius, shape.length]
    return "stored", []
