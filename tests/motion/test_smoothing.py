"""Jitter is taken out, what is slower stays, and nothing is late that need not be."""

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import limbik
from limbik.errors import FormatWarning, GoalError, ModelError
from limbik.motion import measure, smooth
from motion.people import crouching
from walker import noisy, walk, yawed

DT = 1.0 / 120.0
TIME = np.arange(360) * DT
METHODS = ["butterworth", "savitzky-golay", "one-euro"]


def swinging(noise: float = 0.0, hertz: float = 1.0) -> limbik.Motion:
    arm = limbik.load("panda")
    q = arm.neutral + 0.3 * np.sin(2.0 * np.pi * hertz * TIME)[:, None] * (np.arange(7) % 2 == 0)
    q = q + noise * np.random.default_rng(0).standard_normal(q.shape)
    return limbik.Motion(arm, arm.clip(q), DT)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_jitter_goes_and_the_motion_stays(method):
    clean, rough = swinging(), swinging(0.01)
    found = smooth(rough, method)
    assert measure(found).jitter_mm < 0.35 * measure(rough).jitter_mm
    inner = slice(20, -20)
    worst = np.abs(found.q - clean.q)[inner, [0, 2, 4]].max()
    assert worst < (0.1 if method == "one-euro" else 0.02)


@pytest.mark.parametrize("method", ["butterworth", "savitzky-golay"])
def test_nothing_is_late(method):
    found = smooth(swinging(hertz=2.0), method).q[:, 0]
    peak = np.argmax(found[30:120])
    assert abs(int(peak) - int(np.argmax(swinging(hertz=2.0).q[30:120, 0]))) <= 1


def test_the_cutoff_is_where_half_the_power_is_left():
    for hertz, expected in ((1.0, 1.0), (6.0, math.sqrt(0.5))):
        before = swinging(hertz=hertz)
        size = np.ptp(smooth(before).q[100:260, 0]) / np.ptp(before.q[100:260, 0])
        assert_allclose(size, expected, atol=0.03)


def test_a_live_filter_looks_at_no_later_frame():
    whole = swinging(0.01)
    half = replace(whole, q=whole.q[:180])
    assert_allclose(smooth(half, "one-euro").q, smooth(whole, "one-euro").q[:180], atol=1e-15)


@pytest.mark.parametrize("method", METHODS)
def test_whole_turns_and_signs_of_quaternions_are_no_jumps(method):
    arm = (
        limbik.ModelBuilder("arm")
        .continuous("turn", axis="z")
        .ball("ball", axis="x", origin=(0.3, 0.0, 0.0))
        .build()
    )
    angle = 3.0 * TIME
    q = np.zeros((len(TIME), 5))
    q[:, 0] = np.remainder(angle + np.pi, 2.0 * np.pi) - np.pi
    q[:, 1], q[:, 4] = np.sin(0.5 * angle), np.cos(0.5 * angle)
    q[100:200, 1:] *= -1.0
    found = smooth(limbik.Motion(arm, q, DT), method)
    poses, expected = (arm.pose(each, "ball") for each in (found.q, q))
    inner = slice(40, -40)
    assert np.abs(poses - expected)[inner].max() < (0.3 if method == "one-euro" else 0.01)
    assert_allclose(np.linalg.norm(found.q[:, 1:], axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_a_body_is_smoothed_alike_whichever_way_it_goes(method):
    motion = noisy(walk(kind="ball").motion, 0.01, 0.004)
    turned, smoothed = yawed(motion, 0.7), smooth(motion, method)
    links = motion.links
    expected = motion.model.poses(yawed(smoothed, 0.7).q, links)
    assert_allclose(motion.model.poses(smooth(turned, method).q, links), expected, atol=1e-12)


BALL = (
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "End Site\n{\nOFFSET 0 10 0\n}\n}\nMOTION\nFrames: %d\nFrame Time: 0.01\n%s\n"
)


def of_angles(angles: np.ndarray) -> limbik.Motion:
    rows = "\n".join(" ".join(f"{value:.9f}" for value in row) for row in angles)
    return limbik.load_motion(BALL % (len(angles), rows))


@pytest.mark.parametrize("method", METHODS)
def test_angles_that_jump_while_the_joint_stays_are_no_jump(method: str) -> None:
    """Every other frame has the other three angles that make the same rotation."""
    time = 0.01 * np.arange(200)
    angles = np.stack([20.0 * np.sin(time), 30.0 * np.cos(time), 10.0 * np.sin(2.0 * time)], axis=1)
    other = angles.copy()
    other[100:] = np.stack(
        [angles[100:, 0] + 180.0, 180.0 - angles[100:, 1], angles[100:, 2] + 180.0], axis=1
    )
    plain, jumping = of_angles(angles), of_angles(other)
    found, expected = (smooth(each, method) for each in (jumping, plain))
    turns = [each.model.pose(each.q, "Hips")[:, :3, :3] for each in (found, expected)]
    assert_allclose(turns[0], turns[1], atol=1e-6)


def test_a_flip_is_told_with_its_joint_and_frame() -> None:
    angles = np.zeros((100, 3))
    angles[50] = [0.0, 0.0, 178.0]
    with pytest.warns(
        FormatWarning, match="'Hips' turns by 178 degrees from frame 49 to 50, and 1 more times"
    ):
        smooth(of_angles(angles))


def test_limits_are_kept_and_a_bvh_stays_one(tmp_path):
    arm = limbik.load("panda")
    upper = arm.upper[0]
    q = np.tile(arm.neutral, (90, 1))
    q[:, 0] = np.where(np.arange(90) % 30 < 15, upper, upper - 0.5)
    assert arm.is_within_limits(smooth(limbik.Motion(arm, q, DT)).q).all()
    person = limbik.load_motion(crouching(frames=31))
    smooth(person, cutoff_hz=4.0).save(tmp_path / "smooth.bvh")
    assert limbik.load_motion(tmp_path / "smooth.bvh").links == person.links


@pytest.mark.parametrize(
    ("motion", "options", "error", "message"),
    [
        (swinging(), {"method": "median"}, GoalError, "method needs one of butterworth, savitzky-golay"),
        (swinging(), {"cutoff_hz": 60.0}, GoalError, "below half the frame rate, 60 Hz, found 60"),
        (swinging(), {"cutoff_hz": 0.0}, GoalError, "found 0"),
        (swinging(), {"cutoff_hz": math.nan}, GoalError, "found nan"),
        (
            replace(swinging(), dt=1.0 / 30.0),
            {"method": "savitzky-golay", "cutoff_hz": 12.0},
            GoalError,
            "up to 9 at 30 frames a second, not 12",
        ),
        (replace(swinging(), q=swinging().q[:1]), {}, ModelError, "1 frames is too short"),
        (replace(swinging(), q=swinging().q[:9]), {"method": "savitzky-golay"}, ModelError, "it needs 19"),
    ],
)
def test_what_has_no_meaning_is_refused(motion, options, error, message):
    with pytest.raises(error, match=message):
        smooth(motion, **options)
