"""Walks and runs whose feet stand by construction, and the defects that motions have, planted in them.

A foot lands on its heel, turns about it until it is flat, stands, turns about the ball of the foot while the
toes stay flat, and swings. Ankles, pelvis and pitch of the feet are functions of time with two continuous
derivatives; the legs between them follow by trigonometry of this file, with SciPy's rotations, so that
nothing here is what it checks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from scipy.spatial.transform import Rotation

import limbik
from limbik import Frame, Joint, JointKind, Model
from limbik.spatial import pose_from

Kind = Literal["euler", "ball", "robot"]

THIGH, SHANK = 0.43, 0.42  # [m]
ANKLE, FOOT, TOE, HEEL = 0.08, 0.13, 0.07, 0.05  # height of the ankle; to the ball, the toes, the heel
HIP = 0.09  # from the middle
SIDES = ("Left", "Right")
OFFSETS = {
    "UpLeg": (HIP, 0.0, 0.0),
    "Leg": (0.0, -THIGH, 0.0),
    "Foot": (0.0, -SHANK, 0.0),
    "ToeBase": (0.0, -ANKLE, FOOT),
}
BONES = tuple(OFFSETS)
TOES = (0.0, 0.0, TOE)  # in axes of ToeBase
HEEL_POINT = (0.0, -ANKLE, -HEEL)  # in axes of Foot
SPINE = (0.0, 0.5, 0.0)


@dataclass(frozen=True)
class Gait:
    """How it goes: y is up, z forwards at heading 0."""

    cycle: float = 1.1  # [s] of both steps
    stride: float = 1.3  # [m] of both steps
    duty: float = 0.62  # share of the cycle in which a foot stands; under 0.5 it runs
    strike: float = 0.35  # [rad] pitch of the foot when it lands on its heel
    push: float = 0.8  # [rad] pitch of the foot when it leaves
    lift: float = 0.08  # [m] of the swinging foot
    crouch: float = 0.05  # [m] of the pelvis below what straight legs would allow
    bounce: float = 0.015  # [m] of the pelvis up and down
    heading: float = 0.4  # [rad] about y
    dt: float = 1.0 / 60.0  # [s]
    duration: float = 5.0  # [s]


RUN = Gait(cycle=0.72, stride=2.2, duty=0.36, strike=0.15, push=0.9, lift=0.16, crouch=0.1, bounce=0.03)


@dataclass(frozen=True)
class Walk:
    """A motion, and when its heels and balls of the feet stand [T, 2]."""

    motion: limbik.Motion
    heels: np.ndarray
    balls: np.ndarray
    angles: Any = field(repr=False)  # rotations by link, and the place of the pelvis

    @property
    def stands(self) -> np.ndarray:
        return np.asarray(self.heels | self.balls)


def walk(gait: Gait | None = None, kind: Kind = "euler") -> Walk:
    """A walk on the plane y = 0."""
    gait = gait or Gait()
    time = np.arange(round(gait.duration / gait.dt) + 1) * gait.dt
    heels, balls = np.zeros((2, len(time), 2), dtype=bool)
    ankles, pitches, bends = np.empty((2, len(time), 2)), np.empty((2, len(time))), np.empty((2, len(time)))
    for side in range(2):
        at = time / gait.cycle + 0.5 * side
        ankles[side], pitches[side], bends[side] = _foot(gait, at)
        ankles[side, :, 0] -= 0.5 * side * gait.stride
        phase = np.mod(at, 1.0)
        heels[:, side] = phase <= HEEL_OFF * gait.duty
        balls[:, side] = (phase >= FLAT * gait.duty) & (phase <= gait.duty)
    pelvis = _pelvis(gait, time, ankles)
    rotations = _rotations(gait, pelvis, ankles, pitches, bends)
    place = np.column_stack([np.zeros(len(time)), pelvis[:, 1], pelvis[:, 0]])
    place = Rotation.from_rotvec([0.0, gait.heading, 0.0]).apply(place)
    return Walk(_motion(kind, rotations, place, gait.dt), heels, balls, (rotations, place))


# --- a gait -------------------------------------------------------------------------------------------------

FLAT, HEEL_OFF = 0.18, 0.55  # of the stance: when the foot is flat, and until when


def _ease(t: np.ndarray) -> np.ndarray:
    """From 0 to 1 with two derivatives that vanish at both ends."""
    t = np.clip(t, 0.0, 1.0)
    return np.asarray(t**3 * (10.0 - 15.0 * t + 6.0 * t * t))


def _stance(gait: Gait, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(forwards, up) of the ankle and pitch (toes up) [rad] at phases counted from the last landing."""
    phase = at / gait.duty
    landing = gait.strike * (1.0 - _ease(phase / FLAT))
    leaving = -gait.push * _ease((phase - HEEL_OFF) / (1.0 - HEEL_OFF) * 0.6) / _ease(np.array(0.6))
    pitch = np.where(phase < FLAT, landing, leaving)
    pivot = np.where(phase < FLAT, -HEEL, FOOT)
    along, up = _turned(-pivot, np.full_like(pivot, ANKLE), pitch)
    return np.stack([along + pivot, up], axis=-1), pitch


