"""`Sole`: heel, ball and tip of the toes of a foot, found from a motion; and the frames in which heel and
ball are on the ground.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbik.errors import GoalError, ModelError, did_you_mean, is_one_of, members_of, shortened
from limbik.formats.motions import Motion, as_motion
from limbik.model import Model
from limbik.model.joints import FARTHEST
from limbik.motion.articulation import Articulation
from limbik.motion.body.humanoid import humanoid
from limbik.motion.contacts import ContactRule, feet_of, point_contacts, rule_for
from limbik.motion.feet.sole_points import has_sole, sole_of
from limbik.spatial import (
    Array,
    Vector3,
    as_vector,
    check_largest,
    dot,
    norm,
    perpendicular,
    pose_inverse,
    unit,
)

HEEL, BALL, TIP = 0, 1, 2
OVER = 0.7  # cosine of the angle between the line from foot to hip and the vertical in which a leg stands
BEHIND = 0.3  # how far a heel is behind the ankle, as a fraction of how far the ball is before it


@dataclass(frozen=True, kw_only=True, eq=False)
class Sole:
    """A leg and what it stands on.

    root, mid, ankle: the links of the leg: thigh, shank and foot.
    toe: the link of the toes, which turns about the ball of the foot; None: the foot is one piece.
    heel, ball: points [3] in axes of the link ankle [m]. With toes, ball is the origin of their link.
    tip: point [3] in axes of the link toe [m], or of ankle where there is none.
    heights: of heel, ball and tip over the ground while the foot stands flat [m].
    up: the direction [3] in axes of the link ankle that is up while the foot stands flat.
    """

    root: str
    mid: str
    ankle: str
    toe: str | None
    heel: Vector3
    ball: Vector3
    tip: Vector3
    heights: Vector3
    up: Vector3

    def __post_init__(self) -> None:
        for name in ("root", "mid", "ankle", "toe"):
            link = getattr(self, name)
            if not (isinstance(link, str) and link) and (name != "toe" or link is not None):
                raise ModelError(f"{name} of a sole needs the name of a link, not {shortened(link)}")
        for name in ("heel", "ball", "tip", "heights", "up"):
            vector = as_vector(getattr(self, name), 3, f"{name} of a sole")
            if name != "up":
                check_largest(vector, FARTHEST, f"{name} of a sole", "m", ModelError)
            object.__setattr__(self, name, vector)
        object.__setattr__(self, "up", unit(self.up))

    @property
    def links(self) -> tuple[str, str]:
        """That of heel and ball, and that of the tip."""
        return self.ankle, self.toe or self.ankle

    def points(self, ankle: Array, toe: Array) -> Array:
        """Heel, ball and tip [T, 3, 3] in the world, of poses [T, 4, 4] of `links`."""
        offsets = [(ankle, self.heel), (ankle, self.ball), (toe, self.tip)]
        return np.stack([pose[:, :3, :3] @ at + pose[:, :3, 3] for pose, at in offsets], axis=1)


def soles_of(motion: Motion, feet: Sequence[str] | None = None) -> tuple[Sole, ...]:
    """The soles of a motion's feet.

    feet: the links of the feet, which the ankles turn; default: those called foot, or else ankle (of several
    of a leg that of `limbik.humanoid`), or else those of `limbik.humanoid`, or else those before the ones
    called toe.

    The toes are the link after the foot, their tip is the frame on it that is farthest away. Which direction
    is up for a foot, and how high its points are, is taken from the frames in which it stands: from the
    middle of the frames in which ankle and toes are slowest. The heel is under the ankle at the height of the
    lowest point, and behind it by 0.3 of the distance to the ball. Of a foot with shapes or frames at the
    corners of its sole, such as a robot's, heel and tip are its ends, and without toes the ball is the tip.

    Raises ModelError for unknown links, and for a foot without two more links before it, CollisionError for a
    mesh that cannot be read, and MissingExtra for one that needs a library.
    """
    motion = as_motion(motion)
    articulation, roles = Articulation(motion), _roles(motion)
    if feet is None:
        names = _feet_by_name(motion, articulation, roles)
    else:
        names = list(members_of(feet, "feet", ModelError, "a list of links"))
    legs = [_leg(motion.model, articulation, roles, name) for name in names]
    links = [link for leg in legs for link in (leg.ankle, leg.toe or leg.ankle, leg.root)]
    poses = motion.model.poses(motion.q, links)
    ahead = _ahead(motion, roles)
    return tuple(_sole(motion, leg, poses[:, 3 * k : 3 * k + 3], ahead) for k, leg in enumerate(legs))


def sole_contacts(
    motion: Motion, soles: Sequence[Sole] | None = None, rule: ContactRule | None = None
) -> NDArray[np.bool_]:
    """[T, feet, 2] whether the heel and the ball of each foot stand on the ground.

    soles: default: `soles_of(motion)`; rule: default: `ContactRule.for_legs` of the motion's. A foot stands
    where one of both does. Raises GoalError for others.
    """
    motion = as_motion(motion)
    needed = "a list of soles, such as those of `soles_of`"
    chosen = soles_of(motion) if soles is None else members_of(soles, "soles", GoalError, needed)
    if not all(isinstance(sole, Sole) for sole in chosen):
        raise GoalError(f"soles needs {needed}, found {shortened(soles)}")
    if not chosen:
        return np.zeros((len(motion), 0, 2), dtype=np.bool_)
    names = list(dict.fromkeys(link for sole in chosen for link in sole.links))
    every_pose = motion.model.poses(motion.q, names)
    poses = {name: every_pose[:, k] for k, name in enumerate(names)}
    return contacts_at(motion, chosen, poses, rule)


def contacts_at(
    motion: Motion, soles: Sequence[Sole], poses: Mapping[str, Array], rule: ContactRule | None
) -> NDArray[np.bool_]:
    """The same, by poses [T, 4, 4] of the links of soles."""
    rule = rule_for(motion, [sole.ankle for sole in soles], rule)
    points = [sole.points(*(poses[link] for link in sole.links))[:, :TIP] for sole in soles]
    contacts = point_contacts(np.concatenate(points, axis=1), motion, rule)
    return contacts.reshape(len(motion), len(soles), 2)


def _roles(motion: Motion) -> Mapping[str, str]:
    """Links by the roles of a human body; none where the motion has no such body."""
    try:
        return humanoid(motion).frames
    except ModelError:
        return {}


def _feet_by_name(motion: Motion, articulation: Articulation, roles: Mapping[str, str]) -> list[str]:
    """The links of the feet. Raises ModelError where no name tells."""
    of_body = [roles[role] for role in ("leftFoot", "rightFoot") if role in roles]
    for word in ("foot", "ankle"):
        feet = [link for link in articulation.links if word in link.casefold()]
        if feet := [link for link in feet if "toe" not in link.casefold()]:
            first = [link for link in feet if articulation.group(link).parent not in feet]
            is_split = len(first) < len(feet)  # an ankle may be two hinges
            return of_body if is_split and of_body and {*of_body} <= {*feet} else first
    if of_body:
        return of_body
    toes = [link for link in feet_of(motion) if link in articulation.links]
    feet = [articulation.group(toe).parent for toe in toes]
    if not feet:
        raise ModelError(f"no foot of model {motion.model.name!r} is turned by a joint: give `feet`")
    return [link for link in dict.fromkeys(feet) if link not in toes]


def _ahead(motion: Motion, roles: Mapping[str, str]) -> Array:
    """Forward of a human body [T, 3], across its hips; zeros where the motion has no such body."""
    hips = [roles[role] for role in ("leftUpperLeg", "rightUpperLeg") if role in roles]
    if len(hips) < 2:
        return np.zeros((len(motion), 3))
    left, right = np.moveaxis(motion.model.poses(motion.q, hips)[..., :3, 3], 1, 0)
    return np.cross(left - right, np.eye(3)["xyz".index(motion.up)])


class _Leg(NamedTuple):
    root: str
    mid: str
    ankle: str
    toe: str | None


def _leg(model: Model, articulation: Articulation, roles: Mapping[str, str], foot: str) -> _Leg:
    """The links of a leg, of its foot; in a human body also of what is fixed to that."""
    of_body = next((leg for leg in _of_body(model, articulation, roles) if is_one_of(foot, leg[2:])), None)
    ankle = foot if of_body is None else of_body[3]
    if not is_one_of(ankle, articulation.links):
        hint = did_you_mean(ankle, articulation.links)
        raise ModelError(f"feet needs links that a joint turns, found {shortened(ankle)}; {hint}")
    mid = articulation.group(ankle).parent
    root = articulation.group(mid).parent if mid in articulation.links else ""
    bones = (root, mid) if root in articulation.links else None
    if of_body and (bones is None or articulation.group(ankle).freedom == 1):  # a hip or ankle is split
        bones = of_body[:2]
    if bones is None:
        raise ModelError(f"foot {ankle!r} needs two links of a leg before it, such as thigh and shank")
    return _Leg(*bones, ankle, _toe(articulation, ankle))


def _of_body(
    model: Model, articulation: Articulation, roles: Mapping[str, str]
) -> Iterator[tuple[str, str, str, str]]:
    """Thigh, shank and foot of the legs of a human body, and each foot's last link with an own joint."""
    for side in ("left", "right"):
        thigh, shank, foot = (roles.get(f"{side}{part}", "") for part in ("UpperLeg", "LowerLeg", "Foot"))
        turned = [joint.child for joint in model.path(foot or None) if joint.child in articulation.links]
        if thigh and shank and foot and turned and turned[-1] != shank:  # there is an ankle
            yield thigh, shank, foot, turned[-1]


