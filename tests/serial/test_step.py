"""One iteration of the fast core, beside pinocchio, finite differences and NumPy's linear algebra."""

import math

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

import limbik
from fast_chains import evaluated, fast_chains
from limbik import JointKind
from limbik.compiler.symbols import Tape
from limbik.model.canonical import canonical
from limbik.model.chain import chain_to
from limbik.serial.kernels import step
from limbik.serial.layout import VIEW
from limbik.serial.prepare import prepare
from limbik.serial.seed_table import Shape
from limbik.serial.step import (
    DAMPING,
    MIN_DAMPING,
    JointFrame,
    LinkRow,
    Objective,
    SerialTuning,
    damped_step,
    damping,
    frames,
    iteration,
    jacobian,
    may_move,
    rotation_error,
    sincos,
    solve_symmetric,
)
from strategies import SEEDS, rotation_vectors, unit_vectors

EXACT = SerialTuning()
COARSE = SerialTuning(single=True)
ALL = (1.0,) * 6
COUNTS = st.integers(1, 12)


def frame_of(pose):
    """A pose as the step takes it."""
    return JointFrame(*(list(pose[:3, column]) for column in range(4)))


def pose_of(frame):
    """And back."""
    pose = np.eye(4)
    pose[:3] = np.column_stack(frame)
    return pose


def asked_for(rows=ALL, weights=ALL, axes=(1.0, 1.0, 1.0)):
    """What is asked for, with everything that follows from it."""
    weights = np.array(weights, dtype=float)
    return Objective(list(rows), list(weights), list(weights**-2.0), list(axes), 4.0 - sum(axes))


def rows_of(model):
    """A model's chain as rows, its canonical form, and the x of a unit of q [n]."""
    form = canonical(chain_to(model))
    hinges = np.where(form.is_prismatic, 0.0, 1.0)
    prepared = prepare(form)
    numbers = np.column_stack([prepared.rows, hinges])
    return [LinkRow(*each) for each in numbers.tolist()], form, prepared.scale


def random_rows(rng, count):
    """Rows [count] of revolute joints, with some slides among them."""
    rows = []
    for _ in range(count):
        d, a, alpha, theta = (rng.uniform(-0.5, 0.5, 4) * [1.0, 1.0, 6.0, 6.0]).tolist()
        is_revolute = rng.random() < 0.8
        turn = 0.0 if is_revolute else theta  # a revolute joint's own turn is in its x
        rows.append(LinkRow(d, a, math.cos(alpha), math.sin(alpha), turn, float(is_revolute)))
    return rows


def random_problem(seed, count):
    """Rows, values, first frame and limits of a random chain."""
    rng = np.random.default_rng(seed)
    first = np.eye(4)
    first[:3, :3] = Rotation.random(rng=rng).as_matrix()
    first[:3, 3] = rng.uniform(-1.0, 1.0, 3)
    lower = rng.uniform(-3.0, 0.0, count)
    upper = lower + rng.uniform(0.0, 3.0, count)
    x = lower + (upper - lower) * rng.choice([0.0, 0.3, 0.7, 1.0], count)
    x = np.clip(x, lower, upper)
    return random_rows(rng, count), x, frame_of(first), lower, upper


# ----------------------------------------------------------------------------------------------------
# kinematics


@given(fast_chains(), SEEDS)
def test_the_tool_is_where_the_model_says(model, seed):
    rows, form, unit = rows_of(model)
    for q in model.random(seed, size=3):
        tool, axes = frames((unit * form.values(q)).tolist(), frame_of(form.base), rows, EXACT)
        expected = model.pose(q)
        scale = 1.0 + np.abs(form.d).max() + np.abs(form.a).max() + np.abs(expected).max()
        assert_allclose(pose_of(tool) @ form.tool, expected, rtol=0.0, atol=1e-11 * scale)
        assert len(axes) == form.size


@given(fast_chains(max_joints=7), SEEDS)
def test_columns_are_those_of_the_models_jacobian(model, seed):
    rows, form, unit = rows_of(model)
    q = model.random(seed)
    tool, axes = frames((unit * form.values(q)).tolist(), frame_of(form.base), rows, EXACT)
    columns = unit[:, None] * np.array(jacobian(tool.origin, axes, rows))
    columns = columns[form.joints >= 0]
    scale = 1.0 + np.abs(form.d).max() + np.abs(form.a).max() + np.abs(columns).max()
    assert_allclose(columns.T, model.jacobian(q), rtol=0.0, atol=1e-11 * scale)


