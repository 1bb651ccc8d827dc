"""The program of trackers."""

from __future__ import annotations

import functools

import numpy as np

from limbik.chain.joints import JOINT
from limbik.compiler.program import Program
from limbik.motion.bounded_least_squares import Scratch
from limbik.motion.entries import SIZES, tracking
from limbik.motion.state import Motion
from limbik.tree.kinematics import LINK
from limbik.tree.residuals import TASK
from limbik.tree.workspace import Workspace

DOUBLE = np.dtype(np.float64)
NUMBER = None

ARRAYS = (*Workspace._fields, *Motion._fields, *Scratch._fields)
OF_TRACKER = (
    LINK, JOINT, *[DOUBLE] * 2, TASK, *[DOUBLE] * (3 + len(ARRAYS)), *[NUMBER] * len(SIZES),
)  # fmt: skip


@functools.cache
def tracker() -> Program:
    """One step toward any goals on any tree: `motion.step.track`."""
    return Program(name="tracker", kernel=tracking, arguments=OF_TRACKER)
