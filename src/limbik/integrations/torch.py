"""Inverse kinematics as a layer of PyTorch: differentiable in the target poses.

from limbik.integrations import torch as limbik_torch

q = limbik_torch.solve(model, poses)

The derivative is that of the answer, by the implicit function theorem (`limbik.solution_jacobian`), not of
the iterations that found it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from limbik.errors import GoalError, MissingExtra, SolverError, listed, shortened
from limbik.model.model import Model, as_model
from limbik.solvers import solve_batch
from limbik.solvers.derivative import gradient_by_pose, solution_jacobian
from limbik.spatial import Array

try:
    import torch
    from torch.autograd.function import once_differentiable
except ImportError as error:
    raise MissingExtra("torch", "limbik.integrations.torch") from error


def solve(
    model: Model,
    poses: torch.Tensor,
    *,
    frame: str | None = None,
    start: ArrayLike | None = None,
    tolerance: float = 1e-6,
    tolerance_rotation: float = 1e-6,
    seed: int = 0,
) -> torch.Tensor:
    """Configurations [..., nq] that meet poses [..., 4, 4] of a frame (default: the end effector).

    In the type and on the device of `poses`, differentiable in them once; the solve itself is in double
    precision on the CPU. The gradient by a pose is the one along its motions (`gradient_by_pose`).

    start, tolerance [m], tolerance_rotation [rad], seed:
        As in `limbik.solve_batch`; starts keep a loop of training on one branch.

    Raises GoalError where `poses` are no poses, SolverError where one of them cannot be met, and on the way
    back SingularError where the answer has no derivative.
    """
    model = as_model(model)
    if not isinstance(poses, torch.Tensor) or poses.ndim < 2 or poses.shape[-2:] != (4, 4):
        raise GoalError(f"`poses` needs a tensor of shape (..., 4, 4), found {shortened(poses)}")
    how = {"frame": frame, "start": start, "seed": seed}
    how |= {"tolerance": tolerance, "tolerance_rotation": tolerance_rotation}
    answers: torch.Tensor = _Solve.apply(poses.reshape(-1, 4, 4), model, how)
    return answers.reshape(*poses.shape[:-2], model.nq)


class _Solve(torch.autograd.Function):  # type: ignore[misc]
    """Poses [N, 4, 4] to configurations [N, nq]."""

    @staticmethod
    def forward(context: Any, poses: torch.Tensor, model: Model, how: dict[str, Any]) -> torch.Tensor:
        targets = _numbers(poses)
        solved = solve_batch(model, targets, **how)
        missed = np.flatnonzero(~solved.success)
        if missed.size:
            raise SolverError(f"poses {listed(map(str, missed.tolist()))} are not met; leave them out")
        context.model, context.frame = model, how["frame"]
        context.targets, context.q = targets, solved.q
        return torch.as_tensor(solved.q, dtype=poses.dtype, device=poses.device)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(context: Any, by_q: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        D = solution_jacobian(context.model, context.q, context.frame)
        by_velocity = np.einsum("nqv,nq->nv", context.model.velocity_map(context.q), _numbers(by_q))
        by_pose = gradient_by_pose(context.targets, np.einsum("nvk,nv->nk", D, by_velocity))
        return torch.as_tensor(by_pose, dtype=by_q.dtype, device=by_q.device), None, None


def _numbers(tensor: torch.Tensor) -> Array:
    return np.asarray(tensor.detach().cpu().numpy(), dtype=np.float64)
