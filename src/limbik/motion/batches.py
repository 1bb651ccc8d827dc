"""Runs the kernels of limbs, hinges and trunks on many frames, compiled or by Python."""

from __future__ import annotations

import numpy as np

from limbik.compiler.call import Call
from limbik.motion import two_bone
from limbik.motion.programs import hinge_groups, limbs, locals_of_rigs, spines
from limbik.spatial import Array, Quaternion


def two_bone_settings(
    *,
    is_hinge: bool = False,
    has_pole: bool = False,
    soften: float = 0.0,
    stretch: float = 0.0,
    has_knee: bool = False,
) -> Array:
    """What is the same for all limbs of a batch, as `two_bone` reads it."""
    return np.array([is_hinge, has_pole, soften, stretch, has_knee], np.float64)


def two_bone_rotations(problems: Array, settings: Array) -> Array:
    """The answers [T, ANSWER] to problems [T, ROW]: `two_bone.solve_rows`."""
    answers = np.empty((len(problems), two_bone.ANSWER))
    Call(limbs(), problems, settings, answers).run()
    return answers


def hinge_angles(axes: Array, rotations_xyzw: Quaternion, near: Array, lower: Array, upper: Array) -> Array:
    """Angles [T, n] of n hinges, 1 to 3, that make rotations [T, 4], or come nearest: of several that make
    the same, those nearest to `near` [T, n]. axes [n, 3]: of length 1. lower, upper [n]: limits [rad].
    """
    axes, rotations = np.ascontiguousarray(axes), np.ascontiguousarray(rotations_xyzw)
    limits, angles = np.array([lower, upper]), np.array(near, order="C")
    Call(hinge_groups(), axes, limits, rotations, angles).run()
    return angles


def trunk(rotations: Array, rest: Array, bones: Array, fractions: Array, problem: Array) -> Array:
    """The positions [n + 1, 3] of a trunk's joints; rotations [n + 1, 3, 3] are written: `bending.bend`.

    rest [n, 9], bones [n, 3], fractions [n], problem: as there, in one piece of memory each.
    """
    positions = np.empty((len(rotations), 3))
    Call(spines(), rotations.reshape(-1, 9), positions, rest, bones, fractions, problem).run()
    return positions


def local_quaternions(
    rotations: Array, leads: Array, parents: Array, rests: Array, hinged: Array
) -> Quaternion:
    """Quaternions [n, 4] of joints, for rotations [n, 3, 3] of their links: `local_turns.fill_local`."""
    quats, scratch = np.empty((len(rotations), 4)), np.empty((3, 9))
    Call(locals_of_rigs(), rotations.reshape(-1, 9), leads, parents, rests, hinged, scratch, quats).run()
    return quats
