"""A chain of ball joints as points p [n + 1, 3], the base at the origin first: from rotations to points and
back.

The names here are the ones `chain.planar_points` has too, so that one method serves both.
"""

from __future__ import annotations

import math

from limbik.chain.joints import FRAME_SIZE, set_spherical
from limbik.chain.spatial import frames_size, place_frames
from limbik.compiler.kernel import Floats, Records, compiled, empty
from limbik.numerics.rotation import (
    exponential,
    multiply,
    product,
    rotate,
    rotation_between,
    times,
    times_quaternion,
    transposed_times,
)


@compiled
def count_segments(joints: Records) -> int:
    """How many segments there are."""
    return joints.size - 1


@compiled
def measure_segments(joints: Records, lengths: Floats) -> None:
    """The lengths [n] of the segments [m]."""
    for j in range(lengths.size):
        v = joints[j + 1].translation
        lengths[j] = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


@compiled
def draw_points(joints: Records, q: Floats, target: Floats, p: Floats) -> float:
    """The points at q [4 n]; returns the squared distance of the last one from the target [m^2]."""
    frames = empty(frames_size(joints))
    place_frames(joints, q, frames)
    squared = 0.0
    for k in range(3):
        for j in range(joints.size):
            p[j, k] = frames[j * FRAME_SIZE + k]
        squared += (target[k] - p[joints.size - 1, k]) ** 2
    return squared


@compiled
def follow_points(joints: Records, p: Floats, use_limits: bool, q: Floats) -> None:
    """Turn each ball joint, base to tip, so that its segment points at the next point, as far as its limits
    allow.

    Each turn is the smallest one, so no twist is added.
    """
    R = empty(9)  # world axes of the moved frame of the joint before
    before = empty(9)  # world axes of this joint's frame, not moved
    x = y = z = 0.0
    for j in range(joints.size - 1):
        joint = joints[j]
        i = joint.q
        if j == 0:
            for k in range(9):
                before[k] = joint.rotation[k]
        else:
            multiply(R, 0, joint.rotation, before, 0)
        segment = joints[j + 1].translation
        here = (q[i], q[i + 1], q[i + 2], q[i + 3])
        ux, uy, uz = rotate(here, segment[0], segment[1], segment[2])
        vx, vy, vz = transposed_times(before, 0, p[j + 1, 0] - x, p[j + 1, 1] - y, p[j + 1, 2] - z)
        wx, wy, wz = rotation_between(ux, uy, uz, vx, vy, vz)
        set_spherical(joint, product(exponential(wx, wy, wz), here), use_limits, q)
        for k in range(9):
            R[k] = before[k]
        times_quaternion(R, 0, q[i], q[i + 1], q[i + 2], q[i + 3])
        sx, sy, sz = times(R, 0, segment[0], segment[1], segment[2])
        x, y, z = x + sx, y + sy, z + sz


@compiled
def backward_within_limits(joints: Records, lengths: Floats, target: Floats, p: Floats) -> None:
    """FABRIK's backward pass, each segment kept within the swing cone of the joint after it.

    The cone is about the segment itself, so this holds for joints whose twist axis lies along the segment
    before them (arms and fingers); others are left to the forward pass.
    """
    n = lengths.size
    for k in range(3):
        p[n, k] = target[k]
    ax = ay = az = 0.0  # direction of the segment after
    is_bound = False  # a segment without length binds no other
    for j in range(n - 1, -1, -1):
        dx, dy, dz = p[j + 1, 0] - p[j, 0], p[j + 1, 1] - p[j, 1], p[j + 1, 2] - p[j, 2]
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        if length > 0.0:
            dx, dy, dz = dx / length, dy / length, dz / length
        if is_bound and is_along_segment(joints[j], joints[j + 1]):
            wx, wy, wz = rotation_between(ax, ay, az, dx, dy, dz)
            angle = math.sqrt(wx * wx + wy * wy + wz * wz)
            cone = joints[j + 1].cone
            if angle > cone:
                s = cone / angle
                dx, dy, dz = rotate(exponential(s * wx, s * wy, s * wz), ax, ay, az)
        ax, ay, az = dx, dy, dz
        is_bound = lengths[j] > 0.0
        p[j, 0] = p[j + 1, 0] - lengths[j] * dx
        p[j, 1] = p[j + 1, 1] - lengths[j] * dy
        p[j, 2] = p[j + 1, 2] - lengths[j] * dz


@compiled
def is_along_segment(joint: Records, after: Records) -> bool:
    """Whether the twist axis of `after`, unmoved, points along the segment that ends there."""
    v = after.translation
    x, y, z = times(after.rotation, 0, after.axis[0], after.axis[1], after.axis[2])
    length = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    return x * v[0] + y * v[1] + z * v[2] >= (1.0 - 1e-9) * length
