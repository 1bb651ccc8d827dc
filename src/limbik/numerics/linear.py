"""Small dense linear algebra on the rows of a Jacobian, without allocation.

A Jacobian has few rows (2 for a point in the plane, 3 in space, 6 for a pose) and many columns. Everything
here works on the rows.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, compiled


@compiled(inline=True)
def copy(source: Floats, to: Floats) -> None:
    """Copy a vector [n] into another. (A slice assignment would compile the checks of its shapes with it.)"""
    for i in range(to.size):
        to[i] = source[i]


@compiled(inline=True)
def fill(value: float, to: Floats) -> None:
    """Set every number of a vector."""
    for i in range(to.size):
        to[i] = value


@compiled
def cholesky_solve(A: Floats, b: Floats, x: Floats) -> bool:
    """Solve A x = b for symmetric positive definite A [m, m], whose upper triangle is overwritten.

    By A = U^T U, from one row to the rows below it: no sum has to wait for the one before. Returns False,
    with x untouched, where A is not positive definite.
    """
    m = b.size
    for k in range(m):
        if not A[k, k] > 0.0:
            return False
        scale = 1.0 / math.sqrt(A[k, k])
        for j in range(k, m):
            A[k, j] *= scale
        for i in range(k + 1, m):
            factor = A[k, i]
            for j in range(i, m):
                A[i, j] -= factor * A[k, j]
    for i in range(m):
        x[i] = b[i]
    for k in range(m):
        x[k] /= A[k, k]
        for i in range(k + 1, m):
            x[i] -= A[k, i] * x[k]
    for i in range(m - 1, -1, -1):
        total = x[i]
        for k in range(i + 1, m):
            total -= A[i, k] * x[k]
        x[i] = total / A[i, i]
    return True


@compiled
def dual_matrix(J: Floats, A: Floats) -> float:
    """A = J J^T [m, m] for J [m, n]; the upper triangle is filled. Returns its trace."""
    trace = 0.0
    for i in range(J.shape[0]):
        for k in range(i, J.shape[0]):
            total = 0.0
            for j in range(J.shape[1]):
                total += J[i, j] * J[k, j]
            A[i, k] = total
        trace += A[i, i]
    return trace


@compiled(inline=False)
def manipulability(J: Floats, A: Floats) -> float:
    """sqrt(det(J J^T)) (Yoshikawa 1985) of J [m, n], 0 where its rows are dependent. A: work [m, m]."""
    if J.shape[0] > J.shape[1]:
        return 0.0
    smallest = 1e-14 * dual_matrix(J, A)
    product = 1.0
    for i in range(J.shape[0]):
        for k in range(i):
            for j in range(i, J.shape[0]):
                A[i, j] -= A[k, i] * A[k, j]
        if not A[i, i] > smallest:
            return 0.0
        root = math.sqrt(A[i, i])
        for j in range(i, J.shape[0]):
            A[i, j] /= root
        product *= root
    return product


@compiled
def transpose_times(J: Floats, y: Floats, x: Floats) -> None:
    """x = J^T y for J [m, n]."""
    for j in range(x.size):
        x[j] = 0.0
    for i in range(y.size):
        for j in range(x.size):
            x[j] += J[i, j] * y[i]


@compiled
def normal_matrix(J: Floats, A: Floats) -> float:
    """A = J^T J [n, n] for J [m, n]; the upper triangle is filled. Returns its trace."""
    trace = 0.0
    for j in range(J.shape[1]):
        fill(0.0, A[j, : J.shape[1]])
    for i in range(J.shape[0]):
        for j in range(J.shape[1]):
            factor = J[i, j]
            if factor != 0.0:
                for k in range(j, J.shape[1]):
                    A[j, k] += factor * J[i, k]
    for j in range(J.shape[1]):
        trace += A[j, j]
    return trace


@compiled(inline=False)
def damped_solve(
    J: Floats, r: Floats, damping: float, jitter: float, A: Floats, y: Floats, dq: Floats
) -> bool:
    """dq = J^T (J J^T + damping I)^-1 r; False, and dq = 0, where that matrix cannot be factorised.

    jitter: part of the trace of J J^T that is added, too. A and y are work, of as many rows as J
    has rows or columns, whichever are fewer, or more. With more rows than columns, as of many goals, dq comes
    of (J^T J + damping I) dq = J^T r, which takes time in proportion to the rows.
    """
    m, n = J.shape
    fill(0.0, dq)
    if m > n:
        trace = normal_matrix(J, A)
        for j in range(n):
            A[j, j] += damping + jitter * trace
        transpose_times(J, r, y[:n])
        return cholesky_solve(A, y[:n], dq)
    trace = dual_matrix(J, A)
    for i in range(m):
        A[i, i] += damping + jitter * trace
    if not cholesky_solve(A, r, y):
        return False
    transpose_times(J, y[:m], dq)
    return True


@compiled
def scale_by(factor: float, v: Floats) -> None:
    """v = factor v."""
    for i in range(v.size):
        v[i] *= factor


@compiled(inline=False)
def triangularise(J: Floats, R: Floats, Q: Floats) -> None:
    """J = Q R for J [m, n] with m > n; the first n columns of Q are orthonormal, or zero where one of J
    depends on those before it.

    R [m, n] is zero before. By Gram and Schmidt, done twice, which is enough.
    """
    m, n = J.shape
    for j in range(n):
        squared = 0.0
        for i in range(m):
            Q[i, j] = J[i, j]
            squared += J[i, j] * J[i, j]
        for _ in range(2):
            for k in range(j):
                along = 0.0
                for i in range(m):
                    along += Q[i, k] * Q[i, j]
                R[k, j] += along
                for i in range(m):
                    Q[i, j] -= along * Q[i, k]
        left = 0.0
        for i in range(m):
            left += Q[i, j] * Q[i, j]
        is_rounding = not left > 1e-30 * squared
        R[j, j] = 0.0 if is_rounding else math.sqrt(left)
        for i in range(m):
            Q[i, j] = 0.0 if is_rounding else Q[i, j] / R[j, j]


@compiled
def orthogonalise_rows(J: Floats, W: Floats, U: Floats) -> None:
    """Thin singular value decomposition by one-sided Jacobi rotations (Hestenes 1958).

    W [m, n] starts as J [m, n] and is turned until its rows are orthogonal; U [m, m] collects the rotations.
    Afterwards J = U W, row i of W is sigma_i v_i^T, and column i of U is u_i. Singular values are not formed
    from J J^T, so small ones keep their accuracy. With more rows than columns it begins from J = Q R;
    the rows of W beyond the first n are zero then, and the columns of U left as they were.
    """
    m, n = W.shape
    rounding = 0.0  # what is left of a row that depends on others
    for i in range(m):
        for k in range(min(m, n)):
            U[i, k] = 1.0 if i == k and m <= n else 0.0
        for j in range(n):
            W[i, j] = J[i, j] if m <= n else 0.0
            rounding += 1e-30 * J[i, j] * J[i, j]
    if m > n:
        triangularise(J, W, U)
    m = min(m, n)
    for _ in range(30):
        largest = 0.0
        for a in range(m - 1):
            for b in range(a + 1, m):
                aa = bb = ab = 0.0
                for j in range(n):
                    aa += W[a, j] * W[a, j]
                    bb += W[b, j] * W[b, j]
                    ab += W[a, j] * W[b, j]
                scale = math.sqrt(aa * bb)
                if not abs(ab) > 1e-15 * scale + rounding:
                    continue
                largest = max(largest, abs(ab) / scale)
                apart = bb - aa
                twice = 2.0 * ab if apart >= 0.0 else -2.0 * ab
                t = twice / (abs(apart) + math.sqrt(apart * apart + twice * twice))
                c = 1.0 / math.sqrt(1.0 + t * t)
                s = c * t
                for j in range(n):
                    W[a, j], W[b, j] = c * W[a, j] - s * W[b, j], s * W[a, j] + c * W[b, j]
                for i in range(U.shape[0]):
                    U[i, a], U[i, b] = c * U[i, a] - s * U[i, b], s * U[i, a] + c * U[i, b]
        if largest < 1e-14:
            break


@compiled(inline=True)
def clamp_factor(r: Floats, longest: float) -> float:
    """The factor that brings a residual down to a length; 1 where it is short enough (Buss's ClampMag)."""
    squared = squared_length(r)
    return 1.0 if squared <= longest * longest else longest / math.sqrt(squared)


@compiled
def shorten(v: Floats, longest: float) -> None:
    """Scale a vector so that no number of it is above `longest`; one that is not finite becomes zero."""
    largest = 0.0
    for i in range(v.size):
        largest = max(largest, abs(v[i]))
    if not largest <= 1e300:
        fill(0.0, v)
    elif largest > longest:
        for i in range(v.size):
            v[i] *= longest / largest


@compiled(inline=True)
def squared_length(v: Floats) -> float:
    """v . v"""
    total = 0.0
    for i in range(v.size):
        total += v[i] * v[i]
    return total


@compiled
def dot(a: Floats, b: Floats) -> float:
    """a . b"""
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@compiled(inline=False)
def add(part: float, a: Floats, to: Floats) -> None:
    """to += part * a"""
    for i in range(to.size):
        to[i] += part * a[i]
