"""The classical methods on any tree, for any number of goals."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from numpy.testing import assert_allclose, assert_array_equal

import limbik
from limbik import Model, ModelBuilder, Solution, Status
from limbik.compiler import native
from limbik.compiler.kernel import Kernel, compiled
from limbik.errors import ConfigurationError, GoalError, SolverError
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
from limbik.numerics import davenport
from limbik.solvers import CCD, DLS, Transpose
from limbik.solvers.classical_plan import ClassicalPlan
from limbik.solvers.methods import ccd
from limbik.solvers.methods import fabrik as reaching
from limbik.solvers.methods import fabrik_targets as wishes
from limbik.solvers.plan import Observer, Problem
from limbik.solvers.plans import general_plan_for
from limbik.tree.workspace import SCRATCH_SIZE
from solvers.arms import hinge_arm, pose
from solvers.test_general import BODY
from strategies import SEEDS
from trees import GOALS, assert_honest, goal_at, several_goals, trees

METHODS = ("jt", "pinv", "dls", "sdls", "newton")
ALL = (*METHODS, "transpose-classic")
HANDS = ("left_arm", "right_arm")

pytestmark = pytest.mark.usefixtures("compiled_methods")


def solve(model: Model, goals: Goal | list[Goal], solver="dls", *, seed: int = 0, **options) -> Solution:
    """An honest answer, by the loop for trees, also of what others could solve."""
    goals = goals if isinstance(goals, list) else [goals]
    start = options.pop("start", None)
    plan = general_plan_for(model, goals, {"solver": solver, **options})
    assert isinstance(plan, ClassicalPlan)
    begin = None if start is None else np.array(start, dtype=float)
    solution = plan.solve(Problem(tuple(goals), begin, seed))
    tolerances = {name: options[name] for name in ("tolerance", "tolerance_rotation") if name in options}
    assert_honest(model, goals, solution, limits=options.get("limits", True), **tolerances)
    return solution


def two_armed(limits: tuple[float, float] | None = None) -> Model:
    """An arm in the plane that parts in two after its second link; every link is 1 m long."""
    builder = ModelBuilder("fork").revolute("trunk0", axis="z", limits=limits)
    builder = builder.revolute("trunk1", parent="trunk0", axis="z", origin=(1, 0, 0), limits=limits)
    for side in ("left", "right"):
        parent = "trunk1"
        for k in range(3):
            name = f"{side}{k}"
            builder = builder.revolute(name, parent=parent, axis="z", origin=(1.0, 0.0, 0.0), limits=limits)
            parent = name
        builder = builder.frame(f"{side}_tip", link=parent, pose=pose(1.0))
    return builder.build(end_effector="left_tip")


def hands_at(q: np.ndarray, kind=Pose) -> list[Goal]:
    """Both hands of the body as they are at q."""
    poses = {hand: BODY.pose(q, hand) for hand in HANDS}
    if kind is Position:
        return [Position(frame=hand, target=at[:3, 3]) for hand, at in poses.items()]
    return [Pose(frame=hand, target=at) for hand, at in poses.items()]


def largest_error(solution: Solution) -> float:
    """Of position [m] and rotation [rad] together."""
    return math.hypot(solution.error, solution.error_rotation)


FORK = two_armed()


# ----------------------------------------------------------------------------------------------------- truth


@pytest.mark.parametrize("kind", GOALS)
@settings(max_examples=8)
@given(trees(), SEEDS)
def test_an_answer_for_one_goal_is_true(kind, model, seed):
    goal = goal_at(kind, model, model.random(seed), seed, priority=0)
    assume(goal is not None and model.nv > 0)
    start = model.random(seed + 1) if seed % 2 else None
    solve(model, goal, ALL[seed % len(ALL)], start=start, iterations=200)


@pytest.mark.slow
@settings(max_examples=25)
@given(trees(), SEEDS)
def test_an_answer_for_several_goals_is_true(model, seed):
    goals = several_goals(model, seed, most=4)
    assume(goals and model.nv > 0)
    solve(model, goals, ALL[seed % len(ALL)], start=model.random(seed + 1), iterations=200)


@pytest.mark.slow
@settings(max_examples=25)
@given(trees(), SEEDS)
def test_an_answer_is_never_worse_than_the_start(model, seed):
    goal = goal_at(Position, model, model.random(seed), seed)
    assume(goal is not None and model.nv > 0)
    start = model.random(seed + 1)
    before = float(np.linalg.norm(model.pose(start, goal.frame)[:3, 3] - goal.target))
    for solver in ALL:
        solution = solve(model, goal, solver, start=start, iterations=6, restarts=seed % 2)
        assert solution.error <= before + 1e-12


@pytest.mark.parametrize("solver", METHODS)
def test_each_method_brings_two_hands_where_they_were_from_near_by(solver):
    rng = np.random.default_rng(0)
    solved = 0
    for seed in range(10):
        q = BODY.random(seed)
        start = BODY.clip(BODY.integrate(q, rng.uniform(-0.1, 0.1, BODY.nv)))
        solution = solve(BODY, hands_at(q), solver, start=start, restarts=0, iterations=2000)
        solved += solution.success
    assert solved >= 9


@pytest.mark.parametrize("solver", METHODS)
def test_a_step_is_the_one_of_the_paper(solver):
    """By the model's own Jacobians, stacked and counted as the plan counts them."""
    rng = np.random.default_rng(3)
    q = BODY.clip(BODY.integrate(BODY.neutral, rng.uniform(-0.4, 0.4, BODY.nv)))
    targets = [BODY.pose(q, hand)[:3, 3] + rng.normal(scale=0.01, size=3) for hand in HANDS]
    goals = [Position(frame=hand, target=at) for hand, at in zip(HANDS, targets, strict=True)]
    plan = general_plan_for(BODY, goals, {"solver": solver, "iterations": 1, "restarts": 0})
    observer = Observer()
    plan.solve(Problem(tuple(goals), q), observer)
    step = BODY.difference(q, observer.descents[0][0][1])

    length = plan.length
    units = np.where(np.arange(BODY.nv) < 3, length, 1.0)  # the trunk's travel counts in lengths
    units[BODY.v_slice("jaw")] = 0.0
    units[BODY.v_slice("neck")] = 0.0
    legs = [name for name in BODY.joint_names if "leg" in name]
    for name in legs:
        units[BODY.v_slice(name)] = 0.0
    J = np.vstack([BODY.jacobian(q, hand)[:3] for hand in HANDS]) / length
    J[:, :3] = np.vstack([np.eye(3)] * 2) / length  # along the world's axes
    J = J * units
    r = (
        np.concatenate([at - BODY.pose(q, hand)[:3, 3] for hand, at in zip(HANDS, targets, strict=True)])
        / length
    )
    dq = FORMULAS[solver](J, r)
    expected = BODY.difference(q, advanced(BODY, q, units * dq))
    assert_allclose(step, expected, atol=1e-9)


