"""A failure is explained, and never by a wrong reason."""

import dataclasses
import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import limbik
from limbik import (
    JointKind,
    Model,
    ModelBuilder,
    Orientation,
    Pose,
    Position,
    Solution,
    Status,
)
from limbik.diagnosis import Bound, Diagnosis, Excess
from limbik.goals import Direction, JointValue
from limbik.solvers import diagnose
from limbik.status import PoseError
from solvers.arms import pose
from strategies import SEEDS, chains

POSITION, ROTATION = 1e-6, 1e-6  # tolerances by default
FEW = 150  # iterations of a solve that is to fail: enough for some hundred attempts


@pytest.fixture(autouse=True)
def short_searches(interpreted_core, monkeypatch):
    """What runs interpreted takes milliseconds for an iteration."""
    monkeypatch.setattr(diagnose, "SEARCH", FEW)
    monkeypatch.setattr(diagnose, "SHORT", 50)


def scara(travel: tuple[float, float] = (-0.2, 0.0)) -> Model:
    """Two links that turn in a plane, and a quill that slides and spins: the tool always points down."""
    return (
        ModelBuilder("scara")
        .revolute("shoulder", axis="z", origin=(0.0, 0.0, 0.4), limits=(-2.0, 2.0))
        .revolute("elbow", axis="z", origin=(0.35, 0.0, 0.0), limits=(-2.5, 2.5))
        .prismatic("quill", axis="z", origin=(0.3, 0.0, 0.0), limits=travel)
        .revolute("spin", axis="z", limits=(-3.0, 3.0))
        .build()
    )


def torus() -> Model:
    """Two revolute joints: its tip stays on a torus."""
    return (
        ModelBuilder("torus")
        .revolute("around", axis="z")
        .revolute("over", axis="y", origin=(1.0, 0.0, 0.0))
        .frame("tip", pose=pose(0.3))
        .build(end_effector="tip")
    )


ROBOTS = {name: limbik.load(name) for name in ("panda", "ur5e", "puma560")}
ROBOTS["scara"] = scara()
ROBOTS["planar"] = limbik.planar_arm(3, 0.4, limits=2.0)


def misses(model: Model, q: np.ndarray, target: np.ndarray) -> tuple[float, float]:
    """[m], [rad] by the model's own kinematics."""
    there = model.pose(q)
    turn = Rotation.from_matrix(there[:3, :3].T @ target[:3, :3]).magnitude()
    return float(np.linalg.norm(there[:3, 3] - target[:3, 3])), float(turn)


def assert_shown(model: Model, solution: Solution, target: np.ndarray) -> Diagnosis:
    """All that the diagnosis of a pose claims holds, by the model's own kinematics."""
    diagnosis = solution.explain()
    assert diagnosis.status is solution.status
    assert (diagnosis.status is Status.SOLVED) == solution.success
    assert model.is_within_limits(diagnosis.q)
    json.dumps(diagnosis.to_dict(), allow_nan=False)
    assert str(diagnosis)
    assert (diagnosis.bound is not None) == (diagnosis.status is Status.UNREACHABLE)
    assert bool(diagnosis.excesses) == (diagnosis.q_beyond_limits is not None)
    if diagnosis.q_found is not None:
        assert diagnosis.status is Status.BUDGET_SPENT
        assert model.is_within_limits(diagnosis.q_found)
        assert_met(misses(model, diagnosis.q_found, target))
    assert diagnosis.q_beyond_limits is not None or diagnosis.status is not Status.LIMITS_BIND
    if diagnosis.q_beyond_limits is not None:
        assert diagnosis.status in (Status.LIMITS_BIND, Status.UNREACHABLE)
        assert not model.is_within_limits(diagnosis.q_beyond_limits)
        assert_met(misses(model, diagnosis.q_beyond_limits, target))
        assert_excesses(model, diagnosis)
    if diagnosis.status is Status.ORIENTATION_UNAVAILABLE:
        assert diagnosis.q_position is not None
    if diagnosis.q_position is not None:
        assert model.is_within_limits(diagnosis.q_position)
        position, rotation = misses(model, diagnosis.q_position, target)
        assert position <= POSITION * (1.0 + 1e-9)
        assert diagnosis.errors_position[0].rotation == pytest.approx(rotation, abs=1e-7)
    return diagnosis


