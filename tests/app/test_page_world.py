"""What stands around the arms of a page: arms keep clear of it, and what is told of collisions is true."""

import itertools
import json
import time

import numpy as np
import pytest
import trimesh

from limbik import Pose, load
from limbik.app.collision_shapes import PreparedShapes
from limbik.app.protocol.reading import MessageError
from limbik.app.protocol.space import ExplainRequest, decode_move
from limbik.app.protocol.world import MAX_OBJECTS
from limbik.app.scene_opener import SceneOpener
from limbik.app.space_session import SpaceSession
from limbik.app.upload import Upload
from limbik.collision import Box, Cylinder, Sphere, World, load_world
from limbik.collision.object_files import objects_in
from limbik.errors import FormatError, LimbikError
from limbik.formats.source import Source
from limbik.spatial import quat_from_matrix
from space_scenes import TABLE, goal, moving, opening, request

WORKSHOP = SceneOpener()
DOWN = {"quat_xyzw": [1.0, 0.0, 0.0, 0.0]}
NO_TURN = [0, 0, 0, 1]
PATIENCE = 120.0  # [s]
RING = trimesh.creation.torus(0.2, 0.05, major_sections=12, minor_sections=6)


def thing(name, kind="box", size=(0.1, 0.1, 0.1), position=(0, 0, 0), **others):
    return {
        "name": name,
        "kind": kind,
        "size": list(size),
        "position": list(position),
        "quat_xyzw": NO_TURN,
        **others,
    }


def around(*things, clearance=0.0):
    return {"objects": list(things), "clearance": clearance}


@pytest.fixture(scope="module")
def shaped():
    """A session whose arm has its collision shapes."""
    session = SpaceSession(WORKSHOP)
    session.open(request(**opening(names=["ur5e"])))
    wait_for_shapes(session)
    return session


def wait_for_shapes(session):
    arm = session._opened.arms[0]
    end = time.monotonic() + PATIENCE
    while not WORKSHOP.shapes.are_ready(arm):
        assert time.monotonic() < end
        time.sleep(0.02)


def moved(session, goals, **options):
    (arm,) = decode_move(session.move(request(**moving(goals, **options))).encode()).arms
    return arm


def a_pose(session, q):
    pose = session._opened.arms[0].model.pose(q)
    return goal("flange", pose[:3, 3].tolist(), "pose", quat_xyzw=quat_from_matrix(pose[:3, :3]).tolist())


Q = np.array([0.3, -1.2, 1.4, -1.0, -1.3, 0.2])


def test_an_arm_goes_to_a_solution_that_is_free_and_tells_what_is_near(shaped):
    model = shaped._opened.arms[0].model
    goals = [a_pose(shaped, Q)]
    start = {"start": {"lm": Q.tolist()}}
    elbow = model.pose(Q, "link3")[:3, 3]
    first = moved(shaped, goals, entry=start)
    np.testing.assert_allclose(first.q, Q, atol=1e-3)
    assert first.near is None  # nobody asked
    post = thing("post", "sphere", [0.08], elbow)
    free = moved(shaped, goals, entry=start, world=around(post, clearance=0.005))
    assert free.status == "solved"
    assert np.abs(free.q - Q).max() > 0.3
    world = World()
    world.add("post", Sphere(0.08), elbow)
    q = free.q.astype(float)
    check = model.check(q, world, clearance=0.005)
    assert check.is_free
    assert min(one["distance"] for one in free.near) == pytest.approx(check.distance, abs=1e-6)
    assert free.near[0]["pair"] == list(check.pair)
    np.testing.assert_allclose(free.near[0]["points"], check.points.ravel(), atol=1e-6)


HELD = """<robot name="crane"><link name="base"/><link name="boom"/><link name="hook">
    <collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <joint name="slew" type="continuous"><parent link="base"/><child link="boom"/><axis xyz="0 0 1"/></joint>
  <joint name="lift" type="prismatic"><parent link="boom"/><child link="hook"/><axis xyz="1 0 0"/>
    <limit lower="0.5" upper="1.5"/></joint></robot>"""


