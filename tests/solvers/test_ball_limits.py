"""Solvers on arms of ball joints whose limits bind, or leave next to nothing."""

import numpy as np
import pytest

import limbik
from limbik import ModelBuilder

SWINGS = (0.0, 1e-6, 0.05, 0.5)  # [rad]
TWISTS = (1e-3, 0.1, 1.0)  # [rad] from end to end


def arm(seed: int) -> limbik.Model:
    """Two to five joints in random places, most of them balls with limits; at least one is."""
    rng = np.random.default_rng(seed)
    builder = ModelBuilder(f"arm {seed}")
    for k in range(rng.integers(2, 6)):
        origin = np.eye(4)
        origin[:3, 3] = rng.uniform(-0.1, 0.4, 3)
        axis = rng.normal(size=3)
        if k == 0 or rng.random() < 0.6:
            lower, width = rng.uniform(-2.0, 1.0), rng.choice(TWISTS)
            limits = {"swing": rng.choice(SWINGS), "twist": (lower, lower + width)}
            builder.ball(f"joint {k}", axis=axis, origin=origin, **limits)
        else:
            builder.revolute(f"joint {k}", axis=axis, limits=(-1.5, 1.2), origin=origin)
    origin = np.eye(4)
    origin[:3, 3] = 0.2, 0.05, 0.1
    return builder.fixed("tip", origin=origin).build()


@pytest.mark.parametrize("solver", ["lm", "dls", "sdls", "pinv", "newton"])
def test_limits_that_leave_next_to_nothing_hinder_no_solver(solver) -> None:
    iterations = []
    for seed in range(40):
        model = arm(seed)
        goal = limbik.Pose(target=model.pose(model.random(seed)))
        solution = model.solve(goal, solver=solver, start=model.random(seed + 1))
        assert solution.success and model.is_within_limits(solution.q)
        iterations.append(solution.iterations)
    assert np.median(iterations) <= 16


def test_a_compromise_holds_what_cannot_swing_at_all() -> None:
    for seed in range(20):
        model = (
            ModelBuilder("arm")
            .ball("shoulder")
            .ball("elbow", axis="x", swing=0.0, origin=at(0.3))
            .ball("wrist", swing=0.0, origin=at(0.3))
            .fixed("tip", origin=at(0.1))
            .build()
        )
        q = model.random(seed)
        near = model.clip(model.integrate(q, 0.3 * np.random.default_rng(seed).normal(size=model.nv)))
        assert model.solve(limbik.Pose(target=model.pose(q)), start=near, mode="best").success


def at(z: float) -> np.ndarray:
    pose = np.eye(4)
    pose[2, 3] = z
    return pose
