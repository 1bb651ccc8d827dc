"""FABRIK, forward and backward reaching inverse kinematics (Aristidou & Lasenby 2011).

Joints are points. A backward pass puts the last point on the target and draws the others after it; a forward
pass puts the first point back on the base and draws the others out again. Segments keep their lengths; angles
follow from the points. With limits, each pass turns a segment no further from its neighbour than the joint
between them allows.

This file has the passes for points alone: revolute joints in a plane, or ball joints, and one target. For
every other mechanism and goal they are in `solvers.methods.fabrik_bodies`.

Points are p [n + 1, 3], the base first, at the origin; arms in the plane have z = 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from limbik.chain.descent import (
    REST_FADED,
    REST_FADING,
    WINDOW,
    bend,
    extrapolate,
    record,
)
from limbik.chain.solve import answer
from limbik.compiler.kernel import Floats, Kernel, Records, Watch, compiled, empty, is_stopped, to_be_bound
from limbik.goals import OF_FRAMES, Goal, Position
from limbik.numerics.end_codes import SETTLED, SOLVED, SPENT
from limbik.numerics.linear import copy
from limbik.solvers.methods.fabrik_bodies import passes
from limbik.solvers.methods.fabrik_targets import merit
from limbik.solvers.solver import BALLS, PLANAR, AnswerKernel, Solver, Tuning, kinematics

COINCIDENT = 1e-200  # [m^2]

# Bound by the chain.
blend = draw_points = follow_points = backward_within_limits = count_segments = measure_segments = (
    to_be_bound()
)


@compiled
def drag(lengths: Floats, p: Floats, first: int, way: int, x: float, y: float, z: float) -> None:
    """Put one end of the chain (point `first`) at x, y, z and draw the others after it, in the order first +
    way, ...

    Each goes along the line to the one before. Where the two coincide, the segment keeps its old direction.
    """
    old_x, old_y, old_z = p[first, 0], p[first, 1], p[first, 2]
    p[first, 0], p[first, 1], p[first, 2] = x, y, z
    for k in range(1, lengths.size + 1):
        j = first + way * k
        here_x, here_y, here_z = p[j, 0], p[j, 1], p[j, 2]
        dx, dy, dz = here_x - x, here_y - y, here_z - z
        squared = dx * dx + dy * dy + dz * dz
        if squared < COINCIDENT:
            dx, dy, dz = here_x - old_x, here_y - old_y, here_z - old_z
            squared = max(dx * dx + dy * dy + dz * dz, COINCIDENT)
        scale = lengths[min(j, j - way)] / math.sqrt(squared)
        x += scale * dx
        y += scale * dy
        z += scale * dz
        p[j, 0], p[j, 1], p[j, 2] = x, y, z
        old_x, old_y, old_z = here_x, here_y, here_z


@compiled
def reach(lengths: Floats, target: Floats, p: Floats) -> None:
    """One iteration of the paper (algorithm 1): backward from the target, forward from the base."""
    drag(lengths, p, lengths.size, -1, target[0], target[1], target[2])
    drag(lengths, p, 0, 1, 0.0, 0.0, 0.0)


@compiled(inline=False)
def reach_within_limits(
    joints: Records, lengths: Floats, target: Floats, squared: float, q: Floats, trial: Floats, p: Floats
) -> float:
    """The same with limits: the forward pass turns the joints, each as far as it may. q [nq] changes where
    the squared error falls below `squared`; where it does not, the arm is bent. Returns the squared error
    [m^2].
    """
    backward_within_limits(joints, lengths, target, p)
    copy(q, trial)
    follow_points(joints, p, True, trial)
    changed = draw_points(joints, trial, target, p)
    if changed < squared:
        copy(trial, q)
        return changed
    return bend_points(joints, target, True, q, squared, p)


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
    watch: Watch,
) -> tuple[int, int]:
    """Descend by pairs of passes. q [nq] is changed in place. Returns (why it ended, iterations)."""
    lengths = empty(count_segments(joints))
    measure_segments(joints, lengths)
    p = empty(lengths.size + 1, 3)
    trial, at_window_q = empty(q.size), empty(q.size)
    copy(q, at_window_q)
    limit = settings.tolerance * settings.tolerance
    squared = draw_points(joints, q, target, p)
    record(0, q, math.sqrt(squared + off_plane), trace_q, trace_error)
    if squared + off_plane <= limit:
        return SOLVED, 0
    margin = 0.5 * math.sqrt(max(limit - off_plane, 0.0))
    if not settings.use_limits and lay_straight(lengths, target, margin, p):
        follow_points(joints, p, False, q)
        squared = draw_points(joints, q, target, p)
        record(1, q, math.sqrt(squared + off_plane), trace_q, trace_error)
        return SOLVED if squared + off_plane <= limit else SETTLED, 1
    if lie_on_line(target, p):
        squared = bend_points(joints, target, settings.use_limits, q, squared, p)
        copy(q, at_window_q)
    bias = settings.rest_bias
    at_window = squared
    for iteration in range(1, settings.budget + 1):
        if is_stopped(watch, iteration):
            recover(joints, p, settings.use_limits, at_window_q, q)
            return SPENT, iteration - 1
        if bias > REST_FADED:
            blend(joints, q, rest, bias, settings.use_limits)
            bias *= REST_FADING
            copy(q, at_window_q)
            draw_points(joints, q, target, p)
            at_window = squared = math.inf
        if settings.use_limits:
            changed = reach_within_limits(joints, lengths, target, squared, q, trial, p)
        else:
            reach(lengths, target, p)
            changed = squared_distance(p, target)
            if trace_error.size > 0 or bias > REST_FADED:
                recover(joints, p, False, at_window_q, q)
        is_stuck = not changed < squared * (1.0 - 1e-12)
        squared = changed
        if iteration % WINDOW == 0:
            recover(joints, p, settings.use_limits, at_window_q, q)
            squared = extrapolate(joints, target, settings.use_limits, q, at_window_q, squared)
            draw_points(joints, q, target, p)
            is_stuck |= squared > at_window * (1.0 - patience)
            at_window = squared
            copy(q, at_window_q)
        record(iteration, q, math.sqrt(squared + off_plane), trace_q, trace_error)
        is_solved = squared + off_plane <= limit
        if is_solved or (is_stuck and not bias > REST_FADED):
            recover(joints, p, settings.use_limits, at_window_q, q)
            return SOLVED if is_solved else SETTLED, iteration
    recover(joints, p, settings.use_limits, at_window_q, q)
    return SPENT, settings.budget


@compiled
def recover(joints: Records, p: Floats, use_limits: bool, last_q: Floats, q: Floats) -> None:
    """q [nq] from the points.

    Without limits q has not been kept up to date: it is turned on from where it last was, `last_q`, so that a
    ball joint's twist does not depend on how often someone looks.
    """
    if not use_limits:
        copy(last_q, q)
        follow_points(joints, p, False, q)


@compiled
def squared_distance(p: Floats, target: Floats) -> float:
    """Of the last point from the target [m^2]."""
    squared = 0.0
    for k in range(3):
        squared += (target[k] - p[p.shape[0] - 1, k]) ** 2
    return squared


@compiled
def lay_straight(lengths: Floats, target: Floats, margin: float, p: Floats) -> bool:
    """Where the target is out of reach, or within `margin` [m] of its edge, where passes would creep, lay the
    chain on the line to it: stretched, or folded against its longest segment.

    Returns whether it was; the points are untouched if not.
    """
    longest, total = 0, 0.0
    for j in range(lengths.size):
        longest = j if lengths[j] > lengths[longest] else longest
        total += lengths[j]
    squared = 0.0
    for k in range(3):
        squared += target[k] * target[k]
    distance = math.sqrt(squared)
    is_far = distance + margin >= total
    if not is_far and distance - margin > 2.0 * lengths[longest] - total:
        return False
    for k in range(3):
        toward = target[k] / distance if distance > 0.0 else (1.0 if k == 0 else 0.0)
        p[0, k] = 0.0
        for j in range(lengths.size):
            signed = lengths[j] if is_far or j == longest else -lengths[j]
            p[j + 1, k] = p[j, k] + signed * toward
    return True


@compiled
def lie_on_line(target: Floats, p: Floats) -> bool:
    """Whether points and target lie on one line through the base (to 1e-9), which the passes never leave."""
    extent = 0.0
    for k in range(3):
        extent += target[k] * target[k]
    farthest = 0  # the base stands for the target
    for j in range(1, p.shape[0]):
        squared = 0.0
        for k in range(3):
            squared += p[j, k] * p[j, k]
        if squared > extent:
            farthest, extent = j, squared
    for j in range(p.shape[0]):
        dot = 0.0
        for k in range(3):
            along = p[farthest, k] if farthest > 0 else target[k]
            dot += along * (p[j, k] if j > 0 else target[k])
        off = 0.0
        for k in range(3):
            along = p[farthest, k] if farthest > 0 else target[k]
            off += ((p[j, k] if j > 0 else target[k]) * extent - along * dot) ** 2
        if off > (1e-9 * extent) ** 2 * extent:
            return False
    return True


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
    tree_goals: ClassVar[tuple[type[Goal], ...]] = OF_FRAMES
    spares_others: ClassVar[bool] = True

    def tuning(self, reach: float) -> Tuning:
        return Tuning()

    @classmethod
    def kernel(cls, chain: str, goal: type[Goal]) -> AnswerKernel:
        return answer.bind(descend=descend, **kinematics(chain, goal))

    @classmethod
    def tree_kernels(cls) -> dict[str, Kernel[..., Any]]:
        return {"improve": passes, "merit": merit}
