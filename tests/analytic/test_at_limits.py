"""All solutions where a joint is exactly at its limit, and others where axes meet or lie in line."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import limbik
from limbik.all_solutions import elimination_plan
from limbik.all_solutions.self_motion import Mover
from limbik.errors import LimbikError
from limbik.model.chain import chain_to
from six_revolute_arms import ARMS, FAMILIES, as_model, random_axes

REGULAR = 1e-4  # smallest singular value of a configuration that is not nearly singular
ROBOTS = [
    ("so101", "gripper_frame_link"),
    ("so100", "gripper"),
    ("human", "left_foot"),
    ("romeo", "l_sole"),
    ("romeo", "RElbowYawLink"),
    ("talos", "leg_left_6_link"),
    ("centauro", "ankle2_3"),
    ("centauro", "arm1_5"),
    ("z1", "link6"),
]


@functools.cache
def loaded(robot: str) -> limbik.Model:
    try:
        return limbik.load(robot)
    except LimbikError as error:
        pytest.skip(str(error))


def check(model: limbik.Model, frame: str, seed: int) -> None:
    """With one joint on a limit and another at 0: no configuration is lost while the answers are complete."""
    rng = np.random.default_rng(seed)
    places = chain_to(model, frame).q_indices
    lower, upper = model.lower[places], model.upper[places]
    own = rng.uniform(np.maximum(lower, -np.pi), np.minimum(upper, np.pi))
    at_limit, at_zero = rng.permutation(len(places))[:2]
    own[at_zero] = np.clip(0.0, lower[at_zero], upper[at_zero])
    own[at_limit] = (lower, upper)[rng.integers(2)][at_limit]
    q = model.neutral.copy()
    q[places] = own
    found = model.solve_all(model.pose(q, frame), frame=frame)
    assert len(found) or not found.complete, q
    for each in found:
        assert model.is_within_limits(each)
        assert np.abs(model.pose(each, frame) - model.pose(q, frame)).max() < 1e-6
    J = Mover(model, frame, places, lower, upper).jacobian(q)
    if found.complete and np.linalg.svd(J, compute_uv=False)[-1] > REGULAR:
        assert np.abs(np.angle(np.exp(1j * (found.q - q)))).max(axis=1).min() < 1e-5, q


@pytest.mark.parametrize(("robot", "frame"), ROBOTS)
def test_no_configuration_of_a_robot_at_a_limit_is_lost(robot, frame) -> None:
    for seed in range(100):
        check(loaded(robot), frame, seed)


def test_an_arm_of_five_joints_is_solved_at_the_limit_of_its_wrist() -> None:
    model = loaded("so101")
    q = np.array([0.3, 0.2, 0.5, model.upper[3], 0.0])
    found = model.solve_all(model.pose(q))
    assert np.abs(found.q - q).max(axis=1).min() < 1e-9


@given(st.sampled_from(FAMILIES), st.integers(0, 2**32 - 1), st.floats(0.0, 3.0))
def test_no_configuration_of_a_random_arm_at_a_limit_is_lost(family, seed, reach) -> None:
    rng = np.random.default_rng(seed)
    limits = [(-reach, float(upper)) for upper in rng.uniform(0.0, 3.0, 6)]
    check(as_model(random_axes(family, seed), limits), "tool", seed)


def test_two_that_rounding_puts_on_either_side_of_half_a_turn_are_one(monkeypatch) -> None:
    model = as_model(ARMS["fanuc-crx10ia"].axes, [(-np.pi, np.pi)] * 6)
    q = np.array([0.3, 0.5, -0.4, 1.1, 0.7, np.pi])
    both = np.array([q, [*q[:5], -np.pi]])
    monkeypatch.setattr(elimination_plan, "general_search", lambda axes, pose: (both, True, True))
    assert len(model.solve_all(model.pose(q))) == 1


def test_near_a_double_root_beside_limits_what_a_solve_finds_is_an_answer() -> None:
    """An arm that misses a closed form by 1e-4, nearly singular, with two joints at their limits."""
    axes = [
        (0.0, 0.0, 1.0),
        (0.0, 1.0, 0.0),
        (-3.341687039744366e-05, 0.9998791259121307, 2.502926308398319e-05),
        (0.0, 1.0, 0.0),
        (0.9999163163686895, -6.977788597789156e-06, -4.235639745910357e-05),
    ]
    origins = [
        (0.0, 0.0, 0.1),
        (0.03003722941684917, 0.019805899796592325, 0.0999044335217023),
        (0.0, 0.0, 0.3),
        (0.3, 0.0, 0.0),
        (0.1, 0.0, 0.0),
    ]
    q = [2.412821556972318, 2.688348432673884, -np.pi / 2, -np.pi / 2, 0.504562286111182]
    upper = (q[0], q[1], 0.9153692716400298, 0.7702829076768481, 2.8230359502779283)
    lower = (-2.4096590843171253, -2.0755904682890796, -2.40018696, -2.79443374, -1.87451785)
    builder = limbik.ModelBuilder("arm")
    for k, (axis, origin) in enumerate(zip(axes, origins, strict=True)):
        builder.revolute(f"j{k}", axis=axis, origin=origin, limits=(lower[k], upper[k]))
    arm = builder.fixed("tool").build()
    pose = arm.pose(q)
    found = arm.solve_all(pose)
    assert arm.solve(pose).success
    assert len(found)
    assert not found.complete
    for each in found:
        assert np.abs(arm.pose(each) - pose).max() < 2e-6
        assert arm.is_within_limits(each)
