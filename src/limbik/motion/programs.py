"""The compiled programs of trackers, limbs, hinges and avatars."""

from __future__ import annotations

import functools

from limbik.compiler.program import Program
from limbik.motion.avatar.bending import bend
from limbik.motion.avatar.local_turns import fill_local
from limbik.motion.hinge_angles import solve_rows as solve_hinges
from limbik.motion.step import track
from limbik.motion.two_bone import solve_rows as solve_limbs


@functools.cache
def tracker() -> Program:
    """One step toward any goals on any tree."""
    return Program(name="tracker", kernel=track)


@functools.cache
def limbs() -> Program:
    """Limbs of two bones in closed form."""
    return Program(name="limbs", kernel=solve_limbs)


@functools.cache
def hinge_groups() -> Program:
    """Angles of hinges that make rotations."""
    return Program(name="hinges", kernel=solve_hinges)


@functools.cache
def spines() -> Program:
    """A trunk between hips and head."""
    return Program(name="spines", kernel=bend)


@functools.cache
def locals_of_rigs() -> Program:
    """What the joints of a rig do."""
    return Program(name="local_turns", kernel=fill_local)
