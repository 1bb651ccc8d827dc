"""Any goals on any tree: what the general solver promises."""

import math
import threading

import numpy as np
import pytest
from hypothesis import assume, given, settings
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import limbik
from limbik import Model, ModelBuilder, Solution, Status
from limbik.compiler import native
from limbik.errors import ConfigurationError, GoalError, ModelError, SolverError
from limbik.goals import (
    CenterOfMass,
    Direction,
    Goal,
    JointValue,
    LookAt,
    Orientation,
    Pose,
    Position,
    Posture,
    Relative,
)
from limbik.solvers.plan import Problem
from limbik.solvers.plans import general_plan_for
from solvers.arms import pose
from strategies import SEEDS
from trees import GOALS, OF_FRAMES, assert_honest, goal_at, moving_frames, several_goals, trees

pytestmark = pytest.mark.usefixtures("compiled_trees")

LINK = 0.4  # [m]
NEVER = 1e-300  # a tolerance that makes a goal more than a plain one, and changes nothing else


def solve(model: Model, goals: Goal | list[Goal], *, start=None, seed: int = 0, **options) -> Solution:
    """By the general solver, also what others could solve; and every answer is an honest one."""
    goals = goals if isinstance(goals, list) else [goals]
    start = None if start is None else np.array(start, dtype=float)
    solution = general_plan_for(model, goals, options).solve(Problem(tuple(goals), start, seed))
    tolerances = {name: options[name] for name in ("tolerance", "tolerance_rotation") if name in options}
    assert_honest(model, goals, solution, limits=options.get("limits", True), **tolerances)
    return solution


def body() -> Model:
    """A floating trunk with two arms, of which one has a gripper, two legs, a neck and masses."""
    builder = ModelBuilder("body", root="world").floating("trunk", parent="world")
    builder = builder.mass("trunk", 5.0, (0.0, 0.0, 0.2))
    for side, y in (("left", 0.2), ("right", -0.2)):
        for limb, z, axes in (("arm", 0.5, "yxzy"), ("leg", 0.0, "xyyx")):
            parent, place = "trunk", (0.0, y, z)
            for k, axis in enumerate(axes):
                name = f"{side}_{limb}{k}"
                builder = builder.revolute(name, parent=parent, axis=axis, origin=place, limits=(-2.0, 2.2))
                builder = builder.mass(name, 1.0, (0.0, 0.0, -0.1))
                parent, place = name, (0.0, 0.0, -0.1 if k == 0 else -0.25)
            builder = builder.frame(f"{side}_{limb}", link=parent, pose=pose(0.0, 0.0, -0.2))
    builder = builder.ball("neck", parent="trunk", origin=(0.0, 0.0, 0.6), swing=0.8, twist=(-1.0, 1.0))
    builder = builder.frame("eyes", link="neck", pose=pose(0.08, 0.0, 0.1))
    builder = builder.prismatic(
        "jaw", parent="left_arm3", axis="x", origin=(0.0, 0.0, -0.2), limits=(0.0, 0.05)
    )
    mirrored = limbik.Mimic(joint="jaw", multiplier=-1.0)
    builder = builder.prismatic(
        "other_jaw", parent="left_arm3", axis="x", origin=(0.0, 0.0, -0.2), mimic=mirrored
    )
    return (
        builder.frame("one_pad", link="jaw")
        .frame("other_pad", link="other_jaw")
        .build(end_effector="left_arm")
    )


def flat(links: int, limits: tuple[float, float] | None = None) -> Model:
    return limbik.planar_arm(links, 1.0, limits=limits)


def zigzag(
    links: int, length: float = LINK, limits: tuple[float, float] = (-2.0, 2.0), far: float = 0.0
) -> Model:
    """Revolute joints about z, y, x, z, ... on a stand that may be far away."""
    builder = ModelBuilder("zigzag").fixed("stand", origin=(far, -far, 0.0))
    for k in range(links):
        builder = builder.revolute(
            f"joint{k}", axis="zyx"[k % 3], origin=(length if k else 0.0, 0.0, 0.0), limits=limits
        )
    return builder.frame("tip", pose=pose(length, 0.1 * length, 0.0)).build(end_effector="tip")


BODY = body()


# ----------------------------------------------------------------------------------------------------- truth


@pytest.mark.parametrize("kind", GOALS)
@settings(max_examples=10)
@given(trees(), SEEDS)
def test_an_answer_for_one_goal_is_true(kind, model, seed):
    goal = goal_at(kind, model, model.random(seed), seed, priority=0)
    assume(goal is not None and model.nv > 0)
    start = model.random(seed + 1) if seed % 2 else None
    solve(model, goal, start=start, iterations=500)


@pytest.mark.slow
@settings(max_examples=40)
@given(trees(), SEEDS)
def test_an_answer_for_several_goals_is_true(model, seed):
    goals = several_goals(model, seed, priorities=3)
    assume(goals and model.nv > 0)
    solve(model, goals, start=model.random(seed + 1), iterations=500)


@pytest.mark.slow
@settings(max_examples=20)
@given(trees(), SEEDS)
def test_what_conflicts_is_never_called_solved(model, seed):
    """Goals that were taken from different configurations."""
    goals = [goal_at(kind, model, model.random(seed + k), seed + k) for k, kind in enumerate(OF_FRAMES)]
    goals = [goal for goal in goals if goal is not None]
    assume(goals)
    solve(model, goals, iterations=300)


