"""The programs of collisions."""

from __future__ import annotations

import functools

import numpy as np

from limbik.collision.entries import ANSWERED, SCRATCH, SIZES, WORKSPACE, colliding
from limbik.collision.records import BODY, PIECE
from limbik.compiler.program import Program
from limbik.tree.kinematics import LINK

DOUBLE, WHOLE = np.dtype(np.float64), np.dtype(np.int64)
NUMBER = None

OF_SEARCH = (
    LINK, BODY, PIECE, DOUBLE, WHOLE, WHOLE, DOUBLE, DOUBLE, WHOLE, DOUBLE, DOUBLE,
    *[DOUBLE] * (len(WORKSPACE) + len(SCRATCH) + len(ANSWERED)), *[NUMBER] * len(SIZES),
)  # fmt: skip


@functools.cache
def collisions() -> Program:
    """Which bodies are near each other: `collision.nearest.search`."""
    return Program(name="collisions", kernel=colliding, arguments=OF_SEARCH)
