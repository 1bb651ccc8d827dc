"""Tracking and paths, free of collision."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import limbik
from limbik import JointKind, Model
from limbik.collision import Box, Capsule, Cylinder, LinkShape, Sphere, World
from limbik.errors import ConfigurationError, SolverError
from limbik.joint_path import BreakReason
from limbik.motion.candidates import Candidates
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


@pytest.mark.parametrize("locked", [False, True])
@pytest.mark.parametrize("ball", [False, True])
def test_a_tracker_that_begins_beyond_limits_returns_no_faster_than_joints_may_turn(
    arm, locked, ball
) -> None:
    if ball:  # without quaternions a velocity is a difference
        limits = {"swing": 0.5, "lower": -1.0, "upper": 1.0}
        base = limbik.Joint(
            name="swivel", kind=JointKind.BALL, parent=arm.root, child="foot", axis=np.eye(3)[2], **limits
        )
        frames, shapes = arm.frames[len(arm.joints) + 1 :], arm.shapes
        first, *others = arm.joints
        joints = [base, replace(first, parent="foot"), *others]
        arm = Model("on a ball", joints, frames, shapes=shapes, end_effector=arm.end_effector)
    limited = [joint.name for joint in arm.joints if joint.nq == 1]
    start, world = arm.neutral.copy(), World()
    hinges = [arm.q_slice(name).start for name in limited]
    start[hinges] = START
    start[hinges[3]], start[hinges[5]] = arm.lower[hinges[3]] - 0.4, arm.upper[hinges[5]] + 0.3
    tip = arm.pose(start)[:3, 3]
    world.add("near", Sphere(0.1), tip + np.array([0.0, 0.19, 0.0]))
    goal = limbik.Position(target=tip + np.array([0.0, 0.2, 0.1]))
    names = [limited[3]] if locked else []
    tracker = arm.tracker(goal, 0.01, start=start, velocity_limits=1.0, world=world, locked=names)
    configurations = np.array([tracker.q, *(tracker.step() for _ in range(150))])
    steps = np.array([arm.difference(a, b) for a, b in itertools.pairwise(configurations)])
    assert np.abs(steps).max() <= 0.01 * (1.0 + 1e-9)
    assert arm.check_path(configurations, world).is_free
    beyond = arm.lower[hinges[3]] - configurations[:, hinges[3]]
    assert beyond[-1] == pytest.approx(0.4) if locked else (beyond <= 0.4).all() and beyond[-1] <= 0.0
    assert configurations[-1, hinges[5]] <= arm.upper[hinges[5]]


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


def test_no_step_is_checked_after_the_time_limit(arm: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[bool] = []
    measure = Candidates.is_step_free

    def counted(self: Candidates, *step: np.ndarray) -> bool:
        checked.append(measure(self, *step))
        return checked[-1]

    monkeypatch.setattr(Candidates, "is_step_free", counted)
    monkeypatch.setattr("limbik.motion.paths.watch_until", lambda _: lambda: len(checked) >= 3)
    pose, world = arm.pose(START), World()
    world.add("wall", Box((0.6, 0.02, 0.6)), pose[:3, 3] + [0.0, 0.5, 0.0])
    path = arm.solve_path(swept(pose, 0.1, 2), start=START, world=world, time_limit=10.0)
    assert len(checked) == 3
    assert BreakReason.CUT_SHORT in {each.reason for each in path.breaks}


def test_a_path_cannot_begin_in_collision(arm: Model) -> None:
    pose, world = arm.pose(START), World()
    world.add("ball", Sphere(0.1), pose[:3, 3])
    with pytest.raises(ConfigurationError, match="`first` needs a configuration that is free of collision"):
        arm.solve_path(swept(pose, 0.2, 2), first=START, world=world)


def test_a_clearance_needs_a_world(arm: Model) -> None:
    for call in (arm.tracker, lambda pose, **options: arm.solve_path([pose], **options)):
        with pytest.raises(SolverError, match="`clearance` needs a `world`"):
            call(arm.pose(START), clearance=0.1)


# Four joints of which the last link has to press into the first for the posture below.
FOLDED = """
<robot name="folded">
  <link name="base"><collision><origin xyz="-0.030 0.026 0.003" rpy="-2.089 -2.704 1.641"/>
    <geometry><box size="0.142 0.133 0.113"/></geometry></collision></link>
  <link name="k0"><collision><origin xyz="-0.043 0.014 -0.026" rpy="-0.470 2.711 2.921"/>
    <geometry><cylinder radius="0.027" length="0.105"/></geometry></collision></link>
  <link name="k1"><collision><origin xyz="-0.032 -0.038 0.016" rpy="2.777 -0.780 -2.182"/>
    <geometry><box size="0.131 0.088 0.114"/></geometry></collision></link>
  <link name="k2"/>
  <link name="k3"><collision><origin xyz="0.028 -0.027 0.001" rpy="2.135 -2.812 -2.719"/>
    <geometry><box size="0.147 0.074 0.123"/></geometry></collision></link>
  <joint name="q0" type="revolute"><parent link="base"/><child link="k0"/>
    <origin xyz="-0.014 0.090 0.008" rpy="2.760 -0.186 -0.212"/><axis xyz="0 1 0"/>
    <limit lower="-1.936" upper="0.608" velocity="2" effort="1"/></joint>
  <joint name="q1" type="revolute"><parent link="k0"/><child link="k1"/>
    <origin xyz="-0.013 0.096 0.255" rpy="1.571 -1.571 -1.571"/><axis xyz="0.964 0.195 0.182"/>
    <limit lower="-2.017" upper="0.531" velocity="2" effort="1"/></joint>
  <joint name="q2" type="revolute"><parent link="k1"/><child link="k2"/>
    <origin xyz="-0.070 -0.024 0.170" rpy="0.733 1.922 -1.919"/><axis xyz="0 0 1"/>
    <limit lower="-0.740" upper="1.854" velocity="2" effort="1"/></joint>
  <joint name="q3" type="revolute"><parent link="k2"/><child link="k3"/>
    <origin xyz="0.021 0.013 0.193" rpy="-1.632 -2.482 -2.356"/><axis xyz="0.578 0.590 0.564"/>
    <limit lower="-2.593" upper="2.071" velocity="2" effort="1"/></joint>
</robot>
"""


def test_a_tracker_between_its_goal_and_what_is_near_comes_to_rest_and_goes_on():
    arm, world = limbik.load(FOLDED), World()
    start, into, away = [-0.19, 0.46, 1.77, 0.69], [0.18, -0.84, 0.08, 0.17], [-0.3, 0.2, 1.0, 1.0]
    tracker = arm.tracker(limbik.Posture(q=into), start=start, velocity_limits=2.0, world=world)
    for _ in range(1500):
        tracker.step()
    assert tracker.obstacles and arm.check(tracker.q, world).is_free
    for _ in range(4):
        tracker.step()
        assert np.abs(tracker.v).max() < 1e-3
    world.add("ball", Sphere(0.05), (2.0, 0.0, 0.0))
    tracker.step()  # whatever changes, it tries again in full
    assert np.abs(tracker.v).max() > 1e-2
    for _ in range(200):
        tracker.step(away)
    np.testing.assert_allclose(tracker.q, away, atol=1e-6)
