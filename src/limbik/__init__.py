"""limbik: inverse kinematics to see, to use and to scale.

import limbik

arm = limbik.planar_arm(links=3, length=0.5)
solution = arm.solve([0.7, 0.6, 0.0])
"""

from limbik import errors, solvers
from limbik._version import __version__
from limbik.formats import load
from limbik.formats.registry import robots
from limbik.goals import Goal, Orientation, Pose, Position
from limbik.model import Frame, Joint, JointKind, Mass, Mimic, Model, ModelBuilder, ball_arm, planar_arm
from limbik.model.presets import presets
from limbik.solution import BatchSolution, Iterate, Solution, Status, Trace
from limbik.solvers import iterate, solve, solve_batch, trace, warmup

__all__ = [
    "BatchSolution",
    "Frame",
    "Goal",
    "Iterate",
    "Joint",
    "JointKind",
    "Mass",
    "Mimic",
    "Model",
    "ModelBuilder",
    "Orientation",
    "Pose",
    "Position",
    "Solution",
    "Status",
    "Trace",
    "__version__",
    "ball_arm",
    "errors",
    "iterate",
    "load",
    "planar_arm",
    "presets",
    "robots",
    "solve",
    "solve_batch",
    "solvers",
    "trace",
    "warmup",
]
