"""Planted feet do not slide or sink, and what was good stays as it was."""

import itertools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray

import limbik
from limbik.compiler import native
from limbik.errors import FormatWarning, GoalError, ModelError
from limbik.model.shapes import Box, LinkShape
from limbik.motion import Ground, measure, plant_feet, planting_report, sole_contacts, soles_of
from limbik.motion.feet.min_jerk import bounded_offsets, fading_offsets
from limbik.motion.programs import hinge_groups, limbs
from limbik.spatial import norm, pose_from, quat_exp, rotation_exp, rotation_log
from motion.people import crouching
from walker import RUN, Gait, Kind, moved, noisy, skeleton, stairs, stretched, walk

AHEAD = Gait(heading=0.0, duration=4.0)
RUN_AHEAD = replace(RUN, heading=0.0, duration=4.0)
SLOPE = Ground.plane(normal=[0.0, math.cos(math.radians(20.0)), -math.sin(math.radians(20.0))])


@pytest.fixture(autouse=True, scope="module")
def compiled() -> None:
    for program in (limbs(), hinge_groups()):
        native.compile_now(program)


def points(motion: limbik.Motion) -> tuple[np.ndarray, np.ndarray]:
    """Heel, ball and tip of all feet [T, feet, 3, 3], and how high they are to be [feet, 3]."""
    soles = soles_of(motion)
    poses = [motion.model.poses(motion.q, sole.links) for sole in soles]
    each = [sole.points(pose[:, 0], pose[:, 1]) for sole, pose in zip(soles, poses, strict=True)]
    return np.stack(each, axis=1), np.array([sole.heights for sole in soles])


def slide(motion: limbik.Motion, planted: limbik.Motion) -> float:
    """Greatest speed [cm/s] of heels and balls while they are locked."""
    soles, stands = soles_of(motion), sole_contacts(motion)
    fastest = 0.0
    for k, sole in enumerate(soles):
        poses = planted.model.poses(planted.q, sole.links)
        steps = np.linalg.norm(np.diff(sole.points(poses[:, 0], poses[:, 1]), axis=0), axis=-1)
        for point in range(2):
            both = stands[1:, k, point] & stands[:-1, k, point]
            fastest = max(fastest, 1e2 * float(steps[both, point].max()) / motion.dt)
    return fastest


def depth(motion: limbik.Motion, planted: limbik.Motion, ground: Ground) -> float:
    """How deep a heel, ball or toe is in the ground at most [mm]."""
    deepest = -math.inf
    for sole in soles_of(motion):
        poses = planted.model.poses(planted.q, sole.links)
        at = sole.points(poses[:, 0], poses[:, 1])
        heights, _ = ground.under(at)
        deepest = max(deepest, 1e3 * float((heights + sole.heights - at[..., 1]).max()))
    return deepest


@pytest.mark.parametrize("gait", [AHEAD, RUN_AHEAD], ids=["walk", "run"])
@pytest.mark.parametrize("kind", ["euler", "ball", "robot"])
def test_what_stands_well_stays(kind: Kind, gait: Gait) -> None:
    motion = walk(gait, kind).motion
    planted = plant_feet(motion)
    assert slide(motion, planted) < 0.05
    assert depth(motion, planted, Ground.plane()) < 2.0
    assert measure(planted).jerk < 1.2 * measure(motion).jerk
    before, after = points(motion)[0], points(planted)[0]
    assert np.abs(after - before).max() < 0.06
    assert np.sqrt(np.square(after - before).mean()) < 0.01


@pytest.mark.parametrize("gait", [AHEAD, RUN_AHEAD], ids=["walk", "run"])
@pytest.mark.parametrize("defect", ["slide", "float", "sink", "noise"])
def test_planted_defects_are_mended(defect: str, gait: Gait) -> None:
    clean = walk(gait, "ball").motion
    motion = {
        "slide": stretched(clean, 1.08),
        "float": moved(clean, np.array([0.0, 0.03, 0.0])),
        "sink": moved(clean, np.array([0.0, -0.03, 0.0])),
        "noise": noisy(clean, 0.004, 0.001),
    }[defect]
    planted = plant_feet(motion)
    assert slide(motion, planted) < 0.05
    assert depth(motion, planted, Ground.plane()) < 2.0
    assert measure(planted).jerk < 1.3 * measure(motion).jerk


@pytest.mark.parametrize("kind", ["euler", "ball"])
@pytest.mark.parametrize("gait", [AHEAD, RUN_AHEAD], ids=["walk", "run"])
@pytest.mark.parametrize("ground", ["slope", "stairs", "box"])
def test_feet_stand_on_other_ground(ground: str, gait: Gait, kind: Kind) -> None:
    motion = walk(gait, kind).motion
    surface = {
        "slope": SLOPE,
        "stairs": Ground.mesh(stairs(rise=0.15, run=0.5 * gait.stride, count=4)),
        "box": Ground.mesh(stairs(rise=0.2, run=2.0, count=1)),
    }[ground]
    planted = plant_feet(motion, ground=surface)
    assert slide(motion, planted) < 0.05
    assert depth(motion, planted, surface) < 2.0
    assert measure(planted).jerk < 1.6 * measure(motion).jerk
    climbed = planted.q[-1, 1] - motion.q[-1, 1]
    assert climbed > 0.15


