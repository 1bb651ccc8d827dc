"""One Levenberg-Marquardt iteration with joint limits for a serial chain, in plain Python that takes floats,
arrays or symbols.

Everything here is ordinary Python on scalars (`compiler.symbols`). Called with floats it is the reference;
with arrays it is a batch solver that needs no compiler; with symbols it is written out as straight-line code
(`compiler.emit`).

The chain is in Denavit-Hartenberg form (`model.canonical`) and is seen from the goal: its first frame is
given in the goal's axes, so the tool has to arrive at the origin with no rotation, and a weight on a row of
the error is a weight on an axis of the goal.

Sources: the damping is Sugihara's, "Solvability-Unconcerned Inverse Kinematics by the Levenberg-Marquardt
Method", IEEE Trans. Robotics 27(5), 2011, with the squared error instead of his E; joints that push
against a limit are left out (an active set of one pass; where that is not enough, of two: those that the step
would bring out of their limits are moved just to them, and the others do the rest, as in the bounded variable
least squares of Stark & Parker 1995).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from limbik.compiler.symbols import (
    Scalar,
    Scalars,
    cross,
    dot,
    floor,
    larger,
    polynomial,
    select,
    smaller,
    sqrt,
)

# sin(h) / h and cos(h) in h^2 on [-pi/2, pi/2]; least squares at Chebyshev points, the highest power first.
# Errors of the sine and cosine of 2h: 4e-15 and, for single precision, 3e-8.
SINE = (-7.370789789447971e-13, 1.604792326297652e-10, -2.5051876105936378e-08, 2.7557316561000454e-06,
        -0.0001984126982504252, 0.008333333333287502, -0.1666666666666627, 1.0000000000000002)  # fmt: skip
COSINE = (5.626743595891965e-14, -1.156156042140605e-11, 2.088047140821598e-09, -2.7557397869798633e-07,
          2.4801588233022142e-05, -0.0013888888895015638, 0.04166666666687377, -0.5000000000000301,
          1.0000000000000013)  # fmt: skip
SINE_SINGLE = (2.6051662910417997e-06, -0.00019809046591917962, 0.008333050625854023, -0.16666657970775964,
               0.999999995717983)  # fmt: skip
COSINE_SINGLE = (-2.6051076498184074e-07, 2.4760135716520707e-05, -0.0013888360852149105,
                 0.041666636210470585, -0.49999999357046526, 0.9999999997800425)  # fmt: skip

# Squared cosine of half the rotation error under which it counts as a half turn: its axis is as good as lost,
# and one that no machine is built along replaces it.
NEAR_HALF_TURN = 1e-6
HALF_TURN = (24.0 / 17.0, 18.0 / 17.0, 16.0 / 17.0)

DAMPING = 0.05  # per squared error
MIN_DAMPING = 1e-12
ROUNDING = {False: 1e-15, True: 1e-7}  # in double and in single precision, of a sum of products


def damping(cost: Scalar) -> Scalar:
    """The damping [m^2] where the weighted squared error is `cost` [m^2]: Sugihara's rule."""
    return DAMPING * cost + MIN_DAMPING


@dataclass(frozen=True)
class SerialTuning:
    """What the method may be tuned by. The defaults are measured: see docs/performance.md."""

    damping: Callable[[Scalar], Scalar] = damping
    longest_step: float = 2.0  # [rad, or m] of one joint
    is_careful: bool = False  # other joints take over at once what limits cut off the step of one
    single: bool = False  # in single precision


class LinkRow(NamedTuple):
    """One joint: Rz(theta) Tz(d) Tx(a) Rx(alpha), with x added to theta (revolute joint, 1), or x times d for
    d (slide, 0).

    Lengths are in units of the arm's own length, and those of a prismatic joint's x in units of its travel:
    its d.
    """

    d: Scalar
    a: Scalar
    cos_alpha: Scalar
    sin_alpha: Scalar
    theta: Scalar
    is_revolute: Scalar


class Objective(NamedTuple):
    """What the goal asks for, per axis of the goal: position x, y, z, then rotation about x, y, z."""

    rows: Scalars  # [6] 1, or 0 for what is free
    weights: Scalars  # [6] of the descent; the last three in metres per radian
    inverse_weights: Scalars  # [6] one over their squares
    axes: Scalars  # [3] how much each axis of the tool counts for the rotation error: see `rotation_error`
    spare: Scalar  # 3 less the sum of the axes, plus 1


class JointFrame(NamedTuple):
    """Axes and origin, each of 3 numbers."""

    x: Scalars
    y: Scalars
    z: Scalars
    origin: Scalars


