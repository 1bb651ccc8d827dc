"""MoveIt's requests answered: compute_ik, compute_fk, check_state_validity and apply_planning_scene.

Messages are mappings with the fields of moveit_msgs, as JSON has them. How they come is for others
(`service.rosbridge`, `service.ros_node`).
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from pydantic import ValidationError

from limbik import Goal, Model, Pose, Solution, Status
from limbik.checks import Contact
from limbik.collision import World
from limbik.errors import LimbikError, ModelError
from limbik.formats.srdf import Srdf
from limbik.locks import fork_safe
from limbik.request import clipped, deadline_after, time_left
from limbik.service.groups import JointGroup, group_of, locked_for
from limbik.service.moveit import constraints
from limbik.service.moveit.messages import (
    ApplyPlanningScene,
    Code,
    GetPositionFK,
    GetPositionIK,
    GetStateValidity,
    JointState,
    PoseStamped,
    PositionIKRequest,
    RobotState,
    RosMessage,
)
from limbik.service.moveit.scene import MoveItRefusal, State, paired, pose_of_message, scene_of
from limbik.spatial import Array, Matrix4, pose_inverse, quat_from_matrix

TIMEOUT = 1.0  # [s] where a request says none
MAX_TIMEOUT = 60.0  # [s]

SERVICES = {
    "compute_ik": "GetPositionIK",
    "compute_fk": "GetPositionFK",
    "check_state_validity": "GetStateValidity",
    "apply_planning_scene": "ApplyPlanningScene",
}  # methods of MoveIt, and their types in moveit_msgs

IN_COLLISION = (Status.GOAL_IN_COLLISION, Status.BASE_IN_COLLISION, Status.NO_FREE_SOLUTION)
CODES = {
    Status.BUDGET_SPENT: Code.TIMED_OUT,
    **dict.fromkeys(IN_COLLISION, Code.GOAL_IN_COLLISION),
}  # of the others: NO_IK_SOLUTION

Answer = dict[str, Any]
_Request = TypeVar("_Request", bound=RosMessage)


class MoveIt:
    """Answers MoveIt's requests about one robot; may be used by any number of threads.

    srdf: names its groups. world: what stands about it from the beginning. has_words: whether codes carry
    `message` and `source`, as moveit_msgs has them since ROS 2 Iron; older ones refuse a message with them.

    Where an answer has a code of MoveIt's, a request without a solution or a meaning gets that code and the
    reason; the two answers without one raise a LimbikError.
    """

    def __init__(
        self, model: Model, srdf: Srdf | None = None, world: World | None = None, *, has_words: bool = True
    ) -> None:
        self._srdf = srdf
        self._scene = scene_of(model, srdf, world)
        self._has_words = has_words
        self._lock = fork_safe(threading.Lock())

    @property
    def groups(self) -> list[str]:
        """The names of the robot's groups."""
        return [] if self._srdf is None else list(self._srdf.groups)

    def compute_ik(self, message: Mapping[str, Any]) -> Answer:
        """moveit_msgs/GetPositionIK: verified joint positions for poses of links, or why there are none."""
        try:
            return self._solved(_read(GetPositionIK, message).ik_request)
        except LimbikError as error:
            return self._unsolved(_code_of(error, Code.INVALID_GOAL_CONSTRAINTS), str(error))

    def compute_fk(self, message: Mapping[str, Any]) -> Answer:
        """moveit_msgs/GetPositionFK: poses of links in a frame."""
        try:
            request, scene = _read(GetPositionFK, message), self._scene
            state = scene.state(request.robot_state)
            back = pose_inverse(scene.at(request.header.frame_id, state))
            links = [constraints.link_of(name, state.model) for name in request.fk_link_names]
            poses = [_pose(back @ state.model.pose(state.q, link)) for link in links]
        except LimbikError as error:
            code = self._code(_code_of(error, Code.INVALID_ROBOT_STATE), str(error))
            return {"pose_stamped": [], "fk_link_names": [], "error_code": code}
        header = {"frame_id": request.header.frame_id}
        return {
            "pose_stamped": [{"header": header, "pose": pose} for pose in poses],
            "fk_link_names": links,
            "error_code": self._code(Code.SUCCESS),
        }

    def check_state_validity(self, message: Mapping[str, Any]) -> Answer:
        """moveit_msgs/GetStateValidity: whether a state is free of collision and keeps constraints.

        Raises Refused for what has no meaning: this answer has no code.
        """
        request, scene = _read(GetStateValidity, message), self._scene
        state = scene.state(request.robot_state)
        results = [each.excess(state.q) for each in constraints.read(request.constraints, scene, state)]
        world = scene.world(state)
        contacts = state.model.check(state.q, world).contacts(0.0)
        if request.group_name:
            links = _links_moved_by(self._group(request.group_name, state.model), state.model)
            contacts = tuple(each for each in contacts if not links.isdisjoint(each.pair))
        return {
            "valid": not contacts and all(excess <= constraints.MET for excess in results),
            "contacts": [_contact(each, state, world) for each in contacts],
            "cost_sources": [],
            "constraint_result": [
                {"result": excess <= constraints.MET, "distance": max(excess, 0.0)} for excess in results
            ],
        }

    def apply_planning_scene(self, message: Mapping[str, Any]) -> Answer:
        """moveit_msgs/ApplyPlanningScene: objects, what is attached, and pairs that may touch.

        Raises a LimbikError, and changes nothing, where that is not all possible: this answer has no code.
        """
        scene = _read(ApplyPlanningScene, message).scene
        with self._lock:
            self._scene = self._scene.changed(scene)
        return {"success": True}

    def note_joint_states(self, message: Mapping[str, Any]) -> None:
        """sensor_msgs/JointState: where the robot is, for requests that do not say it. Unknown joints are
        left out: the topic may have those of other robots, too. So is what has velocities or efforts alone.
        """
        joints = _read(JointState, message)
        if not joints.position:
            return
        known = self._scene.joint_indices
        named = paired(joints.name, joints.position, "`position`", "positions")
        pairs = [pair for pair in named if pair[0] in known]
        names, positions = [name for name, _ in pairs], [position for _, position in pairs]
        state = RobotState(joint_state=JointState(name=names, position=positions))
        with self._lock:
            self._scene = self._scene.moved(state)

    def _solved(self, request: PositionIKRequest) -> Answer:
        scene = self._scene
        state = scene.state(request.robot_state)
        group = self._group(request.group_name, state.model)
        poses = _poses(request, group, state.model)
        goals: Any = [
            Pose(target=scene.at(pose.header.frame_id, state) @ pose_of_message(pose.pose), frame=frame)
            for frame, pose in poses
        ]
        extra = constraints.read(request.constraints, scene, state)
        # Constraints may be about frames that other joints than those on the path to the poses move.
        frames = state.model.frame_names if extra else [frame for frame, _ in poses]
        world = scene.world(state) if request.avoid_collisions else None
        locked = locked_for(state.model, group, frames)
        deadline = deadline_after(min(request.timeout.seconds or TIMEOUT, MAX_TIMEOUT))

        def solved(wanted: Sequence[Goal]) -> Solution:
            start = clipped(state.model, state.q, locked)  # as a sensor may have them a little beyond limits
            left = time_left(deadline)
            return state.model.solve(wanted, start=start, locked=locked, world=world, time_limit=left)

        def broken_by(solution: Solution) -> int:
            return sum(each.excess(solution.q) > constraints.MET for each in extra)

        solution = solved(goals)
        if solution.success and broken_by(solution):  # with goals that are boxes inside of what is allowed
            solution = solved([*goals, *(each.goal for each in extra if each.goal is not None)])
        if not solution.success:
            code = CODES.get(solution.status, Code.NO_IK_SOLUTION)
            return self._unsolved(code, _reason(solution, state.model, world))
        if broken := broken_by(solution):
            message = f"a solution was found, but it breaks {broken} of the constraints"
            return self._unsolved(Code.GOAL_CONSTRAINTS_VIOLATED, message)
        joints = {name: float(solution.q[index]) for name, index in scene.joint_indices.items()}
        return {"solution": _robot_state(joints), "error_code": self._code(Code.SUCCESS)}

    def _unsolved(self, code: Code, message: str) -> Answer:
        return {"solution": _robot_state({}), "error_code": self._code(code, message)}

    def _group(self, name: str, model: Model) -> JointGroup:
        try:
            return group_of(model, self._srdf, name)
        except ModelError as error:
            raise MoveItRefusal(Code.INVALID_GROUP_NAME, str(error)) from None

    def _code(self, code: Code, message: str = "") -> Answer:
        words = {"message": message, "source": "limbik"} if self._has_words else {}
        return {"val": int(code), **words}


