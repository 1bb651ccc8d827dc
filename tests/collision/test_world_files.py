import json
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from limbik.collision import (
    Box,
    Capsule,
    ConvexHull,
    Cylinder,
    DistanceGrid,
    Mesh,
    Points,
    Sphere,
    World,
    load_world,
    save_world,
)
from limbik.errors import CollisionError, FormatError, FormatWarning
from limbik.spatial import pose_from, rotation_exp

TETRAHEDRON = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
POSE = pose_from(rotation_exp(np.array([0.3, -0.2, 0.9])), [0.1, 0.2, 0.3])


def every_shape() -> World:
    world = World()
    world.add("sphere", Sphere(0.1), POSE)
    world.add("box", Box((0.1, 0.2, 0.3)), POSE, touch=["base"])
    world.add("cylinder", Cylinder(0.1, 0.5), POSE)
    world.add("capsule", Capsule(0.1, 0.5))
    world.add("hull", ConvexHull(TETRAHEDRON), (1, 2, 3))
    world.add("mesh", Mesh(vertices=TETRAHEDRON, triangles=FACES, scale=(1, 2, 3), is_hull=True))
    world.add("points", Points(TETRAHEDRON, 0.01))
    world.add("grid", DistanceGrid(np.arange(8.0).reshape(2, 2, 2), 0.5, np.ones(3)))
    return world


def same(one: object, other: object) -> bool:
    return type(one) is type(other) and all(
        np.array_equal(np.asarray(value), np.asarray(vars(other)[name])) for name, value in vars(one).items()
    )


