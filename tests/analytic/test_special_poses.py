"""All solutions of arms of three to five joints at right angles, where roots coincide and joints are free."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import limbik
from limbik import ModelBuilder
from limbik.spatial import pose_from, rotation_exp
from sliding_arms import change

QUARTER = 0.5 * np.pi
SPECIAL = (0.0, QUARTER, -QUARTER, np.pi, -np.pi)


def random_arm(rng: np.random.Generator) -> limbik.Model:
    """Of joints whose axes are parallel or at right angles, some offsets between them 0."""
    builder = ModelBuilder("arm")
    for name in "abcde"[: rng.integers(3, 6)]:
        axis = dict(axis=np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0]))
        offset = np.round(rng.uniform(-0.3, 0.3, 3), 2) * (rng.random(3) < 0.4)
        origin = pose_from(rotation_exp(np.eye(3)[rng.integers(3)] * QUARTER * rng.integers(4)), offset)
        kind = rng.choice(["revolute", "continuous", "prismatic"], p=[0.5, 0.3, 0.2])
        limits = np.round([rng.uniform(-3.0, -0.1), rng.uniform(0.1, 3.0)], 2)
        if kind == "revolute":
            builder.revolute(name, **axis, origin=origin, limits=tuple(limits))
        elif kind == "continuous":
            builder.continuous(name, **axis, origin=origin)
        else:
            builder.prismatic(name, **axis, origin=origin, limits=tuple(0.2 * limits))
    return builder.fixed("tip", origin=tuple(np.round(rng.uniform(-0.2, 0.2, 3), 3))).build()


def special_configuration(rng: np.random.Generator, model: limbik.Model) -> np.ndarray:
    """Some joints at right angles, some at limits, within the limits."""
    q = model.random(rng)
    right, bound = (
        rng.choice(SPECIAL, model.nq),
        np.where(rng.random(model.nq) < 0.5, model.lower, model.upper),
    )
    is_legal = (right >= model.lower) & (right <= model.upper)
    draw = rng.random(model.nq)
    q = np.where((draw < 0.45) & is_legal, right, q)
    return np.where((draw > 0.85) & np.isfinite(bound), bound, q)


def check(model: limbik.Model, q: np.ndarray) -> limbik.AllSolutions:
    """Each solution meets the pose, none comes twice, and q is among them if they are complete."""
    pose = model.pose(q)
    found = model.solve_all(pose)
    for k, each in enumerate(found):
        assert np.abs(model.pose(each) - pose).max() < 1e-6
        assert all(change(model, each, other) > 1e-4 for other in found.q[:k])
    assert len(found)
    if found.complete:
        assert min(change(model, each, q) for each in found) < 1e-4
        assert not found.free
    return found


@pytest.mark.parametrize("seed", [38, 101, *range(12)])
def test_complete_is_said_only_where_the_configuration_of_the_pose_is_found(seed) -> None:
    rng = np.random.default_rng(seed)
    model = random_arm(rng)
    for _ in range(4):
        check(model, special_configuration(rng, model))


def test_a_joint_at_half_a_turn_that_puts_the_center_of_the_wrist_on_the_axis_before_it() -> None:
    x = [[0, 0, -1, 0], [0, 1, 0, -0.15], [1, 0, 0, 0], [0, 0, 0, 1]]
    y = [[0, -1, 0, -0.28], [0, 0, -1, 0], [1, 0, 0, 0], [0, 0, 0, 1]]
    z = [[0, 0, -1, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]]
    builder = ModelBuilder("RRRP").continuous("a", axis=(0, 0, -1), origin=np.array(x, float))
    builder.continuous("b", axis="z", origin=np.array(y, float))
    builder.revolute("c", axis=(0, -1, 0), limits=(-0.6, 2))
    builder.prismatic("d", axis="x", origin=np.array(z, float), limits=(0.04, 0.54))
    model = builder.fixed("tip", origin=(0.078, 0, 0.1)).build()
    q = [2.007894401835383, -np.pi, 1.6433303051020287, 0.5136391566735209]
    found = check(model, np.array(q))
    assert not found.complete
    assert min(change(model, each, q) for each in found) < 1e-4


def test_two_axes_that_a_slide_at_zero_puts_in_one_line_are_not_complete() -> None:
    builder = ModelBuilder("RRPR").revolute("a", axis="x", limits=(-2.8, 1.36))
    builder.revolute("b", axis="y", origin=(0, 0.27, 0), limits=(-0.59, 0.2))
    builder.prismatic("c", axis="z", limits=(-0.27, 0.23))
    builder.revolute("d", axis=(0, -1, 0), limits=(-1.76, 3.02))
    model = builder.fixed("tip", origin=(0.081, 0, 0.1)).build()
    found = check(model, np.array([0.94, -0.1, 0.0, -0.5]))
    assert not found.complete
    assert found.free


def test_an_arm_with_three_axes_in_one_line_is_searched() -> None:
    builder = ModelBuilder("coaxial")
    for name in "abc":
        builder.revolute(name, axis="z", limits=2)
    builder.continuous("d", axis="z", origin=(0.3, 0.3, 0.2)).continuous("e", axis="y", origin=(0.3, 0, 0))
    model = builder.fixed("tip", origin=(0.4, 0, 0)).build()
    found = model.solve_all(model.pose([0.3, 0.2, 0.4, 0.7, 0.5]), starts=10)
    assert len(found)
    assert not found.complete
    assert "random starts" in found.method


def test_a_search_does_not_tell_whole_turns_of_a_joint_without_limits_apart() -> None:
    builder = ModelBuilder("PRRP").prismatic("a", axis="x", limits=(0, 1))
    builder.revolute("b", axis=(1, 2, 3), limits=1).continuous("c", axis=(3, 1, 0), origin=(0.1, 0.2, 0.3))
    model = builder.prismatic("d", axis=(1, 5, 2), origin=(0.1, 0.2, 0), limits=(0, 1)).build()
    check(model, np.array([0.3, 0.2, 0.4, 0.3]))


def test_a_wrist_that_is_singular_has_an_answer_where_a_search_finds_one():
    builder = ModelBuilder("three parallel axes")
    places = [(0, 0, 0.4), (0, 0.2, 0), (0.4, 0, 0), (0.4, 0, 0), (0, 0.1, 0), (0, 0, -0.1)]
    for name, axis, origin in zip("abcdef", "zyyyzy", places, strict=True):
        builder.revolute(name, axis=axis, origin=origin, limits=1.5)
    model = builder.fixed("tip", origin=(0.1, 0, 0)).build()
    ur = limbik.load("ur5e")
    given = [2.9004320527437812, 0.8306858121426837, 6.009843046387939, -1.0099205527741528, 0]
    cases = [(ur, [*given, -1.0626301020137303]), (model, [0.7, 1.5, 1.5, 1.5, 0.0, 1.1])]
    for arm, q in cases:
        found = check(arm, np.array(q))
        assert not found.complete
        regular = arm.pose(np.full(6, 0.3))
        batch = arm.solve_all_batch([arm.pose(q), regular])
        assert batch.count.tolist() == [len(found), len(arm.solve_all(regular))]
        assert not batch.complete
        assert_allclose(batch.of(0), found.q)


def test_of_two_joints_in_one_line_a_search_gives_one_answer_of_each_curve() -> None:
    builder = ModelBuilder("RPRRR").revolute("a", axis="z", origin=(0, 0, 0.3), limits=3.1)
    builder.prismatic("b", axis="z", limits=0.5).revolute("c", axis="y", origin=(0, 0, 0.4), limits=3.1)
    builder.revolute("d", axis="y", origin=(0.3, 0, 0), limits=3.1)
    builder.revolute("e", axis="x", origin=(0.2, 0, 0), limits=3.1)
    model = builder.fixed("tip", origin=(0, 0, 0.1)).build()
    found = model.solve_all(model.pose([0.6, 0, -QUARTER, 0, 0]))
    assert len(found) == 2  # the limits leave two parts of the curve a + e = 0.6
    assert not found.complete
    assert [motion.joints for motion in found.free] == [("a", "e")] * 2


@pytest.mark.parametrize(
    "q",
    [
        [0.5 * np.pi, 0.34661256477264635, np.pi, 0.0, -0.10763411644677578, 0.0],
        [-0.313, 1.323, np.pi, 0.0, 0.775, 0.0],
    ],
)
def test_a_resultant_that_is_zero_everywhere_makes_no_answer_complete(q: list[float]) -> None:
    builder = ModelBuilder("four parallel axes").continuous("j0", axis="x", origin=(-0.32, 0.48, 0))
    axes = ["z", "x", (0, 0, -1), (0, 0, -1), "z"]
    origins = [(0, -0.55, -0.31), (0, -0.81, 0.17), (0, -0.02, -0.38), (0.08, 0.12, 0.1), (0, 0.44, -0.41)]
    for k, (axis, origin) in enumerate(zip(axes, origins, strict=True), 1):
        limits = 2.0 * np.pi if k == 2 else 2.9
        builder.revolute(f"j{k}", axis=axis, origin=origin, limits=limits)
    model = builder.fixed("tool", origin=(0.1, 0, 0.1)).build()
    found = check(model, np.array(q))
    assert not found.complete


def test_a_resultant_of_rounding_alone_makes_no_answer_complete() -> None:
    """Joints 1 and 4 are in one line: the equations have a solution at every angle of a third joint."""
    builder = ModelBuilder("right angles")
    origins = [
        (0.3, 0, 0.2),
        (0.1, -0.15, 0.1),
        (-0.15, 0, 0.2),
        (-0.15, 0, 0.2),
        (0.3, 0, 0.2),
        (0.2, -0.15, 0.2),
    ]
    for k, (axis, origin) in enumerate(zip("zzyxzy", origins, strict=True)):
        builder.revolute(f"j{k}", axis=axis, limits=3.0, origin=origin)
    model = builder.fixed("tool", origin=(0.05, 0.02, 0.1)).build()
    for q in ([0.0] * 6, [0.5, 0.0, 0.0, 0.0, 0.0, 0.3], [0.0, 0.7, 0.0, 0.0, -0.7, 0.0]):
        found = check(model, np.array(q))
        assert len(found) and not found.complete


def test_an_elimination_on_a_curve_of_answers_has_one_where_a_search_finds_one() -> None:
    side = np.eye(4)
    side[1, 3] = 0.4
    builder = ModelBuilder("four parallel axes").revolute("a", axis="x", origin=(0.3, 0.3, 0.4), limits=3.1)
    builder.revolute("b", axis="z", limits=(-1.3449095, -1.1834471))
    builder.revolute("c", axis="z", origin=(0, 0.4, 0.3), limits=(-2.7449263, 2.7137713))
    builder.revolute("d", axis="z", origin=(-0.25, 0, 0), limits=3.1)
    builder.revolute("e", axis="y", origin=(0, 0.2, -0.25), limits=2)
    builder.revolute("f", axis="z", origin=(0.4, 0, 0.4), limits=2)
    model = builder.fixed("tip", origin=side).build()
    pose = model.pose([-3, -1.25, 1.57, -1e-5, 0, 1e-3])
    found = model.solve_all(pose)
    assert len(found) == 1
    assert not found.complete
    assert_allclose(model.pose(found.q[0]), pose, atol=1e-6)


def offset_wrist(off: float) -> limbik.Model:
    """Of a Puma's form, but for axis 6, which misses the center of the wrist by a distance [m]."""
    builder = ModelBuilder("puma").revolute("a", axis="z", origin=(0, 0, 0.3), limits=3.0)
    builder.revolute("b", axis="y", origin=(0.1, 0, 0.1), limits=3.0)
    builder.revolute("c", axis="y", origin=(0, 0, 0.5), limits=3.0)
    builder.revolute("d", axis="x", origin=(0.2, 0, 0.1), limits=3.0)
    builder.revolute("e", axis="y", origin=(0.3, 0, 0), limits=2.0)
    return (
        builder.revolute("f", axis="x", origin=(0, off, 0), limits=3.0)
        .fixed("tip", origin=(0.1, 0, 0))
        .build()
    )


