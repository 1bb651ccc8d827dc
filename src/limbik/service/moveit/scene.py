"""A robot and what stands about it, as MoveIt's messages tell it.

A scene is never changed: a message makes another one, so that one which is refused changes nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from limbik import Model
from limbik.collision import World
from limbik.collision.planning_scenes import pose_of, shapes_in_message
from limbik.errors import LimbikError, did_you_mean
from limbik.formats.source import Source
from limbik.formats.srdf import Srdf
from limbik.model.shapes import Shape
from limbik.service.moveit.messages import (
    AllowedCollisionMatrix,
    AttachedCollisionObject,
    Code,
    CollisionObject,
    PlanningScene,
    PoseMessage,
    RobotState,
    Transform,
)
from limbik.spatial import Array, Matrix4, pose_inverse

ADD, REMOVE, APPEND, MOVE = range(4)  # operations of a CollisionObject
MOST_OBJECTS = 10_000
MOST_CARRYING = 16  # models that carry something, which are kept
_KEPT = "_places", "_worlds", "_models"  # that do not depend on where the robot is


class Refused(LimbikError):
    """What a request asks for has no meaning; MoveIt has a number for why."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code


class SceneObject(NamedTuple):
    """Shapes, where they are on the object, and where that is: in the planning frame, or on its link."""

    shapes: tuple[tuple[Shape, Matrix4], ...]
    pose: Matrix4
    touch: tuple[str, ...] = ()


class State(NamedTuple):
    """A robot with what it carries."""

    model: Model
    q: Array  # [nq]
    base: Matrix4  # pose of its root in the planning frame
    held: Mapping[str, tuple[str, SceneObject]]  # what it carries by name: the link, and what


