"""Model: an immutable kinematic tree of joints, links and frames."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, Unpack

import numpy as np
from numpy.typing import ArrayLike

from limbik.checks import BatchCheck, Check, PathCheck
from limbik.errors import (
    CollisionError,
    ConfigurationError,
    ModelError,
    did_you_mean,
    is_one_of,
    members_of,
    shortened,
)
from limbik.goals import Goal, GoalLike
from limbik.goals.task import Coordinate
from limbik.joint_path import Path
from limbik.lazy import LazyModule
from limbik.locks import cached_property
from limbik.model.configuration import ConfigurationSpace
from limbik.model.followers import resolved, value_range
from limbik.model.joints import HINGES, SCALAR, Frame, Joint, JointKind, Mass, check_name
from limbik.model.kinematics import Kinematics, Member
from limbik.model.masses import Masses
from limbik.model.pair_rules import PairRule
from limbik.model.reach import reach_range
from limbik.model.shapes import LinkShape, Shape, check_near
from limbik.model.slots import Slot
from limbik.options import (
    AllBatchOptions,
    AllOptions,
    BatchOptions,
    PathOptions,
    SolveOptions,
    TraceOptions,
    TrackerOptions,
)
from limbik.solution import BatchSolution, Iterate, Solution, Trace
from limbik.spatial import Array, Matrix4, as_number, as_pose, as_whole

if TYPE_CHECKING:
    from limbik import collision, motion, solvers
    from limbik.all_solutions import result as all_solutions
else:
    collision, motion, solvers = map(LazyModule, ("limbik.collision", "limbik.motion", "limbik.solvers"))
    all_solutions = LazyModule("limbik.all_solutions.result")

MAX_DRAWN = 10**9  # configurations at a time

_T = TypeVar("_T")
_OnLink = TypeVar("_OnLink", Mass, LinkShape)

PartsRead: TypeAlias = tuple[Iterable[LinkShape], Iterable[PairRule]]
_PARTS = ("shapes", "pair_rules", "_parts_read")  # what is found when it is first requested


class Model:
    """An immutable kinematic tree.

    name: of the model.
    joints: Joint in any order; each moves one link (its child), so that the links form a tree with one root.
    frames: named poses on links, besides the links themselves: every link is also a frame of the same name.
    masses: Mass, any number for each link, for the center of mass.
    shapes: LinkShape, any number for each link, for collisions.
    pair_rules: PairRule, which pairs may touch; of two for the same pair the later one holds.
    root: name of the root link; only needed when there are no joints.
    end_effector: name of the frame that goals mean when they name none; default: the link of the last joint.

    `q` [nq] is a configuration, `v` [nv] a tangent vector; the joints' parts stand in the order of `joints`.
    JointKind says what each kind of joint has in them. Functions of q take leading batch axes [..., nq].

    A joint with a mimic rule has no part of q: it moves with its leader. Here all rules are on joints that do
    not follow themselves, and the limits of a leader are narrowed to those that keep its followers in theirs.

    Raises ModelError for a description that is not one tree, and for mimic rules that cannot hold.
    """

    name: str
    joints: tuple[Joint, ...]  # parents before children
    frames: tuple[Frame, ...]  # links first, the root leading, then the other frames
    masses: tuple[Mass, ...]
    frame_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    root: str
    end_effector: str
    nq: int
    nv: int
    lower: Array  # [nq]; -inf where there is no limit, -1 for quaternions
    upper: Array  # [nq]; inf where there is no limit, 1 for quaternions
    neutral: Array  # [nq]; zeros and identity quaternions, moved into the limits
    has_limits: bool
    derived: dict[Slot[Any], Any]  # what solvers have made of the model, cached so that they make it once
    derived_of_shapes: dict[Slot[Any], Any]  # the same, of what depends on shapes and pairs too

    _space: ConfigurationSpace
    _kinematics: Kinematics
    _masses: Masses
    _frame_links: np.ndarray  # index of each frame's link, 0 the root
    _frame_poses: Array  # [n_frames, 4, 4]
    _joint_indices: dict[str, int]
    _frame_indices: dict[str, int]
    _parent_joints: tuple[int, ...]  # index of the joint before each joint, -1 at the root
    _paths: dict[str, _Path]
    _path_sets: dict[tuple[str, ...], _Paths]
    _find_parts: Callable[[], PartsRead]

    def __init__(
        self,
        name: str,
        joints: Iterable[Joint],
        frames: Iterable[Frame] = (),
        *,
        masses: Iterable[Mass] = (),
        shapes: Iterable[LinkShape] = (),
        pair_rules: Iterable[PairRule] = (),
        root: str | None = None,
        end_effector: str | None = None,
    ) -> None:
        check_name(name, "`name` of a model")
        ordered, root = _as_tree(_as_tuple(joints, Joint, "joints"), root)
        ordered = resolved(ordered)
        links = [root, *(joint.child for joint in ordered)]
        indices = {link: k for k, link in enumerate(links)}
        all_frames = _all_frames(links, _as_tuple(frames, Frame, "frames"))
        all_masses = _on_links(links, _as_tuple(masses, Mass, "masses"), "mass")
        parts = _as_tuple(shapes, LinkShape, "shapes"), _as_tuple(pair_rules, PairRule, "pair_rules")
        space = ConfigurationSpace(ordered)
        members = [
            Member(joint, indices[joint.parent], joint.origin, *starts)
            for joint, starts in zip(ordered, space.value_starts, strict=True)
        ]
        neutral = space.neutral()
        for array in (space.lower, space.upper, neutral):
            array.setflags(write=False)
        vars(self).update(
            name=name,
            joints=ordered,
            frames=all_frames,
            masses=all_masses,
            frame_names=tuple(frame.name for frame in all_frames),
            joint_names=tuple(joint.name for joint in ordered),
            root=root,
            nq=space.nq,
            nv=space.nv,
            lower=space.lower,
            upper=space.upper,
            neutral=neutral,
            has_limits=space.has_limits,
            _space=space,
            _kinematics=Kinematics(members),
            _masses=Masses([(indices[mass.link], mass) for mass in all_masses], members),
            _frame_links=np.array([indices[frame.link] for frame in all_frames], dtype=np.intp),
            _frame_poses=np.array([frame.pose_link_frame for frame in all_frames]),
            _joint_indices={joint.name: k for k, joint in enumerate(ordered)},
            _frame_indices={frame.name: k for k, frame in enumerate(all_frames)},
            _parent_joints=tuple(member.parent - 1 for member in members),
            _paths={},
            _path_sets={},
            derived={},
            derived_of_shapes={},
            _find_parts=lambda: parts,
        )
        _ = self.shapes  # checked now
        vars(self)["end_effector"] = links[-1] if end_effector is None else self.frame(end_effector).name

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Model is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Model is immutable: cannot delete {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        others = self.frames[len(self.joints) + 1 :]
        parts = {
            "masses": self.masses,
            "shapes": self.shapes,
            "pair_rules": self.pair_rules,
            "root": self.root,
            "end_effector": self.end_effector,
        }
        return _rebuild, (self.name, self.joints, others, parts)

    def __repr__(self) -> str:
        return (
            f"Model({self.name!r}, {len(self.joints)} joints, nq={self.nq}, nv={self.nv}, "
            f"end_effector={self.end_effector!r})"
        )

    # --- parts by name --------------------------------------------------------------------------------------

    def joint(self, name: str) -> Joint:
        """The joint of that name."""
        return self.joints[self._joint_index(name)]

    def frame(self, name: str) -> Frame:
        """The frame (or link) of that name."""
        return self.frames[self._frame_index(name)]

    def q_slice(self, joint_name: str) -> slice:
        """Where that joint's part of q lies; for a follower, that of the joint it follows."""
        starts, k = self._space.q_starts, self._space.leaders[self._joint_index(joint_name)]
        return slice(starts[k], starts[k + 1])

    def v_slice(self, joint_name: str) -> slice:
        """Where that joint's part of v lies; for a follower, that of the joint it follows."""
        starts, k = self._space.v_starts, self._space.leaders[self._joint_index(joint_name)]
        return slice(starts[k], starts[k + 1])

    def path(self, frame: str | None = None) -> tuple[Joint, ...]:
        """The joints from the root to a frame, fixed ones included."""
        return tuple(self.joints[k] for k in self._path_indices(self._frame_name(frame)))

    def _joint_index(self, name: str) -> int:
        try:
            return self._joint_indices[name]
        except (KeyError, TypeError):
            hint = did_you_mean(name, self.joint_names)
            raise ModelError(f"model {self.name!r} has no joint {shortened(name)}; {hint}") from None

    def _frame_index(self, name: str) -> int:
        try:
            return self._frame_indices[name]
        except (KeyError, TypeError):
            hint = did_you_mean(name, self.frame_names)
            raise ModelError(f"model {self.name!r} has no frame {shortened(name)}; {hint}") from None

    def _frame_name(self, frame: str | None) -> str:
        return self.end_effector if frame is None else frame

    def _path_indices(self, frame: str) -> list[int]:
        index = int(self._frame_links[self._frame_index(frame)]) - 1
        indices = []
        while index >= 0:
            indices.append(index)
            index = self._parent_joints[index]
        return indices[::-1]

    def _path(self, frame: str | None) -> _Path:
        name = self._frame_name(frame)
        path = self._paths.get(name) if isinstance(name, str) else None
        if path is None:
            path = self._paths[name] = _Path(self, name)
        return path

    # --- kinematics -----------------------------------------------------------------------------------------

    def forward(self, q: ArrayLike) -> Array:
        """pose_world_frame [..., n_frames, 4, 4] of all frames, in the order of `frames`, at q [..., nq]."""
        q = self._space.values(q)
        n_links = len(self.joints) + 1
        n_others = len(self.frames) - n_links
        poses = self._kinematics.links(q, n_others)
        if n_others:
            local = self._frame_poses[n_links:].reshape(n_others, *(1,) * (q.ndim - 1), 4, 4)
            np.matmul(poses[self._frame_links[n_links:]], local, out=poses[n_links:])
        return np.moveaxis(poses, 0, -3)

    def pose(self, q: ArrayLike, frame: str | None = None) -> Matrix4:
        """pose_world_frame [..., 4, 4] of one frame (default: the end effector) at q [..., nq]."""
        path = self._path(frame)
        return path.pose(path.kinematics.links(self._space.values(q)))

    def poses(self, q: ArrayLike, frames: Iterable[str]) -> Array:
        """pose_world_frame [..., n, 4, 4] of n frames at q [..., nq], without the joints that move none."""
        names = members_of(frames, "frames", ModelError, "a list of names")
        if not all(isinstance(name, str) for name in names):
            raise ModelError(f"frames needs a list of names, found {shortened(frames)}")
        paths = self._path_sets.get(names)
        if paths is None:
            paths = self._path_sets[names] = _Paths(self, names)
        return paths.poses(self._space.values(q))

    def jacobian(
        self, q: ArrayLike, frame: str | None = None, axes: Literal["world", "local"] = "world"
    ) -> Array:
        """Geometric Jacobian [..., 6, nv] of a frame (default: the end effector) at q [..., nq].

        J @ v is the velocity of the frame: rows 0-2 of its origin [m/s], rows 3-5 angular [rad/s], along the
        axes of the world or, with axes="local", of the frame.
        """
        if not is_one_of(axes, ("world", "local")):
            raise ModelError(f"axes needs 'world' or 'local', found {shortened(axes)}")
        path = self._path(frame)
        links = path.kinematics.links(self._space.values(q))
        pose = path.pose(links)
        followers = self._space.followers
        columns = path.kinematics.jacobian(links, pose[..., :3, 3], self.nv + followers.count)
        jacobian = followers.fold(columns)
        if axes == "local":
            back = np.swapaxes(pose[..., :3, :3], -1, -2)
            jacobian[..., :3, :] = back @ jacobian[..., :3, :]
            jacobian[..., 3:, :] = back @ jacobian[..., 3:, :]
        return jacobian

    @cached_property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """What each number of q is, and each quaternion in it, in the order of the joints."""
        return tuple(each for joint in self.joints if joint.nv for each in self._coordinates_of(joint))

    def _coordinates_of(self, joint: Joint) -> Iterator[Coordinate]:
        q, v = self.q_slice(joint.name).start, self.v_slice(joint.name).start
        is_scalar = joint.kind in SCALAR
        is_length = joint.kind is JointKind.PRISMATIC or not is_scalar
        for k in range(1 if is_scalar else joint.nv - 3):
            yield Coordinate(joint.name, k, q + k, v + k, False, is_length, self.is_periodic(joint))
        if not is_scalar:
            k = joint.nv - 3
            yield Coordinate(joint.name, k, q + k, v + k, True, False, False)

    def is_periodic(self, joint: Joint) -> bool:
        """Whether revolutions of a joint do not count: it is a hinge without limits, and what moves with it
        makes whole ones, too. Raises ModelError for what is no joint.
        """
        if not isinstance(joint, Joint):
            raise ModelError(f"`joint` needs a Joint, such as model.joints[0], found {shortened(joint)}")
        leader, multiplier = (joint.mimic.joint, joint.mimic.multiplier) if joint.mimic else (joint.name, 1.0)
        if joint.kind not in HINGES or joint.has_limits or abs(multiplier) != 1.0:
            return False
        followers = (each for each in self.joints if each.mimic and each.mimic.joint == leader)
        return all(each.follows_whole_revolutions for each in followers)

    @property
    def mass(self) -> float:
        """Of all links together [kg]."""
        return self._masses.total

    def center_of_mass(self, q: ArrayLike) -> Array:
        """Where the center of mass is in the world [..., 3] at q [..., nq] [m].

        Raises ModelError for a model without masses.
        """
        self._refuse_no_mass()
        return self._masses.center(self._kinematics.links(self._space.values(q)))

    def center_of_mass_jacobian(self, q: ArrayLike) -> Array:
        """J [..., 3, nv] at q [..., nq]: J @ v is the velocity of the center of mass in the world [m/s].

        Raises ModelError for a model without masses.
        """
        self._refuse_no_mass()
        links = self._kinematics.links(self._space.values(q))
        followers = self._space.followers
        columns = self._masses.jacobian(links, self._kinematics, self.nv + followers.count)
        return followers.fold(columns)

    def _refuse_no_mass(self) -> None:
        if self.mass == 0.0:
            raise ModelError(f"model {self.name!r} has no masses, so it has no center of mass")

    def reach(self, frame: str | None = None) -> float:
        """Upper bound [m] of how far a frame's origin gets from the first moving joint on its path."""
        return self._path(frame).reach

    # --- configurations -------------------------------------------------------------------------------------

    def integrate(self, q: ArrayLike, v: ArrayLike) -> Array:
        """The configuration [..., nq] reached from q [..., nq] in unit time at constant velocity v [..., nv].

        Limits are not looked at; see `clip`. Raises ConfigurationError where the sum is beyond what a number
        can hold.
        """
        return self._space.integrate(self._space.as_q(q), self._space.as_v(v))

    def velocity_map(self, q: ArrayLike) -> Array:
        """N [..., nq, nv] at q [..., nq]: a velocity v changes q at the rate N v.

        The identity, but for quaternions and for the position of a floating joint, whose velocity is along
        the axes of what moves.
        """
        return self._space.velocity_map(self._space.as_q(q))

    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Array:
        """The velocity v [..., nv] that leads from q0 to q1 in unit time, by the shorter arc for rotations.

        integrate(q0, v) is q1 again, where the quaternions may have the other sign. Raises ConfigurationError
        where the difference is beyond what a number can hold.
        """
        return self._space.difference(self._space.as_q(q0, "q0"), self._space.as_q(q1, "q1"))

    def random(self, rng: np.random.Generator | int | None = None, size: int | None = None) -> Array:
        """A random configuration [nq], or `size` of them [size, nq], uniform within the limits.

        rng: a NumPy generator, or a seed. Where there is no limit, angles are drawn from a full turn and
        travels from two metres. A ball joint's twist axis is uniform on its cap of the sphere, its twist
        uniform in its range.
        """
        generator = None
        if isinstance(rng, int | np.integer | np.random.Generator | None):  # of a matrix NumPy itself dies
            with contextlib.suppress(ValueError, TypeError):  # of a negative number, and a length of time
                generator = np.random.default_rng(rng)
        if generator is None:
            raise ConfigurationError(
                f"`rng` needs a NumPy generator or a seed of at least 0, found {shortened(rng)}"
            )
        if size is None:
            return self._space.random(generator, ())
        return self._space.random(generator, (as_whole(size, "`size`", 0, ConfigurationError, MAX_DRAWN),))

    def clip(self, q: ArrayLike) -> Array:
        """q [..., nq] moved into the limits, with quaternions of length 1.

        A ball joint's swing and twist are each moved to the nearest allowed value; a q within the limits is
        returned as it is. The result is always within the limits.
        """
        return self._space.clip(self._space.as_q(q))

    def is_within_limits(self, q: ArrayLike, margin: float = 0.0) -> Any:
        """Whether every joint is at least `margin` [rad or m] inside its limits; an array [...] for a batch.

        A negative margin allows to be beyond them by as much. For the rounding of quaternions, ball joints
        have a margin of 1e-12, measured as a change of the quaternion; all others have none.
        """
        margin = as_number(margin, "margin", "a finite number", ConfigurationError)
        if math.isinf(margin):
            raise ConfigurationError(f"margin needs a finite number, found {margin}")
        inside = self._space.is_within_limits(self._space.as_q(q), margin)
        return bool(inside) if np.ndim(inside) == 0 else inside

    # --- shapes and pairs -----------------------------------------------------------------------------------

    @cached_property
    def shapes(self) -> tuple[LinkShape, ...]:
        """What hangs on links, for collisions."""
        return self._parts_read[0]

    @cached_property
    def pair_rules(self) -> tuple[PairRule, ...]:
        """Which pairs of links, or objects on them, may touch; of two for one pair the later one holds."""
        return self._parts_read[1]

    @cached_property
    def _parts_read(self) -> tuple[tuple[LinkShape, ...], tuple[PairRule, ...]]:
        parts = self._find_parts()
        if not isinstance(parts, tuple) or len(parts) != 2:
            raise ModelError(f"find needs to return (shapes, rules), and returned {shortened(parts)}")
        shapes, rules = parts
        return self._checked_parts(
            _as_tuple(shapes, LinkShape, "shapes"), _as_tuple(rules, PairRule, "pair_rules")
        )

    def _checked_parts(
        self, shapes: tuple[LinkShape, ...], rules: tuple[PairRule, ...]
    ) -> tuple[tuple[LinkShape, ...], tuple[PairRule, ...]]:
        links = self.frame_names[: len(self.joints) + 1]
        _refuse_unknown_names([*links, *(shape.name for shape in shapes)], rules)
        return _on_links(links, shapes, "shape"), rules

    def attach(
        self,
        name: str,
        shape: Shape,
        *,
        frame: str | None = None,
        pose: Any = None,
        touch: Iterable[str] = (),
    ) -> Model:
        """A model that also carries an object: the same kinematics, with what was derived from them.

        name: of the object. frame: that carries it (default: the end effector). pose: pose_frame_object
        [4, 4] (default: identity). touch: names of links that it may touch, besides what is rigid with it.

        Raises CollisionError for a name that a frame or a shape has already, ModelError for unknown names.
        """
        carrier = self.frame(self._frame_name(frame))
        check_name(name, "`name` of what is attached")
        if name in {*self.frame_names, *(each.name for each in self.shapes)}:
            raise CollisionError(f"model {self.name!r} already has something of the name {shortened(name)}")
        index = np.eye(4) if pose is None else as_pose(pose, f"the pose of {shortened(name)}")
        check_near(index, f"the pose of {shortened(name)}")
        held = LinkShape(
            link=carrier.link,
            shape=shape,
            pose_link_shape=carrier.pose_link_frame @ index,
            name=name,
            is_attached=True,
        )
        touched = members_of(touch, "touch", CollisionError, "a list of links", any_order=True)
        reason = "may touch what is attached"
        rules = [PairRule(first=name, second=each, is_checked=False, reason=reason) for each in touched]
        return self.with_shapes((*self.shapes, held), (*self.pair_rules, *rules))

    def detach(self, name: str) -> Model:
        """A model without that attached object, and without rules about it; see `attach`.

        Raises CollisionError where there is none of that name.
        """
        attached = [each.name for each in self.shapes if each.is_attached]
        if not is_one_of(name, attached):
            hint = did_you_mean(name, dict.fromkeys(attached))
            raise CollisionError(f"model {self.name!r} carries no object {shortened(name)}; {hint}")
        return self.with_shapes(
            [each for each in self.shapes if each.name != name],
            [rule for rule in self.pair_rules if name not in rule.key],
        )

    def with_pairs(
        self, *, disable: Iterable[Sequence[str]] = (), enable: Iterable[Sequence[str]] = ()
    ) -> Model:
        """A model that looks at collisions of other pairs of links or attached objects.

        disable, enable: pairs of names (a, b). They hold before what an SRDF or the structure says.
        """
        disabled = _rules(disable, "disable", is_checked=False)
        enabled = _rules(enable, "enable", is_checked=True)
        return self.with_shapes(pair_rules=(*self.pair_rules, *disabled, *enabled))

    def with_shapes(
        self, shapes: Iterable[LinkShape] | None = None, pair_rules: Iterable[PairRule] | None = None
    ) -> Model:
        """A model with these shapes and rules instead (None: with its own, rules for objects that are gone
        left out), and the same kinematics.

        It shares what solvers derived from these.
        """
        new_shapes = self.shapes if shapes is None else _as_tuple(shapes, LinkShape, "shapes")
        if pair_rules is None:
            known = {*self.frame_names[: len(self.joints) + 1], *(shape.name for shape in new_shapes)}
            rules = tuple(rule for rule in self.pair_rules if {rule.first, rule.second} <= known)
        else:
            rules = _as_tuple(pair_rules, PairRule, "pair_rules")
        changed = self.with_shapes_found_by(lambda: (new_shapes, rules))
        _ = changed.shapes  # checked now
        return changed

    def with_shapes_found_by(self, find: Callable[[], PartsRead]) -> Model:
        """A model with the shapes and rules that a function finds when they are first requested, see
        `with_shapes`.
        """
        if not callable(find):
            raise ModelError(f"find needs a function that returns (shapes, rules), not {shortened(find)}")
        changed = object.__new__(type(self))
        remaining = {key: value for key, value in vars(self).items() if key not in _PARTS}
        vars(changed).update(remaining, _find_parts=find, derived_of_shapes={})
        return changed

    def check(self, q: ArrayLike, world: collision.World | None = None, *, clearance: float = 0.0) -> Check:
        """Whether q [nq] is free of collision, with which pair is nearest and how far apart it is.

        world: a `limbik.collision.World`; None: the model is checked against itself alone. clearance [m]: all
        pairs have to be farther apart. Which pairs are checked, `limbik.collision.pairs` says.

        Raises CollisionError, which names the link, for shapes that cannot be read, and MissingExtra where
        meshes need a library that is not installed.
        """
        return collision.check(self, q, world, clearance=clearance)

    def check_batch(
        self, q: ArrayLike, world: collision.World | None = None, *, clearance: float = 0.0
    ) -> BatchCheck:
        """The same for many configurations q [N, nq]."""
        return collision.check_batch(self, q, world, clearance=clearance)

    def check_path(
        self, q: ArrayLike, world: collision.World | None = None, *, clearance: float = 0.0
    ) -> PathCheck:
        """Whether a path through configurations q [N, nq] is free of collision, between them too.

        From one to the next goes `integrate(q0, t * difference(q0, q1))` for t from 0 to 1. What is free is
        certified: by distances, and bounds on how fast bodies come nearer. What moves within 0.1 mm of the
        clearance counts as having reached it.
        """
        return collision.check_path(self, q, world, clearance=clearance)

    # --- solving --------------------------------------------------------------------------------------------

    def solve(self, goal: GoalLike, **options: Unpack[SolveOptions]) -> Solution:
        """A configuration that meets the goal, or the nearest one found; see `limbik.solvers.solve`."""
        # From now on the method is the function itself: a solve of two microseconds feels every detour.
        Model.solve = solvers.solve  # type: ignore[assignment, method-assign]
        return solvers.solve(self, goal, **options)

    def solve_batch(self, poses: ArrayLike, **options: Unpack[BatchOptions]) -> BatchSolution:
        """Configurations for many poses [N, 4, 4]; see `limbik.solvers.solve_batch`."""
        return solvers.solve_batch(self, poses, **options)

    def solve_all(self, goal: GoalLike, **options: Unpack[AllOptions]) -> all_solutions.AllSolutions:
        """Every configuration that meets the goal; see `limbik.solvers.solve_all`."""
        Model.solve_all = solvers.solve_all  # type: ignore[assignment, method-assign]
        return solvers.solve_all(self, goal, **options)

    def solve_all_batch(
        self, poses: ArrayLike, **options: Unpack[AllBatchOptions]
    ) -> all_solutions.AllSolutionsBatch:
        """Every configuration for many poses [N, 4, 4]; see `limbik.solvers.solve_all_batch`."""
        return solvers.solve_all_batch(self, poses, **options)

    def solve_path(self, poses: ArrayLike, **options: Unpack[PathOptions]) -> Path:
        """Configurations that lead a frame along poses [N, 4, 4]; see `limbik.solve_path`."""
        return motion.solve_path(self, poses, **options)

    def trace(self, goal: GoalLike, **options: Unpack[TraceOptions]) -> Trace:
        """Solve and keep every iteration of that very solve; see `limbik.solvers.trace`."""
        return solvers.trace(self, goal, **options)

    def iterate(self, goal: GoalLike, **options: Unpack[TraceOptions]) -> Iterator[Iterate]:
        """Solve, then yield its iterations one by one; see `limbik.solvers.iterate`."""
        return solvers.iterate(self, goal, **options)

    def nullspace(self, q: ArrayLike, keep: str | GoalLike | None = None) -> Array:
        """Orthonormal basis [nv, k] of the velocities at q [nq] that keep the pose of a frame (default: the
        end effector), or goals; see `limbik.nullspace`.
        """
        return solvers.nullspace.basis(self, q, keep)

    def tracker(
        self, goals: GoalLike | Sequence[Goal], dt: float = 0.01, **options: Unpack[TrackerOptions]
    ) -> motion.Tracker:
        """What moves toward goals in steps of `dt` [s], for control loops; see `limbik.Tracker`."""
        return motion.Tracker(self, goals, dt, **options)