class Panda:
    """The Panda's arm in pinocchio, from the numbers of the model."""

    def __init__(self):
        self.limbik = limbik.load("panda")
        self.model, joint, place = pin.Model(), 0, pin.SE3.Identity()
        for each in self.limbik.path():
            place = place * pin.SE3(each.origin)
            if each.kind is not JointKind.FIXED:
                moving = pin.JointModelRevoluteUnaligned(*each.axis)
                joint, place = self.model.addJoint(joint, moving, place, each.name), pin.SE3.Identity()
        place = place * pin.SE3(self.limbik.frame(self.limbik.end_effector).pose_link_frame)
        self.tool = self.model.addFrame(pin.Frame("tool", joint, place, pin.FrameType.OP_FRAME))
        self.data = self.model.createData()

    def pose(self, q):
        pin.framesForwardKinematics(self.model, self.data, q)
        return self.data.oMf[self.tool].homogeneous

    def jacobian(self, q):
        return pin.computeFrameJacobian(
            self.model, self.data, q, self.tool, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        )


@pytest.fixture(scope="module")
def panda():
    return Panda()


def test_a_robot_moves_as_in_pinocchio(panda):
    rows, form, unit = rows_of(panda.limbik)
    for q in panda.limbik.random(0, size=50):
        tool, axes = frames((unit * form.values(q)).tolist(), frame_of(form.base), rows, EXACT)
        assert_allclose(pose_of(tool) @ form.tool, panda.pose(q), rtol=0.0, atol=1e-13)
        columns = np.array(jacobian(tool.origin, axes, rows))
        assert_allclose(columns.T, panda.jacobian(q), rtol=0.0, atol=1e-13)


@given(SEEDS, COUNTS)
def test_columns_are_differences_of_poses(seed, count):
    rows, x, first, _, _ = random_problem(seed, count)
    tool, axes = frames(x.tolist(), first, rows, EXACT)
    columns = np.array(jacobian(tool.origin, axes, rows))
    h = 1e-5
    for i in range(count):
        ahead, behind = (x + s * h * np.eye(count)[i] for s in (1.0, -1.0))
        ahead, behind = (pose_of(frames(each.tolist(), first, rows, EXACT)[0]) for each in (ahead, behind))
        turn = Rotation.from_matrix(ahead[:3, :3] @ behind[:3, :3].T).as_rotvec()
        difference = np.concatenate([ahead[:3, 3] - behind[:3, 3], turn]) / (2.0 * h)
        assert_allclose(columns[i], difference, rtol=0.0, atol=1e-7)


def stated_error(angle):
    """Of sine and cosine: the polynomials', and the rounding of the angle as whole turns are taken off."""
    return 4e-15 + 5e-16 * np.abs(angle)


@given(st.floats(-20.0, 20.0))
def test_sine_and_cosine_are_within_their_stated_errors(angle):
    s, c = sincos(angle, EXACT)
    assert abs(s - math.sin(angle)) <= stated_error(angle)
    assert abs(c - math.cos(angle)) <= stated_error(angle)
    single = np.array([angle], np.float32)
    s, c = sincos(single, COARSE)
    assert s.dtype == np.float32
    # An angle of 20 rad is known to 1e-6 in single precision, and loses about as much in taking turns off.
    rounding = 3e-7 * (1.0 + abs(angle))
    assert abs(float(s[0]) - math.sin(float(single[0]))) <= rounding
    assert abs(float(c[0]) - math.cos(float(single[0]))) <= rounding


def test_the_largest_errors_of_sine_and_cosine_are_those_stated():
    angles = np.linspace(-20.0, 20.0, 400_001)
    s, c = sincos(angles, EXACT)
    assert (np.abs(s - np.sin(angles)) <= stated_error(angles)).all()
    assert (np.abs(c - np.cos(angles)) <= stated_error(angles)).all()
    s, c = sincos(angles, COARSE)  # the polynomials for single precision, without its rounding
    assert max(np.abs(s - np.sin(angles)).max(), np.abs(c - np.cos(angles)).max()) <= 3.5e-8


# ---------------------------------------------------------------------------------------------------------
# errors


@given(rotation_vectors())
def test_the_rotation_error_is_twice_the_sine_of_half_the_angle_along_the_axis(vector):
    angle = float(np.linalg.norm(vector))
    tool = JointFrame(*Rotation.from_rotvec(vector).as_matrix().T.tolist(), [0.0] * 3)
    error = np.array(rotation_error(tool, asked_for()))
    if angle > math.pi - 3e-3:
        assert abs(np.linalg.norm(error) - 2.0) < 1e-5
        return
    assert abs(np.linalg.norm(error) - 2.0 * math.sin(0.5 * angle)) <= 1e-12 / (math.pi - angle)
    toward = -vector / angle if angle > 0.0 else np.zeros(3)
    assert_allclose(error, 2.0 * math.sin(0.5 * angle) * toward, rtol=0.0, atol=1e-10)