class Iteration(NamedTuple):
    """What one iteration found at x, and where it goes."""

    x: list[Scalar]  # the next values
    position: Scalar  # squared error of the position at x [m^2], of the rows requested
    rotation: Scalar  # and of the rotation [rad^2]
    cost: Scalar  # weighted squared error at x [m^2]


def iteration(
    x: Scalars,
    first: JointFrame,
    rows: Sequence[LinkRow],
    lower: Scalars,
    upper: Scalars,
    objective: Objective,
    tuning: SerialTuning,
) -> Iteration:
    """One iteration from x [n] within [lower, upper]; `first` is the chain's first frame in the goal's."""
    tool, axes = frames(x, first, rows, tuning)
    error = [row * value for row, value in zip(objective.rows, pose_error(tool, objective), strict=True)]
    position, rotation = dot(error[:3], error[:3]), dot(error[3:], error[3:])
    weighted = [weight * value for weight, value in zip(objective.weights, error, strict=True)]
    cost = dot(weighted, weighted)
    J = jacobian(tool.origin, axes, rows)
    pull = [weight * value for weight, value in zip(objective.weights, weighted, strict=True)]
    slope = [dot(column, pull) for column in J]
    free = [may_move(*each) for each in zip(x, slope, lower, upper, strict=True)]
    J = [[mask * value for value in column] for mask, column in zip(free, J, strict=True)]
    rounding = ROUNDING[tuning.single]
    change = damped_step(J, error, objective, tuning.damping(cost), rounding)
    if tuning.is_careful:
        cut = [cut_off(*each) for each in zip(x, change, lower, upper, strict=True)]
        left = [value - dot([column[i] for column in J], cut) for i, value in enumerate(error)]
        stays = [is_inside(*each) for each in zip(x, change, lower, upper, strict=True)]
        J = [[mask * value for value in column] for mask, column in zip(stays, J, strict=True)]
        others = damped_step(J, left, objective, tuning.damping(cost), rounding)
        change = [a + b for a, b in zip(cut, others, strict=True)]
    change = [larger(smaller(value, tuning.longest_step), -tuning.longest_step) for value in change]
    moved = [
        larger(smaller(a + b, high), low) for a, b, low, high in zip(x, change, lower, upper, strict=True)
    ]
    return Iteration(moved, position, rotation, cost)


def frames(
    x: Scalars, first: JointFrame, rows: Sequence[LinkRow], tuning: SerialTuning
) -> tuple[JointFrame, list[tuple[Scalars, Scalars]]]:
    """The tool's frame, and each joint's axis and a point on it."""
    u, v, w, p = first
    axes = []
    for value, row in zip(x, rows, strict=True):
        axes.append((w, p))
        s, c = sincos(value * row.is_revolute + row.theta, tuning)
        d = row.d * (row.is_revolute + (1.0 - row.is_revolute) * value)
        u, v = _turned(u, v, c, s)
        p = [point + (d * along + row.a * across) for point, along, across in zip(p, w, u, strict=True)]
        v, w = _turned(v, w, row.cos_alpha, row.sin_alpha)
    return JointFrame(u, v, w, p), axes


def pose_error(tool: JointFrame, objective: Objective) -> list[Scalar]:
    """What is left to go: 3 of the position and 3 of the rotation, in the goal's axes."""
    return [-value for value in tool.origin] + rotation_error(tool, objective)


def rotation_error(tool: JointFrame, objective: Objective) -> list[Scalar]:
    """Twice the sine of half the angle to go, times its axis.

    The sum over the tool's axes of (axis x wanted axis) is 2 sin(angle) times the axis of rotation, and the
    sum of their cosines gives the angle. With weights (0, 0, 2) for the axes the tool's z alone counts: the
    same formula gives the turn that brings z to the goal's z, and says nothing of the spin about it.
    """
    x, y, z = tool.x, tool.y, tool.z
    ax, ay, az = objective.axes
    half_cosine = (ax * x[0] + ay * y[1] + az * z[2] + objective.spare) * 0.25  # squared
    scale = 0.5 / sqrt(larger(half_cosine, NEAR_HALF_TURN))
    error = (
        (ay * y[2] - az * z[1]) * -scale,
        (az * z[0] - ax * x[2]) * -scale,
        (ax * x[1] - ay * y[0]) * -scale,
    )
    is_opposite = half_cosine < NEAR_HALF_TURN
    return [select(is_opposite, turn, value) for turn, value in zip(HALF_TURN, error, strict=True)]


def jacobian(
    tip: Scalars, axes: list[tuple[Scalars, Scalars]], rows: Sequence[LinkRow]
) -> list[list[Scalar]]:
    """The columns [n][6]: how the tool moves and turns with each joint."""
    columns = []
    for (axis, point), row in zip(axes, rows, strict=True):
        arm = cross(axis, [a - b for a, b in zip(tip, point, strict=True)])
        travel = (1.0 - row.is_revolute) * row.d
        moves = [row.is_revolute * a + travel * b for a, b in zip(arm, axis, strict=True)]
        columns.append(moves + [row.is_revolute * a for a in axis])
    return columns


