"""Converts arms of the classic format to models and back; a ball joint is two hinges: theta about z, then phi
about y.

A segment lies along the z axis of its link, so that at zero all segments stand up along the world's z. Of an
arm called "arm1" with a branch, the joints are "arm1.s0.theta", "arm1.s0.phi", "arm1.s1.theta", ...,
"arm1.b1.s0.theta", ...; the link of a segment is "arm1.s0", the frame at the end of a part "arm1.tip" or
"arm1.b1.tip".
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from limbik.errors import ModelError
from limbik.formats.arm.parts import Angles, ArmDescription, ArmPart, ArmSegment, Point
from limbik.formats.base_joint import WORLD
from limbik.model import Frame, Joint, JointKind, Model
from limbik.spatial import Array, Matrix3, Matrix4, pose_from, rotation_exp

_Y, _Z = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
SAME = 1e-12  # [m or unit vectors] what rounding may change


def part_names(name: str, count: int) -> list[str]:
    """The names of an arm and its branches: "arm1", "arm1.b1", "arm1.b2", ..."""
    return [name, *(f"{name}.b{k}" for k in range(1, count))]


def tip(part: str) -> str:
    """The name of the frame at the end of an arm or branch."""
    return f"{part}.tip"


def joints_of(part: str, segments: int) -> tuple[str, ...]:
    """The names of the joints of an arm or branch, the lowest first."""
    return tuple(f"{part}.s{k}.{angle}" for k in range(segments) for angle in ("theta", "phi"))


def model_of(arm: ArmDescription, name: str, angles: Angles = "range") -> Model:
    """The model of an arm with its branches; the end effector is the arm's own tip.

    With angles "range", theta and phi are limits to either side; pi and more are none. With "initial"
    there are no limits, see `first_configuration`.
    """
    names = part_names(name, len(arm.parts))
    base = f"{name}.base"
    joints = [
        Joint(
            name=base,
            kind=JointKind.FIXED,
            parent=WORLD,
            child=base,
            origin=pose_from(translation=np.array(arm.base)),
        )
    ]
    frames = []
    for part_name, part in zip(names, arm.parts, strict=True):
        link, height = base, 0.0
        if part.parent >= 0:
            link = f"{names[part.parent]}.s{part.segment}"
            height = arm.parts[part.parent].segments[part.segment].length
        for k, segment in enumerate(part.segments):
            half = (segment.theta, segment.phi) if angles == "range" else (math.inf, math.inf)
            joints += _ball(f"{part_name}.s{k}", link, height, *half)
            link, height = f"{part_name}.s{k}", segment.length
        frames.append(Frame(name=tip(part_name), link=link, pose_link_frame=_up(height)))
    return Model(name, joints, frames, end_effector=tip(name))


def first_configuration(arm: ArmDescription, model: Model) -> Array:
    """q [nq] at which theta and phi of each segment are its direction in world spherical axes:
    (sin(phi) cos(theta), sin(phi) sin(theta), cos(phi)).
    """
    q = np.zeros(model.nq)
    rotations: list[list[Matrix3]] = []  # rotation_world_link of every segment of every part
    index = 0
    for part in arm.parts:
        turn = np.eye(3) if part.parent < 0 else rotations[part.parent][part.segment]
        rotations.append([])
        for segment in part.segments:
            theta, phi = _spherical(turn.T @ _direction(segment.theta, segment.phi))
            q[index : index + 2] = theta, phi
            turn = turn @ rotation_exp(theta * _Z) @ rotation_exp(phi * _Y)
            rotations[-1].append(turn)
            index += 2
    return q


def arm_of(
    model: Model, q: Array, angles: Angles = "range", goals: Mapping[str, Point] | None = None
) -> ArmDescription:
    """The arm that `model_of` makes this model of; with angles "initial", with its directions at q [nq].

    goals: points by the names of the frames that are to go there.

    Raises ModelError for a model that is no such arm, and for one whose limits the reading cannot say.
    """
    name = _name(model)
    names = [name]
    while f"{name}.b{len(names)}.s0.phi" in model.joint_names:
        names.append(f"{name}.b{len(names)}")
    frames = dict(zip(model.frame_names, model.forward(q), strict=True)) if angles == "initial" else {}
    points = goals or {}
    parts = tuple(_part(model, part, names, points.get(tip(part)), frames) for part in names)
    x, y, z = model.joint(f"{name}.base").origin[:3, 3].tolist()
    arm = ArmDescription((x, y, z), parts)
    is_whole = all(part.parent < 0 or part.segment < len(parts[part.parent].segments) for part in parts)
    if not (is_whole and _is_same(model, model_of(arm, name, angles))):
        raise _no_arm(model, angles)
    return arm


def _ball(link: str, parent: str, height: float, theta: float, phi: float) -> Iterator[Joint]:
    yield _hinge(f"{link}.theta", parent, f"{link}.theta", _up(height), _Z, theta)
    yield _hinge(f"{link}.phi", f"{link}.theta", link, np.eye(4), _Y, phi)


def _hinge(name: str, parent: str, child: str, origin: Matrix4, axis: Array, half: float) -> Joint:
    """A hinge within `half` to either side; without limits for half a turn and more."""
    is_free = half >= math.pi
    limit = math.inf if is_free else half
    return Joint(
        name=name,
        kind=JointKind.CONTINUOUS if is_free else JointKind.REVOLUTE,
        parent=parent,
        child=child,
        origin=origin,
        axis=axis,
        lower=0.0 - limit,  # never -0
        upper=limit,
    )


def _up(height: float) -> Matrix4:
    return pose_from(translation=np.array([0.0, 0.0, height]))


def _direction(theta: float, phi: float) -> Array:
    return np.array([math.sin(phi) * math.cos(theta), math.sin(phi) * math.sin(theta), math.cos(phi)])


def _spherical(direction: Array) -> tuple[float, float]:
    """theta and phi of a unit vector; theta is 0 where it lies along z."""
    x, y, z = direction.tolist()
    across = math.hypot(x, y)
    if across < SAME:
        return 0.0, 0.0 if z > 0.0 else math.pi
    return math.atan2(y, x), math.atan2(across, z)


# --- from a model -------------------------------------------------------------------------------------------


def _name(model: Model) -> str:
    bases = [joint.child for joint in model.joints if joint.parent == model.root]
    if len(bases) != 1 or not bases[0].endswith(".base"):
        raise _no_arm(model)
    return bases[0].removesuffix(".base")


def _links(model: Model, part: str) -> Iterator[str]:
    k = 0
    while f"{part}.s{k}.phi" in model.joint_names and f"{part}.s{k}" in model.frame_names:
        yield f"{part}.s{k}"
        k += 1


def _part(
    model: Model, name: str, names: Sequence[str], goal: Point | None, frames: Mapping[str, Matrix4]
) -> ArmPart:
    """An arm or branch; with its directions in `frames`, or its half-ranges where these are empty."""
    links = list(_links(model, name))
    if not links or tip(name) not in model.frame_names:
        raise _no_arm(model)
    heights = [float(model.joint(f"{link}.theta").origin[2, 3]) for link in links[1:]]
    heights.append(float(model.frame(tip(name)).pose_link_frame[2, 3]))
    angles = [_first_direction(frames[link]) if frames else _half_ranges(model, link) for link in links]
    segments = tuple(ArmSegment(height, *pair) for height, pair in zip(heights, angles, strict=True))
    before, _, index = model.joint(f"{links[0]}.theta").parent.rpartition(".s")
    if before in names and index.isdecimal():
        return ArmPart(segments, goal, names.index(before), int(index))
    return ArmPart(segments, goal)


def _half_ranges(model: Model, link: str) -> tuple[float, float]:
    half = [model.joint(f"{link}.{angle}").upper for angle in ("theta", "phi")]
    return min(half[0], math.pi), min(half[1], math.pi)


def _first_direction(pose: Matrix4) -> tuple[float, float]:
    """Without the digits that rounding changes, so that what was read from a text is written as it was."""
    theta, phi = (round(angle, 13) + 0.0 for angle in _spherical(pose[:3, 2]))  # never -0
    return theta, phi


def _is_same(model: Model, other: Model) -> bool:
    """Whether two models have the same joints, names apart from that of the model, and the same frames."""
    return (
        model.frame_names == other.frame_names
        and model.joint_names == other.joint_names
        and all(
            a.kind is b.kind
            and (a.parent, a.child, a.lower, a.upper, a.mimic)
            == (b.parent, b.child, b.lower, b.upper, b.mimic)
            and bool(np.abs(a.origin - b.origin).max() <= SAME)
            and bool(np.abs(a.axis - b.axis).max() <= SAME)
            for a, b in zip(model.joints, other.joints, strict=True)
        )
        and all(
            bool(np.abs(a.pose_link_frame - b.pose_link_frame).max() <= SAME)
            for a, b in zip(model.frames, other.frames, strict=True)
        )
    )


def _no_arm(model: Model, angles: str = "range") -> ModelError:
    needs = "the classic arm format holds arms of ball-jointed segments as `limbik.load_scene` reads them"
    if angles == "initial":
        needs += "; without limits where theta and phi are first directions"
    return ModelError(f"model {model.name!r} cannot be written as .arm: {needs}. URDF takes every model")
