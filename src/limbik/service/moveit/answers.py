"""MoveIt's requests answered: compute_ik, compute_fk, check_state_validity and apply_planning_scene.

Messages are mappings with the fields of moveit_msgs, as JSON has them. How they come is for others
(`service.rosbridge`).
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np
from pydantic import ValidationError

from limbik import Model, Pose, Solution, Status
from limbik.checks import Contact
from limbik.collision import World
from limbik.errors import LimbikError, ModelError
from limbik.formats.srdf import Srdf
from limbik.locks import fork_safe
from limbik.service.groups import Group, group_of, locked_for
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
from limbik.service.moveit.scene import Refused, State, pose_of_message, scene_of
from limbik.spatial import Array, Matrix4, pose_inverse, quat_from_matrix

TIMEOUT = 1.0  # [s] where a request says none
LONGEST = 60.0  # [s]

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

    What cannot be answered is answered with one of MoveIt's codes, never with an exception.
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
        """moveit_msgs/GetPositionIK: positions of joints that bring links to poses, verified, or why not."""
        nothing = {"solution": _robot_state((), ())}
        try:
            asked = _read(GetPositionIK, message).ik_request
            return self._solved(asked)
        except Refused as refused:
            return {**nothing, "error_code": self._code(refused.code, str(refused))}
        except LimbikError as error:
            return {**nothing, "error_code": self._code(Code.INVALID_GOAL_CONSTRAINTS, str(error))}

    def compute_fk(self, message: Mapping[str, Any]) -> Answer:
        """moveit_msgs/GetPositionFK: poses of links in a frame."""
        nothing: Answer = {"pose_stamped": [], "fk_link_names": []}
        try:
            asked, scene = _read(GetPositionFK, message), self._scene
            state = scene.state(asked.robot_state)
            back = pose_inverse(scene.at(asked.header.frame_id, state))
            poses = []
            for name in asked.fk_link_names:
                pose = back @ state.model.pose(state.q, constraints.link_of(name, state.model))
                poses.append({"header": {"frame_id": asked.header.frame_id}, "pose": _pose(pose)})
        except Refused as refused:
            return {**nothing, "error_code": self._code(refused.code, str(refused))}
        except LimbikError as error:
            return {**nothing, "error_code": self._code(Code.INVALID_ROBOT_STATE, str(error))}
        return {
            "pose_stamped": poses,
            "fk_link_names": asked.fk_link_names,
            "error_code": self._code(Code.SUCCESS),
        }

    def check_state_validity(self, message: Mapping[str, Any]) -> Answer:
        """moveit_msgs/GetStateValidity: whether a state is free of collision and keeps constraints.

        Raises Refused for what has no meaning: this answer has no code.
        """
        asked, scene = _read(GetStateValidity, message), self._scene
        state = scene.state(asked.robot_state)
        links = (
            None if not asked.group_name else self._links_moved_by(self._group(asked.group_name, state.model))
        )
        kept = constraints.read(asked.constraints, scene, state)
        world = scene.world(state)
        found = state.model.check(state.q, world).contacts(0.0)
        touching = [each for each in found if links is None or not links.isdisjoint(each.pair)]
        results = [each.excess(state.q) for each in kept]
        return {
            "valid": not touching and all(excess <= constraints.MET for excess in results),
            "contacts": [_contact(each, state, world) for each in touching],
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
        left out: the topic may have those of other robots, too.
        """
        given, known = _read(JointState, message), self._scene.model.joint_names
        names, positions = [], []
        for name, position in zip(given.name, given.position, strict=False):
            if name in known:
                names.append(name)
                positions.append(position)
        state = RobotState(joint_state=JointState(name=names, position=positions))
        with self._lock:
            self._scene = self._scene.moved(state)

    def _solved(self, asked: PositionIKRequest) -> Answer:
        scene = self._scene
        state = scene.state(asked.robot_state)
        group = self._group(asked.group_name, state.model)
        goals: Any = [
            Pose(
                target=scene.at(pose.header.frame_id, state) @ pose_of_message(pose.pose),
                frame=frame,
            )
            for frame, pose in _poses(asked, group, state.model)
        ]
        frames = [goal.frame for goal in goals if isinstance(goal, Pose)]
        kept = constraints.read(asked.constraints, scene, state)
        timeout = min(asked.timeout.seconds or TIMEOUT, LONGEST)
        world = scene.world(state) if asked.avoid_collisions else None
        solution = state.model.solve(
            [*goals, *(each.goal for each in kept)],
            start=state.q,
            locked=locked_for(state.model, group, [frame for frame in frames if frame]),
            world=world,
            time_limit=timeout,
        )
        if not solution.success:
            code = CODES.get(solution.status, Code.NO_IK_SOLUTION)
            return {
                "solution": _robot_state((), ()),
                "error_code": self._code(code, _why(solution, state.model, world)),
            }
        broken = [each for each in kept if each.excess(solution.q) > constraints.MET]
        if broken:
            words = f"a solution was found, but it breaks {len(broken)} of the constraints"
            return {
                "solution": _robot_state((), ()),
                "error_code": self._code(Code.GOAL_CONSTRAINTS_VIOLATED, words),
            }
        return {
            "solution": _robot_state(*_joints(state.model, solution.q)),
            "error_code": self._code(Code.SUCCESS),
        }

    def _group(self, name: str, model: Model) -> Group:
        try:
            return group_of(model, self._srdf, name)
        except ModelError as error:
            raise Refused(Code.INVALID_GROUP_NAME, str(error)) from None

    def _links_moved_by(self, group: Group) -> set[str]:
        model = self._scene.model
        moved = set()
        for joint in model.joints:
            if any(each.name in group.joints for each in model.path(joint.child)):
                moved.add(joint.child)
        return moved

    def _code(self, code: Code, message: str = "") -> Answer:
        words = {"message": message, "source": "limbik"} if self._has_words else {}
        return {"val": int(code), **words}