def test_a_foot_is_flat_on_a_slope() -> None:
    motion = walk(AHEAD, "ball").motion
    planted = plant_feet(motion, ground=SLOPE)
    stands = sole_contacts(motion).all(axis=-1)
    _, normal = SLOPE.under(np.zeros(3))
    for k, sole in enumerate(soles_of(motion)):
        up = planted.model.pose(planted.q[stands[:, k]], sole.ankle)[:, :3, :3] @ sole.up
        assert_allclose(up, np.tile(normal, (len(up), 1)), atol=1e-9)


def test_known_contacts_are_kept() -> None:
    known = walk(AHEAD, "ball")
    motion = stretched(known.motion, 1.08)
    stands = np.stack([known.heels, known.balls], axis=-1)
    planted = plant_feet(motion, contacts=stands)
    at, _ = points(planted)
    steps = np.linalg.norm(np.diff(at, axis=0), axis=-1)[..., :2]
    both = stands[1:] & stands[:-1]
    assert steps[both].max() / motion.dt < 5e-4
    by_foot = plant_feet(motion, contacts=known.stands)
    assert len(by_foot) == len(motion)


@pytest.mark.parametrize("value", [0.5, -4.0, np.nan])
def test_contacts_are_yes_or_no(value: float) -> None:
    motion = walk(AHEAD, "ball").motion
    contacts = np.full((len(motion), 2), value)
    for refuses in (plant_feet, measure):
        with pytest.raises(GoalError, match="contacts needs 0 or 1 for each foot and frame, found"):
            refuses(motion, contacts=contacts)


def test_a_foot_twice_is_refused() -> None:
    motion = walk(AHEAD, "ball").motion
    ankle = soles_of(motion)[0].ankle
    with pytest.raises(ModelError, match=f"feet needs links that differ, found '{ankle}' twice"):
        plant_feet(motion, feet=[ankle, ankle])


def test_no_contact_changes_nothing_over_level_ground() -> None:
    motion = walk(AHEAD, "ball").motion
    planted = plant_feet(motion, contacts=np.zeros((len(motion), 2, 2)))
    assert_allclose(points(planted)[0], points(motion)[0], atol=2e-3)


def test_a_foot_that_goes_too_far_is_let_go() -> None:
    motion = stretched(walk(AHEAD, "ball").motion, 1.5)  # feet slide by 0.6 m/s
    stands = np.stack([walk(AHEAD).heels, walk(AHEAD).balls], axis=-1)
    near = plant_feet(motion, contacts=stands, lock_radius=0.05)
    far = plant_feet(motion, contacts=stands, lock_radius=0.5)
    moved_near = np.abs(points(near)[0] - points(motion)[0])[stands.nonzero()[0]].max()
    moved_far = np.abs(points(far)[0] - points(motion)[0])[stands.nonzero()[0]].max()
    assert moved_near < moved_far
    assert near.q.shape == motion.q.shape


def test_the_report_names_the_frames_in_which_a_foot_is_let_go() -> None:
    motion = stretched(walk(AHEAD, "ball").motion, 1.2)  # feet slide by 0.24 m/s
    planted = plant_feet(motion, lock_radius=0.03)
    speed = np.linalg.norm(np.diff(points(planted)[0][..., :2, [0, 2]], axis=0), axis=-1) / motion.dt
    contacts = sole_contacts(motion)
    report = planting_report(motion, planted)
    for k, foot in enumerate(report.feet):
        stands = contacts[1:, k] & contacts[:-1, k]
        slower = np.where(stands, speed[:, k], np.inf).min(axis=-1)
        moves = np.concatenate([np.arange(run.start, run.stop - 1) for run in foot.released])
        holds = np.setdiff1d(np.flatnonzero(np.isfinite(slower)), moves)
        assert len(moves) > 10 and len(holds) > 10
        assert foot.released_part == pytest.approx(len(moves) / (len(moves) + len(holds)))
        assert slower[moves].min() > 0.01
        assert foot.slide_held_cm_s == pytest.approx(100.0 * slower[holds].mean(), abs=1e-3)
        assert foot.slide_held_cm_s < 0.05 < foot.slide_after_cm_s
        assert f"let go {len(foot.released)} times" in str(report)
    slow = stretched(walk(AHEAD, "ball").motion, 1.08)
    kept = planting_report(slow, plant_feet(slow))
    assert "let go" not in str(kept) and not any(foot.released for foot in kept.feet)


def test_feet_that_turn_on_their_heels_do_not_jump() -> None:
    """A body turns by 75 degrees in 0.3 s and its feet with it, first on their heels, then on their balls."""
    model, dt = walk(AHEAD, "ball").motion.model, 1.0 / 60.0
    yaw = np.radians(75.0) * np.clip((np.arange(120) - 50) / 18.0, 0.0, 1.0)
    q = np.tile(model.neutral, (len(yaw), 1))
    q[:, 1] = 0.92
    q[:, 3:7] = quat_exp(np.outer(yaw, [0.0, 1.0, 0.0]))
    motion = limbik.Motion(model, q, dt, up="y")
    turns = (yaw > 0.0) & (yaw < yaw[-1])
    stands = np.repeat(~turns[:, None, None], 2, axis=1).repeat(2, axis=2)
    stands[50:62, :, 0] = True
    stands[62:68, :, 1] = True
    planted = plant_feet(motion, contacts=stands)
    at = points(planted)[0]
    assert np.linalg.norm(np.diff(at, 2, axis=0), axis=-1).max() < 0.02  # 0.015 of them are the animation's
    both = stands.all(axis=-1)
    still = np.linalg.norm(np.diff(at[..., :2, :], axis=0), axis=-1)[(both[1:] & both[:-1])]
    assert np.median(still) / dt < 5e-4


