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
    assert not short


@pytest.mark.parametrize("width", [0.0, 1e-6, 1e-3])
@pytest.mark.parametrize("narrow", ["twist", "swing"])
def test_a_ball_joint_without_twist_or_swing_serves_the_goal_above(narrow, width):
    for seed in range(6, 16):
        rng = np.random.default_rng(seed)
        builder = limbik.ModelBuilder("narrow")
        for k in range(3):
            axis, origin = unit(rng.normal(size=3)), tuple(0.2 * rng.normal(size=3))
            limits = {"swing": 1.5, "twist": (-width, width)}
            if narrow == "swing" and k == 1:
                limits = {"swing": width, "twist": (-1.0, 1.0)}
            builder.ball(f"j{k}", axis=axis, origin=origin, **limits)
        model = builder.frame("tip", pose=(0.1, 0.1, 0.2)).build(end_effector="tip")
        point = limbik.Position(target=model.pose(model.random(rng))[:3, 3])
        tracker = tracked(model, [point, limbik.Posture(q=model.random(rng))], model.random(rng), 2100)
        alone = tracked(model, point, tracker.q, 300)
        assert tracker.errors[0].position < alone.errors[0].position + 1e-3, seed


def test_without_velocity_limits_a_ball_joint_turns_by_a_radian_a_step():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        builder = limbik.ModelBuilder("one")
        builder.ball("j", axis=unit(rng.normal(size=3)), swing=2.5, twist=(-2.0, 1.0))
        model = builder.frame("tip", pose=(0.3, 0.2, 0.1)).build(end_effector="tip")
        target = limbik.Position(target=model.pose(model.random(rng))[:3, 3])
        tracker = model.tracker(target, DT, start=model.random(rng))
        for _ in range(20):
            before = tracker.q
            turn = model.difference(before, tracker.step())
            assert abs(turn).max() <= 1.0 + 1e-9


def test_unequal_rates_of_a_ball_joint_lead_to_a_posture_within_its_limits():
    builder = limbik.ModelBuilder("one")
    limits = EulerLimits(order="ZXY", lower=[-1.0, -0.6, -1.2], upper=[0.8, 0.9, 1.0])
    model = builder.ball("j", euler=limits).frame("tip", pose=(0.1, 0.2, 0.3)).build(end_effector="tip")
    for seed in range(30):
        rng = np.random.default_rng(seed)
        goal = limbik.Posture(q=model.random(rng), priority=0)
        rates = 10.0 ** rng.uniform(-1.0, 1.0, 3)
        tracker = model.tracker(goal, DT, start=model.random(rng), velocity_limits=rates)
        for _ in range(3000):
            tracker.step()
        assert tracker.errors[0].rotation < 1e-6, seed


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
