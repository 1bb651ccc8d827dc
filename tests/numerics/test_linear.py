"""Small linear algebra, compared with NumPy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from limbik.numerics.linear import (
    cholesky_solve,
    clamp_factor,
    damped_solve,
    dual_matrix,
    orthogonalise_rows,
    squared_length,
    transpose_times,
)
from strategies import SEEDS

ROWS = st.sampled_from([2, 3, 6])


def matrix(seed: int, rows: int, columns: int, spread: float = 1.0) -> np.ndarray:
    """Random [rows, columns], its singular values apart by factors up to `spread`."""
    rng = np.random.default_rng(seed)
    U, _, Vt = np.linalg.svd(rng.normal(size=(rows, columns)), full_matrices=False)
    return np.ascontiguousarray((U * spread ** -rng.uniform(0.0, 1.0, U.shape[1])) @ Vt)


@given(ROWS, SEEDS, st.sampled_from([1.0, 1e3, 1e6]))
def test_cholesky_solves_what_numpy_solves(rows, seed, spread):
    A = matrix(seed, rows, rows, spread)
    A, b = A @ A.T, np.random.default_rng(seed).normal(size=rows)
    x, upper = np.empty(rows), np.triu(A)
    assert cholesky_solve(upper, b, x)
    assert_allclose(A @ x, b, atol=1e-14 * np.linalg.norm(A) * np.linalg.norm(x) + 1e-14)
    assert_allclose(np.triu(upper), np.linalg.cholesky(A).T, atol=1e-7)


@pytest.mark.parametrize("A", [np.zeros((3, 3)), -np.eye(2), np.diag([1.0, 0.0]), np.full((2, 2), np.nan)])
def test_cholesky_refuses_what_is_not_positive_definite(A):
    x = np.full(len(A), 7.0)
    assert not cholesky_solve(A.copy(), np.ones(len(A)), x)
    assert (x == 7.0).all()


@given(ROWS, st.integers(1, 12), SEEDS)
def test_the_dual_matrix_is_j_times_its_transpose(rows, columns, seed):
    J = np.random.default_rng(seed).normal(size=(rows, columns))
    A = np.full((rows, rows), np.nan)
    trace = dual_matrix(J, A)
    assert_allclose(np.triu(A), np.triu(J @ J.T), atol=1e-13)
    assert trace == pytest.approx(np.trace(J @ J.T))


@given(st.integers(1, 30), st.integers(1, 12), SEEDS, st.sampled_from([1e-6, 1e-2, 1.0]))
def test_a_damped_step_is_that_of_numpy_whether_rows_or_columns_are_more(rows, columns, seed, damping):
    rng = np.random.default_rng(seed)
    J, r = rng.normal(size=(rows, columns)), rng.normal(size=rows)
    size = min(rows, columns)  # of the work that is needed
    dq = np.full(columns, np.nan)
    assert damped_solve(J, r, damping, 0.0, np.full((size, size), np.nan), np.full(size, np.nan), dq)
    damped = np.vstack([J, np.sqrt(damping) * np.eye(columns)])
    expected = np.linalg.lstsq(damped, np.concatenate([r, np.zeros(columns)]), rcond=None)[0]
    assert_allclose(dq, expected, rtol=1e-6, atol=1e-8)


@given(ROWS, st.integers(1, 12), SEEDS)
def test_the_transpose_is_applied(rows, columns, seed):
    rng = np.random.default_rng(seed)
    J, y, x = rng.normal(size=(rows, columns)), rng.normal(size=rows), np.full(columns, np.nan)
    transpose_times(J, y, x)
    assert_allclose(x, J.T @ y, atol=1e-13)


def decomposed(J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    W, U = np.full(J.shape, np.nan), np.zeros((len(J), len(J)))
    orthogonalise_rows(J, W, U)
    return W, U


@given(ROWS, st.integers(1, 12), SEEDS, st.sampled_from([1.0, 1e4, 1e9]), st.sampled_from([1e-6, 1.0, 1e6]))
def test_the_rows_become_the_singular_vectors_of_numpy(rows, columns, seed, spread, scale):
    J = scale * matrix(seed, rows, columns, spread)
    W, U = decomposed(J.copy())
    rank = min(rows, columns)
    assert_allclose(U[:, :rank].T @ U[:, :rank], np.eye(rank), atol=1e-13)
    assert_allclose(U @ W, J, atol=1e-13 * scale)
    across = W @ W.T
    lengths = np.sqrt(np.diag(across))
    assert (
        np.abs(across - np.diag(np.diag(across))) <= 1e-12 * np.outer(lengths, lengths) + 1e-28 * scale**2
    ).all()
    sigma = np.zeros(rows)
    sigma[: min(rows, columns)] = np.linalg.svd(J, compute_uv=False)
    assert_allclose(np.sort(lengths)[::-1], sigma, atol=1e-14 * scale * 10)


@pytest.mark.parametrize("rows", [2, 3, 6])
def test_matrices_without_full_rank_are_decomposed_too(rows):
    rng = np.random.default_rng(0)
    for J in (
        np.zeros((rows, 5)),
        np.ones((rows, 5)),
        np.outer(rng.normal(size=rows), rng.normal(size=5)),
        np.eye(rows, 8),
        1e-200 * rng.normal(size=(rows, 5)),
    ):
        W, U = decomposed(J.copy())
        assert np.isfinite(W).all()
        assert np.isfinite(U).all()
        assert_allclose(U @ W, J, atol=max(1e-13 * np.abs(J).max(), 1e-160))
        assert_allclose(U.T @ U, np.diag(np.round(np.diag(U.T @ U))), atol=1e-13)


@given(st.integers(1, 6), SEEDS, st.floats(0.1, 10.0))
def test_a_clamped_vector_is_no_longer_than_asked_for(size, seed, longest):
    r = 3.0 * np.random.default_rng(seed).normal(size=size)
    clamped = r * clamp_factor(r, longest)
    length = np.linalg.norm(r)
    assert np.linalg.norm(clamped) == pytest.approx(min(length, longest))
    assert squared_length(r) == pytest.approx(length**2)
    assert clamp_factor(np.zeros(size), longest) == 1.0