@pytest.mark.parametrize("kind", GOALS)
def test_every_goal_is_met_where_it_can_be(kind):
    for seed in range(8):
        goal = goal_at(kind, BODY, BODY.random(seed), seed, priority=0)
        assert solve(BODY, goal).success
        assert solve(BODY, goal, start=BODY.random(seed + 50)).success


def test_many_goals_at_once_are_met():
    for seed in range(8):
        q = BODY.random(seed)
        limbs = ("left_arm", "right_arm", "left_leg", "right_leg")
        goals = [Pose(frame=limb, target=BODY.pose(q, limb)) for limb in limbs]
        goals.append(CenterOfMass(target=BODY.center_of_mass(q)))
        near = BODY.clip(BODY.integrate(q, np.random.default_rng(seed).uniform(-0.3, 0.3, BODY.nv)))
        assert solve(BODY, goals, start=near).success


def test_errors_of_goals_stand_in_the_order_in_which_they_were_asked():
    goals = [
        Position(target=[9, 9, 0], priority=1),
        Posture(q=[0, 0, 0], priority=2),
        Position(target=[1, 1, 0]),
    ]
    solution = solve(flat(3), goals)
    assert solution.success
    beyond, posture, reached = solution.goal_errors
    assert beyond.position > 9.0
    assert posture.rotation > 0.1
    assert reached.position <= 1e-6
    assert solution.error == pytest.approx(reached.position, abs=1e-12)


def test_goals_of_one_lower_priority_alone_are_asked_for_like_any():
    assert solve(flat(3), Position(target=[1, 1, 0], priority=1)).success
    assert solve(flat(3), Posture(q=[0.1, 0.2, 0.3])).success
    assert not solve(flat(3), Position(target=[9, 1, 0], priority=2), iterations=200).success


# ----------------------------------------------------------------------- weights, tolerances, axes, tool


def test_free_axes_are_free():
    solution = solve(flat(3), Position(target=[2.0, 77.0, -5.0], weight=(1, 0, 0)))
    assert solution.success
    assert flat(3).pose(solution.q)[0, 3] == pytest.approx(2.0, abs=1e-6)


def test_a_pose_may_leave_the_spin_about_one_axis_free():
    model = zigzag(5)
    for seed in range(5):
        target = model.pose(model.random(seed)) @ pose(turn=Rotation.from_rotvec([0.0, 0.0, 2.5]))
        solution = solve(model, Pose(target=target, weights=(1, 1, 1, 1, 1, 0)))
        assert solution.success
        assert_allclose(model.pose(solution.q)[:3, 2], target[:3, 2], rtol=0.0, atol=1e-6)


def test_nothing_moves_inside_the_tolerance():
    model = flat(3)
    start = model.random(3)
    here = model.pose(start)
    for goal in (
        Position(target=here[:3, 3] + [0.1, -0.1, 0.0], tolerance=(0.11, 0.11, 0.0)),
        Direction(axis=[1, 0, 0], target=here[:3, 0] + [0.1, 0, 0], tolerance=0.5),
        LookAt(axis=[1, 0, 0], target=here[:3, 3] + 2.0 * here[:3, 0] + [0.0, 0.1, 0.0], tolerance=0.5),
        Pose(target=here @ pose(0.1, 0.1), tolerance=(0.2, 0.2, 0, 0, 0, 0)),
    ):
        solution = solve(model, goal, start=start)
        assert solution.success
        assert solution.iterations == 0
        assert_array_equal(solution.q, start)


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-9])
def test_a_call_has_its_own_tolerances(tolerance):
    goals = [
        Pose(frame="left_arm", target=BODY.pose(BODY.random(4), "left_arm")),
        JointValue(joint="left_leg1", value=1),
    ]
    coarse = solve(BODY, goals, tolerance=tolerance, tolerance_rotation=tolerance)
    assert coarse.success
    assert max(miss.position for miss in coarse.goal_errors) <= tolerance
    assert max(miss.rotation for miss in coarse.goal_errors) <= tolerance


@pytest.mark.parametrize("weight", [1e-3, 1e3, 1e6])
def test_weights_of_very_different_size_are_met_all_the_same(weight):
    model = flat(3)
    assert solve(model, Position(target=[1, 1, 0], weight=(weight, 1, 0))).success
    assert solve(
        model, [Position(target=[1, 1, 0], weight=weight), Direction(axis=[1, 0, 0], target=[0, 1, 0])]
    ).success
    assert solve(model, [Position(target=[1, 1, 0], weight=weight), Posture(q=[0, 0, 0])]).success


def test_weights_decide_between_goals_that_conflict():
    model = flat(3)
    one, other = (Position(target=[2.0, 1.0, 0.0], weight=w) for w in (10.0, 1.0))
    goals = [one, Position(target=[2.0, -1.0, 0.0], weight=1.0)]
    assert model.pose(solve(model, goals, iterations=300).q)[1, 3] == pytest.approx(99 / 101, abs=1e-4)
    goals = [other, Position(target=[2.0, -1.0, 0.0], weight=1.0)]
    assert model.pose(solve(model, goals, iterations=300).q)[1, 3] == pytest.approx(0.0, abs=1e-4)


def test_one_goal_is_for_the_tool_in_its_frame():
    model, tool = zigzag(6), pose(0.1, 0.2, 0.05, Rotation.from_rotvec([0.3, 0.2, 0.1]))
    target = model.pose(model.random(1), "joint4") @ tool
    goal = Pose(frame="joint4", target=target, tolerance=(NEVER, 0, 0, 0, 0, 0))
    solution = solve(model, goal, tool=tool)
    assert solution.success
    assert_allclose(model.pose(solution.q, "joint4") @ tool, target, rtol=0.0, atol=1e-5)


