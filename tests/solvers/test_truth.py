"""Whatever the model, the goal and the start: a solution says nothing that is not so."""

import math

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import limbik
from limbik import JointKind, Model, ModelBuilder, Orientation, Pose, Position, Status
from limbik.model.chain import chain_to
from solvers.arms import (
    IN_SPACE,
    ROBOTS,
    SOLVERS,
    TURNING,
    assert_true,
    branching_tree,
    distance,
    hinge_arm,
    pose,
)
from strategies import SEEDS, configuration, models

pytestmark = pytest.mark.usefixtures("compiled_methods")

LENGTHS = st.one_of(st.just(0.0), st.floats(1e-3, 2.0))
BUDGET = 300
FEW = settings(max_examples=25)
FEWER = settings(max_examples=15)


@st.composite
def hinge_limits(draw):
    """Usual ranges, and every odd one: a single value, a hair, one-sided, none, many turns away."""
    low, width = draw(st.floats(-3.0, 3.0)), draw(st.floats(0.1, 6.5))
    shapes = [
        (low, low + width),
        (low, low),
        (low, low + 1e-9),
        (-math.inf, low),
        (low, math.inf),
        (-math.inf, math.inf),
        (20.0, 21.0),
        (-0.0, 0.0),
    ]
    return draw(st.sampled_from(shapes))


@st.composite
def planar_arms(draw):
    """Revolute joints with parallel axes that need not point the same way, at any heights, in any plane."""
    count = draw(st.integers(1, 6))
    lengths = draw(st.lists(LENGTHS, min_size=count, max_size=count))
    if draw(st.booleans()):
        ranges = [draw(hinge_limits()) for _ in range(count)] if draw(st.booleans()) else None
        return limbik.planar_arm(count, lengths, limits=ranges)
    tilt = Rotation.from_euler("xyz", draw(st.tuples(*[st.sampled_from([0.0, 0.3, math.pi / 2])] * 3)))
    builder = ModelBuilder("parallel").fixed("stand", origin=pose(0.3, -0.2, 1.0, tilt))
    for k in range(count):
        turn = Rotation.from_rotvec([0.0, 0.0, draw(st.sampled_from([0.0, 1.0, math.pi]))])
        builder = builder.revolute(
            f"joint{k}",
            axis=draw(st.sampled_from(["z", "-z"])),
            origin=pose(lengths[k - 1] if k else 0.0, 0.0, draw(st.sampled_from([0.0, 0.1])), turn),
            limits=draw(hinge_limits()),
        )
    return builder.frame("tip", pose=pose(lengths[-1], 0.1, 0.05)).build(end_effector="tip")


@st.composite
def ball_arms(draw):
    """Ball joints with segments along or across their twist axes, cones and twist ranges of every size."""
    count = draw(st.integers(1, 5))
    angles = st.one_of(st.sampled_from([0.0, 1e-9, math.pi]), st.floats(0.0, math.pi))
    if draw(st.booleans()):
        lengths = draw(st.lists(LENGTHS, min_size=count, max_size=count))
        swing, twist = draw(st.one_of(st.none(), angles)), draw(st.one_of(st.none(), angles))
        return limbik.ball_arm(lengths, swing=swing, twist=twist)
    builder = ModelBuilder("balls")
    for k in range(count):
        low = draw(st.floats(-3.0, 3.0))
        builder = builder.ball(
            f"joint{k}",
            axis=draw(st.sampled_from(["x", "-x", "y", (1.0, 1.0, 0.0)])),
            origin=(draw(LENGTHS), draw(LENGTHS) if k else 0.0, 0.0),
            swing=draw(angles),
            twist=draw(st.sampled_from([None, (low, low), (low, low + 1.0), (low, math.inf)])),
        )
    return builder.frame("tip", pose=(draw(LENGTHS), 0.0, 0.0)).build(end_effector="tip")


def points(model: Model, seed: int) -> list[np.ndarray]:
    """Points for the end effector: one it can reach, near ones, the base, far away."""
    rng = np.random.default_rng(seed)
    reached = model.pose(model.random(rng))[:3, 3]
    base = chain_to(model).joints[0].origin[:3, 3]
    return [
        reached,
        model.pose(model.neutral)[:3, 3],
        base,
        base + rng.normal(size=3),
        base + 50.0 * rng.normal(size=3),
    ]


