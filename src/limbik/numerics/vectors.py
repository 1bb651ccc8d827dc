"""Vectors of three numbers inside kernels."""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, compiled
from limbik.numerics.rotation import Vector


@compiled(inline=True)
def dot(a: Vector, b: Vector) -> float:
    """a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@compiled(inline=True)
def cross(a: Vector, b: Vector) -> Vector:
    """a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@compiled(inline=True)
def plus(a: Vector, factor: float, b: Vector) -> Vector:
    """a + factor b."""
    return a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]


@compiled(inline=True)
def scaled(factor: float, a: Vector) -> Vector:
    """Factor times a."""
    return factor * a[0], factor * a[1], factor * a[2]


@compiled(inline=True)
def vector(numbers: Floats, at: int) -> Vector:
    """Three of some numbers."""
    return numbers[at], numbers[at + 1], numbers[at + 2]


@compiled(inline=True)
def length(a: Vector) -> float:
    """|a|."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@compiled
def perpendicular(a: Vector) -> Vector:
    """A unit vector across a unit vector."""
    x, y, z = a
    if abs(x) <= abs(y) and abs(x) <= abs(z):
        scale = 1.0 / math.sqrt(y * y + z * z)
        return 0.0, -scale * z, scale * y
    if abs(y) <= abs(z):
        scale = 1.0 / math.sqrt(x * x + z * z)
        return scale * z, 0.0, -scale * x
    scale = 1.0 / math.sqrt(x * x + y * y)
    return -scale * y, scale * x, 0.0
