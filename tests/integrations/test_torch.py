"""Inverse kinematics as a layer of PyTorch; and without PyTorch, a word about what to install."""

import subprocess
import sys

import numpy as np
import pytest

import limbik
from limbik.errors import GoalError, SingularError, SolverError


def test_without_pytorch_the_extra_is_named():
    program = "import sys; sys.modules['torch'] = None; import limbik.integrations.torch"
    outcome = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "limbik.integrations.torch needs `pip install limbik[torch]`" in outcome.stderr


@pytest.fixture
def layer():
    pytest.importorskip("torch")
    from limbik.integrations import torch

    return torch


def poses_of(torch, rotation_vectors, points):
    """Poses [N, 4, 4], differentiable in rotation vectors and points."""
    x, y, z = rotation_vectors.unbind(-1)
    zero = torch.zeros_like(x)
    rows = [torch.stack(row, -1) for row in ((zero, -z, y), (z, zero, -x), (-y, x, zero))]
    upper = torch.cat([torch.linalg.matrix_exp(torch.stack(rows, -2)), points[..., None]], dim=-1)
    last = torch.tensor([0.0, 0.0, 0.0, 1.0], dtype=upper.dtype).expand(*upper.shape[:-2], 1, 4)
    return torch.cat([upper, last], dim=-2)


@pytest.mark.parametrize("name", ["ur5e", "panda"])
def test_gradients_are_those_of_real_solves(layer, name):
    import torch
    from scipy.spatial.transform import Rotation

    model = limbik.load(name)
    q = model.random(4, 3) * 0.9
    targets = model.pose(q)
    vectors = torch.tensor(Rotation.from_matrix(targets[:, :3, :3]).as_rotvec(), requires_grad=True)
    points = torch.tensor(targets[:, :3, 3], requires_grad=True)
    weights = torch.tensor(np.random.default_rng(1).normal(size=q.shape))

    def loss(vectors, points):
        solved = layer.solve(
            model, poses_of(torch, vectors, points), start=q, tolerance=1e-10, tolerance_rotation=1e-10
        )
        return (weights * solved).sum()

    loss(vectors, points).backward()
    for leaf in (vectors, points):
        for place in np.ndindex(*leaf.shape):
            step = torch.zeros_like(leaf)
            step[place] = 1e-4
            with torch.no_grad():
                ends = [
                    loss(vectors + sign * step, points)
                    if leaf is vectors
                    else loss(vectors, points + sign * step)
                    for sign in (1.0, -1.0)
                ]
            expected = float(ends[0] - ends[1]) / 2e-4
            assert float(leaf.grad[place]) == pytest.approx(
                expected, rel=1e-3, abs=1e-3 * float(leaf.grad.abs().max())
            )


def test_type_shape_and_device_are_those_of_the_poses(layer):
    import torch

    model = limbik.load("ur5e")
    targets = torch.tensor(model.pose(model.random(1, 6)).reshape(2, 3, 4, 4), dtype=torch.float32)
    solved = layer.solve(model, targets.requires_grad_())
    assert solved.shape == (2, 3, 6) and solved.dtype == torch.float32
    solved.sum().backward()
    assert targets.grad.shape == targets.shape and torch.isfinite(targets.grad).all()


def test_training_through_it_finds_the_target(layer):
    """A point is moved until the elbow that follows is where it should be."""
    import torch

    arm = limbik.planar_arm(3)
    wanted, q = torch.tensor([0.2, 0.9, -0.4], dtype=torch.float64), np.array([0.4, 0.6, 0.2])
    vectors = torch.tensor([[0.0, 0.0, q.sum()]], requires_grad=True)
    points = torch.tensor(arm.pose(q)[None, :3, 3], requires_grad=True)
    optimiser = torch.optim.LBFGS([vectors, points], line_search_fn="strong_wolfe")

    def loss():
        optimiser.zero_grad()
        flat = points * torch.tensor([1.0, 1.0, 0.0]), vectors * torch.tensor([0.0, 0.0, 1.0])
        error = ((layer.solve(arm, poses_of(torch, flat[1], flat[0]), start=q) - wanted) ** 2).sum()
        error.backward()
        return error

    for _ in range(3):
        optimiser.step(loss)
    assert float(loss().detach()) < 1e-8


def test_what_cannot_be_solved_or_differentiated_is_named(layer):
    import torch

    model = limbik.load("ur5e")
    far = torch.eye(4, dtype=torch.float64)
    far[0, 3] = 9.0
    with pytest.raises(SolverError, match="poses 1 are not met"):
        layer.solve(model, torch.stack([torch.tensor(model.pose(model.random(1))), far]))
    with pytest.raises(GoalError, match="`poses`"):
        layer.solve(model, np.eye(4))
    straight = np.array([0.3, -1.0, 0.0, 0.4, 1.0, 0.2])
    pose = torch.tensor(model.pose(straight), requires_grad=True)
    with pytest.raises(SingularError, match="singular"):
        layer.solve(model, pose, start=straight).sum().backward()
