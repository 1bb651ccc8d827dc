"""FABRIK on trees: the passes, what they keep, and what they reach."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

import limbik
from limbik import Mimic, Model, ModelBuilder, Status
from limbik.errors import SolverError
from limbik.goals import (
    CenterOfMass,
    Direction,
    Goal,
    LookAt,
    Orientation,
    PointOnLine,
    PointOnPlane,
    Pose,
    Position,
    Relative,
)
from limbik.numerics.alignment import best_rotation_from
from limbik.solvers.methods.anderson_acceleration import MOVES, guess, learn
from limbik.solvers.methods.fabrik import FABRIK
from limbik.solvers.tree_plan import TreePlan
from limbik.tree.classical_loop import keep_what_is_met
from limbik.tree.workspace import DEPTH
from solvers.arms import branching_tree, hinge_arm, pose
from solvers.bench import Bench
from strategies import SEEDS
from trees import assert_honest, goal_at, trees

KINDS = (Position, Orientation, Pose, Relative, Direction, LookAt, PointOnLine, PointOnPlane)


def star(trunk: int, branches: int, links: int, swing: float = math.pi, kind: str = "ball") -> Model:
    """Segments of 0.3 m: a trunk whose last joint carries branches. Ball joints, or revolute joints about x,
    y, z.
    """
    builder = ModelBuilder("star")

    def joint(name, parent, origin, k):
        if kind == "ball":
            twist = None if swing == math.pi else (-swing, swing)
            return builder.ball(name, parent=parent, origin=origin, axis="z", swing=swing, twist=twist)
        return builder.revolute(name, parent=parent, origin=origin, axis="xyz"[k % 3], limits=(-swing, swing))

    before = "base"
    for k in range(trunk):
        builder = joint(f"trunk{k}", before, (0.0, 0.0, 0.3 * (k > 0)), k)
        before = f"trunk{k}"
    for b in range(branches):
        parent = before
        for k in range(links):
            turn = 2.0 * math.pi * b / branches
            side = (0.1 * math.cos(turn), 0.1 * math.sin(turn), 0.3) if k == 0 else (0.0, 0.0, 0.3)
            builder = joint(f"branch{b}_{k}", parent, side, k)
            parent = f"branch{b}_{k}"
        builder = builder.frame(f"tip{b}", link=parent, pose=pose(0.0, 0.0, 0.3))
    return builder.build(end_effector="tip0")


def finger(mimic: bool) -> Model:
    """Two revolute joints that bend one way, and a last one that follows the second."""
    builder = ModelBuilder("finger").revolute("spread", axis="z", limits=(-0.4, 0.4))
    builder = builder.revolute("first", axis="y", limits=(0.0, 1.6))
    builder = builder.revolute("second", axis="y", origin=(0.0, 0.0, 0.05), limits=(0.0, 1.6))
    rule = Mimic(joint="second", multiplier=0.7) if mimic else None
    builder = builder.revolute(
        "third", axis="y", origin=(0.0, 0.0, 0.04), limits=None if mimic else (0.0, 1.6), mimic=rule
    )
    return builder.frame("tip", link="third", pose=pose(0.0, 0.0, 0.03)).build(end_effector="tip")


def goals_at(model: Model, q: np.ndarray, frames: list[str], kind: type[Goal] = Position) -> list[Goal]:
    if kind is Pose:
        return [Pose(frame=frame, target=model.pose(q, frame)) for frame in frames]
    return [Position(frame=frame, target=model.pose(q, frame)[:3, 3]) for frame in frames]


def solve(model: Model, goals: list[Goal], **options):
    solution = model.solve(goals, solver="fabrik", **options)
    assert_honest(model, goals, solution, limits=options.get("limits", True))
    return solution


# ---------------------------------------------------------------------------------------------- mathematics


@settings(max_examples=40)
@given(SEEDS, st.integers(1, 6), st.floats(0.0, 3.1))
def test_the_best_rotation_is_that_of_wahbas_problem(seed, count, angle):
    rng = np.random.default_rng(seed)
    now = rng.normal(size=(count, 3))
    turn = Rotation.from_rotvec(angle * now[0] / np.linalg.norm(now[0])) * Rotation.random(rng=rng)
    wanted = turn.apply(now) + 0.3 * rng.normal(size=(count, 3)) * (count > 2)
    matrix = np.einsum("ni,nk->ik", wanted, now)
    found = np.array([0.0, 0.0, 0.0, 1.0])
    for _ in range(200):  # points nearly on one line take many
        before, found = found, np.array(best_rotation_from.interpreted(tuple(found), matrix.ravel(), 0.0))
        if np.abs(found - before).max() < 1e-12:
            break
    assert abs(np.linalg.norm(found) - 1.0) < 1e-12
    gained = np.sum(Rotation.from_quat(found).as_matrix() * matrix)
    U, sizes, V = np.linalg.svd(matrix)
    best = sizes[0] + sizes[1] + sizes[2] * np.linalg.det(U) * np.linalg.det(V)
    assert gained == pytest.approx(best, abs=1e-6 * sizes[0])


@given(SEEDS)
def test_one_pair_is_brought_together_by_the_smallest_turn(seed):
    rng = np.random.default_rng(seed)
    now, wanted = rng.normal(size=(2, 3))
    found = Rotation.from_quat(
        best_rotation_from.interpreted((0.0, 0.0, 0.0, 1.0), np.outer(wanted, now).ravel(), 0.0)
    )
    now, wanted = now / np.linalg.norm(now), wanted / np.linalg.norm(wanted)
    assert_allclose(found.apply(now), wanted, atol=1e-12)
    assert found.magnitude() == pytest.approx(math.acos(np.clip(now @ wanted, -1.0, 1.0)), abs=1e-7)


@pytest.mark.parametrize("axis", np.eye(3))
def test_a_pair_in_opposite_directions_is_turned_by_half_a_turn(axis):
    found = best_rotation_from.interpreted((0.0, 0.0, 0.0, 1.0), np.outer(-axis, axis).ravel(), 0.0)
    assert_allclose(Rotation.from_quat(found).apply(axis), -axis, atol=1e-12)


def textbook(points: np.ndarray, lengths: np.ndarray, target: np.ndarray) -> np.ndarray:
    """One iteration of the paper's algorithm 1 on points [n + 1, 3]."""
    p = points.copy()
    base = p[0].copy()
    p[-1] = target
    for i in range(len(p) - 2, -1, -1):
        p[i] = p[i + 1] + lengths[i] * (p[i] - p[i + 1]) / np.linalg.norm(p[i] - p[i + 1])
    p[0] = base
    for i in range(len(p) - 1):
        p[i + 1] = p[i] + lengths[i] * (p[i + 1] - p[i]) / np.linalg.norm(p[i + 1] - p[i])
    return p


