"""Random numbers inside kernels."""

from __future__ import annotations

from limbik.compiler.kernel import Floats, compiled


@compiled
def uniform(states: Floats, index: int) -> float:
    """Between 0 and 1: Park and Miller's "minimal standard" generator (1988), with its state in an array."""
    value = (int(states[index]) * 48271) % 2147483647
    states[index] = value
    return value / 2147483647.0
