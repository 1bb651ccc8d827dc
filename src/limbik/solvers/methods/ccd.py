"""Cyclic coordinate descent (Wang & Chen 1991; quaternion form after Kenwright 2012).

One joint at a time, tip to base: turn the joint so that the end effector points at the target. `sweep` does
so on any tree and for points, directions and rotations together: the last joints turn the tool while the
others bring it to its target, as long as that gains.

Kenwright's form turns the effector to the target by the smallest rotation and then the revolute joint back to
its axis by the smallest rotation. Seen along the axis both together are the turn by atan2(a.(u x v), u.v)
across it, which is used here: what of u and v lies along the axis, which Kenwright's form has to make up for
in later sweeps, does not disturb it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from limbik.compiler.kernel import Floats, Kernel, Records, compiled
from limbik.errors import SolverError, members_of, shortened
from limbik.goals import Direction, Goal, Orientation, Pose, Position
from limbik.model.model import Model
from limbik.numerics.linear import copy
from limbik.solvers.methods.ccd_joints import move_prismatic, propagate, turn_revolute, turn_spherical
from limbik.solvers.methods.ccd_roles import BOTH, roles_of_chosen, roles_of_last
from limbik.solvers.methods.ccd_vector_pairs import fill_vector_pairs
from limbik.solvers.solver import MethodTuning, Solver, parameter
from limbik.tree.classical_loop import DAMPING, MEMORY, USE_LIMITS
from limbik.tree.evaluation import differentiate, evaluate
from limbik.tree.joints import PRISMATIC, REVOLUTE
from limbik.tree.pack import PackedTree
from limbik.tree.workspace import Objectives, Tree, Workspace

FALLING = 0.7  # of the smallest squared error: a sweep by roles that leaves less than this part gains
MAX_IDLE = 5.0  # sweeps by roles in a row that gain nothing, before all joints serve everything
RELAXATION = 1.6  # of every turn once all joints serve several tasks; for one, no turn beyond the best gains
HALVINGS = 6  # of the step of a joint that others follow

# What a descent is at (`tree.classical_loop.MEMORY`); and of `workspace.scratch[0]`, behind what ball
# joints need, by index: the smallest squared error by roles, and the sweeps since then.
BEGINS, BY_ROLE, ALL_ALIKE = 0.0, 1.0, 2.0
MIN, IDLE = 41, 42


@compiled
def sweep(
    tree: Tree, objectives: Objectives, workspace: Workspace, roles: Floats, settings: Floats, q: Floats
) -> None:
    """One sweep over the joints of a tree, tip to base, for points, rotations and directions together.

    q [nq] is changed in place. Every joint is turned as is best for all that it serves
    (`solvers.methods.ccd_joints`). A sweep in which all joints serve everything (roles 1/2) never makes the
    sum of squared errors grow, rotations counted by the chords of their angles. Such sweeps gain slowly after
    some time; then every turn goes somewhat beyond its best. Joints that others follow come last, see
    `step_leader`.
    """
    use_limits, damping = settings[USE_LIMITS] > 0.0, settings[DAMPING]
    by_role = is_by_role(tree, objectives, workspace, settings, q)
    relaxation = 1.0 if by_role or objectives.tasks.size == 1 else RELAXATION
    fill_vector_pairs(
        objectives.tasks,
        objectives.targets,
        workspace.frames,
        workspace.total,
        workspace.resolved,
        workspace.vector_pairs,
    )
    has_leaders = False
    for j in range(tree.links.size - 1, -1, -1):
        link = tree.links[j]
        if link.mover >= 0 and tree.units[link.v] > 0.0:
            mover = tree.movers[link.mover]
            role = roles[j] if by_role else BOTH
            if mover.has_mimics > 0:
                has_leaders = True
            elif link.kind == REVOLUTE:
                turn_revolute(objectives.tasks, workspace, j, mover, role, use_limits, damping, relaxation, q)
            elif link.kind == PRISMATIC:
                move_prismatic(
                    objectives.tasks, workspace, j, mover, role, use_limits, damping, relaxation, q
                )
            else:
                turn_spherical(
                    objectives.tasks, workspace, j, mover, role, use_limits, damping, relaxation, q
                )
        hands_over = by_role and link.parent >= 0 and roles[j] == 1.0 and roles[link.parent] < 1.0
        propagate(objectives.tasks, workspace.vector_pairs, workspace.frames, j, link.parent, hands_over)
    if has_leaders:
        for m in range(tree.movers.size - 2, -1, -1):
            if tree.movers[m].has_mimics > 0 and tree.units[tree.movers[m].v] > 0.0:
                step_leader(tree, objectives, workspace, m, use_limits, damping, q)


@compiled(inline=False)
def is_by_role(tree: Tree, objectives: Objectives, workspace: Workspace, settings: Floats, q: Floats) -> bool:
    """Whether this sweep is by roles: the first of a descent are, as long as the error falls quickly.

    Then q becomes the best configuration so far, and all joints serve everything.
    """
    scratch = workspace.scratch[0]
    if settings[MEMORY] == ALL_ALIKE:
        return False
    if settings[MEMORY] == BEGINS:
        settings[MEMORY] = BY_ROLE
        scratch[MIN] = math.inf
    if workspace.costs[0, 0] < FALLING * scratch[MIN]:
        scratch[MIN], scratch[IDLE] = workspace.costs[0, 0], 0.0
        return True
    scratch[IDLE] += 1.0
    if scratch[IDLE] < MAX_IDLE:
        return True
    settings[MEMORY] = ALL_ALIKE
    copy(workspace.nearest, q)
    evaluate(tree, objectives, workspace, q, 0)
    return False


@compiled(inline=False)
def step_leader(
    tree: Tree,
    objectives: Objectives,
    workspace: Workspace,
    m: int,
    use_limits: bool,
    damping: float,
    q: Floats,
) -> None:
    """Move a joint that others follow by a Gauss-Newton step for it alone, halved until the error falls.

    Several links move at once, each along its own curve: there is no closed form.
    """
    mover = tree.movers[m]
    evaluate(tree, objectives, workspace, q, 0)
    differentiate(tree, objectives, workspace, workspace.J)
    slope = curvature = 0.0
    for row in range(workspace.J.shape[0]):
        rate = workspace.J[row, mover.v]
        slope += rate * workspace.errors[0, row]
        curvature += rate * rate
    if not curvature > 0.0:
        return
    old = q[mover.q]
    step = damping * tree.units[mover.v] * slope / curvature
    for _ in range(HALVINGS):
        q[mover.q] = min(max(old + step, mover.lower), mover.upper) if use_limits else old + step
        evaluate(tree, objectives, workspace, q, 1)
        if workspace.costs[1, 0] < workspace.costs[0, 0]:
            return
        step *= 0.5
    q[mover.q] = old


@dataclass(frozen=True, kw_only=True)
class CCD(Solver):
    """Cyclic coordinate descent.

    direction_joints: names of the joints that serve directions and orientations while the others serve
    positions, as long as that gains; then all serve both. None: the last ones, as many as can turn the
    direction in every direction (2 for a Direction, 3 for an Orientation). Empty: all serve both from the
    start. anneal: after a stall, go on from the best configuration with every joint moved at random by up to
    this fraction of the change to a random value within its limits, less each time; 0: new starts instead.
    """

    name: ClassVar[str] = "ccd"
    title: ClassVar[str] = "CCD"
    summary: ClassVar[str] = (
        "One joint at a time, tip to base, each turned so that the end effector points at the target."
    )
    source: ClassVar[str] = "Wang & Chen 1991"
    goals: ClassVar[tuple[type[Goal], ...]] = (Position, Orientation, Pose, Direction)

    damping: float = parameter(1.0, 0.01, 1.0, "", "factor on every step")
    anneal: float = parameter(
        0.0,
        0.0,
        1.0,
        "",
        "after a stall: fraction of the change to random values that joints are moved by, less each time",
    )
    direction_joints: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        joints: object = self.direction_joints
        if joints is None:
            return
        what = "ccd: `direction_joints`"
        names = (
            (joints,) if isinstance(joints, str) else members_of(joints, what, SolverError, any_order=True)
        )
        for name in names:
            if not isinstance(name, str):
                raise SolverError(f"{what} needs names of joints, found {shortened(name)}")
        object.__setattr__(self, "direction_joints", names)

    def tuning(self, length: float) -> MethodTuning:
        return MethodTuning(damping=self.damping, anneal=self.anneal)

    @classmethod
    def kernels(cls) -> dict[str, Kernel[..., Any]]:
        return {"improve": sweep}

    def roles(self, model: Model, tree: PackedTree, tasks: Records, units: Floats) -> Floats:
        if self.direction_joints is None:
            return roles_of_last(tree, tasks, units)
        return roles_of_chosen(model, tree, self.direction_joints)
