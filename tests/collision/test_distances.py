"""Signed distances of convex pieces, by machine code and by Python."""

import numpy as np
import pytest

from collision.oracle import coal_distance, random_hull, random_pose, random_shape
from limbik.collision import Box, Capsule, ConvexHull, Cylinder, Sphere
from limbik.collision.geometry import bounding_sphere
from limbik.collision.nearest import ANY, NEAREST
from limbik.collision.pack import PlacedBody, packed, packed_body
from limbik.collision.pieces import pieces_of
from limbik.collision.programs import collisions
from limbik.collision.records import Cores
from limbik.collision.search import Search
from limbik.collision.support import support
from limbik.compiler import native
from limbik.compiler.call import Call
from limbik.tree.joints import FRAME_SIZE
from limbik.tree.kinematics import LINK

NO_LINKS, NO_Q = np.zeros(0, LINK), np.zeros(0)


@pytest.fixture(scope="module", autouse=True)
def _machine_code():
    native.compile_now(collisions())


def search_of(shapes, poses, pose_body_shape=None):
    placed = []
    for k, shape in enumerate(shapes):
        pieces = pieces_of(shape)
        body = packed_body(pieces, *bounding_sphere(pieces), pose_body_shape)
        placed.append(PlacedBody(str(k), body, 1 + k, -1))
    pairs = np.array([[0, 1]])
    return Search(NO_LINKS, packed(placed, FRAME_SIZE), np.array(poses), pairs, 0, 0)


def result_of(shapes, poses):
    """Distance, normal and points of two shapes."""
    (numbers,), _ = search_of(shapes, poses).run(NO_Q, NEAREST, np.inf)
    return numbers[1], numbers[2:5], numbers[5:8], numbers[8:11]


def proved(shapes, poses, normal):
    """How far apart two shapes are along a unit vector, by all of their vertices; below the real distance."""
    lows = []
    for shape, pose, side in zip(shapes, poses, (1.0, -1.0), strict=True):
        (piece,) = [each.moved(pose) for each in pieces_of(shape)]
        across = 0.0
        if piece.disc > 0.0:
            axis = piece.vertices[1] - piece.vertices[0]
            across = piece.disc * np.linalg.norm(np.cross(normal, axis)) / np.linalg.norm(axis)
        lows.append((piece.vertices @ (side * normal)).min() - piece.radius - across)
    return sum(lows)


@pytest.mark.parametrize("seed", range(8))
def test_distances_are_those_of_coal(seed):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        shapes, poses = [random_shape(rng) for _ in range(2)], [random_pose(rng) for _ in range(2)]
        distance, normal, first, second = result_of(shapes, poses)
        expected = coal_distance(*shapes, *poses)
        if not (distance < 0.0 and any(isinstance(shape, Cylinder) for shape in shapes)):
            assert distance == pytest.approx(expected, abs=2e-5)
        assert distance == pytest.approx(proved(shapes, poses, normal), abs=1e-9)
        assert first - second == pytest.approx(distance * normal, abs=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_one_is_out_of_the_other_when_it_went_along_the_normal(seed):
    rng = np.random.default_rng(seed)
    for _ in range(50):
        shapes, poses = [random_shape(rng) for _ in range(2)], [random_pose(rng, 0.2) for _ in range(2)]
        distance, normal, _, _ = result_of(shapes, poses)
        if distance < 0.0:
            poses[0][:3, 3] -= (distance - 1e-6) * normal
            assert result_of(shapes, poses)[0] == pytest.approx(1e-6, abs=1e-7)


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1e3])
def test_distances_grow_with_sizes(scale):
    rng = np.random.default_rng(7)
    for _ in range(30):
        shapes, poses = (
            [random_hull(rng, 20, np.ones(3)) for _ in range(2)],
            [random_pose(rng), random_pose(rng)],
        )
        scaled = [ConvexHull(scale * shape.vertices) for shape in shapes]
        moved = [pose.copy() for pose in poses]
        for pose in moved:
            pose[:3, 3] *= scale
        assert result_of(scaled, moved)[0] / scale == pytest.approx(result_of(shapes, poses)[0], abs=1e-7)


SEGMENT = ConvexHull([[-0.5, 0, 0], [0.5, 0, 0]])
SQUARE = ConvexHull([[-0.5, -0.5, 0], [0.5, -0.5, 0], [0.5, 0.5, 0], [-0.5, 0.5, 0]])
POINT = ConvexHull([[0.0, 0.0, 0.0]])
TWICE = ConvexHull([[0.0, 0.0, 0.0]] * 5)
FLAT_OR_LESS = [
    SEGMENT,
    SQUARE,
    POINT,
    TWICE,
    Sphere(0.1),
    Capsule(0.1, 1.0),
    Box((1, 1, 1)),
    Cylinder(0.2, 1.0),
]


