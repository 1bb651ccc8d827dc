"""The programs for trees: what each is made of."""

from __future__ import annotations

import functools

from limbik.compiler.program import Program
from limbik.tree import compromise, levenberg_marquardt
from limbik.tree.method import Method


@functools.cache
def general() -> Program:
    """Any goals on any tree, by Levenberg-Marquardt."""
    return Program(name="general", kernel=levenberg_marquardt.solve)


@functools.cache
def best() -> Program:
    """The least errors of any goals on any tree."""
    return Program(name="best", kernel=levenberg_marquardt.solve.bind(search=compromise.search))


@functools.cache
def by_method(method: Method) -> Program:
    """Any goals on any tree, by a classical method: `tree.classical_loop`."""
    return Program(
        name=f"method-{method.stem}", kernel=method.kernel, source=(f"{__name__}:by_text", method.text)
    )


def by_text(text: str) -> Program:
    """The program of `by_method`, for another process."""
    return by_method(Method(text))