def _sole(motion: Motion, leg: _Leg, poses: Array, ahead: Array) -> Sole:
    """Of a leg, by poses [T, 3, 4, 4] of its foot, toes and thigh; ahead [T, 3]: as of `_ahead`."""
    model, (root, mid, ankle, toe) = motion.model, leg
    rotation, position = poses[:, 0, :3, :3], poses[:, 0, :3, 3]
    up = np.eye(3)["xyz".index(motion.up)]
    flat = _standing(motion, poses[..., :3, 3])
    into_foot = np.swapaxes(rotation[flat], -1, -2)
    up_foot = unit((into_foot @ up).mean(axis=0))
    if toe:
        ball = dot(into_foot, (poses[flat, 1, :3, 3] - position[flat])[:, None]).mean(axis=0)
    else:
        ball = _farthest(model, ankle, up_foot)
    tip = _farthest(model, toe) if toe else ball
    is_known = has_sole(model, ankle)
    if is_known:
        points = sole_of(model, ankle, motion.q[flat[0]], up_foot)
        of_body = dot(into_foot, ahead[flat, None]).mean(axis=0)
        heel, front = _ends(points, up_foot, ball if toe else of_body, toe is not None)
        if toe:
            ankle_to_toe = pose_inverse(poses[flat[0], 1]) @ poses[flat[0], 0]
            tip = ankle_to_toe[:3, :3] @ front + ankle_to_toe[:3, 3]
        else:
            ball = tip = front
    across_tip = (poses[flat, 1, :3, :3] @ tip + poses[flat, 1, :3, 3] - position[flat]) @ up
    levels = np.array([float(ball @ up_foot), float(across_tip.mean())])
    if not is_known:
        forwards = ball - up_foot * (up_foot @ ball)
        heel = up_foot * min(levels.min(), 0.0) - BEHIND * forwards
    heights = np.append(0.0, levels - heel @ up_foot)
    return Sole(
        root=root, mid=mid, ankle=ankle, toe=toe, heel=heel, ball=ball, tip=tip, heights=heights, up=up_foot
    )


