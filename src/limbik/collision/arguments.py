"""`as_distance`: checks a clearance or other distance [m] of collision checks."""

from __future__ import annotations

import math
from typing import Any

from limbik.errors import CollisionError, shortened
from limbik.spatial import as_number


def as_distance(value: Any, name: str) -> float:
    """A distance [m]; raises CollisionError for anything else."""
    distance = as_number(value, f"`{name}`", "a distance [m]", CollisionError)
    if not math.isfinite(distance):
        raise CollisionError(f"`{name}` needs a finite distance [m], found {shortened(value)}")
    return distance
