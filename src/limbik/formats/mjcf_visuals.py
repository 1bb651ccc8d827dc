"""Visual shapes of an MJCF: its geoms, with meshes as MuJoCo compiles them."""

from __future__ import annotations

from typing import Any

import numpy as np

from limbik.formats.mjcf_compile import UNPAINTED, compiled_with_shapes
from limbik.formats.mjcf_names import Names
from limbik.formats.source import Source
from limbik.formats.visual import Look, Visual, VisualMesh
from limbik.spatial import pose_from, quat_to_matrix

XYZW = [1, 2, 3, 0]  # indices in wxyz


def look(source: Source) -> Look:
    """The geoms that MuJoCo shows, without planes and height fields; see `limbik.formats.visuals.look`."""
    mj, notes = compiled_with_shapes(source)
    names = Names(mj)
    meshes: dict[int, VisualMesh] = {}
    visuals = [visual for k in range(mj.ngeom) if (visual := _visual(mj, k, names, meshes))]
    return Look(tuple(visuals), tuple(notes))


def _visual(mj: Any, k: int, names: Names, meshes: dict[int, VisualMesh]) -> Visual | None:
    import mujoco

    kind = mujoco.mjtGeom(int(mj.geom_type[k]))
    color = tuple(map(float, mj.geom_rgba[k]))
    if color[3] == 0.0:
        return None
    is_painted = not np.allclose(color, UNPAINTED)
    common: dict[str, Any] = {
        "link": names.body[mj.geom_bodyid[k]],
        "pose_link_visual": pose_from(quat_to_matrix(mj.geom_quat[k][XYZW]), mj.geom_pos[k]),
        "color": color if is_painted else None,
    }
    a, b, c = map(float, mj.geom_size[k])
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return Visual(shape="sphere", size=(a,), **common)
    if kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        return Visual(shape="sphere", size=(1.0,), scale=(a, b, c), **common)
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        return Visual(shape="capsule", size=(a, 2.0 * b), **common)
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        return Visual(shape="cylinder", size=(a, 2.0 * b), **common)
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return Visual(shape="box", size=(2.0 * a, 2.0 * b, 2.0 * c), **common)
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        number = int(mj.geom_dataid[k])
        if number not in meshes:
            meshes[number] = VisualMesh("raw", data=_raw(mj, number))
        return Visual(shape="mesh", mesh=meshes[number], **common)
    return None


def _raw(mj: Any, number: int) -> bytes:
    """One mesh in the form that `VisualMesh` describes."""
    first, count = mj.mesh_vertadr[number], mj.mesh_vertnum[number]
    vertices = np.asarray(mj.mesh_vert[first : first + count], dtype="<f4")
    first, count = mj.mesh_faceadr[number], mj.mesh_facenum[number]
    faces = np.asarray(mj.mesh_face[first : first + count], dtype="<u4")
    sizes = np.array([len(vertices), len(faces)], dtype="<u4")
    return b"".join(array.tobytes() for array in (sizes, vertices, faces))
