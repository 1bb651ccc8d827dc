"""Scales a chain of up to 12 joints to units of its length, chooses bounds to search, and packs it with its
limits and a goal's weights for the fast core.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from limbik.model.canonical import LOCKED, CanonicalChain, canonical, row_pose
from limbik.model.chain import Chain
from limbik.model.joints import JointKind
from limbik.serial.layout import SETTINGS, Layout
from limbik.serial.seed_table import FULL_TURN, SeedTable, Shape
from limbik.serial.step import JointFrame
from limbik.spatial import Array, pose_inverse

MAX_ROWS = 12
FAST_CHAIN = (
    f"a chain of up to {MAX_ROWS} revolute and prismatic joints (a pair of nearly parallel axes counts for "
    "one more)"
)
FARTHEST_TRAVEL = 1e3  # [lengths] of a prismatic joint without limits; limits beyond it count as none
UNBOUNDED = 1e9  # instead of an infinite limit, so that nothing infinite is computed with
NO_WEIGHT = 1e30  # softness of a row that is not requested


def is_fast(chain: Chain) -> bool:
    """Whether the fast core takes a chain."""
    slides_and_hinges = all(joint.kind is not JointKind.BALL for joint in chain.joints)
    return slides_and_hinges and 0 < len(chain.joints) <= MAX_ROWS and canonical(chain).size <= MAX_ROWS


@dataclass(frozen=True, eq=False)
class Prepared:
    """A chain as the fast core takes it, with bounds of x that it may search."""

    chain: CanonicalChain
    shape: Shape
    length: float  # [m] the unit of length of all that follows
    rows: Array  # [n, 5] as in `serial.step.Row`
    scale: Array  # [n] x = scale q + offset
    offset: Array  # [n]
    circular: np.ndarray  # [n] of bool
    lower: Array  # [n] of x for seeds: finite, and of one turn at most
    upper: Array

    @property
    def to_base_yaw(self) -> Array:
        """The pose [4, 4] of the first row's frame as seen from the base yaw joint, the prismatic joints
        before it at 0.
        """
        pose = np.eye(4)
        for i in range(self.shape.base_yaw or 0):
            pose = pose @ row_pose(0.0, *self.rows[i, 1:])
        return pose_inverse(pose)


def prepare(
    chain: CanonicalChain, length: float = 1.0, use_limits: bool = True, keep_windings: bool = False
) -> Prepared:
    """The chain for the fast core, in units of a length [m] of the arm's size.

    A revolute joint that may turn all the way round is searched without limits, and revolutions are taken off
    at the end; with `keep_windings` only one that has no limits at all.
    """
    q_lower, q_upper = _limits(chain, use_limits)
    far = np.where(chain.is_prismatic, FARTHEST_TRAVEL * length, math.inf)
    q_lower = np.where(q_lower < -far, -math.inf, q_lower)
    q_upper = np.where(q_upper > far, math.inf, q_upper)
    travel = _travel(chain, q_lower, q_upper, length)
    scale = np.where(chain.is_prismatic, 1.0 / (travel * length), 1.0)
    offset = scale * chain.offset
    lower, upper = scale * q_lower + offset, scale * q_upper + offset
    max_winding = math.inf if keep_windings else FULL_TURN - 1e-12
    circular = ~chain.is_prismatic & (upper - lower >= max_winding)
    stretch = np.where(chain.is_prismatic, 2.0 / travel, math.pi)
    low, high = _finite_bounds(lower, upper, offset, stretch)
    middle = 0.5 * (low + high)
    low, high = np.where(circular, middle - math.pi, low), np.where(circular, middle + math.pi, high)
    d = np.where(chain.is_prismatic, travel, chain.d / length)
    rows = np.stack([d, chain.a / length, chain.cos_alpha, chain.sin_alpha, chain.theta], axis=1)
    return Prepared(chain, _shape(chain), length, rows, scale, offset, circular, low, high)


def _travel(chain: CanonicalChain, lower: Array, upper: Array, length: float) -> Array:
    """How far a prismatic joint may be moved in one step [lengths]: half its range, or as good as any
    distance.
    """
    half = 0.5 * (upper - lower) / length
    return np.where(chain.is_prismatic & np.isfinite(half), np.maximum(half, 1.0), FARTHEST_TRAVEL)


def _finite_bounds(lower: Array, upper: Array, zero: Array, stretch: Array) -> tuple[Array, Array]:
    """Bounds to be searched: the limits; twice `stretch` from the only one; or `stretch` around zero."""
    has_lower, has_upper = np.isfinite(lower), np.isfinite(upper)
    from_upper = np.where(has_upper, upper - 2.0 * stretch, zero - stretch)
    low = np.where(has_lower, lower, from_upper)
    return low, np.where(has_upper, upper, low + 2.0 * stretch)


def table_frame(prepared: Prepared) -> JointFrame:
    """The first row's frame as seen from the base yaw joint, for `serial.seed_table.build`."""
    pose = prepared.to_base_yaw.tolist()
    return JointFrame(*([pose[row][column] for row in range(3)] for column in range(4)))


