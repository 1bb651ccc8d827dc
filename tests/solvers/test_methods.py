"""Every method does in one iteration what its paper says, computed a second time with plain NumPy."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import limbik
from limbik import Model, Orientation, Pose
from limbik.serial.step import damping as damping_for
from limbik.solvers import get
from limbik.solvers.plans import general_plan_for
from solvers.arms import CASES, IN_SPACE, IN_THE_FAST_CORE, TURNING, arms, branching_tree, distance, hinge_arm

pytestmark = pytest.mark.usefixtures("compiled_methods")

SEEDS = range(6)
KINDS = ("planar", "ball", "hinges")


def posture(model: Model, seed: int) -> np.ndarray:
    """A bent configuration, far from singular ones."""
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1.0, 1.0], model.nv)
    return model.integrate(model.neutral, signs * rng.uniform(0.3, 0.8, model.nv))


def one_step(model: Model, goal, start: np.ndarray, solver: object, **options) -> np.ndarray:
    """The tangent vector of the first iteration [nv]."""
    trace = model.trace(
        goal, solver=solver, start=start, iterations=1, restarts=0, tolerance=1e-12, **options
    )
    assert trace.iterations == 1
    return model.difference(start, trace.q[1])


def near_goal(model: Model, start: np.ndarray, seed: int, size: float) -> tuple[np.ndarray, np.ndarray]:
    """A point `size` [m] from the end effector, and the residual r [3]."""
    direction = np.random.default_rng(seed).normal(size=3)
    r = size * direction / np.linalg.norm(direction)
    if abs(model.jacobian(start)[2]).max() == 0.0:
        r[2] = 0.0
    return model.pose(start)[:3, 3] + r, r


# --- the formulas -------------------------------------------------------------------------------------------


def transposed(J, r, damping=1.0, gamma=math.inf):
    u = J.T @ r
    v = J @ u
    return damping * min(max(r @ v / (v @ v), 0.0), gamma) * u


def damped(J, r, lam, longest, damping=1.0):
    r = r * min(1.0, longest / np.linalg.norm(r))
    return damping * J.T @ np.linalg.solve(J @ J.T + lam**2 * np.eye(len(r)), r)


def pseudo_inverse(J, r, longest, damping=1.0):
    r = r * min(1.0, longest / np.linalg.norm(r))
    return damping * np.linalg.pinv(J, rcond=1e-3) @ r


def newton(J, r, damping=1.0):
    return damping * np.linalg.lstsq(J, r, rcond=None)[0]


def selectively_damped(J, e, gamma_max=math.pi / 4.0):
    """Buss & Kim 2005, section 4, for one end effector."""

    def clamp_max_abs(w, d):
        largest = np.abs(w).max()
        return w if largest <= d else w * d / largest

    U, sigma, Vt = np.linalg.svd(J, full_matrices=False)
    rho = np.linalg.norm(J, axis=0)
    total = np.zeros(J.shape[1])
    for i in range(len(sigma)):
        if sigma[i] > 1e-10 * sigma[0]:
            alpha = U[:, i] @ e
            N = np.linalg.norm(U[:, i])
            M = (np.abs(Vt[i]) * rho).sum() / sigma[i]
            gamma = min(1.0, N / M) * gamma_max
            total += clamp_max_abs(alpha / sigma[i] * Vt[i], gamma)
    return clamp_max_abs(total, gamma_max)


def rows_of(model: Model, start: np.ndarray, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Jacobian and residual of a point, without the row that nothing moves."""
    J = model.jacobian(start)[:3]
    return (J[:2], r[:2]) if abs(J[2]).max() == 0.0 else (J, r)


