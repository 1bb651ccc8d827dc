"""CCD on trees: the best turn of every joint, roles, limits, annealing."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import limbik
from limbik import Direction, EulerLimits, JointKind, Mimic, Model, ModelBuilder, Orientation, Pose, Position
from limbik.errors import SolverError
from limbik.goals import Goal
from limbik.numerics.davenport import best_rotation
from limbik.numerics.trigonometry import turn_within_limits
from limbik.solvers.checked_options import Options
from limbik.solvers.classical_plan import ClassicalPlan
from limbik.solvers.methods.ccd import ALL_ALIKE, BEGINS, CCD, RELAXATION
from limbik.spatial import quat_between, quat_multiply, quat_rotate
from limbik.tree.classical_loop import MEMORY
from solvers.bench import Bench
from strategies import SEEDS, configuration
from trees import assert_honest, goal_at, trees

GOALS = (Position, Orientation, Pose, Direction)
ALIKE = CCD(direction_joints=())  # all joints serve everything


def distance(bench: Bench, q: np.ndarray) -> float:
    """What a sweep brings down: squared distances of points in lengths of the model, and of the ends of unit
    vectors, a quarter of them."""
    total = 0.0
    for goal in bench.goals:
        pose = bench.model.pose(q, goal.frame)
        R = pose[:3, :3]
        point = goal.target[:3, 3] if isinstance(goal, Pose) else goal.target
        if isinstance(goal, (Position, Pose)):
            total += float(np.sum((pose[:3, 3] - point) ** 2)) / bench.length**2
        if isinstance(goal, (Orientation, Pose)):
            total += 0.125 * float(np.sum((R - goal.target[:3, :3]) ** 2))
        if isinstance(goal, Direction):
            total += 0.25 * float(np.sum((R @ goal.axis - goal.target) ** 2))
    return total


def goals_at(model: Model, seed: int, count: int = 2) -> list[Goal]:
    """Goals of kinds that CCD takes, for random frames of the model; met together nowhere in particular."""
    rng = np.random.default_rng(seed)
    kinds = rng.choice(len(GOALS), count)
    found = (goal_at(GOALS[k], model, model.random(rng), seed + i) for i, k in enumerate(kinds))
    return [goal for goal in found if goal is not None]


# --- one joint ----------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(SEEDS, st.booleans(), st.integers(1, 3))
def test_a_hinge_is_turned_as_is_best_for_all_its_goals_within_its_limits(seed, is_limited, count):
    rng = np.random.default_rng(seed)
    lower, width = rng.uniform(-3.0, 1.0), rng.uniform(0.1, 3.5)
    limits = (lower, lower + width) if is_limited else None
    axis = rng.normal(size=3)
    model = (
        ModelBuilder("hinge")
        .revolute("h", axis=axis, limits=limits, origin=rng.normal(size=3))
        .frame("tool", pose=rng.normal(size=3))
        .build(end_effector="tool")
    )
    anywhere = [
        limbik.spatial.pose_from(Rotation.random(rng=rng).as_matrix(), rng.normal(size=3)) for _ in range(3)
    ]
    goals = [Position(target=anywhere[0][:3, 3]), Direction(axis=axis, target=anywhere[1][:3, 0]),
             Pose(target=anywhere[2])][:count]  # fmt: skip
    bench = Bench(model, goals, ALIKE)
    found = bench.improve(model.random(rng))
    low, high = limits or (-math.pi, math.pi)
    tried = min(distance(bench, np.array([angle])) for angle in np.linspace(low, high, 400))
    assert model.is_within_limits(found)
    assert distance(bench, found) <= tried + 1e-12


@pytest.mark.slow
@given(SEEDS)
def test_minimal_rotations_there_and_back_to_the_axis_make_the_turn_of_the_closed_form(seed):
    """Kenwright's form: the minimal rotation from u to v, then the minimal one that brings the revolute
    joint's axis back. Across the axis both are at once the turn by atan2(a.(u x v), u.v); what lies along it
    is made up for by repeating.
    """
    rng = np.random.default_rng(seed)
    axis, u, v = (x / np.linalg.norm(x) for x in rng.normal(size=(3, 3)))
    across_u, across_v = u - (u @ axis) * axis, v - (v @ axis) * axis
    closed = math.atan2(axis @ np.cross(u, v), across_u @ across_v)
    assert abs(math.remainder(turned_by(across_u, across_v, axis) - closed, 2.0 * math.pi)) < 1e-9
    total = 0.0
    for _ in range(2000):
        step = turned_by(Rotation.from_rotvec(total * axis).apply(u), v, axis)
        total += step
        if abs(step) < 1e-12:
            break
    if min(np.linalg.norm(across_u), np.linalg.norm(across_v)) > 0.2 and abs(closed) < 3.0:
        assert abs(math.remainder(total - closed, 2.0 * math.pi)) < 1e-9


def turned_by(u: np.ndarray, v: np.ndarray, axis: np.ndarray) -> float:
    """The angle about the axis of the minimal rotation from u to v, followed by the minimal one that brings
    the axis back."""
    there = quat_between(u, v)
    back = quat_between(quat_rotate(there, axis), axis)
    both = quat_multiply(back, there)
    assert_allclose(quat_rotate(both, axis), axis, atol=1e-12)
    return 2.0 * math.atan2(both[:3] @ axis, both[3])


@given(SEEDS, st.floats(-7.0, 7.0), st.floats(0.01, 5.0))
def test_outside_its_limits_a_hinge_goes_to_the_end_that_is_nearer_on_the_circle(seed, lower, width):
    rng = np.random.default_rng(seed)
    value, upper = rng.uniform(lower, lower + width), lower + width
    turn = rng.uniform(-math.pi, math.pi)
    found = value + turn_within_limits(value, turn, lower, upper)
    assert lower - 1e-12 <= found <= upper + 1e-12
    best = max(math.cos(x - value - turn) for x in np.linspace(lower, upper, 300))
    assert math.cos(found - value - turn) >= best - 1e-9


@given(SEEDS, st.integers(2, 4))
def test_a_ball_joint_is_turned_by_the_rotation_that_aligns_all_its_pulls(seed, count):
    rng = np.random.default_rng(seed)
    u, v, weights = rng.normal(size=(count, 3)), rng.normal(size=(count, 3)), rng.uniform(0.1, 2.0, count)
    room = np.zeros(48)
    room[:9] = (weights[:, None, None] * v[:, :, None] * u[:, None, :]).sum(axis=0).ravel()
    found = Rotation.from_quat(best_rotation(room))
    expected, _ = Rotation.align_vectors(v, u, weights)
    gained, best = (float((weights * (R.apply(u) * v).sum(axis=1)).sum()) for R in (found, expected))
    assert gained == pytest.approx(best, rel=1e-12, abs=1e-12)


@given(SEEDS)
def test_of_rotations_that_are_as_good_a_ball_joint_takes_the_smallest(seed):
    u, v = np.random.default_rng(seed).normal(size=(2, 3))
    room = np.zeros(48)
    room[:9] = np.outer(v, u).ravel()
    found = Rotation.from_quat(best_rotation(room))
    assert found.magnitude() == pytest.approx(Rotation.from_quat(quat_between(u, v)).magnitude(), abs=1e-6)
    half_turn = np.zeros(48)
    half_turn[:9] = np.outer(-u, u).ravel()
    assert_allclose(Rotation.from_quat(best_rotation(half_turn)).apply(u), -u, atol=1e-9)


# --- one sweep ----------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(trees(max_joints=5), SEEDS, st.booleans(), st.sampled_from([BEGINS, ALL_ALIKE]))
def test_a_sweep_in_which_all_joints_serve_everything_never_makes_it_worse(model, seed, limits, memory):
    """Neither the first ones of a descent, nor the later ones, whose turns go beyond the best."""
    goals = goals_at(model, seed)
    if not goals:
        return
    bench = Bench(model, goals, ALIKE, limits=limits)
    followed = {joint.mimic.joint for joint in model.joints if joint.mimic}
    q = model.clip(configuration(model, seed))
    for _ in range(3):
        bench.settings[MEMORY] = memory
        swept = bench.improve(q)
        assert not limits or model.is_within_limits(swept)
        if not followed:  # what leaders do is judged by angles, not by chords
            assert distance(bench, swept) <= distance(bench, q) + 1e-12
        q = swept


def test_a_later_turn_for_several_tasks_goes_beyond_the_best_as_far_as_limits_allow():
    targets = [Position(target=(math.cos(1.0), math.sin(1.0), 0.0))] * 2
    for upper, first, later in ((3.0, 1.0, RELAXATION), (1.2, 1.0, 1.2), (0.7, 0.7, 0.7)):
        model = ModelBuilder("one").revolute("h", axis="z", limits=(-3.0, upper)).frame("tip", pose=(1, 0, 0))
        bench = Bench(model.build(end_effector="tip"), targets, ALIKE)
        assert_allclose(bench.improve(np.zeros(1)), first, atol=1e-12)
        bench.settings[MEMORY] = ALL_ALIKE
        assert_allclose(bench.improve(np.zeros(1)), later, atol=1e-12)


@pytest.mark.parametrize("options", [{"weight": (1.0, 1.0, 0.0)}, {"tolerance": (0.2, 0.2, 0.2)},
                                     {"weight": (0.0, 1.0, 0.3), "axes": "frame"}], ids=str)  # fmt: skip
def test_weights_and_tolerances_are_met_and_no_more(options):
    model = limbik.load("panda")
    target = model.pose(model.random(3))[:3, 3]
    solution = limbik.solve(model, [Position(target=target, **options)], solver="ccd", iterations=300)
    assert_honest(model, [Position(target=target, **options)], solution)
    assert solution.success


# --- whole solves -------------------------------------------------------------------------------------------


def mixed_arm() -> Model:
    """A prismatic joint, a ball joint with Euler limits, revolute joints, and a ball joint with a cone."""
    return (
        ModelBuilder("mixed")
        .prismatic("lift", axis="z", limits=(0.0, 0.5))
        .ball("shoulder", euler=EulerLimits(order="ZYX", lower=(-1.0, -0.8, -0.5), upper=(1.2, 0.9, 0.5)))
        .revolute("elbow", axis="y", origin=(0.4, 0.0, 0.0), limits=(-2.5, 0.1))
        .revolute("forearm", axis="x", origin=(0.3, 0.0, 0.0), limits=(-1.5, 1.5))
        .ball("wrist", axis="x", swing=0.9, twist=(-0.6, 0.6))
        .frame("hand", pose=(0.1, 0.0, 0.02))
        .build(end_effector="hand")
    )


@pytest.mark.parametrize("kind", GOALS)
def test_chains_of_slides_hinges_and_balls_reach_what_they_can_within_all_limits(kind):
    model, rng = mixed_arm(), np.random.default_rng(1)
    solved = 0
    for seed in range(6):
        goals = [goal_at(kind, model, model.random(rng), seed)]
        solution = limbik.solve(
            model, goals, solver=CCD(direction_joints=()), start=model.random(rng), seed=seed, iterations=150
        )
        assert_honest(model, goals, solution)
        solved += solution.success
    assert solved >= 4


def test_two_hands_reach_at_once_and_locked_joints_stay():
    trunk = ModelBuilder("two").revolute("waist", axis="z", limits=(-2.0, 2.0))
    for side, y in (("left", 0.3), ("right", -0.3)):
        for k in range(4):
            trunk = trunk.revolute(
                f"{side}{k}", axis="zy"[k % 2], parent=f"{side}{k - 1}" if k else "waist",
                origin=(0.3 if k else 0.0, 0.0 if k else y, 0.0), limits=(-2.0, 2.0),
            )  # fmt: skip
        trunk = trunk.frame(f"{side}_hand", link=f"{side}3", pose=(0.3, 0.0, 0.0))
    model = trunk.build(end_effector="left_hand")
    q = model.random(4)
    goals = [
        Position(frame=f"{side}_hand", target=model.pose(q, f"{side}_hand")[:3, 3])
        for side in ("left", "right")
    ]
    solution = limbik.solve(model, goals, solver="ccd", iterations=300)
    assert_honest(model, goals, solution)
    assert solution.success
    start = model.neutral.copy()
    start[0] = q[0]
    held = limbik.solve(model, goals, solver="ccd", start=start, locked=("waist",), iterations=300)
    assert held.q[0] == q[0]
    assert_honest(model, goals, held)


def test_joints_that_follow_others_move_with_them():
    finger = (
        ModelBuilder("finger")
        .revolute("spread", axis="z", limits=(-0.5, 0.5))
        .revolute("knuckle", axis="y", origin=(0.05, 0.0, 0.0), limits=(0.0, 1.6))
        .revolute("middle", axis="y", origin=(0.04, 0.0, 0.0), mimic=Mimic(joint="knuckle", multiplier=0.9))
        .revolute("tip", axis="y", origin=(0.03, 0.0, 0.0), mimic=Mimic(joint="knuckle", multiplier=0.6))
        .frame("pad", pose=(0.02, 0.0, 0.0))
        .build(end_effector="pad")
    )
    q = np.array([0.2, 0.9])
    solution = limbik.solve(finger, Position(target=finger.pose(q)[:3, 3]), solver="ccd", iterations=100)
    assert solution.success
    assert_allclose(solution.q, q, atol=1e-3)


# --- roles --------------------------------------------------------------------------------------------------


def five_joints(roll: bool = False) -> Model:
    """Two joints lift and turn a shoulder, one bends the elbow, two turn the tool; `roll` adds one about the
    tool's own axis."""
    model = (
        ModelBuilder("five")
        .revolute("yaw", axis="z", limits=(-3.0, 3.0))
        .revolute("shoulder", axis="y", limits=(-2.5, 2.5))
        .revolute("elbow", axis="y", origin=(0.0, 0.0, 0.5), limits=(-2.5, 2.5))
        .revolute("wrist1", axis="y", origin=(0.0, 0.0, 0.4), limits=(-2.5, 2.5))
        .revolute("wrist2", axis="x", limits=(-2.5, 2.5))
    )
    if roll:
        model = model.revolute("roll", axis="z", limits=(-3.0, 3.0))
    return model.frame("tool", pose=(0.0, 0.0, 0.15)).build(end_effector="tool")


