"""Paths of configurations: `solve_path` and the graph under it."""

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation, Slerp

import limbik
from limbik.all_solutions.sampled_plan import SampledPlan
from limbik.errors import ConfigurationError, GoalError, LimbikError, SolverError
from limbik.joint_path import BreakReason
from limbik.model import Model
from limbik.motion import layers
from limbik.motion.candidates import MAX_TURNED, Candidates, distinct
from limbik.motion.graph import Edges, best_route

UR5E = limbik.load("ur5e")
AT = np.array([0.3, -1.2, 1.5, -1.8, -1.5, 0.2])


def wanted(poses: np.ndarray, position: float) -> np.ndarray:
    """By SciPy's slerp, which limbik does not use."""
    k = min(int(position), len(poses) - 2)
    pose = np.eye(4)
    ends = Rotation.from_matrix(poses[k : k + 2, :3, :3])
    pose[:3, :3] = Slerp([k, k + 1], ends)(position).as_matrix()
    pose[:3, 3] = poses[k, :3, 3] + (position - k) * (poses[k + 1, :3, 3] - poses[k, :3, 3])
    return pose


def line(model: limbik.Model, q0: np.ndarray, move: list[float], count: int = 5) -> np.ndarray:
    start = model.pose(q0)
    end = start.copy()
    end[:3, 3] += move
    return limbik.straight_line(start, end, count)


# --- the graph ----------------------------------------------------------------------------------------------


@st.composite
def graphs(draw):
    counts = draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    edges = []
    for a, b in itertools.pairwise(counts):
        before, after = np.nonzero(rng.random((a, b)) < 0.5)
        edges.append(Edges(before, after, rng.random(len(before))))
    return rng.random(counts[0]), counts, edges


@given(graphs())
def test_the_route_has_the_fewest_breaks_and_then_the_least_cost(graph) -> None:
    first, counts, edges = graph
    costs = [{(i, j): c for i, j, c in zip(*each, strict=True)} for each in edges]

    def of(nodes):
        steps = [cost.get(pair) for cost, pair in zip(costs, itertools.pairwise(nodes), strict=True)]
        return steps.count(None), first[nodes[0]] + sum(step for step in steps if step is not None)

    every = [of(nodes) for nodes in itertools.product(*map(range, counts))]
    route = best_route(first, counts, edges)
    assert of(route.nodes) == pytest.approx(min(every), abs=1e-9)
    assert (len(route.breaks), route.cost) == pytest.approx(min(every), abs=1e-9)
    ways = {(node,) for node in range(counts[0])}
    followed = 0
    for layer, cost in enumerate(costs, 1):
        ways = {(j,) for (i, j) in cost if (i,) in ways}
        followed = layer if ways else followed
    assert route.reached == followed


# --- paths --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ur5e", "puma560", "panda"])
def test_knots_reach_their_poses_and_steps_between_them_stay_near_the_path(name: str) -> None:
    model = limbik.load(name)
    q0 = model.clip(model.neutral + 0.6)
    if name == "puma560":
        q0[2] = -0.6
    poses = line(model, q0, [0.05, 0.05, -0.08])
    path = model.solve_path(poses, start=q0, deviation=(2e-4, 2e-3))
    assert path.complete, path.explain()
    assert model.is_within_limits(path.q).all()
    assert (path.knots >= 0).all()
    assert_allclose(model.pose(path.q[path.knots]), poses, atol=1e-5)
    assert np.abs(np.diff(path.q, axis=0)).max() <= 0.5
    metres = radians = 0.0
    for k in range(len(path) - 1):
        for part in np.linspace(0.0, 1.0, 23):
            there = model.pose(path.q[k] + part * (path.q[k + 1] - path.q[k]))
            asked = wanted(poses, path.position[k] + part * (path.position[k + 1] - path.position[k]))
            metres = max(metres, float(np.linalg.norm(there[:3, 3] - asked[:3, 3])))
            turn = Rotation.from_matrix(asked[:3, :3].T @ there[:3, :3])
            radians = max(radians, float(turn.magnitude()))
    assert metres <= 2e-4 and radians <= 2e-3
    assert (metres, radians) == pytest.approx(path.deviation, rel=0.1, abs=1e-6)


