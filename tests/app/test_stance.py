"""How robots stand when they are opened."""

import numpy as np
import pytest

from limbik.app.initial_pose import initial_pose
from limbik.model import planar_arm, presets

ARMS = [name for name in presets.presets() if name != "planar-N"]


def smallest_singular_value(model, q):
    """Of the tip's Jacobian, lengths in terms of the reach; of the position's alone below 6 joints."""
    rows = 6 if model.nv >= 6 else 3
    scale = np.array([[model.reach()]] * 3 + [[1.0]] * 3)
    return np.linalg.svd((model.jacobian(q) / scale)[:rows], compute_uv=False)[-1]


@pytest.mark.parametrize("name", ARMS)
def test_an_arm_opens_where_its_tip_can_move_and_turn_in_every_direction(name):
    model = presets.load(name)
    q = initial_pose(model)
    usual = np.quantile([smallest_singular_value(model, each) for each in model.random(1, 100)], 0.25)
    assert smallest_singular_value(model, q) > usual
    assert np.array_equal(model.clip(q), q)


def test_a_stretched_arm_is_bent_and_does_not_dip_under_its_base():
    model = presets.load("ur5e")
    q = initial_pose(model)
    assert np.abs(q).max() > 0.5
    lowest = model.forward(model.neutral)[:, 2, 3].min()
    assert model.forward(q)[:, 2, 3].min() >= lowest - 0.02 * model.reach()


def test_an_arm_that_stands_well_is_left_as_it_is():
    model = presets.load("panda")
    q = initial_pose(model)
    assert np.array_equal(q[[0, 1, 2, 4, 6]], np.zeros(5))


def test_a_long_arm_is_bent_at_a_few_joints():
    q = initial_pose(planar_arm(300))
    assert 1 <= np.count_nonzero(q) <= 12
