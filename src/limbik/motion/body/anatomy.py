"""Shared form of bodies with arms and legs: positions, directions and rotations of limbs and trunk over time,
in anatomical axes.

A part is known by its role, one of VRM's names of human bones ("leftUpperLeg"). In a posture in which the
body stands upright, each part gets anatomical axes: x forward, y to the left, z up, and for limbs turned from
there, and from arms to the sides, by the smallest rotation that brings the bone to its direction. They move
with the part. So two bodies whose parts have the same anatomical axes stand alike, whatever axes their files
have.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from limbik.errors import ModelError
from limbik.formats.motions import Up
from limbik.model import JointKind, Model
from limbik.model.joints import HINGES
from limbik.motion.body.roles import ARM, LEG, SIDES
from limbik.spatial import Array, Matrix3, Vector3, norm, rotation_between, unit

TRUNK = ("upperChest", "chest", "spine")  # of which the first one that a body has carries the shoulders
CROWN = ("head", "neck", *TRUNK)  # of which the first one shows the axis up of a body
NEEDED = ("hips", *(side + part for side in SIDES for part in LEG))
NEARLY = 0.85  # cosine between a bone and the hinge that twists it
LYING = 2.0  # of `_lean`: more than a person with one leg up
UPRIGHT = 0.5  # of `_lean`: legs that are 20 degrees apart are as upright as any
VERTICAL = np.array([0.0, 0.0, 1.0])
BALL = 3  # degrees of freedom of a joint of a limb

# Rotations that bring the axis named first upward, to z.
UPWARD: Mapping[str, Matrix3] = {
    "x": np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
    "y": np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    "z": np.eye(3),
}


@dataclass(frozen=True, eq=False)
class Anatomy:
    """A body, and its anatomical axes."""

    model: Model
    frames: Mapping[str, str]  # by role
    upward: Matrix3  # from the model's world to one in which z is up
    upright: Array  # [nq] where it stands upright
    axes: Mapping[str, Matrix3]  # by role: of the frame, so that rotation of the frame @ axes is anatomical
    along: Mapping[str, Vector3]  # by role: of a bone, the unit vector along it in the axes of the frame

    @property
    def up(self) -> Up:
        """The axis of the model's world against gravity."""
        axes: tuple[Up, ...] = ("x", "y", "z")
        return axes[int(np.argmax(self.upward[2]))]

    def has(self, *roles: str) -> bool:
        """Whether all of these were found."""
        return all(role in self.frames for role in roles)

    def has_hand(self, side: str) -> bool:
        """Whether an arm ends in a link of its own, not in a point of the lower arm."""
        roles = [side + part for part in ARM[1:]]
        return self.has(*roles) and len({self.model.frame(self.frames[role]).link for role in roles}) == 2

    def first_of(self, roles: tuple[str, ...]) -> str | None:
        """The first of these that was found."""
        return next((role for role in roles if role in self.frames), None)

    def points(self, q: Array, role: str) -> Array:
        """[T, 3, m] of a part, with z up, at q [T, nq]."""
        return points(self.model, self.frames[role], q) @ self.upward.T

    def centers(self, q: Array, role: str) -> Array:
        """[T, 3, m] of the joint by which a limb hangs on the trunk, with z up."""
        left, right = SIDES
        other = role.replace(left, right) if role.startswith(left) else role.replace(right, left)
        center = center_of(self.model, self.frames[role], self.frames.get(other))
        return points(self.model, center, q) @ self.upward.T

    def rotations(self, q: Array, role: str) -> Array:
        """[T, 3, 3] the anatomical axes of a part, with z up."""
        rotations: Array = self.model.pose(q, self.frames[role])[..., :3, :3]
        return self.upward @ rotations @ self.axes[role]

    def directions(self, q: Array, role: str) -> Array:
        """[T, 3] unit vectors along a bone, with z up."""
        rotations: Array = self.model.pose(q, self.frames[role])[..., :3, :3]
        return np.asarray(rotations @ self.along[role] @ self.upward.T)

    def bones(self, q: Array, side: str, limb: tuple[str, str, str]) -> tuple[Array, Array]:
        """[T, 3] each: unit vectors along the upper and the lower bone of a limb, with z up."""
        root = self.centers(q, side + limb[0])
        middle, end = (self.points(q, side + part) for part in limb[1:])
        return unit(middle - root), unit(end - middle)

    def rotation(self, role: str) -> Matrix3:
        """[3, 3] of a part's frame in the upright posture, with z up."""
        return np.asarray(self.upward @ self.model.pose(self.upright, self.frames[role])[:3, :3])

    def length(self, limb: tuple[str, str, str]) -> float:
        """[m] of both bones of a limb, the mean of both sides."""
        lengths = []
        for side in SIDES:
            root = self.centers(self.upright[None], side + limb[0])
            middle, end = (self.points(self.upright[None], side + part) for part in limb[1:])
            lengths.append(float((norm(middle - root) + norm(end - middle))[0]))
        return float(np.mean(lengths))


