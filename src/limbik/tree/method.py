"""Binds the functions of a classical method into `tree.classical_loop`."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from limbik.compiler.kernel import Kernel
from limbik.errors import SolverError
from limbik.locks import cached_property
from limbik.tree import classical_loop as branched

OWN = "limbik."


@dataclass(frozen=True)
class MethodFunctions:
    """What the names mean that the loop leaves open: "improve", and "merit" where a method has its own.

    text: pairs such as "improve=limbik.solvers.methods.ccd:sweep", with commas between them.
    """

    text: str

    @classmethod
    def of(cls, kernels: Mapping[str, Kernel[..., Any]]) -> MethodFunctions:
        """The method of kernels that stand in modules, each under its own name.

        Raises SolverError for one that does not.
        """
        pairs = []
        for name, kernel in sorted(kernels.items()):
            location = f"{kernel.function.__module__}:{kernel.function.__qualname__}"
            if _kernel_at(location) is not kernel:
                raise _misplaced(location)
            pairs.append(f"{name}={location}")
        return cls(",".join(pairs))

    @cached_property
    def kernel(self) -> Kernel[..., None]:
        """`tree.classical_loop.solve` by this method."""
        return branched.solve.bind(**dict(map(_imported, self.text.split(","))))

    @property
    def stem(self) -> str:
        """A short name for files; for those of limbik itself that of the module with the first kernel."""
        modules = [pair.partition("=")[2].partition(":")[0] for pair in self.text.split(",")]
        if all(module.startswith(OWN) for module in modules):
            return modules[0].rpartition(".")[2]
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]


def _imported(pair: str) -> tuple[str, Kernel[..., Any]]:
    name, _, location = pair.partition("=")
    kernel = _kernel_at(location)
    if kernel is None:
        raise _misplaced(location)
    return name, kernel


def _kernel_at(location: str) -> Kernel[..., Any] | None:
    module, _, function = location.partition(":")
    try:
        return getattr(importlib.import_module(module), function, None)
    except ImportError:
        return None


def _misplaced(location: str) -> SolverError:
    module, _, function = location.partition(":")
    return SolverError(
        f"the kernel {function!r} needs to stand at the top of a module that another process can import, "
        f"under its own name and without bindings; there is no such kernel in {module!r}"
    )
