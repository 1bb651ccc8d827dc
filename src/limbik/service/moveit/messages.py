"""Messages of MoveIt (moveit_msgs, sensor_msgs, geometry_msgs) as JSON has them, as far as they are read.

Fields that are left out have the value that ROS gives them. Those of `unread` are passed over, such as
velocities and efforts; a field that the message has neither in ROS 1 nor in ROS 2 is an error.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from enum import IntEnum
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, FiniteFloat, model_validator
from pydantic_core import PydanticCustomError

from limbik.errors import did_you_mean, shortened
from limbik.model.joints import FARTHEST

MAX_ITEMS = 1000  # constraints or names of one message
MAX_POSES = 50  # of one request: a solve takes the cube of their number
LARGEST = 2**32 - 1  # of the whole numbers of ROS

_Item = TypeVar("_Item")
Few = Annotated[list[_Item], Field(max_length=MAX_ITEMS)]
Width = Annotated[FiniteFloat, Field(ge=0.0)]
Coordinate = Annotated[FiniteFloat, Field(ge=-FARTHEST, le=FARTHEST)]  # [m], [rad], or of a quaternion


class Code(IntEnum):
    """Of moveit_msgs/MoveItErrorCodes."""

    SUCCESS = 1
    TIMED_OUT = -6
    GOAL_IN_COLLISION = -12
    GOAL_CONSTRAINTS_VIOLATED = -14
    INVALID_GROUP_NAME = -15
    INVALID_GOAL_CONSTRAINTS = -16
    INVALID_ROBOT_STATE = -17
    INVALID_LINK_NAME = -18
    INVALID_OBJECT_NAME = -19
    FRAME_TRANSFORM_FAILURE = -21
    NO_IK_SOLUTION = -31


class RosMessage(BaseModel):
    """A message; `unread` are its fields that are passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)
    unread: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown(cls, message: Any) -> Any:
        names: dict[str, str] = {}  # in the message, by field
        fields = cls._fields()
        for name in message if isinstance(message, Mapping) else ():
            if name in cls.unread:
                continue
            if name not in fields:
                problem = f"there is no field {shortened(name)}; {did_you_mean(name, sorted(fields))}"
                raise PydanticCustomError("unknown_field", "{problem}", {"problem": problem})
            other = names.setdefault(fields[name], name)
            if other != name:
                problem = f"{other} and {name} are one field: give one of them"
                raise PydanticCustomError("doubled_field", "{problem}", {"problem": problem})
        return message

    @classmethod
    @functools.cache
    def _fields(cls) -> dict[str, str]:
        """The fields that are read, by each of their names."""
        aliases = [(field, info.validation_alias) for field, info in cls.model_fields.items()]
        return {
            str(name): field
            for field, alias in aliases
            for name in (alias.choices if isinstance(alias, AliasChoices) else (field,))
        }


class Header(RosMessage):
    """The frame in which something is measured."""

    unread = frozenset({"seq", "stamp"})
    frame_id: str = ""


class Vector(RosMessage):
    """A point or a direction."""

    x: Coordinate = 0.0
    y: Coordinate = 0.0
    z: Coordinate = 0.0


class Quaternion(RosMessage):
    """All zero means no turn, as ROS 1 leaves it where nobody has set it."""

    x: Coordinate = 0.0
    y: Coordinate = 0.0
    z: Coordinate = 0.0
    w: Coordinate = 0.0


class PoseMessage(RosMessage):
    """A position [m] and an orientation; geometry_msgs/Transform calls them translation and rotation."""

    position: Annotated[Vector, Field(validation_alias=AliasChoices("position", "translation"))] = Vector()
    orientation: Annotated[Quaternion, Field(validation_alias=AliasChoices("orientation", "rotation"))] = (
        Quaternion()
    )


class PoseStamped(RosMessage):
    """A pose in a frame."""

    header: Header = Header()
    pose: PoseMessage = PoseMessage()


class JointState(RosMessage):
    """Positions of joints by name."""

    unread = frozenset({"header", "velocity", "effort"})
    name: Few[str] = []
    position: Few[Coordinate] = []


class MultiDofJointState(RosMessage):
    """Where virtual joints have the robot."""

    unread = frozenset({"header", "twist", "wrench"})
    joint_names: Few[str] = []
    transforms: Few[PoseMessage] = []


class CollisionObject(RosMessage):
    """An object of the scene; its shapes are read by `limbik.collision.planning_scenes`."""

    unread = frozenset({"type", "plane_poses"})
    header: Header = Header()
    id: str = ""
    pose: PoseMessage = PoseMessage()
    primitives: Few[dict[str, Any]] = []
    primitive_poses: Few[PoseMessage] = []
    meshes: Few[dict[str, Any]] = []
    mesh_poses: Few[PoseMessage] = []
    planes: Few[dict[str, Any]] = []
    subframe_names: Few[str] = []
    subframe_poses: Few[PoseMessage] = []
    operation: Annotated[int, Field(ge=0, le=3)] = 0  # add, remove, append, move


class AttachedCollisionObject(RosMessage):
    """An object that a link carries."""

    unread = frozenset({"detach_posture", "weight"})
    link_name: str = ""
    object: CollisionObject = CollisionObject()
    touch_links: Few[str] = []


class RobotState(RosMessage):
    """Where the robot is, and what it carries."""

    unread = frozenset({"is_diff"})
    joint_state: JointState = JointState()
    multi_dof_joint_state: MultiDofJointState = MultiDofJointState()
    attached_collision_objects: Few[AttachedCollisionObject] = []


