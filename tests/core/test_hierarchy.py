"""One step toward goals of several priorities, beside NumPy's linear algebra."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from limbik.core.desk import Asked, Desk, Tree
from limbik.core.hierarchy import propose, span
from limbik.core.spatial_chain import BALL, HINGE, JOINT, TOOL
from strategies import SEEDS

FAR = 1e9  # a longest step that shortens nothing
SIZES = st.lists(st.integers(1, 4), min_size=1, max_size=3)  # rows of each level
quick = settings(max_examples=30)


def hinges(nv, lower=-math.inf, upper=math.inf):
    """Records of hinges, with the same limits."""
    movers = np.zeros(nv + 1, JOINT)
    movers["kind"], movers["q"], movers["v"] = HINGE, np.arange(nv + 1), np.arange(nv + 1)
    movers["lower"], movers["upper"] = lower, upper
    movers["kind"][-1] = TOOL
    return movers.view(np.recarray)


def proposed(J, errors, sizes, damping, *, q=None, movers=None, units=None, use_limits=True, longest=FAR):
    """The step for rows J [rows, nv] in levels of these sizes, and the velocities that were free."""
    rows, nv = J.shape
    q = np.zeros(nv) if q is None else q
    movers = hinges(nv) if movers is None else movers
    units = np.ones(nv) if units is None else units
    free, P, A, basis = np.empty(nv), np.empty((rows, nv)), np.empty((rows, rows)), np.empty((nv, nv))
    y, rest, dx = np.empty(rows), np.empty(rows), np.full(nv, math.nan)
    level_rows = np.array([0, *np.cumsum(sizes)], dtype=float)
    tree = Tree(links=None, movers=movers, units=units, fixed_mass=None)
    asked = Asked(tasks=None, targets=None, level_tasks=None, level_rows=level_rows)
    desk = Desk(*[None] * len(Desk._fields))._replace(
        J=J, damping=np.array(damping, dtype=float), free=free, P=P, A=A, basis=basis, y=y, rest=rest, dx=dx
    )
    propose.interpreted(tree, asked, desk, q, errors, len(sizes), use_limits, longest)
    return dx, free


def expected(J, errors, sizes, damping, free):
    """The same step by dense formulas, the null space taken from a singular value decomposition."""
    J = J * free
    dx, above = np.zeros(J.shape[1]), np.zeros((0, J.shape[1]))
    first = 0
    for size, added in zip(sizes, damping, strict=True):
        rows = slice(first, first + size)
        values, turns = np.linalg.svd(above)[1:] if len(above) else (np.zeros(0), np.eye(J.shape[1]))
        null = turns[int((values > 1e-8).sum()) :]
        P = J[rows] @ null.T @ null
        dx = dx + P.T @ np.linalg.solve(P @ P.T + added * np.eye(size), errors[rows] - J[rows] @ dx)
        above = np.vstack([above, J[rows]])
        first += size
    return dx


def problem(seed, sizes, nv):
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=(sum(sizes), nv)),
        rng.normal(size=sum(sizes)),
        10.0 ** rng.uniform(-4, 1, len(sizes)),
    )


@quick
@given(SEEDS, SIZES, st.integers(1, 8))
def test_every_level_takes_the_damped_step_in_what_the_levels_above_leave(seed, sizes, nv):
    J, errors, damping = problem(seed, sizes, nv)
    dx, free = proposed(J, errors, sizes, damping)
    assert_array_equal(free, 1.0)
    assert_allclose(
        dx, expected(J, errors, sizes, damping, free), rtol=0.0, atol=1e-7 * (1.0 + np.abs(dx).max())
    )


@quick
@given(SEEDS, st.integers(1, 3), st.integers(1, 4))
def test_lower_levels_do_not_disturb_the_first(seed, first, second):
    J, errors, damping = problem(seed, [first, second], 6)
    alone, _ = proposed(J[:first], errors[:first], [first], damping[:1])
    both, _ = proposed(J, errors, [first, second], damping)
    assert_allclose(J[:first] @ both, J[:first] @ alone, rtol=0.0, atol=1e-9 * (1.0 + np.abs(both).max()))


@quick
@given(SEEDS)
def test_a_third_level_disturbs_neither_of_those_above(seed):
    J, errors, damping = problem(seed, [2, 2, 3], 7)
    two, _ = proposed(J[:4], errors[:4], [2, 2], damping[:2])
    three, _ = proposed(J, errors, [2, 2, 3], damping)
    assert_allclose(J[:4] @ three, J[:4] @ two, rtol=0.0, atol=1e-9 * (1.0 + np.abs(three).max()))
    assert np.abs(three - two).max() > 1e-9


def test_a_level_without_room_adds_nothing():
    J, errors, damping = problem(0, [4, 2], 4)  # the first level takes all four directions
    alone, _ = proposed(J[:4], errors[:4], [4], damping[:1])
    both, _ = proposed(J, errors, [4, 2], damping)
    assert_allclose(both, alone, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("noise", [0.0, 1e-16, 1e-13])
def test_dependent_rows_span_nothing_new(noise):
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=(2, 5))
    P = np.array([one, other, one + other, -2.0 * one, np.zeros(5)]) + noise * rng.normal(size=(5, 5))
    basis = np.zeros((5, 5))
    held = span.interpreted(P, 0, 4, basis, 0)
    assert held == 2
    assert_allclose(basis[:2] @ basis[:2].T, np.eye(2), rtol=0.0, atol=1e-14)


def test_repeated_rows_leave_the_null_space_to_the_lower_level():
    J = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.3, 0.4, 0.5]])
    dx, _ = proposed(J, np.array([1.0, 1.0, 2.0, 7.0]), [3, 1], [1e-12, 1e-12])
    assert_allclose(J @ dx, [1.0, 1.0, 2.0, 7.0], rtol=0.0, atol=1e-5)


def test_rows_of_zeros_move_nothing():
    dx, _ = proposed(np.zeros((3, 4)), np.ones(3), [2, 1], [1e-12, 1e-12])
    assert_array_equal(dx, 0.0)


def test_the_step_is_shortened_as_a_whole():
    J, errors, damping = problem(3, [2, 2], 6)
    whole, _ = proposed(J, 100.0 * errors, [2, 2], 1e-6 * damping)
    short, _ = proposed(J, 100.0 * errors, [2, 2], 1e-6 * damping, longest=0.5)
    assert np.abs(short).max() == pytest.approx(0.5)
    assert_allclose(short / 0.5, whole / np.abs(whole).max(), rtol=0.0, atol=1e-9)


def test_locked_joints_do_not_move():
    J, errors, damping = problem(4, [2, 2], 6)
    units = np.array([1.0, 0.0, 0.3, 1.0, 0.0, 2.0])
    dx, free = proposed(J, errors, [2, 2], damping, units=units)
    assert_array_equal(free, units > 0.0)
    assert_array_equal(dx[units == 0.0], 0.0)
    assert_allclose(dx, expected(J, errors, [2, 2], damping, free), rtol=0.0, atol=1e-8)


@quick
@given(SEEDS)
def test_joints_at_a_limit_move_only_inward(seed):
    rng = np.random.default_rng(seed)
    J, errors, damping = problem(seed, [3], 6)
    q = rng.choice([-1.0, 0.0, 1.0], 6)
    dx, free = proposed(J, errors, [3], damping, q=q, movers=hinges(6, -1.0, 1.0))
    slope = J.T @ errors
    assert_array_equal(free, ~(((q == 1.0) & (slope > 0.0)) | ((q == -1.0) & (slope < 0.0))))
    assert_array_equal(dx[free == 0.0], 0.0)
    assert_allclose(
        dx, expected(J, errors, [3], damping, free), rtol=0.0, atol=1e-8 * (1.0 + np.abs(dx).max())
    )
    _, all_free = proposed(J, errors, [3], damping, q=q, movers=hinges(6, -1.0, 1.0), use_limits=False)
    assert_array_equal(all_free, 1.0)


def test_a_ball_is_never_held():
    movers = hinges(3, 0.0, 0.0)
    movers["kind"][:-1] = BALL
    _, free = proposed(np.eye(3), np.ones(3), [3], [0.1], movers=movers[[0, 3]].view(np.recarray))
    assert_array_equal(free, 1.0)