def test_a_foot_is_let_go_while_it_moves() -> None:
    """Feet that turn by 33 degrees in 0.1 s and by 4 more in the next second are too far turned only then."""
    model, dt = walk(AHEAD, "ball").motion.model, 1.0 / 60.0
    time = dt * np.arange(120)
    yaw = np.radians(np.interp(time, [0.5, 0.6, 1.6], [0.0, 33.0, 37.0]))
    q = np.tile(model.neutral, (len(yaw), 1))
    q[:, 1] = 0.92
    q[:, 3:7] = quat_exp(np.outer(yaw, [0.0, 1.0, 0.0]))
    motion = limbik.Motion(model, q, dt, up="y")
    planted = plant_feet(motion, contacts=np.ones((len(yaw), 2, 2)))
    speed = np.linalg.norm(np.diff(points(planted)[0][..., :2, :], axis=0), axis=-1) / dt
    stands = (time[1:] < 0.4) | (time[1:] > 0.7)
    assert speed[stands].max() < 5e-4
    assert speed[~stands].max() > 0.2


def jump(motion: limbik.Motion, planted: limbik.Motion) -> float:
    """By how much [m] the second difference of an ankle is above that of the animation, at most."""
    ankles = [sole.ankle for sole in soles_of(motion)]
    before, after = (
        np.linalg.norm(np.diff(each.model.poses(each.q, ankles)[..., :3, 3], 2, axis=0), axis=-1)
        for each in (motion, planted)
    )
    return float((after - before).max())


def test_a_heel_that_stands_after_the_ball_does_not_jump() -> None:
    """The body turns by 4 degrees in each of the frames in which only the heel stands."""
    model, dt = walk(AHEAD, "ball").motion.model, 1.0 / 30.0
    yaw = np.radians(np.interp(np.arange(60), [30, 34], [0.0, 16.0]))
    q = np.tile(model.neutral, (len(yaw), 1))
    q[:, 1] = 0.92
    q[:, 3:7] = quat_exp(np.outer(yaw, [0.0, 1.0, 0.0]))
    motion = limbik.Motion(model, q, dt, up="y")
    stands = np.ones((len(yaw), 2, 2))
    stands[31:, :, 1] = stands[35:, :, 0] = 0.0
    assert jump(motion, plant_feet(motion, contacts=stands)) < 0.006


def test_an_ankle_does_not_jump_where_a_foot_turns_under_it() -> None:
    """The foot turns by 16 degrees in two frames, about the ankle, and its ball is said to stand."""
    model, dt = walk(AHEAD, "ball").motion.model, 1.0 / 30.0
    yaw = np.radians(np.interp(np.arange(80), [40, 42], [0.0, 16.0]))
    q = np.tile(model.neutral, (len(yaw), 1))
    q[:, 1] = 0.92
    q[:, model.q_slice("LeftFoot")] = quat_exp(np.outer(yaw, [0.0, 1.0, 0.0]))
    motion = limbik.Motion(model, q, dt, up="y")
    stands = np.ones((len(yaw), 2, 2))
    stands[40:, :, 0] = 0.0
    assert jump(motion, plant_feet(motion, contacts=stands)) < 0.001


@pytest.mark.parametrize("rate", [30.0, 60.0, 240.0])
def test_a_foot_that_is_let_go_does_not_follow_the_noise_of_its_last_frames(rate: float) -> None:
    gait = replace(AHEAD, dt=1.0 / rate)
    clean = walk(gait, "ball").motion
    noise, planted = noisy(clean, 0.004, 0.001), plant_feet(noisy(clean, 0.004, 0.001))
    assert np.abs(points(planted)[0] - points(noise)[0])[..., [0, 2]].max() < 0.06


@pytest.mark.parametrize("factor", [0.85, 1.08])
def test_feet_are_locked_and_let_go_without_a_step_at_high_rates(factor: float) -> None:
    """Ankles are accelerated by 15 m/s^2 more than in the animation at most."""
    motion = stretched(walk(replace(AHEAD, dt=1.0 / 240.0), "ball").motion, factor)
    planted = plant_feet(motion)
    ankles = [sole.ankle for sole in soles_of(motion)]
    before, after = (each.model.poses(each.q, ankles)[..., :3, 3] for each in (motion, planted))
    faster = [240.0**2 * np.linalg.norm(np.diff(each, 2, axis=0), axis=-1) for each in (before, after)]
    assert (faster[1] - faster[0]).max() < 15.0
    assert slide(motion, planted) < 0.05


@pytest.mark.parametrize("rate", [30.0, 120.0, 240.0])
def test_knees_of_nearly_straight_legs_do_not_jump(rate: float) -> None:
    """Their second differences along 1/30 s are at most 6 mm longer than in the animation."""
    motion = stretched(walk(replace(AHEAD, dt=1.0 / rate), "ball").motion, 1.08)
    planted, steps = plant_feet(motion), round(rate / 30.0)
    knees = [sole.mid for sole in soles_of(motion)]
    before, after = (each.model.poses(each.q, knees)[::steps, :, :3, 3] for each in (motion, planted))
    jerks = [np.linalg.norm(np.diff(positions, 2, axis=0), axis=-1) for positions in (before, after)]
    assert (jerks[1] - jerks[0]).max() < 0.006


