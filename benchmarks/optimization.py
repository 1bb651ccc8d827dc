"""Derivatives by differences, by dual numbers and of answers; black boxes, costs of one's own, damping.

    python benchmarks/optimization.py                print everything, a few minutes
    python benchmarks/optimization.py --write        and store the tables in docs/optimization.md

The robots are limbik's presets, and configurations are drawn within their limits from a seed on which nothing
was tuned. Every answer is judged by the models' own kinematics.
"""

# ruff: noqa: E402  (what limbik reads of the environment is set before it is imported)

from __future__ import annotations

import os

os.environ.setdefault("LIMBIK_COMPILE", "first")  # nothing is timed while the compiler is at work
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the matrices are small

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))  # for a checkout that is not installed

import numpy as np
from scipy.optimize import least_squares

import limbik
import report
import tables
from limbik import JointKind, Model
from limbik.derivatives import METHODS, automatic_jacobian, numeric_jacobian
from limbik.solvers import DLS, Optimize
from limbik.solvers.methods.optimize import METHODS as OPTIMISERS
from limbik.solvers.nonlinear_least_squares import active_set, descend, reflective
from limbik.spatial import rotation_exp
from machine import progress, surroundings

SCRIPT = "benchmarks/optimization.py"
DOCUMENT = HERE.parent / "docs" / "optimization.md"
ROBOTS = [name for name in limbik.presets() if name != "planar-N"]
TOLERANCE = 1e-6
BUDGET = 500  # evaluations of one descent
REPEATS = 5  # the quickest counts


# --- Jacobians ----------------------------------------------------------------------------------------------


def forward_kinematics(model: Model) -> Callable[[Any], Any]:
    """The position of the end effector in plain NumPy, which passes complex and dual numbers through."""
    placed = [(joint, *_turning(joint)) for joint in model.path()]
    last = model.frame(model.end_effector).pose_link_frame

    def position(q: Any) -> Any:
        pose: Any = np.eye(4)
        for joint, sine, square in placed:
            pose = pose @ joint.origin
            if joint.nv:
                x = q[model.q_slice(joint.name).start]
                is_turning = joint.kind is not JointKind.PRISMATIC
                moved = np.sin(x) * sine + (1.0 - np.cos(x)) * square if is_turning else x * sine
                pose = pose @ (np.eye(4) + moved)
        return (pose @ last)[:3, 3]

    return position


def _turning(joint: Any) -> tuple[Any, Any]:
    """What sin(q) and 1 - cos(q) are multiplied by, or what q is for a prismatic joint."""
    K = np.zeros((4, 4))
    if joint.kind is JointKind.PRISMATIC:
        K[:3, 3] = joint.axis
        return K, K
    x, y, z = joint.axis
    K[:3, :3] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    return K, K @ K


def jacobians_table(options: argparse.Namespace) -> str:
    errors: dict[str, list[float]] = {method: [] for method in (*METHODS, "dual numbers")}
    for name in ROBOTS:
        progress(name)
        model = limbik.load(name)
        position = forward_kinematics(model)
        for q in model.random(options.seed, options.configurations):
            exact = model.jacobian(q)[:3]
            for method in METHODS:
                J = numeric_jacobian(position, q, method=method)
                errors[method].append(float(np.abs(J - exact).max()))
            errors["dual numbers"].append(float(np.abs(automatic_jacobian(position, q) - exact).max()))
    model = limbik.load("panda")
    position, q = forward_kinematics(model), model.random(options.seed)
    rows = []
    for method, found in errors.items():
        calls = 0

        def counted(at: Any) -> Any:
            nonlocal calls
            calls += 1
            return position(at)

        def jacobian(function: Any, by: str = method) -> Any:
            return (
                automatic_jacobian(function, q)
                if by == "dual numbers"
                else numeric_jacobian(function, q, method=by)
            )

        jacobian(counted)
        cells = (statistics.median(found), max(found), 1e6 * quickest(lambda: jacobian(position)))
        rows.append([method, *map(tables.number, cells[:2]), str(calls), tables.number(cells[2])])
    return report.table(["method", "error, median m/rad", "worst", "calls, panda", "time us"], rows)


def quickest(function: Callable[[], Any]) -> float:
    """[s] of one call."""
    times = []
    for _ in range(REPEATS * 10):
        began = time.perf_counter()
        function()
        times.append(time.perf_counter() - began)
    return min(times)


# --- black boxes --------------------------------------------------------------------------------------------


