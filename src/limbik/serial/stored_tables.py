"""Builds seed tables on first use, and stores them on disk."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from pathlib import Path

import numpy as np

from limbik.compiler.build import file_made_whole, sealed, unsealed
from limbik.compiler.cache import cache_folder, can_keep, read_regular
from limbik.compiler.native import SOURCES_HASH
from limbik.locks import fork_safe
from limbik.serial import seed_table as seeds
from limbik.serial.prepare import Prepared, table_frame
from limbik.serial.seed_table import CANDIDATES, SeedTable, Shape

MAX_IN_MEMORY = 64
MAX_ON_DISK = 128  # of 2 to 3 MB each

_tables: dict[str, SeedTable] = {}
_building = fork_safe(threading.Lock())  # a table takes 20 MB while it is built


def table_for(prepared: Prepared) -> SeedTable:
    """The seed table of a chain. Building it takes about 50 ms, reading it about 2 ms."""
    name = _content_hash(prepared)
    table = _tables.get(name)
    if table is None:
        with _building:
            table = _tables.get(name) or _read(name, prepared.shape) or _built(name, prepared)
            if name not in _tables and len(_tables) >= MAX_IN_MEMORY:
                _tables.pop(next(iter(_tables)))
            _tables[name] = table
    return table


def _built(name: str, prepared: Prepared) -> SeedTable:
    table = seeds.build(
        _without_tool(prepared),
        table_frame(prepared),
        prepared.shape,
        prepared.lower,
        prepared.upper,
        prepared.circular,
    )
    if can_keep():
        _write(name, table)
    return table


def _without_tool(prepared: Prepared) -> np.ndarray:
    """The rows [n, 5], ending on the last axis: a key does not depend on the tool's position
    (`serial.seed_table`).
    """
    rows = prepared.rows.copy()
    if prepared.shape.tool_roll is not None:
        rows[-1, :2] = 0.0
    return rows


def _content_hash(prepared: Prepared) -> str:
    held = list(prepared.shape.middle)
    digest = hashlib.sha256(SOURCES_HASH)
    digest.update(repr(prepared.shape).encode())
    for values in (
        _without_tool(prepared),
        prepared.lower[held],
        prepared.upper[held],
        prepared.circular[held],
        prepared.to_base_yaw,
    ):
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()[:32]


def _read(name: str, shape: Shape) -> SeedTable | None:
    folder = cache_folder("tables")
    if folder is None:
        return None
    try:
        file = folder / f"{name}.table"
        content = unsealed(read_regular(file), file.name)
    except OSError:
        return None
    if content is None:  # damaged
        return None
    numbers = np.frombuffer(content, np.float32)
    grid = numbers[:12].view(np.float64)
    candidates = numbers[12:].reshape(shape.cells, shape.depth, CANDIDATES)
    with contextlib.suppress(OSError):
        os.utime(file)  # used last
    return SeedTable(candidates, grid[:3].copy(), grid[3:].copy())


def _write(name: str, table: SeedTable) -> None:
    folder = cache_folder("tables")
    if folder is None:
        return
    grid = np.concatenate([table.origin, table.scale]).view(np.float32)
    with contextlib.suppress(OSError):
        path = folder / f"{name}.table"
        with file_made_whole(path) as file:
            file.write(sealed(np.concatenate([grid, table.candidates.ravel()]).tobytes(), path.name))
        _forget_oldest(folder)


def _forget_oldest(folder: Path) -> None:
    files = sorted(folder.glob("*.table"), key=lambda file: file.stat().st_mtime)
    for file in files[:-MAX_ON_DISK]:
        file.unlink(missing_ok=True)