def may_move(x: Scalar, slope: Scalar, lower: Scalar, upper: Scalar) -> Scalar:
    """1, or 0 for a joint at a limit that the descent would not move away from it.

    Without a slope it stays too: a locked joint, at both limits at once, would take part of the step from the
    others and not go it.
    """
    return select(((x <= lower) & (slope <= 0.0)) | ((x >= upper) & (slope >= 0.0)), 0.0, 1.0)


def is_inside(x: Scalar, change: Scalar, lower: Scalar, upper: Scalar) -> Scalar:
    """1, or 0 for a joint that its change would bring out of its limits."""
    return select((x + change < lower) | (x + change > upper), 0.0, 1.0)


def cut_off(x: Scalar, change: Scalar, lower: Scalar, upper: Scalar) -> Scalar:
    """The change as far as the limit of a joint that would leave it, 0 for the others."""
    return select(x + change < lower, lower - x, select(x + change > upper, upper - x, 0.0))


def damped_step(
    J: list[list[Scalar]], e: Scalars, objective: Objective, added: Scalar, rounding: float = 0.0
) -> list[Scalar]:
    """The step dx [n] that minimises |W (J dx - e)|^2 + added |dx|^2, with the weights as W.

    By the smaller of the two normal equations: (J^T W^2 J + added I) dx = J^T W^2 e, or
    dx = J^T y with (J J^T + added W^-2) y = e.
    """
    if len(J) <= 5:
        J = [
            [weight * value for weight, value in zip(objective.weights, column, strict=True)] for column in J
        ]
        e = [weight * value for weight, value in zip(objective.weights, e, strict=True)]
        return solve_symmetric(_gram(J, [added] * len(J), rounding), [dot(column, e) for column in J])
    across = [[column[i] for column in J] for i in range(6)]
    y = solve_symmetric(
        _gram(across, [added * inverse_weights for inverse_weights in objective.inverse_weights], rounding), e
    )
    return [dot(column, y) for column in J]


def _gram(vectors: list[list[Scalar]], added: Scalars, rounding: float) -> list[list[Scalar]]:
    """The lower triangle of the products of all pairs of vectors, with something added on the diagonal.

    What rounding leaves of all squares is added too: no pivot may be less.
    """
    A = [[dot(u, v) for v in vectors[: i + 1]] for i, u in enumerate(vectors)]
    smallest: Scalar = 0.0
    for row in A:
        smallest = smallest + rounding * row[-1]
    for row, more in zip(A, added, strict=True):
        row[-1] = row[-1] + (more + smallest)
    return A


def solve_symmetric(A: list[list[Scalar]], b: Scalars) -> list[Scalar]:
    """The solution of A x = b for the lower triangle of a positive definite A, by A = L D L^T."""
    n = len(b)
    L = [list(row) for row in A]
    inverse: list[Scalar] = []
    for j in range(n):
        scaled = L[j][:j]
        for k in range(j):
            L[j][k] = scaled[k] * inverse[k]
            L[j][j] = L[j][j] - scaled[k] * L[j][k]
        inverse.append(1.0 / L[j][j])
        for i in range(j + 1, n):
            for k in range(j):
                L[i][j] = L[i][j] - L[i][k] * L[j][k]
    x = list(b)
    for i in range(n):
        for k in range(i):
            x[i] = x[i] - L[i][k] * x[k]
    x = [value * scale for value, scale in zip(x, inverse, strict=True)]
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            x[i] = x[i] - L[k][i] * x[k]
    return x


def sincos(angle: Scalar, tuning: SerialTuning) -> tuple[Scalar, Scalar]:
    """Sine and cosine of an angle [rad] of a few revolutions, without a branch, by those of half the
    angle.
    """
    half = (angle - floor(angle * (0.5 / math.pi) + 0.5) * (2.0 * math.pi)) * 0.5
    z = half * half
    s = polynomial(SINE_SINGLE if tuning.single else SINE, z) * half
    c = polynomial(COSINE_SINGLE if tuning.single else COSINE, z)
    return 2.0 * (s * c), 1.0 - 2.0 * (s * s)


def _turned(u: Scalars, v: Scalars, c: Scalar, s: Scalar) -> tuple[list[Scalar], list[Scalar]]:
    """Two axes turned about the third, from u toward v."""
    turned = [c * a + s * b for a, b in zip(u, v, strict=True)]
    return turned, [c * b - s * a for a, b in zip(u, v, strict=True)]
