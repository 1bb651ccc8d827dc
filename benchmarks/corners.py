"""Goals that only joints at their limits reach: how many of them are missed by the default budget.

    python benchmarks/corners.py [--arms 200] [--goals 300] [--write]

The arms are random: five to nine revolute and prismatic joints about and along any axes, many of which can
hardly move. A goal is the pose at a corner of the box of limits, or where three of ten joints stand at one.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import limbik
import report
import tables
from limbik import Model, ModelBuilder
from machine import progress, surroundings

SCRIPT = "benchmarks/corners.py"
DOCUMENT = Path(__file__).parents[1] / "docs" / "performance.md"
SHARES = {"all joints at their limits": 1.0, "three of ten joints at their limits": 0.3}
ANGLES = (1e-3, 0.1, 1.0, 2.0, 4.0, 6.0)  # [rad] that a revolute joint can turn
LENGTHS = (1e-3, 0.05, 0.5)  # [m] that a prismatic joint can go


def random_arm(rng: np.random.Generator) -> Model:
    """An arm of five to nine joints."""
    builder = ModelBuilder("random")
    for k in range(rng.integers(5, 10)):
        axis = np.eye(3)[rng.integers(3)] if rng.random() < 0.5 else rng.normal(size=3)
        origin = rng.uniform(-0.3, 0.3, 3) * (rng.random(3) < 0.6)
        is_prismatic, middle = rng.random() < 0.12, rng.uniform(-1.0, 1.0)
        half = 0.5 * rng.choice(LENGTHS if is_prismatic else ANGLES)
        add = builder.prismatic if is_prismatic else builder.revolute
        add(f"joint{k}", axis=axis, origin=origin, limits=(middle - half, middle + half))
    tool = np.eye(4)
    tool[:3, 3] = rng.uniform(-0.2, 0.2, 3)
    return builder.frame("tool", pose=tool).build(end_effector="tool")


def configurations(model: Model, rng: np.random.Generator, count: int, share: float) -> np.ndarray:
    """Configurations [count, nq] of which a share of the joints stand at a limit."""
    q = model.random(rng, size=count)
    limit = np.where(rng.random(q.shape) < 0.5, model.lower, model.upper)
    return np.where((rng.random(q.shape) < share) & np.isfinite(limit), limit, q)


def row(name: str, models: Sequence[Model], options: argparse.Namespace, share: float) -> list[str]:
    """How many goals of some models are missed, and the iterations."""
    iterations, missed = [], 0
    for k, model in enumerate(models):
        rng = np.random.default_rng((options.seed, k))
        solution = limbik.solve_batch(model, model.pose(configurations(model, rng, options.goals, share)))
        missed += int((~solution.success).sum())
        iterations.append(solution.iterations)
    count = np.concatenate(iterations)
    return [name, f"{count.size:,}", f"{missed:,}", f"{count.mean():.1f}", f"{np.percentile(count, 99):.0f}"]


def machine() -> str:
    """When and on what it ran."""
    versions = f"limbik {limbik.__version__}, Python {platform.python_version()}, numpy {np.__version__}"
    return tables.facts({**surroundings(), "versions": versions})


def main(argv: Sequence[str] | None = None) -> None:
    """Print the tables; with --write store them."""
    parser = report.study_parser(__doc__, DOCUMENT)
    parser.add_argument("--arms", type=int, default=200, help="random ones (default 200)")
    parser.add_argument("--goals", type=int, default=300, help="for each arm and kind (default 300)")
    options = parser.parse_args(argv)
    known = [limbik.load(name) for name in limbik.presets() if name != "planar-N"]
    kinds = {
        "robots that come with limbik": [model for model in known if model.nq > 5],
        "random arms": [random_arm(np.random.default_rng((options.seed, k))) for k in range(options.arms)],
    }
    rows = []
    for kind, models in kinds.items():
        for name, share in SHARES.items():
            progress(f"{kind}, {name}")
            rows.append(row(f"{kind}, {name}", models, options, share))
    header = ["goals of", "goals", "missed", "iterations mean", "99th percentile"]
    missed = report.table(header, rows)
    report.publish(DOCUMENT, SCRIPT, {"missed": missed, "machine": machine()}, options.write)


if __name__ == "__main__":
    main()
