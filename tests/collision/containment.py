"""Distances of points to pieces and surfaces, by coal and by formulas."""

import coal
import numpy as np
from scipy.optimize import nnls
from scipy.spatial import ConvexHull as Qhull

POINT = coal.Sphere(1e-9)


def beyond(piece, points):
    """How far points [n, 3] are outside of a piece: [n] in metres, at most 0 inside."""
    if len(piece.vertices) == 1:
        return np.linalg.norm(points - piece.vertices[0], axis=1) - piece.radius
    if len(piece.vertices) == 2:
        return _beyond_segment(piece, points)
    if piece.radius == 0.0 and np.linalg.matrix_rank(piece.vertices - piece.vertices[0], tol=1e-9) == 3:
        planes = Qhull(piece.vertices).equations
        return (points @ planes[:, :3].T + planes[:, 3]).max(axis=1)
    return np.array([_at_most_to_hull(piece.vertices, point) for point in points]) - piece.radius


def _at_most_to_hull(vertices, point):
    """The distance [m] of a point to a convex combination of vertices [k, 3], near the nearest one."""
    weights, _ = nnls(np.vstack([vertices.T, np.full(len(vertices), 1e3)]), np.append(point, 1e3))
    return np.linalg.norm(weights @ vertices / weights.sum() - point)


def _beyond_segment(piece, points):
    start, end = piece.vertices
    length = np.linalg.norm(end - start)
    axis = (end - start) / length
    along = (points - start) @ axis
    if piece.disc == 0.0:
        return (
            np.linalg.norm(points - start - np.clip(along, 0, length)[:, None] * axis, axis=1) - piece.radius
        )
    across = np.linalg.norm(points - start - along[:, None] * axis, axis=1) - piece.disc
    out = np.stack([across, np.abs(along - 0.5 * length) - 0.5 * length]).clip(0.0)
    return np.where((out > 0.0).any(axis=0), np.linalg.norm(out, axis=0), -0.0) - piece.radius


def to_coal(shape, points):
    """Distances of points [n, 3] to a shape of coal: [n] in metres."""
    request, place = coal.DistanceRequest(), coal.Transform3s()
    found = []
    for point in points:
        at = coal.Transform3s(np.eye(3), point)
        found.append(coal.distance(shape, place, POINT, at, request, coal.DistanceResult()))
    return np.array(found)


def surface(triangles):
    """A surface of triangles [m, 3, 3] for coal."""
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(triangles), 3 * len(triangles))
    for triangle in triangles:
        model.addTriangle(*triangle)
    model.endModel()
    return model
