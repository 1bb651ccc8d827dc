"""The numbers of a plan for the fast core: a chain, what is asked and the settings, as `core.layout` lays them out."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from limbik.core.layout import SETTINGS, Layout
from limbik.core.seeds import FULL_TURN, Shape, Table
from limbik.core.step import Frame
from limbik.model.canonical import CanonicalChain
from limbik.spatial import Array, pose_inverse

UNBOUNDED = 1e9  # [rad or m] in the place of an infinite limit, so that nothing infinite is computed with
NO_WEIGHT = 1e30  # softness of a row that is not asked for


@dataclass(frozen=True, eq=False)
class Prepared:
    """A chain as the fast core takes it, with bounds of x that it may search."""

    chain: CanonicalChain
    shape: Shape
    rows: Array  # [n, 5] as in `core.step.Row`
    circular: np.ndarray  # [n] of bool
    lower: Array  # [n] of x for seeds: finite, and of one turn at most
    upper: Array

    @property
    def to_turntable(self) -> Array:
        """The pose [4, 4] of the first row's frame as seen from the turntable, the slides before it at 0."""
        pose = np.eye(4)
        for i in range(self.shape.turntable or 0):
            pose = pose @ _row_pose(*self.rows[i])
        return pose_inverse(pose)


def prepare(chain: CanonicalChain, use_limits: bool = True, keep_turns: bool = False) -> Prepared:
    """The chain for the fast core.

    A hinge that may turn all the way round is searched without limits, and whole turns are taken off at the end; with
    `keep_turns` only one that has no limits at all.
    """
    lower, upper = (chain.lower, chain.upper) if use_limits else _without_limits(chain)
    turns = math.inf if keep_turns else FULL_TURN - 1e-9
    circular = ~chain.is_slide & (upper - lower >= turns)
    middle = np.where(np.isfinite(lower + upper), 0.5 * (lower + upper), chain.offset)
    reach = _stretch(chain)
    low = np.where(circular, middle - math.pi, np.where(np.isfinite(lower), lower, chain.offset - reach))
    high = np.where(circular, middle + math.pi, np.where(np.isfinite(upper), upper, chain.offset + reach))
    rows = np.stack([chain.d, chain.a, chain.cos_alpha, chain.sin_alpha, chain.theta], axis=1)
    return Prepared(chain, _shape(chain), rows, circular, low, high)


def table_frame(prepared: Prepared) -> Frame:
    """The first row's frame as seen from the turntable, for `core.seeds.build`."""
    pose = prepared.to_turntable.tolist()
    return Frame(*([pose[row][column] for row in range(3)] for column in range(4)))


def plan_numbers(
    prepared: Prepared,
    table: Table | None,
    *,
    rows: Array,
    weights: Array,
    axes: Array,
    use_limits: bool,
    settings: dict[str, float],
) -> Array:
    """The plan as the kernels take it. rows, weights [6], axes [3] as in `core.step.Asked`."""
    chain, shape = prepared.chain, prepared.shape
    lower, upper = (chain.lower, chain.upper) if use_limits else _without_limits(chain)
    bounds = np.where(prepared.circular, -UNBOUNDED, lower), np.where(prepared.circular, UNBOUNDED, upper)
    softness = np.where(weights > 0.0, 1.0 / np.maximum(weights, 1e-12) ** 2, NO_WEIGHT)
    ends = [shape.turntable or 0, shape.n - 1 if shape.spinner is None else shape.spinner]
    low, high = prepared.lower[ends], prepared.upper[ends]
    grid = np.zeros(6) if table is None else np.concatenate([table.origin, table.scale])
    parts = {
        "STEP": (
            prepared.rows.ravel(), *np.clip(bounds, -UNBOUNDED, UNBOUNDED), rows, weights, softness, axes,
            [4.0 - axes.sum()],
        ),
        "BASE": (pose_inverse(chain.base)[:3].ravel(),),
        "TOOL": (chain.tool[:3, :3].ravel(),),
        "TABLE": (prepared.to_turntable[:3].ravel(),),
        "OFFSET": (chain.offset,),
        "Q_LOWER": (lower - chain.offset,),
        "Q_UPPER": (upper - chain.offset,),
        "SEED_LOWER": (prepared.lower,),
        "SEED_UPPER": (prepared.upper,),
        "CIRCULAR": (prepared.circular,),
        "GRID": (chain.d[-1:], chain.a[-1:], grid, low, 0.5 * (low + high), high),
        "SETTINGS": ([settings[name] for name in SETTINGS],),
    }  # fmt: skip
    numbers = np.zeros(Layout(shape).places["SIZE"])
    for name, values in parts.items():
        part = np.concatenate([np.asarray(value, dtype=np.float64) for value in values])
        at = Layout(shape).places[name]
        numbers[at : at + part.size] = part
    return numbers


def _shape(chain: CanonicalChain) -> Shape:
    kinds = "".join("P" if is_slide else "R" for is_slide in chain.is_slide)
    first = kinds.find("R")
    parallel = first >= 0 and bool((np.abs(chain.sin_alpha[:first]) == 0.0).all())
    return Shape(kinds, first if parallel else None)


def _without_limits(chain: CanonicalChain) -> tuple[Array, Array]:
    moving = chain.joints >= 0
    return np.where(moving, -math.inf, chain.lower), np.where(moving, math.inf, chain.upper)


def _stretch(chain: CanonicalChain) -> float:
    """[m] a length of the arm's size, for slides without limits."""
    return float(np.abs(chain.d).sum() + np.abs(chain.a).sum()) or 1.0


def _row_pose(d: float, a: float, cos_alpha: float, sin_alpha: float, theta: float) -> Array:
    c, s = math.cos(theta), math.sin(theta)
    return np.array(
        [
            [c, -s * cos_alpha, s * sin_alpha, a * c],
            [s, c * cos_alpha, -c * sin_alpha, a * s],
            [0.0, sin_alpha, cos_alpha, d],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )
