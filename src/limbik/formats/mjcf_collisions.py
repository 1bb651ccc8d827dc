"""Collision shapes and pair rules of an MJCF, without reading its mesh files.

Geoms collide whose contype or conaffinity is not 0, and those of a <pair>. Of a mesh MuJoCo takes the convex
hull. Two bodies are not looked at whose geoms' bits do not meet, nor those of an <exclude>, unless a <pair>
names two of them. Planes and height fields are left out: what a robot stands on belongs to its world.
"""

from __future__ import annotations

import itertools
import math
import posixpath
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from limbik.errors import CollisionError, FormatError
from limbik.formats.confined_files import find_file
from limbik.formats.mjcf_names import Names
from limbik.formats.source import Source
from limbik.model.pair_rules import PairRule
from limbik.model.shapes import Box, Capsule, ConvexHull, Cylinder, LinkShape, Mesh, Shape, Sphere
from limbik.spatial import Array, Matrix4, pose_from, quat_to_matrix, unit

PLACEHOLDER = 1e-3  # [m] radius of the sphere that stands for a mesh while MuJoCo compiles
SHEARED = 1e-9  # of what is a rotation else
XYZW = [1, 2, 3, 0]  # indices in wxyz
RINGS = 8  # of the corners of a hull about an ellipsoid


@dataclass(eq=False)
class Collider:
    """A geom that collides."""

    geom: Any  # mujoco.MjsGeom
    contype: int
    conaffinity: int
    partners: frozenset[str] = frozenset()  # names of geoms that a <pair> names with it
    mesh: Mesh | None = None  # of a file, which MuJoCo does not read
    pose_geom_mesh: Matrix4 | None = None


def colliders_in(spec: Any) -> list[Collider]:
    """The geoms of an MjSpec that collide."""
    import mujoco

    endless = (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)
    partners: dict[str, set[str]] = {}
    for pair in spec.pairs:
        partners.setdefault(pair.geomname1, set()).add(pair.geomname2)
        partners.setdefault(pair.geomname2, set()).add(pair.geomname1)
    return [
        Collider(geom, int(geom.contype), int(geom.conaffinity), frozenset(partners.get(geom.name, ())))
        for geom in spec.geoms
        if (geom.contype or geom.conaffinity or geom.name in partners) and geom.type not in endless
    ]


def set_mesh_aside(collider: Collider, spec: Any, source: Source) -> bool:
    """Have a geom's mesh file named and not read: a small sphere stands for it. False where it cannot be so.

    MuJoCo reads it where it fits a primitive to the mesh, where `refquat` and an uneven `scale` shear it, and
    of an attached model, whose folder only MuJoCo knows. Raises FormatError for a scale or refquat of 0.
    """
    import mujoco

    geom = collider.geom
    mesh = next((mesh for mesh in spec.meshes if mesh.name == geom.meshname), None)
    if mesh is None or not mesh.file or geom.type != mujoco.mjtGeom.mjGEOM_MESH:
        return False
    try:
        set_aside = _mesh(mesh, spec, source)
    except CollisionError as error:
        raise FormatError(source.name, f"mesh {mesh.name!r}: {error}") from None
    scale, quat = np.array(set_aside.scale), np.array(mesh.refquat)
    if not quat.any():
        raise FormatError(source.name, f"mesh {mesh.name!r}: refquat needs a length, found 0 0 0 0")
    # A vertex v is at scale * (rotation^T (v - refpos)).
    rotation = scale[:, None] * quat_to_matrix(unit(quat)[XYZW]).T / scale
    is_sheared = np.abs(rotation @ rotation.T - np.eye(3)).max() > SHEARED
    is_elsewhere = (
        source.files is None and "<attach" in source.text and not path_of(mesh, spec, source).exists()
    )
    if is_sheared or is_elsewhere:
        return False
    collider.mesh = set_aside
    collider.pose_geom_mesh = pose_from(rotation, -rotation @ (scale * np.array(mesh.refpos)))
    geom.type = mujoco.mjtGeom.mjGEOM_SPHERE
    geom.meshname = ""
    geom.size = [PLACEHOLDER, 0.0, 0.0]
    return True


def _mesh(mesh: Any, spec: Any, source: Source) -> Mesh:
    scale = (float(mesh.scale[0]), float(mesh.scale[1]), float(mesh.scale[2]))
    if source.files is None:
        return Mesh(path_of(mesh, spec, source), scale=scale, is_hull=True)
    file = _uploaded(mesh, spec, source)
    return Mesh(Path(mesh.file), scale=scale, is_hull=True, data=source.files[file] if file else None)


