"""What a Solution tells of an answer, beside whether it was found."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

import limbik
from limbik import Model, Orientation, Pose, Position, Status
from limbik.request import Request
from limbik.solution import Outcome, Solution
from strategies import SEEDS

ROBOTS = ("panda", "ur5e", "puma560")


def solved(model: Model, seed: int = 0) -> Solution:
    """A solution that was solved for a pose within reach."""
    solution = model.solve(model.pose(model.random(seed)))
    assert solution.success
    return solution


# --- every way of solving -----------------------------------------------------------------------------------

PANDA, PLANAR = limbik.load("panda"), limbik.planar_arm(3, 0.5, limits=2.0)
POSE = PANDA.pose([0.3, -0.4, 0.2, -1.5, 0.1, 1.6, 0.4])
WAYS = {
    "pose": lambda **kw: PANDA.solve(POSE, **kw),
    "from a start": lambda **kw: PANDA.solve(POSE, start=PANDA.neutral, **kw),
    "goal": lambda **kw: PANDA.solve(Pose(frame="link5", target=POSE), iterations=5, **kw),
    "weights": lambda **kw: PANDA.solve(Pose(target=POSE, weights=(1, 1, 1, 1, 1, 0)), **kw),
    "position": lambda **kw: PANDA.solve(Position(target=POSE[:3, 3]), **kw),
    "orientation": lambda **kw: PANDA.solve(Orientation(target=POSE[:3, :3]), **kw),
    "another method": lambda **kw: PLANAR.solve([0.5, 0.6, 0.0], solver="ccd", **kw),
    "point in a plane": lambda **kw: PLANAR.solve([0.5, 0.6], **kw),
    "point in space": lambda **kw: PLANAR.solve(np.array([0.5, 0.6, 0.0]), **kw),
    "locked": lambda **kw: PANDA.solve(POSE, start=[0, 0, 0.2, -1, 0, 1, 0], locked=["panda_joint3"], **kw),
    "tool": lambda **kw: PANDA.solve(POSE, tool=np.diag([1.0, -1.0, -1.0, 1.0]), **kw),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_solution_remembers_what_was_asked_so_that_it_can_be_asked_again(way: str) -> None:
    first = WAYS[way]()
    request = first.request
    again = request.model.solve(request.goals[0], start=first.start, **request.options)
    assert_array_equal(first.q, again.q)
    assert (first.ended, first.solver) == (again.ended, again.solver) == (again.ended, request.solver)


@pytest.mark.parametrize("way", WAYS)
def test_a_solution_can_be_copied_and_pickled(way: str) -> None:
    first = WAYS[way]()
    for other in (pickle.loads(pickle.dumps(first)), copy.copy(first), copy.deepcopy(first)):
        assert_array_equal(first.q, other.q)
        assert repr(first) == repr(other)
        assert_array_equal(first.limit_margins, other.limit_margins)
        assert first.manipulability == other.manipulability
        assert first.goal_errors == other.goal_errors
        assert (first.start is None) == (other.start is None)
        assert other.request.goals[0].frame == first.request.goals[0].frame


@pytest.mark.parametrize("way", ["pose", "from a start", "position"])
def test_a_target_that_is_changed_afterwards_does_not_change_the_request(way: str) -> None:
    target = POSE.copy()
    goal = target if way != "position" else target[:3, 3]
    solution = PANDA.solve(goal, start=PANDA.neutral if way == "from a start" else None)
    before = solution.request.goals[0].target.copy()
    target[:] = np.nan
    assert_array_equal(solution.request.goals[0].target, before)


def test_making_a_solution_computes_nothing() -> None:
    class Silent:
        def request(self, target: object, /) -> Request:
            raise AssertionError("nobody has asked")

    solution = Solution(np.zeros(2), Outcome(0.0, 0.0, 0.0, 1.0, 0.0, 0.0), 0.0, Silent(), None, None)
    assert solution.success
    assert solution.status is solution.ended is Status.SOLVED
    assert (solution.error, solution.iterations, solution.start) == (0.0, 1, None)


# --- what is derived ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("robot", ROBOTS)
def test_margins_are_those_of_the_joints(robot: str) -> None:
    model = limbik.load(robot)
    solution = solved(model)
    expected = np.minimum(solution.q - model.lower, model.upper - solution.q)
    assert_allclose(solution.limit_margins, expected)
    assert solution.limit_margins.min() >= 0.0


@given(st.floats(0.1, 3.0), st.floats(0.1, 3.0), st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
def test_two_links_have_the_manipulability_of_the_textbook(a: float, b: float, q1: float, q2: float) -> None:
    """Yoshikawa (1985): a b |sin(q2)|."""
    arm = limbik.planar_arm(2, [a, b])
    solution = arm.solve(arm.pose([q1, q2])[:3, 3])
    if solution.success:
        assert solution.manipulability == pytest.approx(a * b * abs(math.sin(solution.q[1])), abs=1e-12)


@pytest.mark.parametrize("robot", ROBOTS)
def test_manipulability_is_the_root_of_the_determinant(robot: str) -> None:
    model = limbik.load(robot)
    solution = solved(model)
    J = model.jacobian(solution.q)
    assert solution.manipulability == pytest.approx(math.sqrt(np.linalg.det(J @ J.T)))
    lengths = np.diag([2.0 / model.reach()] * 3 + [1.0] * 3)
    assert solution.condition_number == pytest.approx(np.linalg.cond(lengths @ J))


def test_only_the_rows_that_were_asked_for_count() -> None:
    target = PANDA.pose(PANDA.random(3))
    at_point = PANDA.solve(Position(target=target[:3, 3]))
    J = PANDA.jacobian(at_point.q)[:3]
    assert at_point.manipulability == pytest.approx(math.sqrt(np.linalg.det(J @ J.T)))
    turned = PANDA.solve(Orientation(target=target[:3, :3]))
    J = PANDA.jacobian(turned.q)[3:]
    assert turned.manipulability == pytest.approx(math.sqrt(np.linalg.det(J @ J.T)))


def test_the_tool_is_what_moves() -> None:
    tool = np.eye(4)
    tool[:3, 3] = 0.1, 0.2, 0.3
    solution = PANDA.solve(POSE @ tool, tool=tool)
    assert solution.success
    step = 1e-6
    columns = []
    for k in range(7):
        q = solution.q.copy()
        q[k] += step
        moved, before = PANDA.pose(q) @ tool, PANDA.pose(solution.q) @ tool
        turn = Rotation.from_matrix(moved[:3, :3] @ before[:3, :3].T).as_rotvec()
        columns.append(np.concatenate([moved[:3, 3] - before[:3, 3], turn]) / step)
    J = np.array(columns).T
    assert solution.manipulability == pytest.approx(math.sqrt(np.linalg.det(J @ J.T)), rel=1e-4)


def test_a_stretched_arm_is_singular() -> None:
    arm = limbik.planar_arm(2, 1.0)
    solution = arm.solve([2.0, 0.0, 0.0])
    assert solution.manipulability == pytest.approx(0.0, abs=2e-3)
    assert solution.condition_number > 500.0


@settings(max_examples=20)
@given(st.sampled_from(ROBOTS), SEEDS)
def test_errors_are_those_of_the_pose(robot: str, seed: int) -> None:
    model = limbik.load(robot)
    target = model.pose(model.random(seed))
    target[:3, 3] *= 1.0 + 0.2 * (seed % 2)
    solution = model.solve(target, iterations=60)
    (error,) = solution.goal_errors
    assert error.position == solution.error
    assert error.rotation == solution.error_rotation
    assert error.position == pytest.approx(
        np.linalg.norm(model.pose(solution.q)[:3, 3] - target[:3, 3]), abs=1e-12
    )


def test_showing_a_solution_looks_for_no_reason() -> None:
    solution = limbik.planar_arm(2, 1.0, limits=0.2).solve([-1.0, 0.0, 0.0])
    assert "Status.LIKELY_UNREACHABLE" in repr(solution)
    assert solution.status is Status.LIMITS_BIND
    assert "Status.LIMITS_BIND" in repr(solution)


@pytest.mark.parametrize(
    ("model", "goal", "options", "words"),
    [
        ("panda", [0.3, 0.2, 0.5], {}, "fast core"),
        ("panda", [0.3, 0.2, 0.5], {"solver": "ccd"}, "requested"),
        ("planar-3", [1.0, 1.0, 0.0], {}, "fast core"),
        ("panda", limbik.Position(target=[0.3, 0.2, 0.5], tolerance=0.1), {}, "a tolerance"),
        (
            "panda",
            [limbik.Position(target=[0.3, 0.2, 0.5]), limbik.Posture(q=[0.0] * 7)],
            {},
            "only this method knows priorities",
        ),
        (
            "panda",
            [limbik.Position(target=[0.3, 0.2, 0.5]), limbik.Posture(q=[0.0] * 7, priority=0)],
            {},
            "quickest: here in the general core, for several goals",
        ),
        (
            "panda",
            limbik.Direction(axis=[0, 0, 1], target=[0, 0, 1]),
            {},
            "quickest: here in the general core, for a Direction",
        ),
    ],
)
def test_the_solution_says_why_it_was_this_solver(model, goal, options, words):
    solution = limbik.load(model).solve(goal, **options)
    assert solution.solver_reason.startswith("because ")
    assert words in solution.solver_reason
