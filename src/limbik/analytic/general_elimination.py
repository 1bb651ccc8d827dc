"""Elimination of two joints of a 6R arm: six equations in three others (Raghavan & Roth 1993).

The loop of six axes, closed by the pose, has five links that no pose changes. A window of five axes (1 to
5, or 2 to 6, from either end) has four of them. Its last axis is a line that stands where joints 3, 4 and 5
of the loop put it, and where joints 1 and 2 and the pose do:

    T(p2) R3 T(p3) R4 T(p4) R5 T(p5) line  =  R2^-1 T(-p1) R1^-1 line_0

in the 15 coordinates of `line_coordinates`. The left side is linear in the products of (1, cos, sin) of
joints 3, 4 and 5, with coefficients of the robot alone. On the right, along axis 2, six of the coordinates
do not feel joint 2 and are linear in (1, cos, sin) of joint 1: four combinations of them feel neither.
Across axis 2 the four vectors are complex numbers turned by joint 2, linear in (1, cos, sin) of joint 1:
one combination, that is two real equations, has none of these.

Here a joint's angle is held as cosine and sine where it is suppressed, and as the products (C C, C S, S S)
of the cosine and sine of its half where it is one of the two unknowns, so no angle is special.
"""

from __future__ import annotations

from limbik.analytic.line_coordinates import (
    ALONG,
    ONE,
    SIZE,
    SQUARE,
    VECTORS,
    line_coordinates,
    translate,
    turned_parts,
)
from limbik.compiler.kernel import Floats, compiled, empty
from limbik.numerics.householder import orthogonal_complement

# A robot's constants.
AT_DEGREE = 0  # of the resultant, as a trigonometric polynomial
AT_REVERSED = 1  # whether the chain is walked from the tool to the world
AT_SHIFTED = 2  # whether the window is axes 1 to 5, and axis 6 comes before it, where the pose puts it
AT_SUPPRESSED = 3  # which of joints 3, 4 and 5 of the loop: 0, 1 or 2
AT_LENGTH = 4  # [m] of the arm; lengths below are divided by it
AT_DIRECTIONS = 5  # [6, 3] of the chain as it is walked
AT_STEPS = AT_DIRECTIONS + 18  # [7, 3]
AT_HOME = AT_STEPS + 21  # [3, 3] rotation of the tool
AT_FRAME = AT_HOME + 9  # [3, 3] rows: two unit vectors across axis 2 of the loop, and the axis
AT_LEFT = AT_FRAME + 9  # [3, 9, 15] the left side in that frame; first 1, cos, sin of the suppressed joint
AT_SMALL_TABLE = AT_LEFT + 3 * 9 * SIZE  # `bernstein_table` of degree 3
AT_STRETCH_TABLE = AT_SMALL_TABLE + 49  # of degree 12
AT_TABLE = AT_STRETCH_TABLE + 625  # and of the resultant's
CONSTANTS = AT_TABLE + 625

# The loop of a pose.
LOOP_DIRECTIONS = 0  # [6, 3]
LOOP_STEPS = 18  # [5, 3] p1 to p5
LOOP_POINT = 33  # [3] the point on the last axis, from the one on the first, where the pose puts it
LOOP_ROTATION = 36  # [3, 3] of what the last joint turns
LOOP_SIZE = 45


@compiled
def close_loop(constants: Floats, pose: Floats, loop: Floats) -> None:
    """The loop of a pose [16]: six axes and the links between them. Lengths are divided by the arm's."""
    position = empty(3)
    turn = empty(3, 3)
    is_reversed = constants[AT_REVERSED] > 0.0
    for i in range(3):
        for j in range(3):
            turn[i, j] = pose[4 * j + i] if is_reversed else pose[4 * i + j]
    for i in range(3):
        position[i] = pose[4 * i + 3] / constants[AT_LENGTH]
        if is_reversed:
            total = 0.0
            for j in range(3):
                total -= turn[i, j] * pose[4 * j + 3]
            position[i] = total / constants[AT_LENGTH]
    for i in range(3):
        for j in range(3):
            total = 0.0
            for k in range(3):
                total += turn[i, k] * constants[AT_HOME + 3 * j + k]
            loop[LOOP_ROTATION + 3 * i + j] = total
    is_shifted = constants[AT_SHIFTED] > 0.0
    for i in range(3):  # the last axis of the chain
        for k in range(3):
            position[i] -= loop[LOOP_ROTATION + 3 * i + k] * constants[AT_STEPS + 18 + k]
    first = 1 if is_shifted else 0
    for i in range(18 - 3 * first):
        loop[LOOP_DIRECTIONS + 3 * first + i] = constants[AT_DIRECTIONS + i]
    for i in range(15 - 3 * first):
        loop[LOOP_STEPS + 3 * first + i] = constants[AT_STEPS + 3 + i]
    if not is_shifted:
        for i in range(3):
            loop[LOOP_POINT + i] = position[i] - constants[AT_STEPS + i]
        return
    for i in range(3):
        direction, point = 0.0, 0.0
        for k in range(3):
            direction += loop[LOOP_ROTATION + 3 * i + k] * constants[AT_DIRECTIONS + 15 + k]
            point -= loop[LOOP_ROTATION + 3 * i + k] * constants[AT_STEPS + 15 + k]
        loop[LOOP_DIRECTIONS + i] = direction
        loop[LOOP_STEPS + i] = constants[AT_STEPS + i] - position[i]
        loop[LOOP_POINT + i] = point


