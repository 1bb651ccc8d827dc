"""The seven methods in their textbook form on NumPy, as one would write them from the papers.

FABRIK moves joint positions; the others turn joints of an arm that knows its Jacobian. Limits are clamped
after each joint (CCD) or each iteration, as most write-ups do. No restarts, no escapes: the plain method.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arms import Answer, Arm, angles_from_directions, directions_from_angles, positions_from_directions
from problems import Problem

from .common import Peer, Session

BUDGET = 1000  # iterations
LARGEST_TURN = np.pi / 4.0  # [rad] per joint and iteration, where a paper asks for a bound
LARGEST_ERROR = 0.25  # of the reach: the error is shortened to this before a Jacobian step (Buss)
DAMPING = 0.05  # of the reach: lambda of damped least squares
GAMMA = 10.0  # the largest step of the Jacobian transpose


class PlanarState:
    """Revolute joints about z: relative angles [n]."""

    def __init__(self, arm: Arm, directions: np.ndarray) -> None:
        self.lengths = np.asarray(arm.lengths)
        self.limit = arm.limit
        self.angles = angles_from_directions(directions)

    def positions(self) -> np.ndarray:
        total = np.cumsum(self.angles)
        steps = self.lengths[:, None] * np.stack((np.cos(total), np.sin(total)), axis=1)
        return np.vstack((np.zeros(2), np.cumsum(steps, axis=0)))

    def jacobian(self, positions: np.ndarray) -> np.ndarray:
        """[2, n]: the tip turns about every joint."""
        arm = positions[-1] - positions[:-1]
        return np.stack((-arm[:, 1], arm[:, 0]))

    def turn(self, step: np.ndarray) -> None:
        self.angles = self.angles + step
        if self.limit is not None:
            self.angles = np.clip(self.angles, -self.limit, self.limit)

    def copy(self) -> PlanarState:
        other = object.__new__(PlanarState)
        other.lengths, other.limit, other.angles = self.lengths, self.limit, self.angles.copy()
        return other

    def answer(self) -> tuple[np.ndarray, np.ndarray | None]:
        return directions_from_angles(self.angles), self.angles


class BallState:
    """Ball joints: link directions [n, 3]; a step is a rotation vector [3] per joint in world axes."""

    def __init__(self, arm: Arm, directions: np.ndarray) -> None:
        self.lengths = np.asarray(arm.lengths)
        self.limit = arm.limit
        self.directions = directions.copy()

    def positions(self) -> np.ndarray:
        return np.vstack((np.zeros(3), np.cumsum(self.lengths[:, None] * self.directions, axis=0)))

    def jacobian(self, positions: np.ndarray) -> np.ndarray:
        """[3, 3 n]: omega x r for every joint."""
        x, y, z = (positions[-1] - positions[:-1]).T
        zero = np.zeros_like(x)
        blocks = np.array([[zero, z, -y], [-z, zero, x], [y, -x, zero]])  # [3, 3, n]
        return blocks.transpose(0, 2, 1).reshape(3, -1)

    def turn(self, step: np.ndarray) -> None:
        total = np.eye(3)
        for i, vector in enumerate(step.reshape(-1, 3)):
            total = total @ rotation(vector)
            self.directions[i] = total @ self.directions[i]
        if self.limit is not None:
            self.directions = clamp_cones(self.directions, self.limit)

    def copy(self) -> BallState:
        other = object.__new__(BallState)
        other.lengths, other.limit, other.directions = self.lengths, self.limit, self.directions.copy()
        return other

    def answer(self) -> tuple[np.ndarray, np.ndarray | None]:
        return self.directions, None


State = PlanarState | BallState


def rotation(vector: np.ndarray) -> np.ndarray:
    """Rotation matrix of a rotation vector (Rodrigues)."""
    angle = np.linalg.norm(vector)
    if angle < 1e-15:
        return np.eye(3)
    x, y, z = vector / angle
    cross = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)


def clamp_cones(directions: np.ndarray, limit: float) -> np.ndarray:
    """Every direction brought within the cone about the one before it, base to tip."""
    clamped = directions.copy()
    before = np.array((1.0, 0.0, 0.0))
    for i, direction in enumerate(directions):
        before = clamped[i] = clamp_cone(before, direction, limit)
    return clamped


def clamp_cone(axis: np.ndarray, direction: np.ndarray, limit: float) -> np.ndarray:
    """The unit direction, or the nearest one on the cone of half-angle `limit` about the axis."""
    cosine = axis @ direction
    aside = direction - cosine * axis
    sine = np.linalg.norm(aside)
    if sine == 0.0 or np.arctan2(sine, cosine) <= limit:
        return direction
    return np.cos(limit) * axis + np.sin(limit) / sine * aside


def shorten(vector: np.ndarray, longest: float) -> np.ndarray:
    length = np.linalg.norm(vector)
    return vector * (longest / length) if length > longest else vector


# The Jacobian methods: a step for the joints from the Jacobian [m, k] and the error [m].


def transpose_step(jacobian: np.ndarray, error: np.ndarray, reach: float) -> np.ndarray:
    """Wolovich & Elliott 1984, step length as in Buss 2004."""
    direction = jacobian.T @ error
    moved = jacobian @ direction
    alpha = np.clip(error @ moved / (moved @ moved + 1e-300), 0.0, GAMMA / reach**2)
    return alpha * direction


def pinv_step(jacobian: np.ndarray, error: np.ndarray, reach: float) -> np.ndarray:
    """Pseudo-inverse by SVD (Whitney 1969)."""
    return np.linalg.pinv(jacobian, rcond=1e-6) @ shorten(error, LARGEST_ERROR * reach)


def dls_step(jacobian: np.ndarray, error: np.ndarray, reach: float) -> np.ndarray:
    """Damped least squares (Wampler 1986), dual form."""
    square = jacobian @ jacobian.T + (DAMPING * reach) ** 2 * np.eye(len(error))
    return jacobian.T @ np.linalg.solve(square, shorten(error, LARGEST_ERROR * reach))


def sdls_step(jacobian: np.ndarray, error: np.ndarray, reach: float) -> np.ndarray:
    """Selectively damped least squares (Buss & Kim 2005), one end effector."""
    u, sigma, vt = np.linalg.svd(jacobian, full_matrices=False)
    reach_of_joint = np.linalg.norm(jacobian, axis=0)
    total = np.zeros(jacobian.shape[1])
    for i, value in enumerate(sigma):
        if value < 1e-12 * reach:
            continue
        bound = min(1.0, value / (np.abs(vt[i]) @ reach_of_joint)) * LARGEST_TURN
        total += shorten_max(vt[i] * (u[:, i] @ error) / value, bound)
    return shorten_max(total, LARGEST_TURN)


def shorten_max(vector: np.ndarray, largest: float) -> np.ndarray:
    top = np.max(np.abs(vector))
    return vector * (largest / top) if top > largest else vector


def jacobian_method(step: Callable[[np.ndarray, np.ndarray, float], np.ndarray]) -> Callable[..., Any]:
    def iterate(arm: Arm, state: State, target: np.ndarray) -> State:
        positions = state.positions()
        state.turn(step(state.jacobian(positions), target - positions[-1], arm.reach))
        return state

    return iterate


def newton(arm: Arm, state: State, target: np.ndarray) -> State:
    """Newton-Raphson: the full minimum-norm step, halved while the error grows."""
    positions = state.positions()
    error = target - positions[-1]
    step = np.linalg.lstsq(state.jacobian(positions), error, rcond=1e-6)[0]
    for _ in range(8):
        trial = state.copy()
        trial.turn(step)
        if np.linalg.norm(target - trial.positions()[-1]) < np.linalg.norm(error):
            return trial
        step = 0.5 * step
    return trial


def ccd(arm: Arm, state: State, target: np.ndarray) -> State:
    """Cyclic coordinate descent (Wang & Chen 1991): tip to base, each joint points the tip at the target."""
    positions = state.positions()
    for j in range(arm.size - 1, -1, -1):
        to_tip, to_target = positions[-1] - positions[j], target - positions[j]
        if isinstance(state, PlanarState):
            matrix = turn_hinge(state, j, to_tip, to_target)
        else:
            matrix = turn_ball(state, j, to_tip, to_target)
        positions[j + 1 :] = positions[j] + (positions[j + 1 :] - positions[j]) @ matrix.T
    return state


def turn_hinge(state: PlanarState, j: int, to_tip: np.ndarray, to_target: np.ndarray) -> np.ndarray:
    """Turn joint j toward the target, no further than its limit; returns the rotation [2, 2] made."""
    before = state.angles[j]
    turn = np.arctan2(to_tip[0] * to_target[1] - to_tip[1] * to_target[0], to_tip @ to_target)
    state.angles[j] = before + turn
    if state.limit is not None:
        state.angles[j] = min(max(state.angles[j], -state.limit), state.limit)
    c, s = np.cos(state.angles[j] - before), np.sin(state.angles[j] - before)
    return np.array(((c, -s), (s, c)))


def turn_ball(state: BallState, j: int, to_tip: np.ndarray, to_target: np.ndarray) -> np.ndarray:
    """Turn ball joint j toward the target, its link kept in its cone; returns the rotation [3, 3] made."""
    matrix = rotation_between(to_tip, to_target)
    if state.limit is not None:
        parent = state.directions[j - 1] if j > 0 else np.array((1.0, 0.0, 0.0))
        turned = matrix @ state.directions[j]
        allowed = clamp_cone(parent, turned, state.limit)
        matrix = rotation_between(turned, allowed) @ matrix
    state.directions[j:] = state.directions[j:] @ matrix.T
    return matrix


def rotation_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The smallest rotation that brings direction a onto direction b."""
    axis = np.cross(a, b)
    sine = np.linalg.norm(axis)
    if sine < 1e-15:
        return np.eye(3)
    return rotation(axis * (np.arctan2(sine, a @ b) / sine))


