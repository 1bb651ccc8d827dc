"""Priorities are strict: lower goals never worsen higher ones, and go as far as these let them."""

import functools
import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import limbik
from limbik import Model, ModelBuilder
from limbik.goals import Direction, Goal, Pose, Position, Posture
from limbik.solution import Solution
from limbik.solvers.plan import Problem
from limbik.solvers.plans import general_plan_for
from solvers.arms import angle, distance, pose

pytestmark = pytest.mark.usefixtures("compiled_trees")

TOLERANCE = 1e-6  # [m or rad]
FEW = 600  # iterations: enough to settle where a goal is out of reach


@functools.cache
def planar(links: int, limits: float | None) -> Model:
    return limbik.planar_arm(links=links, length=0.2, limits=limits)


@functools.cache
def spatial(seed: int, has_limits: bool) -> Model:
    """Seven revolute joints about random axes."""
    rng = np.random.default_rng(seed)
    builder = ModelBuilder("spatial")
    for k in range(7):
        axis, place = rng.normal(size=3), rng.uniform(-0.3, 0.3, 3)
        limits = (rng.uniform(-2.8, -0.5), rng.uniform(0.5, 2.8)) if has_limits else (-20.0, 20.0)
        builder = builder.revolute(f"joint{k}", axis=axis, origin=place, limits=limits)
    return builder.frame("tip", pose=pose(0.2, 0.05, 0.1)).build(end_effector="tip")


@functools.cache
def loaded(name: str) -> Model:
    return limbik.load(name)


def any_model(family: str, rng: np.random.Generator) -> tuple[Model, list[str]]:
    """A model of a family, and the frames that its goals are for."""
    if family == "planar":
        links = int(rng.integers(3, 8))
        model = planar(links, [None, 1.0, 2.0][rng.integers(3)])
        return model, [*(f"link{k}" for k in range(2, links + 1)), "tip"]
    if family == "spatial":
        return spatial(int(rng.integers(12)), bool(rng.integers(2))), ["joint3", "joint4", "joint5", "tip"]
    model = loaded(family)
    if family == "panda":
        return model, [model.end_effector, *(joint.child for joint in model.joints[3:6])]
    ends = ("rubber_hand", "ankle_roll_link", "elbow_link")
    return model, [frame.name for frame in model.frames if frame.name.endswith(ends)]


def any_goals(model: Model, frames: list[str], rng: np.random.Generator, is_flat: bool) -> list[Goal]:
    """Goals of two or three priorities, of which some are out of reach, alone or together."""
    goals: list[Goal] = []
    for priority in range(int(rng.integers(2, 4))):
        kind = rng.choice([Position, Direction, Posture] if is_flat else [Position, Direction, Pose, Posture])
        frame = str(rng.choice(frames))
        there, far = model.pose(model.random(rng), frame), 1.0 + max(rng.uniform(-1.0, 1.0), 0.0)
        if kind is Posture and priority > 0:
            goals.append(Posture(q=model.random(rng), priority=priority))
        elif kind is Direction:
            goals.append(Direction(frame=frame, axis=(1, 0, 0), target=there[:3, 0], priority=priority))
        elif kind is Pose and priority == 0:
            goals.append(Pose(frame=frame, target=there, priority=priority))
        else:
            goals.append(Position(frame=frame, target=far * there[:3, 3], priority=priority))
    return goals


def error_of(model: Model, goal: Goal, q: np.ndarray) -> float:
    """How far one goal is from being met [m, of a posture and a direction rad], a radian as half the model's
    size; by the model's own kinematics.
    """
    if isinstance(goal, Posture):
        turns = [joint.has_limits for joint in model.joints if joint.nv]
        left = goal.q - q
        return float(
            np.linalg.norm(np.where(turns, left, np.remainder(left + math.pi, 2 * math.pi) - math.pi))
        )
    if isinstance(goal, Direction):
        axis, wanted = model.pose(q, goal.frame)[:3, 0], np.array(goal.target)
        return math.atan2(np.linalg.norm(np.cross(axis, wanted)), axis @ wanted)
    assert isinstance(goal, Position | Pose)
    if isinstance(goal, Position):
        return float(distance(model, q, goal.target, goal.frame))
    length = general_plan_for(model, [goal], {}).length
    metres = distance(model, q, goal.target[:3, 3], goal.frame)
    return math.hypot(metres, 0.5 * length * angle(model, q, goal.target[:3, :3], goal.frame))


def solve(model: Model, goals: list[Goal], start: np.ndarray | None, **options) -> Solution:
    """By the general solver, also what others could solve."""
    solution = general_plan_for(model, goals, options).solve(Problem(tuple(goals), start))
    assert model.is_within_limits(solution.q)
    return solution