def roles_of(model: Model, goals: list[Goal], **parameters) -> dict[str, float]:
    solver = CCD(**parameters)
    plan = ClassicalPlan(model, goals, Options(solver=solver), solver)
    names = [joint.name for joint in model.joints if joint.kind is not JointKind.FIXED]
    return dict(zip(names, plan.joint_roles.tolist(), strict=True))


POINT = Position(target=(0.3, 0.2, 0.4))
UP = Direction(axis=(0.0, 0.0, 1.0), target=(0.0, 0.0, 1.0))


def test_the_last_joints_that_can_turn_it_serve_a_direction_and_an_orientation():
    expected = {"yaw": 0.0, "shoulder": 0.0, "elbow": 0.0, "wrist1": 1.0, "wrist2": 1.0}
    assert roles_of(five_joints(), [POINT, UP]) == expected
    assert roles_of(five_joints(roll=True), [POINT, UP]) == {**expected, "roll": 0.0}
    assert roles_of(five_joints(roll=True), [Pose(target=np.eye(4))]) == {**expected, "roll": 1.0}


def test_without_a_point_or_without_other_joints_all_joints_serve_everything():
    assert set(roles_of(five_joints(), [UP]).values()) == {0.5}
    assert set(roles_of(five_joints(), [POINT]).values()) == {0.5}
    wrist = (
        ModelBuilder("wrist").revolute("a", axis="x").revolute("b", axis="y").frame("tool", pose=(0, 0, 0.2))
    )
    assert set(roles_of(wrist.build(end_effector="tool"), [POINT, UP]).values()) == {0.5}


