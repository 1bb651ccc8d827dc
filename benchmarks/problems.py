"""Targets and starts: the same list for every method, drawn from a seed."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from arms import Arm, tip


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A target [3] to reach from a start given as link directions [n, 3]."""

    kind: str
    start: np.ndarray
    target: np.ndarray  # [m]
    optimum: float = 0.0  # [m] the smallest error that is possible


def generator(seed: int, arm: Arm, purpose: str) -> np.random.Generator:
    """Random numbers that depend on the seed, the arm, its limit and the purpose only."""
    label = f"{arm.name} {arm.limit} {purpose}".encode()
    return np.random.default_rng([seed, zlib.crc32(label)])


def straight(arm: Arm) -> np.ndarray:
    return np.tile((1.0, 0.0, 0.0), (arm.size, 1))


def random_configuration(arm: Arm, rng: np.random.Generator) -> np.ndarray:
    """Directions with every joint drawn uniformly within its limit (a ball joint: uniform on its cap)."""
    limit = np.pi if arm.limit is None else arm.limit
    if arm.planar:
        total = np.cumsum(rng.uniform(-limit, limit, arm.size))
        return np.stack((np.cos(total), np.sin(total), np.zeros(arm.size)), axis=1)
    directions = np.empty((arm.size, 3))
    before = np.array((1.0, 0.0, 0.0))
    for i in range(arm.size):
        before = directions[i] = direction_near(before, limit, rng)
    return directions


def direction_near(axis: np.ndarray, limit: float, rng: np.random.Generator) -> np.ndarray:
    """A unit vector uniform on the cap of the given half-angle around the axis."""
    cosine = rng.uniform(np.cos(limit), 1.0)
    around = rng.uniform(0.0, 2.0 * np.pi)
    other = np.eye(3)[np.argmin(np.abs(axis))]
    first = np.cross(axis, other)
    first /= np.linalg.norm(first)
    second = np.cross(axis, first)
    sine = np.sqrt(max(0.0, 1.0 - cosine * cosine))
    direction = cosine * axis + sine * (np.cos(around) * first + np.sin(around) * second)
    return direction / np.linalg.norm(direction)


def random_direction(arm: Arm, rng: np.random.Generator) -> np.ndarray:
    """A unit vector: in the plane of a planar arm, anywhere for a ball arm."""
    if arm.planar:
        angle = rng.uniform(-np.pi, np.pi)
        return np.array((np.cos(angle), np.sin(angle), 0.0))
    vector = rng.normal(size=3)
    return vector / np.linalg.norm(vector)


def in_the_reach(arm: Arm, rng: np.random.Generator) -> np.ndarray:
    """A point uniform in the disc (planar) or in the ball of the reach."""
    radius = arm.reach * rng.uniform() ** (1.0 / (2.0 if arm.planar else 3.0))
    return radius * random_direction(arm, rng)


def reachable(arm: Arm, count: int, seed: int) -> list[Problem]:
    """Targets that can be reached: tips of random configurations and, without limits, points of the disc.

    Every kind comes from the straight arm and from a random configuration; the kinds take turns in the list.
    """
    rng = generator(seed, arm, "reachable")
    kinds = ["configuration/straight", "configuration/random"]
    if arm.limit is None:
        kinds += ["disc/straight", "disc/random"]
    problems = []
    for i in range(count):
        kind = kinds[i % len(kinds)]
        target = (
            tip(arm, random_configuration(arm, rng)) if kind.startswith("conf") else in_the_reach(arm, rng)
        )
        start = straight(arm) if kind.endswith("straight") else random_configuration(arm, rng)
        problems.append(Problem(kind=kind, start=start, target=target))
    return problems


def out_of_reach(arm: Arm, count: int, seed: int) -> list[Problem]:
    """Targets at 1.01 to 2 times the reach; with limits, where the straight arm may still point at them."""
    rng = generator(seed, arm, "out of reach")
    problems = []
    for i in range(count):
        factor = 1.01 if i % 4 == 0 else rng.uniform(1.01, 2.0)
        if arm.limit is None:
            direction = random_direction(arm, rng)
        elif arm.planar:
            angle = rng.uniform(-arm.limit, arm.limit)
            direction = np.array((np.cos(angle), np.sin(angle), 0.0))
        else:
            direction = direction_near(np.array((1.0, 0.0, 0.0)), arm.limit, rng)
        start = straight(arm) if i % 2 == 0 else random_configuration(arm, rng)
        target = factor * arm.reach * direction
        problems.append(Problem(kind="out", start=start, target=target, optimum=(factor - 1.0) * arm.reach))
    return problems
