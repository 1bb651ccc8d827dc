"""Counts the open edges of a triangle mesh: 0 for a closed surface."""

from __future__ import annotations

import numpy as np

from limbik.spatial import Array

SAME = 1e-6  # [m] corners that are nearer are one


def count_open_edges(triangles: Array) -> int:
    """How many edges of triangles [m, 3, 3] an odd number of triangles share: 0 where the surface is closed.

    A surface without such edges parts space into inside and outside, whatever the orientation of its
    triangles are.
    """
    corners = np.round(triangles.reshape(-1, 3) / SAME).astype(np.int64)
    vertex_ids = np.unique(corners, axis=0, return_inverse=True)[1].reshape(-1, 3)
    edges = np.sort(np.concatenate([vertex_ids[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1)
    edges = edges[edges[:, 0] != edges[:, 1]]
    _, counts = np.unique(edges, axis=0, return_counts=True)
    return int((counts % 2).sum())
