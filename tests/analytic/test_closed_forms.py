"""Closed forms of six revolute joints: every family, walked either way, on arms that nobody chose."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import limbik
from limbik.all_solutions.solve_all import geometry
from limbik.analytic.axes import Axes, axes_of
from limbik.analytic.closed_form import Family, closed_form
from limbik.model.chain import chain_to
from limbik.spatial import pose_from, rotation_exp
from six_revolute_arms import FAMILIES, as_model, random_axes

JOINTS = ("joint2", "joint3", "joint5")  # the axes whose points are shoulder, elbow and wrist
PRESETS = ["ur3", "ur3e", "ur5", "ur5e", "ur10", "ur10e", "ur16e", "ur20", "ur30", "z1", "puma560"]


def largest_turn(q0: np.ndarray, q1: np.ndarray) -> float:
    return float(np.abs(np.angle(np.exp(1j * (q0 - q1)))).max())


def check(model: limbik.Model, q: np.ndarray) -> limbik.AllSolutions:
    """All solutions of the pose at q: each reaches it within limits, none comes twice, q is among them."""
    pose = model.pose(q)
    found = model.solve_all(pose)
    for each in found:
        assert np.abs(model.pose(each) - pose).max() < 1e-9
        assert model.is_within_limits(each)
    for i in range(len(found)):
        for j in range(i):
            assert largest_turn(found.q[i], found.q[j]) > 1e-6
    assert min((largest_turn(each, q) for each in found), default=math.inf) < 1e-5
    return found


@pytest.mark.parametrize("name", PRESETS)
def test_the_generating_configuration_is_among_the_solutions_of_known_arms(name) -> None:
    model = limbik.load(name)
    for q in model.random(7, 20):
        assert check(model, q).complete


@pytest.mark.slow
@given(st.sampled_from(FAMILIES), st.booleans(), st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_every_family_is_solved_either_way(family, is_backwards, seed) -> None:
    axes = random_axes(family, seed)
    axes = axes.reversed() if is_backwards else axes
    form = closed_form(axes)
    assert form is not None
    assert (form.family, form.is_backwards) == (family, is_backwards)
    model = as_model(axes)
    for q in model.random(seed, 3):
        found = check(model, q)
        assert found.complete
        assert len(found) <= 8


@pytest.mark.slow
def test_no_solution_that_many_solves_find_is_missing() -> None:
    """An independent oracle: the fast core from many starts."""
    for seed, family in enumerate(FAMILIES):
        model = as_model(random_axes(family, seed))
        pose = model.pose(model.random(seed))
        found = model.solve_all(pose)
        for start in model.random(seed, 15):
            solution = model.solve(pose, start=start)
            if solution.success:
                assert min(largest_turn(solution.q, each) for each in found) < 0.01


def test_limits_leave_out_what_is_beyond_them() -> None:
    wide, narrow = limbik.load("ur5e"), limbik.load("ur5e")
    pose = wide.pose(wide.random(1))
    every = wide.solve_all(pose, limits=False)
    legal = narrow.solve_all(pose)
    assert len(every) == 8
    assert len(legal) <= len(every)
    axes = random_axes(Family.PARALLEL_2_3, 4)
    for seed in range(10):
        q = np.random.default_rng(seed).uniform(-1.0, 1.0, 6)
        found = check(as_model(axes, limits=1.0), q)
        assert (np.abs(found.q) <= 1.0).all()
        same = [each for each in as_model(axes).solve_all(axes.pose(q)) if np.abs(each).max() <= 1.0]
        assert len(same) == len(found)


def test_whole_turns_on_request() -> None:
    model = limbik.load("ur5e")  # its joints turn twice
    pose = model.pose(model.random(3))
    once, every = model.solve_all(pose), model.solve_all(pose, revolutions=True)
    assert len(every) > len(once)
    assert all(model.is_within_limits(q) for q in every)
    for q in every:
        assert np.abs(model.pose(q) - pose).max() < 1e-9
        assert min(largest_turn(q, each) for each in once) < 1e-9
    different = {tuple(np.round(q, 6)) for q in every}
    assert len(different) == len(every)


def test_the_nearest_to_the_start_comes_first() -> None:
    model = limbik.load("puma560")
    for q in model.random(5, 20):
        start = model.clip(q + 0.05)
        found = model.solve_all(model.pose(q), start=start)
        np.testing.assert_allclose(found.q[0], q, atol=1e-9)
        distances = np.linalg.norm(found.q - start, axis=1)
        assert (np.diff(distances) >= 0.0).all()


def test_batches_have_the_same_answers() -> None:
    model = limbik.load("puma560")
    poses = model.pose(model.random(2, 50))
    batch = model.solve_all_batch(poses)
    assert len(batch) == 50
    for k, pose in enumerate(poses):
        np.testing.assert_allclose(batch.of(k), model.solve_all(pose).q, atol=1e-12)
        assert np.isnan(batch.q[k, batch.count[k] :]).all()


def test_branches_have_the_names_that_roboticists_use() -> None:
    model = limbik.load("puma560")
    pose = pose_from(rotation_exp(np.array([0.0, 2.5, 0.3])), [0.45, 0.1, 0.25])
    found = model.solve_all(pose, limits=False)
    assert len(set(found.branches)) == len(found) == 8
    by_name = dict(zip(found.branches, found.q, strict=True))
    for name, q in by_name.items():
        if name.endswith("not flipped"):  # the wrist alone differs
            other = by_name[name.removesuffix("not flipped") + "flipped"]
            np.testing.assert_allclose(other[:3], q[:3], atol=1e-9)
            height = elbow_height(model, q)
            assert ("elbow up" in name) == (height > 0.0)


@pytest.mark.parametrize("signs", list(itertools.product((1.0, -1.0), repeat=3)))
@pytest.mark.parametrize("wrist", ["spherical", "three parallel"])
def test_an_elbow_is_up_whichever_ends_of_the_axes_are_positive(wrist: str, signs: tuple[float, ...]) -> None:
    """KUKA's first axis points down."""
    along = {"x": np.array([1.0, 0.0, 0.0]), "y": np.array([0.0, 1.0, 0.0]), "z": np.array([0.0, 0.0, 1.0])}
    axes = "zyyxyx" if wrist == "spherical" else "zyyyzy"
    steps = [(0, 0, 0), (0, 0, 0.4), (0, 0, 0.5), (0.5, 0, 0), (0, 0, 0), (0, 0, 0)]
    if wrist == "three parallel":
        steps[4:] = [(0, 0.1, 0), (0, 0.1, 0)]
    builder = limbik.ModelBuilder("arm")
    for k, (axis, step) in enumerate(zip(axes, steps, strict=True)):
        direction = along[axis] * (signs[k] if k < 3 else 1.0)
        builder.revolute(f"joint{k + 1}", axis=direction, origin=pose_from(np.eye(3), np.array(step)))
    model = builder.frame("tool", pose=(0.1, 0.0, 0.0)).build(end_effector="tool")
    for bend in (0.0, 1.2):  # elbow above the line, and below
        q = np.array([0.3, signs[1] * bend, -signs[2] * 1.4 * bend, 0.4, 0.7, 0.2])
        found = model.solve_all(model.pose(q), start=q)
        np.testing.assert_allclose(found.q[0], q, atol=1e-8)
        assert ("elbow up" in found.branches[0]) == (elbow_height(model, q) > 0.0)


