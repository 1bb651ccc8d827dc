"""solver="analytic": of all solutions the nearest to the start, judged as every other solver's answer."""

from __future__ import annotations

import numpy as np
import pytest

import limbik
from limbik.errors import SolverError
from limbik.solvers import Analytic


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ur5e", "puma560", "xarm6", "iiwa14", "panda", "so100"])
def test_the_answer_is_the_solution_nearest_to_the_start(name) -> None:
    model = limbik.load(name)
    for q in model.random(3, 5):
        pose = model.pose(q)
        solution = model.solve(pose, start=q, solver="analytic")
        assert solution.success
        assert solution.solver == "analytic"
        np.testing.assert_allclose(solution.q, q, atol=1e-6)
        assert model.solve(pose, solver=Analytic()).success


def test_a_point_for_two_links() -> None:
    arm = limbik.planar_arm(2, 1.0)
    solution = arm.solve([1.0, 1.0, 0.0], start=[0.0, -1.0], solver="analytic")
    assert solution.success
    np.testing.assert_allclose(solution.q[1], -0.5 * np.pi, atol=1e-9)


def test_out_of_reach_is_explained_as_for_other_solvers() -> None:
    model = limbik.load("ur5e")
    pose = np.eye(4)
    pose[:3, 3] = 3.0, 0.0, 0.0
    solution = model.solve(pose, solver="analytic")
    assert solution.status is limbik.Status.UNREACHABLE
    assert model.is_within_limits(solution.q)


def test_a_trace_has_the_start_and_the_answer() -> None:
    model = limbik.load("ur5e")
    q = model.random(1)
    trace = model.trace(model.pose(q), start=q + 0.1, solver="analytic")
    assert len(trace) == 2
    np.testing.assert_allclose(trace.q[-1], q, atol=1e-6)
    assert trace.error[0] > trace.error[-1]


@pytest.mark.parametrize(
    ("model", "goal", "options", "said"),
    [
        ("planar-4", np.eye(4), {}, "has no closed form for a Pose .* 4 joints before it, none prismatic"),
        (
            "ur5e",
            [0.3, 0.2, 0.4],
            {},
            "no closed form for a Position .* 6 joints before it, none prismatic",
        ),
        ("ur5e", limbik.Direction(axis=[0, 0, 1], target=[0, 0, 1]), {}, "cannot solve a Direction goal"),
        ("ur5e", np.eye(4), {"tool": np.diag([1.0, 1.0, 1.0, 1.0])}, "knows no `tool`"),
        ("ur5e", np.eye(4), {"locked": ["wrist_3_joint"]}, "knows no `locked`"),
    ],
)
def test_what_it_cannot_do_is_said_with_what_to_use(model, goal, options, said) -> None:
    with pytest.raises(SolverError, match=said):
        limbik.load(model).solve(goal, solver="analytic", **options)