def test_a_sparse_path_is_refined_until_it_is_kept() -> None:
    path = UR5E.solve_path(line(UR5E, AT, [0.25, 0.2, -0.1], 2), deviation=(5e-5, 1e-3))
    assert path.complete and len(path) > 20
    assert path.deviation[0] <= 5e-5 and path.deviation[1] <= 1e-3


def test_an_arm_of_five_joints_is_not_said_to_be_singular_where_it_cannot_follow() -> None:
    """Its branch goes on to the edge of what is tolerated, where a descent may end just outside."""
    axes = [
        ("z", (0, 0, 0.1)),
        ("y", (0, 0, 0.2)),
        ("y", (0.05, 0, 0.3)),
        ("x", (0.2, 0, 0)),
        ("y", (0.1, 0, 0)),
    ]
    builder = limbik.ModelBuilder("five")
    for k, (axis, origin) in enumerate(axes):
        builder = builder.revolute(f"j{k}", axis=axis, origin=origin, limits=2.5)
    arm = builder.build()
    ends = arm.pose([0.9, 0.0, 1.0, -0.8, 0.2]), arm.pose([-0.2, 0.6, -0.7, 0.7, 0.1])
    path = arm.solve_path(limbik.straight_line(*ends, count=8))
    assert [each.reason for each in path.breaks] == [BreakReason.NO_SOLUTION]
    beside = [path.q[path.breaks[0].knot + k] for k in (-1, 0)]
    assert min(np.linalg.svd(arm.jacobian(q), compute_uv=False)[-1] for q in beside) > 0.1


def test_near_a_wrist_singularity_the_path_goes_on_without_a_break() -> None:
    q0, q1 = AT.copy(), AT.copy()
    q0[4], q1[4] = -0.25, 0.25
    for aside in (0.0, 0.002):
        poses = np.stack([UR5E.pose(q0), UR5E.pose(q1)])
        poses[1, 0, 3] += aside
        assert UR5E.solve_path(poses).complete


def test_of_equal_paths_the_one_nearest_to_neutral_is_taken() -> None:
    """Rounding chose among those that differ in revolutions of whole joints."""
    for seed in range(4):
        pose = UR5E.pose(UR5E.random(seed))
        begin = UR5E.solve_path([pose, pose]).q[0]
        others = UR5E.solve_all(pose, revolutions=True).q
        assert (
            np.linalg.norm(begin - UR5E.neutral) <= np.linalg.norm(others - UR5E.neutral, axis=1).min() + 1e-6
        )


@pytest.mark.slow
def test_whole_turns_are_chosen_ahead() -> None:
    tool = UR5E.pose(AT)
    poses = limbik.arc(tool, tool[:3, 3], tool[:3, 2], 3.0 * math.pi, 24)
    path = UR5E.solve_path(poses)
    assert path.complete
    assert np.ptp(path.q[:, 5]) == pytest.approx(3.0 * math.pi)


@pytest.mark.slow
def test_a_start_that_leads_to_a_limit_has_one_break_which_names_the_joint() -> None:
    tool = UR5E.pose(AT)
    poses = limbik.arc(tool, tool[:3, 3], tool[:3, 2], 2.5 * math.pi, 24)
    path = UR5E.solve_path(poses)
    assert path.complete
    held = UR5E.solve_path(poses, first=AT)
    q_end = AT[5] + 2.5 * math.pi
    assert q_end > UR5E.upper[5]
    assert len(held.breaks) == 1
    assert held.breaks[0].reason is limbik.BreakReason.LIMIT
    assert "wrist_3" in held.breaks[0].joints[0]
    assert_allclose(held.q[0], AT, atol=1e-12)
    assert held.followed == pytest.approx(23 * (UR5E.upper[5] - AT[5]) / (2.5 * math.pi), abs=0.3)
    assert "limit" in held.explain()