def as_model(value: object) -> Model:
    """The model that it is; anything else raises ModelError."""
    if not isinstance(value, Model):
        raise ModelError(
            f"`model` needs a Model, such as limbik.load('panda') returns, found {shortened(value)}"
        )
    return value


def as_bounded_configuration(model: Model, value: ArrayLike, name: str) -> Array:
    """A new configuration [nq] of numbers up to 1e9 [rad or m], with quaternions of length 1.

    Raises ConfigurationError for anything else.
    """
    q = model._space.as_near_q(value, name)
    if q.ndim != 1:
        raise ConfigurationError(f"{name} needs {model.nq} numbers (nq), found shape {q.shape}")
    return q


def as_bounded_configurations(model: Model, value: ArrayLike, name: str) -> Array:
    """The same for many [N, nq]."""
    q = model._space.as_near_q(value, name)
    if q.ndim != 2:
        raise ConfigurationError(f"{name} needs shape (N, {model.nq}), found shape {q.shape}")
    return np.ascontiguousarray(q)


def _rebuild(
    name: str,
    joints: tuple[Joint, ...],
    frames: tuple[Frame, ...],
    parts: dict[str, Any],
) -> Model:
    return Model(name, joints, frames, **parts)


class _Path:
    """The moving joints from the root to a frame; fixed joints are merged into their origins."""

    def __init__(self, model: Model, frame: str) -> None:
        members: list[Member] = []
        pending = np.eye(4)
        for k in model._path_indices(frame):
            joint = model.joints[k]
            pending = pending @ joint.origin
            if joint.kind is not JointKind.FIXED:
                members.append(Member(joint, len(members), pending, *model._space.value_starts[k]))
                pending = np.eye(4)
        self.tool = pending @ model.frame(frame).pose_link_frame
        self.kinematics = Kinematics(members)
        leaders = [model.joints[model._space.leaders[model._joint_index(m.joint.name)]] for m in members]
        self.reach = _reach(members, leaders, self.tool)

    def pose(self, links: Array) -> Matrix4:
        return np.asarray(links[-1] @ self.tool)