def test_of_several_goals_those_for_the_end_effector_are_for_its_tool():
    model, tool = zigzag(6), pose(0.1, 0.2, 0.05)
    q = model.random(2)
    points = model.pose(q, "joint2")[:3, 3], (model.pose(q) @ tool)[:3, 3]
    solution = solve(
        model, [Position(frame="joint2", target=points[0]), Position(target=points[1])], tool=tool
    )
    assert solution.success
    assert_allclose(model.pose(solution.q, "joint2")[:3, 3], points[0], rtol=0.0, atol=1e-6)
    assert_allclose((model.pose(solution.q) @ tool)[:3, 3], points[1], rtol=0.0, atol=1e-6)


# ------------------------------------------------------------------------- joints: limits, locked, followers


def test_locked_joints_do_not_move():
    for seed in range(6):
        start = BODY.random(seed)
        locked = ["trunk", "neck", "left_arm1", "jaw"]
        goals = [
            Position(frame="left_arm", target=[0.3, 0.2, 0.4]),
            Position(frame="right_leg", target=[0, 0, -1]),
        ]
        solution = solve(BODY, [*goals, Posture(q=BODY.neutral)], start=start, locked=locked, iterations=300)
        for name in locked:
            at = BODY.q_slice(name)
            assert_allclose(solution.q[at], start[at], rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("solver", ["lm", "dls"])
def test_a_locked_joint_beyond_its_limits_is_refused_unless_these_are_ignored(solver):
    """It was moved to its limit, and the answer for that was called solved."""
    arm = limbik.load("puma560")
    start = arm.neutral.copy()
    start[2] = arm.upper[2] + 0.5
    options = {"start": start, "locked": ["joint3"], "solver": solver}
    goal = limbik.Position(target=arm.pose(arm.clip(start))[:3, 3])
    with pytest.raises(ConfigurationError, match=r"locked joint 'joint3' at 1.2854, .* give 0.785"):
        arm.solve(goal, **options)
    assert arm.solve(goal, limits=False, **options).q[2] == start[2]
    start[2] = arm.upper[2] + 1e-9  # rounding
    assert arm.solve(goal, **options).success


@pytest.mark.parametrize("mode", ["meet", "best"])
def test_an_angle_that_is_more_than_half_a_turn_off_is_said_in_full(mode: str) -> None:
    arm = limbik.load("panda")
    found = arm.solve(JointValue(joint="panda_joint1", value=9.0), mode=mode)
    off = 9.0 - arm.upper[0]
    assert found.error_rotation == found.goal_errors[0].rotation == pytest.approx(off)
    both = arm.solve(
        [JointValue(joint="panda_joint1", value=9.0), Position(target=[0.3, 0.3, 0.3])], mode=mode
    )
    assert both.error_rotation == pytest.approx(max(error.rotation for error in both.goal_errors))
    assert both.error_rotation > math.pi
    assert f"{math.degrees(off):.0f} deg off" in str(found.explain())


@pytest.mark.parametrize(("multiplier", "counts"), [(0.5, True), (2.0, False), (-1.0, False)])
def test_revolutions_of_a_joint_count_where_a_follower_makes_no_whole_ones(multiplier, counts):
    follows = limbik.Mimic(joint="a", multiplier=multiplier)
    arm = ModelBuilder("two").revolute("a", child="l1").revolute("b", parent="l1", mimic=follows).build()
    solution = arm.solve(limbik.JointValue(joint="a", value=7.0), start=[0.5])
    assert solution.success
    assert solution.q[0] == pytest.approx(7.0 if counts else 7.0 - 2.0 * math.pi, abs=2e-6)
    follower = arm.solve(limbik.JointValue(joint="b", value=7.0), start=[0.5])
    expected = {0.5: 14.0, 2.0: 3.5, -1.0: 2.0 * math.pi - 7.0}[multiplier]
    assert follower.q[0] == pytest.approx(expected, abs=4e-6)


def test_to_lock_a_follower_locks_its_leader():
    start = BODY.random(0)
    goals = [JointValue(joint="jaw", value=0.01), Position(frame="eyes", target=[0, 0, 1])]
    solution = solve(BODY, goals, start=start, locked=["other_jaw"], iterations=200)
    assert solution.q[BODY.q_slice("jaw")] == start[BODY.q_slice("jaw")]
    assert not solution.success


def test_with_everything_locked_nothing_moves():
    model = flat(3)
    start = model.random(0)
    solution = solve(
        model, Position(target=[1, 1, 0], tolerance=NEVER), start=start, locked=model.joint_names
    )
    assert not solution.success
    assert_array_equal(solution.q, start)


def test_a_follower_is_moved_by_its_leader_off_the_path():
    goals = [Relative(frame="other_pad", reference="left_arm3", target=pose(-0.03, 0.0, -0.2))]
    solution = solve(BODY, goals)
    assert solution.success
    assert solution.q[BODY.q_slice("jaw")] == pytest.approx(0.03, abs=1e-6)
    assert solve(BODY, JointValue(joint="other_jaw", value=-0.02)).q[BODY.q_slice("jaw")] == pytest.approx(
        0.02, abs=1e-6
    )


def test_a_plain_goal_beyond_a_follower_is_met():
    for seed in range(4):
        target = BODY.pose(BODY.random(seed), "other_pad")
        assert BODY.solve(Pose(frame="other_pad", target=target)).success
        assert BODY.solve(Position(frame="other_pad", target=target[:3, 3])).success


def test_a_gripper_closes_to_a_width():
    between = Relative(frame="one_pad", reference="other_pad", target=pose(0.06), weights=(1, 0, 0, 0, 0, 0))
    hand = Position(frame="left_arm", target=[0.3, 0.1, 0.5])
    solution = solve(BODY, [hand, between])
    assert solution.success
    assert solution.q[BODY.q_slice("jaw")] == pytest.approx(0.03, abs=1e-6)


def test_a_start_outside_its_limits_is_moved_and_said():
    model = flat(3, (-2.0, 2.0))
    goals = [Position(target=[1, 1, 0]), Posture(q=[0, 0, 0])]
    assert solve(model, goals, start=[5.0, 0.0, 0.0]).start_was_moved
    assert not solve(model, goals, start=[2.0, 0.0, 0.0]).start_was_moved
    assert not solve(model, goals, start=[5.0, 0.0, 0.0], limits=False).start_was_moved


def test_without_limits_joints_go_beyond_them():
    model = flat(3, (-0.1, 0.1))
    goal = Position(target=[1, 1, 0], tolerance=NEVER)
    assert not solve(model, goal, iterations=200).success
    assert solve(model, goal, limits=False).success


LIMITS = [
    (0.0, 0.1),
    (-1.0, 1.0),
    (0.0, 0.2),
    (0.05, 0.05),
    (-0.3, 0.1),
    (0.0, 0.01),
    (0.0, 0.5),
    (0.1, 0.5),
    (0.0, 2.0),
]


@pytest.mark.parametrize("share", [0.0, 1e-9, 0.01, 0.3, 0.99, 1.0 - 1e-9, 1.0])
def test_parallel_slides_reach_any_sum_that_their_limits_allow(share):
    builder = ModelBuilder("gantry")
    for k, pair in enumerate(LIMITS):
        builder = builder.prismatic(f"slide{k}", axis="x", limits=pair)
    model = builder.frame("hook").build(end_effector="hook")
    least, most = np.sum(LIMITS, axis=0)
    target = [least + share * (most - least), 0.0, 0.0]
    assert solve(model, Position(target=target, tolerance=NEVER), restarts=0).success
    beyond = solve(model, Position(target=[most + 0.25, 0.0, 0.0], tolerance=NEVER), restarts=0)
    assert not beyond.success
    assert beyond.error == pytest.approx(0.25)


def test_whole_turns_of_continuous_joints_do_not_matter():
    model = (
        ModelBuilder("turns")
        .continuous("a")
        .continuous("b", origin=(1, 0, 0))
        .frame("tip", pose=pose(1.0))
        .build(end_effector="tip")
    )
    for turns in (-50, 3, 50):
        start = np.array([0.3, 0.4]) + 2.0 * math.pi * turns
        solution = solve(model, JointValue(joint="a", value=0.5), start=start)
        assert solution.success
        assert solution.q[0] == pytest.approx(start[0] + 0.2, abs=1e-6)  # the short way
        assert solve(model, [Position(target=[1.2, 0.9, 0.0]), Posture(q=[0, 0])], start=start).success


# ------------------------------------------------------------------------------------------------ priorities


def nearest(model: Model, cost, q: np.ndarray, equal) -> float:
    """The cost that SciPy's SLSQP comes to from q, within limits and with `equal(q) = 0`."""
    bounds = [(joint.lower, joint.upper) for joint in model.joints if joint.nv]
    found = minimize(
        cost, q, method="SLSQP", bounds=bounds, constraints={"type": "eq", "fun": equal},
        options={"maxiter": 200, "ftol": 1e-13},
    )  # fmt: skip
    return found.fun if np.abs(equal(found.x)).max() < 1e-6 else math.inf


@pytest.mark.parametrize("arm", [zigzag(5), flat(4, (-2.0, 2.0)), flat(5, (-1.0, 1.2))])
def test_a_posture_is_as_near_as_the_goal_allows(arm):
    for seed in range(8):
        target, wanted = arm.pose(arm.random(seed))[:3, 3], 0.5 * arm.random(seed + 100)
        solution = solve(
            arm, [Position(target=target), Posture(q=wanted)], start=0.3 * arm.random(seed + 200)
        )
        assert solution.success

        def cost(q, wanted=wanted):
            return float((q - wanted) @ (q - wanted))

        best = nearest(
            arm, cost, solution.q, lambda q, target=target: (arm.pose(q)[:3, 3] - target)[: arm.nv - 2]
        )
        assert cost(solution.q) <= 1.001 * best + 1e-6


@pytest.mark.parametrize("arm", [zigzag(5), flat(4, (-2.0, 2.0))])
def test_a_second_goal_is_met_as_well_as_the_first_allows(arm):
    for seed in range(8):
        target = arm.pose(arm.random(seed))[:3, 3]
        far = arm.pose(arm.random(seed + 100))[:3, 3] + np.array([3.0, -2.0, 0.0])
        second = Position(frame=arm.joints[-2].child, target=far, priority=1)
        solution = solve(arm, [Position(target=target), second], start=0.3 * arm.random(seed + 200))
        assert solution.success

        def cost(q, far=far, frame=second.frame):
            left = arm.pose(q, frame)[:3, 3] - far
            return float(left @ left)

        best = nearest(
            arm, cost, solution.q, lambda q, target=target: (arm.pose(q)[:3, 3] - target)[: arm.nv - 2]
        )
        assert cost(solution.q) <= 1.001 * best + 1e-6


@pytest.mark.parametrize("are_met", [False, True])
def test_a_third_goal_comes_after_the_second(are_met):
    """From anywhere, and from where the first two are met exactly."""
    arm = flat(6)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        wanted, there = rng.uniform(-0.5, 0.5, 6), rng.uniform(-0.7, 0.7, 6)
        point, heading = arm.pose(there)[:3, 3], there.sum()
        along = [math.cos(heading), math.sin(heading), 0.0]
        goals = [
            Posture(q=wanted, priority=2),
            Position(target=point),
            Direction(axis=[1, 0, 0], target=along, priority=1),
        ]
        start = there if are_met else rng.uniform(-0.3, 0.3, 6)
        solution = solve(arm, goals, start=start)
        assert solution.success
        assert solution.goal_errors[2].rotation <= 1e-5

        def equal(q, point=point, heading=heading):
            turn = math.remainder(q.sum() - heading, 2.0 * math.pi)
            return np.array([*(arm.pose(q)[:2, 3] - point[:2]), turn])

        def cost(q, wanted=wanted):
            return float((q - wanted) @ (q - wanted))

        assert cost(solution.q) <= 1.001 * nearest(arm, cost, solution.q, equal) + 1e-6


def test_the_first_goal_is_met_to_tolerance_whatever_the_others_ask():
    for seed in range(20):
        arm = flat(4, (-1.2, 1.2))
        goals = [
            Position(target=arm.pose(arm.random(seed))[:3, 3]),
            Position(target=[9, 9, 0], weight=1e3, priority=1),
            Orientation(target=np.diag([-1.0, -1.0, 1.0]), weight=1e3, priority=1),
            Posture(q=np.zeros(4), weight=1e6, priority=2),
        ]
        assert solve(arm, goals, start=arm.random(seed + 100)).success


def test_the_first_goals_do_not_suffer_when_they_cannot_be_met():
    """Out of reach, the first goal still comes before the second one."""
    arm = flat(3)
    goals = [Position(target=[5, 0, 0]), Position(target=[0, 9, 0], priority=1)]
    solution = solve(arm, goals, start=[0.5, 0.5, 0.5], iterations=1000)
    assert not solution.success
    assert solution.error == pytest.approx(2.0, abs=1e-5)


# --------------------------------------------------------------------------------------------- closed loops


def test_a_four_bar_linkage_stays_closed_through_a_turn_of_its_crank():
    model = (
        ModelBuilder("four bars")
        .continuous("crank", parent="base")
        .continuous("coupler", parent="crank", origin=(0.4, 0, 0))
        .continuous("rocker", parent="base", origin=(1.0, 0, 0))
        .frame("end", link="coupler", pose=pose(1.0))
        .frame("pin", link="rocker", pose=pose(0.8))
        .build(end_effector="end")
    )
    q = np.array([0.5, 0.5, 1.5])
    for angle in np.linspace(0.5, 0.5 + 2.0 * math.pi, 13):
        loop = Relative(frame="end", reference="pin", target=np.eye(4), weights=(1, 1, 1, 0, 0, 0))
        solution = solve(model, [loop, JointValue(joint="crank", value=angle)], start=q)
        assert solution.success
        assert_allclose(
            model.pose(solution.q, "end")[:3, 3], model.pose(solution.q, "pin")[:3, 3], rtol=0, atol=1e-6
        )
        assert np.abs(solution.q - q).max() < 1.0  # on its branch
        q = solution.q


def test_a_loop_of_a_whole_pose_is_closed():
    """Both hands hold one bar."""
    bar = pose(0.0, -0.3, 0.0, Rotation.from_rotvec([0.2, 0.0, 0.1]))
    goals = [Relative(frame="right_arm", reference="left_arm", target=bar), Position(target=[0.3, 0.1, 0.4])]
    solution = solve(BODY, goals)
    assert solution.success
    held = np.linalg.solve(BODY.pose(solution.q, "left_arm"), BODY.pose(solution.q, "right_arm"))
    assert_allclose(held, bar, rtol=0.0, atol=3e-6)


# --------------------------------------------------------------------------------------------- repeatability


def whole_body_goals(seed: int) -> list[Goal]:
    q = BODY.random(seed)
    frames = moving_frames(BODY)
    return [Pose(frame=frames[seed % len(frames)], target=BODY.pose(q, frames[seed % len(frames)])),
            CenterOfMass(target=BODY.center_of_mass(q)), Posture(q=BODY.neutral)]  # fmt: skip


def test_same_inputs_and_seed_give_the_same_answer():
    for seed in range(4):
        one, other = (solve(BODY, whole_body_goals(seed), seed=seed) for _ in range(2))
        assert one.q.tobytes() == other.q.tobytes()
        assert (one.iterations, one.restarts) == (other.iterations, other.restarts)


def test_another_seed_begins_again_elsewhere():
    goal = Position(target=[9, 0, 0], tolerance=NEVER)
    one, other = (flat(3).trace(goal, start=[0.1, 0.2, 0.3], seed=seed, iterations=100) for seed in (1, 2))
    assert len(one.q) != len(other.q) or not np.allclose(one.q, other.q)


def test_threads_get_the_answers_that_one_gets():
    alone = [solve(BODY, whole_body_goals(seed)).q for seed in range(12)]
    wrong = []

    def work(order):
        for seed in np.random.default_rng(order).permutation(12):
            if BODY.solve(whole_body_goals(seed)).q.tobytes() != alone[seed].tobytes():
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(order,)) for order in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_goals_and_starts_are_left_as_they_were():
    goals, start = whole_body_goals(0), BODY.random(5)
    before = start.copy()
    solution = BODY.solve(goals, start=start)
    assert_array_equal(start, before)
    again = BODY.solve(goals, start=start)
    solution.q[:] = 0.0
    assert BODY.solve(goals, start=start).q.tobytes() == again.q.tobytes()