@pytest.mark.filterwarnings("ignore:the motion is planted as it is")
@pytest.mark.parametrize("gait", [AHEAD, RUN], ids=["walk", "run"])
@pytest.mark.parametrize("size", [0.1, 0.3, 5.0, 20.0])
def test_bodies_of_all_sizes_are_planted_alike(size: float, gait: Gait, tmp_path: Path) -> None:
    known = walk(gait, "euler")
    noisy(known.motion, 0.004, 0.001).save(tmp_path / "walk.bvh")
    person, other = (
        limbik.load_motion(tmp_path / "walk.bvh", unit=known.motion.metres * factor) for factor in (1.0, size)
    )
    assert (sole_contacts(other) == sole_contacts(person)).all()
    planted = [each.model.poses(plant_feet(each).q, each.links) for each in (person, other)]
    planted[1][..., :3, 3] /= size
    assert_allclose(planted[1], planted[0], atol=1e-8)


def crawling() -> limbik.Motion:
    """On the knees, thighs upright but for 0.25 rad to and fro, shanks on the ground, feet stretched."""
    model, dt = walk(AHEAD, "ball").motion.model, 1.0 / 60.0
    time = dt * np.arange(240)
    q = np.tile(model.neutral, (len(time), 1))
    q[:, 1], q[:, 2] = 0.46, 0.3 * time
    q[:, 3:7] = quat_exp(np.array([0.5 * np.pi, 0.0, 0.0]))
    across = np.array([1.0, 0.0, 0.0])
    for side, phase in (("Left", 0.0), ("Right", np.pi)):
        swing = 0.25 * np.sin(2.0 * np.pi * time / 1.2 + phase)
        turns = {"UpLeg": swing - 0.5 * np.pi, "Leg": 0.5 * np.pi - swing, "Foot": np.full(len(time), 0.9)}
        for bone, angle in turns.items():
            q[:, model.q_slice(side + bone)] = quat_exp(np.outer(angle, across))
    return limbik.Motion(model, q, dt, up="y")


def test_feet_that_do_not_carry_are_left_as_they_are() -> None:
    motion = crawling()
    assert sole_contacts(motion).any()
    with pytest.warns(FormatWarning, match="neither leg carries in 100% of its frames"):
        planted = plant_feet(motion)
    links = ["Hips", "LeftLeg", "RightLeg"]
    before, after = (each.model.poses(each.q, links)[..., :3, 3] for each in (motion, planted))
    assert np.abs(after - before).max() < 2e-3
    assert points(planted)[0][..., 1].min() > -1e-3


@pytest.mark.parametrize("share", [0.2, 0.8])
def test_a_body_that_lies_with_bent_knees_stays_where_it_is(share: float) -> None:
    """And where it stands, its feet stay on the ground, in whatever share of the frames it lies."""
    model, dt = walk(AHEAD, "ball").motion.model, 1.0 / 60.0
    standing = skeleton("ball").q[0]
    q = np.tile(standing, (240, 1))
    lies = np.arange(240) >= (1.0 - share) * 240
    q[lies, 1] = 0.12
    q[lies, 3:7] = quat_exp(np.array([-0.5 * np.pi, 0.0, 0.0]))
    for side in ("Left", "Right"):
        for bone, angle in (("UpLeg", -0.9), ("Leg", 2.0), ("Foot", -0.5)):
            q[lies, model.q_slice(side + bone)] = quat_exp(np.array([angle, 0.0, 0.0]))
    motion = limbik.Motion(model, q, dt, up="y")
    with pytest.warns(FormatWarning, match=f"neither leg carries in {share:.0%} of its frames"):
        planted = plant_feet(motion)
    still = np.ones(240, dtype=bool)
    still[int((1.0 - share) * 240) - 30 : int((1.0 - share) * 240) + 30] = False  # it falls in one frame
    for link in ("Hips", "LeftFoot", "RightFoot"):
        before, after = (each.model.pose(each.q, link)[still, :3, 3] for each in (motion, planted))
        assert_allclose(after, before, atol=2e-3)


def test_toes_over_the_edge_of_a_step_are_on_it_where_only_the_heel_stands() -> None:
    standing = skeleton("ball")
    motion = replace(standing, q=np.tile(standing.q[0], (60, 1)))
    vertices, faces = stairs(rise=0.15, run=2.0, count=1)
    step = Ground.mesh((vertices + np.array([0.0, 0.0, 0.05]), faces))
    heels = np.zeros((60, 2, 2))
    heels[..., 0] = 1.0
    planted = plant_feet(motion, ground=step, contacts=heels)
    toes = planted.model.poses(planted.q, ["LeftToeBase", "RightToeBase"])[..., :3, 3]
    assert (toes[..., 2] > 0.05).all() and (toes[..., 1] > 0.149).all()


def test_a_foot_that_lies_on_its_side_is_not_turned_flat() -> None:
    model, dt = walk(AHEAD, "ball").motion.model, 1.0 / 60.0
    q = np.tile(skeleton("ball").q[0], (240, 1))
    q[125:, model.q_slice("LeftFoot")] = quat_exp(np.array([0.0, 0.0, 1.4]))
    motion = limbik.Motion(model, q, dt, up="y")
    contacts = np.ones((240, 2, 2))
    contacts[110:140, 0] = 0.0
    planted = plant_feet(motion, contacts=contacts)
    before, after = (each.model.pose(each.q, "LeftFoot")[190:, :3, :3] for each in (motion, planted))
    assert norm(rotation_log(np.swapaxes(before, -1, -2) @ after)).max() < 0.2