class _Paths:
    """The joints from the root to several frames."""

    def __init__(self, model: Model, frames: Sequence[str]) -> None:
        joints = sorted({k for frame in frames for k in model._path_indices(frame)})
        indices = {k: index for index, k in enumerate(joints)} | {-1: -1}
        members = [
            Member(
                model.joints[k],
                indices[model._parent_joints[k]] + 1,
                model.joints[k].origin,
                *model._space.value_starts[k],
            )
            for k in joints
        ]
        self.kinematics = Kinematics(members)
        self.link_rows = [
            indices[int(model._frame_links[model._frame_index(each)]) - 1] + 1 for each in frames
        ]
        self.others = [  # frames that are not links
            (k, model.frame(each).pose_link_frame)
            for k, each in enumerate(frames)
            if model.frame(each).link != each
        ]

    def poses(self, values: Array) -> Array:
        out = np.moveaxis(self.kinematics.links(values)[self.link_rows], 0, -3)
        for k, local in self.others:
            out[..., k, :, :] = out[..., k, :, :] @ local
        return out


def _reach(members: Sequence[Member], leaders: Sequence[Joint], tool: Matrix4) -> float:
    """Upper bound [m] of how far the tool gets from the first of the members.

    leaders: for each member the joint whose limits hold for it: itself, or the one it follows.
    """
    if not members:
        return 0.0
    joints = [member.joint for member in members]
    travels = [value_range(joint, leader) for joint, leader in zip(joints, leaders, strict=True)]
    return reach_range(joints, [member.origin for member in members], travels, tool)[1]


