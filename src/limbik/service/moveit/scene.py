"""A robot and what stands about it, as MoveIt's messages tell it.

A scene is never changed: a message makes another one, so that one which is refused changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from limbik import Model
from limbik.collision import World
from limbik.collision.planning_scenes import APPEND, MOVE, REMOVE, ros_pose_of, shapes_in_message
from limbik.errors import LimbikError, did_you_mean, listed, repeated, shortened
from limbik.formats.source import Source
from limbik.formats.srdf import Srdf, VirtualJoint
from limbik.locks import cached_property
from limbik.model.shapes import Shape
from limbik.service.moveit.messages import (
    AllowedCollisionMatrix,
    AttachedCollisionObject,
    Code,
    CollisionObject,
    PlanningScene,
    PoseMessage,
    RobotState,
    TransformStamped,
)
from limbik.service.worlds import MAX_OBJECTS
from limbik.spatial import Array, Matrix4, pose_inverse

_T = TypeVar("_T")

STILL = 1e-9  # [m, and of a rotation matrix] of a pose that moves nothing
MAX_MODELS = 16  # cached, that carry something
_CACHED = "joint_indices", "_worlds", "_models"  # independent of where the robot is


class MoveItRefusal(LimbikError):
    """What a request asks for has no meaning; MoveIt has a number for why."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code


class SceneObject(NamedTuple):
    """Shapes, where they are on the object, and where that is: in the planning frame, or on its link."""

    shapes: tuple[tuple[Shape, Matrix4], ...]
    pose: Matrix4
    touch: tuple[str, ...] = ()  # what it may touch wherever it is
    subframes: Mapping[str, Matrix4] = {}  # their poses on it


class CarriedObject(NamedTuple):
    """An object on a link, and what it may touch there."""

    link: str
    object: SceneObject
    touch: tuple[str, ...]

    @property
    def may_touch(self) -> tuple[str, ...]:
        """Names of what it may touch."""
        return *self.touch, *self.object.touch


class AllowedPairs(NamedTuple):
    """Which bodies may touch each other."""

    pairs: Mapping[frozenset[str], bool] = {}
    defaults: Mapping[str, bool] = {}  # of a body, with those that it has no pair with

    def of(self, name: str, others: Iterable[str]) -> set[str]:
        """Those of the others that a body may touch; two defaults need to agree."""
        if not any(self):  # the common case, quickly
            return set()
        return {other for other in others if other != name and self._is_allowed(name, other)}

    def _is_allowed(self, first: str, second: str) -> bool:
        defaults = [self.defaults[name] for name in (first, second) if name in self.defaults]
        return self.pairs.get(frozenset((first, second)), bool(defaults) and all(defaults))


Held = Mapping[str, CarriedObject]  # what a robot carries, by name


class State(NamedTuple):
    """A robot with what it carries."""

    model: Model
    q: Array  # [nq]
    base: Matrix4  # pose of its root in the planning frame
    held: Held