def test_interpreter_and_machine_code_give_the_same_answers(monkeypatch):
    model = zigzag(4)
    q, start = model.random(1), model.random(1) * 0.8
    both = [
        [Position(target=model.pose(q)[:3, 3]), Posture(q=start)],
        [Direction(axis=[1, 0, 0], target=model.pose(q)[:3, 0]), JointValue(joint="joint1", value=0.3)],
        [Pose(target=model.pose(q), tolerance=(0.01,) * 6)],
    ]
    compiled = [solve(model, goals, start=start) for goals in both]
    monkeypatch.setattr(native, "compiled", lambda program: None)
    for goals, expected in zip(both, compiled, strict=True):
        solution = solve(model, goals, start=start)
        assert solution.success == expected.success
        assert_allclose(solution.q, expected.q, rtol=0.0, atol=1e-7)


# --------------------------------------------------------------------------------------------------- traces


def test_a_trace_leads_from_the_start_to_the_answer():
    model, start = flat(4), flat(4).random(1)
    goals = [Position(target=[2.5, 2.5, 0.0], tolerance=NEVER)]
    trace, solution = model.trace(goals, start=start), model.solve(goals, start=start)
    assert solution.restarts == 0
    assert_array_equal(trace.q[0], start)
    assert_array_equal(trace.q[-1], solution.q)
    assert trace.iterations == solution.iterations == trace.solution.iterations
    distances = np.linalg.norm(model.pose(trace.q)[:, :3, 3] - [2.5, 2.5, 0.0], axis=1)
    assert_allclose(trace.error * (distances[0] / trace.error[0]), distances, rtol=1e-9, atol=1e-9)
    assert next(iter(trace)).note == "start"


