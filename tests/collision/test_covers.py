"""Spheres about bodies contain their pieces, and reach beyond them by no more than is said."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collision.containment import to_coal
from collision.oracle import as_coal, random_pose, random_shape
from limbik.collision import Capsule, Cylinder, Sphere, stored_arrays
from limbik.collision.covers import WITHIN, cover
from limbik.collision.geometry import bounding_sphere
from limbik.collision.pieces import pieces_of


@pytest.fixture(scope="module", autouse=True)
def _nothing_is_kept():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored_arrays, "cache_folder", lambda content: None)
        yield


def border(shape, rng, count=200):
    """Points [n, 3] of a shape's border."""
    directions = rng.normal(size=(count, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    if isinstance(shape, Sphere):
        return shape.radius * directions
    if isinstance(shape, Capsule | Cylinder):
        ends = np.sign(directions[:, 2:]) * (0.0, 0.0, 0.5 * shape.length)
        if isinstance(shape, Capsule):
            return ends + shape.radius * directions
        around = directions * (1.0, 1.0, 0.0)
        return ends + shape.radius * around / np.linalg.norm(around, axis=1)[:, None]
    return pieces_of(shape)[0].vertices


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_spheres_contain_the_pieces_and_reach_no_farther_than_is_said(seed, count):
    rng = np.random.default_rng(seed)
    shapes = [random_shape(rng) for _ in range(count)]
    poses = [random_pose(rng) for _ in shapes]
    pieces = [pieces_of(shape)[0].moved(pose) for shape, pose in zip(shapes, poses, strict=True)]
    spheres = cover(pieces)
    center, radius = bounding_sphere(pieces)
    for shape, pose in zip(shapes, poses, strict=True):
        points = border(shape, rng)
        inside = rng.dirichlet(np.ones(len(points)), 200) @ points  # the shapes are convex
        moved = np.concatenate([points, inside]) @ pose[:3, :3].T + pose[:3, 3]
        assert (np.linalg.norm(moved - center, axis=1) <= radius).all()
        to_centers = np.linalg.norm(moved[:, None] - spheres.centers, axis=2)
        assert (to_centers <= spheres.radii).any(axis=1).all()
    directions = rng.normal(size=(40, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    for middle, size in zip(spheres.centers, spheres.radii, strict=True):
        outermost = middle + size * directions
        outside = np.min(
            [
                to_coal(as_coal(shape), (outermost - pose[:3, 3]) @ pose[:3, :3])
                for shape, pose in zip(shapes, poses, strict=True)
            ],
            axis=0,
        )
        assert outside.max() <= spheres.overshoot + 1e-5


def test_a_ball_is_its_own_cover():
    spheres = cover(pieces_of(Sphere(0.3)))
    assert len(spheres.radii) == 1
    assert 0.3 <= spheres.radii[0] <= 0.3 + 1e-6
    assert 0.0 <= spheres.overshoot < 1e-6


def test_a_slender_capsule_gets_several_spheres():
    spheres = cover(pieces_of(Capsule(0.05, 0.3)))
    assert 1 < len(spheres.radii) <= 8
    assert spheres.overshoot <= WITHIN