def advanced(model: Model, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
    """q after a velocity whose travel is along the world's axes."""
    turned = dq.copy()
    turned[:3] = model.pose(q, "trunk")[:3, :3].T @ dq[:3]
    moved = model.integrate(q, turned)
    moved[:3] = q[:3] + dq[:3]
    return moved


def selectively_damped(J: np.ndarray, r: np.ndarray) -> np.ndarray:
    U, sigma, Vt = np.linalg.svd(J, full_matrices=False)
    total = np.zeros(J.shape[1])
    for u, s, v in zip(U.T, sigma, Vt, strict=True):
        moved = (np.abs(v) * np.linalg.norm(J, axis=0)).sum() / s
        total += bounded((u @ r) / s * v, math.pi / 4 * min(1.0, 1.0 / moved))
    return bounded(total, math.pi / 4)


def bounded(v: np.ndarray, bound: float) -> np.ndarray:
    return v * min(1.0, bound / np.abs(v).max())


FORMULAS = {
    "jt": lambda J, r: (r @ J @ J.T @ r) / (J @ J.T @ r @ J @ J.T @ r) * J.T @ r,
    "pinv": lambda J, r: np.linalg.pinv(J) @ r,
    "dls": lambda J, r: J.T @ np.linalg.solve(J @ J.T + 0.03**2 * np.eye(len(r)), r),
    "sdls": selectively_damped,
    "newton": lambda J, r: np.linalg.pinv(J) @ r,
}


# ----------------------------------------------------------------------------------------- what may be asked


def test_a_goal_that_is_met_already_costs_no_iteration():
    q = BODY.random(1)
    for solver in ALL:
        solution = solve(BODY, hands_at(q), solver, start=q)
        assert solution.success
        assert solution.iterations == 0
        assert_array_equal(solution.q, q)


@pytest.mark.parametrize("solver", METHODS)
def test_a_tip_out_of_reach_leaves_the_other_one_at_its_goal_or_near(solver):
    """Least squares share the error: the far goal draws on the trunk, within the reach of the other arm."""
    far, near = np.array([9.0, 0.0, 0.0]), np.array([2.0, 1.0, 0.0])
    goals = [Position(frame="left_tip", target=far), Position(frame="right_tip", target=near)]
    solution = solve(FORK, goals, solver, start=FORK.random(0), iterations=3000)
    assert solution.ended is Status.UNREACHABLE
    reached = FORK.pose(solution.q, "left_tip")[:3, 3]
    assert np.linalg.norm(reached - far) == pytest.approx(4.0, abs=2e-2)
    assert np.linalg.norm(FORK.pose(solution.q, "right_tip")[:3, 3] - near) < 2e-2


@pytest.mark.parametrize("solver", ALL)
def test_straight_arms_leave_the_axis_of_their_goals(solver):
    goals = [
        Position(frame=f"{side}_tip", target=(2.0, y, 0.0)) for side, y in (("left", 0.0), ("right", 0.0))
    ]
    solution = solve(FORK, goals, solver, start=np.zeros(FORK.nq), restarts=0, iterations=3000)
    assert solution.success
    straight = hinge_arm(5)
    goal = Position(target=(3.0, 0.0, 0.0), weight=(1.0, 1.0, 0.9))
    assert solve(straight, goal, solver, start=straight.neutral, restarts=0, iterations=3000).success


def test_points_of_two_numbers_are_for_trees_in_a_plane():
    q = FORK.random(4)
    targets = {f"{side}_tip": FORK.pose(q, f"{side}_tip")[:2, 3] for side in ("left", "right")}
    goals = [Position(frame=frame, target=at) for frame, at in targets.items()]
    for solver in ("dls", "lm"):
        solution = FORK.solve(goals, solver=solver, start=FORK.random(5))
        assert solution.success
        for frame, at in targets.items():
            assert_allclose(FORK.pose(solution.q, frame)[:2, 3], at, atol=2e-6)
    with pytest.raises(GoalError, match=r"2 numbers.*horizontal plane"):
        BODY.solve([Position(frame=hand, target=(0.1, 0.2)) for hand in HANDS], solver="dls")


@pytest.mark.parametrize("solver", METHODS)
def test_locked_joints_stay_and_the_others_do_the_work(solver):
    q = BODY.random(3)
    locked = ("trunk", "left_arm0", "neck")
    goals = hands_at(q, Position)
    near = BODY.clip(BODY.integrate(q, 0.2 * np.ones(BODY.nv)))
    start = near.copy()
    for name in locked:
        start[BODY.q_slice(name)] = q[BODY.q_slice(name)]
    solution = BODY.solve(goals, solver=solver, start=start, locked=locked, iterations=3000)
    assert solution.success
    for name in locked:
        assert_allclose(solution.q[BODY.q_slice(name)], start[BODY.q_slice(name)], atol=1e-12)
    panda = limbik.load("panda")
    target = panda.pose(panda.random(1))[:3, 3]
    start = panda.random(2)
    name = panda.joint_names[0]
    answer = panda.solve(target, solver=solver, start=start, locked=name, iterations=300)
    assert answer.q[0] == start[0]
    assert answer.solver == solver


def test_joints_that_no_goal_asks_of_keep_still():
    start = BODY.random(7)
    goal = Position(frame="left_arm", target=BODY.pose(BODY.random(8), "left_arm")[:3, 3], weight=2.0)
    solution = BODY.solve([goal], solver="dls", start=start)
    assert solution.success
    for name in BODY.joint_names:
        if "leg" in name or "right" in name or name == "neck":
            assert_allclose(solution.q[BODY.q_slice(name)], start[BODY.q_slice(name)], atol=1e-12)


def test_followers_move_with_their_leader():
    q = BODY.random(2)
    goals = [Position(frame=pad, target=BODY.pose(q, pad)[:3, 3]) for pad in ("one_pad", "other_pad")]
    start = BODY.clip(BODY.integrate(q, 0.05 * np.ones(BODY.nv)))
    for solver in METHODS:
        assert solve(BODY, goals, solver, start=start, iterations=3000).success


def test_a_tool_is_held_in_the_end_effector():
    q = BODY.random(5)
    tool = pose(0.0, 0.1, -0.2)
    goals = [Position(frame="left_arm", target=(BODY.pose(q, "left_arm") @ tool)[:3, 3]), hands_at(q)[1]]
    solution = BODY.solve(goals, solver="dls", start=q, tool=tool)
    assert solution.success
    assert solution.iterations == 0


def test_every_goal_may_be_asked_of_every_jacobian_method():
    q = BODY.random(6)
    start = BODY.clip(BODY.integrate(q, 0.03 * np.ones(BODY.nv)))
    eyes = BODY.pose(q, "eyes")
    goals = [
        *hands_at(q),
        Relative(
            frame="left_leg", reference="right_leg",
            target=np.linalg.solve(BODY.pose(q, "right_leg"), BODY.pose(q, "left_leg")),
        ),
        LookAt(frame="eyes", axis=(1.0, 0.0, 0.0), target=eyes[:3, 3] + 0.8 * eyes[:3, 0]),
        Direction(frame="trunk", axis=(0.0, 0.0, 1.0), target=BODY.pose(q, "trunk")[:3, 2]),
        Orientation(frame="neck", target=BODY.pose(q, "neck")),
        CenterOfMass(target=BODY.center_of_mass(q)),
        JointValue(joint="jaw", value=float(q[BODY.q_slice("jaw")][0])),
        Posture(q=q, priority=0),
    ]  # fmt: skip
    for solver in METHODS:
        solution = solve(BODY, goals, solver, start=start, restarts=0, iterations=3000)
        assert solution.error < 1e-4 and solution.error_rotation < 1e-3
    assert solve(BODY, goals, "dls", start=start, restarts=0).success


def test_limits_are_kept_or_not_as_asked():
    narrow = two_armed((-0.2, 0.2))
    points = {"left_tip": (1.0, 1.0, 0.0), "right_tip": (1.0, -1.0, 0.0)}
    goals = [Position(frame=frame, target=at) for frame, at in points.items()]
    for solver in ALL:
        kept = solve(narrow, goals, solver, iterations=200)
        assert not kept.success
        assert narrow.is_within_limits(kept.q)
    free = solve(narrow, goals, "dls", limits=False)
    assert free.success
    assert not narrow.is_within_limits(free.q)


# ------------------------------------------------------------------------ restarts, seeds, parameters, traces


def test_restarts_find_what_one_descent_does_not():
    solved = {restarts: 0 for restarts in (0, None)}
    for seed in range(12):
        q = BODY.random(seed)
        for restarts in solved:
            solution = solve(BODY, hands_at(q), "dls", start=BODY.random(seed + 100), restarts=restarts)
            solved[restarts] += solution.success
            assert restarts is None or solution.restarts == 0
    assert solved[None] == 12
    assert solved[0] < 12


def test_same_seed_same_answer():
    goals = hands_at(BODY.random(11))
    one, other, third = (
        solve(BODY, goals, "jt", start=BODY.random(90), seed=s, iterations=600) for s in (5, 5, 6)
    )
    assert one.q.tobytes() == other.q.tobytes()
    assert one.iterations == other.iterations
    assert third.restarts == 0 or third.q.tobytes() != one.q.tobytes()


@pytest.mark.slow
def test_interpreter_and_machine_code_give_the_same_answers(monkeypatch):
    goals, start = hands_at(BODY.random(1)), BODY.random(2)
    compiled = {solver: solve(BODY, goals, solver, start=start, restarts=0, iterations=12) for solver in ALL}
    monkeypatch.setattr(native, "compiled", lambda program: None)
    for solver in ALL:
        slow = solve(BODY, goals, solver, start=start, restarts=0, iterations=12)
        assert_allclose(slow.q, compiled[solver].q, atol=1e-9)


def test_parameters_have_their_units_on_trees_too():
    """Damping in metres and a bound on the gradient step do the same to a model twice the size."""

    def grown(size: float) -> tuple[Model, list[Goal], np.ndarray]:
        model = ModelBuilder("grown")
        for k in range(4):
            model = model.revolute(f"joint{k}", axis="zy"[k % 2], origin=(size if k else 0.0, 0.0, 0.0))
        model = model.frame("tip", pose=pose(size)).build(end_effector="tip")
        q = np.array([0.3, 0.5, -0.4, 0.8])
        return model, [Position(target=model.pose(q)[:3, 3], weight=(1.0, 1.0, 0.5))], q + 0.3

    for one, double in (
        (DLS(lambda_=0.2), DLS(lambda_=0.4)),
        (Transpose(gamma=0.01), Transpose(gamma=0.0025)),
    ):
        answers = []
        for size, solver in ((1.0, one), (2.0, double)):
            model, goals, start = grown(size)
            answers.append(solve(model, goals, solver, start=start, iterations=3, restarts=0).q)
        assert_allclose(answers[0], answers[1], atol=1e-9)


def test_a_trace_holds_every_iteration_and_its_error():
    goals, start = hands_at(BODY.random(1), Position), BODY.random(2)
    trace = BODY.trace(goals, solver="jt", start=start, restarts=0, iterations=30)
    assert len(trace) == trace.iterations + 1
    assert_array_equal(trace.q[0], start)
    for q, error in zip(trace.q, trace.error, strict=True):
        apart = [np.linalg.norm(BODY.pose(q, goal.frame)[:3, 3] - goal.target) for goal in goals]
        assert error == pytest.approx(math.hypot(*apart), abs=1e-9)
    assert (np.diff(trace.error) <= 1e-12).all()
    assert_array_equal(trace.q[-1], trace.solution.q)


def test_restarts_are_marked_in_a_trace():
    goals = [
        Position(frame="left_tip", target=(9.0, 0.0, 0.0), tolerance=1e-9),
        Position(frame="right_tip", target=(9.0, 1.0, 0.0), tolerance=1e-9),
    ]  # whose tolerances keep what cannot be met from being known beforehand
    trace = FORK.trace(goals, solver="dls", start=FORK.random(0), restarts=3, iterations=2000)
    assert trace.restarted_at
    assert trace.solution.restarts >= 3


@pytest.mark.parametrize("solver", METHODS)
def test_a_rest_configuration_is_what_joints_without_need_end_near(solver):
    q = BODY.random(9)
    rest = BODY.neutral
    goals = [Position(frame="left_arm", target=BODY.pose(q, "left_arm")[:3, 3])]
    options = {"solver": solver, "start": BODY.random(10), "restarts": 0, "iterations": 3000}
    plain = BODY.solve(goals, **options)
    drawn = BODY.solve(goals, rest=rest, rest_bias=0.2, **options)
    assert plain.success and drawn.success
    assert np.linalg.norm(BODY.difference(drawn.q, rest)) < np.linalg.norm(BODY.difference(plain.q, rest))


# ------------------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"prefer": "nearest", "start": BODY.neutral}, "prefer"),
        ({"locked": ("no such joint",)}, "no joint"),
    ],
)
def test_what_a_classical_method_does_not_do_is_refused_by_name(options, words):
    with pytest.raises(SolverError, match=words):
        BODY.solve(hands_at(BODY.neutral), solver="dls", **options)