def test_a_goal_inside_an_object_collides_whatever_the_joints_do_and_remedies_help():
    session = SpaceSession(WORKSHOP)
    session.open(request(**opening(HELD)))
    wait_for_shapes(session)
    goals = [goal("hook", (1, 0, 0), "pose", quat_xyzw=NO_TURN)]
    world = around(thing("block", position=(1, 0.06, 0)))
    arm = moved(session, goals, world=world)
    assert arm.status == "goal_in_collision"
    assert arm.near[0]["pair"] == ["hook", "block"]
    assert arm.near[0]["links"] == ["hook", ""]
    assert arm.near[0]["distance"] == pytest.approx(-0.04, abs=1e-6)
    told = session.explain(request(type="explain", arm=0, q=[0, 1], goals=goals, world=world))
    assert told.status == "goal_in_collision"
    assert told.culprit == "Whatever the joints do, 'hook' is 40 mm deep in 'block'."
    assert told.nearest is None
    kinds = {one["kind"]: one for one in told.remedies}
    assert kinds["remove"]["name"] == "block"
    assert moved(session, goals, world=around()).status == "solved"


def test_where_every_solution_collides_it_is_said_what_is_in_the_way(shaped):
    goals = [a_pose(shaped, Q)]
    world = around(thing("block", position=goals[0]["position"]))
    arm = moved(shaped, goals, world=world)
    assert arm.status == "no_free_solution"
    assert any("block" in one["pair"] and one["distance"] < 0 for one in arm.near)
    told = shaped.explain(request(type="explain", arm=0, q=Q.tolist(), goals=goals, world=world))
    assert told.culprit == "Every solution is in collision: 'block' is in the way of most."
    assert {"kind": "remove", "name": "block"} in told.remedies
    shift = next(one["shift"] for one in told.remedies if one["kind"] == "shift")
    shifted = {**goals[0], "position": (np.array(goals[0]["position"]) + shift).tolist()}
    assert moved(shaped, [shifted], world=world, search=True).status == "solved"


def test_an_object_that_only_moves_stays_the_same_world(shaped):
    goals = [a_pose(shaped, Q)]
    moved(shaped, goals, world=around(thing("can", position=(2, 0, 0))))
    world = shaped._world._world
    moved(shaped, goals, world=around(thing("can", position=(1.9, 0, 0)), clearance=0.01))
    assert shaped._world._world is world
    np.testing.assert_allclose(world["can"].pose[:3, 3], (1.9, 0, 0))
    moved(shaped, goals, world=around(thing("can", "box", (0.2, 0.1, 0.1), (1.9, 0, 0))))
    assert shaped._world._world is not world


def test_solutions_are_told_which_of_them_collide(shaped):
    model = shaped._opened.arms[0].model
    world = around(thing("post", "sphere", [0.08], model.pose(Q, "link3")[:3, 3].tolist()))
    asked = {"type": "solutions", "arm": 0, "q": Q.tolist(), "goals": [a_pose(shaped, Q)]}
    found = shaped.solve_all(request(**asked, world=world))
    objects = World()
    objects.add("post", Sphere(0.08), model.pose(Q, "link3")[:3, 3])
    for q, collision in zip(found.q, found.collisions, strict=True):
        assert (collision == "") == model.check(np.array(q), objects).is_free
    assert "post" in found.collisions[0]
    assert "" in found.collisions
    assert set(shaped.solve_all(request(**asked)).collisions) == {""}


def test_what_an_arm_carries_moves_with_it_and_collides(shaped):
    goals = [a_pose(shaped, Q)]
    stick = thing("stick", "cylinder", [0.02, 0.3], (0, 0, 0.15), held={"arm": 0, "frame": "flange"})
    tip = shaped._opened.arms[0].model.pose(Q) @ np.array([0, 0, 0.28, 1])
    wall = thing("wall", "box", [0.05, 0.05, 0.05], tip[:3].tolist())
    assert moved(shaped, goals, world=around(wall)).status == "solved"
    both = moved(shaped, goals, world=around(wall, stick))
    assert both.status == "goal_in_collision"
    assert {"stick", "wall"} in [set(one["pair"]) for one in both.near]
    may = moved(shaped, goals, world=around(wall, {**stick, "touch": ["wall"]}))
    assert may.status == "solved"
    elsewhere = {**stick, "held": {"arm": 3, "frame": "flange"}}
    assert moved(shaped, goals, world=around(wall, elsewhere)).status == "solved"
    arm = decode_move(
        shaped.move(
            request(**moving(goals, world=around({**stick, "held": {"arm": 0, "frame": "nose"}})))
        ).encode()
    )
    assert arm.arms[0].near is None
    assert "nose" in arm.notes[0]


