"""The robots of `global_ik.py`, each in the forms that the methods need.

Presets come from limbik itself, the others from robot files in Python packages, read by pinocchio. Of every
robot only the joints between the world and one frame are kept. From limbik's model a plain description is
made (all axes turned to z) that URDF and MJCF text for the other packages is written from. `check` holds the
kinematics of all forms against each other.
"""

from __future__ import annotations

import functools
import importlib.metadata
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

BASE, TOOL = "base", "tool"  # names of the first and last link in the URDF
SAME = 1e-9  # [m, and entries of rotation matrices] how closely the forms must agree


class MissingRobot(Exception):
    """The package that holds a robot is not installed, or has no such file; the message says which."""


class WrongRobot(Exception):
    """Two forms of one robot move differently."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where a robot's file is: a distribution, a path in it, the frame to bring to the goal."""

    distribution: str
    path: str
    frame: str


@dataclass(frozen=True, kw_only=True)
class PlainJoint:
    """A joint about or along z."""

    name: str
    is_prismatic: bool
    origin: np.ndarray  # [4, 4] pose in the moved frame of the joint before
    lower: float  # [rad or m]; -inf and inf: continuous
    upper: float

    @property
    def is_continuous(self) -> bool:
        return not self.is_prismatic and math.isinf(self.lower)


@dataclass(frozen=True, kw_only=True, eq=False)
class Robot:
    """One arm: limbik's model, and the same chain as plain joints."""

    name: str
    model: Any  # limbik.Model
    joints: tuple[PlainJoint, ...]
    tool: np.ndarray  # [4, 4] pose of the end effector in the moved frame of the last joint

    @property
    def size(self) -> int:
        return len(self.joints)

    @functools.cached_property
    def lower(self) -> np.ndarray:
        """[n] limits as limbik has them: infinite for continuous joints."""
        return np.array([joint.lower for joint in self.joints])

    @functools.cached_property
    def upper(self) -> np.ndarray:
        return np.array([joint.upper for joint in self.joints])

    @functools.cached_property
    def finite_lower(self) -> np.ndarray:
        """[n] limits for packages that need numbers: two turns for continuous joints."""
        return np.where(np.isinf(self.lower), -2.0 * np.pi, self.lower)

    @functools.cached_property
    def finite_upper(self) -> np.ndarray:
        return np.where(np.isinf(self.upper), 2.0 * np.pi, self.upper)

    @functools.cached_property
    def kinematics(self) -> Any:
        """(pinocchio model, data, frame): the judge of every answer."""
        import pinocchio

        model = pinocchio.buildModelFromXML(urdf(self))
        return model, model.createData(), model.getFrameId(TOOL)

    def pose(self, q: np.ndarray) -> np.ndarray:
        """pose_world_tool [4, 4] by pinocchio."""
        import pinocchio

        model, data, frame = self.kinematics
        pinocchio.framesForwardKinematics(model, data, q)
        return data.oMf[frame].homogeneous.copy()

    def random(self, rng: np.random.Generator) -> np.ndarray:
        """A configuration [n] uniform within the limits, continuous joints within half a turn either way."""
        return rng.uniform(
            np.where(np.isinf(self.lower), -np.pi, self.lower),
            np.where(np.isinf(self.upper), np.pi, self.upper),
        )


