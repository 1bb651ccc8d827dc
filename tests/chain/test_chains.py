"""Packed chains move like the models they were made from."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import limbik
from limbik import JointKind, Model
from limbik.chain import joints as joint_kernels
from limbik.chain import planar, spatial
from limbik.chain.pack import pack_plane, pack_space
from limbik.model.chain import chain_to
from strategies import SEEDS, configuration, models, tangent

FEW = settings(max_examples=50)
KINDS = tuple(kind for kind in JointKind if kind is not JointKind.FLOATING)


def columns(model: Model) -> list[int]:
    """Places in v of the joints on the way to the end effector."""
    slices = [model.v_slice(joint.name) for joint in model.path()]
    return [k for part in slices for k in range(part.start, part.stop)]


def forward(kernels, packed, goal: np.ndarray, q: np.ndarray, rows: int):
    """Jacobian and residual of a packed chain."""
    target = np.zeros(max(goal.size, 3))
    joints = packed.joints.view(np.recarray)
    off_plane = kernels.locate(packed.place.view(np.recarray)[0], goal, target)
    J, r = np.full((rows, kernels.tangent_size(joints)), np.nan), np.full(rows, np.nan)
    squared = kernels.forward(joints, target, q, J, r, np.empty(kernels.frames_size(joints)))
    assert squared == pytest.approx(r @ r)
    return J, r, off_plane


@pytest.mark.slow
@FEW
@given(models(KINDS), SEEDS)
def test_points_and_jacobians_in_space_are_the_models(model, seed):
    chain = chain_to(model)
    assume(chain.joints)
    q, goal = configuration(model, seed), np.random.default_rng(seed).normal(size=3)
    J, r, off_plane = forward(spatial, pack_space(chain), goal, q[chain.q_places], 3)
    assert off_plane == 0.0
    assert_allclose(r, goal - model.pose(q)[:3, 3], atol=1e-12)
    assert_allclose(J, model.jacobian(q)[:3, columns(model)], atol=1e-12)


@pytest.mark.slow
@FEW
@given(models(KINDS), SEEDS, st.floats(0.1, 10.0), st.booleans())
def test_poses_and_jacobians_in_space_are_the_models(model, seed, weight, with_position):
    chain = chain_to(model)
    assume(chain.joints)
    rng = np.random.default_rng(seed)
    q, wanted = configuration(model, seed), np.eye(4)
    wanted[:3, 3], wanted[:3, :3] = rng.normal(size=3), Rotation.random(rng=rng).as_matrix()
    goal = np.concatenate([wanted[:3, 3], wanted[:3, :3].ravel(), [weight, 1.0 * with_position]])
    J, r, _ = forward(spatial, pack_space(chain), goal, q[chain.q_places], 6)
    here, jacobian = model.pose(q), model.jacobian(q)[:, columns(model)]
    turn = Rotation.from_matrix(wanted[:3, :3] @ here[:3, :3].T).as_rotvec()
    assert_allclose(r[:3], with_position * (wanted[:3, 3] - here[:3, 3]), atol=1e-12)
    if np.linalg.norm(turn) < 3.1:
        assert_allclose(r[3:], weight * turn, atol=1e-10)
    assert_allclose(J[:3], with_position * jacobian[:3], atol=1e-12)
    assert_allclose(J[3:], weight * jacobian[3:], atol=1e-11)


@pytest.mark.slow
@FEW
@given(models(), SEEDS)
def test_a_floating_joint_moves_the_chain_as_it_moves_the_model(model, seed):
    chain = chain_to(model)
    assume(chain.joints)
    q, goal = configuration(model, seed), np.zeros(3)
    _, r, _ = forward(spatial, pack_space(chain), goal, q[chain.q_places], 3)
    assert_allclose(r, -model.pose(q)[:3, 3], atol=1e-12)


@given(SEEDS, st.integers(1, 8))
def test_points_and_jacobians_in_the_plane_are_the_models(seed, links):
    rng = np.random.default_rng(seed)
    arm = limbik.planar_arm(links, rng.uniform(0.0, 2.0, links))
    packed = pack_plane(chain_to(arm))
    assert packed.is_planar
    q, goal = rng.uniform(-4.0, 4.0, links), rng.normal(size=3)
    J, r, off_plane = forward(planar, packed, goal, q, 2)
    axes = np.array([packed.place["x"][0], packed.place["y"][0]])
    assert_allclose(r, axes @ (goal - arm.pose(q)[:3, 3]), atol=1e-12)
    assert_allclose(J, axes @ arm.jacobian(q)[:3], atol=1e-12)
    assert off_plane == pytest.approx(goal[2] ** 2)


@pytest.mark.slow
@FEW
@given(models(KINDS), SEEDS, st.booleans())
def test_a_step_goes_where_the_model_integrates_to_and_stays_within_limits(model, seed, use_limits):
    chain = chain_to(model)
    assume(chain.joints)
    q, v = model.random(np.random.default_rng(seed)), tangent(model, seed, 2.0)
    packed = pack_space(chain)
    moved = q.copy()
    out = np.full(chain.nq, np.nan)
    joint_kernels.advance(
        packed.joints.view(np.recarray), q[chain.q_places], v[columns(model)], 0.5, use_limits, out
    )
    moved[chain.q_places] = out
    only = np.zeros(model.nv)
    only[columns(model)] = 0.5 * v[columns(model)]
    expected = model.integrate(q, only)
    if use_limits:
        assert model.is_within_limits(moved)
    else:
        assert_allclose(model.difference(expected, moved), 0.0, atol=1e-7)
    if model.is_within_limits(expected, margin=1e-9):
        assert_allclose(model.difference(expected, moved), 0.0, atol=1e-7)


@given(SEEDS, st.floats(0.0, 1.0))
def test_blending_goes_that_fraction_of_the_way(seed, fraction):
    model = limbik.ball_arm([1.0, 1.0])
    q, rest = configuration(model, seed), configuration(model, seed + 1)
    moved = q.copy()
    joints = pack_space(chain_to(model)).joints.view(np.recarray)
    joint_kernels.blend(joints, moved, rest, fraction, False)
    whole = model.difference(q, rest)
    assume(max(np.linalg.norm(whole[:3]), np.linalg.norm(whole[3:])) < 3.0)
    assert_allclose(model.difference(q, moved), fraction * whole, atol=1e-12)


@pytest.mark.parametrize("name", ["panda", "ur5e", "iiwa14", "puma560"])
def test_robots_are_not_taken_for_arms_in_a_plane(name):
    assert pack_plane(chain_to(limbik.load(name))) is None


@pytest.mark.parametrize("tilt", [1e-6, 1e-8, 1e-10, 1e-12, 1e-14])
def test_a_chain_is_taken_for_one_in_a_plane_only_where_that_makes_no_difference(tilt):
    builder = limbik.ModelBuilder("tilted").revolute("a")
    builder = builder.revolute("b", axis=(tilt, 0.0, 1.0), origin=(1.0, 0.0, 0.0))
    model = builder.frame("tip", pose=(1.0, 0.0, 0.0)).build(end_effector="tip")
    packed, q = pack_plane(chain_to(model)), np.array([0.3, 0.9])
    if packed is not None:
        _, r, off_plane = forward(planar, packed, model.pose(q)[:3, 3], q, 2)
        assert np.hypot(np.linalg.norm(r), np.sqrt(off_plane)) <= 1e-11
