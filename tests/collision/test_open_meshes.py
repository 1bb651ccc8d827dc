"""Meshes that are not closed are named wherever someone asks what a check stands on."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from collision.meshes import mesh_of, star, stl
from limbik import load
from limbik.cli import app
from limbik.collision import Box, World, stored_arrays
from limbik.collision.open_edges import count_open_edges
from limbik.collision.pieces import measured_pieces_of

URDF = """<robot name="cup">
  <link name="base"/>
  <link name="cup"><collision><geometry><mesh filename="cup.stl"/></geometry></collision></link>
  <joint name="j" type="revolute"><parent link="base"/><child link="cup"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"""


@pytest.fixture(scope="module", autouse=True)
def _kept_apart(tmp_path_factory):
    """What is made is kept, but where no other test finds it."""
    folder = tmp_path_factory.mktemp("pieces")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored_arrays, "cache_folder", lambda content: folder)
        patch.setattr(stored_arrays, "can_keep", lambda: True)
        yield


def box(is_open=False):
    """The surface [m, 3, 3] of a cube of 0.2 m, without its upper face where it is open."""
    faces = []
    for axis in range(3):
        for side in (0.0, 1.0):
            if is_open and (axis, side) == (2, 1.0):
                continue
            square = np.insert([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)], axis, side, axis=1)
            faces += [square[[0, 1, 2]], square[[0, 2, 3]]]
    return 0.2 * np.array(faces) - 0.1


def robot_of(tmp_path, triangles):
    (tmp_path / "cup.stl").write_bytes(stl(triangles))
    path = tmp_path / "cup.urdf"
    path.write_text(URDF)
    return path


def test_edges_that_one_triangle_alone_has_are_open():
    assert count_open_edges(box()) == 0
    assert count_open_edges(box(is_open=True)) == 4
    assert count_open_edges(box()[1:]) == 3


def test_triangles_may_be_either_way_round_and_lose_their_last_digits():
    rng = np.random.default_rng(0)
    turned = box().astype(np.float32).astype(float)
    turned[::3] = turned[::3, ::-1]
    assert count_open_edges(turned[rng.permutation(len(turned))]) == 0


def test_triangles_without_an_area_open_nothing():
    a, b = box()[0, :2]
    assert count_open_edges(np.concatenate([box(), [[a, a, b], [a, a, a]]])) == 0


@pytest.mark.slow
def test_pieces_of_an_open_mesh_say_what_they_do_not_contain():
    triangles = star(np.array([0.3, 0.06, 0.3, 0.06, 0.3, 0.06]))
    found = measured_pieces_of(mesh_of(triangles[2:]))
    assert len(found.pieces) > 1
    assert found.gap.startswith("mesh given by vertices is open (")
    assert found.gap.endswith("its pieces contain its surface, not what it encloses")
    assert measured_pieces_of(mesh_of(triangles)).gap == ""


@pytest.mark.slow
def test_an_open_mesh_in_one_piece_says_that_this_is_its_hull():
    flat = box(is_open=True) * [1.0, 1.0, 0.02]  # 4 mm thick
    found = measured_pieces_of(mesh_of(flat))
    assert len(found.pieces) == 1 and found.gap == ""
    assert "mesh given by vertices is open (4 edges" in found.note and "taken as its hull" in found.note
    assert measured_pieces_of(mesh_of(box())).note == ""


def test_a_mesh_that_is_meant_as_its_hull_has_no_gap():
    found = measured_pieces_of(mesh_of(box(is_open=True), is_hull=True))
    assert found.gap == found.note == ""


@pytest.mark.slow
def test_an_open_mesh_on_the_disk_is_named_by_a_check(tmp_path):
    robot = load(robot_of(tmp_path, box(is_open=True)))
    world = World()
    world.add("table", Box((1.0, 1.0, 0.1)), (0.0, 0.0, -0.5))
    note = robot.check(robot.neutral, world).note
    assert note.startswith("cup: ") and "cup.stl' is open (4 edges" in note


def test_a_closed_mesh_on_the_disk_is_not_named(tmp_path):
    robot = load(robot_of(tmp_path, box()))
    assert "open" not in robot.check(robot.neutral, World()).note


@pytest.mark.slow
def test_an_open_object_is_named_by_the_check_of_a_world():
    def note_with(triangles):
        world = World()
        world.add("brick", Box((0.1, 0.1, 0.1)), (1.0, 0.0, 0.0))
        world.add("cup", mesh_of(triangles))
        return world.check().note

    assert "mesh given by vertices is open (4 edges" in note_with(box(is_open=True))
    assert note_with(box()) == ""


@pytest.mark.slow
def test_an_open_mesh_is_named_on_the_command_line(tmp_path):
    path = str(robot_of(tmp_path, star(np.array([0.3, 0.06, 0.3, 0.06, 0.3, 0.06]))[2:]))
    shown = CliRunner().invoke(app, ["collision", "info", path]).output
    assert "cup.stl' is open (" in " ".join(shown.split())
    data = json.loads(CliRunner().invoke(app, ["collision", "info", path, "--json"]).output)
    assert len(data["gaps"]) == 1 and data["gaps"][0].startswith("cup: mesh")
