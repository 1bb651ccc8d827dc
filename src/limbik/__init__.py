"""limbik: inverse kinematics to see, to use and to scale.

import limbik

arm = limbik.planar_arm(links=3, length=0.5)
solution = arm.solve([0.7, 0.6, 0.0])
"""

import importlib
from typing import TYPE_CHECKING, Any

from limbik import errors
from limbik._version import __version__
from limbik.diagnosis import Diagnosis
from limbik.formats import load
from limbik.goals import (
    CenterOfMass,
    Direction,
    DistanceBetween,
    Goal,
    JointValue,
    LookAt,
    Orientation,
    PointOnLine,
    PointOnPlane,
    Pose,
    Position,
    Posture,
    Relative,
)
from limbik.joint_path import Break as PathBreak
from limbik.joint_path import BreakReason, Path, TooFast
from limbik.model import (
    EulerLimits,
    Frame,
    Joint,
    JointKind,
    Mass,
    Mimic,
    Model,
    ModelBuilder,
    ball_arm,
    planar_arm,
)
from limbik.model.presets import presets
from limbik.solution import BatchSolution, Iterate, Solution, Trace
from limbik.status import Status

if TYPE_CHECKING:
    from limbik import collision, motion, scale, solvers
    from limbik.all_solutions.result import AllSolutions, AllSolutionsBatch, FreeMotion
    from limbik.derivatives import automatic_jacobian, numeric_jacobian
    from limbik.formats.markers import Markers, load_markers
    from limbik.formats.motions import Motion, load_motion
    from limbik.formats.registry import robots
    from limbik.motion import Tracker
    from limbik.motion.body.humanoid import Humanoid, humanoid
    from limbik.motion.paths import solve_path
    from limbik.motion.task_space import arc, circle, polyline, straight_line
    from limbik.scene import Branch, Scene, SceneArm, load_scene
    from limbik.solvers import (
        cost_gradient,
        iterate,
        nullspace,
        solution_jacobian,
        solve,
        solve_all,
        solve_all_batch,
        solve_batch,
        solve_function,
        trace,
    )
    from limbik.solvers.function import FunctionSolution
    from limbik.warmup_tasks import warmup

# What is imported when it is used, by where it is: models and goals are a third of the time that all took.
_LATER = {
    "limbik.all_solutions.result": ("AllSolutions", "AllSolutionsBatch", "FreeMotion"),
    "limbik.derivatives": ("automatic_jacobian", "numeric_jacobian"),
    "limbik.formats.markers": ("Markers", "load_markers"),
    "limbik.formats.motions": ("Motion", "load_motion"),
    "limbik.formats.registry": ("robots",),
    "limbik.motion": ("Tracker",),
    "limbik.motion.body.humanoid": ("Humanoid", "humanoid"),
    "limbik.motion.paths": ("solve_path",),
    "limbik.motion.task_space": ("arc", "circle", "polyline", "straight_line"),
    "limbik.scene": ("Branch", "Scene", "SceneArm", "load_scene"),
    "limbik.solvers": (
        *("cost_gradient", "iterate", "nullspace", "solution_jacobian", "solve", "solve_all"),
        *("solve_all_batch", "solve_batch", "solve_function", "trace"),
    ),
    "limbik.solvers.function": ("FunctionSolution",),
    "limbik.warmup_tasks": ("warmup",),
}
_MODULES = "collision", "derivatives", "motion", "scale", "scene", "solvers"


if not TYPE_CHECKING:  # which else would take any name

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            return importlib.import_module(f"{__name__}.{name}")
        for module, names in _LATER.items():
            if name in names:
                value = globals()[name] = getattr(importlib.import_module(module), name)
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "AllSolutions",
    "AllSolutionsBatch",
    "BatchSolution",
    "Branch",
    "BreakReason",
    "CenterOfMass",
    "Diagnosis",
    "Direction",
    "DistanceBetween",
    "EulerLimits",
    "Frame",
    "FreeMotion",
    "FunctionSolution",
    "Goal",
    "Humanoid",
    "Iterate",
    "Joint",
    "JointKind",
    "JointValue",
    "LookAt",
    "Markers",
    "Mass",
    "Mimic",
    "Model",
    "ModelBuilder",
    "Motion",
    "Orientation",
    "Path",
    "PathBreak",
    "PointOnLine",
    "PointOnPlane",
    "Pose",
    "Position",
    "Posture",
    "Relative",
    "Scene",
    "SceneArm",
    "Solution",
    "Status",
    "TooFast",
    "Trace",
    "Tracker",
    "__version__",
    "arc",
    "automatic_jacobian",
    "ball_arm",
    "circle",
    "collision",
    "cost_gradient",
    "errors",
    "humanoid",
    "iterate",
    "load",
    "load_markers",
    "load_motion",
    "load_scene",
    "motion",
    "nullspace",
    "numeric_jacobian",
    "planar_arm",
    "polyline",
    "presets",
    "robots",
    "scale",
    "solution_jacobian",
    "solve",
    "solve_all",
    "solve_all_batch",
    "solve_batch",
    "solve_function",
    "solve_path",
    "solvers",
    "straight_line",
    "trace",
    "warmup",
]
