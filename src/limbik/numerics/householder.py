"""Householder reflections: the orthogonal complement of a few columns, and determinants of many matrices at
once.

Backward stable without looking for pivots (Golub & Van Loan, "Matrix Computations", section 5.1), so there is
no branch, and the lanes of a block go through the same steps side by side.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, compiled, empty

LANES = 8
TINY = 1e-290  # keeps the reflection of a zero vector finite


@compiled(inline=False)
def orthogonal_complement(A: Floats, N: Floats) -> None:
    """Orthonormal rows N [m - n, m] with N A = 0, for A [m, n] of any rank, which is overwritten."""
    m, n = A.shape
    for j in range(n):
        squared = TINY
        for i in range(j, m):
            squared += A[i, j] * A[i, j]
        A[j, j] += math.copysign(math.sqrt(squared), A[j, j])
        squared = TINY
        for i in range(j, m):
            squared += A[i, j] * A[i, j]
        scale = math.sqrt(2.0 / squared)
        for i in range(j, m):
            A[i, j] *= scale
        for k in range(j + 1, n):
            along = 0.0
            for i in range(j, m):
                along += A[i, j] * A[i, k]
            for i in range(j, m):
                A[i, k] -= along * A[i, j]
    for r in range(m - n):
        for i in range(m):
            N[r, i] = 1.0 if i == n + r else 0.0
        for j in range(n - 1, -1, -1):
            along = 0.0
            for i in range(j, m):
                along += A[i, j] * N[r, i]
            for i in range(j, m):
                N[r, i] -= along * A[i, j]


@compiled(inline=False)
def triangularise(G: Floats, m: int, n: int, count: int, product: Floats, along: Floats) -> None:
    """Bring the first columns of every matrix [m, n] in G [m or more, n or more, LANES] to triangular form.

    product [LANES] is multiplied by their diagonals: with count = n = m it is the determinant, up to a sign
    that depends on m alone. What is below a diagonal is overwritten. along [LANES]: work.
    """
    for j in range(count):
        for w in range(LANES):
            along[w] = TINY
        for i in range(j, m):
            for w in range(LANES):
                along[w] += G[i, j, w] * G[i, j, w]
        for w in range(LANES):
            length = math.sqrt(along[w])
            diagonal = -length if G[j, j, w] >= 0.0 else length
            product[w] *= diagonal
            G[j, j, w] -= diagonal
            along[w] = 1.0 / (diagonal * G[j, j, w])
        _reflect(G, m, n, j, along)


@compiled
def _reflect(G: Floats, m: int, n: int, j: int, scale: Floats) -> None:
    """Apply the reflection whose vector stands in column j to the columns after it."""
    total = empty(LANES)
    for k in range(j + 1, n):
        for w in range(LANES):
            total[w] = 0.0
        for i in range(j, m):
            for w in range(LANES):
                total[w] += G[i, j, w] * G[i, k, w]
        for w in range(LANES):
            total[w] *= scale[w]
        for i in range(j, m):
            for w in range(LANES):
                G[i, k, w] += total[w] * G[i, j, w]
