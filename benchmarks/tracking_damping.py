"""The damping of limbik's Tracker made otherwise: errors and travel on the paths of `tracking.py`.

    python benchmarks/tracking_damping.py                    print the table, about two minutes
    python benchmarks/tracking_damping.py --write            and store it in docs/tracking.md

Runs interpreted, with another rule in the place of `motion.step.damping_for`: these are no times.
"""

# ruff: noqa: E402  (limbik may stand beside this folder)

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))  # for a checkout that is not installed

import numpy as np

import limbik
import report
import tables
from limbik.compiler.call import Call
from limbik.compiler.kernel import Primitive
from limbik.compiler.program import Program
from limbik.motion.step import MIN_DAMPING, track
from tracking_scenes import DT, VELOCITY, Scene, scenes

SCRIPT = "benchmarks/tracking_damping.py"
DOCUMENT = HERE.parent / "docs" / "tracking.md"
PATHS = ("circle", "out of reach and back", "line through a singularity")
LOW = 0.02  # manipulability under which Nakamura & Hanafusa damp
MAX = 4e-3  # and how much at a singular configuration

Rule = Callable[[np.ndarray, np.ndarray], float]  # of the residuals [rows] and the Jacobian [rows, nv]


def nakamura_hanafusa(residuals: np.ndarray, J: np.ndarray) -> float:
    """By the manipulability (Nakamura & Hanafusa 1986)."""
    measure = math.sqrt(max(float(np.linalg.det(J @ J.T)), 0.0))
    return MAX * max(1.0 - measure / LOW, 0.0) ** 2


RULES: dict[str, Rule] = {
    "0.15 of the residual (as built)": lambda residuals, J: 0.15 * math.sqrt(residuals @ residuals),
    "0.05 of it": lambda residuals, J: 0.05 * math.sqrt(residuals @ residuals),
    "0.5 of it": lambda residuals, J: 0.5 * math.sqrt(residuals @ residuals),
    "0.03 of its square (Sugihara 2011)": lambda residuals, J: 0.03 * (residuals @ residuals),
    "by manipulability (Nakamura & Hanafusa 1986)": nakamura_hanafusa,
    "none": lambda residuals, J: 0.0,
}


def followed(scene: Scene, rule: Rule, velocity: float | None) -> tuple[float, float, float]:
    """Root mean square and last error of the position [mm], and how far all joints have turned [rad]."""
    limits = math.inf if velocity is None else velocity
    tracker: Any = limbik.Tracker(
        scene.body.model, scene.path[0][0], DT, start=scene.start, velocity_limits=limits
    )
    J = tracker._workspace.J
    damping = Primitive(lambda residuals: rule(residuals, J) + MIN_DAMPING)
    program = Program(name="tracker", kernel=track.bind(damping_for=damping))
    tracker._call.run = Call(program, *tracker._call._arguments.values()).interpret
    configurations = np.array([scene.start, *(tracker.step(wanted[0]) for wanted in scene.path)])
    places = scene.body.model.pose(configurations[1:])[:, :3, 3]
    off = 1e3 * np.linalg.norm(places - [wanted[0, :3, 3] for wanted in scene.path], axis=1)
    travel = float(np.abs(np.diff(configurations, axis=0)).sum())
    return float(np.sqrt(np.mean(off**2))), float(off[-1]), travel


def main() -> None:
    options = report.study_parser(__doc__, DOCUMENT).parse_args()
    header = ["robot, path", "damping", "limit [rad/s]", "error rms [mm]", "at the end", "joint travel [rad]"]
    lines = []
    for scene in scenes(["panda", "ur5e"]):
        if scene.name not in PATHS:
            continue
        for velocity in (VELOCITY, None) if scene.name == PATHS[1] else (VELOCITY,):
            for name, rule in RULES.items():
                found = followed(scene, rule, velocity)
                limit = "none" if velocity is None else f"{velocity:g}"
                figures = [f"{x:.1e}" if x < 0.01 else tables.number(x) for x in found]
                lines.append([f"{scene.body.name}, {scene.name}", name, limit, *figures])
    report.publish(DOCUMENT, SCRIPT, {"rules": report.table(header, lines)}, options.write)


if __name__ == "__main__":
    main()