def assert_met(found: tuple[float, float]) -> None:
    assert found[0] <= POSITION * (1.0 + 1e-6)
    assert found[1] <= ROTATION * (1.0 + 1e-6)


def assert_excesses(model: Model, diagnosis: Diagnosis) -> None:
    """Each joint beyond a limit is named, with how far it is beyond; no other one."""
    q = diagnosis.q_beyond_limits
    beyond = np.maximum(np.maximum(model.lower - q, q - model.upper), 0.0)
    named = {excess.joint: excess for excess in diagnosis.excesses}
    for joint in model.joints:
        if joint.nq != 1:
            continue
        amount = float(beyond[model.q_slice(joint.name)][0])
        assert (joint.name in named) == (amount > 1e-9)
        if joint.name in named:
            excess = named[joint.name]
            assert excess.beyond == pytest.approx(amount)
            assert excess.limit == (joint.upper if excess.side == "upper" else joint.lower)


# --- never the wrong reason ---------------------------------------------------------------------------------


@settings(max_examples=15)
@given(st.sampled_from(sorted(ROBOTS)), SEEDS, st.sampled_from([{}, {"iterations": 3}, {"restarts": 0}]))
def test_what_is_within_reach_and_limits_is_solved_or_was_cut_short(robot, seed, options) -> None:
    model = ROBOTS[robot]
    target = model.pose(model.random(seed))
    start = model.neutral if options else None
    solution = model.solve(target, start=start, **options)
    diagnosis = assert_shown(model, solution, target)
    assert diagnosis.status in (Status.SOLVED, Status.BUDGET_SPENT)
    assert options or solution.success


@pytest.mark.slow
@settings(max_examples=8)
@given(st.sampled_from(sorted(ROBOTS)), SEEDS)
def test_what_is_within_reach_beyond_the_limits_is_solved_or_the_limits_bind(robot, seed) -> None:
    model = ROBOTS[robot]
    rng = np.random.default_rng(seed)
    q = model.random(rng)
    k = rng.integers(model.nq)
    q[k] = model.upper[k] + rng.uniform(0.05, 0.6)
    target = model.pose(q)
    solution = model.solve(target, iterations=FEW)
    diagnosis = assert_shown(model, solution, target)
    if diagnosis.status is Status.UNREACHABLE:
        assert model.joints[k].kind is JointKind.PRISMATIC
    else:
        assert diagnosis.status in (Status.SOLVED, Status.LIMITS_BIND, Status.BUDGET_SPENT)


@pytest.mark.slow
@settings(max_examples=10)
@given(st.sampled_from(sorted(ROBOTS)), SEEDS)
def test_a_target_drawn_at_random_gets_a_reason_that_is_shown(robot, seed) -> None:
    model = ROBOTS[robot]
    rng = np.random.default_rng(seed)
    target = np.eye(4)
    target[:3, :3] = Rotation.random(rng=rng).as_matrix()
    target[:3, 3] = rng.uniform(-1.0, 1.0, 3) * model.reach()
    assert_shown(model, model.solve(target, iterations=FEW), target)


@settings(max_examples=15)
@given(chains((JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC)), SEEDS)
def test_out_of_reach_is_only_said_where_it_is_so(model, seed) -> None:
    """A point that some configuration within the limits reaches is never proved to be out of reach."""
    point = model.pose(model.random(seed))[:3, 3]
    solution = model.solve(Position(target=point), iterations=20)
    assert solution.ended is not Status.UNREACHABLE
    assert solution.success or solution.explain().status is not Status.UNREACHABLE


# --- out of reach -------------------------------------------------------------------------------------------


def reason(solution: Solution) -> Bound:
    assert solution.status is solution.ended is Status.UNREACHABLE
    bound = solution.explain().bound
    assert bound is not None
    return bound


@pytest.mark.parametrize("robot", ["panda", "ur5e", "puma560", "scara"])
@pytest.mark.parametrize("beyond", [1e-5, 0.3])
def test_a_point_beyond_the_reach_is_too_far(robot, beyond) -> None:
    model = ROBOTS[robot]
    base = model.pose(model.neutral, model.joints[0].child)[:3, 3]
    direction = np.array([0.6, 0.0, 0.8])
    solution = model.solve(Position(target=base + direction * (model.reach() + beyond)))
    bound = reason(solution)
    assert (bound.kind, bound.joint) == ("too far", model.joints[0].name)
    assert bound.bound == pytest.approx(model.reach())
    assert bound.missing == pytest.approx(beyond)
    assert solution.error >= bound.missing


