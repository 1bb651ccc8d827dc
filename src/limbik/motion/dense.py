"""The linear algebra of an active set: damped least squares in a null space, on columns of free joints."""

from __future__ import annotations

import math
from typing import Any

from limbik.compiler.kernel import Floats, compiled, empty
from limbik.numerics.linear import cholesky_solve, copy, dot, fill

DEPENDENT = 1e-8  # part of a row's length under which what is left of it is rounding
NOISE = 1e-13  # length of a row that is rounding itself
JITTER = 1e-14  # of the trace: only enough to factorise


@compiled(inline=False)
def gather(J: Floats, columns: Floats, K: Floats) -> None:
    """The columns of J [rows, n] of some indices, into the first columns of K."""
    if columns.size == J.shape[1]:
        for row in range(J.shape[0]):
            copy(J[row], K[row])
        return
    for i in range(columns.size):
        v = int(columns[i])
        for row in range(J.shape[0]):
            K[row, i] = J[row, v]


@compiled(inline=False)
def damped_minimum(scratch: Any, K: Floats, errors: Floats, damping: float, n: int) -> None:
    """`scratch.z` [n]: where |K z - errors|^2 + damping |z|^2 is smallest, for the first n columns of K.

    By the smaller of the two normal equations: (K^T K + damping I) z = K^T e, or z = K^T y with
    (K K^T + damping I) y = e.
    """
    z, rows = scratch.z[:n], errors.size
    fill(0.0, z)
    if n == 0:
        return
    if rows <= n:
        A, y = empty(rows, rows), scratch.y[:rows]
        fill_rows_product(K, n, A)
        fill(0.0, y)
        add_to_diagonal(A, damping)
        cholesky_solve(A, errors, y)
        add_rows(K, y, z)
    else:
        A, y = empty(n, n), scratch.right[:n]
        fill_columns_product(K, n, A)
        fill(0.0, y)
        add_rows(K, errors, y)
        add_to_diagonal(A, damping)
        cholesky_solve(A, y, z)


@compiled
def add_to_diagonal(A: Floats, damping: float) -> None:
    """A += damping I, and as much as its rounding."""
    trace = 0.0
    for i in range(A.shape[0]):
        trace += A[i, i]
    for i in range(A.shape[0]):
        A[i, i] += damping + JITTER * trace


@compiled(inline=False)
def add_rows(K: Floats, y: Floats, z: Floats) -> None:
    """z += K^T y for the first columns of K."""
    for row in range(y.size):
        for i in range(z.size):
            z[i] += y[row] * K[row, i]


@compiled(inline=False)
def fill_rows_product(K: Floats, n: int, A: Floats) -> None:
    """A = K K^T for the first n columns of K; the upper triangle is filled.

    Four sums at a time, none of which waits for another.
    """
    rows = A.shape[0]
    for i in range(rows):
        k = i
        while k + 3 < rows:
            a = b = c = d = 0.0
            for j in range(n):
                here = K[i, j]
                a += here * K[k, j]
                b += here * K[k + 1, j]
                c += here * K[k + 2, j]
                d += here * K[k + 3, j]
            A[i, k], A[i, k + 1], A[i, k + 2], A[i, k + 3] = a, b, c, d
            k += 4
        while k < rows:
            A[i, k] = dot(K[i, :n], K[k, :n])
            k += 1


@compiled(inline=False)
def fill_columns_product(K: Floats, n: int, A: Floats) -> None:
    """A = K^T K for the first n columns of K; the upper triangle is filled."""
    for i in range(n):
        for j in range(i, n):
            A[i, j] = 0.0
    for row in range(K.shape[0]):
        for i in range(n):
            here = K[row, i]
            if here != 0.0:
                for j in range(i, n):
                    A[i, j] += here * K[row, j]


@compiled(inline=False)
def fill_null_space(scratch: Any, above: Floats, count: int) -> int:
    """Orthonormal rows `scratch.Z` [count - r, count] that span the null space of the columns of the rows
    above at `scratch.columns`; returns r, their rank.

    By reflections of their columns (Householder 1958), one for each row that does not depend on those before
    it, and has more that is new than `scratch.flat`: these leave a lower triangle L.
    """
    size = 0
    for row in range(above.shape[0]):
        if size == count:
            break
        v = scratch.row[:count]
        length = 0.0
        for i in range(count):
            v[i] = above[row, int(scratch.columns[i])]
            length += v[i] * v[i]
        for k in range(size):
            reflect(scratch.V[k, k:count], v[k:])
        left = 0.0
        for i in range(size, count):
            left += v[i] * v[i]
        if left <= max(DEPENDENT * DEPENDENT * length, scratch.flat[row], NOISE * NOISE):
            continue
        end = -math.sqrt(left) if v[size] > 0.0 else math.sqrt(left)
        for k in range(size):
            scratch.L[size, k] = v[k]
        scratch.L[size, size] = end
        scratch.pivots[size] = row
        scale = math.sqrt(2.0 * (left - end * v[size]))
        for i in range(size, count):
            scratch.V[size, i] = (v[i] - end if i == size else v[i]) * math.sqrt(2.0) / scale
        size += 1
    for k in range(count - size):
        z = scratch.Z[k, :count]
        fill(0.0, z)
        z[size + k] = 1.0
        for i in range(size - 1, -1, -1):
            reflect(scratch.V[i, i:count], z[i:])
    return size


@compiled(inline=False)
def project(K: Floats, Z: Floats, count: int, D: Floats) -> None:
    """D = K Z^T for the first columns of K and of the rows of Z."""
    for row in range(K.shape[0]):
        for k in range(Z.shape[0]):
            D[row, k] = dot(K[row, :count], Z[k, :count])


@compiled(inline=False)
def reduce(scratch: Any, H: Floats, count: int, A: Floats) -> None:
    """A = Z H Z^T [n, n] on the columns at `scratch.columns`; these of H itself where all are free."""
    n = A.shape[0]
    for a in range(n):
        if n == count:
            for b in range(n):
                A[a, b] = H[int(scratch.columns[a]), int(scratch.columns[b])]
            continue
        for i in range(count):
            v, total = int(scratch.columns[i]), 0.0
            for k in range(count):
                total += H[v, int(scratch.columns[k])] * scratch.Z[a, k]
            scratch.row[i] = total
        for b in range(n):
            A[a, b] = dot(scratch.Z[b, :count], scratch.row[:count])


@compiled(inline=False)
def reflect(u: Floats, row: Floats) -> None:
    """row -= u (u . row): a reflection, for a u whose squared length is 2."""
    along = dot(u, row)
    for i in range(row.size):
        row[i] -= along * u[i]


@compiled(inline=False)
def take_multipliers(scratch: Any, above: Floats, active: Floats, size: int) -> None:
    """Take from `scratch.slope` [n] the combination of the rows above that makes it 0 on the free joints.

    With the reflections and the triangle that `fill_null_space` has left for the same free joints.
    """
    slope, c, y = scratch.slope, scratch.z, scratch.y
    count = 0
    for v in range(slope.size):
        if active[v] == 0.0:
            c[count] = slope[v]
            count += 1
    for k in range(size):
        reflect(scratch.V[k, k:count], c[k:count])
    for k in range(size - 1, -1, -1):
        total = c[k]
        for i in range(k + 1, size):
            total -= scratch.L[i, k] * y[i]
        y[k] = total / scratch.L[k, k]
    for k in range(size):
        row = int(scratch.pivots[k])
        for v in range(slope.size):
            slope[v] -= y[k] * above[row, v]