PRESETS = ("panda", "ur5e", "iiwa14", "puma560")
_DATA = "example-robot-data"
_FOLDER = "share/example-robot-data/robots"
SOURCES = {
    "so101": Source(
        distribution=_DATA,
        path=f"{_FOLDER}/so_arm_description/urdf/so101.urdf",
        frame="gripper_frame_link",
    ),
    "tiago": Source(
        distribution=_DATA,
        path=f"{_FOLDER}/tiago_description/robots/tiago_no_hand.urdf",
        frame="arm_tool_link",
    ),
    "ur10": Source(distribution=_DATA, path=f"{_FOLDER}/ur_description/urdf/ur10_robot.urdf", frame="tool0"),
    "jaco2": Source(
        distribution=_DATA,
        path=f"{_FOLDER}/kinova_description/robots/kinova.urdf",
        frame="j2s6s200_end_effector",
    ),
    "xarm7": Source(distribution=_DATA, path=f"{_FOLDER}/xarm_description/urdf/xarm7.urdf", frame="link_eef"),
    "z1": Source(distribution=_DATA, path=f"{_FOLDER}/z1_description/urdf/z1.urdf", frame="link06"),
    "baxter": Source(
        distribution=_DATA, path=f"{_FOLDER}/baxter_description/urdf/baxter.urdf", frame="left_gripper"
    ),
    "pr2": Source(
        distribution=_DATA, path=f"{_FOLDER}/pr2_description/urdf/pr2.urdf", frame="l_gripper_tool_frame"
    ),
    "tiago-pro": Source(
        distribution=_DATA,
        path=f"{_FOLDER}/tiago_pro_description/robots/tiago_pro.urdf",
        frame="arm_left_tool_link",
    ),
    "sawyer": Source(
        distribution="robosuite",
        path="robosuite/models/assets/bullet_data/sawyer_description/urdf/sawyer_arm.urdf",
        frame="right_l6",
    ),
    "gen3": Source(
        distribution="robosuite",
        path="robosuite/models/assets/robots/kinova3/robot.xml",
        frame="Bracelet_Link",
    ),
    "irb140": Source(
        distribution="rtb-data", path="rtbdata/xacro/abb_irb140_description/urdf/irb140.urdf", frame="tool0"
    ),
}
NAMES = (*PRESETS, *SOURCES)


def open_robot(name: str) -> Robot:
    """The robot of that name, its forms held against each other. Raises MissingRobot or WrongRobot."""
    import limbik

    if name in PRESETS:
        robot = _plain(name, limbik.load(name))
        check(robot, [])
        return robot
    return open_source(name, SOURCES[name])


def open_source(name: str, source: Source) -> Robot:
    """The robot of a file, its forms held against each other. Raises MissingRobot or WrongRobot."""
    kinematics, frame = _read(source)
    model, places = _model(name, kinematics, frame)
    robot = _plain(name, model)
    check(robot, [functools.partial(_source_pose, kinematics, frame, places)])
    return robot


# --- reading ------------------------------------------------------------------------------------------------


def _read(source: Source) -> tuple[Any, int]:
    """pinocchio's model of a robot file, and the number of the frame."""
    import pinocchio

    path = file_of(source)
    read = pinocchio.buildModelFromMJCF if path.suffix == ".xml" else pinocchio.buildModelFromUrdf
    model = read(str(path))
    if not model.existFrame(source.frame):
        raise MissingRobot(f"{path.name} has no frame {source.frame!r}")
    return model, model.getFrameId(source.frame)


def file_of(source: Source) -> Path:
    """The robot's file where its package is installed. Raises MissingRobot."""
    try:
        files = importlib.metadata.files(source.distribution) or []
    except importlib.metadata.PackageNotFoundError:
        raise MissingRobot(f"pip install {source.distribution}") from None
    for file in files:
        if str(file).endswith(source.path):
            return Path(str(file.locate()))
    raise MissingRobot(f"{source.distribution} has no {source.path}")


