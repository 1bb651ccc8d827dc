"""Forward kinematics of a robot's file by Pinocchio or MuJoCo, at configurations of limbik's model of it.

Both read the file themselves; only names and numbers of q are taken from the limbik model. Rates of joints
differ (MuJoCo's free joints are linear in the world, Pinocchio's planar joints in the moved frame), so each
oracle has a matrix `rates` [nv of the oracle, nv of limbik] that turns Jacobians into limbik's.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from scipy.spatial.transform import Rotation

from limbik.formats import mjcf
from limbik.model import Joint, JointKind, Model

TURNING = (JointKind.BALL, JointKind.FLOATING)


class Refused(Exception):
    """The oracle does not read the file; the message says why."""


class Oracle(Protocol):
    """One robot. `move` first, then ask."""

    def move(self, q: np.ndarray) -> None:
        """Go to a configuration q [nq] of the limbik model."""
        ...

    def frames(self) -> list[str]:
        """Names of the frames that can be compared."""
        ...

    def pose(self, frame: str) -> np.ndarray:
        """pose_world_frame [4, 4]."""
        ...

    def jacobian(self, frame: str) -> np.ndarray:
        """Geometric Jacobian [6, nv of limbik] in world axes."""
        ...

    def center_of_mass(self) -> np.ndarray | None:
        """[3] of all links; None without masses."""
        ...

    def center_of_mass_jacobian(self) -> np.ndarray:
        """[3, nv of limbik]."""
        ...


def value_of(model: Model, joint: Joint, q: np.ndarray) -> np.ndarray:
    """A joint's own numbers, those of a follower computed from its leader's."""
    part = q[model.q_slice(joint.name)]
    return joint.mimic.multiplier * part + joint.mimic.offset if joint.mimic else part


def factor(joint: Joint) -> float:
    """Rate of the joint per rate of the joint whose part of v it shares."""
    return joint.mimic.multiplier if joint.mimic else 1.0


class Pinocchio:
    """URDF; mimic rules are left to limbik's values, so that every joint moves on its own here."""

    def __init__(self, model: Model, urdf: str) -> None:
        import pinocchio

        self.pin, self.limbik = pinocchio, model
        try:
            self.model = pinocchio.buildModelFromXML(urdf)
        except (ValueError, RuntimeError) as error:
            raise Refused(f"Pinocchio: {error}") from None
        self.data = self.model.createData()
        self.places = {
            frame.name: k
            for k, frame in enumerate(self.model.frames)
            if frame.type == pinocchio.FrameType.BODY and frame.name != "universe"
        }

    def frames(self) -> list[str]:
        return list(self.places)

    def move(self, q: np.ndarray) -> None:
        own = self.pin.neutral(self.model)
        self.rates = np.zeros((self.model.nv, self.limbik.nv))
        for k in range(1, self.model.njoints):
            joint = self.model.joints[k]
            self._place(self.model.names[k], joint, q, own)
        self.pin.computeJointJacobians(self.model, self.data, own)
        self.pin.updateFramePlacements(self.model, self.data)
        self.pin.jacobianCenterOfMass(self.model, self.data, own)

    def _place(self, name: str, joint: Any, q: np.ndarray, own: np.ndarray) -> None:
        mine = self.limbik.joint(name)
        rows, columns = slice(joint.idx_v, joint.idx_v + joint.nv), self.limbik.v_slice(name)
        target = own[joint.idx_q : joint.idx_q + joint.nq]
        if joint.shortname() == "JointModelPlanar":
            parts = [self.limbik.joint(f"{name}.{letter}") for letter in "xy"]
            x, y = (float(value_of(self.limbik, part, q)[0]) for part in parts)
            angle = float(value_of(self.limbik, mine, q)[0])
            c, s = np.cos(angle), np.sin(angle)
            target[:] = x, y, c, s
            along = [self.limbik.v_slice(part.name).start for part in parts]
            self.rates[joint.idx_v : joint.idx_v + 2, along] = [[c, s], [-s, c]]
            self.rates[joint.idx_v + 2, columns.start] = 1.0
            return
        value = value_of(self.limbik, mine, q)
        target[:] = value if joint.nq == value.size else [np.cos(value[0]), np.sin(value[0])]
        self.rates[rows, columns] = np.eye(joint.nv) * factor(mine)

    def pose(self, frame: str) -> np.ndarray:
        return self.data.oMf[self.places[frame]].homogeneous

    def jacobian(self, frame: str) -> np.ndarray:
        axes = self.pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        jacobian = self.pin.getFrameJacobian(self.model, self.data, self.places[frame], axes)
        return jacobian.reshape(6, -1) @ self.rates  # Pinocchio gives one column as [6]

    def center_of_mass(self) -> np.ndarray | None:
        """Pinocchio's own leaves out what is fixed to the world."""
        masses = np.array([inertia.mass for inertia in self.model.inertias])
        if masses.sum() == 0.0:
            return None
        centers = [self.data.oMi[k].act(self.model.inertias[k].lever) for k in range(self.model.njoints)]
        return masses @ np.array(centers) / masses.sum()

    def center_of_mass_jacobian(self) -> np.ndarray:
        total = sum(inertia.mass for inertia in self.model.inertias)
        return self.data.Jcom.reshape(3, -1) @ self.rates * (self.data.mass[0] / total)


