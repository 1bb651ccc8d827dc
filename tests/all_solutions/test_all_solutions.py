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
from limbik.errors import SolverError
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


def test_a_search_from_many_starts_ends_at_its_time_limit() -> None:
    model = branching_tree()
    goals = [limbik.Position(frame="left", target=model.pose(model.random(3), "left")[:3, 3])]
    found = model.solve_all(goals, starts=10**6, time_limit=0.2)
    count = int(found.method.split()[1])
    assert count < 10**6  # which would take minutes
    assert f"from {count} random starts" in found.explain()
    with pytest.raises(SolverError, match="`time_limit` needs a positive time"):
        model.solve_all(goals, time_limit=-1.0)


@pytest.mark.parametrize("name", ["puma560", "ur5e", "panda", "planar-2", "planar-3", "iiwa14", "so100"])
@pytest.mark.parametrize("exponent", [20, 60, 78, 110, 160, 300])
def test_nothing_is_at_the_end_of_the_world(name: str, exponent: int) -> None:
    """Numbers whose squares overflow are refused or have no solution, without a warning."""
    model = limbik.load(name)
    pose = model.pose(model.random(1))
    pose[:3, 3] = np.array([1.0, -0.5, 0.0]) * 10.0**exponent
    for goal in (pose, pose[:3, 3], limbik.Pose(target=pose)):
        assert len(model.solve_all(goal, starts=3)) == 0


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