def test_joints_can_be_chosen_for_the_direction():
    chosen = roles_of(five_joints(), [POINT, UP], direction_joints=("elbow", "wrist1"))
    assert [name for name, role in chosen.items() if role == 1.0] == ["elbow", "wrist1"]
    assert set(roles_of(five_joints(), [POINT, UP], direction_joints=()).values()) == {0.5}
    with pytest.raises(SolverError, match=r"`direction_joints` names 'wrist3', .*wrist"):
        limbik.solve(five_joints(), [POINT, UP], solver=CCD(direction_joints=("wrist3",)))
    with pytest.raises(SolverError, match="`direction_joints` needs names of joints, found 7"):
        CCD(direction_joints=(7,))


@pytest.mark.parametrize("parameters", [{}, {"direction_joints": ()}], ids=["by roles", "all alike"])
def test_any_point_from_any_direction_on_five_joints(parameters):
    model, rng = five_joints(), np.random.default_rng(0)
    for seed in range(4):
        pose = model.pose(model.random(rng))
        goals = [Position(target=pose[:3, 3]), Direction(axis=(0.0, 0.0, 1.0), target=pose[:3, 2])]
        solution = limbik.solve(model, goals, solver=CCD(**parameters), start=model.random(rng), seed=seed)
        assert_honest(model, goals, solution)
        assert solution.success