class Mujoco:
    """MJCF. Bodies and sites without a name in the file are not compared."""

    def __init__(self, model: Model, path: Path) -> None:
        import mujoco

        self.mujoco, self.limbik = mujoco, model
        mujoco.set_mju_user_warning(lambda message: None)  # it would write a file in the current folder
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.model = mujoco.MjModel.from_xml_path(str(path))
        except ValueError as error:
            raise Refused(f"MuJoCo: {str(error).partition(chr(10))[0].removeprefix('Error: ')}") from None
        self.data = mujoco.MjData(self.model)
        bodies = {self.model.body(k).name: ("body", k) for k in range(self.model.nbody)}
        sites = {self.model.site(k).name: ("site", k) for k in range(self.model.nsite)}
        renamed = {f"{name}.site" if name in bodies else name: place for name, place in sites.items() if name}
        self.places = {**renamed, **{name: place for name, place in bodies.items() if name}}

    def frames(self) -> list[str]:
        return list(self.places)

    def move(self, q: np.ndarray) -> None:
        self.data.qpos[:] = mjcf.to_qpos(self.limbik, q)
        self.mujoco.mj_kinematics(self.model, self.data)
        self.mujoco.mj_comPos(self.model, self.data)
        self.rates = np.zeros((self.model.nv, self.limbik.nv))
        moving = [joint for joint in self.limbik.joints if joint.kind is not JointKind.FIXED]
        start = 0
        for joint in moving:
            block = np.eye(joint.kind.nv) * factor(joint)
            if joint.kind is JointKind.FLOATING:
                place = self.limbik.q_slice(joint.name)
                block[:3, :3] = Rotation.from_quat(q[place][3:]).as_matrix()
            self.rates[start : start + joint.kind.nv, self.limbik.v_slice(joint.name)] = block
            start += joint.kind.nv

    def pose(self, frame: str) -> np.ndarray:
        kind, k = self.places[frame]
        pose = np.eye(4)
        of_kind = self.data.body(k) if kind == "body" else self.data.site(k)
        pose[:3, :3] = of_kind.xmat.reshape(3, 3)
        pose[:3, 3] = of_kind.xpos
        return pose

    def jacobian(self, frame: str) -> np.ndarray:
        kind, k = self.places[frame]
        linear, angular = np.zeros((2, 3, self.model.nv))
        of_kind = self.mujoco.mj_jacBody if kind == "body" else self.mujoco.mj_jacSite
        of_kind(self.model, self.data, linear, angular, k)
        return np.vstack([linear, angular]) @ self.rates

    def center_of_mass(self) -> np.ndarray | None:
        return self.data.subtree_com[0].copy() if self.model.body_mass.sum() else None

    def center_of_mass_jacobian(self) -> np.ndarray:
        jacobian = np.zeros((3, self.model.nv))
        self.mujoco.mj_jacSubtreeCom(self.model, self.data, jacobian, 0)
        return jacobian @ self.rates
