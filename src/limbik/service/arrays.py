"""Arrays in HTTP bodies: reads .npy, writes .npz, converts rows of positions and quaternions to poses."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from limbik.errors import GoalError
from limbik.spatial import Array, norm, pose_from, quat_normalise, quat_to_matrix

NPY, NPZ = "application/x-npy", "application/x-npz"
SHORTEST = 1e-6  # of a quaternion that is turned into a rotation
READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def read_npy(body: bytes) -> Array:
    """The array in the bytes of a .npy file. Raises GoalError for what is none, and for no numbers."""
    stream = io.BytesIO(body)
    try:
        version = npy.read_magic(stream)
        shape, _, kind = READERS[version](stream)
        assert all(type(count) is int and count >= 0 for count in shape), "of which two would cancel"
    except Exception:  # the header is read as Python: whatever its parser raises
        raise GoalError("the body needs to be a .npy file of numbers, as numpy.save writes it") from None
    if kind.kind not in "fiu":
        raise GoalError(f"the body needs an array of numbers, found {kind.name}")
    size, needed = len(body) - stream.tell(), math.prod(shape) * kind.itemsize
    if size != needed:  # looked at before memory is taken for so many
        raise GoalError(f"the body needs {needed} bytes for {shape} numbers, found {size}")
    return np.ascontiguousarray(np.load(io.BytesIO(body), allow_pickle=False), dtype=np.float64)


def poses_in(body: bytes) -> Array:
    """[N, 4, 4] of a .npy file of such poses, or of [N, 7]: positions [m] and quaternions xyzw."""
    array = read_npy(body)
    if array.ndim == 3 and array.shape[1:] == (4, 4):
        return array
    if array.ndim != 2 or array.shape[1] != 7:
        needed = "[N, 4, 4], or [N, 7] of positions and quaternions x y z w"
        raise GoalError(f"the poses need the shape {needed}; found {list(array.shape)}")
    return poses_of_rows(array)


def poses_of_rows(rows: Array) -> Array:
    """[N, 4, 4] of positions [m] and quaternions xyzw [N, 7]; raises GoalError for a row that is no pose."""
    positions, quaternions = rows[:, :3], rows[:, 3:]
    with np.errstate(over="ignore", invalid="ignore"):  # a length may be infinite
        bad = np.flatnonzero(~np.isfinite(rows).all(axis=1) | ~(norm(quaternions) > SHORTEST))
    if bad.size:
        k = bad[0]
        needed = f"finite numbers, and a quaternion of a length above {SHORTEST:g}"
        raise GoalError(f"`poses[{k}]` needs {needed}, found {rows[k].tolist()}")
    return pose_from(quat_to_matrix(quat_normalise(quaternions)), positions)


def write_npz(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The bytes of a .npz file, not compressed."""
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **arrays)
    return stream.getvalue()
