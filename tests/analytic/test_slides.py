"""Closed forms of arms of four and five joints, and of arms with prismatic joints."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import limbik
from limbik import JointKind, ModelBuilder
from limbik.all_solutions.solve_all import geometry
from limbik.analytic.axes import axes_of
from limbik.analytic.closed_form import Family, closed_form
from limbik.errors import GoalError
from limbik.model.chain import chain_to
from limbik.model.denavit_hartenberg import Row, chain_of_rows
from limbik.spatial import pose_from, rotation_exp
from sliding_arms import BUILT, WRISTED, change, table, wristed

R, P = JointKind.REVOLUTE, JointKind.PRISMATIC
QUARTER = 0.5 * math.pi


def check(model: limbik.Model, q: np.ndarray) -> limbik.AllSolutions:
    """All solutions of the pose at q: each reaches it within limits, none comes twice, q is among them."""
    pose = model.pose(q)
    found = model.solve_all(pose)
    for each in found:
        assert np.abs(model.pose(each) - pose).max() < 1e-9
        assert model.is_within_limits(each)
    for i in range(len(found)):
        for j in range(i):
            assert change(model, found.q[i], found.q[j]) > 1e-6
    assert min((change(model, each, q) for each in found), default=math.inf) < 1e-5
    assert found.complete
    return found


@pytest.mark.slow
@given(st.sampled_from(sorted(BUILT)), st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_the_configuration_that_made_a_pose_is_found_of_arms_that_are_built(name, seed) -> None:
    model = table(BUILT[name], seed)
    assert geometry(model).startswith("in closed form")
    for q in model.random(seed, 3):
        check(model, q)


@pytest.mark.slow
@given(st.sampled_from(WRISTED), st.integers(0, 10**6))
@settings(max_examples=50, deadline=None)
def test_every_arm_part_before_a_spherical_wrist(text, seed) -> None:
    model = wristed(text, seed)
    assert "spherical wrist" in geometry(model)
    for q in model.random(seed, 3):
        assert len(check(model, q)) <= 8


def test_every_family_with_prismatic_joints_has_an_arm_here() -> None:
    models = [wristed(text, 1) for text in WRISTED] + [table(text, 1) for text in BUILT.values()]
    axes = [axes_of(chain_to(model)) for model in models]
    forms = [closed_form(each) for each in axes if each is not None]
    assert {form.family for form in forms if form is not None} == set(Family)


@pytest.mark.slow
def test_no_solution_that_many_solves_find_is_missing() -> None:
    """An independent oracle: the fast core from many starts."""
    for seed, text in enumerate(WRISTED):
        model = wristed(text, seed)
        pose = model.pose(model.random(seed))
        found = model.solve_all(pose)
        for start in model.random(seed, 4):
            solution = model.solve(pose, start=start)
            if solution.success:
                assert min(change(model, solution.q, each) for each in found) < 0.05


@given(st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_five_joints_of_any_geometry_by_elimination(seed) -> None:
    model = table("R/R/R/R/R", seed)
    assert "by elimination" in geometry(model)
    q = model.random(seed)
    pose = model.pose(q)
    found = model.solve_all(pose)
    for each in found:
        assert np.abs(model.pose(each) - pose).max() < 1e-8
    if found.complete:
        assert min(change(model, each, q) for each in found) < 1e-5


# From the makers' drawings: theta, d, a, alpha [rad, m] of standard Denavit-Hartenberg tables.
MADE = {
    "KUKA youBot": [
        (R, 0.0, 0.147, 0.033, QUARTER),
        (R, QUARTER, 0.0, 0.155, 0.0),
        (R, 0.0, 0.0, 0.135, 0.0),
        (R, QUARTER, 0.0, 0.0, QUARTER),
        (R, 0.0, 0.2175, 0.0, 0.0),
    ],
    "Lynxmotion AL5D": [
        (R, 0.0, 0.06731, 0.0, QUARTER),
        (R, 0.0, 0.0, 0.14605, 0.0),
        (R, 0.0, 0.0, 0.18733, 0.0),
        (R, QUARTER, 0.0, 0.0, QUARTER),
        (R, 0.0, 0.08573, 0.0, 0.0),
    ],
    "Adept Cobra s600": [
        (R, 0.0, 0.387, 0.325, 0.0),
        (R, 0.0, 0.0, 0.275, math.pi),
        (P, 0.0, 0.0, 0.0, 0.0),
        (R, 0.0, 0.0, 0.0, 0.0),
    ],
    "Stanford arm": [
        (R, 0.0, 0.412, 0.0, -QUARTER),
        (R, 0.0, 0.154, 0.0, QUARTER),
        (P, -QUARTER, 0.5, 0.0, 0.0),
        (R, 0.0, 0.0, 0.0, -QUARTER),
        (R, 0.0, 0.0, 0.0, QUARTER),
        (R, 0.0, 0.263, 0.0, 0.0),
    ],
}
COUNTS = {"KUKA youBot": 4, "Lynxmotion AL5D": 4, "Adept Cobra s600": 2, "Stanford arm": 8}


def made(name: str, limits: float = math.pi) -> limbik.Model:
    rows = [
        Row(
            name=f"joint{k + 1}",
            kind=kind,
            theta=theta,
            d=d,
            a=a,
            alpha=alpha,
            lower=-0.4 if kind is P else -limits,
            upper=0.4 if kind is P else limits,
        )
        for k, (kind, theta, d, a, alpha) in enumerate(MADE[name])
    ]
    return chain_of_rows(name, rows, "standard")


@pytest.mark.parametrize("name", [*MADE, "so100", "so101"])
def test_all_solutions_of_arms_that_are_made(name) -> None:
    model = made(name) if name in MADE else limbik.load(name)
    assert geometry(model).startswith("in closed form")
    most = max(len(check(model, q)) for q in model.random(11, 40))
    assert most <= COUNTS.get(name, 4)


def test_branches_of_arms_with_slides_have_names() -> None:
    scara, stanford = made("Adept Cobra s600"), made("Stanford arm")
    found = scara.solve_all(scara.pose([0.4, 0.9, 0.1, 0.3]))
    for q, name in zip(
        found.q, found.branches, strict=True
    ):  # a forearm turned to the left leaves the elbow right
        assert name == ("elbow right" if q[1] > 0.0 else "elbow left")
    assert "axes 1 and 2 parallel, joint 3 prismatic" in found.explain()
    names = stanford.solve_all(stanford.pose([0.3, 0.8, 0.2, 0.4, 0.9, -0.5])).branches
    assert {"shoulder left", "shoulder right"} >= {name.split(", ")[0] for name in names}
    assert len(set(names)) == len(names) > 1
    assert "sliding across axis 2" in geometry(stanford)


def test_limits_of_prismatic_joints_are_kept_and_have_no_turns() -> None:
    long = ModelBuilder("gantry").prismatic("x", axis=[1, 0, 0], limits=(-20.0, 20.0))
    long.prismatic("y", axis=[0, 1, 0], limits=(-20.0, 20.0)).revolute("turn", axis=[0, 0, 1], limits=(-4, 4))
    arm = long.build()
    found = arm.solve_all(pose_from(rotation_exp(np.array([0.0, 0.0, 1.0])), [12.0, -17.0, 0.0]))
    np.testing.assert_allclose(found.q, [[12.0, -17.0, 1.0]], atol=1e-9)
    assert len(arm.solve_all(pose_from(None, [21.0, 0.0, 0.0]))) == 0
    assert len(arm.solve_all(pose_from(None, [21.0, 0.0, 0.0]), limits=False)) == 1
    pose = pose_from(rotation_exp(np.array([0.0, 0.0, 3.0])), [1.0, 2.0, 0.0])
    turned = arm.solve_all(pose, revolutions=True)
    np.testing.assert_allclose(sorted(turned.q[:, 2]), [3.0 - 2.0 * math.pi, 3.0], atol=1e-9)


def test_a_pose_that_an_arm_of_five_joints_cannot_reach_has_no_solution() -> None:
    model = limbik.load("so100")
    q = model.random(2)
    pose = model.pose(q)
    away = pose.copy()
    away[:3, :3] = rotation_exp(np.array([0.0, 0.0, 0.1])) @ pose[:3, :3]
    found = model.solve_all(away)
    assert len(found) == 0
    assert found.complete
    with pytest.raises(GoalError):
        model.solve_all(2.0 * pose)


def test_a_pose_that_was_rounded_is_reached_as_a_solve_reaches_it() -> None:
    model = limbik.load("so100")
    for q in model.random(2, 10):
        pose = model.pose(q) + 1e-8 * np.random.default_rng(1).normal(size=(4, 4)) * [1, 1, 1, 1]
        pose[3] = 0.0, 0.0, 0.0, 1.0
        found = model.solve_all(pose)
        assert min(np.abs(each - q).max() for each in found) < 1e-5


@pytest.mark.parametrize("text", ["R+R|R|RoR", "R|R|P|R", "R+R|R|R"])
def test_starts_batches_and_whole_turns_of_fewer_joints(text) -> None:
    model = table(text, 3, limits=6.0)
    q = model.random(4, 12)
    poses = model.pose(q)
    batch = model.solve_all_batch(poses)
    assert batch.complete
    for k, pose in enumerate(poses):
        near = model.clip(q[k] + 0.01)
        found = model.solve_all(pose, start=near)
        np.testing.assert_allclose(found.q[0], q[k], atol=1e-8)
        assert (np.diff(np.linalg.norm(found.q - near, axis=1)) >= 0.0).all()
        np.testing.assert_allclose(batch.of(k), model.solve_all(pose).q, atol=1e-12)
        assert len(model.solve_all(pose, revolutions=True)) > len(found)


@pytest.mark.slow
def test_above_its_first_axis_an_arm_of_five_joints_is_solved_and_a_curve_is_not_called_complete() -> None:
    model = made("Lynxmotion AL5D")
    second = 2.0  # and joint 3 brings the wrist above the base
    third = math.acos(-0.14605 * math.cos(second) / 0.18733) - second
    q = np.array([1.1, second, third, 0.7, 0.4])
    check(model, q)
    upright = np.array([1.1, second, third, QUARTER - second - third, 0.4])  # axes 1 and 5 in one line
    pose = model.pose(upright)
    found = model.solve_all(pose)
    assert len(found) > 0
    for each in found:
        assert np.abs(model.pose(each) - pose).max() < 1e-5
    assert not found.complete
    assert any(set(motion.joints) >= {"joint1", "joint5"} for motion in found.free)


def test_a_frame_before_the_last_joint_and_other_joints_of_the_model() -> None:
    model = limbik.load("panda")
    link = model.path()[3].child  # behind four joints
    q = model.random(8)
    pose = model.pose(q, link)
    found = model.solve_all(pose, frame=link, start=q)
    np.testing.assert_allclose(found.q[0], q, atol=1e-6)
