"""Arms of up to three revolute joints that have a closed form for a point."""

from __future__ import annotations

import math

import numpy as np

import limbik
from limbik import ModelBuilder

KINDS = ("one", "two", "parallel last", "parallel first", "meeting first", "meeting last")


def arm_of(kind: str, seed: int, limits: float = math.pi) -> limbik.Model:
    """One to three joints about axes anywhere, but for what the kind says."""
    rng = np.random.default_rng(seed)
    h = rng.normal(size=(3, 3))
    origins = rng.uniform(-0.5, 0.5, (3, 3))
    count = {"one": 1, "two": 2}.get(kind, 3)
    if kind == "parallel last":
        h[2] = -h[1]
    elif kind == "parallel first":
        h[1] = h[0]
    elif kind == "meeting first":
        origins[1] = 0.3 * h[0] + 0.2 * h[1]
    elif kind == "meeting last":
        origins[2] = 0.3 * h[1] + 0.2 * h[2]
    builder = ModelBuilder(kind)
    for k in range(count):
        builder.revolute(f"joint{k + 1}", axis=h[k], origin=origins[k], limits=(-limits, limits))
    tool = np.eye(4)
    tool[:3, 3] = rng.uniform(0.2, 0.5, 3)
    return builder.frame("tool", pose=tool).build(end_effector="tool")
