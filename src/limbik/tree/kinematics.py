"""Trees of joints: where every link is, and the screw axes of its joints.

The links of a tree are records in an order in which parents come first. Frames are chosen so that revolute
joints turn about their own z and prismatic joints go along it (`tree.pack`).
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import numpy as np

from limbik.compiler.arrays import Size, array
from limbik.compiler.kernel import Floats, Records, compiled, empty
from limbik.numerics.rotation import multiply, times, times_quaternion, turn_z
from limbik.numerics.trigonometry import sincos
from limbik.tree.joints import FRAME_SIZE, PRISMATIC, REVOLUTE, ROTATION, SPHERICAL

# One moving joint, and the link that it moves. A follower reads the number of its leader.
LINK = np.dtype(
    [
        ("kind", np.int64),  # REVOLUTE, PRISMATIC or SPHERICAL
        ("parent", np.int64),  # index of the link before it, -1: the world
        ("q", np.int64),  # where its numbers begin in q
        ("v", np.int64),  # and in a velocity
        ("multiplier", np.float64),  # value = multiplier * q + offset
        ("offset", np.float64),  # [rad or m]
        ("mover", np.int64),  # the place of its joint among the movers; -1: it follows another
        ("rotation", np.float64, 9),  # pose in the link before
        ("translation", np.float64, 3),  # [m]
        ("mass", np.float64),  # [kg]
        ("center", np.float64, 3),  # [m] of that mass, in the link's frame
    ],
    align=True,
)

n_links, nv = Size("n_links"), Size("nv")
Links: TypeAlias = Annotated[Records, array(n_links, dtype=LINK)]

SCREW_SIZE = 6  # of one degree of freedom: its axis, then its moment about the world's origin


@compiled(inline=False)
def pose_links(links: Records, q: Floats, frames: Floats) -> None:
    """Forward kinematics: origin and rotation of every link, in world axes, as `tree.joints.FRAME_SIZE` says.

    The angles come first, as the compiler takes the sines of several at once where nothing else is done.
    """
    sines, cosines = empty(links.size), empty(links.size)
    for j in range(links.size):
        sines[j] = links[j].multiplier * q[links[j].q] + links[j].offset
    for j in range(links.size):
        sines[j], cosines[j] = sincos(sines[j])
    for j in range(links.size):
        o = j * FRAME_SIZE
        attach_link(links[j], frames, frames, o)
        if links[j].kind == REVOLUTE:
            turn_z(frames, o + ROTATION, sines[j], cosines[j])
        else:
            move_link(links[j], q, frames, o)


@compiled
def attach_link(link: Records, frames: Floats, out: Floats, o: int) -> None:
    """Where a link is when its joint does not move it, on the link before it; into out[o : o + 12]."""
    R = o + ROTATION
    dx, dy, dz = link.translation[0], link.translation[1], link.translation[2]
    if link.parent < 0:
        out[o], out[o + 1], out[o + 2] = dx, dy, dz
        for k in range(9):
            out[R + k] = link.rotation[k]
    else:
        before = link.parent * FRAME_SIZE
        x, y, z = times(frames, before + ROTATION, dx, dy, dz)
        out[o] = frames[before] + x
        out[o + 1] = frames[before + 1] + y
        out[o + 2] = frames[before + 2] + z
        multiply(frames, before + ROTATION, link.rotation, out, R)


@compiled
def move_link(link: Records, q: Floats, frames: Floats, o: int) -> None:
    """Move the frame of a link by its joint, in place."""
    R = o + ROTATION
    i = link.q
    if link.kind == REVOLUTE:
        sine, cosine = sincos(link.multiplier * q[i] + link.offset)
        turn_z(frames, R, sine, cosine)
    elif link.kind == PRISMATIC:
        travel = link.multiplier * q[i] + link.offset
        for k in range(3):
            frames[o + k] += travel * frames[R + 3 * k + 2]
    else:
        times_quaternion(frames, R, q[i], q[i + 1], q[i + 2], q[i + 3])


@compiled(inline=False)
def pose_screws(links: Records, frames: Floats, screws: Floats) -> None:
    """The screws [3 * links, 6] of every joint, 3 to a link: revolute and prismatic joints have the first of
    them only.

    The velocity that a screw (a, b) gives to the point x is a x x + b.
    """
    for j in range(links.size):
        kind = links[j].kind
        o = j * FRAME_SIZE
        px, py, pz = frames[o], frames[o + 1], frames[o + 2]
        for k in range(3 if kind == SPHERICAL else 1):
            column = o + ROTATION + (k if kind == SPHERICAL else 2)
            ax, ay, az = frames[column], frames[column + 3], frames[column + 6]
            s = 3 * j + k
            if kind == PRISMATIC:
                screws[s, 0], screws[s, 1], screws[s, 2] = 0.0, 0.0, 0.0
                screws[s, 3], screws[s, 4], screws[s, 5] = ax, ay, az
            else:
                screws[s, 0], screws[s, 1], screws[s, 2] = ax, ay, az
                screws[s, 3], screws[s, 4], screws[s, 5] = (
                    py * az - pz * ay,
                    pz * ax - px * az,
                    px * ay - py * ax,
                )


@compiled(inline=False)
def sum_masses(links: Records, frames: Floats, sums: Floats) -> None:
    """For each link [4]: the sum of mass times position [kg m], and the mass [kg], of it and all that it
    carries."""
    for j in range(links.size):
        link = links[j]
        o = j * FRAME_SIZE
        x, y, z = times(frames, o + ROTATION, link.center[0], link.center[1], link.center[2])
        sums[j, 0] = link.mass * (frames[o] + x)
        sums[j, 1] = link.mass * (frames[o + 1] + y)
        sums[j, 2] = link.mass * (frames[o + 2] + z)
        sums[j, 3] = link.mass
    for j in range(links.size - 1, -1, -1):
        parent = links[j].parent
        if parent >= 0:
            for k in range(4):
                sums[parent, k] += sums[j, k]