@dataclass(frozen=True)
class MoveItScene:
    """The robot, its state, objects, and pairs that may touch."""

    model: Model
    q: Array  # [nq]
    virtual_joint: VirtualJoint | None = None  # that moves the robot in the planning frame, its parent
    base: Matrix4 = field(default_factory=lambda: np.eye(4))
    objects: Mapping[str, SceneObject] = field(default_factory=dict)
    held: Held = field(default_factory=dict)
    allowed: AllowedPairs = field(default_factory=AllowedPairs)
    frames: Mapping[str, Matrix4] = field(default_factory=dict)  # fixed in the planning frame

    def state(self, robot_state: RobotState) -> State:
        """The robot as a request has it; joints that it does not name stay as they are.

        Raises Refused for joints and links that there are not.
        """
        q, joints = self.q.copy(), robot_state.joint_state
        for name, value in paired(joints.name, joints.position, "`joint_state`", "positions"):
            if name in self.joint_indices:
                q[self.joint_indices[name]] = value
            elif name not in self.model.joint_names or self.model.joint(name).nq:
                hint = did_you_mean(name, self.joint_indices)
                raise MoveItRefusal(Code.INVALID_ROBOT_STATE, f"there is no joint {name!r}; {hint}")
        base, held = self._base_of(robot_state), dict(self.held)
        for attached in robot_state.attached_collision_objects:
            if attached.object.operation == REMOVE:
                held.pop(attached.object.id, None)
            else:
                held[attached.object.id] = self._attached(attached, State(self.model, q, base, held))
        return State(self._carrying(held), q, base, held)

    def at(self, frame: str, state: State) -> Matrix4:
        """The pose of a frame as the robot's root sees it: of the model, an object or a subframe on one, the
        planning frame, or fixed there.

        Raises Refused for a frame that there is not.
        """
        name = frame.removeprefix("/")
        if name in state.model.frame_names:
            return state.model.pose(state.q, name)
        if name in ("", self._planning_frame):
            return pose_inverse(state.base)
        for own, held in state.held.items():
            if (on_it := _pose_on(held.object, own, name)) is not None:
                return np.asarray(state.model.pose(state.q, held.link) @ held.object.pose @ on_it)
        for own, each in self.objects.items():
            if (on_it := _pose_on(each, own, name)) is not None:
                return np.asarray(pose_inverse(state.base) @ each.pose @ on_it)
        if name in self.frames:
            return np.asarray(pose_inverse(state.base) @ self.frames[name])
        objects = {**self.objects, **{own: held.object for own, held in state.held.items()}}
        subframes = [f"{own}/{part}" for own, each in objects.items() for part in each.subframes]
        fixed = (self._planning_frame, *objects, *subframes, *self.frames)
        known = filter(None, (*state.model.frame_names, *fixed))
        raise MoveItRefusal(
            Code.FRAME_TRANSFORM_FAILURE, f"there is no frame {name!r}; {did_you_mean(name, known)}"
        )

    def world(self, state: State) -> World:
        """The objects that are not held, as the robot's root sees them; one world while they stand so."""
        held = ((name, len(each.object.shapes), *each.may_touch) for name, each in state.held.items())
        key = state.base.tobytes(), *held
        world = self._worlds.get(key)
        if world is None:
            world = World()
            back = pose_inverse(state.base)
            may_touch = self._may_touch([name for name in self.objects if name not in state.held], state.held)
            for name, touch in may_touch.items():
                each = self.objects[name]
                for part, (shape, pose) in numbered(name, each.shapes):
                    world.add(part, shape, back @ each.pose @ pose, touch=sorted(touch))
            self._worlds.clear()
            self._worlds[key] = world
        return world

    def changed(self, message: PlanningScene) -> MoveItScene:
        """The scene after a message. Raises Refused, or a CollisionError for a shape without a meaning."""
        _refuse_unread(message)
        empty = replace(self, objects={}, held={}, allowed=AllowedPairs(), frames={})
        scene = self if message.is_diff else empty
        fixed = dict(map(scene._fixed, message.fixed_frame_transforms))
        scene = replace(scene, frames={**scene.frames, **fixed})
        where = message.robot_state.model_copy(update={"attached_collision_objects": []})
        scene = replace(scene, q=scene.state(where).q, base=scene._base_of(where))
        matrix = message.allowed_collision_matrix
        if matrix.entry_names or matrix.default_entry_names:
            scene = replace(scene, allowed=_allowed_pairs(matrix))
        attached = message.robot_state.attached_collision_objects
        for each in [each for each in attached if each.object.operation == REMOVE]:
            scene = scene._with_detached(each.object.id)
        for new in message.world.collision_objects:  # an object may be put down and changed at once
            scene = scene._with_object(new)
        for each in [each for each in attached if each.object.operation != REMOVE]:
            scene = scene._with_attached(each)
        scene.world(scene.state(RobotState()))  # whatever cannot be is refused now
        return scene

    def _fixed(self, message: TransformStamped) -> tuple[str, Matrix4]:
        """The name of a fixed frame, and its pose in the planning frame."""
        name, leads_to = message.header.frame_id.removeprefix("/"), message.child_frame_id.removeprefix("/")
        planning = self._planning_frame or self.model.root
        if not name or leads_to != planning:
            needed = f"its frame in `header`, and the planning frame {planning!r} as `child_frame_id`"
            problem = f"a fixed transform needs {needed}, not {name!r} and {leads_to!r}"
            raise MoveItRefusal(Code.FRAME_TRANSFORM_FAILURE, problem)
        return name, pose_of_message(message.transform)

    def moved(self, robot_state: RobotState) -> MoveItScene:
        """The scene with the robot elsewhere."""
        moved = replace(self, q=self.state(robot_state).q)
        vars(moved).update({key: vars(self)[key] for key in _CACHED if key in vars(self)})
        return moved

    @cached_property
    def joint_indices(self) -> dict[str, int]:
        """Indices in q of the joints with one value, by name."""
        return {
            joint.name: self.model.q_slice(joint.name).start for joint in self.model.joints if joint.nq == 1
        }

    @cached_property
    def _worlds(self) -> dict[tuple[Any, ...], World]:
        return {}

    @cached_property
    def _models(self) -> dict[tuple[Any, ...], tuple[Model, Held]]:
        return {}

    @property
    def _planning_frame(self) -> str:
        return "" if self.virtual_joint is None else self.virtual_joint.parent_frame

    def _base_of(self, robot_state: RobotState) -> Matrix4:
        virtual = robot_state.multi_dof_joint_state
        base, entry = self.base, "`multi_dof_joint_state`"
        for name, transform in paired(virtual.joint_names, virtual.transforms, entry, "transforms"):
            pose = pose_of_message(transform)
            if self.virtual_joint is not None and name == self.virtual_joint.name:
                base = pose
            elif not np.allclose(pose, np.eye(4), rtol=0.0, atol=STILL):
                hint = "it has none" if self.virtual_joint is None else f"it is {self.virtual_joint.name!r}"
                raise MoveItRefusal(
                    Code.INVALID_ROBOT_STATE, f"the robot has no virtual joint {shortened(name)}; {hint}"
                )
        return base

    def _may_touch(self, names: Iterable[str], held: Held) -> dict[str, set[str]]:
        """Names of the bodies that each of some objects may touch, those that may touch it among them."""
        objects = {**self.objects, **{name: each.object for name, each in held.items()}}
        bodies = {link: [link] for link in self._links}
        bodies |= {name: [part for part, _ in numbered(name, each.shapes)] for name, each in objects.items()}
        own = {name: held[name].may_touch if name in held else each.touch for name, each in objects.items()}
        touched_by: dict[str, set[str]] = {}
        for name, others in own.items():
            for other in others:
                touched_by.setdefault(other, set()).add(name)
        every = {
            name: {*own[name], *touched_by.get(name, ()), *self.allowed.of(name, bodies)} for name in names
        }
        return {
            name: {body for other in others for body in bodies.get(other, [other])}
            for name, others in every.items()
        }

    @property
    def _now(self) -> State:
        """The robot as it is, for where its frames are."""
        return State(self.model, self.q, self.base, self.held)

    @property
    def _links(self) -> set[str]:
        """Names of frames that bodies may hang on."""
        return {self.model.root, *(joint.child for joint in self.model.joints)}

    def _carrying(self, held: Held) -> Model:
        """The model with what it carries, and with the pairs that may touch."""
        if not held and not any(self.allowed):
            return self.model
        key = tuple((name, id(each)) for name, each in held.items())
        if key in self._models:
            return self._models[key][0]
        links = self._links
        touching = {frozenset((link, other)) for link in links for other in self.allowed.of(link, links)}
        model = self.model.with_pairs(disable=[tuple(pair) for pair in touching])
        there = {*links}
        for name, may_touch in self._may_touch(held, held).items():
            each, touch = held[name], sorted(may_touch & there)
            for part, (shape, pose) in numbered(name, each.object.shapes):
                at = each.object.pose @ pose
                model = model.attach(part, shape, frame=each.link, pose=at, touch=touch)
                there.add(part)
        if len(self._models) >= MAX_MODELS:
            self._models.clear()
        self._models[key] = model, held  # which keeps the identities in the key
        return model

    def _with_object(self, message: CollisionObject) -> MoveItScene:
        if message.operation == REMOVE and not message.id:
            return replace(self, objects={})
        if message.id in self.held and message.operation != REMOVE:
            problem = f"{message.id!r} is attached to {self.held[message.id].link!r}: detach it first"
            raise MoveItRefusal(Code.INVALID_OBJECT_NAME, problem)
        objects, known = dict(self.objects), self.objects.get(message.id)
        if known is None and message.operation in (REMOVE, MOVE):
            hint = did_you_mean(message.id, self.objects)
            raise MoveItRefusal(Code.INVALID_OBJECT_NAME, f"there is no object {message.id!r}; {hint}")
        if message.operation == REMOVE:
            del objects[message.id]
            return replace(self, objects=objects)
        frame = np.asarray(self.base @ self.at(message.header.frame_id, self._now))
        if known is not None and message.operation == MOVE:
            objects[message.id] = known._replace(pose=frame @ pose_of_message(message.pose))
        elif known is not None and message.operation == APPEND:
            pose = frame @ pose_of_message(message.pose)
            objects[message.id] = _with_shapes(known, shapes_of(message), pose, subframes_of(message))
        elif shapes := shapes_of(message):
            pose = frame @ pose_of_message(message.pose)
            objects[message.id] = SceneObject(shapes, pose, subframes=subframes_of(message))
        else:
            problem = f"{message.id!r} has no shapes: give `primitives` or `meshes`"
            raise MoveItRefusal(Code.INVALID_OBJECT_NAME, problem)
        if len(objects) > MAX_OBJECTS:
            raise MoveItRefusal(Code.INVALID_OBJECT_NAME, f"a scene needs at most {MAX_OBJECTS:,} objects")
        return replace(self, objects=objects)

    def _with_attached(self, message: AttachedCollisionObject) -> MoveItScene:
        name = message.object.id
        held = self._attached(message, self._now)
        others = {key: each for key, each in self.objects.items() if key != name}
        return replace(self, held={**self.held, name: held}, objects=others)

    def _with_detached(self, name: str) -> MoveItScene:
        """With an object that is held where it is now; "": with all of them."""
        if name and name not in self.held:
            hint = did_you_mean(name, self.held)
            raise MoveItRefusal(Code.INVALID_OBJECT_NAME, f"nothing of the name {name!r} is attached; {hint}")
        remaining, objects = dict(self.held), dict(self.objects)
        for put_down in [name] if name else list(remaining):
            link, each, _ = remaining.pop(put_down)
            objects[put_down] = each._replace(pose=self.base @ self.model.pose(self.q, link) @ each.pose)
        return replace(self, held=remaining, objects=objects)

    def _attached(self, message: AttachedCollisionObject, state: State) -> CarriedObject:
        """What a robot in a state carries after a message: new shapes, more of them, or an object of the
        scene."""
        name, link = message.object.id, message.link_name
        if link not in self.model.frame_names:
            hint = did_you_mean(link, self.model.frame_names)
            raise MoveItRefusal(
                Code.INVALID_LINK_NAME, f"there is no link {link!r} to carry {name!r}; {hint}"
            )
        if message.object.operation == MOVE:
            problem = f"{name!r} moves with its link: detach it to move it, or attach it again"
            raise MoveItRefusal(Code.INVALID_OBJECT_NAME, problem)
        shapes, known = shapes_of(message.object), None
        if name in state.held and (message.object.operation == APPEND or not shapes):
            known = state.held[name].object._replace(pose=self.at(name, state))
        elif name in self.objects and not shapes:
            known = self.objects[name]._replace(pose=self.at(name, state))
        if known is None and not shapes:
            problem = f"{name!r} has no shapes, and is no object of the scene"
            raise MoveItRefusal(Code.INVALID_OBJECT_NAME, f"{problem}; {did_you_mean(name, self.objects)}")
        pose = self.at(message.object.header.frame_id, state) @ pose_of_message(message.object.pose)
        subframes = subframes_of(message.object)
        new = SceneObject(shapes, pose, subframes=subframes)
        if known is not None:
            new = _with_shapes(known, shapes, pose, subframes)
        back = pose_inverse(self.model.pose(state.q, link))
        return CarriedObject(link, new._replace(pose=back @ new.pose), (link, *message.touch_links))


