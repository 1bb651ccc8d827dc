"""Householder reflections and LU, beside NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limbik.numerics.householder import LANES, orthogonal_complement, triangularise
from limbik.numerics.lu import lu_decompose, lu_solve, lu_solve_transposed
from strategies import SEEDS


@given(st.integers(1, 5), st.integers(1, 4), st.integers(0, 5), SEEDS)
def test_the_complement_is_orthonormal_and_orthogonal(n: int, more: int, rank: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, rank = n + more, min(rank, n)
    A = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n))
    N = np.empty((more, m))
    orthogonal_complement(A.copy(), N)
    assert np.abs(N @ A).max() < 1e-12 * (1.0 + np.abs(A).max())
    assert np.allclose(N @ N.T, np.eye(more), atol=1e-12)


@given(st.integers(1, 6), SEEDS)
def test_diagonals_multiply_to_determinants(n: int, seed: int) -> None:
    matrices = np.random.default_rng(seed).normal(size=(LANES, n, n))
    product, work = np.ones(LANES), np.empty(LANES)
    triangularise(matrices.transpose(1, 2, 0).copy(), n, n, n, product, work)
    expected = np.linalg.det(matrices)
    assert np.allclose(product * np.sign(product[0] * expected[0]), expected, rtol=1e-9, atol=1e-12)


@given(st.integers(1, 12), SEEDS)
def test_lu_solves_with_the_matrix_and_its_transpose(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    A, b, order, x, work = rng.normal(size=(n, n)), rng.normal(size=n), *np.empty((3, n))
    LU = A.copy()
    lu_decompose(LU, order, 1e-300)
    bound = 1e-12 * np.linalg.cond(A) * np.abs(b).max()
    lu_solve(LU, order, b, x)
    assert x == pytest.approx(np.linalg.solve(A, b), abs=bound)
    lu_solve_transposed(LU, order, b, x, work)
    assert x == pytest.approx(np.linalg.solve(A.T, b), abs=bound)


def test_a_singular_matrix_shows_its_null_vector() -> None:
    A = np.array([[1.0, 2.0], [2.0, 4.0]])
    order, x = np.empty(2), np.empty(2)
    LU = A.copy()
    lu_decompose(LU, order, 1e-18)
    lu_solve(LU, order, np.ones(2), x)
    assert np.abs(A @ x).max() < 1e-12 * np.abs(x).max()