# --- one tree -----------------------------------------------------------------------------------------------


def _as_tuple(items: Iterable[_T], kind: type[_T], what: str) -> tuple[_T, ...]:
    members = members_of(items, what, ModelError)
    for k, item in enumerate(members):
        if not isinstance(item, kind):
            raise ModelError(f"{what}[{k}] needs a {kind.__name__}, found {shortened(item)}")
    return members


def _as_tree(joints: tuple[Joint, ...], root: str | None) -> tuple[tuple[Joint, ...], str]:
    """The joints with parents before children, otherwise in the given order, and the root link."""
    _refuse_duplicates([joint.name for joint in joints], "joints")
    mover: dict[str, Joint] = {}
    for joint in joints:
        if joint.child in mover:
            both = f"{mover[joint.child].name!r} and {joint.name!r}"
            raise ModelError(f"link {joint.child!r} is the child of two joints, {both}")
        mover[joint.child] = joint
    root = _root(joints, mover, root)
    ordered: list[Joint] = []
    known = {root}
    waiting = list(joints)
    while waiting:
        later = []
        for joint in waiting:
            if joint.parent in known:
                known.add(joint.child)
                ordered.append(joint)
            else:
                later.append(joint)
        if len(later) == len(waiting):
            raise ModelError(_describe_cycle(later[0], mover))
        waiting = later
    return tuple(ordered), root


