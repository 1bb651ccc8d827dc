"""glTF files made with pygltflib, and where their nodes are, worked out without limbik's reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pygltflib
from pygltflib import GLTF2
from scipy.spatial.transform import Rotation, Slerp

FORMATS = {
    np.dtype(kind): number for kind, number in (("f4", 5126), ("i2", 5122), ("u1", 5121), ("u2", 5123))
}
KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}


class Builder:
    """A glTF file in the making."""

    def __init__(self) -> None:
        self.gltf = GLTF2(asset=pygltflib.Asset(version="2.0"))
        self.bytes = bytearray()

    def node(self, name: str | None, parent: int | None = None, **placed: Any) -> int:
        self.gltf.nodes.append(pygltflib.Node(name=name, **placed))
        place = len(self.gltf.nodes) - 1
        if parent is not None:
            self.gltf.nodes[parent].children = [*(self.gltf.nodes[parent].children or []), place]
        return place

    def accessor(self, values: np.ndarray, **options: Any) -> int:
        values = np.asarray(values)
        self.bytes += b"\0" * (-len(self.bytes) % 4)
        view = pygltflib.BufferView(buffer=0, byteOffset=len(self.bytes), byteLength=values.nbytes)
        self.gltf.bufferViews.append(view)
        self.bytes += values.tobytes()
        width = 1 if values.ndim == 1 else values.shape[1]
        self.gltf.accessors.append(
            pygltflib.Accessor(
                bufferView=len(self.gltf.bufferViews) - 1,
                componentType=FORMATS[values.dtype],
                count=len(values),
                type=KINDS[width],
                **({"min": [float(values.min())], "max": [float(values.max())]} if width == 1 else {}),
                **options,
            )
        )
        return len(self.gltf.accessors) - 1

    def animation(
        self, name: str | None, channels: Sequence[tuple[int, str, np.ndarray, np.ndarray, str]]
    ) -> None:
        """channels: node, path, times, values, interpolation."""
        animation = pygltflib.Animation(name=name)
        for node, path, times, values, interpolation in channels:
            values = np.asarray(values)
            normalized = {"normalized": True} if values.dtype.kind in "iu" else {}
            values = values if normalized else values.astype("f4")
            sampler = pygltflib.AnimationSampler(
                input=self.accessor(np.asarray(times, "f4")),
                output=self.accessor(values, **normalized),
                interpolation=interpolation,
            )
            animation.samplers.append(sampler)
            target = pygltflib.AnimationChannelTarget(node=node, path=path)
            animation.channels.append(
                pygltflib.AnimationChannel(sampler=len(animation.samplers) - 1, target=target)
            )
        self.gltf.animations.append(animation)

    def save(self, path: Path, joints: Sequence[int] = ()) -> Path:
        if joints:
            self.gltf.skins = [pygltflib.Skin(joints=list(joints))]
        roots = set(range(len(self.gltf.nodes))) - {
            child for node in self.gltf.nodes for child in node.children or []
        }
        self.gltf.scenes, self.gltf.scene = [pygltflib.Scene(nodes=sorted(roots))], 0
        self.gltf.buffers = [pygltflib.Buffer(byteLength=len(self.bytes))]
        self.gltf.set_binary_blob(bytes(self.bytes))
        self.gltf.save(str(path))
        return path


def world_matrices(path: Path, local: Mapping[tuple[int, str], Any] | None = None) -> dict[str, np.ndarray]:
    """[4, 4] of each node by its name, in rest or with other values for (node, property)."""
    gltf = GLTF2().load(str(path))
    local = local or {}
    parents = {child: k for k, node in enumerate(gltf.nodes) for child in node.children or []}

    def matrix(k: int) -> np.ndarray:
        node = gltf.nodes[k]
        if node.matrix is not None:
            own = np.array(node.matrix).reshape(4, 4).T
        else:
            own = np.eye(4)
            turn = local.get((k, "rotation"), node.rotation or (0, 0, 0, 1))
            own[:3, :3] = Rotation.from_quat(turn).as_matrix() @ np.diag(node.scale or (1, 1, 1))
            own[:3, 3] = local.get((k, "translation"), node.translation or (0, 0, 0))
        return matrix(parents[k]) @ own if k in parents else own

    return {node.name: matrix(k) for k, node in enumerate(gltf.nodes)}


def slerp(times: np.ndarray, values: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Quaternions [T, 4] between keys, by scipy."""
    return Slerp(times, Rotation.from_quat(values))(at).as_quat()


def random_quaternions(random: np.random.Generator, count: int) -> np.ndarray:
    return Rotation.random(count, random_state=random.integers(1 << 30)).as_quat()
