"""Disk cache of arrays computed from shapes, keyed by a hash of the shape's source and of the code that
computes them.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

import numpy as np

from limbik.compiler.build import file_made_whole, sealed, unsealed
from limbik.compiler.cache import cache_folder, can_keep, hash_of_sources, read_regular
from limbik.spatial import Array

Arrays: TypeAlias = dict[str, Array]

MADE_BY = (
    "convex", "covers", "concavity", "decomposition", "hulls", "mesh_pieces", "meshes", "open_edges",
    "triangles"
)  # fmt: skip
MAX_ON_DISK = 4000  # of 1 to 60 kB each


def stored(made_from: Iterable[bytes], make: Callable[[], Arrays]) -> Arrays:
    """What `make` makes, by name; read from the disk where it was made of the same bytes before."""
    digest = hashlib.sha256(_sources_hash())
    for part in made_from:
        digest.update(len(part).to_bytes(8, "little") + part)
    name = f"{digest.hexdigest()[:32]}.shape"
    folder = cache_folder("shapes")
    arrays = None if folder is None else _read(folder / name)
    if arrays is None:
        arrays = make()
        if folder is not None and can_keep():
            _write(folder / name, arrays)
    return arrays


@functools.cache
def _sources_hash() -> bytes:
    """Of the modules that make what is stored."""
    return hash_of_sources(Path(__file__).with_name(f"{name}.py") for name in MADE_BY)


def _read(path: Path) -> Arrays | None:
    try:
        content = unsealed(read_regular(path), path.name)
    except OSError:
        return None
    if content is None:  # damaged
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # used last
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return dict(arrays)


def _write(path: Path, arrays: Arrays) -> None:
    content = io.BytesIO()
    np.savez(content, allow_pickle=False, **arrays)
    with contextlib.suppress(OSError):
        with file_made_whole(path) as file:
            file.write(sealed(content.getvalue(), path.name))
        files = sorted(path.parent.glob("*.shape"), key=lambda each: each.stat().st_mtime)
        for oldest in files[:-MAX_ON_DISK]:
            oldest.unlink(missing_ok=True)