@compiled
def last_line(loop: Floats, v: Floats) -> None:
    """The coordinates [15] of the last axis, where the pose puts it, from the point on the first."""
    direction = empty(3)
    for i in range(3):
        direction[i] = 0.0
        for k in range(3):
            direction[i] += loop[LOOP_ROTATION + 3 * i + k] * loop[LOOP_DIRECTIONS + 15 + k]
    line_coordinates(direction, loop[LOOP_POINT : LOOP_POINT + 3], v)


@compiled(inline=False)
def eliminate(constants: Floats, loop: Floats, E: Floats) -> None:
    """E [3, 6, 9]: six equations E[0] + E[1] cos + E[2] sin of the suppressed joint, in the nine products
    of (C C, C S, S S) of one of the two other joints with those of the other.
    """
    v, moved = empty(SIZE), empty(SIZE)
    parts, right = empty(3, SIZE), empty(3, SIZE)
    back, step = empty(3), empty(3)
    for i in range(3):
        back[i] = -loop[LOOP_DIRECTIONS + i]
        step[i] = -loop[LOOP_STEPS + i]
    last_line(loop, v)
    turned_parts(back, v, parts[0], parts[1], parts[2])
    for part in range(3):
        if part > 0:
            parts[part, ONE] = 0.0
        translate(step, parts[part], moved)
        _in_frame(constants, moved, right[part])
    along, along_free = empty(6, 2), empty(4, 6)
    across, across_free = empty(8, 6), empty(2, 8)
    for k in range(6):
        along[k, 0], along[k, 1] = right[1, _along(k)], right[2, _along(k)]
    for k in range(VECTORS):
        for part in range(3):
            x, y = right[part, 3 * k], right[part, 3 * k + 1]
            across[2 * k, 2 * part], across[2 * k, 2 * part + 1] = x, y
            across[2 * k + 1, 2 * part], across[2 * k + 1, 2 * part + 1] = y, -x
    orthogonal_complement(along, along_free)
    orthogonal_complement(across, across_free)
    for part in range(3):
        for m in range(9):
            at = AT_LEFT + SIZE * (9 * part + m)
            for r in range(4):
                total = 0.0
                for k in range(6):
                    index = _along(k)
                    total += along_free[r, k] * (
                        constants[at + index] - right[0, index] * constants[at + ONE]
                    )
                E[part, r, m] = total
            for r in range(2):
                total = 0.0
                for k in range(VECTORS):
                    total += across_free[r, 2 * k] * constants[at + 3 * k]
                    total += across_free[r, 2 * k + 1] * constants[at + 3 * k + 1]
                E[part, 4 + r, m] = total


@compiled
def _along(k: int) -> int:
    """Where the k-th of the six coordinates that do not feel joint 2 stands."""
    return 3 * k + 2 if k < VECTORS else SQUARE + k - VECTORS


@compiled
def _in_frame(constants: Floats, v: Floats, to: Floats) -> None:
    """The coordinates seen along and across axis 2."""
    for part in range(VECTORS):
        for i in range(3):
            total = 0.0
            for k in range(3):
                total += constants[AT_FRAME + 3 * i + k] * v[3 * part + k]
            to[3 * part + i] = total
    to[SQUARE], to[ALONG], to[ONE] = v[SQUARE], v[ALONG], v[ONE]
