"""The source text of each method's step, shown on the page."""

from __future__ import annotations

import functools
import inspect
import sys
from dataclasses import dataclass
from typing import Any

from limbik import solvers
from limbik.app.session import SOLVERS
from limbik.compiler.kernel import Kernel
from limbik.errors import SolverError, did_you_mean, shortened
from limbik.solvers.solver import StepSolver


@dataclass(frozen=True)
class MethodSource:
    """Functions of one file, as they stand there."""

    solver: str
    file: str  # from the package's folder on
    text: str


@functools.cache
def method_source(name: str) -> MethodSource:
    """One iteration of a solver on an arm in the plane, with the functions of its file that it calls.

    Raises SolverError for an unknown solver, OSError where the installation has no source text.
    """
    if name not in SOLVERS:
        raise SolverError(f"there is no solver {shortened(name)} in the plane; {did_you_mean(name, SOLVERS)}")
    step = _step(name)
    module = step.__module__
    functions = sorted((kernel.function for kernel in {step, *_called(step, module)}), key=_line)
    texts = [inspect.getsource(function).rstrip() for function in functions]
    return MethodSource(name, f"{module.replace('.', '/')}.py", "\n\n\n".join(texts) + "\n")


def _step(name: str) -> Kernel[..., Any]:
    """The kernel that proposes a step, or that makes an iteration."""
    solver = solvers.get(name)
    if not isinstance(solver, StepSolver):
        return solver.kernels()["improve"]
    step: Kernel[..., Any] = sys.modules[type(solver).__module__].step
    return step


def _called(kernel: Kernel[..., Any], module: str) -> list[Kernel[..., Any]]:
    """The kernels that one calls itself, as far as they stand in that module."""
    kernels = (value for value in kernel.scope.values() if isinstance(value, Kernel))
    return [each for each in kernels if each.__module__ == module]


def _line(function: Any) -> int:
    line: int = function.__code__.co_firstlineno
    return line
