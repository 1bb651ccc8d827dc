"""The classic transpose: its step, its bounds, its bend, and its jerks where the goal is out of reach."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import limbik
from limbik import Model, ModelBuilder, Position, Status
from limbik.solvers import TransposeClassic
from solvers.arms import ARMS, hinge_arm, pose

pytestmark = pytest.mark.usefixtures("compiled_methods")

LONGEST_TURN = 0.08  # [rad]
CLASSIC = "transpose-classic"


def classic_trace(model: Model, goal, start, **options):
    return model.trace(goal, solver=CLASSIC, start=start, restarts=0, **options)


def fork() -> Model:
    """A trunk that carries two arms in space."""
    builder = ModelBuilder("fork").revolute("turn", axis="z").revolute("lean", parent="turn", axis="y")
    for side, y in (("left", 0.2), ("right", -0.2)):
        parent, place = "lean", (0.0, y, 1.0)
        for k, axis in enumerate("zyy"):
            builder = builder.revolute(f"{side}{k}", parent=parent, axis=axis, origin=place)
            parent, place = f"{side}{k}", (0.5 if k else 0.0, 0.0, 0.0)
        builder = builder.frame(f"{side}_tip", link=parent, pose=pose(0.5))
    return builder.build(end_effector="left_tip")


@pytest.mark.parametrize("seed", range(4))
def test_a_step_is_three_tenths_of_the_best_with_every_angle_bounded(seed):
    model = hinge_arm(4)
    rng = np.random.default_rng(seed)
    q = rng.uniform(0.3, 0.9, model.nq) * rng.choice([-1.0, 1.0], model.nq)
    target = model.pose(q)[:3, 3] + rng.normal(scale=10.0 ** rng.uniform(-3, 0), size=3)
    J = model.jacobian(q)[:3]
    e = target - model.pose(q)[:3, 3]
    moved = J @ J.T @ e
    expected = 0.3 * (e @ moved) / (moved @ moved) * J.T @ e
    trace = classic_trace(model, target, q, iterations=1)
    assert_allclose(trace.q[1] - q, np.clip(expected, -LONGEST_TURN, LONGEST_TURN), atol=1e-12)


@pytest.mark.parametrize("name", ["planar", "ball", "hinges"])
def test_it_reaches_points_in_the_plane_and_in_space(name):
    model = ARMS[name]
    rng = np.random.default_rng(1)
    for _ in range(3):
        target = model.pose(model.random(rng))[:3, 3]
        solution = model.solve(target, solver=CLASSIC, start=model.random(rng), iterations=5000)
        assert solution.success
        assert np.linalg.norm(model.pose(solution.q)[:3, 3] - target) <= 1e-6


def test_it_reaches_with_two_arms_at_once():
    model = fork()
    q = np.array([0.2, 0.3, 0.4, -0.5, 0.9, -0.3, 0.6, -0.8])
    goals = [Position(frame=frame, target=model.pose(q, frame)[:3, 3]) for frame in ("left_tip", "right_tip")]
    solution = model.solve(goals, solver=CLASSIC, start=q + 0.3, iterations=5000)
    assert solution.success
    for goal in goals:
        assert np.linalg.norm(model.pose(solution.q, goal.frame)[:3, 3] - goal.target) <= 1e-6


def test_a_stretched_arm_is_bent_before_the_step():
    model = limbik.planar_arm(4, 1.0)
    solution = model.solve([2.0, 0.0], solver=CLASSIC, start=np.zeros(4), restarts=0, iterations=2000)
    assert solution.success


def test_it_jerks_where_the_goal_is_out_of_reach_and_answers_the_best_it_found():
    model = limbik.planar_arm(4, 1.0)
    start = np.array([0.8, 0.5, 0.4, 0.3])
    trace = classic_trace(model, [6.0, 0.0], start, iterations=300)
    errors = trace.error
    assert (np.diff(errors) > 1e-6).any()
    assert trace.solution.ended is Status.UNREACHABLE
    assert trace.solution.error == pytest.approx(errors.min(), abs=1e-9)
    turned = np.abs(np.diff(trace.q, axis=0)).max(axis=0)
    assert (turned <= 1.25 * LONGEST_TURN + 1e-12).all()
    far = Position(target=(6.0, 0.0, 0.0), weight=(1.0, 1.0, 0.5))
    calm = model.trace(far, solver="dls", start=start, restarts=0, iterations=300)
    assert (np.diff(calm.error) <= 1e-12).all()


def test_every_iteration_stays_within_limits():
    model = hinge_arm(4, limits=(-0.5, 0.5))
    for target in ([1.0, 2.0, 0.5], [0.2, 0.0, 0.0]):
        trace = classic_trace(model, target, model.neutral, iterations=60)
        assert all(model.is_within_limits(q) for q in trace.q)


def test_its_share_of_the_best_step_can_be_set():
    model = limbik.planar_arm(3, 1.0)
    start, target = np.array([0.5, 0.4, 0.3]), np.array([1.2, 1.9])
    quick, slow = (
        model.solve(target, solver=TransposeClassic(damping=share), start=start, restarts=0, iterations=3000)
        for share in (0.9, 0.2)
    )
    assert quick.success and slow.success
    assert quick.iterations < slow.iterations
