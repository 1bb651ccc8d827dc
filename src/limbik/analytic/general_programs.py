"""The compiled program that computes all configurations of a 6R arm."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from limbik.analytic.general import JOINTS, MAX_CONFIGURATIONS, all_general
from limbik.analytic.general_elimination import CONSTANTS
from limbik.compiler.kernel import compiled, view
from limbik.compiler.program import Program

DOUBLE = np.dtype(np.float64)


@compiled
def general_six(constants: Any, pose: Any, solutions: Any) -> int:
    """`analytic.general.all_general` of addresses."""
    return all_general(
        view(constants, CONSTANTS), view(pose, 16), view(solutions, MAX_CONFIGURATIONS + 1, JOINTS)
    )


@functools.cache
def all_configurations() -> Program:
    """All configurations of any arm of six revolute joints."""
    return Program(name="six-revolute", kernel=general_six, arguments=(DOUBLE,) * 3, as_bytes=(1,))
