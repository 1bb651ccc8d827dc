"""Markers on bodies that move, made from nothing: where they are is known while they are hidden."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import limbik
from limbik.spatial import rotation_exp

FRAMES, DT = 240, 0.01
FIXED = np.array(
    [[0.0, 0.0, 0.1], [0.1, 0.0, -0.1], [-0.1, 0.05, 0.0], [0.0, 0.1, 0.05], [0.03, -0.08, 0.02]]
)


def thigh_and_shank(soft: float = 0.004, noise: float = 0.0003, seed: int = 0) -> limbik.Markers:
    """Five markers on each of two segments that swing: they sway in the flesh by `soft` as the knee bends,
    and the cameras have `noise` [m]."""
    rng = np.random.default_rng(seed)
    time = np.arange(FRAMES) * DT
    hip = 0.5 * np.sin(2.0 * np.pi * time / 1.1)
    knee = 0.5 - 0.5 * np.cos(2.0 * np.pi * time / 1.1 + 0.4)
    axis = np.array([0.1, 1.0, 0.0])
    thigh = rotation_exp(axis * hip[:, None])
    shank = thigh @ rotation_exp(axis * knee[:, None])
    root = np.stack([1.3 * time, 0.02 * np.sin(7.0 * time), 0.9 + 0.03 * np.cos(12.0 * time)], axis=-1)
    middle = root + thigh @ [0.0, 0.0, -0.2]
    lower = root + thigh @ [0.0, 0.0, -0.4] + shank @ [0.0, 0.0, -0.2]
    sway = soft * rng.standard_normal((10, 3)) * knee[:, None, None]
    places = np.concatenate(
        [
            middle[:, None] + np.einsum("tij,tkj->tki", thigh, FIXED + sway[:, :5]),
            lower[:, None] + np.einsum("tij,tkj->tki", shank, FIXED + sway[:, 5:]),
        ],
        axis=1,
    )
    names = tuple(f"{part}{k}" for part in ("thigh", "shank") for k in range(5))
    return limbik.Markers(names, places + noise * rng.standard_normal(places.shape), DT)


def hidden(markers: limbik.Markers, *gaps: tuple[str, int, int]) -> limbik.Markers:
    """The markers with gaps: name, first frame and last frame."""
    places = markers.positions.copy()
    for name, first, last in gaps:
        places[first : last + 1, markers.names.index(name)] = np.nan
    return limbik.Markers(markers.names, places, markers.dt, markers.up)


def errors_mm(
    found: limbik.Markers, truth: limbik.Markers, name: str, first: int, last: int
) -> NDArray[np.float64]:
    """Of a marker in frames first to last."""
    place = (slice(first, last + 1), truth.names.index(name))
    return 1e3 * np.linalg.norm(found.positions[place] - truth.positions[place], axis=-1)
