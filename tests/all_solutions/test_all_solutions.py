"""All solutions: those from many starts, and what they are after a journey to another process."""

from __future__ import annotations

import copy
import pickle
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import limbik
from limbik.all_solutions import elimination_plan, swivel_plan
from limbik.collision import Sphere, World
from limbik.errors import SolverError
from limbik.spatial import nearest_angles
from solvers.arms import branching_tree

PROTOCOLS = (0, pickle.HIGHEST_PROTOCOL)


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, *(lambda each, k=k: pickle.loads(pickle.dumps(each, k)) for k in PROTOCOLS)]
)
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


def test_curves_stay_within_limits_and_move_a_joint() -> None:
    """Of an arm whose joints at their limits do not move along the curve, but for rounding."""
    builder = limbik.ModelBuilder("flat").revolute("a", axis="-z", limits=np.pi, origin=(0.0, 0.0, 0.1))
    builder = builder.revolute("b", axis="y", limits=0.5 * np.pi)
    builder = builder.revolute("c", axis="-y", limits=np.pi, origin=(0.0, 0.0, 0.3))
    builder = builder.revolute("d", axis="y", limits=0.5 * np.pi, origin=(0.3, 0.0, 0.0))
    model = builder.revolute("e", axis="-x", limits=2.0, origin=(0.3, 0.0, 0.0)).build()
    pose = model.pose([-np.pi, 0.5 * np.pi, -0.5 * np.pi, 0.5 * np.pi, 2.0])
    for start in (None, *model.random(10, 8)):
        for curve in model.solve_all(pose, start=start).free:
            assert curve.joints
            assert (curve.q >= model.lower).all() and (curve.q <= model.upper).all()
            np.testing.assert_allclose(
                model.pose(curve.q), np.broadcast_to(pose, (len(curve.q), 4, 4)), atol=1e-7
            )


@pytest.mark.parametrize("seed", range(12))
def test_a_straight_curve_has_every_piece_that_limits_leave(seed: int) -> None:
    """Of a singular wrist, whose first and last axes turn against each other."""
    rng = np.random.default_rng(seed)
    widths, centers = rng.choice([0.5, 3.0, 6.0, 7.0, 9.0], 2), rng.uniform(-1.5, 1.5, 2)
    first, last = (
        tuple(center + 0.5 * width * np.array([-1.0, 1.0]))
        for center, width in zip(centers, widths, strict=True)
    )
    builder = limbik.ModelBuilder("arm").revolute("a", axis="z", limits=3.0)
    builder = builder.revolute("b", axis="y", limits=3.0, origin=(0.0, 0.1, 0.4))
    builder = builder.revolute("c", axis="y", limits=3.0, origin=(0.4, 0.0, 0.0))
    builder = builder.revolute("d", axis="x", limits=first, origin=(0.2, 0.0, 0.0))
    builder = builder.revolute("e", axis="y", limits=2.0, origin=(0.2, 0.0, 0.0))
    model = builder.revolute("f", axis="x", limits=last).fixed("tip", origin=(0.1, 0.0, 0.0)).build()
    q = model.random(rng)
    q[4] = 0.0
    pose = model.pose(q)
    curves = [each for each in model.solve_all(pose).free if np.abs(each.q[0, :3] - q[:3]).max() < 1e-4]
    for curve in curves:
        assert model.is_within_limits(curve.q).all() and np.abs(model.pose(curve.q) - pose).max() < 1e-7
    on_curves = np.concatenate([curve.q for curve in curves])
    for turn in np.linspace(0.0, 2.0 * np.pi, 200, endpoint=False):
        moved = q[[3, 5]] + [turn, -turn]
        lower, upper = model.lower[[3, 5]], model.upper[[3, 5]]
        is_legal = (np.mod(moved - lower, 2.0 * np.pi) <= upper - lower).all()
        away = np.abs(nearest_angles(on_curves[:, [3, 5]] - moved)).max(axis=1).min()
        assert away < 0.04 or not is_legal


@pytest.mark.parametrize("short", [-3e-3, -1e-3, 1e-3, 3e-3])
def test_a_nearly_straight_elbow_has_two_answers_beside_a_singular_wrist(short: float) -> None:
    """A puma560 whose elbow is that far [rad] from straight, where its two angles are twice as far apart."""
    model = limbik.load("puma560")
    straight = np.arctan2(0.0203, 0.4318) - 0.5 * np.pi  # between the upper arm and the wrist
    q = np.array([0.3, -0.5, straight + short, 0.4, 0.0, 0.2])
    found = model.solve_all(model.pose(q), limits=False)
    apart = np.abs(nearest_angles(found.q - q))[:, [0, 1, 2, 4]].max(axis=1)
    assert apart.min() < 1e-9
    assert found.free


