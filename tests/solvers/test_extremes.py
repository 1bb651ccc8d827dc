"""Arms of every size, of many joints, and angles of many turns."""

import itertools
import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import limbik
from limbik import Model, ModelBuilder, Pose, Status
from limbik.compiler import native
from limbik.errors import GoalError
from limbik.serial import programs
from limbik.serial.seed_table import Shape
from limbik.solvers import get
from solvers.arms import (
    CASES,
    IN_SPACE,
    IN_THE_FAST_CORE,
    SOLVERS,
    TURNING,
    assert_true,
    distance,
    hinge_arm,
    pose,
)

pytestmark = pytest.mark.usefixtures("compiled_methods")

SCALES = (1e-6, 1e-3, 1e3, 1e6)


def scaled(kind: str, scale: float, limits: float | None = None) -> Model:
    """Six links of length `scale`."""
    if kind == "planar":
        return limbik.planar_arm(6, scale, limits=limits)
    if kind == "ball":
        return limbik.ball_arm([scale] * 6, swing=limits)
    builder = ModelBuilder("hinges")
    for k in range(7):
        origin = (0.0 if k < 2 else scale, 0.0, 0.0)
        builder = builder.revolute(f"joint{k}", axis="zy"[k % 2], origin=origin, limits=limits)
    return builder.frame("tip", pose=(scale, 0.0, 0.0)).build(end_effector="tip")


@pytest.mark.parametrize("limits", [None, 1.2])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("kind", "solver"), CASES)
def test_an_arm_of_any_size_moves_like_one_of_a_metre(kind, solver, scale, limits):
    one, other = scaled(kind, 1.0, limits), scaled(kind, scale, limits)
    rng = np.random.default_rng(0)
    for _ in range(5):
        start, point = one.random(rng), one.pose(one.random(rng))[:3, 3]
        a = one.solve(point, solver=solver, start=start, tolerance=1e-6)
        b = other.solve(scale * point, solver=solver, start=start, tolerance=scale * 1e-6)
        assert a.success
        assert b.success
        assert distance(other, b.q, scale * point) <= scale * 1.001e-6
        if a.restarts == b.restarts == 0 and a.iterations < 30:  # before rounding takes them apart
            assert a.iterations == b.iterations
            np.testing.assert_allclose(one.difference(a.q, b.q), 0.0, atol=1e-6)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("solver", TURNING)
def test_a_robot_of_any_size_takes_its_poses(solver, scale):
    one, other = hinge_arm(6), scaled("hinges", scale)
    rng = np.random.default_rng(1)
    for _ in range(3):
        q = one.random(rng)
        wanted = other.pose(q)
        start = q + 0.1
        solution = other.solve(wanted, solver=solver, start=start, tolerance=scale * 1e-6)
        assert solution.success
        assert distance(other, solution.q, wanted[:3, 3]) <= scale * 1.001e-6


@pytest.mark.parametrize("solver", IN_SPACE)
@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_a_gantry_of_any_size_reaches_its_points(solver, scale):
    gantry = ModelBuilder("gantry")
    for axis in "xyz":
        gantry = gantry.prismatic(axis, axis=axis, limits=(0.0, scale))
    model = gantry.build()
    for point in np.random.default_rng(2).uniform(0.0, scale, (5, 3)):
        solution = model.solve(point, solver=solver, tolerance=1e-6 * scale)
        assert solution.success
        np.testing.assert_allclose(solution.q, point, atol=1.001e-6 * scale)


@pytest.mark.parametrize("offset", [1e3, 1e6])
@pytest.mark.parametrize("solver", SOLVERS)
def test_an_arm_far_from_the_origin_is_as_good(solver, offset):
    builder = ModelBuilder("far").fixed("stand", origin=(offset, -offset, offset))
    for k in range(4):
        builder = builder.revolute(f"joint{k}", origin=(1.0 if k else 0.0, 0.0, 0.0))
    arm = builder.frame("tip", pose=(1.0, 0.0, 0.0)).build(end_effector="tip")
    point = np.array([offset + 1.0, -offset + 2.0, offset])
    solution = arm.solve(point, solver=solver, tolerance=1e-6)
    assert_true(arm, solution, point=point)
    assert solution.success


