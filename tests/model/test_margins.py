"""How far joints are from their limits."""

import math

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose

from limbik import JointKind, Mimic, Model, ModelBuilder
from limbik.model.margins import limit_margins, readings, unwound
from strategies import KINDS, SEEDS, configuration, models


@given(models(), SEEDS)
def test_a_configuration_is_within_limits_where_no_margin_is_negative(model: Model, seed: int) -> None:
    margins = limit_margins(model, model.random(seed))
    assert margins.shape == (model.nq,)
    assert margins.min(initial=0.0) >= -1e-9


SCALAR = tuple(kind for kind in KINDS if kind not in (JointKind.BALL, JointKind.FLOATING))


@given(models(SCALAR), SEEDS)
def test_margins_are_distances_to_the_nearer_limit(model: Model, seed: int) -> None:
    q = configuration(model, seed)
    assert_allclose(limit_margins(model, q), np.minimum(q - model.lower, model.upper - q))


def test_a_ball_joint_has_the_smaller_margin_of_swing_and_twist() -> None:
    model = ModelBuilder("ball").ball("b", axis="z", swing=1.0, twist=(-0.5, 0.7)).build()
    half = 0.5 * 0.8
    swung = np.array([math.sin(half), 0.0, 0.0, math.cos(half)])  # 0.8 rad about x: all swing
    assert_allclose(limit_margins(model, swung), 0.2)
    half = 0.5 * 0.6
    twisted = np.array([0.0, 0.0, math.sin(half), math.cos(half)])
    assert_allclose(limit_margins(model, twisted), 0.1)
    assert [reading.quantity for reading in readings(model, twisted)] == ["swing", "twist"]


def test_what_has_no_limit_has_an_infinite_margin() -> None:
    model = ModelBuilder("free").floating("float").continuous("spin").ball("b").build()
    assert (limit_margins(model, model.neutral) == math.inf).all()


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        (0.5, 0.5),
        (0.5 + 4 * math.pi, 0.5),
        (3.0, 3.0),
        (-3.0, -3.0),
        (4.0, 4.0 - 2 * math.pi),
        (5.9, 5.9 - 2 * math.pi),
    ],
)
def test_whole_turns_beyond_a_limit_are_taken_away(q: float, expected: float) -> None:
    model = ModelBuilder("hinge").revolute("h", limits=(-1.0, 1.0)).build()
    assert_allclose(unwound(model, np.array([q])), [expected])


def test_a_joint_that_others_follow_keeps_its_turns() -> None:
    model = (
        ModelBuilder("pair")
        .revolute("leader", limits=(-1.0, 1.0))
        .revolute("follower", mimic=Mimic(joint="leader", multiplier=0.5))
        .build()
    )
    assert_allclose(unwound(model, np.array([7.0])), [7.0])
