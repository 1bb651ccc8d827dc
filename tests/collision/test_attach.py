"""Objects that a robot carries: the same robot, and one body more."""

import pickle

import numpy as np
import pytest

import limbik
from collision.test_pairs import arm, names_of_checked, reasons
from limbik.collision import Box, Cylinder, Mesh, Sphere, World
from limbik.collision.geometry import geometry_of
from limbik.collision.pairs import RIGID
from limbik.errors import CollisionError, LimbikError, ModelError
from limbik.spatial import pose_from


def test_a_robot_that_carries_something_moves_as_before():
    model = arm()
    held = model.attach("can", Cylinder(0.03, 0.12))
    for q in model.random(0, 5):
        np.testing.assert_array_equal(held.forward(q), model.forward(q))
    assert held.frame_names == model.frame_names
    assert [body.name for body in geometry_of(model).bodies] == [
        body.name for body in geometry_of(held).bodies if body.name != "can"
    ]
    reachable = model.pose(model.random(1), "tip")[:3, 3]
    target = limbik.goals.Position(frame="tip", target=reachable)
    np.testing.assert_array_equal(held.solve(target).q, model.solve(target).q)


def test_the_object_is_where_its_frame_is():
    pose = np.eye(4)
    pose[:3, 3] = [0.1, 0.2, 0.3]
    held = arm().attach("ball", Sphere(0.05), pose=pose)
    (body,) = [each for each in geometry_of(held).bodies if each.name == "ball"]
    for q in held.random(2, 3):
        here = (held.pose(q, body.link) @ np.append(body.pieces[0].vertices[0], 1.0))[:3]
        np.testing.assert_allclose(here, (held.pose(q, held.end_effector) @ pose)[:3, 3], atol=1e-12)


def test_the_object_is_checked_against_all_but_what_it_is_rigid_with_and_may_touch():
    held = arm().attach("ball", Sphere(0.05), touch=["link3"])
    partners = {name for pair in names_of_checked(held) if "ball" in pair for name in pair} - {"ball"}
    assert partners == {arm().root, "link1", "link2"}
    assert reasons(held)[frozenset(("ball", "link4"))] == RIGID
    assert reasons(held)[frozenset(("ball", "link3"))] == "may touch what is attached"


def test_what_is_carried_and_was_left_in_the_world_is_told():
    held, world = arm().attach("can", Sphere(0.05)), World()
    world.add("can", Sphere(0.05), held.pose(held.neutral)[:3, 3])
    check = held.check(held.neutral, world)
    assert not check.is_free
    assert "'can' is an object of the world and of the robot" in check.explain()
    world.remove("can")
    assert "of the world and of the robot" not in held.check(held.neutral, world).explain()


def test_what_is_carried_collides_and_is_let_go():
    model, world = arm(), World()
    q = np.zeros(model.nq)
    beyond_the_tip = np.eye(4)
    beyond_the_tip[0, 3] = 4.5
    world.add("wall", Box((0.2, 0.2, 0.2)), beyond_the_tip)
    stick_place = np.eye(4)
    stick_place[0, 3] = 0.25
    held = model.attach("stick", Box((0.5, 0.02, 0.02)), pose=stick_place)
    assert model.check(q, world).is_free
    assert not held.check(q, world).is_free
    assert {*held.check(q, world).pair} == {"stick", "wall"}
    assert held.detach("stick").check(q, world).is_free


def test_several_objects_go_one_by_one():
    held = arm().attach("a", Sphere(0.01)).attach("b", Sphere(0.02), touch=["a"], frame="link1")
    rest = held.detach("a")
    assert [each.name for each in rest.shapes if each.is_attached] == ["b"]
    assert not any("a" in rule.key for rule in rest.pair_rules)
    assert not rest.detach("b").pair_rules


