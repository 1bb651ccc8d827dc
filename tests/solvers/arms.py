"""The arms that the tests of the solvers share, and what is true of every solution."""

import math

import numpy as np
from scipy.spatial.transform import Rotation

import limbik
from limbik import Model, ModelBuilder, Solution, Status

SOLVERS = ("ccd", "fabrik", "jt", "pinv", "dls", "sdls", "newton", "lm")
IN_SPACE = tuple(name for name in SOLVERS if name != "fabrik")  # can move any chain
TURNING = ("jt", "pinv", "dls", "sdls", "newton", "lm")  # can turn a frame to a rotation
ROBOTS = ("panda", "ur5e", "iiwa14", "puma560")


def pose(x: float = 0.0, y: float = 0.0, z: float = 0.0, turn: Rotation | None = None) -> np.ndarray:
    """A 4x4 pose."""
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    if turn is not None:
        matrix[:3, :3] = turn.as_matrix()
    return matrix


def hinge_arm(links: int = 6, limits: tuple[float, float] | None = None) -> Model:
    """Unit links along x on revolute joints about z, y, z, y, ...; the first two meet, so that it points
    anywhere.
    """
    builder = ModelBuilder("hinges")
    for k in range(links + 1):
        place = (0.0 if k < 2 else 1.0, 0.0, 0.0)
        builder = builder.revolute(f"joint{k}", axis="zy"[k % 2], origin=place, limits=limits)
    return builder.frame("tip", link=f"joint{links}", pose=pose(1.0)).build(end_effector="tip")


def branching_tree() -> Model:
    """A trunk that carries two arms: its joints stand before, between and after those of the arm "right"."""
    return (
        ModelBuilder("tree")
        .revolute("head", parent="base", axis="x", limits=(-0.5, 0.5))
        .prismatic("lift", parent="base", axis="z", limits=(0.0, 0.4))
        .revolute("left1", parent="lift", axis="z", origin=(0.0, 0.2, 0.5), limits=(-2.0, 2.0))
        .revolute("right1", parent="lift", axis="z", origin=(0.0, -0.2, 0.5), limits=(-2.0, 2.0))
        .ball("left2", parent="left1", origin=(0.3, 0.0, 0.0), axis="x", swing=1.0)
        .ball("right2", parent="right1", origin=(0.3, 0.0, 0.0), axis="x", swing=1.0, twist=(-0.7, 0.7))
        .fixed("hand", parent="right2", origin=pose(0.3, 0.0, 0.0, Rotation.from_rotvec([0.2, 0.1, 0.0])))
        .continuous("drill", parent="hand", axis="x", origin=(0.05, 0.0, 0.0))
        .frame("left", link="left2", pose=pose(0.3))
        .frame("elbow", link="right2")
        .frame("right", link="hand", pose=pose(0.1, 0.02, 0.0))
        .build(end_effector="right")
    )


def distance(model: Model, q: np.ndarray, point: np.ndarray, frame: str | None = None) -> np.ndarray:
    """How far a frame's origin is from a point [m], by the model's own kinematics."""
    return np.linalg.norm(model.pose(q, frame)[..., :3, 3] - point, axis=-1)


def angle(model: Model, q: np.ndarray, rotation: np.ndarray, frame: str | None = None) -> float:
    """The angle between a frame and a rotation [rad], by the model's own kinematics."""
    between = model.pose(q, frame)[:3, :3].T @ rotation
    return float(Rotation.from_matrix(between).magnitude())


def assert_true(
    model: Model,
    solution: Solution,
    *,
    point: np.ndarray | None = None,
    rotation: np.ndarray | None = None,
    frame: str | None = None,
    tolerance: float = 1e-6,
    limits: bool = True,
) -> None:
    """All that a solution says holds for its configuration."""
    q = solution.q
    assert q.shape == (model.nq,)
    assert np.isfinite(q).all()
    assert not limits or model.is_within_limits(q)
    assert solution.success == bool(solution) == (solution.ended is Status.SOLVED)
    rounding = 1e-11 * length_scale(model, q, point)
    error = error_rotation = 0.0
    if point is not None:
        error = distance(model, q, point, frame)
    if rotation is not None:
        error_rotation = angle(model, q, rotation, frame)
    assert abs(solution.error - error) <= rounding
    assert abs(solution.error_rotation - error_rotation) <= 1e-7
    is_met = solution.error <= tolerance and solution.error_rotation <= tolerance * (1.0 + 1e-12)
    assert solution.success == is_met


def length_scale(model: Model, q: np.ndarray, point: np.ndarray | None = None) -> float:
    """The largest coordinate [m] that takes part, for bounds on rounding."""
    farthest = np.abs(model.forward(q)[..., :3, 3]).max()
    return float(farthest + (0.0 if point is None else np.abs(point).max()))


def directions(count: int, seed: int, is_flat: bool) -> np.ndarray:
    """Random unit vectors [count, 3]; flat ones lie in the x-y plane."""
    vectors = np.random.default_rng(seed).normal(size=(count, 3))
    vectors[:, 2] *= not is_flat
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def arms(links: int = 6) -> dict[str, Model]:
    """One arm of unit links for each kind of chain, straight along x at its neutral configuration."""
    return {
        "planar": limbik.planar_arm(links, 1.0),
        "ball": limbik.ball_arm([1.0] * links),
        "hinges": hinge_arm(links),
    }


ARMS = arms()
CASES = [(kind, solver) for kind in ARMS for solver in (IN_SPACE if kind == "hinges" else SOLVERS)]
IN_THE_FAST_CORE = (("hinges", "lm"), ("planar", "lm"))
SIXTY_DEGREES = math.pi / 3.0
