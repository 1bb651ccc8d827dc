"""All solutions where a joint is exactly at its limit, and others where axes meet or lie in line."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import limbik
from limbik.errors import LimbikError
from limbik.model.chain import chain_to
from limbik.solvers import elimination_plan
from limbik.solvers.self_motion import Mover
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
    places = chain_to(model, frame).q_places
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
