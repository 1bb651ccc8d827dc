"""Names of branches: no two answers of a pose share one, and a path keeps its own."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import limbik
from limbik.all_solutions.answers_plan import AnswersPlan
from limbik.all_solutions.solve_all import plan_for_all
from limbik.spatial import pose_from
from point_arms import KINDS, arm_of
from six_revolute_arms import FAMILIES, as_model, random_axes
from sliding_arms import WRISTED, wristed

REGULAR = 0.01  # smallest singular value of the Jacobian
STEP = 0.03  # [rad or m] of a way through the joints' ranges


def named(model: limbik.Model, kind: int = 0) -> AnswersPlan:
    plan = plan_for_all(model, None, False, kind)
    assert plan is not None
    return plan


def regularity(plan: AnswersPlan, q: np.ndarray) -> float:
    J = plan._mover.jacobian(q)
    return float(np.linalg.svd(J, compute_uv=False)[J.shape[1] - 1])


def check(model: limbik.Model, seed: int, for_point: bool = False) -> None:
    """Of the answers for a pose, or a point, and of a way from one configuration to another."""
    plan = named(model, 3 if for_point else 0)
    first, second = model.random(seed, 2)
    pose = model.pose(first)
    found = model.solve_all(pose[:3, 3] if for_point else pose, limits=False)
    if found.complete:
        regular = [k for k, q in enumerate(found.q) if regularity(plan, q) > REGULAR]
        names = [found.branches[k] for k in regular]
        assert len(set(names)) == len(names)
        assert len(names) < 2 or not any(name.startswith("solution") for name in names)
    way = np.linspace(first, second, math.ceil(np.abs(second - first).max() / STEP))
    is_regular = [regularity(plan, q) > 4.0 * REGULAR for q in way]
    names = list(plan.branches(None, way))
    if not names[0].startswith("solution"):
        for k in range(len(way) - 1):
            assert names[k] == names[k + 1] or not (is_regular[k] and is_regular[k + 1])


@given(st.sampled_from(FAMILIES), st.booleans(), st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_branches_of_six_revolute_joints(family, is_backwards, seed) -> None:
    axes = random_axes(family, seed)
    check(as_model(axes.reversed() if is_backwards else axes), seed)


@given(st.sampled_from(WRISTED), st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_branches_of_arms_that_slide(text, seed) -> None:
    check(wristed(text, seed), seed)


@given(st.sampled_from(KINDS), st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_branches_of_arms_for_a_point(kind, seed) -> None:
    check(arm_of(kind, seed), seed, for_point=True)


@pytest.mark.parametrize("name", ["ur5e", "ur10e", "puma560", "z1"])
def test_branches_of_known_arms(name) -> None:
    model = limbik.load(name)
    for seed in range(6):
        check(model, seed)


def test_the_shoulder_of_a_ur_has_the_side_that_its_first_joint_gives_it() -> None:
    """It alternated where only the wrist moved."""
    model = limbik.load("ur5e")
    for pose in model.pose(model.random(3, 30)):
        found = model.solve_all(pose)
        for a, one in zip(found.q, found.branches, strict=True):
            for b, other in zip(found.q, found.branches, strict=True):
                same_joint = math.cos(a[0] - b[0]) > 1.0 - 1e-12
                assert same_joint == (one.split(", ")[0] == other.split(", ")[0])


def test_a_shoulder_is_named_by_its_axes_and_not_by_where_its_joints_are_zero() -> None:
    """An arm of seven joints whose zero of joint 2 is a quarter turn from the straight arm."""
    builder = limbik.ModelBuilder("seven")
    axes = [[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    origins = [[0, 0, 0.3], [0, 0, 0], [0, 0, 0], [0.4, 0, 0], [0.4, 0, 0], [0, 0, 0], [0, 0, 0]]
    for k, (axis, origin) in enumerate(zip(axes, origins, strict=True)):
        builder.revolute(f"joint{k + 1}", axis=axis, origin=origin, limits=(-3.0, 3.0))
    model = builder.build()
    for q in model.random(5, 10):
        plan = named(model)
        turned = q.copy()
        turned[[0, 1, 2]] += math.pi, -2.0 * (q[1] + 0.5 * math.pi), math.pi
        np.testing.assert_allclose(model.pose(turned), model.pose(q), atol=1e-12)
        one, other = plan.branches(None, np.array([q, turned]))
        assert one.split(", ")[0] != other.split(", ")[0]
        assert one.split(", ")[1:] == other.split(", ")[1:]


def test_two_joints_before_a_spherical_wrist_have_a_side() -> None:
    """Both configurations of the two joints had the wrist's name alone."""
    around_x = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    turned = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, 0.0]])
    origins = [
        pose_from(np.eye(3), np.zeros(3)), pose_from(around_x, np.zeros(3)),
        pose_from(turned, [-0.3, 0.0, 0.0]),
        pose_from(around_x, [0.0, 0.0, 0.3]), pose_from(around_x.T, np.zeros(3)),
    ]  # fmt: skip
    builder = limbik.ModelBuilder("five")
    for k, origin in enumerate(origins):
        builder.continuous(f"joint{k + 1}", axis="z", origin=origin)
    model = builder.frame("tool", pose=(0.1, 0.0, 0.1)).build(end_effector="tool")
    several = 0
    for q in model.random(0, 40):
        answers = model.solve_all(model.pose(q))
        is_regular = [np.linalg.svd(model.jacobian(each), compute_uv=False)[4] > 1e-2 for each in answers.q]
        names = [name for name, counts in zip(answers.branches, is_regular, strict=True) if counts]
        assert len(set(names)) == len(names)
        several += len(names) > 2
    assert several > 10


def test_an_arm_whose_wrist_is_spherical_but_for_rounding_keeps_its_names() -> None:
    """Also where elimination takes over, as in its file's last digits its axes do not meet."""
    builder = limbik.ModelBuilder("rounded").revolute("a").revolute("b", axis="-y", origin=(0.25, 0.3, 0.3))
    builder = builder.revolute("c", origin=(0.0, 0.25, 0.3), axis="y")
    builder = builder.revolute("d", origin=(0.3, 0.187, 0.0), axis="x")
    builder = builder.revolute("e", origin=(-9e-10, -1.8e-9, 1e-9), axis="y").revolute("f", axis="x")
    arm = builder.frame("tip", pose=(0.1, 0.0, 0.0)).build(end_effector="tip")
    methods = set()
    for bend in np.linspace(1.5, 0.005, 34):
        found = arm.solve_all(arm.pose([1.1, 1.9, 0.7, -0.4, bend, 1.6]), limits=False)
        methods.add(found.method[:14])
        names = [name for name in found.branches if "elbow" in name]
        assert len(set(names)) == len(names) == len(found), found.branches
    assert methods == {"by elimination", "in closed form"}
