"""A skeleton of glTF as a model, and its animation as configurations, and back.

The links are the nodes that are joints of a skin or move, and those above them. A joint of a skin is a ball
joint; its neutral configuration is how the file has it in rest. Where its translation moves, three sliding
joints come before it, "Hips.Xposition" to "Hips.Zposition", along the axes of the parent, from its position
in rest. Nodes above that do not move are fixed; their scales go into lengths. An empty node below a joint
whose name ends with "end", as Blender and limbik write them, is the frame "Toe.end" of that joint.
"""

from __future__ import annotations

import copy
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from limbik.errors import FormatError, FormatWarning, ModelError
from limbik.formats import gltf_file
from limbik.formats.gltf_accessors import Additions
from limbik.formats.gltf_animation import (
    Channels,
    Target,
    choose,
    frames_of,
    key_times,
    moving,
    read_channels,
    sampled,
    target_of,
)
from limbik.formats.gltf_file import GltfFile
from limbik.formats.gltf_nodes import EVEN, NEARLY_EVEN, Node, line, read_nodes
from limbik.formats.vrm import humanoid_nodes
from limbik.model import Frame, Joint, JointKind, Model
from limbik.spatial import Array, pose_from, quat_conjugate, quat_multiply, quat_to_matrix

WORLD = "world"  # the root link
POSITIONS = ("Xposition", "Yposition", "Zposition")
SAME = 1e-6  # of a translation: how far its keys may differ where it does not move
END = re.compile(r"[._ ]end\d*$", re.IGNORECASE)  # of the name of a node
UNCHANGED = 1e-12  # [m, or of a quaternion] how far values may be from those of the file


@dataclass(frozen=True, eq=False)
class GltfScene:
    """A file, and which of its nodes are in the model."""

    file: GltfFile = field(repr=False)
    nodes: tuple[Node, ...] = field(repr=False)
    animation: int | None
    channels: Channels = field(repr=False)
    turning: tuple[int, ...]  # nodes with a ball joint
    sliding: tuple[int, ...]  # nodes with sliding joints, too
    fixed: tuple[int, ...]  # nodes above them
    ends: tuple[int, ...]  # empty nodes at the ends of bones
    scales: dict[int, float] = field(repr=False)  # [m] of one unit inside each node
    start: float  # [s] of the first frame
    dt: float  # [s]
    count: int  # frames

    def link(self, role_nodes: dict[str, int]) -> dict[str, str]:
        """The links of roles, of those nodes that are in the model."""
        known = {*self.turning, *self.fixed}
        return {role: self.nodes[node].name for role, node in role_nodes.items() if node in known}


def read_scene(path: str, animation: str | int | None) -> tuple[GltfScene, dict[str, str]]:
    """The skeleton and one animation of a file, and the links of the roles that a VRM gives."""
    file = gltf_file.read(path)
    nodes = read_nodes(file)
    index = choose(file, animation)
    channels = {} if index is None else read_channels(file, nodes, index)
    _settle_scales(file, nodes, channels)
    roles = humanoid_nodes(file)
    joints = _skin_joints(file) | set(roles.values())
    turning = joints | {node for node, _ in moving(channels, "rotation")}
    start, dt, count = frames_of(file, channels) if channels else (0.0, 1.0 / 30.0, 1)
    _settle_translations(nodes, channels)
    sliding = {node for node, _ in moving(channels, "translation")} | _topmost(nodes, joints)
    turning |= sliding
    if not turning:
        file.fail("has no skin and no animation of nodes, so there is no skeleton in it")
    used = {each for node in turning for each in line(nodes, node)}
    ends = [k for k in range(len(nodes)) if k not in used and _is_end(file, nodes, k, turning)]
    scales = _scales(file, nodes, sorted({*used, *ends}))
    scene = GltfScene(
        file,
        tuple(nodes),
        index,
        channels,
        tuple(sorted(turning)),
        tuple(sorted(sliding)),
        tuple(sorted(used - turning)),
        tuple(ends),
        scales,
        start,
        dt,
        count,
    )
    return scene, scene.link(roles)


def model_of(scene: GltfScene) -> Model:
    """The model of a skeleton, which stands on the link "world"."""
    used = sorted({*scene.turning, *scene.fixed})
    try:
        joints = [joint for node in used for joint in _joints(scene, node)]
        return Model("gltf", joints, _frames(scene), root=WORLD)
    except ModelError as error:
        raise FormatError(scene.file.name, f"its nodes make no model: {error}") from None


def q_of(scene: GltfScene, model: Model) -> Array:
    """q [T, nq] of the animation; of a file without one the rest, in one frame."""
    q = np.tile(model.neutral, (scene.count, 1))
    for node in scene.turning:
        name = scene.nodes[node].name
        q[:, model.q_slice(name)] = _rotations(scene, node)
    for node in scene.sliding:
        q[:, _slides(model, scene.nodes[node].name)] = _travels(scene, node)
    return q