def _with_shapes(
    known: SceneObject,
    shapes: Iterable[tuple[Shape, Matrix4]],
    pose: Matrix4,
    subframes: Mapping[str, Matrix4],
) -> SceneObject:
    """An object with more shapes and subframes, which are seen from a pose."""
    back = pose_inverse(known.pose) @ pose
    return known._replace(
        shapes=(*known.shapes, *((shape, back @ at) for shape, at in shapes)),
        subframes={**known.subframes, **{name: back @ at for name, at in subframes.items()}},
    )


def _pose_on(each: SceneObject, own: str, name: str) -> Matrix4 | None:
    """The pose on an object, which has a name of its own, of the frame of a name: itself or a subframe."""
    if name == own:
        return np.eye(4)
    return each.subframes.get(name.removeprefix(f"{own}/")) if name.startswith(f"{own}/") else None


def paired(
    names: Sequence[str],
    values: Sequence[_T],
    entry: str,
    what: str,
    code: Code = Code.INVALID_ROBOT_STATE,
) -> Iterator[tuple[str, _T]]:
    """Names and their values in an entry of a message; raises Refused for others than as many, and for a name
    that comes twice.
    """
    if len(names) != len(values):
        raise MoveItRefusal(code, f"{entry} has {len(names)} names and {len(values)} {what}")
    if (twice := repeated(names)) is not None:
        raise MoveItRefusal(code, f"{entry} has {shortened(twice)} twice")
    return zip(names, values, strict=True)