def test_a_trace_marks_every_restart():
    model = flat(3)
    trace = model.trace(
        Position(target=[3.5, 2.5, 0.0], tolerance=NEVER), start=model.random(1), iterations=200
    )
    assert trace.solution.restarts == len(trace.restarted_at) > 3
    assert trace.iterations == trace.solution.iterations <= 200
    assert np.abs(trace.q - trace.solution.q).max(axis=1).min() <= 1e-12
    assert all(model.is_within_limits(trace.q))


@pytest.mark.parametrize("iterations", [1, 2, 7, 50])
@pytest.mark.parametrize("restarts", [None, 0, 3])
def test_the_budget_is_kept(iterations, restarts):
    goals = [Position(target=[9, 1, 0]), Posture(q=[0, 0, 0])]
    solution = solve(flat(3), goals, iterations=iterations, restarts=restarts)
    assert solution.iterations <= iterations
    goals = [Position(target=[1, 1, 0]), Posture(q=[0, 0, 0])]
    assert solve(flat(3), goals, iterations=iterations, restarts=restarts).iterations <= iterations


# ------------------------------------------------------------------------------------------------- refusals


def two_hinges() -> Model:
    return (
        ModelBuilder("arm")
        .revolute("shoulder")
        .revolute("elbow", origin=(1, 0, 0))
        .fixed("hand", origin=(1, 0, 0))
        .build(end_effector="hand")
    )


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        (Position(frame="base", target=[0, 0, 0], tolerance=0.1),
         "frame 'base' of model 'arm' cannot move: no joint lies before it"),
        (Relative(frame="hand", reference="hand", target=np.eye(4)),
         "frame 'hand' of model 'arm' cannot move beside 'hand': no joint lies between"),
        (Relative(frame="hand", reference="elbow", target=np.eye(4)),
         "frame 'hand' of model 'arm' cannot move beside 'elbow': no joint lies between"),
        (CenterOfMass(target=[0, 0, 0]), "CenterOfMass needs a model with masses, which 'arm' has not"),
        (JointValue(joint="elbw", value=1),
         "model 'arm' has no joint 'elbw'; did you mean 'elbow'? known: shoulder, elbow, hand"),
        (JointValue(joint="hand", value=1),
         "JointValue needs a revolute or prismatic joint; 'hand' is fixed"),
        (Posture(q=[0]), "the q of Posture needs 2 numbers (nq), found 1"),
        (Posture(q=[0, 0], weight=[1, 1, 1]), "the weight of Posture needs 1 number or 2 (nv), found 3"),
    ],
)  # fmt: skip
def test_goals_without_meaning_are_refused(goal, message):
    with pytest.raises(GoalError) as caught:
        two_hinges().solve(goal)
    assert str(caught.value) == message
    with pytest.raises(GoalError):
        two_hinges().solve([goal, Posture(q=[0, 0], priority=2)])