@pytest.mark.parametrize("links", [30, 64])
@pytest.mark.parametrize(("kind", "solver"), CASES)
def test_long_arms_reach_their_targets(kind, solver, links):
    length = 1.0 / links
    arms = {
        "planar": lambda limits: limbik.planar_arm(links, length, limits=limits),
        "ball": lambda limits: limbik.ball_arm([length] * links, swing=limits),
        "hinges": lambda limits: hinge_arm(links, None if limits is None else (-limits, limits)),
    }[kind]
    scale = 1.0 * links if kind == "hinges" else 1.0
    for limits in (None, 0.8):
        arm, rng = arms(limits), np.random.default_rng(3)
        for _ in range(5):
            point = arm.pose(arm.random(rng))[:3, 3]
            solution = arm.solve(point, solver=solver, tolerance=1e-6 * scale)
            assert_true(arm, solution, point=point, tolerance=1e-6 * scale)
            assert solution.success


@pytest.mark.parametrize("turns", [1e2, 1e4, 1e6, 1e9, 1e12, 1e16, 1e300])
@pytest.mark.parametrize("solver", SOLVERS)
def test_starts_many_turns_away_do_no_harm(solver, turns):
    builder = ModelBuilder("wheels").continuous("a").continuous("b", origin=(1.0, 0.0, 0.0))
    arm = (
        builder.continuous("c", origin=(1.0, 0.0, 0.0))
        .frame("tip", pose=(1.0, 0, 0))
        .build(end_effector="tip")
    )
    point = np.array([1.0, 1.0, 0.0])
    for start in ([turns, -0.7 * turns, 0.3 * turns], [turns, 0.1, 0.2]):
        solution = arm.solve(point, solver=solver, start=start)
        assert np.isfinite(solution.q).all()
        assert solution.success
        assert distance(arm, solution.q, point) <= 1.01e-6


@pytest.mark.parametrize("solver", IN_SPACE)
@pytest.mark.parametrize("turns", [1e4, 1e10, 1e300])
def test_starts_many_turns_away_do_no_harm_in_space(solver, turns):
    arm = (
        ModelBuilder("wheels")
        .continuous("a", axis="z")
        .continuous("b", axis="y", origin=(0.0, 0.0, 1.0))
        .continuous("c", axis="x", origin=(1.0, 0.0, 0.0))
        .frame("tip", pose=(0.0, 1.0, 0.0))
        .build(end_effector="tip")
    )
    point = arm.pose([1.0, 1.0, 1.0])[:3, 3]
    solution = arm.solve(point, solver=solver, start=[turns, -0.7 * turns, 0.3 * turns])
    assert np.isfinite(solution.q).all()
    assert not solution.success or distance(arm, solution.q, point) <= 1.01e-6
    assert solution.success


@pytest.mark.parametrize("far", [1e9, 1e20, 1e60])
@pytest.mark.parametrize(("kind", "solver"), CASES)
def test_a_target_at_the_end_of_the_world_leaves_finite_angles(kind, solver, far):
    for arm in (scaled(kind, 1.0), scaled(kind, 1.0, 1.0)):
        solution = arm.solve([far, far, 0.0], solver=solver, iterations=200)
        assert solution.status is Status.UNREACHABLE
        assert np.isfinite(solution.q).all()
        assert arm.is_within_limits(solution.q)
        assert 0.9 * far < solution.error < 2.0 * far