def points_of(model: Model, q: np.ndarray, names: list[str]) -> np.ndarray:
    return np.array([model.pose(q, name)[:3, 3] for name in names])


@settings(max_examples=25)
@given(SEEDS, st.integers(2, 6))
def test_a_chain_of_ball_joints_moves_as_in_the_paper(seed, links):
    rng = np.random.default_rng(seed)
    lengths = rng.uniform(0.2, 1.0, links)
    model = limbik.ball_arm(lengths)
    names = [joint.child for joint in model.joints if joint.nv] + [model.end_effector]
    q = model.random(rng)
    target = rng.uniform(-1.0, 1.0, 3) * lengths.sum()
    expected = textbook(points_of(model, q, names), lengths, target)
    bench = Bench(model, [Position(target=target)], FABRIK())
    assert_allclose(points_of(model, bench.improve(q), names), expected, atol=1e-9)


@settings(max_examples=15)
@given(SEEDS)
def test_a_sub_base_goes_to_the_centroid_of_what_its_branches_propose(seed):
    """A trunk of one segment, from whose end two branches go out, in the paper's way with points."""
    rng = np.random.default_rng(seed)
    builder = ModelBuilder("fork").ball("trunk")
    for name in ("left", "right"):
        builder = builder.ball(name, parent="trunk", origin=(0.0, 0.0, 0.5))
        builder = builder.ball(f"{name}2", parent=name, origin=(0.0, 0.0, 0.4))
        builder = builder.frame(f"{name}_tip", link=f"{name}2", pose=pose(0.0, 0.0, 0.3))
    model = builder.build(end_effector="left_tip")
    q = model.random(rng)
    tips = points_of(model, q, ["left_tip", "right_tip"])
    shift = rng.normal(size=(2, 3))
    targets = tips + 0.2 * shift / np.linalg.norm(shift, axis=1, keepdims=True)  # as far: as much to say
    sub_base = points_of(model, q, ["left"])[0]
    assume(np.linalg.norm(sub_base) > 0.1)
    proposals, branches = [], []
    for name, target in zip(("left", "right"), targets, strict=True):
        p = points_of(model, q, [name, f"{name}2", f"{name}_tip"])
        p[2] = target
        p[1] = p[2] + 0.3 * (p[1] - p[2]) / np.linalg.norm(p[1] - p[2])
        proposals.append(p[1] + 0.4 * (p[0] - p[1]) / np.linalg.norm(p[0] - p[1]))
        branches.append(p)
    centroid = np.mean(proposals, axis=0)
    end = 0.5 * centroid / np.linalg.norm(centroid)
    sides = zip(("left", "right"), targets, strict=True)
    goals = [Position(frame=f"{name}_tip", target=target) for name, target in sides]
    after = Bench(model, goals, FABRIK()).improve(q)
    assert_allclose(points_of(model, after, ["left", "right"]), [end, end], atol=1e-9)
    for name, p in zip(("left", "right"), branches, strict=True):
        elbow = end + 0.4 * (p[1] - end) / np.linalg.norm(p[1] - end)
        tip = elbow + 0.3 * (p[2] - elbow) / np.linalg.norm(p[2] - elbow)
        assert_allclose(points_of(model, after, [f"{name}2", f"{name}_tip"]), [elbow, tip], atol=1e-9)


