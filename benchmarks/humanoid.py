"""The Unitree G1 of `whole_body.py`, floating, in the forms that the methods need, and its random postures.

All forms come from one URDF: limbik and pinocchio read it; for MuJoCo it is written again with a floating
joint above the root. `opened` holds the kinematics and the centres of mass of all of them against each other.
A configuration is limbik's and pinocchio's: place [m] and quaternion (x, y, z, w) of the pelvis, 29 angles.
"""

from __future__ import annotations

import functools
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from typing import Any

import numpy as np

import limbik
from robots import SAME, MissingRobot, Source, WrongRobot, file_of

SOURCE = Source(
    distribution="example-robot-data",
    path="share/example-robot-data/robots/g1_description/urdf/g1_29dof_rev_1_0.urdf",
    frame="",
)
FRAMES = ("left_rubber_hand", "right_rubber_hand", "left_ankle_roll_link", "right_ankle_roll_link")
BASE_SIZE = 7  # numbers of q that place the pelvis
HEIGHT = 0.79  # [m] of the pelvis over the ground where the robot stands with straight legs
BASE_STEP, BASE_TURN = 0.2, 0.3  # [m], [rad] to either side of there, along and about each axis
QUATERNION_SLACK = 1e-6  # how far the length of a quaternion may be from 1


@dataclass(frozen=True, kw_only=True, eq=False)
class Humanoid:
    """The robot, and a kind of postures: how far the joints are from standing."""

    name: str
    share: float | None  # of half of each joint's range, to either side of zero; None: anywhere in the limits
    model: Any  # limbik.Model
    source: str  # URDF, without meshes

    @property
    def size(self) -> int:
        return int(self.model.nq)

    @functools.cached_property
    def lower(self) -> np.ndarray:
        """[nq] limits, infinite for the pelvis."""
        return self._limits(self.kinematics[0].lowerPositionLimit, -np.inf)

    @functools.cached_property
    def upper(self) -> np.ndarray:
        return self._limits(self.kinematics[0].upperPositionLimit, np.inf)

    def _limits(self, joints: np.ndarray, base: float) -> np.ndarray:
        return np.concatenate((np.full(BASE_SIZE, base), joints[BASE_SIZE:]))

    @functools.cached_property
    def kinematics(self) -> Any:
        """(pinocchio model, data, frames): the judge of every answer."""
        import pinocchio

        model = pinocchio.buildModelFromXML(self.source, pinocchio.JointModelFreeFlyer())
        return model, model.createData(), [model.getFrameId(frame) for frame in FRAMES]

    def pose(self, q: np.ndarray) -> np.ndarray:
        """[5, 4, 4] by pinocchio: the poses of `FRAMES`, and the centre of mass as a pose that is not turned.

        Not a number for a quaternion that is none.
        """
        import pinocchio

        if abs(np.linalg.norm(q[3:BASE_SIZE]) - 1.0) > QUATERNION_SLACK:
            return np.full((len(FRAMES) + 1, 4, 4), np.nan)
        model, data, frames = self.kinematics
        pinocchio.framesForwardKinematics(model, data, q)
        mass = np.eye(4)
        mass[:3, 3] = pinocchio.centerOfMass(model, data, q)
        return np.array([*(data.oMf[frame].homogeneous for frame in frames), mass])

    def random(self, rng: np.random.Generator) -> np.ndarray:
        """A configuration [nq] of this kind, the pelvis near its place when standing."""
        lower, upper = self.lower[BASE_SIZE:], self.upper[BASE_SIZE:]
        if self.share is not None:
            half = 0.5 * self.share * (upper - lower)
            lower, upper = np.maximum(lower, -half), np.minimum(upper, half)
        place = np.array([0.0, 0.0, HEIGHT]) + rng.uniform(-BASE_STEP, BASE_STEP, 3)
        turn = _quaternion(rng.uniform(-BASE_TURN, BASE_TURN, 3))
        return np.concatenate((place, turn, rng.uniform(lower, upper)))


