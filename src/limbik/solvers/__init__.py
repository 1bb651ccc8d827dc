"""How a goal is met: one method per file, and the loop that they share.

solution = limbik.solvers.solve(model, target, solver="dls")
"""

from limbik.model.model import Model
from limbik.solvers import nullspace
from limbik.solvers.batch import solve_batch
from limbik.solvers.ccd import CCD
from limbik.solvers.dls import DLS
from limbik.solvers.fabrik import FABRIK
from limbik.solvers.lm import LM
from limbik.solvers.loop import iterate, solve, trace
from limbik.solvers.newton import Newton
from limbik.solvers.pinv import PseudoInverse
from limbik.solvers.registry import SolverInfo, describe, get, names
from limbik.solvers.sdls import SDLS
from limbik.solvers.solver import Parameter, Solver
from limbik.solvers.transpose import Transpose
from limbik.solvers.transpose_classic import TransposeClassic
from limbik.solvers.warmup import warmup

__all__ = [
    "CCD",
    "DLS",
    "FABRIK",
    "LM",
    "SDLS",
    "Newton",
    "Parameter",
    "PseudoInverse",
    "Solver",
    "SolverInfo",
    "Transpose",
    "TransposeClassic",
    "describe",
    "get",
    "iterate",
    "names",
    "nullspace",
    "solve",
    "solve_batch",
    "trace",
    "warmup",
]

# The method is the function itself from here on: a solve of two microseconds feels every detour.
Model.solve = solve  # type: ignore[assignment]