def test_a_point_of_two_numbers_is_for_arms_in_a_horizontal_plane():
    flat = two_hinges()
    assert flat.solve(Position(target=[1, 1], tolerance=0.1)).success
    upright = (
        ModelBuilder("upright")
        .revolute("shoulder", axis="y")
        .revolute("elbow", axis="y", origin=(1, 0, 0))
        .fixed("hand", origin=(1, 0, 0))
        .build(end_effector="hand")
    )
    upright.solve(Position(target=[1, 0, 1], tolerance=0.1))
    with pytest.raises(GoalError, match="moves in space: give 3 numbers"):
        upright.solve(Position(target=[1, 1], tolerance=0.1))
    assert flat.solve(Position(target=[1, 1, 0], tolerance=0.1)).success


def test_a_posture_of_nothing_is_refused():
    still = ModelBuilder("stone").fixed("top").build(end_effector="top")
    with pytest.raises(GoalError, match="Posture needs a model with joints that move, which 'stone' has not"):
        still.solve(Posture(q=[]))


@pytest.mark.parametrize(
    "goal", [Position(frame="hnd", target=[0, 0, 0]), Relative(reference="hnd", target=np.eye(4))]
)
def test_wrong_frames_have_suggestions(goal):
    with pytest.raises(ModelError, match="model 'arm' has no frame 'hnd'; did you mean 'hand'"):
        two_hinges().solve([goal, Posture(q=[0, 0])])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"locked": ["elbw"]}, SolverError, "did you mean 'elbow'"),
        (
            {"locked": {"elbow": 0.2}},
            SolverError,
            "a joint is locked where `start` has it: set them in `start`",
        ),
        ({"start": [0, math.nan]}, ConfigurationError, "`start` needs finite numbers"),
        ({"start": [0, math.inf]}, ConfigurationError, "`start` needs finite numbers"),
        ({"start": [0]}, ConfigurationError, r"`start` needs 2 numbers \(nq\), found shape \(1,\)"),
        ({"rest_bias": 0.1}, SolverError, "ask for a Posture"),
        ({"prefer": "nearest", "start": [0, 0]}, SolverError, "`prefer` is for one plain goal"),
        ({"solver": "dls"}, SolverError, "use 'lm'"),
        ({"seed": -1}, SolverError, "`seed` needs a whole number"),
        ({"iteration": 5}, SolverError, "did you mean 'iterations'"),
    ],
)
def test_options_that_cannot_be_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        two_hinges().solve([Position(target=[1, 1, 0]), Posture(q=[0, 0])], **options)


