"""All configurations of a 6R arm of any geometry (Raghavan & Roth 1993): prepares an arm's constants and
searches the roots of the resultant.

Raghavan & Roth's elimination ("Inverse kinematics of the general 6R manipulator and related linkages", ASME
Journal of Mechanical Design 115, 1993), in cosines and sines:

1. two joints of the loop are eliminated from 14 equations, six are left (`general_elimination`);
2. the resultant of the six is a trigonometric polynomial in one joint (`general_resultant`), from samples;
3. all its real roots are found (`numerics.trigonometric_roots`), those that rounding hides from a count, too;
4. a null vector gives two joints more (`general_angles`), the line of the last axis the others, and Newton's
   method on the loop sharpens and verifies every answer (`general_configuration`).

Complete: at every configuration the twelve equations have a null vector, so its suppressed joint is a root of
the resultant; no root is left out; and where several configurations have one in common, all pairs of the
other two joints are found. That needs a resultant that is not zero everywhere, which depends on the geometry
and on the choice of the window, the direction and the joint that is suppressed: twelve arrangements, of which
`prepare_general` takes the best conditioned one. Many arms that are built (with wrists, parallel or
intersecting axes) leave only some of them.

What remains is rounding: where configurations coincide or nearly do (at singular configurations, and at some
poses of right angles) one of them may be left out. `benchmarks/general_6r.py` counts such cases.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from limbik.analytic.axes import Axes
from limbik.analytic.general_angles import CUBIC, MAX_PAIRS, unknown_angles
from limbik.analytic.general_configuration import converge, other_joints
from limbik.analytic.general_elimination import (
    AT_DEGREE,
    AT_DIRECTIONS,
    AT_FRAME,
    AT_HOME,
    AT_LEFT,
    AT_LENGTH,
    AT_REVERSED,
    AT_SHIFTED,
    AT_SMALL_TABLE,
    AT_STEPS,
    AT_STRETCH_TABLE,
    AT_SUPPRESSED,
    AT_TABLE,
    CONSTANTS,
    LOOP_SIZE,
    close_loop,
    eliminate,
)
from limbik.analytic.general_resultant import MAX_SAMPLES, resultant_roots, roots_in_stretch
from limbik.analytic.geometry import MIN_REGULARITY, jacobian
from limbik.analytic.line_coordinates import SIZE, line_coordinates, translate, turned_parts
from limbik.compiler.arrays import array
from limbik.compiler.kernel import Floats, compiled, empty
from limbik.numerics.rotation import turn_about
from limbik.numerics.trigonometric_roots import MAX_DEGREE, bernstein_table
from limbik.numerics.trigonometry import angle_between, nearest_turn, sincos
from limbik.spatial import Array

JOINTS = 6
MAX_CONFIGURATIONS = 96  # 16 where they are isolated; of curves there are any number
SIDE_CAPACITY = 24  # of them, for each displaced pose: samples of one curve must not fill all
MAX_ROOTS = 96
MAX_IN_STRETCH = 24
MAX_LOOKED_INTO = 60  # stretches in which rounding hides the resultant's sign
ASIDE = 1e-5  # [rad, and of the arm's length] by which a pose is moved whose roots coincide
SHORT = 1e-9  # [rad] of a stretch that is one root
NARROW = 1e-5  # [rad] of one that is not halved where looking into it does not shorten it
HIDES = 1e-2  # [rad] of one at a displaced pose that may hold a root although none is counted
VERIFIED = 1e-20  # squared error of an answer, in the arm's length and radians
SAME = 1e-4  # [rad] by which configurations differ that cannot be told apart in double precision, at worst
UNRESOLVED, RESOLVED, AT_ONCE = 0, 1, 2
DEGREES = (8, 12, 12)  # of the resultant in the first, second and third joint of the window
TRIALS = 4  # poses by which the arrangements are compared
MIN_DISTINCT = 1e-7  # of the second singular value: under it null vectors are not those of one solution
PROFILE = 2048  # angles at which resultants of several poses are compared
COMMON_ZERO = 1e-5  # part of their largest values under which all are zero
HIDING = 1e-3  # what such a zero makes an arrangement worth


def prepare_general(axes: Axes) -> Array | None:
    """The constants of an arm for `all_general`.

    None where the arm has not six revolute joints with some distance between their axes, or where none of the
    twelve arrangements serves: arms that nowhere move in all six directions, and those in which
    configurations have joints in common at every pose, such as arms with two spherical joints. The latter
    have closed forms of their own.
    """
    if axes.size != JOINTS or axes.is_prismatic.any():
        return None
    length = float(np.linalg.norm(axes.steps[1:JOINTS], axis=1).sum())
    if not length > 0.0:
        return None
    random = np.random.default_rng(0)
    trials = random.uniform(-np.pi, np.pi, (TRIALS, JOINTS))
    if max(np.linalg.svd(jacobian(axes, q), compute_uv=False)[-1] for q in trials) < MIN_REGULARITY:
        return None
    poses = [axes.pose(q) for q in trials]
    best, best_value = None, 0.0
    for is_reversed in (False, True):
        for is_shifted in (True, False):
            constants = _window(axes.reversed() if is_reversed else axes, is_reversed, is_shifted, length)
            loops, equations = np.empty((TRIALS, LOOP_SIZE)), np.empty((TRIALS, 3, 6, 9))
            for pose, loop, E in zip(poses, loops, equations, strict=True):
                close_loop(constants, pose.ravel(), loop)
                eliminate(constants, loop, E)
            for suppressed in range(3):
                constants[AT_SUPPRESSED] = suppressed
                own = trials[:, _joint(constants, 2 + suppressed)]
                value = _suitability(_suppressing(equations, suppressed), own, DEGREES[suppressed])
                if value > best_value:
                    best, best_value = constants.copy(), value
    return None if best is None else _completed(best)


def _window(axes: Axes, is_reversed: bool, is_shifted: bool, length: float) -> Array:
    """The constants of a walk and a window, with the left side in 1, cos, sin of all three joints."""
    steps = axes.steps / length
    window = slice(0, 5) if is_shifted else slice(1, 6)
    directions, links = axes.directions[window], steps[1 + window.start : window.stop]
    across = np.cross(directions[0], np.eye(3)[np.argmin(np.abs(directions[0]))])
    across /= np.linalg.norm(across)
    frame = np.array([across, np.cross(directions[0], across), directions[0]])
    constants = np.zeros(CONSTANTS)
    constants[AT_REVERSED], constants[AT_SHIFTED], constants[AT_LENGTH] = is_reversed, is_shifted, length
    constants[AT_DIRECTIONS:AT_STEPS] = axes.directions.ravel()
    constants[AT_STEPS:AT_HOME] = steps.ravel()
    constants[AT_HOME:AT_FRAME] = axes.home[:3, :3].ravel()
    constants[AT_FRAME:AT_LEFT] = frame.ravel()
    constants[AT_LEFT:AT_SMALL_TABLE] = _left(directions, links, frame).ravel()
    return constants


def _completed(constants: Array) -> Array:
    """The constants with the left side in the form that its suppressed joint needs, and with the tables."""
    suppressed = int(constants[AT_SUPPRESSED])
    degree = DEGREES[suppressed]
    left = constants[AT_LEFT:AT_SMALL_TABLE].reshape(1, 3, 9, SIZE).transpose(0, 1, 3, 2)
    left = _suppressing(left, suppressed).transpose(0, 1, 3, 2)
    constants[AT_DEGREE] = degree
    constants[AT_LEFT:AT_SMALL_TABLE] = left.ravel()
    constants[AT_SMALL_TABLE:AT_STRETCH_TABLE] = bernstein_table(CUBIC).ravel()
    constants[AT_STRETCH_TABLE:AT_TABLE] = bernstein_table(MAX_DEGREE).ravel()
    constants[AT_TABLE : AT_TABLE + (2 * degree + 1) ** 2] = bernstein_table(degree).ravel()
    return constants


def _suppressing(parts: Array, suppressed: int) -> Array:
    """The coefficients of 1, cos, sin of joints 3, 4 and 5, [N, 3, any, 9], with the suppressed joint first
    and the half angles of the others.
    """
    count, _, rows, _ = parts.shape
    products = parts.reshape(count, 3, rows, 3, 3).transpose(0, 2, 1, 3, 4)
    products = np.moveaxis(products, 2 + suppressed, 2)
    products = np.einsum("nraij,ik,jl->narkl", products, _HALF_ANGLE, _HALF_ANGLE)
    return np.asarray(products.reshape(count, 3, rows, 9))


# 1, cos a and sin a in C C, C S and S S of the half angle.
_HALF_ANGLE = np.array([[1.0, 0.0, 1.0], [1.0, 0.0, -1.0], [0.0, 2.0, 0.0]])


def _left(directions: Array, links: Array, frame: Array) -> Array:
    """[3, 3, 3, 15]: what 1, cos, sin of joints 3, 4 and 5 are multiplied by in the line's coordinates.

    directions [5, 3], links [4, 3]: of the window.
    """
    line = np.empty(SIZE)
    line_coordinates(directions[4], links[3], line)
    lines = line[:, None]
    for joint in (3, 2, 1):
        parts = np.empty((3, *lines.shape))
        turned_parts(directions[joint], lines, *parts)
        parts = np.moveaxis(parts, 0, 1).reshape(SIZE, -1)
        lines = np.empty_like(parts)
        translate(links[joint - 1], parts, lines)
    left = lines.T.reshape(3, 3, 3, SIZE).copy()
    left[..., :12] = (left[..., :12].reshape(3, 3, 3, 4, 3) @ frame.T).reshape(3, 3, 3, 12)
    return left


def _suitability(equations: Array, own: Array, degree: int) -> float:
    """How well an arrangement serves, by a few random configurations; 0 where it does not.

    equations [N, 3, 6, 9] of their poses; own [N]: their suppressed angles. Foremost how clearly a
    configuration stands out in the twelve equations: their second singular value from below, as part of the
    largest. A resultant of low degree is known better; one that is zero at the same angle for every pose
    hides the roots near it.
    """
    singular = np.linalg.svd(_twelve(equations, own[:, None])[:, 0], compute_uv=False)
    value = float(np.median(singular[:, -2] / singular[:, 0]))
    if value < MIN_DISTINCT:
        return 0.0
    determinants = np.linalg.det(_twelve(equations, np.broadcast_to(_SAMPLED, (len(own), MAX_SAMPLES))))
    coefficients = np.fft.rfft(determinants)[:, : degree + 1]
    profiles = np.abs(np.fft.irfft(coefficients, PROFILE))
    is_hiding = (profiles / profiles.max(axis=1, keepdims=True)).max(axis=0).min() < COMMON_ZERO
    return value / degree**2 * (HIDING if is_hiding else 1.0)


_SAMPLED = 2.0 * np.pi * np.arange(MAX_SAMPLES) / MAX_SAMPLES


def _twelve(equations: Array, angles: Array) -> Array:
    """[N, M, 12, 12]: the twelve equations of [N, 3, 6, 9] at angles [N, M] of the suppressed joint."""
    factors = np.stack([np.ones_like(angles), np.cos(angles), np.sin(angles)], axis=2)
    six = np.einsum("nma,narp->nmrp", factors, equations)
    twelve = np.zeros((*angles.shape, 12, 12))
    twelve[..., :6, :9], twelve[..., 6:, 3:] = six, six
    return twelve


@compiled
def _joint(constants: Floats, joint: int) -> int:
    """Which joint of the arm one of the loop's is."""
    walked = (joint + 5) % 6 if constants[AT_SHIFTED] > 0.0 else joint
    return 5 - walked if constants[AT_REVERSED] > 0.0 else walked