@given(unit_vectors(), st.sampled_from([0.0, 1e-12, 1e-9, 1e-6, 1e-4, 1e-3]))
def test_half_a_turn_is_never_taken_for_none(axis, less):
    tool = JointFrame(*Rotation.from_rotvec((math.pi - less) * axis).as_matrix().T.tolist(), [0.0] * 3)
    assert abs(np.linalg.norm(rotation_error(tool, asked_for())) - 2.0) <= 1e-6


@given(st.integers(0, 2), unit_vectors(), st.floats(-3.0, 3.0))
def test_with_one_axis_alone_the_error_turns_that_axis_and_says_nothing_of_spin(free, found, spin):
    wanted = np.eye(3)[free]
    sine, cosine = np.linalg.norm(np.cross(found, wanted)), float(found @ wanted)
    angle = math.atan2(sine, cosine)
    across = np.cross(found, wanted) / sine if sine > 1e-9 else np.eye(3)[(free + 1) % 3]
    turn = Rotation.from_rotvec(spin * found) * Rotation.from_rotvec(-angle * across)
    tool = JointFrame(*turn.as_matrix().T.tolist(), [0.0] * 3)
    axes = [2.0 if k == free else 0.0 for k in range(3)]
    error = np.array(rotation_error(tool, asked_for(axes=axes)))
    if angle > math.pi - 3e-3:
        assert abs(np.linalg.norm(error) - 2.0) < 1e-5
        error[free] = 0.0
        assert np.linalg.norm(error) > 1.0
        return
    assert error[free] == 0.0 or abs(error[free]) < 1e-12
    expected = 2.0 * math.sin(0.5 * angle) * (across if sine > 1e-9 else np.zeros(3))
    assert_allclose(error, expected, rtol=0.0, atol=1e-8)


# ---------------------------------------------------------------------------------------------------------
# solving


@given(SEEDS, COUNTS)
def test_symmetric_systems_are_solved_as_by_numpy(seed, count):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(count, count))
    A, b = root @ root.T + 0.1 * np.eye(count), rng.normal(size=count)
    triangle = [row[: i + 1] for i, row in enumerate(A.tolist())]
    kept = [list(row) for row in triangle]
    assert_allclose(solve_symmetric(triangle, b.tolist()), np.linalg.solve(A, b), rtol=1e-9, atol=1e-9)
    assert triangle == kept


@given(SEEDS, COUNTS, st.floats(1e-6, 1.0))
def test_the_damped_step_is_the_same_by_either_normal_equation(seed, count, added):
    rng = np.random.default_rng(seed)
    J, e = rng.normal(size=(6, count)), rng.normal(size=6)
    weights = rng.uniform(0.1, 2.0, 6)
    W = np.diag(weights)
    expected = np.linalg.lstsq(
        np.vstack([W @ J, math.sqrt(added) * np.eye(count)]), np.append(W @ e, np.zeros(count))
    )[0]
    found = damped_step(J.T.tolist(), e.tolist(), asked_for(weights=weights), added)
    assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


# -------------------------------------------------------------------------------------------------------
# iteration


@given(SEEDS, COUNTS)
def test_an_iteration_never_leaves_the_limits_nor_takes_too_long_a_step(seed, count):
    rows, x, first, lower, upper = random_problem(seed, count)
    after = iteration(x.tolist(), first, rows, lower.tolist(), upper.tolist(), asked_for(), EXACT)
    moved = np.array(after.x)
    assert (moved >= lower).all()
    assert (moved <= upper).all()
    assert np.abs(moved - x).max() <= EXACT.longest_step + 1e-12
    assert after.cost >= 0.0


@given(SEEDS, COUNTS)
def test_an_iteration_is_the_damped_step_of_the_joints_that_may_move(seed, count):
    rows, x, first, lower, upper = random_problem(seed, count)
    objective = asked_for(weights=[1.0] * 3 + [0.4] * 3)
    after = iteration(x.tolist(), first, rows, lower.tolist(), upper.tolist(), objective, EXACT)
    tool, axes = frames(x.tolist(), first, rows, EXACT)
    J = np.array(jacobian(tool.origin, axes, rows)).T
    error = np.append(-np.array(tool.origin), rotation_error(tool, objective))
    W = np.diag(objective.weights)
    cost = float(error @ W @ W @ error)
    assert_allclose(after.cost, cost, rtol=1e-12)
    assert_allclose(
        [after.position, after.rotation], [error[:3] @ error[:3], error[3:] @ error[3:]], rtol=1e-12
    )
    slope = J.T @ W @ W @ error
    assume(np.abs(slope).min() > 1e-9)
    blocked = ((x <= lower) & (slope < 0.0)) | ((x >= upper) & (slope > 0.0))
    change = np.zeros(count)
    free = ~blocked
    added = damping(cost)
    if free.any():
        system = np.vstack([W @ J[:, free], math.sqrt(added) * np.eye(int(free.sum()))])
        change[free] = np.linalg.lstsq(system, np.append(W @ error, np.zeros(int(free.sum()))))[0]
    expected = np.clip(x + np.clip(change, -2.0, 2.0), lower, upper)
    assert_allclose(after.x, expected, rtol=0.0, atol=1e-6)
    assert_array_equal(np.array(after.x)[blocked], x[blocked])


