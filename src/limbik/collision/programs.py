"""The programs of collisions."""

from __future__ import annotations

import functools

import numpy as np

from limbik.chain.joints import JOINT
from limbik.collision import push_entries
from limbik.collision.entries import ANSWERED, SCRATCH, SIZES, WORKSPACE, colliding
from limbik.collision.records import BODY, PIECE
from limbik.compiler.program import Program
from limbik.tree.kinematics import LINK
from limbik.tree.residuals import TASK
from limbik.tree.workspace import Workspace as TreeWorkspace

DOUBLE, WHOLE = np.dtype(np.float64), np.dtype(np.int64)
NUMBER = None

OF_SEARCH = (
    LINK, BODY, PIECE, DOUBLE, WHOLE, WHOLE, DOUBLE, DOUBLE, WHOLE, DOUBLE, DOUBLE,
    *[DOUBLE] * (len(WORKSPACE) + len(SCRATCH) + len(ANSWERED)), *[NUMBER] * len(SIZES),
)  # fmt: skip
OF_PUSH = (
    LINK, JOINT, *[DOUBLE] * 2, TASK, *[DOUBLE] * (3 + len(TreeWorkspace._fields)),
    BODY, PIECE, DOUBLE, WHOLE, WHOLE, DOUBLE, DOUBLE, WHOLE, DOUBLE,
    *[DOUBLE] * (len(WORKSPACE) + len(SCRATCH) + len(push_entries.ANSWERED) + len(push_entries.PUSH)),
    *[NUMBER] * len(push_entries.SIZES),
)  # fmt: skip


@functools.cache
def pushes() -> Program:
    """Out of collision, with the goals kept: `collision.push.push_out`."""
    return Program(name="pushes", kernel=push_entries.pushing, arguments=OF_PUSH)


@functools.cache
def collisions() -> Program:
    """Which bodies are near each other: `collision.nearest.search`."""
    return Program(name="collisions", kernel=colliding, arguments=OF_SEARCH)