def black_boxes_table(options: argparse.Namespace) -> str:
    """One descent from the neutral configuration, without restarts: targets inside the limits and on them."""
    rows = []
    for engine in ("limbik", "reflective alone", "active set alone", "dogbox"):
        cells = [engine]
        for is_on_limits in (False, True):
            solved, steps, times = [], [], []
            for name in ROBOTS:
                progress(f"{engine} {name}")
                model = limbik.load(name)
                for k, q in enumerate(model.random(options.seed, options.targets)):
                    goal = on_limits(model, q, k) if is_on_limits else q
                    began = time.perf_counter()
                    is_met, count = descent(engine, model, goal)
                    times.append(time.perf_counter() - began)
                    solved.append(is_met)
                    steps.append(count)
            cells += [
                tables.percent(solved),
                tables.number(statistics.fmean(steps)),
                tables.number(1e3 * statistics.fmean(times)),
            ]
        rows.append(cells)
    header = ["engine"] + [
        f"{where} {what}" for where in ("inside,", "on limits,") for what in ("%", "steps", "ms")
    ]
    return report.table(header, rows)


def on_limits(model: Model, q: Any, k: int) -> Any:
    """q with every second joint at one of its limits."""
    chosen = (np.arange(model.nq) % 2 == k % 2) & np.isfinite(model.upper) & np.isfinite(model.lower)
    return np.where(chosen, model.upper if k % 4 < 2 else model.lower, q)


def descent(engine: str, model: Model, q: Any) -> tuple[bool, int]:
    """Whether the pose of q is met from the neutral configuration, and in how many steps."""
    target, bounds = model.pose(q)[:3], (model.lower, model.upper)

    def residual(at: Any) -> Any:
        return (model.pose(at)[:3] - target).ravel()

    def jacobian(at: Any) -> Any:
        rotation, J = model.pose(at)[:3, :3], model.jacobian(at)
        turned = np.cross(J[3:].T[:, None], rotation.T).transpose(2, 1, 0)
        return np.concatenate([turned, J[:3, None]], axis=1).reshape(12, -1)

    if engine == "dogbox":
        return by_dogbox(residual, jacobian, model.neutral, bounds)
    by = {"limbik": descend, "reflective alone": reflective, "active set alone": active_set}[engine]
    found = by(residual, jacobian, model.neutral, bounds, TOLERANCE, BUDGET)
    return found.largest <= TOLERANCE, found.steps


def by_dogbox(residual: Any, jacobian: Any, start: Any, bounds: Any) -> tuple[bool, int]:
    """SciPy's other method between bounds."""

    def stop(intermediate_result: Any) -> None:
        if np.abs(intermediate_result.fun).max() <= TOLERANCE:
            raise StopIteration

    ends = {"ftol": 1e-10, "xtol": 1e-15, "gtol": 1e-15, "max_nfev": BUDGET, "callback": stop}
    found = least_squares(residual, start, jacobian, bounds, "dogbox", **ends)
    return bool(np.abs(found.fun).max() <= TOLERANCE), int(found.nfev)


# --- costs --------------------------------------------------------------------------------------------------

COST_ROBOTS = ("panda", "iiwa14", "gen3", "xarm7")  # with a joint to spare


def optimisers_table(options: argparse.Namespace) -> str:
    """Poses from the neutral configuration, then from a solution with a cost: the elbow high."""
    solvers: list[tuple[str, Any]] = [("lm", lambda _: "lm")]
    for method in OPTIMISERS:
        solvers.append((method, lambda costs, method=method: Optimize(method=method, costs=costs)))
    costs: dict[str, list[float]] = {}
    rows = []
    for name, solver in solvers:
        plain = [
            solved(model, model.pose(q), solver(()), None)
            for model, q in drawn(ROBOTS, options.targets, options.seed)
        ]
        costly, costs[name] = [], []
        for model, q in drawn(COST_ROBOTS, options.targets, options.seed):
            elbow = model.frame_names[4]
            costly.append(solved(model, model.pose(q), solver((lambda _, f, e=elbow: -f[e][2, 3],)), q))
            costs[name].append(-float(model.pose(costly[-1][2], elbow)[2, 3]))
        gain = np.array(costs["lm"]) - np.array(costs[name])
        rows.append([name, *cells_of(plain), *cells_of(costly), tables.number(100.0 * float(gain.mean()))])
    header = ["method", *(f"poses {what}" for what in WHAT), *(f"with a cost {what}" for what in WHAT)]
    return report.table([*header, "elbow higher by cm"], rows)


WHAT = ("%", "iterations", "ms")


def drawn(names: Sequence[str], count: int, seed: int) -> Any:
    """Models and configurations to aim at."""
    for name in names:
        progress(name)
        model = limbik.load(name)
        for q in model.random(seed, count):
            yield model, q


def solved(model: Model, target: Any, solver: Any, start: Any) -> tuple[bool, int, Any, float]:
    """Whether it is solved by the model's own kinematics, in how many iterations, q, and the time [s]."""
    began = time.perf_counter()
    answer = model.solve(target, solver=solver, start=start)
    seconds = time.perf_counter() - began
    off = np.abs(model.pose(answer.q) - target).max()
    return bool(off <= 2e-6 and model.is_within_limits(answer.q)), answer.iterations, answer.q, seconds