@settings(max_examples=25)
@given(SEEDS)
def test_a_universal_pair_aims_at_once(seed):
    rng = np.random.default_rng(seed)
    model = (
        ModelBuilder("pointer")
        .revolute("pan", axis="z")
        .revolute("tilt", axis="y", parent="pan")
        .frame("tip", link="tilt", pose=pose(0.7))
        .build(end_effector="tip")
    )
    q = rng.uniform(-1.2, 1.2, 2)
    target = model.pose(rng.uniform(-1.2, 1.2, 2))[:3, 3]
    after = Bench(model, [Position(target=target)], FABRIK()).improve(q)
    assert_allclose(model.pose(after)[:3, 3], target, atol=1e-9)


@given(SEEDS, st.integers(1, 4))
def test_mixing_ends_where_linear_iterations_lead_to(seed, size):
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(size, size)))[0]
    matrix = turn @ np.diag(np.linspace(0.5, 0.99, size)) @ turn.T  # alone they take 2000
    end = rng.normal(size=size)
    history = np.zeros((4 * DEPTH + 3, size))
    q = rng.normal(size=size)
    for count in range(20):
        moved = end + matrix @ (q - end)
        history[MOVES] = moved - q
        learn.interpreted(history, count, moved)
        q = moved.copy()
        guess.interpreted(history, count, q)
    assert_allclose(q, end, atol=1e-6)


# --------------------------------------------------------------------------------------- what is always kept


@pytest.mark.slow
@settings(max_examples=25)
@given(trees(), SEEDS, st.booleans())
def test_an_iteration_stays_within_limits_and_moves_only_what_it_may(model, seed, limits):
    rng = np.random.default_rng(seed)
    goals = [goal_at(KINDS[k], model, model.random(rng), seed + k) for k in rng.integers(len(KINDS), size=3)]
    goals = [goal for goal in goals if goal is not None]
    movable = [joint.name for joint in model.joints if joint.nv and joint.mimic is None]
    assume(goals and movable)
    locked = str(rng.choice(movable))
    bench = Bench(model, goals, FABRIK(), limits=limits, locked=(locked,))
    asked = {joint.name for goal in goals for frame in (goal.frame, getattr(goal, "reference", None))
             if frame is not None for joint in model.path(frame)}  # fmt: skip
    leaders = {joint.mimic.joint for joint in model.joints if joint.mimic and joint.name in asked}
    q = start = model.random(rng)
    for _ in range(4):
        q = bench.improve(q)
        assert np.isfinite(q).all()
        assert not limits or model.is_within_limits(q)
    for joint in model.joints:
        if joint.mimic is None and (joint.name == locked or joint.name not in asked | leaders):
            assert_array_equal(q[model.q_slice(joint.name)], start[model.q_slice(joint.name)])