class _Asked(NamedTuple):
    """A frame, and where it is to be."""

    frame: str
    pose: PoseStamped


def _poses(asked: PositionIKRequest, group: Group, model: Model) -> list[_Asked]:
    """The poses of a request, by frame: one, or several side by side."""
    if asked.ik_link_names or asked.pose_stamped_vector:
        if len(asked.ik_link_names) != len(asked.pose_stamped_vector):
            counts = f"{len(asked.ik_link_names)} and {len(asked.pose_stamped_vector)}"
            raise Refused(
                Code.INVALID_GOAL_CONSTRAINTS,
                f"`ik_link_names` and `pose_stamped_vector` need to be as many, found {counts}",
            )
        names = [constraints.link_of(name, model) for name in asked.ik_link_names]
        return [_Asked(*each) for each in zip(names, asked.pose_stamped_vector, strict=True)]
    if asked.ik_link_name:
        return [_Asked(constraints.link_of(asked.ik_link_name, model), asked.pose_stamped)]
    if group.tip is None:
        raise Refused(
            Code.INVALID_LINK_NAME, f"group {group.name!r} branches: name a link, or some, of its ends"
        )
    return [_Asked(constraints.link_of(group.tip, model), asked.pose_stamped)]


def _why(solution: Solution, model: Model, world: World | None) -> str:
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
        raise Refused(code, f"{where}: {first['msg']}") from None


def _joints(model: Model, q: Array) -> tuple[list[str], list[float]]:
    joints = [joint for joint in model.joints if joint.nq == 1]
    return [joint.name for joint in joints], [float(q[model.q_slice(joint.name).start]) for joint in joints]


def _robot_state(names: Any, positions: Any) -> Answer:
    return {
        "joint_state": {
            "header": {"frame_id": ""},
            "name": list(names),
            "position": list(positions),
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