@pytest.mark.parametrize("ending", ["json", "yaml"])
def test_a_world_that_is_written_is_read_again(tmp_path: Path, ending: str) -> None:
    world = every_shape()
    save_world(world, tmp_path / f"world.{ending}")
    again = load_world(tmp_path / f"world.{ending}")
    assert again.names == world.names
    for one, other in zip(world, again, strict=True):
        assert same(one.shape, other.shape) and one.touch == other.touch
        np.testing.assert_allclose(one.pose, other.pose, atol=1e-15)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('\n{"objects": {"a": {"sphere": 0.1}, "a": {"box": [1, 1, 1]}}}', "has the name 'a' twice"),
        ('\n{"objects": {"a": {"sphere": 0.1, "sphere": 0.2}}}', "has the name 'sphere' twice"),
        ("objects:\n  a: {sphere: 0.1}\n  a: {box: [1, 1, 1]}\n", ":3: is not YAML: 'a' stands twice"),
        ("objects:\n  a: {sphere: 0.1, sphere: 0.2}\n", ":2: is not YAML: 'sphere' stands twice"),
    ],
)
def test_an_object_of_a_repeated_name_is_not_lost(text: str, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        load_world(text)


def test_a_mesh_that_is_missing_is_named_with_its_object(tmp_path: Path) -> None:
    (tmp_path / "world.yaml").write_text("objects:\n  cup: {mesh: {path: meshes/cup.stl}}\n")
    with pytest.raises(FormatError, match=r"world\.yaml: object 'cup': there is no mesh '.*meshes/cup\.stl'"):
        load_world(tmp_path / "world.yaml")


def test_a_mesh_is_found_from_the_folder_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes/cup.stl").touch()
    (tmp_path / "world.yaml").write_text("objects:\n  cup: {mesh: {path: meshes/cup.stl}}\n")
    world = load_world(tmp_path / "world.yaml")
    assert world["cup"].shape.path == tmp_path / "meshes/cup.stl"
    save_world(world, tmp_path / "again.json")
    assert load_world(tmp_path / "again.json")["cup"].shape.path == tmp_path / "meshes/cup.stl"


def test_a_mesh_that_is_in_no_file_is_not_written(tmp_path: Path) -> None:
    world = World()
    world.add("cup", Mesh(path=Path("cup.stl"), data=b"solid"))
    with pytest.raises(CollisionError, match="object 'cup' cannot be saved"):
        save_world(world, tmp_path / "world.json")


SCENE = """(desk)
* table top
1
box
1.2 0.8 0.04
0.6 0 0.4
0 0 0 1
0 0 0 0
* can
2
cylinder
0.03 0.12
0.5 0 0.5
0 0 0.7071067811865476 0.7071067811865476
0 0 0 0
sphere
0.03
0.5 0 0.56
0 0 0 1
1 0 0 1
.
"""
SCENE_WITH_POSES = """(desk)
* crate
1 0 0
0 0 0.7071067811865476 0.7071067811865476
1
box
0.1 0.2 0.3
0.5 0 0
0 0 0 1
0 0 0 0
1
handle
0 0 0.1
0 0 0 1
* cup
0 0 0
0 0 0 1
1
mesh
4 4
0 0 0
1 0 0
0 1 0
0 0 1
0 2 1
0 1 3
0 3 2
1 2 3
0 0 2
0 0 0 1
0 0 0 0
0
.
"""


def test_a_scene_text_is_read() -> None:
    world = load_world(SCENE)
    assert world.names == ("table top", "can/1", "can/2")
    assert world["table top"].shape == Box((1.2, 0.8, 0.04))
    assert world["can/1"].shape == Cylinder(0.03, 0.12)
    np.testing.assert_allclose(world["can/1"].pose[:3, 0], [0, 1, 0], atol=1e-15)
    assert world["can/2"].pose[2, 3] == 0.56


def test_a_scene_text_with_poses_of_objects_is_read() -> None:
    world = load_world(SCENE_WITH_POSES)
    assert world.names == ("crate", "cup")
    np.testing.assert_allclose(world["crate"].pose[:3, 3], [1, 0.5, 0], atol=1e-15)
    assert same(world["cup"].shape, Mesh(vertices=TETRAHEDRON, triangles=FACES))
    assert world["cup"].pose[2, 3] == 2.0


def test_shapes_that_limbik_does_not_have_are_told_or_contained() -> None:
    lines = SCENE.splitlines()
    cone = "\n".join([*lines[:3], "cone", "0.2 0.6", *lines[5:8], "."])
    hull = load_world(cone)["table top"].shape.vertices
    assert hull[:, 2].min() == -0.3 and hull[-1].tolist() == [0, 0, 0.3]
    turns = np.linspace(0, 2 * np.pi, 1000)
    x, y = 0.2 * np.cos(turns), 0.2 * np.sin(turns)
    edges = hull[:-1, :2] + np.roll(hull[:-1, :2], -1, axis=0)
    normals = edges / np.linalg.norm(edges, axis=1, keepdims=True)
    assert (normals @ np.array([x, y])).max() <= 0.5 * np.linalg.norm(edges, axis=1).min() + 1e-12
    plane = "\n".join([*lines[:3], "plane", "0 0 1 0", *lines[5:8], "."])
    with pytest.warns(FormatWarning, match="plane is left out"):
        assert len(load_world(plane)) == 0


MESSAGE = """
name: desk
robot_state: {attached_collision_objects: [{link_name: hand}]}
world:
  collision_objects:
    - id: table
      header: {frame_id: world}
      primitives: [{type: box, dimensions: [1.2, 0.8, 0.04]}]
      primitive_poses: [{position: [0.6, 0, 0.4], orientation: [0, 0, 0, 1]}]
    - id: can
      pose: {position: {x: 1, y: 0, z: 0}, orientation: {x: 0, y: 0, z: 0, w: 0}}
      primitives: [{type: 3, dimensions: [0.12, 0.03]}, {type: 2, dimensions: [0.03]}]
      primitive_poses:
        - {position: {x: 0.5, y: 0, z: 0}, orientation: {x: 0, y: 0, z: 0, w: 1}}
        - {position: {x: 0.6, y: 0, z: 0}, orientation: {x: 0, y: 0, z: 0, w: 1}}
    - id: cup
      meshes:
        - vertices: [{x: 0, y: 0, z: 0}, {x: 1, y: 0, z: 0}, {x: 0, y: 1, z: 0}, {x: 0, y: 0, z: 1}]
          triangles: [{vertex_indices: [0, 2, 1]}, {vertex_indices: [0, 1, 3]}]
"""


def test_a_planning_scene_is_read() -> None:
    with pytest.warns(FormatWarning, match="attached objects are left out"):
        world = load_world(MESSAGE)
    assert world.names == ("table", "can/1", "can/2", "cup")
    assert world["can/1"].shape == Cylinder(radius=0.03, length=0.12)
    assert world["can/2"].pose[0, 3] == 1.6
    assert world["cup"].shape.triangles.tolist() == [[0, 2, 1], [0, 1, 3]]


@pytest.mark.parametrize(
    ("entry", "is_told"),
    [
        ("link_padding: [{link_name: hand, padding: 0.02}]", True),
        ("link_scale: [{link_name: hand, scale: 1.1}]", True),
        ("link_padding: [{link_name: hand, padding: 0.0}]", False),
        ("link_scale: [{link_name: hand, scale: 1.0}]", False),
    ],
)
def test_padding_and_scale_of_links_are_left_out_with_a_warning(entry: str, is_told: bool) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        load_world(f"{MESSAGE}{entry}\n")
    assert any(f"`{entry.split(':')[0]}` is left out" in str(each.message) for each in told) is is_told


def test_the_shapes_of_a_description_are_a_world() -> None:
    urdf = """<robot name="desk"><link name="desk">
      <collision><origin xyz="0.6 0 0.4"/><geometry><box size="1.2 0.8 0.04"/></geometry></collision>
      <collision><origin xyz="0.1 0 0.2"/><geometry><box size="0.1 0.1 0.4"/></geometry></collision>
    </link></robot>"""
    world = load_world(urdf)
    assert world.names == ("desk", "desk/2")
    assert world["desk"].pose[0, 3] == 0.6 and world["desk/2"].shape == Box((0.1, 0.1, 0.4))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("objects:\n  table: {bix: [1, 1, 1]}\n", "no 'bix' in an object; did you mean 'box'"),
        ("objects:\n  table: {position: [1, 1, 1]}\n", "needs one shape of sphere, .* found none"),
        ("objects:\n  table: {box: [1, 1, 1], sphere: 1}\n", "found box, sphere"),
        ("objects:\n  table: {box: [1, 1]}\n", "`size` of a box needs 3 numbers"),
        ("objects:\n  table: {box: [1, 1, .nan]}\n", "finite"),
        ("objects:\n  table: {cylinder: {radius: 1}}\n", "cylinder needs length"),
        ("objects:\n  table: {cylinder: {radius: 1, height: 1}}\n", "no 'height' in a cylinder"),
        (
            "objects:\n  table: {box: [1, 1, 1], quaternion: [0, 0, 0, .inf]}\n",
            "orientation of object 'table'",
        ),
        (
            "objects:\n  table: {box: [1, 1, 1], quaternion: [0, 0, 0, 0]}\n",
            "orientation of object 'table'",
        ),
        ("objects:\n  table: {box: [1, 1, 1], position: [1, 1]}\n", "position of object 'table'"),
        ("objects:\n  table: {mesh: {path: 3}}\n", "`path` needs the path of a file"),
        ("objects:\n  table: {mesh: {}}\n", "a mesh needs either"),
        ("objects:\n  table: {mesh: {path: a.stl, is_hull: 0}}\n", "`is_hull` of a mesh needs True"),
        ("objects:\n  table: {sphere: true}\n", "`radius` of a sphere needs a number above 0"),
        ("objects:\n  table: {sphere: '1'}\n", "`radius` of a sphere needs a number above 0"),
        ("objects:\n  3: {sphere: 1}\n", "name of an object needs a text"),
        ("objects: [1]\n", "`objects` needs `name: value` pairs"),
        ("objects: {}\nobject: {a: 1}\n", "a world has `objects` alone, found 'object' beside them"),
        ("<robot name='r'><link name='a'/></robot>", "has no shapes that collide, which a world is made of"),
        ("things:\n  a: 1\n", "a world needs `objects`, or `collision_objects`"),
        ("- 1\n- 2\n", "a world needs `name: value` pairs"),
        ("a: &a [1]\nobjects: *a\n", "aliases are not read"),
        ("objects: {a: [}\n", "is not YAML"),
        ('{"objects": \n', "is not JSON"),
        ('{"objects":\n' + "[" * 100_000, "too deep"),
        ("collision_objects:\n  - primitives: []\n", "object 1 needs an `id`"),
        ("collision_objects:\n  - {id: a, primitives: []}\n", "object 'a': has no shapes: give `primitives`"),
        ("collision_objects:\n  - {id: a, primitives: [{type: bax}]}\n", "`type` needs one of box"),
        (
            "collision_objects:\n  - {id: a, primitives: [{type: 2, dimensions: [1, 2]}]}\n",
            "`dimensions` of a",
        ),
        (
            "collision_objects:\n  - {id: a, primitives: [{type: 2, dimensions: [1]}], "
            "primitive_poses: [{}, {}]}\n",
            "as many `primitive_poses` as `primitives`: 1, found 2",
        ),
        ("collision_objects:\n  - {id: a, meshes: [{vertices: [{x: 1}]}]}\n", "`vertices` of a mesh"),
        ("collision_objects: 3\n", "`collision_objects` needs a list"),
        (SCENE.replace("sphere", "sphare"), ":16: .*no shape 'sphare'; did you mean 'sphere'"),
        (SCENE.replace("0.03 0.12", "0.03 wide"), "expected numbers, found"),
        (SCENE.replace("0.03 0.12", "-0.03 0.12"), "object 'can': `radius` of a cylinder"),
        (SCENE.removesuffix(".\n"), "ends in the middle of an object"),
        (SCENE.replace("0.03 0.12", "0.03 1_2"), "expected numbers, found"),
        (SCENE.replace("0.03 0.12", "0.03 \u0661"), "expected numbers, found"),
        (SCENE.replace("\n1\n", "\n1.5\n"), "expected a whole number"),
        (SCENE.replace("\n1\n", "\ninf\n"), "expected a whole number"),
        (SCENE.replace("* can", "can"), "expected `\\* name` of an object"),
        (SCENE.replace("* can", "* table top/1").replace("table top\n", "table top/1/1\n"), "already has"),
        (SCENE_WITH_POSES.replace("4 4", "99999999 99999999"), "too large"),
        (SCENE_WITH_POSES.replace("4 4", "4000 4000"), "ends in the middle|expected numbers"),
    ],
)
def test_a_file_that_means_nothing_is_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load_world(text)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    for name, content in (("a.json", b"\x00\x01\x02"), ("b.json", b""), ("c.json", json.dumps(3).encode())):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(FormatError, match=name):
            load_world(tmp_path / name)
    with pytest.raises(FormatError, match="no such file"):
        load_world(tmp_path / "d.json")