def fabrik(arm: Arm, positions: np.ndarray, target: np.ndarray) -> np.ndarray:
    """FABRIK (Aristidou & Lasenby 2011): backward from the target, then forward from the base."""
    lengths = arm.lengths
    base = positions[0].copy()
    positions[-1] = target
    for i in range(arm.size - 1, -1, -1):
        link = positions[i] - positions[i + 1]
        positions[i] = positions[i + 1] + link * (lengths[i] / np.linalg.norm(link))
    positions[0] = base
    for i in range(arm.size):
        link = positions[i + 1] - positions[i]
        positions[i + 1] = positions[i] + link * (lengths[i] / np.linalg.norm(link))
    return positions


class JointSession:
    """Runs a method that moves joints."""

    def __init__(self, arm: Arm, tolerance: float, iterate: Callable[..., Any]) -> None:
        self.arm = arm
        self.tolerance = tolerance
        self.iterate = iterate
        self.dimension = 2 if arm.planar else 3

    def prepare(self, problem: Problem) -> Any:
        kind = PlanarState if self.arm.planar else BallState
        return kind(self.arm, problem.start), problem.target[: self.dimension]

    def solve(self, prepared: Any) -> Any:
        state, target = prepared
        for iteration in range(BUDGET):
            if np.linalg.norm(target - state.positions()[-1]) <= self.tolerance:
                return state, iteration
            state = self.iterate(self.arm, state, target)
        return state, BUDGET

    def answer(self, prepared: Any, result: Any) -> Answer:
        directions, angles = result[0].answer()
        return Answer(directions=directions, angles=angles, iterations=result[1])

    def trace(self, problem: Problem, iterations: int) -> np.ndarray:
        """Errors [m] of every iteration, for the study of targets out of reach."""
        state, target = self.prepare(problem)
        errors = []
        for _ in range(iterations):
            state = self.iterate(self.arm, state, target)
            errors.append(np.linalg.norm(target - state.positions()[-1]))
        return np.array(errors)


