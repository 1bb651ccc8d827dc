"""Grids of distances as obstacles."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import RegularGridInterpolator

import limbik
from limbik.collision import DistanceGrid, World
from limbik.collision.grid_pieces import grid_pieces
from limbik.errors import CollisionError


def contains(pieces, points):
    """Whether boxes contain points [n, 3]."""
    inside = np.zeros(len(points), bool)
    for piece in pieces:
        low, high = piece.vertices.min(axis=0), piece.vertices.max(axis=0)
        inside |= ((points >= low - 1e-12) & (points <= high + 1e-12)).all(axis=1)
    return inside


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_every_solid_point_is_in_a_box_and_no_box_is_far_from_one(seed):
    rng = np.random.default_rng(seed)
    distances = rng.normal(0.4, 1.0, rng.integers(2, 7, 3))
    spacing, origin = rng.uniform(0.01, 1.0), rng.normal(size=3)
    grid = DistanceGrid(distances, spacing, origin)
    if distances.min() > 0.0:
        with pytest.raises(CollisionError, match="0 or less somewhere"):
            grid_pieces(grid)
        return
    found = grid_pieces(grid)
    axes = [origin[k] + spacing * np.arange(n) for k, n in enumerate(distances.shape)]
    points = rng.uniform([axis[0] for axis in axes], [axis[-1] for axis in axes], (400, 3))
    solid = points[RegularGridInterpolator(axes, distances)(points) <= 0.0]
    assert contains(found.pieces, solid).all()
    corners = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)[distances <= 0.0]
    for piece in found.pieces:
        center = piece.vertices.mean(axis=0)
        size = np.ptp(piece.vertices, axis=0)
        assert np.abs(corners - center).max(axis=1).min() <= 0.5 * size.max() + found.overshoot
    assert found.overshoot == pytest.approx(spacing * np.sqrt(3.0))


def test_an_arm_is_checked_against_a_grid():
    axis = np.linspace(-0.5, 0.5, 21)
    x, y, z = np.meshgrid(axis, axis, axis, indexing="ij")
    ball = DistanceGrid(np.sqrt(x**2 + y**2 + z**2) - 0.2, 0.05, [-0.5, -0.5, -0.5])
    arm, world = limbik.load("iiwa14"), World()
    tool = arm.pose(arm.neutral)[:3, 3]
    world.add("ball", ball, tool + np.array([1.0, 0.0, 0.0]))
    assert arm.check(arm.neutral, world).is_free
    world.move("ball", tool)
    check = arm.check(arm.neutral, world)
    assert not check.is_free
    assert check.pair[1] == "ball"
