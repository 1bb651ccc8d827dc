"""`aligned`: an array of zeros that begins at a cache line, so that no row of lanes lies across two."""

from __future__ import annotations

import numpy as np

from limbik.compiler.kernel import Floats

CACHE_LINE = 64  # bytes


def aligned(size: int) -> Floats:
    """Zeros [size] that begin where a cache line does."""
    numbers = np.zeros(size + CACHE_LINE // 8)
    begin = -numbers.ctypes.data % CACHE_LINE // 8
    return numbers[begin : begin + size]