@pytest.mark.slow
def test_out_of_reach_is_said_with_the_place() -> None:
    poses = line(UR5E, AT, [1.5, 0.0, 0.0], 11)
    path = UR5E.solve_path(poses)
    assert not path.complete
    assert path.breaks[-1].reason is limbik.BreakReason.NO_SOLUTION
    assert (path.knots[-1], path.breaks[-1].end) == (-1, 10.0)
    assert 0.0 < path.followed < 10.0
    assert np.isfinite(path.q).all()
    nothing = UR5E.solve_path(poses[-1:])
    assert len(nothing) == 0 and not nothing.complete and "No pose" in nothing.explain()


def test_both_ends_can_be_fixed() -> None:
    poses = line(UR5E, AT, [0.1, 0.0, 0.0])
    last = UR5E.solve_path(poses, first=AT).q[-1]
    path = UR5E.solve_path(poses, first=AT, last=last)
    assert path.complete
    assert_allclose(path.q[[0, -1]], [AT, last])
    other = next(q for q in UR5E.solve_all(poses[-1]) if np.abs(q - last).max() > 1.0)
    broken = UR5E.solve_path(poses, first=AT, last=other)
    assert len(broken.breaks) == 1
    assert_allclose(broken.q[[0, -1]], [AT, other])


@pytest.mark.slow
def test_preferences_have_their_effect() -> None:
    panda = limbik.load("panda")
    q0 = np.array([0.3, -0.2, 0.1, -1.9, 0.1, 1.9, 0.2])
    poses = line(panda, q0, [0.0, 0.1, 0.0], 3)

    def margin(path):
        return np.minimum(path.q - panda.lower, panda.upper - path.q).min()

    def manipulability(path):
        J = panda.jacobian(path.q)
        return np.sqrt(np.linalg.det(J @ J.swapaxes(1, 2))).mean()

    short = panda.solve_path(poses)
    away, dexterous = (panda.solve_path(poses, prefer=name) for name in ("limits", "manipulability"))
    assert short.length <= min(away.length, dexterous.length) + 1e-9
    assert margin(away) > margin(short) and manipulability(dexterous) > manipulability(short)


# --- times --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_times_keep_the_limits_by_finite_differences() -> None:
    tool = UR5E.pose(AT)
    poses = limbik.circle(tool, tool[:3, 3] + [0.1, 0.0, 0.0], [0.0, 0.0, 1.0], 40)
    velocity, acceleration = np.full(6, 0.8), np.linspace(2.0, 4.0, 6)
    path = UR5E.solve_path(poses, velocity_limits=velocity, acceleration_limits=acceleration)
    durations = np.diff(path.times)
    speeds = np.diff(path.q, axis=0) / durations[:, None]
    assert (durations > 0.0).all()
    assert (np.abs(speeds) <= velocity * (1 + 1e-9)).all()
    between = 0.5 * (durations[1:] + durations[:-1])
    assert (np.abs(np.diff(speeds, axis=0) / between[:, None]) <= acceleration * (1 + 1e-9)).all()
    for end in (0, -1):
        assert (np.abs(speeds[end]) <= acceleration * 0.5 * durations[end] * (1 + 1e-9)).all()
    fastest = UR5E.solve_path(poses, velocity_limits=velocity)
    assert fastest.times[-1] < path.times[-1]


def test_given_times_are_kept_and_said_where_they_are_too_fast() -> None:
    poses = line(UR5E, AT, [0.2, 0.0, 0.0])
    slow = UR5E.solve_path(poses, times=np.arange(5) * 10.0, velocity_limits=1.0)
    assert slow.too_fast == ()
    assert_allclose(slow.times[slow.knots], np.arange(5) * 10.0)
    fast = UR5E.solve_path(poses, times=np.arange(5) * 0.01, velocity_limits=1.0)
    assert fast.too_fast and all(each.ratio > 1.0 for each in fast.too_fast)
    assert "too fast" in fast.explain()


