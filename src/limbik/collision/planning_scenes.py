"""Reads MoveIt's planning scenes: `.scene` texts, and messages written as YAML or JSON.

A text is that of `planning_scene::PlanningScene::saveGeometryToStream`: in parentheses the name of the scene;
for each object `* name`, since MoveIt 1.1 its pose, the number of its shapes, each with its numbers, its pose
and a colour, and since then the number of its subframes, each with a pose; at the end a full stop. Messages
are `moveit_msgs/PlanningScene`, or what MotionBenchMaker writes: `collision_objects` under `world` or by
themselves.

Octomaps, planes and attached objects are not read: there is a warning where a scene has some.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from limbik.collision.world import World
from limbik.errors import CollisionError, FormatError, FormatWarning, did_you_mean, shortened
from limbik.formats.documents import list_of, mapping_of, refuse_unknown
from limbik.formats.source import Source
from limbik.model.shapes import Box, ConvexHull, Cylinder, Mesh, Shape, Sphere
from limbik.number_text import number_from
from limbik.spatial import Array, Matrix4, as_numbers, as_vector, pose_from, quat_to_matrix

PRIMITIVES = {1: "box", 2: "sphere", 3: "cylinder", 4: "cone"}  # of shape_msgs/SolidPrimitive
SIDES = 32  # of the pyramid about a cone: at most half a percent of the radius beyond it
SMALLEST = 1e-6  # of a quaternion's length
MAX_NUMBERS = 10**8  # in one mesh

# Entries of messages, those that are not read as well: any other one is misspelt.
OF_SCENE = (
    "name", "robot_state", "robot_model_name", "fixed_frame_transforms", "allowed_collision_matrix",
    "link_padding", "link_scale", "object_colors", "world", "is_diff", "collision_objects", "octomap",
)  # fmt: skip
OF_WORLD = ("collision_objects", "octomap")
OF_OBJECT = (
    "id", "header", "pose", "type", "primitives", "primitive_poses", "meshes", "mesh_poses", "planes",
    "plane_poses", "subframe_names", "subframe_poses", "operation",
)  # fmt: skip
OF_HEADER = ("seq", "stamp", "frame_id")
OF_POSE = ("position", "orientation")
OF_PRIMITIVE = ("type", "dimensions", "polygon")
OF_MESH = ("triangles", "vertices")
OF_TRIANGLE = ("vertex_indices",)
ADD, REMOVE, APPEND, MOVE = range(4)  # an `operation`
ADDED = (None, ADD, b"\0", "\0")  # as JSON and the YAML of ROS 1 and 2 write it


def is_scene_text(source: Source) -> bool:
    """Whether a source looks like a text of objects."""
    return re.match(r"\s*(\([^\n]*\)|\S+)\s*\n\s*(\*|\.\s*$)", source.text) is not None


def is_planning_scene(data: Mapping[str, Any]) -> bool:
    """Whether data look like a message."""
    world = data.get("world")
    return "collision_objects" in data or (isinstance(world, Mapping) and "collision_objects" in world)


# --- texts --------------------------------------------------------------------------------------------------


def read_scene_text(source: Source) -> World:
    """The world of a `.scene` text. Raises FormatError, which names the line."""
    reader = _TextReader(source)
    reader.line()  # the name of the scene
    world = World()
    while (mark := reader.line()) != ".":
        if not mark.startswith("*"):
            raise reader.error(f"expected `* name` of an object, or a full stop, found {shortened(mark)}")
        _read_object(reader, world, mark[1:].strip())
    if (left := reader.left()) is not None:
        raise reader.error(f"expected nothing behind the full stop, found {shortened(left)}")
    return world


class _TextReader:
    """Lines and words of a text."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.lines = source.text.splitlines()
        self.line_number = 0  # of the next line
        self.words: list[str] = []  # that are left of this line

    def line(self) -> str:
        """The next line that is not empty, or what is left of this one."""
        if not self.words:
            self._fill()
        left, self.words = " ".join(self.words), []
        return left

    def left(self) -> str | None:
        """The next line that is not empty, if there is one."""
        return self.line() if any(line.strip() for line in self.lines[self.line_number :]) else None

    def count_in_line(self) -> int:
        """How many words the next line that is not empty has."""
        if not self.words:
            self._fill()
        return len(self.words)

    def word(self) -> str:
        """The next one."""
        if not self.words:
            self._fill()
        return self.words.pop(0)

    def number(self) -> float:
        word = self.word()
        number = number_from(word)
        if math.isnan(number):
            raise self.error(f"expected a number, found {shortened(word)}")
        return number

    def whole(self) -> int:
        number = self.number()
        if not (0.0 <= number <= MAX_NUMBERS and number == math.floor(number)):
            raise self.error(f"expected a whole number up to {MAX_NUMBERS:,}, found {number:.12g}")
        return int(number)

    def numbers(self, count: int) -> Array:
        """The next ones [count]."""
        if count > MAX_NUMBERS:
            raise self.error(f"a mesh of {count:,} numbers is too large")
        values: list[float] = []
        while len(values) < count:
            if not self.words:
                self._fill()
            some = self.words[: count - len(values)]
            self.words = self.words[len(some) :]
            read = [number_from(word) for word in some]
            if any(map(math.isnan, read)):
                raise self.error(f"expected numbers, found {shortened(' '.join(some))}")
            values += read
        return np.array(values)

    def pose(self) -> Matrix4:
        """Position and quaternion xyzw."""
        numbers = self.numbers(7)
        try:
            return ros_pose_of(numbers[:3], numbers[3:], "a pose")
        except CollisionError as error:
            raise self.error(str(error)) from None

    def error(self, problem: str) -> FormatError:
        return FormatError(self.source.name, problem, line=self.line_number)

    def _fill(self) -> None:
        while not self.words:
            if self.line_number == len(self.lines):
                raise self.error("ends in the middle of an object: expected more, or a full stop")
            self.words = self.lines[self.line_number].split()
            self.line_number += 1