def cells_of(answers: Sequence[tuple[bool, int, Any, float]]) -> list[str]:
    met, iterations, _, seconds = zip(*answers, strict=True)
    return [
        tables.percent(met),
        tables.number(statistics.median(iterations)),
        tables.number(1e3 * statistics.median(seconds)),
    ]


# --- derivatives of answers ---------------------------------------------------------------------------------

MOVED = 1e-4  # [m and rad] by which a target is moved, both ways
FINE = {"tolerance": 1e-10, "tolerance_rotation": 1e-10, "limits": False}
MANY = 1000  # configurations in a batch


def derivatives_table(options: argparse.Namespace) -> str:
    """`solution_jacobian` beside central differences of real solves from the same configuration."""
    rows = []
    for name in ("ur5e", "panda", "iiwa14", "gen3"):
        model = limbik.load(name)
        errors = [followed(model, q) for q in model.random(options.seed, options.configurations)]
        kept = [error for error in errors if error is not None]
        many = model.random(options.seed, MANY)
        one = 1e6 * quickest(lambda model=model, q=many[0]: limbik.solution_jacobian(model, q))
        each = 1e6 * quickest(lambda model=model, q=many: limbik.solution_jacobian(model, q)) / MANY
        found = [statistics.median(kept), float(np.percentile(kept, 95)), one, each]
        rows.append([name, str(model.nv), str(len(kept)), *map(tables.number, found)])
    header = [
        "robot",
        "joints",
        "configurations",
        "relative error, median",
        "95 % below",
        "one us",
        "of many us",
    ]
    return report.table(header, rows)


def followed(model: Model, q: Any) -> float | None:
    """The largest error of the derivative at q, as a part of its largest number; None where a solve fails."""
    pose, D = model.pose(q), limbik.solution_jacobian(model, q, limits=False)
    columns = []
    for twist in MOVED * np.eye(6):
        ends = [model.solve(after(pose, sign * twist), start=q, **FINE) for sign in (1.0, -1.0)]
        if not all(ends):
            return None
        columns.append((ends[0].q - ends[1].q) / (2.0 * MOVED))
    return float(np.abs(np.stack(columns, axis=1) - D).max() / np.abs(D).max())


def after(pose: Any, twist: Any) -> Any:
    """A pose after a twist of its origin, along the axes of the world."""
    moved = pose.copy()
    moved[:3, 3] += twist[:3]
    moved[:3, :3] = rotation_exp(twist[3:]) @ pose[:3, :3]
    return moved


# --- damping ------------------------------------------------------------------------------------------------

THRESHOLDS = (0.0, 0.001, 0.01, 0.05)


def damping_table(options: argparse.Namespace) -> str:
    """Poses from 0.1 rad away on every robot, and singular ones: a UR arm with its elbow straight."""
    rows = []
    for least in THRESHOLDS:
        solver = DLS(manipulability=least) if least else DLS()
        near = [
            solved(model, model.pose(q), solver, model.clip(q + 0.1))
            for model, q in drawn(ROBOTS, options.targets, options.seed)
        ]
        straight = []
        for model, q in drawn(("ur3e", "ur5e", "ur10e", "ur20"), 5 * options.targets, options.seed):
            q[2] = 0.0
            straight.append(solved(model, model.pose(q), solver, model.clip(q + 0.1)))
        name = f"from {least:g} on none" if least else "constant"
        rows.append([name, *cells_of(near)[:2], *cells_of(straight)[:2]])
    header = ["damping"] + [
        f"{where} {what}" for where in ("anywhere", "elbow straight") for what in WHAT[:2]
    ]
    return report.table(header, rows)


# --- all of it ----------------------------------------------------------------------------------------------


def machine(options: argparse.Namespace) -> str:
    return tables.facts({
        **surroundings(),
        "limbik": limbik.__version__,
        "problems": f"{len(ROBOTS)} robots, seed {options.seed}; {options.configurations} configurations for "
        f"derivatives, {options.targets} targets for solves, of each",
        "times": "of whole calls from Python, on one thread; of derivatives the quickest of many",
    })  # fmt: skip


def main(argv: Sequence[str] | None = None) -> None:
    parser = report.study_parser(__doc__, DOCUMENT)
    parser.add_argument("--configurations", type=int, default=50, help="of each robot (default 50)")
    parser.add_argument("--targets", type=int, default=10, help="of each robot (default 10)")
    options = parser.parse_args(argv)
    built = {
        "jacobians": jacobians_table(options),
        "black-boxes": black_boxes_table(options),
        "optimisers": optimisers_table(options),
        "derivatives": derivatives_table(options),
        "damping": damping_table(options),
        "machine": machine(options),
    }
    report.publish(DOCUMENT, SCRIPT, built, options.write)


if __name__ == "__main__":
    main()