def elbow_height(model: limbik.Model, q: np.ndarray) -> float:
    """How far the elbow is above the line from the shoulder to the wrist [m]."""
    shoulder, elbow, wrist = (
        model.pose(q, joint.child)[:3, 3] for joint in (model.joint(name) for name in JOINTS)
    )
    along = (wrist - shoulder) / np.linalg.norm(wrist - shoulder)
    return float((elbow - shoulder - along * ((elbow - shoulder) @ along))[2])


@pytest.mark.parametrize("family", FAMILIES)
def test_beyond_reach_there_is_none_and_it_is_explained(family) -> None:
    model = as_model(random_axes(family, 2))
    pose = model.pose(np.zeros(6))
    pose[:3, 3] += 20.0
    found = model.solve_all(pose)
    assert len(found) == 0
    assert found.complete
    assert "Out of reach" in found.explain()


def test_at_a_singular_wrist_two_joints_are_free_to_move_together() -> None:
    model = limbik.load("puma560")
    q = np.array([0.3, -0.6, 0.4, 0.5, 0.0, 0.2])
    found = check_pose(model, q)
    motions = [motion for motion in found.free if motion.joints == ("joint4", "joint6")]
    assert motions
    for motion in motions:
        for each in motion.q:
            assert np.abs(model.pose(each) - model.pose(q)).max() < 1e-9
            assert model.is_within_limits(each, margin=-1e-9)