def write(scene: GltfScene, model: Model, q: Array, dt: float, path: Path) -> None:
    """Write the file with q [T, nq] as its animation, everything else as it was.

    Channels of which nothing has changed stay as they are.
    """
    content = copy.deepcopy(scene.file.content)
    added = Additions(scene.file, content)
    changes = list(_changes(scene, model, q, dt))
    if changes:
        animation = _animation(content, scene.animation)
        times = added.accessor(key_times(scene.file, scene.start, dt, len(q)), "SCALAR")
        for node, target, values in changes:
            _take_apart(content["nodes"][node], scene.nodes[node])
            output = added.accessor(values, "VEC4" if target == "rotation" else "VEC3")
            animation["samplers"].append({"input": times, "interpolation": "LINEAR", "output": output})
            _channel(animation, node, target)["sampler"] = len(animation["samplers"]) - 1
    rest = added.finish()
    gltf_file.write(GltfFile(scene.file.name, scene.file.folder, content, scene.file.binary), path, rest)


# --- which nodes --------------------------------------------------------------------------------------------


def _skin_joints(file: GltfFile) -> set[int]:
    joints: set[int] = set()
    for k, skin in enumerate(file.items("skins")):
        listed_joints = skin.get("joints")
        if not isinstance(listed_joints, list) or not listed_joints:
            file.fail("needs a list of joints", f"skins[{k}]")
        for node in listed_joints:
            file.item("nodes", node, f"skins[{k}]")
            joints.add(node)
    return joints


def _is_end(file: GltfFile, nodes: Sequence[Node], k: int, joints: set[int]) -> bool:
    """Whether a node is the end of a bone and nothing else."""
    item = file.items("nodes")[k]
    is_empty = not any(item.get(key) for key in ("children", "mesh", "camera", "skin", "extensions"))
    is_named = END.search(nodes[k].name) is not None
    return nodes[k].parent in joints and is_empty and is_named and bool(nodes[k].translation.any())


def _topmost(nodes: Sequence[Node], joints: set[int]) -> set[int]:
    """Those that are below no other."""
    return {node for node in joints if not joints & set(line(nodes, node)[1:])}


def _settle_scales(file: GltfFile, nodes: list[Node], channels: Channels) -> None:
    """What a scale channel says without changing is the scale of its node. Raises FormatError for others."""
    for node, channel in list(moving(channels, "scale")):
        keys, name = channel.keys, nodes[node].name
        smallest, greatest = keys.min(axis=0), keys.max(axis=0)
        if (greatest - smallest > 1e-3 * np.abs(greatest)).any():
            file.fail("its scale is animated, which the links of a model cannot follow", f"node {name!r}")
        old = nodes[node]
        nodes[node] = Node(name, old.parent, old.translation, old.rotation, keys[0])


def _settle_translations(nodes: list[Node], channels: Channels) -> None:
    """What a translation channel says without changing is where its node is; it does not slide."""
    for node, channel in list(moving(channels, "translation")):
        keys, old = channel.keys, nodes[node]
        if np.abs(keys - keys[0]).max() <= SAME * max(1e-3, float(np.abs(keys[0]).max())):
            nodes[node] = Node(old.name, old.parent, keys[0], old.rotation, old.scale)
            del channels[node, "translation"]


def _scales(file: GltfFile, nodes: Sequence[Node], used: Sequence[int]) -> dict[int, float]:
    """[m] of one unit inside each node that has others in it."""
    parents = {nodes[node].parent for node in used} - {-1}
    scales: dict[int, float] = {}
    for node in used:
        for each in reversed(line(nodes, node)):
            if each in scales or each not in parents:
                continue
            scale = nodes[each].scale
            size = float(np.abs(scale).max())
            if not size or np.ptp(scale) > NEARLY_EVEN * size or scale.min() < 0.0:
                problem = (
                    f"its scale needs to be positive and the same along all axes, found {scale.tolist()}"
                )
                file.fail(problem, f"node {nodes[each].name!r}")
            if np.ptp(scale) > EVEN * size:
                where = f"{file.name}: node {nodes[each].name!r}"
                note = f"{where}: its scale {scale.tolist()} is taken as the same along all axes"
                warnings.warn(note, FormatWarning, stacklevel=2)
            above = nodes[each].parent
            scales[each] = float(scale.mean()) * (scales[above] if above >= 0 else 1.0)
    return scales


# --- joints and values --------------------------------------------------------------------------------------


