"""All six joint angles of a 6R arm from three, and Newton's method on its closed loop."""

from __future__ import annotations

import math

from limbik.analytic.general_elimination import (
    LOOP_DIRECTIONS,
    LOOP_POINT,
    LOOP_ROTATION,
    LOOP_STEPS,
    last_line,
)
from limbik.analytic.line_coordinates import (
    ALONG,
    SIZE,
    SQUARE,
    VECTORS,
    line_coordinates,
    translate,
    turned_parts,
)
from limbik.compiler.kernel import Floats, compiled, empty
from limbik.numerics.linear import damped_solve, dot, squared_length
from limbik.numerics.rotation import times, turn_about
from limbik.numerics.trigonometry import angle_of, nearest_turn, sincos

NEWTON_STEPS = 24
LONGEST = 0.5  # [rad] of a step
DAMPING = 1e-13  # part of the trace: in singular configurations no step goes far along a curve of others
CLOSED = 1e-26  # squared error, in the arm's length and radians, that is rounding
FLAT = 1e-9  # part of the larger curvature under which a direction is not determined


@compiled(inline=False)
def other_joints(loop: Floats, three: Floats, q: Floats) -> int:
    """All six joints of the loop, q [2, 6], of joints 3, 4 and 5 [3]; returns how many were found.

    Joint 2 from what does not feel joint 1 (linear in its cosine and sine, by least squares), joint 1 by
    turning what follows it, joint 6 by what is left to be turned.
    """
    direction, point = empty(3), empty(3)
    goal, line, moved = empty(SIZE), empty(SIZE), empty(SIZE)
    parts = empty(3, SIZE)
    for i in range(3):
        direction[i], point[i] = loop[LOOP_DIRECTIONS + 15 + i], loop[LOOP_STEPS + 12 + i]
    for joint in range(4, 1, -1):
        sine, cosine = sincos(three[joint - 2])
        _turn(loop, joint, sine, cosine, direction)
        _turn(loop, joint, sine, cosine, point)
        for i in range(3):
            point[i] += loop[LOOP_STEPS + 3 * (joint - 1) + i]
    line_coordinates(direction, point, line)
    last_line(loop, goal)
    turned_parts(loop[LOOP_DIRECTIONS + 3 : LOOP_DIRECTIONS + 6], line, parts[0], parts[1], parts[2])
    first, step = loop[LOOP_DIRECTIONS : LOOP_DIRECTIONS + 3], loop[LOOP_STEPS : LOOP_STEPS + 3]
    rows = empty(3, 6)
    for part in range(3):
        if part > 0:
            parts[part, SIZE - 1] = 0.0
        translate(step, parts[part], moved)
        _unmoved(first, moved, rows[part])
    _unmoved(first, goal, moved)
    cc, cs, ss, bc, bs = 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(6):
        left = moved[k] - rows[0, k]
        cc += rows[1, k] * rows[1, k]
        cs += rows[1, k] * rows[2, k]
        ss += rows[2, k] * rows[2, k]
        bc += rows[1, k] * left
        bs += rows[2, k] * left
    half, spread = 0.5 * (cc + ss), math.sqrt(0.25 * (cc - ss) * (cc - ss) + cs * cs)
    count = 1
    if half - spread > FLAT * (half + spread):
        q[0, 1] = angle_of(cc * bs - cs * bc, ss * bc - cs * bs)
    elif half > 0.0:
        main = 0.5 * angle_of(2.0 * cs, cc - ss)  # the direction that is determined, and how far along it
        sine, cosine = sincos(main)
        along = min(max((cosine * bc + sine * bs) / (half + spread), -1.0), 1.0)
        apart = angle_of(math.sqrt(1.0 - along * along), along)
        q[0, 1], q[1, 1] = main + apart, main - apart
        count = 2
    else:
        q[0, 1] = 0.0
    for branch in range(count):
        for i in range(3):
            q[branch, 2 + i] = three[i]
        _first_joint(loop, direction, point, goal, q[branch])
        _last_joint(loop, q[branch])
    return count


@compiled
def _turn(loop: Floats, joint: int, sine: float, cosine: float, v: Floats) -> None:
    """Turn a vector [3] about an axis of the loop."""
    at = LOOP_DIRECTIONS + 3 * joint
    x, y, z = loop[at], loop[at + 1], loop[at + 2]
    along = (1.0 - cosine) * (x * v[0] + y * v[1] + z * v[2])
    v[0], v[1], v[2] = (
        cosine * v[0] + sine * (y * v[2] - z * v[1]) + along * x,
        cosine * v[1] + sine * (z * v[0] - x * v[2]) + along * y,
        cosine * v[2] + sine * (x * v[1] - y * v[0]) + along * z,
    )


@compiled
def _unmoved(h: Floats, v: Floats, to: Floats) -> None:
    """The six coordinates [6] that a turn about h does not change."""
    for part in range(VECTORS):
        to[part] = h[0] * v[3 * part] + h[1] * v[3 * part + 1] + h[2] * v[3 * part + 2]
    to[4], to[5] = v[SQUARE], v[ALONG]


