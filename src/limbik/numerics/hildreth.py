"""The shortest step that keeps inequalities: Hildreth's method (1957) for quadratic programs."""

from __future__ import annotations

import numpy as np

from limbik.spatial import Array

SWEEPS = 60
SETTLED = 1e-6  # of the largest gap


def least_change(G: Array, h: Array, softness: Array) -> Array:
    """The x [n] for which |x|^2 + |s / softness^(1/2)|^2 is least with G x + s >= h; G [m, n].

    Multipliers of the rows are found one after the other, until no row changes much.
    """
    A = G @ G.T
    diagonal = A.diagonal() + softness
    multipliers = np.zeros(len(h))
    least = SETTLED * float(np.abs(h).max(initial=0.0))
    for _ in range(SWEEPS):
        most = 0.0
        for k in range(len(h)):
            gap = h[k] - A[k] @ multipliers - softness[k] * multipliers[k]
            change = max(gap / diagonal[k], -multipliers[k])
            multipliers[k] += change
            most = max(most, abs(change) * diagonal[k])
        if most <= least:
            break
    return np.asarray(G.T @ multipliers)