def _joints(scene: GltfScene, index: int) -> Iterator[Joint]:
    node = scene.nodes[index]
    parent = scene.nodes[node.parent].name if node.parent >= 0 else WORLD
    origin = pose_from(quat_to_matrix(node.rotation), _size(scene, index) * node.translation)
    if index not in scene.turning:
        yield Joint(name=node.name, kind=JointKind.FIXED, parent=parent, child=node.name, origin=origin)
        return
    if index in scene.sliding:
        before = pose_from(translation=origin[:3, 3])
        for axis, position in enumerate(POSITIONS):
            name = f"{node.name}.{position}"
            yield Joint(
                name=name,
                kind=JointKind.PRISMATIC,
                parent=parent,
                child=name,
                origin=before,
                axis=np.eye(3)[axis],
            )
            parent, before = name, np.eye(4)
        origin = pose_from(origin[:3, :3])
    yield Joint(name=node.name, kind=JointKind.BALL, parent=parent, child=node.name, origin=origin)


def _frames(scene: GltfScene) -> Iterator[Frame]:
    """The ends of bones."""
    count: dict[int, int] = {}
    for k in scene.ends:
        node = scene.nodes[k]
        link = scene.nodes[node.parent].name
        count[node.parent] = count.get(node.parent, 0) + 1
        number = "" if count[node.parent] == 1 else str(count[node.parent])
        pose = pose_from(quat_to_matrix(node.rotation), _size(scene, k) * node.translation)
        yield Frame(name=f"{link}.end{number}", link=link, pose_link_frame=pose)


def _size(scene: GltfScene, index: int) -> float:
    """[m] of one unit of a node's translation."""
    parent = scene.nodes[index].parent
    return scene.scales[parent] if parent >= 0 else 1.0


def _slides(model: Model, name: str) -> list[int]:
    return [model.q_slice(f"{name}.{position}").start for position in POSITIONS]


def _rotations(scene: GltfScene, index: int) -> Array:
    """Quaternions [T, 4] from how the node is in rest."""
    channel = scene.channels.get((index, "rotation"))
    if channel is None:
        return np.tile([0.0, 0.0, 0.0, 1.0], (scene.count, 1))
    values = sampled(channel, scene.start, scene.dt, scene.count)
    return quat_multiply(quat_conjugate(scene.nodes[index].rotation), values)


def _travels(scene: GltfScene, index: int) -> Array:
    """[T, 3] [m] from where the node is in rest."""
    channel = scene.channels.get((index, "translation"))
    if channel is None:
        return np.zeros((scene.count, 3))
    values = sampled(channel, scene.start, scene.dt, scene.count)
    return np.asarray(_size(scene, index) * (values - scene.nodes[index].translation))


# --- writing ------------------------------------------------------------------------------------------------


def _changes(scene: GltfScene, model: Model, q: Array, dt: float) -> Iterator[tuple[int, Target, Array]]:
    """Node, "rotation" or "translation", and values [T, 4 or 3] in the file's units, of what is new."""
    is_as_long = len(q) == scene.count and abs(dt - scene.dt) <= 1e-9 * dt

    def is_same(new: Array, index: int, target: Target, old: Array) -> bool:
        if (index, target) in scene.channels and not is_as_long:
            return False
        return bool(np.abs(new - (old if is_as_long else old[:1])).max() <= UNCHANGED)

    for index in scene.turning:
        node = scene.nodes[index]
        turn = q[:, model.q_slice(node.name)]
        if not is_same(turn, index, "rotation", _rotations(scene, index)):
            yield index, "rotation", quat_multiply(node.rotation, turn)
    for index in scene.sliding:
        node, size = scene.nodes[index], _size(scene, index)
        slide = q[:, _slides(model, node.name)]
        if not is_same(slide, index, "translation", _travels(scene, index)):
            yield index, "translation", slide / size + node.translation


def _take_apart(item: dict[str, Any], node: Node) -> None:
    """Translation, rotation and scale instead of a matrix, which may not be animated."""
    if item.pop("matrix", None) is not None:
        for key in ("translation", "rotation", "scale"):
            item[key] = getattr(node, key).tolist()


def _animation(content: dict[str, Any], index: int | None) -> dict[str, Any]:
    if index is None:
        index = 0
        content["animations"] = [{"name": "motion", "channels": [], "samplers": []}]
    chosen: dict[str, Any] = content["animations"][index]
    return chosen


def _channel(animation: dict[str, Any], node: int, target: str) -> dict[str, Any]:
    """The channel of a node, new if there is none."""
    for channel in animation["channels"]:
        if target_of(channel) == (node, target):
            checked: dict[str, Any] = channel
            return checked
    animation["channels"].append({"sampler": 0, "target": {"node": node, "path": target}})
    new: dict[str, Any] = animation["channels"][-1]
    return new