@pytest.mark.slow
def test_the_limits_of_the_model_are_kept_unless_others_are_given() -> None:
    own = with_rates(UR5E, 0.5, 2.0)
    poses = line(own, AT, [0.2, 0.0, 0.0])
    path = own.solve_path(poses)
    assert_allclose(path.times, own.solve_path(poses, velocity_limits=0.5, acceleration_limits=2.0).times)
    assert UR5E.solve_path(poses).times is None
    assert own.solve_path(poses, velocity_limits=np.inf).times is None
    slower = own.solve_path(poses, velocity_limits={"elbow_joint": 0.05})
    assert slower.times[-1] > path.times[-1]
    assert own.solve_path(poses, times=np.arange(5) * 0.01).too_fast


def with_rates(model: Model, velocity: float, acceleration: float) -> Model:
    joints = [replace(joint, velocity=velocity, acceleration=acceleration) for joint in model.joints]
    return Model(model.name, joints, model.frames[len(joints) + 1 :], end_effector=model.end_effector)


# --- what is asked ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"times": [0.0, 1.0]}, GoalError, "`times`"),
        ({"times": [0.0, 1.0, 1.0, 2.0, 3.0]}, GoalError, "increase"),
        ({"start": [0.0, 1.0]}, ConfigurationError, "`start`"),
        ({"first": np.zeros(6)}, ConfigurationError, "`first`"),
        ({"last": np.full(6, np.nan)}, ConfigurationError, "`last.0.` of joint"),
        ({"max_step": 4.0}, SolverError, "`max_step`"),
        ({"max_step": 1e-7}, SolverError, "`max_step` needs a number from 0.0001 to below pi, found 1e-07"),
        ({"start": [1e200] * 6}, ConfigurationError, "`start.0.` of joint .* needs a number up to 1e.09"),
        ({"time_limit": 0.0}, SolverError, "`time_limit` needs a positive time"),
        ({"deviation": (0.0, 1.0)}, SolverError, "`deviation`"),
        ({"prefer": "long"}, SolverError, "`prefer`"),
        ({"velocity_limits": -1.0}, SolverError, "`velocity_limits`"),
        ({"acceleration_limits": 1.0}, SolverError, "`velocity_limits`"),
        ({"velocity_limits": {"elbow": 1.0}}, SolverError, "'elbow', no joint"),
        ({"velocity_limits": {"elbow_joint": 1.0}}, SolverError, "'shoulder_pan_joint' has none"),
        ({"frame": "tol"}, LimbikError, "tol"),
    ],
)
def test_what_has_no_meaning_is_refused(options, error, said: str) -> None:
    with pytest.raises(error, match=said):
        UR5E.solve_path(line(UR5E, AT, [0.1, 0.0, 0.0]), **options)


@pytest.mark.parametrize("poses", [np.eye(4), np.zeros((0, 4, 4)), np.full((2, 4, 4), np.nan), "poses"])
def test_poses_that_are_none_are_refused(poses) -> None:
    with pytest.raises(GoalError, match="`poses`"):
        UR5E.solve_path(poses)


# --- an end -------------------------------------------------------------------------------------------------


def test_a_path_that_tempts_to_jump_between_branches_is_refined_no_more_than_it_needs() -> None:
    panda = limbik.load("panda")
    start = panda.pose([-1.435, 0.49, -0.844, -0.32, -0.911, 1.47, -0.407], "link7")
    poses = limbik.arc(start, center=start[:3, 3], axis=start[:3, 2], angle=5.5, count=30)
    path = panda.solve_path(poses, frame="link7")
    assert path.breaks[0].joints == ("panda_joint7",)
    assert len(path) < 500  # of up to 20,000


def test_a_time_limit_ends_the_search_and_is_said() -> None:
    path = UR5E.solve_path(line(UR5E, AT, [0.0, 0.2, 0.0]), time_limit=1e-9)
    assert [each.reason for each in path.breaks] == [BreakReason.CUT_SHORT]
    assert path.explain().startswith("The search was cut short.")


