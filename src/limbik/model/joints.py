"""The kinds of joint, one joint of a model, and what hangs on its links: frames and masses."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field

import numpy as np

from limbik.deprecated import renamed
from limbik.errors import LimbikError, ModelError, shortened
from limbik.model.euler import EulerLimits
from limbik.spatial import Matrix4, Vector3, as_number, as_pose, as_vector, check_largest, named_axis, norm


class JointKind(enum.Enum):
    """How a joint moves.

    kind        q                            v (tangent)
    REVOLUTE    1: angle [rad]               1: rate about the axis
    CONTINUOUS  1: angle [rad], unlimited    1: rate about the axis
    PRISMATIC   1: travel [m]                1: rate along the axis
    FIXED       0                            0
    BALL        4: unit quaternion xyzw      3: angular velocity in the axes of the moved frame
    FLOATING    7: x y z, quaternion xyzw    6: linear, angular velocity in the axes of the moved frame
    """

    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    FIXED = "fixed"
    BALL = "ball"
    FLOATING = "floating"

    @property
    def nq(self) -> int:
        """Numbers in q."""
        return _SIZES[self][0]

    @property
    def nv(self) -> int:
        """Numbers in v: the degrees of freedom."""
        return _SIZES[self][1]


_SIZES = {
    JointKind.REVOLUTE: (1, 1),
    JointKind.CONTINUOUS: (1, 1),
    JointKind.PRISMATIC: (1, 1),
    JointKind.FIXED: (0, 0),
    JointKind.BALL: (4, 3),
    JointKind.FLOATING: (7, 6),
}
FARTHEST = 1e9  # [rad or m] of limits, positions and angles, which have lost most of their digits beyond
SMALLEST_MULTIPLIER = 1e-9  # of a mimic rule
LARGEST_MASS = 1e30  # [kg]
_UNLIMITED = (JointKind.CONTINUOUS, JointKind.FIXED, JointKind.FLOATING)
HINGES = (JointKind.REVOLUTE, JointKind.CONTINUOUS)
SCALAR = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC)  # one number: these lead and follow


@dataclass(frozen=True, kw_only=True)
class Mimic:
    """A joint moves with another: value = multiplier * (value of the other) + offset.

    multiplier [rad or m, per rad or m of the other]: not 0; a joint that does not move is a fixed one.
    """

    joint: str  # name of the leading joint
    multiplier: float = 1.0
    offset: float = 0.0  # [rad or m]

    def __post_init__(self) -> None:
        check_name(self.joint, "`joint` of a mimic rule")
        where = f"the mimic rule on joint {self.joint!r}"
        for field_name in ("multiplier", "offset"):
            number = _as_number(getattr(self, field_name), f"{where}: {field_name}")
            if not abs(number) <= FARTHEST:
                needed = f"a finite number up to {FARTHEST:g}"
                raise ModelError(f"{where}: {field_name} needs {needed}, found {number:g}")
            object.__setattr__(self, field_name, number)
        if self.multiplier == 0.0:
            raise ModelError(f"{where}: multiplier needs a number other than 0; use FIXED for no motion")
        if abs(self.multiplier) < SMALLEST_MULTIPLIER:
            needed = f"a number of at least {SMALLEST_MULTIPLIER:g}, its sign left out"
            raise ModelError(f"{where}: multiplier needs {needed}, found {self.multiplier:g}")

    def value(self, leading: float) -> float:
        """The joint's value [rad or m] for a value of the leading joint; infinite for an infinite one."""
        return self.multiplier * leading + self.offset + 0.0  # never -0

    def leading(self, value: float) -> float:
        """The leading joint's value [rad or m] that gives this value; infinite for an infinite one."""
        return (value - self.offset) / self.multiplier + 0.0  # never -0