def tilted_wrist(off: float) -> limbik.Model:
    """Of a UR's form, but for axis 4, which is not parallel to 2 and 3 by an angle [rad]."""
    builder = ModelBuilder("ur").revolute("a", axis="z", origin=(0, 0, 0.09), limits=3.1)
    builder.revolute("b", axis="y", origin=(0, 0.13, 0), limits=3.1)
    builder.revolute("c", axis="y", origin=(0.42, -0.12, 0), limits=3.1)
    builder.revolute("d", axis=(np.sin(off), np.cos(off), 0), origin=(0.39, 0, 0), limits=3.1)
    builder.revolute("e", axis="z", origin=(0, 0.1, 0), limits=3.1)
    builder.revolute("f", axis="y", origin=(0, 0, -0.09), limits=3.1)
    return builder.fixed("tip", origin=(0, 0.08, 0)).build()


def sliding(off: float) -> limbik.Model:
    """With a joint that slides, and a wrist whose axis 6 misses its center by a distance [m]."""
    builder = ModelBuilder("slide").prismatic("a", axis="y", limits=0.5)
    builder.revolute("b", axis="y", origin=(0, 0, 0.3), limits=3.0)
    builder.revolute("c", axis="y", origin=(0, 0, 0.4), limits=3.0)
    builder.revolute("d", axis="z", origin=(0.02, 0, 0.3), limits=3.0)
    builder.revolute("e", axis="y", limits=2.0)
    return (
        builder.revolute("f", axis="z", origin=(0, off, 0), limits=3.0)
        .fixed("tip", origin=(0, 0, 0.1))
        .build()
    )