@compiled
def all_general(
    constants: Annotated[Floats, array(CONSTANTS)],
    pose: Annotated[Floats, array(16)],
    solutions: Annotated[Floats, array(MAX_CONFIGURATIONS + 1, JOINTS)],
) -> int:
    """Find every configuration [rad], in (-pi, pi], for a rigid pose [16]; returns their number.

    constants: of `prepare_general`. The last row of the solutions begins with whether all roots were resolved
    at the pose itself, and whether they were there or at the displaced poses.
    """
    loop, near_loop, near_pose = empty(LOOP_SIZE), empty(LOOP_SIZE), empty(16)
    close_loop(constants, pose, loop)
    capacity = MAX_CONFIGURATIONS - 2 * SIDE_CAPACITY
    count, resolution = _search(constants, loop, False, loop, solutions[:capacity], 0)
    solutions[MAX_CONFIGURATIONS, 0] = 1.0 if resolution > UNRESOLVED else 0.0
    solutions[MAX_CONFIGURATIONS, 1] = 1.0
    if resolution == AT_ONCE:
        return count
    for side in range(2):  # where two configurations meet in one, they are there on one side alone
        capacity += SIDE_CAPACITY
        aside(pose, constants[AT_LENGTH], ASIDE if side == 0 else -ASIDE, near_pose)
        close_loop(constants, near_pose, near_loop)
        count, resolution = _search(constants, near_loop, True, loop, solutions[:capacity], count)
        if resolution == UNRESOLVED:
            solutions[MAX_CONFIGURATIONS, 1] = 0.0
    return count


