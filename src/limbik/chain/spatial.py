"""Chains of revolute, prismatic and ball joints in space: forward kinematics, Jacobian and residual of the
tool.

The names here (`forward`, `locate`, `tangent_size`, `frames_size`) are the ones `chain.planar` has too, so
that one loop serves both.
"""

from __future__ import annotations

from limbik.chain.joints import FRAME_SIZE, PRISMATIC, REVOLUTE, ROTATION, SPHERICAL
from limbik.compiler.kernel import Floats, Records, compiled, empty
from limbik.numerics.rotation import (
    multiply,
    rotation_vector,
    times,
    times_quaternion,
    turn_about,
)
from limbik.numerics.trigonometry import sincos


@compiled
def locate(place: Records, goal: Floats, target: Floats) -> float:
    """The goal [3: point; 14: see `forward`] from the first joint's origin. Returns 0: no plane to be off."""
    for k in range(goal.size):
        target[k] = goal[k] - place.origin[k] if k < 3 else goal[k]
    return 0.0


@compiled
def frames_size(joints: Records) -> int:
    """Numbers of the frames of every joint and of the tool, one after the other."""
    return joints.size * FRAME_SIZE


@compiled
def tangent_size(joints: Records) -> int:
    """Numbers in a velocity of the chain."""
    last = joints[joints.size - 2]
    return last.v + (3 if last.kind == SPHERICAL else 1)


@compiled
def place_frames(joints: Records, q: Floats, frames: Floats) -> None:
    """Forward kinematics: the moved frame of each joint, and the tool's as the last."""
    for j in range(joints.size):
        joint = joints[j]
        o = j * FRAME_SIZE
        R = o + ROTATION
        dx, dy, dz = joint.translation[0], joint.translation[1], joint.translation[2]
        if j == 0:
            frames[o], frames[o + 1], frames[o + 2] = dx, dy, dz
            for k in range(9):
                frames[R + k] = joint.rotation[k]
        else:
            before = o - FRAME_SIZE
            x, y, z = times(frames, before + ROTATION, dx, dy, dz)
            frames[o], frames[o + 1], frames[o + 2] = (
                frames[before] + x,
                frames[before + 1] + y,
                frames[before + 2] + z,
            )
            multiply(frames, before + ROTATION, joint.rotation, frames, R)
        i = joint.q
        if joint.kind == REVOLUTE:
            sine, cosine = sincos(q[i])
            turn_about(frames, R, joint.axis[0], joint.axis[1], joint.axis[2], sine, cosine)
        elif joint.kind == PRISMATIC:
            x, y, z = times(frames, R, joint.axis[0], joint.axis[1], joint.axis[2])
            frames[o] += q[i] * x
            frames[o + 1] += q[i] * y
            frames[o + 2] += q[i] * z
        elif joint.kind == SPHERICAL:
            times_quaternion(frames, R, q[i], q[i + 1], q[i + 2], q[i + 3])


@compiled
def forward(joints: Records, target: Floats, q: Floats, J: Floats, r: Floats, frames: Floats) -> float:
    """Jacobian J [3 or 6, nv] and residual r [3 or 6] of the tool, in world axes; returns r.r [m^2].

    `target`: position [3, m] from the first joint; for 6 rows also the rotation row by row [9], the metres
    that a radian counts for, and the weight of the position (0 for an orientation alone). A ball joint's
    velocity is in the axes of its moved frame.
    """
    place_frames(joints, q, frames)
    tip = (joints.size - 1) * FRAME_SIZE
    for j in range(joints.size - 1):
        joint = joints[j]
        o = j * FRAME_SIZE
        R = o + ROTATION
        x, y, z = frames[tip] - frames[o], frames[tip + 1] - frames[o + 1], frames[tip + 2] - frames[o + 2]
        columns = 3 if joint.kind == SPHERICAL else 1
        for k in range(columns):
            v = joint.v + k
            if joint.kind == SPHERICAL:
                ax, ay, az = frames[R + k], frames[R + 3 + k], frames[R + 6 + k]
            else:
                ax, ay, az = times(frames, R, joint.axis[0], joint.axis[1], joint.axis[2])
            if joint.kind == PRISMATIC:
                J[0, v], J[1, v], J[2, v] = ax, ay, az
            else:
                J[0, v], J[1, v], J[2, v] = ay * z - az * y, az * x - ax * z, ax * y - ay * x
            if r.size == 6:
                weight = 0.0 if joint.kind == PRISMATIC else target[12]
                J[3, v], J[4, v], J[5, v] = weight * ax, weight * ay, weight * az
                for row in range(3):
                    J[row, v] *= target[13]
    squared = 0.0
    for k in range(3):
        r[k] = target[k] - frames[tip + k]
        if r.size == 6:
            r[k] *= target[13]
        squared += r[k] * r[k]
    if r.size == 6:
        x, y, z = rotation_error(target, frames, tip + ROTATION)
        r[3], r[4], r[5] = target[12] * x, target[12] * y, target[12] * z
        squared += r[3] * r[3] + r[4] * r[4] + r[5] * r[5]
    return squared


@compiled
def rotation_error(target: Floats, frames: Floats, at: int) -> tuple[float, float, float]:
    """The rotation vector [rad, world] that leads from the rotation frames[at : at + 9] to target[3 : 12]."""
    between = empty(9)
    for i in range(3):
        for k in range(3):
            total = 0.0
            for m in range(3):
                total += target[3 + 3 * i + m] * frames[at + 3 * k + m]
            between[3 * i + k] = total
    return rotation_vector(between)
