"""The distance of shoulder and wrist: no pose that an arm has is excluded, and the bounds are near."""

import itertools
import math

import numpy as np
import pytest

import limbik
from limbik import JointKind, Model, ModelBuilder, Status
from limbik.model.chain import chain_to
from limbik.model.pose_bounds import pose_bounds
from limbik.spatial import rotation_exp

AXES = ("x", "y", "z", (0.6, 0.0, 0.8), (0.36, 0.48, 0.8))
PANDA = limbik.load("panda")
TIAGO = limbik.load("tiago")  # whose torso lifts the shoulder


def arm(rng: np.random.Generator) -> Model:
    """An arm of one to nine joints, of which many axes meet, are parallel, or pass each other by."""
    builder = ModelBuilder("arm")
    for k in range(rng.integers(1, 10)):
        offset = rng.uniform(-0.4, 0.4, 3) * (rng.random(3) < 0.4)
        axis = AXES[rng.integers(len(AXES))]
        if rng.random() < (0.4 if k == 0 else 0.1):
            limits = (-0.1, rng.uniform(0.0, 0.5))
            builder = builder.prismatic(f"j{k}", axis=axis, origin=offset, limits=limits)
        elif rng.random() < 0.1:
            builder = builder.continuous(f"j{k}", axis=axis, origin=offset)
        else:
            low = rng.uniform(-4.0, 2.0)
            limits = (low, low + rng.uniform(0.0, 7.0))
            builder = builder.revolute(f"j{k}", axis=axis, origin=offset, limits=limits)
    tip = np.eye(4)
    tip[:3, :3], tip[:3, 3] = rotation_exp(rng.normal(size=3)), rng.uniform(-0.3, 0.3, 3)
    return builder.frame("tip", pose=tip).build(end_effector="tip")


def test_no_pose_of_an_arm_is_excluded():
    bounded = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        model = arm(rng)
        bounds = pose_bounds(chain_to(model))
        if bounds is None:
            continue
        bounded += 1
        limits = zip(model.lower, model.upper, strict=True)
        corners = np.array(list(itertools.islice(itertools.product(*limits), 64)))
        q = np.concatenate([model.random(rng, 200), np.where(np.isfinite(corners), corners, 1.0)])
        assert not bounds.exclude(model.pose(q), 1e-12).any(), seed
    assert bounded > 200


def test_the_bounds_are_reached():
    """By 20,000 configurations, nearly; a distance is one number where neither end goes round a circle."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        model = arm(rng)
        bounds = pose_bounds(chain_to(model))
        if bounds is None or bounds.radius or bounds.half_length:
            continue
        nearest, farthest = bounds.distances(model.pose(model.random(rng, 20_000)))
        assert np.abs(farthest - nearest).max() < 1e-12
        size = chain_to(model).reach
        assert bounds.min_distance == pytest.approx(nearest.min(), abs=0.02 * size), seed
        assert bounds.max_distance == pytest.approx(farthest.max(), abs=0.02 * size), seed


def test_the_elbow_of_a_panda_says_how_far_its_wrist_is():
    bounds = pose_bounds(chain_to(PANDA))
    q4 = np.linspace(PANDA.lower[3], PANDA.upper[3], 100_001)
    # Upper arm and forearm, with the elbow 82.5 mm aside of both (Franka Emika's table of dimensions).
    angle = math.atan2(0.316, 0.0825) + math.atan2(0.384, 0.0825) - q4
    upper, fore = math.hypot(0.316, 0.0825), math.hypot(0.384, 0.0825)
    distance = np.sqrt(upper**2 + fore**2 - 2.0 * upper * fore * np.cos(angle))
    assert bounds.min_distance == pytest.approx(distance.min(), abs=1e-5)
    assert bounds.max_distance == pytest.approx(distance.max(), abs=1e-5)
    assert (bounds.radius, bounds.joints) == (pytest.approx(0.088), ("panda_joint3", "panda_joint5"))


@pytest.mark.parametrize("name", ["ball", "follower", "endless slide", "five between"])
def test_other_chains_have_none(name):
    builder = ModelBuilder("other").revolute("a", axis="z")
    if name == "ball":
        builder = builder.ball("b", origin=(0.1, 0.0, 0.0))
    elif name == "follower":
        follows = limbik.Mimic(joint="a", multiplier=0.5)
        builder = builder.revolute("b", axis="y", origin=(0.1, 0.0, 0.0), mimic=follows)
    elif name == "endless slide":
        builder = builder.prismatic("b", axis="x", limits=(-math.inf, math.inf))
        builder = builder.prismatic("c", axis="y", limits=(-math.inf, math.inf))
    else:
        for k in range(7):
            builder = builder.revolute(f"b{k}", axis="xyz"[k % 3], origin=(0.1, 0.2, 0.3))
    assert pose_bounds(chain_to(builder.frame("tip", pose=(0.1, 0.0, 0.0)).build(end_effector="tip"))) is None


@pytest.mark.parametrize(
    "travels", [(300.0,), (1000.0,), (100.0, 70.03), (1000.0, 700.3), (30.0, 1000.0, 7.0)]
)
def test_the_bounds_of_long_slides_end(travels):
    """Whose numbers leave no room for a gap of a micrometre between two distances."""
    builder = ModelBuilder("gantry")
    for k, travel in enumerate(travels):
        builder = builder.prismatic(f"p{k}", axis="xyz"[k], limits=(0.0, travel))
    for name in "xzy":
        builder = builder.revolute(name, axis=name)
    model = builder.frame("tip", pose=(0.1, 0.0, 0.0)).build(end_effector="tip")
    bounds = pose_bounds(chain_to(model))
    assert not bounds.exclude(model.pose(model.random(0, 1000)), 1e-9).any()


def poses_in_reach(model: Model, count: int, seed: int = 0) -> np.ndarray:
    """Positions within the ball that the frame does not leave, turned anyhow."""
    rng = np.random.default_rng(seed)
    poses = np.tile(np.eye(4), (count, 1, 1))
    away = rng.normal(size=(count, 3))
    away *= (0.98 * model.reach() * rng.random(count) ** (1 / 3) / np.linalg.norm(away, axis=1))[:, None]
    poses[:, :3, :3], poses[:, :3, 3] = (
        rotation_exp(rng.normal(size=(count, 3))),
        away + chain_to(model).joints[0].origin[:3, 3],
    )
    return poses


@pytest.mark.parametrize("model", [PANDA, TIAGO], ids=["panda", "tiago"])
@pytest.mark.parametrize("precision", ["double", "single"])
def test_the_fast_core_proves_the_same_poses_out_of_reach(model, precision):
    poses = poses_in_reach(model, 300)
    excluded = pose_bounds(chain_to(model)).exclude(poses, 1e-5)
    solved = model.solve_batch(poses, restarts=2, precision=precision)
    is_proved = np.array([status is Status.UNREACHABLE for status in solved.status])
    assert excluded.sum() > 100
    assert not (excluded & solved.success).any()
    assert is_proved[excluded].all()
    assert (is_proved & ~excluded).sum() <= 9  # the edge of the ball


def test_a_reach_map_of_them_is_the_same(tmp_path, monkeypatch):
    from limbik.scale.reach_job import ReachJob

    maps = []
    for name in ("bounded", "all"):
        reach = limbik.scale.reach_map(PANDA, tmp_path / name, voxel=0.4, orientations=10)
        maps.append([reach.fraction, reach.solutions, reach.margin, reach.manipulability])
        monkeypatch.setattr(ReachJob, "_bounds", None)
    assert all(np.array_equal(*pair) for pair in zip(*maps, strict=True))


def too_far(distance: float) -> np.ndarray:
    """A pose of a Panda's flange that looks back to its base: the wrist is `distance` [m] too far away."""
    bounds = pose_bounds(chain_to(PANDA))
    pose = np.eye(4)
    pose[:3, :3] = rotation_exp(np.array([0.0, -math.pi / 2.0, 0.0]))  # z to the base, along -x
    pose[:3, 3] = bounds.shoulder
    # The circle about the last axis is seen from the front: all of it is as far away.
    pose[0, 3] += math.sqrt((bounds.max_distance + distance) ** 2 - bounds.radius**2) - 0.107
    return pose


