"""Checks of robots: by themselves, in worlds, along paths."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import limbik
from collision.oracle import as_coal, coal_distance, random_pose, random_shape
from limbik import Model, ModelBuilder, collision, errors
from limbik.checks import Contact
from limbik.collision import Box, Cylinder, LinkShape, Sphere, World
from limbik.collision.check import checker_of
from limbik.collision.checker import Checker
from limbik.collision.fixed_pairs import FixedChecker
from limbik.collision.programs import collisions
from limbik.compiler import native
from limbik.compiler.call import Call
from limbik.errors import CollisionError, ConfigurationError, ModelError
from strategies import configuration
from trees import trees


@pytest.fixture(scope="module", autouse=True)
def _machine_code():
    native.compile_now(collisions())


def with_random_shapes(model, rng):
    links = model.frame_names[: len(model.joints) + 1]
    shapes = [
        LinkShape(link=link, shape=random_shape(rng, 0.3), pose_link_shape=random_pose(rng, 0.3))
        for link in links
    ]
    return model.with_shapes(shapes)


def random_world(rng, count=3):
    world = World()
    for k in range(count):
        world.add(f"object {k}", random_shape(rng), random_pose(rng, 3.0))
    return world


def arm():
    """Two links of 1 m in the plane, as capsules would be: boxes of 0.2 m."""
    import limbik

    plain = limbik.planar_arm(links=2, length=1.0)
    box = Box((0.8, 0.2, 0.2))
    middle = np.eye(4)
    middle[0, 3] = 0.5
    links = [joint.child for joint in plain.joints if joint.nv]
    return plain.with_shapes([LinkShape(link=link, shape=box, pose_link_shape=middle) for link in links])


@pytest.mark.slow
@settings(deadline=None)
@given(trees(), st.integers(0, 2**32 - 1))
def test_gradients_are_those_of_the_distance(tree: Model, seed):
    rng = np.random.default_rng(seed)
    model, world = with_random_shapes(tree, rng), random_world(rng)
    checker, q = checker_of(model, world), configuration(tree, seed)
    near = checker.near_pairs(q, np.inf)
    assert len(near.pairs) == len(checker.pairs)
    v = rng.normal(size=model.nv)
    step = 1e-5
    after, before = (checker.near_pairs(model.integrate(q, s * v), np.inf) for s in (step, -step))
    change = (after.distances - before.distances) / (2 * step)
    middle = (after.distances + before.distances) / 2 - near.distances
    smooth = np.abs(middle) < 1e-8  # no edge at which the nearest points jump
    assert change[smooth] == pytest.approx((near.rows @ v)[smooth], abs=2e-3 * (1 + np.abs(v).sum()))


@pytest.mark.slow
@settings(deadline=None)
@given(trees(), st.integers(0, 2**32 - 1))
def test_the_nearest_pair_is_the_nearest_of_all(tree: Model, seed):
    rng = np.random.default_rng(seed)
    model, world = with_random_shapes(tree, rng), random_world(rng)
    checker, q = checker_of(model, world), configuration(tree, seed)
    found = model.check(q, world)
    everything = checker.near_pairs(q, np.inf).distances
    assert found.distance == pytest.approx(everything.min(), abs=1e-8)
    assert found.is_free == checker.is_free(q) == (found.distance > 0.0)
    for within in (0.0, 0.1, 1.0):
        distances = [contact.distance for contact in found.contacts(within)]
        assert distances == sorted(distances)
        assert len(distances) == (everything < within).sum()


def test_distances_of_a_robot_are_those_of_coal():
    rng = np.random.default_rng(0)
    model, world = arm(), random_world(rng, 20)
    checker, q = checker_of(model, world), np.array([0.3, -0.7])
    near = checker.near_pairs(q, np.inf)
    for place, distance in zip(near.pairs, near.distances, strict=True):
        first, second = checker.pair_names(int(place))
        shape = next(each for each in model.shapes if each.name == first)
        if second in world and not (distance < 0.0 and isinstance(world[second].shape, Cylinder)):
            pose = model.pose(q, shape.link) @ shape.pose_link_shape
            expected = coal_distance(shape.shape, world[second].shape, pose, world[second].pose)
            assert distance == pytest.approx(expected, abs=2e-5)
    assert as_coal(shape.shape) is not None


def test_a_moved_object_is_where_it_is():
    model, world = arm(), World()
    world.add("ball", Sphere(0.1), [5.0, 0.0, 0.0])
    assert model.check([0.0, 0.0], world).is_free
    world.move("ball", [1.5, 0.0, 0.0])
    assert not model.check([0.0, 0.0], world).is_free
    world.add("other", Sphere(0.1), [0.5, 0.0, 0.0])
    assert len(model.check([0.0, 0.0], world).contacts()) == 2
    world.remove("ball")
    assert [each.pair[1] for each in model.check([0.0, 0.0], world).contacts()] == ["other"]


def test_a_check_in_another_process_tells_the_same():
    model, world = limbik.load("panda"), World()
    world.add("ball", Sphere(0.1), (0.5, 0.0, 0.3))
    found = model.check(model.neutral, world)
    other = pickle.loads(pickle.dumps(found))
    assert (other.is_free, other.pair, other.distance) == (found.is_free, found.pair, found.distance)
    assert [each.pair for each in other.contacts(0.3)] == [each.pair for each in found.contacts(0.3)]
    assert other.contacts(0.3)


def test_clearance_is_kept():
    model, world = arm(), World()
    world.add("wall", Box((1, 1, 1)), [2.45, 0.0, 0.0])
    check = model.check([0.0, 0.0], world, clearance=0.06)
    assert check.distance == pytest.approx(0.05)
    assert not check.is_free
    assert model.check([0.0, 0.0], world, clearance=0.04).is_free
    assert "50 mm" in check.explain()


def test_batches_are_checks():
    rng = np.random.default_rng(2)
    model, world = arm(), random_world(rng)
    q = rng.uniform(-3, 3, (50, 2))
    found = model.check_batch(q, world, clearance=0.05)
    for each, is_free, distance in zip(q, found.is_free, found.distance, strict=True):
        check = model.check(each, world, clearance=0.05)
        assert (is_free, distance) == (check.is_free, check.distance)


@pytest.mark.slow
@settings(deadline=None)
@given(trees(), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.05]))
def test_many_are_free_where_each_is(tree: Model, seed, clearance):
    rng = np.random.default_rng(seed)
    model, world = with_random_shapes(tree, rng), random_world(rng)
    checker, q = checker_of(model, world), tree.random(rng, 12)
    free = [checker.is_free(each, clearance) for each in q]
    assert checker.are_free(q, clearance).tolist() == free
    assert checker.first_free(q, clearance) == next((k for k, it in enumerate(free) if it), None)
    assert checker.are_free(q[:0]).shape == (0,)
    assert checker.first_free(q[:0]) is None
    some = rng.random(len(checker.pairs)) < 0.5
    near = [checker.near_pairs(each, np.inf) for each in q]
    expected = [each.distances[some[each.pairs]].min(initial=np.inf) for each in near]
    assert checker.distances(q, pairs=some) == pytest.approx(expected, abs=1e-8)


def test_python_checks_many_as_machine_code_does(monkeypatch):
    rng = np.random.default_rng(4)
    model, world = arm(), random_world(rng, 6)
    world.add("block", Box((1.0, 1.0, 0.3)), [1.2, 0.0, 0.0])
    q = rng.uniform(-3, 3, (30, 2))
    checker = Checker(model, world)
    free, first = checker.are_free(q), [checker.first_free(q[begin:]) for begin in range(0, len(q), 5)]
    assert 0 < free.sum() < len(q)
    monkeypatch.setattr(Call, "run", Call.interpret)
    assert np.array_equal(checker.are_free(q), free)
    assert [checker.first_free(q[begin:]) for begin in range(0, len(q), 5)] == first


@pytest.mark.parametrize("seed", range(10))
def test_a_free_path_is_free_in_between(seed):
    rng = np.random.default_rng(seed)
    model, world = arm(), random_world(rng)
    q = rng.uniform(-2, 2, (3, 2))
    found = model.check_path(q, world)
    shares = np.linspace(0.0, 1.0, 400)
    dense = [model.integrate(a, s * model.difference(a, b)) for a, b in itertools.pairwise(q) for s in shares]
    free = model.check_batch(dense, world).is_free
    if found.is_free:
        assert free.all()
    else:
        positions = np.concatenate([shares, 1.0 + shares])
        assert free[positions < found.position].all()
        assert found.contact.distance <= 1e-4
        assert not free.all() or found.contact.distance > 0.0


def test_paths_of_one_configuration_and_of_none():
    model, world = arm(), World()
    assert model.check_path(np.zeros((0, 2)), world).is_free
    assert model.check_path(np.zeros((1, 2)), world).is_free
    world.add("ball", Sphere(0.1), [1.5, 0.0, 0.0])
    assert model.check_path(np.zeros((1, 2)), world).position == 0.0


@pytest.mark.slow
@settings(deadline=None)
@given(trees(), st.integers(0, 2**32 - 1))
def test_a_hit_of_what_is_fixed_with_a_frame_is_a_hit_of_the_robot(tree: Model, seed):
    rng = np.random.default_rng(seed)
    model, world = with_random_shapes(tree, rng), random_world(rng)
    checker, q0 = checker_of(model, world), configuration(tree, seed)
    frame, moving = model.end_effector, rng.random(model.nv) < 0.7
    for joint in model.joints:  # as a whole
        moving[model.v_slice(joint.name)] = moving[model.v_slice(joint.name)].any()
    fixed = FixedChecker(checker, frame, q0, moving)
    q = model.integrate(q0, moving * rng.normal(size=model.nv))
    pose = model.pose(q, frame)
    found, everything = fixed.near_pairs(pose, np.inf), checker.near_pairs(q, np.inf)
    expected = dict(zip(everything.pairs.tolist(), everything.distances, strict=True))
    for place, distance in zip(found.pairs.tolist(), found.distances, strict=True):
        assert distance == pytest.approx(expected[place], abs=1e-6)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 2.0, 1e6])
@pytest.mark.parametrize("kind", ["floating", "ball"])
def test_quaternions_of_any_length_are_the_same_rotation(kind, scale):
    base = getattr(limbik.ModelBuilder("body"), kind)("joint")
    body = base.frame("hand", pose=(0.5, 0.0, 0.0)).build(end_effector="hand").attach("ball", Sphere(0.1))
    world = World()
    world.add("wall", Sphere(0.1), (0.0, 0.5, 0.0))
    q = np.array([0.0, 0.0, 0.0, 0.0, 0.0, scale, scale])[-body.nq :]  # a quarter turn about z
    check = body.check(q, world)
    assert check.distance == pytest.approx(-0.2, abs=1e-9)
    assert body.check_batch([q], world).distance == pytest.approx([-0.2], abs=1e-9)
    assert not body.check_path([q, q], world).is_free
    assert check.pair == ("ball", "wall")


@pytest.mark.filterwarnings("error")
def test_a_quaternion_without_a_direction_is_refused():
    body = limbik.ModelBuilder("body").floating("joint").build()
    for q in (np.zeros(7), np.full(7, 1e-200)):
        for call in (body.check, lambda q: body.check_batch([q]), lambda q: body.check_path([q])):
            with pytest.raises(ConfigurationError, match="the quaternion xyzw of joint 'joint', needs"):
                call(q)
        with pytest.raises(errors.GoalError, match="quaternion with a direction for joint 'joint'"):
            body.solve([limbik.Posture(q=q)])


def test_a_model_without_shapes_is_free():
    model = arm().with_shapes([])
    check = model.check([0.0, 0.0])
    assert check.is_free
    assert check.distance == np.inf
    assert check.pair is None
    assert "No pair" in check.explain()


@pytest.mark.parametrize(
    ("q", "options", "error"),
    [
        ([0.0], {}, ConfigurationError),
        ([np.nan, 0.0], {}, ConfigurationError),
        ([0.0, 0.0], {"clearance": np.nan}, CollisionError),
        ([0.0, 0.0], {"clearance": "wide"}, CollisionError),
        ([0.0, 0.0], {"world": "kitchen"}, CollisionError),
    ],
)
def test_bad_input_is_refused(q, options, error):
    with pytest.raises(error):
        arm().check(q, **options)


def test_what_is_told_has_no_minus_before_a_zero():
    contact = Contact(
        pair=("arm", "shelf"),
        distance=-0.01,
        normal=np.array([-0.0, -0.001, 1.0]),
        points=np.zeros((2, 3)),
        gradient=np.zeros(2),
    )
    assert str(contact).endswith("along (0.00, 0.00, 1.00).")


def test_rules_for_shapes_that_are_replaced_are_left_out():
    panda = limbik.load("panda")
    ball = LinkShape(link="link7", shape=Sphere(0.05))
    model = panda.with_shapes([ball])
    assert [shape.link for shape in model.shapes] == ["link7"]
    assert model.check(model.neutral).is_free


@pytest.mark.parametrize("check", [collision.check, collision.check_batch, collision.check_path])
@pytest.mark.parametrize("model", [None, "ur5e", [1.0]])
def test_what_is_no_model_is_refused(check, model):
    with pytest.raises(ModelError, match="`model` needs a Model"):
        check(model, np.zeros((2, 6)))


def test_a_misspelt_name_in_touch_is_told():
    ur5e, world = limbik.load("ur5e"), World()
    world.add("floor", Box((0.5, 0.5, 0.1)), touch=["bsae", "link3"])
    check = ur5e.check(np.zeros(6), world)
    said = "object 'floor' may touch 'bsae', which is no link and no object; did you mean 'base'?"
    assert said in check.note
    assert said in check.explain()
    assert "touch 'link3'" not in check.note


def test_a_path_that_stands_still_is_free_where_its_configuration_is() -> None:
    slider = ModelBuilder("slider").prismatic("x", axis="x", limits=(-1.0, 1.0)).build()
    robot = slider.attach("ball", Sphere(0.1))
    world = World()
    world.add("wall", Box((0.2, 0.2, 0.2)), (0.0, 0.20005, 0.0))
    q = [0.0]
    assert robot.check(q, world).is_free
    assert robot.check_path([q], world).is_free and robot.check_path([q, q], world).is_free
    assert not robot.check_path([q], world, clearance=6e-5).is_free
    past = robot.check_path([[-0.9], [0.9]], world)  # 0.05 mm from the wall: nearer than is certified
    assert past.contact is not None and 0.0 < past.contact.distance <= 1e-4


def test_a_path_of_what_has_no_joints_is_checked() -> None:
    post = ModelBuilder("post").fixed("top", origin=(0.0, 0.0, 1.0)).build()
    world = World()
    world.add("ball", Sphere(0.1), (0.0, 0.0, 1.0))
    assert post.check_path(np.empty((2, 0))).is_free
    assert not post.check_path(np.empty((2, 0)), world).is_free