@pytest.mark.parametrize("kind", ["ball", "hinge"])
@pytest.mark.parametrize("swing", [math.pi, 0.8])
def test_segments_keep_their_lengths_in_every_iteration(kind, swing):
    model = star(3, 3, 3, swing, kind)
    tips = ["tip0", "tip1", "tip2"]
    goals = goals_at(model, model.random(1), tips)
    trace = model.trace(goals, solver="fabrik", start=model.random(2), iterations=30, restarts=0)
    assert len(trace.q) > 3
    for q in trace.q:
        assert model.is_within_limits(q)
        for joint in model.joints:
            here, before = model.pose(q, joint.child)[:3, 3], model.pose(q, joint.parent)[:3, 3]
            assert np.linalg.norm(here - before) == pytest.approx(
                np.linalg.norm(joint.origin[:3, 3]), abs=1e-12
            )


@settings(max_examples=15)
@given(trees(), SEEDS)
def test_an_answer_is_true(model, seed):
    rng = np.random.default_rng(seed)
    goals = [goal_at(KINDS[k], model, model.random(rng), seed + k) for k in rng.integers(len(KINDS), size=2)]
    goals = [goal for goal in goals if goal is not None]
    assume(goals and model.nv > 0)
    solve(model, goals, start=model.random(rng), iterations=30, seed=seed % 5)


@settings(max_examples=6)
@given(SEEDS)
def test_an_answer_is_never_worth_less_than_the_start(seed):
    model = star(2, 2, 3, 0.8, "hinge")
    rng = np.random.default_rng(seed)
    start = model.random(rng)
    goals = [Position(frame=f"tip{b}", target=rng.uniform(-1.5, 1.5, 3)) for b in range(2)]
    solution = solve(model, goals, start=start, iterations=30, restarts=0)
    bench = Bench(model, goals, FABRIK())
    assert bench.merit(solution.q) <= bench.merit(start) * (1.0 + 1e-9)


# ------------------------------------------------------------------------------------------ what is reached


@pytest.mark.parametrize("links", [5, 10, 30])
def test_arms_of_hinges_reach_points(links):
    model = hinge_arm(links)
    for seed in range(4):
        goal = Position(target=model.pose(model.random(seed))[:3, 3])
        assert solve(model, [goal], start=model.random(seed + 100), iterations=400).success


@pytest.mark.parametrize("name", ["panda", "ur5e"])
def test_robots_reach_poses(name):
    model = limbik.load(name)
    for seed in range(2):
        assert solve(model, [Pose(target=model.pose(model.random(seed)))], iterations=2000).success


@pytest.mark.parametrize(
    ("swing", "kind"), [(math.pi, Position), (math.pi, Pose), (1.0, Position), (1.0, Pose)]
)
def test_trees_of_ball_joints_reach_with_all_tips(swing, kind):
    model = star(2, 3, 3, swing)
    for seed in range(2):
        goals = goals_at(model, model.random(seed), ["tip0", "tip1", "tip2"], kind)
        assert solve(model, goals, start=model.random(seed + 100), iterations=800).success


def test_trees_of_hinges_reach_with_all_tips():
    model = star(3, 2, 6, 2.0, "hinge")
    for seed in range(3):
        goals = goals_at(model, model.random(seed), ["tip0", "tip1"])
        assert solve(model, goals, start=model.random(seed + 100), iterations=1500).success


@pytest.mark.parametrize("mimic", [False, True])
def test_fingers_that_bend_one_way_reach_points(mimic):
    model = finger(mimic)
    for seed in range(4):
        goal = Position(target=model.pose(model.random(seed))[:3, 3])
        assert solve(model, [goal], start=model.random(seed + 100), iterations=800).success


def test_a_joint_is_led_by_what_its_follower_carries():
    gripper = (
        ModelBuilder("gripper")
        .prismatic("jaw", axis="x", limits=(0.0, 0.05))
        .prismatic("other", parent="base", axis="x", mimic=Mimic(joint="jaw", multiplier=-1.0))
        .frame("pad", link="other", pose=pose(-0.01))
        .build(end_effector="pad")
    )
    solution = solve(gripper, [Position(frame="pad", target=[-0.04, 0.0, 0.0])])
    assert solution.success
    assert_allclose(solution.q, [0.03], atol=1e-6)


def test_a_wrist_turns_to_an_orientation_wherever_it_is():
    model = limbik.load("puma560")
    for seed in range(3):
        goal = Orientation(target=model.pose(model.random(seed))[:3, :3])
        assert solve(model, [goal], start=model.random(seed + 100), iterations=400).success