def test_when_the_time_is_over_poses_are_not_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """10,000 of them took 2.5 s after the time limit."""
    looked, interpolated = [], layers.interpolated
    monkeypatch.setattr(layers, "interpolated", lambda *of: looked.append(1) or interpolated(*of))
    end = AT.copy()
    end[0] += 0.3
    UR5E.solve_path(limbik.straight_line(UR5E.pose(AT), UR5E.pose(end), count=3000), time_limit=1e-9)
    assert len(looked) < 10


def test_a_path_that_is_longer_than_any_robot_is_refused() -> None:
    with pytest.raises(GoalError, match=r"`poses` needs a path of up to 20,000 positions, .*: 1e\+10 m"):
        UR5E.solve_path(line(UR5E, AT, [1e10, 0.0, 0.0]))


@pytest.mark.parametrize(("name", "seed"), [("ur5e", 9), ("ur5e", 18), ("puma560", 26), ("puma560", 56)])
def test_a_small_step_breaks_no_line_that_can_be_followed(name: str, seed: int) -> None:
    arm = limbik.load(name)
    begin = arm.pose(arm.random(seed))
    end = begin.copy()
    end[:3, 3] += np.random.default_rng(seed).normal(size=3) * 0.2
    path = limbik.solve_path(arm, limbik.straight_line(begin, end, 20), max_step=0.05)
    assert path.complete
    assert np.abs(path.q[1:] - path.q[:-1]).max() <= 0.05


@pytest.mark.parametrize("seed", [9, 10, *range(100, 106)])
def test_a_path_that_begins_at_a_whole_turn_goes_on_from_either_end(seed: int) -> None:
    rng = np.random.default_rng(seed)
    builder = limbik.ModelBuilder("arm")
    for i in range(5):
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        builder.revolute(f"j{i}", axis=axis, origin=rng.uniform(-0.4, 0.4, 3), limits=(-np.pi, np.pi))
    arm = builder.fixed("tool", origin=(0.1, 0.05, 0)).build()
    begin, i = rng.uniform(-2.5, 2.5, 5), rng.integers(5)
    begin[i] = rng.choice([-np.pi, np.pi])
    end = begin + rng.uniform(-0.4, 0.4, 5)
    end[i] = begin[i] - np.sign(begin[i]) * 0.5
    poses = [arm.pose(q) for q in begin + np.linspace(0, 1, 40)[:, None] * (end - begin)]
    assert arm.solve_path(poses).complete


@pytest.mark.parametrize("name", ["panda", "xarm7", "iiwa14"])
@pytest.mark.parametrize("seed", range(4))
def test_an_arm_of_seven_joints_goes_on_from_the_configuration_that_is_given(name: str, seed: int) -> None:
    """Though none of those that are sampled may be near it."""
    arm = limbik.load(name)
    rng = np.random.default_rng(seed)
    begin, turn = arm.random(rng), rng.normal(size=7)
    end = arm.clip(begin + 0.8 * turn / np.linalg.norm(turn))
    poses = [arm.pose(begin + part * (end - begin)) for part in np.linspace(0.0, 1.0, 30)]
    path = arm.solve_path(poses, first=begin)
    assert path.complete
    assert_allclose(path.q[0], begin)
    assert arm.solve_path(poses, first=begin, last=end).complete


def test_one_pose_alone_is_a_path_whatever_the_step() -> None:
    path = UR5E.solve_path([UR5E.pose(AT)], max_step=0.05)
    assert path.complete and len(path.q) == 1
    assert_allclose(UR5E.pose(path.q[0]), UR5E.pose(AT), atol=1e-6)