@pytest.mark.parametrize("far", [1e61, 1e160, 1e300])
# The fast core proves that any target is out of reach, however far away.
@pytest.mark.parametrize(("kind", "solver"), [case for case in CASES if case not in IN_THE_FAST_CORE])
def test_a_target_beyond_all_measure_is_refused(kind, solver, far):
    with pytest.raises(GoalError, match=r"up to 1e\+60 .*, found 1e\+"):
        scaled(kind, 1.0).solve([far, far, 0.0], solver=solver)


@pytest.mark.parametrize("near", [1e-300, 1e-160, 1e-20])
@pytest.mark.parametrize(("kind", "solver"), CASES)
def test_a_target_at_a_hair_from_the_base_leaves_finite_angles(kind, solver, near):
    arm = scaled(kind, 1.0)
    point = np.array([near, near, 0.0])
    solution = arm.solve(point, solver=solver)
    assert_true(arm, solution, point=point)
    assert solution.success


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_finest_tolerance_that_numbers_allow_is_met_or_not_claimed(solver):
    arm = limbik.planar_arm(5, 1.0)
    for tolerance in (1e-14, 1e-16, 1e-200, 5e-324):
        solution = arm.solve([2.0, 3.0, 0.0], solver=solver, tolerance=tolerance, iterations=500)
        assert solution.iterations <= 500
        assert solution.error <= 1e-4
        assert solution.success == (solution.error <= tolerance)


@pytest.mark.parametrize("solver", TURNING)
def test_half_a_turn_about_any_axis_is_made(solver):
    """Where the rotation vector is about to change its sign."""
    wrist = ModelBuilder("wrist").ball("ball").frame("tool", pose=(0.1, 0.0, 0.0)).build(end_effector="tool")
    chain = hinge_arm(6)
    for axis in np.vstack([np.eye(3), -np.eye(3), np.random.default_rng(4).normal(size=(4, 3))]):
        for angle in (math.pi, math.pi - 1e-9, math.pi + 1e-9):
            half = Rotation.from_rotvec(angle * axis / np.linalg.norm(axis))
            solution = wrist.solve(limbik.Orientation(target=half.as_matrix()), solver=solver)
            assert_true(wrist, solution, rotation=half.as_matrix())
            assert solution.success
        wanted = pose(0.0, 0.0, 0.0, half)
        wanted[:3, 3] = 3.0 * wanted[:3, 0]
        solution = chain.solve(Pose(target=wanted), solver=solver, iterations=1000)
        assert_true(chain, solution, point=wanted[:3, 3], rotation=wanted[:3, :3])


@pytest.mark.parametrize("solver", ["jt", "dls"])
def test_the_smallest_gains_end_too(solver):
    parameter = {"jt": {"gamma": 1e-9}, "dls": {"lambda_": 1e6}}[solver]
    solution = limbik.planar_arm(3, 1.0).solve(
        [1.0, 2.0, 0.0], solver=get(solver, **parameter), iterations=300
    )
    assert solution.iterations <= 300
    assert np.isfinite(solution.q).all()
    undamped = get("dls", lambda_=0.0)
    for arm in (limbik.planar_arm(3, 1.0), limbik.planar_arm(3, 0.0)):
        assert np.isfinite(arm.solve([2.0, 0.0, 0.0], solver=undamped).q).all()


def narrow_arm(seed: int) -> limbik.Model:
    """An arm of seven revolute joints about any axes, some of which can hardly move."""
    rng = np.random.default_rng(seed)
    builder = ModelBuilder(f"narrow {seed}")
    for k in range(7):
        axis, middle = rng.normal(size=3), rng.uniform(-1.0, 1.0)
        half = 0.5 * rng.choice((1e-3, 0.1, 1.0, 2.0, 4.0, 6.0))
        origin = rng.uniform(-0.3, 0.3, 3) * (rng.random(3) < 0.6)
        builder.revolute(f"hinge{k}", axis=axis, origin=origin, limits=(middle - half, middle + half))
    tool = np.eye(4)
    tool[:3, 3] = rng.uniform(-0.2, 0.2, 3)
    return builder.frame("tool", pose=tool).build(end_effector="tool")


