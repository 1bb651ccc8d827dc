"""Costs that a user writes as a plain function of the joints and the frames; their gradients by dual numbers.

The function is evaluated once with dual numbers (`limbik.derivatives`). How frames move with the joints is
known exactly, by their Jacobians, so that what dual numbers add is the function's own arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from limbik.derivatives.differences import takes
from limbik.derivatives.dual import Dual, value_of
from limbik.errors import ConfigurationError, FunctionError, shortened
from limbik.model.model import Model, as_model
from limbik.spatial import Array, as_numbers, skew

# Takes q [nq] and the frames' poses by their names, and returns a number.
Cost: TypeAlias = Callable[[Any, Mapping[str, Any]], Any]


class Frames(Mapping[str, Dual]):
    """pose_world_frame [4, 4] of each frame of a model at q [nq], with its derivatives by the velocity
    [nv, 4, 4]; found when it is requested.
    """

    def __init__(self, model: Model, q: Array) -> None:
        self._model, self._q = model, q
        self._known: dict[str, Dual] = {}

    def __getitem__(self, name: str) -> Dual:
        if name not in self._known:
            pose = self._model.pose(self._q, name)
            J = self._model.jacobian(self._q, name)
            rates = np.zeros((self._model.nv, 4, 4))
            rates[:, :3, :3] = skew(J[3:].T) @ pose[:3, :3]
            rates[:, :3, 3] = J[:3].T
            self._known[name] = Dual(pose, rates)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._model.frame_names)

    def __len__(self) -> int:
        return len(self._model.frame_names)


def cost_gradient(model: Model, cost: Cost, q: ArrayLike) -> tuple[float, Array]:
    """The value of a cost at q [nq], and its gradient [nv]: how fast it grows with each velocity.

    cost:
        A function of q [nq] and of a mapping from the names of frames to their poses 4x4 in the world,
        written with NumPy, that returns one number. Nobody writes its derivative.

    Precise to the last digits. For joints of one number the gradient is that by q.

    Raises FunctionError where the cost returns no finite number, or uses what has no derivative, which it
    names; ConfigurationError for a q that has no meaning, ModelError for a frame that the model has not.
    """
    model = as_model(model)
    check_cost(cost)
    at = model.integrate(q, np.zeros(model.nv))
    if at.ndim != 1:
        raise ConfigurationError(f"q needs one configuration of {model.nq} numbers, found shape {at.shape}")
    dual = cost(Dual(at, model.velocity_map(at).T), Frames(model, at))
    value = _number(value_of(dual))
    gradient = dual.tangent.reshape(-1) if isinstance(dual, Dual) else np.zeros(model.nv)
    return value, gradient


def check_cost(cost: object) -> None:
    """Refuse what is no function of two arguments."""
    if not takes(cost, 2):
        raise FunctionError(f"a cost needs to be a function of q and frames, found {shortened(cost)}")


def _number(value: object) -> float:
    number = as_numbers(value, "a cost", "to return one number", FunctionError)
    if number.ndim or not np.isfinite(number):
        raise FunctionError(f"a cost needs to return one finite number, found {shortened(value)}")
    return float(number)