@compiled
def _first_joint(loop: Floats, direction: Floats, point: Floats, goal: Floats, q: Floats) -> None:
    """Joint 1 brings the line that joints 2 to 5 give to where it is to be: direction and point, by least
    squares.
    """
    sine, cosine = sincos(q[1])
    turned, placed = empty(3), empty(3)
    for i in range(3):
        turned[i], placed[i] = direction[i], point[i]
    _turn(loop, 1, sine, cosine, turned)
    _turn(loop, 1, sine, cosine, placed)
    for i in range(3):
        placed[i] += loop[LOOP_STEPS + i]
    across, along = 0.0, 0.0
    h = loop[LOOP_DIRECTIONS : LOOP_DIRECTIONS + 3]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        across += h[i] * (turned[j] * goal[k] - turned[k] * goal[j])
        across += h[i] * (placed[j] * goal[3 + k] - placed[k] * goal[3 + j])
        along += turned[i] * goal[i] + placed[i] * goal[3 + i]
    along -= dot(h, turned) * dot(h, goal[:3]) + dot(h, placed) * dot(h, goal[3:6])
    q[0] = angle_of(across, along)


@compiled
def _last_joint(loop: Floats, q: Floats) -> None:
    """Joint 6 turns what joints 1 to 5 leave."""
    R = empty(9)
    _turn_joints(loop, q, 5, R)
    across, along = 0.0, 0.0
    at = LOOP_DIRECTIONS + 15
    # The turn left is R^T S: twice its sine is along its axis, and its trace is 1 + 2 cos.
    T = empty(3, 3)
    for i in range(3):
        for j in range(3):
            T[i, j] = 0.0
            for k in range(3):
                T[i, j] += R[3 * k + i] * loop[LOOP_ROTATION + 3 * k + j]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        across += loop[at + i] * (T[k, j] - T[j, k])
        along += T[i, i]
    q[5] = angle_of(across, along - 1.0)


@compiled
def _turn_joints(loop: Floats, q: Floats, count: int, R: Floats) -> None:
    """R [9] of the first joints."""
    for i in range(9):
        R[i] = 1.0 if i % 4 == 0 else 0.0
    for joint in range(count):
        at = LOOP_DIRECTIONS + 3 * joint
        sine, cosine = sincos(q[joint])
        turn_about(R, 0, loop[at], loop[at + 1], loop[at + 2], sine, cosine)


@compiled(inline=False)
def converge(loop: Floats, q: Floats) -> float:
    """Newton's method on the loop, in place; returns the squared error, in the arm's length and radians."""
    J, A, work = empty(6, 6), empty(6, 6), empty(6)
    error, dq, best = empty(6), empty(6), empty(6)
    smallest = 1e300
    for _ in range(NEWTON_STEPS):
        squared = _linearise(loop, q, J, error)
        if not squared < 0.9 * smallest:
            break
        smallest = squared
        for i in range(6):
            best[i] = q[i]
        if squared < CLOSED:
            break
        damped_solve(J, error, 0.0, DAMPING, A, work, dq)
        largest = 0.0
        for i in range(6):
            largest = max(largest, abs(dq[i]))
        scale = 1.0 if largest <= LONGEST else LONGEST / largest
        for i in range(6):
            q[i] = nearest_turn(q[i] + scale * dq[i])
    for i in range(6):
        q[i] = best[i]
    return smallest


@compiled
def _linearise(loop: Floats, q: Floats, J: Floats, error: Floats) -> float:
    """J [6, 6] and the error [6] of the line's point and of the rotation; returns the error's square."""
    R, origins, position = empty(9), empty(6, 3), empty(3)
    for i in range(9):
        R[i] = 1.0 if i % 4 == 0 else 0.0
    position[0], position[1], position[2] = 0.0, 0.0, 0.0
    for joint in range(6):
        at = LOOP_DIRECTIONS + 3 * joint
        x, y, z = loop[at], loop[at + 1], loop[at + 2]
        J[3, joint], J[4, joint], J[5, joint] = times(R, 0, x, y, z)
        for i in range(3):
            origins[joint, i] = position[i]
        sine, cosine = sincos(q[joint])
        turn_about(R, 0, x, y, z, sine, cosine)
        if joint < 5:
            at = LOOP_STEPS + 3 * joint
            dx, dy, dz = times(R, 0, loop[at], loop[at + 1], loop[at + 2])
            position[0] += dx
            position[1] += dy
            position[2] += dz
    for i in range(3):
        error[i] = loop[LOOP_POINT + i] - position[i]
    for joint in range(6):
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            arm_j, arm_k = position[j] - origins[joint, j], position[k] - origins[joint, k]
            J[i, joint] = J[3 + j, joint] * arm_k - J[3 + k, joint] * arm_j
    for i in range(3):
        error[3 + i] = 0.0
    away = 3.0
    for column in range(3):  # half the sum of the cross products of the axes with those that they should be
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            wanted_j, wanted_k = loop[LOOP_ROTATION + 3 * j + column], loop[LOOP_ROTATION + 3 * k + column]
            error[3 + i] += 0.5 * (R[3 * j + column] * wanted_k - R[3 * k + column] * wanted_j)
            away -= R[3 * i + column] * loop[LOOP_ROTATION + 3 * i + column]
    # 3 - trace is 2 (1 - cos), which tells half a turn from none; the sines alone do not.
    return squared_length(error) + (away if away > 1e-8 else 0.0)