def test_a_pose_where_a_joint_may_have_any_angle_is_searched_from_few_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A search from as many starts as `solve_all` makes takes longer than a path may."""
    starts: list[int] = []
    search = SampledPlan.solve

    def counted(*arguments: Any, **options: Any) -> Any:
        starts.append(options["starts"])
        return search(*arguments, **options)

    monkeypatch.setattr(SampledPlan, "solve", counted)
    ends = [UR5E.pose(UR5E.random(seed)) for seed in (79075616, 1038180022)]
    assert UR5E.solve_path(limbik.straight_line(*ends, count=20)).q.size
    assert starts and max(starts) < 50


def with_limits(model: Model, width: float, idle: int = 0) -> Model:
    """An arm whose hinges have limits of this width, and others that move nothing beside it."""
    joints = [replace(joint, lower=-width, upper=width) if joint.nq else joint for joint in model.joints]
    for k in range(idle):
        joints.append(replace(joints[0], name=f"idle{k}", child=f"idle link {k}", lower=-width, upper=width,
                              kind=limbik.JointKind.REVOLUTE, axis=np.array([0.0, 0.0, 1.0])))  # fmt: skip
    return Model("wide", joints, end_effector="link6")


@pytest.mark.parametrize(("width", "idle"), [(9.42, 0), (9.42, 12), (16.0, 0), (50.0, 0)])
def test_whole_turns_are_bounded_and_those_of_joints_beside_the_chain_do_not_count(width, idle) -> None:
    model = with_limits(limbik.load("ur5e"), width, idle)
    start = model.neutral.copy()
    start[:6] = 0.3, -1.2, 1.5, -1.8, -1.5, 0.2
    candidates = Candidates(model, model.end_effector, start, 0, (1e-3, 1e-2))
    q = candidates.of(model.pose(start))
    assert 8 <= len(q) <= MAX_TURNED
    assert candidates.is_complete == (width == 9.42)
    assert np.abs(q - start).max(axis=1).min() < 1e-9
    assert (q[:, 6:] == start[6:]).all()
    assert len(distinct(q)) == len(q)
    assert_allclose(model.pose(q), np.broadcast_to(model.pose(start), (len(q), 4, 4)), atol=1e-9)
    assert model.is_within_limits(q).all()


def test_no_more_configurations_are_found_after_the_deadline() -> None:
    model = limbik.load("planar-40")
    pose, starts = model.pose(model.random(1)), model.random(2, size=20)
    ended, endless = (
        Candidates(model, model.end_effector, model.neutral, 0, (1e-3, 1e-2), deadline=deadline)
        for deadline in (0.0, math.inf)
    )
    assert len(ended.of(pose)) <= 1 < len(endless.of(pose))
    assert len(ended.near(pose, 0.0, starts)) < len(endless.near(pose, 0.0, starts)) == len(starts)


def test_a_tool_that_turns_many_times_is_followed() -> None:
    joints = list(limbik.load("ur5e").joints)
    last = max(k for k, joint in enumerate(joints) if joint.nq)
    joints[last] = replace(joints[last], lower=-50.0, upper=50.0)
    model, q = Model("screwdriver", joints, end_effector="link6"), [0.3, -1.2, 1.5, -1.8, -1.5, 0.2]
    turned = np.repeat(np.eye(4)[None], 41, axis=0)
    about_z = np.linspace(0.0, 4.0 * math.pi, 41)[:, None] * [0.0, 0.0, 1.0]
    turned[:, :3, :3] = Rotation.from_rotvec(about_z).as_matrix()
    path = model.solve_path(model.pose(q) @ turned, start=q)
    assert path.complete
    assert abs(path.q[-1, 5] - path.q[0, 5]) == pytest.approx(4.0 * math.pi, abs=1e-6)


@pytest.mark.parametrize("count", [3, 4, 5])
@pytest.mark.parametrize("max_step", [0.25, 0.01])
def test_an_arm_of_few_joints_follows_poses_between_which_it_deviates(count, max_step) -> None:
    """Between the given poses it has no configuration that is exact."""
    rng = np.random.default_rng(count)
    for _ in range(4):
        builder = limbik.ModelBuilder("few")
        for k in range(count):
            axis, origin = rng.normal(size=3), rng.uniform(-0.25, 0.25, 3)
            builder.continuous(f"joint{k + 1}", axis=axis / np.linalg.norm(axis), origin=origin)
        model = builder.frame("tip", pose=(0.1, 0.0, 0.1)).build(end_effector="tip")
        begin = rng.uniform(-2.0, 2.0, count)
        q = begin + np.linspace(0.0, 0.3, 15)[:, None] * rng.uniform(-1.0, 1.0, count)
        path = model.solve_path(model.pose(q), first=q[0], last=q[-1], max_step=max_step)
        assert path.complete
        assert path.deviation[0] <= 1e-3 and path.deviation[1] <= 1e-2
        assert np.abs(np.diff(path.q, axis=0)).max() <= max_step
        np.testing.assert_allclose(model.pose(path.q[path.knots]), model.pose(q), atol=1e-5)


@pytest.mark.parametrize("kind", ["continuous", "revolute"])
def test_a_joint_that_turns_forever_goes_on_past_half_a_turn(kind: str) -> None:
    builder = getattr(limbik.ModelBuilder("endless"), kind)("yaw", axis="z")
    builder = builder.revolute("upper", axis="y", origin=(0.0, 0.0, 0.3), limits=(-2.0, 2.0))
    builder = builder.revolute("fore", axis="y", origin=(0.5, 0.0, 0.0), limits=(-2.5, 2.5))
    model = builder.frame("tip", pose=(0.4, 0.0, 0.0)).build(end_effector="tip")
    q = np.column_stack([np.linspace(2.5, 4.0, 60), np.full(60, 0.3), np.full(60, 0.8)])
    path = model.solve_path(model.pose(q))
    assert path.complete
    assert np.ptp(path.q[:, 0]) == pytest.approx(1.5)


def test_a_path_of_one_pose_has_one_configuration() -> None:
    arm = limbik.load("ur5e")
    pose = arm.pose([0.3, -1.2, 1.5, -1.8, -1.5, 0.2])
    first, last = arm.solve_all(pose).q[:2]
    with pytest.raises(ConfigurationError, match="`first` and `last` differ"):
        arm.solve_path([pose], first=first, last=last)
    assert_allclose(arm.solve_path([pose], first=first, last=first).q, [first], atol=1e-9)
    assert arm.solve_path([pose, pose], first=first, last=last).breaks


@pytest.mark.parametrize("multiplier", [0.5, 2.0, -1.0])
def test_revolutions_of_a_joint_that_others_follow_count_where_they_change_no_pose(multiplier: float) -> None:
    builder = limbik.ModelBuilder("geared").revolute("a", axis="z", limits=(-7.0, 7.0))
    mimic = limbik.Mimic(joint="a", multiplier=multiplier)
    builder = builder.revolute("b", axis="x", origin=(0.3, 0.0, 0.1), limits=(-20.0, 20.0), mimic=mimic)
    builder = builder.revolute("c", axis="y", origin=(0.3, 0.1, 0.0), limits=(-2.0, 2.0))
    builder = builder.revolute("d", axis="x", origin=(0.2, 0.0, 0.2), limits=(-2.0, 2.0))
    model = builder.frame("tip", pose=(0.2, 0.1, 0.0)).build(end_effector="tip")
    for seed in range(12):
        pose = model.pose(model.random(seed))
        path = model.solve_path(pose[None], start=model.random(seed + 100))
        assert path.complete
        assert_allclose(model.pose(path.q), pose[None], atol=1e-5)


def test_what_stops_a_path_is_found_beyond_half_a_turn_of_a_continuous_joint() -> None:
    """The arm turns on and on, until the poses leave its reach."""
    builder = limbik.ModelBuilder("endless").continuous("yaw", axis="z")
    builder = builder.prismatic("reach", axis="x", limits=(0.2, 0.6))
    model = builder.frame("tip", pose=(0.1, 0.0, 0.0)).build(end_effector="tip")
    q = np.column_stack([np.linspace(2.6, 4.2, 120), np.linspace(0.3, 0.7, 120)])
    path = model.solve_path(model.pose(q))
    assert [each.reason for each in path.breaks] == [BreakReason.LIMIT]
    assert path.breaks[0].joints == ("reach",)
    assert path.breaks[0].begin == pytest.approx(119.0 * 0.75, abs=0.2)
