"""Distances between points and triangles, and triangles cut into smaller ones."""

from __future__ import annotations

import numpy as np

from limbik.spatial import Array

AT_A_TIME = 1 << 18  # pairs of a point and a triangle, by memory


def distances_to_triangles(points: Array, triangles: Array) -> Array:
    """Of each point [n, 3] to the nearest of some triangles [m, 3, 3]: [n] in metres."""
    step = max(1, AT_A_TIME // max(1, len(triangles)))
    parts = [
        distances_each(points[k : k + step, None], triangles).min(axis=1) for k in range(0, len(points), step)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def distances_each(points: Array, triangles: Array) -> Array:
    """Of each point [..., 3] to its triangle [..., 3, 3]: [...] in metres.

    To the inside of the triangle where the point's foot lies there, else to an edge. Each is the distance to
    some point of the triangle, whatever was rounded.
    """
    corners = triangles[..., 0, :], triangles[..., 1, :], triangles[..., 2, :]
    to_edges = [_to_segments(points, corners[k], corners[(k + 1) % 3]) for k in range(3)]
    u, v = corners[1] - corners[0], corners[2] - corners[0]
    normal = np.cross(u, v)
    area = np.sum(normal * normal, axis=-1)
    offset = points - corners[0]
    safe = np.where(area > 0.0, area, 1.0)
    s = np.sum(np.cross(offset, v) * normal, axis=-1) / safe
    t = np.sum(np.cross(u, offset) * normal, axis=-1) / safe
    is_inside = (area > 0.0) & (s >= 0.0) & (t >= 0.0) & (s + t <= 1.0)
    foot = offset - s[..., None] * u - t[..., None] * v
    to_plane = np.where(is_inside, np.sum(foot * foot, axis=-1), np.inf)
    return np.asarray(np.sqrt(np.minimum(np.minimum(*to_edges[:2]), np.minimum(to_edges[2], to_plane))))


def _to_segments(points: Array, a: Array, b: Array) -> Array:
    """Squared distances of points [..., 3] to segments between a and b [..., 3]."""
    along = b - a
    length = np.sum(along * along, axis=-1)
    offset = points - a
    fraction = np.clip(np.sum(offset * along, axis=-1) / np.where(length > 0.0, length, 1.0), 0.0, 1.0)
    left = offset - fraction[..., None] * along
    return np.asarray(np.sum(left * left, axis=-1))


def area(triangles: Array) -> float:
    """[m^2] of triangles [m, 3, 3] together."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    return 0.5 * float(np.linalg.norm(normals, axis=1).sum())


def longest_edges(triangles: Array) -> Array:
    """[m] in metres, of triangles [m, 3, 3]."""
    edges = triangles[:, [1, 2, 0]] - triangles
    return np.asarray(np.sqrt((edges * edges).sum(axis=-1)).max(axis=1))


def halved(triangles: Array) -> Array:
    """Each triangle [m, 3, 3] cut in two through the middle of its longest edge: [2 m, 3, 3]."""
    edges = triangles[:, [1, 2, 0]] - triangles
    first = (edges * edges).sum(axis=-1).argmax(axis=1)
    rows = np.arange(len(triangles))
    a, b, c = (triangles[rows, (first + k) % 3] for k in range(3))
    middle = 0.5 * (a + b)
    return np.concatenate([np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)])