def test_a_point_nearer_than_the_arm_can_fold_is_too_near() -> None:
    for arm in (limbik.planar_arm(3, [1.0, 0.3, 0.2]), limbik.ball_arm([1.0, 0.3, 0.2])):
        bound = reason(arm.solve([0.4, 0.0, 0.0]))
        assert (bound.kind, bound.joint) == ("too near", arm.joints[0].name)
        assert (bound.distance, bound.bound) == pytest.approx((0.4, 0.5))
        assert arm.solve([0.51, 0.0, 0.0]).success


@pytest.mark.parametrize("goal", [Position(target=[0.5, 0.2, 0.03]), Pose(target=pose(0.5, 0.2, 0.03))])
def test_a_point_off_the_plane_of_the_arm_is_proved_to_be_out_of_reach(goal) -> None:
    solution = ROBOTS["planar"].solve(goal, iterations=FEW)
    assert solution.status is Status.UNREACHABLE
    bound = solution.explain().bound
    assert (bound.kind, bound.missing) == ("off the plane", pytest.approx(0.03))


@pytest.mark.parametrize(("target", "kind"), [([1.0, 0.0, 2.0], "too far"), ([0.1, 0.0, 1.5], "too near")])
def test_an_arm_in_a_plane_has_its_reach_from_the_axis_of_its_first_joint(target, kind) -> None:
    origin, tool = np.eye(4), np.eye(4)
    origin[2, 3], tool[:3, 3] = 1.0, (0.3, 0.0, 0.5)
    joints = [
        limbik.Joint(name="turn", kind=JointKind.REVOLUTE, parent="base", child="arm", origin=origin),
        limbik.Joint(name="mount", kind=JointKind.FIXED, parent="arm", child="tool", origin=tool),
    ]
    explained = limbik.Model("turntable", joints).solve(target).explain()
    off, missing = abs(target[2] - 1.5), abs(target[0] - 0.3)
    bound = explained.bound
    assert (bound.kind, bound.from_axis, bound.off_plane) == (kind, True, pytest.approx(off))
    assert (bound.distance, bound.bound) == pytest.approx((target[0], 0.3))
    assert bound.missing == pytest.approx(np.hypot(off, missing))
    assert f"{target[0]:.3f} m from the axis of joint 'turn'" in str(explained)
    assert ("0.500 m off the plane" in str(explained)) == (off > 0.0)
    advised = str(explained).splitlines()[-1]
    assert ("and 0.500 m into that plane" in advised) == (off > 0.0)


def boom() -> Model:
    """A base yaw joint whose slide goes from 0.5 m to 1 m, with a short hook."""
    return (
        ModelBuilder("boom")
        .revolute("slew", axis="z")
        .prismatic("slide", axis="x", limits=(0.5, 1.0))
        .revolute("wrist", axis="y")
        .frame("hook", pose=pose(0.1))
        .build(end_effector="hook")
    )


@pytest.mark.parametrize(("x", "kind"), [(1.2, "too far"), (0.3, "too near"), (0.45, None), (1.05, None)])
def test_the_travel_of_a_slide_is_in_the_proof(x, kind) -> None:
    solution = boom().solve(Position(target=[x, 0.0, 0.0]))
    if kind is None:
        assert solution.success
    else:
        assert reason(solution).kind == kind
        (excess,) = solution.explain().excesses
        assert (excess.joint, excess.beyond) == ("slide", pytest.approx(0.1, abs=1e-3))
        assert str(solution.explain()).startswith("Out of reach, within the travel of the slides: ")


@pytest.mark.parametrize("x", [0.3, 1.2])
@pytest.mark.parametrize("solver", ["auto", "dls"])
def test_without_limits_a_slide_proves_nothing(x, solver) -> None:
    assert boom().solve(Position(target=[x, 0.0, 0.0]), limits=False, solver=solver).success


@pytest.mark.slow
def test_a_tool_reaches_farther() -> None:
    arm = scara()
    goal = Position(target=[0.75, 0.0, 0.3])
    assert arm.solve(goal).status is Status.UNREACHABLE
    assert arm.solve(goal, tool=pose(0.2)).success
    assert reason(arm.solve(Position(target=[1.0, 0.0, 0.3]), tool=pose(0.2))).bound > arm.reach()


