"""The compiled programs of collisions: near pairs, pushes out of collision, shortest changes."""

from __future__ import annotations

import functools

from limbik.collision.nearest import search
from limbik.collision.push import push_out
from limbik.compiler.program import Program
from limbik.numerics.min_norm_step import min_norm_step


@functools.cache
def collisions() -> Program:
    """Which bodies are near each other."""
    return Program(name="collisions", kernel=search)


@functools.cache
def pushes() -> Program:
    """Out of collision, with the goals held."""
    return Program(name="pushes", kernel=push_out)


@functools.cache
def changes() -> Program:
    """The shortest step that keeps inequalities."""
    return Program(name="changes", kernel=min_norm_step)
