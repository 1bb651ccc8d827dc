"""Trackers of ball joints with limits: these are part of every priority, as those of other joints are."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import limbik
from limbik.collision import Box, Capsule, LinkShape, World
from limbik.model import EulerLimits, Frame, Joint, JointKind, Model
from limbik.spatial import pose_from, quat_to_matrix, unit

DT = 0.01
ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


def arm(rng, kind):
    """Two to five ball joints with limits, and hinges among them."""
    lengths = rng.uniform(0.1, 0.4, int(rng.integers(2, 6)))
    joints = []
    for k in range(len(lengths)):
        what = {
            "name": f"j{k}",
            "parent": f"l{k}" if k else "base",
            "child": f"l{k + 1}",
            "origin": pose_from(translation=(lengths[k - 1] if k else 0.0, 0.0, 0.0)),
        }
        if k and rng.random() < 0.2:
            what |= {"axis": np.array([0.0, 1.0, 0.0]), "lower": -1.0, "upper": 1.5}
            joints.append(Joint(kind=JointKind.REVOLUTE, **what))
        elif kind == "euler":
            limits = EulerLimits(
                order=ORDERS[k], lower=-rng.uniform(0.1, 1.5, 3), upper=rng.uniform(0.1, 1.5, 3)
            )
            joints.append(Joint(kind=JointKind.BALL, euler=limits, **what))
        else:
            what |= {"axis": unit(rng.normal(size=3)), "swing": rng.uniform(0.2, 2.0)}
            what |= {"lower": -rng.uniform(0.2, 2.0), "upper": rng.uniform(0.1, 2.0)}
            joints.append(Joint(kind=JointKind.BALL, **what))
    tip = Frame(
        name="tip", link=f"l{len(lengths)}", pose_link_frame=pose_from(translation=(lengths[-1], 0, 0))
    )
    return Model("limited", joints, [tip], end_effector="tip")


def problem(seed, kind):
    """An arm, where it begins, and a point or pose that it can reach."""
    rng = np.random.default_rng(seed)
    model = arm(rng, kind)
    start, pose = model.random(rng), model.pose(model.random(rng))
    goal = limbik.Pose(target=pose) if rng.random() < 0.5 else limbik.Position(target=pose[:3, 3])
    return model, start, goal


def tracked(model, goals, start, steps, speed=2.0):
    """A tracker after many steps, none of which is outside limits."""
    tracker = model.tracker(goals, DT, start=start, velocity_limits=speed)
    for _ in range(steps):
        before = tracker.q
        tracker.step()
        assert abs(tracker.v).max() <= speed * (1 + 1e-9)
        assert_allclose(model.difference(before, tracker.q), DT * tracker.v, atol=1e-9)
    assert_allclose(model.clip(tracker.q), tracker.q, atol=1e-9)
    return tracker


@pytest.mark.parametrize("kind", ["euler", "swing and twist"])
def test_a_posture_takes_nothing_from_the_goal_above_it(kind):
    short = []
    for seed in range(40):
        model, start, goal = problem(seed, kind)
        with_posture = tracked(model, [goal, limbik.Posture(q=start)], start, 600)
        alone = tracked(model, goal, with_posture.q, 300)
        if alone.errors[0].position < with_posture.errors[0].position - 1e-4:
            short.append(seed)
    assert len(short) <= 1, short


def test_a_ball_joint_that_its_limit_holds_back_is_named():
    model = limbik.ball_arm([0.3, 0.3, 0.3], swing=0.5)
    tracker = tracked(model, limbik.Position(target=(-0.2, 0.9, 0.0)), model.neutral, 400)
    assert tracker.limited == ("joint1", "joint2", "joint3")
    best = model.solve(limbik.Position(target=(-0.2, 0.9, 0.0)))
    assert_allclose(tracker.errors[0].position, best.error, atol=1e-9)
    tracker.step((0.85, 0.2, 0.1))
    for _ in range(200):
        tracker.step()
    assert tracker.limited == () and tracker.errors[0].position < 1e-9


def test_ball_joints_at_their_limits_keep_clear_of_a_box():
    plain = limbik.ball_arm([0.3, 0.3, 0.3], swing=0.6, twist=0.3)
    along = pose_from(quat_to_matrix(np.array([0.0, 0.5**0.5, 0.0, 0.5**0.5])), (0.15, 0.0, 0.0))
    body = Capsule(0.03, 0.2)
    model = plain.with_shapes(
        [LinkShape(link=f"link{k}", shape=body, pose_link_shape=along) for k in (1, 2, 3)]
    )
    world = World()
    world.add("box", Box((0.2, 0.2, 0.2)), pose_from(translation=(0.7, 0.35, 0.0)))
    tracker = model.tracker((0.55, 0.65, 0.0), DT, world=world, velocity_limits=2.0)
    is_limited = is_held_off = False
    for _ in range(300):
        tracker.step()
        assert abs(tracker.v).max() <= 2.0 * (1 + 1e-9)
        assert_allclose(model.clip(tracker.q), tracker.q, atol=1e-9)
        assert model.check(tracker.q, world).is_free
        is_limited, is_held_off = is_limited or tracker.limited, is_held_off or tracker.obstacles
    assert is_limited and is_held_off