def _read_object(reader: _TextReader, world: World, name: str) -> None:
    has_pose = reader.count_in_line() > 1  # as MoveIt itself tells the two forms apart
    pose_object = reader.pose() if has_pose else np.eye(4)
    shapes: list[tuple[Shape, Matrix4]] = []
    for _ in range(reader.whole()):
        shape = _shape_in_text(reader, name)
        pose = reader.pose()
        reader.numbers(4)  # colour
        if shape is not None:
            shapes.append((shape, pose_object @ pose))
    if has_pose:
        for _ in range(reader.whole()):
            reader.line()  # the name of a subframe
            reader.pose()
    try:
        _add(world, name, shapes)
    except CollisionError as error:
        raise reader.error(str(error)) from None


def _shape_in_text(reader: _TextReader, name: str) -> Shape | None:
    kind = reader.word()
    try:
        if kind == "box":
            return Box(tuple(reader.numbers(3)))
        if kind == "sphere":
            return Sphere(reader.number())
        if kind == "cylinder":
            return Cylinder(*reader.numbers(2).tolist())
        if kind == "cone":
            return _cone(*reader.numbers(2).tolist())
        if kind == "mesh":
            vertices, triangles = reader.whole(), reader.whole()
            points = reader.numbers(3 * vertices).reshape(-1, 3)
            return Mesh(vertices=points, triangles=reader.numbers(3 * triangles).reshape(-1, 3))
    except CollisionError as error:
        raise reader.error(f"object {shortened(name)}: {error}") from None
    if kind == "plane":
        reader.numbers(4)
        _warn(reader.source, f"object {shortened(name)}: its plane is left out; use a large box")
        return None
    known = ("box", "sphere", "cylinder", "cone", "mesh", "plane")
    raise reader.error(f"there is no shape {shortened(kind)}; {did_you_mean(kind, known)}")


# --- messages -----------------------------------------------------------------------------------------------


