"""`retarget`: transfers a motion from one body to another, person or robot."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbik.errors import FormatWarning, ModelError, number_of, shortened
from limbik.formats.base_joint import based
from limbik.formats.motions import Motion, as_motion
from limbik.goals import Direction, Goal, Orientation, Position
from limbik.model.model import Model, as_model
from limbik.motion.body.anatomy import TRUNK, Anatomy, anatomy
from limbik.motion.body.hinges import with_hinges
from limbik.motion.body.humanoid import as_roles, humanoid
from limbik.motion.body.roles import ARM, LEG, SIDES
from limbik.motion.contacts import ContactRule, as_stands, detect_contacts, seconds_from
from limbik.motion.feet.sole_points import sole_of
from limbik.motion.feet.targets import flat_rotations, held_positions, lifted
from limbik.motion.rates import rate_limits
from limbik.motion.rest_goal import Steady
from limbik.solvers.stepper import Stepper
from limbik.spatial import Array, Vector3, check_flag, rotation_between
from limbik.tree.residuals import TARGET_SIZE

SAME_TURN = 1e-6  # of the numbers of two rotations
PIVOT, PIVOT_SPAN = 2.0, 0.05  # [rad/s], along [s] to both sides: of a foot that pivots where it stands
POSTURES = 50  # of a motion, beside that of rest, among which the upright one is looked for

# Weights of squared errors [m and rad].
FOOT, FOOT_TURN, FOOT_UP = 10.0, 0.4, 0.6  # of one that stands, which is flat rather than turned out
SWING, SWING_TURN = 0.2, 0.3  # of these, of one that swings: the hips do not jump to where it reaches a kick
EASE = 0.2  # [s] from stance to swing
HIPS, HIPS_TURN = 2.0, 2.0
TRUNK_TURN = 0.5
HEAD_TURN = 0.2
SHOULDER_TURN = 0.5
BONE = {"Leg": 0.3, "Arm": 0.7}
HAND_TURN = 0.1
FREEDOM = 6  # degrees of freedom of hips that go anywhere
STEADY = 0.05  # of the configuration before, and a fraction of the change from there to neutral
HOMEWARD = 0.2
SETTLING = 50  # steps in the first frame, before time begins
LEVEL = 0.025  # of a leg: how far from the ground a foot that stands is on it, as capture and heels vary
LOW = 0.05  # of the time in which a foot stands
RAISES = 3  # of feet in a frame, at most
IN_GROUND = 1e-3  # [m] of a sole, beyond which its foot is raised
AT_LIMIT = 0.999  # of a joint's speed limit
OFTEN = 0.2  # of the frames, in which a joint at its limit is named


@dataclass(frozen=True, eq=False)
class _Followed:
    """A goal over time."""

    goal: Goal  # of the first frame
    targets: Array  # [T, 12] as `solvers.task_set.fill_targets` writes them
    factors: Array | None = None  # [T] of the goal's weight
    sole: Array | None = None  # [k, 3] points that stay above the ground, in the goal's frame [m]


def retarget(
    motion: Motion,
    model: Model | Motion,
    *,
    source: Mapping[str, str] | None = None,
    target: Mapping[str, str] | None = None,
    contacts: NDArray[np.bool_] | None = None,
    speed_limits: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Motion:
    """The motion of a body on another one, such as that of a person on a robot.

        robot_motion = limbik.motion.retarget(limbik.load_motion("walk.bvh"), limbik.load("g1"))

    The hips go where those of the source go, in the measure of both bodies' legs; trunk, head, limbs, hands
    and feet are turned as those of the source. A foot stands flat and still while that of the source stands,
    and never below the ground, which is where the source stands. These are goals that conflict: each frame is
    their least weighted error (`solve(..., mode="best")`), within the joint limits, from the frame before.

    model: of the other body; a robot that is fixed to the world gets a floating base, "root_joint". Of a
    motion, its model: so the answer can be written to BVH, too.
    source, target: frames by role (VRM's names of bones: "hips", "leftUpperLeg", ...); default: as
    `limbik.humanoid` finds them.
    contacts: booleans [T, 2] whether the left and the right foot stand; default: found by `detect_contacts`,
    with thresholds in the measure of the source's legs, so that its unit does not matter.
    speed_limits: keep the velocity limits of the model's joints; a FormatWarning says where the robot lags
    behind for them.
    progress: is called after each frame with the number of those that are done, and of all.

    Raises ModelError where a body has no hips, no legs, or neither a trunk nor a head.
    """
    motion = with_hinges(as_motion(motion))
    whole = model.model if isinstance(model, Motion) else as_model(model)
    roles = humanoid(model).frames if target is None else as_roles(target, "target")
    there = freed(whole, roles["hips"]) if "hips" in roles else whole
    source = humanoid(motion).frames if source is None else as_roles(source, "source")
    postures, others = postures_of(motion), _postures_of_target(there, model)
    if _are_alike(motion.model, there):
        postures = others = np.concatenate([postures, others])  # so that both have the same upright posture
    body = anatomy(motion.model, source, motion.up, postures)
    up = model.up if isinstance(model, Motion) else None
    other = anatomy(there, roles, up, others)
    check_flag(speed_limits, "speed_limits", ModelError)
    if progress is not None and not callable(progress):
        raise ModelError(f"progress needs a function of two counts, found {shortened(progress)}")
    stands = stands_of(motion, body) if contacts is None else as_stands(contacts, len(motion), 2, ModelError)
    followed = list(_goals(motion, body, other, stands))
    q = _solved(other, followed, motion.dt, speed_limits, progress or _silent)
    if speed_limits:
        _note_lag(there, q, motion.dt)
    if isinstance(model, Motion):
        return replace(model, model=there, q=q, dt=motion.dt)
    return Motion(there, q, motion.dt, other.up)


def postures_of(motion: Motion) -> Array:
    """That of rest, then some of the motion, [k, nq]."""
    positions = np.unique(np.linspace(0, len(motion) - 1, POSTURES).astype(np.int64))
    return np.concatenate([motion.model.neutral[None], motion.q[positions]])


def _are_alike(model: Model, other: Model) -> bool:
    """Whether two models differ by names and by the lengths of their bones alone."""
    if model.nq != other.nq or _parents(model) != _parents(other):
        return False
    return all(
        a.kind is b.kind
        and np.abs(a.axis - b.axis).max() <= SAME_TURN
        and np.abs(a.origin[:3, :3] - b.origin[:3, :3]).max() <= SAME_TURN
        for a, b in zip(model.joints, other.joints, strict=True)
    )


def _parents(model: Model) -> list[int]:
    """Of each joint the index of the one before it, -1 for none."""
    indices = {joint.child: k for k, joint in enumerate(model.joints)}
    return [indices.get(joint.parent, -1) for joint in model.joints]


def _postures_of_target(there: Model, model: Model | Motion) -> Array:
    """That of rest and, of a motion, some of it, [k, nq]: where its hips are does not matter."""
    if not isinstance(model, Motion):
        return there.neutral[None]
    postures = postures_of(model)
    q = np.tile(there.neutral, (len(postures), 1))
    _copy_joints(model.model.joint_names, model.model, postures, there, q)
    return q


def _copy_joints(names: Iterable[str], model: Model, q: Array, other: Model, other_q: Array) -> None:
    """Write the numbers of joints, from q [..., nq] of a model, into that of another model that has them."""
    for name in names:
        other_q[..., other.q_slice(name)] = q[..., model.q_slice(name)]


def stands_of(motion: Motion, body: Anatomy) -> NDArray[np.bool_]:
    """[T, 2] whether the left and the right foot stand."""
    feet = [body.frames[side + LEG[2]] for side in SIDES]
    return detect_contacts(motion, feet, ContactRule.for_legs(body.length(LEG)))


def _goals(motion: Motion, body: Anatomy, other: Anatomy, stands: NDArray[np.bool_]) -> Iterator[_Followed]:
    """What the other body is to follow."""
    q = motion.q
    stands = stands & ~np.stack(
        [_pivoting(body.rotations(q, side + LEG[2]), motion.dt) for side in SIDES], axis=1
    )
    scale = other.length(LEG) / body.length(LEG)
    feet = {side: body.points(q, side + LEG[2]) for side in SIDES}
    soles = {side: _sole(other, side + LEG[2]) for side in SIDES}
    base = min(_standing_height(feet[side][:, 2], stands[:, k]) for k, side in enumerate(SIDES))
    near = LEVEL * other.length(LEG)
    ankle = float(np.mean([-sole[:, 2].min() for sole in soles.values()]))

    def brought(positions: Array) -> Array:
        """Positions [T, 3] in the measure of the other body, feet on the ground."""
        moved = scale * (positions - [0.0, 0.0, base])
        moved[:, 2] += ankle
        return moved

    def alike(role: str, weight: float) -> _Followed:
        """A part of the other body is oriented as that of the source."""
        return _turn(other, role, body.rotations(q, role), weight)

    for k, side in enumerate(SIDES):
        role = side + LEG[2]
        axes = other.axes[role]
        rotations = _stood_upright(body.rotations(q, role), stands[:, k])
        rotations = flat_rotations(rotations, stands[:, k], motion.dt)
        positions = held_positions(brought(feet[side]), stands[:, k], -soles[side][:, 2].min(), near)
        positions = lifted(positions, rotations, soles[side])
        swing = _swing(stands[:, k], motion.dt)
        foot = _position(other, role, positions, FOOT)
        yield replace(foot, factors=SWING**swing, sole=soles[side] @ axes.T)
        turn = _turn(other, role, rotations, FOOT_TURN)
        up = _direction(other, role, axes[:, 2], rotations[:, :, 2], FOOT_UP)
        for each in (turn, up):
            yield replace(each, factors=SWING_TURN**swing)
    left, right = (body.centers(q, side + LEG[0]) for side in SIDES)
    hips = body.rotations(q, "hips")
    yield _position(other, "hips", brought(0.5 * (left + right)) + hips @ _from_hip_joints(other), HIPS)
    yield _turn(other, "hips", hips, HIPS_TURN)
    carrier, trunk = body.first_of(TRUNK), other.first_of(TRUNK)
    if carrier and trunk:
        yield _turn(other, trunk, body.rotations(q, carrier), TRUNK_TURN)
    before = trunk or "hips"
    for role in (*TRUNK, "neck", "head"):
        if role != trunk and body.has(role) and other.has(role) and _moves(other, role, before):
            yield alike(role, HEAD_TURN)
            before = role
    for role in (side + "Shoulder" for side in SIDES):
        if body.has(role) and other.has(role) and _moves(other, role, trunk or "hips"):
            yield alike(role, SHOULDER_TURN)
    for limb, weight in ((LEG, BONE["Leg"]), (ARM, BONE["Arm"])):
        for side in SIDES:
            if all(each.has(*(side + part for part in limb)) for each in (body, other)):
                yield from _bones(body, other, q, side, limb, weight)
    for side in SIDES:
        if body.has_hand(side) and other.has_hand(side):
            yield alike(side + ARM[2], HAND_TURN)


def _moves(other: Anatomy, role: str, carrier: str) -> bool:
    """Whether a part moves against the one that carries it."""
    path = other.model.path(other.frames[role])
    return any(joint.nv for joint in path[len(other.model.path(other.frames[carrier])) :])


def _bones(
    body: Anatomy, other: Anatomy, q: Array, side: str, limb: tuple[str, str, str], weight: float
) -> Iterator[_Followed]:
    """Both bones of a limb point as those of the source."""
    for part in limb[:2]:
        role = side + part
        yield _direction(other, role, other.along[role], body.directions(q, role), weight)


def _direction(other: Anatomy, role: str, axis: Vector3, directions: Array, weight: float) -> _Followed:
    """An axis of the part's frame points as directions [T, 3]."""
    targets = np.zeros((len(directions), TARGET_SIZE))
    targets[:, :3] = directions @ other.upward
    goal = Direction(frame=other.frames[role], axis=axis, target=targets[0, :3], weight=weight)
    return _Followed(goal, targets)


def _position(other: Anatomy, role: str, positions: Array, weight: float) -> _Followed:
    targets = np.zeros((len(positions), TARGET_SIZE))
    targets[:, :3] = positions @ other.upward
    targets[:, 3:] = np.eye(3).ravel()
    return _Followed(Position(frame=other.frames[role], target=targets[0, :3], weight=weight), targets)


def _turn(other: Anatomy, role: str, in_world: Array, weight: float) -> _Followed:
    rotations = other.upward.T @ in_world @ other.axes[role].T
    targets = np.zeros((len(in_world), TARGET_SIZE))
    targets[:, 3:] = rotations.reshape(-1, 9)
    return _Followed(Orientation(frame=other.frames[role], target=rotations[0], weight=weight), targets)


def _swing(stands: NDArray[np.bool_], dt: float) -> Array:
    """[T] from 0 in frames in which a foot stands to 1 in those that are EASE from them."""
    part = np.minimum(seconds_from(stands, dt) / EASE, 1.0)
    return np.asarray(part * part * (3.0 - 2.0 * part))


def _pivoting(rotations: Array, dt: float) -> NDArray[np.bool_]:
    """[T] whether a foot rotates about the vertical, on ball or heel, faster than one that stands does."""
    heading = np.unwrap(np.arctan2(rotations[:, 1, 0], rotations[:, 0, 0]))
    h = max(1, round(PIVOT_SPAN / dt))
    padded = np.pad(heading, h, mode="edge")
    return np.asarray(np.abs(padded[2 * h :] - padded[: -2 * h]) > PIVOT * 2.0 * h * dt)


def _standing_height(heights: Array, stands: NDArray[np.bool_]) -> float:
    """[m] of a foot where it stands lowest, but for LOW of the time; where it never does, the lowest."""
    return float(np.quantile(heights[stands], LOW) if stands.any() else heights.min())


def _stood_upright(rotations: Array, stands: NDArray[np.bool_]) -> Array:
    """The axes [T, 3, 3] of a foot, of which z is up on average while it stands."""
    if not stands.any():
        return rotations
    up = rotations[stands][:, 2].mean(axis=0)
    return rotations @ rotation_between(np.array([0.0, 0.0, 1.0]), up)


def _sole(other: Anatomy, role: str) -> Array:
    """[k, 3] points of the sole of a foot in its anatomical axes."""
    up = other.axes[role][:, 2]
    return sole_of(other.model, other.frames[role], other.upright, up) @ other.axes[role]


def _from_hip_joints(other: Anatomy) -> Array:
    """[3, m] from the middle of the joints of both legs to the hips' frame, in the hips' anatomical axes."""
    q = other.upright[None]
    left, right = (other.centers(q, side + LEG[0])[0] for side in SIDES)
    away: Array = other.points(q, "hips")[0] - 0.5 * (left + right)
    return other.rotations(q, "hips")[0].T @ away


def _silent(done: int, total: int) -> None:
    """No progress is shown."""


def _solved(
    other: Anatomy,
    followed: list[_Followed],
    dt: float,
    speed_limits: bool,
    progress: Callable[[int, int], None],
) -> Array:
    """Configurations [T, nq]; joints that move no part of the body that follows stay as they are upright."""
    part = _leading_to(other.model, {name for each in followed for name in _frames(each.goal)})
    all_q = np.tile(other.upright, (len(followed[0].targets), 1))
    start = part.neutral.copy()
    _copy_joints(part.joint_names, other.model, other.upright, part, start)
    body = replace(other, model=part, upright=start)
    solved = _solved_by_all(body, followed, dt, speed_limits, progress)
    _copy_joints((each.name for each in part.joints if each.mimic is None), part, solved, other.model, all_q)
    return all_q


def _frames(goal: Goal) -> list[str]:
    return [name for name in (goal.frame, goal.reference_frame) if name is not None]


def _leading_to(model: Model, frames: set[str]) -> Model:
    """The part of a model that leads to frames: without fingers, hair and skirts."""
    names = {joint.name for frame in frames for joint in model.path(frame)}
    leaders = {joint.mimic.joint for joint in model.joints if joint.name in names and joint.mimic is not None}
    names |= {joint.name for leader in leaders for joint in model.path(model.joint(leader).child)}
    joints = [joint for joint in model.joints if joint.name in names]
    links = {model.root, *(joint.child for joint in joints)}
    return Model(
        model.name,
        joints,
        [each for each in model.frames if each.link in links and each.name not in links],
        root=model.root,
    )


def _solved_by_all(
    body: Anatomy,
    followed: list[_Followed],
    dt: float,
    speed_limits: bool,
    progress: Callable[[int, int], None],
) -> Array:
    """Configurations [T, nq], one frame after the other."""
    model, count = body.model, len(followed)
    steady = Steady(model, STEADY, body.upright, HOMEWARD)
    plan = Stepper(model, [*(each.goal for each in followed), *steady.goals])
    reach = _reach_in(model, dt) if speed_limits else np.full(model.nq, math.inf)
    over_time = np.stack([each.targets for each in followed], axis=1)
    factors = np.ones((len(over_time), len(plan.tasks)))
    for k, each in enumerate(followed):
        factors[:, k] = 1.0 if each.factors is None else each.factors
    targets = np.zeros((len(plan.tasks), TARGET_SIZE))
    solved = np.empty((len(over_time), model.nq))
    q, rises, easing = _first(body, followed), np.zeros(count), math.exp(-dt / EASE)
    for frame, wanted in enumerate(over_time):
        targets[:count] = wanted
        rises *= easing
        targets[:count, :3] += np.outer(rises, body.upward[2])
        plan.weigh(factors[frame])
        for _ in range(1 if frame else SETTLING):
            steady.write(q, targets[count:])
            if frame:
                plan.narrow(np.maximum(model.lower, q - reach), np.minimum(model.upper, q + reach))
            q = plan.step(targets, q)
        for _ in range(RAISES):
            more = _depths(body, followed, q)
            if not more.any():
                break
            rises += more
            targets[:count, :3] += np.outer(more, body.upward[2])
            q = plan.step(targets, q)
        solved[frame] = q
        progress(frame + 1, len(over_time))
    return solved


def _depths(body: Anatomy, followed: list[_Followed], q: Array) -> Array:
    """[m] how much deeper than IN_GROUND the soles of the goals' feet are in the ground at q [nq]; else 0."""
    up, depths = body.upward[2], np.zeros(len(followed))
    for k, each in enumerate(followed):
        if each.sole is not None:
            pose = body.model.pose(q, each.goal.frame)
            depths[k] = -float((each.sole @ pose[:3, :3].T @ up).min() + pose[:3, 3] @ up) - IN_GROUND
    return np.maximum(depths, 0.0)


def _first(body: Anatomy, followed: list[_Followed]) -> Array:
    """A start [nq] at which the hips are where they are to be in the first frame."""
    goals: Any = [each.goal for each in followed if each.goal.frame == body.frames["hips"]]
    return np.asarray(body.model.solve(goals, start=body.upright).q)


def _reach_in(model: Model, dt: float) -> Array:
    """[nq] how far each joint can move in a frame."""
    limits, reach = rate_limits(model, None, "velocity_limits"), np.full(model.nq, math.inf)
    for joint in model.joints:
        if joint.nv == 1:
            reach[model.q_slice(joint.name)] = dt * limits[model.v_slice(joint.name)]
    return reach


def _note_lag(model: Model, q: Array, dt: float) -> None:
    """Warn of joints that move as fast as they can in many frames of a motion [T, nq]."""
    if len(q) < 2:
        return
    reach = _reach_in(model, dt)
    fractions = ((np.abs(np.diff(q, axis=0)) >= AT_LIMIT * reach) & (reach > 0.0)).mean(axis=0)
    busy = np.flatnonzero(fractions > OFTEN)
    if busy.size:
        busiest = int(fractions.argmax())
        joint = next(each for each in model.coordinates if each.q == busiest)
        unit = "m/s" if joint.is_length else "rad/s"
        others = f", and {number_of(busy.size - 1, 'other joint')} in many" if busy.size > 1 else ""
        warnings.warn(
            f"{model.name!r} lags behind the motion: {joint.joint!r} moves at its speed limit of "
            f"{reach[busiest] / dt:.3g} {unit} in {fractions[busiest]:.0%} of the frames{others}; with a "
            "larger dt the motion is slower, and the robot follows more closely",
            FormatWarning,
            stacklevel=3,
        )


def freed(model: Model, hips: str) -> Model:
    """The model with hips that go anywhere."""
    return model if sum(joint.nv for joint in model.path(hips)) >= FREEDOM else based(model, "floating")
