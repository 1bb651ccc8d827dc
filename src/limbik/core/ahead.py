"""Numba without machine code, for a process that compiles for others and never runs a kernel.

Numba makes machine code of every function that it has typed, with ways in from Python and from C, and none of
it is of use where functions end up inside of one another: it takes half of the time. Here they are typed,
lowered and optimised, and that is all.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import AOTCodeLibrary, AOTCPUCodegen
from numba.core.registry import cpu_target

from limbik.core import compiled


def lower_only() -> None:
    """From here on, kernels of this process end as text in LLVM's language, and cannot be called."""
    compiled.lower_only()
    cpu_target.target_context._internal_codegen = Codegen("limbik", "host")


class Library(AOTCodeLibrary):
    """A function with those that it calls."""

    def _optimize_final_module(self) -> None:
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)

    def get_pointer_to_function(self, name: str) -> int:
        """0, for no machine code, when all functions are linked."""
        self._ensure_finalized()
        return 0


class Codegen(AOTCPUCodegen):
    """Makes such libraries, for this processor."""

    _library_class = Library

    def set_env(self, name: str, environment: Any) -> None:
        """Nothing: it serves exceptions, and kernels raise none."""