def anatomy(model: Model, frames: Mapping[str, str], up: str | None, postures: Array) -> Anatomy:
    """The anatomy of a body, of which the first of its postures [k, nq] that is as upright as any is taken.

    frames: by role. up: the axis of the world against gravity; None: the one along which it stands.
    Raises ModelError where hips or legs are missing, for a bone without a length, and where the body stands
    upright in none of them.
    """
    frames = _with_ends_of_arms(model, frames)
    missing = [role for role in NEEDED if role not in frames]
    if missing or not any(role in frames for role in CROWN):
        named = ", ".join(missing or [CROWN[0]])
        raise ModelError(f"model {model.name!r} needs hips, legs and a trunk or head; not found: {named}")
    leans = {
        axis: _lean(Anatomy(model, frames, upward, postures[0], {}, {}), postures)
        for axis, upward in UPWARD.items()
    }
    standing = min(leans, key=lambda axis: float(leans[axis].min()))
    lean = leans[up or standing]
    if lean.min() > LYING:
        hint = f"; {standing!r} would be" if leans[standing].min() <= LYING else ""
        along = f" with {up!r} up" if up else ""
        raise ModelError(f"model {model.name!r} stands upright in no posture{along}{hint}")
    upright = postures[int(np.flatnonzero(lean <= lean.min() + UPRIGHT)[0])]
    body = Anatomy(model, frames, UPWARD[up or standing], upright, {}, {})
    body = replace(body, along=_along(body))
    return replace(body, axes=_axes(body))


def _with_ends_of_arms(model: Model, frames: Mapping[str, str]) -> Mapping[str, str]:
    """Frames by role, where the farthest point of a lower arm stands for a hand that there is not: skeletons
    may end there.
    """
    ends = dict(frames)
    for side in SIDES:
        lower, hand = side + ARM[1], side + ARM[2]
        if lower in frames and hand not in frames:
            link = model.frame(frames[lower]).link
            on_it = [frame for frame in model.frames if frame.link == link]
            far = max(on_it, key=lambda frame: float(norm(frame.pose_link_frame[:3, 3])), default=None)
            if far is not None and norm(far.pose_link_frame[:3, 3]) > 0.0:
                ends[hand] = far.name
    return ends


def points(model: Model, frame: str, q: Array) -> Array:
    """[T, 3, m] the origins of a frame at q [T, nq]."""
    return np.asarray(model.pose(q, frame)[..., :3, 3])


def center_of(model: Model, frame: str, other: str | None) -> str:
    """The link whose origin is where a limb turns on the trunk: of several hinges in a row, up to three, the
    first one, of those that do not carry the limb of the other side, too.
    """
    link, count = frame, 0
    shared = {joint.name for joint in model.path(other)} if other else set()
    for joint in reversed(model.path(frame)):
        if joint.name in shared:
            break
        if joint.kind not in (*HINGES, JointKind.BALL):
            if joint.nv:
                break
            continue
        count += joint.nv
        link = joint.child
        if count >= BALL:
            break
    return link