@pytest.mark.parametrize("kind", [Direction, LookAt, PointOnLine, PointOnPlane])
def test_goals_that_leave_something_open_are_met(kind):
    model = branching_tree()
    for seed in range(3):
        goal = goal_at(kind, model, model.random(seed), seed)
        assert goal is not None
        assert solve(model, [goal], start=model.random(seed + 100), iterations=600).success


def test_slides_move_along_their_axes():
    builder = ModelBuilder("portal").prismatic("x", axis="x", limits=(-1.0, 1.0))
    builder = builder.prismatic("y", axis="y", limits=(-1.0, 1.0)).prismatic(
        "z", axis="z", limits=(-1.0, 1.0)
    )
    portal = builder.frame("tip", link="z", pose=pose(0.1, 0.2, 0.3)).build(end_effector="tip")
    solution = solve(portal, [Position(target=[0.5, -0.5, 0.9])], iterations=3)
    assert solution.success
    assert_allclose(solution.q, [0.4, -0.7, 0.6], atol=1e-9)


def test_a_floating_body_goes_where_its_hands_are_wanted():
    builder = ModelBuilder("floating", root="world").floating("body", parent="world")
    for side, y in (("left", 0.2), ("right", -0.2)):
        builder = builder.ball(f"{side}_shoulder", parent="body", origin=(0.0, y, 0.3))
        builder = builder.revolute(
            f"{side}_elbow", parent=f"{side}_shoulder", axis="y", origin=(0.3, 0.0, 0.0), limits=(0.0, 2.5)
        ).frame(f"{side}_hand", link=f"{side}_elbow", pose=pose(0.3))
    model = builder.build(end_effector="left_hand")
    hands = ["left_hand", "right_hand"]
    for seed in range(2):
        goals = [
            Position(frame=hand, target=model.pose(model.random(seed), hand)[:3, 3] + (3.0, 1.0, 0.0))
            for hand in hands
        ]
        assert solve(model, goals, iterations=200).success


def test_two_hands_meet_where_both_come():
    model = star(1, 2, 4)
    for seed in range(3):
        start = model.random(seed)
        goal = Relative(frame="tip0", reference="tip1", target=np.eye(4))
        solution = solve(model, [goal], start=start, iterations=300)
        assert solution.success
        moved = [np.linalg.norm(model.pose(solution.q, tip)[:3, 3] - model.pose(start, tip)[:3, 3])
                 for tip in ("tip0", "tip1")]  # fmt: skip
        assert min(moved) > 0.1 * max(moved)


