"""Ground is as high under points as its shape says."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from limbik.errors import CollisionError, GoalError
from limbik.motion import Ground
from strategies import vectors
from walker import stairs


def test_a_level_plane_is_everywhere_as_high() -> None:
    heights, normals = Ground.plane(0.3, up="z").under(np.zeros((4, 2, 3)))
    assert_allclose(heights, np.full((4, 2), 0.3))
    assert_allclose(normals, np.tile([0.0, 0.0, 1.0], (4, 2, 1)))


@given(vectors(), vectors(), st.floats(-1.0, 1.0))
def test_points_of_a_slope_are_on_its_plane(point: np.ndarray, normal: np.ndarray, height: float) -> None:
    normal = normal + np.array([0.0, 3.0, 0.0])
    found, normals = Ground.plane(height, normal).under(point)
    on_plane = np.array([point[0], found, point[2]]) - np.array([0.0, height, 0.0])
    assert abs(on_plane @ normals) < 1e-9
    assert_allclose(normals, normal / np.linalg.norm(normal))


@given(st.integers(0, 2**32 - 1))
def test_a_heightfield_and_a_mesh_of_a_slope_are_the_slope(seed: int) -> None:
    rng = np.random.default_rng(seed)
    slope = rng.uniform(-0.4, 0.4, 2)
    x, z = np.meshgrid(np.arange(5) * 0.5 - 1.0, np.arange(4) * 0.5 - 0.7, indexing="ij")
    heights = slope[0] * x + slope[1] * z + 0.1
    plane = Ground.plane(0.1, [-slope[0], 1.0, -slope[1]])
    field = Ground.heightfield(heights, 0.5, origin=(-1.0, -0.7))
    number = np.arange(20).reshape(5, 4)
    corners = [number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]]
    a, b, c, d = (each.ravel() for each in corners)
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    mesh = Ground.mesh((np.stack([x, heights, z], axis=-1).reshape(-1, 3), faces))
    points = rng.uniform([-1.0, 1.0, -0.7], [1.0, 2.0, 0.79], (50, 3))
    expected = plane.under(points)
    for ground in (field, mesh):
        found = ground.under(points)
        assert_allclose(found[0], expected[0], atol=1e-9)
        assert_allclose(found[1], expected[1], atol=1e-9)


def test_a_heightfield_goes_on_level_beyond_its_edge() -> None:
    field = Ground.heightfield([[0.0, 0.0], [1.0, 1.0]], 1.0, up="z")
    heights, normals = field.under([[3.0, 0.5, 9.0], [0.5, -2.0, 9.0]])
    assert_allclose(heights, [1.0, 0.5])
    assert_allclose(normals[0], [0.0, 0.0, 1.0])
    assert_allclose(normals[1], np.array([-1.0, 0.0, 1.0]) / math.sqrt(2.0))


def test_stairs_are_as_high_as_their_steps() -> None:
    ground = Ground.mesh(stairs(rise=0.15, run=0.3, count=5))
    heights, normals = ground.under([[0.0, 1.0, -0.5], [0.0, 1.0, 0.1], [0.0, 1.0, 0.45], [0.0, 1.0, 1.45]])
    assert_allclose(heights, [0.0, 0.15, 0.3, 0.75])
    assert_allclose(normals, np.tile([0.0, 1.0, 0.0], (4, 1)))


def test_a_ceiling_is_no_ground() -> None:
    square = np.array([[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]])
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    both = np.concatenate([square, square + np.array([0.0, 2.0, 0.0])])
    ground = Ground.mesh((both, np.concatenate([faces, faces + 4])))
    heights, _ = ground.under([[0.2, 0.1, 0.0], [0.2, 1.8, 0.0], [0.2, -0.3, 0.0], [5.0, 0.0, 0.0]])
    assert_allclose(heights, [0.0, 2.0, 0.0, -math.inf])


def test_a_copy_is_the_same_ground() -> None:
    points = np.array([[0.1, 0.0, 0.2], [0.7, 0.0, 0.9]])
    heights = [[0.0, 0.3], [0.1, 0.2]]
    for ground in (Ground.plane(0.1, (0.1, 1.0, 0.0)), Ground.heightfield(heights, 1.0)):
        copied = pickle.loads(pickle.dumps(ground))
        for found, expected in zip(copied.under(points), ground.under(points), strict=True):
            np.testing.assert_array_equal(found, expected)


def test_bad_ground_is_named() -> None:
    with pytest.raises(GoalError, match=r"height needs numbers up to 1e\+06 \[m\], found 1e\+300"):
        Ground.plane(1e300)
    with pytest.raises(GoalError, match="up needs"):
        Ground.plane(up="w")  # type: ignore[arg-type]
    with pytest.raises(GoalError, match="normal needs a part along y"):
        Ground.plane(normal=[1.0, 0.0, 0.0])
    with pytest.raises(GoalError, match="heights needs"):
        Ground.heightfield([1.0, 2.0], 1.0)
    with pytest.raises(GoalError, match="spacing needs"):
        Ground.heightfield(np.zeros((2, 2)), 0.0)
    with pytest.raises(GoalError, match=r"spacing needs a distance \[m\] from 1e-06 to 1e\+06, found 1e-307"):
        Ground.heightfield(np.eye(2), 1e-307)
    with pytest.raises(GoalError, match=r"heights needs numbers up to 1e\+06 \[m\], found 1e\+308"):
        Ground.heightfield(1e308 * np.eye(2), 1.0)
    with pytest.raises(GoalError, match=r"origin needs numbers up to 1e\+06 \[m\], found 1e\+308"):
        Ground.heightfield(np.eye(2), 1.0, origin=(0.0, 1e308))
    with pytest.raises(CollisionError, match="vertices"):
        Ground.mesh((np.zeros((3, 2)), [[0, 1, 2]]))
    with pytest.raises(CollisionError, match="no mesh"):
        Ground.mesh("nowhere.stl")
    with pytest.raises(GoalError, match="points needs"):
        Ground.plane().under([1.0, 2.0])
    with pytest.raises(GoalError, match=r"points needs numbers up to 1e\+12 \[m\], found 1e\+308"):
        Ground.plane().under([0.0, 0.0, -1e308])