def test_a_joint_at_a_limit_moves_only_inward():
    for x, slope, expected in [
        (0.0, -1.0, 0.0),
        (0.0, 1.0, 1.0),
        (1.0, 1.0, 0.0),
        (1.0, -1.0, 1.0),
        (0.5, 9.0, 1.0),
    ]:
        assert may_move(x, slope, 0.0, 1.0) == expected


def test_a_locked_joint_takes_no_part_of_a_step():
    """Also where rounding alone decides whether the error has a slope along it."""
    for slope in (1.0, 0.0, -1.0):
        assert may_move(0.3, slope, 0.3, 0.3) == 0.0


@given(SEEDS, COUNTS)
def test_at_the_goal_nothing_moves(seed, count):
    rows, x, first, lower, upper = random_problem(seed, count)
    tool, _ = frames(x.tolist(), first, rows, EXACT)
    seen = frame_of(np.linalg.inv(pose_of(tool)) @ pose_of(first))
    after = iteration(x.tolist(), seen, rows, lower.tolist(), upper.tolist(), asked_for(), EXACT)
    assert after.cost < 1e-24
    assert_allclose(after.x, x, rtol=0.0, atol=1e-5)


def test_damping_grows_with_the_squared_error_and_is_never_none():
    assert damping(0.0) == MIN_DAMPING > 0.0
    assert damping(2.0) == DAMPING * 2.0 + MIN_DAMPING


# ----------------------------------------------------------------------------------------------------------
# tiers


def in_every_tier(seed, count, tuning):
    """The next values by floats, by arrays, by symbols and by the emitted kernel."""
    rows, x, first, lower, upper = random_problem(seed, count)
    objective = asked_for(weights=[1.0] * 3 + [0.4] * 3)
    limits = lower.tolist(), upper.tolist()
    on_floats = iteration(x.tolist(), first, rows, *limits, objective, tuning).x
    wide = [np.array([value, value]) for value in x]
    on_arrays = [value[1] for value in iteration(wide, first, rows, *limits, objective, tuning).x]
    tape = Tape()
    symbols = [tape.symbol(f"x{i}") for i in range(count)]
    written = iteration(symbols, first, rows, *limits, objective, tuning).x
    on_symbols = evaluated(tape, written, **{f"x{i}": float(value) for i, value in enumerate(x)})
    shape = Shape("".join("R" if row.is_revolute else "P" for row in rows), None)
    numbers = np.concatenate(
        [[value for row in rows for value in row[:5]], lower, upper]
        + [np.atleast_1d(part) for part in objective]
    )
    kernel = step(shape, 8, tuning)
    block = np.zeros((2 * count + VIEW + 3, 8))
    block[:count] = x[:, None]
    block[count : count + VIEW] = np.concatenate(first)[:, None]
    kernel.interpreted(block.reshape(-1), numbers)
    return [np.array(each) for each in (on_floats, on_arrays, on_symbols, block[:count, 3])]


@settings(max_examples=30)
@given(SEEDS, COUNTS)
def test_every_tier_takes_the_same_step(seed, count):
    floats, *others = in_every_tier(seed, count, EXACT)
    for other in others:
        assert_allclose(other, floats, rtol=0.0, atol=1e-9)


def test_another_damping_changes_every_tier():
    stiff = SerialTuning(damping=lambda cost: 10.0 * cost + 1.0)
    for seed in range(10):
        for before, after in zip(in_every_tier(seed, 7, EXACT), in_every_tier(seed, 7, stiff), strict=True):
            assert np.abs(before - after).max() > 1e-6
        floats, *others = in_every_tier(seed, 7, stiff)
        for other in others:
            assert_allclose(other, floats, rtol=0.0, atol=1e-9)


def test_a_shorter_longest_step_shortens_every_tier():
    short = SerialTuning(longest_step=1e-3)
    for seed in range(5):
        _, x, _, _, _ = random_problem(seed, 7)
        for after in in_every_tier(seed, 7, short):
            assert np.abs(after - x).max() <= 1e-3 + 1e-12