@compiled(inline=False)
def _search(
    constants: Floats, near_loop: Floats, is_beside: bool, loop: Floats, solutions: Floats, count: int
) -> tuple[int, int]:
    """Add the new configurations of a loop, by the roots of the loop itself or of one displaced, where the
    pose is in no special position.

    Returns their number, and how the roots of the resultant were separated, each with one configuration:
    AT_ONCE, RESOLVED by subdivision, or UNRESOLVED.
    """
    E, stretches, within = empty(3, 6, 9), empty(MAX_ROOTS + MAX_IN_STRETCH, 2), empty(MAX_IN_STRETCH, 2)
    eliminate(constants, near_loop, E)
    stretch_table = constants[AT_STRETCH_TABLE:AT_TABLE]
    table, roots = constants[AT_TABLE:], stretches[:MAX_ROOTS]
    waiting, is_resolved = resultant_roots(E, int(constants[AT_DEGREE]), table, roots)
    looked_into = 0
    while waiting > 0:
        waiting -= 1
        first, last = stretches[waiting, 0], stretches[waiting, 1]
        length = last - first
        if length < SHORT:
            root = 0.5 * (first + last)
            count, is_single = _solve_at(constants, E, root, near_loop, is_beside, loop, solutions, count)
            is_resolved &= is_single
            continue
        looked_into += 1
        inside = roots_in_stretch(E, first, last, stretch_table, within)
        if inside == 0 and (length < HIDES or not is_beside):  # rounding may hide a double root
            is_resolved = False
            count, _ = _solve_at(
                constants, E, 0.5 * (first + last), near_loop, is_beside, loop, solutions, count
            )
        for k in range(inside):
            begin, end = within[k, 0], within[k, 1]
            goes_on = looked_into <= MAX_LOOKED_INTO and waiting + 2 <= stretches.shape[0]
            if goes_on and end - begin < 0.5 * length:
                stretches[waiting, 0], stretches[waiting, 1] = begin, end
                waiting += 1
            elif goes_on and length > NARROW:
                middle = 0.5 * (begin + end)
                stretches[waiting, 0], stretches[waiting, 1] = begin, middle
                stretches[waiting + 1, 0], stretches[waiting + 1, 1] = middle, end
                waiting += 2
            else:
                is_resolved = False
                for part in range(3):
                    root = begin + 0.5 * part * (end - begin)
                    count, _ = _solve_at(constants, E, root, near_loop, is_beside, loop, solutions, count)
    return count, (AT_ONCE if looked_into == 0 else RESOLVED) if is_resolved else UNRESOLVED