def test_priorities_are_for_lm():
    goals = [*hands_at(BODY.neutral), Posture(q=BODY.neutral)]
    with pytest.raises(SolverError, match=r"dls .*no priorities.*'lm'"):
        BODY.solve(goals, solver="dls")
    assert BODY.solve(
        [*goals[:2], Posture(q=BODY.neutral, priority=0)], solver="dls", start=BODY.neutral
    ).success


def test_goals_that_a_method_does_not_take_are_refused_with_those_that_do():
    goals = [CenterOfMass(target=(0.0, 0.0, 0.5)), *hands_at(BODY.neutral)]
    with pytest.raises(SolverError, match=r"ccd cannot solve a CenterOfMass goal; use jt, .*dls.*lm"):
        BODY.solve(goals, solver="ccd")


def test_a_start_that_is_no_configuration_is_refused():
    start = BODY.neutral.copy()
    start[0] = np.nan
    with pytest.raises(ConfigurationError, match="finite"):
        BODY.solve(hands_at(BODY.neutral), solver="dls", start=start)


# --- the loop -----------------------------------------------------------------------------------------------


def test_a_pull_toward_the_rest_pose_never_ends_farther_off_than_the_start():
    arm = limbik.planar_arm(3, 1.0)
    start = np.array([0.4, 0.9, -0.7])
    goal = Pose(target=arm.pose(start + 2e-5))
    before = np.linalg.norm(arm.pose(start)[:3, 3] - goal.target[:3, 3])
    for iterations in (1, 5, 20):
        solution = arm.solve(goal, solver="dls", start=start, rest_bias=0.3, iterations=iterations)
        assert solution.error <= before + 1e-12