def _poses(request: PositionIKRequest, group: JointGroup, model: Model) -> list[tuple[str, PoseStamped]]:
    """The frames of a request and their poses."""
    if request.ik_link_names or request.pose_stamped_vector:
        if len(request.ik_link_names) != len(request.pose_stamped_vector):
            counts = f"{len(request.ik_link_names)} and {len(request.pose_stamped_vector)}"
            raise MoveItRefusal(
                Code.INVALID_GOAL_CONSTRAINTS,
                f"`ik_link_names` and `pose_stamped_vector` need to be as many, found {counts}",
            )
        names = [constraints.link_of(name, model) for name in request.ik_link_names]
        return list(zip(names, request.pose_stamped_vector, strict=True))
    tip = request.ik_link_name or group.tip
    if tip is None:
        raise MoveItRefusal(
            Code.INVALID_LINK_NAME, f"group {group.name!r} branches: name a link, or some, of its ends"
        )
    return [(constraints.link_of(tip, model), request.pose_stamped)]


def _links_moved_by(group: JointGroup, model: Model) -> set[str]:
    """The links that some joint of a group moves."""
    links = [joint.child for joint in model.joints]
    return {link for link in links if any(joint.name in group.joints for joint in model.path(link))}


def _code_of(error: LimbikError, otherwise: Code) -> Code:
    return error.code if isinstance(error, MoveItRefusal) else otherwise


