"""Reads objects from several files: worlds with the meshes that they name, meshes, clouds of points.

Nothing is opened but what came.
"""

from __future__ import annotations

import posixpath
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from limbik.collision.meshes import FORMATS, triangles_of
from limbik.collision.pieces import measured_pieces_of
from limbik.collision.world import World, WorldObject
from limbik.collision.world_files import load_world
from limbik.errors import FormatError, FormatWarning, shortened
from limbik.formats.source import Source, decoded
from limbik.model.shapes import Mesh, Points, Shape
from limbik.number_text import number_from

POINTS = ("xyz", "pts", "txt")  # endings of clouds: three numbers in a row
MAX_POINTS = 100_000
POINT_RADIUS = 0.005  # [m]


def objects_in(files: dict[str, bytes], name: str) -> list[WorldObject]:
    """The objects in files, by their paths; meshes come with their triangles, and the pieces of all are on
    the disk then.

    Warns of how far the pieces reach beyond a shape, and of open meshes. Raises FormatError for a file that
    cannot be read, CollisionError for shapes that have no meaning.
    """
    objects: list[WorldObject] = []
    for path, content in files.items():
        ending = posixpath.splitext(path)[1].lower().removeprefix(".")
        if ending in FORMATS and not _is_part(path, files):
            objects += [_standing(posixpath.basename(path), _mesh(path, content))]
        elif ending in POINTS:
            objects += [_standing(posixpath.basename(path), _cloud(path, content))]
        elif ending not in FORMATS:
            objects += _with_meshes(
                load_world(Source(path, decoded(content, path), files=files)), path, files
            )
    if not objects:
        raise FormatError(name, "has no objects")
    for each in objects:
        made = measured_pieces_of(each.shape)  # which keeps them on the disk, so that no solve waits
        for note in (made.gap, made.note):
            if note:
                warnings.warn(f"{each.name}: {note}", FormatWarning, stacklevel=2)
    return objects


def _is_part(path: str, files: Mapping[str, bytes]) -> bool:
    """Whether a mesh comes with a file that says where it stands."""
    return any(posixpath.splitext(other)[1].lower() in (".json", ".yaml", ".yml") for other in files)


def _standing(name: str, shape: Shape) -> WorldObject:
    world = World()
    world.add(posixpath.splitext(name)[0] or "object", shape)
    return next(iter(world))


def _mesh(path: str, content: bytes) -> Mesh:
    triangles = triangles_of(Mesh(path=Path(path), data=content))
    return Mesh(vertices=triangles.reshape(-1, 3), triangles=np.arange(3 * len(triangles)).reshape(-1, 3))


def _cloud(path: str, content: bytes) -> Points:
    rows = []
    for number, line in enumerate(decoded(content, path).splitlines(), 1):
        words = line.replace(",", " ").split()
        if not words or words[0].startswith(("#", "//")):
            continue
        rows.append([number_from(word) for word in words[:3]])
        if len(rows[-1]) != 3 or not np.isfinite(rows[-1]).all():
            problem = f"needs three numbers in a row, x, y and z [m], found {shortened(line.strip())}"
            raise FormatError(path, problem, line=number)
    if not 1 <= len(rows) <= MAX_POINTS:
        raise FormatError(path, f"needs 1 to {MAX_POINTS:,} points, found {len(rows):,}")
    return Points(np.array(rows), POINT_RADIUS)


def _with_meshes(world: World, path: str, files: Mapping[str, bytes]) -> list[WorldObject]:
    """The objects of a world; meshes are those of the files beside it."""
    objects = []
    for each in world:
        if isinstance(each.shape, Mesh) and each.shape.data is None and each.shape.path is not None:
            name = posixpath.normpath(posixpath.join(posixpath.dirname(path), each.shape.path.as_posix()))
            if name not in files:
                problem = f"its mesh {shortened(name)} did not come with it: drop both, or a folder or a zip"
                raise FormatError(path, problem, element=f"object {shortened(each.name)}")
            mesh = _mesh(name, files[name])
            shape = replace(mesh, scale=each.shape.scale, is_hull=each.shape.is_hull)
            each = each._replace(shape=shape)
        objects.append(each)
    return objects
