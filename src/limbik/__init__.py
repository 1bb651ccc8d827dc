"""limbik: inverse kinematics to see, to use and to scale.

import limbik

arm = limbik.planar_arm(links=3, length=0.5)
solution = arm.solve([0.7, 0.6, 0.0])
"""

import importlib.util
import threading
from typing import TYPE_CHECKING, Any

from limbik._version import __version__
from limbik.locks import fork_safe

if TYPE_CHECKING:
    from limbik import collision, errors, motion, scale, solvers
    from limbik.all_solutions.result import AllSolutions, AllSolutionsBatch, FreeMotion
    from limbik.derivatives import automatic_jacobian, numeric_jacobian
    from limbik.diagnosis import Diagnosis
    from limbik.formats.load import load
    from limbik.formats.markers import Markers, load_markers
    from limbik.formats.motions import Motion, load_motion
    from limbik.formats.registry import robots
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
    from limbik.motion import Tracker
    from limbik.motion.body.humanoid import Humanoid, humanoid
    from limbik.motion.paths import solve_path
    from limbik.motion.task_space import arc, circle, polyline, straight_line
    from limbik.scene import Branch, Scene, SceneArm, load_scene
    from limbik.solution import BatchSolution, Iterate, Solution, Trace
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
    from limbik.status import Status
    from limbik.warmup_tasks import warmup

# All is imported when it is used, by where it is: the command answers Ctrl-C from its first line on, and who
# needs the version alone does not wait.
_NAMES = {
    "limbik.all_solutions.result": ("AllSolutions", "AllSolutionsBatch", "FreeMotion"),
    "limbik.derivatives": ("automatic_jacobian", "numeric_jacobian"),
    "limbik.diagnosis": ("Diagnosis",),
    "limbik.formats.load": ("load",),
    "limbik.formats.markers": ("Markers", "load_markers"),
    "limbik.formats.motions": ("Motion", "load_motion"),
    "limbik.formats.registry": ("robots",),
    "limbik.goals": (
        *("CenterOfMass", "Direction", "DistanceBetween", "Goal", "JointValue", "LookAt", "Orientation"),
        *("PointOnLine", "PointOnPlane", "Pose", "Position", "Posture", "Relative"),
    ),
    "limbik.joint_path": ("BreakReason", "Path", "PathBreak", "TooFast"),
    "limbik.model": (
        *("EulerLimits", "Frame", "Joint", "JointKind", "Mass", "Mimic", "Model", "ModelBuilder"),
        *("ball_arm", "planar_arm"),
    ),
    "limbik.model.presets": ("presets",),
    "limbik.motion": ("Tracker",),
    "limbik.motion.body.humanoid": ("Humanoid", "humanoid"),
    "limbik.motion.paths": ("solve_path",),
    "limbik.motion.task_space": ("arc", "circle", "polyline", "straight_line"),
    "limbik.scene": ("Branch", "Scene", "SceneArm", "load_scene"),
    "limbik.solution": ("BatchSolution", "Iterate", "Solution", "Trace"),
    "limbik.solvers": (
        *("cost_gradient", "iterate", "nullspace", "solution_jacobian", "solve", "solve_all"),
        *("solve_all_batch", "solve_batch", "solve_function", "trace"),
    ),
    "limbik.solvers.function": ("FunctionSolution",),
    "limbik.status": ("Status",),
    "limbik.warmup_tasks": ("warmup",),
}
_IN_ITS_MODULE = {"PathBreak": "Break"}
# Files that import each other in two threads at once would stop each other.
_IMPORTING = fork_safe(threading.RLock())


if not TYPE_CHECKING:  # which else would take any name

    def __getattr__(name: str) -> Any:
        with _IMPORTING:
            for module, names in _NAMES.items():
                if name in names:
                    where = importlib.import_module(module)
                    value = globals()[name] = getattr(where, _IN_ITS_MODULE.get(name, name))
                    return value
            is_public = name.isidentifier() and not name.startswith("_")
            if is_public and importlib.util.find_spec(f"{__name__}.{name}"):
                return importlib.import_module(f"{__name__}.{name}")
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