def test_collisions_are_left_aside_while_shapes_are_made_and_the_page_is_told(monkeypatch, shaped):
    monkeypatch.setattr(PreparedShapes, "are_ready", lambda self, arm: False)
    motion = shaped.move(request(**moving([a_pose(shaped, Q)], world=around())))
    assert motion.preparing
    assert motion.arms[0].near is None


def test_shapes_that_cannot_be_made_are_a_note_and_the_arm_moves(shaped):
    session = SpaceSession(WORKSHOP)
    mesh = '<collision><geometry><mesh filename="gone.stl"/></geometry></collision>'
    text = f"""<robot name="r"><link name="base"/><link name="tip">{mesh}</link>
      <joint name="j" type="continuous"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/>
      <origin xyz="1 0 0"/></joint></robot>"""
    session.open(request(**opening(text)))
    asked = request(**moving([goal("tip", (1, 0, 0))], world=around()))
    end = time.monotonic() + PATIENCE
    while (motion := session.move(asked)).preparing:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert motion.arms[0].status == "solved"
    assert "gone.stl" in motion.notes[0]


# Messages


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"kind": "cone"}, "kind"),
        ({"size": [1, 1]}, "size"),
        ({"size": [0, 1, 1]}, "size"),
        ({"size": [1, 1, "a"]}, "size"),
        ({"position": [1e9, 0, 0]}, "position"),
        ({"quat_xyzw": [0, 0, 0, 0]}, "quat_xyzw"),
        ({"name": ""}, "name"),
        ({"held": {"arm": 99, "frame": "a"}}, "held.arm"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_objects_that_have_no_meaning_are_refused_by_their_field(change, field):
    with pytest.raises(MessageError) as caught:
        request(**moving([], world=around({**thing("a"), **change})))
    assert caught.value.field == f"world.objects[0].{field}"


def test_names_come_once_and_clearance_is_a_length():
    with pytest.raises(MessageError, match="different names"):
        request(**moving([], world=around(thing("a"), thing("a"))))
    with pytest.raises(MessageError, match="clearance"):
        request(**moving([], world=around(clearance=-1)))
    asked = request(type="explain", arm=0, q=[0], goals=[goal("tip", (0, 0, 0))], world=None)
    assert isinstance(asked, ExplainRequest)
    assert asked.world is None


# Files


def read(name, text, workshop=WORKSHOP):
    session = SpaceSession(workshop)
    return session.read_world(request(type="world", name=name, text=text))


def uploaded(**files):
    """Files by their names, of which a dot is written as two underscores."""
    named = {name.replace("__", "."): content for name, content in files.items()}
    token = WORKSHOP.keep(Upload("files", named))
    return SpaceSession(WORKSHOP).read_world(request(type="world", name="files", token=token))


def test_objects_come_from_worlds_and_moveit_scenes_and_go_back_to_a_file(shaped):
    text = "(noname)+\n* table\n1\nbox\n0.5 1 0.05\n0.6 0 -0.1\n0 0 0 1\n0 0 0 0\n.\n"
    (table,) = read("kitchen.scene", text).objects
    assert (table["name"], table["kind"], table["size"]) == ("table", "box", [0.5, 1, 0.05])
    text = "objects:\n  post: {cylinder: {radius: 0.05, length: 1.0}, position: [0.3, 0.5, 0.5]}\n"
    (post,) = read("hall.yaml", text).objects
    written = shaped.export(request(type="export", format="world", world=around(table, post)))
    world = load_world(Source(written.name, written.text))
    assert world.names == ("table", "post")
    assert isinstance(world["table"].shape, Box)
    assert isinstance(world["post"].shape, Cylinder)
    np.testing.assert_allclose(world["post"].pose[:3, 3], (0.3, 0.5, 0.5))


def test_a_mesh_is_kept_by_the_server_and_the_arm_keeps_clear_of_it(shaped):
    answer = uploaded(ring__stl=RING.export(file_type="stl"))
    (told,) = answer.objects
    assert (told["name"], told["kind"]) == ("ring", "stored")
    assert "beyond" in answer.notes[0]
    drawn = WORKSHOP.stored_shapes.drawn(told["token"])
    vertices, triangles = np.frombuffer(drawn, "<u4", 2)
    assert triangles == len(RING.faces)
    assert len(drawn) == 8 + 12 * (vertices + triangles)
    goals = [a_pose(shaped, Q)]
    at = goals[0]["position"]
    hit = moved(shaped, goals, world=around({**told, "position": [at[0] + 0.2, *at[1:]]}))
    assert "ring" in hit.near[0]["pair"]
    assert hit.near[0]["distance"] < 0
    gone = {**told, "token": "0" * 40}
    motion = shaped.move(request(**moving(goals, world=around(gone))))
    assert "no longer has the shape of object 'ring'" in motion.notes[0]


def test_a_cloud_and_a_world_with_its_mesh(shaped):
    cloud = "# x y z\n" + "\n".join(f"{x} {y}, 0.5" for x, y in itertools.product((0, 0.1), repeat=2))
    (told,) = read("cloud.xyz", cloud).objects
    assert told["name"] == "cloud"
    vertices, triangles = np.frombuffer(WORKSHOP.stored_shapes.drawn(told["token"]), "<u4", 2)
    assert (vertices, triangles) == (4, 0)
    box = trimesh.creation.box((0.1, 0.2, 0.3)).export(file_type="stl")
    described = json.dumps({"objects": {"a": {"mesh": {"path": "box.stl"}, "position": [1, 0, 0]}}})
    answer = uploaded(world__json=described.encode(), box__stl=box)
    (told,) = answer.objects
    assert (told["name"], told["position"]) == ("a", [1, 0, 0])


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.yaml", "objects:\n  a: {mesh: {path: /etc/passwd}}", "did not come with it"),
        ("a.json", '{"objects": {"a": {"box": [0, 1, 1]}}}', "above 0"),
        ("a.json", '{"objects": {}}', "has no objects"),
        ("a.json", "{", "is not JSON"),
        ("a.xyz", "0 0 0\n1 2", "a.xyz:2: "),
        ("a.xyz", "0 0 nan", "three numbers"),
        ("a.xyz", "# nothing", "found 0"),
        ("a.scene", " ", "a.scene"),
        ("a.yaml", TABLE, "a.yaml"),
        ("a.stl", "\0" * 80 + "\x7f" * 4 + "\0" * 50, "too short"),
    ],
)
def test_files_that_hold_no_objects_are_refused_in_words(name, text, words):
    with pytest.raises(LimbikError, match=words) as caught:
        objects_in({name: text.encode()}, name)
    assert name in str(caught.value)


def test_more_objects_than_a_page_shows_and_lengths_beyond_its_own_are_refused():
    many = {"objects": {str(k): {"sphere": 0.1} for k in range(MAX_OBJECTS + 1)}}
    with pytest.raises(FormatError, match="up to 200"):
        read("a.json", json.dumps(many))
    with pytest.raises(LimbikError, match=r"lengths from 0\.0001 to 1000 m"):
        read("a.json", '{"objects": {"a": {"sphere": 1e5}}}')


def test_a_solve_beside_a_move_does_not_disturb_it(shaped):
    """Reasons and solutions are looked for in worlds of their own."""
    goals = [a_pose(shaped, Q)]
    world = around(thing("can", position=(2, 0, 0)))
    moved(shaped, goals, world=world)
    before = shaped._world._world
    shaped.explain(request(type="explain", arm=0, q=Q.tolist(), goals=goals, world=around()))
    assert shaped._world._world is before
    assert load("ur5e").solve(Pose(target=shaped._opened.arms[0].model.pose(Q))).success
