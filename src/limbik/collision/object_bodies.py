"""Packs one collision shape with its bounding sphere for the broad phase; the last ones are cached."""

from __future__ import annotations

import functools

from limbik.collision.geometry import bounding_sphere
from limbik.collision.pack import PackedBody, packed_body
from limbik.collision.pieces import pieces_of
from limbik.model.shapes import Shape

MAX_STORED = 256


@functools.lru_cache(MAX_STORED)
def body_of(shape: Shape) -> PackedBody:
    """A shape, packed. Raises as `pieces_of` does."""
    pieces = pieces_of(shape)
    return packed_body(pieces, *bounding_sphere(pieces))