def can_move(model: Model) -> bool:
    return len(chain_to(model).joints) > 0


def assert_positions_are_true(model: Model, solver: str, seed: int, limits: bool = True) -> None:
    rng = np.random.default_rng(seed)
    starts = [None, model.random(rng), configuration(model, seed)]
    for k, point in enumerate(points(model, seed)):
        start = starts[(k + seed) % 3]
        solution = model.solve(point, solver=solver, start=start, iterations=BUDGET, limits=limits)
        assert_true(model, solution, point=point, limits=limits)
        assert solution.iterations <= BUDGET
        if start is not None and limits:
            inside = model.clip(start)
            assert solution.start_was_moved == (np.abs(inside - start).max() > 1e-12)
            begun = distance(model, inside, point)
            assert solution.error <= begun * (1.0 + 1e-9) + 1e-11
        if k < 2 and limits:
            assert solution.ended is not Status.UNREACHABLE


@pytest.mark.parametrize("solver", SOLVERS)
@FEW
@given(planar_arms(), SEEDS, st.booleans())
def test_answers_of_arms_in_a_plane_are_true(solver, model, seed, limits):
    assert_positions_are_true(model, solver, seed, limits)


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
@FEW
@given(ball_arms(), SEEDS, st.booleans())
def test_answers_of_ball_joint_arms_are_true(solver, model, seed, limits):
    assert_positions_are_true(model, solver, seed, limits)


@pytest.mark.slow
@pytest.mark.parametrize("solver", IN_SPACE)
@FEW
@given(models(), SEEDS)
def test_answers_of_any_tree_are_true(solver, model, seed):
    assume(can_move(model))
    assert_positions_are_true(model, solver, seed)


@pytest.mark.slow
@pytest.mark.parametrize("solver", TURNING)
@FEWER
@given(models(), SEEDS, st.booleans())
def test_answers_for_poses_and_rotations_are_true(solver, model, seed, with_position):
    assume(can_move(model))
    rng = np.random.default_rng(seed)
    wanted = model.pose(model.random(rng))
    if seed % 3 == 0:  # anywhere
        wanted = pose(*rng.normal(size=3), Rotation.random(rng=rng))
    goal = Pose(target=wanted) if with_position else Orientation(target=wanted[:3, :3])
    start = configuration(model, seed) if seed % 2 else None
    solution = model.solve(goal, solver=solver, start=start, iterations=100)
    assert_true(model, solution, point=wanted[:3, 3] if with_position else None, rotation=wanted[:3, :3])
    assert solution.iterations <= 100
    if seed % 3:
        assert solution.ended is not Status.UNREACHABLE


@pytest.mark.parametrize("solver", SOLVERS)
@FEW
@given(planar_arms(), SEEDS, st.floats(0.05, 0.5))
def test_answers_with_a_rest_pose_are_true(solver, model, seed, bias):
    assert_rest_is_true(model, solver, seed, bias)


@pytest.mark.parametrize("solver", SOLVERS)
@FEW
@given(ball_arms(), SEEDS, st.floats(0.05, 0.5))
def test_answers_of_ball_joints_with_a_rest_pose_are_true(solver, model, seed, bias):
    assert_rest_is_true(model, solver, seed, bias)