def test_within_the_tolerance_nothing_is_out_of_reach() -> None:
    arm = limbik.planar_arm(2, 1.0)
    assert arm.solve([2.001, 0.0, 0.0]).status is Status.UNREACHABLE
    assert arm.solve([2.001, 0.0, 0.0], tolerance=0.002).success


# --- limits -------------------------------------------------------------------------------------------------


def two_link_angles(x: float, y: float) -> list[tuple[float, float]]:
    """Both solutions of two links of 1 m, from the textbook."""
    elbow = math.acos((x * x + y * y - 2.0) / 2.0)
    return [(math.atan2(y, x) - 0.5 * bend, bend) for bend in (elbow, -elbow)]


@pytest.mark.parametrize(("x", "y"), [(1.2, 0.8), (-1.0, 0.5), (0.3, -0.2), (-0.5, -1.2)])
def test_the_joints_beyond_their_limits_are_named_with_the_least_excess(x, y) -> None:
    arm = limbik.planar_arm(2, 1.0, limits=0.9)
    solution = arm.solve([x, y, 0.0])
    diagnosis = solution.explain()
    assert diagnosis.status is Status.LIMITS_BIND
    beyond = [
        [max(abs(math.remainder(angle, 2 * math.pi)) - 0.9, 0.0) for angle in angles]
        for angles in two_link_angles(x, y)
    ]
    least = min(math.hypot(*amounts) for amounts in beyond)
    assert math.hypot(*(excess.beyond for excess in diagnosis.excesses)) == pytest.approx(least, abs=1e-4)


@pytest.mark.slow
def test_a_redundant_arm_is_brought_near_to_its_limits() -> None:
    """Turning the base alone by 0.3 beyond its limit would do."""
    arm = limbik.planar_arm(5, 0.2, limits=0.5)
    q = np.array([0.8, 0.2, 0.1, 0.3, 0.2])
    target = arm.pose(q)
    narrow = limbik.planar_arm(5, 0.2, limits=0.1)
    for model, most in ((arm, 0.3), (narrow, math.hypot(0.7, 0.1, 0.2, 0.1))):
        solution = model.solve(target, iterations=FEW)
        if solution.success:
            continue
        diagnosis = assert_shown(model, solution, target)
        assert diagnosis.status is Status.LIMITS_BIND
        assert math.hypot(*(excess.beyond for excess in diagnosis.excesses)) <= most + 1e-6


@pytest.mark.slow
def test_a_quill_that_is_too_short_is_named() -> None:
    target = scara().pose([0.3, 0.5, -0.2, 0.1])
    target[2, 3] -= 0.05
    solution = scara().solve(target, iterations=FEW)
    assert solution.status is Status.LIMITS_BIND
    (excess,) = solution.explain().excesses
    assert (excess.joint, excess.quantity, excess.side, excess.unit) == ("quill", "travel", "lower", "m")
    assert excess.beyond == pytest.approx(0.05, abs=1e-6)


def test_whole_turns_are_no_excess() -> None:
    arm = limbik.planar_arm(2, 1.0, limits=0.9)
    for x, y in itertools.product((-1.5, 1.0), (-0.7, 0.7)):
        for excess in arm.solve([x, y, 0.0]).explain().excesses:
            assert excess.beyond < math.pi


def test_a_ball_joint_names_its_swing_or_its_twist() -> None:
    arm = (
        ModelBuilder("arm")
        .ball("shoulder", axis="x", swing=0.5)
        .frame("tip", pose=pose(1.0))
        .build(end_effector="tip")
    )
    solution = arm.solve([0.0, 1.0, 0.0])
    assert solution.status is Status.LIMITS_BIND
    (excess,) = solution.explain().excesses
    assert excess == Excess(joint="shoulder", quantity="swing", value=pytest.approx(math.pi / 2), limit=0.5)
    assert "limit of swing" in str(excess)


def test_without_limits_no_limit_is_blamed() -> None:
    solution = torus().solve(Position(target=[1.0, 0.0, 0.0]), limits=False, iterations=FEW)
    assert solution.status is Status.LIKELY_UNREACHABLE