@dataclass(frozen=True)
class Scene:
    """The robot, its state, objects, and pairs that may touch."""

    model: Model
    q: Array  # [nq]
    planning_frames: frozenset[str] = frozenset()  # names of the frame that objects are given in
    virtual_joint: str | None = None  # that moves the robot in it
    base: Matrix4 = field(default_factory=lambda: np.eye(4))
    objects: Mapping[str, SceneObject] = field(default_factory=dict)
    held: Mapping[str, tuple[str, SceneObject]] = field(default_factory=dict)
    allowed: frozenset[frozenset[str]] = frozenset()

    def state(self, given: RobotState) -> State:
        """The robot as a request has it; joints that it does not name stay as they are.

        Raises Refused for joints and links that there are not.
        """
        q, names, values = self.q.copy(), given.joint_state.name, given.joint_state.position
        if len(names) != len(values):
            counts = f"{len(names)} names and {len(values)} positions"
            raise Refused(Code.INVALID_ROBOT_STATE, f"`joint_state` has {counts}")
        for name, value in zip(names, values, strict=True):
            place = self._places.get(name)
            if place is None:
                hint = did_you_mean(name, self._places)
                raise Refused(Code.INVALID_ROBOT_STATE, f"there is no joint {name!r}; {hint}")
            if place >= 0:
                q[place] = value
        held = self.held
        if given.attached_collision_objects:
            gone = {each.object.id for each in given.attached_collision_objects if _is_put_down(each)}
            carried = [each for each in given.attached_collision_objects if not _is_put_down(each)]
            held = {**held, **self._attached(carried, q, self.base)}
            held = {name: each for name, each in held.items() if name not in gone}
        return State(self._carrying(held), q, self._base_of(given), held)

    def at(self, frame: str, state: State) -> Matrix4:
        """The pose of a frame as the robot's root sees it: of the model, of an object, or of planning.

        Raises Refused for a frame that there is not.
        """
        name = frame.removeprefix("/")
        if name in state.model.frame_names:
            return state.model.pose(state.q, name)
        if not name or name in self.planning_frames:
            return pose_inverse(state.base)
        if name in state.held:
            link, held = state.held[name]
            return np.asarray(state.model.pose(state.q, link) @ held.pose)
        if name in self.objects:
            return np.asarray(pose_inverse(state.base) @ self.objects[name].pose)
        known = (*state.model.frame_names, *sorted(self.planning_frames), *self.objects)
        raise Refused(
            Code.FRAME_TRANSFORM_FAILURE, f"there is no frame {name!r}; {did_you_mean(name, known)}"
        )

    def world(self, state: State) -> World:
        """The objects as the robot's root sees them; the same world as long as they stand so."""
        key = state.base.tobytes()
        world = self._worlds.get(key)
        if world is None:
            self._worlds.clear()
            world = self._worlds[key] = World()
            back = pose_inverse(state.base)
            for name, each in self.objects.items():
                touch = (
                    *each.touch,
                    *(other for pair in self.allowed if name in pair for other in pair - {name}),
                )
                for part, (shape, pose) in numbered(name, each.shapes):
                    world.add(part, shape, back @ each.pose @ pose, touch=touch)
        return world

    def changed(self, message: PlanningScene) -> Scene:
        """The scene after a message. Raises Refused, or a CollisionError for a shape without a meaning."""
        scene = self if message.is_diff else replace(self, objects={}, held={}, allowed=frozenset())
        where = message.robot_state.model_copy(update={"attached_collision_objects": []})
        scene = replace(scene, q=scene.state(where).q, base=scene._base_of(where))
        if message.allowed_collision_matrix.entry_names:
            scene = replace(scene, allowed=_pairs(message.allowed_collision_matrix))
        for each in message.world.collision_objects:
            scene = scene._with_object(each)
        for attached in message.robot_state.attached_collision_objects:
            scene = scene._with_attached(attached)
        scene.world(scene.state(RobotState()))  # whatever cannot be is refused now
        return scene

    def moved(self, given: RobotState) -> Scene:
        """The scene with the robot elsewhere."""
        moved = replace(self, q=self.state(given).q)
        vars(moved).update({key: vars(self)[key] for key in _KEPT if key in vars(self)})
        return moved

    @functools.cached_property
    def _places(self) -> dict[str, int]:
        """Where q has the value of a joint; -1 for joints that have none, fixed ones and followers."""
        places = {joint.name: -1 for joint in self.model.joints if joint.nq == 0}
        for joint in self.model.joints:
            if joint.nq == 1:
                places[joint.name] = self.model.q_slice(joint.name).start
        return places

    @functools.cached_property
    def _worlds(self) -> dict[bytes, World]:
        return {}

    @functools.cached_property
    def _models(self) -> dict[str, Model]:
        return {}

    def _base_of(self, given: RobotState) -> Matrix4:
        virtual = given.multi_dof_joint_state
        for name, transform in zip(virtual.joint_names, virtual.transforms, strict=False):
            if name == self.virtual_joint:
                return transform_of(transform)
        return self.base

    def _carrying(self, held: Mapping[str, tuple[str, SceneObject]]) -> Model:
        """The model with what it carries, and with the pairs that may touch."""
        if not held and not self.allowed:
            return self.model
        key = repr(
            [(name, link, id(each.shapes), each.pose.tobytes()) for name, (link, each) in held.items()]
        )
        model = self._models.get(key)
        if model is None:
            links = set(self.model.frame_names)
            pairs = [tuple(pair) for pair in self.allowed if pair <= links]
            model = self.model.with_pairs(disable=pairs)
            for name, (link, each) in held.items():
                touch = {
                    *each.touch,
                    *(other for pair in self.allowed if name in pair for other in pair & links),
                }
                for part, (shape, pose) in numbered(name, each.shapes):
                    model = model.attach(part, shape, frame=link, pose=each.pose @ pose, touch=sorted(touch))
            if len(self._models) >= MOST_CARRYING:
                self._models.clear()
            self._models[key] = model
        return model

    def _with_object(self, given: CollisionObject) -> Scene:
        if given.operation == REMOVE and not given.id:
            return replace(self, objects={})
        objects, known = dict(self.objects), self.objects.get(given.id)
        if known is None and given.operation in (REMOVE, MOVE):
            hint = did_you_mean(given.id, self.objects)
            raise Refused(Code.INVALID_OBJECT_NAME, f"there is no object {given.id!r}; {hint}")
        if given.operation == REMOVE:
            del objects[given.id]
            return replace(self, objects=objects)
        state = State(self.model, self.q, self.base, self.held)
        frame = np.asarray(self.base @ self.at(given.header.frame_id, state))
        if known is not None and given.operation == MOVE:
            objects[given.id] = known._replace(pose=frame @ pose_of_message(given.pose))
        elif known is not None and given.operation == APPEND:
            back = pose_inverse(known.pose) @ frame @ pose_of_message(given.pose)
            more = tuple((shape, back @ pose) for shape, pose in shapes_of(given))
            objects[given.id] = known._replace(shapes=(*known.shapes, *more))
        else:
            objects[given.id] = SceneObject(shapes_of(given), frame @ pose_of_message(given.pose))
        if len(objects) > MOST_OBJECTS:
            raise Refused(Code.INVALID_OBJECT_NAME, f"a scene needs at most {MOST_OBJECTS:,} objects")
        return replace(self, objects=objects)

    def _with_attached(self, given: AttachedCollisionObject) -> Scene:
        name = given.object.id
        if not _is_put_down(given):
            held = self._attached([given], self.q, self.base)
            others = {key: each for key, each in self.objects.items() if key != name}
            return replace(self, held={**self.held, **held}, objects=others)
        if name and name not in self.held:
            hint = did_you_mean(name, self.held)
            raise Refused(Code.INVALID_OBJECT_NAME, f"nothing of the name {name!r} is attached; {hint}")
        kept, objects = dict(self.held), dict(self.objects)
        for put_down in [name] if name else list(kept):
            link, each = kept.pop(put_down)
            objects[put_down] = each._replace(pose=self.base @ self.model.pose(self.q, link) @ each.pose)
        return replace(self, held=kept, objects=objects)

    def _attached(
        self, given: Iterable[AttachedCollisionObject], q: Array, base: Matrix4
    ) -> dict[str, tuple[str, SceneObject]]:
        """What a robot at q carries, by name: new shapes, or an object of the scene."""
        found = {}
        for each in given:
            name, link = each.object.id, each.link_name
            if link not in self.model.frame_names:
                hint = did_you_mean(link, self.model.frame_names)
                raise Refused(Code.INVALID_LINK_NAME, f"there is no link {link!r} to carry {name!r}; {hint}")
            state = State(self.model, q, base, self.held)
            to_link = pose_inverse(self.model.pose(q, link))
            shapes = shapes_of(each.object)
            if shapes:
                pose = (
                    to_link @ self.at(each.object.header.frame_id, state) @ pose_of_message(each.object.pose)
                )
            elif name in self.objects:
                shapes = self.objects[name].shapes
                pose = to_link @ pose_inverse(base) @ self.objects[name].pose
            else:
                hint = did_you_mean(name, self.objects)
                raise Refused(
                    Code.INVALID_OBJECT_NAME, f"{name!r} has no shapes, and is no object of the scene; {hint}"
                )
            found[name] = (link, SceneObject(shapes, np.asarray(pose), (link, *each.touch_links)))
        return found