@pytest.mark.parametrize("off", [1e-8, 1e-6, 9e-6])
@pytest.mark.parametrize("arm", [offset_wrist, tilted_wrist, sliding])
def test_what_an_arm_is_off_its_closed_form_hides_no_solution_near_a_singular_wrist(arm, off) -> None:
    rng = np.random.default_rng(4)
    model = arm(off)
    for bend in (0.0, 1e-6, 1e-5, 1e-4, 1e-3):
        for _ in range(12 if arm is not sliding else 2):
            q = model.random(rng)
            q[4] = bend
            found = model.solve_all(model.pose(q))
            assert len(found)
            nearest = min(change(model, each, q) for each in found)
            assert nearest < 1e-3 or not found.complete
            assert nearest < 1e-3 or bend < 1e-6 or arm is sliding


@pytest.mark.parametrize("arm", [offset_wrist, tilted_wrist])
def test_in_a_batch_near_a_singular_wrist_too(arm) -> None:
    model = arm(9e-6)
    q = model.random(4, 40)
    q[::2, 4] = 1e-5
    batch = model.solve_all_batch(model.pose(q))
    assert not batch.complete
    assert model.solve_all_batch(model.pose(q[1:9:2])).complete
    for k, each in enumerate(q):
        assert min(change(model, other, each) for other in batch.of(k)) < 1e-3


