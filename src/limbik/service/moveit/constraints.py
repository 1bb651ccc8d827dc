"""MoveIt constraints as goals with tolerances, each with how far a configuration is from meeting it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from limbik import JointKind, JointValue, Model, Pose, Position
from limbik.errors import did_you_mean
from limbik.goals import Goal
from limbik.service.moveit.messages import (
    Code,
    Constraints,
    JointConstraint,
    OrientationConstraint,
    PoseMessage,
    PositionConstraint,
)
from limbik.service.moveit.scene import MoveItRefusal, MoveItScene, State, pose_of_message
from limbik.spatial import Array, Matrix3, roll_pitch_yaw, rotation_log

BOX, SPHERE = 1, 2  # of shape_msgs/SolidPrimitive
EULER = 0  # parameterization of an OrientationConstraint
MET = 1e-6  # [m or rad] beyond a tolerance that still counts as inside


@dataclass(frozen=True)
class Constraint:
    """A goal for a solve, and the distance of a configuration from it."""

    goal: Goal | None  # None: met everywhere
    excess: Callable[[Array], float]  # [m or rad] of q beyond the tolerance, at most 0 inside it


def read(message: Constraints, scene: MoveItScene, state: State) -> list[Constraint]:
    """The constraints of a message. Raises Refused for those without a meaning, or of an unknown kind."""
    return list(_constraints(message, scene, state))


def _constraints(message: Constraints, scene: MoveItScene, state: State) -> Iterator[Constraint]:
    for joint in message.joint_constraints:
        yield _joint(joint, scene)
    for position in message.position_constraints:
        yield _position(position, scene, state)
    for orientation in message.orientation_constraints:
        yield _orientation(orientation, scene, state)
    if message.visibility_constraints:
        raise MoveItRefusal(Code.INVALID_GOAL_CONSTRAINTS, "constraints of visibility are not known here")


def _joint(message: JointConstraint, scene: MoveItScene) -> Constraint:
    if message.joint_name not in scene.joint_indices:
        leaders = {joint.name: joint.mimic.joint for joint in scene.model.joints if joint.mimic}
        if message.joint_name in leaders:
            leader = leaders[message.joint_name]
            problem = f"joint {message.joint_name!r} follows {leader!r}: constrain that one"
        else:
            hint = did_you_mean(message.joint_name, scene.joint_indices)
            problem = f"there is no joint {message.joint_name!r}; {hint}"
        raise MoveItRefusal(Code.INVALID_GOAL_CONSTRAINTS, problem)
    tolerance = 0.5 * (message.tolerance_above + message.tolerance_below)
    value = message.position + 0.5 * (message.tolerance_above - message.tolerance_below)
    index = scene.joint_indices[message.joint_name]
    is_continuous = scene.model.joint(message.joint_name).kind is JointKind.CONTINUOUS

    def excess(q: Array) -> float:
        off = float(q[index]) - value
        return abs(math.remainder(off, 2.0 * math.pi) if is_continuous else off) - tolerance

    return Constraint(JointValue(joint=message.joint_name, value=value, tolerance=tolerance), excess)


def _position(message: PositionConstraint, scene: MoveItScene, state: State) -> Constraint:
    region, offset = message.constraint_region, message.target_point_offset
    link = link_of(message.link_name, state.model)
    if region.meshes or len(region.primitives) != 1:
        raise MoveItRefusal(Code.INVALID_GOAL_CONSTRAINTS, "a region needs to be one box or one sphere here")
    if any((offset.x, offset.y, offset.z)):
        raise MoveItRefusal(
            Code.INVALID_GOAL_CONSTRAINTS, "a target_point_offset is not known here; constrain a frame"
        )
    placed = region.primitive_poses[0] if region.primitive_poses else PoseMessage()
    target = np.asarray(scene.at(message.header.frame_id, state) @ pose_of_message(placed))
    kind, size = region.primitives[0].type, region.primitives[0].dimensions

    def left(q: Array) -> Array:
        return np.asarray(target[:3, :3].T @ (state.model.pose(q, link)[:3, 3] - target[:3, 3]))

    if kind == BOX and len(size) == 3:
        half = 0.5 * np.array(size)
        goal = Pose(
            target=target, frame=link, weights=(1, 1, 1, 0, 0, 0), tolerance=(*half.tolist(), 0.0, 0.0, 0.0)
        )
        return Constraint(goal, lambda q: float((np.abs(left(q)) - half).max()))
    if kind == SPHERE and len(size) == 1:
        radius = size[0]
        inside = radius / math.sqrt(3.0)  # a goal's tolerance is a box: that in the sphere
        return Constraint(
            Position(target=target[:3, 3], frame=link, tolerance=inside),
            lambda q: float(np.linalg.norm(left(q))) - radius,
        )
    raise MoveItRefusal(Code.INVALID_GOAL_CONSTRAINTS, "a region needs to be one box or one sphere here")


def _orientation(message: OrientationConstraint, scene: MoveItScene, state: State) -> Constraint:
    link = link_of(message.link_name, state.model)
    tolerance = np.array(
        [
            message.absolute_x_axis_tolerance,
            message.absolute_y_axis_tolerance,
            message.absolute_z_axis_tolerance,
        ]
    )
    wanted = pose_of_message(PoseMessage(orientation=message.orientation))
    target = np.asarray(scene.at(message.header.frame_id, state) @ wanted)
    free = tolerance >= math.pi
    if free.all():
        return Constraint(None, lambda _: -math.pi)
    weights = (0.0, 0.0, 0.0, *np.where(free, 0.0, 1.0).tolist())
    goal = Pose(
        target=target, frame=link, weights=weights, tolerance=(0.0, 0.0, 0.0, *np.where(free, 0.0, tolerance))
    )
    is_euler = message.parameterization == EULER

    def excess(q: Array) -> float:
        apart = target[:3, :3].T @ state.model.pose(q, link)[:3, :3]
        return float((np.abs(_angles(apart, is_euler)) - tolerance)[~free].max(initial=0.0))

    return Constraint(goal, excess)


def _angles(rotation: Matrix3, is_euler: bool) -> Array:
    """[3, rad] as the constraint counts them: a rotation vector, or rotations about x, then y, then z of the
    frame.
    """
    return -np.array(roll_pitch_yaw(rotation.T)) if is_euler else rotation_log(rotation)


def link_of(name: str, model: Model) -> str:
    """A frame of the model. Raises Refused for another name."""
    if name not in model.frame_names:
        hint = did_you_mean(name, model.frame_names)
        raise MoveItRefusal(Code.INVALID_LINK_NAME, f"there is no link {name!r}; {hint}")
    return name