def on_a_belt(motion: limbik.Motion, velocity: np.ndarray) -> limbik.Motion:
    q = motion.q.copy()
    q[:, :3] += np.outer(np.arange(len(q)) * motion.dt, velocity)
    return replace(motion, q=q)


def test_a_motion_that_is_not_what_it_seems_is_planted_with_a_warning(tmp_path: Path) -> None:
    known = walk(AHEAD, "euler").motion
    known.save(tmp_path / "walk.bvh")
    small = limbik.load_motion(tmp_path / "walk.bvh", unit=0.01 * known.metres)
    with pytest.warns(FormatWarning, match=r"its legs are 0.0085 m long: give the unit .* --unit"):
        plant_feet(small)
    with pytest.warns(FormatWarning, match=r"along y, .* above them along z: .* give up='y' or --up y"):
        plant_feet(limbik.load_motion(tmp_path / "walk.bvh", unit=known.metres, up="z"))
    belt = np.array([0.0, 0.0, -AHEAD.stride / AHEAD.cycle])
    with pytest.warns(
        FormatWarning, match=r"on a belt, give .*ground_velocity=\(0, 0, -1.18\)\) or --belt 0 0 -1.18"
    ):
        plant_feet(on_a_belt(walk(AHEAD, "ball").motion, belt))


@pytest.mark.filterwarnings("error")
def test_what_is_as_it_seems_is_planted_without_a_warning() -> None:
    for gait in (AHEAD, RUN_AHEAD, replace(AHEAD, stride=0.01)):
        plant_feet(walk(gait, "ball").motion)
    plant_feet(limbik.load_motion("examples/walk.bvh"))


def test_weight_is_how_much_is_mended() -> None:
    motion = stretched(walk(AHEAD, "ball").motion, 1.08)
    none, half, full = (plant_feet(motion, weight=weight) for weight in (0.0, 0.5, 1.0))
    assert (none.q == motion.q).all()
    middle = points(half)[0] - 0.5 * (points(none)[0] + points(full)[0])
    assert np.abs(middle).max() < 2e-3
    ramp = plant_feet(motion, weight=np.linspace(0.0, 1.0, len(motion)))
    assert (ramp.q[0] == motion.q[0]).all()


def test_a_bvh_stays_a_bvh() -> None:
    motion = walk(replace(AHEAD, duration=1.0), "euler").motion
    planted = plant_feet(motion)
    assert planted.hierarchy == motion.hierarchy
    arms = [name for name in motion.model.joint_names if name.startswith("Hips") and "position" not in name]
    for name in arms:
        part = motion.model.q_slice(name)
        assert (planted.q[:, part] == motion.q[:, part]).all()


@pytest.mark.parametrize("gait", [AHEAD, RUN_AHEAD], ids=["walk", "run"])
def test_ankles_of_two_hinges_are_helped_by_the_swivel_of_the_leg(gait: Gait) -> None:
    motion = noisy(walk(gait, "robot").motion, 0.004, 0.001)
    planted = plant_feet(motion)
    assert slide(motion, planted) < 0.05
    assert planted.model.is_within_limits(planted.q).all()


TALOS = ["leg_left_6_link", "leg_right_6_link"]
TALOS_BENT = {"leg_{}_3_joint": -0.4, "leg_{}_4_joint": 0.8, "leg_{}_5_joint": -0.4}
G1 = ["left_ankle_roll_link", "right_ankle_roll_link"]
G1_BENT = {"{}_hip_pitch_joint": -0.4, "{}_knee_joint": 0.8, "{}_ankle_pitch_joint": -0.4}


def swaying(
    robot: limbik.Model, foot: str, height: float, bent: dict[str, float], sway: tuple[float, float]
) -> NDArray[np.float64]:
    """[60, nq] at 100 Hz: with bent knees and ankles that high, swaying along x and y [m]."""
    q = robot.neutral.copy()
    for joint, angle in bent.items():
        for side in ("left", "right"):
            q[robot.q_slice(joint.format(side))] = angle
    moving = np.tile(q, (60, 1))
    moving[:, :2] += np.outer(np.sin(0.04 * np.arange(60)), sway)
    moving[:, 2] += height - robot.pose(q, foot)[2, 3]
    return moving


def standing(robot: limbik.Model, q: NDArray[np.float64], feet: list[str]) -> NDArray[np.float64]:
    """Poses [60, 2, 4, 4] of feet that are planted in every frame; in the motion they slide."""
    motion = limbik.Motion(robot, robot.clip(q), 0.01)
    planted = plant_feet(motion, feet=feet, contacts=np.ones((60, 2)), ground=Ground.plane(up="z"))
    assert np.ptp(robot.poses(motion.q, feet)[..., :3, 3], axis=0).max() > 0.05
    assert robot.is_within_limits(planted.q).all()
    return np.asarray(robot.poses(planted.q, feet))


def noise_of(robot: limbik.Model) -> NDArray[np.float64]:
    return 0.003 * np.random.default_rng(0).normal(size=(60, robot.nv))


def test_a_robot_with_a_floating_base_stands_still() -> None:
    talos = limbik.load("talos", base="floating")
    moving = swaying(talos, TALOS[0], 0.107, TALOS_BENT, (0.05, 0.0))
    assert np.ptp(standing(talos, talos.integrate(moving, noise_of(talos)), TALOS), axis=0).max() < 1e-6


