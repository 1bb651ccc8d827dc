"""`drag`: moves a hand, a foot or the hips in one frame, and the frames around it with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from limbik.errors import GoalError, ModelError, did_you_mean, is_one_of, members_of, shortened
from limbik.formats.motions import Motion, as_motion
from limbik.model import JointKind, Model
from limbik.motion.articulation import Articulation, LinkJoints
from limbik.motion.body.body_root import body_root, hands_and_feet
from limbik.motion.body.humanoid import humanoid
from limbik.motion.body.roles import ARM, LEG, SIDES
from limbik.motion.limb import Limb, plan_of
from limbik.spatial import Array, as_number, as_vector, as_whole

BALL = 3  # degrees of freedom of a joint that turns in any direction
SHORTEST = 1e-6  # [s] of a falloff
SOFTEN = 0.02  # fraction of a limb's reach over which it is eased, so that no knee jumps


def grips_of(motion: Motion) -> tuple[str, ...]:
    """The links that `drag` takes: hips, hands and feet, or of what is no human body the ends of limbs.

    Only those that are there, and whose limb is one of two bones.
    """
    motion = as_motion(motion)
    return (*_bases(motion), *_limbs(motion))


def drag(
    motion: Motion,
    link: str,
    frame: int,
    place: ArrayLike,
    *,
    falloff: float = 0.3,
    keep: Sequence[int] = (),
) -> Motion:
    """The motion in which a link is at a position in one frame.

        limbik.motion.drag(motion, "LeftHand", 40, [0.3, 1.2, 0.4])

    link: one of `grips_of(motion)`. frame: counted from 0. place: [3] of the world [m]. falloff: how long
    before and after that frame nothing is changed any more [s]. keep: frames that stay as they are, such as
    those that were dragged before: the falloff ends there.

    In the frames around, the link moves by (1 - u^2)^3 of what it is moved by in that frame, u the fraction
    of the falloff: with two continuous derivatives. A hand or a foot takes its limb along and keeps its
    orientation (`Limb`); the hips take the body along, and the feet stay where they are. What is out of reach
    is gone toward; so that no knee jumps, that begins in the last hundredths of the reach, where a hand or a
    foot ends up to some millimetres short.

    Raises ModelError for a link that cannot be taken, GoalError for frames that the motion does not have, a
    place of another shape and a falloff that is not positive.
    """
    motion = as_motion(motion)
    frame = as_whole(frame, "frame", 0, GoalError, len(motion) - 1)
    needed = f"a number of seconds from {SHORTEST:g}"
    span = as_number(falloff, "falloff", needed, GoalError)
    if not SHORTEST <= span < np.inf:
        raise GoalError(f"falloff needs {needed}, found {span:g}")
    target = as_vector(place, 3, "place", error=GoalError)
    limbs, bases = _limbs(motion), _bases(motion)
    if not is_one_of(link, (*bases, *limbs)):
        hint = did_you_mean(link, (*bases, *limbs))
        raise ModelError(f"link needs a hand, a foot or the hips, found {shortened(link)}; {hint}")
    keep = members_of(keep, "keep", GoalError, "frames", any_order=True)
    keys = [as_whole(each, "`keep`", 0, GoalError, len(motion) - 1) for each in keep]
    if frame in keys:
        raise GoalError(f"frame {frame} is dragged, so `keep` cannot have it")
    steps = np.arange(len(motion)) - frame
    before, after = (
        min([span, *(motion.dt * side * (each - frame) for each in keys if side * (each - frame) > 0)])
        for side in (-1, 1)
    )
    away = np.abs(steps) * motion.dt / np.where(steps < 0, before, after)
    rows = np.flatnonzero(away < 1.0)
    weight = (1.0 - away[rows] ** 2) ** 3
    q = motion.q.copy()
    positions = motion.model.pose(q[rows], link)[:, :3, 3]
    moved = positions + weight[:, None] * (target - positions[rows == frame][0])
    if link in limbs:
        q[rows] = _brought(motion.model, limbs[link], q[rows], moved, weight)
    else:
        carried = _carried(motion.model, bases[link], q[rows], moved - positions)
        q[rows] = _with_feet(motion, limbs, q[rows], carried, weight)
    return replace(motion, q=q)


def _limbs(motion: Motion) -> dict[str, Limb]:
    """The limb that ends at each hand and foot."""
    try:
        frames = humanoid(motion).frames
        chains = [
            (frames.get(side + root, ""), frames.get(side + mid, ""), frames.get(side + tip, ""))
            for root, mid, tip in (ARM, LEG)
            for side in SIDES
        ]
    except ModelError:
        chains = list(_ends(Articulation(motion)))
    limbs: dict[str, Limb] = {}
    for root, mid, tip in chains:
        if root and mid and tip:
            limb = Limb(root, mid, tip)
            try:
                plan = plan_of(motion.model, limb)
            except ModelError:  # a limb of a robot whose hinges do not meet
                continue
            if plan.root.freedom == BALL:
                limbs[tip] = limb
    return limbs


def _ends(articulation: Articulation) -> list[tuple[str, str, str]]:
    """The last three links that turn of each branch."""
    parents = {group.link: group.parent for group in articulation.groups if group.freedom}
    ends = [link for link in parents if link not in parents.values()]
    return [
        (parents[parents[link]], parents[link], link)
        for link in ends
        if parents[link] in parents and parents[parents[link]] in parents
    ]


def _bases(motion: Motion) -> dict[str, LinkJoints]:
    """The links that go anywhere and carry the others, such as hips, and what moves them there: their own
    joints, or those of a root below them.
    """
    model = motion.model
    root = body_root(model, hands_and_feet(motion))
    line = {joint.child for joint in model.path(root)}
    moving = {joint.child for joint in model.joints if joint.kind is not JointKind.FIXED}
    bases = {}
    for group in Articulation(motion).groups:
        if len(group.slides) == 3 or _floats(group):
            if group.link in line:
                bases[root] = group
            elif group.parent not in moving:
                bases[group.link] = group
    return bases


def _floats(group: LinkJoints) -> bool:
    return any(joint.kind is JointKind.FLOATING for joint in group.joints)


def _carried(model: Model, base: LinkJoints, q: Array, by: Array) -> Array:
    """q [T, nq] with a base moved by [T, 3] [m]."""
    parent = model.pose(q, base.parent)[:, :3, :3]
    local = (np.swapaxes(parent, -1, -2) @ by[..., None])[..., 0]
    carried = q.copy()
    if _floats(base):
        joint = base.joints[-1]
        start = model.q_slice(joint.name).start
        carried[:, start : start + 3] += local @ joint.origin[:3, :3]
    else:
        carried[:, base.slide_indices] += np.linalg.solve(base.slides.T, local.T).T
    return carried


def _brought(
    model: Model, limb: Limb, q: Array, positions: Array, weight: Array, rotation: Array | None = None
) -> Array:
    """q [T, nq] with a limb at positions [T, 3], which it comes short of near the end of its reach the more
    the greater the weight [T] is: where that is 0, nothing moves.
    """
    exact = limb.solve(model, q, positions, rotation=rotation).q
    eased = replace(limb, soften=SOFTEN, weight=weight)
    return np.asarray(eased.solve(model, exact, positions, rotation=rotation).q)


def _with_feet(motion: Motion, limbs: dict[str, Limb], before: Array, after: Array, weight: Array) -> Array:
    """`after` [T, nq] with the feet as they were; weight [T]: of the drag."""
    try:
        roles = humanoid(motion).frames
    except ModelError:
        return after
    for side in SIDES:
        limb = limbs.get(roles.get(side + LEG[2], ""))
        if limb is not None:
            poses = motion.model.pose(before, limb.tip)
            after = _brought(motion.model, limb, after, poses[:, :3, 3], weight, poses[:, :3, :3])
    return after
