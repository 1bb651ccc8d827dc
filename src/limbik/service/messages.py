"""Requests and answers of the service: metres, radians, quaternions xyzw.

They are declared here once; JSON and OpenAPI follow from them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from annotated_types import Len
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

MAX_POSES = 5_000  # of one request in JSON
MAX_GOALS = 100
MAX_NAMES = 1000
MAX_TIME = 10.0  # [s] of a request

# Lists, not tuples, of so many: makers of clients know no `prefixItems` of JSON Schema.
Vector = Annotated[list[FiniteFloat], Len(3, 3)]
Quaternion = Annotated[list[FiniteFloat], Len(4, 4)]
Positive = Annotated[FiniteFloat, Field(gt=0.0)]
Weight = Annotated[FiniteFloat, Field(ge=0.0)]
Six = Annotated[list[Weight], Len(6, 6)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class Message(BaseModel):
    """Unknown fields, and texts or truth values for numbers, are refused: no typing error is passed over."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class PoseInWorld(Message):
    """A pose in the world."""

    position: Vector = Field(description="[m]")
    quaternion: Quaternion = Field([0.0, 0.0, 0.0, 1.0], description="x y z w, of any length but 0")


class OfFrame(Message):
    """A goal for a frame of the robot."""

    frame: Name | None = Field(None, description="default: the end effector")
    priority: int = Field(0, ge=0, le=10, description="0 comes first")


class Weighted(OfFrame):
    """One of the goals that are met within a tolerance."""

    weight: Weight = 1.0
    tolerance: Weight = Field(0.0, description="[m or rad] within which there is no error")


class PoseGoal(OfFrame):
    """A frame is at a pose; weights and tolerance are along and about the axes, x y z first."""

    type: Literal["pose"]
    position: Vector
    quaternion: Quaternion
    weights: Six | None = None
    tolerance: Six | None = Field(None, description="[m] and [rad]")


class PositionGoal(Weighted):
    """A frame's origin is at a point [m]."""

    type: Literal["position"]
    position: Vector


class OrientationGoal(Weighted):
    """A frame is turned so."""

    type: Literal["orientation"]
    quaternion: Quaternion


class DirectionGoal(Weighted):
    """An axis of a frame points along a direction of the world."""

    type: Literal["direction"]
    axis: Vector
    direction: Vector


class LookAtGoal(Weighted):
    """An axis of a frame points to a point of the world [m]."""

    type: Literal["look_at"]
    axis: Vector
    point: Vector


class JointGoal(Message):
    """A joint has a value [rad or m]."""

    type: Literal["joint"]
    joint: Name
    value: FiniteFloat
    weight: Weight = 1.0
    tolerance: Weight = 0.0
    priority: int = Field(0, ge=0, le=10)


AnyGoal = Annotated[
    PoseGoal | PositionGoal | OrientationGoal | DirectionGoal | LookAtGoal | JointGoal,
    Field(discriminator="type"),
]
Start = list[FiniteFloat] | dict[str, FiniteFloat]
EMPTY = "empty"  # the world without objects, which is always there
Key = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$")]  # of what is put on the server


class OfRobot(Message):
    """A request about a robot."""

    robot: Name = Field(description="a name of `GET /v1/robots`")


class InWorld(OfRobot):
    """The obstacles, and the distance to keep from them."""

    world: Name | None = Field(
        None,
        description=f'a name of `GET /v1/worlds`; "{EMPTY}": the robot itself alone; default: no check',
    )
    clearance: Weight = Field(0.0, description="[m]")


class Solving(InWorld):
    """How it is solved."""

    seed: int = Field(0, ge=0, lt=2**63)
    time_limit: Positive = Field(1.0, le=MAX_TIME, description="[s]")


class Solvable(Solving):
    """How, and from where."""

    start: Start | None = Field(None, description="numbers [nq], or joints by name, the others neutral")


class SolveRequest(Solvable):
    """A configuration that meets goals."""

    goals: list[AnyGoal] = Field(min_length=1, max_length=MAX_GOALS)
    limits: bool = True
    solver: Name = "auto"
    mode: Literal["meet", "best"] = "meet"
    group: Name | None = Field(
        None, description="of the robot's SRDF: the joints that may move; its tip is the default frame"
    )
    locked: list[Name] = Field([], max_length=MAX_NAMES, description="joints that stay at the start")
    tolerance: Positive = Field(1e-6, description="[m]")
    tolerance_rotation: Positive = Field(1e-6, description="[rad]")


class SolveAllRequest(Solvable):
    """All configurations that bring a frame to a pose; with a start, sorted by distance to it."""

    pose: PoseInWorld
    frame: Name | None = None
    limits: bool = True


