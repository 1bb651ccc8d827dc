"""Meshes for tests: prisms over stars, which are closed and mostly concave, and STL files."""

import struct

import numpy as np

from limbik.collision import Mesh


def star(radii, height=0.1):
    """A closed prism [m, 3, 3] over the star with corners at these distances, in equal steps of the angle."""
    angles = 2.0 * np.pi * np.arange(len(radii)) / len(radii)
    low = np.stack([radii * np.cos(angles), radii * np.sin(angles), np.zeros(len(radii))], axis=1)
    high = low + np.array([0.0, 0.0, height])
    triangles = []
    for k in range(len(radii)):
        a, b, c, d = low[k - 1], low[k], high[k], high[k - 1]
        triangles += [(a, b, c), (a, c, d), ((0, 0, 0), b, a), ((0, 0, height), d, c)]
    return np.array(triangles, dtype=float)


def mesh_of(triangles, **options):
    return Mesh(vertices=triangles.reshape(-1, 3), triangles=np.arange(3 * len(triangles)).reshape(-1, 3),
                **options)  # fmt: skip


def stl(triangles, count=None):
    """A binary STL; count: that it says to have."""
    facets = b"".join(struct.pack("<12fH", 0, 0, 0, *triangle.ravel(), 0) for triangle in triangles)
    return bytes(80) + struct.pack("<I", len(triangles) if count is None else count) + facets


def samples(triangles, rng, count=400):
    """Random points [count, 3] of triangles [m, 3, 3], by their area."""
    areas = np.linalg.norm(
        np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1
    )
    chosen = triangles[rng.choice(len(triangles), count, p=areas / areas.sum())]
    return np.einsum("ni,nij->nj", rng.dirichlet([1.0, 1.0, 1.0], count), chosen)