def read_planning_scene(data: Mapping[str, Any], source: Source) -> World:
    """The world of a message. Raises FormatError, which names the object."""
    inner = data.get("world")
    held = inner if isinstance(inner, Mapping) and "collision_objects" in inner else data
    refuse_unknown(data, OF_SCENE, "a planning scene", source)
    if held is not data:
        refuse_unknown(held, OF_WORLD, "the world of a planning scene", source)
        if "collision_objects" in data:
            raise FormatError(source.name, "has `collision_objects` twice: in `world`, and beside it")
    _warn_of_others(data, held, source)
    world = World()
    frames: set[str] = set()
    for index, item in enumerate(list_of(held["collision_objects"], source, "`collision_objects`")):
        each = mapping_of(item, source, f"object {index + 1}")
        name = each.get("id")
        if not isinstance(name, str) or not name.strip():
            raise FormatError(source.name, f"object {index + 1} needs an `id`, found {shortened(name)}")
        operation = each.get("operation")
        if operation not in ADDED:
            problem = f"`operation` needs {ADD}, which adds it, found {shortened(operation)}"
            raise FormatError(source.name, problem, element=f"object {shortened(name)}")
        header = mapping_of(each.get("header") or {}, source, f"the header of object {shortened(name)}")
        refuse_unknown(header, OF_HEADER, "a header", source, f"object {shortened(name)}")
        frame = header.get("frame_id")
        if isinstance(frame, str) and frame:
            frames.add(frame)
        try:
            shapes = list(shapes_in_message(each, source, name))
            if not shapes and not each.get("planes"):  # of which a warning tells
                raise CollisionError("has no shapes: give `primitives` or `meshes`")
            _add(world, name, shapes)
        except CollisionError as error:
            raise FormatError(source.name, str(error), element=f"object {shortened(name)}") from None
    if len(frames) > 1:
        _warn(
            source, f"its objects are in the frames {', '.join(sorted(frames))}; all are taken to be in one"
        )
    return world


def _warn_of_others(data: Mapping[str, Any], held: Mapping[str, Any], source: Source) -> None:
    octomap = held.get("octomap")
    tree = octomap.get("octomap") if isinstance(octomap, Mapping) else None
    if isinstance(tree, Mapping) and tree.get("data"):
        _warn(source, "its octomap is left out")
    state = data.get("robot_state")
    if isinstance(state, Mapping) and state.get("attached_collision_objects"):
        _warn(source, "its attached objects are left out; see Model.attach")
    for entry, number, none in (("link_padding", "padding", 0), ("link_scale", "scale", 1)):
        changed = (
            each for each in list_of(data.get(entry), source, f"`{entry}`") if isinstance(each, Mapping)
        )
        if any(each.get(number, none) != none for each in changed):
            _warn(source, f"its `{entry}` is left out; ask for a `clearance`")


def shapes_in_message(each: Mapping[str, Any], source: Source, name: str) -> Iterator[tuple[Shape, Matrix4]]:
    refuse_unknown(each, OF_OBJECT, "an object", source, f"object {shortened(name)}")
    whole = _message_pose(each["pose"], source, name) if "pose" in each else np.eye(4)
    if list_of(each.get("planes"), source, "`planes`"):
        _warn(source, f"object {shortened(name)}: its planes are left out; use a large box")
    for items, poses, read in (
        ("primitives", "primitive_poses", _primitive),
        ("meshes", "mesh_poses", _mesh),
    ):
        shapes = list_of(each.get(items), source, f"`{items}`")
        listed = list_of(each.get(poses), source, f"`{poses}`")
        # A lone shape may leave out its own pose.
        listed = listed or [None] * len(shapes)
        if len(listed) != len(shapes):
            raise CollisionError(f"needs as many `{poses}` as `{items}`: {len(shapes)}, found {len(listed)}")
        for item, pose in zip(shapes, listed, strict=True):
            part = np.eye(4) if pose is None else _message_pose(pose, source, name)
            yield read(mapping_of(item, source, f"a shape of {shortened(name)}"), source), whole @ part


def _primitive(item: Mapping[str, Any], source: Source) -> Shape:
    refuse_unknown(item, OF_PRIMITIVE, "a primitive", source)
    kind = PRIMITIVES.get(item["type"]) if type(item.get("type")) is int else item.get("type")
    if not isinstance(kind, str) or kind.lower() not in PRIMITIVES.values():
        known = ", ".join(PRIMITIVES.values())
        raise CollisionError(
            f"`type` needs one of {known}, or its number, found {shortened(item.get('type'))}"
        )
    kind = kind.lower()
    size = as_vector(
        item.get("dimensions", ()),
        {"box": 3, "sphere": 1}.get(kind, 2),
        f"`dimensions` of a {kind}",
        error=CollisionError,
    ).tolist()
    if kind == "box":
        return Box(tuple(size))
    if kind == "sphere":
        return Sphere(size[0])
    height, radius = size
    return Cylinder(radius, height) if kind == "cylinder" else _cone(radius, height)