def _ends(points: Array, up: Vector3, ahead: Array, has_toes: bool) -> tuple[Array, Array]:
    """The middles [3] of the back and the front edge of a sole's points [k, 3].

    Forward is to the toes, without toes along the sole: ahead of the body, or if that is not known (0) to the
    end that is farther from the ankle.
    """
    side = perpendicular(up)
    plane = np.stack([side, np.cross(up, side)])
    planar, forward = points @ plane.T, plane @ ahead
    if not (has_toes and forward.any()):
        center = planar.mean(axis=0)
        length = np.linalg.svd(planar - center)[2][0]
        forward = -length if (forward if forward.any() else center) @ length < 0.0 else length
    forward = unit(forward)
    beside = np.array([-forward[1], forward[0]])
    along, across = planar @ forward, planar @ beside
    middle = (points @ up).min() * up + 0.5 * (across.min() + across.max()) * beside @ plane
    return middle + along.min() * forward @ plane, middle + along.max() * forward @ plane


def _toe(articulation: Articulation, ankle: str) -> str | None:
    """The link that turns after a foot: one called toe, or else the first."""
    after = [group.link for group in articulation.groups if group.parent == ankle and group.freedom]
    return next((link for link in after if "toe" in link.casefold()), after[0] if after else None)


def _farthest(model: Model, link: str, up: Array | None = None) -> Array:
    """The frame on a link, or the link after it, that is farthest from its origin, in axes of the link; with
    `up` [3] of those that are not over it, if there are any.
    """
    points = [frame.pose_link_frame[:3, 3] for frame in model.frames if frame.link == link]
    points += [joint.origin[:3, 3] for joint in model.joints if joint.parent == link]
    low = points if up is None else [at for at in points if at @ up < 0.0]
    return max(low or points, key=lambda at: float(norm(at)), default=np.zeros(3))


def _standing(motion: Motion, points: Array) -> NDArray[np.intp]:
    """The frames in which a foot stands most surely: a tenth of those in which the hip is over it, those
    where its links are slowest, of the lower half. points [T, 3, 3]: of foot, toes and thigh [m].
    """
    up = "xyz".index(motion.up)
    feet, away = points[:, :2], points[:, 2] - points[:, 0]
    speed = norm(np.gradient(feet, motion.dt, axis=0)).max(axis=1) if len(points) > 1 else np.zeros(1)
    height = feet[..., up].sum(axis=1)
    frames = np.flatnonzero(away[:, up] > OVER * norm(away))
    if not len(frames):  # the motion of a body that lies, or whose axis up is another one
        frames = np.arange(len(points))
    low = frames[height[frames] <= np.median(height[frames])]
    order = low[np.argsort(speed[low], kind="stable")]
    return np.sort(order[: max(1, len(frames) // 10)])
