"""Tracking and paths, free of collision."""

import numpy as np
import pytest

import limbik
from limbik import Model
from limbik.collision import Box, Capsule, Cylinder, LinkShape, Sphere, World
from limbik.errors import ConfigurationError, SolverError
from limbik.joint_path import BreakReason
from limbik.spatial import pose_from

START = np.array([0.0, 0.5, 0.0, -1.6, 0.0, 1.0, 0.0])


@pytest.fixture(scope="module")
def arm() -> Model:
    """Capsules along upper arm, forearm and hand."""
    arm = limbik.load("iiwa14")
    shapes = [
        LinkShape(link=link, shape=Capsule(0.05, length), pose_link_shape=pose_from(turn, middle))
        for link, length, turn, middle in (
            ("link3", 0.2, None, (0.0, 0.0, 0.05)),
            ("link5", 0.2, None, (0.0, 0.0, 0.05)),
            ("link7", 0.05, None, (0.0, 0.0, 0.0)),
        )
    ]
    others = arm.frames[len(arm.joints) + 1 :]
    return Model("arm", arm.joints, others, shapes=shapes, end_effector=arm.end_effector)


def swept(pose: np.ndarray, way: float, count: int) -> list[np.ndarray]:
    """Poses along y."""
    poses = [pose.copy() for _ in range(count)]
    for k, each in enumerate(poses):
        each[1, 3] += way * k / (count - 1)
    return poses


def test_a_tracker_never_touches_what_is_in_its_way(arm: Model) -> None:
    pose, world = arm.pose(START), World()
    world.add("post", Cylinder(0.05, 1.5), pose[:3, 3] + [0.0, 0.3, 0.0])
    tracker = arm.tracker(pose, start=START, velocity_limits=2.0, world=world, clearance=0.01)
    was_held = False
    configurations = [tracker.q]
    for target in swept(pose, 0.5, 60):
        configurations.append(tracker.step(target))
        was_held |= ("link7", "post") in tracker.obstacles
    check = arm.check_path(np.array(configurations), world, clearance=0.01)
    assert check.is_free and was_held
    assert np.abs(np.diff(configurations, axis=0)).max() <= 2.0 * 0.01 * (1 + 1e-9)
    assert arm.is_within_limits(np.array(configurations)).all()


def test_a_tracker_with_nothing_near_steps_as_without_a_world(arm: Model) -> None:
    pose, world = arm.pose(START), World()
    world.add("far", Sphere(0.1), (0.0, 3.0, 0.0))
    free, anyhow = (arm.tracker(pose, start=START, **more) for more in ({"world": world}, {}))
    for target in swept(pose, 0.1, 20):
        assert np.array_equal(free.step(target), anyhow.step(target))
    assert free.obstacles == () == anyhow.obstacles
    assert np.array_equal(free.v, anyhow.v)


def test_a_tracker_goes_out_of_what_it_is_in(arm: Model) -> None:
    pose, world = arm.pose(START), World()
    world.add("ball", Sphere(0.05), arm.pose(START, "link5")[:3, 3] + [0.0, 0.08, 0.05])
    before = arm.check(START, world).distance
    assert before < 0.0
    tracker = arm.tracker(pose, start=START, world=world)
    depths = [before, *(arm.check(tracker.step(pose), world).distance for _ in range(60))]
    assert min(np.diff(depths)) > -1e-6
    assert depths[-1] > 0.0


def test_a_tracker_sees_objects_where_they_are(arm: Model) -> None:
    pose, world = arm.pose(START), World()
    world.add("wall", Box((0.5, 0.02, 0.5)), (0.0, 3.0, 0.0))
    tracker = arm.tracker(pose, start=START, world=world)
    world.move("wall", pose[:3, 3] + [0.0, 0.1, 0.0])
    configurations = [tracker.step(target) for target in swept(pose, 0.3, 30)]
    assert arm.check_path(np.array(configurations), world).is_free
    world.remove("wall")
    for _ in range(60):
        tracker.step()
    assert tracker.errors[0].position < 1e-6


@pytest.mark.slow
def test_a_path_is_free_between_its_knots_too(arm: Model) -> None:
    pose, world = arm.pose(START), World()
    world.add("ball", Sphere(0.04), arm.pose(START, "link5")[:3, 3] + [-0.03, 0.13, 0.1])
    path = arm.solve_path(swept(pose, 0.1, 4), start=START, world=world, clearance=0.01)
    assert path.complete
    assert arm.check_path(path.q, world, clearance=0.01).is_free
    assert not arm.check_path(arm.solve_path(swept(pose, 0.1, 4), start=START).q, world).is_free


@pytest.mark.slow
def test_a_path_breaks_where_it_would_collide_and_says_so(arm: Model) -> None:
    pose, world = arm.pose(START), World()
    world.add("wall", Box((0.6, 0.02, 0.6)), pose[:3, 3] + [0.0, 0.15, 0.0])
    path = arm.solve_path(swept(pose, 0.3, 4), start=START, world=world)
    assert not path.complete and 0.5 < path.followed < 1.5
    assert BreakReason.COLLISION in [each.reason for each in path.breaks]
    assert "would collide" in path.explain()


def test_a_path_cannot_begin_in_collision(arm: Model) -> None:
    pose, world = arm.pose(START), World()
    world.add("ball", Sphere(0.1), pose[:3, 3])
    with pytest.raises(ConfigurationError, match="`first` needs a configuration that is free of collision"):
        arm.solve_path(swept(pose, 0.2, 2), first=START, world=world)


def test_a_clearance_needs_a_world(arm: Model) -> None:
    for call in (arm.tracker, lambda pose, **options: arm.solve_path([pose], **options)):
        with pytest.raises(SolverError, match="`clearance` needs a `world`"):
            call(arm.pose(START), clearance=0.1)
