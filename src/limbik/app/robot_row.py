"""Puts several robots side by side along y, as far apart as they need."""

from __future__ import annotations

from collections.abc import Sequence

from limbik.app.mount import stood
from limbik.model import Model
from limbik.spatial import pose_from

MARGIN = 0.3  # [m] to either side of where the links are at first


def side_by_side(models: Sequence[Model]) -> list[Model]:
    """The models, all but the first moved along y so that at first none stands in another."""
    placed: list[Model] = []
    edge = 0.0  # [m] of the space that is taken
    for model in models:
        y = model.forward(model.neutral)[:, 1, 3]
        low, high = float(y.min()) - MARGIN, float(y.max()) + MARGIN
        offset = edge - low if placed else 0.0
        placed.append(stood(model, pose_from(translation=(0.0, offset, 0.0))) if offset else model)
        edge = offset + high
    return placed