# --- orientation --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_scara_cannot_tilt_its_tool() -> None:
    target = scara().pose([0.3, 0.5, -0.1, 0.1]) @ pose(turn=Rotation.from_euler("x", 30, degrees=True))
    solution = scara().solve(target, iterations=FEW)
    diagnosis = assert_shown(scara(), solution, target)
    assert diagnosis.status is Status.ORIENTATION_UNAVAILABLE
    assert diagnosis.errors_position[0].rotation == pytest.approx(math.radians(30.0), abs=0.03)


def test_a_planar_arm_cannot_leave_its_plane_by_turning() -> None:
    arm = limbik.planar_arm(3, 0.4)
    target = pose(0.6, 0.3, 0.0, Rotation.from_euler("y", 40, degrees=True))
    diagnosis = assert_shown(arm, arm.solve(target, iterations=FEW), target)
    assert diagnosis.status is Status.ORIENTATION_UNAVAILABLE


def test_an_orientation_that_only_the_limits_forbid_is_their_doing() -> None:
    """Both reasons hold; the limits say what would have to change, and the other one is told too."""
    arm = limbik.planar_arm(3, 0.4, limits=(-1.0, 1.0))
    target = arm.pose([0.5, 0.5, 1.6])
    diagnosis = assert_shown(arm, arm.solve(target, iterations=FEW), target)
    assert diagnosis.status is Status.LIMITS_BIND
    assert [excess.joint for excess in diagnosis.excesses]
    if diagnosis.q_position is not None:
        assert "With another orientation" in str(diagnosis)


def test_a_position_alone_is_never_blamed_on_an_orientation() -> None:
    assert torus().solve(Position(target=[1.0, 0.0, 0.0]), iterations=FEW).status is Status.LIKELY_UNREACHABLE
    tilted = Rotation.from_euler("x", 30, degrees=True).as_matrix()
    assert scara().solve(Orientation(target=tilted), iterations=FEW).status is Status.LIKELY_UNREACHABLE


def test_a_position_that_is_missed_too_is_not_blamed_on_the_orientation() -> None:
    axis_alone = (1.0, 1.0, 1.0, 1.0, 1.0, 0.0)  # of which no bound says anything
    solution = torus().solve(Pose(target=pose(1.0), weights=axis_alone), iterations=FEW)
    assert solution.status is Status.LIKELY_UNREACHABLE
    assert "not proved" in str(solution.explain())


# --- cut short ----------------------------------------------------------------------------------------------


def test_a_search_that_was_cut_short_shows_the_solution_that_it_missed() -> None:
    panda = ROBOTS["panda"]
    target = panda.pose(panda.random(5))
    diagnosis = assert_shown(panda, panda.solve(target, iterations=1), target)
    assert diagnosis.status is Status.BUDGET_SPENT
    assert diagnosis.q_found is not None
    assert panda.solve(target, start=diagnosis.q_found, restarts=0).success


def test_an_error_that_still_falls_is_told(monkeypatch) -> None:
    monkeypatch.setattr(diagnose, "SEARCH", 1)
    arm = limbik.planar_arm(20, 0.1)
    solution = arm.solve([0.3, 1.0, 0.0], solver="jt", iterations=3)
    diagnosis = solution.explain()
    assert (diagnosis.status, diagnosis.is_descending) == (Status.BUDGET_SPENT, True)
    assert "still falling" in str(diagnosis)


# --- several goals ------------------------------------------------------------------------------------------


def two_arms() -> Model:
    """A waist that carries two arms of two links in one plane."""
    parts = ModelBuilder("two arms").revolute("waist", parent="base", axis="z", limits=1.0)
    for side, y in (("left", 0.2), ("right", -0.2)):
        parts = (
            parts.revolute(f"{side}1", parent="waist", axis="z", origin=(0.0, y, 0.0), limits=2.0)
            .revolute(f"{side}2", parent=f"{side}1", axis="z", origin=(0.5, 0.0, 0.0), limits=2.0)
            .frame(f"{side} hand", link=f"{side}2", pose=pose(0.4))
        )
    return parts.build()


def hand(side: str, x: float, y: float) -> Position:
    return Position(frame=f"{side} hand", target=[x, y, 0.0])


def test_goals_that_cannot_be_met_together_are_named() -> None:
    goals = [hand("left", 0.6, 0.4), hand("right", 0.6, -0.3), hand("left", 0.3, 0.6)]
    diagnosis = two_arms().solve(goals, iterations=FEW).explain()
    assert diagnosis.status is Status.LIKELY_UNREACHABLE
    assert diagnosis.conflict == (0, 2)
    assert "goals 1 and 3 were never met together" in str(diagnosis)
    assert two_arms().solve(goals[:2]).success
    assert two_arms().solve(goals[1:]).success


