"""Constraints of MoveIt as goals with tolerances, and whether a configuration keeps them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

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
    Quaternion,
)
from limbik.service.moveit.scene import Refused, Scene, State, pose_of_message
from limbik.spatial import Array, Matrix3, Matrix4, rotation_log

BOX, SPHERE = 1, 2  # of shape_msgs/SolidPrimitive
EULER = 0  # parameterization of an OrientationConstraint
MET = 1e-6  # [m or rad] beyond a tolerance that counts as kept


@dataclass(frozen=True)
class Constraint:
    """A goal for a solve, and by how much a configuration breaks what is asked."""

    goal: Goal
    excess: Callable[[Array], float]  # [m or rad] of q beyond the tolerance, at most 0 where it is kept


def read(given: Constraints, scene: Scene, state: State) -> list[Constraint]:
    """What each constraint asks for. Raises Refused for those that have no meaning, or are not known here."""
    return list(_each(given, scene, state))


def _each(given: Constraints, scene: Scene, state: State) -> Iterator[Constraint]:
    for joint in given.joint_constraints:
        yield _joint(joint, state.model)
    for position in given.position_constraints:
        yield _position(position, scene, state)
    for orientation in given.orientation_constraints:
        yield _orientation(orientation, scene, state)
    if given.visibility_constraints:
        raise Refused(Code.INVALID_GOAL_CONSTRAINTS, "constraints of visibility are not known here")


def _joint(given: JointConstraint, model: Model) -> Constraint:
    known = [joint.name for joint in model.joints if joint.nq == 1]
    if given.joint_name not in known:
        hint = did_you_mean(given.joint_name, known)
        raise Refused(Code.INVALID_GOAL_CONSTRAINTS, f"there is no joint {given.joint_name!r}; {hint}")
    tolerance = 0.5 * (given.tolerance_above + given.tolerance_below)
    value = given.position + 0.5 * (given.tolerance_above - given.tolerance_below)
    place, turns = (
        model.q_slice(given.joint_name).start,
        model.joint(given.joint_name).kind is JointKind.CONTINUOUS,
    )

    def excess(q: Array) -> float:
        off = float(q[place]) - value
        return abs(math.remainder(off, 2.0 * math.pi) if turns else off) - tolerance

    return Constraint(JointValue(joint=given.joint_name, value=value, tolerance=tolerance), excess)


def _position(given: PositionConstraint, scene: Scene, state: State) -> Constraint:
    region, offset = given.constraint_region, given.target_point_offset
    link = link_of(given.link_name, state.model)
    if region.meshes or len(region.primitives) != 1:
        raise Refused(Code.INVALID_GOAL_CONSTRAINTS, "a region needs to be one box or one sphere here")
    if any((offset.x, offset.y, offset.z)):
        raise Refused(
            Code.INVALID_GOAL_CONSTRAINTS, "a target_point_offset is not known here; constrain a frame"
        )
    placed = region.primitive_poses[0] if region.primitive_poses else PoseMessage()
    target = np.asarray(scene.at(given.header.frame_id, state) @ pose_of_message(placed))
    kind, size = region.primitives[0].get("type"), _dimensions(region.primitives[0])

    def left(q: Array) -> Array:
        return np.asarray(target[:3, :3].T @ (state.model.pose(q, link)[:3, 3] - target[:3, 3]))

    if kind == BOX and len(size) == 3:
        half = 0.5 * size
        goal = Pose(
            target=target, frame=link, weights=(1, 1, 1, 0, 0, 0), tolerance=(*half.tolist(), 0.0, 0.0, 0.0)
        )
        return Constraint(goal, lambda q: float((np.abs(left(q)) - half).max()))
    if kind == SPHERE and len(size) == 1:
        radius = float(size[0])
        inside = radius / math.sqrt(3.0)  # a goal's tolerance is a box: that in the sphere
        return Constraint(
            Position(target=target[:3, 3], frame=link, tolerance=inside),
            lambda q: float(np.linalg.norm(left(q))) - radius,
        )
    raise Refused(Code.INVALID_GOAL_CONSTRAINTS, "a region needs to be one box or one sphere here")


def _orientation(given: OrientationConstraint, scene: Scene, state: State) -> Constraint:
    link = link_of(given.link_name, state.model)
    tolerance = np.array(
        [given.absolute_x_axis_tolerance, given.absolute_y_axis_tolerance, given.absolute_z_axis_tolerance]
    )
    target = np.asarray(scene.at(given.header.frame_id, state) @ _turned(given.orientation))
    free = tolerance >= math.pi
    weights = (0.0, 0.0, 0.0, *np.where(free, 0.0, 1.0).tolist())
    goal = Pose(
        target=target, frame=link, weights=weights, tolerance=(0.0, 0.0, 0.0, *np.where(free, 0.0, tolerance))
    )
    is_euler = given.parameterization == EULER

    def excess(q: Array) -> float:
        apart = target[:3, :3].T @ state.model.pose(q, link)[:3, :3]
        return float((np.abs(_angles(apart, is_euler)) - tolerance)[~free].max(initial=0.0))

    return Constraint(goal, excess)


def _angles(rotation: Matrix3, is_euler: bool) -> Array:
    """[3, rad] as the constraint counts them."""
    if is_euler:
        return np.asarray(Rotation.from_matrix(rotation).as_euler("XYZ"))
    return rotation_log(rotation)


def link_of(name: str, model: Model) -> str:
    """A frame of the model. Raises Refused for another name."""
    if name not in model.frame_names:
        hint = did_you_mean(name, model.frame_names)
        raise Refused(Code.INVALID_LINK_NAME, f"there is no link {name!r}; {hint}")
    return name


def _turned(given: Quaternion) -> Matrix4:
    return pose_of_message(PoseMessage(orientation=given))


def _dimensions(primitive: dict[str, Any]) -> Array:
    try:
        size = np.asarray(primitive.get("dimensions", ()), dtype=np.float64)
    except (TypeError, ValueError):
        size = np.array([np.nan])
    if size.ndim != 1 or not np.isfinite(size).all() or (size < 0.0).any():
        raise Refused(Code.INVALID_GOAL_CONSTRAINTS, "`dimensions` of a region need numbers [m] from 0 on")
    return size