@pytest.mark.slow
def test_goals_that_only_joints_at_their_limits_reach_are_found_in_the_default_budget():
    native.compile_now(programs.many_problems(Shape("RRRRRRR", 0), False))
    rng = np.random.default_rng(0)
    for seed in (1, 9, 14, 17, 40, 41):
        model = narrow_arm(seed)
        corners = np.array(list(itertools.product(*zip(model.lower, model.upper, strict=True))))
        some = np.where(rng.random(corners.shape) < 0.3, corners, model.random(rng, size=len(corners)))
        for q in (corners, some):
            solution = limbik.solve_batch(model, model.pose(q))
            assert solution.success.all(), seed
            assert ((model.lower <= solution.q) & (solution.q <= model.upper)).all()


SIX = (("z", 0.3), ("y", 0.1), ("y", 0.4), ("x", 0.1), ("y", 0.3), ("x", 0.1))  # axes, and [m] before them


def sliding(travel, where):
    """Six hinges of an arm, the slide before them or in place of the last."""
    builder = limbik.ModelBuilder("slider")
    if where == "first":
        builder.prismatic("slide", axis="x", limits=travel)
    for k, (axis, length) in enumerate(SIX if where == "first" else SIX[:5]):
        builder.revolute(f"r{k}", axis=axis, origin=(0.0, 0.0, length), limits=2.8)
    if where == "last":
        builder.prismatic("slide", axis="x", limits=travel, origin=(0.0, 0.0, 0.1))
    return builder.build()


@pytest.mark.parametrize("where", ["first", "last"])
@pytest.mark.parametrize("travel", [1e4, 1e5, 1e6, 1e8, (-1e6, 1.0), (-1.0, 1e8), None])
def test_a_slide_that_goes_as_good_as_anywhere_is_one_without_limits(travel, where):
    arm = sliding(travel, where)
    rng = np.random.default_rng(0)
    configurations = rng.uniform(-1.0, 1.0, (12, arm.nq))
    poses = arm.pose(configurations)
    assert arm.solve_batch(poses).success.all()
    for q, wanted in zip(configurations, poses, strict=True):
        for start in (None, q + 0.05):
            solution = arm.solve(wanted, start=start)
            assert_true(arm, solution, point=wanted[:3, 3], rotation=wanted[:3, :3])
            assert solution.success
        assert arm.solve(limbik.Position(target=wanted[:3, 3])).success
        rank = np.linalg.matrix_rank(arm.jacobian(q), tol=1e-6)
        assert np.abs(arm.jacobian(q) @ arm.nullspace(q)).max(initial=0.0) < 1e-9
        assert arm.nullspace(q).shape == (arm.nv, arm.nv - rank)
        assert arm.solve(wanted, start=q).derivative().shape[1] == 6


@pytest.mark.parametrize("lower", [-1e8, -1e6, -100.0, -math.inf])
@pytest.mark.parametrize("solver", ["lm", "ccd", "dls", "fabrik"])
def test_a_start_whose_turns_are_taken_off_stays_within_limits(solver, lower):
    """Without its revolutions a start may be beyond the other limit."""
    arm = limbik.ModelBuilder("arm").revolute("a", axis="z", limits=(lower, 0.8)).revolute(
        "b", axis="z", origin=(0.5, 0.0, 0.0), limits=(lower, 0.8)
    ).frame("tip", pose=(0.5, 0.0, 0.0)).build(end_effector="tip")  # fmt: skip
    for first in np.linspace(max(lower, -1e6), max(lower, -1e6) + 6.0, 7):
        for goal in ([2.0, 0.5, 0.0], [0.3, -0.4, 0.0]):
            options = {"restarts": 0} if solver == "lm" else {}
            solution = arm.solve(
                [limbik.Position(target=goal)] if solver == "lm" else goal,
                solver=solver, start=[first, first], iterations=60, **options,
            )  # fmt: skip
            assert arm.is_within_limits(solution.q)