class FabrikSession:
    """Runs FABRIK on joint positions; limits are clamped on the directions after each iteration."""

    def __init__(self, arm: Arm, tolerance: float) -> None:
        self.arm = arm
        self.tolerance = tolerance
        self.dimension = 2 if arm.planar else 3

    def prepare(self, problem: Problem) -> Any:
        return positions_from_directions(self.arm, problem.start)[:, : self.dimension], problem.target[
            : self.dimension
        ]

    def solve(self, prepared: Any) -> Any:
        positions, target = prepared
        if np.linalg.norm(target) > self.arm.reach:
            steps = np.concatenate(([0.0], np.cumsum(self.arm.lengths)))
            return steps[:, None] * (target / np.linalg.norm(target)), 1
        for iteration in range(BUDGET):
            if np.linalg.norm(target - positions[-1]) <= self.tolerance:
                return positions, iteration
            positions = fabrik(self.arm, positions, target)
            if self.arm.limit is not None:
                positions = self.clamp(positions)
        return positions, BUDGET

    def clamp(self, positions: np.ndarray) -> np.ndarray:
        directions = np.zeros((self.arm.size, 3))
        directions[:, : self.dimension] = np.diff(positions, axis=0) / np.asarray(self.arm.lengths)[:, None]
        directions = clamp_cones(directions, float(self.arm.limit or np.pi))
        return positions_from_directions(self.arm, directions)[:, : self.dimension]

    def answer(self, prepared: Any, result: Any) -> Answer:
        directions = np.zeros((self.arm.size, 3))
        directions[:, : self.dimension] = np.diff(result[0], axis=0) / np.asarray(self.arm.lengths)[:, None]
        return Answer(directions=directions, iterations=result[1])


STEPS: dict[str, Callable[..., Any]] = {
    "ccd": ccd,
    "jt": jacobian_method(transpose_step),
    "pinv": jacobian_method(pinv_step),
    "dls": jacobian_method(dls_step),
    "sdls": jacobian_method(sdls_step),
    "newton": newton,
}


class NumpyMethod(Peer):
    def __init__(self, method: str) -> None:
        self.name = f"numpy {method}"
        self.method = method
        self.version = np.__version__
        self.note = f"textbook form, {BUDGET} iterations"

    def open(self, arm: Arm, tolerance: float) -> Session | None:
        if self.method == "fabrik":
            return FabrikSession(arm, tolerance)
        return JointSession(arm, tolerance, STEPS[self.method])


def load() -> list[Peer]:
    return [NumpyMethod(name) for name in ("ccd", "fabrik", "jt", "pinv", "dls", "sdls", "newton")]
