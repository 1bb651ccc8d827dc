"""Heads look where they are to look, and tails lie where they are to lie."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.interpolate import CubicSpline

import limbik
from limbik import Frame, Joint, JointKind, Model
from limbik.errors import GoalError, ModelError
from limbik.motion import Aim, Spline
from limbik.motion.spline import on_curve
from limbik.spatial import dot, norm, pose_from, unit
from strategies import unit_vectors

LINKS = ("spine", "chest", "neck", "head")


def spine(kind: JointKind = JointKind.BALL, **limits: float) -> Model:
    """Four links, each 0.2 m along y."""
    joints = [
        Joint(
            name=link,
            kind=kind,
            parent="base" if k == 0 else LINKS[k - 1],
            child=link,
            origin=pose_from(translation=[0.0, 0.2 if k else 1.0, 0.0]),
            **limits,
        )
        for k, link in enumerate(LINKS)
    ]
    return Model(
        "spine",
        joints,
        [Frame(name="tip", link="head", pose_link_frame=pose_from(translation=[0.0, 0.2, 0.0]))],
    )


CURVE = [[0.0, 1.0, 0.0], [0.0, 1.3, 0.1], [0.1, 1.8, 0.2]]
HEAD = Aim(LINKS, axis=[0.0, 0.0, 1.0], eye=[0.03, 0.1, 0.08])


@given(unit_vectors(), st.floats(0.8, 10.0), st.integers(0, 2**32 - 1))
def test_a_head_looks_at_its_target(way: np.ndarray, far: float, seed: int) -> None:
    model = spine()
    q = model.integrate(model.neutral, 0.2 * np.random.default_rng(seed).normal(size=model.nv))
    target = np.array([0.0, 1.5, 0.0]) + far * way
    found = HEAD.solve(model, q, target)
    pose = model.pose(found.q, "head")
    to_target = target - (pose @ [0.03, 0.1, 0.08, 1.0])[:3]
    angle = math.atan2(float(norm(np.cross(pose[:3, 2], to_target))), float(pose[:3, 2] @ to_target))
    assert found.angle == pytest.approx(angle, abs=1e-9)
    assert found.reached and found.angle < 1e-7


def test_a_target_nearer_than_the_eye_is_looked_at_as_well_as_may_be() -> None:
    model = limbik.ball_arm([0.2])
    link = next(joint.child for joint in model.joints if joint.nq)
    rng = np.random.default_rng(0)
    turns = rng.normal(size=(5000, 4))
    poses = model.pose(turns / norm(turns)[:, None], link)
    for _ in range(50):
        eye, axis, near = 0.1 * rng.normal(size=3), unit(rng.normal(size=3)), 0.05 * rng.normal(size=3)
        target = model.pose(model.neutral, link)[:3, 3] + near
        found = Aim([link], axis=axis, eye=eye).solve(model, model.neutral, target)
        to_target = target - poses[:, :3, 3] - poses[:, :3, :3] @ eye
        angles = np.arccos(np.clip(dot(poses[:, :3, :3] @ axis, to_target) / norm(to_target), -1.0, 1.0))
        assert found.angle <= angles.min()


def test_every_joint_takes_its_share() -> None:
    model = spine()
    found = Aim(LINKS, axis=[0.0, 0.0, 1.0], weights=[1.0, 1.0, 1.0, 3.0]).solve(
        model, model.neutral, [100.0, 1.6, 100.0]
    )
    turns = 2.0 * np.arctan2(found.q.reshape(4, 4)[:, 1], found.q.reshape(4, 4)[:, 3])
    assert_allclose(turns, math.pi / 4.0 * np.array([1.0, 1.0, 1.0, 3.0]) / 6.0, atol=2e-3)


def test_limits_and_weight_hold_back() -> None:
    model = spine()
    target = [5.0, 1.6, 0.0]
    held = replace(HEAD, limit=0.1).solve(model, model.neutral, target)
    turns = 2.0 * np.arctan2(norm(held.q.reshape(4, 4)[:, :3]), held.q.reshape(4, 4)[:, 3])
    assert (turns <= 0.1 + 1e-12).all() and not held.reached
    assert held.angle == pytest.approx(math.pi / 2.0 - 0.4, abs=0.1)
    half = replace(HEAD, weight=0.5).solve(model, model.neutral, target)
    assert 0.2 < half.angle < 1.2
    none = replace(HEAD, weight=0.0).solve(model, model.neutral, target)
    assert_allclose(none.q, model.neutral, atol=1e-12)


def test_hinges_look_as_well_as_they_can() -> None:
    model = spine(JointKind.REVOLUTE, lower=-0.3, upper=0.3)  # about z
    found = Aim(LINKS, axis=[1.0, 0.0, 0.0]).solve(
        model, np.zeros((3, 4)), [[5.0, 3.0, 0.0], [5.0, 1.6, 2.0], [0.0, 9.0, 0.0]]
    )
    assert found.angle[0] < 1e-9 and found.reached[0]
    assert found.angle[1] > 0.1
    assert model.is_within_limits(found.q).all()


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1))
def test_a_tail_lies_on_its_curve(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = spine()
    points = np.array([[0.0, 1.0, 0.0], [0.1, 1.3, 0.0], [0.2, 1.5, 0.2], [0.5, 1.8, 0.3]])
    points = points + 0.05 * rng.normal(size=points.shape)
    found = Spline(LINKS, "tip").solve(model, model.neutral, points)
    assert found.distance < 1e-9
    joints = np.array([model.pose(found.q, name)[:3, 3] for name in (*LINKS, "tip")])
    assert_allclose(norm(np.diff(joints, axis=0)), 0.2, atol=1e-12)
    lengths = np.concatenate([[0.0], np.cumsum(norm(np.diff(points, axis=0)))])
    curve = CubicSpline(lengths, points)(np.linspace(0.0, lengths[-1], 5000)) - points[0] + joints[0]
    assert max(float(norm(curve - joint).min()) for joint in joints) < 2e-3


def test_a_straight_curve_makes_a_straight_chain_and_batches_agree() -> None:
    model = spine()
    lines = np.array([[[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.1]]])
    chain = Spline(LINKS, "tip", twist=0.8)
    found = chain.solve(model, model.neutral, lines)
    assert_allclose(model.pose(found.q, "tip")[:, :3, 3], [[0.8, 1.0, 0.0], [0.0, 1.0, 0.8]], atol=1e-9)
    one = chain.solve(model, model.neutral, lines[0])
    assert_allclose(one.q, found.q[0], atol=1e-12)
    plain = Spline(LINKS, "tip").solve(model, model.neutral, lines[0])
    turn = model.pose(plain.q, "head")[:3, :3].T @ model.pose(one.q, "head")[:3, :3]
    assert math.acos((np.trace(turn) - 1.0) / 2.0) == pytest.approx(0.8, abs=1e-9)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("bone", "count", "curve"), [(3.0, 4, 0.5), (0.3, 20, 0.5), (1.0, 6, 1.0), (1e-3, 30, 1e-4)]
)
def test_a_chain_that_is_longer_than_its_curve_goes_straight_on(
    bone: float, count: int, curve: float
) -> None:
    model = limbik.ball_arm([bone] * count)
    links = [joint.child for joint in model.joints if joint.nq]
    points = [[0.0, 0.0, 0.0], [0.5 * curve, 0.0, 0.0], [curve, 0.0, 0.0]]
    found = Spline(links, tip="tip").solve(model, model.neutral, points)
    joints = model.poses(found.q, [*links, "tip"])[:, :3, 3]
    assert_allclose(joints[:, 0], bone * np.arange(count + 1), atol=1e-12 * bone * count)


def test_points_on_a_curve_are_as_far_apart_as_bones_are_long() -> None:
    angle = np.linspace(0.0, 3.0, 400)
    circle = np.stack([np.sin(angle), 1.0 - np.cos(angle), 0.0 * angle], axis=-1)[None]
    lengths = np.array([[0.3, 0.5, 0.2, 0.001, 0.0005]])
    found = on_curve(circle, lengths)
    assert_allclose(norm(np.diff(found, axis=1)), lengths, atol=1e-12)
    assert_allclose(norm(found - [0.0, 1.0, 0.0]), 1.0, atol=1e-4)


@pytest.mark.filterwarnings("error")
def test_numbers_whose_squares_overflow_are_refused_or_have_an_answer() -> None:
    model = spine()
    rest = model.neutral
    for far in (1e9, 1e30, 1e60, 1e61, 1e154, 1e308):
        curve = [[0.0, 0.0, 0.0], [0.0, 0.2 * far, 0.0], [0.0, far, 0.2]]
        calls = {
            "target": lambda far=far: HEAD.solve(model, rest, [far] * 3).q,
            "eye": lambda far=far: replace(HEAD, eye=[far] * 3).solve(model, rest, [1.0, 2.0, 3.0]).q,
            "weights": lambda far=far: replace(HEAD, weights=far).solve(model, rest, [1.0, 2.0, 3.0]).q,
            "points": lambda curve=curve: Spline(LINKS, "tip").solve(model, rest, curve).q,
            "twist": lambda far=far: Spline(LINKS, "tip", twist=far).solve(model, rest, CURVE).q,
        }
        for name, call in calls.items():
            if far <= 1e60:
                assert np.isfinite(call()).all()
            else:
                with pytest.raises(GoalError, match=f"{name} needs numbers up to 1e\\+60"):
                    call()
    free = HEAD.solve(model, rest, [1.0, 2.0, 3.0])
    assert_allclose(replace(HEAD, limit=1e308).solve(model, rest, [1.0, 2.0, 3.0]).q, free.q)
    with pytest.raises(GoalError, match="no two in a row the same"):
        Spline(LINKS, "tip").solve(model, rest, [[0.0, 0.0, 0.0], [0.0, 1e-17, 0.0], [0.0, 1.0, 0.2]])


def test_bad_chains_are_named() -> None:
    model = spine()
    with pytest.raises(ModelError, match="links in a row"):
        Aim(["neck", "chest"], axis=[0.0, 0.0, 1.0]).solve(model, model.neutral, [1.0, 1.0, 1.0])
    with pytest.raises(ModelError, match="at least one"):
        Aim([], axis=[0.0, 0.0, 1.0])
    with pytest.raises(GoalError, match="axis needs a direction"):
        Aim(LINKS, axis=[0.0, 0.0, 0.0])
    with pytest.raises(GoalError, match="weights needs 4 positive numbers"):
        Aim(LINKS, axis=[0.0, 0.0, 1.0], weights=[1.0, 2.0])
    with pytest.raises(GoalError, match="limit needs"):
        Aim(LINKS, axis=[0.0, 0.0, 1.0], limit=-1.0)
    with pytest.raises(GoalError, match="points needs"):
        Spline(LINKS, "tip").solve(model, model.neutral, [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    with pytest.raises(ModelError, match="links in a row"):
        Spline(LINKS, "base").solve(model, model.neutral, [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert limbik.motion.Aim is Aim
