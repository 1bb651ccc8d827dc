"""`World`: the obstacles around a robot, shapes with names and poses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from limbik.checks import Check, Contact
from limbik.collision.arguments import as_distance
from limbik.collision.object_pairs import ObjectPairs
from limbik.errors import CollisionError, did_you_mean, is_one_of, members_of, shortened
from limbik.model.joints import check_name
from limbik.model.shapes import Shape, check_near
from limbik.spatial import Array, Matrix4, as_pose, as_vector, pose_from, shape_of

CAPACITY = 8  # poses that a new world has space for


class WorldObject(NamedTuple):
    """One object of a world, as it stands at the moment."""

    name: str
    shape: Shape
    pose: Matrix4  # pose_world_object [4, 4]
    touch: tuple[str, ...]  # links, attached objects and other objects that may touch it


class Revision(NamedTuple):
    """How often a world has changed; what is derived from a world is cached as long as this is the same."""

    structure: int  # of its objects and their names
    poses: int  # of anything


class World:
    """Objects by name, in the order in which they were added; all lengths in metres.

    A pose is 4x4 or a RigidTransform, or a point [3] for axes along those of the world. Only `add`, `move`,
    `remove` and `rename` change a world; what is looked up in it is a copy.

    Not safe to change while another thread checks against it or solves with it.
    """

    def __init__(self) -> None:
        self._shapes: dict[str, Shape] = {}
        self._touch: dict[str, tuple[str, ...]] = {}
        self._poses = np.empty((CAPACITY, 4, 4))
        self._indices: dict[str, int] = {}
        self._structure = 0
        self._changes = 0

    def add(self, name: str, shape: Shape, pose: Any = None, *, touch: Iterable[str] = ()) -> None:
        """An object of a new name; without a pose it stands at the origin.

        touch: names of links, of what is attached to them, and of other objects, that may touch it: a table
        may be touched by the base that stands on it, and a shelf by the can in it.

        Raises CollisionError for a name that there is already, and for what is no shape or pose.
        """
        _check_name(name)
        if name in self._shapes:
            raise CollisionError(
                f"the world already has an object {name!r}: move or remove it, or rename one"
            )
        if not isinstance(shape, Shape):
            raise CollisionError(
                f"object {name!r} needs a shape such as Box((1, 1, 1)), found {shortened(shape)}"
            )
        index = len(self._shapes)
        checked = np.eye(4) if pose is None else _as_pose(pose, name)
        links = members_of(
            touch, f"`touch` of object {name!r}", CollisionError, "a list of names of links", any_order=True
        )
        for link in links:
            check_name(link, f"`touch` of object {name!r}", error=CollisionError)
        if index == len(self._poses):
            self._poses = np.concatenate([self._poses, np.empty_like(self._poses)])
        self._poses[index] = checked
        self._shapes[name] = shape
        self._touch[name] = links
        self._indices[name] = index
        self._note_structure()

    def move(self, name: str, pose: Any) -> None:
        """The object stands elsewhere. Costs next to nothing: whatever checks against the world goes on.

        Raises CollisionError for an unknown name and for what is no pose.
        """
        try:
            index = self._indices[name]
        except (KeyError, TypeError):
            raise self._unknown(name) from None
        self._poses[index] = _as_pose(pose, name)
        self._changes += 1

    def remove(self, name: str) -> None:
        """Raises CollisionError for an unknown name."""
        index = self._index(name)
        count = len(self._shapes)
        self._poses[index : count - 1] = self._poses[index + 1 : count]
        del self._shapes[name], self._touch[name]
        self._indices = {each: k for k, each in enumerate(self._shapes)}
        self._note_structure()

    def rename(self, name: str, new_name: str) -> None:
        """In the `touch` of other objects, too.

        Raises CollisionError for an unknown name, and where there is one of the new name already.
        """
        self._index(name)
        _check_name(new_name)
        if new_name != name and new_name in self._shapes:
            raise CollisionError(f"the world already has an object {new_name!r}")
        self._shapes = {new_name if each == name else each: it for each, it in self._shapes.items()}
        self._touch[new_name] = self._touch.pop(name)
        for each, touch in self._touch.items():
            self._touch[each] = tuple(new_name if other == name else other for other in touch)
        self._indices = {each: k for k, each in enumerate(self._shapes)}
        self._note_structure()

    def check(self, *, clearance: float = 0.0) -> Check:
        """Whether the objects are free of each other: all pairs farther apart than `clearance` [m].

        As `Model.check` answers it, without a robot; its `contacts` stay those of this moment, and gradients
        have no numbers. A pair of which one names the other in `touch` is not looked at. What stands on
        something else touches it: rounding decides what is said of that, so name it in `touch`.

        Raises CollisionError for a mesh that cannot be read, MissingExtra where that needs a library.
        """
        clearance = as_distance(clearance, "clearance")
        may_touch = {frozenset((name, other)) for name, touch in self._touch.items() for other in touch}
        parts = dict(self._shapes), self.poses.copy(), may_touch
        pairs = ObjectPairs(*parts)
        nearest = pairs.nearest()
        return Check(
            is_free=not nearest or nearest[0].distance > clearance,
            clearance=clearance,
            nearest=nearest[0] if nearest else None,
            note=pairs.note,
            _near=partial(_near, *parts),
        )

    def without(self, *names: str) -> World:
        """A copy without these objects; with no names, just a copy. Shapes are shared, poses are not.

        Raises CollisionError for an unknown name.
        """
        for name in names:
            self._index(name)
        world = World()
        for each in self:
            if each.name not in names:
                world.add(each.name, each.shape, each.pose, touch=each.touch)
        return world

    def __copy__(self) -> World:
        return self.without()

    def __getitem__(self, name: str) -> WorldObject:
        index = self._index(name)
        return WorldObject(name, self._shapes[name], self._poses[index].copy(), self._touch[name])

    def __contains__(self, name: object) -> bool:
        return is_one_of(name, self._shapes)

    def __iter__(self) -> Iterator[WorldObject]:
        return iter([self[name] for name in self._shapes])

    def __len__(self) -> int:
        return len(self._shapes)

    def __repr__(self) -> str:
        count = len(self._shapes)
        return f"<World with {count} object{'' if count == 1 else 's'}>"

    @property
    def names(self) -> tuple[str, ...]:
        """Of the objects, in their order."""
        return tuple(self._shapes)

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Of the objects, in their order."""
        return tuple(self._shapes.values())

    @property
    def poses(self) -> Array:
        """pose_world_object [M, 4, 4] in the order of the names: not a copy, but what the world itself works
        on, which cannot be written to from here.
        """
        poses = self._poses[: len(self._shapes)]
        poses.flags.writeable = False
        return poses

    @property
    def revision(self) -> Revision:
        """Changes whenever the world does."""
        return Revision(self._structure, self._changes)

    def _note_structure(self) -> None:
        self._structure += 1
        self._changes += 1

    def _index(self, name: object) -> int:
        if not is_one_of(name, self._shapes):
            raise self._unknown(name)
        return self._indices[name]  # type: ignore[index]  # is_one_of has found it

    def _unknown(self, name: object) -> CollisionError:
        hint = did_you_mean(name, self._shapes)
        return CollisionError(f"the world has no object {shortened(name)}; {hint}")


def as_world(value: object) -> World:
    """The world that it is; anything else raises CollisionError."""
    if not isinstance(value, World):
        needed = "a World, such as limbik.collision.load_world(path) returns"
        raise CollisionError(f"`world` needs {needed}, found {shortened(value)}")
    return value


def _check_name(name: object) -> None:
    check_name(name, "the name of an object", error=CollisionError)


def _as_pose(value: Any, name: str) -> Matrix4:
    what = f"the pose of object {name!r}"
    if shape_of(value) == (3,):
        pose = pose_from(None, as_vector(value, 3, what, error=CollisionError))
    else:
        pose = as_pose(value, what, error=CollisionError)
    check_near(pose, what)
    return pose


def _near(
    shapes: dict[str, Shape], poses: Array, may_touch: set[frozenset[str]], within: float
) -> tuple[Contact, ...]:
    """Pairs of objects that are up to `within` [m] apart, the nearest first."""
    return ObjectPairs(shapes, poses, may_touch).nearer_than(as_distance(within, "within"))