@pytest.mark.parametrize("quaternion", [[0, 0, 0, 0], [math.nan, 0, 0, 1]])
def test_a_start_without_a_direction_is_refused(quaternion):
    model = ModelBuilder("ball").ball("wrist").frame("tip", pose=pose(1.0)).build(end_effector="tip")
    with pytest.raises(ConfigurationError, match="quaternions that have a direction"):
        model.solve([Direction(axis=[1, 0, 0], target=[0, 1, 0])], start=quaternion)
    assert model.solve([Direction(axis=[1, 0, 0], target=[0, 1, 0])]).success  # and nothing is left behind


# -------------------------------------------------------------------------------------- out of reach, edges


@pytest.mark.parametrize("less", [0.0, 1e-12, 1e-9, 1e-6, 1e-3])
def test_the_edge_of_reach_is_reached(less):
    for start in (None, [0.5, 0.5, 0.5]):
        assert solve(flat(3), Position(target=[3.0 - less, 0, 0], tolerance=NEVER), start=start).success
    assert solve(flat(3), Position(target=[0, 3.0 - less, 0], tolerance=NEVER)).success


def test_a_point_out_of_reach_is_approached_as_near_as_can_be():
    for seed in range(6):
        direction = Rotation.from_rotvec([0, 0, seed]).as_matrix()[:, 0]
        solution = solve(
            flat(3), Position(target=(3.0 + 0.5 * (seed + 1)) * direction, tolerance=NEVER), iterations=2000
        )
        assert solution.ended is Status.UNREACHABLE
        assert solution.error == pytest.approx(0.5 * (seed + 1), abs=1e-6)


def test_what_limits_forbid_is_approached_as_near_as_can_be():
    arm = flat(2, (-0.8, 0.5))
    angles = np.linspace(-0.8, 0.5, 261)
    grid = arm.pose(np.stack(np.meshgrid(angles, angles), axis=-1).reshape(-1, 2))[:, :3, 3]
    for target in ([-1.0, 1.0, 0.0], [0.3, 0.0, 0.0], [0.0, -2.5, 0.0], [1.0, 1.5, 0.0]):
        least = np.linalg.norm(grid - target, axis=1).min()
        solution = solve(arm, Position(target=target, tolerance=NEVER), iterations=2000)
        assert not solution.success
        assert least - 0.01 <= solution.error <= least + 1e-9


def test_goals_that_conflict_settle_where_their_squares_are_least():
    arm = flat(3)
    goals = [Position(target=[1.0, 1.0, 0.0]), Position(target=[1.5, 1.0, 0.0])]
    solution = solve(arm, goals, iterations=2000)
    assert solution.ended is Status.LIKELY_UNREACHABLE
    assert_allclose(arm.pose(solution.q)[:2, 3], [1.25, 1.0], rtol=0.0, atol=1e-5)


@pytest.mark.parametrize("axis", [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.6, 0.8, 0.0], [-1, 2, 0.3]])
def test_half_a_turn_needs_no_other_start(axis):
    model = ModelBuilder("ball").ball("wrist").frame("tip").build(end_effector="tip")
    half = Rotation.from_rotvec(math.pi * np.array(axis) / np.linalg.norm(axis)).as_matrix()
    assert solve(model, Orientation(target=half, tolerance=NEVER), restarts=0).success
    assert solve(model, Direction(axis=axis, target=-np.array(axis)), restarts=0).success
    assert solve(model, LookAt(axis=axis, target=-np.array(axis)), restarts=0).success