def test_the_reason_names_shoulder_and_wrist():
    solution = PANDA.solve(too_far(0.01))
    diagnosis = solution.explain()
    assert (solution.ended, solution.status) == (Status.UNREACHABLE, Status.ORIENTATION_UNAVAILABLE)
    assert diagnosis.bound.missing == pytest.approx(0.01, abs=1e-4)
    assert (
        "The target needs the wrist (joint 'panda_joint5') at least 0.729 m from the shoulder (joint "
        "'panda_joint3'); the joints between them allow no more than 0.719 m."
    ) in diagnosis.sentences
    assert diagnosis.to_dict()["bound"]["wrist"] == "panda_joint5"


def test_where_the_position_is_out_of_reach_too_that_is_the_reason():
    pose = too_far(0.01)
    pose[0, 3] += 2.0
    assert PANDA.solve(pose).explain().bound.wrist is None


def test_what_the_tolerance_allows_is_not_out_of_reach():
    assert PANDA.solve(too_far(0.01), tolerance=0.02, tolerance_rotation=0.1).success
    assert PANDA.solve(limbik.Pose(target=too_far(0.01), tolerance=(0.02,) * 3 + (0.1,) * 3)).success


def test_a_slide_at_the_end_turns_with_the_tolerance():
    """The far end of its line moves farther than the middle."""
    slide = ModelBuilder("slide").revolute("yaw", axis="z", limits=3.0).revolute("lift", axis="y", limits=3.0)
    slide = slide.revolute("elbow", axis="y", origin=(0.5, 0.0, 0.0), limits=3.0)
    model = slide.prismatic("reach", axis="x", limits=(-0.5, 0.5)).build()
    q = model.random(0, 20)
    q[:, 3] = np.tile([-0.5, 0.5], 10)
    targets = model.pose(q)
    axes = np.random.default_rng(1).normal(size=(20, 3))
    axes *= 0.2 / np.linalg.norm(axes, axis=1, keepdims=True)
    targets[:, :3, :3] = targets[:, :3, :3] @ rotation_exp(axes)
    solutions = [
        model.solve(target, start=at, tolerance_rotation=0.21) for target, at in zip(targets, q, strict=True)
    ]
    assert {solution.status for solution in solutions} == {Status.SOLVED}
    unsolved = model.solve(targets[0], tolerance_rotation=0.21, iterations=1, restarts=0)
    assert not unsolved.success and not unsolved.explain().proof


def test_without_limits_the_elbow_unfolds():
    bounds = pose_bounds(chain_to(PANDA).without_limits())
    assert bounds.max_distance > pose_bounds(chain_to(PANDA)).max_distance
    assert bounds.min_distance < 0.1
    assert JointKind.REVOLUTE in {joint.kind for joint in chain_to(PANDA).without_limits().joints}
