"""Bounded least squares beside SciPy's, and below rows that are kept."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import lsq_linear

from limbik.compiler.arrays import zeros
from limbik.motion.active_set import BoundedScratch, begin_at, hold, solve_within
from strategies import SEEDS

quick = settings(max_examples=40)


def solved(J, errors, damping, lower, upper, active=None, above=None, x=None, held=None):
    """x [n], and its active set."""
    rows, n = J.shape
    above = np.zeros((0, n)) if above is None else above
    scratch = zeros(BoundedScratch, {"n_rows": rows + len(above), "nv": n})
    for array in scratch:
        array[:] = np.nan
    active = np.zeros(n) if active is None else active.copy()
    held = np.zeros(n) if held is None else held.copy()
    if x is None:
        x = np.zeros(n)
        begin_at(active, lower, upper, x)
    else:
        x = x.copy()
    scratch.flat[:] = 0.0
    solve_within(scratch, J, errors, above, np.zeros((0, n)), damping, lower, upper, held, active, x)
    hold(scratch, J, errors, damping, active, held, x)
    return x, active, held


def by_scipy(J, errors, damping, lower, upper):
    """The same by SciPy, with the damping as further rows."""
    n = J.shape[1]
    moves = upper > lower
    x = lower.copy()
    rows = np.vstack([J, np.sqrt(damping) * np.eye(n)])
    right = np.concatenate([errors, np.zeros(n)]) - rows[:, ~moves] @ x[~moves]
    bounds = lower[moves], upper[moves]
    if moves.any():
        x[moves] = lsq_linear(rows[:, moves], right, bounds, method="bvls", tol=1e-14, max_iter=1000).x
    return x


def cost(J, errors, damping, x):
    return np.sum((J @ x - errors) ** 2) + damping * np.sum(x**2)


def problem(seed, rows, n, is_singular=False):
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(rows, n))
    if is_singular and rows > 1:
        J[-1] = J[0]
    middle, half = rng.normal(size=n), rng.uniform(0.0, 1.0, n) * rng.choice([0.0, 0.3, 3.0, np.inf], n)
    half[0] = 0.5
    middle[np.isinf(half)] = 0.0
    return J, rng.normal(size=rows) * 3.0, 10.0 ** rng.uniform(-6, 0), middle - half, middle + half


@quick
@given(SEEDS, st.integers(1, 9), st.integers(1, 12), st.booleans())
def test_the_optimum_is_scipys(seed, rows, n, is_singular):
    J, errors, damping, lower, upper = problem(seed, rows, n, is_singular)
    x, active, _ = solved(J, errors, damping, lower, upper)
    expected = by_scipy(J, errors, damping, lower, upper)
    assert ((lower <= x) & (x <= upper)).all()
    assert_allclose(x, expected, rtol=0.0, atol=1e-6 * (1.0 + np.abs(expected).max()))
    assert_allclose(x[active > 0], upper[active > 0], rtol=0.0, atol=1e-12)
    assert_allclose(x[active < 0], lower[active < 0], rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_is_scipys_for_a_whole_body(seed):
    J, errors, damping, lower, upper = problem(seed, 27, 40)
    x, _, _ = solved(J, errors, damping, lower, upper)
    best = cost(J, errors, damping, by_scipy(J, errors, damping, lower, upper))
    assert cost(J, errors, damping, x) == pytest.approx(best, rel=1e-9)


@quick
@given(SEEDS, st.integers(1, 6), st.integers(1, 8), SEEDS)
def test_the_optimum_does_not_depend_on_the_active_set_that_it_begins_with(seed, rows, n, other):
    J, errors, damping, lower, upper = problem(seed, rows, n)
    guess = np.random.default_rng(other).choice([-1.0, 0.0, 1.0], n)
    guess[np.isinf(lower)] = 0.0
    x, _, _ = solved(J, errors, damping, lower, upper)
    assert_allclose(solved(J, errors, damping, lower, upper, guess)[0], x, rtol=0.0, atol=1e-7)


@quick
@given(SEEDS, st.integers(1, 4), st.integers(1, 4), st.integers(1, 9))
def test_what_the_rows_above_have_is_kept(seed, first, second, n):
    J, errors, damping, lower, upper = problem(seed, first + second, n)
    above, below = J[:first], J[first:]
    x, active, held = solved(above, errors[:first], damping, lower, upper)
    y, _, _ = solved(below, errors[first:], damping, lower, upper, active, above, x, held)
    assert ((lower <= y) & (y <= upper)).all()
    assert_allclose(above @ y, above @ x, rtol=0.0, atol=1e-7 * (1.0 + np.abs(x).max()))
    before, after = (cost(below, errors[first:], damping, each) for each in (x, y))
    assert after <= before + 1e-9 * (1.0 + before)


@pytest.mark.parametrize("seed", range(20))
def test_below_other_rows_no_active_set_is_better(seed):
    rng = np.random.default_rng(seed)
    first, second, n = 1 + seed % 2, 2, 4
    J, errors, damping = rng.normal(size=(first + second, n)), rng.normal(size=first + second), 1e-3
    lower, upper = np.full(n, -0.5), np.full(n, 0.5)
    above, below = J[:first], J[first:]
    x, active, held = solved(above, 0.2 * errors[:first], 1e-9, lower, upper)
    y, _, _ = solved(below, errors[first:], damping, lower, upper, active, above, x, held)
    best = min(
        cost(below, errors[first:], damping, each)
        for each in vertices(below, errors[first:], damping, above, above @ x, lower, upper)
    )
    assert cost(below, errors[first:], damping, y) == pytest.approx(best, rel=1e-6, abs=1e-9)


def vertices(J, errors, damping, above, kept, lower, upper):
    """The least points with every active set, as far as they are within bounds and keep the rows above."""
    n = J.shape[1]
    for at in itertools.product([-1, 0, 1], repeat=n):
        at = np.array(at)
        x = np.where(at > 0, upper, np.where(at < 0, lower, 0.0))
        free = at == 0
        k, m = int(free.sum()), len(above)
        A = above[:, free]
        H = J[:, free].T @ J[:, free] + damping * np.eye(k)
        system = np.block([[H, A.T], [A, np.zeros((m, m))]])
        right = np.concatenate([J[:, free].T @ (errors - J @ x), kept - above @ x])
        x[free] = np.linalg.lstsq(system, right, rcond=1e-12)[0][:k]
        is_within = ((x >= lower - 1e-9) & (x <= upper + 1e-9)).all()
        if is_within and np.abs(above @ x - kept).max() < 1e-9:
            yield x
