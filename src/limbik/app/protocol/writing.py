"""Writes replies: JSON text, and arrays as little-endian float32 bytes."""

from __future__ import annotations

import dataclasses
import enum
import json
import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike


def float32(values: ArrayLike) -> bytes:
    """The bytes of an array."""
    return np.asarray(values, dtype="<f4").tobytes()


def as_json(**message: object) -> str:
    """JSON text of an object; NaN and infinity are refused, see `plain`."""
    return json.dumps(plain(message), allow_nan=False, separators=(",", ":"))


def plain(value: object) -> object:
    """Records, enumerations and sets as JSON has them; an infinite bound becomes null."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {entry.name: plain(getattr(value, entry.name)) for entry in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, enum.Enum):
        return value.name.lower()
    if isinstance(value, set | frozenset):
        return sorted((plain(entry) for entry in value), key=str)
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