def plan_numbers(
    prepared: Prepared,
    table: SeedTable | None,
    *,
    rows: Array,
    weights: Array,
    axes: Array,
    use_limits: bool,
    settings: dict[str, float],
) -> Array:
    """The plan as the kernels take it. rows, weights [6], axes [3] as in `serial.step.Objective`."""
    chain, shape = prepared.chain, prepared.shape
    q_lower, q_upper = _limits(chain, use_limits)
    lower = np.where(prepared.circular, -UNBOUNDED, prepared.scale * q_lower + prepared.offset)
    upper = np.where(prepared.circular, UNBOUNDED, prepared.scale * q_upper + prepared.offset)
    inverse_weights = np.where(weights > 0.0, 1.0 / np.maximum(weights, 1e-12) ** 2, NO_WEIGHT)
    ends = [shape.base_yaw or 0, shape.n - 1 if shape.tool_roll is None else shape.tool_roll]
    low, high = prepared.lower[ends], prepared.upper[ends]
    grid = np.zeros(6) if table is None else np.concatenate([table.origin, table.scale])
    parts = {
        "STEP": (
            prepared.rows.ravel(), *np.clip((lower, upper), -UNBOUNDED, UNBOUNDED), rows, weights,
            inverse_weights, axes, [4.0 - axes.sum()],
        ),
        "BASE": (pose_inverse(chain.base)[:3].ravel(),),
        "TOOL": (chain.tool[:3, :3].ravel(),),
        "TABLE": (prepared.to_base_yaw[:3].ravel(),),
        "LENGTH": ([1.0 / prepared.length],),
        "SCALE": (prepared.scale,),
        "OFFSET": (prepared.offset,),
        "Q_LOWER": (q_lower,),
        "Q_UPPER": (q_upper,),
        "SEED_LOWER": (prepared.lower,),
        "SEED_UPPER": (prepared.upper,),
        "CIRCULAR": (prepared.circular,),
        "GRID": (prepared.rows[-1, :2], grid, low, 0.5 * (low + high), high),
        "SETTINGS": ([settings[name] for name in SETTINGS],),
    }  # fmt: skip
    offsets = Layout(shape).offsets
    numbers = np.zeros(offsets["SIZE"])
    for name, values in parts.items():
        part = np.concatenate([np.asarray(value, dtype=np.float64) for value in values])
        numbers[offsets[name] : offsets[name] + part.size] = part
    return numbers


def _shape(chain: CanonicalChain) -> Shape:
    kinds = "".join("P" if is_prismatic else "R" for is_prismatic in chain.is_prismatic)
    first = kinds.find("R")
    parallel = first >= 0 and bool((np.abs(chain.sin_alpha[:first]) == 0.0).all())
    return Shape(kinds, first if parallel else None)


def _limits(chain: CanonicalChain, use_limits: bool) -> tuple[Array, Array]:
    """Bounds of q."""
    if use_limits:
        return chain.q_lower, chain.q_upper
    free = np.where(chain.joints == LOCKED, 0.0, math.inf)
    return -free, free