def check_pose(model: limbik.Model, q: np.ndarray) -> limbik.AllSolutions:
    """All solutions of the pose at q, where q itself is one of infinitely many."""
    pose = model.pose(q)
    found = model.solve_all(pose)
    assert len(found) > 0
    for each in found:
        assert np.abs(model.pose(each) - pose).max() < 1e-9
    return found


@pytest.mark.parametrize("place", [2, 4])
@pytest.mark.parametrize("family", FAMILIES)
def test_near_singular_configurations_nothing_is_wrong(family, place) -> None:
    """Where two branches meet: at the edge of what a joint can do for the pose."""
    model = as_model(random_axes(family, 11))
    axes = random_axes(family, 11)
    rng = np.random.default_rng(3)
    for _ in range(5):
        q = rng.uniform(-2.0, 2.0, 6)
        q[place] = singular_value(axes, q, place)
        for offset in (0.0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3):
            q[place] += offset
            pose = model.pose(q)
            for each in model.solve_all(pose):
                assert np.abs(model.pose(each) - pose).max() < 1e-8


def singular_value(axes: Axes, q: np.ndarray, place: int) -> float:
    """The value of one joint at which the Jacobian is as nearly singular as it gets."""
    model = as_model(axes)

    def smallest(value: float) -> float:
        return float(np.linalg.svd(model.jacobian(np.where(np.arange(6) == place, value, q)))[1][-1])

    values = np.linspace(-3.0, 3.0, 121)
    best = float(values[np.argmin([smallest(value) for value in values])])
    for step in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6):
        values = best + step * np.linspace(-5.0, 5.0, 41)
        best = float(values[np.argmin([smallest(value) for value in values])])
    return best


def test_axes_are_a_models_kinematics() -> None:
    for name in ("panda", "ur5e", "so100"):
        model = limbik.load(name)
        axes = axes_of(chain_to(model))
        assert axes is not None
        q = model.random(1)[: axes.size]
        whole = model.neutral.copy()
        whole[: axes.size] = q
        np.testing.assert_allclose(axes.pose(q), model.pose(whole), atol=1e-14)
        np.testing.assert_allclose(axes.reversed().pose(q[::-1]) @ axes.pose(q), np.eye(4), atol=1e-13)


def test_axes_that_a_file_has_rounded_are_taken_as_they_are_meant_and_answers_are_exact() -> None:
    axes = random_axes(Family.PARALLEL_2_3, 8)
    directions = axes.directions.copy()
    directions[2] += 1e-6 * np.array([1.0, -2.0, 0.5])
    directions[2] /= np.linalg.norm(directions[2])
    points = axes.points + 1e-7 * np.random.default_rng(0).normal(size=(6, 3))
    rounded = Axes(directions, points, axes.is_prismatic, axes.home)
    form = closed_form(rounded)
    assert form is not None
    assert not form.is_exact
    model = as_model(rounded)
    for q in model.random(4, 20):
        check(model, q)


def test_the_geometry_is_told_in_words() -> None:
    assert geometry(limbik.load("puma560")) == (
        "in closed form: spherical wrist (axes 4, 5 and 6 meet), axes 2 and 3 parallel"
    )
    assert "axes 2, 3 and 4 parallel" in geometry(limbik.load("ur10e"))
    assert "at sampled values" in geometry(limbik.load("panda"))
    assert "by elimination" in geometry(limbik.load("xarm6"))
    assert "many starts" in geometry(limbik.planar_arm(5))


def test_parallel_axes_all_over_are_no_closed_form() -> None:
    arm = limbik.planar_arm(6)
    assert closed_form(axes_of(chain_to(arm))) is None


@pytest.mark.slow
@pytest.mark.parametrize(("name", "room"), [("puma560", 0.02), ("ur5e", 1.0)])
def test_at_a_singular_wrist_a_legal_configuration_of_the_curve_is_found(name, room) -> None:
    """Of the angles that joints may share there, those at 0 may be beyond their limits."""
    robot = limbik.load(name)
    axes = axes_of(chain_to(robot))
    assert axes is not None
    rng = np.random.default_rng(5)
    for _ in range(10):
        q = rng.uniform(-1.0, 1.0, 6)
        q[4] = 0.0
        lower, upper = q - room, q + room
        model = as_model(axes, list(zip(lower, upper, strict=True)))
        pose = model.pose(q)
        found = model.solve_all(pose)
        assert len(found) > 0
        for each in found:
            assert np.abs(model.pose(each) - pose).max() < 1e-9
            assert model.is_within_limits(each)
