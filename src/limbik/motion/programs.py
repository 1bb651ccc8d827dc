"""The programs of trackers, limbs, groups of hinges, and avatars."""

from __future__ import annotations

import functools

import numpy as np

from limbik.chain.joints import JOINT
from limbik.compiler.program import Program
from limbik.motion.avatar.bending import trunks
from limbik.motion.avatar.local_turns import local_quaternions
from limbik.motion.bounded_least_squares import Scratch
from limbik.motion.entries import SIZES, tracking
from limbik.motion.hinge_angles import many_hinges
from limbik.motion.state import Motion
from limbik.motion.two_bone import two_bones
from limbik.tree.kinematics import LINK
from limbik.tree.residuals import TASK
from limbik.tree.workspace import Workspace

DOUBLE = np.dtype(np.float64)
NUMBER = None

ARRAYS = (*Workspace._fields, *Motion._fields, *Scratch._fields)
OF_TRACKER = (
    LINK, JOINT, *[DOUBLE] * 2, TASK, *[DOUBLE] * (3 + len(ARRAYS)), *[NUMBER] * len(SIZES),
)  # fmt: skip


@functools.cache
def tracker() -> Program:
    """One step toward any goals on any tree: `motion.step.track`."""
    return Program(name="tracker", kernel=tracking, arguments=OF_TRACKER)


@functools.cache
def limbs() -> Program:
    """Limbs of two bones in closed form: `motion.two_bone.solve_rows`."""
    return Program(name="limbs", kernel=two_bones, arguments=(*[DOUBLE] * 3, NUMBER))


@functools.cache
def hinge_groups() -> Program:
    """Angles of hinges that make rotations: `motion.hinge_angles.solve_rows`."""
    return Program(name="hinges", kernel=many_hinges, arguments=(*[DOUBLE] * 4, *[NUMBER] * 2))


@functools.cache
def spines() -> Program:
    """A trunk between hips and head: `motion.avatar.bending.bend`."""
    return Program(name="spines", kernel=trunks, arguments=(*[DOUBLE] * 6, NUMBER))


@functools.cache
def locals_of_rigs() -> Program:
    """What the joints of a rig do: `motion.avatar.local_turns.fill_local`."""
    return Program(name="local_turns", kernel=local_quaternions, arguments=(*[DOUBLE] * 7, NUMBER))