def _model(name: str, kinematics: Any, frame: int) -> tuple[Any, list[int]]:
    """limbik's model of the joints on the way to a frame, and their numbers in pinocchio's model."""
    import limbik

    places: list[int] = []
    place = kinematics.frames[frame].parentJoint
    while place > 0:
        places.insert(0, place)
        place = kinematics.parents[place]
    builder = limbik.ModelBuilder(name)
    for place in places:
        joint = kinematics.joints[place]
        origin = kinematics.jointPlacements[place].homogeneous
        axis, is_prismatic, is_continuous = _motion(joint)
        lower, upper = (
            float(limits[joint.idx_q])
            for limits in (kinematics.lowerPositionLimit, kinematics.upperPositionLimit)
        )
        label = kinematics.names[place]
        if is_prismatic:
            builder.prismatic(label, axis=axis, origin=origin, limits=(lower, upper))
        elif is_continuous or not math.isfinite(upper - lower) or upper - lower > 1e3:
            builder.continuous(label, axis=axis, origin=origin)
        else:
            builder.revolute(label, axis=axis, origin=origin, limits=(lower, upper))
    builder.frame(TOOL, pose=kinematics.frames[frame].placement.homogeneous)
    return builder.build(end_effector=TOOL), places


def _motion(joint: Any) -> tuple[np.ndarray, bool, bool]:
    """Axis [3] of one of pinocchio's joints, whether it prismatic joints, whether its q is a cosine and a
    sine.
    """
    if joint.nv != 1:
        raise MissingRobot(f"a joint {joint.shortname()} is neither revolute nor prismatic")
    data = joint.createData()
    joint.calc(data, np.array([1.0, 0.0][: joint.nq]), np.ones(1))
    motion = np.asarray(data.S).reshape(6)
    is_prismatic = bool(np.linalg.norm(motion[:3]) > 0.5)
    return (motion[:3] if is_prismatic else motion[3:]), is_prismatic, joint.nq == 2


def _source_pose(kinematics: Any, frame: int, places: Sequence[int], q: np.ndarray) -> np.ndarray:
    """pose_world_tool [4, 4] by the robot's own file."""
    import pinocchio

    whole = pinocchio.neutral(kinematics)
    for place, value in zip(places, q, strict=True):
        joint = kinematics.joints[place]
        part = [value] if joint.nq == 1 else [math.cos(value), math.sin(value)]
        whole[joint.idx_q : joint.idx_q + joint.nq] = part
    data = kinematics.createData()
    pinocchio.framesForwardKinematics(kinematics, data, whole)
    return data.oMf[frame].homogeneous


def _plain(name: str, model: Any) -> Robot:
    """The model's chain with every joint frame turned so that the axis is z."""
    from limbik.model.chain import chain_to

    chain = chain_to(model)
    joints = []
    back = np.eye(4)  # from the turned frame of the joint before to its own
    for joint in chain.joints:
        turn = _z_to(joint.axis)
        joints.append(
            PlainJoint(
                name=joint.name,
                is_prismatic=joint.kind.value == "prismatic",
                origin=back @ joint.origin @ turn,
                lower=joint.lower,
                upper=joint.upper,
            )
        )
        back = turn.T
    return Robot(name=name, model=model, joints=tuple(joints), tool=back @ chain.tool)


def _z_to(axis: np.ndarray) -> np.ndarray:
    """A rotation [4, 4] that turns z to the axis."""
    if axis[2] > 1.0 - 1e-15:
        return np.eye(4)
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    across /= np.linalg.norm(across)
    turn = np.eye(4)
    turn[:3, :3] = np.column_stack((across, np.cross(axis, across), axis))
    return turn


# --- writing ------------------------------------------------------------------------------------------------


