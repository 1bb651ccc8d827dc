"""Revolutions of joints that are periodic change no pose; those of all others do."""

import math

import numpy as np
import pytest

from limbik import Mimic, Model, ModelBuilder
from limbik.model.periodic import periodic


def grown(multiplier: float, kind: str = "revolute") -> Model:
    """A hinge, one that follows it, and a slide."""
    builder = ModelBuilder("arm").revolute("a", axis="z", limits=(-9.0, 9.0))
    mimic = Mimic(joint="a", multiplier=multiplier, offset=0.2)
    if kind == "revolute":
        builder = builder.revolute("b", axis="x", origin=(0.3, 0.0, 0.0), mimic=mimic)
    else:
        builder = builder.prismatic("b", axis="x", limits=(-99.0, 99.0), mimic=mimic)
    return builder.continuous("c", axis="y", origin=(0.0, 0.2, 0.0)).prismatic("d", axis="y").build()


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (grown(0.5), [False, True, False]),
        (grown(2.0), [True, True, False]),
        (grown(-1.0), [True, True, False]),
        (grown(1.0, "prismatic"), [False, True, False]),
    ],
)
def test_periodic_joints_are_those_whose_revolutions_change_no_pose(
    model: Model, expected: list[bool]
) -> None:
    assert periodic(model).tolist() == expected
    q, links = model.random(1), [joint.child for joint in model.joints]
    for index in range(model.nq):
        turned = q.copy()
        turned[index] += 2.0 * math.pi
        change = np.abs(model.poses(turned, links) - model.poses(q, links)).max()
        assert (change < 1e-12) == expected[index]


def test_numbers_of_quaternions_and_positions_are_not_periodic() -> None:
    model = ModelBuilder("ball").floating("f").ball("b").revolute("r").build()
    assert periodic(model).tolist() == [False] * 11 + [True]


def test_of_a_frame_only_its_own_path_counts() -> None:
    builder = ModelBuilder("two").revolute("a", axis="z", child="upper")
    builder = builder.revolute(
        "b", axis="x", parent="upper", child="side", mimic=Mimic(joint="a", multiplier=0.5)
    )
    model = builder.revolute("c", axis="y", parent="upper", child="tip").build(end_effector="tip")
    assert periodic(model).tolist() == [False, True]
    assert periodic(model, "tip").tolist() == [True, True]
    assert periodic(model, "side").tolist() == [False, True]