def _root(joints: tuple[Joint, ...], mover: dict[str, Joint], root: str | None) -> str:
    if root is not None:
        check_name(root, "`root` of a model")
    if not joints:
        return "base" if root is None else root
    first_user = {joint.parent: joint for joint in reversed(joints) if joint.parent not in mover}
    roots = [joint.parent for joint in joints if first_user.get(joint.parent) is joint]
    if root is not None and root in mover:
        raise ModelError(f"root {root!r} is the child of joint {mover[root].name!r}, so it is not the root")
    if not roots:
        raise ModelError(_describe_cycle(joints[0], mover))
    if root is None and len(roots) > 1:
        named = ", ".join(repr(name) for name in roots)
        raise ModelError(
            f"a model has one root link, found {len(roots)} links that are no joint's child: {named}"
        )
    if root is None:
        return roots[0]
    strangers = [name for name in roots if name != root]
    if strangers:
        hint = did_you_mean(strangers[0], [root, *mover])
        raise ModelError(
            f"joint {first_user[strangers[0]].name!r} has the unknown parent link {strangers[0]!r}; {hint}"
        )
    return root


def _describe_cycle(joint: Joint, mover: dict[str, Joint]) -> str:
    """Walk toward the root until a joint comes again."""
    walked: list[Joint] = []
    while joint not in walked:
        walked.append(joint)
        joint = mover[joint.parent]
    cycle = walked[walked.index(joint) :][::-1]
    links = " -> ".join([cycle[0].parent, *(member.child for member in cycle)])
    names = ", ".join(repr(member.name) for member in cycle)
    return f"the joints {names} form a cycle: {links}"


