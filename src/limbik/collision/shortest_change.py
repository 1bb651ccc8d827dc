"""Solves for the shortest change that keeps inequalities, from Python (`numerics.min_norm_step`)."""

from __future__ import annotations

import numpy as np

from limbik.collision.programs import changes
from limbik.compiler.arrays import zeros
from limbik.compiler.call import Call
from limbik.numerics.min_norm_step import Multipliers
from limbik.spatial import Array


def shortest_change(G: Array, h: Array, softness: Array) -> Array:
    """The x [n] for which |x|^2 + |s / softness^(1/2)|^2 is smallest with G x + s >= h; G [m, n].

    softness [m]: above 0.
    """
    G, h, softness = (np.ascontiguousarray(each, np.float64) for each in (G, h, softness))
    x = np.zeros(G.shape[1])
    Call(changes(), G, h, softness, zeros(Multipliers, {"n_inequalities": len(G)}), x).run()
    return x
