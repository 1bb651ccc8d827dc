"""Contacts of heels and balls of feet are found in walks and runs that are known, and in what spoils them."""

from dataclasses import replace

import numpy as np
import pytest

import limbik
from limbik.errors import GoalError, ModelError
from limbik.motion import ContactRule, detect_contacts, sole_contacts, soles_of
from walker import ANKLE, FOOT, RUN, SIDES, TOE, Gait, moved, noisy, stretched, walk, yawed

SLOW = Gait(cycle=1.5, stride=0.9, duty=0.68)
FAST = Gait(cycle=0.9, stride=1.6, duty=0.58)
JOG = replace(RUN, cycle=0.8, stride=1.7, duty=0.42)
DEFECTS = {
    "clean": lambda motion: motion,
    "slide": lambda motion: stretched(motion, 1.08),
    "float": lambda motion: moved(motion, np.array([0.0, 0.03, 0.0])),
    "sink": lambda motion: moved(motion, np.array([0.0, -0.03, 0.0])),
    "noise": lambda motion: noisy(motion, 0.004, 0.001),
}


def f1(found: np.ndarray, true: np.ndarray) -> float:
    return float(2.0 * (found & true).sum() / (found.sum() + true.sum()))


@pytest.mark.parametrize("defect", DEFECTS)
@pytest.mark.parametrize("dt", [1.0 / 30.0, 1.0 / 60.0, 1.0 / 120.0])
def test_one_rule_finds_when_feet_stand(defect: str, dt: float) -> None:
    scores = {}
    for name, gait in (("walk", Gait()), ("slow", SLOW), ("fast", FAST), ("run", RUN), ("jog", JOG)):
        known = walk(replace(gait, dt=dt, duration=4.0), "ball")
        scores[name] = f1(sole_contacts(DEFECTS[defect](known.motion)).any(axis=-1), known.stands)
    assert min(scores[name] for name in ("walk", "slow", "fast")) > 0.96
    assert min(scores[name] for name in ("run", "jog")) > 0.93


@pytest.mark.parametrize("kind", ["euler", "ball", "robot"])
def test_a_sole_is_what_the_foot_stands_on(kind: str) -> None:
    for sole, side in zip(soles_of(walk(kind=kind).motion), SIDES, strict=True):  # type: ignore[arg-type]
        assert (sole.root, sole.mid, sole.ankle) == (f"{side}UpLeg", f"{side}Leg", f"{side}Foot")
        assert sole.toe == f"{side}ToeBase"
        np.testing.assert_allclose(sole.up, [0.0, 1.0, 0.0], atol=1e-6)
        np.testing.assert_allclose(sole.ball, [0.0, -ANKLE, FOOT], atol=1e-9)
        np.testing.assert_allclose(sole.tip, [0.0, 0.0, TOE], atol=1e-9)
        np.testing.assert_allclose(sole.heel, [0.0, -ANKLE, -0.3 * FOOT], atol=1e-6)
        np.testing.assert_allclose(sole.heights, 0.0, atol=1e-6)


def test_a_belt_has_a_speed_of_its_own() -> None:
    known = walk(Gait(heading=0.0, duration=3.0), "ball")
    speed = 1.3 / 1.1
    back = np.zeros((len(known.motion), 3))
    back[:, 2] = -speed * known.motion.dt * np.arange(len(known.motion))
    on_belt = moved(known.motion, back)
    rule = ContactRule(ground_velocity=(0.0, 0.0, -speed))
    assert f1(sole_contacts(on_belt, rule=rule).any(axis=-1), known.stands) > 0.96
    assert f1(sole_contacts(on_belt).any(axis=-1), known.stands) < 0.9


def test_a_short_gap_is_closed_by_the_median() -> None:
    known = walk(Gait(dt=1.0 / 120.0, duration=2.0), "ball")
    q = known.motion.q.copy()
    q[30, 1] += 0.06
    spiked = replace(known.motion, q=q)
    rule = ContactRule(smoothing=0.0, steady=9.0)
    with_median, without = (
        sole_contacts(spiked, rule=each)[30].any() for each in (rule, replace(rule, window=0.0))
    )
    assert with_median and not without


def test_a_time_between_frames_that_makes_windows_longer_than_the_clip_is_no_trouble() -> None:
    motion = walk(Gait(duration=1.0), "ball").motion
    stands = [detect_contacts(replace(motion, dt=dt)) for dt in (1e-5, 1e-9)]
    assert stands[0].shape == stands[1].shape == (len(motion), 2)


@pytest.mark.parametrize("seed", range(6))
def test_a_foot_stands_as_long_whichever_way_the_body_goes(seed: int) -> None:
    motion = noisy(walk(replace(SLOW, dt=1.0 / 60.0, duration=5.0), "ball").motion, 0.01, 0.004, seed)
    found = sole_contacts(motion)
    for yaw in (0.7, 2.2, -1.3):
        np.testing.assert_array_equal(sole_contacts(yawed(motion, yaw)), found)


def test_frames_and_soles_without_feet() -> None:
    motion = walk(Gait(duration=1.0), "ball").motion
    assert detect_contacts(motion, []).shape == (len(motion), 0)
    assert sole_contacts(motion, []).shape == (len(motion), 0, 2)
    one = limbik.Motion(motion.model, motion.q[:1], motion.dt, up="y")
    assert sole_contacts(one).shape == (1, 2, 2)


def test_bad_rules_and_feet_are_named() -> None:
    motion = walk(Gait(duration=1.0), "ball").motion
    with pytest.raises(GoalError, match="smoothing needs"):
        ContactRule(smoothing=-1.0)
    with pytest.raises(GoalError, match="ground_velocity needs 3 numbers"):
        ContactRule(ground_velocity=(1.0, 2.0))  # type: ignore[arg-type]
    with pytest.raises(GoalError, match=r"ground_velocity needs numbers up to 1e\+09 \[m/s\], found 1e\+308"):
        ContactRule(ground_velocity=(0.0, 0.0, 1e308))
    with pytest.raises(ModelError, match="needs two links of a leg before it"):
        soles_of(motion, ["LeftUpLeg"])
    with pytest.raises(ModelError, match="links that a joint turns"):
        soles_of(motion, ["LeftToeBase.end"])
