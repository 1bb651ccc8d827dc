"""Reads worlds from YAML or JSON, MoveIt's planning scenes, or the shapes of a URDF or MJCF; writes them as
JSON.

limbik's own form is JSON or YAML:

    objects:
      table:
        box: [1.2, 0.8, 0.04]             # edges along x, y and z
        position: [0.6, 0.0, 0.4]         # default: the origin
        quaternion: [0.0, 0.0, 0.0, 1.0]  # x y z w; default: no turn
        touch: [base_link]                # what may touch it; default: nothing
      post: {cylinder: {radius: 0.05, length: 1.0}, position: [0.3, 0.5, 0.5]}

Lengths are metres. Shapes: `sphere: radius`, `box: [x, y, z]`, `cylinder` and `capsule` with `radius` and
`length`, `hull` with `vertices`, `mesh` with `path` (from the file's own folder) or `vertices` and
`triangles`, and with `scale` and `is_hull`, `points` with `points` and `radius`, and `grid` with `distances`,
`spacing` and `origin`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from limbik.collision.planning_scenes import (
    is_planning_scene,
    is_scene_text,
    pose_of,
    read_planning_scene,
    read_scene_text,
)
from limbik.collision.world import World, WorldObject, as_world
from limbik.errors import CollisionError, FormatError, shortened
from limbik.formats.documents import mapping_of, plain_data, refuse_unknown
from limbik.formats.load import read as read_model
from limbik.formats.source import Source, SourceLike, open_source, write_text
from limbik.model.model import Model, as_model
from limbik.model.shapes import (
    Box,
    Capsule,
    ConvexHull,
    Cylinder,
    DistanceGrid,
    Mesh,
    Points,
    Shape,
    Sphere,
)
from limbik.spatial import Matrix4, quat_from_matrix

KINDS: dict[str, tuple[type[Any], tuple[str, ...]]] = {  # and what a shape of each kind is made of
    "sphere": (Sphere, ("radius",)),
    "box": (Box, ("size",)),
    "cylinder": (Cylinder, ("radius", "length")),
    "capsule": (Capsule, ("radius", "length")),
    "hull": (ConvexHull, ("vertices",)),
    "mesh": (Mesh, ("path", "vertices", "triangles", "scale", "is_hull")),
    "points": (Points, ("points", "radius")),
    "grid": (DistanceGrid, ("distances", "spacing", "origin")),
}
POSE_KEYS = ("position", "quaternion", "touch")


def load_world(source: SourceLike) -> World:
    """The world in a file, or in the text of one.

    limbik's own form (see `limbik.collision.world_files`), MoveIt's planning scenes (`.scene` texts, and YAML
    or JSON with `collision_objects`), and the shapes of a URDF or MJCF, with its joints where they are
    neutral. Poses are taken to be in the robot's root frame.

    Raises FormatError, which names the file, and the object or the line, MissingExtra for YAML without its
    library, and CollisionError where a shape has no meaning.
    """
    opened = open_source(source)
    if opened.text.lstrip("\ufeff \t\r\n").startswith("<"):
        world = world_of(read_model(opened))
        if not len(world):
            raise FormatError(opened.name, "has no shapes that collide, which a world is made of")
        return world
    if is_scene_text(opened):
        return read_scene_text(opened)
    data = mapping_of(plain_data(opened), opened, "a world")
    if is_planning_scene(data):
        return read_planning_scene(data, opened)
    if "objects" not in data:
        needed = "`objects`, or `collision_objects` as MoveIt has them"
        actual = shortened(", ".join(map(str, data)))
        raise FormatError(opened.name, f"a world needs {needed}, found {actual}")
    for key in data:
        if key != "objects":
            raise FormatError(opened.name, f"a world has `objects` alone, found {shortened(key)} beside them")
    return _read(mapping_of(data["objects"], opened, "`objects`"), opened)


def save_world(world: World, path: str | PathLike[str]) -> None:
    """Write a world in limbik's own form, as JSON, which is YAML, too. A mesh's file is named, not copied.

    Raises CollisionError for a mesh whose file is not on the disk, FormatError where the file cannot be
    written.
    """
    write_text(path, world_text(as_world(world)))


def world_text(world: World) -> str:
    """What `save_world` writes. Raises as that does."""
    objects = {each.name: _described(each) for each in world}
    return json.dumps({"objects": objects}, indent=1) + "\n"


def world_of(model: Model) -> World:
    """The shapes of a model as a world, where its neutral configuration has them."""
    model, world = as_model(model), World()
    for shape in model.shapes:
        pose = model.pose(model.neutral, shape.link) @ shape.pose_link_shape
        world.add(free_name(world, shape.name), shape.shape, pose)
    return world


def free_name(world: World, name: str) -> str:
    """The name, or with a number behind it where there is such an object already."""
    count, free = 1, name
    while free in world:
        count += 1
        free = f"{name}/{count}"
    return free


# --- limbik's own form --------------------------------------------------------------------------------------


def _read(objects: Mapping[str, Any], source: Source) -> World:
    world = World()
    for name, value in objects.items():
        what = f"object {shortened(name)}"
        try:
            parts = mapping_of(value, source, what)
            shape = _shape(parts, source, what)
            world.add(name, shape, _pose(parts, what), touch=parts.get("touch") or ())
        except CollisionError as error:
            raise FormatError(source.name, str(error), element=what) from None
    return world


def _shape(parts: Mapping[str, Any], source: Source, what: str) -> Shape:
    refuse_unknown(parts, (*KINDS, *POSE_KEYS), "an object", source, what)
    kinds = [key for key in parts if key in KINDS]
    if len(kinds) != 1:
        actual = ", ".join(kinds) or "none"
        raise FormatError(source.name, f"needs one shape of {', '.join(KINDS)}, found {actual}", element=what)
    make, names = KINDS[kinds[0]]
    value = parts[kinds[0]]
    if not isinstance(value, Mapping):
        value = {names[0]: value}
    refuse_unknown(value, names, f"a {kinds[0]}", source, what)
    fields = dict(value)
    if make is Mesh and "path" in fields:
        fields["path"] = _mesh_path(fields["path"], source, what)
    try:
        shape: Shape = make(**fields)
    except TypeError:
        missing = [name for name in names if name not in fields]
        raise FormatError(source.name, f"{kinds[0]} needs {', '.join(missing)}", element=what) from None
    return shape


def _mesh_path(value: Any, source: Source, what: str) -> Path:
    if not isinstance(value, str) or not value or "\0" in value:
        needed = "needs the path of a file"
        raise FormatError(source.name, f"`path` {needed}, found {shortened(value)}", element=what)
    if source.path is None:
        return Path(value)
    path = source.path.parent / value
    if not path.is_file():
        raise FormatError(source.name, f"there is no mesh {str(path)!r}", element=what)
    return path


def _pose(parts: Mapping[str, Any], what: str) -> Matrix4:
    return pose_of(parts.get("position", (0, 0, 0)), parts.get("quaternion", (0, 0, 0, 1)), what)


def _described(each: WorldObject) -> dict[str, Any]:
    shape = each.shape
    kind = next(kind for kind, (cls, _) in KINDS.items() if isinstance(shape, cls))
    if isinstance(shape, Mesh) and shape.data is not None:
        raise CollisionError(f"object {each.name!r} cannot be saved: its mesh is in no file")
    parts = {name: getattr(shape, name) for name in KINDS[kind][1]}
    written = {key: _plain(value) for key, value in parts.items() if value is not None}
    described: dict[str, Any] = {kind: next(iter(written.values())) if len(KINDS[kind][1]) == 1 else written}
    described["position"] = each.pose[:3, 3].tolist()
    described["quaternion"] = quat_from_matrix(each.pose[:3, :3]).tolist()
    if each.touch:
        described["touch"] = list(each.touch)
    return described


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return str(value.resolve()) if isinstance(value, Path) else value
