"""Roles of nodes as bones of a human body, as VRM files name them: VRM 1.0, its animations, VRM 0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from limbik.errors import shortened
from limbik.formats.gltf_file import GltfFile

ENDINGS = {"VRMC_vrm": ".vrm", "VRM": ".vrm", "VRMC_vrm_animation": ".vrma"}  # by extension of a glTF
_THUMBS_OF_0 = {  # VRM 1.0 calls the bones of the thumb otherwise
    "ThumbProximal": "ThumbMetacarpal",
    "ThumbIntermediate": "ThumbProximal",
}

_SETTINGS_OF_0 = {  # of a humanoid of VRM 0, which may have them without bones
    "armStretch",
    "legStretch",
    "upperArmTwist",
    "lowerArmTwist",
    "upperLegTwist",
    "lowerLegTwist",
    "feetSpacing",
    "hasTranslationDoF",
}


def humanoid_nodes(file: GltfFile) -> dict[str, int]:
    """Of each role, in the words of VRM 1.0, the number of its node; nothing for a file that is no VRM.

    Raises FormatError for a node that does not exist.
    """
    extensions = file.content.get("extensions")
    nodes: dict[str, int] = {}
    for role, node in _bones(file, extensions) if isinstance(extensions, dict) else ():
        where = f"bone {shortened(role)} of the VRM humanoid"
        file.item("nodes", node, where)
        if role in nodes:
            file.fail("has a node twice", where)
        if node in nodes.values():
            file.fail(f"has the node {node}, which another bone has", where)
        nodes[role] = node
    return nodes


def vrm_endings(file: GltfFile) -> set[str]:
    """The endings of VRM that a glTF may have: that of an avatar, or of an animation for any of them."""
    extensions = file.content.get("extensions")
    return {ENDINGS[key] for key in ENDINGS if isinstance(extensions, dict) and key in extensions}


def _bones(file: GltfFile, extensions: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key in ("VRMC_vrm", "VRMC_vrm_animation"):
        bones = _human_bones(file, extensions, key)
        if bones is None:
            continue
        if not isinstance(bones, dict):
            file.fail(f"humanBones needs bones by their names, found {shortened(bones)}", "VRM humanoid")
        for role, bone in bones.items():
            if not isinstance(bone, dict) or (bone and "node" not in bone):
                problem = f'needs {{"node": ...}}, found {shortened(bone)}'
                file.fail(problem, f"bone {shortened(role)} of the VRM humanoid")
            if bone.get("node") is not None:
                yield role, bone["node"]
        return
    bones = _human_bones(file, extensions, "VRM")
    if bones is not None and not isinstance(bones, list):
        file.fail(f"humanBones needs a list, found {shortened(bones)}", "VRM humanoid")
    for bone in bones or []:
        role, node = _at(bone, "bone"), _at(bone, "node")
        if not isinstance(role, str):
            file.fail(f"humanBones needs bones with a name, found {shortened(bone)}", "VRM humanoid")
        if "node" not in bone:
            problem = f'needs {{"bone": ..., "node": ...}}, found {shortened(bone)}'
            file.fail(problem, f"bone {shortened(role)} of the VRM humanoid")
        if node not in (None, -1):  # that has none
            yield _renamed(role), node


def _human_bones(file: GltfFile, extensions: dict[str, Any], key: str) -> Any:
    """The bones as an extension has them; None without a humanoid."""
    humanoid = _at(extensions, key, "humanoid")
    if key == "VRMC_vrm" and key in extensions and humanoid is None:
        file.fail(f"needs humanoid, found {shortened(extensions[key])}", f"extension {key}")
    if humanoid is not None and not isinstance(humanoid, dict):
        file.fail(f"needs an object with humanBones, found {shortened(humanoid)}", "VRM humanoid")
    if (
        humanoid
        and "humanBones" not in humanoid
        and not (key == "VRM" and _SETTINGS_OF_0.issuperset(humanoid))
    ):
        file.fail(f"needs humanBones, found {shortened(', '.join(humanoid))}", "VRM humanoid")
    return _at(humanoid, "humanBones")


def _renamed(role: str) -> str:
    for side in ("left", "right"):
        part = role.removeprefix(side)
        if part != role:
            return side + _THUMBS_OF_0.get(part, part)
    return role


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
