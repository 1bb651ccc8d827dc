"""A judge of collisions that shares no code with limbik's: the shapes of a model and of a world, in coal.

Meshes are taken as they are, with their own triangles, or as their hull where a description means that.
Where the links are is asked of `Model.pose`, which the tests hold against pinocchio.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import coal
import numpy as np
from scipy.spatial import ConvexHull as Hull

import limbik
from limbik.collision import Box, Capsule, ConvexHull, Cylinder, Mesh, Shape, Sphere, World
from limbik.collision.geometry import geometry_of
from limbik.collision.meshes import triangles_of
from limbik.collision.pairs import pairs_of


class Judge:
    """A model among objects. The pairs are those that limbik checks; nothing may touch an object."""

    def __init__(self, model: limbik.Model, world: World) -> None:
        self._model = model
        self._bodies: dict[str, list[tuple[str, np.ndarray, Any]]] = {}
        for shape in model.shapes:
            body = self._bodies.setdefault(shape.name, [])
            body.append((shape.link, shape.pose_link_shape, geometry(shape.shape)))
        self._links = {link for body in self._bodies.values() for link, _, _ in body}
        names = [body.name for body in geometry_of(model).bodies]
        self._pairs = [(names[i], names[j]) for i, j in pairs_of(model).checked]
        self._objects = [
            (each.touch, transform(each.pose), geometry(each.shape)) for each in world if each.name
        ]

    def is_free(self, q: np.ndarray) -> bool:
        """Whether no pair touches."""
        poses = {link: self._model.pose(q, link) for link in self._links}
        placed = {
            name: [(transform(poses[link] @ pose), shape) for link, pose, shape in body]
            for name, body in self._bodies.items()
        }
        if any(_touch(placed[first], placed[second]) for first, second in self._pairs):
            return False
        return not any(
            _touch(body, [(pose, shape)])
            for name, body in placed.items()
            for touch, pose, shape in self._objects
            if name not in touch
        )


def _touch(first: Iterable[tuple[Any, Any]], second: Iterable[tuple[Any, Any]]) -> bool:
    request = coal.CollisionRequest()
    for pose, shape in first:
        for other_pose, other in second:
            if coal.collide(shape, pose, other, other_pose, request, coal.CollisionResult()):
                return True
    return False


def transform(pose: np.ndarray) -> Any:
    """Of a pose [4, 4]."""
    return coal.Transform3s(pose[:3, :3], pose[:3, 3])


def geometry(shape: Shape) -> Any:
    """The same in coal."""
    if isinstance(shape, Box):
        return coal.Box(*shape.size)
    if isinstance(shape, Sphere):
        return coal.Sphere(shape.radius)
    if isinstance(shape, Cylinder):
        return coal.Cylinder(shape.radius, shape.length)
    if isinstance(shape, Capsule):
        return coal.Capsule(shape.radius, shape.length)
    if isinstance(shape, ConvexHull):
        return _hull(shape.vertices)
    assert isinstance(shape, Mesh), f"coal is not asked about {type(shape).__name__}"
    triangles = triangles_of(shape)
    return _hull(triangles.reshape(-1, 3)) if shape.is_hull else _mesh(triangles)


def _hull(points: np.ndarray) -> Any:
    made = _mesh(points[Hull(points).simplices])
    made.buildConvexHull(True, "Qt")
    return made.convex


def _mesh(triangles: np.ndarray) -> Any:
    corners, places = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    vertices, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    vertices.extend(list(corners))
    faces.extend([coal.Triangle(*each) for each in places.reshape(-1, 3).tolist()])
    made = coal.BVHModelOBBRSS()
    made.beginModel(len(triangles), len(corners))
    made.addSubModel(vertices, faces)
    made.endModel()
    return made
