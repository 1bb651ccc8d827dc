"""Answers that others have published or that triangles give."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import limbik
from limbik import Model, ModelBuilder
from limbik.solvers import get
from solvers.arms import IN_SPACE, SOLVERS, pose

# --- asserted in the tests of pyfabrik 0.4: two links of 10, tolerance 0.01 ---------------------------------
# It gives the heading of the first link and the turn to the second [degrees]: how far the first link
# is from the line to the target, and by how much the elbow bends, whichever way.

pytestmark = pytest.mark.usefixtures("compiled_methods")

PYFABRIK = [  # target, heading, turn, iterations there
    ([20.0, 0.0, 0.0], 0.0, 0.0, 0),
    ([60.0, 60.0, 0.0], 43.187653094161064, 3.622882738369357, 249),
    ([0.0, 20.0, 0.0], 88.19119752090381, 3.6158044811401675, 250),
    ([0.0, 10.0, 0.0], 30.05682734132901, 119.97158632933548, 5),
]


def two_links_of_ten(is_flat: bool) -> Model:
    return limbik.planar_arm(2, 10.0) if is_flat else limbik.ball_arm([10.0, 10.0])


def degrees_between(u: np.ndarray, v: np.ndarray) -> float:
    return math.degrees(math.atan2(np.linalg.norm(np.cross(u, v)), u @ v))


@pytest.mark.parametrize("is_flat", [True, False])
@pytest.mark.parametrize("solver", SOLVERS)
def test_pyfabriks_two_links(solver, is_flat):
    model = two_links_of_ten(is_flat)
    start = model.neutral
    for target, heading, turn, _ in PYFABRIK:
        solution = model.solve(target, solver=solver, tolerance=0.01, start=start)
        start = solution.q
        elbow, tip = model.pose(start, "link2")[:3, 3], model.pose(start)[:3, 3]
        aside = degrees_between(elbow, np.array(target))
        bend = degrees_between(elbow, tip - elbow)
        assert solution.success == (target[0] != 60.0)
        if turn < 10.0:  # stretched, as far as the tolerance asks for
            assert aside <= 0.51 * turn + 0.1
            assert bend <= turn + 0.1
        else:  # an equilateral triangle
            assert aside == pytest.approx(math.degrees(math.atan2(target[1], target[0])) - heading, abs=0.2)
            assert bend == pytest.approx(turn, abs=0.2)


def test_fabrik_needs_no_more_iterations_than_pyfabrik():
    for is_flat in (True, False):
        model = two_links_of_ten(is_flat)
        start = model.neutral
        for target, _, _, iterations in PYFABRIK:
            solution = model.solve(target, solver="fabrik", tolerance=0.01, start=start)
            start = solution.q
            assert solution.iterations <= iterations


# --- asserted in the tests and the README of tinyik ---------------------------------------------------------

THETA = math.pi / 6.0
X, Y, Z = (3.0 + 2.0 * math.sqrt(3.0)) / 4.0, (2.0 + math.sqrt(3.0)) / 4.0, 0.5


def unit_links(axes: str) -> Model:
    builder = ModelBuilder(axes)
    for k, axis in enumerate(axes):
        builder = builder.revolute(f"joint{k}", axis=axis, origin=(1.0 if k else 0.0, 0.0, 0.0))
    return builder.frame("tip", pose=(1.0, 0.0, 0.0)).build(end_effector="tip")


@pytest.mark.parametrize("solver", IN_SPACE)
@pytest.mark.parametrize(
    ("start", "point", "expected"),
    [
        ([THETA, THETA], [2.0, 0.0, 0.0], [0.0, 0.0]),
        ([0.0, 0.0], [X, Y, -Z], [THETA, THETA]),
        ([0.0, 0.0], [X, -Y, Z], [-THETA, -THETA]),
    ],
)
def test_tinyiks_unit_links_about_z_and_y(solver, start, point, expected):
    arm = unit_links("zy")
    solution = arm.solve(point, solver=solver, start=start)
    assert_allclose(arm.pose(solution.q)[:3, 3], point, atol=1e-5)
    assert_allclose(solution.q, expected, atol=2e-3)  # on the edge of reach, angles are soft
    if point[2] != 0.0:
        assert solution.success
        assert_allclose(solution.q, expected, atol=1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
def test_tinyiks_readme(solver):
    arm = limbik.planar_arm(2, 1.0)
    assert_allclose(arm.pose([math.pi / 6.0, math.pi / 3.0])[:3, 3], [0.8660254, 1.5, 0.0], atol=1e-7)
    solution = arm.solve([math.sqrt(2.0), math.sqrt(2.0), 0.0], solver=solver, tolerance=1e-4)
    assert solution.success
    assert_allclose(np.degrees(solution.q), [45.0, 0.0], atol=1.5)


@pytest.mark.parametrize("solver", IN_SPACE)
def test_tinyiks_two_arms_keep_the_angles_that_already_answer(solver):
    lengths = {"yxx": (0.01, 1.11, 1.225), "xxx": (1.175, 1.225, 0.1)}
    for axes, angles_now in (("yxx", [0.0, -1.0, 2.5]), ("xxx", [0.0, 0.0, 0.0])):
        builder = ModelBuilder(axes)
        above = (0.0, *lengths[axes])
        for k, axis in enumerate(axes):
            builder = builder.revolute(f"joint{k}", axis=axis, origin=(0.0, 0.0, above[k]))
        arm = builder.frame("tip", pose=(0.0, 0.0, above[3])).build(end_effector="tip")
        solution = arm.solve(arm.pose(angles_now)[:3, 3], solver=solver, start=angles_now)
        assert_allclose(solution.q, angles_now, atol=1e-5)


# --- two links: the law of cosines --------------------------------------------------------------------------


def elbow_angles(a: float, b: float, x: float, y: float) -> list[tuple[float, float]]:
    """Both answers of an arm with links a and b for the point (x, y)."""
    squared = x * x + y * y
    answers = []
    for sign in (1.0, -1.0):
        elbow = sign * math.acos((squared - a * a - b * b) / (2.0 * a * b))
        shoulder = math.atan2(y, x) - math.atan2(b * math.sin(elbow), a + b * math.cos(elbow))
        answers.append((shoulder, elbow))
    return answers


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (1.0, 0.4), (0.4, 1.0), (3.0, 4.0)])
def test_two_links_have_the_angles_of_their_triangle(solver, a, b):
    arm = limbik.planar_arm(2, [a, b])
    rng = np.random.default_rng(1)
    nearest, farthest = abs(a - b), a + b
    for _ in range(20):
        distance = nearest + (farthest - nearest) * rng.uniform(0.1, 0.9)
        heading = rng.uniform(-math.pi, math.pi)
        x, y = distance * math.cos(heading), distance * math.sin(heading)
        solution = arm.solve([x, y], solver=solver, tolerance=1e-9, start=arm.random(rng))
        assert solution.success
        gaps = [
            np.abs((solution.q - answer + math.pi) % (2.0 * math.pi) - math.pi).max()
            for answer in elbow_angles(a, b, x, y)
        ]
        assert min(gaps) <= 1e-7


@pytest.mark.parametrize("solver", SOLVERS)
def test_three_four_five(solver):
    """Links 3 and 4 at a right angle reach a point 5 away."""
    arm = limbik.planar_arm(2, [3.0, 4.0], limits=[(-math.pi, math.pi), (0.0, math.pi)])
    solution = arm.solve([5.0, 0.0], solver=solver, tolerance=1e-9, start=[0.1, 0.5])
    assert_allclose(solution.q, [-math.atan2(4.0, 3.0), math.pi / 2.0], atol=1e-8)


@pytest.mark.parametrize("solver", IN_SPACE)
def test_a_slider_and_a_hinge_make_polar_coordinates(solver):
    polar = (
        ModelBuilder("polar")
        .revolute("heading", axis="z")
        .prismatic("radius", axis="x", limits=(0.1, 3.0))
        .frame("tip", pose=pose())
        .build(end_effector="tip")
    )
    solution = polar.solve([1.2, 1.6, 0.0], solver=solver, tolerance=1e-9, start=[0.5, 1.0])
    assert_allclose(solution.q, [math.atan2(1.6, 1.2), 2.0], atol=1e-8)


def test_a_robots_own_pose_is_found_again():
    """The Panda's usual ready posture, from a start beside it, is the nearest answer to its own pose."""
    panda = limbik.load("panda")
    ready = np.array([0.0, -math.pi / 4, 0.0, -3 * math.pi / 4, 0.0, math.pi / 2, math.pi / 4])
    wanted = panda.pose(ready)
    for solver in ("dls", "newton", "pinv"):
        solution = panda.solve(wanted, solver=get(solver), start=ready + 0.01)
        assert solution.success
        assert_allclose(solution.q, ready, atol=0.03)