def test_a_robot_with_an_object_is_pickled():
    model = arm().attach("can", Cylinder(0.03, 0.12), touch=["link2"])
    again = pickle.loads(pickle.dumps(model))
    assert names_of_checked(again) == names_of_checked(model)
    assert reasons(again) == reasons(model)
    q = model.random(3)
    assert again.check(q).distance == model.check(q).distance
    assert [each.name for each in again.detach("can").shapes] == [each.name for each in arm().shapes]


def test_a_model_without_shapes_carries_an_object_beside_its_capsules():
    held = limbik.planar_arm(3).attach("can", Cylinder(0.03, 0.12))
    geometry = geometry_of(held)
    assert [body.name for body in geometry.bodies] == ["link1", "link2", "link3", "can"]
    assert "capsules of radius" in geometry.note


@pytest.mark.parametrize("base", [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0)])
def test_what_an_arm_without_shapes_is_mounted_on_is_no_body(base):
    """A capsule lay from the origin of the world to where it stands."""
    x, y, z = base
    mounted = limbik.load(
        f"""<robot name="arm"><link name="world"/><link name="base"/><link name="tip"/><link name="a"/>
        <joint name="m" type="fixed"><parent link="world"/><child link="base"/>
        <origin xyz="{x} {y} {z}"/></joint>
        <joint name="j" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/></joint>
        <joint name="t" type="fixed"><parent link="a"/><child link="tip"/>
        <origin xyz="0 0 1"/></joint></robot>"""
    )
    world = World()
    world.add("box", Box((0.2, 0.2, 0.2)), (0.5, 0.0, 0.1))
    assert [body.name for body in geometry_of(mounted).bodies] == ["a"]
    assert "capsules of radius 0.05 m" in geometry_of(mounted).note
    assert mounted.check([0.0], world).distance == pytest.approx(np.hypot(x - 0.5, 0.0) - 0.15)


@pytest.mark.parametrize(
    ("name", "options", "error", "words"),
    [
        ("can", {"frame": "lnk1"}, ModelError, "did you mean 'link1'"),
        ("can", {"touch": ["lnk1"]}, ModelError, "unknown link or object 'lnk1'; did you mean 'link1'"),
        ("can", {"touch": 3}, CollisionError, "`?touch`? needs a list of links"),
        ("can", {"touch": ["can"]}, CollisionError, "two different names"),
        ("link1", {}, CollisionError, "already has something of the name 'link1'"),
        ("tip", {}, CollisionError, "already has something of the name 'tip'"),
        ("", {}, LimbikError, "name"),
        ("can", {"pose": np.full((4, 4), np.nan)}, LimbikError, "pose of 'can'"),
        (
            "can",
            {"pose": pose_from(None, (0, 0, 1e308))},
            CollisionError,
            r"pose of 'can' needs .* up to 1e\+06",
        ),
    ],
)
def test_what_cannot_be_attached_is_refused(name, options, error, words):
    with pytest.raises(error, match=words):
        arm().attach(name, Sphere(0.1), **options)


def test_what_is_no_shape_is_refused():
    with pytest.raises(CollisionError, match="needs a Shape"):
        arm().attach("can", "a can")
    for data in ("solid can", [1], memoryview(b"solid")):
        with pytest.raises(CollisionError, match="`data` of a mesh needs the bytes of a file"):
            Mesh("can.stl", data=data)


def test_only_what_is_attached_is_detached():
    held = arm().attach("can", Sphere(0.1))
    with pytest.raises(CollisionError, match="carries no object 'cam'; did you mean 'can'"):
        held.detach("cam")
    with pytest.raises(CollisionError, match="carries no object 'link1'"):
        held.detach("link1")
    with pytest.raises(CollisionError, match="already has something of the name 'can'"):
        held.attach("can", Sphere(0.1))


def test_a_mesh_that_is_missing_is_told_with_the_object(tmp_path):
    held = arm().attach("mug", Mesh(tmp_path / "mug.stl"), frame="link2")
    with pytest.raises(CollisionError, match=r"'mug'.*mug\.stl|link 'link2'.*mug\.stl"):
        held.check(held.neutral)