def _turned(forwards: np.ndarray, up: np.ndarray, pitch: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    c, s = np.cos(pitch), np.sin(pitch)
    return forwards * c - up * s, forwards * s + up * c


def _foot(gait: Gait, at: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ankle [T, 2] (forwards, up), pitch of the foot and bend of the toes [rad] at cycles `at`."""
    number, phase = np.floor(at), np.mod(at, 1.0)
    place, pitch = _stance(gait, phase)
    place[:, 0] += number * gait.stride
    swings = phase > gait.duty
    share = (phase - gait.duty) / (1.0 - gait.duty)
    begin = _derivatives(gait, gait.duty, -1e-4)
    end = _derivatives(gait, 0.0, 1e-4)
    length = 1.0 - gait.duty
    swung = np.stack(
        [_hermite(share, length, begin[k], end[k], gait.stride if k == 0 else 0.0) for k in range(3)], axis=-1
    )
    swung[:, 0] += number * gait.stride
    swung[:, 1] += gait.lift * 64.0 * (share * (1.0 - share)) ** 3
    place[swings], pitch[swings] = swung[swings, :2], swung[swings, 2]
    level = 0.5 * (np.hypot(pitch, 0.02) - pitch)  # the toes of a swinging foot do not point down
    bend = np.where(swings, level, np.maximum(-pitch, 0.0))
    return place, pitch, bend


def _derivatives(gait: Gait, at: float, step: float) -> np.ndarray:
    """[3, 3] of ankle forwards, up, and pitch: value, first and second derivative by the phase, one-sided."""
    places, pitches = _stance(gait, at + step * np.arange(3))
    values = np.column_stack([places, pitches]).T
    slope = (-1.5 * values[:, 0] + 2.0 * values[:, 1] - 0.5 * values[:, 2]) / step
    bend = (values[:, 0] - 2.0 * values[:, 1] + values[:, 2]) / step**2
    return np.stack([values[:, 0], slope, bend], axis=1)


def _hermite(t: np.ndarray, length: float, begin: np.ndarray, end: np.ndarray, moved: float) -> np.ndarray:
    """The quintic with value, slope and bend of both ends; t from 0 to 1 over `length`."""
    rows = []
    for at in (0.0, 1.0):
        rows += [
            [at**k for k in range(6)],
            [k * at ** (k - 1) if k else 0.0 for k in range(6)],
            [k * (k - 1) * at ** (k - 2) if k > 1 else 0.0 for k in range(6)],
        ]
    scale = np.array([1.0, length, length**2])
    right = np.concatenate([begin * scale, end * scale + [moved, 0.0, 0.0]])
    return np.asarray(np.polynomial.polynomial.polyval(t, np.linalg.solve(np.array(rows), right)))


def _pelvis(gait: Gait, time: np.ndarray, ankles: np.ndarray) -> np.ndarray:
    """(forwards, up) [T, 2] of the pelvis, so high that the legs reach."""
    forwards = gait.stride * (time / gait.cycle - 0.5 * gait.duty) + 0.03  # over the foot in mid-stance
    bounce = gait.bounce * np.cos(4.0 * math.pi * time / gait.cycle)
    beside = np.abs(ankles[:, :, 0] - forwards)
    most = (THIGH + SHANK) * 0.985
    room = ankles[:, :, 1] + np.sqrt(np.maximum(most**2 - beside**2, 0.01)) - bounce
    return np.column_stack([forwards, room.min() - gait.crouch + bounce])


def _rotations(
    gait: Gait, pelvis: np.ndarray, ankles: np.ndarray, pitches: np.ndarray, bends: np.ndarray
) -> dict[str, Rotation]:
    """Of every link in the world."""
    count = len(pelvis)
    facing = Rotation.from_rotvec([0.0, gait.heading, 0.0])
    found = {"Hips": Rotation.from_rotvec(np.tile([0.0, gait.heading, 0.0], (count, 1)))}

    def about_x(angle: np.ndarray) -> Rotation:
        """Toes up for positive angles: in axes of the world facing along z."""
        return facing * Rotation.from_rotvec(np.outer(-angle, [1.0, 0.0, 0.0]))

    for side, name in enumerate(SIDES):
        forwards, up = (ankles[side] - pelvis).T
        reach = np.hypot(forwards, up)
        at_hip = np.arccos((THIGH**2 + reach**2 - SHANK**2) / (2.0 * THIGH * reach))
        at_knee = np.pi - np.arccos((THIGH**2 + SHANK**2 - reach**2) / (2.0 * THIGH * SHANK))
        thigh = np.arctan2(forwards, -up) + at_hip
        found[name + "UpLeg"] = about_x(thigh)
        found[name + "Leg"] = about_x(thigh - at_knee)
        found[name + "Foot"] = about_x(pitches[side])
        found[name + "ToeBase"] = about_x(pitches[side] + bends[side])
    return found


# --- skeletons ----------------------------------------------------------------------------------------------


def skeleton(kind: Kind = "euler") -> limbik.Motion:
    """One frame in the pose in which all angles are 0."""
    return _motion(kind, dict.fromkeys(_links(), Rotation.identity(1)), np.array([[0.0, 0.93, 0.0]]), 0.01)


def _links() -> list[str]:
    return ["Hips", *(side + bone for side in SIDES for bone in BONES)]


def _parent(link: str) -> str:
    for side in SIDES:
        bone = link.removeprefix(side)
        if bone in BONES[1:]:
            return side + BONES[BONES.index(bone) - 1]
    return "Hips"


def _bone(link: str) -> str:
    return link.removeprefix("Left").removeprefix("Right")


def _offset(link: str) -> tuple[float, float, float]:
    for side in SIDES:
        if (bone := link.removeprefix(side)) in BONES:
            x, y, z = OFFSETS[bone]
            return (x if side == "Left" else -x, y, z)
    return (0.0, 0.0, 0.0)


def _motion(kind: Kind, rotations: dict[str, Rotation], place: np.ndarray, dt: float) -> limbik.Motion:
    local = {"Hips": rotations["Hips"]}
    for link in _links()[1:]:
        local[link] = rotations[_parent(link)].inv() * rotations[link]
    if kind == "euler":
        return limbik.load_motion(_bvh(local, place, dt), unit="m")
    if kind == "ball":
        q = [place, *(local[link].as_quat() for link in _links())]
        return limbik.Motion(_ball_model(), np.concatenate(q, axis=1), dt, up="y")
    axes = {"Hips": "", "UpLeg": "ZXY", "Leg": "X", "Foot": "XZ", "ToeBase": "X"}
    columns = [place, local["Hips"].as_quat()]
    for link in _links()[1:]:
        order = axes[_bone(link)]
        full = order + "".join(each for each in "XYZ" if each not in order)
        columns.append(local[link].as_euler(full)[:, : len(order)])
    return limbik.Motion(_robot(axes), np.concatenate(columns, axis=1), dt, up="y")


def _bvh(local: dict[str, Rotation], place: np.ndarray, dt: float) -> str:
    def block(link: str) -> list[str]:
        kind = "ROOT" if link == "Hips" else "JOINT"
        position = "6 Xposition Yposition Zposition" if link == "Hips" else "3"
        lines = [
            f"{kind} {link}", "{", "OFFSET " + " ".join(map(repr, _offset(link))),
            f"CHANNELS {position} Zrotation Xrotation Yrotation",
        ]  # fmt: skip
        children = [each for each in _links()[1:] if _parent(each) == link]
        for child in children:
            lines += block(child)
        if link.endswith("ToeBase"):
            lines += ["End Site", "{", "OFFSET " + " ".join(map(repr, TOES)), "}"]
        return [*lines, "}"]

    columns = [place]
    columns += [local[link].as_euler("ZXY", degrees=True) for link in _links()]
    rows = [" ".join(f"{value:.12g}" for value in row) for row in np.concatenate(columns, axis=1)]
    head = ["HIERARCHY", *block("Hips"), "MOTION", f"Frames: {len(rows)}", f"Frame Time: {dt!r}"]
    return "\n".join([*head, *rows])


def _ends() -> list[Frame]:
    return [
        Frame(name=f"{side}ToeBase.end", link=f"{side}ToeBase", pose_link_frame=pose_from(translation=TOES))
        for side in SIDES
    ]


def _ball_model() -> Model:
    joints = [Joint(name="Hips", kind=JointKind.FLOATING, parent="world", child="Hips")]
    joints += [
        Joint(
            name=link,
            kind=JointKind.BALL,
            parent=_parent(link),
            child=link,
            origin=pose_from(translation=_offset(link)),
        )
        for link in _links()[1:]
    ]
    return Model("walker", joints, _ends())


def _robot(axes: dict[str, str]) -> Model:
    joints = [Joint(name="Hips", kind=JointKind.FLOATING, parent="world", child="Hips")]
    for link in _links()[1:]:
        order = axes[_bone(link)]
        parent = _parent(link)
        for k, axis in enumerate(order):
            child = link if k == len(order) - 1 else f"{link}_{axis.lower()}"
            joints.append(
                Joint(
                    name=f"{link}_{axis.lower()}_joint",
                    kind=JointKind.REVOLUTE,
                    parent=parent,
                    child=child,
                    origin=pose_from(translation=_offset(link) if k == 0 else None),
                    axis=np.eye(3)["XYZ".index(axis)],
                    lower=0.0 if _bone(link) == "Leg" else -2.6,
                    upper=2.6,
                )
            )
            parent = child
    return Model("robot", joints, _ends())


# --- defects ------------------------------------------------------------------------------------------------


def moved(motion: limbik.Motion, by: np.ndarray) -> limbik.Motion:
    """The motion with its pelvis moved by [T, 3] or [3] [m]."""
    q = motion.q.copy()
    q[:, :3] += by
    return replace(motion, q=q)


def yawed(motion: limbik.Motion, angle: float) -> limbik.Motion:
    """Turned about the vertical through the origin by an angle [rad]: of a pelvis that floats."""
    turn, q = Rotation.from_rotvec([0.0, angle, 0.0]), motion.q.copy()
    q[:, :3] = turn.apply(q[:, :3])
    q[:, 3:7] = (turn * Rotation.from_quat(q[:, 3:7])).as_quat()
    return replace(motion, q=q)


def stretched(motion: limbik.Motion, factor: float) -> limbik.Motion:
    """With the way of the pelvis scaled along the ground: all feet slide."""
    along = motion.q[:, :3] * [1.0, 0.0, 1.0]
    return moved(motion, (factor - 1.0) * (along - along[0]))


def noisy(motion: limbik.Motion, angle: float, length: float, seed: int = 0) -> limbik.Motion:
    """With white noise on all joints: deviations [rad] and, of the place of the pelvis, [m]."""
    rng = np.random.default_rng(seed)
    v = angle * rng.normal(size=(len(motion), motion.model.nv))
    v[:, :3] = length * rng.normal(size=(len(motion), 3))
    return replace(motion, q=motion.model.integrate(motion.q, v))


# --- ground -------------------------------------------------------------------------------------------------


def stairs(*, rise: float, run: float, count: int, wide: float = 10.0) -> tuple[np.ndarray, np.ndarray]:
    """(vertices, faces) of steps up along z that begin at z = 0, between level ground, y up."""
    profile = [(-100.0, 0.0), (0.0, 0.0)]
    for k in range(count):
        profile += [(run * k, rise * (k + 1)), (run * (k + 1), rise * (k + 1))]
    profile[-1] = (100.0, profile[-1][1])
    vertices = np.array([(x, y, z) for z, y in profile for x in (-wide, wide)])
    first = 2 * np.arange(len(profile) - 1)
    lower, upper = (first, first + 2, first + 1), (first + 1, first + 2, first + 3)
    faces = np.concatenate([np.stack(each, axis=1) for each in (lower, upper)])
    return vertices, faces