def test_the_pelvis_of_a_robot_whose_feet_have_links_on_the_ground_sinks() -> None:
    """Its nearly straight legs are too short for where it sways to."""
    talos = limbik.load("talos", base="floating")
    moving = swaying(talos, TALOS[0], 0.107, {"leg_{}_4_joint": 0.1}, (0.2, 0.0))
    assert talos.poses(moving, ["left_sole_link"])[0, 0, 2, 3] < 0.01
    assert np.ptp(standing(talos, moving, TALOS)[..., :3, 3], axis=0).max() < 1e-5


def test_a_robot_stands_still_within_narrow_limits() -> None:
    """Where its hips and ankles cannot lean as far, the feet keep their places before their orientation."""
    talos = limbik.load("talos", base="floating")
    rolls = {f"leg_{side}_{k}_joint" for side in ("left", "right") for k in (2, 6)}
    joints = [replace(each, lower=-0.05, upper=0.05) if each.name in rolls else each for each in talos.joints]
    robot = limbik.Model("narrow", joints, root=talos.root)
    moving = swaying(robot, TALOS[0], 0.107, TALOS_BENT, (0.0, 0.06))
    assert np.ptp(standing(robot, moving, TALOS)[..., :3, 3], axis=0).max() < 1e-5


def test_a_robot_whose_hip_axes_do_not_meet_stands_still() -> None:
    g1 = limbik.load("g1", base="floating")
    moving = swaying(g1, G1[0], 0.05, G1_BENT, (0.04, 0.0))
    assert np.ptp(standing(g1, g1.integrate(moving, noise_of(g1)), G1), axis=0).max() < 1e-5
    motion = limbik.Motion(g1, moving, 0.01)
    assert [sole.ankle for sole in soles_of(motion)] == G1  # of two links called ankle on each side


def test_knees_that_are_stretched_past_straight_do_not_jump() -> None:
    """Those of a G1 can be, by 5 degrees: the foot is as far from the hip with knees bent either way."""
    g1 = limbik.load("g1", base="floating")
    knees = [g1.q_slice(f"{side}_knee_joint").start for side in ("left", "right")]
    moving = swaying(g1, G1[0], 0.05, {}, (0.02, 0.0))
    moving[:, knees] = 0.03 + 0.06 * np.sin(0.2 * np.arange(60))[:, None]
    motion = limbik.Motion(g1, moving, 0.01)
    options = {"feet": G1, "contacts": np.ones((60, 2)), "ground": Ground.plane(up="z")}
    planted = plant_feet(motion, **options)
    assert (plant_feet(motion, weight=0.0, **options).q == motion.q).all()
    bend = planted.q[:, knees]
    assert (bend > 0.05).all()
    assert np.abs(np.diff(bend, axis=0)).max() < 0.1


def test_a_pelvis_rises_little_to_save_knees_from_jumps() -> None:
    """In this squat, at the limits of its ankles, it rose by 8 cm."""
    talos = limbik.load("talos", base="floating")
    squat = {"leg_{}_3_joint": -1.0, "leg_{}_4_joint": 2.0, "leg_{}_5_joint": -1.0}
    rng, frames, joints = np.random.default_rng(1), np.arange(60)[:, None], talos.nv - 6
    speeds, phases = rng.uniform(0.3, 2.0, joints), rng.uniform(0.0, 6.0, joints)
    swings = np.zeros((60, talos.nv))
    swings[:, 6:] = 0.05 * np.sin(0.3 * frames * speeds + phases)
    swings[:, 3:6] = 0.1 * np.sin(0.2 * frames + rng.uniform(0.0, 6.0, 3))
    moving = talos.clip(talos.integrate(swaying(talos, TALOS[0], 0.107, squat, (0.0, 0.0)), swings))
    motion = limbik.Motion(talos, moving, 0.033)
    planted = plant_feet(motion, feet=TALOS, contacts=np.ones((60, 2)), ground=Ground.plane(up="z"))
    rise = planted.q[:, 2] - motion.q[:, 2]
    assert rise.max() < 0.04


@pytest.mark.parametrize(
    ("robot", "foot", "bent", "height"),
    [
        ("g1", G1[0], G1_BENT, 0.035),
        ("talos", TALOS[0], TALOS_BENT, 0.1074),
        ("icub", "l_foot", {}, -0.01427),
    ],
)
def test_a_robot_that_stands_on_its_soles_keeps_standing_there(
    robot: str, foot: str, bent: dict[str, float], height: float
) -> None:
    """How high an ankle is over the shapes of its foot: spheres of a G1, meshes of the others."""
    model = limbik.load(robot, base="floating")
    motion = limbik.Motion(model, swaying(model, foot, height, bent, (0.0, 0.0)), 0.01, up="z")
    planted = plant_feet(motion)
    moved = model.pose(planted.q, foot)[:, :3, 3] - model.pose(motion.q, foot)[:, :3, 3]
    assert np.abs(moved).max() < 2e-4
    measured = measure(planted)
    assert len(measured.feet) == 2
    assert measured.penetration_mm < 0.2
    assert planting_report(motion, planted).pelvis_cm < 0.1


def test_feet_without_ankles_are_refused() -> None:
    bolt = limbik.load("bolt", base="floating")
    with pytest.raises(ModelError, match="feet needs links that a joint turns, found 'FL_FOOT'"):
        soles_of(limbik.Motion(bolt, np.tile(bolt.neutral, (5, 1)), 0.01, up="z"))


