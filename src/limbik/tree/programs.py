"""Compiled programs for any goals on any tree: one for Levenberg-Marquardt, and one for each classical
method.
"""

from __future__ import annotations

import functools

from limbik.compiler.program import Program
from limbik.tree import levenberg_marquardt
from limbik.tree.method import MethodFunctions


@functools.cache
def general() -> Program:
    """Any goals on any tree: by Levenberg-Marquardt, or the smallest errors of those that need not be met."""
    return Program(name="general", kernel=levenberg_marquardt.solve)


@functools.cache
def by_method(method: MethodFunctions) -> Program:
    """Any goals on any tree, by a classical method: `tree.classical_loop`."""
    return Program(
        name=f"method-{method.stem}", kernel=method.kernel, source=(f"{__name__}:by_text", method.text)
    )


def by_text(text: str) -> Program:
    """The program of `by_method`, for another process."""
    return by_method(MethodFunctions(text))