@dataclass(frozen=True, kw_only=True, eq=False)
class Joint:
    """A joint between two links.

    The frame of the child link is the joint's frame, moved by the joint's part of q.

    A ball joint's rotation is split as swing * twist: first a twist about `axis`, then a swing that turns
    `axis` itself. `lower` and `upper` bound the twist, `swing` is the half-angle of the cone within which
    `axis` must stay. Instead of these, `euler` bounds its Euler angles.

    `velocity` and `acceleration` say how fast it may move; trackers and paths keep them unless they are told
    otherwise.

    A joint with a mimic rule is a follower: it moves as another joint does and has no part of q and v.
    """

    name: str
    kind: JointKind
    parent: str  # name of the parent link
    child: str  # name of the child link
    origin: Matrix4 = field(default_factory=lambda: np.eye(4))  # pose_parent_joint
    axis: Vector3 = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))  # unit, in the joint's frame
    lower: float = -math.inf  # [rad or m], none beyond FARTHEST; ball: smallest twist
    upper: float = math.inf  # [rad or m]; ball: greatest twist
    swing: float = math.pi  # [rad]; ball only
    euler: EulerLimits | None = None  # ball only, without limits of swing and twist
    mimic: Mimic | None = None  # revolute, continuous and prismatic only
    velocity: float = math.inf  # [rad/s or m/s] greatest; revolute, continuous and prismatic only
    acceleration: float = math.inf  # [rad/s^2 or m/s^2] likewise

    def __post_init__(self) -> None:
        for field_name in ("name", "parent", "child"):
            check_name(getattr(self, field_name), f"`{field_name}` of a joint")
        where = f"joint {self.name!r}"
        if not isinstance(self.kind, JointKind):
            raise ModelError(f"{where}: kind needs a JointKind, found {shortened(self.kind)}")
        if self.parent == self.child:
            raise ModelError(f"{where} connects link {self.parent!r} with itself")
        origin = _as_origin(self.origin, f"the origin of {where}")
        axis = as_axis(self.axis, f"the axis of {where}")
        lower, upper = as_limits(self.lower, self.upper, where)
        if self.kind in _UNLIMITED and (lower, upper) != (-math.inf, math.inf):
            hint = "; use REVOLUTE for limits" if self.kind is JointKind.CONTINUOUS else ""
            raise ModelError(
                f"{where}: a {self.kind.value} joint has no limits, found {lower:g} to {upper:g}{hint}"
            )
        swing = _as_swing(self.swing, self.kind, where)
        self._check_euler(where, (lower, upper, swing) != (-math.inf, math.inf, math.pi))
        self._check_mimic(where)
        origin.setflags(write=False)
        axis.setflags(write=False)
        for field_name, value in (
            ("origin", origin),
            ("axis", axis),
            ("lower", lower),
            ("upper", upper),
            ("swing", swing),
            ("velocity", _as_rate(self.velocity, self.kind, f"{where}: velocity")),
            ("acceleration", _as_rate(self.acceleration, self.kind, f"{where}: acceleration")),
        ):
            object.__setattr__(self, field_name, value)

    def _check_euler(self, where: str, has_others: bool) -> None:
        if self.euler is None:
            return
        if not isinstance(self.euler, EulerLimits):
            raise ModelError(f"{where}: euler needs EulerLimits, found {shortened(self.euler)}")
        if self.kind is not JointKind.BALL:
            raise ModelError(f"{where}: only a ball joint has Euler limits, this one is {self.kind.value}")
        if has_others:
            raise ModelError(f"{where} needs either Euler limits or limits of swing and twist, found both")

    def _check_mimic(self, where: str) -> None:
        if self.mimic is None:
            return
        if not isinstance(self.mimic, Mimic):
            raise ModelError(f"{where}: mimic needs a Mimic, found {shortened(self.mimic)}")
        if self.kind not in SCALAR:
            raise ModelError(
                f"{where}: a {self.kind.value} joint cannot follow another; "
                "revolute, continuous and prismatic ones can"
            )
        if self.mimic.joint == self.name:
            raise ModelError(f"{where} follows itself; a mimic rule needs another joint")

    @property
    def nq(self) -> int:
        """Numbers in q: none for a follower."""
        return 0 if self.mimic else self.kind.nq

    @property
    def nv(self) -> int:
        """Numbers in v: the degrees of freedom, none for a follower."""
        return 0 if self.mimic else self.kind.nv

    @property
    def follows_whole_revolutions(self) -> bool:
        """Whether it is a hinge that another one leads, by a whole multiple."""
        return self.kind in HINGES and self.mimic is not None and self.mimic.multiplier.is_integer()

    @property
    def has_limits(self) -> bool:
        """Whether some configuration of this joint is outside its limits."""
        if self.euler is not None:
            return self.euler.has_limits
        if self.kind is JointKind.BALL:
            return self.swing < math.pi or self.upper - self.lower < 2.0 * math.pi
        return self.lower > -math.inf or self.upper < math.inf

    @property
    def is_movable(self) -> bool:
        """Whether its limits leave this joint more than one configuration."""
        if self.nv == 0:
            return False
        if self.euler is not None:
            return self.euler.is_movable
        return self.upper > self.lower or (self.kind is JointKind.BALL and self.swing > 0.0)

    has_room = renamed("has_room", "is_movable")