def _mesh(item: Mapping[str, Any], source: Source) -> Shape:
    refuse_unknown(item, OF_MESH, "a mesh", source)
    triangles = [_corners(each, source) for each in list_of(item.get("triangles"), source, "`triangles`")]
    points = [_xyz(each, source) for each in list_of(item.get("vertices"), source, "`vertices`")]
    vertices = as_numbers(points, "`vertices` of a mesh", "shape (k, 3)", CollisionError)
    return Mesh(vertices=vertices, triangles=triangles)


def _message_pose(value: Any, source: Source, name: str) -> Matrix4:
    parts = mapping_of(value, source, f"a pose of {shortened(name)}")
    refuse_unknown(parts, OF_POSE, "a pose", source, f"object {shortened(name)}")
    position, orientation = parts.get("position", (0, 0, 0)), parts.get("orientation", (0, 0, 0, 1))
    what = f"a pose of {shortened(name)}"
    return ros_pose_of(_xyz(position, source), _xyz(orientation, source), what)


def _corners(value: Any, source: Source) -> Any:
    """The list of indices of a triangle, which is one or names one."""
    if not isinstance(value, Mapping):
        return value
    refuse_unknown(value, OF_TRIANGLE, "a triangle", source)
    return value.get("vertex_indices")


def _xyz(value: Any, source: Source) -> Any:
    """A list, of a list or of named numbers."""
    if not isinstance(value, Mapping):
        return value
    names = ("x", "y", "z", "w") if "w" in value else ("x", "y", "z")
    refuse_unknown(value, names, "x, y, z and w" if "w" in value else "x, y and z", source)
    return [value.get(name) for name in names]


# --- both ---------------------------------------------------------------------------------------------------


def _add(world: World, name: str, shapes: list[tuple[Shape, Matrix4]]) -> None:
    """An object of several shapes becomes several objects: "name/1", "name/2" and so on."""
    for index, (shape, pose) in enumerate(shapes, 1):
        world.add(name if len(shapes) == 1 else f"{name}/{index}", shape, pose)


def pose_of(position: Any, orientation: Any, what: str) -> Matrix4:
    """A pose of a position [m] and a quaternion xyzw of any length. Raises CollisionError."""
    at = as_vector(position, 3, f"the position of {what}", error=CollisionError)
    quaternion = as_vector(orientation, 4, f"the orientation of {what}", error=CollisionError)
    length = math.hypot(*quaternion)
    if not SMALLEST < length < np.inf:
        needed = "a quaternion x y z w of a length, not 0 and not too large for a number"
        raise CollisionError(f"the orientation of {what} needs {needed}, found {quaternion.tolist()}")
    return pose_from(quat_to_matrix(quaternion / length), at)


def ros_pose_of(position: Any, orientation: Any, what: str) -> Matrix4:
    """The pose of a message of ROS, whose quaternion is 0 0 0 0 where nobody has set it."""
    quaternion = as_vector(orientation, 4, f"the orientation of {what}", error=CollisionError)
    return pose_of(position, quaternion if quaternion.any() else (0, 0, 0, 1), what)


def _cone(radius: float, height: float) -> ConvexHull:
    """The pyramid about a cone, whose tip is above the origin by half of its height."""
    Cylinder(radius, height)  # refuses what has no meaning
    angles = 2.0 * math.pi * np.arange(SIDES) / SIDES
    outer = radius / math.cos(math.pi / SIDES)
    ring = np.column_stack([outer * np.cos(angles), outer * np.sin(angles), np.full(SIDES, -0.5 * height)])
    return ConvexHull(np.vstack([ring, [0.0, 0.0, 0.5 * height]]))


def _warn(source: Source, message: str) -> None:
    warnings.warn(FormatWarning(f"{source.name}: {message}"), stacklevel=2)
