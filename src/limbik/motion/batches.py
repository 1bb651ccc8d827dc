"""Limbs, hinges and trunks, by machine code once there is any, until then by Python itself."""

from __future__ import annotations

import numpy as np

from limbik.compiler import native
from limbik.compiler.callables import Arguments
from limbik.motion import hinge_angles as hinges
from limbik.motion import two_bone
from limbik.motion.avatar import bending, local_turns
from limbik.motion.programs import hinge_groups, limbs, locals_of_rigs, spines
from limbik.spatial import Array, Quaternion


def two_bone_turns(problems: Array, settings: Array) -> Array:
    """The answers [T, ANSWER] to problems [T, ROW]: `two_bone.solve_rows`."""
    answers = np.empty((len(problems), two_bone.ANSWER))
    function = native.compiled(limbs())
    if function is None:
        two_bone.solve_rows.interpreted(problems, settings, answers, _go_on)
    else:
        function(Arguments(*_addresses(problems, settings, answers), len(problems)).address, _go_on)
    return answers


def hinge_angles(axes: Array, turns_xyzw: Quaternion, near: Array, lower: Array, upper: Array) -> Array:
    """Angles [T, n] of n hinges, 1 to 3, that make rotations [T, 4], or come nearest: of several that make
    the same, those nearest to `near` [T, n]. axes [n, 3]: of length 1. lower, upper [n]: limits [rad].
    """
    axes, turns = np.ascontiguousarray(axes), np.ascontiguousarray(turns_xyzw)
    limits, angles = np.array([lower, upper]), np.array(near, order="C")
    function = native.compiled(hinge_groups())
    if function is None:
        hinges.solve_rows.interpreted(axes, limits, turns, angles, _go_on)
    else:
        arguments = Arguments(*_addresses(axes, limits, turns, angles), *angles.shape)
        function(arguments.address, _go_on)
    return angles


def trunk(turns: Array, rest: Array, bones: Array, shares: Array, problem: Array) -> Array:
    """The places [n + 1, 3] of a trunk's joints; turns [n + 1, 3, 3] are written: `bending.bend`.

    rest [n, 9], bones [n, 3], shares [n], problem: as there, in one piece of memory each.
    """
    places = np.empty((len(turns), 3))
    function = native.compiled(spines())
    if function is None:
        bending.bend.interpreted(turns.reshape(-1, 9), places, rest, bones, shares, problem)
    else:
        arrays = turns, places, rest, bones, shares, problem
        function(Arguments(*_addresses(*arrays), len(bones)).address, _go_on)
    return places


def local_quaternions(turns: Array, leads: Array, parents: Array, rests: Array, hinged: Array) -> Quaternion:
    """Quaternions [n, 4] that joints make, for turns [n, 3, 3] of their links: `local_turns.fill_local`."""
    count = len(turns)
    quats, scratch = np.empty((count, 4)), np.empty((3, 9))
    function = native.compiled(locals_of_rigs())
    if function is None:
        rows = turns.reshape(-1, 9)
        local_turns.fill_local.interpreted(rows, leads, parents, rests, hinged, scratch, quats)
    else:
        arrays = turns, leads, parents, rests, hinged, scratch, quats
        function(Arguments(*_addresses(*arrays), count).address, _go_on)
    return quats


def _addresses(*arrays: Array) -> list[int]:
    return [each.ctypes.data for each in arrays]


def _go_on() -> bool:
    """A batch is not stopped."""
    return False