def urdf(robot: Robot, *, continuous: bool = False) -> str:
    """The robot as URDF: links base, link1, ..., tool, axes along z, a mass on every link but the root.

    continuous: write continuous joints as such; otherwise they are revolute joints with limits at two turns.
    """
    links = [BASE, *(f"link{k + 1}" for k in range(robot.size)), TOOL]
    lines = [f'<robot name="{robot.name}">']
    lines.append(f'  <link name="{BASE}"/>')  # without a mass: KDL refuses one on the root
    for link in links[1:]:
        lines.append(
            f'  <link name="{link}"><inertial><mass value="1"/>'
            '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>'
        )
    lower, upper = robot.finite_lower, robot.finite_upper
    for k, joint in enumerate(robot.joints):
        is_free = continuous and joint.is_continuous
        kind = "continuous" if is_free else "prismatic" if joint.is_prismatic else "revolute"
        span = "" if is_free else f'lower="{lower[k]:.17g}" upper="{upper[k]:.17g}" '
        lines.append(
            f'  <joint name="{joint.name}" type="{kind}">'
            f'<parent link="{links[k]}"/><child link="{links[k + 1]}"/>{_origin(joint.origin)}'
            f'<axis xyz="0 0 1"/><limit {span}effort="1000" velocity="1000"/></joint>'
        )
    lines.append(
        f'  <joint name="tool_mount" type="fixed"><parent link="{links[-2]}"/>'
        f'<child link="{TOOL}"/>{_origin(robot.tool)}</joint>'
    )
    return "\n".join([*lines, "</robot>", ""])


def mjcf(robot: Robot) -> str:
    """The robot as MJCF: bodies with one joint each, a site `tool`. Continuous joints have no range."""
    opening, closing = [], []
    for k, joint in enumerate(robot.joints):
        span = (
            'limited="false"'
            if joint.is_continuous
            else f'limited="true" range="{robot.lower[k]:.17g} {robot.upper[k]:.17g}"'
        )
        kind = "slide" if joint.is_prismatic else "hinge"
        opening.append(
            f'<body name="link{k + 1}" {_pos_quat(joint.origin)}>'
            f'<inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>'
            f'<joint name="{joint.name}" type="{kind}" axis="0 0 1" {span}/>'
        )
        closing.append("</body>")
    site = f'<site name="{TOOL}" {_pos_quat(robot.tool)}/>'
    body = "\n".join([*opening, site, *closing])
    return (
        f'<mujoco model="{robot.name}"><compiler angle="radian"/><option gravity="0 0 0"/>'
        f"<worldbody>{body}</worldbody></mujoco>"
    )


def _origin(pose: np.ndarray) -> str:
    xyz = " ".join(f"{x:.17g}" for x in pose[:3, 3])
    rpy = " ".join(f"{x:.17g}" for x in _roll_pitch_yaw(pose[:3, :3]))
    return f'<origin xyz="{xyz}" rpy="{rpy}"/>'


def _roll_pitch_yaw(r: np.ndarray) -> tuple[float, float, float]:
    """Angles of URDF's rpy; exact near a pitch of 90 degrees too: roll and pitch are taken after the yaw."""
    yaw = math.atan2(r[1, 0], r[0, 0])
    c, s = math.cos(yaw), math.sin(yaw)
    roll = math.atan2(s * r[0, 2] - c * r[1, 2], c * r[1, 1] - s * r[0, 1])
    return roll, math.atan2(-r[2, 0], c * r[0, 0] + s * r[1, 0]), yaw


def _pos_quat(pose: np.ndarray) -> str:
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(pose[:3, :3]).as_quat()
    numbers = " ".join(f"{v:.17g}" for v in (w, x, y, z))
    return f'pos="{" ".join(f"{v:.17g}" for v in pose[:3, 3])}" quat="{numbers}"'


# --- checking -----------------------------------------------------------------------------------------------


def check(robot: Robot, others: Sequence[Any], count: int = 20) -> None:
    """Hold limbik's kinematics and the robot's own file against pinocchio on the URDF.

    others: functions of q [n] that give pose_world_tool [4, 4]. Raises WrongRobot.
    """
    rng = np.random.default_rng(0)
    for q in (robot.random(rng) for _ in range(count)):
        judged = robot.pose(q)
        for pose in (robot.model.pose(q), *(other(q) for other in others)):
            apart = float(np.abs(pose - judged).max())
            if not apart < SAME:
                raise WrongRobot(f"{robot.name}: two forms of the robot are {apart:.1e} apart at q = {q}")
