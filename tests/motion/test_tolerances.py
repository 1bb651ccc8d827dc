"""Trackers with goals that have a tolerance: free inside, kept from leaving, against SciPy's SLSQP."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import limbik

ROBOTS = ("panda", "ur5e", "iiwa14", "gen3", "z1")


OUT_OF_REACH = [("direction", 1004)]  # from that start: joints at their limits are in between


def problem(kind, seed):
    """A robot, a goal with a tolerance that some configuration meets, a posture, and a start."""
    rng = np.random.default_rng(seed)
    model = limbik.load(ROBOTS[seed % len(ROBOTS)])
    rest, there, start = model.random(rng, 3)
    pose, tolerance = model.pose(there), float(rng.choice([0.02, 0.1, 0.3]))
    point = pose[:3, 3]
    goals = {
        "direction": limbik.Direction(axis="z", target=pose[:3, 2], tolerance=tolerance),
        "look": limbik.LookAt(axis="z", target=point + 0.5 * pose[:3, 2], tolerance=tolerance),
        "point": limbik.Position(target=point, tolerance=0.3 * tolerance),
        "rotation": limbik.Orientation(target=pose[:3, :3], tolerance=tolerance),
    }
    return model, goals[kind], rest, start


def rested(model, goal, rest, start, acceleration):
    """A tracker that had 40 s to come to rest."""
    goals = [goal, limbik.Posture(q=rest, priority=1)]
    limits = {"velocity_limits": 2.0, "acceleration_limits": acceleration}
    tracker = model.tracker(goals, 0.02, start=start, **limits)
    for _ in range(2000):
        tracker.step()
    return tracker


def beyond(model, goal, q):
    """What a goal leaves of its tolerance [rad or m], by the definition of each kind: negative outside."""
    pose = model.pose(q)
    if isinstance(goal, limbik.Position):
        off = pose[:3, 3] - goal.target
        return np.concatenate([goal.tolerance - off, goal.tolerance + off])
    wanted = goal.target - pose[:3, 3] if isinstance(goal, limbik.LookAt) else goal.target
    cosine = pose[:3, 2] @ wanted / np.linalg.norm(wanted)
    return np.array([goal.tolerance - np.arccos(min(max(cosine, -1.0), 1.0))])


def nearest(model, goal, rest, q):
    """The configuration within 0.1 of q that is nearest to a posture within the tolerance of a goal."""
    joints = [joint for joint in model.joints if joint.nv]
    limits = [
        (max(joint.lower, x - 0.1), min(joint.upper, x + 0.1)) for joint, x in zip(joints, q, strict=True)
    ]
    result = minimize(
        lambda x: 0.5 * np.sum((x - rest) ** 2),
        q,
        jac=lambda x: x - rest,
        bounds=limits,
        constraints={"type": "ineq", "fun": lambda x: beyond(model, goal, x)},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 300},
    )
    return result.x


@pytest.mark.parametrize("acceleration", [10.0, None])
@pytest.mark.parametrize("seed", range(1000, 1005))
@pytest.mark.parametrize("kind", ["direction", "look", "point"])
def test_an_arm_rests_where_a_posture_is_nearest_inside_the_tolerance(kind, seed, acceleration):
    model, goal, rest, start = problem(kind, seed)
    tracker = rested(model, goal, rest, start, acceleration)
    q = tracker.q
    turns = np.array([math.isinf(joint.upper) for joint in model.joints if joint.nv])
    rest = rest + turns * 2.0 * math.pi * np.round((q - rest) / (2.0 * math.pi))
    assert np.abs(tracker.v).max() < 1e-3
    assert beyond(model, goal, q).min() > -1e-6 or (kind, seed) in OUT_OF_REACH
    assert np.linalg.norm(q - rest) < np.linalg.norm(nearest(model, goal, rest, q) - rest) + 1e-3


@pytest.mark.parametrize("acceleration", [10.0, None])
@pytest.mark.parametrize("seed", range(1000, 1010))
@pytest.mark.parametrize("kind", ["direction", "point", "rotation"])
def test_an_arm_rests_where_a_fresh_tracker_rests(kind, seed, acceleration):
    model, goal, rest, start = problem(kind, seed)
    tracker = rested(model, goal, rest, start, acceleration)
    assert np.abs(tracker.v).max() < 0.01
    assert np.abs(rested(model, goal, rest, tracker.q, acceleration).q - tracker.q).max() < 0.02


def test_inside_a_tolerance_lower_goals_have_all_joints():
    model, q = limbik.load("panda"), np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.7])
    goals = [
        limbik.Direction(axis="z", target=model.pose(q)[:3, 2], tolerance=0.5),
        limbik.Posture(q=q + 0.05, priority=1),
    ]
    tracker = model.tracker(goals, 0.02, start=q)
    for _ in range(50):
        tracker.step()
    np.testing.assert_allclose(tracker.q, q + 0.05, atol=1e-9)


def test_an_arm_carried_along_the_edge_of_a_tolerance_stays_inside():
    model, q = limbik.load("panda"), np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.7])
    pose = model.pose(q)
    point = pose[:3, 3]
    goals = [
        limbik.Direction(axis="z", target=pose[:3, 2], tolerance=0.1),
        limbik.Position(target=point, priority=1),
        limbik.Posture(q=q + 0.5, priority=2),
    ]
    tracker, angles = model.tracker(goals, 0.01, start=q, velocity_limits=2.0), []
    for k in range(1000):
        circle = 0.1 * np.array([np.cos(0.01 * k) - 1.0, np.sin(0.01 * k), 0.0])
        tracker.step([None, point + circle, None])
        angles.append(0.1 - beyond(model, goals[0], tracker.q)[0])
        if k > 100:
            assert tracker.errors[1].position < 1e-4
    assert max(angles) < 0.1 + 1e-5
    assert max(angles[200:]) > 0.0999  # the posture leads out, and the edge holds it


@pytest.mark.parametrize(("acceleration", "beyond_by"), [(None, 1e-6), (20.0, 1e-4)])
@pytest.mark.parametrize("name", ["panda", "ur5e", "iiwa14"])
def test_a_direction_that_turns_by_more_than_its_tolerance_in_a_step_is_followed(
    name, acceleration, beyond_by
):
    model = limbik.load(name)
    q = {
        "ur5e": [0.3, -1.2, 1.5, -1.8, -1.5, 0.2],
        "panda": [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785],
        "iiwa14": [0.0, 0.6, 0.0, -1.4, 0.0, 0.9, 0.0],
    }[name]
    axis = model.pose(q)[:3, 2]
    goals = [limbik.Direction(axis="z", target=axis, tolerance=1e-3), limbik.Posture(q=q)]
    tracker = model.tracker(goals, 0.01, start=q, velocity_limits=2.0, acceleration_limits=acceleration)
    for k in range(600):
        turn = 0.2 * (1.0 - math.cos(2.0 * math.pi * k / 600))
        wanted = Rotation.from_rotvec([turn, 0.0, 0.0]).as_matrix() @ axis
        tracker.step([wanted, None])
        off = model.pose(tracker.q)[:3, 2]
        angle = math.atan2(np.linalg.norm(np.cross(off, wanted)), off @ wanted)
        assert angle < 1e-3 + beyond_by
