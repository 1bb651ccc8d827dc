"""Trees for the tests of the general core, goals that they can meet, and what is true of every answer."""

import math
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from limbik import JointKind, Mass, Mimic, Model, Solution, Status, measure
from limbik.goals import (
    CenterOfMass,
    Direction,
    DistanceBetween,
    Goal,
    JointValue,
    LookAt,
    Orientation,
    PointOnLine,
    PointOnPlane,
    Pose,
    Position,
    Posture,
    Relative,
)
from strategies import KINDS, models

SCALAR = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC)
NEAR_HALF_TURN = 3e-3  # [rad] where the axis of a rotation is nearly lost
OF_FRAMES = (Position, Orientation, Pose, Relative, Direction, LookAt, PointOnLine, PointOnPlane)
GOALS = (*OF_FRAMES, DistanceBetween, CenterOfMass, JointValue, Posture)


@st.composite
def trees(draw: st.DrawFn, kinds=KINDS, min_joints: int = 1, max_joints: int = 6) -> Model:
    """Trees of every kind of joint, of which some follow others, with masses on all links."""
    tree = draw(models(kinds, min_joints, max_joints))
    free = [replace(joint, swing=max(joint.swing, 0.1)) if joint.kind is JointKind.BALL else joint
            for joint in tree.joints]  # fmt: skip
    scalar = [joint for joint in free if joint.kind in SCALAR]
    followers = {}
    if len(scalar) > 1 and draw(st.booleans()):
        leader, *others = draw(st.permutations(scalar))
        for joint in others[: draw(st.integers(1, len(others)))]:
            rule = Mimic(joint=leader.name, multiplier=draw(st.sampled_from([1.0, -0.5, 2.0])), offset=0.1)
            followers[joint.name] = replace(joint, mimic=rule, lower=-math.inf, upper=math.inf)
    joints = [followers.get(joint.name, joint) for joint in free]
    masses = [Mass(link=joint.child, mass=1.0 + k, center=np.array([0.1, -0.2, 0.05 * k]))
              for k, joint in enumerate(joints)]  # fmt: skip
    masses.append(Mass(link=tree.root, mass=0.5, center=np.array([0.0, 0.3, 0.0])))
    frames = tree.frames[len(joints) + 1 :]
    return Model("tree", joints, frames, masses=masses, root=tree.root, end_effector=tree.end_effector)


def moving_frames(model: Model) -> list[str]:
    """The frames that some joint moves."""
    fixed = JointKind.FIXED
    return [frame.name for frame in model.frames if any(j.kind is not fixed for j in model.path(frame.name))]


def can_move_apart(model: Model, frame: str, reference: str) -> bool:
    """Whether some joint lies between two frames."""
    one, other = ({joint.name for joint in model.path(each) if joint.kind is not JointKind.FIXED}
                  for each in (frame, reference))  # fmt: skip
    return one != other


def goal_at(kind: type[Goal], model: Model, q: np.ndarray, seed: int, **options) -> Goal | None:
    """A goal of a kind that is met exactly at q, for random frames; None where the model can have none."""
    rng = np.random.default_rng(seed)
    if kind is CenterOfMass:
        return CenterOfMass(target=model.center_of_mass(q), **options)
    if kind is Posture:
        return Posture(q=q, **options)
    if kind is JointValue:
        joints = [joint for joint in model.joints if joint.kind in SCALAR]
        if not joints:
            return None
        joint = joints[rng.integers(len(joints))]
        value = float(q[model.q_slice(joint.name).start])
        value = joint.mimic.value(value) if joint.mimic else value
        return JointValue(joint=joint.name, value=value, **options)
    frames = moving_frames(model)
    if not frames:
        return None
    frame = str(rng.choice(frames))
    pose = model.pose(q, frame)
    direction = Rotation.random(rng=rng).as_matrix()[0]
    if kind is Position:
        return Position(frame=frame, target=pose[:3, 3], **options)
    if kind is Orientation:
        return Orientation(frame=frame, target=pose[:3, :3], **options)
    if kind is Pose:
        return Pose(frame=frame, target=pose, **options)
    if kind in (Relative, DistanceBetween):
        others = [each.name for each in model.frames if can_move_apart(model, frame, each.name)]
        if not others:
            return None
        reference = str(rng.choice(others))
        if kind is DistanceBetween:
            apart = float(np.linalg.norm(pose[:3, 3] - model.pose(q, reference)[:3, 3]))
            return DistanceBetween(frame=frame, other=reference, value=apart, **options)
        target = np.linalg.solve(model.pose(q, reference), pose)
        return Relative(frame=frame, reference=reference, target=target, **options)
    if kind is Direction:
        return Direction(frame=frame, axis=direction, target=pose[:3, :3] @ direction, **options)
    if kind is LookAt:
        point = pose[:3, 3] + (0.3 + rng.random()) * (pose[:3, :3] @ direction)
        return LookAt(frame=frame, axis=direction, target=point, **options)
    if kind is PointOnLine:
        return PointOnLine(frame=frame, point=pose[:3, 3] + 0.7 * direction, direction=direction, **options)
    across = np.cross(direction, np.roll(direction, 1) + np.array([0.1, 0.0, 0.0]))
    return PointOnPlane(frame=frame, point=pose[:3, 3] + 0.7 * across, normal=direction, **options)


