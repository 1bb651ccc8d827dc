"""How near and how far a frame can be from the first joint: bounds that hold, and are met where they can
be."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limbik import JointKind, Model, ModelBuilder, ball_arm, planar_arm
from limbik.model.chain import chain_to
from strategies import KINDS, SEEDS, chains, configuration

MOVING = tuple(kind for kind in KINDS if kind not in (JointKind.FIXED, JointKind.FLOATING))


def distance(model: Model, q: np.ndarray) -> np.ndarray:
    """[..., m] of the end effector from where the first joint stands at zero."""
    first = chain_to(model).joints[0].origin[:3, 3]
    return np.linalg.norm(model.pose(q)[..., :3, 3] - first, axis=-1)


@given(chains(MOVING), SEEDS)
def test_no_configuration_within_limits_leaves_the_range(model: Model, seed: int) -> None:
    least, greatest = chain_to(model).reach_range
    found = distance(model, model.random(seed, 50))
    assert found.min() >= least - 1e-12 * (1.0 + least)
    assert found.max() <= greatest * (1.0 + 1e-12) + 1e-12
    assert greatest == model.reach()


@given(chains(MOVING), SEEDS)
def test_without_limits_on_slides_no_configuration_at_all_leaves_the_range(model: Model, seed: int) -> None:
    least, greatest = chain_to(model).without_limits().reach_range
    found = distance(model, configuration(model, seed, 50))
    assert found.min() >= least - 1e-12 * (1.0 + least)
    assert found.max() <= greatest * (1.0 + 1e-12) + 1e-12


@given(st.lists(st.floats(0.0, 3.0), min_size=1, max_size=6))
def test_an_arm_of_balls_comes_as_near_and_as_far_as_it_is_said_to(lengths: list[float]) -> None:
    least, greatest = chain_to(ball_arm(lengths)).reach_range
    assert greatest == pytest.approx(sum(lengths))
    assert least == pytest.approx(max(0.0, 2.0 * max(lengths) - sum(lengths)), abs=1e-12)


def test_the_longest_link_keeps_an_arm_from_folding_to_its_base() -> None:
    assert chain_to(planar_arm(3, [3.0, 1.0, 0.5])).reach_range == (1.5, 4.5)
    assert chain_to(planar_arm(3, [1.0, 1.0, 1.0])).reach_range == (0.0, 3.0)


def boom(travel: tuple[float, float]) -> Model:
    """A base yaw joint, a prismatic joint away from its axis, and a revolute joint with a short hook."""
    return (
        ModelBuilder("boom")
        .revolute("slew", axis="z")
        .prismatic("slide", axis="x", origin=(0.5, 0.0, 0.0), limits=travel)
        .revolute("wrist", axis="y", origin=(0.0, 0.0, 0.3))
        .frame("hook", pose=(0.1, 0.0, 0.0))
        .build(end_effector="hook")
    )


def test_the_travel_of_a_slide_is_an_interval_in_the_bounds() -> None:
    assert chain_to(boom((1.0, 2.0))).reach_range == pytest.approx(
        (math.hypot(1.5, 0.3) - 0.1, math.hypot(2.5, 0.3) + 0.1)
    )


def test_a_slide_that_passes_the_axis_is_nearest_there() -> None:
    assert chain_to(boom((-3.0, 0.0))).reach_range == pytest.approx((0.2, math.hypot(2.5, 0.3) + 0.1))


def test_a_slide_without_limits_keeps_its_distance_from_the_axis() -> None:
    assert chain_to(boom((-math.inf, math.inf))).reach_range == pytest.approx((0.2, math.inf))
    assert chain_to(boom((1.0, math.inf))).reach_range == pytest.approx(
        (math.hypot(1.5, 0.3) - 0.1, math.inf)
    )


def test_a_gantry_reaches_the_corners_of_its_box() -> None:
    gantry = (
        ModelBuilder("gantry")
        .prismatic("x", axis="x", limits=(1.0, 3.0))
        .prismatic("y", axis="y", limits=(-1.0, 2.0))
        .prismatic("z", axis="z", limits=(2.0, 4.0))
        .prismatic("quill", axis="z", limits=(0.0, 0.5))
        .build()
    )
    least, greatest = chain_to(gantry).reach_range
    assert greatest == pytest.approx(math.sqrt(9.0 + 4.0 + 16.0) + 0.5)  # the fourth slide is another vector
    assert least == pytest.approx(math.sqrt(1.0 + 4.0) - 0.5)