class SolveBatchRequest(Solvable):
    """A configuration for each of many poses of a frame."""

    poses: list[PoseInWorld] = Field(max_length=MAX_POSES)
    frame: Name | None = None
    limits: bool = True


class ArrayRequest(Solving):
    """The same for poses that come as an array. It is a query, whose numbers are texts."""

    model_config = ConfigDict(strict=False)

    frame: Name | None = None
    limits: bool = True
    start: list[FiniteFloat] | None = Field(
        None, description="numbers [nq], each with the name again: start=0.1&start=0.2&..."
    )


class PathRequest(Solvable):
    """Configurations along poses of a frame."""

    poses: list[PoseInWorld] = Field(min_length=1, max_length=MAX_POSES)
    frame: Name | None = None
    max_step: Positive = Field(0.5, le=3.0, description="[rad or m] of a joint from knot to knot")
    deviation: Annotated[list[Positive], Len(2, 2)] = Field(
        [1e-3, 1e-2], description="[m] and [rad] off the path"
    )


class CheckRequest(InWorld):
    """Whether configurations are free of collision."""

    q: list[Start] = Field(min_length=1, max_length=MAX_POSES)


class RobotRequest(Message):
    """A robot of one's own."""

    description: str = Field(
        min_length=1, description="the text of a URDF, an MJCF or a table of DH parameters"
    )
    srdf: str | None = Field(None, min_length=1, description="its text: groups, and pairs that may touch")
    end_effector: Name | None = None
    base: Literal["fixed", "floating", "planar"] = "fixed"


class ForwardRequest(OfRobot):
    """Where frames are."""

    q: Start = Field(description="numbers [nq], or joints by name, the others neutral")
    frames: list[Name] | None = Field(None, max_length=MAX_NAMES, description="default: the end effector")


class RobotAnswer(Message):
    """A robot."""

    name: str
    names: list[str] = Field(description="of the numbers of q")
    units: list[str] = Field(description="rad, m, or nothing of a quaternion")
    lower: list[float | None] = Field(description="None: no limit")
    upper: list[float | None]
    neutral: list[float]
    frames: list[str]
    end_effector: str
    groups: dict[str, list[str]] = Field(description="joints by name of the group")


class RemainingError(Message):
    """How far the answer is from a goal."""

    position: float = Field(description="[m]")
    rotation: float = Field(description="[rad]")


class SolveAnswer(Message):
    """A configuration, verified by forward kinematics, or the nearest one and why there is none."""

    success: bool
    status: str
    explanation: str
    q: list[float]
    names: list[str]
    units: list[str]
    errors: list[RemainingError]
    limit_margins: list[float | None]
    manipulability: float
    condition_number: float | None
    solver: str
    iterations: int
    restarts: int
    time: float = Field(description="[s]")
    diagnosis: dict[str, Any] | None


class Configuration(Message):
    """One of all solutions."""

    q: list[float]
    branch: str
    limit_margins: list[float | None]
    manipulability: float


class SolveAllAnswer(Message):
    """All solutions, or as many as were found."""

    complete: bool = Field(description="whether it is proved that there is no other")
    method: str
    explanation: str
    names: list[str]
    units: list[str]
    solutions: list[Configuration]
    time: float


class SolveBatchAnswer(Message):
    """The configurations of many poses."""

    names: list[str]
    q: list[list[float]]
    success: list[bool]
    errors: list[RemainingError]
    time: float


class PathBreak(Message):
    """Where joints leave the path; counted in poses, 2.5 is midway from the third to the fourth."""

    begin: float
    end: float
    reason: str
    joints: list[str] = Field(description="that would go beyond their limits")


class PathAnswer(Message):
    """Knots that are joined by straight lines in joint space."""

    complete: bool
    explanation: str
    names: list[str]
    q: list[list[float]]
    position: list[float] = Field(description="of each knot along the path, counted in poses")
    times: list[float] | None = Field(description="[s]")
    breaks: list[PathBreak]
    deviation: Annotated[list[float], Len(2, 2)] = Field(description="[m] and [rad], greatest off the path")


class CheckAnswer(Message):
    """One for each configuration."""

    free: list[bool]
    distance: list[float | None] = Field(description="[m] of the nearest pair, below 0 inside each other")
    pairs: list[Annotated[list[str], Len(2, 2)] | None] = Field(description="which pair that is")


class WorldAnswer(Message):
    """What stands in a world."""

    name: str
    objects: list[str]


class ForwardAnswer(Message):
    """Poses by frame."""

    poses: dict[str, PoseInWorld]


class Refusal(Message):
    """Why a request was not answered."""

    error: str
    message: str
