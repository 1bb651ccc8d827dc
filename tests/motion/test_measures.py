"""Measures find defects that were planted in a motion, in the size in which they were planted."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import limbik
import walker
from limbik.errors import GoalError, ModelError
from limbik.motion import ContactRule, detect_contacts, feet_of, measure
from limbik.spatial import unit

DT = 1.0 / 120.0
STEP = 60  # frames of a stance and of a swing


def feet_model() -> limbik.Model:
    """Two points that go anywhere: x forwards and z up."""
    builder = limbik.ModelBuilder("feet")
    for side in ("left", "right"):
        builder.prismatic(f"{side}_forwards", axis="x", parent="base")
        builder.prismatic(f"{side}_up", axis="z", child=f"{side}_foot")
    return builder.build()


def walk(*, slide: float = 0.0, depth: float = 0.0, steps: int = 6) -> tuple[limbik.Motion, np.ndarray]:
    """A walk whose feet in stance move at `slide` [m/s], `depth` below the ground [m], and contacts."""
    share = np.linspace(0.0, 1.0, STEP, endpoint=False)
    ease = share * share * (3.0 - 2.0 * share)
    q, stands = np.zeros((steps * STEP, 4)), np.zeros((steps * STEP, 2), dtype=bool)
    for foot in range(2):
        place = 0.0
        for step in range(steps):
            part = slice(step * STEP, (step + 1) * STEP)
            if step % 2 == foot:
                q[part, 2 * foot] = place + slide * DT * np.arange(STEP)
                q[part, 2 * foot + 1] = -depth
                stands[part, foot] = True
                place += slide * DT * STEP
            else:
                q[part, 2 * foot] = place + 0.7 * ease
                q[part, 2 * foot + 1] = -depth + 0.15 * np.sin(np.pi * share)
                place += 0.7
    return limbik.Motion(feet_model(), q, DT), stands


@pytest.mark.parametrize("slide", [0.0, 0.01, 0.12])
def test_a_planted_slide_is_found_in_centimetres_per_second(slide: float) -> None:
    motion, stands = walk(slide=slide)
    found = measure(motion, contacts=stands)
    assert [foot.frame for foot in found.feet] == ["left_foot", "right_foot"]
    assert found.foot_slide_cm_s == pytest.approx(100.0 * slide, abs=1e-9)
    assert found.feet[0].slide_peak_cm_s == pytest.approx(100.0 * slide, abs=1e-9)
    assert found.feet[0].contact == 0.5


def test_slide_does_not_depend_on_the_frame_rate() -> None:
    motion, stands = walk(slide=0.12)
    half = limbik.Motion(motion.model, motion.q[::2], 2.0 * DT)
    assert measure(half, contacts=stands[::2]).foot_slide_cm_s == pytest.approx(12.0)


def test_contacts_are_detected_where_feet_stand() -> None:
    motion, stands = walk()
    found = detect_contacts(motion)
    true = (found & stands).sum()
    assert 2 * true / (found.sum() + stands.sum()) > 0.9  # F1
    assert found[:, 0][STEP // 2] and not found[:, 0][STEP + STEP // 2]
    assert measure(motion).foot_slide_cm_s < 30.0  # some frames of lifting feet are slow and low


def test_hysteresis_keeps_a_contact_through_short_noise() -> None:
    motion, _ = walk()
    q = np.zeros_like(motion.q)
    q[5, 1], q[6, 1] = 0.0035, 0.0  # 0.0035 m up and down: 0.21 m/s by central differences, more than 0.1
    still = limbik.Motion(motion.model, q, DT)
    plain = ContactRule(speed=0.1, leave_speed=0.1, steady=9.0, smoothing=0.0, window=0.0)
    loose, strict = replace(plain, leave_speed=0.6), plain
    assert detect_contacts(still, rule=loose).all()
    assert np.flatnonzero(~detect_contacts(still, rule=strict)[:, 0]).tolist() == [4, 6]


@pytest.mark.parametrize("depth", [0.0, 0.004, 0.03])
def test_planted_penetration_is_found_with_its_duration(depth: float) -> None:
    motion, stands = walk(depth=depth)
    left = measure(motion, contacts=stands).feet[0]
    assert left.penetration_mm == pytest.approx(1e3 * depth, abs=1e-9)
    below = int((motion.q[:, 1] < 0.0).sum())
    assert left.penetration_s == pytest.approx(below * DT)
    raised = measure(motion, contacts=stands, ground=-0.1).feet[0]
    assert (raised.penetration_mm, raised.penetration_s) == (0.0, 0.0)


def test_up_says_which_axis_is_against_gravity() -> None:
    motion, stands = walk(depth=0.004)
    lying = measure(replace(motion, up="y"), contacts=stands)
    assert lying.penetration_mm == 0.0


def test_planted_noise_is_found_as_jitter_and_steady_acceleration_is_none() -> None:
    motion, _ = walk()
    time = DT * np.arange(4000)
    smooth = np.column_stack([0.5 * time, time**2, 0.3 * time, 0.01 * time**2])
    noise = np.random.default_rng(7).normal(scale=0.002, size=smooth.shape) * [1.0, 0.0, 1.0, 0.0]
    assert measure(replace(motion, q=smooth)).jitter_mm < 1e-6
    # of x, y and z of four links (two of them the sliders between) only x has noise: 1 of 3
    found = measure(replace(motion, q=smooth + noise)).jitter_mm
    assert found == pytest.approx(2.0 / math.sqrt(3.0), rel=0.05)


def test_a_known_third_derivative_is_found_as_jerk() -> None:
    motion, _ = walk()
    time = DT * np.arange(200)
    cubic = np.column_stack([3.0 * time**3, np.zeros_like(time), 3.0 * time**3, np.zeros_like(time)])
    assert measure(replace(motion, q=cubic)).jerk == pytest.approx(18.0 / math.sqrt(3.0), rel=1e-6)


def test_planted_spikes_are_found_with_joint_and_frame() -> None:
    model = limbik.planar_arm(links=3, length=0.4)
    q = np.zeros((50, 3))
    q[:, 0] = 0.2 * DT * np.arange(50)
    q[20, 1] = 0.05
    found = measure(limbik.Motion(model, q, DT))
    assert found.speed is not None and found.acceleration is not None
    assert found.speed[1:] == ("joint2", 20) and found.speed.value == pytest.approx(0.05 / DT)
    assert found.acceleration[1:] == ("joint2", 20)
    assert found.acceleration.value == pytest.approx(2.0 * 0.05 / DT**2)
    assert found.slide_speed is None and found.limit_margin is None
    assert found.feet == () and math.isnan(found.foot_slide_cm_s)


def test_angles_that_jump_at_a_gimbal_lock_are_no_spike(tmp_path: Path) -> None:
    """It turns evenly at 0.5 rad/s past a place where the middle one of its three angles is a right angle."""
    time = 0.02 * np.arange(200)
    turned = Rotation.from_euler("zxy", [0.3, 0.5 * np.pi - 1.0, 0.1]) * Rotation.from_rotvec(
        np.outer(0.5 * time, unit(np.array([1.0, 0.02, 0.01])))
    )
    angles = turned.as_euler("ZXY", degrees=True)
    assert np.abs(np.diff(angles, axis=0)).max() > 20.0
    rows = "\n".join(" ".join(f"{value:.9f}" for value in row) for row in angles)
    file = tmp_path / "turn.bvh"
    file.write_text(
        "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
        "End Site\n{\nOFFSET 0 10 0\n}\n}\n"
        f"MOTION\nFrames: {len(time)}\nFrame Time: 0.02\n{rows}\n"
    )
    speed = measure(limbik.load_motion(file)).speed
    assert_allclose(speed.value, 0.5, rtol=1e-3)
    assert speed.joint == "Hips"


def test_slide_on_a_belt_is_that_relative_to_it() -> None:
    gait = walker.Gait(heading=0.0)
    known = walker.walk(gait, "euler")
    speed = gait.stride / gait.cycle
    q = known.motion.q.copy()
    q[:, 2] -= speed * known.motion.dt * np.arange(len(q))
    belt = ContactRule(ground_velocity=(0.0, 0.0, -speed))
    here, there = measure(known.motion), measure(replace(known.motion, q=q), contacts=belt)
    assert_allclose(there.foot_slide_cm_s, here.foot_slide_cm_s, rtol=1e-6)


def test_a_foot_is_as_deep_as_its_sole() -> None:
    sunk = walker.moved(walker.walk(kind="euler").motion, np.array([0.0, -0.039, 0.0]))
    assert_allclose([foot.penetration_mm for foot in measure(sunk).feet], 39.0, atol=2.0)


def test_a_turn_through_half_a_circle_is_no_spike() -> None:
    model = limbik.ModelBuilder("wheel").continuous("turn").build()
    q = np.array([[3.1], [3.14], [3.18 - 2.0 * np.pi]])
    speed = measure(limbik.Motion(model, q, 0.1)).speed
    assert speed is not None and speed.value == pytest.approx(0.4)


def test_a_floating_base_slides_and_turns() -> None:
    model = limbik.load("planar-2", base="floating")
    q = np.tile(model.neutral, (3, 1))
    q[1:, 0] = 0.03
    found = measure(limbik.Motion(model, q, 0.1))
    assert found.slide_speed is not None and found.slide_speed == (pytest.approx(0.3), "root_joint", 1)
    assert found.speed is not None and found.speed.value == 0.0


def test_the_least_margin_to_a_limit_is_found() -> None:
    model = limbik.planar_arm(links=2, limits=1.0)
    q = np.array([[0.0, 0.0], [0.5, -1.02], [0.9, 0.0]])
    margin = measure(limbik.Motion(model, q, 0.1)).limit_margin
    assert margin is not None and margin[1:] == ("joint2", 1)
    assert margin.value == pytest.approx(-0.02)


def test_a_knee_that_pops_moves_more_than_the_ankle() -> None:
    """The ankle is 2 l cos(a) away: near a straight leg, small steps of it are great ones of the knee."""
    model = limbik.planar_arm(links=2, length=0.4)
    bend = np.array([0.2, 0.1, 0.0])
    q = np.column_stack([bend, -2.0 * bend])
    (limb,) = measure(limbik.Motion(model, q, 0.1), limbs=[("link1", "link2", "tip")]).limbs
    assert_allclose([*limb.upper_m, *limb.lower_m], 0.4)
    ankle, knee = 0.8 * (np.cos(0.0) - np.cos(0.1)), 0.8 * np.sin(0.05)
    assert limb.knee_step == pytest.approx(knee / ankle)


def test_a_limb_that_stretches_shows_its_lengths() -> None:
    model = limbik.ModelBuilder("leg").prismatic("thigh", axis="x").fixed("shin", origin=(0, 0, -0.5)).build()
    (limb,) = measure(limbik.Motion(model, [[0.40], [0.43]], 0.1), limbs=[("base", "thigh", "shin")]).limbs
    assert limb.upper_m == pytest.approx((0.40, 0.43))
    assert limb.lower_m == (0.5, 0.5)


def test_planted_errors_of_tracking_are_found_and_nan_is_left_out() -> None:
    motion, _ = walk()
    target = motion.model.pose(motion.q, "left_foot")[:, :3, 3].copy()
    target[:, 1] += 0.002
    target[10, 1] += 0.010
    target[11] = math.nan
    found = measure(motion, targets={"left_foot": target})
    assert found.tracking[0].peak_mm == pytest.approx(12.0) and found.tracking[0].at == 10
    count = len(motion) - 1
    assert found.tracking_error_mm == pytest.approx((2.0 * (count - 1) + 12.0) / count)


def test_a_motion_of_one_frame_is_measured() -> None:
    motion, _ = walk()
    found = measure(replace(motion, q=motion.q[:1]), limbs=[("base", "left_forwards", "left_foot")])
    assert (found.frames, found.duration, found.speed, found.slide_speed) == (1, 0.0, None, None)
    assert math.isnan(found.jerk) and found.limbs[0].knee_step == 0.0
    assert json.loads(json.dumps(found.to_dict()))["jerk"] is None


def test_feet_are_found_by_name() -> None:
    assert feet_of(walk()[0]) == ("left_foot", "right_foot")
    arm = limbik.Motion(limbik.planar_arm(links=2), np.zeros((3, 2)), DT)
    with pytest.raises(ModelError, match="no link of model 'planar-2' is called foot, toe or ankle"):
        feet_of(arm)


def test_what_has_no_meaning_is_refused() -> None:
    motion, stands = walk()
    with pytest.raises(GoalError, match=r"ground needs numbers up to 1e\+06 \[m\], found inf"):
        measure(motion, ground=np.inf)
    with pytest.raises(GoalError, match=r"contacts needs shape \[360, 2\].*found shape \(2, 360\)"):
        measure(motion, contacts=stands.T)
    with pytest.raises(ModelError, match="has no frame 'foot'"):
        measure(motion, feet=["foot"])
    with pytest.raises(ModelError, match="a limb needs three frames, root, mid and tip, found 2"):
        measure(motion, limbs=[("left_foot", "right_foot")])
    with pytest.raises(GoalError, match=r"the target of 'left_foot' needs positions \[360, 3\] in metres"):
        measure(motion, targets={"left_foot": np.zeros((5, 3))})
    with pytest.raises(GoalError, match="has no frame without nan"):
        measure(motion, targets={"left_foot": np.full((360, 3), math.nan)})
    with pytest.raises(GoalError, match=r"leave_speed needs to be at least speed, 0\.7"):
        ContactRule(leave_speed=0.1)
    with pytest.raises(GoalError, match=r"height needs a number from 0 to 1e\+09, found -1"):
        ContactRule(height=-1.0)
