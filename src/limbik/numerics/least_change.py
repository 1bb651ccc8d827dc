"""The shortest step that keeps inequalities: a small quadratic program, by an active set."""

from __future__ import annotations

import numpy as np

from limbik.spatial import Array

KEPT = 1e-9  # of the largest gap: an inequality that misses less is kept
EXCHANGES = 3  # for each inequality, at most


def least_change(G: Array, h: Array, softness: Array) -> Array:
    """The x [n] for which |x|^2 + |s / softness^(1/2)|^2 is least with G x + s >= h; G [m, n].

    Its multipliers are those that are not negative and minimise a quadratic function, which the method of
    Lawson & Hanson (1974, "Solving Least Squares Problems", chapter 23) finds. softness [m]: above 0.
    """
    A = G @ G.T
    A[np.diag_indices_from(A)] += softness
    multipliers, is_active = np.zeros(len(h)), np.zeros(len(h), dtype=bool)
    least = KEPT * float(np.abs(h).max(initial=0.0))
    for _ in range(EXCHANGES * len(h)):
        missing = np.where(is_active, -np.inf, h - A @ multipliers)
        if missing.max(initial=-np.inf) <= least:
            break
        is_active[missing.argmax()] = True
        _settle(A, h, multipliers, is_active)
    return np.asarray(G.T @ multipliers)


def _settle(A: Array, h: Array, multipliers: Array, is_active: Array) -> None:
    """Bring the active multipliers to where they are best, without those that would become negative."""
    while is_active.any():
        places = np.flatnonzero(is_active)
        best = np.linalg.solve(A[np.ix_(places, places)], h[places])
        sinking = best <= 0.0
        if not sinking.any():
            multipliers[places] = best
            return
        now = multipliers[places]
        shares = np.where(sinking, now / np.maximum(now - best, 1e-300), np.inf)
        first = int(shares.argmin())
        multipliers[places] = now + shares[first] * (best - now)
        multipliers[places[first]] = 0.0
        is_active[places[first]] = False