def assert_same_step(model, start, goal, solver, expected):
    assert_allclose(one_step(model, goal, start, solver), expected, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_jacobian_transpose_steps_as_its_formula(kind, seed):
    model = arms(5)[kind]
    start = posture(model, seed)
    point, r = near_goal(model, start, seed, 0.1)
    J, r = rows_of(model, start, r)
    assert_same_step(model, start, point, "jt", transposed(J, r))
    assert_same_step(model, start, point, get("jt", damping=0.3), transposed(J, r, 0.3))
    assert_same_step(model, start, point, get("jt", gamma=1e-3), transposed(J, r, 1.0, 1e-3))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_damped_least_squares_steps_as_its_formula(kind, seed):
    model = arms(5)[kind]
    start = posture(model, seed)
    point, r = near_goal(model, start, seed, 0.1)
    J, r = rows_of(model, start, r)
    longest = 0.3 * model.reach()
    assert_same_step(model, start, point, "dls", damped(J, r, 0.03 * model.reach(), longest))
    assert_same_step(model, start, point, get("dls", lambda_=2.0), damped(J, r, 2.0, longest))
    assert_same_step(
        model, start, point, get("dls", lambda_=0.5, damping=0.4), damped(J, r, 0.5, longest, 0.4)
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_damped_least_squares_clamps_a_long_error(kind, seed):
    model = arms(5)[kind]
    start = posture(model, seed)
    point = model.pose(start)[:3, 3] * 20.0
    J, r = rows_of(model, start, point - model.pose(start)[:3, 3])
    expected = damped(J, r, 3.0, 0.3 * model.reach())
    assert_same_step(model, start, point, get("dls", lambda_=3.0), expected)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_pseudo_inverse_steps_as_numpys(kind, seed):
    model = arms(5)[kind]
    start = posture(model, seed)
    point, r = near_goal(model, start, seed, 0.05)
    J, r = rows_of(model, start, r)
    longest = 0.3 * model.reach()
    assert_same_step(model, start, point, "pinv", pseudo_inverse(J, r, longest))
    assert_same_step(model, start, point, get("pinv", damping=0.25), pseudo_inverse(J, r, longest, 0.25))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_newton_solves_the_linear_model_by_the_shortest_step(kind, seed):
    model = arms(5)[kind]
    start = posture(model, seed)
    point, r = near_goal(model, start, seed, 0.05)
    J, r = rows_of(model, start, r)
    assert_same_step(model, start, point, "newton", newton(J, r))
    assert_same_step(model, start, point, get("newton", damping=0.5), newton(J, r, 0.5))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("size", [0.02, 0.3, 1.5])  # one direction after the other meets its bound
@pytest.mark.parametrize("kind", KINDS)
def test_selectively_damped_least_squares_steps_as_its_paper(kind, size, seed):
    model = arms(5)[kind]
    start = posture(model, seed)
    point, r = near_goal(model, start, seed, size)
    J, r = rows_of(model, start, r)
    expected = selectively_damped(J, r)
    reached = model.pose(model.integrate(start, expected))[:3, 3]
    if np.linalg.norm(point - reached) < 0.99 * size:  # a step that gains is taken as it is
        assert_same_step(model, start, point, "sdls", expected)
    else:
        assert size > 0.3


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("is_pose", [True, False])
@pytest.mark.parametrize("solver", [name for name in TURNING if name != "lm"])  # whose step is `serial.step`
def test_poses_and_rotations_step_in_metres_and_weighted_radians(solver, is_pose, seed):
    """A radian counts as half of the length; the length of a prismatic joint's travel as a radian of a
    revolute joint's turn.
    """
    has_balls = seed % 2 == 1
    model = branching_tree() if has_balls else hinge_arm(6)
    start = posture(model, seed)
    if has_balls:
        start = model.clip(start)
    here = model.pose(start)
    turn = 0.002 * np.random.default_rng(seed).normal(size=3)
    _, r = near_goal(model, start, seed, 0.002 * model.reach())
    wanted = here.copy()
    wanted[:3, 3] += r
    wanted[:3, :3] = Rotation.from_rotvec(turn).as_matrix() @ here[:3, :3]
    goal = Pose(target=wanted) if is_pose else Orientation(target=wanted[:3, :3])
    length = general_plan_for(model, (goal,), {"solver": solver}).length
    units = np.ones(model.nv)
    if has_balls:
        units[model.v_slice("lift")] = length
    weight = 0.5 * length
    jacobian, residual = model.jacobian(start) * units, np.array([*r, *(weight * turn)])
    J = np.vstack([jacobian[:3] * is_pose, weight * jacobian[3:]])
    residual[:3] *= is_pose
    longest, lam = 0.3 * length, 0.03 * length
    expected = {
        "jt": lambda: transposed(J, residual),
        "dls": lambda: damped(J, residual, lam, longest),
        "pinv": lambda: pseudo_inverse(J, residual, longest),
        "newton": lambda: newton(J, residual),
        "sdls": lambda: selectively_damped(J, residual),
    }[solver]()
    if solver == "newton" and not is_pose:
        expected = newton(J[3:], residual[3:])
    step = one_step(model, goal, start, solver, limits=False)
    assert_allclose(step, units * expected, rtol=1e-6, atol=1e-6 if solver == "newton" else 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["planar", "ball"])
def test_lm_is_damped_by_the_squared_error(kind, seed):
    model = arms(5)[kind]
    start, unit = posture(model, seed), model.reach() ** 2
    point, r = near_goal(model, start, seed, 0.002 * model.reach())
    expected = damped(model.jacobian(start)[:3], r, math.sqrt(unit * damping_for(r @ r / unit)), math.inf)
    # A pull toward the rest configuration that is over at once: the kernel that all Jacobian methods share.
    step = one_step(model, point, start, "lm", rest_bias=1e-9)
    assert_allclose(step, expected, rtol=1e-6, atol=1e-9)


# --- CCD ----------------------------------------------------------------------------------------------------


def test_one_sweep_of_ccd_is_the_one_computed_by_hand():
    """Two unit links along x, target (0, 2).

    The last joint, at (1, 0), turns by atan2(2, -1), and the tip comes to (1 - 1/sqrt 5, 2/sqrt 5). The first
    then turns by what the tip's heading lacks to a right angle.
    """
    last = math.atan2(2.0, -1.0)
    first = math.pi / 2.0 - math.atan2(2.0 / math.sqrt(5.0), 1.0 - 1.0 / math.sqrt(5.0))
    for arm in (limbik.planar_arm(2, 1.0), limbik.planar_arm(2, 1.0, limits=3.0)):
        trace = arm.trace([0.0, 2.0, 0.0], solver="ccd", iterations=1)
        assert_allclose(trace.q[1], [first, last], atol=1e-15)


def swept(model: Model, q: np.ndarray, point: np.ndarray, damping: float = 1.0) -> np.ndarray:
    """One sweep, tip to base: each joint by the turn that points the end effector at the target."""
    names = [joint.name for joint in model.path()]
    for name in reversed(names):
        joint = model.joint(name)
        frame = model.pose(q, joint.child)
        u = frame[:3, :3].T @ (model.pose(q)[:3, 3] - frame[:3, 3])
        v = frame[:3, :3].T @ (point - frame[:3, 3])
        if joint.nv == 3:
            normal = np.cross(u, v)
            turn = normal / np.linalg.norm(normal) * math.atan2(np.linalg.norm(normal), u @ v)
        else:
            u, v = u - joint.axis * (u @ joint.axis), v - joint.axis * (v @ joint.axis)
            turn = [math.atan2(np.cross(u, v) @ joint.axis, u @ v)]
        tangent = np.zeros(model.nv)
        tangent[model.v_slice(name)] = damping * np.asarray(turn)
        q = model.integrate(q, tangent)
    return q


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("damping", [1.0, 0.4])
@pytest.mark.parametrize("kind", KINDS)
def test_ccd_turns_each_joint_toward_the_target(kind, damping, seed):
    model = arms(5)[kind]
    start = posture(model, seed)
    point = model.pose(posture(model, seed + 100))[:3, 3]
    trace = model.trace(point, solver=get("ccd", damping=damping), start=start, iterations=1, restarts=0)
    expected = swept(model, start, point, damping)
    assert_allclose(model.difference(expected, trace.q[1]), 0.0, atol=1e-9)


def test_ccd_pushes_a_slider_as_far_as_it_is_away():
    gantry = (
        limbik.ModelBuilder("gantry")
        .prismatic("x", axis="x", limits=(0.0, 2.0))
        .prismatic("y", axis="y", limits=(0.0, 1.0))
        .frame("hook", pose=(0.0, 0.0, 1.0))
        .build(end_effector="hook")
    )
    trace = gantry.trace([1.5, 0.5, 1.0], solver="ccd", iterations=1)
    assert_allclose(trace.q[1], [1.5, 0.5], atol=1e-15)
    beyond = gantry.solve([1.5, 3.0, 1.0], solver="ccd")
    assert_allclose(beyond.q, [1.5, 1.0], atol=1e-12)


def test_ccd_stops_a_joint_at_its_limit_or_takes_the_other_way_round():
    arm = limbik.planar_arm(1, 1.0, limits=(-1.0, 2.0))
    assert_allclose(arm.solve([math.cos(2.5), math.sin(2.5), 0.0], solver="ccd").q, [2.0])
    assert_allclose(arm.solve([math.cos(-1.5), math.sin(-1.5), 0.0], solver="ccd").q, [-1.0])
    wide = limbik.planar_arm(1, 1.0, limits=(-1.0, 5.0))
    wanted = 2.0 * math.pi - 1.5
    solution = wide.solve([math.cos(wanted), math.sin(wanted), 0.0], solver="ccd", start=[-0.5])
    assert_allclose(solution.q, [wanted], atol=1e-6)


# --- FABRIK -------------------------------------------------------------------------------------------------


def points_of(model: Model, q: np.ndarray) -> np.ndarray:
    """Joints and end effector [..., n + 1, 3] of an arm."""
    names = [*(joint.child for joint in model.path()), model.end_effector]
    return np.stack([model.pose(q, name)[..., :3, 3] for name in names], axis=-2)


def passes(points: np.ndarray, target: np.ndarray) -> np.ndarray:
    """One backward and one forward pass (Aristidou & Lasenby 2011, algorithm 1)."""
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    p = points.copy()
    p[-1] = target
    for i in range(len(p) - 2, -1, -1):
        weight = lengths[i] / np.linalg.norm(p[i + 1] - p[i])
        p[i] = (1.0 - weight) * p[i + 1] + weight * p[i]
    p[0] = points[0]
    for i in range(len(p) - 1):
        weight = lengths[i] / np.linalg.norm(p[i + 1] - p[i])
        p[i + 1] = (1.0 - weight) * p[i] + weight * p[i + 1]
    return p


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["planar", "ball"])
def test_fabrik_puts_its_points_where_the_passes_of_its_paper_do(kind, seed):
    model = arms(5)[kind]
    start = posture(model, seed)
    target = model.pose(posture(model, seed + 100))[:3, 3]
    trace = model.trace(target, solver="fabrik", start=start, iterations=1, restarts=0, tolerance=1e-12)
    # Later ones are mixed with those before them (`solvers.methods.anderson_acceleration`).
    assert_allclose(points_of(model, trace.q[1]), passes(points_of(model, start), target), atol=1e-12)


@pytest.mark.parametrize("limits", [None, 0.9])
@pytest.mark.parametrize("kind", ["planar", "ball"])
def test_fabrik_keeps_every_length_in_every_iteration(kind, limits):
    lengths = [1.0, 0.7, 0.3, 0.9, 0.2, 0.6]
    model = (
        limbik.planar_arm(6, lengths, limits=limits)
        if kind == "planar"
        else limbik.ball_arm(lengths, swing=limits)
    )
    rng = np.random.default_rng(0)
    for factor in (0.3, 0.8, 1.5):
        for _ in range(5):
            target = model.pose(model.random(rng))[:3, 3] * factor
            trace = model.trace(target, solver="fabrik", start=model.random(rng), iterations=200)
            points = points_of(model, trace.q)
            assert_allclose(
                np.linalg.norm(np.diff(points, axis=-2), axis=-1), [lengths] * len(trace), atol=1e-12
            )
            assert_allclose(distance(model, trace.q, target), trace.error, atol=1e-12)


@pytest.mark.parametrize("kind", ["planar", "ball"])
def test_fabrik_stretches_toward_a_target_out_of_reach_and_stops(kind):
    model = arms(5)[kind]
    target = np.array([6.0, 8.0, 0.0])
    trace = model.trace(target, solver="fabrik", start=posture(model, 1))
    assert trace.iterations <= 10
    assert trace.solution.restarts == 0
    along = np.array([0.6, 0.8, 0.0])
    assert_allclose(points_of(model, trace.q[-1]), np.arange(6)[:, None] * along, atol=1e-6)
    assert trace.solution.error == pytest.approx(5.0, abs=1e-12)


@pytest.mark.parametrize("inside", [0.0, 1e-15, 1e-12, 4e-7])
@pytest.mark.parametrize("kind", ["planar", "ball"])
def test_fabrik_meets_a_target_on_the_edge_of_reach_in_some_fifty_iterations(kind, inside):
    lengths = [1.0, 0.2, 0.3, 0.1]
    model = limbik.planar_arm(4, lengths) if kind == "planar" else limbik.ball_arm(lengths)
    for radius in (1.6 - inside, 0.4 + inside):
        target = radius * np.array([0.6, 0.8, 0.0])
        solution = model.solve(target, solver="fabrik", start=posture(model, 1))
        assert solution.success and solution.iterations <= 60


# --- what all methods keep ----------------------------------------------------------------------------------


# The fast core may go uphill on its way, and answers with the nearest that it has found.
@pytest.mark.parametrize(("kind", "solver"), [case for case in CASES if case not in IN_THE_FAST_CORE])
def test_no_iteration_makes_the_error_grow(kind, solver):
    model = arms(5)[kind]
    rng = np.random.default_rng(1)
    for k in range(10):
        target = model.pose(model.random(rng))[:3, 3] * (1.0 if k < 7 else 3.0)
        errors = model.trace(target, solver=solver, start=model.random(rng), restarts=0).error
        assert (np.diff(errors) <= 1e-9).all()


@pytest.mark.parametrize("solver", ["ccd", "jt", "pinv", "dls", "newton"])
def test_a_smaller_damping_moves_less_in_the_first_step(solver):
    model = limbik.planar_arm(5, 1.0)
    start = posture(model, 3)
    point, _ = near_goal(model, start, 3, 0.1)
    whole, half = (one_step(model, point, start, get(solver, damping=d)) for d in (1.0, 0.5))
    assert np.linalg.norm(half) < np.linalg.norm(whole)


@pytest.mark.parametrize("solver", IN_SPACE)
def test_joints_at_a_limit_do_not_hold_the_others_back(solver):
    """The first joint is pushed against its limit; the rest reach the target all the same."""
    arm = limbik.planar_arm(4, 1.0, limits=[(0.0, 0.1), (-2.0, 2.0), (-2.0, 2.0), (-2.0, 2.0)])
    solution = arm.solve([0.5, -2.0, 0.0], solver=solver, start=[0.0, -0.1, -0.1, -0.1], restarts=0)
    assert solution.success
    assert arm.is_within_limits(solution.q)