def test_feet_of_which_nothing_tells_the_sole_are_planted_with_a_warning() -> None:
    bare = limbik.load("g1", base="floating").with_shapes([])
    motion = limbik.Motion(bare, swaying(bare, G1[0], 0.0, G1_BENT, (0.0, 0.0)), 0.01, up="z")
    with pytest.warns(FormatWarning, match="foot 'right_ankle_roll_link' has neither shapes nor frames that"):
        plant_feet(motion)


def test_toes_of_a_robot_end_where_their_shapes_do() -> None:
    g1 = limbik.load("g1", base="floating")
    toes = limbik.Joint(
        name="toes",
        kind=limbik.JointKind.REVOLUTE,
        parent=G1[0],
        child="left_toes",
        axis=(0.0, 1.0, 0.0),
        origin=pose_from(translation=[0.12, 0.0, -0.025]),
    )
    ahead = pose_from(translation=[0.03, 0.0, 0.0])
    box = LinkShape(link="left_toes", shape=Box((0.06, 0.08, 0.02)), pose_link_shape=ahead)
    robot = limbik.Model("toed", [*g1.joints, toes], root=g1.root).with_shapes([*g1.shapes, box])
    motion = limbik.Motion(robot, swaying(robot, G1[0], 0.035, G1_BENT, (0.0, 0.0)), 0.01, up="z")
    left, right = soles_of(motion)
    assert_allclose(left.heel, right.heel, atol=1e-9)
    assert_allclose(left.ball, [0.12, 0.0, -0.025], atol=1e-9)
    assert_allclose(left.tip, [0.06, 0.0, -0.01], atol=1e-9)
    assert_allclose(left.heights, [0.0, 0.01, 0.0], atol=1e-9)


def test_a_foot_below_its_ankle_is_not_let_go_for_where_it_points() -> None:
    """The only frame of a Talos' foot is there."""
    talos = limbik.load("talos", base="floating").with_shapes([])
    moving = swaying(talos, TALOS[0], 0.107, TALOS_BENT, (0.0, 0.0))
    moving[:, 0] += 0.0005 * np.arange(60)
    planted = plant_feet(limbik.Motion(talos, moving, 0.01, up="z"))
    assert np.ptp(talos.pose(planted.q, TALOS[0])[:, :3, 3], axis=0).max() < 1e-5


def test_what_is_over_a_foot_is_no_part_of_its_sole() -> None:
    talos = limbik.load("talos", base="floating").with_shapes([])
    sensor = limbik.Frame(
        name="sensor", link=TALOS[0], pose_link_frame=pose_from(translation=[0.1, 0.0, 0.5])
    )
    robot = limbik.Model("sensed", talos.joints, root=talos.root, frames=[sensor])
    motion = limbik.Motion(robot, swaying(robot, TALOS[0], 0.107, TALOS_BENT, (0.0, 0.0)), 0.01, up="z")
    assert soles_of(motion)[0].ball[2] == pytest.approx(-0.107, abs=1e-3)


def test_a_leg_of_few_hinges_is_refused() -> None:
    leg = limbik.ModelBuilder("leg").revolute("hip", axis="y", child="thigh")
    for name, child in (("knee", "shank"), ("ankle", "foot")):
        leg.revolute(name, axis="y", child=child, origin=pose_from(translation=[0.0, 0.0, -0.4]))
    motion = limbik.Motion(leg.build(), np.zeros((1, 3)), 0.1)
    with pytest.raises(ModelError, match="or six hinges of its own; it has 'hip', 'knee', 'ankle'"):
        plant_feet(motion)


@pytest.mark.parametrize("kind", ["euler", "ball"])
def test_a_node_above_the_hips_stays_where_it_is(kind: Kind) -> None:
    """Such as the "Armature" of Blender's glTF, which may be turned."""
    plain = walk(AHEAD, kind).motion
    sinking = replace(plain, q=moved(plain, [0.0, -0.03, 0.0]).q)
    stand = pose_from(rotation_exp(np.array([0.0, 0.7, 0.0])), [0.4, 0.0, -0.2])
    node = limbik.Joint(
        name="Armature", kind=limbik.JointKind.FIXED, parent="scene", child=plain.model.root, origin=stand
    )
    staged = replace(sinking, model=limbik.Model("staged", [node, *plain.model.joints]))
    planted, alone = plant_feet(staged), plant_feet(sinking)
    assert np.abs(alone.q - sinking.q).max() > 0.02
    for foot in ("LeftFoot", "RightFoot"):
        assert_allclose(
            staged.model.pose(planted.q, foot), stand @ plain.model.pose(alone.q, foot), atol=1e-6
        )


def test_feet_stand_on_a_belt() -> None:
    walked = stretched(walk(AHEAD, "ball").motion, 1.08)
    speed = np.array([0.0, 0.0, -1.3 / 1.1])
    way = np.multiply.outer(walked.dt * np.arange(len(walked)), speed)
    on_belt = plant_feet(moved(walked, way), contacts=limbik.motion.ContactRule(ground_velocity=tuple(speed)))
    assert_allclose(moved(on_belt, -way).q, plant_feet(walked).q, atol=1e-9)
    rule = limbik.motion.ContactRule(ground_velocity=tuple(speed))
    on_ground = planting_report(walked, plant_feet(walked))
    seen = planting_report(moved(walked, way), on_belt, contacts=rule)
    for beside, foot in zip(on_ground.feet, seen.feet, strict=True):
        assert foot.stands == pytest.approx(beside.stands, abs=0.05) and foot.stands > 0.3
        assert foot.slide_before_cm_s == pytest.approx(beside.slide_before_cm_s, rel=0.1)
        assert foot.slide_before_cm_s > 5.0
        assert foot.slide_after_cm_s < 0.2 * foot.slide_before_cm_s


