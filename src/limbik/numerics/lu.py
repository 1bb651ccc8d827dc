"""LU decomposition with partial pivoting, of small square matrices."""

from __future__ import annotations

from limbik.compiler.kernel import Floats, compiled


@compiled(inline=False)
def lu_decompose(A: Floats, order: Floats, min_pivot: float) -> None:
    """A [n, n] becomes L below the diagonal and U on and above it; order [n]: the row that stands in each
    place.

    min_pivot: size that a pivot nearer to zero gets, so that singular matrices can be solved with.
    """
    n = A.shape[0]
    for i in range(n):
        order[i] = i
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[best, k]):
                best = i
        if best != k:
            order[k], order[best] = order[best], order[k]
            for j in range(n):
                A[k, j], A[best, j] = A[best, j], A[k, j]
        if abs(A[k, k]) < min_pivot:
            A[k, k] = min_pivot if A[k, k] >= 0.0 else -min_pivot
        scale = 1.0 / A[k, k]
        for i in range(k + 1, n):
            factor = A[i, k] * scale
            A[i, k] = factor
            for j in range(k + 1, n):
                A[i, j] -= factor * A[k, j]


@compiled(inline=False)
def lu_solve(A: Floats, order: Floats, b: Floats, x: Floats) -> None:
    """x [n] with A x = b; A and order are of `lu_decompose`."""
    n = b.size
    for i in range(n):
        total = b[int(order[i])]
        for j in range(i):
            total -= A[i, j] * x[j]
        x[i] = total
    for i in range(n - 1, -1, -1):
        total = x[i]
        for j in range(i + 1, n):
            total -= A[i, j] * x[j]
        x[i] = total / A[i, i]


@compiled(inline=False)
def lu_solve_transposed(A: Floats, order: Floats, b: Floats, x: Floats, work: Floats) -> None:
    """x [n] with A^T x = b; work [n]."""
    n = b.size
    for i in range(n):
        work[i] = b[i]
    for i in range(n):
        work[i] /= A[i, i]
        for j in range(i + 1, n):
            work[j] -= A[i, j] * work[i]
    for i in range(n - 1, -1, -1):
        for j in range(i):
            work[j] -= A[i, j] * work[i]
    for i in range(n):
        x[int(order[i])] = work[i]
