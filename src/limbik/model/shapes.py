"""Shapes of links and of objects in a world: sphere, capsule, cylinder, box, hull, mesh, points, distance
grid.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from limbik.errors import CollisionError, shortened
from limbik.model.joints import check_name
from limbik.spatial import (
    Array,
    Matrix4,
    Vector3,
    as_number,
    as_numbers,
    as_pose,
    as_vector,
    check_flag,
    check_largest,
)

LARGEST = 1e6  # [m]
SMALLEST = 1e-100  # [m] whose square is no 0


@dataclass(frozen=True)
class Sphere:
    """A ball about the origin."""

    radius: float  # [m]

    def __post_init__(self) -> None:
        _set_size(self, "radius", "a sphere")


@dataclass(frozen=True)
class Capsule:
    """All points within a radius of a segment of that length along z, the origin in its middle."""

    radius: float  # [m]
    length: float  # [m] between the centers of the caps

    def __post_init__(self) -> None:
        _set_size(self, "radius", "a capsule")
        _set_size(self, "length", "a capsule", may_be_zero=True)


@dataclass(frozen=True)
class Cylinder:
    """A cylinder with flat ends along z, the origin in its middle."""

    radius: float  # [m]
    length: float  # [m]

    def __post_init__(self) -> None:
        _set_size(self, "radius", "a cylinder")
        _set_size(self, "length", "a cylinder")


@dataclass(frozen=True)
class Box:
    """A box, the origin in its middle."""

    size: tuple[float, float, float]  # [m] edges along x, y and z

    def __post_init__(self) -> None:
        size = as_vector(self.size, 3, "`size` of a box", error=CollisionError)
        if size.min() < SMALLEST or size.max() > LARGEST:
            raise CollisionError(
                f"`size` of a box needs three edges above 0, up to {LARGEST:g}"
                f" [m], found {shortened(tuple(size.tolist()))}"
            )
        object.__setattr__(self, "size", tuple(size.tolist()))


@dataclass(frozen=True, eq=False)
class ConvexHull:
    """The convex hull of points."""

    vertices: Array  # [k, 3] in metres, at least one

    def __post_init__(self) -> None:
        object.__setattr__(self, "vertices", _points(self.vertices, "`vertices` of a hull"))


@dataclass(frozen=True, eq=False)
class Mesh:
    """A surface of triangles, solid where it is closed: a file, or vertices and triangles. Triangles without
    an area, such as lines, are left out.

    A file is read when a collision is looked for, not before. With `is_hull` the convex hull of the surface
    is meant, as MuJoCo takes every mesh.
    """

    path: Path | None = None  # its ending says the format
    vertices: Array | None = None  # [k, 3] in metres
    triangles: Any = None  # [m, 3] indices of vertices
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    is_hull: bool = False
    data: bytes | None = None  # what the file holds, where it is not on the disk

    def __post_init__(self) -> None:
        if (self.path is None) == (self.vertices is None) or (self.vertices is None) != (
            self.triangles is None
        ):
            raise CollisionError("a mesh needs either a `path`, or `vertices` and `triangles`")
        if not isinstance(self.is_hull, bool):
            raise CollisionError(f"`is_hull` of a mesh needs True or False, found {shortened(self.is_hull)}")
        if not isinstance(self.data, bytes | None):
            raise CollisionError(f"`data` of a mesh needs the bytes of a file, found {shortened(self.data)}")
        scale = as_vector(self.scale, 3, "`scale` of a mesh", error=CollisionError)
        if (scale == 0.0).any() or np.abs(scale).max() > LARGEST:
            raise CollisionError(
                "`scale` of a mesh needs three numbers other than 0, "
                f"none beyond {LARGEST:g}, found {shortened(self.scale)}"
            )
        object.__setattr__(self, "scale", tuple(scale.tolist()))
        if self.vertices is None:
            object.__setattr__(self, "path", Path(str(self.path)))
            return
        vertices = _points(self.vertices, "`vertices` of a mesh")
        triangles = as_numbers(self.triangles, "`triangles` of a mesh", "shape (m, 3)", CollisionError)
        is_index = (triangles >= 0) & (triangles < len(vertices)) & (triangles == np.floor(triangles))
        if triangles.ndim != 2 or triangles.shape[1:] != (3,) or not triangles.size or not is_index.all():
            raise CollisionError(
                f"`triangles` of a mesh needs indices of its {len(vertices)} vertices, shape (m, 3)"
            )
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "triangles", triangles.astype(np.int64))

    @property
    def address(self) -> str:
        """Its path as descriptions write it, from whose scheme a Path takes a slash: "package://arm/a.stl"."""
        path = "" if self.path is None else self.path.as_posix()
        return re.sub(r"^(package|model|file):/+", r"\1://", path)


@dataclass(frozen=True, eq=False)
class Points:
    """A cloud of points, each with everything within a radius of it."""

    points: Array  # [k, 3] in metres
    radius: float  # [m]

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", _points(self.points, "`points` of a cloud"))
        _set_size(self, "radius", "a cloud of points", may_be_zero=True)


@dataclass(frozen=True, eq=False)
class DistanceGrid:
    """Signed distances to what is solid on a regular grid, negative inside; linear between its points."""

    distances: Array  # [nx, ny, nz] in metres
    spacing: float  # [m] between neighbours
    origin: Vector3 = field(default_factory=lambda: np.zeros(3))  # [3] where distances[0, 0, 0] is

    def __post_init__(self) -> None:
        needed = "shape (nx, ny, nz), at least 2 each"
        grid = as_numbers(self.distances, "`distances` of a grid", needed, CollisionError)
        if grid.ndim != 3 or min(grid.shape) < 2 or not np.isfinite(grid).all():
            raise CollisionError(
                f"`distances` of a grid needs finite numbers of {needed}, found shape {grid.shape}"
            )
        _set_size(self, "spacing", "a grid")
        grid.setflags(write=False)
        origin = as_vector(self.origin, 3, "`origin` of a grid", error=CollisionError)
        farthest = max(np.abs(origin).max(), np.abs(grid).max())
        if farthest > LARGEST:
            raise CollisionError(
                f"a grid needs an origin and distances up to {LARGEST:g} m, found {farthest:g}"
            )
        object.__setattr__(self, "distances", grid)
        object.__setattr__(self, "origin", origin)


Shape: TypeAlias = Sphere | Capsule | Cylinder | Box | ConvexHull | Mesh | Points | DistanceGrid


@dataclass(frozen=True, kw_only=True, eq=False)
class LinkShape:
    """A shape that hangs on a link, with which it may collide.

    name: what it is called in pairs and reports; default: as its link. Shapes of one link with one name are
    one body. is_attached: an object that the link carries, not a part of the robot.
    """

    link: str
    shape: Shape
    pose_link_shape: Matrix4 = field(default_factory=lambda: np.eye(4))
    name: str = ""
    is_attached: bool = False

    def __post_init__(self) -> None:
        check_name(self.link, "`link` of a shape")
        if not isinstance(self.name, str) or self.name:
            check_name(self.name, "`name` of a shape")
        object.__setattr__(self, "name", self.name or self.link)
        check_flag(self.is_attached, "`is_attached` of a shape", CollisionError)
        if not isinstance(self.shape, Shape):
            raise CollisionError(
                f"the shape of link {self.link!r} needs a Shape, found {shortened(self.shape)}"
            )
        what = f"the pose of a shape of link {self.link!r}"
        pose = as_pose(self.pose_link_shape, what, error=CollisionError)
        check_near(pose, what)
        pose.setflags(write=False)
        object.__setattr__(self, "pose_link_shape", pose)


def check_near(pose: Matrix4, what: str) -> None:
    """Raise CollisionError for a pose so far away that distances to it are no numbers."""
    check_largest(pose[:3, 3], LARGEST, what, "m", CollisionError)


def _set_size(shape: Any, name: str, of: str, may_be_zero: bool = False) -> None:
    value = getattr(shape, name)
    range_ = "of at least 0" if may_be_zero else "above 0"
    what, needed = f"`{name}` of {of}", f"a number {range_}, up to {LARGEST:g} [m]"
    size = as_number(value, what, needed, CollisionError)
    if not (SMALLEST <= size <= LARGEST or (may_be_zero and size == 0.0)):
        raise CollisionError(f"{what} needs {needed}, found {shortened(value)}")
    object.__setattr__(shape, name, size)


def _points(value: Any, name: str) -> Array:
    points = as_numbers(value, name, "an array of shape (k, 3)", CollisionError)
    if points.ndim != 2 or points.shape[1:] != (3,) or not len(points) or not np.isfinite(points).all():
        raise CollisionError(f"{name} needs finite numbers of shape (k, 3), found shape {points.shape}")
    farthest = float(np.abs(points).max())
    if farthest > LARGEST:
        raise CollisionError(f"{name} needs numbers up to {LARGEST:g} [m], found {farthest:g}")
    points.setflags(write=False)
    return points