def test_orientations_that_cannot_be_met_together_are_named() -> None:
    arm = limbik.load("ur5e")
    target = arm.pose(arm.random(1))
    turned = target @ np.diag([1.0, -1.0, -1.0, 1.0])
    goals = [Position(target=target[:3, 3]), *(Orientation(target=each[:3, :3]) for each in (target, turned))]
    for requested, conflict in ((goals, (1, 2)), ([Pose(target=target), Pose(target=turned)], (0, 1))):
        assert all(arm.solve(goal).success for goal in requested)
        diagnosis = arm.solve(requested).explain()
        assert diagnosis.status is Status.ORIENTATION_UNAVAILABLE
        assert diagnosis.conflict == conflict
        numbers = " and ".join(str(index + 1) for index in conflict)
        assert f"goals {numbers} were never met together" in str(diagnosis)
        assert str(diagnosis).endswith("or leave its orientation free (limbik.Position).")


def test_of_several_goals_the_one_out_of_reach_is_named() -> None:
    solution = two_arms().solve([hand("left", 0.6, 0.4), hand("right", 2.0, 0.0)], iterations=FEW)
    assert solution.status is Status.UNREACHABLE
    assert solution.explain().bound.goal == 1
    assert "The target of goal 2 is 2.000 m from the axis of joint 'waist'" in str(solution.explain())


def test_of_several_goals_those_that_need_not_be_met_prove_nothing() -> None:
    wish = Position(frame="right hand", target=[2.0, 0.0, 0.0], priority=1)
    assert two_arms().solve([hand("left", 0.6, 0.4), wish], iterations=FEW).success


def test_limits_bind_for_several_goals_too() -> None:
    model = two_arms()
    q = np.array([0.2, 2.3, -0.5, 0.4, 0.3])
    goals = [
        Position(frame="left hand", target=model.pose(q, "left hand")[:3, 3]),
        Orientation(frame="left hand", target=model.pose(q, "left hand")[:3, :3]),
        Pose(frame="right hand", target=model.pose(q, "right hand")),
        JointValue(joint="waist", value=0.2),
    ]
    diagnosis = model.solve(goals, iterations=FEW).explain()
    assert diagnosis.status is Status.LIMITS_BIND
    assert [excess.joint for excess in diagnosis.excesses] == ["left1"]
    assert diagnosis.excesses[0].beyond == pytest.approx(0.3, abs=1e-4)


def test_a_direction_that_is_not_available_is_an_orientation() -> None:
    goals = [hand("left", 0.6, 0.4), Direction(frame="right hand", axis=[0, 0, 1], target=[1, 0, 0])]
    diagnosis = two_arms().solve(goals, iterations=FEW).explain()
    assert diagnosis.status is Status.ORIENTATION_UNAVAILABLE
    assert diagnosis.errors_position[1].rotation == pytest.approx(math.pi / 2)


# --- what the request holds fixed ---------------------------------------------------------------------------


def test_locked_joints_stay_where_they_are_in_all_that_is_shown() -> None:
    arm = limbik.planar_arm(3, 0.4, limits=1.0)
    start = np.array([0.3, 0.2, 0.4])
    target = arm.pose([0.3, 1.5, 1.5])  # nearer to the base than the limits allow
    diagnosis = arm.solve(
        Position(target=target[:3, 3]), start=start, locked=["joint1"], iterations=FEW
    ).explain()
    assert diagnosis.status is Status.LIMITS_BIND
    assert diagnosis.q_beyond_limits[0] == pytest.approx(0.3)
    elsewhere = arm.pose([-0.9, 0.2, 0.4])
    held = arm.solve(elsewhere, start=start, locked=["joint1"], iterations=FEW)
    assert held.explain().q_beyond_limits is None or held.explain().q_beyond_limits[0] == pytest.approx(0.3)


