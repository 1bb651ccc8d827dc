"""The trunk between hips and head, as a kernel: it bends by fractions, then as little more as brings the head
to its target.

What is left after the fractions is taken by Newton's method on the position of the head, damped, with the
least squared rotations of all joints (Wampler 1986); the head keeps its orientation.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, Matrix, compiled
from limbik.numerics.rotation import Quaternion, exponential, multiply, rotate, rotation_vector, times

# The numbers of a problem, by index. Rotation matrices are stored row by row.
HIPS = 0  # [3, m] where the hips turn
HEAD = 3  # [3, m] where the head is to turn
ROTATION = 6  # [9] the turn from the hips' anatomical axes to those of the head
CARRIED = 15  # [9] the turn of the hips from rest
BRINGS = 24  # whether the head is brought to its target
PROBLEM = 25

STEPS = 5  # of Newton's method, at most
NEAR = 1e-5  # [m] of the head to its target
DAMPING = 1e-4  # of the longest squared lever arm
LARGEST = 0.3  # [rad] of a step


@compiled
def bend(
    rotations: Matrix, positions: Matrix, rest: Matrix, bones: Matrix, fractions: Floats, problem: Floats
) -> int:
    """Write the rotations [n + 1, 9] between the first, of the hips, and the last, of the head, and all
    positions [n + 1, 3].

    rest [n, 9]: rotations of the trunk's links at rest. bones [n, 3]: from one joint to the next, in the axes
    of the link. fractions [n]: of the whole bend, that links have rotated by.
    """
    x, y, z = rotation_vector(problem[ROTATION : ROTATION + 9])
    for k in range(1, rotations.shape[0] - 1):
        multiply(problem, CARRIED, rest[k - 1], rotations[k], 0)
        fraction = fractions[k - 1]
        turn(rotations[k], exponential(fraction * x, fraction * y, fraction * z))
    put_joints(rotations, positions, bones, problem)
    if problem[BRINGS] > 0.0:
        for _ in range(STEPS):
            if not step(rotations, positions, problem):
                break
            put_joints(rotations, positions, bones, problem)
    return 0


@compiled
def turn(R: Floats, q: Quaternion) -> None:
    """R = matrix(q) R in place."""
    for j in range(3):
        R[j], R[3 + j], R[6 + j] = rotate(q, R[j], R[3 + j], R[6 + j])


@compiled
def put_joints(rotations: Floats, positions: Floats, bones: Floats, problem: Floats) -> None:
    """The positions of all joints, from the hips on."""
    for i in range(3):
        positions[0, i] = problem[HIPS + i]
    for k in range(bones.shape[0]):
        x, y, z = times(rotations[k], 0, bones[k, 0], bones[k, 1], bones[k, 2])
        positions[k + 1, 0] = positions[k, 0] + x
        positions[k + 1, 1] = positions[k, 1] + y
        positions[k + 1, 2] = positions[k, 2] + z


@compiled
def step(rotations: Floats, positions: Floats, problem: Floats) -> bool:
    """One step of Newton's method; whether there was need of one."""
    last = rotations.shape[0] - 1
    x = problem[HEAD] - positions[last, 0]
    y = problem[HEAD + 1] - positions[last, 1]
    z = problem[HEAD + 2] - positions[last, 2]
    if x * x + y * y + z * z < NEAR * NEAR:
        return False
    # The symmetric matrix of all lever arms l: the sum of |l|^2 - l l^T.
    xx, xy, xz, yy, yz, zz, longest = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(1, last):
        lx, ly, lz = lever(positions, k, last)
        square = lx * lx + ly * ly + lz * lz
        xx, yy, zz = xx + square - lx * lx, yy + square - ly * ly, zz + square - lz * lz
        xy, xz, yz = xy - lx * ly, xz - lx * lz, yz - ly * lz
        longest = max(longest, square)
    xx, yy, zz = xx + DAMPING * longest, yy + DAMPING * longest, zz + DAMPING * longest
    a, b, c = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    d, e, f = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    determinant = xx * a + xy * b + xz * c
    if not determinant > 0.0:
        return False
    px = (a * x + b * y + c * z) / determinant
    py = (b * x + d * y + e * z) / determinant
    pz = (c * x + e * y + f * z) / determinant
    factor = LARGEST / max(turned_by(positions, last, px, py, pz), LARGEST)
    sx, sy, sz = 0.0, 0.0, 0.0
    for k in range(1, last):
        lx, ly, lz = lever(positions, k, last)
        sx += factor * (ly * pz - lz * py)
        sy += factor * (lz * px - lx * pz)
        sz += factor * (lx * py - ly * px)
        turn(rotations[k], exponential(sx, sy, sz))
    return True


@compiled
def lever(positions: Floats, k: int, last: int) -> tuple[float, float, float]:
    """From a joint to the head [m]."""
    return (
        positions[last, 0] - positions[k, 0],
        positions[last, 1] - positions[k, 1],
        positions[last, 2] - positions[k, 2],
    )


@compiled
def turned_by(positions: Floats, last: int, px: float, py: float, pz: float) -> float:
    """[rad] the largest rotation of a link for a pull at the head."""
    sx, sy, sz, squares = 0.0, 0.0, 0.0, 0.0
    for k in range(1, last):
        lx, ly, lz = lever(positions, k, last)
        sx, sy, sz = sx + ly * pz - lz * py, sy + lz * px - lx * pz, sz + lx * py - ly * px
        squares = max(squares, sx * sx + sy * sy + sz * sz)
    return math.sqrt(squares)
