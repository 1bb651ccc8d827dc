"""What is seen of an arm follows what is solved, under the limit of the joint speed."""

from typing import Any

import numpy as np
import pytest

from page.modules import Modules

FOLLOW = """async ({ from, to, parts, speed, turns }) => {
  const { Following } = await import('/static/following.js');
  const following = new Following({ get: () => speed });
  const runner = { q: Float32Array.from(from), pose() { return this.q; } };
  const arms = [{ runners: [runner], parts }];
  following.advance(arms, 0);
  runner.q = Float32Array.from(to);
  return Array.from({ length: turns }, () => {
    following.advance(arms, 1 / 60);
    return [...following.pose(runner, null)];
  });
}"""
TURN = {"at": 0, "kind": "turn"}


def follow(modules: Modules, **asked: Any) -> np.ndarray:
    return np.array(modules.evaluate(FOLLOW, {"speed": "lively", "turns": 60} | asked))


def test_joints_arrive_together_and_none_is_faster_than_it_may(modules: Modules) -> None:
    slide = {"at": 1, "kind": "slide"}
    way = follow(modules, parts=[TURN, slide], **{"from": [0, 0.4], "to": [2, 0]})
    steps = np.abs(np.diff(way, axis=0))
    assert steps[:, 0].max() == pytest.approx(2 * np.pi / 60, rel=1e-4)
    assert steps[:, 1].max() <= 1.5 / 60
    np.testing.assert_allclose(way[:, 0] / 2, 1 - way[:, 1] / 0.4, atol=1e-6)
    assert 18 < np.argmax(way[:, 0] == 2) < 40  # turns of a 60th of a second: 0.3 to 0.7 s
    assert (np.diff(way[:, 0]) >= 0).all()


def test_a_quaternion_turns_the_shorter_way_and_stays_one(modules: Modules) -> None:
    half = np.sqrt(0.5)
    ball = {"at": 0, "kind": "quaternion"}
    way = follow(modules, parts=[ball], **{"from": [0, 0, 0, 1], "to": [-half, 0, 0, -half]})
    np.testing.assert_allclose(np.linalg.norm(way[:-1], axis=1), 1, atol=1e-6)
    angles = 2 * np.arccos(np.clip(np.abs(way[:, 3]), 0, 1))
    assert angles.max() < np.pi / 2 + 1e-3
    np.testing.assert_allclose(way[-1], [-half, 0, 0, -half], atol=1e-6)


def test_at_once_is_at_once(modules: Modules) -> None:
    way = follow(modules, speed="once", parts=[TURN], **{"from": [0], "to": [3]})
    assert way[0] == 3


PAUSE = """async () => {
  const { Following } = await import('/static/following.js');
  const { Runner } = await import('/static/runner.js');
  const following = new Following({ get: () => 'lively' });
  const runner = new Runner('lm', [0]);
  const arms = [{ runners: [runner], parts: [{ at: 0, kind: 'revolute' }] }];
  const there = { errors: [0], iterations_to_tolerance: 0, status: 'solved', out_of_reach: 0 };
  const answer = (iterations) => runner.apply({ ...there, q: Float32Array.of(1), iterations }, false);
  following.advance(arms, 0);
  answer(5);
  following.advance(arms, 1 / 60);
  following.pause(arms);
  const held = [...following.pose(runner, null)];
  answer(0); // it was under way, and says that the arm is there
  following.advance(arms, 1 / 60);
  return [held, [...following.pose(runner, null)]];
}"""


def test_a_paused_arm_stays_when_an_answer_repeats_where_it_is_going(modules: Modules) -> None:
    held, after = modules.evaluate(PAUSE)
    assert 0 < held[0] < 1
    assert after == held