# --- annealing ----------------------------------------------------------------------------------------------


def test_annealing_is_repeatable_and_never_worse_than_the_start():
    model, rng = mixed_arm(), np.random.default_rng(5)
    pose = model.pose(model.random(rng))
    far = pose.copy()
    far[:3, 3] *= 3.0
    for target in (pose, far):
        answers = [
            limbik.solve(model, Pose(target=target), solver=CCD(anneal=0.8), seed=3, iterations=200)
            for _ in range(2)
        ]
        assert_allclose(answers[0].q, answers[1].q, rtol=0, atol=0)
        assert_honest(model, [Pose(target=target)], answers[0])
    once = limbik.solve(model, Position(target=far[:3, 3]), solver=CCD(anneal=0.8), restarts=0)
    more = limbik.solve(model, Position(target=far[:3, 3]), solver=CCD(anneal=0.8), iterations=200)
    assert more.error <= once.error + 1e-9


def test_annealing_is_for_plain_chains_too():
    arm = limbik.planar_arm(5, 0.3, limits=0.5)
    target = arm.pose(arm.random(8))[:3, 3]
    solution = limbik.solve(arm, Position(target=target), solver=CCD(anneal=1.0), iterations=400)
    assert_honest(arm, [Position(target=target)], solution)
    assert solution.success