class JointConstraint(RosMessage):
    """A joint is near a value."""

    unread = frozenset({"weight"})
    joint_name: str = ""
    position: FiniteFloat = 0.0
    tolerance_above: Width = 0.0
    tolerance_below: Width = 0.0


class SolidPrimitive(RosMessage):
    """A box, a sphere, a cylinder or a cone."""

    unread = frozenset({"polygon"})
    type: int = 0
    dimensions: Few[Width] = []  # [m]


class BoundingVolume(RosMessage):
    """A region."""

    unread = frozenset({"mesh_poses"})
    primitives: Few[SolidPrimitive] = []
    primitive_poses: Few[PoseMessage] = []
    meshes: Few[dict[str, Any]] = []


class PositionConstraint(RosMessage):
    """A link's origin is inside a region."""

    unread = frozenset({"weight"})
    header: Header = Header()
    link_name: str = ""
    target_point_offset: Vector = Vector()
    constraint_region: BoundingVolume = BoundingVolume()


class OrientationConstraint(RosMessage):
    """A link is turned nearly so."""

    unread = frozenset({"weight"})
    header: Header = Header()
    orientation: Quaternion = Quaternion()
    link_name: str = ""
    absolute_x_axis_tolerance: Width = 0.0
    absolute_y_axis_tolerance: Width = 0.0
    absolute_z_axis_tolerance: Width = 0.0
    parameterization: Annotated[int, Field(ge=0, le=1)] = 0  # Euler angles xyz, or a rotation vector


class Constraints(RosMessage):
    """What an answer has to keep besides the poses."""

    unread = frozenset({"name"})
    joint_constraints: Few[JointConstraint] = []
    position_constraints: Few[PositionConstraint] = []
    orientation_constraints: Few[OrientationConstraint] = []
    visibility_constraints: Few[dict[str, Any]] = []


class Duration(RosMessage):
    """ROS 2 says `sec` and `nanosec`, ROS 1 `secs` and `nsecs`."""

    sec: Annotated[int, Field(ge=0, le=LARGEST, validation_alias=AliasChoices("sec", "secs"))] = 0
    nanosec: Annotated[int, Field(ge=0, le=LARGEST, validation_alias=AliasChoices("nanosec", "nsecs"))] = 0

    @property
    def seconds(self) -> float:
        """[s]"""
        return self.sec + 1e-9 * self.nanosec


class PositionIKRequest(RosMessage):
    """Poses of links that a group of joints shall bring about."""

    unread = frozenset({"attempts"})
    group_name: str = ""
    robot_state: RobotState = RobotState()
    constraints: Constraints = Constraints()
    avoid_collisions: bool = False
    ik_link_name: str = ""
    pose_stamped: PoseStamped = PoseStamped()
    ik_link_names: Few[str] = []
    pose_stamped_vector: Annotated[list[PoseStamped], Field(max_length=MAX_POSES)] = []
    timeout: Duration = Duration()


class GetPositionIK(RosMessage):
    """The request of `compute_ik`."""

    ik_request: PositionIKRequest = PositionIKRequest()


class GetPositionFK(RosMessage):
    """The request of `compute_fk`."""

    header: Header = Header()
    fk_link_names: Few[str] = []
    robot_state: RobotState = RobotState()


class GetStateValidity(RosMessage):
    """The request of `check_state_validity`."""

    robot_state: RobotState = RobotState()
    group_name: str = ""
    constraints: Constraints = Constraints()


class AllowedCollisionEntry(RosMessage):
    """A row of the matrix."""

    enabled: Few[bool] = []


class AllowedCollisionMatrix(RosMessage):
    """Which pairs may touch; a default is for all pairs with a body that the matrix does not have."""

    entry_names: Few[str] = []
    entry_values: Few[AllowedCollisionEntry] = []
    default_entry_names: Few[str] = []
    default_entry_values: Few[bool] = []


class LinkPadding(RosMessage):
    """By how much [m] a link is thicker than its shape."""

    link_name: str = ""
    padding: FiniteFloat = 0.0


class LinkScale(RosMessage):
    """How many times as large as its shape a link is."""

    link_name: str = ""
    scale: FiniteFloat = 1.0


class Octomap(RosMessage):
    """Cells that are full; refused where there are some."""

    unread = frozenset({"header", "binary", "id", "resolution"})

    data: Any = ()  # a list, or a text of bytes


class OctomapWithPose(RosMessage):
    """An octomap in a frame."""

    unread = frozenset({"header", "origin"})

    octomap: Octomap = Octomap()


class PlanningSceneWorld(RosMessage):
    """What stands about the robot."""

    collision_objects: Few[CollisionObject] = []
    octomap: OctomapWithPose = OctomapWithPose()


class TransformStamped(RosMessage):
    """Where the frame of the header is in the one that it leads to, which is what MoveIt means by a child."""

    header: Header = Header()
    child_frame_id: str = ""
    transform: PoseMessage = PoseMessage()


class PlanningScene(RosMessage):
    """The world, and the robot in it; or what changes of them."""

    unread = frozenset({"name", "robot_model_name", "object_colors"})
    is_diff: bool = False
    fixed_frame_transforms: Few[TransformStamped] = []
    robot_state: RobotState = RobotState()
    allowed_collision_matrix: AllowedCollisionMatrix = AllowedCollisionMatrix()
    link_padding: Few[LinkPadding] = []
    link_scale: Few[LinkScale] = []
    world: PlanningSceneWorld = PlanningSceneWorld()


class ApplyPlanningScene(RosMessage):
    """The request of `apply_planning_scene`."""

    scene: PlanningScene = PlanningScene()