def _reason(solution: Solution, model: Model, world: World | None) -> str:
    """Why there is no answer. What could be done about a collision takes longer to find than a planner waits:
    what collides is said alone.
    """
    if solution.status not in IN_COLLISION:
        return str(solution.explain())
    nearest = model.check(solution.q, world).nearest
    return " ".join([f"{solution.status.meaning}.", *([str(nearest)] if nearest else [])])


def _read(kind: type[_Request], message: Mapping[str, Any]) -> _Request:
    """The message. Raises Refused, which names the field, for numbers and names that are none."""
    try:
        return kind.model_validate(message)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        is_state = "robot_state" in first["loc"]
        code = Code.INVALID_ROBOT_STATE if is_state else Code.INVALID_GOAL_CONSTRAINTS
        raise MoveItRefusal(code, f"{where}: {first['msg']}" if where else first["msg"]) from None


def _robot_state(joints: Mapping[str, float]) -> Answer:
    return {
        "joint_state": {
            "header": {"frame_id": ""},
            "name": list(joints),
            "position": list(joints.values()),
            "velocity": [],
            "effort": [],
        },
        "multi_dof_joint_state": {
            "header": {"frame_id": ""},
            "joint_names": [],
            "transforms": [],
            "twist": [],
            "wrench": [],
        },
        "attached_collision_objects": [],
        "is_diff": False,
    }


def _pose(pose: Matrix4) -> Answer:
    return {
        "position": _vector(pose[:3, 3]),
        "orientation": dict(zip("xyzw", quat_from_matrix(pose[:3, :3]).tolist(), strict=True)),
    }


def _vector(value: Array) -> Answer:
    return dict(zip("xyz", np.asarray(value).tolist(), strict=True))


def _contact(each: Contact, state: State, world: World) -> Answer:
    """moveit_msgs/ContactInformation, in the planning frame: normals point from the first body."""
    return {
        "header": {"frame_id": ""},
        "position": _vector(state.base[:3, :3] @ each.points.mean(axis=0) + state.base[:3, 3]),
        "normal": _vector(-state.base[:3, :3] @ each.normal),
        "depth": max(-each.distance, 0.0),
        "contact_body_1": each.pair[0],
        "body_type_1": _kind(each.pair[0], state, world),
        "contact_body_2": each.pair[1],
        "body_type_2": _kind(each.pair[1], state, world),
    }


def _kind(name: str, state: State, world: World) -> int:
    """ROBOT_LINK, WORLD_OBJECT or ROBOT_ATTACHED."""
    if name in world:
        return 1
    return 2 if name.partition("/")[0] in state.held else 0
