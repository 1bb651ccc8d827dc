"""The programs for points on chains of one kind."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from limbik.chain.descent import SETTINGS
from limbik.chain.entries import chain
from limbik.chain.solve import PLACE
from limbik.compiler.kernel import Kernel
from limbik.compiler.program import Program

DOUBLE = np.dtype(np.float64)
NUMBER = None


@functools.cache
def on_chain(name: str, solve: Kernel[..., Any], records: Any) -> Program:
    """One goal on a chain, by a method that is bound into `chain.solve.answer`; records: of its joints."""
    return Program(
        name=f"chain-{name}",
        kernel=chain.bind(solve_chain=solve),
        arguments=(records, PLACE, DOUBLE, SETTINGS, *[DOUBLE] * 6, *[NUMBER] * 4),
    )
