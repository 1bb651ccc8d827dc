import copy
import pickle

import numpy as np
import pytest
from scipy.spatial.transform import RigidTransform

from limbik.collision import Box, ConvexHull, Points, Sphere, World
from limbik.errors import CollisionError
from limbik.spatial import pose_from


@pytest.fixture
def world() -> World:
    world = World()
    world.add("table", Box((1.0, 1.0, 0.1)), (0.5, 0.0, 0.4))
    world.add("ball", Sphere(0.1))
    world.add("wall", Box((0.1, 2.0, 2.0)), pose_from(None, (1.0, 0.0, 1.0)))
    return world


def test_objects_keep_their_order_and_places(world: World) -> None:
    assert world.names == ("table", "ball", "wall")
    assert [each.pose[2, 3] for each in world] == [0.4, 0.0, 1.0]
    assert world["ball"].shape == Sphere(0.1) == world.shapes[1]
    assert len(world) == 3 and "ball" in world and "bull" not in world and ["ball"] not in world
    assert world.poses.shape == (3, 4, 4)


def test_a_pose_is_a_matrix_a_transformation_or_a_point(world: World) -> None:
    for pose in ((1, 2, 3), pose_from(None, (1, 2, 3)), RigidTransform.from_translation((1, 2, 3))):
        world.move("ball", pose)
        assert world["ball"].pose.tolist() == pose_from(None, (1, 2, 3)).tolist()


def test_moves_change_poses_and_all_else_the_structure(world: World) -> None:
    first = world.revision
    world.move("ball", (1, 2, 3))
    second = world.revision
    assert second.structure == first.structure and second.poses != first.poses
    for change in (
        lambda: world.add("box", Box((1, 1, 1))),
        lambda: world.rename("box", "crate"),
        lambda: world.remove("crate"),
    ):
        before = world.revision
        change()
        assert world.revision.structure != before.structure and world.revision.poses != before.poses


def test_what_is_removed_leaves_the_others_where_they_are(world: World) -> None:
    world.remove("table")
    assert world.names == ("ball", "wall")
    assert world["wall"].pose[2, 3] == 1.0 and world.poses[1, 2, 3] == 1.0
    world.add("table", Sphere(1.0), (7, 8, 9))
    assert world.names[-1] == "table" and world.poses[2, 0, 3] == 7.0


def test_a_new_name_keeps_the_place(world: World) -> None:
    world.rename("ball", "globe")
    world.rename("globe", "globe")
    assert world.names == ("table", "globe", "wall")
    world.move("globe", (0, 0, 5))
    assert world.poses[1, 2, 3] == 5.0


def test_there_is_room_for_any_number_of_objects() -> None:
    world = World()
    for k in range(100):
        world.add(f"ball {k}", Sphere(0.1), (k, 0, 0))
    assert world.poses[:, 0, 3].tolist() == list(range(100))


def test_a_copy_is_another_world(world: World) -> None:
    for other in (world.without(), copy.copy(world), copy.deepcopy(world), pickle.loads(pickle.dumps(world))):
        other.move("ball", (9, 9, 9))
        other.remove("wall")
        assert world["ball"].pose[0, 3] == 0.0 and "wall" in world
    assert world.without("ball", "wall").names == ("table",)


def test_what_may_touch_an_object_stays_with_it(world: World) -> None:
    world.add("floor", Box((9, 9, 1)), (0, 0, -0.5), touch=["base_link", "wheel"])
    world.rename("floor", "ground")
    world.move("ground", (0, 0, -0.6))
    assert world["ground"].touch == ("base_link", "wheel") == world.without("wall")["ground"].touch
    assert world["ball"].touch == ()


def test_what_is_looked_up_cannot_change_the_world(world: World) -> None:
    world["wall"].pose[:] = 0.0
    assert world["wall"].pose[2, 3] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        world.poses[0, 0, 0] = 5.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda world: world.add("ball", Sphere(1.0)), "already has an object 'ball'"),
        (lambda world: world.add("", Sphere(1.0)), "name of an object needs a text"),
        (lambda world: world.add(3, Sphere(1.0)), "name of an object needs a text"),
        (
            lambda world: world.add("a\ud800", Sphere(1.0)),
            r"found half a character in 'a\\ud800'",
        ),
        (lambda world: world.add("far", ConvexHull(1e80 * np.eye(3))), "needs numbers up to 1e.06"),
        (lambda world: world.add("far", Points(1e80 * np.eye(3), 0.1)), "needs numbers up to 1e.06"),
        (lambda world: world.add("far", Sphere(1e80)), r"above 0, up to 1e.06 \[m\], found 1e.80"),
        (lambda world: world.add("box", "cube"), "object 'box' needs a shape such as"),
        (lambda world: world.add("box", Sphere(1.0), np.full((4, 4), np.nan)), "pose of object 'box'"),
        (lambda world: world.add("box", Sphere(1.0), (1, 2)), "pose of object 'box' needs a 4x4 pose"),
        (lambda world: world.add("box", Sphere(1.0), (1, 2, np.inf)), "finite"),
        (lambda world: world.add("box", Sphere(1.0), (1, 2, 1e9)), "numbers up to 1e"),
        (lambda world: world.add("box", Sphere(1.0), touch="base"), "`touch` of object 'box' needs a list"),
        (lambda world: world.add("box", Sphere(1.0), touch=[3]), "`touch` of object 'box' needs a text"),
        (lambda world: world.move("bell", (0, 0, 0)), "no object 'bell'; did you mean 'ball'"),
        (lambda world: world.move(["ball"], (0, 0, 0)), "no object"),
        (lambda world: world.move("ball", np.ones((4, 4))), "pose of object 'ball'"),
        (lambda world: world.remove("bell"), "did you mean 'ball'"),
        (lambda world: world.rename("bell", "x"), "did you mean 'ball'"),
        (lambda world: world.rename("ball", "wall"), "already has an object 'wall'"),
        (lambda world: world.rename("ball", " "), "name of an object needs a text"),
        (lambda world: world.without("bell"), "did you mean 'ball'"),
        (lambda world: world["bell"], "did you mean 'ball'"),
        (lambda world: World()["bell"], "there are none"),
    ],
)
def test_what_has_no_meaning_is_refused_and_changes_nothing(world: World, call, message: str) -> None:
    before = world.revision, world.names, world.poses.tolist()
    with pytest.raises(CollisionError, match=message):
        call(world)
    assert (world.revision, world.names, world.poses.tolist()) == before
