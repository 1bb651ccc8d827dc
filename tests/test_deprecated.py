"""Old names work for one release, and say the new ones."""

import numpy as np
import pytest

import limbik
from limbik.motion import fit_limb_lengths
from motion.people import crouching

UR5E = limbik.load("ur5e")


def test_old_attributes() -> None:
    fitted = fit_limb_lengths(limbik.load_motion(crouching(frames=13)))
    with pytest.warns(DeprecationWarning, match="`kept` is called `deviations` now"):
        assert fitted.kept == fitted.deviations
    with pytest.warns(DeprecationWarning, match="`least_m` is called `min_m` now"):
        assert fitted.bones[0].least_m == fitted.bones[0].min_m
    why = UR5E.solve(UR5E.pose(UR5E.neutral)).explain()
    with pytest.warns(DeprecationWarning, match="`asked` is called `goals` now"):
        assert why.asked == why.goals
    with pytest.warns(DeprecationWarning, match="`has_room` is called `is_movable` now"):
        assert UR5E.joint("elbow_joint").has_room


def test_old_options() -> None:
    pose = UR5E.pose(UR5E.random(3))
    with pytest.warns(DeprecationWarning, match="`turns` is called `revolutions` now"):
        old = UR5E.solve_all(pose, turns=True)
    assert np.array_equal(old.q, UR5E.solve_all(pose, revolutions=True).q)
