"""Links, screws and rows of the general core, beside the model's own kinematics and finite differences."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from limbik import JointKind, ModelBuilder, measure
from limbik.compiler.arrays import zeros
from limbik.goals import (
    CenterOfMass,
    Direction,
    DistanceBetween,
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
from limbik.goals.task import LENGTHS
from limbik.request import Request
from limbik.solvers.task_set import fill_targets
from limbik.solvers.tasks import TaskMaker
from limbik.tree import evaluation
from limbik.tree.joints import ROTATION
from limbik.tree.kinematics import pose_links, pose_screws
from limbik.tree.pack import WORLD, pack_tree
from limbik.tree.residuals import TARGET_SIZE, fill_jacobian
from limbik.tree.workspace import Objectives, Tree, Workspace
from strategies import SEEDS, configuration
from trees import GOALS, goal_at, scale_of, trees

few = settings(max_examples=12)  # interpreted kernels, and trees that take long to draw
STEP = 1e-6  # [rad or m] of finite differences
TOOL = np.eye(4)
POINTS = (Position, Pose, Relative, PointOnLine, PointOnPlane, DistanceBetween, CenterOfMass, JointValue)


class Seen:
    """What the general kernels see of goals at a configuration."""

    def __init__(self, model, goals, length=0.7):
        self.model, self.packed = model, pack_tree(model)
        self.tasks, level_tasks, level_rows = TaskMaker(model, self.packed, length, 1e-6, 1e-6, TOOL).tasks(
            goals
        )
        rows, levels = int(level_rows[-1]), len(level_rows) - 1
        sizes = {
            "n_links": len(self.packed.links), "nq": model.nq, "nv": model.nv, "n_rows": rows,
            "n_tasks": len(self.tasks), "n_levels": levels,
        }  # fmt: skip
        self.workspace = zeros(Workspace, sizes)
        targets = np.zeros((len(self.tasks), TARGET_SIZE))
        fill_targets(model, goals, targets)
        links, movers = (each.view(np.recarray) for each in (self.packed.links, self.packed.movers))
        self.tree = Tree(links, movers, np.ones(model.nv), self.packed.fixed_mass)
        self.objectives = Objectives(
            self.tasks.view(np.recarray), targets, level_tasks, level_rows, watch=None
        )

    def errors(self, q):
        evaluation.evaluate.interpreted(self.tree, self.objectives, self.workspace, q, 0)
        return self.workspace.errors[0].copy()

    def jacobian(self, q):
        self.errors(q)
        workspace = self.workspace
        pose_screws.interpreted(self.tree.links, workspace.frames, workspace.screws)
        fill_jacobian.interpreted(
            self.tree.links, self.objectives.tasks, self.tree.units, workspace.screws, workspace.sums,
            workspace.total, workspace.wrenches, workspace.J,
        )  # fmt: skip
        return workspace.J.copy()

    def differences(self, q, of=None):
        """How fast every velocity closes each row's error, by central differences [rows, nv]."""
        of = self.errors if of is None else of
        columns = [(of(moved(self.model, q, -v)) - of(moved(self.model, q, v))) / (2.0 * STEP)
                   for v in STEP * np.eye(self.model.nv)]  # fmt: skip
        return np.stack(columns, axis=-1)


def moved(model, q, v):
    """q after a velocity; the translation of a floating joint is along the axes in which it is counted."""
    out = q.copy()
    for joint in model.joints:
        if joint.nv == 0:
            continue
        at, step = model.q_slice(joint.name), v[model.v_slice(joint.name)]
        if joint.kind in (JointKind.BALL, JointKind.FLOATING):
            turned = Rotation.from_quat(q[at][-4:]) * Rotation.from_rotvec(step[-3:])
            out[at] = np.concatenate([q[at][:-4] + step[:-3], turned.as_quat()])
        else:
            out[at] += step
    return out


def away_from_half_turns(seen, q, largest=2.8):
    """Rotations near half a turn have no derivative: leave them out."""
    seen.errors(q)
    kinds = np.isin(seen.tasks["kind"], [1, 2, 3])
    assume((seen.workspace.task_errors[0][kinds] < largest).all())


# ------------------------------------------------------------------------------------------------ kinematics


@few
@given(trees(), SEEDS)
def test_links_and_frames_are_where_the_model_says(model, seed):
    packed = pack_tree(model)
    links = packed.links.view(np.recarray)
    frames = np.zeros(12 * len(links))
    q = configuration(model, seed)
    pose_links.interpreted(links, q, frames)
    for frame in model.frames:
        link, pose = packed.attachment(model, frame.name)
        world = np.eye(4)
        if link != WORLD:
            numbers = frames[12 * link : 12 * link + 12]
            world[:3, 3], world[:3, :3] = numbers[:3], numbers[ROTATION:].reshape(3, 3)
        assert_allclose(world @ pose, model.pose(q, frame.name), rtol=0.0, atol=1e-12 * scale_of(model, q))


