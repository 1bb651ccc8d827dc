"""Jacobian transpose as it is taught (Wolovich & Elliott 1984), and the bend that frees an arm stretched
straight.

With a fixed fraction of the best step, a bound on every angle and a bend for the stretched arm, but without
anything that keeps the error from growing: where the goal is out of reach the arm jerks. Damped least squares
(`dls`) is the cure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from limbik.compiler.kernel import Floats, Records, compiled
from limbik.goals.task import POINT
from limbik.numerics.linear import copy, fill
from limbik.solvers.methods.transpose import best_length
from limbik.solvers.solver import BY_CLASSIC, MethodTuning, StepSolver, parameter
from limbik.tree.joints import FRAME_SIZE, PRISMATIC, SPHERICAL, advance
from limbik.tree.residuals import FRAME, resolve_frames
from limbik.tree.workspace import Objectives, Tree, Workspace

LONGEST_TURN = 0.08  # [rad] of each joint in one step; prismatic joints: lengths of the model
STRAIGHT = 1e-6  # part of its length by which a stretched arm is shorter than its segments together
SHORTEST = 1e-9  # [m] of what counts as a segment
BEND = 0.02  # [rad] of each joint of a stretched arm


@compiled
def step(J: Floats, r: Floats, gradient: Floats, settings: Records, dq: Floats, work: Floats) -> None:
    """dq = clamp(alpha J^T r), alpha = damping <r, J J^T r> / <J J^T r, J J^T r>."""
    alpha = settings.damping * best_length(J, r, gradient)
    for j in range(dq.size):
        dq[j] = min(max(alpha * gradient[j], -LONGEST_TURN), LONGEST_TURN)


@compiled(inline=False)
def bend_stretched(
    tree: Tree, objectives: Objectives, workspace: Workspace, use_limits: bool, q: Floats
) -> bool:
    """Bend every arm that is stretched and has a point for a goal, in q [nq]; whether there is one."""
    is_bent = False
    fill(0.0, workspace.dq)
    for k in range(objectives.tasks.size):
        task = objectives.tasks[k]
        if task.kind == POINT and task.link >= 0:
            resolve_frames(task, objectives.targets[k], workspace.frames, workspace.total, workspace.resolved)
            if is_stretched(tree, task.link, workspace):
                is_bent = True
                curl(tree, task.link, workspace.dq)
    if is_bent:
        advance(tree.movers, q, workspace.dq, 1.0, use_limits, workspace.trial)
        copy(workspace.trial, q)
    return is_bent


@compiled
def is_stretched(tree: Tree, tip: int, workspace: Workspace) -> bool:
    """Whether it is straight from the first joint to the task's frame, which the link `tip` carries."""
    frames = workspace.frames
    x, y, z = workspace.resolved[FRAME], workspace.resolved[FRAME + 1], workspace.resolved[FRAME + 2]
    length = 0.0
    segments = 0
    j = tip
    o = 0
    while j >= 0:
        o = j * FRAME_SIZE
        dx, dy, dz = x - frames[o], y - frames[o + 1], z - frames[o + 2]
        segment = math.sqrt(dx * dx + dy * dy + dz * dz)
        if segment > SHORTEST:
            length += segment
            segments += 1
        x, y, z = frames[o], frames[o + 1], frames[o + 2]
        j = tree.links[j].parent
    dx, dy, dz = (
        workspace.resolved[FRAME] - x,
        workspace.resolved[FRAME + 1] - y,
        workspace.resolved[FRAME + 2] - z,
    )
    return segments > 1 and math.sqrt(dx * dx + dy * dy + dz * dz) >= (1.0 - STRAIGHT) * length


@compiled
def curl(tree: Tree, tip: int, dq: Floats) -> None:
    """Rotations of the joints on the path to a link, in one direction and the other in turn."""
    sign = 1.0
    j = tip
    while j >= 0:
        link = tree.links[j]
        if link.kind != PRISMATIC and tree.units[link.v] > 0.0:
            for k in range(3 if link.kind == SPHERICAL else 1):
                dq[link.v + k] = sign * BEND
            sign = -sign
        j = link.parent


@dataclass(frozen=True, kw_only=True)
class TransposeClassic(StepSolver):
    """Jacobian transpose as it is taught."""

    name: ClassVar[str] = "transpose-classic"
    title: ClassVar[str] = "Jacobian transpose, classic"
    summary: ClassVar[str] = (
        "A fixed fraction of the best gradient step, every angle bounded; it jerks where the goal is "
        "out of reach."
    )
    source: ClassVar[str] = "Wolovich & Elliott 1984; Buss 2004"

    damping: float = parameter(0.3, 0.01, 1.0, "", "fraction of the best step")

    def tuning(self, length: float) -> MethodTuning:
        return MethodTuning(method=BY_CLASSIC, damping=self.damping, as_it_is=True)