def _all_frames(links: Sequence[str], frames: tuple[Frame, ...]) -> tuple[Frame, ...]:
    known = set(links)
    for frame in frames:
        if frame.link not in known:
            hint = did_you_mean(frame.link, links)
            raise ModelError(f"frame {frame.name!r} is on the unknown link {frame.link!r}; {hint}")
        if frame.name in known:
            raise ModelError(f"frame {frame.name!r} has the name of a link; every link is already a frame")
    _refuse_duplicates([frame.name for frame in frames], "frames")
    return (*(Frame(name=link, link=link) for link in links), *frames)


def _on_links(links: Sequence[str], items: tuple[_OnLink, ...], what: str) -> tuple[_OnLink, ...]:
    known = set(links)
    for item in items:
        if item.link not in known:
            hint = did_you_mean(item.link, links)
            raise ModelError(f"there is a {what} on the unknown link {item.link!r}; {hint}")
    return items


def _refuse_unknown_names(names: Sequence[str], rules: tuple[PairRule, ...]) -> None:
    known = set(names)
    for rule in rules:
        for name in (rule.first, rule.second):
            if name not in known:
                hint = did_you_mean(name, dict.fromkeys(names))
                raise ModelError(f"a pair rule is about the unknown link or object {name!r}; {hint}")


def _rules(pairs: Iterable[Sequence[str]], what: str, is_checked: bool) -> list[PairRule]:
    rules = []
    for pair in members_of(pairs, what, CollisionError, "a list of pairs of names", any_order=True):
        names = members_of(pair, f"a pair of `{what}`", CollisionError, "two names", any_order=True)
        if len(names) != 2:
            raise CollisionError(f"a pair of `{what}` needs two names, found {shortened(pair)}")
        rules.append(
            PairRule(first=names[0], second=names[1], is_checked=is_checked, reason="as the user says")
        )
    return rules


def _refuse_duplicates(names: list[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ModelError(f"two {what} have the name {name!r}; names must differ")
        seen.add(name)