@compiled(inline=False)
def _solve_at(
    constants: Floats,
    E: Floats,
    root: float,
    near_loop: Floats,
    is_beside: bool,
    loop: Floats,
    solutions: Floats,
    count: int,
) -> tuple[int, bool]:
    """Add the configurations at a root of the resultant that are new; returns their number, and whether
    there was one, or none.
    """
    suppressed = int(constants[AT_SUPPRESSED])
    pairs, three, branches, begin = empty(MAX_PAIRS, 2), empty(3), empty(2, 6), empty(6)
    angle, pair_count = unknown_angles(E, root, constants[AT_SMALL_TABLE:AT_STRETCH_TABLE], pairs)
    is_single = pair_count <= 1
    for p in range(pair_count):
        three[suppressed] = angle
        three[1 if suppressed == 0 else 0] = pairs[p, 0]
        three[1 if suppressed == 2 else 2] = pairs[p, 1]
        branch_count = other_joints(near_loop, three, branches)
        is_single &= branch_count == 1
        for branch in range(branch_count):
            q = branches[branch]
            for i in range(6):
                begin[i] = q[i]
            is_met = converge(loop, q) < VERIFIED
            if is_beside and not is_met and converge(near_loop, begin) < VERIFIED:
                for i in range(6):
                    q[i] = begin[i]
                is_met = converge(loop, q) < VERIFIED
                is_single &= is_met  # or it is lost between the displaced pose and the pose
            if is_met:
                count = _note(constants, q, solutions, count)
    return count, is_single and count < solutions.shape[0]


@compiled
def aside(pose: Floats, length: float, far: float, to: Floats) -> None:
    """A pose [16] a little aside, in no direction that an arm's geometry could single out."""
    turn = empty(9)
    for i in range(3):
        for j in range(3):
            turn[3 * i + j] = pose[4 * i + j]
        to[4 * i + 3] = pose[4 * i + 3] + far * length * (0.83 - 0.71 * i + 0.37 * i * i)
    sine, cosine = sincos(far)
    turn_about(turn, 0, 0.48, 0.6, 0.64, sine, cosine)
    for i in range(3):
        for j in range(3):
            to[4 * i + j] = turn[3 * i + j]


@compiled
def _note(constants: Floats, q: Floats, solutions: Floats, count: int) -> int:
    """Add a configuration of the loop where it is new; returns their number."""
    if count == solutions.shape[0]:
        return count
    for joint in range(6):
        angle = nearest_turn(q[joint])
        solutions[count, _joint(constants, joint)] = angle if angle > -np.pi else np.pi
    for k in range(count):
        apart = 0.0
        for joint in range(6):
            apart = max(apart, angle_between(solutions[k, joint], solutions[count, joint]))
        if apart < SAME:
            return count
    return count + 1