@pytest.mark.slow
@pytest.mark.parametrize(("family", "count"), [("planar", 700), ("spatial", 350), ("panda", 350), ("g1", 40)])
def test_a_lower_goal_never_worsens_a_higher_one(family, count):
    """Not beyond what the higher ones come to without it, in reach or out of it."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        model, frames = any_model(family, rng)
        goals = any_goals(model, frames, rng, family == "planar")
        start = None if seed % 3 == 0 else model.random(rng)
        q = solve(model, goals, start, iterations=FEW).q
        for count_above in range(1, len(goals)):
            without = solve(model, goals[:count_above], start, iterations=FEW).q
            for goal in goals[:count_above]:
                least = error_of(model, goal, without)
                assert error_of(model, goal, q) <= (1.0 + 1e-5) * least + 2.0 * TOLERANCE, (seed, goal)


def test_a_third_goal_takes_nothing_from_the_second():
    arm = planar(6, 2.0)
    goals = [
        Position(target=(-0.68, 0.04, 0.0)),
        Position(frame="link3", target=(-0.08, 0.37, 0.0), priority=1),
        Position(frame="link5", target=(0.75, 0.13, 0.0), priority=2),
    ]
    solution = arm.solve(goals)
    assert solution.success
    assert solution.goal_errors[1].position <= TOLERANCE


@pytest.mark.parametrize("starts_there", [False, True])
def test_a_goal_out_of_reach_comes_before_a_direction_that_is_not(starts_there):
    panda = loaded("panda")
    point = Position(target=(0.3, -1.3, -0.3))
    alone = panda.solve(point)
    direction = Direction(axis=(0, 0, 1), target=(0, 0, -1), priority=1)
    both = panda.solve([point, direction], start=alone.q if starts_there else None)
    assert both.error <= alone.error + 1e-4


def test_what_an_arm_out_of_reach_leaves_free_serves_the_next_goal():
    """Stretched toward a point, the last joint still turns on the spot."""
    panda = loaded("panda")
    for seed in range(40):
        rng = np.random.default_rng(seed)
        heading = rng.normal(size=3)
        point = Position(target=3.0 * heading / np.linalg.norm(heading))
        start = panda.random(rng)
        alone = solve(panda, [point], start, iterations=FEW)
        wanted = Posture(q=panda.random(rng), priority=1)
        both = solve(panda, [point, wanted], start, iterations=FEW)
        assert both.error <= alone.error + TOLERANCE
        assert abs(both.q[6] - wanted.q[6]) <= 1e-3


def test_what_is_met_coarsely_stays_met():
    """Each goal of a level within its tolerance, not only all of them together."""
    arm = planar(6, 2.0)
    for seed in range(200):
        rng = np.random.default_rng(seed)
        q = arm.random(rng)
        goals: list[Goal] = [
            Position(target=arm.pose(q)[:3, 3]),
            Position(frame="link4", target=arm.pose(q, "link4")[:3, 3]),
            Posture(q=arm.random(rng), priority=1),
        ]
        solution = solve(arm, goals, arm.random(rng), tolerance=0.02)
        assert solution.success
        assert all(error_of(arm, goal, solution.q) <= 0.02 + 1e-12 for goal in goals[:2])


def test_what_more_than_one_solve_took_is_in_the_trace():
    arm = planar(5, 2.0)
    goals = [Position(target=(0.4, 0.3, 0.0)), Posture(q=np.full(5, 0.3), priority=1)]
    start = arm.random(1)
    trace, solution = arm.trace(goals, start=start), arm.solve(goals, start=start)
    assert trace.iterations == solution.iterations
    assert (trace.q[-1] == solution.q).all()
    assert (trace.q[0] == start).all()
    assert np.abs(np.diff(trace.q, axis=0)).max() <= 1.5  # one way, without a jump


def test_a_tool_is_not_for_other_frames_where_these_come_first():
    arm = planar(5, None)
    tool = pose(0.1)
    elbow = Position(frame="link3", target=arm.pose(arm.random(3), "link3")[:3, 3])
    tip = Position(target=(arm.pose(arm.random(4)) @ tool)[:3, 3], priority=1)
    solution = arm.solve([elbow, tip], tool=tool)
    assert solution.success
    assert distance(arm, solution.q, elbow.target, "link3") <= TOLERANCE


@pytest.mark.parametrize("name", ["panda", "ur5e", "planar-5"])
def test_a_lower_goal_that_is_added_worsens_no_position_out_of_reach_though_it_changes_the_core(name):
    model = limbik.load(name)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        start, elsewhere = model.random(rng, 2)
        far = Position(target=model.pose(elsewhere)[:3, 3] * rng.uniform(1.1, 3.0))
        alone = model.solve(far, start=start)
        both = model.solve([far, Posture(q=model.neutral, priority=1)], start=start)
        assert both.goal_errors[0].position <= alone.error + 1e-5


@pytest.mark.parametrize("seed", [9, 12, 14, 20, 22, 46])
def test_joints_whose_axes_pass_through_a_point_that_is_kept_are_free_for_the_next_goal(seed):
    """Their columns in the rows of that point are rounding, which is no constraint."""
    rng = np.random.default_rng(seed)
    pelvis = np.eye(4)
    pelvis[:3, :3] = Rotation.from_rotvec([0.0, 0.0, rng.uniform(-3.0, 3.0)]).as_matrix()
    pelvis[:3, 3] = rng.uniform(-0.3, 0.3, 3)
    builder = limbik.ModelBuilder("body")
    builder.revolute("yaw", axis="z", origin=pelvis, limits=(-2.6, 2.6))
    builder.revolute("roll", axis="x", origin=(0.004, 0, 0.04), limits=(-0.5, 0.5))
    builder.revolute("pitch", axis="y", limits=(-0.5, 0.5))
    builder.revolute("shoulder_pitch", axis="y", origin=(0, 0.1, 0.25), limits=(-3.0, 2.6))
    builder.revolute("shoulder_roll", axis="x", origin=(0, 0.05, 0), limits=(-1.5, 2.2))
    builder.revolute("shoulder_yaw", axis="z", origin=(0, 0, -0.1), limits=(-2.6, 2.6))
    builder.revolute("elbow", axis="y", origin=(0.015, 0, -0.2), limits=(-1.0, 2.0))
    body = builder.fixed("hand", origin=(0.1, 0, 0)).build()
    q, start = body.random(rng, 2)
    goals = [
        limbik.Position(frame="pitch", target=body.pose(q, "pitch")[:3, 3]),
        limbik.Position(frame="hand", target=body.pose(q, "hand")[:3, 3], priority=1),
    ]
    solution = body.solve(goals, start=start)
    for goal in goals:
        assert np.abs(body.pose(solution.q, goal.frame)[:3, 3] - goal.target).max() < 1e-6