@few
@given(trees(), SEEDS)
def test_parents_come_first_and_every_velocity_has_a_mover(model, seed):
    packed = pack_tree(model)
    assert (packed.links["parent"] < np.arange(len(packed.links))).all()
    assert packed.nv == model.nv
    owners = np.zeros(model.nv)
    for mover in packed.movers[:-1]:
        owners[mover["v"] : mover["v"] + (3 if mover["kind"] == 2 else 1)] += 1.0
    assert_array_equal(owners, 1.0)


@few
@given(trees(), SEEDS)
def test_the_center_of_mass_is_the_models(model, seed):
    q = configuration(model, seed)
    seen = Seen(model, [CenterOfMass(target=np.zeros(3))])
    seen.errors(q)
    total = seen.workspace.total
    assert total[3] == pytest.approx(model.mass, rel=1e-14)
    assert_allclose(total[:3] / total[3], model.center_of_mass(q), rtol=0.0, atol=1e-12 * scale_of(model, q))


# ---------------------------------------------------------------------------------------------------- misses


def off_by(rng, kind):
    """Options with tolerances, free axes and axes of every choice."""
    three = rng.choice([0.0, 0.5, 1.0, 3.0], 3)
    box = tuple(rng.choice([0.0, 0.1, 0.5], 3).tolist())
    weights = tuple(three.tolist()) if three.any() else (1.0,) * 3
    axes = str(rng.choice(["world", "frame"]))
    if kind in (Position, Orientation):
        return {"weight": weights, "tolerance": box, "axes": axes}
    if kind in (Pose, Relative):
        return {"weights": weights + weights[::-1], "tolerance": box + box[::-1]}
    if kind is CenterOfMass:
        return {"weight": weights, "tolerance": box}
    return {} if kind is Posture else {"weight": 2.0, "tolerance": box[0]}


@pytest.mark.parametrize("kind", [kind for kind in GOALS if kind is not Posture])
@settings(max_examples=5)
@given(trees(), SEEDS)
def test_goals_are_as_far_off_as_the_model_says(kind, model, seed):
    rng = np.random.default_rng(seed)
    goal = goal_at(kind, model, model.random(seed), seed, **off_by(rng, kind))
    assume(goal is not None and model.nv > 0)
    q = configuration(model, seed)
    seen = Seen(model, [goal])
    seen.errors(q)
    request = Request(model=model, goals=(goal,), solver="lm", options={})
    (expected,) = measure.goal_errors(request, q)
    kinds = seen.tasks["kind"]
    is_prismatic = kind is JointValue and model.joint(goal.joint).kind is JointKind.PRISMATIC
    in_metres = np.isin(kinds, LENGTHS) | is_prismatic
    found = seen.workspace.task_errors[0]
    assert max([0.0, *found[in_metres]]) == pytest.approx(expected.position, abs=1e-10 * scale_of(model, q))
    if expected.rotation < 3.13:
        assert max([0.0, *found[~in_metres]]) == pytest.approx(expected.rotation, abs=1e-7)


@pytest.mark.parametrize("kind", GOALS)
@settings(max_examples=5)
@given(trees(), SEEDS)
def test_a_goal_is_met_where_it_was_taken_from(kind, model, seed):
    q = model.random(seed)
    goal = goal_at(kind, model, q, seed)
    assume(goal is not None and model.nv > 0)
    assert np.abs(Seen(model, [goal]).errors(q)).max() <= 1e-7


# -------------------------------------------------------------------------------------------------- Jacobian


@pytest.mark.parametrize("kind", POINTS)
@settings(max_examples=5)
@given(trees(), SEEDS)
def test_rows_of_distances_are_differences_of_the_errors(kind, model, seed):
    rng = np.random.default_rng(seed)
    options = off_by(rng, kind)
    if kind in (Pose, Relative):
        options["weights"] = (*options["weights"][:3], 0.0, 0.0, 0.0)
    goal = goal_at(kind, model, model.random(seed), seed, **options)
    assume(goal is not None and model.nv > 0)
    q = configuration(model, seed + 1)
    seen = Seen(model, [goal])
    J, differences = seen.jacobian(q), seen.differences(q)
    is_clear = np.abs(seen.errors(q)) > 1e-4  # a row at the edge of its tolerance has a kink
    has_box = np.any(goal.tolerance)
    kept = is_clear if has_box else np.full(len(J), True)
    assert_allclose(J[kept], differences[kept], rtol=0.0, atol=1e-6 * scale_of(model, q))


@pytest.mark.parametrize("kind", [Orientation, Pose, Relative, Direction, LookAt, Posture])
@settings(max_examples=5)
@given(trees(), SEEDS)
def test_rows_of_rotations_are_differences_of_the_errors_at_the_goal(kind, model, seed):
    q = model.random(seed)
    goal = goal_at(kind, model, q, seed, **{**off_by(np.random.default_rng(seed), kind), **no_box(kind)})
    assume(goal is not None and model.nv > 0)
    seen = Seen(model, [goal])
    assert_allclose(seen.jacobian(q), seen.differences(q), rtol=0.0, atol=1e-4 * scale_of(model, q))


