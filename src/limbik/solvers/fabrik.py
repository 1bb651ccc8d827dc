"""FABRIK, forward and backward reaching inverse kinematics (Aristidou & Lasenby 2011).

Joints are points. A backward pass puts the last point on the target and draws the others after it; a forward pass puts the
first point back on the base and draws the others out again. Segments keep their lengths; angles follow from the points.
With limits, each pass turns a segment no further from its neighbour than the joint between them allows.

Points are p [n + 1, DIMENSIONS], the base first: 2 numbers each for hinges in the plane, 3 for ball joints in space.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from limbik.core.compiled import Floats, Kernel, Records, compiled
from limbik.core.descent import REST_FADED, REST_FADING, SETTLED, SOLVED, SPENT, WINDOW, bend, record
from limbik.core.answer import answer
from limbik.goals import Goal, Position
from limbik.solvers.solver import BALLS, PLANAR, Solver, Tuning, kinematics

COINCIDENT = 1e-200  # [m^2]

# Bound by the chain.
DIMENSIONS = 0
blend = draw_points = follow_points = backward_within_limits = segment_lengths = frames_for = None


@compiled
def descend(
    joints: Records,
    target: Floats,
    off_plane: float,
    settings: Records,
    patience: float,
    rest: Floats,
    q: Floats,
    trace_q: Floats,
    trace_error: Floats,
) -> tuple[int, int]:
    """Descend by pairs of passes. q [nq] is changed in place. Returns (why it ended, iterations)."""
    lengths = segment_lengths(joints)
    p = np.empty((lengths.size + 1, DIMENSIONS))
    trial = q.copy()
    limit = settings.tolerance * settings.tolerance
    squared = draw_points(joints, q, target, p)
    record(0, q, math.sqrt(squared + off_plane), trace_q, trace_error)
    if squared + off_plane <= limit:
        return SOLVED, 0
    if not settings.use_limits and lay_straight(lengths, target, p):
        follow_points(joints, p, False, q)
        squared = draw_points(joints, q, target, p)
        record(1, q, math.sqrt(squared + off_plane), trace_q, trace_error)
        return SOLVED if squared + off_plane <= limit else SETTLED, 1
    if lie_on_line(target, p):
        squared = bend_points(joints, target, settings.use_limits, q, squared, p)
    bias = settings.rest_bias
    at_window = squared
    for iteration in range(1, settings.budget + 1):
        if bias > REST_FADED:
            blend(joints, q, rest, bias)
            bias *= REST_FADING
            draw_points(joints, q, target, p)
            at_window = squared = math.inf
        if settings.use_limits:
            backward_within_limits(joints, lengths, target, p)
            trial[:] = q
            follow_points(joints, p, True, trial)
            changed = draw_points(joints, trial, target, p)
            if changed < squared:
                q[:] = trial
            else:
                changed = bend_points(joints, target, True, q, squared, p)
        else:
            reach_back(lengths, target, p)
            changed = reach_out(lengths, target, p)
            if trace_error.size > 0 or bias > REST_FADED:
                follow_points(joints, p, False, q)
        is_stuck = not changed < squared * (1.0 - 1e-12)
        squared = changed
        record(iteration, q, math.sqrt(squared + off_plane), trace_q, trace_error)
        is_solved = squared + off_plane <= limit
        if iteration % WINDOW == 0:
            is_stuck |= squared > at_window * (1.0 - patience)
            at_window = squared
        if is_solved or (is_stuck and not bias > REST_FADED):
            follow_points(joints, p, settings.use_limits, q)
            return SOLVED if is_solved else SETTLED, iteration
    follow_points(joints, p, settings.use_limits, q)
    return SPENT, settings.budget


@compiled
def reach_back(lengths: Floats, target: Floats, p: Floats) -> None:
    """Put the last point on the target and draw the others after it, tip to base."""
    n = lengths.size
    old = p[n].copy()
    for k in range(DIMENSIONS):
        p[n, k] = target[k]
    for j in range(n - 1, -1, -1):
        draw(p[j + 1], p[j], old, lengths[j])


@compiled
def reach_out(lengths: Floats, target: Floats, p: Floats) -> float:
    """Put the first point back on the base and draw the others out; returns the squared error [m^2]."""
    n = lengths.size
    old = p[0].copy()
    for k in range(DIMENSIONS):
        p[0, k] = 0.0
    for j in range(n):
        draw(p[j], p[j + 1], old, lengths[j])
    squared = 0.0
    for k in range(DIMENSIONS):
        squared += (target[k] - p[n, k]) ** 2
    return squared


@compiled
def draw(fixed: Floats, moved: Floats, old_fixed: Floats, length: float) -> None:
    """Bring `moved` to a distance from `fixed`, along the line between them; `old_fixed` becomes where `moved` was.

    Where the two coincide, the segment keeps the direction that it had before `fixed` came there.
    """
    squared = 0.0
    for k in range(DIMENSIONS):
        squared += (moved[k] - fixed[k]) ** 2
    if squared > COINCIDENT:
        scale = length / math.sqrt(squared)
        for k in range(DIMENSIONS):
            old_fixed[k] = moved[k]
            moved[k] = fixed[k] + scale * (moved[k] - fixed[k])
        return
    squared = 0.0
    for k in range(DIMENSIONS):
        squared += (moved[k] - old_fixed[k]) ** 2
    scale = length / math.sqrt(squared) if squared > COINCIDENT else 0.0
    for k in range(DIMENSIONS):
        before = moved[k]
        moved[k] = fixed[k] + scale * (before - old_fixed[k])
        old_fixed[k] = before


@compiled
def lay_straight(lengths: Floats, target: Floats, p: Floats) -> bool:
    """Where the target is out of reach, lay the chain on the line to it: stretched, or folded against its longest segment.

    Returns whether it was; the points are untouched if not.
    """
    longest = np.argmax(lengths)
    total = lengths.sum()
    squared = 0.0
    for k in range(DIMENSIONS):
        squared += target[k] * target[k]
    distance = math.sqrt(squared)
    is_far = distance >= total
    if not is_far and distance > 2.0 * lengths[longest] - total:
        return False
    toward = np.zeros(DIMENSIONS)
    toward[0] = 1.0
    if distance > 0.0:
        for k in range(DIMENSIONS):
            toward[k] = target[k] / distance
    p[0] = 0.0
    for j in range(lengths.size):
        signed = lengths[j] if is_far or j == longest else -lengths[j]
        for k in range(DIMENSIONS):
            p[j + 1, k] = p[j, k] + signed * toward[k]
    return True


@compiled
def lie_on_line(target: Floats, p: Floats) -> bool:
    """Whether all points and the target lie on one line through the base, which the passes never leave."""
    farthest = target[:DIMENSIONS]
    extent = squared_norm(farthest)
    for j in range(1, p.shape[0]):
        if squared_norm(p[j]) > extent:
            farthest = p[j]
            extent = squared_norm(farthest)
    if not is_along(farthest, target, extent):
        return False
    for j in range(1, p.shape[0]):
        if not is_along(farthest, p[j], extent):
            return False
    return True


@compiled
def squared_norm(v: Floats) -> float:
    """|v|^2 of a point."""
    total = 0.0
    for k in range(DIMENSIONS):
        total += v[k] * v[k]
    return total


@compiled
def is_along(line: Floats, point: Floats, extent: float) -> bool:
    """Whether a point lies on the line through the base, to 1e-9 of the line's length squared, `extent` [m^2]."""
    dot = 0.0
    for k in range(DIMENSIONS):
        dot += line[k] * point[k]
    off = 0.0
    for k in range(DIMENSIONS):
        off += (point[k] * extent - line[k] * dot) ** 2
    return off <= (1e-9 * extent) ** 2 * extent


@compiled
def bend_points(
    joints: Records, target: Floats, use_limits: bool, q: Floats, squared: float, p: Floats
) -> float:
    """Leave a dead point by bending the arm (see `bend`); returns the squared error [m^2]."""
    bend(joints, target, use_limits, q, squared)
    return draw_points(joints, q, target, p)


@dataclass(frozen=True, kw_only=True)
class FABRIK(Solver):
    """Forward and backward reaching."""

    name: ClassVar[str] = "fabrik"
    title: ClassVar[str] = "FABRIK"
    summary: ClassVar[str] = "Points drawn along the chain, from the target back and from the base out again."
    source: ClassVar[str] = "Aristidou & Lasenby 2011"
    goals: ClassVar[tuple[type[Goal], ...]] = (Position,)
    chains: ClassVar[tuple[str, ...]] = (PLANAR, BALLS)

    def tuning(self, reach: float) -> Tuning:
        return Tuning()

    @classmethod
    def kernel(cls, chain: str, goal: type[Goal]) -> Kernel:
        return answer.bind(descend=descend, **kinematics(chain, goal))