def _lean(body: Anatomy, postures: Array) -> Array:
    """[k] how far postures are from standing upright, trunk and legs vertical, one hip beside the other."""
    crown = body.first_of(CROWN)
    assert crown is not None, "anatomy() has refused it"
    left, right = (body.centers(postures, side + LEG[0]) for side in SIDES)
    total = 1.0 - unit(body.points(postures, crown) - 0.5 * (left + right)) @ VERTICAL
    total += np.abs(unit(left - right) @ VERTICAL)
    for side in SIDES:
        for bone in body.bones(postures, side, LEG):
            total += 1.0 + bone @ VERTICAL
    return np.asarray(total)


def _axes(body: Anatomy) -> dict[str, Matrix3]:
    """By role: the anatomical axes of a part in those of its frame, in the upright posture."""
    q = body.upright[None]
    left, right = (body.centers(q, side + LEG[0])[0] for side in SIDES)
    hips = _upright_axes(left - right)
    axes = {"hips": hips}
    shoulders = hips
    if body.has("leftUpperArm", "rightUpperArm"):
        one, other = (body.centers(q, side + ARM[0])[0] for side in SIDES)
        shoulders = _upright_axes(one - other)
    axes.update({role: shoulders for role in (*TRUNK, "neck", "head") if body.has(role)})
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        axes.update(_limb_axes(body, side, LEG, hips, -hips[:, 2]))
        axes[side + "Foot"] = hips
        if body.has(side + "Shoulder"):
            axes[side + "Shoulder"] = shoulders
        if body.has(*(side + part for part in ARM)):
            axes.update(_limb_axes(body, side, ARM, shoulders, sign * shoulders[:, 1]))
    return {role: body.rotation(role).T @ axes for role, axes in axes.items()}


def _along(body: Anatomy) -> dict[str, Vector3]:
    """By role: the direction of each bone in the axes of its frame.

    From its joint to the next one; where the last hinge turns about nearly that line, as robots twist their
    limbs, along the hinge, since joints beside each other leave the points off that line.
    """
    directions = {}
    for side in SIDES:
        for limb in (LEG, ARM):
            if not body.has(*(side + part for part in limb)):
                continue
            bones = body.bones(body.upright[None], side, limb)
            for part, end, bone in zip(limb, limb[1:], bones, strict=False):
                role = side + part
                if not bone.any():
                    ends = f"from {body.frames[role]!r} to {body.frames[side + end]!r}"
                    raise ModelError(f"the bone {ends} of model {body.model.name!r} needs a length")
                directions[role] = body.rotation(role).T @ bone[0]
                hinge = body.model.path(body.frames[role])[-1]
                if hinge.kind in HINGES and hinge.child == body.frames[role]:
                    cosine = float(hinge.axis @ directions[role])
                    if abs(cosine) > NEARLY:
                        directions[role] = math.copysign(1.0, cosine) * hinge.axis
    return directions


def _limb_axes(
    body: Anatomy, side: str, limb: tuple[str, str, str], trunk: Matrix3, straight: Array
) -> dict[str, Matrix3]:
    """Of both bones of a limb, and of what is at its end: it goes on as the lower bone does."""
    upper, lower = (body.rotation(side + part) @ body.along[side + part] for part in limb[:2])
    first = rotation_between(straight, upper)
    second = rotation_between(upper, lower) @ first
    return {
        role: turn @ trunk
        for role, turn in zip((side + part for part in limb), (first, second, second), strict=True)
    }


def _upright_axes(left: Vector3) -> Matrix3:
    """x forward, y to the left, z straight up."""
    y = unit(left * [1.0, 1.0, 0.0])
    return np.column_stack([np.cross(y, VERTICAL), y, VERTICAL])
