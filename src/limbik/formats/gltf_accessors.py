"""Reads arrays of numbers from the buffers of glTF, and adds them there: its accessors (glTF 2.0
specification, 3.6.2).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from limbik.errors import shortened
from limbik.formats.gltf_file import GltfFile, data_uri, is_whole
from limbik.spatial import Array

_TYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_COUNTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
_COMPONENTS = {number: component for component, number in _TYPES.items()}
_FLOAT = 5126
MAX_STRIDE = 252  # [bytes] by the specification
MAX_COUNT = 10**6  # of an accessor without bytes, as many as an animation may have frames


def read_accessor(file: GltfFile, index: object, kind: str, where: str) -> Array:
    """The numbers of an accessor [count, components]; whole numbers that are normalized are from -1 to 1.

    kind: "SCALAR", "VEC3" or "VEC4", which it has to be. where: what uses it, for messages.
    """
    accessor = file.item("accessors", index, where)
    where = f"accessors[{index}]"
    count, component = accessor.get("count"), accessor.get("componentType")
    if accessor.get("type") != kind:
        file.fail(f"needs the type {kind}, found {shortened(accessor.get('type'))}", where)
    if not is_whole(count) or count < 1 or not is_whole(component) or component not in _TYPES:
        file.fail("needs a count of at least 1 and a known componentType", where)
    if "bufferView" in accessor:
        start = accessor.get("byteOffset", 0)
        values = _view(file, accessor["bufferView"], start, component, count, _COUNTS[kind], where)
    else:
        values = np.zeros((_bounded(file, count, where), _COUNTS[kind]), _TYPES[component])
    if "sparse" in accessor:
        values = _sparse(file, accessor["sparse"], values, component, where)
    with np.errstate(invalid="ignore"):  # a signalling NaN, which is refused below
        numbers = values.astype(np.float64)
    if accessor.get("normalized") and component != _FLOAT:
        numbers = np.maximum(numbers / np.iinfo(values.dtype).max, -1.0)
    if not np.isfinite(numbers).all():
        file.fail("needs finite numbers", where)
    return numbers


class Additions:
    """Accessors that are added to the JSON of a file, and their bytes.

    They come after the bytes of a GLB, or into a buffer of their own.
    """

    def __init__(self, file: GltfFile, content: dict[str, Any]) -> None:
        self.file, self.content = file, content
        self.is_in_glb = file.binary is not None and bool(content.get("buffers"))
        self.start = 0
        if self.is_in_glb and file.binary is not None:
            self.start = len(file.binary)
        self.bytes = bytearray(b"\0" * (-self.start % 4))
        self.buffer = 0 if self.is_in_glb else len(content.get("buffers", []))

    def accessor(self, values: Array, kind: str, number: str = "<f4", has_range: bool = False) -> int:
        """Add numbers [count, components], as float32 or another of `_TYPES`; returns the index of the
        accessor. has_range: with the smallest and the largest, which are required of positions and times.

        Raises FormatError for numbers beyond single precision.
        """
        with np.errstate(over="ignore"):
            numbers = np.asarray(values).astype(number)
        if not np.isfinite(numbers).all():
            self.file.fail(f"glTF holds numbers up to 3.4e38, not {np.abs(values).max():.3g}")
        views = self.content.setdefault("bufferViews", [])
        accessors = self.content.setdefault("accessors", [])
        view = {
            "buffer": self.buffer,
            "byteOffset": self.start + len(self.bytes),
            "byteLength": numbers.nbytes,
        }
        accessor: dict[str, Any] = {
            "bufferView": len(views),
            "componentType": _COMPONENTS[number],
            "count": len(numbers),
            "type": kind,
        }
        if has_range or kind == "SCALAR":
            rows = numbers.reshape(len(numbers), -1)
            accessor |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        views.append(view)
        accessors.append(accessor)
        self.bytes += numbers.tobytes()
        return len(accessors) - 1

    def finish(self) -> bytes:
        """Count the bytes in the JSON; returns those that come after the first buffer of a GLB."""
        if not any(view.get("buffer") == self.buffer for view in self.content.get("bufferViews", [])):
            return b""
        if self.is_in_glb:
            self.content["buffers"][0]["byteLength"] = self.start + len(self.bytes)
            return bytes(self.bytes)
        content = bytes(self.bytes)
        buffers = self.content.setdefault("buffers", [])
        buffers.append({"byteLength": len(content), "uri": data_uri(content)})
        return b""


def _view(
    file: GltfFile, index: object, start: object, component: int, count: int, width: int, where: str
) -> np.ndarray:
    view = file.item("bufferViews", index, where)
    content = file.buffer(view.get("buffer"), f"bufferViews[{index}]")
    kind = np.dtype(_TYPES[component])
    size = kind.itemsize * width
    offset, length, stride = view.get("byteOffset", 0), view.get("byteLength"), view.get("byteStride", size)
    numbers = (start, offset, length, stride)
    if not all(is_whole(each) and each >= 0 for each in numbers):
        file.fail("byteOffset, byteLength and byteStride need whole numbers that are not negative", where)
    if not size <= stride <= MAX_STRIDE:
        file.fail(f"byteStride needs a number from {size} to {MAX_STRIDE}, found {stride}", where)
    first = offset + start
    last = first + (count - 1) * stride + size
    if last > offset + length or last > len(content):
        file.fail(f"ends after its buffer: {count} of {size} bytes from byte {first}", where)
    rows = np.lib.stride_tricks.as_strided(
        np.frombuffer(content, np.uint8, last - first, first), (count, size), (stride, 1)
    )
    return np.ascontiguousarray(rows).view(kind)


def _sparse(file: GltfFile, sparse: Any, values: np.ndarray, component: int, where: str) -> np.ndarray:
    where = f"{where}.sparse"
    try:
        count, indices, new = sparse["count"], sparse["indices"], sparse["values"]
        index_kind = indices["componentType"]
        at = (indices["bufferView"], indices.get("byteOffset", 0))
        of = (new["bufferView"], new.get("byteOffset", 0))
    except (KeyError, TypeError, AttributeError):
        file.fail("needs count, indices and values", where)
    if not is_whole(count) or not 0 < count <= len(values) or index_kind not in (5121, 5123, 5125):
        file.fail("needs a count from 1 to that of the accessor, and whole indices", where)
    rows = _view(file, *at, index_kind, count, 1, where)[:, 0]
    if rows.max() >= len(values):
        file.fail(f"index {rows.max()} is beyond the {len(values)} of the accessor", where)
    changed = values.copy()
    changed[rows] = _view(file, *of, component, count, values.shape[1], where)
    return changed


def _bounded(file: GltfFile, count: int, where: str) -> int:
    if count > MAX_COUNT:
        file.fail(f"{count} numbers without a bufferView are too many", where)
    return count
