"""`plant_feet`: locks feet while they stand, keeps them above the ground, and moves the body with them.

The legs are limbs in closed form, the toes and feet take the orientations of `foot_locks`, and the pelvis
goes as low as the legs need to reach: of all heights below that bound those of least jerk, which knows the
whole motion and so begins before a long step.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbik.errors import FormatWarning, GoalError, ModelError, members_of, repeated
from limbik.formats.motions import Motion, as_motion
from limbik.model import Model
from limbik.motion.articulation import Articulation, put
from limbik.motion.contacts import SHORTEST_LEG, ContactRule, as_flags
from limbik.motion.feet.doubts import doubts
from limbik.motion.feet.ground import Ground
from limbik.motion.feet.leg_chain import LegChain
from limbik.motion.feet.locks import FootLocks, FootPath
from limbik.motion.feet.pelvis import ground_margin, pelvis_rise, raised
from limbik.motion.feet.soles import Sole, contacts_at, soles_of
from limbik.motion.feet.stances import AnimatedFoot, LockRule
from limbik.motion.limb import Limb, LimbPlan, plan_of
from limbik.spatial import Array, as_number, as_numbers, cross, norm, rotation_exp, rotation_log, unit

SOFTEN = 0.001  # of legs that the pelvis cannot help
MIN_BEND = 0.3  # of what all bends of a knee would be about one axis
LOCK_RADIUS = 0.18  # [leg lengths]
LYING = 0.15  # height of a shank, as part of its length, below which it lies
SITTING = (
    0.15  # height of a hip over the ankle, as part of the leg's length, below which the leg carries nothing
)
MIN_SETTING, MAX_SETTING = 1e-6, 1e6  # [s, m or rad]


def plant_feet(
    motion: Motion,
    *,
    ground: Ground | None = None,
    contacts: ArrayLike | ContactRule | None = None,
    feet: Sequence[str | Sole] | None = None,
    weight: ArrayLike = 1.0,
    lock_radius: float | None = None,
    unlock_angle: float = 0.6,
    halflife: float = 0.1,
) -> Motion:
    """The motion with its feet on the ground.

    ground: default: the plane at height 0. The animation is one on level ground. contacts: whether heel and
    ball of each foot stand, [T, feet, 2], or only whether the foot does, [T, feet]; or the rule that they are
    detected by; default: `ContactRule.for_legs` of the motion's. With a rule for a belt feet stand on the
    belt. feet: names of the links of the feet, or soles; default: `soles_of(motion)`. weight: 0 to 1, or [T]:
    of all corrections. lock_radius: how far a foot's position in the animation may be from where it stands
    [m], by default 0.18 of the length of a leg: farther off it is let go, and locked again. unlock_angle: how
    far its orientation may be from flat [rad]. halflife: time in which an offset has halved after a foot is
    let go, and before it is locked [s].

    While it stands, a foot does not move: on its heel, flat, then on the ball. Where it stands is the mean of
    where the animation has it, on the ground there, turned as the slope is. In between a foot keeps from the
    ground what the animation keeps, up to 2 cm. The pelvis follows the ground, and goes down where the legs
    do not reach; horizontally it stays.

    Feet whose shank lies or whose hip is beside them, as in crawling, kneeling and sitting, are left as they
    are. Cartwheels and hands are not planted at all.

    Warns of a motion whose unit or axis up is not what it seems to be, or that walks on a belt.

    Raises ModelError for legs that are neither limbs (see `Limb`) nor chains of six hinges, GoalError for
    numbers and arrays that have no meaning.
    """
    motion = as_motion(motion)
    floor = ground if ground is not None else Ground.plane(up=motion.up)
    if not isinstance(floor, Ground) or floor.up != motion.up:
        raise GoalError(f"ground needs a Ground with up={motion.up!r}, as the motion has it")
    if isinstance(contacts, ContactRule) and any(contacts.ground_velocity):
        belt_travel = np.multiply.outer(motion.dt * np.arange(len(motion)), contacts.ground_velocity)
        still = replace(contacts, ground_velocity=(0.0, 0.0, 0.0))
        planted = plant_feet(
            _moved_by(motion, -belt_travel),
            ground=floor,
            contacts=still,
            feet=feet,
            weight=weight,
            lock_radius=lock_radius,
            unlock_angle=unlock_angle,
            halflife=halflife,
        )
        return _moved_by(planted, belt_travel)
    soles = _soles(motion, feet)
    legs = [_leg(motion.model, sole) for sole in soles]
    poses = _poses(motion, [name for leg in legs for name in leg.frames], soles)
    legs = [_with_knee(leg, poses) for leg in legs]
    lengths = [_leg_length(poses, leg) for leg in legs]
    for sole, length in zip(soles, lengths, strict=True):
        if length < SHORTEST_LEG:
            raise ModelError(f"the leg of {sole.links[0]!r} needs a length, found {length:.2g} m")
    if contacts is None:
        carries = carrying(motion, legs, poses)
        for doubt in doubts(motion, soles, poses, float(np.mean(lengths)), carries):
            warnings.warn(f"the motion is planted as it is, but {doubt}", FormatWarning, stacklevel=2)
    radius = LOCK_RADIUS * float(np.mean(lengths)) if lock_radius is None else lock_radius
    rule = LockRule(
        _positive(radius, "lock_radius"),
        _positive(unlock_angle, "unlock_angle"),
        _positive(halflife, "halflife"),
    )
    stands = _stands(motion, soles, poses, contacts)
    if contacts is None or isinstance(contacts, ContactRule):
        stands &= carrying(motion, legs, poses)[..., None]
    paths, up = [], np.eye(3)["xyz".index(motion.up)]
    for k, sole in enumerate(soles):
        ankle, toe = (poses[name] for name in sole.links)
        foot = AnimatedFoot(sole, ankle, toe, up, lengths[k], motion.dt)
        paths.append(FootLocks(foot, stands[:, k], floor, rule).path())
    margin = ground_margin(motion, legs, soles, poses)
    rise = pelvis_rise(motion, legs, poses, paths, float(np.mean(lengths)), rule.halflife, margin)
    return _moved(motion, soles, legs, poses, paths, rise, _weights(motion, weight))


# --- input --------------------------------------------------------------------------------------------------


def _positive(value: float, name: str) -> float:
    needed = f"a positive number, from {MIN_SETTING:g} to {MAX_SETTING:g}"
    number = as_number(value, name, needed, GoalError)
    if not MIN_SETTING <= number <= MAX_SETTING:
        raise GoalError(f"{name} needs {needed}, found {number:g}")
    return number


def _soles(motion: Motion, feet: Sequence[str | Sole] | None) -> tuple[Sole, ...]:
    if feet is None:
        return soles_of(motion)
    members = members_of(feet, "feet", ModelError, "a list of links or soles")
    if not members:
        raise ModelError("feet needs at least one link or sole")
    soles = tuple(foot if isinstance(foot, Sole) else soles_of(motion, [foot])[0] for foot in members)
    if (ankle := repeated(sole.ankle for sole in soles)) is not None:
        raise ModelError(f"feet needs links that differ, found {ankle!r} twice")
    return soles


def _leg(model: Model, sole: Sole) -> LimbPlan | LegChain:
    """A leg as a limb in closed form, or where its hip axes do not meet or its hinges have limits, which that
    form does not know, as a chain of six hinges.
    """
    try:
        chain = LegChain(model, sole)
    except ModelError as error:
        plan = plan_of(model, Limb(sole.root, sole.mid, sole.ankle, soften=SOFTEN))
        if plan.root.freedom < 3:
            raise error from None
        return plan
    if chain.has_limits:
        return chain
    try:
        plan = plan_of(model, Limb(sole.root, sole.mid, sole.ankle, soften=SOFTEN))
    except ModelError:
        return chain
    return plan if plan.root.freedom == 3 else chain


def _with_knee(leg: LimbPlan | LegChain, poses: dict[str, Array]) -> LimbPlan | LegChain:
    """The leg with the axis about which its knee bends in the animation, by the mean over the frames."""
    if isinstance(leg, LegChain) or leg.is_hinge:
        return leg
    hip, knee, ankle = (poses[name][:, :3, 3] for name in leg.bones)
    across = cross(knee - hip, ankle - knee)
    shank = poses[leg.limb.mid][:, :3, :3]
    axis = np.einsum("tji,tj->i", shank, across)
    if not norm(axis) > MIN_BEND * float(norm(across).sum()):
        return leg
    return LimbPlan(leg.model, replace(leg.limb, axis=tuple(unit(axis))), has_knee=True)


def _stands(
    motion: Motion,
    soles: tuple[Sole, ...],
    poses: dict[str, Array],
    contacts: ArrayLike | ContactRule | None,
) -> NDArray[np.bool_]:
    """[T, feet, 2] of heel and ball."""
    if contacts is None or isinstance(contacts, ContactRule):
        return contacts_at(motion, soles, poses, contacts)
    shape = len(motion), len(soles)
    needed = f"shape [{shape[0]}, {shape[1]}] or [{shape[0]}, {shape[1]}, 2]: frames, feet, and heel and ball"
    numbers = as_numbers(contacts, "contacts", needed, GoalError)
    if numbers.shape not in (shape, (*shape, 2)):
        raise GoalError(f"contacts needs {needed}, found shape {numbers.shape}")
    stands = as_flags(numbers, GoalError)
    if stands.ndim == 3:
        return stands
    each = contacts_at(motion, soles, poses, None) & stands[..., None]
    unclear = stands & ~each.any(axis=-1)
    each[..., 1] |= unclear
    return each


def _weights(motion: Motion, weight: ArrayLike) -> Array:
    needed = f"numbers from 0 to 1, one or [{len(motion)}]"
    weights = as_numbers(weight, "weight", needed, GoalError)
    if weights.shape not in ((), (len(motion),)) or not ((weights >= 0.0) & (weights <= 1.0)).all():
        raise GoalError(f"weight needs {needed}")
    return np.broadcast_to(weights, (len(motion),))


def _poses(motion: Motion, names: Sequence[str], soles: Sequence[Sole]) -> dict[str, Array]:
    """Poses [T, 4, 4] of frames, and of all thighs, feet and toes, in the animation."""
    every = list(dict.fromkeys([*names, *(link for sole in soles for link in (sole.root, *sole.links))]))
    poses = motion.model.poses(motion.q, every)
    return {name: poses[:, k] for k, name in enumerate(every)}


def _leg_length(poses: dict[str, Array], leg: LimbPlan | LegChain) -> float:
    """Of thigh and shank [m]."""
    hip, knee, ankle = (poses[name][:, :3, 3] for name in leg.bones)
    return float(np.median(norm(knee - hip) + norm(ankle - knee)))


# --- the body -----------------------------------------------------------------------------------------------


def _moved(
    motion: Motion,
    soles: tuple[Sole, ...],
    legs: list[LimbPlan | LegChain],
    poses: dict[str, Array],
    paths: list[FootPath],
    rise: Array,
    weight: Array,
) -> Motion:
    """The motion with its pelvis moved by [T, 3] [m], and its feet on their paths, each as far as the weights
    [T] have it.
    """
    q, moved = raised(motion, poses, weight[:, None] * rise)
    articulation = Articulation(motion)
    for sole, leg, path in zip(soles, legs, paths, strict=True):
        foot = poses[sole.ankle]
        position = foot[:, :3, 3] + weight[:, None] * (path.position - foot[:, :3, 3])
        rotation = _part(foot[:, :3, :3], path.rotation, weight)
        leg.stand(moved, q, position, rotation)
        if path.toe is not None and sole.toe is not None:
            toe = _part(poses[sole.toe][:, :3, :3], path.toe, weight)
            put(motion.model, articulation.group(sole.toe), q, np.swapaxes(rotation, -1, -2) @ toe)
    return replace(motion, q=np.where(weight[:, None] > 0.0, q, motion.q))


def _part(start: Array, end: Array, weight: Array) -> Array:
    """Rotations [T, 3, 3] at a fraction of the rotation between two."""
    if (weight == 1.0).all():
        return end
    rotation = rotation_log(np.swapaxes(start, -1, -2) @ end)
    return np.asarray(start @ rotation_exp(weight[:, None] * rotation))


def carrying(motion: Motion, legs: list[LimbPlan | LegChain], poses: dict[str, Array]) -> NDArray[np.bool_]:
    """Whether each leg could carry, [T, legs]: its shank does not lie, as in crawling and kneeling, and the
    hip is over the foot, as it is not in sitting and lying.
    """
    up = "xyz".index(motion.up)
    links = []
    for leg in legs:
        hip, knee, ankle = (poses[name][:, :3, 3] for name in leg.bones)
        shank = knee - ankle
        is_over = (hip - ankle)[:, up] > SITTING * (norm(hip - knee) + norm(shank))
        links.append((shank[:, up] > LYING * norm(shank)) & is_over)
    return np.stack(links, axis=1)


def _moved_by(motion: Motion, displacement: Array) -> Motion:
    """The motion with its body moved by [T, 3] [m]."""
    return replace(motion, q=raised(motion, {}, displacement)[0])
