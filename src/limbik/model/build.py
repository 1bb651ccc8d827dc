"""`ModelBuilder`, `planar_arm` and `ball_arm`: models made in a few words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from limbik.errors import ModelError, did_you_mean, is_one_of, shortened
from limbik.model.euler import EulerLimits
from limbik.model.joints import Frame, Joint, JointKind, Mass, Mimic, as_axis, as_limits, check_name
from limbik.model.model import Model
from limbik.spatial import (
    Array,
    Matrix4,
    as_numbers,
    as_pose,
    as_vector,
    as_whole,
    matrix_of,
    pose_from,
    shape_of,
)

MAX_LINKS = 1_000_000


def planar_arm(
    links: int = 3,
    length: float | Sequence[float] = 1.0,
    *,
    limits: ArrayLike | None = None,
) -> Model:
    """An arm in the x-y plane: revolute joints about z, links along x, the end effector "tip" at its end.

    links: number of links, at least 1. length: of the links [m], one number or one per link; zero is allowed.
    limits [rad]: None, half of a range around zero, a (lower, upper) pair, or one pair per joint.

    The joints are joint1, joint2, ... and the links after them link1, link2, ...
    """
    count = as_whole(links, "links", 1, ModelError, MAX_LINKS)
    lengths = _as_lengths(length, count)
    ranges = _as_ranges(limits, count)
    joints = [
        Joint(
            name=f"joint{k + 1}",
            kind=JointKind.REVOLUTE,
            parent=f"link{k}" if k else "base",
            child=f"link{k + 1}",
            origin=pose_from(translation=(lengths[k - 1] if k else 0.0, 0.0, 0.0)),
            lower=ranges[k][0],
            upper=ranges[k][1],
        )
        for k in range(count)
    ]
    return Model(f"planar-{count}", joints, [_tip(count, lengths[-1])], end_effector="tip")


def ball_arm(
    lengths: Sequence[float], *, swing: float | None = None, twist: ArrayLike | None = None
) -> Model:
    """An arm of ball joints with links along x, the end effector "tip" at its end. The twist axis of every
    joint is x.

    lengths [m]: one per link; zero is allowed. swing [rad]: half-angle of the cone within which each link
    must stay. twist [rad]: half of a range around zero or a (lower, upper) pair.
    """
    shape = shape_of(lengths)
    if shape is None or len(shape) != 1 or shape == (0,):
        raise ModelError(f"lengths needs one number per link, at least one, found {shortened(lengths)}")
    checked = _as_lengths(lengths, count := shape[0])
    lower, upper = _as_range(twist, "twist", "every joint")
    joints = [
        Joint(
            name=f"joint{k + 1}",
            kind=JointKind.BALL,
            parent=f"link{k}" if k else "base",
            child=f"link{k + 1}",
            origin=pose_from(translation=(checked[k - 1] if k else 0.0, 0.0, 0.0)),
            axis=np.array([1.0, 0.0, 0.0]),
            lower=lower,
            upper=upper,
            swing=math.pi if swing is None else swing,
        )
        for k in range(count)
    ]
    return Model(f"ball-{count}", joints, [_tip(count, checked[-1])], end_effector="tip")


def _tip(count: int, length: float) -> Frame:
    return Frame(name="tip", link=f"link{count}", pose_link_frame=pose_from(translation=(length, 0.0, 0.0)))


def _as_lengths(length: ArrayLike, count: int) -> list[float]:
    lengths = as_numbers(length, "length", "one number [m], or one per link", ModelError)
    lengths = as_vector(np.full(count, lengths) if lengths.ndim == 0 else lengths, count, "length")
    if (lengths < 0.0).any():
        raise ModelError(f"length needs numbers that are not negative [m], found {lengths.min():g}")
    return [float(x) for x in lengths]


def _as_ranges(limits: ArrayLike | None, count: int) -> list[tuple[float, float]]:
    """One (lower, upper) pair for each of `count` joints, from what `planar_arm` takes."""
    needed = f"half of a range, a (lower, upper) pair, or one pair for each of {count} joints"
    array = _as_limit_array(limits, "limits", needed)
    if array.shape == (2,):
        array = np.tile(array, (count, 1))
    if array.shape != (count, 2):
        raise ModelError(f"limits needs {needed}, found shape {array.shape}")
    return [as_limits(low, high, f"joint 'joint{k + 1}'") for k, (low, high) in enumerate(array)]


def _as_range(limits: ArrayLike | None, name: str, where: str) -> tuple[float, float]:
    """One (lower, upper) pair, from a pair or from half of a range around zero."""
    needed = "half of a range or a (lower, upper) pair"
    array = _as_limit_array(limits, f"{where}: {name}", needed)
    if array.shape != (2,):
        raise ModelError(f"{where}: {name} needs {needed}, found shape {array.shape}")
    return as_limits(array[0], array[1], where)


def _as_limit_array(limits: ArrayLike | None, name: str, needed: str) -> Array:
    if limits is None:
        return np.array([-math.inf, math.inf])
    array = as_numbers(limits, name, needed, ModelError)
    return np.array([-array, array]) if array.ndim == 0 else array


class ModelBuilder:
    """A tree, joint by joint.

        model = (
            ModelBuilder("crane")
            .revolute("slew", axis="z")
            .prismatic("boom", axis="x", origin=(0, 0, 1.5), limits=(1, 3))
            .frame("hook", pose=(0, 0, -0.5))
            .build(end_effector="hook")
        )

    Each joint's child link has the name of the joint unless `child` is given. The parent link is the one
    added last unless `parent` is given; the first joint stands on the root. An axis is three numbers or "x",
    "-y", ..., an origin or pose is a pose or three numbers (x, y, z) [m], limits are a (lower, upper) pair or
    half of a range around zero [rad or m]. A joint with a `mimic` rule moves with another.
    """

    def __init__(self, name: str, root: str = "base") -> None:
        self._name = check_name(name, "`name` of a model")
        self._root = check_name(root, "`root` of a model")
        self._joints: list[Joint] = []
        self._frames: list[Frame] = []
        self._masses: list[Mass] = []

    def revolute(
        self,
        name: str,
        *,
        axis: ArrayLike = "z",
        limits: ArrayLike | None = None,
        mimic: Mimic | None = None,
        velocity: float = math.inf,
        acceleration: float = math.inf,
        parent: str | None = None,
        child: str | None = None,
        origin: Any = None,
    ) -> Self:
        """Add a revolute joint about `axis`; limits [rad], velocity [rad/s], acceleration [rad/s^2]."""
        return self._add(
            name,
            JointKind.REVOLUTE,
            parent,
            child,
            origin,
            axis=axis,
            limits=limits,
            mimic=mimic,
            rates=(velocity, acceleration),
        )

    def continuous(
        self,
        name: str,
        *,
        axis: ArrayLike = "z",
        mimic: Mimic | None = None,
        velocity: float = math.inf,
        acceleration: float = math.inf,
        parent: str | None = None,
        child: str | None = None,
        origin: Any = None,
    ) -> Self:
        """Add a revolute joint about `axis` without limits; velocity [rad/s], acceleration [rad/s^2]."""
        return self._add(
            name,
            JointKind.CONTINUOUS,
            parent,
            child,
            origin,
            axis=axis,
            mimic=mimic,
            rates=(velocity, acceleration),
        )

    def prismatic(
        self,
        name: str,
        *,
        axis: ArrayLike = "z",
        limits: ArrayLike | None = None,
        mimic: Mimic | None = None,
        velocity: float = math.inf,
        acceleration: float = math.inf,
        parent: str | None = None,
        child: str | None = None,
        origin: Any = None,
    ) -> Self:
        """Add a slider along `axis`; limits [m], velocity [m/s], acceleration [m/s^2]."""
        return self._add(
            name,
            JointKind.PRISMATIC,
            parent,
            child,
            origin,
            axis=axis,
            limits=limits,
            mimic=mimic,
            rates=(velocity, acceleration),
        )

    def ball(
        self,
        name: str,
        *,
        axis: ArrayLike = "z",
        swing: float = math.pi,
        twist: ArrayLike | None = None,
        euler: EulerLimits | None = None,
        parent: str | None = None,
        child: str | None = None,
        origin: Any = None,
    ) -> Self:
        """Add a ball joint: `axis` of its twist, `swing` half the angle of its cone, `twist` range [rad]; or
        `euler`, ranges of Euler angles.
        """
        return self._add(
            name, JointKind.BALL, parent, child, origin, axis=axis, limits=twist, swing=swing, euler=euler
        )

    def floating(
        self, name: str, *, parent: str | None = None, child: str | None = None, origin: Any = None
    ) -> Self:
        """Add a joint that moves freely."""
        return self._add(name, JointKind.FLOATING, parent, child, origin)

    def fixed(
        self, name: str, *, parent: str | None = None, child: str | None = None, origin: Any = None
    ) -> Self:
        """Add a link that does not move in its parent."""
        return self._add(name, JointKind.FIXED, parent, child, origin)

    def frame(self, name: str, *, link: str | None = None, pose: Any = None) -> Self:
        """Add a named pose on a link (default: the link added last)."""
        check_name(name, "`name` of a frame")
        placement = _as_placement(pose, f"the pose of frame {name!r}")
        self._frames.append(Frame(name=name, link=self._parent(link, name), pose_link_frame=placement))
        return self

    def mass(self, link: str, mass: float, center: ArrayLike = (0.0, 0.0, 0.0)) -> Self:
        """Add a mass [kg] to a link, its center in the link's frame [m]."""
        self._masses.append(Mass(link=self._parent(link, "a mass"), mass=mass, center=center))  # type: ignore[arg-type]
        return self

    def build(self, *, end_effector: str | None = None) -> Model:
        """The model; end_effector: see `Model`."""
        return Model(
            self._name,
            self._joints,
            self._frames,
            masses=self._masses,
            root=self._root,
            end_effector=end_effector,
        )

    def _add(
        self,
        name: str,
        kind: JointKind,
        parent: str | None,
        child: str | None,
        origin: Any,
        *,
        axis: ArrayLike = "z",
        limits: ArrayLike | None = None,
        swing: float = math.pi,
        euler: EulerLimits | None = None,
        mimic: Mimic | None = None,
        rates: tuple[float, float] = (math.inf, math.inf),
    ) -> Self:
        check_name(name, "`name` of a joint")
        where = f"joint {name!r}"
        if any(joint.name == name for joint in self._joints):
            raise ModelError(f"two joints have the name {name!r}")
        lower, upper = _as_range(limits, "twist" if kind is JointKind.BALL else "limits", where)
        self._joints.append(
            Joint(
                name=name,
                kind=kind,
                parent=self._parent(parent, name),
                child=name if child is None else child,
                origin=_as_placement(origin, f"the origin of {where}"),
                axis=as_axis(axis, f"the axis of {where}"),
                lower=lower,
                upper=upper,
                swing=swing,
                euler=euler,
                mimic=mimic,
                velocity=rates[0],
                acceleration=rates[1],
            )
        )
        return self

    def _parent(self, link: str | None, user: str) -> str:
        links = [self._root, *(joint.child for joint in self._joints)]
        if link is None:
            return links[-1]
        if not is_one_of(link, links):
            raise ModelError(
                f"{user!r} is to stand on the unknown link {shortened(link)}; {did_you_mean(link, links)}"
            )
        return link


def _as_placement(value: Any, name: str) -> Matrix4:
    if value is None:
        return np.eye(4)
    shape = shape_of(matrix_of(value))
    if shape is not None and len(shape) == 1:
        return pose_from(translation=as_vector(value, 3, name))
    return as_pose(value, name)
