"""Random shapes, and their distances by coal."""

import coal
import numpy as np
from scipy.spatial import ConvexHull as Qhull
from scipy.spatial.transform import Rotation

from limbik.collision import Box, Capsule, ConvexHull, Cylinder, Sphere


def random_shape(rng, scale=1.0):
    kind, size = rng.integers(5), scale * rng.uniform(0.05, 1.0, 3)
    if kind == 0:
        return Sphere(size[0])
    if kind == 1:
        return Capsule(size[0], size[1])
    if kind == 2:
        return Cylinder(size[0], size[1])
    if kind == 3:
        return Box(size)
    return random_hull(rng, rng.integers(4, 40), size)


def random_hull(rng, count, size):
    points = rng.normal(size=(count, 3)) * size
    return ConvexHull(points[Qhull(points).vertices])


def random_pose(rng, scale=1.0):
    pose = np.eye(4)
    pose[:3, :3] = Rotation.random(random_state=rng).as_matrix()
    pose[:3, 3] = 0.6 * scale * rng.normal(size=3)
    return pose


def as_coal(shape):
    if isinstance(shape, Sphere):
        return coal.Sphere(shape.radius)
    if isinstance(shape, Capsule):
        return coal.Capsule(shape.radius, shape.length)
    if isinstance(shape, Cylinder):
        return coal.Cylinder(shape.radius, shape.length)
    if isinstance(shape, Box):
        return coal.Box(*shape.size)
    triangles, vertices = coal.StdVec_Triangle(), coal.StdVec_Vec3s()
    hull = Qhull(shape.vertices)
    for (i, j, k), (*normal, _) in zip(hull.simplices.tolist(), hull.equations, strict=True):
        a, b, c = shape.vertices[[i, j, k]]
        turned = np.cross(b - a, c - a) @ normal < 0.0
        triangles.append(coal.Triangle(i, k, j) if turned else coal.Triangle(i, j, k))
    for vertex in shape.vertices:
        vertices.append(vertex)
    return coal.Convex(vertices, triangles)


def coal_distance(a, b, pose_a, pose_b):
    """Signed [m]. Where cylinders overlap, coal says at times that they do by more than they do."""
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    places = [coal.Transform3s(pose[:3, :3], pose[:3, 3]) for pose in (pose_a, pose_b)]
    return coal.distance(as_coal(a), places[0], as_coal(b), places[1], request, result)
