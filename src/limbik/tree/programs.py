"""The programs for trees: what each is made of."""

from __future__ import annotations

import functools

import numpy as np

from limbik.chain.joints import JOINT
from limbik.compiler.program import Program
from limbik.tree import compromise
from limbik.tree.entries import tree
from limbik.tree.kinematics import LINK
from limbik.tree.method import Method
from limbik.tree.residuals import TASK
from limbik.tree.workspace import Workspace

DOUBLE = np.dtype(np.float64)
NUMBER = None

OF_TREE = (LINK, JOINT, *[DOUBLE] * 3, TASK, *[DOUBLE] * (3 + len(Workspace._fields) + 6), *[NUMBER] * 9)


@functools.cache
def general() -> Program:
    """Any goals on any tree, by Levenberg-Marquardt: `tree.levenberg_marquardt.solve`."""
    return Program(name="general", kernel=tree, arguments=OF_TREE)


@functools.cache
def best() -> Program:
    """The least errors of any goals on any tree: by `tree.compromise.search`."""
    return Program(name="best", kernel=tree.bind(search=compromise.search), arguments=OF_TREE)


@functools.cache
def by_method(method: Method) -> Program:
    """Any goals on any tree, by a classical method: `tree.classical_loop.solve`."""
    return Program(
        name=f"method-{method.stem}",
        kernel=tree.bind(solve_tree=method.kernel),
        arguments=OF_TREE,
        source=(f"{__name__}:by_text", method.text),
    )


def by_text(text: str) -> Program:
    """The program of `by_method`, for another process."""
    return by_method(Method(text))
