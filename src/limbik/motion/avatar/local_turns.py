"""Kernel: joint quaternions from the world rotations of links."""

from __future__ import annotations

from limbik.compiler.kernel import Floats, Matrix, compiled
from limbik.numerics.linear import copy
from limbik.numerics.rotation import exponential, multiply, rotation_vector

SCRATCH = 27


@compiled
def fill_local(
    rotations: Matrix,
    leads: Matrix,
    parents: Floats,
    rests: Matrix,
    hinged: Floats,
    scratch: Matrix,
    quats: Matrix,
) -> int:
    """The quaternions xyzw [n, 4] that joints make, for rotations of their links in the world [n, 9].

    leads [n, 9]: from the link of the parent [n], -1 for none, to what the joint stands on. rests [n, 9]:
    what the joint makes at rest; hinges [n] turn before that, balls after it. scratch [3, 9] is work.
    """
    before, local, made = scratch[0], scratch[1], scratch[2]
    for k in range(rotations.shape[0]):
        parent = int(parents[k])
        if parent >= 0:
            multiply(rotations[parent], 0, leads[k], before, 0)
        else:
            copy(leads[k], before)
        transposed_times_matrix(before, rotations[k], local)
        if hinged[k] > 0.0:
            times_transposed_matrix(local, rests[k], made)
        else:
            transposed_times_matrix(rests[k], local, made)
        x, y, z = rotation_vector(made)
        quats[k, 0], quats[k, 1], quats[k, 2], quats[k, 3] = exponential(x, y, z)
    return 0


@compiled
def transposed_times_matrix(A: Floats, B: Floats, out: Floats) -> None:
    """out = A^T B, all [9] row by row."""
    for i in range(3):
        for j in range(3):
            out[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j]


@compiled
def times_transposed_matrix(A: Floats, B: Floats, out: Floats) -> None:
    """out = A B^T, all [9] row by row."""
    for i in range(3):
        for j in range(3):
            o, p = 3 * i, 3 * j
            out[o + j] = A[o] * B[p] + A[o + 1] * B[p + 1] + A[o + 2] * B[p + 2]
