"""`Spline`: bends a chain of links along a curve: a spine, a tail, a tentacle.

The joints are put on the curve one after the other, each as far from the one before it as its bone is long;
every link then turns by the smallest rotation, and by its part of the twist. The curve is the cubic spline
through the points, parametrised by the lengths between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from limbik.errors import GoalError, ModelError
from limbik.model import Model
from limbik.motion.chains import LinkChain, links_of, rows_of
from limbik.request import check_target
from limbik.spatial import Array, as_number, as_numbers, norm, rotation_between, rotation_exp, unit

SAMPLES = 256  # of a curve
SAME = 1e-12  # of the length of a curve: points no farther apart are one
ENDS_BEYOND = 4.0  # how far a curve is continued straight on, as a multiple of its length and the chain's


@dataclass(frozen=True, eq=False)
class SplineSolution:
    """What `Spline.solve` answers; of one q numbers, of a batch arrays."""

    q: Array  # [..., nq]
    distance: Any  # [...] of the joint or tip that is farthest from the curve [m]


@dataclass(frozen=True, eq=False)
class Spline:
    """Links that lie along a curve.

    chain: names of links in a row. tip: the frame at the end of the last one.
    twist: angle of the tip about its bone, which the links before it share by their number [rad].

    Raises GoalError for numbers out of range.
    """

    chain: Sequence[str]
    tip: str
    twist: float = 0.0

    def __post_init__(self) -> None:
        twist = as_number(self.twist, "twist", "an angle [rad]", GoalError)
        if not np.isfinite(twist):
            raise GoalError(f"twist needs a finite angle [rad], found {twist:g}")
        check_target(np.array(twist), "twist")
        object.__setattr__(self, "chain", links_of(self.chain))
        object.__setattr__(self, "twist", twist)

    def solve(self, model: Model, q: ArrayLike, points: ArrayLike) -> SplineSolution:
        """The chain along the curve through points [n, 3] or [T, n, 3] of the world [m], n at least 2.

        The first joint stays where it is: the curve is moved so that it begins there, and goes straight on
        where it is shorter than the chain. `q` [nq] or [T, nq] is the pose beneath.

        Raises ModelError for links that are no chain of the model, GoalError for arrays of another shape.
        """
        needed = "points [n, 3] or [T, n, 3] in metres, n at least 2, no two in a row the same"
        checked = as_numbers(points, "points", needed, GoalError)
        if checked.ndim not in (2, 3) or checked.shape[-1] != 3 or checked.shape[-2] < 2:
            raise GoalError(f"points needs {needed}, found shape {checked.shape}")
        if not np.isfinite(checked).all():
            raise GoalError(f"points needs {needed}, finite")
        check_target(checked, "points")
        steps = norm(np.diff(checked, axis=-2))
        if not (steps > SAME * steps.sum(axis=-1, keepdims=True)).all():
            raise GoalError(f"points needs {needed}")
        rows, each, lead = rows_of(model, q, checked, 2)
        chain = LinkChain(model, self.chain, self.tip, rows)
        lengths = self._lengths(chain)
        curve = sampled(each, lengths.sum(axis=1))
        joints = on_curve(curve + (chain.center(0) - curve[:, 0])[:, None], lengths)
        for k in range(len(self.chain)):
            bone = self._end(chain, k) - chain.center(k)
            wanted = joints[:, k + 1] - chain.center(k)
            twist = rotation_exp(unit(wanted) * self.twist / len(self.chain))
            chain.turn(k, twist @ rotation_between(bone, wanted))
        ends = [self._end(chain, k) for k in range(len(self.chain))]
        distance = norm(np.stack(ends, axis=1) - joints[:, 1:]).max(axis=1).reshape(lead)
        every_q = rows.reshape(*lead, model.nq)
        return SplineSolution(every_q, distance if lead else float(distance))

    def _end(self, chain: LinkChain, k: int) -> Array:
        """Where the bone of a link ends [T, 3]."""
        return chain.center(k + 1) if k + 1 < len(self.chain) else chain.poses[self.tip][:, :3, 3]

    def _lengths(self, chain: LinkChain) -> Array:
        lengths = np.stack(
            [norm(self._end(chain, k) - chain.center(k)) for k in range(len(self.chain))], axis=1
        )
        if not (lengths > 0.0).all():
            k = int(np.argmin(lengths.min(axis=0)))
            raise ModelError(f"link {self.chain[k]!r} of a spline chain has no length")
        return lengths


def sampled(points: Array, lengths: Array) -> Array:
    """Curves [T, SAMPLES + 1, 3] through points [T, n, 3], with a straight piece at their ends, which has
    space for chains of these lengths [T, m].
    """
    from scipy.interpolate import CubicSpline

    curves = np.empty((len(points), SAMPLES + 1, 3))
    for k, each in enumerate(points):
        at = np.concatenate([[0.0], np.cumsum(norm(np.diff(each, axis=0)))])
        kind = "natural" if len(each) == 2 else "not-a-knot"
        curves[k, :-1] = CubicSpline(at / at[-1], each, bc_type=kind)(np.linspace(0.0, 1.0, SAMPLES))
        ahead = unit(curves[k, -2] - curves[k, -3])
        curves[k, -1] = curves[k, -2] + ENDS_BEYOND * (at[-1] + lengths[k]) * ahead
    return curves


def on_curve(curves: Array, lengths: Array) -> Array:
    """Points [T, n + 1, 3] on curves [T, m, 3] of straight pieces, from their beginning on, each so far from
    the one before it as `lengths` [T, n] says."""
    count = len(curves)
    rows = np.arange(count)
    positions = np.empty((count, lengths.shape[1] + 1, 3))
    positions[:, 0] = curves[:, 0]
    passed = np.zeros(count, dtype=np.intp)  # the sample before the point
    for k, length in enumerate(lengths.T):
        here = positions[:, k]
        away = norm(curves - here[:, None])
        is_beyond = (away >= length[:, None]) & (np.arange(curves.shape[1]) > passed[:, None])
        end = np.where(is_beyond.any(axis=1), np.argmax(is_beyond, axis=1), curves.shape[1] - 1)
        start = np.where((end - 1 == passed)[:, None], here, curves[rows, end - 1])
        piece = curves[rows, end] - start
        # |start + s piece - here| = length
        a = (piece**2).sum(axis=1)
        b = (piece * (start - here)).sum(axis=1)
        c = ((start - here) ** 2).sum(axis=1) - length**2
        s = (np.sqrt(np.maximum(b * b - a * c, 0.0)) - b) / a
        positions[:, k + 1] = start + s[:, None] * piece
        passed = end - 1
    return positions