def test_locks_in_the_way_are_named_one_alone_where_that_is_enough() -> None:
    arm = limbik.planar_arm(3, 0.4, limits=2.0)
    start, target = np.array([0.3, 0.2, 0.4]), Position(target=arm.pose([-0.9, 0.2, 0.4])[:3, 3])
    diagnosis = arm.solve(target, start=start, locked=["joint2", "joint1"], iterations=FEW).explain()
    assert diagnosis.status is Status.LOCKED
    assert diagnosis.unlocked == ("joint1",)
    assert f"Locked, 'joint1' stays at {start[0]:.3g} rad" in str(diagnosis)
    assert diagnosis.q_unlocked[1] == start[1]
    assert_allclose(arm.pose(diagnosis.q_unlocked)[:3, 3], target.target, atol=1e-6)
    assert "With joint 'joint1' free there is a solution within the limits" in str(diagnosis)
    assert diagnosis.to_dict()["unlocked"] == ["joint1"]


def test_locks_that_are_only_together_in_the_way_are_named_together() -> None:
    panda = ROBOTS["panda"]
    goal = panda.pose(panda.clip(panda.neutral + 0.4))
    start = panda.clip(panda.neutral)
    diagnosis = panda.solve(goal, start=start, locked=panda.joint_names).explain()
    assert diagnosis.status is Status.LOCKED
    assert diagnosis.unlocked == panda.joint_names
    assert str(diagnosis).endswith("Unlock them, lock elsewhere, or move the target.")


def test_of_many_locked_joints_some_are_named() -> None:
    arm = limbik.planar_arm(30)
    goal = Position(target=arm.pose(np.full(30, 0.05))[:3, 3])
    sentences = str(arm.solve(goal, start=np.zeros(30), locked=arm.joint_names).explain())
    assert "With joints 'joint1', 'joint2', " in sentences
    assert "'joint7' and 23 others free" in sentences


def test_a_target_beyond_all_measure_is_told_in_short() -> None:
    diagnosis = limbik.planar_arm(3).solve(Position(target=[1e20, 0.0, 0.0])).explain()
    assert diagnosis.status is Status.UNREACHABLE
    assert "1e+20 m" in str(diagnosis)
    assert max(map(len, str(diagnosis).split())) < 20


def test_locked_joints_that_move_nothing_of_the_goal_are_not_blamed() -> None:
    goal = hand("left", 0.05, 0.2)  # nearer to the shoulder than the elbow can bend
    diagnosis = two_arms().solve(goal, locked=["right1"], iterations=FEW).explain()
    assert diagnosis.status is Status.LIMITS_BIND
    assert diagnosis.unlocked == ()


def test_joints_off_the_path_stay_where_the_start_has_them() -> None:
    tree = (
        ModelBuilder("tree")
        .revolute("head", parent="base", axis="x", limits=0.5)
        .revolute("a", parent="base", axis="z", limits=0.5)
        .revolute("b", parent="a", axis="z", origin=(0.5, 0.0, 0.0), limits=0.5)
        .frame("tip", pose=pose(0.5))
        .build(end_effector="tip")
    )
    solution = tree.solve(Position(target=[0.0, 0.9, 0.0]), start=[0.3, 0.0, 0.0], iterations=FEW)
    assert solution.status is Status.LIMITS_BIND
    assert solution.explain().q_beyond_limits[0] == pytest.approx(0.3)


def test_a_free_axis_proves_nothing_about_the_point() -> None:
    arm = ROBOTS["ur5e"]
    far = pose(0.3, 0.2, 5.0)
    goal = Pose(target=far, weights=(1, 1, 0, 0, 0, 0))
    assert arm.solve(goal).success


def test_the_diagnosis_is_looked_for_once_and_is_the_same_again() -> None:
    arm = limbik.planar_arm(3, 1.0, limits=0.2)
    first, second = (arm.solve([-1.0, 0.0, 0.0]) for _ in range(2))
    assert first.explain() is first.explain()
    assert str(first.explain()) == str(second.explain())
    assert_allclose(first.explain().q_beyond_limits, second.explain().q_beyond_limits)


# --- words --------------------------------------------------------------------------------------------------


def test_what_is_solved_is_told_in_a_few_words() -> None:
    solution = limbik.planar_arm(2, 1.0, limits=2.0).solve([1.0, 1.0, 0.0])
    lines = solution.explain().sentences
    assert lines[0] == "Solved: frame 'tip' at (1, 1, 0) m."
    assert lines[1].startswith("The answer is ")
    assert lines[2].startswith("The joint nearest to a limit is 'joint2', with 0.429 rad (24.6 deg) to go.")