def has_file(part: Any, spec: Any, source: Source) -> bool:
    """Whether the file of a mesh or height field is there."""
    if source.files is None:
        return path_of(part, spec, source).exists()
    return _uploaded(part, spec, source) is not None


def _uploaded(part: Any, spec: Any, source: Source) -> str | None:
    beside = posixpath.join(posixpath.dirname(source.name), spec.meshdir)
    return find_file(source.files or (), beside, part.file)


def path_of(part: Any, spec: Any, source: Source) -> Path:
    """The file on the disk of a mesh or height field of an MJCF that attaches no others."""
    folder = source.path.parent if source.path else Path()
    file = Path(part.file).name if spec.strippath else part.file
    return folder / Path(spec.meshdir, file)


# --- of the compiled model ----------------------------------------------------------------------------------


def collisions(mj: Any, names: Names, colliders: list[Collider]) -> tuple[list[LinkShape], list[str]]:
    """The shapes of the geoms, and remarks on those that cannot be taken."""
    shapes, remarks = [], []
    for collider in colliders:
        k = collider.geom.id
        link = names.body[mj.geom_bodyid[k]]
        pose = pose_from(quat_to_matrix(mj.geom_quat[k][XYZW]), mj.geom_pos[k])
        if collider.pose_geom_mesh is not None:
            pose = pose @ collider.pose_geom_mesh
        try:
            shapes.append(LinkShape(link=link, shape=_shape(mj, k, collider), pose_link_shape=pose))
        except CollisionError as error:
            remarks.append(f"a geom of body {link!r} is left out of collisions: {error}")
    return shapes, remarks


def _shape(mj: Any, k: int, collider: Collider) -> Shape:
    import mujoco

    if collider.mesh is not None:
        return collider.mesh
    kind = mujoco.mjtGeom(int(mj.geom_type[k]))
    a, b, c = map(float, mj.geom_size[k])
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return Sphere(a)
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        return Capsule(a, 2.0 * b)
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        return Cylinder(a, 2.0 * b)
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return Box((2.0 * a, 2.0 * b, 2.0 * c))
    if kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        return ConvexHull(_about_a_ball() * (a, b, c))
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        number = int(mj.geom_dataid[k])
        first, count = mj.mesh_vertadr[number], mj.mesh_vertnum[number]
        return ConvexHull(np.asarray(mj.mesh_vert[first : first + count], dtype=np.float64))
    raise CollisionError(f"shapes of the type {kind.name} are not known")


def _about_a_ball() -> Array:
    """Corners [k, 3] of a hull that contains the ball of radius 1.

    Between two rings of corners, and between two corners of a ring, a quarter of a step of the angle lies on
    each side; the faces are no nearer to the center than the cosine of both together.
    """
    step = math.pi / RINGS
    polar, around = np.meshgrid(step * np.arange(RINGS + 1), step * np.arange(2 * RINGS))
    corners = np.stack(
        [np.sin(polar) * np.cos(around), np.sin(polar) * np.sin(around), np.cos(polar)], axis=-1
    )
    return np.unique(corners.reshape(-1, 3).round(15), axis=0) / math.cos(0.5 * step) ** 2


def pair_rules(mj: Any, names: Names, spec: Any, colliders: list[Collider]) -> list[PairRule]:
    """Which bodies MuJoCo does not look at with each other."""
    bits: dict[str, list[Collider]] = {}
    for collider in colliders:
        bits.setdefault(names.body[mj.geom_bodyid[collider.geom.id]], []).append(collider)
    rules = [
        _rule(first, second, "MJCF: contype and conaffinity")
        for first, second in itertools.combinations(bits, 2)
        if not any(_meet(a, b) for a in bits[first] for b in bits[second])
    ]
    by_name = {mj.body(k).name: names.body[k] for k in range(mj.nbody)}
    excluded = [(by_name[each.bodyname1], by_name[each.bodyname2]) for each in spec.excludes]
    rules += [
        _rule(first, second, "MJCF: exclude")
        for first, second in excluded
        if first != second
        and not any(b.geom.name in a.partners for a in bits.get(first, ()) for b in bits.get(second, ()))
    ]
    return rules


def _rule(first: str, second: str, reason: str) -> PairRule:
    return PairRule(first=first, second=second, is_checked=False, reason=reason)


def _meet(a: Collider, b: Collider) -> bool:
    return bool(a.contype & b.conaffinity or b.contype & a.conaffinity or b.geom.name in a.partners)
