"""All solutions: those from many starts, and what they are after a journey to another process."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import limbik
from limbik.collision import Sphere, World
from solvers.arms import branching_tree


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
@pytest.mark.parametrize("name", ["ur5e", "puma560", "panda", "iiwa14", "planar-3", "z1"])
@pytest.mark.parametrize("has_world", [False, True])
def test_all_solutions_are_copied_whole(name: str, copied: Callable[[Any], Any], has_world: bool) -> None:
    model, world = limbik.load(name), World()
    world.add("ball", Sphere(0.05), [0.3, 0.3, 0.3])
    q = model.random(1)
    around = {"world": world} if has_world and model.shapes else {}
    found = model.solve_all(model.pose(q), start=q, **around)
    again = copied(found)
    np.testing.assert_array_equal(again.q, found.q)
    np.testing.assert_array_equal(again.manipulability, found.manipulability)
    np.testing.assert_array_equal(again.limit_margins, found.limit_margins)
    for name_ in ("complete", "branches", "method", "time"):
        assert getattr(again, name_) == getattr(found, name_)
    assert again.explain() == found.explain()
    assert [each.joints for each in again.free] == [each.joints for each in found.free]


def test_a_search_moves_no_joint_beside_the_goal() -> None:
    """Of a body with two arms: what the other arm does makes no other solution."""
    model = branching_tree()
    q, start = model.random(3), model.random(4)
    goals = [
        limbik.Position(frame="left", target=model.pose(q, "left")[:3, 3]),
        limbik.Direction(frame="left", axis="x", target=model.pose(q, "left")[:3, 0]),
    ]
    found = model.solve_all(goals, start=start, starts=20)
    assert "20 random starts" in found.method
    moving = [model.q_slice(joint.name) for joint in model.path("left") if joint.nq]
    beside = np.setdiff1d(np.arange(model.nq), np.r_[tuple(moving)])
    assert len(beside) == 7
    np.testing.assert_allclose(found.q[:, beside], np.tile(start[beside], (len(found), 1)), atol=1e-15)