def test_out_of_reach_says_how_far() -> None:
    text = str(limbik.planar_arm(2, 0.4).solve([1.0, 0.0, 0.0]).explain())
    assert text == (
        "Out of reach, whatever the joints do: frame 'tip' at (1, 0, 0) m.\n"
        "The target is 1.000 m from the axis of joint 'joint1'; the arm reaches 0.800 m from there: "
        "0.200 m too far.\n"
        "The nearest configuration found is 200 mm off.\n"
        "Move the target at least 0.200 m nearer to the axis of joint 'joint1', or the base."
    )


def test_a_tiny_lack_of_reach_can_be_seen() -> None:
    text = str(limbik.planar_arm(2, 0.4).solve([0.80002, 0.0, 0.0]).explain())
    assert "0.800020 m from the axis of joint 'joint1'; the arm reaches 0.800000 m from there" in text
    assert "0.000020 m too far" in text


def test_limits_say_which_and_by_how_much() -> None:
    excess = Excess(joint="elbow", quantity="angle", value=2.93, limit=2.62)
    assert str(excess) == (
        "Joint 'elbow' would have to go 0.31 rad (17.8 deg) beyond its upper limit 2.62 rad (150 deg)."
    )
    excess = Excess(joint="lift", quantity="travel", value=-0.05, limit=0.0)
    assert str(excess) == "Joint 'lift' would have to go 0.05 m (50 mm) beyond its lower limit 0 m (0 mm)."


def test_joints_that_are_a_hair_beyond_their_limits_are_told_last_and_together() -> None:
    far, near = math.radians(5.0), math.radians(0.002)
    excesses = tuple(
        Excess(joint=name, quantity="angle", value=1.5 + beyond, limit=1.5)
        for name, beyond in (("shoulder", near), ("elbow", far), ("wrist", 0.02 * far))
    )
    diagnosis = Diagnosis(
        status=Status.LIMITS_BIND,
        goals=("frame 'tip' at (1, 0, 0) m",),
        errors=(PoseError(0.1, 0.0),),
        q=np.zeros(3),
        iterations=10,
        excesses=excesses,
    )
    assert [line.split("'")[1] for line in diagnosis.sentences if "beyond its" in line] == ["elbow", "wrist"]
    assert "So would 'shoulder', by 3.49e-05 rad (0.002 deg)." in diagnosis.sentences
    assert len(diagnosis.to_dict()["excesses"]) == 3
    slider = Excess(joint="lift", quantity="travel", value=0.5001, limit=0.5)
    several = dataclasses.replace(diagnosis, excesses=(*excesses, slider))
    assert "So would 'shoulder' and 'lift', by up to 0.0001 m (0.1 mm)." in several.sentences
    alone = dataclasses.replace(diagnosis, excesses=excesses[:1])
    assert "'shoulder' would have to go 3.49e-05 rad (0.002 deg) beyond" in str(alone)


def test_limits_that_are_widened_by_what_is_told_are_wide_enough() -> None:
    goal = limbik.planar_arm(3, 0.3).pose([1.8, 0.806, 0.2191387])
    told = [
        line
        for line in limbik.planar_arm(3, 0.3, limits=0.8).solve(goal).explain().sentences
        if "would" in line
    ]
    assert [line.split("'")[1] for line in told] == ["joint1", "joint2"] and "by 0.006 rad" in told[1]
    wider = limbik.planar_arm(3, 0.3, limits=[(-0.8, 1.8 + 1e-6), (-0.8, 0.806 + 1e-6), (-0.8, 0.8)])
    assert wider.solve(goal).success


def test_a_wish_that_is_not_met_is_not_called_solved():
    arm = limbik.planar_arm(4, 0.3)
    here = arm.pose(np.full(4, 0.3))[:3, 3]
    goals = [Position(frame="link3", target=(0.0, 0.0, 5.0), priority=1), Position(target=here)]
    said = arm.solve(goals).explain().sentences
    met, wish = (
        goal.described(f"frame {name!r}")
        for goal, name in ((goals[1], arm.end_effector), (goals[0], "link3"))
    )
    assert said[0] == f"Solved: {met}."
    assert said[1].startswith("The answer is ")
    assert "at most" not in said[1]
    assert said[2].startswith(f"Of lower priority, {wish}: 5.")
    assert said[2].endswith(" m off.")
