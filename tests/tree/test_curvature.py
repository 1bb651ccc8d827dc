"""The Hessian of the squared errors, beside finite differences of the errors themselves."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from limbik.errors import GoalError
from limbik.goals import (
    CenterOfMass,
    Direction,
    DistanceBetween,
    JointValue,
    LookAt,
    Orientation,
    Pose,
    Position,
    Posture,
)
from limbik.tree.curvature import fill_hessian
from limbik.tree.evaluation import differentiate
from strategies import SEEDS, configuration
from tree.test_kinematics import Seen, away_from_half_turns, moved
from trees import goal_at, moving_frames, trees

few = settings(max_examples=12)  # interpreted kernels, and trees that take long to draw
STEP = 1e-4  # [rad or m] of second differences
EXACT = (Position, CenterOfMass, JointValue)


def hessian(seen, q):
    seen.errors(q)
    differentiate.interpreted(seen.tree, seen.objectives, seen.workspace, seen.workspace.J)
    fill_hessian.interpreted(seen.tree, seen.objectives, seen.workspace, seen.workspace.errors[0])
    return seen.workspace.hessian.copy()


def second_differences(seen, q):
    """Of half the squared errors, along every pair of velocities at once [nv, nv]."""

    def half(v):
        return 0.5 * float(np.sum(seen.errors(moved(seen.model, q, v)) ** 2))

    steps = STEP * np.eye(seen.model.nv)
    along = [half(step) - 2.0 * half(0.0 * step) + half(-step) for step in steps]
    H = np.diag(along)
    for a, first in enumerate(steps):
        for b in range(a):
            pair = first + steps[b]
            both = half(pair) - 2.0 * half(0.0 * pair) + half(-pair)
            H[a, b] = H[b, a] = 0.5 * (both - along[a] - along[b])
    return H / STEP**2


@pytest.mark.slow
@few
@given(trees(), SEEDS)
def test_it_is_exact_for_points_masses_and_joints_however_far_off(model, seed):
    made = (goal_at(EXACT[k % 3], model, model.random(seed + k), seed + k) for k in range(4))
    goals = [goal for goal in made if goal is not None]
    assume(moving_frames(model) and goals)
    seen, q = Seen(model, goals), configuration(model, seed + 9)
    expected = second_differences(seen, q)
    assert_allclose(hessian(seen, q), expected, rtol=0.0, atol=1e-5 * (1.0 + np.abs(expected).max()))


@pytest.mark.slow
@few
@given(trees(), SEEDS)
def test_of_rotations_only_what_their_own_length_changes_is_left_out(model, seed):
    rng = np.random.default_rng(seed)
    q = configuration(model, seed)
    frames = moving_frames(model)
    assume(frames)
    turn = Rotation.from_rotvec(0.03 * rng.standard_normal(3)).as_matrix()
    goals = [Orientation(frame=frame, target=turn @ model.pose(q, frame)[:3, :3]) for frame in frames[:3]]
    seen = Seen(model, goals)
    seen.errors(q)
    largest = float(np.sum(seen.workspace.task_errors[0] ** 2))
    expected = second_differences(seen, q)
    atol = (1e-5 + largest) * (1.0 + np.abs(expected).max())
    assert_allclose(hessian(seen, q), expected, rtol=0.0, atol=atol)


@pytest.mark.parametrize("kind", [Direction, LookAt])
@few
@given(model=trees(), seed=SEEDS)
def test_it_is_exact_for_directions_however_far_off(kind, model, seed):
    frames = moving_frames(model)
    assume(frames)
    rng, q = np.random.default_rng(seed), configuration(model, seed)
    target = rng.normal(size=3) + (model.pose(q, frames[-1])[:3, 3] if kind is LookAt else 0.0)
    goal = kind(frame=frames[-1], axis=rng.normal(size=3), target=target, weight=0.7)
    seen = Seen(model, [goal])
    seen.errors(q)
    assume(seen.workspace.task_errors[0, 0] < 3.0)
    expected = second_differences(seen, q)
    assert_allclose(hessian(seen, q), expected, rtol=0.0, atol=1e-4 * (1.0 + np.abs(expected).max()))


@few
@given(model=trees(), seed=SEEDS)
def test_it_is_exact_for_distances_however_far_off(model, seed):
    frames = moving_frames(model)
    assume(frames)
    q, other = configuration(model, seed), (model.root, *frames)[seed % (len(frames) + 1)]
    assume(other != frames[-1])
    apart = np.linalg.norm(model.pose(q, frames[-1])[:3, 3] - model.pose(q, other)[:3, 3])
    assume(apart > 0.01)
    made = DistanceBetween(frame=frames[-1], other=other, value=abs(apart + (-1) ** seed * 0.7), weight=0.8)
    try:
        seen = Seen(model, [made])
    except GoalError:  # nothing moves one against the other
        assume(False)
    expected = second_differences(seen, q)
    assert_allclose(hessian(seen, q), expected, rtol=0.0, atol=1e-4 * (1.0 + np.abs(expected).max()))


@few
@given(trees(), SEEDS)
def test_it_is_symmetric_for_goals_of_every_kind(model, seed):
    kinds = (Pose, Posture, Position)
    made = (
        goal_at(kind, model, model.random(seed + k), seed + k, priority=0) for k, kind in enumerate(kinds)
    )
    goals = [goal for goal in made if goal is not None and (goal.frame is None or moving_frames(model))]
    assume(goals and model.nv)
    seen, q = Seen(model, goals), configuration(model, seed + 9)
    H = hessian(seen, q)
    assert_allclose(H, H.T, rtol=0.0, atol=1e-12 * (1.0 + np.abs(H).max()))


@pytest.mark.parametrize("axes", ["world", "frame"])
@few
@given(model=trees(), seed=SEEDS)
def test_uneven_weights_of_a_rotation_have_the_jacobian_that_they_need(axes, model, seed):
    frames = moving_frames(model)
    assume(frames)
    target = Rotation.random(rng=np.random.default_rng(seed)).as_matrix()
    goal = Orientation(frame=frames[0], target=target, weight=(1.0, 0.3, 0.2), axes=axes)
    seen, q = Seen(model, [goal]), configuration(model, seed)
    turn = Rotation.from_matrix(target @ model.pose(q, frames[0])[:3, :3].T).magnitude()
    assume(turn < 2.8)
    away_from_half_turns(seen, q)
    assert_allclose(seen.jacobian(q), seen.differences(q), rtol=0.0, atol=1e-6)
