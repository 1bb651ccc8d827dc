import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import limbik
from limbik.errors import ModelError
from limbik.model import Joint, JointKind, Model
from limbik.model.canonical import LOCKED, canonical
from limbik.model.chain import chain_to
from strategies import SEEDS, SERIAL, chains, configuration


def assert_moves_like_the_tree(model: Model, seed: int, tolerance: float = 1e-12) -> None:
    chain = chain_to(model)
    form = canonical(chain)
    for q in configuration(model, seed, 5):
        part = q[chain.q_indices]
        scale = 1.0 + np.abs(model.pose(q)).max()
        np.testing.assert_allclose(
            form.pose(form.values(part)), model.pose(q), atol=tolerance * scale, rtol=0.0
        )
        np.testing.assert_allclose(form.configuration(form.values(part)), part, atol=1e-14, rtol=1e-14)


@given(chains(SERIAL), SEEDS)
def test_a_chain_in_denavit_hartenberg_form_moves_like_the_tree(model, seed):
    assume(chain_to(model).joints)
    assert_moves_like_the_tree(model, seed)


@pytest.mark.parametrize("name", ["panda", "ur5e", "iiwa14", "puma560", "planar-12"])
def test_presets_keep_one_row_per_joint(name):
    model = limbik.load(name)
    assert_moves_like_the_tree(model, 0)
    assert canonical(chain_to(model)).size == model.nq


@given(st.integers(1, 14), SEEDS)
def test_nearly_parallel_axes_lose_no_digits(power, seed):
    rng = np.random.default_rng(seed)
    joints = []
    for k in range(6):
        origin = np.eye(4)
        origin[:3, :3] = Rotation.from_rotvec(rng.normal(size=3) * 10.0**-power).as_matrix()
        origin[:3, 3] = rng.uniform(-0.5, 0.5, 3)
        joints.append(
            Joint(
                name=f"joint{k}",
                kind=JointKind.CONTINUOUS if k % 3 else JointKind.PRISMATIC,
                parent=f"link{k}",
                child=f"link{k + 1}",
                origin=origin,
            )
        )
    assert_moves_like_the_tree(Model("calibrated", joints), seed)


def test_a_locked_row_stands_between_nearly_parallel_axes_and_takes_no_value():
    tilted = np.eye(4)
    tilted[:3, :3] = Rotation.from_rotvec([1e-5, 0.0, 0.0]).as_matrix()
    tilted[:3, 3] = [0.3, 0.0, 0.0]
    model = limbik.ModelBuilder("tilted").revolute("first").revolute("second", origin=tilted).build()
    form = canonical(chain_to(model))
    assert form.joints.tolist() == [0, LOCKED, 1]
    assert form.lower[1] == form.upper[1] == form.offset[1]
    assert_moves_like_the_tree(model, 1)


def test_limits_are_shifted_with_the_values():
    model = limbik.load("panda")
    form = canonical(chain_to(model))
    np.testing.assert_allclose(form.lower, form.values(model.lower))
    np.testing.assert_allclose(form.upper, form.values(model.upper))


def test_a_batch_of_configurations_is_converted_at_once():
    model = limbik.load("ur5e")
    form = canonical(chain_to(model))
    q = configuration(model, 3, 7)
    assert form.values(q).shape == (7, 6)
    np.testing.assert_allclose(form.configuration(form.values(q)), q, atol=1e-15)


def test_ball_joints_are_refused_by_name():
    arm = limbik.ball_arm([0.3, 0.3])
    with pytest.raises(ModelError, match=r"joint1.*ball"):
        canonical(chain_to(arm))


def test_the_rows_of_a_known_robot_are_the_published_ones():
    # UR5e's Denavit-Hartenberg table, from Universal Robots' support page on DH parameters [m].
    form = canonical(chain_to(limbik.load("ur5e")))
    np.testing.assert_allclose(np.abs(form.a[1:3]), [0.425, 0.3922], atol=1e-12)
    np.testing.assert_allclose(np.abs(form.sin_alpha[[0, 3, 4]]), 1.0)
    assert math.isclose(abs(form.d[4]), 0.0997, abs_tol=1e-12)
