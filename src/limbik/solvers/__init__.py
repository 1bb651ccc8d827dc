"""How a goal is met: one method per file, and their common loop.

solution = limbik.solvers.solve(model, target, solver="dls")
"""

from limbik.all_solutions.solve_all import solve_all, solve_all_batch
from limbik.solvers import nullspace
from limbik.solvers.batch import solve_batch
from limbik.solvers.costs import cost_gradient
from limbik.solvers.derivative import solution_jacobian
from limbik.solvers.function import solve_function
from limbik.solvers.loop import iterate, solve, trace
from limbik.solvers.methods.analytic import Analytic
from limbik.solvers.methods.ccd import CCD
from limbik.solvers.methods.dls import DLS
from limbik.solvers.methods.fabrik import FABRIK
from limbik.solvers.methods.lm import LM
from limbik.solvers.methods.newton import Newton
from limbik.solvers.methods.optimize import Optimize
from limbik.solvers.methods.pinv import PseudoInverse
from limbik.solvers.methods.sdls import SDLS
from limbik.solvers.methods.transpose import Transpose
from limbik.solvers.methods.transpose_classic import TransposeClassic
from limbik.solvers.registry import SolverInfo, describe, get, names
from limbik.solvers.solver import Parameter, Solver
from limbik.solvers.suitability import refusal

__all__ = [
    "CCD",
    "DLS",
    "FABRIK",
    "LM",
    "SDLS",
    "Analytic",
    "Newton",
    "Optimize",
    "Parameter",
    "PseudoInverse",
    "Solver",
    "SolverInfo",
    "Transpose",
    "TransposeClassic",
    "cost_gradient",
    "describe",
    "get",
    "iterate",
    "names",
    "nullspace",
    "refusal",
    "solution_jacobian",
    "solve",
    "solve_all",
    "solve_all_batch",
    "solve_batch",
    "solve_function",
    "trace",
]
