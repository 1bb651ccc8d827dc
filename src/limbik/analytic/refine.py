"""Newton's method on the six errors of a pose: makes an answer of a closed form exact."""

from __future__ import annotations

import math

from limbik.analytic.layout import ARM_STEPS, JOINTS
from limbik.compiler.kernel import Floats, compiled, empty
from limbik.numerics.linear import damped_solve
from limbik.numerics.rotation import turn_about
from limbik.numerics.trigonometry import sincos

MAX_STEPS = 12
EXACT = 1e-14  # error, in units of the arm's size and of radians, that no step makes smaller
DAMPING = 1e-10  # part of the trace: where the arm is singular, no step goes far along a curve of solutions
LONGEST = 0.3  # [rad, or of the arm's size] of one step

# The work: the rotation R_1 ... R_i [9], six axes and points in the world [36], the error [6], a step [6],
# what the linear solve needs [6], and the second step by the first.
TURNED = 0
AXES = 9
POINTS = 27
ERROR = 45
CHANGE = 51
SOLVED = 57
CONTRACTION = 63  # above 1/2, Newton's method need not lead to the only configuration nearby (Kantorovich)


@compiled(inline=False)
def refine(arm: Floats, slides: Floats, held: Floats, wanted: Floats, q: Floats, work: Floats) -> float:
    """Move q [6] to where the arm reaches what is wanted; returns the error that is left, the larger of
    position (in units of the arm's size) and rotation [rad].

    slides, held [6]: 1 where a joint is prismatic, and where it stays.
    """
    J, A = empty(6, JOINTS), empty(6, 6)
    work[CONTRACTION] = first = 0.0
    error = errors_at(arm, slides, wanted, q, work, J)
    for step in range(MAX_STEPS):
        if not error > EXACT:
            return error
        for i in range(JOINTS):
            if held[i] > 0.5:
                for k in range(6):
                    J[k, i] = 0.0
        change = work[CHANGE : CHANGE + JOINTS]
        is_solved = damped_solve(
            J, work[ERROR : ERROR + 6], 0.0, DAMPING, A, work[SOLVED : SOLVED + 6], change
        )
        if not is_solved:
            return error
        largest = 0.0
        for i in range(JOINTS):
            largest = max(largest, abs(change[i]))
        if step == 0:
            first = largest
        elif step == 1:
            work[CONTRACTION] = largest / first
        scale = LONGEST / largest if largest > LONGEST else 1.0
        for i in range(JOINTS):
            q[i] += scale * change[i]
        before = error
        error = errors_at(arm, slides, wanted, q, work, J)
        if not error < before:
            for i in range(JOINTS):
                q[i] -= scale * change[i]
            if step == 0:
                work[CONTRACTION] = 1.0
            return before
    return error


@compiled(inline=False)
def errors_at(arm: Floats, slides: Floats, wanted: Floats, q: Floats, work: Floats, J: Floats) -> float:
    """The error at q into the work, and its Jacobian J [6, 6]; returns the larger of the errors."""
    R = work[TURNED : TURNED + 9]
    for i in range(9):
        R[i] = 1.0 if i % 4 == 0 else 0.0
    x = y = z = 0.0
    for i in range(JOINTS):
        ax, ay, az = arm[3 * i], arm[3 * i + 1], arm[3 * i + 2]
        for k in range(3):
            work[AXES + 3 * i + k] = R[3 * k] * ax + R[3 * k + 1] * ay + R[3 * k + 2] * az
        work[POINTS + 3 * i], work[POINTS + 3 * i + 1], work[POINTS + 3 * i + 2] = x, y, z
        if slides[i] > 0.5:
            x += q[i] * work[AXES + 3 * i]
            y += q[i] * work[AXES + 3 * i + 1]
            z += q[i] * work[AXES + 3 * i + 2]
        else:
            sine, cosine = sincos(q[i])
            turn_about(R, 0, ax, ay, az, sine, cosine)
        if i < JOINTS - 1:
            px, py, pz = arm[ARM_STEPS + 3 * i], arm[ARM_STEPS + 3 * i + 1], arm[ARM_STEPS + 3 * i + 2]
            x += R[0] * px + R[1] * py + R[2] * pz
            y += R[3] * px + R[4] * py + R[5] * pz
            z += R[6] * px + R[7] * py + R[8] * pz
    work[ERROR], work[ERROR + 1], work[ERROR + 2] = wanted[9] - x, wanted[10] - y, wanted[11] - z
    rx = ry = rz = 0.0
    for k in range(3):  # half the sum of column x wanted column: the axis times the sine of the angle
        ux, uy, uz = R[k], R[3 + k], R[6 + k]
        vx, vy, vz = wanted[k], wanted[3 + k], wanted[6 + k]
        rx += 0.5 * (uy * vz - uz * vy)
        ry += 0.5 * (uz * vx - ux * vz)
        rz += 0.5 * (ux * vy - uy * vx)
    work[ERROR + 3], work[ERROR + 4], work[ERROR + 5] = rx, ry, rz
    for i in range(JOINTS):
        ax, ay, az = work[AXES + 3 * i], work[AXES + 3 * i + 1], work[AXES + 3 * i + 2]
        if slides[i] > 0.5:
            J[0, i], J[1, i], J[2, i] = ax, ay, az
            J[3, i] = J[4, i] = J[5, i] = 0.0
            continue
        dx, dy, dz = x - work[POINTS + 3 * i], y - work[POINTS + 3 * i + 1], z - work[POINTS + 3 * i + 2]
        J[0, i] = ay * dz - az * dy
        J[1, i] = az * dx - ax * dz
        J[2, i] = ax * dy - ay * dx
        J[3, i] = ax
        J[4, i] = ay
        J[5, i] = az
    far = math.sqrt(work[ERROR] ** 2 + work[ERROR + 1] ** 2 + work[ERROR + 2] ** 2)
    turned = math.sqrt(rx * rx + ry * ry + rz * rz)
    cosine = 0.0
    for k in range(9):
        cosine += R[k] * wanted[k]
    if cosine < 1.0:  # more than a right angle apart: the sine says nothing
        turned = math.pi
    return max(far, turned)