@pytest.mark.parametrize("off", [1e-7, 3e-6, 1e-5])
def test_what_rounding_alone_makes_possible_is_no_closed_form(off) -> None:
    """Two slides across the joint between them: as drawn, they cannot move along its axis."""
    builder = ModelBuilder("slides").prismatic("a", axis="y", limits=1.0).revolute("b", axis="x", limits=3.0)
    builder.prismatic("c", axis="z", limits=1.0)
    builder.revolute("d", axis=(0, off, 1), limits=3.0, origin=(0, 0.3, 0))
    model = builder.revolute("e", axis="y", limits=3.0, origin=(off, 0, 0)).build()
    for seed in range(2):
        found = model.solve_all(model.pose(model.random(seed)), starts=10)
        assert len(found) and not found.complete


def ordinary_arm(limits: list[tuple[float, float]]) -> limbik.Model:
    """Of six joints, the last three about one point."""
    builder = ModelBuilder("ordinary")
    origins = [(0, 0, 0.3), (0.1, 0, 0.1), (0, 0, 0.4), (0, 0, 0.35), (0, 0, 0), (0, 0, 0)]
    for name, axis, origin, both in zip("abcdef", "zyyzyz", origins, limits, strict=True):
        builder.revolute(name, axis=axis, origin=origin, limits=both)
    return builder.build(end_effector="f")


def test_a_curve_is_found_where_elbow_and_wrist_are_straight_at_once() -> None:
    model, rng = ordinary_arm([(-3, 3)] * 6), np.random.default_rng(0)
    for _ in range(20):
        q = rng.uniform(-2.9, 2.9, 6)
        q[[2, 4]] = 0.0
        found = check(model, q)
        assert not found.complete
        assert found.free
        for motion in found.free:
            assert motion.joints == ("d", "f")
            assert np.abs(model.pose(motion.q) - model.pose(q)).max() < 1e-6
            sums = motion.q[:, 3] + motion.q[:, 5] - q[3] - q[5]
            assert np.abs(np.sin(0.5 * sums)).max() < 1e-6
        away = [np.abs(motion.q - q)[:, [3, 5]].max(axis=1).min() for motion in found.free]
        assert min(away) < 0.03


def test_a_curve_ends_where_a_joint_that_moves_meets_its_limit() -> None:
    model = ordinary_arm([(-3, 3), (-2, 2), (-2.5, 2.5), (-2, 2), (0, 2), (-2.5, 2.5)])
    rng = np.random.default_rng(0)
    for _ in range(20):
        q = model.random(rng)
        q[4] = 0.0
        for motion in model.solve_all(model.pose(q)).free:
            assert motion.joints == ("d", "f")
            assert {end.split()[0] for end in motion.ends} <= {"d", "f"}
