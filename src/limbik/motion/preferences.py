"""Costs of configurations that a path prefers: manipulability, distance to limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from limbik.errors import SolverError, is_one_of, shortened
from limbik.model.model import Model
from limbik.spatial import Array

Preference: TypeAlias = Callable[[Array], Array]  # from q [m, nq] to a penalty [m], at least 0
PREFERENCES = ("short", "manipulability", "limits")
WEIGHT = 10.0  # [rad or m] of motion that the greatest penalty is worth, on a whole path
DRAWN = 500  # configurations that tell how large the manipulability can be


def preference(model: Model, frame: str, name: str) -> Preference:
    """The penalty of configurations, by its name.

    "short" has none; "manipulability" is Yoshikawa's measure (1985) below its greatest, relative to that;
    "limits" is how far the joint nearest to a limit is from the middle of its range, relative to half of it.

    Raises SolverError for another name.
    """
    if not is_one_of(name, PREFERENCES):
        raise SolverError(
            f"`prefer` needs one of {', '.join(map(repr, PREFERENCES))}, found {shortened(name)}"
        )
    if name == "manipulability":
        maximum = float(_manipulability(model, frame, model.random(0, DRAWN)).max())
        return lambda q: (
            WEIGHT * (1.0 - np.minimum(_manipulability(model, frame, q) / max(maximum, 1e-300), 1.0))
        )
    if name == "limits":
        bounded = np.isfinite(model.lower) & np.isfinite(model.upper) & (model.upper > model.lower)
        lower, upper = model.lower[bounded], model.upper[bounded]
        middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
        return lambda q: WEIGHT * (np.abs(q[:, bounded] - middle) / half).max(axis=1, initial=0.0)
    return lambda q: np.zeros(len(q))


def _manipulability(model: Model, frame: str, q: Array) -> Array:
    jacobian = model.jacobian(q, frame)
    return np.asarray(np.linalg.svd(jacobian, compute_uv=False).prod(axis=-1))