def test_a_point_of_two_numbers_needs_a_weight_along_x_or_y():
    arm = limbik.planar_arm(3, 1.0)
    goal = Position(target=[1.0, 1.0], weight=[0.0, 0.0, 1.0])
    for goals in (goal, [goal, Posture(q=arm.neutral, priority=0)]):
        with pytest.raises(GoalError, match="a number other than 0 for x or y"):
            arm.solve(goals, solver="dls")


def test_what_the_kernels_keep_on_the_desk_has_room_there():
    assert max(reaching.SCRATCH_ROW_SIZE, wishes.IS_ACTIVE + 1, ccd.IDLE + 1) <= SCRATCH_SIZE
    assert davenport.VECTOR_MATRIX + 16 <= ccd.MIN


# --- methods of one's own -----------------------------------------------------------------------------------


@compiled
def to_and_fro(tree, objectives, workspace, roles, settings, q):
    """Nothing that helps."""
    for i in range(q.size):
        q[i] = -q[i]


def own(kernel: Kernel) -> CCD:
    class Own(CCD):
        @classmethod
        def kernels(cls):
            return {"improve": kernel}

    return Own()


def test_a_method_of_ones_own_stands_where_another_process_finds_it(monkeypatch):
    monkeypatch.setattr(native, "compiled", lambda program: None)
    goals = hands_at(BODY.random(1), Position)
    assert not BODY.solve(goals, solver=own(to_and_fro), iterations=30).success
    local = compiled(lambda tree, objectives, workspace, roles, settings, q: None)
    for kernel in (local, to_and_fro.bind(BEND=1.0)):
        with pytest.raises(SolverError, match="needs to stand at the top of a module"):
            BODY.solve(goals, solver=own(kernel))


def test_a_solve_with_every_joint_locked_does_not_begin_again():
    panda = limbik.load("panda")
    solution = panda.solve(panda.pose(panda.random(1)), solver="ccd", locked=panda.joint_names)
    assert not solution.success
    assert solution.restarts == 0


@pytest.mark.parametrize("solver", ["lm", "ccd", "fabrik", "dls"])
@pytest.mark.parametrize("cone", [0.0, 0.1])
def test_what_cannot_stand_elsewhere_is_not_begun_again(solver, cone):
    arm = ModelBuilder("arm").ball("a", swing=cone, twist=0.0)
    arm = arm.revolute("b", origin=(1.0, 0.0, 0.0), limits=0.0)
    model = arm.frame("tip", pose=pose(1.0)).build()
    solution = model.solve([Position(target=[0.5, 0.5, 0.0])], solver=solver, iterations=200)
    assert not solution.success
    assert (solution.restarts == 0) == (cone == 0.0)