def scene_of(model: Model, srdf: Srdf | None, world: World | None = None) -> MoveItScene:
    """The scene of a robot at rest, with the objects of a world."""
    objects = {
        each.name: SceneObject(((each.shape, np.eye(4)),), each.pose, each.touch) for each in world or World()
    }
    return MoveItScene(
        model=model,
        q=model.neutral,
        virtual_joint=next(iter(srdf.virtual_joints.values()), None) if srdf else None,
        objects=objects,
    )


def shapes_of(message: CollisionObject) -> tuple[tuple[Shape, Matrix4], ...]:
    """The shapes of an object, and where they are on it. Raises CollisionError, and Refused for planes."""
    if message.planes:
        problem = f"object {message.id!r} has planes, which are not known here: send large boxes"
        raise MoveItRefusal(Code.INVALID_OBJECT_NAME, problem)
    source = Source("planning scene", "")
    return tuple(shapes_in_message(message.model_dump(exclude={"pose"}), source, message.id))


def subframes_of(message: CollisionObject) -> dict[str, Matrix4]:
    """The poses of an object's subframes on it, by name. Raises Refused for others than as many poses."""
    entry, code = f"object {message.id!r}", Code.INVALID_OBJECT_NAME
    pairs = paired(message.subframe_names, message.subframe_poses, entry, "`subframe_poses`", code)
    return {name: pose_of_message(pose) for name, pose in pairs}