def opened(kinds: dict[str, float | None]) -> list[Humanoid]:
    """The robot for each kind of postures (name to share), all forms held against each other.

    Raises MissingRobot or WrongRobot.
    """
    source = _without_meshes(file_of(SOURCE).read_text(encoding="utf-8"))
    model = limbik.load(source, base="floating")
    robots = [Humanoid(name=name, share=share, model=model, source=source) for name, share in kinds.items()]
    _check(robots[0])
    return robots


def mujoco_model(robot: Humanoid) -> Any:
    """MuJoCo's model of the URDF with a floating joint above the root, joints in the same order."""
    import mujoco

    root = ET.fromstring(robot.source)
    children = {joint.find("child").get("link") for joint in root.findall("joint")}  # type: ignore[union-attr]
    pelvis = next(link.get("name") for link in root.findall("link") if link.get("name") not in children)
    compiler = ET.SubElement(root, "mujoco")
    ET.SubElement(compiler, "compiler", fusestatic="false", discardvisual="false")
    ET.SubElement(root, "link", name="world")
    joint = ET.SubElement(root, "joint", name="root_joint", type="floating")
    ET.SubElement(joint, "parent", link="world")
    ET.SubElement(joint, "child", link=str(pelvis))
    return mujoco.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))


def to_mujoco(q: np.ndarray) -> np.ndarray:
    """The configuration as MuJoCo has it: the quaternion begins with w."""
    return np.concatenate((q[:3], q[6:7], q[3:6], q[BASE_SIZE:]))


def from_mujoco(q: np.ndarray) -> np.ndarray:
    return np.concatenate((q[:3], q[4:7], q[3:4], q[BASE_SIZE:]))


def _without_meshes(text: str) -> str:
    root = ET.fromstring(text)
    for link in root.findall("link"):
        for part in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(part)
    for part in root.findall("mujoco"):
        root.remove(part)
    return ET.tostring(root, encoding="unicode")


def _quaternion(turn: np.ndarray) -> np.ndarray:
    """(x, y, z, w) of a rotation vector [rad]."""
    angle = float(np.linalg.norm(turn))
    return np.append(turn * (0.5 * np.sinc(angle / (2.0 * np.pi))), np.cos(0.5 * angle))


def _check(robot: Humanoid, count: int = 20) -> None:
    """limbik and MuJoCo, where it is installed, against pinocchio. Raises WrongRobot."""
    forms = [functools.partial(_by_limbik, robot.model)]
    try:
        import mujoco

        model = mujoco_model(robot)
        forms.append(functools.partial(_by_mujoco, model, mujoco.MjData(model)))
    except ImportError:
        pass
    rng = np.random.default_rng(0)
    for q in (robot.random(rng) for _ in range(count)):
        judged = robot.pose(q)
        for form in forms:
            apart = float(np.abs(form(q) - judged).max())
            if not apart < SAME:
                raise WrongRobot(f"two forms of the humanoid are {apart:.1e} apart at q = {q}")


def _by_limbik(model: Any, q: np.ndarray) -> np.ndarray:
    mass = np.eye(4)
    mass[:3, 3] = model.center_of_mass(q)
    return np.array([*(model.pose(q, frame) for frame in FRAMES), mass])


def _by_mujoco(model: Any, data: Any, q: np.ndarray) -> np.ndarray:
    import mujoco

    data.qpos[:] = to_mujoco(q)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    found = np.tile(np.eye(4), (len(FRAMES) + 1, 1, 1))
    for pose, frame in zip(found, FRAMES, strict=False):
        body = data.body(frame)
        pose[:3, :3], pose[:3, 3] = body.xmat.reshape(3, 3), body.xpos
    found[-1, :3, 3] = data.subtree_com[1]  # of the first body under the world
    return found


__all__ = [
    "FRAMES",
    "Humanoid",
    "MissingRobot",
    "WrongRobot",
    "from_mujoco",
    "mujoco_model",
    "opened",
    "to_mujoco",
]