def scene_of(model: Model, srdf: Srdf | None, world: World | None = None) -> Scene:
    """The scene of a robot at rest, with the objects of a world."""
    virtual = next(iter(srdf.virtual_joints.values()), None) if srdf else None
    objects = {
        each.name: SceneObject(((each.shape, np.eye(4)),), each.pose, each.touch) for each in world or World()
    }
    return Scene(
        model=model,
        q=model.neutral,
        planning_frames=frozenset([virtual.parent_frame] if virtual else []),
        virtual_joint=virtual.name if virtual else None,
        objects=objects,
    )


def shapes_of(given: CollisionObject) -> tuple[tuple[Shape, Matrix4], ...]:
    """The shapes of an object, and where they are on it. Raises CollisionError."""
    message = given.model_dump(exclude={"pose"})
    return tuple(shapes_in_message(message, Source("planning scene", ""), given.id))


def pose_of_message(given: PoseMessage) -> Matrix4:
    """[4, 4]. Raises Refused for a quaternion that is no rotation."""
    position, turn = given.position, given.orientation
    return _pose((position.x, position.y, position.z), (turn.x, turn.y, turn.z, turn.w))


def transform_of(given: Transform) -> Matrix4:
    """[4, 4]. Raises Refused for a quaternion that is no rotation."""
    position, turn = given.translation, given.rotation
    return _pose((position.x, position.y, position.z), (turn.x, turn.y, turn.z, turn.w))


def numbered(name: str, shapes: tuple[tuple[Shape, Matrix4], ...]) -> list[tuple[str, tuple[Shape, Matrix4]]]:
    """The shapes of an object by names of their own: "name/1", "name/2" where they are several."""
    if len(shapes) == 1:
        return [(name, shapes[0])]
    return [(f"{name}/{place}", each) for place, each in enumerate(shapes, 1)]


def _is_put_down(given: AttachedCollisionObject) -> bool:
    return given.object.operation == REMOVE


def _pose(position: tuple[float, ...], turn: tuple[float, ...]) -> Matrix4:
    try:
        return pose_of(position, turn, "a message")
    except LimbikError as error:
        raise Refused(Code.INVALID_GOAL_CONSTRAINTS, str(error)) from None


def _pairs(given: AllowedCollisionMatrix) -> frozenset[frozenset[str]]:
    """The pairs of a matrix that may touch."""
    names = given.entry_names
    return frozenset(
        frozenset((name, other))
        for name, row in zip(names, given.entry_values, strict=False)
        for other, enabled in zip(names, row.enabled, strict=False)
        if enabled and name != other
    )