def pose_of_message(message: PoseMessage) -> Matrix4:
    """[4, 4]. Raises Refused for a quaternion that is no rotation."""
    position, turn = message.position, message.orientation
    try:
        return ros_pose_of(
            (position.x, position.y, position.z), (turn.x, turn.y, turn.z, turn.w), "a message"
        )
    except LimbikError as error:
        raise MoveItRefusal(Code.INVALID_GOAL_CONSTRAINTS, str(error)) from None


def numbered(name: str, shapes: tuple[tuple[Shape, Matrix4], ...]) -> list[tuple[str, tuple[Shape, Matrix4]]]:
    """The shapes of an object by names of their own: "name/1", "name/2" where they are several."""
    if len(shapes) == 1:
        return [(name, shapes[0])]
    return [(f"{name}/{number}", each) for number, each in enumerate(shapes, 1)]


def _allowed_pairs(message: AllowedCollisionMatrix) -> AllowedPairs:
    names, entry = message.entry_names, "`allowed_collision_matrix`"
    code = Code.INVALID_OBJECT_NAME
    pairs = {
        frozenset((name, other)): is_allowed
        for name, row in paired(names, message.entry_values, entry, "rows", code)
        for other, is_allowed in paired(names, row.enabled, f"{entry}, row {name!r},", "values", code)
        if name != other
    }
    defaults = paired(
        message.default_entry_names, message.default_entry_values, entry, "values of defaults", code
    )
    return AllowedPairs(pairs, dict(defaults))


def _refuse_unread(message: PlanningScene) -> None:
    """Raise Refused for an obstacle or a margin that would be missing from the scene."""
    padded = [each.link_name for each in message.link_padding if each.padding]
    scaled = [each.link_name for each in message.link_scale if each.scale != 1.0]
    for is_there, what, remedy in (
        (message.world.octomap.octomap.data, "an octomap", "send boxes or meshes"),
        (padded, f"padding of {listed(padded)}", "send 0, and larger objects"),
        (scaled, f"a scale of {listed(scaled)}", "send 1, and larger objects"),
    ):
        if is_there:
            raise MoveItRefusal(Code.INVALID_OBJECT_NAME, f"{what} is not known here: {remedy}")