@pytest.mark.parametrize("bars", [4, 6])
def test_a_chain_is_closed_to_a_loop(bars):
    """A linkage of bars of which the first and the last stand on the ground, drawn by its middle."""
    model = limbik.ball_arm([0.4] * bars)
    ground, middle = np.array([0.5, 0.0, 0.0]), np.array([0.3, 0.2, 0.5])
    builder = ModelBuilder("loop").fixed("ground", origin=pose(*ground))
    before = "base"
    for k in range(bars):
        builder = builder.ball(f"joint{k}", parent=before, origin=(0.4 * (k > 0), 0.0, 0.0))
        before = f"joint{k}"
    model = builder.frame("end", link=before, pose=pose(0.4)).build(end_effector="end")
    closed = Relative(
        frame="end", reference="ground", target=np.eye(4), weights=(1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
    )
    pulled = Position(frame=f"joint{bars // 2}", target=middle)
    solution = solve(model, [closed, pulled], start=model.random(3), iterations=500)
    assert solution.success
    assert np.linalg.norm(model.pose(solution.q, "end")[:3, 3] - ground) < 1e-5


def test_joints_that_no_goal_asks_for_stay():
    model = star(2, 3, 3)
    start = model.random(5)
    solution = solve(model, goals_at(model, model.random(6), ["tip1", "tip2"]), start=start)
    assert solution.success
    for joint in model.joints:
        if joint.name.startswith("branch0"):
            assert_array_equal(solution.q[model.q_slice(joint.name)], start[model.q_slice(joint.name)])


def test_a_locked_joint_stays_and_the_others_reach():
    model = star(3, 2, 3)
    start = model.random(5)
    goals = goals_at(model, start, ["tip0", "tip1"])
    moved = start.copy()
    for name in ("branch0_1", "branch1_1", "trunk2"):
        moved[model.q_slice(name)] = model.random(6)[model.q_slice(name)]
    solution = solve(model, goals, start=moved, locked=["trunk1", "branch0_0"], iterations=600)
    assert solution.success
    for name in ("trunk1", "branch0_0"):
        assert_array_equal(solution.q[model.q_slice(name)], moved[model.q_slice(name)])


def test_a_new_start_leaves_limbs_alone_whose_goals_are_met():
    model = star(1, 2, 3)
    best, q = model.random(1), model.random(2)
    goals = [*goals_at(model, best, ["tip0"]), Position(frame="tip1", target=[9.0, 9.0, 9.0])]
    bench = Bench(model, goals, FABRIK())
    bench.workspace.best[:] = best
    kept = q.copy()
    keep_what_is_met.interpreted(bench.tree, bench.objectives, bench.workspace, kept)
    for joint in model.joints:
        at = model.q_slice(joint.name)
        assert_array_equal(kept[at], (best if joint.name.startswith("branch0") else q)[at])


# ----------------------------------------------------------------------------------------------- out of reach


@pytest.mark.parametrize(("branches", "swing"), [(2, math.pi), (4, math.pi), (2, 1.0)])
def test_a_tip_that_cannot_reach_does_not_spoil_the_others(branches, swing):
    """The others come within 2 % of the model's length of where they come without it."""
    model = star(3, branches, 4, swing)
    length = 0.3 * 8
    for seed in range(2):
        rng = np.random.default_rng(seed)
        tips = [f"tip{b}" for b in range(branches)]
        reachable = goals_at(model, model.random(rng), tips[1:])
        direction = rng.normal(size=3)
        far = Position(frame=tips[0], target=3.0 * length * direction / np.linalg.norm(direction))
        start = model.random(rng)
        alone = solve(model, reachable, start=start, iterations=120, restarts=0)
        together = solve(model, [far, *reachable], start=start, iterations=120, restarts=0)
        assert not together.success
        for goal in reachable:
            off, off_alone = (np.linalg.norm(model.pose(s.q, goal.frame)[:3, 3] - goal.target)
                              for s in (together, alone))  # fmt: skip
            assert off <= off_alone + 0.02 * length


@pytest.mark.parametrize(("tolerance", "goes_on"), [(0.3, False), (1e-9, True)])
def test_a_target_out_of_reach_does_not_end_the_search_for_others_that_are_not_met(
    monkeypatch, tolerance, goes_on
):
    monkeypatch.setattr(TreePlan, "first_look", 200)
    model = star(1, 2, 3)
    far = Position(frame="tip0", target=(9.0, 9.0, 9.0))
    goals = [far, *goals_at(model, model.random(1), ["tip1"])]
    solution = solve(model, goals, start=model.random(5), iterations=500, tolerance=tolerance)
    assert solution.ended is Status.UNREACHABLE
    assert (solution.iterations > 200) == goes_on


def test_an_arm_stretches_toward_a_target_out_of_reach():
    model = hinge_arm(5)
    target = np.array([4.0, 1.0, 7.0])
    solution = solve(model, [Position(target=target)], start=model.random(1), iterations=200, restarts=0)
    assert solution.ended is Status.UNREACHABLE
    assert solution.error <= np.linalg.norm(target) - 5.0 + 0.1


# ------------------------------------------------------------------------------------------------- requests


def test_fabrik_refuses_goals_that_no_point_stands_for():
    model = (
        ModelBuilder("two")
        .revolute("a", axis="z")
        .revolute("b", axis="y", origin=(1.0, 0.0, 0.0))
        .mass("b", 1.0, (0.1, 0.0, 0.0))
        .build()
    )
    with pytest.raises(SolverError, match="fabrik"):
        model.solve(CenterOfMass(target=[0.0, 0.0, 0.0]), solver="fabrik")


def test_the_same_request_has_the_same_answer():
    model = star(2, 2, 3, 1.0, "hinge")
    goals = goals_at(model, model.random(1), ["tip0", "tip1"], Pose)
    one, other = (model.solve(goals, solver="fabrik", iterations=120, seed=4) for _ in range(2))
    assert_array_equal(one.q, other.q)
    assert one.iterations == other.iterations
