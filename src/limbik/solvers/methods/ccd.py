"""Cyclic coordinate descent (Wang & Chen 1991; quaternion form after Kenwright 2012).

One joint at a time, tip to base: turn the joint so that the end effector points at the target. `sweep_plane`
and `sweep_space` do so for a point and a chain, `sweep` for any tree and for points, directions and rotations
together: there the last joints turn the tool while the others bring it to its place, as long as that gains.

Kenwright's form turns the effector to the target by the smallest rotation and then the revolute joint back to
its axis by the smallest rotation. Seen along the axis both together are the turn by atan2(a.(u x v), u.v)
across it, which is used here: what of u and v lies along the axis, which Kenwright's form has to make up for
in later sweeps, does not disturb it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from limbik.chain.descent import by_sweeps
from limbik.chain.joints import FRAME_SIZE, PRISMATIC, REVOLUTE, ROTATION, set_spherical
from limbik.chain.solve import answer
from limbik.chain.spatial import place_frames
from limbik.compiler.kernel import Floats, Kernel, Records, compiled
from limbik.errors import SolverError, members_of, shortened
from limbik.goals import Direction, Goal, Orientation, Pose, Position
from limbik.model.model import Model
from limbik.numerics.linear import copy
from limbik.numerics.rotation import (
    exponential,
    logarithm,
    product,
    rotate,
    smallest_turn,
    times,
    transposed_times,
)
from limbik.numerics.trigonometry import angle_of, sincos, turn_within_limits
from limbik.solvers.methods.ccd_joints import move_prismatic, propagate, turn_revolute, turn_spherical
from limbik.solvers.methods.ccd_roles import BOTH, roles_of_chosen, roles_of_last
from limbik.solvers.methods.ccd_vector_pairs import fill_vector_pairs
from limbik.solvers.solver import PLANAR, AnswerKernel, Solver, Tuning, kinematics, parameter
from limbik.tree.classical_loop import DAMPING, MEMORY, USE_LIMITS
from limbik.tree.evaluation import differentiate, evaluate
from limbik.tree.pack import PackedTree
from limbik.tree.workspace import Objectives, Tree, Workspace

FALLING = 0.7  # of the least squared error: a sweep by roles that leaves less than this part gains
MAX_IDLE = 5.0  # sweeps by roles in a row that gain nothing, before all joints serve everything
RELAXATION = 1.6  # of every turn once all joints serve everything
HALVINGS = 6  # of the step of a joint that others follow

# What a descent is at (`tree.classical_loop.MEMORY`); and of `workspace.scratch[0]`, behind what ball
# joints need, by place: the least squared error by roles, and the sweeps since then.
BEGINS, BY_ROLE, ALL_ALIKE = 0.0, 1.0, 2.0
MIN, IDLE = 41, 42


@compiled
def sweep_plane(
    joints: Records, target: Floats, settings: Records, q: Floats, points: Floats, frames: Floats
) -> float:
    """One sweep over revolute joints in the plane. q [n] is changed in place; returns the squared error
    [m^2].

    Each turns by damping * atan2(u x v, u . v), u from the joint to the end effector, v from the joint to the
    target.
    """
    n = q.size
    heading = 0.0
    for j in range(n):
        heading += joints[j].sign * q[j] + joints[j].offset
        points[0, j] = heading
    for j in range(n):
        sine, cosine = sincos(points[0, j])
        points[0, j] = joints[j].length * cosine
        points[1, j] = joints[j].length * sine
    # From the joint to the end effector; the joints nearer to the base never change it.
    ux = 0.0
    uy = 0.0
    # From the end effector to the target.
    x = target[0]
    y = target[1]
    for j in range(n):
        x -= points[0, j]
        y -= points[1, j]
    for j in range(n - 1, -1, -1):
        ux += points[0, j]
        uy += points[1, j]
        vx = ux + x
        vy = uy + y
        joint = joints[j]
        turn = settings.damping * angle_of(ux * vy - uy * vx, ux * vx + uy * vy)
        if settings.use_limits:
            turn = joint.sign * turn_within_limits(q[j], joint.sign * turn, joint.lower, joint.upper)
        q[j] += joint.sign * turn
        if settings.use_limits:
            q[j] = min(max(q[j], joint.lower), joint.upper)
        sine, cosine = sincos(turn)
        ux, uy = cosine * ux - sine * uy, sine * ux + cosine * uy
        x = vx - ux
        y = vy - uy
    return x * x + y * y


@compiled
def sweep_space(
    joints: Records, target: Floats, settings: Records, q: Floats, unused: Floats, frames: Floats
) -> float:
    """One sweep in space. q [nq] is changed in place; returns the squared error [m^2]."""
    place_frames(joints, q, frames)
    tip = (joints.size - 1) * FRAME_SIZE
    for j in range(joints.size - 2, -1, -1):
        joint = joints[j]
        o = j * FRAME_SIZE
        if joint.kind == REVOLUTE:
            turn_revolute_to_point(joint, frames, o, tip, target, settings, q)
        elif joint.kind == PRISMATIC:
            move_prismatic_to_point(joint, frames, o, tip, target, settings, q)
        else:
            turn_spherical_to_point(joint, frames, o, tip, target, settings, q)
    squared = 0.0
    for k in range(3):
        squared += (frames[tip + k] - target[k]) ** 2
    return squared


@compiled
def turn_revolute_to_point(
    joint: Records, frames: Floats, o: int, tip: int, target: Floats, settings: Records, q: Floats
) -> None:
    """Turn a revolute joint so that the end effector comes nearest to the target; it moves along."""
    ax, ay, az = times(frames, o + ROTATION, joint.axis[0], joint.axis[1], joint.axis[2])
    ux, uy, uz = frames[tip] - frames[o], frames[tip + 1] - frames[o + 1], frames[tip + 2] - frames[o + 2]
    vx, vy, vz = target[0] - frames[o], target[1] - frames[o + 1], target[2] - frames[o + 2]
    along_u = ax * ux + ay * uy + az * uz
    along_v = ax * vx + ay * vy + az * vz
    sine = ax * (uy * vz - uz * vy) + ay * (uz * vx - ux * vz) + az * (ux * vy - uy * vx)
    cosine = ux * vx + uy * vy + uz * vz - along_u * along_v
    turn = settings.damping * angle_of(sine, cosine)
    old = q[joint.q]
    if settings.use_limits:
        turn = turn_within_limits(old, turn, joint.lower, joint.upper)
    q[joint.q] = old + turn
    if settings.use_limits:
        q[joint.q] = min(max(old + turn, joint.lower), joint.upper)
    s, c = sincos(turn)
    along = (1.0 - c) * along_u
    frames[tip] = frames[o] + c * ux + s * (ay * uz - az * uy) + along * ax
    frames[tip + 1] = frames[o + 1] + c * uy + s * (az * ux - ax * uz) + along * ay
    frames[tip + 2] = frames[o + 2] + c * uz + s * (ax * uy - ay * ux) + along * az


@compiled
def move_prismatic_to_point(
    joint: Records, frames: Floats, o: int, tip: int, target: Floats, settings: Records, q: Floats
) -> None:
    """Move a prismatic joint so that the end effector comes nearest to the target; it moves along."""
    ax, ay, az = times(frames, o + ROTATION, joint.axis[0], joint.axis[1], joint.axis[2])
    wanted = (
        ax * (target[0] - frames[tip])
        + ay * (target[1] - frames[tip + 1])
        + az * (target[2] - frames[tip + 2])
    )
    old = q[joint.q]
    q[joint.q] = old + settings.damping * wanted
    if settings.use_limits:
        q[joint.q] = min(max(q[joint.q], joint.lower), joint.upper)
    moved = q[joint.q] - old
    frames[tip] += moved * ax
    frames[tip + 1] += moved * ay
    frames[tip + 2] += moved * az


@compiled
def turn_spherical_to_point(
    joint: Records, frames: Floats, o: int, tip: int, target: Floats, settings: Records, q: Floats
) -> None:
    """Turn a ball joint by the smallest rotation that points the end effector at the target; it moves along.

    Where limits change that rotation so much that the end effector would move away, the joint stays.
    """
    i = joint.q
    R = o + ROTATION
    # In the joint's moved frame: to the end effector, and to the target.
    ux, uy, uz = transposed_times(
        frames, R, frames[tip] - frames[o], frames[tip + 1] - frames[o + 1], frames[tip + 2] - frames[o + 2]
    )
    vx, vy, vz = transposed_times(
        frames, R, target[0] - frames[o], target[1] - frames[o + 1], target[2] - frames[o + 2]
    )
    turn = smallest_turn(ux, uy, uz, vx, vy, vz)
    if settings.damping < 1.0:
        x, y, z = logarithm(turn)
        turn = exponential(settings.damping * x, settings.damping * y, settings.damping * z)
    old = (q[i], q[i + 1], q[i + 2], q[i + 3])
    set_spherical(joint, product(old, turn), settings.use_limits, q)
    if settings.use_limits:  # what the turn became
        turn = product((-old[0], -old[1], -old[2], old[3]), (q[i], q[i + 1], q[i + 2], q[i + 3]))
    wx, wy, wz = rotate(turn, ux, uy, uz)
    before = (ux - vx) ** 2 + (uy - vy) ** 2 + (uz - vz) ** 2
    if (wx - vx) ** 2 + (wy - vy) ** 2 + (wz - vz) ** 2 > before:
        q[i], q[i + 1], q[i + 2], q[i + 3] = old
        return
    x, y, z = times(frames, R, wx, wy, wz)
    frames[tip], frames[tip + 1], frames[tip + 2] = frames[o] + x, frames[o + 1] + y, frames[o + 2] + z


@compiled
def sweep(
    tree: Tree, objectives: Objectives, workspace: Workspace, roles: Floats, settings: Floats, q: Floats
) -> None:
    """One sweep over the joints of a tree, tip to base, for points, rotations and directions together.

    q [nq] is changed in place. Every joint is turned as is best for all that it serves
    (`solvers.methods.ccd_joints`). A sweep in which all joints serve everything (roles 1/2) never makes the
    sum of squared errors grow, turns counted by the chords of their angles. Such sweeps gain slowly after
    some time; then every turn goes somewhat beyond its best. Joints that others follow come last, see
    `step_leader`.
    """
    use_limits, damping = settings[USE_LIMITS] > 0.0, settings[DAMPING]
    by_role = is_by_role(tree, objectives, workspace, settings, q)
    relaxation = 1.0 if by_role else RELAXATION
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
    copy(workspace.kept, q)
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

    Several links move at once, each in its own way: there is no closed form.
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
    direction every way (2 for a Direction, 3 for an Orientation). Empty: all serve both from the start.
    anneal: after a stall, go on from the best configuration with every joint moved at random by up to this
    part of the way to anywhere within its limits, less each time; 0: new starts instead.
    """

    name: ClassVar[str] = "ccd"
    title: ClassVar[str] = "CCD"
    summary: ClassVar[str] = (
        "One joint at a time, tip to base, each turned so that the end effector points at the target."
    )
    source: ClassVar[str] = "Wang & Chen 1991"
    goals: ClassVar[tuple[type[Goal], ...]] = (Position,)
    tree_goals: ClassVar[tuple[type[Goal], ...]] = (Position, Orientation, Pose, Direction)

    damping: float = parameter(1.0, 0.01, 1.0, "", "factor on every step")
    anneal: float = parameter(
        0.0,
        0.0,
        1.0,
        "",
        "after a stall: part of the way to anywhere that joints are moved, less each time",
    )
    direction_joints: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        given: Any = self.direction_joints
        if given is None:
            return
        what = "ccd: `direction_joints`"
        names = (given,) if isinstance(given, str) else members_of(given, what, SolverError)
        for name in names:
            if not isinstance(name, str):
                raise SolverError(f"{what} needs names of joints, found {shortened(name)}")
        object.__setattr__(self, "direction_joints", names)

    @property
    def needs_tree(self) -> bool:
        return self.anneal > 0.0 or self.direction_joints is not None

    def tuning(self, reach: float) -> Tuning:
        return Tuning(damping=self.damping, anneal=self.anneal)

    @classmethod
    def kernel(cls, chain: str, goal: type[Goal]) -> AnswerKernel:
        one_sweep = sweep_plane if chain == PLANAR else sweep_space
        return answer.bind(descend=by_sweeps, sweep=one_sweep, **kinematics(chain, goal))

    @classmethod
    def tree_kernels(cls) -> dict[str, Kernel[..., Any]]:
        return {"improve": sweep}

    def roles(self, model: Model, tree: PackedTree, tasks: Records, units: Floats) -> Floats:
        if self.direction_joints is None:
            return roles_of_last(tree, tasks, units)
        return roles_of_chosen(model, tree, self.direction_joints)
