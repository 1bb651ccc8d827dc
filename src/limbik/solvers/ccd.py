"""Cyclic coordinate descent (Wang & Chen 1991; quaternion form after Kenwright 2012).

One joint at a time, tip to base: turn the joint so that the end effector points at the target.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from limbik.core.answer import answer
from limbik.core.compiled import Floats, Records, compiled
from limbik.core.descent import by_sweeps
from limbik.core.rotation import (
    exponential,
    logarithm,
    product,
    rotate,
    smallest_turn,
    times,
    transposed_times,
)
from limbik.core.spatial_chain import FRAME_SIZE, HINGE, ROTATION, SLIDE, place_frames, set_ball
from limbik.core.trigonometry import sincos, turn_within_limits
from limbik.goals import Goal, Position
from limbik.solvers.solver import PLANAR, AnswerKernel, Solver, Tuning, kinematics, parameter


@compiled
def sweep_plane(
    joints: Records, target: Floats, settings: Records, q: Floats, points: Floats, frames: Floats
) -> float:
    """One sweep over hinges in the plane. q [n] is changed in place; returns the squared error [m^2].

    Each turns by damping * atan2(u x v, u . v), u from the joint to the end effector, v from the joint to the
    target.
    """
    n = q.size
    heading = 0.0
    for j in range(n):
        heading += joints[j].sign * q[j] + joints[j].offset
        points[0, j] = heading
    for j in range(n):
        sine, cosine = sincos(points[0, j])
        points[0, j] = joints[j].length * cosine
        points[1, j] = joints[j].length * sine
    # From the joint to the end effector; the joints nearer to the base never change it.
    ux = 0.0
    uy = 0.0
    # From the end effector to the target.
    x = target[0]
    y = target[1]
    for j in range(n):
        x -= points[0, j]
        y -= points[1, j]
    for j in range(n - 1, -1, -1):
        ux += points[0, j]
        uy += points[1, j]
        vx = ux + x
        vy = uy + y
        joint = joints[j]
        turn = settings.damping * math.atan2(ux * vy - uy * vx, ux * vx + uy * vy)
        if settings.use_limits:
            turn = joint.sign * turn_within_limits(q[j], joint.sign * turn, joint.lower, joint.upper)
        q[j] += joint.sign * turn
        if settings.use_limits:
            q[j] = min(max(q[j], joint.lower), joint.upper)
        sine, cosine = sincos(turn)
        ux, uy = cosine * ux - sine * uy, sine * ux + cosine * uy
        x = vx - ux
        y = vy - uy
    return x * x + y * y


@compiled
def sweep_space(
    joints: Records, target: Floats, settings: Records, q: Floats, unused: Floats, frames: Floats
) -> float:
    """One sweep in space. q [nq] is changed in place; returns the squared error [m^2]."""
    place_frames(joints, q, frames)
    tip = (joints.size - 1) * FRAME_SIZE
    for j in range(joints.size - 2, -1, -1):
        joint = joints[j]
        o = j * FRAME_SIZE
        if joint.kind == HINGE:
            turn_hinge(joint, frames, o, tip, target, settings, q)
        elif joint.kind == SLIDE:
            push_slide(joint, frames, o, tip, target, settings, q)
        else:
            turn_ball(joint, frames, o, tip, target, settings, q)
    squared = 0.0
    for k in range(3):
        squared += (frames[tip + k] - target[k]) ** 2
    return squared


@compiled
def turn_hinge(
    joint: Records, frames: Floats, o: int, tip: int, target: Floats, settings: Records, q: Floats
) -> None:
    """Turn a hinge so that the end effector comes nearest to the target; it moves along."""
    ax, ay, az = times(frames, o + ROTATION, joint.axis[0], joint.axis[1], joint.axis[2])
    ux, uy, uz = frames[tip] - frames[o], frames[tip + 1] - frames[o + 1], frames[tip + 2] - frames[o + 2]
    vx, vy, vz = target[0] - frames[o], target[1] - frames[o + 1], target[2] - frames[o + 2]
    along_u = ax * ux + ay * uy + az * uz
    along_v = ax * vx + ay * vy + az * vz
    sine = ax * (uy * vz - uz * vy) + ay * (uz * vx - ux * vz) + az * (ux * vy - uy * vx)
    cosine = ux * vx + uy * vy + uz * vz - along_u * along_v
    turn = settings.damping * math.atan2(sine, cosine)
    old = q[joint.q]
    if settings.use_limits:
        turn = turn_within_limits(old, turn, joint.lower, joint.upper)
    q[joint.q] = old + turn
    if settings.use_limits:
        q[joint.q] = min(max(old + turn, joint.lower), joint.upper)
    s, c = sincos(turn)
    along = (1.0 - c) * along_u
    frames[tip] = frames[o] + c * ux + s * (ay * uz - az * uy) + along * ax
    frames[tip + 1] = frames[o + 1] + c * uy + s * (az * ux - ax * uz) + along * ay
    frames[tip + 2] = frames[o + 2] + c * uz + s * (ax * uy - ay * ux) + along * az


@compiled
def push_slide(
    joint: Records, frames: Floats, o: int, tip: int, target: Floats, settings: Records, q: Floats
) -> None:
    """Move a slide so that the end effector comes nearest to the target; it moves along."""
    ax, ay, az = times(frames, o + ROTATION, joint.axis[0], joint.axis[1], joint.axis[2])
    wanted = (
        ax * (target[0] - frames[tip])
        + ay * (target[1] - frames[tip + 1])
        + az * (target[2] - frames[tip + 2])
    )
    old = q[joint.q]
    q[joint.q] = old + settings.damping * wanted
    if settings.use_limits:
        q[joint.q] = min(max(q[joint.q], joint.lower), joint.upper)
    moved = q[joint.q] - old
    frames[tip] += moved * ax
    frames[tip + 1] += moved * ay
    frames[tip + 2] += moved * az


@compiled
def turn_ball(
    joint: Records, frames: Floats, o: int, tip: int, target: Floats, settings: Records, q: Floats
) -> None:
    """Turn a ball joint by the smallest rotation that points the end effector at the target; it moves along.

    Where limits change that rotation so much that the end effector would move away, the joint stays.
    """
    i = joint.q
    R = o + ROTATION
    # In the joint's moved frame: to the end effector, and to the target.
    ux, uy, uz = transposed_times(
        frames, R, frames[tip] - frames[o], frames[tip + 1] - frames[o + 1], frames[tip + 2] - frames[o + 2]
    )
    vx, vy, vz = transposed_times(
        frames, R, target[0] - frames[o], target[1] - frames[o + 1], target[2] - frames[o + 2]
    )
    turn = smallest_turn(ux, uy, uz, vx, vy, vz)
    if settings.damping < 1.0:
        x, y, z = logarithm(turn)
        turn = exponential(settings.damping * x, settings.damping * y, settings.damping * z)
    old = (q[i], q[i + 1], q[i + 2], q[i + 3])
    set_ball(joint, product(old, turn), settings.use_limits, q)
    if settings.use_limits:  # what the turn became
        turn = product((-old[0], -old[1], -old[2], old[3]), (q[i], q[i + 1], q[i + 2], q[i + 3]))
    wx, wy, wz = rotate(turn, ux, uy, uz)
    before = (ux - vx) ** 2 + (uy - vy) ** 2 + (uz - vz) ** 2
    if (wx - vx) ** 2 + (wy - vy) ** 2 + (wz - vz) ** 2 > before:
        q[i], q[i + 1], q[i + 2], q[i + 3] = old
        return
    x, y, z = times(frames, R, wx, wy, wz)
    frames[tip], frames[tip + 1], frames[tip + 2] = frames[o] + x, frames[o + 1] + y, frames[o + 2] + z


@dataclass(frozen=True, kw_only=True)
class CCD(Solver):
    """Cyclic coordinate descent."""

    name: ClassVar[str] = "ccd"
    title: ClassVar[str] = "CCD"
    summary: ClassVar[str] = (
        "One joint at a time, tip to base, each turned so that the end effector points at the target."
    )
    source: ClassVar[str] = "Wang & Chen 1991"
    goals: ClassVar[tuple[type[Goal], ...]] = (Position,)

    damping: float = parameter(1.0, 0.01, 1.0, "", "factor on every step")

    def tuning(self, reach: float) -> Tuning:
        return Tuning(damping=self.damping)

    @classmethod
    def kernel(cls, chain: str, goal: type[Goal]) -> AnswerKernel:
        sweep = sweep_plane if chain == PLANAR else sweep_space
        return answer.bind(descend=by_sweeps, sweep=sweep, **kinematics(chain, goal))
