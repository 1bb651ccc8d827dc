"""Reads MJCF, the format of MuJoCo, into a model, by MuJoCo's own compiler.

Defaults, includes, attached models, replicates, composites, angles and orientations are MuJoCo's to expand;
what comes out is read here. Meshes and textures are left away before that, except meshes that masses come
from: kinematics needs no files beside the XML.

Links are the bodies, "world" the root; frames are the sites. `q` holds MuJoCo's `qpos` in the same order, but
with quaternions as xyzw (MuJoCo: wxyz) and without joints that an equality makes follow others; `to_qpos` and
`from_qpos` convert. What a Model cannot hold is told by a FormatWarning. All rules: docs/robots.md.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from limbik.errors import ConfigurationError, FormatError, FormatWarning, ModelError, shortened
from limbik.formats.end_effector import default_end_effector
from limbik.formats.follower_limits import without_contradicting_limits
from limbik.formats.mjcf_collisions import collisions, pair_rules
from limbik.formats.mjcf_compile import NO_MASS, Compiled, compiled
from limbik.formats.mjcf_couplings import couplings
from limbik.formats.mjcf_names import Names
from limbik.formats.source import Source, SourceLike, open_source
from limbik.model.joints import Frame, Joint, JointKind, Mass
from limbik.model.model import Model, as_model
from limbik.spatial import Array, Matrix4, as_numbers, pose_from, quat_exp, quat_to_matrix

WXYZ = [3, 0, 1, 2]  # indices in xyzw
XYZW = [1, 2, 3, 0]  # indices in wxyz


def read(source: SourceLike, *, end_effector: str | None = None) -> Model:
    """The model in an MJCF file or text.

    end_effector: name of a body or site; default the tool of the longest arm, see `end_effector.py`.

    Warns with FormatWarning of what the model does not hold: constraints that are no linear coupling of two
    joints, exact limits of ball joints, masses that are in missing files. Raises FormatError for what MuJoCo
    cannot compile, and MissingExtra without MuJoCo.
    """
    opened = open_source(source)
    model, notes = _model(opened, compiled(opened), end_effector)
    for note in notes:
        warnings.warn(f"{opened.name}: {note}", FormatWarning, stacklevel=2)
    return model


def keyframes(source: SourceLike) -> dict[str, Array]:
    """The keyframes of an MJCF file or text by name, as configurations q [nq] of the model that `read` gives.

    One without a name is called "key1", "key2", ... by its index, and "key2 (2)" where another one has that
    name. Raises as `read` does.
    """
    opened = open_source(source)
    expanded = compiled(opened, with_keyframes=True)
    model, _ = _model(opened, expanded, None)
    mj = expanded.model
    names = [mj.key(k).name for k in range(mj.nkey)]
    for k, name in enumerate(names):
        if not name:
            names[k] = f"key{k + 1}"
            while names.count(names[k]) > 1:
                names[k] += " (2)"
    frames = {}
    for k, name in enumerate(names):
        try:
            frames[name] = from_qpos(model, mj.key_qpos[k])
        except ConfigurationError as error:
            raise FormatError(opened.name, str(error), element=f"keyframe {name!r}") from None
    return frames


def _model(source: Source, expanded: Compiled, end_effector: str | None) -> tuple[Model, list[str]]:
    """The model, and remarks on what it does not hold."""
    try:
        reader = _MjcfReader(expanded.model)
        masses = reader.masses() if expanded.has_masses else []
        shapes, left_out = collisions(expanded.model, reader.names, expanded.colliders)
        rules = pair_rules(expanded.model, reader.names, expanded.spec, expanded.colliders)
        root = reader.names.body[0]
        joints, remarks = without_contradicting_limits(reader.joints)
        chosen = default_end_effector(joints, root, reader.frames) if end_effector is None else end_effector
        model = Model(
            expanded.name,
            joints,
            reader.frames,
            masses=masses,
            shapes=shapes,
            pair_rules=rules,
            root=root,
            end_effector=chosen,
        )
    except ModelError as error:
        raise FormatError(source.name, str(error)) from None
    return model, [*expanded.notes, *reader.notes, *remarks, *left_out]


def to_qpos(model: Model, q: ArrayLike) -> Array:
    """MuJoCo's qpos [..., n] for q [..., nq] of a model that `read` made of the same file.

    Raises ModelError for what is no model and ConfigurationError for what is no q.
    """
    parts = []
    array = _checked(q, as_model(model).nq, "q")
    for joint in model.joints:
        part = array[..., model.q_slice(joint.name)]
        if joint.mimic:
            part = joint.mimic.multiplier * part + joint.mimic.offset
        elif joint.kind in _TURNING:
            part = np.concatenate([part[..., :-4], part[..., -4:][..., WXYZ]], axis=-1)
        elif joint.nq == 0:
            continue
        parts.append(part)
    return np.concatenate(parts, axis=-1) if parts else array


def from_qpos(model: Model, qpos: ArrayLike) -> Array:
    """q [..., nq] for MuJoCo's qpos [..., n]; the values of joints that follow others are left away.

    Raises ModelError for what is no model and ConfigurationError for what is no qpos.
    """
    array = _checked(qpos, sum(joint.kind.nq for joint in as_model(model).joints), "qpos")
    parts, start = [], 0
    for joint in model.joints:
        part = array[..., start : start + joint.kind.nq]
        start += joint.kind.nq
        if joint.kind in _TURNING:
            part = np.concatenate([part[..., :-4], part[..., -4:][..., XYZW]], axis=-1)
        if not joint.mimic:
            parts.append(part)
    return np.concatenate(parts, axis=-1) if parts else array


_TURNING = (JointKind.BALL, JointKind.FLOATING)


def _checked(value: ArrayLike, size: int, name: str) -> Array:
    array = as_numbers(value, name, f"{size} numbers on its last axis", ConfigurationError)
    if array.ndim == 0 or array.shape[-1] != size:
        raise ConfigurationError(f"{name} needs {size} numbers on its last axis, found shape {array.shape}")
    if not np.isfinite(array).all():
        raise ConfigurationError(f"{name} needs finite numbers, found {shortened(array.tolist())}")
    return array


class _MjcfReader:
    """From a compiled MjModel to joints and frames.

    A body's joints act one after the other, each about its own anchor. So each is a limbik joint whose frame
    stands at the anchor; between two of them stands a link named "<body>.<joint>", and where the last anchor
    is not the body's origin a fixed joint leads from there to the body.
    """

    def __init__(self, mj: Any) -> None:
        import mujoco

        self.mj = mj
        self.types = mujoco.mjtJoint
        self.limits_are_off = bool(mj.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_LIMIT)
        self.names = Names(mj)
        self.notes: list[str] = []
        self.couplings = couplings(mj, self.names.joint)
        self.notes += self.couplings.notes
        self.joints = [joint for body in range(1, mj.nbody) for joint in self._body(body)]
        self.frames = [self._site(site) for site in range(mj.nsite)]

    def _body(self, body: int) -> Iterable[Joint]:
        mj, names = self.mj, self.names
        parent, name = names.body[mj.body_parentid[body]], names.body[body]
        pending = _pose(mj.body_pos[body], mj.body_quat[body])
        first, count = mj.body_jntadr[body], mj.body_jntnum[body]
        for k in range(first, first + count):
            joint_type = self._type(k)
            if joint_type == self.types.mjJNT_FREE:
                pending = np.eye(4)  # its qpos is the pose in the world
            is_rotation = joint_type in (self.types.mjJNT_HINGE, self.types.mjJNT_BALL)
            anchor = mj.jnt_pos[k] if is_rotation else np.zeros(3)
            is_last = k == first + count - 1 and not anchor.any()
            child = name if is_last else names.new_link(f"{name}.{names.joint[k]}")
            yield self._joint(k, parent, child, pending @ pose_from(translation=anchor))
            parent, pending = child, pose_from(translation=-anchor)
        if parent != name:
            yield self._fixed(parent, name, pending)

    def _type(self, k: int) -> Any:
        return self.types(int(self.mj.jnt_type[k]))

    def _fixed(self, parent: str, child: str, origin: Matrix4) -> Joint:
        name = self.names.new_joint(f"{child}.fixed")
        return Joint(name=name, kind=JointKind.FIXED, parent=parent, child=child, origin=origin)

    def _joint(self, k: int, parent: str, child: str, origin: Matrix4) -> Joint:
        mj, joint_type = self.mj, self._type(k)
        name, is_limited = self.names.joint[k], bool(mj.jnt_limited[k]) and not self.limits_are_off
        common: dict[str, Any] = {"name": name, "parent": parent, "child": child}
        if joint_type == self.types.mjJNT_FREE:
            return Joint(kind=JointKind.FLOATING, origin=origin, **common)
        if joint_type == self.types.mjJNT_BALL:
            limits: dict[str, Any] = self._ball_limits(k) if is_limited else {}
            return Joint(kind=JointKind.BALL, origin=origin, **limits, **common)
        is_hinge = joint_type == self.types.mjJNT_HINGE
        lower, upper = mj.jnt_range[k] if is_limited else (-math.inf, math.inf)
        value, mimic = self.couplings.constant.get(k), self.couplings.mimic.get(k)
        if value is not None:
            lower = upper = value
        kind = JointKind.REVOLUTE if is_hinge else JointKind.PRISMATIC
        if is_hinge and math.isinf(upper - lower):
            kind = JointKind.CONTINUOUS
        origin = origin @ _moved_back(mj.jnt_axis[k], mj.qpos0[mj.jnt_qposadr[k]], is_hinge)
        return Joint(
            kind=kind, origin=origin, axis=mj.jnt_axis[k], lower=lower, upper=upper, mimic=mimic, **common
        )

    def _ball_limits(self, k: int) -> dict[str, float]:
        """MuJoCo limits the angle of the whole rotation, limbik its swing and its twist.

        cos(angle / 2) = cos(swing / 2) cos(twist / 2), so that with both at most s, where cos(s / 2)^2 is the
        cosine of half the limit, the angle is within the limit too.
        """
        limit = float(self.mj.jnt_range[k, 1])
        if not limit > 0.0:
            name, angle = self.names.joint[k], math.degrees(limit)
            raise ModelError(
                f"the range of the ball joint {name!r} needs an angle above 0, has {angle:g} deg"
            )
        if limit >= math.pi:
            return {}
        inside = 2.0 * math.acos(math.sqrt(math.cos(0.5 * limit)))
        self.notes.append(
            f"ball joint {self.names.joint[k]!r}: MuJoCo limits its whole rotation to "
            f"{math.degrees(limit):.4g} deg; here its swing and its twist stay within "
            f"{math.degrees(inside):.4g} deg each, which is a part of that"
        )
        return {"swing": inside, "lower": -inside, "upper": inside}

    def _site(self, site: int) -> Frame:
        mj, names = self.mj, self.names
        pose = _pose(mj.site_pos[site], mj.site_quat[site])
        return Frame(name=names.site[site], link=names.body[mj.site_bodyid[site]], pose_link_frame=pose)

    def masses(self) -> list[Mass]:
        mj, names = self.mj, self.names
        return [
            Mass(link=names.body[body], mass=float(mj.body_mass[body]), center=mj.body_ipos[body])
            for body in range(1, mj.nbody)
            if mj.body_mass[body] > NO_MASS
        ]


def _pose(position: Array, quat_wxyz: Array) -> Matrix4:
    return pose_from(quat_to_matrix(quat_wxyz[XYZW]), position)


def _moved_back(axis: Array, reference: float, is_hinge: bool) -> Matrix4:
    """The inverse of the joint's motion by its `ref`, at which the body stands as the file places it."""
    if reference == 0.0:
        return np.eye(4)
    if is_hinge:
        return pose_from(quat_to_matrix(quat_exp(-reference * axis)))
    return pose_from(translation=-reference * axis)