def no_box(kind):
    """No tolerance; and of poses no free axis, whose two rows lie along axes that may jump."""
    if kind in (Pose, Relative):
        return {"weights": (1.0, 0.0, 2.0, 0.5, 3.0, 1.0), "tolerance": None}
    return {} if kind is Posture else {"tolerance": 0.0}


@pytest.mark.parametrize(
    ("kind", "cone"), [(Orientation, 0.0), (Direction, 0.0), (Direction, 0.3), (LookAt, 0.0), (LookAt, 0.3)]
)
@settings(max_examples=5)
@given(trees(), SEEDS)
def test_rows_of_rotations_point_down_the_slope_of_the_squared_error(kind, cone, model, seed):
    """Far from the goal the rows are those of a rotation rate: along the error they are exact."""
    goal = goal_at(kind, model, model.random(seed), seed, tolerance=cone)
    assume(goal is not None and model.nv > 0)
    q = configuration(model, seed + 1)
    seen = Seen(model, [goal])
    away_from_half_turns(seen, q)

    def half_squared(q):
        errors = seen.errors(q)
        return 0.5 * errors @ errors

    slope = seen.differences(q, half_squared)
    down = seen.jacobian(q).T @ seen.errors(q)
    lever = 1.0 + np.abs(down).max()  # a look at a point near by turns quickly
    assert_allclose(down, slope, rtol=0.0, atol=1e-5 * lever * scale_of(model, q))


def ball():
    return ModelBuilder("ball").ball("wrist").frame("tip", link="wrist").build(end_effector="tip")


def test_inside_a_tolerance_nothing_pulls():
    q = np.array([0.1, 0.2, 0.05, 1.0])
    q /= np.linalg.norm(q)
    for goal in (
        Orientation(target=np.eye(3), tolerance=1.0),
        Direction(axis=[0, 0, 1], target=[0, 0, 1], tolerance=1.0),
        LookAt(axis=[0, 0, 1], target=[0, 0, 5], tolerance=1.0),
    ):
        seen = Seen(ball(), [goal])
        assert_array_equal(seen.jacobian(q), 0.0)
        assert_array_equal(seen.errors(q), 0.0)


@pytest.mark.parametrize("less", [0.0, 1e-9, 1e-7, 1e-5, 1e-3])
@pytest.mark.parametrize("axis", [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.6, 0.8, 0], [1, 1, 1], [-1, 2, 0.3]])
def test_half_a_turn_has_its_own_axis(axis, less):
    unit = np.array(axis) / np.linalg.norm(axis)
    target = Rotation.from_rotvec((np.pi - less) * unit).as_matrix()
    error = Seen(ball(), [Orientation(target=target, weight=2.0)]).errors(np.array([0.0, 0.0, 0.0, 1.0]))
    assert np.linalg.norm(error) == pytest.approx(np.pi, abs=2e-2)
    assert abs(error @ unit) == pytest.approx(np.pi, abs=2e-2)


@pytest.mark.parametrize("axis", [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1], [-1, 2, 0.3]])
def test_the_opposite_direction_is_half_a_turn_away_across_the_axis(axis):
    axis = np.array(axis, dtype=float)
    seen = Seen(ball(), [Direction(axis=axis, target=-axis, weight=2.0)])
    error = seen.errors(np.array([0.0, 0.0, 0.0, 1.0]))
    assert np.linalg.norm(error) == pytest.approx(np.pi)
    assert seen.workspace.task_errors[0, 0] == pytest.approx(np.pi)
    assert np.abs(seen.jacobian(np.array([0.0, 0.0, 0.0, 1.0])).T @ error).max() > 0.1


def test_a_point_at_the_frames_own_origin_is_looked_at_from_everywhere():
    seen = Seen(ball(), [LookAt(axis=[0, 0, 1], target=[0, 0, 0])])
    q = np.array([0.0, 0.0, 0.0, 1.0])
    assert_array_equal(seen.errors(q), 0.0)
    assert np.isfinite(seen.jacobian(q)).all()


def test_errors_do_not_depend_on_whole_turns_of_a_hinge_without_limits():
    model = ModelBuilder("hinge").continuous("spin").frame("tip").build(end_effector="tip")
    seen = Seen(model, [JointValue(joint="spin", value=0.3, weight=2.0)])
    for turns in (-1000, -1, 0, 1, 1000):
        assert seen.errors(np.array([0.2 + 2.0 * np.pi * turns]))[0] == pytest.approx(0.1, abs=1e-9)


def test_whole_turns_of_a_hinge_with_limits_count():
    model = ModelBuilder("hinge").revolute("turn", limits=(-20, 20)).frame("tip").build(end_effector="tip")
    seen = Seen(model, [JointValue(joint="turn", value=0.3, weight=2.0)])
    assert seen.errors(np.array([0.3 - 2.0 * np.pi]))[0] == pytest.approx(2.0 * np.pi)
