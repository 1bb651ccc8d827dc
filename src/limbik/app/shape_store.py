"""Stores shapes that are too large for a message under tokens: meshes, hulls, clouds, grids.

The server keeps them in memory by the hash of what they are, and pages name them by it.
"""

from __future__ import annotations

import hashlib
import pickle

from limbik.app.bounded_cache import BoundedCache
from limbik.app.protocol.world import TOKEN
from limbik.app.surfaces import surface_of
from limbik.errors import LimbikError, shortened
from limbik.model.shapes import Shape

MAX, MAX_BYTES = 512, 128 * 2**20


class StoredShapes:
    """Shapes by token, and what they look like. May be used by any thread."""

    def __init__(self) -> None:
        self._cache: BoundedCache[tuple[Shape, bytes]] = BoundedCache(max_items=MAX, max_bytes=MAX_BYTES)

    def keep(self, shape: Shape) -> str:
        """Keep a shape; its token. Raises CollisionError for one that has no surface."""
        drawn = surface_of(shape).data
        token = hashlib.sha256(pickle.dumps(shape)).hexdigest()[:TOKEN]
        self._cache.put(token, (shape, drawn), 2 * len(drawn))
        return token

    def shape(self, token: str, name: str) -> Shape:
        """Raises LimbikError for one that is no longer there; name: of the object, for the message."""
        stored = self._cache.get(token)
        if stored is None:
            raise LimbikError(
                f"the server no longer has the shape of object {shortened(name)}: it forgets shapes when it "
                "stops, or needs the memory; drop the file on the page again"
            )
        return stored[0]

    def drawn(self, token: str) -> bytes | None:
        """What it looks like, as `Surface.data` has it; None where it is not there."""
        stored = self._cache.get(token)
        return None if stored is None else stored[1]