def test_feet_without_names_are_those_of_the_body(tmp_path: Path) -> None:
    person = limbik.load_motion(crouching())
    text = crouching()
    for k, link in enumerate(sorted(person.links, key=len, reverse=True)):
        text = text.replace(f" {link}\n", f" b{k}\n")
    nameless = limbik.load_motion(text)
    assert not any("foot" in link.casefold() for link in nameless.links)
    assert_allclose(plant_feet(nameless).q, plant_feet(person).q, atol=1e-9)


def test_one_frame_is_planted() -> None:
    motion = skeleton("ball")
    lifted = moved(motion, np.array([0.0, 0.05, 0.0]))
    planted = plant_feet(lifted, contacts=np.ones((1, 2, 2)))
    at, heights = points(planted)
    assert_allclose(at[0, :, :2, 1], heights[:, :2], atol=1e-6)


def without_lengths() -> limbik.Motion:
    """Two legs whose bones all begin and end at the hips."""
    joints = [limbik.Joint(name="Hips", kind=limbik.JointKind.FLOATING, parent="world", child="Hips")]
    for side in ("Left", "Right"):
        names = ["Hips", f"{side}UpLeg", f"{side}Leg", f"{side}Foot"]
        joints += [
            limbik.Joint(name=child, kind=limbik.JointKind.BALL, parent=parent, child=child)
            for parent, child in itertools.pairwise(names)
        ]
    model = limbik.Model("points", joints)
    return limbik.Motion(model, np.tile(model.neutral, (40, 1)), dt=0.01)


def test_bad_input_is_named() -> None:
    motion = walk(replace(AHEAD, duration=1.0), "ball").motion
    with pytest.raises(GoalError, match="up='y'"):
        plant_feet(motion, ground=Ground.plane(up="z"))
    with pytest.raises(GoalError, match="halflife needs a positive number"):
        plant_feet(motion, halflife=0.0)
    for other in (replace(motion, q=motion.q[:-1]), replace(motion, dt=0.5)):
        with pytest.raises(GoalError, match="planted needs the frames of motion"):
            planting_report(motion, other)
    with pytest.raises(GoalError, match="contacts needs 0 or 1 for each foot and frame, found nan"):
        plant_feet(motion, contacts=np.full((len(motion), 2), np.nan))
    with pytest.raises(
        GoalError, match=r"halflife needs a positive number, from 1e-06 to 1e\+06, found 1e-300"
    ):
        plant_feet(motion, halflife=1e-300)
    with pytest.raises(GoalError, match="contacts needs shape"):
        plant_feet(motion, contacts=np.ones((3, 2)))
    with pytest.raises(GoalError, match="weight needs"):
        plant_feet(motion, weight=2.0)
    with pytest.raises(ModelError, match="at least one"):
        plant_feet(motion, feet=[])
    with pytest.raises(ModelError, match="foot, toe or ankle"):
        arm = limbik.load("panda")
        plant_feet(limbik.Motion(arm, arm.neutral[None], 0.1))
    with pytest.raises(ModelError, match="the leg of 'LeftFoot' needs a length, found 0 m"):
        plant_feet(without_lengths())


# --- offsets of least jerk ----------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.floats(0.0, 1.0))
def test_offsets_are_least(seed: int, count: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    dt, halflife = 1.0 / 60.0, 0.1
    given_, values = rng.random(count) < share, rng.normal(size=(count, 2))
    found = fading_offsets(given_, values, halflife, dt)
    assert_allclose(found[given_], values[given_])
    difference = np.zeros((max(count - 3, 0), count))
    for k, weight in enumerate((-1.0, 3.0, -3.0, 1.0)):
        difference[np.arange(len(difference)), np.arange(len(difference)) + k] = weight
    cost = difference.T @ difference + np.eye(count) * ((1.9 * dt / halflife) ** 6 + 1e-14)
    free = ~given_
    right = -cost[np.ix_(free, given_)] @ values[given_]
    if free.any():
        assert_allclose(found[free], np.linalg.solve(cost[np.ix_(free, free)], right), atol=1e-5)


@given(st.integers(0, 2**32 - 1))
def test_bounds_hold(seed: int) -> None:
    rng = np.random.default_rng(seed)
    given_, lower = rng.random(100) < 0.2, np.where(rng.random(100) < 0.3, rng.normal(size=100), -math.inf)
    found = bounded_offsets(given_, np.zeros(100), lower, 0.1, 1.0 / 60.0, 1e-3)
    assert (found[~given_] >= lower[~given_] - 1.01e-3).all()
    assert (found[given_] == 0.0).all()


def test_an_offset_halves_in_its_halflife() -> None:
    given_ = np.zeros(400, dtype=bool)
    given_[:100] = True
    for dt in (1.0 / 60.0, 1.0 / 240.0):
        found = fading_offsets(given_, np.ones((400, 1)), 0.2, dt)[:, 0]
        assert found[99 + round(0.2 / dt)] == pytest.approx(0.5, abs=0.08)
