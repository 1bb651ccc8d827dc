"""The nodes of a glTF file as a tree: names, parents, poses at rest. (glTF 2.0 specification, 3.5)"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from limbik.errors import shortened
from limbik.formats.gltf_file import GltfFile
from limbik.spatial import Array, norm, quat_from_matrix

EVEN = 1e-4  # how far the scales along three axes may differ, of the greatest
NEARLY_EVEN = 1e-3  # and with a warning


@dataclass(frozen=True, eq=False)
class Node:
    """A node: where it is in its parent."""

    name: str  # of the file, or "node 3"; differs from that of all others
    parent: int  # -1 for none
    translation: Array  # [3] in the unit of the parent
    rotation: Array  # quaternion xyzw
    scale: Array  # [3]


def read_nodes(file: GltfFile) -> list[Node]:
    """All nodes. Raises FormatError, which names the node, for what is no tree or no numbers."""
    items = file.items("nodes")
    names = _names(items)
    parents = _parents(file, items, names)
    return [
        Node(names[k], parents[k], *_placed(file, item, f"node {names[k]!r}")) for k, item in enumerate(items)
    ]


def line(nodes: Sequence[Node], index: int) -> list[int]:
    """From a node up to its root."""
    indices = [index]
    while nodes[indices[-1]].parent >= 0:
        indices.append(nodes[indices[-1]].parent)
    return indices


def _names(items: Sequence[dict[str, Any]]) -> list[str]:
    own_names = {item.get("name") for item in items if isinstance(item.get("name"), str)}
    taken = {"world"}
    names = []
    for k, item in enumerate(items):
        own_name = item.get("name")
        name = free = own_name if isinstance(own_name, str) and own_name.strip() else f"node {k}"
        numbers = itertools.count(k)
        while free in taken or (free != own_name and free in own_names):
            free = f"{name} ({next(numbers)})"
        taken.add(free)
        names.append(free)
    return names


def _parents(file: GltfFile, items: Sequence[dict[str, Any]], names: Sequence[str]) -> list[int]:
    parents = [-1] * len(items)
    for k, item in enumerate(items):
        children = item.get("children", [])
        if not isinstance(children, list):
            file.fail("children needs a list of numbers of nodes", f"node {names[k]!r}")
        for child in children:
            file.item("nodes", child, f"node {names[k]!r}")
            if parents[child] >= 0:
                file.fail(
                    f"is a child of {names[parents[child]]!r} and {names[k]!r}", f"node {names[child]!r}"
                )
            parents[child] = k
    is_reached = [False] * len(items)
    waiting = [k for k, parent in enumerate(parents) if parent < 0]
    while waiting:
        k = waiting.pop()
        is_reached[k] = True
        waiting.extend(items[k].get("children", []))
    if not all(is_reached):
        file.fail("is above itself", f"node {names[is_reached.index(False)]!r}")
    return parents


def _placed(file: GltfFile, item: dict[str, Any], where: str) -> tuple[Array, Array, Array]:
    """Translation, rotation and scale."""
    if "matrix" in item:
        return _split(file, _numbers(file, item["matrix"], 16, f"{where}: matrix"), where)
    translation = _numbers(file, item.get("translation", (0.0, 0.0, 0.0)), 3, f"{where}: translation")
    rotation = _numbers(file, item.get("rotation", (0.0, 0.0, 0.0, 1.0)), 4, f"{where}: rotation")
    scale = _numbers(file, item.get("scale", (1.0, 1.0, 1.0)), 3, f"{where}: scale")
    return translation, unit_quaternions(file, rotation[None], where)[0], scale


def unit_quaternions(file: GltfFile, quaternions: Array, where: str) -> Array:
    """Quaternions [n, 4] of the length 1: files round them."""
    with np.errstate(over="ignore"):
        lengths = norm(quaternions)
    if (np.abs(lengths - 1.0) > 0.05).any():
        worst = float(lengths[np.argmax(np.abs(lengths - 1.0))])
        file.fail(f"a rotation needs a quaternion of the length 1, found {worst:.4g}", where)
    return np.asarray(quaternions / lengths[:, None])


def _split(file: GltfFile, numbers: Array, where: str) -> tuple[Array, Array, Array]:
    matrix = numbers.reshape(4, 4).T  # stored column by column
    with np.errstate(over="ignore"):
        scale = norm(matrix[:3, :3].T)
    if (scale == 0.0).any():
        file.fail("matrix is singular", where)
    turn = matrix[:3, :3] / scale
    if np.linalg.det(turn) < 0.0 or np.abs(turn.T @ turn - np.eye(3)).max() > 1e-3:
        file.fail("matrix mirrors or shears, which links of a model cannot", where)
    return matrix[:3, 3].copy(), quat_from_matrix(turn), scale


def _numbers(file: GltfFile, value: object, count: int, where: str) -> Array:
    try:
        numbers = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.empty(0)
    if numbers.shape != (count,) or not np.isfinite(numbers).all():
        file.fail(f"needs {count} finite numbers, found {shortened(value)}", where)
    return numbers
