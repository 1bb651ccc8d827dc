"""The shortest step that keeps inequalities, beside SciPy's solver of the same problem."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from limbik.collision.shortest_change import shortest_change


@pytest.mark.slow
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 8), m=st.integers(1, 12))
def test_it_is_the_least(seed: int, n: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    G, h, softness = rng.normal(size=(m, n)), rng.normal(size=m), np.full(m, 0.01)
    x = shortest_change(G, h, softness)

    def cost(x: np.ndarray) -> float:
        return float(x @ x + np.square(np.maximum(h - G @ x, 0.0)).sum() / 0.01)

    best = minimize(cost, x, method="BFGS", options={"gtol": 1e-9}).fun
    assert cost(x) <= best * (1.0 + 1e-6) + 1e-9


def test_what_is_kept_anyway_asks_for_nothing() -> None:
    assert shortest_change(np.eye(3), -np.ones(3), np.full(3, 1e-6)).tolist() == [0.0, 0.0, 0.0]
    assert shortest_change(np.zeros((0, 3)), np.zeros(0), np.zeros(0)).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("far", [1e9, 1e300, np.inf])
def test_bounds_that_are_far_away_change_nothing(far: float) -> None:
    G, bounds = np.array([[1.0, 2.0, 0.0]]), np.vstack([np.eye(3), -np.eye(3)])
    alone = shortest_change(G, np.array([0.007]), np.full(1, 1e-6))
    h = np.concatenate([[0.007], np.full(6, -far)])
    np.testing.assert_array_equal(shortest_change(np.vstack([G, bounds]), h, np.full(7, 1e-6)), alone)
    np.testing.assert_allclose(G @ alone, 0.007, rtol=1e-4)


def test_hard_rows_are_met_and_contradictions_shared() -> None:
    x = shortest_change(np.array([[1.0, 0.0]]), np.array([0.5]), np.array([1e-9]))
    np.testing.assert_allclose(x, [0.5, 0.0], atol=1e-8)
    x = shortest_change(np.array([[1.0], [-1.0]]), np.array([1.0, 1.0]), np.full(2, 1e-6))
    np.testing.assert_allclose(x, [0.0], atol=1e-6)