def test_a_planar_arm_turns_round():
    assert solve(flat(3), Direction(axis=[1, 0, 0], target=[-1, 0, 0]), restarts=0).success
    assert solve(flat(3), LookAt(axis=[1, 0, 0], target=[-2, 0, 0])).success
    assert solve(flat(3), Orientation(target=np.diag([-1.0, -1.0, 1.0]), tolerance=NEVER), restarts=0).success


def test_to_look_at_ones_own_origin_is_no_harm():
    solution = solve(flat(3), LookAt(axis=[0, 1, 0], target=[3, 0, 0]))
    assert np.isfinite(solution.q).all()
    for near in (1e-9, 1e-6, 1e-3):
        assert solve(flat(3), LookAt(axis=[0, 1, 0], target=[3 - near, 0, 0])).success


@pytest.mark.parametrize("point", [[1e6, 0, 0], [1e60, 1e60, 0], [-1e50, 1e-300, 5]])
def test_absurdly_far_points_do_no_harm(point):
    goals = [Position(target=point), Posture(q=[0, 0, 0])]
    solution = general_plan_for(flat(3), goals, {"iterations": 100}).solve(Problem(tuple(goals), None))
    assert not solution.success
    assert np.isfinite(solution.q).all()


# ---------------------------------------------------------------------------------------------------- sizes


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("far", [0.0, 1e3])
def test_robots_of_every_size_take_the_same_way(length, far):
    """Goals and tolerance grow with the robot, and so do the answers' iterations not."""
    model, reference = zigzag(6, length * LINK, far=far), zigzag(6)
    for seed in range(5):
        q, start = model.random(seed), model.random(seed + 50)
        counts = []
        for arm, scale in ((model, length), (reference, 1.0)):
            here = arm.pose(q)
            goals = [Position(target=here[:3, 3]), Direction(axis=[1, 0, 0], target=here[:3, 0])]
            solution = solve(arm, goals, start=start, tolerance=1e-6 * scale)
            assert solution.success
            counts.append(solution.iterations)
        assert counts[0] <= 2 * counts[1] + 20


def test_a_tiny_robot_is_solved_to_the_default_tolerance():
    model = limbik.planar_arm(3, 3e-4)
    assert solve(model, [Position(target=[4e-4, 2e-4, 0]), Posture(q=[1, 1, 1])]).success


@pytest.mark.parametrize("distance", [1.0, 30.0, 1e3, 1e5])
def test_a_floating_base_goes_as_far_as_it_is_asked_to(distance):
    target = pose(distance, -distance, 2.0, Rotation.from_rotvec([0.0, 0.0, 1.0]))
    assert solve(
        BODY, [Pose(frame="left_arm", target=target), JointValue(joint="left_leg1", value=1)]
    ).success
    slides = (
        ModelBuilder("table")
        .prismatic("x", axis="x")
        .prismatic("y", axis="y")
        .frame("top")
        .build(end_effector="top")
    )
    assert solve(slides, Position(target=[distance, -distance, 0], tolerance=NEVER)).success
    long = (
        ModelBuilder("crane")
        .prismatic("x", axis="x", limits=(0, 2 * distance))
        .frame("hook")
        .build(end_effector="hook")
    )
    assert solve(long, Position(target=[1.9 * distance, 0, 0], weight=(1, 0, 0)), restarts=0).success


def test_a_chain_of_thirty_hinges_is_solved():
    model = zigzag(30, 0.1, (-1.0, 1.0))
    for seed in range(3):
        here = model.pose(model.random(seed))
        assert solve(model, [Pose(target=here)]).success
        middle = model.pose(model.random(seed), "joint15")[:3, 3]
        assert solve(model, [Pose(target=here), Position(frame="joint15", target=middle)]).success


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic"])
def test_a_model_of_one_joint_is_solved(kind):
    model = (
        getattr(ModelBuilder("one"), kind)("joint", axis="z")
        .frame("tip", pose=pose(1.0))
        .build(end_effector="tip")
    )
    for goal_kind in (each for each in GOALS if each is not CenterOfMass):
        goal = goal_at(goal_kind, model, np.array([0.7]), 1, priority=0)
        assert solve(model, goal).success


# ------------------------------------------------------------------------------------------------ a humanoid


def test_a_humanoid_reaches_with_hands_and_feet_and_keeps_its_balance():
    try:
        model = limbik.load("g1", base="floating")
    except limbik.errors.LimbikError as missing:
        pytest.skip(str(missing))
    ends = [frame for frame in moving_frames(model) if frame.endswith(("rubber_hand", "ankle_roll_link"))]
    assert len(ends) == 4
    for seed in range(3):
        q = model.neutral.copy()
        q[7:] += 0.3 * (model.random(seed)[7:] - q[7:])
        goals = [Pose(frame=frame, target=model.pose(q, frame)) for frame in ends]
        solution = solve(
            model, [*goals, CenterOfMass(target=model.center_of_mass(q)), Posture(q=model.neutral)]
        )
        assert solution.success


def test_the_tolerance_of_a_free_turn_opens_no_cone_for_the_others(compiled_trees):
    arm = limbik.load("panda")
    rng = np.random.default_rng(4)
    for _ in range(10):
        wanted = arm.pose(arm.random(rng))
        goal = Pose(target=wanted, weights=(1, 1, 1, 1, 1, 0), tolerance=(0, 0, 0, 0.01, 0.01, 3.2))
        solution = arm.solve(goal)
        assert solution.success
        assert arm.pose(solution.q)[:3, 2] @ wanted[:3, 2] >= np.cos(0.0101)
