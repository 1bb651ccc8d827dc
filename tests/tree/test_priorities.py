"""One step toward goals of one priority below others, beside NumPy's linear algebra."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from limbik.tree.joints import END, JOINT, PRISMATIC, REVOLUTE, SPHERICAL
from limbik.tree.priorities import propose, propose_within, span
from limbik.tree.workspace import SCRATCH_SIZE, Tree, Workspace
from strategies import SEEDS

FAR = 1e9  # a longest step that shortens nothing
quick = settings(max_examples=30)


def hinges(nv, lower=-math.inf, upper=math.inf):
    """Records of revolute joints, with the same limits."""
    movers = np.zeros(nv + 1, JOINT)
    movers["kind"], movers["q"], movers["v"] = REVOLUTE, np.arange(nv + 1), np.arange(nv + 1)
    movers["lower"], movers["upper"] = lower, upper
    movers["kind"][-1] = END
    return movers.view(np.recarray)


def workspace_for(J, errors):
    """A desk with J [rows, nv] on it, and otherwise with numbers that nothing may rest on."""
    rows, nv = J.shape
    empty = {"free": nv, "dx": nv, "dq": nv, "y": rows, "rest": rows, "P": (rows, nv), "A": (rows, rows)}
    empty |= {"basis": (nv, nv), "work": (2 * rows + 2, max(rows, nv)), "scratch": (1, SCRATCH_SIZE)}
    arrays = {name: np.full(shape, math.nan) for name, shape in empty.items()}
    return Workspace(*[None] * len(Workspace._fields))._replace(
        J=J, errors=np.array([errors, errors]), **arrays
    )


def proposed(
    J,
    errors,
    damping,
    *,
    first=None,
    hessian=None,
    q=None,
    movers=None,
    units=None,
    use_limits=True,
    longest=FAR,
):
    """The step of the rows of J [rows, nv] from `first` on, and the velocities that were free.

    first: None for a level that is the only one.
    """
    nv = J.shape[1]
    q = np.zeros(nv) if q is None else q
    movers = hinges(nv) if movers is None else movers
    units = np.ones(nv) if units is None else units
    hessian = np.zeros((0, nv)) if hessian is None else hessian
    tree, workspace = Tree(links=None, movers=movers, units=units, fixed_mass=None), workspace_for(J, errors)
    if first is None:
        propose.interpreted(tree, workspace, q, damping, use_limits, longest)
    else:
        below = errors[first:]
        propose_within.interpreted(tree, workspace, q, below, first, hessian, damping, use_limits, longest)
    return workspace.dx, workspace.free


def null_space(above, nv):
    """Its orthonormal basis [nv, its dimension], from a singular value decomposition."""
    _, values, turns = np.linalg.svd(np.vstack([above, np.zeros((1, nv))]))
    return turns[int((values > 1e-8).sum()) :].T


def expected(J, errors, damping, *, first=0, free=1.0):
    """The same step by dense normal equations in the null space of the rows before `first`."""
    J = J * free
    N = null_space(J[:first], J.shape[1])
    P = J[first:] @ N
    return N @ np.linalg.solve(P.T @ P + damping * np.eye(N.shape[1]), P.T @ errors[first:])


def best_within(J, errors, first, scratch):
    """The least squared error of the rows from `first` on, by trying every set of joints at -room or room."""
    nv, least = J.shape[1], math.inf
    for at in itertools.product([-1, 0, 1], repeat=nv):
        held = scratch * np.array(at)
        moving = np.flatnonzero(np.array(at) == 0)
        start = np.linalg.lstsq(J[:first, moving], -J[:first] @ held)[0]
        dx = held.copy()
        dx[moving] = start
        N = null_space(J[:first, moving], moving.size) if moving.size else np.zeros((0, 0))
        if N.shape[1]:
            dx[moving] += N @ np.linalg.lstsq(J[first:, moving] @ N, errors[first:] - J[first:] @ dx)[0]
        if np.abs(J[:first] @ dx).max(initial=0.0) < 1e-8 and np.abs(dx).max() <= scratch + 1e-9:
            least = min(least, np.sum((errors[first:] - J[first:] @ dx) ** 2))
    return least


def problem(seed, rows, nv):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, nv)), rng.normal(size=rows), 10.0 ** rng.uniform(-4, 1)


@quick
@given(SEEDS, st.integers(1, 4), st.integers(1, 8))
def test_a_level_that_is_the_only_one_takes_the_damped_step(seed, rows, nv):
    J, errors, damping = problem(seed, rows, nv)
    for first in (None, 0):
        dx, free = proposed(J, errors, damping, first=first)
        assert_array_equal(free, 1.0)
        assert_allclose(dx, expected(J, errors, damping), rtol=0.0, atol=1e-7 * (1.0 + np.abs(dx).max()))


@quick
@given(SEEDS, st.integers(0, 6), st.integers(1, 4), st.integers(1, 8))
def test_a_lower_level_takes_the_damped_step_in_what_the_levels_above_leave(seed, first, second, nv):
    J, errors, damping = problem(seed, first + second, nv)
    dx, free = proposed(J, errors, damping, first=first)
    assert_array_equal(free, 1.0)
    assert_allclose(
        dx, expected(J, errors, damping, first=first), rtol=0.0, atol=1e-7 * (1.0 + np.abs(dx).max())
    )


@quick
@given(SEEDS, st.integers(1, 4), st.integers(1, 4))
def test_a_lower_level_does_not_disturb_those_above(seed, first, second):
    J, errors, damping = problem(seed, first + second, 6)
    dx, _ = proposed(J, errors, damping, first=first)
    assert_allclose(J[:first] @ dx, 0.0, rtol=0.0, atol=1e-9 * (1.0 + np.abs(dx).max()))
    assert np.abs(dx).max() > 1e-9


@quick
@given(SEEDS, st.integers(1, 3), st.integers(1, 3), st.booleans())
def test_a_lower_level_does_not_disturb_those_above_at_limits_either(seed, first, second, is_at_limit):
    J, errors, damping = problem(seed, first + second, 6)
    q = np.random.default_rng(seed).choice([-0.1, 0.0, 0.1], 6) * is_at_limit
    units = np.array([1.0, 0.3, 1.0, 0.0, 2.0, 1.0])
    movers = hinges(6, -0.1, 0.1)
    dx, free = proposed(J, 10.0 * errors, damping, first=first, q=q, movers=movers, units=units)
    assert_allclose(J[:first] @ dx, 0.0, rtol=0.0, atol=1e-9)
    assert np.abs(q + units * dx).max() <= 0.1 + 1e-12
    assert dx[3] == free[3] == 0.0


def test_a_step_that_nothing_stops_within_limits_is_that_without_them():
    J, errors, damping = problem(5, 5, 6)
    whole, _ = proposed(J, errors, damping, first=2, use_limits=False)
    wide = 1.01 * np.abs(whole).max()
    assert_array_equal(proposed(J, errors, damping, first=2, movers=hinges(6, -wide, wide))[0], whole)
    narrow = hinges(6, -0.5 * wide, 0.5 * wide)
    assert np.abs(proposed(J, errors, damping, first=2, movers=narrow)[0]).max() < 0.51 * wide
    assert_array_equal(proposed(J, errors, damping, first=2, movers=narrow, use_limits=False)[0], whole)


@quick
@given(SEEDS, st.integers(0, 2), st.integers(1, 3), st.integers(2, 4))
def test_steps_within_limits_come_to_the_best_there_is(seed, first, second, nv):
    J, errors, _ = problem(seed, first + second, nv)
    q, rest = np.zeros(nv), errors
    for _ in range(30):
        dx, _ = proposed(J, rest, 1e-6, first=first, q=q, movers=hinges(nv, -0.5, 0.5))
        q, rest = np.clip(q + dx, -0.5, 0.5), rest - J @ dx
    assert_allclose(J[:first] @ q, 0.0, rtol=0.0, atol=1e-6)
    assert np.sum(rest[first:] ** 2) == pytest.approx(best_within(J, errors, first, 0.5), rel=1e-4, abs=1e-6)


@pytest.mark.parametrize(("first", "second", "nv"), [(0, 2, 2), (1, 3, 4), (2, 2, 4)])
def test_one_step_comes_to_the_best_there_is_where_few_joints_are_stopped(first, second, nv):
    for seed in range(40):
        J, errors, _ = problem(seed, first + second, nv)
        dx, _ = proposed(J, errors, 1e-8, first=first, movers=hinges(nv, -0.5, 0.5))
        left = np.sum((errors[first:] - J[first:] @ dx) ** 2)
        assert left == pytest.approx(best_within(J, errors, first, 0.5), rel=1e-4, abs=1e-4)


def test_joints_leave_a_limit_where_that_gains():
    J = np.array([[1.0, -1.0, 0.0], [1.0, 0.0, 1.0]])  # the first joint only moves along with the second
    movers = hinges(3, -1.0, 1.0)
    dx, _ = proposed(J, np.array([0.0, -0.5]), 1e-9, first=1, q=np.array([1.0, 1.0, -1.0]), movers=movers)
    assert_allclose(dx, [-0.5, -0.5, 0.0], rtol=0.0, atol=1e-6)
    dx, _ = proposed(J, np.array([0.0, 0.5]), 1e-9, first=1, q=np.array([0.0, 1.0, -1.0]), movers=movers)
    assert_allclose(dx, [0.0, 0.0, 0.5], rtol=0.0, atol=1e-6)  # the second stops the first


@quick
@given(SEEDS, st.integers(0, 2), st.integers(1, 3))
def test_rows_of_a_hessian_narrow_the_null_space(seed, first, curved):
    J, errors, damping = problem(seed, first + 3, 7)
    hessian = np.random.default_rng(seed + 1).normal(size=(curved, 7))
    wide = np.hstack([hessian, np.full((curved, 2), math.nan)])  # a row may be longer than the step
    dx, _ = proposed(J, errors, damping, first=first, hessian=wide)
    narrowed, errors = np.vstack([hessian, J]), np.hstack([np.zeros(curved), errors])
    assert_allclose(hessian @ dx, 0.0, rtol=0.0, atol=1e-9 * (1.0 + np.abs(dx).max()))
    assert_allclose(
        dx,
        expected(narrowed, errors, damping, first=curved + first),
        rtol=0.0,
        atol=1e-7 * (1.0 + np.abs(dx).max()),
    )


def test_directions_that_hardly_curve_stay_open():
    hessian = np.diag([5.0, 1e-3, 1.0])
    dx, _ = proposed(np.eye(3), np.ones(3), 1e-9, first=0, hessian=hessian)
    assert_allclose(dx, [0.0, 1.0, 0.0], rtol=0.0, atol=1e-6)


def test_a_level_without_room_adds_nothing():
    J, errors, damping = problem(0, 6, 4)  # the rows above take all four directions
    dx, _ = proposed(J, errors, damping, first=4)
    assert_allclose(dx, 0.0, rtol=0.0, atol=1e-9)
    dx, _ = proposed(J, errors, damping, first=2, hessian=np.eye(4))
    assert_allclose(dx, 0.0, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("noise", [0.0, 1e-16, 1e-13])
def test_dependent_rows_span_nothing_new(noise):
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=(2, 5))
    rows = np.array([one, other, one + other, -2.0 * one, np.zeros(5)]) + noise * rng.normal(size=(5, 5))
    basis = np.zeros((5, 5))
    assert span.interpreted(rows[:4], np.ones(5), 0.0, basis, 0) == 2
    assert_allclose(basis[:2] @ basis[:2].T, np.eye(2), rtol=0.0, atol=1e-14)
    assert span.interpreted(rows[2:4], np.ones(5), 0.0, basis, 2) == 2
    assert span.interpreted(np.zeros((3, 5)), np.ones(5), 0.0, basis, 2) == 2


def test_rows_span_what_they_do_on_the_free_joints():
    rows, free = np.random.default_rng(2).normal(size=(3, 5)), np.array([1.0, 0.0, 1.0, 0.0, 1.0])
    rows[2] = rows[0] + 2.0 * rows[1] + 9.0 * (1.0 - free)  # differs where nothing moves
    basis = np.zeros((5, 5))
    assert span.interpreted(rows, free, 0.0, basis, 0) == 2
    assert_allclose((basis[:2] * free) @ basis[:2].T, np.eye(2), rtol=0.0, atol=1e-14)
    assert_allclose((basis[:2] * free) @ null_space(rows * free, 5), 0.0, rtol=0.0, atol=1e-12)


def test_repeated_rows_leave_the_null_space_to_the_lower_level():
    J = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.3, 0.4, 0.5]])
    dx, _ = proposed(J, np.array([1.0, 1.0, 2.0, 7.0]), 1e-12, first=3)
    assert_allclose(J @ dx, [0.0, 0.0, 0.0, 7.0], rtol=0.0, atol=1e-5)


@pytest.mark.parametrize("first", [None, 0, 2])
def test_rows_of_zeros_move_nothing(first):
    dx, _ = proposed(np.zeros((3, 4)), np.ones(3), 1e-12, first=first)
    assert_array_equal(dx, 0.0)


@pytest.mark.parametrize("first", [None, 0, 2])
def test_the_step_is_shortened_as_a_whole(first):
    J, errors, damping = problem(3, 4, 6)
    whole, _ = proposed(J, 100.0 * errors, 1e-6 * damping, first=first)
    short, _ = proposed(J, 100.0 * errors, 1e-6 * damping, first=first, longest=0.5)
    assert np.abs(short).max() == pytest.approx(0.5)
    assert_allclose(short / 0.5, whole / np.abs(whole).max(), rtol=0.0, atol=1e-9)


def test_slides_are_not_shortened():
    movers = hinges(4)
    movers["kind"][1] = PRISMATIC
    dx, _ = proposed(np.eye(4), np.array([4.0, 8.0, -2.0, 1.0]), 1e-12, movers=movers, longest=0.5)
    assert_allclose(dx, [0.5, 8.0, -0.25, 0.125], rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("first", [None, 0, 1])
def test_a_step_that_is_not_finite_is_none(first):
    J, errors, damping = problem(6, 3, 4)
    dx, _ = proposed(J, np.array([0.0, math.nan, math.inf]) + errors, damping, first=first)
    assert_array_equal(dx, 0.0)


@pytest.mark.parametrize("first", [None, 0, 2])
def test_locked_joints_do_not_move(first):
    J, errors, damping = problem(4, 4, 6)
    units = np.array([1.0, 0.0, 0.3, 1.0, 0.0, 2.0])
    dx, free = proposed(J, errors, damping, first=first, units=units)
    assert_array_equal(free, units > 0.0)
    assert_array_equal(dx[units == 0.0], 0.0)
    assert_allclose(dx, expected(J, errors, damping, first=first or 0, free=units > 0.0), rtol=0.0, atol=1e-8)


@quick
@given(SEEDS)
def test_joints_at_a_limit_move_only_inward(seed):
    J, errors, damping = problem(seed, 3, 6)
    q = np.random.default_rng(seed).choice([-1.0, 0.0, 1.0], 6)
    dx, free = proposed(J, errors, damping, q=q, movers=hinges(6, -1.0, 1.0))
    slope = J.T @ errors
    assert_array_equal(free, ~(((q == 1.0) & (slope > 0.0)) | ((q == -1.0) & (slope < 0.0))))
    assert_array_equal(dx[free == 0.0], 0.0)
    assert_allclose(
        dx, expected(J, errors, damping, free=free), rtol=0.0, atol=1e-8 * (1.0 + np.abs(dx).max())
    )
    _, all_free = proposed(J, errors, damping, q=q, movers=hinges(6, -1.0, 1.0), use_limits=False)
    assert_array_equal(all_free, 1.0)


@quick
@given(SEEDS, st.integers(0, 2))
def test_a_lower_level_moves_joints_at_a_limit_only_inward(seed, first):
    J, errors, damping = problem(seed, first + 3, 6)
    q = np.random.default_rng(seed).choice([-1.0, 0.0, 1.0], 6)
    dx, _ = proposed(J, errors, damping, first=first, q=q, movers=hinges(6, -1.0, 1.0))
    assert (q * dx).max() <= 1e-12


@pytest.mark.parametrize("first", [None, 0])
def test_a_ball_without_limits_is_never_held(first):
    movers = hinges(3)
    movers["kind"][:-1], movers["cone"] = SPHERICAL, math.pi
    movers = movers[[0, 3]].view(np.recarray)
    dx, free = proposed(np.eye(3), np.ones(3), 0.1, first=first, movers=movers)
    assert_array_equal(free, 1.0)
    assert_allclose(dx, 1.0 / 1.1, rtol=0.0, atol=1e-12)