@pytest.mark.parametrize("limits", [(-6.0, 1.0), (-3.0, 4.0), (-4.0, 3.0), (1.0, 8.0), (-5.0, -1.0)], ids=str)
@pytest.mark.parametrize("name", ["panda", "gen3"])
def test_the_sampled_joint_of_seven_stays_within_its_limits(name: str, limits: tuple[float, float]) -> None:
    """Wherever they are, and answers are those of the limits moved by a revolution."""
    robot = limbik.load(name)
    sampled = robot.solve_all(robot.pose(robot.neutral)).method.split()[0]
    lower, upper = limits
    arm, moved = (
        limbik.Model(
            name,
            [
                replace(joint, kind=limbik.JointKind.REVOLUTE, lower=lower + by, upper=upper + by)
                if joint.name == sampled
                else joint
                for joint in robot.joints
            ],
            frames=robot.frames[len(robot.joints) + 1 :],
            end_effector=robot.end_effector,
        )
        for by in (0.0, 2.0 * np.pi)
    )
    for seed in range(3):
        q = arm.random(seed)
        pose = arm.pose(q)
        for start in (None, q):
            found = arm.solve_all(pose, start=start)
            assert len(found) and arm.is_within_limits(found.q).all()
            assert np.abs(arm.pose(found.q) - pose).max() < 1e-8
        assert len(moved.solve_all(pose)) == len(arm.solve_all(pose))
        for prefer in ("clearance", "nearest"):
            solution = arm.solve(pose, start=arm.random(seed + 10), world=World(), prefer=prefer)
            assert arm.is_within_limits(solution.q)


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


@pytest.mark.parametrize("name", ["iiwa14", "gen3", "sawyer"])
def test_a_pose_out_of_reach_takes_no_longer_than_one_within(monkeypatch, name: str) -> None:
    """Neither a straight elbow nor an elimination is looked into for what is not there."""
    calls = []

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments: (calls.append(function), function(*arguments))[1]

    monkeypatch.setattr(swivel_plan, "rotations", counted(swivel_plan.rotations))
    monkeypatch.setattr(elimination_plan, "general_search", counted(elimination_plan.general_search))
    model, pose = limbik.load(name), np.eye(4)
    pose[2, 3] = 3.0
    assert len(model.solve_all(pose)) == 0 and len(calls) <= 10


def test_a_straight_elbow_has_exact_intervals() -> None:
    """A limit of a straight arm is found as exactly as one of a bent arm."""
    model = limbik.load("iiwa14")
    q = np.array([0.4, 0.7, -0.3, 0.0, 0.5, -0.6, 0.2])
    pose = model.pose(q)
    found = model.solve_all(pose, start=q)
    assert np.abs(model.pose(found.q) - pose).max() < 1e-9 and np.abs(found.q - q).max(axis=1).min() < 1e-6
    ends = np.array([curve.q[end] for curve in found.free if not curve.closed for end in (0, -1)])
    assert len(ends) > 0
    margins = np.minimum(ends - model.lower, model.upper - ends).min(axis=1)
    np.testing.assert_allclose(margins, 0.0, atol=1e-9)


def test_an_elimination_of_seven_joints_ends_at_its_time_limit_and_begins_with_the_start(monkeypatch) -> None:
    model = limbik.load("gen3")
    q = model.random(5)
    poses: list[Any] = []
    search = elimination_plan.general_search
    monkeypatch.setattr(
        elimination_plan,
        "general_search",
        lambda axes, pose: (poses.append(pose), time.sleep(0.02), search(axes, pose))[2],
    )
    found = model.solve_all(model.pose(q), start=q, time_limit=0.1)
    assert len(poses) <= 6
    assert np.abs(found.q - q).max(axis=1).min() < 1e-6


def test_a_search_after_an_elimination_has_what_is_left_of_the_time(monkeypatch, ticks) -> None:
    model, limits = limbik.load("gen3"), []
    nothing = np.empty((0, 6)), True, True
    monkeypatch.setattr(elimination_plan, "general_search", lambda axes, pose: nothing)
    model.solve(model.pose(model.neutral))  # the first one of all puts its function in its place
    solve = limbik.Model.solve

    def noted(self, goal, **options):
        limits.append(options.get("time_limit"))
        return solve(self, goal, **options)

    monkeypatch.setattr(limbik.Model, "solve", noted)
    model.solve_all(model.pose(model.random(5)), samples=300, time_limit=0.5)  # 300 looks at the clock
    assert limits[-1] < 0.25