@pytest.mark.parametrize("a", FLAT_OR_LESS, ids=lambda shape: type(shape).__name__)
@pytest.mark.parametrize("b", FLAT_OR_LESS, ids=lambda shape: type(shape).__name__)
def test_what_shares_its_center_touches(a, b):
    for turn in (0.0, 0.3, np.pi / 2):
        pose = np.eye(4)
        pose[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
        distance, normal, first, second = result_of([a, b], [np.eye(4), pose])
        assert distance <= 1e-12
        assert np.linalg.norm(normal) == pytest.approx(1.0)
        assert distance == pytest.approx(proved([a, b], [np.eye(4), pose], normal), abs=1e-9)
        assert np.isfinite([*first, *second]).all()
        assert search_of([a, b], [np.eye(4), pose]).is_any(NO_Q, 0.0)


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9, 0.0, -1e-9, -1e-6, -1e-3])
def test_boxes_face_to_face_are_as_far_apart_as_their_faces(gap):
    pose = np.eye(4)
    pose[:3, 3] = 0.1, -0.2, 1.0 + gap
    shapes, poses = [Box((1, 1, 1))] * 2, [np.eye(4), pose]
    distance, normal, _, _ = result_of(shapes, poses)
    assert distance == pytest.approx(gap, abs=1e-10)
    assert normal == pytest.approx([0, 0, -1], abs=1e-9)


@pytest.mark.parametrize("gap", [0.02, 1e-6, -0.02])
def test_cylinders_on_faces_are_as_far_from_them_as_their_ends(gap):
    rng, box, cylinder = np.random.default_rng(11), Box((1, 1, 1)), Cylinder(0.3, 0.1)
    for _ in range(100):
        pose = random_pose(rng)  # of all in the frames of their bodies, so that no axis is one of the frame's
        above = np.eye(4)
        above[:3, 3] = 0.05, -0.1, 0.55 + gap
        above = pose @ above @ np.linalg.inv(pose)
        (numbers,), _ = search_of([box, cylinder], [np.eye(4), above], pose).run(NO_Q, NEAREST, np.inf)
        assert numbers[1] == pytest.approx(gap, abs=1e-9)


def test_the_farthest_point_of_a_cylinder_is_on_its_end():
    rng = np.random.default_rng(12)
    for _ in range(100):
        (piece,) = [each.moved(random_pose(rng)) for each in pieces_of(Cylinder(0.3, 0.1))]
        body = packed_body([piece], np.zeros(3), 1.0)
        _, pieces, *cores = packed([PlacedBody("it", body, 0, -1)], FRAME_SIZE)
        ends = piece.vertices
        axis = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
        for off in (0.0, 1e-17, 1e-16, 1e-15, 1e-12, 1e-6, 0.1):
            direction = axis + off * rng.normal(size=3)
            record = pieces.view(np.recarray)[0]
            point = support.interpreted(record, Cores(*cores), *direction) - ends[1]
            assert point @ axis == pytest.approx(0.0, abs=1e-14)
            assert np.linalg.norm(point) <= 0.3 * (1 + 1e-14)
            across = np.linalg.norm(direction - direction @ axis * axis)
            assert point @ direction == pytest.approx(0.3 * across, abs=1e-14)


def test_any_and_nearest_agree():
    rng = np.random.default_rng(3)
    for _ in range(100):
        shapes, poses = [random_shape(rng) for _ in range(2)], [random_pose(rng) for _ in range(2)]
        search = search_of(shapes, poses)
        distance = search.run(NO_Q, NEAREST, np.inf).numbers[0, 1]
        for horizon in (0.0, 0.1, distance - 1e-6, distance + 1e-6):
            assert search.is_any(NO_Q, horizon) == (distance <= horizon)
            assert len(search.run(NO_Q, ANY, horizon).numbers) == (distance <= horizon)


def test_python_finds_what_machine_code_finds(monkeypatch):
    rng = np.random.default_rng(5)
    for _ in range(20):
        search = search_of([random_shape(rng) for _ in range(2)], [random_pose(rng) for _ in range(2)])
        compiled = search.run(NO_Q, NEAREST, np.inf).numbers
        with monkeypatch.context() as patched:
            patched.setattr(Call, "run", Call.interpret)
            assert search.run(NO_Q, NEAREST, np.inf).numbers == pytest.approx(compiled, abs=1e-7)
