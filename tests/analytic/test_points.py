"""Up to three joints: all configurations for a point, of space or of the plane, and for a pose in a plane."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import limbik
from limbik import ModelBuilder
from limbik.spatial import pose_from
from point_arms import KINDS, arm_of
from sliding_arms import change, table


@pytest.mark.slow
@given(st.sampled_from(KINDS), st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_all_configurations_for_a_point(kind, seed) -> None:
    arm = arm_of(kind, seed)
    q = arm.random(seed)
    point = arm.pose(q)[:3, 3]
    found = arm.solve_all(point)
    assert found.complete
    for each in found:
        np.testing.assert_allclose(arm.pose(each)[:3, 3], point, atol=1e-8)
    assert min(np.abs(np.angle(np.exp(1j * (each - q)))).max() for each in found) < 1e-4
    assert len(found) <= 4
    for start in arm.random(seed, 4):
        solution = arm.solve(point, start=start)
        if solution.success:
            assert min(np.abs(np.angle(np.exp(1j * (each - solution.q)))).max() for each in found) < 0.01


def test_two_links_have_their_elbow_on_either_side() -> None:
    arm = limbik.planar_arm(2, 1.0, limits=6.0)
    found = arm.solve_all([1.0, 1.0, 0.0])
    assert found.complete
    np.testing.assert_allclose(sorted(found.q[:, 1]), [-0.5 * math.pi, 0.5 * math.pi])
    assert set(found.branches) == {"elbow left", "elbow right"}
    assert len(arm.solve_all([2.0, 0.0, 0.0])) == 1  # straight
    beyond = arm.solve_all([2.1, 0.0, 0.0])
    assert len(beyond) == 0
    assert "Out of reach" in beyond.explain()
    assert len(arm.solve_all([1.0, 1.0, 0.2])) == 0  # above the plane


@pytest.mark.parametrize("links", [1, 2, 3])
def test_parallel_joints_reach_a_pose_of_their_plane(links) -> None:
    arm = limbik.planar_arm(links, 0.5)
    for q in arm.random(1, 20):
        pose = arm.pose(q)
        found = arm.solve_all(pose)
        assert found.complete
        assert len(found) == (2 if links == 3 else 1)
        for each in found:
            np.testing.assert_allclose(arm.pose(each), pose, atol=1e-9)
        assert min(np.abs(np.angle(np.exp(1j * (each - q)))).max() for each in found) < 1e-6


@pytest.mark.parametrize("links", [1, 2])
def test_a_point_of_the_plane_has_two_numbers(links) -> None:
    arm = limbik.planar_arm(links, 0.5)
    for q in arm.random(4, 10):
        point = arm.pose(q)[:2, 3]
        found = arm.solve_all(limbik.Position(target=point))
        assert found.complete
        assert len(found) == links
        for each in found:
            np.testing.assert_allclose(arm.pose(each)[:2, 3], point, atol=1e-9)
    beyond = arm.solve_all(limbik.Position(target=[2.0, 0.0]))
    assert len(beyond) == 0
    assert "Out of reach" in beyond.explain()
    assert not limbik.planar_arm(3).solve_all(limbik.Position(target=[0.5, 0.2])).complete


def test_where_a_joint_may_turn_while_the_point_stays_others_are_not_denied() -> None:
    folded = limbik.planar_arm(2, 0.5, limits=6.0).solve_all([0.0, 0.0, 0.0])
    assert len(folded) == 1
    assert not folded.complete
    assert "infinitely many" in folded.explain()


@pytest.mark.parametrize("off", [0.0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2])
def test_a_leg_whose_knee_is_folded_has_a_configuration(off) -> None:
    """As quadrupeds have: links of one length, folded so that hip and foot are on one axis."""
    leg = ModelBuilder("leg").revolute("hip", axis="x", limits=3.0, origin=(0.19, -0.15, 0.0))
    leg = leg.revolute("thigh", axis="y", limits=3.0, origin=(0.0, 0.014, 0.0))
    leg = leg.revolute("knee", axis="y", limits=3.2, origin=(0.0, -0.03745, -0.16))
    arm = leg.frame("foot", pose=(0.0, -0.008, -0.16)).build()
    for hip in np.linspace(-2.9, 2.9, 21):
        for folded in ((hip, -0.8 + off, math.pi), (hip, -0.8, math.pi + off)):
            found = arm.solve_all(limbik.Position(target=arm.pose(folded, "foot")[:3, 3], frame="foot"))
            assert len(found) and (not found.complete or len(found) > 1)
            for each in found:
                reached = arm.pose(each, "foot")[:3, 3]
                np.testing.assert_allclose(reached, arm.pose(folded, "foot")[:3, 3], atol=1e-9)


@pytest.mark.parametrize("lower", [0.8, 1.0, -2.0])
def test_a_joint_that_may_have_any_angle_has_one_within_its_limits(lower) -> None:
    limits = (lower, lower + 1.0)
    folded = ModelBuilder("fold").revolute("a", axis="z", limits=limits)
    folded = folded.revolute("b", axis="z", origin=(0.3, 0.0, 0.0), limits=3.2).fixed(
        "tip", origin=(0.3, 0, 0)
    )
    found = folded.build().solve_all(limbik.Position(target=[0.0, 0.0]))
    assert len(found) == 1 and not found.complete and "infinitely many" in found.explain()
    leg = ModelBuilder("leg").revolute("a", axis="z", limits=limits).revolute("b", axis="y", limits=3.0)
    leg = leg.fixed("tip", origin=(0.0, 0.0, 0.1)).build()
    start = [lower + 0.3, 0.2]
    found = leg.solve_all(limbik.Position(target=[0.0, 0.0, 0.1]), start=start)
    assert len(found) == 1 and lower <= found.q[0, 0] <= lower + 1.0


@pytest.mark.parametrize("bend", [1e-6, 1e-5, 4e-5])
def test_two_nearly_straight_elbows_are_one_answer(bend) -> None:
    arm = limbik.planar_arm(2, 0.3, limits=6.0)
    assert len(arm.solve_all(arm.pose([0.2, bend])[:3, 3])) == 1


def test_two_joints_whose_axes_meet_point_anywhere() -> None:
    """As a turret: no way between them, so that the distance says nothing of the second joint."""
    turret = ModelBuilder("turret").revolute("pan", axis=[0, 0, 1], limits=(-3, 3))
    turret.revolute("tilt", axis=[0, 1, 0], limits=(-3, 3))
    arm = turret.frame("tool", pose=pose_from(None, [0.4, 0.0, 0.0])).build(end_effector="tool")
    for q in arm.random(6, 10):
        found = arm.solve_all(arm.pose(q)[:3, 3])
        assert found.complete
        assert np.abs(found.q - q).max(axis=1).min() < 1e-9


@pytest.mark.parametrize("text", ["P+P+P", "R|P+P", "R+R+P", "R|R|P", "P|R", "P+P"])
def test_a_point_for_arms_with_prismatic_joints(text) -> None:
    for seed in range(5):
        arm = table(text, seed)
        q = arm.random(seed)
        point = arm.pose(q)[:3, 3]
        found = arm.solve_all(point)
        assert found.complete
        assert min(change(arm, each, q) for each in found) < 1e-6
        for each in found:
            np.testing.assert_allclose(arm.pose(each)[:3, 3], point, atol=1e-8)
            assert arm.is_within_limits(each)


def test_limits_and_turns_and_starts_count_as_for_six_joints() -> None:
    arm = limbik.planar_arm(2, 1.0, limits=6.0)
    q = np.array([0.5, 1.0])
    point = arm.pose(q)[:3, 3]
    assert len(arm.solve_all(point, revolutions=True)) > len(arm.solve_all(point))
    np.testing.assert_allclose(arm.solve_all(point, start=q).q[0], q, atol=1e-9)
    narrow = limbik.planar_arm(2, 1.0, limits=1.2)
    assert len(narrow.solve_all(point)) == 1
    assert len(narrow.solve_all(point, limits=False)) == 2


def test_a_frame_of_a_bare_goal() -> None:
    arm = limbik.load("puma560")
    q = arm.random(2)
    link = arm.path()[2].child
    pose = arm.pose(q, link)
    found = arm.solve_all(pose[:3, 3], frame=link, start=q)
    for each in found:
        np.testing.assert_allclose(arm.pose(each, link)[:3, 3], pose[:3, 3], atol=1e-9)
    with pytest.raises(limbik.errors.GoalError, match="`frame` is for a pose or a point"):
        arm.solve_all(limbik.Position(target=[0.1, 0.2, 0.3]), frame=link)


def test_joints_that_do_not_move_the_point_stay_and_are_named() -> None:
    builder = limbik.ModelBuilder("roll").revolute("turn", axis="z")
    model = builder.revolute("roll", axis="y", origin=(0.3, 0, 0)).build()
    found = model.solve_all([0.0, 0.3, 0.0], start=[0.0, 1.0])
    np.testing.assert_allclose(found.q, [[0.5 * np.pi, 1.0]], atol=1e-12)
    assert found.complete
    assert "no other but for joints that do not move the point (roll)" in found.explain()
