"""A skeleton as glTF: an animation of nodes that are the joints of a skin, and a mesh of bones to see them.

The ends of bones are empty nodes, "Toe.end". Every bone is a slim octahedron from its joint to the next one.
It is there because viewers show meshes, and programs make an armature only of a skin that one uses. (glTF 2.0
specification, 3.7.3 and 3.11)
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from limbik._version import __version__
from limbik.formats.gltf_accessors import Additions
from limbik.formats.gltf_animation import key_times
from limbik.formats.gltf_file import GltfFile, write
from limbik.formats.skeleton import Skeleton
from limbik.spatial import Array, norm, pose_from, pose_inverse, quat_from_matrix

SHORTEST = 1e-3  # [m] of a bone that is drawn
WIDE, WAIST = 0.08, 0.2  # of an octahedron's length: its half width, and how far along it is widest
FACES = np.array(
    [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [5, 2, 1], [5, 3, 2], [5, 4, 3], [5, 1, 4]]
)  # of corners: the joint, four around the waist, the next joint
ALONE = 0.05  # [m] of the bone of a skeleton without any
MATERIAL = {"pbrMetallicRoughness": {"baseColorFactor": [0.6, 0.68, 0.8, 1.0], "metallicFactor": 0.0}}
STILL = 1e-9  # of a quaternion that does not turn


def write_skeleton(skeleton: Skeleton, dt: float, path: Path) -> None:
    """Write a file: GLB unless its ending is .gltf."""
    count, frames = len(skeleton.names), len(skeleton.translations)
    rest, offsets = quat_from_matrix(skeleton.rest), skeleton.offsets
    children: list[list[int]] = [[] for _ in range(count)]
    for bone, parent in enumerate(skeleton.parents):
        if parent >= 0:
            children[parent].append(bone)
    nodes: list[dict[str, Any]] = [
        {"name": name, "translation": offsets[k].tolist(), "rotation": rest[k].tolist()}
        for k, name in enumerate(skeleton.names)
    ]
    roots = [k for k, parent in enumerate(skeleton.parents) if parent < 0]
    nodes.append({"name": "bones", "mesh": 0, "skin": 0})
    for bone, ends in enumerate(skeleton.ends):
        for number, end in enumerate(each for each in ends if each.any()):
            children[bone].append(len(nodes))
            name = f"{skeleton.names[bone]}.end{number + 1 if number else ''}"
            nodes.append({"name": name, "translation": end.tolist()})
    for node, below in zip(nodes, children, strict=False):
        if below:
            node["children"] = below
    content: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": f"limbik {__version__}"},
        "scene": 0,
        "scenes": [{"nodes": [*roots, count]}],
        "nodes": nodes,
        "buffers": [{"byteLength": 0}],
    }
    file = GltfFile(str(path), path.parent, content, b"")
    added = Additions(file, content)
    world = _world(skeleton, offsets)
    inverses = pose_inverse(world).swapaxes(-1, -2).reshape(count, 16)
    binds = added.accessor(inverses, "MAT4")
    content["skins"] = [{"joints": list(range(count)), "inverseBindMatrices": binds}]
    content["materials"] = [MATERIAL]
    content["meshes"] = [_mesh(added, skeleton, world)]
    times = added.accessor(key_times(file, 0.0, dt, frames), "SCALAR")
    animation: dict[str, Any] = {"name": "motion", "channels": [], "samplers": []}
    for bone in range(count):
        rotations = _continuous(quat_from_matrix(skeleton.rotations[:, bone]))
        is_first = bone == roots[0]  # which says how many frames there are, also where nothing moves
        if is_first or np.abs(rotations - rest[bone]).max() > STILL:
            _animate(animation, bone, "rotation", times, added.accessor(rotations, "VEC4"))
        if skeleton.slides[bone]:
            translations = added.accessor(skeleton.translations[:, bone], "VEC3")
            _animate(animation, bone, "translation", times, translations)
    content["animations"] = [animation]
    write(file, path, added.finish())


def _world(skeleton: Skeleton, offsets: Array) -> Array:
    """Poses [n, 4, 4] in rest."""
    poses = pose_from(skeleton.rest, offsets)
    for bone, parent in enumerate(skeleton.parents):
        if parent >= 0:
            poses[bone] = poses[parent] @ poses[bone]
    return poses


def _mesh(added: Additions, skeleton: Skeleton, world: Array) -> dict[str, Any]:
    """The triangles of all bones, each on its joint."""
    points, joints = [], []
    for start, end, bone in _bones(skeleton, world):
        along = end - start
        aside = np.cross(along, np.eye(3)[np.abs(along).argmin()])
        aside *= WIDE * norm(along) / norm(aside)
        around = np.cross(along, aside) / norm(along)
        waist = start + WAIST * along + np.array([aside, around, -aside, -around])
        points.append(np.array([start, *waist, end])[FACES].reshape(-1, 3))
        joints += [bone] * FACES.size
    of_one = np.array([[1, 0, 0, 0]])
    attributes = {
        "POSITION": added.accessor(np.concatenate(points), "VEC3", has_range=True),
        "JOINTS_0": added.accessor(np.array(joints)[:, None] * of_one, "VEC4", "<u2"),
        "WEIGHTS_0": added.accessor(np.repeat(of_one, len(joints), axis=0), "VEC4"),
    }
    return {"primitives": [{"attributes": attributes, "material": 0}]}


def _bones(skeleton: Skeleton, world: Array) -> Iterator[tuple[Array, Array, int]]:
    """From where to where [3, m] in rest, and the joint that moves it; one at least."""
    is_any = False
    for bone, parent in enumerate(skeleton.parents):
        starts = [] if parent < 0 else [(world[parent, :3, 3], world[bone, :3, 3], parent)]
        ends = [(world[bone, :3, 3], (world[bone] @ [*end, 1.0])[:3], bone) for end in skeleton.ends[bone]]
        for start, end, joint in (*starts, *ends):
            if norm(end - start) > SHORTEST:
                is_any = True
                yield start, end, joint
    if not is_any:
        yield world[0, :3, 3], world[0, :3, 3] + [0.0, ALONE, 0.0], 0


def _continuous(rotations: Array) -> Array:
    """Quaternions [T, 4] whose sign changes nowhere."""
    flips = np.where((rotations[1:] * rotations[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
    return np.asarray(rotations * np.cumprod([1.0, *flips])[:, None])


def _animate(animation: dict[str, Any], node: int, path: str, times: int, values: int) -> None:
    animation["channels"].append(
        {"sampler": len(animation["samplers"]), "target": {"node": node, "path": path}}
    )
    animation["samplers"].append({"input": times, "interpolation": "LINEAR", "output": values})