BOX = {"type": "box", "dimensions": [0.1, 0.2, 0.3]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"primitve": [BOX]}, "object 'a': there is no 'primitve' in an object; did you mean 'primitives'"),
        ({"primitives": [BOX], "primitive_pose": []}, "there is no 'primitive_pose' in an object"),
        (
            {"primitives": [BOX], "primitive_poses": [{"positon": [1, 0, 0]}]},
            "no 'positon' in a pose",
        ),
        ({"primitives": [{**BOX, "dimension": 1}]}, "there is no 'dimension' in a primitive"),
        ({"primitives": [BOX], "header": {"fame_id": "tool0"}}, "there is no 'fame_id' in a header"),
        ({"primitives": [BOX], "header": "tool0"}, "the header of object 'a' needs"),
        ({"meshes": [{"vertexes": []}]}, "there is no 'vertexes' in a mesh"),
        ({"meshes": [{"vertices": [{"x": 0, "y": 0, "v": 0}]}]}, "there is no 'v' in x, y and z"),
        ({"meshes": [{"triangles": [{"vertices": [0, 1, 2]}]}]}, "there is no 'vertices' in a triangle"),
        ({"primitives": [BOX], "pose": {"position": {"x": 0, "y": 0, "z": 0, "u": 1}}}, "no 'u' in x, y and"),
        ({"primitives": [BOX], "operation": 1}, "`operation` needs 0, which adds it, found 1"),
        ({"primitives": [BOX], "operation": "REMOVE"}, "needs 0, which adds it, found 'REMOVE'"),
        ({"primitives": [BOX], "operation": 9}, "needs 0, which adds it, found 9"),
        ({"primitives": [{**BOX, "type": True}]}, "`type` needs one of box"),
    ],
)
def test_a_message_from_which_something_would_be_lost_is_refused(change, said):
    with pytest.raises(FormatError, match=re.escape(said)):
        load_world(json.dumps({"collision_objects": [{"id": "a", **change}]}, indent=1))


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({"objects": {}}, "there is no 'objects' in a planning scene"),
        ({"world": {"collision_objects": []}}, "has `collision_objects` twice"),
    ],
)
def test_a_message_has_its_objects_in_one_place(others, said):
    with pytest.raises(FormatError, match=said):
        load_world(json.dumps({"collision_objects": [], **others}, indent=1))


def test_objects_in_several_frames_are_told():
    objects = [
        {"id": name, "primitives": [BOX], "header": {"frame_id": frame}}
        for name, frame in (("a", "world"), ("b", "tool0"), ("c", "world"))
    ]
    with pytest.warns(FormatWarning, match="in the frames tool0, world; all are taken to be in one"):
        load_world(json.dumps({"collision_objects": objects}, indent=1))


def test_what_stands_behind_the_end_of_a_scene_is_refused():
    ball = "* %s\n0 0 0\n0 0 0 1\n1\nsphere\n0.1\n0 0 0\n0 0 0 1\n0 0 0 0\n0\n"
    text = "(noname)+\n" + ball % "a" + ".\n"
    assert load_world(text + "\n \n").names == ("a",)
    with pytest.raises(FormatError, match="nothing behind the full stop, found"):
        load_world(text + ball % "b" + ".\n")