def several_goals(model: Model, seed: int, most: int = 5, priorities: int = 1) -> list[Goal]:
    """Two or more goals of any kind, fewer where the model cannot have them, all met by one configuration."""
    rng = np.random.default_rng(seed)
    q = model.random(seed)
    kinds = [GOALS[k] for k in rng.integers(len(GOALS), size=rng.integers(2, most + 1))]
    goals = (
        goal_at(kind, model, q, seed + k, priority=int(rng.integers(priorities)))
        for k, kind in enumerate(kinds)
    )
    return [goal for goal in goals if goal is not None]


def scale_of(model: Model, q: np.ndarray) -> float:
    """A length [m] that bounds all coordinates, for bounds on rounding."""
    return 1.0 + float(np.abs(model.forward(q)[..., :3, 3]).max())


def assert_honest(
    model: Model,
    goals: list[Goal],
    solution: Solution,
    *,
    tolerance: float = 1e-6,
    tolerance_rotation: float = 1e-6,
    limits: bool = True,
) -> None:
    """All that a solution says of its configuration is so, by the model's own kinematics."""
    q = solution.q
    assert q.shape == (model.nq,)
    assert np.isfinite(q).all()
    assert not limits or model.is_within_limits(q)
    assert solution.success == bool(solution) == (solution.ended is Status.SOLVED)
    misses = [_miss(solution, goal, k, q) for k, goal in enumerate(goals)]
    needed = min(goal.priority for goal in goals)
    first = [miss for goal, miss in zip(goals, misses, strict=True) if goal.priority == needed]
    error, error_rotation = np.max(first, axis=0)
    rounding = 1e-10 * scale_of(model, q)
    assert abs(solution.error - error) <= rounding
    assert abs(solution.error_rotation - error_rotation) <= (
        1e-7 if error_rotation < math.pi - NEAR_HALF_TURN else 2e-2
    )
    if solution.success:
        assert error <= tolerance + rounding
        assert error_rotation <= tolerance_rotation + 1e-10
    else:
        assert error > 0.999 * tolerance or error_rotation > 0.999 * tolerance_rotation


def _miss(solution: Solution, goal: Goal, place: int, q: np.ndarray) -> tuple[float, float]:
    """How far a goal is from being met [m], [rad]; of a posture, the joint that is farthest off."""
    if not isinstance(goal, Posture):
        return measure.goal_errors(solution.request, q)[place]
    model = solution.request.model
    metres, radians = [0.0], [0.0]
    weights = np.broadcast_to(goal.weight, model.nv)
    for joint in model.joints:
        here, there = (each[model.q_slice(joint.name)] for each in (q, goal.q))
        weight = weights[model.v_slice(joint.name)]
        if joint.nv == 0 or not weight.any():
            continue
        if joint.kind in (JointKind.BALL, JointKind.FLOATING):
            turn = Rotation.from_quat(here[-4:]).inv() * Rotation.from_quat(there[-4:])
            radians.append(turn.magnitude() if weight[-3:].any() else 0.0)
            metres.extend(np.abs(here - there)[:-4][weight[:-3] > 0.0])
        elif joint.kind is JointKind.PRISMATIC:
            metres.append(abs(here[0] - there[0]))
        else:
            left = there[0] - here[0]
            radians.append(abs(left if joint.has_limits else math.remainder(left, 2.0 * math.pi)))
    return max(metres), max(radians)