def assert_rest_is_true(model: Model, solver: str, seed: int, bias: float) -> None:
    """Each iteration too stays within limits, although the rest pose is outside them."""
    rng = np.random.default_rng(seed)
    start, rest = model.random(rng), configuration(model, seed)
    point = points(model, seed)[seed % 5]
    budget = int(rng.integers(1, 40))
    trace = model.trace(
        point, solver=solver, start=start, rest=rest, rest_bias=bias, iterations=budget, restarts=0
    )
    assert_true(model, trace.solution, point=point)
    assert model.is_within_limits(trace.q).all()
    np.testing.assert_allclose(trace.q[0], model.clip(start), rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("solver", IN_SPACE)
@pytest.mark.parametrize("frame", ["right", "left", "elbow", "drill", "lift"])
def test_frames_anywhere_in_a_tree_can_be_asked_for(solver, frame):
    tree = branching_tree()
    rng = np.random.default_rng(0)
    for _ in range(10):
        point = tree.pose(tree.random(rng), frame)[:3, 3]
        start = tree.random(rng)
        solution = tree.solve(Position(frame=frame, target=point), solver=solver, start=start)
        assert_true(tree, solution, point=point, frame=frame)
        assert solution.success
        path = {joint.name for joint in tree.path(frame)}
        for joint in tree.joints:  # the rest of the tree keeps still
            if joint.name not in path:
                part = tree.q_slice(joint.name)
                np.testing.assert_allclose(solution.q[part], start[part], atol=1e-15)


@pytest.mark.parametrize("solver", TURNING)
def test_a_floating_base_goes_wherever_its_frame_is_sent(solver):
    drone = (
        ModelBuilder("drone")
        .floating("body")
        .revolute("arm", axis="y", limits=(-1.0, 1.0), origin=(0.2, 0, 0))
    ).build()
    rng = np.random.default_rng(2)
    for _ in range(10):
        wanted = pose(*rng.uniform(-3.0, 3.0, 3), Rotation.random(rng=rng))
        solution = drone.solve(wanted, solver=solver, start=drone.random(rng))
        assert_true(drone, solution, point=wanted[:3, 3], rotation=wanted[:3, :3])
        assert solution.success


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_start_at_the_goal_is_the_answer(solver):
    for arm in (limbik.planar_arm(4, 0.5, limits=1.0), limbik.ball_arm([0.5] * 4, swing=1.0)):
        q = arm.random(7)
        solution = arm.solve(arm.pose(q)[:3, 3], solver=solver, start=q)
        assert solution.success
        assert solution.iterations == 0
        assert not solution.start_was_moved
        np.testing.assert_allclose(solution.q, q, rtol=0.0, atol=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_start_outside_the_limits_is_moved_inside_and_said_so(solver):
    arm = limbik.planar_arm(3, 1.0, limits=1.0)
    start = np.array([0.5, 1.5, -3.0])
    trace = arm.trace([1.0, 1.0, 0.0], solver=solver, start=start)
    assert trace.solution.start_was_moved
    np.testing.assert_array_equal(trace.q[0], [0.5, 1.0, -1.0])
    np.testing.assert_array_equal(trace.solution.start, start)
    assert not arm.solve([1.0, 1.0, 0.0], solver=solver, start=[0.5, 1.0, -1.0]).start_was_moved
    free = arm.trace([1.0, 1.0, 0.0], solver=solver, start=start, limits=False)
    assert not free.solution.start_was_moved
    np.testing.assert_array_equal(free.q[0], start)


def test_joints_off_the_path_are_brought_within_their_limits_too():
    builder = ModelBuilder("two").revolute("idle", parent="base", limits=(-1.0, 1.0))
    builder = builder.revolute("arm", parent="base").frame("tip", pose=(1.0, 0.0, 0.0))
    model = builder.build(end_effector="tip")
    solution = model.solve([0.0, 1.0, 0.0], start=[3.0, 0.0])
    assert solution.success
    assert model.is_within_limits(solution.q)
    assert solution.start_was_moved


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("limits", [(0.3, 0.3), (0.3, 0.3 + 1e-9)])
def test_locked_joints_stay_locked(solver, limits):
    ranges = [(-2.0, 2.0), limits, (-2.0, 2.0)]
    arm = limbik.planar_arm(3, 1.0, limits=ranges)
    rng = np.random.default_rng(1)
    for _ in range(20):
        point = arm.pose(arm.random(rng))[:3, 3]
        solution = arm.solve(point, solver=solver, start=arm.random(rng))
        assert_true(arm, solution, point=point)
        assert solution.success
        assert limits[0] <= solution.q[1] <= limits[1]


@pytest.mark.parametrize("solver", SOLVERS)
def test_limits_may_lie_many_turns_away(solver):
    arm = limbik.planar_arm(4, 1.0, limits=(20.0, 21.5))
    rng = np.random.default_rng(4)
    solved = 0
    for _ in range(40):
        point = arm.pose(arm.random(rng))[:3, 3]
        solution = arm.solve(point, solver=solver)
        assert_true(arm, solution, point=point)
        solved += solution.success
    assert solved == 40


@pytest.mark.slow
@pytest.mark.parametrize("solver", IN_SPACE)
@pytest.mark.parametrize("tilt", [1e-6, 1e-8, 1e-10])
def test_axes_that_are_almost_parallel_make_no_false_answer(solver, tilt):
    builder = ModelBuilder("tilted").revolute("a")
    for k, axis in enumerate([(tilt, 0.0, 1.0), (0.0, -tilt, 1.0)]):
        builder = builder.revolute(f"b{k}", axis=axis, origin=(1.0, 0.0, 0.0))
    model = builder.frame("tip", pose=(1.0, 0.0, 0.0)).build(end_effector="tip")
    point = model.pose([0.4, 0.5, 1.2])[:3, 3]
    solution = model.solve(point, solver=solver, tolerance=1e-9, start=[0.3, 0.3, 0.3])
    assert_true(model, solution, point=point, tolerance=1e-9)


# --- robots, with pinocchio as the judge --------------------------------------------------------------------


class Judge:
    """A robot of revolute joints in pinocchio, built from the model's numbers."""

    def __init__(self, model: Model) -> None:
        self.model = pin.Model()
        parent, placement = 0, pin.SE3.Identity()
        for joint in model.path():
            placement = placement * pin.SE3(np.array(joint.origin))
            if joint.kind is JointKind.FIXED:
                continue
            moving = pin.JointModelRevoluteUnaligned(*joint.axis)
            parent, placement = (
                self.model.addJoint(parent, moving, placement, joint.name),
                pin.SE3.Identity(),
            )
        self.last = parent
        self.tool = placement * pin.SE3(np.array(model.frame(model.end_effector).pose_link_frame))
        self.data = self.model.createData()

    def pose(self, q: np.ndarray) -> pin.SE3:
        """Of the end effector."""
        pin.forwardKinematics(self.model, self.data, q)
        return self.data.oMi[self.last] * self.tool


@pytest.mark.parametrize("solver", IN_SPACE)
@pytest.mark.parametrize("name", ROBOTS)
def test_robots_reach_every_point_that_they_can(name, solver):
    robot = limbik.load(name)
    judge = Judge(robot)
    rng = np.random.default_rng(3)
    for _ in range(20):
        point = robot.pose(robot.random(rng))[:3, 3]
        solution = robot.solve(point, solver=solver)
        assert solution.success
        assert np.linalg.norm(judge.pose(solution.q).translation - point) <= 1e-6
        assert (solution.q >= robot.lower).all()
        assert (solution.q <= robot.upper).all()


@pytest.mark.parametrize("solver", TURNING)
@pytest.mark.parametrize("name", ROBOTS)
def test_a_solved_pose_of_a_robot_is_one_for_pinocchio_too(name, solver):
    robot = limbik.load(name)
    judge = Judge(robot)
    rng = np.random.default_rng(5)
    solved = 0
    for _ in range(10):
        wanted = robot.pose(robot.random(rng))
        solution = robot.solve(wanted, solver=solver, iterations=2000)
        assert_true(robot, solution, point=wanted[:3, 3], rotation=wanted[:3, :3])
        if solution.success:
            solved += 1
            between = pin.log6(judge.pose(solution.q).actInv(pin.SE3(wanted))).vector
            assert np.linalg.norm(between[:3]) <= 1.1e-6
            assert np.linalg.norm(between[3:]) <= 1.1e-6
    assert solved >= (2 if solver == "jt" else 8)


@pytest.mark.parametrize("solver", TURNING)
def test_a_hinge_arm_turns_its_tip_to_any_rotation_of_its_own(solver):
    arm = hinge_arm(5)
    rng = np.random.default_rng(6)
    for _ in range(10):
        rotation = arm.pose(arm.random(rng))[:3, :3]
        solution = arm.solve(Orientation(target=rotation), solver=solver)
        assert_true(arm, solution, rotation=rotation)
        assert solution.success
        assert solution.error == 0.0