@dataclass(frozen=True, kw_only=True, eq=False)
class Frame:
    """A named pose on a link: a tool, a site, the link itself."""

    name: str
    link: str
    pose_link_frame: Matrix4 = field(default_factory=lambda: np.eye(4))

    def __post_init__(self) -> None:
        check_name(self.name, "`name` of a frame")
        check_name(self.link, f"`link` of frame {self.name!r}")
        pose = _as_origin(self.pose_link_frame, f"the pose of frame {self.name!r}")
        pose.setflags(write=False)
        object.__setattr__(self, "pose_link_frame", pose)


@dataclass(frozen=True, kw_only=True, eq=False)
class Mass:
    """A mass on a link. Several on one link add up."""

    link: str
    mass: float  # [kg]
    center: Vector3  # [m], in the link's frame

    def __post_init__(self) -> None:
        check_name(self.link, "`link` of a mass")
        where = f"the mass of link {self.link!r}"
        mass = _as_number(self.mass, where)
        if not 0.0 <= mass <= LARGEST_MASS:
            needed = f"a finite number from 0 to {LARGEST_MASS:g} [kg]"
            raise ModelError(f"{where} needs {needed}, found {mass:g}")
        center = as_vector(self.center, 3, f"the center of {where}")
        check_largest(center, FARTHEST, f"the center of {where}", "m", ModelError)
        center.setflags(write=False)
        object.__setattr__(self, "mass", mass)
        object.__setattr__(self, "center", center)


def check_name(name: object, what: str, *, error: type[LimbikError] = ModelError) -> str:
    """`name` if it is a text that is not empty, and that UTF-8 can write."""
    if not isinstance(name, str) or not name.strip():
        raise error(f"{what} needs a text that is not empty, found {shortened(name)}")
    if not name.isascii() and any("\ud800" <= letter <= "\udfff" for letter in name):
        raise error(f"{what} needs a text of Unicode, found half a character in {shortened(name)}")
    return name


def as_axis(value: object, name: str) -> Vector3:
    """Unit vector [3] from three numbers that are not all zero, or from "x", "y", "z", "-x", "-y", "-z"."""
    if isinstance(value, str):
        return named_axis(value, name, ModelError)
    axis = as_vector(value, 3, name)  # type: ignore[arg-type]
    length = float(norm(axis))
    if length == 0.0:
        raise ModelError(f"{name} needs a direction, found 0 0 0")
    return axis if abs(length - 1.0) <= 4e-16 else np.asarray(axis / length)


def as_limits(lower: object, upper: object, where: str) -> tuple[float, float]:
    """The two limits as floats, lower <= upper; infinite means unlimited on that side, and what is farther
    than FARTHEST is infinite: files write 1e16 where there is none.
    """
    low, high = _as_number(lower, f"{where}: lower limit"), _as_number(upper, f"{where}: upper limit")
    if low > high:
        raise ModelError(f"{where}: the limits are the wrong way round, lower {low:g} > upper {high:g}")
    if low > FARTHEST or high < -FARTHEST:
        raise ModelError(f"{where}: no value up to {FARTHEST:g} lies between the limits {low:g} and {high:g}")
    low = -math.inf if low < -FARTHEST else low + 0.0  # never -0
    return low, math.inf if high > FARTHEST else high + 0.0


def _as_origin(value: object, what: str) -> Matrix4:
    """A pose on a link. Raises ModelError for others, and for one out of all reach."""
    pose = as_pose(value, what)
    check_largest(pose[:3, 3], FARTHEST, what, "m", ModelError)
    return pose


def _as_swing(value: object, kind: JointKind, where: str) -> float:
    swing = _as_number(value, f"{where}: swing")
    if kind is not JointKind.BALL and swing != math.pi:
        raise ModelError(f"{where}: only a ball joint has a swing limit, this one is {kind.value}")
    if not 0.0 <= swing <= math.pi:
        raise ModelError(f"{where}: swing needs an angle from 0 to pi rad, found {swing:g}")
    return swing


def _as_rate(value: object, kind: JointKind, what: str) -> float:
    rate = _as_number(value, what)
    if not rate > 0.0:
        raise ModelError(f"{what} needs a positive number, found {rate:g}")
    if rate < math.inf and kind not in SCALAR:
        raise ModelError(f"{what} is for joints that turn or slide, this one is {kind.value}")
    return rate


def _as_number(value: object, what: str) -> float:
    return as_number(value, what, "a number", ModelError)
